/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_ALLOCATOR_H
#define LMCC_SENDER_ALLOCATOR_H

#include <gst/lmcc/lmcc-session.h>
#include <gst/lmcc/lmcc-unit.h>
#include "wire/rtp.h"

G_BEGIN_DECLS

/* Greatest number of waiting packets per layer: 12 s at 100 Mbit/s, more than the
 * longest window, or 1.2 s at 1 Gbit/s. At 1200 bytes they take 157 MB. */
#define LMCC_ALLOCATOR_MAX_QUEUE 131072

/**
 * LmccQueuedUnit:
 * @unit: the unit, owned
 * @next: index of its next packet to send; earlier packets are gone
 * @taken: bytes of the packets already taken, as the payloader made them
 * @bytes: size of the rest as IP packets, in bytes
 * @largest: layers of fixed rates: size of the largest of these packets
 * @deadline: when its last packet has to be sent
 * @osn: order sequence number of its first packet; sound has none
 * @anchor: number of class-0 units of its stream up to this one
 * @continued: it continues a unit that began in a lower layer
 * @more: it continues in a higher layer
 * @unnumbered: @osn is set only when the unit begins to be sent
 * @window: layers of fixed rates: number of its window
 */
typedef struct
{
  LmccUnit *unit;
  guint next;
  gsize taken;
  gsize bytes;
  gsize largest;
  LmccTime deadline;
  guint16 osn;
  guint8 anchor;
  gboolean continued;
  gboolean more;
  gboolean unnumbered;
  guint window;
} LmccQueuedUnit;

/**
 * LmccAllotment:
 * @packet: (transfer full): the RTP packet from the payloader
 * @presentation_time: presentation time of its unit
 * @stream: stream of its unit
 * @klass: class of its unit
 * @switch_point: its unit is a switch point
 * @anchor: anchor of its unit
 * @osn: order sequence number of the packet
 * @first: it is the first packet of its unit
 * @last: it is the last packet of its unit
 * @more: its unit continues in a higher layer
 * @marker: nothing more of its picture follows in this layer
 *
 * The packet that the allocator provides for one transmission opportunity.
 */
typedef struct
{
  LmccPacket *packet;
  LmccTime presentation_time;
  guint8 stream;
  guint8 klass;
  gboolean switch_point;
  guint8 anchor;
  guint16 osn;
  gboolean first;
  gboolean last;
  gboolean more;
  gboolean marker;
} LmccAllotment;

/* One layer: its contents and its queue. */
typedef struct
{
  guint8 stream;
  guint8 klass;
  gboolean mixed;
  GQueue units;
  guint n_packets;
} LmccAllocatorLayer;

/**
 * LmccAllocator:
 * The queues of the layers. With native layers, each (rung, class) that has occurred is a
 * layer, in the order (rung, class). Layers of fixed rates are given, and LmccShaper
 * assigns the units.
 */
typedef struct
{
  guint n_rungs;
  guint n_layers;
  guint max_layers;
  gboolean base_is_thin; /* it carries no rung */
  guint16 classes;
  guint16 joined;
  gsize packet_overhead;
  LmccAllocatorLayer layers[LMCC_MAX_LAYERS];
} LmccAllocator;

void lmcc_allocator_init (LmccAllocator *allocator, const LmccSession *session);
void lmcc_allocator_init_shaped (LmccAllocator *allocator,
    const LmccSession *session);
void lmcc_queued_unit_free (LmccQueuedUnit *queued);
void lmcc_allocator_clear (LmccAllocator *allocator);
void lmcc_allocator_flush (LmccAllocator *allocator);
void lmcc_allocator_join_classes (LmccAllocator *allocator);
gboolean lmcc_allocator_make_base_thin (LmccAllocator *allocator);
void lmcc_allocator_number (LmccAllocator *allocator, guint layer,
    guint16 *next_osn);
gboolean lmcc_allocator_knows (const LmccAllocator *allocator, guint klass);
gboolean lmcc_allocator_add_class (LmccAllocator *allocator, guint klass,
    guint8 moved[LMCC_MAX_LAYERS]);
guint lmcc_allocator_get_layer (const LmccAllocator *allocator, guint stream,
    guint klass);
void
lmcc_allocator_describe (const LmccAllocator *allocator, LmccSession *session);
gboolean lmcc_allocator_make_room (LmccAllocator *allocator, guint layer,
    guint klass, guint n_packets, guint64 n_dropped[LMCC_MAX_CLASSES]);
void lmcc_allocator_push (LmccAllocator *allocator, guint layer,
    LmccQueuedUnit *queued);
gboolean lmcc_allocator_take (LmccAllocator *allocator, guint layer,
    LmccAllotment *allotment);
gsize lmcc_allocator_peek_size (const LmccAllocator *allocator, guint layer);
guint16 lmcc_allocator_low_water_mark (const LmccAllocator *allocator,
    guint layer, guint16 next_osn);
gboolean lmcc_allocator_is_empty (const LmccAllocator *allocator);
gsize lmcc_allocator_queued_bytes (const LmccAllocatorLayer *layer);
gsize
lmcc_allocator_packet_size (const LmccAllocator *allocator, gsize payload_size);
gsize
lmcc_allocator_media_size (const LmccAllocator *allocator, LmccPacket *packet);

G_END_DECLS

#endif
