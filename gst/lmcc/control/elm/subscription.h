/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_ELM_SUBSCRIPTION_H
#define LMCC_CONTROL_ELM_SUBSCRIPTION_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/**
 * LmccStrategy:
 * @LMCC_STRATEGY_NAIVE: join and leave as soon as the rate calls for it
 * @LMCC_STRATEGY_SKEPTICAL: only if the rate calls for it during a fixed time
 * @LMCC_STRATEGY_LAZY: only if the rate calls for it during a time that is shorter the
 *     more the rate exceeds the threshold
 *
 * When the calculated rate leads to a join or leave (Colussi, "Equation-based Layered
 * Multicast Congestion Control", 2004, section 6.1).
 */
typedef enum
{
  LMCC_STRATEGY_NAIVE,
  LMCC_STRATEGY_SKEPTICAL,
  LMCC_STRATEGY_LAZY,
} LmccStrategy;

/**
 * LmccReactivity:
 * @LMCC_REACTIVITY_LINEAR: r(x) = x, the paper's function for joins
 * @LMCC_REACTIVITY_SQUARE_ROOT: r(x) = sqrt (x), the paper's function for leaves
 * @LMCC_REACTIVITY_SQUARE: r(x) = x^2, slower than both
 * @LMCC_REACTIVITY_NONE: r(x) = 0: the full time as long as x is below 1
 *
 * How much the lazy strategy shortens its wait if the rate is beyond the threshold by the
 * fraction x of a layer (figure 30 of the same paper).
 */
typedef enum
{
  LMCC_REACTIVITY_LINEAR,
  LMCC_REACTIVITY_SQUARE_ROOT,
  LMCC_REACTIVITY_SQUARE,
  LMCC_REACTIVITY_NONE,
} LmccReactivity;

/**
 * LmccSubscriptionConfig:
 * @strategy: the strategy
 * @join_time: t_join^max: longest wait before a join
 * @leave_time: t_leave^max: longest wait before a leave
 * @join_reactivity: for joins with the lazy strategy
 * @leave_reactivity: for leaves with the lazy strategy
 * @passive_zone: no timer starts within this fraction of a layer beyond the threshold,
 *     from 0 to 1
 */
typedef struct
{
  LmccStrategy strategy;
  LmccTime join_time;
  LmccTime leave_time;
  LmccReactivity join_reactivity;
  LmccReactivity leave_reactivity;
  gdouble passive_zone;
} LmccSubscriptionConfig;

/**
 * LmccSubscriptionRates:
 * @below: B_{i-1}, 0 at the base layer
 * @current: B_i
 * @above: B_{i+1}, infinite if there is no layer above
 *
 * Cumulative rates around the current level, bit/s.
 */
typedef struct
{
  gdouble below;
  gdouble current;
  gdouble above;
} LmccSubscriptionRates;

/**
 * LmccSubscriptionTimer:
 * @running: whether the timer is running
 * @since: when the rate crossed the threshold
 * @at: when the timer expires at the present rate
 */
typedef struct
{
  gboolean running;
  LmccTime since;
  LmccTime at;
} LmccSubscriptionTimer;

/**
 * LmccSubscription:
 * @join: timer of the next join
 * @leave: timer of the next leave
 *
 * Decides by a rate when to join and when to leave. Fields are read-only.
 */
typedef struct
{
  LmccSubscriptionConfig config;
  LmccSubscriptionTimer join;
  LmccSubscriptionTimer leave;
} LmccSubscription;

void lmcc_subscription_init (LmccSubscription *subscription,
    const LmccSubscriptionConfig *config);
void lmcc_subscription_reset (LmccSubscription *subscription);
void lmcc_subscription_update (LmccSubscription *subscription, LmccTime now,
    gdouble rate, const LmccSubscriptionRates *rates);

G_END_DECLS

#endif
