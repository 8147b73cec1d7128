/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure/expected-loss.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A report counts for this long: a receiver in a small audience reports every
 * few seconds, and of a large one hundreds report in this time. */
#define LIFETIME (30 * LMCC_SECOND)

/* One of this many reporters may have more losses than the chosen one, so
 * that one broken link or one liar among ten does not set the value. */
#define BEYOND_DIVISOR 10

/* The value rises at once to more than JUMP times itself. Otherwise it
 * follows with these time constants, in s, because reports vary by chance:
 * by a quarter at 2 % loss of 40 packets a second. Below LEAST it is 0. */
#define JUMP 1.5
#define RISE_TIME 5.0
#define FALL_TIME 15.0
#define LEAST 0.0005

static const LmccLossReport no_losses = { 0.0, 1.0 };

/*
 * lmcc_expected_loss_init:
 * @expected: (out): no reports yet
 * @now: the time
 */
void
lmcc_expected_loss_init (LmccExpectedLoss *expected, LmccTime now)
{
  memset (expected, 0, sizeof (*expected));
  expected->value = no_losses;
  expected->updated = now;
}

/* The place of the origin's earlier report, or of the oldest one. */
static LmccLossReporter *
find_place (LmccExpectedLoss *expected, guint64 origin)
{
  LmccLossReporter *oldest = &expected->reporters[0];
  guint i;

  for (i = 0; i < LMCC_EXPECTED_LOSS_REPORTERS; i++) {
    LmccLossReporter *reporter = &expected->reporters[i];

    if (reporter->origin == origin)
      return reporter;
    if (reporter->arrived < oldest->arrived)
      oldest = reporter;
  }

  return oldest;
}

/*
 * lmcc_expected_loss_take:
 * @expected: the losses to expect
 * @now: the time
 * @origin: where the report comes from, see lmcc_report_origin()
 * @losses: what it says
 *
 * An origin's report replaces its earlier one, so an address has one vote.
 */
void
lmcc_expected_loss_take (LmccExpectedLoss *expected, LmccTime now,
    guint64 origin, const LmccLossReport *losses)
{
  LmccLossReporter *reporter = find_place (expected, origin);

  reporter->origin = origin;
  reporter->arrived = now;
  reporter->losses.loss_rate =
      CLAMP (losses->loss_rate, 0.0, LMCC_EXPECTED_LOSS_MOST);
  reporter->losses.burst = CLAMP (losses->burst, 1.0, LMCC_EXPECTED_LOSS_BURST);
}

/* Long runs need more repair data than single losses. */
static gint
compare_weight (gconstpointer a, gconstpointer b)
{
  const LmccLossReport *x = a, *y = b;
  gdouble left = x->loss_rate * x->burst, right = y->loss_rate * y->burst;

  return (left > right) - (left < right);
}

static guint
collect (const LmccExpectedLoss *expected, LmccTime now, LmccLossReport *losses)
{
  guint n = 0, i;

  for (i = 0; i < LMCC_EXPECTED_LOSS_REPORTERS; i++) {
    const LmccLossReporter *reporter = &expected->reporters[i];

    if (reporter->origin != 0 && now <= reporter->arrived + LIFETIME)
      losses[n++] = reporter->losses;
  }

  return n;
}

static gdouble
follow (gdouble value, gdouble target, LmccTime passed)
{
  gdouble time = target > value ? RISE_TIME : FALL_TIME;

  return target > JUMP * value ? target
                               : target
          + (value - target) * exp (-(gdouble) passed / (time * LMCC_SECOND));
}

/*
 * lmcc_expected_loss_update:
 * @expected: the losses to expect
 * @now: the time
 *
 * Returns: whether there are recent reports; without them, nothing is known
 * and the next report sets the value
 */
gboolean
lmcc_expected_loss_update (LmccExpectedLoss *expected, LmccTime now)
{
  LmccLossReport losses[LMCC_EXPECTED_LOSS_REPORTERS];
  const LmccLossReport *chosen;
  LmccTime passed = now > expected->updated ? now - expected->updated : 0;

  expected->updated = MAX (expected->updated, now);
  expected->n = collect (expected, now, losses);
  if (expected->n == 0) {
    expected->value = no_losses;
    return FALSE;
  }
  qsort (losses, expected->n, sizeof (losses[0]), compare_weight);
  chosen = &losses[expected->n - 1 - expected->n / BEYOND_DIVISOR];
  expected->value.loss_rate =
      follow (expected->value.loss_rate, chosen->loss_rate, passed);
  expected->value.burst = follow (expected->value.burst,
      chosen->loss_rate > 0 ? chosen->burst : 1.0, passed);
  if (expected->value.loss_rate < LEAST)
    expected->value = no_losses;

  return TRUE;
}
