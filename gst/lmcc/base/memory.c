/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "base/memory.h"

/* Overhead of the C library's malloc(), and the granularity to which it
 * rounds up (glibc on 64 bits). */
#define MALLOC_HEAD 8
#define MALLOC_GRAIN 16

struct _LmccMemory
{
  gatomicrefcount ref_count;
  gsize used; /* atomic */
};

/*
 * lmcc_memory_new:
 *
 * Returns: (transfer full): a counter of memory at zero
 */
LmccMemory *
lmcc_memory_new (void)
{
  LmccMemory *memory = g_new0 (LmccMemory, 1);

  g_atomic_ref_count_init (&memory->ref_count);

  return memory;
}

void
lmcc_memory_unref (LmccMemory *memory)
{
  if (g_atomic_ref_count_dec (&memory->ref_count))
    g_free (memory);
}

/*
 * lmcc_memory_get_used:
 * @memory: a counter of memory
 *
 * Returns: bytes in use
 */
gsize
lmcc_memory_get_used (LmccMemory *memory)
{
  return (gsize) g_atomic_pointer_get (&memory->used);
}

/*
 * lmcc_memory_cost:
 * @capacity: capacity of a packet, in bytes
 *
 * Returns: bytes that the packet takes, including a receiver's bookkeeping
 */
gsize
lmcc_memory_cost (gsize capacity)
{
  gsize size = sizeof (LmccPacket) + capacity + MALLOC_HEAD;

  return (size + MALLOC_GRAIN - 1) / MALLOC_GRAIN * MALLOC_GRAIN
      + LMCC_MEMORY_PER_PACKET;
}

/*
 * lmcc_memory_claim:
 * @memory: a counter of memory
 * @packet: a packet
 *
 * Counts a packet unless another counter counts it.
 *
 * Returns: whether @memory counts it now
 */
gboolean
lmcc_memory_claim (LmccMemory *memory, LmccPacket *packet)
{
  if (g_atomic_pointer_get (&packet->memory) == memory)
    return TRUE;
  if (!g_atomic_pointer_compare_and_exchange (&packet->memory, NULL, memory))
    return FALSE;
  g_atomic_ref_count_inc (&memory->ref_count);
  g_atomic_pointer_add (&memory->used,
      (gssize) lmcc_memory_cost (packet->capacity));

  return TRUE;
}

/*
 * lmcc_memory_release:
 * @packet: a packet that nobody else holds, or whose last reference is being
 *     released
 *
 * The packet no longer counts.
 */
void
lmcc_memory_release (LmccPacket *packet)
{
  LmccMemory *memory = packet->memory;

  if (memory == NULL)
    return;
  packet->memory = NULL;
  g_atomic_pointer_add (&memory->used,
      -(gssize) lmcc_memory_cost (packet->capacity));
  lmcc_memory_unref (memory);
}
