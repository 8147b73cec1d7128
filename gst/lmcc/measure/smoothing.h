/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_MEASURE_SMOOTHING_H
#define LMCC_MEASURE_SMOOTHING_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* Greatest number of samples in a history of percentiles. */
#define LMCC_PERCENTILES_MAX_SIZE 65536

/**
 * LmccEwma:
 * @weight: weight of a new sample, above 0, at most 1
 * @value: the average so far, in the samples' unit
 * @started: whether there was a sample; before, @value is undefined
 *
 * An exponentially weighted moving average. Fields are read-only; lmcc_ewma_init() and
 * lmcc_ewma_add() change it.
 */
typedef struct
{
  gdouble weight;
  gdouble value;
  gboolean started;
} LmccEwma;

void lmcc_ewma_init (LmccEwma *ewma, gdouble weight);
gboolean lmcc_ewma_add (LmccEwma *ewma, gdouble sample);
gboolean lmcc_ewma_add_timed (LmccEwma *ewma, gdouble sample, LmccTime elapsed,
    LmccTime time_constant);

/**
 * LmccPercentiles:
 * The newest samples, also in ascending order, and the mean of two of their percentiles.
 */
typedef struct _LmccPercentiles LmccPercentiles;

LmccPercentiles *lmcc_percentiles_new (guint size, gdouble low, gdouble high);
void lmcc_percentiles_free (LmccPercentiles *percentiles);
void lmcc_percentiles_reset (LmccPercentiles *percentiles);
gboolean lmcc_percentiles_add (LmccPercentiles *percentiles, gdouble sample);
guint lmcc_percentiles_get_count (const LmccPercentiles *percentiles);
gdouble
lmcc_percentiles_get (const LmccPercentiles *percentiles, gdouble fraction);
gdouble lmcc_percentiles_get_mean (const LmccPercentiles *percentiles);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccPercentiles, lmcc_percentiles_free)

G_END_DECLS

#endif
