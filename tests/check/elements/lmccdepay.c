/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests lmccdepay: RTP of one codec after another, and players that
 * continue.
 */
#include "element-tools.h"

#include <gst/app/gstappsrc.h>
#include <gst/check/gstcheck.h>
#include <stdio.h>
#include <string.h>

#define PATIENCE (30 * G_TIME_SPAN_SECOND)

#define RTP(encoding)                                          \
  "application/x-rtp,media=video,clock-rate=90000,payload=96," \
  "lmcc=(boolean)true,encoding-name=" encoding

#define N_PADS 4

/**
 * Depay:
 * @ids: names of the streams of each source pad, in the order of the pads
 * @ended: whether its stream has ended
 * @removed: whether the pad was removed
 * @n: number of pads so far
 */
typedef struct
{
  GstElement *element;
  GstPad *source;
  GstPad *sinks[N_PADS];
  gchar *ids[N_PADS];
  gboolean ended[N_PADS];
  gboolean removed[N_PADS];
  guint n;
} Depay;

static gboolean
take_event (GstPad *pad, GstObject *parent G_GNUC_UNUSED, GstEvent *event)
{
  Depay *self = gst_pad_get_element_private (pad);
  const gchar *id;
  guint i = 0;

  while (self->sinks[i] != pad)
    i++;
  if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START) {
    gst_event_parse_stream_start (event, &id);
    g_free (self->ids[i]);
    self->ids[i] = g_strdup (id);
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS) {
    self->ended[i] = TRUE;
    /* The next pad already exists. */
    fail_unless_equals_int (self->n, i + 2);
  }
  gst_event_unref (event);
  return TRUE;
}

static void
on_added (GstElement *element G_GNUC_UNUSED, GstPad *pad, gpointer user_data)
{
  Depay *self = user_data;
  GstPad *sink = gst_pad_new (NULL, GST_PAD_SINK);

  fail_unless (self->n < N_PADS);
  gst_pad_set_element_private (sink, self);
  gst_pad_set_event_function (sink, take_event);
  gst_pad_set_active (sink, TRUE);
  self->sinks[self->n++] = gst_object_ref_sink (sink);
  fail_unless_equals_int (gst_pad_link (pad, sink), GST_PAD_LINK_OK);
}

static void
on_removed (GstElement *element G_GNUC_UNUSED, GstPad *pad, gpointer user_data)
{
  Depay *self = user_data;
  guint index = 0;

  sscanf (GST_PAD_NAME (pad), "src_%u", &index);
  self->removed[index] = TRUE;
}

static void
depay_start (Depay *self)
{
  g_autoptr (GstPad) sink = gst_element_get_static_pad (self->element, "sink");

  gst_element_set_state (self->element, GST_STATE_PLAYING);
  self->source = gst_object_ref_sink (gst_pad_new ("source", GST_PAD_SRC));
  gst_pad_set_active (self->source, TRUE);
  fail_unless_equals_int (gst_pad_link (self->source, sink), GST_PAD_LINK_OK);
  gst_pad_push_event (self->source, gst_event_new_stream_start ("a"));
}

static void
depay_init (Depay *self)
{
  memset (self, 0, sizeof (*self));
  self->element =
      gst_object_ref_sink (gst_element_factory_make ("lmccdepay", NULL));
  g_signal_connect (self->element, "pad-added", G_CALLBACK (on_added), self);
  g_signal_connect (self->element, "pad-removed", G_CALLBACK (on_removed),
      self);
  depay_start (self);
}

static void
depay_stop (Depay *self)
{
  guint i;

  if (self->source == NULL)
    return;
  gst_pad_set_active (self->source, FALSE);
  gst_element_set_state (self->element, GST_STATE_NULL);
  gst_clear_object (&self->source);
  for (i = 0; i < self->n; i++) {
    gst_pad_set_active (self->sinks[i], FALSE);
    gst_clear_object (&self->sinks[i]);
    g_clear_pointer (&self->ids[i], g_free);
  }
}

static void
depay_clear (Depay *self)
{
  depay_stop (self);
  gst_clear_object (&self->element);
}

static void
push_caps (Depay *self, const gchar *text)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);

  gst_pad_push_event (self->source, gst_event_new_caps (caps));
}

/* Data that waits is flushed with it. */
static GstFlowReturn
push_picture (Depay *self)
{
  g_autoptr (GstEvent) before =
      gst_pad_get_sticky_event (self->source, GST_EVENT_SEGMENT, 0);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  if (before == NULL)
    gst_pad_push_event (self->source, gst_event_new_segment (&segment));
  return gst_pad_push (self->source, test_make_picture (0));
}

GST_START_TEST (test_another_codec_gets_another_pad)
{
  Depay depay;

  depay_init (&depay);
  push_caps (&depay, RTP ("H264"));
  fail_unless_equals_int (depay.n, 1);
  push_caps (&depay, RTP ("H264,packetization-mode=(string)1"));
  fail_unless_equals_int (depay.n, 1);
  push_picture (&depay);
  fail_unless_equals_string (depay.ids[0], "a");
  push_caps (&depay, RTP ("VP8"));
  fail_unless_equals_int (depay.n, 2);
  fail_unless (depay.ended[0] && depay.removed[0]);
  push_picture (&depay);
  fail_unless_equals_string (depay.ids[1], "a/1");
  push_caps (&depay, RTP ("H264"));
  push_picture (&depay);
  fail_unless_equals_int (depay.n, 3);
  fail_unless (depay.ended[1] && depay.removed[1] && !depay.removed[2]);
  depay_clear (&depay);
}

GST_END_TEST;

GST_START_TEST (test_it_begins_anew_after_it_was_stopped)
{
  Depay depay;
  guint i;

  depay_init (&depay);
  for (i = 0; i < 3; i++) {
    if (i > 0) {
      depay.n = 0;
      memset (depay.removed, 0, sizeof (depay.removed));
      memset (depay.ended, 0, sizeof (depay.ended));
      depay_start (&depay);
    }
    push_caps (&depay, RTP ("H264"));
    push_picture (&depay);
    fail_unless_equals_string (depay.ids[0], "a");
    push_caps (&depay, RTP ("VP8"));
    depay_stop (&depay);
    fail_unless (depay.removed[1]);
  }
  depay_clear (&depay);
}

GST_END_TEST;

/* The missing element is reported, and the previous codec continues. */
GST_START_TEST (test_a_codec_without_depayloader_is_refused_by_its_name)
{
  GstBus *bus = gst_bus_new ();
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;
  Depay depay;

  depay_init (&depay);
  gst_element_set_bus (depay.element, bus);
  push_caps (&depay, RTP ("H264"));
  push_caps (&depay, RTP ("NONESUCH"));
  fail_unless_equals_int (push_picture (&depay), GST_FLOW_NOT_NEGOTIATED);
  fail_unless_equals_int (depay.n, 1);
  fail_if (depay.removed[0]);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, "depayloader for NONESUCH") != NULL,
      "%s", error->message);
  fail_unless (strstr (error->message, "gstreamer1.0-plugins-good") != NULL);
  gst_element_set_bus (depay.element, NULL);
  gst_object_unref (bus);
  depay_clear (&depay);
}

GST_END_TEST;

#define SENDER(encoder)                                              \
  "videotestsrc is-live=true ! "                                     \
  "video/x-raw,width=160,height=120,framerate=30/1 ! " encoder " ! " \
  "lmccsink name=s"

static const gchar *const encoders[] = {
  SENDER ("x264enc tune=zerolatency key-int-max=10 speed-preset=ultrafast"),
  SENDER ("vp8enc deadline=1 keyframe-max-dist=10"),
  SENDER ("x264enc tune=zerolatency key-int-max=10 speed-preset=ultrafast"),
};

typedef struct
{
  GstElement *player;
  gint shown;
} Player;

static void
on_picture (GstElement *sink G_GNUC_UNUSED, GstBuffer *buffer G_GNUC_UNUSED,
    GstPad *pad G_GNUC_UNUSED, gpointer player)
{
  g_atomic_int_inc (&((Player *) player)->shown);
  test_tell ();
}

/* A few more than those in transit when the codec changed. */
static gboolean
shows (gpointer user_data)
{
  Player *player = user_data;
  g_autoptr (GstBus) bus = gst_element_get_bus (player->player);
  g_autoptr (GstMessage) message =
      gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);

  fail_unless (message == NULL, "the player ended");
  return g_atomic_int_get (&player->shown) >= 60;
}

GST_START_TEST (test_playbin_goes_on_with_another_codec)
{
  Player player = { gst_element_factory_make ("playbin", NULL), 0 };
  GstElement *screen = gst_element_factory_make ("fakesink", NULL);
  g_autofree gchar *uri = NULL;
  GstElement *sender;
  gint port = 0;
  guint i;

  g_object_set (screen, "sync", TRUE, "signal-handoffs", TRUE, NULL);
  g_signal_connect (screen, "handoff", G_CALLBACK (on_picture), &player);
  g_object_set (player.player, "video-sink", screen, NULL);
  for (i = 0; i < G_N_ELEMENTS (encoders); i++) {
    sender = test_launch_sink (encoders[i], &port);
    if (uri == NULL) {
      uri = g_strdup_printf ("lmcc://239.255.42.1:%d?multicast-iface=lo", port);
      g_object_set (player.player, "uri", uri, NULL);
      gst_element_set_state (player.player, GST_STATE_PLAYING);
    }
    gst_element_set_state (sender, GST_STATE_PLAYING);
    g_atomic_int_set (&player.shown, 0);
    fail_unless (test_wait_for (shows, &player, PATIENCE), "sender %u", i);
    test_end_pipeline (sender);
  }
  test_end_pipeline (player.player);
}

GST_END_TEST;

static Suite *
lmccdepay_suite (void)
{
  Suite *suite = suite_create ("lmccdepay");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 120);
  tcase_add_test (tcase, test_another_codec_gets_another_pad);
  tcase_add_test (tcase, test_it_begins_anew_after_it_was_stopped);
  tcase_add_test (tcase,
      test_a_codec_without_depayloader_is_refused_by_its_name);
  tcase_add_test (tcase, test_playbin_goes_on_with_another_codec);

  return suite;
}

GST_CHECK_MAIN (lmccdepay);
