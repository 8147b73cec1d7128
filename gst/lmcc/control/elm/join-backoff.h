/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_ELM_JOIN_BACKOFF_H
#define LMCC_CONTROL_ELM_JOIN_BACKOFF_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/**
 * LmccJoinBackoff:
 * Per-level join back-off after congestion: receivers learn from their own join
 * experiments and those of others (McCanne, Jacobson, Vetterli, "Receiver-driven Layered
 * Multicast", 1996). Fields are read-only.
 */
typedef struct
{
  LmccTime shortest;
  LmccTime longest;
  LmccTime held;
  LmccTime until[LMCC_MAX_LAYERS];
} LmccJoinBackoff;

void lmcc_join_backoff_init (LmccJoinBackoff *backoff, LmccTime shortest,
    LmccTime longest, LmccTime held);
void lmcc_join_backoff_leave_alone (LmccJoinBackoff *backoff, guint level,
    guint n_levels, LmccTime now, gdouble dice);
void lmcc_join_backoff_pause (LmccJoinBackoff *backoff, guint level,
    LmccTime joined_at, LmccTime now, gdouble dice);
LmccTime lmcc_join_backoff_get (const LmccJoinBackoff *backoff, guint level);

G_END_DECLS

#endif
