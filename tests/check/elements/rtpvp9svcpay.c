/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the packets of rtpvp9svcpay with a separate parser for RFC 9628
 * section 4.2, the classifier, and GStreamer's depayloader and decoder.
 */
#include <gst/app/app.h>
#include <gst/check/gstcheck.h>
#include <gst/lmcc/media/classify-private.h>
#include <gst/lmcc/lmcc-classify.h>
#include <gst/rtp/rtp.h>

#include "svc-tools.h"

#include "support/test-slow.h"

#define N_PICTURES 40
#define KEY_DISTANCE 24
#define SWITCH_DISTANCE 8
#define WIDTH 128
#define HEIGHT 96
#define RTP_CAPS                                    \
  "application/x-rtp,media=video,clock-rate=90000," \
  "encoding-name=VP9,payload=96"

static const gchar *const modes[] = {
  "L1T1",
  "L1T2",
  "L1T3",
  "L2T1",
  "L2T2",
  "L2T3",
  "L3T1",
  "L3T2",
  "L3T3",
};

static const gchar *const scalings[] = { "none", "half" };

/* The payload descriptor of one packet. */
typedef struct
{
  gboolean p;
  gboolean b;
  gboolean e;
  gboolean z;
  gboolean marker;
  guint picture_id;
  guint tid;
  gboolean u;
  guint sid;
  gboolean d;
  guint tl0picidx;
  guint n_spatial; /* 0 without a scalability structure */
  guint width[8];
  guint height[8];
  guint n_group;
  guint group_tid[4];
  guint group_p_diff[4];
  GstClockTime pts;
  guint32 timestamp;
  guint payload_at;
  guint payload_size;
  GstBuffer *buffer;
} Packet;

static void
packet_clear (Packet *packet)
{
  gst_clear_buffer (&packet->buffer);
}

/* A width and a height for each layer, then the picture group. */
static const guint8 *
read_structure (Packet *packet, const guint8 *at)
{
  guint i;

  packet->n_spatial = (*at >> 5) + 1u;
  fail_unless (*at & 0x10, "no sizes");
  fail_unless (*at & 0x08, "no picture group");
  fail_unless_equals_int (*at++ & 0x07, 0);
  for (i = 0; i < packet->n_spatial; i++, at += 4) {
    packet->width[i] = GST_READ_UINT16_BE (at);
    packet->height[i] = GST_READ_UINT16_BE (at + 2);
  }
  packet->n_group = *at++;
  fail_unless (packet->n_group <= 4);
  for (i = 0; i < packet->n_group; i++) {
    packet->group_tid[i] = *at >> 5;
    fail_unless_equals_int (*at & 0x03, 0);
    fail_unless_equals_int (*at >> 2 & 0x03, 1); /* R */
    at++;
    packet->group_p_diff[i] = *at++;
  }

  return at;
}

static Packet
read_packet (GstBuffer *buffer)
{
  Packet packet = { .pts = GST_BUFFER_PTS (buffer) };
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  const guint8 *payload, *at;
  guint8 octet;

  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp));
  payload = at = gst_rtp_buffer_get_payload (&rtp);
  packet.marker = gst_rtp_buffer_get_marker (&rtp);
  packet.timestamp = gst_rtp_buffer_get_timestamp (&rtp);
  octet = *at++;
  fail_unless ((octet & 0x80) != 0, "no picture ID");
  fail_unless ((octet & 0x20) != 0, "no layer indices");
  fail_unless ((octet & 0x10) == 0, "flexible mode");
  packet.p = (octet & 0x40) != 0;
  packet.b = (octet & 0x08) != 0;
  packet.e = (octet & 0x04) != 0;
  packet.z = (octet & 0x01) != 0;
  fail_unless ((*at & 0x80) != 0, "picture ID of 7 bits");
  packet.picture_id = GST_READ_UINT16_BE (at) & 0x7fffu;
  at += 2;
  packet.tid = *at >> 5;
  packet.u = (*at & 0x10) != 0;
  packet.sid = *at >> 1 & 0x07;
  packet.d = *at++ & 0x01;
  packet.tl0picidx = *at++;
  if (octet & 0x02)
    at = read_structure (&packet, at);
  packet.payload_at = 12 + (guint) (at - payload);
  packet.payload_size =
      gst_rtp_buffer_get_payload_len (&rtp) - (guint) (at - payload);
  fail_unless (packet.payload_size > 0);
  gst_rtp_buffer_unmap (&rtp);
  packet.buffer = gst_buffer_ref (buffer);

  return packet;
}

static gpointer
feed (gpointer data)
{
  gpointer *pair = data;
  GArray *frames = pair[1];
  guint i;

  for (i = 0; i < frames->len; i++)
    gst_app_src_push_buffer (GST_APP_SRC (pair[0]),
        gst_buffer_ref (g_array_index (frames, LayerFrame, i).buffer));
  gst_app_src_end_of_stream (GST_APP_SRC (pair[0]));

  return NULL;
}

/* The packets of @frames, in order. */
static GArray *
payload (GArray *frames, GstCaps *caps, guint mtu)
{
  g_autofree gchar *description = g_strdup_printf (
      "appsrc name=src "
      "format=time ! rtpvp9svcpay mtu=%u ! appsink name=sink sync=false",
      mtu);
  g_autoptr (GstElement) pipeline = gst_parse_launch (description, NULL);
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (pipeline), "src");
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GArray *packets = g_array_new (FALSE, FALSE, sizeof (Packet));
  gpointer pair[] = { source, frames };
  GstSample *sample;
  GThread *feeder;

  g_array_set_clear_func (packets, (GDestroyNotify) packet_clear);
  g_object_set (source, "caps", caps, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  feeder = g_thread_new ("feed", feed, pair);
  while ((sample = gst_app_sink_pull_sample (GST_APP_SINK (sink))) != NULL) {
    Packet packet = read_packet (gst_sample_get_buffer (sample));

    fail_unless (gst_buffer_get_size (packet.buffer) <= mtu);
    g_array_append_val (packets, packet);
    gst_sample_unref (sample);
  }
  g_thread_join (feeder);
  gst_element_set_state (pipeline, GST_STATE_NULL);

  return packets;
}

static GArray *
encode_mode (guint index, GstCaps **caps)
{
  g_autofree gchar *description = g_strdup_printf (
      "videotestsrc "
      "num-buffers=%d pattern=zone-plate kx2=20 ky2=20 kt=3 ! "
      "video/x-raw,width=%d,height=%d,framerate=24/1 ! "
      "vp9svcenc scalability-mode=%s layer-scaling=%s keyframe-max-dist=%d "
      "switch-distance=%d cpu-used=9 target-bitrate=300000 threads=1 ! "
      "appsink name=sink sync=false",
      N_PICTURES, WIDTH, HEIGHT, modes[index / 2], scalings[index % 2],
      KEY_DISTANCE, SWITCH_DISTANCE);

  return svc_encode (description, caps);
}

static void
check_structure (const Packet *packet, const gchar *mode, gboolean halved)
{
  static const guint tids[3][4] = { { 0 }, { 0, 1 }, { 0, 2, 1, 2 } };
  static const guint p_diffs[3][4] = { { 1 }, { 2, 1 }, { 4, 1, 2, 1 } };
  guint n_spatial = (guint) (mode[1] - '0');
  guint n_temporal = (guint) (mode[3] - '0');
  guint i;

  fail_unless_equals_int (packet->n_spatial, n_spatial);
  for (i = 0; i < n_spatial; i++) {
    guint shift = halved ? n_spatial - 1 - i : 0;

    fail_unless_equals_int (packet->width[i], WIDTH >> shift);
    fail_unless_equals_int (packet->height[i], HEIGHT >> shift);
  }
  fail_unless_equals_int (packet->n_group, 1 << (n_temporal - 1));
  for (i = 0; i < packet->n_group; i++) {
    fail_unless_equals_int (packet->group_tid[i], tids[n_temporal - 1][i]);
    fail_unless_equals_int (packet->group_p_diff[i],
        p_diffs[n_temporal - 1][i]);
  }
}

/* Checks the packets of @frame starting at @at; returns the index after
 * them. */
static guint
check_frame (GArray *packets, guint at, const LayerFrame *frame, guint index)
{
  gsize size = gst_buffer_get_size (frame->buffer), done = 0;
  const Packet *packet;

  do {
    guint8 sent[1400], made[1400];

    fail_unless (at < packets->len);
    packet = &g_array_index (packets, Packet, at++);
    fail_unless_equals_int (packet->b, done == 0);
    fail_unless_equals_int (packet->p, frame->inter_picture);
    fail_unless_equals_int (packet->tid, frame->temporal_id);
    fail_unless_equals_int (packet->sid, frame->spatial_id);
    fail_unless_equals_int (packet->d, frame->inter_layer);
    fail_unless_equals_int (packet->z, frame->last);
    fail_unless (packet->u);
    fail_unless_equals_int (packet->n_spatial > 0,
        packet->b && !packet->p && packet->sid == 0);
    if (packet->n_spatial > 0)
      check_structure (packet, modes[index / 2], index % 2);
    fail_unless_equals_uint64 (packet->pts, frame->pts);
    gst_buffer_extract (packet->buffer, packet->payload_at, sent,
        packet->payload_size);
    gst_buffer_extract (frame->buffer, done, made, packet->payload_size);
    fail_unless (memcmp (sent, made, packet->payload_size) == 0);
    done += packet->payload_size;
    fail_unless_equals_int (packet->e, done == size);
    fail_unless_equals_int (packet->marker, packet->e && frame->last);
  } while (done < size);

  return at;
}

GST_START_TEST (descriptors_say_what_each_layer_frame_is)
{
  GstCaps *caps = NULL;
  g_autoptr (GArray) frames = encode_mode (__i__, &caps);
  /* Small, so that frames have several packets. */
  g_autoptr (GArray) packets = payload (frames, caps, 300);
  guint at = 0, i;

  for (i = 0; i < frames->len; i++)
    at = check_frame (packets, at, &g_array_index (frames, LayerFrame, i),
        __i__);
  fail_unless_equals_int (at, packets->len);
  gst_caps_unref (caps);
}

GST_END_TEST;

GST_START_TEST (pictures_and_their_base_are_counted)
{
  GstCaps *caps = NULL;
  g_autoptr (GArray) frames = encode_mode (__i__, &caps);
  g_autoptr (GArray) packets = payload (frames, caps, 1400);
  const Packet *last = NULL;
  guint i;

  for (i = 0; i < packets->len; i++) {
    const Packet *packet = &g_array_index (packets, Packet, i);
    gboolean next = last == NULL || packet->pts != last->pts;

    if (last != NULL) {
      fail_unless_equals_int (packet->picture_id,
          (last->picture_id + (next ? 1 : 0)) & 0x7fff);
      fail_unless_equals_int (packet->tl0picidx,
          (last->tl0picidx + (next && packet->tid == 0 ? 1 : 0)) & 0xff);
      fail_unless_equals_int (packet->timestamp == last->timestamp, !next);
    }
    last = packet;
  }
  gst_caps_unref (caps);
}

GST_END_TEST;

/* From the descriptor alone, as with any sender. */
GST_START_TEST (the_classifier_finds_the_classes_that_the_encoder_says)
{
  GstCaps *caps = NULL;
  g_autoptr (GArray) frames = encode_mode (__i__, &caps);
  g_autoptr (GArray) packets = payload (frames, caps, 300);
  g_autoptr (LmccClassifier) classifier =
      lmcc_classifier_new (&lmcc_codec_vp9, 0);
  guint n = 0, i, u;

  for (i = 0; i < packets->len; i++) {
    const Packet *packet = &g_array_index (packets, Packet, i);
    LmccPacket *copy = lmcc_packet_new (gst_buffer_get_size (packet->buffer));
    LmccUnit *units[2];
    guint n_units;

    copy->size =
        gst_buffer_extract (packet->buffer, 0, copy->data, copy->capacity);
    n_units = lmcc_classifier_push (classifier, copy, NULL, packet->pts,
        packet->pts, units);
    for (u = 0; u < n_units; u++) {
      const LayerFrame *frame = &g_array_index (frames, LayerFrame, n++);

      fail_unless_equals_int (units[u]->klass, frame->klass);
      fail_unless_equals_int (!!units[u]->switch_point, frame->switch_point);
      fail_unless_equals_uint64 (units[u]->presentation_time, frame->pts);
      lmcc_unit_free (units[u]);
    }
  }
  fail_unless_equals_int (n, frames->len);
  fail_unless_equals_uint64 (lmcc_classifier_get_malformed (classifier), 0);
  gst_caps_unref (caps);
}

GST_END_TEST;

typedef struct
{
  guint sid;
  guint tid;
} Top;

static gboolean
is_up_to (const LayerFrame *frame, gpointer user_data)
{
  const Top *top = user_data;

  return frame->spatial_id <= top->sid && frame->temporal_id <= top->tid;
}

/* As a forwarder does: drops the other packets, renumbers, and sets the
 * marker on the new end of each picture. */
static GArray *
forward (GArray *packets, const Top *top)
{
  GArray *kept = g_array_new (FALSE, FALSE, sizeof (GstBuffer *));
  guint16 sequence = 0xfff0;
  guint i;

  for (i = 0; i < packets->len; i++) {
    const Packet *packet = &g_array_index (packets, Packet, i);
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
    GstBuffer *copy;

    if (packet->sid > top->sid || packet->tid > top->tid)
      continue;
    copy = gst_buffer_copy_deep (packet->buffer);
    fail_unless (gst_rtp_buffer_map (copy, GST_MAP_READWRITE, &rtp));
    gst_rtp_buffer_set_seq (&rtp, sequence++);
    gst_rtp_buffer_set_marker (&rtp, packet->e && packet->sid == top->sid);
    gst_rtp_buffer_unmap (&rtp);
    g_array_append_val (kept, copy);
  }

  return kept;
}

static void
free_buffers (GArray *buffers)
{
  guint i;

  for (i = 0; i < buffers->len; i++)
    gst_buffer_unref (g_array_index (buffers, GstBuffer *, i));
  g_array_unref (buffers);
}

static void
check_subset (GArray *frames, GArray *packets, const gchar *elements, Top *top)
{
  g_autoptr (GArray) pictures = svc_make_pictures (frames, is_up_to, top);
  g_autoptr (GArray) expected = svc_decode_offline (pictures);
  GArray *kept = forward (packets, top);
  g_autoptr (GArray) shown = svc_decode_stock (elements, RTP_CAPS, kept);

  svc_assert_same_pictures (shown, expected);
  free_buffers (kept);
}

GST_START_TEST (stock_elements_play_every_subset)
{
  GstCaps *caps = NULL;
  g_autoptr (GArray) frames = encode_mode (__i__, &caps);
  g_autoptr (GArray) packets = payload (frames, caps, 300);
  const gchar *mode = modes[__i__ / 2];
  Top top;

  for (top.sid = 0; top.sid < (guint) (mode[1] - '0'); top.sid++) {
    for (top.tid = 0; top.tid < (guint) (mode[3] - '0'); top.tid++)
      check_subset (frames, packets, "rtpvp9depay ! vp9dec", &top);
  }
  gst_caps_unref (caps);
}

GST_END_TEST;

GST_START_TEST (parser_and_decodebin_play_subsets)
{
  const guint index = 2 * (G_N_ELEMENTS (modes) - 1) + (guint) __i__;
  GstCaps *caps = NULL;
  g_autoptr (GArray) frames = encode_mode (index, &caps);
  g_autoptr (GArray) packets = payload (frames, caps, 300);
  Top top = { 0, 2 };

  for (; top.sid < 3; top.sid++) {
    check_subset (frames, packets, "rtpvp9depay ! vp9parse ! vp9dec", &top);
    check_subset (frames, packets, "decodebin", &top);
  }
  gst_caps_unref (caps);
}

GST_END_TEST;

GST_START_TEST (a_buffer_without_layer_is_refused)
{
  g_autoptr (GstElement) pipeline = gst_parse_launch (
      "appsrc name=src "
      "format=time caps=\"video/x-vp9-svc,scalability-mode=L2T1,width=64,"
      "height=64\" ! rtpvp9svcpay ! fakesink",
      NULL);
  g_autoptr (GstElement) source =
      gst_bin_get_by_name (GST_BIN (pipeline), "src");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_app_src_push_buffer (GST_APP_SRC (source),
      gst_buffer_new_allocate (NULL, 100, NULL));
  message =
      gst_bus_timed_pop_filtered (bus, 10 * GST_SECOND, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, "no layer information") != NULL);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

GST_END_TEST;

GST_START_TEST (layer_frames_are_not_taken_for_pictures)
{
  g_autoptr (GstElement) encoder = gst_element_factory_make ("vp9svcenc", NULL);
  g_autoptr (GstElement) stock = gst_element_factory_make ("rtpvp9pay", NULL);
  g_autoptr (GstElement) payloader =
      gst_element_factory_make ("rtpvp9svcpay", NULL);
  g_autoptr (GstElement) plain = gst_element_factory_make ("vp9enc", NULL);

  fail_unless (gst_element_link_filtered (encoder, payloader, NULL));
  fail_if (gst_element_link (plain, payloader));
  fail_unless (gst_element_link (plain, stock));
}

GST_END_TEST;

static Suite *
rtpvp9svcpay_suite (void)
{
  Suite *s = suite_create ("rtpvp9svcpay");
  TCase *tc = tcase_create ("general");
  const gint n = 2 * G_N_ELEMENTS (modes);
  /* Three spatial layers. */
  const gint first = test_is_slow () ? n - 6 : 0;

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_loop_test (tc, descriptors_say_what_each_layer_frame_is, 0, n);
  tcase_add_loop_test (tc, pictures_and_their_base_are_counted, first, n);
  tcase_add_loop_test (tc,
      the_classifier_finds_the_classes_that_the_encoder_says, first, n);
  tcase_add_loop_test (tc, stock_elements_play_every_subset, first, n);
  tcase_add_loop_test (tc, parser_and_decodebin_play_subsets, 0, 2);
  tcase_add_test (tc, a_buffer_without_layer_is_refused);
  tcase_add_test (tc, layer_frames_are_not_taken_for_pictures);

  return s;
}

GST_CHECK_MAIN (rtpvp9svcpay);
