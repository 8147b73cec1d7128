/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_MEASURE_AUDIENCE_H
#define LMCC_MEASURE_AUDIENCE_H

#include "measure/report-limit.h"
#include "measure/report-timer.h"

G_BEGIN_DECLS

/* Largest audience that is assumed, so that forged reports cannot silence receivers
 * for longer than such an audience would. */
#define LMCC_AUDIENCE_MAX (10 * LMCC_FEEDBACK_RECEIVERS)

/* Number of receivers that one address counts for at most, whatever it sends. A
 * receiver reports at most twice per interval (measure/report-timer). */
#define LMCC_AUDIENCE_PER_ORIGIN 2

/* Number of first reports that are remembered: the law then yields the audience to
 * within an eighth. */
#define LMCC_AUDIENCE_FIRST_REPORTS 64

/* Number of remembered changes of the interval: more than one crowd causes. */
#define LMCC_AUDIENCE_CHANGES 16

/**
 * LmccAudience:
 * @receivers: estimated number of receivers
 * @interval: the interval announced to them
 * @least: the shortest interval
 * @changed: when the interval last changed
 * @changes: the latest changes, with the previous interval of each
 * @n_changes: number of changes so far
 * @grown: when more receivers appeared than the interval is meant for
 * @settled: when receivers that waited at that time report regularly
 * @counting_from: start of the count
 * @counted_until: end of the time that @counted and @intervals cover; earlier arrivals
 *     are not counted
 * @excluded_until: end of the time in which reports do not count because of a change
 * @counted: duration of the count
 * @intervals: duration in intervals, the expected number of reports per receiver
 * @unproved: @receivers is based only on the times of one or two reports
 * @arrivals: reports in that time; before @settled there may be too few
 * @first_reports: the latest reports from addresses that had not reported before
 * @origins: limits the reports of each address
 * @passed: elapsed intervals, each by its length at that time
 * @passed_until: the time for which @passed is valid
 *
 * Estimates how many receivers report, and which interval keeps the total of their
 * reports at the intended rate. It counts addresses and not SSRCs, of which one host can
 * use any number.
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
