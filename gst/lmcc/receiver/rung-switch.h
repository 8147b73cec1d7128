/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Going up from one rung to another where no level has both: the one is held
 * until the other is shown, and the other is joined shortly before it can be.
 * Where the path did not carry both, the one is left before that.
 */
#ifndef LMCC_RECEIVER_RUNG_SWITCH_H
#define LMCC_RECEIVER_RUNG_SWITCH_H

#include <gst/lmcc/lmcc-receiver.h>
#include "wire/levels.h"

G_BEGIN_DECLS

/**
 * LmccRungSwitch:
 * @wanted: the level that waits for a key frame; -1: none
 * @reason: why it is wanted
 * @received: packets that had come until it was wanted
 * @lost: likewise
 * @leave_at: when what it has not is left; none: when it is shown
 * @join_at: when it is joined
 * @lingering: layers of the rung that is shown, which the level does not have
 * @until: when they are left at the latest
 * @joined_at: when the level was joined beside what it has not
 * @failed: levels that were left again after that; bit i is level i
 * @failed_until: how long that is believed
 * @n_keys: key frames of the lowest rung that were seen, as the gate counts them
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
