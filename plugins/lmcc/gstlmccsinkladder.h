/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_SINK_LADDER_H
#define GST_LMCC_SINK_LADDER_H

#include <gst/gst.h>

#include "gstlmccsinkcore.h"

G_BEGIN_DECLS

/**
 * GstLmccSinkLadderSettings:
 * @codec: name of what encodes
 * @encoder: (nullable): properties of the ladder, as the user sets them
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
 * GstLmccSinkLadder:
 * The encoders inside lmccsink that make rungs of raw video.
 */
typedef struct _GstLmccSinkLadder GstLmccSinkLadder;

GstLmccSinkLadder *gst_lmcc_sink_ladder_new (GstBin * sink,
    GstLmccSinkCore * core, GstPad * core_pad, guint index, GstCaps * caps,
    const GstLmccSinkLadderSettings * settings, GCallback encoder_setup);
GstPad *gst_lmcc_sink_ladder_get_sink (GstLmccSinkLadder * ladder);
void gst_lmcc_sink_ladder_let_go (GstLmccSinkLadder * ladder);
void gst_lmcc_sink_ladder_free (GstLmccSinkLadder * ladder);
void gst_lmcc_sink_ladder_settings_clear (GstLmccSinkLadderSettings *
    settings);

G_END_DECLS

#endif
