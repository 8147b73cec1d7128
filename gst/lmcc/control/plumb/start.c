/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Plumb's slow start.
 */
#include "control/plumb/state.h"

/* If packet trains give no result, the slow start joins after this many RTTs
 * or packets. */
#define START_RTTS 3
#define START_PACKETS 16
#define START_MIN (300 * LMCC_MSECOND)
#define START_MAX (1500 * LMCC_MSECOND)

/* Losses suspend the slow start until the round-trip time is known, by which
 * they are grouped: with R_max, it would continue or end by chance. */
static gboolean
waits_for_rtt (const LmccPlumb *plumb)
{
  return !plumb->rtt_known && plumb->last_loss != 0;
}

static LmccTime
start_wait (const LmccPlumb *plumb)
{
  LmccTime packets =
      (LmccTime) (START_PACKETS * 8.0 * plumb->session->packet_size
          * LMCC_SECOND / MAX (lmcc_plumb_level_rate (plumb, plumb->level), 1));
  LmccTime rtts = plumb->rtt_known ? START_RTTS * plumb->rtt : 0;

  return MAX (MAX (rtts, START_MIN), MIN (packets, START_MAX));
}

static gboolean
start_is_over (const LmccPlumb *plumb, LmccTime now)
{
  if (lmcc_plumb_count_verdicts (plumb, LMCC_TRAIN_FULL, now)
      >= LMCC_PLUMB_VERDICTS)
    return TRUE;

  return plumb->last_loss != 0 && plumb->rtt_known
      && plumb->rate < lmcc_plumb_level_rate (plumb, plumb->level + 1);
}

/*
 * lmcc_plumb_start:
 * @plumb: in slow start
 * @now: the time
 *
 * Joins the next layer, or ends the slow start. A train that finds room was
 * read at this level, so the level has arrived. A wait would delay the next
 * layer until after the start of the next level's train, which then has to be
 * awaited for a cycle.
 */
void
lmcc_plumb_start (LmccPlumb *plumb, LmccTime now)
{
  LmccTrainVerdict verdict = lmcc_train_reader_get (&plumb->trains, now, NULL);

  if (start_is_over (plumb, now)) {
    plumb->slow_start = FALSE;
    lmcc_plumb_begin_anew (plumb, now);
    return;
  }
  if (!lmcc_plumb_may_try (plumb, now) || waits_for_rtt (plumb)
      || verdict == LMCC_TRAIN_FULL
      || now < lmcc_train_reader_wait_until (&plumb->trains, plumb->session))
    return;
  if (verdict == LMCC_TRAIN_ROOM
      || now >= plumb->level_since + start_wait (plumb))
    lmcc_plumb_experiment (plumb, "slow start");
}
