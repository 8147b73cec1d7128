/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_NAP_H
#define LMCC_RECEIVER_NAP_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/**
 * LmccReceiverNaps:
 * @at: when packets were last counted
 * @bytes: bytes received by then
 * @peak: decaying maximum of recent rates, bit/s
 */
typedef struct
{
  LmccTime at;
  guint64 bytes;
  guint64 peak;
} LmccReceiverNaps;

G_END_DECLS

#endif
