/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_ELM_SUBSCRIPTION_H
#define LMCC_CONTROL_ELM_SUBSCRIPTION_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/**
 * LmccStrategy:
 * @LMCC_STRATEGY_NAIVE: join and leave as soon as the rate says so
 * @LMCC_STRATEGY_SKEPTICAL: only where it says so for a fixed time
 * @LMCC_STRATEGY_LAZY: only where it says so for a time that is the shorter the
 *     clearer it is
 *
 * Colussi, "Equation-based Layered Multicast Congestion Control", 2004, section
 * 6.1.
 */
typedef enum
{
  LMCC_STRATEGY_NAIVE,
  LMCC_STRATEGY_SKEPTICAL,
  LMCC_STRATEGY_LAZY,
} LmccStrategy;

/**
 * LmccReactivity:
 * @LMCC_REACTIVITY_LINEAR: r(x) = x, the paper's for joins
 * @LMCC_REACTIVITY_SQUARE_ROOT: r(x) = sqrt (x), the paper's for leaves
 * @LMCC_REACTIVITY_SQUARE: r(x) = x^2, slower than both
 * @LMCC_REACTIVITY_NONE: r(x) = 0: the full time as long as x is below 1
 *
 * How far the lazy strategy cuts its waiting time when the rate is the part x of
 * a layer beyond the border (figure 30 of the same).
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
 * @strategy: which
 * @join_time: t_join^max: longest wait before a join
 * @leave_time: t_leave^max: longest wait before a leave
 * @join_reactivity: for the lazy strategy
 * @leave_reactivity: for the lazy strategy
 * @passive_zone: no timer starts within this part of a layer beyond the border,
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
 * @below: B_{i-1}, 0 at the base
 * @current: B_i
 * @above: B_{i+1}, infinite where there is no layer above
 *
 * Cumulative rates around the level held, bit/s.
 */
typedef struct
{
  gdouble below;
  gdouble current;
  gdouble above;
} LmccSubscriptionRates;

/**
 * LmccSubscriptionTimer:
 * @running: whether it runs
 * @since: when the rate crossed the border
 * @at: when it runs out, as the rate is now
 */
typedef struct
{
  gboolean running;
  LmccTime since;
  LmccTime at;
} LmccSubscriptionTimer;

/**
 * LmccSubscription:
 * @join: towards a join
 * @leave: towards a leave
 *
 * Decides by a rate when to join and when to leave. To be read.
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
