/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_ENUMS_H
#define GST_LMCC_ENUMS_H

#include <gst/gst.h>
#include <gst/lmcc/lmcc.h>

G_BEGIN_DECLS

/* The value "auto" of GstLmccAlgorithm. For the source it means the algorithm that the
 * session announces. The other values are the numbers of the library's registry. */
#define GST_LMCC_ALGORITHM_AUTO 0

#define GST_TYPE_LMCC_ALGORITHM (gst_lmcc_algorithm_get_type ())
GType gst_lmcc_algorithm_get_type (void);
const gchar *gst_lmcc_algorithm_to_name (gint value);
gint gst_lmcc_algorithm_from_name (const gchar *name);

/* Its values have the same numbers. */
#define GST_TYPE_LMCC_BASE_ALGORITHM (gst_lmcc_base_algorithm_get_type ())
GType gst_lmcc_base_algorithm_get_type (void);

/* The value "native" of GstLmccLayering; the others are the rate schemes + 1. */
#define GST_LMCC_LAYERING_NATIVE 0

#define GST_TYPE_LMCC_LAYERING (gst_lmcc_layering_get_type ())
GType gst_lmcc_layering_get_type (void);

/* The values of GstLmccCodec. */
enum
{
  GST_LMCC_CODEC_H264 = 0,
  GST_LMCC_CODEC_VP9 = 1,
  GST_LMCC_CODEC_J2K = 2,
};

#define GST_TYPE_LMCC_CODEC (gst_lmcc_codec_get_type ())
GType gst_lmcc_codec_get_type (void);

/* The values of GstLmccLevels: those of LmccLevels. */
#define GST_TYPE_LMCC_LEVELS (gst_lmcc_levels_get_type ())
GType gst_lmcc_levels_get_type (void);

/* The values of GstLmccSegmentation. */
enum
{
  GST_LMCC_SEGMENTATION_AUTO = 0,
  GST_LMCC_SEGMENTATION_ON = 1,
  GST_LMCC_SEGMENTATION_OFF = 2,
};

#define GST_TYPE_LMCC_SEGMENTATION (gst_lmcc_segmentation_get_type ())
GType gst_lmcc_segmentation_get_type (void);

/* The values of GstLmccTxtime. */
enum
{
  GST_LMCC_TXTIME_AUTO = 0,
  GST_LMCC_TXTIME_ON = 1,
  GST_LMCC_TXTIME_OFF = 2,
};

#define GST_TYPE_LMCC_TXTIME (gst_lmcc_txtime_get_type ())
GType gst_lmcc_txtime_get_type (void);

#define GST_TYPE_LMCC_ON_LOSS (gst_lmcc_on_loss_get_type ())
GType gst_lmcc_on_loss_get_type (void);

#define GST_TYPE_LMCC_LATENCY_PROFILE (gst_lmcc_latency_profile_get_type ())
GType gst_lmcc_latency_profile_get_type (void);

#define GST_TYPE_LMCC_RTT_MODE (gst_lmcc_rtt_mode_get_type ())
GType gst_lmcc_rtt_mode_get_type (void);
const gchar *gst_lmcc_rtt_source_to_name (LmccRttSource source);

#define GST_TYPE_LMCC_SOURCE_POLICY (gst_lmcc_source_policy_get_type ())
GType gst_lmcc_source_policy_get_type (void);

G_END_DECLS

#endif
