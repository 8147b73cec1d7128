/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_MEASURE_FAIR_RATE_H
#define LMCC_MEASURE_FAIR_RATE_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* Number of loss intervals that are kept. */
#define LMCC_FAIR_RATE_INTERVALS 32

/* Number of loss events that determine whether losses depend on time or packets. */
#define LMCC_FAIR_RATE_EVENTS 16

/**
 * LmccFairRateWitness:
 * @LMCC_FAIR_RATE_NO_WITNESS: nothing is known about the path at that time
 * @LMCC_FAIR_RATE_ROOM: the path had room for more
 * @LMCC_FAIR_RATE_FULL: the path was full
 *
 * The state of the path before a loss, according to the latest train.
 */
typedef enum
{
  LMCC_FAIR_RATE_NO_WITNESS,
  LMCC_FAIR_RATE_ROOM,
  LMCC_FAIR_RATE_FULL,
} LmccFairRateWitness;

/**
 * LmccFairRate:
 * The rate that one more TCP connection would get on the path, if it sent at that rate:
 * losses observed at the receiver's rate are converted to another rate according to what
 * they depend on. If losses depend on packets, as random losses do, an interval has the
 * same number of packets at any rate; if they depend on time, as those of a full queue
 * with many users do, it has the same duration.
 */
typedef struct
{
  /*< private >*/
  guint packet_size;
  gboolean cubic;

  gboolean any;
  LmccTime event; /* first loss of the latest event, or the start */
  guint n_events;
  guint64 bytes; /* since then */
  guint losses;  /* of the event */
  struct
  {
    gdouble duration; /* ns */
    gdouble bytes;
  } intervals[LMCC_FAIR_RATE_INTERVALS]; /* the latest first */
  guint n_intervals;
  gdouble
      assumed; /* the oldest interval represents this rate; 0: it was observed */
  guint kinds[LMCC_FAIR_RATE_EVENTS]; /* losses of each event, a ring */
  gdouble random;
  gdouble random_before; /* before the latest event */
  gboolean witnessed;    /* known for at least one event */

  LmccTime rtt;
  gdouble mean_rtt; /* ns */
  LmccTime rtt_at;
} LmccFairRate;

void lmcc_fair_rate_init (LmccFairRate *fair, guint packet_size, gboolean cubic,
    LmccTime rtt);
void lmcc_fair_rate_packet (LmccFairRate *fair, LmccTime arrival, gsize size);
void lmcc_fair_rate_lose (LmccFairRate *fair, LmccTime time,
    LmccFairRateWitness witness);
void lmcc_fair_rate_find (LmccFairRate *fair, LmccTime time);
void lmcc_fair_rate_set_rtt (LmccFairRate *fair, LmccTime now, LmccTime rtt);
void lmcc_fair_rate_restart (LmccFairRate *fair, LmccTime now, gdouble rate);
void lmcc_fair_rate_resume (LmccFairRate *fair, const LmccFairRate *before,
    LmccTime now);
gdouble lmcc_fair_rate_get (const LmccFairRate *fair, LmccTime now);
gdouble lmcc_fair_rate_get_seen (const LmccFairRate *fair);
gdouble lmcc_fair_rate_get_thinning (const LmccFairRate *fair);
gboolean lmcc_fair_rate_has_witness (const LmccFairRate *fair);
gdouble lmcc_fair_rate_get_random (const LmccFairRate *fair);
LmccTime
lmcc_fair_rate_get_mean_interval (const LmccFairRate *fair, LmccTime now);
LmccTime lmcc_fair_rate_get_seen_interval (const LmccFairRate *fair);
gdouble lmcc_fair_rate_get_loss_rate (const LmccFairRate *fair, LmccTime now);

G_END_DECLS

#endif
