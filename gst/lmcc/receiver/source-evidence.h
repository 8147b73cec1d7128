/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_SOURCE_EVIDENCE_H
#define LMCC_RECEIVER_SOURCE_EVIDENCE_H

#include <gst/lmcc/lmcc-session.h>
#include "wire/layer-header.h"

G_BEGIN_DECLS

/* Two seconds of media prove that a sender is genuine; a record arrives within this
 * time, too. After the longer time the sender is established and stays so. */
#define LMCC_SOURCE_PROOF (2 * LMCC_SECOND)
#define LMCC_SOURCE_ESTABLISHED (10 * LMCC_SECOND)

/**
 * LmccSourceEvidence:
 * @since: when the continuous media began
 * @latest: arrival time of the latest packet
 * @layer: layer of the latest packet
 * @lsn: layer sequence number of the latest packet
 * @bits: bits of UDP payload sent since
 *
 * Evidence that a sender is genuine: not its record, which costs a forger nothing, but
 * media in sequence at the announced rate. Initially all zeros.
 */
typedef struct
{
  /*< private >*/
  gboolean any;
  LmccTime since;
  LmccTime latest;
  guint8 layer;
  guint16 lsn;
  guint64 bits;
} LmccSourceEvidence;

void lmcc_source_evidence_packet (LmccSourceEvidence *evidence, LmccTime now,
    const LmccHeader *header, gsize size);
gboolean lmcc_source_evidence_is_full (const LmccSourceEvidence *evidence,
    LmccTime now, LmccTime duration, const LmccSession *session);

G_END_DECLS

#endif
