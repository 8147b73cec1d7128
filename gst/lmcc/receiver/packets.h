/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_PACKETS_H
#define LMCC_RECEIVER_PACKETS_H

#include <gst/lmcc/lmcc-receiver.h>

G_BEGIN_DECLS

void
lmcc_receiver_take_believed (LmccReceiver *receiver, guint layer, LmccTime now);

G_END_DECLS

#endif
