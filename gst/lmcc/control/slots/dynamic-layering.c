/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/slots/dynamic-layering.h"

#include "wire/constants.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/**
 * lmcc_dynamic_layering_spread:
 * @leave_latency: L, the longest time from a leave to the last packet, in ns
 * @slot: T, in ns; 0 counts as 1 ns
 *
 * Computes the paper's s: the smallest with L < (s - 1) T (section III-C). A
 * group is silent for s slots, so that a receiver that left it earlier does not
 * receive it when it returns with the highest rate.
 *
 * Returns: s, at least 2
 */
guint
lmcc_dynamic_layering_spread (LmccTime leave_latency, LmccTime slot)
{
  guint64 slots = leave_latency / MAX (slot, 1);

  return MIN (slots, G_MAXUINT - 2) + 2;
}

static gboolean
invalid (GError **error, const gchar *what)
{
  g_set_error_literal (error, LMCC_SESSION_ERROR, LMCC_SESSION_ERROR_VALUE,
      what);

  return FALSE;
}

/**
 * lmcc_dynamic_layering_init:
 * @layering: (out caller-allocates): the mapping, undefined on failure
 * @kind: kind of the mapping
 * @n_layers: l, 1 to %LMCC_MAX_LAYERS
 * @spread: s, at least 1; not used by %LMCC_LAYERING_STATIC
 * @error: (nullable): what is wrong, in %LMCC_SESSION_ERROR
 *
 * Sets up the mapping. The base layer has its own group, and l - 1 layers turn:
 * cumulative ones through l - 1 + s groups, separate ones through s (l - 1). A
 * session with only a base layer has no turning groups.
 *
 * Returns: whether there are enough groups
 */
gboolean
lmcc_dynamic_layering_init (LmccDynamicLayering *layering,
    LmccLayeringKind kind, guint n_layers, guint spread, GError **error)
{
  guint turning_layers = n_layers - 1;
  guint64 turning_groups = 0;

  memset (layering, 0, sizeof (*layering));
  if (n_layers == 0 || n_layers > LMCC_MAX_LAYERS)
    return invalid (error, _ ("the number of layers is not between 1 and 64"));

  layering->kind = kind;
  layering->n_layers = n_layers;
  layering->n_groups = n_layers;
  if (kind == LMCC_LAYERING_STATIC || n_layers == 1)
    return TRUE;
  if (spread == 0)
    return invalid (error,
        _ ("the groups are never silent, but the leave latency needs at least "
           "one silent slot"));

  if (kind == LMCC_LAYERING_CUMULATIVE)
    turning_groups = (guint64) turning_layers + spread;
  else
    turning_groups = (guint64) turning_layers * spread;
  if (turning_groups + 1 > LMCC_MAX_GROUPS) {
    g_set_error (error, LMCC_SESSION_ERROR, LMCC_SESSION_ERROR_VALUE,
        _ ("%u layers whose groups are silent for %u slots would need %.0f "
           "groups, but a session has at most %d: use fewer layers, longer "
           "slots or a shorter leave latency"),
        n_layers, spread, (gdouble) turning_groups + 1, LMCC_MAX_GROUPS);
    return FALSE;
  }
  layering->spread = spread;
  layering->turning_groups = turning_groups;
  layering->silent_groups = turning_groups - turning_layers;
  layering->n_groups = turning_groups + 1;

  return TRUE;
}

/**
 * lmcc_dynamic_layering_from_session:
 * @layering: (out caller-allocates): the mapping, undefined on failure
 * @session: a session from a record
 * @error: (nullable): what is wrong, in %LMCC_SESSION_ERROR
 *
 * The mapping that the sender of @session uses: static if there are no turning
 * groups, otherwise cumulative.
 *
 * Returns: whether the numbers of layers and groups are consistent
 */
gboolean
lmcc_dynamic_layering_from_session (LmccDynamicLayering *layering,
    const LmccSession *session, GError **error)
{
  LmccLayeringKind kind = session->turning_groups == 0
      ? LMCC_LAYERING_STATIC
      : LMCC_LAYERING_CUMULATIVE;

  if (!lmcc_dynamic_layering_init (layering, kind, session->n_layers,
          session->silent_groups, error))
    return FALSE;
  if (layering->turning_groups != session->turning_groups
      || layering->n_groups > session->n_groups)
    return invalid (error,
        _ ("the number of turning groups must be the number of layers above "
           "the base layer plus the number of silent slots"));

  return TRUE;
}

/**
 * lmcc_dynamic_layering_get_layer:
 * @layering: the mapping
 * @slot: k, modulo lmcc_slot_modulus()
 * @group: below the number of groups
 *
 * In the paper's notation, without the base layer: turning group d_j carries
 * turning layer (l + j - k) mod (l + s) in slot k, or nothing if that is not
 * below l. So a group begins with the highest layer, carries the next lower
 * layer in each slot, and is then silent for s slots.
 *
 * Returns: the layer that @group carries in @slot, or %LMCC_GROUP_SILENT
 */
gint
lmcc_dynamic_layering_get_layer (const LmccDynamicLayering *layering,
    guint slot, guint group)
{
  guint turning_layers = layering->n_layers - 1;
  guint n = layering->turning_groups;
  guint j, layer;

  if (layering->kind == LMCC_LAYERING_STATIC || group == 0)
    return group;

  j = group - 1;
  if (layering->kind == LMCC_LAYERING_SEPARATE)
    return j % layering->spread == slot % layering->spread
        ? (gint) (1 + j / layering->spread)
        : LMCC_GROUP_SILENT;

  layer = (turning_layers + j + n - slot % n) % n;

  return layer < turning_layers ? (gint) (1 + layer) : LMCC_GROUP_SILENT;
}

/**
 * lmcc_dynamic_layering_get_group:
 * @layering: the mapping
 * @slot: k, modulo lmcc_slot_modulus()
 * @layer: below the number of layers
 *
 * The inverse of lmcc_dynamic_layering_get_layer().
 *
 * Returns: the group that carries @layer in @slot
 */
guint
lmcc_dynamic_layering_get_group (const LmccDynamicLayering *layering,
    guint slot, guint layer)
{
  guint turning_layers = layering->n_layers - 1;
  guint n = layering->turning_groups;

  if (layering->kind == LMCC_LAYERING_STATIC || layer == 0)
    return layer;
  if (layering->kind == LMCC_LAYERING_SEPARATE)
    return 1 + (layer - 1) * layering->spread + slot % layering->spread;

  return 1 + (layer - 1 + slot % n + n - turning_layers) % n;
}

/**
 * lmcc_dynamic_layering_is_held:
 * @layering: the mapping
 * @slot: a slot
 * @level: a level; -1: none
 * @group: below the number of groups
 *
 * Returns: whether a receiver at @level has joined @group in @slot
 */
gboolean
lmcc_dynamic_layering_is_held (const LmccDynamicLayering *layering, guint slot,
    gint level, guint group)
{
  gint layer = lmcc_dynamic_layering_get_layer (layering, slot, group);

  return layer != LMCC_GROUP_SILENT && layer <= level;
}

/**
 * lmcc_slot_modulus:
 * @period: number of slots after which the sender's pattern repeats: the
 *     turning groups of dynamic layering, or 2^top of RLC; 0 counts as 1
 *
 * Computes where the 16-bit slot counter wraps, so that the pattern continues
 * across the wrap.
 *
 * Returns: M, the largest multiple of @period not above 65,536; 65,536 if there
 * is none
 */
guint
lmcc_slot_modulus (guint period)
{
  if (period > LMCC_MAX_SLOT_MODULUS)
    return LMCC_MAX_SLOT_MODULUS;

  return LMCC_MAX_SLOT_MODULUS - LMCC_MAX_SLOT_MODULUS % MAX (period, 1);
}

/**
 * lmcc_slot_diff:
 * @a: a slot, below @modulus
 * @b: another slot
 * @modulus: M, 1 to 65,536
 *
 * Serial number arithmetic (RFC 1982) for any modulus.
 *
 * Returns: how many slots @a is after @b, from -M/2 to less than M/2
 */
gint
lmcc_slot_diff (guint a, guint b, guint modulus)
{
  guint ahead;

  modulus = CLAMP (modulus, 1, LMCC_MAX_SLOT_MODULUS);
  ahead = (a % modulus + modulus - b % modulus) % modulus;

  return ahead < modulus - modulus / 2 ? (gint) ahead
                                       : (gint) ahead - (gint) modulus;
}
