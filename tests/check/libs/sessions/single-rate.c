/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests single-rate sessions: beside each other, beside TCP, with receivers
 * that leave and return, over links that change.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/single-rate/tfmcc-wire.h>
#include <gst/lmcc/wire/rtp.h>
#include <string.h>

#include "support/test-single.h"

#define MAX_KEY_PACKETS 16

GST_START_TEST (an_encoder_fills_the_link)
{
  TestWorld *world = test_single_new (&test_single_narrow);
  TestSingleSession *session =
      test_single_add_session (world, test_single_algorithms[__i__]);
  TestSingleReceiver *r = test_single_add_receiver (session, 0);
  LmccReceiverStats stats;
  gdouble rate;

  test_single_add_receiver (session, 10 * LMCC_MSECOND);
  test_single_run (world, 30);
  rate = test_single_measure (session, 60);
  GST_INFO ("%s: %.0f bit/s, oldest %.0f ms", test_single_algorithms[__i__],
      rate, session->oldest / (gdouble) LMCC_MSECOND);
  fail_unless (rate > 0.6 * 1000000 && rate < 1000000, "%f", rate);
  fail_unless (test_single_get_stats (session)->has_leader);
  fail_unless (r->delivered > 0);
  lmcc_receiver_get_stats (r->receiver, world->now, &stats);
  fail_unless_equals_string (stats.algorithm, test_single_algorithms[__i__]);
  fail_unless (stats.status.has_leader);
  fail_unless (stats.status.leader == test_single_get_stats (session)->leader);
  fail_unless (stats.rtt >= 50 * LMCC_MSECOND && stats.rtt < 400 * LMCC_MSECOND,
      "%g", stats.rtt / 1e9);
  fail_unless (stats.status.loss_event_rate < 0.1);
  test_world_free (world);
}

GST_END_TEST;

GST_START_TEST (two_sessions_share_a_link)
{
  TestWorld *world = test_single_new (&test_single_narrow);
  TestSingleSession *a =
      test_single_add_session (world, test_single_algorithms[__i__]);
  TestSingleSession *b;
  guint64 first, second;

  test_single_add_receiver (a, 0);
  test_single_run (world, 20);
  b = test_single_add_session (world, test_single_algorithms[__i__]);
  test_single_add_receiver (b, 0);
  test_single_run (world, 60);
  first = a->base.bytes;
  second = b->base.bytes;
  test_single_run (world, 120);
  first = a->base.bytes - first;
  second = b->base.bytes - second;
  GST_INFO ("%s: %" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT " bit/s",
      test_single_algorithms[__i__], first * 8 / 120, second * 8 / 120);
  fail_unless (test_world_fairness (first, second) >= 0.9, "%f",
      test_world_fairness (first, second));
  fail_unless ((first + second) * 8 / 120 > 0.6 * 1000000);
  test_world_free (world);
}

GST_END_TEST;

/* RFC 5348 section 1: within a factor of two of TCP. The encoder stays below
 * the allowed rate, and so leaves more. */
GST_START_TEST (tcp_beside_a_session_has_its_share)
{
  TestWorld *world = test_single_new (&test_single_narrow);
  TestSingleSession *session =
      test_single_add_session (world, test_single_algorithms[__i__]);
  gdouble rate, tcp;

  test_single_add_receiver (session, 0);
  test_single_run (world, 20);
  test_world_start_tcp (world, 0);
  test_single_run (world, 40);
  world->tcp_bytes = 0;
  rate = test_single_measure (session, 120);
  tcp = 8.0 * (gdouble) world->tcp_bytes / 120;
  GST_INFO ("%s: %.0f bit/s, TCP %.0f", test_single_algorithms[__i__], rate,
      tcp);
  fail_unless (rate < 2 * tcp && tcp < 5 * rate, "%f, TCP %f", rate, tcp);
  test_world_free (world);
}

GST_END_TEST;

/* No receiver for some time, then one. */
GST_START_TEST (a_session_waits_for_receivers_and_goes_on)
{
  TestWorld *world = test_single_new (&test_single_narrow);
  TestSingleSession *session =
      test_single_add_session (world, test_single_algorithms[__i__]);
  TestSingleReceiver *r = test_single_add_receiver (session, 0);
  gdouble before, alone, after;
  guint64 delivered;

  test_single_run (world, 20);
  before = test_single_measure (session, 10);
  lmcc_receiver_stop (r->receiver, world->now);
  test_single_run (world, 30);
  alone = test_single_measure (session, 10);
  delivered = r->delivered;
  lmcc_receiver_start (r->receiver, world->now);
  test_single_run (world, 20);
  after = test_single_measure (session, 10);
  GST_INFO ("%s: %.0f, alone %.0f, after %.0f bit/s, %" G_GUINT64_FORMAT
            " stalls",
      test_single_algorithms[__i__], before, alone, after,
      test_single_get_stats (session)->stalls);
  fail_unless (alone < before / 10, "%f", alone);
  fail_unless (after > before / 2, "%f after %f", after, before);
  fail_unless (r->delivered > delivered);
  fail_unless (test_single_get_stats (session)->units_expired > 0);
  if (g_str_equal (test_single_algorithms[__i__], "pgmcc"))
    fail_unless (test_single_get_stats (session)->stalls >= 2);
  test_world_free (world);
}

GST_END_TEST;

/* The encoder ignores the rate and makes 50 % too much. Frames that no other
 * frame needs are dropped. */
GST_START_TEST (the_least_important_frames_go_first)
{
  TestWorld *world = test_single_new (&test_single_narrow);
  TestSingleSession *session = test_single_add_session (world, "pgmcc");
  const LmccSenderStats *stats;

  session->fixed_rate = 1300000;
  test_single_add_receiver (session, 0);
  test_single_run (world, 60);
  stats = lmcc_sender_get_stats (session->sender);
  GST_INFO ("sent %" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT
            ", dropped %" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT,
      session->sent_of_class[0], session->sent_of_class[1],
      stats->units_dropped[0], stats->units_dropped[1]);
  fail_unless (session->sent_of_class[0] > session->sent_of_class[1]);
  fail_unless (stats->units_dropped[1] > stats->units_dropped[0]);
  test_world_free (world);
}

GST_END_TEST;

/* Time in ms until the encoder's rate fits the link; the limit if never. */
static guint
time_to_follow (TestWorld *world, const TestSingleSession *session,
    gdouble least, gdouble most, guint limit)
{
  guint ms;

  for (ms = 0; ms < limit; ms += 10) {
    if (session->encoder_rate >= least && session->encoder_rate <= most)
      break;
    test_world_run (world, 10 * LMCC_MSECOND);
  }

  return ms;
}

/* To leave in time, a key frame needs up to 16 times the start rate of a
 * session. In ms: TFMCC's first report arrives within six R_max of 500 ms
 * (RFC 4654 section 3.4), the rate then doubles in each of five (section
 * 3.6), and the estimate lags behind. */
#define STARTED (6 * 500 + 5 * 500 + 1000)

GST_START_TEST (a_session_starts_whose_key_frames_do_not_fit)
{
  const gchar *algorithm =
      test_single_algorithms[__i__ % TEST_SINGLE_ALGORITHMS];
  TestWorld *world = test_single_new (&test_single_narrow);
  TestSingleSession *session = test_single_add_session (world, algorithm);
  guint ms = 0;

  session->key_packets = 1 + (guint) __i__ / TEST_SINGLE_ALGORITHMS;
  test_single_add_receiver (session, 0);
  for (; ms < 60000 && session->encoder_rate < 300000; ms += 40)
    test_world_run (world, 40 * LMCC_MSECOND);
  GST_INFO ("%s, key frames of %u packets: %u ms", algorithm,
      session->key_packets, ms);
  fail_unless (ms <= STARTED, "%s, key frames of %u packets: %u ms", algorithm,
      session->key_packets, ms);
  test_world_free (world);
}

GST_END_TEST;

/* A home router with 150 ms of queue. */
static void
set_link (TestWorld *world, guint64 rate)
{
  world->links[0].settings.rate = rate;
  world->links[0].settings.queue_bytes = rate / 8 * 15 / 100;
}

/* TFMCC's rate grows by 8 s / R_max in each R_max (RFC 4654 section 3.3),
 * and R_max falls by a tenth per round (section 3.2), which is two times six
 * of it with one receiver (section 3.4). Time in ms from the sender's
 * current rate to the one with a media rate of @media bit/s, less a
 * twentieth for control packets and the headers of each packet. */
static guint
time_by_rule (const TestSingleSession *session, gdouble media)
{
  const LmccSingleRateStats *stats = test_single_get_stats (session);
  gdouble headers = TEST_WORLD_IP_OVERHEAD + LMCC_RTP_OVERHEAD
      + LMCC_RTP_HEADER_SIZE + LMCC_TFMCC_ELEMENT_SIZE;
  gdouble wanted = media / 0.95 / (1 - headers / TEST_SINGLE_PACKET);
  gdouble rtt_max = (gdouble) stats->rtt / LMCC_SECOND;
  gdouble rate = stats->rate, time = 0;

  while (rate < wanted) {
    gdouble round = 12 * rtt_max;
    gdouble slope = 8.0 * TEST_SINGLE_PACKET / (rtt_max * rtt_max);
    gdouble needed = (wanted - rate) / slope;

    time += MIN (round, needed);
    rate += slope * round;
    rtt_max *= 0.9;
  }

  return (guint) (1000 * time);
}

#define FOLLOW_LIMIT 3000

/* Beyond TFMCC's rules: the estimate is smoothed over 150 ms, and the
 * encoder reads it once per frame. */
#define SMOOTHING 400

/* Time in ms until the rates come down, and to go up beyond TFMCC's own
 * rules. */
typedef struct
{
  gint down;
  gint up;
} Following;

static Following
follow_link (const gchar *algorithm, guint moment)
{
  TestLinkSettings settings = { .delay = 15 * LMCC_MSECOND };
  TestWorld *world = test_single_new (&settings);
  TestSingleSession *session = test_single_add_session (world, algorithm);
  Following found;
  guint rule = 0;

  test_single_add_receiver (session, 0);
  set_link (world, 2000000);
  test_single_run (world, 20 + moment);
  set_link (world, 500000);
  found.down = (gint) time_to_follow (world, session, 0, 500000, 10000);
  test_single_run (world, 20);
  set_link (world, 2000000);
  if (g_str_equal (algorithm, "tfmcc"))
    rule = time_by_rule (session, 1000000);
  found.up = (gint) time_to_follow (world, session, 1000000, 2000000, 20000)
      - (gint) rule;
  GST_INFO ("%s: down in %d ms, up in %d ms more than the %u of TFMCC's rules",
      algorithm, found.down, found.up, rule);
  test_world_free (world);

  return found;
}

static gint
compare_up (gconstpointer a, gconstpointer b)
{
  return ((const Following *) a)->up - ((const Following *) b)->up;
}

#define N_MOMENTS 7

/* A key frame or a loss at the moment of the link change makes it longer:
 * the median counts. At 16 moments, TFMCC takes up to 0.7 s more than by its
 * rules. */
GST_START_TEST (the_encoder_follows_a_link_that_changes)
{
  const gchar *algorithm = test_single_algorithms[__i__];
  gint limit = g_str_equal (algorithm, "tfmcc") ? SMOOTHING : FOLLOW_LIMIT;
  Following found[N_MOMENTS];
  guint i;

  for (i = 0; i < N_MOMENTS; i++) {
    found[i] = follow_link (algorithm, i);
    fail_unless (found[i].down <= FOLLOW_LIMIT, "%d", found[i].down);
  }
  qsort (found, N_MOMENTS, sizeof (found[0]), compare_up);
  fail_unless (found[N_MOMENTS / 2].up <= limit, "%d", found[N_MOMENTS / 2].up);
}

GST_END_TEST;

static Suite *
single_rate_suite (void)
{
  Suite *suite = suite_create ("single-rate");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 120);
  tcase_add_loop_test (tcase, an_encoder_fills_the_link, 0,
      TEST_SINGLE_ALGORITHMS);
  tcase_add_loop_test (tcase, two_sessions_share_a_link, 0,
      TEST_SINGLE_ALGORITHMS);
  tcase_add_loop_test (tcase, tcp_beside_a_session_has_its_share, 0,
      TEST_SINGLE_ALGORITHMS);
  tcase_add_loop_test (tcase, a_session_waits_for_receivers_and_goes_on, 0,
      TEST_SINGLE_ALGORITHMS);
  tcase_add_loop_test (tcase, a_session_starts_whose_key_frames_do_not_fit, 0,
      MAX_KEY_PACKETS * TEST_SINGLE_ALGORITHMS);
  tcase_add_test (tcase, the_least_important_frames_go_first);
  tcase_add_loop_test (tcase, the_encoder_follows_a_link_that_changes, 0,
      TEST_SINGLE_ALGORITHMS);

  return suite;
}

GST_CHECK_MAIN (single_rate);
