/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The packets of a layer wait here for those before them, until these have
 * come, are lost and cannot be repaired, or their time is up; then they go to
 * the merge.
 */
#include "lmcc-receiver-private.h"

static void
waiting_free (LmccReceiverWaiting * waiting)
{
  lmcc_packet_unref (waiting->packet);
  g_free (waiting);
}

void
lmcc_receiver_clear_waiting (LmccReceiverLayer * layer)
{
  g_queue_clear_full (&layer->waiting, (GDestroyNotify) waiting_free);
  layer->due = LMCC_TIME_NONE;
}

/* How far behind the packet at @at that number is. */
static gint
ahead_of (const GList * at, guint16 lsn)
{
  return lmcc_sequence_diff (lsn,
      ((const LmccReceiverWaiting *) at->data)->header.lsn);
}

/* Where a packet of that number goes: behind the returned one, or first for
 * NULL. */
static GList *
find_place (LmccReceiverLayer * layer, guint16 lsn)
{
  GList *at = layer->waiting.tail;

  if (at == NULL || ahead_of (at, lsn) >= 0)
    return at;
  /* What repair gives back is missing near the head. */
  if (ahead_of (layer->waiting.head, lsn) < -ahead_of (at, lsn)) {
    for (at = layer->waiting.head; at != NULL && ahead_of (at, lsn) >= 0;)
      at = at->next;
    return at != NULL ? at->prev : layer->waiting.tail;
  }
  while (at != NULL && ahead_of (at, lsn) < 0)
    at = at->prev;

  return at;
}

static gboolean
in_order (const LmccHeader * first, const LmccHeader * second)
{
  return lmcc_sequence_diff (first->osn, second->osn) <= 0;
}

/**
 * lmcc_receiver_find_waiting:
 * @layer: a layer
 * @header: of a packet
 * @fits: (out): whether its order number lies between those of its neighbours
 *
 * Returns: whether a packet with its layer sequence number waits
 */
gboolean
lmcc_receiver_find_waiting (LmccReceiverLayer * layer,
    const LmccHeader * header, gboolean * fits)
{
  GList *before = find_place (layer, header->lsn);
  GList *after = before != NULL ? before->next : layer->waiting.head;
  LmccReceiverWaiting *waiting = before != NULL ? before->data : NULL;
  gboolean found = waiting != NULL && waiting->header.lsn == header->lsn;

  *fits = (waiting == NULL || in_order (&waiting->header, header))
      && (after == NULL || in_order (header,
          &((LmccReceiverWaiting *) after->data)->header));

  return found;
}

/**
 * lmcc_receiver_add_waiting:
 * @receiver: a receiver
 * @layer: one of its layers
 * @waiting: (transfer full): a packet of it that does not wait yet
 */
void
lmcc_receiver_add_waiting (LmccReceiver * receiver, LmccReceiverLayer * layer,
    LmccReceiverWaiting * waiting)
{
  GList *before = find_place (layer, waiting->header.lsn);

  waiting->deadline = LMCC_TIME_NONE;
  if (receiver->session.repair > 0)
    waiting->deadline = lmcc_receiver_release_deadline (receiver,
        &waiting->rtp, &waiting->header);
  layer->due = MIN (layer->due, waiting->deadline);
  if (before != NULL)
    g_queue_insert_after (&layer->waiting, before, waiting);
  else
    g_queue_push_head (&layer->waiting, waiting);
}

static void
update_due (LmccReceiverLayer * layer)
{
  GList *at;

  layer->due = LMCC_TIME_NONE;
  for (at = layer->waiting.head; at != NULL; at = at->next)
    layer->due = MIN (layer->due, ((LmccReceiverWaiting *) at->data)->deadline);
}

static void
push_to_merge (LmccReceiver * receiver, LmccReceiverLayer * layer,
    LmccReceiverWaiting * waiting)
{
  guint lost = layer->lost_before;
  guint64 late = lmcc_merge_get_late (receiver->merge);

  if (layer->merged_any) {
    gint ahead = lmcc_sequence_diff (waiting->header.lsn, layer->merged_lsn);

    /* Its place was given up when the waiting packets were flushed. */
    if (ahead <= 0) {
      lmcc_receiver_drop (receiver, LMCC_DROP_LATE);
      waiting_free (waiting);
      return;
    }
    lost = (guint) ahead - 1;
  } else {
    lmcc_gate_layer_begins (receiver->gate, waiting->header.layer,
        waiting->header.osn);
  }
  lmcc_receiver_give_up_before (receiver, layer, waiting);
  if (lmcc_receiver_timeline (&waiting->header) == LMCC_TIMELINE_SOUND)
    lmcc_receiver_take_sound (receiver, waiting->packet, &waiting->rtp,
        &waiting->header);
  layer->lost_before = 0;
  layer->merged_any = TRUE;
  layer->merged_lsn = waiting->header.lsn;
  lmcc_merge_push (receiver->merge, waiting->packet, &waiting->rtp,
      &waiting->header, lmcc_receiver_release_deadline (receiver,
          &waiting->rtp, &waiting->header), lost);
  if (waiting->recovered)
    lmcc_receiver_count_recovered (receiver, &waiting->header,
        lmcc_merge_get_late (receiver->merge) == late);
  g_free (waiting);
}

static void
push_head (LmccReceiver * receiver, LmccReceiverLayer * layer)
{
  push_to_merge (receiver, layer, g_queue_pop_head (&layer->waiting));
}

/**
 * lmcc_receiver_flush_before:
 * @receiver: a receiver
 * @osn: order number of a packet that must go out now
 *
 * Hands on all that precedes it and has come, whatever is missing in between.
 * What is missing behind it may still be repaired.
 */
void
lmcc_receiver_flush_before (LmccReceiver * receiver, guint16 osn)
{
  LmccReceiverWaiting *waiting;
  gint i;

  for (i = 0; i <= receiver->level; i++) {
    LmccReceiverLayer *layer = &receiver->layers[i];
    guint before = g_queue_get_length (&layer->waiting);

    while ((waiting = g_queue_peek_head (&layer->waiting)) != NULL
        && lmcc_sequence_diff (waiting->header.osn, osn) <= 0)
      push_head (receiver, layer);
    if (g_queue_get_length (&layer->waiting) != before)
      update_due (layer);
  }
}

/**
 * lmcc_receiver_flush_waiting:
 * @receiver: a receiver
 * @layer: one of its layers, of which nothing more comes
 *
 * Hands on all that has come of it.
 */
void
lmcc_receiver_flush_waiting (LmccReceiver * receiver, LmccReceiverLayer * layer)
{
  while (!g_queue_is_empty (&layer->waiting))
    push_head (receiver, layer);
  layer->due = LMCC_TIME_NONE;
}

static gboolean
may_go (LmccReceiver * receiver, LmccReceiverLayer * layer,
    const LmccReceiverWaiting * waiting)
{
  if (layer->merged_any && lmcc_sequence_diff (waiting->header.lsn,
          layer->merged_lsn) <= 1)
    return TRUE;
  if (!lmcc_layer_account_settled (layer->account, waiting->header.lsn))
    return FALSE;

  return g_queue_get_length (&layer->waiting) > LMCC_MERGE_MAX_QUEUE
      || !lmcc_receiver_awaits_repair (receiver, layer, waiting);
}

/* The last packet whose time is up. */
static GList *
find_last_due (LmccReceiverLayer * layer, LmccTime now)
{
  GList *at = layer->due <= now ? layer->waiting.tail : NULL;

  while (at != NULL && ((LmccReceiverWaiting *) at->data)->deadline > now)
    at = at->prev;

  return at;
}

static void
report_losses (LmccReceiver * receiver, guint index, LmccTime now)
{
  LmccLayerAccount *account = receiver->layers[index].account;
  LmccLoss loss;

  while (lmcc_layer_account_poll_loss (account, &loss))
    lmcc_receiver_tell_loss (receiver, now, index, loss.time);
}

/**
 * lmcc_receiver_settle:
 * @receiver: a receiver
 * @index: of a layer
 * @now: the time
 *
 * Hands on what of the layer needs to wait no longer for packets before it, and
 * tells the controller what was lost, repaired or not.
 */
void
lmcc_receiver_settle (LmccReceiver * receiver, guint index, LmccTime now)
{
  LmccReceiverLayer *layer = &receiver->layers[index];
  guint before = g_queue_get_length (&layer->waiting);
  LmccReceiverWaiting *waiting;
  GList *due;

  lmcc_receiver_note_settled (receiver, layer);
  due = find_last_due (layer, now);
  while ((waiting = g_queue_peek_head (&layer->waiting)) != NULL
      && (due != NULL || may_go (receiver, layer, waiting))) {
    if (layer->waiting.head == due)
      due = NULL;
    push_head (receiver, layer);
  }
  if (g_queue_get_length (&layer->waiting) != before)
    update_due (layer);
  report_losses (receiver, index, now);
}
