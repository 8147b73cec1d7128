/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/lmcc/lmcc-unit.h>

/**
 * lmcc_unit_new:
 *
 * Creates a unit for lmcc_sender_push_unit(). lmcc_classifier_push() creates
 * units from RTP packets.
 *
 * Returns: (transfer full): a unit of rung 0 and class 0 without packets
 */
LmccUnit *
lmcc_unit_new (void)
{
  LmccUnit *unit = g_new0 (LmccUnit, 1);

  unit->packets =
      g_ptr_array_new_with_free_func ((GDestroyNotify) lmcc_packet_unref);

  return unit;
}

/**
 * lmcc_unit_free:
 * @unit: (transfer full): a unit
 *
 * Frees a unit and releases its packets.
 */
void
lmcc_unit_free (LmccUnit *unit)
{
  g_ptr_array_unref (unit->packets);
  g_free (unit);
}

/**
 * lmcc_unit_is_key:
 * @unit: a unit
 *
 * Checks whether a decoder can start with the unit.
 *
 * Returns: whether the unit belongs to a rung and depends on no other unit
 */
gboolean
lmcc_unit_is_key (const LmccUnit *unit)
{
  return unit->stream < LMCC_MAX_RUNGS && unit->klass == 0
      && unit->switch_point;
}
