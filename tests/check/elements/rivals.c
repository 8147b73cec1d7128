/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests two senders on the same groups: the warnings of each, and the
 * behaviour of their receiver.
 */
#include "element-tools.h"
#include "fake-sender.h"
#include "src-tools.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/wire/rtcp.h>
#include <string.h>
#include <unistd.h>

#define SENDER                                                        \
  "videotestsrc is-live=true ! video/x-raw,width=160,height=120 ! "   \
  "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=30 ! " \
  "lmccsink name=s layering=doubling layers=2 base-rate=400000 "

#define OTHER "127.0.0.2"
#define OTHER_SSRC 0x6789a000u
#define RECORD_INTERVAL (250 * GST_MSECOND)

/* The address with the last byte @last, of groups of this process only. */
static gchar *
make_address (guint last)
{
  return g_strdup_printf ("239.255.%d.%u", 120 + (gint) (getpid () % 100),
      last);
}

static GstElement *
start (guint last, gint *port)
{
  g_autofree gchar *address = make_address (last);
  g_autofree gchar *text = g_strconcat (SENDER "address=", address, NULL);
  GstElement *pipeline = test_launch_sink (text, port);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);

  return pipeline;
}

/* Returns the reason of the warning; meanwhile @data is sent to @address, if
 * given. */
static gchar *
wait_warning_of (GstElement *pipeline, const gchar *address, gint port,
    const guint8 *data, gsize size)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  gint64 end = g_get_monotonic_time () + 15 * G_TIME_SPAN_SECOND;
  gchar *text = NULL;

  while (text == NULL) {
    g_autoptr (GstMessage) message = NULL;
    g_autoptr (GError) error = NULL;

    fail_unless (g_get_monotonic_time () < end, "no warning came");
    if (address != NULL)
      fake_sender_send_from (OTHER, address, (guint16) port, data, size);
    message = gst_bus_timed_pop_filtered (bus, RECORD_INTERVAL,
        GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
    if (message == NULL)
      continue;
    fail_if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR);
    gst_message_parse_warning (message, &error, NULL);
    text = g_strdup (error->message);
  }

  return text;
}

/* Another sender's report is sent there. */
static gchar *
wait_warning (GstElement *pipeline, const gchar *address, gint port)
{
  const LmccSenderReport report = { .ssrc = OTHER_SSRC };
  g_autoptr (LmccPacket) packet = lmcc_rtcp_build (&report, 1, "other", NULL);

  return wait_warning_of (pipeline, address, port + 1, packet->data,
      packet->size);
}

static void
check_text (const gchar *text, const gchar *from, guint last)
{
  g_autofree gchar *group = make_address (last);
  g_autofree gchar *who = g_strdup_printf ("Another sender, %s", from);

  fail_unless (strstr (text, who) != NULL, "%s", text);
  fail_unless (strstr (text, group) != NULL, "%s", text);
  fail_unless (strstr (text, "Change address") != NULL, "%s", text);
}

GST_START_TEST (test_two_senders_on_one_host_say_so)
{
  GstElement *first = start (1, NULL), *second = start (1, NULL);
  g_autofree gchar *one = wait_warning (first, NULL, 0);
  g_autofree gchar *other = wait_warning (second, NULL, 0);

  check_text (one, "127.0.0.1 on this host", 1);
  check_text (other, "127.0.0.1 on this host", 1);
  test_end_pipeline (second);
  test_end_pipeline (first);
}

GST_END_TEST;

/* The base layer of one is the second layer of the other. */
GST_START_TEST (test_overlapping_groups_are_reported_by_the_lower_sender)
{
  GstElement *lower = start (1, NULL), *upper = start (2, NULL);
  g_autofree gchar *text = wait_warning (lower, NULL, 0);

  check_text (text, "127.0.0.1 on this host", 2);
  test_end_pipeline (upper);
  test_end_pipeline (lower);
}

GST_END_TEST;

/* A session one address below, which started earlier and has its RTCP only
 * there: its second layer uses this session's base group. */
GST_START_TEST (test_media_of_a_session_below_are_reported)
{
  guint8 packet[40] = { 0x80, 96 };
  g_autofree gchar *address = make_address (2);
  g_autofree gchar *text = NULL;
  gint port;
  GstElement *pipeline = start (2, &port);

  GST_WRITE_UINT32_BE (packet + 8, OTHER_SSRC);
  text = wait_warning_of (pipeline, address, port, packet, sizeof (packet));
  check_text (text, OTHER, 2);
  test_end_pipeline (pipeline);
}

GST_END_TEST;

/* Its own packets, which come back to it, do not belong to another sender. */
GST_START_TEST (test_a_sender_does_not_take_itself_for_another)
{
  g_autofree gchar *address = make_address (1);
  g_autofree gchar *text = NULL;
  gint port;
  GstElement *pipeline = start (1, &port);
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");

  /* Many records, which leave at least every 2 s. */
  test_watch (sink, "stats");
  test_wait_count (sink, "control-bytes-sent", 1500, 15 * G_TIME_SPAN_SECOND);
  text = wait_warning (pipeline, address, port);
  check_text (text, OTHER, 1);
  test_end_pipeline (pipeline);
}

GST_END_TEST;

GST_START_TEST (test_a_sender_goes_on_to_listen_after_it_was_stopped)
{
  g_autofree gchar *address = make_address (1);
  gint port;
  GstElement *pipeline = start (1, &port);
  guint i;

  for (i = 0; i < 3; i++) {
    g_autofree gchar *text = wait_warning (pipeline, address, port);

    check_text (text, OTHER, 1);
    fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_NULL),
        GST_STATE_CHANGE_SUCCESS);
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
  }
  test_end_pipeline (pipeline);
}

GST_END_TEST;

GST_START_TEST (test_a_receiver_of_two_senders_says_so)
{
  g_autofree gchar *address = make_address (1);
  g_autofree gchar *uri = NULL, *text = NULL, *words = NULL;
  gint port;
  GstElement *first = start (1, &port), *second = start (1, NULL);
  g_autoptr (GstMessage) message = NULL;
  const GstStructure *s;
  TestSrc receiver;

  uri = g_strdup_printf ("lmcc://%s:%d?multicast-iface=lo", address, port);
  test_src_init (&receiver, "max-level=0", uri, "max-buffers=10 drop=true");
  test_src_play (&receiver);
  text = wait_warning (receiver.pipeline, NULL, 0);
  words = g_strdup_printf ("Two senders use %s port %d: 127.0.0.1 is "
                           "received, and another session of 127.0.0.1 is "
                           "dropped but loads the network",
      address, port);
  fail_unless (strstr (text, words) != NULL
          && strstr (text, "Move one of them to another address or port")
              != NULL
          && strstr (text, "multicast-source") == NULL,
      "%s", text);
  message = test_src_wait (&receiver, "lmcc-source-beside");
  s = gst_message_get_structure (message);
  fail_unless_equals_string (gst_structure_get_string (s, "from"), "127.0.0.1");
  fail_unless_equals_string (gst_structure_get_string (s, "to"), "127.0.0.1");
  test_src_clear (&receiver);
  test_end_pipeline (second);
  test_end_pipeline (first);
}

GST_END_TEST;

/* (transfer full): the address that the sender in @pipeline reports */
static gchar *
get_address (GstElement *pipeline)
{
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  g_autofree gchar *sdp = NULL;
  g_autofree gchar *line = NULL;
  gchar *address = NULL;

  gst_message_unref (test_wait_message (pipeline, GST_MESSAGE_STREAM_START));
  g_object_get (sink, "address", &address, "sdp", &sdp, NULL);
  line = g_strdup_printf ("c=IN IP4 %s/", address);
  fail_unless (sdp != NULL && strstr (sdp, line) != NULL, "%s: %s", address,
      sdp);

  return address;
}

static GstElement *
start_anywhere (const gchar *options, gint *port)
{
  g_autofree gchar *text = g_strconcat (SENDER, options, NULL);
  GstElement *pipeline = test_launch_sink (text, port);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);

  return pipeline;
}

#define DEFAULT "239.255.42.1"
#define NEXT "239.255.42.33"

GST_START_TEST (test_a_default_address_that_is_taken_is_left_alone)
{
  GstElement *first = start_anywhere ("", NULL), *second, *third;
  g_autofree gchar *one = get_address (first), *other = NULL, *given = NULL;
  g_autofree gchar *text = NULL, *again = NULL, *uri = NULL;
  gint port;

  fail_unless_equals_string (one, DEFAULT);
  second = start_anywhere ("", &port);
  text = wait_warning (second, NULL, 0);
  /* The description for receivers, unchanged. */
  uri = g_strdup_printf ("lmcc://" NEXT ":%d. ", port);
  fail_unless (strstr (text, "127.0.0.1 on this host") != NULL
          && strstr (text, "uses " NEXT) != NULL && strstr (text, uri) != NULL
          && strstr (text, "Set address") != NULL,
      "%s", text);
  other = get_address (second);
  fail_unless_equals_string (other, NEXT);

  /* Receivers with the description join there. */
  third = start_anywhere ("address=" DEFAULT, NULL);
  given = get_address (third);
  fail_unless_equals_string (given, DEFAULT);
  test_end_pipeline (third);

  /* Receivers know the address by now. */
  fail_unless_equals_int (gst_element_set_state (second, GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
  test_end_pipeline (first);
  gst_element_set_state (second, GST_STATE_PLAYING);
  again = get_address (second);
  fail_unless_equals_string (again, NEXT);
  test_end_pipeline (second);
}

GST_END_TEST;

/* Each gets its own packets back first, which mean nothing. */
GST_START_TEST (test_senders_that_start_together_take_addresses_of_their_own)
{
  static const gchar *const expected[] = { DEFAULT, NEXT, "239.255.42.65" };
  GstElement *pipelines[G_N_ELEMENTS (expected)];
  gboolean found[G_N_ELEMENTS (expected)] = { FALSE };
  guint i, j;

  for (i = 0; i < G_N_ELEMENTS (expected); i++)
    pipelines[i] = start_anywhere ("", NULL);
  for (i = 0; i < G_N_ELEMENTS (expected); i++) {
    g_autofree gchar *address = get_address (pipelines[i]);

    for (j = 0; j < G_N_ELEMENTS (expected); j++)
      found[j] |= g_str_equal (address, expected[j]);
  }
  for (i = 0; i < G_N_ELEMENTS (expected); i++) {
    fail_unless (found[i], "nobody took %s", expected[i]);
    test_end_pipeline (pipelines[i]);
  }
}

GST_END_TEST;

static Suite *
rivals_suite (void)
{
  Suite *suite = suite_create ("rivals");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  tcase_add_test (tcase, test_two_senders_on_one_host_say_so);
  tcase_add_test (tcase,
      test_overlapping_groups_are_reported_by_the_lower_sender);
  tcase_add_test (tcase, test_media_of_a_session_below_are_reported);
  tcase_add_test (tcase, test_a_sender_does_not_take_itself_for_another);
  tcase_add_test (tcase, test_a_sender_goes_on_to_listen_after_it_was_stopped);
  tcase_add_test (tcase, test_a_receiver_of_two_senders_says_so);
  tcase_add_test (tcase, test_a_default_address_that_is_taken_is_left_alone);
  tcase_add_test (tcase,
      test_senders_that_start_together_take_addresses_of_their_own);

  return suite;
}

GST_CHECK_MAIN (rivals);
