/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/slots/deaf-period.h"

/* A socket that was just left may still hold packets: they say nothing of the
 * network. */
#define SOCKET_REST (50 * LMCC_MSECOND)

/* Longer than any leave takes: IGMP's group membership interval (RFC 3376
 * section 8.4). */
#define LEAVE_MAX (260 * LMCC_SECOND)

/**
 * lmcc_deaf_period_init:
 * @deaf: (out): a deaf period before any leave
 * @fixed: how long each one is, in ns, or 0 for what was measured
 * @initial: how long before a leave latency was measured, in ns
 * @minimum: the shortest measured one, in ns
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

/* What was seen of the layer that was left last, before another one is. */
static void
measure (LmccDeafPeriod *deaf)
{
  if (deaf->left_at == LMCC_TIME_NONE
      || deaf->last_packet <= deaf->left_at + SOCKET_REST)
    return;
  deaf->leave_latency = MIN (deaf->last_packet - deaf->left_at, LEAVE_MAX);
}

/* How long the next one is. */
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
 * @layer: the layer that is left now because of loss
 *
 * Begins the deaf period, if it has a length.
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
 * @layer: a layer that is joined now
 *
 * Its packets are wanted again, and measure no leave any more.
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
 * @arrival: when it came
 * @layer: the layer of a packet that is not held
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
 * What was lost before the leave, and shows after it, says nothing new either.
 *
 * Returns: whether the loss says nothing new
 */
gboolean
lmcc_deaf_period_covers (const LmccDeafPeriod *deaf, LmccTime time)
{
  return time < deaf->until;
}
