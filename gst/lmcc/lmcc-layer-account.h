/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_LAYER_ACCOUNT_H
#define LMCC_LAYER_ACCOUNT_H

#include <gst/lmcc/lmcc-loss.h>

G_BEGIN_DECLS

/* A packet is lost when so many later ones of its layer have arrived (RFC 5348
 * section 5.1). */
#define LMCC_LOSS_THRESHOLD 3

/* A gap that no later packets close or confirm is a loss after so long. */
#define LMCC_LOSS_TIMEOUT (100 * LMCC_MSECOND)

/* A jump of the layer sequence number back by more than this is a new start, where
 * two packets in sequence say so (RFC 3550 appendix A.1). */
#define LMCC_MAX_GAP 1000

/**
 * LmccArrival:
 * @LMCC_ARRIVAL_IN_ORDER: the next one
 * @LMCC_ARRIVAL_AFTER_GAP: some before it are missing so far
 * @LMCC_ARRIVAL_REORDERED: it fills a gap
 * @LMCC_ARRIVAL_LATE: it was counted as lost before
 * @LMCC_ARRIVAL_DUPLICATE: it came before
 * @LMCC_ARRIVAL_SUSPECT: too far back; the next one decides whether it is a new start
 * @LMCC_ARRIVAL_RESTART: first packet, or a new start: counting starts here
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
 * LmccLayerStats:
 * @received: packets, duplicates and late ones not counted
 * @bytes: of the received, with IP and UDP headers
 * @lost: packets
 * @reordered: of the received, those that filled a gap
 * @duplicates: packets that had come before
 * @late: packets that came after they had been counted as lost
 * @restarts: jumps of the sequence number
 */
typedef struct
{
  guint64 received;
  guint64 bytes;
  guint64 lost;
  guint64 reordered;
  guint64 duplicates;
  guint64 late;
  guint64 restarts;
} LmccLayerStats;

/**
 * LmccLayerAccount:
 * Counts one layer by its layer sequence numbers.
 */
typedef struct _LmccLayerAccount LmccLayerAccount;

LMCC_API LmccLayerAccount *lmcc_layer_account_new (void);
LMCC_API void lmcc_layer_account_free (LmccLayerAccount * account);
LMCC_API void lmcc_layer_account_reset (LmccLayerAccount * account);
LMCC_API void lmcc_layer_account_expect (LmccLayerAccount * account,
    guint16 lsn, LmccTime since);
LMCC_API void lmcc_layer_account_restart (LmccLayerAccount * account,
    guint16 lsn, LmccTime arrival);
LMCC_API LmccArrival lmcc_layer_account_packet (LmccLayerAccount * account,
    LmccTime arrival, guint16 lsn, gsize bytes);
LMCC_API void lmcc_layer_account_timeout (LmccLayerAccount * account,
    LmccTime now);
LMCC_API LmccTime lmcc_layer_account_next_timeout (
    const LmccLayerAccount * account);
LMCC_API gboolean lmcc_layer_account_poll_loss (LmccLayerAccount * account,
    LmccLoss * loss);
LMCC_API gboolean lmcc_layer_account_settled (const LmccLayerAccount * account,
    guint16 lsn);
LMCC_API const LmccLayerStats *lmcc_layer_account_get_stats (
    const LmccLayerAccount * account);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccLayerAccount, lmcc_layer_account_free)

G_END_DECLS

#endif
