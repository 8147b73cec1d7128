/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure/trains.h"

#include "wire/layer-header.h"

#include <stdlib.h>
#include <string.h>

/* Fewer packets say nothing. */
#define LEAST_PACKETS 4

/* The least delay is that of the last one to two of these: clocks that differ
 * by 100 parts per million are 2 ms apart then. */
#define BUCKET (10 * LMCC_SECOND)

/* A queue stood there before: more than this, or than one and a half packets
 * take at the rate held. */
#define STANDING (5 * LMCC_MSECOND)
#define STANDING_PACKETS 1.5

/* A queue grew: by more than this and 1/20 of the train's time, or than what a
 * quarter of a packet takes. */
#define GROWN LMCC_MSECOND
#define GROWN_SHARE 20
#define GROWN_PACKETS 0.25

/* Where none did, a train that has so many packets less above the path's rate
 * says nothing: a token bucket of two full packets, as short as they get, hides
 * it. */
#define LEAST_EXCESS 2.5

/* Where the train's end is lost it is over after a silence of that long. */
#define SILENCE (200 * LMCC_MSECOND)

/* And none lasts longer, a queue that grows included. */
#define LONGEST (250 * LMCC_MSECOND)

/* How long a verdict is worth something: three cycles, the next one lost. */
#define WORTH_CYCLES 3.5

#define NO_DELAY G_MAXINT64

/*
 * lmcc_train_period:
 * @session: a session with trains
 *
 * Returns: from one train to that of the next level
 */
LmccTime
lmcc_train_period (const LmccSession *session)
{
  guint n = MAX (session->n_layers, 2) - 1;

  return MAX (session->train_cycle / n, LMCC_TRAIN_PERIOD_MIN);
}

/*
 * lmcc_train_cycle:
 * @session: a session with trains
 *
 * Returns: from one train of a level to its next
 */
LmccTime
lmcc_train_cycle (const LmccSession *session)
{
  return lmcc_train_period (session) * (MAX (session->n_layers, 2) - 1);
}

/*
 * lmcc_train_get_length:
 * @session: a session with trains
 * @rate: cumulative, of the level that is tried, bit/s, above 0
 *
 * Returns: how long its train lasts
 */
LmccTime
lmcc_train_get_length (const LmccSession *session, guint64 rate)
{
  gdouble bits = LMCC_TRAIN_MAX_PACKETS * 8.0 * session->packet_size;
  LmccTime most = (LmccTime) (bits * LMCC_SECOND / (gdouble) rate);

  return MIN (MIN (LMCC_TRAIN_TIME, most),
      lmcc_train_period (session) * LMCC_TRAIN_SETTLE_DIVISOR
          / ((LMCC_TRAIN_AHEAD_TIMES + 1) * LMCC_TRAIN_SETTLE_DIVISOR + 1));
}

/*
 * lmcc_train_reader_init:
 * @reader: (out): nothing was read, no level is held
 */
void
lmcc_train_reader_init (LmccTrainReader *reader)
{
  memset (reader, 0, sizeof (*reader));
  reader->level = -1;
  reader->least[0] = reader->least[1] = NO_DELAY;
  reader->heard_at = LMCC_TIME_NONE;
}

/*
 * lmcc_train_reader_set_level:
 * @reader: a reader
 * @level: that is held from now on
 *
 * Trains of another level are read. Delays stay what they were.
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
}

/* Since the first packet. */
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
compare_slopes (gconstpointer a, gconstpointer b)
{
  gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return (x > y) - (x < y);
}

/* By how much the delay grows in a unit of time: the median of all pairs'
 * (Theil and Sen), which a few late packets do not move. Pairs that changed
 * places count too: they are those whose delay shrank. */
static gdouble
find_slope (const LmccTrainReader *reader)
{
  gdouble slopes[LMCC_TRAIN_READ_MAX * (LMCC_TRAIN_READ_MAX - 1) / 2];
  guint n = 0, i, k;

  for (i = 0; i < reader->n; i++) {
    for (k = i + 1; k < reader->n; k++) {
      gint64 apart = reader->packets[k].sent - reader->packets[i].sent;

      if (apart != 0)
        slopes[n++] =
            (gdouble) (reader->packets[k].delay - reader->packets[i].delay)
            / (gdouble) apart;
    }
  }
  if (n == 0)
    return 0;
  qsort (slopes, n, sizeof (*slopes), compare_slopes);

  return n % 2 != 0 ? slopes[n / 2] : (slopes[n / 2 - 1] + slopes[n / 2]) / 2;
}

/* Packets of the train above those that the level held has in the same time. */
static gdouble
find_excess (const LmccTrainReader *reader, const LmccSession *session)
{
  guint level = (guint) reader->level;
  gdouble held = (gdouble) lmcc_session_cumulative_rate (session, level);
  gdouble train = (gdouble) lmcc_session_cumulative_rate (session, level + 1);

  return train > 0 ? reader->n * (1 - held / train) : 0;
}

static LmccTrainVerdict
judge (const LmccTrainReader *reader, const LmccSession *session)
{
  gint64 least = MIN (reader->least[0], reader->least[1]);
  gdouble rate =
      (gdouble) lmcc_session_cumulative_rate (session, (guint) reader->level);
  gdouble packet = 8.0 * session->packet_size * LMCC_SECOND / MAX (rate, 1.0);
  gdouble span =
      (gdouble) (reader->packets[reader->n - 1].sent - reader->packets[0].sent);
  gdouble standing = (gdouble) (find_start (reader) - least);
  gdouble grown = find_slope (reader) * span;

  if (standing > MAX (STANDING, STANDING_PACKETS * packet))
    return LMCC_TRAIN_UNKNOWN;
  if (grown > MAX (GROWN + span / GROWN_SHARE, GROWN_PACKETS * packet))
    return LMCC_TRAIN_FULL;
  if (find_excess (reader, session) < LEAST_EXCESS)
    return LMCC_TRAIN_NONE;

  return LMCC_TRAIN_ROOM;
}

/* A train that meets a queue takes nothing back of what those before it
 * found. */
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

/* Returns: whether there is a verdict */
static gboolean
end_train (LmccTrainReader *reader, const LmccSession *session)
{
  LmccTrainVerdict before = lmcc_train_reader_get (reader, reader->ended, NULL);
  LmccTrainVerdict verdict = LMCC_TRAIN_NONE;

  if (reader->n == 0)
    return FALSE;
  if (reader->n >= LEAST_PACKETS)
    verdict = judge (reader, session);
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

/* Marks that come more often, or for longer, are no trains. */
static gboolean
may_be_train (const LmccTrainReader *reader, const LmccSession *session,
    LmccTime arrival)
{
  if (reader->n > 0)
    return arrival < reader->began + LONGEST;

  return reader->began == 0
      || arrival >= reader->began + lmcc_train_cycle (session) / 2;
}

/* What was overtaken by the train does not end it. */
static gboolean
is_behind_train (const LmccTrainReader *reader, LmccTime arrival, gboolean ours)
{
  if (reader->n == 0)
    return FALSE;

  return arrival > reader->ended + SILENCE
      || (!ours && get_sent (reader) > reader->packets[reader->n - 1].sent);
}

static void
add_to_train (LmccTrainReader *reader, LmccTime arrival, gint64 delay)
{
  if (reader->n == 0)
    reader->began = arrival;
  if (reader->n < LMCC_TRAIN_READ_MAX) {
    reader->packets[reader->n].sent = get_sent (reader);
    reader->packets[reader->n].delay = delay;
    reader->n++;
  }
  reader->ended = arrival;
}

/*
 * lmcc_train_reader_packet:
 * @reader: a reader
 * @session: the session
 * @arrival: when the packet came
 * @header: of a packet of a layer that is held
 *
 * A train is read from where the level's own layer is known to come: before,
 * less than the train's rate may be on the path.
 *
 * Returns: whether a train is over and there is a verdict
 */
gboolean
lmcc_train_reader_packet (LmccTrainReader *reader, const LmccSession *session,
    LmccTime arrival, const LmccHeader *header)
{
  gint64 delay;
  gboolean ours, verdict = FALSE;

  if (session->train_cycle == 0 || (gint) header->layer > reader->level)
    return FALSE;
  delay = find_delay (reader, arrival, header->send_time);
  ours = header->burst && header->signal == reader->level + 1;
  if (is_behind_train (reader, arrival, ours))
    verdict = end_train (reader, session);
  note_delay (reader, arrival, delay);
  if ((gint) header->layer == reader->level && !reader->heard) {
    reader->heard = TRUE;
    reader->heard_at = arrival;
  }
  if (ours && reader->heard && may_be_train (reader, session, arrival))
    add_to_train (reader, arrival, delay);

  return verdict;
}

/*
 * lmcc_train_reader_owns_loss:
 * @reader: a reader
 * @layer: where packets were lost
 * @loss: when
 *
 * A train is nearly all of the highest layer that is held.
 *
 * Returns: whether they may have been of the latest train: then they say what
 *     its rate does to the path, and not what the level's does, as losses in
 *     RLC's bursts (Vicisano, Rizzo and Crowcroft 1998, section 3.2)
 */
gboolean
lmcc_train_reader_owns_loss (const LmccTrainReader *reader, guint layer,
    const LmccLoss *loss)
{
  return (gint) layer == reader->level && reader->began > 0
      && loss->before <= reader->ended
      && loss->before + loss->span >= reader->began;
}

/*
 * lmcc_train_reader_get:
 * @reader: a reader
 * @now: the time
 * @in_a_row: (out) (nullable): how many verdicts in a row say so
 *
 * Returns: the latest verdict, for as long as it is worth something
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
 * lmcc_train_reader_full_until:
 * @reader: a reader
 * @in_a_row: how many trains in a row, of those that say something, have to
 *     find no room
 *
 * One that finds a queue before it says nothing, and the latest that did say
 * something counts on.
 *
 * Returns: until when the path is known to be full; 0: it is not
 */
LmccTime
lmcc_train_reader_full_until (const LmccTrainReader *reader, guint in_a_row)
{
  return reader->n_full >= in_a_row ? reader->full_at + reader->worth : 0;
}

/* Whether a train for the next level has enough packets to say that there is
 * room. */
static gboolean
is_long_enough (const LmccTrainReader *reader, const LmccSession *session)
{
  guint level = (guint) MAX (reader->level, 0);
  guint64 held, train;
  gdouble excess;

  if (level + 1 >= session->n_layers)
    return FALSE;
  held = lmcc_session_cumulative_rate (session, level);
  train = lmcc_session_cumulative_rate (session, level + 1);
  if (train <= held)
    return FALSE;
  excess = (gdouble) (train - held)
      * (gdouble) lmcc_train_get_length (session, train) / LMCC_SECOND;

  return excess >= LEAST_EXCESS * 8.0 * session->packet_size;
}

/*
 * lmcc_train_reader_wait_until:
 * @reader: a reader
 * @session: the session
 *
 * Returns: until when a first verdict at this level is worth waiting for
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
