/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_WIRE_SDP_KEYS_H
#define LMCC_WIRE_SDP_KEYS_H

#include <gst/lmcc/lmcc-session.h>

G_BEGIN_DECLS

/**
 * LmccSdpKeys:
 * @groups: 0: omitted
 * @rungs: 0: omitted
 * @repair_payload_type: 128 or more: omitted
 * @filler_payload_type: 128 or more: omitted
 * @feedback_port: 0: omitted
 *
 * Values of the library's attribute whose defaults depend on other lines.
 */
typedef struct
{
  guint groups;
  guint rungs;
  guint repair_payload_type;
  guint filler_payload_type;
  guint feedback_port;
} LmccSdpKeys;

gboolean lmcc_sdp_keys_parse (LmccSdpKeys *keys, const gchar *text,
    LmccSession *session);
void lmcc_sdp_keys_complete (const LmccSdpKeys *keys, LmccSession *session);
gboolean lmcc_sdp_parse_uint (const gchar *text, guint max, guint *value);
gboolean lmcc_sdp_parse_uint8 (const gchar *text, guint max, guint8 *value);
gboolean lmcc_sdp_parse_codec (const gchar *text, LmccMedia *media);

G_END_DECLS

#endif
