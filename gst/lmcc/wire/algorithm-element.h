/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_WIRE_ALGORITHM_ELEMENT_H
#define LMCC_WIRE_ALGORITHM_ELEMENT_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* Greatest size in the one-byte form (RFC 8285 section 4.2). */
#define LMCC_SECOND_ELEMENT_MAX_SIZE 16

/* The name in a=extmap. */
#define LMCC_SECOND_ELEMENT_URI "urn:x-lmcc:algorithm"

/* First byte of an element with synchronization points. */
#define LMCC_SECOND_ELEMENT_SYNCHRONIZED 1

/* First byte of an element with the packet's place in its slot. */
#define LMCC_SECOND_ELEMENT_PLACE 4

/* Kind and place. */
#define LMCC_PLACE_SIZE 2

/* Kind, and a bit for each level. */
#define LMCC_SYNCHRONIZED_MAX_SIZE (1 + LMCC_MAX_LAYERS / 8)

guint8 lmcc_second_element_id (guint8 element_id);
gsize lmcc_synchronized_write (guint64 levels, guint top_layer,
    guint8 data[LMCC_SYNCHRONIZED_MAX_SIZE]);
gboolean lmcc_synchronized_parse (const guint8 *data, gsize size,
    guint top_layer, guint64 *levels);
void lmcc_place_write (gint place, guint8 data[LMCC_PLACE_SIZE]);
gint lmcc_place_parse (const guint8 *data, gsize size);

G_END_DECLS

#endif
