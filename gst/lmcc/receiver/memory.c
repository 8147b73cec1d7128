/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a receiver holds, and the budget of bytes that it stays within, whatever
 * comes.
 */
#include "receiver/memory.h"
#include "receiver/private.h"

/* Of the budget, so much is left to what a packet that came may set free at
 * once: copies of pictures that leave. */
#define RESERVE_SHARE 16

/* A layer that did not fit is not joined for so long, and for twice as long
 * each time that it does not fit again; and then only where the layers below it
 * left a quarter of the budget free meanwhile. */
#define HOLD_MIN (10 * LMCC_SECOND)
#define HOLD_MAX (320 * LMCC_SECOND)

#define NO_CAP G_MAXINT

void
lmcc_receiver_clear_memory (LmccReceiver *receiver)
{
  g_clear_pointer (&receiver->memory.count, lmcc_memory_unref);
}

/* Another sender comes, or none. */
void
lmcc_receiver_reset_memory (LmccReceiver *receiver)
{
  LmccReceiverMemory *memory = &receiver->memory;

  memory->cap = NO_CAP;
  memory->hold = HOLD_MIN;
  memory->lets_go = FALSE;
}

static gsize
get_used (const LmccReceiver *receiver)
{
  return lmcc_memory_get_used (receiver->memory.count)
      + receiver->memory.outside;
}

/* What comes in two seconds, or until it has to go out, where that is longer;
 * counted as it is held, so that small packets count for what they cost. What
 * has come within this second is no guess. It does not fall below what is
 * held. */
static gsize
automatic_budget (const LmccReceiver *receiver)
{
  const LmccReceiverMemory *memory = &receiver->memory;
  LmccTime span = MAX (LMCC_MEMORY_SPAN, lmcc_receiver_get_latency (receiver));
  guint64 rate = MAX (memory->rate, memory->taken);
  guint64 wanted = rate / 1000 * (span / LMCC_MSECOND);

  wanted = CLAMP (wanted, LMCC_MEMORY_AUTOMATIC_MIN, LMCC_MEMORY_AUTOMATIC_MAX);

  return MAX ((gsize) wanted, MIN (memory->budget, get_used (receiver)));
}

/* What may be held follows what comes. */
void
lmcc_receiver_update_budget (LmccReceiver *receiver)
{
  LmccReceiverMemory *memory = &receiver->memory;
  guint64 max = receiver->config.max_memory;

  memory->budget = max == 0
      ? automatic_budget (receiver)
      : (gsize) CLAMP (max, LMCC_MEMORY_MIN, G_MAXSIZE / 2);
  lmcc_repair_decoder_set_max_bytes (receiver->repair, memory->budget / 2);
}

void
lmcc_receiver_init_memory (LmccReceiver *receiver)
{
  receiver->memory.count = lmcc_memory_new ();
  lmcc_receiver_reset_memory (receiver);
  lmcc_receiver_update_budget (receiver);
}

/* Whether no more is held than may be. */
gboolean
lmcc_receiver_memory_fits (const LmccReceiver *receiver)
{
  gsize budget = receiver->memory.budget;

  return get_used (receiver) <= budget - budget / RESERVE_SHARE;
}

/* Whether there is room for a packet while what was given up is freed. */
gboolean
lmcc_receiver_memory_suffices (const LmccReceiver *receiver)
{
  gsize budget = receiver->memory.budget;

  return get_used (receiver) <= budget - budget / RESERVE_SHARE / 2;
}

/*
 * lmcc_receiver_discard_some:
 * @receiver: a receiver
 *
 * Frees what nobody needs any more, as much as a call may.
 */
void
lmcc_receiver_discard_some (LmccReceiver *receiver)
{
  while (!lmcc_discard_is_empty (&receiver->discard)
      && lmcc_receiver_may_go_on (receiver, LMCC_RECEIVER_STAGE_DISCARD))
    lmcc_discard_free_some (&receiver->discard, 1);
}

static void
note_peak (LmccReceiver *receiver)
{
  LmccReceiverMemory *memory = &receiver->memory;
  gsize used = get_used (receiver);

  memory->peak = MAX (memory->peak, used);
  memory->most = MAX (memory->most, used);
}

/*
 * lmcc_receiver_count_taken:
 * @receiver: a receiver that has a session
 * @packet: a packet that came, and counts already
 */
void
lmcc_receiver_count_taken (LmccReceiver *receiver, const LmccPacket *packet)
{
  receiver->memory.taken += lmcc_memory_cost (packet->capacity);
  note_peak (receiver);
}

/*
 * lmcc_receiver_lower_cap:
 * @receiver: a receiver
 * @now: the time
 *
 * The level does not fit, and is not to be joined for some time.
 */
void
lmcc_receiver_lower_cap (LmccReceiver *receiver, LmccTime now)
{
  LmccReceiverMemory *memory = &receiver->memory;

  if (memory->cap != NO_CAP || now < memory->raised_at + memory->hold)
    memory->hold = MIN (2 * memory->hold, HOLD_MAX);
  else
    memory->hold = HOLD_MIN;
  memory->cap = receiver->level - 1;
  memory->cap_until = now + memory->hold;
  memory->most = 0;
}

/**
 * lmcc_receiver_count_packet:
 * @receiver: a receiver
 * @packet: (transfer full): a packet that it has made
 *
 * Pictures that leave are copies: where both do not fit, what else was kept of
 * them goes.
 *
 * Returns: (transfer full): the packet
 */
LmccPacket *
lmcc_receiver_count_packet (LmccReceiver *receiver, LmccPacket *packet)
{
  packet = lmcc_packet_take_counted (packet, receiver->memory.count);
  while (get_used (receiver) > receiver->memory.budget) {
    if (lmcc_discard_is_empty (&receiver->discard)
        && !lmcc_gate_forget_history (receiver->gate))
      break;
    lmcc_discard_free_some (&receiver->discard, 1);
  }
  if (get_used (receiver) > receiver->memory.budget)
    lmcc_repair_decoder_forget (receiver->repair,
        get_used (receiver) - receiver->memory.budget);
  note_peak (receiver);

  return packet;
}

/**
 * lmcc_receiver_update_memory:
 * @receiver: a receiver
 * @span: since the last call
 * @now: the time
 *
 * Measures the rate, and lets a layer that was left come back.
 */
void
lmcc_receiver_update_memory (LmccReceiver *receiver, LmccTime span,
    LmccTime now)
{
  LmccReceiverMemory *memory = &receiver->memory;

  memory->rate = (guint64) ((gdouble) memory->taken * LMCC_SECOND / span);
  memory->taken = 0;
  lmcc_receiver_update_budget (receiver);
  if (memory->cap == NO_CAP || now < memory->cap_until)
    return;
  if (memory->most <= memory->budget / 4 * 3) {
    memory->cap++;
    memory->raised_at = now;
  }
  memory->cap_until = now + memory->hold;
  memory->most = 0;
  if (memory->cap >= (gint) lmcc_session_count_levels (&receiver->session) - 1)
    memory->cap = NO_CAP;
}

/* Returns: the highest level that there is room for */
gint
lmcc_receiver_get_memory_level (const LmccReceiver *receiver)
{
  return receiver->memory.cap;
}

/**
 * lmcc_receiver_set_max_memory:
 * @receiver: a receiver
 * @max_memory: as in #LmccReceiverConfig
 */
void
lmcc_receiver_set_max_memory (LmccReceiver *receiver, guint64 max_memory)
{
  receiver->config.max_memory = max_memory;
  lmcc_receiver_update_budget (receiver);
}

/**
 * lmcc_receiver_set_outside_memory:
 * @receiver: a receiver
 * @bytes: what the caller holds of the packets that were delivered, with what
 *     it keeps beside them
 *
 * Counts it into the receiver's budget from now on.
 */
void
lmcc_receiver_set_outside_memory (LmccReceiver *receiver, gsize bytes)
{
  receiver->memory.outside = bytes;
}

/**
 * lmcc_receiver_get_memory_budget:
 * @receiver: a receiver
 *
 * Returns: bytes that may be held now, with those outside
 */
gsize
lmcc_receiver_get_memory_budget (const LmccReceiver *receiver)
{
  return receiver->memory.budget;
}

void
lmcc_receiver_get_memory_stats (const LmccReceiver *receiver,
    LmccReceiverStats *stats)
{
  stats->memory = get_used (receiver);
  stats->memory_peak = MAX (receiver->memory.peak, stats->memory);
  stats->memory_budget = receiver->memory.budget;
}
