/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_PLUMB_STATE_H
#define LMCC_CONTROL_PLUMB_STATE_H

#include "control/controller.h"
#include "control/plumb/duty.h"
#include "control/plumb/overload.h"
#include "control/plumb/steps.h"
#include "control/quality-watch.h"
#include "measure/fair-rate.h"
#include "measure/trains.h"

G_BEGIN_DECLS

/* This many trains must find room, or none, before it counts. */
#define LMCC_PLUMB_VERDICTS 2

/* There is no competing traffic if nothing was lost, and no train met a queue, for
 * this long. */
#define LMCC_PLUMB_ALONE (10 * LMCC_SECOND)

/* A receiver that heard nothing for this long knows nothing of the path. */
#define LMCC_PLUMB_SILENCE LMCC_SECOND

/* If trains found room before more than this share of the losses, the losses are
 * random. */
#define LMCC_PLUMB_RANDOM 0.5

/**
 * LmccPlumb:
 * The state of plumb: its knowledge of the path (path.c), the rules of its changes of
 * level (start.c and rules.c), the effects of a change (changes.c), and its status
 * (status.c).
 */
typedef struct
{
  LmccController parent;
  const LmccSession *session;
  gboolean radio;
  LmccTime leave_latency;

  LmccFairRate fair;
  LmccFairRate before; /* state before the first of consecutive experiments */
  gboolean has_before;
  gint level_before;
  LmccTrainReader trains;
  LmccOverload overload;
  LmccDuty duty;
  LmccSteps steps;
  LmccQualityWatch quality;

  gint level;
  LmccTime level_since;
  LmccTime joined_at;
  gboolean
      experiment; /* the latest join was made only because there was no loss */
  LmccOverloadLimit wanted_limit; /* limit for a wanted join */
  gboolean wants_experiment;
  LmccOverloadLimit limit; /* limit of the latest join, while it is on trial */
  LmccTime next_tick;
  gdouble open_rate; /* fair rate including the time since the latest loss */
  gdouble rate;      /* fair rate, limited */

  gboolean slow_start;
  gboolean rtt_known;
  LmccTime rtt;
  LmccTime last_packet;
  LmccTime
      heard[LMCC_MAX_LAYERS]; /* time of the latest packet, or of the join */
  LmccTime outage_until[LMCC_MAX_LAYERS]; /* end of the silence before that */
  LmccTime outage_taken; /* when a silence was last counted as a loss event */
  LmccTime last_loss;
  LmccTime loss_before; /* the latest one before @recent_losses */
  guint recent_losses;  /* packets that may still arrive */
  LmccTime last_queue;  /* when a train last met a queue */
  gboolean leaving;
  gboolean restart; /* restart the history after the deaf period */
  gboolean deaf;
  LmccTime deaf_since;
  LmccTime deaf_until; /* end of the latest deaf period */
  LmccTime left_packet;
  LmccTime low_since;
  guint failures[LMCC_MAX_LAYERS]; /* per level */
  LmccTime left_alone[LMCC_MAX_LAYERS];
} LmccPlumb;

gdouble lmcc_plumb_level_rate (const LmccPlumb *plumb, gint level);
LmccTime lmcc_plumb_get_rtt (const LmccPlumb *plumb);
guint lmcc_plumb_count_verdicts (const LmccPlumb *plumb,
    LmccTrainVerdict verdict, LmccTime now);
gboolean lmcc_plumb_is_young (const LmccPlumb *plumb, LmccTime now);
gboolean
lmcc_plumb_lost_since (const LmccPlumb *plumb, LmccTime now, LmccTime time);
gboolean lmcc_plumb_is_vetoed (const LmccPlumb *plumb, LmccTime now);
LmccTime lmcc_plumb_find_silence (const LmccPlumb *plumb, guint layer);
gboolean lmcc_plumb_may_try (const LmccPlumb *plumb, LmccTime now);
gboolean lmcc_plumb_is_alone (const LmccPlumb *plumb, LmccTime now);
LmccFairRateWitness
lmcc_plumb_find_witness (const LmccPlumb *plumb, LmccTime now);
void lmcc_plumb_update_rate (LmccPlumb *plumb, LmccTime now);

void lmcc_plumb_begin_anew (LmccPlumb *plumb, LmccTime now);
void lmcc_plumb_claim (LmccPlumb *plumb, LmccTime now, const gchar *reason);
gboolean lmcc_plumb_is_experiment (const LmccPlumb *plumb, LmccTime now);
void lmcc_plumb_experiment (LmccPlumb *plumb, const gchar *reason);
void lmcc_plumb_joined (LmccPlumb *plumb, LmccTime now);
void lmcc_plumb_leave_to (LmccPlumb *plumb, gint level, LmccTime now,
    const gchar *reason);
void lmcc_plumb_leave_in_vain (LmccPlumb *plumb, gint level, LmccTime now,
    const gchar *reason);
LmccTime lmcc_plumb_deaf_period_end (const LmccPlumb *plumb);
void lmcc_plumb_end_deaf_period (LmccPlumb *plumb, LmccTime now);

gboolean lmcc_plumb_leave_overload (LmccPlumb *plumb, LmccTime now);
gboolean lmcc_plumb_promote (LmccPlumb *plumb, LmccTime now);
gboolean lmcc_plumb_explore (LmccPlumb *plumb, LmccTime now);
gboolean lmcc_plumb_leave_far_below (LmccPlumb *plumb, LmccTime now);
gboolean lmcc_plumb_follow_step (LmccPlumb *plumb, LmccTime now);
void lmcc_plumb_follow_duty (LmccPlumb *plumb, LmccTime now);

void lmcc_plumb_start (LmccPlumb *plumb, LmccTime now);

void lmcc_plumb_show_fair_rate (const LmccPlumb *plumb, LmccTime now,
    LmccFairStatus *status);

G_END_DECLS

#endif
