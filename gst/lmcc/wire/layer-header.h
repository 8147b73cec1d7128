/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_WIRE_LAYER_HEADER_H
#define LMCC_WIRE_LAYER_HEADER_H

#include <gst/lmcc/lmcc-packet.h>

G_BEGIN_DECLS

/* Size of the data of the library's RTP header-extension element: the maximum of the
 * one-byte form (RFC 8285 section 4.2). */
#define LMCC_HEADER_SIZE 16

/* The only version of the element so far. Not 0, so that zeros are not valid. */
#define LMCC_HEADER_VERSION 1

/* The name in a=extmap. */
#define LMCC_HEADER_URI "urn:x-lmcc:layer"

/* The identifier that lmccsink gives the element (RFC 8285: 1 to 14). */
#define LMCC_HEADER_DEFAULT_ID 1

void
lmcc_header_write (const LmccHeader *header, guint8 data[LMCC_HEADER_SIZE]);
gboolean lmcc_header_parse (const guint8 *data, gsize size, LmccHeader *header);

guint32 lmcc_time_to_ntp_short (LmccTime ntp_time);
gint64 lmcc_ntp_short_diff (guint32 a, guint32 b);

G_END_DECLS

#endif
