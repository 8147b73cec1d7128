/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "repair/optimizer.h"

#include <string.h>

/* Pictures that a repair packet has to add at least; below are the sums'
 * rounding errors. */
#define LEAST_GAIN 1e-12

/* Each is better than the one before; a few are enough. */
#define MAX_EXCHANGES 16

typedef struct
{
  guint layer;
  guint n_source;
  guint depth;
  gsize packet_size;
  guint max_repair;
  guint carrier; /* of its repair packets, where there are any */
  guint n_total;
  guint n_repair; /* as the level in hand has them */
  GArray *needs;  /* of guint */
} Block;

/* One picture's need of one block. */
typedef struct
{
  LmccRepairNeed need;
  guint picture;
  gdouble *whole; /* by repair packets; negative: not known yet */
} Need;

typedef struct
{
  guint first_need;
  guint n_needs;
  guint64 levels; /* bit set of those that have all its layers */
} Picture;

struct _LmccRepairPlan
{
  gdouble loss_rate;
  gdouble burst;
  guint64 levels[LMCC_MAX_LAYERS]; /* bit sets: the levels that have a layer */
  guint top;                       /* the highest level that a picture needs */
  GHashTable *chances;             /* by depth */
  GArray *blocks;
  GArray *needs;
  GArray *pictures;
};

static Block *
get_block (const LmccRepairPlan *plan, guint i)
{
  return &g_array_index (plan->blocks, Block, i);
}

static Need *
get_need (const LmccRepairPlan *plan, guint i)
{
  return &g_array_index (plan->needs, Need, i);
}

static Picture *
get_picture (const LmccRepairPlan *plan, guint i)
{
  return &g_array_index (plan->pictures, Picture, i);
}

static void
clear_block (gpointer data)
{
  g_array_unref (((Block *) data)->needs);
}

static void
clear_need (gpointer data)
{
  g_free (((Need *) data)->whole);
}

/**
 * lmcc_repair_plan_new:
 * @loss_rate: share of the packets that are expected to be lost, 0 to 1
 * @burst: mean number of packets that are expected to be lost in a row, as
 *     lmcc_repair_chances_new() has it
 *
 * Returns: (transfer full): a plan that has not begun
 */
LmccRepairPlan *
lmcc_repair_plan_new (gdouble loss_rate, gdouble burst)
{
  LmccRepairPlan *plan = g_new0 (LmccRepairPlan, 1);

  plan->loss_rate = loss_rate;
  plan->burst = burst;
  plan->chances = g_hash_table_new_full (NULL, NULL, NULL,
      (GDestroyNotify) lmcc_repair_chances_free);
  plan->blocks = g_array_new (FALSE, TRUE, sizeof (Block));
  g_array_set_clear_func (plan->blocks, clear_block);
  plan->needs = g_array_new (FALSE, TRUE, sizeof (Need));
  g_array_set_clear_func (plan->needs, clear_need);
  plan->pictures = g_array_new (FALSE, TRUE, sizeof (Picture));

  return plan;
}

/**
 * lmcc_repair_plan_free:
 * @plan: (transfer full): a plan
 */
void
lmcc_repair_plan_free (LmccRepairPlan *plan)
{
  g_hash_table_unref (plan->chances);
  g_array_unref (plan->blocks);
  g_array_unref (plan->needs);
  g_array_unref (plan->pictures);
  g_free (plan);
}

/**
 * lmcc_repair_plan_begin:
 * @plan: a plan
 * @session: whose levels say who has what its layers carry
 *
 * Forgets all blocks and pictures.
 */
void
lmcc_repair_plan_begin (LmccRepairPlan *plan, const LmccSession *session)
{
  guint i;

  for (i = 0; i < LMCC_MAX_LAYERS; i++)
    plan->levels[i] = lmcc_session_layer_levels (session, i);
  g_array_set_size (plan->blocks, 0);
  g_array_set_size (plan->needs, 0);
  g_array_set_size (plan->pictures, 0);
  plan->top = 0;
}

/**
 * lmcc_repair_plan_add_block:
 * @plan: a plan
 * @layer: that carries its source packets
 * @n_source: how many it has, below %LMCC_REPAIR_MAX_SYMBOLS
 * @depth: distance of two of them in the layer's packets, from 1
 * @packet_size: what one of its repair packets takes, bytes, above 0
 *
 * Returns: its number, from 0 on
 */
guint
lmcc_repair_plan_add_block (LmccRepairPlan *plan, guint layer, guint n_source,
    guint depth, gsize packet_size)
{
  Block block = { layer, n_source, depth, packet_size };

  block.max_repair =
      MIN (LMCC_REPAIR_MAX_SYMBOLS - n_source, LMCC_REPAIR_MAX_REPAIR);
  block.needs = g_array_new (FALSE, FALSE, sizeof (guint));
  g_array_append_val (plan->blocks, block);

  return plan->blocks->len - 1;
}

/* The lowest one of some levels; above all where there is none. */
static guint
lowest (guint64 levels)
{
  return levels != 0 ? (guint) __builtin_ctzll (levels) : LMCC_MAX_LAYERS;
}

static gboolean
has_level (guint64 levels, guint level)
{
  return level < LMCC_MAX_LAYERS && (levels >> level & 1) != 0;
}

/**
 * lmcc_repair_plan_add_picture:
 * @plan: a plan
 * @needs: (array length=n_needs): the source packets that it takes to decode
 *     it, those of the pictures that it needs included; each block once
 * @n_needs: how many
 *
 * Losses in different blocks count as independent of each other. Where the
 * needed packets of a block are not in one row, a row of as many stands for
 * them; for independent losses that is the same.
 */
void
lmcc_repair_plan_add_picture (LmccRepairPlan *plan, const LmccRepairNeed *needs,
    guint n_needs)
{
  Picture picture = { plan->needs->len, n_needs, G_MAXUINT64 };
  guint i;

  for (i = 0; i < n_needs; i++) {
    Block *block = get_block (plan, needs[i].block);
    Need need = { needs[i], plan->pictures->len, NULL };
    guint number = plan->needs->len, r;

    need.whole = g_new (gdouble, block->max_repair + 1);
    for (r = 0; r <= block->max_repair; r++)
      need.whole[r] = -1.0;
    picture.levels &= plan->levels[block->layer];
    g_array_append_val (block->needs, number);
    g_array_append_val (plan->needs, need);
  }
  if (picture.levels != 0)
    plan->top = MAX (plan->top, lowest (picture.levels));
  g_array_append_val (plan->pictures, picture);
}

static const LmccRepairChances *
get_chances (LmccRepairPlan *plan, guint depth)
{
  LmccRepairChances *chances =
      g_hash_table_lookup (plan->chances, GUINT_TO_POINTER (depth));

  if (chances == NULL) {
    chances = lmcc_repair_chances_new (plan->loss_rate, plan->burst, depth,
        LMCC_REPAIR_MAX_SYMBOLS, LMCC_REPAIR_MAX_REPAIR);
    g_hash_table_insert (plan->chances, GUINT_TO_POINTER (depth), chances);
  }

  return chances;
}

static gdouble
get_whole (const LmccRepairPlan *plan, const Need *need, guint n_repair)
{
  const Block *block = get_block (plan, need->need.block);

  if (need->whole[n_repair] < 0.0)
    need->whole[n_repair] =
        lmcc_repair_chances_whole (get_chances ((LmccRepairPlan *) plan,
                                       block->depth),
            block->n_source, n_repair, need->need.first, need->need.n);

  return need->whole[n_repair];
}

/* What a receiver at @level has. */
static void
look_from (LmccRepairPlan *plan, guint level)
{
  guint i;

  for (i = 0; i < plan->blocks->len; i++) {
    Block *block = get_block (plan, i);

    block->n_repair =
        has_level (plan->levels[block->carrier], level) ? block->n_total : 0;
  }
}

/* Repair goes to who has what it repairs. The receiver knows that a block's
 * repair is over by its last packet, so that all of it is in one layer. */
static gboolean
may_carry (const LmccRepairPlan *plan, const Block *block, guint layer)
{
  return block->layer <= layer
      && has_level (plan->levels[block->layer], lowest (plan->levels[layer]))
      && (block->n_total == 0 || block->carrier == layer);
}

/* The chance of all that @need's picture needs of other blocks. */
static gdouble
get_rest (const LmccRepairPlan *plan, const Need *need)
{
  const Picture *picture = get_picture (plan, need->picture);
  gdouble chance = 1.0;
  guint i;

  for (i = picture->first_need; i < picture->first_need + picture->n_needs;
       i++) {
    const Need *other = get_need (plan, i);

    if (other->need.block != need->need.block)
      chance *= get_whole (plan, other,
          get_block (plan, other->need.block)->n_repair);
  }

  return chance;
}

/* The levels that have both the picture and what @layer carries: there are
 * receivers of each. A part of a picture in @layer is of use to those of the
 * layers that carry the rest of it. */
static guint
count_levels (const LmccRepairPlan *plan, const Picture *picture, guint layer)
{
  guint top = MAX (plan->top, lowest (plan->levels[layer]));
  guint64 levels = picture->levels & plan->levels[layer];

  return (guint) __builtin_popcountll (levels & lmcc_layer_set_first (top + 1));
}

/* Pictures that can be decoded, as far as they need a block, with @n_repair
 * packets for it; @rests are the chances of all else. */
static gdouble
get_pictures (const LmccRepairPlan *plan, const Block *block,
    const gdouble *rests, guint n_repair)
{
  gdouble sum = 0.0;
  guint i;

  for (i = 0; i < block->needs->len; i++)
    sum += rests[i]
        * get_whole (plan,
            get_need (plan, g_array_index (block->needs, guint, i)), n_repair);

  return sum;
}

/* How many more packets of @block there is room for. What is sent after a later
 * moment is sent after an earlier one too. */
static guint
count_possible (const LmccRepairPlan *plan, guint number, guint layer,
    gsize left, const gsize *rooms)
{
  const Block *block = get_block (plan, number);
  gsize room = left;
  guint i, k;

  for (i = 0; rooms != NULL && i < plan->blocks->len; i++) {
    gsize used = 0;

    if (rooms[i] < rooms[number])
      continue;
    for (k = 0; k < plan->blocks->len; k++) {
      const Block *other = get_block (plan, k);

      if (rooms[k] <= rooms[i] && other->carrier == layer)
        used += other->n_total * other->packet_size;
    }
    room = MIN (room, rooms[i] - MIN (rooms[i], used));
  }

  return MIN (block->max_repair - block->n_repair,
      (guint) MIN (room / block->packet_size, G_MAXUINT8));
}

/* The number of repair packets of @block with which each of them adds most. A
 * first one may be worth little and a few together much, so all numbers are
 * looked at that could be better: none adds more than what is missing. What
 * layers above @layer need has no repair yet. */
static gdouble
find_best (const LmccRepairPlan *plan, guint number, guint layer, gsize left,
    const gsize *rooms, guint *n)
{
  const Block *block = get_block (plan, number);
  g_autofree gdouble *rests = NULL;
  guint possible = count_possible (plan, number, layer, left, rooms), i;
  gdouble best = LEAST_GAIN, missing = 0.0, before;

  *n = 0;
  if (possible == 0)
    return 0.0;
  rests = g_new (gdouble, block->needs->len);
  for (i = 0; i < block->needs->len; i++) {
    const Need *need = get_need (plan, g_array_index (block->needs, guint, i));

    rests[i] = get_rest (plan, need)
        * count_levels (plan, get_picture (plan, need->picture), layer);
    missing += rests[i];
  }
  before = get_pictures (plan, block, rests, block->n_repair);
  missing -= before;
  for (i = 1; i <= possible && missing > best * i; i++) {
    gdouble gain =
        (get_pictures (plan, block, rests, block->n_repair + i) - before) / i;

    if (gain > best) {
      best = gain;
      *n = i;
    }
  }

  return *n > 0 ? best / block->packet_size : 0.0;
}

static gdouble
get_chance (const LmccRepairPlan *plan, const Picture *picture)
{
  gdouble chance = 1.0;
  guint i;

  for (i = 0; i < picture->n_needs; i++) {
    const Need *need = get_need (plan, picture->first_need + i);

    chance *=
        get_whole (plan, need, get_block (plan, need->need.block)->n_repair);
  }

  return chance;
}

/* Likewise, all of them. */
static gdouble
sum_pictures (const LmccRepairPlan *plan, guint layer)
{
  gdouble sum = 0.0;
  guint i;

  for (i = 0; i < plan->pictures->len; i++) {
    const Picture *picture = get_picture (plan, i);

    sum += get_chance (plan, picture) * count_levels (plan, picture, layer);
  }

  return sum;
}

static void
give (Block *block, guint layer, gint n)
{
  block->carrier = layer;
  block->n_total += (guint) n;
  block->n_repair += (guint) n;
}

/* One step after the other, each the best there is. Returns the bytes left. */
static gsize
fill (LmccRepairPlan *plan, guint layer, gsize left, const gsize *rooms)
{
  for (;;) {
    gdouble best = 0.0;
    guint which = 0, best_n = 0, i;

    for (i = 0; i < plan->blocks->len; i++) {
      guint n;
      gdouble gain;

      if (!may_carry (plan, get_block (plan, i), layer))
        continue;
      gain = find_best (plan, i, layer, left, rooms, &n);
      if (gain > best) {
        best = gain;
        which = i;
        best_n = n;
      }
    }
    if (best_n == 0)
      return left;
    give (get_block (plan, which), layer, (gint) best_n);
    left -= best_n * get_block (plan, which)->packet_size;
  }
}

typedef struct
{
  guint from;
  guint to;
  guint n_from;
  guint n_to;
  gdouble pictures;
} Exchange;

/* What @n packets of block @from would do for another block. */
static void
try_exchanges (LmccRepairPlan *plan, guint layer, gsize left,
    const gsize *rooms, guint from, guint n, Exchange *best)
{
  Block *donor = get_block (plan, from);
  guint to;

  give (donor, layer, -(gint) n);
  left += n * donor->packet_size;
  for (to = 0; to < plan->blocks->len; to++) {
    Block *other = get_block (plan, to);
    guint n_to;
    gdouble pictures;

    if (to == from || !may_carry (plan, other, layer))
      continue;
    n_to = MIN (count_possible (plan, to, layer, left, rooms),
        MAX (n * donor->packet_size / other->packet_size, 1));
    give (other, layer, (gint) n_to);
    pictures = sum_pictures (plan, layer);
    give (other, layer, -(gint) n_to);
    if (n_to > 0 && pictures > best->pictures + LEAST_GAIN)
      *best = (Exchange){ from, to, n, n_to, pictures };
  }
  give (donor, layer, (gint) n);
}

/* A picture that needs several blocks gains little by each of them alone: what
 * was given to the first may be worth more in others. */
static gsize
exchange (LmccRepairPlan *plan, guint layer, gsize left, const gsize *rooms)
{
  guint round, i, n;

  for (round = 0; round < MAX_EXCHANGES; round++) {
    Exchange best = { 0 };
    Block *from, *to;

    best.pictures = sum_pictures (plan, layer);
    for (i = 0; i < plan->blocks->len; i++) {
      const Block *block = get_block (plan, i);

      for (n = 1; may_carry (plan, block, layer) && n <= block->n_total; n *= 2)
        try_exchanges (plan, layer, left, rooms, i, n, &best);
    }
    if (best.n_from == 0)
      break;
    from = get_block (plan, best.from);
    to = get_block (plan, best.to);
    give (from, layer, -(gint) best.n_from);
    give (to, layer, (gint) best.n_to);
    left += best.n_from * from->packet_size;
    left -= best.n_to * to->packet_size;
  }

  return left;
}

/**
 * lmcc_repair_plan_allocate:
 * @plan: a plan
 * @layer: that carries the repair packets; those below it have been asked for
 * @budget: bytes for them
 * @rooms: (nullable) (array): for each block the bytes that @layer can send
 *     after the block's last source packet; %NULL where that is no matter
 *
 * Gives the budget to the blocks of @layer, and of those below it that whoever
 * has @layer has too, so that it adds most to the number of pictures that
 * receivers can decode, one at each level that has @layer. So what the lowest
 * level has counts most, and a picture that is cut over layers counts in each
 * of them.
 *
 * Returns: bytes of it that are used
 */
gsize
lmcc_repair_plan_allocate (LmccRepairPlan *plan, guint layer, gsize budget,
    const gsize *rooms)
{
  gsize left;

  look_from (plan, lowest (plan->levels[layer]));
  left = fill (plan, layer, budget, rooms);
  left = exchange (plan, layer, left, rooms);

  return budget - fill (plan, layer, left, rooms);
}

/**
 * lmcc_repair_plan_get_repair:
 * @plan: a plan
 * @block: a block
 * @layer: a layer
 *
 * Returns: repair packets of @block that @layer carries
 */
guint
lmcc_repair_plan_get_repair (const LmccRepairPlan *plan, guint block,
    guint layer)
{
  const Block *found = get_block (plan, block);

  return found->carrier == layer ? found->n_total : 0;
}

/**
 * lmcc_repair_plan_count_whole:
 * @plan: a plan
 * @level: that is held
 *
 * Returns: the number of pictures that are expected to be whole with all that
 *     they need
 */
gdouble
lmcc_repair_plan_count_whole (const LmccRepairPlan *plan, guint level)
{
  gdouble sum = 0.0;
  guint i;

  look_from ((LmccRepairPlan *) plan, level);
  for (i = 0; i < plan->pictures->len; i++) {
    const Picture *picture = get_picture (plan, i);

    if (has_level (picture->levels, level))
      sum += get_chance (plan, picture);
  }

  return sum;
}
