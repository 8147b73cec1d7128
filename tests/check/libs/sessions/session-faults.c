/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the faults of a long session: table changes, layers that the network
 * blocks, outages, restarts. The picture must return each time, and no
 * broken picture may be shown.
 */
#include "support/test-loop.h"
#include "support/test-slow.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>
#include <string.h>

#define FIRST_SSRC 0x12345000u
#define SECOND_SSRC 0x6789a000u

/* Number of pictures shown in the next @duration. */
static guint
shown_in (TestLoop *loop, TestReceiver *test, LmccTime duration)
{
  guint n = 0, i;

  g_array_set_size (test->pictures, 0);
  test_loop_run (loop, duration);
  for (i = 0; i < test->pictures->len; i++)
    n += !test_picture_at (test, i)->hidden
        && !test_picture_at (test, i)->broken;

  return n;
}

static void
run_to_group_of_pictures (TestLoop *loop)
{
  while (loop->next_picture % TEST_GOP != 0)
    test_loop_run (loop, TEST_PICTURE_TIME);
}

/* Layer 1 is the second rung until the encoder makes its first B picture;
 * then it is class 1 of the first. */
GST_START_TEST (test_a_table_change_takes_a_rung_from_under_its_receiver)
{
  TestLoop *loop = test_loop_new (2, FALSE);
  LmccReceiverStats stats;
  TestReceiver *test;

  test_loop_start_sender (loop, FIRST_SSRC);
  test = test_loop_add_receiver (loop, 1, LMCC_ON_LOSS_FREEZE);
  test_loop_run (loop, 3 * LMCC_SECOND);
  lmcc_receiver_get_stats (test->receiver, loop->now, &stats);
  fail_unless_equals_int (stats.rung, 1);
  run_to_group_of_pictures (loop);
  loop->b_pictures = TRUE;
  /* The pictures in transit are not of the model decoder's new kind. */
  test_loop_run (loop, LMCC_SECOND);
  g_array_set_size (test->pictures, 0);
  test_loop_run (loop, 2 * LMCC_SECOND);
  lmcc_receiver_get_stats (test->receiver, loop->now, &stats);
  fail_unless_equals_int (stats.rung, 0);
  test_check_nothing_broken (test);
  fail_unless (shown_in (loop, test, 2 * LMCC_SECOND) >= 20);
  test_check_nothing_broken (test);
  test_loop_free (loop);
}

GST_END_TEST;

typedef struct
{
  guint first;
  guint n;
  gint rung; /* -1: all */
} Missing;

static guint
drop_pictures (TestLoop *loop G_GNUC_UNUSED, guint receiver G_GNUC_UNUSED,
    const LmccPacket *packet, guint group G_GNUC_UNUSED, gboolean control,
    LmccTime *extra G_GNUC_UNUSED, gpointer user_data)
{
  const Missing *missing = user_data;
  LmccHeader header;
  guint32 number;
  LmccRtp rtp;

  if (control || !lmcc_rtp_parse (packet->data, packet->size, 1, &rtp)
      || !lmcc_header_parse (rtp.element, rtp.element_size, &header)
      || header.type != LMCC_PACKET_MEDIA
      || (missing->rung >= 0 && header.stream != missing->rung))
    return 1;
  memcpy (&number, packet->data + rtp.header_size + 8, sizeof (number));

  return number - missing->first < missing->n ? 0 : 1;
}

/* Whole pictures are missing, so that the anchor shows no gap. */
GST_START_TEST (test_a_rung_that_the_network_withholds_gives_way_to_the_next)
{
  TestLoop *loop = test_loop_new (2, FALSE);
  Missing missing = { 3 * TEST_GOP + 7, 4 * TEST_GOP, 1 };
  LmccReceiverStats stats;
  TestReceiver *test;

  loop->impair = drop_pictures;
  loop->impair_data = &missing;
  test_loop_start_sender (loop, FIRST_SSRC);
  test = test_loop_add_receiver (loop, 1, LMCC_ON_LOSS_FREEZE);
  test_loop_run (loop, 3 * LMCC_SECOND);
  test_loop_run (loop, LMCC_SECOND);
  fail_unless (shown_in (loop, test, 2 * LMCC_SECOND) >= 40);
  test_check_nothing_broken (test);
  lmcc_receiver_get_stats (test->receiver, loop->now, &stats);
  fail_unless_equals_int (stats.rung, 0);
  test_loop_run (loop, 4 * LMCC_SECOND);
  lmcc_receiver_get_stats (test->receiver, loop->now, &stats);
  fail_unless_equals_int (stats.rung, 1);
  test_check_nothing_broken (test);
  test_loop_free (loop);
}

GST_END_TEST;

/* 3 rungs have about 300 packets per second: the order sequence number
 * covers half its range in about two minutes. */
GST_START_TEST (test_the_picture_comes_back_after_an_outage_of_any_length)
{
  guint length;

  for (length = 40; length <= 300; length += 40) {
    TestLoop *loop = test_loop_new (3, FALSE);
    gboolean is_cut = FALSE;
    TestReceiver *test;

    loop->impair = test_network_cut;
    loop->impair_data = &is_cut;
    test_loop_start_sender (loop, FIRST_SSRC);
    test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
    test_loop_run (loop, 3 * LMCC_SECOND);
    is_cut = TRUE;
    test_loop_run (loop, length * LMCC_SECOND);
    is_cut = FALSE;
    g_array_set_size (test->pictures, 0);
    test_loop_run (loop, 2 * LMCC_SECOND);
    test_check_nothing_broken (test);
    fail_unless (shown_in (loop, test, 2 * LMCC_SECOND) >= 40,
        "nothing is shown after %u s", length);
    test_check_nothing_broken (test);
    test_loop_free (loop);
  }
}

GST_END_TEST;

/* The anchor counts modulo 256: exactly this number of pictures is missing,
 * and the next one is not the first of its group. */
GST_START_TEST (test_an_outage_of_256_pictures_does_not_go_unnoticed)
{
  guint times;

  for (times = 1; times <= 4; times++) {
    TestLoop *loop = test_loop_new (1, FALSE);
    Missing missing = { 5 * TEST_GOP + 7, 256 * times, -1 };
    TestReceiver *test;

    loop->impair = drop_pictures;
    loop->impair_data = &missing;
    test_loop_start_sender (loop, FIRST_SSRC);
    test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
    test_loop_run (loop, (10 + 11 * times) * LMCC_SECOND);
    test_check_nothing_broken (test);
    fail_unless (shown_in (loop, test, 2 * LMCC_SECOND) >= 40);
    test_loop_free (loop);
  }
}

GST_END_TEST;

/* The file was written after many table changes; the sender was restarted
 * since and counts from the beginning. */
GST_START_TEST (test_an_old_sdp_file_does_not_hide_the_new_session_record)
{
  TestLoop *loop = test_loop_new (2, TRUE);
  LmccReceiverConfig config = { 0 };
  LmccSession session;
  LmccReceiverStats stats;
  TestReceiver *test;
  guint32 revision;

  test_loop_start_sender (loop, FIRST_SSRC);
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
  session = *lmcc_sender_get_session (loop->sender);
  session.revision = 1000;
  session.ssrc_base = SECOND_SSRC;
  session.n_layers = 2;
  session.n_groups = 2;
  lmcc_receiver_free (test->receiver);
  config.address = session.address;
  config.session = &session;
  config.algorithm = "auto";
  config.latency = LMCC_DEFAULT_LATENCY;
  config.max_level = -1;
  config.on_loss = LMCC_ON_LOSS_FREEZE;
  test->receiver = lmcc_receiver_new (&config);
  test->joined[0] = FALSE;
  lmcc_receiver_start (test->receiver, loop->now);
  test_loop_run (loop, 5 * LMCC_SECOND);
  revision = lmcc_receiver_get_session (test->receiver)->revision;
  fail_unless (revision < 1000, "the session is still that of the file");
  lmcc_receiver_get_stats (test->receiver, loop->now, &stats);
  fail_unless_equals_int (stats.level, 5);
  test_check_nothing_broken (test);
  test_loop_free (loop);
}

GST_END_TEST;

GST_START_TEST (test_the_sounds_sender_report_does_not_move_the_pictures)
{
  TestLoop *loop = test_loop_new (1, FALSE);
  LmccSenderReport report = { .ssrc = FIRST_SSRC + 64 * LMCC_STREAM_SOUND };
  g_autoptr (LmccPacket) packet = NULL;
  TestReceiver *test;
  guint i;

  test_loop_start_sender (loop, FIRST_SSRC);
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
  test_loop_run (loop, 3 * LMCC_SECOND);
  report.ntp_time = (G_GUINT64_CONSTANT (3900000000) + loop->now / LMCC_SECOND)
      << 32;
  report.rtp_time = 0xffff0000u + 48000 * (guint32) (loop->now / LMCC_SECOND);
  packet = lmcc_rtcp_build (&report, 1, "test", NULL);
  lmcc_receiver_handle_control (test->receiver, loop->now,
      &loop->sender_address, 40000, packet->data, packet->size);
  fail_unless (shown_in (loop, test, LMCC_SECOND) > 20);
  for (i = 1; i < test->pictures->len; i++) {
    gint64 step = (gint64) (test_picture_at (test, i)->time
        - test_picture_at (test, i - 1)->time);

    fail_unless (
        ABS (step - (gint64) TEST_PICTURE_TIME) < (gint64) LMCC_MSECOND);
  }
  test_loop_free (loop);
}

GST_END_TEST;

/* Random faults of the network towards one receiver. */
typedef struct
{
  gdouble loss;
  gint jitter; /* ms */
  gboolean is_cut;
  guint withheld;
} Weather;

static guint
impair_at_random (TestLoop *loop, guint receiver G_GNUC_UNUSED,
    const LmccPacket *packet G_GNUC_UNUSED, guint group, gboolean control,
    LmccTime *extra, gpointer user_data)
{
  const Weather *weather = user_data;

  if (weather->is_cut || (!control && group == weather->withheld)
      || g_rand_double (loop->random) < weather->loss)
    return 0;
  if (weather->jitter > 0)
    *extra = (LmccTime) g_rand_int_range (loop->random, 0, weather->jitter)
        * LMCC_MSECOND;

  return g_rand_double (loop->random) < 0.01 ? 2 : 1;
}

static void
change_something (TestLoop *loop, GRand *random, Weather *weather,
    gint n_layers)
{
  guint receiver =
      (guint) g_rand_int_range (random, 0, (gint32) loop->n_receivers);
  TestReceiver *test = &loop->receivers[receiver];

  switch (g_rand_int_range (random, 0, 8)) {
    case 0:
    case 1:
    case 2:
      lmcc_receiver_set_max_level (test->receiver,
          g_rand_int_range (random, -1, n_layers), loop->now);
      break;
    case 3:
      weather->loss = g_rand_double (random) * 0.1;
      break;
    case 4:
      weather->jitter = g_rand_int_range (random, 0, 60);
      break;
    case 5:
      weather->withheld = (guint) g_rand_int_range (random, 0, n_layers + 2);
      break;
    case 6:
      weather->is_cut = g_rand_boolean (random);
      break;
    default:
      test_loop_kill_sender (loop);
      test_loop_run (loop,
          (LmccTime) g_rand_int_range (random, 0, 1500) * LMCC_MSECOND);
      test_loop_start_sender (loop, g_rand_int (random) & 0xfffff000u);
      break;
  }
}

static void
live_through (guint32 seed, guint n_changes)
{
  GRand *random = g_rand_new_with_seed (seed);
  guint n_rungs = (guint) g_rand_int_range (random, 1, 5);
  gboolean b_pictures = g_rand_boolean (random);
  TestLoop *loop = test_loop_new (n_rungs, b_pictures);
  gint n_layers = (gint) (n_rungs * (b_pictures ? 3 : 1));
  Weather weather = { .withheld = LMCC_MAX_GROUPS };
  guint i, k;

  loop->impair = impair_at_random;
  loop->impair_data = &weather;
  test_loop_start_sender (loop, FIRST_SSRC);
  for (i = 0; i < 3; i++)
    test_loop_add_receiver (loop, (gint) i - 1, LMCC_ON_LOSS_FREEZE);

  for (i = 1; i <= n_changes; i++) {
    change_something (loop, random, &weather, n_layers);
    test_loop_run (loop,
        (LmccTime) g_rand_int_range (random, 1, 2500) * LMCC_MSECOND);
    if (i % 10 != 0)
      continue;
    weather = (Weather){ .withheld = LMCC_MAX_GROUPS };
    for (k = 0; k < loop->n_receivers; k++) {
      test_check_nothing_broken (&loop->receivers[k]);
      g_array_set_size (loop->receivers[k].pictures, 0);
    }
    /* A group of pictures until the key frame, the latency, a restart. */
    test_loop_run (loop, 3 * LMCC_SECOND);
    for (k = 0; k < loop->n_receivers; k++) {
      test_check_nothing_broken (&loop->receivers[k]);
      g_array_set_size (loop->receivers[k].pictures, 0);
    }
    test_loop_run (loop, 2 * LMCC_SECOND);
    for (k = 0; k < loop->n_receivers; k++) {
      TestReceiver *test = &loop->receivers[k];
      LmccReceiverStats stats;

      lmcc_receiver_get_stats (test->receiver, loop->now, &stats);
      test_check_nothing_broken (test);
      fail_unless (test->pictures->len >= 12,
          "seed %u, change %u: receiver %u "
          "at level %d, rung %d shows %u pictures in 2 s",
          seed, i, k, stats.level, stats.rung, test->pictures->len);
    }
  }
  test_loop_free (loop);
  g_rand_free (random);
}

GST_START_TEST (test_the_picture_comes_back_whatever_happens)
{
  guint32 seed, n = test_is_slow () ? 3 : 12;

  for (seed = 1; seed <= n; seed++)
    live_through (seed, 60);
}

GST_END_TEST;

static Suite *
session_faults_suite (void)
{
  Suite *suite = suite_create ("session-faults");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 120);
  tcase_add_test (tcase,
      test_a_table_change_takes_a_rung_from_under_its_receiver);
  tcase_add_test (tcase,
      test_a_rung_that_the_network_withholds_gives_way_to_the_next);
  tcase_add_test (tcase,
      test_the_picture_comes_back_after_an_outage_of_any_length);
  tcase_add_test (tcase, test_an_outage_of_256_pictures_does_not_go_unnoticed);
  tcase_add_test (tcase,
      test_an_old_sdp_file_does_not_hide_the_new_session_record);
  tcase_add_test (tcase,
      test_the_sounds_sender_report_does_not_move_the_pictures);
  tcase_add_test (tcase, test_the_picture_comes_back_whatever_happens);

  return suite;
}

GST_CHECK_MAIN (session_faults);
