/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sender/pacer.h"

#include <math.h>

static void
advance (LmccPacer *pacer, LmccTime now)
{
  if (now <= pacer->updated)
    return;
  pacer->debt =
      MAX (0.0, pacer->debt - pacer->rate * (gdouble) (now - pacer->updated));
  pacer->updated = now;
}

/* All packets of a unit have the same deadline, so only the ends of units
 * can determine the rate. */
static gdouble
least_rate (const LmccPacer *pacer, const LmccAllocatorLayer *layer)
{
  gdouble bytes = pacer->debt, rate = 0.0;
  const GList *l;

  for (l = layer->units.head; l != NULL; l = l->next) {
    const LmccQueuedUnit *queued = l->data;
    gdouble left = 1.0;

    if (queued->deadline > pacer->updated)
      left = (gdouble) (queued->deadline - pacer->updated);
    bytes += (gdouble) queued->bytes;
    rate = MAX (rate, bytes / left);
  }

  return rate;
}

/*
 * lmcc_pacer_queue_changed:
 * @pacer: a pacer
 * @layer: its layer, to which a unit was added
 * @now: the time
 */
void
lmcc_pacer_queue_changed (LmccPacer *pacer, const LmccAllocatorLayer *layer,
    LmccTime now)
{
  advance (pacer, now);
  pacer->rate = least_rate (pacer, layer);
}

/*
 * lmcc_pacer_next:
 * @pacer: a pacer
 * @layer: its layer
 *
 * Returns: when the layer's next packet is due, or %LMCC_TIME_NONE
 */
LmccTime
lmcc_pacer_next (const LmccPacer *pacer, const LmccAllocatorLayer *layer)
{
  const LmccQueuedUnit *head = g_queue_peek_head ((GQueue *) &layer->units);
  LmccTime due = pacer->updated;

  if (head == NULL)
    return LMCC_TIME_NONE;

  if (pacer->debt > 0.0 && pacer->rate > 0.0)
    due += (LmccTime) floor (pacer->debt / pacer->rate);

  return MAX (due, head->unit->decoding_time);
}

/*
 * lmcc_pacer_opportunity:
 * @pacer: a pacer
 * @layer: its layer, with the packet to be sent still in it
 * @due: the value of lmcc_pacer_next()
 *
 * The layer sends a packet now. The schedule continues from the time when
 * the packet was due, so that a late caller catches up.
 */
void
lmcc_pacer_opportunity (LmccPacer *pacer, const LmccAllocatorLayer *layer,
    LmccTime due)
{
  advance (pacer, due);
  pacer->debt = 0.0;
  pacer->rate = least_rate (pacer, layer);
}

/*
 * lmcc_pacer_sent:
 * @pacer: a pacer
 * @size: size of the packet that was sent, in bytes
 */
void
lmcc_pacer_sent (LmccPacer *pacer, gsize size)
{
  pacer->debt = (gdouble) size;
}
