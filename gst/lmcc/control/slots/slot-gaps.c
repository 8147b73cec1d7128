/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/slots/slot-gaps.h"

#include "measure/loss.h"

/* Forgets a layer: its next packet counts as its first. */
void
lmcc_slot_gaps_reset (LmccSlotGaps *layer)
{
  layer->heard = FALSE;
  layer->waits_until = 0;
  layer->n_gaps = 0;
}

/* The layer's packets from @lsn on are expected: that packet belongs to
 * @slot and is not due before @since. */
void
lmcc_slot_gaps_expect (LmccSlotGaps *layer, guint16 lsn, LmccTime since,
    guint64 slot)
{
  lmcc_slot_gaps_reset (layer);
  layer->heard = TRUE;
  layer->highest = (guint16) (lsn - 1);
  layer->arrival = since;
  layer->slot = slot;
  layer->burst = FALSE;
}

static void
remove_gap (LmccSlotGaps *layer, guint index)
{
  guint i;

  layer->n_gaps--;
  for (i = index; i < layer->n_gaps; i++)
    layer->gaps[i] = layer->gaps[i + 1];
}

static void
close_some (LmccSlotGaps *layer, guint index, guint count)
{
  LmccSlotGap *gap = &layer->gaps[index];

  gap->open -= MIN (count, gap->open);
  if (gap->open == 0)
    remove_gap (layer, index);
}

/* The gap that contains a missing packet, or -1. */
static gint
find_gap (const LmccSlotGaps *layer, guint16 lsn)
{
  guint i;

  for (i = 0; i < layer->n_gaps; i++) {
    const LmccSlotGap *gap = &layer->gaps[i];

    if ((guint16) (lsn - gap->first) <= (guint16) (gap->last - gap->first))
      return (gint) i;
  }

  return -1;
}

static void
take_reordered (LmccSlotGaps *layer, guint16 lsn)
{
  gint i = find_gap (layer, lsn);

  if (i >= 0)
    close_some (layer, (guint) i, 1);
}

/* Packets missing after a packet of a burst belong to the burst if another
 * packet of the burst follows, or if nothing follows until the next slot:
 * after the burst the sender is silent. */
static void
note_gap (LmccSlotGaps *layer, LmccTime arrival, const LmccHeader *header,
    guint64 slot)
{
  if (layer->n_gaps == LMCC_SLOT_MAX_GAPS)
    remove_gap (layer, 0);
  layer->gaps[layer->n_gaps++] = (LmccSlotGap){
    .first = layer->highest + 1,
    .last = header->lsn - 1,
    .open = (guint16) (header->lsn - layer->highest - 1),
    .before = layer->arrival,
    .after = arrival,
    .slot_before = layer->slot,
    .slot_after = slot,
    .burst = layer->burst && (header->burst || slot > layer->slot),
  };
}

/* Takes a packet of the layer that belongs to @slot. */
void
lmcc_slot_gaps_packet (LmccSlotGaps *layer, LmccTime arrival,
    const LmccHeader *header, guint64 slot)
{
  gint ahead = lmcc_sequence_diff (header->lsn, layer->highest);

  layer->waits_until = 0;
  if (layer->heard && ahead < -LMCC_MAX_GAP)
    lmcc_slot_gaps_reset (layer);
  if (layer->heard && ahead <= 0) {
    take_reordered (layer, header->lsn);
    return;
  }
  if (layer->heard && ahead > 1)
    note_gap (layer, arrival, header, slot);
  layer->heard = TRUE;
  layer->highest = header->lsn;
  layer->arrival = arrival;
  layer->slot = slot;
  layer->burst = header->burst;
}

/* Finds the gap that contained lost packets. Returns FALSE if there is none. */
gboolean
lmcc_slot_gaps_loss (LmccSlotGaps *layer, const LmccLoss *loss,
    LmccSlotGap *gap)
{
  gint i = find_gap (layer, loss->lsn);

  if (i < 0)
    return FALSE;
  *gap = layer->gaps[i];
  close_some (layer, (guint) i, loss->count);

  return TRUE;
}

/* When the first packet of a gap would have arrived (RFC 4654 section 5.2). */
LmccTime
lmcc_slot_gap_get_begin (const LmccSlotGap *gap)
{
  guint n = (guint16) (gap->last - gap->first + 1);
  LmccTime span = gap->after > gap->before ? gap->after - gap->before : 0;

  return gap->before + span / (n + 1);
}

/* Number of missing packets that may have been due before @until. */
guint
lmcc_slot_gaps_missing (const LmccSlotGaps *layer, LmccTime until)
{
  guint n =
      layer->heard && layer->arrival < until && until <= layer->waits_until;
  guint i;

  for (i = 0; i < layer->n_gaps; i++) {
    if (layer->gaps[i].before < until)
      n += layer->gaps[i].open;
  }

  return n;
}
