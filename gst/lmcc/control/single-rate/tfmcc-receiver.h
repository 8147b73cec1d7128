/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_SINGLE_RATE_TFMCC_RECEIVER_H
#define LMCC_CONTROL_SINGLE_RATE_TFMCC_RECEIVER_H

#include "control/single-rate/tfmcc-wire.h"
#include "measure/loss.h"

G_BEGIN_DECLS

/* T, the longest wait of a feedback round, in R_max (RFC 4654 section 4.5). */
#define LMCC_TFMCC_ROUND 6

/**
 * LmccTfmccReceiver:
 * A TFMCC receiver (RFC 4654 section 4): measures loss and round-trip time, and reports
 * the rate that it can receive when it is its turn.
 *
 * The caller, which has the layer account, passes on the packets of layer 0 in this
 * order: lmcc_tfmcc_receiver_packet() for each packet that counts, with its second
 * element if it has one, then lmcc_tfmcc_receiver_loss() for each run of losses that the
 * account reports. It calls lmcc_tfmcc_receiver_handle_timeout() at
 * lmcc_tfmcc_receiver_next_timeout(). After each of these calls,
 * lmcc_tfmcc_receiver_poll_report() may return a report, which is built by
 * lmcc_tfmcc_report_build() and sent to the destination of round-trip time reports.
 */
typedef struct _LmccTfmccReceiver LmccTfmccReceiver;

LmccTfmccReceiver *lmcc_tfmcc_receiver_new (guint32 ssrc, guint32 ssrc_base,
    guint packet_size, guint32 seed);
void lmcc_tfmcc_receiver_free (LmccTfmccReceiver *receiver);
void lmcc_tfmcc_receiver_packet (LmccTfmccReceiver *receiver, LmccTime now,
    gsize bytes, guint32 send_time, const LmccTfmccElement *element);
void lmcc_tfmcc_receiver_loss (LmccTfmccReceiver *receiver, LmccTime now,
    const LmccLoss *loss);
void
lmcc_tfmcc_receiver_found (LmccTfmccReceiver *receiver, const LmccLoss *loss);
void lmcc_tfmcc_receiver_leave (LmccTfmccReceiver *receiver);
LmccTime lmcc_tfmcc_receiver_next_timeout (const LmccTfmccReceiver *receiver);
void
lmcc_tfmcc_receiver_handle_timeout (LmccTfmccReceiver *receiver, LmccTime now);
gboolean lmcc_tfmcc_receiver_poll_report (LmccTfmccReceiver *receiver,
    LmccTime now, LmccTfmccReport *report);
gdouble
lmcc_tfmcc_receiver_get_rate (LmccTfmccReceiver *receiver, LmccTime now);
gdouble lmcc_tfmcc_receiver_get_loss_rate (LmccTfmccReceiver *receiver);
LmccTime lmcc_tfmcc_receiver_get_rtt (const LmccTfmccReceiver *receiver);
gboolean lmcc_tfmcc_receiver_has_rtt (const LmccTfmccReceiver *receiver);
gboolean lmcc_tfmcc_receiver_must_leave (const LmccTfmccReceiver *receiver,
    LmccTime now);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccTfmccReceiver, lmcc_tfmcc_receiver_free)

G_END_DECLS

#endif
