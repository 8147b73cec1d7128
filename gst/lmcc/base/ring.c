/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "base/ring.h"

#include <string.h>

#define FIRST_SIZE 4

/* A larger ring shrinks when at most a quarter of it is in use, so that it
 * does not keep the memory of a burst for ever. */
#define KEPT_SIZE 32

static gpointer
get (const LmccRing *ring, guint index)
{
  return ring->elements
      + ((ring->first + index) & (ring->size - 1)) * ring->element_size;
}

static void
resize (LmccRing *ring, guint size)
{
  guint8 *elements = g_malloc_n (size, ring->element_size);
  guint n = MIN (ring->length, ring->size - ring->first);

  if (n > 0)
    memcpy (elements, get (ring, 0), n * ring->element_size);
  if (ring->length > n)
    memcpy (elements + n * ring->element_size, ring->elements,
        (ring->length - n) * ring->element_size);
  g_free (ring->elements);
  ring->elements = elements;
  ring->size = size;
  ring->first = 0;
}

/*
 * lmcc_ring_init:
 * @ring: (out): an empty ring
 * @element_size: size of an element in bytes
 */
void
lmcc_ring_init (LmccRing *ring, gsize element_size)
{
  *ring = (LmccRing){ .element_size = element_size };
}

/*
 * lmcc_ring_clear:
 * @ring: a ring; the caller first frees what its elements own
 */
void
lmcc_ring_clear (LmccRing *ring)
{
  g_clear_pointer (&ring->elements, g_free);
  ring->size = ring->first = ring->length = 0;
}

/*
 * lmcc_ring_push:
 * @ring: a ring
 *
 * Returns: (transfer none): a new element at the end, all zeros
 */
gpointer
lmcc_ring_push (LmccRing *ring)
{
  if (ring->length == ring->size)
    resize (ring, MAX (2 * ring->size, FIRST_SIZE));
  ring->length++;

  return memset (get (ring, ring->length - 1), 0, ring->element_size);
}

/*
 * lmcc_ring_peek_head:
 * @ring: a ring
 *
 * Returns: (transfer none) (nullable): the oldest element
 */
gpointer
lmcc_ring_peek_head (const LmccRing *ring)
{
  return ring->length > 0 ? get (ring, 0) : NULL;
}

/*
 * lmcc_ring_peek_tail:
 * @ring: a ring
 *
 * Returns: (transfer none) (nullable): the newest element
 */
gpointer
lmcc_ring_peek_tail (const LmccRing *ring)
{
  return ring->length > 0 ? get (ring, ring->length - 1) : NULL;
}

/*
 * lmcc_ring_pop:
 * @ring: a ring
 * @element: (out caller-allocates): the oldest element, which is removed
 *
 * Returns: %FALSE if there is none
 */
gboolean
lmcc_ring_pop (LmccRing *ring, gpointer element)
{
  if (ring->length == 0)
    return FALSE;
  memcpy (element, get (ring, 0), ring->element_size);
  ring->first = (ring->first + 1) & (ring->size - 1);
  ring->length--;
  if (ring->size > KEPT_SIZE && ring->length <= ring->size / 4)
    resize (ring, ring->size / 2);

  return TRUE;
}
