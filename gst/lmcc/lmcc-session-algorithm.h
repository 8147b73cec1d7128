/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SESSION_ALGORITHM_H
#define LMCC_SESSION_ALGORITHM_H

#include <gst/lmcc/lmcc-session.h>
#include <gst/lmcc/lmcc-settings.h>

G_BEGIN_DECLS

/* T, the slot of FLID (Byers et al., "FLID-DL: Congestion Control for Layered
 * Multicast", IEEE JSAC 20(8), 2002, section V-A). */
#define LMCC_FLID_SLOT (LMCC_SECOND / 2)

/* Round-trip time of the TCP connection whose rate receivers aim at: a fifth of FLID's
 * slot (same section). */
#define LMCC_DEFAULT_NOMINAL_RTT (100 * LMCC_MSECOND)

/* Time for which routers keep forwarding after a leave: the maximum of FLID-DL's 2 to
 * 4 s (section V-B). */
#define LMCC_DEFAULT_LEAVE_LATENCY (4 * LMCC_SECOND)

/**
 * LmccIncreaseMethod:
 * @LMCC_INCREASE_METHOD_HEURISTIC: the heuristic of appendix A
 * @LMCC_INCREASE_METHOD_HILL_CLIMB: hill climbing, appendix B, over
 *     %LMCC_LOSS_GRID_LINEAR
 * @LMCC_INCREASE_METHOD_HILL_CLIMB_LOG: hill climbing, appendix B, over
 *     %LMCC_LOSS_GRID_LOGARITHMIC
 *
 * How the increase probabilities p_i are computed from a target rate (Byers et al.,
 * "FLID-DL: Congestion Control for Layered Multicast", IEEE JSAC 20(8), 2002, appendix).
 */
typedef enum
{
  LMCC_INCREASE_METHOD_HEURISTIC,
  LMCC_INCREASE_METHOD_HILL_CLIMB,
  LMCC_INCREASE_METHOD_HILL_CLIMB_LOG,
} LmccIncreaseMethod;

LMCC_API gboolean lmcc_increase_method_from_name (const gchar *name,
    LmccIncreaseMethod *method);
LMCC_API gboolean lmcc_increase_probabilities_parse (const gchar *text,
    guint n_levels, gdouble *probabilities, GError **error);

LMCC_API gboolean lmcc_session_fit_algorithm (LmccSession *session,
    LmccTime nominal_rtt, LmccTime leave_latency, GError **error);
LMCC_API void lmcc_session_compute_probabilities (const LmccSession *session,
    LmccTime nominal_rtt, LmccIncreaseMethod method, gdouble *probabilities);
LMCC_API const LmccSetting *
lmcc_session_algorithm_get_settings (const gchar *name, guint *n);
LMCC_API gboolean lmcc_session_has_second_element (const LmccSession *session);
LMCC_API guint32 lmcc_session_make_receiver_ssrc (const LmccSession *session,
    guint32 seed);
LMCC_API gboolean lmcc_session_has_single_rate (const LmccSession *session);
LMCC_API gboolean lmcc_session_has_driven_base (const LmccSession *session);
LMCC_API const gchar *
lmcc_session_get_base_algorithm (const LmccSession *session);

G_END_DECLS

#endif
