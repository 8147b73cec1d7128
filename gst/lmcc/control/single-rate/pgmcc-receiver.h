/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_SINGLE_RATE_PGMCC_RECEIVER_H
#define LMCC_CONTROL_SINGLE_RATE_PGMCC_RECEIVER_H

#include "control/single-rate/pgmcc-wire.h"

G_BEGIN_DECLS

/**
 * LmccPgmccReceiver:
 * A pgmcc receiver (Rizzo, "pgmcc: a TCP-friendly single-rate multicast congestion
 * control scheme", 2000). It measures loss, acknowledges packets that name it as the
 * acker, and sends a NAK after losses, unless the sender's packets show in time that a
 * receiver with at least the same loss has sent one.
 *
 * Call lmcc_pgmcc_receiver_packet() for each packet of layer 0, with its second element,
 * in the order of arrival. After it, and after lmcc_pgmcc_receiver_handle_timeout() at
 * lmcc_pgmcc_receiver_next_timeout(), call lmcc_pgmcc_receiver_poll_report() until it
 * returns %FALSE. Send each report at once, as built by lmcc_pgmcc_report_build().
 */
typedef struct _LmccPgmccReceiver LmccPgmccReceiver;

LmccPgmccReceiver *
lmcc_pgmcc_receiver_new (guint32 ssrc, guint32 ssrc_base, guint32 seed);
void lmcc_pgmcc_receiver_free (LmccPgmccReceiver *receiver);
void lmcc_pgmcc_receiver_packet (LmccPgmccReceiver *receiver, LmccTime now,
    guint16 lsn, guint32 send_time, const LmccPgmccElement *element);
LmccTime lmcc_pgmcc_receiver_next_timeout (const LmccPgmccReceiver *receiver);
void
lmcc_pgmcc_receiver_handle_timeout (LmccPgmccReceiver *receiver, LmccTime now);
gboolean lmcc_pgmcc_receiver_poll_report (LmccPgmccReceiver *receiver,
    LmccTime now, LmccPgmccReport *report);
guint16 lmcc_pgmcc_receiver_get_loss (const LmccPgmccReceiver *receiver);
guint64 lmcc_pgmcc_receiver_get_suppressed (const LmccPgmccReceiver *receiver);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccPgmccReceiver, lmcc_pgmcc_receiver_free)

G_END_DECLS

#endif
