/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RLM: S. McCanne, V. Jacobson, M. Vetterli, "Receiver-driven Layered
 * Multicast", SIGCOMM 1996. The constants are those of McCanne's
 * implementation for ns.
 */
#include "control/controller.h"
#include "control/sending.h"

#include "wire/levels.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* The random part of a join timer is at most this multiple of its mean. */
#define JOIN_TIMER_SPREAD 4

/* Gains of the detection time's mean and deviation. */
#define DETECTION_GAIN 0.25
#define DEVIATION_GAIN 0.25

/* Number of deviations added to the detection time: for the wait in a state,
 * and for the time that an experiment is considered relevant. */
#define DETECTION_MARGIN 1.5
#define RECENT_MARGIN 2.0

/* With fewer packets the loss rate is not evaluated. */
#define MEASURE_MIN_PACKETS 10

/* If the highest layer has brought no packets, the detection time becomes
 * this multiple of the time since the join. */
#define DEAD_LAYER_FACTOR 1.2

/* Equal to the setting's minimum: measurements do not go below it. */
#define DETECTION_TIME_MIN ((gdouble) (10 * LMCC_MSECOND))

typedef enum
{
  STATE_STEADY,
  STATE_HYSTERESIS,
  STATE_MEASUREMENT,
  STATE_DROP,
} RlmState;

static const gchar *const state_names[] = {
  "steady",
  "hysteresis",
  "measurement",
  "drop",
};

typedef struct
{
  gdouble join_time; /* mean of the join timer, ns */
  LmccTime joined;   /* by any receiver, or none */
  LmccTime pending;  /* start of an experiment, or none */
} RlmLevel;

typedef struct
{
  LmccController parent;
  const LmccSession *session;
  GRand *dice;
  gdouble back_off;
  gdouble relax;
  gdouble join_time_min;
  gdouble join_time_max;
  gdouble loss_threshold;

  gint level;
  RlmState state;
  RlmLevel levels[LMCC_MAX_LAYERS];
  gdouble detection_time; /* ns */
  gdouble deviation;
  LmccTime join_timer;
  LmccTime detection_timer;
  LmccTime last_join;
  guint64 top_packets; /* packets of the highest layer since the level
                        * changed */

  LmccTime measured_from;
  guint received;
  guint lost;
} Rlm;

static const LmccSetting settings[] = {
  { "join-timer-min", LMCC_SETTING_TIME, 0.1, 600, 5, NULL,
      N_ ("Shortest mean time between two join experiments (Legout and "
          "Biersack 2000, section 3: 5 s)") },
  { "join-timer-max", LMCC_SETTING_TIME, 0.1, 3600, 60, NULL,
      N_ ("Longest mean time between two experiments with the same layer "
          "(McCanne's implementation: 60 s)") },
  { "back-off", LMCC_SETTING_NUMBER, 1, 10, 2, NULL,
      N_ ("Factor by which a layer's join timer grows after a failed "
          "experiment (McCanne's implementation: 2)") },
  { "relax", LMCC_SETTING_NUMBER, 0.1, 1, 0.75, NULL,
      N_ ("Factor by which the join timer shrinks while the level has no "
          "losses (McCanne's implementation: 0.75)") },
  { "detection-time", LMCC_SETTING_TIME, 0.01, 60, 5, NULL,
      N_ ("Initial time after which an experiment shows its losses, until it "
          "is measured (McCanne's implementation: 5 s)") },
  { "detection-deviation", LMCC_SETTING_TIME, 0, 60, 2, NULL,
      N_ ("Initial mean deviation of that time, until it is measured "
          "(McCanne's implementation: 2 s)") },
  { "loss-threshold", LMCC_SETTING_NUMBER, 0.01, 1, 0.25, NULL,
      N_ ("Packet loss rate above which a level is left that was not joined "
          "recently (Legout and Biersack 2000, section 3: 25 %)") },
  { "shared-learning", LMCC_SETTING_SWITCH, 0, 0, 1, NULL,
      N_ ("Announce join experiments to the session's other receivers, and "
          "learn from theirs (McCanne et al. 1996, section 3)") },
};

static gint
top_level (const Rlm *rlm)
{
  return (gint) lmcc_session_count_levels (rlm->session) - 1;
}

/* Whether the event is within the time that a join takes to show in losses. */
static gboolean
is_recent (const Rlm *rlm, LmccTime time, LmccTime now)
{
  return time != LMCC_TIME_NONE
      && (gdouble) now
      < (gdouble) time + rlm->detection_time + RECENT_MARGIN * rlm->deviation;
}

static gint
highest_pending (const Rlm *rlm, LmccTime now)
{
  gint level;

  for (level = LMCC_MAX_LAYERS - 1; level >= 0; level--) {
    if (is_recent (rlm, rlm->levels[level].pending, now))
      return level;
  }

  return -1;
}

/* I/2 + X, X exponential with mean I and less than 4 I. */
static void
arm_join_timer (Rlm *rlm, LmccTime now)
{
  gdouble mean, share;

  if (rlm->level < 0 || rlm->level >= top_level (rlm)) {
    rlm->join_timer = LMCC_TIME_NONE;
    return;
  }
  mean = rlm->levels[rlm->level + 1].join_time;
  share = g_rand_double (rlm->dice) * (1 - exp (-JOIN_TIMER_SPREAD));
  rlm->join_timer = now + (LmccTime) (mean / 2 - mean * log1p (-share));
}

static void
arm_detection_timer (Rlm *rlm, LmccTime now, gdouble deviations)
{
  rlm->detection_timer =
      now + (LmccTime) (rlm->detection_time + deviations * rlm->deviation);
}

static void
enter (Rlm *rlm, RlmState state, LmccTime now)
{
  rlm->state = state;
  if (state == STATE_MEASUREMENT) {
    rlm->measured_from = now;
    rlm->received = rlm->lost = 0;
    /* The base layer is McCanne's level 1. */
    arm_detection_timer (rlm, now, (rlm->level + 1) / 2.0 + DETECTION_MARGIN);
  } else {
    arm_detection_timer (rlm, now, DETECTION_MARGIN);
  }
}

static void
drop (Rlm *rlm, LmccTime now, const gchar *reason)
{
  if (rlm->level > 0)
    lmcc_controller_want (&rlm->parent, rlm->level - 1, reason);
  enter (rlm, STATE_DROP, now);
}

static void
back_off (Rlm *rlm, gint level)
{
  gdouble longer =
      MIN (rlm->back_off * rlm->levels[level].join_time, rlm->join_time_max);
  gint i;

  rlm->levels[level].join_time = longer;
  for (i = level + 1; i < LMCC_MAX_LAYERS; i++)
    rlm->levels[i].join_time = MAX (rlm->levels[i].join_time, longer);
}

/* This receiver's experiment failed: its duration is a sample of the
 * detection time. */
static void
learn_detection_time (Rlm *rlm, gdouble sample)
{
  gdouble error = fabs (sample - rlm->detection_time);

  rlm->detection_time = MAX (DETECTION_TIME_MIN,
      rlm->detection_time + DETECTION_GAIN * (sample - rlm->detection_time));
  rlm->deviation += DEVIATION_GAIN * (error - rlm->deviation);
}

static void
loss_in_steady (Rlm *rlm, LmccTime now)
{
  gint level = highest_pending (rlm, now);

  rlm->detection_timer = LMCC_TIME_NONE;
  if (level >= 0)
    back_off (rlm, level);
  if (level >= 0 && level == rlm->level) {
    learn_detection_time (rlm, (gdouble) (now - rlm->levels[level].pending));
    drop (rlm, now, "the join experiment failed");
    return;
  }
  /* Another receiver's experiment with the next level failed: no need to
   * repeat it. */
  if (level >= 0 && level == rlm->level + 1)
    arm_join_timer (rlm, now);
  enter (rlm,
      is_recent (rlm, rlm->levels[rlm->level].joined, now) ? STATE_MEASUREMENT
                                                           : STATE_HYSTERESIS,
      now);
}

static void
loss_in_measurement (Rlm *rlm, LmccTime now, guint count)
{
  /* The rest of the loss that caused the last change. */
  if (now == rlm->measured_from)
    return;
  rlm->lost += count;
  if (rlm->lost + rlm->received >= MEASURE_MIN_PACKETS
      && rlm->lost > rlm->loss_threshold * (rlm->lost + rlm->received))
    drop (rlm, now, "too much loss");
}

static void
rlm_on_loss (LmccController *controller, LmccTime now,
    guint layer G_GNUC_UNUSED, const LmccLoss *loss)
{
  Rlm *rlm = (Rlm *) controller;

  lmcc_controller_forget_wish (controller, rlm->level);
  if (rlm->level < 0)
    return;
  if (rlm->state == STATE_STEADY)
    loss_in_steady (rlm, now);
  else if (rlm->state == STATE_MEASUREMENT)
    loss_in_measurement (rlm, now, loss->count);
}

static void
rlm_on_found (LmccController *controller, LmccTime now G_GNUC_UNUSED,
    guint layer G_GNUC_UNUSED, const LmccLoss *loss)
{
  Rlm *rlm = (Rlm *) controller;

  lmcc_controller_forget_wish (controller, rlm->level);
  rlm->lost -= MIN (rlm->lost, loss->count);
}

static void
rlm_on_packet (LmccController *controller, LmccTime now G_GNUC_UNUSED,
    LmccTime arrival G_GNUC_UNUSED, const LmccHeader *header,
    gsize size G_GNUC_UNUSED)
{
  Rlm *rlm = (Rlm *) controller;

  lmcc_controller_forget_wish (controller, rlm->level);
  rlm->received++;
  if (header->layer
      == lmcc_layer_set_highest (
          lmcc_session_level_layers (rlm->session, rlm->level)))
    rlm->top_packets++;
}

static void
rlm_on_neighbour_join (LmccController *controller, LmccTime now, guint level)
{
  Rlm *rlm = (Rlm *) controller;

  if (level >= LMCC_MAX_LAYERS)
    return;
  rlm->levels[level].joined = now;
  if ((gint) level > rlm->level)
    rlm->levels[level].pending = now;
}

static void
rlm_on_level (LmccController *controller, LmccTime now, gint level)
{
  Rlm *rlm = (Rlm *) controller;
  gboolean is_up = level > rlm->level;

  rlm->level = level;
  rlm->top_packets = 0;
  lmcc_controller_follow (controller, level);
  if (is_up)
    rlm->last_join = now;
  if (is_up && level > 0) {
    rlm->levels[level].pending = rlm->levels[level].joined = now;
    controller->shared_level = level;
  }
  if (level < 0) {
    rlm->join_timer = rlm->detection_timer = LMCC_TIME_NONE;
    return;
  }
  if (rlm->join_timer == LMCC_TIME_NONE || level >= top_level (rlm))
    arm_join_timer (rlm, now);
  if (rlm->detection_timer == LMCC_TIME_NONE)
    arm_detection_timer (rlm, now, DETECTION_MARGIN);
}

static void
rlm_on_session (LmccController *controller, LmccTime now)
{
  Rlm *rlm = (Rlm *) controller;

  if (rlm->join_timer == LMCC_TIME_NONE || rlm->level >= top_level (rlm))
    arm_join_timer (rlm, now);
}

static gboolean
joined_lately (const Rlm *rlm, LmccTime now)
{
  gint level;

  for (level = 0; level <= rlm->level; level++) {
    if (is_recent (rlm, rlm->levels[level].joined, now))
      return TRUE;
  }

  return FALSE;
}

static void
join_timer_expired (Rlm *rlm, LmccTime now)
{
  if (rlm->state == STATE_STEADY && !joined_lately (rlm, now)) {
    gdouble since_join = (gdouble) (now - rlm->last_join);

    if (rlm->top_packets > 0)
      lmcc_controller_want (&rlm->parent, rlm->level + 1, "join experiment");
    else if (since_join > rlm->detection_time)
      rlm->detection_time =
          MIN (DEAD_LAYER_FACTOR * since_join, rlm->join_time_max);
  }
  arm_join_timer (rlm, now);
}

static void
detection_timer_expired (Rlm *rlm, LmccTime now)
{
  RlmLevel *level = &rlm->levels[rlm->level];

  switch (rlm->state) {
    case STATE_HYSTERESIS:
      enter (rlm, STATE_MEASUREMENT, now);
      return;
    case STATE_STEADY:
      level->join_time =
          MAX (rlm->relax * level->join_time, rlm->join_time_min);
      break;
    default:
      break;
  }
  enter (rlm, STATE_STEADY, now);
}

static void
rlm_on_timeout (LmccController *controller, LmccTime now)
{
  Rlm *rlm = (Rlm *) controller;

  lmcc_controller_forget_wish (controller, rlm->level);
  if (rlm->level < 0)
    return;
  if (now >= rlm->detection_timer)
    detection_timer_expired (rlm, now);
  if (now >= rlm->join_timer)
    join_timer_expired (rlm, now);
}

static LmccTime
rlm_next_timeout (const LmccController *controller)
{
  const Rlm *rlm = (const Rlm *) controller;

  return MIN (rlm->join_timer, rlm->detection_timer);
}

static void
rlm_get_status (LmccController *controller, LmccTime now G_GNUC_UNUSED,
    LmccControllerStatus *status)
{
  const Rlm *rlm = (const Rlm *) controller;

  *status = (LmccControllerStatus){
    .state = state_names[rlm->state],
    .timer = rlm->detection_timer < rlm->join_timer ? "detection timer"
        : rlm->join_timer != LMCC_TIME_NONE         ? "join timer"
                                                    : NULL,
    .timer_at = rlm_next_timeout (controller),
  };
}

static void
rlm_free (LmccController *controller)
{
  g_rand_free (((Rlm *) controller)->dice);
  g_free (controller);
}

static const LmccControllerClass rlm_class = {
  .on_packet = rlm_on_packet,
  .on_loss = rlm_on_loss,
  .on_found = rlm_on_found,
  .on_neighbour_join = rlm_on_neighbour_join,
  .on_level = rlm_on_level,
  .on_session = rlm_on_session,
  .on_timeout = rlm_on_timeout,
  .next_timeout = rlm_next_timeout,
  .get_status = rlm_get_status,
  .free = rlm_free,
};

static LmccController *
rlm_create (const LmccSession *session, const LmccSettings *values,
    guint32 seed)
{
  Rlm *rlm = g_new0 (Rlm, 1);
  guint i;

  lmcc_controller_init (&rlm->parent, &lmcc_algorithm_rlm, &rlm_class);
  rlm->parent.shares_joins =
      lmcc_settings_get_count (values, "shared-learning") != 0;
  rlm->session = session;
  rlm->dice = g_rand_new_with_seed (seed);
  rlm->back_off = lmcc_settings_get (values, "back-off");
  rlm->relax = lmcc_settings_get (values, "relax");
  rlm->join_time_min = lmcc_settings_get_time (values, "join-timer-min");
  rlm->join_time_max = MAX (rlm->join_time_min,
      (gdouble) lmcc_settings_get_time (values, "join-timer-max"));
  rlm->loss_threshold = lmcc_settings_get (values, "loss-threshold");
  rlm->detection_time = lmcc_settings_get_time (values, "detection-time");
  rlm->deviation = lmcc_settings_get_time (values, "detection-deviation");
  rlm->level = -1;
  rlm->join_timer = rlm->detection_timer = LMCC_TIME_NONE;
  for (i = 0; i < LMCC_MAX_LAYERS; i++)
    rlm->levels[i] =
        (RlmLevel){ rlm->join_time_min, LMCC_TIME_NONE, LMCC_TIME_NONE };

  return &rlm->parent;
}

/* Receivers behind one link that show different rungs together receive more
 * than each alone. They do not learn that from each other's notices, and
 * lose more packets than with cumulative levels. */
static const LmccSending sending = { .wants_cumulative = TRUE };

const LmccAlgorithm lmcc_algorithm_rlm = {
  .name = "rlm",
  .number = 6,
  .description =
      N_ ("RLM (McCanne, Jacobson, Vetterli 1996): join experiments at random "
          "times, from which all receivers of a session learn"),
  .paper = "McCanne, Jacobson, Vetterli, \"Receiver-driven Layered "
           "Multicast\", SIGCOMM 1996",
  .settings = settings,
  .n_settings = G_N_ELEMENTS (settings),
  .sending = &sending,
  .create = rlm_create,
};
