/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_REPAIR_AUTO_H
#define LMCC_SENDER_REPAIR_AUTO_H

#include <gst/lmcc/lmcc-sender.h>
#include "measure/expected-loss.h"
#include "repair/chances.h"

G_BEGIN_DECLS

/**
 * LmccRepairShape:
 * @packets: media packets since the last turn
 * @bytes: their bytes, as IP packets
 * @layers: bits: layers that sent any of them
 * @block: packets of a layer between two turns, smoothed; 0: not known yet
 * @size: mean size of a packet, smoothed
 *
 * The size of blocks.
 */
typedef struct
{
  guint packets;
  gsize bytes;
  guint64 layers;
  gdouble block;
  gdouble size;
} LmccRepairShape;

/**
 * LmccRepairAuto:
 * @on: receivers' reports decide
 * @known: there are recent reports
 * @expected: the losses that they tell
 * @path: losses to plan with if they tell less
 * @initial: share of repair data without reports, in 1/1000
 * @shapes: blocks of the base layer, and of a layer above it
 *
 * The amount of repair data, as receivers' losses require.
 */
typedef struct
{
  gboolean on;
  gboolean known;
  LmccExpectedLoss expected;
  LmccRepairPath path;
  guint initial;
  LmccRepairShape shapes[2];
} LmccRepairAuto;

void lmcc_repair_auto_init (LmccRepairAuto *automatic,
    const LmccSenderConfig *config, LmccTime now);
void lmcc_repair_auto_note_sent (LmccRepairAuto *automatic, guint layer,
    gsize bytes);
void lmcc_repair_auto_update (LmccRepairAuto *automatic, LmccTime now);
LmccRepairPath lmcc_repair_auto_get_path (const LmccRepairAuto *automatic);
guint lmcc_repair_auto_count_needed (const LmccRepairAuto *automatic,
    guint n_packets, guint most);
guint lmcc_repair_auto_find_share (const LmccRepairAuto *automatic,
    gboolean above, guint most, gsize repair_size);

G_END_DECLS

#endif
