/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which of several senders that begin at the same moment takes which addresses.
 */
#include <gst/lmcc/lmcc-address-claims.h>
#include <gst/lmcc/lmcc-session.h>

#include "wire/address-claim.h"
#include "wire/layer-header.h"
#include "wire/rtp.h"

/**
 * lmcc_address_claims_init:
 * @claims: (out): of nobody else so far
 * @ssrc_base: S0 of the session that is to begin
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
 * Builds the own claim, for the default address's port of RTCP. It may be lost,
 * and others may begin to listen later: it is sent several times.
 *
 * Returns: (transfer full): a packet
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
 * @data: one UDP payload from the default address's port of RTCP
 * @size: its length
 *
 * What is no claim, or is the own one, is passed over; so is that of one sender
 * more than %LMCC_ADDRESS_CLAIMS_MAX.
 *
 * Returns: whether it is another's claim
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
 * @data: one UDP payload from the port of media of any address that may be
 *     taken
 * @size: its length
 *
 * Who sends has chosen its addresses, and is waited for no longer.
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

/* How many of the free ranges are others': those of the senders with a lower S0
 * that have not begun to send yet. All who heard each other count alike. */
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
 * @taken: (array length=n_ranges): whether somebody sends to that range
 * @n_ranges: how many there are
 *
 * No two of the senders that heard each other choose the same.
 *
 * Returns: which range the session takes, or @n_ranges where none is left
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
