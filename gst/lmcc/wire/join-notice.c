/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "wire/join-notice.h"

#include "wire/rtcp-internal.h"

/**
 * lmcc_join_notice_build:
 * @notice: the contents
 *
 * Returns: (transfer full): one reduced-size RTCP packet (RFC 5506)
 */
LmccPacket *
lmcc_join_notice_build (const LmccJoinNotice *notice)
{
  LmccPacket *packet = lmcc_packet_new (LMCC_JOIN_NOTICE_SIZE);
  guint8 *data = lmcc_rtcp_write_app (packet->data, LMCC_RTCP_APP_JOIN,
      notice->ssrc, LMCC_JOIN_NOTICE_SIZE);

  *data++ = notice->version;
  *data++ = notice->level;
  data = lmcc_write_uint16 (data, 0);
  lmcc_write_uint32 (data, notice->ssrc_base);
  packet->size = LMCC_JOIN_NOTICE_SIZE;

  return packet;
}

/**
 * lmcc_join_notice_parse:
 * @data: a UDP payload
 * @size: its length in bytes
 * @notice: (out): the contents
 *
 * Returns: %FALSE if it is anything else
 */
gboolean
lmcc_join_notice_parse (const guint8 *data, gsize size, LmccJoinNotice *notice)
{
  if (size != LMCC_JOIN_NOTICE_SIZE
      || !lmcc_rtcp_is_app (data, size, LMCC_RTCP_APP_JOIN))
    return FALSE;

  notice->ssrc = lmcc_read_uint32 (data + 4);
  notice->version = data[12];
  notice->level = data[13];
  notice->ssrc_base = lmcc_read_uint32 (data + 16);

  return notice->level < LMCC_MAX_LAYERS;
}

/**
 * lmcc_notice_limit_take:
 * @limit: a limit; all zero before the first call
 * @now: the time
 * @ssrc: the receiver that sent a notice
 *
 * Returns: whether to accept it
 */
gboolean
lmcc_notice_limit_take (LmccNoticeLimit *limit, LmccTime now, guint32 ssrc)
{
  guint kept = 0, i;

  for (i = 0; i < limit->n; i++) {
    if (now < limit->latest[i].time + LMCC_JOIN_NOTICE_INTERVAL)
      limit->latest[kept++] = limit->latest[i];
  }
  limit->n = kept;
  if (kept == LMCC_JOIN_NOTICES_MAX)
    return FALSE;
  for (i = 0; i < kept; i++) {
    if (limit->latest[i].ssrc == ssrc)
      return FALSE;
  }
  limit->latest[limit->n].ssrc = ssrc;
  limit->latest[limit->n++].time = now;

  return TRUE;
}
