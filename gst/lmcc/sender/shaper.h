/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_SHAPER_H
#define LMCC_SENDER_SHAPER_H

#include "sender/pour.h"

G_BEGIN_DECLS

/* Key frames closer together than this share a window: a shorter window leaves no
 * choice. */
#define LMCC_SHAPER_SHORTEST_WINDOW (250 * LMCC_MSECOND)

/**
 * LmccShaper:
 * @longest: greatest length of a window, ns
 * @grace: greatest delay of a unit
 * @units: array of LmccQueuedUnit, owned: the collected units in decoding order
 * @n_packets: number of packets in @units
 * @opened: decoding time at which the window begins, or %LMCC_TIME_NONE
 * @last_end: end of the previous window, or %LMCC_TIME_NONE
 * @key_rung: lowest rung with a key frame in the window; the greatest number of rungs for
 *     none
 * @last_key: index in @units of the last key frame that could have begun a window, 0 if
 *     there is none but the first
 * @pour: the layers; the caller sets rooms and shares
 * @n_dropped: units that got no place, per class
 * @key_levels: per rung the lowest level that has had all its key frames; the number of
 *     layers for none
 *
 * Layers of fixed rates: collects the units of a window, which is one closed group of
 * pictures, and pours them into the layers, from the bottom up and the most important
 * units first. Each layer is sent in decoding order.
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
