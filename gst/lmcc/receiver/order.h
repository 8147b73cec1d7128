/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Order sequence numbers have 16 bits, and more packets may be under way than 16 bits
 * distinguish: 10 s at 100 Mbit/s are 86,000 of 1200 bytes.
 */
#ifndef LMCC_RECEIVER_ORDER_H
#define LMCC_RECEIVER_ORDER_H

#include <gst/lmcc/lmcc-receiver.h>
#include "wire/layer-header.h"
#include "wire/rtp.h"

G_BEGIN_DECLS

/**
 * LmccOrderMark:
 * @known: the mark is set
 * @order: order number of a packet of the latest picture, extended beyond 2^16
 * @timestamp: its RTP timestamp
 */
typedef struct
{
  gboolean known;
  gint64 order;
  guint32 timestamp;
} LmccOrderMark;

/* Returns: the number that is @osn modulo 2^16 and closest to @reference */
static inline gint64
lmcc_order_near (gint64 reference, guint16 osn)
{
  return reference + lmcc_sequence_diff (osn, (guint16) reference);
}

gint64 lmcc_receiver_extend_order (LmccReceiver *receiver, LmccOrderMark *mark,
    const LmccRtp *rtp, const LmccHeader *header);

G_END_DECLS

#endif
