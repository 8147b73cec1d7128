/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Interprets lmccsink's properties. */
#include "config.h"

#include "sink/settings.h"

#include "common/enums.h"

#include <plugins/common/messages.h>

#include <string.h>

/* The algorithm for "auto". */
#define DEFAULT_ALGORITHM "plumb"

/* In ms. */
#define LEAST_SEND_TIMEOUT 1000

static gboolean
refuse (GError **error, const gchar *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
refuse (GError **error, const gchar *format, ...)
{
  g_autofree gchar *text = NULL;
  va_list arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error_literal (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
      text);
  return FALSE;
}

/* Outages are detected after a second. Smaller values are probably meant as
 * seconds. */
static gboolean
check_times (const GstLmccSinkProperties *properties, GError **error)
{
  guint timeout = properties->send_timeout;

  if (timeout == 0 || timeout >= LEAST_SEND_TIMEOUT)
    return TRUE;

  return refuse (error,
      _ ("The send-timeout of %u is in milliseconds: set it to at least %u, or "
         "to 0 for no timeout."),
      timeout, LEAST_SEND_TIMEOUT);
}

/* 224.0.0.0/24, the local network control block. */
static gboolean
is_local_control (const LmccAddress *address)
{
  static const guint8 block[] = { 224, 0, 0 };

  return address->family == LMCC_FAMILY_IPV4
      && memcmp (address->bytes, block, sizeof (block)) == 0;
}

static gboolean
read_addresses (GstLmccSinkSettings *settings, GError **error)
{
  const GstLmccSinkProperties *properties = &settings->properties;
  const gchar *address = properties->address ? properties->address : "";
  const gchar *local = properties->bind_address;

  if (!lmcc_address_parse (address, &settings->address)
      || !lmcc_address_is_multicast (&settings->address))
    return refuse (error,
        _ ("The address '%s' is not a multicast group. Set address to an IPv4 "
           "group from 239.0.0.0 to 239.255.255.255, such as 239.255.42.1, or "
           "to an IPv6 group."),
        address);
  if (is_local_control (&settings->address))
    return refuse (error,
        _ ("The address %s belongs to 224.0.0.0 to 224.0.0.255, which are "
           "reserved for protocols of one link (RFC 5771 section 4): routers "
           "do not forward them, and switches send them to every port. Set "
           "address to a group from 239.0.0.0 to 239.255.255.255, such as "
           "239.255.42.1."),
        address);
  if (local && local[0] != '\0'
      && !lmcc_address_parse (local, &settings->bind_address))
    return refuse (error,
        _ ("The bind-address '%s' is not an IP address. Set it to an address "
           "of this host."),
        local);
  if (properties->socket
      && (settings->bind_address.family != LMCC_FAMILY_NONE
          || properties->bind_port > 0))
    return refuse (error,
        _ ("The property socket excludes bind-address and bind-port, because "
           "the socket has its own address and port. Unset bind-address and "
           "bind-port, or unset socket."));

  return TRUE;
}

static gboolean
read_rates (GstLmccSinkSettings *settings, GError **error)
{
  const GstLmccSinkProperties *properties = &settings->properties;
  LmccRateScheme scheme = (LmccRateScheme) (properties->layering - 1);
  g_autoptr (GError) reason = NULL;
  gdouble rates[LMCC_MAX_LAYERS];
  guint n = properties->layers, i;

  if (properties->layering == GST_LMCC_LAYERING_NATIVE)
    return TRUE;
  if (scheme == LMCC_RATE_SCHEME_EXPLICIT) {
    n = lmcc_rates_parse (properties->layer_rates ? properties->layer_rates
                                                  : "",
        rates, &reason);
    g_prefix_error (&reason, "layer-rates: ");
  } else if (!lmcc_rates_compute_from_base (scheme, properties->base_rate,
                 properties->rate_factor, n, rates, &reason)) {
    g_prefix_error (&reason,
        _ ("layering, layers, base-rate and rate-factor: "));
  }
  if (reason)
    return refuse (error, _ ("Cannot use these layers: %s."), reason->message);
  settings->n_layers = n;
  for (i = 0; i < n; i++)
    settings->rates[i] = MAX (1, (guint64) (rates[i] + 0.5));

  return TRUE;
}

static gboolean
read_algorithm (GstLmccSinkSettings *settings, GError **error)
{
  const GstLmccSinkProperties *properties = &settings->properties;
  g_autoptr (GError) reason = NULL;

  settings->algorithm = properties->algorithm == GST_LMCC_ALGORITHM_AUTO
      ? DEFAULT_ALGORITHM
      : gst_lmcc_algorithm_to_name (properties->algorithm);
  settings->base_algorithm =
      gst_lmcc_algorithm_to_name (properties->base_algorithm);
  if (gst_lmcc_sink_marks_read (&settings->marks,
          properties->algorithm_settings, settings->algorithm,
          settings->n_layers, &reason))
    return TRUE;

  return refuse (error, _ ("Cannot use algorithm-settings: %s"),
      reason->message);
}

/**
 * gst_lmcc_sink_settings_read:
 * @settings: (out caller-allocates): must be cleared, also after an error
 * @properties: the properties
 * @error: the problem and the remedy: %GST_RESOURCE_ERROR
 *
 * Returns: whether the properties are valid
 */
gboolean
gst_lmcc_sink_settings_read (GstLmccSinkSettings *settings,
    const GstLmccSinkProperties *properties, GError **error)
{
  memset (settings, 0, sizeof (*settings));
  gst_lmcc_properties_copy (&gst_lmcc_sink_properties, properties,
      &settings->properties);
  settings->profile =
      gst_lmcc_sink_properties_get_profile (&settings->properties);
  settings->window =
      properties->window > 0 ? properties->window : settings->profile->window;

  return check_times (properties, error) && read_rates (settings, error)
      && read_algorithm (settings, error) && read_addresses (settings, error);
}

/**
 * gst_lmcc_sink_settings_clear:
 * @settings: settings; strings and structures are freed, and it is zeroed
 */
void
gst_lmcc_sink_settings_clear (GstLmccSinkSettings *settings)
{
  gst_lmcc_properties_clear (&gst_lmcc_sink_properties, &settings->properties);
  memset (settings, 0, sizeof (*settings));
}

/**
 * gst_lmcc_sink_properties_get_profile:
 * @properties: the properties
 *
 * Returns: (transfer none): the settings of its latency profile for its kind of
 * layers
 */
const GstLmccProfileLayers *
gst_lmcc_sink_properties_get_profile (const GstLmccSinkProperties *properties)
{
  const GstLmccProfile *profile =
      gst_lmcc_profile_get (properties->latency_profile);

  return properties->layering == GST_LMCC_LAYERING_NATIVE ? &profile->native
                                                          : &profile->fixed;
}

/**
 * gst_lmcc_sink_properties_is_repair_auto:
 * @properties: the properties
 *
 * Returns: whether receivers' reports decide on the amount of repair data
 */
gboolean
gst_lmcc_sink_properties_is_repair_auto (
    const GstLmccSinkProperties *properties)
{
  return properties->repair == GST_LMCC_REPAIR_AUTO;
}

/**
 * gst_lmcc_sink_properties_get_repair:
 * @properties: the properties
 *
 * Returns: the share of repair data in 1/1000, as set or from the profile, or
 * the greatest one if receivers' reports decide
 */
guint
gst_lmcc_sink_properties_get_repair (const GstLmccSinkProperties *properties)
{
  gdouble repair = properties->repair;

  if (gst_lmcc_sink_properties_is_repair_auto (properties))
    return LMCC_REPAIR_AUTO_MOST;
  if (repair < 0)
    repair = gst_lmcc_sink_properties_get_profile (properties)->repair;

  return (guint) (1000 * repair + 0.5);
}

/**
 * gst_lmcc_sink_properties_get_repair_base:
 * @properties: the properties
 *
 * Returns: the base layer's own share of repair data, as in #LmccSenderConfig
 */
gint
gst_lmcc_sink_properties_get_repair_base (
    const GstLmccSinkProperties *properties)
{
  gint share = (gint) (1000 * properties->repair_base + 0.5);

  if (properties->repair_base < 0)
    return 0;

  return share > 0 ? share : -1;
}
