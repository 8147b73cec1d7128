/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "receiver/actions.h"
#include "receiver/algorithm.h"
#include "receiver/join-notices.h"
#include "receiver/private.h"

#include <glib/gi18n-lib.h>

/* The control group, which follows the session's last group, or FALSE if the
 * session can have none. */
static gboolean
has_control_group (const LmccReceiver *receiver, const gchar **why)
{
  const LmccSession *session = &receiver->session;
  LmccAddress address;

  if (session->source_specific)
    *why = N_ (
        "the session is source-specific, so receivers cannot announce their "
        "join experiments to each other: each makes all experiments itself");
  else if (!lmcc_address_group (&session->address, session->n_groups, &address))
    *why =
        N_ ("there is no address after the session's last group, so receivers "
            "cannot announce their join experiments to each other");
  else
    return TRUE;

  return FALSE;
}

static void
queue_membership (LmccReceiver *receiver, LmccReceiverActionType type,
    guint group)
{
  LmccReceiverAction *action = lmcc_receiver_queue_action (receiver, type);

  action->group = group;
  action->control = TRUE;
}

static void
leave_control_group (LmccReceiver *receiver)
{
  if (receiver->learning.group > 0)
    queue_membership (receiver, LMCC_RECEIVER_ACTION_LEAVE,
        receiver->learning.group);
  receiver->learning.group = 0;
}

/* Joins or leaves the control group, depending on session and algorithm. */
void
lmcc_receiver_update_learning (LmccReceiver *receiver)
{
  LmccController *controller = receiver->controller;
  guint group = receiver->session.n_groups;
  const gchar *why;

  if (!receiver->have_session || controller == NULL
      || !controller->shares_joins) {
    leave_control_group (receiver);
    return;
  }
  if (!has_control_group (receiver, &why)) {
    leave_control_group (receiver);
    controller->shares_joins = FALSE;
    lmcc_receiver_warn (receiver, LMCC_WARNING_LEARNING, why);
    return;
  }
  if (receiver->learning.group == group)
    return;
  leave_control_group (receiver);
  receiver->learning.group = group;
  queue_membership (receiver, LMCC_RECEIVER_ACTION_JOIN, group);
}

/* Sends a join notice to the other receivers, if the algorithm uses shared
 * learning and no notice was sent recently. */
void
lmcc_receiver_share_join (LmccReceiver *receiver, LmccTime now)
{
  LmccController *controller = receiver->controller;
  LmccReceiverAction *action;
  LmccJoinNotice notice = {
    .ssrc = receiver->config.sequence_seed,
    .ssrc_base = receiver->session.ssrc_base,
    .version = receiver->session.version,
  };
  gint level;

  if (controller == NULL || controller->shared_level == 0)
    return;
  level = controller->shared_level;
  controller->shared_level = 0;
  if (receiver->learning.group == 0 || level != receiver->level
      || now < receiver->learning.next_notice)
    return;
  receiver->learning.next_notice = now + LMCC_JOIN_NOTICE_INTERVAL;
  notice.level = (guint8) level;
  action =
      lmcc_receiver_queue_action (receiver, LMCC_RECEIVER_ACTION_SEND_CONTROL);
  action->group = receiver->learning.group;
  action->packet = lmcc_join_notice_build (&notice);
}

/* Why a notice is rejected, or LMCC_N_DROPS. */
static LmccDrop
check_notice (LmccReceiver *receiver, LmccTime now,
    const LmccJoinNotice *notice)
{
  const LmccSession *session = &receiver->session;

  if (notice->ssrc_base != session->ssrc_base
      || notice->version != session->version)
    return LMCC_DROP_FOREIGN_SSRC;
  if (notice->level == 0
      || notice->level >= lmcc_session_count_levels (session))
    return LMCC_DROP_WRONG_LAYER;
  if (!lmcc_notice_limit_take (&receiver->learning.limit, now, notice->ssrc))
    return LMCC_DROP_TOO_OFTEN;

  return LMCC_N_DROPS;
}

/**
 * lmcc_receiver_handle_learning:
 * @receiver: a running receiver
 * @now: the time
 * @data: one UDP payload from the control group
 * @size: its length in bytes
 *
 * Takes a join notice of another receiver. Invalid notices are dropped and
 * counted, and so are notices beyond %LMCC_JOIN_NOTICES_MAX per second.
 */
void
lmcc_receiver_handle_learning (LmccReceiver *receiver, LmccTime now,
    const guint8 *data, gsize size)
{
  LmccJoinNotice notice;
  LmccDrop why;

  if (!receiver->running || receiver->learning.group == 0)
    return;
  if (!lmcc_join_notice_parse (data, size, &notice)) {
    lmcc_receiver_drop (receiver, LMCC_DROP_BAD_RTCP);
    return;
  }
  /* The receiver's own notice, looped back by the host. */
  if (notice.ssrc == receiver->config.sequence_seed)
    return;
  why = check_notice (receiver, now, &notice);
  if (why != LMCC_N_DROPS) {
    lmcc_receiver_drop (receiver, why);
    return;
  }
  receiver->stats.notices++;
  lmcc_receiver_tell_neighbour_join (receiver, now, notice.level);
}
