/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_REPAIR_DECODER_H
#define LMCC_REPAIR_DECODER_H

#include <gst/lmcc/lmcc-packet.h>
#include <gst/lmcc/lmcc-session.h>
#include "base/discard.h"
#include "repair/payload.h"
#include "wire/layer-header.h"
#include "wire/levels.h"
#include "wire/rtp.h"

G_BEGIN_DECLS

/* Limits of a decoder's memory; the oldest packets are dropped first. The limit in
 * bytes can be lowered. The number of packets is below half the range of sequence
 * numbers, so that no two have the same number. */
#define LMCC_REPAIR_MAX_PACKETS 16384
#define LMCC_REPAIR_MAX_BYTES (32 * 1024 * 1024)
#define LMCC_REPAIR_MAX_BLOCKS 512

/**
 * LmccRepairedPacket:
 * @packet: (transfer full): a media packet, as it was sent
 * @rtp: its parsed RTP header
 * @header: its header element
 */
typedef struct
{
  LmccPacket *packet;
  LmccRtp rtp;
  LmccHeader header;
} LmccRepairedPacket;

/**
 * LmccRepairDecoder:
 * Stores the source packets that a block may still need, and the repair packets of
 * incomplete blocks, and recovers missing packets as soon as any k of a block's k + r
 * packets are there. Blocks are identified by SSRC and first sequence number, so the slot
 * or group in which a packet arrived does not matter.
 */
typedef struct _LmccRepairDecoder LmccRepairDecoder;

LmccRepairDecoder *lmcc_repair_decoder_new (void);
void lmcc_repair_decoder_set_discard (LmccRepairDecoder *decoder,
    LmccDiscard *discard);
void lmcc_repair_decoder_free (LmccRepairDecoder *decoder);
void lmcc_repair_decoder_reset (LmccRepairDecoder *decoder);
void lmcc_repair_decoder_set_session (LmccRepairDecoder *decoder,
    const LmccSession *session);
void
lmcc_repair_decoder_set_max_bytes (LmccRepairDecoder *decoder, gsize max_bytes);
void lmcc_repair_decoder_forget (LmccRepairDecoder *decoder, gsize bytes);
void
lmcc_repair_decoder_set_held (LmccRepairDecoder *decoder, LmccLayerSet held);
void lmcc_repair_decoder_expire (LmccRepairDecoder *decoder, LmccTime before);
void lmcc_repair_decoder_take_source (LmccRepairDecoder *decoder,
    guint16 source, guint16 sequence, LmccPacket *packet, LmccTime now);
void lmcc_repair_decoder_take_repair (LmccRepairDecoder *decoder,
    const LmccRepairPayload *payload, LmccPacket *packet, LmccTime now);
void lmcc_repair_decoder_end_part (LmccRepairDecoder *decoder, guint layer,
    guint16 source, guint16 first);
void lmcc_repair_decoder_end_before (LmccRepairDecoder *decoder, guint layer,
    guint16 source, guint16 first);
gboolean lmcc_repair_decoder_is_hopeless (const LmccRepairDecoder *decoder,
    guint16 source, guint16 sequence);
guint lmcc_repair_decoder_get_changes (const LmccRepairDecoder *decoder);
gboolean lmcc_repair_decoder_poll (LmccRepairDecoder *decoder,
    LmccRepairedPacket *repaired);
guint64 lmcc_repair_decoder_get_refused (const LmccRepairDecoder *decoder);
gsize lmcc_repair_decoder_get_bytes (const LmccRepairDecoder *decoder);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccRepairDecoder, lmcc_repair_decoder_free)

G_END_DECLS

#endif
