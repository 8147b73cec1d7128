/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests feedback between lmccsink and lmccsrc on the loopback interface:
 * reports, answers, round-trip times, and other packets at the feedback
 * port.
 */
#include "element-tools.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gst/app/app.h>
#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>

/* Longest wait for an expected event; then the test fails. */
#define PATIENCE (30 * G_TIME_SPAN_SECOND)

/* R_max on one host. */
#define LONGEST_RTT_MS 50

/* Time within which a receiver would have reported: the first report waits
 * for at most 10 R_max. */
#define RTT_MAX "100"
#define LONG_ENOUGH (3 * GST_SECOND)

typedef struct
{
  GstElement *sender;
  GstElement *sink;
  GstElement *receiver;
  GstElement *src;
  guint next_picture;
} Pair;

/* Port of this process, so that others are not heard. */
static guint16
get_port (void)
{
  return (guint16) (40000 + 2 * (getpid () % 5000));
}

static gchar *
get_address (void)
{
  return g_strdup_printf ("239.253.%d.1", 1 + (gint) (getpid () % 250));
}

/* The sink takes the pictures in real time. */
static void
need_data (GstAppSrc *source, guint size G_GNUC_UNUSED, gpointer user_data)
{
  Pair *pair = user_data;

  gst_app_src_push_buffer (source, test_make_picture (pair->next_picture++));
}

static GstElement *
launch (const gchar *text, const gchar *name, GstElement **element)
{
  GstElement *pipeline = test_launch ("%s", text);

  *element = gst_bin_get_by_name (GST_BIN (pipeline), name);
  return pipeline;
}

static Pair *
pair_new (const gchar *sink_options, const gchar *src_options)
{
  GstAppSrcCallbacks callbacks = { .need_data = need_data };
  Pair *pair = g_new0 (Pair, 1);
  g_autofree gchar *address = get_address ();
  g_autofree gchar *sender = g_strdup_printf (
      "appsrc name=source is-live=true "
      "format=time caps=application/x-rtp,media=video,encoding-name=H264,"
      "clock-rate=90000,payload=96 ! lmccsink name=sink multicast-iface=lo "
      "algorithm=elm rtt-max=" RTT_MAX " "
      "address=%s port=%u %s",
      address, get_port (), sink_options);
  g_autofree gchar *receiver = g_strdup_printf (
      "lmccsrc name=src "
      "multicast-iface=lo address=%s port=%u stats-update-interval=20 %s ! "
      "fakesink sync=false",
      address, get_port (), src_options);
  g_autoptr (GstElement) source = NULL;

  pair->sender = launch (sender, "sink", &pair->sink);
  pair->receiver = launch (receiver, "src", &pair->src);
  source = gst_bin_get_by_name (GST_BIN (pair->sender), "source");
  gst_app_src_set_callbacks (GST_APP_SRC (source), &callbacks, pair, NULL);
  test_watch (pair->src, "stats");
  return pair;
}

static void
pair_play (Pair *pair)
{
  fail_unless (gst_element_set_state (pair->receiver, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE);
  fail_unless (gst_element_set_state (pair->sender, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE);
}

static void
pair_stop (Pair *pair)
{
  fail_unless_equals_int (gst_element_set_state (pair->receiver,
                              GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
  fail_unless_equals_int (gst_element_set_state (pair->sender, GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
  pair->next_picture = 0;
}

static void
pair_free (Pair *pair)
{
  pair_stop (pair);
  gst_object_unref (pair->sink);
  gst_object_unref (pair->src);
  gst_object_unref (pair->sender);
  gst_object_unref (pair->receiver);
  g_free (pair);
}

/* Waits until a counter in the receiver's next statistics reaches a value. */
static void
wait_count (GstElement *element, const gchar *field, guint64 value)
{
  test_wait_count (element, field, value, PATIENCE);
}

static gboolean
has_rtt_source (Pair *pair, const gchar *source)
{
  g_autoptr (GstStructure) stats = NULL;

  g_object_get (pair->src, "stats", &stats, NULL);
  return g_strcmp0 (gst_structure_get_string (stats, "rtt-source"), source)
      == 0;
}

typedef struct
{
  Pair *pair;
  const gchar *source;
} RttSource;

static gboolean
is_rtt_source (gpointer user_data)
{
  const RttSource *wanted = user_data;

  return has_rtt_source (wanted->pair, wanted->source);
}

static void
wait_rtt_source (Pair *pair, const gchar *source)
{
  RttSource wanted = { pair, source };

  fail_unless (test_wait_for (is_rtt_source, &wanted, PATIENCE),
      "no RTT from %s", source);
}

static gboolean
is_long_enough (gpointer user_data)
{
  Pair *pair = user_data;
  g_autoptr (GstClock) clock = gst_element_get_clock (pair->receiver);

  return gst_clock_get_time (clock) - gst_element_get_base_time (pair->receiver)
      >= LONG_ENOUGH;
}

/* Waits until a receiver would have reported. */
static void
wait_long_enough (Pair *pair)
{
  wait_count (pair->src, "packets-received", 100);
  fail_unless (test_wait_for (is_long_enough, pair, PATIENCE),
      "the receiver stands still");
}

static gchar *
get_sdp (Pair *pair)
{
  gchar *sdp = NULL;

  wait_count (pair->src, "packets-received", 1);
  g_object_get (pair->sink, "sdp", &sdp, NULL);
  fail_unless (sdp != NULL);
  return sdp;
}

GST_START_TEST (test_reports_are_answered_and_measure_the_round_trip_time)
{
  Pair *pair = pair_new ("", "");
  guint fds = 0;
  guint i;

  /* The first round opens files that GStreamer keeps. */
  for (i = 0; i < 3; i++) {
    pair_play (pair);
    wait_count (pair->src, "answers", 1);
    fail_unless (has_rtt_source (pair, "feedback"));
    fail_unless (test_get_number (pair->src, "rtt-ms") > 0);
    fail_unless (test_get_number (pair->src, "rtt-ms") < LONGEST_RTT_MS);
    fail_unless_equals_uint64 (test_get_count (pair->src, "report-errors"), 0);
    fail_unless (test_get_count (pair->sink, "reports") >= 1);
    fail_unless (test_get_count (pair->sink, "answers") >= 1);
    pair_stop (pair);
    if (i == 0)
      fds = test_count_fds ();
    fail_unless_equals_int (test_count_fds (), fds);
  }
  pair_free (pair);
}

GST_END_TEST;

GST_START_TEST (test_without_feedback_nothing_is_reported)
{
  Pair *pair = pair_new ("feedback=false", "");
  g_autofree gchar *sdp = NULL;

  pair_play (pair);
  sdp = get_sdp (pair);
  fail_unless (strstr (sdp, " fb=") == NULL, "%s", sdp);
  wait_long_enough (pair);
  fail_unless_equals_uint64 (test_get_count (pair->src, "reports"), 0);
  fail_unless_equals_uint64 (test_get_count (pair->sink, "reports"), 0);
  pair_free (pair);
}

GST_END_TEST;

static const struct
{
  const gchar *options;
  const gchar *source;
} silent_modes[] = {
  { "rtt-mode=fixed rtt=30", "fixed" },
  { "rtt-mode=join", "join" },
};

GST_START_TEST (test_a_mode_without_feedback_reports_nothing)
{
  Pair *pair = pair_new ("", silent_modes[__i__].options);

  pair_play (pair);
  wait_long_enough (pair);
  wait_rtt_source (pair, silent_modes[__i__].source);
  if (__i__ == 0)
    fail_unless_equals_float (test_get_number (pair->src, "rtt-ms"), 30);
  fail_unless_equals_uint64 (test_get_count (pair->src, "reports"), 0);
  fail_unless_equals_uint64 (test_get_count (pair->sink, "reports"), 0);
  pair_free (pair);
}

GST_END_TEST;

static gint
open_socket (guint16 port)
{
  struct sockaddr_in local = { .sin_family = AF_INET,
    .sin_port = htons (port) };
  gint fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

  local.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  fail_unless (fd >= 0);
  fail_unless (bind (fd, (struct sockaddr *) &local, sizeof (local)) == 0);
  return fd;
}

static void
send_datagram (gint fd, gconstpointer data, gsize size)
{
  struct sockaddr_in to = { .sin_family = AF_INET };

  to.sin_port = htons ((guint16) (get_port () + 1));
  to.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  fail_unless (sendto (fd, data, size, 0, (struct sockaddr *) &to, sizeof (to))
      == (gssize) size);
}

/* More than one turn reads, some larger than any valid packet. */
GST_START_TEST (test_hostile_datagrams_are_counted_and_do_no_harm)
{
  Pair *pair = pair_new ("", "");
  g_autoptr (GRand) dice = g_rand_new_with_seed (5);
  guint8 bytes[LMCC_MAX_PACKET_SIZE + 100];
  gint fd = open_socket (0);
  guint64 packets;
  guint i, j;

  pair_play (pair);
  wait_count (pair->src, "packets-received", 1);
  for (i = 0; i < 500; i++) {
    gsize size = i % 5 == 0 ? sizeof (bytes) : i % LMCC_MAX_PACKET_SIZE;

    for (j = 0; j < size; j++)
      bytes[j] = (guint8) g_rand_int (dice);
    /* Some look like RTCP. */
    bytes[0] = i % 2 ? 0x80 : bytes[0];
    bytes[1] = i % 2 ? (guint8) (200 + i % 8) : bytes[1];
    send_datagram (fd, bytes, size);
  }
  wait_count (pair->sink, "reports-dropped", 1);
  wait_count (pair->sink, "reports-malformed", 1);
  packets = test_get_count (pair->src, "packets-received");
  wait_count (pair->src, "packets-received", packets + 20);
  wait_count (pair->src, "answers", 1);
  close (fd);
  pair_free (pair);
}

GST_END_TEST;

GST_START_TEST (test_where_the_port_is_taken_another_is_announced)
{
  Pair *pair = pair_new ("", "");
  gint fd = open_socket ((guint16) (get_port () + 1));
  g_autofree gchar *sdp = NULL;

  pair_play (pair);
  sdp = get_sdp (pair);
  fail_unless (strstr (sdp, " fbp=") != NULL, "%s", sdp);
  wait_count (pair->src, "answers", 1);
  close (fd);
  pair_free (pair);
}

GST_END_TEST;

GST_START_TEST (test_a_port_that_was_asked_for_and_is_taken_is_an_error)
{
  guint16 port = (guint16) (get_port () + 2);
  g_autofree gchar *options = g_strdup_printf ("feedback-port=%u", port);
  Pair *pair = pair_new (options, "");
  gint fd = open_socket (port);
  g_autoptr (GstBus) bus = gst_element_get_bus (pair->sender);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  fail_unless_equals_int (gst_element_set_state (pair->sender,
                              GST_STATE_PLAYING),
      GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, "feedback-port") != NULL, "%s",
      error->message);
  /* Once the port is free again, it is used and announced. */
  close (fd);
  pair_stop (pair);
  pair_play (pair);
  wait_count (pair->src, "answers", 1);
  pair_free (pair);
}

GST_END_TEST;

static Suite *
feedback_suite (void)
{
  Suite *s = suite_create ("feedback");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc,
      test_reports_are_answered_and_measure_the_round_trip_time);
  tcase_add_test (tc, test_without_feedback_nothing_is_reported);
  tcase_add_loop_test (tc, test_a_mode_without_feedback_reports_nothing, 0,
      G_N_ELEMENTS (silent_modes));
  tcase_add_test (tc, test_hostile_datagrams_are_counted_and_do_no_harm);
  tcase_add_test (tc, test_where_the_port_is_taken_another_is_announced);
  tcase_add_test (tc, test_a_port_that_was_asked_for_and_is_taken_is_an_error);
  return s;
}

GST_CHECK_MAIN (feedback);
