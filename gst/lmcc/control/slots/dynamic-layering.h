/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_SLOTS_DYNAMIC_LAYERING_H
#define LMCC_CONTROL_SLOTS_DYNAMIC_LAYERING_H

#include <gst/lmcc/lmcc-session.h>
#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* A group that carries nothing in a slot. */
#define LMCC_GROUP_SILENT (-1)

/**
 * LmccLayeringKind:
 * @LMCC_LAYERING_STATIC: group i carries layer i
 * @LMCC_LAYERING_CUMULATIVE: layers move through the turning groups, one group further in
 *     each slot (section III-C)
 * @LMCC_LAYERING_SEPARATE: each layer has its own turning groups, so that receivers can
 *     join any set of layers (section III-D). The session record does not announce this
 *     kind.
 *
 * How groups carry layers (Byers et al., "FLID-DL: Congestion Control for Layered
 * Multicast", IEEE JSAC 20(8), 2002, section III).
 */
typedef enum
{
  LMCC_LAYERING_STATIC,
  LMCC_LAYERING_CUMULATIVE,
  LMCC_LAYERING_SEPARATE,
} LmccLayeringKind;

/**
 * LmccDynamicLayering:
 * @kind: kind of the mapping
 * @n_layers: l, 1 to %LMCC_MAX_LAYERS, including the base layer
 * @spread: s of the paper, from lmcc_dynamic_layering_spread(); 0 if static
 * @turning_groups: number of groups after the base group through which layers move, 0 if
 *     static
 * @silent_groups: how many of them are silent in a slot
 * @n_groups: number of all groups, including the base group, at most %LMCC_MAX_GROUPS
 *
 * Mapping from layers to groups. The base layer is always in group 0, where it tells
 * receivers the slot (sections III-C and IV-A). lmcc_dynamic_layering_init() initializes
 * it. Slots are the numbers on the wire, modulo lmcc_slot_modulus() of @turning_groups.
 */
typedef struct
{
  LmccLayeringKind kind;
  guint n_layers;
  guint spread;
  guint turning_groups;
  guint silent_groups;
  guint n_groups;
} LmccDynamicLayering;

guint lmcc_dynamic_layering_spread (LmccTime leave_latency, LmccTime slot);
gboolean lmcc_dynamic_layering_init (LmccDynamicLayering *layering,
    LmccLayeringKind kind, guint n_layers, guint spread, GError **error);
gboolean lmcc_dynamic_layering_from_session (LmccDynamicLayering *layering,
    const LmccSession *session, GError **error);
gint lmcc_dynamic_layering_get_layer (const LmccDynamicLayering *layering,
    guint slot, guint group);
guint lmcc_dynamic_layering_get_group (const LmccDynamicLayering *layering,
    guint slot, guint layer);
gboolean lmcc_dynamic_layering_is_held (const LmccDynamicLayering *layering,
    guint slot, gint level, guint group);

guint lmcc_slot_modulus (guint period);
gint lmcc_slot_diff (guint a, guint b, guint modulus);

G_END_DECLS

#endif
