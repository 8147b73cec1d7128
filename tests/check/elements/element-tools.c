/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element-tools.h"

#include <unistd.h>

#include <gst/check/gstcheck.h>

/* Longest wait for an expected message; then the test fails. */
#define PATIENCE (15 * GST_SECOND)

/**
 * test_launch:
 * @format: description for gst_parse_launch(), as for printf()
 *
 * Returns: (transfer full): the pipeline; the test fails on errors
 */
GstElement *
test_launch (const gchar *format, ...)
{
  g_autofree gchar *text = NULL;
  g_autoptr (GError) error = NULL;
  GstElement *pipeline;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  pipeline = gst_parse_launch (text, &error);
  fail_unless (pipeline != NULL && error == NULL, "%s: %s", text,
      error ? error->message : "");

  return pipeline;
}

/**
 * test_launch_sink:
 * @text: a pipeline with an lmccsink named s
 * @port: (out) (optional): its port
 *
 * Uses the loopback interface and a port of this process, so that tests running
 * at the same time are not heard.
 */
GstElement *
test_launch_sink (const gchar *text, gint *port)
{
  GstElement *pipeline = test_launch ("%s", text);
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  gint own = 20000 + (gint) (getpid () % 20000) * 2;

  g_object_set (sink, "multicast-iface", "lo", "port", own, NULL);
  if (port != NULL)
    *port = own;

  return pipeline;
}

/* (transfer full): the next message of @types; the test fails if none
 * arrives */
GstMessage *
test_wait_message (GstElement *pipeline, GstMessageType types)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, PATIENCE, types);

  fail_unless (message != NULL, "no message came");

  return message;
}

/* @pipeline: (transfer full) */
void
test_end_pipeline (GstElement *pipeline)
{
  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
  gst_object_unref (pipeline);
}

/* From the statistics of lmccsink or lmccsrc. */
guint64
test_get_count (GstElement *element, const gchar *name)
{
  g_autoptr (GstStructure) stats = NULL;
  guint64 value = 0;

  g_object_get (element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, name, &value), "%s", name);

  return value;
}

gdouble
test_get_number (GstElement *element, const gchar *name)
{
  g_autoptr (GstStructure) stats = NULL;
  gdouble value = 0;

  g_object_get (element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_double (stats, name, &value), "%s", name);

  return value;
}

guint64
test_get_drops (GstElement *src, LmccDrop kind)
{
  g_autoptr (GstStructure) stats = NULL;
  guint64 value = 0;

  g_object_get (src, "stats", &stats, NULL);
  fail_unless (
      gst_structure_get_uint64 (gst_value_get_structure (
                                    gst_structure_get_value (stats, "drops")),
          lmcc_drop_name (kind), &value));

  return value;
}

guint
test_count_fds (void)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc/self/fd", 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir))
    n++;

  return n;
}

guint
test_count_threads (const gchar *name)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc/self/task", 0, NULL);
  g_autofree gchar *line = g_strconcat (name, "\n", NULL);
  const gchar *task;
  guint n = 0;

  while ((task = g_dir_read_name (dir))) {
    g_autofree gchar *file =
        g_build_filename ("/proc/self/task", task, "comm", NULL);
    g_autofree gchar *text = NULL;

    n += g_file_get_contents (file, &text, NULL, NULL)
        && g_str_equal (text, line);
  }

  return n;
}

/* A group that was joined before may still be seen for a moment. */
void
test_wait_no_threads (const gchar *name)
{
  gint64 end = g_get_monotonic_time () + 15 * G_TIME_SPAN_SECOND;

  while (test_count_threads (name) > 0) {
    fail_unless (g_get_monotonic_time () < end, "threads %s do not end", name);
    g_thread_yield ();
  }
}

/* An H.264 picture in one RTP packet that only its classifier understands:
 * one in eight is a key picture, and no other picture needs every second
 * one. */
GstBuffer *
test_make_picture (guint number)
{
  static const guint importances[] = { 3, 0, 1, 0 };
  const gsize size = 400;
  GstClockTime time = number * TEST_PICTURE_TIME;
  guint8 *bytes = g_malloc0 (size);
  GstBuffer *buffer = gst_buffer_new_wrapped (bytes, size);

  bytes[0] = 0x80;
  bytes[1] = 0x80 | 96;
  GST_WRITE_UINT16_BE (bytes + 2, number);
  GST_WRITE_UINT32_BE (bytes + 4,
      (guint32) gst_util_uint64_scale (time, 90000, GST_SECOND));
  bytes[12] = (guint8) (importances[number % 4] << 5 | (number % 8 ? 1 : 5));
  bytes[13] = 0x88;
  GST_BUFFER_PTS (buffer) = GST_BUFFER_DTS (buffer) = time;

  return buffer;
}

static GMutex lock;
static GCond cond;
static guint n_told;

/**
 * test_tell:
 *
 * Wakes up waiting test code, because a condition may have changed. May be
 * called from any thread and with any lock that the conditions do not take.
 */
void
test_tell (void)
{
  g_mutex_lock (&lock);
  n_told++;
  g_cond_broadcast (&cond);
  g_mutex_unlock (&lock);
}

static void
tell_of_property (GObject *object G_GNUC_UNUSED,
    GParamSpec *pspec G_GNUC_UNUSED, gpointer user_data G_GNUC_UNUSED)
{
  test_tell ();
}

/* Calls test_tell() each time that @object notifies @property. */
void
test_watch (gpointer object, const gchar *property)
{
  g_autofree gchar *signal = g_strconcat ("notify::", property, NULL);

  g_signal_connect (object, signal, G_CALLBACK (tell_of_property), NULL);
}

/**
 * test_wait_for:
 * @is_met: condition, checked after each test_tell() and once at the end
 * @patience: longest wait in us
 *
 * Returns: whether it is met
 */
gboolean
test_wait_for (TestCondition is_met, gpointer user_data, gint64 patience)
{
  gint64 end = g_get_monotonic_time () + patience;
  gboolean in_time = TRUE;

  while (in_time) {
    guint before;

    g_mutex_lock (&lock);
    before = n_told;
    g_mutex_unlock (&lock);
    if (is_met (user_data))
      return TRUE;
    g_mutex_lock (&lock);
    while (in_time && n_told == before)
      in_time = g_cond_wait_until (&cond, &lock, end);
    g_mutex_unlock (&lock);
  }

  return is_met (user_data);
}

typedef struct
{
  GstElement *element;
  const gchar *name;
  guint64 least;
} Count;

static gboolean
is_counted (gpointer user_data)
{
  const Count *count = user_data;

  return test_get_count (count->element, count->name) >= count->least;
}

/* Waits until a counter of the statistics reaches a value, or the test
 * fails; somebody must call test_tell() at new statistics. */
void
test_wait_count (GstElement *element, const gchar *name, guint64 least,
    gint64 patience)
{
  Count count = { element, name, least };

  fail_unless (test_wait_for (is_counted, &count, patience),
      "%s is %" G_GUINT64_FORMAT ", not %" G_GUINT64_FORMAT, name,
      test_get_count (element, name), least);
}
