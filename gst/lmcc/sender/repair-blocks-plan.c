/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * What the blocks of a window carry, so that repair goes where pictures need
 * it.
 */
#include "sender/repair-blocks.h"

#include <string.h>

/* So many pictures of a window stand for all of them. */
#define MAX_PICTURES 64

#define N_STREAMS 16

/* Packets of one block that a class needs since its last switch point. */
typedef struct
{
  guint first;
  guint n;
} Count;

/**
 * Walk:
 * @numbers: for each group the plan's number of its first block
 * @n_blocks: of all groups
 * @counts: by stream, class and block
 * @classes: that each stream has
 * @every: a picture of so many stands for all of them
 */
typedef struct
{
  LmccRepairer *repairer;
  GArray *numbers;
  guint n_blocks;
  Count *counts;
  guint16 classes[N_STREAMS];
  guint every;
} Walk;

static const LmccRepairPiece *
get_piece (const LmccRepairer *repairer, guint i)
{
  return &g_array_index (repairer->pieces, LmccRepairPiece, i);
}

static guint
get_number (const Walk *walk, guint group)
{
  return g_array_index (walk->numbers, guint,
      group - walk->repairer->first_group);
}

static guint
count_blocks (LmccRepairGroup *group)
{
  return (group->n + LMCC_REPAIRER_MAX_SOURCE - 1) / LMCC_REPAIRER_MAX_SOURCE;
}

static void
add_blocks (Walk *walk, const LmccSession *session)
{
  LmccRepairer *repairer = walk->repairer;
  guint i, block;

  lmcc_repair_plan_begin (repairer->plan, session);
  for (i = repairer->first_group; i < repairer->groups->len; i++) {
    LmccRepairGroup *group = g_ptr_array_index (repairer->groups, i);

    group->depth = count_blocks (group);
    g_array_append_val (walk->numbers, walk->n_blocks);
    for (block = 0; block < group->depth; block++)
      lmcc_repair_plan_add_block (repairer->plan, group->layer,
          (group->n - block + group->depth - 1) / group->depth, group->depth,
          lmcc_repairer_get_repair_size (repairer, group));
    walk->n_blocks += group->depth;
  }
}

static Count *
get_counts (const Walk *walk, guint stream, guint klass)
{
  return walk->counts
      + (gsize) (stream * LMCC_MAX_CLASSES + klass) * walk->n_blocks;
}

static void
count_piece (const Walk *walk, const LmccRepairPiece *piece)
{
  const LmccRepairGroup *group =
      g_ptr_array_index (walk->repairer->groups, piece->group);
  Count *counts = get_counts (walk, piece->stream, piece->klass)
      + get_number (walk, piece->group);
  guint i;

  for (i = piece->first; i < piece->first + piece->n; i++) {
    Count *count = &counts[i % group->depth];

    if (count->n == 0)
      count->first = i / group->depth;
    count->n++;
  }
}

/* The classes up to @klass, each since its own switch point. */
static void
add_picture (const Walk *walk, guint stream, guint klass)
{
  g_autoptr (GArray) needs =
      g_array_new (FALSE, FALSE, sizeof (LmccRepairNeed));
  guint block, i;

  for (block = 0; block < walk->n_blocks; block++) {
    LmccRepairNeed need = { block, G_MAXUINT, 0 };

    for (i = 0; i <= klass; i++) {
      const Count *count = get_counts (walk, stream, i) + block;

      if (count->n > 0)
        need.first = MIN (need.first, count->first);
      need.n += count->n;
    }
    if (need.n > 0)
      g_array_append_val (needs, need);
  }
  lmcc_repair_plan_add_picture (walk->repairer->plan,
      (LmccRepairNeed *) (gpointer) needs->data, needs->len);
}

/* Class 0 of a stream and the next one that it has. */
static gboolean
is_needed_most (const Walk *walk, const LmccRepairPiece *piece)
{
  guint16 below =
      walk->classes[piece->stream] & ((1u << piece->klass) - 1) & ~1u;

  return below == 0;
}

static void
note_piece (Walk *walk, const LmccRepairPiece *piece)
{
  LmccRepairer *repairer = walk->repairer;
  const LmccRepairGroup *group =
      g_ptr_array_index (repairer->groups, piece->group);

  if (is_needed_most (walk, piece))
    repairer->needed_most[group->layer] = TRUE;
  if (!piece->continued
      && (piece->switch_point || piece->stream == LMCC_STREAM_SOUND))
    memset (get_counts (walk, piece->stream, piece->klass), 0,
        walk->n_blocks * sizeof (Count));
  count_piece (walk, piece);
}

static gint
compare_order (gconstpointer a, gconstpointer b, gpointer first)
{
  guint16 begin = ((const LmccRepairPiece *) first)->osn;
  const LmccRepairPiece *x = a, *y = b;
  gint difference =
      (gint) (gint16) (x->osn - begin) - (gint) (gint16) (y->osn - begin);

  if (difference != 0)
    return difference;

  /* Sound has the number of the picture after it. */
  return (y->stream == LMCC_STREAM_SOUND) - (x->stream == LMCC_STREAM_SOUND);
}

static void
add_pictures (Walk *walk)
{
  LmccRepairer *repairer = walk->repairer;
  guint n = repairer->pieces->len, k = 0, i;
  LmccRepairPiece begin = *get_piece (repairer, 0);

  for (i = 0; i < n; i++)
    walk->classes[get_piece (repairer, i)->stream] |= 1u
        << get_piece (repairer, i)->klass;
  walk->every = n / MAX_PICTURES + 1;
  memset (repairer->needed_most, 0, sizeof (repairer->needed_most));
  g_array_sort_with_data (repairer->pieces, compare_order, &begin);
  for (i = 0; i < n; i++) {
    const LmccRepairPiece *piece = get_piece (repairer, i);

    note_piece (walk, piece);
    if (!piece->more && k++ % walk->every == 0)
      add_picture (walk, piece->stream, piece->klass);
  }
}

/* What @layer can send of a block after its last source packet. */
static void
measure_rooms (const Walk *walk, const LmccRepairBudget *budget, guint layer,
    gsize *rooms)
{
  LmccRepairer *repairer = walk->repairer;
  guint i, block;

  for (i = repairer->first_group; i < repairer->groups->len; i++) {
    const LmccRepairGroup *group = g_ptr_array_index (repairer->groups, i);
    LmccTime from = MAX (budget->ready[layer], budget->ready[group->layer]);
    gsize room = 0;

    if (from < budget->end)
      room = (gsize) ((gdouble) (budget->end - from)
          * (gdouble) budget->rates[layer] / (8.0 * LMCC_SECOND));
    /* A packet of the other layer may be under way. */
    if (layer != group->layer)
      room -= MIN (room, lmcc_repairer_get_repair_size (repairer, group));
    for (block = 0; block < group->depth; block++)
      rooms[get_number (walk, i) + block] = room;
  }
}

static void
allocate (const Walk *walk, const LmccRepairBudget *budget)
{
  g_autofree gsize *rooms = g_new (gsize, walk->n_blocks);
  guint layer;

  for (layer = 0; layer < budget->session->n_layers; layer++) {
    /* What a fixed rate leaves costs nothing. */
    if (budget->bytes[layer] == 0
        || (budget->rates[layer] == 0 && !walk->repairer->needed_most[layer]))
      continue;
    if (budget->rates[layer] > 0)
      measure_rooms (walk, budget, layer, rooms);
    walk->repairer->owed[layer] +=
        lmcc_repair_plan_allocate (walk->repairer->plan, layer,
            budget->bytes[layer], budget->rates[layer] > 0 ? rooms : NULL);
  }
}

static void
note_repair (const Walk *walk, const LmccRepairBudget *budget)
{
  LmccRepairer *repairer = walk->repairer;
  guint i, block, layer;

  for (i = repairer->first_group; i < repairer->groups->len; i++) {
    LmccRepairGroup *group = g_ptr_array_index (repairer->groups, i);

    for (block = 0; block < group->depth; block++) {
      for (layer = group->layer; layer < budget->session->n_layers; layer++) {
        guint n = lmcc_repair_plan_get_repair (repairer->plan,
            get_number (walk, i) + block, layer);

        if (n == 0)
          continue;
        group->carriers[block] = (guint8) layer;
        group->n_repair[block] = (guint8) n;
      }
    }
  }
}

static gboolean
begin_walk (Walk *walk, const LmccSession *session)
{
  if (walk->repairer->pieces->len == 0)
    return FALSE;
  walk->numbers = g_array_new (FALSE, FALSE, sizeof (guint));
  add_blocks (walk, session);
  walk->counts =
      g_new0 (Count, (gsize) N_STREAMS * LMCC_MAX_CLASSES * walk->n_blocks);
  add_pictures (walk);

  return TRUE;
}

static void
end_walk (Walk *walk)
{
  g_free (walk->counts);
  g_array_unref (walk->numbers);
}

/*
 * lmcc_repairer_plan:
 * @repairer: a repairer, with all pieces of the window in hand
 * @budget: what there is for their repair
 *
 * Says how many repair packets each block of the window gets, and which layer
 * carries them.
 */
void
lmcc_repairer_plan (LmccRepairer *repairer, const LmccRepairBudget *budget)
{
  Walk walk = { repairer };

  if (!begin_walk (&walk, budget->session))
    return;
  allocate (&walk, budget);
  note_repair (&walk, budget);
  end_walk (&walk);
}

/*
 * lmcc_repairer_try:
 * @repairer: a repairer, with all pieces of the window in hand
 * @budget: what there would be for their repair
 *
 * Returns: the pictures that are expected to be whole with all that they need
 *     at the highest level
 */
gdouble
lmcc_repairer_try (LmccRepairer *repairer, const LmccRepairBudget *budget)
{
  Walk walk = { repairer };
  gboolean needed_most[LMCC_MAX_LAYERS];
  gsize owed[LMCC_MAX_LAYERS];
  gdouble n_whole = 0.0;

  memcpy (needed_most, repairer->needed_most, sizeof (needed_most));
  memcpy (owed, repairer->owed, sizeof (owed));
  if (begin_walk (&walk, budget->session)) {
    allocate (&walk, budget);
    n_whole = lmcc_repair_plan_count_whole (repairer->plan,
                  lmcc_session_count_levels (budget->session) - 1)
        * walk.every;
    end_walk (&walk);
  }
  memcpy (repairer->needed_most, needed_most, sizeof (needed_most));
  memcpy (repairer->owed, owed, sizeof (owed));

  return n_whole;
}
