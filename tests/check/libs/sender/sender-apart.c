/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests that layers of fixed rates do not send at the same moments, at any
 * level.
 */
#include "support/sender-harness.h"

#include <gst/lmcc/lmcc-rates.h>

#define PACKET_SIZE 1000
#define PICTURE (40 * MS)
#define N_EQUAL 25

/* A packet of a layer takes 80 ms, less than the longest filler. */
#define RATE 100e3
#define INTERVAL (80 * MS)

/* Of a link, relative to the level's rate. */
#define LINK_FACTOR 1.05

static LmccSenderConfig
layers_config (LmccRateScheme scheme, guint n_layers)
{
  LmccSenderConfig config = sender_config (1);
  gdouble rates[LMCC_MAX_LAYERS];
  guint i;

  fail_unless (lmcc_rates_compute (scheme, RATE, 0, n_layers, rates, NULL));
  config.session.native = FALSE;
  config.session.window = 2200 * MS;
  config.session.packet_size = PACKET_SIZE;
  config.session.n_layers = n_layers;
  for (i = 0; i < n_layers; i++)
    config.session.layers[i].rate = (guint64) (rates[i] + 0.5);

  return config;
}

/* Half of the layers' capacity, one key frame per second, all in full
 * packets. */
static void
push_seconds (Harness *h, const LmccSession *session, guint n_seconds)
{
  gsize payload_size = PACKET_SIZE - IP_OVERHEAD - RTP_OVERHEAD;
  guint64 rate = lmcc_session_level_rate (session, session->n_layers - 1);
  guint n_packets = (guint) (rate / 2 / 30 / (8 * PACKET_SIZE));
  LmccTime time = h->now;
  guint i;

  for (i = 0; i < n_seconds * 25; i++) {
    LmccUnit *unit = make_unit (0, 0, time + i * PICTURE,
        i % 25 == 0 ? 6 * n_packets : n_packets, payload_size);

    unit->switch_point = i % 25 == 0;
    harness_push_at (h, unit);
  }
}

/* The thread may not run for this long. */
static void
stall (Harness *h, LmccTime duration)
{
  h->now += duration;
  lmcc_sender_handle_timeout (h->sender, h->now);
  harness_drain (h);
}

/* The largest number of packets that the layers from 1 to @level send within
 * @span, and the time until which none of them is later than @from. The base
 * layer is not evenly filled, because it contains RTCP. */
static guint
count_together (const Harness *h, guint level, LmccTime from, LmccTime span)
{
  guint first, i, n = 0, most = 0;

  for (first = i = 0; i < N_SENT (h); i++) {
    const SentPacket *s = SENT (h, i);

    if (s->control || s->group == 0 || s->group > level || s->time < from)
      continue;
    n++;
    for (; SENT (h, first)->time + span <= s->time; first++) {
      const SentPacket *old = SENT (h, first);

      if (!old->control && old->group > 0 && old->group <= level
          && old->time >= from)
        n--;
    }
    most = MAX (most, n);
  }

  return most;
}

/* On a link slightly faster than the level's rate: the largest queue, in
 * packets. */
static gdouble
find_backlog (const Harness *h, const LmccSession *session, guint level,
    LmccTime from)
{
  gdouble rate = LINK_FACTOR / LMCC_SECOND
      * (gdouble) lmcc_session_level_rate (session, level);
  gdouble queue = 0, most = 0;
  LmccTime last = from;
  guint i;

  for (i = 0; i < N_SENT (h); i++) {
    const SentPacket *s = SENT (h, i);

    if ((s->control ? 0 : s->group) > level || s->time < from)
      continue;
    queue = MAX (0, queue - rate * (gdouble) (s->time - last));
    queue += 8.0 * (gdouble) sent_ip_size (s);
    last = s->time;
    most = MAX (most, queue);
  }

  return most / (8.0 * PACKET_SIZE);
}

typedef enum
{
  FILLER,
  STALLS,
  PICTURES
} What;

/* Phases that are the first n of van der Corput's sequence are more than
 * 1/(2n) apart, so that 1/n contains at most two of them. */
GST_START_TEST (test_at_no_level_do_equal_layers_send_together)
{
  LmccSenderConfig config = layers_config (LMCC_RATE_SCHEME_EQUAL, N_EQUAL + 1);
  Harness h = harness_new (&config);
  LmccTime from;
  guint level;

  if (__i__ == STALLS) {
    harness_run_until (&h, START + 530 * MS);
    stall (&h, 155 * MS);
    harness_run_until (&h, START + LMCC_SECOND);
    stall (&h, 330 * MS);
  }
  from = h.now + INTERVAL;
  harness_run_until (&h, h.now + 3 * LMCC_SECOND);
  for (level = 1; level <= N_EQUAL; level++) {
    guint n = count_together (&h, level, from, INTERVAL / level);

    fail_unless (n <= 2, "level %u: %u packets together", level, n);
  }
  harness_clear (&h);
}

GST_END_TEST;

typedef struct
{
  const gchar *name;
  LmccRateScheme scheme;
  guint n_layers;
  What what;
  gdouble most; /* packets */
} Backlog;

/* Two for the layers above the base, one if their rates double: the rest of
 * even spacing is the base's. One for the base layer, whose packets are
 * moved by RTCP; its gap makes the others wait for half a packet. */
static const Backlog backlogs[] = {
  { "equal", LMCC_RATE_SCHEME_EQUAL, N_EQUAL, FILLER, 3.0 },
  { "equal, stalls", LMCC_RATE_SCHEME_EQUAL, N_EQUAL, STALLS, 3.0 },
  { "equal, pictures", LMCC_RATE_SCHEME_EQUAL, N_EQUAL, PICTURES, 3.0 },
  { "doubling", LMCC_RATE_SCHEME_DOUBLING, 8, FILLER, 2.5 },
  { "doubling, pictures", LMCC_RATE_SCHEME_DOUBLING, 8, PICTURES, 2.5 },
};

GST_START_TEST (test_a_link_of_little_more_has_a_short_queue_at_each_level)
{
  const Backlog *row = &backlogs[__i__];
  LmccSenderConfig config = layers_config (row->scheme, row->n_layers);
  Harness h = harness_new (&config);
  LmccTime from;
  guint level;

  if (row->what == STALLS)
    stall (&h, 330 * MS);
  from = h.now + INTERVAL;
  if (row->what == PICTURES)
    push_seconds (&h, &config.session, 8);
  harness_run_until (&h, h.now + 4 * LMCC_SECOND);
  for (level = 0; level < row->n_layers; level++) {
    gdouble backlog = find_backlog (&h, &config.session, level, from);

    GST_INFO ("%s, level %u: %.2f packets", row->name, level, backlog);
    fail_unless (backlog <= row->most, "%s, level %u: %g packets wait",
        row->name, level, backlog);
  }
  harness_clear (&h);
}

GST_END_TEST;

static Suite *
sender_apart_suite (void)
{
  Suite *s = suite_create ("sender-apart");
  TCase *tc = tcase_create ("layers");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_at_no_level_do_equal_layers_send_together,
      FILLER, PICTURES);
  tcase_add_loop_test (tc,
      test_a_link_of_little_more_has_a_short_queue_at_each_level, 0,
      G_N_ELEMENTS (backlogs));

  return s;
}

GST_CHECK_MAIN (sender_apart);
