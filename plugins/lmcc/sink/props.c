/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The values of the properties of lmccsink. */
#include "config.h"

#include "sink/props.h"

#include <string.h>

/**
 * gst_lmcc_sink_props_init:
 * @props: (out caller-allocates): the defaults
 */
void
gst_lmcc_sink_props_init (GstLmccSinkProps * props)
{
  memset (props, 0, sizeof (*props));
  props->address = g_strdup (DEFAULT_ADDRESS);
  props->port = DEFAULT_PORT;
  props->ttl_mc = DEFAULT_TTL_MC;
  props->loop = DEFAULT_LOOP;
  props->qos_dscp = DEFAULT_QOS_DSCP;
  props->buffer_size = DEFAULT_BUFFER_SIZE;
  props->mtu = DEFAULT_MTU;
  props->layering = DEFAULT_LAYERING;
  props->layers = DEFAULT_LAYERS;
  props->base_rate = DEFAULT_BASE_RATE;
  props->rate_factor = DEFAULT_RATE_FACTOR;
  props->layer_rates = g_strdup (DEFAULT_LAYER_RATES);
  props->window = DEFAULT_WINDOW;
  props->latency = DEFAULT_LATENCY;
  props->algorithm = gst_lmcc_algorithm_from_name (DEFAULT_ALGORITHM);
  props->base_algorithm = gst_lmcc_algorithm_from_name (DEFAULT_BASE_ALGORITHM);
  props->rtt_max = DEFAULT_RTT_MAX;
  props->drive_encoder = DEFAULT_DRIVE_ENCODER;
  props->min_bitrate = DEFAULT_MIN_BITRATE;
  props->max_bitrate = DEFAULT_MAX_BITRATE;
  props->feedback = DEFAULT_FEEDBACK;
  props->feedback_port = DEFAULT_FEEDBACK_PORT;
  props->pt = DEFAULT_PT;
  props->repair = DEFAULT_REPAIR;
  props->repair_base = DEFAULT_REPAIR_BASE;
  props->repair_loss = DEFAULT_REPAIR_LOSS;
  props->repair_burst = DEFAULT_REPAIR_BURST;
  props->repair_delay = DEFAULT_REPAIR_DELAY;
  props->send_timeout = DEFAULT_SEND_TIMEOUT;
  props->sync = DEFAULT_SYNC;
  props->rung_timeout = DEFAULT_RUNG_TIMEOUT;
  props->key_unit_interval = DEFAULT_KEY_UNIT_INTERVAL;
  props->codec = g_strdup (DEFAULT_CODEC);
  props->stats_update_interval = DEFAULT_STATS_UPDATE_INTERVAL;
}

/**
 * gst_lmcc_sink_props_clear:
 * @props: whose strings are freed
 */
void
gst_lmcc_sink_props_clear (GstLmccSinkProps * props)
{
  g_clear_pointer (&props->address, g_free);
  g_clear_pointer (&props->multicast_iface, g_free);
  g_clear_pointer (&props->bind_address, g_free);
  g_clear_pointer (&props->sdp_location, g_free);
  g_clear_pointer (&props->layer_rates, g_free);
  gst_clear_structure (&props->algorithm_settings);
  g_clear_pointer (&props->codec, g_free);
  gst_clear_structure (&props->encoder_settings);
}

static void
take_string (gchar ** field, const GValue * value)
{
  g_free (*field);
  *field = g_value_dup_string (value);
}

/**
 * gst_lmcc_sink_props_set:
 * @props: the values
 * @id: which property
 * @value: its new value
 *
 * Returns: whether there is such a property that can be written
 */
gboolean
gst_lmcc_sink_props_set (GstLmccSinkProps * props, guint id,
    const GValue * value)
{
  switch (id) {
    case PROP_ADDRESS:
      take_string (&props->address, value);
      break;
    case PROP_PORT:
      props->port = g_value_get_int (value);
      break;
    case PROP_MULTICAST_IFACE:
      take_string (&props->multicast_iface, value);
      break;
    case PROP_BIND_ADDRESS:
      take_string (&props->bind_address, value);
      break;
    case PROP_TTL_MC:
      props->ttl_mc = g_value_get_int (value);
      break;
    case PROP_LOOP:
      props->loop = g_value_get_boolean (value);
      break;
    case PROP_QOS_DSCP:
      props->qos_dscp = g_value_get_int (value);
      break;
    case PROP_BUFFER_SIZE:
      props->buffer_size = g_value_get_int (value);
      break;
    case PROP_MTU:
      props->mtu = g_value_get_uint (value);
      break;
    case PROP_LAYERING:
      props->layering = g_value_get_enum (value);
      break;
    case PROP_LAYERS:
      props->layers = g_value_get_uint (value);
      break;
    case PROP_BASE_RATE:
      props->base_rate = g_value_get_uint64 (value);
      break;
    case PROP_RATE_FACTOR:
      props->rate_factor = g_value_get_double (value);
      break;
    case PROP_LAYER_RATES:
      take_string (&props->layer_rates, value);
      break;
    case PROP_WINDOW:
      props->window = g_value_get_uint (value);
      break;
    case PROP_LATENCY:
      props->latency = g_value_get_uint (value);
      break;
    case PROP_ALGORITHM:
      props->algorithm = g_value_get_enum (value);
      break;
    case PROP_BASE_ALGORITHM:
      props->base_algorithm = g_value_get_enum (value);
      break;
    case PROP_ALGORITHM_SETTINGS:
      gst_clear_structure (&props->algorithm_settings);
      props->algorithm_settings = g_value_dup_boxed (value);
      break;
    case PROP_RTT_MAX:
      props->rtt_max = g_value_get_uint (value);
      break;
    case PROP_DRIVE_ENCODER:
      props->drive_encoder = g_value_get_boolean (value);
      break;
    case PROP_MIN_BITRATE:
      props->min_bitrate = g_value_get_uint64 (value);
      break;
    case PROP_MAX_BITRATE:
      props->max_bitrate = g_value_get_uint64 (value);
      break;
    case PROP_FEEDBACK:
      props->feedback = g_value_get_boolean (value);
      break;
    case PROP_FEEDBACK_PORT:
      props->feedback_port = g_value_get_int (value);
      break;
    case PROP_PT:
      props->pt = g_value_get_uint (value);
      break;
    case PROP_REPAIR:
      props->repair = g_value_get_double (value);
      break;
    case PROP_REPAIR_BASE:
      props->repair_base = g_value_get_double (value);
      break;
    case PROP_REPAIR_LOSS:
      props->repair_loss = g_value_get_double (value);
      break;
    case PROP_REPAIR_BURST:
      props->repair_burst = g_value_get_double (value);
      break;
    case PROP_REPAIR_DELAY:
      props->repair_delay = g_value_get_uint (value);
      break;
    case PROP_SYNC:
      props->sync = g_value_get_boolean (value);
      break;
    case PROP_SEND_TIMEOUT:
      props->send_timeout = g_value_get_uint (value);
      break;
    case PROP_RUNG_TIMEOUT:
      props->rung_timeout = g_value_get_uint (value);
      break;
    case PROP_KEY_UNIT_INTERVAL:
      props->key_unit_interval = g_value_get_uint (value);
      break;
    case PROP_CODEC:
      take_string (&props->codec, value);
      break;
    case PROP_ENCODER_SETTINGS:
      gst_clear_structure (&props->encoder_settings);
      props->encoder_settings = g_value_dup_boxed (value);
      break;
    case PROP_SDP_LOCATION:
      take_string (&props->sdp_location, value);
      break;
    case PROP_STATS_UPDATE_INTERVAL:
      props->stats_update_interval = g_value_get_uint (value);
      break;
    default:
      return FALSE;
  }

  return TRUE;
}

/**
 * gst_lmcc_sink_props_get:
 * @props: the values
 * @id: which property
 * @value: (inout): gets its value
 *
 * Returns: whether there is such a property here
 */
gboolean
gst_lmcc_sink_props_get (const GstLmccSinkProps * props, guint id,
    GValue * value)
{
  switch (id) {
    case PROP_ADDRESS:
      g_value_set_string (value, props->address);
      break;
    case PROP_PORT:
      g_value_set_int (value, props->port);
      break;
    case PROP_MULTICAST_IFACE:
      g_value_set_string (value, props->multicast_iface);
      break;
    case PROP_BIND_ADDRESS:
      g_value_set_string (value, props->bind_address);
      break;
    case PROP_TTL_MC:
      g_value_set_int (value, props->ttl_mc);
      break;
    case PROP_LOOP:
      g_value_set_boolean (value, props->loop);
      break;
    case PROP_QOS_DSCP:
      g_value_set_int (value, props->qos_dscp);
      break;
    case PROP_BUFFER_SIZE:
      g_value_set_int (value, props->buffer_size);
      break;
    case PROP_MTU:
      g_value_set_uint (value, props->mtu);
      break;
    case PROP_LAYERING:
      g_value_set_enum (value, props->layering);
      break;
    case PROP_LAYERS:
      g_value_set_uint (value, props->layers);
      break;
    case PROP_BASE_RATE:
      g_value_set_uint64 (value, props->base_rate);
      break;
    case PROP_RATE_FACTOR:
      g_value_set_double (value, props->rate_factor);
      break;
    case PROP_LAYER_RATES:
      g_value_set_string (value, props->layer_rates);
      break;
    case PROP_WINDOW:
      g_value_set_uint (value, props->window);
      break;
    case PROP_LATENCY:
      g_value_set_uint (value, props->latency);
      break;
    case PROP_ALGORITHM:
      g_value_set_enum (value, props->algorithm);
      break;
    case PROP_BASE_ALGORITHM:
      g_value_set_enum (value, props->base_algorithm);
      break;
    case PROP_ALGORITHM_SETTINGS:
      g_value_set_boxed (value, props->algorithm_settings);
      break;
    case PROP_RTT_MAX:
      g_value_set_uint (value, props->rtt_max);
      break;
    case PROP_DRIVE_ENCODER:
      g_value_set_boolean (value, props->drive_encoder);
      break;
    case PROP_MIN_BITRATE:
      g_value_set_uint64 (value, props->min_bitrate);
      break;
    case PROP_MAX_BITRATE:
      g_value_set_uint64 (value, props->max_bitrate);
      break;
    case PROP_FEEDBACK:
      g_value_set_boolean (value, props->feedback);
      break;
    case PROP_FEEDBACK_PORT:
      g_value_set_int (value, props->feedback_port);
      break;
    case PROP_PT:
      g_value_set_uint (value, props->pt);
      break;
    case PROP_REPAIR:
      g_value_set_double (value, props->repair);
      break;
    case PROP_REPAIR_BASE:
      g_value_set_double (value, props->repair_base);
      break;
    case PROP_REPAIR_LOSS:
      g_value_set_double (value, props->repair_loss);
      break;
    case PROP_REPAIR_BURST:
      g_value_set_double (value, props->repair_burst);
      break;
    case PROP_REPAIR_DELAY:
      g_value_set_uint (value, props->repair_delay);
      break;
    case PROP_SYNC:
      g_value_set_boolean (value, props->sync);
      break;
    case PROP_SEND_TIMEOUT:
      g_value_set_uint (value, props->send_timeout);
      break;
    case PROP_RUNG_TIMEOUT:
      g_value_set_uint (value, props->rung_timeout);
      break;
    case PROP_KEY_UNIT_INTERVAL:
      g_value_set_uint (value, props->key_unit_interval);
      break;
    case PROP_CODEC:
      g_value_set_string (value, props->codec);
      break;
    case PROP_ENCODER_SETTINGS:
      g_value_set_boxed (value, props->encoder_settings);
      break;
    case PROP_SDP_LOCATION:
      g_value_set_string (value, props->sdp_location);
      break;
    case PROP_STATS_UPDATE_INTERVAL:
      g_value_set_uint (value, props->stats_update_interval);
      break;
    default:
      return FALSE;
  }

  return TRUE;
}

/**
 * gst_lmcc_sink_props_get_repair:
 * @props: the values
 *
 * Returns: the share of repair data in 1/1000, what is asked for or what is
 *     best
 */
guint
gst_lmcc_sink_props_get_repair (const GstLmccSinkProps * props)
{
  if (props->repair < 0)
    return props->layering == GST_LMCC_LAYERING_NATIVE ? 0 : AUTOMATIC_REPAIR;

  return (guint) (1000 * props->repair + 0.5);
}

/**
 * gst_lmcc_sink_props_get_repair_base:
 * @props: the values
 *
 * Returns: the base's own share of repair data, as #LmccSenderConfig has it
 */
gint
gst_lmcc_sink_props_get_repair_base (const GstLmccSinkProps * props)
{
  gint share = (gint) (1000 * props->repair_base + 0.5);

  if (props->repair_base < 0)
    return 0;

  return share > 0 ? share : -1;
}

/**
 * gst_lmcc_sink_props_get_rates:
 * @props: the values, of fixed rates
 * @rates: (out): bit/s
 * @error: what is wrong with them, and what to set
 *
 * Returns: how many layers there are, or 0
 */
guint
gst_lmcc_sink_props_get_rates (const GstLmccSinkProps * props,
    guint64 rates[LMCC_MAX_LAYERS], GError ** error)
{
  LmccRateScheme scheme = (LmccRateScheme) (props->layering - 1);
  gdouble computed[LMCC_MAX_LAYERS];
  guint n = props->layers, i;

  if (scheme == LMCC_RATE_SCHEME_EXPLICIT) {
    n = lmcc_rates_parse (props->layer_rates ? props->layer_rates : "",
        computed, error);
    g_prefix_error (error, "layer-rates: ");
  } else if (!lmcc_rates_compute_from_base (scheme, props->base_rate,
          props->rate_factor, n, computed, error)) {
    g_prefix_error (error, "layering, layers, base-rate and rate-factor: ");
    n = 0;
  }
  for (i = 0; i < n; i++)
    rates[i] = MAX (1, (guint64) (computed[i] + 0.5));

  return n;
}
