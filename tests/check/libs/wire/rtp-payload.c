/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the replacement of RTP headers around a payload.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/wire/algorithm-element.h>
#include <gst/lmcc/wire/rtp-payload.h>

#include <string.h>

#define PAYLOAD_SIZE 100

/* One CSRC, and 4 bytes of padding. */
#define ODD_HEADER_SIZE 16
#define ODD_PADDING 4

static const LmccHeader header = {
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

static const guint8 second[LMCC_SECOND_ELEMENT_MAX_SIZE] = { 9, 8, 7, 6 };

/* As from a payloader. */
static void
fill (LmccPacket *packet, gboolean odd)
{
  gsize header_size = odd ? ODD_HEADER_SIZE : LMCC_RTP_HEADER_SIZE, i;

  memset (packet->data, 0, packet->capacity);
  packet->data[0] = odd ? 0xa1 : 0x80;
  packet->data[1] = 0x80 | 96;
  for (i = 0; i < PAYLOAD_SIZE; i++)
    packet->data[header_size + i] = (guint8) (i + 1);
  packet->size = header_size + PAYLOAD_SIZE;
  if (odd) {
    packet->size += ODD_PADDING;
    packet->data[packet->size - 1] = ODD_PADDING;
  }
}

static LmccPacket *
build (LmccPacket *packet, gsize second_size)
{
  LmccRtp rtp = {
    .marker = TRUE,
    .payload_type = 96,
    .sequence = 65535,
    .timestamp = 0xfffffffe,
    .ssrc = 0x12345001,
    .second = second_size > 0 ? second : NULL,
    .second_size = second_size,
  };

  return lmcc_rtp_build_from (packet, &rtp, &header, LMCC_HEADER_DEFAULT_ID);
}

GST_START_TEST (test_the_wire_s_header_is_written_before_the_payload)
{
  gsize size;
  gint odd;

  for (size = 0; size <= LMCC_SECOND_ELEMENT_MAX_SIZE; size++) {
    for (odd = 0; odd < 2; odd++) {
      LmccPacket *plain = lmcc_packet_new (200);
      LmccPacket *roomy = lmcc_packet_new_for_sender (200);
      g_autoptr (LmccPacket) copied = NULL;
      g_autoptr (LmccPacket) built = NULL;
      const guint8 *end = roomy->data + roomy->capacity;

      fill (plain, odd);
      fill (roomy, odd);
      copied = build (plain, size);
      built = build (roomy, size);
      fail_unless (built == roomy);
      fail_unless_equals_int (built->size, copied->size);
      fail_unless (memcmp (built->data, copied->data, built->size) == 0);
      fail_unless (built->data >= (guint8 *) (built + 1));
      fail_unless (built->data + built->capacity == end);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_what_somebody_else_holds_is_not_written_over)
{
  g_autoptr (LmccPacket) held = lmcc_packet_new_for_sender (200);
  g_autoptr (LmccPacket) before = NULL;
  g_autoptr (LmccPacket) built = NULL;

  fill (held, FALSE);
  before = lmcc_packet_new_copy (held->data, held->size);
  built = build (lmcc_packet_ref (held), 4);
  fail_if (built == held);
  fail_unless_equals_int (held->size, before->size);
  fail_unless (memcmp (held->data, before->data, before->size) == 0);
}

GST_END_TEST;

GST_START_TEST (test_a_packet_keeps_where_its_payload_is)
{
  g_autoptr (LmccPacket) packet = lmcc_packet_new (200);
  const guint8 *payload;
  LmccRtp rtp;
  gsize size;

  fill (packet, TRUE);
  fail_unless (lmcc_rtp_read (packet, &rtp));
  payload = lmcc_rtp_find_payload (packet, &size);
  fail_unless (payload == packet->data + ODD_HEADER_SIZE);
  fail_unless_equals_int (size, PAYLOAD_SIZE);
  fail_unless (lmcc_rtp_has_marker (packet));

  /* Stored values are rejected if they are impossible. */
  packet->size = ODD_HEADER_SIZE - 1;
  fail_unless (lmcc_rtp_find_payload (packet, &size) == NULL);
  fail_unless_equals_int (size, 0);
}

GST_END_TEST;

/* The holder of the only reference may write into it. */
GST_START_TEST (test_a_packet_that_was_changed_is_parsed_again)
{
  g_autoptr (LmccPacket) packet = lmcc_packet_new (200);
  LmccRtp rtp;
  gsize size;

  fill (packet, TRUE);
  fail_unless (lmcc_rtp_read (packet, &rtp));
  packet->size -= ODD_PADDING;
  packet->data[0] = 0x81;
  lmcc_rtp_find_payload (packet, &size);
  fail_unless_equals_int (size, PAYLOAD_SIZE);
  packet->data[0] = 0x80;
  lmcc_rtp_find_payload (packet, &size);
  fail_unless_equals_int (size, PAYLOAD_SIZE + 4);

  fill (packet, TRUE);
  fail_unless (lmcc_rtp_read (packet, &rtp));
  packet->data[packet->size++] = 1;
  lmcc_rtp_find_payload (packet, &size);
  fail_unless_equals_int (size, PAYLOAD_SIZE + ODD_PADDING);
}

GST_END_TEST;

GST_START_TEST (test_nothing_is_written_into_what_others_hold)
{
  g_autoptr (LmccPacket) packet = lmcc_packet_new (200);
  g_autoptr (LmccPacket) other = NULL;
  LmccRtp rtp;

  fill (packet, FALSE);
  other = lmcc_packet_ref (packet);
  fail_unless (lmcc_rtp_read (packet, &rtp));
  fail_unless_equals_int (packet->rtp_header_size, 0);
}

GST_END_TEST;

GST_START_TEST (test_what_is_no_rtp_has_no_payload)
{
  g_autoptr (LmccPacket) packet = lmcc_packet_new (200);
  gsize size = 7;

  fill (packet, FALSE);
  packet->data[0] = 0;
  fail_unless (lmcc_rtp_find_payload (packet, &size) == NULL);
  fail_unless_equals_int (size, 0);
}

GST_END_TEST;

static Suite *
rtp_payload_suite (void)
{
  Suite *suite = suite_create ("rtp-payload");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_the_wire_s_header_is_written_before_the_payload);
  tcase_add_test (tcase, test_what_somebody_else_holds_is_not_written_over);
  tcase_add_test (tcase, test_a_packet_keeps_where_its_payload_is);
  tcase_add_test (tcase, test_a_packet_that_was_changed_is_parsed_again);
  tcase_add_test (tcase, test_nothing_is_written_into_what_others_hold);
  tcase_add_test (tcase, test_what_is_no_rtp_has_no_payload);

  return suite;
}

GST_CHECK_MAIN (rtp_payload);
