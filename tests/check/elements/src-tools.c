/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "src-tools.h"

#include <gst/check/gstcheck.h>

/**
 * test_src_init:
 * @self: (out): a source that is not started
 * @options: its properties
 * @uri: its URI
 * @sink_options: properties of the appsink behind it
 */
void
test_src_init (TestSrc *self, const gchar *options, const gchar *uri,
    const gchar *sink_options)
{
  g_autofree gchar *line = g_strdup_printf ("lmccsrc name=src %s uri=%s ! "
                                            "appsink name=sink sync=false %s",
      options, uri, sink_options);

  self->pipeline = gst_parse_launch (line, NULL);
  fail_unless (self->pipeline != NULL);
  self->src = gst_bin_get_by_name (GST_BIN (self->pipeline), "src");
  self->sink = gst_bin_get_by_name (GST_BIN (self->pipeline), "sink");
  self->bus = gst_element_get_bus (self->pipeline);
}

void
test_src_play (TestSrc *self)
{
  fail_unless_equals_int (gst_element_set_state (self->pipeline,
                              GST_STATE_PAUSED),
      GST_STATE_CHANGE_NO_PREROLL);
  fail_unless (gst_element_set_state (self->pipeline, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE);
}

void
test_src_clear (TestSrc *self)
{
  gst_element_set_state (self->pipeline, GST_STATE_NULL);
  gst_object_unref (self->bus);
  gst_object_unref (self->src);
  gst_object_unref (self->sink);
  gst_object_unref (self->pipeline);
}

/* (transfer full): the next buffer */
GstSample *
test_src_pull (TestSrc *self)
{
  GstSample *sample = NULL;

  g_signal_emit_by_name (self->sink, "try-pull-sample", TEST_SRC_PATIENCE,
      &sample);
  fail_unless (sample != NULL, "nothing came");

  return sample;
}

/* Waits for another buffer. */
void
test_src_await (TestSrc *self)
{
  gst_sample_unref (test_src_pull (self));
}

/* (transfer full): the next element message with this name */
GstMessage *
test_src_wait (TestSrc *self, const gchar *name)
{
  for (;;) {
    GstMessage *message = gst_bus_timed_pop_filtered (self->bus,
        TEST_SRC_PATIENCE, GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR);

    fail_unless (message != NULL, "no message %s", name);
    fail_if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR);
    if (gst_message_has_name (message, name))
      return message;
    gst_message_unref (message);
  }
}

void
test_src_wait_level (TestSrc *self, gint level)
{
  gint to = -2;

  while (to != level) {
    g_autoptr (GstMessage) message = test_src_wait (self, "lmcc-level-changed");

    gst_structure_get_int (gst_message_get_structure (message), "to", &to);
  }
}
