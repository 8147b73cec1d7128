/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/slots/slot-begins.h"

/* The sender's clock may be this much faster than ours. */
#define CLOCK_TOLERANCE 1.01

/* The earliest begin is that of so many slots at least. */
#define EARLIEST_SLOTS 32

/*
 * lmcc_slot_begins_init:
 * @begins: (out): knows of one slot
 * @length: of a slot, in ns, above 0
 * @index: that slot's
 * @begin: when it began
 */
void
lmcc_slot_begins_init (LmccSlotBegins *begins, LmccTime length, guint64 index,
    LmccTime begin)
{
  *begins = (LmccSlotBegins){ .length = length,
    .early = LMCC_SLOT_BEGINS_EARLY,
    .advanced_at = begin };
  lmcc_slot_begins_forget (begins, index);
  lmcc_slot_begins_note (begins, index, begin);
}

/*
 * lmcc_slot_begins_forget:
 * @begins: forgets when slots began
 * @index: from this slot on they are counted anew
 */
void
lmcc_slot_begins_forget (LmccSlotBegins *begins, guint64 index)
{
  begins->earliest[0] = begins->earliest[1] = G_MAXINT64;
  begins->earliest_from = index;
}

/*
 * lmcc_slot_begins_note:
 * @begins: knows of slots
 * @index: a later one
 * @begin: when it began
 *
 * Follows the begin of slots by those that were delayed least: a sender whose
 * clock is slower shows when the older ones are forgotten.
 */
void
lmcc_slot_begins_note (LmccSlotBegins *begins, guint64 index, LmccTime begin)
{
  gint64 origin = (gint64) (begin - index * begins->length);

  if (index >= begins->earliest_from + EARLIEST_SLOTS) {
    begins->earliest[1] = begins->earliest[0];
    begins->earliest[0] = G_MAXINT64;
    begins->earliest_from = index;
  }
  begins->earliest[0] = MIN (begins->earliest[0], origin);
  origin = MIN (begins->earliest[0], begins->earliest[1]);
  begins->nominal = (LmccTime) (origin + (gint64) (index * begins->length));
}

/*
 * lmcc_slot_begins_allow:
 * @begins: knows of slots
 * @now: the time
 *
 * Returns: how many slots may have begun since the last one did
 */
gdouble
lmcc_slot_begins_allow (const LmccSlotBegins *begins, LmccTime now)
{
  LmccTime span = now > begins->advanced_at ? now - begins->advanced_at : 0;

  return begins->early
      + (gdouble) span / (gdouble) begins->length * CLOCK_TOLERANCE;
}

/*
 * lmcc_slot_begins_spend:
 * @begins: knows of slots
 * @n: how many have begun
 * @now: the time
 */
void
lmcc_slot_begins_spend (LmccSlotBegins *begins, gdouble n, LmccTime now)
{
  begins->early = CLAMP (lmcc_slot_begins_allow (begins, now) - n, 0,
      LMCC_SLOT_BEGINS_EARLY);
  begins->advanced_at = MAX (begins->advanced_at, now);
}
