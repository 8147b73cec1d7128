/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "wire/levels.h"

#include "wire/constants.h"

#include <math.h>
#include <string.h>

/*
 * lmcc_session_lists_levels:
 * @session: a session
 *
 * Returns: whether the session lists the layers of its levels; if not, they
 * are cumulative
 */
gboolean
lmcc_session_lists_levels (const LmccSession *session)
{
  return session->level_layers[0] != 0;
}

/*
 * lmcc_session_base_is_thin:
 * @session: a session
 *
 * Returns: whether its base layer carries no rung
 */
gboolean
lmcc_session_base_is_thin (const LmccSession *session)
{
  return session->layers[0].stream == LMCC_STREAM_SOUND;
}

/*
 * lmcc_session_filler_interval:
 * @session: a session
 * @layer: one of its layers
 *
 * Returns: longest time without a packet of @layer, in ns
 */
LmccTime
lmcc_session_filler_interval (const LmccSession *session, guint layer)
{
  return layer == 0 && lmcc_session_base_is_thin (session)
      ? LMCC_THIN_BASE_FILLER_INTERVAL
      : LMCC_FILLER_INTERVAL;
}

/*
 * lmcc_session_lowest_layer:
 * @session: a session
 *
 * Returns: the first layer that a player of the lowest rung needs
 */
guint
lmcc_session_lowest_layer (const LmccSession *session)
{
  LmccLayerSet layers = lmcc_session_rung_layers (session, 0);
  guint layer = 0;

  if (lmcc_session_base_is_thin (session))
    lmcc_layer_set_take (&layers, &layer);

  return layer;
}

/*
 * lmcc_session_rung_layers:
 * @session: a session
 * @rung: a rung, or %LMCC_STREAM_NONE; -1: none
 *
 * Returns: the layers that carry @rung; with %LMCC_STREAM_NONE those that
 * carry several rungs
 */
LmccLayerSet
lmcc_session_rung_layers (const LmccSession *session, gint rung)
{
  LmccLayerSet layers = 0;
  guint i;

  for (i = 0; i < session->n_layers; i++) {
    if (session->layers[i].stream == rung)
      layers |= LMCC_LAYER_SET_BASE << i;
  }

  return layers;
}

/* Adds a level for each rung from @rung on, above the existing @n levels:
 * the rung's layers and @below. */
static void
add_rungs (LmccSession *session, guint n, LmccLayerSet below, gint rung)
{
  for (; rung < (gint) session->n_rungs; rung++) {
    LmccLayerSet layers = lmcc_session_rung_layers (session, rung);

    if (layers != 0)
      session->level_layers[n++] = below | layers;
  }
}

static void
set_fallback (LmccSession *session)
{
  LmccLayerSet lowest = lmcc_session_rung_layers (session, 0);
  LmccLayerSet rest = lowest, held = 0;
  guint n = 0, layer;

  while (lmcc_layer_set_take (&rest, &layer)) {
    held |= LMCC_LAYER_SET_BASE << layer;
    session->level_layers[n++] = held;
  }
  add_rungs (session, n, lowest, 1);
}

/**
 * lmcc_session_set_levels:
 * @session: (inout): a session with its layers and number of rungs, whose
 *     levels are set
 * @levels: how to build levels from rungs
 *
 * %LMCC_LEVELS_FALLBACK is for native layers of several rungs. Levels are
 * cumulative nevertheless if layers have fixed rates, if there is only one
 * rung, or if one layer carries several rungs because there are too few groups.
 * %LMCC_LEVELS_REPLICATED is for native layers of several rungs with a base
 * layer that carries no rung.
 */
void
lmcc_session_set_levels (LmccSession *session, LmccLevels levels)
{
  memset (session->level_layers, 0, sizeof (session->level_layers));
  if (!session->native || session->n_rungs < 2
      || lmcc_session_rung_layers (session, LMCC_STREAM_NONE) != 0)
    return;
  if (levels == LMCC_LEVELS_FALLBACK)
    set_fallback (session);
  else if (levels == LMCC_LEVELS_REPLICATED
      && lmcc_session_base_is_thin (session))
    add_rungs (session, 0, LMCC_LAYER_SET_BASE, 0);
}

/*
 * lmcc_session_level_layers:
 * @session: a session
 * @level: a level; -1: none
 *
 * If the session has no list, level i consists of layers 0 to i; no other
 * function may assume this. Levels above the highest one have the same layers
 * as the highest.
 *
 * Returns: the layers that a receiver at @level joins
 */
LmccLayerSet
lmcc_session_level_layers (const LmccSession *session, gint level)
{
  if (level < 0)
    return 0;
  if (lmcc_session_lists_levels (session)) {
    level = MIN (level, LMCC_MAX_LAYERS - 1);
    while (session->level_layers[level] == 0)
      level--;
    return session->level_layers[level];
  }

  return lmcc_layer_set_first (MIN ((guint) level + 1, session->n_layers));
}

/**
 * lmcc_session_count_levels:
 * @session: a session
 *
 * Counts the levels of a session.
 *
 * Returns: number of levels, including level 0, the lowest; at most
 * %LMCC_MAX_LAYERS
 */
guint
lmcc_session_count_levels (const LmccSession *session)
{
  guint n = 0;

  if (!lmcc_session_lists_levels (session))
    return session->n_layers;
  while (n < LMCC_MAX_LAYERS && session->level_layers[n] != 0)
    n++;

  return n;
}

/**
 * lmcc_session_level_has_layer:
 * @session: a session
 * @level: a level; -1: none
 * @layer: a layer
 *
 * Checks whether a level contains a layer.
 *
 * Returns: whether a receiver at @level joins @layer
 */
gboolean
lmcc_session_level_has_layer (const LmccSession *session, gint level,
    guint layer)
{
  return lmcc_layer_set_has (lmcc_session_level_layers (session, level), layer);
}

/*
 * lmcc_session_layers_rate:
 * @session: a session
 * @layers: a set of its layers
 *
 * Returns: their total rate, bit/s
 */
guint64
lmcc_session_layers_rate (const LmccSession *session, LmccLayerSet layers)
{
  guint64 rate = 0;
  guint i;

  while (lmcc_layer_set_take (&layers, &i))
    rate += session->layers[i].rate;

  return rate;
}

/**
 * lmcc_session_level_rate:
 * @session: a session
 * @level: one of its levels
 *
 * Computes the rate of a level.
 *
 * Returns: R_level, the total rate of all layers of @level, bit/s
 */
guint64
lmcc_session_level_rate (const LmccSession *session, guint level)
{
  return lmcc_session_layers_rate (session,
      lmcc_session_level_layers (session, (gint) level));
}

/*
 * lmcc_session_level_border:
 * @session: a session
 * @level: one of its levels except the highest, or -1: none
 *
 * Returns: the geometric mean of the rates of @level and of the next level,
 * bit/s
 */
gdouble
lmcc_session_level_border (const LmccSession *session, gint level)
{
  LmccLayerSet below = lmcc_session_level_layers (session, level);
  LmccLayerSet above = lmcc_session_level_layers (session, level + 1);

  return sqrt ((gdouble) lmcc_session_layers_rate (session, below)
      * (gdouble) lmcc_session_layers_rate (session, above));
}

/*
 * lmcc_session_level_adds:
 * @session: a session
 * @level: a level, or the number of levels
 *
 * Returns: the layers to join when a receiver changes to @level from the
 * next lower level
 */
LmccLayerSet
lmcc_session_level_adds (const LmccSession *session, gint level)
{
  return lmcc_session_level_layers (session, level)
      & ~lmcc_session_level_layers (session, level - 1);
}

/*
 * lmcc_session_layer_levels:
 * @session: a session
 * @layer: a layer
 *
 * Returns: the levels that contain the layer: bit i is set if level i does
 */
guint64
lmcc_session_layer_levels (const LmccSession *session, guint layer)
{
  guint n = lmcc_session_count_levels (session), level;
  guint64 levels = 0;

  for (level = 0; level < n; level++) {
    if (lmcc_session_level_has_layer (session, (gint) level, layer))
      levels |= G_GUINT64_CONSTANT (1) << level;
  }

  return levels;
}

/*
 * lmcc_session_may_go_up:
 * @session: a session
 * @level: the current level; -1: none
 *
 * Returns: whether there is a higher level, and the rates of all layers that
 * it adds are known
 */
gboolean
lmcc_session_may_go_up (const LmccSession *session, gint level)
{
  LmccLayerSet added;
  guint i;

  if ((guint) (level + 1) >= lmcc_session_count_levels (session))
    return FALSE;
  added = lmcc_session_level_adds (session, level + 1);
  while (lmcc_layer_set_take (&added, &i)) {
    if (session->layers[i].rate == 0)
      return FALSE;
  }

  return TRUE;
}

/*
 * lmcc_session_is_cumulative:
 * @session: a session
 *
 * For parts that support cumulative layers only: slots, and layers of fixed
 * rates.
 *
 * Returns: whether each layer has a level that consists of that layer and
 * all layers below it
 */
gboolean
lmcc_session_is_cumulative (const LmccSession *session)
{
  guint level;

  if (lmcc_session_count_levels (session) != session->n_layers)
    return FALSE;
  for (level = 0; level < session->n_layers; level++) {
    if (lmcc_session_level_layers (session, (gint) level)
        != lmcc_layer_set_first (level + 1))
      return FALSE;
  }

  return TRUE;
}

/* The layers that level 0 must have. A record cannot demand more than one
 * group beside the base group. */
static LmccLayerSet
find_lowest (const LmccSession *session)
{
  return LMCC_LAYER_SET_BASE
      | LMCC_LAYER_SET_BASE << lmcc_session_lowest_layer (session);
}

/*
 * lmcc_session_levels_are_valid:
 * @session: a session with at least one layer
 *
 * No limit and no algorithm goes below level 0: it is the base layer alone, or
 * the base layer and the lowest layer of a rung if these are two.
 *
 * Returns: whether level 0 is so, and each other level contains the base
 * layer, only layers of the session, and not the same layers as the next
 * lower level
 */
gboolean
lmcc_session_levels_are_valid (const LmccSession *session)
{
  LmccLayerSet known = lmcc_layer_set_first (session->n_layers);
  guint n = lmcc_session_count_levels (session), level;

  if (lmcc_session_level_layers (session, 0) != find_lowest (session)
      || (lmcc_session_base_is_thin (session)
          && lmcc_session_lowest_layer (session) == 0))
    return FALSE;
  for (level = 1; level < n; level++) {
    LmccLayerSet layers = lmcc_session_level_layers (session, (gint) level);

    if ((layers & LMCC_LAYER_SET_BASE) == 0 || (layers & ~known) != 0
        || layers == lmcc_session_level_layers (session, (gint) level - 1))
      return FALSE;
  }

  return TRUE;
}
