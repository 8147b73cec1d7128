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

/**
 * LmccSdpDetails:
 * @session_name: (nullable): what the session is called; control characters are
 *     written as spaces, and no more than %LMCC_SDP_MAX_NAME bytes
 * @video_parameters: (nullable): the format parameters of the lowest rung, as in
 *     a=fmtp; left out where they are not of printable ASCII characters, or longer
 *     than %LMCC_SDP_MAX_PARAMETERS bytes
 *
 * What a description in the form %LMCC_SDP_FILE says to people and to players that
 * know nothing of layers. lmcc_sdp_parse() passes it over.
 */
typedef struct
{
  const gchar *session_name;
  const gchar *video_parameters;
  /*< private >*/
  gpointer reserved[LMCC_PADDING];
} LmccSdpDetails;

/* Bytes of the details that are written at most. */
#define LMCC_SDP_MAX_NAME 255
#define LMCC_SDP_MAX_PARAMETERS 4096

LMCC_API gchar *lmcc_sdp_format (const LmccSession *session, LmccSdpForm form);
LMCC_API gchar *lmcc_sdp_format_file (const LmccSession *session,
    const LmccSdpDetails *details);
LMCC_API gboolean lmcc_sdp_parse (const gchar *text, gssize size,
    LmccSession *session, GError **error);

G_END_DECLS

#endif
