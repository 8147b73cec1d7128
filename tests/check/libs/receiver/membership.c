/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests dynamic layering (J. Byers et al., "FLID-DL", 2002, section III-C)
 * through the receiver, with a model sender whose groups rotate, and a
 * network that needs some time for joins and much longer for leaves.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/slots/dynamic-layering.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>

#define N_LAYERS 4
#define SPREAD 3
#define SLOT (500 * LMCC_MSECOND)
#define PACKETS 20 /* per layer and slot */
#define SSRC 0x12345000u

static const LmccAddress base = { .family = LMCC_FAMILY_IPV4,
  .bytes = { 239, 255, 42, 1 } };

static const LmccAddress sender = { .family = LMCC_FAMILY_IPV4,
  .bytes = { 10, 0, 0, 1 } };

typedef struct
{
  LmccReceiver *receiver;
  LmccSession session;
  LmccDynamicLayering layering;
  LmccTime now;
  guint64 slot;
  gint signal;
  guint16 lsns[N_LAYERS];
  guint16 osn;
  LmccTime join_latency;
  LmccTime leave_latency;
  gboolean joined[LMCC_MAX_GROUPS];
  LmccTime joined_at[LMCC_MAX_GROUPS];
  LmccTime left_at[LMCC_MAX_GROUPS];
  guint joins;
  guint leaves;
  gint level;
  guint n_levels;
  LmccTime level_at;
  guint n_warnings;
  gint lost_layer; /* in the slot, or -1 */
  guint unwanted;  /* packets of layers above the level */
} Loop;

static void
drain (Loop *loop)
{
  LmccReceiverAction action;

  while (lmcc_receiver_poll_action (loop->receiver, &action)) {
    switch (action.type) {
      case LMCC_RECEIVER_ACTION_JOIN:
        fail_if (loop->joined[action.group]);
        loop->joined[action.group] = TRUE;
        loop->joined_at[action.group] = loop->now;
        loop->joins++;
        break;
      case LMCC_RECEIVER_ACTION_LEAVE:
        fail_unless (loop->joined[action.group]);
        loop->joined[action.group] = FALSE;
        loop->left_at[action.group] = loop->now;
        loop->leaves++;
        break;
      case LMCC_RECEIVER_ACTION_LEVEL:
        loop->level = action.to;
        loop->level_at = loop->now;
        loop->n_levels++;
        break;
      case LMCC_RECEIVER_ACTION_WARNING:
        loop->n_warnings++;
        break;
      default:
        break;
    }
    g_clear_pointer (&action.packet, lmcc_packet_unref);
  }
}

static void
run_until (Loop *loop, LmccTime time)
{
  while (lmcc_receiver_next_timeout (loop->receiver) <= time) {
    loop->now = MAX (loop->now, lmcc_receiver_next_timeout (loop->receiver));
    lmcc_receiver_handle_timeout (loop->receiver, loop->now);
    drain (loop);
  }
  loop->now = time;
}

/* The network delivers groups joined long enough ago, and groups left not
 * long ago. */
static gboolean
comes_through (Loop *loop, guint group)
{
  if (loop->joined[group])
    return loop->now >= loop->joined_at[group] + loop->join_latency;

  return loop->left_at[group] > 0
      && loop->now < loop->left_at[group] + loop->leave_latency;
}

static void
send (Loop *loop, guint layer)
{
  guint slot = (guint) (loop->slot % loop->session.slot_modulus);
  guint group = lmcc_dynamic_layering_get_group (&loop->layering, slot, layer);
  LmccHeader header = { .layer = (guint8) layer,
    .top_layer = N_LAYERS - 1,
    .klass = (guint8) layer,
    .first = TRUE,
    .last = TRUE,
    .switch_point = TRUE,
    .slot = (guint16) slot,
    .signal = (gint8) loop->signal,
    .lsn = loop->lsns[layer]++,
    .osn = loop->osn++,
    .anchor = 1 };
  LmccRtp rtp = { .payload_type = 96,
    .ssrc = SSRC + layer,
    .payload_size = 4,
    .sequence = header.lsn };
  LmccPacket *packet;

  if (!comes_through (loop, group) || (gint) layer == loop->lost_layer)
    return;
  if ((gint) layer > loop->level)
    loop->unwanted++;
  header.send_time = lmcc_time_to_ntp_short (loop->now);
  packet = lmcc_rtp_build (&rtp, &header, LMCC_HEADER_DEFAULT_ID,
      (const guint8 *) "data");
  lmcc_receiver_handle_packet (loop->receiver, loop->now, loop->now, group,
      &sender, 5004, packet);
  drain (loop);
}

static void
run_slots (Loop *loop, guint n)
{
  guint packet, layer;

  for (; n > 0; n--) {
    LmccTime begin = loop->now;

    loop->joins = loop->leaves = 0;
    for (packet = 0; packet < PACKETS; packet++) {
      run_until (loop, begin + packet * SLOT / PACKETS);
      for (layer = 0; layer < N_LAYERS; layer++)
        send (loop, layer);
    }
    run_until (loop, begin + SLOT);
    loop->slot++;
  }
}

static Loop *
new_loop (const gchar *algorithm, gint max_level)
{
  Loop *loop = g_new0 (Loop, 1);
  LmccReceiverConfig config = { .address = base,
    .algorithm = algorithm,
    .latency = LMCC_DEFAULT_LATENCY,
    .max_level = max_level };
  guint i;

  fail_unless (lmcc_dynamic_layering_init (&loop->layering,
      LMCC_LAYERING_CUMULATIVE, N_LAYERS, SPREAD, NULL));
  lmcc_session_init (&loop->session);
  loop->session.address = base;
  loop->session.source = sender;
  loop->session.port = 5004;
  loop->session.ssrc_base = SSRC;
  loop->session.n_layers = N_LAYERS;
  loop->session.n_groups = loop->layering.n_groups;
  loop->session.turning_groups = loop->layering.turning_groups;
  loop->session.silent_groups = loop->layering.silent_groups;
  loop->session.slot = SLOT;
  loop->session.slot_modulus =
      lmcc_slot_modulus (loop->layering.turning_groups);
  loop->session.video.clock_rate = 90000;
  g_strlcpy (loop->session.algorithm, "flid-dl",
      sizeof (loop->session.algorithm));
  g_strlcpy (loop->session.video.encoding_name, "H264",
      LMCC_ENCODING_NAME_SIZE);
  for (i = 0; i < N_LAYERS; i++)
    loop->session.layers[i] =
        (LmccLayer){ PACKETS * 1200 * 8 * 2, 0, (guint8) i };
  config.session = &loop->session;
  loop->receiver = lmcc_receiver_new (&config);
  loop->now = 10 * LMCC_SECOND;
  loop->signal = -1;
  loop->lost_layer = -1;
  loop->level = -1;
  loop->join_latency = 10 * LMCC_MSECOND;
  loop->leave_latency = 2 * SLOT;
  lmcc_receiver_start (loop->receiver, loop->now);
  drain (loop);

  return loop;
}

static void
free_loop (Loop *loop)
{
  guint i;

  lmcc_receiver_stop (loop->receiver, loop->now);
  drain (loop);
  for (i = 0; i < LMCC_MAX_GROUPS; i++)
    fail_if (loop->joined[i]);
  lmcc_receiver_free (loop->receiver);
  g_free (loop);
}

static LmccReceiverStats
stats_of (Loop *loop)
{
  LmccReceiverStats stats;

  lmcc_receiver_get_stats (loop->receiver, loop->now, &stats);

  return stats;
}

/* At the end of a slot, exactly its groups and those of the next one are
 * joined. */
static void
check_groups (Loop *loop, gint level)
{
  guint modulus = loop->session.slot_modulus;
  guint next = (guint) (loop->slot % modulus);
  guint slot = (next + modulus - 1) % modulus;
  guint group;

  for (group = 1; group < loop->layering.n_groups; group++)
    fail_unless_equals_int (loop->joined[group],
        lmcc_dynamic_layering_is_held (&loop->layering, slot, level, group)
            || lmcc_dynamic_layering_is_held (&loop->layering, next, level,
                group));
}

GST_START_TEST (test_a_level_is_held_without_loss_while_the_groups_turn)
{
  gint level;

  for (level = 0; level < N_LAYERS; level++) {
    Loop *loop = new_loop ("none", level);
    guint64 received, lost;
    guint i;

    /* Over the wrap of the slot counter. */
    loop->slot = loop->session.slot_modulus - 10;
    run_slots (loop, 5);
    received = stats_of (loop).packets;
    lost = stats_of (loop).lost;
    for (i = 0; i < 30; i++) {
      run_slots (loop, 1);
      check_groups (loop, level);
      /* One group is left and one joined in each slot, at any level above 0. */
      fail_unless_equals_int (loop->joins, level > 0 ? 1 : 0);
      fail_unless_equals_int (loop->leaves, level > 0 ? 1 : 0);
    }
    fail_unless_equals_int (loop->level, level);
    fail_unless_equals_uint64 (stats_of (loop).lost, lost);
    fail_unless_equals_uint64 (stats_of (loop).packets - received,
        30 * PACKETS * (level + 1));
    free_loop (loop);
  }
}

GST_END_TEST;

GST_START_TEST (test_flid_dl_goes_up_at_a_boundary_and_loses_nothing)
{
  Loop *loop = new_loop ("flid-dl", -1);
  gint level;

  run_slots (loop, 3);
  fail_unless_equals_int (loop->level, 0);
  for (level = 1; level < N_LAYERS; level++) {
    LmccTime begin;

    /* A slot reported in advance has the signal of the previous one. */
    loop->signal = level - 1;
    run_slots (loop, 1);
    fail_unless_equals_int (loop->level, level - 1);
    loop->signal = -1;
    begin = loop->now;
    run_slots (loop, 1);
    /* Decided, and joined, just before the slot's end. */
    fail_unless_equals_int (loop->level, level);
    fail_unless (loop->level_at < begin + SLOT
        && loop->level_at >= begin + SLOT - 30 * LMCC_MSECOND);
    run_slots (loop, 2);
    fail_unless_equals_int (loop->level, level);
    check_groups (loop, level);
  }
  fail_unless_equals_uint64 (stats_of (loop).lost, 0);
  free_loop (loop);
}

GST_END_TEST;

/* Going down needs no leave: the group that would carry the layer next is
 * not joined (section III-C). */
GST_START_TEST (test_flid_dl_goes_down_without_a_leave_that_matters)
{
  Loop *loop = new_loop ("flid-dl", -1);
  gint level;

  loop->signal = N_LAYERS - 2;
  run_slots (loop, 8);
  fail_unless_equals_int (loop->level, N_LAYERS - 1);
  loop->signal = -1;
  run_slots (loop, 2);
  for (level = N_LAYERS - 2; level >= 0; level--) {
    /* One packet of layer 0 is lost in the slot. */
    loop->lsns[0]++;
    run_slots (loop, 1);
    fail_unless_equals_int (loop->level, level);
    fail_unless_equals_int (loop->joins, 0);
    fail_unless_equals_int (loop->leaves, 1);
    /* In the next slots, no packet of the left layer arrives, although
     * leaves take effect late in the network. */
    loop->unwanted = 0;
    run_slots (loop, 2);
    fail_unless_equals_int (loop->unwanted, 0);
    check_groups (loop, level);
  }
  free_loop (loop);
}

GST_END_TEST;

/* A slow network: the joins are made earlier and earlier, until no packet is
 * lost. */
GST_START_TEST (test_the_lead_grows_with_the_join_latency)
{
  Loop *loop = new_loop ("none", 2);
  guint64 lost;

  loop->join_latency = 90 * LMCC_MSECOND;
  run_slots (loop, 60);
  lost = stats_of (loop).lost;
  fail_unless (lost > 0);
  run_slots (loop, 30);
  fail_unless (stats_of (loop).lost - lost <= 30);
  free_loop (loop);
}

GST_END_TEST;

GST_START_TEST (test_turning_groups_that_make_no_sense_leave_the_base)
{
  Loop *loop = new_loop ("none", -1);

  lmcc_receiver_free (loop->receiver);
  loop->session.turning_groups++;
  loop->session.n_groups++;
  {
    LmccReceiverConfig config = { .address = base,
      .algorithm = "none",
      .latency = LMCC_DEFAULT_LATENCY,
      .max_level = -1,
      .session = &loop->session };

    loop->receiver = lmcc_receiver_new (&config);
  }
  loop->joined[0] = FALSE;
  lmcc_receiver_start (loop->receiver, loop->now);
  drain (loop);
  run_slots (loop, 5);
  fail_unless_equals_int (loop->level, 0);
  fail_unless_equals_int (loop->n_warnings, 1);
  fail_unless (stats_of (loop).packets > 0);
  free_loop (loop);
}

GST_END_TEST;

static Suite *
membership_suite (void)
{
  Suite *suite = suite_create ("membership");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase,
      test_a_level_is_held_without_loss_while_the_groups_turn);
  tcase_add_test (tcase, test_flid_dl_goes_up_at_a_boundary_and_loses_nothing);
  tcase_add_test (tcase, test_flid_dl_goes_down_without_a_leave_that_matters);
  tcase_add_test (tcase, test_the_lead_grows_with_the_join_latency);
  tcase_add_test (tcase, test_turning_groups_that_make_no_sense_leave_the_base);

  return suite;
}

GST_CHECK_MAIN (membership);
