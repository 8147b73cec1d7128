/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests audio beside the pictures, from the real sender to the real
 * receiver, in virtual time.
 */
#include "support/test-loop.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>
#include <string.h>

#define S0 0x12345000u
#define RUN (10 * LMCC_SECOND)

/* The receiver follows the sender's clock at 500 parts per million while
 * packets arrive, and packets that belong together may arrive a window
 * apart: 2.2 ms in 4.4 s. */
#define APART (3 * (gint64) LMCC_MSECOND)

static TestLoop *
new_loop (guint n_rungs)
{
  TestLoop *loop = test_loop_new (n_rungs, TRUE);

  loop->sound = TRUE;

  return loop;
}

static TestSound *
sound_at (TestReceiver *test, guint index)
{
  return &g_array_index (test->sounds, TestSound, index);
}

/* The receiver's time minus the sender's. */
static gint64
sound_offset (const TestSound *sound)
{
  return (gint64) sound->time
      - (gint64) (TEST_START + sound->number * TEST_SOUND_TIME);
}

static gint64
picture_offset (const TestPicture *picture)
{
  return (gint64) picture->time
      - (gint64) test_presentation_time (picture->number);
}

static const TestSound *
find_sound (TestReceiver *test, guint number)
{
  guint i;

  for (i = 0; i < test->sounds->len; i++) {
    if (sound_at (test, i)->number == number)
      return sound_at (test, i);
  }

  return NULL;
}

/* Pictures and audio that belong together get the same time. */
static void
check_together (TestReceiver *test)
{
  guint n_compared = 0, i;

  for (i = 0; i < test->pictures->len; i++) {
    TestPicture *picture = test_picture_at (test, i);
    LmccTime sent = test_presentation_time (picture->number) - TEST_START;
    const TestSound *sound =
        find_sound (test, (guint) (sent / TEST_SOUND_TIME));

    if (picture->hidden || sound == NULL)
      continue;
    fail_unless (ABS (picture_offset (picture) - sound_offset (sound)) <= APART,
        "picture %u is %" G_GINT64_FORMAT " ns from the sound", i,
        picture_offset (picture) - sound_offset (sound));
    n_compared++;
  }
  /* At the ends one of the two may be missing, and one in twenty between
   * them. */
  fail_unless (n_compared >= 3 * 24 * 9 / 10 - 24, "%u compared", n_compared);
}

static void
check_in_time (TestReceiver *test)
{
  LmccTime latency = lmcc_receiver_get_latency (test->receiver);
  guint i;

  for (i = 0; i < test->sounds->len; i++)
    fail_unless (sound_at (test, i)->at < sound_at (test, i)->time + latency);
}

/* In order, each once, none missing. */
static void
check_whole (TestReceiver *test, guint at_least)
{
  guint i;

  fail_unless (test->sounds->len >= at_least, "%u packets of sound",
      test->sounds->len);
  for (i = 1; i < test->sounds->len; i++) {
    TestSound *before = sound_at (test, i - 1), *sound = sound_at (test, i);

    fail_unless_equals_int (sound->number, before->number + 1);
    fail_unless_equals_int (sound->sequence, (guint16) (before->sequence + 1));
    fail_if (sound->discont);
  }
}

static guint
packets_in (LmccTime time)
{
  return (guint) (time / TEST_SOUND_TIME);
}

GST_START_TEST (test_sound_comes_whole_and_in_time_at_every_level)
{
  gint level;

  for (level = 0; level < 6; level++) {
    TestLoop *loop = new_loop (2);
    TestReceiver *test;

    test_loop_start_sender (loop, S0);
    test = test_loop_add_receiver (loop, level, LMCC_ON_LOSS_FREEZE);
    test_loop_run (loop, RUN);
    /* Packets before the layers are known, and packets in transit. */
    check_whole (test, packets_in (RUN - LMCC_SECOND));
    check_in_time (test);
    check_together (test);
    test_loop_free (loop);
  }
}

GST_END_TEST;

GST_START_TEST (test_sound_in_layers_of_fixed_rates)
{
  TestLoop *loop = new_loop (1);
  TestReceiver *base, *all;
  guint i;

  loop->n_layers = 3;
  loop->window = LMCC_DEFAULT_SHAPED_WINDOW;
  for (i = 0; i < loop->n_layers; i++)
    loop->rates[i] = 500000;
  test_loop_start_sender (loop, S0);
  base = test_loop_add_receiver (loop, 0, LMCC_ON_LOSS_CONCEAL);
  all = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_CONCEAL);
  test_loop_run (loop, 3 * RUN);
  check_whole (base, packets_in (2 * RUN));
  check_in_time (base);
  check_together (base);
  check_whole (all, packets_in (2 * RUN));
  check_in_time (all);
  check_together (all);
  test_loop_free (loop);
}

GST_END_TEST;

GST_START_TEST (test_a_late_receiver_has_pictures_and_sound_together)
{
  TestLoop *loop = new_loop (2);
  TestReceiver *test;

  test_loop_start_sender (loop, S0);
  test_loop_run (loop, RUN);
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
  test_loop_run (loop, 5 * LMCC_SECOND);
  lmcc_receiver_set_max_level (test->receiver, 0, loop->now);
  test_loop_run (loop, 5 * LMCC_SECOND);
  check_whole (test, packets_in (RUN - LMCC_SECOND));
  check_together (test);
  test_loop_free (loop);
}

GST_END_TEST;

static gboolean
is_sound (const LmccPacket *packet, LmccHeader *header)
{
  LmccRtp rtp;

  return lmcc_rtp_parse (packet->data, packet->size, LMCC_HEADER_DEFAULT_ID,
             &rtp)
      && rtp.element != NULL
      && lmcc_header_parse (rtp.element, rtp.element_size, header)
      && header->type == LMCC_PACKET_MEDIA
      && header->stream == LMCC_STREAM_SOUND;
}

/* Every 20th audio packet is lost. */
static guint
lose_sound (TestLoop *loop G_GNUC_UNUSED, guint receiver G_GNUC_UNUSED,
    const LmccPacket *packet, guint group G_GNUC_UNUSED, gboolean control,
    LmccTime *extra_delay G_GNUC_UNUSED, gpointer user_data)
{
  guint *n = user_data;
  LmccHeader header;

  if (control || !is_sound (packet, &header))
    return 1;

  return ++*n % 20 == 0 ? 0 : 1;
}

GST_START_TEST (test_lost_sound_leaves_a_gap_and_stops_no_picture)
{
  TestLoop *loop = new_loop (1);
  TestReceiver *test;
  guint n = 0, missing = 0, i;
  LmccReceiverStats stats;

  loop->impair = lose_sound;
  loop->impair_data = &n;
  test_loop_start_sender (loop, S0);
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
  test_loop_run (loop, RUN);
  for (i = 1; i < test->sounds->len; i++) {
    guint gap = sound_at (test, i)->number - sound_at (test, i - 1)->number - 1;

    fail_unless_equals_int ((guint16) (sound_at (test, i)->sequence
                                - sound_at (test, i - 1)->sequence),
        gap + 1);
    fail_unless (sound_at (test, i)->discont == (gap > 0));
    missing += gap;
  }
  fail_unless (missing >= packets_in (RUN - LMCC_SECOND) / 20);
  check_together (test);
  /* The lost packets do not belong to the pictures. */
  test_check_nothing_broken (test);
  fail_unless_equals_int (test->sequence_gaps, 0);
  lmcc_receiver_get_stats (test->receiver, loop->now, &stats);
  fail_unless_equals_int (stats.gate.units_frozen, 0);
  fail_unless_equals_int (stats.sound_lost, missing);
  fail_unless_equals_int (stats.sound_delivered, test->sounds->len);
  test_loop_free (loop);
}

GST_END_TEST;

GST_START_TEST (test_lost_sound_is_repaired)
{
  TestLoop *loop = new_loop (1);
  TestReceiver *test;
  guint n = 0;

  loop->repair = 300;
  loop->impair = lose_sound;
  loop->impair_data = &n;
  test_loop_start_sender (loop, S0);
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
  test_loop_run (loop, RUN);
  fail_unless (n >= 400);
  check_whole (test, packets_in (RUN - LMCC_SECOND));
  check_in_time (test);
  check_together (test);
  test_loop_free (loop);
}

GST_END_TEST;

GST_START_TEST (test_sound_goes_on_without_pictures_and_they_without_it)
{
  TestLoop *loop = new_loop (1);
  TestReceiver *test;
  guint pictures, sounds;

  test_loop_start_sender (loop, S0);
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
  test_loop_run (loop, 3 * LMCC_SECOND);
  loop->next_picture = (loop->next_picture / TEST_GOP + 6) * TEST_GOP;
  sounds = test->sounds->len;
  test_loop_run (loop, 4 * LMCC_SECOND);
  fail_unless (test->sounds->len - sounds >= packets_in (3 * LMCC_SECOND));
  test_loop_run (loop, 2 * LMCC_SECOND);
  loop->sound = FALSE;
  pictures = test->pictures->len;
  test_loop_run (loop, 3 * LMCC_SECOND);
  fail_unless (test->pictures->len - pictures >= 2 * 24);
  test_check_nothing_broken (test);
  test_loop_free (loop);
}

GST_END_TEST;

static void
push_forged (TestLoop *loop, TestReceiver *test, guint layer, guint16 lsn,
    guint16 sequence)
{
  LmccHeader header = { .type = LMCC_PACKET_MEDIA,
    .first = TRUE,
    .last = TRUE,
    .layer = (guint8) layer,
    .top_layer = 2,
    .stream = LMCC_STREAM_SOUND,
    .lsn = lsn,
    .signal = LMCC_SIGNAL_NOBODY };
  LmccRtp rtp = { .payload_type = 96 + LMCC_STREAM_SOUND,
    .sequence = sequence,
    .ssrc = S0 + 64 * LMCC_STREAM_SOUND + layer,
    .payload_size = TEST_SOUND_PAYLOAD,
    .timestamp = g_rand_int (loop->random) };
  guint8 payload[TEST_SOUND_PAYLOAD] = { 0 };

  lmcc_receiver_handle_packet (test->receiver, loop->now, loop->now, layer,
      &loop->sender_address, 40000,
      lmcc_rtp_build (&rtp, &header, LMCC_HEADER_DEFAULT_ID, payload));
  test_loop_drain (loop);
}

/* The latest numbers received. */
typedef struct
{
  guint16 lsn[LMCC_MAX_LAYERS];
  guint16 sequence;
} Latest;

static guint
watch_base (TestLoop *loop G_GNUC_UNUSED, guint receiver G_GNUC_UNUSED,
    const LmccPacket *packet, guint group, gboolean control,
    LmccTime *extra_delay G_GNUC_UNUSED, gpointer user_data)
{
  Latest *latest = user_data;
  LmccHeader header;
  LmccRtp rtp;

  if (control
      || !lmcc_rtp_parse (packet->data, packet->size, LMCC_HEADER_DEFAULT_ID,
          &rtp)
      || !lmcc_header_parse (rtp.element, rtp.element_size, &header))
    return 1;
  latest->lsn[group] = header.lsn;
  if (header.stream == LMCC_STREAM_SOUND)
    latest->sequence = rtp.sequence;

  return 1;
}

GST_START_TEST (test_sound_that_the_session_has_not_is_dropped)
{
  TestLoop *loop = test_loop_new (1, TRUE);
  TestReceiver *test;
  LmccReceiverStats stats;
  Latest latest;
  guint i;

  loop->impair = watch_base;
  loop->impair_data = &latest;
  test_loop_start_sender (loop, S0);
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
  test_loop_run (loop, 3 * LMCC_SECOND);
  for (i = 1; i <= 10; i++)
    push_forged (loop, test, 0, (guint16) (latest.lsn[0] + i), (guint16) i);
  test_loop_run (loop, LMCC_SECOND);
  lmcc_receiver_get_stats (test->receiver, loop->now, &stats);
  fail_unless_equals_int (test->sounds->len, 0);
  fail_unless (stats.drops[LMCC_DROP_UNKNOWN_TYPE] >= 10);
  test_loop_free (loop);
}

GST_END_TEST;

GST_START_TEST (test_forged_sound_does_not_stop_the_true_one)
{
  TestLoop *loop = new_loop (1);
  TestReceiver *test;
  LmccReceiverStats stats;
  Latest latest;
  guint heard, i;

  loop->impair = watch_base;
  loop->impair_data = &latest;
  test_loop_start_sender (loop, S0);
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_CONCEAL);
  test_loop_run (loop, 3 * LMCC_SECOND);
  /* Audio in a higher layer, and sequence numbers that jump, with timestamps
   * that are far off. */
  for (i = 1; i <= 10; i++)
    push_forged (loop, test, 1, (guint16) (latest.lsn[1] + i), (guint16) i);
  for (i = 1; i <= 10; i++)
    push_forged (loop, test, 0, (guint16) (latest.lsn[0] + i),
        (guint16) (latest.sequence + i * 20000));
  lmcc_receiver_get_stats (test->receiver, loop->now, &stats);
  fail_unless (stats.drops[LMCC_DROP_UNKNOWN_TYPE] >= 10);
  test_loop_run (loop, 2 * LMCC_SECOND);
  heard = test->sounds->len;
  test_loop_run (loop, RUN);
  fail_unless (test->sounds->len - heard >= packets_in (RUN - LMCC_SECOND));
  /* The sender's next report corrects the times. */
  g_array_remove_range (test->sounds, 0, heard);
  g_array_remove_range (test->pictures, 0, test->pictures->len - 3 * 24);
  check_together (test);
  test_loop_free (loop);
}

GST_END_TEST;

static Suite *
sound_suite (void)
{
  Suite *s = suite_create ("sound");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_sound_comes_whole_and_in_time_at_every_level);
  tcase_add_test (tc, test_sound_in_layers_of_fixed_rates);
  tcase_add_test (tc, test_a_late_receiver_has_pictures_and_sound_together);
  tcase_add_test (tc, test_lost_sound_leaves_a_gap_and_stops_no_picture);
  tcase_add_test (tc, test_lost_sound_is_repaired);
  tcase_add_test (tc, test_sound_goes_on_without_pictures_and_they_without_it);
  tcase_add_test (tc, test_sound_that_the_session_has_not_is_dropped);
  tcase_add_test (tc, test_forged_sound_does_not_stop_the_true_one);

  return s;
}

GST_CHECK_MAIN (sound);
