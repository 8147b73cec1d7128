/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests how lmccsink drives the encoder in front of it, with a receiver on
 * the loopback interface.
 */
#include "element-tools.h"

#include <gst/check/gstcheck.h>

#define SESSION " address=239.255.76.9 multicast-iface=lo port="
#define RECEIVER                                              \
  "lmccsrc name=src stats-update-interval=20" SESSION "%u ! " \
  "fakesink sync=false"

/* A picture that no encoder can compress to a small size. */
#define SOURCE                                \
  "videotestsrc is-live=true pattern=snow ! " \
  "video/x-raw,width=320,height=180,framerate=25/1 ! "

/* In a bin, behind a queue, a parser and a payloader. */
#define ENCODER                                                            \
  "( x264enc name=encoder bitrate=600 tune=zerolatency "                   \
  "speed-preset=ultrafast threads=1 sliced-threads=false ! h264parse ) ! " \
  "queue ! rtph264pay aggregate-mode=zero-latency ! "

/* Pictures that no other picture needs are in layers above the base. */
#define CLASSES                                                          \
  "x264enc name=encoder bitrate=600 bframes=3 b-pyramid=true "           \
  "b-adapt=false speed-preset=ultrafast threads=1 sliced-threads=false " \
  "rc-lookahead=0 key-int-max=24 ! "
#define N_CLASSES 3

/* Longest wait for an expected event, s. */
#define PATIENCE 30

typedef struct
{
  GstElement *sender;
  GstElement *receiver;
  GstElement *sink;
  GstElement *encoder;
} Pair;

static void
pair_new_with (Pair *pair, const gchar *encoder, guint port,
    const gchar *options)
{
  g_autoptr (GstElement) src = NULL;

  pair->receiver = test_launch (RECEIVER, port);
  pair->sender = test_launch (SOURCE "%s lmccsink name=sink" SESSION "%u %s",
      encoder, port, options);
  pair->sink = gst_bin_get_by_name (GST_BIN (pair->sender), "sink");
  pair->encoder = gst_bin_get_by_name (GST_BIN (pair->sender), "encoder");
  test_watch (pair->encoder, "bitrate");
  src = gst_bin_get_by_name (GST_BIN (pair->receiver), "src");
  test_watch (src, "stats");
}

static void
pair_new (Pair *pair, guint port, const gchar *options)
{
  pair_new_with (pair, ENCODER, port, options);
}

static void
pair_start (Pair *pair)
{
  gst_element_set_state (pair->receiver, GST_STATE_PLAYING);
  gst_element_set_state (pair->sender, GST_STATE_PLAYING);
}

static void
pair_free (Pair *pair)
{
  gst_element_set_state (pair->sender, GST_STATE_NULL);
  gst_element_set_state (pair->receiver, GST_STATE_NULL);
  gst_object_unref (pair->sink);
  gst_object_unref (pair->encoder);
  gst_object_unref (pair->sender);
  gst_object_unref (pair->receiver);
}

static guint
get_encoder_bitrate (const Pair *pair)
{
  guint bitrate;

  g_object_get (pair->encoder, "bitrate", &bitrate, NULL);

  return bitrate;
}

static guint64
get_estimate (const Pair *pair)
{
  guint64 estimate;

  g_object_get (pair->sink, "estimated-bitrate", &estimate, NULL);

  return estimate;
}

typedef struct
{
  const Pair *pair;
  guint least;
  guint most;
} Bounds;

static gboolean
is_within (gpointer user_data)
{
  const Bounds *bounds = user_data;
  guint rate = get_encoder_bitrate (bounds->pair);

  return rate >= bounds->least && rate <= bounds->most;
}

/* Whether the encoder's rate gets into the range from @least to @most
 * kbit/s. */
static gboolean
wait_for_rate (const Pair *pair, guint least, guint most)
{
  Bounds bounds = { pair, least, most };

  return test_wait_for (is_within, &bounds, PATIENCE * G_TIME_SPAN_SECOND);
}

/* kbit/s. */
static gint least;

static void
note_least (GstElement *encoder, GParamSpec *pspec G_GNUC_UNUSED,
    gpointer user_data G_GNUC_UNUSED)
{
  guint bitrate;

  g_object_get (encoder, "bitrate", &bitrate, NULL);
  g_atomic_int_set (&least, MIN ((gint) bitrate, g_atomic_int_get (&least)));
  test_tell ();
}

static gboolean
is_least (gpointer user_data)
{
  return g_atomic_int_get (&least) == GPOINTER_TO_INT (user_data);
}

/* Not by reading the encoder: its rate may have changed meanwhile. */
static gboolean
wait_for_least (gint wanted)
{
  return test_wait_for (is_least, GINT_TO_POINTER (wanted),
      PATIENCE * G_TIME_SPAN_SECOND);
}

static const gchar *const algorithms[] = { "pgmcc", "tfmcc" };

/* The rate starts at the minimum, grows as the network allows, and stops at
 * the user's setting. */
GST_START_TEST (the_encoder_is_driven_within_its_bounds)
{
  g_autofree gchar *options =
      g_strdup_printf ("algorithm=%s drive-encoder=true min-bitrate=100000",
          algorithms[__i__]);
  g_autoptr (GstStructure) stats = NULL;
  g_autoptr (GstElement) src = NULL;
  const GstStructure *single;
  gboolean leads;
  gdouble rtt;
  Pair pair;

  g_atomic_int_set (&least, G_MAXINT);
  pair_new (&pair, 17600 + __i__, options);
  g_signal_connect (pair.encoder, "notify::bitrate", G_CALLBACK (note_least),
      NULL);
  fail_unless_equals_uint64 (get_estimate (&pair), 0);
  pair_start (&pair);
  fail_unless (wait_for_least (100), "%d kbit/s", g_atomic_int_get (&least));
  fail_unless (wait_for_rate (&pair, 300, 600), "%u kbit/s",
      get_encoder_bitrate (&pair));
  fail_unless (get_estimate (&pair) >= 250000);

  src = gst_bin_get_by_name (GST_BIN (pair.receiver), "src");
  g_object_get (src, "stats", &stats, NULL);
  fail_unless_equals_string (gst_structure_get_string (stats, "algorithm"),
      algorithms[__i__]);
  fail_unless (gst_structure_get_boolean (stats, "leads", &leads) && leads);
  fail_unless (gst_structure_get_double (stats, "rtt-ms", &rtt) && rtt > 0);
  fail_unless_equals_string (gst_structure_get_string (stats, "rtt-source"),
      "feedback");
  gst_clear_structure (&stats);
  g_object_get (pair.sink, "stats", &stats, NULL);
  fail_unless (gst_structure_has_field (stats, "single-rate"));
  single =
      gst_value_get_structure (gst_structure_get_value (stats, "single-rate"));
  fail_unless (
      gst_structure_has_field_typed (single, "bitrate", G_TYPE_DOUBLE));
  pair_free (&pair);
}

GST_END_TEST;

typedef struct
{
  GMutex lock;
  GCond cond;
  guint n;
  guint64 bitrate;
  gboolean knew_encoder;
} Seen;

static gboolean
see_bitrate (GstElement *sink G_GNUC_UNUSED, GstElement *encoder,
    guint64 bitrate, Seen *seen)
{
  g_mutex_lock (&seen->lock);
  seen->n++;
  seen->bitrate = bitrate;
  seen->knew_encoder = encoder != NULL;
  g_cond_signal (&seen->cond);
  g_mutex_unlock (&seen->lock);

  return TRUE;
}

GST_START_TEST (a_user_may_drive_the_encoder)
{
  gint64 end = g_get_monotonic_time () + PATIENCE * G_TIME_SPAN_SECOND;
  static Seen seen;
  Pair pair;

  pair_new (&pair, 17610,
      "algorithm=pgmcc drive-encoder=true "
      "min-bitrate=100000 max-bitrate=200000");
  g_signal_connect (pair.sink, "encoder-bitrate", G_CALLBACK (see_bitrate),
      &seen);
  pair_start (&pair);
  g_mutex_lock (&seen.lock);
  while (seen.n < 3)
    fail_unless (g_cond_wait_until (&seen.cond, &seen.lock, end));
  fail_unless (seen.knew_encoder);
  fail_unless (seen.bitrate >= 100000 && seen.bitrate <= 200000);
  g_mutex_unlock (&seen.lock);
  fail_unless_equals_int (get_encoder_bitrate (&pair), 600);
  pair_free (&pair);
}

GST_END_TEST;

GST_START_TEST (layers_are_not_driven)
{
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;
  Pair pair;

  pair_new (&pair, 17620, "algorithm=elm drive-encoder=true");
  pair_start (&pair);
  bus = gst_element_get_bus (pair.sender);
  message = gst_bus_timed_pop_filtered (bus, PATIENCE * GST_SECOND,
      GST_MESSAGE_WARNING);
  fail_unless (message != NULL);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, "drive-encoder") != NULL, "%s",
      error->message);
  fail_unless_equals_uint64 (get_estimate (&pair), 0);
  fail_unless_equals_int (get_encoder_bitrate (&pair), 600);
  pair_free (&pair);
}

GST_END_TEST;

/* (transfer full) */
static GstStructure *
get_stats (const Pair *pair, gboolean of_receiver)
{
  g_autoptr (GstElement) src =
      gst_bin_get_by_name (GST_BIN (pair->receiver), "src");
  GstStructure *stats;

  g_object_get (of_receiver ? src : pair->sink, "stats", &stats, NULL);

  return stats;
}

/* And joins a layer above the base. */
static gboolean
leads (gpointer user_data)
{
  g_autoptr (GstStructure) stats = get_stats (user_data, TRUE);
  g_autoptr (GstStructure) base = NULL;
  gboolean is_leader = FALSE;
  gint level = -1;

  gst_structure_get_int (stats, "level", &level);
  if (gst_structure_get (stats, "base-status", GST_TYPE_STRUCTURE, &base, NULL))
    gst_structure_get_boolean (base, "leads", &is_leader);

  return is_leader && level >= 1;
}

/* The receiver controls the rate of the base layer, and joins the layers
 * above it. */
GST_START_TEST (a_base_is_driven_below_layers)
{
  const gchar *name = algorithms[__i__];
  g_autofree gchar *options = g_strdup_printf (
      "base-algorithm=%s drive-encoder=true min-bitrate=100000", name);
  g_autoptr (GstStructure) stats = NULL, single = NULL;
  gdouble rate;
  Pair pair;

  g_atomic_int_set (&least, G_MAXINT);
  pair_new_with (&pair, CLASSES, 17640 + __i__, options);
  g_signal_connect (pair.encoder, "notify::bitrate", G_CALLBACK (note_least),
      NULL);
  stats = get_stats (&pair, TRUE);
  fail_unless_equals_string (gst_structure_get_string (stats, "base-algorithm"),
      "none");
  gst_clear_structure (&stats);
  pair_start (&pair);
  fail_unless (wait_for_least (100), "%d kbit/s", g_atomic_int_get (&least));
  fail_unless (wait_for_rate (&pair, 300, 600), "%u kbit/s",
      get_encoder_bitrate (&pair));
  fail_unless (test_wait_for (leads, &pair, PATIENCE * G_TIME_SPAN_SECOND));

  stats = get_stats (&pair, TRUE);
  fail_unless_equals_string (gst_structure_get_string (stats, "algorithm"),
      "plumb");
  fail_unless_equals_string (gst_structure_get_string (stats, "base-algorithm"),
      name);
  gst_clear_structure (&stats);
  stats = get_stats (&pair, FALSE);
  fail_unless_equals_string (gst_structure_get_string (stats, "base-algorithm"),
      name);
  fail_unless_equals_int (gst_value_array_get_size (
                              gst_structure_get_value (stats, "layers")),
      N_CLASSES);
  fail_unless (gst_structure_get (stats, "single-rate", GST_TYPE_STRUCTURE,
      &single, NULL));
  fail_unless (gst_structure_get_double (single, "bitrate", &rate) && rate > 0);
  pair_free (&pair);
}

GST_END_TEST;

/* Regardless of which pad came first. */
GST_START_TEST (the_lowest_rung_is_driven)
{
  static const gchar rungs[] =
      "tee name=t t. ! queue ! x264enc name=above "
      "bitrate=1200 tune=zerolatency speed-preset=ultrafast threads=1 ! "
      "sink.sink_1 t. ! queue ! x264enc name=encoder bitrate=600 "
      "tune=zerolatency speed-preset=ultrafast threads=1 ! sink.sink_0 ";
  g_autoptr (GstElement) above = NULL;
  guint bitrate;
  Pair pair;

  g_atomic_int_set (&least, G_MAXINT);
  pair_new_with (&pair, rungs, 17650,
      "base-algorithm=tfmcc "
      "drive-encoder=true min-bitrate=100000 key-unit-interval=1000");
  above = gst_bin_get_by_name (GST_BIN (pair.sender), "above");
  g_signal_connect (pair.encoder, "notify::bitrate", G_CALLBACK (note_least),
      NULL);
  pair_start (&pair);
  fail_unless (wait_for_least (100), "%d kbit/s", g_atomic_int_get (&least));
  g_object_get (above, "bitrate", &bitrate, NULL);
  fail_unless_equals_int (bitrate, 1200);
  pair_free (&pair);
}

GST_END_TEST;

static gboolean
see_ladder (GstElement *sink G_GNUC_UNUSED, GstElement *encoder,
    guint64 bitrate G_GNUC_UNUSED, gchar **path)
{
  gchar *seen = encoder ? gst_object_get_path_string (GST_OBJECT (encoder))
                        : g_strdup ("nothing");

  if (!g_atomic_pointer_compare_and_exchange (path, NULL, seen))
    g_free (seen);
  test_tell ();

  return FALSE;
}

static gboolean
has_path (gpointer user_data)
{
  return g_atomic_pointer_get ((gchar **) user_data) != NULL;
}

/* Raw video, of which lmccsink makes several encodings. */
GST_START_TEST (the_lowest_rung_of_a_ladder_is_driven)
{
  static gchar *path;
  Pair pair;

  pair_new_with (&pair, "identity name=encoder !", 17655,
      "base-algorithm=tfmcc drive-encoder=true encoder-settings=\"x264,"
      "bitrates=(string)\\\"200k,600k\\\"\"");
  g_signal_connect (pair.sink, "encoder-bitrate", G_CALLBACK (see_ladder),
      &path);
  pair_start (&pair);
  test_wait_for (has_path, &path, PATIENCE * G_TIME_SPAN_SECOND);
  fail_unless (path != NULL && g_str_has_suffix (path, "/GstX264Enc:x264enc-0"),
      "%s", path);
  pair_free (&pair);
  g_free (path);
}

GST_END_TEST;

typedef struct
{
  const gchar *options;
  const gchar *cause;
  const gchar *remedy;
} Refused;

/* Invalid configurations, each with cause and remedy. */
static const Refused refused[] = {
  { "algorithm=tfmcc feedback=false", "reports", "enable feedback" },
  { "base-algorithm=tfmcc feedback=false", "reports", "enable feedback" },
  { "base-algorithm=pgmcc repair=0.1", "repair", "set repair to 0" },
  { "base-algorithm=tfmcc layering=doubling layers=4", "fixed",
      "remove the rate scheme" },
  { "algorithm=pgmcc base-algorithm=tfmcc", "one rate", "use elm" },
  { "algorithm=flid-dl base-algorithm=tfmcc layering=doubling layers=4",
      "flid-dl needs a fixed rate", "use elm or rlm" },
};

GST_START_TEST (what_cannot_be_is_refused)
{
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;
  Pair pair;

  pair_new (&pair, 17660 + __i__, refused[__i__].options);
  pair_start (&pair);
  bus = gst_element_get_bus (pair.sender);
  message = gst_bus_timed_pop_filtered (bus, PATIENCE * GST_SECOND,
      GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, refused[__i__].cause) != NULL, "%s",
      error->message);
  fail_unless (strstr (error->message, refused[__i__].remedy) != NULL, "%s",
      error->message);
  pair_free (&pair);
}

GST_END_TEST;

static Suite *
single_rate_suite (void)
{
  Suite *suite = suite_create ("single-rate");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 120);
  tcase_add_loop_test (tcase, the_encoder_is_driven_within_its_bounds, 0,
      G_N_ELEMENTS (algorithms));
  tcase_add_test (tcase, a_user_may_drive_the_encoder);
  tcase_add_test (tcase, layers_are_not_driven);
  tcase_add_loop_test (tcase, a_base_is_driven_below_layers, 0,
      G_N_ELEMENTS (algorithms));
  tcase_add_test (tcase, the_lowest_rung_is_driven);
  tcase_add_test (tcase, the_lowest_rung_of_a_ladder_is_driven);
  tcase_add_loop_test (tcase, what_cannot_be_is_refused, 0,
      G_N_ELEMENTS (refused));

  return suite;
}

GST_CHECK_MAIN (single_rate);
