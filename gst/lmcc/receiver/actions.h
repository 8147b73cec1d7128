/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_ACTIONS_H
#define LMCC_RECEIVER_ACTIONS_H

#include <gst/lmcc/lmcc-receiver.h>
#include "base/ring.h"
#include "receiver/message-limit.h"

G_BEGIN_DECLS

/* Kinds of warnings. At most one of each kind is posted per LMCC_MESSAGE_INTERVAL. */
typedef enum
{
  LMCC_WARNING_ALGORITHM,
  LMCC_WARNING_SETTINGS,
  LMCC_WARNING_OBSTACLE,
  LMCC_WARNING_LAYERING,
  LMCC_WARNING_LEAVES,
  LMCC_WARNING_LEARNING,
  LMCC_WARNING_ELSEWHERE,
  LMCC_WARNING_UNANSWERED,
  LMCC_WARNING_CODEC,
  LMCC_WARNING_UNBOUNDED,
  LMCC_N_WARNINGS,
} LmccWarning;

/* Number of different reasons to wait. Each is limited separately. */
#define LMCC_N_WAITING_REASONS 4

/**
 * LmccReceiverActions:
 * @queue: queued LmccReceiverAction
 * @warning_limits: rate limit of each kind of warning
 * @unheard_limit: rate limit of reports about long waits
 * @waiting_reasons: reasons of the reported waits, static strings
 * @waiting_limits: rate limit for each of @waiting_reasons
 * @n_interned: number of interned texts that contain input from the network
 *
 * Actions that the caller has not polled yet, and rate limits of messages.
 */
typedef struct
{
  LmccRing queue;
  LmccMessageLimit warning_limits[LMCC_N_WARNINGS];
  LmccMessageLimit unheard_limit;
  const gchar *waiting_reasons[LMCC_N_WAITING_REASONS];
  LmccMessageLimit waiting_limits[LMCC_N_WAITING_REASONS];
  guint n_interned;
} LmccReceiverActions;

LmccReceiverAction *lmcc_receiver_queue_action (LmccReceiver *receiver,
    LmccReceiverActionType type);
void lmcc_receiver_init_actions (LmccReceiver *receiver);
void lmcc_receiver_clear_actions (LmccReceiver *receiver);
void lmcc_receiver_drop (LmccReceiver *receiver, LmccDrop kind);
guint lmcc_receiver_count_gap (guint lost);
const gchar *lmcc_receiver_intern (LmccReceiver *receiver, const gchar *text,
    const gchar *instead);
void lmcc_receiver_warn (LmccReceiver *receiver, LmccWarning kind,
    const gchar *reason);
void lmcc_receiver_post_waiting (LmccReceiver *receiver, const gchar *reason,
    LmccTime now);
void lmcc_receiver_post_unheard (LmccReceiver *receiver, LmccTime now);
LmccTime lmcc_receiver_next_unheard (const LmccReceiver *receiver);

G_END_DECLS

#endif
