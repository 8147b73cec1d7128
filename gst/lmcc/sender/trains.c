/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The train for level j: for a moment the layers of the level below it send at
 * the level's rate what is due soon, and what level j adds is silent, because
 * it has sent before what is due then. So a path carries the rate of level j,
 * and no more, whether or not somebody behind it holds level j: who does not is
 * never told by it that a layer does not fit which flows there already.
 *
 *     what it adds   ====+++++++                =====   + what is due later
 *     level below    ================ooooooo         =  o the train
 *                                           silence
 */
#include "sender/trains.h"

#include "measure/trains.h"

#include <string.h>

/* Before the train the layers below have so much of the next one's rate
 * more. */
#define SETTLE_SHARE 4

#define N_RUNS 3

/* How late the pacer may be without losing the rate. */
#define CATCH_UP (2 * LMCC_MSECOND)

/*
 * lmcc_trains_init:
 * @trains: (out): the trains
 * @session: where the layers are read from, at each train
 * @now: the first cycle begins
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

/* What comes before a train of that length, and the train. */
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

/* Whether the rates are known of all layers of @level and of the one below, and
 * the level is more than that one. */
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

/* Level @level's, in the part of the cycle that begins at @begin: the run of
 * @now. Returns %FALSE where there is none: they are over, or there is no
 * train. */
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
 * The run is the one of @now, or the next.
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
 * A train takes the highest layer's packets first: who holds less then hears
 * nothing of it.
 *
 * Returns: the least of all layers' that of the packet that may leave early;
 *     %LMCC_TIME_NONE: this one may not
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
 * Returns: when lmcc_trains_advance() has something to do
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
 * What comes before a train is its present queue, so that it counts as well.
 *
 * Returns: when packets are next to leave exactly at their times, up to the end
 *     of the train, in the past while they are; %LMCC_TIME_NONE for never
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
 * @trains: trains, advanced to the present time
 * @layer: a layer
 * @marks: (inout): of its next packet: that it is of a train, and for which
 *     level
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
 * @trains: trains, advanced to the present time
 * @layer: a layer
 * @size: bytes of the IP packet that left, early or when it was due
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
