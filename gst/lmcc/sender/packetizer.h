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

/* Least payload size of a filler packet. */
#define LMCC_FILLER_PAYLOAD_SIZE 4

/* Sequence numbers of a layer index on the wire; they continue when the layer table
 * changes. */
typedef struct
{
  guint16 lsn;
  gboolean sent; /* a packet was sent, in the slot of the next two fields */
  guint16 slot;
  gint n_in_slot;
  guint16 filler_sequence;
  guint16 repair_sequence;
  guint16 sequence[LMCC_N_STREAMS];
} LmccLayerNumbers;

/**
 * LmccPacketizer:
 * @session: the sender's session, as it is when a packet is built
 * @announcer: the sender's announcer, for the clocks
 * @says_place: packets above the base layer carry their place in the slot
 * @marks: slot marks of the next packets
 * @single: (nullable): the sender's single-rate algorithm
 * @numbers: sequence numbers of each layer
 *
 * Builds the sender's RTP packets in wire format.
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
