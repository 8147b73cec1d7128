/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_NAP_H
#define LMCC_RECEIVER_NAP_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/**
 * LmccReceiverNaps:
 * @at: when packets were counted last
 * @bytes: how many bytes had come then
 * @peak: the most of the latest rates, bit/s; older ones count for less
 */
typedef struct
{
  LmccTime at;
  guint64 bytes;
  guint64 peak;
} LmccReceiverNaps;

G_END_DECLS

#endif
