/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Changes to a higher rung if no level contains both rungs: the lower rung stays
 * joined until the higher one is shown, and the higher one is joined shortly before a
 * key frame. If the path could not carry both, the lower rung is left first.
 */
#ifndef LMCC_RECEIVER_RUNG_SWITCH_H
#define LMCC_RECEIVER_RUNG_SWITCH_H

#include <gst/lmcc/lmcc-receiver.h>
#include "wire/levels.h"

G_BEGIN_DECLS

/**
 * LmccRungSwitch:
 * @wanted: the level that waits for a key frame; -1: none
 * @reason: why the level is wanted
 * @received: packets received up to the wish
 * @lost: packets lost up to the wish
 * @leave_at: when to leave the layers that the level lacks; %LMCC_TIME_NONE: when the
 *     level is shown
 * @join_at: when to join the level
 * @lingering: layers of the rung being shown that the level lacks
 * @until: when to leave these at the latest
 * @joined_at: when the level was joined beside layers that it lacks
 * @failed: levels that were left again after such a join; bit i is level i
 * @failed_until: how long @failed counts
 * @n_keys: key frames of the lowest rung so far, as counted by the gate
 * @key_time: when the latest of them was seen
 */
typedef struct
{
  gint wanted;
  const gchar *reason;
  guint64 received;
  guint64 lost;
  LmccTime leave_at;
  LmccTime join_at;
  LmccLayerSet lingering;
  LmccTime until;
  LmccTime joined_at;
  guint64 failed;
  LmccTime failed_until;
  guint64 n_keys;
  LmccTime key_time;
} LmccRungSwitch;

void lmcc_receiver_reset_rung_switch (LmccReceiver *receiver);
void lmcc_receiver_note_keys (LmccReceiver *receiver, LmccTime now);
gint lmcc_receiver_postpone_level (LmccReceiver *receiver, gint level, gint cap,
    const gchar **reason, LmccTime now);
LmccLayerSet
lmcc_receiver_find_layers (LmccReceiver *receiver, gint level, LmccTime now);
LmccTime lmcc_receiver_next_rung_switch (const LmccReceiver *receiver);

G_END_DECLS

#endif
