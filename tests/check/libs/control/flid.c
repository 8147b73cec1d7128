/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the rules of J. Byers et al., "FLID-DL", 2002, section IV-B.
 */
#include "support/test-controller.h"

#include <gst/check/gstcheck.h>

static const gchar *const algorithms[] = { "flid-sl", "flid-dl" };

/* A receiver at @level, at the start of a slot. */
static TestController *
new_at_level (const gchar *algorithm, guint n_layers, gint level)
{
  TestController *test = test_controller_new (algorithm, n_layers, NULL, NULL);
  gint i;

  test_slot (test, -1);
  for (i = 0; i < level; i++)
    test_slot (test, (gint) n_layers - 2);
  test_slot (test, -1);
  test_slot (test, -1);
  test_fail_unless_level (test, level);
  g_array_set_size (test->changes, 0);

  return test;
}

typedef enum
{
  END,
  SLOT, /* a packet is received @count times */
  WAIT, /* for @halves of a slot without packets */
  CAP,
  LEAVES, /* @halves of a slot with packets */
  LEVEL,  /* the level is @level */
  STATE,  /* the state is @state */
} Kind;

typedef struct
{
  Kind kind;
  gint level; /* of a slot: its signal */
  guint count;
  guint n_losses;
  TestLoss losses[3];
  guint halves;
  const gchar *state;
} Step;

typedef struct
{
  const gchar *name;
  const gchar *algorithm;
  guint n_layers;
  gint level; /* the receiver's start level */
  Step steps[22];
} Row;

#define SLOTS(n, signal) .kind = SLOT, .count = (n), .level = (signal)
#define SLOT(signal) SLOTS (1, signal)
#define LOSE(signal, n, ...) \
  SLOT (signal), .n_losses = (n), .losses = { __VA_ARGS__ }
#define WAIT(n) .kind = WAIT, .halves = (n)
#define CAP(l) .kind = CAP, .level = (l)
#define LEAVES(n) .kind = LEAVES, .halves = (n)
#define LEVEL(l) .kind = LEVEL, .level = (l)
#define STATE(s) .kind = STATE, .state = (s)

static const Row rows[] = {
  { "test_a_signal_of_the_level_or_above_lets_go_up_one_level", NULL, 6, 2,
      {
          { SLOT (-1) },
          { SLOT (-1) },
          { LEVEL (2) },
          { SLOT (0) },
          { SLOT (-1) },
          { LEVEL (2) },
          { SLOT (1) },
          { SLOT (-1) },
          { LEVEL (2) },
          { SLOT (2) },
          { LEVEL (2) },
          { SLOT (-1) },
          { LEVEL (3) },
          { SLOT (4) },
          { SLOT (-1) },
          { LEVEL (4) },
      } },
  /* The paper's Table I: p_0 = .33, p_1 = .2, p_2 = .09: in eight slots the
   * signals are -1 0 -1 1 -1 -1 -1 2. */
  { "test_the_signals_of_table_one_lift_each_level_as_they_say", NULL, 4, 0,
      {
          { SLOT (-1) },
          { SLOT (0) },
          { LEVEL (0) },
          { SLOT (-1) },
          { LEVEL (1) },
          { SLOT (1) },
          { LEVEL (1) },
          { SLOT (-1) },
          { LEVEL (2) },
          { SLOT (-1) },
          { LEVEL (2) },
          { SLOT (-1) },
          { LEVEL (2) },
          { SLOT (2) },
          { LEVEL (2) },
          { SLOT (-1) },
          { LEVEL (3) },
      } },
  /* A gap at the slot's end shows in the next slot: it prevents a step up,
   * and is answered once. */
  { "test_a_loss_that_shows_late_is_answered_once", NULL, 6, 2,
      {
          { LOSE (5, 1, { 0, 7, 7 }) },
          { SLOT (-1) },
          { LEVEL (2) },
          { SLOT (-1) },
          { LEVEL (1) },
          { SLOTS (2, -1) },
          { LEVEL (1) },
          /* It belongs to a slot that already had a loss, so it changes
           * nothing. */
          { LOSE (-1, 2, { 0, 1, 1 }, { 0, 7, 7 }) },
          { SLOT (-1) },
          { LEVEL (0) },
          { SLOT (0) },
          { SLOT (-1) },
          { LEVEL (1) },
          { SLOT (-1) },
          { LEVEL (1) },
      } },
  /* Losses of each layer across the border belong to the previous slot. */
  { "test_an_overflow_at_the_border_of_two_slots_is_one_step", NULL, 6, 4,
      {
          { LOSE (-1, 3, { 0, 7, 7 }, { 1, 6, 7 }, { 3, 7, 7 }) },
          { LOSE (-1, 3, { 0, 0, 1 }, { 1, 0, 0 }, { 3, 0, 1 }) },
          { SLOTS (4, -1) },
          { LEVEL (3) },
      } },
  /* Other layers lose packets before the border rather than after it. */
  { "test_an_overflow_of_other_layers_after_the_border_is_the_same", NULL, 6, 4,
      {
          { LOSE (-1, 1, { 1, 7, 7 }) },
          { LOSE (-1, 1, { 3, 0, 0 }) },
          { SLOTS (4, -1) },
          { LEVEL (3) },
          /* The later of the two slots has its own loss. */
          { LOSE (-1, 1, { 1, 7, 7 }) },
          { LOSE (-1, 2, { 3, 0, 0 }, { 0, 4, 4 }) },
          { SLOTS (4, -1) },
          { LEVEL (1) },
      } },
  /* The first slot's loss shows in the second, which has its own loss. */
  { "test_each_slot_with_loss_is_one_step_however_late_it_shows", NULL, 6, 4,
      {
          { LOSE (-1, 1, { 1, 7, 7 }) },
          { LOSE (-1, 2, { 0, 3, 3 }, { 2, 7, 7 }) },
          { SLOT (-1) },
          { LEVEL (3) },
          { SLOT (-1) },
          { LEVEL (2) },
          { SLOTS (2, -1) },
          { LEVEL (2) },
      } },
  /* At its end the slot seemed to be without loss, because no later packet
   * of the layer had arrived; this caused a wrong step up. */
  { "test_a_step_up_after_a_slot_with_loss_is_taken_back", NULL, 6, 2,
      {
          { LOSE (5, 1, { 2, 7, 7 }) },
          { SLOT (-1) },
          { LEVEL (3) },
          { SLOT (-1) },
          { LEVEL (2) },
          { SLOT (-1) },
          { LEVEL (1) },
          { SLOT (-1) },
          { LEVEL (1) },
      } },
  /* It is due to go down and may go up, so it stays. */
  { "test_a_step_owed_and_a_signal_cancel_out", NULL, 6, 2,
      {
          { LOSE (-1, 1, { 0, 7, 7 }) },
          { SLOT (1) },
          { SLOTS (2, -1) },
          { LEVEL (2) },
      } },
  { "test_the_lowest_level_stays_and_the_highest_does_not_rise", NULL, 3, 0,
      {
          { LOSE (-1, 1, { 0, 2, 2 }) },
          { LEVEL (0) },
          { LOSE (-1, 1, { 0, 2, 2 }) },
          { LEVEL (0) },
          { LOSE (-1, 1, { 0, 2, 2 }) },
          { LEVEL (0) },
          { LOSE (-1, 1, { 0, 2, 2 }) },
          { LEVEL (0) },
          { LOSE (-1, 1, { 0, 2, 2 }) },
          { LEVEL (0) },
          { SLOT (-1) },
          { SLOTS (10, 10) },
          { LEVEL (2) },
      } },
  /* The latest slot ends after two slot lengths without packets; from then
   * on, each slot is a step down. */
  { "test_silent_slots_are_loss", NULL, 6, 4,
      {
          { WAIT (3) },
          { LEVEL (4) },
          { WAIT (2) },
          { LEVEL (3) },
          { WAIT (2) },
          { LEVEL (2) },
          { WAIT (20) },
          { LEVEL (0) },
      } },
  { "test_without_base_packets_the_level_falls", NULL, 6, 3,
      {
          { LOSE (3, 1, { 0, 0, TEST_SLOT_PACKETS - 1 }) },
          { SLOT (-1) },
          { LEVEL (2) },
      } },
  /* A cap prevented a step up: the step does not happen when the cap is
   * lifted, but at the next signal. */
  { "test_a_lifted_cap_waits_for_the_next_signal", NULL, 6, 2,
      {
          { CAP (2) },
          { SLOT (5) },
          { SLOT (-1) },
          { LEVEL (2) },
          { CAP (5) },
          { LEVEL (2) },
          { SLOT (5) },
          { SLOT (-1) },
          { LEVEL (3) },
      } },
};

static const Row own_rows[] = {
  { "test_slow_leaves_of_static_layers_make_deaf", "flid-sl", 6, 4,
      {
          { LEAVES (6) },
          { LOSE (-1, 1, { 0, 1, 1 }) },
          { SLOTS (4, -1) },
          { LEVEL (3) },
          { STATE ("clean") },
          /* The next step down: now the leave latency is known, and losses
           * and signals of the next slots are ignored. */
          { LOSE (-1, 1, { 0, 1, 1 }) },
          { LOSE (5, 1, { 0, 1, 1 }) },
          { LEVEL (2) },
          { STATE ("deaf") },
          { LOSE (5, 1, { 0, 1, 1 }) },
          { LEVEL (2) },
          { STATE ("deaf") },
          { LOSE (5, 1, { 0, 1, 1 }) },
          { LEVEL (2) },
          { STATE ("deaf") },
          { LOSE (5, 1, { 0, 1, 1 }) },
          { LEVEL (2) },
          { STATE ("deaf") },
          { SLOTS (2, 5) },
          { LEVEL (3) },
      } },
  { "test_dynamic_layers_need_no_deaf_period", "flid-dl", 6, 5,
      {
          { LOSE (-1, 1, { 0, 1, 1 }) },
          { LOSE (-1, 1, { 0, 1, 1 }) },
          { LOSE (-1, 1, { 0, 1, 1 }) },
          { LOSE (-1, 1, { 0, 1, 1 }) },
          { LOSE (-1, 1, { 0, 1, 1 }) },
          { SLOT (-1) },
          { LEVEL (0) },
      } },
};

static void
take (TestController *test, const Step *step, const gchar *where)
{
  guint i;

  switch (step->kind) {
    case SLOT:
      for (i = 0; i < step->count; i++)
        test_slot_full (test, step->level, 0, step->losses, step->n_losses);
      break;
    case WAIT:
      test_controller_until (test, test->now + step->halves * TEST_SLOT / 2);
      break;
    case CAP:
      test->cap = step->level;
      test_controller_follow (test);
      break;
    case LEAVES:
      test->leave_latency = step->halves * TEST_SLOT / 2;
      break;
    case LEVEL:
      fail_unless (test->level == step->level, "%s: level %d, not %d: %s",
          where, test->level, step->level, test->controller->reason);
      break;
    case STATE:
      fail_unless (g_str_equal (test_controller_state (test), step->state),
          "%s: %s, not %s", where, test_controller_state (test), step->state);
      break;
    case END:
      break;
  }
}

static void
run_row (const Row *row, const gchar *algorithm)
{
  TestController *test = new_at_level (algorithm, row->n_layers, row->level);
  const Step *step;

  for (step = row->steps; step->kind != END; step++) {
    g_autofree gchar *where = g_strdup_printf ("%s, %s, step %d", row->name,
        algorithm, (gint) (step - row->steps) + 1);

    take (test, step, where);
  }
  test_controller_free (test);
}

GST_START_TEST (test_rows_of_both)
{
  run_row (&rows[__i__ / G_N_ELEMENTS (algorithms)],
      algorithms[__i__ % G_N_ELEMENTS (algorithms)]);
}

GST_END_TEST;

GST_START_TEST (test_rows_of_one)
{
  run_row (&own_rows[__i__], own_rows[__i__].algorithm);
}

GST_END_TEST;

GST_START_TEST (test_a_slot_with_loss_is_one_step_down_at_its_end)
{
  static const TestLoss losses[] = { { 0, 1, 2 }, { 3, 3, 5 } };
  TestController *test = new_at_level (algorithms[__i__], 6, 4);
  LmccTime begin = test->now;
  TestLevelChange change;

  test_slot_full (test, 4, 0, losses, G_N_ELEMENTS (losses));
  test_fail_unless_level (test, 4);
  test_slot (test, -1);
  test_fail_unless_level (test, 3);
  fail_unless_equals_int (test->changes->len, 1);
  change = g_array_index (test->changes, TestLevelChange, 0);
  fail_unless (change.at >= begin + TEST_SLOT
      && change.at < begin + TEST_SLOT + TEST_SLOT / TEST_SLOT_PACKETS);
  test_slot (test, -1);
  test_fail_unless_level (test, 3);
  test_controller_free (test);
}

GST_END_TEST;

GST_START_TEST (test_the_slot_count_goes_on_over_the_wrap)
{
  TestController *test = test_controller_new (algorithms[__i__], 4, NULL, NULL);
  guint i;

  test->session.slot_modulus = 65520;
  test->controller->klass->free (test->controller);
  test->controller = lmcc_algorithm_find (algorithms[__i__])
                         ->create (&test->session, test->settings, 1);
  test->level = -1;
  test_controller_follow (test);
  test->slot = 65515;
  for (i = 0; i < 10; i++)
    test_slot (test, i % 3 == 2 ? 2 : -1);
  test_fail_unless_level (test, 3);
  test_controller_free (test);
}

GST_END_TEST;

static Suite *
flid_suite (void)
{
  Suite *suite = suite_create ("flid");
  TCase *tcase = tcase_create ("general");
  gint n = G_N_ELEMENTS (algorithms);

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_rows_of_both, 0, n * G_N_ELEMENTS (rows));
  tcase_add_loop_test (tcase, test_rows_of_one, 0, G_N_ELEMENTS (own_rows));
  tcase_add_loop_test (tcase, test_a_slot_with_loss_is_one_step_down_at_its_end,
      0, n);
  tcase_add_loop_test (tcase, test_the_slot_count_goes_on_over_the_wrap, 0, n);

  return suite;
}

GST_CHECK_MAIN (flid);
