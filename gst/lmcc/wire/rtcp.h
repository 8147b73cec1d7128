/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_WIRE_RTCP_H
#define LMCC_WIRE_RTCP_H

#include <gst/lmcc/lmcc-packet.h>
#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* Subtype of the APP packets named LMCC that carry the session record. */
#define LMCC_RTCP_APP_RECORD 1

/* Subtype of those with a receiver's losses, and their size. */
#define LMCC_RTCP_APP_LOSSES 8
#define LMCC_RTCP_LOSSES_SIZE 16

/* Bytes of one record fragment. A compound packet with SR, SDES and one fragment
 * stays below the IPv6 minimum MTU of 1280 bytes. */
#define LMCC_RTCP_FRAGMENT_SIZE 1000
#define LMCC_RTCP_MAX_FRAGMENTS 16

/* Answers in one packet: with the headers of XR, its block, UDP and IPv6 (8 + 4 + 8 +
 * 40 bytes) and 12 bytes per answer, it stays below the IPv6 minimum MTU. */
#define LMCC_RTCP_MAX_DLRR 101

/**
 * LmccSenderReport:
 * @ssrc: the SSRC that it describes
 * @ntp_time: send time, NTP format 32.32 (RFC 3550 section 6.4.1)
 * @rtp_time: the same instant in the stream's RTP timestamp units
 * @packets: RTP packets sent by this SSRC so far, modulo 2^32
 * @octets: payload bytes sent by it so far, modulo 2^32
 */
typedef struct
{
  guint32 ssrc;
  guint64 ntp_time;
  guint32 rtp_time;
  guint32 packets;
  guint32 octets;
} LmccSenderReport;

/**
 * LmccRecordFragment:
 * @ssrc: S0 of the session
 * @version: low 16 bits of the session's revision: fragments with the same value belong
 *     together
 * @index: n, from 0
 * @count: m, 1 to %LMCC_RTCP_MAX_FRAGMENTS
 * @data: the bytes; points into the parsed packet
 * @size: number of bytes
 */
typedef struct
{
  guint32 ssrc;
  guint16 version;
  guint8 index;
  guint8 count;
  const guint8 *data;
  gsize size;
} LmccRecordFragment;

/**
 * LmccReferenceTime:
 * @ssrc: SSRC of the receiver that asks
 * @ntp_time: send time of the report, NTP format 32.32, on any clock of the receiver (RFC
 *     3611 section 4.4)
 */
typedef struct
{
  guint32 ssrc;
  guint64 ntp_time;
} LmccReferenceTime;

/**
 * LmccLossReport:
 * @loss_rate: share of the packets of the receiver's layers that its path loses without
 *     being full, before repair; 0 to 1
 * @burst: mean number of packets of a layer that are lost in a row, at least 1
 *
 * What a receiver tells the sender of its losses.
 */
typedef struct
{
  gdouble loss_rate;
  gdouble burst;
} LmccLossReport;

/**
 * LmccDlrr:
 * @ssrc: SSRC of the receiver that asked
 * @last_rr: the middle 32 bits of the NTP time in its last report, 0 if none arrived
 * @delay: time from that report to this answer, in 1/65536 s
 *
 * A sub-block of a DLRR block (RFC 3611 section 4.5): the receiver's round-trip time is
 * the present time minus @last_rr and @delay. The fields are not checked and may contain
 * any value.
 */
typedef struct
{
  guint32 ssrc;
  guint32 last_rr;
  guint32 delay;
} LmccDlrr;

/**
 * LmccRtcpHandler:
 * @sender_report: an SR arrived
 * @record: a fragment of the session record arrived
 * @bye: @ssrc says BYE
 * @reference_time: a receiver asks for its round-trip time; of several blocks in one XR
 *     packet only the first counts
 * @dlrr: @sender_ssrc answers; called once per answer, for whichever receiver
 * @loss_report: the receiver @ssrc tells its losses
 *
 * Functions that lmcc_rtcp_parse() calls for the parts of a compound packet. Each may be
 * %NULL. None is called unless the whole compound packet is well-formed.
 */
typedef struct
{
  void (*sender_report) (gpointer user_data, const LmccSenderReport *report);
  void (*record) (gpointer user_data, const LmccRecordFragment *fragment);
  void (*bye) (gpointer user_data, guint32 ssrc);
  void (*reference_time) (gpointer user_data, const LmccReferenceTime *report);
  void (
      *dlrr) (gpointer user_data, guint32 sender_ssrc, const LmccDlrr *answer);
  void (*loss_report) (gpointer user_data, guint32 ssrc,
      const LmccLossReport *report);
} LmccRtcpHandler;

LmccPacket *lmcc_rtcp_build (const LmccSenderReport *reports, guint n_reports,
    const gchar *cname, const LmccRecordFragment *fragment);
LmccPacket *
lmcc_rtcp_build_bye (const LmccSenderReport *report, const gchar *cname);
LmccPacket *lmcc_rtcp_build_reference_time (const LmccReferenceTime *report,
    const LmccLossReport *losses);
LmccPacket *
lmcc_rtcp_build_dlrr (guint32 ssrc, const LmccDlrr *blocks, guint n_blocks);
gboolean lmcc_rtcp_parse (const guint8 *data, gsize size,
    const LmccRtcpHandler *handler, gpointer user_data);

/**
 * LmccRecordAssembler:
 * Joins the fragments of a session record. Accepts fragments in any order, keeps at most
 * one record, and starts anew when S0, version or count differ.
 */
typedef struct _LmccRecordAssembler LmccRecordAssembler;

LmccRecordAssembler *lmcc_record_assembler_new (void);
void lmcc_record_assembler_free (LmccRecordAssembler *assembler);
void lmcc_record_assembler_reset (LmccRecordAssembler *assembler);
gchar *lmcc_record_assembler_push (LmccRecordAssembler *assembler,
    const LmccRecordFragment *fragment);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccRecordAssembler, lmcc_record_assembler_free)

G_END_DECLS

#endif
