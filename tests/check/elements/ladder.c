/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the choice of rungs for raw video: sizes, rates and settings of the
 * encodings.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/wire/rtp.h>
#include <plugins/common/ladder.h>

/* IPv4, UDP, RTP and our header extension element; a packet of 1400 bytes. */
static const LmccLadderLimits limits = {
  .picture_rate = 24,
  .packet_overhead = 28 + LMCC_RTP_HEADER_SIZE + LMCC_RTP_OVERHEAD,
  .packet_payload = 1400 - LMCC_RTP_HEADER_SIZE - LMCC_RTP_OVERHEAD,
  .group = 2.0,
  .buffer = 0.5,
};

GST_START_TEST (test_larger_pictures_get_more_rungs_and_more_rate)
{
  static const LmccPicture pictures[] = { { 160, 90, 24 }, { 320, 240, 30 },
    { 640, 360, 24 }, { 1280, 720, 30 }, { 1920, 1080, 30 },
    { 3840, 2160, 60 } };
  guint64 rates[LMCC_MAX_RUNGS], last_top = 0;
  guint i, k, n, last_n = 0;

  for (i = 0; i < G_N_ELEMENTS (pictures); i++) {
    n = lmcc_ladder_default_rates (&pictures[i], rates);
    fail_unless (n >= MAX (last_n, 1) && n <= LMCC_LADDER_MAX_RUNGS);
    fail_unless (rates[n - 1] > last_top);
    for (k = 1; k < n; k++)
      fail_unless (rates[k] > 2 * rates[k - 1]);
    last_n = n;
    last_top = rates[n - 1];
  }
  n = lmcc_ladder_default_rates (&pictures[2], rates);
  fail_unless_equals_int (n, 3);
  fail_unless_equals_uint64 (rates[0], 100000);
  fail_unless_equals_uint64 (rates[1], 300000);
  fail_unless_equals_uint64 (rates[2], 900000);
}

GST_END_TEST;

GST_START_TEST (test_less_rate_gives_smaller_pictures_of_even_size)
{
  static const LmccPicture pictures[] = { { 640, 360, 24 }, { 641, 361, 25 },
    { 1920, 1080, 30 }, { 16, 16, 5 }, { 1, 1, 1 }, { 1080, 1920, 30 } };
  guint64 rate;
  guint i, width, height;

  for (i = 0; i < G_N_ELEMENTS (pictures); i++) {
    guint last = 0;

    for (rate = 1000; rate < 100000000; rate *= 2) {
      lmcc_ladder_size (&pictures[i], rate, &width, &height);
      fail_unless (width % 2 == 0 && height % 2 == 0);
      fail_unless (width > 0 && height > 0);
      fail_unless (width * height >= last);
      last = width * height;
    }
    fail_unless_equals_int (width, MAX (pictures[i].width & ~1u, 2));
    fail_unless_equals_int (height, MAX (pictures[i].height & ~1u, 2));
  }
  lmcc_ladder_size (&pictures[0], 100000, &width, &height);
  fail_unless_equals_int (width, 480);
  fail_unless_equals_int (height, 270);
  lmcc_ladder_size (&pictures[0], 300000, &width, &height);
  fail_unless_equals_int (width, 640);
  /* Scaling stops before a side has only a few blocks. */
  lmcc_ladder_size (&pictures[3], 1000, &width, &height);
  fail_unless_equals_int (width, 16);
}

GST_END_TEST;

/* The largest group of a rung has its rate for the key frame interval and
 * the content of the buffer; its packets have headers. */
static gdouble
wire_rate (guint64 rate)
{
  gdouble bits = rate * (limits.group + limits.buffer);
  gdouble packets =
      bits / 8 / limits.packet_payload + limits.picture_rate * limits.group;

  return (bits + 8 * packets * limits.packet_overhead) / limits.group;
}

static void
assert_fits (const guint64 *layers, guint n_layers, const guint64 *rates,
    guint n)
{
  gdouble cumulative = 0, needed = 0;
  guint level, rung = 0;

  for (level = 0; level < n_layers; level++) {
    gdouble shown;

    cumulative += layers[level];
    while (rung < n && needed + wire_rate (rates[rung]) <= cumulative)
      needed += wire_rate (rates[rung++]);
    shown = rung > 0 ? rates[rung - 1] : 0;
    fail_unless (shown > 0, "level %u shows nothing", level);
  }
  fail_unless (rung == n, "the top shows rung %u of %u", rung, n);
}

GST_START_TEST (test_rungs_fit_into_every_scheme_of_rates)
{
  gdouble computed[LMCC_MAX_LAYERS];
  guint64 layers[LMCC_MAX_LAYERS], rates[LMCC_MAX_RUNGS];
  guint scheme, n_layers, n, i;

  for (scheme = 0; scheme < LMCC_RATE_SCHEME_EXPLICIT; scheme++) {
    for (n_layers = 1; n_layers <= 20; n_layers++) {
      fail_unless (lmcc_rates_compute_from_base (scheme, 150000, 1.3, n_layers,
          computed, NULL));
      for (i = 0; i < n_layers; i++)
        layers[i] = (guint64) computed[i];
      n = lmcc_ladder_fit_layers (layers, n_layers, &limits, rates, NULL);
      fail_unless (n >= 1 && n <= LMCC_LADDER_MAX_RUNGS);
      fail_unless (n >= MIN (2, n_layers / 4));
      for (i = 1; i < n; i++)
        fail_unless (rates[i] > rates[i - 1]);
      assert_fits (layers, n_layers, rates, n);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_an_encoder_of_few_rungs_gets_no_more)
{
  static const guint64 layers[] = { 150000, 150000, 300000, 600000, 1200000 };
  LmccLadderLimits few = limits;
  guint64 rates[LMCC_MAX_RUNGS];

  for (few.max_rungs = 1; few.max_rungs < LMCC_LADDER_MAX_RUNGS;
       few.max_rungs++) {
    fail_unless_equals_int (lmcc_ladder_fit_layers (layers, 5, &few, rates,
                                NULL),
        few.max_rungs);
    assert_fits (layers, 5, rates, few.max_rungs);
  }
}

GST_END_TEST;

/* 24 headers of 64 bytes per second are 12.3 kbit/s; 16 kbit/s with a
 * quarter for the buffer and headers of full packets are 20.9; the session
 * record has a twentieth. */
GST_START_TEST (test_a_base_without_room_is_refused_with_the_cause)
{
  static const guint64 layers[] = { 20000, 500000 };
  static const guint64 enough[] = { 35000 };
  guint64 rates[LMCC_MAX_RUNGS];
  g_autoptr (GError) error = NULL;

  fail_unless_equals_int (lmcc_ladder_fit_layers (layers, 2, &limits, rates,
                              &error),
      0);
  fail_unless (strstr (error->message, "20 kbit/s") != NULL);
  fail_unless (strstr (error->message, "Set it to 35 kbit/s") != NULL, "%s",
      error->message);
  fail_unless_equals_int (lmcc_ladder_fit_layers (enough, 1, &limits, rates,
                              NULL),
      1);
}

GST_END_TEST;

GST_START_TEST (test_rates_below_a_top_are_a_third_each)
{
  guint64 rates[LMCC_MAX_RUNGS];

  fail_unless_equals_int (lmcc_ladder_rates_below (900000, 3, rates), 3);
  fail_unless_equals_uint64 (rates[0], 100000);
  fail_unless_equals_uint64 (rates[2], 900000);
  fail_unless_equals_int (lmcc_ladder_rates_below (900000, 14, rates), 0);
}

GST_END_TEST;

static Suite *
ladder_suite (void)
{
  Suite *s = suite_create ("ladder");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_larger_pictures_get_more_rungs_and_more_rate);
  tcase_add_test (tc, test_less_rate_gives_smaller_pictures_of_even_size);
  tcase_add_test (tc, test_rungs_fit_into_every_scheme_of_rates);
  tcase_add_test (tc, test_an_encoder_of_few_rungs_gets_no_more);
  tcase_add_test (tc, test_a_base_without_room_is_refused_with_the_cause);
  tcase_add_test (tc, test_rates_below_a_top_are_a_third_each);
  return s;
}

GST_CHECK_MAIN (ladder);
