/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure/smoothing.h"

#include <math.h>
#include <string.h>

struct _LmccPercentiles
{
  gdouble low;
  gdouble high;
  guint size;
  guint n;
  guint oldest; /* position in by_age, once it is full */
  gdouble *by_age;
  gdouble *by_size;
};

/**
 * lmcc_ewma_init:
 * @ewma: (out): an empty average
 * @weight: a, weight of a new sample, above 0, at most 1; anything else counts
 *     as 1, which means no smoothing
 *
 * Initializes an average X_s = (1 - a) X_s + a X (equation 22 of Colussi,
 * "Equation-based Layered Multicast Congestion Control", 2004). The smaller the
 * weight, the smoother: a sample's share of the average is a, and halves about
 * every ln 2 / a samples. The paper says after its equation that a close to 1
 * makes the average change slowly, which is the wrong way round.
 */
void
lmcc_ewma_init (LmccEwma *ewma, gdouble weight)
{
  *ewma = (LmccEwma){ .weight = weight > 0 && weight <= 1 ? weight : 1 };
}

/**
 * lmcc_ewma_add:
 * @ewma: an average
 * @sample: the newest value; the first one is the average
 *
 * Returns: %FALSE if @sample is infinite or NaN and was ignored: it would stay
 * in the average for ever
 */
gboolean
lmcc_ewma_add (LmccEwma *ewma, gdouble sample)
{
  if (!isfinite (sample))
    return FALSE;

  if (ewma->started) {
    ewma->value = (1 - ewma->weight) * ewma->value + ewma->weight * sample;
  } else {
    ewma->value = sample;
    ewma->started = TRUE;
  }

  return TRUE;
}

/**
 * lmcc_ewma_add_timed:
 * @ewma: an average
 * @sample: the newest value; the first one is the average
 * @elapsed: time since the previous sample, in ns
 * @time_constant: time after which a sample's share has fallen to 1/e, in ns;
 *     0: no smoothing
 *
 * As lmcc_ewma_add(), with a weight that makes samples count by their time and
 * not by their number: 1 - exp (-elapsed / time_constant).
 *
 * Returns: %FALSE if @sample is infinite or NaN and was ignored
 */
gboolean
lmcc_ewma_add_timed (LmccEwma *ewma, gdouble sample, LmccTime elapsed,
    LmccTime time_constant)
{
  ewma->weight =
      time_constant > 0 ? -expm1 (-(gdouble) elapsed / time_constant) : 1;

  return lmcc_ewma_add (ewma, sample);
}

static gdouble
clamp_fraction (gdouble fraction)
{
  return fraction > 0 ? MIN (fraction, 1) : 0;
}

/**
 * lmcc_percentiles_new:
 * @size: number of samples to keep, from 1 to %LMCC_PERCENTILES_MAX_SIZE;
 *     clamped to that
 * @low: lower percentile as a fraction, from 0 to 1, for instance 0.2; clamped
 *     to that
 * @high: higher percentile as a fraction, from 0 to 1, for instance 0.8;
 *     clamped to that
 *
 * Returns: (transfer full): a history without samples
 */
LmccPercentiles *
lmcc_percentiles_new (guint size, gdouble low, gdouble high)
{
  LmccPercentiles *percentiles = g_new0 (LmccPercentiles, 1);

  percentiles->low = clamp_fraction (low);
  percentiles->high = clamp_fraction (high);
  percentiles->size = CLAMP (size, 1, LMCC_PERCENTILES_MAX_SIZE);
  percentiles->by_age = g_new (gdouble, percentiles->size);
  percentiles->by_size = g_new (gdouble, percentiles->size);

  return percentiles;
}

/**
 * lmcc_percentiles_free:
 * @percentiles: (transfer full): a history
 */
void
lmcc_percentiles_free (LmccPercentiles *percentiles)
{
  g_free (percentiles->by_age);
  g_free (percentiles->by_size);
  g_free (percentiles);
}

/**
 * lmcc_percentiles_reset:
 * @percentiles: a history
 *
 * Forgets all samples.
 */
void
lmcc_percentiles_reset (LmccPercentiles *percentiles)
{
  percentiles->n = 0;
  percentiles->oldest = 0;
}

/* Index of the first sample that is not smaller. */
static guint
find (const LmccPercentiles *percentiles, gdouble sample)
{
  guint first = 0;
  guint end = percentiles->n;

  while (first < end) {
    guint middle = first + (end - first) / 2;

    if (percentiles->by_size[middle] < sample)
      first = middle + 1;
    else
      end = middle;
  }

  return first;
}

static void
remove_oldest (LmccPercentiles *percentiles)
{
  guint i = find (percentiles, percentiles->by_age[percentiles->oldest]);

  percentiles->n--;
  memmove (percentiles->by_size + i, percentiles->by_size + i + 1,
      (percentiles->n - i) * sizeof (gdouble));
}

static void
insert (LmccPercentiles *percentiles, gdouble sample)
{
  guint i = find (percentiles, sample);

  memmove (percentiles->by_size + i + 1, percentiles->by_size + i,
      (percentiles->n - i) * sizeof (gdouble));
  percentiles->by_size[i] = sample;
  percentiles->n++;
}

/**
 * lmcc_percentiles_add:
 * @percentiles: a history
 * @sample: the newest value; in a full history it replaces the oldest one
 *
 * The time grows with the size of the history, because of one block move.
 *
 * Returns: %FALSE if @sample is infinite or NaN and was ignored
 */
gboolean
lmcc_percentiles_add (LmccPercentiles *percentiles, gdouble sample)
{
  if (!isfinite (sample))
    return FALSE;

  if (percentiles->n == percentiles->size) {
    remove_oldest (percentiles);
    percentiles->by_age[percentiles->oldest] = sample;
    percentiles->oldest = (percentiles->oldest + 1) % percentiles->size;
  } else {
    percentiles->by_age[percentiles->n] = sample;
  }
  insert (percentiles, sample);

  return TRUE;
}

/**
 * lmcc_percentiles_get_count:
 * @percentiles: a history
 *
 * Returns: number of samples
 */
guint
lmcc_percentiles_get_count (const LmccPercentiles *percentiles)
{
  return percentiles->n;
}

/**
 * lmcc_percentiles_get:
 * @percentiles: a history
 * @fraction: q, from 0 to 1; clamped to that; 0.5: the median
 *
 * The sample at position 1 + (n - 1) q, rounded, of the n samples in ascending
 * order (Jain, "The Art of Computer Systems Performance Analysis", 1991,
 * chapter 12, which the paper of lmcc_percentiles_get_mean() cites).
 *
 * Returns: the percentile, in the samples' unit; NaN if there are no samples
 */
gdouble
lmcc_percentiles_get (const LmccPercentiles *percentiles, gdouble fraction)
{
  if (percentiles->n == 0)
    return NAN;

  return percentiles->by_size[(guint) floor (
      (percentiles->n - 1) * clamp_fraction (fraction) + 0.5)];
}

/**
 * lmcc_percentiles_get_mean:
 * @percentiles: a history
 *
 * Returns: the mean of the two percentiles (equation 24 of Colussi,
 * "Equation-based Layered Multicast Congestion Control", 2004), in the samples'
 * unit; NaN if there are no samples
 */
gdouble
lmcc_percentiles_get_mean (const LmccPercentiles *percentiles)
{
  return lmcc_percentiles_get (percentiles, percentiles->low) / 2
      + lmcc_percentiles_get (percentiles, percentiles->high) / 2;
}
