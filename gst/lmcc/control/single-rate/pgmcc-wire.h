/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_SINGLE_RATE_PGMCC_WIRE_H
#define LMCC_CONTROL_SINGLE_RATE_PGMCC_WIRE_H

#include <gst/lmcc/lmcc-packet.h>
#include "wire/algorithm-element.h"

G_BEGIN_DECLS

/* First byte and size of a second element of pgmcc. */
#define LMCC_SECOND_ELEMENT_PGMCC 2
#define LMCC_PGMCC_ELEMENT_SIZE 10

/* Greatest wait before a NAK while few are sent, as in OpenPGM. */
#define LMCC_PGMCC_NAK_WAIT (50 * LMCC_MSECOND)

/* Subtype of the APP packets named LMCC that are pgmcc reports, and their sizes. */
#define LMCC_RTCP_APP_PGMCC 4
#define LMCC_PGMCC_NAK_SIZE 28
#define LMCC_PGMCC_ACK_SIZE 32

/**
 * LmccPgmccElement:
 * @elicit: every receiver must respond as to a loss
 * @has_acker: there is an acker; otherwise @acker is undefined
 * @acker: SSRC of the acker
 * @confirms: a NAK arrived recently; otherwise @confirmed_loss is undefined
 * @confirmed_loss: the largest rx_loss among recent NAKs, in 1/65536: receivers with no
 *     more loss need not send one
 * @nak_wait: longest time for which receivers wait for that before they send a NAK
 * @has_rtt: @rtt is known
 * @rtt: the ackers' round-trip time, smoothed
 *
 * Element of data packets (Rizzo, "pgmcc", 2000, figure 1 and section 3.6). For
 * suppression, the paper relies on PGM's confirmations of NAKs (RFC 3208 section 5.2),
 * which routers send; here the sender's packets replace them. Times are between 1 ms and
 * 63.488 s, rounded up to a sixteenth.
 */
typedef struct
{
  gboolean elicit;
  gboolean has_acker;
  guint32 acker;
  gboolean confirms;
  guint16 confirmed_loss;
  LmccTime nak_wait;
  gboolean has_rtt;
  LmccTime rtt;
} LmccPgmccElement;

/**
 * LmccPgmccReport:
 * @ssrc: rx_id, the SSRC of the receiver
 * @ssrc_base: S0 of the session
 * @is_ack: an ACK; otherwise a NAK, and @ack_sequence and @bitmap are undefined
 * @loss: rx_loss, in 1/65536
 * @lead: rxw_lead, the highest layer sequence number received
 * @ack_sequence: ack_seq, number of the acknowledged packet
 * @echoed_time: the send time of packet @lead plus the time since its arrival, NTP short
 *     format
 * @bitmap: bit i (from 1 << 0 on) is set if packet @lead - i was received
 *
 * Report of a receiver (figure 1 and section 3.3 of the same paper).
 */
typedef struct
{
  guint32 ssrc;
  guint32 ssrc_base;
  gboolean is_ack;
  guint16 loss;
  guint16 lead;
  guint16 ack_sequence;
  guint32 echoed_time;
  guint32 bitmap;
} LmccPgmccReport;

void lmcc_pgmcc_element_write (const LmccPgmccElement *element,
    guint8 data[LMCC_PGMCC_ELEMENT_SIZE]);
gboolean lmcc_pgmcc_element_parse (const guint8 *data, gsize size,
    LmccPgmccElement *element);
LmccPacket *lmcc_pgmcc_report_build (const LmccPgmccReport *report);
gboolean lmcc_pgmcc_report_parse (const guint8 *data, gsize size,
    LmccPgmccReport *report);

G_END_DECLS

#endif
