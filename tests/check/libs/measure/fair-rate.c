/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the estimate of the rate that TCP would have on the path.
 */
#include "measure/fair-rate.h"

#include "measure/tcp-model.h"
#include "support/test-slow.h"

#include <gst/check/gstcheck.h>
#include <math.h>

#define PACKET_SIZE 1000
#define BITS (8.0 * PACKET_SIZE)
#define MS LMCC_MSECOND
#define RTT (50 * MS)

/* Of a mean over seeds: one in 16000 tests fails by chance. */
#define SIGMAS 4

/* Before this number of losses, the history contains the assumed start
 * value. */
#define SETTLED 60

static void
lose_at (LmccFairRate *fair, LmccTime time, guint count,
    LmccFairRateWitness witness)
{
  guint i;

  for (i = 0; i < count; i++)
    lmcc_fair_rate_lose (fair, time, witness);
}

/* Events of @count losses, one per @interval. Returns: time of the last one */
static LmccTime
lose_evenly (LmccFairRate *fair, gdouble rate, LmccTime interval,
    guint n_events, guint count, LmccFairRateWitness witness)
{
  gdouble bytes = rate / 8 * (gdouble) interval / LMCC_SECOND;
  LmccTime now = LMCC_SECOND;
  guint i;

  lmcc_fair_rate_packet (fair, now, PACKET_SIZE);
  for (i = 0; i < n_events; i++) {
    now += interval;
    lmcc_fair_rate_packet (fair, now, (gsize) bytes);
    lose_at (fair, now, count, witness);
  }

  return now;
}

static void
init (LmccFairRate *fair, gboolean cubic, LmccTime rtt)
{
  lmcc_fair_rate_init (fair, PACKET_SIZE, cubic, rtt);
  lmcc_fair_rate_set_rtt (fair, 1, rtt);
}

static void
check_about (gdouble rate, gdouble expected, gdouble tolerance,
    const gchar *what, gdouble of)
{
  fail_unless (fabs (rate / expected - 1) <= tolerance,
      "%s %g: %g, not %g (%+.1f %%, %.1f %% allowed)", what, of, rate, expected,
      100 * (rate / expected - 1), 100 * tolerance);
}

GST_START_TEST (test_before_a_loss_the_fair_rate_is_infinite)
{
  LmccFairRate fair;

  lmcc_fair_rate_init (&fair, PACKET_SIZE, __i__, RTT);
  fail_unless (isinf (lmcc_fair_rate_get (&fair, LMCC_SECOND)));
  lmcc_fair_rate_packet (&fair, LMCC_SECOND, PACKET_SIZE);
  lmcc_fair_rate_set_rtt (&fair, LMCC_SECOND, RTT);
  fail_unless (isinf (lmcc_fair_rate_get (&fair, 100 * LMCC_SECOND)));
  fail_unless_equals_float (lmcc_fair_rate_get_loss_rate (&fair, LMCC_SECOND),
      0);
  fail_unless_equals_float (lmcc_fair_rate_get_random (&fair), 0);
}

GST_END_TEST;

/* One packet in 20 is lost. */
GST_START_TEST (test_small_packets_count_as_full_ones)
{
  static const gsize sizes[] = { PACKET_SIZE, PACKET_SIZE / 4, 60 };
  gdouble rates[G_N_ELEMENTS (sizes)];
  guint i, k;

  for (i = 0; i < G_N_ELEMENTS (sizes); i++) {
    LmccTime now = LMCC_SECOND;
    LmccFairRate fair;

    init (&fair, FALSE, RTT);
    for (k = 0; k < 2000; k++) {
      now += 16 * MS;
      if (k % 20 == 0)
        lmcc_fair_rate_lose (&fair, now, LMCC_FAIR_RATE_ROOM);
      else
        lmcc_fair_rate_packet (&fair, now, sizes[i]);
    }
    rates[i] = lmcc_fair_rate_get (&fair, now);
    check_about (lmcc_fair_rate_get_loss_rate (&fair, now), 1 / 19.0, 0.02,
        "loss rate with packets of", (gdouble) sizes[i]);
    fail_unless_equals_float (rates[i], rates[0]);
  }
}

GST_END_TEST;

static const gdouble restart_rates[] = { 100e3, 1e6, 10e6, 50e6 };
static const LmccTime restart_rtts[] = { 10 * MS, 100 * MS, 500 * MS };

GST_START_TEST (test_a_new_begin_is_worth_the_rate_that_it_names)
{
  gdouble rate = restart_rates[__i__ % G_N_ELEMENTS (restart_rates)];
  gboolean cubic = __i__ / G_N_ELEMENTS (restart_rates);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (restart_rtts); i++) {
    LmccTime now = LMCC_SECOND;
    LmccFairRate fair;

    init (&fair, cubic, restart_rtts[i]);
    lmcc_fair_rate_restart (&fair, now, rate);
    check_about (lmcc_fair_rate_get (&fair, now), rate, 0.01, "at first",
        (gdouble) restart_rtts[i]);

    /* Regardless of earlier measurements. */
    now = lose_evenly (&fair, rate, LMCC_SECOND, 40, 3, LMCC_FAIR_RATE_FULL);
    lmcc_fair_rate_restart (&fair, now, rate);
    check_about (lmcc_fair_rate_get (&fair, now), rate, 0.01, "later",
        (gdouble) restart_rtts[i]);
  }
}

GST_END_TEST;

GST_START_TEST (test_the_first_round_trip_time_puts_right_what_was_assumed)
{
  gdouble rate = restart_rates[__i__ % G_N_ELEMENTS (restart_rates)];
  gboolean cubic = __i__ / G_N_ELEMENTS (restart_rates);
  LmccTime now = 100 * LMCC_SECOND;
  LmccFairRate fair;

  lmcc_fair_rate_init (&fair, PACKET_SIZE, cubic, 500 * MS);
  lmcc_fair_rate_packet (&fair, now, PACKET_SIZE);
  lmcc_fair_rate_restart (&fair, now, rate);
  lmcc_fair_rate_set_rtt (&fair, now, RTT);
  check_about (lmcc_fair_rate_get (&fair, now), rate, 0.01, "rate", rate);

  /* The next level is just measurable: TCP at a quarter of its rate is four
   * times as fast, and slightly less because its timeouts cover more RTTs. */
  now += 100 * LMCC_SECOND;
  lmcc_fair_rate_set_rtt (&fair, now, RTT / 4);
  fail_unless (lmcc_fair_rate_get (&fair, now) > 1.3 * rate);
}

GST_END_TEST;

/* Loss events per packet of a flow of @rate, if each packet is lost with
 * probability @loss and losses within @window are one event. */
static gdouble
find_event_rate (gdouble loss, gdouble rate, LmccTime window)
{
  return 1 / (1 / loss + rate * (gdouble) window / LMCC_SECOND / BITS);
}

static gdouble
cubic_rate (gdouble loss_rate, LmccTime rtt)
{
  gdouble c = 0.4, beta = 0.7, r = (gdouble) rtt / LMCC_SECOND;

  /* RFC 9438 section 5.1, equation 5. */
  return BITS / r * pow (c * (3 + beta) / (4 * (1 - beta)), 0.25)
      * pow (r, 0.75) * pow (loss_rate, -0.75);
}

/* The rate that TCP itself reaches. */
static gdouble
find_tcp_rate (gdouble loss, gboolean cubic)
{
  gdouble rate = 1e6;
  guint i;

  for (i = 0; i < 100; i++) {
    gdouble p = find_event_rate (loss, rate, RTT);
    gdouble now = lmcc_tcp_model_rate (p, RTT, PACKET_SIZE);

    if (cubic)
      now = MAX (now, cubic_rate (p, RTT));
    rate = sqrt (rate * now);
  }

  return rate;
}

typedef struct
{
  gdouble loss;
  gdouble held;
  gboolean cubic;
} Random;

/* The fair rate some time after SETTLED losses. */
static gdouble
sample_random (const Random *random, guint32 seed, gdouble *thinning)
{
  g_autoptr (GRand) dice = g_rand_new_with_seed (seed);
  gdouble packet = BITS * LMCC_SECOND / random->held;
  gdouble now = LMCC_SECOND, next = now;
  gdouble end = now + SETTLED * packet / random->loss;
  LmccFairRate fair;

  init (&fair, random->cubic, RTT);
  lmcc_fair_rate_packet (&fair, (LmccTime) now, PACKET_SIZE);
  for (;;) {
    gdouble n = floor (log (1 - g_rand_double (dice)) / log (1 - random->loss));

    next = now + (n + 1) * packet;
    if (next > end)
      break;
    lmcc_fair_rate_packet (&fair, (LmccTime) now, (gsize) (n * PACKET_SIZE));
    lmcc_fair_rate_lose (&fair, (LmccTime) next, LMCC_FAIR_RATE_FULL);
    now = next;
  }
  lmcc_fair_rate_packet (&fair, (LmccTime) now,
      (gsize) ((end - now) / packet) * PACKET_SIZE);
  *thinning = lmcc_fair_rate_get_thinning (&fair);

  return lmcc_fair_rate_get (&fair, (LmccTime) end);
}

typedef struct
{
  gdouble mean;
  gdouble error; /* relative to the mean: SIGMAS standard deviations */
  gdouble thinning;
} Sample;

static Sample
sample_seeds (const Random *random)
{
  guint n = test_rounds (400), i;
  gdouble sum = 0, squares = 0, thinning;
  Sample sample = { 0 };

  for (i = 0; i < n; i++) {
    gdouble rate = sample_random (random, i + 1, &thinning);

    sum += rate;
    squares += rate * rate;
    sample.thinning += thinning / n;
  }
  sample.mean = sum / n;
  sample.error =
      SIGMAS * sqrt ((squares / n / sample.mean / sample.mean - 1) / n);

  return sample;
}

/* Bias allowed for the mean, besides chance: event durations are measured in
 * one and a half RTT instead of TCP's; one in twelve is assumed by the
 * thinning; and random intervals are corrected by one common factor. At p of
 * 10 %, TCP's rate varies as 1 / p^1.3, not as 1 / p^0.5. */
static const struct
{
  gdouble loss;
  gdouble tolerance;
} random_losses[] = {
  { 0.001, 0.15 },
  { 0.01, 0.15 },
  { 0.03, 0.15 },
  { 0.1, 0.35 },
};

static const gdouble held_parts[] = { 0.25, 0.5, 1, 2, 4 };
#define N_HELD G_N_ELEMENTS (held_parts)

GST_START_TEST (test_random_losses_make_tcps_rate_whatever_is_held)
{
  gdouble loss = random_losses[__i__].loss, tcp = find_tcp_rate (loss, FALSE);
  guint i;

  for (i = 0; i < N_HELD; i++) {
    Random random = { loss, held_parts[i] * tcp, FALSE };
    Sample sample = sample_seeds (&random);

    check_about (sample.mean, tcp,
        random_losses[__i__].tolerance + sample.error, "held", held_parts[i]);
    /* The prior alone, of 16 events with one loss each, is 0.92. */
    if (held_parts[i] <= 1)
      fail_unless (sample.thinning > 0.75, "held %g: %g", held_parts[i],
          sample.thinning);
  }
}

GST_END_TEST;

/* Paths where CUBIC is faster than Reno, by a factor of two or slightly. */
static const gdouble cubic_losses[] = { 1e-6, 1e-5, 3e-5 };

GST_START_TEST (test_random_losses_make_cubics_rate)
{
  gdouble loss = cubic_losses[__i__], tcp = find_tcp_rate (loss, TRUE);
  guint i;

  fail_unless (tcp > 1.2 * find_tcp_rate (loss, FALSE));
  for (i = 0; i < N_HELD; i++) {
    Random random = { loss, held_parts[i] * tcp, TRUE };
    Sample sample = sample_seeds (&random);

    check_about (sample.mean, tcp, 0.15 + sample.error, "held", held_parts[i]);
  }
}

GST_END_TEST;

GST_START_TEST (test_cubic_gets_no_less_than_reno)
{
  static const LmccTime rtts[] = { 10 * MS, 60 * MS, 250 * MS };
  static const guint counts[] = { 1, 8 };
  guint i, k;

  for (i = 0; i < G_N_ELEMENTS (rtts); i++) {
    for (k = 0; k < G_N_ELEMENTS (counts); k++) {
      LmccFairRate reno, cubic;
      LmccTime now;

      init (&reno, FALSE, rtts[i]);
      init (&cubic, TRUE, rtts[i]);
      now = lose_evenly (&reno, 1e6, (guint) (__i__ + 1) * LMCC_SECOND, 20,
          counts[k], LMCC_FAIR_RATE_FULL);
      lose_evenly (&cubic, 1e6, (guint) (__i__ + 1) * LMCC_SECOND, 20,
          counts[k], LMCC_FAIR_RATE_FULL);
      fail_unless (
          lmcc_fair_rate_get (&cubic, now) >= lmcc_fair_rate_get (&reno, now));
    }
  }
}

GST_END_TEST;

/* An occasionally overflowing queue loses a run of packets: as many as are
 * sent at @held during the overflow. */
#define OVERFLOW_LOSSES 8

static const LmccTime overflow_intervals[] = { LMCC_SECOND, 3 * LMCC_SECOND,
  12 * LMCC_SECOND };

/* TCP's rate with one event per @interval. */
static gdouble
find_overflow_rate (LmccTime interval)
{
  gdouble rate = 1e6;
  guint i;

  for (i = 0; i < 100; i++)
    rate = sqrt (rate
        * lmcc_tcp_model_rate (BITS * LMCC_SECOND / (rate * (gdouble) interval),
            RTT, PACKET_SIZE));

  return rate;
}

/* The remaining thinning is 0.11 for 8 losses per event, and 0.18 for 4: the
 * estimate varies as the joined rate to the power of 0.10 and 0.15, to 0.90
 * at half of it and 1.14 at four times. All intervals are equal, and
 * estimated 7.5 % shorter, which makes 7 % of a rate that is proportional to
 * them. */
GST_START_TEST (test_losses_that_follow_time_make_tcps_rate_whatever_is_held)
{
  LmccTime interval = overflow_intervals[__i__];
  gdouble tcp = find_overflow_rate (interval), least = INFINITY, most = 0;
  guint i;

  for (i = 0; i < N_HELD; i++) {
    guint losses = (guint) (OVERFLOW_LOSSES * held_parts[i]);
    LmccFairRate fair;
    LmccTime now;
    gdouble rate;

    if (held_parts[i] < 0.5)
      continue;
    init (&fair, FALSE, RTT);
    now = lose_evenly (&fair, held_parts[i] * tcp, interval, 40, losses,
        LMCC_FAIR_RATE_FULL);
    rate = lmcc_fair_rate_get (&fair, now);
    fail_unless (lmcc_fair_rate_get_thinning (&fair) < 0.2);
    check_about (rate, tcp, 0.20, "held", held_parts[i]);
    least = MIN (least, rate);
    most = MAX (most, rate);
  }
  fail_unless (most / least < 1.3, "%g", most / least);
}

GST_END_TEST;

/* The same losses, with trains that end before them: losses follow packets. */
GST_START_TEST (test_losses_where_there_is_room_follow_packets)
{
  gdouble rates[2], without;
  LmccFairRate fair;
  LmccTime now;
  guint i;

  for (i = 0; i < 2; i++) {
    guint times = i == 0 ? 1 : 4;

    init (&fair, FALSE, RTT);
    now = lose_evenly (&fair, 4e6 * times, 4 * LMCC_SECOND / times, 40,
        OVERFLOW_LOSSES, LMCC_FAIR_RATE_ROOM);
    rates[i] = lmcc_fair_rate_get (&fair, now);
    fail_unless (lmcc_fair_rate_get_random (&fair) > 0.9);
    fail_unless (lmcc_fair_rate_get_thinning (&fair) < 0.2);
    /* Except for the correction of random intervals. */
    check_about (rates[i],
        lmcc_tcp_model_rate (lmcc_fair_rate_get_loss_rate (&fair, now), RTT,
            PACKET_SIZE),
        0.10, "held", 4e6 * times);
  }
  check_about (rates[1], rates[0], 0.01, "times", 4);

  init (&fair, FALSE, RTT);
  now = lose_evenly (&fair, 16e6, LMCC_SECOND, 40, OVERFLOW_LOSSES,
      LMCC_FAIR_RATE_FULL);
  without = lmcc_fair_rate_get (&fair, now);
  fail_unless_equals_float (lmcc_fair_rate_get_random (&fair), 0);
  fail_unless (without < 0.75 * rates[1], "%g, %g", without, rates[1]);
}

GST_END_TEST;

static const struct
{
  gdouble rtts; /* duration of an event */
  gboolean cubic;
  LmccFairRateWitness witness;
} events[] = {
  { 1.5, FALSE, LMCC_FAIR_RATE_FULL },
  { 1, FALSE, LMCC_FAIR_RATE_ROOM },
  { 3, TRUE, LMCC_FAIR_RATE_FULL },
  { 1, TRUE, LMCC_FAIR_RATE_ROOM },
};

GST_START_TEST (test_losses_of_one_event_and_of_two)
{
  LmccTime within = (LmccTime) (events[__i__].rtts * RTT), now;
  gdouble before;
  LmccFairRate fair;

  init (&fair, events[__i__].cubic, RTT);
  now = lose_evenly (&fair, 1e6, LMCC_SECOND, 40, 1, events[__i__].witness);
  before = lmcc_fair_rate_get_thinning (&fair);
  lmcc_fair_rate_packet (&fair, now + within - 1, PACKET_SIZE);
  lose_at (&fair, now + within - 1, 7, events[__i__].witness);
  fail_unless_equals_int (fair.n_events, 40);
  fail_unless (lmcc_fair_rate_get_thinning (&fair) < before);
  fail_unless_equals_float ((gdouble) lmcc_fair_rate_get_mean_interval (&fair,
                                now),
      LMCC_SECOND);

  lmcc_fair_rate_packet (&fair, now + within + 1, PACKET_SIZE);
  lose_at (&fair, now + within + 1, 1, events[__i__].witness);
  fail_unless_equals_int (fair.n_events, 41);
  fail_unless (
      lmcc_fair_rate_get_mean_interval (&fair, now + within + 1) < LMCC_SECOND);
}

GST_END_TEST;

/* Ten intervals without a loss: with the weights of RFC 5348 section 5.4
 * alone the mean is 2.5 times as long, with the discount of section 5.5 it
 * is 5.5 times. */
GST_START_TEST (test_a_long_silence_makes_what_was_before_count_less)
{
  LmccTime interval = 2 * LMCC_SECOND, begin;
  LmccFairRate fair;
  gdouble rate, before;
  guint i;

  init (&fair, FALSE, RTT);
  begin = lose_evenly (&fair, 1e6, interval, 40, 1, LMCC_FAIR_RATE_ROOM);
  rate = before = lmcc_fair_rate_get (&fair, begin);
  for (i = 1; i <= 20; i++) {
    LmccTime now = begin + i * interval / 2;
    gdouble longer;

    lmcc_fair_rate_packet (&fair, now, 1000000 / 8);
    longer = lmcc_fair_rate_get (&fair, now);
    fail_unless (longer >= rate);
    if (i == 2)
      check_about (longer, before, 0.01, "as long as usual", i);
    rate = longer;
  }
  /* TCP's rate grows with the mean interval to the power of 0.5 and a little
   * more. */
  fail_unless (rate / before > sqrt (5.5) * 0.95 && rate / before < sqrt (10),
      "%g", rate / before);
}

GST_END_TEST;

static void
check_any (const LmccFairRate *fair, LmccTime now)
{
  gdouble rate = lmcc_fair_rate_get (fair, now);
  gdouble thinning = lmcc_fair_rate_get_thinning (fair);
  gdouble random = lmcc_fair_rate_get_random (fair);
  gdouble loss_rate = lmcc_fair_rate_get_loss_rate (fair, now);

  fail_unless (rate > 0, "%g", rate);
  fail_unless (isfinite (rate) || fair->n_intervals == 0);
  fail_unless (thinning >= 0 && thinning <= 1, "%g", thinning);
  fail_unless (random >= 0 && random <= 1, "%g", random);
  fail_unless (loss_rate >= 0 && loss_rate <= 1, "%g", loss_rate);
  lmcc_fair_rate_get_mean_interval (fair, now);
}

/* Evenly spaced losses, and one more event that is revoked: @back events
 * ago. */
GST_START_TEST (test_an_event_of_which_all_came_is_none)
{
  const LmccTime interval = LMCC_SECOND, middle = interval / 2;
  const guint n = 10, back = (guint) __i__;
  LmccFairRate fair, with;
  LmccTime now = LMCC_SECOND, loss = 0;
  guint i;

  init (&fair, FALSE, RTT);
  init (&with, FALSE, RTT);
  lmcc_fair_rate_packet (&fair, now, PACKET_SIZE);
  lmcc_fair_rate_packet (&with, now, PACKET_SIZE);
  for (i = 0; i < n; i++) {
    lmcc_fair_rate_packet (&fair, now + middle, 80 * PACKET_SIZE);
    lmcc_fair_rate_packet (&with, now + middle, 40 * PACKET_SIZE);
    if (i == n - 1 - back) {
      loss = now + middle;
      lose_at (&with, loss, 3, LMCC_FAIR_RATE_NO_WITNESS);
    }
    lmcc_fair_rate_packet (&with, now + middle, 40 * PACKET_SIZE);
    now += interval;
    if (i == n - 1)
      break;
    lose_at (&fair, now, 2, LMCC_FAIR_RATE_NO_WITNESS);
    lose_at (&with, now, 2, LMCC_FAIR_RATE_NO_WITNESS);
  }
  fail_if (lmcc_fair_rate_get (&fair, now) == lmcc_fair_rate_get (&with, now));
  for (i = 0; i < 3; i++)
    lmcc_fair_rate_find (&with, loss);
  check_about (lmcc_fair_rate_get (&with, now), lmcc_fair_rate_get (&fair, now),
      1e-9, "taken back, events ago:", back);
  check_about (lmcc_fair_rate_get_thinning (&with),
      lmcc_fair_rate_get_thinning (&fair), 1e-9, "thinning, events ago:", back);
}

GST_END_TEST;

GST_START_TEST (test_without_its_only_event_nothing_was_lost)
{
  LmccFairRate fair;

  init (&fair, FALSE, RTT);
  lmcc_fair_rate_packet (&fair, LMCC_SECOND, PACKET_SIZE);
  lose_at (&fair, 2 * LMCC_SECOND, 2, LMCC_FAIR_RATE_ROOM);
  lmcc_fair_rate_restart (&fair, 2 * LMCC_SECOND + MS, 1e6);
  lmcc_fair_rate_find (&fair, 2 * LMCC_SECOND);
  fail_if (isinf (lmcc_fair_rate_get_seen (&fair)));
  lmcc_fair_rate_find (&fair, 2 * LMCC_SECOND);
  fail_unless (isinf (lmcc_fair_rate_get_seen (&fair)));
  fail_unless (lmcc_fair_rate_get_random (&fair) == 0);
  lmcc_fair_rate_find (&fair, 2 * LMCC_SECOND);
  fail_unless (isinf (lmcc_fair_rate_get_seen (&fair)));
}

GST_END_TEST;

GST_START_TEST (test_nothing_that_comes_makes_it_no_number)
{
  static const LmccTime rtts[] = { 0, 1, RTT, 10 * LMCC_SECOND };
  static const LmccTime steps[] = { 0, 1, MS, LMCC_SECOND,
    1000000 * LMCC_SECOND };
  static const gsize sizes[] = { 0, 1, PACKET_SIZE, G_MAXUINT32 };
  static const gdouble rates[] = { 0, 1, 1e6, 1e15, INFINITY };
  g_autoptr (GRand) dice = g_rand_new_with_seed ((guint32) __i__);
  guint n = test_rounds (20000), i;
  LmccTime now = LMCC_SECOND;
  LmccFairRate fair;

#define PICK(array) array[g_rand_int_range (dice, 0, G_N_ELEMENTS (array))]
  lmcc_fair_rate_init (&fair, PACKET_SIZE, __i__ % 2, PICK (rtts));
  for (i = 0; i < n; i++) {
    LmccTime time = g_rand_boolean (dice) ? now : now - MIN (now, PICK (steps));

    switch (g_rand_int_range (dice, 0, 40)) {
      case 0:
        lmcc_fair_rate_restart (&fair, time, PICK (rates));
        break;
      case 1:
        lmcc_fair_rate_set_rtt (&fair, time, PICK (rtts));
        break;
      case 2:
        lose_at (&fair, time, 1000, g_rand_boolean (dice));
        break;
      default:
        if (g_rand_boolean (dice))
          lose_at (&fair, time, 1, g_rand_boolean (dice));
        else
          lmcc_fair_rate_packet (&fair, time, PICK (sizes));
    }
    check_any (&fair, time);
    if (i % 100 == 0)
      now += PICK (steps);
    else
      now += MS;
  }
#undef PICK
}

GST_END_TEST;

static Suite *
fair_rate_suite (void)
{
  Suite *suite = suite_create ("fair-rate");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_small_packets_count_as_full_ones);
  tcase_add_loop_test (tcase, test_before_a_loss_the_fair_rate_is_infinite, 0,
      2);
  tcase_add_loop_test (tcase, test_a_new_begin_is_worth_the_rate_that_it_names,
      0, 2 * G_N_ELEMENTS (restart_rates));
  tcase_add_loop_test (tcase,
      test_the_first_round_trip_time_puts_right_what_was_assumed, 0,
      2 * G_N_ELEMENTS (restart_rates));
  tcase_add_loop_test (tcase,
      test_random_losses_make_tcps_rate_whatever_is_held, 0,
      G_N_ELEMENTS (random_losses));
  tcase_add_loop_test (tcase, test_random_losses_make_cubics_rate, 0,
      G_N_ELEMENTS (cubic_losses));
  tcase_add_loop_test (tcase, test_cubic_gets_no_less_than_reno, 0, 4);
  tcase_add_loop_test (tcase,
      test_losses_that_follow_time_make_tcps_rate_whatever_is_held, 0,
      G_N_ELEMENTS (overflow_intervals));
  tcase_add_test (tcase, test_losses_where_there_is_room_follow_packets);
  tcase_add_loop_test (tcase, test_losses_of_one_event_and_of_two, 0,
      G_N_ELEMENTS (events));
  tcase_add_test (tcase, test_a_long_silence_makes_what_was_before_count_less);
  tcase_add_loop_test (tcase, test_an_event_of_which_all_came_is_none, 0, 5);
  tcase_add_test (tcase, test_without_its_only_event_nothing_was_lost);
  tcase_add_loop_test (tcase, test_nothing_that_comes_makes_it_no_number, 0, 6);

  return suite;
}

GST_CHECK_MAIN (fair_rate);
