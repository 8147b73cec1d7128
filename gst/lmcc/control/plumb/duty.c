/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/plumb/duty.h"

#include "wire/levels.h"

#include <string.h>

/* While the mean is younger than this, the receiver does not wait for the
 * next period. */
#define YOUNG (40 * LMCC_SECOND)

/* Hysteresis: another level must be nearer to the fair rate than the current
 * one by this factor, a larger one while the mean covers only seconds. At
 * the beginning of every second period all receivers choose without
 * hysteresis; otherwise receivers that arrived at different times would hold
 * different levels permanently. */
#define NEARER_YOUNG 1.3
#define NEARER 1.1
#define REVIEW_PERIODS 2

/* The first third of the time since the reset does not count, because its
 * rate depends on the assumption made at the reset. */
#define EARLY_PART 3

/* Otherwise the upper level is joined in this first part of a period, or not
 * in the period, unless it already flows on the path. */
#define JOIN_PART 0.1

/* Least remaining turn for a late join. */
#define SHORTEST_TURN (20 * LMCC_SECOND)

/* A packet older than the newest one by up to this was overtaken; beyond,
 * the sender's clock was set. In 1/65536 s. */
#define OVERTAKEN (2 * 65536)

/*
 * lmcc_duty_init:
 * @duty: (out): no rate is known
 * @session: the session
 * @period: period in which the upper level has one turn, in ns
 * @dead_band: if the fair rate is within this factor of a level's rate, that
 *     level is held all the time
 * @prefer: whether to alternate between levels
 */
void
lmcc_duty_init (LmccDuty *duty, const LmccSession *session, LmccTime period,
    gdouble dead_band, LmccDutyPreference prefer)
{
  memset (duty, 0, sizeof (*duty));
  duty->session = session;
  duty->period = period;
  duty->dead_band = dead_band;
  duty->prefer = prefer;
}

static LmccTime
sample_time (const LmccDuty *duty)
{
  return duty->period / LMCC_DUTY_SAMPLES;
}

/*
 * lmcc_duty_reset:
 * @duty: forgets the rate
 * @now: the time
 */
void
lmcc_duty_reset (LmccDuty *duty, LmccTime now)
{
  duty->n = duty->next = duty->n_sum = 0;
  duty->sum = 0;
  duty->since = now;
  duty->sample_until = now + sample_time (duty);
}

/*
 * lmcc_duty_packet:
 * @duty: a duty
 * @send_time: send time of a received packet
 */
void
lmcc_duty_packet (LmccDuty *duty, guint32 send_time)
{
  gint32 later = (gint32) (send_time - duty->send_time);

  if (later > 0 || later < -OVERTAKEN)
    duty->send_time = send_time;
}

/* A sample without measurements repeats the previous one. */
static void
end_sample (LmccDuty *duty)
{
  guint latest = (duty->next + LMCC_DUTY_KEPT - 1) % LMCC_DUTY_KEPT;

  duty->sample_until += sample_time (duty);
  if (duty->n_sum == 0 && duty->n == 0)
    return;
  duty->samples[duty->next] =
      duty->n_sum > 0 ? duty->sum / duty->n_sum : duty->samples[latest];
  duty->next = (duty->next + 1) % LMCC_DUTY_KEPT;
  duty->n = MIN (duty->n + 1, LMCC_DUTY_KEPT);
  duty->sum = 0;
  duty->n_sum = 0;
}

/*
 * lmcc_duty_add:
 * @duty: a duty
 * @now: the time, not before that of the latest call
 * @rate: the fair rate, bit/s, finite
 */
void
lmcc_duty_add (LmccDuty *duty, LmccTime now, gdouble rate)
{
  guint i;

  for (i = 0; i < LMCC_DUTY_SAMPLES && now >= duty->sample_until; i++)
    end_sample (duty);
  if (now >= duty->sample_until)
    duty->sample_until = now + sample_time (duty);
  duty->sum += rate;
  duty->n_sum++;
}

/*
 * lmcc_duty_get_rate:
 * @duty: a duty
 *
 * Returns: the mean fair rate of the last period, or of the latest two
 * thirds of the time since the reset if that is less, bit/s; 0: not known
 * yet
 */
gdouble
lmcc_duty_get_rate (const LmccDuty *duty)
{
  guint n = MIN (duty->n - duty->n / EARLY_PART, LMCC_DUTY_SAMPLES), i;
  gdouble sum = 0;

  if (n == 0)
    return duty->n_sum == 0 ? 0 : duty->sum / duty->n_sum;
  for (i = 1; i <= n; i++)
    sum += duty->samples[(duty->next + LMCC_DUTY_KEPT - i) % LMCC_DUTY_KEPT];

  return sum / n;
}

LmccTime
lmcc_duty_get_age (const LmccDuty *duty, LmccTime now)
{
  return now - duty->since;
}

static gdouble
level_rate (const LmccDuty *duty, gint level)
{
  return (gdouble) lmcc_session_level_rate (duty->session, (guint) level);
}

/*
 * lmcc_duty_get_share:
 * @duty: a duty
 * @lower: (out): the lower one of the two levels around the fair rate
 *
 * Returns: share of the time for the upper level, from 0 to 1
 */
gdouble
lmcc_duty_get_share (const LmccDuty *duty, gint *lower)
{
  gdouble rate = lmcc_duty_get_rate (duty), below, above;
  gint top = (gint) lmcc_session_count_levels (duty->session) - 1;
  gint level = 0;

  while (level < top && level_rate (duty, level + 1) <= rate)
    level++;
  *lower = level;
  if (level == top)
    return 0;
  below = level_rate (duty, level);
  above = level_rate (duty, level + 1);
  if (rate < below * duty->dead_band)
    return 0;
  if (rate > above / duty->dead_band)
    return 1;

  return (rate - below) / (above - below);
}

static guint64
period_ticks (const LmccDuty *duty)
{
  return MAX (duty->period * 65536 / LMCC_SECOND, 1);
}

static gdouble
get_phase (const LmccDuty *duty)
{
  guint64 ticks = period_ticks (duty);

  return (gdouble) (duty->send_time % ticks) / (gdouble) ticks;
}

/* 0: none. */
static guint64
get_period (const LmccDuty *duty)
{
  return duty->send_time / period_ticks (duty) + 1;
}

/*
 * lmcc_duty_get_turn:
 * @duty: a duty
 * @lower: (out): the lower one of the two levels between which the receiver
 *     alternates; -1: it does not alternate
 * @share: (out): share of each period for the upper level
 * @left: (out): remaining time of the present turn after the newest packet
 *
 * Returns: whether the receiver alternates between levels
 */
gboolean
lmcc_duty_get_turn (const LmccDuty *duty, gint *lower, gdouble *share,
    LmccTime *left)
{
  gdouble phase = get_phase (duty);

  *share = lmcc_duty_get_share (duty, lower);
  if (duty->prefer == LMCC_DUTY_STEADY || *share <= 0 || *share >= 1) {
    *lower = -1;
    *share = 0;
    return FALSE;
  }
  *left = (LmccTime) (((phase < *share ? *share : 1) - phase)
      * (gdouble) duty->period);

  return TRUE;
}

static gdouble
find_nearer (const LmccDuty *duty, LmccTime now)
{
  if (lmcc_duty_get_age (duty, now) < YOUNG)
    return NEARER_YOUNG;

  return get_phase (duty) < JOIN_PART && get_period (duty) % REVIEW_PERIODS == 0
      ? 1
      : NEARER;
}

static gint
find_nearest (const LmccDuty *duty, LmccTime now, gint held)
{
  gdouble rate = lmcc_duty_get_rate (duty), nearer = find_nearer (duty, now);
  gint top = (gint) lmcc_session_count_levels (duty->session) - 1;
  gint level = CLAMP (held, 0, top);

  while (level < top
      && rate > lmcc_session_level_border (duty->session, level) * nearer)
    level++;
  while (level > 0
      && rate < lmcc_session_level_border (duty->session, level - 1) / nearer)
    level--;

  return level;
}

/*
 * lmcc_duty_choose:
 * @duty: a duty
 * @now: the time
 * @held: the current level
 *
 * Returns: the level to hold now
 */
gint
lmcc_duty_choose (const LmccDuty *duty, LmccTime now, gint held)
{
  gint lower;
  gdouble share;

  if (duty->prefer == LMCC_DUTY_STEADY)
    return find_nearest (duty, now, held);
  share = lmcc_duty_get_share (duty, &lower);

  return get_phase (duty) < share ? lower + 1 : lower;
}

/* Whether the next level need not wait for a period: the fair rate covers
 * more than that level, and the next period, in which other receivers join,
 * does not begin in a moment; or the current level is still being searched
 * for. */
static gboolean
joins_at_once (const LmccDuty *duty, LmccTime now, gint level)
{
  if (duty->prefer == LMCC_DUTY_STEADY)
    return (lmcc_duty_get_age (duty, now) < YOUNG && !duty->found)
        || find_nearest (duty, now, level) > level + 1;

  if (lmcc_duty_get_age (duty, now) >= YOUNG
      && get_phase (duty) >= 1 - JOIN_PART)
    return FALSE;

  return lmcc_duty_get_rate (duty)
      > duty->dead_band * level_rate (duty, level + 1);
}

/*
 * lmcc_duty_may_join:
 * @duty: a duty
 * @now: the time
 * @level: the current level
 *
 * Returns: whether the next level may be joined now, if it is chosen
 */
gboolean
lmcc_duty_may_join (const LmccDuty *duty, LmccTime now, gint level)
{
  if (joins_at_once (duty, now, level))
    return TRUE;

  if (lmcc_duty_is_turn (duty, level + 1))
    return FALSE;

  return get_phase (duty) < JOIN_PART
      || (duty->prefer == LMCC_DUTY_FAIR
          && lmcc_duty_get_age (duty, now) < YOUNG);
}

/*
 * lmcc_duty_may_join_late:
 * @duty: a duty
 *
 * For the case that the next level is chosen and already flows on the path:
 * joining it then takes nothing from competing traffic, at any time.
 *
 * Returns: whether the rest of the turn is long enough to be worth two
 * changes
 */
gboolean
lmcc_duty_may_join_late (const LmccDuty *duty)
{
  gint lower;
  gdouble share;
  LmccTime left;

  return !lmcc_duty_get_turn (duty, &lower, &share, &left)
      || left >= SHORTEST_TURN;
}

/*
 * lmcc_duty_joined:
 * @duty: a duty
 * @level: the level that was joined
 */
void
lmcc_duty_joined (LmccDuty *duty, gint level)
{
  gint lower;
  gdouble share = lmcc_duty_get_share (duty, &lower);

  if (level > (share > 0 ? lower + 1 : lower))
    return;
  duty->turn_in = get_period (duty);
  duty->turn_level = level;
}

/*
 * lmcc_duty_is_turn:
 * @duty: a duty
 * @level: a level
 *
 * Returns: whether the level has had its turn in this period, or has it now
 */
gboolean
lmcc_duty_is_turn (const LmccDuty *duty, gint level)
{
  return duty->turn_in == get_period (duty) && duty->turn_level == level;
}

/*
 * lmcc_duty_cut_turn:
 * @duty: a duty
 *
 * The turn was ended by others, for instance by receivers that joined too
 * much behind the same link, and does not count.
 */
void
lmcc_duty_cut_turn (LmccDuty *duty)
{
  duty->turn_in = 0;
}

/*
 * lmcc_duty_left:
 * @duty: a duty
 *
 * Call it when a level was left that the fair rate does not cover.
 */
void
lmcc_duty_left (LmccDuty *duty)
{
  duty->found = TRUE;
}
