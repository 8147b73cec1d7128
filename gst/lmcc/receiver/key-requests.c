/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "receiver/key-requests.h"

#include "measure/report-timer.h"
#include "receiver/private.h"
#include "receiver/reports.h"
#include "wire/key-request.h"

/* Without a notice from the sender, the request is lost or nobody takes it. */
#define RETRY (1 * LMCC_SECOND)

/* After a notice, the sender asks its encoders within
 * LMCC_KEY_REQUEST_DISTANCE. */
#define PATIENCE (LMCC_KEY_REQUEST_DISTANCE + 500 * LMCC_MSECOND)

/* The wait doubles up to 2^6 times, because some encoders ignore requests. */
#define MOST_DOUBLINGS 6

/* Greatest delay of a reordered packet, in packets. */
#define MOST_OVERTAKEN 1024

/* Separates these random numbers from others of the same receiver with the
 * same seed. */
#define SEED_PURPOSE 0x6b657966u

void
lmcc_receiver_init_key_requests (LmccReceiver *receiver)
{
  receiver->key_requests.due = LMCC_TIME_NONE;
}

static void
end_wait (LmccReceiverKeyRequests *requests)
{
  requests->waits = FALSE;
  requests->due = LMCC_TIME_NONE;
  requests->n_asked = requests->n_told = 0;
}

/* Another sender has other sequence numbers. */
void
lmcc_receiver_forget_key_requests (LmccReceiver *receiver)
{
  end_wait (&receiver->key_requests);
  receiver->key_requests.any_base = FALSE;
  receiver->key_requests.next_key = 0;
}

/* A GRand takes 2.5 kB, and few receivers wait, so each draw creates its
 * own. */
static LmccTime
draw (LmccReceiver *receiver)
{
  const guint32 seeds[] = { receiver->config.sequence_seed, SEED_PURPOSE,
    receiver->key_requests.n_drawn++ };
  GRand *random = g_rand_new_with_seed_array (seeds, G_N_ELEMENTS (seeds));
  LmccTime wait =
      lmcc_feedback_draw_wait (random, receiver->session.key_request_wait);

  g_rand_free (random);

  return wait;
}

static LmccTime
get_wait (LmccTime shortest, guint n)
{
  return shortest << MIN (MAX (n, 1) - 1, MOST_DOUBLINGS);
}

static void
put_off (LmccReceiver *receiver, LmccTime to)
{
  LmccTime *due = &receiver->key_requests.due;

  *due = MAX (*due, to + draw (receiver));
}

/* Numbers that are much lower mean a restart. */
static gboolean
is_overtaken (const LmccReceiverKeyRequests *requests, guint16 lsn)
{
  return (guint16) (requests->base_lsn - lsn) < MOST_OVERTAKEN;
}

/* Called for each accepted packet. A key frame that begins to arrive will be
 * delivered within the latency if it is complete, and it shows that the
 * encoder makes key frames. */
void
lmcc_receiver_packet_key_requests (LmccReceiver *receiver, LmccTime now,
    const LmccHeader *header)
{
  LmccReceiverKeyRequests *requests = &receiver->key_requests;

  if (header->layer == 0
      && !(requests->any_base && is_overtaken (requests, header->lsn))) {
    requests->any_base = TRUE;
    requests->base_lsn = header->lsn;
  }
  if (header->type != LMCC_PACKET_MEDIA || !header->first || header->klass > 0
      || !header->switch_point || header->stream >= receiver->session.n_rungs)
    return;
  requests->next_key = now + LMCC_KEY_REQUEST_DISTANCE;
  requests->n_asked = requests->n_told = 0;
  if (!requests->waits)
    return;
  requests->due = 0;
  put_off (receiver,
      MAX (now + lmcc_receiver_get_latency (receiver), requests->next_key));
}

/* The sender has received a request of this or another receiver. */
void
lmcc_receiver_key_notice (LmccReceiver *receiver, LmccTime now)
{
  LmccReceiverKeyRequests *requests = &receiver->key_requests;

  if (!requests->waits)
    return;
  if (requests->n_told == 0 || now >= requests->told + PATIENCE) {
    requests->n_told++;
    requests->told = now;
  }
  put_off (receiver, now + get_wait (PATIENCE, requests->n_told));
}

static gboolean
lacks_picture (const LmccReceiver *receiver)
{
  return receiver->have_session && !receiver->source_gone && receiver->held != 0
      && receiver->key_requests.any_base && lmcc_receiver_may_ask (receiver)
      && lmcc_gate_needs_key (receiver->gate);
}

/*
 * lmcc_receiver_follow_picture:
 * @receiver: a receiver
 * @now: the time
 *
 * Checks whether there is a picture, after received packets were delivered.
 */
void
lmcc_receiver_follow_picture (LmccReceiver *receiver, LmccTime now)
{
  LmccReceiverKeyRequests *requests = &receiver->key_requests;

  if (!lacks_picture (receiver)) {
    end_wait (requests);
  } else if (!requests->waits) {
    requests->waits = TRUE;
    requests->due = MAX (now, requests->next_key) + draw (receiver);
  }
}

/* Call it after lmcc_receiver_pump(), which calls
 * lmcc_receiver_follow_picture(). */
void
lmcc_receiver_handle_key_requests (LmccReceiver *receiver, LmccTime now)
{
  LmccReceiverKeyRequests *requests = &receiver->key_requests;
  const LmccKeyRequest request = {
    .ssrc = receiver->reporting.ssrc,
    .ssrc_base = receiver->session.ssrc_base,
    .lsn = requests->base_lsn,
  };

  if (now < requests->due)
    return;
  requests->n_asked++;
  requests->due = now;
  put_off (receiver, now + get_wait (RETRY, requests->n_asked));
  receiver->stats.key_requests++;
  lmcc_receiver_queue_report (receiver, lmcc_key_request_build (&request));
}

LmccTime
lmcc_receiver_next_key_request (const LmccReceiver *receiver)
{
  return receiver->key_requests.due;
}
