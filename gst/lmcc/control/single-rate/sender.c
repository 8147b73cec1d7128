/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/single-rate/sender.h"

#include "measure/report-limit.h"

#include <math.h>
#include <string.h>

/* RFC 5348 section 4.3: a sender with little to send gets at most twice the
 * rate that it sends. During a stall that rate would stay near zero for
 * ever, so this many packets are permitted. */
#define USED_FACTOR 2
#define LEAST_PACKETS 4

/* A sender that was unable to run for longer than this continues from the
 * present. */
#define CATCH_UP_MAX (20 * LMCC_MSECOND)

/* Time constants of the estimate: an encoder that sends too much fills a
 * queue, one that sends too little only has lower quality. A rate that does
 * not come from a window is already smooth. */
#define RISE_TIME (500 * LMCC_MSECOND)
#define FALL_TIME (150 * LMCC_MSECOND)

/* Weight of a packet's size in the mean. */
#define SIZE_WEIGHT 0.02

/* Late data should be sent within this time, using at most this share of the
 * rate. */
#define DRAIN_TIME (500 * LMCC_MSECOND)
#define DRAIN_SHARE 0.5

/* Records and answers take at most 5 %. */
#define MEDIA_SHARE 0.95

/*
 * lmcc_single_rate_init:
 * @single: (out): runs the session's algorithm if it is of this kind
 * @klass: (nullable): class of that algorithm
 * @session: provides packet size and R_max
 * @overhead: bytes of an IP packet that are not media
 * @hysteresis: c of pgmcc; 0: the paper's
 * @now: the time
 */
void
lmcc_single_rate_init (LmccSingleRate *single, const LmccRateSetterClass *klass,
    const LmccSession *session, gsize overhead, gdouble hysteresis,
    LmccTime now)
{
  memset (single, 0, sizeof (*single));
  single->packet_size = session->packet_size;
  single->overhead = overhead;
  lmcc_ewma_init (&single->mean_size, SIZE_WEIGHT);
  single->estimated = now;
  single->klass = klass;
  if (klass != NULL)
    single->machine = klass->create (session, hysteresis, now);
}

void
lmcc_single_rate_clear (LmccSingleRate *single)
{
  if (single->klass != NULL)
    single->klass->free (single->machine);
  single->klass = NULL;
}

/*
 * lmcc_single_rate_is_used:
 * @single: state of any session
 *
 * Returns: whether the network sets the base layer's rate
 */
gboolean
lmcc_single_rate_is_used (const LmccSingleRate *single)
{
  return single->klass != NULL;
}

/*
 * lmcc_single_rate_follows_use:
 * @single: state of any session
 *
 * Returns: whether the base layer's rate grows only with the rate sent
 */
gboolean
lmcc_single_rate_follows_use (const LmccSingleRate *single)
{
  return single->klass != NULL && single->klass->set_max_rate != NULL;
}

/*
 * lmcc_single_rate_next_packet:
 * @single: state of a session whose base layer has a single rate
 *
 * Returns: earliest time of the next packet: 0 for any time,
 * %LMCC_TIME_NONE: not before a report or a timeout
 */
LmccTime
lmcc_single_rate_next_packet (const LmccSingleRate *single)
{
  if (single->klass->may_send != NULL)
    return single->klass->may_send (single->machine) ? 0 : LMCC_TIME_NONE;

  return single->last
      + (LmccTime) ((gdouble) single->last_size * 8 * LMCC_SECOND
          / lmcc_single_rate_get_rate (single));
}

/*
 * lmcc_single_rate_write_element:
 * @single: state of a session whose base layer has a single rate
 * @now: the time, at which a packet is sent
 * @lsn: its layer sequence number
 * @data: (out): its second element
 *
 * Returns: size of the element in bytes
 */
gsize
lmcc_single_rate_write_element (LmccSingleRate *single, LmccTime now,
    guint16 lsn, guint8 data[LMCC_SECOND_ELEMENT_MAX_SIZE])
{
  single->klass->write_element (single->machine, now, lsn, data);

  return single->klass->element_size;
}

static gdouble
get_packet_size (const LmccSingleRate *single)
{
  return single->mean_size.started ? single->mean_size.value
                                   : single->packet_size;
}

/*
 * lmcc_single_rate_get_rate:
 * @single: state of a session whose base layer has a single rate
 *
 * Returns: the rate that the network allows, in bit/s of IP packets; 0: not
 * known yet
 */
gdouble
lmcc_single_rate_get_rate (const LmccSingleRate *single)
{
  return single->klass->get_rate (single->machine, get_packet_size (single));
}

/* The part of the rate that is available to media. */
static gdouble
get_media_rate (LmccSingleRate *single, LmccTime now)
{
  gdouble rate = lmcc_single_rate_get_rate (single);
  gdouble used = lmcc_receive_rate_get (&single->sent, now);
  gdouble least = 8.0 * LEAST_PACKETS * single->packet_size;

  rate = MIN (rate, MAX (USED_FACTOR * used, least));
  rate -= MIN (rate * DRAIN_SHARE,
      (gdouble) single->excess * 8 * LMCC_SECOND / DRAIN_TIME);

  return rate * MEDIA_SHARE
      * (1 - MIN ((gdouble) single->overhead / get_packet_size (single), 0.5));
}

static void
follow_rate (LmccSingleRate *single, LmccTime now)
{
  gdouble rate = get_media_rate (single, now);
  gboolean rises = rate > single->estimate && single->klass->may_send != NULL;
  LmccTime time = rises ? RISE_TIME : FALL_TIME;
  LmccTime passed = now > single->estimated ? now - single->estimated : 0;

  single->estimated = now;
  if (single->estimate <= 0)
    single->estimate = rate;
  else
    single->estimate += (rate - single->estimate)
        * (1 - exp (-(gdouble) passed / (gdouble) time));
}

/*
 * lmcc_single_rate_sent:
 * @single: state of a session whose base layer has a single rate
 * @now: the time
 * @size: size of the IP packet that was sent, in bytes
 */
void
lmcc_single_rate_sent (LmccSingleRate *single, LmccTime now, gsize size)
{
  gdouble used;

  if (single->klass->may_send == NULL)
    single->last = CLAMP (lmcc_single_rate_next_packet (single),
        now - MIN (now, CATCH_UP_MAX), now);
  single->last_size = size;
  lmcc_ewma_add (&single->mean_size, (gdouble) size);
  lmcc_receive_rate_add (&single->sent, now, size);
  used = lmcc_receive_rate_get (&single->sent, now);
  if (single->klass->set_max_rate != NULL)
    single->klass->set_max_rate (single->machine,
        MAX (USED_FACTOR * used, 8.0 * LEAST_PACKETS * single->packet_size));
  follow_rate (single, now);
}

/*
 * lmcc_single_rate_get_leader:
 * @single: state of a session whose base layer has a single rate
 * @ssrc: (out): SSRC of the acker or of the current limiting receiver
 *
 * Returns: %FALSE if there is none
 */
gboolean
lmcc_single_rate_get_leader (const LmccSingleRate *single, guint32 *ssrc)
{
  return single->klass->get_leader (single->machine, ssrc);
}

/*
 * lmcc_single_rate_get_rtt:
 * @single: state of a session whose base layer has a single rate
 *
 * Returns: pgmcc: the ackers' round-trip time; TFMCC: R_max; 0: not known
 * yet
 */
LmccTime
lmcc_single_rate_get_rtt (const LmccSingleRate *single)
{
  return single->klass->get_rtt (single->machine);
}

/*
 * lmcc_single_rate_get_stats:
 * @single: state of a session whose base layer has a single rate
 * @stats: (inout): gets the algorithm's own counters
 */
void
lmcc_single_rate_get_stats (const LmccSingleRate *single,
    LmccSingleRateStats *stats)
{
  single->klass->get_stats (single->machine, stats);
}

static gboolean
is_at (const LmccLeader *leader, const LmccAddress *source, guint16 port)
{
  return leader->port == port && lmcc_address_equal (&leader->address, source);
}

/*
 * lmcc_single_rate_comes_from_leader:
 * @single: state of a session whose base layer has a single rate
 * @source: source address of a datagram
 * @port: its source port
 *
 * Returns: whether reports of the receiver that sets the rate come from
 * there, or reports of the previous one, which may still be under way
 */
gboolean
lmcc_single_rate_comes_from_leader (const LmccSingleRate *single,
    const LmccAddress *source, guint16 port)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (single->leaders); i++) {
    if (single->leaders[i].exists && is_at (&single->leaders[i], source, port))
      return TRUE;
  }

  return FALSE;
}

/* Whether a report with a leader's SSRC comes from another place than the
 * leader's own reports. */
static gboolean
is_foreign (const LmccSingleRate *single, guint32 ssrc,
    const LmccAddress *source, guint16 port)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (single->leaders); i++) {
    const LmccLeader *leader = &single->leaders[i];

    if (leader->exists && leader->ssrc == ssrc)
      return !is_at (leader, source, port);
  }

  return FALSE;
}

/* Only the receiver that reports now can have become the leader. */
static void
follow_leader (LmccSingleRate *single, const LmccAddress *source, guint16 port)
{
  LmccLeader leader = { .address = *source, .port = port };

  leader.exists = lmcc_single_rate_get_leader (single, &leader.ssrc);
  if (!leader.exists)
    memset (single->leaders, 0, sizeof (single->leaders));
  if (!leader.exists
      || (single->leaders[0].exists && single->leaders[0].ssrc == leader.ssrc))
    return;
  single->leaders[1] = single->leaders[0];
  single->leaders[0] = leader;
}

static void
forget_leaders_if_gone (LmccSingleRate *single)
{
  guint32 ssrc;

  if (!lmcc_single_rate_get_leader (single, &ssrc))
    memset (single->leaders, 0, sizeof (single->leaders));
}

/*
 * lmcc_single_rate_take_report:
 * @single: state of a session whose base layer has a single rate
 * @now: the time
 * @send_clock: the send time that a packet would carry now
 * @ssrc_base: S0 of the session
 * @source: source address of the datagram
 * @port: its source port
 * @data: a UDP payload
 * @size: its length in bytes
 *
 * Returns: %FALSE if it is no report of this session's algorithm
 */
gboolean
lmcc_single_rate_take_report (LmccSingleRate *single, LmccTime now,
    guint32 send_clock, guint32 ssrc_base, const LmccAddress *source,
    guint16 port, const guint8 *data, gsize size)
{
  guint32 ssrc, base, leader;

  if (!single->klass->identify_report (data, size, &ssrc, &base)
      || base != ssrc_base)
    return FALSE;
  if (is_foreign (single, ssrc, source, port)) {
    single->foreign++;
    return TRUE;
  }
  if (lmcc_single_rate_get_leader (single, &leader) && leader == ssrc)
    single->by_leader++;
  if (!single->klass->take_report (single->machine, now, send_clock,
          lmcc_report_origin (source), data, size)) {
    single->refused++;
    return TRUE;
  }
  follow_leader (single, source, port);
  follow_rate (single, now);

  return TRUE;
}

/*
 * lmcc_single_rate_next_timeout:
 * @single: state of a session whose base layer has a single rate
 *
 * Returns: when to call lmcc_single_rate_handle_timeout(), or
 * %LMCC_TIME_NONE
 */
LmccTime
lmcc_single_rate_next_timeout (const LmccSingleRate *single)
{
  return single->klass->next_timeout (single->machine);
}

void
lmcc_single_rate_handle_timeout (LmccSingleRate *single, LmccTime now)
{
  if (now < lmcc_single_rate_next_timeout (single))
    return;
  single->klass->handle_timeout (single->machine, now);
  forget_leaders_if_gone (single);
  follow_rate (single, now);
}
