/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory accounting: what a receiver holds, and the limit that it never
 * exceeds.
 */
#include "receiver/memory.h"
#include "receiver/private.h"

/* Share of the limit that is reserved for copies of pictures that one
 * arriving packet may release at once. */
#define RESERVE_SHARE 16

/* A layer that did not fit is not rejoined for this long, doubled each time
 * it does not fit again. After that, it is rejoined only if the layers below
 * left a quarter of the limit free meanwhile. */
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

/* Room for what arrives within two seconds or until it is due, whichever is
 * longer. It is counted as it is held, so that small packets count with
 * their overhead. The rate of the current second is a measurement, not an
 * estimate. The limit does not fall below what is held. */
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

/* Adapts the limit to the received rate. */
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

/* Whether the memory in use is within the limit. */
gboolean
lmcc_receiver_memory_fits (const LmccReceiver *receiver)
{
  gsize budget = receiver->memory.budget;

  return get_used (receiver) <= budget - budget / RESERVE_SHARE;
}

/* Whether there is room for a packet while dropped packets are being freed. */
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
 * Frees what is no longer needed, as much as one call may.
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
 * @packet: an arrived packet, already counted
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
 * The current level does not fit into the memory and is not joined again for
 * some time.
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
 * @packet: (transfer full): a packet that the receiver created
 *
 * Delivered pictures are copies. If both do not fit, their originals are
 * dropped.
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
 * @span: time since the last call, in ns
 * @now: the time
 *
 * Measures the rate, and allows layers again that were left for lack of memory.
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

/* Returns: the highest level that fits into the memory */
gint
lmcc_receiver_get_memory_level (const LmccReceiver *receiver)
{
  return receiver->memory.cap;
}

/**
 * lmcc_receiver_set_max_memory:
 * @receiver: a receiver
 * @max_memory: memory limit in bytes, as in #LmccReceiverConfig
 *
 * Changes the memory limit. If more is in use, the next packets make the
 * receiver drop data.
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
 * @bytes: memory in bytes that the caller uses for delivered packets,
 *     bookkeeping included
 *
 * Counts this memory towards the receiver's limit from now on.
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
 * Returns the memory limit, which follows the measured rate if it is derived
 * automatically.
 *
 * Returns: the current memory limit in bytes, including memory outside the
 * receiver
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
