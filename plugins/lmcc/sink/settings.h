/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_SINK_SETTINGS_H
#define GST_LMCC_SINK_SETTINGS_H

#include <gst/lmcc/lmcc.h>

#include "common/profiles.h"
#include "common/properties.h"
#include "common/uri.h"
#include "sink/marks.h"

G_BEGIN_DECLS

/* Values of the property "repair" that are no shares: receivers' reports
 * decide, or the latency profile does. */
#define GST_LMCC_REPAIR_DEFAULT -1.0
#define GST_LMCC_REPAIR_AUTO -2.0

/**
 * GstLmccSinkProperties:
 *
 * The values of the properties, in their own units. The struct owns the strings and
 * structures. gst_lmcc_properties_init() initializes it, and
 * gst_lmcc_properties_clear() frees its content.
 */
typedef struct
{
  gchar *address;
  gchar *multicast_iface;
  gchar *bind_address;
  gint bind_port;
  GObject *socket;
  gboolean close_socket;
  gchar *sdp_location;
  gchar *session_name;
  gint port;
  gint ttl_mc;
  gboolean loop;
  gint qos_dscp;
  gint buffer_size;
  guint max_burst;
  gint udp_segmentation;
  gint txtime;
  guint mtu;
  gint layering;
  gint levels;
  gint latency_profile;
  guint layers;
  guint64 base_rate;
  gdouble rate_factor;
  gchar *layer_rates;
  guint window;
  guint latency;
  gint algorithm;
  gint base_algorithm;
  GstStructure *algorithm_settings;
  guint rtt_max;
  gboolean drive_encoder;
  guint64 min_bitrate;
  guint64 max_bitrate;
  gboolean feedback;
  gint feedback_port;
  guint pt;
  gdouble repair;
  gdouble repair_base;
  gdouble repair_loss;
  gdouble repair_burst;
  guint repair_delay;
  gint train_interval;
  guint send_timeout;
  gboolean sync;
  guint rung_timeout;
  gint key_unit_interval;
  gint codec;
  GstStructure *encoder_settings;
  guint stats_update_interval;
} GstLmccSinkProperties;

/**
 * GstLmccSinkSettings:
 * @properties: the properties that they come from
 * @profile: settings of the latency profile, for properties that the user has not set
 * @window: ms; 0: it follows the key-frame interval
 * @address: base group
 * @may_move: whether another address may be used if this one is in use
 * @bind_address: local address, no family if none was set
 * @algorithm: name of the algorithm
 * @base_algorithm: name of the base algorithm
 * @marks: how packets are marked
 * @n_layers: number of layers with fixed rates, 0 for native layers
 * @rates: their rates, bit/s
 *
 * The meaning of the properties, after they were found valid.
 */
typedef struct
{
  GstLmccSinkProperties properties;
  const GstLmccProfileLayers *profile;
  guint window;
  LmccAddress address;
  gboolean may_move;
  LmccAddress bind_address;
  const gchar *algorithm;
  const gchar *base_algorithm;
  GstLmccSinkMarks marks;
  guint n_layers;
  guint64 rates[LMCC_MAX_LAYERS];
} GstLmccSinkSettings;

/* sink/properties.c */
extern const GstLmccPropertyTable gst_lmcc_sink_properties;
extern const GstLmccUriForm gst_lmcc_sink_uri_form;

gboolean gst_lmcc_sink_settings_read (GstLmccSinkSettings *settings,
    const GstLmccSinkProperties *properties, GError **error);
void gst_lmcc_sink_settings_clear (GstLmccSinkSettings *settings);
const GstLmccProfileLayers *
gst_lmcc_sink_properties_get_profile (const GstLmccSinkProperties *properties);
guint
gst_lmcc_sink_properties_get_repair (const GstLmccSinkProperties *properties);
gboolean gst_lmcc_sink_properties_is_repair_auto (
    const GstLmccSinkProperties *properties);
gint gst_lmcc_sink_properties_get_repair_base (
    const GstLmccSinkProperties *properties);

G_END_DECLS

#endif
