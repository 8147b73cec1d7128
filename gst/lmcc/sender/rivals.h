/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_RIVALS_H
#define LMCC_SENDER_RIVALS_H

#include <gst/lmcc/lmcc-address.h>

G_BEGIN_DECLS

/* Greatest number of other senders that are remembered. */
#define LMCC_SENDER_MAX_RIVALS 8

/* A sender that is heard again after this time is still active, and the packet is not
 * a late one of a sender that has just ended. Shorter than the interval of two
 * records. */
#define LMCC_SENDER_RIVAL_PROOF (200 * LMCC_MSECOND)

/* A sender that is silent for this long has gone: some of its records may be lost. */
#define LMCC_SENDER_RIVAL_MEMORY (10 * LMCC_SECOND)

/* Least interval between reports to the user: an attacker with a thousand addresses
 * must not flood a log. */
#define LMCC_SENDER_RIVAL_INTERVAL (10 * LMCC_SECOND)

/**
 * LmccSenderRival:
 * @address: the sender's address; without a family if the entry is free
 * @ssrc_base: S0 of its session
 * @first: when it was first heard
 * @latest: when it was last heard
 * @told: the user was informed
 */
typedef struct
{
  LmccAddress address;
  guint32 ssrc_base;
  LmccTime first;
  LmccTime latest;
  gboolean told;
} LmccSenderRival;

/**
 * LmccSenderRivals:
 * Other senders on the groups of a session. Initially all zeros.
 */
typedef struct
{
  /*< private >*/
  LmccSenderRival rivals[LMCC_SENDER_MAX_RIVALS];
  gboolean any_told;
  LmccTime latest_told;
} LmccSenderRivals;

gboolean lmcc_sender_rivals_take (LmccSenderRivals *rivals, guint32 own_ssrc,
    LmccTime now, const LmccAddress *source, const guint8 *data, gsize size);
gboolean
lmcc_sender_rivals_take_media (LmccSenderRivals *rivals, guint32 own_ssrc,
    LmccTime now, const LmccAddress *source, const guint8 *data, gsize size);

G_END_DECLS

#endif
