/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests when a sender detects another sender on its groups, and how often it
 * reports it.
 */
#include "support/sender-harness.h"

#include <gst/lmcc/sender/rivals.h>
#include <gst/lmcc/wire/rtcp.h>

#define OWN 0x12345000u
#define OTHER 0x6789a000u

typedef struct
{
  LmccSenderRivals rivals;
  LmccTime now;
} Ears;

static LmccPacket *
make_report (guint32 ssrc)
{
  const LmccSenderReport report = { .ssrc = ssrc };

  return lmcc_rtcp_build (&report, 1, "somebody", NULL);
}

static gboolean
take (Ears *ears, const gchar *source, LmccPacket *packet)
{
  g_autoptr (LmccPacket) owned = packet;
  LmccAddress address;

  fail_unless (lmcc_address_parse (source, &address));

  return lmcc_sender_rivals_take (&ears->rivals, OWN, ears->now, &address,
      owned->data, owned->size);
}

/* Reports of @ssrc every 250 ms. Returns how often the user is told. */
static guint
hear (Ears *ears, const gchar *source, guint32 ssrc, guint n)
{
  guint told = 0;

  for (; n > 0; n--) {
    told += take (ears, source, make_report (ssrc));
    ears->now += 250 * MS;
  }

  return told;
}

GST_START_TEST (test_own_packets_are_no_rival_from_any_address)
{
  Ears ears = { .now = START };

  fail_unless_equals_int (hear (&ears, "10.0.0.1", OWN, 10), 0);
  fail_unless_equals_int (hear (&ears, "10.0.0.9", OWN | 0x41, 10), 0);
}

GST_END_TEST;

GST_START_TEST (test_another_sender_is_reported_once)
{
  Ears ears = { .now = START };

  fail_unless (!take (&ears, "10.0.0.2", make_report (OTHER)));
  ears.now += LMCC_SENDER_RIVAL_PROOF - 1;
  fail_unless (!take (&ears, "10.0.0.2", make_report (OTHER | 0x40)));
  ears.now += 1;
  fail_unless (take (&ears, "10.0.0.2", make_report (OTHER)));
  fail_unless_equals_int (hear (&ears, "10.0.0.2", OTHER, 200), 0);
}

GST_END_TEST;

static gboolean
take_media (Ears *ears, guint32 ssrc, gsize size)
{
  guint8 packet[12] = { 0x80, 96 };
  LmccAddress address;

  GST_WRITE_UINT32_BE (packet + 8, ssrc);
  fail_unless (lmcc_address_parse ("10.0.0.2", &address));

  return lmcc_sender_rivals_take_media (&ears->rivals, OWN, ears->now, &address,
      packet, size);
}

/* After that, its reports are not news. */
GST_START_TEST (test_another_senders_media_are_reported)
{
  Ears ears = { .now = START };

  fail_unless (!take_media (&ears, OTHER | 3, 12));
  fail_unless (!take_media (&ears, OWN | 3, 12));
  ears.now += LMCC_SENDER_RIVAL_PROOF;
  fail_unless (!take_media (&ears, OWN | 3, 12));
  fail_unless (!take_media (&ears, OTHER | 3, 11));
  fail_unless (take_media (&ears, OTHER | 2, 12));
  fail_unless (!take_media (&ears, OTHER | 2, 12));
  fail_unless_equals_int (hear (&ears, "10.0.0.2", OTHER, 10), 0);
}

GST_END_TEST;

GST_START_TEST (test_a_second_session_of_the_same_host_is_another_sender)
{
  Ears ears = { .now = START };

  fail_unless_equals_int (hear (&ears, "10.0.0.1", OWN, 10), 0);
  fail_unless_equals_int (hear (&ears, "10.0.0.1", OTHER, 10), 1);
}

GST_END_TEST;

GST_START_TEST (test_a_sender_that_returns_is_reported_again)
{
  const LmccSenderReport report = { .ssrc = OTHER };
  Ears ears = { .now = START };

  fail_unless_equals_int (hear (&ears, "10.0.0.2", OTHER, 2), 1);
  fail_unless (!take (&ears, "10.0.0.2", lmcc_rtcp_build_bye (&report, "x")));
  ears.now += LMCC_SENDER_RIVAL_INTERVAL;
  fail_unless (!take (&ears, "10.0.0.2", make_report (OTHER)));
  ears.now += 250 * MS;
  fail_unless_equals_int (hear (&ears, "10.0.0.2", OTHER, 10), 1);

  ears.now += LMCC_SENDER_RIVAL_MEMORY;
  fail_unless_equals_int (hear (&ears, "10.0.0.2", OTHER, 10), 1);
}

GST_END_TEST;

/* A late copy of a record, and packets after the BYE. */
GST_START_TEST (test_a_sender_that_has_just_ended_is_none)
{
  const LmccSenderReport report = { .ssrc = OTHER };
  Ears ears = { .now = START };

  fail_unless (!take (&ears, "10.0.0.2", make_report (OTHER)));
  ears.now += 250 * MS;
  fail_unless (!take (&ears, "10.0.0.2", lmcc_rtcp_build_bye (&report, "x")));
  fail_unless_equals_int (hear (&ears, "10.0.0.1", OWN, 100), 0);
}

GST_END_TEST;

/* Each is reported in turn, as long as they fit into the table; a crowd is
 * reported once in ten seconds. */
GST_START_TEST (test_many_senders_are_reported_one_by_one)
{
  Ears ears = { .now = START };
  guint told = 0, i, j;

  for (i = 0; i < 200; i++) {
    for (j = 0; j < 3; j++)
      told += take (&ears, "10.0.0.2", make_report (OTHER + (j << 12)));
    ears.now += 250 * MS;
  }
  fail_unless_equals_int (told, 3);

  ears = (Ears){ .now = START };
  for (i = 0, told = 0; i < 400; i++) {
    told += take (&ears, "10.0.0.2", make_report (OTHER + (i % 300 << 12)));
    ears.now += 250 * MS;
  }
  fail_unless (told <= 1, "%u", told);
}

GST_END_TEST;

GST_START_TEST (test_what_is_no_rtcp_is_passed_over)
{
  Ears ears = { .now = START };
  LmccReferenceTime asks = { OTHER, 1 };
  guint i;

  for (i = 0; i < 100; i++) {
    g_autoptr (LmccPacket) packet = make_report (OTHER);
    LmccAddress source;

    lmcc_address_parse ("10.0.0.2", &source);
    fail_unless (!lmcc_sender_rivals_take (&ears.rivals, OWN, ears.now, &source,
        packet->data, i % packet->size));
    fail_unless (!take (&ears, "10.0.0.2",
        lmcc_rtcp_build_reference_time (&asks, NULL)));
    ears.now += 250 * MS;
  }
}

GST_END_TEST;

GST_START_TEST (test_a_sender_says_so_until_it_is_stopped)
{
  g_autoptr (LmccPacket) packet = make_report (OTHER);
  LmccSenderConfig config = sender_config (1);
  Harness h = harness_new (&config);
  LmccAddress source;

  lmcc_address_parse ("10.0.0.2", &source);
  fail_unless (!lmcc_sender_take_group_control (h.sender, START, &source,
      packet->data, packet->size));
  fail_unless (lmcc_sender_take_group_control (h.sender, START + LMCC_SECOND,
      &source, packet->data, packet->size));
  lmcc_sender_stop (h.sender, START + LMCC_SECOND);
  fail_unless (!lmcc_sender_take_group_control (h.sender,
      START + 30 * LMCC_SECOND, &source, packet->data, packet->size));
  fail_unless (!lmcc_sender_take_group_control (h.sender,
      START + 31 * LMCC_SECOND, &source, packet->data, packet->size));
  harness_drain (&h);
  harness_clear (&h);
}

GST_END_TEST;

static Suite *
sender_rivals_suite (void)
{
  Suite *s = suite_create ("sender-rivals");
  TCase *tc = tcase_create ("sender-rivals");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_own_packets_are_no_rival_from_any_address);
  tcase_add_test (tc, test_another_sender_is_reported_once);
  tcase_add_test (tc, test_another_senders_media_are_reported);
  tcase_add_test (tc, test_a_second_session_of_the_same_host_is_another_sender);
  tcase_add_test (tc, test_a_sender_that_returns_is_reported_again);
  tcase_add_test (tc, test_a_sender_that_has_just_ended_is_none);
  tcase_add_test (tc, test_many_senders_are_reported_one_by_one);
  tcase_add_test (tc, test_what_is_no_rtcp_is_passed_over);
  tcase_add_test (tc, test_a_sender_says_so_until_it_is_stopped);

  return s;
}

GST_CHECK_MAIN (sender_rivals);
