/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "receiver/gate/delivery.h"

static gboolean
timestamp_after (guint32 a, guint32 b)
{
  return (gint32) (a - b) > 0;
}

/*
 * lmcc_gate_delivery_init:
 * @delivery: (out): an empty delivery
 */
void
lmcc_gate_delivery_init (LmccGateDelivery *delivery)
{
  *delivery = (LmccGateDelivery){ 0 };
  lmcc_ring_init (&delivery->outputs, sizeof (LmccGateOutput));
}

/*
 * lmcc_gate_delivery_reset:
 * @delivery: the delivery state
 *
 * Prepares for another sender. Packets that were passed on and not popped
 * yet stay.
 */
void
lmcc_gate_delivery_reset (LmccGateDelivery *delivery)
{
  delivery->shown = FALSE;
  delivery->hiding = FALSE;
  delivery->lost = 0;
  delivery->discont = TRUE;
  delivery->holding = FALSE;
}

void
lmcc_gate_delivery_clear (LmccGateDelivery *delivery)
{
  LmccGateOutput output;

  while (lmcc_ring_pop (&delivery->outputs, &output))
    lmcc_packet_unref (output.packet);
  lmcc_ring_clear (&delivery->outputs);
}

/*
 * lmcc_gate_delivery_hide:
 * @delivery: the delivery state
 * @timestamp: timestamp of a unit that is about to be delivered
 *
 * If that picture was already shown, the following pictures are hidden up to
 * the last one shown.
 *
 * Returns: whether a new segment has to hide the unit
 */
gboolean
lmcc_gate_delivery_hide (LmccGateDelivery *delivery, guint32 timestamp)
{
  if (!delivery->shown || timestamp_after (timestamp, delivery->shown_until))
    return FALSE;
  delivery->hiding = TRUE;
  delivery->hidden_from = timestamp;
  delivery->hidden_until = delivery->shown_until;

  return TRUE;
}

/*
 * lmcc_gate_delivery_hide_again:
 * @delivery: the delivery state
 * @timestamp: timestamp of a key frame that is about to be delivered
 *
 * If that picture was the last one shown, it is hidden.
 *
 * Returns: whether a new segment has to hide the key frame
 */
gboolean
lmcc_gate_delivery_hide_again (LmccGateDelivery *delivery, guint32 timestamp)
{
  return delivery->shown && timestamp == delivery->shown_until
      && lmcc_gate_delivery_hide (delivery, timestamp);
}

static gboolean
is_newest (const LmccGateDelivery *delivery, const LmccGateUnit *unit)
{
  return !delivery->shown
      || timestamp_after (unit->timestamp, delivery->shown_until);
}

static void
push_packet (LmccGateDelivery *delivery, LmccGateUnit *unit, guint index,
    gboolean catch_up, gboolean segment)
{
  const LmccGateUnitPacket *from =
      &g_array_index (unit->packets, LmccGateUnitPacket, index);
  LmccGateOutput *output = lmcc_ring_push (&delivery->outputs);

  output->packet = lmcc_packet_ref (from->packet);
  output->rtp = from->rtp;
  output->header = from->header;
  output->header.first = index == 0;
  output->unit_end = index + 1 == unit->packets->len;
  output->corrupted = unit->corrupted;
  output->catch_up = catch_up;
  output->segment = segment;
  output->shown_until = delivery->shown_until;
  output->newest = is_newest (delivery, unit);
  output->hidden_from = delivery->hidden_from;
  output->hidden_until = delivery->hidden_until;
  output->discont = delivery->discont || delivery->lost > 0;
  output->lost = delivery->lost;
  delivery->discont = FALSE;
  delivery->lost = 0;
}

/* A further layer of the picture: the previous end is no longer its end. */
static void
continue_picture (LmccGateDelivery *delivery, const LmccGateUnit *unit)
{
  LmccGateOutput *last = lmcc_ring_peek_tail (&delivery->outputs);

  if (delivery->holding && last != NULL
      && last->rtp.timestamp == unit->timestamp
      && last->header.stream == unit->stream)
    last->unit_end = FALSE;
}

/*
 * lmcc_gate_delivery_push:
 * @delivery: the delivery state
 * @unit: the next unit
 * @segment: whether a new segment begins with the unit
 * @deadline: how long the unit's end may be held for another unit of its
 *     picture
 */
void
lmcc_gate_delivery_push (LmccGateDelivery *delivery, LmccGateUnit *unit,
    gboolean segment, LmccTime deadline)
{
  gboolean catch_up = delivery->hiding
      && !timestamp_after (unit->timestamp, delivery->hidden_until);
  guint i;

  continue_picture (delivery, unit);
  delivery->holding = delivery->layered;
  delivery->held_until = deadline;
  for (i = 0; i < unit->packets->len; i++)
    push_packet (delivery, unit, i, catch_up, segment && i == 0);

  if (is_newest (delivery, unit)) {
    delivery->shown = TRUE;
    delivery->shown_until = unit->timestamp;
  }
}

/*
 * lmcc_gate_delivery_timeout:
 * @delivery: the delivery state
 * @now: the time
 *
 * Releases the end of a picture that has been held long enough.
 */
void
lmcc_gate_delivery_timeout (LmccGateDelivery *delivery, LmccTime now)
{
  if (delivery->held_until <= now)
    delivery->holding = FALSE;
}

/*
 * lmcc_gate_delivery_next_timeout:
 * @delivery: the delivery state
 *
 * Returns: when lmcc_gate_delivery_timeout() has something to release, or
 * %LMCC_TIME_NONE
 */
LmccTime
lmcc_gate_delivery_next_timeout (const LmccGateDelivery *delivery)
{
  return delivery->holding && delivery->outputs.length > 0
      ? delivery->held_until
      : LMCC_TIME_NONE;
}

/*
 * lmcc_gate_delivery_pop:
 * @delivery: the delivery state
 * @output: (out): the next packet
 *
 * Returns: %FALSE if there is none
 */
gboolean
lmcc_gate_delivery_pop (LmccGateDelivery *delivery, LmccGateOutput *output)
{
  if (delivery->holding && delivery->outputs.length == 1)
    return FALSE;

  return lmcc_ring_pop (&delivery->outputs, output);
}
