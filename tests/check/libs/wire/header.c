/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the header extension element in each packet of a layer.
 */
#include "support/test-slow.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/wire/layer-header.h>

static const guint8 sample[LMCC_HEADER_SIZE] = { 0x46, 0x0e, 0x15, 0x21, 0xff,
  0xfe, 0x04, 0xc8, 0x80, 0x01, 0x7f, 0xff, 0x12, 0x34, 0xab, 0xcd };

/* Every value of every octet: an accepted header is written again bit for
 * bit. */
GST_START_TEST (what_is_parsed_is_written_again)
{
  guint at, value, n_taken[LMCC_HEADER_SIZE] = { 0 };

  for (at = 0; at < LMCC_HEADER_SIZE; at++) {
    for (value = 0; value < 256; value++) {
      guint8 data[LMCC_HEADER_SIZE], again[LMCC_HEADER_SIZE];
      LmccHeader header;

      memcpy (data, sample, sizeof (data));
      data[at] = value;
      if (!lmcc_header_parse (data, sizeof (data), &header))
        continue;
      lmcc_header_write (&header, again);
      fail_unless (memcmp (data, again, sizeof (data)) == 0);
      n_taken[at]++;
    }
  }
  /* Version 1 and types 0 to 3; layers 0 to 5; top layers 3 to 63; signals
   * -1 to 127; all values of the other fields. */
  for (at = 0; at < LMCC_HEADER_SIZE; at++)
    fail_unless_equals_int (n_taken[at],
        at == 0       ? 32
            : at == 1 ? 24
            : at == 2 ? 244
            : at == 6 ? 129
                      : 256);
}

GST_END_TEST;

GST_START_TEST (fields_are_where_the_wire_format_has_them)
{
  LmccHeader header;

  fail_unless (lmcc_header_parse (sample, sizeof (sample), &header));
  fail_unless_equals_int (header.type, LMCC_PACKET_MEDIA);
  fail_unless_equals_int (header.first, TRUE);
  fail_unless_equals_int (header.last, TRUE);
  fail_unless_equals_int (header.more, FALSE);
  fail_unless_equals_int (header.layer, 3);
  fail_unless_equals_int (header.switch_point, TRUE);
  fail_unless_equals_int (header.burst, FALSE);
  fail_unless_equals_int (header.top_layer, 5);
  fail_unless_equals_int (header.table, 1);
  fail_unless_equals_int (header.stream, 2);
  fail_unless_equals_int (header.klass, 1);
  fail_unless_equals_int (header.slot, 0xfffe);
  fail_unless_equals_int (header.signal, 4);
  fail_unless_equals_int (header.anchor, 200);
  fail_unless_equals_int (header.lsn, 0x8001);
  fail_unless_equals_int (header.osn, 0x7fff);
  fail_unless_equals_int (header.send_time, 0x1234abcd);
}

GST_END_TEST;

GST_START_TEST (every_value_of_the_wide_fields_survives)
{
  guint value;

  for (value = 0; value <= G_MAXUINT16; value += test_is_slow () ? 251 : 1) {
    LmccHeader header, again;
    guint8 data[LMCC_HEADER_SIZE];

    fail_unless (lmcc_header_parse (sample, sizeof (sample), &header));
    header.lsn = value;
    header.osn = ~value;
    header.slot = value ^ 0x5555;
    header.send_time = value << 16 | (value ^ 0xffff);
    lmcc_header_write (&header, data);
    fail_unless (lmcc_header_parse (data, sizeof (data), &again));
    fail_unless_equals_int (again.lsn, header.lsn);
    fail_unless_equals_int (again.osn, header.osn);
    fail_unless_equals_int (again.slot, header.slot);
    fail_unless_equals_int (again.send_time, header.send_time);
  }
}

GST_END_TEST;

GST_START_TEST (other_sizes_are_refused)
{
  guint8 data[LMCC_HEADER_SIZE + 1] = { 0 };
  LmccHeader header;
  gsize size;

  memcpy (data, sample, sizeof (sample));
  for (size = 0; size <= sizeof (data); size++) {
    g_autofree guint8 *exact = g_memdup2 (data, size);

    fail_unless_equals_int (lmcc_header_parse (exact, size, &header),
        size == LMCC_HEADER_SIZE);
  }
}

GST_END_TEST;

GST_START_TEST (sequence_numbers_wrap)
{
  guint a, step;

  for (a = 0; a <= G_MAXUINT16; a++) {
    for (step = 1; step < 0x8000; step = 2 * step + 1) {
      guint16 b = a + step;

      if (lmcc_sequence_diff (b, a) != (gint) step
          || lmcc_sequence_diff (a, b) != -(gint) step)
        ck_abort_msg ("%u and %u", a, b);
    }
    if (lmcc_sequence_diff (a, a) != 0)
      ck_abort_msg ("%u and itself", a);
  }
}

GST_END_TEST;

GST_START_TEST (short_times_wrap_and_keep_their_precision)
{
  static const LmccTime starts[] = {
    0,
    65535 * LMCC_SECOND,
    G_GUINT64_CONSTANT (3900000000) * LMCC_SECOND,
  };
  guint i, step;

  for (i = 0; i < G_N_ELEMENTS (starts); i++) {
    for (step = 0; step < 4000; step++) {
      LmccTime then = starts[i] + step * 999983;
      LmccTime now = then + step * 7919 * LMCC_USECOND;
      gint64 diff = lmcc_ntp_short_diff (lmcc_time_to_ntp_short (now),
          lmcc_time_to_ntp_short (then));

      /* One unit is 15,259 ns. */
      fail_unless (ABS (diff - (gint64) (now - then)) <= 15259);
      fail_unless_equals_int64 (lmcc_ntp_short_diff (lmcc_time_to_ntp_short (
                                                         then),
                                    lmcc_time_to_ntp_short (now)),
          -diff);
    }
  }
  fail_unless_equals_int (lmcc_time_to_ntp_short (LMCC_SECOND / 2), 0x8000);
  fail_unless_equals_int (lmcc_time_to_ntp_short (65536 * LMCC_SECOND), 0);
  fail_unless_equals_int64 (lmcc_ntp_short_diff (0x7fffffff, 0),
      G_GINT64_CONSTANT (32767999984741));
}

GST_END_TEST;

static Suite *
header_suite (void)
{
  Suite *suite = suite_create ("header");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, what_is_parsed_is_written_again);
  tcase_add_test (tcase, fields_are_where_the_wire_format_has_them);
  tcase_add_test (tcase, every_value_of_the_wide_fields_survives);
  tcase_add_test (tcase, other_sizes_are_refused);
  tcase_add_test (tcase, sequence_numbers_wrap);
  tcase_add_test (tcase, short_times_wrap_and_keep_their_precision);

  return suite;
}

GST_CHECK_MAIN (header);
