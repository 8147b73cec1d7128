/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the reader of packet trains: its verdicts on paths with and without
 * room.
 */
#include "measure/trains.h"

#include "support/test-train-path.h"

#include <gst/check/gstcheck.h>

/* Three cycles and a half. */
#define WORTH (7 * LMCC_SECOND)

static const gdouble rates[] = { 1e6, 3e6, 12e6, 50e6 };
#define N_RATES G_N_ELEMENTS (rates)

static const gdouble factors[] = { 2, 1.3 };

static LmccTrainVerdict
get (const TrainPath *path, guint *in_a_row)
{
  return lmcc_train_reader_get (&path->reader, path->now, in_a_row);
}

static void
check_only (const TrainPath *path, LmccTrainVerdict verdict, guint n)
{
  if (path->verdicts[verdict] != n || train_path_count (path) != n)
    fail ("%u of %u: room %u, full %u, unknown %u", verdict, n,
        path->verdicts[LMCC_TRAIN_ROOM], path->verdicts[LMCC_TRAIN_FULL],
        path->verdicts[LMCC_TRAIN_UNKNOWN]);
}

GST_START_TEST (test_a_path_with_room_has_room)
{
  gdouble rate = rates[__i__ / G_N_ELEMENTS (factors)];
  gdouble factor = factors[__i__ % G_N_ELEMENTS (factors)];
  TrainPath path;
  guint in_a_row;

  train_path_init (&path, rate, factor, 1);
  path.capacity = rate * 1.001;
  train_path_cycles (&path, 10);
  /* A token bucket would absorb the excess of so few packets over the
   * level's rate. */
  if (train_path_length (&path) * (1 - 1 / factor) < 3) {
    fail_unless_equals_int (train_path_count (&path), 0);
    train_path_clear (&path);
    return;
  }
  check_only (&path, LMCC_TRAIN_ROOM, 10);
  fail_unless_equals_int (get (&path, &in_a_row), LMCC_TRAIN_ROOM);
  fail_unless_equals_int (in_a_row, 10);
  fail_unless_equals_uint64 (lmcc_train_reader_full_until (&path.reader, 1), 0);
  train_path_clear (&path);
}

GST_END_TEST;

/* The link carries between the current level and nine tenths of the next
 * one. */
static const struct
{
  gdouble rate;
  gdouble factor;
  gdouble capacity; /* relative to @rate */
} full_rows[] = {
  { 1e6, 2, 0.51 },
  { 1e6, 2, 0.75 },
  { 1e6, 2, 0.9 },
  { 1e6, 1.3, 0.78 },
  { 3e6, 2, 0.51 },
  { 3e6, 2, 0.75 },
  { 3e6, 2, 0.9 },
  { 3e6, 1.3, 0.78 },
  { 3e6, 1.3, 0.9 },
  { 12e6, 2, 0.51 },
  { 12e6, 2, 0.75 },
  { 12e6, 2, 0.9 },
  { 12e6, 1.3, 0.78 },
  { 12e6, 1.3, 0.9 },
  { 50e6, 2, 0.51 },
  { 50e6, 2, 0.75 },
  { 50e6, 2, 0.9 },
  { 50e6, 1.3, 0.78 },
  { 50e6, 1.3, 0.9 },
};

GST_START_TEST (test_a_path_without_room_is_full)
{
  TrainPath path;
  guint in_a_row;

  train_path_init (&path, full_rows[__i__].rate, full_rows[__i__].factor, 1);
  path.capacity = full_rows[__i__].rate * full_rows[__i__].capacity;
  train_path_cycles (&path, 10);
  check_only (&path, LMCC_TRAIN_FULL, 10);
  fail_unless_equals_int (get (&path, &in_a_row), LMCC_TRAIN_FULL);
  fail_unless_equals_int (in_a_row, 10);
  fail_unless_equals_uint64 (lmcc_train_reader_full_until (&path.reader, 10),
      path.reader.verdict_at + WORTH);
  fail_unless_equals_uint64 (lmcc_train_reader_full_until (&path.reader, 11),
      0);
  train_path_clear (&path);
}

GST_END_TEST;

/* It absorbs this much of a train's duration. */
static const LmccTime buckets[] = { MS, 2 * MS, 4 * MS };

static void
add_bucket (TrainPath *path, guint row, gdouble share)
{
  gdouble rate = rates[row / G_N_ELEMENTS (buckets)];

  train_path_init (path, rate, 2, 1);
  path->bucket = buckets[row % G_N_ELEMENTS (buckets)];
  path->capacity = share * rate;
}

GST_START_TEST (test_a_token_bucket_hides_no_lack_of_a_quarter)
{
  TrainPath path;

  add_bucket (&path, (guint) __i__, 0.75);
  train_path_cycles (&path, 10);
  fail_unless_equals_int (path.verdicts[LMCC_TRAIN_ROOM], 0);
  check_only (&path, LMCC_TRAIN_FULL, 10);
  train_path_clear (&path);
}

GST_END_TEST;

GST_START_TEST (test_a_token_bucket_is_no_queue)
{
  TrainPath path;

  add_bucket (&path, (guint) __i__, 1.02);
  train_path_cycles (&path, 10);
  check_only (&path, LMCC_TRAIN_ROOM, 10);
  train_path_clear (&path);
}

GST_END_TEST;

static void
set_queue (TrainPath *path, gboolean stands)
{
  path->extra = stands ? 5 * MS + 2 * path->gap_below : 0;
}

GST_START_TEST (test_a_queue_that_stood_before_says_nothing_new)
{
  TrainPath path;
  LmccTime full_until;
  guint in_a_row;

  train_path_init (&path, rates[__i__], 2, 1);
  path.capacity = 0.6 * rates[__i__];
  train_path_cycles (&path, 2);
  check_only (&path, LMCC_TRAIN_FULL, 2);
  full_until = lmcc_train_reader_full_until (&path.reader, 2);
  fail_unless (full_until > path.now);

  set_queue (&path, TRUE);
  train_path_cycles (&path, 1);
  fail_unless_equals_int (path.verdicts[LMCC_TRAIN_UNKNOWN], 1);
  fail_unless_equals_int (get (&path, &in_a_row), LMCC_TRAIN_UNKNOWN);
  fail_unless_equals_int (in_a_row, 1);
  fail_unless_equals_uint64 (lmcc_train_reader_full_until (&path.reader, 2),
      full_until);

  /* Another train with the same verdict does not shorten it. */
  set_queue (&path, FALSE);
  train_path_cycles (&path, 1);
  fail_unless_equals_int (path.verdicts[LMCC_TRAIN_FULL], 3);
  fail_unless (lmcc_train_reader_full_until (&path.reader, 2) > full_until);

  path.capacity = 10 * rates[__i__];
  train_path_cycles (&path, 1);
  fail_unless_equals_int (get (&path, NULL), LMCC_TRAIN_ROOM);
  fail_unless_equals_uint64 (lmcc_train_reader_full_until (&path.reader, 1), 0);
  train_path_clear (&path);
}

GST_END_TEST;

/* While other traffic fills the path, a FULL verdict is outdated by then. */
GST_START_TEST (test_what_was_full_long_ago_is_not_counted)
{
  TrainPath path;

  train_path_init (&path, rates[__i__], 2, 1);
  path.capacity = 0.6 * rates[__i__];
  train_path_cycles (&path, 1);
  set_queue (&path, TRUE);
  train_path_cycles (&path, 4);
  fail_unless_equals_int (path.verdicts[LMCC_TRAIN_UNKNOWN], 4);
  set_queue (&path, FALSE);
  train_path_cycles (&path, 1);
  fail_unless_equals_int (path.verdicts[LMCC_TRAIN_FULL], 2);
  fail_unless_equals_uint64 (lmcc_train_reader_full_until (&path.reader, 2), 0);
  train_path_clear (&path);
}

GST_END_TEST;

GST_START_TEST (test_three_packets_are_no_verdict_and_no_wait)
{
  TrainPath path;
  guint i;

  train_path_init (&path, rates[__i__], 2, 1);
  path.capacity = 0.6 * rates[__i__];
  train_path_even (&path, 50 * MS);
  path.now += 50 * MS;
  train_path_flush (&path);
  fail_unless (
      lmcc_train_reader_wait_until (&path.reader, &path.session) > path.now);
  for (i = 1; i < 4; i++) {
    train_path_cycle (&path, i);
    fail_unless_equals_int (get (&path, NULL), LMCC_TRAIN_NONE);
    fail_unless_equals_uint64 (lmcc_train_reader_wait_until (&path.reader,
                                   &path.session),
        0);
  }
  fail_unless_equals_int (train_path_count (&path), 0);
  train_path_cycle (&path, MAX (train_path_length (&path), 6));
  fail_unless_equals_int (train_path_count (&path), 1);
  train_path_clear (&path);
}

GST_END_TEST;

/* The expected train arrives: a cycle and one level's train time later. */
GST_START_TEST (test_the_first_verdict_is_waited_for)
{
  TrainPath path;
  LmccTime begin, until;

  train_path_init (&path, rates[__i__], 2, 1);
  begin = train_path_arrival (&path);
  fail_unless_equals_uint64 (lmcc_train_reader_wait_until (&path.reader,
                                 &path.session),
      0);
  train_path_even (&path, 50 * MS);
  path.now += 50 * MS;
  train_path_flush (&path);
  until = lmcc_train_reader_wait_until (&path.reader, &path.session);
  fail_unless (until >= begin + 3 * LMCC_SECOND);
  fail_unless (until <= begin + 3 * LMCC_SECOND + 2 * path.packet_gap);
  train_path_cycles (&path, 1);
  fail_unless_equals_uint64 (lmcc_train_reader_wait_until (&path.reader,
                                 &path.session),
      0);
  path.session.train_cycle = 0;
  lmcc_train_reader_set_level (&path.reader, LEVEL);
  train_path_cycles (&path, 2);
  fail_unless_equals_int (train_path_count (&path), 1);
  fail_unless_equals_uint64 (lmcc_train_reader_wait_until (&path.reader,
                                 &path.session),
      0);
  train_path_clear (&path);
}

GST_END_TEST;

/* Then less than the train's rate is on the path. */
GST_START_TEST (test_a_level_that_is_not_heard_yet_has_no_verdict)
{
  TrainPath path;
  guint i;

  train_path_init (&path, rates[__i__], 2, 1);
  for (i = 0; i < 3; i++) {
    path.layer = LEVEL - 1;
    train_path_even (&path, 100 * MS);
    train_path_train (&path, train_path_length (&path));
    train_path_even (&path, 100 * MS);
    path.now += lmcc_train_cycle (&path.session);
    train_path_flush (&path);
  }
  fail_unless_equals_int (train_path_count (&path), 0);
  fail_unless_equals_int (get (&path, NULL), LMCC_TRAIN_NONE);
  path.layer = LEVEL;
  train_path_cycles (&path, 1);
  check_only (&path, LMCC_TRAIN_ROOM, 1);
  train_path_clear (&path);
}

GST_END_TEST;

GST_START_TEST (test_trains_of_other_levels_are_not_read)
{
  static const gint8 others[] = { LEVEL + 2, LEVEL, 0, LMCC_SIGNAL_NOBODY };
  TrainPath path;
  guint i;

  train_path_init (&path, rates[__i__], 2, 1);
  for (i = 0; i < G_N_ELEMENTS (others); i++) {
    path.signal = others[i];
    train_path_cycles (&path, 2);
  }
  fail_unless_equals_int (train_path_count (&path), 0);

  /* The layers above are not joined. */
  path.signal = LEVEL + 1;
  train_path_cycles (&path, 1);
  fail_unless_equals_int (train_path_count (&path), 1);
  path.layer = LEVEL + 1;
  train_path_cycles (&path, 2);
  fail_unless_equals_int (train_path_count (&path), 1);
  train_path_clear (&path);
}

GST_END_TEST;

GST_START_TEST (test_a_new_level_begins_without_a_verdict)
{
  TrainPath path;

  train_path_init (&path, rates[__i__], 2, 1);
  path.capacity = 0.6 * rates[__i__];
  train_path_cycles (&path, 2);
  lmcc_train_reader_set_level (&path.reader, LEVEL);
  fail_unless_equals_int (get (&path, NULL), LMCC_TRAIN_NONE);
  fail_unless_equals_uint64 (lmcc_train_reader_full_until (&path.reader, 1), 0);
  train_path_clear (&path);
}

GST_END_TEST;

/* The send time has 16 bits of seconds. */
GST_START_TEST (test_send_times_wrap_in_a_train)
{
  TrainPath path;

  train_path_init (&path, rates[__i__], 2, 1);
  path.capacity = 0.6 * rates[__i__];
  path.ntp_offset = 65536 * LMCC_SECOND
      - (path.now + 100 * MS + path.gap_below + 2 * path.packet_gap);
  train_path_cycles (&path, 3);
  check_only (&path, LMCC_TRAIN_FULL, 3);
  train_path_clear (&path);
}

GST_END_TEST;

/* Meanwhile the path's delay changes; the silence cut off the train. */
GST_START_TEST (test_a_minute_of_silence_makes_all_old)
{
  TrainPath path;

  train_path_init (&path, rates[__i__], 2, 1);
  path.capacity = 0.6 * rates[__i__];
  train_path_cycles (&path, 2);
  train_path_even (&path, 100 * MS);
  train_path_train (&path, 5);
  path.now += LMCC_SECOND;
  train_path_flush (&path);
  path.now += 59 * LMCC_SECOND;
  fail_unless_equals_int (get (&path, NULL), LMCC_TRAIN_NONE);
  fail_unless (lmcc_train_reader_full_until (&path.reader, 1) < path.now);
  path.delay += 100 * MS;
  train_path_even (&path, 50 * MS);
  path.now += 50 * MS;
  train_path_flush (&path);
  fail_unless_equals_int (get (&path, NULL), LMCC_TRAIN_NONE);
  fail_unless (lmcc_train_reader_full_until (&path.reader, 1) < path.now);

  path.capacity = 10 * rates[__i__];
  train_path_cycles (&path, 3);
  fail_unless_equals_int (path.verdicts[LMCC_TRAIN_ROOM], 3);
  fail_unless_equals_int (path.verdicts[LMCC_TRAIN_UNKNOWN], 0);
  train_path_clear (&path);
}

GST_END_TEST;

/* A lasting delay counts as a queue for 20 s. */
GST_START_TEST (test_a_longer_path_is_no_queue_for_ever)
{
  TrainPath path;

  train_path_init (&path, rates[__i__], 2, 1);
  train_path_cycles (&path, 10);
  path.delay += 100 * MS;
  train_path_cycles (&path, 11);
  fail_unless (path.verdicts[LMCC_TRAIN_UNKNOWN] >= 5);
  train_path_cycles (&path, 1);
  fail_unless_equals_int (get (&path, NULL), LMCC_TRAIN_ROOM);
  train_path_clear (&path);
}

GST_END_TEST;

GST_START_TEST (test_marks_of_minutes_are_no_endless_train)
{
  LmccTime below;
  TrainPath path;
  guint i;

  train_path_init (&path, rates[__i__], 2, 1);
  train_path_cycles (&path, 1);
  path.marks_all = TRUE;
  below = path.gap_below;
  path.gap_below = path.packet_gap;
  for (i = 0; i < 180; i++) {
    train_path_even (&path, LMCC_SECOND);
    train_path_flush (&path);
    fail_unless (path.reader.n <= LMCC_TRAIN_READ_MAX);
  }
  /* At the highest rate of trains, with the longest train and silence. */
  fail_unless (train_path_count (&path) >= 180 / 2);
  fail_unless (train_path_count (&path) <= 180 + 1);
  fail_unless (path.least_apart >= lmcc_train_cycle (&path.session) / 2);

  path.marks_all = FALSE;
  path.gap_below = below;
  path.capacity = 0.6 * rates[__i__];
  path.now += LMCC_SECOND;
  train_path_cycles (&path, 2);
  fail_unless_equals_int (get (&path, NULL), LMCC_TRAIN_FULL);
  train_path_clear (&path);
}

GST_END_TEST;

/* Marks at or below the current rate test nothing. */
GST_START_TEST (test_marks_at_the_rate_held_say_nothing)
{
  TrainPath path;
  guint i;

  train_path_init (&path, rates[__i__], 2, 1);
  path.marks_all = TRUE;
  for (i = 0; i < 60; i++) {
    train_path_even (&path, LMCC_SECOND);
    train_path_flush (&path);
  }
  fail_unless_equals_int (train_path_count (&path), 0);
  train_path_clear (&path);
}

GST_END_TEST;

/* It ends when the next one is marked, however many are marked in between. */
GST_START_TEST (test_marks_by_turns_are_no_trains)
{
  TrainPath path;
  guint i;

  train_path_init (&path, rates[__i__], 2, 1);
  train_path_cycles (&path, 1);
  for (i = 0; i < 2000; i++) {
    train_path_train (&path, 4);
    train_path_even (&path, path.gap_below);
    train_path_flush (&path);
  }
  fail_unless (path.least_apart >= lmcc_train_cycle (&path.session) / 2);
  train_path_clear (&path);
}

GST_END_TEST;

static LmccLoss
make_loss (LmccTime before, LmccTime behind)
{
  return (LmccLoss){ .count = 1,
    .before = before,
    .span = behind - before,
    .gap = 2,
    .index = 1 };
}

GST_START_TEST (test_a_train_owns_its_losses)
{
  TrainPath path;
  LmccTime began, ended;
  LmccLoss loss;

  train_path_init (&path, rates[__i__], 2, 1);
  loss = make_loss (path.now, path.now + 10 * MS);
  fail_if (
      lmcc_train_reader_owns_loss (&path.reader, &path.session, LEVEL, &loss));
  train_path_cycles (&path, 1);
  fail_unless_equals_int (train_path_count (&path), 1);
  began = path.reader.began;
  ended = path.reader.ended;
  fail_unless (ended > began);

  loss = make_loss (began + (ended - began) / 3, began + (ended - began) / 2);
  fail_unless (
      lmcc_train_reader_owns_loss (&path.reader, &path.session, LEVEL, &loss));
  fail_if (lmcc_train_reader_owns_loss (&path.reader, &path.session, LEVEL - 1,
      &loss));
  fail_if (lmcc_train_reader_owns_loss (&path.reader, &path.session, LEVEL + 1,
      &loss));

  /* Its first and its last packets. */
  loss = make_loss (began - 10 * MS, began);
  fail_unless (
      lmcc_train_reader_owns_loss (&path.reader, &path.session, LEVEL, &loss));
  loss = make_loss (ended, ended + 50 * MS);
  fail_unless (
      lmcc_train_reader_owns_loss (&path.reader, &path.session, LEVEL, &loss));
  loss = make_loss (began - MS, ended + MS);
  fail_unless (
      lmcc_train_reader_owns_loss (&path.reader, &path.session, LEVEL, &loss));

  loss = make_loss (began - 20 * MS, began - 1);
  fail_if (
      lmcc_train_reader_owns_loss (&path.reader, &path.session, LEVEL, &loss));
  loss = make_loss (ended + 1, ended + 20 * MS);
  fail_if (
      lmcc_train_reader_owns_loss (&path.reader, &path.session, LEVEL, &loss));

  lmcc_train_reader_set_level (&path.reader, LEVEL);
  loss = make_loss (began, ended);
  fail_if (
      lmcc_train_reader_owns_loss (&path.reader, &path.session, LEVEL, &loss));
  train_path_clear (&path);
}

GST_END_TEST;

/* Level 1 is layers 0 and 2; layer 1 is what the next level adds. */
GST_START_TEST (test_a_train_is_read_from_the_levels_layers)
{
  TrainPath path;
  LmccLoss loss;
  guint64 above;

  train_path_init (&path, rates[__i__], 2, 1);
  path.session.level_layers[0] = 1;
  path.session.level_layers[1] = 5;
  path.session.level_layers[2] = 7;
  above = path.session.layers[2].rate;
  path.session.layers[2].rate = path.session.layers[1].rate;
  path.session.layers[1].rate = above;
  path.layer = 1;
  train_path_cycles (&path, 2);
  fail_unless_equals_int (train_path_count (&path), 0);
  path.layer = 2;
  train_path_cycles (&path, 2);
  fail_unless (train_path_count (&path) > 0);
  fail_unless (path.verdicts[LMCC_TRAIN_ROOM] > 0);
  loss = make_loss (path.reader.began, path.reader.ended);
  fail_unless (
      lmcc_train_reader_owns_loss (&path.reader, &path.session, 2, &loss));
  fail_if (lmcc_train_reader_owns_loss (&path.reader, &path.session, 1, &loss));
  train_path_clear (&path);
}

GST_END_TEST;

static Suite *
trains_suite (void)
{
  Suite *suite = suite_create ("trains");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_a_path_with_room_has_room, 0,
      N_RATES * G_N_ELEMENTS (factors));
  tcase_add_loop_test (tcase, test_a_path_without_room_is_full, 0,
      G_N_ELEMENTS (full_rows));
  tcase_add_loop_test (tcase, test_a_token_bucket_hides_no_lack_of_a_quarter, 0,
      N_RATES * G_N_ELEMENTS (buckets));
  tcase_add_loop_test (tcase, test_a_token_bucket_is_no_queue, 0,
      N_RATES * G_N_ELEMENTS (buckets));
  tcase_add_loop_test (tcase, test_a_queue_that_stood_before_says_nothing_new,
      0, N_RATES);
  tcase_add_loop_test (tcase, test_what_was_full_long_ago_is_not_counted, 0,
      N_RATES);
  tcase_add_loop_test (tcase, test_three_packets_are_no_verdict_and_no_wait, 0,
      N_RATES);
  tcase_add_loop_test (tcase, test_the_first_verdict_is_waited_for, 0, N_RATES);
  tcase_add_loop_test (tcase, test_a_level_that_is_not_heard_yet_has_no_verdict,
      0, N_RATES);
  tcase_add_loop_test (tcase, test_trains_of_other_levels_are_not_read, 0,
      N_RATES);
  tcase_add_loop_test (tcase, test_a_new_level_begins_without_a_verdict, 0,
      N_RATES);
  tcase_add_loop_test (tcase, test_send_times_wrap_in_a_train, 0, N_RATES);
  tcase_add_loop_test (tcase, test_a_minute_of_silence_makes_all_old, 0,
      N_RATES);
  tcase_add_loop_test (tcase, test_a_longer_path_is_no_queue_for_ever, 0,
      N_RATES);
  tcase_add_loop_test (tcase, test_marks_of_minutes_are_no_endless_train, 0,
      N_RATES);
  tcase_add_loop_test (tcase, test_marks_at_the_rate_held_say_nothing, 0,
      N_RATES);
  tcase_add_loop_test (tcase, test_marks_by_turns_are_no_trains, 0, N_RATES);
  tcase_add_loop_test (tcase, test_a_train_owns_its_losses, 0, N_RATES);
  tcase_add_loop_test (tcase, test_a_train_is_read_from_the_levels_layers, 0,
      N_RATES);

  return suite;
}

GST_CHECK_MAIN (trains);
