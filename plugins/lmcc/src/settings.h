/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_SRC_SETTINGS_H
#define GST_LMCC_SRC_SETTINGS_H

#include <gst/lmcc/lmcc.h>

#include "common/properties.h"
#include "common/uri.h"

G_BEGIN_DECLS

/**
 * GstLmccSrcSettings:
 *
 * The values of the properties, in their own units. The struct owns the strings and
 * structures. gst_lmcc_properties_init() initializes it, and
 * gst_lmcc_properties_clear() frees its content.
 */
typedef struct
{
  gchar *address;
  gint port;
  gchar *multicast_iface;
  gchar *multicast_source;
  gchar *sdp;
  gint latency_profile;
  guint latency;
  guint64 timeout;
  gint max_level;
  guint64 max_bitrate;
  guint64 max_memory;
  gboolean allow_low_feedback_port;
  gint algorithm;
  GstStructure *algorithm_settings;
  gint rtt_mode;
  guint rtt;
  gint on_loss;
  gint source_policy;
  gboolean eos_on_bye;
  guint eos_timeout;
  gint num_buffers;
  gchar *codecs;
  gint buffer_size;
  guint stats_update_interval;
} GstLmccSrcSettings;

/* src/properties.c */
extern const GstLmccPropertyTable gst_lmcc_src_properties;
extern const GstLmccUriForm gst_lmcc_src_uri_form;

G_END_DECLS

#endif
