/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_MEMBERSHIP_H
#define LMCC_RECEIVER_MEMBERSHIP_H

#include <gst/lmcc/lmcc-receiver.h>
#include "control/slots/dynamic-layering.h"
#include "control/slots/slot-clock.h"
#include "receiver/layer-entry.h"
#include "wire/layer-header.h"
#include "wire/levels.h"

G_BEGIN_DECLS

/* State of a group. */
typedef struct
{
  guint joined : 1;
  guint ahead : 1; /* joined for the next slot */
  guint heard : 1;
  guint slot; /* the slot that it was joined for */
  LmccTime joined_at;
  LmccTime last_packet;
  LmccTime left_at; /* 0: never */
} LmccReceiverGroup;

/**
 * LmccReceiverMembership:
 * @layering: layering of the session
 * @no_layering: the session's layering is invalid
 * @slots: (nullable): slots of dynamic layering
 * @slot: the slot whose groups are joined
 * @join_lead: how long before a slot begins its groups are joined
 * @entries: joins of layers, and the packets expected since
 * @groups: state of each group
 * @groups_end: the highest joined group, plus one
 * @warned_unwanted: it was reported that the network does not honour a leave
 */
typedef struct
{
  LmccDynamicLayering layering;
  gboolean no_layering;
  LmccSlotClock *slots;
  guint slot;
  LmccTime join_lead;
  LmccLayerEntries entries;
  LmccReceiverGroup groups[LMCC_MAX_GROUPS];
  guint groups_end;
  gboolean warned_unwanted;
} LmccReceiverMembership;

void lmcc_receiver_join (LmccReceiver *receiver, guint group, LmccTime now);
void lmcc_receiver_leave (LmccReceiver *receiver, guint group, LmccTime now);
void lmcc_receiver_rejoin_silent (LmccReceiver *receiver, LmccTime now);
LmccTime lmcc_receiver_next_rejoin (const LmccReceiver *receiver);
void lmcc_receiver_take_layering (LmccReceiver *receiver);
void lmcc_receiver_clear_layering (LmccReceiver *receiver);
gint lmcc_receiver_group_layer (const LmccReceiver *receiver, guint slot,
    guint group);
void lmcc_receiver_update_groups (LmccReceiver *receiver, LmccTime now);
void lmcc_receiver_change_groups (LmccReceiver *receiver, LmccLayerSet from,
    LmccTime now);
void lmcc_receiver_expect_packets (LmccReceiver *receiver, LmccTime now,
    LmccTime arrival, const LmccHeader *header);
void lmcc_receiver_packet_slot (LmccReceiver *receiver, LmccTime arrival,
    const LmccHeader *header);
void lmcc_receiver_handle_slot (LmccReceiver *receiver, LmccTime now);
LmccTime lmcc_receiver_next_slot (const LmccReceiver *receiver);
void
lmcc_receiver_check_leave (LmccReceiver *receiver, guint group, LmccTime now);
void lmcc_receiver_measure_join (LmccReceiver *receiver, LmccTime now,
    const LmccReceiverGroup *group, const LmccHeader *header,
    gboolean after_gap);

G_END_DECLS

#endif
