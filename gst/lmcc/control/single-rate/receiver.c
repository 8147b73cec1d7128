/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/single-rate/receiver.h"

#include <gst/lmcc/lmcc-session-algorithm.h>

/*
 * lmcc_single_rate_controller_init:
 * @single: (out): the common part of a controller
 * @algorithm: its algorithm
 * @klass: its callbacks
 * @session: the session that is received
 * @seed: a random number, different for each receiver
 */
void
lmcc_single_rate_controller_init (LmccSingleRateController *single,
    const LmccAlgorithm *algorithm, const LmccControllerClass *klass,
    const LmccSession *session, guint32 seed)
{
  lmcc_controller_init (&single->parent, algorithm, klass);
  lmcc_controller_want (&single->parent, 0, "a single rate for all receivers");
  single->ssrc = lmcc_session_make_receiver_ssrc (session, seed);
}

/*
 * lmcc_single_rate_controller_get_status:
 * @single: a controller
 * @status: (inout): gets the leader
 */
void
lmcc_single_rate_controller_get_status (const LmccSingleRateController *single,
    LmccControllerStatus *status)
{
  status->has_leader = single->has_leader;
  status->leader = single->leader;
  status->leads = single->has_leader && single->leader == single->ssrc;
  status->state = status->leads ? "leads"
      : single->has_leader      ? "follows"
                                : "waits";
}
