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
 * @klass: of the unit that comes next in a stream
 * @switch_point: whether its class begins anew with it
 *
 * Returns: whether a decoder can use it: the classes below its own are whole,
 *     and its own is, or begins anew
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
 * @layer: what waits
 * @unit: what is to be pushed next
 *
 * Returns: whether a decoder can use it, and there is room; else it is counted,
 *     and to be dropped
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

/* Drops a unit and all that waits behind it and refers to it; units that are
 * still to come may do that too. */
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

/* The first unit that would be too old when its last packet leaves. */
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

/* Up to @late and not begun: of the highest class, and of these the newest.
 * Class 0 is never given up for a guess. */
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
 * @layer: what waits
 * @now: the time
 * @rate: that it leaves at, bit/s, about; 0: not known
 *
 * Drops what is too old, begun or not, and the least important units where what
 * waits will be.
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
 * @layer: what waits
 *
 * Returns: when the first unit is too old, or %LMCC_TIME_NONE
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
 * @layer: whose first packet leaves
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
