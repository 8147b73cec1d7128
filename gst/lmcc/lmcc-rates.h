/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RATES_H
#define LMCC_RATES_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/**
 * LmccRateScheme:
 * @LMCC_RATE_SCHEME_EQUAL: r_i = r_0
 * @LMCC_RATE_SCHEME_INCREASE_BY_ONE: r_i = (i + 1) r_0
 * @LMCC_RATE_SCHEME_DOUBLING: R_{i+1} = 2 R_i: layers r_0, r_0, 2 r_0, 4 r_0
 * @LMCC_RATE_SCHEME_MULTIPLICATIVE: R_i = c^i R_0, c = factor
 * @LMCC_RATE_SCHEME_HEAVY_TAIL: R_i = C / (l - i) for l layers, so that r_0 = C / l and
 *     r_i = C / ((l - i) (l - i + 1)). The paper prints the last factor as (l - i - 1),
 *     which divides by zero at the top layer and does not sum to R_i.
 * @LMCC_RATE_SCHEME_EXPLICIT: the r_i are given
 *
 * How the layer rates of a session are derived from one rate (Byers et al., "FLID-DL:
 * Congestion Control for Layered Multicast", IEEE JSAC 20(8), 2002, section IV-A).
 *
 * base_rate is r_0 = R_0, with two exceptions: for heavy-tail it is C, the rate of all
 * layers together, as in the paper; explicit rates do not use it. factor is c for the
 * multiplicative scheme and must be above 1; the other schemes do not use it.
 */
typedef enum
{
  LMCC_RATE_SCHEME_EQUAL,
  LMCC_RATE_SCHEME_INCREASE_BY_ONE,
  LMCC_RATE_SCHEME_DOUBLING,
  LMCC_RATE_SCHEME_MULTIPLICATIVE,
  LMCC_RATE_SCHEME_HEAVY_TAIL,
  LMCC_RATE_SCHEME_EXPLICIT,
} LmccRateScheme;

LMCC_API const gchar *lmcc_rate_scheme_name (LmccRateScheme scheme);
LMCC_API gboolean lmcc_rate_scheme_from_name (const gchar *name,
    LmccRateScheme *scheme);
LMCC_API gboolean lmcc_rates_compute (LmccRateScheme scheme, gdouble base_rate,
    gdouble factor, guint n_layers, gdouble *rates, GError **error);
LMCC_API gboolean lmcc_rates_compute_from_base (LmccRateScheme scheme,
    gdouble base_rate, gdouble factor, guint n_layers, gdouble *rates,
    GError **error);
LMCC_API gboolean lmcc_rate_parse (const gchar *text, gdouble *rate);
LMCC_API guint lmcc_rates_parse (const gchar *text,
    gdouble rates[LMCC_MAX_LAYERS], GError **error);

G_END_DECLS

#endif
