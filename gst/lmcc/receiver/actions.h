/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_ACTIONS_H
#define LMCC_RECEIVER_ACTIONS_H

#include <gst/lmcc/lmcc-receiver.h>
#include "base/ring.h"
#include "receiver/message-limit.h"

G_BEGIN_DECLS

/* Kinds of warnings: of each, one is posted in LMCC_MESSAGE_INTERVAL. */
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

/* Reasons to wait, of which each is a kind of message. */
#define LMCC_N_WAITING_REASONS 4

/**
 * LmccReceiverActions:
 * @queue: of LmccReceiverAction
 * @warning_limits: of each kind
 * @unheard_limit: of waits that last
 * @waiting_reasons: of the waits that were told, static
 * @waiting_limits: of each
 * @n_interned: texts of others that stay in memory
 *
 * What the caller has not taken, and how often it is told.
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
