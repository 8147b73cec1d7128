/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Decodes streams without the pictures of higher classes.
 */
#include "layer-tap.h"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/check/gstcheck.h>
#include <gst/video/video.h>

static gchar *
checksum_picture (GstSample *sample)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  GstVideoInfo info;
  GstVideoFrame frame;
  gint component, row;

  fail_unless (gst_video_info_from_caps (&info, gst_sample_get_caps (sample)));
  fail_unless (gst_video_frame_map (&frame, &info,
      gst_sample_get_buffer (sample), GST_MAP_READ));
  for (component = 0; component < 3; component++) {
    const guint8 *line = GST_VIDEO_FRAME_COMP_DATA (&frame, component);

    for (row = 0; row < GST_VIDEO_FRAME_COMP_HEIGHT (&frame, component); row++)
      g_checksum_update (checksum,
          line + row * GST_VIDEO_FRAME_COMP_STRIDE (&frame, component),
          GST_VIDEO_FRAME_COMP_WIDTH (&frame, component));
  }
  gst_video_frame_unmap (&frame);

  return g_strdup (g_checksum_get_string (checksum));
}

/* Decodes the pictures of class <= @top: presentation time to checksum. */
static GHashTable *
decode (const LayerTap *tap, const gchar *decoder, gint top)
{
  GHashTable *table =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  g_autofree gchar *line =
      g_strdup_printf ("appsrc name=src format=time ! %s "
                       "max-threads=1 ! appsink name=sink sync=false",
          decoder);
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (pipeline), "src");
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstSample *sample;
  guint i;

  g_object_set (source, "caps", tap->caps, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (i = 0; i < tap->pictures->len; i++) {
    const LayerPicture *picture =
        &g_array_index (tap->pictures, LayerPicture, i);

    if (picture->klass <= top)
      gst_app_src_push_buffer (GST_APP_SRC (source),
          gst_buffer_ref (picture->buffer));
  }
  gst_app_src_end_of_stream (GST_APP_SRC (source));
  while ((sample = gst_app_sink_pull_sample (GST_APP_SINK (sink))) != NULL) {
    gint64 pts = GST_BUFFER_PTS (gst_sample_get_buffer (sample));

    fail_unless (g_hash_table_insert (table, g_memdup2 (&pts, sizeof (pts)),
        checksum_picture (sample)));
    gst_sample_unref (sample);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);

  return table;
}

/* Without the higher classes, the remaining pictures are unchanged. */
static void
check_subsets (const LayerTap *tap, const gchar *decoder, gint highest,
    const guint seen[3])
{
  g_autoptr (GHashTable) full = decode (tap, decoder, highest);
  guint expected = 0;
  gint top;

  fail_unless_equals_int (g_hash_table_size (full), LAYER_N_PICTURES);
  for (top = 0; top < highest; top++) {
    g_autoptr (GHashTable) subset = decode (tap, decoder, top);
    GHashTableIter iter;
    gpointer pts, checksum;

    expected += seen[top];
    fail_unless_equals_int (g_hash_table_size (subset), expected);
    g_hash_table_iter_init (&iter, subset);
    while (g_hash_table_iter_next (&iter, &pts, &checksum))
      fail_unless_equals_string (checksum, g_hash_table_lookup (full, pts));
  }
}

GST_START_TEST (h264_without_higher_classes_decodes_to_the_same_pictures)
{
  guint seen[3] = { 0, 0, 0 };
  LayerTap tap;

  layer_tap_init (&tap, layer_inspect_h264, FALSE);
  layer_tap_run (LAYER_X264
      "video/x-h264,stream-format=byte-stream,alignment=au ! "
      "rtph264pay name=pay ! appsink name=sink sync=false",
      &lmcc_codec_h264, &tap, NULL, seen);
  check_subsets (&tap, "h264parse ! avdec_h264", 2, seen);
  layer_tap_clear (&tap);
}

GST_END_TEST;

GST_START_TEST (h265_without_higher_classes_decodes_to_the_same_pictures)
{
  guint seen[3] = { 0, 0, 0 };
  LayerTap tap;

  if (!layer_have_x265 ())
    return;
  layer_tap_run_h265 ("", &tap, seen);
  check_subsets (&tap, "h265parse ! avdec_h265", 1, seen);
  layer_tap_clear (&tap);
}

GST_END_TEST;

static Suite *
layermeta_decode_suite (void)
{
  Suite *s = suite_create ("layermeta-decode");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, h264_without_higher_classes_decodes_to_the_same_pictures);
  tcase_add_test (tc, h265_without_higher_classes_decodes_to_the_same_pictures);

  return s;
}

GST_CHECK_MAIN (layermeta_decode);
