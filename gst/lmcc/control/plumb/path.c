/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What plumb knows of the path: whether it is full, whether others are there,
 * and what the path is worth.
 */
#include "control/plumb/state.h"

#include "wire/levels.h"

#include <math.h>

/* What is beyond this share of the next level's rate was never tried. */
#define HIGHEST_SHARE 2.5

/* Losses that came since so long speak against a verdict. */
#define QUIET (4 * LMCC_SECOND)

/* It is quiet if nothing was lost for so many mean intervals. */
#define QUIET_INTERVALS 4

/* A layer is silent where so many packets at its rate did not come. */
#define SILENT_PACKETS 8

/* What is known of the path is little while its mean is younger than that. */
#define YOUNG (20 * LMCC_SECOND)

/*
 * lmcc_plumb_level_rate:
 * @plumb: plumb
 * @level: a level; -1: none
 *
 * Returns: R_level, the rate of all that is held then, bit/s
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
 * Returns: the round-trip time, or what stands for it until it is measured
 */
LmccTime
lmcc_plumb_get_rtt (const LmccPlumb *plumb)
{
  return plumb->rtt_known ? plumb->rtt : plumb->session->rtt_max;
}

/*
 * lmcc_plumb_count_verdicts:
 * @plumb: plumb
 * @verdict: of trains for the next level
 * @now: the time
 *
 * Returns: how many of the latest ones, in a row, said so
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
 * Returns: whether little is known of the path, as its mean rate is of seconds
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
 * @time: how long
 *
 * Returns: whether something was lost in the last @time, or a level was left
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
 * Who has lost nothing for a while may believe one train while little else is
 * known.
 *
 * Returns: whether trains say that the next layer does not fit
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

/* Far longer without a loss than before. */
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
 * Returns: whether nobody else seems to be on the path
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
 * Returns: from when on nothing of it is a silence, which chance does not make
 *     where packets are far apart
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

/* Who has just come, or whose path has just changed, goes by what is not lost
 * as long as nothing came of it in vain. */
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
 * Returns: what the latest train says of a loss that is found now
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
 * @plumb: its fair rate is taken anew
 * @now: the time
 *
 * What no loss has contradicted is no claim: it is bounded by what was tried,
 * and by what trains say.
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
