/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the verdicts of a train reader on a sender's own trains, behind a
 * link with a queue.
 */
#include "measure/trains.h"
#include "support/train-run.h"

#include <string.h>

#define END (START + 40 * LMCC_SECOND)

/* The rates of native layers are known, and their queues are stable. */
#define SETTLED (START + 6 * LMCC_SECOND)

static const struct
{
  guint n_layers;
  gdouble base;
  gdouble factor;
} rows[] = {
  { 2, 500e3, 2 },
  { 5, 200e3, 2 },
  { 6, 500e3, 2 },
  { 3, 5e6, 1.3 },
  { 7, 500e3, 1.3 },
  { 14, 300e3, 1.3 },
};

/* Fixed rates: only the rows before this one. With seven layers or more,
 * packets that are due in the same instant form a queue of their own. */
#define N_EVEN 4

/* The same for native layers. */
#define N_NATIVE_EVEN 5

/* Native layers with enough packets for trains. */
static const guint native_rows[] = { 0, 2, 3, 4, 5 };

/**
 * Link:
 * @capacity: bit/s
 * @top: the highest level that it carries
 * @level: level of the reader behind it
 */
typedef struct
{
  gdouble capacity;
  guint top;
  gint level;
} Link;

typedef struct
{
  guint n[LMCC_TRAIN_UNKNOWN + 1];
  guint all;
} Verdicts;

static void
read_behind (const TrainRun *run, const Link *link, Verdicts *verdicts)
{
  LmccTrainReader reader;
  LmccTime idle_at = 0;
  guint i;

  memset (verdicts, 0, sizeof (*verdicts));
  lmcc_train_reader_init (&reader);
  lmcc_train_reader_set_level (&reader, link->level);
  for (i = 0; i < run->sent->len; i++) {
    const TrainPacket *packet = TRAIN_PACKET (run, i);
    LmccHeader header = { .layer = packet->layer,
      .burst = packet->burst,
      .signal = packet->signal,
      .send_time = lmcc_time_to_ntp_short (packet->time) };

    if (packet->layer > link->top || packet->time < SETTLED)
      continue;
    idle_at = MAX (idle_at, packet->time)
        + (LmccTime) (8.0 * packet->size * LMCC_SECOND / link->capacity);
    if (packet->control || packet->layer > link->level)
      continue;
    if (!lmcc_train_reader_packet (&reader, train_run_session (run), idle_at,
            &header, packet->size))
      continue;
    verdicts->n[lmcc_train_reader_get (&reader, idle_at, NULL)]++;
    verdicts->all++;
  }
}

static TrainRun
run_row (guint row, gboolean native)
{
  gdouble base = rows[row].base;
  LmccSenderConfig config =
      train_fixed_config (rows[row].n_layers, base, rows[row].factor);
  LmccSenderConfig native_config = train_native_config (rows[row].n_layers);
  TrainRun run = train_run_new (native ? &native_config : &config, TRUE);

  if (native)
    train_run_push_pictures (&run, &config, END);
  else
    train_run_until (&run, END);

  return run;
}

static gdouble
get_rate (const TrainRun *run, guint level)
{
  return (gdouble) lmcc_session_level_rate (train_run_session (run), level);
}

/* Three packets more than the level below has in its time: a token bucket
 * absorbs these. */
static gboolean
can_find_room (const TrainRun *run, guint level)
{
  gdouble rate = get_rate (run, level);
  gdouble n = 0.06 * rate / (8.0 * train_run_session (run)->packet_size);

  return MIN (n, 22) * (1 - get_rate (run, level - 1) / rate) >= 3;
}

/* Behind a link with @share of each level's rate, with up to @above layers
 * more than the reader has joined. */
static void
check_never (const TrainRun *run, gdouble share, guint above,
    LmccTrainVerdict never)
{
  guint level, n_read = 0, n_able = 0;

  for (level = 1; level < train_run_session (run)->n_layers; level++) {
    Link link = { .capacity = share * get_rate (run, level),
      .top = level - 1 + above,
      .level = (gint) level - 1 };
    Verdicts verdicts;

    read_behind (run, &link, &verdicts);
    n_read += verdicts.all >= 10;
    n_able += never == LMCC_TRAIN_ROOM || can_find_room (run, level);
    if (verdicts.n[never] > 0)
      fail ("level %u, %.2f Mbit/s: room %u, full %u, unknown %u", level,
          link.capacity / 1e6, verdicts.n[LMCC_TRAIN_ROOM],
          verdicts.n[LMCC_TRAIN_FULL], verdicts.n[LMCC_TRAIN_UNKNOWN]);
  }
  /* Four packets of a slow level take longer than a train. */
  fail_unless (n_read + 1 >= n_able, "%u of %u", n_read, n_able);
}

/* Between the level's rate and the next one's. */
#define TOO_LITTLE(row) (rows[row].factor < 2 ? 0.85 : 0.75)

GST_START_TEST (test_fixed_rates_without_room_never_have_it)
{
  TrainRun run = run_row ((guint) __i__, FALSE);

  check_never (&run, TOO_LITTLE (__i__), 0, LMCC_TRAIN_ROOM);
  train_run_clear (&run);
}

GST_END_TEST;

GST_START_TEST (test_fixed_rates_with_room_are_never_full)
{
  TrainRun run = run_row ((guint) __i__, FALSE);

  check_never (&run, 1.05, 0, LMCC_TRAIN_FULL);
  check_never (&run, 1.05, 0, LMCC_TRAIN_UNKNOWN);
  train_run_clear (&run);
}

GST_END_TEST;

/* The next layer already flows there: other receivers have joined it. */
GST_START_TEST (test_fixed_rates_that_flow_already_are_never_full)
{
  TrainRun run = run_row ((guint) __i__, FALSE);

  check_never (&run, 1.05, 1, LMCC_TRAIN_FULL);
  train_run_clear (&run);
}

GST_END_TEST;

GST_START_TEST (test_native_layers_without_room_never_have_it)
{
  TrainRun run = run_row (native_rows[__i__], TRUE);

  check_never (&run, TOO_LITTLE (native_rows[__i__]), 0, LMCC_TRAIN_ROOM);
  train_run_clear (&run);
}

GST_END_TEST;

GST_START_TEST (test_native_layers_with_room_are_never_full)
{
  TrainRun run = run_row ((guint) __i__, TRUE);

  check_never (&run, 1.05, 0, LMCC_TRAIN_FULL);
  check_never (&run, 1.05, 0, LMCC_TRAIN_UNKNOWN);
  train_run_clear (&run);
}

GST_END_TEST;

static Suite *
train_verdicts_suite (void)
{
  Suite *suite = suite_create ("train-verdicts");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_fixed_rates_without_room_never_have_it, 0,
      G_N_ELEMENTS (rows));
  tcase_add_loop_test (tcase, test_fixed_rates_with_room_are_never_full, 0,
      N_EVEN);
  tcase_add_loop_test (tcase, test_fixed_rates_that_flow_already_are_never_full,
      0, N_EVEN);
  tcase_add_loop_test (tcase, test_native_layers_without_room_never_have_it, 0,
      G_N_ELEMENTS (native_rows));
  tcase_add_loop_test (tcase, test_native_layers_with_room_are_never_full, 0,
      N_NATIVE_EVEN);

  return suite;
}

GST_CHECK_MAIN (train_verdicts);
