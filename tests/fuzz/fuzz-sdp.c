/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fuzzes the SDP parser. A rejection has a reason; an accepted description
 * is valid, and both of its forms are read as the same session.
 */
#include "fuzz.h"

#include <gst/lmcc/lmcc.h>
#include <string.h>

/* Whatever a user calls the session, and whatever parameters the encoder
 * has, the session is read back unchanged. */
static void
check_details (const LmccSession *session, const guint8 *data, gsize size)
{
  g_autofree gchar *words = g_strndup ((const gchar *) data, size);
  LmccSdpDetails details = { words, words, { 0 } };
  g_autofree gchar *text = lmcc_sdp_format_file (session, &details);
  g_autofree gchar *plain = lmcc_sdp_format (session, LMCC_SDP_FILE);
  g_autofree gchar *again = NULL;
  LmccSession read;

  g_assert (lmcc_sdp_parse (text, -1, &read, NULL));
  again = lmcc_sdp_format (&read, LMCC_SDP_FILE);
  g_assert (g_str_equal (plain, again));
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  LmccSession session, again;
  LmccSdpForm form;

  if (!lmcc_sdp_parse ((const gchar *) data, size, &session, &error)) {
    g_assert (error != NULL && error->message[0] != '\0');
    return 0;
  }

  g_assert (lmcc_session_validate (&session, NULL));
  for (form = LMCC_SDP_FILE; form <= LMCC_SDP_RECORD; form++) {
    g_autofree gchar *first = lmcc_sdp_format (&session, form);
    g_autofree gchar *second = NULL;

    g_assert (lmcc_sdp_parse (first, -1, &again, NULL));
    second = lmcc_sdp_format (&again, form);
    g_assert (g_str_equal (first, second));
  }

  check_details (&session, data, size);

  return 0;
}
