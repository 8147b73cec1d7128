/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_SLOTS_DEAF_PERIOD_H
#define LMCC_CONTROL_SLOTS_DEAF_PERIOD_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* Rizzo and Vicisano's deaf period corresponds to the leave latency; no paper gives a
 * value (Legout and Biersack, 2000, section 4). Until a leave was measured, two
 * last-member queries of an IGMP router (RFC 3376 section 8.8: 2 s) are assumed. */
#define LMCC_DEAF_INITIAL (3 * LMCC_SECOND)
#define LMCC_DEAF_MINIMUM (1 * LMCC_SECOND)

/**
 * LmccDeafPeriod:
 * @fixed: length of each deaf period, or 0: 1.5 times the measured leave latency
 * @initial: length until a leave latency is measured
 * @minimum: least length from a measurement
 * @leave_latency: the latest measurement, or %LMCC_TIME_NONE
 * @until: losses before this time are ignored; 0 before the first leave
 *
 * The time after a leave during which losses carry no new information, because packets of
 * the left layer arrive until the routers have processed the leave. Fields are read-only;
 * the functions change them.
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
