/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Receives a session until its input ends, and changes the highest level each
 * second, from TOP to a lower one and back:
 *
 *   watch TOP PIPELINE
 *
 * The source is called `src`, what takes its packets `counter`. Prints a line
 * each second: what came out in it, how long the longest time without a packet
 * was that ended in it or goes on, in ms, what lmccsrc lost and repaired since
 * the start, and how much memory the process has, in kB.
 */
#include <glib-unix.h>
#include <gst/gst.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct
{
  GMainLoop *loop;
  GstElement *source;
  gint top;
  guint second;
  gint status;
  GMutex lock;
  /* With the lock. */
  guint64 packets;
  gint64 latest; /* us; 0: nothing came yet */
  gint64 longest;
} Watch;

static GstPadProbeReturn
on_packets (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer data)
{
  Watch *self = data;
  gint64 now = g_get_monotonic_time ();

  g_mutex_lock (&self->lock);
  if (self->latest > 0)
    self->longest = MAX (self->longest, now - self->latest);
  self->latest = now;
  self->packets += info->type & GST_PAD_PROBE_TYPE_BUFFER_LIST
      ? gst_buffer_list_length (GST_PAD_PROBE_INFO_BUFFER_LIST (info))
      : 1;
  g_mutex_unlock (&self->lock);

  return GST_PAD_PROBE_OK;
}

static guint
read_memory (void)
{
  g_autofree gchar *status = NULL;
  const gchar *line = NULL;

  if (g_file_get_contents ("/proc/self/status", &status, NULL, NULL))
    line = strstr (status, "\nVmRSS:");

  return line ? (guint) g_ascii_strtoull (line + 7, NULL, 10) : 0;
}

static void
print_second (Watch *self)
{
  g_autoptr (GstStructure) stats = NULL;
  guint64 lost = 0, kernel = 0, repaired = 0, packets;
  gint64 longest, now = g_get_monotonic_time ();
  gint level = -1;

  g_mutex_lock (&self->lock);
  packets = self->packets;
  longest = self->latest > 0 ? MAX (self->longest, now - self->latest) : 0;
  self->packets = 0;
  self->longest = 0;
  g_mutex_unlock (&self->lock);
  g_object_get (self->source, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, "packets-lost", &lost);
  gst_structure_get_uint64 (stats, "packets-dropped-kernel", &kernel);
  gst_structure_get_uint64 (stats, "packets-repaired", &repaired);
  gst_structure_get_int (stats, "level", &level);
  printf ("second %u packets %" G_GUINT64_FORMAT " longest %.1f lost "
          "%" G_GUINT64_FORMAT " kernel %" G_GUINT64_FORMAT
          " repaired %" G_GUINT64_FORMAT " level %d memory %u\n",
      self->second, packets, (gdouble) longest / 1000.0, lost, kernel, repaired,
      level, read_memory ());
  fflush (stdout);
}

static gboolean
on_second (gpointer data)
{
  Watch *self = data;
  gint level = self->top;

  print_second (self);
  self->second++;
  if (self->second % 2 == 1)
    level = (gint) (self->second / 2) % self->top;
  g_object_set (self->source, "max-level", level, NULL);

  return G_SOURCE_CONTINUE;
}

static gboolean
on_input (gint fd G_GNUC_UNUSED, GIOCondition condition G_GNUC_UNUSED,
    gpointer data)
{
  Watch *self = data;

  g_main_loop_quit (self->loop);

  return G_SOURCE_REMOVE;
}

static gboolean
on_message (GstBus *bus G_GNUC_UNUSED, GstMessage *message, gpointer data)
{
  Watch *self = data;
  g_autoptr (GError) error = NULL;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR)
    return G_SOURCE_CONTINUE;
  gst_message_parse_error (message, &error, NULL);
  fprintf (stderr, "ERROR: %s\n", error->message);
  self->status = 1;
  g_main_loop_quit (self->loop);

  return G_SOURCE_CONTINUE;
}

static void
run (Watch *self, GstElement *pipeline)
{
  g_autoptr (GstElement) counter =
      gst_bin_get_by_name (GST_BIN (pipeline), "counter");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (counter, "sink");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);

  self->source = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  self->loop = g_main_loop_new (NULL, FALSE);
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_packets,
      self, NULL);
  gst_bus_add_watch (bus, on_message, self);
  g_unix_fd_add (STDIN_FILENO, G_IO_IN | G_IO_HUP, on_input, self);
  g_timeout_add (1000, on_second, self);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_main_loop_run (self->loop);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_bus_remove_watch (bus);
  gst_object_unref (self->source);
  g_main_loop_unref (self->loop);
}

int
main (int argc, char **argv)
{
  Watch self = { 0 };
  g_autoptr (GError) error = NULL;
  GstElement *pipeline;

  gst_init (&argc, &argv);
  if (argc != 3
      || (self.top = (gint) g_ascii_strtoll (argv[1], NULL, 10)) < 1) {
    fprintf (stderr, "usage: watch TOP PIPELINE\n");
    return 2;
  }
  pipeline = gst_parse_launch_full (argv[2], NULL, GST_PARSE_FLAG_FATAL_ERRORS,
      &error);
  if (pipeline == NULL) {
    fprintf (stderr, "%s\n", error->message);
    return 1;
  }
  g_mutex_init (&self.lock);
  run (&self, pipeline);
  gst_object_unref (pipeline);
  g_mutex_clear (&self.lock);

  return self.status;
}
