/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/test-tfmcc.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/single-rate/tfmcc-wire.h>
#include <gst/lmcc/measure/loss.h>
#include <gst/lmcc/wire/layer-header.h>
#include <string.h>

#define FIRST_SSRC 0xcafe0000u
#define SEND_TIME_SIZE 4

/* An address without a receiver. */
#define FORGED_ORIGIN 1000

const TestLinkSettings test_tfmcc_mbit = { .rate = 1000000,
  .delay = 50 * LMCC_MSECOND,
  .queue_packets = 25 };

static void
send_data (TestWorldSession *base)
{
  TestTfmcc *tfmcc = (TestTfmcc *) base;
  LmccTime now = base->world->now;

  if (lmcc_tfmcc_sender_next_timeout (tfmcc->sender) <= now)
    lmcc_tfmcc_sender_handle_timeout (tfmcc->sender, now);
  while (tfmcc->next_packet <= now) {
    guint8 data[SEND_TIME_SIZE + LMCC_TFMCC_ELEMENT_SIZE];
    guint32 clock = g_htonl (test_world_send_clock (base->world));
    const TestLinkPacket content = { .sequence = tfmcc->lsn++,
      .size = TEST_TFMCC_PACKET };
    LmccTfmccElement element;

    lmcc_tfmcc_sender_get_element (tfmcc->sender, now, &element);
    memcpy (data, &clock, SEND_TIME_SIZE);
    lmcc_tfmcc_element_write (&element, data + SEND_TIME_SIZE);
    test_world_send (base, lmcc_packet_new_copy (data, sizeof (data)),
        &content);
    tfmcc->next_packet += (LmccTime) (8.0 * TEST_TFMCC_PACKET * LMCC_SECOND
        / lmcc_tfmcc_sender_get_rate (tfmcc->sender));
  }
}

static void
drain_reports (TestTfmccReceiver *r)
{
  LmccTfmccReport report;

  while (lmcc_tfmcc_receiver_poll_report (r->receiver,
      r->base.session->world->now, &report))
    test_world_report (&r->base, lmcc_tfmcc_report_build (&report));
}

static void
drain_losses (TestTfmccReceiver *r)
{
  LmccLoss loss;

  while (lmcc_layer_account_poll_loss (r->account, &loss))
    lmcc_tfmcc_receiver_loss (r->receiver, r->base.session->world->now, &loss);
}

static void
receive (TestWorldReceiver *base, const TestLinkPacket *packet)
{
  TestTfmccReceiver *r = (TestTfmccReceiver *) base;
  LmccTime now = base->session->world->now;
  LmccTfmccElement element;
  LmccArrival arrival;
  guint32 clock;

  if (r->receiver == NULL)
    return;
  memcpy (&clock, packet->packet->data, SEND_TIME_SIZE);
  fail_unless (lmcc_tfmcc_element_parse (packet->packet->data + SEND_TIME_SIZE,
      LMCC_TFMCC_ELEMENT_SIZE, &element));
  arrival = lmcc_layer_account_packet (r->account, now,
      (guint16) packet->sequence, packet->size);
  fail_if (arrival == LMCC_ARRIVAL_DUPLICATE);
  base->bytes += packet->size;
  lmcc_tfmcc_receiver_packet (r->receiver, now, packet->size, g_ntohl (clock),
      &element);
  drain_losses (r);
  drain_reports (r);
}

static void
run_receiver (TestWorldReceiver *base)
{
  TestTfmccReceiver *r = (TestTfmccReceiver *) base;
  LmccTime now = base->session->world->now;

  if (r->receiver == NULL)
    return;
  if (lmcc_layer_account_next_timeout (r->account) <= now) {
    lmcc_layer_account_timeout (r->account, now);
    drain_losses (r);
  }
  if (lmcc_tfmcc_receiver_next_timeout (r->receiver) <= now)
    lmcc_tfmcc_receiver_handle_timeout (r->receiver, now);
  drain_reports (r);
}

static void
count_report (TestTfmcc *tfmcc, guint32 ssrc)
{
  guint64 round = lmcc_tfmcc_sender_get_rounds (tfmcc->sender);
  guint32 limiting;

  if (lmcc_tfmcc_sender_get_limiting (tfmcc->sender, &limiting)
      && limiting == ssrc)
    return;
  if (round != tfmcc->round)
    tfmcc->round_reports = 0;
  tfmcc->round = round;
  tfmcc->round_reports++;
  tfmcc->other_reports++;
  tfmcc->most_reports = MAX (tfmcc->most_reports, tfmcc->round_reports);
}

static void
take_report (TestWorldReceiver *base, const LmccPacket *packet)
{
  TestTfmcc *tfmcc = (TestTfmcc *) base->session;
  LmccTfmccReport report;

  fail_unless (lmcc_tfmcc_report_parse (packet->data, packet->size, &report));
  count_report (tfmcc, report.ssrc);
  fail_unless (test_tfmcc_hand_in_from (tfmcc, base->index, &report));
}

static void
clear_receiver (TestWorldReceiver *base)
{
  test_tfmcc_stop_receiver ((TestTfmccReceiver *) base);
}

static void
clear_session (TestWorldSession *base)
{
  lmcc_tfmcc_sender_free (((TestTfmcc *) base)->sender);
}

static const TestWorldClass tfmcc_class = {
  .session_size = sizeof (TestTfmcc),
  .receiver_size = sizeof (TestTfmccReceiver),
  .segment = TEST_TFMCC_PACKET,
  .back_delay = 50 * LMCC_MSECOND,
  .prepare = send_data,
  .receive = receive,
  .run_receiver = run_receiver,
  .take_report = take_report,
  .clear_session = clear_session,
  .clear_receiver = clear_receiver,
};

/**
 * test_tfmcc_new:
 * @link: the link in front of all receivers and the TCP flow
 * @max_rate: bit/s
 *
 * Returns: (transfer full): a sender in its own world
 */
TestTfmcc *
test_tfmcc_new (const TestLinkSettings *link, gdouble max_rate)
{
  TestWorld *world = test_world_new (&tfmcc_class);
  TestTfmcc *tfmcc;

  test_world_add_link (world, link);
  tfmcc = test_world_add_session (world);
  tfmcc->sender = lmcc_tfmcc_sender_new (world->now, TEST_TFMCC_PACKET,
      LMCC_DEFAULT_RTT_MAX, max_rate);
  tfmcc->next_packet = world->now;
  tfmcc->lsn = 65000;

  return tfmcc;
}

void
test_tfmcc_free (TestTfmcc *tfmcc)
{
  test_world_free (tfmcc->base.world);
}

TestTfmccReceiver *
test_tfmcc_add_receiver (TestTfmcc *tfmcc, const TestLinkSettings *own)
{
  TestTfmccReceiver *r = test_world_add_receiver (&tfmcc->base, 0, own, 0);

  r->receiver = lmcc_tfmcc_receiver_new (FIRST_SSRC + r->base.index,
      TEST_TFMCC_SSRC_BASE, TEST_TFMCC_PACKET, r->base.index + 1);
  r->account = lmcc_layer_account_new (&r->reordering);

  return r;
}

void
test_tfmcc_stop_receiver (TestTfmccReceiver *r)
{
  g_clear_pointer (&r->receiver, lmcc_tfmcc_receiver_free);
  g_clear_pointer (&r->account, lmcc_layer_account_free);
}

gboolean
test_tfmcc_has_limiting (TestTfmcc *tfmcc)
{
  guint32 ssrc;

  return lmcc_tfmcc_sender_get_limiting (tfmcc->sender, &ssrc);
}

/* The index of the limiting receiver; there must be one. */
guint
test_tfmcc_limiting (TestTfmcc *tfmcc)
{
  guint32 ssrc;

  fail_unless (lmcc_tfmcc_sender_get_limiting (tfmcc->sender, &ssrc));

  return ssrc - FIRST_SSRC;
}

gdouble
test_tfmcc_rate (TestTfmcc *tfmcc)
{
  return lmcc_tfmcc_sender_get_rate (tfmcc->sender);
}

/**
 * test_tfmcc_forge:
 * @tfmcc: a sender
 * @rate: rate in the report, bit/s
 * @has_rtt: whether the report claims to know its round-trip time
 * @rtt: round-trip time shown by its echo
 *
 * Returns: a report from a receiver that does not exist
 */
LmccTfmccReport
test_tfmcc_forge (const TestTfmcc *tfmcc, gdouble rate, gboolean has_rtt,
    LmccTime rtt)
{
  return (LmccTfmccReport){ .ssrc = 0xbad,
    .ssrc_base = TEST_TFMCC_SSRC_BASE,
    .round = 1,
    .has_rtt = has_rtt,
    .has_loss = TRUE,
    .rate = rate,
    .echoed_time = test_world_send_clock (tfmcc->base.world)
        - lmcc_time_to_ntp_short (rtt) };
}

gboolean
test_tfmcc_hand_in (TestTfmcc *tfmcc, const LmccTfmccReport *report)
{
  return test_tfmcc_hand_in_from (tfmcc, FORGED_ORIGIN, report);
}

gboolean
test_tfmcc_hand_in_from (TestTfmcc *tfmcc, guint origin,
    const LmccTfmccReport *report)
{
  return lmcc_tfmcc_sender_handle_report (tfmcc->sender, tfmcc->base.world->now,
      test_world_send_clock (tfmcc->base.world), origin, report);
}

/**
 * test_tfmcc_is_slow_start:
 * @tfmcc: a session; it cannot be used afterwards
 *
 * Until a loss is reported, the rate may double within R_max; after that, it
 * grows by one packet in that time (RFC 4654 section 3.6). The limiting
 * receiver's reports that nothing limits it tell which of the two applies.
 *
 * Returns: whether it is in slow start
 */
gboolean
test_tfmcc_is_slow_start (TestTfmcc *tfmcc)
{
  gdouble before = test_tfmcc_rate (tfmcc), growth;
  guint i;

  for (i = 0; i <= 4; i++) {
    LmccTfmccReport report =
        test_tfmcc_forge (tfmcc, INFINITY, TRUE, LMCC_MSECOND);

    report.has_loss = FALSE;
    lmcc_tfmcc_sender_get_limiting (tfmcc->sender, &report.ssrc);
    fail_unless (test_tfmcc_hand_in (tfmcc, &report));
    if (i == 0)
      before = test_tfmcc_rate (tfmcc);
    tfmcc->base.world->now += lmcc_tfmcc_sender_get_rtt_max (tfmcc->sender);
  }
  growth = test_tfmcc_rate (tfmcc) / before;
  fail_unless (growth <= 5 || growth > 15, "%f", growth);

  return growth > 15;
}
