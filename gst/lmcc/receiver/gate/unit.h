/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_GATE_UNIT_H
#define LMCC_RECEIVER_GATE_UNIT_H

#include "receiver/merge.h"

G_BEGIN_DECLS

typedef struct
{
  LmccPacket *packet;
  LmccRtp rtp;
  LmccHeader header;
} LmccGateUnitPacket;

/**
 * LmccGateUnit:
 * @timestamp: RTP timestamp of its packets
 * @broken: a packet is missing, and the unit is useless
 * @corrupted: the unit depends on something that was lost
 * @n_packets: number of received packets
 * @last_osn: order sequence number of the latest packet
 * @packets: queue of LmccGateUnitPacket, owned; empty if @broken
 *
 * A unit that is being collected from the merge's output. The remaining fields are copies
 * from its first packet's header element.
 */
typedef struct
{
  gatomicrefcount ref_count;
  guint8 stream;
  guint8 klass;
  gboolean switch_point;
  guint8 anchor;
  guint32 timestamp;
  gboolean broken;
  gboolean corrupted;
  guint n_packets;
  guint16 last_osn;
  GArray *packets;
} LmccGateUnit;

/**
 * LmccGateHistory:
 * @units: queue of LmccGateUnit, from the last key frame on
 * @n_packets: packets of all units
 *
 * Units that a decoder needs to change to a rung. All zeros: empty.
 */
typedef struct
{
  GQueue units;
  guint n_packets;
} LmccGateHistory;

LmccGateUnit *lmcc_gate_unit_new (const LmccMergeItem *item);
LmccGateUnit *lmcc_gate_unit_ref (LmccGateUnit *unit);
void lmcc_gate_unit_unref (LmccGateUnit *unit);
gboolean
lmcc_gate_unit_takes (const LmccGateUnit *unit, const LmccMergeItem *item);
gboolean lmcc_gate_unit_add (LmccGateUnit *unit, const LmccMergeItem *item);
void lmcc_gate_unit_break (LmccGateUnit *unit);
gboolean lmcc_gate_unit_is_key (const LmccGateUnit *unit);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccGateUnit, lmcc_gate_unit_unref)

void lmcc_gate_history_clear (LmccGateHistory *history, LmccDiscard *discard);
void lmcc_gate_history_push (LmccGateHistory *history, LmccGateUnit *unit,
    LmccDiscard *discard);

G_END_DECLS

#endif
