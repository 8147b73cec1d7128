/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/slots/slot-clock.h"

#include "control/slots/dynamic-layering.h"
#include "control/slots/slot-begins.h"
#include "control/slots/slot-gaps.h"
#include "measure/loss.h"

/* A slot that begins earlier than expected by more than this fraction of its
 * length is disputed: a base layer with few packets may not have sent one
 * yet in the slot that is cut short. First packets arrive later than
 * expected and not earlier, unless a queue has drained that was never empty
 * before. */
#define TOO_EARLY 8

/* A slot is ended without a packet when none has followed for this many slot
 * lengths. */
#define SLOT_PATIENCE 2

struct _LmccSlotClock
{
  guint modulus;
  LmccTime length;
  LmccTime settle_time;
  LmccTime lead;
  gint level;

  gboolean started;
  LmccSlotEnd current;
  LmccSlotBegins begins;
  gboolean tells_silent;
  gboolean told;         /* its end was reported ahead */
  guint64 base_index;    /* latest slot in packets of the base layer */
  LmccTime base_agreed;  /* when the base layer last carried an expected slot */
  guint64 doubted_until; /* slots that it carried before they were possible */

  /* A slot that is over while its losses may still show. */
  gboolean ending;
  LmccSlotEnd last;
  LmccTime settle_until;

  LmccSlotGaps layers[LMCC_MAX_LAYERS];
  GArray *ends; /* array of LmccSlotEnd, to be polled */
  guint64 ignored;
};

/**
 * lmcc_slot_clock_new:
 * @modulus: M, the modulus of slot numbers, at least 1
 * @length: length of a slot in ns, above 0
 * @settle_time: how long the end of a slot waits for a packet of a later slot
 *     in each joined layer, which reveals missing packets; in ns, 0 for no wait
 *
 * Returns: (transfer full): a clock that has seen no packet
 */
LmccSlotClock *
lmcc_slot_clock_new (guint modulus, LmccTime length, LmccTime settle_time)
{
  LmccSlotClock *clock = g_new0 (LmccSlotClock, 1);

  clock->modulus = MAX (modulus, 1);
  clock->length = MAX (length, 1);
  clock->settle_time = settle_time;
  clock->level = -1;
  clock->ends = g_array_new (FALSE, FALSE, sizeof (LmccSlotEnd));

  return clock;
}

/**
 * lmcc_slot_clock_free:
 * @clock: (transfer full): a clock
 */
void
lmcc_slot_clock_free (LmccSlotClock *clock)
{
  g_array_unref (clock->ends);
  g_free (clock);
}

/**
 * lmcc_slot_clock_set_lead:
 * @clock: a clock
 * @lead: how long before the expected end of a slot the end is reported, in ns;
 *     0: after it
 *
 * For callers that must act before the next slot begins. The lead is limited to
 * LMCC_SLOT_MAX_LEAD(). A slot without a packet of the base layer so far is
 * reported ahead if the previous slot had one; if none arrives until its end,
 * the slot is reported again, as silent. If the previous slot was silent, too,
 * the slot is reported only after its end.
 */
void
lmcc_slot_clock_set_lead (LmccSlotClock *clock, LmccTime lead)
{
  clock->lead = MIN (lead, LMCC_SLOT_MAX_LEAD (clock->length));
}

/**
 * lmcc_slot_clock_tell_silent:
 * @clock: a clock with a lead
 *
 * From now on, slots without packets of the base layer are reported ahead, too:
 * for callers that must act whatever the marks say.
 */
void
lmcc_slot_clock_tell_silent (LmccSlotClock *clock)
{
  clock->tells_silent = TRUE;
}

/**
 * lmcc_slot_clock_get_slot:
 * @clock: a clock
 * @slot: (out): the current slot, as on the wire
 * @told: (out): whether its end was reported ahead
 *
 * Returns: %FALSE if no slot was heard yet
 */
gboolean
lmcc_slot_clock_get_slot (const LmccSlotClock *clock, guint *slot,
    gboolean *told)
{
  *slot = (guint) (clock->current.index % clock->modulus);
  *told = clock->told;

  return clock->started;
}

/**
 * lmcc_slot_clock_set_level:
 * @clock: a clock
 * @level: the highest joined layer, -1 for none, below %LMCC_MAX_LAYERS
 *
 * Forgets what was received of higher layers.
 */
void
lmcc_slot_clock_set_level (LmccSlotClock *clock, gint level)
{
  guint i;

  clock->level = level;
  for (i = (guint) (level + 1); i < LMCC_MAX_LAYERS; i++)
    lmcc_slot_gaps_reset (&clock->layers[i]);
}

static void
begin_slot (LmccSlotClock *clock, guint64 index, LmccTime begin, gboolean whole)
{
  clock->told = FALSE;
  clock->current = (LmccSlotEnd){
    .index = index,
    .begin = begin,
    .end = LMCC_TIME_NONE,
    .whole = whole,
    .silent = TRUE,
    .signal = LMCC_SIGNAL_NOBODY,
    .limit = G_MAXINT,
  };
}

static void
start (LmccSlotClock *clock, guint slot, LmccTime arrival)
{
  clock->started = TRUE;
  clock->base_agreed = arrival;
  clock->base_index = clock->modulus + slot;
  lmcc_slot_begins_init (&clock->begins, clock->length, clock->base_index,
      arrival);
  begin_slot (clock, clock->base_index, arrival, FALSE);
}

static void
tell (LmccSlotClock *clock, LmccSlotEnd end)
{
  end.signal = MIN (end.signal, end.limit);
  if (end.disputed) {
    end.signal = LMCC_SIGNAL_NOBODY;
    end.up_levels = 0;
  }
  g_array_append_val (clock->ends, end);
}

static gboolean
last_is_before_current (const LmccSlotClock *clock)
{
  return clock->last.index + 1 == clock->current.index;
}

static void
settle (LmccSlotClock *clock)
{
  gint i;

  if (!clock->ending)
    return;
  clock->ending = FALSE;
  for (i = 0; i <= clock->level; i++)
    clock->last.missing +=
        lmcc_slot_gaps_missing (&clock->layers[i], clock->last.end);
  tell (clock, clock->last);
}

/* Whether each joined layer has brought a packet of the current slot. */
static gboolean
is_settled (const LmccSlotClock *clock)
{
  gint i;

  for (i = 0; i <= clock->level; i++) {
    if (!clock->layers[i].heard || clock->layers[i].slot < clock->current.index)
      return FALSE;
  }

  return TRUE;
}

/* The current slot is over. Consecutive slots without any packet are
 * reported as one; a slot that was reported ahead and stayed silent is
 * reported again. */
static void
advance (LmccSlotClock *clock, guint64 index, LmccTime begin, LmccTime now,
    gboolean whole)
{
  settle (clock);
  lmcc_slot_begins_note (&clock->begins, index, begin);
  clock->last = clock->current;
  clock->last.end = now;
  clock->ending =
      !clock->told || (clock->current.silent && !clock->tells_silent);
  clock->settle_until = now + clock->settle_time;
  if (index > clock->current.index + 1) {
    clock->last.whole = FALSE;
    settle (clock);
    begin_slot (clock, index - 1, now, FALSE);
    clock->last = clock->current;
    clock->last.end = now;
    clock->ending = TRUE;
  }
  begin_slot (clock, index, begin, whole);
}

/* Takes the marks of the base layer on which all its packets of the slot
 * agree. */
static void
take_marks (LmccSlotEnd *slot, const LmccHeader *header)
{
  guint64 up_levels = header->has_up_levels ? header->up_levels : 0;

  if (slot->silent) {
    slot->silent = FALSE;
    slot->signal = header->signal;
    slot->up_levels = up_levels;
  } else {
    slot->signal = MIN (slot->signal, header->signal);
    slot->up_levels &= up_levels;
  }
}

/* How far a slot number is ahead of the current slot. */
static gint
slots_ahead (const LmccSlotClock *clock, guint slot)
{
  return lmcc_slot_diff (slot, (guint) (clock->current.index % clock->modulus),
      clock->modulus);
}

/* The base layer carries a slot that is impossible now. It is accepted if
 * the base layer has brought nothing else for longer than a slot. */
static gboolean
take_distant (LmccSlotClock *clock, gint ahead, LmccTime arrival)
{
  guint64 index;

  if (arrival < clock->base_agreed + SLOT_PATIENCE * clock->length) {
    clock->ignored++;
    return FALSE;
  }
  index = clock->current.index
      + (guint) (ahead > 0 ? ahead : ahead + (gint) clock->modulus);
  lmcc_slot_begins_forget (&clock->begins, index);
  advance (clock, index, arrival, arrival, FALSE);
  lmcc_slot_begins_spend (&clock->begins, 1, arrival);

  return TRUE;
}

static gboolean
take_later (LmccSlotClock *clock, gint ahead, LmccTime arrival)
{
  LmccTime expected = clock->begins.nominal + (guint) ahead * clock->length;
  gboolean disputed = arrival + clock->length / TOO_EARLY < expected;

  if ((gdouble) ahead > lmcc_slot_begins_allow (&clock->begins, arrival))
    return FALSE;
  /* Neither the slot that was cut short nor the one that cut it counts. */
  clock->current.disputed |= disputed;
  advance (clock, clock->current.index + (guint) ahead, arrival, arrival, TRUE);
  clock->current.disputed =
      disputed || clock->current.index <= clock->doubted_until;
  lmcc_slot_begins_spend (&clock->begins, (gdouble) ahead, arrival);

  return TRUE;
}

/* Takes the marks of a late packet of the previous slot. If that slot was
 * already reported, its marks count only if the next one is reported ahead,
 * and only as a restriction. Returns whether the slot was not reported yet. */
static gboolean
take_late_marks (LmccSlotClock *clock, const LmccHeader *header)
{
  if (!last_is_before_current (clock))
    return FALSE;
  if (clock->ending || !clock->last.silent)
    take_marks (&clock->last, header);

  return clock->ending;
}

/* A packet of a future slot is rejected: its marks are lost, and the marks
 * with which that slot is then heard may be forged. */
static void
doubt (LmccSlotClock *clock, gint ahead)
{
  if (ahead > 0 && ahead <= LMCC_SLOT_BEGINS_EARLY)
    clock->doubted_until =
        MAX (clock->doubted_until, clock->current.index + (guint) ahead);
}

static void
take_base (LmccSlotClock *clock, LmccTime arrival, const LmccHeader *header)
{
  gint ahead = slots_ahead (clock, header->slot);

  if (ahead == -1 && take_late_marks (clock, header))
    return;
  if (ahead > 0 && take_later (clock, ahead, arrival))
    ahead = 0;
  clock->current.disputed |= ahead != 0;
  doubt (clock, ahead);
  if (ahead == -1)
    return;
  if (ahead != 0 && !take_distant (clock, ahead, arrival))
    return;

  take_marks (&clock->current, header);
  clock->base_index = clock->current.index;
  clock->base_agreed = arrival;
}

/* All layers carry the same signal. */
static void
take_limit (LmccSlotClock *clock, const LmccHeader *header)
{
  gint ahead = slots_ahead (clock, header->slot);

  if (ahead == 0)
    clock->current.limit = MIN (clock->current.limit, header->signal);
  else if (ahead == -1 && last_is_before_current (clock))
    clock->last.limit = MIN (clock->last.limit, header->signal);
}

static void
take_other (LmccSlotClock *clock, LmccTime arrival, const LmccHeader *header)
{
  gint ahead = slots_ahead (clock, header->slot);

  if (ahead > 0
      && (clock->current.index + (guint) ahead > clock->base_index + 1
          || !take_later (clock, ahead, arrival)))
    clock->ignored++;
  take_limit (clock, header);
}

/**
 * lmcc_slot_clock_expect:
 * @clock: a clock
 * @layer: a joined layer without any received packet
 * @lsn: layer sequence number of the first expected packet
 * @since: earliest time at which that packet was due
 * @slot: its slot, as on the wire
 *
 * Packets missing before the layer's first packet, which is taken next, count
 * like any others.
 */
void
lmcc_slot_clock_expect (LmccSlotClock *clock, guint layer, guint16 lsn,
    LmccTime since, guint slot)
{
  guint64 index = clock->current.index;
  gint ahead;

  if (!clock->started || layer >= LMCC_MAX_LAYERS || slot >= clock->modulus)
    return;
  /* That packet may begin the next slot. */
  ahead = MIN (slots_ahead (clock, slot), 1);
  if (ahead < 0)
    index -= MIN ((guint64) -ahead, index);
  else
    index += (guint64) ahead;
  lmcc_slot_gaps_expect (&clock->layers[layer], lsn, since, index);
}

/**
 * lmcc_slot_clock_packet:
 * @clock: a clock
 * @arrival: arrival time of the packet
 * @header: its header element
 *
 * Takes a packet of a joined layer that lmcc_layer_account_packet() accepted.
 * It may end a slot: see lmcc_slot_clock_poll().
 */
void
lmcc_slot_clock_packet (LmccSlotClock *clock, LmccTime arrival,
    const LmccHeader *header)
{
  gint ahead;
  guint64 index;

  if (header->slot >= clock->modulus || header->layer >= LMCC_MAX_LAYERS) {
    clock->ignored++;
    return;
  }
  if (!clock->started) {
    if (header->layer != 0)
      return;
    start (clock, header->slot, arrival);
  }

  if (header->layer == 0)
    take_base (clock, arrival, header);
  else
    take_other (clock, arrival, header);

  ahead = MIN (slots_ahead (clock, header->slot), 0);
  index = clock->current.index - MIN ((guint64) -ahead, clock->current.index);
  lmcc_slot_gaps_packet (&clock->layers[header->layer], arrival, header, index);
  if (clock->settle_time == 0 || is_settled (clock))
    settle (clock);
}

/**
 * lmcc_slot_clock_waits:
 * @clock: a clock
 * @now: the time
 * @layer: a joined layer with a packet on probation
 *
 * A packet may be missing until another packet of the layer is taken. If there
 * was a loss, it is reported after the time that makes a missing packet a loss.
 */
void
lmcc_slot_clock_waits (LmccSlotClock *clock, LmccTime now, guint layer)
{
  if (layer < LMCC_MAX_LAYERS)
    clock->layers[layer].waits_until = now + LMCC_LOSS_TIMEOUT;
}

/**
 * lmcc_slot_clock_refused:
 * @clock: a clock
 * @header: header element of a packet that lmcc_layer_account_packet() rejected
 *
 * The packet may be genuine, and the one accepted in its place forged. So its
 * marks can prevent a step up, and nothing else.
 */
void
lmcc_slot_clock_refused (LmccSlotClock *clock, const LmccHeader *header)
{
  gint ahead;

  if (!clock->started || header->layer != 0 || header->slot >= clock->modulus)
    return;
  /* Even if nothing else of the slot has been received yet. */
  take_limit (clock, header);
  ahead = slots_ahead (clock, header->slot);
  if (ahead == -1 && take_late_marks (clock, header))
    return;
  doubt (clock, ahead);
  if (ahead != 0)
    clock->current.disputed = TRUE;
  else if (!clock->current.silent)
    take_marks (&clock->current, header);
}

/* For the receiver, a layer's next slot begins where the gap ends. */
static guint64
get_gap_slot (const LmccSlotClock *clock, const LmccSlotGap *gap)
{
  guint64 index = clock->current.index;

  if (lmcc_slot_gap_get_begin (gap) < clock->current.begin)
    index--;
  if (gap->slot_after > gap->slot_before)
    index = MIN (index, gap->slot_after - 1);

  return MIN (MAX (index, gap->slot_before), gap->slot_after);
}

/**
 * lmcc_slot_clock_loss:
 * @clock: a clock
 * @layer: a joined layer
 * @lost: lost packets of the layer
 *
 * Counts losses for the slot that they belong to, even if they show only in the
 * next one. Losses across the border of two slots belong to the first one: for
 * the receiver, a slot begins with the first packet that it receives of it
 * (FLID-DL, section IV-B).
 *
 * Returns: the slot that they belong to
 */
LmccSlotLoss
lmcc_slot_clock_loss (LmccSlotClock *clock, guint layer, const LmccLoss *lost)
{
  LmccSlotLoss loss = { .index = clock->current.index,
    .signal = clock->current.signal };
  LmccSlotEnd *slot = &clock->current;
  LmccSlotGap gap;

  if (!clock->started || layer >= LMCC_MAX_LAYERS)
    return loss;

  if (lmcc_slot_gaps_loss (&clock->layers[layer], lost, &gap)) {
    loss.burst = gap.burst;
    loss.index = get_gap_slot (clock, &gap);
  } else if (lmcc_loss_get_time (lost, 0) < clock->current.begin) {
    loss.index--;
  }
  loss.late = clock->told;
  if (loss.index < clock->current.index) {
    slot = &clock->last;
    loss.late = !clock->ending;
    loss.signal = loss.index == clock->last.index ? clock->last.signal
                                                  : LMCC_SIGNAL_NOBODY;
  }
  if (loss.burst)
    slot->burst_losses += lost->count;
  else
    slot->losses += lost->count;

  return loss;
}

/* A base layer with few packets may send its only packet of a slot too late
 * to join for the next slot. The marks reported ahead are those of the
 * previous slot, so it suffices to have heard that one. */
static LmccTime
next_lead (const LmccSlotClock *clock)
{
  gboolean silent = clock->current.silent && !clock->tells_silent
      && (!last_is_before_current (clock) || clock->last.silent);

  if (clock->lead == 0 || clock->told || silent)
    return LMCC_TIME_NONE;

  return clock->begins.nominal + clock->length - clock->lead;
}

/* The marks of the previous slot: of the current one, possibly only a forged
 * packet has been received. */
static void
take_marks_before (const LmccSlotClock *clock, LmccSlotEnd *end)
{
  const LmccSlotEnd *last = &clock->last;
  gboolean known = last_is_before_current (clock) && !last->silent;

  end->signal = known ? last->signal : LMCC_SIGNAL_NOBODY;
  end->up_levels = known ? last->up_levels : 0;
  end->limit = last->limit;
  end->disputed |= last->disputed;
}

/* Reports the end of the current slot in advance. */
static void
tell_ahead (LmccSlotClock *clock, LmccTime now)
{
  LmccSlotEnd end = clock->current;
  gint i;

  clock->told = TRUE;
  end.end = now;
  end.silent = FALSE;
  take_marks_before (clock, &end);
  for (i = 0; i <= clock->level; i++)
    end.missing += lmcc_slot_gaps_missing (&clock->layers[i], now);
  tell (clock, end);
}

/* Ends slots that no packet has ended. */
static void
give_up (LmccSlotClock *clock, LmccTime now)
{
  guint64 n;

  clock->current.whole = FALSE;
  n = (now - clock->current.begin) / clock->length - (SLOT_PATIENCE - 1);
  advance (clock, clock->current.index + n,
      clock->current.begin + n * clock->length, now, FALSE);
  lmcc_slot_begins_spend (&clock->begins, (gdouble) n, now);
  settle (clock);
}

/**
 * lmcc_slot_clock_timeout:
 * @clock: a clock
 * @now: the time
 *
 * Ends slots that no packet has ended.
 */
void
lmcc_slot_clock_timeout (LmccSlotClock *clock, LmccTime now)
{
  if (clock->ending && now >= clock->settle_until)
    settle (clock);
  if (clock->started
      && now >= clock->current.begin + SLOT_PATIENCE * clock->length)
    give_up (clock, now);
  if (clock->started && now >= next_lead (clock))
    tell_ahead (clock, now);
}

/**
 * lmcc_slot_clock_next_timeout:
 * @clock: a clock
 *
 * Returns: when lmcc_slot_clock_timeout() has something to do, or
 * %LMCC_TIME_NONE
 */
LmccTime
lmcc_slot_clock_next_timeout (const LmccSlotClock *clock)
{
  LmccTime next;

  if (!clock->started)
    return LMCC_TIME_NONE;
  next = MIN (clock->current.begin + SLOT_PATIENCE * clock->length,
      next_lead (clock));

  return clock->ending ? MIN (next, clock->settle_until) : next;
}

/**
 * lmcc_slot_clock_poll:
 * @clock: a clock
 * @end: (out): the next slot that is over and has not been polled
 *
 * Returns: %FALSE if there is none
 */
gboolean
lmcc_slot_clock_poll (LmccSlotClock *clock, LmccSlotEnd *end)
{
  if (clock->ends->len == 0)
    return FALSE;

  *end = g_array_index (clock->ends, LmccSlotEnd, 0);
  g_array_remove_index (clock->ends, 0);

  return TRUE;
}

/**
 * lmcc_slot_clock_get_ignored:
 * @clock: a clock
 *
 * Returns: number of packets with an implausible slot
 */
guint64
lmcc_slot_clock_get_ignored (const LmccSlotClock *clock)
{
  return clock->ignored;
}

/**
 * lmcc_slot_end_is_clean:
 * @end: a slot that is over
 *
 * Returns: whether all of it was received, without lost or missing packets: the
 * condition for a step up at its end
 */
gboolean
lmcc_slot_end_is_clean (const LmccSlotEnd *end)
{
  return end->whole && !end->silent && end->losses == 0
      && end->burst_losses == 0 && end->missing == 0;
}
