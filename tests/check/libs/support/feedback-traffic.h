/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What feedback takes of a network: reports, and what answers them.
 */
#ifndef FEEDBACK_TRAFFIC_H
#define FEEDBACK_TRAFFIC_H

#include <gst/lmcc/lmcc-packet.h>

/* IPv4 and UDP. */
#define FEEDBACK_OVERHEAD 28

/* Bytes of a whole IP packet. */
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
