/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_PACKET_H
#define LMCC_PACKET_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* RTP header without CSRCs (RFC 3550 section 5.1). */
#define LMCC_RTP_HEADER_SIZE 12

/* Bytes that a sender adds to an RTP packet: the RFC 8285 section 4.1 header (4), one
 * identifier byte, 16 data bytes, 3 bytes of padding. */
#define LMCC_RTP_OVERHEAD 24

/* Bytes by which a repair packet exceeds the largest packet that it protects: the
 * headers of both, the header of the repair payload (10), and a length (2). */
#define LMCC_REPAIR_OVERHEAD (LMCC_RTP_HEADER_SIZE + LMCC_RTP_OVERHEAD + 12)

/**
 * LmccPacket:
 * @data: the contents of one UDP payload
 * @size: used bytes of @data
 * @capacity: allocated bytes of @data
 *
 * A reference-counted datagram. The bytes follow the structure in the same allocation.
 * Any thread may take and drop references. The holder of the only reference may write the
 * bytes; while there are several references, they are read-only.
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
 * Keeps the memory of released packets for new ones, so that a receiver does not allocate
 * memory for each packet.
 */
typedef struct _LmccPacketPool LmccPacketPool;

/* Value of signal: no receiver may go up at the end of this slot. */
#define LMCC_SIGNAL_NOBODY (-1)

/* Values of place: the greatest count, and the mark of a layer's very first packet. */
#define LMCC_PLACE_MAX 127
#define LMCC_PLACE_FIRST (-128)

/**
 * LmccPacketType:
 * @LMCC_PACKET_MEDIA: part of a picture, or sound
 * @LMCC_PACKET_REPAIR: repair data (forward error correction)
 * @LMCC_PACKET_FILLER: no content; keeps a layer of a fixed rate at that rate
 * @LMCC_PACKET_PROBE: no content; part of a packet train, counted in the layer's sequence
 *     numbers
 *
 * Kinds of packets.
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
 * @type: kind of the packet
 * @first: first packet of its unit
 * @last: last packet of its unit
 * @more: the unit continues in a higher layer
 * @layer: the layer whose sequence numbers count this packet, below %LMCC_MAX_LAYERS
 * @switch_point: the unit is a switch point of its class
 * @burst: the packet belongs to a burst of RLC or to a packet train, or is the first of a
 *     PLM packet pair
 * @top_layer: the highest layer of the session at present
 * @table: version of the session's layer table, modulo 4
 * @stream: the rung (0 to 13), %LMCC_STREAM_SOUND or %LMCC_STREAM_NONE
 * @klass: the class of the unit, below %LMCC_MAX_CLASSES
 * @slot: number of the sender's slot, modulo the session's slot modulus
 * @signal: the highest level from which receivers may go up after this slot, or
 *     %LMCC_SIGNAL_NOBODY
 * @anchor: number of class-0 units of the stream so far, including this one, modulo 256
 * @lsn: layer sequence number; counts every packet of the layer
 * @osn: order sequence number of a media packet; low-water mark in other packets
 * @send_time: when the packet was sent, seconds in 16.16 fixed point (RFC 3550 section 4,
 *     the middle 32 bits of an NTP timestamp)
 * @has_up_levels: the packet also has a second element of kind 1; lmcc_header_write() and
 *     lmcc_header_parse() neither write nor read it
 * @up_levels: bitmap of the second element of kind 1; bit i: receivers at level i may go
 *     up after this slot
 * @place: value of a second element of kind 4. n > 0: the layer sent n packets in this
 *     slot before this one (%LMCC_PLACE_MAX: that many or more). -n: this is the layer's
 *     first packet in this slot, and the previous one was sent n slots earlier
 *     (-%LMCC_PLACE_MAX: that many or more). %LMCC_PLACE_FIRST: this is the layer's very
 *     first packet. 0: not known. lmcc_header_write() and lmcc_header_parse() neither
 *     write nor read it
 *
 * The header-extension element of every packet in a session.
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
 * @lsn: layer sequence number of the first lost packet
 * @count: number of consecutive lost packets, at least 1
 * @before: arrival time of the packet before the gap
 * @span: time from @before to the arrival of the packet after the gap, in ns
 * @gap: difference between the sequence numbers of these two packets, at least 1
 * @index: difference between @lsn and the sequence number of the packet before the gap
 *
 * A run of lost packets. The arrival times that they would have had are interpolated
 * between the packets on either side of the gap (RFC 4654 section 5.2).
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
