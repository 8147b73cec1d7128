/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_GATE_RUNGS_H
#define LMCC_RECEIVER_GATE_RUNGS_H

#include "receiver/gate/gate.h"
#include "receiver/gate/unit.h"

G_BEGIN_DECLS

gboolean lmcc_gate_rung_is_held (const LmccGate *gate, gint rung);
gint lmcc_gate_highest_whole_rung (const LmccGate *gate);
void lmcc_gate_fall_back (LmccGate *gate);
void lmcc_gate_commit_key (LmccGate *gate);
void lmcc_gate_replace_key (LmccGate *gate);
void
lmcc_gate_pass_unit (LmccGate *gate, LmccGateUnit *unit, LmccTime deadline);

G_END_DECLS

#endif
