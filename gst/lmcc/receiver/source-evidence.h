/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_SOURCE_EVIDENCE_H
#define LMCC_RECEIVER_SOURCE_EVIDENCE_H

#include <gst/lmcc/lmcc-session.h>
#include "wire/layer-header.h"

G_BEGIN_DECLS

/* Two seconds of media show that a sender is one: a record comes in this time,
 * too. After so long it is known and stays so. */
#define LMCC_SOURCE_PROOF (2 * LMCC_SECOND)
#define LMCC_SOURCE_ESTABLISHED (10 * LMCC_SECOND)

/**
 * LmccSourceEvidence:
 * @since: when the media that go on began
 * @latest: when the latest packet came
 * @layer: of that packet
 * @lsn: of that packet
 * @bits: that were sent since, of UDP payloads
 *
 * What speaks for a sender: not its record, which costs it nothing, but media
 * in sequence, at the rate that it announces. All zero to begin with.
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
