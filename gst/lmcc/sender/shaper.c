/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sender/shaper.h"

#include <string.h>

/* Part of a unit's holding time that allows for its own delay: a sixteenth,
 * but at most this much. The rest is divided equally between collecting and
 * sending a window. */
#define MAX_GRACE (200 * LMCC_MSECOND)
#define GRACE_DIVISOR 16

static void
forget_references (LmccShaper *shaper)
{
  memset (shaper->pour.floors, (gint) shaper->pour.n_layers,
      sizeof (shaper->pour.floors));
}

/*
 * lmcc_shaper_set_hold:
 * @shaper: a shaper
 * @hold: greatest time from a unit's decoding time until all of it is sent,
 *     ns
 */
void
lmcc_shaper_set_hold (LmccShaper *shaper, LmccTime hold)
{
  shaper->grace = MIN (MAX_GRACE, hold / GRACE_DIVISOR);
  shaper->longest = MAX ((hold - shaper->grace) / 2, 1);
}

/*
 * lmcc_shaper_init:
 * @shaper: (out): the shaper
 * @allocator: provides the layers
 * @hold: greatest time from a unit's decoding time until all of it is sent,
 *     ns
 */
void
lmcc_shaper_init (LmccShaper *shaper, const LmccAllocator *allocator,
    LmccTime hold)
{
  memset (shaper, 0, sizeof (*shaper));
  lmcc_shaper_set_hold (shaper, hold);
  shaper->units =
      g_ptr_array_new_with_free_func ((GDestroyNotify) lmcc_queued_unit_free);
  shaper->opened = LMCC_TIME_NONE;
  shaper->last_end = LMCC_TIME_NONE;
  shaper->pour.n_layers = allocator->n_layers;
  shaper->pour.packet_overhead = allocator->packet_overhead;
  forget_references (shaper);
}

void
lmcc_shaper_clear (LmccShaper *shaper)
{
  g_clear_pointer (&shaper->units, g_ptr_array_unref);
}

/*
 * lmcc_shaper_flush:
 * @shaper: a shaper
 *
 * Drops the collected units. Units that depend on them get no place either.
 */
void
lmcc_shaper_flush (LmccShaper *shaper)
{
  g_ptr_array_set_size (shaper->units, 0);
  shaper->n_packets = 0;
  shaper->opened = LMCC_TIME_NONE;
  shaper->last_end = LMCC_TIME_NONE;
  forget_references (shaper);
}

static LmccTime
unit_time (const LmccShaper *shaper, guint i)
{
  const LmccQueuedUnit *queued = g_ptr_array_index (shaper->units, i);

  return queued->unit->decoding_time;
}

static gboolean
may_begin (const LmccShaper *shaper, const LmccUnit *unit)
{
  return lmcc_unit_is_key (unit) && unit->stream <= shaper->key_rung;
}

/*
 * lmcc_shaper_get_end:
 * @shaper: a shaper
 * @unit: the next unit
 *
 * Returns: the end of the window if @unit does not belong to it, or
 * %LMCC_TIME_NONE. Call again when the window is closed
 */
LmccTime
lmcc_shaper_get_end (const LmccShaper *shaper, const LmccUnit *unit)
{
  LmccTime time = unit->decoding_time;
  LmccTime shortest = MIN (LMCC_SHAPER_SHORTEST_WINDOW, shaper->longest);

  if (shaper->opened == LMCC_TIME_NONE || time <= shaper->opened)
    return LMCC_TIME_NONE;
  if (time >= shaper->opened + shaper->longest)
    return shaper->last_key > 0 ? unit_time (shaper, shaper->last_key)
                                : shaper->opened + shaper->longest;
  /* A window that began without a key frame ends at the first one. */
  if (may_begin (shaper, unit)
      && (time >= shaper->opened + shortest
          || shaper->key_rung == LMCC_MAX_RUNGS))
    return time;

  return LMCC_TIME_NONE;
}

/*
 * lmcc_shaper_next:
 * @shaper: a shaper
 *
 * Returns: when to close the window if no unit ends it, or %LMCC_TIME_NONE
 */
LmccTime
lmcc_shaper_next (const LmccShaper *shaper)
{
  if (shaper->opened == LMCC_TIME_NONE)
    return LMCC_TIME_NONE;

  return shaper->opened + shaper->longest + shaper->grace;
}

/* The windows of a continuous stream follow each other without gaps. */
static void
open_window (LmccShaper *shaper, LmccTime time)
{
  shaper->opened = time;
  shaper->key_rung = LMCC_MAX_RUNGS;
  shaper->last_key = 0;
  if (shaper->last_end != LMCC_TIME_NONE && time > shaper->last_end
      && time - shaper->last_end < shaper->longest)
    shaper->opened = shaper->last_end;
}

/* Called before @unit joins the window. */
static void
note_unit (LmccShaper *shaper, const LmccUnit *unit)
{
  guint n = shaper->units->len;

  if (!may_begin (shaper, unit))
    return;
  shaper->key_rung = MIN (shaper->key_rung, unit->stream);
  if (n > 0 && unit->decoding_time > shaper->opened
      && unit->decoding_time > unit_time (shaper, shaper->last_key))
    shaper->last_key = n;
}

/*
 * lmcc_shaper_push:
 * @shaper: a shaper; lmcc_shaper_get_end() has assigned the unit to its window
 * @queued: (transfer full): a unit with its size and anchor; a unit without
 *     packets is lost, and units that depend on it get no place
 *
 * Units beyond %LMCC_ALLOCATOR_MAX_QUEUE lose their packets and are counted.
 */
void
lmcc_shaper_push (LmccShaper *shaper, LmccQueuedUnit *queued)
{
  LmccUnit *unit = queued->unit;

  if (shaper->n_packets + unit->packets->len > LMCC_ALLOCATOR_MAX_QUEUE) {
    shaper->n_dropped[unit->klass]++;
    g_ptr_array_set_size (unit->packets, 0);
  }
  if (shaper->opened == LMCC_TIME_NONE)
    open_window (shaper, unit->decoding_time);
  note_unit (shaper, unit);
  shaper->n_packets += unit->packets->len;
  g_ptr_array_add (shaper->units, queued);
}

/* @n packets of @queued from @first on, as a separate unit. */
static LmccQueuedUnit *
make_piece (const LmccAllocator *allocator, const LmccQueuedUnit *queued,
    guint first, guint n)
{
  LmccQueuedUnit *piece = g_memdup2 (queued, sizeof (*queued));
  LmccUnit *unit = lmcc_unit_new ();
  guint i;

  unit->stream = queued->unit->stream;
  unit->klass = queued->unit->klass;
  unit->switch_point = queued->unit->switch_point;
  unit->decoding_time = queued->unit->decoding_time;
  unit->presentation_time = queued->unit->presentation_time;
  piece->bytes = 0;
  for (i = first; i < first + n; i++) {
    LmccPacket *packet = g_ptr_array_index (queued->unit->packets, i);

    g_ptr_array_add (unit->packets, lmcc_packet_ref (packet));
    piece->bytes += lmcc_allocator_media_size (allocator, packet);
  }

  piece->unit = unit;
  piece->osn = (guint16) (queued->osn + first);
  piece->continued = first > 0;
  piece->more = first + n < queued->unit->packets->len;

  return piece;
}

static void
push_pieces (LmccAllocator *allocator, LmccPourItem *item)
{
  LmccQueuedUnit *queued = item->queued;
  guint n_packets = queued->unit->packets->len, first = 0, n;

  while ((n = lmcc_pour_count_run (item, first)) < n_packets) {
    lmcc_allocator_push (allocator, item->layers[first],
        make_piece (allocator, queued, first, n));
    first += n;
    if (first == n_packets) {
      lmcc_queued_unit_free (queued);
      return;
    }
  }
  lmcc_allocator_push (allocator, item->layers[0], queued);
}

static void
note_key (LmccShaper *shaper, const LmccPourItem *item)
{
  const LmccUnit *unit = item->queued->unit;
  guint8 *level = &shaper->key_levels[unit->stream];
  guint8 highest = (guint8) shaper->pour.n_layers;

  if (item->layers != NULL)
    highest = item->layers[unit->packets->len - 1];
  *level = MAX (*level, highest);
}

static void
send_item (LmccShaper *shaper, LmccAllocator *allocator, LmccPourItem *item,
    guint16 *osn)
{
  LmccUnit *unit = item->queued->unit;

  if (lmcc_unit_is_key (unit))
    note_key (shaper, item);
  if (item->layers == NULL) {
    if (unit->packets->len > 0)
      shaper->n_dropped[unit->klass]++;
    lmcc_queued_unit_free (item->queued);
    return;
  }

  item->queued->osn = *osn;
  if (unit->stream != LMCC_STREAM_SOUND)
    *osn = (guint16) (*osn + unit->packets->len);
  push_pieces (allocator, item);
  g_free (item->layers);
}

static void
begin_anew (LmccShaper *shaper, LmccTime time)
{
  g_autoptr (GPtrArray) rest = shaper->units;
  guint i;

  shaper->units =
      g_ptr_array_new_with_free_func ((GDestroyNotify) lmcc_queued_unit_free);
  g_ptr_array_set_free_func (rest, NULL);
  shaper->n_packets = 0;
  shaper->opened = LMCC_TIME_NONE;
  shaper->last_end = time;
  for (i = 0; i < rest->len; i++)
    lmcc_shaper_push (shaper, g_ptr_array_index (rest, i));
}

/*
 * lmcc_shaper_pour:
 * @shaper: a shaper with a window
 * @end: as in lmcc_shaper_close()
 * @pour: (inout): the shaper's or a copy, with rooms and shares
 * @n_items: (out): number of units in the window
 *
 * Returns: (transfer full): the units with their layers
 */
LmccPourItem *
lmcc_shaper_pour (const LmccShaper *shaper, LmccTime end, LmccPour *pour,
    guint *n_items)
{
  guint n = shaper->units->len, i;
  LmccPourItem *items = g_new0 (LmccPourItem, MAX (n, 1));

  if (shaper->last_key > 0 && unit_time (shaper, shaper->last_key) == end)
    n = shaper->last_key;
  for (i = 0; i < n; i++)
    items[i].queued = g_ptr_array_index (shaper->units, i);
  pour->end = end;
  pour->length = end - MIN (end, shaper->opened);
  lmcc_pour (pour, items, n);
  *n_items = n;

  return items;
}

/*
 * lmcc_shaper_close:
 * @shaper: a shaper with a window, and rooms and shares for it
 * @end: end of the window: the value of lmcc_shaper_get_end(), or the greatest
 *     possible
 * @allocator: gets the units, in decoding order for each layer
 * @osn: (inout): the next order sequence number
 *
 * Units after @end become the beginning of the next window.
 */
void
lmcc_shaper_close (LmccShaper *shaper, LmccTime end, LmccAllocator *allocator,
    guint16 *osn)
{
  guint n, i;
  g_autofree LmccPourItem *items =
      lmcc_shaper_pour (shaper, end, &shaper->pour, &n);

  for (i = 0; i < n; i++)
    send_item (shaper, allocator, &items[i], osn);

  /* The layers own them now, or they are freed. */
  g_ptr_array_set_free_func (shaper->units, NULL);
  if (n > 0)
    g_ptr_array_remove_range (shaper->units, 0, n);
  begin_anew (shaper, end);
}

gboolean
lmcc_shaper_is_empty (const LmccShaper *shaper)
{
  return shaper->units->len == 0;
}
