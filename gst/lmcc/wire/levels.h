/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The layers of each level of a session. Only lmcc_session_level_layers() knows them;
 * all other code asks it and does not derive them from a level's number.
 */
#ifndef LMCC_WIRE_LEVELS_H
#define LMCC_WIRE_LEVELS_H

#include <gst/lmcc/lmcc-session.h>

G_BEGIN_DECLS

/**
 * LmccLayerSet:
 * A set of layers: bit i is set if layer i is in it.
 */
typedef guint64 LmccLayerSet;

G_STATIC_ASSERT (LMCC_MAX_LAYERS <= 8 * sizeof (LmccLayerSet));

/* The base layer, which every level contains: the session record arrives with it. */
#define LMCC_LAYER_SET_BASE ((LmccLayerSet) 1)

static inline gboolean
lmcc_layer_set_has (LmccLayerSet set, guint layer)
{
  return layer < LMCC_MAX_LAYERS && (set >> layer & 1) != 0;
}

/* Returns: the first @n layers, at most %LMCC_MAX_LAYERS */
static inline LmccLayerSet
lmcc_layer_set_first (guint n)
{
  return n == 0 ? 0
                : G_MAXUINT64 >> (LMCC_MAX_LAYERS - MIN (n, LMCC_MAX_LAYERS));
}

/* Returns: the highest layer of @set, -1 if it is empty */
static inline gint
lmcc_layer_set_highest (LmccLayerSet set)
{
  return set == 0 ? -1 : LMCC_MAX_LAYERS - 1 - __builtin_clzll (set);
}

/* Removes the lowest layer from @set, to iterate over all of them. Returns: %FALSE if
 * it is empty */
static inline gboolean
lmcc_layer_set_take (LmccLayerSet *set, guint *layer)
{
  if (*set == 0)
    return FALSE;
  *layer = (guint) __builtin_ctzll (*set);
  *set &= *set - 1;

  return TRUE;
}

/* The same for the highest layer. */
static inline gboolean
lmcc_layer_set_take_highest (LmccLayerSet *set, guint *layer)
{
  gint highest = lmcc_layer_set_highest (*set);

  if (highest < 0)
    return FALSE;
  *layer = (guint) highest;
  *set &= ~((LmccLayerSet) 1 << highest);

  return TRUE;
}

gboolean lmcc_session_lists_levels (const LmccSession *session);
gboolean lmcc_session_base_is_thin (const LmccSession *session);
LmccTime lmcc_session_filler_interval (const LmccSession *session, guint layer);
guint lmcc_session_lowest_layer (const LmccSession *session);
LmccLayerSet lmcc_session_rung_layers (const LmccSession *session, gint rung);
LmccLayerSet lmcc_session_level_layers (const LmccSession *session, gint level);
gdouble lmcc_session_level_border (const LmccSession *session, gint level);
LmccLayerSet lmcc_session_level_adds (const LmccSession *session, gint level);
guint64 lmcc_session_layer_levels (const LmccSession *session, guint layer);
guint64
lmcc_session_layers_rate (const LmccSession *session, LmccLayerSet layers);
gboolean lmcc_session_may_go_up (const LmccSession *session, gint level);
gboolean lmcc_session_is_cumulative (const LmccSession *session);
gboolean lmcc_session_levels_are_valid (const LmccSession *session);

G_END_DECLS

#endif
