/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_SINK_ENCODER_H
#define GST_LMCC_SINK_ENCODER_H

#include <gst/gst.h>

#include <gst/lmcc/lmcc.h>
#include <plugins/common/ladder.h>

G_BEGIN_DECLS

/**
 * GstLmccSinkLadderSettings:
 * @codec: name of what encodes
 * @encoder: (nullable): properties of the encoder, as the user sets them
 * @n_layers: layers of fixed rates, 0 for native ones
 * @rates: their rates, bit/s
 * @window: ms, 0 for the default
 * @key_unit_interval: ms, 0 for the default
 * @mtu: largest RTP packet, ours included
 * @ip_overhead: bytes of IP and UDP headers
 *
 * What lmccsink's properties say about its encoders.
 */
typedef struct
{
  gchar *codec;
  GstStructure *encoder;
  guint n_layers;
  guint64 rates[LMCC_MAX_LAYERS];
  guint window;
  guint key_unit_interval;
  guint mtu;
  guint ip_overhead;
} GstLmccSinkLadderSettings;

/**
 * GstLmccSinkEncoder:
 * @name: as in lmccsink's property
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
  const gchar *name;
  const gchar *factory;
  const gchar *pad;
  const gchar *encoded;
  const gchar *origin;
  gboolean converts;
  gboolean sets_up;
  void (*set_distance) (GstElement * element, const LmccPicture * picture,
      const GstLmccSinkLadderSettings * settings);
  guint (*set_rates) (GstElement * element, const LmccPicture * picture,
      const GstLmccSinkLadderSettings * settings, GError ** error);
};

const GstLmccSinkEncoder *gst_lmcc_sink_encoder_find (const gchar * name,
    GError ** error);
guint gst_lmcc_sink_encoder_set_up (const GstLmccSinkEncoder * encoder,
    GstElement * element, GstCaps * caps,
    const GstLmccSinkLadderSettings * settings, GError ** error);
void gst_lmcc_sink_ladder_settings_clear (GstLmccSinkLadderSettings *
    settings);

G_END_DECLS

#endif
