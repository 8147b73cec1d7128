/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/single-rate/tfmcc-rtt-max.h"

#include <gst/lmcc/lmcc-session.h>
#include "control/single-rate/tfmcc-receiver.h"
#include "control/single-rate/tfmcc-sender.h"
#include "measure/rtt.h"

/* RFC 4654 section 3.2: R_max falls by this in each round. */
#define DECAY 0.9

/* A round of a session that begins, without a report to end it, and the longest
 * that R_max waits before it falls: the RFC's rounds are as long as R_max is,
 * so that it would take minutes to fall from some seconds. */
#define LONGEST_WAIT (2 * LMCC_TFMCC_ROUND * LMCC_DEFAULT_RTT_MAX)

/* In a round, by what one address says; and what all others say, by that. */
#define FACTOR 2

/*
 * lmcc_tfmcc_rtt_max_init:
 * @rtt_max: (out): R_max of a session that begins
 * @value: what it is
 * @now: the time
 */
void
lmcc_tfmcc_rtt_max_init (LmccTfmccRttMax *rtt_max, LmccTime value, LmccTime now)
{
  *rtt_max = (LmccTfmccRttMax){ .value = value,
    .shown = value,
    .begun = value,
    .decayed = now };
}

static void
note (LmccTfmccPeaks *peaks, guint64 origin, LmccTime rtt)
{
  if (peaks->rtt == 0 || peaks->origin == origin) {
    peaks->origin = origin;
    peaks->rtt = MAX (peaks->rtt, rtt);
  } else if (rtt > peaks->rtt) {
    peaks->other = peaks->rtt;
    peaks->origin = origin;
    peaks->rtt = rtt;
  } else {
    peaks->other = MAX (peaks->other, rtt);
  }
}

/* The longest that anybody but @origin has, 0: nobody reports. */
static LmccTime
get_others (const LmccTfmccRttMax *rtt_max, guint64 origin)
{
  LmccTime longest = 0;
  guint i;

  if (rtt_max->limiting_origin != origin)
    longest = rtt_max->limiting;
  for (i = 0; i < G_N_ELEMENTS (rtt_max->rounds); i++) {
    const LmccTfmccPeaks *peaks = &rtt_max->rounds[i];

    longest = MAX (longest,
        peaks->rtt > 0 && peaks->origin != origin ? peaks->rtt : peaks->other);
  }

  return longest;
}

/* The longest of all, as far as others come near it: the limiting receiver,
 * that is, whose queue may be empty by now. */
static void
follow_farthest (LmccTfmccRttMax *rtt_max)
{
  const LmccTfmccPeaks *peaks = rtt_max->rounds;
  const LmccTfmccPeaks *first =
      peaks[0].rtt >= peaks[1].rtt ? &peaks[0] : &peaks[1];
  gboolean elsewhere =
      rtt_max->limiting > 0 && rtt_max->limiting_origin != first->origin;
  LmccTime others =
      elsewhere ? rtt_max->limiting : get_others (rtt_max, first->origin);

  rtt_max->value = MAX (rtt_max->shown, MIN (first->rtt, FACTOR * others));
}

/*
 * lmcc_tfmcc_rtt_max_report:
 * @rtt_max: R_max
 * @origin: where a report comes from
 * @rtt: its round-trip time, as the sender sees it
 * @limits: it is the limiting receiver's
 *
 * Longer at once. A round-trip time may be a lie, or of a host that slept with
 * the packet: it counts up to twice the longest that anybody else has, as long
 * as that is so. The rate is the limiting receiver's anyway, and so is the
 * time, as it is where nobody else reports; neither more than doubles R_max in
 * a round.
 */
void
lmcc_tfmcc_rtt_max_report (LmccTfmccRttMax *rtt_max, guint64 origin,
    LmccTime rtt, gboolean limits)
{
  LmccTime others = get_others (rtt_max, origin);
  LmccTime counted =
      MIN (rtt, limits || others == 0 ? FACTOR * rtt_max->begun : others);

  if (limits) {
    rtt_max->limiting_origin = origin;
    rtt_max->limiting = counted;
  }
  note (&rtt_max->rounds[0], origin, limits || others == 0 ? counted : rtt);
  rtt_max->peak = MAX (rtt_max->peak, counted);
  rtt_max->shown = MAX (rtt_max->shown, counted);
  follow_farthest (rtt_max);
}

/*
 * lmcc_tfmcc_rtt_max_lose_limiting:
 * @rtt_max: R_max
 *
 * There is no limiting receiver now.
 */
void
lmcc_tfmcc_rtt_max_lose_limiting (LmccTfmccRttMax *rtt_max)
{
  rtt_max->limiting = 0;
}

/*
 * lmcc_tfmcc_rtt_max_begin_round:
 * @rtt_max: R_max
 */
void
lmcc_tfmcc_rtt_max_begin_round (LmccTfmccRttMax *rtt_max)
{
  rtt_max->begun = rtt_max->shown;
  rtt_max->rounds[1] = rtt_max->rounds[0];
  rtt_max->rounds[0] = (LmccTfmccPeaks){ 0, 0, 0 };
}

/*
 * lmcc_tfmcc_rtt_max_decay:
 * @rtt_max: R_max
 * @shortest: below which no packet fits
 * @now: the time: a round is over, or lmcc_tfmcc_rtt_max_next_decay()
 *
 * Shorter only with what reports show.
 */
void
lmcc_tfmcc_rtt_max_decay (LmccTfmccRttMax *rtt_max, LmccTime shortest,
    LmccTime now)
{
  LmccTime decayed = (LmccTime) (DECAY * (gdouble) rtt_max->shown);

  if (rtt_max->peak > 0)
    rtt_max->shown = MAX (decayed, rtt_max->peak);
  rtt_max->shown = CLAMP (rtt_max->shown, shortest, LMCC_RTT_LIMIT);
  rtt_max->peak = 0;
  follow_farthest (rtt_max);
  rtt_max->decayed = now;
}

/*
 * lmcc_tfmcc_rtt_max_next_decay:
 * @rtt_max: R_max
 *
 * Returns: when it falls, though the round is not over
 */
LmccTime
lmcc_tfmcc_rtt_max_next_decay (const LmccTfmccRttMax *rtt_max)
{
  return rtt_max->decayed + LONGEST_WAIT;
}
