/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The real sender and one real receiver over a path that loses packets, in virtual
 * time: which pictures come out.
 */
#ifndef TEST_REPAIR_H
#define TEST_REPAIR_H

#include <gst/lmcc/lmcc.h>

/* What every packet of the model has, as IP packet. */
#define TEST_REPAIR_PACKET_SIZE 1200
#define TEST_REPAIR_IP_OVERHEAD 28

/**
 * TestRepairPicture:
 * @bytes: of its RTP payload
 * @klass: its class
 * @switch_point: it needs no earlier picture of its class
 * @time: its decoding time, from the first one on
 * @stream: its rung
 */
typedef struct
{
  guint bytes;
  guint8 klass;
  gboolean switch_point;
  LmccTime time;
  guint8 stream;
} TestRepairPicture;

/**
 * TestRepairConfig:
 * @n_layers: of fixed rates; 0: native
 * @n_rungs: that the pictures have, 0 for 1
 * @rates: of these, bit/s
 * @group: from one key frame to the next
 * @pictures: (element-type TestRepairPicture): sent again and again
 * @period: how long they take
 * @payload: most RTP payload bytes of a packet
 * @repair: share in 1/1000
 * @block: of native layers: repair-delay
 * @expected: the loss that repair reckons with; 0: that of the path
 * @loss: share of the packets that the path loses
 * @burst: in a row, on average; 1: independently
 * @level: what the receiver holds
 * @latency: its latency, 0 for 100 ms
 * @seconds: how long
 * @seed: of the losses
 */
typedef struct
{
  guint n_layers;
  guint n_rungs;
  guint64 rates[LMCC_MAX_LAYERS];
  LmccTime group;
  GArray *pictures;
  LmccTime period;
  guint payload;
  guint repair;
  LmccTime block;
  gdouble expected;
  gdouble loss;
  gdouble burst;
  guint level;
  LmccTime latency;
  guint seconds;
  guint32 seed;
} TestRepairConfig;

/**
 * TestRepairCount:
 * @sent: media packets
 * @lost: of these, those that the path lost
 * @recovered: of these, those that the best code gives back
 * @repaired: of a class, those that the receiver gave back, and in time
 */
typedef struct
{
  guint sent;
  guint lost;
  guint recovered;
  guint repaired;
} TestRepairCount;

/**
 * TestRepairResult:
 * @n_pictures: that were sent within the level. What has one decoding time is one
 *     picture, in several rungs or qualities
 * @n_whole: of these, all packets of one of them came, or were repaired
 * @n_decodable: of these, with all that they need
 * @n_best: of these, those of which that is the last one that was sent
 * @n_dropped: had no place in the layers
 * @n_blocks: of repair
 * @n_source: packets in these
 * @n_repair: repair packets of these
 * @source_bytes: of the source packets, as the code sees them
 * @padding: bytes to make them as long as the longest
 * @media_bytes: sent, as IP packets
 * @repair_bytes: likewise
 * @layers: media packets of each layer of the level
 * @classes: likewise, of each class
 */
typedef struct
{
  guint n_pictures;
  guint n_whole;
  guint n_decodable;
  guint n_best;
  guint64 n_dropped;
  guint n_blocks;
  guint n_source;
  guint n_repair;
  guint64 source_bytes;
  guint64 padding;
  guint64 media_bytes;
  guint64 repair_bytes;
  TestRepairCount layers[LMCC_MAX_LAYERS];
  TestRepairCount classes[LMCC_MAX_CLASSES];
} TestRepairResult;

GArray *test_repair_model (guint key_packets, guint n_others, guint packets,
    LmccTime period, guint payload);
gboolean
test_repair_lose (GRand *random, gboolean *bad, gdouble loss, gdouble burst);
void test_repair_run (const TestRepairConfig *config, TestRepairResult *result);

#endif
