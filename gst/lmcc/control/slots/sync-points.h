/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_SLOTS_SYNC_POINTS_H
#define LMCC_CONTROL_SLOTS_SYNC_POINTS_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* Packets of the base layer between two sync points of level 0 (Legout and Biersack,
 * "Pathological Behaviors for RLM and RLC", NOSSDAV 2000, section 4). */
#define LMCC_RLC_BASE_PACKETS 8

/* Packets of the base layer in a burst (FLID-DL, section II-A: "as brief as eight
 * packets"). */
#define LMCC_RLC_BURST_PACKETS 8

/* Share of the time that a receiver spends at the upper of the two levels between
 * which it moves. The throughput of both protocols depends on it, and neither paper
 * states it; the middle is assumed unless it is measured. */
#define LMCC_SYNC_POINTS_UPPER_SHARE 0.5

/**
 * LmccRlcSchedule:
 * @top: the highest layer
 * @slot: t_0, in ns
 * @burst: T_b, in ns, at most half a slot; 0 for no bursts
 *
 * Times of RLC's sync points and bursts. lmcc_rlc_schedule_init() initializes it.
 */
typedef struct
{
  guint top;
  LmccTime slot;
  LmccTime burst;
} LmccRlcSchedule;

LmccTime lmcc_rlc_slot_from_packets (gdouble base_rate, guint packet_size,
    gdouble base_packets);
LmccTime lmcc_rlc_slot_from_rtt (gdouble base_rate, guint packet_size,
    LmccTime rtt, gdouble upper_share);
LmccTime lmcc_rlc_rtt_from_slot (gdouble base_rate, guint packet_size,
    LmccTime slot, gdouble upper_share);
gdouble lmcc_rlc_rate (gdouble base_rate, guint packet_size, LmccTime slot,
    gdouble upper_share, gdouble loss_rate);

void lmcc_rlc_schedule_init (LmccRlcSchedule *schedule, guint top,
    gdouble base_rate, guint packet_size, LmccTime slot, gdouble burst_packets);
gint
lmcc_rlc_schedule_get_signal (const LmccRlcSchedule *schedule, guint64 slot);
LmccTime
lmcc_rlc_schedule_get_interval (const LmccRlcSchedule *schedule, guint level);
guint lmcc_rlc_schedule_get_factor (const LmccRlcSchedule *schedule,
    guint64 slot, guint layer, LmccTime offset);
LmccTime lmcc_rlc_schedule_get_send_time (const LmccRlcSchedule *schedule,
    guint64 slot, guint layer, LmccTime offset);

/**
 * LmccSyncPoints:
 * @n_layers: l, 1 to %LMCC_MAX_LAYERS
 * @phases: progress of each layer towards its next sync point, bit/s: the sync point is
 *     reached at B_j
 *
 * Times of the sync points of each layer, for any layer rates (Wei and Zhang, "On
 * Receiver-Driven Layered Multicast Transmission", UCLA 2000, section II-C).
 * lmcc_sync_points_init() initializes it.
 */
typedef struct
{
  guint n_layers;
  gdouble phases[LMCC_MAX_LAYERS];
} LmccSyncPoints;

void lmcc_sync_points_init (LmccSyncPoints *points, guint n_layers);
guint64
lmcc_sync_points_next (LmccSyncPoints *points, const gdouble *cumulative_rates);
LmccTime lmcc_sync_points_get_interval (const gdouble *cumulative_rates,
    guint layer, LmccTime slot);

gdouble lmcc_sync_points_factor (const gdouble *cumulative_rates,
    guint n_layers, guint level, gdouble upper_share);
gdouble lmcc_sync_points_rate (const gdouble *cumulative_rates, guint n_layers,
    guint level, guint packet_size, LmccTime slot, gdouble upper_share,
    gdouble loss_rate);
LmccTime lmcc_sync_points_slot_from_rtt (const gdouble *cumulative_rates,
    guint n_layers, guint packet_size, LmccTime rtt, gdouble upper_share);
LmccTime lmcc_sync_points_rtt_from_slot (const gdouble *cumulative_rates,
    guint n_layers, guint packet_size, LmccTime slot, gdouble upper_share);

/**
 * LmccSyncBackoff:
 * @limit: greatest number of consecutive failures that count, 1 to 62
 * @failures: how many times in a row each layer was left because of loss
 * @skip: number of sync points of each layer still to be skipped
 *
 * A receiver's back-off after failed joins (Wei and Zhang, section III-C).
 * lmcc_sync_backoff_init() initializes it.
 */
typedef struct
{
  guint limit;
  guint failures[LMCC_MAX_LAYERS];
  guint64 skip[LMCC_MAX_LAYERS];
} LmccSyncBackoff;

void lmcc_sync_backoff_init (LmccSyncBackoff *backoff, guint limit);
gboolean lmcc_sync_backoff_sync_point (LmccSyncBackoff *backoff, guint layer,
    gboolean held);
void lmcc_sync_backoff_dropped (LmccSyncBackoff *backoff, guint layer);

G_END_DECLS

#endif
