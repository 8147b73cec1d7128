/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_VP9_SVC_CODEC_H
#define GST_VP9_SVC_CODEC_H

#include <gst/video/video.h>

#include "gstvp9svcstructure.h"

G_BEGIN_DECLS

/**
 * GstVp9SvcSettings:
 * @bitrates: rate of each layer frame class alone (bit/s), spatial layers outermost:
 *     S0T0, S0T1, ... S1T0, ...
 * @cpu_used: speed, 5 (best) to 9 (fastest)
 * @threads: at least 1
 * @min_quantizer: 0 to 63
 * @max_quantizer: 0 to 63
 *
 * Settings that can change between pictures.
 */
typedef struct
{
  guint bitrates[GST_VP9_SVC_MAX_LAYERS];
  gint cpu_used;
  guint threads;
  guint min_quantizer;
  guint max_quantizer;
} GstVp9SvcSettings;

/**
 * GstVp9SvcCodec:
 *
 * libvpx's encoder with the references of a #GstVp9SvcStructure.
 */
typedef struct _GstVp9SvcCodec GstVp9SvcCodec;

GstVp9SvcCodec *gst_vp9_svc_codec_new (const GstVp9SvcStructure *structure,
    const GstVideoInfo *info, const GstVp9SvcSettings *settings,
    GError **error);
void gst_vp9_svc_codec_free (GstVp9SvcCodec *codec);
gboolean gst_vp9_svc_codec_set_settings (GstVp9SvcCodec *codec,
    const GstVp9SvcSettings *settings, GError **error);
gboolean
gst_vp9_svc_codec_encode (GstVp9SvcCodec *codec, GstVideoFrame *picture,
    GstClockTime pts, GstClockTime duration, const GstVp9SvcLayerFrame *frames,
    gboolean key, GstBuffer **buffers, GError **error);
GstBuffer *gst_vp9_svc_codec_join (GstBuffer **buffers, guint n_buffers);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstVp9SvcCodec, gst_vp9_svc_codec_free)

G_END_DECLS

#endif
