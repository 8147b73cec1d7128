/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests slots, synchronization points and bursts of RLC and of Wei and Zhang's
 * scheme.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/slots/sync-points.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/measure/tcp-model.h>
#include <gst/lmcc/wire/layer-header.h>
#include <math.h>

#define TOP 5
#define BASE_RATE 128000.0
#define PACKET 1000

static void
cumulate (LmccRateScheme scheme, gdouble base_rate, gdouble factor, guint n,
    gdouble *cumulative)
{
  guint i;

  fail_unless (
      lmcc_rates_compute (scheme, base_rate, factor, n, cumulative, NULL));
  for (i = 1; i < n; i++)
    cumulative[i] += cumulative[i - 1];
}

static void
init_rlc (LmccRlcSchedule *schedule)
{
  LmccTime slot =
      lmcc_rlc_slot_from_packets (BASE_RATE, PACKET, LMCC_RLC_BASE_PACKETS);

  lmcc_rlc_schedule_init (schedule, TOP, BASE_RATE, PACKET, slot,
      LMCC_RLC_BURST_PACKETS);
}

GST_START_TEST (test_sync_points_of_level_i_come_every_2_to_the_i_slots)
{
  const gint wanted[] = { 0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0, 4 };
  LmccRlcSchedule schedule;
  guint64 n, last[TOP] = { 0 };
  gint i;

  init_rlc (&schedule);
  for (n = 0; n < G_N_ELEMENTS (wanted); n++)
    fail_unless_equals_int (lmcc_rlc_schedule_get_signal (&schedule, n),
        wanted[n]);

  /* Also across the wrap of the counter on the wire. */
  for (n = 0; n < 200000; n++) {
    gint signal = lmcc_rlc_schedule_get_signal (&schedule, n);

    if (signal < 0 || signal >= TOP)
      ck_abort_msg ("slot %u has signal %d", (guint) n, signal);
    for (i = 0; i <= signal; i++) {
      /* The end of slot n is n + 1 slots after the start. */
      if ((n + 1 - last[i]) * schedule.slot
          != lmcc_rlc_schedule_get_interval (&schedule, i))
        ck_abort_msg ("level %d has a sync point after slot %u", i, (guint) n);
      last[i] = n + 1;
    }
  }
  fail_unless_equals_uint64 (lmcc_rlc_schedule_get_interval (&schedule, 40),
      LMCC_TIME_NONE);
  fail_unless_equals_uint64 (lmcc_rlc_schedule_get_interval (&schedule, 70),
      LMCC_TIME_NONE);
}

GST_END_TEST;

GST_START_TEST (test_sync_points_are_nested)
{
  LmccRlcSchedule schedule;
  guint64 n;

  init_rlc (&schedule);
  for (n = 0; n < 1 << TOP; n++) {
    /* A receiver at level i has one when level i + 1 has one. */
    if ((n + 1) % 16 == 0)
      fail_unless (lmcc_rlc_schedule_get_signal (&schedule, n) == 4);
    else if ((n + 1) % 4 == 0)
      fail_unless (lmcc_rlc_schedule_get_signal (&schedule, n) >= 2);
  }
  lmcc_rlc_schedule_init (&schedule, 0, BASE_RATE, PACKET, LMCC_SECOND, 8);
  fail_unless_equals_int (lmcc_rlc_schedule_get_signal (&schedule, 7),
      LMCC_SIGNAL_NOBODY);
}

GST_END_TEST;

GST_START_TEST (test_the_slot_is_the_time_of_eight_base_packets)
{
  /* Legout and Biersack's example: 16 kbit/s, 256 bytes, about 2^i s. */
  fail_unless_equals_uint64 (lmcc_rlc_slot_from_packets (16000, 256,
                                 LMCC_RLC_BASE_PACKETS),
      1024 * LMCC_MSECOND);
}

GST_END_TEST;

GST_START_TEST (test_a_slot_from_an_rtt_gives_tcp_s_rate)
{
  const LmccTime rtts[] = { 10 * LMCC_MSECOND, 100 * LMCC_MSECOND,
    LMCC_SECOND };
  gdouble rates[8];
  guint i, level;

  cumulate (LMCC_RATE_SCHEME_DOUBLING, BASE_RATE, 0, 8, rates);
  for (i = 0; i < G_N_ELEMENTS (rtts); i++) {
    gdouble tcp = lmcc_tcp_model_rate (1e-6, rtts[i], PACKET);
    LmccTime slot = lmcc_rlc_slot_from_rtt (BASE_RATE, PACKET, rtts[i], 0.5);

    fail_unless (
        fabs (lmcc_rlc_rate (BASE_RATE, PACKET, slot, 0.5, 1e-6) / tcp - 1)
        < 1e-3);

    /* For Wei and Zhang, the gate is the next layer: half the slot. */
    slot = lmcc_sync_points_slot_from_rtt (rates, 8, PACKET, rtts[i], 0.5);
    fail_unless (fabs (lmcc_rlc_slot_from_rtt (BASE_RATE, PACKET, rtts[i], 0.5)
                         / (gdouble) slot
                     - 2)
        < 1e-6);
    fail_unless (
        fabs (lmcc_sync_points_rtt_from_slot (rates, 8, PACKET, slot, 0.5)
                / (gdouble) rtts[i]
            - 1)
        < 1e-6);
    for (level = 0; level < 7; level++)
      fail_unless (
          fabs (lmcc_sync_points_rate (rates, 8, level, PACKET, slot, 0.5, 1e-6)
                  / tcp
              - 1)
          < 1e-3);
  }

  /* With 8 packets in a slot and alpha = 0.5: RTT = 0.354 t_0. */
  fail_unless (fabs (lmcc_rlc_slot_from_rtt (8 * 8000.0, PACKET,
                         (LmccTime) (LMCC_SECOND / sqrt (8)), 0.5)
                       / 1e9
                   - 1)
      < 1e-6);
  fail_unless (
      fabs (lmcc_rlc_rtt_from_slot (8 * 8000.0, PACKET, LMCC_SECOND, 0.5) / 1e9
          - sqrt (1 / 8.0))
      < 1e-6);
}

GST_END_TEST;

/* A receiver's behaviour in one period between two levels, compared with the
 * equations. */
GST_START_TEST (test_the_throughput_is_that_of_a_receiver_between_two_levels)
{
  const struct
  {
    LmccRateScheme scheme;
    gdouble factor;
  } schemes[] = {
    { LMCC_RATE_SCHEME_DOUBLING, 0 },
    { LMCC_RATE_SCHEME_EQUAL, 0 },
    { LMCC_RATE_SCHEME_MULTIPLICATIVE, 1.3 },
  };
  const LmccTime slot = 250 * LMCC_MSECOND;
  guint k, level;
  gdouble share;

  for (k = 0; k < G_N_ELEMENTS (schemes); k++) {
    gdouble rates[8];

    cumulate (schemes[k].scheme, BASE_RATE, schemes[k].factor, 8, rates);
    for (level = 0; level < 7; level++) {
      for (share = 0.1; share < 1; share += 0.2) {
        gdouble mean = share * rates[level + 1] + (1 - share) * rates[level];
        gdouble seconds =
            lmcc_sync_points_get_interval (rates, level + 1, slot) / 1e9;
        /* One loss event in each period. */
        gdouble p = 8 * PACKET / (mean * seconds);
        gdouble rlc_seconds;

        fail_unless (fabs (lmcc_sync_points_rate (rates, 8, level, PACKET, slot,
                               share, p)
                             / mean
                         - 1)
            < 1e-6);
        if (k > 0)
          continue;
        rlc_seconds = slot * (1 << level) / 1e9;
        p = 8 * PACKET / (mean * rlc_seconds);
        fail_unless (
            fabs (lmcc_rlc_rate (BASE_RATE, PACKET, slot, share, p) / mean - 1)
            < 1e-6);
      }
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_the_factor_of_linear_layers_is_the_corrected_one)
{
  gdouble linear[8], exponential[8];
  guint i;

  cumulate (LMCC_RATE_SCHEME_EQUAL, BASE_RATE, 0, 8, linear);
  cumulate (LMCC_RATE_SCHEME_DOUBLING, BASE_RATE, 0, 8, exponential);
  for (i = 0; i < 7; i++) {
    fail_unless (fabs (lmcc_sync_points_factor (linear, 8, i, 0.3)
                     - (0.3 + i + 1) / (i + 2))
        < 1e-12);
    fail_unless (
        fabs (lmcc_sync_points_factor (exponential, 8, i, 0.3) - (0.3 + 1) / 2)
        < 1e-12);
  }
  /* The two are equal at level 0. */
  fail_unless (fabs (lmcc_sync_points_factor (linear, 8, 0, 0.3)
                   - lmcc_sync_points_factor (exponential, 8, 0, 0.3))
      < 1e-12);
  fail_unless_equals_float (lmcc_sync_points_factor (linear, 8, 7, 0.3), 1);

  /* Wei and Zhang's 400 kbit/s, 1000 bytes, 44 ms. */
  fail_unless_equals_uint64 (
      lmcc_sync_points_slot_from_rtt ((gdouble[]){ 400000 }, 1, 1000,
          44 * LMCC_MSECOND, 0.5)
          / LMCC_MSECOND,
      64);
  /* No level is faster than TCP. */
  for (i = 0; i < 7; i++) {
    LmccTime slot = lmcc_sync_points_slot_from_rtt (linear, 8, PACKET,
        100 * LMCC_MSECOND, 0.5);

    fail_unless (lmcc_sync_points_rate (linear, 8, i, PACKET, slot, 0.5, 0.001)
        <= sqrt (1.5 / 0.001) * 8 * PACKET / 0.1 * (1 + 1e-6));
  }
}

GST_END_TEST;

GST_START_TEST (test_burst_and_silence_leave_the_mean_rate_as_it_is)
{
  const gdouble burst_packets[] = { 0, 2, 4, 8, 20 };
  guint k, layer;
  guint64 n;

  for (k = 0; k < G_N_ELEMENTS (burst_packets); k++) {
    LmccRlcSchedule schedule;

    lmcc_rlc_schedule_init (&schedule, TOP, BASE_RATE, PACKET, LMCC_SECOND / 2,
        burst_packets[k]);
    for (n = 0; n < 32; n++) {
      for (layer = 0; layer <= TOP; layer++) {
        guint sent = 0, t, in_burst = 0;

        for (t = 0; t < 1000; t++) {
          /* The middle of each half of a millisecond. */
          guint factor = lmcc_rlc_schedule_get_factor (&schedule, n, layer,
              t * LMCC_MSECOND / 2 + LMCC_MSECOND / 4);

          sent += factor;
          in_burst += factor == 2;
        }
        fail_unless_equals_int (sent, 1000);
        fail_unless_equals_int (in_burst,
            (gint) layer > lmcc_rlc_schedule_get_signal (&schedule, n)
                ? 0
                : schedule.burst * 2 / LMCC_MSECOND);
      }
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_the_burst_has_its_packets_and_lies_before_its_silence)
{
  LmccRlcSchedule schedule;
  LmccTime spacing = 8 * PACKET * LMCC_SECOND / (LmccTime) BASE_RATE;
  guint i, burst = 0;

  /* A slot of 20 base packets, a burst of 4: 2 T_b is the time of 8. */
  lmcc_rlc_schedule_init (&schedule, TOP, BASE_RATE, PACKET, 20 * spacing, 4);
  fail_unless_equals_uint64 (schedule.burst, 2 * spacing);
  for (i = 0; i < 20; i++) {
    LmccTime due = i * spacing + spacing / 2;
    LmccTime sent = lmcc_rlc_schedule_get_send_time (&schedule, 0, 0, due);

    if (lmcc_rlc_schedule_get_factor (&schedule, 0, 0, sent) == 2)
      burst++;
    fail_unless (sent <= due && sent < 18 * spacing);
    fail_unless_equals_int (lmcc_rlc_schedule_get_factor (&schedule, 0, 0,
                                sent),
        i < 16 ? 1 : 2);
    /* Layer 1 has no sync point at the end of slot 0. */
    fail_unless_equals_uint64 (lmcc_rlc_schedule_get_send_time (&schedule, 0, 1,
                                   due),
        due);
  }
  fail_unless_equals_int (burst, 4);
  fail_unless_equals_int (lmcc_rlc_schedule_get_factor (&schedule, 0, 0,
                              18 * spacing),
      0);
  fail_unless_equals_int (lmcc_rlc_schedule_get_factor (&schedule, 0, 0,
                              20 * spacing - 1),
      0);

  /* The standard burst and slot: half and half. */
  init_rlc (&schedule);
  fail_unless_equals_uint64 (schedule.burst, schedule.slot / 2);
  /* Values that do not fit are limited. */
  lmcc_rlc_schedule_init (&schedule, TOP, BASE_RATE, PACKET, 2 * spacing, 8);
  fail_unless_equals_uint64 (schedule.burst, spacing);
}

GST_END_TEST;

GST_START_TEST (test_in_a_burst_a_receiver_gets_the_next_level_s_rate)
{
  LmccRlcSchedule schedule;
  gdouble rates[TOP + 1];
  guint64 n;

  init_rlc (&schedule);
  fail_unless (lmcc_rates_compute (LMCC_RATE_SCHEME_DOUBLING, BASE_RATE, 0,
      TOP + 1, rates, NULL));
  for (n = 0; n < 64; n++) {
    gint level = lmcc_rlc_schedule_get_signal (&schedule, n);
    LmccTime in_burst = schedule.slot - schedule.burst - 1;
    gdouble received = 0, next_level = 0;
    gint i;

    for (i = 0; i <= level; i++)
      received +=
          rates[i] * lmcc_rlc_schedule_get_factor (&schedule, n, i, in_burst);
    for (i = 0; i <= level + 1; i++)
      next_level += rates[i];
    fail_unless_equals_float (received, next_level);
  }
}

GST_END_TEST;

/* Sends all layers up to a level through a queue, packet by packet. */
static gdouble
longest_queue (const LmccRlcSchedule *schedule, guint level, gdouble capacity)
{
  gdouble rates[TOP + 1];
  gdouble next[TOP + 1] = { 0 };
  gdouble slot = schedule->slot, last = 0, queue = 0, longest = 0;
  guint64 n = (G_GUINT64_CONSTANT (1) << level) - 1;

  fail_unless (lmcc_rates_compute (LMCC_RATE_SCHEME_DOUBLING, BASE_RATE, 0,
      TOP + 1, rates, NULL));
  while (TRUE) {
    gdouble sent, first = G_MAXDOUBLE;
    guint layer = 0, i;

    for (i = 0; i <= level; i++) {
      if (next[i] < slot
          && lmcc_rlc_schedule_get_send_time (schedule, n, i, next[i])
              < first) {
        first = lmcc_rlc_schedule_get_send_time (schedule, n, i, next[i]);
        layer = i;
      }
    }
    if (first == G_MAXDOUBLE)
      return longest;
    sent = first;
    next[layer] += 8 * PACKET * 1e9 / rates[layer];
    queue = MAX (queue - capacity / 8 * (sent - last) / 1e9, 0) + PACKET;
    last = sent;
    longest = MAX (longest, queue);
  }
}

/* Bytes that a burst queues before a bottleneck, (2 B_k - C) T_b: it shows a
 * receiver that level k + 1 does not fit only if this exceeds the free
 * queue. */
static gdouble
burst_overload (gdouble cumulative_rate, gdouble capacity, LmccTime burst)
{
  return MAX (2 * cumulative_rate - capacity, 0) / 8 * burst / LMCC_SECOND;
}

GST_START_TEST (test_a_burst_fills_the_queue_as_the_formula_says)
{
  guint level;
  gdouble room;

  for (level = 0; level < TOP; level++) {
    for (room = 1.05; room < 2.2; room += 0.1) {
      LmccRlcSchedule schedule;
      gdouble rate = ldexp (BASE_RATE, level);
      gdouble overload;

      init_rlc (&schedule);
      overload = burst_overload (rate, room * rate, schedule.burst);
      /* One packet of each layer can arrive at once. */
      fail_unless (fabs (
                       longest_queue (&schedule, level, room * rate) - overload)
              <= (level + 2) * PACKET,
          "level %u, room %f", level, room);
      if (room >= 2)
        fail_unless_equals_float (overload, 0);
    }
  }
  /* 2 * 512 - 900 kbit/s for 250 ms. */
  fail_unless_equals_float (burst_overload (512000, 900000, LMCC_SECOND / 4),
      3875);
}

GST_END_TEST;

GST_START_TEST (test_linear_layers_have_sync_points_that_are_not_nested)
{
  gdouble rates[8];
  LmccSyncPoints points;
  guint n, level;

  cumulate (LMCC_RATE_SCHEME_EQUAL, BASE_RATE, 0, 8, rates);
  lmcc_sync_points_init (&points, 8);
  for (n = 0; n < 10000; n++) {
    guint64 levels = lmcc_sync_points_next (&points, rates);

    /* tau_j = (j + 1) tau_0, and level i waits for layer i + 1. */
    for (level = 0; level < 64; level++) {
      guint wanted = level < 7 && (n + 1) % (level + 2) == 0;

      if ((levels >> level & 1) != wanted)
        ck_abort_msg ("slot %u, level %u: %d", n, level, !wanted);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_doubling_layers_have_nested_sync_points)
{
  gdouble rates[8];
  LmccSyncPoints points;
  guint n, level;

  cumulate (LMCC_RATE_SCHEME_DOUBLING, 100000.3, 0, 8, rates);
  lmcc_sync_points_init (&points, 8);
  for (n = 0; n < 10000; n++) {
    guint64 levels = lmcc_sync_points_next (&points, rates);

    for (level = 0; level < 7; level++) {
      guint wanted = (n + 1) % (2u << level) == 0;

      if ((levels >> level & 1) != wanted)
        ck_abort_msg ("slot %u, level %u: %d", n, level, !wanted);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_any_layers_have_their_sync_points_in_the_right_slots)
{
  gdouble rates[20];
  guint counts[20] = { 0 };
  LmccSyncPoints points;
  guint n, j;

  cumulate (LMCC_RATE_SCHEME_MULTIPLICATIVE, 24000, 1.3, 20, rates);
  lmcc_sync_points_init (&points, 20);
  for (n = 0; n < 100000; n++) {
    guint64 levels = lmcc_sync_points_next (&points, rates);

    for (j = 1; j < 20; j++) {
      gdouble due = (n + 1) / pow (1.3, j);

      counts[j] += levels >> (j - 1) & 1;
      /* The m-th is due at m B_j / B_0 slots. */
      if (counts[j] < floor (due - 1e-6) || counts[j] > floor (due + 1e-6))
        ck_abort_msg ("slot %u, layer %u: %u, not %f", n, j, counts[j], due);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_a_rate_that_changes_keeps_sync_points_coming)
{
  gdouble rates[3] = { 1000, 64000, 128000 };
  LmccSyncPoints points;
  guint n, count = 0;

  lmcc_sync_points_init (&points, 3);
  for (n = 0; n < 60; n++)
    fail_unless_equals_uint64 (lmcc_sync_points_next (&points, rates), 0);
  /* One is overdue now; then every 2 slots, without a burst of them. */
  rates[1] = 2000;
  fail_unless_equals_uint64 (lmcc_sync_points_next (&points, rates) & 1, 1);
  for (n = 0; n < 20; n++)
    count += lmcc_sync_points_next (&points, rates) & 1;
  fail_unless (count >= 10 && count <= 11);
}

GST_END_TEST;

GST_START_TEST (test_after_the_kth_failure_2_to_the_k_less_1_points_are_skipped)
{
  const guint wanted[] = { 1, 3, 7, 15, 31 };
  LmccSyncBackoff backoff;
  guint k;

  lmcc_sync_backoff_init (&backoff, 0);
  fail_unless (lmcc_sync_backoff_sync_point (&backoff, 3, FALSE));
  for (k = 0; k < G_N_ELEMENTS (wanted); k++) {
    guint skipped = 0;

    lmcc_sync_backoff_dropped (&backoff, 3);
    /* Another layer has its own. */
    fail_unless (lmcc_sync_backoff_sync_point (&backoff, 2, FALSE));
    while (!lmcc_sync_backoff_sync_point (&backoff, 3, FALSE))
      skipped++;
    fail_unless_equals_int (skipped, wanted[k]);
  }
  for (k = 0; k < 100; k++)
    lmcc_sync_backoff_dropped (&backoff, 3);
  fail_unless_equals_uint64 (backoff.skip[3],
      (G_GUINT64_CONSTANT (1) << 62) - 1);
}

GST_END_TEST;

GST_START_TEST (test_a_layer_that_survives_to_its_next_sync_point_starts_anew)
{
  LmccSyncBackoff backoff;
  guint i;

  lmcc_sync_backoff_init (&backoff, 3);
  for (i = 0; i < 5; i++)
    lmcc_sync_backoff_dropped (&backoff, 2);
  fail_unless_equals_uint64 (backoff.skip[2], 7);
  fail_if (lmcc_sync_backoff_sync_point (&backoff, 2, TRUE));
  lmcc_sync_backoff_dropped (&backoff, 2);
  fail_if (lmcc_sync_backoff_sync_point (&backoff, 2, FALSE));
  fail_unless (lmcc_sync_backoff_sync_point (&backoff, 2, FALSE));
}

GST_END_TEST;

static Suite *
sync_points_suite (void)
{
  Suite *suite = suite_create ("sync-points");
  TCase *rlc = tcase_create ("rlc");
  TCase *synchronized = tcase_create ("synchronized");

  suite_add_tcase (suite, rlc);
  tcase_add_test (rlc, test_sync_points_of_level_i_come_every_2_to_the_i_slots);
  tcase_add_test (rlc, test_sync_points_are_nested);
  tcase_add_test (rlc, test_the_slot_is_the_time_of_eight_base_packets);
  tcase_add_test (rlc, test_a_slot_from_an_rtt_gives_tcp_s_rate);
  tcase_add_test (rlc, test_burst_and_silence_leave_the_mean_rate_as_it_is);
  tcase_add_test (rlc,
      test_the_burst_has_its_packets_and_lies_before_its_silence);
  tcase_add_test (rlc, test_in_a_burst_a_receiver_gets_the_next_level_s_rate);
  tcase_add_test (rlc, test_a_burst_fills_the_queue_as_the_formula_says);

  suite_add_tcase (suite, synchronized);
  tcase_add_test (synchronized,
      test_the_throughput_is_that_of_a_receiver_between_two_levels);
  tcase_add_test (synchronized,
      test_the_factor_of_linear_layers_is_the_corrected_one);
  tcase_add_test (synchronized,
      test_linear_layers_have_sync_points_that_are_not_nested);
  tcase_add_test (synchronized, test_doubling_layers_have_nested_sync_points);
  tcase_add_test (synchronized,
      test_any_layers_have_their_sync_points_in_the_right_slots);
  tcase_add_test (synchronized,
      test_a_rate_that_changes_keeps_sync_points_coming);
  tcase_add_test (synchronized,
      test_after_the_kth_failure_2_to_the_k_less_1_points_are_skipped);
  tcase_add_test (synchronized,
      test_a_layer_that_survives_to_its_next_sync_point_starts_anew);

  return suite;
}

GST_CHECK_MAIN (sync_points);
