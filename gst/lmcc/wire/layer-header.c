/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "wire/layer-header.h"

#include "base/bytes.h"

/* NTP short format: seconds in 16.16 fixed point. */
#define NTP_SHORT_FRACTION_BITS 16

/**
 * lmcc_header_write:
 * @header: the values
 * @data: (out): the element's data bytes
 *
 * Writes the header element of docs/developers/wire-format.md.
 */
void
lmcc_header_write (const LmccHeader *header, guint8 data[LMCC_HEADER_SIZE])
{
  data[0] = (LMCC_HEADER_VERSION << 6) | ((header->type & 0x07) << 3)
      | (!!header->first << 2) | (!!header->last << 1) | !!header->more;
  data[1] = ((header->layer & 0x3f) << 2) | (!!header->switch_point << 1)
      | !!header->burst;
  data[2] = ((header->top_layer & 0x3f) << 2) | (header->table & 0x03);
  data[3] = ((header->stream & 0x0f) << 4) | (header->klass & 0x0f);
  lmcc_write_uint16 (data + 4, header->slot);
  data[6] = (guint8) header->signal;
  data[7] = header->anchor;
  lmcc_write_uint16 (data + 8, header->lsn);
  lmcc_write_uint16 (data + 10, header->osn);
  lmcc_write_uint32 (data + 12, header->send_time);
}

/**
 * lmcc_header_parse:
 * @data: the element's data bytes
 * @size: number of bytes
 * @header: (out): the values
 *
 * Reads the header element of docs/developers/wire-format.md.
 *
 * Returns: %FALSE if size, version or type are unknown, the layer is above the
 * top layer, or the signal is below -1
 */
gboolean
lmcc_header_parse (const guint8 *data, gsize size, LmccHeader *header)
{
  guint type;

  if (size != LMCC_HEADER_SIZE || data[0] >> 6 != LMCC_HEADER_VERSION)
    return FALSE;

  type = (data[0] >> 3) & 0x07;
  if (type > LMCC_PACKET_PROBE)
    return FALSE;

  header->type = type;
  header->first = (data[0] >> 2) & 1;
  header->last = (data[0] >> 1) & 1;
  header->more = data[0] & 1;
  header->layer = data[1] >> 2;
  header->switch_point = (data[1] >> 1) & 1;
  header->burst = data[1] & 1;
  header->top_layer = data[2] >> 2;
  header->table = data[2] & 0x03;
  header->stream = data[3] >> 4;
  header->klass = data[3] & 0x0f;
  header->slot = lmcc_read_uint16 (data + 4);
  header->signal = (gint8) data[6];
  header->anchor = data[7];
  header->lsn = lmcc_read_uint16 (data + 8);
  header->osn = lmcc_read_uint16 (data + 10);
  header->send_time = lmcc_read_uint32 (data + 12);
  header->has_up_levels = FALSE;
  header->up_levels = 0;
  header->place = 0;

  return header->layer <= header->top_layer
      && header->signal >= LMCC_SIGNAL_NOBODY;
}

/**
 * lmcc_time_to_ntp_short:
 * @ntp_time: nanoseconds since 1900
 *
 * Returns: the time in 16.16 fixed point seconds, rounded down, wrapping every
 * 65,536 s
 */
guint32
lmcc_time_to_ntp_short (LmccTime ntp_time)
{
  guint64 seconds = ntp_time / LMCC_SECOND;
  guint64 rest = ntp_time % LMCC_SECOND;

  return (guint32) (seconds << NTP_SHORT_FRACTION_BITS)
      | (guint32) ((rest << NTP_SHORT_FRACTION_BITS) / LMCC_SECOND);
}

/**
 * lmcc_ntp_short_diff:
 * @a: an NTP short time
 * @b: another NTP short time, within 32,768 s of @a
 *
 * Returns: @a - @b in nanoseconds
 */
gint64
lmcc_ntp_short_diff (guint32 a, guint32 b)
{
  return (gint64) (gint32) (a - b) * (gint64) LMCC_SECOND
      / (1 << NTP_SHORT_FRACTION_BITS);
}
