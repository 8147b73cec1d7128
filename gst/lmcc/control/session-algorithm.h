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
 * @algorithm: (nullable): the session's; %NULL: its name is not known here
 * @base: (nullable): by which receivers' reports set the base's rate: @algorithm,
 *     or another one below it
 *
 * What the names in a session stand for. Who handles packets finds them once.
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
