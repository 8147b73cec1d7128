/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A model of a layered encoder: each layer has its rate, to the packet, whatever
 * the sender itself adds to it (RTCP, filler). Layer i is rung i.
 */
#ifndef TEST_SOURCE_H
#define TEST_SOURCE_H

#include <gst/lmcc/lmcc.h>

G_BEGIN_DECLS

#define TEST_SOURCE_PACKET_SIZE 1000 /* of the IP packet */
#define TEST_SOURCE_INTERVAL (40 * LMCC_MSECOND)

/**
 * TestSourceTag:
 * @picture: which one
 * @n_packets: that it has
 *
 * What each packet's payload begins with.
 */
typedef struct
{
  guint32 picture;
  guint32 n_packets;
} TestSourceTag;

/**
 * TestSource:
 * @sender: takes the units
 * @packet_size: of the IP packets; %TEST_SOURCE_PACKET_SIZE unless set otherwise
 * @started: when the rates began
 * @next: when the next picture is due
 * @pushed: bytes of IP packets, by layer
 * @classes: layer i is class i of one rung, not rung i
 * @single_packets: each packet is a picture of its own
 * @group: layer 0 has a key frame of @key_packets packets in so many pictures, the
 *     others have one packet each; 0: it has its rate, and key frames only
 * @key_packets: see @group
 * @distance: all layers have their key frames so many pictures apart; 0: see
 *     @group
 * @n_units: pictures of all layers so far
 * @extra: bytes that the sender added, by layer; whoever sees its packets counts
 *     them
 */
typedef struct
{
  LmccSender *sender;
  guint packet_size;
  guint n_layers;
  gdouble rates[LMCC_MAX_RUNGS];
  LmccTime started;
  guint64 pictures;
  LmccTime next;
  guint64 pushed[LMCC_MAX_RUNGS];
  gint64 extra[LMCC_MAX_LAYERS];
  gboolean classes;
  gboolean single_packets;
  guint group;
  guint key_packets;
  guint distance;
  guint32 n_units;
} TestSource;

void test_source_init (TestSource *source, LmccSender *sender,
    const gdouble *rates, guint n_layers, LmccTime now);
void test_source_set_rate (TestSource *source, guint rung, gdouble rate,
    LmccTime now);
void test_source_push (TestSource *source, LmccTime now);
void test_source_note_sent (TestSource *source, const LmccPacket *packet,
    gboolean control);

G_END_DECLS

#endif
