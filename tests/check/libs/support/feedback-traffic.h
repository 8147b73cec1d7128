/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures the traffic that feedback causes: reports and the packets that
 * answer them.
 */
#ifndef FEEDBACK_TRAFFIC_H
#define FEEDBACK_TRAFFIC_H

#include <gst/lmcc/lmcc-packet.h>

/* Header sizes of IPv4 and UDP. */
#define FEEDBACK_OVERHEAD 28

/* Size of the whole IP packet in bytes. */
typedef struct
{
  LmccTime time;
  gsize bytes;
} FeedbackPacket;

GArray *feedback_traffic_new (void);
void feedback_traffic_add (GArray *traffic, LmccTime time, gsize size);
gdouble feedback_traffic_largest_share (const GArray *traffic, guint base_rate,
    LmccTime window);
gboolean feedback_traffic_answers (const LmccPacket *packet);

#endif
