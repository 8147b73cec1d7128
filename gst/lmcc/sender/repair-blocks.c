/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sender/repair-blocks.h"

#include "wire/rtp-payload.h"

#include <string.h>

/* Number of packets freed at a time, and the work for each, in
 * multiplications: about 0.1 us. */
#define FREED_AT_ONCE 64
#define FREE_WORK G_GUINT64_CONSTANT (100)

static void
clear_group (gpointer data)
{
  g_ptr_array_unref (((LmccRepairGroup *) data)->packets);
}

static void
unref_group (gpointer group)
{
  g_rc_box_release_full (group, clear_group);
}

static void
init_window (LmccRepairWindow *window)
{
  window->groups = g_ptr_array_new_with_free_func (unref_group);
  window->pieces = g_array_new (FALSE, FALSE, sizeof (LmccRepairPiece));
}

static void
clear_window (LmccRepairWindow *window)
{
  g_clear_pointer (&window->groups, g_ptr_array_unref);
  g_clear_pointer (&window->pieces, g_array_unref);
}

static void
free_item (gpointer data)
{
  LmccRepairItem *item = data;

  lmcc_repair_encoder_unref (item->encoder);
  g_free (item);
}

/*
 * lmcc_repairer_init:
 * @repairer: (out): the repairer
 * @loss_rate: as in lmcc_repair_plan_new()
 * @burst: as in lmcc_repair_plan_new()
 * @udp_overhead: bytes by which an IP packet exceeds the RTP packet
 * @rtp_overhead: bytes by which an RTP packet exceeds its payload
 */
void
lmcc_repairer_init (LmccRepairer *repairer, gdouble loss_rate, gdouble burst,
    gsize udp_overhead, gsize rtp_overhead)
{
  guint i;

  memset (repairer, 0, sizeof (*repairer));
  repairer->plan = lmcc_repair_plan_new (loss_rate, burst);
  repairer->optimizer = lmcc_repair_optimizer_new (repairer->plan);
  repairer->udp_overhead = udp_overhead;
  repairer->rtp_overhead = rtp_overhead;
  repairer->groups = g_ptr_array_new_with_free_func (unref_group);
  init_window (&repairer->hand);
  repairer->job.rooms = g_array_new (FALSE, FALSE, sizeof (gsize));
  for (i = 0; i < LMCC_MAX_LAYERS; i++) {
    g_queue_init (&repairer->items[i]);
    repairer->needed_most[i] = TRUE;
  }
}

void
lmcc_repairer_clear (LmccRepairer *repairer)
{
  if (repairer->plan == NULL)
    return;
  lmcc_repairer_flush (repairer);
  g_ptr_array_unref (repairer->groups);
  clear_window (&repairer->hand);
  g_array_unref (repairer->job.rooms);
  lmcc_repair_optimizer_free (repairer->optimizer);
  g_clear_pointer (&repairer->plan, lmcc_repair_plan_free);
}

/*
 * lmcc_repairer_flush:
 * @repairer: a repairer
 *
 * Forgets all packets, both waiting and planned ones.
 */
void
lmcc_repairer_flush (LmccRepairer *repairer)
{
  guint i;

  g_ptr_array_set_size (repairer->groups, 0);
  g_ptr_array_set_size (repairer->hand.groups, 0);
  g_array_set_size (repairer->hand.pieces, 0);
  clear_window (&repairer->job.window);
  g_clear_pointer (&repairer->job.counts, g_free);
  repairer->job.active = FALSE;
  memset (repairer->runs, 0, sizeof (repairer->runs));
  for (i = 0; i < LMCC_MAX_LAYERS; i++) {
    g_queue_clear_full (&repairer->items[i], free_item);
    repairer->owed[i] = 0;
  }
}

/*
 * lmcc_repairer_begin:
 * @repairer: a repairer
 * @window: number of the window that is collected from now on
 * @deadline: when its repair must be finished
 */
void
lmcc_repairer_begin (LmccRepairer *repairer, guint window, LmccTime deadline)
{
  g_ptr_array_set_size (repairer->hand.groups, 0);
  g_array_set_size (repairer->hand.pieces, 0);
  repairer->number = window;
  repairer->deadline = deadline;
}

/*
 * lmcc_repairer_take_over:
 * @repairer: a repairer without a job
 *
 * The collected window becomes the job's.
 */
void
lmcc_repairer_take_over (LmccRepairer *repairer)
{
  clear_window (&repairer->job.window);
  repairer->job.window = repairer->hand;
  init_window (&repairer->hand);
}

/*
 * lmcc_repairer_release:
 * @repairer: a repairer whose job is planned
 *
 * Frees some of the data that the job's window no longer needs: the encoders
 * hold the packets of groups that have been sent.
 *
 * Returns: whether everything was freed
 */
gboolean
lmcc_repairer_release (LmccRepairer *repairer)
{
  GPtrArray *groups = repairer->job.window.groups;
  LmccRepairGroup *last;
  guint n_packets, n;

  if (groups->len == 0)
    return TRUE;
  last = g_ptr_array_index (groups, groups->len - 1);
  n_packets = last->packets->len;
  n = MIN (n_packets, FREED_AT_ONCE);
  if (last->released || n_packets == last->n) {
    last->released = TRUE;
    g_ptr_array_set_size (last->packets, (gint) (n_packets - n));
    repairer->plan->work += n * FREE_WORK;
    if (n < n_packets)
      return FALSE;
  }
  repairer->plan->work += FREE_WORK;
  g_ptr_array_set_size (groups, (gint) groups->len - 1);

  return FALSE;
}

static LmccRepairGroup *
get_group (const GPtrArray *groups, guint i)
{
  return g_ptr_array_index (groups, i);
}

static LmccRepairGroup *
new_group (const LmccRepairer *repairer, guint stream, guint layer)
{
  LmccRepairGroup *group = g_rc_box_new0 (LmccRepairGroup);

  group->stream = stream;
  group->layer = layer;
  group->window = repairer->number;
  group->deadline = repairer->deadline;
  group->last_piece = G_MAXUINT;
  group->packets =
      g_ptr_array_new_with_free_func ((GDestroyNotify) lmcc_packet_unref);

  return group;
}

/* The group of the collected window that takes the next packet: the last one
 * of its stream and layer, because the packets of a group are consecutive. */
static guint
find_group (LmccRepairer *repairer, guint stream, guint layer)
{
  GPtrArray *groups = repairer->hand.groups;
  guint i;

  for (i = groups->len; i > 0; i--) {
    const LmccRepairGroup *group = get_group (groups, i - 1);

    if (group->stream == stream && group->layer == layer) {
      if (group->n < LMCC_REPAIRER_MAX_GROUP)
        return i - 1;
      break;
    }
  }
  g_ptr_array_add (groups, new_group (repairer, stream, layer));

  return groups->len - 1;
}

/* The group contains @n packets of a unit; @size is that of the largest RTP
 * packet on the wire. */
static void
count_packets (LmccRepairer *repairer, const LmccRepairPiece *piece,
    guint number, guint n, gsize size)
{
  LmccRepairGroup *group = get_group (repairer->hand.groups, number);
  GArray *pieces = repairer->hand.pieces;
  LmccRepairPiece *last;

  if (group->last_piece == G_MAXUINT || !piece->continued) {
    g_array_append_val (pieces, *piece);
    group->last_piece = pieces->len - 1;
    last = &g_array_index (pieces, LmccRepairPiece, group->last_piece);
    last->group = number;
    last->first = group->n;
    last->n = 0;
  }
  last = &g_array_index (pieces, LmccRepairPiece, group->last_piece);
  last->n += n;
  group->n += n;
  group->largest = MAX (group->largest, size);
}

/*
 * lmcc_repairer_expect:
 * @repairer: a repairer
 * @queued: a unit of the collected window; units of a layer come in the order
 *     in which it sends them
 * @first: index of the first of its packets that @layer sends
 * @n: number of these packets
 * @layer: a layer
 *
 * All packets count with the size of the unit's largest one.
 */
void
lmcc_repairer_expect (LmccRepairer *repairer, const LmccQueuedUnit *queued,
    guint first, guint n, guint layer)
{
  const LmccUnit *unit = queued->unit;
  gsize size = queued->largest - repairer->udp_overhead;
  gboolean more = queued->more || first + n < unit->packets->len;
  LmccRepairPiece piece = { unit->stream, unit->klass, unit->switch_point,
    queued->continued || first > 0, FALSE, (guint16) (queued->osn + first) };

  while (n > 0) {
    guint number = find_group (repairer, unit->stream, layer);
    guint room =
        LMCC_REPAIRER_MAX_GROUP - get_group (repairer->hand.groups, number)->n;
    guint part = MIN (n, room);

    n -= part;
    piece.more = more || n > 0;
    count_packets (repairer, &piece, number, part, size);
    piece.continued = TRUE;
  }
}

/*
 * lmcc_repairer_add_sent:
 * @repairer: a repairer
 * @allotment: the properties of the packet
 * @layer: the layer that sends it
 * @packet: the packet as sent; a reference is taken
 *
 * Adds a packet of the collected window, which has no plan yet.
 */
void
lmcc_repairer_add_sent (LmccRepairer *repairer, const LmccAllotment *allotment,
    guint layer, LmccPacket *packet)
{
  LmccRepairPiece piece = { allotment->stream, allotment->klass,
    allotment->switch_point, !allotment->first, FALSE, allotment->osn };
  guint number = find_group (repairer, allotment->stream, layer);

  count_packets (repairer, &piece, number, 1, packet->size);
  g_ptr_array_add (get_group (repairer->hand.groups, number)->packets,
      lmcc_packet_ref (packet));
}

/*
 * lmcc_repairer_get_repair_size:
 * @repairer: a repairer
 * @group: a group
 *
 * Returns: size of an IP packet with repair data for @group, in bytes
 */
gsize
lmcc_repairer_get_repair_size (const LmccRepairer *repairer,
    const LmccRepairGroup *group)
{
  return repairer->udp_overhead + repairer->rtp_overhead
      + LMCC_REPAIR_HEADER_SIZE + LMCC_REPAIR_LENGTH_SIZE + group->largest;
}

static void
push_items (LmccRepairer *repairer, const LmccRepairGroup *group, guint block,
    LmccRepairEncoder *encoder)
{
  guint above, i, index = 0;

  for (above = 0; above < LMCC_REPAIR_MAX_CARRIERS; above++) {
    for (i = 0; i < group->parts[block][above]; i++) {
      LmccRepairItem *item = g_new0 (LmccRepairItem, 1);

      item->encoder = lmcc_repair_encoder_ref (encoder);
      item->index = index++;
      item->size = lmcc_repairer_get_repair_size (repairer, group);
      item->window = group->window;
      item->deadline = group->deadline;
      g_queue_push_tail (&repairer->items[group->layer + above], item);
    }
  }
}

/* The block's repair packets wait in their layers and are encoded when they
 * are sent. */
static void
repair_block (LmccRepairer *repairer, const LmccRepairGroup *group, guint block)
{
  LmccPacket *packets[LMCC_REPAIR_MAX_SYMBOLS];
  g_autoptr (LmccRepairEncoder) encoder = NULL;
  guint n = 0, i;

  if (group->n_repair[block] == 0)
    return;
  for (i = block; i < group->packets->len; i += group->depth)
    packets[n++] = g_ptr_array_index (group->packets, i);
  encoder = lmcc_repair_encoder_new (packets, n, group->depth,
      group->n_repair[block]);
  g_return_if_fail (encoder != NULL);
  lmcc_repair_encoder_set_parts (encoder, group->parts[block]);
  push_items (repairer, group, block, encoder);
  repairer->n_blocks++;
}

/*
 * lmcc_repairer_note_sent:
 * @repairer: a repairer
 * @stream: a stream
 * @layer: a layer
 * @packet: the next packet of @stream in @layer, as sent; a reference is taken
 *
 * After the last packet of a planned group, its repair packets wait in their
 * layers.
 */
void
lmcc_repairer_note_sent (LmccRepairer *repairer, guint stream, guint layer,
    LmccPacket *packet)
{
  guint i;

  for (i = 0; i < repairer->groups->len; i++) {
    LmccRepairGroup *group = get_group (repairer->groups, i);

    if (group->stream != stream || group->layer != layer)
      continue;
    g_ptr_array_add (group->packets, lmcc_packet_ref (packet));
    if (group->packets->len == group->n) {
      while (group->planned && group->n_repaired < group->depth)
        repair_block (repairer, group, group->n_repaired++);
      g_ptr_array_remove_index (repairer->groups, i);
    }
    return;
  }
}

/*
 * lmcc_repairer_note_planned:
 * @repairer: a repairer
 * @group: a group whose amount of repair data is known now
 *
 * Queues the repair packets of one of its blocks, if all of the block has been
 * sent.
 *
 * Returns: whether no further block can be queued
 */
gboolean
lmcc_repairer_note_planned (LmccRepairer *repairer, LmccRepairGroup *group)
{
  if (group->packets->len == group->n && group->n_repaired < group->depth) {
    repair_block (repairer, group, group->n_repaired++);
    return FALSE;
  }
  group->planned = TRUE;

  return TRUE;
}

static void
spread_layer (GQueue *items, LmccTime now, LmccTime duration)
{
  guint n = 0, k = 0;
  GList *l;

  for (l = items->head; l != NULL; l = l->next)
    n += ((LmccRepairItem *) l->data)->due == 0;
  for (l = items->head; l != NULL; l = l->next) {
    LmccRepairItem *item = l->data;

    if (item->due == 0)
      item->due = now + duration * (2 * k++ + 1) / (2 * n);
  }
}

/*
 * lmcc_repairer_spread:
 * @repairer: a repairer
 * @now: the time
 * @duration: time for sending the waiting packets that have no time yet
 *
 * The packets of each layer are spread evenly, one block after the other.
 */
void
lmcc_repairer_spread (LmccRepairer *repairer, LmccTime now, LmccTime duration)
{
  guint i;

  for (i = 0; i < LMCC_MAX_LAYERS; i++)
    spread_layer (&repairer->items[i], now, duration);
}

static LmccRepairItem *
pop_item (LmccRepairer *repairer, guint layer)
{
  LmccRepairItem *item = g_queue_pop_head (&repairer->items[layer]);

  repairer->owed[layer] -= MIN (repairer->owed[layer], item->size);

  return item;
}

/*
 * lmcc_repairer_take:
 * @repairer: a repairer
 * @layer: a layer with a waiting packet
 *
 * Returns: (transfer full): the next payload
 */
LmccPacket *
lmcc_repairer_take (LmccRepairer *repairer, guint layer)
{
  LmccRepairItem *item = pop_item (repairer, layer);
  LmccPacket *payload = lmcc_repair_encoder_make (item->encoder, item->index);

  free_item (item);

  return payload;
}

/*
 * lmcc_repairer_give_up:
 * @repairer: a repairer
 * @layer: a layer with a waiting packet
 *
 * Drops the next payload, which would be too late, and counts it.
 */
void
lmcc_repairer_give_up (LmccRepairer *repairer, guint layer)
{
  free_item (pop_item (repairer, layer));
  repairer->n_late++;
}
