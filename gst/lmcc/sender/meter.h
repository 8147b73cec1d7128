/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_METER_H
#define LMCC_SENDER_METER_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/* Window over which a layer's rate is measured, and the length of its buckets. */
#define LMCC_METER_WINDOW (2 * LMCC_SECOND)
#define LMCC_METER_BUCKET (100 * LMCC_MSECOND)
#define LMCC_METER_BUCKETS (LMCC_METER_WINDOW / LMCC_METER_BUCKET)

/**
 * LmccMeter:
 * Measures the rate of one layer. Before a whole window has been sent, the bytes of its
 * units over their decoding times are a better estimate than the bytes sent so far; it
 * excludes fillers and control packets, which are unusually many at the start.
 */
typedef struct
{
  guint64 sent[LMCC_METER_BUCKETS + 1];
  guint64 current;
  LmccTime ready;
  LmccTime first_unit;
  LmccTime last_unit;
  guint64 unit_bytes;
} LmccMeter;

void lmcc_meter_init (LmccMeter *meter, LmccTime now);
void lmcc_meter_add_unit (LmccMeter *meter, LmccTime decoding_time,
    LmccTime window, gsize bytes);
void lmcc_meter_add_sent (LmccMeter *meter, LmccTime now, gsize bytes);
guint64 lmcc_meter_get_rate (LmccMeter *meter, LmccTime now, LmccTime newest,
    LmccTime unit_interval);

G_END_DECLS

#endif
