/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "receiver/rung-switch.h"

#include "receiver/layer.h"
#include "receiver/memory.h"
#include "receiver/private.h"
#include "receiver/rates.h"

/* How long before a key frame the receiver joins a rung, so that its packets
 * flow when the key frame comes. A join takes some tens of milliseconds if a
 * router on the path already forwards the group, and one or two round trips
 * if not. */
#define LEAD (300 * LMCC_MSECOND)

/* While both rungs are joined, the path carries both, which may exceed its
 * capacity. Both stay joined only for the duration of the join and of a key
 * frame that the sender spreads over its window. */
#define LINGER (LEAD + 300 * LMCC_MSECOND)

/* The receiver does not wait for key frames further apart, and need not wait
 * for closer ones. */
#define MAX_DISTANCE (5 * LMCC_SECOND)
#define MIN_DISTANCE LEAD

/* Weight with which a key frame that comes late, after a loss or another
 * layer, moves the predicted time of the next one. */
#define LATE_PART 8

/* A wish for a level is dropped if at least this many packets, and this
 * fraction, have been lost since: plumb ends an experiment under the same
 * condition. */
#define MANY_LOST 5
#define MANY_LOST_SHARE 0.05

/* If a level is left this soon after a join during which another rung was
 * joined as well, the path could not carry both. That says little about the
 * level alone. */
#define FAILED (3 * LMCC_SECOND)

/* At the next attempt, the other rung is left this long before the level is
 * joined: routers take a second to stop forwarding a group (RFC 3376
 * sections 8.8 and 8.9: twice that if a query is lost). */
#define CLEAR LMCC_SECOND

/* Receivers behind one link then join at the same key frames, which are this
 * far apart in RTP timestamps: while some show the lower rung and others the
 * higher one, the link carries both. */
#define TOGETHER (4 * LMCC_SECOND)

/* How long the receiver assumes that the path cannot carry both: longer than
 * algorithms' back-offs for a level. */
#define FORGOTTEN (600 * LMCC_SECOND)

/**
 * lmcc_receiver_reset_rung_switch:
 * @receiver: a receiver that starts, or whose session has changed
 */
void
lmcc_receiver_reset_rung_switch (LmccReceiver *receiver)
{
  receiver->rung_switch.wanted = -1;
  receiver->rung_switch.lingering = 0;
  receiver->rung_switch.failed = 0;
  receiver->rung_switch.joined_at = 0;
}

/* Distance from one key frame to the next, or 0 if unknown. */
static LmccTime
get_distance (const LmccReceiver *receiver)
{
  const LmccGateKeys *keys = lmcc_gate_get_keys (receiver->gate);
  guint32 clock_rate = receiver->session.video.clock_rate;
  LmccTime distance =
      clock_rate > 0 ? keys->distance * LMCC_SECOND / clock_rate : 0;

  return distance < MIN_DISTANCE || distance > MAX_DISTANCE ? 0 : distance;
}

/**
 * lmcc_receiver_note_keys:
 * @receiver: a receiver
 * @now: the time
 *
 * Call it after output from the merge.
 */
void
lmcc_receiver_note_keys (LmccReceiver *receiver, LmccTime now)
{
  LmccRungSwitch *change = &receiver->rung_switch;
  guint64 n = lmcc_gate_get_keys (receiver->gate)->count;
  LmccTime distance = get_distance (receiver);
  LmccTime expected = change->key_time + distance;

  if (n == change->n_keys)
    return;
  change->n_keys = n;
  /* Some key frames may be missing. */
  if (distance > 0 && now > expected)
    expected += (now - expected + distance / 2) / distance * distance;
  if (distance > 0 && now > expected)
    change->key_time = expected + (now - expected) / LATE_PART;
  else
    change->key_time = now;
}

/* The first key frame after @least, or LMCC_TIME_NONE if unknown. */
static LmccTime
find_next_key (const LmccReceiver *receiver, LmccTime least)
{
  LmccTime latest = receiver->rung_switch.key_time;
  LmccTime distance = get_distance (receiver);

  if (distance == 0 || least >= latest + 2 * MAX_DISTANCE)
    return LMCC_TIME_NONE;
  if (least < latest)
    return latest + distance;

  return latest + ((least - latest) / distance + 1) * distance;
}

/* The same, among the key frames that all waiting receivers choose. */
static LmccTime
find_shared_key (const LmccReceiver *receiver, LmccTime least)
{
  const LmccGateKeys *keys = lmcc_gate_get_keys (receiver->gate);
  LmccTime key = find_next_key (receiver, least);
  LmccTime distance = get_distance (receiver);
  guint64 index, every;

  if (key == LMCC_TIME_NONE)
    return key;
  index = keys->timestamp / keys->distance
      + (key - receiver->rung_switch.key_time + distance / 2) / distance;
  every = MAX (TOGETHER / distance, 1);

  return key + (every - 1 - (index + every - 1) % every) * distance;
}

/* The layers of the current level that @level does not have. */
static LmccLayerSet
find_left (const LmccReceiver *receiver, gint level)
{
  const LmccSession *session = &receiver->session;

  return lmcc_session_level_layers (session, receiver->level)
      & ~lmcc_session_level_layers (session, level);
}

static gboolean
lost_many (const LmccReceiver *receiver)
{
  const LmccRungSwitch *change = &receiver->rung_switch;
  guint64 received, lost;

  lmcc_receiver_sum_layers (receiver, &received, &lost);
  received -= MIN (received, change->received);
  lost -= MIN (lost, change->lost);

  return lost >= MANY_LOST
      && (gdouble) lost >= MANY_LOST_SHARE * (gdouble) (received + lost);
}

/* Whether the bitrate limit permits all of @layers together. */
static gboolean
may_hold (const LmccReceiver *receiver, LmccLayerSet layers)
{
  return receiver->config.max_bitrate == 0
      || lmcc_receiver_get_layers_rate (receiver, layers)
      <= receiver->config.max_bitrate;
}

static gboolean
has_failed (const LmccRungSwitch *change, gint level, LmccTime now)
{
  return now < change->failed_until && (change->failed >> level & 1) != 0;
}

/* The first usable key frame. The packets of a key frame that will be
 * delivered soon may have passed already; then the lowest rung is shown for
 * longer, if it is available. */
static LmccTime
find_least_key (const LmccReceiver *receiver, LmccTime now)
{
  return lmcc_session_base_is_thin (&receiver->session) ? now + LEAD : now;
}

/* Returns whether @level is joined later. */
static gboolean
plan_switch (LmccReceiver *receiver, gint level, LmccTime now)
{
  LmccRungSwitch *change = &receiver->rung_switch;
  gboolean failed = has_failed (change, level, now);
  gboolean leaves_first = failed
      || !may_hold (receiver,
          receiver->held
              | lmcc_session_level_layers (&receiver->session, level));
  LmccTime lead = leaves_first ? CLEAR + LEAD : LEAD;
  LmccTime least = leaves_first ? now + lead : find_least_key (receiver, now);
  LmccTime key = failed ? find_shared_key (receiver, least)
                        : find_next_key (receiver, least);

  if (key == LMCC_TIME_NONE && !leaves_first)
    return FALSE;
  if (key == LMCC_TIME_NONE)
    key = now + lead;
  change->join_at = key - MIN (key, LEAD);
  change->leave_at = leaves_first ? key - MIN (key, lead) : LMCC_TIME_NONE;

  return now < change->join_at;
}

/* Makes the wanted level the level to join now. */
static gint
grant (LmccReceiver *receiver, const gchar **reason)
{
  LmccRungSwitch *change = &receiver->rung_switch;
  LmccController *controller = receiver->controller;
  gint level = change->wanted;

  lmcc_controller_want (controller, MAX (controller->wanted_level, level),
      change->reason);
  *reason = change->reason;
  change->wanted = -1;

  return level;
}

/**
 * lmcc_receiver_postpone_level:
 * @receiver: a receiver
 * @level: the level that the algorithm wants, at most @cap
 * @cap: the highest permitted level
 * @reason: (inout): the reason for the level
 * @now: the time
 *
 * A higher level that lacks some of the current layers is joined shortly before
 * a key frame, if its time is known. Algorithms state their wish only once, so
 * it is kept until then, unless they want less or many packets are lost.
 *
 * Returns: the level to join now
 */
gint
lmcc_receiver_postpone_level (LmccReceiver *receiver, gint level, gint cap,
    const gchar **reason, LmccTime now)
{
  LmccRungSwitch *change = &receiver->rung_switch;

  if (change->wanted >= 0 && change->wanted <= cap
      && level >= receiver->level) {
    if (now < change->join_at)
      return receiver->level;
    if (!lost_many (receiver))
      return grant (receiver, reason);
    change->wanted = -1;
    return receiver->level;
  }
  change->wanted = -1;
  if (level <= receiver->level || receiver->level < 0
      || find_left (receiver, level) == 0
      || !plan_switch (receiver, level, now))
    return level;
  change->wanted = level;
  change->reason = *reason;
  lmcc_receiver_sum_layers (receiver, &change->received, &change->lost);

  return receiver->level;
}

/* Those of @layers that belong to the rung being shown. */
static LmccLayerSet
find_shown (const LmccReceiver *receiver, LmccLayerSet layers)
{
  return layers
      & lmcc_session_rung_layers (&receiver->session,
          lmcc_gate_get_rung (receiver->gate));
}

/* Keeps the layers of the rung being shown joined beside @layers, the layers
 * of the next level. */
static void
keep_shown (LmccReceiver *receiver, LmccLayerSet layers, LmccTime until)
{
  LmccRungSwitch *change = &receiver->rung_switch;

  change->lingering = find_shown (receiver, receiver->held & ~layers);
  if (!may_hold (receiver, layers | change->lingering))
    change->lingering = 0;
  change->until = until;
}

static void
note_up (LmccReceiver *receiver, gint level, LmccTime now)
{
  LmccLayerSet layers = lmcc_session_level_layers (&receiver->session, level);

  keep_shown (receiver, layers, now + LINGER);
  receiver->rung_switch.joined_at = (receiver->held & ~layers) != 0 ? now : 0;
}

/* If no lower rung is available and neither the path nor the memory is the
 * reason for the change, the rung being shown stays until the lower rung's
 * key frame. */
static void
keep_until_key (LmccReceiver *receiver, gint level, LmccTime now)
{
  LmccTime key = find_next_key (receiver, now + LEAD);

  keep_shown (receiver, lmcc_session_level_layers (&receiver->session, level),
      key == LMCC_TIME_NONE ? now + LINGER : key + LINGER - LEAD);
}

static void
note_down (LmccReceiver *receiver, gint level, LmccTime now)
{
  LmccRungSwitch *change = &receiver->rung_switch;
  LmccTime joined_at = change->joined_at;
  gboolean capped = receiver->level >= 0
      && receiver->controller->wanted_level >= receiver->level;

  change->lingering = 0;
  change->joined_at = 0;
  if (capped && level >= 0 && lmcc_session_base_is_thin (&receiver->session)
      && receiver->level <= lmcc_receiver_get_memory_level (receiver))
    keep_until_key (receiver, level, now);
  if (joined_at == 0 || now >= joined_at + FAILED || capped)
    return;
  if (now >= change->failed_until)
    change->failed = 0;
  change->failed |= G_GUINT64_CONSTANT (1) << receiver->level;
  change->failed_until = now + FORGOTTEN;
}

static void
note_same (LmccReceiver *receiver, LmccTime now)
{
  LmccRungSwitch *change = &receiver->rung_switch;

  change->lingering =
      now < change->until ? find_shown (receiver, change->lingering) : 0;
}

/**
 * lmcc_receiver_find_layers:
 * @receiver: a receiver
 * @level: the level from now on; may be the current one
 * @now: the time
 *
 * When the receiver changes to a higher level, the rung being shown stays
 * joined for a short time, until the higher rung is shown, or is left before
 * that. When it changes to a lower level, the lowest rung takes over, if the
 * receiver has joined it; otherwise see keep_until_key().
 *
 * Returns: the layers to join
 */
LmccLayerSet
lmcc_receiver_find_layers (LmccReceiver *receiver, gint level, LmccTime now)
{
  LmccRungSwitch *change = &receiver->rung_switch;
  LmccLayerSet layers = lmcc_session_level_layers (&receiver->session, level);

  if (level < receiver->level || receiver->level < 0)
    note_down (receiver, level, now);
  else if (level > receiver->level)
    note_up (receiver, level, now);
  else
    note_same (receiver, now);
  if (level == receiver->level && change->wanted >= 0
      && now >= change->leave_at)
    return layers & ~find_left (receiver, change->wanted);

  return layers | change->lingering;
}

/**
 * lmcc_receiver_next_rung_switch:
 * @receiver: a receiver
 *
 * Returns: when to call lmcc_receiver_update_level(), or %LMCC_TIME_NONE
 */
LmccTime
lmcc_receiver_next_rung_switch (const LmccReceiver *receiver)
{
  const LmccRungSwitch *change = &receiver->rung_switch;
  LmccTime next = LMCC_TIME_NONE;

  if (change->wanted >= 0)
    next = receiver->now < change->leave_at
        ? MIN (change->leave_at, change->join_at)
        : change->join_at;
  if (change->lingering != 0)
    next = MIN (next, change->until);

  return next;
}
