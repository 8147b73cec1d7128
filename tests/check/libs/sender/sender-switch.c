/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests how long a receiver that goes up waits for a spatial layer of VP9 in
 * layers of fixed rates, for any time of the join. It misses a switch point
 * if it misses the first packet of it, and has the next one with its last
 * packet.
 */
#include "support/sender-harness.h"

#define FRAME_RATE 24
#define PICTURE(i) (START + (i) *LMCC_SECOND / FRAME_RATE)

#define N_LAYERS 8
#define BASE_RATE 100000
#define N_SPATIAL 3
#define N_TEMPORAL 3
#define PAYLOAD 1000

/* Groups of pictures. Sending starts later than the pictures, and the first
 * ones lack some classes. */
#define N_GROUPS 14
#define FIRST_GROUP 5
#define LAST_GROUP 12
#define LONGEST_DISTANCE 24

/* A switch to a higher level shows within one interval of switch points plus
 * this. */
#define RESERVE (300 * MS)

/* At their switch points, pictures of the upper spatial layers are this many
 * times as large as other pictures of the lowest temporal layer, as with
 * vp9svcenc. */
#define SWITCH_FACTOR 3

/* One group of pictures is collected while one is sent, and 0.2 s are spare. */
#define WINDOW_OF(distance) \
  (2 * (distance) *LMCC_SECOND / FRAME_RATE + 200 * MS)

/* Packets of each class, on average: for about 1.9 and 3.6 Mbit/s in total. */
typedef struct
{
  guint distance; /* of key pictures, which are switch points */
  guint sizes[N_SPATIAL][N_TEMPORAL];
} Stream;

static const Stream streams[] = {
  { 12, { { 1, 1, 1 }, { 5, 3, 2 }, { 15, 8, 6 } } },
  { 12, { { 1, 1, 1 }, { 8, 4, 3 }, { 30, 16, 12 } } },
  { 24, { { 1, 1, 1 }, { 5, 3, 2 }, { 15, 8, 6 } } },
  { 24, { { 1, 1, 1 }, { 8, 4, 3 }, { 30, 16, 12 } } },
};

static guint
get_temporal_id (guint position)
{
  static const guint temporal_ids[] = { 0, 2, 1, 2 };

  return temporal_ids[position % G_N_ELEMENTS (temporal_ids)];
}

/* Half to one and a half times its mean size. */
static guint
draw_size (GRand *rand, guint mean)
{
  return MAX (1, (guint) (mean * g_rand_double_range (rand, 0.5, 1.5) + 0.5));
}

static void
push_picture (Harness *h, const Stream *stream, GRand *rand, guint i,
    guint *n_packets)
{
  guint position = i % stream->distance, t = get_temporal_id (position), s;

  for (s = 0; s < N_SPATIAL; s++) {
    guint mean = stream->sizes[s][t] * (position == 0 ? SWITCH_FACTOR : 1);
    LmccUnit *unit;

    n_packets[s] = draw_size (rand, mean);
    unit =
        make_unit (0, N_TEMPORAL * s + t, PICTURE (i), n_packets[s], PAYLOAD);
    unit->switch_point = t > 0 || position == 0;
    harness_push_at (h, unit);
  }
}

static guint32
rtp_time (LmccTime time)
{
  return (guint32) (RTP_OFFSET + time / LMCC_SECOND * 90000
      + (time % LMCC_SECOND * 90000 + LMCC_SECOND / 2) / LMCC_SECOND);
}

/* The times at which a layer frame was sent. */
typedef struct
{
  LmccTime first;
  LmccTime last;
  guint n_packets;
} Passage;

static Passage
find_passage (Harness *h, guint picture, guint klass)
{
  Passage passage = { LMCC_TIME_NONE, 0, 0 };
  guint32 timestamp = rtp_time (PICTURE (picture));
  guint i;

  for (i = 0; i < N_SENT (h); i++) {
    const SentPacket *s = SENT (h, i);

    if (!is_video (s) || s->header.klass != klass
        || s->rtp.timestamp != timestamp)
      continue;
    if (passage.n_packets++ == 0)
      passage.first = s->time;
    passage.last = s->time;
  }

  return passage;
}

static Harness
new_harness (const Stream *stream)
{
  LmccSenderConfig config = sender_config (1);
  guint i;

  config.session.native = FALSE;
  config.session.window = WINDOW_OF (stream->distance);
  config.session.n_layers = N_LAYERS;
  for (i = 0; i < N_LAYERS; i++)
    config.session.layers[i].rate =
        i == 0 ? BASE_RATE : (guint64) BASE_RATE << (i - 1);
  g_strlcpy (config.session.video.encoding_name, "VP9",
      LMCC_ENCODING_NAME_SIZE);

  return harness_new (&config);
}

static void
check_waits (Harness *h, const Stream *stream, guint s,
    guint n_packets[][N_SPATIAL])
{
  LmccTime allowed = stream->distance * LMCC_SECOND / FRAME_RATE + RESERVE;
  LmccTime before = LMCC_TIME_NONE;
  guint group;

  for (group = FIRST_GROUP; group <= LAST_GROUP; group++) {
    guint i = group * stream->distance;
    Passage passage = find_passage (h, i, N_TEMPORAL * s);

    fail_unless_equals_int (passage.n_packets, n_packets[i][s]);
    fail_unless (before == LMCC_TIME_NONE || passage.last - before <= allowed,
        "spatial layer %u, picture %u: %u ms after the switch point before it "
        "began, %u ms of them under way; %u are allowed",
        s, i, (guint) ((passage.last - before) / MS),
        (guint) ((passage.last - passage.first) / MS), (guint) (allowed / MS));
    before = passage.first;
  }
}

GST_START_TEST (test_an_up_switch_takes_a_distance_and_a_little)
{
  const Stream *stream = &streams[__i__];
  Harness h = new_harness (stream);
  GRand *rand = g_rand_new_with_seed (3009);
  guint n_packets[N_GROUPS * LONGEST_DISTANCE][N_SPATIAL];
  guint n_pictures = N_GROUPS * stream->distance, i, s;

  for (i = 0; i < n_pictures; i++)
    push_picture (&h, stream, rand, i, n_packets[i]);
  harness_run_until (&h, PICTURE (n_pictures) + WINDOW_OF (stream->distance));
  for (s = 1; s < N_SPATIAL; s++)
    check_waits (&h, stream, s, n_packets);
  g_rand_free (rand);
  harness_clear (&h);
}

GST_END_TEST;

static Suite *
sender_switch_suite (void)
{
  Suite *s = suite_create ("sender-switch");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_an_up_switch_takes_a_distance_and_a_little, 0,
      G_N_ELEMENTS (streams));

  return s;
}

GST_CHECK_MAIN (sender_switch);
