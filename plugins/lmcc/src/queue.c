/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "src/queue.h"

#include <gst/base/gstqueuearray.h>

/* Initial number of items; it grows. */
#define FIRST_ITEMS 8

/* Maximum length of a buffer list, which limits the time of one push. */
#define MAX_LIST 64

/* Memory that a buffer takes in addition to its data: the buffer itself, with
 * room for 16 memories, one of these, its packet, and its item in the queue. */
#define BUFFER_COST 704

typedef struct
{
  GstMiniObject *object;
  gsize size;
  guint64 time;
  gboolean unit_start;
} Item;

struct _GstLmccSrcQueue
{
  GMutex lock;
  GCond cond;
  GstQueueArray *items;
  gsize max_bytes;
  guint64 max_time;
  guint64 latency;
  gsize bytes;
  guint64 dropped;
  gboolean flushing;
  gboolean discont;
};

/**
 * gst_lmcc_src_queue_new:
 * @max_bytes: maximum size of the queued data, including the overhead of
 *     buffers
 * @max_time: maximum time that a buffer may wait beyond the latency, ns
 *
 * Returns: (transfer full): a queue in flushing state
 */
GstLmccSrcQueue *
gst_lmcc_src_queue_new (gsize max_bytes, guint64 max_time)
{
  GstLmccSrcQueue *queue = g_new0 (GstLmccSrcQueue, 1);

  g_mutex_init (&queue->lock);
  g_cond_init (&queue->cond);
  queue->items = gst_queue_array_new_for_struct (sizeof (Item), FIRST_ITEMS);
  queue->max_bytes = max_bytes;
  queue->max_time = max_time;
  queue->flushing = TRUE;
  return queue;
}

/**
 * gst_lmcc_src_queue_free:
 * @queue: (transfer full): a queue that is no longer used by any thread
 */
void
gst_lmcc_src_queue_free (GstLmccSrcQueue *queue)
{
  gst_lmcc_src_queue_clear (queue, TRUE);
  gst_queue_array_free (queue->items);
  g_cond_clear (&queue->cond);
  g_mutex_clear (&queue->lock);
  g_free (queue);
}

/**
 * gst_lmcc_src_queue_set_latency:
 * @queue: the queue
 * @latency: maximum time that a buffer arrives before it is due, ns
 *
 * A sink without a queue in front blocks the task until a buffer is due.
 */
void
gst_lmcc_src_queue_set_latency (GstLmccSrcQueue *queue, guint64 latency)
{
  g_mutex_lock (&queue->lock);
  queue->latency = latency;
  g_mutex_unlock (&queue->lock);
}

/**
 * gst_lmcc_src_queue_set_max_bytes:
 * @queue: the queue
 * @max_bytes: maximum size of the queued data, from the next buffer on
 */
void
gst_lmcc_src_queue_set_max_bytes (GstLmccSrcQueue *queue, gsize max_bytes)
{
  g_mutex_lock (&queue->lock);
  queue->max_bytes = max_bytes;
  g_mutex_unlock (&queue->lock);
}

static gboolean
is_buffer (const Item *item)
{
  return GST_IS_BUFFER (item->object);
}

static Item *
find_first_buffer (GstLmccSrcQueue *queue, guint *index)
{
  guint n = gst_queue_array_get_length (queue->items);

  for (*index = 0; *index < n; (*index)++) {
    Item *item = gst_queue_array_peek_nth_struct (queue->items, *index);

    if (is_buffer (item))
      return item;
  }
  return NULL;
}

static void
drop_item (GstLmccSrcQueue *queue, guint index)
{
  Item item;

  gst_queue_array_drop_struct (queue->items, index, &item);
  queue->bytes -= item.size;
  gst_mini_object_unref (item.object);
}

/* An event is obsolete if another one of its type follows without a buffer in
 * between; a blocked pad would otherwise collect them for ever. The later event
 * takes the place of the earlier one, so that caps stay before a segment. */
static void
fold_event (GstLmccSrcQueue *queue, guint index)
{
  Item *item = gst_queue_array_peek_nth_struct (queue->items, index);
  GstEventType type = GST_EVENT_TYPE (item->object);
  guint i;

  for (i = index; i-- > 0;) {
    Item *before = gst_queue_array_peek_nth_struct (queue->items, i);

    if (is_buffer (before))
      return;
    if (GST_EVENT_TYPE (before->object) != type)
      continue;
    gst_mini_object_replace (&before->object, item->object);
    drop_item (queue, index);
    return;
  }
}

/* Must be called with the lock. */
static void
drop_oldest_unit (GstLmccSrcQueue *queue)
{
  guint index, i;
  Item *item = find_first_buffer (queue, &index);

  do {
    drop_item (queue, index);
    item = find_first_buffer (queue, &index);
  } while (item && !item->unit_start);
  for (i = index; i-- > 1;)
    fold_event (queue, i);
  queue->dropped++;
  queue->discont = TRUE;
}

/**
 * gst_lmcc_src_queue_push_event:
 * @queue: the queue
 * @event: (transfer full): an event, which is output after everything that was
 *     queued before it. It replaces a queued event of the same type if no
 *     buffer follows that
 */
void
gst_lmcc_src_queue_push_event (GstLmccSrcQueue *queue, GstEvent *event)
{
  Item item = { GST_MINI_OBJECT_CAST (event), 0, 0, TRUE };

  g_mutex_lock (&queue->lock);
  gst_queue_array_push_tail_struct (queue->items, &item);
  fold_event (queue, gst_queue_array_get_length (queue->items) - 1);
  g_cond_signal (&queue->cond);
  g_mutex_unlock (&queue->lock);
}

/**
 * gst_lmcc_src_queue_push_buffer:
 * @queue: the queue
 * @buffer: (transfer full): the next packet
 * @unit_start: whether it is the first packet of its unit
 * @now: the time, ns
 *
 * The caller must then call gst_lmcc_src_queue_wake(), so that the pushing
 * thread does not wake up for each packet.
 */
void
gst_lmcc_src_queue_push_buffer (GstLmccSrcQueue *queue, GstBuffer *buffer,
    gboolean unit_start, guint64 now)
{
  Item item = { GST_MINI_OBJECT_CAST (buffer),
    gst_buffer_get_size (buffer) + BUFFER_COST, now, unit_start };
  guint index;
  Item *oldest;

  g_mutex_lock (&queue->lock);
  gst_queue_array_push_tail_struct (queue->items, &item);
  queue->bytes += item.size;
  while ((oldest = find_first_buffer (queue, &index)) != NULL
      && (queue->bytes > queue->max_bytes
          || oldest->time + queue->latency + queue->max_time < now))
    drop_oldest_unit (queue);
  g_mutex_unlock (&queue->lock);
}

/**
 * gst_lmcc_src_queue_wake:
 * @queue: the queue
 *
 * Makes gst_lmcc_src_queue_pop() return the buffers that were queued.
 *
 * Returns: whether the queue has items
 */
gboolean
gst_lmcc_src_queue_wake (GstLmccSrcQueue *queue)
{
  gboolean waits;

  g_mutex_lock (&queue->lock);
  waits = !gst_queue_array_is_empty (queue->items);
  if (waits)
    g_cond_signal (&queue->cond);
  g_mutex_unlock (&queue->lock);
  return waits;
}

/* Must be called with the lock, if the first item is a buffer. */
static GstMiniObject *
take_list (GstLmccSrcQueue *queue)
{
  GstBufferList *list = gst_buffer_list_new_sized (MAX_LIST);
  Item *item;

  while ((item = gst_queue_array_peek_head_struct (queue->items)) != NULL
      && is_buffer (item) && gst_buffer_list_length (list) < MAX_LIST) {
    GstBuffer *buffer = GST_BUFFER_CAST (item->object);

    if (queue->discont) {
      buffer = gst_buffer_make_writable (buffer);
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
      queue->discont = FALSE;
    }
    queue->bytes -= item->size;
    gst_buffer_list_add (list, buffer);
    gst_queue_array_pop_head_struct (queue->items);
  }
  return GST_MINI_OBJECT_CAST (list);
}

/**
 * gst_lmcc_src_queue_pop:
 * @queue: the queue
 *
 * Waits for an item.
 *
 * Returns: (transfer full) (nullable): an event, or a buffer list of all
 * packets before the next event; %NULL when flushing
 */
GstMiniObject *
gst_lmcc_src_queue_pop (GstLmccSrcQueue *queue)
{
  GstMiniObject *object = NULL;

  g_mutex_lock (&queue->lock);
  while (!queue->flushing && gst_queue_array_is_empty (queue->items))
    g_cond_wait (&queue->cond, &queue->lock);
  if (!queue->flushing) {
    Item *item = gst_queue_array_peek_head_struct (queue->items);

    if (is_buffer (item)) {
      object = take_list (queue);
    } else {
      object = item->object;
      gst_queue_array_pop_head_struct (queue->items);
    }
  }
  g_mutex_unlock (&queue->lock);
  return object;
}

/**
 * gst_lmcc_src_queue_set_flushing:
 * @queue: the queue
 * @flushing: whether gst_lmcc_src_queue_pop() returns %NULL at once
 */
void
gst_lmcc_src_queue_set_flushing (GstLmccSrcQueue *queue, gboolean flushing)
{
  g_mutex_lock (&queue->lock);
  queue->flushing = flushing;
  g_cond_signal (&queue->cond);
  g_mutex_unlock (&queue->lock);
}

/**
 * gst_lmcc_src_queue_clear:
 * @queue: the queue
 * @events: whether to drop events too
 */
void
gst_lmcc_src_queue_clear (GstLmccSrcQueue *queue, gboolean events)
{
  guint index = 0;

  g_mutex_lock (&queue->lock);
  while (index < gst_queue_array_get_length (queue->items)) {
    Item *item = gst_queue_array_peek_nth_struct (queue->items, index);

    if (events || is_buffer (item))
      drop_item (queue, index);
    else
      index++;
  }
  queue->discont = TRUE;
  g_mutex_unlock (&queue->lock);
}

/**
 * gst_lmcc_src_queue_get_bytes:
 * @queue: the queue
 *
 * Returns: size of the queued data, including the overhead of buffers
 */
gsize
gst_lmcc_src_queue_get_bytes (GstLmccSrcQueue *queue)
{
  gsize bytes;

  g_mutex_lock (&queue->lock);
  bytes = queue->bytes;
  g_mutex_unlock (&queue->lock);
  return bytes;
}

/**
 * gst_lmcc_src_queue_get_dropped:
 * @queue: the queue
 *
 * Returns: number of units that were dropped because the pad could not push
 * them in time
 */
guint64
gst_lmcc_src_queue_get_dropped (GstLmccSrcQueue *queue)
{
  guint64 dropped;

  g_mutex_lock (&queue->lock);
  dropped = queue->dropped;
  g_mutex_unlock (&queue->lock);
  return dropped;
}
