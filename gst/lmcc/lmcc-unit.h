/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_UNIT_H
#define LMCC_UNIT_H

#include <gst/lmcc/lmcc-packet.h>
#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/**
 * LmccUnit:
 * @stream: the rung, or %LMCC_STREAM_SOUND
 * @klass: importance to the decoder, 0 = most
 * @switch_point: the unit depends on no earlier unit of class >= @klass
 * @decoding_time: when its first packet is due, on the sender's clock
 * @presentation_time: when its picture is shown, on the same clock
 * @packets: (element-type LmccPacket): its RTP packets as the payloader made them, in
 *     order, at least one
 *
 * An access unit or a part of one that a decoder takes or discards as a whole, as input
 * to the sender.
 */
typedef struct
{
  guint8 stream;
  guint8 klass;
  gboolean switch_point;
  LmccTime decoding_time;
  LmccTime presentation_time;
  GPtrArray *packets;
} LmccUnit;

LMCC_API LmccUnit *lmcc_unit_new (void);
LMCC_API gboolean lmcc_unit_is_key (const LmccUnit *unit);
LMCC_API void lmcc_unit_free (LmccUnit *unit);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccUnit, lmcc_unit_free)

G_END_DECLS

#endif
