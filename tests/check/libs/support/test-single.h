/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sessions with one rate for all receivers, through the public senders and
 * receivers, over a link in virtual time, in steps of 1 ms. The encoder is a model
 * that follows the estimate.
 */
#ifndef TEST_SINGLE_H
#define TEST_SINGLE_H

#include <gst/lmcc/lmcc.h>

#include "support/test-link.h"
#include "support/test-tcp.h"

#define TEST_SINGLE_START (100 * LMCC_SECOND)
#define TEST_SINGLE_PACKET 1000 /* IP packet */
#define TEST_SINGLE_IP_OVERHEAD 28
#define TEST_SINGLE_PORT 5005
#define TEST_SINGLE_SESSIONS 2
#define TEST_SINGLE_RECEIVERS 4

/* What the payload of a packet begins with. */
typedef struct
{
  LmccTime decoding_time;
  guint32 number;
  guint32 reference;            /* of class 0; its own number: none */
} TestSingleFrame;

typedef struct
{
  LmccReceiver *receiver;
  LmccAddress address;
  gboolean joined;
  TestLink back;
  guint64 bytes;
  guint64 delivered;
  guint64 reports;
} TestSingleReceiver;

typedef struct
{
  LmccSender *sender;
  guint32 ssrc_base;
  LmccAddress group;
  LmccAddress source;
  LmccTime next_frame;
  guint32 n_frames;
  guint32 reference;
  gboolean key_wanted;
  guint key_packets;            /* of a key frame at least */
  gdouble fixed_rate;           /* of the encoder; 0: it follows the estimate */
  gdouble encoder_rate;
  gdouble owed;                 /* bytes that fit into no whole packet yet */
  guint64 bytes;
  guint32 whole;                /* the latest class-0 frame that left whole */
  guint64 sent_of_class[2];
  LmccTime oldest;
  guint16 lsn;                  /* of the latest packet */
  TestSingleReceiver receivers[TEST_SINGLE_RECEIVERS];
  guint n_receivers;
} TestSingleSession;

typedef struct
{
  LmccTime now;
  TestLink link;
  TestSingleSession sessions[TEST_SINGLE_SESSIONS];
  guint n_sessions;
  TestTcp *tcp;
  TestLink tcp_back;
  guint64 tcp_bytes;
} TestSingle;

/* 1 Mbit/s, 25 ms each way, 20 packets. */
extern const TestLinkSettings test_single_narrow;

/* pgmcc and tfmcc */
#define TEST_SINGLE_ALGORITHMS 2
extern const gchar *const test_single_algorithms[TEST_SINGLE_ALGORITHMS];

TestSingle *test_single_new (const TestLinkSettings * settings);
void test_single_free (TestSingle * world);
TestSingleSession *test_single_add_session (TestSingle * world,
    const gchar * algorithm);
TestSingleSession *test_single_add_session_with (TestSingle * world,
    const gchar * algorithm, const gchar * sound);
TestSingleReceiver *test_single_add_receiver (TestSingle * world,
    TestSingleSession * session, LmccTime extra);
void test_single_start_tcp (TestSingle * world);
void test_single_run_ms (TestSingle * world, guint ms);
void test_single_run (TestSingle * world, guint seconds);
gdouble test_single_measure (TestSingle * world,
    TestSingleSession * session, guint seconds);
const LmccSingleRateStats *test_single_get_stats (
    const TestSingleSession * session);

#endif
