/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions that algorithms with slots share for fitting a session.
 */
#include "control/sending.h"

#include "control/slots/sync-points.h"

#include <glib/gi18n-lib.h>

/* A slot without a packet of the base layer counts as loss. With two packets
 * per slot, no slot is without one if RTCP takes a turn. */
#define MIN_BASE_PACKETS 2

/* Returns %FALSE, with an error in %LMCC_SESSION_ERROR. */
gboolean
lmcc_sending_refuse (GError **error, const gchar *format, ...)
{
  g_autofree gchar *text = NULL;
  va_list arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error_literal (error, LMCC_SESSION_ERROR, LMCC_SESSION_ERROR_VALUE,
      text);

  return FALSE;
}

/* Whether each layer has a fixed rate. */
gboolean
lmcc_sending_check_rates (const LmccSession *session, GError **error)
{
  guint i;

  for (i = 0; i < session->n_layers; i++) {
    if (session->layers[i].rate == 0)
      return lmcc_sending_refuse (error,
          _ ("layer %u has no rate: set its rate"), i);
  }

  return TRUE;
}

/* Time that @n packets of the base layer take. */
LmccTime
lmcc_sending_slot_from_packets (const LmccSession *session, guint n)
{
  return lmcc_rlc_slot_from_packets ((gdouble) session->layers[0].rate,
      session->packet_size, n);
}

/* Takes the slot computed from a round-trip time; it must not be set in
 * addition. */
gboolean
lmcc_sending_take_slot (LmccSession *session, LmccTime slot, GError **error)
{
  slot = MAX (slot, lmcc_sending_slot_from_packets (session, MIN_BASE_PACKETS));
  if (session->slot != 0 && session->slot != slot)
    return lmcc_sending_refuse (error,
        _ ("the slot and the nominal round-trip time both determine the slot "
           "of %s: set only one of them"),
        session->algorithm);
  session->slot = slot;

  return TRUE;
}
