/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "repair/rooms.h"

/* @limit is the least free room at this moment and all later ones. */
typedef struct
{
  guint group;
  gsize room;
  gsize carried;
  gsize limit;
} Slot;

static Slot *
get_slot (const LmccRepairRooms *rooms, guint place)
{
  return &g_array_index (rooms->slots, Slot, place);
}

static guint
get_place (const LmccRepairRooms *rooms, guint group)
{
  return g_array_index (rooms->places, guint, group);
}

void
lmcc_repair_rooms_init (LmccRepairRooms *rooms)
{
  rooms->left = 0;
  rooms->slots = g_array_new (FALSE, FALSE, sizeof (Slot));
  rooms->places = g_array_new (FALSE, FALSE, sizeof (guint));
}

void
lmcc_repair_rooms_clear (LmccRepairRooms *rooms)
{
  g_array_unref (rooms->slots);
  g_array_unref (rooms->places);
}

/*
 * lmcc_repair_rooms_begin:
 * @rooms: rooms
 * @n_groups: upper bound of the groups' numbers
 * @budget: bytes that the layer may spend on all of them
 *
 * Forgets all rooms.
 */
void
lmcc_repair_rooms_begin (LmccRepairRooms *rooms, guint n_groups, gsize budget)
{
  rooms->left = budget;
  g_array_set_size (rooms->slots, 0);
  g_array_set_size (rooms->places, n_groups);
}

/*
 * lmcc_repair_rooms_add:
 * @rooms: rooms that are not sorted yet
 * @group: a group, added once
 * @room: bytes that the layer can send after it
 */
void
lmcc_repair_rooms_add (LmccRepairRooms *rooms, guint group, gsize room)
{
  Slot slot = { group, room, 0, room };

  g_array_append_val (rooms->slots, slot);
}

static gint
compare_rooms (gconstpointer a, gconstpointer b)
{
  gsize x = ((const Slot *) a)->room, y = ((const Slot *) b)->room;

  return x < y ? -1 : x > y;
}

static void
update_limits (LmccRepairRooms *rooms)
{
  gsize carried = 0, limit = G_MAXSIZE;
  guint i;

  for (i = 0; i < rooms->slots->len; i++) {
    Slot *slot = get_slot (rooms, i);

    carried += slot->carried;
    slot->limit = slot->room - MIN (slot->room, carried);
  }
  for (i = rooms->slots->len; i > 0; i--) {
    Slot *slot = get_slot (rooms, i - 1);

    slot->limit = limit = MIN (limit, slot->limit);
  }
}

/* Call it when all groups were added. */
void
lmcc_repair_rooms_sort (LmccRepairRooms *rooms)
{
  guint i;

  g_array_sort (rooms->slots, compare_rooms);
  for (i = 0; i < rooms->slots->len; i++)
    g_array_index (rooms->places, guint, get_slot (rooms, i)->group) = i;
  update_limits (rooms);
}

/*
 * lmcc_repair_rooms_take:
 * @rooms: sorted rooms
 * @group: a group
 * @bytes: bytes of its repair data that the layer carries in addition;
 *     negative: that it carries less
 */
void
lmcc_repair_rooms_take (LmccRepairRooms *rooms, guint group, gssize bytes)
{
  get_slot (rooms, get_place (rooms, group))->carried += (gsize) bytes;
  rooms->left -= (gsize) bytes;
  update_limits (rooms);
}

/*
 * lmcc_repair_rooms_get:
 * @rooms: sorted rooms
 * @group: a group
 *
 * Returns: bytes of repair data for which there is room
 */
gsize
lmcc_repair_rooms_get (const LmccRepairRooms *rooms, guint group)
{
  return MIN (rooms->left, get_slot (rooms, get_place (rooms, group))->limit);
}

/*
 * lmcc_repair_rooms_get_without:
 * @rooms: sorted rooms
 * @group: a group
 * @other: another group
 * @bytes: a part of the repair data that the layer carries for @other
 *
 * Returns: as lmcc_repair_rooms_get(), if @other gave these bytes back
 */
gsize
lmcc_repair_rooms_get_without (const LmccRepairRooms *rooms, guint group,
    guint other, gsize bytes)
{
  guint place = get_place (rooms, group), given = get_place (rooms, other), i;
  gsize room = rooms->left + bytes, carried = 0;

  for (i = 0; i < rooms->slots->len; i++) {
    const Slot *slot = get_slot (rooms, i);

    carried += slot->carried - (i == given ? bytes : 0);
    if (i >= place)
      room = MIN (room, slot->room - MIN (slot->room, carried));
  }

  return room;
}
