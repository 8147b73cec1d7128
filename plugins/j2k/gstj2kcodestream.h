/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_J2K_CODESTREAM_H
#define GST_J2K_CODESTREAM_H

#include <glib.h>

G_BEGIN_DECLS

/* The number of classes of units. */
#define GST_J2K_MAX_LAYERS 16
#define GST_J2K_MAX_COMPONENTS 4

/* "FF D9", which ends every codestream. */
#define GST_J2K_EOC_SIZE 2

#define GST_J2K_ERROR (gst_j2k_error_quark ())
GQuark gst_j2k_error_quark (void);

/**
 * GstJ2kCodestream:
 * @width: width of the picture, in samples of the reference grid
 * @height: height, likewise
 * @n_components: 1 to 4
 * @dx: horizontal distance of the components' samples on the grid
 * @dy: vertical distance, likewise
 * @colour_transform: whether the components are RGB
 * @n_layers: number of layers in the main header
 * @n_layers_at: offset of that number, which has 16 bits
 * @header_size: size of the main header in bytes: offset of the first tile-part
 * @data_at: offset of the first packet; 0 if the codestream cannot be split into layers
 *
 * The headers of a codestream (ISO/IEC 15444-1 annex A). It can be split if it has one
 * tile in one tile-part, the progression order by layers and SOP markers, and no
 * markers that count packets or bytes.
 */
typedef struct
{
  guint width;
  guint height;
  guint n_components;
  guint8 dx[GST_J2K_MAX_COMPONENTS];
  guint8 dy[GST_J2K_MAX_COMPONENTS];
  gboolean colour_transform;
  guint n_layers;
  gsize n_layers_at;
  gsize header_size;
  gsize data_at;
} GstJ2kCodestream;

gboolean gst_j2k_codestream_parse (GstJ2kCodestream *codestream,
    const guint8 *data, gsize size, GError **error);
gsize gst_j2k_codestream_next_packet (const guint8 *data, gsize size, gsize at);
guint gst_j2k_codestream_count_packets (const GstJ2kCodestream *codestream,
    const guint8 *data, gsize size);
gboolean gst_j2k_codestream_find_layers (const GstJ2kCodestream *codestream,
    const guint8 *data, gsize size, gsize ends[GST_J2K_MAX_LAYERS]);
gboolean gst_j2k_codestream_is_whole (const guint8 *data, gsize size);
void gst_j2k_codestream_close (const GstJ2kCodestream *codestream,
    GByteArray *bytes, guint n_layers);

G_END_DECLS

#endif
