/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_PLUMB_OVERLOAD_H
#define LMCC_CONTROL_PLUMB_OVERLOAD_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* Number of slices in the second that is evaluated. */
#define LMCC_OVERLOAD_SLICES 10

/**
 * LmccOverloadLimit:
 * @LMCC_OVERLOAD_USUAL: normal operation on a shared path
 * @LMCC_OVERLOAD_EXPERIMENT: a layer was just joined, and there seems to be no competing
 *     traffic: losses result from the join
 * @LMCC_OVERLOAD_CLAIM: a layer was just joined because the fair rate covers it:
 *     competing traffic has to make room first
 */
typedef enum
{
  LMCC_OVERLOAD_USUAL,
  LMCC_OVERLOAD_EXPERIMENT,
  LMCC_OVERLOAD_CLAIM,
} LmccOverloadLimit;

/**
 * LmccOverload:
 * Detects within a second that the joined layers exceed by far what the path carries,
 * which no fair share can justify.
 */
typedef struct
{
  /*< private >*/
  struct
  {
    guint received;
    guint lost;
    guint64 bytes;
  } slices[LMCC_OVERLOAD_SLICES];
  guint current;
  LmccTime current_until;
  LmccTime since;
  gdouble usual; /* usual loss rate */
} LmccOverload;

void lmcc_overload_reset (LmccOverload *overload, LmccTime now);
void
lmcc_overload_packet (LmccOverload *overload, LmccTime arrival, gsize size);
void lmcc_overload_lose (LmccOverload *overload, LmccTime now, guint count);
void lmcc_overload_find (LmccOverload *overload, LmccTime now, guint count);
gboolean lmcc_overload_check (LmccOverload *overload, LmccTime now,
    LmccOverloadLimit limit);
gdouble lmcc_overload_get_rate (const LmccOverload *overload, LmccTime now);

G_END_DECLS

#endif
