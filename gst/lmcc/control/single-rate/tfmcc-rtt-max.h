/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_SINGLE_RATE_TFMCC_RTT_MAX_H
#define LMCC_CONTROL_SINGLE_RATE_TFMCC_RTT_MAX_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/**
 * LmccTfmccPeaks:
 * @origin: where the longest round-trip time comes from
 * @rtt: that; 0: none
 * @other: the longest of all others; 0: none
 *
 * What the reports of one round say.
 */
typedef struct
{
  guint64 origin;
  LmccTime rtt;
  LmccTime other;
} LmccTfmccPeaks;

/**
 * LmccTfmccRttMax:
 * @value: R_max
 * @shown: of it what more than one address, or the limiting receiver, shows
 * @begun: what that was when the round began
 * @decayed: when it was made shorter last, or the first round began
 * @peak: the longest that counted for it since then, 0: none
 * @limiting_origin: where the limiting receiver is
 * @limiting: its latest, as far as it counts, 0: there is none
 * @rounds: the reports of this round and of the last one
 *
 * The longest round-trip time of TFMCC's receivers (RFC 4654 section 3.2), of which
 * no one address can make much more than the others show.
 */
typedef struct
{
  LmccTime value;
  LmccTime shown;
  LmccTime begun;
  LmccTime decayed;
  LmccTime peak;
  guint64 limiting_origin;
  LmccTime limiting;
  LmccTfmccPeaks rounds[2];
} LmccTfmccRttMax;

void lmcc_tfmcc_rtt_max_init (LmccTfmccRttMax *rtt_max, LmccTime value,
    LmccTime now);
void lmcc_tfmcc_rtt_max_report (LmccTfmccRttMax *rtt_max, guint64 origin,
    LmccTime rtt, gboolean limits);
void lmcc_tfmcc_rtt_max_lose_limiting (LmccTfmccRttMax *rtt_max);
void lmcc_tfmcc_rtt_max_begin_round (LmccTfmccRttMax *rtt_max);
void lmcc_tfmcc_rtt_max_decay (LmccTfmccRttMax *rtt_max, LmccTime shortest,
    LmccTime now);
LmccTime lmcc_tfmcc_rtt_max_next_decay (const LmccTfmccRttMax *rtt_max);

G_END_DECLS

#endif
