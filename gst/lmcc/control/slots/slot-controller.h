/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_SLOTS_SLOT_CONTROLLER_H
#define LMCC_CONTROL_SLOTS_SLOT_CONTROLLER_H

#include "control/controller.h"
#include "control/slots/deaf-period.h"
#include "control/slots/slot-clock.h"

G_BEGIN_DECLS

typedef struct _LmccSlotController LmccSlotController;

/*
 * LmccSlotController:
 * @level: the current level, -1 for none
 * @slot_end: called at the end of each slot, in order
 *
 * Common part of controllers that decide at the ends of slots. It is the first member
 * of theirs; the functions below are their callbacks, or parts of them.
 */
struct _LmccSlotController
{
  LmccController parent;
  const LmccSession *session;
  gint level;
  LmccSlotClock *clock;
  LmccDeafPeriod deaf;
  void (*slot_end) (LmccSlotController *controller, LmccTime now,
      const LmccSlotEnd *end);
};

LmccTime lmcc_slot_controller_settle_time (const LmccSession *session);
void lmcc_slot_controller_init (LmccSlotController *controller,
    const LmccAlgorithm *algorithm, const LmccControllerClass *klass,
    const LmccSession *session, LmccTime settle);
void lmcc_slot_controller_packet (LmccController *controller, LmccTime now,
    LmccTime arrival, const LmccHeader *header, gsize size);
void lmcc_slot_controller_expected (LmccController *controller, LmccTime now,
    guint layer, guint16 lsn, LmccTime since, guint slot);
void lmcc_slot_controller_waiting_packet (LmccController *controller,
    LmccTime now, guint layer);
void lmcc_slot_controller_refused_packet (LmccController *controller,
    LmccTime now, const LmccHeader *header);
LmccSlotLoss lmcc_slot_controller_loss (LmccSlotController *controller,
    guint layer, const LmccLoss *loss);
void lmcc_slot_controller_left_packet (LmccController *controller, LmccTime now,
    LmccTime arrival, guint layer);
void lmcc_slot_controller_level (LmccController *controller, LmccTime now,
    gint level);
void lmcc_slot_controller_timeout (LmccController *controller, LmccTime now);
LmccTime lmcc_slot_controller_next_timeout (const LmccController *controller);
void lmcc_slot_controller_get_status (const LmccSlotController *controller,
    LmccTime now, const gchar *state, LmccControllerStatus *status);
void lmcc_slot_controller_free (LmccController *controller);

G_END_DECLS

#endif
