/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_SHAPER_H
#define LMCC_SENDER_SHAPER_H

#include "sender/pour.h"

G_BEGIN_DECLS

/* Key frames closer together than this share a window: in a shorter one there
 * is nothing to choose from. */
#define LMCC_SHAPER_SHORTEST_WINDOW (250 * LMCC_MSECOND)

/**
 * LmccShaper:
 * @longest: a window is not longer, ns
 * @grace: how much later than its time a unit may come
 * @units: of LmccQueuedUnit, owned: what was collected, in decoding order
 * @n_packets: of @units
 * @opened: decoding time at which the window begins, or %LMCC_TIME_NONE
 * @last_end: where the window before it ended, or %LMCC_TIME_NONE
 * @key_rung: lowest rung with a key frame in the window; the number of rungs that
 *     there can be for none
 * @last_key: index in @units of the last key frame that could have begun a window,
 *     0 for none but the first
 * @pour: the layers; rooms and shares are the caller's to set
 * @n_dropped: units that had no place, by class
 * @key_levels: for each rung the lowest level that has had all its key frames; the
 *     number of layers for none
 *
 * Shaped allocation. The units of a window, one closed group of pictures, are
 * collected and then poured into layers of fixed rates: from the bottom up, the
 * most important first. Each layer is sent in decoding order.
 */
typedef struct
{
  LmccTime longest;
  LmccTime grace;
  GPtrArray *units;
  guint n_packets;
  LmccTime opened;
  LmccTime last_end;
  guint key_rung;
  guint last_key;
  LmccPour pour;
  guint64 n_dropped[LMCC_MAX_CLASSES];
  guint8 key_levels[LMCC_MAX_RUNGS];
} LmccShaper;

void lmcc_shaper_init (LmccShaper *shaper, const LmccAllocator *allocator,
    LmccTime hold);
void lmcc_shaper_set_hold (LmccShaper *shaper, LmccTime hold);
void lmcc_shaper_clear (LmccShaper *shaper);
void lmcc_shaper_flush (LmccShaper *shaper);
LmccTime lmcc_shaper_get_end (const LmccShaper *shaper, const LmccUnit *unit);
LmccTime lmcc_shaper_next (const LmccShaper *shaper);
void lmcc_shaper_push (LmccShaper *shaper, LmccQueuedUnit *queued);
LmccPourItem *lmcc_shaper_pour (const LmccShaper *shaper, LmccTime end,
    LmccPour *pour, guint *n_items);
void lmcc_shaper_close (LmccShaper *shaper, LmccTime end,
    LmccAllocator *allocator, guint16 *osn);
gboolean lmcc_shaper_is_empty (const LmccShaper *shaper);

G_END_DECLS

#endif
