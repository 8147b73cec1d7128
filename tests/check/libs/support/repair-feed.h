/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A receiver that is fed by hand: it is known what was sent, what was lost and
 * what the code can give back.
 */
#ifndef REPAIR_FEED_H
#define REPAIR_FEED_H

#include <gst/lmcc/control/slots/dynamic-layering.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/wire/layer-header.h>

#define FEED_MAX_LAYERS 4
#define FEED_STEP (5 * LMCC_MSECOND) /* from one media packet to the next */
#define FEED_LATENCY (200 * LMCC_MSECOND)
#define FEED_REPAIR_DELAY (300 * LMCC_MSECOND)
#define FEED_KEY_INTERVAL 60

typedef struct _Feed Feed;

/* Whether a packet gets lost. */
typedef gboolean (
    *FeedLose) (Feed *feed, const LmccHeader *header, guint number);

typedef struct
{
  guint number;
  LmccTime at;
  gboolean corrupted;
} FeedDelivery;

struct _Feed
{
  LmccReceiver *receiver;
  LmccSession session;
  LmccAddress source;
  LmccDynamicLayering layering;
  LmccTime slot;
  LmccTime now;
  guint n_source;
  guint n_repair;     /* 0: no repair is sent */
  guint repair_layer; /* above the highest: in the block's own */
  guint next;         /* number of the next media packet */
  guint16 lsn[FEED_MAX_LAYERS];
  guint16 sequence[FEED_MAX_LAYERS];
  guint16 repair_sequence[FEED_MAX_LAYERS];
  guint8 anchor;
  GPtrArray *block[FEED_MAX_LAYERS];
  FeedLose lose;
  gpointer lose_data;
  GRand *dice;
  GArray *sent;       /* of LmccTime, by number */
  GArray *losses;     /* of guint: media packets that were lost */
  GArray *deliveries; /* of FeedDelivery */
  GArray *levels;
};

typedef struct
{
  guint numbers[16];
  guint n;
  guint repair_from; /* of each block, repair from this index on */
} FeedSelected;

void feed_drain (Feed *feed);
void feed_run_until (Feed *feed, LmccTime until);
void feed_arrive (Feed *feed, guint group, LmccPacket *packet);
void
feed_send_repair (Feed *feed, guint layer, LmccPacket *payload, guint index);
LmccPacket *feed_make_media (Feed *feed, LmccHeader *header);
void feed_send (Feed *feed);
void feed_send_many (Feed *feed, guint n);
void feed_finish (Feed *feed);
void feed_prepare (Feed *feed, guint n_layers, guint n_source, guint n_repair);
void feed_start (Feed *feed, const gchar *algorithm);
void feed_clear (Feed *feed);
LmccReceiverStats feed_get_stats (Feed *feed);
LmccRepairClassStats feed_sum_classes (Feed *feed);
const FeedDelivery *feed_find_delivery (Feed *feed, guint number);
LmccTime feed_sent_at (Feed *feed, guint number);
void feed_check_deliveries (Feed *feed, guint n_missing);
gboolean feed_lose_some (Feed *feed, const LmccHeader *header, guint number);
gboolean
feed_lose_selected (Feed *feed, const LmccHeader *header, guint number);
void feed_start_losing (Feed *feed, guint n_layers, guint n_source,
    guint n_repair, FeedSelected *selected);

#endif
