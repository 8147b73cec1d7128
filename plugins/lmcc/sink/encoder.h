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
 * @factory: name of the element
 * @pad: name of its source pads, one for each rung; a request pad if it contains a
 *     number
 * @encoded: caps of these pads
 * @origin: package or plugin that contains the element
 * @converts: whether it accepts all raw video; otherwise it gets a videoconvert
 * @sets_up: whether it has a signal encoder-setup, for encoders inside it
 * @set_distance: (nullable): sets the key-frame interval
 * @set_rates: sets the rates, unless the user has; returns the number of rungs, 0 for
 *     an error
 *
 * Describes an element that makes layers of raw video.
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
