/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Feeds a receiver by hand in virtual time and measures its memory.
 */
#ifndef MEMORY_FEED_H
#define MEMORY_FEED_H

#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/wire/layer-header.h>

#define MEBIBYTE ((gsize) 1 << 20)

/* 100,000 packets per second. */
#define FEED_STEP (10 * LMCC_USECOND)

typedef struct _Feed Feed;

/* Sends the packets of one step. */
typedef void (*FeedStream) (Feed *feed, guint i);

struct _Feed
{
  LmccReceiver *receiver;
  LmccSession session;
  LmccReceiverConfig config;
  LmccAddress source;
  LmccTime now;
  guint payload_size;
  guint16 lsn[LMCC_MAX_LAYERS];
  guint16 sequence[LMCC_MAX_LAYERS];
  guint16 osn;
  guint32 timestamp;
  guint8 anchors[LMCC_MAX_RUNGS];
  guint n_delivered;
  guint n_told;
  const gchar *told;
  GArray *levels;
  gsize heap; /* before the test */
  gsize most; /* memory of the process */
};

void feed_drain (Feed *feed);
void feed_run_until (Feed *feed, LmccTime until);
LmccReceiverStats feed_get_stats (Feed *feed);
LmccHeader feed_make_header (Feed *feed, LmccPacketType type, guint layer);
void feed_send_packet (Feed *feed, const LmccHeader *header,
    const guint8 *payload, gsize size);
void feed_send_media (Feed *feed, guint layer, guint rung, gboolean key);
void feed_prepare (Feed *feed, guint n_layers, guint payload_size);
void feed_prepare_repair (Feed *feed, guint n_layers, guint payload_size);
void feed_prepare_rungs (Feed *feed, guint payload_size);
void feed_start (Feed *feed);
void feed_finish (Feed *feed);
void feed_keep_history (Feed *feed, guint i);
void feed_check_memory (Feed *feed);
void feed_run (Feed *feed, FeedStream stream, guint n);

#endif
