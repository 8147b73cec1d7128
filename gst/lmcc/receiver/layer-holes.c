/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "receiver/layer-holes.h"

#include "measure/loss.h"

/* Greatest number of remembered lost packets; the oldest are given up. */
#define MAX_LOST 1024

/* @n packets of a stream, from @sequence on, are missing between two packets
 * with the layer sequence numbers @from and @to. */
typedef struct
{
  guint slot;
  guint16 from;
  guint16 to;
  guint16 sequence;
  guint n;
} Gap;

/*
 * lmcc_layer_holes_init:
 * @holes: (out): no holes
 */
void
lmcc_layer_holes_init (LmccLayerHoles *holes)
{
  holes->started = FALSE;
  holes->heard = 0;
  holes->n_lost = 0;
  holes->holes = g_array_new (FALSE, FALSE, sizeof (LmccHole));
  holes->gaps = g_array_new (FALSE, FALSE, sizeof (Gap));
}

/*
 * lmcc_layer_holes_clear:
 * @holes: frees the contents
 */
void
lmcc_layer_holes_clear (LmccLayerHoles *holes)
{
  g_clear_pointer (&holes->holes, g_array_unref);
  g_clear_pointer (&holes->gaps, g_array_unref);
}

/*
 * lmcc_layer_holes_reset:
 * @holes: forgets everything; the next packet starts anew
 */
void
lmcc_layer_holes_reset (LmccLayerHoles *holes)
{
  holes->started = FALSE;
  holes->heard = 0;
  holes->n_lost = 0;
  g_array_set_size (holes->holes, 0);
  g_array_set_size (holes->gaps, 0);
}

/* Index of the first hole that does not end before @lsn. */
static guint
lower_bound (const LmccLayerHoles *holes, guint16 lsn)
{
  guint low = 0, high = holes->holes->len;

  while (low < high) {
    guint middle = (low + high) / 2;
    const LmccHole *hole = &g_array_index (holes->holes, LmccHole, middle);

    if (lmcc_sequence_diff ((guint16) (hole->lsn + hole->n - 1), lsn) < 0)
      low = middle + 1;
    else
      high = middle;
  }

  return low;
}

static LmccHole *
hole_in_gap (const LmccLayerHoles *holes, const Gap *gap, guint index)
{
  LmccHole *hole;

  if (index >= holes->holes->len)
    return NULL;
  hole = &g_array_index (holes->holes, LmccHole, index);

  return lmcc_sequence_diff (hole->lsn, gap->to) < 0 ? hole : NULL;
}

/* Applies a gap to the holes in it: either none of the lost packets belongs
 * to its stream, or all possible ones do. Returns whether the gap carries no
 * further information. */
static gboolean
apply_gap (LmccLayerHoles *holes, const Gap *gap)
{
  guint32 bit = 1u << gap->slot;
  guint from = lower_bound (holes, gap->from);
  guint n = 0, i;
  LmccHole *hole;

  for (i = from; (hole = hole_in_gap (holes, gap, i)) != NULL; i++)
    n += hole->possible & bit ? hole->n : 0;
  if (gap->n != 0 && gap->n != n)
    return FALSE;

  n = 0;
  for (i = from; (hole = hole_in_gap (holes, gap, i)) != NULL; i++) {
    if (!(hole->possible & bit))
      continue;
    if (gap->n == 0) {
      hole->possible &= ~bit;
      continue;
    }
    hole->possible = bit;
    hole->known = TRUE;
    hole->sequence = (guint16) (gap->sequence + n);
    hole->asked = 0;
    n += hole->n;
  }

  return TRUE;
}

/* One gap may decide others. */
static void
apply_gaps (LmccLayerHoles *holes)
{
  gboolean again;
  guint i;

  do {
    again = FALSE;
    for (i = holes->gaps->len; i-- > 0;) {
      if (apply_gap (holes, &g_array_index (holes->gaps, Gap, i))) {
        g_array_remove_index (holes->gaps, i);
        again = TRUE;
      }
    }
  } while (again);
}

static void
add_hole (LmccLayerHoles *holes, guint16 lsn, guint n)
{
  LmccHole hole = { .lsn = lsn, .n = n, .possible = holes->heard };

  g_array_append_val (holes->holes, hole);
  holes->n_lost += n;
}

static void
forget_gaps_before (LmccLayerHoles *holes, guint16 lsn)
{
  guint i;

  for (i = holes->gaps->len; i-- > 0;) {
    if (lmcc_sequence_diff (g_array_index (holes->gaps, Gap, i).to, lsn) <= 0)
      g_array_remove_index (holes->gaps, i);
  }
}

static void
note_stream (LmccLayerHoles *holes, guint16 lsn, guint slot, guint16 sequence)
{
  Gap gap = {
    .slot = slot,
    .from = holes->lsn[slot],
    .to = lsn,
    .sequence = (guint16) (holes->sequence[slot] + 1),
    .n = (guint16) (sequence - holes->sequence[slot] - 1),
  };
  gboolean heard = holes->heard & 1u << slot;

  holes->heard |= 1u << slot;
  holes->sequence[slot] = sequence;
  holes->lsn[slot] = lsn;
  if (!heard || holes->holes->len == 0)
    return;
  if (gap.n > LMCC_MAX_GAP)
    return;
  g_array_append_val (holes->gaps, gap);
  apply_gaps (holes);
}

/*
 * lmcc_layer_holes_note:
 * @holes: holes
 * @lsn: layer sequence number of an arrived packet; all packets before it have
 *     arrived or are lost
 * @slot: its RTP stream
 * @sequence: its sequence number in that stream
 *
 * Takes the layer's packets in the order of their layer sequence numbers.
 */
void
lmcc_layer_holes_note (LmccLayerHoles *holes, guint16 lsn, guint slot,
    guint16 sequence)
{
  guint ahead = (guint16) (lsn - holes->highest);

  if (holes->started && ahead > LMCC_MAX_GAP + 1)
    lmcc_layer_holes_reset (holes);
  if (holes->started && ahead > 1)
    add_hole (holes, (guint16) (holes->highest + 1), ahead - 1);
  while (holes->n_lost > MAX_LOST)
    lmcc_layer_holes_drop_first (holes);
  holes->started = TRUE;
  holes->highest = lsn;
  note_stream (holes, lsn, slot, sequence);
}

/*
 * lmcc_layer_holes_find:
 * @holes: holes
 * @lsn: a layer sequence number
 *
 * Returns: (transfer none) (nullable): the hole that contains @lsn
 */
LmccHole *
lmcc_layer_holes_find (LmccLayerHoles *holes, guint16 lsn)
{
  guint i = lower_bound (holes, lsn);
  LmccHole *hole;

  if (i >= holes->holes->len)
    return NULL;
  hole = &g_array_index (holes->holes, LmccHole, i);

  return lmcc_sequence_diff (hole->lsn, lsn) <= 0 ? hole : NULL;
}

/* The arrived packet splits a gap of its stream in two. */
static void
part_gaps (LmccLayerHoles *holes, guint16 lsn, guint slot, guint16 sequence)
{
  guint i;

  for (i = 0; i < holes->gaps->len; i++) {
    Gap *gap = &g_array_index (holes->gaps, Gap, i);
    guint before = (guint16) (sequence - gap->sequence);
    Gap after = *gap;

    if (gap->slot != slot || before >= gap->n
        || lmcc_sequence_diff (lsn, gap->from) <= 0
        || lmcc_sequence_diff (lsn, gap->to) >= 0)
      continue;
    after.from = lsn;
    after.sequence = (guint16) (sequence + 1);
    after.n = gap->n - before - 1;
    gap->to = lsn;
    gap->n = before;
    g_array_append_val (holes->gaps, after);
    return;
  }
}

/* Removes one packet from the hole at @index, which may split it in two. */
static void
part_hole (LmccLayerHoles *holes, guint index, guint16 lsn)
{
  LmccHole *hole = &g_array_index (holes->holes, LmccHole, index);
  guint at = (guint16) (lsn - hole->lsn);
  LmccHole after = *hole;

  holes->n_lost--;
  hole->n = at;
  hole->n_hopeless = MIN (hole->n_hopeless, at);
  if (at + 1 < after.n) {
    after.lsn = (guint16) (lsn + 1);
    after.n -= at + 1;
    after.sequence += (guint16) (at + 1);
    after.n_hopeless -= MIN (after.n_hopeless, at + 1);
    g_array_insert_val (holes->holes, index + 1, after);
  }
  if (at == 0)
    g_array_remove_index (holes->holes, index);
}

/*
 * lmcc_layer_holes_fill:
 * @holes: holes
 * @lsn: layer sequence number of a lost packet that was repaired
 * @slot: its RTP stream
 * @sequence: its sequence number in that stream
 */
void
lmcc_layer_holes_fill (LmccLayerHoles *holes, guint16 lsn, guint slot,
    guint16 sequence)
{
  guint i = lower_bound (holes, lsn);

  if (lmcc_layer_holes_find (holes, lsn) == NULL)
    return;
  part_hole (holes, i, lsn);
  if (!(holes->heard & 1u << slot)
      || lmcc_sequence_diff (lsn, holes->lsn[slot]) > 0)
    note_stream (holes, lsn, slot, sequence);
  else
    part_gaps (holes, lsn, slot, sequence);
  apply_gaps (holes);
}

/*
 * lmcc_layer_holes_first:
 * @holes: holes
 *
 * Returns: (transfer none) (nullable): the hole with the lowest layer sequence
 *     number
 */
LmccHole *
lmcc_layer_holes_first (LmccLayerHoles *holes)
{
  return holes->holes->len > 0 ? &g_array_index (holes->holes, LmccHole, 0)
                               : NULL;
}

/*
 * lmcc_layer_holes_drop_first:
 * @holes: holes, at least one
 *
 * Gives up the first hole.
 */
void
lmcc_layer_holes_drop_first (LmccLayerHoles *holes)
{
  const LmccHole *hole = &g_array_index (holes->holes, LmccHole, 0);
  guint16 lsn = hole->lsn;

  holes->n_lost -= hole->n;
  g_array_remove_index (holes->holes, 0);
  forget_gaps_before (holes, lsn);
}
