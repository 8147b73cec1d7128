/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the attributes of units, and where their class comes from.
 */
#include "support/test-codec.h"

#include <gst/check/gstcheck.h>
#include <string.h>

/* Pushes a unit of one packet and checks its attributes. */
static void
expect_unit (LmccClassifier *classifier, guint klass, gboolean switch_point,
    const guint8 *payload, gsize size)
{
  static guint32 timestamp = 0xfffff000;
  LmccUnit *units[2];

  timestamp += 3000;
  fail_unless_equals_int (test_codec_push (classifier, timestamp, TRUE, NULL,
                              payload, size, units),
      1);
  fail_unless_equals_int (units[0]->klass, klass);
  fail_unless_equals_int (!!units[0]->switch_point, switch_point);
  fail_unless_equals_int (units[0]->packets->len, 1);
  lmcc_unit_free (units[0]);
}

static void
expect_malformed (LmccClassifier *classifier, const guint8 *payload, gsize size)
{
  guint64 before = lmcc_classifier_get_malformed (classifier);
  LmccUnit *units[2];

  fail_unless_equals_int (test_codec_push (classifier, 1, TRUE, NULL, payload,
                              size, units),
      0);
  fail_unless_equals_uint64 (lmcc_classifier_get_malformed (classifier),
      before + 1);
}

GST_START_TEST (codec_is_found_by_name_in_any_case)
{
  fail_unless (lmcc_codec_find ("H264") == &lmcc_codec_h264);
  fail_unless (lmcc_codec_find ("h265") == &lmcc_codec_h265);
  fail_unless (lmcc_codec_find ("jpeg2000") == &lmcc_codec_j2k);
  fail_unless (lmcc_codec_find ("Vp8") == &lmcc_codec_vp8);
  fail_unless (lmcc_codec_find ("vp9") == &lmcc_codec_vp9);
  fail_unless (lmcc_codec_find ("H26") == NULL);
  fail_unless (lmcc_codec_find (NULL) == NULL);
}

GST_END_TEST;

GST_START_TEST (h264_delimiter_and_sei_take_the_class_of_their_unit)
{
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (&lmcc_codec_h264, 3);
  LmccUnit *units[2];

  fail_unless_equals_int (test_codec_push (c, 9, FALSE, NULL,
                              BYTES (0x09, 0x10), units),
      0);
  fail_unless_equals_int (test_codec_push (c, 9, FALSE, NULL,
                              BYTES (0x67, 1, 2), units),
      0);
  fail_unless_equals_int (test_codec_push (c, 9, FALSE, NULL,
                              BYTES (0x06, 1, 2), units),
      0);
  fail_unless_equals_int (test_codec_push (c, 9, TRUE, NULL,
                              BYTES (0x01, B_SLICE), units),
      1);
  fail_unless_equals_int (units[0]->klass, 2);
  fail_unless_equals_int (units[0]->stream, 3);
  fail_unless_equals_int (units[0]->packets->len, 4);
  fail_unless_equals_uint64 (units[0]->decoding_time, 9000);
  fail_unless_equals_uint64 (units[0]->presentation_time, 9007);
  lmcc_unit_free (units[0]);
}

GST_END_TEST;

GST_START_TEST (h264_fragments_tell_what_the_whole_slice_would)
{
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (&lmcc_codec_h264, 0);
  LmccUnit *units[2];

  /* FU-A of an IDR, then of a referenced B; FU-B start of a P. */
  test_codec_push (c, 1, FALSE, NULL, BYTES (0x7c, 0x85, I_SLICE), units);
  test_codec_push (c, 1, FALSE, NULL, BYTES (0x7c, 0x05, 1, 2), units);
  fail_unless_equals_int (test_codec_push (c, 1, TRUE, NULL,
                              BYTES (0x7c, 0x45, 3), units),
      1);
  fail_unless_equals_int (units[0]->klass, 0);
  fail_unless (units[0]->switch_point);
  lmcc_unit_free (units[0]);

  test_codec_push (c, 2, FALSE, NULL, BYTES (0x3c, 0x81, B_SLICE), units);
  fail_unless_equals_int (test_codec_push (c, 2, TRUE, NULL,
                              BYTES (0x3c, 0x41, 3), units),
      1);
  fail_unless_equals_int (units[0]->klass, 1);
  fail_unless (units[0]->switch_point);
  lmcc_unit_free (units[0]);

  test_codec_push (c, 3, FALSE, NULL, BYTES (0x5d, 0x81, 0, 1, P_SLICE), units);
  fail_unless_equals_int (test_codec_push (c, 3, TRUE, NULL,
                              BYTES (0x5c, 0x41, 3), units),
      1);
  fail_unless_equals_int (units[0]->klass, 0);
  fail_if (units[0]->switch_point);
  lmcc_unit_free (units[0]);
}

GST_END_TEST;

GST_START_TEST (vp9_units_are_layer_frames)
{
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (&lmcc_codec_vp9, 0);
  LmccUnit *units[2];

  /* S0 in two packets; the end of S1 is known only when S2 starts. */
  fail_unless_equals_int (test_codec_push (c, 1, FALSE, NULL,
                              BYTES (0x28, 0, 0, 9), units),
      0);
  fail_unless_equals_int (test_codec_push (c, 1, FALSE, NULL,
                              BYTES (0x24, 0, 0, 9), units),
      1);
  fail_unless_equals_int (units[0]->packets->len, 2);
  fail_unless_equals_int (units[0]->klass, 0);
  lmcc_unit_free (units[0]);
  fail_unless_equals_int (test_codec_push (c, 1, FALSE, NULL,
                              BYTES (0x28, 3, 0, 9), units),
      0);
  fail_unless_equals_int (test_codec_push (c, 1, TRUE, NULL,
                              BYTES (0x2c, 5, 0, 9), units),
      2);
  fail_unless_equals_int (units[0]->klass, 3);
  fail_unless_equals_int (units[1]->klass, 6);
  lmcc_unit_free (units[0]);
  lmcc_unit_free (units[1]);
}

GST_END_TEST;

GST_START_TEST (j2k_layers_of_a_picture_are_units_of_their_own)
{
  const guint8 priorities[] = { 0, 1, 1, 2, 3, 3 };
  const guint n_packets[] = { 3, 1, 2 };
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (&lmcc_codec_j2k, 0);
  LmccUnit *units[2];
  guint i, j, n_units, klass = 0;

  for (i = 0; i < G_N_ELEMENTS (priorities); i++) {
    n_units = test_codec_push (c, 77, i + 1 == G_N_ELEMENTS (priorities), NULL,
        J2K (priorities[i]), units);
    for (j = 0; j < n_units; j++) {
      fail_unless_equals_int (units[j]->klass, klass);
      fail_unless (units[j]->switch_point);
      fail_unless_equals_int (units[j]->packets->len, n_packets[klass]);
      lmcc_unit_free (units[j]);
      klass++;
    }
  }
  fail_unless_equals_int (klass, 3);
}

GST_END_TEST;

GST_START_TEST (another_timestamp_ends_a_unit_without_marker)
{
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (&lmcc_codec_h264, 0);
  LmccUnit *units[2];
  LmccUnit *last;

  fail_unless_equals_int (test_codec_push (c, 1, FALSE, NULL,
                              BYTES (0x65, I_SLICE), units),
      0);
  fail_unless_equals_int (test_codec_push (c, 1, FALSE, NULL,
                              BYTES (0x65, I_SLICE), units),
      0);
  /* A complete unit of one packet ends two at once, the older one first. */
  fail_unless_equals_int (test_codec_push (c, 2, TRUE, NULL,
                              BYTES (0x01, B_SLICE), units),
      2);
  fail_unless_equals_int (units[0]->klass, 0);
  fail_unless_equals_int (units[0]->packets->len, 2);
  fail_unless_equals_uint64 (units[0]->decoding_time, 1000);
  fail_unless_equals_int (units[1]->klass, 2);
  fail_unless_equals_uint64 (units[1]->decoding_time, 2000);
  lmcc_unit_free (units[0]);
  lmcc_unit_free (units[1]);

  fail_unless_equals_int (test_codec_push (c, 3, FALSE, NULL,
                              BYTES (0x41, P_SLICE), units),
      0);
  fail_unless_equals_int (test_codec_push (c, 4, FALSE, NULL,
                              BYTES (0x21, B_SLICE), units),
      1);
  fail_unless_equals_int (units[0]->klass, 0);
  lmcc_unit_free (units[0]);
  last = lmcc_classifier_flush (c);
  fail_unless_equals_int (last->klass, 1);
  lmcc_unit_free (last);
  fail_unless (lmcc_classifier_flush (c) == NULL);
}

GST_END_TEST;

GST_START_TEST (marker_ends_a_unit_though_the_timestamp_stays)
{
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (&lmcc_codec_h264, 0);
  LmccUnit *units[2];
  guint i;

  for (i = 0; i < 3; i++) {
    fail_unless_equals_int (test_codec_push (c, 0, TRUE, NULL,
                                BYTES (0x65, I_SLICE), units),
        1);
    fail_unless (units[0]->switch_point);
    lmcc_unit_free (units[0]);
  }
}

GST_END_TEST;

GST_START_TEST (packets_keep_their_bytes_and_order)
{
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (&lmcc_codec_h264, 0);
  g_autoptr (LmccPacket) first =
      test_codec_packet (5, FALSE, BYTES (0x09, 0x10));
  g_autoptr (LmccPacket) second =
      test_codec_packet (5, TRUE, BYTES (0x65, I_SLICE));
  g_autoptr (LmccPacket) copy =
      lmcc_packet_new_copy (second->data, second->size);
  LmccUnit *units[2];

  lmcc_classifier_push (c, lmcc_packet_ref (first), NULL, 0, 0, units);
  fail_unless_equals_int (lmcc_classifier_push (c, lmcc_packet_ref (second),
                              NULL, 0, 0, units),
      1);
  fail_unless (g_ptr_array_index (units[0]->packets, 0) == first);
  fail_unless (g_ptr_array_index (units[0]->packets, 1) == second);
  fail_unless_equals_int (second->size, copy->size);
  fail_unless (memcmp (second->data, copy->data, copy->size) == 0);
  lmcc_unit_free (units[0]);
}

GST_END_TEST;

GST_START_TEST (mark_on_any_packet_wins_over_the_codec)
{
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (&lmcc_codec_h264, 0);
  const LmccLayerMark mark = { 5, FALSE };
  const LmccLayerMark beyond = { 16, FALSE };
  LmccUnit *units[2];

  test_codec_push (c, 1, FALSE, NULL, BYTES (0x65, I_SLICE), units);
  test_codec_push (c, 1, TRUE, &mark, BYTES (0x65, I_SLICE), units);
  fail_unless_equals_int (units[0]->klass, 5);
  fail_if (units[0]->switch_point);
  lmcc_unit_free (units[0]);

  test_codec_push (c, 2, TRUE, &beyond, BYTES (0x65, I_SLICE), units);
  fail_unless_equals_int (units[0]->klass, 0);
  fail_unless (units[0]->switch_point);
  lmcc_unit_free (units[0]);
}

GST_END_TEST;

GST_START_TEST (unknown_codec_is_one_class_until_the_first_mark)
{
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (NULL, LMCC_STREAM_SOUND);
  const LmccLayerMark mark = { 2, TRUE };
  LmccUnit *units[2];

  expect_unit (c, 0, TRUE, BYTES (0xff));
  expect_unit (c, 0, TRUE, BYTES (0x00, 1, 2));
  test_codec_push (c, 1, TRUE, &mark, BYTES (1), units);
  fail_unless_equals_int (units[0]->klass, 2);
  fail_unless_equals_int (units[0]->stream, LMCC_STREAM_SOUND);
  fail_unless (units[0]->switch_point);
  lmcc_unit_free (units[0]);
  expect_unit (c, 0, FALSE, BYTES (0xff));
}

GST_END_TEST;

GST_START_TEST (what_is_not_rtp_is_dropped_and_counted)
{
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (NULL, 0);
  LmccUnit *units[2];
  gsize size;

  for (size = 0; size <= 12; size++) {
    LmccPacket *packet = test_codec_packet (1, TRUE, BYTES (1));

    packet->size = size;
    fail_unless_equals_int (lmcc_classifier_push (c, packet, NULL, 0, 0, units),
        0);
  }
  fail_unless_equals_uint64 (lmcc_classifier_get_malformed (c), 13);
  {
    g_autofree guint8 *large = g_malloc0 (LMCC_MAX_PACKET_SIZE);

    expect_malformed (c, large, LMCC_MAX_PACKET_SIZE);
  }
}

GST_END_TEST;

GST_START_TEST (unit_without_end_is_cut_and_its_rest_is_no_switch_point)
{
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (&lmcc_codec_h264, 0);
  LmccUnit *units[2];
  guint i, n_units, n_cut = 0;

  for (i = 0; i < 20000; i++) {
    n_units = test_codec_push (c, 1, FALSE, NULL, BYTES (0x65, I_SLICE), units);
    fail_unless (n_units <= 1);
    if (n_units == 0)
      continue;
    fail_unless_equals_int (units[0]->packets->len, 8192);
    fail_unless_equals_int (!!units[0]->switch_point, n_cut == 0);
    lmcc_unit_free (units[0]);
    n_cut++;
  }
  fail_unless_equals_int (n_cut, 2);
  fail_unless_equals_int (test_codec_push (c, 2, TRUE, NULL,
                              BYTES (0x65, I_SLICE), units),
      2);
  fail_if (units[0]->switch_point);
  fail_unless (units[1]->switch_point);
  lmcc_unit_free (units[0]);
  lmcc_unit_free (units[1]);
}

GST_END_TEST;

static Suite *
classify_suite (void)
{
  Suite *s = suite_create ("classify");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, codec_is_found_by_name_in_any_case);
  tcase_add_test (tc, h264_delimiter_and_sei_take_the_class_of_their_unit);
  tcase_add_test (tc, h264_fragments_tell_what_the_whole_slice_would);
  tcase_add_test (tc, vp9_units_are_layer_frames);
  tcase_add_test (tc, j2k_layers_of_a_picture_are_units_of_their_own);
  tcase_add_test (tc, another_timestamp_ends_a_unit_without_marker);
  tcase_add_test (tc, marker_ends_a_unit_though_the_timestamp_stays);
  tcase_add_test (tc, packets_keep_their_bytes_and_order);
  tcase_add_test (tc, mark_on_any_packet_wins_over_the_codec);
  tcase_add_test (tc, unknown_codec_is_one_class_until_the_first_mark);
  tcase_add_test (tc, what_is_not_rtp_is_dropped_and_counted);
  tcase_add_test (tc, unit_without_end_is_cut_and_its_rest_is_no_switch_point);

  return s;
}

GST_CHECK_MAIN (classify);
