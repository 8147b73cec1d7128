/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Common code for the tables of docs/measured/levels.md: three rungs, their
 * levels, links, and how long a receiver is not at the fitting level.
 */
#ifndef FALLBACK_RUNGS_H
#define FALLBACK_RUNGS_H

#include "support/test-net.h"

#define FALLBACK_RUNGS 3

/* One-way delay between the hosts of sender and receiver. */
#define FALLBACK_DELAY (30 * LMCC_MSECOND)
#define FALLBACK_LEAVE_LATENCY (500 * LMCC_MSECOND)

/**
 * FallbackCount:
 * @fitting: share of the time at the fitting level
 * @shown: mean rate of the shown rung, bit/s
 * @above: the longest time above the fitting level, s
 * @below: the longest time below the fitting level, s
 * @answer: time until the fitting level was reached for the first time, s;
 *     %INFINITY: never
 */
typedef struct
{
  gdouble fitting;
  gdouble shown;
  gdouble above;
  gdouble below;
  gdouble answer;
} FallbackCount;

TestNet *fallback_new_net (LmccLevels levels, const gchar *algorithm,
    const TestLinkSettings *shared, LmccTime leave_latency, guint32 seed);
gint fallback_find_fitting (LmccLevels levels, gdouble rate);
TestLinkSettings fallback_make_link (gdouble rate);
FallbackCount fallback_count (const TestNetReceiver *receiver, gint fits,
    LmccTime begin, LmccTime end);
const gchar *fallback_get_levels_name (LmccLevels levels);

#endif
