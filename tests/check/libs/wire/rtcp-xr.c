/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the RTCP extended reports for round-trip times (RFC 3611).
 */
#include "support/test-slow.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/wire/rtcp.h>
#include <gst/rtp/gstrtcpbuffer.h>

#define NTP_TIME G_GUINT64_CONSTANT (0xe8a1b2c3d4e5f607)

typedef struct
{
  guint n_times;
  LmccReferenceTime times[4];
  guint n_answers;
  guint32 sender;
  LmccDlrr answers[LMCC_RTCP_MAX_DLRR];
  guint n_others;
} Seen;

static void
on_report (gpointer user_data, const LmccSenderReport *report G_GNUC_UNUSED)
{
  ((Seen *) user_data)->n_others++;
}

static void
on_record (gpointer user_data, const LmccRecordFragment *fragment G_GNUC_UNUSED)
{
  ((Seen *) user_data)->n_others++;
}

static void
on_bye (gpointer user_data, guint32 ssrc G_GNUC_UNUSED)
{
  ((Seen *) user_data)->n_others++;
}

static void
on_reference_time (gpointer user_data, const LmccReferenceTime *report)
{
  Seen *seen = user_data;

  if (seen->n_times < G_N_ELEMENTS (seen->times))
    seen->times[seen->n_times] = *report;
  seen->n_times++;
}

static void
on_dlrr (gpointer user_data, guint32 sender_ssrc, const LmccDlrr *answer)
{
  Seen *seen = user_data;

  if (seen->n_answers < G_N_ELEMENTS (seen->answers))
    seen->answers[seen->n_answers] = *answer;
  seen->sender = sender_ssrc;
  seen->n_answers++;
}

/* On the heap with the exact size, so that the sanitizers detect reads past
 * the end. */
static gboolean
parse (const guint8 *data, gsize size, Seen *seen)
{
  static const LmccRtcpHandler handler = { on_report, on_record, on_bye,
    on_reference_time, on_dlrr };
  g_autofree guint8 *exact = g_memdup2 (data, size);
  gboolean taken;

  memset (seen, 0, sizeof (*seen));
  taken = lmcc_rtcp_parse (exact, size, &handler, seen);
  if (!taken)
    fail_unless_equals_int (seen->n_times + seen->n_answers + seen->n_others,
        0);

  return taken;
}

static LmccPacket *
build_answers (guint n)
{
  LmccDlrr answers[LMCC_RTCP_MAX_DLRR + 1] = { { 0 } };
  guint i;

  for (i = 0; i < n; i++) {
    answers[i].ssrc = 0xfedc0000 + i;
    answers[i].last_rr = 0x80000000 + 3 * i;
    answers[i].delay = 0xffffffff - 5 * i;
  }

  return lmcc_rtcp_build_dlrr (0x12345000, answers, n);
}

GST_START_TEST (a_reference_time_survives)
{
  static const guint8 bytes[] = { 0x80, 207, 0, 4, 0xca, 0xfe, 0xba, 0xbe, 4, 0,
    0, 2, 0xe8, 0xa1, 0xb2, 0xc3, 0xd4, 0xe5, 0xf6, 0x07 };
  static const LmccReferenceTime report = { 0xcafebabe, NTP_TIME };
  g_autoptr (LmccPacket) packet =
      lmcc_rtcp_build_reference_time (&report, NULL);
  Seen seen;

  fail_unless_equals_int (packet->size, sizeof (bytes));
  fail_unless (memcmp (packet->data, bytes, sizeof (bytes)) == 0);
  fail_unless (parse (packet->data, packet->size, &seen));
  fail_unless_equals_int (seen.n_times, 1);
  fail_unless_equals_int (seen.n_answers + seen.n_others, 0);
  fail_unless_equals_int (seen.times[0].ssrc, 0xcafebabe);
  fail_unless_equals_uint64 (seen.times[0].ntp_time, NTP_TIME);
}

GST_END_TEST;

GST_START_TEST (answers_of_any_number_survive)
{
  guint n, i;

  for (n = 1; n <= LMCC_RTCP_MAX_DLRR; n++) {
    g_autoptr (LmccPacket) packet = build_answers (n);
    Seen seen;

    fail_unless_equals_int (packet->size, 12 + 12 * n);
    fail_unless (parse (packet->data, packet->size, &seen));
    fail_unless_equals_int (seen.n_answers, n);
    fail_unless_equals_int (seen.n_times + seen.n_others, 0);
    fail_unless_equals_int (seen.sender, 0x12345000);
    for (i = 0; i < n; i++) {
      fail_unless_equals_uint64 (seen.answers[i].ssrc, 0xfedc0000 + i);
      fail_unless_equals_uint64 (seen.answers[i].last_rr, 0x80000000 + 3 * i);
      fail_unless_equals_uint64 (seen.answers[i].delay, 0xffffffff - 5 * i);
    }
  }
}

GST_END_TEST;

GST_START_TEST (answers_fill_the_ipv6_minimum_and_not_more)
{
  g_autoptr (LmccPacket) packet = build_answers (LMCC_RTCP_MAX_DLRR);

  fail_unless (packet->size + 40 + 8 <= 1280);
  fail_unless (packet->size + 40 + 8 + 12 > 1280);
  fail_unless (build_answers (LMCC_RTCP_MAX_DLRR + 1) == NULL);
  fail_unless (build_answers (0) == NULL);
}

GST_END_TEST;

static void
open_rtcp (GstRTCPBuffer *rtcp, GstRTCPPacket *part, GstBuffer *buffer)
{
  fail_unless (gst_rtcp_buffer_validate_reduced (buffer));
  fail_unless (gst_rtcp_buffer_map (buffer, GST_MAP_READ, rtcp));
  fail_unless_equals_int (gst_rtcp_buffer_get_packet_count (rtcp), 1);
  fail_unless (gst_rtcp_buffer_get_first_packet (rtcp, part));
  fail_unless_equals_int (gst_rtcp_packet_get_type (part), GST_RTCP_TYPE_XR);
  fail_unless (gst_rtcp_packet_xr_first_rb (part));
}

GST_START_TEST (gstreamer_reads_what_we_build)
{
  static const LmccReferenceTime report = { 0xcafebabe, NTP_TIME };
  g_autoptr (LmccPacket) time = lmcc_rtcp_build_reference_time (&report, NULL);
  g_autoptr (LmccPacket) answers = build_answers (3);
  g_autoptr (GstBuffer) time_buffer =
      gst_buffer_new_memdup (time->data, time->size);
  g_autoptr (GstBuffer) answers_buffer =
      gst_buffer_new_memdup (answers->data, answers->size);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket part;
  guint64 ntp_time;
  guint32 ssrc, last_rr, delay;

  open_rtcp (&rtcp, &part, time_buffer);
  fail_unless_equals_int (gst_rtcp_packet_xr_get_ssrc (&part), 0xcafebabe);
  fail_unless (gst_rtcp_packet_xr_get_rrt (&part, &ntp_time));
  fail_unless_equals_uint64 (ntp_time, NTP_TIME);
  gst_rtcp_buffer_unmap (&rtcp);

  open_rtcp (&rtcp, &part, answers_buffer);
  fail_unless_equals_int (gst_rtcp_packet_xr_get_ssrc (&part), 0x12345000);
  fail_unless (
      gst_rtcp_packet_xr_get_dlrr_block (&part, 2, &ssrc, &last_rr, &delay));
  fail_unless_equals_uint64 (ssrc, 0xfedc0002);
  fail_unless_equals_uint64 (last_rr, 0x80000006);
  fail_unless_equals_uint64 (delay, 0xfffffff5);
  fail_if (
      gst_rtcp_packet_xr_get_dlrr_block (&part, 3, &ssrc, &last_rr, &delay));
  gst_rtcp_buffer_unmap (&rtcp);
}

GST_END_TEST;

GST_START_TEST (every_truncation_is_refused)
{
  static const LmccReferenceTime report = { 1, NTP_TIME };
  g_autoptr (LmccPacket) time = lmcc_rtcp_build_reference_time (&report, NULL);
  g_autoptr (LmccPacket) answers = build_answers (20);
  Seen seen;
  gsize size;

  for (size = 0; size < time->size; size++)
    fail_if (parse (time->data, size, &seen));
  for (size = 0; size < answers->size; size++)
    fail_if (parse (answers->data, size, &seen));
}

GST_END_TEST;

/* A complete packet whose header claims @n_words of content after the SSRC. */
static gboolean
parse_blocks (const guint8 *blocks, guint n_words, Seen *seen)
{
  guint8 data[8 + 64] = { 0x80, 207, 0, 1 + n_words, 0xca, 0xfe, 0xba, 0xbe };

  if (n_words > 0)
    memcpy (data + 8, blocks, 4 * n_words);

  return parse (data, 8 + 4 * n_words, seen);
}

GST_START_TEST (malformed_blocks_refuse_the_whole)
{
  /* A valid block comes first, so that a callback could be called. */
  static const struct
  {
    guint8 blocks[40];
    guint n_words;
  } bad[] = {
    { { 4, 0, 0, 0 }, 1 },
    { { 4, 0, 0, 1, 1, 2, 3, 4 }, 2 },
    { { 4, 0, 0, 3 }, 4 },
    { { 4, 0, 0, 2 }, 2 },
    { { 4, 0, 2, 2 }, 3 },
    { { 4, 0, 0xff, 0xff }, 3 },
    { { 5, 0, 0, 1 }, 2 },
    { { 5, 0, 0, 2 }, 3 },
    { { 5, 0, 0, 4 }, 5 },
    { { 5, 0, 0, 3 }, 3 },
    { { 5, 0, 0, 6 }, 6 },
    { { 5, 0, 0xff, 0xfc }, 4 },
    { { 200, 0, 0, 1 }, 1 },
    { { 200, 0, 0xff, 0xff }, 7 },
    { { 0, 0, 0, 0, 4, 0, 0, 0 }, 2 },
  };
  Seen seen;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (bad); i++) {
    guint8 blocks[12 + 40] = { 4, 0, 0, 2 };

    fail_if (parse_blocks (bad[i].blocks, bad[i].n_words, &seen), "%u", i);
    memcpy (blocks + 12, bad[i].blocks, sizeof (bad[i].blocks));
    fail_if (parse_blocks (blocks, 3 + bad[i].n_words, &seen), "%u", i);
  }
}

GST_END_TEST;

GST_START_TEST (a_report_without_an_ssrc_is_refused)
{
  static const guint8 data[] = { 0x80, 207, 0, 0, 0x80, 203, 0, 0 };
  Seen seen;

  fail_if (parse (data, 4, &seen));
  fail_if (parse (data, 8, &seen));
}

GST_END_TEST;

GST_START_TEST (empty_reports_and_blocks_say_nothing)
{
  static const guint8 empty[] = { 5, 0, 0, 0 };
  Seen seen;

  fail_unless (parse_blocks (NULL, 0, &seen));
  fail_unless_equals_int (seen.n_times + seen.n_answers + seen.n_others, 0);
  fail_unless (parse_blocks (empty, 1, &seen));
  fail_unless_equals_int (seen.n_times + seen.n_answers + seen.n_others, 0);
}

GST_END_TEST;

GST_START_TEST (other_blocks_are_skipped_whatever_their_length)
{
  static const guint8 blocks[] = { 0, 0, 0, 0, 7, 0xff, 0, 3, 4, 0, 0, 2, 4, 0,
    0, 2, 5, 0, 0, 3, 255, 0, 0, 0, 4, 0xff, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 5,
    0xff, 0, 3, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 0, 0, 0 };
  Seen seen;

  fail_unless (parse_blocks (blocks, sizeof (blocks) / 4, &seen));
  fail_unless_equals_int (seen.n_times, 1);
  fail_unless_equals_uint64 (seen.times[0].ntp_time,
      G_GUINT64_CONSTANT (0x100000002));
  fail_unless_equals_int (seen.n_answers, 1);
  fail_unless_equals_uint64 (seen.answers[0].ssrc, 0x01010101);
  fail_unless_equals_uint64 (seen.answers[0].last_rr, 0x02020202);
  fail_unless_equals_uint64 (seen.answers[0].delay, 0x03030303);
}

GST_END_TEST;

GST_START_TEST (of_several_reference_times_the_first_counts)
{
  static const guint8 blocks[] = { 5, 0, 0, 0, 4, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0,
    0, 4, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 0, 4, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0 };
  Seen seen;

  fail_unless (parse_blocks (blocks, sizeof (blocks) / 4, &seen));
  fail_unless_equals_int (seen.n_times, 1);
  fail_unless_equals_int (seen.times[0].ssrc, 0xcafebabe);
  fail_unless_equals_uint64 (seen.times[0].ntp_time,
      G_GUINT64_CONSTANT (0x100000000));
}

GST_END_TEST;

GST_START_TEST (answers_of_several_blocks_all_count)
{
  static const guint8 blocks[] = { 5, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
    0, 5, 0, 0, 6, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0,
    0, 0, 0, 0 };
  Seen seen;
  guint i;

  fail_unless (parse_blocks (blocks, sizeof (blocks) / 4, &seen));
  fail_unless_equals_int (seen.n_answers, 3);
  for (i = 0; i < 3; i++)
    fail_unless_equals_int (seen.answers[i].ssrc, i + 1);
}

GST_END_TEST;

GST_START_TEST (reports_of_several_senders_all_count)
{
  static const LmccReferenceTime first = { 1, 10 }, second = { 2, 20 };
  g_autoptr (LmccPacket) one = lmcc_rtcp_build_reference_time (&first, NULL);
  g_autoptr (LmccPacket) two = lmcc_rtcp_build_reference_time (&second, NULL);
  guint8 data[40];
  Seen seen;

  memcpy (data, one->data, 20);
  memcpy (data + 20, two->data, 20);
  fail_unless (parse (data, 40, &seen));
  fail_unless_equals_int (seen.n_times, 2);
  fail_unless_equals_int (seen.times[0].ssrc, 1);
  fail_unless_equals_int (seen.times[1].ssrc, 2);
  fail_unless_equals_uint64 (seen.times[1].ntp_time, 20);
}

GST_END_TEST;

GST_START_TEST (reports_in_a_compound_packet_count)
{
  static const LmccSenderReport report = { 0x12345000, NTP_TIME, 1, 2, 3 };
  g_autoptr (LmccPacket) sr = lmcc_rtcp_build (&report, 1, "cname", NULL);
  g_autoptr (LmccPacket) answers = build_answers (2);
  guint8 data[200];
  Seen seen;

  memcpy (data, sr->data, sr->size);
  memcpy (data + sr->size, answers->data, answers->size);
  fail_unless (parse (data, sr->size + answers->size, &seen));
  fail_unless_equals_int (seen.n_others, 1);
  fail_unless_equals_int (seen.n_answers, 2);

  /* The block is one word shorter: the sender report is not returned either. */
  data[sr->size + 11]--;
  fail_if (parse (data, sr->size + answers->size, &seen));
}

GST_END_TEST;

GST_START_TEST (reports_may_come_first_and_nothing_else_may)
{
  guint8 data[] = { 0x80, 207, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0 };
  Seen seen;
  guint type;

  for (type = 0; type < 256; type++) {
    data[1] = type;
    fail_unless_equals_int (parse (data, sizeof (data), &seen),
        type == 201 || type == 207);
  }
}

GST_END_TEST;

GST_START_TEST (padding_is_not_taken_for_blocks)
{
  guint8 data[] = { 0x80, 201, 0, 1, 0, 0, 0, 1, 0xa0, 207, 0, 5, 0, 0, 0, 2, 4,
    0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 4 };
  Seen seen;

  fail_unless (parse (data, sizeof (data), &seen));
  fail_unless_equals_int (seen.n_times, 1);
  fail_unless_equals_int (seen.times[0].ssrc, 2);
  /* The first packet has no padding (RFC 3550 appendix A.2). */
  fail_if (parse (data + 8, sizeof (data) - 8, &seen));
  data[sizeof (data) - 1] = 8;
  fail_if (parse (data, sizeof (data), &seen));
  data[sizeof (data) - 1] = 16;
  fail_unless (parse (data, sizeof (data), &seen));
  fail_unless_equals_int (seen.n_times, 0);
  data[sizeof (data) - 1] = 20;
  fail_if (parse (data, sizeof (data), &seen));
}

GST_END_TEST;

GST_START_TEST (handlers_may_be_left_out)
{
  static const LmccRtcpHandler nothing = { NULL };
  static const LmccReferenceTime report = { 1, NTP_TIME };
  g_autoptr (LmccPacket) time = lmcc_rtcp_build_reference_time (&report, NULL);
  g_autoptr (LmccPacket) answers = build_answers (2);

  fail_unless (lmcc_rtcp_parse (time->data, time->size, &nothing, NULL));
  fail_unless (lmcc_rtcp_parse (answers->data, answers->size, &nothing, NULL));
}

GST_END_TEST;

GST_START_TEST (mutations_do_no_harm)
{
  g_autoptr (LmccPacket) answers = build_answers (4);
  GRand *rand = g_rand_new_with_seed (3);
  guint i, n_refused = 0;

  for (i = 0; i < test_rounds (50000); i++) {
    guint8 data[60];
    guint n = g_rand_int_range (rand, 1, 4);
    Seen seen;

    fail_unless_equals_int (answers->size, sizeof (data));
    memcpy (data, answers->data, sizeof (data));
    while (n-- > 0)
      data[g_rand_int_range (rand, 0, 16)] = g_rand_int_range (rand, 0, 256);
    if (!parse (data, sizeof (data), &seen))
      n_refused++;
    else
      fail_unless (seen.n_answers <= 4 && seen.n_times <= 4);
  }
  fail_unless (n_refused > 0 && n_refused < i);
  g_rand_free (rand);
}

GST_END_TEST;

static Suite *
rtcp_xr_suite (void)
{
  Suite *suite = suite_create ("rtcp-xr");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, a_reference_time_survives);
  tcase_add_test (tcase, answers_of_any_number_survive);
  tcase_add_test (tcase, answers_fill_the_ipv6_minimum_and_not_more);
  tcase_add_test (tcase, gstreamer_reads_what_we_build);
  tcase_add_test (tcase, every_truncation_is_refused);
  tcase_add_test (tcase, malformed_blocks_refuse_the_whole);
  tcase_add_test (tcase, a_report_without_an_ssrc_is_refused);
  tcase_add_test (tcase, empty_reports_and_blocks_say_nothing);
  tcase_add_test (tcase, other_blocks_are_skipped_whatever_their_length);
  tcase_add_test (tcase, of_several_reference_times_the_first_counts);
  tcase_add_test (tcase, answers_of_several_blocks_all_count);
  tcase_add_test (tcase, reports_of_several_senders_all_count);
  tcase_add_test (tcase, reports_in_a_compound_packet_count);
  tcase_add_test (tcase, reports_may_come_first_and_nothing_else_may);
  tcase_add_test (tcase, padding_is_not_taken_for_blocks);
  tcase_add_test (tcase, handlers_may_be_left_out);
  tcase_add_test (tcase, mutations_do_no_harm);

  return suite;
}

GST_CHECK_MAIN (rtcp_xr);
