/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_OFFLOAD_H
#define GST_LMCC_OFFLOAD_H

#include "common/socket.h"

G_BEGIN_DECLS

gboolean gst_lmcc_interface_keeps_super_packets (const GstLmccInterface *iface);

G_END_DECLS

#endif
