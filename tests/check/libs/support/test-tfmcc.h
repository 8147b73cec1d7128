/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * TFMCC's sender and receivers in a TestWorld, without sessions around them.
 * Reports are real bytes, and some are forged.
 */
#ifndef TEST_TFMCC_H
#define TEST_TFMCC_H

#include <gst/lmcc/control/single-rate/tfmcc-receiver.h>
#include <gst/lmcc/control/single-rate/tfmcc-sender.h>
#include <gst/lmcc/receiver/layer-account.h>

#include "support/test-world.h"

#define TEST_TFMCC_PACKET TEST_TCP_SEGMENT
#define TEST_TFMCC_SSRC_BASE 0x12345000u

typedef struct
{
  TestWorldReceiver base;
  LmccTfmccReceiver *receiver; /* NULL: it has left */
  LmccReordering reordering;
  LmccLayerAccount *account;
} TestTfmccReceiver;

typedef struct
{
  TestWorldSession base;
  LmccTfmccSender *sender;
  LmccTime next_packet;
  guint16 lsn;
  guint64 other_reports; /* of receivers other than the limiting one */
  guint64 round;
  guint64 round_reports;
  guint64 most_reports;
} TestTfmcc;

/* 1 Mbit/s, 50 ms, queue of 25 packets. */
extern const TestLinkSettings test_tfmcc_mbit;

TestTfmcc *test_tfmcc_new (const TestLinkSettings *link, gdouble max_rate);
void test_tfmcc_free (TestTfmcc *tfmcc);
TestTfmccReceiver *
test_tfmcc_add_receiver (TestTfmcc *tfmcc, const TestLinkSettings *own);
void test_tfmcc_stop_receiver (TestTfmccReceiver *r);
gboolean test_tfmcc_has_limiting (TestTfmcc *tfmcc);
guint test_tfmcc_limiting (TestTfmcc *tfmcc);
gdouble test_tfmcc_rate (TestTfmcc *tfmcc);
gboolean test_tfmcc_is_slow_start (TestTfmcc *tfmcc);
LmccTfmccReport test_tfmcc_forge (const TestTfmcc *tfmcc, gdouble rate,
    gboolean has_rtt, LmccTime rtt);
gboolean test_tfmcc_hand_in (TestTfmcc *tfmcc, const LmccTfmccReport *report);
gboolean test_tfmcc_hand_in_from (TestTfmcc *tfmcc, guint origin,
    const LmccTfmccReport *report);

#endif
