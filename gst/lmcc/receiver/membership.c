/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which groups the receiver joins for its level. With static layering, group
 * i carries layer i. With dynamic layering (Byers et al., "FLID-DL", 2002,
 * section III-C), the receiver joins the groups of the next slot shortly
 * before it begins, and leaves groups that its level no longer needs once
 * the slot has begun.
 */
#include <glib/gi18n-lib.h>
#include <gst/lmcc/lmcc-session-algorithm.h>
#include "receiver/actions.h"
#include "receiver/algorithm.h"
#include "receiver/membership.h"
#include "receiver/private.h"
#include "wire/levels.h"

/* Initial time by which joins precede a slot, until joins turn out to take
 * longer. */
#define FIRST_JOIN_LEAD (25 * LMCC_MSECOND)

/* Uncertainty of the expected end of a slot. */
#define JOIN_MARGIN (5 * LMCC_MSECOND)

/* Weight of a join that took less time than the current lead. */
#define JOIN_LEAD_WEIGHT 8

void
lmcc_receiver_join (LmccReceiver *receiver, guint group, LmccTime now)
{
  receiver->membership.groups[group] = (LmccReceiverGroup){
    .joined = TRUE,
    .joined_at = now,
    .last_packet = now,
  };
  receiver->membership.groups_end =
      MAX (receiver->membership.groups_end, group + 1);
  lmcc_receiver_queue_action (receiver, LMCC_RECEIVER_ACTION_JOIN)->group =
      group;
}

void
lmcc_receiver_leave (LmccReceiver *receiver, guint group, LmccTime now)
{
  receiver->membership.groups[group].joined = FALSE;
  receiver->membership.groups[group].left_at = now;
  while (receiver->membership.groups_end > 0
      && !receiver->membership.groups[receiver->membership.groups_end - 1]
              .joined)
    receiver->membership.groups_end--;
  lmcc_receiver_queue_action (receiver, LMCC_RECEIVER_ACTION_LEAVE)->group =
      group;
}

static gboolean
is_dynamic (const LmccReceiver *receiver)
{
  return receiver->membership.slots != NULL;
}

static void
forget (LmccReceiver *receiver)
{
  g_clear_pointer (&receiver->membership.slots, lmcc_slot_clock_free);
  receiver->membership.no_layering = FALSE;
}

/* Takes the mapping from layers to groups from a session. */
void
lmcc_receiver_take_layering (LmccReceiver *receiver)
{
  const LmccSession *session = &receiver->session;
  g_autoptr (GError) error = NULL;

  forget (receiver);
  lmcc_layer_entries_init (&receiver->membership.entries, session->slot_modulus,
      session->slot, session->turning_groups > 0);
  if (!lmcc_dynamic_layering_from_session (&receiver->membership.layering,
          session, &error)
      || (session->turning_groups > 0
          && (session->slot == 0 || !lmcc_session_is_cumulative (session)))) {
    receiver->membership.no_layering = TRUE;
    lmcc_receiver_warn (receiver, LMCC_WARNING_LAYERING,
        N_ ("the session's turning groups do not match its layers, levels and "
            "slots: only the base layer is joined"));
    return;
  }
  if (session->turning_groups == 0)
    return;
  receiver->membership.slots =
      lmcc_slot_clock_new (session->slot_modulus, session->slot, 0);
  receiver->membership.slot = G_MAXUINT;
  receiver->membership.join_lead =
      MIN (FIRST_JOIN_LEAD, LMCC_SLOT_MAX_LEAD (session->slot));
  lmcc_slot_clock_set_lead (receiver->membership.slots,
      receiver->membership.join_lead);
  lmcc_slot_clock_tell_silent (receiver->membership.slots);
}

void
lmcc_receiver_clear_layering (LmccReceiver *receiver)
{
  forget (receiver);
}

/* The layer that a group carries in a slot, or LMCC_GROUP_SILENT. */
gint
lmcc_receiver_group_layer (const LmccReceiver *receiver, guint slot,
    guint group)
{
  if (!is_dynamic (receiver))
    return (gint) group;
  if (group >= receiver->membership.layering.n_groups)
    return LMCC_GROUP_SILENT;

  return lmcc_dynamic_layering_get_layer (&receiver->membership.layering, slot,
      group);
}

static void
join_missing (LmccReceiver *receiver, guint slot, gboolean ahead, LmccTime now)
{
  LmccLayerSet layers = receiver->held & ~LMCC_LAYER_SET_BASE;
  guint layer;

  while (lmcc_layer_set_take (&layers, &layer)) {
    guint group =
        lmcc_dynamic_layering_get_group (&receiver->membership.layering, slot,
            layer);

    if (receiver->membership.groups[group].joined)
      continue;
    lmcc_receiver_join (receiver, group, now);
    receiver->membership.groups[group].ahead = ahead;
    receiver->membership.groups[group].slot = slot;
  }
}

static void
leave_others (LmccReceiver *receiver, guint slot, LmccTime now)
{
  guint group;

  for (group = 1; group < LMCC_MAX_GROUPS; group++) {
    if (receiver->membership.groups[group].joined
        && (group >= receiver->membership.layering.n_groups
            || !lmcc_dynamic_layering_is_held (&receiver->membership.layering,
                slot, receiver->level, group)))
      lmcc_receiver_leave (receiver, group, now);
  }
}

/* Joins and leaves groups as slots and level require by now. From the time
 * when the end of a slot is announced until that end, the level is that of
 * the next slot: new joins are for the next slot, and nothing is left. */
void
lmcc_receiver_update_groups (LmccReceiver *receiver, LmccTime now)
{
  gboolean ahead;
  guint slot;

  if (!is_dynamic (receiver) || receiver->level < 0
      || !lmcc_slot_clock_get_slot (receiver->membership.slots, &slot, &ahead))
    return;
  if (slot != receiver->membership.slot) {
    receiver->membership.slot = slot;
    leave_others (receiver, slot, now);
  }
  join_missing (receiver,
      ahead ? (slot + 1) % receiver->session.slot_modulus : slot, ahead, now);
}

static void
enter_layer (LmccReceiver *receiver, guint layer, LmccTime now)
{
  const LmccSession *session = &receiver->session;
  guint64 rate = receiver->reckoned.layers[layer].rate;
  LmccTime left_at = receiver->membership.groups[layer].left_at;

  lmcc_layer_entries_joined (&receiver->membership.entries, layer, now,
      rate > 0 ? session->packet_size * 8 * LMCC_SECOND / rate : 0,
      left_at == 0 || now >= left_at + LMCC_DEFAULT_LEAVE_LATENCY);
}

static void
leave_all_turning (LmccReceiver *receiver, LmccTime now)
{
  guint group;

  for (group = 1; group < LMCC_MAX_GROUPS; group++) {
    if (receiver->membership.groups[group].joined)
      lmcc_receiver_leave (receiver, group, now);
  }
}

/* Joins and leaves groups after the joined layers changed from @from to the
 * receiver's current ones. */
void
lmcc_receiver_change_groups (LmccReceiver *receiver, LmccLayerSet from,
    LmccTime now)
{
  LmccLayerSet left = from & ~receiver->held & ~LMCC_LAYER_SET_BASE;
  LmccLayerSet joined = receiver->held & ~from & ~LMCC_LAYER_SET_BASE;
  LmccLayerSet entered = joined;
  guint i;

  while (lmcc_layer_set_take (&entered, &i))
    enter_layer (receiver, i, now);
  if (is_dynamic (receiver)) {
    if (receiver->level < 0)
      leave_all_turning (receiver, now);
    lmcc_slot_clock_set_level (receiver->membership.slots, receiver->level);
    return;
  }
  while (lmcc_layer_set_take_highest (&left, &i))
    lmcc_receiver_leave (receiver, i, now);
  while (lmcc_layer_set_take (&joined, &i))
    lmcc_receiver_join (receiver, i, now);
}

static void
drop_ends (LmccSlotClock *slots)
{
  LmccSlotEnd end;

  while (lmcc_slot_clock_poll (slots, &end))
    ;
}

/* A packet of a joined layer has arrived: packets since the join that should
 * have arrived before it and have not are missing. */
void
lmcc_receiver_expect_packets (LmccReceiver *receiver, LmccTime now,
    LmccTime arrival, const LmccHeader *header)
{
  LmccLayerExpected expected;

  if (receiver->session.slot == 0
      || !lmcc_layer_entries_packet (&receiver->membership.entries, arrival,
          header, &expected))
    return;
  lmcc_layer_account_expect (receiver->layers[header->layer]->account,
      expected.lsn, expected.since);
  lmcc_receiver_tell_expected (receiver, now, header->layer, expected.lsn,
      expected.since, expected.slot);
}

void
lmcc_receiver_packet_slot (LmccReceiver *receiver, LmccTime arrival,
    const LmccHeader *header)
{
  if (!is_dynamic (receiver))
    return;
  lmcc_slot_clock_packet (receiver->membership.slots, arrival, header);
  drop_ends (receiver->membership.slots);
}

void
lmcc_receiver_handle_slot (LmccReceiver *receiver, LmccTime now)
{
  if (!is_dynamic (receiver))
    return;
  lmcc_slot_clock_timeout (receiver->membership.slots, now);
  drop_ends (receiver->membership.slots);
}

LmccTime
lmcc_receiver_next_slot (const LmccReceiver *receiver)
{
  return is_dynamic (receiver)
      ? lmcc_slot_clock_next_timeout (receiver->membership.slots)
      : LMCC_TIME_NONE;
}

/* A packet of @group arrived. The time allowed for a leave is the last
 * member query time (RFC 3376 section 8.8, 2 s) plus a repetition of a
 * report that got lost. */
void
lmcc_receiver_check_leave (LmccReceiver *receiver, guint group, LmccTime now)
{
  const LmccReceiverGroup *left = &receiver->membership.groups[group];

  if (left->joined || left->left_at == 0
      || now < left->left_at + LMCC_DEFAULT_LEAVE_LATENCY)
    return;
  receiver->stats.unwanted++;
  if (receiver->membership.warned_unwanted)
    return;
  receiver->membership.warned_unwanted = TRUE;
  lmcc_receiver_warn (receiver, LMCC_WARNING_LEAVES,
      N_ ("a group that was left more than 4 s ago still arrives: the network "
          "does not honour leaves, so a lower level does not reduce its load; "
          "enable IGMP or MLD snooping with a querier, and fast leave"));
}

static void
set_join_lead (LmccReceiver *receiver, LmccTime lead, LmccTime now)
{
  lead = MIN (lead, LMCC_SLOT_MAX_LEAD (receiver->session.slot));
  if (lead == receiver->membership.join_lead)
    return;
  receiver->membership.join_lead = lead;
  lmcc_slot_clock_set_lead (receiver->membership.slots, lead);
  lmcc_receiver_tell_join_lead (receiver, now);
}

/* The first packet of @group arrived now. If the group carried a higher
 * layer in the slot that ends, the packet shows how long the join took. If
 * the group was silent in that slot, only a late packet is informative:
 * packets of its layer are missing since the slot began. An estimate that is
 * too long, by one packet interval or because of an unrelated loss, is
 * corrected by later joins: the lead follows a longer join at once and
 * shorter ones slowly. */
void
lmcc_receiver_measure_join (LmccReceiver *receiver, LmccTime now,
    const LmccReceiverGroup *group, const LmccHeader *header,
    gboolean after_gap)
{
  LmccTime lead = receiver->stats.join_to_packet + JOIN_MARGIN;
  gboolean before =
      lmcc_slot_diff (header->slot, group->slot, receiver->session.slot_modulus)
      < 0;

  if (lead >= receiver->membership.join_lead && (before || after_gap))
    set_join_lead (receiver, lead, now);
  else if (before)
    set_join_lead (receiver,
        receiver->membership.join_lead
            - (receiver->membership.join_lead - lead) / JOIN_LEAD_WEIGHT,
        now);
}

/* Leaves and rejoins groups that have been silent for long, because a switch
 * may have lost the membership. The base group falls silent with its sender,
 * too; rejoining costs one report per LMCC_REJOIN_TIMEOUT. */
void
lmcc_receiver_rejoin_silent (LmccReceiver *receiver, LmccTime now)
{
  guint i;

  for (i = 0; i < receiver->membership.groups_end; i++) {
    LmccReceiverGroup *group = &receiver->membership.groups[i];

    if (!group->joined || now < group->last_packet + LMCC_REJOIN_TIMEOUT)
      continue;
    lmcc_receiver_leave (receiver, i, now);
    lmcc_receiver_join (receiver, i, now);
    receiver->stats.rejoins++;
  }
}

LmccTime
lmcc_receiver_next_rejoin (const LmccReceiver *receiver)
{
  LmccTime next = LMCC_TIME_NONE;
  guint i;

  for (i = 0; i < receiver->membership.groups_end; i++) {
    if (receiver->membership.groups[i].joined)
      next = MIN (next,
          receiver->membership.groups[i].last_packet + LMCC_REJOIN_TIMEOUT);
  }

  return next;
}
