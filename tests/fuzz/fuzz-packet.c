/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * RTP packets: what is parsed lies inside the packet, an element that is taken
 * is written again bit for bit, and what is stripped is RTP with that payload.
 */
#include "fuzz.h"

#include <gst/lmcc/lmcc.h>
#include <string.h>

int
LLVMFuzzerTestOneInput (const guint8 * data, gsize size)
{
  guint8 element[LMCC_HEADER_SIZE];
  g_autoptr (LmccPacket) packet = NULL;
  g_autoptr (LmccPacket) plain = NULL;
  LmccHeader header;
  LmccRtp rtp, again;

  if (!lmcc_rtp_parse (data, size, LMCC_HEADER_DEFAULT_ID, &rtp))
    return 0;
  g_assert (rtp.header_size + rtp.payload_size <= size);

  if (rtp.element != NULL
      && lmcc_header_parse (rtp.element, rtp.element_size, &header)) {
    lmcc_header_write (&header, element);
    g_assert (memcmp (element, rtp.element, sizeof (element)) == 0);
  }

  packet = lmcc_packet_new_copy (data, size);
  plain = lmcc_rtp_strip (packet, &rtp, 96, 1, 2, TRUE);
  g_assert (lmcc_rtp_parse (plain->data, plain->size,
          LMCC_HEADER_DEFAULT_ID, &again));
  g_assert (again.payload_size == rtp.payload_size && again.element == NULL);

  return 0;
}
