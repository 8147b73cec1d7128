/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/level-loop.h"

/* Within this time, the receiver has left the groups that it holds beyond
 * its level. */
#define SETTLED (2 * LMCC_SECOND)

static const gdouble rates[LEVEL_LOOP_N_RUNGS] = { 300e3, 300e3, 600e3 };

LmccReceiverStats
level_loop_get_stats (LevelLoop *loop)
{
  LmccReceiverStats stats;

  lmcc_receiver_get_stats (loop->receiver, loop->now, &stats);

  return stats;
}

static void
note_picture (LevelLoop *loop)
{
  loop->delivered++;
  loop->least_rung = MIN (loop->least_rung, level_loop_get_stats (loop).rung);
}

/**
 * level_loop_drain_receiver:
 * @loop: a loop whose receiver was called
 */
void
level_loop_drain_receiver (LevelLoop *loop)
{
  LmccReceiverAction action;

  while (loop->receiver != NULL
      && lmcc_receiver_poll_action (loop->receiver, &action)) {
    switch (action.type) {
      case LMCC_RECEIVER_ACTION_JOIN:
        fail_if (loop->joined[action.group]);
        loop->joined[action.group] = TRUE;
        g_string_append_printf (loop->changes, "%u ", action.group);
        break;
      case LMCC_RECEIVER_ACTION_LEAVE:
        fail_unless (loop->joined[action.group]);
        loop->joined[action.group] = FALSE;
        g_string_append_printf (loop->changes, "-%u ", action.group);
        break;
      case LMCC_RECEIVER_ACTION_LEVEL:
        fail_unless_equals_int (action.from, loop->level);
        loop->level = action.to;
        break;
      case LMCC_RECEIVER_ACTION_DELIVER:
        if (action.unit_start && !action.catch_up)
          note_picture (loop);
        loop->gaps += action.discont;
        break;
      default:
        break;
    }
    g_clear_pointer (&action.packet, lmcc_packet_unref);
  }
}

static gboolean
is_lost (LevelLoop *loop, const LmccSenderAction *action)
{
  LmccHeader header;
  LmccRtp rtp;

  fail_unless (lmcc_rtp_parse (action->packet->data, action->packet->size,
      LMCC_HEADER_DEFAULT_ID, &rtp));
  fail_unless (lmcc_header_parse (rtp.element, rtp.element_size, &header));

  return header.type == LMCC_PACKET_MEDIA && loop->drop_every > 0
      && ++loop->n_media[header.layer] % loop->drop_every == 0;
}

static void
drain_sender (LevelLoop *loop)
{
  LmccSenderAction action;

  while (lmcc_sender_poll_action (loop->sender, &action)) {
    if (action.packet == NULL)
      continue;
    test_source_note_sent (&loop->source, action.packet,
        action.type == LMCC_SENDER_ACTION_SEND_CONTROL);
    if (action.type == LMCC_SENDER_ACTION_SEND && loop->joined[action.group]
        && !is_lost (loop, &action)) {
      lmcc_receiver_handle_packet (loop->receiver, loop->now, loop->now,
          action.group, &loop->session.source, 40000, action.packet);
      level_loop_drain_receiver (loop);
    } else {
      lmcc_packet_unref (action.packet);
    }
  }
}

void
level_loop_run (LevelLoop *loop, LmccTime duration)
{
  LmccTime end = loop->now + duration;

  for (;;) {
    LmccTime next =
        MIN (loop->source.next, lmcc_sender_next_timeout (loop->sender));

    if (loop->receiver != NULL)
      next = MIN (next, lmcc_receiver_next_timeout (loop->receiver));
    if (next > end)
      break;
    loop->now = MAX (loop->now, next);
    if (loop->now >= loop->source.next)
      test_source_push (&loop->source, loop->now);
    lmcc_sender_handle_timeout (loop->sender, loop->now);
    drain_sender (loop);
    if (loop->receiver != NULL)
      lmcc_receiver_handle_timeout (loop->receiver, loop->now);
    level_loop_drain_receiver (loop);
  }
  loop->now = end;
}

/**
 * level_loop_new:
 * @levels: layers of each level
 * @repair: share of repair data, 1/1000
 * @key_distance: pictures between key frames; 0: all are key frames
 * @max_level: level cap of the receiver, which joins all that the cap allows;
 *     -1: none
 *
 * The sender has already run long enough for its rates to be known.
 *
 * Returns: (transfer full): a loop whose receiver has just started
 */
LevelLoop *
level_loop_new (LmccLevels levels, guint repair, guint key_distance,
    gint max_level)
{
  LevelLoop *loop = g_new0 (LevelLoop, 1);
  LmccSenderConfig config = sender_config (LEVEL_LOOP_N_RUNGS);
  LmccReceiverConfig receiver = { .algorithm = "none",
    .rtt_mode = LMCC_RTT_MODE_JOIN,
    .latency = LEVEL_LOOP_LATENCY,
    .max_level = max_level };

  config.levels = levels;
  config.session.repair = repair;
  loop->now = START;
  loop->changes = g_string_new (NULL);
  loop->level = -1;
  loop->least_rung = G_MAXINT;
  loop->sender = lmcc_sender_new (&config, START, NULL);
  fail_unless (loop->sender != NULL);
  test_source_init (&loop->source, loop->sender, rates, LEVEL_LOOP_N_RUNGS,
      START);
  loop->source.distance = key_distance;
  level_loop_run (loop, 5 * LMCC_SECOND);
  loop->session = *lmcc_sender_get_session (loop->sender);
  fail_unless_equals_int (loop->session.n_layers,
      LEVEL_LOOP_N_RUNGS + (levels == LMCC_LEVELS_REPLICATED ? 1 : 0));
  receiver.address = loop->session.address;
  receiver.session = &loop->session;
  loop->receiver = lmcc_receiver_new (&receiver);
  lmcc_receiver_start (loop->receiver, loop->now);
  level_loop_drain_receiver (loop);

  return loop;
}

void
level_loop_free (LevelLoop *loop)
{
  lmcc_receiver_free (loop->receiver);
  lmcc_sender_free (loop->sender);
  g_string_free (loop->changes, TRUE);
  g_free (loop);
}

void
level_loop_set_max_level (LevelLoop *loop, gint level)
{
  lmcc_receiver_set_max_level (loop->receiver, level, loop->now);
  level_loop_drain_receiver (loop);
}

/**
 * level_loop_check:
 * @loop: a loop
 * @changes: expected joins and leaves since the last check
 * @level: expected level
 *
 * After these changes, the level is shown, and nothing is lost, waited for or
 * changed.
 */
void
level_loop_check (LevelLoop *loop, const gchar *changes, gint level)
{
  LmccReceiverStats stats;

  level_loop_run (loop, SETTLED);
  fail_unless_equals_string (loop->changes->str, changes);
  g_string_truncate (loop->changes, 0);
  fail_unless_equals_int (loop->level, level);
  loop->delivered = 0;
  level_loop_run (loop, 4 * LMCC_SECOND);
  stats = level_loop_get_stats (loop);
  fail_unless_equals_string (loop->changes->str, "");
  fail_unless_equals_int (stats.level, level);
  fail_unless_equals_int (stats.rung, level);
  fail_unless_equals_uint64 (stats.lost, 0);
  fail_unless (loop->delivered >= 3 * LEVEL_LOOP_PICTURES_PER_SECOND);
}
