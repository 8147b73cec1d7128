/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests how many packets of a layer should have arrived since its join: from
 * the packets' positions in their slots, and through the real sender and
 * receiver.
 */
#include "support/test-net.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/receiver/layer-entry.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>
#include <math.h>
#include <string.h>

#define MODULUS 60
#define SLOT (500 * LMCC_MSECOND)
#define DISTANCE (20 * LMCC_MSECOND)
#define LAYER 3

static LmccHeader
make_header (guint layer, guint slot, gint place)
{
  return (LmccHeader){ .layer = (guint8) layer,
    .top_layer = 5,
    .slot = (guint16) slot,
    .lsn = 10,
    .place = (gint8) place };
}

static void
hear_base (LmccLayerEntries *entries, guint slot)
{
  LmccHeader header = make_header (0, slot, 0);
  LmccLayerExpected expected;

  fail_if (lmcc_layer_entries_packet (entries, 0, &header, &expected));
}

/* Joined in advance for @joined, first heard in @slot. */
static guint
count_ahead (guint joined, guint slot, gint place, guint *slot_of_first)
{
  LmccHeader header = make_header (LAYER, slot, place);
  LmccLayerExpected expected;
  LmccLayerEntries entries;

  lmcc_layer_entries_init (&entries, MODULUS, SLOT, TRUE);
  hear_base (&entries, (joined + MODULUS - 1) % MODULUS);
  lmcc_layer_entries_joined (&entries, LAYER, SLOT, DISTANCE, TRUE);
  if (!lmcc_layer_entries_packet (&entries, 3 * SLOT, &header, &expected))
    return 0;
  fail_if (lmcc_layer_entries_packet (&entries, 3 * SLOT, &header, &expected));
  *slot_of_first = expected.slot;
  fail_unless (expected.since < 3 * SLOT);

  return (guint16) (header.lsn - expected.lsn);
}

GST_START_TEST (test_what_a_held_slot_sent_before_was_missed)
{
  guint slot, joined;

  for (joined = 0; joined < MODULUS; joined++) {
    guint next = (joined + 1) % MODULUS;

    fail_unless_equals_int (count_ahead (joined, joined, 3, &slot), 3);
    fail_unless_equals_int (slot, joined);
    fail_unless_equals_int (count_ahead (joined, joined, LMCC_PLACE_MAX, &slot),
        LMCC_PLACE_MAX);
    fail_unless_equals_int (count_ahead (joined, next, 3, &slot), 3);
    fail_unless_equals_int (slot, next);
    fail_unless_equals_int (count_ahead (joined, next, -1, &slot), 1);
    fail_unless_equals_int (slot, joined);
  }
}

GST_END_TEST;

GST_START_TEST (test_what_was_sent_before_the_join_was_not)
{
  guint slot, place;

  for (place = 1; place <= LMCC_PLACE_MAX; place++) {
    /* A rotating group carries the previous layer before its slot, too. */
    fail_unless_equals_int (count_ahead (7, 6, (gint) place, &slot), 0);
    fail_unless_equals_int (count_ahead (7, 7, -(gint) place, &slot), 0);
  }
  fail_unless_equals_int (count_ahead (7, 8, -2, &slot), 0);
  fail_unless_equals_int (count_ahead (7, 8, LMCC_PLACE_FIRST, &slot), 0);
  /* Senders that do not say it. */
  fail_unless_equals_int (count_ahead (7, 8, 0, &slot), 0);
}

GST_END_TEST;

/* Joins in the current slot, which take @join_time and then reach a layer
 * whose next packet comes after @phase of its interval; @lost of its packets
 * are lost. */
static guint
count_late (LmccLayerEntries *entries, LmccTime join_time, gdouble phase,
    guint lost)
{
  LmccTime now = 100 * SLOT;
  LmccHeader header = make_header (LAYER, 1, 20);
  LmccLayerExpected expected;

  hear_base (entries, 1);
  lmcc_layer_entries_joined (entries, LAYER, now, DISTANCE, TRUE);
  now += join_time + (LmccTime) ((phase + lost) * DISTANCE);
  if (!lmcc_layer_entries_packet (entries, now, &header, &expected))
    return 0;

  return (guint16) (header.lsn - expected.lsn);
}

GST_START_TEST (test_a_join_that_takes_its_time_misses_nothing)
{
  LmccTime times[] = { 0, LMCC_MSECOND, 30 * LMCC_MSECOND, 400 * LMCC_MSECOND };
  LmccLayerEntries entries;
  guint i, j;

  for (i = 0; i < G_N_ELEMENTS (times); i++) {
    lmcc_layer_entries_init (&entries, MODULUS, SLOT, FALSE);
    for (j = 0; j < 1000; j++)
      fail_unless_equals_int (count_late (&entries, times[i],
                                  fmod (j * .618, 1), 0),
          0);
  }
}

GST_END_TEST;

GST_START_TEST (test_what_is_lost_behind_a_join_of_known_length_was_missed)
{
  LmccLayerEntries entries;
  guint i;

  for (i = 1; i <= 10; i++) {
    lmcc_layer_entries_init (&entries, MODULUS, SLOT, FALSE);
    /* No join was measured: it may take the whole slot. */
    fail_unless_equals_int (count_late (&entries, 30 * LMCC_MSECOND, .5, i), 0);
    lmcc_layer_entries_init (&entries, MODULUS, SLOT, FALSE);
    fail_unless_equals_int (count_late (&entries, 30 * LMCC_MSECOND, .5, 0), 0);
    fail_unless_equals_int (count_late (&entries, 30 * LMCC_MSECOND, .5, i), i);
  }
}

GST_END_TEST;

/* A join that takes longer looks like a loss, once. */
GST_START_TEST (test_a_longer_join_time_is_learnt)
{
  LmccLayerEntries entries;
  guint i;

  lmcc_layer_entries_init (&entries, MODULUS, SLOT, FALSE);
  fail_unless_equals_int (count_late (&entries, 10 * LMCC_MSECOND, .5, 0), 0);
  fail_unless (count_late (&entries, 200 * LMCC_MSECOND, .5, 0) > 0);
  for (i = 0; i < 100; i++)
    fail_unless_equals_int (count_late (&entries, 200 * LMCC_MSECOND,
                                fmod (i * .618, 1), 0),
        0);
}

GST_END_TEST;

/* A layer that is joined in its own slot, @number, and whose first packet
 * arrives @elapsed slots later. */
static guint
count_far (LmccLayerEntries *entries, guint number, LmccTime elapsed,
    gint place)
{
  LmccTime joined = (100 + 10 * number) * SLOT;
  guint slot = 10 * number % MODULUS;
  LmccHeader header =
      make_header (LAYER, (slot + (guint) (elapsed / SLOT)) % MODULUS, place);
  LmccLayerExpected expected;

  hear_base (entries, slot);
  lmcc_layer_entries_joined (entries, LAYER, joined, DISTANCE, TRUE);
  if (!lmcc_layer_entries_packet (entries, joined + elapsed, &header,
          &expected))
    return 0;

  return (guint16) (header.lsn - expected.lsn);
}

/* Packets arrive in a slot whose first packets would have been received if
 * the join had not been in progress. */
GST_START_TEST (test_a_join_over_a_long_path_misses_nothing_but_once)
{
  LmccTime times[] = { SLOT, 11 * SLOT / 10, 5 * SLOT / 2 };
  LmccLayerEntries entries;
  guint i, j;

  for (i = 0; i < G_N_ELEMENTS (times); i++) {
    lmcc_layer_entries_init (&entries, MODULUS, SLOT, FALSE);
    count_far (&entries, 0, times[i] + DISTANCE, 3);
    for (j = 1; j < 100; j++)
      fail_unless_equals_int (count_far (&entries, j,
                                  times[i] + j % 10 * DISTANCE / 10,
                                  3 + (gint) j % 20),
          0);
  }
}

GST_END_TEST;

GST_START_TEST (test_what_is_lost_behind_a_long_join_was_missed)
{
  LmccTime time = 11 * SLOT / 10;
  LmccLayerEntries entries;
  guint i;

  for (i = 1; i <= 10; i++) {
    lmcc_layer_entries_init (&entries, MODULUS, SLOT, FALSE);
    count_far (&entries, 0, time, 3);
    fail_unless_equals_int (count_far (&entries, 1, time, 3), 0);
    fail_unless_equals_int (count_far (&entries, 2,
                                time + i * DISTANCE + DISTANCE / 2, 20),
        i);
  }
}

GST_END_TEST;

/* The first packet of the slot says how many slots earlier the last one was
 * sent. */
GST_START_TEST (test_one_of_a_slot_before_is_missed_once_the_join_works)
{
  LmccTime elapsed = 9 * SLOT / 2;
  LmccLayerEntries entries;

  lmcc_layer_entries_init (&entries, MODULUS, SLOT, FALSE);
  count_far (&entries, 0, 11 * SLOT / 10, 3);
  count_far (&entries, 1, 11 * SLOT / 10, 3);
  fail_unless_equals_int (count_far (&entries, 2, elapsed, -1), 1);
  fail_unless_equals_int (count_far (&entries, 3, elapsed, -3), 1);
  fail_unless_equals_int (count_far (&entries, 4, elapsed, -4), 0);
  fail_unless_equals_int (count_far (&entries, 5, elapsed, LMCC_PLACE_FIRST),
      0);
}

GST_END_TEST;

/* Then the join does not measure the join latency. */
GST_START_TEST (test_a_layer_that_was_silent_teaches_no_join_time)
{
  LmccLayerEntries entries;

  lmcc_layer_entries_init (&entries, MODULUS, SLOT, FALSE);
  count_far (&entries, 0, 5 * SLOT, LMCC_PLACE_FIRST);
  count_far (&entries, 1, 5 * SLOT, -2);
  count_far (&entries, 2, 30 * SLOT, 20);
  count_far (&entries, 3, SLOT / 10, 3);
  fail_unless_equals_int (count_far (&entries, 4, SLOT + 10 * DISTANCE, 10),
      10);
}

GST_END_TEST;

typedef struct
{
  gboolean drops;
  gboolean dropping;
  guint slot;
  LmccTime at;
} Dropper;

/* Drops the packets of layer LAYER in the first 150 ms of the slot for which
 * it is joined. */
static LmccPacket *
drop_first (TestNet *net, guint index, guint group G_GNUC_UNUSED,
    LmccPacket *packet, gpointer user_data)
{
  const GArray *changes = net->receivers[index].changes;
  Dropper *dropper = user_data;
  TestLevelChange last;
  LmccRtp rtp;
  LmccHeader header;

  fail_unless (lmcc_rtp_parse (packet->data, packet->size,
      LMCC_HEADER_DEFAULT_ID, &rtp));
  fail_unless (lmcc_header_parse (rtp.element, rtp.element_size, &header));
  if (!dropper->drops || header.layer != LAYER
      || net->receivers[index].level != LAYER)
    return lmcc_packet_ref (packet);
  last = g_array_index (changes, TestLevelChange, changes->len - 1);
  if (!dropper->dropping && last.to == LAYER && last.from < LAYER
      && net->now < last.time + SLOT) {
    dropper->dropping = TRUE;
    dropper->at = last.time;
  }
  if (dropper->dropping && net->now < dropper->at + 150 * LMCC_MSECOND)
    return lmcc_packet_new (1);

  return lmcc_packet_ref (packet);
}

static TestNet *
new_net (const gchar *algorithm, Dropper *dropper)
{
  TestNetConfig config = { .n_layers = 8,
    .shaped = TRUE,
    .algorithm = algorithm,
    .join_latency = 10 * LMCC_MSECOND,
    .leave_latency = 200 * LMCC_MSECOND,
    .shared = { .rate = 100000000,
        .delay = 20 * LMCC_MSECOND,
        .queue_packets = 100 } };
  TestNetReceiverConfig receiver = { .max_level = LAYER };
  TestNet *net;
  guint i;

  for (i = 0; i < config.n_layers; i++)
    config.rates[i] = 800e3 * (i == 0 ? 1 : pow (1.3, i) - pow (1.3, i - 1));
  net = test_net_new (&config);
  net->tap = drop_first;
  net->tap_data = dropper;
  test_net_add_receiver (net, &receiver);

  return net;
}

static gboolean
has_gone_down (const TestNet *net)
{
  const GArray *changes = net->receivers[0].changes;
  guint i;

  for (i = 0; i < changes->len; i++) {
    TestLevelChange change = g_array_index (changes, TestLevelChange, i);

    if (change.to < change.from)
      return TRUE;
  }

  return FALSE;
}

static void
set_max_level (TestNet *net, gint level)
{
  lmcc_receiver_set_max_level (net->receivers[0].receiver, level, net->now);
}

/* FLID-DL learns its lead first, which costs one level, once. */
static void
climb (TestNet *net)
{
  test_net_run (net, 40 * LMCC_SECOND);
  fail_unless_equals_int (net->receivers[0].level, LAYER);
}

GST_START_TEST (test_first_packets_that_are_lost_cost_a_level)
{
  static const gchar *const algorithms[] = { "flid-sl", "flid-dl" };
  Dropper dropper = { 0 };
  TestNet *net = new_net (algorithms[__i__], &dropper);

  climb (net);
  set_max_level (net, 0);
  test_net_run (net, 10 * LMCC_SECOND);
  g_array_set_size (net->receivers[0].changes, 0);
  set_max_level (net, LAYER);
  test_net_run (net, 20 * LMCC_SECOND);
  fail_if (has_gone_down (net));

  set_max_level (net, 0);
  test_net_run (net, 10 * LMCC_SECOND);
  g_array_set_size (net->receivers[0].changes, 0);
  dropper.drops = TRUE;
  set_max_level (net, LAYER);
  test_net_run (net, 20 * LMCC_SECOND);
  fail_unless (dropper.dropping);
  fail_unless (has_gone_down (net));
  test_net_free (net);
}

GST_END_TEST;

/* The account has started with it, and cannot start again. */
GST_START_TEST (test_a_packet_of_no_slot_is_the_first_too)
{
  LmccHeader header = make_header (LAYER, MODULUS, 1);
  LmccLayerExpected expected;
  LmccLayerEntries entries;

  lmcc_layer_entries_init (&entries, MODULUS, SLOT, TRUE);
  hear_base (&entries, 5);
  lmcc_layer_entries_joined (&entries, LAYER, SLOT, DISTANCE, TRUE);
  fail_if (lmcc_layer_entries_packet (&entries, SLOT, &header, &expected));
  header.slot = 6;
  fail_if (lmcc_layer_entries_packet (&entries, SLOT, &header, &expected));

  lmcc_layer_entries_joined (&entries, LAYER, SLOT, DISTANCE, TRUE);
  header.slot = 7;
  fail_unless (lmcc_layer_entries_packet (&entries, SLOT, &header, &expected));
}

GST_END_TEST;

static Suite *
layer_entry_suite (void)
{
  Suite *s = suite_create ("layer-entry");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 60);
  tcase_add_test (tc, test_what_a_held_slot_sent_before_was_missed);
  tcase_add_test (tc, test_what_was_sent_before_the_join_was_not);
  tcase_add_test (tc, test_a_join_that_takes_its_time_misses_nothing);
  tcase_add_test (tc,
      test_what_is_lost_behind_a_join_of_known_length_was_missed);
  tcase_add_test (tc, test_a_longer_join_time_is_learnt);
  tcase_add_test (tc, test_a_join_over_a_long_path_misses_nothing_but_once);
  tcase_add_test (tc, test_what_is_lost_behind_a_long_join_was_missed);
  tcase_add_test (tc, test_one_of_a_slot_before_is_missed_once_the_join_works);
  tcase_add_test (tc, test_a_layer_that_was_silent_teaches_no_join_time);
  tcase_add_test (tc, test_a_packet_of_no_slot_is_the_first_too);
  tcase_add_loop_test (tc, test_first_packets_that_are_lost_cost_a_level, 0, 2);

  return s;
}

GST_CHECK_MAIN (layer_entry);
