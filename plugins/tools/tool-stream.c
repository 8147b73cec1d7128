/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tool-stream.h"

#include "tool.h"

typedef struct
{
  GArray *groups;
  GstElement *pipeline;
  gboolean linked;
  GstClockTime key_time;
  GstClockTime end;
} Reader;

static GstClockTime
time_of (const GstBuffer *buffer)
{
  return GST_BUFFER_DTS_IS_VALID (buffer) ? GST_BUFFER_DTS (buffer)
                                          : GST_BUFFER_PTS (buffer);
}

static void
end_group (Reader *reader, GstClockTime time)
{
  ToolGroup *group;

  if (reader->groups->len == 0)
    return;
  group = &g_array_index (reader->groups, ToolGroup, reader->groups->len - 1);
  if (time > reader->key_time)
    group->duration = time - reader->key_time;
}

static GstPadProbeReturn
on_buffer (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer user_data)
{
  Reader *reader = user_data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstClockTime time = time_of (buffer);
  ToolGroup group = { 0 };

  if (!GST_CLOCK_TIME_IS_VALID (time))
    return GST_PAD_PROBE_OK;
  if (!GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT)) {
    end_group (reader, time);
    group.key_bytes = gst_buffer_get_size (buffer);
    reader->key_time = time;
    g_array_append_val (reader->groups, group);
  }
  reader->end = time;
  if (GST_BUFFER_DURATION_IS_VALID (buffer))
    reader->end += GST_BUFFER_DURATION (buffer);

  return GST_PAD_PROBE_OK;
}

static gboolean
is_video (GstPad *pad)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);

  if (caps == NULL)
    caps = gst_pad_query_caps (pad, NULL);
  return gst_caps_get_size (caps) > 0
      && g_str_has_prefix (gst_structure_get_name (
                               gst_caps_get_structure (caps, 0)),
          "video/");
}

/* The first stream of video; the others are dropped. */
static void
on_pad_added (GstElement *parse G_GNUC_UNUSED, GstPad *pad, Reader *reader)
{
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  g_autoptr (GstPad) sink_pad = gst_element_get_static_pad (sink, "sink");

  g_object_set (sink, "async", FALSE, NULL);
  gst_bin_add (GST_BIN (reader->pipeline), sink);
  gst_element_sync_state_with_parent (sink);
  if (is_video (pad) && !reader->linked) {
    reader->linked = TRUE;
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_buffer, reader, NULL);
  }
  gst_pad_link (pad, sink_pad);
}

static gboolean
run (Reader *reader, GError **error)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (reader->pipeline);
  g_autoptr (GstMessage) message = NULL;

  gst_element_set_state (reader->pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  gst_element_set_state (reader->pipeline, GST_STATE_NULL);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
    return TRUE;
  gst_message_parse_error (message, error, NULL);

  return FALSE;
}

/* The groups of pictures of the video in a file. */
GArray *
tool_stream_read (const gchar *path, GError **error)
{
  g_autoptr (GArray) groups = g_array_new (FALSE, FALSE, sizeof (ToolGroup));
  g_autoptr (GstElement) parse = NULL;
  GstElement *source;
  Reader reader = { groups };
  gboolean done;

  reader.pipeline = gst_parse_launch ("filesrc name=source ! parsebin "
                                      "name=parse",
      error);
  if (reader.pipeline == NULL)
    return NULL;
  source = gst_bin_get_by_name (GST_BIN (reader.pipeline), "source");
  g_object_set (source, "location", path, NULL);
  gst_object_unref (source);
  parse = gst_bin_get_by_name (GST_BIN (reader.pipeline), "parse");
  g_signal_connect (parse, "pad-added", G_CALLBACK (on_pad_added), &reader);
  done = run (&reader, error);
  end_group (&reader, reader.end);
  gst_object_unref (reader.pipeline);
  if (!done)
    return NULL;
  if (groups->len == 0) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        _ ("it has no video with key frames; give a file of encoded "
           "video"));
    return NULL;
  }

  return g_steal_pointer (&groups);
}
