/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests layers of fixed rates from the real sender to the real receiver:
 * each layer has units of all rungs and classes.
 */
#include "support/test-loop.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>
#include <string.h>

#define SSRC 0x12345000u
#define RTP_OFFSET 0xffff0000u
#define WINDOW (2200 * LMCC_MSECOND)
#define MAX_RUNGS 3
#define MAX_PICTURES (60 * 24)
#define NOT_SENT G_MAXUINT8

/* The packets that the sender sent: the highest layer of each unit; and the
 * network's treatment of them. */
typedef struct
{
  guint8 highest[MAX_RUNGS][MAX_PICTURES];
  gdouble loss;
  gdouble filler_loss;
  guint cut_layer;
  guint n_lost;
  guint64 media[LMCC_MAX_LAYERS];
} Network;

static guint
picture_of (guint32 timestamp)
{
  LmccTime time = (LmccTime) (timestamp - RTP_OFFSET) * LMCC_SECOND / 90000;

  return (guint) ((time - test_presentation_time (0) + TEST_PICTURE_TIME / 2)
      / TEST_PICTURE_TIME);
}

static guint
network (TestLoop *loop, guint receiver G_GNUC_UNUSED, const LmccPacket *packet,
    guint group, gboolean control, LmccTime *extra_delay G_GNUC_UNUSED,
    gpointer user_data)
{
  Network *network = user_data;
  LmccRtp rtp;
  LmccHeader header;
  guint8 *highest;
  gdouble loss;

  if (control)
    return 1;
  /* fail_unless() would make a system call each time. */
  if (!lmcc_rtp_parse (packet->data, packet->size, 1, &rtp)
      || !lmcc_header_parse (rtp.element, rtp.element_size, &header))
    fail ("not a packet of a session");
  if (header.type == LMCC_PACKET_MEDIA) {
    highest = &network->highest[header.stream][picture_of (rtp.timestamp)];
    if (*highest == NOT_SENT || *highest < header.layer)
      *highest = header.layer;
    network->media[header.layer]++;
  }
  loss = header.type == LMCC_PACKET_FILLER
      ? MAX (network->loss, network->filler_loss)
      : network->loss;
  if (group >= network->cut_layer
      || (loss > 0 && g_rand_double (loop->random) < loss)) {
    network->n_lost++;
    return 0;
  }

  return 1;
}

static void
network_init (Network *network)
{
  memset (network, 0, sizeof (*network));
  memset (network->highest, NOT_SENT, sizeof (network->highest));
  network->cut_layer = LMCC_MAX_LAYERS;
}

static TestLoop *
make_loop (Network *net, guint n_rungs, gboolean b_pictures, guint n_layers,
    guint64 base)
{
  TestLoop *loop = test_loop_new (n_rungs, b_pictures);
  guint i;

  network_init (net);
  loop->window = WINDOW;
  loop->n_layers = n_layers;
  for (i = 0; i < n_layers; i++)
    loop->rates[i] = i < 2 ? base : base << (i - 1);
  loop->impair = network;
  loop->impair_data = net;
  test_loop_start_sender (loop, SSRC);

  return loop;
}

static void
settle (TestLoop *loop)
{
  guint i;

  test_loop_run (loop, 6 * LMCC_SECOND);
  for (i = 0; i < loop->n_receivers; i++)
    g_array_set_size (loop->receivers[i].pictures, 0);
}

/* Whether all of a unit lies in the layers of @level. */
static gboolean
is_held (const Network *net, guint rung, guint number, gint level)
{
  guint8 highest = net->highest[rung][number];

  return highest != NOT_SENT && highest <= level;
}

static guint
count_held (const Network *net, guint rung, guint group, gint level)
{
  guint n = 0, i;

  for (i = 0; i < TEST_GOP; i++)
    n += is_held (net, rung, group * TEST_GOP + i, level);

  return n;
}

/* The highest rung that had as many pictures in the previous group as any
 * lower one, and has a key frame. */
static guint
expected_rung (const TestLoop *loop, const Network *net, guint group,
    gint level)
{
  guint most = count_held (net, 0, group - 1, level), best = 0, rung;

  for (rung = 1; rung < loop->n_rungs; rung++) {
    guint n = count_held (net, rung, group - 1, level);

    if (n == 0 || n < most)
      continue;
    most = n;
    if (is_held (net, rung, group * TEST_GOP, level))
      best = rung;
  }

  return best;
}

static gboolean
was_given (TestReceiver *test, guint rung, guint number)
{
  guint i;

  for (i = 0; i < test->pictures->len; i++) {
    TestPicture *picture = test_picture_at (test, i);

    if (picture->number == number && picture->rung == rung)
      return TRUE;
  }

  return FALSE;
}

static guint
check_level (guint n_rungs, gboolean b_pictures, gint level, LmccOnLoss on_loss)
{
  Network net;
  TestLoop *loop = make_loop (&net, n_rungs, b_pictures, 6, 64000);
  TestReceiver *test = test_loop_add_receiver (loop, level, on_loss);
  guint first, group, rung, i, n = 0;

  settle (loop);
  first = (guint) ((loop->now - TEST_START) / TEST_PICTURE_TIME) / TEST_GOP;
  test_loop_run (loop, 10 * LMCC_SECOND);

  test_check_nothing_broken (test);
  test_check_in_time (test);
  fail_unless_equals_int (test->sequence_gaps, 0);
  for (group = first; group < first + 7; group++) {
    guint chosen = expected_rung (loop, &net, group, level);

    for (rung = 0; rung < n_rungs; rung++) {
      for (i = group * TEST_GOP; i < (group + 1) * TEST_GOP; i++) {
        gboolean expected = rung == chosen && is_held (&net, rung, i, level);

        n += expected;
        if (was_given (test, rung, i) != expected)
          fail ("level %d: picture %u of rung %u %s, chosen %u", level, i, rung,
              expected ? "is missing" : "came", chosen);
      }
    }
  }
  for (i = 0; i < test->pictures->len; i++)
    fail_if (test_picture_at (test, i)->corrupted);
  test_loop_free (loop);

  return n;
}

static void
check_every_level (guint n_rungs, gboolean b_pictures)
{
  guint shown = 0;
  gint level;

  for (level = 0; level < 6; level++) {
    guint n = check_level (n_rungs, b_pictures, level, LMCC_ON_LOSS_FREEZE);

    fail_unless_equals_int (n,
        check_level (n_rungs, b_pictures, level, LMCC_ON_LOSS_CONCEAL));
    fail_unless (n_rungs > 1 || n >= shown, "level %d has %u pictures", level,
        n);
    shown = n;
  }
  fail_unless (shown > 100);
}

GST_START_TEST (test_each_level_gives_the_pictures_that_fit)
{
  check_every_level (1, __i__);
}

GST_END_TEST;

GST_START_TEST (test_each_level_gives_the_rung_that_fits)
{
  check_every_level (3, __i__);
}

GST_END_TEST;

/* Every picture between the first and the last, except for a group, exactly
 * once. */
static void
check_all_came (TestReceiver *test)
{
  guint first = test_picture_at (test, 0)->number + TEST_GOP;
  guint last =
      test_picture_at (test, test->pictures->len - 1)->number - TEST_GOP;
  guint number;

  fail_unless (last > first + 4 * TEST_GOP);
  for (number = first; number < last; number++)
    fail_unless (was_given (test, 0, number), "picture %u is missing", number);
  fail_unless_equals_int (test->sequence_gaps, 0);
  test_check_nothing_broken (test);
  test_check_in_time (test);
}

/* 2 Mbit/s for a video of half that rate: all units fit and arrive
 * bit-identical, which the loop checks. The highest layer is filler. */
GST_START_TEST (test_with_all_layers_everything_comes)
{
  Network net;
  TestLoop *loop = make_loop (&net, 1, TRUE, 6, 64000);
  TestReceiver *test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
  guint i;

  settle (loop);
  test_loop_run (loop, 12 * LMCC_SECOND);
  fail_unless (net.media[5] == 0);
  fail_unless (net.media[3] > 0);
  check_all_came (test);
  for (i = 0; i < LMCC_MAX_CLASSES; i++)
    fail_unless_equals_uint64 (
        lmcc_sender_get_stats (loop->sender)->units_dropped[i], 0);
  test_loop_free (loop);
}

GST_END_TEST;

GST_START_TEST (test_lost_filler_costs_nothing)
{
  Network net;
  TestLoop *loop = make_loop (&net, 1, TRUE, 6, 64000);
  TestReceiver *test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);

  settle (loop);
  net.filler_loss = 0.3;
  test_loop_run (loop, 10 * LMCC_SECOND);
  fail_unless (net.n_lost > 100);
  check_all_came (test);
  test_loop_free (loop);
}

GST_END_TEST;

/* A layer of filler that does not arrive at all: pictures wait for it, but
 * not too long. */
GST_START_TEST (test_a_silent_layer_does_not_make_pictures_late)
{
  Network net;
  TestLoop *loop = make_loop (&net, 1, TRUE, 6, 64000);
  TestReceiver *test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);

  settle (loop);
  net.cut_layer = 5;
  test_loop_run (loop, 10 * LMCC_SECOND);
  fail_unless (net.n_lost > 100);
  check_all_came (test);
  test_loop_free (loop);
}

GST_END_TEST;

static void
check_loss (guint n_rungs, gboolean b_pictures, gdouble loss)
{
  Network net;
  TestLoop *loop = make_loop (&net, n_rungs, b_pictures, 6, 64000);
  TestReceiver *test;
  gint level;
  guint n = 0;

  for (level = 0; level < TEST_MAX_RECEIVERS; level++)
    test_loop_add_receiver (loop, level + 2, LMCC_ON_LOSS_FREEZE);
  settle (loop);
  net.loss = loss;
  test_loop_run (loop, 15 * LMCC_SECOND);

  fail_unless (net.n_lost > 10);
  for (level = 0; level < TEST_MAX_RECEIVERS; level++) {
    test = &loop->receivers[level];
    test_check_nothing_broken (test);
    test_check_in_time (test);
    n += test->pictures->len;
  }
  fail_unless (n > 100, "%u pictures", n);
  test_loop_free (loop);
}

GST_START_TEST (test_nothing_broken_is_given_out_under_loss)
{
  static const gdouble losses[] = { 0.002, 0.01, 0.05 };

  check_loss (1, TRUE, losses[__i__]);
  check_loss (3, TRUE, losses[__i__]);
  check_loss (3, FALSE, losses[__i__]);
}

GST_END_TEST;

static void
change_level (guint n_rungs, gboolean b_pictures, LmccOnLoss on_loss)
{
  Network net;
  TestLoop *loop = make_loop (&net, n_rungs, b_pictures, 6, 64000);
  TestReceiver *test = test_loop_add_receiver (loop, -1, on_loss);
  guint i;

  settle (loop);
  for (i = 0; i < 15; i++) {
    lmcc_receiver_set_max_level (test->receiver,
        g_rand_int_range (loop->random, 0, 6), loop->now);
    test_loop_run (loop, LMCC_SECOND + 117 * LMCC_MSECOND);
  }
  test_check_nothing_broken (test);
  test_check_in_time (test);
  fail_unless (test->levels->len > 7);
  fail_unless (test->pictures->len > 100);
  test_loop_free (loop);
}

GST_START_TEST (test_no_picture_breaks_while_the_level_changes)
{
  LmccOnLoss on_loss = __i__ ? LMCC_ON_LOSS_CONCEAL : LMCC_ON_LOSS_FREEZE;

  change_level (1, FALSE, on_loss);
  change_level (1, TRUE, on_loss);
  change_level (3, FALSE, on_loss);
  change_level (3, TRUE, on_loss);
}

GST_END_TEST;

static Suite *
session_shaped_suite (void)
{
  Suite *s = suite_create ("session-shaped");
  TCase *tc = tcase_create ("levels");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_each_level_gives_the_pictures_that_fit, 0, 2);
  tcase_add_loop_test (tc, test_each_level_gives_the_rung_that_fits, 0, 2);
  tcase_add_test (tc, test_with_all_layers_everything_comes);
  tcase_add_loop_test (tc, test_no_picture_breaks_while_the_level_changes, 0,
      2);

  tc = tcase_create ("loss");
  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_nothing_broken_is_given_out_under_loss, 0, 3);
  tcase_add_test (tc, test_lost_filler_costs_nothing);
  tcase_add_test (tc, test_a_silent_layer_does_not_make_pictures_late);

  return s;
}

GST_CHECK_MAIN (session_shaped);
