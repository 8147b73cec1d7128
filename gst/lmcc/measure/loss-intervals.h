/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_MEASURE_LOSS_INTERVALS_H
#define LMCC_MEASURE_LOSS_INTERVALS_H

#include "measure/loss.h"

G_BEGIN_DECLS

/* Number of closed loss intervals in the history, k (RFC 5348 section 5.4). */
#define LMCC_LOSS_INTERVALS 8

/* Which further losses of a loss event count, see lmcc_loss_intervals_new(). */
#define LMCC_LOSS_WINDOW_LAP 1
#define LMCC_LOSS_WINDOW_LIP G_MAXUINT

/* Default of lmcc_loss_intervals_set_hold(): greatest delay of the report of a loss,
 * three packets of 1000 bytes at 24 kbit/s. */
#define LMCC_LOSS_HOLD LMCC_SECOND

/**
 * LmccLossInterval:
 * @packets: Theta, packets received and lost from the loss that began its loss event up
 *     to the one that began the next
 * @losses: Psi, the losses of that event that count
 */
typedef struct
{
  gdouble packets;
  guint64 losses;
} LmccLossInterval;

/**
 * LmccLossIntervals:
 * The history of loss intervals of all joined layers together, which yields the loss
 * event rate for the TCP model.
 */
typedef struct _LmccLossIntervals LmccLossIntervals;

LmccLossIntervals *lmcc_loss_intervals_new (guint window, LmccTime rtt);
void lmcc_loss_intervals_free (LmccLossIntervals *history);
void lmcc_loss_intervals_reset (LmccLossIntervals *history);
void lmcc_loss_intervals_start (LmccLossIntervals *history, LmccTime now,
    gdouble packets);
void lmcc_loss_intervals_set_rtt (LmccLossIntervals *history, LmccTime rtt);
void lmcc_loss_intervals_set_hold (LmccLossIntervals *history, LmccTime hold);
void lmcc_loss_intervals_packet (LmccLossIntervals *history, LmccTime arrival,
    guint count);
void
lmcc_loss_intervals_lose (LmccLossIntervals *history, const LmccLoss *loss);
void lmcc_loss_intervals_loss (LmccLossIntervals *history, LmccTime time,
    guint count);

void lmcc_loss_intervals_find (LmccLossIntervals *history, LmccTime time);

gdouble lmcc_loss_intervals_first_length (gdouble receive_rate, LmccTime rtt,
    guint packet_size);
void
lmcc_loss_intervals_set_first (LmccLossIntervals *history, gdouble packets);
void lmcc_loss_intervals_rescale_first (LmccLossIntervals *history,
    LmccTime rtt, LmccTime assumed_rtt);

guint64 lmcc_loss_intervals_get_events (LmccLossIntervals *history);
guint lmcc_loss_intervals_get (LmccLossIntervals *history,
    LmccLossInterval intervals[LMCC_LOSS_INTERVALS + 1]);
gboolean lmcc_loss_intervals_is_quiet (LmccLossIntervals *history);
gdouble lmcc_loss_intervals_get_loss_rate (LmccLossIntervals *history);
gdouble lmcc_loss_intervals_get_impact_rate (LmccLossIntervals *history);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccLossIntervals, lmcc_loss_intervals_free)

G_END_DECLS

#endif
