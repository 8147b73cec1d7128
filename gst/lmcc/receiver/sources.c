/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Selects the sender. A forged record costs its author nothing, so a record
 * alone never takes over a session. The sender's own address may restart at
 * once. Another address has to wait until the true sender has been silent
 * for long, or has to send what the present sender only announced.
 */
#include "control/controller.h"
#include "receiver/actions.h"
#include "receiver/door.h"
#include "receiver/ending.h"
#include "receiver/private.h"
#include "receiver/pump.h"
#include "receiver/source-and-level.h"
#include "receiver/sources.h"
#include "receiver/times.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* A sender that was replaced is forgotten after this long. */
#define HOME_MEMORY (600 * LMCC_SECOND)

/*
 * lmcc_receiver_init_sources:
 * @receiver: a receiver that starts
 * @now: the time
 *
 * The sender named in an SDP file is the first choice until another one must
 * be used.
 */
void
lmcc_receiver_init_sources (LmccReceiver *receiver, LmccTime now)
{
  LmccReceiverSources *sources = &receiver->sources;

  lmcc_receiver_clear_sources (receiver);
  sources->check_at = LMCC_TIME_NONE;
  if (receiver->sdp_session != NULL
      && receiver->sdp_session->source.family != LMCC_FAMILY_NONE) {
    sources->have_home = TRUE;
    sources->home = receiver->sdp_session->source;
    sources->home_heard = now;
    sources->previous = sources->home;
    sources->check_at = now + LMCC_SOURCE_TAKEOVER;
  }
}

void
lmcc_receiver_clear_sources (LmccReceiver *receiver)
{
  guint i;

  for (i = 0; i < LMCC_MAX_RIVALS; i++)
    g_clear_pointer (&receiver->sources.rivals[i], lmcc_rival_free);
  memset (&receiver->sources, 0, sizeof (receiver->sources));
  receiver->sources.check_at = LMCC_TIME_NONE;
}

static gboolean
home_is_gone (const LmccReceiver *receiver, LmccTime now)
{
  return !receiver->sources.have_home
      || now >= receiver->sources.home_heard + HOME_MEMORY;
}

/*
 * lmcc_receiver_own_packet:
 * @receiver: a receiver
 * @now: the time
 * @group: index of the group that the packet arrived in
 * @header: header element of a packet of the present session
 * @size: size of the packet in bytes
 */
void
lmcc_receiver_own_packet (LmccReceiver *receiver, LmccTime now, guint group,
    const LmccHeader *header, gsize size)
{
  LmccReceiverSources *sources = &receiver->sources;

  if (!lmcc_session_is_evidence (&receiver->session, group))
    return;
  if (!sources->established) {
    lmcc_source_evidence_packet (&sources->evidence, now, header, size);
    if (!lmcc_source_evidence_is_full (&sources->evidence, now,
            LMCC_SOURCE_ESTABLISHED, &receiver->session))
      return;
    sources->established = TRUE;
  }
  if (lmcc_receiver_is_home (receiver, &receiver->source)) {
    sources->home_heard = now;
  } else if (home_is_gone (receiver, now)) {
    sources->have_home = TRUE;
    sources->home = receiver->source;
    sources->home_heard = now;
  }
}

/* Without an algorithm, a session record decides how many groups are joined,
 * without limit. Another host's record may do so only if the user wants no
 * algorithm or has set a limit. */
static gboolean
is_bounded (const LmccReceiver *receiver, const LmccRival *rival)
{
  const LmccAlgorithm *algorithm =
      receiver->any_algorithm ? rival->algorithm : receiver->chosen;

  if ((!receiver->any_algorithm && algorithm == &lmcc_algorithm_none)
      || receiver->config.max_level >= 0 || receiver->config.max_bitrate > 0)
    return TRUE;

  return algorithm != NULL && algorithm != &lmcc_algorithm_none;
}

/* Whether @rival may be accepted at all, now or later. */
static gboolean
is_eligible (LmccReceiver *receiver, const LmccRival *rival, LmccTime now)
{
  if (!lmcc_rival_is_fresh (rival, now) || lmcc_receiver_is_ending (receiver)
      || lmcc_receiver_is_refused (receiver, &rival->address)
      || !lmcc_receiver_source_allowed (receiver, &rival->address))
    return FALSE;
  if (receiver->sources.previous.family == LMCC_FAMILY_NONE
      || lmcc_address_equal (&receiver->sources.previous, &rival->address)
      || lmcc_receiver_is_home (receiver, &rival->address)
      || is_bounded (receiver, rival))
    return TRUE;
  lmcc_receiver_warn (receiver, LMCC_WARNING_UNBOUNDED,
      N_ ("another sender is ignored, because its session has no congestion "
          "control, so that it alone would decide how much is received. To "
          "accept it, set algorithm=none, max-level or max-bitrate"));

  return FALSE;
}

/* How long the sender must be silent before another host is accepted. */
static LmccTime
get_patience (const LmccReceiver *receiver)
{
  return receiver->config.source_policy == LMCC_SOURCE_POLICY_ANY
      ? 0
      : LMCC_SOURCE_TAKEOVER;
}

static LmccTime
get_last_heard (const LmccReceiver *receiver)
{
  return receiver->have_session     ? receiver->last_heard
      : receiver->sources.have_home ? receiver->sources.home_heard
                                    : 0;
}

/* Whether another host may be accepted by now, whichever it is. */
static gboolean
is_time_for_others (const LmccReceiver *receiver, LmccTime now)
{
  if (!receiver->have_session && !receiver->sources.have_home)
    return TRUE;
  if (receiver->have_session && !receiver->source_gone)
    return FALSE;

  return now >= get_last_heard (receiver) + get_patience (receiver);
}

/*
 * lmcc_receiver_may_take_address:
 * @receiver: a receiver
 * @source: a host that sends media
 * @now: the time
 *
 * Returns: whether the receiver may accept @source because of its media
 * alone, in a session described by an SDP file
 */
gboolean
lmcc_receiver_may_take_address (const LmccReceiver *receiver,
    const LmccAddress *source, LmccTime now)
{
  if (lmcc_receiver_is_refused (receiver, source)
      || lmcc_receiver_is_ending (receiver))
    return FALSE;
  if (lmcc_receiver_is_own_address (receiver, source))
    return receiver->source_gone;
  if (lmcc_receiver_is_home (receiver, source)
      && receiver->config.source_policy != LMCC_SOURCE_POLICY_ANY)
    return TRUE;

  return is_time_for_others (receiver, now);
}

/*
 * lmcc_receiver_believes_source:
 * @receiver: a receiver
 * @now: the time
 *
 * Returns: whether the sender has proved to be genuine
 */
gboolean
lmcc_receiver_believes_source (const LmccReceiver *receiver, LmccTime now)
{
  return receiver->sources.established
      || lmcc_receiver_is_home (receiver, &receiver->source)
      || lmcc_source_evidence_is_full (&receiver->sources.evidence, now,
          LMCC_SOURCE_PROOF, &receiver->session);
}

static gboolean
is_full (const LmccRival *rival, LmccTime now)
{
  return lmcc_source_evidence_is_full (&rival->evidence, now,
      2 * LMCC_SOURCE_PROOF, &rival->session);
}

/* A sender that was accepted because of its record has to send what the
 * record announces. Otherwise another host replaces it that does so for
 * twice the time required. If both do, the first one stays; so does the
 * remembered sender, which may just have restarted. */
static gboolean
is_outdone (const LmccReceiver *receiver, const LmccRival *rival, LmccTime now)
{
  return is_full (rival, now) && !lmcc_receiver_believes_source (receiver, now);
}

/* Immediately after a goodbye or a silence. If another host happened to draw
 * the same S0, its media look like those before, but the old record does not
 * come. A host that only forged the record gives way to the media of the
 * true one. */
static gboolean
has_begun_anew (const LmccReceiver *receiver, const LmccRival *rival,
    LmccTime now)
{
  const LmccReceiverSources *sources = &receiver->sources;

  if (receiver->source_gone)
    return TRUE;
  if (rival->session.ssrc_base == receiver->session.ssrc_base)
    return now > sources->record_heard + LMCC_RECORD_MEMORY;

  return !sources->established && is_full (rival, now)
      && !lmcc_source_evidence_is_full (&sources->evidence, now,
          LMCC_SOURCE_PROOF, &receiver->session);
}

/* Why to listen to @rival from now on, or %NULL. */
static const gchar *
find_reason (LmccReceiver *receiver, const LmccRival *rival, LmccTime now)
{
  if (lmcc_receiver_is_own_address (receiver, &rival->address))
    return has_begun_anew (receiver, rival, now)
        ? N_ ("the sender has restarted")
        : NULL;
  if (!receiver->have_session && !receiver->sources.have_home)
    return N_ ("the first sender heard");
  if (lmcc_receiver_is_home (receiver, &rival->address)
      && receiver->config.source_policy != LMCC_SOURCE_POLICY_ANY)
    return N_ ("the session's own sender is heard");
  if (is_time_for_others (receiver, now))
    return N_ (
        "another sender took over: the previous one was silent for long");
  if (receiver->have_session && is_outdone (receiver, rival, now))
    return N_ ("another sender took over: it sends what it announces, and the "
               "previous one did not");

  return NULL;
}

/* Order of preference among acceptable senders: the present address, the
 * remembered sender, a host that sends media, a host that continues the same
 * session. */
static guint
get_rank (const LmccReceiver *receiver, const LmccRival *rival, LmccTime now)
{
  guint rank = 1;

  if (lmcc_receiver_is_own_address (receiver, &rival->address))
    rank += 4;
  if (lmcc_receiver_is_home (receiver, &rival->address))
    rank += 8;
  if (is_full (rival, now))
    rank += 2;
  if (receiver->session.nonce != 0
      && rival->session.nonce == receiver->session.nonce
      && rival->session.ssrc_base == receiver->session.ssrc_base)
    rank++;

  return rank;
}

static void
ask (LmccReceiver *receiver, LmccRival *rival, LmccTime now)
{
  LmccReceiverAction *action;
  guint64 held_back;

  if (receiver->config.source_policy != LMCC_SOURCE_POLICY_ASK
      || !receiver->have_session || rival->asked
      || lmcc_receiver_is_own_address (receiver, &rival->address)
      || !lmcc_message_limit_take (&receiver->sources.asked_limit, now,
          &held_back))
    return;
  rival->asked = TRUE;
  action =
      lmcc_receiver_queue_action (receiver, LMCC_RECEIVER_ACTION_SOURCE_ASKED);
  action->previous = receiver->source;
  action->destination = rival->address;
  action->held_back = held_back;
  action->reason = "another sender is heard";
}

/* The application that was asked already knows. */
static void
tell_beside (LmccReceiver *receiver, LmccRival *rival, LmccTime now)
{
  LmccReceiverAction *action;
  guint64 held_back;

  if (receiver->config.source_policy == LMCC_SOURCE_POLICY_ASK || rival->told
      || !receiver->have_session || receiver->source_gone
      || receiver->last_heard < rival->since + LMCC_SOURCES_BESIDE
      || rival->heard < rival->since + LMCC_SOURCES_BESIDE
      || !lmcc_message_limit_take (&receiver->sources.beside_limit, now,
          &held_back))
    return;
  rival->told = TRUE;
  action =
      lmcc_receiver_queue_action (receiver, LMCC_RECEIVER_ACTION_SOURCE_BESIDE);
  action->previous = receiver->source;
  action->destination = rival->address;
  action->held_back = held_back;
  action->reason = "another sender is heard";
}

static void
plan_check (LmccReceiver *receiver, LmccTime now)
{
  LmccTime at = get_last_heard (receiver) + get_patience (receiver);

  receiver->sources.check_at = at > now ? at : LMCC_TIME_NONE;
}

static void
tell_source (LmccReceiver *receiver, const LmccAddress *previous,
    const gchar *reason, LmccTime now)
{
  LmccReceiverAction *action;
  guint64 held_back;

  if (previous->family == LMCC_FAMILY_NONE
      || lmcc_address_equal (previous, &receiver->source)
      || !lmcc_message_limit_take (&receiver->sources.changed_limit, now,
          &held_back))
    return;
  action = lmcc_receiver_queue_action (receiver,
      LMCC_RECEIVER_ACTION_SOURCE_CHANGED);
  action->previous = *previous;
  action->destination = receiver->source;
  action->held_back = held_back;
  action->reason = reason;
}

/*
 * lmcc_receiver_adopt:
 * @receiver: a receiver
 * @source: address of the new sender
 * @session: its session
 * @reason: why the receiver changes to it, a static string
 * @now: the time
 *
 * Returns: whether @session was accepted
 */
gboolean
lmcc_receiver_adopt (LmccReceiver *receiver, const LmccAddress *source,
    const LmccSession *session, const gchar *reason, LmccTime now)
{
  LmccReceiverSources *sources = &receiver->sources;
  LmccAddress previous = sources->previous;

  if (!lmcc_receiver_admits (receiver, session))
    return FALSE;
  if (receiver->have_session
      && lmcc_receiver_is_home (receiver, &receiver->source))
    sources->home_heard = receiver->last_heard;
  lmcc_receiver_forget_source (receiver, reason, now);
  receiver->source = *source;
  sources->previous = *source;
  sources->established = FALSE;
  sources->evidence.any = FALSE;
  sources->record_heard = now;
  receiver->heard_since = now;
  lmcc_receiver_heard_source (receiver, now);
  receiver->stats.sources++;
  receiver->membership.warned_unwanted = FALSE;
  lmcc_receiver_take_session (receiver, session, now);
  tell_source (receiver, &previous, reason, now);

  return TRUE;
}

static void
take_rival (LmccReceiver *receiver, LmccRival **place, const gchar *reason,
    LmccTime now)
{
  LmccRival *taken = g_steal_pointer (place);

  if (lmcc_receiver_adopt (receiver, &taken->address, &taken->session, reason,
          now)) {
    /* The evidence for it stays valid. */
    receiver->sources.evidence = taken->evidence;
    lmcc_receiver_take_reports (receiver, &taken->reports, taken->heard);
  }
  lmcc_rival_free (taken);
}

/*
 * lmcc_receiver_choose_source:
 * @receiver: a receiver
 * @now: the time
 *
 * Changes to another sender if one is due. Call it when a record has arrived
 * and when time has passed.
 *
 * Returns: whether the sender changed
 */
gboolean
lmcc_receiver_choose_source (LmccReceiver *receiver, LmccTime now)
{
  LmccRival **best = NULL;
  const gchar *reason = NULL;
  guint i, best_rank = 0;

  if (!receiver->running)
    return FALSE;
  for (i = 0; i < LMCC_MAX_RIVALS; i++) {
    LmccRival *rival = receiver->sources.rivals[i];
    const gchar *why;
    guint rank;

    if (rival == NULL || !lmcc_rival_is_fresh (rival, now))
      continue;
    why = find_reason (receiver, rival, now);
    if (why == NULL) {
      ask (receiver, rival, now);
      tell_beside (receiver, rival, now);
    }
    rank = get_rank (receiver, rival, now);
    if (why == NULL || rank <= best_rank || !is_eligible (receiver, rival, now))
      continue;
    best = &receiver->sources.rivals[i];
    best_rank = rank;
    reason = why;
  }
  if (best != NULL)
    take_rival (receiver, best, reason, now);
  plan_check (receiver, now);

  return best != NULL;
}

/*
 * lmcc_receiver_rival_packet:
 * @receiver: a receiver
 * @now: the time
 * @group: index of the group that the packet arrived in
 * @source: source address of the packet
 * @packet: the packet
 *
 * Media of another host, or of another session of the same host, count as
 * evidence for it if they match the record that it sends.
 */
void
lmcc_receiver_rival_packet (LmccReceiver *receiver, LmccTime now, guint group,
    const LmccAddress *source, const LmccPacket *packet)
{
  LmccRival *rival = lmcc_receiver_find_rival (receiver, source);
  LmccHeader header;
  LmccRtp rtp;

  if (rival == NULL || !lmcc_rival_is_fresh (rival, now)
      || !lmcc_session_is_evidence (&rival->session, group)
      || packet->size > LMCC_MAX_PACKET_SIZE
      || !lmcc_rtp_parse (packet->data, packet->size, rival->session.header_id,
          &rtp)
      || rtp.element == NULL
      || !lmcc_header_parse (rtp.element, rtp.element_size, &header)
      || !lmcc_receiver_packet_fits (&rival->session, &rtp, &header))
    return;
  lmcc_source_evidence_packet (&rival->evidence, now, &header, packet->size);
  if (!receiver->sources.established)
    lmcc_receiver_choose_source (receiver, now);
}

void
lmcc_receiver_source_is_gone (LmccReceiver *receiver, const gchar *reason,
    LmccTime now)
{
  receiver->source_gone = TRUE;
  if (!lmcc_receiver_choose_source (receiver, now)
      && !lmcc_receiver_is_ending (receiver))
    lmcc_receiver_post_waiting (receiver, reason, now);
}

static void
refuse_address (LmccReceiver *receiver, const LmccAddress *source)
{
  LmccReceiverSources *sources = &receiver->sources;

  if (!lmcc_receiver_is_refused (receiver, source))
    sources->refused[sources->n_refused++ % LMCC_MAX_REFUSED] = *source;
  if (lmcc_receiver_is_home (receiver, source))
    sources->have_home = FALSE;
}

/*
 * lmcc_receiver_give_up_source:
 * @receiver: a receiver with a session
 * @reason: the reason, a static string
 * @now: the time
 *
 * Forgets the sender. It may return, or another one may follow.
 */
void
lmcc_receiver_give_up_source (LmccReceiver *receiver, const gchar *reason,
    LmccTime now)
{
  lmcc_receiver_forget_source (receiver, reason, now);
  if (!lmcc_receiver_choose_source (receiver, now))
    lmcc_receiver_post_waiting (receiver, reason, now);
}

/**
 * lmcc_receiver_answer_source:
 * @receiver: a receiver
 * @source: a sender's address
 * @take: %TRUE: listen to it from now on; %FALSE: never listen to it
 * @now: the time
 *
 * The user's answer to %LMCC_RECEIVER_ACTION_SOURCE_ASKED; it may also be given
 * unasked. A sender accepted this way becomes the remembered one.
 *
 * Returns: whether the receiver now listens to @source
 */
gboolean
lmcc_receiver_answer_source (LmccReceiver *receiver, const LmccAddress *source,
    gboolean take, LmccTime now)
{
  LmccReceiverSources *sources = &receiver->sources;
  guint i;

  if (!receiver->running)
    return FALSE;
  if (!take) {
    refuse_address (receiver, source);
    if (lmcc_receiver_is_own_address (receiver, source))
      lmcc_receiver_give_up_source (receiver,
          N_ ("the user refused the sender"), now);
    return FALSE;
  }
  for (i = 0; i < LMCC_MAX_REFUSED; i++) {
    if (lmcc_address_equal (&sources->refused[i], source))
      sources->refused[i].family = LMCC_FAMILY_NONE;
  }
  sources->have_home = TRUE;
  sources->home = *source;
  sources->home_heard = now;
  lmcc_receiver_choose_source (receiver, now);
  lmcc_receiver_pump (receiver, now);

  return lmcc_receiver_is_own_address (receiver, source);
}
