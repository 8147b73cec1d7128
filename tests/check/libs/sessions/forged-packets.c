/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests single forged packets in the sender's name whose numbers leap ahead.
 * The model decoder counts the decodable pictures, and the loss account the
 * detected losses: none of these is real here. GST_DEBUG=check:5 prints the
 * figures.
 */
#include "support/test-loop.h"
#include "support/test-slow.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>
#include <string.h>

#define WARM_UP (20 * LMCC_SECOND)
#define JUDGED (10 * LMCC_SECOND)
#define LONG (40 * LMCC_SECOND)

/* Points at which RLC may go up to the highest level are 2 s apart here, and
 * a deaf period is as long as a leave takes. */
#define RETURN (8 * LMCC_SECOND)

/* Of sessions of fixed rates. */
#define N_LAYERS 4
#define BASE 120000
#define WINDOW (100 * LMCC_MSECOND)

typedef enum
{
  FORGE_LSN,
  FORGE_ALL,
} Forge;

typedef struct
{
  guint leap;
  guint rate; /* per second, 0 for none */
  Forge what;
  guint in_a_row;
  gboolean base_only;
} Attack;

typedef struct
{
  Attack attack;
  gboolean attacks;
  LmccTime next;
  guint n_forged;
  GQueue sent;        /* Sent, in transit */
  LmccPacket *latest; /* Sent, arrived */
  guint group;
} Attacker;

typedef struct
{
  LmccTime at;
  LmccPacket *packet;
  guint group;
} Sent;

static const gchar *const algorithms[] = {
  "none",
  "elm",
  "plumb",
  "rlm",
};

static const guint leaps[] = { 0, 1, 2, 3, 8, 9, 100, 1000, 30000, 40000 };
static const guint rates[] = { 4, 40 };

static void
forge (TestLoop *loop, Attacker *attacker, guint index)
{
  const LmccPacket *packet = attacker->latest;
  const Attack *attack = &attacker->attack;
  guint leap = attack->leap + index;
  LmccPacket *forged;
  LmccHeader header;
  LmccRtp rtp;

  fail_unless (lmcc_rtp_parse (packet->data, packet->size,
      LMCC_HEADER_DEFAULT_ID, &rtp));
  fail_unless (lmcc_header_parse (rtp.element, rtp.element_size, &header));
  header.lsn += (guint16) leap;
  if (attack->what == FORGE_ALL) {
    header.osn += (guint16) leap;
    rtp.sequence += (guint16) leap;
    header.send_time += leap > 0 ? 1 : 0;
  }
  rtp.second = NULL;
  rtp.second_size = 0;
  forged = lmcc_rtp_build (&rtp, &header, LMCC_HEADER_DEFAULT_ID,
      packet->data + rtp.header_size);
  memset (forged->data + forged->size - rtp.payload_size, 0x5a,
      rtp.payload_size);
  attacker->n_forged++;
  lmcc_receiver_handle_packet (loop->receivers[0].receiver, loop->now,
      loop->now, attacker->group, &loop->sender_address, 5004, forged);
}

static guint
network (TestLoop *loop, guint receiver G_GNUC_UNUSED, const LmccPacket *packet,
    guint group, gboolean control, LmccTime *extra_delay G_GNUC_UNUSED,
    gpointer user_data)
{
  Attacker *attacker = user_data;
  Sent *sent;

  if (control)
    return 1;
  sent = g_new (Sent, 1);
  *sent = (Sent){ loop->now, lmcc_packet_ref ((LmccPacket *) packet), group };
  g_queue_push_tail (&attacker->sent, sent);

  return 1;
}

static void
follow (Attacker *attacker, LmccTime until)
{
  Sent *sent;

  while ((sent = g_queue_peek_head (&attacker->sent)) != NULL
      && sent->at + TEST_DELAY <= until) {
    if (sent->group == 0 || !attacker->attack.base_only) {
      g_clear_pointer (&attacker->latest, lmcc_packet_unref);
      attacker->latest = g_steal_pointer (&sent->packet);
      attacker->group = sent->group;
    }
    g_clear_pointer (&sent->packet, lmcc_packet_unref);
    g_free (g_queue_pop_head (&attacker->sent));
  }
}

/* Forged packets arrive directly after the latest packet. */
static void
run_attacked (TestLoop *loop, Attacker *attacker, LmccTime duration)
{
  LmccTime until = loop->now + duration;
  guint i;

  while (loop->now < until) {
    test_loop_run (loop, LMCC_MSECOND);
    follow (attacker, loop->now);
    if (!attacker->attacks || attacker->attack.rate == 0
        || loop->now < attacker->next)
      continue;
    attacker->next += LMCC_SECOND / attacker->attack.rate;
    for (i = 0; i < attacker->attack.in_a_row; i++)
      forge (loop, attacker, i);
    test_loop_drain (loop);
  }
}

typedef struct
{
  guint shown;
  guint64 lost;
} Outcome;

/* A gap of a few packets is an ordinary loss until a forger is suspected;
 * then it is on probation in that layer, too. Losses are judged after that. */
static void
show_forger (TestLoop *loop, Attacker *attacker)
{
  Attack attack = attacker->attack;

  attacker->attack =
      (Attack){ .what = FORGE_LSN, .leap = 30000, .rate = 100, .in_a_row = 1 };
  attacker->attacks = TRUE;
  attacker->next = loop->now;
  run_attacked (loop, attacker, LMCC_SECOND);
  attacker->attack = attack;
  attacker->n_forged = 0;
}

static Outcome
run (const gchar *algorithm, const Attack *attack)
{
  TestLoop *loop = test_loop_new (1, TRUE);
  Attacker attacker = { .attack = *attack };
  LmccReceiverStats before, after;
  TestReceiver *test;
  Outcome outcome = { 0 };
  guint first, i;

  loop->algorithm = g_str_equal (algorithm, "none") ? NULL : algorithm;
  loop->feedback_interval = loop->algorithm != NULL ? LMCC_SECOND : 0;
  loop->rtt_mode = LMCC_RTT_MODE_FIXED;
  loop->fixed_rtt = 2 * TEST_DELAY;
  test_loop_start_sender (loop, 0x12345000u);
  test = test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
  loop->impair = network;
  loop->impair_data = &attacker;
  run_attacked (loop, &attacker, WARM_UP);
  if (attack->rate > 0)
    show_forger (loop, &attacker);
  lmcc_receiver_get_stats (test->receiver, loop->now, &before);
  first = test->pictures->len;
  attacker.attacks = TRUE;
  attacker.next = loop->now;
  run_attacked (loop, &attacker, JUDGED);
  lmcc_receiver_get_stats (test->receiver, loop->now, &after);
  for (i = first; i < test->pictures->len; i++) {
    TestPicture *picture = test_picture_at (test, i);

    outcome.shown += !picture->broken && !picture->hidden;
  }
  outcome.lost = after.lost - before.lost;
  fail_unless (attacker.n_forged >= JUDGED / LMCC_SECOND * attack->rate / 2);
  follow (&attacker, LMCC_TIME_NONE);
  g_clear_pointer (&attacker.latest, lmcc_packet_unref);
  test_loop_free (loop);

  return outcome;
}

/* In percent of the pictures received without an attack. */
static gdouble
missing_share (const Outcome *outcome, const Outcome *peace)
{
  return 100.0 - 100.0 * outcome->shown / peace->shown;
}

static Outcome
run_in_peace (const gchar *algorithm)
{
  const Attack none = { 0 };
  Outcome peace = run (algorithm, &none);

  fail_unless (peace.shown > 100 && peace.lost == 0);

  return peace;
}

GST_START_TEST (test_single_forged_packets_make_no_loss)
{
  const gchar *algorithm = algorithms[__i__ / 2];
  Attack attack = { .rate = rates[__i__ % 2], .in_a_row = 1 };
  Outcome peace = run_in_peace (algorithm);
  guint i;

  for (attack.what = FORGE_LSN; attack.what <= FORGE_ALL; attack.what++) {
    for (i = 0; i < G_N_ELEMENTS (leaps); i++) {
      Outcome outcome;

      /* A forged packet just before the next one, in all numbers, cannot be
       * distinguished from it. */
      if (leaps[i] == 1 && attack.what == FORGE_ALL)
        continue;
      attack.leap = leaps[i];
      outcome = run (algorithm, &attack);
      GST_INFO ("%s, leap %u, %u/s, %s: %u of %u pictures, %u losses",
          algorithm, attack.leap, attack.rate,
          attack.what == FORGE_LSN ? "LSN" : "all", outcome.shown, peace.shown,
          (guint) outcome.lost);
      fail_if (outcome.lost > 0, "%s, leap %u, %u/s, fields %u: %u lost",
          algorithm, attack.leap, attack.rate, attack.what,
          (guint) outcome.lost);
      fail_if (missing_share (&outcome, &peace) > 2,
          "%s, leap %u, %u/s, fields %u: %u of %u pictures", algorithm,
          attack.leap, attack.rate, attack.what, outcome.shown, peace.shown);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_forged_pairs_cost_at_most_half_of_the_pictures)
{
  const gchar *algorithm = algorithms[__i__];
  Attack attack = { .rate = 4, .in_a_row = 2 };
  Outcome peace = run_in_peace (algorithm);
  guint i;

  for (attack.what = FORGE_LSN; attack.what <= FORGE_ALL; attack.what++) {
    for (i = 0; i < G_N_ELEMENTS (leaps); i++) {
      Outcome outcome;

      /* As with single ones: the second forged packet is just before the
       * next one, or the first is. */
      if (leaps[i] <= 1 && attack.what == FORGE_ALL)
        continue;
      attack.leap = leaps[i];
      outcome = run (algorithm, &attack);
      GST_INFO ("%s, pairs, leap %u, %s: %u of %u pictures, %u losses",
          algorithm, attack.leap, attack.what == FORGE_LSN ? "LSN" : "all",
          outcome.shown, peace.shown, (guint) outcome.lost);
      fail_if (missing_share (&outcome, &peace) > 50,
          "%s, leap %u, fields %u: %u of %u pictures", algorithm, attack.leap,
          attack.what, outcome.shown, peace.shown);
    }
  }
}

GST_END_TEST;

static const gchar *const slotted[] = {
  "rlc",
  "synchronized",
  "flid-sl",
  "flid-dl",
};

/* Chains of three in the base layer, twice per second. */
static Attacker
new_chains (guint leap)
{
  return (Attacker){ .attack = { .what = FORGE_ALL,
                         .leap = leap,
                         .rate = 2,
                         .in_a_row = 3,
                         .base_only = TRUE } };
}

static TestLoop *
start_slotted (const gchar *algorithm, Attacker *attacker)
{
  TestLoop *loop = test_loop_new (1, FALSE);
  guint layer;

  loop->algorithm = algorithm;
  loop->window = WINDOW;
  loop->n_layers = N_LAYERS;
  for (layer = 0; layer < N_LAYERS; layer++)
    loop->rates[layer] = layer < 2 ? BASE : (guint64) BASE << (layer - 1);
  test_loop_start_sender (loop, 0x12345000u);
  test_loop_add_receiver (loop, -1, LMCC_ON_LOSS_FREEZE);
  loop->impair = network;
  loop->impair_data = attacker;
  attacker->attacks = FALSE;
  run_attacked (loop, attacker, WARM_UP);
  attacker->attacks = TRUE;
  attacker->next = loop->now;

  return loop;
}

static void
end_slotted (TestLoop *loop, Attacker *attacker)
{
  follow (attacker, LMCC_TIME_NONE);
  g_clear_pointer (&attacker->latest, lmcc_packet_unref);
  test_loop_free (loop);
}

/* Numbers that continue from a forged chain, and go back to the sender's,
 * start anew: none of them may be missing for ever, or the level would stay
 * down. */
GST_START_TEST (test_slots_go_on_after_forged_chains)
{
  Attacker attacker = new_chains (leaps[__i__]);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (slotted); i++) {
    TestLoop *loop = start_slotted (slotted[i], &attacker);
    LmccReceiverStats stats;

    run_attacked (loop, &attacker, JUDGED);
    attacker.attacks = FALSE;
    run_attacked (loop, &attacker, RETURN);
    lmcc_receiver_get_stats (loop->receivers[0].receiver, loop->now, &stats);
    fail_unless (stats.level == N_LAYERS - 1, "%s, leap %u: level %d",
        slotted[i], leaps[__i__], stats.level);
    end_slotted (loop, &attacker);
  }
}

GST_END_TEST;

/* They keep the level down, but the packets that seem lost were never sent,
 * so the circuit breaker must not trip, even if they pause. */
GST_START_TEST (test_forged_chains_do_not_end_a_reception)
{
  Attacker attacker = new_chains (leaps[__i__]);
  guint i, pause;

  for (i = 0; i < 2 * G_N_ELEMENTS (slotted); i++) {
    TestLoop *loop = start_slotted (slotted[i / 2], &attacker);
    LmccReceiverStats stats;

    for (pause = 0; pause < LONG / (5 * LMCC_SECOND); pause++) {
      attacker.attacks = TRUE;
      attacker.next = loop->now;
      run_attacked (loop, &attacker, (i % 2 == 0 ? 5 : 3) * LMCC_SECOND);
      attacker.attacks = FALSE;
      run_attacked (loop, &attacker, (i % 2 == 0 ? 0 : 2) * LMCC_SECOND);
    }
    lmcc_receiver_get_stats (loop->receivers[0].receiver, loop->now, &stats);
    fail_unless (stats.level >= 0, "%s, leap %u, %u: over", slotted[i / 2],
        leaps[__i__], i % 2);
    end_slotted (loop, &attacker);
  }
}

GST_END_TEST;

static Suite *
forged_packets_suite (void)
{
  Suite *suite = suite_create ("forged-packets");
  TCase *tcase = tcase_create ("general");
  gint n_algorithms = test_is_slow () ? 2 : G_N_ELEMENTS (algorithms);
  gint n_leaps = test_is_slow () ? 1 : G_N_ELEMENTS (leaps);

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 120);
  tcase_add_loop_test (tcase, test_single_forged_packets_make_no_loss, 0,
      2 * n_algorithms);
  tcase_add_loop_test (tcase,
      test_forged_pairs_cost_at_most_half_of_the_pictures, 0, n_algorithms);
  tcase_add_loop_test (tcase, test_slots_go_on_after_forged_chains, 0, n_leaps);
  tcase_add_loop_test (tcase, test_forged_chains_do_not_end_a_reception, 0,
      n_leaps);

  return suite;
}

GST_CHECK_MAIN (forged_packets);
