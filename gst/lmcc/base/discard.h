/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_BASE_DISCARD_H
#define LMCC_BASE_DISCARD_H

#include <gst/lmcc/lmcc-packet.h>

G_BEGIN_DECLS

/**
 * LmccDiscardFunc:
 * @object: an object that is to be freed
 *
 * Frees a piece of @object; with the last piece, @object itself.
 *
 * Returns: number of packets freed, 0 when all is freed
 */
typedef guint (*LmccDiscardFunc) (gpointer object);

/**
 * LmccDiscard:
 * @items: the objects, the oldest first
 *
 * Objects that are no longer needed and would take too long to free in one call:
 * thousands of packets.
 */
typedef struct
{
  GQueue items;
} LmccDiscard;

void lmcc_discard_add (LmccDiscard *discard, gpointer object,
    LmccDiscardFunc free_piece);
void lmcc_discard_add_packets (LmccDiscard *discard, GPtrArray *packets);
gboolean lmcc_discard_is_empty (const LmccDiscard *discard);
gboolean lmcc_discard_free_some (LmccDiscard *discard, guint n);
void lmcc_discard_clear (LmccDiscard *discard);

G_END_DECLS

#endif
