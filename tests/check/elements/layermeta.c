/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the classes that the classifier gives to the output of real encoders,
 * against what the encoders wrote.
 */
#include "layer-tap.h"

#include <gst/app/gstappsink.h>
#include <gst/check/gstcheck.h>

#include <plugins/common/layer-meta.h>

static const gchar *const payloader_settings[] = {
  "aggregate-mode=none config-interval=0",
  "aggregate-mode=none config-interval=-1",
  "aggregate-mode=zero-latency config-interval=-1",
  "aggregate-mode=max-stap config-interval=-1",
  "aggregate-mode=max-stap config-interval=1 mtu=200",
};

static void
run_h264 (guint setting, const gchar *format, LayerInspectFunc inspect,
    gboolean mark)
{
  g_autofree gchar *description = g_strdup_printf (LAYER_X264
      "video/x-h264,stream-format=%s,alignment=au ! rtph264pay name=pay %s ! "
      "appsink name=sink sync=false",
      format, payloader_settings[setting]);
  guint seen[3] = { 0, 0, 0 };
  LayerTap tap;

  layer_tap_init (&tap, mark ? NULL : inspect, mark);
  layer_tap_run (description, mark ? NULL : &lmcc_codec_h264, &tap, NULL, seen);
  fail_unless (seen[0] > 0 && seen[1] > 0 && seen[2] > 0);
  layer_tap_clear (&tap);
}

GST_START_TEST (h264_classes_are_those_of_the_slice_types)
{
  run_h264 (__i__, "byte-stream", layer_inspect_h264, FALSE);
  run_h264 (__i__, "avc", layer_inspect_avc, FALSE);
}

GST_END_TEST;

static gboolean
x265_takes (const gchar *option)
{
  g_autofree gchar *line =
      g_strdup_printf ("videotestsrc num-buffers=1 ! "
                       "x265enc option-string=pools=none%s ! fakesink",
          option);
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  gboolean takes;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  takes = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return takes;
}

GST_START_TEST (h265_classes_are_what_the_pictures_are_needed_for)
{
  guint seen[3] = { 0, 0, 0 };
  LayerTap tap;

  if (!layer_have_x265 ())
    return;
  layer_tap_run_h265 ("", &tap, seen);
  fail_unless (seen[0] > 0 && seen[1] > 0 && seen[2] == 0);
  layer_tap_clear (&tap);
}

GST_END_TEST;

/* x265 before 3.6 has two temporal layers, which 1 turns on. */
GST_START_TEST (h265_classes_are_the_temporal_ids)
{
  guint seen[3] = { 0, 0, 0 };
  gboolean three;
  LayerTap tap;

  if (!layer_have_x265 ())
    return;
  three = x265_takes (":temporal-layers=3");
  layer_tap_run_h265 (three ? ":temporal-layers=3" : ":temporal-layers=1", &tap,
      seen);
  fail_unless (seen[0] > 0 && seen[1] > 0 && (seen[2] > 0) == three);
  layer_tap_clear (&tap);
}

GST_END_TEST;

G_GNUC_BEGIN_IGNORE_DEPRECATIONS;

static void
set_int_array (GstElement *encoder, const gchar *name, gint first, gint second)
{
  GValueArray *array = g_value_array_new (2);
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_INT);
  g_value_set_int (&value, first);
  g_value_array_append (array, &value);
  g_value_set_int (&value, second);
  g_value_array_append (array, &value);
  g_object_set (encoder, name, array, NULL);
  g_value_array_free (array);
}

G_GNUC_END_IGNORE_DEPRECATIONS;

static void
append_flags (GValue *array, const gchar *flags)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, g_type_from_name ("GstVPXEncTsLayerFlags"));
  fail_unless (gst_value_deserialize (&value, flags));
  gst_value_array_append_value (array, &value);
  g_value_unset (&value);
}

static void
append_boolean (GValue *array, gboolean boolean)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_BOOLEAN);
  g_value_set_boolean (&value, boolean);
  gst_value_array_append_value (array, &value);
  g_value_unset (&value);
}

/* Two layers: no picture refers to every second picture. */
static void
configure_vp8 (GstElement *encoder)
{
  GValue array = G_VALUE_INIT;

  g_object_set (encoder, "temporal-scalability-number-layers", 2,
      "temporal-scalability-periodicity", 2, NULL);
  set_int_array (encoder, "temporal-scalability-layer-id", 0, 1);
  set_int_array (encoder, "temporal-scalability-rate-decimator", 2, 1);
  set_int_array (encoder, "temporal-scalability-target-bitrate", 150000,
      250000);

  g_value_init (&array, GST_TYPE_ARRAY);
  append_flags (&array, "no-upd-golden+no-upd-alt+no-ref-golden+no-ref-alt");
  append_flags (&array,
      "no-upd-last+no-upd-golden+no-upd-alt+no-ref-golden+no-ref-alt");
  g_object_set_property (G_OBJECT (encoder), "temporal-scalability-layer-flags",
      &array);
  g_value_unset (&array);

  g_value_init (&array, GST_TYPE_ARRAY);
  append_boolean (&array, FALSE);
  append_boolean (&array, TRUE);
  g_object_set_property (G_OBJECT (encoder),
      "temporal-scalability-layer-sync-flags", &array);
  g_value_unset (&array);
}

GST_START_TEST (vp8_classes_are_the_temporal_layers)
{
  guint seen[3] = { 0, 0, 0 };
  LayerTap tap;

  layer_tap_init (&tap, layer_inspect_vp8, FALSE);
  layer_tap_run (LAYER_SOURCE
      "vp8enc name=enc deadline=1 cpu-used=8 keyframe-max-dist=24 "
      "end-usage=cbr target-bitrate=250000 error-resilient=default threads=1 ! "
      "rtpvp8pay name=pay picture-id-mode=15-bit ! "
      "appsink name=sink sync=false",
      &lmcc_codec_vp8, &tap, configure_vp8, seen);
  fail_unless_equals_int (seen[0], LAYER_N_PICTURES / 2);
  fail_unless_equals_int (seen[1], LAYER_N_PICTURES / 2);
  layer_tap_clear (&tap);
}

GST_END_TEST;

GST_START_TEST (layer_meta_goes_through_rtph264pay)
{
  run_h264 (__i__, "byte-stream", NULL, TRUE);
  run_h264 (__i__, "avc", NULL, TRUE);
}

GST_END_TEST;

static const gchar *const other_payloaders[] = {
  LAYER_SOURCE "x265enc speed-preset=ultrafast ! rtph265pay name=pay",
  LAYER_SOURCE "vp8enc deadline=1 cpu-used=8 ! rtpvp8pay name=pay",
  LAYER_SOURCE
  "vp9enc deadline=1 cpu-used=8 lag-in-frames=0 ! rtpvp9pay name=pay",
};

GST_START_TEST (layer_meta_goes_through_other_payloaders)
{
  g_autofree gchar *description = g_strconcat (other_payloaders[__i__],
      " ! appsink name=sink sync=false", NULL);
  guint seen[3] = { 0, 0, 0 };
  LayerTap tap;

  layer_tap_init (&tap, NULL, TRUE);
  layer_tap_run (description, NULL, &tap, NULL, seen);
  layer_tap_clear (&tap);
}

GST_END_TEST;

GST_START_TEST (layer_meta_comes_back_at_the_depayloader)
{
  g_autoptr (GstElement) pipeline = NULL;
  g_autoptr (GstElement) sink = NULL;
  GstSample *sample;
  guint n = 0;
  LayerTap tap;

  layer_tap_init (&tap, NULL, TRUE);
  pipeline = layer_tap_launch (LAYER_SOURCE
      "vp8enc deadline=1 cpu-used=8 ! "
      "rtpvp8pay name=pay ! rtpvp8depay auto-header-extension=true ! "
      "appsink name=sink sync=false",
      NULL, NULL, &tap);
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((sample = gst_app_sink_pull_sample (GST_APP_SINK (sink))) != NULL) {
    GstBuffer *buffer = gst_sample_get_buffer (sample);
    const LayerPicture picture = layer_tap_find (&tap, GST_BUFFER_PTS (buffer));
    LmccLayerMark mark;

    fail_unless (gst_buffer_get_lmcc_layer_meta (buffer, &mark));
    fail_unless_equals_int (mark.klass, picture.klass);
    fail_unless_equals_int (mark.switch_point, picture.switch_point);
    gst_sample_unref (sample);
    n++;
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  fail_unless_equals_int (n, LAYER_N_PICTURES);
  layer_tap_clear (&tap);
}

GST_END_TEST;

GST_START_TEST (layer_meta_of_a_class_above_15_is_refused)
{
  const LmccLayerMark mark = { LMCC_MAX_CLASSES, TRUE };
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
  LmccLayerMark read;
  GstCustomMeta *meta;

  fail_if (gst_buffer_add_lmcc_layer_meta (buffer, &mark));
  fail_if (gst_buffer_get_lmcc_layer_meta (buffer, &read));
  meta = gst_buffer_add_custom_meta (buffer, GST_LMCC_LAYER_META_NAME);
  fail_if (gst_buffer_get_lmcc_layer_meta (buffer, &read));
  gst_structure_set (gst_custom_meta_get_structure (meta), "class", G_TYPE_UINT,
      LMCC_MAX_CLASSES, "switch-point", G_TYPE_BOOLEAN, TRUE, NULL);
  fail_if (gst_buffer_get_lmcc_layer_meta (buffer, &read));
}

GST_END_TEST;

static Suite *
layermeta_suite (void)
{
  Suite *s = suite_create ("layermeta");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, h264_classes_are_those_of_the_slice_types, 0,
      G_N_ELEMENTS (payloader_settings));
  tcase_add_test (tc, h265_classes_are_what_the_pictures_are_needed_for);
  tcase_add_test (tc, h265_classes_are_the_temporal_ids);
  tcase_add_test (tc, vp8_classes_are_the_temporal_layers);
  tcase_add_loop_test (tc, layer_meta_goes_through_rtph264pay, 0,
      G_N_ELEMENTS (payloader_settings));
  tcase_add_loop_test (tc, layer_meta_goes_through_other_payloaders, 0,
      G_N_ELEMENTS (other_payloaders));
  tcase_add_test (tc, layer_meta_comes_back_at_the_depayloader);
  tcase_add_test (tc, layer_meta_of_a_class_above_15_is_refused);

  return s;
}

GST_CHECK_MAIN (layermeta);
