/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/single-rate/tfmcc-rtt-max.h"

#include <gst/lmcc/lmcc-session.h>
#include "control/single-rate/tfmcc-receiver.h"
#include "control/single-rate/tfmcc-sender.h"
#include "measure/rtt.h"

/* RFC 4654 section 3.2: R_max decreases by this factor per round. */
#define DECAY 0.9

/* Length of a round at the start of a session without reports, and the
 * longest time until R_max decreases. The RFC's rounds are proportional to
 * R_max, so a decrease from some seconds would take minutes. */
#define LONGEST_WAIT (2 * LMCC_TFMCC_ROUND * LMCC_DEFAULT_RTT_MAX)

/* Greatest increase per round because of one address, and greatest ratio to
 * the values of all other addresses. */
#define FACTOR 2

/*
 * lmcc_tfmcc_rtt_max_init:
 * @rtt_max: (out): R_max of a new session
 * @value: its initial value
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

/* The longest round-trip time of all origins but @origin, 0: no other
 * reports. */
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

/* The longest of all, limited to FACTOR times the limiting receiver's value,
 * or to that of the other origins if it is the limiting receiver's own. */
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
 * @origin: origin of a report
 * @rtt: its round-trip time, as the sender computes it
 * @limits: whether it is the limiting receiver's
 *
 * Increases R_max at once. A reported round-trip time may be forged, or
 * belong to a host that was suspended with the packet: it counts up to twice
 * the longest value of all other origins, as long as it stays so. The
 * limiting receiver sets the rate anyway, so its round-trip time counts, as
 * does that of a sole receiver; neither more than doubles R_max per round.
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
 * There is no limiting receiver any longer.
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
 * @shortest: time of one packet, a lower limit
 * @now: the time: at the end of a round, or at lmcc_tfmcc_rtt_max_next_decay()
 *
 * Decreases R_max only as far as reports support it.
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
 * Returns: when R_max decreases even if the round is not over
 */
LmccTime
lmcc_tfmcc_rtt_max_next_decay (const LmccTfmccRttMax *rtt_max)
{
  return rtt_max->decayed + LONGEST_WAIT;
}
