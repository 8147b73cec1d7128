/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/marker.h"

#include "control/sending.h"
#include "wire/layer-header.h"

#include <string.h>

/*
 * lmcc_marker_init:
 * @marker: (out): the marker
 * @session: a session from lmcc_session_fit_algorithm(); if its algorithm has
 *     no slots, there are no marks
 * @probabilities: (array): p_i of FLID's levels; ignored by other algorithms
 * @now: start of slot 0
 */
void
lmcc_marker_init (LmccMarker *marker, const LmccSession *session,
    const gdouble *probabilities, LmccTime now)
{
  const LmccAlgorithm *algorithm = lmcc_algorithm_find (session->algorithm);

  memset (marker, 0, sizeof (*marker));
  marker->start = now;
  marker->slot = session->slot;
  marker->modulus = MAX (session->slot_modulus, 1);
  if (!lmcc_dynamic_layering_from_session (&marker->layering, session, NULL))
    marker->layering.kind = LMCC_LAYERING_STATIC;
  if (session->slot > 0 && lmcc_algorithm_has_slots (algorithm)) {
    marker->sending = algorithm->sending;
    marker->state = g_malloc0 (marker->sending->state_size);
    marker->sending->init (marker->state, session, probabilities);
  }
}

void
lmcc_marker_clear (LmccMarker *marker)
{
  g_clear_pointer (&marker->state, g_free);
  marker->sending = NULL;
}

static guint64
slot_of (const LmccMarker *marker, LmccTime time, LmccTime *offset)
{
  LmccTime since = time > marker->start ? time - marker->start : 0;

  *offset = since % marker->slot;

  return since / marker->slot;
}

/*
 * lmcc_marker_get_send_time:
 * @marker: a marker
 * @layer: a layer
 * @even_time: when a packet of the layer is due at its even rate
 *
 * Returns: when the packet is sent: not later
 */
LmccTime
lmcc_marker_get_send_time (const LmccMarker *marker, guint layer,
    LmccTime even_time)
{
  LmccTime offset;
  guint64 slot;

  if (marker->sending == NULL || marker->sending->get_send_time == NULL)
    return even_time;
  slot = slot_of (marker, even_time, &offset);

  return even_time - offset
      + marker->sending->get_send_time (marker->state, slot, layer, offset);
}

/*
 * lmcc_marker_get_marks:
 * @marker: a marker; slots must not go back from call to call
 * @layer: a layer
 * @even_time: when a packet of the layer is due at its even rate
 * @marks: (out): marks of the packet
 */
void
lmcc_marker_get_marks (LmccMarker *marker, guint layer, LmccTime even_time,
    LmccMarks *marks)
{
  LmccTime offset;
  guint64 slot;

  memset (marks, 0, sizeof (*marks));
  marks->signal = LMCC_SIGNAL_NOBODY;
  if (marker->slot == 0)
    return;
  slot = slot_of (marker, even_time, &offset);
  marks->slot = (guint16) (slot % marker->modulus);
  if (marker->sending != NULL)
    marker->sending->mark (marker->state, slot, layer, offset, marks);
}

/*
 * lmcc_marker_get_group:
 * @marker: a marker
 * @marks: marks of a packet
 * @layer: its layer
 *
 * Returns: the group that carries the packet
 */
guint
lmcc_marker_get_group (const LmccMarker *marker, const LmccMarks *marks,
    guint layer)
{
  return lmcc_dynamic_layering_get_group (&marker->layering, marks->slot,
      layer);
}
