/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the numbers, headers and payloads of the sender's packets.
 */
#include "support/sender-harness.h"

#include <string.h>

GST_START_TEST (test_numbers_are_contiguous_across_wraps_and_changes)
{
  LmccSenderConfig config = sender_config (2);
  Harness h;
  GRand *rand = g_rand_new_with_seed (1);
  g_autofree guint8 *seen = g_new0 (guint8, 65536 * 4);
  gint lsn[LMCC_MAX_LAYERS];
  g_autoptr (GHashTable) sequences = g_hash_table_new (NULL, NULL);
  guint64 n_media = 0, n_lsn_wraps = 0;
  guint i;

  sender_config_add_sound (&config);
  h = harness_new (&config);
  harness_push_random_until (&h, rand, START + 30 * LMCC_SECOND, 2, TRUE);
  /* And many, so that one layer's numbers wrap. */
  for (i = 0; i < 1400; i++)
    harness_push_at (&h, make_unit (1, 1, h.now + 10 * MS, 50, 10));
  harness_run_until (&h, h.now + 2 * WINDOW);

  for (i = 0; i < LMCC_MAX_LAYERS; i++)
    lsn[i] = -1;
  for (i = 0; i < N_SENT (&h); i++) {
    const SentPacket *s = SENT (&h, i);
    gpointer key, value;

    if (s->control)
      continue;
    if (lsn[s->header.layer] >= 0)
      fail_unless_equals_int (s->header.lsn,
          (lsn[s->header.layer] + 1) & 0xffff);
    n_lsn_wraps += lsn[s->header.layer] == 0xffff;
    lsn[s->header.layer] = s->header.lsn;

    if (g_hash_table_lookup_extended (sequences, GUINT_TO_POINTER (s->rtp.ssrc),
            &key, &value))
      fail_unless_equals_int (s->rtp.sequence,
          (GPOINTER_TO_UINT (value) + 1) & 0xffff);
    g_hash_table_insert (sequences, GUINT_TO_POINTER (s->rtp.ssrc),
        GUINT_TO_POINTER (s->rtp.sequence));

    if (is_video (s)) {
      seen[s->header.osn]++;
      n_media++;
    }
  }
  fail_unless (n_lsn_wraps > 0);
  fail_unless (n_media > 65536 + 5000);

  /* Every number from the seed on occurs as often as the count says. */
  for (i = 0; i < 65536; i++) {
    guint16 osn = (guint16) (config.sequence_seed + i);

    fail_unless_equals_int (seen[osn], n_media / 65536 + (i < n_media % 65536));
  }
  fail_unless_equals_uint64 (harness_count_dropped (&h), 0);
  g_rand_free (rand);
  harness_clear (&h);
}

GST_END_TEST;

/* Checks the element's information on the order of units: the anchor, first
 * and last, and that the OSN order is the order in which they were pushed. */
GST_START_TEST (test_units_are_whole_and_in_order)
{
  LmccSenderConfig config = sender_config (2);
  Harness h = harness_new (&config);
  guint anchor[2] = { 0, 0 }, n = 0, i;
  guint16 osn = (guint16) config.sequence_seed;
  SentPacket *by_osn[3 * 80] = { NULL };

  for (i = 0; i < 40; i++) {
    LmccTime time = START + i * 40 * MS;

    harness_push_at (&h, make_unit (0, i % 2, time, 3, 500));
    harness_push_at (&h, make_unit (1, i % 2, time, 3, 900));
  }
  harness_run_until (&h, h.now + 2 * WINDOW);
  for (i = 0; i < N_SENT (&h); i++) {
    SentPacket *s = SENT (&h, i);

    if (is_media (s)) {
      guint16 at = (guint16) (s->header.osn - osn);

      fail_unless (at < G_N_ELEMENTS (by_osn) && by_osn[at] == NULL);
      by_osn[at] = s;
      n++;
    }
  }
  fail_unless_equals_int (n, G_N_ELEMENTS (by_osn));
  for (i = 0; i < n; i++) {
    const SentPacket *s = by_osn[i];
    guint unit = i / 3;

    fail_unless_equals_int (s->header.stream, unit % 2);
    fail_unless_equals_int (s->header.klass, unit / 2 % 2);
    fail_unless_equals_int (s->header.first, i % 3 == 0);
    fail_unless_equals_int (s->header.last, i % 3 == 2);
    fail_unless_equals_int (s->rtp.marker, i % 3 == 2);
    fail_unless_equals_int (s->rtp.payload_type, 96 + unit % 2);
    fail_unless_equals_int (s->rtp.ssrc,
        0x12345000u + 64 * (unit % 2) + s->header.layer);
    fail_unless_equals_int (s->header.signal, LMCC_SIGNAL_NOBODY);
    fail_unless_equals_int (s->header.send_time,
        lmcc_time_to_ntp_short (NTP_OFFSET + s->time));
    if (s->header.first && s->header.klass == 0)
      anchor[unit % 2]++;
    fail_unless_equals_int (s->header.anchor, anchor[unit % 2]);
    fail_unless_equals_int (s->packet->data[s->rtp.header_size], i % 3);
  }
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_timestamps_are_exact_and_equal_in_all_rungs)
{
  static const guint32 rates[] = { 90000, 90001, 44100, LMCC_MAX_CLOCK_RATE };
  guint r, i;

  for (r = 0; r < G_N_ELEMENTS (rates); r++) {
    LmccSenderConfig config = sender_config (3);
    Harness h;
    guint n = 0;

    config.session.video.clock_rate = rates[r];
    h = harness_new (&config);
    for (i = 0; i < 30; i++) {
      LmccUnit *unit[3];
      guint stream;

      for (stream = 0; stream < 3; stream++) {
        unit[stream] = make_unit (stream, 0, START + i * 40 * MS, 1, 10);
        unit[stream]->presentation_time =
            START * 1000003 + (i ^ 3) * G_GUINT64_CONSTANT (33366666667);
      }
      for (stream = 0; stream < 3; stream++)
        harness_push_at (&h, unit[stream]);
    }
    harness_run_until (&h, h.now + 2 * WINDOW);
    for (i = 0; i < N_SENT (&h); i++) {
      const SentPacket *s = SENT (&h, i);
      guint picture;
      guint64 exact;

      if (!is_media (s))
        continue;
      picture = (guint16) (s->header.osn - config.sequence_seed) / 3;
      exact =
          START * 1000003 + (picture ^ 3) * G_GUINT64_CONSTANT (33366666667);
      exact = gst_util_uint64_scale_round (exact, rates[r], LMCC_SECOND);
      fail_unless_equals_int (s->rtp.timestamp,
          (guint32) (RTP_OFFSET + (guint32) exact));
      n++;
    }
    fail_unless_equals_int (n, 90);
    harness_clear (&h);
  }
}

GST_END_TEST;

GST_START_TEST (test_only_the_payload_of_incoming_packets_is_kept)
{
  /* One CSRC, a two-byte-form extension of 4 bytes, padding of 3. */
  static const guint8 data[] = { 0xb1, 0x85, 0, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9,
    9, 9, 0x10, 0x00, 0, 1, 1, 1, 7, 0, 'a', 'b', 'c', 0, 0, 3 };
  LmccSenderConfig config = sender_config (1);
  Harness h = harness_new (&config);
  LmccUnit *unit = lmcc_unit_new ();
  guint i, n = 0;

  unit->decoding_time = unit->presentation_time = START;
  unit->switch_point = TRUE;
  g_ptr_array_add (unit->packets, lmcc_packet_new_copy (data, sizeof (data)));
  harness_push (&h, unit);
  harness_run_until (&h, START + WINDOW);
  for (i = 0; i < N_SENT (&h); i++) {
    const SentPacket *s = SENT (&h, i);

    if (!is_media (s))
      continue;
    n++;
    fail_unless (s->header.switch_point);
    fail_unless_equals_int (s->packet->size, RTP_OVERHEAD + 3);
    fail_unless_equals_int (s->packet->data[0], 0x90);
    fail_unless (memcmp (s->packet->data + s->rtp.header_size, "abc", 3) == 0);
  }
  fail_unless_equals_int (n, 1);
  harness_clear (&h);
}

GST_END_TEST;

/* Backwards through all sent packets: compares the smallest number that a
 * layer sends from here on, under the same table, with each mark. */
static guint
check_marks (Harness *h)
{
  gint64 smallest[LMCC_MAX_LAYERS], order = 0;
  guint16 reference = 0;
  gint table = -1;
  guint n_marks = 0, i, layer;

  for (i = N_SENT (h); i-- > 0;) {
    const SentPacket *s = SENT (h, i);
    gint64 osn;

    if (s->control)
      continue;
    order += lmcc_sequence_diff (s->header.osn, reference);
    reference = s->header.osn;
    osn = order;
    if (s->header.table != table) {
      table = s->header.table;
      for (layer = 0; layer < LMCC_MAX_LAYERS; layer++)
        smallest[layer] = G_MAXINT64;
    }
    layer = s->header.layer;
    if (is_video (s)) {
      fail_unless (osn < smallest[layer]);
      smallest[layer] = osn;
    } else {
      fail_unless (osn <= smallest[layer],
          "a mark of %" G_GINT64_FORMAT " before %" G_GINT64_FORMAT, osn,
          smallest[layer]);
      n_marks++;
    }
  }

  return n_marks;
}

GST_START_TEST (test_marks_of_filler_and_sound_are_low_water_marks)
{
  guint32 seed;

  for (seed = 0; seed < 10; seed++) {
    LmccSenderConfig config = sender_config (3);
    Harness h;
    GRand *rand = g_rand_new_with_seed (seed);

    config.sequence_seed = 0xff00 * (seed + 1);
    /* Long enough for fillers while packets wait. */
    config.session.window = seed % 2 ? 400 * MS : WINDOW;
    sender_config_add_sound (&config);
    h = harness_new (&config);
    harness_push_random_until (&h, rand, START + 10 * LMCC_SECOND, 3, TRUE);
    fail_unless (check_marks (&h) > 100);
    g_rand_free (rand);
    harness_clear (&h);
  }
}

GST_END_TEST;

/* A mark that is too low would also be a low-water mark, and hold up
 * receivers forever. */
GST_START_TEST (test_mark_of_an_empty_layer_is_the_next_number)
{
  LmccSenderConfig config = sender_config (2);
  Harness h = harness_new (&config);
  guint16 next = (guint16) config.sequence_seed;
  guint i, n = 0;

  for (i = 0; i < 100; i++) {
    harness_push_at (&h, make_unit (0, 0, START + i * 40 * MS, 3, 300));
    next += 3;
    while (N_SENT (&h) > n) {
      const SentPacket *s = SENT (&h, n++);

      if (is_filler (s) && s->group == 1)
        fail_unless_equals_int (s->header.osn, (guint16) (next - 3));
    }
  }
  fail_unless (lmcc_sender_get_stats (h.sender)->layers[1].fillers > 30);
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_oversize_packets_are_sent_and_counted)
{
  LmccSenderConfig config = sender_config (1);
  Harness h = harness_new (&config);
  const LmccSenderStats *stats = lmcc_sender_get_stats (h.sender);

  harness_push (&h, make_unit (0, 0, h.now, 2, 1400 - RTP_OVERHEAD));
  harness_push (&h, make_unit (0, 0, h.now, 3, 1401 - RTP_OVERHEAD));
  harness_push (&h,
      make_unit (0, 0, h.now, 1, LMCC_MAX_PACKET_SIZE - RTP_OVERHEAD));
  harness_run_until (&h, h.now + WINDOW);
  fail_unless_equals_uint64 (stats->packets_oversize, 4);
  fail_unless_equals_uint64 (stats->packets - stats->layers[0].fillers, 6);

  harness_push (&h,
      make_unit (0, 0, h.now, 1, LMCC_MAX_PACKET_SIZE - RTP_OVERHEAD + 1));
  fail_unless_equals_uint64 (stats->units_invalid, 1);
  fail_unless (lmcc_sender_is_idle (h.sender));
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_bad_units_are_dropped_and_counted)
{
  LmccSenderConfig config = sender_config (2);
  Harness h = harness_new (&config);
  const LmccSenderStats *stats = lmcc_sender_get_stats (h.sender);
  GRand *rand = g_rand_new_with_seed (5);
  LmccUnit *unit;
  guint i, n = 0;

  harness_push (&h, make_unit (2, 0, h.now, 1, 100));
  harness_push (&h, make_unit (LMCC_STREAM_SOUND, 0, h.now, 1, 100));
  harness_push (&h, make_unit (LMCC_STREAM_NONE, 0, h.now, 1, 100));
  harness_push (&h, make_unit (200, 0, h.now, 1, 100));
  harness_push (&h, make_unit (0, LMCC_MAX_CLASSES, h.now, 1, 100));
  harness_push (&h, make_unit (0, 0, h.now, 0, 100));
  harness_push (&h, make_unit (0, 0, LMCC_TIME_NONE, 1, 100));
  unit = make_unit (0, 0, h.now, 1, 100);
  unit->presentation_time = LMCC_TIME_NONE;
  harness_push (&h, unit);
  unit = make_unit (0, 0, h.now, 3, 100);
  ((LmccPacket *) g_ptr_array_index (unit->packets, 1))->size = 11;
  harness_push (&h, unit);
  unit = make_unit (0, 0, h.now, 1, 100);
  ((LmccPacket *) g_ptr_array_index (unit->packets, 0))->data[0] = 0x40;
  harness_push (&h, unit);
  fail_unless_equals_uint64 (stats->units_invalid, 10);
  fail_unless (lmcc_sender_is_idle (h.sender));

  /* Whatever the bytes are: rejected, or sent whole. */
  for (i = 0; i < 5000; i++) {
    guint size = (guint) g_rand_int_range (rand, 0, 60), at;
    LmccPacket *packet = lmcc_packet_new (size);

    for (at = 0; at < size; at++)
      packet->data[at] = (guint8) g_rand_int (rand);
    if (size > 0 && g_rand_boolean (rand))
      packet->data[0] = 0x80 | (packet->data[0] & 0x3f);
    packet->size = size;
    unit = make_unit (0, 0, h.now, 0, 0);
    g_ptr_array_add (unit->packets, packet);
    harness_push_at (&h, unit);
    harness_run_until (&h, h.now + MS);
  }
  harness_run_until (&h, h.now + 2 * WINDOW);
  for (i = 0; i < N_SENT (&h); i++)
    n += is_media (SENT (&h, i));
  fail_unless (n > 100);
  fail_unless_equals_uint64 (n + stats->units_invalid, 5010);
  g_rand_free (rand);
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_a_unit_that_is_missing_is_missing_in_the_anchor)
{
  LmccSenderConfig config = sender_config (1);
  Harness h = harness_new (&config);
  LmccUnit *unit;
  guint i, n = 0;

  harness_push (&h, make_unit (0, 0, h.now, 1, 100));
  unit = make_unit (0, 0, h.now, 1, 100);
  ((LmccPacket *) g_ptr_array_index (unit->packets, 0))->size = 0;
  harness_push (&h, unit);
  harness_push (&h, make_unit (0, 0, h.now, 1, 100));
  harness_run_until (&h, h.now + WINDOW);
  for (i = 0; i < N_SENT (&h); i++) {
    const SentPacket *s = SENT (&h, i);

    if (is_media (s))
      fail_unless_equals_int (s->header.anchor, n++ == 0 ? 1 : 3);
  }
  fail_unless_equals_int (n, 2);
  harness_clear (&h);
}

GST_END_TEST;

static Suite *
sender_packets_suite (void)
{
  Suite *s = suite_create ("sender-packets");
  TCase *tc = tcase_create ("sender-packets");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_numbers_are_contiguous_across_wraps_and_changes);
  tcase_add_test (tc, test_units_are_whole_and_in_order);
  tcase_add_test (tc, test_timestamps_are_exact_and_equal_in_all_rungs);
  tcase_add_test (tc, test_only_the_payload_of_incoming_packets_is_kept);
  tcase_add_test (tc, test_marks_of_filler_and_sound_are_low_water_marks);
  tcase_add_test (tc, test_mark_of_an_empty_layer_is_the_next_number);
  tcase_add_test (tc, test_oversize_packets_are_sent_and_counted);
  tcase_add_test (tc, test_bad_units_are_dropped_and_counted);
  tcase_add_test (tc, test_a_unit_that_is_missing_is_missing_in_the_anchor);

  return s;
}

GST_CHECK_MAIN (sender_packets);
