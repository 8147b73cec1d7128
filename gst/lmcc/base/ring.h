/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_BASE_RING_H
#define LMCC_BASE_RING_H

#include <glib.h>

G_BEGIN_DECLS

/**
 * LmccRing:
 * @elements: (array length=size): from @first on, and around
 * @element_size: bytes of each
 * @size: elements that there is room for, a power of two, or 0
 * @first: index of the oldest
 * @length: elements that there are
 *
 * A queue of what has one size and lies in the queue itself: nothing is allocated
 * for an element. Elements move when others come or leave; a pointer to one holds
 * until then.
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
