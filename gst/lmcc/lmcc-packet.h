/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_PACKET_H
#define LMCC_PACKET_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* RFC 3550 section 5.1, without CSRCs. */
#define LMCC_RTP_HEADER_SIZE 12

/* What a sender adds to an RTP packet: the RFC 8285 section 4.1 header (4), one
 * identifier byte, 16 data bytes, 3 bytes of padding. */
#define LMCC_RTP_OVERHEAD 24

/* What an RTP packet with repair has above the largest packet that it repairs: the
 * headers of both, those of the repair payload (10), and a length (2). */
#define LMCC_REPAIR_OVERHEAD (LMCC_RTP_HEADER_SIZE + LMCC_RTP_OVERHEAD + 12)

/**
 * LmccPacket:
 * @data: the bytes of one UDP payload
 * @size: how many of them are in use
 * @capacity: how many there is room for
 *
 * A reference-counted datagram. The bytes are behind the struct in one allocation.
 * References may be taken and dropped from any thread; the bytes belong to
 * whoever holds the only reference, and are read-only to everybody else.
 */
typedef struct
{
  guint8 *data;
  gsize size;
  gsize capacity;
  /*< private >*/
  gatomicrefcount ref_count;
  guint16 rtp_header_size;
  guint8 rtp_padding;
  guint8 rtp_first;
  gpointer memory;
  gpointer pool;
} LmccPacket;

/**
 * LmccPacketPool:
 * Keeps the memory of packets that are not used any more for new ones, so that
 * who receives all the time does not ask the C library for each packet.
 */
typedef struct _LmccPacketPool LmccPacketPool;

/* signal: nobody may go up at the end of this slot. */
#define LMCC_SIGNAL_NOBODY (-1)

/* place: so far it counts, and the layer's first packet of all. */
#define LMCC_PLACE_MAX 127
#define LMCC_PLACE_FIRST (-128)

/**
 * LmccPacketType:
 * @LMCC_PACKET_MEDIA: a part of a picture, or of the sound
 * @LMCC_PACKET_REPAIR: repair data
 * @LMCC_PACKET_FILLER: nothing; it keeps a layer of a fixed rate at that rate
 * @LMCC_PACKET_PROBE: nothing; it counts in the layer's numbers
 *
 * What a packet carries.
 */
typedef enum
{
  LMCC_PACKET_MEDIA = 0,
  LMCC_PACKET_REPAIR = 1,
  LMCC_PACKET_FILLER = 2,
  LMCC_PACKET_PROBE = 3,
} LmccPacketType;

/**
 * LmccHeader:
 * @type: what the packet carries
 * @first: the first packet of its unit
 * @last: the last packet of its unit
 * @more: the unit goes on in a higher layer
 * @layer: the layer that the packet is counted in, below %LMCC_MAX_LAYERS
 * @switch_point: the unit is a switch point of its class
 * @burst: a packet of RLC's burst, or the first of a PLM pair
 * @top_layer: the highest layer of the session now
 * @table: the session record's version modulo 4
 * @stream: the rung (0 to 13), %LMCC_STREAM_SOUND or %LMCC_STREAM_NONE
 * @klass: the class of the unit, below %LMCC_MAX_CLASSES
 * @slot: the sender's time step, modulo the session's slot modulus
 * @signal: the highest level that may go up after this slot, or %LMCC_SIGNAL_NOBODY
 * @anchor: class-0 units of the stream so far, this one included, modulo 256
 * @lsn: layer sequence number: everything that the layer sent
 * @osn: order sequence number of a media packet; otherwise the low-water mark
 * @send_time: when the packet left, seconds in 16.16 fixed point (RFC 3550
 *     section 4, the middle 32 bits of an NTP timestamp)
 * @has_up_levels: the packet has a second element of kind 1 too; not written or
 *     read by lmcc_header_write() and lmcc_header_parse()
 * @up_levels: that element's bitmap: bit i: level i may go up after this slot
 * @place: what a second element of kind 4 says: n from 1 on: the layer sent n
 *     packets in this slot before this one, at %LMCC_PLACE_MAX that many or more; -n:
 *     it is the layer's first one in this slot, and the one before it was sent n slots
 *     earlier, or more at -%LMCC_PLACE_MAX; %LMCC_PLACE_FIRST: it is the layer's first
 *     one at all; 0: not known; not written or read by those two either
 *
 * The header-extension element that every packet of a session carries.
 */
typedef struct
{
  LmccPacketType type;
  gboolean first;
  gboolean last;
  gboolean more;
  guint8 layer;
  gboolean switch_point;
  gboolean burst;
  guint8 top_layer;
  guint8 table;
  guint8 stream;
  guint8 klass;
  guint16 slot;
  gint8 signal;
  guint8 anchor;
  guint16 lsn;
  guint16 osn;
  guint32 send_time;
  gboolean has_up_levels;
  guint64 up_levels;
  gint8 place;
} LmccHeader;

/**
 * LmccLoss:
 * @lsn: the first lost packet
 * @count: how many were lost in a row, at least 1
 * @before: when the packet before the gap came
 * @span: from then to the packet behind the gap, in ns
 * @gap: by how much the numbers of these two differ, at least 1
 * @index: by how much @lsn differs from the one before the gap
 *
 * A run of lost packets. When each of them would have come is interpolated between
 * the neighbours of the gap (RFC 4654 section 5.2).
 */
typedef struct
{
  guint16 lsn;
  guint count;
  LmccTime before;
  LmccTime span;
  guint gap;
  guint index;
} LmccLoss;

LMCC_API LmccPacket *lmcc_packet_new (gsize capacity);
LMCC_API LmccPacket *lmcc_packet_new_for_sender (gsize capacity);
LMCC_API LmccPacket *lmcc_packet_new_copy (const guint8 *data, gsize size);
LMCC_API LmccPacket *lmcc_packet_ref (LmccPacket *packet);
LMCC_API void lmcc_packet_unref (LmccPacket *packet);

LMCC_API LmccPacketPool *lmcc_packet_pool_new (guint max_free);
LMCC_API void lmcc_packet_pool_free (LmccPacketPool *pool);
LMCC_API LmccPacket *
lmcc_packet_new_pooled (LmccPacketPool *pool, gsize capacity);

LMCC_API LmccTime lmcc_loss_get_time (const LmccLoss *loss, guint i);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccPacket, lmcc_packet_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccPacketPool, lmcc_packet_pool_free)

G_END_DECLS

#endif
