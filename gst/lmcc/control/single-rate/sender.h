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
 * A receiver whose reports set the rate, and their origin. Other hosts may forge its SSRC
 * in their reports.
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
 * @klass: (nullable): class of the algorithm; %NULL: the session has no single rate
 * @machine: machine of the algorithm
 * @packet_size: s, in bytes, including IP and UDP headers
 * @mean_size: mean size of sent packets, including IP and UDP headers
 * @overhead: bytes of a packet that are not media
 * @excess: waiting bytes that will be late at this rate
 * @sent: the rate sent
 * @last: scheduled time of the latest packet, according to the rate
 * @last_size: its size
 * @estimate: rate available to media, smoothed, bit/s; 0: not known yet
 * @estimated: time of the estimate
 * @leaders: the receiver that sets the rate, and the previous one
 * @foreign: reports with a leader's SSRC from other origins
 * @refused: implausible reports
 * @by_leader: reports from the receiver that set the rate at that time
 *
 * A single rate for all receivers, that of the slowest one, whichever algorithm finds it:
 * for a session without layers, or for the base layer of another session.
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
