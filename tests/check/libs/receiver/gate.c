/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests a gate with units from the test: which units it outputs, withholds
 * and counts as missed.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/receiver/gate/gate.h>
#include <gst/lmcc/receiver/gate/unit.h>
#include <gst/lmcc/receiver/merge.h>
#include <gst/lmcc/wire/rtp.h>

/* A gate alone: units of one packet each, in decoding order. */
typedef struct
{
  LmccGate *gate;
  LmccSession session;
  guint8 table; /* as announced by the packets */
  guint16 osn;
  guint8 anchors[LMCC_MAX_RUNGS];
} TestGate;

/* Layers of @n_rungs rungs of @n_classes classes each, rungs first; 0: each
 * rung is one layer with all its classes. */
static void
set_table (TestGate *test, guint n_rungs, guint n_classes, guint8 version)
{
  guint layers_of_rung = MAX (n_classes, 1), i;

  test->session.version = version;
  test->session.n_rungs = n_rungs;
  test->session.n_layers = n_rungs * layers_of_rung;
  for (i = 0; i < test->session.n_layers; i++) {
    test->session.layers[i].stream = i / layers_of_rung;
    test->session.layers[i].klass =
        n_classes == 0 ? LMCC_CLASS_MIXED : i % n_classes;
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
  lmcc_gate_set_layers (test->gate,
      lmcc_layer_set_first (test->session.n_layers));

  return test;
}

static void
test_gate_free (TestGate *test)
{
  lmcc_gate_free (test->gate);
  g_free (test);
}

/* A unit of one packet; if it is not @whole, the first packet of two, whose
 * other packet does not arrive. */
static void
push_packet (TestGate *test, guint rung, guint klass, gboolean switch_point,
    guint32 timestamp, gboolean whole)
{
  LmccMergeItem item = { lmcc_packet_new (LMCC_RTP_HEADER_SIZE) };

  item.packet->size = LMCC_RTP_HEADER_SIZE;
  item.rtp.timestamp = timestamp;
  item.header.stream = (guint8) rung;
  item.header.klass = (guint8) klass;
  item.header.switch_point = switch_point;
  item.header.first = TRUE;
  item.header.last = whole;
  item.header.table = test->table;
  item.header.osn = test->osn;
  item.order = test->osn;
  test->osn += whole ? 1 : 2;
  if (klass == 0)
    test->anchors[rung]++;
  item.header.anchor = test->anchors[rung];
  lmcc_gate_push (test->gate, &item, LMCC_SECOND);
}

static void
push (TestGate *test, guint rung, guint klass, gboolean switch_point,
    guint32 timestamp)
{
  push_packet (test, rung, klass, switch_point, timestamp, TRUE);
}

static void
push_part (TestGate *test, guint rung, guint klass, gboolean switch_point,
    guint32 timestamp)
{
  push_packet (test, rung, klass, switch_point, timestamp, FALSE);
}

static void
push_hole (TestGate *test, guint layer, gboolean table_changed)
{
  LmccMergeItem item = { .header.table = test->table,
    .layer = layer,
    .lost = 1,
    .table_changed = table_changed };

  lmcc_gate_push (test->gate, &item, LMCC_SECOND);
}

/* The next output. */
static gchar *
pop_text (TestGate *test)
{
  LmccGateOutput output;

  if (!lmcc_gate_pop (test->gate, &output))
    return g_strdup ("nothing");
  lmcc_packet_unref (output.packet);

  return g_strdup_printf ("rung %u, class %u, %u%s%s", output.header.stream,
      output.header.klass, output.rtp.timestamp,
      output.catch_up ? ", hidden" : "",
      output.unit_end ? "" : ", not the end");
}

typedef enum
{
  END,
  LEVEL,
  TABLE,  /* the packets announce a table with this version */
  RECORD, /* and the session record now has it */
  BEGIN,  /* layer @rung starts at packet @time */
  PUSH,
  HOLE, /* in layer @rung */
  OUT,
  NOTHING, /* the output */
  TIMEOUT, /* is @time */
  TIME,    /* the time is now @time */
} Kind;

typedef struct
{
  Kind kind;
  gint rung;
  guint klass;
  LmccTime time; /* of a unit: its timestamp */
  gboolean switch_point;
  gboolean hidden;
  gboolean goes_on; /* the picture ends after this unit */
  gboolean table_changed;
} Step;

typedef struct
{
  const gchar *name;
  guint n_rungs;
  guint n_classes;
  const gchar *codec;
  guint n_fixed; /* number of layers of fixed rates; 0: native */
  Step steps[26];
} Row;

#define LEVEL(l) .kind = LEVEL, .rung = (l)
#define BEGIN(l, n) .kind = BEGIN, .rung = (l), .time = (n)
#define UNIT(r, k, t) .kind = PUSH, .rung = (r), .klass = (k), .time = (t)
#define SWITCH(r, k, t) UNIT (r, k, t), .switch_point = TRUE
#define HOLE(l) .kind = HOLE, .rung = (l)
#define OUT(r, k, t) .kind = OUT, .rung = (r), .klass = (k), .time = (t)
#define PART(r, k, t) OUT (r, k, t), .goes_on = TRUE
#define TIMEOUT(t) .kind = TIMEOUT, .time = (t)
#define TIME(t) .kind = TIME, .time = (t)

/* A key frame and one unit each of classes 1 and 2 are output. */
#define OPEN_THREE_CLASSES                                          \
  { SWITCH (0, 0, 1) }, { SWITCH (0, 1, 3) }, { SWITCH (0, 2, 2) }, \
      { OUT (0, 0, 1) }, { OUT (0, 1, 3) },                         \
  {                                                                 \
    OUT (0, 2, 2)                                                   \
  }

static const Row rows[] = {
  /* Rung 1's key frame waited for rung 2's when the level fell to rung 0. */
  {"test_a_rung_goes_on_with_its_own_key_frame_when_the_level_falls", 3, 1,
        .steps = {
              {LEVEL (0)}, {SWITCH (0, 0, 1)}, {OUT (0, 0, 1)},
              {LEVEL (2)}, {SWITCH (0, 0, 2)}, {SWITCH (1, 0, 2)}, {NOTHING},
              {LEVEL (0)}, {UNIT (0, 0, 3)}, {OUT (0, 0, 2)}, {OUT (0, 0, 3)},
              {NOTHING},
          }},
  {"test_the_best_key_frame_that_is_still_held_is_given_out", 4, 1,.steps = {
              {SWITCH (0, 0, 1)}, {SWITCH (1, 0, 1)}, {SWITCH (2, 0, 1)},
              {LEVEL (1)}, {OUT (1, 0, 1)}, {NOTHING},
              {UNIT (0, 0, 2)}, {UNIT (1, 0, 2)}, {OUT (1, 0, 2)}, {NOTHING},
          }},
  /* The better key frame arrives when a lower one can wait no longer. */
  {"test_a_picture_that_comes_again_in_a_higher_rung_is_hidden", 2, 1,
        .steps = {
              {SWITCH (0, 0, 1)}, {TIME (LMCC_SECOND)}, {OUT (0, 0, 1)},
              {SWITCH (1, 0, 1)}, {OUT (1, 0, 1),.hidden = TRUE},
              {UNIT (0, 0, 2)}, {UNIT (1, 0, 2)}, {OUT (1, 0, 2)}, {NOTHING},
          }},
  /* No packet of class 2 was lost, but its second unit was withheld. */
  {"test_what_needs_a_withheld_unit_is_withheld", 1, 3,.steps = {
              OPEN_THREE_CLASSES,
              {HOLE (1)}, {UNIT (0, 2, 4)}, {NOTHING},
              {SWITCH (0, 1, 5)}, {OUT (0, 1, 5)},
              {UNIT (0, 2, 6)}, {NOTHING},
              {SWITCH (0, 2, 7)}, {OUT (0, 2, 7)},
          }},
  {"test_the_marker_is_on_the_last_layer_of_a_picture_that_comes", 1, 9,
        "VP9",.steps = {
              {SWITCH (0, 0, 1)}, {NOTHING},
              {SWITCH (0, 3, 1)}, {PART (0, 0, 1)}, {NOTHING},
              {SWITCH (0, 1, 2)}, {OUT (0, 3, 1)}, {NOTHING},
              /* The end is output when it is due. */
              {TIMEOUT (LMCC_SECOND)}, {TIME (LMCC_SECOND - 1)}, {NOTHING},
              {TIME (LMCC_SECOND)}, {OUT (0, 1, 2)}, {TIMEOUT (LMCC_TIME_NONE)},
          }},
  /* S1T0 does not need S0T1, nor S1T1 anything of S0T2. */
  {"test_a_layer_frame_waits_only_for_layers_that_it_needs", 1, 9, "VP9",
        .steps = {
              /* All layers of a key picture, before any S0T1 or S0T2 has
               * arrived. */
              {SWITCH (0, 0, 1)}, {SWITCH (0, 3, 1)}, {SWITCH (0, 6, 1)},
              {SWITCH (0, 1, 2)}, {SWITCH (0, 2, 3)},
              {PART (0, 0, 1)}, {PART (0, 3, 1)},
              {OUT (0, 6, 1)}, {OUT (0, 1, 2)},
              /* S0T2 is lost: the units above it in its picture are useless,
               * the others are not. */
              {HOLE (2)}, {UNIT (0, 5, 4)}, {SWITCH (0, 1, 5)}, {OUT (0, 2, 3)},
              {SWITCH (0, 4, 5)}, {UNIT (0, 0, 6)}, {UNIT (0, 3, 6)},
              {PART (0, 1, 5)}, {OUT (0, 4, 5)},
              {SWITCH (0, 2, 7)}, {PART (0, 0, 6)}, {OUT (0, 3, 6)},
          }},
  /* Layer 1 has sent a part of class 4 before it was joined. A unit of class
   * 5 may need that part, although layer 0 has opened the class since. */
  {"test_a_new_layer_closes_classes_where_it_begins", 1, 9, "VP9", 2,
        .steps = {
              {LEVEL (1)},
              {SWITCH (0, 0, 1)}, {SWITCH (0, 3, 1)},
              {SWITCH (0, 1, 2)}, {SWITCH (0, 4, 2)}, {BEGIN (1, 4)},
              {SWITCH (0, 2, 3)}, {SWITCH (0, 5, 3)}, {SWITCH (0, 1, 4)},
              {PART (0, 0, 1)}, {OUT (0, 3, 1)},
              {PART (0, 1, 2)}, {OUT (0, 4, 2)}, {NOTHING},
              {SWITCH (0, 2, 5)}, {OUT (0, 1, 4)}, {NOTHING},
          }},
  /* The record with the new table is late: it says that there is no class 1. */
  {"test_no_class_is_skipped_while_the_table_is_not_known", 2, 1,.steps = {
              {TABLE}, {SWITCH (0, 0, 1)}, {SWITCH (1, 0, 1)}, {OUT (1, 0, 1)},
              {SWITCH (1, 2, 2)}, {NOTHING},
              {SWITCH (1, 1, 3)}, {SWITCH (1, 2, 4)}, {OUT (1, 1, 3)},
              {OUT (1, 2, 4)},
          }},
  /* In the old table, layer 1 carries class 0 of rung 1; in the new one,
   * class 1 of rung 0. */
  {"test_a_hole_between_two_tables_damages_what_it_may_have_hit: the record "
        "is late", 2, 1,.steps = {
              {LEVEL (0)}, {TABLE}, {LEVEL (5)}, {LEVEL (0)},
              OPEN_THREE_CLASSES,
              {HOLE (1)}, {SWITCH (0, 2, 4)}, {NOTHING},
          }},
  {"test_a_hole_between_two_tables_damages_what_it_may_have_hit: it is there",
        2, 1,.steps = {
              {LEVEL (0)}, {TABLE}, {RECORD}, {LEVEL (5)}, {LEVEL (2)},
              OPEN_THREE_CLASSES,
              {HOLE (3),.table_changed = TRUE}, {SWITCH (0, 2, 4)}, {NOTHING},
          }},
  /* A layer not heard since the table change is not waited for. */
  {"test_classes_open_anew_when_the_table_changes", 1, 3,.steps = {
              OPEN_THREE_CLASSES,
              {TABLE}, {SWITCH (0, 2, 4)}, {NOTHING},
              {SWITCH (0, 1, 5)}, {SWITCH (0, 2, 6)}, {OUT (0, 1, 5)},
              {OUT (0, 2, 6)},
          }},
  /* Its encoder has no class 1. */
  {"test_a_rung_of_one_layer_is_open_from_its_key_frame_on", 1, 0,.steps = {
              {UNIT (0, 2, 1)}, {NOTHING},
              {SWITCH (0, 0, 2)}, {UNIT (0, 2, 3)},
              {OUT (0, 0, 2)}, {OUT (0, 2, 3)},
          }},
  /* The lost packet may belong to class 1 or to class 2. */
  {"test_a_hole_in_a_rung_of_one_layer_damages_its_higher_classes", 1, 0,
        .steps = {
              OPEN_THREE_CLASSES,
              {HOLE (0)}, {SWITCH (0, 2, 4)}, {NOTHING},
              {UNIT (0, 0, 5)}, {OUT (0, 0, 5)},
              {SWITCH (0, 1, 6)}, {SWITCH (0, 2, 7)},
              {OUT (0, 1, 6)}, {OUT (0, 2, 7)},
              {HOLE (0)}, {UNIT (0, 2, 8)}, {NOTHING},
              {SWITCH (0, 0, 9)}, {UNIT (0, 2, 10)},
              {OUT (0, 0, 9)}, {OUT (0, 2, 10)},
          }},
  {"test_a_hole_in_one_rung_does_not_damage_another", 2, 0,.steps = {
              {SWITCH (0, 0, 1)}, {SWITCH (1, 0, 1)}, {OUT (1, 0, 1)},
              {HOLE (0)}, {UNIT (1, 2, 2)}, {OUT (1, 2, 2)},
              {HOLE (1)}, {UNIT (1, 2, 3)}, {NOTHING},
          }},
  {"test_a_rung_of_one_layer_that_was_left_is_closed", 2, 0,.steps = {
              {SWITCH (0, 0, 1)}, {SWITCH (1, 0, 1)}, {UNIT (0, 2, 2)},
              {UNIT (1, 2, 2)}, {OUT (1, 0, 1)}, {OUT (1, 2, 2)},
              {LEVEL (0)}, {OUT (0, 0, 1),.hidden = TRUE},
              {OUT (0, 2, 2),.hidden = TRUE},
              {LEVEL (1)}, {UNIT (1, 2, 3)}, {UNIT (1, 0, 4)}, {NOTHING},
              {SWITCH (1, 0, 5)}, {UNIT (1, 2, 6)}, {OUT (1, 0, 5)},
              {OUT (1, 2, 6)},
          }},
};

static gchar *
check_output (TestGate *test, const Step *step)
{
  g_autofree gchar *expected = step->kind == NOTHING
      ? g_strdup ("nothing")
      : g_strdup_printf ("rung %d, class %u, %u%s%s", step->rung, step->klass,
          (guint) step->time, step->hidden ? ", hidden" : "",
          step->goes_on ? ", not the end" : "");
  g_autofree gchar *out = pop_text (test);

  return g_str_equal (out, expected)
      ? NULL
      : g_strdup_printf ("%s came out, not %s", out, expected);
}

static void
expect (TestGate *test, guint rung, guint klass, guint32 timestamp)
{
  const Step step = { OUT (rung, klass, timestamp) };
  g_autofree gchar *fault = check_output (test, &step);

  fail_unless (fault == NULL, "%s", fault);
}

static void
expect_nothing (TestGate *test)
{
  LmccGateOutput output;

  fail_if (lmcc_gate_pop (test->gate, &output));
}

/* The fault found in a step, or %NULL. */
static gchar *
take (TestGate *test, const Step *step)
{
  switch (step->kind) {
    case LEVEL:
      lmcc_gate_set_layers (test->gate,
          lmcc_layer_set_first ((guint) (step->rung + 1)));
      break;
    case TABLE:
      test->table = 1;
      break;
    case RECORD:
      set_table (test, 2, 3, 1);
      break;
    case BEGIN:
      lmcc_gate_layer_begins (test->gate, step->rung, (guint16) step->time);
      break;
    case PUSH:
      push (test, step->rung, step->klass, step->switch_point,
          (guint32) step->time);
      break;
    case HOLE:
      push_hole (test, step->rung, step->table_changed);
      break;
    case TIME:
      lmcc_gate_timeout (test->gate, step->time);
      break;
    case TIMEOUT:
      return lmcc_gate_next_timeout (test->gate) == step->time
          ? NULL
          : g_strdup_printf ("the timeout is %" G_GUINT64_FORMAT,
              lmcc_gate_next_timeout (test->gate));
    case OUT:
    case NOTHING:
      return check_output (test, step);
    case END:
      break;
  }

  return NULL;
}

static TestGate *
new_gate (const Row *row)
{
  TestGate *test = test_gate_new (row->n_rungs, row->n_classes);

  if (row->codec != NULL)
    g_strlcpy (test->session.video.encoding_name, row->codec,
        LMCC_ENCODING_NAME_SIZE);
  if (row->n_fixed > 0) {
    test->session.native = FALSE;
    test->session.n_layers = row->n_fixed;
  }
  lmcc_gate_set_session (test->gate, &test->session);

  return test;
}

GST_START_TEST (test_what_comes_out)
{
  const Row *row = &rows[__i__];
  TestGate *test = new_gate (row);
  const Step *step;

  for (step = row->steps; step->kind != END; step++) {
    g_autofree gchar *fault = take (test, step);

    fail_unless (fault == NULL, "%s, step %d: %s", row->name,
        (gint) (step - row->steps) + 1, fault);
  }
  test_gate_free (test);
}

GST_END_TEST;

static void
expect_missed (TestGate *test, guint due, guint missed)
{
  const LmccGateStats *stats = lmcc_gate_get_stats (test->gate);

  fail_unless_equals_uint64 (stats->units_due, due);
  fail_unless_equals_uint64 (stats->units_missed, missed);
}

/* Layers of fixed rates: rung 0 is complete, a part of rung 1 is in a higher
 * layer. */
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

/* Not even the lowest rung fits. A loss is still a loss. */
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

/* Native layers: losses of a rung that is not shown do not count. */
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

/* In layers of fixed rates, no table gives the classes. */
GST_START_TEST (test_a_class_that_may_have_been_lost_is_not_taken_to_be_unused)
{
  TestGate *test = test_mixed_gate_new (1);
  guint32 group;

  for (group = 10; group < 50; group += 10) {
    push (test, 0, 0, TRUE, group);
    expect (test, 0, 0, group);
    push (test, 0, 2, TRUE, group + 1);
    expect_nothing (test);
  }
  push (test, 0, 0, TRUE, 50);
  expect (test, 0, 0, 50);
  push (test, 0, 2, TRUE, 51);
  expect (test, 0, 2, 51);
  test_gate_free (test);
}

GST_END_TEST;

/* Each group has a loss. Class 1 has never arrived, or once. */
GST_START_TEST (test_a_class_that_never_came_is_unused_despite_losses)
{
  TestGate *test = test_mixed_gate_new (1);
  guint32 group;

  for (group = 10; group < 60; group += 10) {
    push (test, 0, 0, TRUE, group);
    expect (test, 0, 0, group);
    if (__i__ == 1 && group == 10) {
      push (test, 0, 1, TRUE, group + 1);
      expect (test, 0, 1, group + 1);
    }
    push_hole (test, 0, FALSE);
    push (test, 0, 2, TRUE, group + 2);
    if (__i__ == 0 && group == 50)
      expect (test, 0, 2, group + 2);
    expect_nothing (test);
  }
  test_gate_free (test);
}

GST_END_TEST;

/* One unit of class 2 arrived before any of class 1; then only the base
 * layer was joined, where no group of pictures has either class. */
GST_START_TEST (test_a_class_of_layers_not_held_is_not_taken_to_be_unused)
{
  TestGate *test = test_mixed_gate_new (2);
  guint32 group;

  push (test, 0, 0, TRUE, 1);
  expect (test, 0, 0, 1);
  push (test, 0, 2, TRUE, 2);
  lmcc_gate_set_layers (test->gate, lmcc_layer_set_first (1));
  for (group = 10; group < 60; group += 10) {
    push (test, 0, 0, TRUE, group);
    expect (test, 0, 0, group);
  }
  lmcc_gate_set_layers (test->gate, lmcc_layer_set_first (2));
  push (test, 0, 2, TRUE, 61);
  expect_nothing (test);
  push (test, 0, 0, TRUE, 70);
  push (test, 0, 2, TRUE, 71);
  expect (test, 0, 0, 70);
  expect_nothing (test);
  push (test, 0, 1, TRUE, 72);
  push (test, 0, 2, TRUE, 73);
  expect (test, 0, 1, 72);
  expect (test, 0, 2, 73);
  test_gate_free (test);
}

GST_END_TEST;

/* Class 1 may start while the level is low, and its unit may lie in the part
 * of the new layer that was not waited for. */
GST_START_TEST (test_no_class_is_taken_to_be_unused_right_after_a_rise)
{
  TestGate *test = test_mixed_gate_new (2);
  guint32 group;
  guint rise;

  lmcc_gate_set_layers (test->gate, lmcc_layer_set_first (2));
  for (group = 10; group < 60; group += 10) {
    push (test, 0, 0, TRUE, group);
    push (test, 0, 2, TRUE, group + 1);
    expect (test, 0, 0, group);
  }
  expect (test, 0, 2, 51);
  for (rise = 0; rise < 2; rise++, group += 20) {
    lmcc_gate_set_layers (test->gate, lmcc_layer_set_first (1));
    push (test, 0, 0, TRUE, group);
    expect (test, 0, 0, group);
    lmcc_gate_set_layers (test->gate, lmcc_layer_set_first (2));
    push (test, 0, 2, TRUE, group + 1);
    expect_nothing (test);
    /* From a key frame on, the layer is complete. */
    push (test, 0, 0, TRUE, group + 10);
    push (test, 0, 2, TRUE, group + 11);
    expect (test, 0, 0, group + 10);
    expect (test, 0, 2, group + 11);
  }
  test_gate_free (test);
}

GST_END_TEST;

/* There are fewer groups than classes: the upper layer has several. Missing
 * layers of the rung do not affect class 0. */
GST_START_TEST (test_an_upper_layer_of_several_classes_is_not_the_rung)
{
  TestGate *test = test_gate_new (1, 2);

  test->session.layers[1].klass = LMCC_CLASS_MIXED;
  lmcc_gate_set_session (test->gate, &test->session);
  push (test, 0, 0, TRUE, 1);
  push (test, 0, 1, TRUE, 2);
  expect (test, 0, 0, 1);
  expect (test, 0, 1, 2);
  push_hole (test, 1, FALSE);
  push (test, 0, 1, FALSE, 3);
  expect_nothing (test);
  lmcc_gate_set_layers (test->gate, lmcc_layer_set_first (1));
  lmcc_gate_set_session (test->gate, &test->session);
  push (test, 0, 0, FALSE, 4);
  expect (test, 0, 0, 4);
  test_gate_free (test);
}

GST_END_TEST;

static void
check_distance (guint n, const guint32 *keys, guint32 distance)
{
  TestGate *test = test_gate_new (1, 1);
  guint i;

  for (i = 0; i < n; i++)
    push (test, 0, 0, TRUE, keys[i]);
  fail_unless_equals_int (lmcc_gate_get_keys (test->gate)->distance, distance);
  test_gate_free (test);
}

#define CHECK_DISTANCE(distance, ...)                                     \
  check_distance (sizeof ((guint32[]){ __VA_ARGS__ }) / sizeof (guint32), \
      (const guint32[]){ __VA_ARGS__ }, distance)

GST_START_TEST (test_when_the_next_key_frame_comes_is_known_by_two_distances)
{
  CHECK_DISTANCE (0, 100, 200);
  CHECK_DISTANCE (100, 100, 200, 300);
  CHECK_DISTANCE (103, 100, 200, 303, 406);
  /* Two of them did not arrive. */
  CHECK_DISTANCE (100, 100, 200, 300, 500, 600, 900);
  /* A scene change; the distance is different. */
  CHECK_DISTANCE (0, 100, 200, 300, 330);
  CHECK_DISTANCE (500, 100, 200, 300, 800, 1300);
  CHECK_DISTANCE (200, 100, 200, 300, 500, 700);
}

GST_END_TEST;

/* A key frame ends the history of the previous group, whose pictures may
 * have thousands of packets: a call that frees some of them does not free
 * more than that. */
GST_START_TEST (test_a_history_is_freed_packet_by_packet)
{
  LmccGateHistory history = { G_QUEUE_INIT, 0 };
  LmccDiscard discard = { G_QUEUE_INIT };
  LmccPacket *packets[2000];
  guint i, gone = 0;

  for (i = 0; i < 2; i++) {
    g_autoptr (LmccGateUnit) unit = NULL;
    guint j;

    for (j = 0; j < 1000; j++) {
      LmccMergeItem item = { lmcc_packet_new (LMCC_RTP_HEADER_SIZE) };

      item.header.first = j == 0;
      item.header.osn = (guint16) j;
      item.header.switch_point = i == 0;
      item.header.klass = (guint8) i;
      packets[i * 1000 + j] = lmcc_packet_ref (item.packet);
      if (unit == NULL)
        unit = lmcc_gate_unit_new (&item);
      fail_if (lmcc_gate_unit_add (unit, &item));
    }
    lmcc_gate_history_push (&history, unit, &discard);
  }
  fail_unless_equals_int (history.n_packets, 2000);
  lmcc_gate_history_clear (&history, &discard);
  for (i = 0; i < 2000; i++) {
    guint before = gone, j;

    lmcc_discard_free_some (&discard, 1);
    for (j = gone = 0; j < 2000; j++)
      gone += g_atomic_ref_count_compare (&packets[j]->ref_count, 1);
    fail_unless_equals_int (gone, before + 1);
  }
  fail_if (lmcc_discard_free_some (&discard, 1));
  for (i = 0; i < 2000; i++)
    lmcc_packet_unref (packets[i]);
}

GST_END_TEST;

static Suite *
gate_suite (void)
{
  Suite *s = suite_create ("gate");
  TCase *tc = tcase_create ("gate");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_what_comes_out, 0, G_N_ELEMENTS (rows));
  tcase_add_test (tc, test_what_lies_in_layers_not_held_is_not_missed);
  tcase_add_test (tc, test_a_lost_packet_of_mixed_layers_is_one_unit_missed);
  tcase_add_test (tc, test_only_what_the_level_shows_is_missed);
  tcase_add_test (tc,
      test_a_class_that_may_have_been_lost_is_not_taken_to_be_unused);
  tcase_add_loop_test (tc,
      test_a_class_that_never_came_is_unused_despite_losses, 0, 2);
  tcase_add_test (tc,
      test_a_class_of_layers_not_held_is_not_taken_to_be_unused);
  tcase_add_test (tc, test_no_class_is_taken_to_be_unused_right_after_a_rise);
  tcase_add_test (tc, test_an_upper_layer_of_several_classes_is_not_the_rung);
  tcase_add_test (tc,
      test_when_the_next_key_frame_comes_is_known_by_two_distances);
  tcase_add_test (tc, test_a_history_is_freed_packet_by_packet);

  return s;
}

GST_CHECK_MAIN (gate);
