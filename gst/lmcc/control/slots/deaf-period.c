/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/slots/deaf-period.h"

/* The socket of a group that was just left may still hold packets, which say
 * nothing about the network. */
#define SOCKET_REST (50 * LMCC_MSECOND)

/* Longer than any leave takes: IGMP's group membership interval (RFC 3376
 * section 8.4). */
#define LEAVE_MAX (260 * LMCC_SECOND)

/**
 * lmcc_deaf_period_init:
 * @deaf: (out): state before the first leave
 * @fixed: length of each deaf period in ns, or 0 to use the measured leave
 *     latency
 * @initial: length until a leave latency is measured, in ns
 * @minimum: least length from a measurement, in ns
 */
void
lmcc_deaf_period_init (LmccDeafPeriod *deaf, LmccTime fixed, LmccTime initial,
    LmccTime minimum)
{
  *deaf = (LmccDeafPeriod){
    .fixed = fixed,
    .initial = initial,
    .minimum = minimum,
    .leave_latency = LMCC_TIME_NONE,
    .left_at = LMCC_TIME_NONE,
  };
}

/* Takes the measurement of the last leave, before the next one. */
static void
measure (LmccDeafPeriod *deaf)
{
  if (deaf->left_at == LMCC_TIME_NONE
      || deaf->last_packet <= deaf->left_at + SOCKET_REST)
    return;
  deaf->leave_latency = MIN (deaf->last_packet - deaf->left_at, LEAVE_MAX);
}

/* Length of the next deaf period. */
static LmccTime
get_length (const LmccDeafPeriod *deaf)
{
  if (deaf->fixed > 0)
    return deaf->fixed;
  if (deaf->leave_latency == LMCC_TIME_NONE)
    return deaf->initial;

  return MAX (deaf->leave_latency + deaf->leave_latency / 2, deaf->minimum);
}

/**
 * lmcc_deaf_period_leave:
 * @deaf: a deaf period
 * @now: the time
 * @layer: the layer that the receiver leaves now because of loss
 *
 * Begins the deaf period, unless its length is 0.
 */
void
lmcc_deaf_period_leave (LmccDeafPeriod *deaf, LmccTime now, guint layer)
{
  LmccTime length;

  measure (deaf);
  deaf->layer = layer;
  deaf->left_at = now;
  deaf->last_packet = now;
  length = get_length (deaf);
  if (length > 0)
    deaf->until = now + length;
}

/**
 * lmcc_deaf_period_join:
 * @deaf: a deaf period
 * @layer: a layer that the receiver joins now
 *
 * The layer's packets are wanted again and no longer measure a leave.
 */
void
lmcc_deaf_period_join (LmccDeafPeriod *deaf, guint layer)
{
  measure (deaf);
  if (layer == deaf->layer)
    deaf->left_at = LMCC_TIME_NONE;
}

/**
 * lmcc_deaf_period_packet:
 * @deaf: a deaf period
 * @arrival: arrival time of the packet
 * @layer: layer of a packet that is not joined
 *
 * The leave latency is the time from a leave to the last packet of the layer.
 */
void
lmcc_deaf_period_packet (LmccDeafPeriod *deaf, LmccTime arrival, guint layer)
{
  if (deaf->left_at == LMCC_TIME_NONE || layer != deaf->layer)
    return;
  deaf->last_packet = MAX (deaf->last_packet, arrival);
}

/**
 * lmcc_deaf_period_covers:
 * @deaf: a deaf period
 * @time: when a loss happened
 *
 * Losses from before the leave that show after it carry no new information
 * either.
 *
 * Returns: whether to ignore the loss
 */
gboolean
lmcc_deaf_period_covers (const LmccDeafPeriod *deaf, LmccTime time)
{
  return time < deaf->until;
}
