/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Effects of a session's algorithms on its packets and reports.
 */
#include "control/session-algorithm.h"

#include "control/controller.h"
#include "wire/levels.h"
#include "wire/sdp-internal.h"

#include <glib/gi18n-lib.h>

/*
 * lmcc_session_find_algorithms:
 * @session: a session
 * @found: (out): the registered algorithms of the session
 */
void
lmcc_session_find_algorithms (const LmccSession *session,
    LmccSessionAlgorithms *found)
{
  const LmccAlgorithm *below = lmcc_algorithm_find (session->base_algorithm);

  found->algorithm = lmcc_algorithm_find (session->algorithm);
  found->base = NULL;
  if (lmcc_algorithm_sets_rate (found->algorithm))
    found->base = found->algorithm;
  else if (lmcc_algorithm_sets_rate (below))
    found->base = below;
}

/**
 * lmcc_session_has_second_element:
 * @session: a session
 *
 * Checks whether the session's algorithms add a second header element to
 * packets.
 *
 * Returns: whether packets carry a second header element
 */
gboolean
lmcc_session_has_second_element (const LmccSession *session)
{
  LmccSessionAlgorithms found;

  lmcc_session_find_algorithms (session, &found);

  return found.base != NULL
      || (session->slot > 0 && lmcc_algorithm_has_slots (found.algorithm));
}

/**
 * lmcc_session_has_single_rate:
 * @session: a session
 *
 * Checks whether a session is a single-rate session.
 *
 * Returns: whether all receivers get one rate, which their reports set: pgmcc
 * or tfmcc
 */
gboolean
lmcc_session_has_single_rate (const LmccSession *session)
{
  return lmcc_algorithm_sets_rate (lmcc_algorithm_find (session->algorithm));
}

/**
 * lmcc_session_get_base_algorithm:
 * @session: a session
 *
 * Returns the algorithm that sets the rate of the base layer.
 *
 * Returns: the algorithm by which receivers' reports set the base layer's rate:
 * pgmcc, tfmcc, or none
 */
const gchar *
lmcc_session_get_base_algorithm (const LmccSession *session)
{
  LmccSessionAlgorithms found;

  lmcc_session_find_algorithms (session, &found);

  return found.base != NULL ? found.base->name : lmcc_algorithm_none.name;
}

/**
 * lmcc_session_has_driven_base:
 * @session: a session
 *
 * Checks whether the network sets the rate of the base layer.
 *
 * Returns: whether receivers' reports set the base layer's rate, while
 * receivers may choose among layers above it
 */
gboolean
lmcc_session_has_driven_base (const LmccSession *session)
{
  LmccSessionAlgorithms found;

  lmcc_session_find_algorithms (session, &found);

  return found.base != NULL && found.base != found.algorithm;
}

/**
 * lmcc_algorithm_find_obstacle:
 * @algorithm: an algorithm
 * @session: a session in which it is to run
 *
 * Checks whether receivers can use an algorithm in a session.
 *
 * Returns: (transfer full) (nullable): why the algorithm cannot run in that
 * session, and how to fix it; %NULL if it can
 */
gchar *
lmcc_algorithm_find_obstacle (const LmccAlgorithm *algorithm,
    const LmccSession *session)
{
  const gchar *name = algorithm->name;

  if (lmcc_algorithm_sets_rate (algorithm)
      && !g_str_equal (session->algorithm, name))
    return g_strdup_printf (
        _ ("%s sets the sender's rate, but this session's sender runs %s: use "
           "algorithm=auto, or start lmccsink with algorithm=%s"),
        name, session->algorithm, name);
  if (!lmcc_algorithm_has_slots (algorithm)
      && !lmcc_algorithm_sets_rate (algorithm)
      && algorithm != &lmcc_algorithm_none
      && lmcc_session_has_single_rate (session))
    return g_strdup_printf (
        _ ("%s chooses among layers, but this session has a single rate, which "
           "receiver reports for %s set: use algorithm=auto, or start lmccsink "
           "with algorithm=%s"),
        name, session->algorithm, name);
  if (!lmcc_algorithm_has_slots (algorithm))
    return NULL;
  if (session->slot == 0)
    return g_strdup_printf (
        _ ("%s needs layers of fixed rates with time slots, which this session "
           "does not have: use algorithm=auto, plumb or elm, or start lmccsink "
           "with algorithm=%s layering=doubling"),
        name, name);
  if (!g_str_equal (session->algorithm, name))
    return g_strdup_printf (
        _ ("%s needs its own marks in packets, but this session has those of "
           "%s: use algorithm=auto, or start lmccsink with algorithm=%s"),
        name, session->algorithm, name);
  if (!lmcc_session_is_cumulative (session))
    return g_strdup_printf (
        _ ("%s needs cumulative levels, which this session does not have: "
           "start lmccsink with another algorithm"),
        name);

  return NULL;
}

/**
 * lmcc_sdp_format:
 * @session: a session that lmcc_session_validate() accepts
 * @form: the form of the description
 *
 * Writes a session description according to docs/developers/wire-format.md. A
 * player that does not know layers plays the base layer from it.
 *
 * Returns: (transfer full) (nullable): the text, or %NULL if @session is not
 * valid
 */
gchar *
lmcc_sdp_format (const LmccSession *session, LmccSdpForm form)
{
  if (!lmcc_session_validate (session, NULL))
    return NULL;

  return lmcc_sdp_write (session, form, NULL,
      form == LMCC_SDP_FILE && lmcc_session_has_second_element (session));
}

/**
 * lmcc_sdp_format_file:
 * @session: a session that lmcc_session_validate() accepts
 * @details: additional information
 *
 * As lmcc_sdp_format() in the form %LMCC_SDP_FILE, with @details.
 *
 * Returns: (transfer full) (nullable): the text, or %NULL if @session is not
 * valid
 */
gchar *
lmcc_sdp_format_file (const LmccSession *session, const LmccSdpDetails *details)
{
  if (!lmcc_session_validate (session, NULL))
    return NULL;

  return lmcc_sdp_write (session, LMCC_SDP_FILE, details,
      lmcc_session_has_second_element (session));
}
