/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the names of a session's algorithms say of its packets and reports.
 */
#include <gst/lmcc/lmcc-session-algorithm.h>

#include "wire/session-internal.h"

/* Their packets say where they are in the slot, and who may go up. */
static const gchar *const slotted[] = {
  "rlc", "flid-sl", "flid-dl", "synchronized", NULL
};

/*
 * lmcc_algorithm_sets_rate:
 * @name: of an algorithm
 *
 * Returns: whether its receivers report what they can take, and that sets a
 *     rate of the sender's
 */
gboolean
lmcc_algorithm_sets_rate (const gchar * name)
{
  return g_str_equal (name, "pgmcc") || g_str_equal (name, "tfmcc");
}

/**
 * lmcc_session_has_second_element:
 * @session: a session
 *
 * Returns: whether packets carry a second element
 */
gboolean
lmcc_session_has_second_element (const LmccSession * session)
{
  return lmcc_algorithm_sets_rate (lmcc_session_get_base_algorithm (session))
      || (session->slot > 0 && g_strv_contains (slotted, session->algorithm));
}

/**
 * lmcc_session_has_single_rate:
 * @session: a session
 *
 * Returns: whether all receivers get one rate, which their reports set: pgmcc
 *     or tfmcc
 */
gboolean
lmcc_session_has_single_rate (const LmccSession * session)
{
  return lmcc_algorithm_sets_rate (session->algorithm);
}

/**
 * lmcc_session_get_base_algorithm:
 * @session: a session
 *
 * Returns: the algorithm by which receivers' reports set the base's rate:
 *     pgmcc, tfmcc, or none
 */
const gchar *
lmcc_session_get_base_algorithm (const LmccSession * session)
{
  if (lmcc_algorithm_sets_rate (session->algorithm))
    return session->algorithm;

  return lmcc_algorithm_sets_rate (session->base_algorithm)
      ? session->base_algorithm : "none";
}

/**
 * lmcc_session_has_driven_base:
 * @session: a session
 *
 * Returns: whether receivers' reports set the base's rate, and there may be
 *     layers above it that receivers choose
 */
gboolean
lmcc_session_has_driven_base (const LmccSession * session)
{
  return !lmcc_algorithm_sets_rate (session->algorithm)
      && lmcc_algorithm_sets_rate (session->base_algorithm);
}
