/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_CIRCUIT_BREAKER_H
#define LMCC_RECEIVER_CIRCUIT_BREAKER_H

#include <gst/lmcc/lmcc-receiver.h>

G_BEGIN_DECLS

/* Trips where more than this part of the base layer is lost. RFC 8085 section
 * 4.1 asks for a breaker and leaves the number open. */
#define LMCC_CIRCUIT_BREAKER_LOSS_RATE 0.1

/* The loss is measured over this number of slices, each of a second or longer,
 * and over more where these do not decide. 10 s is the order of the time of an RTCP-based
 * breaker (RFC 8083 section 4.3). */
#define LMCC_CIRCUIT_BREAKER_SLICES 10
#define LMCC_CIRCUIT_BREAKER_MAX_SLICES 120

/* What came and what was lost of the base layer in one slice; where it came late
 * after all in the next one, it lowers what that lost, to less than 0 even. */
typedef struct
{
  gint64 received;
  gint64 lost;
} LmccCircuitBreakerSlice;

/**
 * LmccCircuitBreaker:
 * Ends the reception over a path that cannot carry even the base layer (RFC 8085
 * section 4.1, RFC 8084). Of use for every algorithm.
 */
typedef struct
{
  /*< private >*/
  LmccLayerStats before; /* the base's counters when the slice began */
  LmccTime slice_began;
  gboolean in_order; /* the latest slice */
  gint level;
  LmccTime base_held; /* when the base was last held alone */
  LmccCircuitBreakerSlice slices[LMCC_CIRCUIT_BREAKER_MAX_SLICES];
  guint n_slices; /* those that count; the latest is the last one */
  guint n_clean;  /* the latest of them in a row that lost little */
} LmccCircuitBreaker;

void lmcc_circuit_breaker_reset (LmccCircuitBreaker *breaker, LmccTime now,
    gint level, const LmccLayerStats *base);
void lmcc_circuit_breaker_set_level (LmccCircuitBreaker *breaker, LmccTime now,
    gint level);
gboolean lmcc_circuit_breaker_update (LmccCircuitBreaker *breaker, LmccTime now,
    const LmccLayerStats *base);

G_END_DECLS

#endif
