/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_ALLOCATOR_H
#define LMCC_SENDER_ALLOCATOR_H

#include <gst/lmcc/lmcc-session.h>
#include <gst/lmcc/lmcc-unit.h>
#include "wire/rtp.h"

G_BEGIN_DECLS

/* Packets that wait in one layer at most: those of 100 Mbit/s in 12 s, more than
 * the longest window, and of 1 Gbit/s in 1.2 s. At 1200 bytes they are
 * 157 MB. */
#define LMCC_ALLOCATOR_MAX_QUEUE 131072

/**
 * LmccQueuedUnit:
 * @unit: the unit, owned
 * @next: the packet of it that is sent next; those before have left it
 * @taken: bytes of these, as the payloader made them
 * @bytes: what is left of it, as IP packets
 * @largest: bytes of the largest of these; of layers of fixed rates
 * @deadline: when its last packet has to be sent
 * @osn: order sequence number of its first packet; sound has none
 * @anchor: class-0 units of its stream up to it
 * @continued: it goes on a unit that began in a lower layer
 * @more: it goes on in a higher layer
 * @unnumbered: @osn is not known before the unit begins to be sent
 * @window: of layers of fixed rates, the window that it is of; they are counted
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
 * @packet: (transfer full): the RTP packet as the payloader made it
 * @presentation_time: of its unit
 * @stream: of its unit
 * @klass: of its unit
 * @switch_point: of its unit
 * @anchor: of its unit
 * @osn: its own order sequence number
 * @first: the first packet of its unit
 * @last: the last packet of its unit
 * @more: its unit goes on in a higher layer
 * @marker: nothing of its picture follows in this layer
 *
 * What the allocator gives for one transmission opportunity.
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

/* One layer: what it carries, and what waits in it. */
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
 * What waits in each layer. In native allocation each (rung, class) that has
 * occurred is a layer, ordered by (rung, class). In shaped allocation the layers
 * are given, and LmccShaper says what goes where.
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
