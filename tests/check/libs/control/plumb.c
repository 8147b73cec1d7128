/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests plumb's controller in virtual time, behind a link whose room packet
 * trains find.
 */
#include "control/controller.h"
#include "measure/loss.h"
#include "measure/trains.h"
#include "support/test-slow.h"
#include "wire/layer-header.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <math.h>

#define N_LAYERS 5
#define TOP (N_LAYERS - 1)
#define BASE_RATE 500000
#define PACKET_SIZE 1000
#define RTT (50 * LMCC_MSECOND)
#define STEP LMCC_MSECOND
#define CYCLE (2 * LMCC_SECOND)
#define TRAIN_PACKETS 20
#define LEAVE_LATENCY (3500 * LMCC_MSECOND)

/* Packets of a left layer explain losses for this long. */
#define DEAF_MAX (5 * LMCC_SECOND)

/* A controller with the rates R_i = 500 kbit/s * 2^i, whose joins and leaves
 * take effect at once, behind a link without a queue: traffic above the
 * link's rate is lost. Trains measure the link's rate, or return a given
 * verdict. */
typedef struct
{
  LmccSession session;
  LmccSettings *settings;
  LmccController *controller;
  gint level;
  LmccTime now;
  gdouble capacity;
  LmccTrainVerdict verdict; /* LMCC_TRAIN_NONE: from the capacity */
  /* one packet is lost in each of these intervals; 0: none */
  LmccTime loss_interval;

  gdouble debt[N_LAYERS]; /* packets due, for each layer */
  gdouble carried;
  LmccTime next_train;
  guint train; /* level of the next train */
  LmccTime next_loss;
  guint n_joins;
  guint n_leaves;
  LmccTime left_at;
} Bench;

static const LmccControllerClass *
get_class (const Bench *bench)
{
  return bench->controller->klass;
}

static gdouble
level_rate (const Bench *bench, gint level)
{
  return (gdouble) lmcc_session_level_rate (&bench->session, (guint) level);
}

static void
bench_obey (Bench *bench)
{
  gint wanted = bench->controller->wanted_level;

  if (wanted == bench->level)
    return;
  fail_unless (wanted >= 0 && wanted < N_LAYERS && wanted <= bench->level + 1);
  if (wanted > bench->level)
    bench->n_joins++;
  else {
    bench->n_leaves++;
    bench->left_at = bench->now;
  }
  bench->level = wanted;
  get_class (bench)->on_level (bench->controller, bench->now, wanted);
}

static void
bench_init_without_rtt (Bench *bench, LmccTime train_cycle)
{
  const LmccAlgorithm *plumb = lmcc_algorithm_find ("plumb");
  guint i;

  *bench = (Bench){ .now = 1000 * LMCC_SECOND, .level = -1, .capacity = 1e12 };
  lmcc_session_init (&bench->session);
  bench->session.n_layers = N_LAYERS;
  bench->session.packet_size = PACKET_SIZE;
  bench->session.rtt_max = 10 * RTT;
  bench->session.train_cycle = train_cycle;
  bench->session.layers[0].rate = BASE_RATE;
  for (i = 1; i < N_LAYERS; i++)
    bench->session.layers[i].rate = BASE_RATE << (i - 1);
  bench->settings = lmcc_settings_new (plumb->settings, plumb->n_settings);
  bench->controller = plumb->create (&bench->session, bench->settings, 1);
  bench->next_train = bench->now;
  bench_obey (bench);
}

static void
bench_init (Bench *bench, LmccTime train_cycle)
{
  bench_init_without_rtt (bench, train_cycle);
  get_class (bench)->on_rtt (bench->controller, bench->now, RTT);
}

static void
bench_clear (Bench *bench)
{
  get_class (bench)->free (bench->controller);
  lmcc_settings_free (bench->settings);
}

static void
bench_packet (Bench *bench, gint layer, LmccTime queue, gboolean of_train)
{
  LmccHeader header = {
    .layer = (guint8) layer,
    .burst = of_train,
    .signal = of_train ? (gint8) (bench->level + 1) : LMCC_SIGNAL_NOBODY,
    .send_time = lmcc_time_to_ntp_short (bench->now - queue),
  };

  get_class (bench)->on_packet (bench->controller, bench->now, bench->now,
      &header, PACKET_SIZE);
}

static void
bench_lose (Bench *bench, guint count)
{
  LmccLoss loss = lmcc_loss_at (bench->now, count);

  get_class (bench)->on_loss (bench->controller, bench->now, 0, &loss);
  bench_obey (bench);
}

static LmccTrainVerdict
find_verdict (const Bench *bench)
{
  if (bench->verdict != LMCC_TRAIN_NONE)
    return bench->verdict;

  return level_rate (bench, bench->level + 1) > bench->capacity
      ? LMCC_TRAIN_FULL
      : LMCC_TRAIN_ROOM;
}

static void
bench_train (Bench *bench)
{
  LmccTrainVerdict verdict = find_verdict (bench);
  LmccTime gap = (LmccTime) (8.0 * PACKET_SIZE * LMCC_SECOND
      / level_rate (bench, bench->level + 1));
  LmccTime queue = verdict == LMCC_TRAIN_UNKNOWN ? 100 * LMCC_MSECOND : 0;
  guint i;

  bench_packet (bench, bench->level, 0, FALSE);
  for (i = 0; i < TRAIN_PACKETS; i++) {
    bench->now += gap;
    if (verdict == LMCC_TRAIN_FULL) {
      queue += gap;
      bench->now += gap;
    }
    bench_packet (bench, bench->level, queue, TRUE);
  }
  bench->now += STEP;
  bench_packet (bench, bench->level, 0, FALSE);
  bench_obey (bench);
}

static void
bench_trains (Bench *bench)
{
  if (bench->session.train_cycle == 0 || bench->now < bench->next_train)
    return;
  bench->train = bench->train % TOP + 1;
  bench->next_train += bench->session.train_cycle / TOP;
  if ((gint) bench->train == bench->level + 1)
    bench_train (bench);
}

static void
bench_due (Bench *bench, gint layer)
{
  gdouble rate = level_rate (bench, bench->level);

  for (; bench->debt[layer] >= 1; bench->debt[layer]--) {
    bench->carried = MIN (bench->carried + bench->capacity / rate, 2);
    if (bench->carried < 1) {
      bench_lose (bench, 1);
      continue;
    }
    bench->carried--;
    bench_packet (bench, layer, 0, FALSE);
    bench_obey (bench);
  }
}

static void
bench_packets (Bench *bench)
{
  gint layer;

  for (layer = 0; layer <= bench->level; layer++) {
    bench->debt[layer] += (gdouble) bench->session.layers[layer].rate / 8
        / PACKET_SIZE * STEP / LMCC_SECOND;
    bench_due (bench, layer);
  }
}

static void
bench_timeout (Bench *bench)
{
  if (get_class (bench)->next_timeout (bench->controller) > bench->now)
    return;
  get_class (bench)->on_timeout (bench->controller, bench->now);
  bench_obey (bench);
  fail_unless (
      get_class (bench)->next_timeout (bench->controller) > bench->now);
}

static void
bench_step (Bench *bench)
{
  bench->now += STEP;
  bench_trains (bench);
  bench_packets (bench);
  if (bench->loss_interval > 0 && bench->now >= bench->next_loss) {
    bench->next_loss = bench->now + bench->loss_interval;
    bench_lose (bench, 1);
  }
  bench_timeout (bench);
}

static void
bench_run (Bench *bench, gdouble seconds)
{
  LmccTime end = bench->now + (LmccTime) (seconds * LMCC_SECOND);

  while (bench->now < end)
    bench_step (bench);
}

/* Returns: time in seconds until the level, at most @most */
static gdouble
bench_run_to (Bench *bench, gint level, gdouble most)
{
  LmccTime begin = bench->now;

  while (bench->level != level
      && bench->now < begin + (LmccTime) (most * LMCC_SECOND))
    bench_step (bench);
  fail_unless (bench->level == level, "level %d, not %d after %g s: %s",
      bench->level, level, most, bench->controller->reason);

  return (gdouble) (bench->now - begin) / LMCC_SECOND;
}

static LmccControllerStatus
get_status (Bench *bench)
{
  LmccControllerStatus status = { 0 };

  get_class (bench)->get_status (bench->controller, bench->now, &status);

  return status;
}

static const gchar *
get_state (Bench *bench)
{
  return get_status (bench).state;
}

/* The trains of a cycle ascend: two cycles, the first one for the packets
 * heard first. Without trains it is 0.3 s for each level. */
GST_START_TEST (test_the_slow_start_joins_where_there_is_room)
{
  Bench bench;

  bench_init (&bench, __i__ == 0 ? CYCLE : 0);
  fail_unless_equals_string (get_state (&bench), "slow start");
  bench_run_to (&bench, TOP, __i__ == 0 ? 4.5 : 2);
  bench_run (&bench, 30);
  fail_unless_equals_int (bench.level, TOP);
  fail_unless_equals_int (bench.n_leaves, 0);
  bench_clear (&bench);
}

GST_END_TEST;

GST_START_TEST (test_the_slow_start_stays_where_there_is_none)
{
  Bench bench;

  bench_init (&bench, CYCLE);
  bench.capacity = 1.5 * level_rate (&bench, __i__);
  bench_run_to (&bench, __i__, 6);
  bench_run (&bench, 60);
  fail_unless_equals_int (bench.level, __i__);
  fail_unless_equals_int (bench.n_leaves, 0);
  fail_unless_equals_string (get_state (&bench), "steady");
  bench_clear (&bench);
}

GST_END_TEST;

GST_START_TEST (test_after_a_loss_nothing_is_joined_before_the_rtt_is_known)
{
  Bench bench;

  bench_init_without_rtt (&bench, __i__ == 0 ? CYCLE : 0);
  bench_run_to (&bench, 1, 5);
  bench_lose (&bench, 1);
  bench_run (&bench, 30);
  fail_unless_equals_int (bench.level, 1);
  fail_unless_equals_int (bench.n_leaves, 0);
  get_class (&bench)->on_rtt (bench.controller, bench.now, RTT);
  bench_run_to (&bench, 2, 10);
  bench_clear (&bench);
}

GST_END_TEST;

/* All packets of nine tenths of a second are lost. */
GST_START_TEST (test_an_overload_leaves_for_what_came)
{
  Bench bench;
  guint lost;

  bench_init (&bench, CYCLE);
  bench_run_to (&bench, TOP, 10);
  bench_run (&bench, 5);
  bench.now += 900 * LMCC_MSECOND;
  lost = (guint) (level_rate (&bench, TOP) / 8 / PACKET_SIZE * 0.9);
  bench_packet (&bench, bench.level, 0, FALSE);
  bench_lose (&bench, lost);
  fail_unless_equals_int (bench.n_leaves, 1);
  fail_unless_equals_int (bench.level, 0);
  bench_clear (&bench);
}

GST_END_TEST;

/* One leave at the first losses, and another for later losses after the
 * waiting time. */
GST_START_TEST (test_a_link_that_breaks_down_is_left_to_what_it_has)
{
  LmccTime begin;
  Bench bench;

  bench_init (&bench, CYCLE);
  bench_run_to (&bench, TOP, 10);
  bench_run (&bench, 5);
  begin = bench.now;
  bench.capacity = 1.2 * level_rate (&bench, __i__);
  bench_run (&bench, 0.5);
  fail_unless (bench.level < TOP);
  bench_run (&bench, (gdouble) LEAVE_LATENCY / LMCC_SECOND + 0.5);
  fail_unless (bench.level <= __i__ && bench.n_leaves <= 2,
      "%d after %u leaves", bench.level, bench.n_leaves);
  fail_unless (bench.left_at < begin + LEAVE_LATENCY + LMCC_SECOND);
  bench_clear (&bench);
}

GST_END_TEST;

/* Returns: a bench one level below the top, just after the leave */
static void
bench_leave (Bench *bench)
{
  bench_init (bench, 0);
  bench_run_to (bench, TOP, 10);
  bench_run (bench, 5);
  bench_lose (bench, 200);
  fail_unless_equals_int (bench->level, TOP - 1);
  fail_unless_equals_string (get_state (bench), "deaf");
}

GST_START_TEST (test_a_leave_without_losses_is_over_at_once)
{
  Bench bench;

  bench_leave (&bench);
  bench_run (&bench, 0.19);
  fail_unless_equals_string (get_state (&bench), "deaf");
  bench_run (&bench, 0.12);
  fail_unless_equals_string (get_state (&bench), "steady");
  bench_clear (&bench);
}

GST_END_TEST;

/* Losses, or packets of the left layer. */
GST_START_TEST (test_losses_of_the_level_that_was_left_are_not_its_own)
{
  LmccTime most = __i__ == 0 ? LEAVE_LATENCY : DEAF_MAX, end;
  Bench bench;

  bench_leave (&bench);
  for (end = bench.now + most - 60 * LMCC_MSECOND; bench.now < end;) {
    fail_unless_equals_string (get_state (&bench), "deaf");
    if (__i__ == 0)
      bench_lose (&bench, 100);
    else
      get_class (&bench)->on_left_packet (bench.controller, bench.now,
          bench.now, TOP);
    bench_run (&bench, 0.05);
  }
  fail_unless_equals_int (bench.n_leaves, 1);
  bench_run (&bench, 0.11);
  fail_unless_equals_string (get_state (&bench), "steady");

  /* Older losses do not belong to the new level either. */
  bench.now -= 200 * LMCC_MSECOND;
  bench_lose (&bench, 1000);
  bench.now += 200 * LMCC_MSECOND;
  fail_unless_equals_int (bench.n_leaves, 1);
  bench_run (&bench, 1);
  bench_lose (&bench, 300);
  fail_unless_equals_int (bench.n_leaves, 2);
  bench_clear (&bench);
}

GST_END_TEST;

/* Losses are so rare that the fair rate allows the top level. */
static void
bench_begin_full (Bench *bench)
{
  bench_init (bench, CYCLE);
  bench->verdict = LMCC_TRAIN_FULL;
  bench->loss_interval = 30 * LMCC_SECOND;
  bench->next_loss = bench->now + bench->loss_interval;
  bench_run (bench, 120);
  fail_unless_equals_int (bench->level, 0);
  fail_unless_equals_int (bench->n_joins, 1);
}

GST_START_TEST (test_trains_without_room_veto_what_is_paid_for)
{
  Bench bench;

  bench_begin_full (&bench);
  /* The verdict is outdated after three cycles and a half. */
  bench.session.train_cycle = 0;
  bench_run_to (&bench, 1, 60);
  bench_clear (&bench);
}

GST_END_TEST;

GST_START_TEST (test_two_trains_with_room_promote_where_nothing_is_lost)
{
  Bench bench;
  gdouble took;

  bench_begin_full (&bench);
  bench.loss_interval = 0;
  bench_run (&bench, 10);
  bench.verdict = LMCC_TRAIN_ROOM;
  took = bench_run_to (&bench, 1, 10);
  fail_unless (took > (gdouble) CYCLE / LMCC_SECOND
          && took < 2.2 * CYCLE / LMCC_SECOND,
      "%g s", took);
  fail_unless_equals_string (bench.controller->reason,
      "packet trains find room for the next layer");
  bench_clear (&bench);
}

GST_END_TEST;

GST_START_TEST (test_losses_or_a_queue_do_not_promote)
{
  Bench bench;

  bench_begin_full (&bench);
  if (__i__ == 0) {
    /* So many losses that the fair rate allows no layer. */
    bench.loss_interval = 300 * LMCC_MSECOND;
    bench_run (&bench, 60);
    bench.verdict = LMCC_TRAIN_ROOM;
  } else {
    bench.loss_interval = 500 * LMCC_MSECOND;
    bench_run (&bench, 60);
    bench.verdict = LMCC_TRAIN_UNKNOWN;
  }
  bench_run (&bench, 60);
  fail_unless_equals_int (bench.level, 0);
  bench_clear (&bench);
}

GST_END_TEST;

/* Without trains, the join is tried again after 10, 20, 40, 80 and 160 s. */
GST_START_TEST (test_what_was_joined_in_vain_is_left_alone_longer_and_longer)
{
  gdouble least = 10;
  Bench bench;
  guint i;

  bench_init (&bench, 0);
  bench.capacity = 1.2 * level_rate (&bench, 1);
  bench_run_to (&bench, 2, 10);
  for (i = 0; i < 7; i++) {
    gdouble waited;

    bench_run_to (&bench, 1, 2);
    waited = bench_run_to (&bench, 2, 400);
    fail_unless (fabs (waited - least) < 1, "%u: %g s, not %g", i, waited,
        least);
    least = MIN (2 * least, 160);
  }
  bench_clear (&bench);
}

GST_END_TEST;

/* The fair rate of about 1.7 Mbit/s is between levels 1 and 2. A period
 * starts after 50 s: level 2 gets a turn of about 90 s. Meanwhile the fair
 * rate falls to 1 Mbit/s, possibly because of the turn itself. */
GST_START_TEST (test_a_turn_is_not_taken_for_others_who_come)
{
  Bench bench;

  bench_init (&bench, 0);
  bench.loss_interval = 800 * LMCC_MSECOND;
  bench_run (&bench, 49);
  fail_unless_equals_int (bench.level, 1);
  bench_run (&bench, 3);
  fail_unless_equals_int (bench.level, 2);
  bench.loss_interval = 400 * LMCC_MSECOND;
  bench_run (&bench, 24);
  fail_unless_equals_int (bench.level, 2);
  bench.loss_interval = 200 * LMCC_MSECOND;
  bench_run (&bench, 15);
  fail_unless (bench.level == 2, "%s", bench.controller->reason);
  bench_clear (&bench);
}

GST_END_TEST;

GST_START_TEST (test_a_level_without_pictures_is_left)
{
  Bench bench;
  guint i;

  bench_init (&bench, 0);
  bench_run_to (&bench, TOP, 10);
  bench_run (&bench, 2);
  for (i = 0; i < 20; i++)
    get_class (&bench)->on_quality (bench.controller, bench.now, 10, 5);
  bench_run (&bench, 1);
  fail_unless_equals_int (bench.level, TOP);
  for (i = 0; i < 10 && bench.level == TOP; i++) {
    get_class (&bench)->on_quality (bench.controller, bench.now, 10, 6);
    bench_run (&bench, 1);
  }
  fail_unless_equals_int (bench.level, TOP - 1);
  fail_unless_equals_int (i, 1);

  /* Left unchanged, and the five seconds start anew. */
  bench_run (&bench, 3);
  for (i = 0; i < 4; i++)
    get_class (&bench)->on_quality (bench.controller, bench.now, 10, 10);
  bench_run (&bench, 5);
  fail_unless_equals_int (bench.level, TOP - 1);
  get_class (&bench)->on_quality (bench.controller, bench.now, 10, 10);
  bench_run (&bench, 1);
  fail_unless_equals_int (bench.level, TOP - 2);
  bench_clear (&bench);
}

GST_END_TEST;

GST_START_TEST (test_pictures_that_are_lost_by_chance_cost_no_level)
{
  Bench bench;
  guint n_leaves, i;

  bench_init (&bench, CYCLE);
  bench.verdict = LMCC_TRAIN_ROOM;
  bench.loss_interval = LMCC_SECOND;
  bench_run (&bench, 60);
  fail_unless (bench.level > 0);
  n_leaves = bench.n_leaves;
  for (i = 0; i < 10; i++) {
    get_class (&bench)->on_quality (bench.controller, bench.now, 10, 10);
    bench_run (&bench, 1);
  }
  fail_unless_equals_int (bench.n_leaves, n_leaves);
  bench_clear (&bench);
}

GST_END_TEST;

static void
bench_dice (Bench *bench, GRand *dice)
{
  switch (g_rand_int_range (dice, 0, 40)) {
    case 0:
      bench_lose (bench, (guint) g_rand_int_range (dice, 1, 30));
      break;
    case 1:
      bench->loss_interval =
          (LmccTime) g_rand_int_range (dice, 0, 3000) * LMCC_MSECOND;
      break;
    case 2:
      bench->capacity = pow (10, g_rand_double_range (dice, 5.7, 8));
      break;
    case 3:
      bench->verdict = (LmccTrainVerdict) g_rand_int_range (dice, 0, 4);
      break;
    case 4:
      get_class (bench)->on_rtt (bench->controller, bench->now,
          (LmccTime) pow (10, g_rand_double_range (dice, 0, 9.3)));
      break;
    case 5:
      get_class (bench)->on_quality (bench->controller, bench->now, 25,
          (guint) g_rand_int_range (dice, 0, 26));
      bench_obey (bench);
      break;
    case 6:
      get_class (bench)->on_left_packet (bench->controller, bench->now,
          bench->now, TOP);
      break;
    case 7:
      bench->now += (LmccTime) g_rand_int_range (dice, 0, 30) * LMCC_SECOND;
      break;
    default:
      bench_run (bench, 0.3);
  }
}

/* bench_timeout() and bench_obey() check each step. */
GST_START_TEST (test_whatever_comes_the_next_time_is_to_come)
{
  g_autoptr (GRand) dice = g_rand_new_with_seed ((guint32) __i__);
  guint n = test_rounds (2000), i;
  Bench bench;

  bench_init_without_rtt (&bench, __i__ % 2 == 0 ? CYCLE : 0);
  for (i = 0; i < n; i++) {
    LmccControllerStatus status;

    bench_dice (&bench, dice);
    status = get_status (&bench);
    fail_if (isnan (status.fair.rate) || isnan (status.fair.mean)
        || isnan (status.loss_event_rate));
    fail_if (status.fair.turn_level >= 0
        && status.fair.turn_until == LMCC_TIME_NONE);
    fail_unless (status.fair.thinning <= 1 && status.fair.chance <= 1
        && status.fair.turn_share >= 0 && status.fair.turn_share <= 1);
  }
  fail_unless (bench.n_joins > 3);
  bench_clear (&bench);
}

GST_END_TEST;

GST_START_TEST (test_what_is_not_known_is_not_shown)
{
  LmccFairStatus fair;
  Bench bench;

  bench_init (&bench, CYCLE);
  bench_run (&bench, 1);
  fair = get_status (&bench).fair;
  fail_unless (fair.used);
  fail_unless_equals_float (fair.rate, 0);
  fail_unless_equals_float (fair.mean, 0);
  fail_unless (fair.thinning < 0 && fair.chance < 0);
  fail_unless_equals_int (fair.turn_level, -1);
  fail_unless (fair.turn_until == LMCC_TIME_NONE && fair.turn_share == 0);
  fail_if (fair.vetoed);
  fail_unless (fair.left_alone_until == LMCC_TIME_NONE);
  bench_clear (&bench);
}

GST_END_TEST;

/* One loss in two seconds at 50 ms allows about 1.2 Mbit/s; trains find no
 * room. */
GST_START_TEST (test_the_fair_rate_and_the_veto_are_shown)
{
  LmccFairStatus fair;
  Bench bench;

  bench_begin_full (&bench);
  bench_run (&bench, 30);
  fair = get_status (&bench).fair;
  fail_unless (fair.vetoed);
  fail_unless_equals_float (fair.rate, level_rate (&bench, bench.level));
  fail_unless (fair.mean > 0 && fair.thinning > 0.5 && fair.thinning <= 1);
  fail_unless (fair.chance >= 0 && fair.chance < 0.2, "%g", fair.chance);
  fail_unless_equals_string (get_status (&bench).trains, "full");
  bench_clear (&bench);
}

GST_END_TEST;

GST_START_TEST (test_it_is_shown_until_when_a_level_is_left_alone)
{
  LmccFairStatus fair;
  Bench bench;

  bench_init (&bench, 0);
  bench.capacity = 1.2 * level_rate (&bench, 1);
  bench_run_to (&bench, 2, 10);
  bench_run_to (&bench, 1, 2);
  fair = get_status (&bench).fair;
  fail_unless (fair.left_alone_until > bench.now + 9 * LMCC_SECOND
      && fair.left_alone_until <= bench.now + 10 * LMCC_SECOND);
  bench.now = fair.left_alone_until;
  fail_unless (get_status (&bench).fair.left_alone_until == LMCC_TIME_NONE);
  bench_clear (&bench);
}

GST_END_TEST;

static Suite *
plumb_suite (void)
{
  Suite *suite = suite_create ("plumb");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_the_slow_start_joins_where_there_is_room, 0,
      2);
  tcase_add_loop_test (tcase, test_the_slow_start_stays_where_there_is_none, 0,
      TOP);
  tcase_add_loop_test (tcase,
      test_after_a_loss_nothing_is_joined_before_the_rtt_is_known, 0, 2);
  tcase_add_test (tcase, test_an_overload_leaves_for_what_came);
  tcase_add_loop_test (tcase,
      test_a_link_that_breaks_down_is_left_to_what_it_has, 0, TOP);
  tcase_add_test (tcase, test_a_leave_without_losses_is_over_at_once);
  tcase_add_loop_test (tcase,
      test_losses_of_the_level_that_was_left_are_not_its_own, 0, 2);
  tcase_add_test (tcase, test_trains_without_room_veto_what_is_paid_for);
  tcase_add_test (tcase,
      test_two_trains_with_room_promote_where_nothing_is_lost);
  tcase_add_loop_test (tcase, test_losses_or_a_queue_do_not_promote, 0, 2);
  tcase_add_test (tcase,
      test_what_was_joined_in_vain_is_left_alone_longer_and_longer);
  tcase_add_test (tcase, test_a_turn_is_not_taken_for_others_who_come);
  tcase_add_test (tcase, test_a_level_without_pictures_is_left);
  tcase_add_test (tcase, test_pictures_that_are_lost_by_chance_cost_no_level);
  tcase_add_loop_test (tcase, test_whatever_comes_the_next_time_is_to_come, 0,
      8);
  tcase_add_test (tcase, test_what_is_not_known_is_not_shown);
  tcase_add_test (tcase, test_the_fair_rate_and_the_veto_are_shown);
  tcase_add_test (tcase, test_it_is_shown_until_when_a_level_is_left_alone);

  return suite;
}

GST_CHECK_MAIN (plumb);
