/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_MARKER_H
#define LMCC_CONTROL_MARKER_H

#include <gst/lmcc/lmcc-algorithm.h>
#include "control/slots/dynamic-layering.h"
#include "control/slots/increase-signals.h"
#include "control/slots/sync-points.h"

G_BEGIN_DECLS

/**
 * LmccMarks:
 * @slot: the sender's time step, modulo the session's slot modulus
 * @signal: the highest level that may go up after this slot, or
 *     %LMCC_SIGNAL_NOBODY
 * @burst: a packet of a burst
 * @has_up_levels: the levels that may go up are those of @up_levels
 * @up_levels: bit i: level i may go up after this slot
 *
 * What a packet says beside what it carries.
 */
typedef struct
{
  guint16 slot;
  gint8 signal;
  gboolean burst;
  gboolean has_up_levels;
  guint64 up_levels;
} LmccMarks;

/**
 * LmccMarker:
 * @start: slot 0 begins
 * @slot: length of a slot, 0 for none
 * @modulus: the slot counter's modulus
 * @sending: (nullable): the algorithm's
 * @layering: which group carries a layer
 * @signals: FLID's
 * @rlc: RLC's sync points and bursts; no burst for others
 * @points: Wei and Zhang's sync points of the slots before @n_slots
 * @rates: R_i, bit/s, for @points
 * @n_slots: how many slots @points has counted
 * @up_levels: at the end of the last of them
 *
 * The marks of a session's algorithm: when a layer sends what is due, what the
 * packet says and which group it goes to.
 */
typedef struct
{
  LmccTime start;
  LmccTime slot;
  guint32 modulus;
  const LmccSending *sending;
  LmccDynamicLayering layering;
  LmccIncreaseSignals signals;
  LmccRlcSchedule rlc;
  LmccSyncPoints points;
  gdouble rates[LMCC_MAX_LAYERS];
  guint64 n_slots;
  guint64 up_levels;
} LmccMarker;

void lmcc_marker_init (LmccMarker * marker, const LmccSession * session,
    const gdouble * probabilities, LmccTime now);
LmccTime lmcc_marker_get_send_time (const LmccMarker * marker, guint layer,
    LmccTime even_time);
void lmcc_marker_get_marks (LmccMarker * marker, guint layer,
    LmccTime even_time, LmccMarks * marks);
guint lmcc_marker_get_group (const LmccMarker * marker, const LmccMarks * marks,
    guint layer);

G_END_DECLS

#endif
