/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * FLID: J. Byers, G. Horn, M. Luby, M. Mitzenmacher, W. Shaver, "FLID-DL:
 * Congestion Control for Layered Multicast", IEEE JSAC 2002, section IV-B.
 * Static and dynamic layers have the same rules; only the groups of a level
 * differ.
 */
#include <glib/gi18n-lib.h>
#include <gst/lmcc/lmcc-session-algorithm.h>

#include "control/sending.h"
#include "control/slots/dynamic-layering.h"
#include "control/slots/increase-probabilities.h"
#include "control/slots/increase-signals.h"
#include "control/slots/slot-controller.h"

/* Number of slots back for which losses are still attributed to their slot. */
#define MEMORY 64

typedef struct
{
  LmccSlotController slots;
  guint64 newest;   /* slot of bit 0 of the sets below */
  guint64 lossy;    /* slots with losses; each counts once */
  guint64 climbed;  /* slots whose end was a step up */
  guint64 climbing; /* slot that has just permitted a step up, or 0 */
  guint owed;       /* steps down to be taken, one at the end of each slot */
  guint64 ended;    /* latest slot whose end was reported */
  guint64 n_slots;
  guint64 n_lossy;
} Flid;

static const LmccSetting settings[] = {
  { "deaf-period", LMCC_SETTING_TIME, 0, 60, 0, NULL,
      N_ ("Seconds after a leave in which losses are ignored and no layer is "
          "joined; 0: 1.5 times the measured leave latency, and no such time "
          "until it is measured (Byers et al. 2002 assume fast leaves for "
          "static layers)") },
};

static void
flid_note_slot (Flid *flid, guint64 index)
{
  guint64 ahead;

  if (index <= flid->newest)
    return;
  ahead = index - flid->newest;
  flid->lossy = ahead < MEMORY ? flid->lossy << ahead : 0;
  flid->climbed = ahead < MEMORY ? flid->climbed << ahead : 0;
  flid->newest = index;
}

/* The bit of a recorded slot in the sets, 0 if it is too far back. */
static guint64
slot_bit (const Flid *flid, guint64 index)
{
  guint64 behind = flid->newest - index;

  return behind < MEMORY ? G_GUINT64_CONSTANT (1) << behind : 0;
}

/* A slot is one congestion event, however late its losses show and however
 * many there are. If the slot seemed free of losses and led to a step up,
 * that step is undone, too. */
static void
flid_charge (Flid *flid, guint64 index)
{
  guint64 bit;

  flid_note_slot (flid, index);
  bit = slot_bit (flid, index);
  if (bit == 0 || flid->lossy & bit)
    return;
  flid->lossy |= bit;
  flid->n_lossy++;
  flid->owed += flid->climbed & bit ? 2 : 1;
  flid->owed = MIN (flid->owed, (guint) MAX (flid->slots.level, 0));
}

static void
flid_up (Flid *flid, const LmccSlotEnd *end)
{
  if (flid->owed > 0) {
    flid->owed--;
    flid->climbed |= slot_bit (flid, end->index);
    return;
  }
  lmcc_controller_want (&flid->slots.parent, flid->slots.level + 1,
      "no loss in the slot, and its signal permits a step up");
  flid->climbing = end->index;
  lmcc_deaf_period_join (&flid->slots.deaf, (guint) flid->slots.level + 1);
}

static void
flid_down (Flid *flid, LmccTime now, const LmccSlotEnd *end)
{
  flid->owed--;
  lmcc_controller_want (&flid->slots.parent, flid->slots.level - 1,
      end->silent ? "no packet of the base layer in a slot"
                  : "loss in the slot");
  if (flid->slots.parent.algorithm == &lmcc_algorithm_flid_sl)
    lmcc_deaf_period_leave (&flid->slots.deaf, now, (guint) flid->slots.level);
  if (lmcc_deaf_period_covers (&flid->slots.deaf, now))
    flid->owed = 0;
}

/* The level that counts is the one that the receiver would have if each loss
 * had shown in its own slot. */
static void
flid_slot_end (LmccSlotController *controller, LmccTime now,
    const LmccSlotEnd *end)
{
  Flid *flid = (Flid *) controller;
  gint level;

  flid->climbing = 0;
  flid_note_slot (flid, end->index);
  if (flid->slots.level < 0
      || lmcc_deaf_period_covers (&flid->slots.deaf, end->end))
    return;
  if (end->index > flid->ended)
    flid->n_slots++;
  flid->ended = end->index;
  if (end->silent)
    flid_charge (flid, end->index);
  level = flid->slots.level - (gint) flid->owed;
  if (!(flid->lossy & slot_bit (flid, end->index))
      && lmcc_slot_end_is_clean (end) && end->signal >= level
      && level + 1 < (gint) flid->slots.session->n_layers)
    flid_up (flid, end);
  if (flid->owed > 0)
    flid_down (flid, now, end);
}

static void
flid_on_loss (LmccController *controller, LmccTime now G_GNUC_UNUSED,
    guint layer, const LmccLoss *loss)
{
  Flid *flid = (Flid *) controller;
  LmccSlotLoss where = lmcc_slot_controller_loss (&flid->slots, layer, loss);

  if (!lmcc_deaf_period_covers (&flid->slots.deaf,
          lmcc_loss_get_last_time (loss)))
    flid_charge (flid, where.index);
}

static void
flid_on_join_lead (LmccController *controller, LmccTime now G_GNUC_UNUSED,
    LmccTime lead)
{
  lmcc_slot_clock_set_lead (((LmccSlotController *) controller)->clock, lead);
}

static void
flid_on_level (LmccController *controller, LmccTime now, gint level)
{
  Flid *flid = (Flid *) controller;

  if (level > flid->slots.level && flid->climbing > 0)
    flid->climbed |= slot_bit (flid, flid->climbing);
  flid->climbing = 0;
  flid->owed = MIN (flid->owed, (guint) MAX (level, 0));
  lmcc_slot_controller_level (controller, now, level);
}

static void
flid_get_status (LmccController *controller, LmccTime now,
    LmccControllerStatus *status)
{
  const Flid *flid = (const Flid *) controller;

  lmcc_slot_controller_get_status (&flid->slots, now,
      flid->owed > 0 ? "loss seen" : "clean", status);
  status->slots = flid->n_slots;
  status->lossy_slots = flid->n_lossy;
}

static const LmccControllerClass flid_class = {
  .on_packet = lmcc_slot_controller_packet,
  .on_expected = lmcc_slot_controller_expected,
  .on_waiting_packet = lmcc_slot_controller_waiting_packet,
  .on_refused_packet = lmcc_slot_controller_refused_packet,
  .on_loss = flid_on_loss,
  .on_left_packet = lmcc_slot_controller_left_packet,
  .on_join_lead = flid_on_join_lead,
  .on_level = flid_on_level,
  .on_timeout = lmcc_slot_controller_timeout,
  .next_timeout = lmcc_slot_controller_next_timeout,
  .get_status = flid_get_status,
  .free = lmcc_slot_controller_free,
};

static Flid *
flid_new (const LmccAlgorithm *algorithm, const LmccSession *session,
    LmccTime deaf_period)
{
  Flid *flid = g_new0 (Flid, 1);

  lmcc_slot_controller_init (&flid->slots, algorithm, &flid_class, session, 0);
  flid->slots.slot_end = flid_slot_end;
  lmcc_deaf_period_init (&flid->slots.deaf, deaf_period, 0, 0);

  return flid;
}

static LmccController *
flid_sl_create (const LmccSession *session, const LmccSettings *values,
    guint32 seed G_GNUC_UNUSED)
{
  return &flid_new (&lmcc_algorithm_flid_sl, session,
      lmcc_settings_get_time (values, "deaf-period"))
              ->slots.parent;
}

static LmccController *
flid_dl_create (const LmccSession *session,
    const LmccSettings *values G_GNUC_UNUSED, guint32 seed G_GNUC_UNUSED)
{
  return &flid_new (&lmcc_algorithm_flid_dl, session, 0)->slots.parent;
}

/* The sender's half. */

#define NOMINAL_RTT (LMCC_DEFAULT_NOMINAL_RTT / (gdouble) LMCC_SECOND)

#define FLID_SETTINGS                                                        \
  { "slot", LMCC_SETTING_TIME, LMCC_SENDING_LEAST_TIME,                      \
    LMCC_SENDING_LONGEST_SLOT, LMCC_FLID_SLOT / (gdouble) LMCC_SECOND, NULL, \
    N_ ("Length of a slot (Byers et al. 2002, section V-A)") },              \
      { "nominal-rtt", LMCC_SETTING_TIME, LMCC_SENDING_LEAST_TIME,           \
        LMCC_SENDING_LONGEST_SLOT, NOMINAL_RTT, NULL,                        \
        N_ ("Round-trip time of the TCP connection that receivers equal: a " \
            "fifth "                                                         \
            "of the "                                                        \
            "slot "                                                          \
            "(likewise)") },                                                 \
  {                                                                          \
    "probabilities", LMCC_SETTING_CHOICE, 0, 0,                              \
        LMCC_INCREASE_METHOD_HEURISTIC, lmcc_increase_method_names,          \
        N_ ("Probability that each level may go up after a slot (likewise, " \
            "appendix); "                                                    \
            "or "                                                            \
            "a number for each layer, the last of them 0")                   \
  }

static const LmccSetting sending_sl_settings[] = { FLID_SETTINGS };

static const LmccSetting sending_dl_settings[] = {
  FLID_SETTINGS,
  { "leave-latency", LMCC_SETTING_TIME, LMCC_SENDING_LEAST_TIME,
      LMCC_SENDING_LONGEST_SLOT,
      LMCC_DEFAULT_LEAVE_LATENCY / (gdouble) LMCC_SECOND, NULL,
      N_ ("The longest time from a leave to the last packet: a group is silent "
          "for this long before it returns (likewise, section V-B)") },
};

static gboolean
fit_flid_sl (LmccSession *session, LmccTime nominal_rtt G_GNUC_UNUSED,
    LmccTime leave_latency G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
  if (session->slot == 0)
    session->slot = LMCC_FLID_SLOT;

  return TRUE;
}

static gboolean
fit_flid_dl (LmccSession *session, LmccTime nominal_rtt G_GNUC_UNUSED,
    LmccTime leave_latency, GError **error)
{
  LmccDynamicLayering layering;

  if (session->slot == 0)
    session->slot = LMCC_FLID_SLOT;
  if (leave_latency == 0)
    leave_latency = LMCC_DEFAULT_LEAVE_LATENCY;
  if (!lmcc_dynamic_layering_init (&layering, LMCC_LAYERING_CUMULATIVE,
          session->n_layers,
          lmcc_dynamic_layering_spread (leave_latency, session->slot), error))
    return FALSE;
  session->turning_groups = layering.turning_groups;
  session->silent_groups = layering.silent_groups;
  session->n_groups = layering.n_groups;
  session->slot_modulus = lmcc_slot_modulus (layering.turning_groups);

  return TRUE;
}

static void
init_flid (gpointer state, const LmccSession *session,
    const gdouble *probabilities)
{
  lmcc_increase_signals_init (state, probabilities, session->n_layers);
}

/* The first slot's counter is 1, as in table I. */
static void
mark_flid (gpointer state, guint64 slot, guint layer G_GNUC_UNUSED,
    LmccTime offset G_GNUC_UNUSED, LmccMarks *marks)
{
  marks->signal =
      (gint8) lmcc_increase_signals_get (state, (guint32) (slot + 1));
}

static const LmccSending sending_sl = {
  .settings = sending_sl_settings,
  .n_settings = G_N_ELEMENTS (sending_sl_settings),
  .fit = fit_flid_sl,
  .state_size = sizeof (LmccIncreaseSignals),
  .init = init_flid,
  .mark = mark_flid,
};

static const LmccSending sending_dl = {
  .settings = sending_dl_settings,
  .n_settings = G_N_ELEMENTS (sending_dl_settings),
  .fit = fit_flid_dl,
  .state_size = sizeof (LmccIncreaseSignals),
  .init = init_flid,
  .mark = mark_flid,
};

#define PAPER                                                               \
  "Byers, Horn, Luby, Mitzenmacher, Shaver, \"FLID-DL: Congestion Control " \
  "for Layered Multicast\", IEEE JSAC 20(8), 2002"

const LmccAlgorithm lmcc_algorithm_flid_sl = {
  .name = "flid-sl",
  .number = 4,
  .description =
      N_ ("FLID over static layers (Byers et al. 2002): one step down after a "
          "slot with loss, one up if the slot's signal permits it"),
  .paper = PAPER,
  .settings = settings,
  .n_settings = G_N_ELEMENTS (settings),
  .sending = &sending_sl,
  .create = flid_sl_create,
};

const LmccAlgorithm lmcc_algorithm_flid_dl = {
  .name = "flid-dl",
  .number = 3,
  .description =
      N_ ("FLID over dynamic layers (Byers et al. 2002): as flid-sl, but "
          "groups fall silent by themselves, which avoids slow leaves"),
  .paper = PAPER,
  .sending = &sending_dl,
  .create = flid_dl_create,
};
