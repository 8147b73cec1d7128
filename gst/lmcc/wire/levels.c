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
 * Returns: whether it says which layers its levels have; where it does not,
 *     they are cumulative
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
 * Returns: whether its base carries no rung
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
 * Returns: how long @layer is silent at most
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
 * Returns: the layer that a player of the lowest rung needs first
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
 * Returns: the layers that carry @rung; with %LMCC_STREAM_NONE those that carry
 *     several rungs
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

/* A level for each rung from @rung on, above the @n that there are: its layers,
 * beside @below. */
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
 * @session: a session with its layers and number of rungs; its levels are set
 * @levels: which
 *
 * %LMCC_LEVELS_FALLBACK is for native layers of several rungs. Where layers are
 * of fixed rates, where there is one rung, and where one layer carries several
 * rungs because there are too few groups, levels are cumulative all the same.
 * %LMCC_LEVELS_REPLICATED is for those of these sessions whose base carries no
 * rung.
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
 * Where the session has no list level i is layers 0 to i. This is the only
 * place that knows it. Above the highest level there is nothing more than it
 * has.
 *
 * Returns: the layers that a receiver at @level holds
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
 * Returns: how many levels it has, the base's included, at most
 *     %LMCC_MAX_LAYERS; level 0 is the lowest
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
 * Returns: whether a receiver at @level holds @layer
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
 * @layers: some of its layers
 *
 * Returns: their rate together, bit/s
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
 * Returns: R_level, the rate of all layers of @level together, bit/s
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
 * @level: one of its levels but the highest, or -1: none
 *
 * Returns: the rate between @level and the next one that is as many times the
 *     one's as the other's is of it, bit/s
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
 * Returns: the layers that are joined where @level follows on the one below it
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
 * Returns: the levels that have it: bit i is set if level i does
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
 * @level: that is held; -1: none
 *
 * Returns: whether there is a level above, and the rates are known of all that
 *     it adds
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
 * To be asked where something holds for cumulative layers only: slots, and
 * pouring into fixed rates.
 *
 * Returns: whether each layer has a level, which is that layer and all below it
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

/* What level 0 has to have. A record cannot ask for more than one group beside
 * the base. */
static LmccLayerSet
find_lowest (const LmccSession *session)
{
  return LMCC_LAYER_SET_BASE
      | LMCC_LAYER_SET_BASE << lmcc_session_lowest_layer (session);
}

/*
 * lmcc_session_levels_are_valid:
 * @session: a session of at least one layer
 *
 * No cap and no algorithm goes below level 0: it is the base alone, or the base
 * and the lowest layer of a rung where these are two.
 *
 * Returns: whether that is so, and each other level has the base, no layer that
 *     the session has not, and others than the one below it
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
