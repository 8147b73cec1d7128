/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_SLOTS_DEAF_PERIOD_H
#define LMCC_CONTROL_SLOTS_DEAF_PERIOD_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* Rizzo and Vicisano's deaf period stands for the leave latency; no paper gives a
 * number (Legout and Biersack, 2000, section 4). Until a leave was measured an IGMP
 * router's two last-member queries (RFC 3376 section 8.8: 2 s) are likely. */
#define LMCC_DEAF_INITIAL (3 * LMCC_SECOND)
#define LMCC_DEAF_MINIMUM (1 * LMCC_SECOND)

/**
 * LmccDeafPeriod:
 * @fixed: how long each one is, or 0: 1.5 times the measured leave latency
 * @initial: how long before a leave latency was measured
 * @minimum: the shortest measured one
 * @leave_latency: the newest measurement, or %LMCC_TIME_NONE
 * @until: no loss is listened to that happened before; 0 before the first leave
 *
 * The time after a leave in which losses say nothing new: until the routers have
 * taken the leave in, the layer's packets still come down. To be read; the
 * functions change it.
 */
typedef struct
{
  LmccTime fixed;
  LmccTime initial;
  LmccTime minimum;
  LmccTime leave_latency;
  LmccTime until;
  /*< private >*/
  guint layer;
  LmccTime left_at;
  LmccTime last_packet;
} LmccDeafPeriod;

void lmcc_deaf_period_init (LmccDeafPeriod *deaf, LmccTime fixed,
    LmccTime initial, LmccTime minimum);
void lmcc_deaf_period_leave (LmccDeafPeriod *deaf, LmccTime now, guint layer);
void lmcc_deaf_period_join (LmccDeafPeriod *deaf, guint layer);
void
lmcc_deaf_period_packet (LmccDeafPeriod *deaf, LmccTime arrival, guint layer);
gboolean lmcc_deaf_period_covers (const LmccDeafPeriod *deaf, LmccTime time);

G_END_DECLS

#endif
