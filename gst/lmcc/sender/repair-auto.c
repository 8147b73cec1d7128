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
 * @layer: the layer that sends a media packet of the video
 * @bytes: its size as IP packet
 */
void
lmcc_repair_auto_note_sent (LmccRepairAuto *automatic, guint layer, gsize bytes)
{
  LmccRepairShape *shape = &automatic->shapes[layer > 0];

  shape->packets++;
  shape->bytes += bytes;
  shape->layers |= G_GUINT64_CONSTANT (1) << layer;
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
  shape->packets = 0;
  shape->bytes = 0;
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
  turn (&automatic->shapes[0]);
  turn (&automatic->shapes[1]);
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

/*
 * lmcc_repair_auto_count_needed:
 * @automatic: the state, with recent reports
 * @n_packets: packets of a layer between two turns
 * @most: greatest share of repair packets, in 1/1000
 *
 * Returns: how many repair packets they need
 */
guint
lmcc_repair_auto_count_needed (const LmccRepairAuto *automatic, guint n_packets,
    guint most)
{
  const LmccLossReport *losses = &automatic->expected.value;
  LmccRepairPath path = { losses->loss_rate, losses->burst };
  guint depth, n_source, n_most;

  if (n_packets == 0)
    return 0;
  depth = (n_packets + LMCC_REPAIRER_MAX_SOURCE - 1) / LMCC_REPAIRER_MAX_SOURCE;
  n_source = (n_packets + depth - 1) / depth;
  n_most = MIN ((n_source * most + 999) / 1000, LMCC_REPAIR_MAX_REPAIR);

  return depth
      * lmcc_repair_chances_count_needed (&path, depth, n_source, n_most,
          WANTED);
}

/*
 * lmcc_repair_auto_find_share:
 * @automatic: the state, with recent reports
 * @above: for the layers above the base layer
 * @most: greatest share, in 1/1000
 * @repair_size: size of a repair packet as IP packet
 *
 * Returns: the share of repair data that the expected losses require, in 1/1000
 */
guint
lmcc_repair_auto_find_share (const LmccRepairAuto *automatic, gboolean above,
    guint most, gsize repair_size)
{
  const LmccRepairShape *shape = &automatic->shapes[above];
  guint n_packets = (guint) (shape->block + 0.5);
  guint n = lmcc_repair_auto_count_needed (automatic, n_packets, most);

  if (n == 0)
    return 0;

  return MIN (most,
      (guint) ceil (
          1000.0 * n * (gdouble) repair_size / (n_packets * shape->size)));
}
