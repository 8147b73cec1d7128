/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests how much repair data a sender adds if receivers report their losses.
 */
#include "support/sent-repair.h"

#include <gst/lmcc/sender/private.h>
#include <gst/lmcc/wire/rtcp.h>

static LmccSenderConfig
auto_config (void)
{
  LmccSenderConfig config = repair_native_config (LMCC_REPAIR_AUTO_MOST);

  config.repair_auto = TRUE;
  config.session.feedback_interval = LMCC_SECOND;

  return config;
}

static void
report (Harness *h, gdouble loss_rate)
{
  const LmccReferenceTime time = { 0x77000000u, h->now * 4 };
  const LmccLossReport losses = { loss_rate, 1 };
  const LmccAddress address = { .family = LMCC_FAMILY_IPV4,
    .bytes = { 192, 0, 2, 7 } };
  g_autoptr (LmccPacket) packet =
      lmcc_rtcp_build_reference_time (&time, &losses);

  lmcc_sender_handle_control (h->sender, h->now, &address, 4000, packet->data,
      packet->size);
  harness_drain (h);
}

/* The base carries only sound. */
static Harness
run_thin_base (gdouble loss_rate)
{
  LmccSenderConfig config = auto_config ();
  LmccTime time = START + 100 * MS;
  guint i, rung;
  Harness h;

  config.levels = LMCC_LEVELS_REPLICATED;
  config.session.n_rungs = 2;
  sender_config_add_sound (&config);
  h = harness_new (&config);
  for (i = 0; i < 500; i++) {
    if (i % 2 == 0) {
      for (rung = 0; rung < 2; rung++) {
        LmccUnit *unit = make_unit (rung, 0, time, 2, REPAIR_PAYLOAD);

        unit->switch_point = i % 50 == 0;
        harness_push_at (&h, unit);
      }
    }
    harness_push_at (&h, make_unit (LMCC_STREAM_SOUND, 0, time, 1, 80));
    if (i % 50 == 0)
      report (&h, loss_rate);
    time += 20 * MS;
  }

  return h;
}

static guint
count_repairs_of_sound (Harness *h)
{
  guint n = 0, i;

  for (i = 0; i < N_SENT (h); i++) {
    n += repair_is (SENT (h, i)) && SENT (h, i)->header.layer == 0
        && repair_parse (SENT (h, i)).source == 64 * LMCC_STREAM_SOUND;
  }

  return n;
}

GST_START_TEST (a_base_of_sound_alone_has_repair)
{
  Harness h = run_thin_base (0.05);
  const LmccSenderStats *stats = lmcc_sender_get_stats (h.sender);

  fail_unless_equals_int (stats->repair_reporters, 1);
  fail_unless (stats->repair_base_share > 0.05, "%g", stats->repair_base_share);
  fail_unless (stats->repair_base_share <= 0.5);
  /* Some 12 blocks of 37 packets. */
  fail_unless (count_repairs_of_sound (&h) >= 24, "%u",
      count_repairs_of_sound (&h));
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (a_base_of_sound_alone_has_none_without_losses)
{
  Harness h = run_thin_base (0);

  assert_equals_float (lmcc_sender_get_stats (h.sender)->repair_base_share, 0);
  fail_unless_equals_int (count_repairs_of_sound (&h), 0);
  harness_clear (&h);
}

GST_END_TEST;

/* The most that a block of the base gets follows from all of its bytes. */
GST_START_TEST (sound_counts_in_the_bytes_of_the_base)
{
  LmccSenderConfig config = auto_config ();
  LmccRepairAuto automatic;

  lmcc_repair_auto_init (&automatic, &config, START);
  lmcc_repair_auto_note_sent (&automatic, 0, FALSE, 1000);
  lmcc_repair_auto_note_sent (&automatic, 0, TRUE, 100);
  lmcc_repair_auto_note_sent (&automatic, 1, FALSE, 1000);
  fail_unless_equals_uint64 (lmcc_repair_auto_get_base_bytes (&automatic),
      1100);
  lmcc_repair_auto_update (&automatic, START);
  fail_unless_equals_uint64 (lmcc_repair_auto_get_base_bytes (&automatic), 0);
}

GST_END_TEST;

static guint
count_collected (const LmccSender *sender)
{
  const GPtrArray *groups = sender->repair.repairer.hand.groups;
  guint n = 0, i;

  for (i = 0; i < groups->len; i++)
    n += ((const LmccRepairGroup *) g_ptr_array_index (groups, i))->n;

  return n;
}

/* A key frame that ends a block belongs to the next one. */
GST_START_TEST (the_size_of_a_block_is_that_of_its_packets)
{
  LmccSenderConfig config = auto_config ();
  Harness h = harness_new (&config);
  LmccTime time = START + 100 * MS, end, since = LMCC_TIME_NONE;
  guint n_blocks = 0, i;

  for (i = 0; i < 100; i++) {
    LmccUnit *unit = make_unit (0, 0, time, i % 14 == 0 ? 5 : 1, 1000);

    unit->switch_point = i % 14 == 0;
    end = time;
    harness_push_at (&h, unit);
    time += REPAIR_PICTURE;
    for (; end < time; end += MS) {
      const LmccSenderRepair *repair = &h.sender->repair;

      harness_run_until (&h, end);
      if (repair->since == LMCC_TIME_NONE || repair->since == since)
        continue;
      since = repair->since;
      n_blocks++;
      fail_unless_equals_int (repair->automatic.shapes[0].packets,
          count_collected (h.sender));
    }
  }
  fail_unless (n_blocks > 5);
  harness_clear (&h);
}

GST_END_TEST;

static void
expect (LmccRepairAuto *automatic, gdouble loss_rate, gdouble burst)
{
  automatic->expected.value = (LmccLossReport){ loss_rate, burst };
}

/* An amount is computed once, and again when the losses have changed. */
GST_START_TEST (amounts_are_kept_until_the_losses_change)
{
  static const gdouble rates[] = { 0.01, 0.05, 0.2, 0.02 };
  LmccSenderConfig config = auto_config ();
  LmccRepairAuto automatic;
  guint i, n, before;

  lmcc_repair_auto_init (&automatic, &config, START);
  for (i = 0; i < G_N_ELEMENTS (rates); i++) {
    for (n = 1; n < 400; n += 7) {
      LmccRepairAuto other;
      guint needed;

      lmcc_repair_auto_init (&other, &config, START);
      expect (&other, rates[i], 1 + i);
      expect (&automatic, rates[i], 1 + i);
      needed = lmcc_repair_auto_count_needed (&other, n, 500);
      fail_unless_equals_int (lmcc_repair_auto_count_needed (&automatic, n,
                                  500),
          needed);
      before = automatic.n_counts;
      fail_unless_equals_int (lmcc_repair_auto_count_needed (&automatic, n,
                                  500),
          needed);
      fail_unless_equals_int (automatic.n_counts, before);
    }
  }
}

GST_END_TEST;

static Suite *
sender_repair_auto_suite (void)
{
  Suite *suite = suite_create ("sender-repair-auto");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, a_base_of_sound_alone_has_repair);
  tcase_add_test (tc, a_base_of_sound_alone_has_none_without_losses);
  tcase_add_test (tc, sound_counts_in_the_bytes_of_the_base);
  tcase_add_test (tc, the_size_of_a_block_is_that_of_its_packets);
  tcase_add_test (tc, amounts_are_kept_until_the_losses_change);

  return suite;
}

GST_CHECK_MAIN (sender_repair_auto);
