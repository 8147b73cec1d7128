/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Extended reports (RFC 3611), with which receivers measure the round-trip
 * time.
 */
#include "wire/rtcp-internal.h"

/* RFC 3611 section 2: header and the originator's SSRC. */
#define XR_SIZE (LMCC_RTCP_HEADER_SIZE + 4)

/* RFC 3611 section 3. */
#define BLOCK_HEADER_SIZE 4

/* RFC 3611 sections 4.4 and 4.5. */
#define BLOCK_REFERENCE_TIME 4
#define BLOCK_DLRR 5
#define REFERENCE_TIME_SIZE (BLOCK_HEADER_SIZE + 8)
#define SUB_BLOCK_SIZE 12

/* RFC 3611 section 3: the length is in 32-bit words minus one, like that of
 * a packet. */
static guint8 *
write_block_header (guint8 *data, guint8 type, gsize size)
{
  data[0] = type;
  data[1] = 0;

  return lmcc_write_uint16 (data + 2, size / 4 - 1);
}

static gsize
block_size (const guint8 *block)
{
  return 4 * ((gsize) lmcc_read_uint16 (block + 2) + 1);
}

/* An XR packet with one block, and room for @more bytes behind it; returns
 * the position of the block's contents, too. */
static LmccPacket *
new_report (guint32 ssrc, guint8 type, gsize size, gsize more,
    guint8 **contents)
{
  LmccPacket *packet = lmcc_packet_new (XR_SIZE + size + more);
  guint8 *data;

  packet->size = XR_SIZE + size + more;
  data = lmcc_rtcp_write_header (packet->data, 0, LMCC_RTCP_TYPE_XR,
      XR_SIZE + size);
  data = lmcc_write_uint32 (data, ssrc);
  *contents = write_block_header (data, type, size);

  return packet;
}

/**
 * lmcc_rtcp_build_reference_time:
 * @report: the receiver, and the time of its report
 * @losses: (nullable): its losses
 *
 * Builds a receiver's report for its round-trip time: an XR packet with a
 * Receiver Reference Time Report Block (RFC 3611 section 4.4) in a reduced-size
 * packet (RFC 5506) of 20 bytes, or 36 with an APP packet for @losses.
 *
 * Returns: (transfer full): the packet
 */
LmccPacket *
lmcc_rtcp_build_reference_time (const LmccReferenceTime *report,
    const LmccLossReport *losses)
{
  guint8 *data;
  LmccPacket *packet = new_report (report->ssrc, BLOCK_REFERENCE_TIME,
      REFERENCE_TIME_SIZE, losses != NULL ? LMCC_RTCP_LOSSES_SIZE : 0, &data);

  data = lmcc_write_uint32 (data, report->ntp_time >> 32);
  data = lmcc_write_uint32 (data, report->ntp_time & 0xffffffff);
  if (losses != NULL)
    lmcc_rtcp_write_losses (data, report->ssrc, losses);

  return packet;
}

/**
 * lmcc_rtcp_build_dlrr:
 * @ssrc: the SSRC of the answering sender's base layer
 * @blocks: (array length=n_blocks): the answers
 * @n_blocks: 1 to %LMCC_RTCP_MAX_DLRR
 *
 * Builds the sender's answer to many receivers at once: an XR packet with one
 * DLRR Report Block (RFC 3611 section 4.5) alone in a reduced-size packet (RFC
 * 5506) of 12 bytes and 12 more for each answer.
 *
 * Returns: (transfer full) (nullable): the packet, or %NULL if @n_blocks is out
 * of range
 */
LmccPacket *
lmcc_rtcp_build_dlrr (guint32 ssrc, const LmccDlrr *blocks, guint n_blocks)
{
  LmccPacket *packet;
  guint8 *data;
  guint i;

  if (n_blocks == 0 || n_blocks > LMCC_RTCP_MAX_DLRR)
    return NULL;

  packet = new_report (ssrc, BLOCK_DLRR,
      BLOCK_HEADER_SIZE + n_blocks * SUB_BLOCK_SIZE, 0, &data);
  for (i = 0; i < n_blocks; i++) {
    data = lmcc_write_uint32 (data, blocks[i].ssrc);
    data = lmcc_write_uint32 (data, blocks[i].last_rr);
    data = lmcc_write_uint32 (data, blocks[i].delay);
  }

  return packet;
}

static gboolean
block_is_valid (const guint8 *block, gsize left)
{
  gsize size;

  if (left < BLOCK_HEADER_SIZE)
    return FALSE;
  size = block_size (block);
  if (size > left)
    return FALSE;

  switch (block[0]) {
    case BLOCK_REFERENCE_TIME:
      return size == REFERENCE_TIME_SIZE;
    case BLOCK_DLRR:
      return (size - BLOCK_HEADER_SIZE) % SUB_BLOCK_SIZE == 0;
    default:
      return TRUE;
  }
}

/*
 * lmcc_rtcp_xr_is_valid:
 * @data: an XR packet
 * @size: its length without padding, in bytes
 *
 * Returns: whether its blocks fill it and have the lengths of their types
 */
gboolean
lmcc_rtcp_xr_is_valid (const guint8 *data, gsize size)
{
  gsize at;

  if (size < XR_SIZE)
    return FALSE;
  for (at = XR_SIZE; at < size; at += block_size (data + at)) {
    if (!block_is_valid (data + at, size - at))
      return FALSE;
  }

  return TRUE;
}

static void
hand_out_reference_time (const guint8 *block, guint32 ssrc,
    const LmccRtcpHandler *handler, gpointer user_data)
{
  LmccReferenceTime report = {
    .ssrc = ssrc,
    .ntp_time = (guint64) lmcc_read_uint32 (block + BLOCK_HEADER_SIZE) << 32
        | lmcc_read_uint32 (block + BLOCK_HEADER_SIZE + 4),
  };

  handler->reference_time (user_data, &report);
}

static void
hand_out_dlrr (const guint8 *block, guint32 ssrc,
    const LmccRtcpHandler *handler, gpointer user_data)
{
  gsize size = block_size (block), at;

  for (at = BLOCK_HEADER_SIZE; at < size; at += SUB_BLOCK_SIZE) {
    LmccDlrr answer = {
      .ssrc = lmcc_read_uint32 (block + at),
      .last_rr = lmcc_read_uint32 (block + at + 4),
      .delay = lmcc_read_uint32 (block + at + 8),
    };

    handler->dlrr (user_data, ssrc, &answer);
  }
}

/*
 * lmcc_rtcp_xr_hand_out:
 * @data: an XR packet that lmcc_rtcp_xr_is_valid() accepts
 * @size: its length without padding, in bytes
 * @handler: functions to call
 * @user_data: user data for @handler
 *
 * The reference time is the packet's send time (RFC 3611 section 4.4), and a
 * packet is sent once: of several such blocks only the first counts.
 */
void
lmcc_rtcp_xr_hand_out (const guint8 *data, gsize size,
    const LmccRtcpHandler *handler, gpointer user_data)
{
  guint32 ssrc = lmcc_read_uint32 (data + LMCC_RTCP_HEADER_SIZE);
  gboolean has_reference_time = FALSE;
  gsize at;

  for (at = XR_SIZE; at < size; at += block_size (data + at)) {
    const guint8 *block = data + at;

    if (block[0] == BLOCK_REFERENCE_TIME && !has_reference_time) {
      has_reference_time = TRUE;
      if (handler->reference_time != NULL)
        hand_out_reference_time (block, ssrc, handler, user_data);
    } else if (block[0] == BLOCK_DLRR && handler->dlrr != NULL) {
      hand_out_dlrr (block, ssrc, handler, user_data);
    }
  }
}
