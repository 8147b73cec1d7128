/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_CIRCUIT_BREAKER_H
#define LMCC_RECEIVER_CIRCUIT_BREAKER_H

#include <gst/lmcc/lmcc-receiver.h>

G_BEGIN_DECLS

/* Loss rate of the base layer above which the breaker trips. RFC 8085 section 4.1 asks
 * for a breaker and leaves the number open. */
#define LMCC_CIRCUIT_BREAKER_LOSS_RATE 0.1

/* Least and greatest number of slices, each of a second or longer, over which the loss
 * rate is measured; more slices are used if few do not decide. 10 s is the order of
 * magnitude of an RTCP-based breaker (RFC 8083 section 4.3). */
#define LMCC_CIRCUIT_BREAKER_SLICES 10
#define LMCC_CIRCUIT_BREAKER_MAX_SLICES 120

/* Received and lost packets of the base layer in one slice. Packets that arrive late
 * reduce the losses of the slice in which they arrive, even below 0. */
typedef struct
{
  gint64 received;
  gint64 lost;
} LmccCircuitBreakerSlice;

/**
 * LmccCircuitBreaker:
 * Ends the reception over a path that cannot carry even the base layer (RFC 8085 section
 * 4.1, RFC 8084). Works with every algorithm.
 */
typedef struct
{
  /*< private >*/
  LmccLayerStats before; /* counters of the base layer when the slice began */
  LmccTime slice_began;
  gboolean in_order; /* the latest slice had no jump */
  gint level;
  LmccTime base_held; /* when the receiver was last at the base layer alone */
  LmccCircuitBreakerSlice slices[LMCC_CIRCUIT_BREAKER_MAX_SLICES];
  guint n_slices; /* number of counted slices; the latest is the last one */
  guint n_clean;  /* number of clean slices in a row up to the latest */
} LmccCircuitBreaker;

void lmcc_circuit_breaker_reset (LmccCircuitBreaker *breaker, LmccTime now,
    gint level, const LmccLayerStats *base);
void lmcc_circuit_breaker_set_level (LmccCircuitBreaker *breaker, LmccTime now,
    gint level);
gboolean lmcc_circuit_breaker_update (LmccCircuitBreaker *breaker, LmccTime now,
    const LmccLayerStats *base);

G_END_DECLS

#endif
