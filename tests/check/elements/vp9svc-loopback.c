/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests VP9 in nine classes over eight layers of doubling rates on real
 * sockets, with a receiver at each level and one with a changing level.
 * Encoding happens before and decoding after, so that only the packets run
 * in real time.
 *
 * LMCC_TEST_LONG: a minute of each instead of twelve seconds.
 */
#include "element-tools.h"
#include "svc-tools.h"

#include <gst/app/app.h>
#include <gst/check/gstcheck.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>
#include <gst/rtp/rtp.h>

#define FRAME_RATE 24
#define N_PICTURES 240
#define BEGINNING 12
#define N_BEGINNINGS 4
#define MAX_LEVELS 9
#define PORT 5204

/* The stream has begun and has not ended. */
#define WARM_UP_SECONDS 4
#define LAST_SECONDS 2

#define MOVE_SECONDS 2

/* Longest time that a receiver waits for a picture, in addition to the
 * sending. */
#define PATIENCE_SECONDS 10

/* A switch to a higher level shows within one interval of switch points plus
 * this, us. */
#define SWITCH_RESERVE 300000

/* On loopback no packet should be lost; if the machine is too busy, a level
 * is judged in another attempt. */
#define MAX_ATTEMPTS 4

#define RTP_CAPS                                    \
  "application/x-rtp,media=video,clock-rate=90000," \
  "encoding-name=VP9,payload=96"

/* A layer frame identified by its packets: RTP timestamp and class. */
typedef guint64 UnitKey;

static UnitKey
unit_key (guint32 timestamp, guint klass)
{
  return (guint64) timestamp << 8 | klass;
}

/* What arrived of a unit in the groups. */
typedef struct
{
  gboolean first;
  gboolean last;
  guint16 first_osn;
  guint16 last_osn;
  guint n_packets;
  guint level; /* of its highest packet */
} Carried;

/* A layer frame output by a receiver. */
typedef struct
{
  UnitKey key;
  gint64 arrival; /* us */
  gboolean whole;
  GByteArray *bytes;
} Delivered;

typedef struct
{
  GstElement *pipeline;
  GArray *packets; /* GstBuffer */
  GArray *units;   /* Delivery */
  /* Size of both arrays up to the last marker: the end of a picture. */
  guint n_packets_shown;
  guint n_units_shown;
  guint64 lost;
  gint n_seconds; /* number of output pictures; atomic */
} Receiver;

/* A session: how the nine classes become layers. */
typedef struct
{
  const gchar *settings; /* of lmccsink */
  guint n_levels;
  guint key_distance;
  guint switch_distance;
  guint window; /* ms */
} Session;

/* Fixed rates: one group of pictures is collected, one is sent, and a unit
 * may be late by 200 ms. A switch point between key pictures would not
 * arrive sooner: each layer sends its window in its own order. */
static const Session doubling = {
  "layering=doubling layers=8 base-rate=100000 window=2400", 8, 24, 24, 2400
};

/* No key picture after the first: receivers switch up at switch points only. */
static const Session native = { "layering=native window=100", 9, 0, 12, 100 };

typedef struct
{
  const Session *session;
  guint seconds;
  GArray *frames; /* LayerFrame */
  GstCaps *caps;
  GHashTable *by_bytes;  /* checksum -> index in frames */
  GArray *references[3]; /* ShownPicture, by spatial layer */
  GstElement *sender;
  GstElement *sniffer;
  GMutex lock;
  GHashTable *carried; /* UnitKey -> Carried */
  guint32 first_timestamp;
  Receiver receivers[MAX_LEVELS + 1];
  /* The groups start at 239.87.network.first and are used by this process
   * only. */
  guint network;
  guint first;
  gchar *address;
} Loopback;

/* Level changes of the moving receiver, with their times. */
typedef struct
{
  gint64 time; /* us */
  gint from;
  gint to;
} Move;

static guint
run_seconds (void)
{
  return g_getenv ("LMCC_TEST_LONG") != NULL ? 60 : 12;
}

static gchar *
checksum_bytes (const guint8 *data, gsize size)
{
  return g_compute_checksum_for_data (G_CHECKSUM_MD5, data, size);
}

static gboolean
is_up_to_spatial (const LayerFrame *frame, gpointer user_data)
{
  return frame->spatial_id <= GPOINTER_TO_UINT (user_data);
}

/* Ten seconds are encoded and sent repeatedly. */
static void
encode (Loopback *loopback)
{
  g_autofree gchar *description = g_strdup_printf (
      "filesrc location=%s/pipelines/big-buck-bunny.mp4 ! qtdemux ! "
      "h264parse ! avdec_h264 ! identity eos-after=%d ! videoscale ! "
      "videoconvert ! video/x-raw,format=I420,width=320,height=180 ! "
      "vp9svcenc scalability-mode=L3T3 keyframe-max-dist=%d "
      "switch-distance=%d cpu-used=9 min-quantizer=0 max-quantizer=63 "
      "layer-bitrates=\"<48000,30000,60000,250000,120000,240000,3000000,"
      "1200000,2500000>\" ! appsink name=sink sync=false",
      g_getenv ("LMCC_SOURCE_ROOT"), N_PICTURES + 1,
      loopback->session->key_distance, loopback->session->switch_distance);
  guint i;

  loopback->frames = svc_encode (description, &loopback->caps);
  fail_unless (loopback->frames->len >= 3 * N_PICTURES);
  g_array_set_size (loopback->frames, 3 * N_PICTURES);
  loopback->by_bytes =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (i = 0; i < loopback->frames->len; i++) {
    LayerFrame *frame = &g_array_index (loopback->frames, LayerFrame, i);
    GstMapInfo map;

    frame->pts = gst_util_uint64_scale (i / 3, GST_SECOND, FRAME_RATE);
    gst_buffer_map (frame->buffer, &map, GST_MAP_READ);
    g_hash_table_insert (loopback->by_bytes,
        checksum_bytes (map.data, map.size), GUINT_TO_POINTER (i));
    gst_buffer_unmap (frame->buffer, &map);
  }
  for (i = 0; i < 3; i++) {
    g_autoptr (GArray) pictures = svc_make_pictures (loopback->frames,
        is_up_to_spatial, GUINT_TO_POINTER (i));

    loopback->references[i] = svc_decode_offline (pictures);
  }
}

/* A packet in a group. */
static void
note_carried (Loopback *loopback, const guint8 *data, gsize size)
{
  LmccHeader header;
  LmccRtp rtp;
  Carried *carried;
  UnitKey key;

  if (!lmcc_rtp_parse (data, size, LMCC_HEADER_DEFAULT_ID, &rtp)
      || !lmcc_header_parse (rtp.element, rtp.element_size, &header)
      || header.type != LMCC_PACKET_MEDIA)
    return;
  key = unit_key (rtp.timestamp, header.klass);
  g_mutex_lock (&loopback->lock);
  carried = g_hash_table_lookup (loopback->carried, &key);
  if (carried == NULL) {
    carried = g_new0 (Carried, 1);
    g_hash_table_insert (loopback->carried, g_memdup2 (&key, sizeof (key)),
        carried);
  }
  carried->n_packets++;
  carried->level = MAX (carried->level, header.layer);
  if (header.first) {
    carried->first = TRUE;
    carried->first_osn = header.osn;
  }
  if (header.last) {
    carried->last = TRUE;
    carried->last_osn = header.osn;
  }
  g_mutex_unlock (&loopback->lock);
}

static GstFlowReturn
take_carried (GstAppSink *sink, gpointer user_data)
{
  g_autoptr (GstSample) sample = gst_app_sink_pull_sample (sink);
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  GstMapInfo map;

  if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    note_carried (user_data, map.data, map.size);
    gst_buffer_unmap (buffer, &map);
  }

  return GST_FLOW_OK;
}

static Delivered *
continue_unit (Receiver *receiver, UnitKey key, gboolean begins)
{
  Delivered *unit = receiver->units->len == 0
      ? NULL
      : &g_array_index (receiver->units, Delivered, receiver->units->len - 1);

  if (begins) {
    const Delivered new_unit = { key, g_get_monotonic_time (), FALSE,
      g_byte_array_new () };

    g_array_append_val (receiver->units, new_unit);
    unit =
        &g_array_index (receiver->units, Delivered, receiver->units->len - 1);
  }
  fail_unless (unit != NULL && unit->key == key && !unit->whole,
      "part of a layer frame without its beginning");

  return unit;
}

/* The descriptor that rtpvp9svcpay writes: I and L, 15 bits of picture ID. */
static void
note_delivered (Receiver *receiver, GstBuffer *buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  const guint8 *payload;
  guint header = 5, size, klass;
  Delivered *unit;

  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp));
  payload = gst_rtp_buffer_get_payload (&rtp);
  size = gst_rtp_buffer_get_payload_len (&rtp);
  fail_unless (size > header && (payload[0] & 0xb0) == 0xa0);
  /* Three sizes and a group of four in the scalability structure. */
  if (payload[0] & 0x02)
    header += 1 + 12 + 1 + 8;
  klass = 3 * (payload[3] >> 1 & 7u) + (payload[3] >> 5);
  unit = continue_unit (receiver,
      unit_key (gst_rtp_buffer_get_timestamp (&rtp), klass),
      (payload[0] & 0x08) != 0);
  g_byte_array_append (unit->bytes, payload + header, size - header);
  unit->whole = (payload[0] & 0x04) != 0;
  gst_rtp_buffer_unmap (&rtp);
}

static gboolean
has_marker (GstBuffer *buffer)
{
  guint8 octet = 0;

  gst_buffer_extract (buffer, 1, &octet, 1);

  return (octet & 0x80) != 0;
}

/* RTP time since the first picture. */
static void
note_seconds (Receiver *receiver)
{
  UnitKey first = g_array_index (receiver->units, Delivered, 0).key;
  UnitKey last =
      g_array_index (receiver->units, Delivered, receiver->n_units_shown - 1)
          .key;
  gint seconds =
      (gint) (((guint32) (last >> 8) - (guint32) (first >> 8)) / 90000);

  if (seconds <= g_atomic_int_get (&receiver->n_seconds))
    return;
  g_atomic_int_set (&receiver->n_seconds, seconds);
  test_tell ();
}

static GstFlowReturn
take_delivered (GstAppSink *sink, gpointer user_data)
{
  Receiver *receiver = user_data;
  g_autoptr (GstSample) sample = gst_app_sink_pull_sample (sink);
  GstBuffer *buffer = gst_buffer_ref (gst_sample_get_buffer (sample));

  note_delivered (receiver, buffer);
  g_array_append_val (receiver->packets, buffer);
  if (has_marker (buffer)) {
    receiver->n_packets_shown = receiver->packets->len;
    receiver->n_units_shown = receiver->units->len;
    note_seconds (receiver);
  }

  return GST_FLOW_OK;
}

static void
delivered_clear (Delivered *unit)
{
  g_byte_array_unref (unit->bytes);
}

static void
buffer_clear (GstBuffer **buffer)
{
  gst_clear_buffer (buffer);
}

static void
receiver_init (Receiver *receiver, const Loopback *loopback, gint level)
{
  GstAppSinkCallbacks callbacks = { .new_sample = take_delivered };
  g_autofree gchar *description = g_strdup_printf (
      "lmccsrc name=src "
      "address=%s port=%d multicast-iface=lo algorithm=none on-loss=freeze "
      "latency=1000 buffer-size=2000000 max-level=%d ! "
      "appsink name=sink sync=false",
      loopback->address, PORT, level);
  g_autoptr (GstElement) sink = NULL;

  receiver->n_seconds = 0;
  receiver->pipeline = gst_parse_launch (description, NULL);
  receiver->packets = g_array_new (FALSE, FALSE, sizeof (GstBuffer *));
  g_array_set_clear_func (receiver->packets, (GDestroyNotify) buffer_clear);
  receiver->units = g_array_new (FALSE, FALSE, sizeof (Delivered));
  g_array_set_clear_func (receiver->units, (GDestroyNotify) delivered_clear);
  sink = gst_bin_get_by_name (GST_BIN (receiver->pipeline), "sink");
  gst_app_sink_set_callbacks (GST_APP_SINK (sink), &callbacks, receiver, NULL);
}

static void
receiver_stop (Receiver *receiver)
{
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (receiver->pipeline), "src");
  g_autoptr (GstStructure) stats = NULL;

  g_object_get (source, "stats", &stats, NULL);
  fail_unless (
      gst_structure_get_uint64 (stats, "packets-lost", &receiver->lost));
  gst_element_set_state (receiver->pipeline, GST_STATE_NULL);
  g_array_set_size (receiver->packets, receiver->n_packets_shown);
  g_array_set_size (receiver->units, receiver->n_units_shown);
}

static void
receiver_clear (Receiver *receiver)
{
  gst_object_unref (receiver->pipeline);
  g_array_unref (receiver->packets);
  g_array_unref (receiver->units);
}

static void
start_sniffer (Loopback *loopback)
{
  GstAppSinkCallbacks callbacks = { .new_sample = take_carried };
  g_autoptr (GString) text = g_string_new (NULL);
  guint i;

  for (i = 0; i < loopback->session->n_levels; i++)
    g_string_append_printf (text,
        "udpsrc address=239.87.%u.%u port=%d "
        "multicast-iface=lo buffer-size=2000000 ! appsink name=sink%u "
        "sync=false ",
        loopback->network, loopback->first + i, PORT, i);
  loopback->sniffer = gst_parse_launch (text->str, NULL);
  for (i = 0; i < loopback->session->n_levels; i++) {
    g_autofree gchar *name = g_strdup_printf ("sink%u", i);
    g_autoptr (GstElement) sink =
        gst_bin_get_by_name (GST_BIN (loopback->sniffer), name);

    gst_app_sink_set_callbacks (GST_APP_SINK (sink), &callbacks, loopback,
        NULL);
  }
  gst_element_set_state (loopback->sniffer, GST_STATE_PLAYING);
}

/* The encoded picture that is sent as picture @i: the first half second is
 * repeated until all receivers listen, then all pictures are sent. */
static guint
coded_picture (guint i)
{
  return i < N_BEGINNINGS * BEGINNING
      ? i % BEGINNING
      : (i - N_BEGINNINGS * BEGINNING) % N_PICTURES;
}

static gpointer
feed (gpointer data)
{
  Loopback *loopback = data;
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (loopback->sender), "source");
  guint i;

  for (i = 0; i < loopback->seconds * FRAME_RATE * 3; i++) {
    GstBuffer *buffer = gst_buffer_copy (g_array_index (loopback->frames,
        LayerFrame, 3 * coded_picture (i / 3) + i % 3)
                                             .buffer);

    GST_BUFFER_PTS (buffer) =
        gst_util_uint64_scale (i / 3, GST_SECOND, FRAME_RATE);
    GST_BUFFER_DTS (buffer) = GST_BUFFER_PTS (buffer);
    gst_app_src_push_buffer (GST_APP_SRC (source), buffer);
  }
  gst_app_src_end_of_stream (GST_APP_SRC (source));

  return NULL;
}

static void
make_sender (Loopback *loopback)
{
  g_autofree gchar *description = g_strdup_printf (
      "appsrc name=source "
      "format=time ! lmccsink address=%s port=%d multicast-iface=lo "
      "key-unit-interval=0 %s",
      loopback->address, PORT, loopback->session->settings);
  g_autoptr (GstElement) source = NULL;

  loopback->sender = gst_parse_launch (description, NULL);
  source = gst_bin_get_by_name (GST_BIN (loopback->sender), "source");
  g_object_set (source, "caps", loopback->caps, NULL);
}

static void
move_level (Receiver *receiver, GArray *moves, gint to)
{
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (receiver->pipeline), "src");
  Move move = { g_get_monotonic_time (), 0, to };

  g_object_get (source, "max-level", &move.from, NULL);
  g_object_set (source, "max-level", to, NULL);
  g_array_append_val (moves, move);
}

static void
wait_for_end (GstElement *sender)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (sender);
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (bus,
      60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

  fail_unless (
      message != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
}

typedef struct
{
  Receiver *receiver;
  guint seconds;
} Position;

static gboolean
has_come_to (gpointer user_data)
{
  const Position *position = user_data;

  return g_atomic_int_get (&position->receiver->n_seconds)
      >= (gint) position->seconds;
}

/* In real time, until all is sent. */
static void
play (Loopback *loopback, GArray *moves)
{
  static const gint levels[] = { 1, 7, 2, 5, 0, 4, 6, 3 };
  Receiver *moving = &loopback->receivers[loopback->session->n_levels];
  GThread *feeder;
  guint i, n = 0;

  start_sniffer (loopback);
  make_sender (loopback);
  for (i = 0; i <= loopback->session->n_levels; i++) {
    receiver_init (&loopback->receivers[i], loopback,
        i < loopback->session->n_levels ? (gint) i : levels[0]);
    gst_element_set_state (loopback->receivers[i].pipeline, GST_STATE_PLAYING);
  }
  gst_element_set_state (loopback->sender, GST_STATE_PLAYING);
  feeder = g_thread_new ("feed", feed, loopback);
  /* The last pictures are too late for a level change. If losses end the
   * pictures early, this attempt proves nothing about level changes. */
  for (i = WARM_UP_SECONDS; i + 2 * MOVE_SECONDS <= loopback->seconds;
       i += MOVE_SECONDS) {
    Position position = { moving, i };

    if (!test_wait_for (has_come_to, &position,
            (loopback->seconds + PATIENCE_SECONDS) * G_TIME_SPAN_SECOND))
      break;
    move_level (moving, moves, levels[++n % G_N_ELEMENTS (levels)]);
  }
  g_thread_join (feeder);
  wait_for_end (loopback->sender);
  for (i = 0; i <= loopback->session->n_levels; i++)
    receiver_stop (&loopback->receivers[i]);
  gst_element_set_state (loopback->sender, GST_STATE_NULL);
  gst_element_set_state (loopback->sniffer, GST_STATE_NULL);
}

static const LayerFrame *
find_frame (const Loopback *loopback, const Delivered *unit)
{
  g_autofree gchar *checksum =
      checksum_bytes (unit->bytes->data, unit->bytes->len);
  gpointer index = NULL;
  const LayerFrame *frame;

  fail_unless (g_hash_table_lookup_extended (loopback->by_bytes, checksum, NULL,
                   &index),
      "a layer frame that nobody sent");
  frame =
      &g_array_index (loopback->frames, LayerFrame, GPOINTER_TO_UINT (index));
  fail_unless_equals_int (frame->klass, unit->key & 0xff);

  return frame;
}

/* Compares a receiver's output with the encoder's. */
static GArray *
collect_frames (const Loopback *loopback, const Receiver *receiver)
{
  GArray *frames = svc_layer_frames_new ();
  guint i;

  for (i = 0; i < receiver->units->len; i++) {
    const Delivered *unit = &g_array_index (receiver->units, Delivered, i);
    LayerFrame frame;

    fail_unless (unit->whole);
    frame = *find_frame (loopback, unit);
    gst_buffer_ref (frame.buffer);
    g_array_append_val (frames, frame);
  }

  return frames;
}

/* GStreamer's elements show the same pictures as libvpx, and each is that of
 * its highest layer if none is missing. */
static void
check_pictures (const Loopback *loopback, const Receiver *receiver)
{
  g_autoptr (GArray) frames = collect_frames (loopback, receiver);
  g_autoptr (GArray) pictures = svc_make_pictures (frames, NULL, NULL);
  g_autoptr (GArray) expected = svc_decode_offline (pictures);
  g_autoptr (GArray) shown =
      svc_decode_stock ("rtpvp9depay ! vp9dec", RTP_CAPS, receiver->packets);
  guint n = 0, i;

  svc_assert_same_pictures (shown, expected);
  for (i = 0; i < frames->len; i++) {
    const LayerFrame *frame = &g_array_index (frames, LayerFrame, i);
    const ShownPicture *whole;
    guint picture;

    if (i + 1 < frames->len
        && g_array_index (frames, LayerFrame, i + 1).pts == frame->pts)
      continue;
    picture = (guint) gst_util_uint64_scale_round (frame->pts, FRAME_RATE,
        GST_SECOND);
    whole = &g_array_index (loopback->references[frame->spatial_id],
        ShownPicture, picture);
    fail_unless (g_str_equal (g_array_index (shown, ShownPicture, n++).checksum,
                     whole->checksum),
        "picture %u is broken in layer %u", picture, frame->spatial_id);
  }
  fail_unless_equals_int (n, shown->len);
}

/* RTP time of the first picture. */
static guint32
get_first_timestamp (const Loopback *loopback)
{
  GHashTableIter iter;
  gboolean any = FALSE;
  guint32 earliest = 0;
  gpointer key;

  g_hash_table_iter_init (&iter, loopback->carried);
  while (g_hash_table_iter_next (&iter, &key, NULL)) {
    guint32 timestamp = (guint32) (*(UnitKey *) key >> 8);

    if (!any || (gint32) (timestamp - earliest) < 0)
      earliest = timestamp;
    any = TRUE;
  }

  return earliest;
}

static gboolean
is_judged (const Loopback *loopback, UnitKey key)
{
  guint32 since = (guint32) (key >> 8) - loopback->first_timestamp;

  return since >= WARM_UP_SECONDS * 90000u
      && since < (loopback->seconds - LAST_SECONDS) * 90000u;
}

static gboolean
is_complete (const Carried *carried)
{
  return carried->first && carried->last
      && carried->n_packets
      == (guint16) (carried->last_osn - carried->first_osn) + 1u;
}

/* A receiver outputs all pictures of its level and nothing else. */
static void
check_level (Loopback *loopback, guint level)
{
  const Receiver *receiver = &loopback->receivers[level];
  g_autoptr (GHashTable) given = g_hash_table_new (g_int64_hash, g_int64_equal);
  guint n_carried[9] = { 0 }, n_pictures = 0, i;
  GHashTableIter iter;
  gpointer key, value;

  for (i = 0; i < receiver->units->len; i++)
    g_hash_table_add (given,
        &g_array_index (receiver->units, Delivered, i).key);
  g_hash_table_iter_init (&iter, loopback->carried);
  while (g_hash_table_iter_next (&iter, &key, &value)) {
    const Carried *carried = value;
    guint klass = *(UnitKey *) key & 0xff;

    if (!is_judged (loopback, *(UnitKey *) key) || !is_complete (carried))
      continue;
    if (carried->level <= level) {
      n_carried[klass]++;
      n_pictures += klass < 3;
      fail_unless (g_hash_table_contains (given, key),
          "level %u: a unit of class %u is missing", level, klass);
    } else {
      fail_if (g_hash_table_contains (given, key));
    }
  }
  /* All of class 0, where the groups themselves were heard well. */
  fail_unless (n_carried[0] > FRAME_RATE / 4
          * (loopback->seconds - WARM_UP_SECONDS - LAST_SECONDS) * 9 / 10);
  GST_INFO ("level %u: %u pictures, by class %u %u %u %u %u %u %u %u %u", level,
      n_pictures, n_carried[0], n_carried[1], n_carried[2], n_carried[3],
      n_carried[4], n_carried[5], n_carried[6], n_carried[7], n_carried[8]);
}

/* The highest spatial layer of which a level carries every key picture. */
static guint
top_spatial_layer (const Loopback *loopback, gint level)
{
  guint top = 0, s;

  for (s = 1; s < 3; s++) {
    GHashTableIter iter;
    gpointer key, value;
    gboolean all = TRUE;

    g_hash_table_iter_init (&iter, loopback->carried);
    while (g_hash_table_iter_next (&iter, &key, &value))
      all &= (*(UnitKey *) key & 0xff) != 3 * s
          || !is_judged (loopback, *(UnitKey *) key)
          || ((Carried *) value)->level <= (guint) level;
    if (all)
      top = s;
  }

  return top;
}

static void
check_moves (const Loopback *loopback, GArray *moves)
{
  const Receiver *receiver = &loopback->receivers[loopback->session->n_levels];
  gint64 allowed =
      (gint64) loopback->session->switch_distance * G_USEC_PER_SEC / FRAME_RATE
      + SWITCH_RESERVE;
  guint n_up = 0, i, u;

  for (i = 0; i < moves->len; i++) {
    const Move *move = &g_array_index (moves, Move, i);
    guint from = top_spatial_layer (loopback, move->from);
    guint to = top_spatial_layer (loopback, move->to);
    gint64 taken = -1;

    if (to <= from || move->to < move->from)
      continue;
    for (u = 0; u < receiver->units->len && taken < 0; u++) {
      const Delivered *unit = &g_array_index (receiver->units, Delivered, u);

      if (unit->arrival > move->time && (unit->key & 0xff) / 3 >= to)
        taken = unit->arrival - move->time;
    }
    GST_INFO ("level %d to %d: layer %u after %" G_GINT64_FORMAT " ms",
        move->from, move->to, to, taken / 1000);
    fail_unless (taken >= 0, "level %d to %d: layer %u never came", move->from,
        move->to, to);
    fail_unless (taken <= allowed,
        "level %d to %d: layer %u after %" G_GINT64_FORMAT " ms", move->from,
        move->to, to, taken / 1000);
    n_up++;
  }
  fail_unless (n_up >= 1);
}

static void
loopback_clear_run (Loopback *loopback)
{
  guint i;

  for (i = 0; i <= loopback->session->n_levels; i++)
    receiver_clear (&loopback->receivers[i]);
  gst_clear_object (&loopback->sender);
  gst_clear_object (&loopback->sniffer);
  g_hash_table_remove_all (loopback->carried);
}

static void
loopback_init (Loopback *loopback, const Session *session)
{
  memset (loopback, 0, sizeof (*loopback));
  loopback->session = session;
  loopback->seconds = run_seconds ();
  loopback->network = (guint) getpid () >> 4 & 0xff;
  loopback->first = ((guint) getpid () & 0xf) << 4;
  loopback->address =
      g_strdup_printf ("239.87.%u.%u", loopback->network, loopback->first);
  g_mutex_init (&loopback->lock);
  loopback->carried =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  encode (loopback);
}

static void
loopback_clear (Loopback *loopback)
{
  guint i;

  g_array_unref (loopback->frames);
  gst_clear_caps (&loopback->caps);
  g_hash_table_unref (loopback->by_bytes);
  for (i = 0; i < 3; i++)
    g_array_unref (loopback->references[i]);
  g_hash_table_unref (loopback->carried);
  g_mutex_clear (&loopback->lock);
  g_free (loopback->address);
}

/* Judges complete receptions. Returns which have been complete so far: one
 * bit for each level, and one for the level changes. */
static gboolean
judge (Loopback *loopback, GArray *moves, guint *judged)
{
  guint n_levels = loopback->session->n_levels, i;

  loopback->first_timestamp = get_first_timestamp (loopback);
  for (i = 0; i <= n_levels; i++) {
    const Receiver *receiver = &loopback->receivers[i];

    /* Whatever is lost, no broken picture is shown. */
    check_pictures (loopback, receiver);
    if (receiver->lost > 0 || (*judged >> i & 1)) {
      GST_INFO ("receiver %u: %" G_GUINT64_FORMAT " lost", i, receiver->lost);
      continue;
    }
    if (i < n_levels)
      check_level (loopback, i);
    else
      check_moves (loopback, moves);
    *judged |= 1u << i;
  }

  return *judged + 1 == 1u << (n_levels + 1);
}

static void
run_session (const Session *session)
{
  g_autoptr (GArray) moves = g_array_new (FALSE, FALSE, sizeof (Move));
  guint judged = 0, attempt = 0;
  gboolean done = FALSE;
  Loopback loopback;

  loopback_init (&loopback, session);
  while (!done) {
    fail_unless (attempt++ < MAX_ATTEMPTS, "packets were lost on loopback");
    play (&loopback, moves);
    done = judge (&loopback, moves, &judged);
    loopback_clear_run (&loopback);
    g_array_set_size (moves, 0);
  }
  loopback_clear (&loopback);
}

GST_START_TEST (nine_classes_in_eight_doubling_layers)
{
  run_session (&doubling);
}

GST_END_TEST;

GST_START_TEST (nine_classes_in_layers_of_their_own)
{
  run_session (&native);
}

GST_END_TEST;

static Suite *
vp9svc_loopback_suite (void)
{
  Suite *s = suite_create ("vp9svc-loopback");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, MAX_ATTEMPTS * (60 + run_seconds ()));
  tcase_add_test (tc, nine_classes_in_eight_doubling_layers);
  tcase_add_test (tc, nine_classes_in_layers_of_their_own);

  return s;
}

GST_CHECK_MAIN (vp9svc_loopback);
