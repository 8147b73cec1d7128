/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests lmccsrc at the end of a session: the output of its pads before EOS,
 * and its behaviour without EOS.
 */
#include "element-tools.h"
#include "fake-sender.h"
#include "src-tools.h"

#include <gst/check/gstcheck.h>
#include <unistd.h>

/* Of this process, so that tests running at the same time are not heard. */
#define PORT ((guint16) (20000 + (getpid () % 20000) * 2))
#define GROUP "239.77.19.1"

/* This number of latest pictures is checked: more than the encoder reorders. */
#define LAST 12

#define PICTURES "75"
#define SOUNDS "150" /* each of 20 ms */

/* B pictures of two classes, each in its own layer. */
#define VIDEO                                                        \
  "videotestsrc is-live=true num-buffers=" PICTURES " pattern=ball " \
  "! video/x-raw,width=160,height=120,framerate=25/1 "               \
  "! x264enc aud=false key-int-max=24 bframes=3 b-pyramid=true "     \
  "speed-preset=ultrafast ! identity name=sent "                     \
  "! video/x-h264,stream-format=byte-stream,alignment=au ! lmcc. "
#define SOUND                                                    \
  "audiotestsrc is-live=true num-buffers=" SOUNDS " wave=ticks " \
  "samplesperbuffer=960 ! audio/x-raw,rate=48000,channels=1 "    \
  "! opusenc ! lmcc.audio_sink "
#define DEPAYLOADED                                          \
  "! rtph264depay ! video/x-h264,stream-format=byte-stream," \
  "alignment=au ! identity name=received ! fakesink sync=%s "

typedef struct
{
  const gchar *sound;
  const gchar *sync; /* of the video sink; one sink holds pictures back */
} Row;

static const Row rows[] = {
  { "", "false" },
  { "", "true" },
  { SOUND, "false" },
};

typedef struct
{
  gchar *sums[LAST]; /* in a ring buffer */
  guint n;
} Pictures;

/* Key frames are not compared, because the parameter sets before them depend
 * on the payloader. */
static void
note_picture (GstElement *identity G_GNUC_UNUSED, GstBuffer *buffer,
    Pictures *pictures)
{
  GstMapInfo map;

  if (!GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT))
    return;
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  g_free (pictures->sums[pictures->n % LAST]);
  pictures->sums[pictures->n++ % LAST] =
      g_compute_checksum_for_data (G_CHECKSUM_SHA256, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
}

static void
watch (GstElement *pipeline, const gchar *name, Pictures *pictures)
{
  g_autoptr (GstElement) identity =
      gst_bin_get_by_name (GST_BIN (pipeline), name);

  g_signal_connect (identity, "handoff", G_CALLBACK (note_picture), pictures);
}

static void
clear (Pictures *pictures)
{
  guint i;

  for (i = 0; i < LAST; i++)
    g_free (pictures->sums[i]);
}

static void
wait_eos (GstElement *pipeline)
{
  g_autoptr (GstMessage) message =
      test_wait_message (pipeline, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_EOS);
}

static GstElement *
launch_receiver (const Row *row)
{
  return test_launch ("lmccsrc name=lmcc algorithm=none eos-on-bye=true "
                      "uri=lmcc://" GROUP ":%u?multicast-iface=lo&latency=1000 "
                      "lmcc.src " DEPAYLOADED "%s",
      PORT, row->sync,
      row->sound[0] != '\0' ? "lmcc.audio ! rtpopusdepay ! fakesink" : "");
}

/* Each pad sends EOS, and none before the last picture. */
GST_START_TEST (test_the_last_pictures_come_before_eos)
{
  const Row *row = &rows[__i__];
  GstElement *receiver = launch_receiver (row);
  GstElement *sender = test_launch ("lmccsink name=lmcc address=" GROUP
                                    " port=%u multicast-iface=lo "
                                    "algorithm=none " VIDEO "%s",
      PORT, row->sound);
  Pictures sent = { 0 }, received = { 0 };
  guint i;

  watch (sender, "sent", &sent);
  watch (receiver, "received", &received);
  gst_element_set_state (receiver, GST_STATE_PLAYING);
  gst_element_set_state (sender, GST_STATE_PLAYING);
  wait_eos (sender);
  test_end_pipeline (sender);
  wait_eos (receiver);
  test_end_pipeline (receiver);

  fail_unless (sent.n > LAST && received.n > LAST);
  for (i = 1; i <= LAST; i++)
    fail_unless_equals_string (received.sums[(received.n - i) % LAST],
        sent.sums[(sent.n - i) % LAST]);
  clear (&sent);
  clear (&received);
}

GST_END_TEST;

static void
receiver_init_with (TestSrc *receiver, const gchar *options,
    const gchar *sink_options)
{
  g_autofree gchar *uri =
      g_strdup_printf ("lmcc://%s:%u?multicast-iface=lo", GROUP, PORT);

  test_src_init (receiver, options, uri, sink_options);
  test_src_play (receiver);
}

static void
receiver_init (TestSrc *receiver, const gchar *options)
{
  receiver_init_with (receiver, options,
      "max-buffers=10 drop=true wait-on-eos=false");
}

static gboolean
is_eos (TestSrc *receiver)
{
  gboolean eos;

  g_object_get (receiver->sink, "eos", &eos, NULL);

  return eos;
}

GST_START_TEST (test_without_being_asked_to_it_waits_for_the_next_session)
{
  FakeSender *sender = fake_sender_start (GROUP, PORT, 1, NULL);
  TestSrc receiver;

  receiver_init (&receiver, "");
  test_src_await (&receiver);
  fake_sender_stop (sender);
  gst_message_unref (test_src_wait (&receiver, "lmcc-unheard"));
  fail_if (is_eos (&receiver));
  sender = fake_sender_start (GROUP, PORT, 1, NULL);
  while (test_get_count (receiver.src, "sources") < 2)
    test_src_await (&receiver);
  fake_sender_stop (sender);
  test_src_clear (&receiver);
}

GST_END_TEST;

/* Going to PAUSED and back changes nothing. An appsink forgets EOS in NULL. */
GST_START_TEST (test_after_eos_it_has_to_be_started_anew)
{
  TestSrc receiver;
  guint i;

  receiver_init (&receiver, "eos-on-bye=true");
  for (i = 0; i < 2; i++) {
    FakeSender *sender = fake_sender_start (GROUP, PORT, 1, NULL);

    test_src_await (&receiver);
    fake_sender_stop (sender);
    wait_eos (receiver.pipeline);
    gst_element_set_state (receiver.pipeline, GST_STATE_PAUSED);
    gst_element_set_state (receiver.pipeline, GST_STATE_PLAYING);
    fail_unless (is_eos (&receiver));
    gst_element_set_state (receiver.pipeline, GST_STATE_NULL);
    test_src_play (&receiver);
  }
  test_src_clear (&receiver);
}

GST_END_TEST;

/* A warning before EOS gives the reason. */
GST_START_TEST (test_a_sender_that_vanished_is_the_end_too)
{
  FakeSender *sender = fake_sender_start (GROUP, PORT, 1, NULL);
  TestSrc receiver;
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  receiver_init (&receiver, "eos-on-bye=true eos-timeout=700");
  test_src_await (&receiver);
  fake_sender_kill (sender);
  message = test_wait_message (receiver.pipeline,
      GST_MESSAGE_WARNING | GST_MESSAGE_EOS);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_WARNING);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, "for 0.7 s") != NULL, "%s",
      error->message);
  wait_eos (receiver.pipeline);
  test_src_clear (&receiver);
}

GST_END_TEST;

static void
flush (TestSrc *receiver, gboolean reset_time)
{
  fail_unless (
      gst_element_send_event (receiver->src, gst_event_new_flush_start ()));
  fail_unless (gst_element_send_event (receiver->src,
      gst_event_new_flush_stop (reset_time)));
}

static GstClockTime
get_latency (TestSrc *receiver)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (receiver->src, "src");
  GstQuery *query = gst_query_new_latency ();
  GstClockTime latency;
  gboolean live;

  fail_unless (gst_pad_query (pad, query));
  gst_query_parse_latency (query, &live, &latency, NULL);
  fail_unless (live);
  gst_query_unref (query);

  return latency;
}

/* The last pictures are to be shown like those before them. */
GST_START_TEST (test_a_flush_after_the_end_leaves_it_the_end)
{
  static const gchar *const options[] = { "eos-on-bye=true", "num-buffers=50" };
  FakeSender *sender = fake_sender_start (GROUP, PORT, 1, NULL);
  GstClockTime latency;
  TestSrc receiver;
  guint i;

  receiver_init (&receiver, options[__i__]);
  test_src_await (&receiver);
  latency = get_latency (&receiver);
  fail_unless (latency > LMCC_DEFAULT_LATENCY);
  if (__i__ == 0)
    fake_sender_stop (sender);
  wait_eos (receiver.pipeline);
  for (i = 0; i < 3; i++) {
    flush (&receiver, i % 2 == 0);
    wait_eos (receiver.pipeline);
    fail_unless (is_eos (&receiver));
    fail_unless_equals_uint64 (get_latency (&receiver), latency);
  }
  gst_element_set_state (receiver.pipeline, GST_STATE_PAUSED);
  flush (&receiver, TRUE);
  gst_element_set_state (receiver.pipeline, GST_STATE_PLAYING);
  wait_eos (receiver.pipeline);
  fail_unless_equals_uint64 (get_latency (&receiver), latency);
  test_src_clear (&receiver);
  if (__i__ > 0)
    fake_sender_stop (sender);
}

GST_END_TEST;

GST_START_TEST (test_a_flush_takes_back_an_eos_that_was_sent_to_the_source)
{
  FakeSender *sender = fake_sender_start (GROUP, PORT, 1, NULL);
  TestSrc receiver;
  guint i;

  receiver_init (&receiver, "eos-on-bye=true");
  for (i = 0; i < 2; i++) {
    test_src_await (&receiver);
    fail_unless (gst_element_send_event (receiver.src, gst_event_new_eos ()));
    wait_eos (receiver.pipeline);
    flush (&receiver, TRUE);
    test_src_await (&receiver);
    fail_if (is_eos (&receiver));
  }
  fake_sender_stop (sender);
  wait_eos (receiver.pipeline);
  test_src_clear (&receiver);
}

GST_END_TEST;

static gint
count_until_eos (TestSrc *receiver)
{
  GstSample *sample;
  gint n = 0;

  for (;;) {
    g_signal_emit_by_name (receiver->sink, "try-pull-sample",
        (guint64) TEST_SRC_PATIENCE, &sample);
    if (sample == NULL)
      return n;
    gst_sample_unref (sample);
    n++;
  }
}

/* Also if the sender continues, and after a state change. */
GST_START_TEST (test_num_buffers_limits_the_output)
{
  static const gint numbers[] = { 0, 1, 25 };
  FakeSender *sender = fake_sender_start (GROUP, PORT, 1, NULL);
  g_autofree gchar *options =
      g_strdup_printf ("num-buffers=%d", numbers[__i__]);
  TestSrc receiver;
  guint i;

  receiver_init_with (&receiver, options, "");
  for (i = 0; i < 2; i++) {
    fail_unless_equals_int (count_until_eos (&receiver), numbers[__i__]);
    fail_unless (is_eos (&receiver));
    wait_eos (receiver.pipeline);
    gst_element_set_state (receiver.pipeline, GST_STATE_NULL);
    test_src_play (&receiver);
  }
  test_src_clear (&receiver);
  fake_sender_stop (sender);
}

GST_END_TEST;

GST_START_TEST (test_the_sound_ends_with_the_buffers_of_the_video)
{
  GstElement *receiver =
      test_launch ("lmccsrc name=lmcc algorithm=none num-buffers=20 "
                   "uri=lmcc://" GROUP ":%u?multicast-iface=lo "
                   "lmcc.src ! fakesink lmcc.audio ! rtpopusdepay ! fakesink",
          PORT);
  GstElement *sender = test_launch ("lmccsink name=lmcc address=" GROUP
                                    " port=%u multicast-iface=lo "
                                    "algorithm=none " VIDEO SOUND,
      PORT);

  gst_element_set_state (receiver, GST_STATE_PLAYING);
  gst_element_set_state (sender, GST_STATE_PLAYING);
  wait_eos (receiver);
  test_end_pipeline (receiver);
  test_end_pipeline (sender);
}

GST_END_TEST;

static Suite *
lmccsrc_eos_suite (void)
{
  Suite *suite = suite_create ("lmccsrc-eos");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  tcase_add_loop_test (tcase, test_the_last_pictures_come_before_eos, 0,
      G_N_ELEMENTS (rows));
  tcase_add_test (tcase,
      test_without_being_asked_to_it_waits_for_the_next_session);
  tcase_add_loop_test (tcase, test_num_buffers_limits_the_output, 0, 3);
  tcase_add_test (tcase, test_a_sender_that_vanished_is_the_end_too);
  tcase_add_loop_test (tcase, test_a_flush_after_the_end_leaves_it_the_end, 0,
      2);
  tcase_add_test (tcase,
      test_a_flush_takes_back_an_eos_that_was_sent_to_the_source);
  tcase_add_test (tcase, test_the_sound_ends_with_the_buffers_of_the_video);
  tcase_add_test (tcase, test_after_eos_it_has_to_be_started_anew);

  return suite;
}

GST_CHECK_MAIN (lmccsrc_eos);
