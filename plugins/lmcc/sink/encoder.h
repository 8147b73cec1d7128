/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_SINK_ENCODER_H
#define GST_LMCC_SINK_ENCODER_H

#include <gst/gst.h>

#include <gst/lmcc/lmcc.h>
#include <plugins/common/ladder.h>

#include "sink/settings.h"

G_BEGIN_DECLS

/**
 * GstLmccSinkEncoder:
 * @factory: the element
 * @pad: its source pads, one for each rung; a request pad where it has a number
 * @encoded: the caps there
 * @origin: where to get the element
 * @converts: whether it takes all raw video; others get a videoconvert
 * @sets_up: whether it has a signal encoder-setup, for encoders inside
 * @set_distance: (nullable): sets the distance of key frames
 * @set_rates: sets the rates, where the user did not; returns how many rungs
 *     there are, 0 for an error
 *
 * What makes layers of raw video.
 */
typedef struct _GstLmccSinkEncoder GstLmccSinkEncoder;

struct _GstLmccSinkEncoder
{
  const gchar *factory;
  const gchar *pad;
  const gchar *encoded;
  const gchar *origin;
  gboolean converts;
  gboolean sets_up;
  void (*set_distance) (GstElement *element, const LmccPicture *picture,
      const GstLmccSinkSettings *settings);
  LmccTime (*get_distance) (GstElement *element, const LmccPicture *picture);
  guint (*set_rates) (GstElement *element, const LmccPicture *picture,
      const GstLmccSinkSettings *settings, GError **error);
};

const GstLmccSinkEncoder *gst_lmcc_sink_encoder_find (gint codec);
guint gst_lmcc_sink_encoder_set_up (const GstLmccSinkEncoder *encoder,
    GstElement *element, GstCaps *caps, const GstLmccSinkSettings *settings,
    LmccTime *key_distance, GError **error);

G_END_DECLS

#endif
