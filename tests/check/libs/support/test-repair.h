/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The real sender and one real receiver over a path with packet loss, in
 * virtual time. Counts the pictures that the receiver outputs.
 */
#ifndef TEST_REPAIR_H
#define TEST_REPAIR_H

#include <gst/lmcc/lmcc.h>

/* Headers of each packet of the model, as IP packet. */
#define TEST_REPAIR_PACKET_SIZE 1200
#define TEST_REPAIR_IP_OVERHEAD 28

/**
 * TestRepairPicture:
 * @bytes: size of its RTP payload
 * @klass: its class
 * @switch_point: whether it needs no earlier picture of its class
 * @time: decoding time, relative to the first picture
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
 * @n_layers: number of layers of fixed rates; 0: native layers
 * @n_rungs: number of rungs of the pictures; 0: 1
 * @rates: rates of the layers, bit/s
 * @group: interval between key frames
 * @pictures: (element-type TestRepairPicture): pictures that are sent
 *     repeatedly
 * @period: duration of these pictures
 * @payload: largest RTP payload of a packet, in bytes
 * @repair: share of repair data in 1/1000
 * @block: repair-delay, for native layers
 * @expected: loss rate that the repair is designed for; 0: @loss
 * @loss: loss rate of the path
 * @burst: mean burst length; 1: independent losses
 * @level: level of the receiver
 * @latency: latency of the receiver; 0: 100 ms
 * @seconds: duration of the run
 * @seed: random seed of the losses
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
 * @lost: of these, packets lost on the path
 * @recovered: of these, packets that the best possible code recovers
 * @repaired: of a class, packets that the receiver recovered in time
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
 * @n_pictures: pictures sent within the level; pictures with the same decoding
 *     time, in several rungs or qualities, count as one
 * @n_whole: of these, pictures of which all packets of one version were
 *     received or repaired
 * @n_decodable: of these, pictures whose references are decodable too
 * @n_best: of these, pictures whose best version is decodable
 * @n_dropped: pictures that did not fit into the layers
 * @n_blocks: repair blocks
 * @n_source: source packets in these blocks
 * @n_repair: repair packets of these blocks
 * @source_bytes: bytes of the source packets as the code sees them
 * @padding: bytes that pad them to the length of the longest
 * @media_bytes: media bytes sent, as IP packets
 * @repair_bytes: repair bytes sent, as IP packets
 * @layers: media packets of each layer of the level
 * @classes: media packets of each class
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
