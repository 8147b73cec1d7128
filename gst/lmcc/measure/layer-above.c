/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure/layer-above.h"

#include "measure/trains.h"

#include <math.h>
#include <string.h>

#define BIN (4 * (gint64) LMCC_MSECOND)

/* A packet that is older than another one by less than this number of bins
 * was overtaken by it. If it is older still, the sender's clock was set. */
#define OVERTAKEN (2 * (gint64) LMCC_SECOND / BIN)

/* With fewer occupied bins no slope is computed. */
#define LEAST_BINS 4

/* Fewer trains are not significant: beside four TCP connections that fill a
 * queue, the standard deviation of one train's bend equals its mean. */
#define LEAST_TRAINS 5

/* After this number of cycles without a train the latest ones no longer
 * count. */
#define WORTH_CYCLES 4

/*
 * lmcc_layer_above_init:
 * @above: (out): nothing is known of the higher layers
 */
void
lmcc_layer_above_init (LmccLayerAbove *above)
{
  guint i;

  memset (above, 0, sizeof (*above));
  for (i = 0; i < LMCC_LAYER_ABOVE_BINS; i++)
    above->bins[i].number = -1;
}

/*
 * lmcc_layer_above_packet:
 * @above: state for the current level
 * @sent: send time of a packet of the level, relative to the very first packet,
 *     in ns
 * @delay: its arrival time minus @sent, with an unknown constant, in ns
 */
void
lmcc_layer_above_packet (LmccLayerAbove *above, gint64 sent, gint64 delay)
{
  gint64 number = sent / BIN;
  LmccLayerAboveBin *bin;

  if (sent < 0)
    return;
  bin = &above->bins[number % LMCC_LAYER_ABOVE_BINS];
  if (bin->number > number && bin->number - number < OVERTAKEN)
    return;
  if (bin->number != number)
    *bin = (LmccLayerAboveBin){ .number = number };
  bin->sent += (gdouble) sent;
  bin->delay += (gdouble) delay;
  bin->n++;
}

/* Slope of the delay over the send time by least squares, both in ns, from
 * @begin to @end. Returns %FALSE if there are too few packets. */
static gboolean
find_slope (const LmccLayerAbove *above, gint64 begin, gint64 end,
    gdouble *slope)
{
  gdouble x = 0, y = 0, xx = 0, xy = 0, zero = 0, spread;
  guint n = 0, i;

  for (i = 0; i < LMCC_LAYER_ABOVE_BINS; i++) {
    const LmccLayerAboveBin *bin = &above->bins[i];
    gdouble sent = bin->sent / MAX (bin->n, 1) - (gdouble) begin;
    gdouble delay = bin->delay / MAX (bin->n, 1);

    if (bin->n == 0 || sent < 0 || sent > (gdouble) (end - begin))
      continue;
    if (n++ == 0)
      zero = delay;
    x += sent;
    y += delay - zero;
    xx += sent * sent;
    xy += sent * (delay - zero);
  }
  spread = n * xx - x * x;
  if (n < LEAST_BINS || spread <= 0)
    return FALSE;
  *slope = (n * xy - x * y) / spread;

  return TRUE;
}

/*
 * lmcc_layer_above_end_train:
 * @above: state for the current level
 * @now: the time
 * @begin: send time of the first packet of a train for the next level, relative
 *     to the very first packet, in ns
 * @end: send time of its last packet
 * @length: the sender's length of the train (lmcc_train_get_length()), in ns
 *
 * The bend is the slope of the delay in the train minus that before it; a
 * queue that others fill at a steady rate does not change it. Let r be the
 * rate of the layers that the next level adds, and C the link's rate. The
 * bend is +r/C if these layers do not flow, and about -0.6 r/C, in the
 * opposite direction, if they do, because they send (1 + 1/2) / 2 of what is
 * due in the train, and in the settling before it, in addition to their
 * rate.
 */
void
lmcc_layer_above_end_train (LmccLayerAbove *above, LmccTime now, gint64 begin,
    gint64 end, LmccTime length)
{
  gint64 settle = (gint64) length / LMCC_TRAIN_SETTLE_DIVISOR;
  gint64 ahead = (gint64) length * LMCC_TRAIN_AHEAD_TIMES;
  gdouble before, within;

  if (!find_slope (above, begin, end, &within)
      || !find_slope (above, begin - settle - ahead, begin - settle, &before))
    return;
  above->bends[above->next] = within - before;
  above->next = (above->next + 1) % LMCC_LAYER_ABOVE_TRAINS;
  above->n = MIN (above->n + 1, LMCC_LAYER_ABOVE_TRAINS);
  above->latest = now;
}

/*
 * lmcc_layer_above_flows:
 * @above: state for the current level
 * @now: the time
 * @cycle: time from one train to the next for the same level, in ns
 *
 * Returns: whether the layers that the next level adds already flow on the
 * bottleneck: the mean bend of the latest trains is below zero, which is
 * about the middle between both cases, by more than its standard error
 */
gboolean
lmcc_layer_above_flows (const LmccLayerAbove *above, LmccTime now,
    LmccTime cycle)
{
  gdouble sum = 0, squares = 0, mean, error;
  guint i;

  if (above->n < LEAST_TRAINS || now >= above->latest + WORTH_CYCLES * cycle)
    return FALSE;
  for (i = 0; i < above->n; i++) {
    sum += above->bends[i];
    squares += above->bends[i] * above->bends[i];
  }
  mean = sum / above->n;
  error = sqrt (MAX (squares / above->n - mean * mean, 0) / (above->n - 1));

  return mean < -error;
}
