/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sessions/fallback-rungs.h"

#include <math.h>
#include <string.h>

/* One key frame per second. */
#define DISTANCE 25

#define JOIN_LATENCY (30 * LMCC_MSECOND)
#define QUEUE_BDP 2

/* A level fits if it leaves this share of the link unused. */
#define SPARE 1.02

static const gdouble rung_rates[FALLBACK_RUNGS] = { 300e3, 900e3, 2700e3 };

/**
 * fallback_new_net:
 * @levels: layers of each level
 * @algorithm: algorithm of the session
 * @shared: (nullable): the link in front of all receivers; %NULL: no bottleneck
 * @leave_latency: leave latency of the network
 * @seed: random seed
 *
 * Returns: (transfer full): a network whose sender has three rungs
 */
TestNet *
fallback_new_net (LmccLevels levels, const gchar *algorithm,
    const TestLinkSettings *shared, LmccTime leave_latency, guint32 seed)
{
  TestNetConfig config = {
    .n_layers = FALLBACK_RUNGS,
    .levels = levels,
    .algorithm = algorithm,
    .join_latency = JOIN_LATENCY,
    .leave_latency = leave_latency,
    .seed = seed,
  };
  TestNet *net;

  memcpy (config.rates, rung_rates, sizeof (rung_rates));
  if (shared != NULL)
    config.shared = *shared;
  net = test_net_new (&config);
  net->source.distance = DISTANCE;

  return net;
}

static gdouble
get_level_rate (LmccLevels levels, gint level)
{
  gdouble rate = level < 0 ? 0 : rung_rates[0];
  gint i;

  if (level > 0 && levels == LMCC_LEVELS_FALLBACK)
    return rate + rung_rates[level];
  if (level > 0 && levels == LMCC_LEVELS_REPLICATED)
    return rung_rates[level];
  for (i = 1; i <= level; i++)
    rate += rung_rates[i];

  return rate;
}

/**
 * fallback_find_fitting:
 * @levels: layers of each level
 * @rate: rate of a link, bit/s
 *
 * Returns: the highest level that the link carries; at least 0
 */
gint
fallback_find_fitting (LmccLevels levels, gdouble rate)
{
  gint level = 0;

  while (level + 1 < FALLBACK_RUNGS
      && SPARE * get_level_rate (levels, level + 1) <= rate)
    level++;

  return level;
}

/**
 * fallback_make_link:
 * @rate: bit/s
 *
 * Returns: a link with a queue of twice the product of bandwidth and delay
 */
TestLinkSettings
fallback_make_link (gdouble rate)
{
  return (TestLinkSettings){
    .rate = (guint64) rate,
    .delay = FALLBACK_DELAY,
    .queue_bytes =
        (guint64) (QUEUE_BDP * rate / 8 * (2.0 * FALLBACK_DELAY / LMCC_SECOND)),
  };
}

static void
note_spell (LmccTime *since, gdouble *longest, gboolean is, LmccTime from,
    LmccTime to)
{
  if (!is) {
    *since = LMCC_TIME_NONE;
    return;
  }
  if (*since == LMCC_TIME_NONE)
    *since = from;
  *longest = MAX (*longest, (gdouble) (to - *since) / LMCC_SECOND);
}

/**
 * fallback_count:
 * @receiver: a receiver
 * @fits: the fitting level
 * @begin: start of the interval
 * @end: end of the interval
 *
 * Returns: how @receiver's level compares with @fits in that interval
 */
FallbackCount
fallback_count (const TestNetReceiver *receiver, gint fits, LmccTime begin,
    LmccTime end)
{
  FallbackCount count = { .answer = INFINITY };
  LmccTime above = LMCC_TIME_NONE, below = LMCC_TIME_NONE, since = begin;
  gint level = -1;
  guint i;

  for (i = 0; i <= receiver->changes->len; i++) {
    const TestLevelChange *change = i < receiver->changes->len
        ? &g_array_index (receiver->changes, TestLevelChange, i)
        : NULL;
    LmccTime until = change != NULL ? MIN (change->time, end) : end;

    if (until > since) {
      gdouble share = (gdouble) (until - since) / (gdouble) (end - begin);

      count.fitting += level == fits ? share : 0;
      count.shown += level >= 0 ? share * rung_rates[level] : 0;
      note_spell (&above, &count.above, level > fits, since, until);
      note_spell (&below, &count.below, level < fits, since, until);
      if (level == fits)
        count.answer =
            MIN (count.answer, (gdouble) (since - begin) / LMCC_SECOND);
      since = until;
    }
    if (change != NULL)
      level = change->to;
  }

  return count;
}

/**
 * fallback_get_levels_name:
 * @levels: layers of each level
 *
 * Returns: the value of lmccsink's property
 */
const gchar *
fallback_get_levels_name (LmccLevels levels)
{
  static const gchar *const names[] = { "cumulative", "fallback",
    "replicated" };

  return names[levels];
}
