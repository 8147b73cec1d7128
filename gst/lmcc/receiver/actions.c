/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The receiver's output: actions for the caller, messages for the user, and
 * counters of dropped packets. All other parts of the receiver may call it.
 */
#include "receiver/actions.h"
#include "receiver/private.h"

#include <glib/gi18n-lib.h>

/* Greatest number of interned texts that contain input from the network:
 * bounds their memory. */
#define MAX_INTERNED 64

/* Greatest gap in the delivered sequence numbers, so that a long outage does
 * not look like a new stream (RFC 3550 appendix A.1, MAX_DROPOUT). */
#define MAX_DELIVERED_GAP 100

/**
 * lmcc_drop_name:
 * @drop: a reason
 *
 * Returns the name of a reason to drop packets.
 *
 * Returns: (transfer none): the name of @drop in the statistics
 */
const gchar *
lmcc_drop_name (LmccDrop drop)
{
  static const gchar *const names[LMCC_N_DROPS] = {
    [LMCC_DROP_MALFORMED] = "malformed",
    [LMCC_DROP_NO_ELEMENT] = "no-element",
    [LMCC_DROP_FOREIGN_SOURCE] = "foreign-source",
    [LMCC_DROP_FOREIGN_SSRC] = "foreign-ssrc",
    [LMCC_DROP_WRONG_LAYER] = "wrong-layer",
    [LMCC_DROP_UNKNOWN_TYPE] = "unknown-type",
    [LMCC_DROP_DUPLICATE] = "duplicate",
    [LMCC_DROP_SUSPECT] = "suspect",
    [LMCC_DROP_LATE] = "late",
    [LMCC_DROP_BEFORE_RECORD] = "before-record",
    [LMCC_DROP_BAD_RTCP] = "bad-rtcp",
    [LMCC_DROP_BAD_RECORD] = "bad-record",
    [LMCC_DROP_OVERSIZE] = "oversize",
    [LMCC_DROP_BAD_ANSWER] = "bad-answer",
    [LMCC_DROP_TOO_OFTEN] = "too-often",
    [LMCC_DROP_MEMORY] = "memory",
  };

  g_return_val_if_fail (drop < LMCC_N_DROPS, "");

  return names[drop];
}

void
lmcc_receiver_drop (LmccReceiver *receiver, LmccDrop kind)
{
  receiver->stats.drops[kind]++;
}

/* Size of the jump in the delivered sequence numbers after losses. */
guint
lmcc_receiver_count_gap (guint lost)
{
  return 1 + MIN (lost, MAX_DELIVERED_GAP);
}

void
lmcc_receiver_init_actions (LmccReceiver *receiver)
{
  lmcc_ring_init (&receiver->actions.queue, sizeof (LmccReceiverAction));
}

/* Returns: (transfer none): a new action, valid until the next one is queued */
LmccReceiverAction *
lmcc_receiver_queue_action (LmccReceiver *receiver, LmccReceiverActionType type)
{
  LmccReceiverAction *action = lmcc_ring_push (&receiver->actions.queue);

  action->type = type;

  return action;
}

void
lmcc_receiver_clear_actions (LmccReceiver *receiver)
{
  LmccReceiverAction action;

  while (lmcc_ring_pop (&receiver->actions.queue, &action))
    g_clear_pointer (&action.packet, lmcc_packet_unref);
  lmcc_ring_clear (&receiver->actions.queue);
}

/**
 * lmcc_receiver_poll_action:
 * @receiver: a receiver
 * @action: (out): the next action
 *
 * Takes the next action from the queue. The caller owns the action's packet.
 *
 * Returns: %FALSE if no action is queued
 */
gboolean
lmcc_receiver_poll_action (LmccReceiver *receiver, LmccReceiverAction *action)
{
  if (!lmcc_ring_pop (&receiver->actions.queue, action))
    return FALSE;
  if (action->packet != NULL)
    lmcc_memory_release (action->packet);

  return TRUE;
}

/*
 * lmcc_receiver_intern:
 * @receiver: a receiver
 * @text: a text that contains input from the network
 * @instead: (transfer none): a static text to use when too many texts are
 *     interned
 *
 * Returns: (transfer none): @text, interned, or @instead
 */
const gchar *
lmcc_receiver_intern (LmccReceiver *receiver, const gchar *text,
    const gchar *instead)
{
  if (g_quark_try_string (text) != 0)
    return g_intern_string (text);
  if (receiver->actions.n_interned >= MAX_INTERNED)
    return instead;
  receiver->actions.n_interned++;

  return g_intern_string (text);
}

/*
 * lmcc_receiver_warn:
 * @receiver: a receiver
 * @kind: kind of the warning; at most one of each kind is posted per
 *     %LMCC_MESSAGE_INTERVAL
 * @reason: a static or interned string
 */
void
lmcc_receiver_warn (LmccReceiver *receiver, LmccWarning kind,
    const gchar *reason)
{
  LmccReceiverAction *action;
  guint64 held_back;

  if (!lmcc_message_limit_take (&receiver->actions.warning_limits[kind],
          receiver->now, &held_back))
    return;
  action = lmcc_receiver_queue_action (receiver, LMCC_RECEIVER_ACTION_WARNING);
  action->reason = reason;
  action->held_back = held_back;
}

/* There are few reasons, all of them static strings. */
static LmccMessageLimit *
get_waiting_limit (LmccReceiver *receiver, const gchar *reason)
{
  guint i;

  for (i = 0; i + 1 < LMCC_N_WAITING_REASONS; i++) {
    if (receiver->actions.waiting_reasons[i] == NULL
        || receiver->actions.waiting_reasons[i] == reason)
      break;
  }
  receiver->actions.waiting_reasons[i] = reason;

  return &receiver->actions.waiting_limits[i];
}

/* A forged goodbye costs its author nothing, and the true sender's next
 * packet ends the wait. A longer wait is reported as unheard. */
void
lmcc_receiver_post_waiting (LmccReceiver *receiver, const gchar *reason,
    LmccTime now)
{
  LmccReceiverAction *action;
  guint64 held_back;

  receiver->waiting_since = now;
  receiver->waiting_reason = reason;
  receiver->any_media = FALSE;
  receiver->any_refused = FALSE;
  if (!lmcc_message_limit_take (get_waiting_limit (receiver, reason), now,
          &held_back))
    return;
  action = lmcc_receiver_queue_action (receiver, LMCC_RECEIVER_ACTION_WAITING);
  action->reason = reason;
  action->held_back = held_back;
}

LmccTime
lmcc_receiver_next_unheard (const LmccReceiver *receiver)
{
  return LMCC_TIME_IS_VALID (receiver->waiting_since)
      ? receiver->waiting_since + LMCC_UNHEARD_TIMEOUT
      : LMCC_TIME_NONE;
}

void
lmcc_receiver_post_unheard (LmccReceiver *receiver, LmccTime now)
{
  LmccReceiverAction *action;

  receiver->waiting_since = LMCC_TIME_NONE;
  /* A sender is heard, and the reason why its session is not used has been
   * reported. */
  if (receiver->any_refused)
    return;
  if (!lmcc_message_limit_take (&receiver->actions.unheard_limit, now, NULL))
    return;
  action = lmcc_receiver_queue_action (receiver, LMCC_RECEIVER_ACTION_UNHEARD);
  action->reason = receiver->any_media
      ? N_ ("media arrived, but no session record")
      : receiver->have_session ? receiver->waiting_reason
                               : N_ ("nothing came");
  if (!receiver->have_session)
    return;
  action->previous = receiver->source;
  action->time = receiver->last_heard - receiver->heard_since;
}
