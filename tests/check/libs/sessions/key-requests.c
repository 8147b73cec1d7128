/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests key frame requests of receivers without a picture: one real sender
 * and any number of real receivers in virtual time, behind an encoder whose
 * own key frames are rare.
 */
#include "support/sender-harness.h"

#include <gst/lmcc/lmcc-receiver.h>
#include <gst/lmcc/wire/key-request.h>

#define S LMCC_SECOND
#define PICTURE_TIME (40 * MS)
#define RARE (250 * PICTURE_TIME)

/* Smallest delay of the network, unless the test says otherwise; the largest
 * is less than SPREAD milliseconds more. */
#define DELAY (20 * MS)
#define SPREAD 20

typedef struct
{
  LmccTime at;
  guint receiver; /* the sending receiver, or none */
  gboolean control;
  guint group;
  LmccPacket *packet;
} Sent;

typedef struct
{
  LmccReceiver *receiver;
  LmccTime started;
  LmccTime first_picture; /* 0: none yet */
  guint next;             /* index of the next sent packet */
  guint n_requests;
} Member;

typedef struct
{
  LmccTime now;
  LmccSender *sender;
  GArray *sent;  /* Sent, by the sender */
  GArray *asked; /* Sent, to the sender */
  guint next_asked;
  GArray *members;
  LmccTime next_picture;
  LmccTime next_key;   /* the encoder's own */
  LmccTime forced_key; /* the requested one */
  LmccTime delay;      /* of the network, in each direction */
  LmccTime encoder_delay;
  LmccTime own_distance; /* interval of its own key frames */
  guint n_packets;       /* packets per picture */
  gboolean first_loses_keys;
  LmccTime latest_key;
  guint n_pairs; /* key frames less than half a second apart */
  gboolean deaf_encoder;
  guint n_keys;
  guint n_encoder_requests;
  LmccTime latest_encoder_request;
  LmccTime shortest_distance; /* between two requests to the encoder */
  gdouble loss;
  GRand *random;
} World;

static void
clear_sent (gpointer data)
{
  lmcc_packet_unref (((Sent *) data)->packet);
}

static void
clear_member (gpointer data)
{
  lmcc_receiver_free (((Member *) data)->receiver);
}

static GArray *
new_array (guint size, GDestroyNotify clear)
{
  GArray *array = g_array_new (FALSE, TRUE, size);

  g_array_set_clear_func (array, clear);
  return array;
}

static World *
world_new (LmccTime feedback_interval)
{
  World *world = g_new0 (World, 1);
  LmccSenderConfig config = sender_config (1);

  config.session.feedback_interval = feedback_interval;
  config.session.feedback_port = 5005;
  world->now = world->next_picture = START;
  world->sender = lmcc_sender_new (&config, START, NULL);
  world->sent = new_array (sizeof (Sent), clear_sent);
  world->asked = new_array (sizeof (Sent), clear_sent);
  world->members = new_array (sizeof (Member), clear_member);
  world->next_key = START;
  world->forced_key = LMCC_TIME_NONE;
  world->own_distance = RARE;
  world->n_packets = 2;
  world->delay = DELAY;
  world->shortest_distance = LMCC_TIME_NONE;
  world->random = g_rand_new_with_seed (20040101);

  return world;
}

static void
world_free (World *world)
{
  g_array_unref (world->sent);
  g_array_unref (world->asked);
  g_array_unref (world->members);
  lmcc_sender_free (world->sender);
  g_rand_free (world->random);
  g_free (world);
}

static Member *
get_member (World *world, guint index)
{
  return &g_array_index (world->members, Member, index);
}

static void
add_receivers (World *world, guint n, LmccRttMode rtt_mode)
{
  LmccReceiverConfig config = { .algorithm = "auto",
    .max_level = -1,
    .latency = 100 * MS,
    .rtt_mode = rtt_mode };
  guint i;

  fail_unless (lmcc_address_parse ("239.255.42.1", &config.address));
  for (i = 0; i < n; i++) {
    Member member = { .started = world->now, .next = world->sent->len };

    config.sequence_seed = g_rand_int (world->random);
    member.receiver = lmcc_receiver_new (&config);
    lmcc_receiver_start (member.receiver, world->now);
    g_array_append_val (world->members, member);
  }
}

static void
note_encoder_request (World *world)
{
  world->n_encoder_requests++;
  if (world->latest_encoder_request > 0)
    world->shortest_distance = MIN (world->shortest_distance,
        world->now - world->latest_encoder_request);
  world->latest_encoder_request = world->now;
  if (!world->deaf_encoder)
    world->forced_key = world->now + world->encoder_delay;
}

static void
drain_sender (World *world)
{
  LmccSenderAction action;

  while (lmcc_sender_poll_action (world->sender, &action)) {
    Sent sent = { .at = world->now,
      .control = action.type == LMCC_SENDER_ACTION_SEND_CONTROL,
      .group = action.group,
      .packet = action.packet };

    if (action.type == LMCC_SENDER_ACTION_REQUEST_KEY_UNIT)
      note_encoder_request (world);
    if (action.packet != NULL)
      g_array_append_val (world->sent, sent);
  }
}

static void
push_picture (World *world)
{
  gboolean key = world->now >= MIN (world->next_key, world->forced_key);
  LmccUnit *unit =
      make_unit (0, 0, world->next_picture, key ? 8 : world->n_packets, 900);

  unit->switch_point = key;
  if (key) {
    world->n_pairs +=
        world->n_keys > 0 && world->now < world->latest_key + 500 * MS;
    world->n_keys++;
    if (world->now >= world->forced_key)
      world->forced_key = LMCC_TIME_NONE;
    world->latest_key = world->now;
    world->next_key = world->now + world->own_distance;
  }
  lmcc_sender_push_unit (world->sender, unit, world->now);
  world->next_picture += PICTURE_TIME;
}

static void
run_sender (World *world)
{
  LmccAddress from = { .family = LMCC_FAMILY_IPV4, .bytes = { 10 } };

  while (world->next_asked < world->asked->len) {
    const Sent *asked = &g_array_index (world->asked, Sent, world->next_asked);

    if (asked->at + world->delay + asked->receiver % SPREAD * MS > world->now)
      break;
    from.bytes[2] = (guint8) (asked->receiver >> 8);
    from.bytes[3] = (guint8) asked->receiver;
    lmcc_sender_handle_control (world->sender, world->now, &from, 5005,
        asked->packet->data, asked->packet->size);
    world->next_asked++;
  }
  if (world->now >= world->next_picture)
    push_picture (world);
  if (lmcc_sender_next_timeout (world->sender) <= world->now)
    lmcc_sender_handle_timeout (world->sender, world->now);
  drain_sender (world);
}

static void
drain_receiver (World *world, guint index)
{
  Member *member = get_member (world, index);
  LmccReceiverAction action;
  LmccKeyRequest request;

  while (lmcc_receiver_poll_action (member->receiver, &action)) {
    if (action.type == LMCC_RECEIVER_ACTION_DELIVER
        && member->first_picture == 0)
      member->first_picture = world->now;
    if (action.type == LMCC_RECEIVER_ACTION_REPORT
        && lmcc_key_request_parse (action.packet->data, action.packet->size,
            &request)) {
      Sent asked = { .at = world->now,
        .receiver = index,
        .packet = lmcc_packet_ref (action.packet) };

      member->n_requests++;
      g_array_append_val (world->asked, asked);
    }
    g_clear_pointer (&action.packet, lmcc_packet_unref);
  }
}

static void
deliver (World *world, Member *member, const Sent *sent)
{
  LmccAddress source;

  if (g_rand_double (world->random) < world->loss)
    return;
  if (world->first_loses_keys && member == get_member (world, 0)
      && !sent->control && sent->at < world->latest_key + 100 * MS)
    return;
  fail_unless (lmcc_address_parse ("192.0.2.1", &source));
  if (sent->control)
    lmcc_receiver_handle_control (member->receiver, world->now, &source, 5004,
        sent->packet->data, sent->packet->size);
  else
    lmcc_receiver_handle_packet (member->receiver, world->now, world->now,
        sent->group, &source, 5004,
        lmcc_packet_new_copy (sent->packet->data, sent->packet->size));
}

static void
run_receiver (World *world, guint index)
{
  Member *member = get_member (world, index);

  while (member->next < world->sent->len) {
    const Sent *sent = &g_array_index (world->sent, Sent, member->next);

    if (sent->at + world->delay + index % SPREAD * MS > world->now)
      break;
    deliver (world, member, sent);
    drain_receiver (world, index);
    member->next++;
  }
  if (lmcc_receiver_next_timeout (member->receiver) > world->now)
    return;
  lmcc_receiver_handle_timeout (member->receiver, world->now);
  drain_receiver (world, index);
}

static void
world_run (World *world, LmccTime duration)
{
  LmccTime end = world->now + duration;
  guint i;

  for (; world->now < end; world->now += MS) {
    run_sender (world);
    for (i = 0; i < world->members->len; i++)
      run_receiver (world, i);
  }
}

static guint
count_requests (World *world)
{
  guint i, n = 0;

  for (i = 0; i < world->members->len; i++)
    n += get_member (world, i)->n_requests;

  return n;
}

static LmccTime
wait_of (World *world, guint index)
{
  const Member *member = get_member (world, index);

  fail_unless (member->first_picture > 0, "receiver %u has no picture", index);
  return member->first_picture - member->started;
}

static LmccTime
worst_wait (World *world)
{
  LmccTime worst = 0;
  guint i;

  for (i = 0; i < world->members->len; i++)
    worst = MAX (worst, wait_of (world, i));

  return worst;
}

static gint
compare_times (gconstpointer a, gconstpointer b)
{
  LmccTime x = *(const LmccTime *) a, y = *(const LmccTime *) b;

  return x < y ? -1 : x > y;
}

GST_START_TEST (who_joins_between_rare_key_frames_has_a_picture_within_a_second)
{
  World *world = world_new (3 * S);
  LmccTime waits[20];
  guint i;

  world_run (world, 3 * S);
  for (i = 0; i < G_N_ELEMENTS (waits); i++) {
    world_run (world, 3 * S + i * 17 * MS);
    add_receivers (world, 1, LMCC_RTT_MODE_FEEDBACK);
  }
  world_run (world, 3 * S);
  for (i = 0; i < G_N_ELEMENTS (waits); i++)
    waits[i] = wait_of (world, i);
  qsort (waits, G_N_ELEMENTS (waits), sizeof (waits[0]), compare_times);
  fail_unless (waits[10] <= 1000 * MS, "median %u ms",
      (guint) (waits[10] / MS));
  fail_unless (waits[19] <= 1500 * MS, "worst %u ms", (guint) (waits[19] / MS));
  world_free (world);
}

GST_END_TEST;

/* A request may have to wait until the latest key frame is old enough. */
GST_START_TEST (who_joins_at_any_moment_has_a_picture_before_two_seconds_seven)
{
  World *world = world_new (3 * S);
  guint i;

  world_run (world, 3 * S);
  for (i = 0; i < 60; i++) {
    add_receivers (world, 1, LMCC_RTT_MODE_FEEDBACK);
    world_run (world,
        (LmccTime) g_rand_int_range (world->random, 0, 1500) * MS);
  }
  world_run (world, 3 * S);
  fail_unless (worst_wait (world) <= 2700 * MS, "worst %u ms",
      (guint) (worst_wait (world) / MS));
  fail_unless (world->shortest_distance >= 2 * S);
  world_free (world);
}

GST_END_TEST;

/* After the latest key frame has been sent. */
static const LmccTime after_key[] = { 10 * MS, 70 * MS, 1 * S, 4 * S };

GST_START_TEST (a_thousand_that_join_at_once_make_one_key_frame)
{
  World *world = world_new (3 * S);
  guint n_keys;

  world->encoder_delay = 60 * MS;
  world_run (world, after_key[__i__] + MS);
  n_keys = world->n_keys;
  add_receivers (world, 1000, LMCC_RTT_MODE_FEEDBACK);
  world_run (world, 5 * S);
  fail_unless_equals_int (world->n_keys, n_keys + 1);
  fail_unless (count_requests (world) <= 20, "%u requests",
      count_requests (world));
  fail_unless (worst_wait (world) <= 2700 * MS, "worst %u ms",
      (guint) (worst_wait (world) / MS));
  world_free (world);
}

GST_END_TEST;

/* ms, one way: the notice arrives too late for some, and for all. */
static const guint long_ways[] = { 60, 100, 250 };

static guint
count_requests_of_a_crowd (World *world)
{
  guint n_keys = world->n_keys;

  g_array_set_size (world->members, 0);
  add_receivers (world, 1000, LMCC_RTT_MODE_FEEDBACK);
  world_run (world, 5 * S);
  fail_unless_equals_int (world->n_keys, n_keys + 1);
  fail_unless (worst_wait (world) <= 4500 * MS, "worst %u ms",
      (guint) (worst_wait (world) / MS));

  return count_requests (world);
}

static LmccTime
get_key_request_wait (const World *world)
{
  return lmcc_sender_get_session (world->sender)->key_request_wait;
}

/* The first crowd shows how far away it is. Its successors' random delays
 * are usually, but not always, better for the sender. */
GST_START_TEST (crowds_far_away_ask_less_after_the_first)
{
  World *world = world_new (3 * S);
  guint n_crowds = 0, i, n;

  world->encoder_delay = 60 * MS;
  world->delay = long_ways[__i__] * MS;
  world_run (world, 4 * S);
  for (i = 0; i < 5; i++) {
    n = count_requests_of_a_crowd (world);
    fail_unless (n_crowds == 0 || n <= 100, "%u requests", n);
    n_crowds += n > 20;
  }
  fail_unless (n_crowds > 0 && n_crowds <= 2 && n <= 20);
  fail_unless (get_key_request_wait (world) <= 3 * S);
  world_free (world);
}

GST_END_TEST;

GST_START_TEST (a_crowd_that_loses_its_picture_at_once_asks_less_then)
{
  World *world = world_new (3 * S);
  guint n;

  world->encoder_delay = 60 * MS;
  world->delay = 250 * MS;
  world_run (world, 4 * S);
  n = count_requests_of_a_crowd (world);
  fail_unless (n > 100);
  world->loss = 1;
  world_run (world, 2 * PICTURE_TIME);
  world->loss = 0;
  world_run (world, 8 * S);
  n = count_requests (world) - n;
  fail_unless (n > 0 && n <= 100, "%u requests", n);
  world_free (world);
}

GST_END_TEST;

/* Pictures are missing, too: this is not the encoder's silence. */
GST_START_TEST (an_encoder_that_stands_still_is_not_deaf)
{
  World *world = world_new (3 * S);

  world_run (world, 3 * S);
  add_receivers (world, 1, LMCC_RTT_MODE_FEEDBACK);
  world->next_picture = world->now + 60 * S;
  world_run (world, 30 * S);
  fail_unless_equals_int (
      lmcc_sender_get_stats (world->sender)->key_units_unanswered, 0);
  world_free (world);
}

GST_END_TEST;

GST_START_TEST (after_a_crowd_lone_receivers_wait_as_before)
{
  World *world = world_new (3 * S);
  LmccTime wait;
  guint i;

  world->delay = 250 * MS;
  world_run (world, 4 * S);
  count_requests_of_a_crowd (world);
  wait = get_key_request_wait (world);
  fail_unless (wait > LMCC_DEFAULT_KEY_REQUEST_WAIT);
  for (i = 0; i < 160; i++) {
    g_array_set_size (world->members, 0);
    add_receivers (world, 1, LMCC_RTT_MODE_FEEDBACK);
    world_run (world, 5 * S);
    fail_unless (wait_of (world, 0) <= 5000 * MS, "%u ms",
        (guint) (wait_of (world, 0) / MS));
    fail_unless (get_key_request_wait (world) <= wait);
    wait = get_key_request_wait (world);
  }
  fail_unless_equals_uint64 (wait, LMCC_DEFAULT_KEY_REQUEST_WAIT);
  world_free (world);
}

GST_END_TEST;

GST_START_TEST (a_picture_that_is_lost_is_asked_for_again)
{
  World *world = world_new (3 * S);
  guint n_keys;

  add_receivers (world, 1, LMCC_RTT_MODE_FEEDBACK);
  world_run (world, 4 * S);
  n_keys = world->n_keys;
  /* The reference of all later pictures. */
  world->next_key = world->now;
  world->loss = 0.5;
  world_run (world, 2 * PICTURE_TIME);
  world->loss = 0;
  world_run (world, 2800 * MS);
  fail_unless_equals_int (world->n_keys, n_keys + 2);
  fail_unless (count_requests (world) >= 1);
  world_run (world, 6 * S);
  fail_unless_equals_int (world->n_keys, n_keys + 2);
  world_free (world);
}

GST_END_TEST;

/* Share of the pictures of ten receivers in a minute, each with different
 * losses. */
static guint64
count_damaged (LmccRttMode rtt_mode)
{
  World *world = world_new (3 * S);
  LmccReceiverStats stats;
  guint64 n = 0;
  guint i;

  world->loss = 0.002;
  add_receivers (world, 10, rtt_mode);
  world_run (world, 60 * S);
  for (i = 0; i < world->members->len; i++) {
    lmcc_receiver_get_stats (get_member (world, i)->receiver, world->now,
        &stats);
    n += stats.gate.units_corrupted;
  }
  world_free (world);

  return n;
}

GST_START_TEST (losses_damage_fewer_pictures)
{
  guint64 asking = count_damaged (LMCC_RTT_MODE_FEEDBACK);
  guint64 silent = count_damaged (LMCC_RTT_MODE_JOIN);

  fail_unless (2 * asking < silent,
      "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, asking, silent);
}

GST_END_TEST;

/* The back-off doubles: 64 s after a few requests. */
GST_START_TEST (an_encoder_that_takes_no_requests_is_not_asked_for_ever)
{
  World *world = world_new (3 * S);

  world->deaf_encoder = TRUE;
  world_run (world, 3 * S);
  world->next_key = world->now + 600 * S;
  add_receivers (world, 1, LMCC_RTT_MODE_FEEDBACK);
  world_run (world, 60 * S);
  fail_unless (count_requests (world) >= 3);
  fail_unless (count_requests (world) <= 6, "%u requests",
      count_requests (world));
  fail_unless (lmcc_sender_get_stats (world->sender)->key_units_unanswered > 0);
  world->next_key = world->now;
  world_run (world, 1 * S);
  fail_unless_equals_int (
      lmcc_sender_get_stats (world->sender)->key_units_unanswered, 0);
  world_free (world);
}

GST_END_TEST;

GST_START_TEST (requests_that_are_lost_are_sent_again)
{
  World *world = world_new (3 * S);
  guint i;

  world->loss = 0.1;
  world_run (world, 3 * S);
  for (i = 0; i < 20; i++) {
    world_run (world, 3 * S);
    add_receivers (world, 1, LMCC_RTT_MODE_FEEDBACK);
  }
  world->loss = 0;
  world_run (world, 6 * S);
  worst_wait (world);
  world_free (world);
}

GST_END_TEST;

/* If no receiver can send requests, key frames come unrequested. */
GST_START_TEST (without_a_way_back_the_encoder_is_asked_each_two_seconds)
{
  World *world = world_new (0);
  guint i;

  for (i = 0; i < 10; i++) {
    add_receivers (world, 1, LMCC_RTT_MODE_FEEDBACK);
    world_run (world, 1300 * MS);
  }
  world_run (world, 3 * S);
  fail_unless_equals_int (count_requests (world), 0);
  fail_unless (worst_wait (world) <= 2700 * MS);
  fail_unless (
      world->n_encoder_requests >= 6 && world->n_encoder_requests <= 8);
  world_free (world);
}

GST_END_TEST;

GST_START_TEST (a_receiver_that_is_to_send_nothing_does_not_ask)
{
  World *world = world_new (3 * S);

  world_run (world, 3 * S);
  add_receivers (world, 3, LMCC_RTT_MODE_JOIN);
  world_run (world, 5 * S);
  fail_unless_equals_int (count_requests (world), 0);
  fail_unless_equals_int (world->n_encoder_requests, 0);
  world_free (world);
}

GST_END_TEST;

/* Any host can send one. */
GST_START_TEST (forged_requests_make_no_more_key_frames_than_true_ones)
{
  World *world = world_new (3 * S);
  LmccKeyRequest forged = { .ssrc = 1, .ssrc_base = 0x12345000 };
  guint i;

  for (i = 0; i < 1000; i++) {
    Sent asked = { .at = world->now, .receiver = i };

    forged.lsn = (guint16) (i * 77);
    asked.packet = lmcc_key_request_build (&forged);
    g_array_append_val (world->asked, asked);
    world_run (world, 10 * MS);
  }
  fail_unless (world->n_encoder_requests <= 5);
  fail_unless (world->shortest_distance >= 2 * S);
  fail_unless (lmcc_sender_get_stats (world->sender)->key_requests >= 990);
  world_free (world);
}

GST_END_TEST;

static guint16
get_first_lsn (World *world)
{
  LmccHeader header;
  LmccRtp rtp;
  guint i = 0;

  while (g_array_index (world->sent, Sent, i).control)
    i++;
  fail_unless (
      lmcc_rtp_parse (g_array_index (world->sent, Sent, i).packet->data,
          g_array_index (world->sent, Sent, i).packet->size,
          LMCC_HEADER_DEFAULT_ID, &rtp));
  fail_unless (lmcc_header_parse (rtp.element, rtp.element_size, &header));

  return header.lsn;
}

/* They claim to lack packets from before the latest key frame, for which no
 * other key frame is made. */
GST_START_TEST (forged_requests_deprive_no_receiver_of_pictures)
{
  World *world = world_new (3 * S);
  LmccKeyRequest forged = { .ssrc = 1, .ssrc_base = 0x12345000 };
  guint i;

  world->own_distance = 600 * S;
  world_run (world, 4 * S);
  add_receivers (world, 3, LMCC_RTT_MODE_FEEDBACK);
  for (i = 0; i < 30; i++) {
    Sent asked = { .at = world->now, .receiver = 999 };

    forged.lsn = get_first_lsn (world) - 100;
    asked.packet = lmcc_key_request_build (&forged);
    g_array_append_val (world->asked, asked);
    world_run (world, 200 * MS);
  }
  fail_unless (worst_wait (world) <= 2700 * MS, "worst %u ms",
      (guint) (worst_wait (world) / MS));
  world_free (world);
}

GST_END_TEST;

/* 5000 packets/s: sequence numbers of 16 bits wrap every 13 s. */
GST_START_TEST (high_rates_and_rare_key_frames_make_no_difference)
{
  guint after;

  for (after = 4; after <= 16; after += 3) {
    World *world = world_new (3 * S);

    world->own_distance = 600 * S;
    world->n_packets = 200;
    world_run (world, after * S);
    add_receivers (world, 1, LMCC_RTT_MODE_FEEDBACK);
    world_run (world, 2 * S);
    fail_unless (worst_wait (world) <= 1000 * MS, "%u s after: %u ms", after,
        (guint) (worst_wait (world) / MS));
    world_free (world);
  }
}

GST_END_TEST;

/* Notices for other receivers do not make it wait for ever. */
GST_START_TEST (a_receiver_with_its_own_losses_soon_asks_again)
{
  World *world = world_new (3 * S);
  guint i;

  world->own_distance = 600 * S;
  world->encoder_delay = 60 * MS;
  world->loss = 0.02;
  world->first_loses_keys = TRUE;
  world_run (world, 4 * S);
  add_receivers (world, 200, LMCC_RTT_MODE_FEEDBACK);
  world_run (world, 15 * S);
  fail_unless_equals_uint64 (get_member (world, 0)->first_picture, 0);
  world->loss = 0;
  world->first_loses_keys = FALSE;
  for (i = 0; i < 50 && get_member (world, 0)->first_picture == 0; i++)
    world_run (world, 100 * MS);
  fail_unless (get_member (world, 0)->first_picture > 0);
  world_free (world);
}

GST_END_TEST;

static const struct
{
  LmccTime distance;
  LmccTime feedback_interval;
} own_distances[] = {
  { 2 * S + 2 * MS, 0 },
  { 2 * S + 2 * MS, 3 * S },
  { 2 * S - 2 * MS, 0 },
  { 1 * S, 0 },
  { 1 * S, 3 * S },
  { 2133 * MS, 3 * S },
  { 3 * S, 3 * S },
  { 4267 * MS, 3 * S },
  { 600 * S, 3 * S },
};

/* 60 pictures at 29.97/s are 2.002 s. */
GST_START_TEST (no_key_frame_is_asked_for_just_before_the_encoders_own)
{
  World *world = world_new (own_distances[__i__].feedback_interval);
  guint i;

  world->own_distance = own_distances[__i__].distance;
  world->encoder_delay = 30 * MS;
  for (i = 0; i < 20; i++) {
    world_run (world, 3 * S + 70 * MS);
    add_receivers (world, 1, LMCC_RTT_MODE_FEEDBACK);
  }
  world_run (world, 3 * S);
  fail_unless_equals_int (world->n_pairs, 0);
  fail_unless (worst_wait (world)
      <= (own_distances[__i__].feedback_interval > 0 ? 1500 * MS : 2700 * MS));
  world_free (world);
}

GST_END_TEST;

GST_START_TEST (requests_of_another_session_are_counted_and_nothing_else)
{
  World *world = world_new (3 * S);
  LmccKeyRequest foreign = { .ssrc = 1, .ssrc_base = 0x54321000 };
  Sent asked = { 0 };

  world_run (world, 3 * S);
  asked.packet = lmcc_key_request_build (&foreign);
  asked.at = world->now;
  g_array_append_val (world->asked, asked);
  world_run (world, 3 * S);
  fail_unless_equals_int (world->n_encoder_requests, 0);
  fail_unless_equals_uint64 (
      lmcc_sender_get_stats (world->sender)->reports_malformed, 1);
  world_free (world);
}

GST_END_TEST;

static Suite *
key_requests_suite (void)
{
  Suite *suite = suite_create ("key-requests");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc,
      who_joins_between_rare_key_frames_has_a_picture_within_a_second);
  tcase_add_test (tc,
      who_joins_at_any_moment_has_a_picture_before_two_seconds_seven);
  tcase_add_loop_test (tc, a_thousand_that_join_at_once_make_one_key_frame, 0,
      G_N_ELEMENTS (after_key));
  tcase_add_loop_test (tc, crowds_far_away_ask_less_after_the_first, 0,
      G_N_ELEMENTS (long_ways));
  tcase_add_test (tc, a_crowd_that_loses_its_picture_at_once_asks_less_then);
  tcase_add_test (tc, an_encoder_that_stands_still_is_not_deaf);
  tcase_add_test (tc, after_a_crowd_lone_receivers_wait_as_before);
  tcase_add_test (tc, a_picture_that_is_lost_is_asked_for_again);
  tcase_add_test (tc, losses_damage_fewer_pictures);
  tcase_add_test (tc, an_encoder_that_takes_no_requests_is_not_asked_for_ever);
  tcase_add_test (tc, requests_that_are_lost_are_sent_again);
  tcase_add_test (tc, without_a_way_back_the_encoder_is_asked_each_two_seconds);
  tcase_add_test (tc, a_receiver_that_is_to_send_nothing_does_not_ask);
  tcase_add_test (tc, forged_requests_make_no_more_key_frames_than_true_ones);
  tcase_add_test (tc, forged_requests_deprive_no_receiver_of_pictures);
  tcase_add_test (tc, high_rates_and_rare_key_frames_make_no_difference);
  tcase_add_test (tc, a_receiver_with_its_own_losses_soon_asks_again);
  tcase_add_loop_test (tc,
      no_key_frame_is_asked_for_just_before_the_encoders_own, 0,
      G_N_ELEMENTS (own_distances));
  tcase_add_test (tc, requests_of_another_session_are_counted_and_nothing_else);

  return suite;
}

GST_CHECK_MAIN (key_requests);
