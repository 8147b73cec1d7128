/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * When a reception ends with its session, where the user wants that. A goodbye
 * costs whoever forges it nothing, so it counts only where the sender is silent
 * behind it. Packets that the goodbye has overtaken are waited for likewise. A
 * long silence says the same as a goodbye: that may be lost, and who fails says
 * none.
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
 * Who goes on for so long after a goodbye did not say it.
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
 * Returns: whether it ends unless the sender is heard; no other session is
 *     taken meanwhile
 */
gboolean
lmcc_receiver_is_ending (const LmccReceiver *receiver)
{
  return receiver->goodbye.said;
}

/* When the sender has been silent for long enough, %LMCC_TIME_NONE: no silence
 * ends the reception. Who was not heard yet is not silent, nor who sent records
 * alone. */
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

/* By then all that has come has been given out, whatever is missing. */
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
 * Returns: when to ask lmcc_receiver_has_ended() at the latest, or
 *     %LMCC_TIME_NONE; it is to be asked, too, whenever something was given out
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
 * Returns: (nullable): why the session is over, static, where all that came of
 *     it was given out; else %NULL
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
