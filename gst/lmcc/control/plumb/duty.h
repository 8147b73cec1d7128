/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_PLUMB_DUTY_H
#define LMCC_CONTROL_PLUMB_DUTY_H

#include <gst/lmcc/lmcc-session.h>

G_BEGIN_DECLS

/* Number of samples of the fair rate per period. */
#define LMCC_DUTY_SAMPLES 256

/* Number of samples kept: one period, and before it the part that does not count yet. */
#define LMCC_DUTY_KEPT (LMCC_DUTY_SAMPLES * 3 / 2)

/**
 * LmccDutyPreference:
 * @LMCC_DUTY_FAIR: if the fair rate lies between two levels, alternate between them, so
 *     that the mean is the fair rate
 * @LMCC_DUTY_STEADY: hold the nearest level
 *
 * Values of the setting.
 */
typedef enum
{
  LMCC_DUTY_FAIR,
  LMCC_DUTY_STEADY,
} LmccDutyPreference;

/**
 * LmccDuty:
 * Chooses the level that the fair rate covers. If the rate lies between two levels, the
 * receiver holds the upper one for a part of each period of the sender's clock, so that
 * the mean is the fair rate, and all receivers behind one link change together. If
 * changes are worse than slight unfairness, it holds the nearest level instead.
 *
 * The mean is taken over exactly one period, so it does not depend on the position in the
 * period, although the fair rate decreases while the upper level is held.
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
  gdouble sum; /* of the current sample */
  guint n_sum;
  LmccTime sample_until;
  LmccTime since;

  guint32 send_time; /* send time of the newest packet, 1/65536 s */
  gboolean found;    /* the covered level was exceeded once */
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
