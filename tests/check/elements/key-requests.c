/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests real encoders that make no key frame after the first one: a receiver
 * that joins later shows pictures only if lmccsink requests a key frame.
 */
#include "element-tools.h"

#include <gst/check/gstcheck.h>
#include <gst/video/video.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE (30 * G_TIME_SPAN_SECOND)

#define VIDEO                    \
  "videotestsrc is-live=true ! " \
  "video/x-raw,format=I420,width=96,height=64,framerate=25/1 ! "

/* More pictures than any test lasts. */
#define X264ENC \
  "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=1000000 "

typedef struct
{
  const gchar *encoder;
  const gchar *chain;
  const gchar *options;
} Sender;

static const Sender senders[] = {
  { "x264enc", VIDEO X264ENC "! lmccsink", "" },
  { "x264enc", VIDEO X264ENC "bframes=2 ! lmccsink", "" },
  { "x264enc",
      VIDEO "tee name=t t. ! queue ! " X264ENC "bitrate=100 ! lmcc.sink_0 "
            "t. ! queue ! " X264ENC "bitrate=300 ! lmcc.sink_1 lmccsink",
      "" },
  { "x264enc", VIDEO X264ENC "bitrate=300 ! lmccsink",
      "layering=doubling layers=2 base-rate=200000 window=500" },
  { "vp8enc", VIDEO "vp8enc deadline=1 keyframe-max-dist=1000000 ! lmccsink",
      "" },
  { "openh264enc", VIDEO "openh264enc gop-size=0 ! lmccsink", "" },
  { "x264enc", VIDEO X264ENC "! lmccsink", "feedback=false" },
};

/* Whether to skip the test; prints the reason. */
static gboolean
is_missing (const gchar *name)
{
  g_autoptr (GstElementFactory) factory = gst_element_factory_find (name);

  if (factory == NULL)
    g_printerr ("skipped: there is no element %s\n", name);
  return factory == NULL;
}

/* Port of this process, so that others are not heard. */
static guint
get_port (void)
{
  return 50000 + 2 * ((guint) getpid () % 5000);
}

static GstElement *
start_sender (const Sender *sender, const gchar *options, GstElement **sink)
{
  GstElement *pipeline = test_launch ("%s name=lmcc multicast-iface=lo "
                                      "address=239.253.251.1 port=%u "
                                      "stats-update-interval=20 %s %s",
      sender->chain, get_port (), sender->options, options);

  *sink = gst_bin_get_by_name (GST_BIN (pipeline), "lmcc");
  test_watch (*sink, "stats");
  fail_unless (gst_element_set_state (pipeline, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE);
  test_wait_count (*sink, "packets-sent", 40, PATIENCE);

  return pipeline;
}

static GstElement *
start_receiver (GstElement **src)
{
  GstElement *pipeline = test_launch (
      "lmccsrc name=src multicast-iface=lo address=239.253.251.1 port=%u "
      "stats-update-interval=20 ! fakesink sync=false",
      get_port ());

  *src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  test_watch (*src, "stats");
  fail_unless (gst_element_set_state (pipeline, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE);

  return pipeline;
}

static void
stop (GstElement *pipeline, GstElement *element)
{
  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
  gst_object_unref (element);
  gst_object_unref (pipeline);
}

GST_START_TEST (test_later_receivers_show_a_picture)
{
  const Sender *given = &senders[__i__];
  gboolean asks = strstr (given->options, "feedback=false") == NULL;
  GstElement *sender, *sink, *receiver, *src;

  if (is_missing (given->encoder))
    return;
  sender = start_sender (given, "", &sink);
  receiver = start_receiver (&src);
  test_wait_count (src, "packets-delivered", 1, PATIENCE);
  fail_unless (test_get_count (sink, "key-units-requested") >= 1);
  fail_unless (asks == (test_get_count (src, "key-requests") > 0));
  fail_unless (asks == (test_get_count (sink, "key-requests") > 0));
  stop (receiver, src);
  stop (sender, sink);
}

GST_END_TEST;

/* If the user says so, the encoder gets no requests. */
GST_START_TEST (test_an_interval_of_zero_asks_for_nothing)
{
  GstElement *sender, *sink, *receiver, *src;

  if (is_missing ("x264enc"))
    return;
  sender = start_sender (&senders[0], "key-unit-interval=0", &sink);
  receiver = start_receiver (&src);
  test_wait_count (src, "key-requests", 2, PATIENCE);
  fail_unless (test_get_count (sink, "key-requests") >= 1);
  fail_unless_equals_uint64 (test_get_count (sink, "key-units-requested"), 0);
  fail_unless_equals_uint64 (test_get_count (src, "packets-delivered"), 0);
  stop (receiver, src);
  stop (sender, sink);
}

GST_END_TEST;

static GstPadProbeReturn
refuse_requests (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info,
    gpointer data G_GNUC_UNUSED)
{
  return gst_video_event_is_force_key_unit (GST_PAD_PROBE_INFO_EVENT (info))
      ? GST_PAD_PROBE_DROP
      : GST_PAD_PROBE_OK;
}

GST_START_TEST (test_an_encoder_that_does_not_answer_is_told_of)
{
  GstElement *sender, *sink, *receiver, *src;
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GstPad) pad = NULL;

  if (is_missing ("x264enc"))
    return;
  sender = start_sender (&senders[1], "", &sink);
  pad = gst_element_get_static_pad (sink, "sink_0");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, refuse_requests,
      NULL, NULL);
  receiver = start_receiver (&src);
  message = test_wait_message (sender, GST_MESSAGE_WARNING);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, "no key frame within 4 s") != NULL
          && strstr (error->message, "Set key-int-max on x264enc") != NULL,
      "%s", error->message);
  stop (receiver, src);
  stop (sender, sink);
}

GST_END_TEST;

static Suite *
key_requests_suite (void)
{
  Suite *suite = suite_create ("key-requests");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_set_timeout (tc, 60);
  tcase_add_loop_test (tc, test_later_receivers_show_a_picture, 0,
      G_N_ELEMENTS (senders));
  tcase_add_test (tc, test_an_interval_of_zero_asks_for_nothing);
  tcase_add_test (tc, test_an_encoder_that_does_not_answer_is_told_of);

  return suite;
}

GST_CHECK_MAIN (key_requests);
