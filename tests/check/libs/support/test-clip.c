/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/test-clip.h"

#include <gst/app/gstappsink.h>
#include <gst/gst.h>

/* NAL unit types of slices (ITU-T H.264 table 7-1). */
#define SLICE 1
#define IDR_SLICE 5

/* Longest time to read a picture, ms. */
#define PATIENCE 10000u

/* Classes that LmccClassifier assigns to x264's pyramid, by nal_ref_idc; the
 * most important nal_ref_idc has class 0. */
static guint8
get_class (guint ref_idc)
{
  return ref_idc >= 2 ? 0 : ref_idc == 1 ? 1 : 2;
}

/* Each NAL unit follows its length in four bytes. */
static TestRepairPicture
read_picture (const guint8 *data, gsize size)
{
  TestRepairPicture picture = { (guint) size };
  guint ref_idc = 0;
  gsize at = 0;

  while (at + 5 <= size) {
    guint type = data[at + 4] & 31;

    if (type == SLICE || type == IDR_SLICE)
      ref_idc = MAX (ref_idc, data[at + 4] >> 5 & 3);
    picture.switch_point |= type == IDR_SLICE;
    at += 4 + (gsize) GST_READ_UINT32_BE (data + at);
  }
  picture.klass = get_class (ref_idc);
  picture.switch_point |= picture.klass > 0;

  return picture;
}

static void
read_all (GstAppSink *sink, GArray *pictures, LmccTime *period)
{
  GstSample *sample;
  GstClockTime begin = GST_CLOCK_TIME_NONE;

  while ((sample = gst_app_sink_try_pull_sample (sink, PATIENCE * GST_MSECOND))
      != NULL) {
    GstBuffer *buffer = gst_sample_get_buffer (sample);
    TestRepairPicture picture;
    GstMapInfo map;

    gst_buffer_map (buffer, &map, GST_MAP_READ);
    picture = read_picture (map.data, map.size);
    gst_buffer_unmap (buffer, &map);
    if (!GST_CLOCK_TIME_IS_VALID (begin))
      begin = GST_BUFFER_DTS (buffer);
    picture.time = GST_BUFFER_DTS (buffer) - begin;
    *period = picture.time + GST_BUFFER_DURATION (buffer);
    g_array_append_val (pictures, picture);
    gst_sample_unref (sample);
  }
}

/* Appsink would wait forever for data from a failed element. Returns the
 * first error of the pipeline. */
static GError *
find_error (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message =
      gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  GError *error = NULL;

  if (message != NULL)
    gst_message_parse_error (message, &error, NULL);

  return error;
}

/**
 * test_clip_read:
 * @path: an MP4 file with H.264
 * @period: (out): its duration
 * @error: why the file cannot be read
 *
 * Returns: (transfer full) (nullable) (element-type TestRepairPicture): its
 *     pictures in decoding order; %NULL on error
 */
GArray *
test_clip_read (const gchar *path, LmccTime *period, GError **error)
{
  g_autoptr (GArray) pictures =
      g_array_new (FALSE, FALSE, sizeof (TestRepairPicture));
  g_autoptr (GstElement) pipeline = NULL;
  g_autoptr (GstElement) source = NULL;
  g_autoptr (GstElement) sink = NULL;
  GError *failure = NULL;

  gst_init (NULL, NULL);
  pipeline = gst_parse_launch ("filesrc name=source ! qtdemux ! h264parse ! "
                               "video/x-h264,stream-format=avc,alignment=au ! "
                               "appsink name=sink sync=false",
      error);
  if (pipeline == NULL)
    return NULL;
  source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_object_set (source, "location", path, NULL);
  if (gst_element_set_state (pipeline, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE)
    read_all (GST_APP_SINK (sink), pictures, period);
  failure = find_error (pipeline);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  if (failure == NULL && pictures->len == 0)
    failure = g_error_new (GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
        "no picture came within %u s", PATIENCE / 1000);
  if (failure != NULL) {
    g_propagate_prefixed_error (error, failure, "%s: ", path);
    return NULL;
  }

  return g_steal_pointer (&pictures);
}
