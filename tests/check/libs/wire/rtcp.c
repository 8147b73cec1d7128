/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests compound RTCP packets and the fragments of session records.
 */
#include "support/test-slow.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/wire/rtcp.h>
#include <gst/rtp/gstrtcpbuffer.h>

#define CNAME "lmcc@192.0.2.1"

typedef struct
{
  guint n_reports;
  LmccSenderReport reports[32];
  guint n_records;
  LmccRecordFragment record;
  guint8 bytes[LMCC_RTCP_FRAGMENT_SIZE];
  guint n_byes;
  guint32 bye;
} Seen;

static void
on_report (gpointer user_data, const LmccSenderReport *report)
{
  Seen *seen = user_data;

  if (seen->n_reports < G_N_ELEMENTS (seen->reports))
    seen->reports[seen->n_reports] = *report;
  seen->n_reports++;
}

static void
on_record (gpointer user_data, const LmccRecordFragment *fragment)
{
  Seen *seen = user_data;

  seen->record = *fragment;
  memcpy (seen->bytes, fragment->data, fragment->size);
  seen->n_records++;
}

static void
on_bye (gpointer user_data, guint32 ssrc)
{
  Seen *seen = user_data;

  seen->bye = ssrc;
  seen->n_byes++;
}

static const LmccRtcpHandler handler = { on_report, on_record, on_bye };

/* On the heap with the exact size, so that the sanitizers detect reads past
 * the end. */
static gboolean
parse (const guint8 *data, gsize size, Seen *seen)
{
  g_autofree guint8 *exact = g_memdup2 (data, size);

  memset (seen, 0, sizeof (*seen));

  return lmcc_rtcp_parse (exact, size, &handler, seen);
}

static const LmccSenderReport reports[] = {
  { 0x12345000, G_GUINT64_CONSTANT (0xe8a1b2c3d4e5f607), 0xfffffff0, 1000,
      1200000 },
  { 0x12345380, G_GUINT64_CONSTANT (0xe8a1b2c3d4e5f607), 7, 0xffffffff, 0 },
};

static LmccPacket *
build_sample (gsize size, guint n_reports)
{
  guint8 bytes[LMCC_RTCP_FRAGMENT_SIZE];
  LmccRecordFragment fragment = { 0x12345000, 0xfedc, 2, 16, bytes, size };
  gsize i;

  for (i = 0; i < size; i++)
    bytes[i] = 'a' + i % 26;

  return lmcc_rtcp_build (reports, n_reports, CNAME, &fragment);
}

static void
assert_same_report (const LmccSenderReport *a, const LmccSenderReport *b)
{
  fail_unless_equals_uint64 (a->ssrc, b->ssrc);
  fail_unless_equals_uint64 (a->ntp_time, b->ntp_time);
  fail_unless_equals_uint64 (a->rtp_time, b->rtp_time);
  fail_unless_equals_uint64 (a->packets, b->packets);
  fail_unless_equals_uint64 (a->octets, b->octets);
}

GST_START_TEST (every_fragment_size_survives)
{
  gsize size, i;

  /* The largest record is among them. */
  for (size = 1; size <= LMCC_RTCP_FRAGMENT_SIZE;
       size += test_is_slow () ? 27 : 1) {
    g_autoptr (LmccPacket) packet = build_sample (size, 2);
    Seen seen;

    fail_unless (parse (packet->data, packet->size, &seen));
    fail_unless_equals_int (seen.n_reports, 2);
    for (i = 0; i < 2; i++)
      assert_same_report (&seen.reports[i], &reports[i]);
    fail_unless_equals_int (seen.n_records, 1);
    fail_unless_equals_int (seen.record.ssrc, 0x12345000);
    fail_unless_equals_int (seen.record.version, 0xfedc);
    fail_unless_equals_int (seen.record.index, 2);
    fail_unless_equals_int (seen.record.count, 16);
    fail_unless_equals_int (seen.record.size, size);
    for (i = 0; i < size; i++)
      fail_unless_equals_int (seen.bytes[i], 'a' + i % 26);
  }
}

GST_END_TEST;

GST_START_TEST (a_full_fragment_stays_below_the_ipv6_minimum)
{
  g_autoptr (LmccPacket) packet = build_sample (LMCC_RTCP_FRAGMENT_SIZE, 2);

  fail_unless (packet->size + 40 + 8 <= 1280, "%u", (guint) packet->size);
}

GST_END_TEST;

GST_START_TEST (gstreamer_reads_what_we_build)
{
  g_autoptr (LmccPacket) packet = build_sample (301, 2);
  GstBuffer *buffer = gst_buffer_new_memdup (packet->data, packet->size);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket part;
  GstRTCPSDESType type;
  guint8 *text;
  guint8 size;
  guint32 ssrc, rtp_time, packets, octets;
  guint64 ntp_time;

  fail_unless (gst_rtcp_buffer_validate (buffer));
  fail_unless (gst_rtcp_buffer_map (buffer, GST_MAP_READ, &rtcp));
  fail_unless_equals_int (gst_rtcp_buffer_get_packet_count (&rtcp), 4);
  fail_unless (gst_rtcp_buffer_get_first_packet (&rtcp, &part));
  gst_rtcp_packet_sr_get_sender_info (&part, &ssrc, &ntp_time, &rtp_time,
      &packets, &octets);
  fail_unless_equals_int (ssrc, reports[0].ssrc);
  fail_unless_equals_uint64 (ntp_time, reports[0].ntp_time);
  fail_unless_equals_int (rtp_time, reports[0].rtp_time);
  fail_unless_equals_int (packets, 1000);
  fail_unless_equals_int (octets, 1200000);
  fail_unless (gst_rtcp_packet_move_to_next (&part));
  fail_unless (gst_rtcp_packet_move_to_next (&part));
  fail_unless_equals_int (gst_rtcp_packet_get_type (&part), GST_RTCP_TYPE_SDES);
  fail_unless_equals_int (gst_rtcp_packet_sdes_get_item_count (&part), 2);
  fail_unless (gst_rtcp_packet_sdes_first_entry (&part));
  fail_unless (gst_rtcp_packet_sdes_get_entry (&part, &type, &size, &text));
  fail_unless_equals_int (type, GST_RTCP_SDES_CNAME);
  fail_unless (size == strlen (CNAME) && memcmp (text, CNAME, size) == 0);
  fail_unless (gst_rtcp_packet_move_to_next (&part));
  fail_unless_equals_int (gst_rtcp_packet_app_get_subtype (&part),
      LMCC_RTCP_APP_RECORD);
  fail_unless (memcmp (gst_rtcp_packet_app_get_name (&part), "LMCC", 4) == 0);
  gst_rtcp_buffer_unmap (&rtcp);
  gst_buffer_unref (buffer);
}

GST_END_TEST;

GST_START_TEST (names_of_any_length_end_on_a_word)
{
  gchar name[301] = "";
  guint i;

  for (i = 0; i < 300; i++) {
    g_autoptr (LmccPacket) packet = lmcc_rtcp_build (reports, 2, name, NULL);
    g_autoptr (LmccPacket) bye = lmcc_rtcp_build_bye (&reports[1], name);
    Seen seen;

    fail_unless_equals_int (packet->size % 4, 0);
    fail_unless (parse (packet->data, packet->size, &seen));
    fail_unless_equals_int (seen.n_reports, 2);
    fail_unless_equals_int (seen.n_records, 0);
    fail_unless (parse (bye->data, bye->size, &seen));
    fail_unless_equals_int (seen.n_byes, 1);
    fail_unless_equals_int (seen.bye, reports[1].ssrc);
    name[i] = 'n';
  }
}

GST_END_TEST;

GST_START_TEST (arguments_out_of_range_build_nothing)
{
  LmccSenderReport many[32] = {
    { 0 },
  };
  guint8 byte = 'x';
  LmccRecordFragment fragment = { 0, 0, 0, 1, &byte, 1 };
  g_autoptr (LmccPacket) packet = lmcc_rtcp_build (many, 31, CNAME, &fragment);
  Seen seen;

  fail_unless (parse (packet->data, packet->size, &seen));
  fail_unless_equals_int (seen.n_reports, 31);
  fail_unless (lmcc_rtcp_build (many, 32, CNAME, NULL) == NULL);
  fail_unless (lmcc_rtcp_build (many, 0, CNAME, NULL) == NULL);
  fragment.size = LMCC_RTCP_FRAGMENT_SIZE + 1;
  fail_unless (lmcc_rtcp_build (many, 1, CNAME, &fragment) == NULL);
  fragment.size = 1;
  fragment.index = 1;
  fail_unless (lmcc_rtcp_build (many, 1, CNAME, &fragment) == NULL);
  fragment.index = 0;
  fragment.count = LMCC_RTCP_MAX_FRAGMENTS + 1;
  fail_unless (lmcc_rtcp_build (many, 1, CNAME, &fragment) == NULL);
}

GST_END_TEST;

/* Cut between two packets, the rest is a compound packet, too. */
GST_START_TEST (every_truncation_is_refused)
{
  g_autoptr (LmccPacket) packet = build_sample (301, 2);
  const gsize sdes = 2 * 28, app = sdes + 4 + 2 * 24;
  gsize size;

  for (size = 0; size < packet->size; size++) {
    Seen seen;
    gboolean whole = size == 28 || size == sdes || size == app;

    fail_unless_equals_int (parse (packet->data, size, &seen), whole);
    if (!whole)
      fail_unless_equals_int (seen.n_reports + seen.n_records, 0);
  }
}

GST_END_TEST;

GST_START_TEST (mutations_do_no_harm)
{
  g_autoptr (LmccPacket) packet = build_sample (301, 2);
  GRand *rand = g_rand_new_with_seed (2);
  guint i, n_refused = 0;

  for (i = 0; i < test_rounds (50000); i++) {
    g_autoptr (LmccPacket) mutant =
        lmcc_packet_new_copy (packet->data, packet->size);
    guint n = g_rand_int_range (rand, 1, 6);
    Seen seen;

    while (n-- > 0)
      mutant->data[g_rand_int_range (rand, 0, 140)] =
          g_rand_int_range (rand, 0, 256);
    if (!parse (mutant->data, mutant->size, &seen)) {
      fail_unless_equals_int (seen.n_reports + seen.n_records + seen.n_byes, 0);
      n_refused++;
    } else if (seen.n_records > 0) {
      fail_unless (seen.record.index < seen.record.count);
      fail_unless (seen.record.size <= LMCC_RTCP_FRAGMENT_SIZE);
    }
  }
  fail_unless (n_refused > 0 && n_refused < i);
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (padding_is_taken_at_the_end_only)
{
  guint8 data[44] = {
    0x80,
    200,
    0,
    6,
    1,
    2,
    3,
    4,
    [28] = 0xa1,
    203,
    0,
    3,
    9,
    8,
    7,
    6,
    [43] = 8,
  };
  static const guint8 bad[] = { 0, 1, 2, 3, 5, 6, 7, 12, 16, 255 };
  Seen seen;
  guint i;

  fail_unless (parse (data, sizeof (data), &seen));
  fail_unless_equals_int (seen.bye, 0x09080706);
  for (i = 0; i < G_N_ELEMENTS (bad); i++) {
    data[43] = bad[i];
    fail_if (parse (data, sizeof (data), &seen), "%u", bad[i]);
  }
  data[43] = 8;
  data[0] = 0xa0;
  data[27] = 4;
  fail_if (parse (data, sizeof (data), &seen));
}

GST_END_TEST;

GST_START_TEST (foreign_parts_are_skipped)
{
  static const guint8 data[] = { 0x80, 201, 0, 1, 1, 2, 3, 4, 0x81, 204, 0, 2,
    1, 2, 3, 4, 'Q', 'T', 'S', 'I', 0x82, 204, 0, 2, 1, 2, 3, 4, 'L', 'M', 'C',
    'C', 0x80, 207, 0, 1, 1, 2, 3, 4, 0x80, 203, 0, 0 };
  static const LmccRtcpHandler nothing = { NULL, NULL, NULL };
  g_autoptr (LmccPacket) packet = build_sample (301, 2);
  Seen seen;

  fail_unless (parse (data, sizeof (data), &seen));
  fail_unless_equals_int (seen.n_reports + seen.n_records + seen.n_byes, 0);
  fail_unless (lmcc_rtcp_parse (packet->data, packet->size, &nothing, NULL));
}

GST_END_TEST;

GST_START_TEST (malformed_parts_refuse_the_whole)
{
  static const struct
  {
    guint8 data[24];
    guint size;
  } parts[] = {
    { { 0x81, 200, 0, 5 }, 24 },
    { { 0x81, 201, 0, 1 }, 8 },
    { { 0x81, 202, 0, 0 }, 4 },
    { { 0x81, 202, 0, 1 }, 8 },
    { { 0x81, 202, 0, 2, 0, 0, 0, 0, 1, 2, 'a', 'b' }, 12 },
    { { 0x81, 202, 0, 2, 0, 0, 0, 0, 1, 0, 1, 200 }, 12 },
    { { 0x82, 203, 0, 1 }, 8 },
    { { 0x80, 204, 0, 1 }, 8 },
    { { 0x81, 204, 0, 2, 0, 0, 0, 0, 'L', 'M', 'C', 'C' }, 12 },
    { { 0x81, 204, 0, 4, 0, 0, 0, 0, 'L', 'M', 'C', 'C', 0, 0, 0, 1 }, 20 },
    { { 0x81, 204, 0, 5, 0, 0, 0, 0, 'L', 'M', 'C', 'C', 0, 0, 1, 1, 0, 1 },
        24 },
    { { 0x81, 204, 0, 5, 0, 0, 0, 0, 'L', 'M', 'C', 'C', 0, 0, 0, 17, 0, 1 },
        24 },
    { { 0x81, 204, 0, 5, 0, 0, 0, 0, 'L', 'M', 'C', 'C', 0, 0, 0, 1, 0, 5 },
        24 },
    { { 0x40, 203, 0, 0 }, 4 },
    { { 0x80, 203, 0, 1 }, 4 },
  };
  guint8 data[28 + 24] = { 0x80, 200, 0, 6 };
  Seen seen;
  guint i;

  fail_unless (parse (data, 28, &seen));
  for (i = 0; i < G_N_ELEMENTS (parts); i++) {
    memcpy (data + 28, parts[i].data, parts[i].size);
    fail_if (parse (data, 28 + parts[i].size, &seen), "part %u", i);
    fail_unless_equals_int (seen.n_reports, 0);
  }
  data[1] = 202;
  fail_if (parse (data, 28, &seen));
}

GST_END_TEST;

static gchar *
push (LmccRecordAssembler *assembler, guint32 ssrc, guint16 version,
    guint8 index, guint8 count, const gchar *text)
{
  LmccRecordFragment fragment = { ssrc, version, index, count,
    (const guint8 *) text, strlen (text) };

  return lmcc_record_assembler_push (assembler, &fragment);
}

static void
assert_push (LmccRecordAssembler *assembler, guint32 ssrc, guint16 version,
    guint8 index, guint8 count, const gchar *text, const gchar *expected)
{
  g_autofree gchar *whole = push (assembler, ssrc, version, index, count, text);

  fail_unless_equals_string (whole, expected);
}

GST_START_TEST (fragments_join_in_any_order)
{
  g_autoptr (LmccRecordAssembler) a = lmcc_record_assembler_new ();

  assert_push (a, 1, 1, 0, 1, "one", "one");
  assert_push (a, 1, 1, 2, 3, "c", NULL);
  assert_push (a, 1, 1, 0, 3, "aa", NULL);
  assert_push (a, 1, 1, 0, 3, "zz", NULL);
  assert_push (a, 1, 1, 0, 1, "one", "one");
  assert_push (a, 1, 1, 1, 3, "bbb", "aabbbc");
  assert_push (a, 1, 1, 1, 3, "bbb", NULL);
  assert_push (a, 1, 2, 0, 3, "a", NULL);
  assert_push (a, 1, 2, 2, 3, "c", NULL);
  assert_push (a, 1, 2, 1, 3, "b", "abc");
}

GST_END_TEST;

GST_START_TEST (another_record_starts_anew)
{
  g_autoptr (LmccRecordAssembler) a = lmcc_record_assembler_new ();

  assert_push (a, 1, 1, 0, 2, "a", NULL);
  assert_push (a, 2, 1, 1, 2, "b", NULL);
  assert_push (a, 2, 2, 0, 2, "c", NULL);
  assert_push (a, 2, 2, 1, 3, "d", NULL);
  assert_push (a, 2, 2, 0, 3, "e", NULL);
  assert_push (a, 2, 2, 2, 3, "f", "edf");
  assert_push (a, 2, 2, 0, 2, "x", NULL);
  lmcc_record_assembler_reset (a);
  assert_push (a, 2, 2, 1, 2, "y", NULL);
}

GST_END_TEST;

GST_START_TEST (bad_fragments_change_nothing)
{
  g_autoptr (LmccRecordAssembler) a = lmcc_record_assembler_new ();
  LmccRecordFragment zero = { 1, 1, 1, 2, (const guint8 *) "a\0b", 3 };

  assert_push (a, 1, 1, 0, 2, "a", NULL);
  assert_push (a, 1, 1, 2, 2, "b", NULL);
  assert_push (a, 1, 1, 0, 0, "b", NULL);
  assert_push (a, 1, 1, 16, 17, "b", NULL);
  assert_push (a, 1, 1, 1, 2, "", NULL);
  fail_unless (lmcc_record_assembler_push (a, &zero) == NULL);
  assert_push (a, 1, 1, 1, 2, "b", "ab");
}

GST_END_TEST;

GST_START_TEST (the_largest_record_is_joined)
{
  g_autoptr (LmccRecordAssembler) a = lmcc_record_assembler_new ();
  g_autofree gchar *text = g_strnfill (LMCC_RTCP_FRAGMENT_SIZE, 'x');
  g_autofree gchar *whole = NULL;
  guint i;

  for (i = 0; i < LMCC_RTCP_MAX_FRAGMENTS; i++) {
    fail_unless (whole == NULL);
    whole = push (a, 1, 1, i, LMCC_RTCP_MAX_FRAGMENTS, text);
  }
  fail_unless_equals_int (strlen (whole), 16000);
}

GST_END_TEST;

static Suite *
rtcp_suite (void)
{
  Suite *suite = suite_create ("rtcp");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, every_fragment_size_survives);
  tcase_add_test (tcase, a_full_fragment_stays_below_the_ipv6_minimum);
  tcase_add_test (tcase, gstreamer_reads_what_we_build);
  tcase_add_test (tcase, names_of_any_length_end_on_a_word);
  tcase_add_test (tcase, arguments_out_of_range_build_nothing);
  tcase_add_test (tcase, every_truncation_is_refused);
  tcase_add_test (tcase, mutations_do_no_harm);
  tcase_add_test (tcase, padding_is_taken_at_the_end_only);
  tcase_add_test (tcase, foreign_parts_are_skipped);
  tcase_add_test (tcase, malformed_parts_refuse_the_whole);
  tcase_add_test (tcase, fragments_join_in_any_order);
  tcase_add_test (tcase, another_record_starts_anew);
  tcase_add_test (tcase, bad_fragments_change_nothing);
  tcase_add_test (tcase, the_largest_record_is_joined);

  return suite;
}

GST_CHECK_MAIN (rtcp);
