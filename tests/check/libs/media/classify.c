/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/media/classify-private.h>
#include <gst/lmcc/lmcc-classify.h>

#include <string.h>

#define BYTES(...) (const guint8[]) { __VA_ARGS__ }, \
    sizeof ((const guint8[]) { __VA_ARGS__ })

/* Slice headers after the NAL header: first_mb_in_slice 0 (1), then slice_type
 * 5 (P: 00110), 6 (B: 00111), 7 (I: 0001000). */
#define P_SLICE 0x98, 0x80
#define B_SLICE 0x9c, 0x80
#define I_SLICE 0x88, 0x80

static guint16 sequence;

static LmccPacket *
rtp_packet (guint32 timestamp, gboolean marker, const guint8 * payload,
    gsize size)
{
  LmccPacket *packet = lmcc_packet_new (12 + size);

  memset (packet->data, 0, 12);
  packet->data[0] = 0x80;
  packet->data[1] = (marker ? 0x80 : 0) | 96;
  GST_WRITE_UINT16_BE (packet->data + 2, sequence++);
  GST_WRITE_UINT32_BE (packet->data + 4, timestamp);
  memcpy (packet->data + 12, payload, size);
  packet->size = 12 + size;

  return packet;
}

static guint
push (LmccClassifier * classifier, guint32 timestamp, gboolean marker,
    const LmccLayerMark * mark, const guint8 * payload, gsize size,
    LmccUnit * units[2])
{
  return lmcc_classifier_push (classifier, rtp_packet (timestamp, marker,
          payload, size), mark, timestamp * 1000, timestamp * 1000 + 7, units);
}

/* Pushes a unit of one packet and checks what it is taken for. */
static void
expect_unit (LmccClassifier * classifier, guint klass, gboolean switch_point,
    const guint8 * payload, gsize size)
{
  static guint32 timestamp = 0xfffff000;
  LmccUnit *units[2];

  timestamp += 3000;
  fail_unless_equals_int (push (classifier, timestamp, TRUE, NULL, payload,
          size, units), 1);
  fail_unless_equals_int (units[0]->klass, klass);
  fail_unless_equals_int (!!units[0]->switch_point, switch_point);
  fail_unless_equals_int (units[0]->packets->len, 1);
  lmcc_unit_free (units[0]);
}

static void
expect_malformed (LmccClassifier * classifier, const guint8 * payload,
    gsize size)
{
  guint64 before = lmcc_classifier_get_malformed (classifier);
  LmccUnit *units[2];

  fail_unless_equals_int (push (classifier, 1, TRUE, NULL, payload, size,
          units), 0);
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

GST_START_TEST (h264_class_is_from_the_largest_nal_ref_idc_of_the_slices)
{
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (&lmcc_codec_h264, 0);

  expect_unit (c, 0, TRUE, BYTES (0x65, I_SLICE));
  expect_unit (c, 0, FALSE, BYTES (0x61, P_SLICE));
  expect_unit (c, 0, FALSE, BYTES (0x41, P_SLICE));
  expect_unit (c, 1, TRUE, BYTES (0x21, B_SLICE));
  expect_unit (c, 2, TRUE, BYTES (0x01, B_SLICE));
  expect_unit (c, 2, TRUE, BYTES (0x01, B_SLICE));
  expect_unit (c, 1, TRUE, BYTES (0x21, B_SLICE));
  /* A recovery point without IDR is no key unit. */
  expect_unit (c, 0, FALSE, BYTES (0x61, I_SLICE));
}

GST_END_TEST;

GST_START_TEST (h264_class_1_chain_of_p_slices_starts_only_at_a_key_unit)
{
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (&lmcc_codec_h264, 0);

  /* What came before is not known. */
  expect_unit (c, 1, FALSE, BYTES (0x21, P_SLICE));
  expect_unit (c, 0, TRUE, BYTES (0x65, I_SLICE));
  expect_unit (c, 1, TRUE, BYTES (0x21, P_SLICE));
  expect_unit (c, 1, FALSE, BYTES (0x21, P_SLICE));
  expect_unit (c, 0, FALSE, BYTES (0x41, P_SLICE));
  expect_unit (c, 1, FALSE, BYTES (0x21, P_SLICE));
  expect_unit (c, 0, TRUE, BYTES (0x25, I_SLICE));
  expect_unit (c, 1, TRUE, BYTES (0x21, P_SLICE));
}

GST_END_TEST;

GST_START_TEST (h264_delimiter_and_sei_take_the_class_of_their_unit)
{
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (&lmcc_codec_h264, 3);
  LmccUnit *units[2];

  fail_unless_equals_int (push (c, 9, FALSE, NULL, BYTES (0x09, 0x10), units),
      0);
  fail_unless_equals_int (push (c, 9, FALSE, NULL, BYTES (0x67, 1, 2), units),
      0);
  fail_unless_equals_int (push (c, 9, FALSE, NULL, BYTES (0x06, 1, 2), units),
      0);
  fail_unless_equals_int (push (c, 9, TRUE, NULL, BYTES (0x01, B_SLICE), units),
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
  push (c, 1, FALSE, NULL, BYTES (0x7c, 0x85, I_SLICE), units);
  push (c, 1, FALSE, NULL, BYTES (0x7c, 0x05, 1, 2), units);
  fail_unless_equals_int (push (c, 1, TRUE, NULL, BYTES (0x7c, 0x45, 3), units),
      1);
  fail_unless_equals_int (units[0]->klass, 0);
  fail_unless (units[0]->switch_point);
  lmcc_unit_free (units[0]);

  push (c, 2, FALSE, NULL, BYTES (0x3c, 0x81, B_SLICE), units);
  fail_unless_equals_int (push (c, 2, TRUE, NULL, BYTES (0x3c, 0x41, 3), units),
      1);
  fail_unless_equals_int (units[0]->klass, 1);
  fail_unless (units[0]->switch_point);
  lmcc_unit_free (units[0]);

  push (c, 3, FALSE, NULL, BYTES (0x5d, 0x81, 0, 1, P_SLICE), units);
  fail_unless_equals_int (push (c, 3, TRUE, NULL, BYTES (0x5c, 0x41, 3), units),
      1);
  fail_unless_equals_int (units[0]->klass, 0);
  fail_if (units[0]->switch_point);
  lmcc_unit_free (units[0]);
}

GST_END_TEST;

GST_START_TEST (h264_aggregates_are_looked_into)
{
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (&lmcc_codec_h264, 0);

  /* STAP-A: delimiter, SPS, IDR. STAP-B and both MTAPs: B and b. */
  expect_unit (c, 0, TRUE, BYTES (0x78, 0, 2, 0x09, 0x10, 0, 1, 0x67,
          0, 3, 0x65, I_SLICE));
  expect_unit (c, 1, TRUE, BYTES (0x39, 0, 0, 0, 2, 0x09, 0x30,
          0, 3, 0x21, B_SLICE));
  expect_unit (c, 2, TRUE, BYTES (0x1a, 0, 0, 0, 3, 9, 9, 9, 0x01, B_SLICE));
  expect_unit (c, 1, TRUE, BYTES (0x3b, 0, 0, 0, 3, 9, 9, 9, 9, 0x21, B_SLICE));
  /* The most important slice decides. */
  expect_unit (c, 0, FALSE, BYTES (0x78, 0, 3, 0x01, B_SLICE,
          0, 3, 0x41, P_SLICE));
}

GST_END_TEST;

GST_START_TEST (h264_of_wrong_form_is_dropped_and_counted)
{
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (&lmcc_codec_h264, 0);

  expect_malformed (c, BYTES (0x00, 1));
  expect_malformed (c, BYTES (0xe5, I_SLICE));
  expect_malformed (c, BYTES (0x7e, 1, 2));
  expect_malformed (c, BYTES (0x78));
  expect_malformed (c, BYTES (0x78, 0, 9, 0x65));
  expect_malformed (c, BYTES (0x78, 0, 0));
  expect_malformed (c, BYTES (0x78, 0));
  expect_malformed (c, BYTES (0x78, 0, 2, 0x78, 1));
  expect_malformed (c, BYTES (0x1a, 0, 0, 0, 1, 9));
  expect_malformed (c, BYTES (0x7c, 0x85));
  expect_malformed (c, BYTES (0x7c, 0x9c, 1));
  fail_unless (lmcc_classifier_flush (c) == NULL);
}

GST_END_TEST;

GST_START_TEST (h265_class_is_the_temporal_id)
{
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (&lmcc_codec_h265, 0);

  /* IDR_W_RADL (19), TRAIL_R (1) of TID 0, TRAIL_N (0) of TID 1, CRA (21). */
  expect_unit (c, 0, TRUE, BYTES (0x26, 1, 9));
  expect_unit (c, 0, FALSE, BYTES (0x02, 1, 9));
  expect_unit (c, 1, TRUE, BYTES (0x00, 2, 9));
  expect_unit (c, 1, TRUE, BYTES (0x00, 2, 9));
  expect_unit (c, 0, TRUE, BYTES (0x2a, 1, 9));
}

GST_END_TEST;

GST_START_TEST (h265_referenced_sub_layer_needs_tsa_or_a_key_unit)
{
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (&lmcc_codec_h265, 0);

  expect_unit (c, 0, TRUE, BYTES (0x26, 1, 9));
  /* TRAIL_R of TID 1, then TRAIL_N of TID 1 may need it. */
  expect_unit (c, 1, TRUE, BYTES (0x02, 2, 9));
  expect_unit (c, 1, FALSE, BYTES (0x00, 2, 9));
  /* TSA_N (2) and STSA_N (4); TSA_R (3) is needed again. */
  expect_unit (c, 1, TRUE, BYTES (0x04, 2, 9));
  expect_unit (c, 1, TRUE, BYTES (0x00, 2, 9));
  expect_unit (c, 1, TRUE, BYTES (0x06, 2, 9));
  expect_unit (c, 1, FALSE, BYTES (0x00, 2, 9));
  expect_unit (c, 1, TRUE, BYTES (0x08, 2, 9));
  /* Each class for itself. */
  expect_unit (c, 2, TRUE, BYTES (0x02, 3, 9));
  expect_unit (c, 1, TRUE, BYTES (0x00, 2, 9));
  expect_unit (c, 2, FALSE, BYTES (0x00, 3, 9));
  expect_unit (c, 0, TRUE, BYTES (0x28, 1, 9));
  expect_unit (c, 2, TRUE, BYTES (0x00, 3, 9));
}

GST_END_TEST;

GST_START_TEST (h265_pictures_that_none_needs_are_a_class_of_one_sub_layer)
{
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (&lmcc_codec_h265, 0);

  /* Before a parameter set has come there may be other sub-layers. */
  expect_unit (c, 0, TRUE, BYTES (0x26, 1, 9));
  expect_unit (c, 0, FALSE, BYTES (0x00, 1, 9));
  /* AP: SPS (33) of one sub-layer, and IDR. */
  expect_unit (c, 0, TRUE, BYTES (0x60, 1, 0, 3, 0x42, 1, 0x01, 0, 3, 0x26, 1,
          9));
  /* TRAIL_N, RADL_N (6) and RASL_N (8) of TID 0; TRAIL_R; FU of TRAIL_N. */
  expect_unit (c, 1, TRUE, BYTES (0x00, 1, 9));
  expect_unit (c, 1, TRUE, BYTES (0x0c, 1, 9));
  expect_unit (c, 1, TRUE, BYTES (0x10, 1, 9));
  expect_unit (c, 0, FALSE, BYTES (0x02, 1, 9));
  expect_unit (c, 1, TRUE, BYTES (0x62, 1, 0x80, 9));
  /* One of two sub-layers; of another layer, or reserved, says nothing. */
  expect_unit (c, 0, FALSE, BYTES (0x42, 1, 0x03));
  expect_unit (c, 0, FALSE, BYTES (0x00, 1, 9));
  expect_unit (c, 0, FALSE, BYTES (0x42, 9, 0x01));
  expect_unit (c, 0, FALSE, BYTES (0x00, 1, 9));
  expect_unit (c, 0, FALSE, BYTES (0x42, 1, 0x0f));
  expect_unit (c, 0, FALSE, BYTES (0x00, 1, 9));
  /* In a packet of its own, or behind the picture that it comes with. */
  expect_unit (c, 0, FALSE, BYTES (0x42, 1, 0x01));
  expect_unit (c, 1, TRUE, BYTES (0x00, 1, 9));
  expect_unit (c, 0, TRUE, BYTES (0x60, 1, 0, 3, 0x26, 1, 9, 0, 3, 0x42, 1,
          0x03));
  expect_unit (c, 0, FALSE, BYTES (0x00, 1, 9));
}

GST_END_TEST;

GST_START_TEST (h265_aggregates_and_fragments_are_looked_into)
{
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (&lmcc_codec_h265, 0);

  /* AP: VPS (32) and IDR; FU of TRAIL_N, TID 1; PACI of the same. */
  expect_unit (c, 0, TRUE, BYTES (0x60, 1, 0, 3, 0x40, 1, 9, 0, 3, 0x26, 1, 9));
  expect_unit (c, 1, TRUE, BYTES (0x62, 2, 0x80, 9));
  expect_unit (c, 1, TRUE, BYTES (0x64, 2, 0x00, 0, 9));
  expect_unit (c, 0, TRUE, BYTES (0x62, 1, 0x93, 9));
}

GST_END_TEST;

GST_START_TEST (h265_of_wrong_form_is_dropped_and_counted)
{
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (&lmcc_codec_h265, 0);

  expect_malformed (c, BYTES (0x26));
  expect_malformed (c, BYTES (0x26, 1));
  expect_malformed (c, BYTES (0x26, 0, 1));
  expect_malformed (c, BYTES (0xa6, 1, 1));
  expect_malformed (c, BYTES (0x70, 1, 1));
  expect_malformed (c, BYTES (0x60, 1, 0));
  expect_malformed (c, BYTES (0x60, 1, 0, 9, 0x26, 1));
  expect_malformed (c, BYTES (0x60, 1, 0, 0));
  expect_malformed (c, BYTES (0x60, 1, 0, 3, 0x60, 1, 9));
  expect_malformed (c, BYTES (0x62, 1, 0x93));
  expect_malformed (c, BYTES (0x62, 1, 0xb0, 9));
}

GST_END_TEST;

GST_START_TEST (vp8_class_is_the_temporal_layer_and_y_a_switch_point)
{
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (&lmcc_codec_vp8, 0);

  /* No extension: key frame, then not. */
  expect_unit (c, 0, TRUE, BYTES (0x10, 0x00, 9));
  expect_unit (c, 0, FALSE, BYTES (0x10, 0x01, 9));
  /* 15-bit PictureID, TL0PICIDX, TID 2 with and without Y. */
  expect_unit (c, 2, TRUE, BYTES (0x90, 0xe0, 0x80, 1, 7, 0xa0, 0x01));
  expect_unit (c, 2, FALSE, BYTES (0x90, 0xe0, 0x80, 1, 7, 0x80, 0x01));
  /* 7-bit PictureID, T and K: TID 1, Y. */
  expect_unit (c, 1, TRUE, BYTES (0x90, 0xb0, 1, 0x65, 0x01));
  /* Nothing refers to N: the next of its class is a switch point like it. */
  expect_unit (c, 0, TRUE, BYTES (0x90, 0x20, 0x00, 0x00));
  expect_unit (c, 1, TRUE, BYTES (0xb0, 0x20, 0x40, 0x01));
  expect_unit (c, 1, TRUE, BYTES (0xb0, 0x20, 0x40, 0x01));
  /* K alone has no TID to read; a zero bit of a second partition is no key. */
  expect_unit (c, 0, FALSE, BYTES (0x90, 0x10, 0xff, 0x01));
  expect_unit (c, 0, FALSE, BYTES (0x11, 0x00));
  expect_unit (c, 0, FALSE, BYTES (0x00, 0x00));
}

GST_END_TEST;

GST_START_TEST (vp8_of_wrong_form_is_dropped_and_counted)
{
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (&lmcc_codec_vp8, 0);

  expect_malformed (c, BYTES (0x10));
  expect_malformed (c, BYTES (0x90));
  expect_malformed (c, BYTES (0x90, 0x80));
  expect_malformed (c, BYTES (0x90, 0x80, 0x80, 1));
  expect_malformed (c, BYTES (0x90, 0xe0, 0x80, 1, 7));
  expect_malformed (c, BYTES (0x90, 0xe0, 0x80, 1, 7, 0x40));
}

GST_END_TEST;

/* I, L, B and E; the picture ID has 7 bits, and TL0PICIDX is 0. */
#define VP9(p, tid, u, sid) \
    0xac | (p) << 6, 1, (tid) << 5 | (u) << 4 | (sid) << 1 | (sid > 0), 0, 9

GST_START_TEST (vp9_class_is_three_times_the_spatial_layer_plus_the_temporal)
{
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (&lmcc_codec_vp9, 0);

  /* A key picture: no layer of it needs an earlier one. */
  expect_unit (c, 0, TRUE, BYTES (VP9 (0, 0, 1, 0)));
  expect_unit (c, 3, TRUE, BYTES (VP9 (0, 0, 1, 1)));
  expect_unit (c, 6, TRUE, BYTES (VP9 (0, 0, 1, 2)));
  expect_unit (c, 2, TRUE, BYTES (VP9 (1, 2, 0, 0)));
  expect_unit (c, 5, TRUE, BYTES (VP9 (1, 2, 0, 1)));
  /* The first of it since the key picture, and what may need that one. */
  expect_unit (c, 1, TRUE, BYTES (VP9 (1, 1, 0, 0)));
  expect_unit (c, 1, FALSE, BYTES (VP9 (1, 1, 0, 0)));
  expect_unit (c, 0, FALSE, BYTES (VP9 (1, 0, 0, 0)));
  expect_unit (c, 3, FALSE, BYTES (VP9 (1, 0, 0, 1)));
  /* More temporal layers than three, more spatial ones than have classes. */
  expect_unit (c, 8, TRUE, BYTES (VP9 (1, 2, 0, 2)));
  expect_unit (c, 8, FALSE, BYTES (VP9 (1, 5, 0, 2)));
  expect_unit (c, 15, TRUE, BYTES (VP9 (1, 0, 0, 5)));
  expect_unit (c, 15, FALSE, BYTES (VP9 (1, 0, 0, 7)));
}

GST_END_TEST;

GST_START_TEST (vp9_u_and_p_make_switch_points)
{
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (&lmcc_codec_vp9, 0);

  expect_unit (c, 0, TRUE, BYTES (VP9 (0, 0, 0, 0)));
  expect_unit (c, 3, TRUE, BYTES (VP9 (0, 0, 0, 1)));
  expect_unit (c, 1, TRUE, BYTES (VP9 (1, 1, 0, 0)));
  expect_unit (c, 4, TRUE, BYTES (VP9 (1, 1, 0, 1)));
  /* U counts for the higher temporal layers of its own spatial layer. */
  expect_unit (c, 0, FALSE, BYTES (VP9 (1, 0, 1, 0)));
  expect_unit (c, 1, TRUE, BYTES (VP9 (1, 1, 0, 0)));
  expect_unit (c, 4, FALSE, BYTES (VP9 (1, 1, 0, 1)));
  /* A spatial layer without P needs only the one below. */
  expect_unit (c, 3, TRUE, BYTES (VP9 (0, 0, 0, 1)));
  expect_unit (c, 3, FALSE, BYTES (VP9 (1, 0, 0, 1)));
  /* Without layer indices: P alone. */
  expect_unit (c, 0, FALSE, BYTES (0x4c, 9));
  expect_unit (c, 0, TRUE, BYTES (0x0c, 9));
}

GST_END_TEST;

GST_START_TEST (vp9_units_are_layer_frames)
{
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (&lmcc_codec_vp9, 0);
  LmccUnit *units[2];

  /* S0 in two packets; the end of S1 does not show but by S2's beginning. */
  fail_unless_equals_int (push (c, 1, FALSE, NULL, BYTES (0x28, 0, 0, 9),
          units), 0);
  fail_unless_equals_int (push (c, 1, FALSE, NULL, BYTES (0x24, 0, 0, 9),
          units), 1);
  fail_unless_equals_int (units[0]->packets->len, 2);
  fail_unless_equals_int (units[0]->klass, 0);
  lmcc_unit_free (units[0]);
  fail_unless_equals_int (push (c, 1, FALSE, NULL, BYTES (0x28, 3, 0, 9),
          units), 0);
  fail_unless_equals_int (push (c, 1, TRUE, NULL, BYTES (0x2c, 5, 0, 9),
          units), 2);
  fail_unless_equals_int (units[0]->klass, 3);
  fail_unless_equals_int (units[1]->klass, 6);
  lmcc_unit_free (units[0]);
  lmcc_unit_free (units[1]);
}

GST_END_TEST;

GST_START_TEST (vp9_structure_and_references_are_skipped)
{
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (&lmcc_codec_vp9, 0);

  /* Two layers with sizes and a group of two pictures, one and two P_DIFF. */
  expect_unit (c, 0, TRUE, BYTES (0x2e, 0, 0, 0x38, 0, 64, 0, 48, 0, 128, 0, 96,
          2, 0x14, 1, 0x38, 1, 2, 9));
  expect_malformed (c, BYTES (0x2e, 0, 0, 0x38, 0, 64, 0, 48, 0, 128, 0, 96,
          2, 0x14, 1, 0x38, 1, 2));
  expect_malformed (c, BYTES (0x2e, 0, 0, 0x38, 0, 64, 0, 48, 0, 128, 0));
  /* Flexible mode: no TL0PICIDX, up to three P_DIFF. */
  expect_unit (c, 0, FALSE, BYTES (0x7c, 0, 3, 5, 6, 9));
  expect_malformed (c, BYTES (0x7c, 0, 3, 5, 7, 9));
  expect_malformed (c, BYTES (0x7c, 0, 3, 5));
  /* Picture IDs of both lengths, and what is cut off. */
  expect_unit (c, 0, TRUE, BYTES (0x8c, 1, 9));
  expect_unit (c, 0, TRUE, BYTES (0x8c, 0x81, 2, 9));
  expect_malformed (c, BYTES (0x8c, 0x81, 2));
  expect_malformed (c, BYTES (0x8c));
  expect_malformed (c, BYTES (0x2c, 0));
  expect_malformed (c, BYTES (0x0c));
}

GST_END_TEST;

/* The payload header of RFC 5371, and a byte after it. */
#define J2K(priority) BYTES (0, priority, 0, 0, 0, 0, 0, 0, 0xff)

GST_START_TEST (j2k_class_is_the_priority_and_every_unit_a_switch_point)
{
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (&lmcc_codec_j2k, 0);

  expect_unit (c, 0, TRUE, J2K (1));
  expect_unit (c, 3, TRUE, J2K (4));
  expect_unit (c, 15, TRUE, J2K (200));
  /* No priorities at all. */
  expect_unit (c, 0, TRUE, J2K (255));
  expect_malformed (c, BYTES (0, 1, 0, 0, 0, 0, 0, 0));
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
    n_units = push (c, 77, i + 1 == G_N_ELEMENTS (priorities), NULL,
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

  fail_unless_equals_int (push (c, 1, FALSE, NULL, BYTES (0x65, I_SLICE),
          units), 0);
  fail_unless_equals_int (push (c, 1, FALSE, NULL, BYTES (0x65, I_SLICE),
          units), 0);
  /* A whole unit of one packet ends two at once, the older first. */
  fail_unless_equals_int (push (c, 2, TRUE, NULL, BYTES (0x01, B_SLICE),
          units), 2);
  fail_unless_equals_int (units[0]->klass, 0);
  fail_unless_equals_int (units[0]->packets->len, 2);
  fail_unless_equals_uint64 (units[0]->decoding_time, 1000);
  fail_unless_equals_int (units[1]->klass, 2);
  fail_unless_equals_uint64 (units[1]->decoding_time, 2000);
  lmcc_unit_free (units[0]);
  lmcc_unit_free (units[1]);

  fail_unless_equals_int (push (c, 3, FALSE, NULL, BYTES (0x41, P_SLICE),
          units), 0);
  fail_unless_equals_int (push (c, 4, FALSE, NULL, BYTES (0x21, B_SLICE),
          units), 1);
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
    fail_unless_equals_int (push (c, 0, TRUE, NULL, BYTES (0x65, I_SLICE),
            units), 1);
    fail_unless (units[0]->switch_point);
    lmcc_unit_free (units[0]);
  }
}

GST_END_TEST;

GST_START_TEST (packets_keep_their_bytes_and_order)
{
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (&lmcc_codec_h264, 0);
  g_autoptr (LmccPacket) first = rtp_packet (5, FALSE, BYTES (0x09, 0x10));
  g_autoptr (LmccPacket) second = rtp_packet (5, TRUE, BYTES (0x65, I_SLICE));
  g_autoptr (LmccPacket) copy =
      lmcc_packet_new_copy (second->data, second->size);
  LmccUnit *units[2];

  lmcc_classifier_push (c, lmcc_packet_ref (first), NULL, 0, 0, units);
  fail_unless_equals_int (lmcc_classifier_push (c, lmcc_packet_ref (second),
          NULL, 0, 0, units), 1);
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

  push (c, 1, FALSE, NULL, BYTES (0x65, I_SLICE), units);
  push (c, 1, TRUE, &mark, BYTES (0x65, I_SLICE), units);
  fail_unless_equals_int (units[0]->klass, 5);
  fail_if (units[0]->switch_point);
  lmcc_unit_free (units[0]);

  push (c, 2, TRUE, &beyond, BYTES (0x65, I_SLICE), units);
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
  push (c, 1, TRUE, &mark, BYTES (1), units);
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
    LmccPacket *packet = rtp_packet (1, TRUE, BYTES (1));

    packet->size = size;
    fail_unless_equals_int (lmcc_classifier_push (c, packet, NULL, 0, 0,
            units), 0);
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
    n_units = push (c, 1, FALSE, NULL, BYTES (0x65, I_SLICE), units);
    fail_unless (n_units <= 1);
    if (n_units == 0)
      continue;
    fail_unless_equals_int (units[0]->packets->len, 8192);
    fail_unless_equals_int (!!units[0]->switch_point, n_cut == 0);
    lmcc_unit_free (units[0]);
    n_cut++;
  }
  fail_unless_equals_int (n_cut, 2);
  fail_unless_equals_int (push (c, 2, TRUE, NULL, BYTES (0x65, I_SLICE),
          units), 2);
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
  tcase_add_test (tc, h264_class_is_from_the_largest_nal_ref_idc_of_the_slices);
  tcase_add_test (tc, h264_class_1_chain_of_p_slices_starts_only_at_a_key_unit);
  tcase_add_test (tc, h264_delimiter_and_sei_take_the_class_of_their_unit);
  tcase_add_test (tc, h264_fragments_tell_what_the_whole_slice_would);
  tcase_add_test (tc, h264_aggregates_are_looked_into);
  tcase_add_test (tc, h264_of_wrong_form_is_dropped_and_counted);
  tcase_add_test (tc, h265_class_is_the_temporal_id);
  tcase_add_test (tc, h265_referenced_sub_layer_needs_tsa_or_a_key_unit);
  tcase_add_test (tc,
      h265_pictures_that_none_needs_are_a_class_of_one_sub_layer);
  tcase_add_test (tc, h265_aggregates_and_fragments_are_looked_into);
  tcase_add_test (tc, h265_of_wrong_form_is_dropped_and_counted);
  tcase_add_test (tc, vp8_class_is_the_temporal_layer_and_y_a_switch_point);
  tcase_add_test (tc, vp8_of_wrong_form_is_dropped_and_counted);
  tcase_add_test (tc,
      vp9_class_is_three_times_the_spatial_layer_plus_the_temporal);
  tcase_add_test (tc, vp9_u_and_p_make_switch_points);
  tcase_add_test (tc, vp9_units_are_layer_frames);
  tcase_add_test (tc, vp9_structure_and_references_are_skipped);
  tcase_add_test (tc, j2k_class_is_the_priority_and_every_unit_a_switch_point);
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
