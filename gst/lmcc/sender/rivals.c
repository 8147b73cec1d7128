/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Who else sends to a session's groups, by the RTCP and media that come there.
 * Only senders send these: receivers' reports go to the sender's own address. A
 * session is told by its SSRC, and not by its address: two senders may run on
 * one host, and a network that brings packets back to who sent them, or by
 * another address, is no other sender.
 */
#include "sender/rivals.h"

#include "sender/private.h"
#include "wire/layer-header.h"
#include "wire/rtcp.h"
#include "wire/rtp.h"

typedef struct
{
  LmccSenderRivals *rivals;
  guint32 own_ssrc;
  LmccTime now;
  const LmccAddress *source;
  LmccSenderRival *heard;
} Hearing;

static gboolean
is_free (const LmccSenderRival *rival, LmccTime now)
{
  return rival->address.family == LMCC_FAMILY_NONE
      || now >= rival->latest + LMCC_SENDER_RIVAL_MEMORY;
}

static LmccSenderRival *
find (LmccSenderRivals *rivals, const LmccAddress *source, guint32 ssrc_base,
    LmccTime now)
{
  guint i;

  for (i = 0; i < LMCC_SENDER_MAX_RIVALS; i++) {
    LmccSenderRival *rival = &rivals->rivals[i];

    if (!is_free (rival, now) && rival->ssrc_base == ssrc_base
        && lmcc_address_equal (&rival->address, source))
      return rival;
  }

  return NULL;
}

/* A free one, or that of the sender that was heard longest ago. */
static LmccSenderRival *
find_place (LmccSenderRivals *rivals, LmccTime now)
{
  LmccSenderRival *oldest = &rivals->rivals[0];
  guint i;

  for (i = 0; i < LMCC_SENDER_MAX_RIVALS; i++) {
    LmccSenderRival *rival = &rivals->rivals[i];

    if (is_free (rival, now))
      return rival;
    if (rival->latest < oldest->latest)
      oldest = rival;
  }

  return oldest;
}

static void
hear (Hearing *hearing, guint32 ssrc)
{
  guint32 ssrc_base = ssrc & LMCC_SSRC_BASE_MASK;
  LmccSenderRival *rival;

  if (ssrc_base == (hearing->own_ssrc & LMCC_SSRC_BASE_MASK))
    return;
  rival = find (hearing->rivals, hearing->source, ssrc_base, hearing->now);
  if (rival == NULL) {
    rival = find_place (hearing->rivals, hearing->now);
    *rival = (LmccSenderRival){
      .address = *hearing->source,
      .ssrc_base = ssrc_base,
      .first = hearing->now,
    };
  }
  rival->latest = hearing->now;
  hearing->heard = rival;
}

static void
hear_report (gpointer user_data, const LmccSenderReport *report)
{
  hear (user_data, report->ssrc);
}

static void
hear_record (gpointer user_data, const LmccRecordFragment *fragment)
{
  hear (user_data, fragment->ssrc);
}

/* A sender that makes way is none. */
static void
hear_bye (gpointer user_data, guint32 ssrc)
{
  Hearing *hearing = user_data;
  LmccSenderRival *rival = find (hearing->rivals, hearing->source,
      ssrc & LMCC_SSRC_BASE_MASK, hearing->now);

  if (rival != NULL)
    *rival = (LmccSenderRival){ 0 };
  hearing->heard = NULL;
}

static gboolean
is_to_be_told (const LmccSenderRivals *rivals, const LmccSenderRival *rival,
    LmccTime now)
{
  return !rival->told && now >= rival->first + LMCC_SENDER_RIVAL_PROOF
      && (!rivals->any_told
          || now >= rivals->latest_told + LMCC_SENDER_RIVAL_INTERVAL);
}

/* Then the user is told. */
static gboolean
is_news (Hearing *hearing)
{
  LmccSenderRivals *rivals = hearing->rivals;

  if (hearing->heard == NULL
      || !is_to_be_told (rivals, hearing->heard, hearing->now))
    return FALSE;
  hearing->heard->told = TRUE;
  rivals->any_told = TRUE;
  rivals->latest_told = hearing->now;

  return TRUE;
}

/*
 * lmcc_sender_rivals_take:
 * @rivals: what was heard so far
 * @own_ssrc: of the session that the others are rivals of
 * @now: the time, which does not go backwards from call to call
 * @source: who sent it
 * @data: one UDP payload from the port of RTCP of one of the session's groups
 * @size: its length
 *
 * What is not RTCP, or is of the session itself, is passed over.
 *
 * Returns: whether the user is to be told that @source sends to the session's
 *     groups, too: once for each other session, as long as it is heard
 */
gboolean
lmcc_sender_rivals_take (LmccSenderRivals *rivals, guint32 own_ssrc,
    LmccTime now, const LmccAddress *source, const guint8 *data, gsize size)
{
  static const LmccRtcpHandler handler = {
    .sender_report = hear_report,
    .record = hear_record,
    .bye = hear_bye,
  };
  Hearing hearing = { rivals, own_ssrc, now, source, NULL };

  return source->family != LMCC_FAMILY_NONE
      && lmcc_rtcp_parse (data, size, &handler, &hearing) && is_news (&hearing);
}

/*
 * lmcc_sender_rivals_take_media:
 * @rivals: as lmcc_sender_rivals_take() has them, and so are the others
 * @own_ssrc: of the session
 * @now: the time
 * @source: who sent it
 * @data: one UDP payload from the port of media of one of the session's groups
 * @size: its length
 *
 * What is not RTP, or is of the session itself, is passed over.
 *
 * Returns: whether the user is to be told
 */
gboolean
lmcc_sender_rivals_take_media (LmccSenderRivals *rivals, guint32 own_ssrc,
    LmccTime now, const LmccAddress *source, const guint8 *data, gsize size)
{
  Hearing hearing = { rivals, own_ssrc, now, source, NULL };
  LmccRtp rtp;

  if (!lmcc_rtp_parse (data, size, LMCC_HEADER_DEFAULT_ID, &rtp))
    return FALSE;
  hear (&hearing, rtp.ssrc);

  return is_news (&hearing);
}

/**
 * lmcc_sender_take_group_control:
 * @sender: a sender
 * @now: the time, which need not be that of other calls, but does not go
 *     backwards from one call of this function to the next
 * @source: who sent it
 * @data: one UDP payload from the port of RTCP, the session's port + 1, of one
 *     of the session's groups
 * @size: its length
 *
 * For a caller that listens to the groups that it sends to. Its own packets
 * may be among what comes, and so may anything else. It queues no actions.
 *
 * Returns: whether the user is to be told that @source, which may be this host,
 *     sends to the session's groups, too: once for each other sender, as long
 *     as it is heard, and once in 10 s
 */
gboolean
lmcc_sender_take_group_control (LmccSender *sender, LmccTime now,
    const LmccAddress *source, const guint8 *data, gsize size)
{
  return !sender->stopped
      && lmcc_sender_rivals_take (&sender->rivals, sender->session.ssrc_base,
          now, source, data, size);
}

/**
 * lmcc_sender_take_group_media:
 * @sender: a sender
 * @now: as lmcc_sender_take_group_control() has it, and so are the others
 * @source: who sent it
 * @data: one UDP payload from the port of media of one of the session's groups
 * @size: its length
 *
 * A session that began before this one, at a lower address, has its RTCP in a
 * group that this one does not send to: its media come to this one's base. It
 * queues no actions.
 *
 * Returns: whether the user is to be told that @source sends to the session's
 *     groups, too
 */
gboolean
lmcc_sender_take_group_media (LmccSender *sender, LmccTime now,
    const LmccAddress *source, const guint8 *data, gsize size)
{
  return !sender->stopped && source->family != LMCC_FAMILY_NONE
      && lmcc_sender_rivals_take_media (&sender->rivals,
          sender->session.ssrc_base, now, source, data, size);
}
