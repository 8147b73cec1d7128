/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the advice that users get for an encoder whose stream has a single
 * layer: it fits the encoder, and leads to the promised number of layers.
 */
#include "config.h"

#include "element-tools.h"

#include <string.h>

#include <gst/check/gstcheck.h>

#include "sink/encoder-advice.h"

/* us: longest wait for an expected event. */
#define PATIENCE (15 * G_TIME_SPAN_SECOND)

/* Stand-ins for hardware encoders: elements with only the properties that
 * configure B pictures. */

typedef struct
{
  GstElement parent;
} Stand;

typedef struct
{
  GstElementClass parent;
} StandClass;

static void
ignore_property (GObject *object G_GNUC_UNUSED, guint id G_GNUC_UNUSED,
    const GValue *value G_GNUC_UNUSED, GParamSpec *spec G_GNUC_UNUSED)
{
}

static void
stand_class_init (gpointer klass, gpointer data)
{
  const gchar *const *names = data;
  guint i;

  G_OBJECT_CLASS (klass)->set_property = ignore_property;
  gst_element_class_set_static_metadata (klass, "Stand-in",
      "Codec/Encoder/Video", "Has the properties of an encoder", "lmcc");
  for (i = 0; names[i] != NULL; i++)
    g_object_class_install_property (klass, i + 1,
        g_param_spec_int (names[i], names[i], names[i], 0, 16, 0,
            G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS));
}

static void
register_stand (const gchar *factory, const gchar *const *names)
{
  GTypeInfo info = { 0 };
  g_autofree gchar *type = g_strconcat ("Stand-", factory, NULL);

  info.class_size = sizeof (StandClass);
  info.class_init = stand_class_init;
  info.class_data = names;
  info.instance_size = sizeof (Stand);
  fail_unless (gst_element_register (NULL, factory, GST_RANK_NONE,
      g_type_register_static (GST_TYPE_ELEMENT, type, &info, 0)));
}

static void
register_stands (void)
{
  static const gchar *const vah264[] = { "b-frames", NULL };
  static const gchar *const qsvh265[] = { "bframes", NULL };
  static const gchar *const vaapih264[] = { "max-bframes", NULL };
  static const gchar *const pyramid[] = { "b-frames", "b-pyramid", NULL };
  static const gchar *const none[] = { "bitrate", NULL };

  register_stand ("standb", vah264);
  register_stand ("standbframes", qsvh265);
  register_stand ("standmax", vaapih264);
  register_stand ("standpyramid", pyramid);
  register_stand ("standnone", none);
}

/**
 * Advice:
 * @factory: (nullable): the encoder of a stream with one class
 * @encoding: its encoding name
 * @named: text that the advice contains
 * @not_named: text that it does not contain
 * @live: the pictures come from a live source
 */
typedef struct
{
  const gchar *factory;
  const gchar *encoding;
  const gchar *named;
  const gchar *not_named;
  gboolean live;
} Advice;

static const Advice advices[] = {
  { "x264enc", "H264", "Set b-pyramid=true", "openh264enc" },
  { "x264enc", "H264", "Set tune=zerolatency bframes=2", "openh264enc", TRUE },
  { "x265enc", "H265", "option-string", "x264enc" },
  { "openh264enc", "H264", "No setting of openh264enc", "x264enc" },
  { "vp8enc", "VP8", "temporal-scalability", "x264enc" },
  { "vp9enc", "VP9", "vp9svcenc", "x264enc" },
  { "avenc_h263p", "H263-1998", "No setting of avenc_h263p", "x264enc" },
  { "standb", "H264", "Set b-frames=2 on standb for two classes", "x264enc" },
  { "standb", "H264", "Set b-frames=2 on standb for two classes", "x264enc",
      TRUE },
  { "standbframes", "H265", "Set bframes=2 on standbframes for two classes",
      "x26" },
  { "standmax", "H264", "Set max-bframes=2 on standmax for two classes",
      "x264enc" },
  { "standpyramid", "H264",
      "Set b-frames=3 b-pyramid=true on standpyramid for three classes",
      "x264enc" },
  { "standpyramid", "VP8", "No setting of standpyramid", "b-pyramid" },
  { "standnone", "H264", "No setting of standnone", "x264enc" },
  { NULL, "H264", "x264enc", "(null)" },
  { NULL, "MP4V-ES", "Connect several encodings", "x264enc" },
};

GST_START_TEST (test_the_advice_is_of_the_encoder_that_is_there)
{
  const Advice *row = &advices[__i__];
  GstElement *encoder =
      row->factory ? gst_element_factory_make (row->factory, NULL) : NULL;
  g_autofree gchar *advice = NULL;

  if (encoder == NULL && row->factory) {
    g_printerr ("skipped: there is no element %s\n", row->factory);
    return;
  }
  advice = gst_lmcc_sink_advise_encoder (encoder, FALSE, row->live,
      lmcc_codec_find (row->encoding));
  fail_unless (strstr (advice, row->named) != NULL, "'%s' is not in: %s",
      row->named, advice);
  fail_unless (strstr (advice, row->not_named) == NULL, "'%s' is in: %s",
      row->not_named, advice);
  fail_unless (g_ascii_isupper (advice[0]), "%s", advice);
  gst_clear_object (&encoder);
}

GST_END_TEST;

/**
 * Layered:
 * @factory: the encoder
 * @encoding: its encoding name
 * @live: the pictures come from a live source
 * @behind: elements between it and lmccsink
 * @layers: number of layers with the advised settings
 */
typedef struct
{
  const gchar *factory;
  const gchar *encoding;
  gboolean live;
  const gchar *behind;
  guint layers;
} Layered;

static const Layered layered[] = {
  { "x264enc", "H264", TRUE, "", 3 },
  { "x264enc", "H264", FALSE, "", 3 },
  { "x264enc", "H264", TRUE, "! h264parse", 3 },
  { "x264enc", "H264", TRUE, "! rtph264pay config-interval=-1", 3 },
  { "x264enc", "H264", TRUE, "! rtph264pay config-interval=-1 ! queue", 3 },
  { "x265enc", "H265", FALSE, "", 2 },
};

/* (transfer full): the settings from "Set SETTINGS on ENCODER ..." */
static gchar *
get_settings (const gchar *advice, const gchar *encoder)
{
  g_autofree gchar *on = g_strdup_printf (" on %s", encoder);
  const gchar *end = strstr (advice, on);

  fail_unless (g_str_has_prefix (advice, "Set ") && end != NULL, "%s", advice);
  return g_strndup (advice + strlen ("Set "),
      (gsize) (end - advice) - strlen ("Set "));
}

static guint
count_layers (GstElement *sink)
{
  g_autoptr (GstStructure) stats = NULL;
  const GValue *layers;

  g_object_get (sink, "stats", &stats, NULL);
  layers = gst_structure_get_value (stats, "layers");
  return layers ? gst_value_array_get_size (layers) : 0;
}

typedef struct
{
  GstElement *sink;
  guint layers;
} Wanted;

static gboolean
has_layers (gpointer wanted)
{
  const Wanted *w = wanted;

  return count_layers (w->sink) == w->layers;
}

GST_START_TEST (test_what_is_advised_gives_as_many_layers_as_it_says)
{
  const Layered *row = &layered[__i__];
  GstElement *encoder = gst_element_factory_make (row->factory, NULL);
  g_autofree gchar *advice = NULL, *settings = NULL, *line = NULL;
  GstElement *pipeline;
  Wanted wanted = { NULL, row->layers };

  if (encoder == NULL) {
    g_printerr ("skipped: there is no element %s\n", row->factory);
    return;
  }
  advice = gst_lmcc_sink_advise_encoder (encoder, FALSE, row->live,
      lmcc_codec_find (row->encoding));
  settings = get_settings (advice, row->factory);
  line =
      g_strdup_printf ("videotestsrc pattern=ball is-live=true ! video/x-raw,"
                       "width=96,height=64,framerate=30/1 ! %s %s "
                       "key-int-max=30 %s ! lmccsink name=s "
                       "stats-update-interval=20",
          row->factory, settings, row->behind);
  pipeline = test_launch_sink (line, NULL);
  wanted.sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  test_watch (wanted.sink, "stats");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  fail_unless (test_wait_for (has_layers, &wanted, PATIENCE),
      "%u layers with: %s", count_layers (wanted.sink), settings);
  gst_object_unref (wanted.sink);
  test_end_pipeline (pipeline);
  gst_object_unref (encoder);
}

GST_END_TEST;

/**
 * Choice:
 * @raw: caps of the source
 * @encoded: caps of the encoder's output
 * @profile: the profile that it then chooses
 */
typedef struct
{
  const gchar *raw;
  const gchar *encoded;
  const gchar *profile;
} Choice;

static const Choice choices[] = {
  { "video/x-raw", "video/x-h264", "high" },
  { "video/x-raw,format=Y444", "video/x-h264", "high-4:4:4" },
  { "video/x-raw", "video/x-h264,profile=constrained-baseline",
      "constrained-baseline" },
};

static gboolean
is_sent (gpointer sink)
{
  return test_get_count (sink, "packets-sent") >= 50;
}

/* Chosen once: elements linked after the first picture do not change the
 * choice. */
GST_START_TEST (test_who_may_choose_takes_a_profile_that_has_layers)
{
  const Choice *choice = &choices[__i__];
  g_autoptr (GstElementFactory) factory = gst_element_factory_find ("x264enc");
  g_autoptr (GstElement) sink = NULL, encoder = NULL;
  g_autoptr (GstPad) pad = NULL;
  g_autoptr (GstCaps) caps = NULL;
  g_autofree gchar *line = NULL;
  GstElement *pipeline;

  if (factory == NULL) {
    g_printerr ("skipped: there is no element x264enc\n");
    return;
  }
  line = g_strdup_printf ("videotestsrc is-live=true ! %s,width=96,height=64 ! "
                          "x264enc name=e tune=zerolatency ! %s ! "
                          "lmccsink name=s stats-update-interval=20",
      choice->raw, choice->encoded);
  pipeline = test_launch_sink (line, NULL);
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  encoder = gst_bin_get_by_name (GST_BIN (pipeline), "e");
  pad = gst_element_get_static_pad (encoder, "src");
  test_watch (sink, "stats");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  fail_unless (test_wait_for (is_sent, sink, PATIENCE));
  caps = gst_pad_get_current_caps (pad);
  fail_unless_equals_string (
      gst_structure_get_string (gst_caps_get_structure (caps, 0), "profile"),
      choice->profile);
  test_end_pipeline (pipeline);
}

GST_END_TEST;

static Suite *
encoder_advice_suite (void)
{
  Suite *suite = suite_create ("encoder-advice");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_unchecked_fixture (tcase, register_stands, NULL);
  tcase_add_loop_test (tcase, test_the_advice_is_of_the_encoder_that_is_there,
      0, G_N_ELEMENTS (advices));
  tcase_add_loop_test (tcase,
      test_what_is_advised_gives_as_many_layers_as_it_says, 0,
      G_N_ELEMENTS (layered));
  tcase_add_loop_test (tcase,
      test_who_may_choose_takes_a_profile_that_has_layers, 0,
      G_N_ELEMENTS (choices));

  return suite;
}

GST_CHECK_MAIN (encoder_advice);
