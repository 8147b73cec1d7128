/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the merging of layers into one order, and how long it waits for
 * missing packets.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/receiver/merge.h>
#include <gst/lmcc/receiver/order.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>

#define DEADLINE (150 * LMCC_MSECOND)
#define LATER (DEADLINE + LMCC_MSECOND)

typedef enum
{
  END,
  PUSH,
  OUT,     /* the output up to the time @at */
  TIMEOUT, /* the next output is due at @at */
  LATE,    /* number of late packets */
  LEVEL,
  LEAVE, /* sets layers above @layer */
  DROP,
} Kind;

/* A step of a row, and the expected output. */
typedef struct
{
  Kind kind;
  gint layer;
  guint16 osn;
  LmccPacketType type;
  guint lost; /* in its layer, before it */
  guint table;
  LmccTime at; /* for a packet: its deadline */
  const gchar *out;
  guint late;
} Step;

typedef struct
{
  const gchar *name;
  Step steps[20];
} Row;

#define PACKET_AT(l, o, t) .kind = PUSH, .layer = (l), .osn = (o), .at = (t)
#define MEDIA(layer, osn) PACKET_AT (layer, osn, DEADLINE)
#define FILLER(layer, osn) MEDIA (layer, osn), .type = LMCC_PACKET_FILLER
#define OUT_AT(t, text) .kind = OUT, .at = (t), .out = (text)
#define OUT(text) OUT_AT (0, text)
#define TIMEOUT(t) .kind = TIMEOUT, .at = (t)
#define LATE(n) .kind = LATE, .late = (n)
#define LEVEL(l) .kind = LEVEL, .layer = (l)
#define LEAVE(l) .kind = LEAVE, .layer = (l)
#define DROP(l) .kind = DROP, .layer = (l)

/* As a receiver does, from earlier packets. */
static void
push_after (LmccMerge *merge, const Step *step, gint64 before)
{
  LmccHeader header = { .type = step->type,
    .layer = (guint8) step->layer,
    .osn = step->osn,
    .table = (guint8) step->table };
  LmccRtp rtp = { 0 };

  lmcc_merge_push (merge, lmcc_packet_new (0), &rtp, &header,
      lmcc_order_near (before, step->osn), step->at, step->lost);
}

static void
push (LmccMerge *merge, const Step *step)
{
  push_after (merge, step, 0);
}

static void
push_media (LmccMerge *merge, guint layer, guint16 osn)
{
  push (merge, &(Step){ MEDIA (layer, osn) });
}

/* Writes the output as "osn", "layer!" for holes, and "layer." for the end
 * of one. */
static gchar *
drain (LmccMerge *merge, LmccTime now)
{
  GString *text = g_string_new (NULL);
  LmccMergeItem item;

  while (lmcc_merge_pop (merge, now, &item)) {
    if (text->len > 0)
      g_string_append_c (text, ' ');
    if (item.packet == NULL) {
      g_string_append_printf (text, "%u%c", item.layer, item.ended ? '.' : '!');
    } else {
      g_string_append_printf (text, "%u", item.header.osn);
      lmcc_packet_unref (item.packet);
    }
  }

  return g_string_free (text, FALSE);
}

/* The fault found in a step, or %NULL. */
static gchar *
take (LmccMerge *merge, const Step *step)
{
  g_autofree gchar *out = NULL;

  switch (step->kind) {
    case PUSH:
      push (merge, step);
      return NULL;
    case LEAVE:
      lmcc_merge_leave_layers (merge,
          lmcc_layer_set_first ((guint) (step->layer + 1)));
      return NULL;
    case DROP:
      lmcc_merge_drop_layers (merge,
          lmcc_layer_set_first ((guint) (step->layer + 1)));
      return NULL;
    case OUT:
      out = drain (merge, step->at);
      return g_str_equal (out, step->out)
          ? NULL
          : g_strdup_printf ("\"%s\" came, not \"%s\"", out, step->out);
    case TIMEOUT:
      return lmcc_merge_next_timeout (merge) == step->at
          ? NULL
          : g_strdup_printf ("the timeout is %" G_GUINT64_FORMAT,
              lmcc_merge_next_timeout (merge));
    case LATE:
      return lmcc_merge_get_late (merge) == step->late
          ? NULL
          : g_strdup_printf ("%" G_GUINT64_FORMAT " came late",
              lmcc_merge_get_late (merge));
    case LEVEL:
      return lmcc_merge_get_highest (merge, G_MAXUINT64) == step->layer
          ? NULL
          : g_strdup_printf ("the level is %d",
              lmcc_merge_get_highest (merge, G_MAXUINT64));
    case END:
      break;
  }

  return NULL;
}

static const Row rows[] = {
  { "test_layers_come_out_in_order_as_soon_as_all_have_passed",
      {
          { MEDIA (0, 10) },
          { MEDIA (1, 12) },
          { MEDIA (0, 11) },
          { OUT ("10 11") },
          { MEDIA (0, 14) },
          { OUT ("12") },
          { MEDIA (1, 13) },
          { OUT ("13") },
          { MEDIA (1, 15) },
          { OUT ("14") },
      } },
  { "test_a_filler_packet_says_that_its_layer_has_passed",
      {
          { MEDIA (1, 5) },
          { MEDIA (0, 6) },
          { OUT ("5") },
          { FILLER (1, 6) },
          { OUT ("") },
          { FILLER (1, 7) },
          { OUT ("6") },
      } },
  { "test_a_silent_layer_holds_packets_up_to_their_deadline",
      {
          { MEDIA (1, 1) },
          { PACKET_AT (0, 2, 500) },
          { PACKET_AT (0, 3, 600) },
          { OUT ("1") },
          { TIMEOUT (500) },
          { OUT_AT (499, "") },
          { OUT_AT (500, "2") },
          { TIMEOUT (600) },
          { OUT_AT (1000, "3") },
          { TIMEOUT (LMCC_TIME_NONE) },
      } },
  { "test_what_is_overtaken_leaves_a_hole_and_is_dropped_when_it_comes",
      {
          { MEDIA (1, 1) },
          { PACKET_AT (0, 3, 0) },
          { OUT ("1 1! 3") },
          { MEDIA (1, 2) },
          { LATE (1) },
          { MEDIA (1, 4) },
          { MEDIA (0, 5) },
          { OUT ("4") },
      } },
  { "test_a_dropped_layer_is_waited_for_no_longer",
      {
          { MEDIA (0, 1) },
          { MEDIA (1, 2) },
          { MEDIA (2, 3) },
          { MEDIA (0, 4) },
          { OUT ("1 2") },
          { DROP (0) },
          { OUT ("4") },
      } },
  { "test_what_has_come_of_a_layer_that_was_left_comes_out",
      {
          { LEVEL (-1) },
          { MEDIA (0, 1) },
          { MEDIA (1, 2) },
          { MEDIA (2, 3) },
          { MEDIA (2, 5) },
          { OUT ("1") },
          { LEAVE (0) },
          { LEVEL (2) },
          { OUT ("") },
          { MEDIA (0, 4) },
          { OUT ("2 3 4") },
          { LEVEL (2) },
          { MEDIA (0, 6) },
          { OUT ("5 6") },
          { LEVEL (-1) },
          { MEDIA (0, 7) },
          { OUT ("7") },
      } },
  { "layers that are left at one time end at different places",
      {
          { MEDIA (0, 1) },
          { MEDIA (1, 2) },
          { MEDIA (2, 3) },
          { MEDIA (2, 5) },
          { MEDIA (2, 7) },
          { OUT ("1") },
          { LEAVE (0) },
          { MEDIA (0, 4) },
          { MEDIA (0, 6) },
          { OUT ("2 3 4 5 6") },
          { MEDIA (0, 8) },
          { OUT ("7 8") },
      } },
  { "where numbers are missing, the layers that have ended may have had them",
      {
          { MEDIA (0, 1) },
          { MEDIA (1, 2) },
          { MEDIA (2, 3) },
          { MEDIA (2, 5) },
          { OUT ("1") },
          { LEAVE (0) },
          { MEDIA (0, 6) },
          { OUT ("2 3 1. 5 6") },
          { MEDIA (0, 8) },
          { OUT ("1. 2. 8") },
          { DROP (0) },
          { MEDIA (0, 10) },
          { OUT ("10") },
      } },
  /* A hole appears where a number is really missing, not before packets that
   * are known to precede it: layers 0, 1, 2 are P, B and b pictures; the
   * second B is lost. */
  { "test_a_hole_comes_where_the_order_has_its_gap",
      {
          { MEDIA (0, 0) },
          { MEDIA (1, 1) },
          { MEDIA (2, 2) },
          { MEDIA (2, 3) },
          { MEDIA (0, 4) },
          { MEDIA (2, 6) },
          { MEDIA (0, 8) },
          { OUT ("0 1") },
          { MEDIA (1, 9), .lost = 1 },
          { OUT ("2 3 4 1! 6") },
      } },
  { "test_a_loss_at_a_table_change_leaves_its_hole",
      {
          { MEDIA (0, 0) },
          { MEDIA (1, 1) },
          { OUT ("0") },
          { MEDIA (0, 2), .table = 1 },
          { MEDIA (1, 4), .table = 1, .lost = 1 },
          { MEDIA (0, 5), .table = 1 },
          { OUT_AT (DEADLINE, "1 2 1! 4 5") },
      } },
  /* After a table change, a layer is not waited for until it is heard. */
  { "test_packets_that_come_late_after_a_table_change_leave_a_hole",
      {
          { MEDIA (0, 0) },
          { MEDIA (1, 1) },
          { MEDIA (0, 3), .table = 1 },
          { OUT ("0 1 3") },
          { MEDIA (1, 2), .table = 1 },
          { MEDIA (1, 4), .table = 1 },
          { MEDIA (0, 5), .table = 1 },
          { OUT ("1! 4") },
          { LATE (1) },
      } },
  /* Layer 2's packet left before the table changed, and arrives after the
   * first one of the new table. */
  { "test_an_overtaken_packet_does_not_bring_its_table_back",
      {
          { MEDIA (0, 0) },
          { PACKET_AT (0, 3, LATER), .table = 1 },
          { PACKET_AT (1, 4, LATER), .table = 1 },
          { MEDIA (2, 2) },
          { OUT ("0 2 3") },
          { PACKET_AT (0, 6, LATER), .table = 1 },
          { OUT ("4") },
          { PACKET_AT (1, 5, LATER), .table = 1 },
          { PACKET_AT (1, 7, LATER), .table = 1 },
          { OUT ("5 6") },
      } },
  /* By then, the overtaken packet has left its hole. */
  { "test_what_is_overtaken_leaves_one_hole_only",
      {
          { MEDIA (0, 0) },
          { MEDIA (1, 1) },
          { MEDIA (0, 4) },
          { OUT_AT (DEADLINE, "0 1 1! 4") },
          { MEDIA (1, 2) },
          { MEDIA (1, 3) },
          { MEDIA (1, 5) },
          { MEDIA (0, 6) },
          { OUT ("5") },
      } },
  { "test_a_lost_filler_leaves_no_hole",
      {
          { MEDIA (0, 0) },
          { MEDIA (1, 1) },
          { MEDIA (0, 2) },
          { MEDIA (1, 3), .lost = 1 },
          { MEDIA (0, 4) },
          { MEDIA (1, 5) },
          { OUT ("0 1 2 3 4") },
      } },
  /* Numbers 2 to 5 belong to a layer that is not joined; if the joined layer
   * continues directly, it cannot have lost media. */
  { "test_filler_lost_in_a_gap_leaves_no_hole",
      {
          { MEDIA (0, 1) },
          { FILLER (1, 3) },
          { FILLER (1, 3), .lost = 2 },
          { MEDIA (0, 6) },
          { FILLER (1, 7) },
          { OUT ("1 6") },
      } },
  { "test_layers_not_held_leave_gaps_but_no_holes",
      {
          { MEDIA (0, 0) },
          { MEDIA (0, 7) },
          { MEDIA (0, 9) },
          { OUT ("0 7 9") },
      } },
};

GST_START_TEST (test_what_comes_out)
{
  g_autoptr (LmccMerge) merge = lmcc_merge_new ();
  const Row *row = &rows[__i__];
  const Step *step;

  for (step = row->steps; step->kind != END; step++) {
    g_autofree gchar *fault = take (merge, step);

    fail_unless (fault == NULL, "%s, step %d: %s", row->name,
        (gint) (step - row->steps) + 1, fault);
  }
}

GST_END_TEST;

GST_START_TEST (test_a_hole_tells_the_table_and_that_it_changed)
{
  static const Step steps[] = {
    { MEDIA (0, 0) },
    { MEDIA (0, 2), .lost = 1 },
    { MEDIA (0, 4), .table = 1, .lost = 1 },
    { MEDIA (0, 6), .table = 1, .lost = 1 },
  };
  g_autoptr (LmccMerge) merge = lmcc_merge_new ();
  LmccMergeItem item;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (steps); i++)
    push (merge, &steps[i]);
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

GST_START_TEST (test_the_order_goes_on_over_its_wrap)
{
  g_autoptr (LmccMerge) merge = lmcc_merge_new ();
  guint i;

  for (i = 65000; i < 65000 + 70000; i++) {
    g_autofree gchar *expected = g_strdup_printf ("%u", (i - 2) & 0xffff);
    g_autofree gchar *out = NULL;

    push_after (merge, &(Step){ MEDIA (i % 3, (guint16) i) }, i);
    if (i < 65002)
      continue;
    out = drain (merge, 0);
    fail_unless_equals_string (out, expected);
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
    push_after (merge, &(Step){ MEDIA (0, (guint16) i) }, i);
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
  tcase_add_loop_test (tcase, test_what_comes_out, 0, G_N_ELEMENTS (rows));
  tcase_add_test (tcase, test_a_hole_tells_the_table_and_that_it_changed);
  tcase_add_test (tcase, test_the_order_goes_on_over_its_wrap);
  tcase_add_test (tcase, test_a_flood_on_one_layer_is_bounded);

  return suite;
}

GST_CHECK_MAIN (merge);
