/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A test of the example algorithm, in virtual time.
 */
#include "support/follow-controller.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/measure/loss.h>

#define N_LAYERS 3

/* Where the library does not list it yet. */
#ifdef THRESHOLD_IS_NOT_LISTED
extern const LmccAlgorithm lmcc_algorithm_threshold;
#endif

static LmccController *
start (Followed *followed, const gchar *join_time)
{
  const LmccAlgorithm *algorithm = &lmcc_algorithm_threshold;
  g_autoptr (LmccSettings) values =
      lmcc_settings_new (algorithm->settings, algorithm->n_settings);

  fail_unless (lmcc_settings_set (values, "join-time", join_time, NULL));
  *followed = (Followed){ .algorithm = algorithm,
    .level = -1,
    .cap = N_LAYERS - 1,
    .now = 100 * LMCC_SECOND };
  lmcc_session_init (&followed->session);
  followed->session.n_layers = N_LAYERS;
  followed->controller = algorithm->create (&followed->session, values, 1);
  follow (followed);

  return followed->controller;
}

/* 100 packets a second come in the base, and @lost more of each 100 do not. */
static void
run_seconds (Followed *followed, guint seconds, guint lost)
{
  LmccController *controller = followed->controller;
  guint i;

  for (i = 0; i < 100 * seconds; i++) {
    LmccHeader header = { .lsn = (guint16) i };
    LmccLoss loss = lmcc_loss_at (followed->now, 1);

    controller->klass->on_packet (controller, followed->now, followed->now,
        &header, 1000);
    if (i % 100 < lost)
      controller->klass->on_loss (controller, followed->now, 0, &loss);
    followed->now += LMCC_SECOND / 100;
    let_time_pass (followed);
  }
}

GST_START_TEST (a_layer_is_joined_after_the_join_time_without_losses)
{
  Followed followed;
  LmccController *controller = start (&followed, "5");

  run_seconds (&followed, 4, 0);
  fail_unless_equals_int (followed.level, 0);
  run_seconds (&followed, 1, 0);
  fail_unless_equals_int (followed.level, 1);
  run_seconds (&followed, 5, 0);
  fail_unless_equals_int (followed.level, 2);
  controller->klass->free (controller);
}

GST_END_TEST;

GST_START_TEST (a_layer_is_left_after_a_second_with_too_much_packet_loss)
{
  Followed followed;
  LmccController *controller = start (&followed, "5");

  run_seconds (&followed, 5, 0);
  run_seconds (&followed, 1, 2);
  fail_unless_equals_int (followed.level, 1);
  run_seconds (&followed, 1, 3);
  fail_unless_equals_int (followed.level, 0);
  controller->klass->free (controller);
}

GST_END_TEST;

static Suite *
threshold_suite (void)
{
  Suite *s = suite_create ("threshold");
  TCase *tc = tcase_create ("levels");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, a_layer_is_joined_after_the_join_time_without_losses);
  tcase_add_test (tc, a_layer_is_left_after_a_second_with_too_much_packet_loss);

  return s;
}

GST_CHECK_MAIN (threshold);
