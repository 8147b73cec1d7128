/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure/layer-above.h"

#include "measure/trains.h"

#include <math.h>
#include <string.h>

#define BIN (4 * (gint64) LMCC_MSECOND)

/* A packet that is older than another one by less than this number of bins was
 * overtaken by it. Where it is older than that, the sender's clock was set. */
#define OVERTAKEN (2 * (gint64) LMCC_SECOND / BIN)

/* Fewer bins with packets say nothing of a slope. */
#define LEAST_BINS 4

/* Fewer trains say nothing: beside four TCP connections that fill a queue, the
 * bend of one train has a standard deviation of as much as its mean. */
#define LEAST_TRAINS 5

/* After this number of cycles without a train the latest ones do not count. */
#define WORTH_CYCLES 4

/*
 * lmcc_layer_above_init:
 * @above: (out): nothing is known of the layers above
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
 * @above: of the level held
 * @sent: when a packet of it was sent, since the first one of all, ns
 * @delay: its arrival less @sent, with an unknown constant, ns
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

/* Of the delay, over the send time, by least squares; both in ns, from @begin
 * to @end. Returns %FALSE where there is too little to say. */
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
 * @above: of the level held
 * @now: the time
 * @begin: when the first packet of a train for the next level was sent, since
 *     the first one of all, ns
 * @end: when its last one was
 * @length: what the sender reckons with for the train (lmcc_train_get_length())
 *
 * The bend is the slope of the delay in the train less that before it, which a
 * queue that others fill at a steady rate does not change. Let r be the rate of
 * what the next level adds, and C the link's: it is +r/C where that does not
 * flow, and about -0.6 r/C, the other way, where it does, as it sends
 * (1 + 1/2) / 2 of what is due in the train, and in the settling before it, on
 * top of its rate.
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
 * @above: of the level held
 * @now: the time
 * @cycle: from one train to the next for the same level
 *
 * Returns: whether what the next level adds flows on the bottleneck already:
 *     the mean bend of the latest trains is below zero, which lies about in the
 *     middle between both cases, by more than its standard error
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
