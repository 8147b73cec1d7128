/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_ADDRESS_CLAIMS_H
#define LMCC_ADDRESS_CLAIMS_H

#include <gst/lmcc/lmcc-packet.h>
#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* Greatest number of other senders' claims that are kept. */
#define LMCC_ADDRESS_CLAIMS_MAX 16

/**
 * LmccAddressClaims:
 * Chooses addresses for senders that start at the same moment without an address from
 * their users. Each sender claims the default address before it sends, collects the
 * claims of the other senders, and takes the address range that corresponds to its rank
 * among them. Fields are private.
 */
typedef struct
{
  /*< private >*/
  guint32 own;
  guint32 others[LMCC_ADDRESS_CLAIMS_MAX];
  guint n_others;
} LmccAddressClaims;

LMCC_API void
lmcc_address_claims_init (LmccAddressClaims *claims, guint32 ssrc_base);
LMCC_API LmccPacket *
lmcc_address_claims_build (const LmccAddressClaims *claims);
LMCC_API gboolean lmcc_address_claims_take (LmccAddressClaims *claims,
    const guint8 *data, gsize size);
LMCC_API void lmcc_address_claims_take_media (LmccAddressClaims *claims,
    const guint8 *data, gsize size);
LMCC_API guint lmcc_address_claims_choose (const LmccAddressClaims *claims,
    const gboolean *taken, guint n_ranges);

G_END_DECLS

#endif
