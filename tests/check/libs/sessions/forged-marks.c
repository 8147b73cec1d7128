/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests an attacker on the path that sends in the sender's name, with its S0
 * and fitting numbers: forged slots, signals, bursts and synchronization
 * points. It may keep a receiver down, but must not make it go up.
 */
#include "support/test-net.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/slots/dynamic-layering.h>
#include <gst/lmcc/wire/algorithm-element.h>
#include <gst/lmcc/wire/join-notice.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>
#include <math.h>
#include <string.h>

#define WARM_UP (20 * LMCC_SECOND)
#define JUDGED (120 * LMCC_SECOND)

/* How much faster than in the session slots may pass, and how many of them
 * earlier. */
#define CLOCK_TOLERANCE 1.01
#define EARLY_SLOTS 3

#define LATE (400 * LMCC_MSECOND)

typedef struct
{
  const gchar *algorithm;
  gdouble base; /* bit/s */
  gdouble factor;
  guint n_layers;
  gdouble share;         /* forged packets per real one */
  gboolean ahead;        /* only packets of the next slots */
  gboolean shadow;       /* each base packet arrives after a forged one */
  gboolean first;        /* a forged packet starts each slot */
  LmccTime join_latency; /* flid-dl decides this long before a slot ends */
} Attack;

typedef struct
{
  const Attack *attack;
  GRand *dice;
  gboolean attacks;
  gboolean nobody; /* the real sender's signals let no level go up */
  guint modulus;
  LmccDynamicLayering layering;
  LmccTime start; /* of slot 0, at the receiver */
  LmccTime slot;
  guint64 n_slots;
  LmccRtp base_rtp; /* of the latest base packet */
  LmccHeader base;
  guint64 n_forged;
} Attacker;

/* In the last rows, base layers have fewer than two packets per slot, or the
 * receivers decide before they have heard one: for some slots, only forged
 * packets are known then. */
static const Attack attacks[] = {
  { "rlc", 128e3, 2, 5, .share = .5 },
  { "rlc", 128e3, 2, 5, .share = 1, .ahead = TRUE },
  { "rlc", 128e3, 2, 5, .share = .02 },
  { "rlc", 128e3, 2, 5, .shadow = TRUE },
  { "synchronized", 256e3, 2, 5, .share = .5 },
  { "synchronized", 256e3, 2, 5, .share = 1, .ahead = TRUE },
  { "synchronized", 256e3, 2, 5, .share = .02 },
  { "synchronized", 256e3, 2, 5, .shadow = TRUE },
  { "flid-sl", 96e3, 1.3, 15, .share = .5 },
  { "flid-sl", 96e3, 1.3, 15, .share = 1, .ahead = TRUE },
  { "flid-sl", 96e3, 1.3, 15, .share = .02 },
  { "flid-sl", 96e3, 1.3, 15, .shadow = TRUE },
  { "flid-dl", 96e3, 1.3, 15, .share = .5 },
  { "flid-dl", 96e3, 1.3, 15, .share = 1, .ahead = TRUE },
  { "flid-dl", 96e3, 1.3, 15, .share = .02 },
  { "flid-dl", 96e3, 1.3, 15, .shadow = TRUE },
  { "flid-sl", 24e3, 1.3, 15, .first = TRUE },
  { "flid-dl", 24e3, 1.3, 15, .first = TRUE, .join_latency = LATE },
  { "flid-dl", 96e3, 1.3, 15, .first = TRUE },
  { "flid-dl", 96e3, 1.3, 15, .first = TRUE, .join_latency = LATE },
  { "flid-sl", 24e3, 1.3, 15, .share = .5 },
  { "flid-sl", 24e3, 1.3, 15, .shadow = TRUE },
  { "flid-dl", 24e3, 1.3, 15, .share = .5, .join_latency = LATE },
  { "flid-dl", 24e3, 1.3, 15, .share = 1, .ahead = TRUE, .join_latency = LATE },
  { "flid-dl", 24e3, 1.3, 15, .shadow = TRUE, .join_latency = LATE },
  { "flid-dl", 96e3, 1.3, 15, .share = .5, .join_latency = LATE },
  { "flid-dl", 96e3, 1.3, 15, .share = 1, .ahead = TRUE, .join_latency = LATE },
  { "flid-dl", 96e3, 1.3, 15, .shadow = TRUE, .join_latency = LATE },
};

static const guint8 no_payload[4] = { 0 };

static LmccPacket *
rebuild (const LmccRtp *rtp, const LmccHeader *header, const guint8 *payload)
{
  guint8 second[LMCC_SYNCHRONIZED_MAX_SIZE];
  LmccRtp changed = *rtp;

  changed.second = NULL;
  changed.second_size = 0;
  if (header->has_up_levels) {
    changed.second_size =
        lmcc_synchronized_write (header->up_levels, header->top_layer, second);
    changed.second = second;
  } else if (header->place != 0) {
    lmcc_place_write (header->place, second);
    changed.second_size = LMCC_PLACE_SIZE;
    changed.second = second;
  }

  return lmcc_rtp_build (&changed, header, LMCC_HEADER_DEFAULT_ID, payload);
}

static guint
forge_slot (Attacker *attacker, guint slot)
{
  guint ahead = 1 + (guint) g_rand_int_range (attacker->dice, 0, 2);

  if (!attacker->attack->ahead) {
    switch (g_rand_int_range (attacker->dice, 0, 6)) {
      case 0:
        return (guint) g_rand_int_range (attacker->dice, 0,
            (gint) attacker->modulus);
      case 1:
        return (slot + attacker->modulus - 1) % attacker->modulus;
      case 2:
      case 3:
        return slot;
      default:
        break;
    }
  }

  return (slot + ahead) % attacker->modulus;
}

/* All signals that allow a step up, in a packet that the receiver's accounts
 * take for the next one, or for one of the next ones. */
static void
forge (TestNet *net, guint index, Attacker *attacker, const LmccRtp *rtp,
    const LmccHeader *header)
{
  LmccHeader forged = *header;
  LmccRtp packet = *rtp;

  packet.payload_size = sizeof (no_payload);
  forged.slot = (guint16) forge_slot (attacker, header->slot);
  forged.signal = (gint8) (header->top_layer - 1);
  forged.up_levels = G_MAXUINT64 >> 1;
  forged.has_up_levels = header->layer == 0
      && g_str_equal (attacker->attack->algorithm, "synchronized");
  if (!attacker->attack->shadow) {
    forged.burst = g_rand_boolean (attacker->dice);
    forged.lsn += (guint16) g_rand_int_range (attacker->dice, 0, 3);
  }
  attacker->n_forged++;
  test_net_inject (net, index,
      lmcc_dynamic_layering_get_group (&attacker->layering, forged.slot,
          forged.layer),
      rebuild (&packet, &forged, no_payload));
}

static LmccPacket *
tap (TestNet *net, guint index, guint group G_GNUC_UNUSED, LmccPacket *packet,
    gpointer user_data)
{
  Attacker *attacker = user_data;
  LmccRtp rtp;
  LmccHeader header;

  fail_unless (lmcc_rtp_parse (packet->data, packet->size,
      LMCC_HEADER_DEFAULT_ID, &rtp));
  fail_unless (lmcc_header_parse (rtp.element, rtp.element_size, &header));
  header.has_up_levels = lmcc_synchronized_parse (rtp.second, rtp.second_size,
      header.top_layer, &header.up_levels);
  header.place = (gint8) lmcc_place_parse (rtp.second, rtp.second_size);
  if (header.layer == 0) {
    attacker->base_rtp = rtp;
    attacker->base = header;
  }
  if (attacker->attacks && !attacker->attack->first
      && (attacker->attack->shadow
              ? header.layer == 0
              : g_rand_double (attacker->dice) < attacker->attack->share))
    forge (net, index, attacker, &rtp, &header);
  if (!attacker->nobody)
    return lmcc_packet_ref (packet);

  header.signal = LMCC_SIGNAL_NOBODY;
  header.up_levels = 0;

  return rebuild (&rtp, &header, packet->data + rtp.header_size);
}

/* Runs the network; an attacker that is to be first sends as soon as a slot
 * starts. */
static void
run (TestNet *net, Attacker *attacker, LmccTime duration)
{
  LmccTime until = net->now + duration;

  while (net->now < until) {
    guint64 slots = (net->now - attacker->start) / attacker->slot;

    if (attacker->attacks && attacker->attack->first
        && slots > attacker->n_slots) {
      LmccHeader header = attacker->base;

      header.slot = (guint16) (slots % attacker->modulus);
      header.signal = (gint8) (header.top_layer - 1);
      header.lsn++;
      attacker->base_rtp.payload_size = sizeof (no_payload);
      attacker->n_forged++;
      test_net_inject (net, 0, 0,
          rebuild (&attacker->base_rtp, &header, no_payload));
    }
    attacker->n_slots = slots;
    test_net_run (net, 5 * LMCC_MSECOND);
  }
}

static TestNet *
new_net (const Attack *attack, Attacker *attacker)
{
  TestNetConfig config = { .n_layers = attack->n_layers,
    .shaped = TRUE,
    .algorithm = attack->algorithm,
    .leave_latency = 200 * LMCC_MSECOND,
    .join_latency = attack->join_latency,
    .shared = { .rate = 100000000,
        .delay = 20 * LMCC_MSECOND,
        .queue_packets = 100 } };
  TestNetReceiverConfig receiver = { .max_level = -1 };
  const LmccSession *session;
  TestNet *net;
  guint i;

  for (i = 0; i < attack->n_layers; i++)
    config.rates[i] = attack->base
        * (i == 0 ? 1 : pow (attack->factor, i) - pow (attack->factor, i - 1));
  net = test_net_new (&config);
  session = lmcc_sender_get_session (net->sender);
  *attacker = (Attacker){ .attack = attack,
    .modulus = session->slot_modulus,
    .slot = session->slot,
    .start = net->now + config.shared.delay };
  attacker->dice = g_rand_new_with_seed (net->config.seed);
  fail_unless (
      lmcc_dynamic_layering_from_session (&attacker->layering, session, NULL));
  net->tap = tap;
  net->tap_data = attacker;
  test_net_add_receiver (net, &receiver);

  return net;
}

static void
end (TestNet *net, Attacker *attacker)
{
  g_rand_free (attacker->dice);
  test_net_free (net);
}

GST_START_TEST (test_forged_marks_bring_nobody_up_whom_the_base_holds)
{
  const Attack *attack = &attacks[__i__];
  Attacker attacker;
  TestNet *net = new_net (attack, &attacker);
  LmccTime until;
  gint before;

  while (net->receivers[0].level < 1)
    test_net_run (net, 10 * LMCC_MSECOND);
  attacker.nobody = TRUE;
  test_net_run (net, 3 * LMCC_SECOND);
  before = net->receivers[0].level;
  fail_unless (before < (gint) attack->n_layers - 1);
  attacker.attacks = TRUE;
  for (until = net->now + JUDGED; net->now < until;) {
    run (net, &attacker, 10 * LMCC_MSECOND);
    fail_if (net->receivers[0].level > before, "%s: level %d after %d",
        attack->algorithm, net->receivers[0].level, before);
  }
  fail_unless (attacker.n_forged > 10);
  end (net, &attacker);
}

GST_END_TEST;

GST_START_TEST (test_forged_marks_bring_nobody_up_faster_than_slots_pass)
{
  const Attack *attack = &attacks[__i__];
  Attacker attacker;
  TestNet *net = new_net (attack, &attacker);
  const GArray *changes = net->receivers[0].changes;
  LmccTime slot = lmcc_sender_get_session (net->sender)->slot;
  guint first, i, j;

  test_net_run (net, WARM_UP);
  first = changes->len;
  attacker.attacks = TRUE;
  run (net, &attacker, JUDGED);
  for (i = first; i < changes->len; i++) {
    TestLevelChange from = g_array_index (changes, TestLevelChange, i);
    guint ups = 0;

    fail_if (from.to > from.from + 1);
    for (j = i; j < changes->len; j++) {
      TestLevelChange to = g_array_index (changes, TestLevelChange, j);

      ups += to.to > to.from;
      fail_if (ups
              > EARLY_SLOTS + CLOCK_TOLERANCE * (to.time - from.time) / slot,
          "%s: %u levels up in %.2f s", attack->algorithm, ups,
          (gdouble) (to.time - from.time) / LMCC_SECOND);
    }
  }
  end (net, &attacker);
}

GST_END_TEST;

/* An experiment follows a join timer of at least I / 2, with I at least 5 s
 * (McCanne's implementation), whatever other receivers claim to do. */
#define RLM_SHORTEST (2500 * LMCC_MSECOND)

GST_START_TEST (test_forged_notices_make_no_receiver_go_up)
{
  const Attack attack = { .algorithm = "rlm",
    .base = 128e3,
    .factor = 2,
    .n_layers = 5 };
  Attacker attacker;
  TestNet *net = new_net (&attack, &attacker);
  const GArray *changes = net->receivers[0].changes;
  const LmccSession *session = lmcc_sender_get_session (net->sender);
  LmccTime last = 0, until;
  guint i;

  for (until = net->now + JUDGED; net->now < until;) {
    LmccJoinNotice notice = { .ssrc = g_rand_int (attacker.dice),
      .ssrc_base = session->ssrc_base,
      .version = session->version,
      .level = (guint8) g_rand_int_range (attacker.dice, 1, 5) };
    g_autoptr (LmccPacket) packet = lmcc_join_notice_build (&notice);

    test_net_run (net, 50 * LMCC_MSECOND);
    lmcc_receiver_handle_learning (net->receivers[0].receiver, net->now,
        packet->data, packet->size);
  }
  for (i = 1; i < changes->len; i++) {
    TestLevelChange change = g_array_index (changes, TestLevelChange, i);

    if (change.to < change.from)
      continue;
    fail_unless_equals_int (change.to, change.from + 1);
    fail_unless (change.time >= last + RLM_SHORTEST);
    last = change.time;
  }
  end (net, &attacker);
}

GST_END_TEST;

static Suite *
forged_marks_suite (void)
{
  Suite *s = suite_create ("forged-marks");
  TCase *tc = tcase_create ("marks");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 60);
  tcase_add_loop_test (tc,
      test_forged_marks_bring_nobody_up_whom_the_base_holds, 0,
      test_net_is_slow () ? 4 : G_N_ELEMENTS (attacks));
  tcase_add_loop_test (tc,
      test_forged_marks_bring_nobody_up_faster_than_slots_pass, 0,
      test_net_is_slow () ? 4 : G_N_ELEMENTS (attacks));

  tcase_add_test (tc, test_forged_notices_make_no_receiver_go_up);

  return s;
}

GST_CHECK_MAIN (forged_marks);
