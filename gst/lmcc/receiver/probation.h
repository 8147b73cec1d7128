/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_PROBATION_H
#define LMCC_RECEIVER_PROBATION_H

#include <gst/lmcc/lmcc-packet.h>
#include "receiver/layer-holes.h"
#include "wire/layer-header.h"
#include "wire/rtp.h"

G_BEGIN_DECLS

/*
 * LmccClaim:
 * @packet: the packet, owned
 * @group: the group that it arrived in
 * @arrival: arrival time
 * @fresh: no packet has arrived in order since
 * @told: the account has already counted it as late
 *
 * A packet and the numbers in its headers.
 */
typedef struct
{
  LmccPacket *packet;
  LmccRtp rtp;
  LmccHeader header;
  guint group;
  LmccTime arrival;
  gboolean fresh;
  gboolean told;
} LmccClaim;

/*
 * LmccVerdict:
 * @LMCC_VERDICT_BELIEVED: accepted
 * @LMCC_VERDICT_RESTART: accepted, and the numbers restart with it
 * @LMCC_VERDICT_REFUSED: rejected
 */
typedef enum
{
  LMCC_VERDICT_BELIEVED,
  LMCC_VERDICT_RESTART,
  LMCC_VERDICT_REFUSED,
} LmccVerdict;

/*
 * LmccProbation:
 * Decides which packets of a layer come from its sender. An attacker who forges the
 * sender's address must match its numbers.
 *
 * A packet is accepted at once if it follows the previous one in all of them: layer
 * sequence number, RTP sequence number, order number and send time. So is a packet
 * that is not ahead of the latest one; the account then tells missing, late and
 * duplicate packets apart. A gap of up to @max_leap with consistent numbers is also
 * accepted at once, unless a packet of the layer was recently out of order or refuted
 * (@wary_until). Packets further ahead, or inconsistent ones, are on probation (RFC
 * 3550 appendix A.1 does the same for sequence numbers): they are accepted when three
 * packets confirm each other and none has arrived in order meanwhile. A loss before
 * them counts at the same time (RFC 5348 section 5.1). If packets are rare, two
 * suffice after the time that makes a gap a loss, if the layer is overdue.
 */
typedef struct
{
  guint max_leap;
  gboolean started;
  gboolean proven; /* a second packet followed the first */
  LmccHeader last; /* of the newest accepted packet */
  guint32 timestamp;
  LmccTime arrival;
  LmccTime longest; /* longest recent interval between two packets in order */
  guint32 heard;    /* bits: RTP streams, by slot */
  guint16 sequence[LMCC_N_SLOTS];
  guint missed; /* numbers of the layer that were skipped */
  guint missed_at[LMCC_N_SLOTS];
  guint n_taken;
  LmccTime wary_until; /* even small leaps are on probation until then */
  guint osn_reach;     /* the largest step between two packets in order */
  gboolean has_other;
  LmccHeader other; /* the newest accepted packet before the latest leap */
  LmccTime other_arrival;
  GArray *claims;   /* array of LmccClaim on probation, by arrival */
  GArray *verdicts; /* to be polled */
  guint n_polled;
} LmccProbation;

void lmcc_probation_init (LmccProbation *probation, guint max_leap);
void lmcc_probation_clear (LmccProbation *probation);
void lmcc_probation_reset (LmccProbation *probation);
gboolean lmcc_probation_push (LmccProbation *probation, LmccClaim *claim);
gboolean lmcc_probation_poll (LmccProbation *probation, LmccClaim *claim,
    LmccVerdict *verdict);
void lmcc_probation_timeout (LmccProbation *probation, LmccTime now);
void lmcc_probation_flush (LmccProbation *probation);
LmccTime lmcc_probation_next_timeout (const LmccProbation *probation);

G_END_DECLS

#endif
