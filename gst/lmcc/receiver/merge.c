/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "receiver/merge.h"

#include "base/ring.h"

/* A packet sent this much later than the latest output does not precede it,
 * whatever its number: the sender's numbers have restarted. */
#define ORDER_MEMORY (2 * LMCC_SECOND)

/* Greatest number of holes of a layer; further losses extend the last hole.
 * Holes may outnumber the waiting packets, because filler reveals losses,
 * too. */
#define MAX_HOLES 256

typedef struct
{
  LmccPacket *packet;
  LmccRtp rtp;
  LmccHeader header;
  gint64 order;
  LmccTime deadline;
} Entry;

/* Packets that a layer lost lie somewhere in OSN order between two of its
 * packets: from @from on, before @to. @count of them are not reported yet. A
 * hole is @certain if its place has already passed. @gap_end is the last gap
 * in the order for which the hole was reported. */
typedef struct
{
  gint64 from;
  gint64 to;
  guint count;
  gboolean certain;
  gboolean reported;
  gint64 gap_end;
  guint8 table;
  gboolean table_changed;
} Hole;

typedef struct
{
  gboolean active;
  gboolean ended;   /* the layer was left; its received packets may still
                     * wait */
  gint64 low_water; /* smaller numbers are not waited for */
  gboolean heard;
  guint8 table;     /* of its latest packet */
  LmccRing entries; /* ring of Entry, in OSN order */
  GQueue holes;     /* queue of Hole, in OSN order */
} Layer;

struct _LmccMerge
{
  LmccDiscard *discard; /* or NULL */
  Layer *layers;
  guint n_made;   /* number of allocated layers */
  guint n_layers; /* highest active layer + 1 */
  gboolean heard;
  guint8 table;         /* the newest table received */
  LmccTime table_since; /* the earliest deadline of a packet with that table */
  gboolean started;
  gint64 next_order;      /* one past the latest packet of the output */
  LmccTime last_deadline; /* deadline of that packet */
  guint64 late;
};

static guint
free_entry (gpointer object)
{
  LmccRing *entries = object;
  Entry entry;

  if (!lmcc_ring_pop (entries, &entry)) {
    lmcc_ring_clear (entries);
    g_free (entries);
    return 0;
  }
  lmcc_packet_unref (entry.packet);

  return 1;
}

static void
layer_clear (LmccMerge *merge, Layer *layer)
{
  if (layer->entries.size > 0)
    lmcc_discard_add (merge->discard,
        g_memdup2 (&layer->entries, sizeof (layer->entries)), free_entry);
  lmcc_ring_init (&layer->entries, sizeof (Entry));
  g_queue_clear_full (&layer->holes, g_free);
  layer->active = FALSE;
  layer->ended = FALSE;
  layer->heard = FALSE;
}

/**
 * lmcc_merge_new:
 *
 * Returns: (transfer full): a merge without layers
 */
LmccMerge *
lmcc_merge_new (void)
{
  return g_new0 (LmccMerge, 1);
}

/*
 * lmcc_merge_set_discard:
 * @merge: a merge
 * @discard: (transfer none): takes over packets that the merge drops in
 *     large numbers; must outlive @merge
 */
void
lmcc_merge_set_discard (LmccMerge *merge, LmccDiscard *discard)
{
  merge->discard = discard;
}

/* A receiver with few layers allocates no memory for more. */
static Layer *
get_layer (LmccMerge *merge, guint index)
{
  if (index >= merge->n_made)
    merge->layers = g_renew (Layer, merge->layers, index + 1);
  for (; merge->n_made <= index; merge->n_made++) {
    merge->layers[merge->n_made] = (Layer){ 0 };
    lmcc_ring_init (&merge->layers[merge->n_made].entries, sizeof (Entry));
  }

  return &merge->layers[index];
}

/**
 * lmcc_merge_free:
 * @merge: (transfer full): a merge
 */
void
lmcc_merge_free (LmccMerge *merge)
{
  lmcc_merge_reset (merge);
  g_free (merge->layers);
  g_free (merge);
}

/**
 * lmcc_merge_reset:
 * @merge: a merge
 *
 * Forgets all layers and the order, for a new sender.
 */
void
lmcc_merge_reset (LmccMerge *merge)
{
  lmcc_merge_drop_layers (merge, 0);
  merge->started = FALSE;
  merge->heard = FALSE;
}

/**
 * lmcc_merge_drop_layers:
 * @merge: a merge
 * @kept: the layers to keep
 *
 * Forgets all other layers; packets of the kept ones no longer wait for them.
 */
void
lmcc_merge_drop_layers (LmccMerge *merge, LmccLayerSet kept)
{
  guint i;

  for (i = 0; i < merge->n_layers; i++) {
    if (!lmcc_layer_set_has (kept, i))
      layer_clear (merge, &merge->layers[i]);
  }
  while (merge->n_layers > 0 && !lmcc_layer_set_has (kept, merge->n_layers - 1))
    merge->n_layers--;
}

/**
 * lmcc_merge_leave_layers:
 * @merge: a merge
 * @held: the layers that are still joined
 *
 * No more packets arrive of the other layers, and the joined ones no longer
 * wait for them. Packets that have arrived are still output; drop a layer
 * before it starts anew.
 */
void
lmcc_merge_leave_layers (LmccMerge *merge, LmccLayerSet held)
{
  guint i;

  for (i = 0; i < merge->n_layers; i++) {
    Layer *layer = &merge->layers[i];

    if (lmcc_layer_set_has (held, i))
      continue;
    layer->ended |= layer->active;
    layer->active = layer->heard = FALSE;
  }
}

/**
 * lmcc_merge_get_highest:
 * @merge: a merge
 * @layers: a set of layers
 *
 * Returns: the highest of @layers that has waiting packets, -1 for none
 */
gint
lmcc_merge_get_highest (const LmccMerge *merge, LmccLayerSet layers)
{
  guint i;

  while (lmcc_layer_set_take_highest (&layers, &i)) {
    if (i < merge->n_layers && merge->layers[i].entries.length > 0)
      return (gint) i;
  }

  return -1;
}

static void
enlarge (Hole *hole, guint count)
{
  hole->count = MIN (hole->count + count, G_MAXINT);
  hole->reported = FALSE;
}

static void
note_hole (Layer *layer, gint64 from, gint64 to, guint count, guint8 table)
{
  Hole *hole;

  if (g_queue_get_length (&layer->holes) >= MAX_HOLES) {
    hole = g_queue_peek_tail (&layer->holes);
    enlarge (hole, count);
    hole->to = to;
    hole->table_changed |= table != hole->table;
    return;
  }
  hole = g_new0 (Hole, 1);
  hole->from = from;
  hole->to = to;
  hole->count = count;
  hole->table = table;
  hole->table_changed = table != layer->table;
  g_queue_push_tail (&layer->holes, hole);
}

static void
note_passed_hole (Layer *layer, gint64 order, guint count, guint8 table)
{
  Hole *hole = g_queue_peek_head (&layer->holes);

  if (hole != NULL && hole->certain && !hole->reported
      && hole->table == table) {
    enlarge (hole, count);
    return;
  }
  hole = g_new0 (Hole, 1);
  hole->from = order;
  hole->to = order + 1;
  hole->count = count;
  hole->certain = TRUE;
  hole->table = table;
  hole->table_changed = table != layer->table;
  g_queue_push_head (&layer->holes, hole);
}

static void
drop_oldest (Layer *layer)
{
  Entry entry;

  lmcc_ring_pop (&layer->entries, &entry);
  note_hole (layer, entry.order, entry.order + 1, 1, entry.header.table);
  lmcc_packet_unref (entry.packet);
}

static void
queue_media (LmccMerge *merge, Layer *layer, LmccPacket *packet,
    const LmccRtp *rtp, const LmccHeader *header, gint64 order,
    LmccTime deadline)
{
  Entry *entry;

  if (merge->started && order < merge->next_order) {
    merge->late++;
    lmcc_packet_unref (packet);
    return;
  }

  entry = lmcc_ring_push (&layer->entries);
  entry->packet = packet;
  entry->rtp = *rtp;
  entry->header = *header;
  entry->order = order;
  entry->deadline = deadline;
  if (layer->entries.length > LMCC_MERGE_MAX_QUEUE)
    drop_oldest (layer);
}

static gboolean
is_late (const LmccMerge *merge, const LmccHeader *header, gint64 order)
{
  return merge->started && header->type == LMCC_PACKET_MEDIA
      && header->stream < LMCC_MAX_RUNGS && order < merge->next_order;
}

static gboolean
order_is_lost (const LmccMerge *merge, const LmccHeader *header, gint64 order,
    LmccTime deadline)
{
  return is_late (merge, header, order) && deadline > merge->last_deadline
      && deadline - merge->last_deadline > ORDER_MEMORY;
}

/* After an outage, the order begins at the current number, and every layer
 * has missed packets. */
static void
restart_order (LmccMerge *merge, gint64 order)
{
  guint i;

  merge->started = FALSE;
  for (i = 0; i < merge->n_layers; i++) {
    Layer *layer = &merge->layers[i];

    merge->late += layer->entries.length;
    layer_clear (merge, layer);
    note_passed_hole (layer, order, G_MAXINT16, merge->table);
    layer->low_water = order;
  }
}

/* A layer's low-water mark is valid within one layer table: after a change
 * of the table, packets that wait at the sender may be sent in another
 * layer. */
static void
start_table (LmccMerge *merge, guint8 table, LmccTime deadline)
{
  guint i;

  merge->heard = TRUE;
  merge->table = table;
  merge->table_since = deadline;
  for (i = 0; i < merge->n_layers; i++)
    merge->layers[i].active = FALSE;
}

/* A packet with another table that was sent before the current table began
 * was only overtaken. */
static void
follow_table (LmccMerge *merge, guint8 table, LmccTime deadline)
{
  if (!merge->heard
      || (table != merge->table && deadline >= merge->table_since))
    start_table (merge, table, deadline);
  else if (table == merge->table)
    merge->table_since = MIN (merge->table_since, deadline);
}

/* Whether a packet is late without a recorded hole, because nobody waited
 * for it when its place passed. */
static gboolean
comes_unawaited (const LmccMerge *merge, const Layer *layer,
    const LmccHeader *header, gint64 order)
{
  return is_late (merge, header, order)
      && (!layer->active || layer->low_water <= order);
}

/**
 * lmcc_merge_push:
 * @merge: a merge
 * @packet: (transfer full): the next packet of its layer, in layer sequence
 *     order
 * @rtp: its parsed RTP header
 * @header: its header element
 * @order: its order number, extended beyond 2^16
 * @deadline: when it is output at the latest, whatever the other layers do
 * @lost_before: number of packets of the layer lost just before this one
 *
 * Takes a packet of any type. A packet that carries no video of a rung only
 * shows how far its layer has advanced. A layer takes part from its first
 * packet on. A packet whose place in the order has passed is dropped and
 * counted as late.
 */
void
lmcc_merge_push (LmccMerge *merge, LmccPacket *packet, const LmccRtp *rtp,
    const LmccHeader *header, gint64 order, LmccTime deadline,
    guint lost_before)
{
  Layer *layer = get_layer (merge, header->layer);

  if (order_is_lost (merge, header, order, deadline))
    restart_order (merge, order);
  follow_table (merge, header->table, deadline);
  if (!layer->heard)
    layer->table = header->table;
  /* The layer was heard before the table changed and has lost something
   * since. If no number lies in between, no media was lost. */
  if (lost_before > 0 && !(layer->active && layer->low_water == order))
    note_hole (layer, layer->low_water, order, lost_before, header->table);
  if (comes_unawaited (merge, layer, header, order))
    note_passed_hole (layer, order, 1, header->table);
  layer->heard = TRUE;
  layer->table = header->table;
  merge->n_layers = MAX (merge->n_layers, header->layer + 1u);
  /* The number does not yet show what the layer sends under the current
   * table. */
  if (!layer->active && header->table == merge->table) {
    layer->active = TRUE;
    layer->low_water = order;
  }

  /* Low-water marks or order numbers that go back are a sender's error. The
   * order number is used as it is, so that the merge never stalls. */
  if (header->type == LMCC_PACKET_MEDIA && header->stream < LMCC_MAX_RUNGS) {
    if (!is_late (merge, header, order) || layer->low_water <= order)
      layer->low_water = order + 1;
    queue_media (merge, layer, packet, rtp, header, order, deadline);
  } else {
    layer->low_water = order;
    lmcc_packet_unref (packet);
  }
}

static Layer *
find_next (LmccMerge *merge, Entry **next)
{
  Layer *best = NULL;
  guint i;

  *next = NULL;
  for (i = 0; i < merge->n_layers; i++) {
    Layer *layer = &merge->layers[i];
    Entry *entry = lmcc_ring_peek_head (&layer->entries);

    if (entry != NULL && (*next == NULL || entry->order < (*next)->order)) {
      *next = entry;
      best = layer;
    }
  }

  return best;
}

/* Whether no packet of @layer that precedes @order can arrive any more. */
static gboolean
has_passed (const Layer *layer, gint64 order)
{
  return !layer->active || layer->entries.length > 0
      || layer->low_water > order;
}

static gboolean
passed_by_all (const LmccMerge *merge, gint64 order)
{
  guint i;

  for (i = 0; i < merge->n_layers; i++) {
    if (!has_passed (&merge->layers[i], order))
      return FALSE;
  }

  return TRUE;
}

/* If a packet is due before every layer has passed it, and numbers before it
 * are missing, the missing packets may belong to the layers that have not
 * passed it. */
static void
note_overtaken (LmccMerge *merge, gint64 order)
{
  guint i;

  if (order == merge->next_order)
    return;
  for (i = 0; i < merge->n_layers; i++) {
    Layer *layer = &merge->layers[i];

    if (!has_passed (layer, order)) {
      note_passed_hole (layer, merge->next_order, 1, merge->table);
      layer->low_water = order + 1;
    }
  }
}

static gboolean
hole_in_gap (const Hole *hole, gint64 gap_start, gint64 gap_end)
{
  if (hole->certain)
    return !hole->reported;
  if (hole->reported && hole->gap_end == gap_end)
    return FALSE;

  return gap_start != gap_end && hole->from < gap_end && hole->to > gap_start;
}

/* Outputs a hole that may lie among the order numbers skipped before @order,
 * and forgets holes that lie entirely before it: if none of their numbers
 * was skipped, no media was lost. */
static gboolean
pop_hole (LmccMerge *merge, gint64 order, LmccMergeItem *item)
{
  guint i;

  for (i = 0; i < merge->n_layers; i++) {
    Layer *layer = &merge->layers[i];
    Hole *hole;

    while ((hole = g_queue_peek_head (&layer->holes)) != NULL) {
      if (hole_in_gap (hole, merge->next_order, order)) {
        *item = (LmccMergeItem){
          .header.table = hole->table,
          .layer = i,
          .lost = hole->count,
          .table_changed = hole->table_changed,
        };
        hole->count = 0;
        hole->reported = TRUE;
        hole->gap_end = order;
        return TRUE;
      }
      if (!hole->certain && hole->to > order)
        break;
      g_free (g_queue_pop_head (&layer->holes));
    }
  }

  return FALSE;
}

/* Layers that were left at the same time end at different places. Numbers
 * missing before @order may belong to a layer that has ended. */
static gboolean
pop_end (LmccMerge *merge, gint64 order, LmccMergeItem *item)
{
  guint i;

  for (i = 0; i < merge->n_layers && order != merge->next_order; i++) {
    Layer *layer = &merge->layers[i];

    if (!layer->ended || layer->entries.length > 0 || layer->low_water >= order)
      continue;
    layer->low_water = order;
    *item = (LmccMergeItem){ .header.table = layer->table,
      .layer = i,
      .ended = TRUE };
    return TRUE;
  }

  return FALSE;
}

/**
 * lmcc_merge_pop:
 * @merge: a merge
 * @now: the time
 * @item: (out): the next packet in order, or a hole before it
 *
 * Returns: %FALSE if nothing is due yet
 */
gboolean
lmcc_merge_pop (LmccMerge *merge, LmccTime now, LmccMergeItem *item)
{
  Entry *next, entry;
  Layer *layer = find_next (merge, &next);
  gint64 order;

  if (layer == NULL)
    return FALSE;
  order = next->order;
  if (next->deadline > now && !passed_by_all (merge, order))
    return FALSE;

  if (!merge->started) {
    merge->started = TRUE;
    merge->next_order = order;
  }
  note_overtaken (merge, order);
  if (pop_hole (merge, order, item) || pop_end (merge, order, item))
    return TRUE;

  lmcc_ring_pop (&layer->entries, &entry);
  *item = (LmccMergeItem){
    .packet = entry.packet,
    .rtp = entry.rtp,
    .header = entry.header,
    .order = order,
    .layer = entry.header.layer,
  };
  merge->last_deadline = entry.deadline;
  merge->next_order = order + 1;

  return TRUE;
}

/**
 * lmcc_merge_peek:
 * @merge: a merge
 * @order: (out): the order number of the next packet, if there is one
 *
 * Returns: as lmcc_merge_next_timeout()
 */
LmccTime
lmcc_merge_peek (const LmccMerge *merge, gint64 *order)
{
  Entry *next;

  if (find_next ((LmccMerge *) merge, &next) == NULL)
    return LMCC_TIME_NONE;
  *order = next->order;

  return next->deadline;
}

/**
 * lmcc_merge_next_timeout:
 * @merge: a merge
 *
 * Returns: when the next packet is output even if a layer has not passed it, or
 * %LMCC_TIME_NONE
 */
LmccTime
lmcc_merge_next_timeout (const LmccMerge *merge)
{
  gint64 order;

  return lmcc_merge_peek (merge, &order);
}

/**
 * lmcc_merge_get_late:
 * @merge: a merge
 *
 * Returns: number of packets that arrived after their place in the order had
 * passed
 */
guint64
lmcc_merge_get_late (const LmccMerge *merge)
{
  return merge->late;
}
