/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sender/meter.h"

#include <string.h>

/* The first complete buckets of a window come one bucket after its start. */
#define READY_AFTER (LMCC_METER_WINDOW + 2 * LMCC_METER_BUCKET)

/*
 * lmcc_meter_init:
 * @meter: (out): the meter
 * @now: when its layer starts
 */
void
lmcc_meter_init (LmccMeter *meter, LmccTime now)
{
  memset (meter, 0, sizeof (*meter));
  meter->current = now / LMCC_METER_BUCKET;
  meter->ready = now + READY_AFTER;
  meter->first_unit = LMCC_TIME_NONE;
}

static void
turn (LmccMeter *meter, LmccTime now)
{
  guint64 bucket = now / LMCC_METER_BUCKET;
  guint n = 0;

  while (meter->current < bucket && n <= LMCC_METER_BUCKETS) {
    meter->current++;
    meter->sent[meter->current % (LMCC_METER_BUCKETS + 1)] = 0;
    n++;
  }
  if (meter->current < bucket) {
    memset (meter->sent, 0, sizeof (meter->sent));
    meter->current = bucket;
  }
}

/*
 * lmcc_meter_add_unit:
 * @meter: a meter
 * @decoding_time: decoding time of a unit that will be sent
 * @window: how long it may be held
 * @bytes: size of its IP packets
 */
void
lmcc_meter_add_unit (LmccMeter *meter, LmccTime decoding_time, LmccTime window,
    gsize bytes)
{
  if (meter->first_unit == LMCC_TIME_NONE
      || decoding_time > meter->last_unit + LMCC_METER_WINDOW) {
    meter->first_unit = decoding_time;
    meter->unit_bytes = 0;
    meter->ready = decoding_time + window + READY_AFTER;
  }
  meter->last_unit = decoding_time;
  meter->unit_bytes += bytes;
}

/*
 * lmcc_meter_add_sent:
 * @meter: a meter
 * @now: the time
 * @bytes: size of IP packets that the layer sent
 */
void
lmcc_meter_add_sent (LmccMeter *meter, LmccTime now, gsize bytes)
{
  turn (meter, now);
  meter->sent[meter->current % (LMCC_METER_BUCKETS + 1)] += bytes;
}

static guint64
to_rate (guint64 bytes, LmccTime duration)
{
  return (guint64) ((gdouble) bytes * 8.0 * (gdouble) LMCC_SECOND
      / (gdouble) duration);
}

/*
 * lmcc_meter_get_rate:
 * @meter: a meter
 * @now: the time
 * @newest: decoding time of the session's newest unit
 * @unit_interval: interval between two pictures; 0 if not known yet
 *
 * Returns: bit/s, 0 if not known yet
 */
guint64
lmcc_meter_get_rate (LmccMeter *meter, LmccTime now, LmccTime newest,
    LmccTime unit_interval)
{
  guint64 bytes = 0;
  guint i;

  if (now < meter->ready) {
    if (meter->first_unit == LMCC_TIME_NONE || unit_interval == 0
        || newest < meter->first_unit)
      return 0;
    return to_rate (meter->unit_bytes,
        newest - meter->first_unit + unit_interval);
  }

  turn (meter, now);
  for (i = 0; i <= LMCC_METER_BUCKETS; i++) {
    if (i != meter->current % (LMCC_METER_BUCKETS + 1))
      bytes += meter->sent[i];
  }

  return to_rate (bytes, LMCC_METER_WINDOW);
}
