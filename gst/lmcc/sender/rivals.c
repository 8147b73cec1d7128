/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Detects other senders on a session's groups by the RTCP and media packets
 * that arrive there. Only senders send such packets, because receivers'
 * reports go to the sender's own address. Sessions are distinguished by SSRC
 * and not by address: two senders may run on one host, and a network may
 * return packets to their sender, even with another address.
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

/* A free entry, or that of the sender heard longest ago. */
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

/* A sender that ends its session no longer counts. */
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

/* Whether the user must be informed. */
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
 * @rivals: the senders heard so far
 * @own_ssrc: an SSRC of the user's own session
 * @now: the time, which does not go back from call to call
 * @source: the datagram's source address
 * @data: one UDP payload from the RTCP port of one of the session's groups
 * @size: its length in bytes
 *
 * Packets that are not RTCP, or belong to the own session, are ignored.
 *
 * Returns: whether to inform the user that @source also sends to the
 * session's groups: once per other session, as long as it is heard
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
 * @rivals: this and the other parameters as in lmcc_sender_rivals_take()
 * @own_ssrc: an SSRC of the user's own session
 * @now: the time
 * @source: the datagram's source address
 * @data: one UDP payload from the media port of one of the session's groups
 * @size: its length in bytes
 *
 * Packets that are not RTP, or belong to the own session, are ignored.
 *
 * Returns: whether to inform the user
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
 * @now: the time, which may be on another clock than in other calls, but does
 *     not go back from one call of this function to the next
 * @source: the datagram's source address
 * @data: one UDP payload from the RTCP port (the session's port + 1) of one of
 *     the session's groups
 * @size: its length in bytes
 *
 * For a caller that listens to the groups that it sends to. The payload may be
 * any, including the sender's own packets. The function queues no actions.
 *
 * Returns: whether to inform the user that @source, which may be this host,
 * also sends to the session's groups: once per other sender, as long as it is
 * heard, and at most once in 10 s
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
 * @now: this and the other parameters as in lmcc_sender_take_group_control()
 * @source: the datagram's source address
 * @data: one UDP payload from the media port of one of the session's groups
 * @size: its length in bytes
 *
 * A session that started earlier at a lower address has its RTCP in a group
 * that this sender does not use, but its media reach this session's base group.
 * The function queues no actions.
 *
 * Returns: whether to inform the user that @source also sends to the session's
 * groups
 */
gboolean
lmcc_sender_take_group_media (LmccSender *sender, LmccTime now,
    const LmccAddress *source, const guint8 *data, gsize size)
{
  return !sender->stopped && source->family != LMCC_FAMILY_NONE
      && lmcc_sender_rivals_take_media (&sender->rivals,
          sender->session.ssrc_base, now, source, data, size);
}
