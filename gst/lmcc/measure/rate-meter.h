/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_MEASURE_RATE_METER_H
#define LMCC_MEASURE_RATE_METER_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* X_recv is measured over at most this time, in steps. */
#define LMCC_RECEIVE_RATE_STEP (50 * LMCC_MSECOND)
#define LMCC_RECEIVE_RATE_STEPS 20

/**
 * LmccReceiveRate:
 * Measures X_recv, the received rate (RFC 5348 section 6.2).
 */
typedef struct
{
  gboolean started;
  LmccTime start;
  guint64 step;
  guint64 bytes[LMCC_RECEIVE_RATE_STEPS];
} LmccReceiveRate;

void lmcc_receive_rate_reset (LmccReceiveRate *rate);
void
lmcc_receive_rate_add (LmccReceiveRate *rate, LmccTime arrival, gsize bytes);
gdouble lmcc_receive_rate_get (LmccReceiveRate *rate, LmccTime now);

G_END_DECLS

#endif
