/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the repair of layers of fixed rates: its packets, their timing, and
 * that it recovers losses.
 */
#include "support/sent-repair.h"

GST_START_TEST (test_what_fixed_rates_leave_repairs_their_window)
{
  LmccSenderConfig config = repair_shaped_config (100);
  Harness h = repair_run (&config, 6);

  repair_check_headers (&h);
  repair_check_blocks (&h);
  repair_check_all_recover (&h);
  repair_check_times (&h, 0);
  fail_unless_equals_int (lmcc_sender_get_stats (h.sender)->repairs_late, 0);
  fail_unless_equals_int (lmcc_sender_get_session (h.sender)->repair_delay, 0);
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_rates_are_exact_with_repair)
{
  LmccSenderConfig config = repair_shaped_config (100);
  Harness h = repair_run (&config, 6);

  harness_check_all_exact (&h, &config);
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_repair_takes_the_place_of_filler)
{
  LmccSenderConfig without_config = repair_shaped_config (0);
  LmccSenderConfig with_config = repair_shaped_config (1);
  Harness without = repair_run (&without_config, 6),
          with = repair_run (&with_config, 6);

  fail_unless_equals_int (repair_count_type (&without, LMCC_PACKET_REPAIR), 0);
  fail_unless_equals_int (repair_count_type (&with, LMCC_PACKET_MEDIA),
      repair_count_type (&without, LMCC_PACKET_MEDIA));
  fail_unless (repair_count_type (&with, LMCC_PACKET_REPAIR) > 20);
  fail_unless (repair_count_type (&with, LMCC_PACKET_FILLER)
      < repair_count_type (&without, LMCC_PACKET_FILLER));
  harness_clear (&without);
  harness_clear (&with);
}

GST_END_TEST;

/* In every window the base layer, which is full, has a tenth more packets. */
GST_START_TEST (test_a_full_base_keeps_its_share_for_repair)
{
  LmccSenderConfig config = repair_shaped_config (100);
  Harness h = repair_run (&config, 6);
  guint n_source = 0, n_repair = 0, n_blocks = 0, i;

  for (i = 0; i < N_SENT (&h); i++) {
    LmccRepairPayload payload;

    if (!repair_is (SENT (&h, i)))
      continue;
    payload = repair_parse (SENT (&h, i));
    if (payload.index > 0 || payload.source != 0)
      continue;
    fail_unless_equals_int (SENT (&h, i)->header.layer, 0);
    n_blocks++;
    n_source += payload.n_source;
    n_repair += payload.n_repair;
  }
  fail_unless_equals_int (n_blocks, 6);
  fail_unless (n_repair >= n_source / 10, "%u for %u", n_repair, n_source);
  harness_clear (&h);
}

GST_END_TEST;

/* The key frames are larger than the share of any lower layer in a window. */
GST_START_TEST (test_key_frames_that_are_cut_are_repaired_in_all_their_layers)
{
  LmccSenderConfig config = repair_shaped_config (100);
  guint layers = 0, repaired = 0, i;
  Harness h;

  config.session.layers[0].rate = 60000;
  config.session.layers[1].rate = 60000;
  h = repair_run (&config, 8);
  repair_check_headers (&h);
  repair_check_blocks (&h);
  repair_check_all_recover (&h);
  for (i = 0; i < N_SENT (&h); i++) {
    const SentPacket *s = SENT (&h, i);

    if (is_media (s) && s->header.klass == 0)
      layers |= 1u << s->header.layer;
    if (repair_is (s))
      repaired |= 1u << (repair_parse (s).source & 63);
  }
  fail_unless (layers & 1u << 1 && layers & 1u << 2, "%x", layers);
  fail_unless_equals_int (layers & ~repaired, 0);
  fail_unless_equals_int (lmcc_sender_get_stats (h.sender)->repairs_late, 0);
  harness_clear (&h);
}

GST_END_TEST;

/* The rates leave little room beside the media: pictures are dropped for
 * repair only if they would be lost without it. */
GST_START_TEST (test_repair_takes_what_is_worth_more_than_the_media)
{
  const gdouble losses[] = { 0.0, 0.0005, 0.2 };
  guint64 dropped[G_N_ELEMENTS (losses)];
  guint i;

  for (i = 0; i < G_N_ELEMENTS (losses); i++) {
    LmccSenderConfig config = repair_shaped_config (losses[i] > 0.0 ? 300 : 0);
    Harness h;

    config.session.n_layers = 2;
    config.session.layers[0].rate = 230000;
    config.session.layers[1].rate = 330000;
    config.repair_loss = losses[i];
    h = repair_run (&config, 8);
    if (losses[i] > 0.0) {
      fail_unless (repair_count_type (&h, LMCC_PACKET_REPAIR) > 8);
      repair_check_all_recover (&h);
    }
    dropped[i] = harness_count_dropped (&h);
    harness_clear (&h);
  }
  fail_unless_equals_uint64 (dropped[1], dropped[0]);
  fail_unless (dropped[2] > dropped[0] + 8, "%" G_GUINT64_FORMAT, dropped[2]);
}

GST_END_TEST;

GST_START_TEST (test_a_flush_forgets_the_repair)
{
  LmccSenderConfig config =
      __i__ ? repair_shaped_config (300) : repair_native_config (300);
  Harness h = harness_new (&config);
  LmccTime time = START + 100 * MS;
  guint n, i;

  for (i = 0; i < 3; i++)
    time = repair_push_gop (&h, 1, time, REPAIR_N_PICTURES);
  lmcc_sender_flush (h.sender, h.now);
  n = N_SENT (&h);
  fail_unless (lmcc_sender_is_idle (h.sender));
  harness_run_until (&h, time + 2 * REPAIR_HOLD);
  for (i = n; i < N_SENT (&h); i++)
    fail_unless (!repair_is (SENT (&h, i)));
  /* And sending continues. */
  time = h.now + 100 * MS;
  n = N_SENT (&h);
  for (i = 0; i < 3; i++)
    time = repair_push_gop (&h, 1, time, REPAIR_N_PICTURES);
  harness_run_until (&h, time + 2 * REPAIR_HOLD);
  fail_unless (lmcc_sender_is_idle (h.sender));
  repair_check_all_recover (&h);
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_without_a_share_there_is_no_repair)
{
  LmccSenderConfig config =
      __i__ ? repair_shaped_config (0) : repair_native_config (0);
  Harness h = repair_run (&config, 3);
  const LmccSenderStats *stats = lmcc_sender_get_stats (h.sender);

  fail_unless_equals_int (repair_count_type (&h, LMCC_PACKET_REPAIR), 0);
  fail_unless_equals_int (stats->repair_blocks, 0);
  fail_unless_equals_int (lmcc_sender_get_session (h.sender)->repair_delay, 0);
  harness_clear (&h);
}

GST_END_TEST;

static Suite *
sender_repair_suite (void)
{
  Suite *suite = suite_create ("sender-repair");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_what_fixed_rates_leave_repairs_their_window);
  tcase_add_test (tcase, test_rates_are_exact_with_repair);
  tcase_add_test (tcase, test_repair_takes_the_place_of_filler);
  tcase_add_test (tcase, test_a_full_base_keeps_its_share_for_repair);
  tcase_add_test (tcase, test_repair_takes_what_is_worth_more_than_the_media);
  tcase_add_test (tcase,
      test_key_frames_that_are_cut_are_repaired_in_all_their_layers);
  tcase_add_loop_test (tcase, test_a_flush_forgets_the_repair, 0, 2);
  tcase_add_loop_test (tcase, test_without_a_share_there_is_no_repair, 0, 2);

  return suite;
}

GST_CHECK_MAIN (sender_repair);
