/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_SINGLE_RATE_TFMCC_RTT_MAX_H
#define LMCC_CONTROL_SINGLE_RATE_TFMCC_RTT_MAX_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/**
 * LmccTfmccPeaks:
 * @origin: origin of the longest round-trip time
 * @rtt: the longest round-trip time; 0: none
 * @other: the longest one of all other origins; 0: none
 *
 * Result of the reports of one round.
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
 * @shown: the part of it that more than one address, or the limiting receiver, supports
 * @begun: @shown at the start of the round
 * @decayed: when it last decreased, or the first round began
 * @peak: the longest value counted since then, 0: none
 * @limiting_origin: origin of the limiting receiver
 * @limiting: the limiting receiver's latest value, as far as it counts, 0: there is none
 * @rounds: reports of the present round and of the previous one
 *
 * The longest round-trip time of TFMCC's receivers (RFC 4654 section 3.2). No single
 * address can make it much longer than the others support.
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
