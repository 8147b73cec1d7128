/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "wire/algorithm-element.h"

#include "wire/layer-header.h"

/* RFC 8285 section 4.2: identifiers are 1 to 14. */
#define LAST_ID 14

/**
 * lmcc_second_element_id:
 * @element_id: identifier of the element that every packet carries, 1 to 14
 *
 * Returns: the identifier of the second element, which only some algorithms
 * need, 1 to 14
 */
guint8
lmcc_second_element_id (guint8 element_id)
{
  return element_id % LAST_ID + 1;
}

/* The levels that can go up: those below the top layer. */
static guint64
levels_below (guint top_layer)
{
  return (G_GUINT64_CONSTANT (1) << top_layer) - 1;
}

/**
 * lmcc_synchronized_write:
 * @levels: bit n (from 1 << 0 on) is set if receivers at level n may go up at
 *     the end of this slot; bits from @top_layer on are ignored
 * @top_layer: the session's highest layer, at most %LMCC_MAX_LAYERS - 1
 * @data: (out): the element's data bytes
 *
 * Writes a second element with the synchronization points of a slot (Wei and
 * Zhang 2000, section I), for the case that they are not all levels up to a
 * highest one.
 *
 * Returns: number of bytes written
 */
gsize
lmcc_synchronized_write (guint64 levels, guint top_layer,
    guint8 data[LMCC_SYNCHRONIZED_MAX_SIZE])
{
  gsize size = 1 + MAX (1, (top_layer + 7) / 8);
  guint level;
  gsize i;

  data[0] = LMCC_SECOND_ELEMENT_SYNCHRONIZED;
  for (i = 1; i < size; i++)
    data[i] = 0;
  for (level = 0; level < top_layer; level++) {
    if (levels >> level & 1)
      data[1 + level / 8] |= 0x80 >> level % 8;
  }

  return size;
}

/**
 * lmcc_synchronized_parse:
 * @data: (nullable): a second element's data bytes
 * @size: number of bytes
 * @top_layer: the session's highest layer, at most %LMCC_MAX_LAYERS - 1
 * @levels: (out): as in lmcc_synchronized_write()
 *
 * Levels beyond the end of the element may not go up.
 *
 * Returns: %FALSE if the element is of another kind, or too short for its kind
 */
gboolean
lmcc_synchronized_parse (const guint8 *data, gsize size, guint top_layer,
    guint64 *levels)
{
  gsize n = MIN (size, LMCC_SYNCHRONIZED_MAX_SIZE), i;
  guint bit;

  if (size < 2 || data[0] != LMCC_SECOND_ELEMENT_SYNCHRONIZED)
    return FALSE;

  *levels = 0;
  for (i = 1; i < n; i++) {
    for (bit = 0; bit < 8; bit++) {
      if (data[i] & 0x80 >> bit)
        *levels |= G_GUINT64_CONSTANT (1) << (8 * (i - 1) + bit);
    }
  }
  *levels &= levels_below (top_layer);

  return TRUE;
}

/**
 * lmcc_place_write:
 * @place: @place of #LmccHeader; clamped to its range
 * @data: (out): the element's data bytes
 *
 * Writes a second element with the packet's place in its slot. It uses bytes
 * that would otherwise be padding after the first element.
 */
void
lmcc_place_write (gint place, guint8 data[LMCC_PLACE_SIZE])
{
  data[0] = LMCC_SECOND_ELEMENT_PLACE;
  data[1] = (guint8) (gint8) CLAMP (place, LMCC_PLACE_FIRST, LMCC_PLACE_MAX);
}

/**
 * lmcc_place_parse:
 * @data: (nullable): a second element's data bytes
 * @size: number of bytes
 *
 * Returns: @place of #LmccHeader, 0 if the element is of another kind or too
 * short
 */
gint
lmcc_place_parse (const guint8 *data, gsize size)
{
  if (size < LMCC_PLACE_SIZE || data[0] != LMCC_SECOND_ELEMENT_PLACE)
    return 0;

  return (gint8) data[1];
}
