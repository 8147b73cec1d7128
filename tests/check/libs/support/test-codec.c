/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/test-codec.h"

#include <gst/gst.h>
#include <string.h>

static guint16 sequence;

LmccPacket *
test_codec_packet (guint32 timestamp, gboolean marker, const guint8 *payload,
    gsize size)
{
  LmccPacket *packet = lmcc_packet_new (12 + size);

  memset (packet->data, 0, 12);
  packet->data[0] = 0x80;
  packet->data[1] = (marker ? 0x80 : 0) | 96;
  GST_WRITE_UINT16_BE (packet->data + 2, sequence++);
  GST_WRITE_UINT32_BE (packet->data + 4, timestamp);
  memcpy (packet->data + 12, payload, size);
  packet->size = 12 + size;

  return packet;
}

guint
test_codec_push (LmccClassifier *classifier, guint32 timestamp, gboolean marker,
    const LmccLayerMark *mark, const guint8 *payload, gsize size,
    LmccUnit *units[2])
{
  return lmcc_classifier_push (classifier,
      test_codec_packet (timestamp, marker, payload, size), mark,
      timestamp * 1000, timestamp * 1000 + 7, units);
}
