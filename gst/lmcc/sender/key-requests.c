/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Requests key frames from encoders for receivers that have no picture.
 */
#include "sender/key-requests.h"

#include "sender/private.h"

#include <math.h>

/* Notices that a request was received are sent at most this often, and take
 * at most this fraction of the base layer's rate; answers use the rest of
 * the control share. */
#define NOTICE_INTERVAL (250 * LMCC_MSECOND)
#define NOTICE_SHARE 100

/* If two key frames are this close, one is superfluous. An encoder's regular
 * key frame may deviate by this much from the previous interval. */
#define SLACK (500 * LMCC_MSECOND)

/* Encoders with key frames at least this often are left alone. An encoder
 * that has made no second key frame unasked is not expected to make one. */
#define OFTEN LMCC_SECOND
#define RARE (3600 * LMCC_SECOND)

/* This many requests for one key frame mean that the notice comes too late.
 * Receivers then use a longer wait, with which FEW would have asked. After
 * this many rounds with few requests, the wait is shortened by a quarter. */
#define CROWD 20
#define FEW 2
#define QUIET_ROUNDS 16

/* Longest wait in units of R_max, within which a notice reaches all
 * receivers (T of RFC 4654 section 4.5): of 10,000 receivers, five ask then. */
#define LONGEST_WAIT_ROUNDS 6

void
lmcc_sender_init_key_requests (LmccSender *sender, LmccKeyRequestMode mode)
{
  sender->key_requests = (LmccSenderKeyRequests){
    .mode = mode,
    .asked = LMCC_TIME_NONE,
    .told = LMCC_TIME_NONE,
    .round = LMCC_TIME_NONE,
  };
  sender->session.key_request_wait =
      MAX (sender->session.key_request_wait, LMCC_DEFAULT_KEY_REQUEST_WAIT);
}

/* Without feedback nobody can ask, so a receiver may be waiting at any time. */
static gboolean
is_wanted (const LmccSender *sender)
{
  const LmccSenderKeyRequests *requests = &sender->key_requests;

  if (!requests->any_key || requests->mode == LMCC_KEY_REQUEST_IGNORED)
    return FALSE;

  return requests->wanted
      || (requests->mode == LMCC_KEY_REQUEST_AUTO
          && sender->session.feedback_interval == 0);
}

/* Whether nobody requested the key frame that arrives now. */
static gboolean
is_own_key (const LmccSenderKeyRequests *requests)
{
  return requests->any_key
      && (requests->asked == LMCC_TIME_NONE
          || requests->asked + LMCC_KEY_REQUEST_DISTANCE <= requests->key);
}

/*
 * lmcc_sender_note_key:
 * @sender: a sender
 * @now: the time
 *
 * A key frame has arrived from the encoder, for all waiting receivers.
 *
 * Returns: whether neither it nor the previous one was requested, so that
 * their distance is the encoder's own
 */
gboolean
lmcc_sender_note_key (LmccSender *sender, LmccTime now)
{
  LmccSenderKeyRequests *requests = &sender->key_requests;
  gboolean own = is_own_key (requests);

  if (own)
    requests->own_distance = now - requests->key;
  requests->any_key = TRUE;
  requests->key = now;
  requests->key_waits = TRUE;
  requests->wanted = FALSE;
  requests->wanted_since = 0;
  sender->stats.key_units_unanswered = 0;

  return own;
}

/*
 * lmcc_sender_note_picture:
 * @sender: a sender
 * @unit: a unit from the encoder
 *
 * Records that the encoder produces pictures: without pictures, no key frame
 * can be expected.
 */
void
lmcc_sender_note_picture (LmccSender *sender, const LmccUnit *unit)
{
  if (unit->stream == 0)
    sender->key_requests.any_picture = TRUE;
}

/*
 * lmcc_sender_note_leaving:
 * @sender: a sender
 * @allotment: the next packet to be sent
 * @now: the time
 *
 * A receiver that joins after the first packet of a key frame does not get
 * that key frame.
 */
void
lmcc_sender_note_leaving (LmccSender *sender, const LmccAllotment *allotment,
    LmccTime now)
{
  LmccSenderKeyRequests *requests = &sender->key_requests;

  if (!requests->key_waits || allotment->stream != 0 || allotment->klass > 0
      || !allotment->switch_point || !allotment->first)
    return;
  requests->key_waits = FALSE;
  requests->key_left = now;
  requests->key_lsn = lmcc_sender_get_next_lsn (sender, 0);
}

/* Whether a receiver whose latest number is @lsn gets the latest key frame.
 * After some time it would have seen later numbers, and the numbers may have
 * wrapped. */
static gboolean
gets_key (const LmccSender *sender, guint16 lsn, LmccTime now)
{
  const LmccSenderKeyRequests *requests = &sender->key_requests;

  if (requests->key_waits)
    return now
        < requests->key + sender->session.window + LMCC_KEY_REQUEST_DISTANCE;

  return now < requests->key_left + LMCC_KEY_REQUEST_DISTANCE
      && (gint16) (lsn - requests->key_lsn) < 0;
}

/* From a key frame to the next permitted request. */
static LmccTime
get_distance (const LmccSenderKeyRequests *requests)
{
  LmccTime own = requests->own_distance;

  if (own == 0)
    return LMCC_KEY_REQUEST_DISTANCE + SLACK;
  if (requests->wanted && own > OFTEN)
    return SLACK;
  if (own > LMCC_KEY_REQUEST_DISTANCE + SLACK)
    return LMCC_KEY_REQUEST_DISTANCE;

  return MAX (own + SLACK, LMCC_KEY_REQUEST_DISTANCE);
}

static gboolean
is_unanswered (const LmccSenderKeyRequests *requests)
{
  return requests->asked != LMCC_TIME_NONE && requests->asked >= requests->key;
}

/* An encoder that has not responded yet may have look-ahead. */
static LmccTime
get_earliest_question (const LmccSenderKeyRequests *requests)
{
  LmccTime next =
      MAX (requests->key + get_distance (requests), requests->wanted_since);

  if (requests->asked == LMCC_TIME_NONE)
    return next;

  return MAX (next,
      requests->asked
          + (is_unanswered (requests) ? 2 : 1) * LMCC_KEY_REQUEST_DISTANCE);
}

/* Not around the time of the encoder's regular key frame, which is waited
 * for instead. */
static LmccTime
next_question (const LmccSenderKeyRequests *requests)
{
  LmccTime next = get_earliest_question (requests);
  LmccTime own = requests->key + requests->own_distance;

  if (requests->own_distance > OFTEN && next + SLACK > own
      && next < own + SLACK)
    return own + SLACK;

  return next;
}

void
lmcc_sender_handle_key_requests (LmccSender *sender, LmccTime now)
{
  LmccSenderKeyRequests *requests = &sender->key_requests;

  if (!is_wanted (sender) || now < next_question (requests))
    return;
  if (requests->own_distance == 0)
    requests->own_distance = RARE;
  if (is_unanswered (requests) && requests->any_picture)
    sender->stats.key_units_unanswered++;
  requests->any_picture = FALSE;
  requests->asked = now;
  sender->stats.key_units_requested++;
  lmcc_sender_request_key_unit (sender, now);
}

/* A round lasts for the receivers' waits plus the delay of the notice. */
static gboolean
is_in_round (const LmccSender *sender, LmccTime now)
{
  const LmccSenderKeyRequests *requests = &sender->key_requests;

  return requests->round != LMCC_TIME_NONE
      && now < requests->round + requests->round_wait + sender->session.rtt_max;
}

static void
set_wait (LmccSender *sender, LmccTime wait)
{
  sender->key_requests.n_quiet_rounds = 0;
  sender->session.key_request_wait = wait;
  sender->session.revision++;
}

/* Call it when the previous round is over. */
static void
shorten_wait (LmccSender *sender)
{
  LmccSenderKeyRequests *requests = &sender->key_requests;
  LmccTime wait = sender->session.key_request_wait;

  if (wait == LMCC_DEFAULT_KEY_REQUEST_WAIT || requests->n_round > FEW
      || ++requests->n_quiet_rounds < QUIET_ROUNDS)
    return;
  set_wait (sender, MAX (wait - wait / 4, LMCC_DEFAULT_KEY_REQUEST_WAIT));
  lmcc_sender_session_changed (sender);
}

/* With N receivers, waits of at most T according to RFC 4654 section 4.5 and
 * a round-trip time R, about 10,000^(R / T) receivers ask before they hear a
 * notice. So R / T is log n / log 10,000, which gives the wait with which
 * FEW ask. */
static void
lengthen_wait (LmccSender *sender, LmccTime now)
{
  LmccSenderKeyRequests *requests = &sender->key_requests;
  gdouble scale = log (requests->n_round) / log (FEW);
  LmccTime wait = (LmccTime) (scale * (gdouble) requests->round_wait);

  wait = MIN (wait,
      MIN (LONGEST_WAIT_ROUNDS * sender->session.rtt_max,
          LMCC_MAX_KEY_REQUEST_WAIT));
  if (wait <= sender->session.key_request_wait * 5 / 4)
    return;
  set_wait (sender, wait);
  lmcc_sender_announce (sender, now);
}

/* A request has arrived: the wait must be long enough that few receivers
 * ask, however many wait and however long the sender's notice takes. */
static void
follow_crowd (LmccSender *sender, LmccTime now)
{
  LmccSenderKeyRequests *requests = &sender->key_requests;

  if (!is_in_round (sender, now)) {
    shorten_wait (sender);
    requests->round = now;
    requests->round_wait = sender->session.key_request_wait;
    requests->n_round = 0;
  }
  if (++requests->n_round > CROWD)
    lengthen_wait (sender, now);
}

static void
want (LmccSenderKeyRequests *requests, LmccTime now)
{
  if (!requests->wanted)
    requests->wanted_since = now;
  requests->wanted = TRUE;
}

/*
 * lmcc_sender_take_key_request:
 * @sender: a sender
 * @request: a request for this session
 * @now: the time
 *
 * A receiver has no picture: asks the encoders, if permitted, and schedules
 * a notice to the group.
 */
void
lmcc_sender_take_key_request (LmccSender *sender, const LmccKeyRequest *request,
    LmccTime now)
{
  LmccSenderKeyRequests *requests = &sender->key_requests;

  sender->stats.key_requests++;
  if (requests->mode == LMCC_KEY_REQUEST_IGNORED)
    return;
  follow_crowd (sender, now);
  requests->notice_due = TRUE;
  if (requests->any_key && !gets_key (sender, request->lsn, now))
    want (requests, now);
  lmcc_sender_handle_key_requests (sender, now);
}

static LmccTime
next_notice (const LmccSender *sender)
{
  const LmccSenderKeyRequests *requests = &sender->key_requests;
  guint64 rate = MAX (lmcc_session_level_rate (&sender->session, 0),
      LMCC_FEEDBACK_LEAST_RATE);
  guint64 bits = 8 * (sender->udp_overhead + LMCC_KEY_NOTICE_SIZE);

  if (!requests->notice_due || sender->session.feedback_interval == 0)
    return LMCC_TIME_NONE;
  if (requests->told == LMCC_TIME_NONE)
    return 0;

  return requests->told
      + MAX (NOTICE_INTERVAL, bits * NOTICE_SHARE * LMCC_SECOND / rate);
}

/* Returns: (transfer full) (nullable): a due control packet */
LmccPacket *
lmcc_sender_take_key_notice (LmccSender *sender, LmccTime now)
{
  if (now < next_notice (sender))
    return NULL;
  sender->key_requests.told = now;
  sender->key_requests.notice_due = FALSE;

  return lmcc_key_notice_build (sender->session.ssrc_base);
}

LmccTime
lmcc_sender_next_key_request (const LmccSender *sender)
{
  LmccTime next = sender->shaped ? LMCC_TIME_NONE : next_notice (sender);

  return is_wanted (sender) ? MIN (next, next_question (&sender->key_requests))
                            : next;
}
