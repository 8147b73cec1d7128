/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_CONTROL_SENDING_H
#define LMCC_CONTROL_SENDING_H

#include <gst/lmcc/lmcc-algorithm.h>
#include "control/marker.h"
#include "control/single-rate/rate-setter.h"

G_BEGIN_DECLS

/* Limits of settings in s: the least positive value, and the longest slot. */
#define LMCC_SENDING_LEAST_TIME 1e-3
#define LMCC_SENDING_LONGEST_SLOT (LMCC_MAX_SLOT / (gdouble) LMCC_SECOND)

/**
 * LmccSending:
 * @settings: (array length=n_settings) (nullable): settings at the sender
 * @n_settings: number of settings
 * @fit: sets slot, slot modulus and groups of a session whose layers have fixed rates, as
 *     in lmcc_session_fit_algorithm()
 * @state_size: size of the state of the three functions below, in bytes; zeroed before
 *     @init
 * @init: initializes the marks of a session that was fitted
 * @mark: sets the marks of a packet of @layer that is due in @slot, @offset after its
 *     start; slots come in order
 * @get_send_time: (nullable): when that packet is sent, relative to the start of the
 *     slot: not later than it is due; %NULL: when it is due
 * @get_element_size: (nullable): bytes that the algorithm adds to each packet; %NULL:
 *     none that need room
 * @rate_setter: (nullable): how receivers' reports set the rate
 * @wants_cumulative: %LMCC_LEVELS_AUTO means %LMCC_LEVELS_CUMULATIVE
 *
 * The sender's half of an algorithm: either @rate_setter or @wants_cumulative alone, or
 * the other fields if it has slots.
 */
struct _LmccSending
{
  const LmccSetting *settings;
  guint n_settings;
  gboolean (*fit) (LmccSession *session, LmccTime nominal_rtt,
      LmccTime leave_latency, GError **error);
  gsize state_size;
  void (*init) (gpointer state, const LmccSession *session,
      const gdouble *probabilities);
  void (*mark) (gpointer state, guint64 slot, guint layer, LmccTime offset,
      LmccMarks *marks);
  LmccTime (*get_send_time) (gconstpointer state, guint64 slot, guint layer,
      LmccTime offset);
  gsize (*get_element_size) (const LmccSession *session);
  const LmccRateSetterClass *rate_setter;
  gboolean wants_cumulative;
};

gboolean lmcc_sending_refuse (GError **error, const gchar *format, ...)
    G_GNUC_PRINTF (2, 3);
gboolean lmcc_sending_check_rates (const LmccSession *session, GError **error);
LmccTime lmcc_sending_slot_from_packets (const LmccSession *session, guint n);
gboolean
lmcc_sending_take_slot (LmccSession *session, LmccTime slot, GError **error);

G_END_DECLS

#endif
