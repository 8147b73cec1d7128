/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_PACKETIZER_H
#define LMCC_SENDER_PACKETIZER_H

#include "control/single-rate/sender.h"
#include "sender/allocator.h"
#include "sender/announcer.h"
#include "sender/schedule.h"

G_BEGIN_DECLS

#define LMCC_N_STREAMS 16

/* The least that a filler packet carries. */
#define LMCC_FILLER_PAYLOAD_SIZE 4

/* What a layer index counts on the wire; it stays when the table changes. */
typedef struct
{
  guint16 lsn;
  gboolean sent; /* a packet, in the slot of the two below */
  guint16 slot;
  gint n_in_slot;
  guint16 filler_sequence;
  guint16 repair_sequence;
  guint16 sequence[LMCC_N_STREAMS];
} LmccLayerNumbers;

/**
 * LmccPacketizer:
 * @session: the sender's, as it is when a packet is made
 * @announcer: the sender's, for the clocks
 * @says_place: packets above the base say their place in the slot
 * @marks: what the next packets say of their slot
 * @single: (nullable): the sender's, where all receivers get one rate
 * @numbers: of each layer
 *
 * Makes the sender's RTP packets as they are on the wire.
 */
typedef struct
{
  const LmccSession *session;
  const LmccAnnouncer *announcer;
  gboolean says_place;
  LmccMarks marks;
  LmccSingleRate *single;
  LmccLayerNumbers numbers[LMCC_MAX_LAYERS];
} LmccPacketizer;

void lmcc_packetizer_init (LmccPacketizer *packetizer,
    const LmccSession *session, const LmccAnnouncer *announcer, guint32 seed);
LmccPacket *lmcc_packetizer_media (LmccPacketizer *packetizer, guint layer,
    LmccAllotment *allotment, LmccTime now);
LmccPacket *lmcc_packetizer_filler (LmccPacketizer *packetizer, guint layer,
    guint16 osn, gsize payload_size, LmccTime now);
LmccPacket *lmcc_packetizer_repair (LmccPacketizer *packetizer, guint layer,
    guint16 osn, const LmccPacket *payload, LmccTime now);

G_END_DECLS

#endif
