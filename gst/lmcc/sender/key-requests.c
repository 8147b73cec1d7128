/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Key frames for receivers that have no picture.
 */
#include "sender/key-requests.h"

#include "sender/private.h"

/* Receivers are told at most so often that requests are heard: who has not
 * heard of it asks after LMCC_KEY_REQUEST_WAIT. */
#define NOTICE_INTERVAL (250 * LMCC_MSECOND)

void
lmcc_sender_init_key_requests (LmccSender *sender, gboolean off)
{
  sender->key_requests = (LmccSenderKeyRequests){
    .off = off,
    .asked = LMCC_TIME_NONE,
    .told = LMCC_TIME_NONE,
  };
}

/* Without a way back nobody can ask, so somebody may always wait. */
static gboolean
is_wanted (const LmccSender *sender)
{
  const LmccSenderKeyRequests *requests = &sender->key_requests;

  return !requests->off && requests->any_key
      && (requests->wanted || sender->session.feedback_interval == 0);
}

/*
 * lmcc_sender_note_key:
 * @sender: a sender
 * @now: the time
 *
 * A key frame came of the encoder: who waits gets it.
 */
void
lmcc_sender_note_key (LmccSender *sender, LmccTime now)
{
  LmccSenderKeyRequests *requests = &sender->key_requests;

  requests->any_key = TRUE;
  requests->key = now;
  requests->key_lsn = lmcc_sender_get_next_lsn (sender, 0);
  requests->wanted = FALSE;
}

/* Whoever had not heard what was sent after the latest key frame came when it
 * asked has got that key frame meanwhile. */
static gboolean
is_behind_key (const LmccSenderKeyRequests *requests, guint16 lsn)
{
  return (gint16) (lsn - requests->key_lsn) < 0;
}

static LmccTime
next_question (const LmccSenderKeyRequests *requests)
{
  LmccTime latest = requests->key;

  if (requests->asked != LMCC_TIME_NONE)
    latest = MAX (latest, requests->asked);

  return latest + LMCC_KEY_REQUEST_DISTANCE;
}

void
lmcc_sender_handle_key_requests (LmccSender *sender, LmccTime now)
{
  LmccSenderKeyRequests *requests = &sender->key_requests;

  if (!is_wanted (sender) || now < next_question (requests))
    return;
  requests->asked = now;
  sender->stats.key_units_requested++;
  lmcc_sender_request_key_unit (sender, now);
}

/*
 * lmcc_sender_take_key_request:
 * @sender: a sender
 * @request: for this session
 * @now: the time
 *
 * A receiver has no picture: asks the encoders, if it may be, and has the group
 * told.
 */
void
lmcc_sender_take_key_request (LmccSender *sender, const LmccKeyRequest *request,
    LmccTime now)
{
  LmccSenderKeyRequests *requests = &sender->key_requests;

  sender->stats.key_requests++;
  if (requests->off)
    return;
  requests->notice_due = TRUE;
  if (requests->any_key && !is_behind_key (requests, request->lsn))
    requests->wanted = TRUE;
  lmcc_sender_handle_key_requests (sender, now);
}

static gboolean
may_tell (const LmccSenderKeyRequests *requests, LmccTime now)
{
  return requests->notice_due
      && (requests->told == LMCC_TIME_NONE
          || now >= requests->told + NOTICE_INTERVAL);
}

/* Returns: (transfer full) (nullable): a control packet that is due */
LmccPacket *
lmcc_sender_take_key_notice (LmccSender *sender, LmccTime now)
{
  LmccSenderKeyRequests *requests = &sender->key_requests;

  if (!may_tell (requests, now))
    return NULL;
  requests->told = now;
  requests->notice_due = FALSE;

  return lmcc_key_notice_build (sender->session.ssrc_base);
}

LmccTime
lmcc_sender_next_key_request (const LmccSender *sender)
{
  const LmccSenderKeyRequests *requests = &sender->key_requests;
  LmccTime next = LMCC_TIME_NONE;

  if (is_wanted (sender))
    next = next_question (requests);
  if (requests->notice_due && !sender->shaped
      && sender->session.feedback_interval > 0)
    next = MIN (next,
        requests->told == LMCC_TIME_NONE ? 0
                                         : requests->told + NOTICE_INTERVAL);

  return next;
}
