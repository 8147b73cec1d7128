/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_GATE_H
#define LMCC_GATE_H

#include <gst/lmcc/lmcc-merge.h>
#include <gst/lmcc/lmcc-session.h>

G_BEGIN_DECLS

/**
 * LmccOnLoss:
 * @LMCC_ON_LOSS_CONCEAL: deliver whole units that depend on a lost one, marked
 * @LMCC_ON_LOSS_FREEZE: deliver nothing that depends on a lost unit
 */
typedef enum
{
  LMCC_ON_LOSS_CONCEAL,
  LMCC_ON_LOSS_FREEZE,
} LmccOnLoss;

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
 * LmccGateStats:
 * @units_delivered: whole units given out
 * @units_incomplete: units of which a packet was missing
 * @units_withheld: whole units that a decoder could not have used
 * @units_frozen: of the withheld, those that depend on a loss
 * @units_corrupted: of the delivered, those that depend on a loss
 * @rung_changes: up and down
 * @units_due: units of the rung that the level shows: of the highest one that is
 *     whole but for losses
 * @units_missed: of the due, those that a loss kept from the decoder: not those of
 *     which a part lies in a layer that is not held
 */
typedef struct
{
  guint64 units_delivered;
  guint64 units_incomplete;
  guint64 units_withheld;
  guint64 units_frozen;
  guint64 units_corrupted;
  guint64 rung_changes;
  guint64 units_due;
  guint64 units_missed;
} LmccGateStats;

/**
 * LmccGate:
 * Lets whole units through that a decoder can resolve, of the highest whole rung.
 */
typedef struct _LmccGate LmccGate;

LMCC_API LmccGate *lmcc_gate_new (LmccOnLoss on_loss);
LMCC_API void lmcc_gate_free (LmccGate * gate);
LMCC_API void lmcc_gate_reset (LmccGate * gate);
LMCC_API void lmcc_gate_set_on_loss (LmccGate * gate, LmccOnLoss on_loss);
LMCC_API void lmcc_gate_set_session (LmccGate * gate,
    const LmccSession * session);
LMCC_API void lmcc_gate_set_level (LmccGate * gate, gint level);
LMCC_API void lmcc_gate_layer_begins (LmccGate * gate, guint layer, guint16 osn);
LMCC_API void lmcc_gate_push (LmccGate * gate, LmccMergeItem * item,
    LmccTime deadline);
LMCC_API gboolean lmcc_gate_forget_history (LmccGate * gate);
LMCC_API void lmcc_gate_flush (LmccGate * gate);
LMCC_API void lmcc_gate_timeout (LmccGate * gate, LmccTime now);
LMCC_API LmccTime lmcc_gate_next_timeout (const LmccGate * gate);
LMCC_API gboolean lmcc_gate_pop (LmccGate * gate, LmccGateOutput * output);
LMCC_API gint lmcc_gate_get_rung (const LmccGate * gate);
LMCC_API const LmccGateStats *lmcc_gate_get_stats (const LmccGate * gate);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccGate, lmcc_gate_free)

G_END_DECLS

#endif
