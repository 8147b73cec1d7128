/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A packet train for level j: for a short time, the layers of the next lower
 * level send packets that are due soon at the rate of level j, while the layers
 * that level j adds are silent, because they have sent their packets in
 * advance. So a path carries exactly the rate of level j, whether or not a
 * receiver behind it has joined level j: a train never suggests to other
 * receivers that a layer does not fit although it already flows there.
 *
 *     added layers   ====+++++++                =====   + sent in advance
 *     level below    ================ooooooo         =  o the train
 *                                           silence
 */
#include "sender/trains.h"

#include "measure/trains.h"

#include <string.h>

/* Before the train, the lower layers send faster than their own rate, by
 * 1/SETTLE_SHARE of the rate that the next level adds. */
#define SETTLE_SHARE 4

#define N_RUNS 3

/* Greatest delay of the pacer at which the rate is still met. */
#define CATCH_UP (2 * LMCC_MSECOND)

/*
 * lmcc_trains_init:
 * @trains: (out): the trains
 * @session: the session; its layers are read at each train
 * @now: the time, at which the first cycle begins
 */
void
lmcc_trains_init (LmccTrains *trains, const LmccSession *session, LmccTime now)
{
  memset (trains, 0, sizeof (*trains));
  trains->start = now;
  if (session->train_cycle > 0)
    trains->session = session;
}

static LmccTime
transmission_time (gsize bytes, guint64 rate)
{
  return (LmccTime) ((gdouble) bytes * 8.0 * LMCC_SECOND / (gdouble) rate);
}

/* The runs before a train of this length, and the train. */
static void
add_runs (const LmccSession *session, guint level, LmccTime begin,
    LmccTime length, LmccRun runs[N_RUNS])
{
  LmccTime settle = length / LMCC_TRAIN_SETTLE_DIVISOR;
  LmccTime ahead = LMCC_TRAIN_AHEAD_TIMES * length;
  LmccLayerSet added = lmcc_session_level_adds (session, (gint) level);
  LmccLayerSet held = lmcc_session_level_layers (session, (gint) level - 1);
  guint64 own = lmcc_session_layers_rate (session, added);
  guint64 rate = lmcc_session_level_rate (session, level);
  guint64 below = lmcc_session_level_rate (session, level - 1);

  runs[0] = (LmccRun){ .begin = begin,
    .end = begin + ahead,
    .layers = added,
    .until = begin + ahead + settle + length,
    .rate = own + own * (settle + length) / ahead };
  runs[1] = (LmccRun){ .begin = runs[0].end,
    .end = runs[0].end + settle,
    .layers = held,
    .until = LMCC_TIME_NONE,
    .rate = below + (rate - below) / SETTLE_SHARE };
  runs[2] = (LmccRun){ .begin = runs[1].end,
    .end = runs[1].end + length,
    .layers = held,
    .until = LMCC_TIME_NONE,
    .rate = rate,
    .train_level = level };
}

/* Whether the rates of all layers of @level and of the next lower level are
 * known, and @level has the higher rate. */
static gboolean
has_train (const LmccSession *session, guint level)
{
  LmccLayerSet layers = lmcc_session_level_layers (session, (gint) level)
      | lmcc_session_level_layers (session, (gint) level - 1);
  guint i;

  while (lmcc_layer_set_take (&layers, &i)) {
    if (session->layers[i].rate == 0)
      return FALSE;
  }

  return lmcc_session_level_rate (session, level)
      > lmcc_session_level_rate (session, level - 1);
}

/* Finds the run of @level at the time @now, in the part of the cycle that
 * begins at @begin. Returns %FALSE if there is none: the runs are over, or
 * the level has no train. */
static gboolean
plan (const LmccSession *session, guint level, LmccTime begin, LmccTime now,
    LmccRun *run)
{
  LmccRun runs[N_RUNS];
  guint i;

  if (!has_train (session, level))
    return FALSE;
  add_runs (session, level, begin,
      lmcc_train_get_length (session, lmcc_session_level_rate (session, level)),
      runs);
  for (i = 0; i < N_RUNS; i++) {
    if (now < runs[i].end) {
      *run = runs[i];
      return TRUE;
    }
  }

  return FALSE;
}

static gboolean
has_levels (const LmccTrains *trains)
{
  return trains->session != NULL
      && lmcc_session_count_levels (trains->session) > 1;
}

/*
 * lmcc_trains_advance:
 * @trains: trains
 * @now: the time
 *
 * Makes the run of the time @now, or the next one, the current run.
 */
void
lmcc_trains_advance (LmccTrains *trains, LmccTime now)
{
  const LmccSession *session = trains->session;
  LmccTime period;
  guint64 i;
  guint n, tries;

  trains->now = now;
  if (!has_levels (trains) || now < trains->run.end)
    return;
  period = lmcc_train_period (session);
  n = lmcc_session_count_levels (session) - 1;
  i = (now - trains->start) / period;
  for (tries = 0; tries <= n; tries++, i++) {
    if (plan (session, (guint) (i % n) + 1, trains->start + i * period, now,
            &trains->run)) {
      trains->next = trains->run.begin;
      return;
    }
  }
  trains->run = (LmccRun){ .begin = now + period, .end = now + period };
}

static gboolean
takes (const LmccRun *run, guint layer)
{
  return lmcc_layer_set_has (run->layers, layer);
}

/*
 * lmcc_trains_get_rank:
 * @trains: trains
 * @layer: a layer
 * @due: when its next packet is due
 *
 * In a train, packets of the highest layer are sent first, so that receivers
 * with fewer layers do not notice the train.
 *
 * Returns: a rank; the layer with the lowest rank sends its packet early.
 * %LMCC_TIME_NONE: the packet may not be sent early
 */
LmccTime
lmcc_trains_get_rank (const LmccTrains *trains, guint layer, LmccTime due)
{
  const LmccRun *run = &trains->run;

  if (!takes (run, layer) || due >= run->until || trains->next >= run->end)
    return LMCC_TIME_NONE;

  return run->train_level > 0 ? LMCC_MAX_LAYERS - layer : due;
}

/*
 * lmcc_trains_next:
 * @trains: trains
 *
 * Returns: when to call lmcc_trains_advance()
 */
LmccTime
lmcc_trains_next (const LmccTrains *trains)
{
  return has_levels (trains) ? trains->run.end : LMCC_TIME_NONE;
}

/*
 * lmcc_trains_next_exact:
 * @trains: trains
 *
 * The run before a train counts as well, because it forms the train's initial
 * queue.
 *
 * Returns: when packets must next be sent exactly at their times, up to the
 * end of the train; in the past while they must be; %LMCC_TIME_NONE for
 * never
 */
LmccTime
lmcc_trains_next_exact (const LmccTrains *trains)
{
  const LmccRun *run = &trains->run;

  if (!has_levels (trains) || run->rate == 0)
    return LMCC_TIME_NONE;

  return LMCC_TIME_IS_VALID (run->until) ? run->end : run->begin;
}

/*
 * lmcc_trains_mark:
 * @trains: packet trains, advanced to the present time
 * @layer: a layer
 * @marks: (inout): marks of its next packet: set if it belongs to a train,
 *     with the train's level
 */
void
lmcc_trains_mark (const LmccTrains *trains, guint layer, LmccMarks *marks)
{
  const LmccRun *run = &trains->run;

  if (run->train_level == 0 || trains->now < run->begin || !takes (run, layer))
    return;
  marks->burst = TRUE;
  marks->signal = (gint8) run->train_level;
}

/*
 * lmcc_trains_sent:
 * @trains: packet trains, advanced to the present time
 * @layer: a layer
 * @size: size in bytes of the IP packet that was sent, early or when it was
 *     due
 */
void
lmcc_trains_sent (LmccTrains *trains, guint layer, gsize size)
{
  const LmccRun *run = &trains->run;

  if (run->rate == 0 || trains->now < run->begin || !takes (run, layer))
    return;
  if (trains->next + CATCH_UP < trains->now)
    trains->next = trains->now - CATCH_UP;
  trains->next += transmission_time (size, run->rate);
}
