/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_MEASURE_AUDIENCE_H
#define LMCC_MEASURE_AUDIENCE_H

#include "measure/report-limit.h"
#include "measure/report-timer.h"

G_BEGIN_DECLS

/* The largest audience that is believed in, so that false reports cannot silence
 * receivers for longer than it would. */
#define LMCC_AUDIENCE_MAX (10 * LMCC_FEEDBACK_RECEIVERS)

/* So many receivers one address can make of itself, whatever it sends. A receiver
 * reports twice in an interval at most (measure/report-timer). */
#define LMCC_AUDIENCE_PER_ORIGIN 2

/* First reports that are remembered: the law tells the audience to within an
 * eighth by then. */
#define LMCC_AUDIENCE_FIRST_REPORTS 64

/* Changes of the interval that are remembered: more than one crowd makes. */
#define LMCC_AUDIENCE_CHANGES 16

/**
 * LmccAudience:
 * @receivers: how many there are, estimated
 * @interval: what is announced to them
 * @least: the shortest interval
 * @changed: when the interval was changed last
 * @changes: the latest changes, and what the interval was before each
 * @n_changes: how many there have been
 * @grown: when more were seen than the interval was for
 * @settled: when those who waited then report as they should
 * @counting_from: when the count began
 * @counted_until: up to when @counted and @intervals reach; what comes before
 *     that is not counted
 * @excluded_until: up to when a change kept reports from counting
 * @counted: for how long was counted
 * @intervals: how many intervals that was: as many reports are wanted of each
 *     receiver
 * @unproved: @receivers comes from when one or two reports came, and no more
 * @arrivals: reports in that time; before @settled they may be too few
 * @first_reports: the latest reports of addresses that had not reported before
 * @origins: what of each address counts
 * @passed: intervals, each by what it was
 * @passed_until: when that was
 *
 * Estimates how many receivers report, and what interval keeps the sum of their
 * reports at what is wanted. Addresses count, and not the SSRCs of which one host
 * can write any number.
 */
typedef struct
{
  gdouble receivers;
  gboolean unproved;
  LmccTime interval;
  LmccTime least;
  LmccTime changed;
  struct
  {
    LmccTime time;
    LmccTime before;
  } changes[LMCC_AUDIENCE_CHANGES];
  guint n_changes;
  LmccTime grown;
  LmccTime settled;
  LmccTime counting_from;
  LmccTime counted_until;
  LmccTime excluded_until;
  LmccTime counted;
  gdouble intervals;
  guint64 arrivals;
  struct
  {
    guint64 origin;
    LmccTime started;
  } first_reports[LMCC_AUDIENCE_FIRST_REPORTS];
  guint n_first_reports;
  LmccOriginBuckets origins;
  gdouble passed;
  LmccTime passed_until;
} LmccAudience;

void lmcc_audience_init (LmccAudience *audience, LmccTime least, LmccTime now,
    guint32 secret);
void lmcc_audience_clear (LmccAudience *audience);
gboolean
lmcc_audience_admit (LmccAudience *audience, LmccTime now, guint64 origin);
gboolean lmcc_audience_report (LmccAudience *audience, LmccTime now,
    guint64 origin, LmccTime age, LmccTime rtt_max, gdouble rate);
gboolean lmcc_audience_update (LmccAudience *audience, LmccTime now,
    LmccTime rtt_max, gdouble rate);
LmccTime lmcc_audience_next (const LmccAudience *audience);

G_END_DECLS

#endif
