/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/slots/slot-begins.h"

/* The sender's clock may be faster than the receiver's by this factor. */
#define CLOCK_TOLERANCE 1.01

/* The earliest start is determined over at least this many slots. */
#define EARLIEST_SLOTS 32

/*
 * lmcc_slot_begins_init:
 * @begins: (out): state that knows one slot
 * @length: length of a slot in ns, above 0
 * @index: index of that slot
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
 * @index: the first slot to be counted from now on
 */
void
lmcc_slot_begins_forget (LmccSlotBegins *begins, guint64 index)
{
  begins->earliest[0] = begins->earliest[1] = G_MAXINT64;
  begins->earliest_from = index;
}

/*
 * lmcc_slot_begins_note:
 * @begins: state that knows a slot
 * @index: a later slot
 * @begin: when it began
 *
 * Follows the starts of slots by those with the least delay: a sender with a
 * slower clock shows when the older starts are forgotten.
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
 * @begins: state that knows a slot
 * @now: the time
 *
 * Returns: how many slots may have begun since the last one
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
 * @begins: state that knows a slot
 * @n: number of slots that have begun
 * @now: the time
 */
void
lmcc_slot_begins_spend (LmccSlotBegins *begins, gdouble n, LmccTime now)
{
  begins->early = CLAMP (lmcc_slot_begins_allow (begins, now) - n, 0,
      LMCC_SLOT_BEGINS_EARLY);
  begins->advanced_at = MAX (begins->advanced_at, now);
}
