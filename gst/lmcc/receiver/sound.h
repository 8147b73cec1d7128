/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_SOUND_H
#define LMCC_RECEIVER_SOUND_H

#include <gst/lmcc/lmcc-receiver.h>
#include "wire/layer-header.h"
#include "wire/rtp.h"

G_BEGIN_DECLS

/* Delivers the sound in the order of its own sequence numbers. */
typedef struct
{
  gboolean any;
  guint16 received; /* sequence number of the latest packet */
  guint16 sequence; /* as delivered */
} LmccReceiverSound;

void lmcc_receiver_take_sound (LmccReceiver *receiver, LmccPacket *packet,
    const LmccRtp *rtp, const LmccHeader *header);

G_END_DECLS

#endif
