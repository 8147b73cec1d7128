/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/slots/slot-clock.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/measure/loss.h>
#include <gst/lmcc/wire/layer-header.h>

#define SLOT (500 * LMCC_MSECOND)
#define START (7 * LMCC_SECOND)
#define MODULUS 60

/* A packet at @at. */
static void
push (LmccSlotClock * clock, LmccTime at, guint layer, guint64 slot,
    gint signal, guint lsn)
{
  LmccHeader header = {
    .layer = (guint8) layer,
    .slot = (guint16) (slot % MODULUS),
    .signal = (gint8) signal,
    .lsn = (guint16) lsn,
  };

  lmcc_slot_clock_packet (clock, at, &header);
}

static void
push_burst (LmccSlotClock * clock, LmccTime at, guint layer, guint64 slot,
    gint signal, guint lsn)
{
  LmccHeader header = {
    .layer = (guint8) layer,
    .slot = (guint16) (slot % MODULUS),
    .signal = (gint8) signal,
    .lsn = (guint16) lsn,
    .burst = TRUE,
  };

  lmcc_slot_clock_packet (clock, at, &header);
}

static LmccSlotClock *
new_clock (LmccTime settle_time, gint level)
{
  LmccSlotClock *clock = lmcc_slot_clock_new (MODULUS, SLOT, settle_time);

  lmcc_slot_clock_set_level (clock, level);

  return clock;
}

static guint
count_ends (LmccSlotClock * clock)
{
  LmccSlotEnd end;
  guint n = 0;

  while (lmcc_slot_clock_poll (clock, &end))
    n++;

  return n;
}

/* One packet of the base. */
static LmccSlotLoss
lose (LmccSlotClock * clock, guint16 lsn, LmccTime time)
{
  LmccLoss loss = lmcc_loss_at (time, 1);

  loss.lsn = lsn;
  return lmcc_slot_clock_loss (clock, 0, &loss);
}

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
      /* The first one was under way when it was first heard. */
      fail_unless_equals_int (end.whole, slot > 1);
      fail_unless_equals_int (lmcc_slot_end_is_clean (&end), slot > 1);
    }
    push (clock, begin + SLOT / 2, 0, slot + 55, (gint) slot % 5 - 1,
        2 * slot + 1);
    fail_if (lmcc_slot_clock_poll (clock, &end));
  }
}

GST_END_TEST;

GST_START_TEST (test_a_loss_belongs_to_its_slot_also_when_it_shows_in_the_next)
{
  g_autoptr (LmccSlotClock) clock = new_clock (0, 0);
  LmccSlotEnd end;
  LmccSlotLoss loss;

  push (clock, START, 0, 1, 0, 0);
  push (clock, START + SLOT, 0, 2, 0, 1);
  fail_unless (lmcc_slot_clock_poll (clock, &end));
  push (clock, START + SLOT + SLOT / 4, 0, 2, 0, 2);
  /* 3 and 4 are missing, between there and the middle of slot 3. */
  push (clock, START + 2 * SLOT, 0, 3, 0, 5);
  fail_unless (lmcc_slot_clock_poll (clock, &end));
  fail_unless_equals_int (end.losses, 0);
  fail_unless_equals_int (end.missing, 2);
  fail_if (lmcc_slot_end_is_clean (&end));

  loss = lose (clock, 3, START + SLOT + SLOT / 2);
  fail_unless_equals_uint64 (loss.index, end.index);
  fail_unless (loss.late);
  fail_if (loss.burst);
  push (clock, START + 3 * SLOT - 1, 0, 3, 0, 6);
  loss = lose (clock, 4, START + 2 * SLOT - 1);
  fail_unless_equals_uint64 (loss.index, end.index);

  /* Nothing of slot 3 is lost. */
  push (clock, START + 3 * SLOT, 0, 4, 0, 7);
  fail_unless (lmcc_slot_clock_poll (clock, &end));
  fail_unless (lmcc_slot_end_is_clean (&end));
}

GST_END_TEST;

GST_START_TEST (test_an_end_that_settles_waits_for_each_held_layer)
{
  g_autoptr (LmccSlotClock) clock = new_clock (100 * LMCC_MSECOND, 1);
  LmccSlotEnd end;

  push (clock, START, 0, 1, 1, 0);
  push (clock, START, 1, 1, 1, 0);
  push (clock, START + SLOT, 0, 2, 1, 1);
  fail_if (lmcc_slot_clock_poll (clock, &end));
  /* Layer 1 shows a gap now. */
  push (clock, START + SLOT + 10 * LMCC_MSECOND, 1, 2, 1, 3);
  fail_unless (lmcc_slot_clock_poll (clock, &end));
  fail_unless_equals_int (end.missing, 2);
  fail_unless_equals_uint64 (end.end, START + SLOT);

  /* Layer 1 is silent: the end is told all the same. */
  push (clock, START + 2 * SLOT, 0, 3, 1, 2);
  fail_if (lmcc_slot_clock_poll (clock, &end));
  fail_unless_equals_uint64 (lmcc_slot_clock_next_timeout (clock),
      START + 2 * SLOT + 100 * LMCC_MSECOND);
  lmcc_slot_clock_timeout (clock, START + 2 * SLOT + 100 * LMCC_MSECOND);
  fail_unless (lmcc_slot_clock_poll (clock, &end));
}

GST_END_TEST;

GST_START_TEST (test_a_reordered_packet_is_not_missing)
{
  g_autoptr (LmccSlotClock) clock = new_clock (0, 0);
  LmccSlotEnd end;

  push (clock, START, 0, 1, 0, 0);
  push (clock, START + SLOT, 0, 2, 0, 1);
  count_ends (clock);
  push (clock, START + SLOT + 1, 0, 2, 0, 3);
  push (clock, START + SLOT + 2, 0, 2, 0, 2);
  push (clock, START + 2 * SLOT, 0, 3, 0, 4);
  fail_unless (lmcc_slot_clock_poll (clock, &end));
  fail_unless (lmcc_slot_end_is_clean (&end));
}

GST_END_TEST;

GST_START_TEST (test_a_burst_loses_what_is_missing_in_it_and_at_its_end)
{
  g_autoptr (LmccSlotClock) clock = new_clock (0, 0);
  LmccSlotLoss loss;

  push (clock, START, 0, 1, 0, 0);
  /* 1 is lost before the burst. */
  push_burst (clock, START + 100, 0, 1, 0, 2);
  loss = lose (clock, 1, START + 50);
  fail_if (loss.burst);
  /* 3 is lost in it. */
  push_burst (clock, START + 200, 0, 1, 0, 4);
  loss = lose (clock, 3, START + 150);
  fail_unless (loss.burst);
  fail_unless_equals_int (loss.signal, 0);
  /* 5 is the burst's last; then comes silence. */
  push (clock, START + SLOT, 0, 2, 0, 6);
  loss = lose (clock, 5, START + SLOT / 2);
  fail_unless (loss.burst);
  fail_unless (loss.late);
  /* 7 is lost between packets that are no burst's. */
  push (clock, START + SLOT + 100, 0, 2, 0, 8);
  loss = lose (clock, 7, START + SLOT + 50);
  fail_if (loss.burst);
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
  /* The sender comes back where it must be by now: one slot went by. */
  push (clock, START + 7 * SLOT, 0, 8, 0, 2);
  fail_unless (lmcc_slot_clock_poll (clock, &end));
  fail_unless (end.silent);
  push (clock, START + 8 * SLOT, 0, 9, 0, 3);
  while (lmcc_slot_clock_poll (clock, &end));
  fail_unless_equals_uint64 (end.index % MODULUS, 8);
  fail_if (end.silent);
}

GST_END_TEST;

GST_START_TEST (test_a_slot_without_the_base_is_silent)
{
  g_autoptr (LmccSlotClock) clock = new_clock (0, 1);
  LmccSlotEnd end;

  push (clock, START, 0, 1, 0, 0);
  push (clock, START, 1, 1, 0, 0);
  push (clock, START + SLOT, 1, 2, 0, 1);
  fail_unless (lmcc_slot_clock_poll (clock, &end));
  fail_if (end.silent);
  push (clock, START + 2 * SLOT, 0, 3, 0, 1);
  fail_unless (lmcc_slot_clock_poll (clock, &end));
  fail_unless (end.silent);
  fail_unless_equals_int (end.signal, LMCC_SIGNAL_NOBODY);
}

GST_END_TEST;

GST_START_TEST (test_only_the_base_gives_marks_and_the_lowest_one_holds)
{
  g_autoptr (LmccSlotClock) clock = new_clock (0, 1);
  LmccSlotEnd end;

  push (clock, START, 0, 1, 0, 0);
  push (clock, START + SLOT, 0, 2, 3, 1);
  count_ends (clock);
  push (clock, START + SLOT + 1, 1, 2, 60, 1);
  push (clock, START + SLOT + 2, 0, 2, 60, 2);
  push (clock, START + SLOT + 3, 0, 2, 2, 3);
  push (clock, START + 2 * SLOT, 0, 3, 60, 4);
  fail_unless (lmcc_slot_clock_poll (clock, &end));
  fail_unless_equals_int (end.signal, 2);
}

GST_END_TEST;

/* Somebody counts as fast as packets go: the slots pass no sooner than their
 * length says, but for two. */
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

GST_START_TEST
    (test_one_forged_jump_lets_nobody_up_and_the_next_slot_is_as_ever) {
  g_autoptr (LmccSlotClock) clock = new_clock (0, 1);
  LmccSlotEnd end;

  push (clock, START, 0, 1, 0, 0);
  push (clock, START + SLOT, 0, 2, 0, 1);
  count_ends (clock);
  push (clock, START + SLOT + 1, 0, 20, 60, 2);
  push (clock, START + SLOT + 2, 0, 50, 60, 3);
  push (clock, START + SLOT + 3, 1, 4, 60, 0);
  fail_if (lmcc_slot_clock_poll (clock, &end));
  fail_unless_equals_uint64 (lmcc_slot_clock_get_ignored (clock), 3);
  push (clock, START + 2 * SLOT, 0, 3, 0, 4);
  fail_unless (lmcc_slot_clock_poll (clock, &end));
  fail_unless_equals_uint64 (end.index % MODULUS, 2);
  fail_unless_equals_int (end.signal, LMCC_SIGNAL_NOBODY);
  fail_if (lmcc_slot_clock_poll (clock, &end));
  push (clock, START + 3 * SLOT, 0, 4, 0, 5);
  fail_unless (lmcc_slot_clock_poll (clock, &end));
  fail_unless_equals_uint64 (end.index % MODULUS, 3);
  fail_unless_equals_int (end.signal, 0);
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

/* A slot that is told ahead may have begun with a forged packet, and nothing
 * else of it been heard: the one before says who may go up. */
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
    fail_unless_equals_int (end.signal, slot == 0 ? LMCC_SIGNAL_NOBODY :
        slot == 14 ? 1 : (gint) (slot - 1) % 5);
    /* Of slot 13 the last packet lets less. */
    push (clock, begin + SLOT - 1, 0, slot, slot == 13 ? 1 : (gint) slot % 5,
        2 * slot + 1);
    fail_if (lmcc_slot_clock_poll (clock, &end));
  }
}

GST_END_TEST;

/* A base of few packets sends its only one when it is too late to join. */
GST_START_TEST (test_a_slot_is_told_ahead_before_its_base_comes)
{
  const LmccTime lead = SLOT / 4;
  g_autoptr (LmccSlotClock) clock = new_clock (0, 1);
  LmccSlotEnd end;

  lmcc_slot_clock_set_lead (clock, lead);
  push (clock, START, 0, 1, 3, 0);
  push (clock, START + SLOT, 1, 2, 3, 0);
  count_ends (clock);
  lmcc_slot_clock_timeout (clock, START + 2 * SLOT - lead);
  fail_unless (lmcc_slot_clock_poll (clock, &end));
  fail_unless_equals_int (end.index % MODULUS, 2);
  fail_unless_equals_int (end.signal, 3);
  fail_if (end.silent);
  push (clock, START + 2 * SLOT - 1, 0, 2, 3, 1);
  push (clock, START + 2 * SLOT, 1, 3, 3, 1);
  fail_if (lmcc_slot_clock_poll (clock, &end));
  /* None comes: it is told again; the next one is not told ahead. */
  lmcc_slot_clock_timeout (clock, START + 3 * SLOT - lead);
  fail_unless (lmcc_slot_clock_poll (clock, &end));
  fail_if (end.silent);
  push (clock, START + 3 * SLOT, 0, 4, 3, 2);
  fail_unless (lmcc_slot_clock_poll (clock, &end));
  fail_unless_equals_int (end.index % MODULUS, 3);
  fail_unless (end.silent);
}

GST_END_TEST;

GST_START_TEST (test_packets_of_other_layers_limit_the_signal)
{
  g_autoptr (LmccSlotClock) clock = new_clock (1, 0);
  LmccSlotEnd end;

  push (clock, START, 0, 1, 3, 0);
  push (clock, START + 1, 1, 1, 3, 0);
  push (clock, START + SLOT, 0, 2, 3, 1);
  push (clock, START + SLOT + 1, 1, 2, 0, 1);
  push (clock, START + 2 * SLOT, 0, 3, 2, 2);
  push (clock, START + 2 * SLOT + 1, 1, 3, 4, 2);
  push (clock, START + 3 * SLOT, 0, 4, 2, 3);
  fail_unless (lmcc_slot_clock_poll (clock, &end));
  fail_unless_equals_int (end.signal, 3);
  fail_unless (lmcc_slot_clock_poll (clock, &end));
  fail_unless_equals_int (end.signal, 0);
  /* They do not raise it. */
  fail_unless (lmcc_slot_clock_poll (clock, &end));
  fail_unless_equals_int (end.signal, 2);
}

GST_END_TEST;

/* A slot's first packet waits for its turn: up to 160 ms here, for none in one
 * of sixteen slots. */
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

/* A way that is 100 ms longer from now on is believed when the slots that came
 * the short one are forgotten. */
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
  tcase_add_test (tcase,
      test_a_slot_told_ahead_has_the_signal_of_the_one_before);
  tcase_add_test (tcase, test_a_slot_is_told_ahead_before_its_base_comes);
  tcase_add_test (tcase, test_packets_of_other_layers_limit_the_signal);
  tcase_add_test (tcase,
      test_a_slot_ends_with_the_first_packet_of_the_next_over_wraps);
  tcase_add_test (tcase,
      test_a_loss_belongs_to_its_slot_also_when_it_shows_in_the_next);
  tcase_add_test (tcase, test_an_end_that_settles_waits_for_each_held_layer);
  tcase_add_test (tcase, test_a_reordered_packet_is_not_missing);
  tcase_add_test (tcase,
      test_a_burst_loses_what_is_missing_in_it_and_at_its_end);
  tcase_add_test (tcase, test_silence_ends_slots_by_itself);
  tcase_add_test (tcase, test_a_slot_without_the_base_is_silent);
  tcase_add_test (tcase,
      test_only_the_base_gives_marks_and_the_lowest_one_holds);
  tcase_add_test (tcase, test_forged_slots_do_not_pass_faster_than_time);
  tcase_add_test (tcase,
      test_one_forged_jump_lets_nobody_up_and_the_next_slot_is_as_ever);
  tcase_add_test (tcase,
      test_a_new_count_is_believed_when_the_old_one_is_heard_no_more);
  tcase_add_test (tcase,
      test_waits_of_first_packets_do_not_move_the_expected_end);
  tcase_add_test (tcase,
      test_a_longer_way_moves_the_expected_end_within_64_slots);

  return suite;
}

GST_CHECK_MAIN (slot_clock);
