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
 * @hiding: the current segment hides pictures up to @hidden_until
 * @hidden_from: timestamp of the key frame that the hidden pictures begin with
 * @hidden_until: see @hiding
 * @lost: lost packets that have not yet caused a gap in the output
 * @discont: the next packet does not continue from the last one
 * @layered: a picture may have several units, one per spatial layer
 * @holding: the last of @outputs ends a picture unless another unit of the picture
 *     follows
 * @held_until: when that packet is released in any case
 * @outputs: queue of LmccGateOutput, owned
 *
 * The gate's output, from the decoder's point of view.
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
