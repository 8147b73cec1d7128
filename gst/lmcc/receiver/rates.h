/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_RATES_H
#define LMCC_RECEIVER_RATES_H

#include <gst/lmcc/lmcc-receiver.h>
#include "receiver/layer.h"

G_BEGIN_DECLS

void lmcc_receiver_reckon_rates (LmccReceiver *receiver, LmccTime now);
guint64 lmcc_receiver_get_layers_rate (const LmccReceiver *receiver,
    LmccLayerSet layers);
void lmcc_receiver_measure_packet (LmccReceiver *receiver, guint index,
    LmccTime now);
void lmcc_receiver_measure_silence (LmccReceiver *receiver, LmccTime now);
void lmcc_receiver_forget_measure (LmccReceiverLayer *layer);

G_END_DECLS

#endif
