/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a gate gives out, withholds and counts as missed, of units that are put
 * into it by hand.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/receiver/gate/gate.h>
#include <gst/lmcc/receiver/merge.h>
#include <gst/lmcc/wire/rtp.h>

/* A gate by itself: units of one packet each, in the order of decoding. */
typedef struct
{
  LmccGate *gate;
  LmccSession session;
  guint8 table;                 /* that the packets tell */
  guint16 osn;
  guint8 anchors[LMCC_MAX_RUNGS];
} TestGate;

/* Layers of @n_rungs rungs of @n_classes classes each, rungs first. */
static void
set_table (TestGate * test, guint n_rungs, guint n_classes, guint8 version)
{
  guint i;

  test->session.version = version;
  test->session.n_rungs = n_rungs;
  test->session.n_layers = n_rungs * n_classes;
  for (i = 0; i < test->session.n_layers; i++) {
    test->session.layers[i].stream = i / n_classes;
    test->session.layers[i].klass = i % n_classes;
  }
  lmcc_gate_set_session (test->gate, &test->session);
}

static TestGate *
test_gate_new (guint n_rungs, guint n_classes)
{
  TestGate *test = g_new0 (TestGate, 1);

  lmcc_session_init (&test->session);
  test->session.native = TRUE;
  test->gate = lmcc_gate_new (LMCC_ON_LOSS_FREEZE);
  set_table (test, n_rungs, n_classes, 0);
  lmcc_gate_set_level (test->gate, (gint) test->session.n_layers - 1);

  return test;
}

static void
test_gate_free (TestGate * test)
{
  lmcc_gate_free (test->gate);
  g_free (test);
}

static void
push (TestGate * test, guint rung, guint klass, gboolean switch_point,
    guint32 timestamp)
{
  LmccMergeItem item = { lmcc_packet_new (LMCC_RTP_HEADER_SIZE) };

  item.packet->size = LMCC_RTP_HEADER_SIZE;
  item.rtp.timestamp = timestamp;
  item.header.stream = (guint8) rung;
  item.header.klass = (guint8) klass;
  item.header.switch_point = switch_point;
  item.header.first = item.header.last = TRUE;
  item.header.table = test->table;
  item.header.osn = test->osn++;
  if (klass == 0)
    test->anchors[rung]++;
  item.header.anchor = test->anchors[rung];
  lmcc_gate_push (test->gate, &item, LMCC_SECOND);
}

static void
push_hole (TestGate * test, guint layer, gboolean table_changed)
{
  LmccMergeItem item = {.header.table = test->table,.layer = layer,.lost = 1,
    .table_changed = table_changed
  };

  lmcc_gate_push (test->gate, &item, LMCC_SECOND);
}

/* That the next unit is this one, shown or hidden. */
static void
expect (TestGate * test, guint rung, guint klass, guint32 timestamp,
    gboolean hidden)
{
  LmccGateOutput output;

  fail_unless (lmcc_gate_pop (test->gate, &output), "%u is missing", timestamp);
  fail_unless_equals_int (output.header.stream, rung);
  fail_unless_equals_int (output.header.klass, klass);
  fail_unless_equals_int (output.rtp.timestamp, timestamp);
  fail_unless_equals_int (output.catch_up, hidden);
  lmcc_packet_unref (output.packet);
}

static void
expect_nothing (TestGate * test)
{
  LmccGateOutput output;

  fail_if (lmcc_gate_pop (test->gate, &output));
}

/* A key frame and one unit each of classes 1 and 2 are given out. */
static void
open_three_classes (TestGate * test)
{
  push (test, 0, 0, TRUE, 1);
  push (test, 0, 1, TRUE, 3);
  push (test, 0, 2, TRUE, 2);
  expect (test, 0, 0, 1, FALSE);
  expect (test, 0, 1, 3, FALSE);
  expect (test, 0, 2, 2, FALSE);
}

/* Rung 1's key frame waited for rung 2's when the level fell to rung 0. */
GST_START_TEST (test_a_rung_goes_on_with_its_own_key_frame_when_the_level_falls)
{
  TestGate *test = test_gate_new (3, 1);

  lmcc_gate_set_level (test->gate, 0);
  push (test, 0, 0, TRUE, 1);
  expect (test, 0, 0, 1, FALSE);
  lmcc_gate_set_level (test->gate, 2);
  push (test, 0, 0, TRUE, 2);
  push (test, 1, 0, TRUE, 2);
  expect_nothing (test);
  lmcc_gate_set_level (test->gate, 0);
  push (test, 0, 0, FALSE, 3);
  expect (test, 0, 0, 2, FALSE);
  expect (test, 0, 0, 3, FALSE);
  expect_nothing (test);
  test_gate_free (test);
}

GST_END_TEST;

GST_START_TEST (test_the_best_key_frame_that_is_still_held_is_given_out)
{
  TestGate *test = test_gate_new (4, 1);

  push (test, 0, 0, TRUE, 1);
  push (test, 1, 0, TRUE, 1);
  push (test, 2, 0, TRUE, 1);
  lmcc_gate_set_level (test->gate, 1);
  expect (test, 1, 0, 1, FALSE);
  expect_nothing (test);
  push (test, 0, 0, FALSE, 2);
  push (test, 1, 0, FALSE, 2);
  expect (test, 1, 0, 2, FALSE);
  expect_nothing (test);
  test_gate_free (test);
}

GST_END_TEST;

/* The better key frame comes when a lower one could wait no longer. */
GST_START_TEST (test_a_picture_that_comes_again_in_a_higher_rung_is_hidden)
{
  TestGate *test = test_gate_new (2, 1);

  push (test, 0, 0, TRUE, 1);
  lmcc_gate_timeout (test->gate, LMCC_SECOND);
  expect (test, 0, 0, 1, FALSE);
  push (test, 1, 0, TRUE, 1);
  expect (test, 1, 0, 1, TRUE);
  push (test, 0, 0, FALSE, 2);
  push (test, 1, 0, FALSE, 2);
  expect (test, 1, 0, 2, FALSE);
  expect_nothing (test);
  test_gate_free (test);
}

GST_END_TEST;

/* Of class 2 nothing was lost, but its second unit was withheld. */
GST_START_TEST (test_what_needs_a_withheld_unit_is_withheld)
{
  TestGate *test = test_gate_new (1, 3);

  open_three_classes (test);
  push_hole (test, 1, FALSE);
  push (test, 0, 2, FALSE, 4);
  expect_nothing (test);
  push (test, 0, 1, TRUE, 5);
  expect (test, 0, 1, 5, FALSE);
  push (test, 0, 2, FALSE, 6);
  expect_nothing (test);
  push (test, 0, 2, TRUE, 7);
  expect (test, 0, 2, 7, FALSE);
  test_gate_free (test);
}

GST_END_TEST;

/* The first of two packets, whose other one does not come. */
static void
push_part (TestGate * test, guint rung, guint klass, gboolean switch_point,
    guint32 timestamp)
{
  LmccMergeItem item = { lmcc_packet_new (LMCC_RTP_HEADER_SIZE) };

  item.packet->size = LMCC_RTP_HEADER_SIZE;
  item.rtp.timestamp = timestamp;
  item.header.stream = (guint8) rung;
  item.header.klass = (guint8) klass;
  item.header.switch_point = switch_point;
  item.header.first = TRUE;
  item.header.osn = test->osn;
  test->osn += 2;
  if (klass == 0)
    test->anchors[rung]++;
  item.header.anchor = test->anchors[rung];
  lmcc_gate_push (test->gate, &item, LMCC_SECOND);
}

static void
expect_missed (TestGate * test, guint due, guint missed)
{
  const LmccGateStats *stats = lmcc_gate_get_stats (test->gate);

  fail_unless_equals_uint64 (stats->units_due, due);
  fail_unless_equals_uint64 (stats->units_missed, missed);
}

/* Layers of fixed rates: rung 0 is whole, of rung 1 a part lies higher. */
GST_START_TEST (test_what_lies_in_layers_not_held_is_not_missed)
{
  TestGate *test = test_gate_new (2, 1);
  guint i;

  test->session.native = FALSE;
  lmcc_gate_set_session (test->gate, &test->session);
  for (i = 0; i < 20; i++) {
    push (test, 0, 0, i % 10 == 0, i);
    push_part (test, 1, 0, i % 10 == 0, i);
  }
  push (test, 0, 0, FALSE, i);
  expect_missed (test, 21, 0);
  test_gate_free (test);
}

GST_END_TEST;

/* Not even the lowest rung fits. A loss is one all the same. */
GST_START_TEST (test_a_lost_packet_of_mixed_layers_is_one_unit_missed)
{
  TestGate *test = test_gate_new (1, 1);
  guint i;

  test->session.native = FALSE;
  test->session.layers[0].klass = LMCC_CLASS_MIXED;
  lmcc_gate_set_session (test->gate, &test->session);
  for (i = 0; i < 20; i++) {
    push_part (test, 0, 0, i % 10 == 0, i);
    if (i == 14)
      push_hole (test, 0, FALSE);
  }
  push (test, 0, 0, FALSE, i);
  expect_missed (test, 21, 1);
  test_gate_free (test);
}

GST_END_TEST;

/* Native layers: what is lost of a rung that is not shown nobody misses. */
GST_START_TEST (test_only_what_the_level_shows_is_missed)
{
  TestGate *test = test_gate_new (2, 1);
  guint i;

  for (i = 0; i < 10; i++) {
    push_part (test, 0, 0, i == 0, i);
    push (test, 1, 0, i == 0, i);
  }
  expect_missed (test, 10, 0);
  for (i = 10; i < 20; i++) {
    push (test, 0, 0, i == 10, i);
    push_part (test, 1, 0, i == 10, i);
  }
  push (test, 0, 0, FALSE, i);
  expect_missed (test, 20, 10);
  test_gate_free (test);
}

GST_END_TEST;

static TestGate *
test_layered_gate_new (void)
{
  TestGate *test = test_gate_new (1, 9);

  g_strlcpy (test->session.video.encoding_name, "VP9", LMCC_ENCODING_NAME_SIZE);
  lmcc_gate_set_session (test->gate, &test->session);

  return test;
}

/* That the next unit is this one, and whether it ends its picture. */
static void
expect_layer (TestGate * test, guint klass, guint32 timestamp, gboolean end)
{
  LmccGateOutput output;

  fail_unless (lmcc_gate_pop (test->gate, &output), "%u is missing", timestamp);
  fail_unless_equals_int (output.header.klass, klass);
  fail_unless_equals_int (output.rtp.timestamp, timestamp);
  fail_unless_equals_int (output.unit_end, end);
  lmcc_packet_unref (output.packet);
}

GST_START_TEST (test_the_marker_is_on_the_last_layer_of_a_picture_that_comes)
{
  TestGate *test = test_layered_gate_new ();

  push (test, 0, 0, TRUE, 1);
  expect_nothing (test);
  push (test, 0, 3, TRUE, 1);
  expect_layer (test, 0, 1, FALSE);
  expect_nothing (test);
  push (test, 0, 1, TRUE, 2);
  expect_layer (test, 3, 1, TRUE);
  expect_nothing (test);

  /* The end is let go when it is due. */
  fail_unless_equals_uint64 (lmcc_gate_next_timeout (test->gate), LMCC_SECOND);
  lmcc_gate_timeout (test->gate, LMCC_SECOND - 1);
  expect_nothing (test);
  lmcc_gate_timeout (test->gate, LMCC_SECOND);
  expect_layer (test, 1, 2, TRUE);
  fail_unless_equals_uint64 (lmcc_gate_next_timeout (test->gate),
      LMCC_TIME_NONE);
  test_gate_free (test);
}

GST_END_TEST;

/* S1T0 does not need S0T1, nor S1T1 anything of S0T2. */
GST_START_TEST (test_a_layer_frame_waits_only_for_layers_that_it_needs)
{
  TestGate *test = test_layered_gate_new ();

  /* All layers of a key picture, before any S0T1 or S0T2 has come. */
  push (test, 0, 0, TRUE, 1);
  push (test, 0, 3, TRUE, 1);
  push (test, 0, 6, TRUE, 1);
  push (test, 0, 1, TRUE, 2);
  push (test, 0, 2, TRUE, 3);
  expect_layer (test, 0, 1, FALSE);
  expect_layer (test, 3, 1, FALSE);
  expect_layer (test, 6, 1, TRUE);
  expect_layer (test, 1, 2, TRUE);

  /* S0T2 is lost: what is above in its picture is of no use, the rest is. */
  push_hole (test, 2, FALSE);
  push (test, 0, 5, FALSE, 4);
  push (test, 0, 1, TRUE, 5);
  expect_layer (test, 2, 3, TRUE);
  push (test, 0, 4, TRUE, 5);
  push (test, 0, 0, FALSE, 6);
  push (test, 0, 3, FALSE, 6);
  expect_layer (test, 1, 5, FALSE);
  expect_layer (test, 4, 5, TRUE);
  push (test, 0, 2, TRUE, 7);
  expect_layer (test, 0, 6, FALSE);
  expect_layer (test, 3, 6, TRUE);
  test_gate_free (test);
}

GST_END_TEST;

/* Layer 1 has sent a part of class 4 before it was joined. A unit of class 5
 * may need that, though layer 0 has opened the class since. */
GST_START_TEST (test_a_new_layer_closes_classes_where_it_begins)
{
  TestGate *test = test_layered_gate_new ();
  guint16 begin;

  test->session.native = FALSE;
  test->session.n_layers = 2;
  lmcc_gate_set_session (test->gate, &test->session);
  lmcc_gate_set_level (test->gate, 1);
  push (test, 0, 0, TRUE, 1);
  push (test, 0, 3, TRUE, 1);
  push (test, 0, 1, TRUE, 2);
  push (test, 0, 4, TRUE, 2);
  begin = test->osn;
  lmcc_gate_layer_begins (test->gate, 1, begin);
  push (test, 0, 2, TRUE, 3);
  push (test, 0, 5, TRUE, 3);
  push (test, 0, 1, TRUE, 4);
  expect_layer (test, 0, 1, FALSE);
  expect_layer (test, 3, 1, TRUE);
  expect_layer (test, 1, 2, FALSE);
  expect_layer (test, 4, 2, TRUE);
  expect_nothing (test);
  push (test, 0, 2, TRUE, 5);
  expect_layer (test, 1, 4, TRUE);
  expect_nothing (test);
  test_gate_free (test);
}

GST_END_TEST;

/* The record with the new table is late: it says that there is no class 1. */
GST_START_TEST (test_no_class_is_skipped_while_the_table_is_not_known)
{
  TestGate *test = test_gate_new (2, 1);

  test->table = 1;
  push (test, 0, 0, TRUE, 1);
  push (test, 1, 0, TRUE, 1);
  expect (test, 1, 0, 1, FALSE);
  push (test, 1, 2, TRUE, 2);
  expect_nothing (test);
  push (test, 1, 1, TRUE, 3);
  push (test, 1, 2, TRUE, 4);
  expect (test, 1, 1, 3, FALSE);
  expect (test, 1, 2, 4, FALSE);
  test_gate_free (test);
}

GST_END_TEST;

static TestGate *
test_mixed_gate_new (guint n_layers)
{
  TestGate *test = test_gate_new (1, n_layers);
  guint i;

  test->session.native = FALSE;
  for (i = 0; i < n_layers; i++) {
    test->session.layers[i].stream = LMCC_STREAM_NONE;
    test->session.layers[i].klass = LMCC_CLASS_MIXED;
  }
  lmcc_gate_set_session (test->gate, &test->session);

  return test;
}

/* In layers of fixed rates no table tells the classes. */
GST_START_TEST (test_a_class_that_may_have_been_lost_is_not_taken_to_be_unused)
{
  TestGate *test = test_mixed_gate_new (1);
  guint32 group;

  for (group = 10; group < 50; group += 10) {
    push (test, 0, 0, TRUE, group);
    expect (test, 0, 0, group, FALSE);
    push (test, 0, 2, TRUE, group + 1);
    expect_nothing (test);
  }
  push (test, 0, 0, TRUE, 50);
  expect (test, 0, 0, 50, FALSE);
  push (test, 0, 2, TRUE, 51);
  expect (test, 0, 2, 51, FALSE);
  test_gate_free (test);
}

GST_END_TEST;

/* Something of each group is lost. Class 1 has never come, or once. */
GST_START_TEST (test_a_class_that_never_came_is_unused_despite_losses)
{
  TestGate *test = test_mixed_gate_new (1);
  guint32 group;

  for (group = 10; group < 60; group += 10) {
    push (test, 0, 0, TRUE, group);
    expect (test, 0, 0, group, FALSE);
    if (__i__ == 1 && group == 10) {
      push (test, 0, 1, TRUE, group + 1);
      expect (test, 0, 1, group + 1, FALSE);
    }
    push_hole (test, 0, FALSE);
    push (test, 0, 2, TRUE, group + 2);
    if (__i__ == 0 && group == 50)
      expect (test, 0, 2, group + 2, FALSE);
    expect_nothing (test);
  }
  test_gate_free (test);
}

GST_END_TEST;

/* One unit of class 2 came before any of class 1; then the base alone was held,
 * where no group of pictures has either. */
GST_START_TEST (test_a_class_of_layers_not_held_is_not_taken_to_be_unused)
{
  TestGate *test = test_mixed_gate_new (2);
  guint32 group;

  push (test, 0, 0, TRUE, 1);
  expect (test, 0, 0, 1, FALSE);
  push (test, 0, 2, TRUE, 2);
  lmcc_gate_set_level (test->gate, 0);
  for (group = 10; group < 60; group += 10) {
    push (test, 0, 0, TRUE, group);
    expect (test, 0, 0, group, FALSE);
  }
  lmcc_gate_set_level (test->gate, 1);
  push (test, 0, 2, TRUE, 61);
  expect_nothing (test);
  push (test, 0, 0, TRUE, 70);
  push (test, 0, 2, TRUE, 71);
  expect (test, 0, 0, 70, FALSE);
  expect_nothing (test);
  push (test, 0, 1, TRUE, 72);
  push (test, 0, 2, TRUE, 73);
  expect (test, 0, 1, 72, FALSE);
  expect (test, 0, 2, 73, FALSE);
  test_gate_free (test);
}

GST_END_TEST;

/* Class 1 may begin to be used while the level is low, and its unit may lie in
 * the part of the new layer that nobody waited for. */
GST_START_TEST (test_no_class_is_taken_to_be_unused_right_after_a_rise)
{
  TestGate *test = test_mixed_gate_new (2);
  guint32 group;
  guint rise;

  lmcc_gate_set_level (test->gate, 1);
  for (group = 10; group < 60; group += 10) {
    push (test, 0, 0, TRUE, group);
    push (test, 0, 2, TRUE, group + 1);
    expect (test, 0, 0, group, FALSE);
  }
  expect (test, 0, 2, 51, FALSE);
  for (rise = 0; rise < 2; rise++, group += 20) {
    lmcc_gate_set_level (test->gate, 0);
    push (test, 0, 0, TRUE, group);
    expect (test, 0, 0, group, FALSE);
    lmcc_gate_set_level (test->gate, 1);
    push (test, 0, 2, TRUE, group + 1);
    expect_nothing (test);
    /* From a key frame on the layer is held as a whole. */
    push (test, 0, 0, TRUE, group + 10);
    push (test, 0, 2, TRUE, group + 11);
    expect (test, 0, 0, group + 10, FALSE);
    expect (test, 0, 2, group + 11, FALSE);
  }
  test_gate_free (test);
}

GST_END_TEST;

/* By the old table layer 1 carries class 0 of rung 1, by the new one class 1 of
 * rung 0. */
GST_START_TEST (test_a_hole_between_two_tables_damages_what_it_may_have_hit)
{
  guint i;

  for (i = 0; i < 2; i++) {
    TestGate *test = test_gate_new (2, 1);

    lmcc_gate_set_level (test->gate, 0);
    test->table = 1;
    if (i == 1)
      set_table (test, 2, 3, 1);
    lmcc_gate_set_level (test->gate, 5);
    lmcc_gate_set_level (test->gate, i == 0 ? 0 : 2);
    open_three_classes (test);
    push_hole (test, i == 0 ? 1 : 3, i == 1);
    push (test, 0, 2, TRUE, 4);
    expect_nothing (test);
    test_gate_free (test);
  }
}

GST_END_TEST;

/* Nobody waits for a layer that has not been heard since the table changed. */
GST_START_TEST (test_classes_open_anew_when_the_table_changes)
{
  TestGate *test = test_gate_new (1, 3);

  open_three_classes (test);
  test->table = 1;
  push (test, 0, 2, TRUE, 4);
  expect_nothing (test);
  push (test, 0, 1, TRUE, 5);
  push (test, 0, 2, TRUE, 6);
  expect (test, 0, 1, 5, FALSE);
  expect (test, 0, 2, 6, FALSE);
  test_gate_free (test);
}

GST_END_TEST;

static Suite *
gate_suite (void)
{
  Suite *s = suite_create ("gate");
  TCase *tc = tcase_create ("gate");

  suite_add_tcase (s, tc);
  tcase_add_test (tc,
      test_a_rung_goes_on_with_its_own_key_frame_when_the_level_falls);
  tcase_add_test (tc, test_the_best_key_frame_that_is_still_held_is_given_out);
  tcase_add_test (tc,
      test_a_picture_that_comes_again_in_a_higher_rung_is_hidden);
  tcase_add_test (tc, test_what_needs_a_withheld_unit_is_withheld);
  tcase_add_test (tc, test_what_lies_in_layers_not_held_is_not_missed);
  tcase_add_test (tc, test_a_lost_packet_of_mixed_layers_is_one_unit_missed);
  tcase_add_test (tc, test_only_what_the_level_shows_is_missed);
  tcase_add_test (tc,
      test_the_marker_is_on_the_last_layer_of_a_picture_that_comes);
  tcase_add_test (tc, test_a_layer_frame_waits_only_for_layers_that_it_needs);
  tcase_add_test (tc, test_a_new_layer_closes_classes_where_it_begins);
  tcase_add_test (tc, test_no_class_is_skipped_while_the_table_is_not_known);
  tcase_add_test (tc,
      test_a_class_that_may_have_been_lost_is_not_taken_to_be_unused);
  tcase_add_loop_test (tc,
      test_a_class_that_never_came_is_unused_despite_losses, 0, 2);
  tcase_add_test (tc,
      test_a_class_of_layers_not_held_is_not_taken_to_be_unused);
  tcase_add_test (tc, test_no_class_is_taken_to_be_unused_right_after_a_rise);
  tcase_add_test (tc,
      test_a_hole_between_two_tables_damages_what_it_may_have_hit);
  tcase_add_test (tc, test_classes_open_anew_when_the_table_changes);

  return s;
}

GST_CHECK_MAIN (gate);
