/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_BASE_RING_H
#define LMCC_BASE_RING_H

#include <glib.h>

G_BEGIN_DECLS

/**
 * LmccRing:
 * @elements: (array length=size): the elements from @first on, wrapping around
 * @element_size: size of an element in bytes
 * @size: capacity in elements, a power of two, or 0
 * @first: index of the oldest element
 * @length: number of elements
 *
 * A queue that stores elements of one size in place, without an allocation per element.
 * Elements move when others are added or removed; a pointer to an element is valid until
 * then.
 */
typedef struct
{
  guint8 *elements;
  gsize element_size;
  guint size;
  guint first;
  guint length;
} LmccRing;

void lmcc_ring_init (LmccRing *ring, gsize element_size);
void lmcc_ring_clear (LmccRing *ring);
gpointer lmcc_ring_push (LmccRing *ring);
gpointer lmcc_ring_peek_head (const LmccRing *ring);
gpointer lmcc_ring_peek_tail (const LmccRing *ring);
gboolean lmcc_ring_pop (LmccRing *ring, gpointer element);

G_END_DECLS

#endif
