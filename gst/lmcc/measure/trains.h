/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Trains: for each level above the base the sender sends, once in a cycle, a short
 * run of packets that are due soon at the rate that the level would have, and as
 * much silence after it. Whether a queue grows meanwhile says whether the level
 * fits, as in Jain and Dovrolis, "End-to-end available bandwidth", 2002, but the
 * bytes are those of the session itself, and one train serves all receivers.
 */
#ifndef LMCC_MEASURE_TRAINS_H
#define LMCC_MEASURE_TRAINS_H

#include <gst/lmcc/lmcc-session.h>

G_BEGIN_DECLS

/* From one train to that of the next level at least: room for the longest one
 * behind what is sent before it, which takes twice as long. */
#define LMCC_TRAIN_PERIOD_MIN (210 * LMCC_MSECOND)

/* The most packets of a train. Where the next layer does not fit at all, half of
 * them stand in the queue at its end if layers double. */
#define LMCC_TRAIN_MAX_PACKETS 22

LmccTime lmcc_train_period (const LmccSession *session);

G_END_DECLS

#endif
