/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_SINGLE_RATE_RECEIVER_H
#define LMCC_CONTROL_SINGLE_RATE_RECEIVER_H

#include "control/controller.h"

G_BEGIN_DECLS

/**
 * LmccSingleRateController:
 * @parent: the whole stream is the base layer, which stays joined
 * @ssrc: SSRC of this receiver's reports
 * @has_leader: a receiver sets the rate, according to the latest packets
 * @leader: its SSRC
 *
 * Common part of single-rate receivers: they report the rate that they can receive, and
 * the sender follows.
 */
typedef struct
{
  LmccController parent;
  guint32 ssrc;
  gboolean has_leader;
  guint32 leader;
} LmccSingleRateController;

void lmcc_single_rate_controller_init (LmccSingleRateController *single,
    const LmccAlgorithm *algorithm, const LmccControllerClass *klass,
    const LmccSession *session, guint32 seed);
void
lmcc_single_rate_controller_get_status (const LmccSingleRateController *single,
    LmccControllerStatus *status);

G_END_DECLS

#endif
