/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "receiver/gate/unit.h"

/* Greatest number of packets in a unit, and in what a rung keeps since its
 * last key frame: more than any real stream has, so that a hostile one
 * cannot exhaust memory. */
#define MAX_UNIT_PACKETS 8192
#define MAX_HISTORY_PACKETS 65536

static void
packet_clear (LmccGateUnitPacket *packet)
{
  lmcc_packet_unref (packet->packet);
}

/*
 * lmcc_gate_unit_new:
 * @item: the first received packet of the unit; not added yet
 *
 * Returns: (transfer full): a unit to which @item is to be added
 */
LmccGateUnit *
lmcc_gate_unit_new (const LmccMergeItem *item)
{
  LmccGateUnit *unit = g_new0 (LmccGateUnit, 1);

  g_atomic_ref_count_init (&unit->ref_count);
  unit->stream = item->header.stream;
  unit->klass = item->header.klass;
  unit->switch_point = item->header.switch_point;
  unit->anchor = item->header.anchor;
  unit->timestamp = item->rtp.timestamp;
  unit->broken = !item->header.first;
  unit->packets = g_array_new (FALSE, FALSE, sizeof (LmccGateUnitPacket));
  g_array_set_clear_func (unit->packets, (GDestroyNotify) packet_clear);

  return unit;
}

LmccGateUnit *
lmcc_gate_unit_ref (LmccGateUnit *unit)
{
  g_atomic_ref_count_inc (&unit->ref_count);

  return unit;
}

void
lmcc_gate_unit_unref (LmccGateUnit *unit)
{
  if (!g_atomic_ref_count_dec (&unit->ref_count))
    return;
  g_array_unref (unit->packets);
  g_free (unit);
}

/*
 * lmcc_gate_unit_takes:
 * @unit: a unit with a packet
 * @item: the next packet
 *
 * Returns: whether @item belongs to @unit
 */
gboolean
lmcc_gate_unit_takes (const LmccGateUnit *unit, const LmccMergeItem *item)
{
  return unit->stream == item->header.stream
      && unit->klass == item->header.klass
      && unit->timestamp == item->rtp.timestamp && !item->header.first;
}

/*
 * lmcc_gate_unit_break:
 * @unit: a unit that is incomplete and stays so
 */
void
lmcc_gate_unit_break (LmccGateUnit *unit)
{
  unit->broken = TRUE;
  g_array_set_size (unit->packets, 0);
}

/*
 * lmcc_gate_unit_add:
 * @unit: a unit
 * @item: the next packet of @unit, which takes ownership of the packet
 *
 * A gap before @item, or more packets than a unit may have, make @unit
 * incomplete.
 *
 * Returns: whether the unit has ended
 */
gboolean
lmcc_gate_unit_add (LmccGateUnit *unit, const LmccMergeItem *item)
{
  LmccGateUnitPacket packet = { item->packet, item->rtp, item->header };
  gboolean follows = unit->n_packets == 0
      || item->header.osn == (guint16) (unit->last_osn + 1);
  gboolean is_full;

  unit->n_packets++;
  unit->last_osn = item->header.osn;
  is_full = unit->n_packets > MAX_UNIT_PACKETS;
  g_array_append_val (unit->packets, packet);
  if (unit->broken || !follows || is_full)
    lmcc_gate_unit_break (unit);

  return item->header.last || is_full;
}

/* Returns whether a decoder can begin with the unit. */
gboolean
lmcc_gate_unit_is_key (const LmccGateUnit *unit)
{
  return unit->klass == 0 && unit->switch_point;
}

/* A picture may have thousands of packets. They are freed one by one if
 * nobody else holds the unit. */
static guint
free_unit (gpointer object)
{
  GQueue *units = object;
  LmccGateUnit *unit = g_queue_peek_head (units);

  if (unit == NULL) {
    g_free (units);
    return 0;
  }
  if (unit->packets->len > 1
      && g_atomic_ref_count_compare (&unit->ref_count, 1))
    g_array_set_size (unit->packets, unit->packets->len - 1);
  else
    lmcc_gate_unit_unref (g_queue_pop_head (units));

  return 1;
}

/*
 * lmcc_gate_history_clear:
 * @history: the history of a rung
 * @discard: (nullable): takes over its units
 */
void
lmcc_gate_history_clear (LmccGateHistory *history, LmccDiscard *discard)
{
  if (!g_queue_is_empty (&history->units))
    lmcc_discard_add (discard,
        g_memdup2 (&history->units, sizeof (history->units)), free_unit);
  g_queue_init (&history->units);
  history->n_packets = 0;
}

/*
 * lmcc_gate_history_push:
 * @history: the history of a rung
 * @unit: the rung's next complete unit; the history takes a reference
 * @discard: (nullable): takes over earlier units that are no longer needed
 *
 * A key frame starts the history anew. Without a key frame nothing is kept,
 * and a history that exceeds its limit is dropped until the next key frame.
 */
void
lmcc_gate_history_push (LmccGateHistory *history, LmccGateUnit *unit,
    LmccDiscard *discard)
{
  if (lmcc_gate_unit_is_key (unit))
    lmcc_gate_history_clear (history, discard);
  else if (g_queue_is_empty (&history->units))
    return;
  if (history->n_packets + unit->packets->len > MAX_HISTORY_PACKETS) {
    lmcc_gate_history_clear (history, discard);
    return;
  }
  g_queue_push_tail (&history->units, lmcc_gate_unit_ref (unit));
  history->n_packets += unit->packets->len;
}
