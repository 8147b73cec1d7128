/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the tables of docs/measured/levels.md have in common: three rungs, their levels,
 * links, and for how long a receiver is not at the level that fits.
 */
#ifndef FALLBACK_RUNGS_H
#define FALLBACK_RUNGS_H

#include "support/test-net.h"

#define FALLBACK_RUNGS 3

/* From a sender's or a receiver's host to the other. */
#define FALLBACK_DELAY (30 * LMCC_MSECOND)
#define FALLBACK_LEAVE_LATENCY (500 * LMCC_MSECOND)

/**
 * FallbackCount:
 * @fitting: part of the time at the level that fits
 * @shown: mean rate of the rung that is shown, bit/s
 * @above: the longest time above the level that fits, s
 * @below: likewise, below it
 * @answer: until that level was reached for the first time, s; %INFINITY: never
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
