/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure/trains.h"

#include "wire/layer-header.h"
#include "wire/levels.h"

#include <stdlib.h>
#include <string.h>

/* A train with fewer packets gives no verdict. */
#define LEAST_PACKETS 4

/* The least delay is that of the last one to two of these intervals: clocks
 * that differ by 100 parts per million diverge by 2 ms in this time. */
#define BUCKET (10 * LMCC_SECOND)

/* A queue stood there before if the delay exceeds this, or one and a half
 * packets at the current level's rate. */
#define STANDING (5 * LMCC_MSECOND)
#define STANDING_PACKETS 1.5

/* The train must have at least this fraction of the rate that the next level
 * adds; otherwise it does not show whether the layers of that level flow
 * already. */
#define LEAST_RATE 0.7

/* If the end of a train is lost, the train is over after a silence of this
 * length. */
#define SILENCE (200 * LMCC_MSECOND)

/* No train is longer, including the growth of a queue. */
#define LONGEST (250 * LMCC_MSECOND)

/* How long a verdict is valid: three cycles, with the next train lost. */
#define WORTH_CYCLES 3.5

#define NO_DELAY G_MAXINT64

/* Number of levels with trains, those above the base layer; at least one. */
static guint
count_trains (const LmccSession *session)
{
  return MAX (lmcc_session_count_levels (session), 2) - 1;
}

/*
 * lmcc_train_period:
 * @session: a session with trains
 *
 * Returns: time from one train to that of the next level, in ns
 */
LmccTime
lmcc_train_period (const LmccSession *session)
{
  return MAX (session->train_cycle / count_trains (session),
      LMCC_TRAIN_PERIOD_MIN);
}

/*
 * lmcc_train_cycle:
 * @session: a session with trains
 *
 * Returns: time from one train of a level to its next, in ns
 */
LmccTime
lmcc_train_cycle (const LmccSession *session)
{
  return lmcc_train_period (session) * count_trains (session);
}

/*
 * lmcc_train_get_length:
 * @session: a session with trains
 * @rate: rate of the level that is probed, bit/s, above 0
 *
 * Returns: length of the level's train, in ns
 */
LmccTime
lmcc_train_get_length (const LmccSession *session, guint64 rate)
{
  gdouble bits = LMCC_TRAIN_MAX_PACKETS * 8.0 * session->packet_size;
  LmccTime most = (LmccTime) (bits * LMCC_SECOND / (gdouble) rate);

  return MIN (CLAMP (most, LMCC_TRAIN_TIME_MIN, LMCC_TRAIN_TIME),
      lmcc_train_period (session) * LMCC_TRAIN_SETTLE_DIVISOR
          / ((LMCC_TRAIN_AHEAD_TIMES + 1) * LMCC_TRAIN_SETTLE_DIVISOR + 1));
}

/*
 * lmcc_train_reader_init:
 * @reader: (out): a reader without trains and level
 */
void
lmcc_train_reader_init (LmccTrainReader *reader)
{
  memset (reader, 0, sizeof (*reader));
  reader->level = -1;
  reader->least[0] = reader->least[1] = NO_DELAY;
  reader->heard_at = LMCC_TIME_NONE;
  lmcc_layer_above_init (&reader->above);
}

/*
 * lmcc_train_reader_set_level:
 * @reader: a reader
 * @level: the new level
 *
 * From now on trains for another level are read. Delays stay valid.
 */
void
lmcc_train_reader_set_level (LmccTrainReader *reader, gint level)
{
  reader->level = level;
  reader->heard = FALSE;
  reader->heard_at = LMCC_TIME_NONE;
  reader->n = 0;
  reader->began = 0;
  reader->verdict = LMCC_TRAIN_NONE;
  reader->in_a_row = 0;
  reader->n_full = 0;
  reader->too_short = FALSE;
  lmcc_layer_above_init (&reader->above);
}

/* Relative to the first packet. */
static gint64
get_sent (const LmccTrainReader *reader)
{
  return reader->sent * (gint64) LMCC_SECOND / 65536;
}

static gint64
find_delay (LmccTrainReader *reader, LmccTime arrival, guint32 send_time)
{
  if (!reader->any) {
    reader->any = TRUE;
    reader->first_arrival = arrival;
    reader->send_time = send_time;
    reader->bucket_until = arrival + BUCKET;
  }
  reader->sent += (gint32) (send_time - reader->send_time);
  reader->send_time = send_time;

  return (gint64) (arrival - reader->first_arrival) - get_sent (reader);
}

static void
note_delay (LmccTrainReader *reader, LmccTime arrival, gint64 delay)
{
  if (arrival >= reader->bucket_until) {
    /* After a long silence both are too old. */
    reader->least[1] =
        arrival < reader->bucket_until + BUCKET ? reader->least[0] : NO_DELAY;
    reader->least[0] = NO_DELAY;
    reader->bucket_until = arrival + BUCKET;
  }
  reader->least[0] = MIN (reader->least[0], delay);
}

static gint64
find_start (const LmccTrainReader *reader)
{
  gint64 least = reader->packets[0].delay;
  guint i;

  for (i = 1; i < reader->n / 3; i++)
    least = MIN (least, reader->packets[i].delay);

  return least;
}

static gint
compare_packets (gconstpointer a, gconstpointer b)
{
  const LmccTrainPacket *x = a, *y = b;

  return (x->sent > y->sent) - (x->sent < y->sent);
}

static LmccTrainVerdict
judge (LmccTrainReader *reader, const LmccSession *session)
{
  guint level = (guint) reader->level;
  LmccTrainQueue queue = { .packets = reader->packets,
    .n = reader->n,
    .held = (gdouble) lmcc_session_level_rate (session, level),
    .rate = (gdouble) lmcc_session_level_rate (session, level + 1),
    .packet_size = session->packet_size };
  gint64 least = MIN (reader->least[0], reader->least[1]);
  LmccTrainGrowth growth;
  gdouble packet;

  if (queue.held <= 0 || queue.rate <= queue.held)
    return LMCC_TRAIN_NONE;
  packet = 8.0 * queue.packet_size * LMCC_SECOND / queue.held;
  if ((gdouble) (find_start (reader) - least)
      > MAX (STANDING, STANDING_PACKETS * packet))
    return LMCC_TRAIN_UNKNOWN;
  qsort (reader->packets, reader->n, sizeof (*reader->packets),
      compare_packets);
  growth = lmcc_train_queue_look (&queue);
  if (growth == LMCC_TRAIN_GROWN)
    return LMCC_TRAIN_FULL;
  /* Earlier trains that found no room no longer count, even if this one is
   * too weak to show room. */
  if (growth == LMCC_TRAIN_NOT_GROWN)
    reader->n_full = 0;

  return lmcc_train_queue_would_grow (&queue,
             lmcc_train_get_length (session, (guint64) queue.rate))
      ? LMCC_TRAIN_ROOM
      : LMCC_TRAIN_NONE;
}

/* A train that meets a queue does not change the results of earlier ones. */
static void
count_full (LmccTrainReader *reader, LmccTrainVerdict verdict)
{
  if (verdict == LMCC_TRAIN_ROOM
      || reader->ended >= reader->full_at + reader->worth)
    reader->n_full = 0;
  if (verdict != LMCC_TRAIN_FULL)
    return;
  reader->full_at = reader->ended;
  reader->n_full++;
}

/* Whether the train really had the rate of the next level: a window may have
 * too few packets. */
static gboolean
is_at_rate (const LmccTrainReader *reader, gdouble held, gdouble train)
{
  gint64 span = reader->packets[reader->n - 1].sent - reader->packets[0].sent;
  gdouble bits = 0;
  guint i;

  for (i = 0; i + 1 < reader->n; i++)
    bits += 8.0 * reader->packets[i].size;

  return span > 0
      && bits * LMCC_SECOND / (gdouble) span - held
      >= LEAST_RATE * (train - held);
}

static void
read_layer_above (LmccTrainReader *reader, const LmccSession *session)
{
  guint64 held = lmcc_session_level_rate (session, (guint) reader->level);
  guint64 train = lmcc_session_level_rate (session, (guint) reader->level + 1);

  if (is_at_rate (reader, (gdouble) held, (gdouble) train))
    lmcc_layer_above_end_train (&reader->above, reader->ended,
        reader->packets[0].sent, reader->packets[reader->n - 1].sent,
        lmcc_train_get_length (session, train));
}

/* Returns: whether there is a verdict */
static gboolean
end_train (LmccTrainReader *reader, const LmccSession *session)
{
  LmccTrainVerdict before = lmcc_train_reader_get (reader, reader->ended, NULL);
  LmccTrainVerdict verdict = LMCC_TRAIN_NONE;

  if (reader->n == 0)
    return FALSE;
  if (reader->n >= LEAST_PACKETS) {
    read_layer_above (reader, session);
    verdict = judge (reader, session);
  }
  reader->n = 0;
  reader->too_short = verdict == LMCC_TRAIN_NONE;
  if (reader->too_short)
    return FALSE;
  reader->in_a_row = verdict == before ? reader->in_a_row + 1 : 1;
  reader->verdict = verdict;
  reader->verdict_at = reader->ended;
  reader->worth =
      (LmccTime) (WORTH_CYCLES * (gdouble) lmcc_train_cycle (session));
  count_full (reader, verdict);

  return TRUE;
}

/* Marks that are more frequent, or last longer, are no trains. */
static gboolean
may_be_train (const LmccTrainReader *reader, const LmccSession *session,
    LmccTime arrival)
{
  if (reader->n > 0)
    return arrival < reader->began + LONGEST;

  return reader->began == 0
      || arrival >= reader->began + lmcc_train_cycle (session) / 2;
}

/* Packets that the train overtook do not end it. */
static gboolean
is_behind_train (const LmccTrainReader *reader, LmccTime arrival, gboolean ours)
{
  if (reader->n == 0)
    return FALSE;

  return arrival > reader->ended + SILENCE
      || (!ours && get_sent (reader) > reader->packets[reader->n - 1].sent);
}

/* Merges pairs of packets: the first one remains, with the bytes of both. */
static void
halve_train (LmccTrainReader *reader)
{
  guint i;

  for (i = 0; i < reader->n / 2; i++) {
    reader->packets[i] = reader->packets[2 * i];
    reader->packets[i].size += reader->packets[2 * i + 1].size;
  }
  reader->n /= 2;
  reader->stride *= 2;
  reader->n_last = reader->stride;
}

static void
add_to_train (LmccTrainReader *reader, LmccTime arrival, gint64 delay,
    gsize size)
{
  if (reader->n == 0) {
    reader->began = arrival;
    reader->stride = reader->n_last = 1;
  }
  reader->ended = arrival;
  if (reader->n > 0 && reader->n_last < reader->stride) {
    reader->packets[reader->n - 1].size += (guint) size;
    reader->n_last++;
    return;
  }
  if (reader->n == LMCC_TRAIN_READ_MAX)
    halve_train (reader);
  reader->packets[reader->n++] = (LmccTrainPacket){ .sent = get_sent (reader),
    .delay = delay,
    .size = (guint) size };
  reader->n_last = 1;
}

/* A level's own layer is its highest one. */
static gboolean
is_own_layer (const LmccTrainReader *reader, const LmccSession *session,
    guint layer)
{
  return (gint) layer
      == lmcc_layer_set_highest (
          lmcc_session_level_layers (session, reader->level));
}

/*
 * lmcc_train_reader_packet:
 * @reader: a reader
 * @session: the session
 * @arrival: arrival time of the packet
 * @header: header element of a packet of a joined layer
 * @size: size of its IP packet in bytes
 *
 * Trains are read only when the level's own layer is known to arrive: before
 * that, less than the train's rate may be on the path.
 *
 * Returns: whether a train has ended with a verdict
 */
gboolean
lmcc_train_reader_packet (LmccTrainReader *reader, const LmccSession *session,
    LmccTime arrival, const LmccHeader *header, gsize size)
{
  gint64 delay;
  gboolean ours, verdict = FALSE;

  if (session->train_cycle == 0
      || !lmcc_session_level_has_layer (session, reader->level, header->layer))
    return FALSE;
  delay = find_delay (reader, arrival, header->send_time);
  ours = header->burst && header->signal == reader->level + 1;
  if (is_behind_train (reader, arrival, ours))
    verdict = end_train (reader, session);
  note_delay (reader, arrival, delay);
  lmcc_layer_above_packet (&reader->above, get_sent (reader), delay);
  if (!reader->heard && is_own_layer (reader, session, header->layer)) {
    reader->heard = TRUE;
    reader->heard_at = arrival;
  }
  if (ours && reader->heard && may_be_train (reader, session, arrival))
    add_to_train (reader, arrival, delay, size);

  return verdict;
}

/*
 * lmcc_train_reader_owns_loss:
 * @reader: a reader
 * @session: the session
 * @layer: the layer that lost packets
 * @loss: when they were lost
 *
 * A train consists almost entirely of packets of the highest joined layer.
 *
 * Returns: whether they may belong to the latest train: then they show the
 * effect of its rate on the path, and not that of the level's rate, like
 * losses in RLC's bursts (Vicisano, Rizzo and Crowcroft 1998, section 3.2)
 */
gboolean
lmcc_train_reader_owns_loss (const LmccTrainReader *reader,
    const LmccSession *session, guint layer, const LmccLoss *loss)
{
  return reader->began > 0 && is_own_layer (reader, session, layer)
      && loss->before <= reader->ended
      && loss->before + loss->span >= reader->began;
}

/*
 * lmcc_train_reader_get:
 * @reader: a reader
 * @now: the time
 * @in_a_row: (out) (nullable): number of consecutive equal verdicts
 *
 * Returns: the latest verdict, as long as it is valid
 */
LmccTrainVerdict
lmcc_train_reader_get (const LmccTrainReader *reader, LmccTime now,
    guint *in_a_row)
{
  gboolean old = reader->verdict == LMCC_TRAIN_NONE
      || now >= reader->verdict_at + reader->worth;

  if (in_a_row != NULL)
    *in_a_row = old ? 0 : reader->in_a_row;

  return old ? LMCC_TRAIN_NONE : reader->verdict;
}

/*
 * lmcc_train_reader_describe:
 * @reader: a reader
 * @now: the time
 *
 * Returns: (nullable): the value of LmccControllerStatus.trains
 */
const gchar *
lmcc_train_reader_describe (const LmccTrainReader *reader, LmccTime now)
{
  static const gchar *const names[] = { [LMCC_TRAIN_ROOM] = "room",
    [LMCC_TRAIN_FULL] = "full",
    [LMCC_TRAIN_UNKNOWN] = "queue" };

  return names[lmcc_train_reader_get (reader, now, NULL)];
}

/*
 * lmcc_train_reader_full_until:
 * @reader: a reader
 * @in_a_row: how many consecutive trains, among those with a verdict, must find
 *     no room
 *
 * A train that finds a queue before it has no verdict, and the latest one with
 * a verdict stays valid.
 *
 * Returns: until when the path is known to be full; 0: it is not
 */
LmccTime
lmcc_train_reader_full_until (const LmccTrainReader *reader, guint in_a_row)
{
  return reader->n_full >= in_a_row ? reader->full_at + reader->worth : 0;
}

/*
 * lmcc_train_reader_flows:
 * @reader: a reader
 * @session: the session
 * @now: the time
 *
 * Returns: whether the next level's layers already flow on the bottleneck
 */
gboolean
lmcc_train_reader_flows (const LmccTrainReader *reader,
    const LmccSession *session, LmccTime now)
{
  return lmcc_layer_above_flows (&reader->above, now,
      lmcc_train_cycle (session));
}

/* Whether a train for the next level has enough packets to show that there
 * is room. */
static gboolean
is_long_enough (const LmccTrainReader *reader, const LmccSession *session)
{
  guint level = (guint) MAX (reader->level, 0);
  guint64 held, train;
  gdouble excess;

  if (level + 1 >= lmcc_session_count_levels (session))
    return FALSE;
  held = lmcc_session_level_rate (session, level);
  train = lmcc_session_level_rate (session, level + 1);
  if (train <= held)
    return FALSE;
  excess = (gdouble) (train - held)
      * (gdouble) lmcc_train_get_length (session, train) / LMCC_SECOND;

  return excess >= LMCC_TRAIN_LEAST_EXCESS * 8.0 * session->packet_size;
}

/*
 * lmcc_train_reader_wait_until:
 * @reader: a reader
 * @session: the session
 *
 * Returns: until when it is worth waiting for a first verdict at this level
 */
LmccTime
lmcc_train_reader_wait_until (const LmccTrainReader *reader,
    const LmccSession *session)
{
  if (session->train_cycle == 0 || reader->too_short
      || reader->verdict != LMCC_TRAIN_NONE || !reader->heard
      || !is_long_enough (reader, session))
    return 0;

  return reader->heard_at + lmcc_train_cycle (session)
      + lmcc_train_period (session);
}
