/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_ADDRESS_CLAIMS_H
#define LMCC_ADDRESS_CLAIMS_H

#include <gst/lmcc/lmcc-packet.h>
#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* The claims of so many other senders are kept. */
#define LMCC_ADDRESS_CLAIMS_MAX 16

/**
 * LmccAddressClaims:
 * Senders that begin at the same moment, and whose users gave no address: each
 * claims the default one before it sends, hears the others' claims, and takes the
 * range of addresses of its rank among them. Fields are private.
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
