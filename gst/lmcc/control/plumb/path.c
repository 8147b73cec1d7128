/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Plumb's knowledge of the path: whether it is full, whether there is
 * competing traffic, and which rate it permits.
 */
#include "control/plumb/state.h"

#include "wire/levels.h"

#include <math.h>

/* A rate beyond this multiple of the next level's rate was never tested. */
#define HIGHEST_SHARE 2.5

/* Losses within this time contradict a verdict. */
#define QUIET (4 * LMCC_SECOND)

/* The path is quiet if nothing was lost for this many mean loss intervals. */
#define QUIET_INTERVALS 4

/* A layer is silent if this many packets at its rate did not arrive. */
#define SILENT_PACKETS 8

/* While the mean is younger than this, little is known of the path. */
#define YOUNG (20 * LMCC_SECOND)

/*
 * lmcc_plumb_level_rate:
 * @plumb: plumb
 * @level: a level; -1: none
 *
 * Returns: R_level, the total rate of the level, bit/s
 */
gdouble
lmcc_plumb_level_rate (const LmccPlumb *plumb, gint level)
{
  return level < 0
      ? 0
      : (gdouble) lmcc_session_level_rate (plumb->session, (guint) level);
}

/*
 * lmcc_plumb_get_rtt:
 * @plumb: plumb
 *
 * Returns: the round-trip time, or its substitute until it is measured
 */
LmccTime
lmcc_plumb_get_rtt (const LmccPlumb *plumb)
{
  return plumb->rtt_known ? plumb->rtt : plumb->session->rtt_max;
}

/*
 * lmcc_plumb_count_verdicts:
 * @plumb: plumb
 * @verdict: a verdict of packet trains for the next level
 * @now: the time
 *
 * Returns: how many of the latest trains, in a row, gave this verdict
 */
guint
lmcc_plumb_count_verdicts (const LmccPlumb *plumb, LmccTrainVerdict verdict,
    LmccTime now)
{
  guint in_a_row;

  return lmcc_train_reader_get (&plumb->trains, now, &in_a_row) == verdict
      ? in_a_row
      : 0;
}

/*
 * lmcc_plumb_is_young:
 * @plumb: plumb
 * @now: the time
 *
 * Returns: whether little is known of the path because the mean rate covers
 * only seconds
 */
gboolean
lmcc_plumb_is_young (const LmccPlumb *plumb, LmccTime now)
{
  return lmcc_duty_get_age (&plumb->duty, now) < YOUNG;
}

/*
 * lmcc_plumb_lost_since:
 * @plumb: plumb
 * @now: the time
 * @time: a duration in ns
 *
 * Returns: whether a packet was lost or a level was left in the last @time
 */
gboolean
lmcc_plumb_lost_since (const LmccPlumb *plumb, LmccTime now, LmccTime time)
{
  return plumb->last_loss != 0 && now < plumb->last_loss + time;
}

/*
 * lmcc_plumb_is_vetoed:
 * @plumb: plumb
 * @now: the time
 *
 * A receiver without losses for a while may trust a single train while little
 * else is known.
 *
 * Returns: whether packet trains show that the next layer does not fit
 */
gboolean
lmcc_plumb_is_vetoed (const LmccPlumb *plumb, LmccTime now)
{
  guint needed = lmcc_plumb_lost_since (plumb, now, QUIET)
      ? LMCC_PLUMB_VERDICTS + 1
      : lmcc_plumb_is_young (plumb, now) ? 1
                                         : LMCC_PLUMB_VERDICTS;

  return now < lmcc_train_reader_full_until (&plumb->trains, needed);
}

/* Whether there has been no loss for far longer than before. */
static gboolean
is_quiet (const LmccPlumb *plumb, LmccTime now)
{
  LmccTime mean = lmcc_fair_rate_get_seen_interval (&plumb->fair);

  return !lmcc_plumb_lost_since (plumb, now, QUIET_INTERVALS * mean);
}

/*
 * lmcc_plumb_is_alone:
 * @plumb: plumb
 * @now: the time
 *
 * Returns: whether there seems to be no competing traffic on the path
 */
gboolean
lmcc_plumb_is_alone (const LmccPlumb *plumb, LmccTime now)
{
  return is_quiet (plumb, now)
      && !lmcc_plumb_lost_since (plumb, now, LMCC_PLUMB_ALONE)
      && (plumb->last_queue == 0
          || now >= plumb->last_queue + LMCC_PLUMB_ALONE);
}

/*
 * lmcc_plumb_find_silence:
 * @plumb: plumb
 * @layer: a layer of the session
 *
 * Returns: how long a layer must be without packets to count as silent,
 * allowing for layers with few packets
 */
LmccTime
lmcc_plumb_find_silence (const LmccPlumb *plumb, guint layer)
{
  guint64 rate = MAX (plumb->session->layers[layer].rate, 1);
  gdouble packets = SILENT_PACKETS * 8.0 * plumb->session->packet_size
      * LMCC_SECOND / (gdouble) rate;

  return MAX (LMCC_PLUMB_SILENCE, (LmccTime) packets);
}

static gboolean
has_silent_layer (const LmccPlumb *plumb, LmccTime now)
{
  LmccLayerSet held = lmcc_session_level_layers (plumb->session, plumb->level);
  guint i;

  while (lmcc_layer_set_take (&held, &i)) {
    if (now >= plumb->heard[i] + lmcc_plumb_find_silence (plumb, i))
      return TRUE;
  }

  return FALSE;
}

/*
 * lmcc_plumb_may_try:
 * @plumb: plumb
 * @now: the time
 *
 * Returns: whether the next level can be joined at all
 */
gboolean
lmcc_plumb_may_try (const LmccPlumb *plumb, LmccTime now)
{
  return lmcc_session_may_go_up (plumb->session, plumb->level)
      && plumb->parent.wanted_level == plumb->level
      && now < plumb->last_packet + LMCC_PLUMB_SILENCE
      && !has_silent_layer (plumb, now);
}

/* A receiver that has just arrived, or whose path has just changed, relies
 * on the absence of losses as long as no join has failed. */
static gboolean
may_dare (const LmccPlumb *plumb, LmccTime now)
{
  guint above = (guint) (plumb->level + 1);

  return lmcc_plumb_is_young (plumb, now) && above < LMCC_MAX_LAYERS
      && plumb->failures[above] == 0;
}

/*
 * lmcc_plumb_find_witness:
 * @plumb: plumb
 * @now: the time
 *
 * Returns: what the latest train says about a loss that is detected now
 */
LmccFairRateWitness
lmcc_plumb_find_witness (const LmccPlumb *plumb, LmccTime now)
{
  switch (lmcc_train_reader_get (&plumb->trains, now, NULL)) {
    case LMCC_TRAIN_NONE:
      return LMCC_FAIR_RATE_NO_WITNESS;
    case LMCC_TRAIN_ROOM:
      return LMCC_FAIR_RATE_ROOM;
    default:
      return LMCC_FAIR_RATE_FULL;
  }
}

/*
 * lmcc_plumb_update_rate:
 * @plumb: recomputes its fair rate
 * @now: the time
 *
 * A rate that no loss has contradicted yet justifies no claim: it is limited
 * by what was tested and by packet trains.
 */
void
lmcc_plumb_update_rate (LmccPlumb *plumb, LmccTime now)
{
  gdouble held = lmcc_plumb_level_rate (plumb, plumb->level);
  gdouble above = lmcc_session_may_go_up (plumb->session, plumb->level)
      ? lmcc_plumb_level_rate (plumb, plumb->level + 1)
      : held;
  gdouble rate;

  plumb->open_rate = rate = lmcc_fair_rate_get (&plumb->fair, now);
  if (is_quiet (plumb, now) && !may_dare (plumb, now))
    rate = MIN (rate, MAX (lmcc_fair_rate_get_seen (&plumb->fair), held));
  if (plumb->radio
      && lmcc_fair_rate_get_random (&plumb->fair) > LMCC_PLUMB_RANDOM)
    rate = INFINITY;
  rate =
      CLAMP (rate, lmcc_plumb_level_rate (plumb, 0) / 2, HIGHEST_SHARE * above);
  if (lmcc_plumb_is_vetoed (plumb, now))
    rate = MIN (rate, held);
  plumb->rate = rate;
}
