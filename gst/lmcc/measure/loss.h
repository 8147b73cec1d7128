/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_MEASURE_LOSS_H
#define LMCC_MEASURE_LOSS_H

#include <gst/lmcc/lmcc-packet.h>

G_BEGIN_DECLS

/* A packet is lost when this many later packets of its layer have arrived (RFC 5348
 * section 5.1). */
#define LMCC_LOSS_THRESHOLD 3

/* A gap that no later packets close or confirm is a loss after this time. */
#define LMCC_LOSS_TIMEOUT (100 * LMCC_MSECOND)

/* A jump of the layer sequence number back by more than this is a restart if two
 * packets in sequence confirm it (RFC 3550 appendix A.1). */
#define LMCC_MAX_GAP 1000

LmccLoss lmcc_loss_at (LmccTime time, guint count);
LmccTime lmcc_loss_get_last_time (const LmccLoss *loss);
guint lmcc_loss_count_before (const LmccLoss *loss, LmccTime time);
void lmcc_loss_drop_first (LmccLoss *loss, guint n);

G_END_DECLS

#endif
