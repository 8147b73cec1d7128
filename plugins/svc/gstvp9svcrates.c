/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The rates of the layer frame classes. */
#include "gstvp9svcrates.h"

#include <plugins/common/messages.h>

/* libvpx works with whole kbit/s. */
#define MIN_LAYER_BITRATE 1000

/* Shares of the spatial layers in the total rate; GST_VP9_SVC_TEMPORAL_SHARES
 * has those of the temporal layers. With these shares the quality at each
 * level, lowest temporal layers first, comes close to that of one layer of the
 * same rate; measured with a film of 640x360 at 1200 kbit/s. With layers of
 * equal size the rates span a factor of ten. Enlarged smaller pictures soon do
 * not gain from a higher rate. */
static const gdouble halved_shares[GST_VP9_SVC_MAX_SPATIAL]
                                  [GST_VP9_SVC_MAX_SPATIAL] = {
                                    { 1.0 },
                                    { 0.16, 0.84 },
                                    { 0.04, 0.10, 0.86 },
                                  };

static const gdouble equal_shares[GST_VP9_SVC_MAX_SPATIAL]
                                 [GST_VP9_SVC_MAX_SPATIAL] = {
                                   { 1.0 },
                                   { 0.33, 0.67 },
                                   { 0.13, 0.28, 0.59 },
                                 };

static const gdouble temporal_shares[GST_VP9_SVC_MAX_TEMPORAL]
                                    [GST_VP9_SVC_MAX_TEMPORAL] = {
                                      { 1.0 },
                                      { 0.72, 0.28 },
                                      GST_VP9_SVC_TEMPORAL_SHARES,
                                    };

/*
 * gst_vp9_svc_rates_split:
 * @total: total rate of all layers (bit/s)
 * @structure: the layers
 * @bitrates: (out) (array): rate of each layer frame class alone (bit/s)
 */
void
gst_vp9_svc_rates_split (guint total, const GstVp9SvcStructure *structure,
    guint *bitrates)
{
  const gdouble *spatial = structure->halved
      ? halved_shares[structure->n_spatial - 1]
      : equal_shares[structure->n_spatial - 1];
  const gdouble *temporal = temporal_shares[structure->n_temporal - 1];
  guint s, t;

  for (s = 0; s < structure->n_spatial; s++) {
    for (t = 0; t < structure->n_temporal; t++)
      bitrates[s * structure->n_temporal + t] =
          (guint) (total * spatial[s] * temporal[t] + 0.5);
  }
}

/*
 * gst_vp9_svc_rates_sum:
 * @array: array of int (bit/s)
 *
 * Returns: total rate of all layers (bit/s); invalid rates are ignored
 */
guint64
gst_vp9_svc_rates_sum (const GValue *array)
{
  guint n = gst_value_array_get_size (array), i;
  guint64 sum = 0;

  for (i = 0; i < n; i++) {
    const GValue *value = gst_value_array_get_value (array, i);

    if (G_VALUE_HOLDS_INT (value))
      sum += (guint64) MAX (g_value_get_int (value), 0);
  }

  return sum;
}

/*
 * gst_vp9_svc_rates_scale:
 * @total: new total rate of all layers (bit/s)
 * @structure: the layers
 * @bitrates: (inout) (array): rate of each layer frame class alone (bit/s);
 *     each keeps its share, but stays above the minimum for a layer
 */
void
gst_vp9_svc_rates_scale (guint total, const GstVp9SvcStructure *structure,
    guint *bitrates)
{
  guint n = structure->n_spatial * structure->n_temporal, i;
  guint64 sum = 0;

  for (i = 0; i < n; i++)
    sum += bitrates[i];
  for (i = 0; i < n; i++)
    bitrates[i] =
        (guint) MAX (gst_util_uint64_scale_round (bitrates[i], total, sum),
            MIN_LAYER_BITRATE);
}

/*
 * gst_vp9_svc_rates_from_array:
 * @array: array of int (bit/s)
 * @structure: the layers
 * @bitrates: (out) (array): rate of each layer frame class alone (bit/s)
 * @error: (out): why @array is invalid
 *
 * Returns: %FALSE if the number of rates differs from the number of classes, or
 * a rate is out of range
 */
gboolean
gst_vp9_svc_rates_from_array (const GValue *array,
    const GstVp9SvcStructure *structure, guint *bitrates, GError **error)
{
  guint n = structure->n_spatial * structure->n_temporal, i;
  guint64 sum = 0;

  if (gst_value_array_get_size (array) != n) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        _ ("layer-bitrates has %u rates, but L%uT%u has %u layers"),
        gst_value_array_get_size (array), structure->n_spatial,
        structure->n_temporal, n);
    return FALSE;
  }
  for (i = 0; i < n; i++) {
    const GValue *value = gst_value_array_get_value (array, i);
    gint rate = G_VALUE_HOLDS_INT (value) ? g_value_get_int (value) : 0;

    if (rate < MIN_LAYER_BITRATE) {
      g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
          _ ("layer-bitrates: rate %u is %d, but each must be an int of at "
             "least %d bit/s"),
          i + 1, rate, MIN_LAYER_BITRATE);
      return FALSE;
    }
    bitrates[i] = (guint) rate;
    sum += (guint) rate;
  }
  if (sum > G_MAXINT) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        _ ("layer-bitrates: the sum of %.0f bit/s is above the maximum of %d"),
        (gdouble) sum, G_MAXINT);
    return FALSE;
  }

  return TRUE;
}
