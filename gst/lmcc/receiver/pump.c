/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Delivery: passes on packets that need not wait any longer.
 */
#include "receiver/actions.h"
#include "receiver/layer-queue.h"
#include "receiver/memory.h"
#include "receiver/private.h"
#include "receiver/pump.h"
#include "receiver/source-and-level.h"
#include "receiver/times.h"

/* All hidden pictures of one segment have times within this span. */
#define HIDDEN_SPAN (20 * LMCC_USECOND)

/* Common decoders (GstVideoDecoder) do not let times go back: such pictures
 * get the time of the previous one, which may be shown, and later pictures
 * then get the smallest waiting time instead of their own. So pictures that
 * are decoded again have times between the latest picture shown and the
 * segment. */
static void
begin_hiding (LmccReceiver *receiver)
{
  LmccReceiverAction *action =
      lmcc_receiver_queue_action (receiver, LMCC_RECEIVER_ACTION_SEGMENT);

  receiver->delivery.hidden_since = receiver->delivery.latest_time + 1;
  receiver->delivery.latest_time =
      receiver->delivery.hidden_since + HIDDEN_SPAN;
  action->time = receiver->delivery.latest_time + 1;
}

static LmccTime
hidden_time (const LmccReceiver *receiver, const LmccGateOutput *output)
{
  gint64 all = (gint32) (output->hidden_until - output->hidden_from);
  gint64 part = (gint32) (output->rtp.timestamp - output->hidden_from);

  if (all <= 0)
    return receiver->delivery.hidden_since;

  return receiver->delivery.hidden_since
      + (LmccTime) (CLAMP (part, 0, all) * (gint64) HIDDEN_SPAN / all);
}

static void
deliver (LmccReceiver *receiver, LmccGateOutput *output, LmccTime now)
{
  LmccTime time = lmcc_receiver_presentation_time (receiver,
      LMCC_TIMELINE_VIDEO, &output->rtp, &output->header);
  LmccReceiverAction *action;

  if (output->segment)
    begin_hiding (receiver);
  if (output->newest)
    receiver->delivery.latest_time = time;
  if (output->catch_up)
    time = hidden_time (receiver, output);

  receiver->delivery.sequence += lmcc_receiver_count_gap (output->lost);
  action = lmcc_receiver_queue_action (receiver, LMCC_RECEIVER_ACTION_DELIVER);
  action->packet = lmcc_receiver_count_packet (receiver,
      lmcc_rtp_strip (g_steal_pointer (&output->packet), &output->rtp,
          receiver->session.payload_type, receiver->session.ssrc_base,
          receiver->delivery.sequence, output->unit_end));
  action->time = time;
  action->discont = output->discont;
  action->corrupted = output->corrupted;
  action->unit_start = output->header.first;
  action->catch_up = output->catch_up;

  receiver->stats.delivered++;
  if (!receiver->delivery.any) {
    receiver->delivery.any = TRUE;
    receiver->stats.join_to_picture = now - receiver->started_at;
  }
}

/* A packet that is due may still be preceded by a waiting one. */
static gboolean
pop_merged (LmccReceiver *receiver, LmccTime now, LmccMergeItem *item)
{
  gint64 order;

  if (lmcc_merge_peek (receiver->merge, &order) <= now
      && !lmcc_receiver_flush_before (receiver, order))
    return FALSE;

  return lmcc_merge_pop (receiver->merge, now, item);
}

/* How long the gate may hold a packet: with one rung the end of a picture,
 * for its further layers; with several rungs a key frame, for a better one. */
static LmccTime
gate_deadline (const LmccReceiver *receiver, const LmccMergeItem *item,
    LmccTime now)
{
  if (item->packet == NULL)
    return now;

  return receiver->session.n_rungs > 1
      ? lmcc_receiver_release_deadline (receiver, &item->rtp, &item->header)
      : lmcc_receiver_picture_deadline (receiver, &item->rtp, &item->header);
}

/* Moves packets from layers to merge, gate and actions, as many as one call
 * may. */
void
lmcc_receiver_pump (LmccReceiver *receiver, LmccTime now)
{
  LmccMergeItem item;
  LmccGateOutput output;

  lmcc_receiver_flush_left_layers (receiver);
  if (receiver->memory.lets_go)
    lmcc_receiver_let_go_waiting (receiver);
  while (lmcc_receiver_may_go_on (receiver, LMCC_RECEIVER_STAGE_PUMP)
      && pop_merged (receiver, now, &item)) {
    lmcc_gate_push (receiver->gate, &item,
        gate_deadline (receiver, &item, now));
    lmcc_receiver_follow_merge (receiver);
  }
  lmcc_receiver_note_keys (receiver, now);
  lmcc_gate_timeout (receiver->gate, now);

  while (lmcc_receiver_may_go_on (receiver, LMCC_RECEIVER_STAGE_DELIVER)
      && lmcc_gate_pop (receiver->gate, &output))
    deliver (receiver, &output, now);
  lmcc_receiver_discard_some (receiver);
  lmcc_receiver_follow_picture (receiver, now);
}
