/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_VP9_SVC_ENC_PRIVATE_H
#define GST_VP9_SVC_ENC_PRIVATE_H

#include "gstvp9svccodec.h"
#include "gstvp9svcenc.h"

G_BEGIN_DECLS

/*
 * The object lock protects the properties, which set_property() writes. All other fields
 * belong to the streaming thread and its stream lock.
 */
struct _GstVp9SvcEnc
{
  GstVideoEncoder parent;

  gint mode;
  gboolean halved;
  gint target_bitrate;
  GValue layer_bitrates;
  gboolean scaled; /* target_bitrate was set after layer_bitrates */
  guint keyframe_max_dist;
  guint switch_distance;
  GstVp9SvcSettings
      settings; /* without the rates, which come from the fields above */
  gboolean settings_changed;

  GstVp9SvcStructure structure;
  GstVp9SvcCodec *codec;
  GstVideoCodecState *input_state;
  gboolean layered; /* one buffer for each layer frame */
  gboolean key_wanted;
  guint position;     /* pictures since the last key frame */
  guint since_switch; /* pictures since the upper layers' last switch point */
};

void gst_vp9_svc_enc_install_properties (GObjectClass *object_class);
void gst_vp9_svc_enc_init_properties (GstVp9SvcEnc *self);

G_END_DECLS

#endif
