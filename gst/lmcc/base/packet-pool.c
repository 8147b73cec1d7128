/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One thread takes packets, any thread gives them back. What is given back is
 * put in front of a list by compare and exchange; who takes removes that list
 * as a whole, so that no link is read that another thread may change meanwhile.
 */
#include "base/packet-pool.h"

struct _LmccPacketPool
{
  gatomicrefcount ref_count; /* of the owner, and of each packet in use */
  gint room;                 /* atomic: packets that may still be put back */
  LmccPacket *returned;      /* atomic */
  LmccPacket *free;          /* the owner's */
};

static LmccPacket *
get_next (const LmccPacket *packet)
{
  return packet->memory;
}

static void
free_list (LmccPacket *list)
{
  while (list != NULL) {
    LmccPacket *next = get_next (list);

    g_free (list);
    list = next;
  }
}

static void
unref (LmccPacketPool *pool)
{
  if (!g_atomic_ref_count_dec (&pool->ref_count))
    return;
  free_list (pool->returned);
  free_list (pool->free);
  g_free (pool);
}

/**
 * lmcc_packet_pool_new:
 * @max_free: most packets that are kept for later
 *
 * Returns: (transfer full): a pool that keeps none yet
 */
LmccPacketPool *
lmcc_packet_pool_new (guint max_free)
{
  LmccPacketPool *pool = g_new0 (LmccPacketPool, 1);

  g_atomic_ref_count_init (&pool->ref_count);
  pool->room = (gint) MIN (max_free, G_MAXINT);

  return pool;
}

/**
 * lmcc_packet_pool_free:
 * @pool: (transfer full): a pool; its packets may be in use
 */
void
lmcc_packet_pool_free (LmccPacketPool *pool)
{
  free_list (g_steal_pointer (&pool->free));
  g_atomic_int_set (&pool->room, 0);
  unref (pool);
}

static LmccPacket *
take_returned (LmccPacketPool *pool)
{
  LmccPacket *list;

  do {
    list = g_atomic_pointer_get (&pool->returned);
  } while (list != NULL
      && !g_atomic_pointer_compare_and_exchange (&pool->returned, list, NULL));

  return list;
}

/* Returns: (nullable): a packet that was used before */
static LmccPacket *
take_free (LmccPacketPool *pool)
{
  LmccPacket *packet;

  if (pool->free == NULL)
    pool->free = take_returned (pool);
  packet = pool->free;
  if (packet != NULL) {
    pool->free = get_next (packet);
    g_atomic_int_inc (&pool->room);
  }

  return packet;
}

/*
 * lmcc_packet_pool_take:
 * @pool: a pool
 * @capacity: of the packet that is wanted, in bytes
 *
 * The packet counts as one of the pool, whoever makes it.
 *
 * Returns: (transfer full) (nullable): the memory of a packet that was used
 *     before
 */
LmccPacket *
lmcc_packet_pool_take (LmccPacketPool *pool, gsize capacity)
{
  LmccPacket *packet;

  while ((packet = take_free (pool)) != NULL && packet->capacity != capacity)
    g_free (packet);
  g_atomic_ref_count_inc (&pool->ref_count);

  return packet;
}

/*
 * lmcc_packet_pool_put:
 * @pool: a pool
 * @packet: (transfer full): a packet of it without references
 *
 * Keeps the packet for later, where there is room for it.
 */
void
lmcc_packet_pool_put (LmccPacketPool *pool, LmccPacket *packet)
{
  if (g_atomic_int_add (&pool->room, -1) > 0) {
    do {
      packet->memory = g_atomic_pointer_get (&pool->returned);
    } while (!g_atomic_pointer_compare_and_exchange (&pool->returned,
        packet->memory, packet));
  } else {
    g_atomic_int_inc (&pool->room);
    g_free (packet);
  }
  unref (pool);
}
