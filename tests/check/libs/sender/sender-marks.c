/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the slot marks in a sender's packets, and when these packets leave.
 */
#include "support/sender-harness.h"

#include <gst/lmcc/control/slots/dynamic-layering.h>
#include <gst/lmcc/control/slots/increase-probabilities.h>
#include <gst/lmcc/lmcc-algorithm.h>
#include <gst/lmcc/lmcc-rates.h>
#include <gst/lmcc/lmcc-session-algorithm.h>
#include <gst/lmcc/measure/markov.h>
#include <gst/lmcc/wire/algorithm-element.h>
#include <math.h>
#include <string.h>

#define PACKET_SIZE 1200
#define PICTURE (40 * MS)

/* Size of the largest packet that the sender may send: its MTU minus the
 * IPv4 and UDP headers. */
#define LARGEST (1400 + IP_OVERHEAD)

static LmccSenderConfig
marks_config (const gchar *algorithm, LmccRateScheme scheme, gdouble base,
    gdouble factor, guint n_layers)
{
  LmccSenderConfig config = sender_config (1);
  gdouble rates[LMCC_MAX_LAYERS];
  guint i;

  fail_unless (
      lmcc_rates_compute (scheme, base, factor, n_layers, rates, NULL));
  config.session.native = FALSE;
  config.session.window = 2200 * MS;
  config.session.n_layers = n_layers;
  config.session.packet_size = PACKET_SIZE;
  for (i = 0; i < n_layers; i++)
    config.session.layers[i].rate = (guint64) (rates[i] + 0.5);
  g_strlcpy (config.session.algorithm, algorithm,
      sizeof (config.session.algorithm));

  return config;
}

/* Pictures that can each start a window, and of different sizes. */
static void
push_until (Harness *h, LmccTime until)
{
  LmccTime time;
  guint i;

  for (time = h->now, i = 0; time < until; time += PICTURE, i++) {
    LmccUnit *unit = make_unit (0, 0, time, 1 + i % 3, 500 + i * 37 % 800);

    unit->switch_point = i % 25 == 0;
    harness_push_at (h, unit);
  }
  harness_run_until (h, until);
}

static guint64
slot_of (const Harness *h, const SentPacket *s)
{
  return (s->time - START) / lmcc_sender_get_session (h->sender)->slot;
}

static void
check_slot (const Harness *h, const SentPacket *s)
{
  const LmccSession *session = lmcc_sender_get_session (h->sender);

  if (s->header.slot != slot_of (h, s) % session->slot_modulus)
    fail ("slot %u at %" G_GUINT64_FORMAT " ns", s->header.slot,
        s->time - START);
}

/* RLC */

static guint
trailing_zeros (guint64 n)
{
  guint zeros = 0;

  for (; n % 2 == 0; n /= 2)
    zeros++;

  return zeros;
}

typedef struct
{
  LmccTime slot;
  LmccTime burst;
  guint top;
} Pattern;

static guint
point_level (const Pattern *pattern, guint64 slot)
{
  return MIN (trailing_zeros (slot + 1), pattern->top - 1);
}

/* Bits of which @layer should have started the transmission by @time since
 * the start. */
static gdouble
bits_by (const Pattern *pattern, guint layer, guint64 rate, LmccTime time)
{
  guint64 slot = time / pattern->slot;
  gdouble offset = (gdouble) (time % pattern->slot);
  gdouble start = (gdouble) (pattern->slot - 2 * pattern->burst);

  if (layer <= point_level (pattern, slot) && offset > start)
    offset = MIN (start + 2 * (offset - start), (gdouble) pattern->slot);

  return (gdouble) rate * ((gdouble) (slot * pattern->slot) + offset)
      / LMCC_SECOND;
}

static gboolean
is_of_layer (const SentPacket *s, guint layer)
{
  return s->control ? layer == 0 : s->header.layer == layer;
}

/* At each packet of the layer, all earlier packets have been sent, and it is
 * due. */
static void
check_bits (const Harness *h, const Pattern *pattern, guint layer, guint64 rate)
{
  gdouble sent = 0;
  guint i;

  for (i = 0; i < N_SENT (h); i++) {
    const SentPacket *s = SENT (h, i);
    gdouble want = bits_by (pattern, layer, rate, s->time - START);

    if (want - sent > 8.0 * LARGEST + 1)
      fail ("layer %u: %g bits too few at %" G_GUINT64_FORMAT, layer,
          want - sent, s->time - START);
    if (!is_of_layer (s, layer))
      continue;
    if (fabs (sent - want) > 8.0 * LARGEST + 1)
      fail ("layer %u: %g bits too many at %" G_GUINT64_FORMAT, layer,
          sent - want, s->time - START);
    sent += 8.0 * (s->packet->size + IP_OVERHEAD);
  }
}

static guint
check_rlc_marks (const Harness *h, const Pattern *pattern)
{
  guint i, n_bursts = 0;

  for (i = 0; i < N_SENT (h); i++) {
    const SentPacket *s = SENT (h, i);
    guint64 slot = slot_of (h, s);
    LmccTime before = (slot + 1) * pattern->slot - (s->time - START);
    guint level = point_level (pattern, slot);
    guint layer = s->control ? 0 : s->header.layer;
    gboolean burst = layer <= level && before <= 2 * pattern->burst;

    if (burst && before <= pattern->burst)
      fail ("layer %u sends before a point of level %u", layer, level);
    if (s->control)
      continue;
    check_slot (h, s);
    if (s->header.signal != (gint) level || s->header.burst != burst)
      fail ("slot %u: signal %d, burst %d", s->header.slot, s->header.signal,
          s->header.burst);
    n_bursts += burst;
  }

  return n_bursts;
}

/* Bursts of 8 packets of the base layer at twice its rate: all of a slot of
 * 8 packets, less of a longer one. */
static void
check_rlc (LmccTime slot)
{
  LmccSenderConfig config =
      marks_config ("rlc", LMCC_RATE_SCHEME_DOUBLING, 64000, 0, 5);
  LmccTime packets = 8 * PACKET_SIZE * 8 * LMCC_SECOND / 64000;
  Pattern pattern = { slot > 0 ? slot : packets, packets / 2, 4 };
  Harness h;
  guint i;

  config.session.slot = slot;
  h = harness_new (&config);
  fail_unless_equals_uint64 (lmcc_sender_get_session (h.sender)->slot,
      pattern.slot);
  push_until (&h, START + 40 * pattern.slot);
  /* Those of the base layer alone are eight per slot. */
  fail_unless (check_rlc_marks (&h, &pattern) > 40 * 8);
  for (i = 0; i < 5; i++)
    check_bits (&h, &pattern, i, config.session.layers[i].rate);
  harness_clear (&h);
}

/* With pictures, and with nothing but filler. */
GST_START_TEST (test_the_filler_of_bursts_is_of_the_sessions_packet_size)
{
  LmccSenderConfig config =
      marks_config ("rlc", LMCC_RATE_SCHEME_DOUBLING, 64000, 0, 5);
  Harness h = harness_new (&config);
  guint n_fillers = 0, i;

  if (__i__ > 0)
    push_until (&h, START + 48 * LMCC_SECOND);
  else
    harness_run_until (&h, START + 48 * LMCC_SECOND);
  for (i = 0; i < N_SENT (&h); i++) {
    const SentPacket *s = SENT (&h, i);

    if (s->control || !s->header.burst || s->header.type != LMCC_PACKET_FILLER)
      continue;
    fail_unless_equals_uint64 (s->packet->size + IP_OVERHEAD, PACKET_SIZE);
    n_fillers++;
  }
  fail_unless (n_fillers > 100);
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_bursts_and_silence_are_exact)
{
  check_rlc (0);
  check_rlc (2 * LMCC_SECOND);
}

GST_END_TEST;

GST_START_TEST (test_sync_points_go_on_across_the_wrap)
{
  LmccSenderConfig config =
      marks_config ("rlc", LMCC_RATE_SCHEME_DOUBLING, 64000, 0, 5);
  Harness h = harness_new (&config);
  const LmccSession *session = lmcc_sender_get_session (h.sender);
  Pattern pattern = { session->slot, session->slot / 2, 4 };
  gboolean wrapped = FALSE;
  guint i;

  fail_unless_equals_int (session->slot_modulus % 16, 0);
  g_array_set_size (h.sent, 0);
  h.now = START + (session->slot_modulus - 20) * session->slot;
  harness_run_until (&h, h.now + 40 * session->slot);
  for (i = 0; i < N_SENT (&h); i++) {
    const SentPacket *s = SENT (&h, i);

    /* Missed packets are sent in the first 100 ms. */
    if (s->control
        || s->time < START + (session->slot_modulus - 18) * session->slot)
      continue;
    check_slot (&h, s);
    fail_unless_equals_int (s->header.signal,
        point_level (&pattern, s->header.slot));
    wrapped |= s->header.slot == 0;
  }
  fail_unless (wrapped);
  harness_clear (&h);
}

GST_END_TEST;

/* FLID */

/* The counter's bits, backward behind the binary point (Byers et al.,
 * "FLID-DL", 2002, section IV-C1). */
static gdouble
written_backward (guint b)
{
  gdouble value = 0, bit = 0.5;

  for (; b > 0; b /= 2, bit /= 2)
    value += b % 2 * bit;

  return value;
}

static void
check_signals (const LmccSession *session, const gint *signals, guint n_slots)
{
  LmccTcpTarget tcp = { 100 * MS, PACKET_SIZE };
  gdouble rates[LMCC_MAX_LAYERS], probabilities[LMCC_MAX_LAYERS];
  LmccMarkovChain chain;
  guint i, level, count;

  for (i = 0; i < session->n_layers; i++)
    rates[i] = (gdouble) session->layers[i].rate;
  lmcc_markov_chain_init (&chain, rates, session->n_layers, PACKET_SIZE,
      LMCC_SECOND / 2);
  lmcc_increase_probabilities_heuristic (&chain, lmcc_tcp_target_rate, &tcp,
      probabilities);
  for (level = 0; level + 1 < session->n_layers; level++) {
    for (i = 0, count = 0; i < n_slots; i++) {
      gboolean up = written_backward (i + 1) <= probabilities[level];

      count += up;
      fail_unless (up == (signals[i] >= (gint) level), "slot %u: signal %d", i,
          signals[i]);
    }
    fail_unless (fabs (count / (gdouble) n_slots - probabilities[level])
            < 2.0 / n_slots,
        "level %u: %u times", level, count);
  }
}

/* In a power of two slots, each level has the number of signals given by
 * p_i; all packets of a slot have the same signal. */
static void
check_flid (const gchar *algorithm)
{
  LmccSenderConfig config =
      marks_config (algorithm, LMCC_RATE_SCHEME_MULTIPLICATIVE, 32000, 1.6, 8);
  Harness h = harness_new (&config);
  const LmccSession *session = lmcc_sender_get_session (h.sender);
  gint signals[1024];
  guint i;

  memset (signals, 0x7f, sizeof (signals));
  fail_unless_equals_uint64 (session->slot, LMCC_SECOND / 2);
  harness_run_until (&h, START + 1024 * session->slot - 1);
  for (i = 0; i < N_SENT (&h); i++) {
    const SentPacket *s = SENT (&h, i);
    gint *signal = &signals[slot_of (&h, s)];

    if (s->control)
      continue;
    check_slot (&h, s);
    if (*signal == 0x7f7f7f7f)
      *signal = s->header.signal;
    if (*signal != s->header.signal)
      fail ("slot %u has two signals", s->header.slot);
  }
  for (i = 0; i < 1024; i++)
    fail_unless (signals[i] <= 6, "slot %u: signal %d", i, signals[i]);
  check_signals (session, signals, 1024);
  harness_clear (&h);
}

GST_START_TEST (test_signals_are_as_frequent_as_the_probabilities)
{
  check_flid ("flid-sl");
  check_flid ("flid-dl");
}

GST_END_TEST;

/* The harness checks each packet's group. Here: each layer's numbers
 * continue from group to group, also across the wrap, and silent groups
 * carry nothing. */
GST_START_TEST (test_layers_turn_through_the_groups)
{
  LmccSenderConfig config =
      marks_config ("flid-dl", LMCC_RATE_SCHEME_MULTIPLICATIVE, 64000, 1.5, 6);
  Harness h = harness_new (&config);
  const LmccSession *session = lmcc_sender_get_session (h.sender);
  guint16 lsn[LMCC_MAX_LAYERS];
  gboolean seen[LMCC_MAX_LAYERS] = { FALSE }, wrapped = FALSE;
  gboolean used[LMCC_MAX_GROUPS] = { FALSE };
  guint i;

  /* 4 s of leave latency with slots of half a second: L < (s - 1) T, s = 10. */
  fail_unless_equals_int (session->silent_groups, 10);
  fail_unless_equals_int (session->turning_groups, 15);
  fail_unless_equals_int (session->n_groups, 16);
  fail_unless_equals_int (session->slot_modulus, 65535);
  fail_unless (lmcc_session_validate (session, NULL));

  h.now = START + (session->slot_modulus - 20) * session->slot;
  harness_run_until (&h, h.now + 20 * session->slot);
  push_until (&h, h.now + 20 * session->slot);
  for (i = 0; i < N_SENT (&h); i++) {
    const SentPacket *s = SENT (&h, i);
    guint layer = s->header.layer;

    if (s->control)
      continue;
    if (seen[layer] && s->header.lsn != lsn[layer])
      fail ("layer %u: number %u, not %u", layer, s->header.lsn, lsn[layer]);
    fail_unless (layer > 0 || s->group == 0);
    seen[layer] = TRUE;
    lsn[layer] = s->header.lsn + 1;
    used[s->group] = TRUE;
    wrapped |= s->time > START + LMCC_SECOND && s->header.slot == 0;
  }
  fail_unless (wrapped);
  for (i = 0; i < session->n_groups; i++)
    fail_unless (used[i], "group %u was not used", i);
  harness_clear (&h);
}

GST_END_TEST;

/* Wei and Zhang */

/* The points of layer j, at which level j - 1 may go up, come every R_j /
 * R_0 slots, at the end of the slot. */
static guint64
levels_after (const LmccSession *session, guint64 slot)
{
  guint64 base = session->layers[0].rate, levels = 0;
  guint j;

  for (j = 1; j < session->n_layers; j++) {
    guint64 rate = lmcc_session_level_rate (session, j);

    if ((slot + 1) * base / rate > slot * base / rate)
      levels |= G_GUINT64_CONSTANT (1) << (j - 1);
  }

  return levels;
}

static void
check_even (const Harness *h, guint layer, guint64 rate)
{
  Pattern pattern = { LMCC_SECOND, 0, 1 };

  check_bits (h, &pattern, layer, rate);
}

static void
check_synchronized (guint n_layers)
{
  LmccSenderConfig config =
      marks_config ("synchronized", LMCC_RATE_SCHEME_EQUAL, 96000, 0, n_layers);
  Harness h = harness_new (&config);
  const LmccSession *session = lmcc_sender_get_session (h.sender);
  guint64 levels = 0;
  guint i, n = 0;

  push_until (&h, START + 200 * session->slot);
  for (i = 0; i < N_SENT (&h); i++) {
    const SentPacket *s = SENT (&h, i);

    if (s->control)
      continue;
    check_slot (&h, s);
    fail_unless_equals_int (s->header.signal, LMCC_SIGNAL_NOBODY);
    if (s->header.layer > 0) {
      fail_if (lmcc_synchronized_parse (s->rtp.second, s->rtp.second_size,
          n_layers - 1, &levels));
      continue;
    }
    fail_unless (lmcc_synchronized_parse (s->rtp.second, s->rtp.second_size,
        n_layers - 1, &levels));
    fail_unless_equals_uint64 (levels, levels_after (session, slot_of (&h, s)));
    n++;
  }
  fail_unless (n > 100);
  for (i = 0; i < n_layers; i++)
    check_even (&h, i, config.session.layers[i].rate);
  harness_clear (&h);
}

/* With more than 8 layers, the base layer's packets are longer. */
GST_START_TEST (test_the_base_says_which_levels_may_go_up)
{
  check_synchronized (5);
  check_synchronized (20);
}

GST_END_TEST;

/* Which sessions have marks */

static void
check_refused (LmccSenderConfig config, const gchar *why)
{
  g_autoptr (GError) error = NULL;
  LmccSession before = config.session;
  Harness h;

  fail_if (lmcc_session_fit_algorithm (&config.session, config.nominal_rtt,
      config.leave_latency, &error));
  fail_unless (error->code == LMCC_SESSION_ERROR_VALUE);
  fail_unless (strstr (error->message, why) != NULL, "%s", error->message);
  fail_unless (memcmp (&before, &config.session, sizeof (before)) == 0);

  h = harness_new (&config);
  fail_unless_equals_uint64 (lmcc_sender_get_session (h.sender)->slot, 0);
  harness_run_until (&h, START + LMCC_SECOND);
  fail_unless (N_SENT (&h) > 0);
  harness_clear (&h);
}

/* Each packet of a layer above the base states its position in the slot, or
 * when the layer's previous packet was sent. */
static void
check_places (const gchar *algorithm, LmccRateScheme scheme, gdouble factor)
{
  LmccSenderConfig config = marks_config (algorithm, scheme, 96000, factor, 6);
  Harness h = harness_new (&config);
  guint64 last[6] = { 0 };
  gint n[6] = { 0 };
  guint n_later = 0, i;

  push_until (&h, START + 40 * LMCC_SECOND);
  for (i = 0; i < N_SENT (&h); i++) {
    const SentPacket *s = SENT (&h, i);
    guint layer = s->header.layer;
    gint place, expected;

    if (s->control)
      continue;
    place = lmcc_place_parse (s->rtp.second, s->rtp.second_size);
    if (layer == 0) {
      fail_unless_equals_int (place, 0);
      continue;
    }
    if (n[layer] == 0)
      expected = LMCC_PLACE_FIRST;
    else if (s->header.slot == last[layer])
      expected = MIN (n[layer], LMCC_PLACE_MAX);
    else
      expected = -(gint) (s->header.slot - last[layer]);
    n_later += expected > 1;
    fail_unless_equals_int (place, expected);
    n[layer] = s->header.slot == last[layer] ? n[layer] + 1 : 1;
    last[layer] = s->header.slot;
  }
  fail_unless (n_later > 100);
  harness_clear (&h);
}

GST_START_TEST (test_packets_say_their_place_in_the_slot)
{
  check_places ("flid-sl", LMCC_RATE_SCHEME_MULTIPLICATIVE, 1.3);
  check_places ("flid-dl", LMCC_RATE_SCHEME_MULTIPLICATIVE, 1.3);
  check_places ("rlc", LMCC_RATE_SCHEME_DOUBLING, 0);
  check_places ("synchronized", LMCC_RATE_SCHEME_DOUBLING, 0);
}

GST_END_TEST;

GST_START_TEST (test_layers_that_are_not_fit_are_refused)
{
  LmccSenderConfig config =
      marks_config ("rlc", LMCC_RATE_SCHEME_MULTIPLICATIVE, 64000, 1.5, 4);

  check_refused (config, "doubling");
  config = sender_config (1);
  g_strlcpy (config.session.algorithm, "flid-sl", 16);
  check_refused (config, "fixed rates");
  config = marks_config ("flid-dl", LMCC_RATE_SCHEME_EQUAL, 64000, 0, 60);
  config.leave_latency = 30 * LMCC_SECOND;
  check_refused (config, "groups");
  config = marks_config ("flid-sl", LMCC_RATE_SCHEME_EQUAL, 16000, 0, 4);
  check_refused (config, "too short for a packet");
  config = marks_config ("rlc", LMCC_RATE_SCHEME_DOUBLING, 1000, 0, 4);
  check_refused (config, "maximum is 60 s");
}

GST_END_TEST;

GST_START_TEST (test_a_session_without_slots_has_no_marks)
{
  LmccSenderConfig config =
      marks_config ("elm", LMCC_RATE_SCHEME_DOUBLING, 64000, 0, 4);
  Harness h = harness_new (&config);
  guint i;

  push_until (&h, START + 3 * LMCC_SECOND);
  for (i = 0; i < N_SENT (&h); i++) {
    const SentPacket *s = SENT (&h, i);

    if (s->control)
      continue;
    fail_unless_equals_int (s->header.slot, 0);
    fail_unless_equals_int (s->header.signal, LMCC_SIGNAL_NOBODY);
    fail_if (s->header.burst);
    fail_unless (s->rtp.second == NULL);
  }
  fail_unless (N_SENT (&h) > 100);
  harness_clear (&h);
}

GST_END_TEST;

/* Each row of the registry states it, so that no list of names is needed. */
GST_START_TEST (test_whose_slots_can_be_set_has_a_second_element)
{
  guint n, n_settings, n_slotted = 0, i;
  const LmccAlgorithm *const *list = lmcc_algorithm_list (&n);
  LmccSession session;

  lmcc_session_init (&session);
  session.slot = LMCC_SECOND;
  for (i = 0; i < n; i++) {
    gboolean slotted = lmcc_algorithm_has_slots (list[i]);

    fail_unless (slotted
            || lmcc_session_algorithm_get_settings (list[i]->name, &n_settings)
                == NULL,
        "%s", list[i]->name);
    g_strlcpy (session.algorithm, list[i]->name, sizeof (session.algorithm));
    fail_unless (lmcc_session_has_second_element (&session)
            == (slotted || lmcc_session_has_single_rate (&session)),
        "%s", list[i]->name);
    n_slotted += slotted;
  }
  fail_unless (n_slotted >= 4);
}

GST_END_TEST;

static Suite *
sender_marks_suite (void)
{
  Suite *s = suite_create ("sender-marks");
  TCase *tc = tcase_create ("marks");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc,
      test_the_filler_of_bursts_is_of_the_sessions_packet_size, 0, 2);
  tcase_add_test (tc, test_bursts_and_silence_are_exact);
  tcase_add_test (tc, test_sync_points_go_on_across_the_wrap);
  tcase_add_test (tc, test_signals_are_as_frequent_as_the_probabilities);
  tcase_add_test (tc, test_layers_turn_through_the_groups);
  tcase_add_test (tc, test_the_base_says_which_levels_may_go_up);
  tcase_add_test (tc, test_packets_say_their_place_in_the_slot);
  tcase_add_test (tc, test_layers_that_are_not_fit_are_refused);
  tcase_add_test (tc, test_a_session_without_slots_has_no_marks);
  tcase_add_test (tc, test_whose_slots_can_be_set_has_a_second_element);

  return s;
}

GST_CHECK_MAIN (sender_marks);
