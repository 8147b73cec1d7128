/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests senders that start together, each without a fixed address: no two of
 * them choose the same range, whoever chooses first.
 */
#include "support/sender-harness.h"

#include <gst/lmcc/lmcc-address-claims.h>
#include <gst/lmcc/wire/address-claim.h>

#define MOST_SENDERS 4
#define N_RANGES 6

typedef struct
{
  LmccAddressClaims claims;
  guint32 ssrc_base;
  gint range; /* or -1 */
} Beginner;

static guint32
ssrc_base_of (guint i)
{
  return 0x10000000u * (i + 1);
}

/* Its choice among the free ranges. */
static guint
get_rank (const LmccAddressClaims *claims)
{
  static const gboolean taken[LMCC_ADDRESS_CLAIMS_MAX + 1];

  return lmcc_address_claims_choose (claims, taken, G_N_ELEMENTS (taken));
}

static void
claim (const Beginner *from, Beginner *to)
{
  g_autoptr (LmccPacket) packet = lmcc_address_claims_build (&from->claims);

  lmcc_address_claims_take (&to->claims, packet->data, packet->size);
}

static void
hear_media (Beginner *beginner, guint32 ssrc)
{
  guint8 packet[12] = { 0x80, 96 };

  GST_WRITE_UINT32_BE (packet + 8, ssrc);
  lmcc_address_claims_take_media (&beginner->claims, packet, sizeof (packet));
}

static void
begin (Beginner *beginners, guint n)
{
  guint i, j;

  for (i = 0; i < n; i++) {
    beginners[i] = (Beginner){ .ssrc_base = ssrc_base_of (i), .range = -1 };
    lmcc_address_claims_init (&beginners[i].claims, ssrc_base_of (i));
  }
  for (i = 0; i < n; i++) {
    for (j = 0; j < n; j++)
      claim (&beginners[i], &beginners[j]);
  }
}

/* The first @n_taken ranges belong to another session. The senders in @heard
 * have chosen and send media. */
static void
choose (Beginner *beginners, guint n, guint chooser, guint n_taken, guint heard)
{
  Beginner *own = &beginners[chooser];
  gboolean taken[N_RANGES] = { FALSE };
  guint i;

  for (i = 0; i < n_taken; i++)
    taken[i] = TRUE;
  for (i = 0; i < n; i++) {
    if (!(heard & 1u << i))
      continue;
    taken[beginners[i].range] = TRUE;
    /* In any of its layers. */
    hear_media (own, beginners[i].ssrc_base | 0x47);
  }
  i = lmcc_address_claims_choose (&own->claims, taken, N_RANGES);
  fail_unless (i < N_RANGES);
  own->range = (gint) i;
}

static void
check_ranges (const Beginner *beginners, guint n, guint n_taken)
{
  guint used = 0, i;

  for (i = 0; i < n; i++) {
    fail_unless (beginners[i].range >= (gint) n_taken);
    fail_unless (beginners[i].range < (gint) (n_taken + n));
    fail_if (used & 1u << beginners[i].range, "two senders in one range");
    used |= 1u << beginners[i].range;
  }
}

/* @n senders choose in the order of @digits, of base @n. Each hears the
 * media of earlier ones whose bit in @heard is set: of none, if all choose
 * at once. */
static void
try_order (guint n, guint n_taken, guint digits, guint heard)
{
  Beginner beginners[MOST_SENDERS];
  guint seen = 0, i, j;
  guint order[MOST_SENDERS];

  for (i = 0; i < n; i++, digits /= n) {
    order[i] = digits % n;
    seen |= 1u << order[i];
  }
  if (seen != (1u << n) - 1)
    return;
  begin (beginners, n);
  for (i = 0; i < n; i++) {
    guint media = 0;

    for (j = 0; j < i; j++, heard /= 2)
      media |= (heard & 1) << order[j];
    choose (beginners, n, order[i], n_taken, media);
  }
  check_ranges (beginners, n, n_taken);
}

/* All orders, and all combinations of what each of them has heard from the
 * others. */
static void
try_orders (guint n, guint n_taken)
{
  guint n_orders = 1, order, heard, i;

  for (i = 0; i < n; i++)
    n_orders *= n;
  for (order = 0; order < n_orders; order++) {
    for (heard = 0; heard < 1u << (n * (n - 1) / 2); heard++)
      try_order (n, n_taken, order, heard);
  }
}

GST_START_TEST (test_senders_that_begin_together_take_ranges_of_their_own)
{
  guint n, n_taken;

  for (n = 1; n <= MOST_SENDERS; n++) {
    for (n_taken = 0; n_taken <= N_RANGES - MOST_SENDERS; n_taken++)
      try_orders (n, n_taken);
  }
}

GST_END_TEST;

GST_START_TEST (test_the_own_claim_and_copies_of_others_count_for_nothing)
{
  Beginner beginners[2];
  guint i;

  begin (beginners, 2);
  for (i = 0; i < 5; i++) {
    claim (&beginners[0], &beginners[1]);
    claim (&beginners[1], &beginners[1]);
  }
  fail_unless_equals_int (get_rank (&beginners[0].claims), 0);
  fail_unless_equals_int (get_rank (&beginners[1].claims), 1);
}

GST_END_TEST;

/* A host that claims in many names, or sends invalid claims. */
GST_START_TEST (test_forged_claims_are_bounded)
{
  LmccAddressClaims claims;
  guint8 report[] = { 0x86, 204, 0, 2, 0x12, 0x34, 0x50, 0, 'L', 'M', 'C',
    'C' };
  guint i;

  lmcc_address_claims_init (&claims, 0xfffff000u);
  fail_if (lmcc_address_claims_take (&claims, report, sizeof (report)));
  fail_unless_equals_int (get_rank (&claims), 0);
  for (i = 0; i < 1000; i++) {
    g_autoptr (LmccPacket) packet = lmcc_address_claim_build (i << 12);

    fail_unless (
        lmcc_address_claims_take (&claims, packet->data, packet->size));
  }
  fail_unless_equals_int (get_rank (&claims), LMCC_ADDRESS_CLAIMS_MAX);
}

GST_END_TEST;

static Suite *
address_claims_suite (void)
{
  Suite *suite = suite_create ("address-claims");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase,
      test_senders_that_begin_together_take_ranges_of_their_own);
  tcase_add_test (tcase,
      test_the_own_claim_and_copies_of_others_count_for_nothing);
  tcase_add_test (tcase, test_forged_claims_are_bounded);

  return suite;
}

GST_CHECK_MAIN (address_claims);
