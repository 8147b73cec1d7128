/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests how a reception ends with its session, and which packets do not end
 * it.
 */
#include "support/test-scene.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/wire/constants.h>

/* Delay of the last packets on the path, behind the BYE. */
#define OVERTAKEN (300 * LMCC_MSECOND)

typedef struct
{
  const gchar *name;
  guint n_rungs;
  gboolean b_pictures;
  gboolean sound;
  guint repair;
  guint64 base_rate; /* number of layers of fixed rates; 0: native layers */
  LmccTime window;
  gboolean overtaken; /* media packets arrive after the BYE */
  gboolean hole;      /* before it, no packet of the higher layers arrived */
} Row;

static const Row rows[] = {
  { "one encoding", 1, FALSE, FALSE, 0, 0, LMCC_DEFAULT_WINDOW, FALSE },
  { "reordered pictures", 1, TRUE, FALSE, 0, 0, LMCC_DEFAULT_WINDOW, FALSE },
  { "two encodings", 2, TRUE, FALSE, 0, 0, LMCC_DEFAULT_WINDOW, FALSE },
  { "sound", 1, TRUE, TRUE, 0, 0, LMCC_DEFAULT_WINDOW, FALSE },
  { "repair", 1, TRUE, FALSE, 300, 0, LMCC_DEFAULT_WINDOW, FALSE },
  { "fixed rates", 1, TRUE, FALSE, 0, 1000000, 2500 * LMCC_MSECOND, FALSE },
  { "a BYE that is early", 1, TRUE, FALSE, 0, 0, LMCC_DEFAULT_WINDOW, TRUE },
  /* Received packets wait for it longer than for the sender. */
  { "a hole", 1, TRUE, FALSE, 0, 0, LMCC_DEFAULT_WINDOW, FALSE, TRUE },
};

static TestLoop *
make_loop (const Row *row)
{
  TestLoop *loop = test_loop_new (row->n_rungs, row->b_pictures);

  loop->sound = row->sound;
  loop->repair = row->repair;
  loop->window = row->window;
  loop->latency = row->overtaken || row->hole ? 4 * LMCC_SOURCE_TIMEOUT
                                              : LMCC_DEFAULT_LATENCY;
  loop->end_on_bye = TRUE;
  loop->nonce = TEST_NONCE;
  if (row->base_rate > 0) {
    loop->n_layers = 2;
    loop->rates[0] = loop->rates[1] = row->base_rate;
  }

  return loop;
}

/* A TestNetwork: media packets take longer than the BYE. */
static guint
delay_media (TestLoop *loop G_GNUC_UNUSED, guint receiver G_GNUC_UNUSED,
    const LmccPacket *packet G_GNUC_UNUSED, guint group G_GNUC_UNUSED,
    gboolean control, LmccTime *extra_delay, gpointer user_data G_GNUC_UNUSED)
{
  *extra_delay = control ? 0 : OVERTAKEN;

  return 1;
}

/* A TestNetwork: as above, for the base layer only. */
static guint
drop_above (TestLoop *loop G_GNUC_UNUSED, guint receiver G_GNUC_UNUSED,
    const LmccPacket *packet G_GNUC_UNUSED, guint group,
    gboolean control G_GNUC_UNUSED, LmccTime *extra_delay G_GNUC_UNUSED,
    gpointer user_data G_GNUC_UNUSED)
{
  return group == 0 ? 1 : 0;
}

/* A TestNetwork: loses the given number of RTCP packets. */
static guint
lose_control (TestLoop *loop G_GNUC_UNUSED, guint receiver G_GNUC_UNUSED,
    const LmccPacket *packet G_GNUC_UNUSED, guint group G_GNUC_UNUSED,
    gboolean control, LmccTime *extra_delay G_GNUC_UNUSED, gpointer user_data)
{
  guint *left = user_data;

  if (!control || *left == 0)
    return 1;
  (*left)--;

  return 0;
}

static void
send_rest (TestLoop *loop)
{
  loop->sending = FALSE;
  while (!lmcc_sender_is_idle (loop->sender))
    test_loop_run (loop, LMCC_MSECOND);
}

/* As an element does at EOS and then NULL. */
static void
end_session (TestLoop *loop)
{
  send_rest (loop);
  lmcc_sender_stop (loop->sender, loop->now);
  test_loop_drain (loop);
}

static gboolean
came_out (TestReceiver *test, guint number)
{
  guint i;

  for (i = 0; i < test->pictures->len; i++) {
    if (test_picture_at (test, i)->number == number)
      return TRUE;
  }

  return FALSE;
}

static void
check_last_group (const Row *row, TestLoop *loop, TestReceiver *test)
{
  guint i;

  for (i = loop->next_picture - TEST_GOP; i < loop->next_picture; i++) {
    guint number = test_display_number (row->b_pictures, i);

    if (row->hole && test_picture_class (row->b_pictures, number) > 0)
      continue;
    fail_unless (came_out (test, number),
        "%s: picture %u of %u did not come out", row->name, i,
        loop->next_picture);
  }
  if (row->sound)
    fail_unless_equals_int (
        g_array_index (test->sounds, TestSound, test->sounds->len - 1).number,
        loop->next_sound - 1);
}

GST_START_TEST (test_all_that_was_sent_comes_out_before_the_end)
{
  const Row *row = &rows[__i__];
  TestLoop *loop = make_loop (row);
  TestReceiver *test;
  LmccTime said, waits = 0;

  if (row->overtaken)
    loop->impair = delay_media;
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
  test_loop_start_sender (loop, TEST_SSRC);
  test_loop_run (loop, 10 * LMCC_SECOND);
  if (row->hole) {
    loop->impair = drop_above;
    test_loop_run (loop, LMCC_SECOND);
  }
  end_session (loop);
  said = loop->now;
  fail_unless_equals_int (test->n_ends, 0);

  test_loop_run (loop, 10 * LMCC_SECOND);
  check_last_group (row, loop, test);
  test_check_nothing_broken (test);
  fail_unless_equals_int (test->n_ends, 1);
  fail_unless (test->ended_at >= said + LMCC_SOURCE_TIMEOUT);
  if (row->overtaken)
    waits = OVERTAKEN;
  else if (row->hole)
    waits = loop->latency;
  fail_unless (test->ended_at
      <= said + TEST_DELAY + LMCC_SOURCE_TIMEOUT + waits + 5 * LMCC_MSECOND);
  fail_if (row->hole && test->ended_at < said + 2 * LMCC_SOURCE_TIMEOUT);
  fail_unless (
      test->ended_at >= test_picture_at (test, test->pictures->len - 1)->at);
  fail_if (test->joined[0]);
  fail_if (LMCC_TIME_IS_VALID (lmcc_receiver_next_timeout (test->receiver)));
  test_loop_free (loop);
}

GST_END_TEST;

static void
forge_bye (TestLoop *loop, TestReceiver *test, const gchar *from)
{
  LmccSenderReport report = { .ssrc = TEST_SSRC };
  g_autoptr (LmccPacket) bye = lmcc_rtcp_build_bye (&report, "forged");
  LmccAddress address = test_address (from);

  lmcc_receiver_handle_control (test->receiver, loop->now, &address, 40000,
      bye->data, bye->size);
  test_loop_drain (loop);
}

static guint
count_pictures (TestReceiver *test, LmccTime since)
{
  guint i, n = 0;

  for (i = 0; i < test->pictures->len; i++)
    n += test_picture_at (test, i)->at >= since;

  return n;
}

/* Even continuous forged ones remove no picture. */
GST_START_TEST (test_a_goodbye_that_the_sender_goes_on_after_ends_nothing)
{
  TestLoop *loop = make_loop (&rows[1]);
  TestReceiver *test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
  LmccTime since;
  guint i;

  test_loop_start_sender (loop, TEST_SSRC);
  test_loop_run (loop, 5 * LMCC_SECOND);
  since = loop->now;
  for (i = 0; i < 300; i++) {
    forge_bye (loop, test, "10.0.0.1");
    test_loop_run (loop, 100 * LMCC_MSECOND);
  }
  fail_unless_equals_int (test->n_ends, 0);
  fail_unless (count_pictures (test, since) >= 24 * 30 - 2);
  test_check_nothing_broken (test);

  /* A refuted BYE is not remembered when the sender fails later. */
  test_loop_run (loop, LMCC_SECOND);
  test_loop_kill_sender (loop);
  test_loop_run (loop, 30 * LMCC_SECOND);
  fail_unless_equals_int (test->n_ends, 0);
  fail_unless (test->joined[0]);
  test_loop_free (loop);
}

GST_END_TEST;

GST_START_TEST (test_what_is_no_goodbye_ends_nothing)
{
  TestLoop *loop = make_loop (&rows[1]);
  TestReceiver *test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);

  test_loop_start_sender (loop, TEST_SSRC);
  test_loop_run (loop, 5 * LMCC_SECOND);
  test_loop_kill_sender (loop);
  forge_bye (loop, test, "10.0.0.2");
  test_loop_run (loop, 30 * LMCC_SECOND);
  fail_unless_equals_int (test->n_ends, 0);
  fail_unless (test->n_waiting >= 2);
  test_loop_free (loop);
}

GST_END_TEST;

GST_START_TEST (test_without_being_asked_to_a_receiver_waits_for_the_next)
{
  TestLoop *loop = make_loop (&rows[1]);
  TestReceiver *test;

  loop->end_on_bye = FALSE;
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
  test_loop_start_sender (loop, TEST_SSRC);
  test_loop_run (loop, 5 * LMCC_SECOND);
  end_session (loop);
  test_loop_run (loop, 30 * LMCC_SECOND);
  fail_unless_equals_int (test->n_ends, 0);
  fail_unless (test->joined[0]);
  test_loop_free (loop);
}

GST_END_TEST;

/* Within the silence that confirms the BYE, and after it. */
GST_START_TEST (test_the_next_session_is_not_taken)
{
  static const LmccTime pauses[] = { 100 * LMCC_MSECOND, 5 * LMCC_SECOND };
  TestLoop *loop = make_loop (&rows[1]);
  TestReceiver *test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
  guint last;

  test_loop_start_sender (loop, TEST_SSRC);
  test_loop_run (loop, 5 * LMCC_SECOND);
  end_session (loop);
  last = loop->next_picture;
  test_loop_kill_sender (loop);
  test_loop_run (loop, pauses[__i__]);
  loop->nonce = TEST_NONCE + 1;
  test_loop_start_sender (loop, TEST_OTHER_SSRC);
  test_loop_run (loop, 10 * LMCC_SECOND);
  fail_unless_equals_int (test->n_ends, 1);
  fail_unless (came_out (test, test_display_number (TRUE, last - 1)));
  fail_unless (test_picture_at (test, test->pictures->len - 1)->number < last);
  fail_if (test->joined[0]);
  test_loop_free (loop);
}

GST_END_TEST;

static guint64
count_drops (TestLoop *loop, TestReceiver *test)
{
  LmccReceiverStats stats;
  guint64 n = 0;
  guint i;

  lmcc_receiver_get_stats (test->receiver, loop->now, &stats);
  for (i = 0; i < LMCC_N_DROPS; i++)
    n += stats.drops[i];

  return n;
}

/* Whichever comes first. Errors after the end do not count. */
GST_START_TEST (test_one_goodbye_of_several_is_enough)
{
  TestLoop *loop = make_loop (&rows[1]);
  TestReceiver *test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
  guint lost = (guint) __i__;
  LmccTime said;
  guint64 drops;

  test_loop_start_sender (loop, TEST_SSRC);
  test_loop_run (loop, 5 * LMCC_SECOND);
  send_rest (loop);
  drops = count_drops (loop, test);
  said = loop->now;
  loop->impair = lose_control;
  loop->impair_data = &lost;
  end_session (loop);
  test_loop_run (loop, 30 * LMCC_SECOND);
  fail_unless_equals_int (lost, 0);
  if (__i__ == LMCC_BYE_COPIES) {
    fail_unless_equals_int (test->n_ends, 0);
    test_loop_free (loop);
    return;
  }
  fail_unless_equals_int (test->n_ends, 1);
  fail_unless_equals_string (test->end_reason, LMCC_REASON_GOODBYE);
  fail_unless (test->ended_at <= said + TEST_DELAY
          + (guint) __i__ * LMCC_BYE_INTERVAL + LMCC_SOURCE_TIMEOUT
          + 5 * LMCC_MSECOND);
  fail_unless (count_drops (loop, test) == drops);
  test_loop_free (loop);
}

GST_END_TEST;

/* With a latency longer and one shorter than the silence. */
GST_START_TEST (test_a_sender_that_vanished_is_waited_for_so_long)
{
  static const LmccTime silences[] = { 60 * LMCC_SECOND, LMCC_SECOND, 1 };
  TestLoop *loop = make_loop (&rows[__i__ == 1 ? 7 : 1]);
  LmccTime silence = MAX (silences[__i__], LMCC_SOURCE_TIMEOUT), died;
  TestReceiver *test;

  loop->end_on_silence = silences[__i__];
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
  /* A sender that has not started has not vanished. */
  test_loop_run (loop, 100 * LMCC_SECOND);
  test_loop_start_sender (loop, TEST_SSRC);
  test_loop_run (loop, 5 * LMCC_SECOND);
  fail_unless_equals_int (test->n_ends, 0);
  send_rest (loop);
  test_loop_kill_sender (loop);
  died = loop->now;
  test_loop_run (loop, silence - LMCC_RECORD_INTERVAL_MAX / 4);
  if (silence > LMCC_SECOND)
    fail_unless_equals_int (test->n_ends, 0);
  test_loop_run (loop, 10 * LMCC_SECOND);
  fail_unless_equals_int (test->n_ends, 1);
  fail_unless_equals_string (test->end_reason, LMCC_REASON_SILENCE);
  fail_unless (test->ended_at + LMCC_RECORD_INTERVAL_MAX >= died + silence);
  fail_unless (test->ended_at
      <= died + TEST_DELAY + silence + loop->latency + 5 * LMCC_MSECOND);
  check_last_group (&rows[1], loop, test);
  fail_if (test->joined[0]);
  test_loop_free (loop);
}

GST_END_TEST;

/* The same sender after an outage, and a restarted one; the time counts from
 * the last packet. */
GST_START_TEST (test_a_sender_that_comes_back_goes_on)
{
  TestLoop *loop = make_loop (&rows[1]);
  TestReceiver *test;
  LmccTime since;
  guint i;

  loop->end_on_silence = 60 * LMCC_SECOND;
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
  test_loop_start_sender (loop, TEST_SSRC);
  for (i = 0; i < 3; i++) {
    since = loop->now;
    test_loop_run (loop, 15 * LMCC_SECOND);
    fail_unless (count_pictures (test, since) > 24 * 10);
    if (__i__ == 0) {
      loop->paused = TRUE;
      test_loop_run (loop, 55 * LMCC_SECOND);
      loop->paused = FALSE;
    } else {
      test_loop_kill_sender (loop);
      test_loop_run (loop, 55 * LMCC_SECOND);
      loop->nonce++;
      test_loop_start_sender (loop, TEST_SSRC);
    }
  }
  fail_unless_equals_int (test->n_ends, 0);
  test_loop_free (loop);
}

GST_END_TEST;

/* A receiver that ended may be started again. */
GST_START_TEST (test_a_receiver_that_is_started_again_takes_the_next_session)
{
  TestLoop *loop = make_loop (&rows[1]);
  TestReceiver *test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
  LmccTime since;

  test_loop_start_sender (loop, TEST_SSRC);
  test_loop_run (loop, 5 * LMCC_SECOND);
  end_session (loop);
  test_loop_run (loop, 5 * LMCC_SECOND);
  test_loop_kill_sender (loop);
  loop->nonce = TEST_NONCE + 1;
  test_loop_start_sender (loop, TEST_OTHER_SSRC);
  since = loop->now;
  lmcc_receiver_start (test->receiver, loop->now);
  test_loop_run (loop, 5 * LMCC_SECOND);
  fail_unless_equals_int (test->n_ends, 1);
  fail_unless (count_pictures (test, since) > 48);
  end_session (loop);
  test_loop_run (loop, 5 * LMCC_SECOND);
  fail_unless_equals_int (test->n_ends, 2);
  test_loop_free (loop);
}

GST_END_TEST;

static Suite *
receiver_goodbye_suite (void)
{
  Suite *suite = suite_create ("receiver-goodbye");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  tcase_add_loop_test (tcase, test_all_that_was_sent_comes_out_before_the_end,
      0, G_N_ELEMENTS (rows));
  tcase_add_test (tcase,
      test_a_goodbye_that_the_sender_goes_on_after_ends_nothing);
  tcase_add_test (tcase, test_what_is_no_goodbye_ends_nothing);
  tcase_add_test (tcase,
      test_without_being_asked_to_a_receiver_waits_for_the_next);
  tcase_add_loop_test (tcase, test_one_goodbye_of_several_is_enough, 0,
      LMCC_BYE_COPIES + 1);
  tcase_add_loop_test (tcase, test_a_sender_that_vanished_is_waited_for_so_long,
      0, 3);
  tcase_add_loop_test (tcase, test_a_sender_that_comes_back_goes_on, 0, 2);
  tcase_add_loop_test (tcase, test_the_next_session_is_not_taken, 0, 2);
  tcase_add_test (tcase,
      test_a_receiver_that_is_started_again_takes_the_next_session);

  return suite;
}

GST_CHECK_MAIN (receiver_goodbye);
