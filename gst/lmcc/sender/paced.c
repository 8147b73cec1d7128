/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Pacing of native layers: packets are sent as evenly as their deadlines
 * allow.
 */
#include "sender/paced.h"

#include "sender/private.h"

#include <string.h>

/* Takes @queued. */
void
lmcc_sender_push_paced (LmccSender *sender, guint layer, LmccQueuedUnit *queued,
    LmccTime now)
{
  lmcc_allocator_push (&sender->allocator, layer, queued);
  lmcc_pacer_queue_changed (&sender->pacing.pacers[layer],
      &sender->allocator.layers[layer], now);
}

/* Returns when the layer's next packet is due. */
LmccTime
lmcc_sender_next_paced (const LmccSender *sender, guint layer)
{
  return lmcc_pacer_next (&sender->pacing.pacers[layer],
      &sender->allocator.layers[layer]);
}

/* The layer's next packet is being sent. */
void
lmcc_sender_begin_paced (LmccSender *sender, guint layer, LmccTime due)
{
  lmcc_pacer_opportunity (&sender->pacing.pacers[layer],
      &sender->allocator.layers[layer], due);
}

/* The packet had @size bytes. */
void
lmcc_sender_end_paced (LmccSender *sender, guint layer, gsize size)
{
  lmcc_pacer_sent (&sender->pacing.pacers[layer], size);
}

/* The layer table has changed: layer i has moved to @moved[i]. */
void
lmcc_sender_move_pacers (LmccSender *sender,
    const guint8 moved[LMCC_MAX_LAYERS], guint n_layers)
{
  LmccPacer *pacers = sender->pacing.pacers;
  g_autofree LmccPacer *old =
      g_memdup2 (pacers, sizeof (sender->pacing.pacers));
  guint i;

  memset (pacers, 0, sizeof (sender->pacing.pacers));
  for (i = 0; i < n_layers; i++)
    pacers[moved[i]] = old[i];
}
