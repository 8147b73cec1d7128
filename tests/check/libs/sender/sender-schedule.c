/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests when the sender sends packets: constant rates, bursts, late callers
 * and full queues.
 */
#include "support/sender-harness.h"

#include <gst/lmcc/sender/allocator.h>
#include <gst/lmcc/wire/constants.h>
#include <math.h>

/* 25 pictures per second of 5 packets: at a constant rate one every 8 ms. */
GST_START_TEST (test_constant_input_is_sent_at_a_constant_rate)
{
  LmccSenderConfig config = sender_config (1);
  Harness h = harness_new (&config);
  LmccTime last = LMCC_TIME_NONE;
  gdouble worst = 0;
  guint i, n = 0;

  for (i = 0; i < 250; i++)
    harness_push_at (&h, make_unit (0, 0, START + i * 40 * MS, 5, 1000));
  for (i = 0; i < N_SENT (&h); i++) {
    const SentPacket *s = SENT (&h, i);

    if (!is_media (s) || s->time < START + 2 * LMCC_SECOND)
      continue;
    if (last != LMCC_TIME_NONE)
      worst = MAX (worst, fabs ((gdouble) (s->time - last) / (8 * MS) - 1));
    last = s->time;
    n++;
  }
  fail_unless (n > 900);
  fail_unless (worst < 0.01, "worst gap differs by %g", worst);
  harness_clear (&h);
}

GST_END_TEST;

typedef struct
{
  LmccTime from;
  LmccTime deadline;
} Span;

GST_START_TEST (test_no_packet_leaves_before_its_time_or_after_the_window)
{
  LmccSenderConfig config = sender_config (3);
  Harness h;
  GRand *rand = g_rand_new_with_seed (7);
  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (Span));
  LmccTime time = START;
  guint i, n = 0;

  config.session.train_cycle = __i__ == 0 ? 0 : (2 * LMCC_SECOND);
  h = harness_new (&config);
  while (time < START + 30 * LMCC_SECOND && spans->len < 60000) {
    guint stream;

    /* Some arrive early, some when part of the window is over. */
    harness_run_until (&h,
        time - 20 * MS + (LmccTime) g_rand_int_range (rand, 0, 100) * MS);
    for (stream = 0; stream < 3; stream++) {
      guint n_packets = (guint) g_rand_int_range (rand, 1, 40);
      Span span = { time, time + WINDOW };

      harness_push (&h,
          make_unit (stream, (guint) g_rand_int_range (rand, 0, 3), time,
              n_packets, (gsize) g_rand_int_range (rand, 1, 1300)));
      while (n_packets-- > 0)
        g_array_append_val (spans, span);
    }
    time += (LmccTime) g_rand_int_range (rand, 0, 100) * MS;
    time = MAX (time, h.now - 80 * MS);
  }
  harness_run_until (&h, time + 2 * WINDOW);
  fail_unless (spans->len > 20000);

  for (i = 0; i < N_SENT (&h); i++) {
    const SentPacket *s = SENT (&h, i);
    const Span *span;

    if (!is_media (s))
      continue;
    span = &g_array_index (spans, Span,
        (guint16) (s->header.osn - config.sequence_seed));
    fail_unless (s->time >= span->from);
    fail_unless (s->time <= span->deadline, "%" G_GUINT64_FORMAT " ns late",
        s->time - span->deadline);
    n++;
  }
  fail_unless_equals_int (n, spans->len);
  fail_unless_equals_uint64 (lmcc_sender_get_stats (h.sender)->units_late, 0);
  g_rand_free (rand);
  harness_clear (&h);
}

GST_END_TEST;

static guint64
count_media (Harness *h)
{
  const LmccSenderStats *stats = lmcc_sender_get_stats (h->sender);

  return stats->packets - stats->layers[0].fillers - stats->layers[1].fillers;
}

/* A caller that comes every 37 ms sends what a prompt one would have sent by
 * then: nothing is lost, and nothing is sent early. */
GST_START_TEST (test_a_late_caller_catches_up_and_no_more)
{
  LmccSenderConfig config = sender_config (2);
  Harness prompt = harness_new (&config), late = harness_new (&config);
  guint step, stream;

  for (step = 0; step < 200; step++) {
    LmccTime time = START + step * 37 * MS;

    harness_run_until (&prompt, time);
    late.now = time;
    lmcc_sender_handle_timeout (late.sender, time);
    harness_drain (&late);
    fail_unless_equals_uint64 (count_media (&prompt), count_media (&late));
    for (stream = 0; stream < 2; stream++) {
      harness_push (&prompt, make_unit (stream, 0, time, 5 + step % 7, 700));
      harness_push (&late, make_unit (stream, 0, time, 5 + step % 7, 700));
    }
  }
  fail_unless (count_media (&late) > 2000);
  fail_unless_equals_uint64 (
      lmcc_sender_get_stats (prompt.sender)->lateness_max, 0);
  fail_unless (lmcc_sender_get_stats (late.sender)->lateness_max > 20 * MS);
  fail_unless (lmcc_sender_get_stats (late.sender)->lateness_max <= 37 * MS);
  harness_clear (&prompt);
  harness_clear (&late);
}

GST_END_TEST;

GST_START_TEST (test_late_units_are_counted_and_not_sent_in_one_burst)
{
  LmccSenderConfig config = sender_config (1);
  Harness h = harness_new (&config);
  LmccTime now = START + LMCC_SECOND, last = 0;
  guint i, n = 0;

  harness_run_until (&h, now);
  harness_push (&h, make_unit (0, 0, now - 500 * MS, 20, 1000));
  harness_push (&h, make_unit (0, 0, now - 460 * MS, 20, 1000));
  harness_run_until (&h, now + WINDOW);
  fail_unless_equals_uint64 (lmcc_sender_get_stats (h.sender)->units_late, 2);
  for (i = 0; i < N_SENT (&h); i++) {
    const SentPacket *s = SENT (&h, i);

    if (!is_media (s))
      continue;
    if (n == 0) {
      fail_unless_equals_uint64 (s->time, now);
    } else {
      fail_unless (s->time >= last + MS / 2);
    }
    last = s->time;
    n++;
  }
  fail_unless_equals_int (n, 40);
  fail_unless (last < now + WINDOW / 2);
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_no_layer_is_silent_for_longer_than_the_filler_interval)
{
  LmccSenderConfig config = sender_config (3);
  Harness h = harness_new (&config);
  GRand *rand = g_rand_new_with_seed (3);
  LmccTime last[LMCC_MAX_LAYERS], end;
  guint i, n_fillers = 0;

  harness_push_random_until (&h, rand, START + 10 * LMCC_SECOND, 3, FALSE);
  end = h.now;
  for (i = 0; i < LMCC_MAX_LAYERS; i++)
    last[i] = i < 3 ? START : LMCC_TIME_NONE;
  for (i = 0; i < N_SENT (&h); i++) {
    const SentPacket *s = SENT (&h, i);

    if (s->control)
      continue;
    if (last[s->group] != LMCC_TIME_NONE)
      fail_unless (s->time - last[s->group] <= LMCC_FILLER_INTERVAL);
    last[s->group] = s->time;
    if (is_filler (s)) {
      n_fillers++;
      fail_unless_equals_int (s->rtp.ssrc, 0x12345800u + s->group);
      fail_unless_equals_int (s->rtp.payload_type,
          config.session.filler_payload_type);
      fail_unless_equals_int (s->header.stream, LMCC_STREAM_NONE);
    }
  }
  fail_unless (n_fillers > 100);
  for (i = 0; i < lmcc_sender_get_session (h.sender)->n_layers; i++)
    fail_unless (end - last[i] <= LMCC_FILLER_INTERVAL);
  g_rand_free (rand);
  harness_clear (&h);
}

GST_END_TEST;

/* 1 Gbit/s in packets of 1250 bytes. */
GST_START_TEST (test_a_fast_stream_is_sent_whole)
{
  LmccSenderConfig config = sender_config (1);
  Harness h = harness_new (&config);
  const LmccSenderStats *stats;
  guint i;

  for (i = 0; i < 50; i++) {
    harness_push (&h, make_unit (0, 0, h.now, 1000, 10));
    harness_run_until (&h, h.now + 10 * LMCC_MSECOND);
  }
  harness_run_until (&h, h.now + 2 * WINDOW);
  stats = lmcc_sender_get_stats (h.sender);
  fail_unless_equals_uint64 (stats->units_dropped[0], 0);
  fail_unless_equals_uint64 (stats->layers[0].packets
          - stats->layers[0].fillers,
      50 * 1000);
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_memory_is_bounded_and_units_stay_whole)
{
  LmccSenderConfig config = sender_config (1);
  Harness h;
  const LmccSenderStats *stats;
  guint i, n_first = 0, n_last = 0, n_low = 0;
  guint n_packets = LMCC_ALLOCATOR_MAX_QUEUE / 585;

  /* One group: all classes share a layer. */
  fail_unless (lmcc_address_parse ("239.255.255.255", &config.session.address));
  h = harness_new (&config);
  for (i = 0; i < 2000; i++) {
    harness_push (&h,
        make_unit (0, i < 1000 ? 2 : i % 2, h.now, n_packets, 10));
    stats = lmcc_sender_get_stats (h.sender);
    fail_unless (stats->layers[0].queued <= LMCC_ALLOCATOR_MAX_QUEUE);
  }
  fail_unless (stats->units_dropped[1] > 400);
  fail_unless (stats->units_dropped[2] > 600);
  harness_push (&h, make_unit (0, 0, h.now, LMCC_ALLOCATOR_MAX_QUEUE + 1, 10));
  harness_run_until (&h, h.now + 2 * WINDOW);

  for (i = 0; i < N_SENT (&h); i++) {
    const SentPacket *s = SENT (&h, i);

    if (!is_media (s))
      continue;
    n_first += s->header.first;
    n_last += s->header.last;
    n_low += s->header.first && s->header.klass == 0;
    if (s->header.first)
      fail_unless_equals_int (n_first, n_last + 1);
  }
  fail_unless_equals_int (n_first, n_last);
  fail_unless_equals_uint64 (n_first + harness_count_dropped (&h), 2001);
  /* All of the 500 most important packets are there. */
  fail_unless_equals_int (n_low, 500);
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_flush_drops_what_waits_and_keeps_the_session)
{
  LmccSenderConfig config = sender_config (1);
  Harness h = harness_new (&config);
  guint version, n, i;

  harness_push (&h, make_unit (0, 1, h.now, 10, 100));
  version = lmcc_sender_get_session (h.sender)->version;
  fail_if (lmcc_sender_is_idle (h.sender));
  lmcc_sender_flush (h.sender, h.now);
  fail_unless (lmcc_sender_is_idle (h.sender));
  n = N_SENT (&h);
  harness_run_until (&h, h.now + WINDOW / 2);
  for (i = n; i < N_SENT (&h); i++)
    fail_if (is_media (SENT (&h, i)));

  harness_push (&h, make_unit (0, 1, h.now, 1, 100));
  harness_run_until (&h, h.now + WINDOW);
  fail_unless_equals_int (lmcc_sender_get_session (h.sender)->version, version);
  for (i = n; i < N_SENT (&h) && !is_media (SENT (&h, i)); i++)
    ;
  fail_unless (i < N_SENT (&h));
  fail_unless_equals_int (SENT (&h, i)->header.osn,
      (guint16) (config.sequence_seed + 10));
  harness_clear (&h);
}

GST_END_TEST;

static Suite *
sender_schedule_suite (void)
{
  Suite *s = suite_create ("sender-schedule");
  TCase *tc = tcase_create ("sender-schedule");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_constant_input_is_sent_at_a_constant_rate);
  tcase_add_loop_test (tc,
      test_no_packet_leaves_before_its_time_or_after_the_window, 0, 2);
  tcase_add_test (tc, test_a_late_caller_catches_up_and_no_more);
  tcase_add_test (tc, test_late_units_are_counted_and_not_sent_in_one_burst);
  tcase_add_test (tc,
      test_no_layer_is_silent_for_longer_than_the_filler_interval);
  tcase_add_test (tc, test_a_fast_stream_is_sent_whole);
  tcase_add_test (tc, test_memory_is_bounded_and_units_stay_whole);
  tcase_add_test (tc, test_flush_drops_what_waits_and_keeps_the_session);

  return s;
}

GST_CHECK_MAIN (sender_schedule);
