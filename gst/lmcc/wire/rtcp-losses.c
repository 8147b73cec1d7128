/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The APP packet in which a receiver tells its losses.
 */
#include "wire/rtcp-internal.h"

/* A receiver's losses in fixed point. */
#define LOSS_UNIT 65536.0
#define BURST_UNIT 256.0

/*
 * lmcc_rtcp_is_losses:
 * @data: an RTCP packet of at least %LMCC_RTCP_APP_SIZE bytes
 *
 * Returns: whether it tells a receiver's losses
 */
gboolean
lmcc_rtcp_is_losses (const guint8 *data)
{
  return data[1] == LMCC_RTCP_TYPE_APP
      && (data[0] & 0x1f) == LMCC_RTCP_APP_LOSSES
      && memcmp (data + 8, LMCC_RTCP_APP_NAME, 4) == 0;
}

/*
 * lmcc_rtcp_write_losses:
 * @data: %LMCC_RTCP_LOSSES_SIZE bytes
 * @ssrc: SSRC of a receiver
 * @report: its losses
 */
void
lmcc_rtcp_write_losses (guint8 *data, guint32 ssrc,
    const LmccLossReport *report)
{
  gdouble loss_rate = LOSS_UNIT * CLAMP (report->loss_rate, 0.0, 1.0);
  gdouble burst = BURST_UNIT * MAX (report->burst, 1.0);

  data = lmcc_rtcp_write_app (data, LMCC_RTCP_APP_LOSSES, ssrc,
      LMCC_RTCP_LOSSES_SIZE);
  data = lmcc_write_uint16 (data,
      (guint16) MIN (loss_rate + 0.5, (gdouble) G_MAXUINT16));
  lmcc_write_uint16 (data, (guint16) MIN (burst + 0.5, (gdouble) G_MAXUINT16));
}

/*
 * lmcc_rtcp_read_losses:
 * @data: a packet of losses
 * @size: its size in bytes, without padding
 * @report: (out): the losses
 *
 * Returns: whether it is valid
 */
gboolean
lmcc_rtcp_read_losses (const guint8 *data, gsize size, LmccLossReport *report)
{
  if (size < LMCC_RTCP_LOSSES_SIZE)
    return FALSE;
  report->loss_rate = lmcc_read_uint16 (data + LMCC_RTCP_APP_SIZE) / LOSS_UNIT;
  report->burst = lmcc_read_uint16 (data + LMCC_RTCP_APP_SIZE + 2) / BURST_UNIT;

  return report->burst >= 1.0;
}
