/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sender/pour.h"

#include "sender/bit-reversal.h"
#include "wire/rtp-payload.h"

#include <string.h>

/* Switch points closer together than this share a section: a shorter section
 * leaves no choice. */
#define SHORTEST_SECTION (250 * LMCC_MSECOND)

/* A receiver that goes up just after a switch point has begun waits for all
 * of the next one. No layer takes longer than this to send its part of a
 * switch point; higher layers send the rest at the same time. */
#define LONGEST_SWITCH (200 * LMCC_MSECOND)

static gboolean
is_sound (const LmccPourItem *item)
{
  return item->queued->unit->stream == LMCC_STREAM_SOUND;
}

static gint
compare_importance (gconstpointer a, gconstpointer b)
{
  const LmccPourItem *first = *(LmccPourItem *const *) a;
  const LmccPourItem *second = *(LmccPourItem *const *) b;
  const LmccUnit *x = first->queued->unit, *y = second->queued->unit;

  if (is_sound (first) != is_sound (second))
    return is_sound (first) ? -1 : 1;
  if (x->stream != y->stream)
    return (gint) x->stream - (gint) y->stream;
  if (first->section != second->section)
    return (gint) first->section - (gint) second->section;
  if (x->klass != y->klass)
    return (gint) x->klass - (gint) y->klass;

  return first->rank < second->rank ? -1 : first->rank > second->rank;
}

/* Bit-reversed order: every prefix of it is spread evenly over the window.
 * @group is in decoding order. */
static void
rank_dyadically (LmccPourItem **group, guint n)
{
  guint n_bits = g_bit_storage (n - 1), rank = 0, i;

  for (i = 0; i < 1u << n_bits; i++) {
    guint at = lmcc_reverse_bits (i, n_bits);

    if (at < n)
      group[at]->rank = rank++;
  }
  for (i = 0; i < n; i++)
    group[i]->droppable = TRUE;
}

/* Units that are all switch points of their class do not depend on each
 * other. */
static gboolean
is_droppable (LmccPourItem **group, guint n)
{
  guint i;

  for (i = 0; i < n; i++) {
    if (is_sound (group[i]) || !group[i]->queued->unit->switch_point)
      return FALSE;
  }

  return n > 1;
}

static guint
group_size (LmccPourItem **sorted, guint n_items)
{
  const LmccUnit *first = sorted[0]->queued->unit;
  guint n = 1;

  while (n < n_items && sorted[n]->queued->unit->stream == first->stream
      && sorted[n]->section == sorted[0]->section
      && sorted[n]->queued->unit->klass == first->klass)
    n++;

  return n;
}

static gboolean
is_upper (const LmccPour *pour, const LmccPourItem *item)
{
  return pour->n_temporal > 0 && !is_sound (item)
      && item->queued->unit->klass >= pour->n_temporal;
}

/* Whether a spatial layer above the lowest starts anew. */
static gboolean
is_beginning (const LmccPour *pour, const LmccPourItem *item)
{
  return is_upper (pour, item) && item->queued->unit->switch_point
      && item->queued->unit->klass % pour->n_temporal == 0;
}

/* A new section begins at a picture before which the higher spatial layers
 * refer to nothing. Each layer is sent in decoding order: if some layers
 * carried one half of these pictures and others the other half, no layer
 * would send a switch point in the middle of the window at its time. The
 * lowest spatial layer is not divided, because all receivers need it: it may
 * use the whole window's room. */
static void
divide (const LmccPour *pour, LmccPourItem *items, guint n_items)
{
  LmccTime begun = LMCC_TIME_NONE;
  guint section = 0, i;

  for (i = 0; i < n_items; i++) {
    const LmccUnit *unit = items[i].queued->unit;

    items[i].section = 0;
    if (!is_upper (pour, &items[i]))
      continue;
    if (begun == LMCC_TIME_NONE)
      begun = unit->decoding_time;
    if (unit->klass == pour->n_temporal && unit->switch_point
        && unit->decoding_time >= begun + SHORTEST_SECTION) {
      begun = unit->decoding_time;
      section++;
    }
    items[i].section = section;
  }
}

/* Sound precedes all pictures; then the order is (rung, section, class). In
 * a class whose units do not depend on each other, units are spread over the
 * window, otherwise they are in decoding order. */
static LmccPourItem **
sort_items (LmccPourItem *items, guint n_items)
{
  LmccPourItem **sorted = g_new (LmccPourItem *, n_items);
  guint i, n;

  for (i = 0; i < n_items; i++) {
    items[i].order = i;
    items[i].droppable = FALSE;
    items[i].rank = i;
    sorted[i] = &items[i];
  }
  qsort (sorted, n_items, sizeof (*sorted), compare_importance);

  for (i = 0; i < n_items; i += n) {
    n = group_size (sorted + i, n_items - i);
    if (!is_droppable (sorted + i, n))
      continue;
    rank_dyadically (sorted + i, n);
    qsort (sorted + i, n, sizeof (*sorted), compare_importance);
  }

  return sorted;
}

static void
place_whole (LmccPour *pour, LmccPourItem *item, guint layer)
{
  guint n_packets = item->queued->unit->packets->len;

  pour->room[layer] -= item->queued->bytes;
  item->layers = g_malloc (n_packets);
  memset (item->layers, (gint) layer, n_packets);
}

/* Limits the part of a switch point that each layer may carry. */
static void
limit_room (const LmccPour *pour, gsize *most)
{
  gdouble part = MIN (1.0, (gdouble) LONGEST_SWITCH / (gdouble) pour->length);
  guint i;

  for (i = 0; i < pour->n_layers; i++)
    most[i] = MIN (pour->room[i], (gsize) (part * (gdouble) pour->share[i]));
}

/* Places the unit from @layer upwards, with as much in each layer as @most
 * and its room permit. */
static gboolean
place_cut (LmccPour *pour, LmccPourItem *item, const gsize *most, guint layer)
{
  const LmccQueuedUnit *queued = item->queued;
  g_autofree guint8 *layers = g_malloc (queued->unit->packets->len);
  gsize room[LMCC_MAX_LAYERS];
  guint i;

  memcpy (room, most, sizeof (room));
  for (i = 0; i < queued->unit->packets->len; i++) {
    LmccPacket *packet = g_ptr_array_index (queued->unit->packets, i);
    gsize payload_size, size;

    lmcc_rtp_find_payload (packet, &payload_size);
    size = pour->packet_overhead + payload_size;
    while (layer < pour->n_layers && size > room[layer])
      layer++;
    if (layer == pour->n_layers)
      return FALSE;
    room[layer] -= size;
    layers[i] = (guint8) layer;
  }
  for (i = 0; i < pour->n_layers; i++)
    pour->room[i] -= most[i] - room[i];
  item->layers = g_steal_pointer (&layers);

  return TRUE;
}

/* A unit is divided only if it is larger than a layer's whole share or than
 * what the layer may carry of it, and never in the base layer, which must be
 * useful alone. */
static gboolean
place_within (LmccPour *pour, LmccPourItem *item, const gsize *most,
    guint layer)
{
  gsize bytes = item->queued->bytes;

  for (; layer < pour->n_layers; layer++) {
    if (bytes <= most[layer]) {
      place_whole (pour, item, layer);
      return TRUE;
    }
    if (layer > 0
        && (bytes > pour->share[layer] || most[layer] < pour->room[layer]))
      return place_cut (pour, item, most, layer);
  }

  return FALSE;
}

/* A switch point that is too large to be sent soon is placed nevertheless. */
static gboolean
place_video (LmccPour *pour, LmccPourItem *item, guint layer)
{
  if (is_beginning (pour, item) && pour->length > 0) {
    gsize most[LMCC_MAX_LAYERS];

    limit_room (pour, most);
    if (place_within (pour, item, most, layer))
      return TRUE;
  }

  return place_within (pour, item, pour->room, layer);
}

static guint
highest_layer (const LmccPourItem *item)
{
  return item->layers[item->queued->unit->packets->len - 1];
}

typedef struct
{
  guint at;      /* layers below are closed */
  gboolean full; /* a unit has already found no place */
  /* The highest layer with a unit of a lower class that a class of a rung
   * may depend on. */
  guint8 used[LMCC_MAX_RUNGS][LMCC_MAX_CLASSES];
} Progress;

/* If a class has a unit that depends on nothing before it, the state of the
 * class before the window does not count, unless another unit precedes that
 * one. */
static void
begin (const LmccPour *pour, Progress *progress, const LmccPourItem *items,
    guint n_items)
{
  guint16 renewed[LMCC_MAX_RUNGS] = { 0 };
  guint i, klass;

  for (i = 0; i < n_items; i++) {
    const LmccUnit *unit = items[i].queued->unit;
    guint needs = unit->klass + (unit->switch_point ? 0 : 1);

    if (is_sound (&items[i]))
      continue;
    for (klass = 0; klass < needs; klass++) {
      if (pour->classes[unit->stream] & ~renewed[unit->stream] & 1u << klass)
        progress->used[unit->stream][klass] = pour->floors[unit->stream][klass];
    }
    if (unit->switch_point)
      renewed[unit->stream] |= 1u << unit->klass;
  }
}

/* The lowest layer that is not below what @unit depends on. */
static guint
find_floor (const LmccPour *pour, const Progress *progress,
    const LmccUnit *unit)
{
  guint floor = 0, klass;

  for (klass = 0; klass < unit->klass; klass++)
    floor = MAX (floor, progress->used[unit->stream][klass]);
  if (!unit->switch_point)
    floor = MAX (floor, pour->floors[unit->stream][unit->klass]);

  return floor;
}

static void
place_picture (LmccPour *pour, Progress *progress, LmccPourItem *item)
{
  const LmccUnit *unit = item->queued->unit;
  guint8 *floor = &pour->floors[unit->stream][unit->klass];
  guint8 *used = &progress->used[unit->stream][unit->klass];
  guint lowest = find_floor (pour, progress, unit);
  guint layer = pour->n_layers;
  gboolean anew = unit->switch_point && (!item->droppable || item->rank == 0);

  if (unit->packets->len > 0 && lowest < pour->n_layers && !progress->full) {
    if (place_video (pour, item, MAX (progress->at, lowest)))
      progress->at = layer = highest_layer (item);
    else
      progress->full = TRUE;
  }

  *floor = (guint8) (anew ? layer : MAX (*floor, layer));
  *used = (guint8) MAX (*used, layer);
}

/* The spatial layers of a rung above the lowest one, section by section. */
typedef struct
{
  gboolean any;
  guint stream;
  guint section;
  guint at; /* where the lowest spatial layer ended */
  gboolean full;
  LmccTime start;
  gsize room[LMCC_MAX_LAYERS];  /* for all sections */
  gsize taken[LMCC_MAX_LAYERS]; /* by earlier sections */
  gsize given[LMCC_MAX_LAYERS]; /* to this section */
} Sections;

static gboolean
in_section (const Sections *sections, const LmccPourItem *item)
{
  return sections->any && sections->stream == item->queued->unit->stream
      && sections->section == item->section;
}

static void
begin_rung (const LmccPour *pour, const Progress *progress, Sections *sections,
    const LmccPourItem *item)
{
  *sections = (Sections){ .any = TRUE,
    .stream = item->queued->unit->stream,
    .at = progress->at,
    .full = progress->full,
    .start = item->queued->unit->decoding_time };
  memcpy (sections->room, pour->room, sizeof (sections->room));
  memcpy (sections->given, pour->room, sizeof (sections->given));
}

/* When the next section begins, or the window ends. */
static LmccTime
section_end (const LmccPour *pour, const Sections *sections,
    const LmccPourItem *items, guint n_items)
{
  guint i;

  for (i = 0; i < n_items; i++) {
    if (is_upper (pour, &items[i])
        && items[i].queued->unit->stream == sections->stream
        && items[i].section > sections->section)
      return items[i].queued->unit->decoding_time;
  }

  return pour->end;
}

/* Effects of earlier sections on the classes count only if this section
 * depends on them. */
static void
renew (const LmccPour *pour, Progress *progress, const Sections *sections,
    const LmccPourItem *items, guint n_items)
{
  guint8 *used = progress->used[sections->stream];
  guint16 renewed = 0;
  guint i, klass;

  memset (used + pour->n_temporal, 0, LMCC_MAX_CLASSES - pour->n_temporal);
  for (i = 0; i < n_items; i++) {
    const LmccUnit *unit = items[i].queued->unit;
    guint needs = unit->klass + (unit->switch_point ? 0 : 1);

    if (!is_upper (pour, &items[i]) || !in_section (sections, &items[i]))
      continue;
    for (klass = pour->n_temporal; klass < needs; klass++) {
      if (!(renewed & 1u << klass))
        used[klass] = pour->floors[sections->stream][klass];
    }
    if (unit->switch_point)
      renewed |= 1u << unit->klass;
  }
}

/* Each section gets the share of the room that corresponds to its time, plus
 * what earlier sections left. */
static void
begin_section (LmccPour *pour, Progress *progress, Sections *sections,
    const LmccPourItem *item, const LmccPourItem *items, guint n_items)
{
  gboolean first =
      !sections->any || sections->stream != item->queued->unit->stream;
  gdouble part = 1.0;
  LmccTime end;
  guint i;

  if (first)
    begin_rung (pour, progress, sections, item);
  sections->section = item->section;
  end = section_end (pour, sections, items, n_items);
  if (pour->end > sections->start && end < pour->end)
    part = (gdouble) (end - sections->start)
        / (gdouble) (pour->end - sections->start);
  for (i = 0; i < pour->n_layers; i++) {
    gsize so_far = (gsize) (part * (gdouble) sections->room[i]);

    sections->taken[i] += sections->given[i] - pour->room[i];
    pour->room[i] = so_far - MIN (so_far, sections->taken[i]);
    sections->given[i] = pour->room[i];
  }
  if (first)
    return;
  progress->at = sections->at;
  progress->full = sections->full;
  renew (pour, progress, sections, items, n_items);
}

/*
 * lmcc_pour:
 * @pour: (inout): the layers; rooms and floors are updated
 * @items: (array length=n_items): the units of a window, in decoding order;
 *     ranks and layers are set
 * @n_items: number of units
 *
 * Assigns the units to layers, from the bottom up and the most important
 * units first. A unit is never in a lower layer than the units it depends
 * on. Once a unit finds no place, no less important one gets a place, so
 * that the most important units are sent.
 */
void
lmcc_pour (LmccPour *pour, LmccPourItem *items, guint n_items)
{
  g_autofree LmccPourItem **sorted = NULL;
  Progress progress = { 0 };
  Sections sections = { 0 };
  guint i;

  divide (pour, items, n_items);
  sorted = sort_items (items, n_items);

  for (i = 0; i < n_items; i++) {
    if (!is_sound (&items[i]))
      pour->classes[items[i].queued->unit->stream] |= 1u
          << items[i].queued->unit->klass;
  }
  begin (pour, &progress, items, n_items);
  for (i = 0; i < n_items; i++) {
    LmccPourItem *item = sorted[i];

    if (is_upper (pour, item) && !in_section (&sections, item))
      begin_section (pour, &progress, &sections, item, items, n_items);
    if (!is_sound (item))
      place_picture (pour, &progress, item);
    else if (item->queued->unit->packets->len > 0
        && item->queued->bytes <= pour->room[0])
      place_whole (pour, item, 0);
  }
}

/*
 * lmcc_pour_count_run:
 * @item: an item that has a place
 * @first: index of one of its packets
 *
 * Returns: number of packets from @first on that are in the same layer
 */
guint
lmcc_pour_count_run (const LmccPourItem *item, guint first)
{
  guint n = 1;

  while (first + n < item->queued->unit->packets->len
      && item->layers[first + n] == item->layers[first])
    n++;

  return n;
}
