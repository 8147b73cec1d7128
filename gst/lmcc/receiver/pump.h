/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_PUMP_H
#define LMCC_RECEIVER_PUMP_H

#include <gst/lmcc/lmcc-receiver.h>

G_BEGIN_DECLS

/**
 * LmccReceiverDelivery:
 * @sequence: sequence number of the latest packet
 * @any: a packet was delivered
 * @latest_time: time of the latest picture
 * @hidden_since: time of the first hidden picture
 *
 * State of the video output.
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
