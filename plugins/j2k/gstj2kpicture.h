/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_J2K_PICTURE_H
#define GST_J2K_PICTURE_H

#include <gst/video/video.h>

#include "gstj2kcodestream.h"

G_BEGIN_DECLS

/**
 * GstJ2kPictureSettings:
 * @n_layers: 1 to %GST_J2K_MAX_LAYERS
 * @sizes: for each layer the size in bytes of a picture with all layers up to it
 * @n_resolutions: at least 1
 * @n_threads: at least 1
 */
typedef struct
{
  guint n_layers;
  guint sizes[GST_J2K_MAX_LAYERS];
  guint n_resolutions;
  guint n_threads;
} GstJ2kPictureSettings;

guint
gst_j2k_picture_fit_resolutions (const GstVideoInfo *info, guint n_resolutions);
guint gst_j2k_picture_smallest (const GstVideoInfo *info, guint n_resolutions,
    guint layer);
guint gst_j2k_picture_largest (const GstVideoInfo *info);
void gst_j2k_picture_fit_sizes (const GstVideoInfo *info,
    GstJ2kPictureSettings *settings);
GByteArray *gst_j2k_picture_encode (const GstJ2kPictureSettings *settings,
    const GstVideoFrame *frame, GError **error);

G_END_DECLS

#endif
