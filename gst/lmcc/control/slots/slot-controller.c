/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/slots/slot-controller.h"

#include "measure/loss.h"

/* Fraction of a slot for which a synchronization point may wait for packets
 * that reveal earlier losses. */
#define SETTLE_SHARE 4

/* How long synchronization points wait. */
LmccTime
lmcc_slot_controller_settle_time (const LmccSession *session)
{
  return MIN (LMCC_LOSS_TIMEOUT, session->slot / SETTLE_SHARE);
}

/* @settle: how long the end of a slot waits for packets of each joined
 *     layer. The caller sets the deaf period and slot_end. */
void
lmcc_slot_controller_init (LmccSlotController *controller,
    const LmccAlgorithm *algorithm, const LmccControllerClass *klass,
    const LmccSession *session, LmccTime settle)
{
  lmcc_controller_init (&controller->parent, algorithm, klass);
  controller->session = session;
  controller->level = -1;
  controller->clock =
      lmcc_slot_clock_new (session->slot_modulus, session->slot, settle);
}

static void
poll_slots (LmccSlotController *controller, LmccTime now)
{
  LmccSlotEnd end;

  while (lmcc_slot_clock_poll (controller->clock, &end))
    controller->slot_end (controller, now, &end);
}

void
lmcc_slot_controller_packet (LmccController *controller, LmccTime now,
    LmccTime arrival, const LmccHeader *header, gsize size G_GNUC_UNUSED)
{
  LmccSlotController *self = (LmccSlotController *) controller;

  lmcc_controller_forget_wish (controller, self->level);
  lmcc_slot_clock_packet (self->clock, arrival, header);
  poll_slots (self, now);
}

void
lmcc_slot_controller_expected (LmccController *controller,
    LmccTime now G_GNUC_UNUSED, guint layer, guint16 lsn, LmccTime since,
    guint slot)
{
  lmcc_slot_clock_expect (((LmccSlotController *) controller)->clock, layer,
      lsn, since, slot);
}

void
lmcc_slot_controller_waiting_packet (LmccController *controller, LmccTime now,
    guint layer)
{
  lmcc_slot_clock_waits (((LmccSlotController *) controller)->clock, now,
      layer);
}

void
lmcc_slot_controller_refused_packet (LmccController *controller,
    LmccTime now G_GNUC_UNUSED, const LmccHeader *header)
{
  lmcc_slot_clock_refused (((LmccSlotController *) controller)->clock, header);
}

/* Returns: the slot that lost them */
LmccSlotLoss
lmcc_slot_controller_loss (LmccSlotController *controller, guint layer,
    const LmccLoss *loss)
{
  lmcc_controller_forget_wish (&controller->parent, controller->level);

  return lmcc_slot_clock_loss (controller->clock, layer, loss);
}

void
lmcc_slot_controller_left_packet (LmccController *controller,
    LmccTime now G_GNUC_UNUSED, LmccTime arrival, guint layer)
{
  lmcc_deaf_period_packet (&((LmccSlotController *) controller)->deaf, arrival,
      layer);
}

void
lmcc_slot_controller_level (LmccController *controller,
    LmccTime now G_GNUC_UNUSED, gint level)
{
  LmccSlotController *self = (LmccSlotController *) controller;

  self->level = level;
  lmcc_controller_follow (controller, level);
  lmcc_slot_clock_set_level (self->clock, level);
}

void
lmcc_slot_controller_timeout (LmccController *controller, LmccTime now)
{
  LmccSlotController *self = (LmccSlotController *) controller;

  lmcc_controller_forget_wish (controller, self->level);
  lmcc_slot_clock_timeout (self->clock, now);
  poll_slots (self, now);
}

LmccTime
lmcc_slot_controller_next_timeout (const LmccController *controller)
{
  return lmcc_slot_clock_next_timeout (
      ((const LmccSlotController *) controller)->clock);
}

/* @state: the state outside deaf periods */
void
lmcc_slot_controller_get_status (const LmccSlotController *controller,
    LmccTime now, const gchar *state, LmccControllerStatus *status)
{
  gboolean is_deaf = lmcc_deaf_period_covers (&controller->deaf, now);

  *status = (LmccControllerStatus){ 0 };
  status->state = is_deaf ? "deaf" : state;
  status->timer = is_deaf ? "deaf period" : NULL;
  status->timer_at = is_deaf ? controller->deaf.until : LMCC_TIME_NONE;
  status->ignored = lmcc_slot_clock_get_ignored (controller->clock);
}

void
lmcc_slot_controller_free (LmccController *controller)
{
  lmcc_slot_clock_free (((LmccSlotController *) controller)->clock);
  g_free (controller);
}
