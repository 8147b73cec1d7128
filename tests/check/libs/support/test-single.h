/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Single-rate sessions in a TestWorld, through the public sender and
 * receiver API. The model encoder follows the estimated rate.
 */
#ifndef TEST_SINGLE_H
#define TEST_SINGLE_H

#include <gst/lmcc/lmcc.h>

#include "support/test-world.h"

#define TEST_SINGLE_PACKET 1000 /* size of the IP packet */
#define TEST_SINGLE_PORT 5005

/* Start of a packet's payload. */
typedef struct
{
  LmccTime decoding_time;
  guint32 number;
  guint32 reference; /* class 0 frame; its own number: none */
} TestSingleFrame;

typedef struct
{
  TestWorldReceiver base;
  LmccReceiver *receiver;
  LmccAddress address;
  gboolean joined;
  guint64 delivered;
} TestSingleReceiver;

typedef struct
{
  TestWorldSession base;
  LmccSender *sender;
  guint32 ssrc_base;
  LmccAddress group;
  LmccAddress source;
  LmccTime next_frame;
  guint32 n_frames;
  guint32 reference;
  gboolean key_wanted;
  guint key_packets;  /* smallest size of a key frame */
  gdouble fixed_rate; /* encoder rate; 0: follow the estimate */
  gdouble encoder_rate;
  gdouble owed;  /* bytes that do not fill a packet yet */
  guint32 whole; /* latest class 0 frame sent whole */
  guint64 sent_of_class[2];
  LmccTime oldest;
  guint16 lsn; /* of the latest packet */
} TestSingleSession;

/* 1 Mbit/s, 25 ms each way, queue of 20 packets. */
extern const TestLinkSettings test_single_narrow;

/* pgmcc and tfmcc */
#define TEST_SINGLE_ALGORITHMS 2
extern const gchar *const test_single_algorithms[TEST_SINGLE_ALGORITHMS];

TestWorld *test_single_new (const TestLinkSettings *settings);
TestSingleSession *
test_single_add_session (TestWorld *world, const gchar *algorithm);
TestSingleSession *test_single_add_session_with (TestWorld *world,
    const gchar *algorithm, const gchar *sound);
TestSingleReceiver *
test_single_add_receiver (TestSingleSession *session, LmccTime extra);
void test_single_run (TestWorld *world, guint seconds);
gdouble test_single_measure (TestSingleSession *session, guint seconds);
const LmccSingleRateStats *
test_single_get_stats (const TestSingleSession *session);

#endif
