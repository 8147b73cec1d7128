/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the rules by which a controller follows the verdicts of packet trains.
 */
#include "control/elm/train-rules.h"

#include "support/test-train-path.h"

#include <gst/check/gstcheck.h>

#define RATE 3e6
#define FULL_RATE (0.6 * RATE)
#define ROOM_RATE (10 * RATE)
#define CYCLE (2 * LMCC_SECOND)

/* A receiver at LEVEL behind a path. */
typedef struct
{
  TrainPath path;
  LmccElmTrains trains;
} Rules;

static void
rules_init (Rules *rules, gboolean used)
{
  train_path_init (&rules->path, RATE, 2, 1);
  lmcc_elm_trains_init (&rules->trains, &rules->path.session, used);
  lmcc_elm_trains_set_level (&rules->trains, rules->path.now, LEVEL, FALSE);
  rules->path.trains = &rules->trains;
}

static void
see (Rules *rules, gdouble capacity, guint n_trains)
{
  rules->path.capacity = capacity;
  train_path_cycles (&rules->path, n_trains);
}

static void
hear_level (Rules *rules)
{
  train_path_even (&rules->path, 50 * MS);
  rules->path.now += 50 * MS;
  train_path_flush (&rules->path);
}

static gboolean
holds (const Rules *rules, gboolean slow_start)
{
  return lmcc_elm_trains_hold_until (&rules->trains, slow_start)
      > rules->path.now;
}

static gboolean
finds_room_after (const Rules *rules, gboolean slow_start, LmccTime last_loss)
{
  return lmcc_elm_trains_find_room (&rules->trains, slow_start, last_loss,
      rules->path.now);
}

static gboolean
finds_room (const Rules *rules, gboolean slow_start)
{
  return finds_room_after (rules, slow_start, 0);
}

/* The next layer is joined and left some time later: there was no room. */
static void
join_in_vain (Rules *rules, LmccTime stay)
{
  lmcc_elm_trains_set_level (&rules->trains, rules->path.now, LEVEL + 1, FALSE);
  rules->path.now += stay;
  lmcc_elm_trains_set_level (&rules->trains, rules->path.now, LEVEL, TRUE);
}

GST_START_TEST (test_one_full_train_holds_in_the_slow_start_and_two_later)
{
  Rules rules;

  rules_init (&rules, TRUE);
  see (&rules, FULL_RATE, 1);
  fail_unless (holds (&rules, TRUE));
  fail_unless (!holds (&rules, FALSE));
  see (&rules, FULL_RATE, 1);
  fail_unless (holds (&rules, TRUE));
  fail_unless (holds (&rules, FALSE));
  /* For three cycles and a half. */
  fail_unless_equals_uint64 (lmcc_elm_trains_hold_until (&rules.trains, FALSE),
      rules.trains.reader.full_at + 7 * CYCLE / 2);
  see (&rules, ROOM_RATE, 1);
  fail_unless (!holds (&rules, TRUE));
  fail_unless (!holds (&rules, FALSE));
  train_path_clear (&rules.path);
}

GST_END_TEST;

/* A cycle, and the share of one level: with two levels, half of it. */
GST_START_TEST (test_the_first_train_is_waited_for)
{
  LmccTime now;
  Rules rules;

  rules_init (&rules, TRUE);
  fail_unless (!holds (&rules, TRUE));
  now = train_path_arrival (&rules.path);
  hear_level (&rules);
  fail_unless (
      lmcc_elm_trains_hold_until (&rules.trains, FALSE) >= now + 3 * CYCLE / 2);
  fail_unless (lmcc_elm_trains_hold_until (&rules.trains, FALSE)
      < now + 3 * CYCLE / 2 + 50 * MS);
  fail_unless (!finds_room (&rules, TRUE));
  train_path_clear (&rules.path);
}

GST_END_TEST;

GST_START_TEST (test_one_train_finds_room_in_the_slow_start_and_two_later)
{
  Rules rules;

  rules_init (&rules, TRUE);
  see (&rules, ROOM_RATE, 1);
  fail_unless (finds_room (&rules, TRUE));
  fail_unless (!finds_room (&rules, FALSE));
  see (&rules, ROOM_RATE, 1);
  fail_unless (finds_room (&rules, FALSE));
  rules.path.now += 4 * CYCLE;
  fail_unless (!finds_room (&rules, TRUE));
  fail_unless (!finds_room (&rules, FALSE));
  see (&rules, FULL_RATE, 2);
  see (&rules, ROOM_RATE, 1);
  fail_unless (finds_room (&rules, TRUE));
  fail_unless (!finds_room (&rules, FALSE));
  train_path_clear (&rules.path);
}

GST_END_TEST;

GST_START_TEST (test_nothing_is_joined_within_two_cycles_of_a_loss)
{
  Rules rules;
  LmccTime now;

  rules_init (&rules, TRUE);
  see (&rules, ROOM_RATE, 3);
  now = rules.path.now;
  fail_unless (finds_room_after (&rules, FALSE, now - 2 * CYCLE));
  fail_unless (!finds_room_after (&rules, FALSE, now - 2 * CYCLE + 1));
  fail_unless (!finds_room_after (&rules, FALSE, now));
  fail_unless (finds_room_after (&rules, TRUE, now));
  train_path_clear (&rules.path);
}

GST_END_TEST;

/* Trains wrongly report room: after each failure, they are believed only
 * after a longer time. */
GST_START_TEST (test_trains_are_doubted_after_a_join_in_vain)
{
  static const guint doubts[] = { 45, 90, 180, 180 };
  Rules rules;
  guint i;

  rules_init (&rules, TRUE);
  see (&rules, ROOM_RATE, 2);
  fail_unless (finds_room (&rules, TRUE));
  for (i = 0; i < G_N_ELEMENTS (doubts); i++) {
    LmccTime until;

    join_in_vain (&rules, 5 * LMCC_SECOND);
    until = rules.path.now + doubts[i] * LMCC_SECOND;
    while (rules.path.now < until) {
      fail_unless (!finds_room (&rules, TRUE), "%g s too early",
          (gdouble) (until - rules.path.now) / LMCC_SECOND);
      see (&rules, ROOM_RATE, 1);
    }
    fail_unless (finds_room (&rules, FALSE));
  }

  /* Joining a layer that stayed for a minute was not a failure. */
  join_in_vain (&rules, 60 * LMCC_SECOND);
  see (&rules, ROOM_RATE, 2);
  fail_unless (finds_room (&rules, FALSE));
  join_in_vain (&rules, 5 * LMCC_SECOND);
  see (&rules, ROOM_RATE, 22);
  fail_unless (!finds_room (&rules, FALSE));
  see (&rules, ROOM_RATE, 1);
  fail_unless (finds_room (&rules, FALSE));
  train_path_clear (&rules.path);
}

GST_END_TEST;

GST_START_TEST (test_a_level_that_is_left_for_another_reason_is_not_doubted)
{
  Rules rules;

  rules_init (&rules, TRUE);
  see (&rules, ROOM_RATE, 2);
  lmcc_elm_trains_set_level (&rules.trains, rules.path.now, LEVEL + 1, FALSE);
  rules.path.now += 5 * LMCC_SECOND;
  lmcc_elm_trains_set_level (&rules.trains, rules.path.now, LEVEL, FALSE);
  see (&rules, ROOM_RATE, 2);
  fail_unless (finds_room (&rules, FALSE));
  train_path_clear (&rules.path);
}

GST_END_TEST;

GST_START_TEST (test_two_full_trains_lift_the_first_doubt_only)
{
  Rules rules;

  rules_init (&rules, TRUE);
  see (&rules, ROOM_RATE, 2);
  join_in_vain (&rules, 5 * LMCC_SECOND);
  see (&rules, FULL_RATE, 1);
  see (&rules, ROOM_RATE, 2);
  fail_unless (!finds_room (&rules, FALSE));
  see (&rules, FULL_RATE, 2);
  fail_unless (!finds_room (&rules, FALSE));
  see (&rules, ROOM_RATE, 2);
  fail_unless (finds_room (&rules, FALSE));

  join_in_vain (&rules, 5 * LMCC_SECOND);
  see (&rules, FULL_RATE, 4);
  see (&rules, ROOM_RATE, 2);
  fail_unless (!finds_room (&rules, FALSE));
  train_path_clear (&rules.path);
}

GST_END_TEST;

GST_START_TEST (test_trains_that_are_not_used_say_nothing)
{
  LmccLoss loss;
  Rules rules;

  rules_init (&rules, FALSE);
  hear_level (&rules);
  fail_unless (!holds (&rules, TRUE));
  see (&rules, FULL_RATE, 3);
  loss = (LmccLoss){ .count = 1,
    .before = rules.path.now - 4 * CYCLE,
    .span = 4 * CYCLE,
    .gap = 2,
    .index = 1 };
  fail_unless (!holds (&rules, TRUE));
  fail_unless (!holds (&rules, FALSE));
  fail_unless (!lmcc_elm_trains_owns_loss (&rules.trains, LEVEL, &loss));
  fail_unless (
      lmcc_elm_trains_describe (&rules.trains, rules.path.now) == NULL);
  see (&rules, ROOM_RATE, 3);
  fail_unless (!finds_room (&rules, TRUE));
  fail_unless_equals_int (train_path_count (&rules.path), 0);
  train_path_clear (&rules.path);
}

GST_END_TEST;

GST_START_TEST (test_trains_say_what_they_found)
{
  Rules rules;

  rules_init (&rules, TRUE);
  fail_unless (
      lmcc_elm_trains_describe (&rules.trains, rules.path.now) == NULL);
  see (&rules, ROOM_RATE, 1);
  fail_unless_equals_string (lmcc_elm_trains_describe (&rules.trains,
                                 rules.path.now),
      "room");
  see (&rules, FULL_RATE, 1);
  fail_unless_equals_string (lmcc_elm_trains_describe (&rules.trains,
                                 rules.path.now),
      "full");
  rules.path.extra = 50 * MS;
  see (&rules, FULL_RATE, 1);
  fail_unless_equals_string (lmcc_elm_trains_describe (&rules.trains,
                                 rules.path.now),
      "queue");
  rules.path.now += 4 * CYCLE;
  fail_unless (
      lmcc_elm_trains_describe (&rules.trains, rules.path.now) == NULL);
  train_path_clear (&rules.path);
}

GST_END_TEST;

static Suite *
train_rules_suite (void)
{
  Suite *suite = suite_create ("train-rules");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase,
      test_one_full_train_holds_in_the_slow_start_and_two_later);
  tcase_add_test (tcase, test_the_first_train_is_waited_for);
  tcase_add_test (tcase,
      test_one_train_finds_room_in_the_slow_start_and_two_later);
  tcase_add_test (tcase, test_nothing_is_joined_within_two_cycles_of_a_loss);
  tcase_add_test (tcase, test_trains_are_doubted_after_a_join_in_vain);
  tcase_add_test (tcase,
      test_a_level_that_is_left_for_another_reason_is_not_doubted);
  tcase_add_test (tcase, test_two_full_trains_lift_the_first_doubt_only);
  tcase_add_test (tcase, test_trains_that_are_not_used_say_nothing);
  tcase_add_test (tcase, test_trains_say_what_they_found);

  return suite;
}

GST_CHECK_MAIN (train_rules);
