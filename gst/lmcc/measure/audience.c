/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure/audience.h"

#include <math.h>

/* Longest interval: the range of the session record's keys for it. */
#define LONGEST_INTERVAL (1000000 * LMCC_SECOND)

/* Intervals are announced in these steps, and only if they change by more
 * than this factor. */
#define INTERVAL_STEP (100 * LMCC_MSECOND)
#define LONGER 1.1
#define SHORTER 0.8

/* If the interval grows again within this time, the change is delayed until
 * its end, unless it grows by more than this factor. */
#define CHANGE_SPACING (100 * LMCC_MSECOND)
#define MUCH_LONGER 2

/* Arrivals are compared with the expected number when this many were
 * expected, for at least and at most this time: the standard deviation of 16
 * is a quarter. That none of 4 expected reports arrives has a probability of
 * 1/55. */
#define COUNT_WANTED 16
#define COUNT_EMPTY 4
#define COUNT_SHORTEST (5 * LMCC_SECOND)
#define COUNT_LONGEST (30 * LMCC_SECOND)

/* This many first reports are a crowd. One or two may come from one or two
 * receivers that drew a short wait: the audience size that their times imply
 * is assumed at once, and dropped as soon as the implied receivers do not
 * report. */
#define CROWD 3
#define UNPROVED_SHORTEST LMCC_SECOND

/* Arrivals that exceed the expected number by this many standard deviations
 * and by this margin are not random. */
#define SURPRISE_DEVIATIONS 2.5
#define SURPRISE_MARGIN 2

/*
 * lmcc_audience_init:
 * @audience: (out): an audience of unknown size
 * @least: the shortest interval, in ns
 * @now: the time
 * @secret: a random number
 */
void
lmcc_audience_init (LmccAudience *audience, LmccTime least, LmccTime now,
    guint32 secret)
{
  *audience = (LmccAudience){ .interval = least,
    .least = least,
    .changed = now,
    .settled = now,
    .counting_from = now,
    .counted_until = now,
    .passed_until = now };
  lmcc_origin_buckets_init (&audience->origins, LMCC_AUDIENCE_PER_ORIGIN,
      LMCC_AUDIENCE_PER_ORIGIN, secret);
}

void
lmcc_audience_clear (LmccAudience *audience)
{
  lmcc_origin_buckets_clear (&audience->origins);
}

static LmccTime
wanted_interval (const LmccAudience *audience, gdouble rate)
{
  gdouble interval = audience->receivers / rate * (gdouble) LMCC_SECOND;
  gdouble steps = ceil (
      MIN (interval, (gdouble) LONGEST_INTERVAL) / (gdouble) INTERVAL_STEP);

  return MAX ((LmccTime) steps * INTERVAL_STEP, audience->least);
}

static void
count_from (LmccAudience *audience, LmccTime time)
{
  audience->counting_from = time;
  audience->counted_until = time;
  audience->counted = 0;
  audience->intervals = 0;
  audience->arrivals = 0;
}

static void
count_until (LmccAudience *audience, LmccTime now)
{
  LmccTime elapsed;

  if (now <= audience->counted_until)
    return;
  elapsed = now - audience->counted_until;
  audience->counted += elapsed;
  audience->intervals += (gdouble) elapsed / (gdouble) audience->interval;
  audience->counted_until = now;
}

/* A change of the interval is a change of scale: the rest of a wait keeps
 * its proportion (measure/report-timer). So do the tokens. */
static void
pass (LmccAudience *audience, LmccTime now)
{
  if (now <= audience->passed_until)
    return;
  audience->passed +=
      (gdouble) (now - audience->passed_until) / (gdouble) audience->interval;
  audience->passed_until = now;
}

static void
change (LmccAudience *audience, LmccTime now, LmccTime interval)
{
  guint slot = audience->n_changes++ % LMCC_AUDIENCE_CHANGES;

  pass (audience, now);
  audience->changes[slot].time = now;
  audience->changes[slot].before = audience->interval;
  audience->interval = interval;
  audience->changed = now;
}

/* While some receivers wait for their first timer, there may be more
 * arrivals than expected, but not fewer: the count restarts. */
static void
settle (LmccAudience *audience, LmccTime now)
{
  if (now >= audience->settled && audience->counting_from < audience->settled)
    count_from (audience, MAX (audience->settled, audience->counted_until));
}

/* Reports sent with the previous interval are under way for R_max. Arrivals
 * in that time do not count; if the base rate changes often, they are
 * excluded for at most half of the time. */
static void
exclude (LmccAudience *audience, LmccTime now, LmccTime rtt_max)
{
  if (now < audience->excluded_until + rtt_max)
    return;
  audience->counted_until = now + rtt_max;
  audience->excluded_until = now + rtt_max;
}

static gboolean
wants_longer (const LmccAudience *audience, gdouble rate)
{
  return (gdouble) wanted_interval (audience, rate)
      > (gdouble) audience->interval * LONGER;
}

/* A longer interval is announced at once. */
static gboolean
lengthen (LmccAudience *audience, LmccTime now, gdouble rate)
{
  LmccTime interval = wanted_interval (audience, rate);

  if (!wants_longer (audience, rate))
    return FALSE;
  if (now < audience->changed + CHANGE_SPACING
      && interval < MUCH_LONGER * audience->interval)
    return FALSE;
  change (audience, now, interval);

  return TRUE;
}

/* There are more receivers than estimated: earlier counts, and reports that
 * are under way, say nothing about them. If the change must wait,
 * lmcc_audience_update() makes it, and the count begins when the audience
 * has settled. */
static gboolean
lengthen_for_more (LmccAudience *audience, LmccTime now, gdouble rate,
    LmccTime rtt_max, LmccTime settling)
{
  if (!wants_longer (audience, rate))
    return FALSE;
  audience->settled = MAX (audience->settled, now + settling);
  audience->grown = now;
  if (!lengthen (audience, now, rate))
    return FALSE;
  count_from (audience, now + rtt_max);

  return TRUE;
}

static void
raise_estimate (LmccAudience *audience, gdouble receivers)
{
  audience->receivers =
      CLAMP (receivers, audience->receivers, (gdouble) LMCC_AUDIENCE_MAX);
}

static void
remember_first (LmccAudience *audience, guint64 origin, LmccTime started)
{
  guint slot = audience->n_first_reports++ % LMCC_AUDIENCE_FIRST_REPORTS;

  audience->first_reports[slot].origin = origin;
  audience->first_reports[slot].started = started;
}

/* How many of the latest first reports come from addresses that began to
 * wait at the same time as, or after, one that began at @started, as far as
 * delays permit a decision; 0 if @origin is among them, because it reports
 * again. */
static guint
count_cohort (const LmccAudience *audience, guint64 origin, LmccTime started,
    LmccTime rtt_max)
{
  guint n = MIN (audience->n_first_reports, LMCC_AUDIENCE_FIRST_REPORTS);
  guint cohort = 1, i;

  for (i = 0; i < n; i++) {
    if (audience->first_reports[i].origin == origin)
      return 0;
    if (audience->first_reports[i].started + rtt_max >= started)
      cohort++;
  }

  return cohort;
}

/* The interval known to a receiver that began to wait at @started; a change
 * takes up to an R_max to become known. */
static LmccTime
interval_at (const LmccAudience *audience, LmccTime started, LmccTime rtt_max)
{
  guint n = MIN (audience->n_changes, LMCC_AUDIENCE_CHANGES);
  LmccTime interval = audience->interval;
  guint i;

  for (i = 1; i <= n; i++) {
    guint slot = (audience->n_changes - i) % LMCC_AUDIENCE_CHANGES;

    if (audience->changes[slot].time + rtt_max < started)
      break;
    interval = audience->changes[slot].before;
  }

  return interval;
}

/* The timer's own law: of n receivers that begin to wait together, n N^(t/T
 * - 1) report until t. Receivers that know an interval above T wait longer,
 * so fewer of them do: the fraction T / ln N of the excess over T. One of
 * the k is subtracted: k - 1 divided by the share that has reported until
 * the k-th report is n on average, and a single report never makes a crowd. */
static gdouble
crowd_size (const LmccAudience *audience, guint cohort, LmccTime age,
    LmccTime started, LmccTime rtt_max)
{
  gdouble round = (gdouble) (LMCC_FEEDBACK_ROUND * rtt_max);
  gdouble log_n = log (LMCC_FEEDBACK_RECEIVERS);
  gdouble size =
      MAX (cohort - 1, 1) * exp (log_n * (1 - (gdouble) age / round));
  gdouble above = (gdouble) interval_at (audience, started, rtt_max) - round;

  if (above > round / log_n)
    size *= above * log_n / round;

  return cohort > 1 ? size : MIN (size, LMCC_AUDIENCE_PER_ORIGIN);
}

/* @cohort receivers imply that there are @receivers. */
static void
take_crowd (LmccAudience *audience, guint cohort, gdouble receivers)
{
  if (cohort < CROWD)
    audience->unproved |= receivers > audience->receivers;
  else if (receivers >= audience->receivers / 2)
    audience->unproved = FALSE;
  raise_estimate (audience, receivers);
}

static gboolean
take_first (LmccAudience *audience, LmccTime now, guint64 origin, LmccTime age,
    LmccTime rtt_max, gdouble rate)
{
  LmccTime started = now > age ? now - age : 0;
  guint cohort = count_cohort (audience, origin, started, rtt_max);

  if (cohort == 0)
    return FALSE;
  remember_first (audience, origin, started);
  take_crowd (audience, cohort,
      crowd_size (audience, cohort, age, started, rtt_max));

  /* No receiver of the crowd reports before the timer's end, and many report
   * just before it. */
  return lengthen_for_more (audience, now, rate, rtt_max,
      (LMCC_FEEDBACK_ROUND + 1) * rtt_max - age);
}

static gdouble
count_wanted (const LmccAudience *audience)
{
  return audience->receivers * audience->intervals;
}

static gdouble
count_receivers (const LmccAudience *audience, LmccTime at_least)
{
  return (gdouble) audience->arrivals
      / MAX (audience->intervals,
          (gdouble) at_least / (gdouble) audience->interval);
}

static gboolean
take_arrival (LmccAudience *audience, LmccTime now, LmccTime rtt_max,
    gdouble rate)
{
  gdouble wanted;

  settle (audience, now);
  if (now < audience->counted_until)
    return FALSE;
  count_until (audience, now);
  audience->arrivals++;
  wanted = count_wanted (audience);
  if ((gdouble) audience->arrivals
      <= wanted + SURPRISE_MARGIN + SURPRISE_DEVIATIONS * sqrt (wanted + 1))
    return FALSE;
  raise_estimate (audience, count_receivers (audience, rtt_max));

  return lengthen_for_more (audience, now, rate, rtt_max, rtt_max);
}

/*
 * lmcc_audience_admit:
 * @audience: an audience
 * @now: the time
 * @origin: origin of a report
 *
 * Returns: whether @origin has sent no more reports than
 * %LMCC_AUDIENCE_PER_ORIGIN receivers would; if not, do not count the report
 */
gboolean
lmcc_audience_admit (LmccAudience *audience, LmccTime now, guint64 origin)
{
  pass (audience, now);

  return lmcc_origin_buckets_take (&audience->origins, origin,
      audience->passed);
}

/*
 * lmcc_audience_report:
 * @audience: an audience
 * @now: the time
 * @origin: origin of the report, which was admitted
 * @age: how long the receiver has waited and reported, in ns
 * @rtt_max: the session's R_max, in ns
 * @rate: intended reports per second of all receivers together, above 0
 *
 * Takes a report. A crowd of new receivers shows in the early times of its
 * first reports, or in more arrivals than expected; either makes the interval
 * longer at once.
 *
 * Returns: whether the interval changed
 */
gboolean
lmcc_audience_report (LmccAudience *audience, LmccTime now, guint64 origin,
    LmccTime age, LmccTime rtt_max, gdouble rate)
{
  gboolean changed;

  raise_estimate (audience, 1);
  changed = take_arrival (audience, now, rtt_max, rate);
  if (age < LMCC_FEEDBACK_ROUND * rtt_max)
    changed |= take_first (audience, now, origin, age, rtt_max, rate);

  return changed;
}

/* Remaining time of the count. */
static LmccTime
counting_time (const LmccAudience *audience)
{
  guint wanted = audience->arrivals > 0 && !audience->unproved ? COUNT_WANTED
                                                               : COUNT_EMPTY;
  LmccTime shortest = audience->unproved ? UNPROVED_SHORTEST : COUNT_SHORTEST;
  gdouble missing = wanted / MAX (audience->receivers, 1) - audience->intervals;
  gdouble counted = (gdouble) audience->counted;
  gdouble enough = counted + missing * (gdouble) audience->interval;

  return (LmccTime) MAX (
      CLAMP (enough, (gdouble) shortest, (gdouble) COUNT_LONGEST) - counted, 0);
}

/* An unproved estimate that no report supports weighs as much as one report. */
static void
correct (LmccAudience *audience)
{
  gdouble wanted = count_wanted (audience);

  if (audience->unproved && audience->arrivals == 0) {
    audience->receivers /= 1 + wanted;
    return;
  }
  audience->unproved &= (gdouble) audience->arrivals < wanted / 2;
  audience->receivers =
      MIN ((audience->receivers + count_receivers (audience, 0)) / 2,
          LMCC_AUDIENCE_MAX);
}

static gboolean
shorten (LmccAudience *audience, LmccTime now, gdouble rate)
{
  LmccTime interval = wanted_interval (audience, rate);

  if (interval >= audience->interval
      || (interval > audience->least
          && (gdouble) interval >= (gdouble) audience->interval * SHORTER))
    return FALSE;
  change (audience, now, interval);

  return TRUE;
}

/*
 * lmcc_audience_update:
 * @audience: an audience
 * @now: the time
 * @rtt_max: the session's R_max, in ns
 * @rate: intended reports per second of all receivers together, above 0
 *
 * Corrects the estimate by half of its error, which is the ratio of arrivals to
 * expected arrivals. So the estimate never falls below half at once, unless it
 * is based on the times of one or two reports only. May be called at any time.
 * If @rate has changed, the interval follows at once and the count continues,
 * because an encoder's rate may change faster than enough reports arrive.
 *
 * Returns: whether the interval changed
 */
gboolean
lmcc_audience_update (LmccAudience *audience, LmccTime now, LmccTime rtt_max,
    gdouble rate)
{
  LmccTime before = audience->interval;
  gboolean is_due;

  settle (audience, now);
  count_until (audience, now);
  is_due = now >= lmcc_audience_next (audience);
  if (is_due) {
    correct (audience);
    count_from (audience, now);
  }
  if (!shorten (audience, now, rate) && !lengthen (audience, now, rate))
    return FALSE;
  if (is_due || audience->interval >= MUCH_LONGER * before)
    exclude (audience, now, rtt_max);

  return TRUE;
}

/*
 * lmcc_audience_next:
 * @audience: an audience
 *
 * Returns: when lmcc_audience_update() has enough arrivals to count
 */
LmccTime
lmcc_audience_next (const LmccAudience *audience)
{
  return MAX (audience->counted_until, audience->settled)
      + counting_time (audience);
}
