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
 * @packet: owned
 * @group: where it came
 * @arrival: when
 * @fresh: no packet came in order since
 * @told: it went to the account already, which takes it for late
 *
 * A packet, and what it says of itself.
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
 * @LMCC_VERDICT_BELIEVED: it counts
 * @LMCC_VERDICT_RESTART: it counts, and numbers begin anew with it
 * @LMCC_VERDICT_REFUSED: it does not
 */
typedef enum
{
  LMCC_VERDICT_BELIEVED,
  LMCC_VERDICT_RESTART,
  LMCC_VERDICT_REFUSED,
} LmccVerdict;

/*
 * LmccProbation:
 * Decides which packets of a layer are its sender's. Who forges the sender's address
 * has to fit into its numbers.
 *
 * A packet counts at once if it follows the one before in all of them: layer sequence
 * number, sequence number of its RTP stream, order number and send time. So does what is
 * not ahead; the account tells there what is missing, late or a copy. A gap of up to
 * @max_leap in which every number fits counts at once, too, unless a packet of the layer
 * came out of order or was refuted lately (@wary_until). What is further ahead, or does
 * not fit, is on probation (RFC 3550 appendix A.1 has it for sequence
 * numbers): it counts when three packets agree with each other, and none came in order
 * meanwhile. That is when a loss before them counts, too (RFC 5348 section 5.1). Where
 * packets are few two must do, when they have waited for as long as makes a gap a loss,
 * and the layer is overdue.
 */
typedef struct
{
  guint max_leap;
  gboolean started;
  gboolean proven; /* a second packet followed the first */
  LmccHeader last; /* of the newest that counts */
  guint32 timestamp;
  LmccTime arrival;
  LmccTime longest; /* between two in order, lately */
  guint32 heard;    /* bit set of RTP streams, by slot */
  guint16 sequence[LMCC_N_SLOTS];
  guint missed; /* numbers of the layer that were passed over */
  guint missed_at[LMCC_N_SLOTS];
  guint n_taken;
  LmccTime wary_until; /* small leaps are on probation, too */
  guint osn_reach;     /* the largest step between two in order */
  gboolean has_other;
  LmccHeader other; /* that was the newest before the latest leap */
  LmccTime other_arrival;
  GArray *claims;   /* of LmccClaim, on probation, by arrival */
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
