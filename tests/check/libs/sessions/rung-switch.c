/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the switch between two rungs that no level contains together: the
 * pictures shown meanwhile, and how long both rungs are joined.
 */
#include "support/level-loop.h"

/* One key frame per second. */
#define DISTANCE 25

/* Time step of the search for changes. */
#define STEP (10 * MS)

static LmccTime
next_key (const LevelLoop *loop)
{
  LmccTime since = loop->now - loop->source.started;

  return loop->now + LMCC_SECOND - since % LMCC_SECOND;
}

/* Continues until the joins and leaves of @changes have happened. Returns:
 * the elapsed time */
static LmccTime
wait_for (LevelLoop *loop, const gchar *changes, LmccTime most)
{
  LmccTime begin = loop->now;

  while (!g_str_equal (loop->changes->str, changes)) {
    fail_unless (loop->now - begin <= most, "\"%s\", and not \"%s\"",
        loop->changes->str, changes);
    level_loop_run (loop, STEP);
  }
  g_string_truncate (loop->changes, 0);

  return loop->now - begin;
}

/* A receiver at level 1, @phase after a key frame was made. */
static LevelLoop *
new_settled (guint distance, LmccTime phase)
{
  LevelLoop *loop = level_loop_new (LMCC_LEVELS_FALLBACK, 0, distance, 1);

  level_loop_run (loop, LMCC_SECOND);
  level_loop_check (loop, "0 1 ", 1);
  level_loop_run (loop, next_key (loop) - loop->now + phase);
  loop->delivered = 0;
  loop->least_rung = G_MAXINT;

  return loop;
}

/* Whenever the change is requested, the higher rung is joined before a key
 * frame, the current one is left when that key frame is shown, and no
 * picture is of a lower rung. */
GST_START_TEST (test_a_rung_is_joined_before_a_key_frame)
{
  LmccTime phase;

  for (phase = 0; phase < LMCC_SECOND; phase += 50 * MS) {
    LevelLoop *loop = new_settled (DISTANCE, phase);
    LmccTime begin = loop->now, both;
    guint pictures;

    level_loop_set_max_level (loop, 2);
    wait_for (loop, "2 ", 1100 * MS);
    both = wait_for (loop, "-1 ", 600 * MS);
    fail_unless (both <= 400 * MS, "both were held for %g s",
        both / (gdouble) LMCC_SECOND);
    fail_unless (loop->least_rung >= 1, "rung %d", loop->least_rung);
    fail_unless_equals_int (level_loop_get_stats (loop).rung, 2);
    pictures = (guint) ((loop->now - begin) / TEST_SOURCE_INTERVAL);
    fail_unless (loop->delivered + 2 >= pictures, "%u of %u pictures",
        loop->delivered, pictures);
    level_loop_check (loop, "", 2);
    level_loop_free (loop);
  }
}

GST_END_TEST;

/* Key frames 8 s apart are not waited for. Both rungs are joined for no
 * longer than with known key frame times, and then the lowest rung is shown. */
GST_START_TEST (test_a_rung_is_not_held_beside_another_for_long)
{
  LevelLoop *loop = new_settled (8 * DISTANCE, 100 * MS);
  LmccTime begin, both;
  guint pictures;

  begin = loop->now;
  level_loop_set_max_level (loop, 2);
  wait_for (loop, "2 ", STEP);
  both = wait_for (loop, "-1 ", 700 * MS);
  fail_unless (both >= 500 * MS);
  level_loop_run (loop, 9 * LMCC_SECOND);
  fail_unless_equals_int (loop->least_rung, 0);
  fail_unless_equals_int (level_loop_get_stats (loop).rung, 2);
  pictures = (guint) ((loop->now - begin) / TEST_SOURCE_INTERVAL);
  fail_unless (loop->delivered + 2 >= pictures, "%u of %u pictures",
      loop->delivered, pictures);
  level_loop_free (loop);
}

GST_END_TEST;

/* Level 2 needs 900 kbit/s, and 1200 with the rung of level 1. */
GST_START_TEST (test_a_cap_on_the_rate_holds_while_rungs_change)
{
  LevelLoop *loop = level_loop_new (LMCC_LEVELS_FALLBACK, 0, DISTANCE, -1);

  lmcc_receiver_set_max_bitrate (loop->receiver, 700000, loop->now);
  level_loop_run (loop, LMCC_SECOND);
  level_loop_check (loop, "0 1 ", 1);
  lmcc_receiver_set_max_bitrate (loop->receiver, 1050000, loop->now);
  level_loop_drain_receiver (loop);
  level_loop_check (loop, "-1 2 ", 2);
  level_loop_free (loop);
}

GST_END_TEST;

GST_START_TEST (test_down_is_at_once)
{
  LevelLoop *loop = level_loop_new (LMCC_LEVELS_FALLBACK, 0, DISTANCE, 2);
  guint before;

  level_loop_run (loop, LMCC_SECOND);
  level_loop_check (loop, "0 2 ", 2);
  level_loop_run (loop, next_key (loop) - loop->now + 500 * MS);
  before = loop->delivered;
  level_loop_set_max_level (loop, 1);
  fail_unless_equals_string (loop->changes->str, "-2 1 ");
  level_loop_run (loop, LMCC_SECOND);
  fail_unless (
      loop->delivered + 2 >= before + (guint) LEVEL_LOOP_PICTURES_PER_SECOND);
  level_loop_check (loop, "-2 1 ", 1);
  level_loop_free (loop);
}

GST_END_TEST;

/* Pictures shown in 60 s around a change, at any time between two key
 * frames. */
static guint
count_pictures (LmccLevels levels)
{
  LevelLoop *loop = level_loop_new (levels, 0, DISTANCE, 1);
  guint pictures, i;

  level_loop_run (loop, 2 * LMCC_SECOND);
  loop->delivered = 0;
  for (i = 0; i < 60; i++) {
    level_loop_set_max_level (loop, (gint) (i * 7 % LEVEL_LOOP_N_RUNGS));
    level_loop_run (loop, LMCC_SECOND + i % 10 * STEP);
  }
  pictures = loop->delivered;
  fail_unless_equals_uint64 (level_loop_get_stats (loop).lost, 0);
  level_loop_free (loop);

  return pictures;
}

GST_START_TEST (test_pictures_go_on_over_many_changes)
{
  guint cumulative = count_pictures (LMCC_LEVELS_CUMULATIVE);
  guint fallback = count_pictures (LMCC_LEVELS_FALLBACK);
  guint replicated = count_pictures (LMCC_LEVELS_REPLICATED);

  /* If a rung is sent alone, its last picture may be in transit. */
  fail_unless (fallback >= cumulative && replicated + 1 >= cumulative,
      "%u and %u pictures, and %u where levels are cumulative", fallback,
      replicated, cumulative);
}

GST_END_TEST;

static Suite *
rung_switch_suite (void)
{
  Suite *suite = suite_create ("rung-switch");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_a_rung_is_joined_before_a_key_frame);
  tcase_add_test (tc, test_a_rung_is_not_held_beside_another_for_long);
  tcase_add_test (tc, test_a_cap_on_the_rate_holds_while_rungs_change);
  tcase_add_test (tc, test_down_is_at_once);
  tcase_add_test (tc, test_pictures_go_on_over_many_changes);

  return suite;
}

GST_CHECK_MAIN (rung_switch);
