/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_MEASURE_TCP_MODEL_H
#define LMCC_MEASURE_TCP_MODEL_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

gdouble
lmcc_tcp_model_rate (gdouble loss_rate, LmccTime rtt, guint packet_size);
gdouble
lmcc_tcp_model_loss_rate (gdouble rate, LmccTime rtt, guint packet_size);

G_END_DECLS

#endif
