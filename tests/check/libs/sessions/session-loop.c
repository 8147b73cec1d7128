/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the real sender and the real receiver with a network between them,
 * in virtual time.
 */
#include "support/test-loop.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>

#define FIRST_SSRC 0x12345000u
#define SECOND_SSRC 0x6789a000u

/* Runs until all receivers have reached their levels, then forgets the
 * output so far. */
static void
settle (TestLoop *loop)
{
  guint i;

  test_loop_run (loop, 3 * LMCC_SECOND);
  for (i = 0; i < loop->n_receivers; i++)
    g_array_set_size (loop->receivers[i].pictures, 0);
}

/* Presentation times of shown pictures have the encoder's steps, within 1
 * ms. */
static void
check_times (TestReceiver *test)
{
  gint64 last = 0;
  gboolean any = FALSE;
  guint i;

  for (i = 0; i < test->pictures->len; i++) {
    TestPicture *picture = test_picture_at (test, i);
    gint64 offset = (gint64) picture->time
        - (gint64) test_presentation_time (picture->number);

    if (picture->hidden)
      continue;
    if (any)
      fail_unless (ABS (offset - last) < (gint64) LMCC_MSECOND);
    last = offset;
    any = TRUE;
  }
}

static gboolean
was_shown (TestReceiver *test, guint number)
{
  guint i;

  for (i = 0; i < test->pictures->len; i++) {
    TestPicture *picture = test_picture_at (test, i);

    if (picture->number == number && !picture->hidden && !picture->broken)
      return TRUE;
  }

  return FALSE;
}

static guint
count_shown (TestReceiver *test)
{
  guint n = 0, i;

  for (i = 0; i < test->pictures->len; i++)
    n += !test_picture_at (test, i)->hidden;

  return n;
}

static gint
compare_times (gconstpointer a, gconstpointer b)
{
  LmccTime first = *(const LmccTime *) a, second = *(const LmccTime *) b;

  return first < second ? -1 : first > second;
}

/* The longest time between two consecutive shown pictures. */
static LmccTime
longest_gap (TestReceiver *test)
{
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (LmccTime));
  LmccTime longest = 0;
  guint i;

  for (i = 0; i < test->pictures->len; i++) {
    if (!test_picture_at (test, i)->hidden)
      g_array_append_val (times, test_picture_at (test, i)->time);
  }
  g_array_sort (times, compare_times);
  /* At the ends, B pictures are missing whose presentation time is outside
   * the run. */
  for (i = TEST_GOP; i + TEST_GOP < times->len; i++)
    longest = MAX (longest,
        g_array_index (times, LmccTime, i)
            - g_array_index (times, LmccTime, i - 1));

  return longest;
}

/* The rung that is output at @level, and its highest class. */
static void
expected_at_level (TestLoop *loop, gint level, guint *rung, guint *klass)
{
  guint classes = loop->b_pictures ? 3 : 1;

  *rung = (guint) (level + 1) / classes;
  if (*rung > 0) {
    (*rung)--;
    *klass = classes - 1;
  } else {
    *klass = (guint) level;
  }
}

static void
check_every_level (guint n_rungs, gboolean b_pictures)
{
  guint n_layers = n_rungs * (b_pictures ? 3 : 1);
  gint level;

  for (level = 0; level < (gint) n_layers; level++) {
    TestLoop *loop = test_loop_new (n_rungs, b_pictures);
    TestReceiver *test;
    guint rung, klass, first, number, i;

    test_loop_start_sender (loop, FIRST_SSRC);
    test = test_loop_add_receiver (loop, level, LMCC_ON_LOSS_FREEZE);
    settle (loop);
    test_loop_run (loop, 10 * LMCC_SECOND);

    fail_unless_equals_int (lmcc_sender_get_session (loop->sender)->n_layers,
        n_layers);
    test_check_nothing_broken (test);
    check_times (test);
    test_check_in_time (test);
    expected_at_level (loop, level, &rung, &klass);
    fail_unless (test->pictures->len > 0);
    first = test_picture_at (test, 0)->number;
    for (i = 0; i < test->pictures->len; i++) {
      fail_unless_equals_int (test_picture_at (test, i)->rung, rung);
      fail_unless (test_picture_at (test, i)->klass <= klass);
    }
    /* Every picture of the level is there. */
    for (number = first + 4; number < first + 9 * 24; number++) {
      if (test_picture_class (b_pictures, number) <= klass)
        fail_unless (was_shown (test, number));
    }
    fail_unless_equals_int (test->sequence_gaps, 0);
    test_loop_free (loop);
  }
}

GST_START_TEST (test_each_level_of_three_classes_shows_its_pictures)
{
  check_every_level (1, TRUE);
}

GST_END_TEST;

GST_START_TEST (test_each_level_of_three_rungs_shows_its_pictures)
{
  check_every_level (3, FALSE);
}

GST_END_TEST;

GST_START_TEST (test_each_level_of_rungs_and_classes_shows_its_pictures)
{
  check_every_level (3, TRUE);
}

GST_END_TEST;

/* Two of the base layer's pictures are eight of the encoder's: a decoder
 * that reorders by two outputs a picture when the second one after it
 * arrives, which is three pictures after its presentation time. */
GST_START_TEST (test_receivers_wait_for_a_decoder_of_the_base_alone)
{
  gboolean b_pictures;

  for (b_pictures = FALSE; b_pictures <= TRUE; b_pictures++) {
    TestLoop *loop = test_loop_new (1, b_pictures);
    LmccTime advice = b_pictures ? 125 * LMCC_MSECOND : 0;
    TestReceiver *test;

    test_loop_start_sender (loop, FIRST_SSRC);
    test = test_loop_add_receiver (loop, 0, LMCC_ON_LOSS_FREEZE);
    settle (loop);
    fail_unless_equals_uint64 (lmcc_sender_get_session (loop->sender)->latency,
        advice);
    fail_unless_equals_uint64 (lmcc_receiver_get_latency (test->receiver),
        LMCC_DEFAULT_WINDOW + LMCC_DEFAULT_LATENCY + advice);
    test_loop_free (loop);
  }
}

GST_END_TEST;

static void
change_level_each_second (guint n_rungs, gboolean b_pictures)
{
  TestLoop *loop = test_loop_new (n_rungs, b_pictures);
  gint n_layers = (gint) (n_rungs * (b_pictures ? 3 : 1));
  TestReceiver *test;
  guint i;

  test_loop_start_sender (loop, FIRST_SSRC);
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
  settle (loop);
  for (i = 0; i < 60; i++) {
    lmcc_receiver_set_max_level (test->receiver,
        g_rand_int_range (loop->random, 0, n_layers), loop->now);
    /* Not a whole second, so that the changes fall on all parts of a group
     * of pictures. */
    test_loop_run (loop, LMCC_SECOND + 17 * LMCC_MSECOND);
  }
  test_check_nothing_broken (test);
  check_times (test);
  test_check_in_time (test);
  fail_unless (test->levels->len > 30);
  if (n_rungs > 1)
    fail_unless (longest_gap (test) < 300 * LMCC_MSECOND);
  test_loop_free (loop);
}

GST_START_TEST (test_no_picture_breaks_while_the_level_changes_classes)
{
  change_level_each_second (1, TRUE);
}

GST_END_TEST;

GST_START_TEST (test_no_picture_breaks_while_the_level_changes_rungs)
{
  change_level_each_second (3, FALSE);
}

GST_END_TEST;

GST_START_TEST (test_no_picture_breaks_while_rungs_and_classes_change)
{
  change_level_each_second (3, TRUE);
}

GST_END_TEST;

/* Drops the media packet number @drop of the group of pictures @gop. */
typedef struct
{
  guint gop;
  guint drop;
  guint seen;
  gint dropped_number;
} DropOne;

static gboolean
media_packet (const LmccPacket *packet, guint *number)
{
  LmccRtp rtp;
  LmccHeader header;

  if (!lmcc_rtp_parse (packet->data, packet->size, 1, &rtp)
      || !lmcc_header_parse (rtp.element, rtp.element_size, &header)
      || header.type != LMCC_PACKET_MEDIA)
    return FALSE;
  *number = *(const guint32 *) (packet->data + rtp.header_size + 8);

  return TRUE;
}

static guint
drop_one (TestLoop *loop G_GNUC_UNUSED, guint receiver G_GNUC_UNUSED,
    const LmccPacket *packet, guint group G_GNUC_UNUSED, gboolean control,
    LmccTime *extra G_GNUC_UNUSED, gpointer user_data)
{
  DropOne *drop = user_data;
  guint number;

  if (control || !media_packet (packet, &number)
      || number / TEST_GOP != drop->gop || drop->seen++ != drop->drop)
    return 1;
  drop->dropped_number = (gint) number;

  return 0;
}

static void
check_after_one_loss (TestReceiver *test, LmccOnLoss on_loss, guint gop,
    guint lost)
{
  guint number, i;

  for (number = (gop - 1) * TEST_GOP; number < (gop + 2) * TEST_GOP; number++) {
    gboolean hit = test_picture_depends_on (TRUE, number, lost);

    if (on_loss == LMCC_ON_LOSS_FREEZE) {
      fail_unless (was_shown (test, number) == !hit,
          "picture %u lost: picture %u is %s", lost, number,
          hit ? "shown" : "missing");
      continue;
    }
    for (i = 0; i < test->pictures->len; i++) {
      TestPicture *picture = test_picture_at (test, i);

      if (picture->number == number) {
        fail_unless (picture->corrupted == hit, "picture %u lost: picture %u",
            lost, number);
        break;
      }
    }
    fail_unless ((i < test->pictures->len) == (number != lost));
  }
}

static void
drop_every_packet_in_turn (LmccOnLoss on_loss)
{
  const guint gop = 6;
  DropOne drop = { .gop = gop };

  do {
    TestLoop *loop = test_loop_new (1, TRUE);
    TestReceiver *test;

    drop.seen = 0;
    drop.dropped_number = -1;
    loop->impair = drop_one;
    loop->impair_data = &drop;
    test_loop_start_sender (loop, FIRST_SSRC);
    test = test_loop_add_receiver (loop, -1, on_loss);
    settle (loop);
    test_loop_run (loop, 6 * LMCC_SECOND);
    if (drop.dropped_number >= 0) {
      if (on_loss == LMCC_ON_LOSS_FREEZE)
        test_check_nothing_broken (test);
      check_after_one_loss (test, on_loss, gop, (guint) drop.dropped_number);
      fail_unless_equals_int (test->sequence_gaps, 1);
    }
    test_loop_free (loop);
    drop.drop++;
  } while (drop.dropped_number >= 0);
  fail_unless (drop.drop > TEST_GOP);
}

GST_START_TEST (test_freeze_leaves_out_exactly_what_depends_on_a_lost_packet)
{
  drop_every_packet_in_turn (LMCC_ON_LOSS_FREEZE);
}

GST_END_TEST;

GST_START_TEST (test_conceal_marks_exactly_what_depends_on_a_lost_packet)
{
  drop_every_packet_in_turn (LMCC_ON_LOSS_CONCEAL);
}

GST_END_TEST;

static guint
lose_at_random (TestLoop *loop, guint receiver G_GNUC_UNUSED,
    const LmccPacket *packet G_GNUC_UNUSED, guint group G_GNUC_UNUSED,
    gboolean control G_GNUC_UNUSED, LmccTime *extra G_GNUC_UNUSED,
    gpointer user_data)
{
  const gdouble *probability = user_data;

  return g_rand_double (loop->random) < *probability ? 0 : 1;
}

GST_START_TEST (test_random_loss_breaks_no_picture_and_is_counted)
{
  gdouble probability = 0.02;
  guint n_rungs;

  for (n_rungs = 1; n_rungs <= 3; n_rungs++) {
    TestLoop *loop = test_loop_new (n_rungs, TRUE);
    LmccReceiverStats stats;
    TestReceiver *test;
    gdouble loss;

    loop->impair = lose_at_random;
    loop->impair_data = &probability;
    test_loop_start_sender (loop, FIRST_SSRC);
    test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
    settle (loop);
    test_loop_run (loop, 120 * LMCC_SECOND);
    test_check_nothing_broken (test);
    test_check_in_time (test);
    lmcc_receiver_get_stats (test->receiver, loop->now, &stats);
    loss = (gdouble) stats.lost / (gdouble) (stats.lost + stats.packets);
    /* About 15,000 packets: the standard deviation is 0.0012. */
    fail_unless (loss > 0.015 && loss < 0.025, "loss %f", loss);
    fail_unless (count_shown (test) > 240);
    test_loop_free (loop);
  }
}

GST_END_TEST;

static guint
reorder_and_duplicate (TestLoop *loop, guint receiver G_GNUC_UNUSED,
    const LmccPacket *packet G_GNUC_UNUSED, guint group G_GNUC_UNUSED,
    gboolean control G_GNUC_UNUSED, LmccTime *extra,
    gpointer user_data G_GNUC_UNUSED)
{
  *extra = (LmccTime) g_rand_int_range (loop->random, 0, 12) * LMCC_MSECOND;

  return g_rand_double (loop->random) < 0.05 ? 2 : 1;
}

GST_START_TEST (test_jitter_and_duplicates_lose_nothing_and_repeat_nothing)
{
  TestLoop *loop = test_loop_new (3, TRUE);
  LmccReceiverStats stats;
  TestReceiver *test;
  guint first, number;

  loop->impair = reorder_and_duplicate;
  test_loop_start_sender (loop, FIRST_SSRC);
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
  settle (loop);
  test_loop_run (loop, 30 * LMCC_SECOND);
  test_check_nothing_broken (test);
  check_times (test);
  test_check_in_time (test);
  first = test_picture_at (test, 0)->number;
  for (number = first + 4; number < first + 28 * 24; number++)
    fail_unless (was_shown (test, number));
  lmcc_receiver_get_stats (test->receiver, loop->now, &stats);
  fail_unless_equals_uint64 (stats.lost, 0);
  fail_unless (stats.drops[LMCC_DROP_DUPLICATE] > 100);
  test_loop_free (loop);
}

GST_END_TEST;

GST_START_TEST (test_a_receiver_that_starts_first_waits_and_then_plays)
{
  TestLoop *loop = test_loop_new (1, TRUE);
  TestReceiver *test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_CONCEAL);

  test_loop_run (loop, 30 * LMCC_SECOND);
  fail_unless_equals_int (test->n_waiting, 1);
  fail_unless (test->joined[0]);
  test_loop_start_sender (loop, FIRST_SSRC);
  test_loop_run (loop, 3 * LMCC_SECOND);
  fail_unless (count_shown (test) > 40);
  test_check_nothing_broken (test);
  test_loop_free (loop);
}

GST_END_TEST;

GST_START_TEST (test_a_restarted_sender_is_taken_up_within_a_second)
{
  gboolean goodbye;

  for (goodbye = FALSE; goodbye <= TRUE; goodbye++) {
    TestLoop *loop = test_loop_new (1, TRUE);
    LmccReceiverStats stats;
    TestReceiver *test;

    test_loop_start_sender (loop, FIRST_SSRC);
    test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
    settle (loop);
    if (goodbye) {
      lmcc_sender_stop (loop->sender, loop->now);
      test_loop_drain (loop);
    }
    test_loop_kill_sender (loop);
    loop->n_rungs = 2;
    test_loop_start_sender (loop, SECOND_SSRC);
    test_loop_run (loop, LMCC_SECOND);
    lmcc_receiver_get_stats (test->receiver, loop->now, &stats);
    fail_unless_equals_uint64 (stats.sources, 2);
    fail_unless_equals_int (stats.level, 5);
    fail_unless_equals_int (
        lmcc_receiver_get_session (test->receiver)->ssrc_base, SECOND_SSRC);
    test_loop_run (loop, 3 * LMCC_SECOND);
    test_check_nothing_broken (test);
    fail_unless (count_shown (test) > 40);
    test_loop_free (loop);
  }
}

GST_END_TEST;

/* Both senders run for 10 s on the same groups; the second one starts later. */
GST_START_TEST (test_a_second_sender_is_ignored_and_counted)
{
  TestLoop *loop = test_loop_new (1, TRUE);
  TestLoop *other = test_loop_new (1, TRUE);
  LmccReceiverStats stats;
  TestReceiver *test;
  guint i;

  lmcc_address_parse ("10.0.0.2", &other->sender_address);
  test_loop_start_sender (loop, FIRST_SSRC);
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
  settle (loop);
  other->now = loop->now;
  test_loop_start_sender (other, SECOND_SSRC);
  for (i = 0; i < 10000; i++) {
    LmccSenderAction action;

    test_loop_run (loop, LMCC_MSECOND);
    other->now = loop->now;
    while (lmcc_sender_next_timeout (other->sender) <= other->now)
      lmcc_sender_handle_timeout (other->sender, other->now);
    if (other->next_picture * TEST_PICTURE_TIME + TEST_START <= other->now)
      lmcc_sender_push_unit (other->sender,
          test_loop_make_unit (other, 0, other->next_picture++), other->now);
    while (lmcc_sender_poll_action (other->sender, &action)) {
      if (action.type == LMCC_SENDER_ACTION_SEND) {
        lmcc_receiver_handle_packet (test->receiver, loop->now, loop->now,
            action.group, &other->sender_address, 50000, action.packet);
      } else if (action.type == LMCC_SENDER_ACTION_SEND_CONTROL) {
        lmcc_receiver_handle_control (test->receiver, loop->now,
            &other->sender_address, 50000, action.packet->data,
            action.packet->size);
        lmcc_packet_unref (action.packet);
      }
      test_loop_drain (loop);
    }
  }
  lmcc_receiver_get_stats (test->receiver, loop->now, &stats);
  fail_unless_equals_uint64 (stats.sources, 1);
  fail_unless (stats.drops[LMCC_DROP_FOREIGN_SOURCE] > 300);
  test_check_nothing_broken (test);
  fail_unless (longest_gap (test) < 2 * TEST_PICTURE_TIME);
  test_loop_free (other);
  test_loop_free (loop);
}

GST_END_TEST;

GST_START_TEST (test_forty_groups_work)
{
  TestLoop *loop = test_loop_new (14, TRUE);
  LmccReceiverStats stats;
  TestReceiver *test;

  loop->packet_size = 200;
  test_loop_start_sender (loop, FIRST_SSRC);
  test = test_loop_add_receiver (loop, 40, LMCC_ON_LOSS_FREEZE);
  settle (loop);
  test_loop_run (loop, 5 * LMCC_SECOND);
  lmcc_receiver_get_stats (test->receiver, loop->now, &stats);
  fail_unless_equals_int (stats.level, 40);
  fail_unless_equals_int (stats.rung, 12);
  fail_unless (stats.layers[40].received > 0);
  fail_if (test->joined[41]);
  test_check_nothing_broken (test);
  test_loop_free (loop);
}

GST_END_TEST;

GST_START_TEST (test_max_bitrate_caps_the_level)
{
  TestLoop *loop = test_loop_new (3, FALSE);
  const LmccSession *session;
  TestReceiver *test;
  LmccReceiverStats stats;

  test_loop_start_sender (loop, FIRST_SSRC);
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
  settle (loop);
  session = lmcc_sender_get_session (loop->sender);
  lmcc_receiver_set_max_bitrate (test->receiver,
      lmcc_session_level_rate (session, 1) * 5 / 4, loop->now);
  test_loop_run (loop, 5 * LMCC_SECOND);
  lmcc_receiver_get_stats (test->receiver, loop->now, &stats);
  fail_unless_equals_int (stats.level, 1);
  fail_unless_equals_int (stats.rung, 1);
  lmcc_receiver_set_max_bitrate (test->receiver, 1, loop->now);
  test_loop_run (loop, LMCC_SECOND);
  lmcc_receiver_get_stats (test->receiver, loop->now, &stats);
  fail_unless_equals_int (stats.level, 0);
  test_check_nothing_broken (test);
  test_loop_free (loop);
}

GST_END_TEST;

GST_START_TEST (test_groups_that_fell_silent_are_joined_again)
{
  TestLoop *loop = test_loop_new (1, TRUE);
  gboolean is_cut = FALSE;
  LmccReceiverStats stats;
  TestReceiver *test;

  loop->impair = test_network_cut;
  loop->impair_data = &is_cut;
  test_loop_start_sender (loop, FIRST_SSRC);
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
  settle (loop);
  is_cut = TRUE;
  test_loop_run (loop, LMCC_REJOIN_TIMEOUT + LMCC_SECOND);
  lmcc_receiver_get_stats (test->receiver, loop->now, &stats);
  fail_unless_equals_uint64 (stats.rejoins, 3);
  fail_unless_equals_int (test->n_waiting, 2);
  is_cut = FALSE;
  test_loop_run (loop, 3 * LMCC_SECOND);
  lmcc_receiver_get_stats (test->receiver, loop->now, &stats);
  fail_unless_equals_uint64 (stats.sources, 1);
  test_check_nothing_broken (test);
  fail_unless (test_picture_at (test, test->pictures->len - 1)->at + LMCC_SECOND
      > loop->now);
  test_loop_free (loop);
}

GST_END_TEST;

/* The headers of every tenth packet are changed somewhere before it arrives. */
static guint
mutilate (TestLoop *loop, guint receiver G_GNUC_UNUSED,
    const LmccPacket *packet, guint group G_GNUC_UNUSED,
    gboolean control G_GNUC_UNUSED, LmccTime *extra G_GNUC_UNUSED,
    gpointer user_data G_GNUC_UNUSED)
{
  guint i;

  if (g_rand_double (loop->random) < 0.1) {
    for (i = 0; i < 3; i++)
      packet->data[g_rand_int_range (loop->random, 0,
          (gint) MIN (packet->size, 36))] = (guint8) g_rand_int (loop->random);
  }

  return 1;
}

GST_START_TEST (test_mutilated_packets_never_stall_the_receiver)
{
  TestLoop *loop = test_loop_new (1, TRUE);
  LmccReceiverStats stats;
  TestReceiver *test;
  guint i;

  test_loop_start_sender (loop, FIRST_SSRC);
  test = test_loop_add_receiver (loop, 1, LMCC_ON_LOSS_FREEZE);
  settle (loop);
  loop->impair = mutilate;
  test_loop_run (loop, 30 * LMCC_SECOND);
  for (i = 2; i < LMCC_MAX_GROUPS; i++)
    fail_if (test->joined[i]);
  loop->impair = NULL;
  test_loop_run (loop, 5 * LMCC_SECOND);
  g_array_set_size (test->pictures, 0);
  test_loop_run (loop, 5 * LMCC_SECOND);
  lmcc_receiver_get_stats (test->receiver, loop->now, &stats);
  fail_unless (stats.drops[LMCC_DROP_MALFORMED] > 0);
  fail_unless (stats.drops[LMCC_DROP_FOREIGN_SSRC] > 0);
  fail_unless (count_shown (test) >= 4 * 12);
  test_loop_free (loop);
}

GST_END_TEST;

static Suite *
session_loop_suite (void)
{
  Suite *suite = suite_create ("session-loop");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 120);
  tcase_add_test (tcase, test_each_level_of_three_classes_shows_its_pictures);
  tcase_add_test (tcase, test_each_level_of_three_rungs_shows_its_pictures);
  tcase_add_test (tcase,
      test_each_level_of_rungs_and_classes_shows_its_pictures);
  tcase_add_test (tcase, test_receivers_wait_for_a_decoder_of_the_base_alone);
  tcase_add_test (tcase,
      test_no_picture_breaks_while_the_level_changes_classes);
  tcase_add_test (tcase, test_no_picture_breaks_while_the_level_changes_rungs);
  tcase_add_test (tcase, test_no_picture_breaks_while_rungs_and_classes_change);
  tcase_add_test (tcase,
      test_freeze_leaves_out_exactly_what_depends_on_a_lost_packet);
  tcase_add_test (tcase,
      test_conceal_marks_exactly_what_depends_on_a_lost_packet);
  tcase_add_test (tcase, test_random_loss_breaks_no_picture_and_is_counted);
  tcase_add_test (tcase,
      test_jitter_and_duplicates_lose_nothing_and_repeat_nothing);
  tcase_add_test (tcase,
      test_a_receiver_that_starts_first_waits_and_then_plays);
  tcase_add_test (tcase, test_a_restarted_sender_is_taken_up_within_a_second);
  tcase_add_test (tcase, test_a_second_sender_is_ignored_and_counted);
  tcase_add_test (tcase, test_forty_groups_work);
  tcase_add_test (tcase, test_max_bitrate_caps_the_level);
  tcase_add_test (tcase, test_groups_that_fell_silent_are_joined_again);
  tcase_add_test (tcase, test_mutilated_packets_never_stall_the_receiver);

  return suite;
}

GST_CHECK_MAIN (session_loop);
