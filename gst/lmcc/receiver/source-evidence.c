/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "receiver/source-evidence.h"

#include <gst/lmcc/lmcc-receiver.h>

/* A continuing stream may lose packets but does not leap. */
#define LONGEST_STEP 8

/* Least fraction of the announced rate, because the rate of a layer varies
 * about the announced one. */
#define ANNOUNCED_SHARE 2

/* A few packets a second, with a record that announces no more, are not a
 * video: an idle native layer has 10 fillers a second, 5 kbit/s
 * (LMCC_FILLER_INTERVAL). */
#define LEAST_RATE 16000

/*
 * lmcc_source_evidence_packet:
 * @evidence: evidence for a sender
 * @now: the time
 * @header: header element of a packet that fits the sender's session
 * @size: size of the packet in bytes
 *
 * A packet out of sequence does not count, and after a silence the evidence
 * restarts. Packets lost by the network do count: a sender is no forger
 * because a path is too narrow.
 */
void
lmcc_source_evidence_packet (LmccSourceEvidence *evidence, LmccTime now,
    const LmccHeader *header, gsize size)
{
  guint16 step = (guint16) (header->lsn - evidence->lsn);
  gboolean goes_on = evidence->any && header->layer == evidence->layer;

  if (!evidence->any || now >= evidence->latest + LMCC_SOURCE_TIMEOUT) {
    *evidence = (LmccSourceEvidence){ .any = TRUE, .since = now };
    goes_on = FALSE;
  } else if (goes_on && (step == 0 || step > LONGEST_STEP)) {
    return;
  }
  evidence->latest = now;
  evidence->layer = header->layer;
  evidence->lsn = header->lsn;
  evidence->bits += (guint64) size * 8 * (goes_on ? step : 1);
}

/*
 * lmcc_source_evidence_is_full:
 * @evidence: evidence for a sender
 * @now: the time
 * @duration: least duration of the evidence, not 0
 * @session: the session that the sender announces
 *
 * Returns: whether the sender has sent media as announced, until now
 */
gboolean
lmcc_source_evidence_is_full (const LmccSourceEvidence *evidence, LmccTime now,
    LmccTime duration, const LmccSession *session)
{
  LmccTime span = evidence->latest - evidence->since;
  guint64 rate;

  if (!evidence->any || span < duration
      || now >= evidence->latest + LMCC_SOURCE_TIMEOUT)
    return FALSE;
  rate = (guint64) ((gdouble) evidence->bits * LMCC_SECOND / span);

  return rate >= LEAST_RATE
      && rate >= lmcc_session_level_rate (session, 0) / ANNOUNCED_SHARE;
}
