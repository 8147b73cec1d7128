/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_SINGLE_RATE_PGMCC_RECEIVER_H
#define LMCC_CONTROL_SINGLE_RATE_PGMCC_RECEIVER_H

#include "control/single-rate/pgmcc-wire.h"

G_BEGIN_DECLS

/**
 * LmccPgmccReceiver:
 * One receiver of pgmcc (Rizzo, "pgmcc: a TCP-friendly single-rate multicast
 * congestion control scheme", 2000): measures loss, acknowledges packets that name
 * it as the acker, and sends a NAK after losses, unless the sender's packets
 * say in time that somebody has who loses no less.
 *
 * lmcc_pgmcc_receiver_packet() gets each packet of layer 0 with its second
 * element, in the order in which they come. After it, and after
 * lmcc_pgmcc_receiver_handle_timeout() at lmcc_pgmcc_receiver_next_timeout(),
 * lmcc_pgmcc_receiver_poll_report() is called until it has nothing; what it has
 * is sent at once, as lmcc_pgmcc_report_build() makes it.
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
