/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RLC: L. Vicisano, L. Rizzo, J. Crowcroft, "TCP-like Congestion Control for
 * Layered Multicast Data Transfer", INFOCOM 1998, as described by A. Legout and
 * E. W. Biersack, "Pathological Behaviors for RLM and RLC", NOSSDAV 2000,
 * section 4, and by J. Byers et al., "FLID-DL", 2002, section II-A.
 */
#include <glib/gi18n-lib.h>
#include <gst/lmcc/lmcc-session-algorithm.h>

#include "control/sending.h"
#include "control/slots/slot-controller.h"
#include "control/slots/sync-points.h"
#include "wire/constants.h"

#include <math.h>

typedef enum
{
  JOIN_SIGNAL_TOP_LAYER,
  JOIN_SIGNAL_NEXT_LAYER,
} JoinSignal;

typedef enum
{
  BURST_LOSS_HOLD,
  BURST_LOSS_DROP,
} BurstLoss;

typedef enum
{
  JOIN_AFTER_PERIOD,
  JOIN_AFTER_BURST,
} JoinAfter;

typedef struct
{
  LmccSlotController slots;
  JoinSignal join_signal;
  BurstLoss burst_loss;
  JoinAfter join_after;
  gboolean clean;        /* no loss since the level's last synchronization
                          * point */
  guint64 clean_from;    /* the first slot after that point */
  gboolean whole_period; /* that point was not in a deaf period */
} Rlc;

static const gchar *const join_signals[] = { "top-layer", "next-layer", NULL };
static const gchar *const burst_losses[] = { "hold", "drop", NULL };
static const gchar *const joins_after[] = { "period", "burst", NULL };

static const LmccSetting settings[] = {
  { "join-signal", LMCC_SETTING_CHOICE, 0, 0, JOIN_SIGNAL_TOP_LAYER,
      join_signals,
      N_ ("Synchronization points at which a receiver joins: those of its "
          "highest layer (Byers et al. 2002, section II-A), or those of the "
          "layer to join, half as often (Wei and Zhang 2000, section II)") },
  { "burst-loss", LMCC_SETTING_CHOICE, 0, 0, BURST_LOSS_HOLD, burst_losses,
      N_ ("After a loss in a burst: do not join at its synchronization point, "
          "or leave a layer as ns does (Legout and Biersack 2000, section "
          "4)") },
  { "join-after", LMCC_SETTING_CHOICE, 0, 0, JOIN_AFTER_PERIOD, joins_after,
      N_ ("Time that must be free of losses before a join: the whole time "
          "between two synchronization points of the level, or only the slot "
          "with the burst before the point (Legout and Biersack 2000, section "
          "4)") },
  { "deaf-period", LMCC_SETTING_TIME, 0, 60, 0, NULL,
      N_ ("Seconds after a leave in which losses are ignored; 0: 1.5 times the "
          "measured leave latency, at least 1, and 3 until it is measured (no "
          "paper gives a number)") },
};

static void
rlc_drop (Rlc *rlc, LmccTime now, const gchar *reason)
{
  rlc->clean = FALSE;
  rlc->whole_period = FALSE;
  if (rlc->slots.level <= 0)
    return;
  lmcc_controller_want (&rlc->slots.parent, rlc->slots.level - 1, reason);
  lmcc_deaf_period_leave (&rlc->slots.deaf, now, (guint) rlc->slots.level);
}

/* Points of level k come every 2^k slots: k is the number of zero bits at
 * the end of the next slot's number. The signal on the wire includes them up
 * to the level below the top. */
static guint
point_level (const Rlc *rlc, guint64 index)
{
  guint next = (guint) ((index + 1) % rlc->slots.session->slot_modulus);

  return next == 0 ? LMCC_MAX_LAYERS : (guint) __builtin_ctz (next);
}

static gboolean
is_own_point (const Rlc *rlc, const LmccSlotEnd *end)
{
  if (end->signal < rlc->slots.level)
    return FALSE;

  return rlc->join_signal == JOIN_SIGNAL_TOP_LAYER
      || point_level (rlc, end->index) > (guint) rlc->slots.level;
}

/* A burst is as long as its slot, including the silence. */
static gboolean
heard_enough (const Rlc *rlc, const LmccSlotEnd *end)
{
  if (rlc->join_after == JOIN_AFTER_BURST)
    return lmcc_slot_end_is_clean (end)
        && !lmcc_deaf_period_covers (&rlc->slots.deaf, end->begin);

  return rlc->clean && rlc->whole_period
      && !lmcc_deaf_period_covers (&rlc->slots.deaf, end->end);
}

static void
rlc_slot_end (LmccSlotController *controller, LmccTime now,
    const LmccSlotEnd *end)
{
  Rlc *rlc = (Rlc *) controller;
  gboolean is_deaf = lmcc_deaf_period_covers (&rlc->slots.deaf, end->end);
  gboolean may_join;

  if (rlc->slots.level < 0)
    return;
  if (end->silent && !is_deaf) {
    rlc_drop (rlc, now, "no packet of the base layer in a slot");
    return;
  }
  rlc->clean = rlc->clean && lmcc_slot_end_is_clean (end);
  if (!is_own_point (rlc, end))
    return;

  may_join = heard_enough (rlc, end);
  rlc->clean = TRUE;
  rlc->clean_from = end->index + 1;
  rlc->whole_period = !is_deaf;
  if (!may_join || rlc->slots.level + 1 >= (gint) rlc->slots.session->n_layers)
    return;
  lmcc_controller_want (&rlc->slots.parent, rlc->slots.level + 1,
      "no loss before the synchronization point");
  lmcc_deaf_period_join (&rlc->slots.deaf, (guint) rlc->slots.level + 1);
}

/* A burst of level k doubles the rates of the layers up to k: it probes for
 * receivers at level k and below. For a receiver above k, a loss in it
 * counts like any other. */
static gboolean
is_own_burst (const Rlc *rlc, const LmccSlotLoss *loss, guint layer)
{
  return loss->burst
      && ((gint) layer >= rlc->slots.level || loss->signal >= rlc->slots.level);
}

static void
rlc_on_loss (LmccController *controller, LmccTime now, guint layer,
    const LmccLoss *loss)
{
  Rlc *rlc = (Rlc *) controller;
  LmccSlotLoss where = lmcc_slot_controller_loss (&rlc->slots, layer, loss);

  if (rlc->slots.level < 0
      || lmcc_deaf_period_covers (&rlc->slots.deaf,
          lmcc_loss_get_last_time (loss)))
    return;
  if (rlc->burst_loss == BURST_LOSS_HOLD && is_own_burst (rlc, &where, layer)) {
    if (where.index >= rlc->clean_from)
      rlc->clean = FALSE;
    return;
  }
  rlc_drop (rlc, now, where.burst ? "loss in a burst" : "loss");
}

static void
rlc_get_status (LmccController *controller, LmccTime now,
    LmccControllerStatus *status)
{
  const Rlc *rlc = (const Rlc *) controller;

  lmcc_slot_controller_get_status (&rlc->slots, now,
      !rlc->whole_period ? "observing"
          : rlc->clean   ? "clean"
                         : "loss seen",
      status);
}

static const LmccControllerClass rlc_class = {
  .on_packet = lmcc_slot_controller_packet,
  .on_expected = lmcc_slot_controller_expected,
  .on_waiting_packet = lmcc_slot_controller_waiting_packet,
  .on_refused_packet = lmcc_slot_controller_refused_packet,
  .on_loss = rlc_on_loss,
  .on_left_packet = lmcc_slot_controller_left_packet,
  .on_level = lmcc_slot_controller_level,
  .on_timeout = lmcc_slot_controller_timeout,
  .next_timeout = lmcc_slot_controller_next_timeout,
  .get_status = rlc_get_status,
  .free = lmcc_slot_controller_free,
};

static LmccController *
rlc_create (const LmccSession *session, const LmccSettings *values,
    guint32 seed G_GNUC_UNUSED)
{
  Rlc *rlc = g_new0 (Rlc, 1);

  lmcc_slot_controller_init (&rlc->slots, &lmcc_algorithm_rlc, &rlc_class,
      session, lmcc_slot_controller_settle_time (session));
  rlc->slots.slot_end = rlc_slot_end;
  rlc->join_signal = lmcc_settings_get_count (values, "join-signal");
  rlc->burst_loss = lmcc_settings_get_count (values, "burst-loss");
  rlc->join_after = lmcc_settings_get_count (values, "join-after");
  rlc->whole_period = TRUE;
  rlc->clean = TRUE;
  lmcc_deaf_period_init (&rlc->slots.deaf,
      lmcc_settings_get_time (values, "deaf-period"), LMCC_DEAF_INITIAL,
      LMCC_DEAF_MINIMUM);

  return &rlc->slots.parent;
}

/* The sender's half. */

/* Rates are whole bit/s, and may come from a list with rounded values. */
#define DOUBLING_TOLERANCE 0.01

static const LmccSetting sending_settings[] = {
  { "slot", LMCC_SETTING_TIME, 0, LMCC_SENDING_LONGEST_SLOT, 0, NULL,
      N_ ("Time between synchronization points of the base layer; 0: 8 of its "
          "packets (Legout and Biersack 2000, section 4), or according to "
          "nominal-rtt") },
  { "nominal-rtt", LMCC_SETTING_TIME, 0, LMCC_SENDING_LONGEST_SLOT, 0, NULL,
      N_ ("Round-trip time of the TCP connection that receivers equal, instead "
          "of slot; 0: according to slot") },
};

static gboolean
check_doubling (const LmccSession *session, GError **error)
{
  guint i;

  for (i = 1; i < session->n_layers; i++) {
    gdouble step = (gdouble) lmcc_session_level_rate (session, i)
        / (gdouble) lmcc_session_level_rate (session, i - 1);

    if (!(fabs (step - 2) <= DOUBLING_TOLERANCE))
      return lmcc_sending_refuse (error,
          _ ("rlc needs layers that each double the rate, but layer %u does "
             "not: use the scheme doubling, or flid-dl or synchronized for any "
             "rates"),
          i);
  }

  return TRUE;
}

static gboolean
rlc_fit (LmccSession *session, LmccTime nominal_rtt,
    LmccTime leave_latency G_GNUC_UNUSED, GError **error)
{
  gdouble base = (gdouble) session->layers[0].rate;
  guint top = session->n_layers - 1;

  if (!check_doubling (session, error))
    return FALSE;
  if (nominal_rtt > 0
      && !lmcc_sending_take_slot (session,
          lmcc_rlc_slot_from_rtt (base, session->packet_size, nominal_rtt,
              LMCC_SYNC_POINTS_UPPER_SHARE),
          error))
    return FALSE;
  if (session->slot == 0)
    session->slot =
        lmcc_sending_slot_from_packets (session, LMCC_RLC_BASE_PACKETS);
  session->slot_modulus =
      lmcc_slot_modulus (top < 16 ? 1u << top : LMCC_MAX_SLOT_MODULUS);

  return TRUE;
}

static void
rlc_init_marks (gpointer state, const LmccSession *session,
    const gdouble *probabilities G_GNUC_UNUSED)
{
  lmcc_rlc_schedule_init (state, session->n_layers - 1,
      (gdouble) session->layers[0].rate, session->packet_size, session->slot,
      LMCC_RLC_BURST_PACKETS);
}

static void
rlc_mark (gpointer state, guint64 slot, guint layer, LmccTime offset,
    LmccMarks *marks)
{
  const LmccRlcSchedule *schedule = state;

  marks->signal = (gint8) lmcc_rlc_schedule_get_signal (schedule, slot);
  marks->burst = schedule->burst > 0
      && lmcc_rlc_schedule_get_factor (schedule, slot, layer,
             lmcc_rlc_schedule_get_send_time (schedule, slot, layer, offset))
          == 2;
}

static LmccTime
rlc_get_send_time (gconstpointer state, guint64 slot, guint layer,
    LmccTime offset)
{
  const LmccRlcSchedule *schedule = state;

  return schedule->burst == 0
      ? offset
      : lmcc_rlc_schedule_get_send_time (schedule, slot, layer, offset);
}

static const LmccSending sending = {
  .settings = sending_settings,
  .n_settings = G_N_ELEMENTS (sending_settings),
  .fit = rlc_fit,
  .state_size = sizeof (LmccRlcSchedule),
  .init = rlc_init_marks,
  .mark = rlc_mark,
  .get_send_time = rlc_get_send_time,
};

const LmccAlgorithm lmcc_algorithm_rlc = {
  .name = "rlc",
  .number = 5,
  .description = N_ ("RLC (Vicisano, Rizzo, Crowcroft 1998): up at the "
                     "sender's synchronization points, down at any loss"),
  .paper = "Vicisano, Rizzo, Crowcroft, \"TCP-like Congestion Control for "
           "Layered Multicast Data Transfer\", INFOCOM 1998",
  .settings = settings,
  .n_settings = G_N_ELEMENTS (settings),
  .sending = &sending,
  .create = rlc_create,
};
