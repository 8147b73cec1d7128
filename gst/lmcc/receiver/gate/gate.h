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
 * @rtp: its parsed RTP header
 * @header: its header element
 * @lost: number of packets missing before it in the output: the size of the gap in the
 *     sequence numbers
 * @unit_end: it is the last packet of its picture as delivered and gets the marker bit
 * @discont: it is the first packet after a loss or a change of rung
 * @corrupted: its unit depends on something that was lost
 * @catch_up: for the decoder only, never displayed: its picture, or a later one, was
 *     delivered from a higher rung
 * @segment: first packet of a lower rung: a new segment starts before it, after the
 *     picture @shown_until
 * @shown_until: RTP timestamp of the latest picture delivered so far
 * @newest: its picture is later than @shown_until
 * @hidden_from: if @catch_up, RTP timestamp of the key frame that the decoder catches up
 *     from
 * @hidden_until: if @catch_up, RTP timestamp of the latest hidden picture
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
 * @count: received key frames of the lowest rung; of others if the lowest one is not
 *     joined
 * @timestamp: timestamp of the latest key frame, in RTP units
 * @latest_distance: distance between the last two key frames
 * @distance: the same, if the distance before was nearly equal; otherwise 0
 *
 * Observed key frames. All rungs have them at the same pictures.
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
 * Passes on complete units that a decoder can decode, of the highest complete rung.
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
