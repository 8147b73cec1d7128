/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/plumb/steps.h"

#include <math.h>
#include <string.h>

/* Time constants of the two means. */
#define SLOW (20.0 * LMCC_SECOND)
#define FAST (2.0 * LMCC_SECOND)

/* A level held for less than this is not calm. */
#define CALM (20 * LMCC_SECOND)

/* A step has at least this size, for this long. New competing traffic calls
 * for a quick reaction; when competing traffic leaves, packet trains find
 * room sooner than this. */
#define DOWN 0.75
#define DOWN_LASTING (3 * LMCC_SECOND)
#define UP 1.5
#define UP_LASTING (5 * LMCC_SECOND)

/*
 * lmcc_steps_reset:
 * @steps: forgets earlier measurements, because level or path changed
 * @now: the time
 */
void
lmcc_steps_reset (LmccSteps *steps, LmccTime now)
{
  memset (steps, 0, sizeof (*steps));
  steps->since = now;
}

static void
follow (gdouble *mean, gdouble rate, gdouble elapsed, gdouble time)
{
  *mean += (1 - exp (-elapsed / time)) * (rate - *mean);
}

static gboolean
lasts (LmccTime *since, LmccTime now, LmccTime time, gboolean is)
{
  if (!is) {
    *since = 0;
    return FALSE;
  }
  if (*since == 0)
    *since = now;

  return now >= *since + time;
}

/*
 * lmcc_steps_add:
 * @steps: steps
 * @now: the time
 * @rate: the fair rate, bit/s, finite
 *
 * Returns: whether the rate made a step
 */
LmccStep
lmcc_steps_add (LmccSteps *steps, LmccTime now, gdouble rate)
{
  gdouble age = (gdouble) (now - steps->since);
  gboolean calm = now >= steps->since + CALM, low, high;

  if (steps->at == 0)
    steps->slow = steps->fast = rate;
  else {
    follow (&steps->slow, rate, (gdouble) (now - steps->at), MIN (SLOW, age));
    follow (&steps->fast, rate, (gdouble) (now - steps->at), FAST);
  }
  steps->at = now;
  low = lasts (&steps->low_since, now, DOWN_LASTING,
      calm && steps->fast < DOWN * steps->slow);
  high = lasts (&steps->high_since, now, UP_LASTING,
      calm && steps->fast > UP * steps->slow);

  return low ? LMCC_STEP_DOWN : high ? LMCC_STEP_UP : LMCC_STEP_NONE;
}

/*
 * lmcc_steps_get_rate:
 * @steps: steps
 *
 * Returns: the fair rate of the last seconds, bit/s
 */
gdouble
lmcc_steps_get_rate (const LmccSteps *steps)
{
  return steps->fast;
}
