/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Keeps the times of lmccsrc in a recording, whatever the elements before the
 * muxer do to them.
 */
#include "record-times.h"

/* Decoding times may lie before the first picture, but must not be negative. So
 * this is added to all times of all streams, and the segment begins there. */
#define TIME_SHIFT (1000 * 60 * 60 * GST_SECOND)

/**
 * record_times_shift_buffer:
 * @times: of the stream
 * @info: of a probe at the muxer's pad, which has a buffer
 *
 * A timestamper of GStreamer 1.22 moves its first picture to a time of its own,
 * and does not always tell by its segment. That is undone, as the pictures
 * would else be hours away from the sound.
 */
void
record_times_shift_buffer (RecordTimes *times, GstPadProbeInfo *info)
{
  GstBuffer *buffer =
      gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));

  if (!times->is_shifted && GST_BUFFER_PTS_IS_VALID (buffer)) {
    times->is_shifted = TRUE;
    times->shift = TIME_SHIFT;
    if (GST_CLOCK_TIME_IS_VALID (times->first))
      times->shift += times->first - GST_BUFFER_PTS (buffer);
  }
  if (GST_BUFFER_PTS_IS_VALID (buffer))
    GST_BUFFER_PTS (buffer) += times->shift;
  if (GST_BUFFER_DTS_IS_VALID (buffer))
    GST_BUFFER_DTS (buffer) += times->shift;
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
}

/**
 * record_times_shift_segment:
 * @info: of a probe at the muxer's pad, which has a segment
 */
void
record_times_shift_segment (GstPadProbeInfo *info)
{
  GstEvent *before = GST_PAD_PROBE_INFO_EVENT (info);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = TIME_SHIFT;
  GST_PAD_PROBE_INFO_DATA (info) = gst_event_new_segment (&segment);
  gst_event_unref (before);
}

/* h264parse of GStreamer 1.22 may give the first picture out in two parts, the
 * second one without a time: a timestamper takes that for 0, and moves the
 * first part there. */
static GstPadProbeReturn
on_untimed (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info,
    gpointer user_data)
{
  RecordTimes *times = user_data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

  if (!GST_CLOCK_TIME_IS_VALID (times->first))
    times->first = GST_BUFFER_PTS (buffer);
  if (GST_BUFFER_PTS_IS_VALID (buffer)) {
    times->latest = GST_BUFFER_PTS (buffer);
  } else if (GST_CLOCK_TIME_IS_VALID (times->latest)) {
    buffer = gst_buffer_make_writable (buffer);
    GST_BUFFER_PTS (buffer) = times->latest;
    GST_PAD_PROBE_INFO_DATA (info) = buffer;
  }

  return GST_PAD_PROBE_OK;
}

/**
 * record_times_watch:
 * @times: of the stream, which outlive @chain
 * @chain: has a timestamper of the name %RECORD_TIMESTAMPER, or none
 */
void
record_times_watch (RecordTimes *times, GstElement *chain)
{
  g_autoptr (GstElement) timestamper =
      gst_bin_get_by_name (GST_BIN (chain), RECORD_TIMESTAMPER);
  g_autoptr (GstPad) pad = NULL;

  if (timestamper == NULL)
    return;
  pad = gst_element_get_static_pad (timestamper, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_untimed, times, NULL);
}
