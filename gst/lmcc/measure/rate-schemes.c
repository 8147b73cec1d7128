/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib/gi18n-lib.h>
#include <gst/lmcc/lmcc-rates.h>

#include <gst/lmcc/lmcc-session.h>

#include <math.h>
#include <string.h>

/* As in lmcc_session_validate(): no layer is above 1 Tbit/s. */
#define MAX_RATE 1e12

static const gchar *const scheme_names[] = {
  [LMCC_RATE_SCHEME_EQUAL] = "equal",
  [LMCC_RATE_SCHEME_INCREASE_BY_ONE] = "increase-by-one",
  [LMCC_RATE_SCHEME_DOUBLING] = "doubling",
  [LMCC_RATE_SCHEME_MULTIPLICATIVE] = "multiplicative",
  [LMCC_RATE_SCHEME_HEAVY_TAIL] = "heavy-tail",
  [LMCC_RATE_SCHEME_EXPLICIT] = "explicit",
};

/**
 * lmcc_rate_scheme_name:
 * @scheme: a scheme
 *
 * Returns the name of a rate scheme, as users write it.
 *
 * Returns: (nullable): its name, or %NULL if @scheme is none
 */
const gchar *
lmcc_rate_scheme_name (LmccRateScheme scheme)
{
  if ((guint) scheme >= G_N_ELEMENTS (scheme_names))
    return NULL;

  return scheme_names[scheme];
}

/**
 * lmcc_rate_scheme_from_name:
 * @name: (nullable): a name from lmcc_rate_scheme_name()
 * @scheme: (out): the scheme, unchanged on failure
 *
 * Looks up a rate scheme by its name.
 *
 * Returns: %FALSE if no scheme has this name
 */
gboolean
lmcc_rate_scheme_from_name (const gchar *name, LmccRateScheme *scheme)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (scheme_names); i++) {
    if (g_strcmp0 (name, scheme_names[i]) == 0) {
      *scheme = i;
      return TRUE;
    }
  }

  return FALSE;
}

static gdouble
layer_rate (LmccRateScheme scheme, gdouble base_rate, gdouble factor,
    guint n_layers, guint layer)
{
  gdouble left = n_layers - layer;

  switch (scheme) {
    case LMCC_RATE_SCHEME_INCREASE_BY_ONE:
      return base_rate * (layer + 1);
    case LMCC_RATE_SCHEME_DOUBLING:
      return layer == 0 ? base_rate : ldexp (base_rate, (gint) layer - 1);
    case LMCC_RATE_SCHEME_MULTIPLICATIVE:
      return layer == 0 ? base_rate
                        : base_rate * pow (factor, layer - 1) * (factor - 1);
    case LMCC_RATE_SCHEME_HEAVY_TAIL:
      return layer == 0 ? base_rate / left : base_rate / (left * (left + 1));
    default:
      return base_rate;
  }
}

static gboolean
invalid (GError **error, const gchar *what)
{
  g_set_error (error, LMCC_SESSION_ERROR, LMCC_SESSION_ERROR_VALUE, "%s", what);

  return FALSE;
}

/* Written so that NaN is out of every range. */
static gboolean
check_rates (const gdouble *rates, guint n_layers, GError **error)
{
  guint i;

  for (i = 0; i < n_layers; i++) {
    if (rates[i] > 0.0 && rates[i] <= MAX_RATE)
      continue;
    g_set_error (error, LMCC_SESSION_ERROR, LMCC_SESSION_ERROR_VALUE,
        _ ("the rate of layer %u would be %g bit/s, but must be above 0 and at "
           "most %g: use fewer layers or another base rate or factor"),
        i, rates[i], MAX_RATE);
    return FALSE;
  }

  return TRUE;
}

/**
 * lmcc_rates_compute:
 * @scheme: the rate scheme
 * @base_rate: r_0 in bit/s; for heavy-tail C, the rate of all layers; not used
 *     by explicit
 * @factor: c, above 1, for multiplicative; not used by other schemes
 * @n_layers: 1 to %LMCC_MAX_LAYERS
 * @rates: (array length=n_layers) (inout): r_i, bit/s; for explicit the
 *     caller's rates, which are only checked; undefined on failure
 * @error: (nullable): what is wrong, in %LMCC_SESSION_ERROR
 *
 * Computes layer rates with a rate scheme.
 *
 * Returns: whether all rates are above 0 and at most 1 Tbit/s
 */
gboolean
lmcc_rates_compute (LmccRateScheme scheme, gdouble base_rate, gdouble factor,
    guint n_layers, gdouble *rates, GError **error)
{
  guint i;

  if (lmcc_rate_scheme_name (scheme) == NULL)
    return invalid (error, _ ("there is no such rate scheme"));
  if (n_layers == 0 || n_layers > LMCC_MAX_LAYERS)
    return invalid (error, _ ("the number of layers is not between 1 and 64"));
  if (scheme == LMCC_RATE_SCHEME_EXPLICIT)
    return check_rates (rates, n_layers, error);
  if (!(base_rate > 0.0))
    return invalid (error, _ ("the base rate is not above 0"));
  if (scheme == LMCC_RATE_SCHEME_MULTIPLICATIVE && !(factor > 1.0))
    return invalid (error,
        _ ("the factor of the multiplicative scheme is not above 1"));

  for (i = 0; i < n_layers; i++)
    rates[i] = layer_rate (scheme, base_rate, factor, n_layers, i);

  return check_rates (rates, n_layers, error);
}

/**
 * lmcc_rates_compute_from_base:
 * @scheme: the rate scheme
 * @base_rate: r_0 in bit/s, in every scheme; not used by explicit
 * @factor: as in lmcc_rates_compute()
 * @n_layers: as in lmcc_rates_compute()
 * @rates: as in lmcc_rates_compute()
 * @error: as in lmcc_rates_compute()
 *
 * For users, who know the rate that the base layer needs. The heavy-tail scheme
 * itself starts from C, of which the base layer has C / l (FLID-DL, section
 * IV-A).
 *
 * Returns: as lmcc_rates_compute()
 */
gboolean
lmcc_rates_compute_from_base (LmccRateScheme scheme, gdouble base_rate,
    gdouble factor, guint n_layers, gdouble *rates, GError **error)
{
  if (scheme == LMCC_RATE_SCHEME_HEAVY_TAIL)
    base_rate *= n_layers;

  return lmcc_rates_compute (scheme, base_rate, factor, n_layers, rates, error);
}

/**
 * lmcc_rate_parse:
 * @text: a rate as users write it: 128000, 128k, 1.5M, 1Gbit/s; decimal
 *     multiples
 * @rate: (out): bit/s; unchanged on failure
 *
 * Parses a rate.
 *
 * Returns: whether it is a rate above 0 and at most 1 Tbit/s
 */
gboolean
lmcc_rate_parse (const gchar *text, gdouble *rate)
{
  static const struct
  {
    const gchar *suffix;
    gdouble multiple;
  } units[] = {
    { "", 1 },
    { "k", 1e3 },
    { "K", 1e3 },
    { "M", 1e6 },
    { "G", 1e9 },
    { "bit/s", 1 },
    { "kbit/s", 1e3 },
    { "Mbit/s", 1e6 },
    { "Gbit/s", 1e9 },
  };
  gchar *end;
  gdouble value = g_ascii_strtod (text, &end);
  guint i;

  for (i = 0; end != text && i < G_N_ELEMENTS (units); i++) {
    if (strcmp (end, units[i].suffix) != 0)
      continue;
    value *= units[i].multiple;
    if (!(value > 0.0 && value <= MAX_RATE))
      return FALSE;
    *rate = value;
    return TRUE;
  }

  return FALSE;
}

/**
 * lmcc_rates_parse:
 * @text: rates as in lmcc_rate_parse(), base layer first, separated by commas
 * @rates: (out): bit/s
 * @error: (nullable): what is wrong, in %LMCC_SESSION_ERROR
 *
 * Parses a list of rates.
 *
 * Returns: number of rates, or 0
 */
guint
lmcc_rates_parse (const gchar *text, gdouble rates[LMCC_MAX_LAYERS],
    GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  guint n = g_strv_length (parts), i;

  if (n == 0 || n > LMCC_MAX_LAYERS) {
    g_set_error (error, LMCC_SESSION_ERROR, LMCC_SESSION_ERROR_VALUE,
        _ ("there are %u rates, but a session has at most %d layers"), n,
        LMCC_MAX_LAYERS);
    return 0;
  }
  for (i = 0; i < n; i++) {
    if (lmcc_rate_parse (g_strstrip (parts[i]), &rates[i]))
      continue;
    g_set_error (error, LMCC_SESSION_ERROR, LMCC_SESSION_ERROR_VALUE,
        _ ("`%s' is not a rate; write bit/s above 0, such as 128000, 128k or "
           "1.5M"),
        parts[i]);
    return 0;
  }

  return n;
}
