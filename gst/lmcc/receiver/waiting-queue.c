/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "receiver/waiting-queue.h"

/*
 * lmcc_waiting_queue_init:
 * @queue: (out): an empty queue
 */
void
lmcc_waiting_queue_init (LmccWaitingQueue *queue)
{
  queue->order = g_sequence_new (NULL);
  queue->deadlines = g_ptr_array_new ();
  queue->spare = NULL;
}

static void
free_waiting (gpointer data, gpointer user_data G_GNUC_UNUSED)
{
  LmccReceiverWaiting *waiting = data;

  lmcc_packet_unref (waiting->packet);
  g_free (waiting);
}

/*
 * lmcc_waiting_queue_clear:
 * @queue: frees the contents
 */
void
lmcc_waiting_queue_clear (LmccWaitingQueue *queue)
{
  g_ptr_array_foreach (queue->deadlines, free_waiting, NULL);
  g_clear_pointer (&queue->deadlines, g_ptr_array_unref);
  g_clear_pointer (&queue->order, g_sequence_free);
  g_clear_pointer (&queue->spare, g_free);
}

static guint
free_last (gpointer object)
{
  LmccWaitingQueue *queue = object;
  guint n = queue->deadlines->len;
  LmccReceiverWaiting *waiting;

  if (n == 0) {
    lmcc_waiting_queue_clear (queue);
    g_free (queue);
    return 0;
  }
  waiting = g_ptr_array_remove_index_fast (queue->deadlines, n - 1);
  if (waiting->place != NULL)
    g_sequence_remove (waiting->place);
  free_waiting (waiting, NULL);

  return 1;
}

/*
 * lmcc_waiting_queue_reset:
 * @queue: a queue; empty afterwards
 * @discard: (nullable): takes over the waiting packets
 */
void
lmcc_waiting_queue_reset (LmccWaitingQueue *queue, LmccDiscard *discard)
{
  if (lmcc_waiting_queue_get_length (queue) == 0)
    return;
  lmcc_discard_add (discard, g_memdup2 (queue, sizeof (*queue)), free_last);
  lmcc_waiting_queue_init (queue);
}

/*
 * lmcc_waiting_queue_get_length:
 * @queue: a queue
 *
 * Returns: number of waiting packets
 */
guint
lmcc_waiting_queue_get_length (const LmccWaitingQueue *queue)
{
  return queue->deadlines->len;
}

/*
 * lmcc_waiting_queue_get_span:
 * @queue: a queue
 *
 * Returns: distance of the layer sequence numbers of its first and last
 * packet
 */
guint
lmcc_waiting_queue_get_span (const LmccWaitingQueue *queue)
{
  if (lmcc_waiting_queue_get_length (queue) < 2)
    return 0;

  return (guint) (lmcc_waiting_queue_peek_tail (queue)->position
      - lmcc_waiting_queue_peek_head (queue)->position);
}

/*
 * lmcc_waiting_queue_new_waiting:
 * @queue: a queue
 *
 * Returns: (transfer full): a zeroed packet, to be filled and added, or
 * taken back
 */
LmccReceiverWaiting *
lmcc_waiting_queue_new_waiting (LmccWaitingQueue *queue)
{
  LmccReceiverWaiting *waiting = g_steal_pointer (&queue->spare);

  if (waiting == NULL)
    return g_new0 (LmccReceiverWaiting, 1);
  *waiting = (LmccReceiverWaiting){ 0 };

  return waiting;
}

/*
 * lmcc_waiting_queue_take_back:
 * @queue: a queue
 * @waiting: (transfer full): a packet that was created by the queue and is
 *     not in it; its data is not freed
 */
void
lmcc_waiting_queue_take_back (LmccWaitingQueue *queue,
    LmccReceiverWaiting *waiting)
{
  if (queue->spare != NULL)
    g_free (waiting);
  else
    queue->spare = waiting;
}

static LmccReceiverWaiting *
get_deadline (const LmccWaitingQueue *queue, guint index)
{
  return g_ptr_array_index (queue->deadlines, index);
}

static void
put_deadline (LmccWaitingQueue *queue, guint index,
    LmccReceiverWaiting *waiting)
{
  g_ptr_array_index (queue->deadlines, index) = waiting;
  waiting->index = index;
}

/* A binary heap: the packet at @index moves up until the one above it is not
 * due later. */
static void
move_up (LmccWaitingQueue *queue, guint index)
{
  LmccReceiverWaiting *waiting = get_deadline (queue, index);

  while (index > 0) {
    LmccReceiverWaiting *above = get_deadline (queue, (index - 1) / 2);

    if (above->deadline <= waiting->deadline)
      break;
    put_deadline (queue, index, above);
    index = (index - 1) / 2;
  }
  put_deadline (queue, index, waiting);
}

static void
move_down (LmccWaitingQueue *queue, guint index)
{
  LmccReceiverWaiting *waiting = get_deadline (queue, index);
  guint n = queue->deadlines->len;
  guint below;

  while ((below = 2 * index + 1) < n) {
    if (below + 1 < n
        && get_deadline (queue, below + 1)->deadline
            < get_deadline (queue, below)->deadline)
      below++;
    if (waiting->deadline <= get_deadline (queue, below)->deadline)
      break;
    put_deadline (queue, index, get_deadline (queue, below));
    index = below;
  }
  put_deadline (queue, index, waiting);
}

static void
remove_deadline (LmccWaitingQueue *queue, guint index)
{
  guint last = queue->deadlines->len - 1;
  LmccReceiverWaiting *moved = get_deadline (queue, last);

  g_ptr_array_set_size (queue->deadlines, (gint) last);
  if (index == last)
    return;
  put_deadline (queue, index, moved);
  move_up (queue, index);
  move_down (queue, moved->index);
}

static gint
compare (gconstpointer a, gconstpointer b, gpointer user_data G_GNUC_UNUSED)
{
  gint64 first = ((const LmccReceiverWaiting *) a)->position;
  gint64 second = ((const LmccReceiverWaiting *) b)->position;

  return (first > second) - (first < second);
}

/* Extends a number relative to the last waiting packet, because the numbers
 * wrap. */
static gint64
get_position (const LmccWaitingQueue *queue, guint16 lsn)
{
  const LmccReceiverWaiting *tail = lmcc_waiting_queue_peek_tail (queue);

  return tail == NULL
      ? lsn
      : tail->position + lmcc_sequence_diff (lsn, tail->header.lsn);
}

/*
 * lmcc_waiting_queue_add:
 * @queue: a queue
 * @waiting: (transfer full): a packet whose layer sequence number is not in
 *     the queue
 */
void
lmcc_waiting_queue_add (LmccWaitingQueue *queue, LmccReceiverWaiting *waiting)
{
  LmccReceiverWaiting *tail = lmcc_waiting_queue_peek_tail (queue);

  waiting->position = get_position (queue, waiting->header.lsn);
  waiting->place = NULL;
  if (tail != NULL && tail->place == NULL)
    tail->place = g_sequence_append (queue->order, tail);
  if (tail != NULL && waiting->position > tail->position)
    waiting->place = g_sequence_append (queue->order, waiting);
  else if (tail != NULL)
    waiting->place =
        g_sequence_insert_sorted (queue->order, waiting, compare, NULL);
  g_ptr_array_add (queue->deadlines, waiting);
  waiting->index = queue->deadlines->len - 1;
  move_up (queue, waiting->index);
}

/*
 * lmcc_waiting_queue_remove:
 * @queue: a queue
 * @waiting: (transfer none): a packet in the queue; the caller owns it
 *     afterwards
 */
void
lmcc_waiting_queue_remove (LmccWaitingQueue *queue,
    LmccReceiverWaiting *waiting)
{
  remove_deadline (queue, waiting->index);
  if (waiting->place != NULL)
    g_sequence_remove (waiting->place);
  waiting->place = NULL;
}

/*
 * lmcc_waiting_queue_find_before:
 * @queue: a queue
 * @lsn: a layer sequence number
 *
 * Returns: (transfer none) (nullable): the last packet whose number is not
 * after @lsn
 */
LmccReceiverWaiting *
lmcc_waiting_queue_find_before (const LmccWaitingQueue *queue, guint16 lsn)
{
  LmccReceiverWaiting *tail = lmcc_waiting_queue_peek_tail (queue);
  LmccReceiverWaiting wanted;
  GSequenceIter *after;

  wanted.position = get_position (queue, lsn);
  if (tail == NULL || tail->position <= wanted.position)
    return tail;
  if (tail->place == NULL)
    return NULL;
  after = g_sequence_search (queue->order, &wanted, compare, NULL);
  if (g_sequence_iter_is_begin (after))
    return NULL;

  return g_sequence_get (g_sequence_iter_prev (after));
}

/* Most packets need not wait, so a single packet is not sorted. */
static LmccReceiverWaiting *
get_only (const LmccWaitingQueue *queue)
{
  return lmcc_waiting_queue_get_length (queue) == 0 ? NULL
                                                    : get_deadline (queue, 0);
}

/*
 * lmcc_waiting_queue_peek_head:
 * @queue: a queue
 *
 * Returns: (transfer none) (nullable): the packet with the lowest number
 */
LmccReceiverWaiting *
lmcc_waiting_queue_peek_head (const LmccWaitingQueue *queue)
{
  return lmcc_waiting_queue_get_length (queue) < 2
      ? get_only (queue)
      : g_sequence_get (g_sequence_get_begin_iter (queue->order));
}

/*
 * lmcc_waiting_queue_peek_tail:
 * @queue: a queue
 *
 * Returns: (transfer none) (nullable): the packet with the highest number
 */
LmccReceiverWaiting *
lmcc_waiting_queue_peek_tail (const LmccWaitingQueue *queue)
{
  return lmcc_waiting_queue_get_length (queue) < 2
      ? get_only (queue)
      : g_sequence_get (
          g_sequence_iter_prev (g_sequence_get_end_iter (queue->order)));
}

/*
 * lmcc_waiting_queue_pop_head:
 * @queue: a queue
 *
 * Returns: (transfer full) (nullable): the packet with the lowest number
 */
LmccReceiverWaiting *
lmcc_waiting_queue_pop_head (LmccWaitingQueue *queue)
{
  LmccReceiverWaiting *head = lmcc_waiting_queue_peek_head (queue);

  if (head != NULL)
    lmcc_waiting_queue_remove (queue, head);

  return head;
}

/*
 * lmcc_waiting_queue_peek_due:
 * @queue: a queue
 *
 * Returns: (transfer none) (nullable): a packet with the earliest deadline
 */
LmccReceiverWaiting *
lmcc_waiting_queue_peek_due (const LmccWaitingQueue *queue)
{
  return lmcc_waiting_queue_get_length (queue) == 0 ? NULL
                                                    : get_deadline (queue, 0);
}

/*
 * lmcc_waiting_queue_next_due:
 * @queue: a queue
 *
 * Returns: the earliest deadline, or %LMCC_TIME_NONE
 */
LmccTime
lmcc_waiting_queue_next_due (const LmccWaitingQueue *queue)
{
  const LmccReceiverWaiting *due = lmcc_waiting_queue_peek_due (queue);

  return due != NULL ? due->deadline : LMCC_TIME_NONE;
}

/*
 * lmcc_waiting_next:
 * @waiting: a packet in a queue
 *
 * Returns: (transfer none) (nullable): the next packet
 */
LmccReceiverWaiting *
lmcc_waiting_next (const LmccReceiverWaiting *waiting)
{
  GSequenceIter *next;

  if (waiting->place == NULL)
    return NULL;
  next = g_sequence_iter_next (waiting->place);

  return g_sequence_iter_is_end (next) ? NULL : g_sequence_get (next);
}

/*
 * lmcc_waiting_previous:
 * @waiting: a packet in a queue
 *
 * Returns: (transfer none) (nullable): the previous packet
 */
LmccReceiverWaiting *
lmcc_waiting_previous (const LmccReceiverWaiting *waiting)
{
  return waiting->place == NULL || g_sequence_iter_is_begin (waiting->place)
      ? NULL
      : g_sequence_get (g_sequence_iter_prev (waiting->place));
}
