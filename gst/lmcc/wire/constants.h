/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Constants of docs/developers/wire-format.md that several files use; those that
 * programs need are in the installed headers.
 */
#ifndef LMCC_WIRE_CONSTANTS_H
#define LMCC_WIRE_CONSTANTS_H

#include <gst/lmcc/lmcc-session.h>

G_BEGIN_DECLS

/* SSRC = S0 + kind + 64 stream + layer. Of the 12 bits below LMCC_SSRC_BASE_MASK, two
 * hold the kind of packets that are not media, or four the stream; six hold the layer.
 * Repair packets name stream and layer. */
#define LMCC_SSRC_LAYER_MASK 0x3fu
#define LMCC_SSRC_STREAM_SHIFT 6
#define LMCC_SSRC_SOUND ((guint32) LMCC_STREAM_SOUND << LMCC_SSRC_STREAM_SHIFT)
#define LMCC_SSRC_REPAIR 0x400u
#define LMCC_SSRC_FILLER 0x800u

/* Payload types (dynamic ones, RFC 3551 section 3), relative to that of the first
 * rung: rungs and sound use their stream numbers, followed by these. */
#define LMCC_PAYLOAD_TYPE_REPAIR (LMCC_STREAM_SOUND + 1)
#define LMCC_PAYLOAD_TYPE_FILLER (LMCC_STREAM_SOUND + 2)

/* The slot counter has 16 bits. */
#define LMCC_MAX_SLOT_MODULUS 65536

/* A layer that has been idle for this long sends a filler packet, so that receivers'
 * merge does not wait for it. */
#define LMCC_FILLER_INTERVAL (100 * LMCC_MSECOND)

/* The same for a base layer that carries no rung: the merge does not wait for it, and
 * the receivers of all rungs receive its fillers. */
#define LMCC_THIN_BASE_FILLER_INTERVAL (250 * LMCC_MSECOND)

/* Interval of the session record if its share of the lowest level's rate permits it,
 * and the longest interval. */
#define LMCC_RECORD_INTERVAL (250 * LMCC_MSECOND)
#define LMCC_RECORD_INTERVAL_MAX (2 * LMCC_SECOND)

/* Number and spacing of BYE copies, because any packet may be lost; the first one
 * counts. A sender that stops waits until they are sent. */
#define LMCC_BYE_COPIES 3
#define LMCC_BYE_INTERVAL (5 * LMCC_MSECOND)

G_END_DECLS

#endif
