/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_BASE_DISCARD_H
#define LMCC_BASE_DISCARD_H

#include <gst/lmcc/lmcc-packet.h>

G_BEGIN_DECLS

/**
 * LmccDiscardFunc:
 * @object: what is to be freed
 *
 * Frees a piece of @object; with the last one @object itself.
 *
 * Returns: how many packets went, 0 when all is freed
 */
typedef guint (*LmccDiscardFunc) (gpointer object);

/**
 * LmccDiscard:
 * @items: the oldest first
 *
 * What nobody needs any more and takes too long to free in one call: thousands
 * of packets.
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
