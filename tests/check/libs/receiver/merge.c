/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/receiver/merge.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>

#define DEADLINE (150 * LMCC_MSECOND)

static void
push (LmccMerge * merge, guint layer, LmccPacketType type, guint16 osn,
    guint lost, LmccTime deadline)
{
  LmccHeader header = {.type = type,.layer = (guint8) layer,.osn = osn };
  LmccRtp rtp = { 0 };

  lmcc_merge_push (merge, lmcc_packet_new (0), &rtp, &header, deadline, lost);
}

static void
push_media (LmccMerge * merge, guint layer, guint16 osn)
{
  push (merge, layer, LMCC_PACKET_MEDIA, osn, 0, DEADLINE);
}

/* Takes what comes out and writes it as "osn" and "layer!" for holes. */
static gchar *
drain (LmccMerge * merge, LmccTime now)
{
  GString *text = g_string_new (NULL);
  LmccMergeItem item;

  while (lmcc_merge_pop (merge, now, &item)) {
    if (text->len > 0)
      g_string_append_c (text, ' ');
    if (item.packet == NULL) {
      g_string_append_printf (text, "%u!", item.layer);
    } else {
      g_string_append_printf (text, "%u", item.header.osn);
      lmcc_packet_unref (item.packet);
    }
  }

  return g_string_free (text, FALSE);
}

#define assert_drained(merge, now, expected) G_STMT_START { \
  g_autofree gchar *_text = drain (merge, now); \
  fail_unless_equals_string (_text, expected); \
} G_STMT_END

GST_START_TEST (test_layers_come_out_in_order_as_soon_as_all_have_passed)
{
  g_autoptr (LmccMerge) merge = lmcc_merge_new ();

  push_media (merge, 0, 10);
  push_media (merge, 1, 12);
  push_media (merge, 0, 11);
  assert_drained (merge, 0, "10 11");
  push_media (merge, 0, 14);
  assert_drained (merge, 0, "12");
  push_media (merge, 1, 13);
  assert_drained (merge, 0, "13");
  push_media (merge, 1, 15);
  assert_drained (merge, 0, "14");
}

GST_END_TEST;

GST_START_TEST (test_a_filler_packet_says_that_its_layer_has_passed)
{
  g_autoptr (LmccMerge) merge = lmcc_merge_new ();

  push_media (merge, 1, 5);
  push_media (merge, 0, 6);
  assert_drained (merge, 0, "5");
  push (merge, 1, LMCC_PACKET_FILLER, 6, 0, DEADLINE);
  assert_drained (merge, 0, "");
  push (merge, 1, LMCC_PACKET_FILLER, 7, 0, DEADLINE);
  assert_drained (merge, 0, "6");
}

GST_END_TEST;

GST_START_TEST (test_a_silent_layer_holds_packets_up_to_their_deadline)
{
  g_autoptr (LmccMerge) merge = lmcc_merge_new ();

  push_media (merge, 1, 1);
  push (merge, 0, LMCC_PACKET_MEDIA, 2, 0, 500);
  push (merge, 0, LMCC_PACKET_MEDIA, 3, 0, 600);
  assert_drained (merge, 0, "1");
  fail_unless_equals_uint64 (lmcc_merge_next_timeout (merge), 500);
  assert_drained (merge, 499, "");
  assert_drained (merge, 500, "2");
  fail_unless_equals_uint64 (lmcc_merge_next_timeout (merge), 600);
  assert_drained (merge, 1000, "3");
  fail_unless_equals_uint64 (lmcc_merge_next_timeout (merge), LMCC_TIME_NONE);
}

GST_END_TEST;

GST_START_TEST
    (test_what_is_overtaken_leaves_a_hole_and_is_dropped_when_it_comes) {
  g_autoptr (LmccMerge) merge = lmcc_merge_new ();

  push_media (merge, 1, 1);
  push (merge, 0, LMCC_PACKET_MEDIA, 3, 0, 0);
  assert_drained (merge, 0, "1 1! 3");
  push_media (merge, 1, 2);
  fail_unless_equals_uint64 (lmcc_merge_get_late (merge), 1);
  push_media (merge, 1, 4);
  push_media (merge, 0, 5);
  assert_drained (merge, 0, "4");
}

GST_END_TEST;

GST_START_TEST (test_a_dropped_layer_is_waited_for_no_longer)
{
  g_autoptr (LmccMerge) merge = lmcc_merge_new ();

  push_media (merge, 0, 1);
  push_media (merge, 1, 2);
  push_media (merge, 2, 3);
  push_media (merge, 0, 4);
  assert_drained (merge, 0, "1 2");
  lmcc_merge_drop_layers (merge, 0);
  assert_drained (merge, 0, "4");
}

GST_END_TEST;

GST_START_TEST (test_what_has_come_of_a_layer_that_was_left_comes_out)
{
  g_autoptr (LmccMerge) merge = lmcc_merge_new ();

  fail_unless_equals_int (lmcc_merge_get_level (merge), -1);
  push_media (merge, 0, 1);
  push_media (merge, 1, 2);
  push_media (merge, 2, 3);
  push_media (merge, 2, 5);
  assert_drained (merge, 0, "1");
  lmcc_merge_leave_layers (merge, 0);
  fail_unless_equals_int (lmcc_merge_get_level (merge), 2);
  assert_drained (merge, 0, "");
  push_media (merge, 0, 4);
  assert_drained (merge, 0, "2 3 4");
  fail_unless_equals_int (lmcc_merge_get_level (merge), 2);
  push_media (merge, 0, 6);
  assert_drained (merge, 0, "5 6");
  fail_unless_equals_int (lmcc_merge_get_level (merge), -1);
  push_media (merge, 0, 7);
  assert_drained (merge, 0, "7");
}

GST_END_TEST;

/* A hole comes where a number is really missing, not before packets that are
 * known to precede it: layers 0, 1, 2 as P, B and b pictures; the second B is
 * lost. */
GST_START_TEST (test_a_hole_comes_where_the_order_has_its_gap)
{
  g_autoptr (LmccMerge) merge = lmcc_merge_new ();

  push_media (merge, 0, 0);
  push_media (merge, 1, 1);
  push_media (merge, 2, 2);
  push_media (merge, 2, 3);
  push_media (merge, 0, 4);
  push_media (merge, 2, 6);
  push_media (merge, 0, 8);
  assert_drained (merge, 0, "0 1");
  push (merge, 1, LMCC_PACKET_MEDIA, 9, 1, DEADLINE);
  assert_drained (merge, 0, "2 3 4 1! 6");
}

GST_END_TEST;

static void
push_of_table_at (LmccMerge * merge, guint table, guint layer, guint16 osn,
    guint lost, LmccTime deadline)
{
  LmccHeader header = {.type = LMCC_PACKET_MEDIA,.layer = (guint8) layer,
    .osn = osn,.table = (guint8) table
  };
  LmccRtp rtp = { 0 };

  lmcc_merge_push (merge, lmcc_packet_new (0), &rtp, &header, deadline, lost);
}

static void
push_of_table (LmccMerge * merge, guint table, guint layer, guint16 osn,
    guint lost)
{
  push_of_table_at (merge, table, layer, osn, lost, DEADLINE);
}

GST_START_TEST (test_a_loss_at_a_table_change_leaves_its_hole)
{
  g_autoptr (LmccMerge) merge = lmcc_merge_new ();

  push_media (merge, 0, 0);
  push_media (merge, 1, 1);
  assert_drained (merge, 0, "0");
  push_of_table (merge, 1, 0, 2, 0);
  push_of_table (merge, 1, 1, 4, 1);
  push_of_table (merge, 1, 0, 5, 0);
  assert_drained (merge, DEADLINE, "1 2 1! 4 5");
}

GST_END_TEST;

/* After a table change a layer is not waited for until it is heard. */
GST_START_TEST (test_packets_that_come_late_after_a_table_change_leave_a_hole)
{
  g_autoptr (LmccMerge) merge = lmcc_merge_new ();

  push_media (merge, 0, 0);
  push_media (merge, 1, 1);
  push_of_table (merge, 1, 0, 3, 0);
  assert_drained (merge, 0, "0 1 3");
  push_of_table (merge, 1, 1, 2, 0);
  push_of_table (merge, 1, 1, 4, 0);
  push_of_table (merge, 1, 0, 5, 0);
  assert_drained (merge, 0, "1! 4");
  fail_unless_equals_uint64 (lmcc_merge_get_late (merge), 1);
}

GST_END_TEST;

/* Layer 2's packet left before the table changed, and comes after the first of
 * the new one. */
GST_START_TEST (test_an_overtaken_packet_does_not_bring_its_table_back)
{
  g_autoptr (LmccMerge) merge = lmcc_merge_new ();
  LmccTime later = DEADLINE + LMCC_MSECOND;

  push_media (merge, 0, 0);
  push_of_table_at (merge, 1, 0, 3, 0, later);
  push_of_table_at (merge, 1, 1, 4, 0, later);
  push_media (merge, 2, 2);
  assert_drained (merge, 0, "0 2 3");
  push_of_table_at (merge, 1, 0, 6, 0, later);
  assert_drained (merge, 0, "4");
  push_of_table_at (merge, 1, 1, 5, 0, later);
  push_of_table_at (merge, 1, 1, 7, 0, later);
  assert_drained (merge, 0, "5 6");
}

GST_END_TEST;

GST_START_TEST (test_a_hole_tells_the_table_and_that_it_changed)
{
  g_autoptr (LmccMerge) merge = lmcc_merge_new ();
  LmccMergeItem item;
  guint i;

  push_media (merge, 0, 0);
  push (merge, 0, LMCC_PACKET_MEDIA, 2, 1, DEADLINE);
  push_of_table (merge, 1, 0, 4, 1);
  push_of_table (merge, 1, 0, 6, 1);
  for (i = 0; i < 7; i++) {
    fail_unless (lmcc_merge_pop (merge, DEADLINE, &item));
    fail_unless ((item.packet == NULL) == (i % 2 == 1));
    if (item.packet != NULL) {
      lmcc_packet_unref (item.packet);
      continue;
    }
    fail_unless_equals_int (item.header.table, i == 1 ? 0 : 1);
    fail_unless_equals_int (item.table_changed, i == 3);
  }
}

GST_END_TEST;

/* What was overtaken has left its hole then. */
GST_START_TEST (test_what_is_overtaken_leaves_one_hole_only)
{
  g_autoptr (LmccMerge) merge = lmcc_merge_new ();

  push_media (merge, 0, 0);
  push_media (merge, 1, 1);
  push_media (merge, 0, 4);
  assert_drained (merge, DEADLINE, "0 1 1! 4");
  push_media (merge, 1, 2);
  push_media (merge, 1, 3);
  push_media (merge, 1, 5);
  push_media (merge, 0, 6);
  assert_drained (merge, 0, "5");
}

GST_END_TEST;

GST_START_TEST (test_a_lost_filler_leaves_no_hole)
{
  g_autoptr (LmccMerge) merge = lmcc_merge_new ();

  push_media (merge, 0, 0);
  push_media (merge, 1, 1);
  push_media (merge, 0, 2);
  push (merge, 1, LMCC_PACKET_MEDIA, 3, 1, DEADLINE);
  push_media (merge, 0, 4);
  push_media (merge, 1, 5);
  assert_drained (merge, 0, "0 1 2 3 4");
}

GST_END_TEST;

/* Numbers 2 to 5 are of a layer that is not held; where the layer had not come
 * any further it can have lost no media. */
GST_START_TEST (test_filler_lost_in_a_gap_leaves_no_hole)
{
  g_autoptr (LmccMerge) merge = lmcc_merge_new ();

  push_media (merge, 0, 1);
  push (merge, 1, LMCC_PACKET_FILLER, 3, 0, DEADLINE);
  push (merge, 1, LMCC_PACKET_FILLER, 3, 2, DEADLINE);
  push_media (merge, 0, 6);
  push (merge, 1, LMCC_PACKET_FILLER, 7, 0, DEADLINE);
  assert_drained (merge, 0, "1 6");
}

GST_END_TEST;

GST_START_TEST (test_layers_not_held_leave_gaps_but_no_holes)
{
  g_autoptr (LmccMerge) merge = lmcc_merge_new ();

  push_media (merge, 0, 0);
  push_media (merge, 0, 7);
  push_media (merge, 0, 9);
  assert_drained (merge, 0, "0 7 9");
}

GST_END_TEST;

GST_START_TEST (test_the_order_goes_on_over_its_wrap)
{
  g_autoptr (LmccMerge) merge = lmcc_merge_new ();
  guint i;

  for (i = 65000; i < 65000 + 70000; i++) {
    push_media (merge, i % 3, (guint16) i);
    if (i > 65002) {
      g_autofree gchar *expected = g_strdup_printf ("%u",
          (guint) (guint16) (i - 2));

      assert_drained (merge, 0, expected);
    } else if (i < 65002) {
      continue;
    } else {
      assert_drained (merge, 0, "65000");
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_a_flood_on_one_layer_is_bounded)
{
  g_autoptr (LmccMerge) merge = lmcc_merge_new ();
  LmccMergeItem item;
  guint n = 0, i;

  push_media (merge, 1, 0);
  for (i = 1; i < 3 * LMCC_MERGE_MAX_QUEUE; i++)
    push_media (merge, 0, (guint16) i);
  while (lmcc_merge_pop (merge, DEADLINE, &item)) {
    if (item.packet != NULL) {
      lmcc_packet_unref (item.packet);
      n++;
    }
  }
  fail_unless_equals_int (n, LMCC_MERGE_MAX_QUEUE + 1);
}

GST_END_TEST;

static Suite *
merge_suite (void)
{
  Suite *suite = suite_create ("merge");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase,
      test_layers_come_out_in_order_as_soon_as_all_have_passed);
  tcase_add_test (tcase, test_a_filler_packet_says_that_its_layer_has_passed);
  tcase_add_test (tcase,
      test_a_silent_layer_holds_packets_up_to_their_deadline);
  tcase_add_test (tcase,
      test_what_is_overtaken_leaves_a_hole_and_is_dropped_when_it_comes);
  tcase_add_test (tcase, test_a_dropped_layer_is_waited_for_no_longer);
  tcase_add_test (tcase, test_what_has_come_of_a_layer_that_was_left_comes_out);
  tcase_add_test (tcase, test_a_hole_comes_where_the_order_has_its_gap);
  tcase_add_test (tcase, test_a_loss_at_a_table_change_leaves_its_hole);
  tcase_add_test (tcase,
      test_packets_that_come_late_after_a_table_change_leave_a_hole);
  tcase_add_test (tcase, test_what_is_overtaken_leaves_one_hole_only);
  tcase_add_test (tcase,
      test_an_overtaken_packet_does_not_bring_its_table_back);
  tcase_add_test (tcase, test_a_hole_tells_the_table_and_that_it_changed);
  tcase_add_test (tcase, test_a_lost_filler_leaves_no_hole);
  tcase_add_test (tcase, test_filler_lost_in_a_gap_leaves_no_hole);
  tcase_add_test (tcase, test_layers_not_held_leave_gaps_but_no_holes);
  tcase_add_test (tcase, test_the_order_goes_on_over_its_wrap);
  tcase_add_test (tcase, test_a_flood_on_one_layer_is_bounded);

  return suite;
}

GST_CHECK_MAIN (merge);
