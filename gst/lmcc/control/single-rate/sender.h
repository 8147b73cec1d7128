/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_SINGLE_RATE_SENDER_H
#define LMCC_CONTROL_SINGLE_RATE_SENDER_H

#include <gst/lmcc/lmcc-session.h>
#include "control/single-rate/rate-setter.h"
#include "measure/rate-meter.h"
#include "measure/smoothing.h"

G_BEGIN_DECLS

/**
 * LmccLeader:
 * Whose reports set the rate, and where they come from. Others may write its SSRC
 * into theirs.
 */
typedef struct
{
  gboolean exists;
  guint32 ssrc;
  LmccAddress address;
  guint16 port;
} LmccLeader;

/**
 * LmccSingleRate:
 * @klass: (nullable): what the algorithm has for it; %NULL: the session has no
 *     single rate
 * @machine: its machine
 * @packet_size: s, in bytes, with IP and UDP headers
 * @mean_size: of the packets that leave, likewise
 * @overhead: of these what is not media
 * @excess: bytes that wait and will be late at this rate
 * @sent: what leaves
 * @last: the time that the latest packet had, by the rate
 * @last_size: its size
 * @estimate: what the media may have, smoothed, in bit/s; 0: not known yet
 * @estimated: when
 * @leaders: the receiver that sets the rate, and the one before it
 * @foreign: reports in a leader's name from elsewhere
 * @refused: reports that could not be true
 * @by_leader: reports of the receiver that set the rate when they came
 *
 * One rate for all receivers, that of the slowest, whichever algorithm finds it: of
 * a session without layers, or of the base of one.
 */
typedef struct
{
  const LmccRateSetterClass *klass;
  gpointer machine;
  guint packet_size;
  LmccEwma mean_size;
  gsize overhead;
  gsize excess;
  LmccReceiveRate sent;
  LmccTime last;
  gsize last_size;
  gdouble estimate;
  LmccTime estimated;
  LmccLeader leaders[2];
  guint64 foreign;
  guint64 refused;
  guint64 by_leader;
} LmccSingleRate;

void lmcc_single_rate_init (LmccSingleRate *single,
    const LmccRateSetterClass *klass, const LmccSession *session,
    gsize overhead, gdouble hysteresis, LmccTime now);
void lmcc_single_rate_clear (LmccSingleRate *single);
gboolean lmcc_single_rate_is_used (const LmccSingleRate *single);
gboolean lmcc_single_rate_follows_use (const LmccSingleRate *single);
LmccTime lmcc_single_rate_next_packet (const LmccSingleRate *single);
gsize lmcc_single_rate_write_element (LmccSingleRate *single, LmccTime now,
    guint16 lsn, guint8 data[LMCC_SECOND_ELEMENT_MAX_SIZE]);
void lmcc_single_rate_sent (LmccSingleRate *single, LmccTime now, gsize size);
gboolean lmcc_single_rate_take_report (LmccSingleRate *single, LmccTime now,
    guint32 send_clock, guint32 ssrc_base, const LmccAddress *source,
    guint16 port, const guint8 *data, gsize size);
LmccTime lmcc_single_rate_next_timeout (const LmccSingleRate *single);
void lmcc_single_rate_handle_timeout (LmccSingleRate *single, LmccTime now);
gdouble lmcc_single_rate_get_rate (const LmccSingleRate *single);
gboolean
lmcc_single_rate_get_leader (const LmccSingleRate *single, guint32 *ssrc);
gboolean lmcc_single_rate_comes_from_leader (const LmccSingleRate *single,
    const LmccAddress *source, guint16 port);
LmccTime lmcc_single_rate_get_rtt (const LmccSingleRate *single);
void lmcc_single_rate_get_stats (const LmccSingleRate *single,
    LmccSingleRateStats *stats);

G_END_DECLS

#endif
