/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/plumb/duty.h"

#include "wire/levels.h"

#include <string.h>

/* While the mean is so young nobody waits for the next period. */
#define YOUNG (40 * LMCC_SECOND)

/* Where the nearest level is held, another one has to be nearer by so much: a
 * mean of seconds moves far, one of a period little. At the begin of every
 * second period all choose anew, as receivers that came at different times
 * would else hold different levels for good. */
#define NEARER_YOUNG 1.3
#define NEARER 1.1
#define REVIEW_PERIODS 2

/* The first third of the time since the reset does not count: the rate of then
 * comes from what was assumed at the reset. */
#define EARLY_PART 3

/* Else the upper level is joined in the first part of a period, or not in
 * it. */
#define JOIN_PART 0.1

/* What is left of a turn that is joined late. */
#define SHORTEST_TURN (20 * LMCC_SECOND)

/* A packet this much older than the newest one was overtaken by it; beyond, the
 * sender's clock was set. In 1/65536 s. */
#define OVERTAKEN (2 * 65536)

/*
 * lmcc_duty_init:
 * @duty: (out): knows no rate
 * @session: the session
 * @period: in which the upper level has one turn
 * @dead_band: within this factor of a level's rate, that level is held all the
 *     time
 * @prefer: whether levels have turns
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
 * @duty: forgets what the rate was
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
 * @send_time: of a packet that came
 */
void
lmcc_duty_packet (LmccDuty *duty, guint32 send_time)
{
  gint32 later = (gint32) (send_time - duty->send_time);

  if (later > 0 || later < -OVERTAKEN)
    duty->send_time = send_time;
}

/* What nothing was heard in is as what was before. */
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
 * Returns: the mean fair rate of the last period, or of the latest two thirds
 *     of the time since the reset if that is less, bit/s; 0: not known yet
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
 * @lower: (out): the lower one of the two levels that the fair rate lies
 *     between
 *
 * Returns: part of the time that the upper one is to be held, from 0 to 1
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
 * @lower: (out): the lower one of the two levels that have turns; -1: none has
 * @share: (out): part of each period that is the upper one's
 * @left: (out): how long the present turn goes on after the newest packet
 *
 * Returns: whether levels have turns
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
 * @held: the level held
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

/* Whether the next level waits for no period: the fair rate pays for more than
 * that, and the next one does not begin in a moment, in which others join; or
 * what is held is only being found. */
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
 * @level: that is held
 *
 * Returns: whether it is the time for the next level, if it is chosen
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
 * Where the next level, which is chosen, flows on the path already, who joins
 * it takes nothing from others, at whatever time.
 *
 * Returns: whether the turn goes on for long enough to be worth two changes
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
 * @level: that was joined
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
 * Returns: whether it has had its turn in this period, or has it now
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
 * The turn ended because of what others did, such as those who joined too much
 * behind the same link: it counts as none.
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
 * A level was left that the fair rate does not pay for.
 */
void
lmcc_duty_left (LmccDuty *duty)
{
  duty->found = TRUE;
}
