/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sender/repair-auto.h"

#include "repair/plan.h"
#include "sender/repair-blocks.h"

#include <math.h>

/* A block is to be recovered as a whole with this probability. A group of
 * pictures has one to four blocks, and half of its pictures precede a loss on
 * average, so about 1 % of the pictures are damaged. */
#define WANTED 0.995

/* Weight of the latest block in its smoothed size. */
#define SHAPE_WEIGHT 0.25

/*
 * lmcc_repair_auto_init:
 * @automatic: (out): the state
 * @config: the sender's configuration
 * @now: the time
 */
void
lmcc_repair_auto_init (LmccRepairAuto *automatic,
    const LmccSenderConfig *config, LmccTime now)
{
  *automatic = (LmccRepairAuto){ 0 };
  automatic->on = config->repair_auto;
  automatic->path.loss_rate =
      config->repair_loss > 0 ? config->repair_loss : LMCC_DEFAULT_REPAIR_LOSS;
  automatic->path.burst = config->repair_burst;
  automatic->initial = config->repair_initial;
  lmcc_expected_loss_init (&automatic->expected, now);
}

/*
 * lmcc_repair_auto_note_sent:
 * @automatic: the state
 * @layer: the layer that sends a media packet
 * @sound: it is sound
 * @bytes: its size as IP packet
 */
void
lmcc_repair_auto_note_sent (LmccRepairAuto *automatic, guint layer,
    gboolean sound, gsize bytes)
{
  LmccRepairShape *shape = &automatic->shapes[sound ? LMCC_REPAIR_SHAPE_SOUND
          : layer > 0                               ? LMCC_REPAIR_SHAPE_ABOVE
                                                    : LMCC_REPAIR_SHAPE_BASE];

  shape->packets++;
  shape->bytes += bytes;
  shape->largest = MAX (shape->largest, bytes);
  shape->layers |= G_GUINT64_CONSTANT (1) << layer;
}

/* Returns the bytes that the base layer has sent since the last turn. */
gsize
lmcc_repair_auto_get_base_bytes (const LmccRepairAuto *automatic)
{
  return automatic->shapes[LMCC_REPAIR_SHAPE_BASE].bytes
      + automatic->shapes[LMCC_REPAIR_SHAPE_SOUND].bytes;
}

static gdouble
smooth (gdouble value, gdouble latest)
{
  return value > 0 ? value + SHAPE_WEIGHT * (latest - value) : latest;
}

static void
turn (LmccRepairShape *shape)
{
  guint n = 0;

  if (shape->packets == 0)
    return;
  for (; shape->layers != 0; shape->layers &= shape->layers - 1)
    n++;
  shape->block = smooth (shape->block, (gdouble) shape->packets / n);
  shape->size = smooth (shape->size, (gdouble) shape->bytes / shape->packets);
  shape->most = smooth (shape->most, (gdouble) shape->largest);
  shape->packets = 0;
  shape->bytes = shape->largest = 0;
}

/*
 * lmcc_repair_auto_update:
 * @automatic: the state
 * @now: the time
 *
 * Call it once for each block.
 */
void
lmcc_repair_auto_update (LmccRepairAuto *automatic, LmccTime now)
{
  guint i;

  for (i = 0; i < LMCC_N_REPAIR_SHAPES; i++)
    turn (&automatic->shapes[i]);
  automatic->known = lmcc_expected_loss_update (&automatic->expected, now);
}

/*
 * lmcc_repair_auto_get_path:
 * @automatic: the state
 *
 * Small losses need no plan of their own, so plans do not change while nothing
 * is lost.
 *
 * Returns: the losses to plan for
 */
LmccRepairPath
lmcc_repair_auto_get_path (const LmccRepairAuto *automatic)
{
  LmccRepairPath path = automatic->path;

  if (!automatic->known)
    return path;
  path.loss_rate = MAX (path.loss_rate, automatic->expected.value.loss_rate);
  path.burst = MAX (path.burst, automatic->expected.value.burst);

  return path;
}

/* Kept results belong to one value of the losses. */
static void
follow_losses (LmccRepairAuto *automatic)
{
  const LmccLossReport *losses = &automatic->expected.value;

  if (automatic->counted.loss_rate == losses->loss_rate
      && automatic->counted.burst == losses->burst)
    return;
  automatic->counted = *losses;
  automatic->n_counts = 0;
}

/* The number of repair packets of one block. */
static guint
count_of_block (LmccRepairAuto *automatic, guint depth, guint n_source,
    guint most)
{
  const LmccRepairPath path = { automatic->counted.loss_rate,
    automatic->counted.burst };
  guint n = MIN (automatic->n_counts, LMCC_REPAIR_AUTO_COUNTS), needed, i;

  for (i = 0; i < n; i++) {
    const LmccRepairAutoCount *count = &automatic->counts[i];

    if (count->depth == depth && count->n_source == n_source
        && count->most == most)
      return count->needed;
  }
  needed =
      lmcc_repair_chances_count_needed (&path, depth, n_source, most, WANTED);
  automatic->counts[automatic->n_counts++ % LMCC_REPAIR_AUTO_COUNTS] =
      (LmccRepairAutoCount){ depth, n_source, most, needed };

  return needed;
}

/*
 * lmcc_repair_auto_count_needed:
 * @automatic: the state, with recent reports
 * @n_packets: packets of a layer between two turns
 * @most: greatest share of repair packets, in 1/1000
 *
 * Returns: how many repair packets they need
 */
guint
lmcc_repair_auto_count_needed (LmccRepairAuto *automatic, guint n_packets,
    guint most)
{
  guint depth, n_source, n_most;

  if (n_packets == 0)
    return 0;
  follow_losses (automatic);
  depth = (n_packets + LMCC_REPAIRER_MAX_SOURCE - 1) / LMCC_REPAIRER_MAX_SOURCE;
  n_source = (n_packets + depth - 1) / depth;
  n_most = MIN ((n_source * most + 999) / 1000, LMCC_REPAIR_MAX_REPAIR);

  return depth * count_of_block (automatic, depth, n_source, n_most);
}

/*
 * lmcc_repair_auto_find_share:
 * @automatic: the state, with recent reports
 * @above: for the layers above the base layer
 * @most: greatest share, in 1/1000
 * @repair_size: size of a video's repair packet as IP packet
 *
 * The repair packets of sound are small. It decides in a base without video.
 *
 * Returns: the share of repair data that the expected losses require, in 1/1000
 */
guint
lmcc_repair_auto_find_share (LmccRepairAuto *automatic, gboolean above,
    guint most, gsize repair_size)
{
  const LmccRepairShape *shape =
      &automatic
           ->shapes[above ? LMCC_REPAIR_SHAPE_ABOVE : LMCC_REPAIR_SHAPE_BASE];
  gdouble size = (gdouble) repair_size;
  guint n_packets, n;

  if (!above && shape->block == 0) {
    shape = &automatic->shapes[LMCC_REPAIR_SHAPE_SOUND];
    size = shape->most + LMCC_REPAIR_OVERHEAD;
  }
  n_packets = (guint) (shape->block + 0.5);
  n = lmcc_repair_auto_count_needed (automatic, n_packets, most);
  if (n == 0)
    return 0;

  return MIN (most,
      (guint) ceil (1000.0 * n * size / (n_packets * shape->size)));
}
