/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SDP_H
#define LMCC_SDP_H

#include <gst/lmcc/lmcc-session.h>

G_BEGIN_DECLS

/* Greatest size of a session description that is read, in bytes. */
#define LMCC_SDP_MAX_SIZE 16384

/**
 * LmccSdpForm:
 * @LMCC_SDP_FILE: complete and readable, for sdp-location; a player that does not know
 *     layers opens the base group
 * @LMCC_SDP_RECORD: the same information in as few bytes as possible, for RTCP
 *
 * Forms of a session description.
 */
typedef enum
{
  LMCC_SDP_FILE,
  LMCC_SDP_RECORD,
} LmccSdpForm;

/**
 * LmccSdpDetails:
 * @session_name: (nullable): title of the session; control characters are written as
 *     spaces, and at most %LMCC_SDP_MAX_NAME bytes are written
 * @video_parameters: (nullable): format parameters of the lowest rung, as in a=fmtp;
 *     skipped if not in printable ASCII or longer than %LMCC_SDP_MAX_PARAMETERS bytes
 *
 * Additions to a description in the form %LMCC_SDP_FILE, for people and for players that
 * do not know layers. lmcc_sdp_parse() ignores them.
 */
typedef struct
{
  const gchar *session_name;
  const gchar *video_parameters;
  /*< private >*/
  gpointer reserved[LMCC_PADDING];
} LmccSdpDetails;

/* Greatest number of bytes written of each detail. */
#define LMCC_SDP_MAX_NAME 255
#define LMCC_SDP_MAX_PARAMETERS 4096

LMCC_API gchar *lmcc_sdp_format (const LmccSession *session, LmccSdpForm form);
LMCC_API gchar *lmcc_sdp_format_file (const LmccSession *session,
    const LmccSdpDetails *details);
LMCC_API gboolean lmcc_sdp_parse (const gchar *text, gssize size,
    LmccSession *session, GError **error);

G_END_DECLS

#endif
