/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "lmcc-receiver-private.h"

/* A sender whose record came longer ago is gone too: it repeats it at least
 * every LMCC_RECORD_INTERVAL_MAX. */
#define CANDIDATE_MEMORY (2500 * LMCC_MSECOND)

void
lmcc_receiver_join (LmccReceiver * receiver, guint group, LmccTime now)
{
  receiver->groups[group] = (LmccReceiverGroup) {
  .joined = TRUE,.joined_at = now,.last_packet = now,};
  lmcc_receiver_queue_action (receiver, LMCC_RECEIVER_ACTION_JOIN)->group =
      group;
}

void
lmcc_receiver_leave (LmccReceiver * receiver, guint group)
{
  receiver->groups[group].joined = FALSE;
  lmcc_receiver_queue_action (receiver, LMCC_RECEIVER_ACTION_LEAVE)->group =
      group;
}

/* Static layering: group i carries layer i. The base group is never left while
 * the receiver runs: the record comes beside it. */
static void
set_level (LmccReceiver * receiver, gint level, const gchar * reason,
    LmccTime now)
{
  LmccReceiverAction *action;
  gint from = receiver->level;
  gint i;

  if (level == from)
    return;

  receiver->level = level;
  for (i = from; i > level; i--) {
    lmcc_receiver_layer_reset (&receiver->layers[i]);
    if (i > 0)
      lmcc_receiver_leave (receiver, (guint) i);
  }
  for (i = from + 1; i <= level; i++) {
    if (i > 0)
      lmcc_receiver_join (receiver, (guint) i, now);
  }
  lmcc_merge_drop_layers (receiver->merge, level);
  lmcc_gate_set_level (receiver->gate, level);

  action = lmcc_receiver_queue_action (receiver, LMCC_RECEIVER_ACTION_LEVEL);
  action->from = from;
  action->to = level;
  action->reason = reason;
  if (receiver->controller != NULL && receiver->controller->on_level != NULL)
    receiver->controller->on_level (receiver->controller, now, level);
}

/* The larger of what the sender announces and what was measured: an announced
 * rate that is too small must not get past max-bitrate. */
static guint64
layer_rate (const LmccReceiver * receiver, guint layer)
{
  return MAX (receiver->session.layers[layer].rate,
      receiver->layers[layer].smoothed_rate);
}

static gint
highest_within_bitrate (const LmccReceiver * receiver)
{
  guint64 rate = 0;
  guint i;

  if (receiver->config.max_bitrate == 0)
    return G_MAXINT;
  for (i = 0; i < receiver->session.n_layers; i++) {
    rate += layer_rate (receiver, i);
    if (rate > receiver->config.max_bitrate)
      return MAX ((gint) i - 1, 0);
  }

  return G_MAXINT;
}

void
lmcc_receiver_update_level (LmccReceiver * receiver, LmccTime now)
{
  const gchar *reason;
  gint level, cap;

  if (!receiver->running || !receiver->have_session)
    return;

  level = (gint) receiver->session.n_layers - 1;
  reason = "all layers of the session";
  if (receiver->controller->wanted_level < level) {
    level = receiver->controller->wanted_level;
    reason = receiver->controller->reason;
  }
  if (receiver->config.max_level >= 0 && receiver->config.max_level < level) {
    level = receiver->config.max_level;
    reason = "max-level";
  }
  cap = highest_within_bitrate (receiver);
  if (cap < level) {
    level = cap;
    reason = "max-bitrate";
  }

  set_level (receiver, MAX (level, 0), reason, now);
}

void
lmcc_receiver_forget_source (LmccReceiver * receiver, const gchar * reason,
    LmccTime now)
{
  guint i;

  set_level (receiver, -1, reason, now);
  for (i = 0; i < LMCC_MAX_LAYERS; i++) {
    lmcc_receiver_layer_reset (&receiver->layers[i]);
    receiver->layers[i].smoothed_rate = 0;
  }
  lmcc_merge_reset (receiver->merge);
  lmcc_gate_reset (receiver->gate);
  lmcc_clock_reset (receiver->clock);
  lmcc_record_assembler_reset (receiver->assembler);
  receiver->have_session = FALSE;
}

static void
create_controller (LmccReceiver * receiver)
{
  const gchar *name = receiver->algorithm;
  const LmccAlgorithm *algorithm;

  if (g_strcmp0 (name, "auto") == 0 || name == NULL)
    name = receiver->session.algorithm;
  algorithm = lmcc_algorithm_find (name);
  if (algorithm == NULL) {
    lmcc_receiver_queue_action (receiver,
        LMCC_RECEIVER_ACTION_WARNING)->reason =
        "the session's algorithm is not known here: the level is held by hand";
    algorithm = lmcc_algorithm_find ("none");
  }
  if (receiver->controller != NULL)
    receiver->controller->free (receiver->controller);
  receiver->controller = algorithm->create (&receiver->session);
}

void
lmcc_receiver_take_session (LmccReceiver * receiver,
    const LmccSession * session, LmccTime now)
{
  gboolean first = !receiver->have_session;

  receiver->session = *session;
  receiver->session_is_old = FALSE;
  receiver->have_session = TRUE;
  lmcc_gate_set_session (receiver->gate, session);
  if (first)
    create_controller (receiver);
  lmcc_receiver_queue_action (receiver, LMCC_RECEIVER_ACTION_SESSION);

  /* Layers that the new table has not are given up before anything else. */
  if (receiver->level >= (gint) session->n_layers)
    set_level (receiver, (gint) session->n_layers - 1, "the layer table shrank",
        now);
  lmcc_receiver_update_level (receiver, now);
}

void
lmcc_receiver_adopt (LmccReceiver * receiver, const LmccAddress * source,
    const LmccSession * session, LmccTime now)
{
  lmcc_receiver_forget_source (receiver, "another sender took over", now);
  receiver->source = *source;
  receiver->source_gone = FALSE;
  receiver->last_heard = now;
  receiver->stats.sources++;
  lmcc_receiver_take_session (receiver, session, now);
}

/* Takes the other sender that was heard, if it was heard lately. */
gboolean
lmcc_receiver_adopt_candidate (LmccReceiver * receiver, LmccTime now)
{
  LmccSession session;

  if (!receiver->have_candidate
      || now > receiver->candidate_heard + CANDIDATE_MEMORY)
    return FALSE;

  session = receiver->candidate;
  receiver->have_candidate = FALSE;
  lmcc_receiver_adopt (receiver, &receiver->candidate_source, &session, now);
  if ((receiver->candidate_report.ssrc & LMCC_SSRC_BASE_MASK) ==
      session.ssrc_base)
    lmcc_clock_sender_report (receiver->clock, receiver->candidate_heard,
        receiver->candidate_report.ntp_time,
        receiver->candidate_report.rtp_time, session.video.clock_rate);

  return TRUE;
}

void
lmcc_receiver_source_is_gone (LmccReceiver * receiver, const gchar * reason,
    LmccTime now)
{
  receiver->source_gone = TRUE;
  if (!lmcc_receiver_adopt_candidate (receiver, now))
    lmcc_receiver_post_waiting (receiver, reason);
}

gboolean
lmcc_receiver_source_allowed (const LmccReceiver * receiver,
    const LmccAddress * source)
{
  return receiver->config.source.family == LMCC_FAMILY_NONE
      || lmcc_address_equal (&receiver->config.source, source);
}

gboolean
lmcc_receiver_is_own_source (const LmccReceiver * receiver,
    const LmccAddress * source, guint32 ssrc)
{
  return receiver->have_session
      && lmcc_address_equal (&receiver->source, source)
      && (ssrc & LMCC_SSRC_BASE_MASK) == receiver->session.ssrc_base;
}

void
lmcc_receiver_heard_source (LmccReceiver * receiver, LmccTime now)
{
  receiver->last_heard = now;
  receiver->source_gone = FALSE;
}
