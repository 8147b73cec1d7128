/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * SDP: a refusal has a reason; what is taken is valid, and both forms of it are
 * read as the same session.
 */
#include "fuzz.h"

#include <gst/lmcc/lmcc.h>
#include <string.h>

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

  return 0;
}
