/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "receiver/source-evidence.h"

#include <gst/lmcc/lmcc-receiver.h>

/* What goes on may lose some packets, but does not leap. */
#define LONGEST_STEP 8

/* What a layer carries goes up and down about what is announced. */
#define ANNOUNCED_SHARE 2

/* A few packets a second beside a record that announces no more are not a
 * video: a native layer in which nothing happens has 10 fillers a second, 5
 * kbit/s (LMCC_FILLER_INTERVAL). */
#define LEAST_RATE 16000

/*
 * lmcc_source_evidence_packet:
 * @evidence: of a sender
 * @now: the time
 * @header: of a packet that fits its session
 * @size: of the packet, bytes
 *
 * A packet out of sequence is no evidence; after a silence it begins anew. What
 * the network lost between counts: a path that is too narrow makes no forger of
 * a sender.
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
 * @evidence: of a sender
 * @now: the time
 * @duration: for so long at least, not 0
 * @session: what the sender announces
 *
 * Returns: whether the sender has sent, until now, media as a session does
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
