/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_CIRCUIT_BREAKER_H
#define LMCC_RECEIVER_CIRCUIT_BREAKER_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* Trips where more than this part of the packets is lost for so long while only
 * the base is held. RFC 8085 section 4.1 asks for a breaker and leaves the numbers
 * open; 10 s is its order for an RTCP-based one (RFC 8083 section 4.3). */
#define LMCC_CIRCUIT_BREAKER_LOSS_RATE 0.1
#define LMCC_CIRCUIT_BREAKER_TIME (10 * LMCC_SECOND)

/**
 * LmccCircuitBreaker:
 * Ends the reception over a path that cannot carry even the base layer (RFC 8085
 * section 4.1, RFC 8084). Of use for every algorithm.
 */
typedef struct
{
  gboolean armed;
  LmccTime since;
} LmccCircuitBreaker;

void lmcc_circuit_breaker_reset (LmccCircuitBreaker *breaker);
gboolean lmcc_circuit_breaker_update (LmccCircuitBreaker *breaker, LmccTime now,
    gint level, gdouble loss_rate);

G_END_DECLS

#endif
