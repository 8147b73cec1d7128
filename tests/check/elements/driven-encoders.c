/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the encoders that lmccsink drives: they change their rate while
 * running, and encoders with layers change it in all layers.
 */
#include "element-tools.h"

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/rtp/rtp.h>
#include <string.h>

#define MAX_CLASSES 16

#define WIDTH 96
#define HEIGHT 64
#define CAPS "video/x-raw,format=I420,width=96,height=64,framerate=24/1"

/* RFC 5371 section 4.2: the priority, from which RFC 5372 makes layers. */
#define HEADERS 20
#define PRIORITY_AT 1

#define SESSION " address=239.255.76.10 multicast-iface=lo port="
#define PATIENCE 30

typedef struct
{
  const gchar *name;
  const gchar *launch;
  guint n_classes;
  guint64 full; /* bit/s */
  guint n_pictures;
  gdouble tolerance;
} Ladder;

/* Each picture of j2klayerenc keeps its rates. libvpx keeps them on average,
 * in whole kbit/s; it may be ahead by a second and needs time to settle. */
static const Ladder ladders[] = {
  { "vp9svcenc",
      "vp9svcenc cpu-used=9 threads=1 "
      "scalability-mode=L2T2 keyframe-max-dist=0 switch-distance=0 "
      "target-bitrate=400000",
      4, 400000, 240, 0.2 },
  { "vp9svcenc",
      "vp9svcenc cpu-used=9 threads=1 "
      "scalability-mode=L2T2 keyframe-max-dist=0 switch-distance=0 "
      "layer-bitrates=\"<120000,60000,120000,100000>\"",
      4, 400000, 240, 0.2 },
  { "j2klayerenc",
      "j2klayerenc resolutions=2 threads=1 "
      "bitrates=\"<200000,400000,800000>\" ! rtpj2klayerpay",
      3, 800000, 8, 0.1 },
};

static gboolean
is_there (const gchar *name)
{
  g_autoptr (GstElementFactory) factory = gst_element_factory_find (name);

  return factory != NULL;
}

/* Noise, which no encoder can compress to a small size. */
static void
push_pictures (GstHarness *h, guint first, guint n)
{
  guint size = WIDTH * HEIGHT * 3 / 2, i, j;

  for (i = first; i < first + n; i++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);
    g_autoptr (GRand) random = g_rand_new_with_seed (i);
    GstMapInfo map;

    gst_buffer_map (buffer, &map, GST_MAP_WRITE);
    for (j = 0; j < size; j++)
      map.data[j] = (guint8) (112 + (g_rand_int (random) & 31));
    gst_buffer_unmap (buffer, &map);
    GST_BUFFER_PTS (buffer) = gst_util_uint64_scale (i, GST_SECOND, 24);
    GST_BUFFER_DURATION (buffer) = GST_SECOND / 24;
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  }
}

/* By the encoder's mark, or by the packet's priority: the main header
 * belongs to the lowest layer. */
static guint
get_class (GstBuffer *buffer, gsize *size)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "GstLmccLayerMeta");
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint klass;

  *size = gst_buffer_get_size (buffer);
  if (meta != NULL) {
    fail_unless (gst_structure_get_uint (gst_custom_meta_get_structure (meta),
        "class", &klass));
    return klass;
  }
  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp));
  klass = ((guint8 *) gst_rtp_buffer_get_payload (&rtp))[PRIORITY_AT];
  gst_rtp_buffer_unmap (&rtp);
  *size -= HEADERS;

  return MAX (klass, 1) - 1;
}

/* Rate of each class in bit/s, over the last pictures. */
static void
measure (GstHarness *h, guint *n_pushed, guint n, gdouble rates[MAX_CLASSES])
{
  GstBuffer *buffer;
  guint i;

  memset (rates, 0, MAX_CLASSES * sizeof (rates[0]));
  push_pictures (h, *n_pushed, n);
  while ((buffer = gst_harness_try_pull (h)) != NULL)
    gst_buffer_unref (buffer);
  push_pictures (h, *n_pushed + n, n);
  *n_pushed += 2 * n;
  while ((buffer = gst_harness_try_pull (h)) != NULL) {
    gsize size;
    guint klass = get_class (buffer, &size);

    fail_unless (klass < MAX_CLASSES);
    rates[klass] += size * 8.0 * 24 / n;
    gst_buffer_unref (buffer);
  }
  for (i = 0; i < MAX_CLASSES; i++) {
    if (rates[i] > 0)
      GST_INFO ("class %u: %.0f bit/s", i, rates[i]);
  }
}

static GstElement *
open_ladder (GstHarness **h, const Ladder *ladder)
{
  *h = gst_harness_new_parse (ladder->launch);
  gst_harness_set_src_caps_str (*h, CAPS);

  return gst_harness_find_element (*h, ladder->name);
}

static guint64
get_target (GstElement *encoder)
{
  GValue value = G_VALUE_INIT, number = G_VALUE_INIT;
  guint64 target;

  g_object_get_property (G_OBJECT (encoder), "target-bitrate", &value);
  g_value_init (&number, G_TYPE_UINT64);
  fail_unless (g_value_transform (&value, &number));
  target = g_value_get_uint64 (&number);
  g_value_unset (&value);

  return target;
}

/* Values outside the property's range are clamped, as with lmccsink. */
static void
set_rate (GstElement *encoder, const gchar *property, guint64 rate)
{
  GParamSpec *pspec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (encoder), property);
  GValue value = G_VALUE_INIT, number = G_VALUE_INIT;

  g_value_init (&number, G_TYPE_UINT64);
  g_value_set_uint64 (&number, rate);
  g_value_init (&value, pspec->value_type);
  fail_unless (g_value_transform (&number, &value));
  g_param_value_validate (pspec, &value);
  g_object_set_property (G_OBJECT (encoder), property, &value);
}

static void
set_target (GstElement *encoder, guint64 target)
{
  set_rate (encoder, "target-bitrate", target);
}

/* Not only the total: the rate of the base layer must shrink by the same
 * factor as that of all layers. */
GST_START_TEST (every_layer_scales_with_the_whole)
{
  const Ladder *ladder = &ladders[__i__];
  guint n_pictures = ladder->n_pictures, n_pushed = 0, n = 0, i;
  gdouble half[MAX_CLASSES], full[MAX_CLASSES];
  g_autoptr (GstElement) encoder = NULL;
  GstHarness *h;

  if (!is_there (ladder->name))
    return;
  encoder = open_ladder (&h, ladder);
  fail_unless_equals_uint64 (get_target (encoder), ladder->full);
  push_pictures (h, 0, n_pictures);
  n_pushed = n_pictures;
  set_target (encoder, ladder->full / 2);
  fail_unless_equals_uint64 (get_target (encoder), ladder->full / 2);
  measure (h, &n_pushed, n_pictures, half);
  set_target (encoder, ladder->full);
  measure (h, &n_pushed, n_pictures, full);
  for (i = 0; i < MAX_CLASSES; i++) {
    if (full[i] <= 0)
      continue;
    n++;
    fail_unless (ABS (2 * half[i] / full[i] - 1) <= ladder->tolerance,
        "class %u: %.0f and %.0f bit/s", i, half[i], full[i]);
  }
  fail_unless_equals_int (n, ladder->n_classes);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* The network may carry less than the headers need, or more than the encoder
 * can make. */
GST_START_TEST (no_rate_stops_the_pictures)
{
  static const guint64 targets[] = { 1, 10000, G_MAXINT };
  const Ladder *ladder = &ladders[__i__];
  g_autoptr (GstElement) encoder = NULL;
  GstHarness *h;
  guint i;

  if (!is_there (ladder->name))
    return;
  encoder = open_ladder (&h, ladder);
  for (i = 0; i < G_N_ELEMENTS (targets); i++) {
    gboolean seen[MAX_CLASSES] = { FALSE };
    guint n = 0, klass;
    GstBuffer *buffer;
    gsize size;

    set_target (encoder, targets[i]);
    push_pictures (h, 8 * i, 8);
    while ((buffer = gst_harness_try_pull (h)) != NULL) {
      klass = get_class (buffer, &size);
      n += !seen[klass];
      seen[klass] = TRUE;
      gst_buffer_unref (buffer);
    }
    fail_unless_equals_int (n, ladder->n_classes);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* The last setting counts: the rates of the layers unchanged, or scaled. */
GST_START_TEST (layer_rates_replace_a_scaled_total)
{
  static const gchar *const properties[][2] = {
    { "layer-bitrates", "<120000,60000,120000,100000>" },
    { "layer-bitrates", "<120000,60000,120000,100000>" },
    { "bitrates", "<200000,400000,800000>" },
  };
  const Ladder *ladder = &ladders[__i__];
  g_autoptr (GstElement) encoder = NULL;
  GstHarness *h;

  if (!is_there (ladder->name))
    return;
  encoder = open_ladder (&h, ladder);
  set_target (encoder, 50000);
  gst_util_set_object_arg (G_OBJECT (encoder), properties[__i__][0],
      properties[__i__][1]);
  fail_unless_equals_uint64 (get_target (encoder), ladder->full);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* With and without separate layers. */
typedef struct
{
  const gchar *name;
  const gchar *settings;
  const gchar *property;
  guint64 unit;
} Encoder;

#define X264                                           \
  "tune=zerolatency speed-preset=ultrafast threads=1 " \
  "key-int-max=10000 vbv-buf-capacity=200"
#define X265 "tune=zerolatency speed-preset=ultrafast key-int-max=10000"
#define OPENH264                         \
  "gop-size=10000 rate-control=bitrate " \
  "scene-change-detection=false"
#define VPX                                                        \
  "deadline=1 cpu-used=8 end-usage=cbr lag-in-frames=0 threads=1 " \
  "keyframe-max-dist=10000"

static const Encoder encoders[] = {
  { "x264enc", X264, "bitrate", 1000 },
  { "x265enc", X265, "bitrate", 1000 },
  { "openh264enc", OPENH264, "bitrate", 1 },
  { "vp8enc", VPX, "target-bitrate", 1 },
  { "vp9enc", VPX, "target-bitrate", 1 },
};

/* Returns bit/s; no key frames except the first. */
static gdouble
measure_encoder (GstHarness *h, guint *n_pushed)
{
  guint n = 120, n_keys = 0;
  GstBuffer *buffer;
  gsize bytes = 0;

  push_pictures (h, *n_pushed, n);
  while ((buffer = gst_harness_try_pull (h)) != NULL)
    gst_buffer_unref (buffer);
  push_pictures (h, *n_pushed + n, n);
  *n_pushed += 2 * n;
  while ((buffer = gst_harness_try_pull (h)) != NULL) {
    bytes += gst_buffer_get_size (buffer);
    n_keys += !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
    gst_buffer_unref (buffer);
  }
  fail_unless_equals_int (n_keys, 0);

  return bytes * 8.0 * 24 / n;
}

GST_START_TEST (every_encoder_takes_another_rate_without_a_key_frame)
{
  const Encoder *test = &encoders[__i__];
  g_autofree gchar *launch = g_strdup_printf ("%s %s %s=%" G_GUINT64_FORMAT,
      test->name, test->settings, test->property, 400000 / test->unit);
  static const guint64 rates[] = { 400000, 200000, 400000 };
  g_autoptr (GstElement) encoder = NULL;
  gdouble measured[3];
  guint n_pushed = 0, i;
  GstHarness *h;

  if (!is_there (test->name))
    return;
  h = gst_harness_new_parse (launch);
  gst_harness_set_src_caps_str (h, CAPS);
  encoder = gst_harness_find_element (h, test->name);
  for (i = 0; i < G_N_ELEMENTS (rates); i++) {
    set_rate (encoder, test->property, rates[i] / test->unit);
    measured[i] = measure_encoder (h, &n_pushed);
    GST_INFO ("%s: %" G_GUINT64_FORMAT ", %.0f bit/s", launch, rates[i],
        measured[i]);
  }
  for (i = 0; i < G_N_ELEMENTS (rates); i++)
    fail_unless (ABS (measured[i] / rates[i] - 1) <= 0.2, "%.0f bit/s",
        measured[i]);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* lmccsink drives them. */

typedef struct
{
  const gchar *name;
  const gchar *launch;
  const gchar *options;
  guint64 full;
} Driven;

#define SMALL_SVC                                \
  "vp9svcenc name=encoder cpu-used=9 threads=1 " \
  "scalability-mode=L2T2 keyframe-max-dist=24 switch-distance=0 "

static const Driven driven[] = {
  { "vp9svcenc", SMALL_SVC "target-bitrate=300000 !", "algorithm=pgmcc",
      300000 },
  { "vp9svcenc", SMALL_SVC "layer-bitrates=\"<90000,45000,90000,75000>\" !",
      "base-algorithm=tfmcc", 300000 },
  { "j2klayerenc",
      "j2klayerenc name=encoder bitrates=\"<120000,240000,400000>\" "
      "resolutions=2 !",
      "algorithm=pgmcc", 400000 },
  { "j2klayerenc",
      "j2klayerenc name=encoder bitrates=\"<120000,240000,400000>\" "
      "resolutions=2 !",
      "base-algorithm=pgmcc", 400000 },
  { "vp9svcenc", "",
      "algorithm=pgmcc codec=vp9 encoder-settings=\"vp9,"
      "target-bitrate=300000,cpu-used=9,scalability-mode=L2T2\"",
      300000 },
  { "j2klayerenc", "",
      "algorithm=pgmcc codec=j2k encoder-settings=\"j2k,"
      "resolutions=2,bitrates=(string)\\\"<120000,240000,400000>\\\"\"",
      400000 },
};

#define LEAST 60000

/* bit/s */
static gint least;
static gint most;

static void
note_target (GstElement *encoder, GParamSpec *pspec G_GNUC_UNUSED,
    gpointer user_data G_GNUC_UNUSED)
{
  gint target = (gint) get_target (encoder);

  g_atomic_int_set (&least, MIN (target, g_atomic_int_get (&least)));
  if (g_atomic_int_get (&least) == LEAST)
    g_atomic_int_set (&most, MAX (target, g_atomic_int_get (&most)));
  test_tell ();
}

static gboolean
is_most (gpointer user_data)
{
  return g_atomic_int_get (&most) == GPOINTER_TO_INT (user_data);
}

static void
find_encoder (GstElement *sink G_GNUC_UNUSED, GstElement *encoder,
    guint rung G_GNUC_UNUSED, gpointer user_data G_GNUC_UNUSED)
{
  g_signal_connect (encoder, "notify::target-bitrate", G_CALLBACK (note_target),
      NULL);
}

static guint
count_layers (GstElement *sink)
{
  g_autoptr (GstStructure) stats = NULL;

  g_object_get (sink, "stats", &stats, NULL);

  return gst_value_array_get_size (gst_structure_get_value (stats, "layers"));
}

/* The rate starts at the minimum and reaches the user's setting. */
GST_START_TEST (lmccsink_drives_all_layers)
{
  const Driven *test = &driven[__i__];
  gboolean one = g_str_has_prefix (test->options, "algorithm");
  g_autofree gchar *to = g_strdup_printf ("lmccsrc" SESSION "%u ! "
                                          "fakesink sync=false",
      17680 + __i__);
  g_autofree gchar *from =
      g_strdup_printf ("videotestsrc is-live=true "
                       "pattern=snow ! " CAPS " ! %s lmccsink name=sink" SESSION
                       "%u "
                       "drive-encoder=true min-bitrate=%d %s",
          test->launch, 17680 + __i__, LEAST, test->options);
  g_autoptr (GstElement) sink = NULL, encoder = NULL;
  g_autoptr (GstElement) sender = NULL, receiver = NULL;

  if (!is_there (test->name))
    return;
  g_atomic_int_set (&least, G_MAXINT);
  g_atomic_int_set (&most, 0);
  receiver = gst_parse_launch (to, NULL);
  sender = gst_parse_launch (from, NULL);
  fail_unless (sender != NULL && receiver != NULL);
  sink = gst_bin_get_by_name (GST_BIN (sender), "sink");
  encoder = gst_bin_get_by_name (GST_BIN (sender), "encoder");
  if (encoder != NULL)
    find_encoder (sink, encoder, 0, NULL);
  else
    g_signal_connect (sink, "encoder-setup", G_CALLBACK (find_encoder), NULL);
  gst_element_set_state (receiver, GST_STATE_PLAYING);
  gst_element_set_state (sender, GST_STATE_PLAYING);
  test_wait_for (is_most, GINT_TO_POINTER (test->full),
      PATIENCE * G_TIME_SPAN_SECOND);
  fail_unless_equals_int (g_atomic_int_get (&least), LEAST);
  fail_unless_equals_int (g_atomic_int_get (&most), test->full);
  fail_unless ((count_layers (sink) == 1) == one);
  gst_element_set_state (sender, GST_STATE_NULL);
  gst_element_set_state (receiver, GST_STATE_NULL);
}

GST_END_TEST;

static Suite *
driven_encoders_suite (void)
{
  Suite *suite = suite_create ("driven-encoders");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 120);
  tcase_add_loop_test (tcase, every_layer_scales_with_the_whole, 0,
      G_N_ELEMENTS (ladders));
  tcase_add_loop_test (tcase, no_rate_stops_the_pictures, 0,
      G_N_ELEMENTS (ladders));
  tcase_add_loop_test (tcase, layer_rates_replace_a_scaled_total, 0,
      G_N_ELEMENTS (ladders));
  tcase_add_loop_test (tcase,
      every_encoder_takes_another_rate_without_a_key_frame, 0,
      G_N_ELEMENTS (encoders));
  /* Encoders have to keep up with a live source. */
  if (g_getenv ("LMCC_TEST_SLOW") == NULL)
    tcase_add_loop_test (tcase, lmccsink_drives_all_layers, 0,
        G_N_ELEMENTS (driven));

  return suite;
}

GST_CHECK_MAIN (driven_encoders);
