/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_PUMP_H
#define LMCC_RECEIVER_PUMP_H

#include <gst/lmcc/lmcc-receiver.h>

G_BEGIN_DECLS

/**
 * LmccReceiverDelivery:
 * @sequence: number of the latest packet
 * @any: there was one
 * @latest_time: of the latest picture
 * @hidden_since: of the first picture that is hidden
 *
 * What was delivered of the pictures.
 */
typedef struct
{
  guint16 sequence;
  gboolean any;
  LmccTime latest_time;
  LmccTime hidden_since;
} LmccReceiverDelivery;

void lmcc_receiver_pump (LmccReceiver *receiver, LmccTime now);

G_END_DECLS

#endif
