/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Builds payloads of video RTP packets and gives them to a classifier.
 */
#ifndef TEST_CODEC_H
#define TEST_CODEC_H

#include <gst/lmcc/media/classify-private.h>
#include <gst/lmcc/lmcc-classify.h>

#define BYTES(...) \
  (const guint8[]){ __VA_ARGS__ }, sizeof ((const guint8[]){ __VA_ARGS__ })

/* Slice headers after the NAL header: first_mb_in_slice 0 (1), then slice_type
 * 5 (P: 00110), 6 (B: 00111), 7 (I: 0001000). */
#define P_SLICE 0x98, 0x80
#define B_SLICE 0x9c, 0x80
#define I_SLICE 0x88, 0x80

/* The payload header of RFC 5371, and a byte after it. */
#define J2K(priority) BYTES (0, priority, 0, 0, 0, 0, 0, 0, 0xff)

LmccPacket *test_codec_packet (guint32 timestamp, gboolean marker,
    const guint8 *payload, gsize size);
guint test_codec_push (LmccClassifier *classifier, guint32 timestamp,
    gboolean marker, const LmccLayerMark *mark, const guint8 *payload,
    gsize size, LmccUnit *units[2]);

#endif
