/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_SLOTS_SLOT_BEGINS_H
#define LMCC_CONTROL_SLOTS_SLOT_BEGINS_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* Number of slots that may begin earlier than the slot length implies: the first
 * packet of one slot may be late by almost a slot and that of the next on time, and a
 * queue may drain meanwhile. */
#define LMCC_SLOT_BEGINS_EARLY 2

/**
 * LmccSlotBegins:
 * @length: length of a slot
 * @nominal: when the latest slot began, without jitter
 * @earliest: when slot 0 began, according to the slots with the least delay: newer, older
 * @earliest_from: the first of the newer slots
 * @early: number of slots that may still begin early
 * @advanced_at: the time for which @early is valid
 *
 * Estimates when slots begin by their first packets, and limits how many may have begun.
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
