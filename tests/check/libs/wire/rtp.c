/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests building, parsing and stripping of RTP packets.
 */
#include "support/test-slow.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/wire/algorithm-element.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>
#include <gst/rtp/gstrtpbuffer.h>

static const LmccHeader sample_header = {
  .type = LMCC_PACKET_MEDIA,
  .first = TRUE,
  .layer = 1,
  .top_layer = 2,
  .klass = 1,
  .slot = 3,
  .signal = -1,
  .anchor = 4,
  .lsn = 5,
  .osn = 6,
  .send_time = 7,
};

static const guint8 payload[] = "payload";

static LmccPacket *
build_sample (guint8 id)
{
  LmccRtp rtp = {
    .marker = TRUE,
    .payload_type = 96,
    .sequence = 65535,
    .timestamp = 0xfffffffe,
    .ssrc = 0x12345001,
    .payload_size = sizeof (payload),
  };

  return lmcc_rtp_build (&rtp, &sample_header, id, payload);
}

static gboolean
parse (const guint8 *data, gsize size, guint8 id, LmccRtp *rtp)
{
  g_autofree guint8 *exact = g_memdup2 (data, size);
  gboolean taken = lmcc_rtp_parse (exact, size, id, rtp);

  if (taken) {
    fail_unless (rtp->header_size + rtp->payload_size <= size);
    if (rtp->element != NULL) {
      fail_unless (rtp->element >= exact + 16);
      fail_unless (
          rtp->element + rtp->element_size <= exact + rtp->header_size);
      rtp->element = data + (rtp->element - exact);
    }
  }

  return taken;
}

static gboolean
parse_extension (guint16 profile, const guint8 *extension, gsize size,
    guint8 id, LmccRtp *rtp)
{
  guint8 data[128] = { 0x90, 96 };

  data[12] = profile >> 8;
  data[13] = profile & 0xff;
  data[15] = size / 4;
  memcpy (data + 16, extension, size);

  return parse (data, 16 + size, id, rtp);
}

GST_START_TEST (what_is_built_is_parsed)
{
  guint8 id;

  for (id = 1; id <= 14; id++) {
    g_autoptr (LmccPacket) packet = build_sample (id);
    LmccHeader header;
    LmccRtp rtp;

    fail_unless (parse (packet->data, packet->size, id, &rtp));
    fail_unless_equals_int (rtp.marker, TRUE);
    fail_unless_equals_int (rtp.payload_type, 96);
    fail_unless_equals_int (rtp.sequence, 65535);
    fail_unless_equals_int (rtp.timestamp, 0xfffffffe);
    fail_unless_equals_int (rtp.ssrc, 0x12345001);
    fail_unless_equals_int (rtp.header_size,
        LMCC_RTP_HEADER_SIZE + LMCC_RTP_OVERHEAD);
    fail_unless_equals_int (rtp.payload_size, sizeof (payload));
    fail_unless (lmcc_header_parse (rtp.element, rtp.element_size, &header));
    fail_unless_equals_int (header.lsn, 5);
    fail_unless (parse (packet->data, packet->size, id % 14 + 1, &rtp));
    fail_unless (rtp.element == NULL);
  }
}

GST_END_TEST;

GST_START_TEST (a_second_element_of_any_size_survives)
{
  guint8 second[LMCC_SECOND_ELEMENT_MAX_SIZE], id;
  gsize size, i;

  for (i = 0; i < sizeof (second); i++)
    second[i] = 0xf0 + i;
  for (id = 1; id <= 14; id++) {
    for (size = 1; size <= sizeof (second); size++) {
      LmccRtp rtp = { .payload_type = 96,
        .payload_size = sizeof (payload),
        .second = second,
        .second_size = size };
      g_autoptr (LmccPacket) packet =
          lmcc_rtp_build (&rtp, &sample_header, id, payload);
      LmccHeader header;
      LmccRtp again;

      fail_unless (lmcc_rtp_parse (packet->data, packet->size, id, &again));
      fail_unless (
          lmcc_header_parse (again.element, again.element_size, &header));
      fail_unless_equals_int (header.lsn, 5);
      fail_unless_equals_int (again.second_size, size);
      fail_unless (memcmp (again.second, second, size) == 0);
      fail_unless_equals_int (again.header_size % 4, 0);
      fail_unless_equals_int (again.header_size,
          (12 + 4 + 17 + 1 + size + 3) & ~3u);
      fail_unless_equals_int (again.payload_size, sizeof (payload));
      fail_unless (
          memcmp (packet->data + again.header_size, payload, sizeof (payload))
          == 0);
    }
  }
}

GST_END_TEST;

GST_START_TEST (of_elements_with_one_identifier_the_first_counts)
{
  static const guint8 data[] = { 0x21, 1, 2, 0x10, 3, 0x20, 4, 0x11, 5, 6, 0,
    0 };
  LmccRtp rtp;

  fail_unless (parse_extension (0xbede, data, sizeof (data), 1, &rtp));
  fail_unless_equals_int (rtp.element_size, 1);
  fail_unless_equals_int (rtp.second_size, 2);
  /* The second element's successor lies past the end, whatever was found
   * before. */
  fail_if (parse_extension (0xbede, data, 8, 1, &rtp));
}

GST_END_TEST;

GST_START_TEST (gstreamer_reads_what_is_built_and_stripped)
{
  g_autoptr (LmccPacket) packet = build_sample (1);
  g_autoptr (LmccPacket) plain = NULL;
  LmccPacket *both[2] = { packet, NULL };
  LmccRtp parsed;
  guint i;

  fail_unless (parse (packet->data, packet->size, 1, &parsed));
  both[1] = plain = lmcc_rtp_strip (lmcc_packet_ref (packet), &parsed, 96,
      0x12345001, 65535, TRUE);
  for (i = 0; i < 2; i++) {
    GstBuffer *buffer = gst_buffer_new_memdup (both[i]->data, both[i]->size);
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
    gpointer data;
    guint size;

    fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp));
    fail_unless_equals_int (gst_rtp_buffer_get_payload_type (&rtp), 96);
    fail_unless_equals_int (gst_rtp_buffer_get_seq (&rtp), 65535);
    fail_unless_equals_int (gst_rtp_buffer_get_ssrc (&rtp), 0x12345001);
    fail_unless_equals_int (gst_rtp_buffer_get_timestamp (&rtp), 0xfffffffe);
    fail_unless (gst_rtp_buffer_get_marker (&rtp));
    fail_unless_equals_int (gst_rtp_buffer_get_payload_len (&rtp),
        sizeof (payload));
    fail_unless (
        memcmp (gst_rtp_buffer_get_payload (&rtp), payload, sizeof (payload))
        == 0);
    fail_unless_equals_int (gst_rtp_buffer_get_extension_onebyte_header (&rtp,
                                1, 0, &data, &size),
        i == 0);
    gst_rtp_buffer_unmap (&rtp);
    gst_buffer_unref (buffer);
  }
}

GST_END_TEST;

GST_START_TEST (stripping_takes_extension_csrcs_and_padding)
{
  static const guint8 data[] = { 0xb1, 0x60, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 9, 9,
    9, 9, 0xbe, 0xde, 0, 1, 0x10, 7, 0, 0, 'a', 'b', 0, 2 };
  static const guint8 expected[] = { 0x80, 0xe1, 0xff, 0xff, 0, 0, 0, 2, 0, 0,
    0, 8, 'a', 'b' };
  g_autoptr (LmccPacket) packet = lmcc_packet_new_copy (data, sizeof (data));
  g_autoptr (LmccPacket) plain = NULL;
  g_autoptr (LmccPacket) same = NULL;
  LmccRtp rtp;

  fail_unless (lmcc_rtp_parse (packet->data, packet->size, 1, &rtp));
  plain = lmcc_rtp_strip (lmcc_packet_ref (packet), &rtp, 97, 8, 65535, TRUE);
  fail_if (plain == packet);
  fail_unless (memcmp (packet->data, data, sizeof (data)) == 0);
  fail_unless_equals_int (plain->size, sizeof (expected));
  fail_unless (memcmp (plain->data, expected, sizeof (expected)) == 0);

  /* A packet without other references is not copied. */
  same = lmcc_rtp_strip (packet, &rtp, 97, 8, 65535, TRUE);
  fail_unless (same == g_steal_pointer (&packet));
  fail_unless_equals_int (same->size, sizeof (expected));
  fail_unless (memcmp (same->data, expected, sizeof (expected)) == 0);
}

GST_END_TEST;

/* Memory accounting counts the bytes in use: a header extension of thousands
 * of bytes must not remain behind a payload of one byte. */
GST_START_TEST (what_is_stripped_holds_little_more_than_it_has)
{
  const guint words = 2000;
  guint8 data[LMCC_RTP_HEADER_SIZE + 4 + 4 * 2000 + 1] = { 0x90, 0x60 };
  g_autoptr (LmccPacket) plain = NULL;
  LmccRtp rtp;

  data[12] = 0xbe;
  data[13] = 0xde;
  data[14] = words >> 8;
  data[15] = words & 0xff;
  fail_unless (lmcc_rtp_parse (data, sizeof (data), 1, &rtp));
  fail_unless_equals_int (rtp.payload_size, 1);
  plain = lmcc_rtp_strip (lmcc_packet_new_copy (data, sizeof (data)), &rtp, 97,
      8, 1, FALSE);
  fail_unless_equals_int (plain->size, LMCC_RTP_HEADER_SIZE + 1);
  fail_unless (plain->data + plain->capacity - (guint8 *) (plain + 1) < 200);
}

GST_END_TEST;

/* The payload has no length of its own: only the data in front of it can be
 * cut. */
GST_START_TEST (a_truncated_header_is_refused)
{
  g_autoptr (LmccPacket) packet = build_sample (1);
  gsize size;
  LmccRtp rtp;

  for (size = 0; size < packet->size; size++)
    fail_unless_equals_int (parse (packet->data, size, 1, &rtp),
        size >= LMCC_RTP_HEADER_SIZE + LMCC_RTP_OVERHEAD);
}

GST_END_TEST;

GST_START_TEST (elements_are_found_as_rfc_8285_says)
{
  static const struct
  {
    guint8 data[12];
    guint size;
    gboolean taken;
    guint element_size;
  } cases[] = {
    { { 0 }, 0, TRUE, 0 },
    { { 0, 0, 0, 0 }, 4, TRUE, 0 },
    { { 0x10, 7, 0, 0 }, 4, TRUE, 1 },
    { { 0, 0, 0x10, 7 }, 4, TRUE, 1 },
    { { 0x21, 7, 7, 0, 0x12, 1, 2, 3 }, 8, TRUE, 3 },
    { { 0x11, 1, 2, 0x12, 4, 5, 6, 0 }, 8, TRUE, 2 },
    { { 0xf0, 0, 0x10, 7 }, 4, TRUE, 0 },
    { { 0x10, 7, 0xf0, 0 }, 4, TRUE, 1 },
    { { 0x01, 0x10, 7, 0x10, 7, 0, 0, 0 }, 8, TRUE, 0 },
    { { 0x10, 7, 0x01, 0x10 }, 4, TRUE, 1 },
    { { 0, 0, 0, 0x10 }, 4, FALSE, 0 },
    { { 0x1f, 0, 0, 0, 0, 0, 0, 0 }, 8, FALSE, 0 },
    { { 0x2f, 0, 0, 0, 0, 0, 0, 0 }, 8, FALSE, 0 },
    { { 0x13, 1, 2, 3 }, 4, FALSE, 0 },
    { { 0x12, 1, 2, 3 }, 4, TRUE, 3 },
  };
  LmccRtp rtp;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    fail_unless_equals_int (parse_extension (0xbede, cases[i].data,
                                cases[i].size, 1, &rtp),
        cases[i].taken);
    if (cases[i].taken)
      fail_unless_equals_int (rtp.element_size, cases[i].element_size);
  }
}

GST_END_TEST;

GST_START_TEST (foreign_extension_profiles_are_skipped)
{
  static const guint8 data[4] = { 0x1f, 0, 0, 0 };
  guint profile;
  LmccRtp rtp;

  /* A divisor of 0xbede, so that this value is among them. */
  for (profile = 0; profile <= G_MAXUINT16;
       profile += test_is_slow () ? 22 : 1) {
    fail_unless_equals_int (parse_extension (profile, data, 4, 1, &rtp),
        profile != 0xbede);
    if (profile != 0xbede)
      fail_unless (rtp.element == NULL);
  }
}

GST_END_TEST;

GST_START_TEST (padding_is_checked)
{
  guint8 data[20] = { 0xa0, 96 };
  guint value;
  LmccRtp rtp;

  for (value = 0; value < 256; value++) {
    data[19] = value;
    fail_unless_equals_int (parse (data, sizeof (data), 1, &rtp),
        value >= 1 && value <= 8);
    if (value >= 1 && value <= 8)
      fail_unless_equals_int (rtp.payload_size, 8 - value);
  }
}

GST_END_TEST;

GST_START_TEST (every_first_octet_is_taken_or_refused)
{
  guint8 data[12 + 60 + 4];
  guint value;
  LmccRtp rtp;

  for (value = 0; value < 256; value++) {
    memset (data, 0, sizeof (data));
    data[0] = value;
    data[sizeof (data) - 1] = 0;
    fail_unless_equals_int (parse (data, sizeof (data), 1, &rtp),
        value >> 6 == 2 && !(value & 0x20));
    if (value >> 6 == 2 && !(value & 0x20))
      fail_unless_equals_int (rtp.header_size,
          12 + 4 * (value & 15) + (value & 0x10 ? 4 : 0));
  }
}

GST_END_TEST;

GST_START_TEST (mutations_do_no_harm)
{
  g_autoptr (LmccPacket) packet = build_sample (1);
  GRand *rand = g_rand_new_with_seed (3);
  guint i, n_taken = 0;

  for (i = 0; i < test_rounds (100000); i++) {
    guint8 data[64];
    guint n = g_rand_int_range (rand, 1, 6);
    LmccRtp rtp;

    memcpy (data, packet->data, packet->size);
    while (n-- > 0)
      data[g_rand_int_range (rand, 0, packet->size)] =
          g_rand_int_range (rand, 0, 256);
    n_taken +=
        parse (data, g_rand_int_range (rand, 1, packet->size + 1), 1, &rtp);
  }
  fail_unless (n_taken > 0 && n_taken < i);
  g_rand_free (rand);
}

GST_END_TEST;

static Suite *
rtp_suite (void)
{
  Suite *suite = suite_create ("rtp");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, what_is_built_is_parsed);
  tcase_add_test (tcase, a_second_element_of_any_size_survives);
  tcase_add_test (tcase, of_elements_with_one_identifier_the_first_counts);
  tcase_add_test (tcase, gstreamer_reads_what_is_built_and_stripped);
  tcase_add_test (tcase, stripping_takes_extension_csrcs_and_padding);
  tcase_add_test (tcase, what_is_stripped_holds_little_more_than_it_has);
  tcase_add_test (tcase, a_truncated_header_is_refused);
  tcase_add_test (tcase, elements_are_found_as_rfc_8285_says);
  tcase_add_test (tcase, foreign_extension_profiles_are_skipped);
  tcase_add_test (tcase, padding_is_checked);
  tcase_add_test (tcase, every_first_octet_is_taken_or_refused);
  tcase_add_test (tcase, mutations_do_no_harm);

  return suite;
}

GST_CHECK_MAIN (rtp);
