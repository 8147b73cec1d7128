/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "receiver/order.h"

#include "receiver/private.h"
#include "receiver/times.h"

/* Pictures closer together than this have fewer than 2^15 packets between
 * them, up to 300 Mbit/s. */
#define NEAR_TIME LMCC_SECOND

/* Range of the 16-bit order numbers in packets. */
#define ORDER_NUMBERS (1 << 16)

static guint32
get_distance (const LmccOrderMark *mark, guint32 timestamp)
{
  return (guint32) ABS ((gint64) (gint32) (timestamp - mark->timestamp));
}

static void
take_nearer (const LmccOrderMark *mark, guint32 timestamp,
    const LmccOrderMark **nearest)
{
  if (!mark->known)
    return;
  if (*nearest == NULL
      || get_distance (mark, timestamp) < get_distance (*nearest, timestamp))
    *nearest = mark;
}

/* Layers of fixed rates are at different places of a window: the layer whose
 * latest picture is closest serves as the reference. */
static const LmccOrderMark *
find_nearest (const LmccReceiver *receiver, guint32 timestamp)
{
  const LmccOrderMark *nearest = NULL;
  LmccLayerSet held = receiver->held;
  guint i;

  take_nearer (&receiver->latest_order, timestamp, &nearest);
  while (lmcc_layer_set_take (&held, &i))
    take_nearer (&receiver->layers[i]->mark, timestamp, &nearest);

  return nearest;
}

static gboolean
is_near (const LmccReceiver *receiver, const LmccOrderMark *mark,
    guint32 timestamp)
{
  return get_distance (mark, timestamp) * LMCC_SECOND
      <= NEAR_TIME * receiver->session.video.clock_rate;
}

/* After such a long outage, the numbers may have advanced by half of their
 * range. */
static gboolean
is_later (const LmccReceiver *receiver, const LmccOrderMark *mark,
    guint32 timestamp)
{
  return (gint32) (timestamp - mark->timestamp) > 0
      && !is_near (receiver, mark, timestamp);
}

/*
 * lmcc_receiver_extend_order:
 * @receiver: a receiver
 * @mark: the mark of the packet's layer; updated
 * @rtp: the packet's RTP header
 * @header: its header element
 *
 * Returns: the order number of an arrived packet, extended beyond 2^16
 */
gint64
lmcc_receiver_extend_order (LmccReceiver *receiver, LmccOrderMark *mark,
    const LmccRtp *rtp, const LmccHeader *header)
{
  gboolean is_picture = header->type == LMCC_PACKET_MEDIA
      && lmcc_receiver_timeline (header) == LMCC_TIMELINE_VIDEO;
  const LmccOrderMark *reference = mark;
  gint64 order;

  if (!mark->known || (is_picture && !is_near (receiver, mark, rtp->timestamp)))
    reference = find_nearest (receiver, rtp->timestamp);
  order = reference != NULL ? lmcc_order_near (reference->order, header->osn)
                            : header->osn;
  if (is_picture) {
    if (reference != NULL && order <= reference->order
        && is_later (receiver, reference, rtp->timestamp))
      order += ORDER_NUMBERS;
    *mark = (LmccOrderMark){ TRUE, order, rtp->timestamp };
    receiver->latest_order = *mark;
  }

  return order;
}
