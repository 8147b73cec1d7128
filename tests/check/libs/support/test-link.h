/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A link in virtual time: a drop-tail queue, a transmitter of fixed rate,
 * and a wire with delay and random packet loss from a seeded generator.
 */
#ifndef TEST_LINK_H
#define TEST_LINK_H

#include <gst/lmcc/lmcc-packet.h>

/* Flow 0 is the session; the other flows compete with it. */
#define TEST_LINK_FLOWS 9

/**
 * TestLinkSettings:
 * @rate: bit/s of IP packets; 0: infinite
 * @delay: one-way delay of the wire
 * @queue_packets: queue limit in packets, without the one being sent; 0:
 *     unlimited
 * @queue_bytes: queue limit in bytes, without the packet being sent; 0:
 *     unlimited
 * @loss: share of packets lost on the wire
 * @to_bad: probability per packet of going from the good to the bad state
 *     (Gilbert, "Capacity of a Burst-Noise Channel", 1960); 0: always good
 * @to_good: probability per packet of going back
 * @bad_loss: share of packets lost in the bad state
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
 * @packets: packets given to the link
 * @bytes: bytes given to the link
 * @dropped: packets dropped because the queue was full
 * @lost: packets lost on the wire
 * @arrived_bytes: bytes that arrived
 * @queue_delay_max: longest time from submission to the start of the
 *     transmission
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
 * @packet: (nullable): the bytes, if the flow has real packets
 * @sequence: sequence number of a flow without bytes
 * @size: size of the IP packet
 * @flow: the flow that it belongs to
 * @group: multicast group
 * @control: whether it is RTCP
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
  LmccTime begins; /* waiting for transmission */
  LmccTime arrives;
} TestLinkEntry;

typedef struct
{
  TestLinkSettings settings;
  TestLinkCounters total;
  TestLinkCounters flows[TEST_LINK_FLOWS];
  GRand *random;
  gboolean bad;
  LmccTime free_at; /* transmitter */
  LmccTime last_arrival;
  TestLinkEntry *ring;
  guint mask;
  guint64 head;    /* next packet to arrive */
  guint64 waiting; /* first packet whose transmission has not begun */
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
