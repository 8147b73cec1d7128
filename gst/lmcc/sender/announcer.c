/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sender/announcer.h"

#include <gst/lmcc/lmcc-sdp.h>
#include "wire/constants.h"
#include "wire/levels.h"
#include "wire/session-internal.h"

#include <string.h>

/* Interval between the repetitions. */
#define RECORD_REPEAT_INTERVAL (20 * LMCC_MSECOND)

/* RFC 3550 section 6.2: control traffic is 1/20 of the session's. */
#define CONTROL_SHARE 20

/* The record precedes a key frame by this time, so that a receiver that
 * learns of the session from it has joined the layers above the base layer
 * when the key frame arrives. On the loopback interface that took 41 ms. */
#define KEY_LEAD (60 * LMCC_MSECOND)

/* A record sent at most this long before a key frame counts as the one that
 * precedes it. */
#define KEY_LEAD_MAX (2 * KEY_LEAD)

/*
 * lmcc_announcer_get_rtp_time:
 * @announcer: an announcer
 * @session: the session of @announcer
 * @stream: a rung or the sound, for the clock rate
 * @time: a time on the sender's clock
 *
 * Rounds to the nearest unit, so that presentation times that were rounded down
 * to nanoseconds yield the encoder's own ticks again. The product of the
 * seconds may wrap, as the timestamp does.
 *
 * Returns: the RTP timestamp of @time
 */
guint32
lmcc_announcer_get_rtp_time (const LmccAnnouncer *announcer,
    const LmccSession *session, guint stream, LmccTime time)
{
  guint32 clock_rate = stream == LMCC_STREAM_SOUND ? session->sound.clock_rate
                                                   : session->video.clock_rate;
  guint64 whole = time / LMCC_SECOND * clock_rate;
  guint64 rest =
      (time % LMCC_SECOND * clock_rate + LMCC_SECOND / 2) / LMCC_SECOND;

  return (guint32) (announcer->rtp_offset + whole + rest);
}

static void
fill_reports (LmccAnnouncer *announcer, const LmccSession *session,
    LmccTime now)
{
  LmccTime ntp_time = announcer->ntp_offset + now;
  guint64 fraction = ((ntp_time % LMCC_SECOND) << 32) / LMCC_SECOND;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (announcer->reports); i++) {
    guint stream = i == 0 ? 0 : LMCC_STREAM_SOUND;
    LmccSenderReport *report = &announcer->reports[i];

    report->ssrc = lmcc_session_ssrc (session, stream,
        i == 0 ? lmcc_session_lowest_layer (session) : 0);
    report->ntp_time = (ntp_time / LMCC_SECOND) << 32 | fraction;
    report->rtp_time =
        lmcc_announcer_get_rtp_time (announcer, session, stream, now);
  }
}

/*
 * lmcc_announcer_changed:
 * @announcer: an announcer
 * @now: the time
 *
 * The layer table has changed: the record is due now and is repeated.
 */
void
lmcc_announcer_changed (LmccAnnouncer *announcer, LmccTime now)
{
  announcer->repeats = LMCC_RECORD_REPEATS;
  announcer->repeat = now;
}

/* Records at this interval take their share of the lowest level's rate. */
static LmccTime
least_interval (const LmccAnnouncer *announcer, const LmccSession *session)
{
  guint64 rate = lmcc_session_level_rate (session, 0);
  guint64 bits = (guint64) announcer->size * 8 * CONTROL_SHARE;

  if (rate == 0)
    return LMCC_RECORD_INTERVAL_MAX;

  return MIN ((bits * LMCC_SECOND + rate - 1) / rate, LMCC_RECORD_INTERVAL_MAX);
}

/*
 * lmcc_announcer_expect_key:
 * @announcer: an announcer
 * @time: when a key frame of the lowest rung is sent
 * @distance: expected distance of further key frames, ns; 0 if unknown
 *
 * A receiver that knows only the address cannot use packets before the
 * record arrives. Therefore a record precedes each key frame: the next
 * regular one, or an additional one if the base layer's share for control
 * packets has room.
 */
void
lmcc_announcer_expect_key (LmccAnnouncer *announcer, LmccTime time,
    LmccTime distance)
{
  announcer->key = time;
  announcer->key_distance = distance;
}

/* When a record may be sent ahead of a key frame that none precedes yet, or
 * %LMCC_TIME_NONE. */
static LmccTime
find_ahead (const LmccAnnouncer *announcer, LmccTime least)
{
  LmccTime earliest = announcer->sent + MAX (least, KEY_LEAD_MAX);
  LmccTime key = announcer->key, distance = announcer->key_distance;

  if (key == 0 || (key < earliest && distance == 0))
    return LMCC_TIME_NONE;
  if (key < earliest)
    key += (earliest - key + distance - 1) / distance * distance;

  return MAX (key - MIN (key, KEY_LEAD), announcer->sent + least);
}

/*
 * lmcc_announcer_next:
 * @announcer: an announcer
 * @session: the session of @announcer
 *
 * Returns: when the next record is due
 */
LmccTime
lmcc_announcer_next (const LmccAnnouncer *announcer, const LmccSession *session)
{
  LmccTime least = least_interval (announcer, session);
  LmccTime interval = MAX (least, LMCC_RECORD_INTERVAL);
  LmccTime regular = announcer->sent + interval, ahead, latest;

  if (announcer->repeats > 0)
    return announcer->repeat;

  ahead = find_ahead (announcer, least);
  if (interval == LMCC_RECORD_INTERVAL)
    return MIN (regular, ahead);

  /* The few records of a slow base layer should all precede key frames. */
  latest = announcer->sent + MIN (2 * interval, LMCC_RECORD_INTERVAL_MAX);

  return ahead <= latest ? ahead : regular;
}

/*
 * lmcc_announcer_expect:
 * @announcer: an announcer
 * @session: the session of @announcer
 * @duration: a duration from now on, ns
 * @now: the time
 *
 * The record ahead of a key frame is the last one of a group of pictures, and
 * the regular interval restarts with it, so the number of records does not
 * grow.
 *
 * Returns: upper bound of the size of the records in this duration, in bytes
 * of IP packets
 */
gsize
lmcc_announcer_expect (const LmccAnnouncer *announcer,
    const LmccSession *session, LmccTime duration, LmccTime now)
{
  LmccTime least = least_interval (announcer, session);
  LmccTime interval = MAX (least, LMCC_RECORD_INTERVAL);
  guint64 n = (now + duration - MIN (now, announcer->sent)) / interval;

  /* There may be one more record ahead of a key frame. */
  if (least < interval)
    n++;
  n = MIN (n, duration / interval + 1);

  return announcer->size * (n + announcer->repeats);
}

/*
 * lmcc_announcer_send:
 * @announcer: an announcer
 * @session: the session of @announcer
 * @packet_overhead: size of the IP and UDP headers in bytes
 * @now: the time
 *
 * Returns: (transfer full) (element-type LmccPacket): the record as compound
 * packets, one per fragment; the caller owns them
 */
GPtrArray *
lmcc_announcer_send (LmccAnnouncer *announcer, const LmccSession *session,
    gsize packet_overhead, LmccTime now)
{
  g_autofree gchar *text = lmcc_sdp_format (session, LMCC_SDP_RECORD);
  GPtrArray *packets = g_ptr_array_new ();
  gsize size = strlen (text);
  LmccRecordFragment fragment = { 0 };

  if (announcer->repeats > 0) {
    announcer->repeats--;
    announcer->repeat = now + RECORD_REPEAT_INTERVAL;
  }
  announcer->sent = now;
  announcer->size = 0;
  fill_reports (announcer, session, now);

  fragment.ssrc = session->ssrc_base;
  fragment.version = (guint16) session->revision;
  fragment.count = (guint8) MIN (LMCC_RTCP_MAX_FRAGMENTS,
      (size + LMCC_RTCP_FRAGMENT_SIZE - 1) / LMCC_RTCP_FRAGMENT_SIZE);
  for (; fragment.index < fragment.count; fragment.index++) {
    gsize at = (gsize) fragment.index * LMCC_RTCP_FRAGMENT_SIZE;
    LmccPacket *packet;

    fragment.data = (const guint8 *) text + at;
    fragment.size = MIN (size - at, LMCC_RTCP_FRAGMENT_SIZE);
    packet = lmcc_rtcp_build (announcer->reports,
        lmcc_session_has_sound (session) ? 2 : 1, announcer->cname, &fragment);
    announcer->size += packet->size + packet_overhead;
    g_ptr_array_add (packets, packet);
  }

  return packets;
}

/*
 * lmcc_announcer_bye:
 * @announcer: an announcer
 * @session: the session of @announcer
 * @now: the time
 *
 * Returns: (transfer full): the compound packet that ends the session
 */
LmccPacket *
lmcc_announcer_bye (LmccAnnouncer *announcer, const LmccSession *session,
    LmccTime now)
{
  fill_reports (announcer, session, now);

  return lmcc_rtcp_build_bye (&announcer->reports[0], announcer->cname);
}

/*
 * lmcc_announcer_count:
 * @announcer: an announcer
 * @stream: stream of a media packet that was sent
 * @layer: its layer
 * @payload_size: size of its payload in bytes
 */
void
lmcc_announcer_count (LmccAnnouncer *announcer, guint stream, guint layer,
    gsize payload_size)
{
  LmccSenderReport *report = &announcer->reports[stream != 0];

  if (layer != (report->ssrc & LMCC_SSRC_LAYER_MASK)
      || (stream != 0 && stream != LMCC_STREAM_SOUND))
    return;
  report->packets++;
  report->octets += (guint32) payload_size;
}
