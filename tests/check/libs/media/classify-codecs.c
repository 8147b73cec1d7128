/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the classes of units of each codec, and which payloads are rejected.
 */
#include "support/test-codec.h"

#include <gst/check/gstcheck.h>

/* A unit of one packet and its class; or a rejected payload. */
typedef struct
{
  guint klass;
  gboolean switch_point;
  gboolean malformed;
  const guint8 *payload;
  gsize size;
} Step;

typedef struct
{
  const gchar *name;
  const LmccCodec *codec;
  Step steps[24];
} Row;

#define UNIT(klass) klass, FALSE, FALSE
#define SWITCH(klass) klass, TRUE, FALSE
#define BAD 0, FALSE, TRUE

/* I, L, B and E; the picture ID has 7 bits, and TL0PICIDX is 0. */
#define VP9(p, tid, u, sid) \
  0xac | (p) << 6, 1, (tid) << 5 | (u) << 4 | (sid) << 1 | (sid > 0), 0, 9

static const Row rows[] = {
  { "h264_class_is_from_the_largest_nal_ref_idc_of_the_slices",
      &lmcc_codec_h264,
      {
          { SWITCH (0), BYTES (0x65, I_SLICE) },
          { UNIT (0), BYTES (0x61, P_SLICE) },
          { UNIT (0), BYTES (0x41, P_SLICE) },
          { SWITCH (1), BYTES (0x21, B_SLICE) },
          { SWITCH (2), BYTES (0x01, B_SLICE) },
          { SWITCH (2), BYTES (0x01, B_SLICE) },
          { SWITCH (1), BYTES (0x21, B_SLICE) },
          /* A recovery point without IDR does not make a key unit. */
          { UNIT (0), BYTES (0x61, I_SLICE) },
      } },
  { "h264_class_1_chain_of_p_slices_starts_only_at_a_key_unit",
      &lmcc_codec_h264,
      {
          /* The previous pictures are unknown. */
          { UNIT (1), BYTES (0x21, P_SLICE) },
          { SWITCH (0), BYTES (0x65, I_SLICE) },
          { SWITCH (1), BYTES (0x21, P_SLICE) },
          { UNIT (1), BYTES (0x21, P_SLICE) },
          { UNIT (0), BYTES (0x41, P_SLICE) },
          { UNIT (1), BYTES (0x21, P_SLICE) },
          { SWITCH (0), BYTES (0x25, I_SLICE) },
          { SWITCH (1), BYTES (0x21, P_SLICE) },
      } },
  { "h264_aggregates_are_looked_into", &lmcc_codec_h264,
      {
          /* STAP-A: delimiter, SPS, IDR. STAP-B and both MTAPs: B and b. */
          { SWITCH (0),
              BYTES (0x78, 0, 2, 0x09, 0x10, 0, 1, 0x67, 0, 3, 0x65, I_SLICE) },
          { SWITCH (1),
              BYTES (0x39, 0, 0, 0, 2, 0x09, 0x30, 0, 3, 0x21, B_SLICE) },
          { SWITCH (2), BYTES (0x1a, 0, 0, 0, 3, 9, 9, 9, 0x01, B_SLICE) },
          { SWITCH (1), BYTES (0x3b, 0, 0, 0, 3, 9, 9, 9, 9, 0x21, B_SLICE) },
          /* The most important slice decides. */
          { UNIT (0), BYTES (0x78, 0, 3, 0x01, B_SLICE, 0, 3, 0x41, P_SLICE) },
      } },
  { "h264_of_wrong_form_is_dropped_and_counted", &lmcc_codec_h264,
      {
          { BAD, BYTES (0x00, 1) },
          { BAD, BYTES (0xe5, I_SLICE) },
          { BAD, BYTES (0x7e, 1, 2) },
          { BAD, BYTES (0x78) },
          { BAD, BYTES (0x78, 0, 9, 0x65) },
          { BAD, BYTES (0x78, 0, 0) },
          { BAD, BYTES (0x78, 0) },
          { BAD, BYTES (0x78, 0, 2, 0x78, 1) },
          { BAD, BYTES (0x1a, 0, 0, 0, 1, 9) },
          { BAD, BYTES (0x7c, 0x85) },
          { BAD, BYTES (0x7c, 0x9c, 1) },
      } },
  { "h265_class_is_the_temporal_id", &lmcc_codec_h265,
      {
          /* IDR_W_RADL (19), TRAIL_R (1) of TID 0, TRAIL_N (0) of TID 1,
               * CRA (21). */
          { SWITCH (0), BYTES (0x26, 1, 9) },
          { UNIT (0), BYTES (0x02, 1, 9) },
          { SWITCH (1), BYTES (0x00, 2, 9) },
          { SWITCH (1), BYTES (0x00, 2, 9) },
          { SWITCH (0), BYTES (0x2a, 1, 9) },
      } },
  { "h265_referenced_sub_layer_needs_tsa_or_a_key_unit", &lmcc_codec_h265,
      {
          { SWITCH (0), BYTES (0x26, 1, 9) },
          /* TRAIL_R of TID 1; TRAIL_N of TID 1 after it may need it. */
          { SWITCH (1), BYTES (0x02, 2, 9) },
          { UNIT (1), BYTES (0x00, 2, 9) },
          /* TSA_N (2) and STSA_N (4); TSA_R (3) may be a reference again. */
          { SWITCH (1), BYTES (0x04, 2, 9) },
          { SWITCH (1), BYTES (0x00, 2, 9) },
          { SWITCH (1), BYTES (0x06, 2, 9) },
          { UNIT (1), BYTES (0x00, 2, 9) },
          { SWITCH (1), BYTES (0x08, 2, 9) },
          /* Separately for each class. */
          { SWITCH (2), BYTES (0x02, 3, 9) },
          { SWITCH (1), BYTES (0x00, 2, 9) },
          { UNIT (2), BYTES (0x00, 3, 9) },
          { SWITCH (0), BYTES (0x28, 1, 9) },
          { SWITCH (2), BYTES (0x00, 3, 9) },
      } },
  { "h265_pictures_that_none_needs_are_a_class_of_one_sub_layer",
      &lmcc_codec_h265,
      {
          /* Before the first parameter set, other sub-layers are possible. */
          { SWITCH (0), BYTES (0x26, 1, 9) },
          { UNIT (0), BYTES (0x00, 1, 9) },
          /* AP: SPS (33) of one sub-layer, and IDR. */
          { SWITCH (0),
              BYTES (0x60, 1, 0, 3, 0x42, 1, 0x01, 0, 3, 0x26, 1, 9) },
          /* TRAIL_N, RADL_N (6) and RASL_N (8) of TID 0; TRAIL_R; FU of
               * TRAIL_N. */
          { SWITCH (1), BYTES (0x00, 1, 9) },
          { SWITCH (1), BYTES (0x0c, 1, 9) },
          { SWITCH (1), BYTES (0x10, 1, 9) },
          { UNIT (0), BYTES (0x02, 1, 9) },
          { SWITCH (1), BYTES (0x62, 1, 0x80, 9) },
          /* For one of two sub-layers; for another layer, or with reserved
           * values, it means nothing. */
          { UNIT (0), BYTES (0x42, 1, 0x03) },
          { UNIT (0), BYTES (0x00, 1, 9) },
          { UNIT (0), BYTES (0x42, 9, 0x01) },
          { UNIT (0), BYTES (0x00, 1, 9) },
          { UNIT (0), BYTES (0x42, 1, 0x0f) },
          { UNIT (0), BYTES (0x00, 1, 9) },
          /* In its own packet, or after its picture. */
          { UNIT (0), BYTES (0x42, 1, 0x01) },
          { SWITCH (1), BYTES (0x00, 1, 9) },
          { SWITCH (0),
              BYTES (0x60, 1, 0, 3, 0x26, 1, 9, 0, 3, 0x42, 1, 0x03) },
          { UNIT (0), BYTES (0x00, 1, 9) },
      } },
  { "h265_aggregates_and_fragments_are_looked_into", &lmcc_codec_h265,
      {
          /* AP: VPS (32) and IDR; FU of TRAIL_N, TID 1; PACI of the
               * same. */
          { SWITCH (0), BYTES (0x60, 1, 0, 3, 0x40, 1, 9, 0, 3, 0x26, 1, 9) },
          { SWITCH (1), BYTES (0x62, 2, 0x80, 9) },
          { SWITCH (1), BYTES (0x64, 2, 0x00, 0, 9) },
          { SWITCH (0), BYTES (0x62, 1, 0x93, 9) },
      } },
  { "h265_of_wrong_form_is_dropped_and_counted", &lmcc_codec_h265,
      {
          { BAD, BYTES (0x26) },
          { BAD, BYTES (0x26, 1) },
          { BAD, BYTES (0x26, 0, 1) },
          { BAD, BYTES (0xa6, 1, 1) },
          { BAD, BYTES (0x70, 1, 1) },
          { BAD, BYTES (0x60, 1, 0) },
          { BAD, BYTES (0x60, 1, 0, 9, 0x26, 1) },
          { BAD, BYTES (0x60, 1, 0, 0) },
          { BAD, BYTES (0x60, 1, 0, 3, 0x60, 1, 9) },
          { BAD, BYTES (0x62, 1, 0x93) },
          { BAD, BYTES (0x62, 1, 0xb0, 9) },
      } },
  { "vp8_class_is_the_temporal_layer_and_y_a_switch_point", &lmcc_codec_vp8,
      {
          /* No extension: key frame, then not. */
          { SWITCH (0), BYTES (0x10, 0x00, 9) },
          { UNIT (0), BYTES (0x10, 0x01, 9) },
          /* 15-bit PictureID, TL0PICIDX, TID 2 with and without Y. */
          { SWITCH (2), BYTES (0x90, 0xe0, 0x80, 1, 7, 0xa0, 0x01) },
          { UNIT (2), BYTES (0x90, 0xe0, 0x80, 1, 7, 0x80, 0x01) },
          /* 7-bit PictureID, T and K: TID 1, Y. */
          { SWITCH (1), BYTES (0x90, 0xb0, 1, 0x65, 0x01) },
          /* No picture refers to N: the next picture of its class is a
           * switch point, too. */
          { SWITCH (0), BYTES (0x90, 0x20, 0x00, 0x00) },
          { SWITCH (1), BYTES (0xb0, 0x20, 0x40, 0x01) },
          { SWITCH (1), BYTES (0xb0, 0x20, 0x40, 0x01) },
          /* K alone has no TID; a zero bit of a second partition does not
           * make a key frame. */
          { UNIT (0), BYTES (0x90, 0x10, 0xff, 0x01) },
          { UNIT (0), BYTES (0x11, 0x00) },
          { UNIT (0), BYTES (0x00, 0x00) },
      } },
  { "vp8_of_wrong_form_is_dropped_and_counted", &lmcc_codec_vp8,
      {
          { BAD, BYTES (0x10) },
          { BAD, BYTES (0x90) },
          { BAD, BYTES (0x90, 0x80) },
          { BAD, BYTES (0x90, 0x80, 0x80, 1) },
          { BAD, BYTES (0x90, 0xe0, 0x80, 1, 7) },
          { BAD, BYTES (0x90, 0xe0, 0x80, 1, 7, 0x40) },
      } },
  { "vp9_class_is_three_times_the_spatial_layer_plus_the_temporal",
      &lmcc_codec_vp9,
      {
          /* A key picture: none of its layers needs an earlier one. */
          { SWITCH (0), BYTES (VP9 (0, 0, 1, 0)) },
          { SWITCH (3), BYTES (VP9 (0, 0, 1, 1)) },
          { SWITCH (6), BYTES (VP9 (0, 0, 1, 2)) },
          { SWITCH (2), BYTES (VP9 (1, 2, 0, 0)) },
          { SWITCH (5), BYTES (VP9 (1, 2, 0, 1)) },
          /* Its first picture since the key picture, and pictures that may
           * need it. */
          { SWITCH (1), BYTES (VP9 (1, 1, 0, 0)) },
          { UNIT (1), BYTES (VP9 (1, 1, 0, 0)) },
          { UNIT (0), BYTES (VP9 (1, 0, 0, 0)) },
          { UNIT (3), BYTES (VP9 (1, 0, 0, 1)) },
          /* More than three temporal layers, more spatial layers than
           * classes. */
          { SWITCH (8), BYTES (VP9 (1, 2, 0, 2)) },
          { UNIT (8), BYTES (VP9 (1, 5, 0, 2)) },
          { SWITCH (15), BYTES (VP9 (1, 0, 0, 5)) },
          { UNIT (15), BYTES (VP9 (1, 0, 0, 7)) },
      } },
  { "vp9_u_and_p_make_switch_points", &lmcc_codec_vp9,
      {
          { SWITCH (0), BYTES (VP9 (0, 0, 0, 0)) },
          { SWITCH (3), BYTES (VP9 (0, 0, 0, 1)) },
          { SWITCH (1), BYTES (VP9 (1, 1, 0, 0)) },
          { SWITCH (4), BYTES (VP9 (1, 1, 0, 1)) },
          /* U counts for the higher temporal layers of its own spatial
           * layer. */
          { UNIT (0), BYTES (VP9 (1, 0, 1, 0)) },
          { SWITCH (1), BYTES (VP9 (1, 1, 0, 0)) },
          { UNIT (4), BYTES (VP9 (1, 1, 0, 1)) },
          /* A spatial layer without P needs only the one below. */
          { SWITCH (3), BYTES (VP9 (0, 0, 0, 1)) },
          { UNIT (3), BYTES (VP9 (1, 0, 0, 1)) },
          /* Without layer indices: P alone. */
          { UNIT (0), BYTES (0x4c, 9) },
          { SWITCH (0), BYTES (0x0c, 9) },
      } },
  { "vp9_structure_and_references_are_skipped", &lmcc_codec_vp9,
      {
          /* Two layers with sizes and a group of two pictures, one and two
               * P_DIFF. */
          { SWITCH (0),
              BYTES (0x2e, 0, 0, 0x38, 0, 64, 0, 48, 0, 128, 0, 96, 2, 0x14, 1,
                  0x38, 1, 2, 9) },
          { BAD,
              BYTES (0x2e, 0, 0, 0x38, 0, 64, 0, 48, 0, 128, 0, 96, 2, 0x14, 1,
                  0x38, 1, 2) },
          { BAD, BYTES (0x2e, 0, 0, 0x38, 0, 64, 0, 48, 0, 128, 0) },
          /* Flexible mode: no TL0PICIDX, up to three P_DIFF. */
          { UNIT (0), BYTES (0x7c, 0, 3, 5, 6, 9) },
          { BAD, BYTES (0x7c, 0, 3, 5, 7, 9) },
          { BAD, BYTES (0x7c, 0, 3, 5) },
          /* Picture IDs of both lengths, and truncated ones. */
          { SWITCH (0), BYTES (0x8c, 1, 9) },
          { SWITCH (0), BYTES (0x8c, 0x81, 2, 9) },
          { BAD, BYTES (0x8c, 0x81, 2) },
          { BAD, BYTES (0x8c) },
          { BAD, BYTES (0x2c, 0) },
          { BAD, BYTES (0x0c) },
      } },
  { "j2k_class_is_the_priority_and_every_unit_a_switch_point", &lmcc_codec_j2k,
      {
          { SWITCH (0), J2K (1) },
          { SWITCH (3), J2K (4) },
          { SWITCH (15), J2K (200) },
          /* No priorities at all. */
          { SWITCH (0), J2K (255) },
          { BAD, BYTES (0, 1, 0, 0, 0, 0, 0, 0) },
      } },
};

GST_START_TEST (codecs_are_classified)
{
  const Row *row = &rows[__i__];
  g_autoptr (LmccClassifier) c = lmcc_classifier_new (row->codec, 0);
  guint32 timestamp = 0xfffff000;
  guint64 malformed = 0;
  const Step *step;

  for (step = row->steps; step->size > 0; step++) {
    gint n = (gint) (step - row->steps) + 1;
    LmccUnit *units[2];
    guint n_units = test_codec_push (c, timestamp += 3000, TRUE, NULL,
        step->payload, step->size, units);

    malformed += step->malformed;
    fail_unless (n_units == (step->malformed ? 0 : 1)
            && lmcc_classifier_get_malformed (c) == malformed,
        "%s, step %d: %u units", row->name, n, n_units);
    if (step->malformed)
      continue;
    fail_unless (units[0]->klass == step->klass
            && !!units[0]->switch_point == step->switch_point
            && units[0]->packets->len == 1,
        "%s, step %d: class %u, %s", row->name, n, units[0]->klass,
        units[0]->switch_point ? "switch point" : "none");
    lmcc_unit_free (units[0]);
  }
  fail_unless (lmcc_classifier_flush (c) == NULL, "%s", row->name);
}

GST_END_TEST;

static Suite *
classify_codecs_suite (void)
{
  Suite *suite = suite_create ("classify-codecs");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, codecs_are_classified, 0, G_N_ELEMENTS (rows));

  return suite;
}

GST_CHECK_MAIN (classify_codecs);
