/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/feedback-traffic.h"

#include <gst/lmcc/wire/rtcp.h>

GArray *
feedback_traffic_new (void)
{
  return g_array_new (FALSE, FALSE, sizeof (FeedbackPacket));
}

/* @size is that of the UDP payload; @time never decreases between calls. */
void
feedback_traffic_add (GArray *traffic, LmccTime time, gsize size)
{
  FeedbackPacket packet = { time, size + FEEDBACK_OVERHEAD };

  g_array_append_val (traffic, packet);
}

/* The highest share of the base layer's traffic in any window of this
 * length. */
gdouble
feedback_traffic_largest_share (const GArray *traffic, guint base_rate,
    LmccTime window)
{
  const FeedbackPacket *packets = (const FeedbackPacket *) traffic->data;
  gsize sum = 0, largest = 0;
  guint first = 0, i;

  for (i = 0; i < traffic->len; i++) {
    sum += packets[i].bytes;
    while (packets[first].time + window <= packets[i].time)
      sum -= packets[first++].bytes;
    largest = MAX (largest, sum);
  }

  return (gdouble) largest * 8 * LMCC_SECOND
      / ((gdouble) base_rate * (gdouble) window);
}

static void
note_answer (gpointer user_data, guint32 sender_ssrc G_GNUC_UNUSED,
    const LmccDlrr *answer G_GNUC_UNUSED)
{
  *(gboolean *) user_data = TRUE;
}

/* Whether a packet of the sender contains an answer to a report. */
gboolean
feedback_traffic_answers (const LmccPacket *packet)
{
  static const LmccRtcpHandler handler = { .dlrr = note_answer };
  gboolean answers = FALSE;

  lmcc_rtcp_parse (packet->data, packet->size, &handler, &answers);

  return answers;
}
