/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure/rate-meter.h"

#include <string.h>

/**
 * lmcc_receive_rate_reset:
 * @rate: (out): a measurement without packets
 *
 * Call it when the measured quantity changes, for instance with another level.
 */
void
lmcc_receive_rate_reset (LmccReceiveRate *rate)
{
  memset (rate, 0, sizeof (*rate));
}

static void
advance (LmccReceiveRate *rate, LmccTime now)
{
  guint64 step = now / LMCC_RECEIVE_RATE_STEP;

  if (step >= rate->step + LMCC_RECEIVE_RATE_STEPS) {
    memset (rate->bytes, 0, sizeof (rate->bytes));
    rate->step = step;
  }
  while (rate->step < step)
    rate->bytes[++rate->step % LMCC_RECEIVE_RATE_STEPS] = 0;
}

/**
 * lmcc_receive_rate_add:
 * @rate: a measurement
 * @arrival: arrival time of a packet, in ns
 * @bytes: its size, including IP and UDP headers
 */
void
lmcc_receive_rate_add (LmccReceiveRate *rate, LmccTime arrival, gsize bytes)
{
  if (!rate->started) {
    rate->started = TRUE;
    rate->start = arrival;
    rate->step = arrival / LMCC_RECEIVE_RATE_STEP;
  }
  advance (rate, arrival);
  rate->bytes[rate->step % LMCC_RECEIVE_RATE_STEPS] += bytes;
}

/**
 * lmcc_receive_rate_get:
 * @rate: a measurement
 * @now: the time
 *
 * Returns: X_recv in bit/s over the last second, or since the first packet if
 * that is shorter, but over at least one step
 */
gdouble
lmcc_receive_rate_get (LmccReceiveRate *rate, LmccTime now)
{
  const LmccTime window = LMCC_RECEIVE_RATE_STEPS * LMCC_RECEIVE_RATE_STEP;
  guint64 bytes = 0;
  LmccTime begin, span;
  guint i;

  if (!rate->started)
    return 0;

  advance (rate, now);
  for (i = 0; i < LMCC_RECEIVE_RATE_STEPS; i++)
    bytes += rate->bytes[i];
  begin = (rate->step + 1) * LMCC_RECEIVE_RATE_STEP;
  begin = begin > window ? begin - window : 0;
  begin = MAX (begin, rate->start);
  span = MAX (now > begin ? now - begin : 0, LMCC_RECEIVE_RATE_STEP);

  return 8.0 * bytes * LMCC_SECOND / span;
}
