/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Trains: for each level above the base the sender sends, once in a cycle, a short
 * run of packets that are due soon at the rate that the level would have, and as
 * much silence after it. Whether a queue grows meanwhile says whether the level
 * fits, as in Jain and Dovrolis, "End-to-end available bandwidth", 2002, but the
 * bytes are those of the session itself, and one train serves all receivers.
 */
#ifndef LMCC_MEASURE_TRAINS_H
#define LMCC_MEASURE_TRAINS_H

#include "measure/layer-above.h"

#include <gst/lmcc/lmcc-packet.h>
#include <gst/lmcc/lmcc-session.h>

G_BEGIN_DECLS

/* From one train to that of the next level at least: room for the longest one
 * behind what is sent before it, which takes twice as long. */
#define LMCC_TRAIN_PERIOD_MIN (210 * LMCC_MSECOND)

/* The most packets of a train. Where the next layer does not fit at all, half of
 * them stand in the queue at its end if layers double. */
#define LMCC_TRAIN_MAX_PACKETS 22

/* Unless they take less time than this: token buckets and batches hide as many
 * milliseconds at any rate. A queue of 25 ms is half full after such a train, of
 * a level of twice the link's rate. */
#define LMCC_TRAIN_TIME_MIN (24 * LMCC_MSECOND)

/* So long a train lasts at most. The longer, the more does its queue grow where
 * the level does not fit; a pacer's window has 100 ms of packets. */
#define LMCC_TRAIN_TIME (60 * LMCC_MSECOND)

/* A layer sends ahead what is due in a train in twice its time: then it needs
 * half of its rate more. */
#define LMCC_TRAIN_AHEAD_TIMES 2

/* Before the train, for a part of its time, the layers below send a little
 * ahead: packets of several layers that would leave in the same instant would
 * be a queue of their own in it. */
#define LMCC_TRAIN_SETTLE_DIVISOR 2

/* A reader keeps the times of this number of packets at most. Where a train has
 * more, it keeps every second one, then every fourth. */
#define LMCC_TRAIN_READ_MAX 48

/**
 * LmccTrainVerdict:
 * @LMCC_TRAIN_NONE: no train was read lately
 * @LMCC_TRAIN_ROOM: no queue grew
 * @LMCC_TRAIN_FULL: a queue grew
 * @LMCC_TRAIN_UNKNOWN: a queue stood there before: the train says nothing of its
 *     own rate, but the path is full
 */
typedef enum
{
  LMCC_TRAIN_NONE,
  LMCC_TRAIN_ROOM,
  LMCC_TRAIN_FULL,
  LMCC_TRAIN_UNKNOWN,
} LmccTrainVerdict;

/**
 * LmccTrainPacket:
 * @sent: since the first packet of all, ns
 * @delay: arrival less send time, ns, with an unknown constant
 * @size: bytes of the IP packet, and of those that came after it until the next
 *     one that is kept
 */
typedef struct
{
  gint64 sent;
  gint64 delay;
  guint size;
} LmccTrainPacket;

/**
 * LmccTrainReader:
 * What a receiver reads from the trains for the level above its own.
 *
 * A delay is a packet's arrival less its send time, with an unknown constant.
 */
typedef struct
{
  /*< private >*/
  gint level;
  gboolean heard; /* the level's own layer, outside a train */
  LmccTime heard_at;

  gboolean any;
  LmccTime first_arrival;
  guint32 send_time; /* of the latest packet */
  gint64 sent;       /* its distance from the first one, 1/65536 s */
  LmccTime bucket_until;
  gint64 least[2]; /* delays, of this bucket and the one before */

  guint n;        /* of the train that comes */
  guint stride;   /* packets that each of them stands for */
  guint n_last;   /* packets that the last of them stands for so far */
  LmccTime began; /* it, or the latest */
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
