/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_REPAIR_ROOMS_H
#define LMCC_REPAIR_ROOMS_H

#include <glib.h>

G_BEGIN_DECLS

/**
 * LmccRepairRooms:
 * @left: remaining bytes of the layer's budget
 * @slots: private, per group that the layer may repair
 * @places: private, by group
 *
 * The room of a layer after each group's last source packet. Room after a later moment is
 * also room after an earlier one.
 */
typedef struct
{
  gsize left;
  GArray *slots;
  GArray *places;
} LmccRepairRooms;

void lmcc_repair_rooms_init (LmccRepairRooms *rooms);
void lmcc_repair_rooms_clear (LmccRepairRooms *rooms);
void
lmcc_repair_rooms_begin (LmccRepairRooms *rooms, guint n_groups, gsize budget);
void lmcc_repair_rooms_add (LmccRepairRooms *rooms, guint group, gsize room);
void lmcc_repair_rooms_sort (LmccRepairRooms *rooms);
void lmcc_repair_rooms_take (LmccRepairRooms *rooms, guint group, gssize bytes);
gsize lmcc_repair_rooms_get (const LmccRepairRooms *rooms, guint group);
gsize lmcc_repair_rooms_get_without (const LmccRepairRooms *rooms, guint group,
    guint other, gsize bytes);

G_END_DECLS

#endif
