/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Runs a pipeline, as gst-launch-1.0 does, and does what it reads from its
 * input:
 *
 *   ELEMENT PROPERTY VALUE    sets the property
 *   ELEMENT PROPERTY          prints it
 *
 * It ends with its input.
 */
#include <gio/gunixinputstream.h>
#include <gst/gst.h>

typedef struct
{
  GMainLoop *loop;
  GstElement *pipeline;
  GDataInputStream *input;
  gint status;
} Control;

static void
print_property (GstElement *element, const gchar *name)
{
  GValue value = G_VALUE_INIT;
  g_autofree gchar *text = NULL;

  g_object_get_property (G_OBJECT (element), name, &value);
  text = gst_value_serialize (&value);
  g_print ("%s.%s = %s\n", GST_OBJECT_NAME (element), name, text);
  g_value_unset (&value);
}

static void
obey (Control *self, const gchar *line)
{
  g_auto (GStrv) words = g_strsplit (line, " ", 3);
  g_autoptr (GstElement) element = NULL;

  if (g_strv_length (words) >= 2)
    element = gst_bin_get_by_name (GST_BIN (self->pipeline), words[0]);
  if (element == NULL
      || g_object_class_find_property (G_OBJECT_GET_CLASS (element), words[1])
          == NULL) {
    g_print ("not understood: %s\n", line);
    return;
  }
  if (words[2])
    gst_util_set_object_arg (G_OBJECT (element), words[1], words[2]);
  print_property (element, words[1]);
}

static void
on_line (GObject *object G_GNUC_UNUSED, GAsyncResult *result, gpointer data)
{
  Control *self = data;
  g_autofree gchar *line =
      g_data_input_stream_read_line_finish_utf8 (self->input, result, NULL,
          NULL);

  if (line == NULL) {
    g_main_loop_quit (self->loop);
    return;
  }
  obey (self, line);
  g_data_input_stream_read_line_async (self->input, G_PRIORITY_DEFAULT, NULL,
      on_line, self);
}

static void
print_message (const gchar *kind, GError *error, gchar *debug)
{
  g_print ("%s: %s\n", kind, error->message);
  g_error_free (error);
  g_free (debug);
}

static gboolean
on_message (GstBus *bus G_GNUC_UNUSED, GstMessage *message, gpointer data)
{
  Control *self = data;
  GError *error = NULL;
  gchar *debug = NULL;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ERROR:
      gst_message_parse_error (message, &error, &debug);
      print_message ("ERROR", error, debug);
      self->status = 1;
      g_main_loop_quit (self->loop);
      break;
    case GST_MESSAGE_WARNING:
      gst_message_parse_warning (message, &error, &debug);
      print_message ("WARNING", error, debug);
      break;
    case GST_MESSAGE_INFO:
      gst_message_parse_info (message, &error, &debug);
      print_message ("INFO", error, debug);
      break;
    case GST_MESSAGE_ELEMENT: {
      g_autofree gchar *text =
          gst_structure_to_string (gst_message_get_structure (message));

      g_print ("message: %s\n", text);
      break;
    }
    case GST_MESSAGE_EOS:
      g_print ("EOS\n");
      g_main_loop_quit (self->loop);
      break;
    case GST_MESSAGE_LATENCY:
      gst_bin_recalculate_latency (GST_BIN (self->pipeline));
      break;
    default:
      break;
  }
  return G_SOURCE_CONTINUE;
}

int
main (int argc, char **argv)
{
  Control self = { NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (GInputStream) stream = g_unix_input_stream_new (0, FALSE);
  g_autoptr (GstBus) bus = NULL;

  gst_init (&argc, &argv);
  self.pipeline = gst_parse_launchv ((const gchar **) argv + 1, &error);
  if (self.pipeline == NULL || error) {
    g_printerr ("%s\n", error ? error->message : "no pipeline");
    gst_clear_object (&self.pipeline);
    return 1;
  }
  self.loop = g_main_loop_new (NULL, FALSE);
  self.input = g_data_input_stream_new (stream);
  bus = gst_element_get_bus (self.pipeline);
  gst_bus_add_watch (bus, on_message, &self);
  g_data_input_stream_read_line_async (self.input, G_PRIORITY_DEFAULT, NULL,
      on_line, &self);
  gst_element_set_state (self.pipeline, GST_STATE_PLAYING);
  g_main_loop_run (self.loop);
  gst_element_set_state (self.pipeline, GST_STATE_NULL);
  gst_bus_remove_watch (bus);
  gst_object_unref (self.pipeline);
  g_object_unref (self.input);
  g_main_loop_unref (self.loop);
  return self.status;
}
