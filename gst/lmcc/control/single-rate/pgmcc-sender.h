/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_SINGLE_RATE_PGMCC_SENDER_H
#define LMCC_CONTROL_SINGLE_RATE_PGMCC_SENDER_H

#include "control/single-rate/pgmcc-wire.h"

G_BEGIN_DECLS

/* c: a new acker's rate must be below this fraction of the old one's (section 3.5: 0.6
 * to 0.8). */
#define LMCC_PGMCC_HYSTERESIS 0.75

/* Greatest number of packets in flight. */
#define LMCC_PGMCC_MAX_WINDOW 4096

/**
 * LmccPgmccSender:
 * pgmcc's sender (Rizzo, "pgmcc: a TCP-friendly single-rate multicast congestion control
 * scheme", 2000): a window that is controlled by the slowest receiver, the acker.
 *
 * The sender of layer 0 sends a packet whenever lmcc_pgmcc_sender_may_send() permits it,
 * with the second element from lmcc_pgmcc_sender_send(). It passes on each report that
 * lmcc_pgmcc_report_parse() accepts and that names this session, and calls
 * lmcc_pgmcc_sender_handle_timeout() at lmcc_pgmcc_sender_next_timeout(). After either of
 * these calls a packet may be due.
 */
typedef struct _LmccPgmccSender LmccPgmccSender;

LmccPgmccSender *lmcc_pgmcc_sender_new (LmccTime now, gdouble hysteresis);
void lmcc_pgmcc_sender_free (LmccPgmccSender *sender);
gboolean lmcc_pgmcc_sender_may_send (const LmccPgmccSender *sender);
void lmcc_pgmcc_sender_send (LmccPgmccSender *sender, LmccTime now, guint16 lsn,
    LmccPgmccElement *element);
gboolean lmcc_pgmcc_sender_handle_report (LmccPgmccSender *sender, LmccTime now,
    guint32 send_clock, const LmccPgmccReport *report);
LmccTime lmcc_pgmcc_sender_next_timeout (const LmccPgmccSender *sender);
void lmcc_pgmcc_sender_handle_timeout (LmccPgmccSender *sender, LmccTime now);
gboolean
lmcc_pgmcc_sender_get_acker (const LmccPgmccSender *sender, guint32 *ssrc);
gdouble lmcc_pgmcc_sender_get_window (const LmccPgmccSender *sender);
LmccTime lmcc_pgmcc_sender_get_rtt (const LmccPgmccSender *sender);
gdouble lmcc_pgmcc_sender_get_loss_rate (const LmccPgmccSender *sender);
guint64 lmcc_pgmcc_sender_get_switches (const LmccPgmccSender *sender);
guint64 lmcc_pgmcc_sender_get_stalls (const LmccPgmccSender *sender);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccPgmccSender, lmcc_pgmcc_sender_free)

G_END_DECLS

#endif
