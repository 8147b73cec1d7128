/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_GATE_GATE_H
#define LMCC_RECEIVER_GATE_GATE_H

#include <gst/lmcc/lmcc-receiver.h>
#include <gst/lmcc/lmcc-session.h>
#include "receiver/merge.h"

G_BEGIN_DECLS

/**
 * LmccGateOutput:
 * @packet: (transfer full): one RTP packet of the merged stream
 * @rtp: its parsed header
 * @header: its element
 * @lost: packets that are missing before it in what is delivered: the gap that it
 *     leaves in the sequence numbers
 * @unit_end: the last packet of its picture as delivered: the marker bit
 * @discont: the first packet after a loss or a change of rung
 * @corrupted: its unit depends on something that was lost
 * @catch_up: for the decoder only, never shown: its picture, or a later one, was
 *     delivered from a higher rung
 * @segment: first packet of a lower rung: a new segment starts before it,
 *     beginning after the picture @shown_until
 * @shown_until: RTP timestamp of the latest picture delivered so far
 * @newest: its picture is later than that one
 * @hidden_from: where @catch_up: RTP timestamp of the key frame that the decoder
 *     catches up from
 * @hidden_until: where @catch_up: RTP timestamp of the latest picture that is
 *     hidden
 */
typedef struct
{
  LmccPacket *packet;
  LmccRtp rtp;
  LmccHeader header;
  guint lost;
  gboolean unit_end;
  gboolean discont;
  gboolean corrupted;
  gboolean catch_up;
  gboolean segment;
  guint32 shown_until;
  gboolean newest;
  guint32 hidden_from;
  guint32 hidden_until;
} LmccGateOutput;

/**
 * LmccGateKeys:
 * @count: key frames of the lowest rung that came; of others where that is not
 *     held
 * @timestamp: of the latest one, in RTP units
 * @latest_distance: from the one before it to that one
 * @distance: likewise, where the one before had nearly the same; else 0
 *
 * All rungs have theirs at the same pictures.
 */
typedef struct
{
  guint64 count;
  guint32 timestamp;
  guint32 latest_distance;
  guint32 distance;
} LmccGateKeys;

/**
 * LmccGate:
 * Lets whole units through that a decoder can resolve, of the highest whole rung.
 */
typedef struct _LmccGate LmccGate;

LmccGate *lmcc_gate_new (LmccOnLoss on_loss);
void lmcc_gate_set_discard (LmccGate *gate, LmccDiscard *discard);
void lmcc_gate_free (LmccGate *gate);
void lmcc_gate_reset (LmccGate *gate);
void lmcc_gate_set_on_loss (LmccGate *gate, LmccOnLoss on_loss);
void lmcc_gate_set_session (LmccGate *gate, const LmccSession *session);
void lmcc_gate_set_layers (LmccGate *gate, LmccLayerSet held);
void lmcc_gate_layer_begins (LmccGate *gate, guint layer, gint64 order);
void lmcc_gate_push (LmccGate *gate, LmccMergeItem *item, LmccTime deadline);
gboolean lmcc_gate_forget_history (LmccGate *gate);
void lmcc_gate_flush (LmccGate *gate);
void lmcc_gate_timeout (LmccGate *gate, LmccTime now);
LmccTime lmcc_gate_next_timeout (const LmccGate *gate);
gboolean lmcc_gate_pop (LmccGate *gate, LmccGateOutput *output);
gint lmcc_gate_get_rung (const LmccGate *gate);
gboolean lmcc_gate_needs_key (const LmccGate *gate);
const LmccGateKeys *lmcc_gate_get_keys (const LmccGate *gate);
const LmccGateStats *lmcc_gate_get_stats (const LmccGate *gate);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccGate, lmcc_gate_free)

G_END_DECLS

#endif
