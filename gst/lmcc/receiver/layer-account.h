/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_LAYER_ACCOUNT_H
#define LMCC_RECEIVER_LAYER_ACCOUNT_H

#include <gst/lmcc/lmcc-receiver.h>
#include "measure/loss.h"
#include "measure/reordering.h"

G_BEGIN_DECLS

/**
 * LmccArrival:
 * @LMCC_ARRIVAL_IN_ORDER: the next packet
 * @LMCC_ARRIVAL_AFTER_GAP: packets before it are missing so far
 * @LMCC_ARRIVAL_REORDERED: it fills a gap
 * @LMCC_ARRIVAL_LATE: it was already counted as lost
 * @LMCC_ARRIVAL_DUPLICATE: it has already arrived
 * @LMCC_ARRIVAL_SUSPECT: its number is too far back; the next packet decides whether the
 *     numbers restarted
 * @LMCC_ARRIVAL_RESTART: first packet, or a restart: counting begins here
 */
typedef enum
{
  LMCC_ARRIVAL_IN_ORDER,
  LMCC_ARRIVAL_AFTER_GAP,
  LMCC_ARRIVAL_REORDERED,
  LMCC_ARRIVAL_LATE,
  LMCC_ARRIVAL_DUPLICATE,
  LMCC_ARRIVAL_SUSPECT,
  LMCC_ARRIVAL_RESTART,
} LmccArrival;

/**
 * LmccLayerAccount:
 * Counts the packets of one layer by their layer sequence numbers.
 */
typedef struct _LmccLayerAccount LmccLayerAccount;

LmccLayerAccount *lmcc_layer_account_new (LmccReordering *reordering);
void lmcc_layer_account_go_on (LmccLayerAccount *account,
    const LmccLayerStats *stats);
void lmcc_layer_account_free (LmccLayerAccount *account);
void lmcc_layer_account_reset (LmccLayerAccount *account);
void lmcc_layer_account_expect (LmccLayerAccount *account, guint16 lsn,
    LmccTime since);
void lmcc_layer_account_restart (LmccLayerAccount *account, guint16 lsn,
    LmccTime arrival);
LmccArrival lmcc_layer_account_packet (LmccLayerAccount *account,
    LmccTime arrival, guint16 lsn, gsize bytes);
void lmcc_layer_account_timeout (LmccLayerAccount *account, LmccTime now);
LmccTime lmcc_layer_account_next_timeout (const LmccLayerAccount *account);
gboolean
lmcc_layer_account_poll_loss (LmccLayerAccount *account, LmccLoss *loss);
gboolean lmcc_layer_account_poll_found (LmccLayerAccount *account,
    LmccLoss *loss, gint *n_runs);
gboolean
lmcc_layer_account_settled (const LmccLayerAccount *account, guint16 lsn);
const LmccLayerStats *
lmcc_layer_account_get_stats (const LmccLayerAccount *account);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccLayerAccount, lmcc_layer_account_free)

G_END_DECLS

#endif
