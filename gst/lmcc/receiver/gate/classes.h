/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_GATE_CLASSES_H
#define LMCC_RECEIVER_GATE_CLASSES_H

#include "receiver/gate/gate.h"
#include "receiver/gate/unit.h"
#include "receiver/merge.h"

G_BEGIN_DECLS

gboolean lmcc_gate_table_is_known (const LmccGate *gate, guint8 table);
void
lmcc_gate_judge_unit (LmccGate *gate, LmccGateUnit *unit, LmccTime deadline);
void lmcc_gate_judge_hole (LmccGate *gate, const LmccMergeItem *item);
void lmcc_gate_close_layers (LmccGate *gate);
void lmcc_gate_close_mixed_classes (LmccGate *gate);

G_END_DECLS

#endif
