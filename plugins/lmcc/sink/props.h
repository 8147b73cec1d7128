/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_SINK_PROPS_H
#define GST_LMCC_SINK_PROPS_H

#include <gst/gst.h>
#include <gst/lmcc/lmcc.h>

#include "common/enums.h"

G_BEGIN_DECLS

#define DEFAULT_ADDRESS "239.255.42.1"
#define DEFAULT_PORT 5004
#define DEFAULT_MULTICAST_IFACE NULL
#define DEFAULT_BIND_ADDRESS NULL
#define DEFAULT_TTL_MC 1
#define DEFAULT_LOOP TRUE
#define DEFAULT_QOS_DSCP -1
#define DEFAULT_BUFFER_SIZE 0
#define DEFAULT_MTU 1400
#define DEFAULT_LAYERING GST_LMCC_LAYERING_NATIVE
#define DEFAULT_LAYERS 6
#define DEFAULT_BASE_RATE 128000
#define DEFAULT_RATE_FACTOR 1.3
#define DEFAULT_LAYER_RATES NULL
#define DEFAULT_WINDOW 0
#define DEFAULT_LATENCY 0
#define DEFAULT_ALGORITHM "elm"
#define DEFAULT_BASE_ALGORITHM "none"
#define DEFAULT_RTT_MAX (LMCC_DEFAULT_RTT_MAX / LMCC_MSECOND)
#define DEFAULT_DRIVE_ENCODER FALSE
#define DEFAULT_MIN_BITRATE 64000
#define DEFAULT_MAX_BITRATE 0
#define DEFAULT_FEEDBACK TRUE
#define DEFAULT_FEEDBACK_PORT 0
#define DEFAULT_PT LMCC_DEFAULT_PAYLOAD_TYPE
#define DEFAULT_REPAIR -1
#define DEFAULT_REPAIR_BASE -1
#define DEFAULT_REPAIR_LOSS LMCC_DEFAULT_REPAIR_LOSS
#define DEFAULT_REPAIR_BURST 1
#define DEFAULT_REPAIR_DELAY (LMCC_DEFAULT_REPAIR_DELAY / LMCC_MSECOND)
/* Seconds. Longer than a switch takes to start, and than a DHCP client waits
 * until it asks again where nobody answered (dhclient: 300 s). */
#define DEFAULT_SEND_TIMEOUT 600
#define DEFAULT_SYNC TRUE
#define DEFAULT_RUNG_TIMEOUT 200
#define DEFAULT_KEY_UNIT_INTERVAL 0
#define DEFAULT_CODEC "h264"
#define DEFAULT_SDP_LOCATION NULL
#define DEFAULT_STATS_UPDATE_INTERVAL 0

/* Of 1000, where repair is not said. */
#define AUTOMATIC_REPAIR 100

enum
{
  PROP_0,
  PROP_ADDRESS,
  PROP_PORT,
  PROP_MULTICAST_IFACE,
  PROP_BIND_ADDRESS,
  PROP_TTL_MC,
  PROP_LOOP,
  PROP_QOS_DSCP,
  PROP_BUFFER_SIZE,
  PROP_MTU,
  PROP_LAYERING,
  PROP_LAYERS,
  PROP_BASE_RATE,
  PROP_RATE_FACTOR,
  PROP_LAYER_RATES,
  PROP_WINDOW,
  PROP_LATENCY,
  PROP_ALGORITHM,
  PROP_BASE_ALGORITHM,
  PROP_ALGORITHM_SETTINGS,
  PROP_RTT_MAX,
  PROP_ESTIMATED_BITRATE,
  PROP_DRIVE_ENCODER,
  PROP_MIN_BITRATE,
  PROP_MAX_BITRATE,
  PROP_FEEDBACK,
  PROP_FEEDBACK_PORT,
  PROP_PT,
  PROP_REPAIR,
  PROP_REPAIR_BASE,
  PROP_REPAIR_LOSS,
  PROP_REPAIR_BURST,
  PROP_REPAIR_DELAY,
  PROP_SEND_TIMEOUT,
  PROP_SYNC,
  PROP_RUNG_TIMEOUT,
  PROP_KEY_UNIT_INTERVAL,
  PROP_CODEC,
  PROP_ENCODER_SETTINGS,
  PROP_SDP_LOCATION,
  PROP_SDP,
  PROP_STATS,
  PROP_STATS_UPDATE_INTERVAL,
  N_PROPS
};

/**
 * GstLmccSinkProps:
 * What the properties say, in their own units. The strings belong to the struct.
 */
typedef struct
{
  gchar *address;
  gchar *multicast_iface;
  gchar *bind_address;
  gchar *sdp_location;
  gint port;
  gint ttl_mc;
  gboolean loop;
  gint qos_dscp;
  gint buffer_size;
  guint mtu;
  gint layering;
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
  guint send_timeout;
  gboolean sync;
  guint rung_timeout;
  guint key_unit_interval;
  gchar *codec;
  GstStructure *encoder_settings;
  guint stats_update_interval;
} GstLmccSinkProps;

void gst_lmcc_sink_install_properties (GObjectClass * klass);
void gst_lmcc_sink_props_init (GstLmccSinkProps * props);
void gst_lmcc_sink_props_clear (GstLmccSinkProps * props);
gboolean gst_lmcc_sink_props_set (GstLmccSinkProps * props, guint id,
    const GValue * value);
guint gst_lmcc_sink_props_get_repair (const GstLmccSinkProps * props);
gint gst_lmcc_sink_props_get_repair_base (const GstLmccSinkProps * props);
guint gst_lmcc_sink_props_get_rates (const GstLmccSinkProps * props,
    guint64 rates[LMCC_MAX_LAYERS], GError ** error);
gboolean gst_lmcc_sink_props_get (const GstLmccSinkProps * props, guint id,
    GValue * value);

G_END_DECLS

#endif
