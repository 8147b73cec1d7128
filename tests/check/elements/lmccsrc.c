/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests lmccsrc with a sender on the loopback interface: output, memberships,
 * hostile packets, errors and the end.
 */
#include "element-tools.h"
#include "fake-sender.h"
#include "src-tools.h"

#include <arpa/inet.h>
#include <gst/app/app.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtcp.h>
#include <gst/lmcc/wire/rtp.h>
#include <string.h>
#include <unistd.h>

#define ADDRESS (get_address ())
/* Of this process, so that tests running at the same time are not heard. */
#define PORT ((guint16) (30000 + 2 * (getpid () % 5000)))

/* A group of this process's own: memberships belong to the host, and those
 * of another run would be taken for ours. */
static const gchar *
get_address (void)
{
  static gchar address[16];

  g_snprintf (address, sizeof (address), "239.255.%d.1",
      128 + (gint) (getpid () % 100));
  return address;
}

static gchar *
format_uri (const gchar *query)
{
  return g_strdup_printf ("lmcc://%s:%d?multicast-iface=lo%s", ADDRESS, PORT,
      query);
}

static void
receiver_init (TestSrc *self, const gchar *options, const gchar *query)
{
  g_autofree gchar *uri = format_uri (query);

  test_src_init (self, options, uri, "max-buffers=1000");
}

GST_START_TEST (test_the_uri_is_refused_while_playing)
{
  TestSrc receiver;
  g_autoptr (GError) error = NULL;
  g_autofree gchar *expected = format_uri ("");
  g_autofree gchar *uri = NULL;

  receiver_init (&receiver, "", "");
  test_src_play (&receiver);
  fail_if (gst_uri_handler_set_uri (GST_URI_HANDLER (receiver.src),
      "lmcc://239.1.1.1", &error));
  fail_unless (g_error_matches (error, GST_URI_ERROR, GST_URI_ERROR_BAD_STATE));
  uri = gst_uri_handler_get_uri (GST_URI_HANDLER (receiver.src));
  fail_unless_equals_string (uri, expected);
  test_src_clear (&receiver);
}

GST_END_TEST;

GST_START_TEST (test_without_a_sender_it_waits_says_so_and_times_out)
{
  TestSrc receiver;
  GstMessage *message;
  guint64 timeout = 0;

  receiver_init (&receiver, "timeout=100000000", "");
  test_src_play (&receiver);
  message = test_src_wait (&receiver, "lmcc-waiting");
  fail_unless_equals_string (
      gst_structure_get_string (gst_message_get_structure (message), "address"),
      ADDRESS);
  gst_message_unref (message);
  message = test_src_wait (&receiver, "GstLmccSrcTimeout");
  fail_unless (gst_structure_get_uint64 (gst_message_get_structure (message),
      "timeout", &timeout));
  fail_unless_equals_uint64 (timeout, 100000000);
  gst_message_unref (message);
  test_src_clear (&receiver);
}

GST_END_TEST;

GST_START_TEST (test_packets_come_out_as_plain_rtp_in_even_steps)
{
  FakeSender *sender = fake_sender_start (ADDRESS, PORT, 1, NULL);
  TestSrc receiver;
  GstClockTime last = GST_CLOCK_TIME_NONE;
  guint16 sequence = 0;
  guint i;

  receiver_init (&receiver, "", "");
  test_src_play (&receiver);
  for (i = 0; i < 45; i++) {
    g_autoptr (GstSample) sample = test_src_pull (&receiver);
    GstBuffer *buffer = gst_sample_get_buffer (sample);
    const GstStructure *caps =
        gst_caps_get_structure (gst_sample_get_caps (sample), 0);
    guint8 rtp[12];
    gint64 step;

    fail_unless_equals_string (gst_structure_get_string (caps, "encoding-name"),
        "H264");
    fail_unless_equals_string (gst_structure_get_string (caps, "media"),
        "video");
    fail_unless_equals_int (gst_buffer_extract (buffer, 0, rtp, 12), 12);
    /* The header extension was removed. */
    fail_unless_equals_int (rtp[0], 0x80);
    fail_unless_equals_int (rtp[1], 0x80 | LMCC_DEFAULT_PAYLOAD_TYPE);
    if (i > 0) {
      step = GST_CLOCK_DIFF (last, GST_BUFFER_PTS (buffer));
      fail_unless (ABS (step - (gint64) FAKE_PICTURE_TIME) < GST_MSECOND,
          "step of %" G_GINT64_FORMAT " ns", step);
      fail_unless_equals_int ((guint16) (rtp[2] << 8 | rtp[3]),
          (guint16) (sequence + 1));
    }
    sequence = (guint16) (rtp[2] << 8 | rtp[3]);
    last = GST_BUFFER_PTS (buffer);
  }
  test_src_clear (&receiver);
  fake_sender_stop (sender);
}

GST_END_TEST;

static gboolean
is_joined (guint group)
{
  g_autofree gchar *text = NULL;
  g_autofree gchar *hex = NULL;
  guint8 address[4];

  fail_unless (inet_pton (AF_INET, ADDRESS, address) == 1);
  fail_unless (g_file_get_contents ("/proc/self/net/igmp", &text, NULL, NULL));
  /* The kernel prints the address as a 32-bit number in host byte order, in
   * hexadecimal. */
  hex = g_strdup_printf ("%02X%02X%02X%02X", address[3] + group, address[2],
      address[1], address[0]);
  return strstr (text, hex) != NULL;
}

GST_START_TEST (test_max_level_joins_and_leaves_while_playing)
{
  FakeSender *sender = fake_sender_start (ADDRESS, PORT, 3, NULL);
  TestSrc receiver;
  gint level;

  receiver_init (&receiver, "max-level=0", "&max-level=0");
  test_src_play (&receiver);
  test_src_wait_level (&receiver, 0);
  fail_unless (is_joined (0));
  fail_if (is_joined (1));
  g_object_set (receiver.src, "max-level", 2, NULL);
  test_src_wait_level (&receiver, 2);
  fail_unless (is_joined (1) && is_joined (2));
  g_object_set (receiver.src, "max-level", 1, NULL);
  test_src_wait_level (&receiver, 1);
  fail_unless (is_joined (1));
  fail_if (is_joined (2));
  g_object_get (receiver.src, "level", &level, NULL);
  fail_unless_equals_int (level, 1);
  gst_element_set_state (receiver.pipeline, GST_STATE_PAUSED);
  fail_unless (is_joined (0));
  fail_if (is_joined (1));
  test_src_clear (&receiver);
  fail_if (is_joined (0));
  fake_sender_stop (sender);
}

GST_END_TEST;

static guint64
get_layer_packets (GstElement *src, guint layer)
{
  g_autoptr (GstStructure) stats = NULL;
  const GValue *layers, *value;
  guint64 packets = 0;

  g_object_get (src, "stats", &stats, NULL);
  layers = gst_structure_get_value (stats, "layers");
  if (layer >= gst_value_array_get_size (layers))
    return 0;
  value = gst_value_array_get_value (layers, layer);
  fail_unless (gst_structure_get_uint64 (gst_value_get_structure (value),
      "packets-received", &packets));
  return packets;
}

/* More than the kernel lets one socket join (igmp_max_memberships is 20). */
GST_START_TEST (test_forty_two_groups_are_joined_and_heard)
{
  FakeSender *sender = fake_sender_start_with_classes (ADDRESS, PORT, 14, 3);
  TestSrc receiver;
  guint group;

  receiver_init (&receiver, "", "");
  test_src_play (&receiver);
  test_src_wait_level (&receiver, 41);
  for (group = 0; group < 42; group++)
    fail_unless (is_joined (group), "group %u", group);
  for (group = 0; group < 90; group++)
    test_src_await (&receiver);
  fail_unless (test_get_count (receiver.src, "packets-received") > 42 * 3);
  test_src_clear (&receiver);
  for (group = 0; group < 42; group++)
    fail_if (is_joined (group));
  fake_sender_stop (sender);
}

GST_END_TEST;

GST_START_TEST (test_two_sources_in_one_process_keep_their_own_layers)
{
  FakeSender *sender = fake_sender_start (ADDRESS, PORT, 3, NULL);
  TestSrc low, high;
  guint i;

  receiver_init (&low, "", "&max-level=0");
  receiver_init (&high, "", "");
  test_src_play (&low);
  test_src_play (&high);
  test_src_wait_level (&high, 2);
  test_src_wait_level (&low, 0);
  for (i = 0; i < 45; i++) {
    test_src_await (&high);
    test_src_await (&low);
  }
  fail_unless (get_layer_packets (high.src, 2) > 0);
  fail_unless (get_layer_packets (low.src, 0) > 0);
  fail_unless_equals_uint64 (get_layer_packets (low.src, 1), 0);
  fail_unless_equals_uint64 (get_layer_packets (low.src, 2), 0);
  fail_unless_equals_uint64 (test_get_drops (low.src, LMCC_DROP_WRONG_LAYER),
      0);
  fail_unless_equals_uint64 (test_get_drops (high.src, LMCC_DROP_WRONG_LAYER),
      0);
  test_src_clear (&low);
  test_src_clear (&high);
  fake_sender_stop (sender);
}

GST_END_TEST;

GST_START_TEST (test_foreign_packets_are_dropped_and_counted)
{
  static const guint8 garbage[] = { 1, 2, 3 };
  static const guint8 other[16] = { 0x80, 96, 0, 1 };
  FakeSender *sender = fake_sender_start (ADDRESS, PORT, 1, NULL);
  TestSrc receiver;
  guint64 total = 0;
  guint kind, i;

  receiver_init (&receiver, "", "");
  test_src_play (&receiver);
  test_src_await (&receiver);
  fake_sender_send_raw (ADDRESS, PORT, garbage, sizeof (garbage));
  fake_sender_send_raw (ADDRESS, PORT, garbage, 0);
  fake_sender_send_raw (ADDRESS, PORT, other, sizeof (other));
  fake_sender_send_raw (ADDRESS, PORT + 1, garbage, sizeof (garbage));
  for (i = 0; i < 30; i++)
    test_src_await (&receiver);
  for (kind = 0; kind < LMCC_N_DROPS; kind++)
    total += test_get_drops (receiver.src, (LmccDrop) kind);
  fail_unless (test_get_drops (receiver.src, LMCC_DROP_BAD_RTCP) == 1);
  fail_unless (test_get_drops (receiver.src, LMCC_DROP_MALFORMED) >= 2);
  fail_unless (total >= 4, "%" G_GUINT64_FORMAT, total);
  test_src_clear (&receiver);
  fake_sender_stop (sender);
}

GST_END_TEST;

/* From another address of this host: an attacker that knows the session. */
static void
attack (guint16 port, const guint8 *data, gsize size)
{
  struct in_addr lo = { htonl (INADDR_LOOPBACK) };
  struct sockaddr_in from = { .sin_family = AF_INET };
  struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons (port) };
  gint fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

  inet_pton (AF_INET, "127.0.0.2", &from.sin_addr);
  inet_pton (AF_INET, ADDRESS, &to.sin_addr);
  fail_unless (bind (fd, (struct sockaddr *) &from, sizeof (from)) == 0);
  fail_unless (
      setsockopt (fd, IPPROTO_IP, IP_MULTICAST_IF, &lo, sizeof (lo)) == 0);
  fail_unless (sendto (fd, data, size, 0, (struct sockaddr *) &to, sizeof (to))
      == (gssize) size);
  close (fd);
}

/* Except packets before the first record, which a loaded machine may send
 * late. */
static guint64
count_drops (GstElement *src)
{
  guint64 total = 0;
  guint kind;

  for (kind = 0; kind < LMCC_N_DROPS; kind++) {
    if (kind != LMCC_DROP_BEFORE_RECORD)
      total += test_get_drops (src, (LmccDrop) kind);
  }

  return total;
}

/* Forged marks and a forged BYE in the sender's name. */
static void
attack_session (FakeSender *sender)
{
  g_autofree gchar *sdp = fake_sender_get_sdp (sender);
  static const guint8 payload[4] = { 0 };
  LmccHeader header = { .top_layer = 1,
    .signal = 1,
    .slot = 7,
    .first = TRUE,
    .last = TRUE,
    .lsn = 30000 };
  LmccSenderReport report = { 0 };
  LmccSession session;
  guint i;

  fail_unless (lmcc_sdp_parse (sdp, -1, &session, NULL));
  report.ssrc = session.ssrc_base;
  for (i = 0; i < 20; i++) {
    LmccRtp rtp = { .payload_type = session.payload_type,
      .ssrc = session.ssrc_base,
      .payload_size = sizeof (payload) };
    g_autoptr (LmccPacket) marks =
        lmcc_rtp_build (&rtp, &header, session.header_id, payload);
    g_autoptr (LmccPacket) bye = lmcc_rtcp_build_bye (&report, "forged");

    header.lsn++;
    attack (PORT, marks->data, marks->size);
    attack (PORT + 1, bye->data, bye->size);
  }
}

/* When the garbage from the sender's host has been counted, earlier packets
 * have been handled. It may be lost, so it is sent again. Returns: the
 * number of garbage packets sent. */
static guint
wait_garbage (TestSrc *receiver)
{
  static const guint8 garbage[] = { 1, 2, 3 };
  guint n = 0;

  while (test_get_drops (receiver->src, LMCC_DROP_MALFORMED) < 1
      || test_get_drops (receiver->src, LMCC_DROP_BAD_RTCP) < 1) {
    fail_unless (n < 1000, "garbage is not counted");
    fake_sender_send_raw (ADDRESS, PORT, garbage, sizeof (garbage));
    fake_sender_send_raw (ADDRESS, PORT + 1, garbage, sizeof (garbage));
    n += 2;
    test_src_await (receiver);
  }

  return n;
}

GST_START_TEST (test_multicast_source_keeps_others_packets_out)
{
  FakeSender *sender = fake_sender_start (ADDRESS, PORT, 2, NULL);
  gboolean filters = __i__;
  TestSrc receiver;
  guint n_garbage;

  receiver_init (&receiver, filters ? "multicast-source=127.0.0.1" : "", "");
  test_src_play (&receiver);
  test_src_await (&receiver);
  attack_session (sender);
  n_garbage = wait_garbage (&receiver);
  if (filters) {
    fail_unless_equals_uint64 (test_get_drops (receiver.src,
                                   LMCC_DROP_FOREIGN_SOURCE),
        0);
    fail_unless (count_drops (receiver.src) <= n_garbage);
  } else {
    fail_unless (test_get_drops (receiver.src, LMCC_DROP_FOREIGN_SOURCE) >= 20);
  }
  test_src_clear (&receiver);
  fake_sender_stop (sender);
}

GST_END_TEST;

static void
count_notify (GObject *object G_GNUC_UNUSED, GParamSpec *pspec G_GNUC_UNUSED,
    gpointer data)
{
  g_atomic_int_inc ((gint *) data);
}

GST_START_TEST (test_stats_tell_what_came)
{
  FakeSender *sender = fake_sender_start (ADDRESS, PORT, 2, NULL);
  TestSrc receiver;
  gint notified = 0;
  guint i;

  receiver_init (&receiver, "stats-update-interval=50", "");
  g_signal_connect (receiver.src, "notify::stats", G_CALLBACK (count_notify),
      &notified);
  test_src_play (&receiver);
  for (i = 0; i < 45; i++)
    test_src_await (&receiver);
  fail_unless (test_get_count (receiver.src, "packets-received") > 45);
  fail_unless (test_get_count (receiver.src, "bytes-received") > 45 * 200);
  fail_unless (test_get_count (receiver.src, "packets-delivered") >= 45);
  fail_unless (test_get_count (receiver.src, "units-delivered") >= 45);
  fail_unless_equals_uint64 (test_get_count (receiver.src, "packets-lost"), 0);
  fail_unless_equals_uint64 (test_get_count (receiver.src,
                                 "packets-dropped-kernel"),
      0);
  fail_unless_equals_uint64 (test_get_count (receiver.src, "sources"), 1);
  fail_unless_equals_uint64 (test_get_count (receiver.src,
                                 "units-dropped-late"),
      0);
  fail_unless (test_get_count (receiver.src, "bitrate") > 0);
  fail_unless (g_atomic_int_get (&notified) > 5);
  test_src_clear (&receiver);
  fake_sender_stop (sender);
}

GST_END_TEST;

GST_START_TEST (test_latency_is_the_window_and_the_setting)
{
  FakeSender *sender = fake_sender_start (ADDRESS, PORT, 1, NULL);
  TestSrc receiver;
  GstQuery *query = gst_query_new_latency ();
  GstClockTime min, max;
  gboolean live;

  receiver_init (&receiver, "", "&latency=120");
  test_src_play (&receiver);
  test_src_await (&receiver);
  fail_unless (gst_element_query (receiver.src, query));
  gst_query_parse_latency (query, &live, &min, &max);
  fail_unless (live);
  fail_unless_equals_uint64 (min, 120 * GST_MSECOND + LMCC_DEFAULT_WINDOW);
  fail_unless_equals_uint64 (max, GST_CLOCK_TIME_NONE);
  gst_query_unref (query);
  test_src_clear (&receiver);
  fake_sender_stop (sender);
}

GST_END_TEST;

/* Pictures arrive all the time, so that each one is an opportunity to look. */
GST_START_TEST (test_reports_that_nobody_takes_are_counted_and_do_no_harm)
{
  FakeSender *sender = fake_sender_start_deaf (ADDRESS, PORT);
  TestSrc receiver;
  guint i;

  receiver_init (&receiver, "", "&algorithm=elm");
  test_src_play (&receiver);
  for (i = 0; i < 900
       && (test_get_count (receiver.src, "report-errors") == 0
           || test_get_count (receiver.src, "reports") < 2);
       i++)
    test_src_await (&receiver);
  fail_unless (test_get_count (receiver.src, "report-errors") > 0);
  fail_unless (test_get_count (receiver.src, "reports") > 1);
  fail_unless_equals_uint64 (test_get_count (receiver.src, "answers"), 0);
  test_src_await (&receiver);
  test_src_clear (&receiver);
  fake_sender_stop (sender);
}

GST_END_TEST;

static gchar *
wait_error (TestSrc *self)
{
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (self->bus,
      2 * TEST_SRC_PATIENCE, GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;

  fail_unless (message != NULL, "no error");
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR,
                   GST_RESOURCE_ERROR_READ),
      "%s", error->message);
  return g_strdup (error->message);
}

/* A third of the base layer's packets is lost for 10 s. */
GST_START_TEST (test_a_path_that_cannot_carry_the_base_ends_the_reception)
{
  FakeSender *sender = fake_sender_start (ADDRESS, PORT, 2, NULL);
  TestSrc receiver;
  g_autofree gchar *error = NULL;
  GstSample *sample;

  fake_sender_set_loss (sender, 3);
  receiver_init (&receiver, "", "&max-level=0");
  test_src_play (&receiver);
  error = wait_error (&receiver);
  fail_unless (strstr (error, "leaving all groups") != NULL, "%s", error);
  /* The stream ends after the received pictures. */
  do {
    sample = NULL;
    g_signal_emit_by_name (receiver.sink, "try-pull-sample", TEST_SRC_PATIENCE,
        &sample);
    if (sample)
      gst_sample_unref (sample);
  } while (sample);
  fail_unless (gst_app_sink_is_eos (GST_APP_SINK (receiver.sink)));
  fail_if (is_joined (0) || is_joined (1));

  fake_sender_set_loss (sender, 0);
  fail_unless_equals_int (gst_element_set_state (receiver.pipeline,
                              GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
  test_src_play (&receiver);
  test_src_await (&receiver);
  fail_unless (is_joined (0));
  test_src_clear (&receiver);
  fake_sender_stop (sender);
}

GST_END_TEST;

GST_START_TEST (test_a_session_description_saves_the_wait)
{
  FakeSender *sender = fake_sender_start (ADDRESS, PORT, 1, NULL);
  g_autofree gchar *sdp = NULL;
  TestSrc receiver, first;

  /* The layers are unknown until a session record arrives. */
  receiver_init (&first, "", "");
  test_src_play (&first);
  test_src_await (&first);
  test_src_clear (&first);

  sdp = fake_sender_get_sdp (sender);
  receiver_init (&receiver, "", "");
  g_object_set (receiver.src, "sdp", sdp, NULL);
  test_src_play (&receiver);
  test_src_await (&receiver);
  fail_unless_equals_uint64 (test_get_drops (receiver.src,
                                 LMCC_DROP_BEFORE_RECORD),
      0);
  test_src_clear (&receiver);
  fake_sender_stop (sender);
}

GST_END_TEST;

GST_START_TEST (test_start_and_stop_leak_no_descriptor_and_take_no_time)
{
  FakeSender *sender = fake_sender_start (ADDRESS, PORT, 2, NULL);
  TestSrc receiver;
  gint64 times[50];
  guint i, slow = 0, before;

  receiver_init (&receiver, "", "");
  test_src_play (&receiver);
  test_src_await (&receiver);
  gst_element_set_state (receiver.pipeline, GST_STATE_NULL);
  before = test_count_fds ();
  for (i = 0; i < G_N_ELEMENTS (times); i++) {
    test_src_play (&receiver);
    if (i % 10 == 0)
      test_src_await (&receiver);
    times[i] = g_get_monotonic_time ();
    gst_element_set_state (receiver.src, GST_STATE_PAUSED);
    gst_element_set_state (receiver.src, GST_STATE_READY);
    times[i] = g_get_monotonic_time () - times[i];
    slow += times[i] > 20000;
    gst_element_set_state (receiver.pipeline, GST_STATE_NULL);
  }
  /* A loaded machine may delay either of them. */
  fail_unless (slow <= 5, "%u of 50 took longer than 20 ms", slow);
  fail_unless_equals_int (test_count_fds (), before);
  test_src_clear (&receiver);
  fake_sender_stop (sender);
}

GST_END_TEST;

GST_START_TEST (test_pictures_go_on_after_a_flush)
{
  FakeSender *sender = fake_sender_start (ADDRESS, PORT, 1, NULL);
  gboolean reset_time;
  TestSrc receiver;
  guint i;

  receiver_init (&receiver, "", "");
  test_src_play (&receiver);
  for (i = 0; i < 20; i++)
    test_src_await (&receiver);
  for (reset_time = FALSE; reset_time <= TRUE; reset_time++) {
    GstClockTime last = 0;

    fail_unless (
        gst_element_send_event (receiver.src, gst_event_new_flush_start ()));
    fail_unless (gst_element_send_event (receiver.src,
        gst_event_new_flush_stop (reset_time)));
    for (i = 0; i < 40; i++) {
      g_autoptr (GstSample) sample = test_src_pull (&receiver);
      GstClockTime pts = GST_BUFFER_PTS (gst_sample_get_buffer (sample));

      fail_unless_equals_int (gst_sample_get_segment (sample)->format,
          GST_FORMAT_TIME);
      /* Buffers in transit may still have the time from before. */
      if (i > 20)
        fail_unless (pts > last);
      last = pts;
    }
  }
  test_src_clear (&receiver);
  fake_sender_stop (sender);
}

GST_END_TEST;

GST_START_TEST (test_play_goes_on_after_a_pause)
{
  FakeSender *sender = fake_sender_start (ADDRESS, PORT, 2, NULL);
  TestSrc receiver;
  guint64 packets;
  guint i;

  receiver_init (&receiver, "", "");
  test_src_play (&receiver);
  test_src_await (&receiver);
  packets = test_get_count (receiver.src, "packets-received");
  for (i = 0; i < 3; i++) {
    fail_unless_equals_int (gst_element_set_state (receiver.pipeline,
                                GST_STATE_PAUSED),
        GST_STATE_CHANGE_NO_PREROLL);
    fail_unless (test_get_count (receiver.src, "packets-received") >= packets);
    gst_element_set_state (receiver.pipeline, GST_STATE_PLAYING);
    test_src_wait_level (&receiver, 1);
    packets = test_get_count (receiver.src, "packets-received");
  }
  fail_unless_equals_uint64 (test_get_count (receiver.src, "packets-lost"), 0);
  test_src_clear (&receiver);
  fake_sender_stop (sender);
}

GST_END_TEST;

static Suite *
lmccsrc_suite (void)
{
  Suite *suite = suite_create ("lmccsrc");
  TCase *session = tcase_create ("session");

  suite_add_tcase (suite, session);
  tcase_set_timeout (session, 60);
  tcase_add_test (session, test_the_uri_is_refused_while_playing);
  tcase_add_test (session,
      test_without_a_sender_it_waits_says_so_and_times_out);
  tcase_add_test (session, test_packets_come_out_as_plain_rtp_in_even_steps);
  tcase_add_test (session, test_max_level_joins_and_leaves_while_playing);
  tcase_add_test (session, test_forty_two_groups_are_joined_and_heard);
  tcase_add_test (session,
      test_two_sources_in_one_process_keep_their_own_layers);
  tcase_add_test (session, test_foreign_packets_are_dropped_and_counted);
  tcase_add_loop_test (session, test_multicast_source_keeps_others_packets_out,
      0, 2);
  tcase_add_test (session, test_stats_tell_what_came);
  tcase_add_test (session, test_latency_is_the_window_and_the_setting);
  tcase_add_test (session, test_a_session_description_saves_the_wait);
  tcase_add_test (session,
      test_reports_that_nobody_takes_are_counted_and_do_no_harm);
  tcase_add_test (session,
      test_a_path_that_cannot_carry_the_base_ends_the_reception);
  tcase_add_test (session,
      test_start_and_stop_leak_no_descriptor_and_take_no_time);
  tcase_add_test (session, test_pictures_go_on_after_a_flush);
  tcase_add_test (session, test_play_goes_on_after_a_pause);
  return suite;
}

GST_CHECK_MAIN (lmccsrc);
