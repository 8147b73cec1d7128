/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_CLAIM_FIT_H
#define LMCC_RECEIVER_CLAIM_FIT_H

#include "receiver/probation.h"

G_BEGIN_DECLS

/* Steps of order numbers are judged by the steps seen so far, once there were this
 * many. */
#define LMCC_OSN_LEARNED 32

gint
lmcc_claim_get_ahead (const LmccProbation *probation, const LmccClaim *claim);
gint lmcc_claim_order_step (const LmccHeader *first, const LmccHeader *second);
gboolean lmcc_claim_sequence_fits (const LmccProbation *probation,
    const LmccClaim *claim, guint ahead);
gboolean lmcc_claim_fits (const LmccProbation *probation,
    const LmccClaim *claim, guint ahead);
gboolean lmcc_claim_fits_gap (const LmccProbation *probation,
    const LmccClaim *claim, guint ahead);
gboolean lmcc_claim_fits_behind (const LmccProbation *probation,
    const LmccClaim *claim, guint behind);
gboolean lmcc_claim_continues_other (const LmccProbation *probation,
    const LmccClaim *claim);
gboolean lmcc_claims_agree (const LmccProbation *probation, const LmccClaim *a,
    const LmccClaim *b);

G_END_DECLS

#endif
