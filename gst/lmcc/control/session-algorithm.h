/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_SESSION_ALGORITHM_H
#define LMCC_CONTROL_SESSION_ALGORITHM_H

#include <gst/lmcc/lmcc-session-algorithm.h>

#include <gst/lmcc/lmcc-algorithm.h>

G_BEGIN_DECLS

/**
 * LmccSessionAlgorithms:
 * @algorithm: (nullable): the session's algorithm; %NULL: unknown here
 * @base: (nullable): the algorithm by which receivers' reports set the base layer's rate:
 *     @algorithm, or another one below it
 *
 * The algorithms named in a session, looked up once for the handling of packets.
 */
typedef struct
{
  const LmccAlgorithm *algorithm;
  const LmccAlgorithm *base;
} LmccSessionAlgorithms;

void lmcc_session_find_algorithms (const LmccSession *session,
    LmccSessionAlgorithms *found);

G_END_DECLS

#endif
