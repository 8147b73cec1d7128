/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the repair of native layers: its amount and its timing.
 */
#include "support/sent-repair.h"

/* Media and repair bytes that all layers of a session have sent. */
static void
sum_bytes (Harness *h, guint64 *media, guint64 *repair)
{
  guint i;

  *media = *repair = 0;
  for (i = 0; i < N_SENT (h); i++) {
    if (is_media (SENT (h, i)))
      *media += sent_ip_size (SENT (h, i));
    else if (repair_is (SENT (h, i)))
      *repair += sent_ip_size (SENT (h, i));
  }
}

/* The share of repair in all layers is at most the configured share of all
 * media. */
GST_START_TEST (test_native_layers_keep_their_budget)
{
  const guint shares[] = { 50, 100, 300 };
  guint k;

  for (k = 0; k < G_N_ELEMENTS (shares); k++) {
    LmccSenderConfig config = repair_native_config (shares[k]);
    Harness h = repair_run (&config, 10);
    guint64 media, repair;

    sum_bytes (&h, &media, &repair);
    fail_unless (repair * 1000 <= media * shares[k]);
    fail_unless (repair * 1000 >= media * shares[k] * 3 / 4,
        "%" G_GUINT64_FORMAT " for %" G_GUINT64_FORMAT, repair, media);
    repair_check_all_recover (&h);
    harness_clear (&h);
  }
}

GST_END_TEST;

/* No layer has enough repair for a packet in a block. */
GST_START_TEST (test_small_native_layers_have_repair_together)
{
  LmccSenderConfig config = repair_native_config (100);
  Harness h = harness_new (&config);
  LmccTime time = START + 100 * MS;
  guint64 media, repair;
  guint i, klass;

  for (i = 0; i < 200; i++) {
    for (klass = 0; klass < 6; klass++) {
      LmccUnit *unit = make_unit (0, klass, time, 1, 1000);

      unit->switch_point = i % 20 == 0 || klass % 3 > 0;
      harness_push_at (&h, unit);
    }
    time += 100 * MS;
  }
  harness_run_until (&h, time + 2 * REPAIR_HOLD);
  sum_bytes (&h, &media, &repair);
  fail_unless (repair * 1000 <= media * 100);
  fail_unless (repair * 1000 >= media * 90);
  fail_unless (lmcc_sender_get_stats (h.sender)->layers[0].repairs > 20);
  repair_check_all_recover (&h);
  harness_clear (&h);
}

GST_END_TEST;

/* Only some pictures of a long block are considered, but some of each rung. */
GST_START_TEST (test_every_rung_of_a_long_block_has_repair)
{
  LmccSenderConfig config = repair_native_config (100);
  LmccTime time = START + 100 * MS;
  guint i, rung;
  Harness h;

  config.session.n_rungs = 3;
  config.repair_block = 2600 * MS;
  h = harness_new (&config);
  for (i = 0; i < 200; i++) {
    for (rung = 0; rung < 3; rung++) {
      LmccUnit *unit = make_unit (rung, 0, time, 1, 1000);

      unit->switch_point = TRUE;
      harness_push_at (&h, unit);
    }
    time += REPAIR_PICTURE;
  }
  harness_run_until (&h, time + 2 * REPAIR_HOLD);
  for (rung = 0; rung < 3; rung++)
    fail_unless (lmcc_sender_get_stats (h.sender)->layers[rung].repairs >= 8,
        "%u", rung);
  harness_clear (&h);
}

GST_END_TEST;

/* So that the rate of a level is bounded: twice the share, in whole packets
 * of each block. */
GST_START_TEST (test_no_native_layer_has_all_of_the_repair)
{
  LmccSenderConfig config = repair_native_config (200);
  Harness h = harness_new (&config);
  LmccTime time = START + 100 * MS;
  const LmccSenderStats *stats;
  guint64 media = 0;
  guint i, klass;

  for (i = 0; i < 500; i++) {
    for (klass = 0; klass < 2; klass++) {
      LmccUnit *unit = make_unit (0, klass, time, klass == 0 ? 1 : 12, 1000);

      unit->switch_point = i % 50 == 0 || klass > 0;
      harness_push_at (&h, unit);
    }
    time += 40 * MS;
  }
  harness_run_until (&h, time + 2 * REPAIR_HOLD);
  stats = lmcc_sender_get_stats (h.sender);
  for (i = 0; i < N_SENT (&h); i++) {
    if (is_media (SENT (&h, i)) && SENT (&h, i)->header.layer == 0)
      media += sent_ip_size (SENT (&h, i));
  }
  fail_unless (stats->layers[0].repair_bytes * 10 >= media * 3);
  fail_unless (stats->layers[0].repair_bytes * 10 <= media * 5);
  harness_clear (&h);
}

GST_END_TEST;

/* The base layer's own share is used for the base layer only. */
GST_START_TEST (test_the_base_of_native_layers_may_have_a_share_of_its_own)
{
  LmccSenderConfig config = repair_native_config (100);
  Harness like_others = repair_run (&config, 10), h;
  const LmccSenderStats *before = lmcc_sender_get_stats (like_others.sender);
  const LmccSenderStats *stats;
  guint64 media = 0;
  guint i;

  config.repair_base = 800;
  h = repair_run (&config, 10);
  stats = lmcc_sender_get_stats (h.sender);
  for (i = 0; i < N_SENT (&h); i++) {
    if (is_media (SENT (&h, i)) && SENT (&h, i)->header.layer == 0)
      media += sent_ip_size (SENT (&h, i));
  }
  fail_unless (stats->layers[0].repair_bytes * 1000 <= media * 800);
  fail_unless (stats->layers[0].repair_bytes * 1000 >= media * 600);
  fail_unless (
      stats->layers[0].repair_bytes > 4 * before->layers[0].repair_bytes);
  fail_unless (
      stats->layers[1].repair_bytes * 2 <= stats->layers[0].repair_bytes);
  repair_check_all_recover (&h);
  harness_clear (&h);
  harness_clear (&like_others);

  config.repair_base = -1;
  h = repair_run (&config, 10);
  stats = lmcc_sender_get_stats (h.sender);
  fail_unless_equals_int (stats->layers[0].repairs, 0);
  fail_unless (stats->layers[1].repairs > 0);
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_native_repair_comes_within_its_delay)
{
  LmccSenderConfig config = repair_native_config (200);
  Harness h;

  config.repair_block = 400 * MS;
  h = repair_run (&config, 10);
  fail_unless_equals_uint64 (lmcc_sender_get_session (h.sender)->repair_delay,
      800 * MS);
  repair_check_headers (&h);
  repair_check_blocks (&h);
  repair_check_all_recover (&h);
  fail_unless (repair_check_times (&h, 800 * MS) > 20);
  harness_clear (&h);
}

GST_END_TEST;

/* No two repair packets of a layer at the same time, nor next to each other. */
GST_START_TEST (test_native_repair_is_spread)
{
  LmccSenderConfig config = repair_native_config (300);
  Harness h = repair_run (&config, 10);
  LmccTime last = 0;
  guint i;

  for (i = 0; i < N_SENT (&h); i++) {
    if (!repair_is (SENT (&h, i)) || SENT (&h, i)->header.layer != 0)
      continue;
    fail_unless (SENT (&h, i)->time >= last + 20 * MS);
    last = SENT (&h, i)->time;
  }
  fail_unless (last > 0);
  harness_clear (&h);
}

GST_END_TEST;

/* So that a receiver knows the rate of a level. */
GST_START_TEST (test_announced_rates_include_repair)
{
  LmccSenderConfig with_config = repair_native_config (300);
  LmccSenderConfig without_config = repair_native_config (0);
  Harness with = harness_new (&with_config);
  Harness without = harness_new (&without_config);
  LmccTime time = START + 100 * MS, end = time;
  gdouble with_rate, without_rate;
  guint i;

  for (i = 0; i < 10; i++) {
    end = repair_push_gop (&with, 1, time, REPAIR_N_PICTURES);
    repair_push_gop (&without, 1, time, REPAIR_N_PICTURES);
    time = end;
  }
  with_rate = lmcc_sender_get_session (with.sender)->layers[0].rate;
  without_rate = lmcc_sender_get_session (without.sender)->layers[0].rate;
  /* A change of a tenth is not announced. */
  fail_unless (with_rate > 1.1 * without_rate, "%g, %g", with_rate,
      without_rate);
  fail_unless (with_rate < 1.45 * without_rate);
  harness_clear (&with);
  harness_clear (&without);
}

GST_END_TEST;

/* More packets than one code has symbols. */
GST_START_TEST (test_many_packets_are_interleaved)
{
  LmccSenderConfig config = repair_native_config (100);
  guint n_interleaved = 0, i, k;
  LmccTime time = START + 100 * MS;
  Harness h;

  config.repair_block = 1000 * MS;
  h = harness_new (&config);
  for (i = 0; i < 75; i++) {
    LmccUnit *unit = make_unit (0, 0, time, 20, REPAIR_PAYLOAD);

    unit->switch_point = i % 25 == 0;
    harness_push_at (&h, unit);
    time += REPAIR_PICTURE;
  }
  harness_run_until (&h, time + 2 * REPAIR_HOLD);
  repair_check_blocks (&h);
  repair_check_all_recover (&h);
  for (i = 0; i < N_SENT (&h); i++) {
    if (!repair_is (SENT (&h, i)))
      continue;
    k = repair_parse (SENT (&h, i)).step;
    fail_unless (k >= 1 && k <= 4);
    n_interleaved += k == 4;
  }
  fail_unless (n_interleaved > 0);
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_sound_is_repaired_with_small_packets)
{
  LmccSenderConfig config = repair_native_config (200);
  LmccTime time = START + 100 * MS;
  guint n = 0, i;
  Harness h;

  sender_config_add_sound (&config);
  h = harness_new (&config);
  for (i = 0; i < 200; i++) {
    if (i % 2 == 0) {
      LmccUnit *unit = make_unit (0, 0, time, 2, REPAIR_PAYLOAD);

      unit->switch_point = i % 50 == 0;
      harness_push_at (&h, unit);
    }
    harness_push_at (&h, make_unit (LMCC_STREAM_SOUND, 0, time, 1, 80));
    time += 20 * MS;
  }
  harness_run_until (&h, time + 2 * REPAIR_HOLD);
  repair_check_all_recover (&h);
  for (i = 0; i < N_SENT (&h); i++) {
    if (!repair_is (SENT (&h, i))
        || repair_parse (SENT (&h, i)).source != 64 * LMCC_STREAM_SOUND)
      continue;
    fail_unless_equals_int (SENT (&h, i)->packet->size, 80 + RTP_OVERHEAD + 48);
    n++;
  }
  fail_unless (n > 5);
  harness_clear (&h);
}

GST_END_TEST;

static Suite *
sender_repair_native_suite (void)
{
  Suite *suite = suite_create ("sender-repair-native");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_native_layers_keep_their_budget);
  tcase_add_test (tcase, test_small_native_layers_have_repair_together);
  tcase_add_test (tcase, test_every_rung_of_a_long_block_has_repair);
  tcase_add_test (tcase, test_no_native_layer_has_all_of_the_repair);
  tcase_add_test (tcase,
      test_the_base_of_native_layers_may_have_a_share_of_its_own);
  tcase_add_test (tcase, test_native_repair_comes_within_its_delay);
  tcase_add_test (tcase, test_native_repair_is_spread);
  tcase_add_test (tcase, test_announced_rates_include_repair);
  tcase_add_test (tcase, test_many_packets_are_interleaved);
  tcase_add_test (tcase, test_sound_is_repaired_with_small_packets);

  return suite;
}

GST_CHECK_MAIN (sender_repair_native);
