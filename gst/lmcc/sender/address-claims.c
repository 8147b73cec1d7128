/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Chooses addresses for senders that start at the same moment.
 */
#include <gst/lmcc/lmcc-address-claims.h>
#include <gst/lmcc/lmcc-session.h>

#include "wire/address-claim.h"
#include "wire/layer-header.h"
#include "wire/rtp.h"

/**
 * lmcc_address_claims_init:
 * @claims: (out): no claims of other senders
 * @ssrc_base: S0 of the session that is about to start
 *
 * Initializes the claims before the sender listens to the default address.
 */
void
lmcc_address_claims_init (LmccAddressClaims *claims, guint32 ssrc_base)
{
  *claims = (LmccAddressClaims){ .own = ssrc_base & LMCC_SSRC_BASE_MASK };
}

/**
 * lmcc_address_claims_build:
 * @claims: the claims
 *
 * Builds the sender's own claim, for the RTCP port of the default address. Send
 * it several times, because it may be lost and other senders may start
 * listening later.
 *
 * Returns: (transfer full): the packet to send
 */
LmccPacket *
lmcc_address_claims_build (const LmccAddressClaims *claims)
{
  return lmcc_address_claim_build (claims->own);
}

static gint
find (const LmccAddressClaims *claims, guint32 ssrc_base)
{
  guint i;

  for (i = 0; i < claims->n_others; i++) {
    if (claims->others[i] == ssrc_base)
      return (gint) i;
  }

  return -1;
}

/**
 * lmcc_address_claims_take:
 * @claims: the claims
 * @data: one UDP payload from the RTCP port of the default address
 * @size: its length in bytes
 *
 * Takes the claim of another sender. Other packets, the sender's own claim, and
 * claims beyond %LMCC_ADDRESS_CLAIMS_MAX are ignored.
 *
 * Returns: whether it is the claim of another sender
 */
gboolean
lmcc_address_claims_take (LmccAddressClaims *claims, const guint8 *data,
    gsize size)
{
  guint32 ssrc_base;

  if (!lmcc_address_claim_parse (data, size, &ssrc_base)
      || ssrc_base == claims->own)
    return FALSE;
  if (find (claims, ssrc_base) < 0
      && claims->n_others < LMCC_ADDRESS_CLAIMS_MAX)
    claims->others[claims->n_others++] = ssrc_base;

  return TRUE;
}

/**
 * lmcc_address_claims_take_media:
 * @claims: the claims
 * @data: one UDP payload from the media port of any of the possible address
 *     ranges
 * @size: its length in bytes
 *
 * A sender that sends media has chosen its range, so its claim no longer
 * counts.
 */
void
lmcc_address_claims_take_media (LmccAddressClaims *claims, const guint8 *data,
    gsize size)
{
  LmccRtp rtp;
  gint i;

  if (!lmcc_rtp_parse (data, size, LMCC_HEADER_DEFAULT_ID, &rtp))
    return;
  i = find (claims, rtp.ssrc & LMCC_SSRC_BASE_MASK);
  if (i >= 0)
    claims->others[i] = claims->others[--claims->n_others];
}

/* How many of the free ranges belong to other senders: those with a lower S0
 * that do not send media yet. All senders that heard each other compute the
 * same order. */
static guint
get_rank (const LmccAddressClaims *claims)
{
  guint i, rank = 0;

  for (i = 0; i < claims->n_others; i++)
    rank += claims->others[i] < claims->own ? 1 : 0;

  return rank;
}

/**
 * lmcc_address_claims_choose:
 * @claims: the claims
 * @taken: (array length=n_ranges): whether another sender uses the range
 * @n_ranges: number of ranges
 *
 * Chooses an address range. Senders that heard each other's claims choose
 * different ranges.
 *
 * Returns: the index of the range for the session, or @n_ranges if none is free
 */
guint
lmcc_address_claims_choose (const LmccAddressClaims *claims,
    const gboolean *taken, guint n_ranges)
{
  guint i, others = get_rank (claims);

  for (i = 0; i < n_ranges && (taken[i] || others > 0); i++)
    others -= taken[i] ? 0 : 1;

  return i;
}
