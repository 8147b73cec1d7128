/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECORD_TIMES_H
#define LMCC_RECORD_TIMES_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Name of the element that adds times of decoding. */
#define RECORD_TIMESTAMPER "timestamper"

/**
 * RecordTimes:
 * @first: time of the first picture before its timestamper, or none
 * @latest: likewise, of the latest
 * @is_shifted: @shift is known
 * @shift: what is added to times before the muxer, modulo 2^64
 *
 * Of one stream.
 */
typedef struct
{
  GstClockTime first;
  GstClockTime latest;
  gboolean is_shifted;
  GstClockTime shift;
} RecordTimes;

#define RECORD_TIMES_INIT                              \
  {                                                    \
    GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, FALSE, 0 \
  }

void record_times_watch (RecordTimes *times, GstElement *chain);
void record_times_shift_buffer (RecordTimes *times, GstPadProbeInfo *info);
void record_times_shift_segment (GstPadProbeInfo *info);

G_END_DECLS

#endif
