/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_MARKER_H
#define LMCC_CONTROL_MARKER_H

#include <gst/lmcc/lmcc-algorithm.h>
#include "control/slots/dynamic-layering.h"

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
 * @layering: which group carries a layer
 * @sending: (nullable): the algorithm's sender's half
 * @state: what that keeps
 *
 * The marks of a session's algorithm: when a layer sends what is due, what the
 * packet says and which group it goes to.
 */
typedef struct
{
  LmccTime start;
  LmccTime slot;
  guint32 modulus;
  LmccDynamicLayering layering;
  const LmccSending *sending;
  gpointer state;
} LmccMarker;

void lmcc_marker_init (LmccMarker *marker, const LmccSession *session,
    const gdouble *probabilities, LmccTime now);
void lmcc_marker_clear (LmccMarker *marker);
LmccTime lmcc_marker_get_send_time (const LmccMarker *marker, guint layer,
    LmccTime even_time);
void lmcc_marker_get_marks (LmccMarker *marker, guint layer, LmccTime even_time,
    LmccMarks *marks);
guint lmcc_marker_get_group (const LmccMarker *marker, const LmccMarks *marks,
    guint layer);

G_END_DECLS

#endif
