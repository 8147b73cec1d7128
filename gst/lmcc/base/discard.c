/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "base/discard.h"

typedef struct
{
  gpointer object;
  LmccDiscardFunc free_piece;
} Item;

/*
 * lmcc_discard_add:
 * @discard: (nullable): the queue of objects to free; %NULL: free at once
 * @object: (transfer full): an object that is no longer needed
 * @free_piece: frees a piece of it
 */
void
lmcc_discard_add (LmccDiscard *discard, gpointer object,
    LmccDiscardFunc free_piece)
{
  Item *item;

  if (discard == NULL) {
    while (free_piece (object) > 0)
      ;
    return;
  }
  item = g_new (Item, 1);
  item->object = object;
  item->free_piece = free_piece;
  g_queue_push_tail (&discard->items, item);
}

static guint
free_packet (gpointer object)
{
  GPtrArray *packets = object;

  if (packets->len == 0) {
    g_ptr_array_unref (packets);
    return 0;
  }
  lmcc_packet_unref (g_ptr_array_remove_index_fast (packets, packets->len - 1));

  return 1;
}

/*
 * lmcc_discard_add_packets:
 * @discard: (nullable): as in lmcc_discard_add()
 * @packets: (transfer full) (element-type LmccPacket): packets, each with a
 *     reference to release
 */
void
lmcc_discard_add_packets (LmccDiscard *discard, GPtrArray *packets)
{
  lmcc_discard_add (discard, packets, free_packet);
}

gboolean
lmcc_discard_is_empty (const LmccDiscard *discard)
{
  return discard->items.head == NULL;
}

/*
 * lmcc_discard_free_some:
 * @discard: the queue of objects to free
 * @n: least number of packets to free, with everything that belongs to them
 *
 * Returns: whether something is left to free
 */
gboolean
lmcc_discard_free_some (LmccDiscard *discard, guint n)
{
  guint freed = 0;

  while (freed < n && discard->items.head != NULL) {
    Item *item = discard->items.head->data;
    guint piece = item->free_piece (item->object);

    freed += piece;
    if (piece == 0)
      g_free (g_queue_pop_head (&discard->items));
  }

  return discard->items.head != NULL;
}

void
lmcc_discard_clear (LmccDiscard *discard)
{
  while (lmcc_discard_free_some (discard, G_MAXUINT))
    ;
}
