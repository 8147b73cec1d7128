/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_PLUMB_DUTY_H
#define LMCC_CONTROL_PLUMB_DUTY_H

#include <gst/lmcc/lmcc-session.h>

G_BEGIN_DECLS

/* Samples of the fair rate that a period is kept in. */
#define LMCC_DUTY_SAMPLES 256

/* And that are kept: a period and, before it, what does not count yet. */
#define LMCC_DUTY_KEPT (LMCC_DUTY_SAMPLES * 3 / 2)

/**
 * LmccDutyPreference:
 * @LMCC_DUTY_FAIR: where the fair rate lies between two levels, both have turns,
 *     so that the mean is the fair rate
 * @LMCC_DUTY_STEADY: the nearest level is held
 *
 * A setting's values.
 */
typedef enum
{
  LMCC_DUTY_FAIR,
  LMCC_DUTY_STEADY,
} LmccDutyPreference;

/**
 * LmccDuty:
 * Which level the fair rate pays for: where it lies between two levels, the upper
 * one for a part of each period of the sender's clock, so that the mean is the
 * fair rate, and all receivers behind one link change together; or the nearest
 * one, where changes are worse than what is not quite fair.
 *
 * The mean is taken over just one period: it is the same wherever in the period it
 * ends, though the fair rate itself goes down while the upper level is held.
 */
typedef struct
{
  /*< private >*/
  const LmccSession *session;
  LmccTime period;
  gdouble dead_band;
  LmccDutyPreference prefer;
  gdouble samples[LMCC_DUTY_KEPT];
  guint n;
  guint next;
  gdouble sum; /* of the sample that is being taken */
  guint n_sum;
  LmccTime sample_until;
  LmccTime since;

  guint32 send_time; /* of the newest packet, 1/65536 s */
  gboolean found;    /* what it pays for was exceeded once */
  guint64 turn_in;   /* period of the latest turn */
  gint turn_level;
} LmccDuty;

void lmcc_duty_init (LmccDuty *duty, const LmccSession *session,
    LmccTime period, gdouble dead_band, LmccDutyPreference prefer);
void lmcc_duty_reset (LmccDuty *duty, LmccTime now);
void lmcc_duty_packet (LmccDuty *duty, guint32 send_time);
void lmcc_duty_add (LmccDuty *duty, LmccTime now, gdouble rate);
gdouble lmcc_duty_get_rate (const LmccDuty *duty);
LmccTime lmcc_duty_get_age (const LmccDuty *duty, LmccTime now);
gdouble lmcc_duty_get_share (const LmccDuty *duty, gint *lower);
gboolean lmcc_duty_get_turn (const LmccDuty *duty, gint *lower, gdouble *share,
    LmccTime *left);
gint lmcc_duty_choose (const LmccDuty *duty, LmccTime now, gint held);
gboolean lmcc_duty_may_join (const LmccDuty *duty, LmccTime now, gint level);
gboolean lmcc_duty_may_join_late (const LmccDuty *duty);
void lmcc_duty_cut_turn (LmccDuty *duty);
void lmcc_duty_left (LmccDuty *duty);
void lmcc_duty_joined (LmccDuty *duty, gint level);
gboolean lmcc_duty_is_turn (const LmccDuty *duty, gint level);

G_END_DECLS

#endif
