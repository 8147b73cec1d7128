/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Packet trains: for each level above the base layer, once per cycle, the sender sends
 * a short run of packets that are due soon at the rate of that level, followed by an
 * equal silence. Whether a queue grows meanwhile shows whether the level fits, as in
 * Jain and Dovrolis, "End-to-end available bandwidth", 2002. The bytes are those of
 * the session itself, and one train serves all receivers.
 */
#ifndef LMCC_MEASURE_TRAINS_H
#define LMCC_MEASURE_TRAINS_H

#include "measure/layer-above.h"
#include "measure/train-queue.h"

#include <gst/lmcc/lmcc-packet.h>
#include <gst/lmcc/lmcc-session.h>

G_BEGIN_DECLS

/* Least time from one train to that of the next level: room for the longest train
 * after the packets sent before it, which take twice as long. */
#define LMCC_TRAIN_PERIOD_MIN (210 * LMCC_MSECOND)

/* Greatest number of packets in a train. If the next layer does not fit at all, half
 * of them are in the queue at its end if layers double. */
#define LMCC_TRAIN_MAX_PACKETS 22

/* Least duration of a train with that many packets: token buckets and batches hide as
 * many milliseconds at any rate. A queue of 25 ms is half full after such a train, for
 * a level of twice the link's rate. */
#define LMCC_TRAIN_TIME_MIN (24 * LMCC_MSECOND)

/* Greatest duration of a train. The longer it is, the more its queue grows if the
 * level does not fit; a pacer's window holds 100 ms of packets. */
#define LMCC_TRAIN_TIME (60 * LMCC_MSECOND)

/* A layer sends the packets that are due during a train in advance, over twice the
 * train's duration: it needs half of its rate in addition. */
#define LMCC_TRAIN_AHEAD_TIMES 2

/* Before the train, for a fraction of its duration, the lower layers send slightly in
 * advance: packets of several layers that would be sent at the same instant would form
 * a queue of their own in the train. */
#define LMCC_TRAIN_SETTLE_DIVISOR 2

/**
 * LmccTrainVerdict:
 * @LMCC_TRAIN_NONE: no train was read recently
 * @LMCC_TRAIN_ROOM: no queue grew
 * @LMCC_TRAIN_FULL: a queue grew
 * @LMCC_TRAIN_UNKNOWN: a queue stood there before: the train gives no verdict on its own
 *     rate, but the path is full
 */
typedef enum
{
  LMCC_TRAIN_NONE,
  LMCC_TRAIN_ROOM,
  LMCC_TRAIN_FULL,
  LMCC_TRAIN_UNKNOWN,
} LmccTrainVerdict;

/**
 * LmccTrainReader:
 * A receiver's evaluation of the packet trains for the next higher level.
 *
 * A delay is a packet's arrival time minus its send time, with an unknown constant.
 */
typedef struct
{
  /*< private >*/
  gint level;
  gboolean heard; /* the level's own layer was heard, outside a train */
  LmccTime heard_at;

  gboolean any;
  LmccTime first_arrival;
  guint32 send_time; /* of the latest packet */
  gint64 sent;       /* relative to the first packet, 1/65536 s */
  LmccTime bucket_until;
  gint64 least[2]; /* delays, of the current interval and the previous one */

  guint n;        /* of the current train */
  guint stride;   /* number of packets that each of them represents */
  guint n_last;   /* number of packets that the last one represents so far */
  LmccTime began; /* of the current or latest train */
  LmccTime ended;
  LmccTrainPacket packets[LMCC_TRAIN_READ_MAX];

  LmccLayerAbove above;

  LmccTrainVerdict verdict;
  LmccTime verdict_at;
  guint in_a_row;
  LmccTime full_at;
  guint n_full;
  gboolean too_short; /* the latest train had too few packets */
  LmccTime worth;
} LmccTrainReader;

LmccTime lmcc_train_period (const LmccSession *session);
LmccTime lmcc_train_cycle (const LmccSession *session);
LmccTime lmcc_train_get_length (const LmccSession *session, guint64 rate);

void lmcc_train_reader_init (LmccTrainReader *reader);
void lmcc_train_reader_set_level (LmccTrainReader *reader, gint level);
gboolean
lmcc_train_reader_packet (LmccTrainReader *reader, const LmccSession *session,
    LmccTime arrival, const LmccHeader *header, gsize size);
gboolean lmcc_train_reader_owns_loss (const LmccTrainReader *reader,
    const LmccSession *session, guint layer, const LmccLoss *loss);
LmccTrainVerdict lmcc_train_reader_get (const LmccTrainReader *reader,
    LmccTime now, guint *in_a_row);
const gchar *
lmcc_train_reader_describe (const LmccTrainReader *reader, LmccTime now);
LmccTime
lmcc_train_reader_full_until (const LmccTrainReader *reader, guint in_a_row);
gboolean lmcc_train_reader_flows (const LmccTrainReader *reader,
    const LmccSession *session, LmccTime now);
LmccTime lmcc_train_reader_wait_until (const LmccTrainReader *reader,
    const LmccSession *session);

G_END_DECLS

#endif
