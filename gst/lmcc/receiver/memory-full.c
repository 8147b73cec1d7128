/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the receiver gives up when its memory limit is reached: first the
 * units kept for a change to a lower rung, then the highest layer, and if
 * the base layer alone fills the memory, packets.
 */
#include "receiver/actions.h"
#include "receiver/layer-queue.h"
#include "receiver/memory.h"
#include "receiver/private.h"
#include "receiver/pump.h"
#include "receiver/source-and-level.h"

#include <glib/gi18n-lib.h>

static const gchar *const reasons[LMCC_N_MEMORY_STEPS] = {
  N_ ("data kept for a change to a lower encoding is dropped"),
  N_ ("the highest layer is left"),
  N_ ("the base layer alone fills the memory: waiting packets are passed on, "
      "and packets that do not fit are dropped"),
};

static void
tell (LmccReceiver *receiver, LmccMemoryStep step, LmccTime now)
{
  if (lmcc_message_limit_take (&receiver->memory.limits[step], now, NULL))
    lmcc_receiver_queue_action (receiver, LMCC_RECEIVER_ACTION_MEMORY_FULL)
        ->reason = reasons[step];
}

/* Leaves the highest layer at once and drops its waiting packets. Packets
 * that waited for it continue. */
static gboolean
leave_highest (LmccReceiver *receiver, LmccTime now)
{
  gint level = receiver->level;

  if (level <= 0)
    return FALSE;
  lmcc_receiver_lower_cap (receiver, now);
  lmcc_receiver_update_level (receiver, now);
  if (receiver->level >= level)
    return FALSE;
  lmcc_receiver_drop_left_layers (receiver);
  tell (receiver, LMCC_MEMORY_STEP_LAYER, now);

  return TRUE;
}

/* Passes on all waiting packets. */
static void
let_go (LmccReceiver *receiver, LmccTime now)
{
  receiver->memory.lets_go = TRUE;
  lmcc_repair_decoder_reset (receiver->repair);
  lmcc_gate_flush (receiver->gate);
  lmcc_receiver_pump (receiver, now);
  tell (receiver, LMCC_MEMORY_STEP_PACKETS, now);
}

/* Takes the first step that frees memory. */
static void
give_up (LmccReceiver *receiver, LmccTime now)
{
  if (lmcc_gate_forget_history (receiver->gate))
    tell (receiver, LMCC_MEMORY_STEP_HISTORY, now);
  else if (!leave_highest (receiver, now))
    let_go (receiver, now);
}

/* Memory that is given up is freed by this call and the following ones; the
 * reserve serves until then. */
static gboolean
make_room (LmccReceiver *receiver, LmccTime now)
{
  if (lmcc_receiver_memory_fits (receiver))
    return TRUE;
  lmcc_receiver_discard_some (receiver);
  if (!lmcc_discard_is_empty (&receiver->discard))
    return lmcc_receiver_memory_suffices (receiver);
  lmcc_receiver_update_budget (receiver);
  if (!lmcc_receiver_memory_fits (receiver)) {
    give_up (receiver, now);
    lmcc_receiver_discard_some (receiver);
  }

  return lmcc_receiver_memory_suffices (receiver);
}

/**
 * lmcc_receiver_admit:
 * @receiver: a receiver that has a session
 * @packet: an arrived packet, already counted
 * @now: the time
 *
 * Makes room if the packet exceeds the memory limit. The receiver may leave a
 * layer for it.
 *
 * Returns: whether there is room; if not, the packet is counted as dropped
 */
gboolean
lmcc_receiver_admit (LmccReceiver *receiver, const LmccPacket *packet,
    LmccTime now)
{
  lmcc_receiver_count_taken (receiver, packet);
  if (make_room (receiver, now))
    return TRUE;
  lmcc_receiver_drop (receiver, LMCC_DROP_MEMORY);

  return FALSE;
}
