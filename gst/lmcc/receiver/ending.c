/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ends the reception together with the session, if the user wants that. A
 * forged goodbye costs its author nothing, so a goodbye counts only if the
 * sender is silent afterwards. The receiver also waits for packets that the
 * goodbye has overtaken. A long silence counts like a goodbye, which may be
 * lost, and which a sender that fails does not send.
 */
#include "receiver/ending.h"

#include "receiver/private.h"
#include "receiver/times.h"

/*
 * lmcc_receiver_note_goodbye:
 * @receiver: a receiver whose sender said BYE
 * @now: the time
 */
void
lmcc_receiver_note_goodbye (LmccReceiver *receiver, LmccTime now)
{
  if (!receiver->config.end_on_bye || receiver->goodbye.said)
    return;
  receiver->goodbye.said = TRUE;
  receiver->goodbye.at = now;
}

/*
 * lmcc_receiver_doubt_goodbye:
 * @receiver: a receiver that has heard its sender
 * @now: the time
 *
 * A sender that continues for this long after a goodbye did not send it.
 */
void
lmcc_receiver_doubt_goodbye (LmccReceiver *receiver, LmccTime now)
{
  if (receiver->goodbye.said
      && now >= receiver->goodbye.at + LMCC_SOURCE_TIMEOUT)
    receiver->goodbye.said = FALSE;
}

/*
 * lmcc_receiver_is_ending:
 * @receiver: a receiver
 *
 * Returns: whether the reception ends unless the sender is heard again; the
 * receiver accepts no other session meanwhile
 */
gboolean
lmcc_receiver_is_ending (const LmccReceiver *receiver)
{
  return receiver->goodbye.said;
}

/* When the sender's silence is long enough to end the reception, or
 * %LMCC_TIME_NONE. A sender that has not been heard, or has sent records
 * only, does not count as silent. */
static LmccTime
silence_end (const LmccReceiver *receiver)
{
  LmccTime patience = receiver->config.end_on_silence;

  if (receiver->goodbye.said)
    return MAX (receiver->last_heard, receiver->goodbye.at)
        + LMCC_SOURCE_TIMEOUT;
  if (!receiver->key_requests.any_base || patience == 0)
    return LMCC_TIME_NONE;

  return receiver->last_heard + MAX (patience, LMCC_SOURCE_TIMEOUT);
}

/* By this time all received packets have been delivered, whatever is
 * missing. */
static LmccTime
latest_end (const LmccReceiver *receiver)
{
  return silence_end (receiver) + lmcc_receiver_get_latency (receiver);
}

static gboolean
layer_waits (const LmccReceiverLayer *layer)
{
  return lmcc_waiting_queue_get_length (&layer->waiting) > 0
      || LMCC_TIME_IS_VALID (lmcc_probation_next_timeout (&layer->probation));
}

static gboolean
something_waits (const LmccReceiver *receiver)
{
  LmccLayerSet layers = receiver->held | receiver->leaving;
  guint i;

  while (lmcc_layer_set_take (&layers, &i)) {
    if (layer_waits (receiver->layers[i]))
      return TRUE;
  }

  return receiver->allowance.behind
      || LMCC_TIME_IS_VALID (lmcc_merge_next_timeout (receiver->merge))
      || LMCC_TIME_IS_VALID (lmcc_gate_next_timeout (receiver->gate));
}

/*
 * lmcc_receiver_next_end:
 * @receiver: a receiver
 *
 * Returns: latest time for the next call of lmcc_receiver_has_ended(), or
 * %LMCC_TIME_NONE; call it after each delivery, too
 */
LmccTime
lmcc_receiver_next_end (const LmccReceiver *receiver)
{
  LmccTime silence = silence_end (receiver);

  if (!LMCC_TIME_IS_VALID (silence))
    return LMCC_TIME_NONE;

  return receiver->now < silence ? silence : latest_end (receiver);
}

/*
 * lmcc_receiver_has_ended:
 * @receiver: a receiver
 * @now: the time
 *
 * Returns: (nullable): why the session is over, a static string, once all
 * received packets have been delivered; otherwise %NULL
 */
const gchar *
lmcc_receiver_has_ended (const LmccReceiver *receiver, LmccTime now)
{
  LmccTime silence = silence_end (receiver);

  if (!LMCC_TIME_IS_VALID (silence) || now < silence
      || (something_waits (receiver) && now < latest_end (receiver)))
    return NULL;

  return receiver->goodbye.said ? LMCC_REASON_GOODBYE : LMCC_REASON_SILENCE;
}
