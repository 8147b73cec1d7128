/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the receiver's slot clock: which slots end when, with which signal and
 * losses.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/slots/slot-clock.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/measure/loss.h>
#include <gst/lmcc/wire/layer-header.h>

#define SLOT (500 * LMCC_MSECOND)
#define START (7 * LMCC_SECOND)
#define MODULUS 60

static void
push_as (LmccSlotClock *clock, LmccTime at, guint layer, guint64 slot,
    gint signal, guint lsn, gboolean burst)
{
  LmccHeader header = {
    .layer = (guint8) layer,
    .slot = (guint16) (slot % MODULUS),
    .signal = (gint8) signal,
    .lsn = (guint16) lsn,
    .burst = burst,
  };

  lmcc_slot_clock_packet (clock, at, &header);
}

/* A packet at @at. */
static void
push (LmccSlotClock *clock, LmccTime at, guint layer, guint64 slot, gint signal,
    guint lsn)
{
  push_as (clock, at, layer, slot, signal, lsn, FALSE);
}

static LmccSlotClock *
new_clock (LmccTime settle_time, gint level)
{
  LmccSlotClock *clock = lmcc_slot_clock_new (MODULUS, SLOT, settle_time);

  lmcc_slot_clock_set_level (clock, level);

  return clock;
}

static guint
count_ends (LmccSlotClock *clock)
{
  LmccSlotEnd end;
  guint n = 0;

  while (lmcc_slot_clock_poll (clock, &end))
    n++;

  return n;
}

/* One packet of the base layer. */
static LmccSlotLoss
lose (LmccSlotClock *clock, guint16 lsn, LmccTime time)
{
  LmccLoss loss = lmcc_loss_at (time, 1);

  loss.lsn = lsn;
  return lmcc_slot_clock_loss (clock, 0, &loss);
}

typedef enum
{
  STOP,
  PUSH,
  LOSE,     /* loss of the base layer's packet @lsn, at @at */
  TIME,     /* time passes until @at */
  TIMEOUT,  /* the next timeout is @at */
  ENDS,     /* skip the slots that have ended */
  SLOT_END, /* a slot has ended, as in @text */
  NO_END,   /* no slot has ended */
  IGNORED,  /* @lsn packets were ignored */
} Kind;

typedef struct
{
  Kind kind;
  LmccTime at; /* since START */
  guint layer;
  guint slot;
  gint signal;
  guint lsn;
  gboolean burst;
  const gchar *text; /* expected result */
} Step;

typedef struct
{
  const gchar *name;
  LmccTime settle_time;
  gint level;
  LmccTime lead;
  Step steps[20];
} Row;

#define MS LMCC_MSECOND
#define PUSH(t, l, s, mark, n)                                          \
  .kind = PUSH, .at = (t), .layer = (l), .slot = (s), .signal = (mark), \
  .lsn = (n)
#define BURST(t, l, s, mark, n) PUSH (t, l, s, mark, n), .burst = TRUE
#define LOSE(n, t, what) .kind = LOSE, .lsn = (n), .at = (t), .text = (what)
#define TIME(t) .kind = TIME, .at = (t)
#define TIMEOUT(t) .kind = TIMEOUT, .at = (t)
#define SLOT_END(what) .kind = SLOT_END, .text = (what)
#define IGNORED(n) .kind = IGNORED, .lsn = (n)

static const Row rows[] = {
  {"test_a_loss_belongs_to_its_slot_also_when_it_shows_in_the_next",.steps = {
              {PUSH (0, 0, 1, 0, 0)}, {PUSH (SLOT, 0, 2, 0, 1)},
              {SLOT_END ("slot 1, signal 0, part")},
              {PUSH (SLOT + SLOT / 4, 0, 2, 0, 2)},
              /* 3 and 4 are missing, between that time and the middle of
               * slot 3. */
              {PUSH (2 * SLOT, 0, 3, 0, 5)},
              {SLOT_END ("slot 2, signal 0, 2 missing")},
              {LOSE (3, SLOT + SLOT / 2, "slot 2, signal 0, late")},
              {PUSH (3 * SLOT - 1, 0, 3, 0, 6)},
              {LOSE (4, 2 * SLOT - 1, "slot 2, signal 0, late")},
              /* Slot 3 has no loss. */
              {PUSH (3 * SLOT, 0, 4, 0, 7)}, {SLOT_END ("slot 3, signal 0")},
          }},
  {"test_an_end_that_settles_waits_for_each_held_layer", 100 * MS, 1,.steps = {
              {PUSH (0, 0, 1, 1, 0)}, {PUSH (0, 1, 1, 1, 0)}, {PUSH (SLOT, 0, 2,
                      1, 1)},
              {NO_END},
              /* Layer 1 shows a gap now. */
              {PUSH (SLOT + 10 * MS, 1, 2, 1, 3)},
              {SLOT_END ("slot 1, signal 1, part, 2 missing")},
              /* Layer 1 is silent: the end is reported all the same. */
              {PUSH (2 * SLOT, 0, 3, 1, 2)}, {NO_END},
              {TIMEOUT (2 * SLOT + 100 * MS)},
              {TIME (2 * SLOT + 100 * MS)},
              {SLOT_END ("slot 2, signal 1, 2 missing")},
          }},
  {"test_a_reordered_packet_is_not_missing",.steps = {
              {PUSH (0, 0, 1, 0, 0)}, {PUSH (SLOT, 0, 2, 0, 1)}, {ENDS},
              {PUSH (SLOT + 1, 0, 2, 0, 3)}, {PUSH (SLOT + 2, 0, 2, 0, 2)},
              {PUSH (2 * SLOT, 0, 3, 0, 4)}, {SLOT_END ("slot 2, signal 0")},
          }},
  {"test_a_burst_loses_what_is_missing_in_it_and_at_its_end",.steps = {
              {PUSH (0, 0, 1, 0, 0)},
              /* 1 is lost before the burst. */
              {BURST (100, 0, 1, 0, 2)}, {LOSE (1, 50, "slot 1, signal 0")},
              /* 3 is lost in it. */
              {BURST (200, 0, 1, 0, 4)}, {LOSE (3, 150,
                      "slot 1, signal 0, burst")},
              /* 5 is the burst's last packet; then silence follows. */
              {PUSH (SLOT, 0, 2, 0, 6)},
              {LOSE (5, SLOT / 2, "slot 1, signal 0, late, burst")},
              /* 7 is lost between packets outside the burst. */
              {PUSH (SLOT + 100, 0, 2, 0, 8)}, {LOSE (7, SLOT + 50,
                      "slot 2, signal 0")},
          }},
  {"test_a_slot_without_the_base_is_silent",.level = 1,.steps = {
              {PUSH (0, 0, 1, 0, 0)}, {PUSH (0, 1, 1, 0, 0)},
              {PUSH (SLOT, 1, 2, 0, 1)}, {SLOT_END ("slot 1, signal 0, part")},
              {PUSH (2 * SLOT, 0, 3, 0, 1)},
              {SLOT_END ("slot 2, nobody, silent")},
          }},
  {"test_only_the_base_gives_marks_and_the_lowest_one_holds",.level = 1,
        .steps = {
              {PUSH (0, 0, 1, 0, 0)}, {PUSH (SLOT, 0, 2, 3, 1)}, {ENDS},
              {PUSH (SLOT + 1, 1, 2, 60, 1)}, {PUSH (SLOT + 2, 0, 2, 60, 2)},
              {PUSH (SLOT + 3, 0, 2, 2, 3)}, {PUSH (2 * SLOT, 0, 3, 60, 4)},
              {SLOT_END ("slot 2, signal 2")},
          }},
  {"test_one_forged_jump_lets_nobody_up_and_the_next_slot_is_as_ever",
        .level = 1,.steps = {
              {PUSH (0, 0, 1, 0, 0)}, {PUSH (SLOT, 0, 2, 0, 1)}, {ENDS},
              {PUSH (SLOT + 1, 0, 20, 60, 2)}, {PUSH (SLOT + 2, 0, 50, 60, 3)},
              {PUSH (SLOT + 3, 1, 4, 60, 0)}, {NO_END}, {IGNORED (3)},
              {PUSH (2 * SLOT, 0, 3, 0, 4)}, {SLOT_END ("slot 2, nobody")},
              {NO_END},
              {PUSH (3 * SLOT, 0, 4, 0, 5)}, {SLOT_END ("slot 3, signal 0")},
          }},
  /* A base layer with few packets sends its only one when it is too late to
   * join. */
  {"test_a_slot_is_told_ahead_before_its_base_comes",.level = 1,.lead =
        SLOT / 4,.steps = {
              {PUSH (0, 0, 1, 3, 0)}, {PUSH (SLOT, 1, 2, 3, 0)}, {ENDS},
              {TIME (2 * SLOT - SLOT / 4)}, {SLOT_END ("slot 2, signal 3")},
              {PUSH (2 * SLOT - 1, 0, 2, 3, 1)}, {PUSH (2 * SLOT, 1, 3, 3, 1)},
              {NO_END},
              /* No packet arrives: the slot is reported again; the next one
               * is not reported in advance. */
              {TIME (3 * SLOT - SLOT / 4)}, {SLOT_END ("slot 3, signal 3")},
              {PUSH (3 * SLOT, 0, 4, 3, 2)},
              {SLOT_END ("slot 3, nobody, silent")},
          }},
  /* They do not raise it. */
  {"test_packets_of_other_layers_limit_the_signal", 1,.steps = {
              {PUSH (0, 0, 1, 3, 0)}, {PUSH (1, 1, 1, 3, 0)},
              {PUSH (SLOT, 0, 2, 3, 1)}, {PUSH (SLOT + 1, 1, 2, 0, 1)},
              {PUSH (2 * SLOT, 0, 3, 2, 2)}, {PUSH (2 * SLOT + 1, 1, 3, 4, 2)},
              {PUSH (3 * SLOT, 0, 4, 2, 3)},
              {SLOT_END ("slot 1, signal 3, part")},
              {SLOT_END ("slot 2, signal 0")},
              {SLOT_END ("slot 3, signal 2")},
          }},
};

static gchar *
describe (guint64 index, gint signal, const gchar *rest)
{
  return signal == LMCC_SIGNAL_NOBODY
      ? g_strdup_printf ("slot %u, nobody%s", (guint) (index % MODULUS), rest)
      : g_strdup_printf ("slot %u, signal %d%s", (guint) (index % MODULUS),
          signal, rest);
}

static gchar *
describe_end (LmccSlotClock *clock)
{
  g_autofree gchar *missing = NULL, *losses = NULL, *rest = NULL;
  LmccSlotEnd end;

  if (!lmcc_slot_clock_poll (clock, &end))
    return g_strdup ("none");
  missing = g_strdup_printf (", %u missing", (guint) end.missing);
  losses = g_strdup_printf (", %u lost", (guint) end.losses);
  rest = g_strconcat (end.whole ? "" : ", part", end.silent ? ", silent" : "",
      end.missing > 0 ? missing : "", end.losses > 0 ? losses : "", NULL);

  return describe (end.index, end.signal, rest);
}

static gchar *
describe_loss (LmccSlotClock *clock, const Step *step)
{
  LmccSlotLoss loss = lose (clock, (guint16) step->lsn, START + step->at);
  g_autofree gchar *rest = g_strconcat (loss.late ? ", late" : "",
      loss.burst ? ", burst" : "", NULL);

  return describe (loss.index, loss.signal, rest);
}

/* The actual and the expected result of a step; %NULL without a result. */
static gchar *
take (LmccSlotClock *clock, const Step *step, gchar **expected)
{
  *expected = g_strdup (step->text);
  switch (step->kind) {
    case PUSH:
      push_as (clock, START + step->at, step->layer, step->slot, step->signal,
          step->lsn, step->burst);
      return NULL;
    case TIME:
      lmcc_slot_clock_timeout (clock, START + step->at);
      return NULL;
    case ENDS:
      count_ends (clock);
      return NULL;
    case LOSE:
      return describe_loss (clock, step);
    case SLOT_END:
      return describe_end (clock);
    case NO_END:
      *expected = g_strdup ("none");
      return describe_end (clock);
    case TIMEOUT:
      *expected = g_strdup_printf ("%" G_GUINT64_FORMAT, START + step->at);
      return g_strdup_printf ("%" G_GUINT64_FORMAT,
          lmcc_slot_clock_next_timeout (clock));
    case IGNORED:
      *expected = g_strdup_printf ("%u ignored", step->lsn);
      return g_strdup_printf ("%u ignored",
          (guint) lmcc_slot_clock_get_ignored (clock));
    case STOP:
      break;
  }

  return NULL;
}

GST_START_TEST (test_reported_slots_and_losses)
{
  const Row *row = &rows[__i__];
  g_autoptr (LmccSlotClock) clock = new_clock (row->settle_time, row->level);
  const Step *step;

  if (row->lead > 0)
    lmcc_slot_clock_set_lead (clock, row->lead);
  for (step = row->steps; step->kind != STOP; step++) {
    g_autofree gchar *expected = NULL;
    g_autofree gchar *told = take (clock, step, &expected);

    fail_unless (told == NULL || g_str_equal (told, expected),
        "%s, step %d: %s, not %s", row->name, (gint) (step - row->steps) + 1,
        told, expected);
  }
}

GST_END_TEST;

GST_START_TEST (test_a_slot_ends_with_the_first_packet_of_the_next_over_wraps)
{
  g_autoptr (LmccSlotClock) clock = new_clock (0, 0);
  guint64 origin = 0;
  LmccSlotEnd end;
  guint slot;

  for (slot = 0; slot < 3 * MODULUS; slot++) {
    LmccTime begin = START + slot * SLOT;

    push (clock, begin, 0, slot + 55, (gint) slot % 5 - 1, 2 * slot);
    if (slot == 0) {
      fail_if (lmcc_slot_clock_poll (clock, &end));
    } else {
      fail_unless (lmcc_slot_clock_poll (clock, &end));
      if (slot == 1)
        origin = end.index;
      fail_unless_equals_uint64 (end.index, origin + slot - 1);
      fail_unless_equals_uint64 (end.index % MODULUS, (slot + 54) % MODULUS);
      fail_unless_equals_uint64 (end.begin, begin - SLOT);
      fail_unless_equals_uint64 (end.end, begin);
      fail_unless_equals_int (end.signal, (gint) (slot - 1) % 5 - 1);
      /* The first slot was in progress when it was first heard. */
      fail_unless_equals_int (end.whole, slot > 1);
      fail_unless_equals_int (lmcc_slot_end_is_clean (&end), slot > 1);
    }
    push (clock, begin + SLOT / 2, 0, slot + 55, (gint) slot % 5 - 1,
        2 * slot + 1);
    fail_if (lmcc_slot_clock_poll (clock, &end));
  }
}

GST_END_TEST;

GST_START_TEST (test_silence_ends_slots_by_itself)
{
  g_autoptr (LmccSlotClock) clock = new_clock (0, 0);
  LmccSlotEnd end;
  guint64 index = 0;
  guint i;

  push (clock, START, 0, 1, 0, 0);
  push (clock, START + SLOT, 0, 2, 0, 1);
  count_ends (clock);
  for (i = 0; i < 4; i++) {
    LmccTime next = lmcc_slot_clock_next_timeout (clock);

    fail_unless_equals_uint64 (next, START + (3 + i) * SLOT);
    lmcc_slot_clock_timeout (clock, next - 1);
    fail_if (lmcc_slot_clock_poll (clock, &end));
    lmcc_slot_clock_timeout (clock, next);
    fail_unless (lmcc_slot_clock_poll (clock, &end));
    fail_unless_equals_int (end.silent, i > 0);
    fail_if (end.whole);
    fail_unless (i == 0 || end.index == index + 1);
    index = end.index;
  }
  /* The sender comes back at the expected position: one slot has passed. */
  push (clock, START + 7 * SLOT, 0, 8, 0, 2);
  fail_unless (lmcc_slot_clock_poll (clock, &end));
  fail_unless (end.silent);
  push (clock, START + 8 * SLOT, 0, 9, 0, 3);
  while (lmcc_slot_clock_poll (clock, &end))
    ;
  fail_unless_equals_uint64 (end.index % MODULUS, 8);
  fail_if (end.silent);
}

GST_END_TEST;

/* A forger counts as fast as it sends: the slots pass no faster than their
 * length says, except for two. */
GST_START_TEST (test_forged_slots_do_not_pass_faster_than_time)
{
  g_autoptr (LmccSlotClock) clock = new_clock (0, 0);
  guint n = 0, slot = 1, i;

  push (clock, START, 0, slot, 0, 0);
  for (i = 1; i <= 20000; i++) {
    push (clock, START + i * LMCC_MSECOND, 0, slot + 1, 60, i);
    if (count_ends (clock) > 0) {
      slot++;
      n++;
    }
  }
  fail_unless (n >= 40 && n <= 42 + 1, "%u slots in 40", n);
  fail_unless (lmcc_slot_clock_get_ignored (clock) > 10000);
}

GST_END_TEST;

GST_START_TEST (test_a_new_count_is_believed_when_the_old_one_is_heard_no_more)
{
  g_autoptr (LmccSlotClock) clock = new_clock (0, 0);
  LmccTime at = START;
  LmccSlotEnd end;
  guint i;

  push (clock, at, 0, 1, 0, 0);
  for (i = 0; i < 12; i++) {
    at = START + (i + 1) * SLOT;
    lmcc_slot_clock_timeout (clock, at);
    push (clock, at, 0, 40 + i, 0, 1 + i);
  }
  fail_unless (count_ends (clock) > 0);
  push (clock, at + SLOT, 0, 52, 0, 13);
  fail_unless (lmcc_slot_clock_poll (clock, &end));
  fail_unless_equals_uint64 (end.index % MODULUS, 51);
  fail_unless (lmcc_slot_end_is_clean (&end));
}

GST_END_TEST;

/* A slot reported in advance may have started with a forged packet, with no
 * other packet received: the previous slot says which levels may go up. */
GST_START_TEST (test_a_slot_told_ahead_has_the_signal_of_the_one_before)
{
  const LmccTime lead = SLOT / 2;
  g_autoptr (LmccSlotClock) clock = new_clock (0, 0);
  LmccSlotEnd end;
  guint slot;

  lmcc_slot_clock_set_lead (clock, lead);
  for (slot = 0; slot < 20; slot++) {
    LmccTime begin = START + slot * SLOT;

    push (clock, begin, 0, slot, (gint) slot % 5, 2 * slot);
    lmcc_slot_clock_timeout (clock, begin + SLOT - lead);
    fail_unless (lmcc_slot_clock_poll (clock, &end));
    fail_unless_equals_int (end.index % MODULUS, slot);
    fail_unless_equals_int (end.signal,
        slot == 0        ? LMCC_SIGNAL_NOBODY
            : slot == 14 ? 1
                         : (gint) (slot - 1) % 5);
    /* The last packet of slot 13 allows less. */
    push (clock, begin + SLOT - 1, 0, slot, slot == 13 ? 1 : (gint) slot % 5,
        2 * slot + 1);
    fail_if (lmcc_slot_clock_poll (clock, &end));
  }
}

GST_END_TEST;

/* A slot's first packet waits for its turn: up to 160 ms here, and for no
 * time in one of sixteen slots. */
GST_START_TEST (test_waits_of_first_packets_do_not_move_the_expected_end)
{
  const LmccTime lead = 50 * LMCC_MSECOND;
  g_autoptr (LmccSlotClock) clock = new_clock (0, 0);
  LmccSlotEnd end;
  guint slot;

  lmcc_slot_clock_set_lead (clock, lead);
  for (slot = 0; slot < 600; slot++) {
    LmccTime begin = START + slot * SLOT;
    LmccTime wait = slot * 7 % 16 * 10 * LMCC_MSECOND;

    push (clock, begin + wait, 0, slot, 0, slot);
    lmcc_slot_clock_timeout (clock, begin + SLOT - lead - 1);
    fail_if (lmcc_slot_clock_poll (clock, &end), "slot %u told early", slot);
    lmcc_slot_clock_timeout (clock, begin + SLOT - lead);
    fail_unless (lmcc_slot_clock_poll (clock, &end), "slot %u told late", slot);
  }
}

GST_END_TEST;

/* A path that has become 100 ms longer is accepted when the slots with the
 * short path are forgotten. */
GST_START_TEST (test_a_longer_way_moves_the_expected_end_within_64_slots)
{
  const LmccTime lead = 50 * LMCC_MSECOND;
  const LmccTime longer = 100 * LMCC_MSECOND;
  g_autoptr (LmccSlotClock) clock = new_clock (0, 0);
  LmccTime begin = START;
  LmccSlotEnd end;
  guint slot;

  lmcc_slot_clock_set_lead (clock, lead);
  for (slot = 0; slot < 200; slot++, begin += SLOT) {
    LmccTime late = slot >= 100 ? longer : 0;

    push (clock, begin + late, 0, slot, 0, slot);
    lmcc_slot_clock_timeout (clock, begin + late + SLOT - lead - 1);
    if (slot >= 164)
      fail_if (lmcc_slot_clock_poll (clock, &end), "slot %u", slot);
    lmcc_slot_clock_timeout (clock, begin + late + SLOT - lead);
    fail_unless (lmcc_slot_clock_poll (clock, &end), "slot %u", slot);
  }
}

GST_END_TEST;

static Suite *
slot_clock_suite (void)
{
  Suite *suite = suite_create ("slot-clock");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_reported_slots_and_losses, 0,
      G_N_ELEMENTS (rows));
  tcase_add_test (tcase,
      test_a_slot_told_ahead_has_the_signal_of_the_one_before);
  tcase_add_test (tcase,
      test_a_slot_ends_with_the_first_packet_of_the_next_over_wraps);
  tcase_add_test (tcase, test_silence_ends_slots_by_itself);
  tcase_add_test (tcase, test_forged_slots_do_not_pass_faster_than_time);
  tcase_add_test (tcase,
      test_a_new_count_is_believed_when_the_old_one_is_heard_no_more);
  tcase_add_test (tcase,
      test_waits_of_first_packets_do_not_move_the_expected_end);
  tcase_add_test (tcase,
      test_a_longer_way_moves_the_expected_end_within_64_slots);

  return suite;
}

GST_CHECK_MAIN (slot_clock);
