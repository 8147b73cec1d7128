/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A link in virtual time: a DropTail queue, a transmitter of so many bit/s, a wire
 * of some length that may lose packets by a seeded die.
 */
#ifndef TEST_LINK_H
#define TEST_LINK_H

#include <gst/lmcc/lmcc-packet.h>

/* Flow 0 is the session, the others compete with it. */
#define TEST_LINK_FLOWS 9

/**
 * TestLinkSettings:
 * @rate: bit/s of IP packets; 0: infinite
 * @delay: of the wire, one way
 * @queue_packets: how many may wait while one is sent; 0: any number
 * @queue_bytes: how many bytes may wait while a packet is sent; 0: any number
 * @loss: share of the packets that the wire loses
 * @to_bad: chance at each packet to go from the good to the bad state (Gilbert,
 *     "Capacity of a Burst-Noise Channel", 1960); 0: always good
 * @to_good: chance at each packet to go back
 * @bad_loss: share that is lost in the bad state
 */
typedef struct
{
  guint64 rate;
  LmccTime delay;
  guint queue_packets;
  guint64 queue_bytes;
  gdouble loss;
  gdouble to_bad;
  gdouble to_good;
  gdouble bad_loss;
} TestLinkSettings;

/**
 * TestLinkCounters:
 * @packets: given to the link
 * @bytes: of these
 * @dropped: of these: no room in the queue
 * @lost: of these: lost on the wire
 * @arrived_bytes: of what neither happened to
 * @queue_delay_max: longest time from submission to the start of transmission
 */
typedef struct
{
  guint64 packets;
  guint64 bytes;
  guint64 dropped;
  guint64 lost;
  guint64 arrived_bytes;
  LmccTime queue_delay_max;
} TestLinkCounters;

/**
 * TestLinkPacket:
 * @packet: (nullable): the bytes, where there are any
 * @sequence: for a flow without bytes
 * @size: of the IP packet
 * @flow: whose it is
 * @group: multicast group
 * @control: RTCP
 */
typedef struct
{
  LmccPacket *packet;
  guint64 sequence;
  guint32 size;
  guint8 flow;
  guint8 group;
  guint8 control;
} TestLinkPacket;

typedef struct
{
  TestLinkPacket content;
  gboolean lost;
  LmccTime begins; /* to be transmitted */
  LmccTime arrives;
} TestLinkEntry;

typedef struct
{
  TestLinkSettings settings;
  TestLinkCounters total;
  TestLinkCounters flows[TEST_LINK_FLOWS];
  GRand *random;
  gboolean bad;
  LmccTime free_at; /* the transmitter */
  LmccTime last_arrival;
  TestLinkEntry *ring;
  guint mask;
  guint64 head;    /* next to arrive */
  guint64 waiting; /* first whose transmission has not begun */
  guint64 tail;
  guint64 waiting_bytes;
} TestLink;

void
test_link_init (TestLink *link, const TestLinkSettings *settings, guint32 seed);
void test_link_clear (TestLink *link);
gboolean test_link_submit (TestLink *link, const TestLinkPacket *packet,
    LmccTime now, LmccTime *arrival);
LmccTime test_link_next_arrival (const TestLink *link);
gboolean test_link_take (TestLink *link, TestLinkPacket *packet);
LmccTime test_link_queue_delay (const TestLink *link, LmccTime now);

#endif
