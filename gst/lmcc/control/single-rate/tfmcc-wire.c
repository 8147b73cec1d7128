/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Messages between TFMCC's sender and receivers.
 */
#include "control/single-rate/tfmcc-wire.h"

#include "wire/rtcp-internal.h"

#include <math.h>

/* A rate: 5 bits of exponent, 7 of mantissa. */
#define RATE_MANTISSA 128
#define RATE_NO_LIMIT 0xfff

/* R_max: 4 bits of exponent, 4 of mantissa. */
#define RTT_MANTISSA 16

#define ELEMENT_LIMITING 0x8000
#define ELEMENT_RECEIVER 0x4000

#define REPORT_HAS_RTT 0x8000
#define REPORT_HAS_LOSS 0x4000
#define REPORT_LEAVES 0x2000

/**
 * lmcc_tfmcc_encode_rate:
 * @rate: in bit/s; NaN counts as 0
 *
 * Rounds down, but to at least %LMCC_TFMCC_MIN_RATE; above
 * %LMCC_TFMCC_MAX_RATE, only an infinite rate is written as such.
 *
 * Returns: the rate in 12 bits: exponent e (5 bits), mantissa m (7): 100 (1 +
 * m/128) 2^e bit/s; all ones: no limit
 */
guint
lmcc_tfmcc_encode_rate (gdouble rate)
{
  gint exponent;
  gdouble fraction;

  if (!(rate > LMCC_TFMCC_MIN_RATE))
    return 0;
  if (rate >= LMCC_TFMCC_MAX_RATE)
    return isinf (rate) ? RATE_NO_LIMIT : RATE_NO_LIMIT - 1;

  fraction = frexp (rate / LMCC_TFMCC_MIN_RATE, &exponent);

  return (guint) (exponent - 1) << 7
      | (guint) floor ((2 * fraction - 1) * RATE_MANTISSA);
}

/**
 * lmcc_tfmcc_decode_rate:
 * @code: a value from lmcc_tfmcc_encode_rate(); only the low 12 bits are used
 *
 * Returns: the rate in bit/s, infinite for no limit
 */
gdouble
lmcc_tfmcc_decode_rate (guint code)
{
  code &= RATE_NO_LIMIT;
  if (code == RATE_NO_LIMIT)
    return INFINITY;

  return ldexp (LMCC_TFMCC_MIN_RATE
          * (1 + (gdouble) (code & 0x7f) / RATE_MANTISSA),
      (gint) (code >> 7));
}

/**
 * lmcc_tfmcc_encode_rtt_max:
 * @rtt_max: R_max, clamped to 1 ms to 63.488 s
 *
 * Rounds up.
 *
 * Returns: R_max in 8 bits: exponent e (4 bits), mantissa m (4):
 *     (1 + m/16) 2^e ms
 */
guint8
lmcc_tfmcc_encode_rtt_max (LmccTime rtt_max)
{
  guint code = 0;

  while (code < G_MAXUINT8 && lmcc_tfmcc_decode_rtt_max (code) < rtt_max)
    code++;

  return code;
}

/**
 * lmcc_tfmcc_decode_rtt_max:
 * @code: a value from lmcc_tfmcc_encode_rtt_max()
 *
 * Returns: R_max
 */
LmccTime
lmcc_tfmcc_decode_rtt_max (guint8 code)
{
  return ((LMCC_MSECOND * (RTT_MANTISSA + (code & 0xf))) << (code >> 4))
      / RTT_MANTISSA;
}

/**
 * lmcc_tfmcc_element_write:
 * @element: the contents
 * @data: (out): the data bytes of the second element
 */
void
lmcc_tfmcc_element_write (const LmccTfmccElement *element,
    guint8 data[LMCC_TFMCC_ELEMENT_SIZE])
{
  guint bits = lmcc_tfmcc_encode_rate (element->suppression_rate);

  if (element->has_receiver)
    bits |= ELEMENT_RECEIVER | (element->is_limiting ? ELEMENT_LIMITING : 0);
  data[0] = LMCC_SECOND_ELEMENT_TFMCC;
  data[1] = element->round;
  lmcc_write_uint16 (data + 2, bits);
  lmcc_write_uint32 (data + 4, element->has_receiver ? element->receiver : 0);
  lmcc_write_uint32 (data + 8,
      element->has_receiver ? element->echoed_time : 0);
  data[12] = lmcc_tfmcc_encode_rtt_max (element->rtt_max);
}

/**
 * lmcc_tfmcc_element_parse:
 * @data: (nullable): the data bytes of a second element
 * @size: number of bytes
 * @element: (out): the contents
 *
 * Returns: %FALSE if it is of another kind, or too short for its kind
 */
gboolean
lmcc_tfmcc_element_parse (const guint8 *data, gsize size,
    LmccTfmccElement *element)
{
  guint bits;

  if (size < LMCC_TFMCC_ELEMENT_SIZE || data[0] != LMCC_SECOND_ELEMENT_TFMCC)
    return FALSE;

  bits = lmcc_read_uint16 (data + 2);
  *element = (LmccTfmccElement){
    .round = data[1],
    .has_receiver = (bits & ELEMENT_RECEIVER) != 0,
    .suppression_rate = lmcc_tfmcc_decode_rate (bits),
    .rtt_max = lmcc_tfmcc_decode_rtt_max (data[12]),
  };
  if (element->has_receiver) {
    element->is_limiting = (bits & ELEMENT_LIMITING) != 0;
    element->receiver = lmcc_read_uint32 (data + 4);
    element->echoed_time = lmcc_read_uint32 (data + 8);
  }

  return TRUE;
}

/**
 * lmcc_tfmcc_report_build:
 * @report: the contents
 *
 * Returns: (transfer full): one reduced-size RTCP packet (RFC 5506)
 */
LmccPacket *
lmcc_tfmcc_report_build (const LmccTfmccReport *report)
{
  LmccPacket *packet = lmcc_packet_new (LMCC_TFMCC_REPORT_SIZE);
  guint bits = lmcc_tfmcc_encode_rate (report->rate);
  guint8 *data = lmcc_rtcp_write_app (packet->data, LMCC_RTCP_APP_TFMCC,
      report->ssrc, LMCC_TFMCC_REPORT_SIZE);

  bits |= (report->has_rtt ? REPORT_HAS_RTT : 0)
      | (report->has_loss ? REPORT_HAS_LOSS : 0)
      | (report->leaves ? REPORT_LEAVES : 0);
  data = lmcc_write_uint32 (data, report->ssrc_base);
  *data++ = report->round;
  *data++ = 0;
  data = lmcc_write_uint16 (data, bits);
  data = lmcc_write_uint32 (data, report->time);
  lmcc_write_uint32 (data, report->echoed_time);
  packet->size = LMCC_TFMCC_REPORT_SIZE;

  return packet;
}

/**
 * lmcc_tfmcc_report_parse:
 * @data: a UDP payload
 * @size: its length in bytes
 * @report: (out): the contents; any field may be forged
 *
 * Returns: %FALSE if it is anything else
 */
gboolean
lmcc_tfmcc_report_parse (const guint8 *data, gsize size,
    LmccTfmccReport *report)
{
  guint bits;

  if (size != LMCC_TFMCC_REPORT_SIZE
      || !lmcc_rtcp_is_app (data, size, LMCC_RTCP_APP_TFMCC))
    return FALSE;

  bits = lmcc_read_uint16 (data + 18);
  *report = (LmccTfmccReport){
    .ssrc = lmcc_read_uint32 (data + 4),
    .ssrc_base = lmcc_read_uint32 (data + 12),
    .round = data[16],
    .has_rtt = (bits & REPORT_HAS_RTT) != 0,
    .has_loss = (bits & REPORT_HAS_LOSS) != 0,
    .leaves = (bits & REPORT_LEAVES) != 0,
    .rate = lmcc_tfmcc_decode_rate (bits),
    .time = lmcc_read_uint32 (data + 20),
    .echoed_time = lmcc_read_uint32 (data + 24),
  };

  return TRUE;
}
