/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests that no call of the sender does much work, at any rate: counts the
 * work of planning repair, and the repair packets made.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/sender/private.h>

#include <string.h>
#include "support/test-slow.h"

#define START LMCC_SECOND

#define PACKET_SIZE 1200

/* Pictures; a group has 2 s of them. */
#define PER_SECOND 50
#define PICTURE (LMCC_SECOND / PER_SECOND)
#define N_PICTURES 100

#define N_RUNGS 2

/* One call plans in at most two places, the previous work and the new one,
 * and never leaves a step half done: about 25,000 for one number of packets. */
#define MOST_WORK (2 * (LMCC_SENDER_PLAN_WORK + 25000))

/* Each may belong to another block. */
#define MOST_REPAIRS 8

/**
 * Case:
 * @fixed_rates: layers of fixed rates instead of native ones
 * @rate: media rate in Mbit/s
 * @n_layers: number of layers of fixed rates
 */
typedef struct
{
  gboolean fixed_rates;
  guint rate;
  guint n_layers;
} Case;

static const Case cases[] = {
  { TRUE, 5, 4 },
  { TRUE, 40, 1 },
  { TRUE, 40, 4 },
  { TRUE, 40, 64 },
  { TRUE, 100, 8 },
  { FALSE, 10, 0 },
  { FALSE, 100, 0 },
};

/**
 * Counts:
 * @work: largest amount of planning in one call
 * @repairs: largest number of repair packets in one call
 * @n_repairs: repair packets of all calls
 * @n_planning: calls that left planning work undone
 */
typedef struct
{
  guint64 work;
  guint64 repairs;
  guint64 n_repairs;
  guint n_planning;
} Counts;

static LmccSender *
make_sender (const Case *c)
{
  LmccSenderConfig config = { 0 };
  LmccSender *sender;
  guint i;

  lmcc_session_init (&config.session);
  fail_unless (lmcc_address_parse ("239.255.42.1", &config.session.address));
  fail_unless (lmcc_address_parse ("192.0.2.1", &config.session.source));
  config.session.port = 5004;
  config.session.ssrc_base = 0x12345000;
  config.session.n_rungs = N_RUNGS;
  config.session.video.clock_rate = 90000;
  g_strlcpy (config.session.video.encoding_name, "H264",
      LMCC_ENCODING_NAME_SIZE);
  config.session.repair = 100;
  config.session.native = !c->fixed_rates;
  config.session.window = c->fixed_rates ? LMCC_DEFAULT_SHAPED_WINDOW : 0;
  config.session.n_layers = config.session.n_groups = c->n_layers;
  for (i = 0; i < c->n_layers; i++)
    config.session.layers[i].rate =
        c->rate * G_GUINT64_CONSTANT (1000000) / c->n_layers;
  config.cname = "test";
  config.ntp_offset = G_GUINT64_CONSTANT (3900000000) * LMCC_SECOND;
  config.mtu = 1400;
  sender = lmcc_sender_new (&config, START, NULL);
  fail_unless (sender != NULL);

  return sender;
}

static LmccUnit *
make_unit (const Case *c, guint rung, guint number)
{
  LmccUnit *unit = lmcc_unit_new ();
  guint n = c->rate * 1000000u / (8 * PACKET_SIZE * PER_SECOND) * (rung + 1)
      / (1 + 2);
  guint i;

  unit->stream = (guint8) rung;
  unit->klass = number % 4 == 0 ? 0 : number % 2 == 0 ? 1 : 2;
  unit->switch_point = number % N_PICTURES == 0 || unit->klass > 0;
  unit->decoding_time = unit->presentation_time = START + number * PICTURE;
  for (i = 0; i < MAX (n, 1); i++) {
    LmccPacket *packet = lmcc_packet_new (PACKET_SIZE);

    memset (packet->data, 0, PACKET_SIZE);
    packet->data[0] = 0x80;
    packet->data[1] = 96;
    packet->size = PACKET_SIZE;
    g_ptr_array_add (unit->packets, packet);
  }

  return unit;
}

static guint64
sum_repairs (LmccSender *sender)
{
  const LmccSenderStats *stats = lmcc_sender_get_stats (sender);
  guint64 sum = 0;
  guint i;

  for (i = 0; i < LMCC_MAX_LAYERS; i++)
    sum += stats->layers[i].repairs;

  return sum;
}

/* For one call, before which there were @work and @n_repairs. */
static void
count (Counts *counts, LmccSender *sender, guint64 work, guint64 n_repairs)
{
  LmccSenderAction action;

  counts->work = MAX (counts->work, sender->repair.repairer.plan->work - work);
  counts->n_repairs = sum_repairs (sender);
  counts->repairs = MAX (counts->repairs, counts->n_repairs - n_repairs);
  counts->n_planning += lmcc_sender_plans_repair (sender);
  while (lmcc_sender_poll_action (sender, &action)) {
    if (action.packet != NULL)
      lmcc_packet_unref (action.packet);
  }
}

static void
run_until (Counts *counts, LmccSender *sender, LmccTime until)
{
  LmccTime next, now = 0;

  while ((next = lmcc_sender_next_timeout (sender)) <= until) {
    guint64 work = sender->repair.repairer.plan->work;
    guint64 n_repairs = sum_repairs (sender);

    now = MAX (now, next);
    lmcc_sender_handle_timeout (sender, now);
    count (counts, sender, work, n_repairs);
  }
}

GST_START_TEST (no_call_plans_or_makes_much)
{
  const Case *c = &cases[__i__];
  guint n_groups = test_is_slow () ? 1 : 2;
  LmccSender *sender = make_sender (c);
  Counts counts = { 0 };
  guint i, rung;

  for (i = 0; i <= n_groups * N_PICTURES; i++) {
    LmccTime now = START + i * PICTURE;

    run_until (&counts, sender, now);
    for (rung = 0; rung < N_RUNGS; rung++) {
      guint64 work = sender->repair.repairer.plan->work;
      guint64 n_repairs = sum_repairs (sender);

      lmcc_sender_push_unit (sender, make_unit (c, rung, i), now);
      count (&counts, sender, work, n_repairs);
    }
  }
  run_until (&counts, sender,
      START + n_groups * N_PICTURES * PICTURE + 3 * LMCC_SECOND);
  fail_unless (counts.n_repairs > 0);
  fail_unless (counts.n_planning > 0);
  fail_unless (counts.work <= MOST_WORK, "%" G_GUINT64_FORMAT, counts.work);
  fail_unless (counts.repairs <= MOST_REPAIRS, "%" G_GUINT64_FORMAT,
      counts.repairs);
  lmcc_sender_free (sender);
}

GST_END_TEST;

static Suite *
sender_work_suite (void)
{
  Suite *suite = suite_create ("sender-work");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, no_call_plans_or_makes_much, 0,
      G_N_ELEMENTS (cases));

  return suite;
}

GST_CHECK_MAIN (sender_work);
