/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure/report-timer.h"

#include "measure/rtt.h"

#include <math.h>

/* RFC 3550 section 6.2: an interval is drawn from 0.5 to 1.5 times its mean. */
#define SHORTEST 0.5
#define LONGEST 1.5

/* If reports go unanswered, the interval doubles with each one from the one
 * at which the receiver gives up, up to this factor: if nobody receives the
 * reports, nobody can ask for fewer. */
#define MAX_PATIENCE 64

/* Separates these random numbers from others of the same receiver with the
 * same seed. */
#define SEED_PURPOSE 0x66656564u

struct _LmccFeedbackTimer
{
  GRand *random;
  gboolean running;
  LmccTime started;
  LmccTime round;
  LmccTime interval;
  guint patience; /* factor by which the interval is longer */
  gboolean is_first;

  /* The report is due @rest spans after @from: a longer interval only
   * changes the span. */
  LmccTime from;
  gdouble rest;
};

/**
 * lmcc_feedback_timer_new:
 * @seed: a random number, different for each receiver
 *
 * Returns: (transfer full): a stopped timer
 */
LmccFeedbackTimer *
lmcc_feedback_timer_new (guint32 seed)
{
  const guint32 seeds[] = { seed, SEED_PURPOSE };
  LmccFeedbackTimer *timer = g_new0 (LmccFeedbackTimer, 1);

  timer->random = g_rand_new_with_seed_array (seeds, G_N_ELEMENTS (seeds));

  return timer;
}

/**
 * lmcc_feedback_timer_free:
 * @timer: (transfer full) (nullable): a timer
 */
void
lmcc_feedback_timer_free (LmccFeedbackTimer *timer)
{
  if (timer == NULL)
    return;
  g_rand_free (timer->random);
  g_free (timer);
}

/**
 * lmcc_feedback_draw_wait:
 * @random: random number generator of the receiver
 * @longest: T, the longest wait, in ns
 *
 * Draws from the exponentially distributed timer of RFC 4654 section 4.5, with
 * N = %LMCC_FEEDBACK_RECEIVERS: in a large audience, a few receivers report
 * early, before the many do.
 *
 * Returns: the wait, from 0 to @longest, in ns
 */
LmccTime
lmcc_feedback_draw_wait (GRand *random, LmccTime longest)
{
  gdouble x = 1 - g_rand_double (random);
  gdouble share = 1 + log (x) / log (LMCC_FEEDBACK_RECEIVERS);

  return (LmccTime) (MAX (share, 0) * (gdouble) longest);
}

/* The rest of an interval as if the receiver had always reported: many
 * receivers thus report as evenly from the start as they do later. */
static gdouble
draw_rest (LmccFeedbackTimer *timer)
{
  gdouble y = g_rand_double (timer->random);

  return y < SHORTEST ? y : LONGEST - sqrt (2 * (1 - y));
}

/* The part of a first wait that depends on the interval: everything beyond
 * the round. */
static gdouble
get_span (const LmccFeedbackTimer *timer)
{
  gdouble span = (gdouble) timer->interval * timer->patience;

  return timer->is_first ? MAX (span - (gdouble) timer->round, 0) : span;
}

/**
 * lmcc_feedback_timer_start:
 * @timer: a timer
 * @now: the time
 * @rtt_max: the session's R_max, in ns
 * @interval: the session's feedback interval in ns, not 0
 *
 * Draws when the first report is due: with the exponentially distributed timer
 * of RFC 4654 section 4.5, with T = %LMCC_FEEDBACK_ROUND R_max and N =
 * %LMCC_FEEDBACK_RECEIVERS; if the interval is longer than T, a random part of
 * the difference is added.
 */
void
lmcc_feedback_timer_start (LmccFeedbackTimer *timer, LmccTime now,
    LmccTime rtt_max, LmccTime interval)
{
  timer->running = TRUE;
  timer->started = now;
  timer->round = LMCC_FEEDBACK_ROUND * rtt_max;
  timer->interval = interval;
  timer->patience = 1;
  timer->is_first = TRUE;
  timer->from = now + lmcc_feedback_draw_wait (timer->random, timer->round);
  timer->rest = draw_rest (timer);
}

/**
 * lmcc_feedback_timer_stop:
 * @timer: a timer
 */
void
lmcc_feedback_timer_stop (LmccFeedbackTimer *timer)
{
  timer->running = FALSE;
}

/**
 * lmcc_feedback_timer_is_running:
 * @timer: a timer
 *
 * Returns: whether the receiver sends reports at all
 */
gboolean
lmcc_feedback_timer_is_running (const LmccFeedbackTimer *timer)
{
  return timer->running;
}

/* Subtracts the elapsed part from the rest; the remainder keeps its
 * proportion of any future span. */
static void
consume (LmccFeedbackTimer *timer, LmccTime now)
{
  gdouble span = get_span (timer);

  if (now <= timer->from || span <= 0)
    return;
  timer->rest = MAX (timer->rest - (gdouble) (now - timer->from) / span, 0);
  timer->from = now;
}

/**
 * lmcc_feedback_timer_set_interval:
 * @timer: a timer
 * @now: the time
 * @interval: the session's feedback interval in ns, not 0
 *
 * Call it when the session record has a new interval. The rest of the wait is
 * scaled (as in RFC 3550 section 6.3.4, and upwards too): it is random, so
 * after a change in either direction, an audience's reports are at once as even
 * as at the new interval. A first wait grows by its own random part of the
 * interval. A longer interval never makes a report come sooner.
 */
void
lmcc_feedback_timer_set_interval (LmccFeedbackTimer *timer, LmccTime now,
    LmccTime interval)
{
  if (!timer->running || timer->interval == interval)
    return;
  consume (timer, now);
  timer->interval = interval;
}

/**
 * lmcc_feedback_timer_next:
 * @timer: a timer
 *
 * Returns: when the next report is due, or %LMCC_TIME_NONE
 */
LmccTime
lmcc_feedback_timer_next (const LmccFeedbackTimer *timer)
{
  if (!timer->running)
    return LMCC_TIME_NONE;

  return timer->from + (LmccTime) (timer->rest * get_span (timer));
}

/**
 * lmcc_feedback_timer_get_patience:
 * @unanswered: number of consecutive reports without an answer
 *
 * Returns: factor by which to wait longer before the next one, from 1 to 64
 */
guint
lmcc_feedback_timer_get_patience (guint unanswered)
{
  guint patience = 1;

  for (; unanswered >= LMCC_RTT_MAX_UNANSWERED && patience < MAX_PATIENCE;
       unanswered--)
    patience *= 2;

  return patience;
}

/**
 * lmcc_feedback_timer_report:
 * @timer: a timer
 * @now: the time
 * @unanswered: number of consecutive reports without an answer
 *
 * Call it when a report is sent: draws the time of the next one.
 *
 * Returns: the NTP time for the report: how long the receiver has waited and
 * reported (permitted by RFC 3611 section 4.4), so that the sender knows when a
 * first report began to wait
 */
guint64
lmcc_feedback_timer_report (LmccFeedbackTimer *timer, LmccTime now,
    guint unanswered)
{
  LmccTime age = now - timer->started;

  timer->is_first = FALSE;
  timer->patience = lmcc_feedback_timer_get_patience (unanswered);
  timer->from = now;
  timer->rest = g_rand_double_range (timer->random, SHORTEST, LONGEST);

  return age / LMCC_SECOND << 32 | (age % LMCC_SECOND << 32) / LMCC_SECOND;
}

/**
 * lmcc_feedback_timer_answered:
 * @timer: a timer
 * @now: the time
 *
 * Call it when a report was answered: the interval is the session's again.
 */
void
lmcc_feedback_timer_answered (LmccFeedbackTimer *timer, LmccTime now)
{
  if (!timer->running || timer->patience == 1)
    return;
  consume (timer, now);
  timer->patience = 1;
}
