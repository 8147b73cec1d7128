/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_GATE_DELIVERY_H
#define LMCC_RECEIVER_GATE_DELIVERY_H

#include "base/ring.h"
#include "receiver/gate/gate.h"
#include "receiver/gate/unit.h"

G_BEGIN_DECLS

/**
 * LmccGateDelivery:
 * @shown: whether a unit was delivered
 * @shown_until: the latest timestamp delivered so far
 * @hiding: a segment hides what is up to @hidden_until
 * @hidden_from: timestamp of the key frame from which on
 * @hidden_until: see @hiding
 * @lost: packets lost that have not yet left a gap in what is delivered
 * @discont: what comes next does not follow upon what came last
 * @layered: a picture may have several units, one for each spatial layer
 * @holding: the last of @outputs ends a picture unless a unit of it follows
 * @held_until: when it is let go in any case
 * @outputs: of LmccGateOutput, owned
 *
 * What the gate has let through, as the decoder sees it.
 */
typedef struct
{
  gboolean shown;
  guint32 shown_until;
  gboolean hiding;
  guint32 hidden_from;
  guint32 hidden_until;
  guint lost;
  gboolean discont;
  gboolean layered;
  gboolean holding;
  LmccTime held_until;
  LmccRing outputs;
} LmccGateDelivery;

void lmcc_gate_delivery_init (LmccGateDelivery *delivery);
void lmcc_gate_delivery_reset (LmccGateDelivery *delivery);
void lmcc_gate_delivery_clear (LmccGateDelivery *delivery);
gboolean
lmcc_gate_delivery_hide (LmccGateDelivery *delivery, guint32 timestamp);
gboolean
lmcc_gate_delivery_hide_again (LmccGateDelivery *delivery, guint32 timestamp);
void lmcc_gate_delivery_push (LmccGateDelivery *delivery, LmccGateUnit *unit,
    gboolean segment, LmccTime deadline);
void lmcc_gate_delivery_timeout (LmccGateDelivery *delivery, LmccTime now);
LmccTime lmcc_gate_delivery_next_timeout (const LmccGateDelivery *delivery);
gboolean
lmcc_gate_delivery_pop (LmccGateDelivery *delivery, LmccGateOutput *output);

G_END_DECLS

#endif
