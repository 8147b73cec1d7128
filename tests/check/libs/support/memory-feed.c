/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/memory-feed.h"

#include "support/test-heap.h"
#include "support/test-slow.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/wire/rtp.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SSRC_BASE 0x12345000u

/* Memory that the process may use in addition to the budget: code, stacks,
 * and memory that the allocator cannot return. */
#define PROCESS_ALLOWANCE (48 * MEBIBYTE)

/* The library's memory besides packets: states of layers, and arrays that
 * were larger earlier. */
#define FIXED_ALLOWANCE (4 * MEBIBYTE)

static gsize
resident_set (void)
{
  gulong total = 0, resident = 0;
  FILE *file = fopen ("/proc/self/statm", "r");

  fail_unless (file != NULL);
  fail_unless_equals_int (fscanf (file, "%lu %lu", &total, &resident), 2);
  fclose (file);

  return resident * (gsize) sysconf (_SC_PAGESIZE);
}

void
feed_drain (Feed *feed)
{
  LmccReceiverAction action;

  while (lmcc_receiver_poll_action (feed->receiver, &action)) {
    feed->n_delivered += action.type == LMCC_RECEIVER_ACTION_DELIVER;
    if (action.type == LMCC_RECEIVER_ACTION_LEVEL)
      g_array_append_val (feed->levels, action.to);
    if (action.type == LMCC_RECEIVER_ACTION_MEMORY_FULL) {
      feed->n_told++;
      feed->told = action.reason;
    }
    g_clear_pointer (&action.packet, lmcc_packet_unref);
  }
}

void
feed_run_until (Feed *feed, LmccTime until)
{
  LmccTime next;

  while ((next = lmcc_receiver_next_timeout (feed->receiver)) <= until) {
    feed->now = MAX (feed->now, next);
    lmcc_receiver_handle_timeout (feed->receiver, feed->now);
    feed_drain (feed);
  }
  feed->now = MAX (feed->now, until);
}

LmccReceiverStats
feed_get_stats (Feed *feed)
{
  LmccReceiverStats stats;

  lmcc_receiver_get_stats (feed->receiver, feed->now, &stats);

  return stats;
}

LmccHeader
feed_make_header (Feed *feed, LmccPacketType type, guint layer)
{
  LmccHeader header = {
    .type = type,
    .layer = (guint8) layer,
    .top_layer = (guint8) (feed->session.n_layers - 1),
    .signal = LMCC_SIGNAL_NOBODY,
    .stream = LMCC_STREAM_NONE,
    .lsn = feed->lsn[layer]++,
    .osn = feed->osn,
    .send_time = lmcc_time_to_ntp_short (feed->now),
  };

  return header;
}

void
feed_send_packet (Feed *feed, const LmccHeader *header, const guint8 *payload,
    gsize size)
{
  guint stream = header->type == LMCC_PACKET_MEDIA ? header->stream : 0;
  LmccRtp rtp = {
    .sequence = feed->sequence[header->layer]++,
    .timestamp = feed->timestamp,
    .payload_size = size,
  };

  switch (header->type) {
    case LMCC_PACKET_MEDIA:
      rtp.payload_type = (guint8) (feed->session.payload_type + stream);
      rtp.ssrc = lmcc_session_ssrc (&feed->session, stream, header->layer);
      break;
    case LMCC_PACKET_REPAIR:
      rtp.payload_type = feed->session.repair_payload_type;
      rtp.ssrc = lmcc_session_repair_ssrc (&feed->session, header->layer);
      break;
    default:
      rtp.payload_type = feed->session.filler_payload_type;
      rtp.ssrc = SSRC_BASE + 0x800u + header->layer;
      break;
  }
  lmcc_receiver_handle_packet (feed->receiver, feed->now, feed->now,
      header->layer, &feed->source, feed->session.port,
      lmcc_rtp_build (&rtp, header, feed->session.header_id, payload));
  feed_drain (feed);
}

/* A picture of one packet, class 0 of a rung. */
void
feed_send_media (Feed *feed, guint layer, guint rung, gboolean key)
{
  static const guint8 payload[LMCC_MAX_PACKET_SIZE];
  LmccHeader header = feed_make_header (feed, LMCC_PACKET_MEDIA, layer);

  header.osn = feed->osn++;
  header.stream = (guint8) rung;
  header.first = header.last = TRUE;
  header.switch_point = key;
  header.anchor = ++feed->anchors[rung];
  feed_send_packet (feed, &header, payload, feed->payload_size);
}

void
feed_prepare (Feed *feed, guint n_layers, guint payload_size)
{
  guint i;

  memset (feed, 0, sizeof (*feed));
  lmcc_session_init (&feed->session);
  fail_unless (lmcc_address_parse ("239.42.7.1", &feed->session.address));
  fail_unless (lmcc_address_parse ("10.0.0.1", &feed->source));
  feed->session.source = feed->source;
  feed->session.port = 5004;
  feed->session.ssrc_base = SSRC_BASE;
  feed->session.n_layers = feed->session.n_groups = n_layers;
  feed->session.n_rungs = 1;
  feed->session.video.clock_rate = 90000;
  feed->session.native = TRUE;
  g_strlcpy (feed->session.video.encoding_name, "H264",
      LMCC_ENCODING_NAME_SIZE);
  for (i = 0; i < n_layers; i++)
    feed->session.layers[i] =
        (LmccLayer){ 1000000, 0, (guint8) MIN (i, LMCC_CLASS_MIXED - 1) };
  feed->payload_size = payload_size;
  feed->now = LMCC_SECOND;
  feed->config.address = feed->session.address;
  feed->config.session = &feed->session;
  feed->config.algorithm = "none";
  feed->config.latency = 60 * LMCC_SECOND;
  feed->config.max_level = -1;
  feed->config.max_memory = 16 * MEBIBYTE;
  feed->levels = g_array_new (FALSE, FALSE, sizeof (gint));
}

void
feed_start (Feed *feed)
{
  feed->heap = test_heap_in_use ();
  feed->receiver = lmcc_receiver_new (&feed->config);
  lmcc_receiver_start (feed->receiver, feed->now);
  feed_drain (feed);
}

void
feed_finish (Feed *feed)
{
  lmcc_receiver_free (feed->receiver);
  g_array_unref (feed->levels);
}

void
feed_check_memory (Feed *feed)
{
  LmccReceiverStats stats = feed_get_stats (feed);

  fail_unless (stats.memory <= stats.memory_budget);
  fail_unless (stats.memory_peak <= stats.memory_budget,
      "%" G_GUINT64_FORMAT " bytes of %" G_GUINT64_FORMAT, stats.memory_peak,
      stats.memory_budget);
  feed->most = MAX (feed->most, resident_set ());
  /* The sanitizers and valgrind have their own allocators. */
  if (test_is_slow ())
    return;
  fail_unless (test_heap_in_use ()
          <= feed->heap + stats.memory + FIXED_ALLOWANCE,
      "%" G_GSIZE_FORMAT " bytes are in use, %" G_GUINT64_FORMAT " are counted",
      test_heap_in_use () - feed->heap, stats.memory);
  fail_unless (feed->most <= stats.memory_budget + PROCESS_ALLOWANCE,
      "the process takes %" G_GSIZE_FORMAT
      " bytes, the budget is %" G_GUINT64_FORMAT,
      feed->most, stats.memory_budget);
}

void
feed_prepare_repair (Feed *feed, guint n_layers, guint payload_size)
{
  feed_prepare (feed, n_layers, payload_size);
  feed->session.repair = 1;
  feed->session.repair_delay = 10 * LMCC_SECOND;
}

/* One key frame per rung, and no further ones. */
void
feed_keep_history (Feed *feed, guint i)
{
  guint rung = i % LMCC_MAX_RUNGS;

  feed_send_media (feed, rung, rung, i < LMCC_MAX_RUNGS);
  if (rung == LMCC_MAX_RUNGS - 1)
    feed->timestamp += 900;
}

void
feed_prepare_rungs (Feed *feed, guint payload_size)
{
  guint i;

  feed_prepare (feed, LMCC_MAX_RUNGS, payload_size);
  feed->session.n_rungs = LMCC_MAX_RUNGS;
  for (i = 0; i < LMCC_MAX_RUNGS; i++)
    feed->session.layers[i] = (LmccLayer){ 1000000, (guint8) i, 0 };
  feed->config.latency = 100 * LMCC_MSECOND;
}

/* Sends @n steps and observes the memory. LMCC_TEST_PRINT prints it. */
void
feed_run (Feed *feed, FeedStream stream, guint n)
{
  LmccReceiverStats stats;
  guint i;

  n = test_rounds (n);
  feed_start (feed);
  for (i = 0; i < n; i++) {
    feed_run_until (feed, feed->now + FEED_STEP);
    stream (feed, i);
    if (i % 1024 == 0)
      feed_check_memory (feed);
  }
  feed_check_memory (feed);
  stats = feed_get_stats (feed);
  if (g_getenv ("LMCC_TEST_PRINT"))
    g_print ("peak %.1f of %.1f MiB, process %.1f MiB, level %d, dropped "
             "%" G_GUINT64_FORMAT ", told %u: %s\n",
        (gdouble) stats.memory_peak / MEBIBYTE,
        (gdouble) stats.memory_budget / MEBIBYTE,
        (gdouble) feed->most / MEBIBYTE, stats.level,
        stats.drops[LMCC_DROP_MEMORY], feed->n_told, feed->told);
  feed_finish (feed);
}
