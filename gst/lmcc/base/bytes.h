/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_BASE_BYTES_H
#define LMCC_BASE_BYTES_H

#include <glib.h>

/* Numbers in network byte order, at any alignment. Write functions return the position
 * after the number. */

static inline guint16
lmcc_read_uint16 (const guint8 *data)
{
  return (guint16) (data[0] << 8 | data[1]);
}

static inline guint32
lmcc_read_uint32 (const guint8 *data)
{
  return (guint32) lmcc_read_uint16 (data) << 16 | lmcc_read_uint16 (data + 2);
}

static inline guint8 *
lmcc_write_uint16 (guint8 *data, guint value)
{
  data[0] = (value >> 8) & 0xff;
  data[1] = value & 0xff;

  return data + 2;
}

static inline guint8 *
lmcc_write_uint32 (guint8 *data, guint32 value)
{
  return lmcc_write_uint16 (lmcc_write_uint16 (data, value >> 16), value);
}

#endif
