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
 * @slot: number of the sender's slot, modulo the session's slot modulus
 * @signal: the highest level from which receivers may go up after this slot, or
 *     %LMCC_SIGNAL_NOBODY
 * @burst: the packet belongs to a burst
 * @has_up_levels: use @up_levels instead of @signal
 * @up_levels: bit i: receivers at level i may go up after this slot
 *
 * Marks that an algorithm adds to a packet.
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
 * @start: start of slot 0
 * @slot: length of a slot in ns, 0 for none
 * @modulus: modulus of the slot counter
 * @layering: maps layers to groups
 * @sending: (nullable): the sender's half of the algorithm
 * @state: state of the sender's half
 *
 * Applies a session's algorithm at the sender: when a layer sends due packets, what marks
 * they carry and which group they are sent to.
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
