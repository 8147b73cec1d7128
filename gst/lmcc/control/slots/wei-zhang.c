/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * J. Wei, L. Zhang, "On Receiver-Driven Layered Multicast Transmission",
 * UCLA 2000, sections II and III-C: the sender marks synchronization points
 * of each layer at an interval that depends on the layer.
 */
#include <glib/gi18n-lib.h>
#include <gst/lmcc/lmcc-session-algorithm.h>

#include "control/sending.h"
#include "control/slots/slot-controller.h"
#include "control/slots/sync-points.h"
#include "wire/algorithm-element.h"

typedef struct
{
  LmccSlotController slots;
  gboolean back_off;
  LmccSyncBackoff backoff;
  gboolean trial[LMCC_MAX_LAYERS]; /* joined for less than its interval */
} Synchronized;

static const LmccSetting settings[] = {
  { "back-off", LMCC_SETTING_SWITCH, 0, 0, 0, NULL,
      N_ ("After the k-th consecutive failed join experiment, skip 2^k - 1 of "
          "the layer's synchronization points (Wei and Zhang 2000, section "
          "III-C)") },
  { "back-off-limit", LMCC_SETTING_COUNT, 1, 16, 6, NULL,
      N_ ("Greatest k: after 6 failures every 64th point is tried (the paper "
          "has no limit)") },
  { "deaf-period", LMCC_SETTING_TIME, 0, 60, 0, NULL,
      N_ ("Seconds after a leave in which losses are ignored; 0: 1.5 times the "
          "measured leave latency, at least 1, and 3 until it is measured (the "
          "paper gives no number)") },
};

/* A sync point of a layer is a mark for the level below it. */
static gboolean
is_point_of (const LmccSlotEnd *end, gint layer)
{
  return layer >= 1 && (end->up_levels >> (layer - 1)) & 1;
}

/* A layer that was joined for its whole interval has not failed. */
static void
note_failure (Synchronized *sync)
{
  if (sync->back_off && sync->trial[sync->slots.level])
    lmcc_sync_backoff_dropped (&sync->backoff, (guint) sync->slots.level);
}

static void
sync_drop (Synchronized *sync, LmccTime now, const gchar *reason)
{
  if (sync->slots.level <= 0)
    return;
  note_failure (sync);
  lmcc_controller_want (&sync->slots.parent, sync->slots.level - 1, reason);
  lmcc_deaf_period_leave (&sync->slots.deaf, now, (guint) sync->slots.level);
}

static void
sync_try_join (Synchronized *sync, const LmccSlotEnd *end)
{
  gint layer = sync->slots.level + 1;

  if (layer >= (gint) sync->slots.session->n_layers || !is_point_of (end, layer)
      || lmcc_deaf_period_covers (&sync->slots.deaf, end->end))
    return;
  if (!lmcc_sync_backoff_sync_point (&sync->backoff, (guint) layer, FALSE))
    return;
  /* Any loss after the deaf period would have begun another deaf period. */
  if (!end->whole || end->missing > 0)
    return;
  lmcc_controller_want (&sync->slots.parent, layer,
      "a synchronization point of the next layer");
  lmcc_deaf_period_join (&sync->slots.deaf, (guint) layer);
}

/* A layer that is still joined at its next sync point has passed its trial. */
static void
end_trials (Synchronized *sync, const LmccSlotEnd *end)
{
  gint layer;

  for (layer = 1; layer <= sync->slots.level; layer++) {
    if (is_point_of (end, layer)) {
      sync->trial[layer] = FALSE;
      lmcc_sync_backoff_sync_point (&sync->backoff, (guint) layer, TRUE);
    }
  }
}

static void
sync_slot_end (LmccSlotController *controller, LmccTime now,
    const LmccSlotEnd *end)
{
  Synchronized *sync = (Synchronized *) controller;
  if (sync->slots.level < 0)
    return;
  if (end->silent) {
    if (!lmcc_deaf_period_covers (&sync->slots.deaf, end->end))
      sync_drop (sync, now, "no packet of the base layer in a slot");
    return;
  }
  end_trials (sync, end);
  sync_try_join (sync, end);
}

static void
sync_on_loss (LmccController *controller, LmccTime now, guint layer,
    const LmccLoss *loss)
{
  Synchronized *sync = (Synchronized *) controller;

  lmcc_slot_controller_loss (&sync->slots, layer, loss);
  if (!lmcc_deaf_period_covers (&sync->slots.deaf,
          lmcc_loss_get_last_time (loss)))
    sync_drop (sync, now, "loss");
}

static void
sync_on_level (LmccController *controller, LmccTime now, gint level)
{
  Synchronized *sync = (Synchronized *) controller;
  gint layer;

  for (layer = MAX (sync->slots.level, 0) + 1; layer <= level; layer++)
    sync->trial[layer] = TRUE;
  lmcc_slot_controller_level (controller, now, level);
}

static void
sync_get_status (LmccController *controller, LmccTime now,
    LmccControllerStatus *status)
{
  const Synchronized *sync = (const Synchronized *) controller;
  gint level = sync->slots.level;
  gint next = level + 1;

  lmcc_slot_controller_get_status (&sync->slots, now,
      level >= 0 && sync->trial[level] ? "experiment"
          : next < LMCC_MAX_LAYERS && sync->backoff.skip[next] > 0 ? "back-off"
                                                                   : "steady",
      status);
}

static const LmccControllerClass sync_class = {
  .on_packet = lmcc_slot_controller_packet,
  .on_expected = lmcc_slot_controller_expected,
  .on_waiting_packet = lmcc_slot_controller_waiting_packet,
  .on_refused_packet = lmcc_slot_controller_refused_packet,
  .on_loss = sync_on_loss,
  .on_left_packet = lmcc_slot_controller_left_packet,
  .on_level = sync_on_level,
  .on_timeout = lmcc_slot_controller_timeout,
  .next_timeout = lmcc_slot_controller_next_timeout,
  .get_status = sync_get_status,
  .free = lmcc_slot_controller_free,
};

static LmccController *
sync_create (const LmccSession *session, const LmccSettings *values,
    guint32 seed G_GNUC_UNUSED)
{
  Synchronized *sync = g_new0 (Synchronized, 1);

  lmcc_slot_controller_init (&sync->slots, &lmcc_algorithm_synchronized,
      &sync_class, session, lmcc_slot_controller_settle_time (session));
  sync->slots.slot_end = sync_slot_end;
  sync->back_off = lmcc_settings_get_count (values, "back-off") != 0;
  lmcc_sync_backoff_init (&sync->backoff,
      (guint) lmcc_settings_get_count (values, "back-off-limit"));
  lmcc_deaf_period_init (&sync->slots.deaf,
      lmcc_settings_get_time (values, "deaf-period"), LMCC_DEAF_INITIAL,
      LMCC_DEAF_MINIMUM);

  return &sync->slots.parent;
}

/* The sender's half. */

static const LmccSetting sending_settings[] = {
  { "slot", LMCC_SETTING_TIME, 0, LMCC_SENDING_LONGEST_SLOT, 0, NULL,
      N_ ("Time between synchronization points of the base layer; 0: according "
          "to nominal-rtt") },
  { "nominal-rtt", LMCC_SETTING_TIME, 0, LMCC_SENDING_LONGEST_SLOT, 0, NULL,
      N_ ("Round-trip time of the TCP connection that receivers equal (Wei and "
          "Zhang 2000, section IV), instead of slot; 0: 0.1") },
};

static gboolean
fit_synchronized (LmccSession *session, LmccTime nominal_rtt,
    LmccTime leave_latency G_GNUC_UNUSED, GError **error)
{
  gdouble rates[LMCC_MAX_LAYERS];
  guint i;

  if (nominal_rtt == 0 && session->slot > 0)
    return TRUE;
  if (nominal_rtt == 0)
    nominal_rtt = LMCC_DEFAULT_NOMINAL_RTT;
  for (i = 0; i < session->n_layers; i++)
    rates[i] = (gdouble) lmcc_session_level_rate (session, i);

  return lmcc_sending_take_slot (session,
      lmcc_sync_points_slot_from_rtt (rates, session->n_layers,
          session->packet_size, nominal_rtt, LMCC_SYNC_POINTS_UPPER_SHARE),
      error);
}

typedef struct
{
  LmccSyncPoints points;
  gdouble rates[LMCC_MAX_LAYERS]; /* R_i, bit/s */
  guint64 n_slots;                /* number of slots that the points have
                                   * counted */
  guint64 up_levels;              /* at the end of the last of these slots */
} Marks;

static void
init_synchronized (gpointer state, const LmccSession *session,
    const gdouble *probabilities G_GNUC_UNUSED)
{
  Marks *own = state;
  guint i;

  lmcc_sync_points_init (&own->points, session->n_layers);
  for (i = 0; i < session->n_layers; i++)
    own->rates[i] = (gdouble) lmcc_session_level_rate (session, i);
}

static void
mark_synchronized (gpointer state, guint64 slot, guint layer G_GNUC_UNUSED,
    LmccTime offset G_GNUC_UNUSED, LmccMarks *marks)
{
  Marks *own = state;

  for (; own->n_slots <= slot; own->n_slots++)
    own->up_levels = lmcc_sync_points_next (&own->points, own->rates);
  marks->has_up_levels = TRUE;
  marks->up_levels = own->up_levels;
}

static gsize
get_element_size (const LmccSession *session)
{
  guint8 data[LMCC_SYNCHRONIZED_MAX_SIZE];

  return lmcc_synchronized_write (0, session->n_layers - 1, data);
}

static const LmccSending sending = {
  .settings = sending_settings,
  .n_settings = G_N_ELEMENTS (sending_settings),
  .fit = fit_synchronized,
  .state_size = sizeof (Marks),
  .init = init_synchronized,
  .mark = mark_synchronized,
  .get_element_size = get_element_size,
};

const LmccAlgorithm lmcc_algorithm_synchronized = {
  .name = "synchronized",
  .number = 7,
  .description = N_ ("Wei and Zhang 2000: up at the sender's synchronization "
                     "points of the next layer, down at any loss"),
  .paper = "Wei, Zhang, \"On Receiver-Driven Layered Multicast "
           "Transmission\", UCLA 2000",
  .settings = settings,
  .n_settings = G_N_ELEMENTS (settings),
  .sending = &sending,
  .create = sync_create,
};
