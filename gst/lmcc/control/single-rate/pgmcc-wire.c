/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Messages between pgmcc's sender and receivers.
 */
#include "control/single-rate/pgmcc-wire.h"

#include "control/single-rate/tfmcc-wire.h"
#include "wire/rtcp-internal.h"

#define ELEMENT_ELICIT 0x80
#define ELEMENT_ACKER 0x40
#define ELEMENT_CONFIRMS 0x20
#define ELEMENT_RTT 0x10
#define REPORT_ACK 0x80

/**
 * lmcc_pgmcc_element_write:
 * @element: the contents
 * @data: (out): the data bytes of the second element
 */
void
lmcc_pgmcc_element_write (const LmccPgmccElement *element,
    guint8 data[LMCC_PGMCC_ELEMENT_SIZE])
{
  data[0] = LMCC_SECOND_ELEMENT_PGMCC;
  data[1] = (element->elicit ? ELEMENT_ELICIT : 0)
      | (element->has_acker ? ELEMENT_ACKER : 0)
      | (element->confirms ? ELEMENT_CONFIRMS : 0)
      | (element->has_rtt ? ELEMENT_RTT : 0);
  lmcc_write_uint32 (data + 2, element->has_acker ? element->acker : 0);
  lmcc_write_uint16 (data + 6, element->confirms ? element->confirmed_loss : 0);
  data[8] = lmcc_tfmcc_encode_rtt_max (element->nak_wait);
  data[9] = element->has_rtt ? lmcc_tfmcc_encode_rtt_max (element->rtt) : 0;
}

/**
 * lmcc_pgmcc_element_parse:
 * @data: (nullable): the data bytes of a second element
 * @size: number of bytes
 * @element: (out): the contents
 *
 * Returns: %FALSE if it is of another kind, or too short for its kind
 */
gboolean
lmcc_pgmcc_element_parse (const guint8 *data, gsize size,
    LmccPgmccElement *element)
{
  if (size < LMCC_PGMCC_ELEMENT_SIZE || data[0] != LMCC_SECOND_ELEMENT_PGMCC)
    return FALSE;

  *element = (LmccPgmccElement){
    .elicit = (data[1] & ELEMENT_ELICIT) != 0,
    .has_acker = (data[1] & ELEMENT_ACKER) != 0,
    .confirms = (data[1] & ELEMENT_CONFIRMS) != 0,
    .has_rtt = (data[1] & ELEMENT_RTT) != 0,
    .nak_wait = lmcc_tfmcc_decode_rtt_max (data[8]),
  };
  if (element->has_acker)
    element->acker = lmcc_read_uint32 (data + 2);
  if (element->confirms)
    element->confirmed_loss = lmcc_read_uint16 (data + 6);
  if (element->has_rtt)
    element->rtt = lmcc_tfmcc_decode_rtt_max (data[9]);

  return TRUE;
}

/**
 * lmcc_pgmcc_report_build:
 * @report: the contents
 *
 * Returns: (transfer full): one reduced-size RTCP packet (RFC 5506)
 */
LmccPacket *
lmcc_pgmcc_report_build (const LmccPgmccReport *report)
{
  gsize size = report->is_ack ? LMCC_PGMCC_ACK_SIZE : LMCC_PGMCC_NAK_SIZE;
  LmccPacket *packet = lmcc_packet_new (size);
  guint8 *data = lmcc_rtcp_write_app (packet->data, LMCC_RTCP_APP_PGMCC,
      report->ssrc, size);

  data = lmcc_write_uint32 (data, report->ssrc_base);
  *data++ = report->is_ack ? REPORT_ACK : 0;
  *data++ = 0;
  data = lmcc_write_uint16 (data, report->loss);
  data = lmcc_write_uint16 (data, report->lead);
  data = lmcc_write_uint16 (data, report->is_ack ? report->ack_sequence : 0);
  data = lmcc_write_uint32 (data, report->echoed_time);
  if (report->is_ack)
    lmcc_write_uint32 (data, report->bitmap);
  packet->size = size;

  return packet;
}

/**
 * lmcc_pgmcc_report_parse:
 * @data: a UDP payload
 * @size: its length in bytes
 * @report: (out): the contents; any field may be forged
 *
 * Returns: %FALSE if it is anything else
 */
gboolean
lmcc_pgmcc_report_parse (const guint8 *data, gsize size,
    LmccPgmccReport *report)
{
  gboolean is_ack;

  if (size < LMCC_PGMCC_NAK_SIZE
      || !lmcc_rtcp_is_app (data, size, LMCC_RTCP_APP_PGMCC))
    return FALSE;
  is_ack = (data[16] & REPORT_ACK) != 0;
  if (size != (is_ack ? LMCC_PGMCC_ACK_SIZE : LMCC_PGMCC_NAK_SIZE))
    return FALSE;

  *report = (LmccPgmccReport){
    .ssrc = lmcc_read_uint32 (data + 4),
    .ssrc_base = lmcc_read_uint32 (data + 12),
    .is_ack = is_ack,
    .loss = lmcc_read_uint16 (data + 18),
    .lead = lmcc_read_uint16 (data + 20),
    .echoed_time = lmcc_read_uint32 (data + 24),
  };
  if (is_ack) {
    report->ack_sequence = lmcc_read_uint16 (data + 22);
    report->bitmap = lmcc_read_uint32 (data + 28);
  }

  return TRUE;
}
