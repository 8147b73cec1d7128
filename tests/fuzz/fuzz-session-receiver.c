/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fuzzes a receiver between its real sender and hostile hosts, which send
 * arbitrary packets in their own name and in the sender's. The first two
 * bytes choose the session and the receiver's settings, the others the
 * events.
 *
 * After each step: a session in use is valid; groups are joined once, and no
 * more than the session has; reports go only to hosts that were heard; time
 * goes on; memory stays within its budget; and the cost of a call has a
 * bound that does not depend on a packet's content. The receiver changes to
 * another host only if the sender is not heard, and listens to the sender
 * again once no other host sends.
 */
#include "fuzz-feed.h"
#include "fuzz-work.h"

#include <gst/lmcc/wire/join-notice.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>

#include <string.h>

#define S0 0x12345000u
#define MAX_TIME (15 * LMCC_SECOND)
/* 125 us to 1 s. */
#define STEP_TIME(what) ((LMCC_SECOND / 8192) << MIN (what >> 4, 13))

#define N_HEARD 8

#define RETURN_TIME (4 * LMCC_SECOND)

/* Largest number of memory reads of a call, of 8 bytes each; several times
 * that of the most expensive honest call. */
#define MAX_WORK 3000000

/* Of the smallest budget, only this much is left, so that a few packets fill
 * it. */
#define SMALL_MEMORY_OUTSIDE (LMCC_MEMORY_MIN / 16 * 15 - 8 * 1024)

typedef struct
{
  LmccPacket *packet;
  guint group;
} Heard;

typedef struct
{
  Bytes bytes;
  LmccTime now;
  FuzzFeed feed;
  guint8 setup;
  LmccReceiver *receiver;
  guint32 receiver_ssrc; /* as in its reports */
  gint max_level;
  gboolean joined[LMCC_MAX_GROUPS];
  gint control_group; /* joined; -1: none */
  gboolean broken;    /* no more packets arrive */
  LmccSourcePolicy policy;
  LmccTime own_heard; /* the sender, while it sent the session */
  /* the next packets of the sender are lost, this many */
  guint deaf;
  gboolean spoken[FUZZ_N_HOSTS]; /* the receiver heard one of its packets */
  Heard heard[N_HEARD];          /* of the sender, the latest */
  guint n_heard;
  LmccPacket *control; /* as above */
  FuzzRecord record;   /* of the last forged one */
  guint64 work;
} World;

static void
check_report (World *world, const LmccReceiverAction *action)
{
  const LmccSession *session = lmcc_receiver_get_session (world->receiver);
  gboolean found = FALSE;
  LmccAddress host;
  guint i;

  for (i = 0; i < FUZZ_N_HOSTS; i++) {
    fuzz_host (i, &host);
    found = found
        || (world->spoken[i]
            && lmcc_address_equal (&host, &action->destination));
  }
  g_assert (found);
  g_assert (session == NULL || action->port == session->feedback_port);
  g_assert (action->packet->size >= 8);
  world->receiver_ssrc = GUINT32_FROM_BE (
      *(const guint32 *) (gconstpointer) (action->packet->data + 4));
}

static void
change_membership (World *world, const LmccReceiverAction *action)
{
  gboolean join = action->type == LMCC_RECEIVER_ACTION_JOIN;

  if (action->control) {
    g_assert (join ? world->control_group < 0
                   : world->control_group == (gint) action->group);
    world->control_group = join ? (gint) action->group : -1;
    return;
  }
  g_assert (action->group < LMCC_MAX_GROUPS);
  g_assert (world->joined[action->group] != join);
  world->joined[action->group] = join;
}

/* Not from the sender, whose process runs, to another host. */
static void
check_source (World *world, const LmccReceiverAction *action)
{
  LmccAddress sender;

  fuzz_host (0, &sender);
  if (world->policy != LMCC_SOURCE_POLICY_FIRST
      || !lmcc_address_equal (&sender, &action->previous)
      || lmcc_address_equal (&sender, &action->destination))
    return;
  g_assert (world->now >= world->own_heard + LMCC_SOURCE_TAKEOVER);
}

static void
answer_report (World *world, const LmccReceiverAction *action)
{
  LmccAddress sender, receiver;

  fuzz_host (0, &sender);
  fuzz_host (200, &receiver);
  if (world->feed.sender == NULL || world->feed.stopped
      || !lmcc_address_equal (&sender, &action->destination))
    return;
  lmcc_sender_handle_control (world->feed.sender, world->now, &receiver, 40000,
      action->packet->data, action->packet->size);
}

static void
check_action (World *world, const LmccReceiverAction *action)
{
  LmccRtp rtp;

  switch (action->type) {
    case LMCC_RECEIVER_ACTION_JOIN:
    case LMCC_RECEIVER_ACTION_LEAVE:
      change_membership (world, action);
      break;
    case LMCC_RECEIVER_ACTION_DELIVER:
    case LMCC_RECEIVER_ACTION_DELIVER_SOUND:
      g_assert (lmcc_rtp_parse (action->packet->data, action->packet->size, 15,
          &rtp));
      g_assert (LMCC_TIME_IS_VALID (action->time));
      break;
    case LMCC_RECEIVER_ACTION_LEVEL:
      g_assert (action->to >= -1 && action->to < LMCC_MAX_LAYERS);
      break;
    case LMCC_RECEIVER_ACTION_REPORT:
      check_report (world, action);
      answer_report (world, action);
      break;
    case LMCC_RECEIVER_ACTION_CIRCUIT_BREAKER:
    case LMCC_RECEIVER_ACTION_END:
      world->broken = TRUE;
      break;
    case LMCC_RECEIVER_ACTION_SOURCE_CHANGED:
      check_source (world, action);
      break;
    case LMCC_RECEIVER_ACTION_SOURCE_ASKED:
      lmcc_receiver_answer_source (world->receiver, &action->destination,
          world->setup & 0x10, world->now);
      break;
    default:
      break;
  }
}

static void
check_state (World *world)
{
  const LmccSession *session = lmcc_receiver_get_session (world->receiver);
  guint n_groups = session != NULL ? session->n_groups : 1;
  LmccReceiverStats stats;
  guint i;

  g_assert (session == NULL || lmcc_session_validate (session, NULL));
  for (i = n_groups; i < LMCC_MAX_GROUPS; i++)
    g_assert (!world->joined[i]);
  g_assert (world->control_group < 0
      || (session != NULL && world->control_group == (gint) n_groups));
  lmcc_receiver_get_stats (world->receiver, world->now, &stats);
  g_assert (stats.memory_peak <= stats.memory_budget);
}

static void
begin (World *world)
{
  world->work = fuzz_work ();
}

/* After each call of the receiver. */
static void
finish (World *world)
{
  LmccReceiverAction action;

  g_assert (fuzz_work () - world->work <= MAX_WORK);
  while (lmcc_receiver_poll_action (world->receiver, &action)) {
    check_action (world, &action);
    g_clear_pointer (&action.packet, lmcc_packet_unref);
  }
  check_state (world);
}

static void
push_control (World *world, guint host, const guint8 *data, gsize size)
{
  LmccAddress source;

  fuzz_host (host, &source);
  world->spoken[host] = TRUE;
  begin (world);
  lmcc_receiver_handle_control (world->receiver, world->now, &source, FUZZ_PORT,
      data, size);
  finish (world);
}

/* Takes ownership of @packet. */
static void
push_packet (World *world, guint host, guint group, LmccPacket *packet)
{
  LmccAddress source;

  if (group >= LMCC_MAX_GROUPS || !world->joined[group]) {
    lmcc_packet_unref (packet);
    return;
  }
  fuzz_host (host, &source);
  world->spoken[host] = TRUE;
  begin (world);
  lmcc_receiver_handle_packet (world->receiver, world->now, world->now, group,
      &source, FUZZ_PORT, packet);
  finish (world);
}

static void
note_own (World *world)
{
  const LmccSession *session = lmcc_receiver_get_session (world->receiver);

  if (session != NULL && session->ssrc_base == world->feed.ssrc_base)
    world->own_heard = world->now;
}

/* Handles packets of the real sender. */
static void
take_action (gpointer user_data, const LmccSenderAction *action)
{
  World *world = user_data;
  Heard *heard;

  if (action->packet == NULL)
    return;
  if (world->deaf > 0) {
    world->deaf--;
    return;
  }
  if (action->type == LMCC_SENDER_ACTION_SEND_CONTROL) {
    g_clear_pointer (&world->control, lmcc_packet_unref);
    world->control = lmcc_packet_ref (action->packet);
    push_control (world, 0, action->packet->data, action->packet->size);
    note_own (world);
    return;
  }
  heard = &world->heard[world->n_heard++ % N_HEARD];
  g_clear_pointer (&heard->packet, lmcc_packet_unref);
  heard->packet = lmcc_packet_ref (action->packet);
  heard->group = action->group;
  push_packet (world, 0, action->group, lmcc_packet_ref (action->packet));
  note_own (world);
}

static void
run_receiver (World *world)
{
  guint n;

  for (n = 0; lmcc_receiver_next_timeout (world->receiver) <= world->now; n++) {
    g_assert (n < FUZZ_MOST_CALLS);
    begin (world);
    lmcc_receiver_handle_timeout (world->receiver, world->now);
    finish (world);
  }
}

static void
run_until (World *world, LmccTime until)
{
  while (world->now < until) {
    LmccTime next = MIN (fuzz_feed_next (&world->feed),
        lmcc_receiver_next_timeout (world->receiver));

    world->now = MIN (MAX (next, world->now), until);
    fuzz_feed_run (&world->feed, world->now);
    run_receiver (world);
  }
}

static void
forge_control (World *world, guint host)
{
  const guint32 bases[] = { world->feed.ssrc_base, S0 + 0x111000, S0 + 0x222000,
    world->record.ssrc };
  g_autoptr (GByteArray) data = fuzz_make_compound (&world->bytes, bases,
      G_N_ELEMENTS (bases), world->receiver_ssrc, &world->record);

  push_control (world, host, data->data, data->len);
}

static guint8
get_element_id (World *world)
{
  const LmccSession *session = lmcc_receiver_get_session (world->receiver);

  return session != NULL ? session->header_id : LMCC_HEADER_DEFAULT_ID;
}

static void
forge_media (World *world, guint host)
{
  guint8 which = take_byte (&world->bytes);
  const Heard *heard = &world->heard[which % N_HEARD];
  guint group;

  if (heard->packet != NULL && which < 224) {
    push_packet (world, host, heard->group,
        fuzz_forge_packet (&world->bytes, heard->packet,
            get_element_id (world)));
  } else if (world->record.n_layers > 0) {
    LmccPacket *packet =
        fuzz_make_packet (&world->bytes, &world->record, world->now, &group);

    push_packet (world, host, group, packet);
  }
}

static void
push_bytes (World *world, guint host)
{
  Bytes *bytes = &world->bytes;
  gsize size = take_byte (bytes);

  size = MIN (size, bytes->size);
  if (host & 1)
    push_control (world, host, bytes->data, size);
  else
    push_packet (world, host, 0, lmcc_packet_new_copy (bytes->data, size));
  bytes->data += size;
  bytes->size -= size;
}

static void
push_notice (World *world)
{
  const LmccSession *session = lmcc_receiver_get_session (world->receiver);
  LmccJoinNotice notice = { .ssrc = fuzz_take_word (&world->bytes),
    .ssrc_base = session != NULL ? session->ssrc_base : S0,
    .version = session != NULL ? (guint8) session->version : 0,
    .level = take_byte (&world->bytes) };
  g_autoptr (LmccPacket) packet = lmcc_join_notice_build (&notice);

  if (world->control_group < 0)
    return;
  begin (world);
  lmcc_receiver_handle_learning (world->receiver, world->now, packet->data,
      packet->size);
  finish (world);
}

static void
restart_sender (World *world, guint8 how)
{
  guint32 ssrc_base =
      how & 2 ? world->feed.ssrc_base + 0x1000 : world->feed.ssrc_base;

  fuzz_feed_end (&world->feed, how & 1);
  fuzz_feed_start (&world->feed, how & 4 ? how >> 4 : world->setup, ssrc_base,
      world->now);
}

static void
change_receiver (World *world, guint8 how)
{
  begin (world);
  switch (how & 7) {
    case 0:
      world->max_level = (how >> 3) - 1;
      lmcc_receiver_set_max_level (world->receiver, world->max_level,
          world->now);
      break;
    case 1:
      lmcc_receiver_set_max_bitrate (world->receiver, 8000u * (how >> 3),
          world->now);
      break;
    case 2:
      lmcc_receiver_set_on_loss (world->receiver, how >> 3 & 1);
      break;
    case 3:
      lmcc_receiver_handle_socket_drops (world->receiver, how);
      break;
    case 4:
      lmcc_receiver_stop (world->receiver, world->now);
      finish (world);
      begin (world);
      lmcc_receiver_start (world->receiver, world->now);
      break;
    default: {
      LmccReceiverStats stats;

      lmcc_receiver_get_stats (world->receiver, world->now, &stats);
      g_assert (world->max_level < 0 || stats.level <= world->max_level);
    }
  }
  finish (world);
}

/* Addresses of hosts: the sender's own as often as all others together. */
static guint
choose_host (World *world)
{
  guint8 byte = take_byte (&world->bytes);

  return byte & 1 ? 0 : 1 + (byte >> 1) % (FUZZ_N_HOSTS - 1);
}

static void
step (World *world)
{
  guint8 what = take_byte (&world->bytes);

  switch (what & 15) {
    case 0:
    case 1:
    case 2:
      run_until (world, world->now + STEP_TIME (what));
      break;
    case 3:
    case 4:
    case 5:
      forge_control (world, choose_host (world));
      break;
    case 6:
    case 7:
    case 8:
      forge_media (world, choose_host (world));
      break;
    case 9:
      if (world->control != NULL)
        push_control (world, choose_host (world), world->control->data,
            world->control->size);
      break;
    case 10:
      world->deaf = 1u << (what >> 4);
      break;
    case 11:
      world->feed.stopped = !world->feed.stopped;
      break;
    case 12:
      restart_sender (world, take_byte (&world->bytes));
      break;
    case 13:
      change_receiver (world, take_byte (&world->bytes));
      break;
    case 14:
      push_notice (world);
      break;
    default:
      /* The host slept, or plain bytes. */
      if (what & 0x10)
        world->now += LMCC_SECOND << (what >> 5);
      else
        push_bytes (world, choose_host (world));
  }
}

/* The receiver must return within the time after which another host may
 * succeed the sender, plus the interval of two of its records. */
static void
check_return (World *world)
{
  const LmccSession *session;

  if (world->feed.sender == NULL || world->broken)
    return;
  world->deaf = 0;
  world->feed.stopped = FALSE;
  run_until (world, world->now + LMCC_SOURCE_TAKEOVER + RETURN_TIME);
  session = lmcc_receiver_get_session (world->receiver);
  g_assert (world->broken
      || (session != NULL && session->ssrc_base == world->feed.ssrc_base));
}

static void
start_receiver (World *world, guint8 how)
{
  static const gchar *const algorithms[] = { "auto", "auto", "auto", "elm",
    "none", "rlm", "tfmcc", "flid-sl" };
  LmccReceiverConfig config = { .algorithm = algorithms[how & 7],
    .latency = LMCC_DEFAULT_LATENCY,
    .max_level = -1,
    .on_loss = how >> 3 & 1,
    .timeout = how & 16 ? LMCC_SECOND : 0,
    .sequence_seed = 77 };

  lmcc_address_parse (FUZZ_GROUP, &config.address);
  if (how & 32)
    fuzz_host (0, &config.source);
  if (how & 64)
    config.session = lmcc_sender_get_session (world->feed.sender);
  if (how & 128)
    config.max_memory = LMCC_MEMORY_MIN;
  config.end_on_bye = (how & 24) == 24;
  config.source_policy = world->policy = (world->setup >> 5) % 3;
  world->max_level = -1;
  world->receiver = lmcc_receiver_new (&config);
  if (how & 128)
    lmcc_receiver_set_outside_memory (world->receiver, SMALL_MEMORY_OUTSIDE);
  begin (world);
  lmcc_receiver_start (world->receiver, world->now);
  finish (world);
}

static void
end (World *world)
{
  guint i;

  lmcc_receiver_stop (world->receiver, world->now);
  finish (world);
  for (i = 0; i < LMCC_MAX_GROUPS; i++)
    g_assert (!world->joined[i]);
  fuzz_feed_end (&world->feed, FALSE);
  lmcc_receiver_free (world->receiver);
  for (i = 0; i < N_HEARD; i++)
    g_clear_pointer (&world->heard[i].packet, lmcc_packet_unref);
  g_clear_pointer (&world->control, lmcc_packet_unref);
}

static void
ignore_action (gpointer user_data G_GNUC_UNUSED,
    const LmccSenderAction *action G_GNUC_UNUSED)
{
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  World world = { .bytes = { data, size },
    .now = 10 * LMCC_SECOND,
    .control_group = -1,
    .record = { .ssrc = S0 } };
  LmccTime last = world.now + MAX_TIME;

  world.setup = take_byte (&world.bytes);
  world.feed.handle = ignore_action;
  fuzz_feed_start (&world.feed, world.setup, S0, world.now);
  start_receiver (&world, take_byte (&world.bytes));
  world.feed.handle = take_action;
  world.feed.user_data = &world;
  while (world.bytes.size > 0 && world.now < last)
    step (&world);
  if ((world.setup & 0xf0) == 0)
    check_return (&world);
  end (&world);

  return 0;
}
