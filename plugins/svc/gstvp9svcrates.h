/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_VP9_SVC_RATES_H
#define GST_VP9_SVC_RATES_H

#include <gst/gst.h>

#include "gstvp9svcstructure.h"

G_BEGIN_DECLS

/* Shares of the temporal layers in a spatial layer's rate, for each of three temporal
 * layers. The lowest gets most, because four pictures depend on its quality. */
#define GST_VP9_SVC_TEMPORAL_SHARES \
  {                                 \
    0.6, 0.16, 0.24                 \
  }

gboolean gst_vp9_svc_rates_from_array (const GValue *array,
    const GstVp9SvcStructure *structure, guint *bitrates, GError **error);
guint64 gst_vp9_svc_rates_sum (const GValue *array);
void gst_vp9_svc_rates_scale (guint total, const GstVp9SvcStructure *structure,
    guint *bitrates);
void gst_vp9_svc_rates_split (guint total, const GstVp9SvcStructure *structure,
    guint *bitrates);

G_END_DECLS

#endif
