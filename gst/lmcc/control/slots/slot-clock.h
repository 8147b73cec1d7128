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
 * @index: number of the slot, extended beyond wraps; modulo M it is the number in packets
 * @begin: when its first packet arrived
 * @end: when the first packet of a later slot arrived, or when the slot was ended without
 *     one or reported ahead
 * @whole: it was received from its first packet on until the next slot began
 * @silent: no packet of the base layer arrived in it
 * @signal: the highest level that may go up now, or %LMCC_SIGNAL_NOBODY
 * @up_levels: bit i: level i may go up now
 * @limit: the lowest signal in packets of layers above the base layer
 * @disputed: packets of the base layer contradict this slot: no receiver may go up
 * @losses: packets of the slot known to be lost, outside bursts
 * @burst_losses: the same inside bursts
 * @missing: packets that have not arrived and still may
 *
 * A slot that is over, and what is known about it.
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
 * @index: the slot of the lost packet
 * @burst: the packet belonged to a burst
 * @signal: the slot's signal, if known
 * @late: the slot's end was already reported
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
 * A slot begins with the first packet that carries its number (Byers et al., "FLID-DL",
 * 2002, section IV-B). Only marks of base-layer packets count. A packet of another layer
 * may begin the slot after the base layer's, but no later one. If the packets of a slot
 * disagree, the lowest signal applies. If some carry another slot than the current one,
 * or if the slot began long before it was expected, no receiver goes up. Slots cannot
 * pass faster than the session's slot length permits. So a forged packet can keep a
 * receiver down. It cannot take the receiver up by more than one level per slot, nor at
 * all in slots in which a genuine packet of the base layer arrives and forbids it. If a
 * whole slot passes without any packet, the clock continues by itself.
 *
 * A slot that is reported ahead has the signal of the previous slot: of that one all
 * packets have been received, of its own possibly only a forged one. A signal is equally
 * likely in both.
 *
 * The expected end of a slot is derived from the earliest starts among the latest 32 to
 * 64 slots: their first packets waited least, in queues and for their turn.
 */
typedef struct _LmccSlotClock LmccSlotClock;

/* The longest lead for slots of this length: joins must take less than a slot (Byers
 * et al., "FLID-DL", 2002, section III-C: J < T), and a part of the slot must have
 * been received. */
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
