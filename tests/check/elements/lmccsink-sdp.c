/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the session description of lmccsink for players without support for
 * layers, and when it is available.
 */
#include "element-tools.h"

#include <gst/app/gstappsrc.h>
#include <gst/check/gstcheck.h>
#include <string.h>

#define PATIENCE (15 * G_TIME_SPAN_SECOND)

#define RTP(rest) \
  "application/x-rtp,media=video,clock-rate=90000,payload=96," rest

typedef struct
{
  GstElement *pipeline;
  GstElement *sink;
  GstAppSrc *source;
  guint n;
  const gchar *wanted;
} Sender;

typedef struct
{
  const gchar *caps;
  const gchar *line; /* NULL: no a=fmtp */
} Row;

static const Row rows[] = {
  { RTP ("encoding-name=H264,packetization-mode=(string)1,"
         "profile-level-id=(string)42c01e,"
         "sprop-parameter-sets=(string)\"Z0LAHg\\=\\=,aM4=\""),
      "a=fmtp:96 packetization-mode=1;profile-level-id=42c01e;"
      "sprop-parameter-sets=Z0LAHg==,aM4=\r\n" },
  { RTP ("encoding-name=H264"), NULL },
};

static void
sender_init (Sender *self, const gchar *options, const gchar *caps)
{
  g_autoptr (GstCaps) format = gst_caps_from_string (caps);
  g_autofree gchar *line = g_strdup_printf (
      "appsrc name=source format=time ! lmccsink name=s address=239.77.21.1 "
      "sync=false %s",
      options);

  memset (self, 0, sizeof (*self));
  self->pipeline = test_launch_sink (line, NULL);
  self->sink = gst_bin_get_by_name (GST_BIN (self->pipeline), "s");
  self->source =
      GST_APP_SRC (gst_bin_get_by_name (GST_BIN (self->pipeline), "source"));
  g_object_set (self->source, "caps", format, NULL);
  test_watch (self->sink, "sdp");
  gst_element_set_state (self->pipeline, GST_STATE_PLAYING);
}

static void
sender_clear (Sender *self)
{
  gst_object_unref (self->source);
  gst_object_unref (self->sink);
  test_end_pipeline (self->pipeline);
}

static gchar *
get_sdp (Sender *self)
{
  gchar *text = NULL;

  g_object_get (self->sink, "sdp", &text, NULL);

  return text;
}

static gboolean
has_wanted (gpointer user_data)
{
  Sender *self = user_data;
  g_autofree gchar *text = get_sdp (self);

  return text != NULL && strstr (text, self->wanted) != NULL;
}

/* Sends some pictures; then the description must contain @wanted. */
static void
push (Sender *self, const gchar *wanted)
{
  guint until = self->n + 16;
  g_autofree gchar *text = NULL;

  while (self->n < until)
    gst_app_src_push_buffer (self->source, test_make_picture (self->n++));
  self->wanted = wanted;
  if (!test_wait_for (has_wanted, self, PATIENCE)) {
    text = get_sdp (self);
    fail ("%s is not in %s", wanted, text);
  }
}

GST_START_TEST (test_parameters_of_the_lowest_rung_are_said)
{
  const Row *row = &rows[__i__];
  g_autofree gchar *text = NULL;
  LmccSession session;
  Sender sender;

  sender_init (&sender, "", row->caps);
  push (&sender, row->line != NULL ? row->line : "m=video");
  text = get_sdp (&sender);
  fail_unless (strstr (text, "\r\ns=lmcc layered multicast\r\n") != NULL);
  fail_unless (strstr (text, "\r\na=recvonly\r\n") != NULL);
  fail_unless ((strstr (text, "a=fmtp:") != NULL) == (row->line != NULL));
  fail_unless (lmcc_sdp_parse (text, -1, &session, NULL));
  sender_clear (&sender);
}

GST_END_TEST;

static guint
get_version (const gchar *sdp)
{
  LmccSession session;

  fail_unless (lmcc_sdp_parse (sdp, -1, &session, NULL));

  return session.revision;
}

/* An encoder with other settings has other parameters. */
GST_START_TEST (test_parameters_that_change_are_said_again)
{
  g_autofree gchar *before = NULL, *after = NULL;
  g_autoptr (GstCaps) caps = gst_caps_from_string (
      RTP ("encoding-name=H264,sprop-parameter-sets=(string)\"Z2QA,aOs\""));
  Sender sender;

  sender_init (&sender,
      "session-name=Lecture layering=equal layers=1 base-rate=1000000 "
      "window=1000",
      rows[0].caps);
  push (&sender, "a=fmtp:96 packetization-mode=1;");
  before = get_sdp (&sender);
  fail_unless (strstr (before, "\r\ns=Lecture\r\n") != NULL, "%s", before);
  gst_app_src_set_caps (sender.source, caps);
  push (&sender, "a=fmtp:96 sprop-parameter-sets=Z2QA,aOs\r\n");
  after = get_sdp (&sender);
  fail_unless (strstr (after, "packetization-mode") == NULL, "%s", after);
  /* RFC 8866 section 5.2. */
  fail_unless (get_version (after) > get_version (before));
  sender_clear (&sender);
}

GST_END_TEST;

static Suite *
lmccsink_sdp_suite (void)
{
  Suite *suite = suite_create ("lmccsink-sdp");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  tcase_add_loop_test (tcase, test_parameters_of_the_lowest_rung_are_said, 0,
      G_N_ELEMENTS (rows));
  tcase_add_test (tcase, test_parameters_that_change_are_said_again);

  return suite;
}

GST_CHECK_MAIN (lmccsink_sdp);
