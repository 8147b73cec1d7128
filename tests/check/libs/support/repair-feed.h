/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Feeds a receiver by hand, so that the test knows which packets were sent,
 * which were lost and which the erasure code can recover.
 */
#ifndef REPAIR_FEED_H
#define REPAIR_FEED_H

#include <gst/lmcc/control/slots/dynamic-layering.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/wire/layer-header.h>

#define REPAIR_FEED_MAX_LAYERS 4
#define REPAIR_FEED_STEP (5 * LMCC_MSECOND) /* between two media packets */
#define REPAIR_FEED_LATENCY (200 * LMCC_MSECOND)
#define REPAIR_FEED_DELAY (300 * LMCC_MSECOND)
#define REPAIR_FEED_KEY_INTERVAL 60

typedef struct _RepairFeed RepairFeed;

/* Decides whether a packet is lost. */
typedef gboolean (
    *RepairFeedLose) (RepairFeed *feed, const LmccHeader *header, guint number);

typedef struct
{
  guint number;
  LmccTime at;
  gboolean corrupted;
} RepairFeedDelivery;

struct _RepairFeed
{
  LmccReceiver *receiver;
  LmccSession session;
  LmccAddress source;
  LmccDynamicLayering layering;
  LmccTime slot;
  LmccTime now;
  guint n_source;
  guint n_repair;     /* 0: send no repair */
  guint repair_layer; /* above the highest layer: in the block's own */
  guint n_above;      /* of @n_repair, sent in the layer above that one */
  /* each class 1 picture needs the previous one, except after key frames */
  gboolean chained;
  guint next; /* number of the next media packet */
  guint16 lsn[REPAIR_FEED_MAX_LAYERS];
  guint16 sequence[REPAIR_FEED_MAX_LAYERS];
  guint16 repair_sequence[REPAIR_FEED_MAX_LAYERS];
  guint8 anchor;
  GPtrArray *block[REPAIR_FEED_MAX_LAYERS];
  RepairFeedLose lose;
  gpointer lose_data;
  GRand *dice;
  GArray *sent;       /* LmccTime, by packet number */
  GArray *losses;     /* guint: numbers of the lost media packets */
  GArray *deliveries; /* RepairFeedDelivery */
  GArray *levels;
};

typedef struct
{
  guint numbers[16];
  guint n;
  guint repair_from; /* in each block, repair from this index on */
} RepairFeedSelected;

void repair_feed_drain (RepairFeed *feed);
void repair_feed_run_until (RepairFeed *feed, LmccTime until);
void repair_feed_arrive (RepairFeed *feed, guint group, LmccPacket *packet);
void repair_feed_send_repair (RepairFeed *feed, guint layer,
    LmccPacket *payload, guint index);
LmccPacket *repair_feed_make_media (RepairFeed *feed, LmccHeader *header);
void repair_feed_send (RepairFeed *feed);
void repair_feed_send_many (RepairFeed *feed, guint n);
void repair_feed_finish (RepairFeed *feed);
void repair_feed_prepare (RepairFeed *feed, guint n_layers, guint n_source,
    guint n_repair);
void repair_feed_start (RepairFeed *feed, const gchar *algorithm);
void repair_feed_clear (RepairFeed *feed);
LmccReceiverStats repair_feed_get_stats (RepairFeed *feed);
LmccRepairClassStats repair_feed_sum_classes (RepairFeed *feed);
const RepairFeedDelivery *
repair_feed_find_delivery (RepairFeed *feed, guint number);
LmccTime repair_feed_sent_at (RepairFeed *feed, guint number);
void repair_feed_check_deliveries (RepairFeed *feed, guint n_missing);
gboolean repair_feed_lose_some (RepairFeed *feed, const LmccHeader *header,
    guint number);
gboolean repair_feed_lose_selected (RepairFeed *feed, const LmccHeader *header,
    guint number);
void repair_feed_start_losing (RepairFeed *feed, guint n_layers, guint n_source,
    guint n_repair, RepairFeedSelected *selected);

#endif
