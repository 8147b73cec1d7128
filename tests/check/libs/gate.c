/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>

#define DEADLINE 1000

typedef struct
{
  LmccGate *gate;
  guint16 osn;
  guint8 anchors[LMCC_MAX_RUNGS];
} Fixture;

static void
fixture_init (Fixture * fixture, LmccOnLoss on_loss, guint n_rungs,
    guint n_classes, gboolean native)
{
  LmccSession session;
  guint i;

  *fixture = (Fixture) {
  lmcc_gate_new (on_loss)};
  lmcc_session_init (&session);
  session.n_rungs = n_rungs;
  session.n_layers = n_rungs * n_classes;
  session.native = native;
  for (i = 0; native && i < session.n_layers; i++)
    session.layers[i] = (LmccLayer) {
    0, (guint8) (i / n_classes), (guint8) (i % n_classes)};
  lmcc_gate_set_session (fixture->gate, &session);
  lmcc_gate_set_level (fixture->gate, (gint) session.n_layers - 1);
}

static void
push_packet (Fixture * fixture, guint rung, guint klass, gboolean switch_point,
    guint32 timestamp, gboolean first, gboolean last)
{
  LmccMergeItem item = {.packet = lmcc_packet_new (0) };

  if (klass == 0 && first)
    fixture->anchors[rung]++;
  item.rtp.timestamp = timestamp;
  item.header = (LmccHeader) {
  .stream = (guint8) rung,.klass = (guint8) klass,.switch_point =
        switch_point,.first = first,.last = last,.anchor =
        fixture->anchors[rung],.osn = fixture->osn++};
  lmcc_gate_push (fixture->gate, &item, DEADLINE);
}

static void
push_unit (Fixture * fixture, guint rung, guint klass, gboolean switch_point,
    guint32 timestamp)
{
  push_packet (fixture, rung, klass, switch_point, timestamp, TRUE, TRUE);
}

/* A class-0 unit that is lost whole. */
static void
lose_unit (Fixture * fixture, guint rung, guint klass)
{
  if (klass == 0)
    fixture->anchors[rung]++;
  fixture->osn++;
}

static void
push_hole (Fixture * fixture, guint layer)
{
  LmccMergeItem item = {.layer = layer,.lost = 1 };

  lmcc_gate_push (fixture->gate, &item, DEADLINE);
}

/* What comes out, as "rung:timestamp", with * for what is marked as corrupted, / at
 * a new segment and ( ) around what only catches up. */
static gchar *
drain (Fixture * fixture)
{
  GString *text = g_string_new (NULL);
  LmccGateOutput output;

  while (lmcc_gate_pop (fixture->gate, &output)) {
    if (text->len > 0)
      g_string_append_c (text, ' ');
    g_string_append_printf (text, "%s%s%u:%u%s%s", output.segment ? "/" : "",
        output.catch_up ? "(" : "", output.header.stream,
        output.rtp.timestamp, output.corrupted ? "*" : "",
        output.catch_up ? ")" : "");
    lmcc_packet_unref (output.packet);
  }

  return g_string_free (text, FALSE);
}

#define assert_drained(fixture, expected) G_STMT_START { \
  g_autofree gchar *_text = drain (fixture); \
  fail_unless_equals_string (_text, expected); \
} G_STMT_END

GST_START_TEST (test_nothing_passes_before_a_key_frame)
{
  Fixture fixture;

  fixture_init (&fixture, LMCC_ON_LOSS_CONCEAL, 1, 1, TRUE);
  push_unit (&fixture, 0, 0, FALSE, 1);
  push_unit (&fixture, 0, 0, TRUE, 2);
  push_unit (&fixture, 0, 0, FALSE, 3);
  assert_drained (&fixture, "0:2 0:3");
  fail_unless_equals_uint64 (lmcc_gate_get_stats
      (fixture.gate)->units_withheld, 1);
  lmcc_gate_free (fixture.gate);
}

GST_END_TEST;

GST_START_TEST (test_a_class_that_was_just_joined_waits_for_its_switch_point)
{
  Fixture fixture;

  fixture_init (&fixture, LMCC_ON_LOSS_CONCEAL, 1, 3, TRUE);
  push_unit (&fixture, 0, 0, TRUE, 0);
  push_unit (&fixture, 0, 0, FALSE, 4);
  /* Class 2 came before any picture of class 1. */
  push_unit (&fixture, 0, 2, TRUE, 1);
  push_unit (&fixture, 0, 1, TRUE, 2);
  push_unit (&fixture, 0, 2, TRUE, 3);
  assert_drained (&fixture, "0:0 0:4 0:2 0:3");
  /* Left and joined again. */
  lmcc_gate_set_level (fixture.gate, 0);
  lmcc_gate_set_level (fixture.gate, 2);
  push_unit (&fixture, 0, 0, FALSE, 8);
  push_unit (&fixture, 0, 2, TRUE, 5);
  push_unit (&fixture, 0, 1, TRUE, 6);
  assert_drained (&fixture, "0:8 0:6");
  lmcc_gate_free (fixture.gate);
}

GST_END_TEST;

GST_START_TEST (test_the_anchor_tells_of_a_lost_unit_of_class_0)
{
  Fixture fixture;

  fixture_init (&fixture, LMCC_ON_LOSS_FREEZE, 1, 2, TRUE);
  push_unit (&fixture, 0, 0, TRUE, 0);
  lose_unit (&fixture, 0, 0);
  push_unit (&fixture, 0, 1, TRUE, 1);
  push_unit (&fixture, 0, 0, FALSE, 4);
  push_unit (&fixture, 0, 0, TRUE, 8);
  push_unit (&fixture, 0, 1, TRUE, 7);
  assert_drained (&fixture, "0:0 0:8 0:7");
  lmcc_gate_free (fixture.gate);
}

GST_END_TEST;

GST_START_TEST (test_conceal_goes_on_with_marks)
{
  Fixture fixture;

  fixture_init (&fixture, LMCC_ON_LOSS_CONCEAL, 1, 2, TRUE);
  push_unit (&fixture, 0, 0, TRUE, 0);
  lose_unit (&fixture, 0, 0);
  push_unit (&fixture, 0, 1, TRUE, 1);
  push_unit (&fixture, 0, 0, FALSE, 4);
  push_unit (&fixture, 0, 0, TRUE, 8);
  assert_drained (&fixture, "0:0 0:1* 0:4* 0:8");
  fail_unless_equals_uint64 (lmcc_gate_get_stats
      (fixture.gate)->units_corrupted, 2);
  lmcc_gate_free (fixture.gate);
}

GST_END_TEST;

GST_START_TEST (test_a_unit_without_its_end_is_not_let_through)
{
  Fixture fixture;

  fixture_init (&fixture, LMCC_ON_LOSS_FREEZE, 1, 1, TRUE);
  push_unit (&fixture, 0, 0, TRUE, 0);
  push_packet (&fixture, 0, 0, FALSE, 1, TRUE, FALSE);
  push_unit (&fixture, 0, 0, FALSE, 2);
  push_packet (&fixture, 0, 0, TRUE, 3, TRUE, FALSE);
  fixture.osn++;
  push_packet (&fixture, 0, 0, TRUE, 3, FALSE, TRUE);
  push_unit (&fixture, 0, 0, FALSE, 4);
  assert_drained (&fixture, "0:0");
  fail_unless_equals_uint64 (lmcc_gate_get_stats
      (fixture.gate)->units_incomplete, 2);
  lmcc_gate_free (fixture.gate);
}

GST_END_TEST;

/* In a layer of one (stream, class) a hole breaks that class; where classes are
 * mixed, every class above 0, and the anchor answers for class 0. */
GST_START_TEST (test_a_hole_breaks_what_its_layer_may_have_carried)
{
  Fixture fixture;

  fixture_init (&fixture, LMCC_ON_LOSS_FREEZE, 1, 3, TRUE);
  push_unit (&fixture, 0, 0, TRUE, 0);
  push_unit (&fixture, 0, 1, TRUE, 2);
  push_hole (&fixture, 2);
  push_unit (&fixture, 0, 2, FALSE, 3);
  push_unit (&fixture, 0, 1, FALSE, 4);
  assert_drained (&fixture, "0:0 0:2 0:4");
  lmcc_gate_free (fixture.gate);

  fixture_init (&fixture, LMCC_ON_LOSS_FREEZE, 1, 3, FALSE);
  push_unit (&fixture, 0, 0, TRUE, 0);
  push_unit (&fixture, 0, 1, TRUE, 2);
  push_hole (&fixture, 2);
  push_unit (&fixture, 0, 1, FALSE, 4);
  push_unit (&fixture, 0, 0, FALSE, 8);
  push_unit (&fixture, 0, 1, TRUE, 6);
  assert_drained (&fixture, "0:0 0:2 0:8 0:6");
  lmcc_gate_free (fixture.gate);
}

GST_END_TEST;

GST_START_TEST (test_the_highest_whole_key_frame_of_a_picture_is_taken)
{
  Fixture fixture;

  fixture_init (&fixture, LMCC_ON_LOSS_FREEZE, 3, 1, TRUE);
  push_unit (&fixture, 0, 0, TRUE, 0);
  assert_drained (&fixture, "");
  push_unit (&fixture, 1, 0, TRUE, 0);
  push_unit (&fixture, 2, 0, TRUE, 0);
  assert_drained (&fixture, "2:0");

  /* The highest lost its key frame: the next lower one's is taken with the next
   * picture. */
  push_unit (&fixture, 0, 0, TRUE, 24);
  push_unit (&fixture, 1, 0, TRUE, 24);
  lose_unit (&fixture, 2, 0);
  push_unit (&fixture, 0, 0, FALSE, 25);
  push_unit (&fixture, 1, 0, FALSE, 25);
  push_unit (&fixture, 2, 0, FALSE, 25);
  assert_drained (&fixture, "1:24 1:25");
  fail_unless_equals_int (lmcc_gate_get_rung (fixture.gate), 1);
  lmcc_gate_free (fixture.gate);
}

GST_END_TEST;

GST_START_TEST (test_a_key_frame_waits_for_a_better_one_only_so_long)
{
  Fixture fixture;

  fixture_init (&fixture, LMCC_ON_LOSS_FREEZE, 2, 1, TRUE);
  fail_unless_equals_uint64 (lmcc_gate_next_timeout (fixture.gate),
      LMCC_TIME_NONE);
  push_unit (&fixture, 0, 0, TRUE, 0);
  fail_unless_equals_uint64 (lmcc_gate_next_timeout (fixture.gate), DEADLINE);
  lmcc_gate_timeout (fixture.gate, DEADLINE - 1);
  assert_drained (&fixture, "");
  lmcc_gate_timeout (fixture.gate, DEADLINE);
  assert_drained (&fixture, "0:0");
  lmcc_gate_free (fixture.gate);
}

GST_END_TEST;

GST_START_TEST (test_down_is_at_once_and_the_decoder_catches_up_unseen)
{
  Fixture fixture;

  fixture_init (&fixture, LMCC_ON_LOSS_CONCEAL, 2, 1, TRUE);
  push_unit (&fixture, 0, 0, TRUE, 0);
  push_unit (&fixture, 1, 0, TRUE, 0);
  push_unit (&fixture, 0, 0, FALSE, 1);
  push_unit (&fixture, 1, 0, FALSE, 1);
  push_unit (&fixture, 0, 0, FALSE, 2);
  assert_drained (&fixture, "1:0 1:1");
  lmcc_gate_set_level (fixture.gate, 0);
  assert_drained (&fixture, "/(0:0) (0:1) 0:2");
  push_unit (&fixture, 0, 0, FALSE, 3);
  assert_drained (&fixture, "0:3");

  /* Up again at the key frame, not before. */
  lmcc_gate_set_level (fixture.gate, 1);
  push_unit (&fixture, 0, 0, FALSE, 4);
  push_unit (&fixture, 1, 0, FALSE, 4);
  assert_drained (&fixture, "0:4");
  push_unit (&fixture, 0, 0, TRUE, 24);
  push_unit (&fixture, 1, 0, TRUE, 24);
  assert_drained (&fixture, "1:24");
  fail_unless_equals_uint64 (lmcc_gate_get_stats (fixture.gate)->rung_changes,
      2);
  lmcc_gate_free (fixture.gate);
}

GST_END_TEST;

GST_START_TEST (test_a_loss_in_the_rung_shown_falls_back_to_the_one_below)
{
  LmccOnLoss on_loss;

  for (on_loss = LMCC_ON_LOSS_CONCEAL; on_loss <= LMCC_ON_LOSS_FREEZE;
      on_loss++) {
    Fixture fixture;

    fixture_init (&fixture, on_loss, 2, 1, TRUE);
    push_unit (&fixture, 0, 0, TRUE, 0);
    push_unit (&fixture, 1, 0, TRUE, 0);
    push_unit (&fixture, 0, 0, FALSE, 1);
    push_packet (&fixture, 1, 0, FALSE, 1, TRUE, FALSE);
    push_unit (&fixture, 0, 0, FALSE, 2);
    push_unit (&fixture, 1, 0, FALSE, 2);
    assert_drained (&fixture, "1:0 /(0:0) 0:1 0:2");
    lmcc_gate_free (fixture.gate);
  }
}

GST_END_TEST;

GST_START_TEST (test_a_rung_is_shown_only_while_all_its_layers_are_held)
{
  Fixture fixture;

  fixture_init (&fixture, LMCC_ON_LOSS_FREEZE, 2, 2, TRUE);
  lmcc_gate_set_level (fixture.gate, 2);
  push_unit (&fixture, 0, 0, TRUE, 0);
  push_unit (&fixture, 1, 0, TRUE, 0);
  push_unit (&fixture, 0, 1, TRUE, 1);
  assert_drained (&fixture, "0:0 0:1");
  lmcc_gate_free (fixture.gate);
}

GST_END_TEST;

GST_START_TEST (test_streams_that_the_session_has_not_are_dropped)
{
  Fixture fixture;

  fixture_init (&fixture, LMCC_ON_LOSS_FREEZE, 1, 1, TRUE);
  push_unit (&fixture, 0, 0, TRUE, 0);
  push_unit (&fixture, 5, 0, TRUE, 1);
  push_unit (&fixture, 0, 0, FALSE, 2);
  assert_drained (&fixture, "0:0 0:2");
  lmcc_gate_free (fixture.gate);
}

GST_END_TEST;

static Suite *
gate_suite (void)
{
  Suite *suite = suite_create ("gate");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_nothing_passes_before_a_key_frame);
  tcase_add_test (tcase,
      test_a_class_that_was_just_joined_waits_for_its_switch_point);
  tcase_add_test (tcase, test_the_anchor_tells_of_a_lost_unit_of_class_0);
  tcase_add_test (tcase, test_conceal_goes_on_with_marks);
  tcase_add_test (tcase, test_a_unit_without_its_end_is_not_let_through);
  tcase_add_test (tcase, test_a_hole_breaks_what_its_layer_may_have_carried);
  tcase_add_test (tcase,
      test_the_highest_whole_key_frame_of_a_picture_is_taken);
  tcase_add_test (tcase,
      test_a_key_frame_waits_for_a_better_one_only_so_long);
  tcase_add_test (tcase,
      test_down_is_at_once_and_the_decoder_catches_up_unseen);
  tcase_add_test (tcase,
      test_a_loss_in_the_rung_shown_falls_back_to_the_one_below);
  tcase_add_test (tcase,
      test_a_rung_is_shown_only_while_all_its_layers_are_held);
  tcase_add_test (tcase, test_streams_that_the_session_has_not_are_dropped);

  return suite;
}

GST_CHECK_MAIN (gate);
