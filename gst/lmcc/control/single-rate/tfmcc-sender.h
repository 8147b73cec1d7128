/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_SINGLE_RATE_TFMCC_SENDER_H
#define LMCC_CONTROL_SINGLE_RATE_TFMCC_SENDER_H

#include "control/single-rate/tfmcc-wire.h"

G_BEGIN_DECLS

/**
 * LmccTfmccSender:
 * TFMCC's sender (RFC 4654 section 3): a single rate for all receivers, that of the
 * slowest.
 *
 * The sender of layer 0 observes lmcc_tfmcc_sender_get_rate(), which may change with each
 * call; adds lmcc_tfmcc_sender_get_element() to each packet; passes on each report that
 * lmcc_tfmcc_report_parse() accepts and that names this session; and calls
 * lmcc_tfmcc_sender_handle_timeout() at lmcc_tfmcc_sender_next_timeout(). All times,
 * including the packets' send times, are on one clock: a send time is
 * lmcc_time_to_ntp_short() of that clock plus a constant.
 */
typedef struct _LmccTfmccSender LmccTfmccSender;

LmccTfmccSender *lmcc_tfmcc_sender_new (LmccTime now, guint packet_size,
    LmccTime rtt_max, gdouble max_rate);
void lmcc_tfmcc_sender_free (LmccTfmccSender *sender);
gboolean lmcc_tfmcc_sender_handle_report (LmccTfmccSender *sender, LmccTime now,
    guint32 send_clock, guint64 origin, const LmccTfmccReport *report);
void lmcc_tfmcc_sender_get_element (LmccTfmccSender *sender, LmccTime now,
    LmccTfmccElement *element);
LmccTime lmcc_tfmcc_sender_next_timeout (const LmccTfmccSender *sender);
void lmcc_tfmcc_sender_handle_timeout (LmccTfmccSender *sender, LmccTime now);
gdouble lmcc_tfmcc_sender_get_rate (const LmccTfmccSender *sender);
void lmcc_tfmcc_sender_set_max_rate (LmccTfmccSender *sender, gdouble max_rate);
gboolean
lmcc_tfmcc_sender_get_limiting (const LmccTfmccSender *sender, guint32 *ssrc);
LmccTime lmcc_tfmcc_sender_get_rtt_max (const LmccTfmccSender *sender);
guint64 lmcc_tfmcc_sender_get_rounds (const LmccTfmccSender *sender);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccTfmccSender, lmcc_tfmcc_sender_free)

G_END_DECLS

#endif
