/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests each algorithm of a receiver in a session of each other algorithm:
 * lmccsink and lmccsrc on the loopback interface.
 */
#include "config.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <string.h>
#include <unistd.h>

/* Longest wait for an expected event; then the test fails. */
#define PATIENCE (30 * GST_SECOND)
#define LOOK_AGAIN (50 * GST_MSECOND)

/* A group of pictures of a quarter of a second, so that the window is short. */
#define SENDER                                               \
  "videotestsrc is-live=true pattern=ball "                  \
  "! video/x-raw,width=160,height=120,framerate=24/1 "       \
  "! x264enc bitrate=150 key-int-max=6 bframes=0 threads=1 " \
  "speed-preset=ultrafast option-string=scenecut=0 "         \
  "! lmccsink name=s multicast-iface=lo address=%s port=%u algorithm=%s %s"
#define LAYERS "window=900 layering=doubling layers=4 base-rate=128000"

typedef enum
{
  FOR_LAYERS,
  FOR_MARKS,   /* the sender's own, for layers */
  FOR_ONE_RATE /* for the single rate of all receivers */
} Purpose;

typedef struct
{
  const gchar *name;
  const gchar *options; /* of lmccsrc: settings for a quick start */
  Purpose purpose;
} Algorithm;

static const Algorithm algorithms[] = {
  { "elm", "", FOR_LAYERS },
  { "plumb", "", FOR_LAYERS },
  { "rlm",
      "algorithm-settings=rlm,join-timer-min=0.1,join-timer-max=0.2,"
      "detection-time=0.01,detection-deviation=0.0",
      FOR_LAYERS },
  { "rlc", "", FOR_MARKS },
  { "flid-sl", "", FOR_MARKS },
  { "flid-dl", "", FOR_MARKS },
  { "synchronized", "", FOR_MARKS },
  { "pgmcc", "", FOR_ONE_RATE },
  { "tfmcc", "", FOR_ONE_RATE },
};

static const gchar *const sessions[] = { "none", "elm", "plumb", "rlm", "rlc",
  "flid-sl", "flid-dl", "synchronized", "pgmcc", "tfmcc" };

static GstElement *
start (const gchar *line)
{
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error);

  fail_unless (error == NULL, "%s", error ? error->message : "");
  fail_unless (gst_element_set_state (pipeline, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE);
  return pipeline;
}

static void
stop (GstElement *pipeline)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

static gint
get_level (GstElement *pipeline, const gchar *algorithm)
{
  g_autoptr (GstElement) src = gst_bin_get_by_name (GST_BIN (pipeline), "r");
  g_autoptr (GstStructure) stats = NULL;
  gint level = -1;

  g_object_get (src, "stats", &stats, NULL);
  fail_unless (gst_structure_get_int (stats, "level", &level));
  if (level >= 0)
    fail_unless_equals_string (gst_structure_get_string (stats, "algorithm"),
        algorithm);
  return level;
}

/* The text of a warning that arrives within @timeout. */
static gchar *
pop_warning (GstElement *pipeline, GstClockTime timeout)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (bus, timeout,
      GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;

  if (message == NULL)
    return NULL;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else
    gst_message_parse_warning (message, &error, NULL);
  return g_strdup (error->message);
}

static void
check_runs (GstElement *pipeline, const gchar *session, const gchar *algorithm)
{
  GstClockTime waited = 0;

  while (get_level (pipeline, algorithm) < 1) {
    g_autofree gchar *warning = pop_warning (pipeline, LOOK_AGAIN);

    fail_unless (warning == NULL, "%s in a session of %s: %s", algorithm,
        session, warning);
    waited += LOOK_AGAIN;
    fail_unless (waited < PATIENCE, "%s in a session of %s stays at the base",
        algorithm, session);
  }
}

/* There is no layer above the base: the receiver only has to report. */
static void
check_reports (GstElement *pipeline, const gchar *algorithm)
{
  g_autoptr (GstElement) src = gst_bin_get_by_name (GST_BIN (pipeline), "r");
  GstClockTime waited;
  guint64 reports = 0;

  for (waited = 0; reports == 0; waited += LOOK_AGAIN) {
    g_autofree gchar *warning = pop_warning (pipeline, LOOK_AGAIN);
    g_autoptr (GstStructure) stats = NULL;

    fail_unless (warning == NULL, "%s: %s", algorithm, warning);
    fail_unless (waited < PATIENCE, "%s reports nothing", algorithm);
    g_object_get (src, "stats", &stats, NULL);
    fail_unless (gst_structure_get_uint64 (stats, "reports", &reports));
  }
  fail_unless_equals_int (get_level (pipeline, algorithm), 0);
}

static void
check_refused (GstElement *pipeline, const gchar *session,
    const gchar *algorithm)
{
  g_autofree gchar *warning = pop_warning (pipeline, PATIENCE);
  g_autofree gchar *remedy = g_strdup_printf ("start lmccsink with "
                                              "algorithm=%s",
      algorithm);

  fail_unless (warning != NULL, "%s in a session of %s says nothing", algorithm,
      session);
  fail_unless (g_str_has_prefix (warning, algorithm), "%s", warning);
  fail_unless (strstr (warning, remedy) != NULL, "%s", warning);
  fail_unless (get_level (pipeline, algorithm) <= 0);
}

static gboolean
has_one_rate (const gchar *session)
{
  return g_str_equal (session, "pgmcc") || g_str_equal (session, "tfmcc");
}

static void
check (GstElement *pipeline, const gchar *session, const Algorithm *algorithm)
{
  gboolean own = g_str_equal (algorithm->name, session);

  if (algorithm->purpose == FOR_ONE_RATE && own)
    check_reports (pipeline, algorithm->name);
  else if (own || (algorithm->purpose == FOR_LAYERS && !has_one_rate (session)))
    check_runs (pipeline, session, algorithm->name);
  else
    check_refused (pipeline, session, algorithm->name);
}

GST_START_TEST (test_an_algorithm_runs_where_its_needs_are_met)
{
  const gchar *session = sessions[__i__];
  g_autofree gchar *address =
      g_strdup_printf ("239.253.%u.1", 1 + (guint) getpid () % 250);
  guint port = 20000 + 2 * ((guint) getpid () % 20000);
  g_autofree gchar *line = g_strdup_printf (SENDER, address, port, session,
      has_one_rate (session) ? "" : LAYERS);
  GstElement *receivers[G_N_ELEMENTS (algorithms)];
  GstElement *sender = start (line);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (algorithms); i++) {
    g_autofree gchar *text = g_strdup_printf (
        "lmccsrc name=r "
        "multicast-iface=lo address=%s port=%u algorithm=%s %s "
        "! fakesink sync=false",
        address, port, algorithms[i].name, algorithms[i].options);

    receivers[i] = start (text);
  }
  for (i = 0; i < G_N_ELEMENTS (algorithms); i++)
    check (receivers[i], session, &algorithms[i]);
  for (i = 0; i < G_N_ELEMENTS (algorithms); i++)
    stop (receivers[i]);
  stop (sender);
}

GST_END_TEST;

static Suite *
algorithm_pairs_suite (void)
{
  Suite *suite = suite_create ("algorithm-pairs");
  TCase *tcase = tcase_create ("pairs");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 240);
  tcase_add_loop_test (tcase, test_an_algorithm_runs_where_its_needs_are_met, 0,
      G_N_ELEMENTS (sessions));

  return suite;
}

GST_CHECK_MAIN (algorithm_pairs);
