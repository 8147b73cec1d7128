/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_MEASURE_FAIR_RATE_H
#define LMCC_MEASURE_FAIR_RATE_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* Loss intervals that are kept. */
#define LMCC_FAIR_RATE_INTERVALS 32

/* Loss events that say whether losses follow time or packets. */
#define LMCC_FAIR_RATE_EVENTS 16

/**
 * LmccFairRateWitness:
 * @LMCC_FAIR_RATE_NO_WITNESS: nothing is known of the path then
 * @LMCC_FAIR_RATE_ROOM: there was room for more
 * @LMCC_FAIR_RATE_FULL: it was full
 *
 * Whose a loss may be: what the latest train said before.
 */
typedef enum
{
  LMCC_FAIR_RATE_NO_WITNESS,
  LMCC_FAIR_RATE_ROOM,
  LMCC_FAIR_RATE_FULL,
} LmccFairRateWitness;

/**
 * LmccFairRate:
 * What one more TCP would get on the path, asked at the rate at which it would get
 * it: the losses seen at the rate held are put to another one by what they follow.
 * Where they follow packets, as random losses do, an interval has as many packets at
 * any rate; where they follow time, as those of a full queue that everybody fills,
 * it lasts as long.
 */
typedef struct
{
  /*< private >*/
  guint packet_size;
  gboolean cubic;

  gboolean any;
  LmccTime event; /* the latest one's first loss, or the begin */
  guint n_events;
  guint64 bytes; /* since then */
  guint losses;  /* of it */
  struct
  {
    gdouble duration; /* ns */
    gdouble bytes;
  } intervals[LMCC_FAIR_RATE_INTERVALS]; /* the latest first */
  guint n_intervals;
  gdouble
      assumed; /* the oldest interval stands for this rate; 0: it was seen */
  guint kinds[LMCC_FAIR_RATE_EVENTS]; /* losses of each event, a ring */
  gdouble random;
  gdouble random_before; /* before the latest event */
  gboolean witnessed;    /* of one event at least it is known */

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
