/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SDP_H
#define LMCC_SDP_H

#include <gst/lmcc/lmcc-session.h>

G_BEGIN_DECLS

/* Longest session description that is read. */
#define LMCC_SDP_MAX_SIZE 16384

/**
 * LmccSdpForm:
 * @LMCC_SDP_FILE: readable, complete, for sdp-location; a player that knows
 *     nothing of layers opens the base group
 * @LMCC_SDP_RECORD: the same information in the fewest bytes, for RTCP
 */
typedef enum
{
  LMCC_SDP_FILE,
  LMCC_SDP_RECORD,
} LmccSdpForm;

LMCC_API gchar *lmcc_sdp_format (const LmccSession *session, LmccSdpForm form);
LMCC_API gboolean lmcc_sdp_parse (const gchar *text, gssize size,
    LmccSession *session, GError **error);

G_END_DECLS

#endif
