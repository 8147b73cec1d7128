/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_ELM_TRAIN_RULES_H
#define LMCC_CONTROL_ELM_TRAIN_RULES_H

#include "measure/trains.h"

G_BEGIN_DECLS

/**
 * LmccElmTrains:
 * ELM's use of the sender's packet trains, which the paper does not have: a layer for
 * which there is no room is not joined, so that no join fails if the receiver is alone on
 * a link; a layer for which there is room is joined without a wait.
 */
typedef struct
{
  /*< private >*/
  const LmccSession *session;
  gboolean used;
  LmccTrainReader reader;
  gint level;
  LmccTime joined_at[LMCC_MAX_LAYERS];
  guint failures[LMCC_MAX_LAYERS]; /* number of failed joins in a row */
  LmccTime doubted_until[LMCC_MAX_LAYERS];
} LmccElmTrains;

void lmcc_elm_trains_init (LmccElmTrains *trains, const LmccSession *session,
    gboolean used);
void lmcc_elm_trains_set_level (LmccElmTrains *trains, LmccTime now, gint level,
    gboolean failed);
gboolean lmcc_elm_trains_packet (LmccElmTrains *trains, LmccTime arrival,
    const LmccHeader *header, gsize size);
gboolean lmcc_elm_trains_owns_loss (const LmccElmTrains *trains, guint layer,
    const LmccLoss *loss);
const gchar *
lmcc_elm_trains_describe (const LmccElmTrains *trains, LmccTime now);
LmccTime
lmcc_elm_trains_hold_until (const LmccElmTrains *trains, gboolean slow_start);
gboolean lmcc_elm_trains_find_room (const LmccElmTrains *trains,
    gboolean slow_start, LmccTime last_loss, LmccTime now);

G_END_DECLS

#endif
