/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_RIVALS_H
#define LMCC_SENDER_RIVALS_H

#include <gst/lmcc/lmcc-address.h>

G_BEGIN_DECLS

/* So many other senders are kept in mind. */
#define LMCC_SENDER_MAX_RIVALS 8

/* Whoever is heard again after so long sends on: it is not a late packet of a
 * sender that has just ended. Shorter than the distance of two records. */
#define LMCC_SENDER_RIVAL_PROOF (200 * LMCC_MSECOND)

/* Whoever is silent for so long is gone: some of its records may be lost. */
#define LMCC_SENDER_RIVAL_MEMORY (10 * LMCC_SECOND)

/* The user is told of one in so long: who has a thousand addresses must not
 * fill a log. */
#define LMCC_SENDER_RIVAL_INTERVAL (10 * LMCC_SECOND)

/**
 * LmccSenderRival:
 * @address: whose; of no family where the place is free
 * @ssrc_base: of its session
 * @first: when it was heard first
 * @latest: when it was heard last
 * @told: the user knows
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
 * Other senders on the groups of a session. All zero to begin with.
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
