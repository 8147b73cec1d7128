/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the second elements, which carry the data of an algorithm.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/single-rate/pgmcc-wire.h>
#include <gst/lmcc/control/single-rate/tfmcc-wire.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/wire/algorithm-element.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>

#include <math.h>

GST_START_TEST (identifiers_follow_the_first_element)
{
  guint id, seen = 0;

  for (id = 1; id <= 14; id++) {
    guint second = lmcc_second_element_id (id);

    fail_unless (second >= 1 && second <= 14 && second != id);
    seen |= 1u << second;
  }
  fail_unless_equals_int (seen, 0x7ffe);
  fail_unless_equals_int (lmcc_second_element_id (1), 2);
}

GST_END_TEST;

GST_START_TEST (bits_are_where_the_wire_format_has_them)
{
  guint8 data[LMCC_SYNCHRONIZED_MAX_SIZE];

  fail_unless_equals_int (lmcc_synchronized_write (0x5, 3, data), 2);
  fail_unless_equals_int (data[0], 1);
  fail_unless_equals_int (data[1], 0xa0);
  fail_unless_equals_int (lmcc_synchronized_write (0x181, 9, data), 3);
  fail_unless_equals_int (data[1], 0x81);
  fail_unless_equals_int (data[2], 0x80);
}

GST_END_TEST;

GST_START_TEST (every_level_below_the_top_survives)
{
  guint top, level;

  for (top = 0; top < LMCC_MAX_LAYERS; top++) {
    for (level = 0; level < LMCC_MAX_LAYERS; level++) {
      guint64 one = G_GUINT64_CONSTANT (1) << level, levels = 1;
      guint8 data[LMCC_SYNCHRONIZED_MAX_SIZE];
      gsize size = lmcc_synchronized_write (one, top, data);

      fail_unless_equals_int (size, 1 + MAX (1, (top + 7) / 8));
      fail_unless (lmcc_synchronized_parse (data, size, top, &levels));
      fail_unless_equals_uint64 (levels, level < top ? one : 0);
      size = lmcc_synchronized_write (~one, top, data);
      fail_unless (lmcc_synchronized_parse (data, size, top, &levels));
      fail_unless_equals_uint64 (levels,
          ~one & ((G_GUINT64_CONSTANT (1) << top) - 1));
    }
  }
}

GST_END_TEST;

GST_START_TEST (levels_past_the_end_may_not_go_up)
{
  static const guint8 data[] = { 1, 0xff };
  guint64 levels;

  fail_unless (lmcc_synchronized_parse (data, sizeof (data), 63, &levels));
  fail_unless_equals_uint64 (levels, 0xff);
}

GST_END_TEST;

GST_START_TEST (more_bytes_than_levels_are_not_looked_at)
{
  guint8 data[LMCC_SECOND_ELEMENT_MAX_SIZE];
  guint64 levels;

  memset (data, 0xff, sizeof (data));
  data[0] = 1;
  fail_unless (lmcc_synchronized_parse (data, sizeof (data), 63, &levels));
  fail_unless_equals_uint64 (levels, G_MAXUINT64 >> 1);
  fail_unless (lmcc_synchronized_parse (data, sizeof (data), 2, &levels));
  fail_unless_equals_uint64 (levels, 3);
}

GST_END_TEST;

GST_START_TEST (other_kinds_and_short_elements_are_refused)
{
  guint8 data[2] = { 0, 0xff };
  guint64 levels;
  guint kind;

  for (kind = 0; kind < 256; kind++) {
    data[0] = kind;
    fail_unless_equals_int (lmcc_synchronized_parse (data, 2, 8, &levels),
        kind == 1);
  }
  data[0] = 1;
  fail_if (lmcc_synchronized_parse (data, 1, 8, &levels));
  fail_if (lmcc_synchronized_parse (NULL, 0, 8, &levels));
}

GST_END_TEST;

GST_START_TEST (a_place_survives_within_its_range)
{
  guint8 data[LMCC_PLACE_SIZE];
  gint place;

  for (place = -300; place <= 300; place++) {
    lmcc_place_write (place, data);
    fail_unless_equals_int (lmcc_place_parse (data, sizeof (data)),
        CLAMP (place, LMCC_PLACE_FIRST, LMCC_PLACE_MAX));
  }
  fail_unless_equals_int (lmcc_place_parse (data, 1), 0);
  fail_unless_equals_int (lmcc_place_parse (NULL, 0), 0);
  data[0] = LMCC_SECOND_ELEMENT_SYNCHRONIZED;
  fail_unless_equals_int (lmcc_place_parse (data, sizeof (data)), 0);
  /* At the place of padding. */
  fail_unless_equals_uint64 (lmcc_rtp_get_header_size (LMCC_PLACE_SIZE),
      lmcc_rtp_get_header_size (0));
}

GST_END_TEST;

GST_START_TEST (every_rate_code_is_written_again)
{
  guint code;

  for (code = 0; code < 0x1000; code++) {
    gdouble rate = lmcc_tfmcc_decode_rate (code);

    fail_unless_equals_int (lmcc_tfmcc_encode_rate (rate), code);
    fail_unless (code == 0 || rate > lmcc_tfmcc_decode_rate (code - 1));
    if (code > 0 && code < 0xfff)
      fail_unless_equals_int (lmcc_tfmcc_encode_rate (rate * 0.9999), code - 1);
  }
  fail_unless_equals_int (lmcc_tfmcc_encode_rate (0), 0);
  fail_unless_equals_int (lmcc_tfmcc_encode_rate (-1), 0);
  fail_unless_equals_int (lmcc_tfmcc_encode_rate (NAN), 0);
  fail_unless_equals_int (lmcc_tfmcc_encode_rate (1e300), 0xffe);
  fail_unless_equals_int (lmcc_tfmcc_encode_rate (INFINITY), 0xfff);
}

GST_END_TEST;

GST_START_TEST (a_longest_rtt_is_rounded_up)
{
  guint code;

  for (code = 0; code < 256; code++) {
    LmccTime rtt_max = lmcc_tfmcc_decode_rtt_max (code);

    fail_unless_equals_int (lmcc_tfmcc_encode_rtt_max (rtt_max), code);
    fail_unless_equals_int (lmcc_tfmcc_encode_rtt_max (rtt_max + 1),
        MIN (code + 1, 255));
  }
  fail_unless_equals_uint64 (lmcc_tfmcc_decode_rtt_max (0), LMCC_MSECOND);
  fail_unless_equals_uint64 (lmcc_tfmcc_decode_rtt_max (255),
      63488 * LMCC_MSECOND);
  fail_unless_equals_int (lmcc_tfmcc_encode_rtt_max (0), 0);
}

GST_END_TEST;

GST_START_TEST (elements_of_one_rate_for_all_are_refused_when_short)
{
  guint8 data[LMCC_SECOND_ELEMENT_MAX_SIZE] = { 0 };
  LmccTfmccElement tfmcc;
  LmccPgmccElement pgmcc;
  guint kind, size;

  for (kind = 0; kind < 256; kind++) {
    for (size = 0; size <= sizeof (data); size++) {
      data[0] = kind;
      fail_unless_equals_int (lmcc_tfmcc_element_parse (data, size, &tfmcc),
          kind == 3 && size >= 13);
      fail_unless_equals_int (lmcc_pgmcc_element_parse (data, size, &pgmcc),
          kind == 2 && size >= 10);
    }
  }
}

GST_END_TEST;

static Suite *
second_element_suite (void)
{
  Suite *suite = suite_create ("second-element");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, a_place_survives_within_its_range);
  tcase_add_test (tcase, identifiers_follow_the_first_element);
  tcase_add_test (tcase, bits_are_where_the_wire_format_has_them);
  tcase_add_test (tcase, every_level_below_the_top_survives);
  tcase_add_test (tcase, levels_past_the_end_may_not_go_up);
  tcase_add_test (tcase, more_bytes_than_levels_are_not_looked_at);
  tcase_add_test (tcase, other_kinds_and_short_elements_are_refused);
  tcase_add_test (tcase, every_rate_code_is_written_again);
  tcase_add_test (tcase, a_longest_rtt_is_rounded_up);
  tcase_add_test (tcase, elements_of_one_rate_for_all_are_refused_when_short);

  return suite;
}

GST_CHECK_MAIN (second_element);
