/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A model of a layered encoder. Each layer keeps its rate to within a
 * packet, including what the sender adds (RTCP, filler). Layer i is rung i.
 */
#ifndef TEST_SOURCE_H
#define TEST_SOURCE_H

#include <gst/lmcc/lmcc.h>

G_BEGIN_DECLS

#define TEST_SOURCE_PACKET_SIZE 1000 /* size of the IP packet */
#define TEST_SOURCE_INTERVAL (40 * LMCC_MSECOND)

/**
 * TestSourceTag:
 * @picture: number of the picture
 * @n_packets: number of its packets
 *
 * The start of each packet's payload.
 */
typedef struct
{
  guint32 picture;
  guint32 n_packets;
} TestSourceTag;

/**
 * TestSource:
 * @sender: the sender that takes the units
 * @packet_size: size of the IP packets; %TEST_SOURCE_PACKET_SIZE unless set
 *     otherwise
 * @started: start of the current rates
 * @next: time of the next picture
 * @pushed: bytes of IP packets pushed so far, by layer
 * @classes: layer i is class i of one rung instead of rung i
 * @single_packets: each packet is a picture
 * @group: number of pictures between key frames of layer 0; its key frames have
 *     @key_packets packets, its other pictures one; 0: layer 0 keeps its rate
 *     and has key frames only
 * @key_packets: see @group
 * @distance: number of pictures between key frames of all layers; 0: see @group
 * @n_units: pictures of all layers so far
 * @extra: bytes that the sender added, by layer; counted by the code that sees
 *     its packets
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
