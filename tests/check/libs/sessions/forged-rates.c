/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests session records, in the sender's name, with rates that are far too
 * low: neither a forger nor a sender with wrong rates may make a receiver
 * stay at a level that its link does not carry.
 */
#include "support/test-net.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/wire/rtcp.h>
#include <string.h>

#define KBIT 1000
#define N_LAYERS 7
#define SETTLING (60 * LMCC_SECOND)
#define JUDGED (90 * LMCC_SECOND)
#define STEP (10 * LMCC_MSECOND)

/* Longest time at a level that the link does not carry. */
#define LONGEST (2 * LMCC_SECOND)

typedef struct
{
  guint rate; /* of the link, in 100 kbit/s */
  guint rtt_ms;
  gint announced; /* bit/s, each layer; negative: percent of its real rate */
  gboolean early; /* since the start */
} Case;

static const Case cases[] = {
  { 15, 60, 1000, FALSE },
  { 15, 60, 1000, TRUE },
  { 30, 100, 1000, FALSE },
  { 60, 30, 1000, TRUE },
  { 60, 30, 1, FALSE },
  { 30, 60, 0, FALSE },
  { 30, 60, 0, TRUE },
  { 15, 60, -50, FALSE },
  { 30, 60, -70, FALSE },
  { 15, 60, -80, FALSE },
  { 30, 60, -90, FALSE },
  { 30, 60, -25, TRUE },
  { 60, 30, -50, TRUE },
};

static const gchar *const algorithms[] = { "elm", "plumb" };

static void
forge (TestNet *net, gint rate, guint32 revision)
{
  LmccSession session = *lmcc_sender_get_session (net->sender);
  LmccSenderReport report = { .ssrc = session.ssrc_base };
  LmccRecordFragment fragment = { .ssrc = session.ssrc_base, .count = 1 };
  g_autoptr (LmccPacket) packet = NULL;
  g_autofree gchar *text = NULL;
  guint i;

  session.revision += revision;
  for (i = 0; i < session.n_layers; i++)
    session.layers[i].rate = rate >= 0
        ? (guint64) rate
        : (guint64) (net->config.rates[i] * -rate / 100);
  text = lmcc_sdp_format (&session, LMCC_SDP_RECORD);
  fragment.version = (guint16) session.revision;
  fragment.data = (const guint8 *) text;
  fragment.size = strlen (text);
  packet = lmcc_rtcp_build (&report, 1, "forged", &fragment);
  lmcc_receiver_handle_control (net->receivers[0].receiver, net->now,
      &net->sender_address, 40000, packet->data, packet->size);
}

/* Returns: the longest time at a level that the link does not carry */
static LmccTime
receive (const Case *c, const gchar *algorithm, gboolean forged)
{
  TestNetConfig config = { .n_layers = N_LAYERS,
    .algorithm = algorithm,
    .join_latency = 20 * LMCC_MSECOND,
    .leave_latency = 200 * LMCC_MSECOND,
    .shared = { .rate = c->rate * 100 * KBIT,
        .delay = c->rtt_ms * LMCC_MSECOND / 2 },
    .seed = 1 };
  TestNetReceiverConfig receiver = { .max_level = -1 };
  g_autoptr (TestNet) net = NULL;
  LmccTime since = 0, longest = 0, begin;
  guint32 revision = 0;

  config.shared.queue_bytes = config.shared.rate / 8 * c->rtt_ms / 1000;
  lmcc_rates_compute (LMCC_RATE_SCHEME_DOUBLING, 128 * KBIT, 0, N_LAYERS,
      config.rates, NULL);
  net = test_net_new (&config);
  test_net_add_receiver (net, &receiver);
  test_net_run (net, c->early ? LMCC_SECOND : SETTLING);
  for (begin = net->now; net->now < begin + JUDGED;) {
    if (forged && (net->now - begin) % (200 * LMCC_MSECOND) == 0)
      forge (net, c->announced, ++revision);
    test_net_run (net, STEP);
    if (test_net_cumulative_rate (net, net->receivers[0].level)
        <= config.shared.rate)
      since = net->now;
    longest = MAX (longest, net->now - since);
  }

  return longest;
}

GST_START_TEST (no_level_is_held_that_the_link_does_not_carry)
{
  const Case *c = &cases[(guint) __i__ % G_N_ELEMENTS (cases)];
  const gchar *algorithm = algorithms[(guint) __i__ / G_N_ELEMENTS (cases)];
  /* For comparison. */
  LmccTime honest = test_net_is_slow () ? 0 : receive (c, algorithm, FALSE);
  LmccTime forged = receive (c, algorithm, TRUE);

  GST_INFO ("honest %.2f s, forged %.2f s", honest / 1e9, forged / 1e9);
  fail_unless (forged <= LONGEST, "%s: for %.2f s (honest: %.2f s)", algorithm,
      forged / 1e9, honest / 1e9);
}

GST_END_TEST;

static Suite *
forged_rates_suite (void)
{
  Suite *s = suite_create ("forged-rates");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_loop_test (tc, no_level_is_held_that_the_link_does_not_carry, 0,
      (test_net_is_slow () ? 1 : G_N_ELEMENTS (algorithms))
          * G_N_ELEMENTS (cases));

  return s;
}

GST_CHECK_MAIN (forged_rates);
