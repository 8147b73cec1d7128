/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the sender's packet trains, and that they delay no other packets.
 */
#include "measure/trains.h"
#include "support/test-slow.h"
#include "support/train-run.h"

#include <gst/lmcc/lmcc-algorithm.h>
#include <gst/lmcc/lmcc-sdp.h>
#include <math.h>
#include <string.h>

#define SECONDS 20
#define END (START + SECONDS * LMCC_SECOND)

/* The rates of native layers are known, and their queues are stable. */
#define SETTLED (START + 6 * LMCC_SECOND)

static const struct
{
  guint n_layers;
  gdouble base;
  gdouble factor;
} rows[] = {
  { 2, 500e3, 2 },
  { 3, 250e3, 2 },
  { 5, 200e3, 2 },
  { 7, 100e3, 2 },
  { 14, 8e3, 2 },
  { 2, 2e6, 1.3 },
  { 3, 20e6, 1.3 },
  { 7, 500e3, 1.3 },
  { 14, 300e3, 1.3 },
};

/* The first ones have less than 10 Mbit/s. */
#define N_LOW_RATES 4

static LmccSenderConfig
fixed_config (guint row)
{
  return train_fixed_config (rows[row].n_layers, rows[row].base,
      rows[row].factor);
}

/* Layers with one packet per picture are the slowest. */
static LmccSenderConfig
native_config (guint row, LmccSenderConfig *rates)
{
  *rates = train_fixed_config (rows[row].n_layers,
      MAX (rows[row].base, 60e3 * (rows[row].factor < 2 ? 5 : 1)),
      rows[row].factor);

  return train_native_config (rows[row].n_layers);
}

#define N_NATIVE 4
static const guint native_rows[N_NATIVE] = { 0, 2, 5, 8 };

/* The packets of one layer, in sending order. */
static GArray *
pick (const TrainRun *run, guint layer, gboolean media)
{
  GArray *picked = g_array_new (FALSE, FALSE, sizeof (TrainPacket));
  guint i;

  for (i = 0; i < run->sent->len; i++) {
    const TrainPacket *packet = TRAIN_PACKET (run, i);

    if (packet->layer == layer
        && (!media || (!packet->control && packet->type == LMCC_PACKET_MEDIA)))
      g_array_append_val (picked, *packet);
  }

  return picked;
}

/* Returns: the largest delay of a packet in @run compared with @plain */
static gint64
compare_layer (const TrainRun *run, const TrainRun *plain, guint layer,
    gboolean media)
{
  g_autoptr (GArray) a = pick (run, layer, media);
  g_autoptr (GArray) b = pick (plain, layer, media);
  gint64 latest = G_MININT64;
  guint i;

  fail_unless (b->len > 2);
  for (i = 0; i < MIN (a->len, b->len); i++) {
    const TrainPacket *x = &g_array_index (a, TrainPacket, i);
    const TrainPacket *y = &g_array_index (b, TrainPacket, i);

    if (x->size != y->size || x->control != y->control || x->type != y->type
        || (media && x->osn != y->osn))
      fail ("layer %u: packet %u is another one", layer, i);
    latest = MAX (latest, (gint64) (x->time - y->time));
  }

  return latest;
}

/* The base layer has the record, which is longer with trains. */
static void
check_base (const TrainRun *run, const TrainRun *plain)
{
  g_autoptr (GArray) a = pick (run, 0, FALSE);
  g_autoptr (GArray) b = pick (plain, 0, FALSE);
  guint64 sent = 0, sent_plain = 0;
  guint i, k = 0;

  for (i = 0; i < b->len; i++) {
    const TrainPacket *packet = &g_array_index (b, TrainPacket, i);

    for (; k < a->len && g_array_index (a, TrainPacket, k).time <= packet->time;
         k++)
      sent += g_array_index (a, TrainPacket, k).size;
    sent_plain += packet->size;
    fail_unless (sent + LARGEST >= sent_plain);
  }
}

GST_START_TEST (test_layers_of_fixed_rates_send_the_same_and_never_later)
{
  LmccSenderConfig config = fixed_config ((guint) __i__);
  TrainRun run = train_run_new (&config, TRUE);
  TrainRun plain = train_run_new (&config, FALSE);
  guint64 top =
      lmcc_session_level_rate (&config.session, config.session.n_layers - 1);
  guint layer;

  train_run_until (&run, END);
  train_run_until (&plain, END);
  check_base (&run, &plain);
  for (layer = 0; layer < config.session.n_layers; layer++) {
    guint64 bytes = lmcc_sender_get_stats (run.sender)->layers[layer].bytes;
    guint64 bytes_plain =
        lmcc_sender_get_stats (plain.sender)->layers[layer].bytes;

    if (layer > 0)
      fail_unless (compare_layer (&run, &plain, layer, FALSE) <= 0);
    /* Packets sent ahead at the end: a train, and those before it. */
    fail_unless (bytes + (layer == 0 ? LARGEST : 0) >= bytes_plain);
    fail_unless (bytes <= bytes_plain + top / 8 * 90 / 1000 + LARGEST,
        "layer %u", layer);
  }
  train_run_clear (&run);
  train_run_clear (&plain);
}

GST_END_TEST;

/* The same pictures, with each packet at the latest time at which it would
 * have left, within the resolution of the send time, 1/65536 s. */
GST_START_TEST (test_native_layers_send_the_same_and_never_later)
{
  LmccSenderConfig rates;
  LmccSenderConfig config = native_config (native_rows[__i__], &rates);
  TrainRun run = train_run_new (&config, TRUE);
  TrainRun plain = train_run_new (&config, FALSE);
  guint layer;

  train_run_push_pictures (&run, &rates, END);
  train_run_push_pictures (&plain, &rates, END);
  train_run_until (&run, END + LMCC_SECOND);
  train_run_until (&plain, END + LMCC_SECOND);
  fail_unless_equals_int (train_run_session (&run)->n_layers,
      rates.session.n_layers);
  for (layer = 0; layer < rates.session.n_layers; layer++) {
    gint64 later = compare_layer (&run, &plain, layer, TRUE);
    g_autoptr (GArray) a = pick (&run, layer, TRUE);
    g_autoptr (GArray) b = pick (&plain, layer, TRUE);

    fail_unless_equals_int (a->len, b->len);
    fail_unless (later <= (gint64) (LMCC_SECOND / 65536),
        "layer %u: %g ms later", layer, later / 1e6);
  }
  fail_unless_equals_uint64 (lmcc_sender_get_stats (run.sender)->units_late, 0);
  train_run_clear (&run);
  train_run_clear (&plain);
}

GST_END_TEST;

typedef struct
{
  guint level;
  guint first; /* index in the run's packets */
  guint last;
  guint n;
} Train;

/* All, in the order of their starts. */
static GArray *
find_trains (const TrainRun *run)
{
  GArray *trains = g_array_new (FALSE, FALSE, sizeof (Train));
  LmccTime longest = 100 * MS;
  guint i;

  for (i = 0; i < run->sent->len; i++) {
    const TrainPacket *packet = TRAIN_PACKET (run, i);
    Train *last = trains->len > 0
        ? &g_array_index (trains, Train, trains->len - 1)
        : NULL;
    Train next = { (guint) packet->signal, i, i, 1 };

    if (packet->control || !packet->burst) {
      fail_unless (packet->control || packet->signal == LMCC_SIGNAL_NOBODY);
      continue;
    }
    fail_unless (packet->signal > 0);
    fail_unless (packet->layer < packet->signal);
    if (last != NULL && last->level == next.level
        && packet->time < TRAIN_PACKET (run, last->first)->time + longest) {
      last->last = i;
      last->n++;
    } else {
      g_array_append_val (trains, next);
    }
  }

  return trains;
}

/* One packet of each layer may be due in the same instant. */
#define MOST_PACKETS(train) MAX ((train)->level, 1)

/* If the base layer has a fixed rate, it includes its RTCP. Returns: the
 * largest deviation of the train from its rate, in packets */
static gdouble
check_train (const TrainRun *run, const Train *train, gboolean control_counts,
    LmccTime silence)
{
  guint64 rate =
      lmcc_session_level_rate (train_run_session (run), train->level);
  LmccTime begin = TRAIN_PACKET (run, train->first)->time;
  gdouble bits = 0, worst = 0;
  guint i;

  fail_unless (TRAIN_PACKET (run, train->last)->time <= begin + LMCC_TRAIN_TIME,
      "level %u: a train of %g ms", train->level,
      (TRAIN_PACKET (run, train->last)->time - begin) / 1e6);
  for (i = train->first; i <= train->last; i++) {
    const TrainPacket *packet = TRAIN_PACKET (run, i);
    gdouble want = (gdouble) rate * (packet->time - begin) / LMCC_SECOND;

    if (packet->control && !control_counts)
      continue;
    if (!packet->control && packet->layer >= train->level) {
      fail_unless (packet->layer != train->level
              || packet->time >= begin + silence,
          "level %u is not silent after %g ms", train->level,
          (packet->time - begin) / 1e6);
      continue;
    }
    fail_unless (packet->control || packet->burst, "not marked");
    worst = MAX (worst, fabs (bits - want));
    bits += 8.0 * packet->size;
  }

  return worst / (8 * LARGEST);
}

static void
check_cycles (const TrainRun *run, GArray *trains, LmccTime from, LmccTime to)
{
  const LmccSession *session = train_run_session (run);
  LmccTime cycle = lmcc_train_cycle (session);
  guint level, i;

  for (level = 1; level < session->n_layers; level++) {
    LmccTime last = 0, slack;
    guint n = 0;

    /* The first packet may leave one packet late. */
    slack = 8 * LARGEST * LMCC_SECOND
        / lmcc_session_level_rate (session, level - 1);
    for (i = 0; i < trains->len; i++) {
      const Train *train = &g_array_index (trains, Train, i);
      LmccTime time = TRAIN_PACKET (run, train->first)->time;

      if (train->level != level || time < from || time >= to)
        continue;
      if (last > 0)
        fail_unless (time + slack >= last + cycle
                && time <= last + cycle + slack,
            "level %u after %g s", level, (time - last) / 1e9);
      last = time;
      n++;
    }
    fail_unless (n >= (to - from) / cycle - 1, "level %u: %u trains", level, n);
    fail_unless (n <= (to - from) / cycle + 1, "level %u: %u trains", level, n);
  }
}

GST_START_TEST (test_trains_of_fixed_rates_are_as_planned)
{
  LmccSenderConfig config = fixed_config ((guint) __i__);
  TrainRun run = train_run_new (&config, TRUE);
  g_autoptr (GArray) trains = NULL;
  guint i;

  train_run_until (&run, END);
  trains = find_trains (&run);
  check_cycles (&run, trains, START, END);
  for (i = 0; i < trains->len; i++) {
    const Train *train = &g_array_index (trains, Train, i);
    gdouble worst = check_train (&run, train, TRUE, LMCC_SECOND);

    fail_unless (worst <= MOST_PACKETS (train), "level %u: %g packets",
        train->level, worst);
  }
  train_run_clear (&run);
}

GST_END_TEST;

/* The window, minus the queue growth by the next picture, and minus the time
 * between the packets sent ahead and the train; times are whole nanoseconds. */
#define NATIVE_SILENCE (WINDOW - PICTURE - 30 * MS - MS / 1000)

GST_START_TEST (test_native_trains_are_as_planned)
{
  LmccSenderConfig rates;
  LmccSenderConfig config = native_config (native_rows[__i__], &rates);
  TrainRun run = train_run_new (&config, TRUE);
  g_autoptr (GArray) trains = NULL;
  guint i;

  train_run_push_pictures (&run, &rates, END);
  trains = find_trains (&run);
  check_cycles (&run, trains, SETTLED, END);
  for (i = 0; i < trains->len; i++) {
    const Train *train = &g_array_index (trains, Train, i);
    gdouble worst;

    if (TRAIN_PACKET (&run, train->first)->time < SETTLED)
      continue;
    worst = check_train (&run, train, FALSE, NATIVE_SILENCE);
    fail_unless (worst <= MOST_PACKETS (train), "level %u: %g packets",
        train->level, worst);
  }
  train_run_clear (&run);
}

GST_END_TEST;

static const gchar *const without_trains[][2] = {
  { "rlc", "none" },
  { "flid-sl", "none" },
  { "flid-dl", "none" },
  { "none", "pgmcc" },
  { "none", "tfmcc" },
};

GST_START_TEST (test_slots_and_single_rates_have_no_trains)
{
  gboolean slots = strcmp (without_trains[__i__][0], "none") != 0;
  LmccSenderConfig config =
      slots ? train_fixed_config (4, 250e3, 2) : train_native_config (1);
  TrainRun run;
  guint i;

  g_strlcpy (config.session.algorithm, without_trains[__i__][0],
      sizeof (config.session.algorithm));
  g_strlcpy (config.session.base_algorithm, without_trains[__i__][1],
      sizeof (config.session.base_algorithm));
  config.session.feedback_interval = LMCC_DEFAULT_FEEDBACK_INTERVAL;
  config.session.feedback_port = slots ? 0 : 5005;
  run = train_run_new (&config, TRUE);
  fail_unless_equals_string (train_run_session (&run)->algorithm,
      without_trains[__i__][0]);
  fail_unless_equals_string (train_run_session (&run)->base_algorithm,
      without_trains[__i__][1]);
  fail_unless_equals_uint64 (train_run_session (&run)->train_cycle, 0);
  train_run_until (&run, START + 5 * LMCC_SECOND);
  for (i = 0; i < run.sent->len; i++)
    fail_unless (slots || !TRAIN_PACKET (&run, i)->burst);
  train_run_clear (&run);
}

GST_END_TEST;

/* The record that a sender announces. */
static LmccTime
announced_cycle (const gchar *algorithm, gboolean native, LmccTime asked)
{
  LmccSenderConfig config =
      native ? train_native_config (4) : train_fixed_config (4, 250e3, 2);
  g_autofree gchar *text = NULL;
  LmccSender *sender;
  LmccSession read;

  g_strlcpy (config.session.algorithm, algorithm,
      sizeof (config.session.algorithm));
  config.session.train_cycle = asked;
  sender = lmcc_sender_new (&config, START, NULL);
  fail_unless (sender != NULL, "%s", algorithm);
  text = lmcc_sdp_format (lmcc_sender_get_session (sender), LMCC_SDP_RECORD);
  lmcc_sender_free (sender);
  fail_unless (lmcc_sdp_parse (text, -1, &read, NULL), "%s", text);

  return read.train_cycle;
}

GST_START_TEST (test_the_algorithm_wants_trains_where_nobody_says)
{
  guint n, i, native;
  const LmccAlgorithm *const *list = lmcc_algorithm_list (&n);

  for (i = 0; i < n; i++) {
    const gchar *name = list[i]->name;

    if (lmcc_algorithm_sets_rate (list[i]))
      continue;
    for (native = 0; native < 2; native++) {
      LmccTime given =
          !native && lmcc_algorithm_has_slots (list[i]) ? 0 : LMCC_SECOND;

      fail_unless_equals_uint64 (announced_cycle (name, native, LMCC_TIME_NONE),
          strcmp (name, "plumb") == 0 ? 2 * LMCC_SECOND : 0);
      fail_unless_equals_uint64 (announced_cycle (name, native, 0), 0);
      fail_unless_equals_uint64 (announced_cycle (name, native, LMCC_SECOND),
          given);
    }
  }
}

GST_END_TEST;

static LmccController *
create_nothing (const LmccSession *session G_GNUC_UNUSED,
    const LmccSettings *settings G_GNUC_UNUSED, guint32 seed G_GNUC_UNUSED)
{
  return NULL;
}

GST_START_TEST (test_others_algorithms_want_trains_too)
{
  static const LmccAlgorithm other = { .name = "other",
    .create = create_nothing,
    .train_cycle = 3 * LMCC_SECOND };

  fail_unless_equals_uint64 (announced_cycle ("other", TRUE, LMCC_TIME_NONE),
      0);
  fail_unless (lmcc_algorithm_register (&other));
  fail_unless_equals_uint64 (announced_cycle ("other", TRUE, LMCC_TIME_NONE),
      3 * LMCC_SECOND);
}

GST_END_TEST;

static void
check_no_marks (const TrainRun *run)
{
  g_autoptr (GArray) trains = find_trains (run);

  fail_unless_equals_int (trains->len, 0);
}

GST_START_TEST (test_one_layer_has_no_trains_and_no_more_wakes)
{
  LmccSenderConfig config = train_fixed_config (1, 500e3, 2);
  TrainRun run = train_run_new (&config, TRUE);
  TrainRun plain = train_run_new (&config, FALSE);

  train_run_until (&run, END);
  train_run_until (&plain, END);
  check_no_marks (&run);
  fail_unless (run.n_wakes <= plain.n_wakes + 1);
  train_run_clear (&run);
  train_run_clear (&plain);
}

GST_END_TEST;

static gboolean
knows_rates (const TrainRun *run)
{
  const LmccSession *session = train_run_session (run);

  return session->layers[0].rate > 0 && session->layers[1].rate > 0;
}

GST_START_TEST (test_rates_that_are_not_known_make_no_trains)
{
  LmccSenderConfig rates = train_fixed_config (4, 300e3, 2);
  LmccSenderConfig config = train_native_config (4);
  TrainRun run = train_run_new (&config, TRUE);
  LmccTime time;

  for (time = START; !knows_rates (&run) && time < END; time += PICTURE)
    train_run_push_picture (&run, &rates, 4, time);
  fail_unless (time > START + PICTURE);
  fail_unless (time < END);
  check_no_marks (&run);
  train_run_clear (&run);
}

GST_END_TEST;

GST_START_TEST (test_layers_that_come_later_have_trains)
{
  LmccSenderConfig rates = train_fixed_config (4, 300e3, 2);
  LmccSenderConfig config = train_native_config (1);
  TrainRun run = train_run_new (&config, TRUE);
  g_autoptr (GArray) trains = NULL;
  LmccTime time = START, more = START + 6 * LMCC_SECOND;
  guint i;

  for (; time < START + 2 * SECONDS * LMCC_SECOND; time += PICTURE)
    train_run_push_classes (&run, &rates, time < more ? 2 : 4, time);
  trains = find_trains (&run);
  for (i = 0; i < trains->len; i++) {
    const Train *train = &g_array_index (trains, Train, i);

    fail_unless (
        train->level < 2 || TRAIN_PACKET (&run, train->first)->time > more);
  }
  check_cycles (&run, trains, more + 4 * LMCC_SECOND, time);
  train_run_clear (&run);
}

GST_END_TEST;

/* check_train() ensures that all packets of the layers below are there. */
GST_START_TEST (test_repair_in_a_train_is_marked)
{
  LmccSenderConfig rates = train_fixed_config (3, 500e3, 2);
  LmccSenderConfig config = train_native_config (3);
  g_autoptr (GArray) trains = NULL;
  TrainRun run;
  guint i, n = 0;

  config.session.repair = 200;
  run = train_run_new (&config, TRUE);
  train_run_push_pictures (&run, &rates, END);
  trains = find_trains (&run);
  for (i = 0; i < trains->len; i++)
    check_train (&run, &g_array_index (trains, Train, i), FALSE, 0);
  for (i = 0; i < run.sent->len; i++)
    n += TRAIN_PACKET (&run, i)->type == LMCC_PACKET_REPAIR
        && TRAIN_PACKET (&run, i)->burst;
  fail_unless (n > 0);
  train_run_clear (&run);
}

GST_END_TEST;

/* Each layer has filler, the rates are checked, the record is sent, and a
 * train needs a wake-up for each of its three runs. */
GST_START_TEST (test_an_idle_sender_sleeps)
{
  LmccSenderConfig rates;
  LmccSenderConfig config = native_config (native_rows[__i__], &rates);
  TrainRun run = train_run_new (&config, TRUE);
  guint n, n_trains, most;

  train_run_push_pictures (&run, &rates, SETTLED);
  train_run_until (&run, SETTLED + LMCC_SECOND);
  n = run.n_wakes;
  train_run_until (&run, SETTLED + 11 * LMCC_SECOND);
  n = run.n_wakes - n;
  n_trains =
      (guint) (10 * LMCC_SECOND / lmcc_train_period (train_run_session (&run)))
      + 1;
  most = 10 * (10 * rates.session.n_layers + 4 + 5) + 3 * n_trains;
  fail_unless (n <= most, "%u wakes, at most %u", n, most);
  train_run_clear (&run);
}

GST_END_TEST;

static guint64
count_below (const TrainRun *run, guint level)
{
  const LmccSenderStats *stats = lmcc_sender_get_stats (run->sender);
  guint64 bytes = stats->control_bytes;
  guint i;

  for (i = 0; i < level; i++)
    bytes += stats->layers[i].bytes;

  return bytes;
}

/* The caller sleeps from before the train into it: only 2 ms of the train
 * leave, and the packet that is due. Packets due meanwhile leave as without
 * trains. */
GST_START_TEST (test_a_late_caller_gets_no_burst)
{
  LmccSenderConfig config = fixed_config ((guint) __i__);
  TrainRun prompt = train_run_new (&config, TRUE);
  g_autoptr (GArray) trains = NULL;
  guint i;

  train_run_until (&prompt, START + 6 * LMCC_SECOND);
  trains = find_trains (&prompt);
  for (i = 0; i < trains->len; i++) {
    const Train *train = &g_array_index (trains, Train, i);
    LmccTime middle = (TRAIN_PACKET (&prompt, train->first)->time
                          + TRAIN_PACKET (&prompt, train->last)->time)
        / 2;
    guint64 rate = lmcc_session_level_rate (&config.session, train->level);
    TrainRun late, plain;
    guint64 ahead, ahead_plain;

    if (middle < START + 4 * LMCC_SECOND)
      continue;
    late = train_run_new (&config, TRUE);
    plain = train_run_new (&config, FALSE);
    train_run_until (&late, middle - 100 * MS);
    train_run_until (&plain, middle - 100 * MS);
    ahead = count_below (&late, train->level)
        - MIN (count_below (&late, train->level),
            count_below (&plain, train->level));
    train_run_wake (&late, middle);
    train_run_wake (&plain, middle);
    ahead_plain = count_below (&plain, train->level) + ahead;
    fail_unless (8 * count_below (&late, train->level)
            <= 8 * ahead_plain + rate * 2 / 1000 + 8 * 2 * LARGEST,
        "level %u: %g packets", train->level,
        ((gdouble) count_below (&late, train->level) - (gdouble) ahead_plain)
            / LARGEST);
    train_run_clear (&late);
    train_run_clear (&plain);
  }
  train_run_clear (&prompt);
}

GST_END_TEST;

static Suite *
sender_trains_suite (void)
{
  Suite *suite = suite_create ("sender-trains");
  TCase *tcase = tcase_create ("general");
  gint n_rows = test_is_slow () ? N_LOW_RATES : G_N_ELEMENTS (rows);

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase,
      test_layers_of_fixed_rates_send_the_same_and_never_later, 0, n_rows);
  tcase_add_loop_test (tcase, test_native_layers_send_the_same_and_never_later,
      0, N_NATIVE);
  tcase_add_loop_test (tcase, test_trains_of_fixed_rates_are_as_planned, 0,
      n_rows);
  tcase_add_loop_test (tcase, test_native_trains_are_as_planned, 0, N_NATIVE);
  tcase_add_loop_test (tcase, test_slots_and_single_rates_have_no_trains, 0,
      G_N_ELEMENTS (without_trains));
  tcase_add_test (tcase, test_the_algorithm_wants_trains_where_nobody_says);
  tcase_add_test (tcase, test_others_algorithms_want_trains_too);
  tcase_add_test (tcase, test_one_layer_has_no_trains_and_no_more_wakes);
  tcase_add_test (tcase, test_rates_that_are_not_known_make_no_trains);
  tcase_add_test (tcase, test_layers_that_come_later_have_trains);
  tcase_add_test (tcase, test_repair_in_a_train_is_marked);
  tcase_add_loop_test (tcase, test_an_idle_sender_sleeps, 0, N_NATIVE);
  tcase_add_loop_test (tcase, test_a_late_caller_gets_no_burst, 0, n_rows);

  return suite;
}

GST_CHECK_MAIN (sender_trains);
