/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_SLOTS_SLOT_CLOCK_H
#define LMCC_CONTROL_SLOTS_SLOT_CLOCK_H

#include "measure/loss.h"
#include "wire/layer-header.h"

G_BEGIN_DECLS

/**
 * LmccSlotEnd:
 * @index: the slot, counted on over the wraps; modulo M it is what the packets bore
 * @begin: when its first packet came
 * @end: when the first packet of a later slot came, or when it was given up, or
 *     was told ahead
 * @whole: it was heard from its first packet on until the next slot began
 * @silent: no packet of the base layer came in it
 * @signal: the highest level that may go up now, or %LMCC_SIGNAL_NOBODY
 * @up_levels: bit i: level i may go up now
 * @limit: the lowest signal that packets of layers above the base bore
 * @disputed: packets of the base contradict that the slot was now: nobody may go up
 * @losses: packets of it known to be lost, outside bursts
 * @burst_losses: the same inside bursts
 * @missing: packets that have not come and may still do
 *
 * A slot that is over, and what is known of it.
 */
typedef struct
{
  guint64 index;
  LmccTime begin;
  LmccTime end;
  gboolean whole;
  gboolean silent;
  gint signal;
  guint64 up_levels;
  gint limit;
  gboolean disputed;
  guint losses;
  guint burst_losses;
  guint missing;
} LmccSlotEnd;

/**
 * LmccSlotLoss:
 * @index: the slot that the lost packet belonged to
 * @burst: it belonged to a burst
 * @signal: the slot's signal, as far as it is known
 * @late: the slot's end was told before
 */
typedef struct
{
  guint64 index;
  gboolean burst;
  gint signal;
  gboolean late;
} LmccSlotLoss;

/**
 * LmccSlotClock:
 * A receiver's view of the sender's slots.
 *
 * A slot begins with the first packet that bears its number (Byers et al., "FLID-DL",
 * 2002, section IV-B). Only marks of base-layer packets count. A packet of
 * another layer may begin the slot after the base's, and no later one. Where the
 * slot's packets disagree, the lowest signal holds. Where some bear another
 * slot than the one that runs, or where it began long before it was expected, nobody
 * goes up. Slots cannot pass faster than the session's slot length allows. So a forged
 * packet can keep a receiver down, but brings it up neither sooner than one level in a
 * slot nor, where a packet of the true base comes in each slot, where that one lets
 * nobody up. When a whole slot
 * passes without any packet, the clock goes on by itself.
 *
 * A slot that is told ahead has the signal of the one before it: of that one all
 * packets have been heard, of its own perhaps none but a forged one. A signal is as
 * likely in the one as in the other.
 *
 * When a slot is expected to end follows from the slots that began earliest of the
 * latest 32 to 64: their first packets waited least, in queues and for their turn.
 */
typedef struct _LmccSlotClock LmccSlotClock;

/* The longest lead for slots of a length: joins must take less than a slot (Byers et
 * al., "FLID-DL", 2002, section III-C: J < T), and some of it must have been heard. */
#define LMCC_SLOT_MAX_LEAD(length) ((length) / 8 * 7)

LmccSlotClock *
lmcc_slot_clock_new (guint modulus, LmccTime length, LmccTime settle_time);
void lmcc_slot_clock_free (LmccSlotClock *clock);
void lmcc_slot_clock_set_lead (LmccSlotClock *clock, LmccTime lead);
void lmcc_slot_clock_tell_silent (LmccSlotClock *clock);
gboolean lmcc_slot_clock_get_slot (const LmccSlotClock *clock, guint *slot,
    gboolean *told);
void lmcc_slot_clock_set_level (LmccSlotClock *clock, gint level);
void lmcc_slot_clock_expect (LmccSlotClock *clock, guint layer, guint16 lsn,
    LmccTime since, guint slot);
void lmcc_slot_clock_packet (LmccSlotClock *clock, LmccTime arrival,
    const LmccHeader *header);
void lmcc_slot_clock_waits (LmccSlotClock *clock, LmccTime now, guint layer);
void lmcc_slot_clock_refused (LmccSlotClock *clock, const LmccHeader *header);
LmccSlotLoss
lmcc_slot_clock_loss (LmccSlotClock *clock, guint layer, const LmccLoss *lost);
void lmcc_slot_clock_timeout (LmccSlotClock *clock, LmccTime now);
LmccTime lmcc_slot_clock_next_timeout (const LmccSlotClock *clock);
gboolean lmcc_slot_clock_poll (LmccSlotClock *clock, LmccSlotEnd *end);
guint64 lmcc_slot_clock_get_ignored (const LmccSlotClock *clock);
gboolean lmcc_slot_end_is_clean (const LmccSlotEnd *end);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccSlotClock, lmcc_slot_clock_free)

G_END_DECLS

#endif
