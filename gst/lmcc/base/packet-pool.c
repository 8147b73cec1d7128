/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One thread takes packets, and any thread returns them. Returned packets
 * are pushed onto a list by compare and exchange. The taking thread removes
 * that list as a whole, so no link is read that another thread may change
 * meanwhile.
 */
#include "base/packet-pool.h"

struct _LmccPacketPool
{
  gatomicrefcount ref_count; /* of the owner, and of each packet in use */
  gint room;                 /* atomic: number of packets that may still be
                              * returned */
  LmccPacket *returned;      /* atomic */
  LmccPacket *free;          /* used by the owner only */
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
 * @max_free: greatest number of packets kept for reuse
 *
 * Creates a pool for lmcc_packet_new_pooled().
 *
 * Returns: (transfer full): an empty pool
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
 * @pool: (transfer full): a pool; its packets may still be in use
 *
 * Frees a pool. The memory of packets that are still in use is freed when they
 * are released.
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

/* Returns: (nullable): a returned packet */
static LmccPacket *
take_free (LmccPacketPool *pool)
{
  LmccPacket *packet;

  if (pool->free == NULL)
    pool->free = take_returned (pool);
  packet = pool->free;
  if (packet != NULL) {
    pool->free = get_next (packet);
    /* The next packet has probably left the processor's cache. */
    __builtin_prefetch (pool->free, 1);
    g_atomic_int_inc (&pool->room);
  }

  return packet;
}

/*
 * lmcc_packet_pool_take:
 * @pool: a pool
 * @capacity: capacity of the wanted packet, in bytes
 *
 * The packet counts as one of the pool, even if the caller has to allocate it.
 *
 * Returns: (transfer full) (nullable): the memory of a returned packet
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
 * @packet: (transfer full): a packet of @pool without references
 *
 * Keeps the packet for reuse if there is room.
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
