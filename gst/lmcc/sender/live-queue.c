/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sender/live-queue.h"

static gboolean
is_sound (const LmccUnit *unit)
{
  return unit->stream == LMCC_STREAM_SOUND;
}

/*
 * lmcc_live_queue_can_use:
 * @broken: (inout): as in #LmccLiveQueue
 * @klass: class of the next unit of a stream
 * @switch_point: whether the unit is a switch point of its class
 *
 * Returns: whether a decoder can use the unit: all lower classes are intact,
 * and its own class is intact or restarts with it
 */
gboolean
lmcc_live_queue_can_use (guint16 *broken, guint klass, gboolean switch_point)
{
  guint16 own = (guint16) (1u << klass);

  if ((*broken & (own - 1)) == 0 && (switch_point || (*broken & own) == 0)) {
    *broken &= (guint16) ~own;
    return TRUE;
  }
  *broken |= own;

  return FALSE;
}

static gboolean
can_use (guint16 *broken, const LmccUnit *unit)
{
  return is_sound (unit)
      || lmcc_live_queue_can_use (broken, unit->klass, unit->switch_point);
}

static void
count_dropped (LmccLiveQueue *queue, const LmccUnit *unit)
{
  if (is_sound (unit))
    queue->n_sound++;
  else
    queue->n_dropped[unit->klass]++;
}

/*
 * lmcc_live_queue_admit:
 * @queue: a queue
 * @layer: the waiting units
 * @unit: the next unit
 *
 * Returns: whether a decoder can use the unit and there is room; if not, it
 * is counted and must be dropped
 */
gboolean
lmcc_live_queue_admit (LmccLiveQueue *queue, const LmccAllocatorLayer *layer,
    const LmccUnit *unit)
{
  if (layer->n_packets + unit->packets->len > LMCC_LIVE_QUEUE_MAX_PACKETS) {
    if (!is_sound (unit))
      queue->broken |= (guint16) (1u << unit->klass);
  } else if (can_use (&queue->broken, unit)) {
    return TRUE;
  }
  count_dropped (queue, unit);

  return FALSE;
}

static void
note_key (LmccLiveQueue *queue, const LmccQueuedUnit *queued)
{
  const LmccUnit *unit = queued->unit;
  guint i;

  if (is_sound (unit) || unit->klass > 0 || !unit->switch_point)
    return;
  queue->key_bytes = queued->taken;
  for (i = queued->next; i < unit->packets->len; i++)
    queue->key_bytes +=
        ((const LmccPacket *) g_ptr_array_index (unit->packets, i))->size;
}

static void
remove_unit (LmccLiveQueue *queue, LmccAllocatorLayer *layer, GList *link)
{
  LmccQueuedUnit *queued = link->data;

  count_dropped (queue, queued->unit);
  note_key (queue, queued);
  layer->n_packets -= queued->unit->packets->len - queued->next;
  lmcc_queued_unit_free (queued);
  g_queue_delete_link (&layer->units, link);
}

/* Drops a unit and all later waiting units that refer to it; future units
 * may refer to it, too. */
static void
drop (LmccLiveQueue *queue, LmccAllocatorLayer *layer, GList *link)
{
  const LmccUnit *unit = ((LmccQueuedUnit *) link->data)->unit;
  guint16 broken = is_sound (unit) ? 0 : (guint16) (1u << unit->klass);
  GList *next = link->next;

  remove_unit (queue, layer, link);
  for (link = next; link != NULL && broken != 0; link = next) {
    next = link->next;
    if (!can_use (&broken, ((LmccQueuedUnit *) link->data)->unit))
      remove_unit (queue, layer, link);
  }
  queue->broken |= broken;
}

static LmccTime
age_limit (const LmccLiveQueue *queue, const LmccQueuedUnit *queued)
{
  return queued->unit->decoding_time + queue->limit;
}

/* The first unit that would be too old when its last packet is sent. */
static GList *
find_late (const LmccLiveQueue *queue, const LmccAllocatorLayer *layer,
    LmccTime now, gdouble rate)
{
  gdouble bytes = 0;
  GList *l;

  for (l = layer->units.head; l != NULL; l = l->next) {
    const LmccQueuedUnit *queued = l->data;

    bytes += (gdouble) queued->bytes;
    if ((gdouble) now + bytes * 8 * LMCC_SECOND / rate
        > (gdouble) age_limit (queue, queued))
      return l;
  }

  return NULL;
}

/* Among the units up to @late that have not begun: the highest class, and
 * the newest unit of that class. Class 0 is never dropped because of a
 * prediction. */
static GList *
find_least_important (GList *late)
{
  GList *least = NULL, *l;
  guint klass = 0;

  for (l = late; l != NULL; l = l->prev) {
    const LmccQueuedUnit *queued = l->data;

    if (queued->next == 0 && !is_sound (queued->unit)
        && queued->unit->klass > klass) {
      klass = queued->unit->klass;
      least = l;
    }
  }

  return least;
}

/*
 * lmcc_live_queue_expire:
 * @queue: a queue
 * @layer: the waiting units
 * @now: the time
 * @rate: approximate rate at which they are sent, bit/s; 0: not known
 *
 * Drops units that are too old, even if they have begun, and the least
 * important units if waiting ones would become too old.
 */
void
lmcc_live_queue_expire (LmccLiveQueue *queue, LmccAllocatorLayer *layer,
    LmccTime now, gdouble rate)
{
  LmccQueuedUnit *head;
  GList *late, *least;

  while ((head = g_queue_peek_head (&layer->units)) != NULL
      && now >= age_limit (queue, head)) {
    queue->n_expired++;
    drop (queue, layer, layer->units.head);
  }
  while (rate > 0 && (late = find_late (queue, layer, now, rate)) != NULL
      && (least = find_least_important (late)) != NULL)
    drop (queue, layer, least);
}

/*
 * lmcc_live_queue_next:
 * @queue: a queue
 * @layer: the waiting units
 *
 * Returns: when the first unit becomes too old, or %LMCC_TIME_NONE
 */
LmccTime
lmcc_live_queue_next (const LmccLiveQueue *queue,
    const LmccAllocatorLayer *layer)
{
  const LmccQueuedUnit *head = g_queue_peek_head ((GQueue *) &layer->units);

  return head != NULL ? age_limit (queue, head) : LMCC_TIME_NONE;
}

/*
 * lmcc_live_queue_note_age:
 * @queue: a queue
 * @layer: the layer whose first packet is sent
 * @now: the time
 */
void
lmcc_live_queue_note_age (LmccLiveQueue *queue, const LmccAllocatorLayer *layer,
    LmccTime now)
{
  const LmccQueuedUnit *head = g_queue_peek_head ((GQueue *) &layer->units);

  if (head != NULL && now > head->unit->decoding_time)
    queue->age_max = MAX (queue->age_max, now - head->unit->decoding_time);
}

/*
 * lmcc_live_queue_wants_key:
 * @queue: a queue
 *
 * Returns: whether nothing can be sent before a key frame
 */
gboolean
lmcc_live_queue_wants_key (const LmccLiveQueue *queue)
{
  return (queue->broken & 1) != 0;
}
