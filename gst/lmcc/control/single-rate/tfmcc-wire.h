/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_SINGLE_RATE_TFMCC_WIRE_H
#define LMCC_CONTROL_SINGLE_RATE_TFMCC_WIRE_H

#include <gst/lmcc/lmcc-packet.h>
#include "wire/algorithm-element.h"

G_BEGIN_DECLS

/* First byte and size of a second element of TFMCC. */
#define LMCC_SECOND_ELEMENT_TFMCC 3
#define LMCC_TFMCC_ELEMENT_SIZE 13

/* Subtype of the APP packets named LMCC that are TFMCC reports, and their size. */
#define LMCC_RTCP_APP_TFMCC 3
#define LMCC_TFMCC_REPORT_SIZE 28

/* The lowest and the highest rate that can be written, in bit/s. */
#define LMCC_TFMCC_MIN_RATE 100.0
#define LMCC_TFMCC_MAX_RATE (100.0 * 254 / 128 * (G_GUINT64_CONSTANT (1) << 31))

/**
 * LmccTfmccElement:
 * @round: feedback round, modulo 256
 * @has_receiver: it answers a receiver; otherwise @is_limiting, @receiver and
 *     @echoed_time are undefined
 * @is_limiting: that receiver is the current limiting receiver (CLR)
 * @receiver: its SSRC
 * @echoed_time: the time of its last report plus the time since its arrival, NTP short
 *     format
 * @suppression_rate: X_supp in bit/s, infinite: no report is to be suppressed
 * @rtt_max: R_max
 *
 * Element of data packets (RFC 4654 section 2.2.1).
 */
typedef struct
{
  guint8 round;
  gboolean has_receiver;
  gboolean is_limiting;
  guint32 receiver;
  guint32 echoed_time;
  gdouble suppression_rate;
  LmccTime rtt_max;
} LmccTfmccElement;

/**
 * LmccTfmccReport:
 * @ssrc: SSRC of the receiver
 * @ssrc_base: S0 of the session
 * @round: its feedback round, modulo 256
 * @has_rtt: the receiver has measured its round-trip time
 * @has_loss: it has seen a loss event; otherwise @rate follows from the received rate
 * @leaves: it leaves the session
 * @rate: X_r, the rate that it can receive, in bit/s; infinite: no limit
 * @time: when the report was sent, NTP short format, on any clock of the receiver
 * @echoed_time: the send time of the last data packet plus the time since its arrival,
 *     NTP short format
 *
 * Report of a receiver (RFC 4654 section 2.2.2).
 */
typedef struct
{
  guint32 ssrc;
  guint32 ssrc_base;
  guint8 round;
  gboolean has_rtt;
  gboolean has_loss;
  gboolean leaves;
  gdouble rate;
  guint32 time;
  guint32 echoed_time;
} LmccTfmccReport;

guint lmcc_tfmcc_encode_rate (gdouble rate);
gdouble lmcc_tfmcc_decode_rate (guint code);
guint8 lmcc_tfmcc_encode_rtt_max (LmccTime rtt_max);
LmccTime lmcc_tfmcc_decode_rtt_max (guint8 code);

void lmcc_tfmcc_element_write (const LmccTfmccElement *element,
    guint8 data[LMCC_TFMCC_ELEMENT_SIZE]);
gboolean lmcc_tfmcc_element_parse (const guint8 *data, gsize size,
    LmccTfmccElement *element);
LmccPacket *lmcc_tfmcc_report_build (const LmccTfmccReport *report);
gboolean lmcc_tfmcc_report_parse (const guint8 *data, gsize size,
    LmccTfmccReport *report);

G_END_DECLS

#endif
