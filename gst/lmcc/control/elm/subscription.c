/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/elm/subscription.h"

#include <math.h>

/**
 * lmcc_subscription_init:
 * @subscription: (out): no timer is running
 * @config: the configuration; copied
 */
void
lmcc_subscription_init (LmccSubscription *subscription,
    const LmccSubscriptionConfig *config)
{
  *subscription = (LmccSubscription){ .config = *config };
}

/**
 * lmcc_subscription_reset:
 * @subscription: a subscription
 *
 * Stops both timers, because the level has changed.
 */
void
lmcc_subscription_reset (LmccSubscription *subscription)
{
  subscription->join.running = FALSE;
  subscription->leave.running = FALSE;
}

static gdouble
react (LmccReactivity reactivity, gdouble x)
{
  switch (reactivity) {
    case LMCC_REACTIVITY_SQUARE_ROOT:
      return sqrt (x);
    case LMCC_REACTIVITY_SQUARE:
      return x * x;
    case LMCC_REACTIVITY_NONE:
      return x < 1 ? 0 : 1;
    default:
      return x;
  }
}

/* Equations 18 to 21. The paper leaves delta unbounded; here it is limited
 * to 0 to 1: beyond, the change is immediate. */
static LmccTime
wait_time (LmccStrategy strategy, LmccReactivity reactivity, LmccTime longest,
    gdouble delta)
{
  /* Above the top layer it is not a number. */
  delta = delta > 0 ? MIN (delta, 1) : 0;
  switch (strategy) {
    case LMCC_STRATEGY_NAIVE:
      return 0;
    case LMCC_STRATEGY_SKEPTICAL:
      return longest;
    default:
      return (LmccTime) ((1 - react (reactivity, delta)) * longest);
  }
}

static void
update_timer (LmccSubscriptionTimer *timer, LmccTime now, gboolean crossed,
    gboolean beyond_zone, LmccTime wait)
{
  if (!crossed) {
    timer->running = FALSE;
    return;
  }
  if (!timer->running) {
    if (!beyond_zone)
      return;
    timer->running = TRUE;
    timer->since = now;
  }
  timer->at = timer->since + wait;
}

/**
 * lmcc_subscription_update:
 * @subscription: a subscription
 * @now: the time
 * @rate: the rate that the path permits, bit/s; may be infinite
 * @rates: rates around the current level
 *
 * Starts, moves and cancels the timers. A running timer that has expired tells
 * what to do. At the base layer there is nothing to leave, at the top level
 * nothing to join.
 */
void
lmcc_subscription_update (LmccSubscription *subscription, LmccTime now,
    gdouble rate, const LmccSubscriptionRates *rates)
{
  const LmccSubscriptionConfig *config = &subscription->config;
  gdouble up = rates->above - rates->current;
  gdouble down = rates->current - rates->below;
  gdouble join_delta = isinf (rate) ? 1 : (rate - rates->above) / up;
  gdouble leave_delta = (rates->current - rate) / down;

  update_timer (&subscription->join, now,
      isfinite (rates->above) && rate > rates->above,
      join_delta > config->passive_zone,
      wait_time (config->strategy, config->join_reactivity, config->join_time,
          join_delta));
  update_timer (&subscription->leave, now,
      rates->below > 0
          && rate<rates->current, leave_delta> config->passive_zone,
      wait_time (config->strategy, config->leave_reactivity, config->leave_time,
          leave_delta));
}
