/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What docs/developers/wire-format.md fixes and several files go by; what programs need
 * of it is in the installed headers.
 */
#ifndef LMCC_WIRE_CONSTANTS_H
#define LMCC_WIRE_CONSTANTS_H

#include <gst/lmcc/lmcc-session.h>

G_BEGIN_DECLS

/* SSRC = S0 + kind + 64 stream + layer: of the 12 bits below LMCC_SSRC_BASE_MASK two
 * are the kind of what is no media, or four the stream, and six the layer. Repair
 * names the last two. */
#define LMCC_SSRC_LAYER_MASK 0x3fu
#define LMCC_SSRC_STREAM_SHIFT 6
#define LMCC_SSRC_SOUND ((guint32) LMCC_STREAM_SOUND << LMCC_SSRC_STREAM_SHIFT)
#define LMCC_SSRC_REPAIR 0x400u
#define LMCC_SSRC_FILLER 0x800u

/* Payload types (dynamic ones, RFC 3551 section 3), after that of the first rung:
 * rungs and the sound have those of their streams, then come these. */
#define LMCC_PAYLOAD_TYPE_REPAIR (LMCC_STREAM_SOUND + 1)
#define LMCC_PAYLOAD_TYPE_FILLER (LMCC_STREAM_SOUND + 2)

/* The slot counter has 16 bits. */
#define LMCC_MAX_SLOT_MODULUS 65536

/* A layer that sent nothing for so long sends a filler packet, so that receivers'
 * merge order does not wait for it. */
#define LMCC_FILLER_INTERVAL (100 * LMCC_MSECOND)

/* Likewise a base that carries no rung: the merge does not wait for it, and what
 * it sends the receivers of all rungs carry. */
#define LMCC_THIN_BASE_FILLER_INTERVAL (250 * LMCC_MSECOND)

/* The session record: how often where its share of the lowest level's rate allows
 * it, and at least. */
#define LMCC_RECORD_INTERVAL (250 * LMCC_MSECOND)
#define LMCC_RECORD_INTERVAL_MAX (2 * LMCC_SECOND)

/* A BYE is sent so often, and so far apart, as any packet may be lost: the first
 * one counts. A sender that is stopped waits for the copies. */
#define LMCC_BYE_COPIES 3
#define LMCC_BYE_INTERVAL (5 * LMCC_MSECOND)

G_END_DECLS

#endif
