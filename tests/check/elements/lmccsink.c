/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests lmccsink's properties, errors and sending, with packets captured on
 * the loopback interface.
 */
#include "config.h"

#include "element-tools.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <unistd.h>

#include <glib/gstdio.h>
#include <gst/app/gstappsrc.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gsttestclock.h>
#include <gst/lmcc/media/classify-private.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>

#define RTP_CAPS                                      \
  "application/x-rtp,media=video,encoding-name=H264," \
  "clock-rate=90000,payload=96"

static gint
open_group (const gchar *address, gint port)
{
  struct sockaddr_in to = { 0 };
  struct ip_mreqn request = {
    { 0 },
  };
  gint fd = socket (AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  gint on = 1, size = 4 << 20;

  fail_unless (fd >= 0);
  setsockopt (fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof (on));
  setsockopt (fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof (size));
  to.sin_family = AF_INET;
  to.sin_port = htons (port);
  to.sin_addr.s_addr = inet_addr (address);
  fail_unless (bind (fd, (struct sockaddr *) &to, sizeof (to)) == 0);
  request.imr_multiaddr = to.sin_addr;
  request.imr_address.s_addr = htonl (INADDR_LOOPBACK);
  fail_unless (
      setsockopt (fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof (request))
      == 0);
  return fd;
}

/* Whether a media packet arrived; skips other packets. */
static gboolean
receive_media (gint fd, LmccRtp *rtp, LmccHeader *header)
{
  static guint8 bytes[LMCC_MAX_PACKET_SIZE];
  gssize size;

  while ((size = recv (fd, bytes, sizeof (bytes), 0)) >= 0) {
    fail_unless (lmcc_rtp_parse (bytes, size, LMCC_HEADER_DEFAULT_ID, rtp));
    fail_unless (rtp->element != NULL);
    fail_unless (lmcc_header_parse (rtp->element, rtp->element_size, header));
    if (header->type == LMCC_PACKET_MEDIA)
      return TRUE;
  }
  return FALSE;
}

static gchar *
wait_error (GstElement *pipeline)
{
  GstMessage *message = test_wait_message (pipeline, GST_MESSAGE_ERROR);
  GError *error;
  gchar *text;

  gst_message_parse_error (message, &error, NULL);
  text = g_strdup (error->message);
  g_error_free (error);
  gst_message_unref (message);
  return text;
}

static void
assert_error_has (GstElement *pipeline, const gchar *a, const gchar *b)
{
  gchar *text = wait_error (pipeline);

  fail_unless (strstr (text, a) != NULL, "'%s' is not in: %s", a, text);
  fail_unless (strstr (text, b) != NULL, "'%s' is not in: %s", b, text);
  g_free (text);
}

static void
wait_eos (GstElement *pipeline)
{
  GstMessage *message =
      test_wait_message (pipeline, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

  assert_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_EOS);
  gst_message_unref (message);
}

/* One H.264 picture as one RTP packet. */
static void
push_picture (GstElement *pipeline, const gchar *name, guint number,
    GstClockTime time, gboolean key)
{
  GstElement *source = gst_bin_get_by_name (GST_BIN (pipeline), name);
  guint8 *bytes = g_malloc0 (100);
  GstBuffer *buffer;
  guint32 timestamp = (guint32) gst_util_uint64_scale (time, 90000, GST_SECOND);

  bytes[0] = 0x80;
  bytes[1] = 0x80 | 96;
  GST_WRITE_UINT16_BE (bytes + 2, number);
  GST_WRITE_UINT32_BE (bytes + 4, timestamp);
  bytes[12] = key ? 0x65 : 0x61;
  bytes[13] = 0x88;
  buffer = gst_buffer_new_wrapped (bytes, 100);
  GST_BUFFER_PTS (buffer) = GST_BUFFER_DTS (buffer) = time;
  assert_equals_int (gst_app_src_push_buffer (GST_APP_SRC (source), buffer),
      GST_FLOW_OK);
  gst_object_unref (source);
}

static void
end_source (GstElement *pipeline, const gchar *name)
{
  GstElement *source = gst_bin_get_by_name (GST_BIN (pipeline), name);

  gst_app_src_end_of_stream (GST_APP_SRC (source));
  gst_object_unref (source);
}

static guint64
get_count (GstElement *pipeline, const gchar *field)
{
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");

  return test_get_count (sink, field);
}

GST_START_TEST (test_properties_have_the_documented_defaults)
{
  GstElement *sink = gst_element_factory_make ("lmccsink", NULL);
  gchar *address, *sdp;
  gint port, ttl, dscp, train_interval;
  guint mtu, window, pt, timeout, rtt_max;
  gint feedback_port;
  gboolean loop, sync, feedback;
  GstStructure *stats;

  g_object_get (sink, "address", &address, "port", &port, "ttl-mc", &ttl,
      "qos-dscp", &dscp, "mtu", &mtu, "window", &window, "pt", &pt,
      "rung-timeout", &timeout, "loop", &loop, "sync", &sync, "sdp", &sdp,
      "stats", &stats, "rtt-max", &rtt_max, "feedback", &feedback,
      "feedback-port", &feedback_port, "train-interval", &train_interval, NULL);
  assert_equals_int (train_interval, -1);
  assert_equals_int (rtt_max, 500);
  assert_equals_int (feedback_port, 0);
  fail_unless (feedback);
  assert_equals_string (address, "239.255.42.1");
  assert_equals_int (port, 5004);
  assert_equals_int (ttl, 1);
  assert_equals_int (dscp, -1);
  assert_equals_int (mtu, 1400);
  assert_equals_int (window, 0);
  assert_equals_int (pt, 96);
  assert_equals_int (timeout, 200);
  fail_unless (loop && sync && sdp == NULL);
  assert_equals_string (gst_structure_get_name (stats),
      "application/x-lmcc-sink-stats");
  gst_structure_free (stats);
  g_free (address);
  gst_object_unref (sink);
}

GST_END_TEST;

static void
assert_offers (const gchar *filter_text, const gchar *with,
    const gchar *without)
{
  GstElement *sink = gst_element_factory_make ("lmccsink", NULL);
  GstPad *pad = gst_element_request_pad_simple (sink, "sink_%u");
  g_autoptr (GstCaps) filter = gst_caps_from_string (filter_text);
  g_autoptr (GstCaps) caps = gst_pad_query_caps (pad, filter);
  g_autoptr (GstCaps) wanted = gst_caps_from_string (with);
  g_autoptr (GstCaps) unwanted = gst_caps_from_string (without);

  fail_unless (gst_caps_can_intersect (caps, wanted));
  fail_if (gst_caps_can_intersect (caps, unwanted));
  gst_element_release_request_pad (sink, pad);
  gst_object_unref (pad);
  gst_object_unref (sink);
}

/* It offers no caps that it cannot send, so that linking fails with a
 * reason. */
GST_START_TEST (test_the_pad_prefers_encoded_video)
{
  assert_offers ("audio/x-raw; video/x-h264", "video/x-h264", "audio/x-raw");
  assert_offers ("audio/x-raw; " RTP_CAPS, RTP_CAPS, "audio/x-raw");
  assert_offers ("video/x-raw; video/x-h264", "video/x-h264", "video/x-raw");
  assert_offers ("video/x-raw", "video/x-raw", "video/x-h264");
  assert_offers ("audio/x-raw; video/x-raw", "video/x-raw", "audio/x-raw");
  assert_offers ("image/png", "image/png", "video/x-raw");
}

GST_END_TEST;

/* The encoder plugins are separate and may be missing. */
GST_START_TEST (test_raw_video_gets_an_error_that_names_what_is_missing)
{
  static const gchar *const missing[][2] = { { "x264ladderenc", "lmccladder" },
    { "x264enc", "gstreamer1.0-plugins-ugly" } };
  GstRegistry *registry = gst_registry_get ();
  guint i;

  for (i = 0; i < G_N_ELEMENTS (missing); i++) {
    GstPluginFeature *feature =
        gst_registry_lookup_feature (registry, missing[i][0]);
    gint port;
    GstElement *pipeline = test_launch_sink ("videotestsrc num-buffers=5 ! "
                                             "lmccsink name=s",
        &port);

    gst_registry_remove_feature (registry, feature);
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    assert_error_has (pipeline, missing[i][0], missing[i][1]);
    test_end_pipeline (pipeline);
    gst_registry_add_feature (registry, feature);
    gst_object_unref (feature);
  }
}

GST_END_TEST;

/* GstBin stops its own state change at a child's error, and GstElement keeps
 * that failure. */
GST_START_TEST (test_an_error_before_the_first_picture_is_over_with_null)
{
  gint port;
  GstElement *pipeline =
      test_launch_sink ("appsrc name=a format=time is-live=true "
                        "caps=application/x-rtp ! s.sink_0 lmccsink name=s "
                        "appsrc name=b format=time is-live=true caps=" RTP_CAPS,
          &port);
  GstElement *a = gst_bin_get_by_name (GST_BIN (pipeline), "a");
  GstElement *b = gst_bin_get_by_name (GST_BIN (pipeline), "b");
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  GstMessage *message;

  gst_element_set_locked_state (b, TRUE);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  push_picture (pipeline, "a", 0, 0, TRUE);
  assert_error_has (pipeline, "sink_0", "encoding-name");
  assert_equals_int (gst_element_set_state (pipeline, GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);

  gst_bin_remove (GST_BIN (pipeline), a);
  fail_unless (gst_element_link_pads (b, "src", sink, "sink_0"));
  gst_element_set_locked_state (b, FALSE);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  push_picture (pipeline, "b", 0, 0, TRUE);
  push_picture (pipeline, "b", 1, 0, FALSE);
  message = test_wait_message (pipeline,
      GST_MESSAGE_STREAM_START | GST_MESSAGE_ERROR);
  assert_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_STREAM_START);
  gst_message_unref (message);
  gst_object_unref (a);
  gst_object_unref (b);
  gst_object_unref (sink);
  test_end_pipeline (pipeline);
}

GST_END_TEST;

GST_START_TEST (test_two_codecs_are_refused_by_name)
{
  gint port;
  GstElement *pipeline = test_launch_sink (
      "lmccsink name=s "
      "appsrc name=a format=time caps=" RTP_CAPS " ! s.sink_0 "
      "appsrc name=b format=time caps=application/x-rtp,media=video,"
      "encoding-name=VP8,clock-rate=90000,payload=96 ! s.sink_1",
      &port);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  push_picture (pipeline, "a", 0, 0, TRUE);
  push_picture (pipeline, "b", 0, 0, TRUE);
  assert_error_has (pipeline, "H264", "VP8");
  test_end_pipeline (pipeline);
}

GST_END_TEST;

GST_START_TEST (test_an_unknown_interface_lists_those_that_there_are)
{
  gint port;
  GstElement *pipeline =
      test_launch_sink ("appsrc caps=" RTP_CAPS " ! lmccsink name=s", &port);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");

  g_object_set (sink, "multicast-iface", "nosuch0", NULL);
  gst_object_unref (sink);
  assert_equals_int (gst_element_set_state (pipeline, GST_STATE_PLAYING),
      GST_STATE_CHANGE_FAILURE);
  assert_error_has (pipeline, "nosuch0", "lo (127.0.0.1");
  test_end_pipeline (pipeline);
}

GST_END_TEST;

GST_START_TEST (test_a_unicast_address_is_refused)
{
  gint port;
  GstElement *pipeline =
      test_launch_sink ("appsrc caps=" RTP_CAPS
                        " ! lmccsink name=s address=10.0.0.1",
          &port);

  assert_equals_int (gst_element_set_state (pipeline, GST_STATE_PLAYING),
      GST_STATE_CHANGE_FAILURE);
  assert_error_has (pipeline, "10.0.0.1", "239.");
  test_end_pipeline (pipeline);
}

GST_END_TEST;

#define N_FRAMES 50
#define N_GROUPS 3

typedef struct
{
  guint packets;
  guint16 sequence;
  guint32 ssrc;
  guint klass;
  guint firsts;
} Seen;

GST_START_TEST (test_x264_goes_out_in_three_classes_with_contiguous_numbers)
{
  static guint8 osn_seen[65536];
  gint port, fds[N_GROUPS], i;
  Seen seen[N_GROUPS] = {
    { 0 },
  };
  guint total = 0, firsts = 0, run = 0, n;
  guint16 osn_first = 0;
  GstElement *pipeline =
      test_launch_sink ("videotestsrc pattern=ball num-buffers=" G_STRINGIFY (
                            N_FRAMES) " ! video/x-raw,width=160,height=120,"
                                      "framerate=50/1 ! x264enc b-pyramid=true "
                                      "bframes=3 b-adapt=false "
                                      "key-int-max=25 ! lmccsink name=s",
          &port);

  memset (osn_seen, 0, sizeof (osn_seen));
  for (i = 0; i < N_GROUPS; i++) {
    g_autofree gchar *address = g_strdup_printf ("239.255.42.%d", i + 1);

    fds[i] = open_group (address, port);
  }
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_eos (pipeline);
  for (i = 0; i < N_GROUPS; i++) {
    LmccRtp rtp;
    LmccHeader header;

    while (receive_media (fds[i], &rtp, &header)) {
      if (seen[i].packets > 0) {
        assert_equals_int (rtp.sequence, (guint16) (seen[i].sequence + 1));
        fail_unless (rtp.ssrc == seen[i].ssrc);
      }
      seen[i].packets++;
      seen[i].sequence = rtp.sequence;
      seen[i].ssrc = rtp.ssrc;
      seen[i].firsts += header.first;
      assert_equals_int (header.layer, i);
      assert_equals_int (header.klass, i);
      assert_equals_int (osn_seen[header.osn], 0);
      osn_seen[header.osn] = 1;
      if (total++ == 0)
        osn_first = header.osn;
    }
    fail_unless (seen[i].packets > 0, "nothing in group %d", i);
    assert_equals_int (seen[i].ssrc & 0xfff, i);
    firsts += seen[i].firsts;
    close (fds[i]);
  }
  assert_equals_int (firsts, N_FRAMES);
  for (n = 0; n < total; n++)
    run += osn_seen[(guint16) (osn_first + n)];
  assert_equals_int (run, total);
  test_end_pipeline (pipeline);
}

GST_END_TEST;

/* With the option-string that lmccsink advises for a stream of one class. */
GST_START_TEST (test_x265_goes_out_in_two_classes_as_the_advice_says)
{
  g_auto (GStrv) advice =
      g_strsplit (lmcc_codec_h265.single_class_advice, "\"", 3);
  g_autofree gchar *line = NULL;
  g_autoptr (GstElementFactory) factory = gst_element_factory_find ("x265enc");
  gint port, fds[2], i;
  guint packets[2] = { 0 };
  GstElement *pipeline;

  if (factory == NULL) {
    g_printerr ("skipped: there is no element x265enc "
                "(Debian: gstreamer1.0-plugins-bad)\n");
    return;
  }
  fail_unless (g_str_has_suffix (advice[0], "option-string="));
  line =
      g_strdup_printf ("videotestsrc pattern=ball num-buffers=" G_STRINGIFY (
                           N_FRAMES) " ! video/x-raw,width=160,height=120,"
                                     "framerate=50/1 ! x265enc key-int-max=25 "
                                     "speed-preset=ultrafast "
                                     "option-string=\"%s\" ! lmccsink name=s",
          advice[1]);
  pipeline = test_launch_sink (line, &port);
  for (i = 0; i < 2; i++) {
    g_autofree gchar *address = g_strdup_printf ("239.255.42.%d", i + 1);

    fds[i] = open_group (address, port);
  }
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_eos (pipeline);
  for (i = 0; i < 2; i++) {
    LmccRtp rtp;
    LmccHeader header;

    while (receive_media (fds[i], &rtp, &header)) {
      assert_equals_int (header.klass, i);
      packets[i]++;
    }
    fail_unless (packets[i] > 0, "nothing in group %d", i);
    close (fds[i]);
  }
  test_end_pipeline (pipeline);
}

GST_END_TEST;

GST_START_TEST (test_packets_leave_at_their_due_times)
{
  gint port, fd;
  GstElement *pipeline =
      test_launch_sink ("appsrc name=a format=time caps=" RTP_CAPS
                        " ! lmccsink name=s",
          &port);
  GstClock *clock = gst_test_clock_new_with_start_time (0);
  GstTestClock *test_clock = GST_TEST_CLOCK (clock);
  LmccHeader header;
  LmccRtp rtp;
  guint32 first = 0;
  guint n = 0;
  GstClockTime now = 0;

  gst_pipeline_use_clock (GST_PIPELINE (pipeline), clock);
  fd = open_group ("239.255.42.1", port);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  push_picture (pipeline, "a", 0, 0, TRUE);
  push_picture (pipeline, "a", 1, GST_SECOND, FALSE);
  while (n < 2) {
    GstClockID id;

    gst_test_clock_wait_for_next_pending_id (test_clock, &id);
    while (receive_media (fd, &rtp, &header)) {
      if (n++ == 0) {
        first = header.send_time;
        fail_unless (now <= 100 * GST_MSECOND);
      } else {
        /* 16.16 seconds; the window lets it leave up to 100 ms later. */
        gint64 distance = lmcc_ntp_short_diff (header.send_time, first);

        fail_unless (now >= GST_SECOND && now <= 1100 * GST_MSECOND,
            "left at %" G_GUINT64_FORMAT, now);
        fail_unless (distance >= (gint64) (GST_SECOND - 101 * GST_MSECOND)
            && distance <= (gint64) (1101 * GST_MSECOND));
      }
    }
    now = MAX (now, gst_clock_id_get_time (id));
    fail_unless (now < 3 * GST_SECOND, "the second picture never left");
    gst_test_clock_set_time (test_clock, now);
    gst_clock_id_unref (gst_test_clock_process_next_clock_id (test_clock));
    gst_clock_id_unref (id);
  }
  close (fd);
  test_end_pipeline (pipeline);
  gst_object_unref (clock);
}

GST_END_TEST;

/* Advances the clock from one wait to the next until another picture has
 * left. Returns: the time of that */
static GstClockTime
run_until_sent (GstTestClock *clock, gint fd, GstClockTime most)
{
  GstClockTime now = gst_clock_get_time (GST_CLOCK (clock));
  LmccHeader header;
  LmccRtp rtp;
  GstClockID id;

  while (!receive_media (fd, &rtp, &header)) {
    gst_test_clock_wait_for_next_pending_id (clock, &id);
    now = MAX (now, gst_clock_id_get_time (id));
    fail_unless (now < most, "no picture has left");
    gst_test_clock_set_time (clock, now);
    gst_clock_id_unref (gst_test_clock_process_next_clock_id (clock));
    gst_clock_id_unref (id);
  }
  return now;
}

static GstPadProbeReturn
count_buffer (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info G_GNUC_UNUSED,
    gpointer n)
{
  g_atomic_int_inc ((gint *) n);
  test_tell ();
  return GST_PAD_PROBE_OK;
}

static gboolean
are_three (gpointer n)
{
  return g_atomic_int_get ((gint *) n) >= 3;
}

/* This process or its machine was stopped. Whether the source is live is
 * known only with caps, which come after PLAYING. */
GST_START_TEST (test_live_pictures_are_in_time_after_a_standstill)
{
  gint port, fd, n = 0;
  GstElement *pipeline =
      test_launch_sink ("appsrc name=a is-live=true format=time caps=" RTP_CAPS
                        " ! lmccsink name=s",
          &port);
  GstClock *clock = gst_test_clock_new_with_start_time (0);
  GstTestClock *test_clock = GST_TEST_CLOCK (clock);
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink_0");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_buffer, &n, NULL);
  gst_pipeline_use_clock (GST_PIPELINE (pipeline), clock);
  fd = open_group ("239.255.42.1", port);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  push_picture (pipeline, "a", 0, 0, TRUE);
  push_picture (pipeline, "a", 1, 4100 * GST_MSECOND, TRUE);
  push_picture (pipeline, "a", 2, 4200 * GST_MSECOND, FALSE);
  run_until_sent (test_clock, fd, GST_SECOND);
  /* The second picture has arrived when the third one does. */
  fail_unless (test_wait_for (are_three, &n, 10 * G_TIME_SPAN_SECOND));
  gst_test_clock_set_time (test_clock, 4 * GST_SECOND);
  run_until_sent (test_clock, fd, 4500 * GST_MSECOND);
  close (fd);
  test_end_pipeline (pipeline);
  gst_object_unref (clock);
}

GST_END_TEST;

GST_START_TEST (test_a_late_rung_is_left_out_and_comes_back_with_a_key_frame)
{
  gint port, fd;
  guint i, n[2] = { 0, 0 };
  LmccHeader header;
  LmccRtp rtp;
  GstElement *pipeline =
      test_launch_sink ("lmccsink name=s sync=false rung-timeout=50 "
                        "appsrc name=a format=time caps=" RTP_CAPS
                        " ! s.sink_0 "
                        "appsrc name=b format=time caps=" RTP_CAPS
                        " ! s.sink_1",
          &port);

  fd = open_group ("239.255.42.1", port);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  push_picture (pipeline, "a", 0, 0, TRUE);
  push_picture (pipeline, "b", 0, 0, TRUE);
  for (i = 1; i < 5; i++)
    push_picture (pipeline, "a", i, i * 40 * GST_MSECOND, FALSE);
  while (get_count (pipeline, "units") < 6)
    g_thread_yield ();
  /* Too late; then a picture that needs it; then a key frame. */
  push_picture (pipeline, "b", 1, 40 * GST_MSECOND, FALSE);
  push_picture (pipeline, "b", 5, 200 * GST_MSECOND, FALSE);
  push_picture (pipeline, "b", 6, 240 * GST_MSECOND, TRUE);
  push_picture (pipeline, "a", 5, 200 * GST_MSECOND, FALSE);
  push_picture (pipeline, "a", 6, 240 * GST_MSECOND, TRUE);
  end_source (pipeline, "a");
  end_source (pipeline, "b");
  wait_eos (pipeline);
  assert_equals_uint64 (get_count (pipeline, "units-left-out"), 2);
  assert_equals_uint64 (get_count (pipeline, "units"), 9);
  while (receive_media (fd, &rtp, &header))
    n[header.stream != 0]++;
  assert_equals_int (n[0], 7);
  assert_equals_int (n[1], 0);
  close (fd);
  test_end_pipeline (pipeline);
}

GST_END_TEST;

GST_START_TEST (test_the_session_description_is_written_and_readable)
{
  gint port;
  g_autofree gchar *dir = g_dir_make_tmp ("lmccsink-XXXXXX", NULL);
  g_autofree gchar *path = g_build_filename (dir, "session.sdp", NULL);
  g_autofree gchar *text = NULL, *property = NULL;
  GstElement *pipeline =
      test_launch_sink ("appsrc name=a format=time caps=" RTP_CAPS
                        " ! lmccsink name=s",
          &port);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  LmccSession session;
  GError *error = NULL;
  gsize size;

  g_object_set (sink, "sdp-location", path, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  push_picture (pipeline, "a", 0, 0, TRUE);
  end_source (pipeline, "a");
  wait_eos (pipeline);
  g_object_get (sink, "sdp", &property, NULL);
  /* Its own thread writes the file, at the latest at the end. */
  assert_equals_int (gst_element_set_state (pipeline, GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
  fail_unless (g_file_get_contents (path, &text, &size, NULL));
  assert_equals_string (text, property);
  fail_unless (lmcc_sdp_parse (text, size, &session, &error), "%s",
      error ? error->message : "");
  assert_equals_int (session.port, port);
  assert_equals_string (session.video.encoding_name, "H264");
  assert_equals_int (session.n_rungs, 1);
  gst_object_unref (sink);
  test_end_pipeline (pipeline);
  g_unlink (path);
  fail_unless (g_rmdir (dir) == 0, "a temporary file was left");
}

GST_END_TEST;

/* Renames a directory, and waits until a file is moved into it. */
static void
rename_and_await_file (const gchar *before, const gchar *after)
{
  gint fd = inotify_init1 (IN_CLOEXEC);
  struct pollfd moved = { fd, POLLIN, 0 };

  fail_unless (fd >= 0 && inotify_add_watch (fd, before, IN_MOVED_TO) >= 0);
  fail_unless (g_rename (before, after) == 0);
  fail_unless (poll (&moved, 1, 15000) == 1, "nothing was written");
  close (fd);
}

/* A directory that does not exist yet stands for a full disk. */
GST_START_TEST (test_a_description_that_cannot_be_written_is_tried_again)
{
  gint port;
  g_autofree gchar *dir = g_dir_make_tmp ("lmccsink-XXXXXX", NULL);
  g_autofree gchar *gone = g_build_filename (dir, "sub", NULL);
  g_autofree gchar *path = g_build_filename (gone, "session.sdp", NULL);
  g_autofree gchar *ready = g_build_filename (dir, "ready", NULL);
  g_autofree gchar *link = g_build_filename (ready, "session.sdp.tmp", NULL);
  g_autofree gchar *left_link =
      g_build_filename (gone, "session.sdp.tmp", NULL);
  g_autofree gchar *victim = g_build_filename (dir, "victim", NULL);
  g_autofree gchar *text = NULL, *left = NULL;
  GstElement *pipeline =
      test_launch_sink ("appsrc name=a format=time caps=" RTP_CAPS
                        " ! lmccsink name=s",
          &port);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  GstMessage *message;
  GError *error;

  fail_unless (g_file_set_contents (victim, "as it was", -1, NULL));
  g_object_set (sink, "sdp-location", path, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  push_picture (pipeline, "a", 0, 0, TRUE);
  message = test_wait_message (pipeline, GST_MESSAGE_WARNING);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, path) != NULL);
  fail_unless (strstr (error->message, "Set sdp-location") != NULL);
  g_error_free (error);
  gst_message_unref (message);

  /* Media is not delayed, and the file is written as soon as there is room. */
  while (get_count (pipeline, "packets-sent") < 1)
    g_thread_yield ();
  fail_unless (g_mkdir (ready, 0700) == 0);
  fail_unless (symlink (victim, link) == 0);
  rename_and_await_file (ready, gone);
  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  fail_unless (g_str_has_prefix (text, "v=0"));
  gst_object_unref (sink);
  test_end_pipeline (pipeline);
  fail_unless (g_file_get_contents (victim, &left, NULL, NULL));
  assert_equals_string (left, "as it was");
  g_unlink (left_link);
  g_unlink (victim);
  g_unlink (path);
  fail_unless (g_rmdir (gone) == 0, "a temporary file was left");
  g_rmdir (dir);
}

GST_END_TEST;

static void
get_session (const gchar *options, gint *port, LmccSession *session)
{
  g_autofree gchar *line =
      g_strdup_printf ("appsrc name=a format=time caps=" RTP_CAPS
                       " ! lmccsink name=s %s",
          options);
  g_autofree gchar *text = NULL;
  GstElement *pipeline = test_launch_sink (line, port);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  GError *error = NULL;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  push_picture (pipeline, "a", 0, 0, TRUE);
  end_source (pipeline, "a");
  wait_eos (pipeline);
  g_object_get (sink, "sdp", &text, NULL);
  fail_unless (lmcc_sdp_parse (text, -1, session, &error), "%s",
      error ? error->message : "");
  gst_object_unref (sink);
  test_end_pipeline (pipeline);
}

GST_START_TEST (test_receivers_are_told_of_the_algorithm_and_of_feedback)
{
  LmccSession session;
  gchar source[LMCC_ADDRESS_STRLEN];
  gint port;

  get_session ("", &port, &session);
  assert_equals_string (session.algorithm, "plumb");
  assert_equals_uint64 (session.rtt_max, 500 * LMCC_MSECOND);
  assert_equals_uint64 (session.feedback_interval,
      LMCC_DEFAULT_FEEDBACK_INTERVAL);
  assert_equals_int (session.feedback_port, port + 1);
  assert_equals_string (lmcc_address_format (&session.source, source),
      "127.0.0.1");

  get_session ("algorithm=none rtt-max=120 feedback=false", &port, &session);
  assert_equals_string (session.algorithm, "none");
  assert_equals_uint64 (session.rtt_max, 120 * LMCC_MSECOND);
  assert_equals_uint64 (session.feedback_interval, 0);

  get_session ("algorithm=auto bind-address=127.0.0.2", &port, &session);
  assert_equals_string (session.algorithm, "plumb");
  assert_equals_string (lmcc_address_format (&session.source, source),
      "127.0.0.2");
}

GST_END_TEST;

/* Every 2 s if the algorithm needs them. */
GST_START_TEST (test_trains_are_as_the_algorithm_wants_unless_the_user_says)
{
  static const struct
  {
    const gchar *options;
    LmccTime cycle;
  } rows[] = {
    { "", 2 * LMCC_SECOND },
    { "algorithm=elm", 0 },
    { "algorithm=elm train-interval=1500", 1500 * LMCC_MSECOND },
    { "algorithm=plumb", 2 * LMCC_SECOND },
    { "algorithm=plumb train-interval=-1", 2 * LMCC_SECOND },
    { "algorithm=plumb train-interval=0", 0 },
    { "algorithm=plumb train-interval=60000", 60 * LMCC_SECOND },
  };
  const guint i = (guint) __i__;
  LmccSession session;
  gint port;

  get_session (rows[i].options, &port, &session);
  fail_unless (session.train_cycle == rows[i].cycle,
      "%s: %" G_GUINT64_FORMAT " ns", rows[i].options, session.train_cycle);
}

GST_END_TEST;

/* Otherwise, its receivers could predict the session's next numbers from its
 * first. */
GST_START_TEST (test_a_sessions_numbers_are_not_those_of_a_generator)
{
  LmccSession first, second;
  gint port;

  g_random_set_seed (1);
  get_session ("", &port, &first);
  g_random_set_seed (1);
  get_session ("", &port, &second);
  fail_if (first.ssrc_base == second.ssrc_base);
}

GST_END_TEST;

static guint
count_files (void)
{
  DIR *dir = opendir ("/proc/self/fd");
  guint n = 0;

  while (readdir (dir))
    n++;
  closedir (dir);
  return n;
}

GST_START_TEST (test_fifty_starts_leave_no_descriptor)
{
  gint port;
  guint i, before = 0;
  GstElement *pipeline =
      test_launch_sink ("appsrc name=a format=time caps=" RTP_CAPS
                        " ! lmccsink name=s",
          &port);

  for (i = 0; i < 50; i++) {
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    push_picture (pipeline, "a", i, 0, TRUE);
    fail_if (gst_element_get_state (pipeline, NULL, NULL, 5 * GST_SECOND)
        == GST_STATE_CHANGE_FAILURE);
    gst_element_set_state (pipeline, GST_STATE_NULL);
    if (i == 1)
      before = count_files ();
  }
  assert_equals_int (count_files (), before);
  test_end_pipeline (pipeline);
}

GST_END_TEST;

static guint
count_queued (GstElement *pipeline)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  GstStructure *stats;
  const GValue *rung;
  guint queued = 0;

  g_object_get (sink, "stats", &stats, NULL);
  rung =
      gst_value_array_get_value (gst_structure_get_value (stats, "rungs"), 0);
  gst_structure_get_uint (gst_value_get_structure (rung), "units-queued",
      &queued);
  gst_structure_free (stats);
  gst_object_unref (sink);
  return queued;
}

GST_START_TEST (test_a_flush_drops_what_waits_and_pictures_go_on)
{
  gint port;
  GstSegment segment;
  GstElement *pipeline =
      test_launch_sink ("appsrc name=a format=time caps=" RTP_CAPS
                        " ! lmccsink name=s",
          &port);
  GstElement *source = gst_bin_get_by_name (GST_BIN (pipeline), "a");
  GstPad *src = gst_element_get_static_pad (source, "src");

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  push_picture (pipeline, "a", 0, 0, TRUE);
  while (get_count (pipeline, "units") < 1)
    g_thread_yield ();
  assert_equals_int (gst_element_get_state (pipeline, NULL, NULL,
                         5 * GST_SECOND),
      GST_STATE_CHANGE_SUCCESS);
  /* One hour ahead: only the flush removes it. */
  push_picture (pipeline, "a", 1, 3600 * GST_SECOND, FALSE);
  while (count_queued (pipeline) < 1)
    g_thread_yield ();
  gst_pad_push_event (src, gst_event_new_flush_start ());
  gst_pad_push_event (src, gst_event_new_flush_stop (TRUE));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (src, gst_event_new_segment (&segment));
  assert_equals_int (count_queued (pipeline), 0);
  /* Sending continues with the next pictures, although their running time
   * starts again. */
  push_picture (pipeline, "a", 2, 0, TRUE);
  push_picture (pipeline, "a", 3, 40 * GST_MSECOND, TRUE);
  while (get_count (pipeline, "units") < 3)
    g_thread_yield ();
  gst_object_unref (src);
  gst_object_unref (source);
  test_end_pipeline (pipeline);
}

GST_END_TEST;

GST_START_TEST (test_a_full_pad_can_be_released_in_paused)
{
  gint port;
  guint i;
  GstElement *pipeline =
      test_launch_sink ("appsrc name=a format=time caps=" RTP_CAPS
                        " ! s.sink_0 lmccsink name=s",
          &port);
  GstElement *source = gst_bin_get_by_name (GST_BIN (pipeline), "a");
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  GstPad *pad = gst_element_get_static_pad (sink, "sink_0");

  fail_if (gst_element_set_state (pipeline, GST_STATE_PAUSED)
      == GST_STATE_CHANGE_FAILURE);
  for (i = 0; i < 100; i++)
    push_picture (pipeline, "a", i, i * 40 * GST_MSECOND, i == 0);
  /* Two seconds fill the pad, where the streaming thread then waits. */
  while (count_queued (pipeline) < 51)
    g_thread_yield ();
  gst_element_release_request_pad (sink, pad);
  gst_object_unref (pad);
  gst_object_unref (sink);
  gst_object_unref (source);
  test_end_pipeline (pipeline);
}

GST_END_TEST;

static Suite *
lmccsink_suite (void)
{
  Suite *s = suite_create ("lmccsink");
  TCase *tc = tcase_create ("general");

  tcase_set_timeout (tc, 60);
  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_properties_have_the_documented_defaults);
  tcase_add_test (tc, test_the_pad_prefers_encoded_video);
  tcase_add_test (tc, test_raw_video_gets_an_error_that_names_what_is_missing);
  tcase_add_test (tc, test_an_error_before_the_first_picture_is_over_with_null);
  tcase_add_test (tc, test_two_codecs_are_refused_by_name);
  tcase_add_test (tc, test_an_unknown_interface_lists_those_that_there_are);
  tcase_add_test (tc, test_a_unicast_address_is_refused);
  tcase_add_test (tc,
      test_x264_goes_out_in_three_classes_with_contiguous_numbers);
  tcase_add_test (tc, test_x265_goes_out_in_two_classes_as_the_advice_says);
  tcase_add_test (tc, test_packets_leave_at_their_due_times);
  tcase_add_test (tc, test_live_pictures_are_in_time_after_a_standstill);
  tcase_add_test (tc,
      test_a_late_rung_is_left_out_and_comes_back_with_a_key_frame);
  tcase_add_test (tc, test_the_session_description_is_written_and_readable);
  tcase_add_test (tc, test_a_description_that_cannot_be_written_is_tried_again);
  tcase_add_test (tc, test_receivers_are_told_of_the_algorithm_and_of_feedback);
  tcase_add_loop_test (tc,
      test_trains_are_as_the_algorithm_wants_unless_the_user_says, 0, 6);
  tcase_add_test (tc, test_a_sessions_numbers_are_not_those_of_a_generator);
  tcase_add_test (tc, test_fifty_starts_leave_no_descriptor);
  tcase_add_test (tc, test_a_flush_drops_what_waits_and_pictures_go_on);
  tcase_add_test (tc, test_a_full_pad_can_be_released_in_paused);
  return s;
}

GST_CHECK_MAIN (lmccsink);
