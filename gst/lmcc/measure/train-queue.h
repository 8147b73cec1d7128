/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether a queue grew in a packet train, and whether the train would have shown it.
 */
#ifndef LMCC_MEASURE_TRAIN_QUEUE_H
#define LMCC_MEASURE_TRAIN_QUEUE_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* Greatest number of packets of a train whose times a reader keeps. If there are more,
 * it keeps every second one, then every fourth. */
#define LMCC_TRAIN_READ_MAX 48

/* If no queue grew, a train gives no verdict if fewer packets than this would wait at a
 * link of the current level's rate: a token bucket of two full packets, the smallest
 * common size, would hide it. */
#define LMCC_TRAIN_LEAST_EXCESS 2.5

/**
 * LmccTrainPacket:
 * @sent: send time relative to the very first packet, ns
 * @delay: arrival time minus send time, ns, with an unknown constant
 * @size: size of the IP packet in bytes, plus those of following packets that are not
 *     kept
 */
typedef struct
{
  gint64 sent;
  gint64 delay;
  guint size;
} LmccTrainPacket;

/**
 * LmccTrainGrowth:
 * @LMCC_TRAIN_GROWN: a queue grew
 * @LMCC_TRAIN_NOT_GROWN: none grew, although it would have at a link of 5/6 of the rate
 * @LMCC_TRAIN_CANNOT_TELL: too few packets
 */
typedef enum
{
  LMCC_TRAIN_GROWN,
  LMCC_TRAIN_NOT_GROWN,
  LMCC_TRAIN_CANNOT_TELL,
} LmccTrainGrowth;

/**
 * LmccTrainQueue:
 * @packets: the train's packets by send time
 * @n: number of packets, from 1 to %LMCC_TRAIN_READ_MAX
 * @held: rate of the receiver's level, bit/s
 * @rate: rate of the level that the train probes, bit/s, above @held
 * @packet_size: size of a full IP packet in bytes
 */
typedef struct
{
  const LmccTrainPacket *packets;
  guint n;
  gdouble held;
  gdouble rate;
  gdouble packet_size;
} LmccTrainQueue;

LmccTrainGrowth lmcc_train_queue_look (const LmccTrainQueue *queue);
gboolean
lmcc_train_queue_would_grow (const LmccTrainQueue *queue, LmccTime length);

G_END_DECLS

#endif
