/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sender/repair-blocks.h"

#include "wire/rtp-payload.h"

#include <string.h>

static void
free_group (gpointer data)
{
  LmccRepairGroup *group = data;

  g_ptr_array_unref (group->packets);
  g_free (group);
}

static void
free_item (gpointer data)
{
  LmccRepairItem *item = data;

  lmcc_packet_unref (item->payload);
  g_free (item);
}

/*
 * lmcc_repairer_init:
 * @repairer: (out): the repairer
 * @loss_rate: as lmcc_repair_plan_new() has it
 * @burst: likewise
 * @udp_overhead: bytes of an IP packet above those of the RTP packet
 * @rtp_overhead: bytes of an RTP packet above those of its payload
 */
void
lmcc_repairer_init (LmccRepairer *repairer, gdouble loss_rate, gdouble burst,
    gsize udp_overhead, gsize rtp_overhead)
{
  guint i;

  memset (repairer, 0, sizeof (*repairer));
  repairer->plan = lmcc_repair_plan_new (loss_rate, burst);
  repairer->udp_overhead = udp_overhead;
  repairer->rtp_overhead = rtp_overhead;
  repairer->groups = g_ptr_array_new_with_free_func (free_group);
  repairer->pieces = g_array_new (FALSE, FALSE, sizeof (LmccRepairPiece));
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
  g_array_unref (repairer->pieces);
  g_clear_pointer (&repairer->plan, lmcc_repair_plan_free);
}

/*
 * lmcc_repairer_flush:
 * @repairer: a repairer
 *
 * Forgets all packets, those that wait and those that are planned.
 */
void
lmcc_repairer_flush (LmccRepairer *repairer)
{
  guint i;

  g_ptr_array_set_size (repairer->groups, 0);
  g_array_set_size (repairer->pieces, 0);
  repairer->first_group = 0;
  for (i = 0; i < LMCC_MAX_LAYERS; i++) {
    g_queue_clear_full (&repairer->items[i], free_item);
    repairer->owed[i] = 0;
  }
}

/*
 * lmcc_repairer_begin:
 * @repairer: a repairer
 * @window: number of the window that is in hand from now on
 * @deadline: when its repair has to be over
 */
void
lmcc_repairer_begin (LmccRepairer *repairer, guint window, LmccTime deadline)
{
  repairer->first_group = repairer->groups->len;
  g_array_set_size (repairer->pieces, 0);
  repairer->window = window;
  repairer->deadline = deadline;
}

/*
 * lmcc_repairer_cancel:
 * @repairer: a repairer with a window in hand of which nothing was sent
 *
 * Forgets that window.
 */
void
lmcc_repairer_cancel (LmccRepairer *repairer)
{
  g_ptr_array_set_size (repairer->groups, (gint) repairer->first_group);
  g_array_set_size (repairer->pieces, 0);
}

static LmccRepairGroup *
get_group (const LmccRepairer *repairer, guint i)
{
  return g_ptr_array_index (repairer->groups, i);
}

/* The group of the window in hand that takes the next packet: the last one of
 * its stream and layer, as the packets of a group are in a row. */
static guint
find_group (LmccRepairer *repairer, guint stream, guint layer)
{
  LmccRepairGroup *group;
  guint i;

  for (i = repairer->groups->len; i > repairer->first_group; i--) {
    group = get_group (repairer, i - 1);
    if (group->stream == stream && group->layer == layer) {
      if (group->n < LMCC_REPAIRER_MAX_GROUP)
        return i - 1;
      break;
    }
  }

  group = g_new0 (LmccRepairGroup, 1);
  group->stream = stream;
  group->layer = layer;
  group->window = repairer->window;
  group->deadline = repairer->deadline;
  group->packets =
      g_ptr_array_new_with_free_func ((GDestroyNotify) lmcc_packet_unref);
  g_ptr_array_add (repairer->groups, group);

  return repairer->groups->len - 1;
}

/* @size is that of the RTP packet on the wire. */
static void
count_packet (LmccRepairer *repairer, const LmccRepairPiece *piece, guint layer,
    gsize size)
{
  guint number = find_group (repairer, piece->stream, layer);
  LmccRepairGroup *group = get_group (repairer, number);
  LmccRepairPiece *last = NULL;
  guint i;

  for (i = repairer->pieces->len; i > 0 && last == NULL; i--) {
    last = &g_array_index (repairer->pieces, LmccRepairPiece, i - 1);
    if (last->group != number)
      last = NULL;
  }
  if (last == NULL || !piece->continued) {
    g_array_append_val (repairer->pieces, *piece);
    last = &g_array_index (repairer->pieces, LmccRepairPiece,
        repairer->pieces->len - 1);
    last->group = number;
    last->first = group->n;
    last->n = 0;
  }
  last->n++;
  group->n++;
  group->largest = MAX (group->largest, size);
}

/*
 * lmcc_repairer_expect:
 * @repairer: a repairer
 * @queued: of the window in hand; those of a layer in the order in which it
 *     sends them
 * @first: the first of its packets that @layer sends
 * @n: how many that are
 * @layer: a layer
 */
void
lmcc_repairer_expect (LmccRepairer *repairer, const LmccQueuedUnit *queued,
    guint first, guint n, guint layer)
{
  const LmccUnit *unit = queued->unit;
  LmccRepairPiece piece = { unit->stream, unit->klass, unit->switch_point,
    queued->continued || first > 0,
    queued->more || first + n < unit->packets->len,
    (guint16) (queued->osn + first) };
  guint i;

  for (i = first; i < first + n; i++) {
    LmccPacket *packet = g_ptr_array_index (unit->packets, i);
    gsize payload_size;

    lmcc_rtp_find_payload (packet, &payload_size);
    count_packet (repairer, &piece, layer,
        repairer->rtp_overhead + payload_size);
    piece.continued = TRUE;
  }
}

/*
 * lmcc_repairer_add_sent:
 * @repairer: a repairer
 * @allotment: what the packet is of
 * @layer: that sends it
 * @packet: as it leaves; a reference is taken
 *
 * The packet is one of the window in hand, which has no plan yet.
 */
void
lmcc_repairer_add_sent (LmccRepairer *repairer, const LmccAllotment *allotment,
    guint layer, LmccPacket *packet)
{
  LmccRepairPiece piece = { allotment->stream, allotment->klass,
    allotment->switch_point, !allotment->first, FALSE, allotment->osn };
  guint number = find_group (repairer, allotment->stream, layer);

  count_packet (repairer, &piece, layer, packet->size);
  g_ptr_array_add (get_group (repairer, number)->packets,
      lmcc_packet_ref (packet));
}

/*
 * lmcc_repairer_get_repair_size:
 * @repairer: a repairer
 * @group: a group
 *
 * Returns: bytes of an IP packet with its repair
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
    GPtrArray *payloads)
{
  guint carrier = group->carriers[block], i;

  for (i = 0; i < payloads->len; i++) {
    LmccRepairItem *item = g_new0 (LmccRepairItem, 1);

    item->payload = lmcc_packet_ref (g_ptr_array_index (payloads, i));
    item->size = lmcc_repairer_get_repair_size (repairer, group);
    item->window = group->window;
    item->deadline = group->deadline;
    g_queue_push_tail (&repairer->items[carrier], item);
  }
}

static void
encode_group (LmccRepairer *repairer, const LmccRepairGroup *group)
{
  g_autofree LmccPacket **packets = g_new (LmccPacket *, group->packets->len);
  guint block;

  for (block = 0; block < group->depth; block++) {
    g_autoptr (GPtrArray) payloads = NULL;
    guint n = 0, i;

    if (group->n_repair[block] == 0)
      continue;
    for (i = block; i < group->packets->len; i += group->depth)
      packets[n++] = g_ptr_array_index (group->packets, i);
    payloads =
        lmcc_repair_encode (packets, n, group->depth, group->n_repair[block]);
    g_return_if_fail (payloads != NULL);
    push_items (repairer, group, block, payloads);
    repairer->n_blocks++;
  }
}

/*
 * lmcc_repairer_note_sent:
 * @repairer: a repairer
 * @stream: a stream
 * @layer: a layer
 * @packet: their next packet, as it leaves; a reference is taken
 *
 * With the last packet of a group its repair packets wait in their layers.
 */
void
lmcc_repairer_note_sent (LmccRepairer *repairer, guint stream, guint layer,
    LmccPacket *packet)
{
  guint i;

  for (i = 0; i < repairer->groups->len; i++) {
    LmccRepairGroup *group = get_group (repairer, i);

    if (group->stream != stream || group->layer != layer
        || group->packets->len == group->n)
      continue;
    g_ptr_array_add (group->packets, lmcc_packet_ref (packet));
    if (group->packets->len == group->n) {
      encode_group (repairer, group);
      g_ptr_array_remove_index (repairer->groups, i);
    }
    return;
  }
}

/*
 * lmcc_repairer_encode_sent:
 * @repairer: a repairer whose window in hand is planned, and all of it sent
 */
void
lmcc_repairer_encode_sent (LmccRepairer *repairer)
{
  guint i;

  for (i = 0; i < repairer->groups->len; i++)
    encode_group (repairer, get_group (repairer, i));
  g_ptr_array_set_size (repairer->groups, 0);
  repairer->first_group = 0;
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
 * @duration: how long what waits without a time may take
 *
 * Each layer's are spread evenly, one block after the other.
 */
void
lmcc_repairer_spread (LmccRepairer *repairer, LmccTime now, LmccTime duration)
{
  guint i;

  for (i = 0; i < LMCC_MAX_LAYERS; i++)
    spread_layer (&repairer->items[i], now, duration);
}

/*
 * lmcc_repairer_take:
 * @repairer: a repairer
 * @layer: a layer in which a packet waits
 *
 * Returns: (transfer full): the next payload
 */
LmccPacket *
lmcc_repairer_take (LmccRepairer *repairer, guint layer)
{
  LmccRepairItem *item = g_queue_pop_head (&repairer->items[layer]);
  LmccPacket *payload = item->payload;

  repairer->owed[layer] -= MIN (repairer->owed[layer], item->size);
  g_free (item);

  return payload;
}
