/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests that plans of whole windows are as good as those of an optimizer
 * that, in each step, looks at every block and every picture.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/repair/chances.h>
#include <gst/lmcc/repair/optimizer.h>
#include <string.h>

/* Bytes of a repair packet. */
#define PACKET 1248

/* As in the sender. */
#define MAX_SOURCE 160

/* Steps that are never interrupted: one number of packets for one group, or
 * one amount that a group gives to others. 21,826 in the windows below. */
#define MOST_OF_A_PIECE 25000

#define MAX_GROUPS 64
#define MAX_PICTURES 64
#define N_CLASSES 3

/**
 * Window:
 * @n_layers: number of layers; each level adds one
 * @n_packets: packets in each layer
 * @n_rungs: streams that do not depend on each other
 * @loss: loss rate
 * @burst: mean length of loss bursts
 * @share: repair, in 1/1000 of the media
 * @rooms: one layer ends late and has little room after its media
 * @whole: pictures, summed over all levels, that were complete with the plans
 *     of an optimizer that treated each block separately
 */
typedef struct
{
  guint n_layers;
  guint n_packets;
  guint n_rungs;
  gdouble loss;
  gdouble burst;
  guint share;
  gboolean rooms;
  gdouble whole;
} Window;

static const Window windows[] = {
  { 1, 12, 1, 0.02, 1.0, 100, FALSE, 3.893162 },
  { 1, 100, 1, 0.02, 1.0, 100, FALSE, 32.999851 },
  { 1, 160, 1, 0.02, 1.0, 300, FALSE, 53.000000 },
  { 1, 400, 1, 0.02, 1.0, 100, FALSE, 63.999939 },
  { 1, 400, 1, 0.10, 1.0, 100, FALSE, 13.732907 },
  { 1, 1500, 1, 0.02, 1.0, 50, FALSE, 62.323814 },
  { 1, 1500, 1, 0.02, 1.0, 100, TRUE, 62.323814 },
  { 1, 2400, 1, 0.05, 3.0, 100, FALSE, 63.415648 },
  { 2, 40, 1, 0.02, 1.0, 100, FALSE, 26.951855 },
  { 2, 700, 2, 0.02, 1.0, 100, FALSE, 95.999719 },
  { 3, 100, 1, 0.02, 1.0, 100, FALSE, 65.999072 },
  { 3, 300, 2, 0.10, 1.0, 200, TRUE, 1.834360 },
  { 4, 30, 2, 0.02, 1.0, 100, FALSE, 81.551705 },
  { 4, 150, 2, 0.02, 1.0, 100, TRUE, 122.460363 },
  { 4, 150, 1, 0.05, 4.0, 100, FALSE, 70.032105 },
  { 4, 480, 2, 0.02, 1.0, 100, FALSE, 127.999811 },
  { 4, 480, 2, 0.02, 1.0, 20, FALSE, 9.704179 },
  { 4, 1000, 2, 0.01, 1.0, 50, TRUE, 128.824172 },
  { 4, 1000, 1, 0.05, 1.0, 100, FALSE, 83.516231 },
  { 8, 20, 2, 0.02, 1.0, 100, FALSE, 194.555567 },
  { 8, 90, 2, 0.02, 1.0, 100, TRUE, 212.548898 },
  { 8, 250, 4, 0.02, 1.0, 100, FALSE, 227.985902 },
  { 8, 250, 1, 0.10, 2.0, 300, FALSE, 99.522816 },
  { 20, 40, 2, 0.02, 1.0, 100, FALSE, 479.634899 },
  { 20, 40, 2, 0.02, 1.0, 100, TRUE, 356.535527 },
};

/**
 * Media:
 * @n_groups: groups of all layers and rungs
 * @layers: layer of each group
 * @sizes: sizes of its packets
 * @n_pictures: number of pictures
 * @needs: for each picture, by group: number of packets from the group's first
 *     on
 *
 * The media of a window.
 */
typedef struct
{
  guint n_groups;
  guint layers[MAX_GROUPS];
  guint sizes[MAX_GROUPS];
  guint n_pictures;
  guint needs[MAX_PICTURES][MAX_GROUPS];
} Media;

static guint
find_group (Media *media, guint rung, guint layer, guint groups[4][64])
{
  guint *number = &groups[rung][layer];

  if (*number == 0) {
    media->layers[media->n_groups] = layer;
    *number = ++media->n_groups;
  }

  return *number - 1;
}

/* Key frames are large; a class is in the layers above those of the lower
 * class, and each rung above the lower rung. */
static void
make_media (const Window *window, Media *media)
{
  GRand *dice = g_rand_new_with_seed (20040101);
  guint total = window->n_layers * window->n_packets, i, k;
  guint n = MIN (MAX_PICTURES, MAX (4 * window->n_rungs, total / 3));
  guint groups[4][64] = { { 0 } };
  guint left[64];

  *media = (Media){ .n_pictures = n };
  for (i = 0; i < window->n_layers; i++)
    left[i] = window->n_packets;
  for (i = 0; i < n; i++) {
    guint rung = i % window->n_rungs, number = i / window->n_rungs;
    guint klass = number == 0 ? 0 : number % 4 == 0 ? 0 : number % 2 ? 2 : 1;
    guint size = MAX (1, total / n) * (number == 0 ? 6 : 1);
    guint at = (rung * N_CLASSES + klass) * window->n_layers
        / (window->n_rungs * N_CLASSES);

    size = (guint) g_rand_int_range (dice, (gint) (size / 2),
        (gint) (size + size / 4 + 2));
    for (k = 0; k < media->n_groups; k++)
      media->needs[i][k] = 0;
    for (; size > 0 && at < window->n_layers; at++) {
      guint part = MIN (size, left[at]);

      if (part == 0)
        continue;
      left[at] -= part;
      size -= part;
      media->sizes[find_group (media, rung, at, groups)] += part;
    }
    /* With all earlier pictures of its rung. */
    for (k = 0; k < window->n_layers; k++) {
      if (groups[rung][k] != 0)
        media->needs[i][groups[rung][k] - 1] =
            media->sizes[groups[rung][k] - 1];
    }
  }
  g_rand_free (dice);
}

static guint
get_depth (guint n_packets)
{
  return (n_packets + MAX_SOURCE - 1) / MAX_SOURCE;
}

/* Packets among the first @n that belong to the block. */
static guint
count_of_block (guint n, guint block, guint depth)
{
  return (n + depth - 1 - block) / depth;
}

static void
get_rooms (const Window *window, const Media *media, guint layer, gsize *rooms)
{
  guint i;

  for (i = 0; i < media->n_groups; i++)
    rooms[i] = (gsize) PACKET * window->n_packets / 20
        * (window->n_layers + layer - media->layers[i]) / window->n_layers;
}

/* Exact probability that a group's first packets arrive, with the given
 * amount of repair for each block; the blocks differ in size. */
static gdouble
find_chance (LmccRepairChances *chances, guint n_packets, guint n_needed,
    const guint *repair)
{
  guint depth = get_depth (n_packets), block;
  gdouble chance = 1.0;

  for (block = 0; block < depth; block++)
    chance *= lmcc_repair_chances_whole (chances,
        count_of_block (n_packets, block, depth), repair[block], 0,
        count_of_block (n_needed, block, depth));

  return chance;
}

/**
 * Repair:
 * @n: repair packets by group, block and layer, from the group's own layer on
 */
typedef struct
{
  guint n[MAX_GROUPS][LMCC_REPAIR_MAX_STEP][LMCC_REPAIR_MAX_CARRIERS];
} Repair;

/* In a group's own layer and the next ones above it. */
static guint
count_seen (const guint n[LMCC_REPAIR_MAX_CARRIERS], guint above)
{
  guint sum = 0, i;

  for (i = 0; i <= above && i < LMCC_REPAIR_MAX_CARRIERS; i++)
    sum += n[i];

  return sum;
}

/* A receiver at each level. */
static gdouble
count_whole (const Window *window, const Media *media, const Repair *repair)
{
  LmccRepairChances *chances[LMCC_REPAIR_MAX_STEP + 1];
  gdouble sum = 0.0;
  guint level, i, k, b;

  for (i = 1; i <= LMCC_REPAIR_MAX_STEP; i++)
    chances[i] = lmcc_repair_chances_new (window->loss, window->burst, i,
        LMCC_REPAIR_MAX_SYMBOLS, LMCC_REPAIR_MAX_REPAIR);
  for (level = 0; level < window->n_layers; level++) {
    for (i = 0; i < media->n_pictures; i++) {
      gdouble chance = 1.0;

      for (k = 0; k < media->n_groups; k++) {
        guint seen[LMCC_REPAIR_MAX_STEP];

        if (media->needs[i][k] == 0)
          continue;
        if (media->layers[k] > level) {
          chance = 0.0;
          break;
        }
        for (b = 0; b < LMCC_REPAIR_MAX_STEP; b++)
          seen[b] = count_seen (repair->n[k][b], level - media->layers[k]);
        chance *= find_chance (chances[get_depth (media->sizes[k])],
            media->sizes[k], media->needs[i][k], seen);
      }
      sum += chance;
    }
  }
  for (i = 1; i <= LMCC_REPAIR_MAX_STEP; i++)
    lmcc_repair_chances_free (chances[i]);

  return sum;
}

static LmccRepairPlan *
begin_plan (const Window *window, const Media *media)
{
  LmccRepairPlan *plan = lmcc_repair_plan_new (window->loss, window->burst);
  LmccRepairNeed needs[MAX_GROUPS];
  LmccSession session;
  guint i, k, n;

  lmcc_session_init (&session);
  session.n_layers = window->n_layers;
  lmcc_repair_plan_begin (plan, &session);
  for (k = 0; k < media->n_groups; k++)
    lmcc_repair_plan_add_group (plan, media->layers[k], media->sizes[k],
        get_depth (media->sizes[k]), PACKET);
  for (i = 0; i < media->n_pictures; i++) {
    n = 0;
    for (k = 0; k < media->n_groups; k++) {
      if (media->needs[i][k] > 0)
        needs[n++] = (LmccRepairNeed){ k, 0, media->needs[i][k] };
    }
    lmcc_repair_plan_add_picture (plan, needs, n);
  }

  return plan;
}

/* At most @step of work per call. Returns the largest amount done in one
 * call. */
static guint64
allocate (const Window *window, const Media *media, LmccRepairPlan *plan,
    guint64 step)
{
  g_autoptr (LmccRepairOptimizer) optimizer = lmcc_repair_optimizer_new (plan);
  gsize budget = (gsize) PACKET * window->n_packets * window->share / 1000;
  gsize rooms[MAX_GROUPS];
  guint64 most = 0;
  gboolean done;
  guint layer;

  for (layer = 0; layer < window->n_layers; layer++) {
    get_rooms (window, media, layer, rooms);
    lmcc_repair_optimizer_start (optimizer, layer, budget,
        window->rooms ? rooms : NULL);
    do {
      guint64 before = plan->work;

      done = lmcc_repair_optimizer_step (optimizer, before + step);
      most = MAX (most, plan->work - before);
    } while (!done);
    fail_unless (lmcc_repair_optimizer_get_used (optimizer) <= budget);
  }

  return most;
}

static void
read_repair (const Window *window, const Media *media,
    const LmccRepairPlan *plan, Repair *repair)
{
  guint k, block, layer;

  *repair = (Repair){ 0 };
  for (k = 0; k < media->n_groups; k++) {
    for (block = 0; block < get_depth (media->sizes[k]); block++) {
      for (layer = media->layers[k]; layer < window->n_layers; layer++) {
        guint n = lmcc_repair_plan_get_repair (plan, k, block, layer);

        if (n > 0)
          repair->n[k][block][layer - media->layers[k]] = n;
      }
    }
  }
}

/* The plan of a window, made in pieces of @step, and its value. */
static gdouble
make_plan (const Window *window, guint64 step, Repair *repair)
{
  g_autofree Media *media = g_new (Media, 1);
  g_autoptr (LmccRepairPlan) plan = NULL;

  make_media (window, media);
  plan = begin_plan (window, media);
  allocate (window, media, plan, step);
  read_repair (window, media, plan, repair);
  if (g_getenv ("DBG")) {
    guint l, k, b, c;
    for (l = 0; l < window->n_layers; l++)
      g_print ("level %u: %g\n", l, lmcc_repair_plan_count_whole (plan, l));
    for (k = 0; k < media->n_groups; k++) {
      g_print ("group %u layer %u size %u:", k, media->layers[k],
          media->sizes[k]);
      for (b = 0; b < get_depth (media->sizes[k]); b++) {
        g_print (" [");
        for (c = 0; c < 4; c++)
          g_print ("%u ", repair->n[k][b][c]);
        g_print ("]");
      }
      g_print ("\n");
    }
  }

  return count_whole (window, media, repair);
}

GST_START_TEST (a_plan_is_no_worse_than_one_of_single_blocks)
{
  const Window *window = &windows[__i__];
  Repair repair;
  gdouble whole = make_plan (window, G_MAXUINT32, &repair);

  fail_unless (whole >= window->whole - 1e-6, "%.6f instead of %.6f", whole,
      window->whole);
}

GST_END_TEST;

GST_START_TEST (a_plan_in_pieces_is_the_same)
{
  const Window *window = &windows[__i__];
  Repair repair, in_pieces;
  gdouble whole = make_plan (window, G_MAXUINT32, &repair);

  fail_unless_equals_float (make_plan (window, 1, &in_pieces), whole);
  fail_unless (memcmp (&repair, &in_pieces, sizeof (repair)) == 0);
}

GST_END_TEST;

/* The table of probabilities is made once. */
GST_START_TEST (no_piece_is_much_longer_than_asked)
{
  const Window *window = &windows[__i__];
  g_autofree Media *media = g_new (Media, 1);
  g_autoptr (LmccRepairPlan) plan = NULL;
  guint64 most;

  make_media (window, media);
  plan = begin_plan (window, media);
  allocate (window, media, plan, 1000);
  most = allocate (window, media, plan, 1000);
  fail_unless (most <= 1000 + MOST_OF_A_PIECE, "%" G_GUINT64_FORMAT, most);
}

GST_END_TEST;

static Suite *
repair_plans_suite (void)
{
  Suite *suite = suite_create ("repair-plans");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, a_plan_is_no_worse_than_one_of_single_blocks, 0,
      G_N_ELEMENTS (windows));
  tcase_add_loop_test (tcase, a_plan_in_pieces_is_the_same, 0,
      G_N_ELEMENTS (windows));
  tcase_add_loop_test (tcase, no_piece_is_much_longer_than_asked, 0,
      G_N_ELEMENTS (windows));

  return suite;
}

GST_CHECK_MAIN (repair_plans);
