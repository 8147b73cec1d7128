/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_SLOTS_SLOT_BEGINS_H
#define LMCC_CONTROL_SLOTS_SLOT_BEGINS_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* So many slots may begin sooner than the slot length says: the first packet of one
 * may come late by almost a slot, that of the next at once, and a queue may drain
 * meanwhile. */
#define LMCC_SLOT_BEGINS_EARLY 2

/**
 * LmccSlotBegins:
 * @length: of a slot
 * @nominal: when the latest slot began, without jitter
 * @earliest: when slot 0 began, by the slots that were delayed least: newer, older
 * @earliest_from: the first of the newer ones
 * @early: slots that may still begin early
 * @advanced_at: when that was so
 *
 * When slots begin, by the packets that begin them, and how many may have begun.
 */
typedef struct
{
  LmccTime length;
  LmccTime nominal;
  gint64 earliest[2];
  guint64 earliest_from;
  gdouble early;
  LmccTime advanced_at;
} LmccSlotBegins;

void lmcc_slot_begins_init (LmccSlotBegins *begins, LmccTime length,
    guint64 index, LmccTime begin);
void lmcc_slot_begins_forget (LmccSlotBegins *begins, guint64 index);
void
lmcc_slot_begins_note (LmccSlotBegins *begins, guint64 index, LmccTime begin);
gdouble lmcc_slot_begins_allow (const LmccSlotBegins *begins, LmccTime now);
void lmcc_slot_begins_spend (LmccSlotBegins *begins, gdouble n, LmccTime now);

G_END_DECLS

#endif
