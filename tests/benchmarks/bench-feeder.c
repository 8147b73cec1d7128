/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bench-feeder.h"

#include <string.h>

guint64
bench_element_get_stat (GstElement *element, const gchar *name)
{
  g_autoptr (GstStructure) stats = NULL;
  guint64 value = 0;

  g_object_get (element, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, name, &value);
  return value;
}

gboolean
bench_element_is (GstElement *element, const gchar *factory)
{
  GstElementFactory *made_by = gst_element_get_factory (element);

  return made_by && g_str_equal (GST_OBJECT_NAME (made_by), factory);
}

/* Media packets that lmccsink sent, without filler and repair. */
static guint64
count_media (GstElement *sink)
{
  g_autoptr (GstStructure) stats = NULL;
  const GValue *layers;
  guint64 media = 0;
  guint i;

  g_object_get (sink, "stats", &stats, NULL);
  layers = gst_structure_get_value (stats, "layers");
  for (i = 0; i < gst_value_array_get_size (layers); i++) {
    const GstStructure *layer =
        gst_value_get_structure (gst_value_array_get_value (layers, i));
    guint64 sent = 0, fillers = 0, repairs = 0;

    gst_structure_get (layer, "packets-sent", G_TYPE_UINT64, &sent,
        "fillers-sent", G_TYPE_UINT64, &fillers, "repairs-sent", G_TYPE_UINT64,
        &repairs, NULL);
    media += sent - fillers - repairs;
  }

  return media;
}

static void
count_element (const GValue *item, gpointer data)
{
  GstElement *element = g_value_get_object (item);
  guint64 *sent = data, bytes;

  if (bench_element_is (element, "lmccsink")) {
    *sent += count_media (element);
  } else if (bench_element_is (element, "udpsink")) {
    g_object_get (element, "bytes-served", &bytes, NULL);
    *sent += bytes / BENCH_PACKET_SIZE;
  }
}

/**
 * bench_feeder_count_sent:
 * @feeder: the feeder
 *
 * Returns: media packets sent according to the pipeline's elements, or the
 *     number of packets pushed if none of them sends
 */
guint64
bench_feeder_count_sent (BenchFeeder *feeder)
{
  GstIterator *iterator = gst_bin_iterate_recurse (GST_BIN (feeder->pipeline));
  guint64 sent = 0;

  gst_iterator_foreach (iterator, count_element, &sent);
  gst_iterator_free (iterator);
  return sent > 0 ? sent : feeder->pushed;
}

/* Spreads units evenly over the pads; each pad has its own stream. */
static void
share_stream (BenchFeeder *feeder, const BenchContender *contender,
    guint n_pads)
{
  const BenchStream *stream = feeder->stream;
  guint i;

  for (i = 0; i < n_pads; i++) {
    feeder->streams[i] = *stream;
    feeder->streams[i].packets_per_unit =
        stream->packets_per_unit * (i + 1) / n_pads
        - stream->packets_per_unit * i / n_pads;
    feeder->streams[i].n_classes = contender->n_classes;
  }
}

static GstElement *
find_fed (BenchFeeder *feeder, guint i)
{
  g_autofree gchar *name = g_strdup_printf ("element%u", i);
  GstElement *element =
      gst_bin_get_by_name (GST_BIN (feeder->pipeline), "element");

  return element ? element
                 : gst_bin_get_by_name (GST_BIN (feeder->pipeline), name);
}

static gboolean
open_pads (BenchFeeder *feeder, const BenchContender *contender)
{
  guint n_pads = MAX (contender->n_pads, 1), i;

  g_assert (n_pads <= BENCH_MAX_PADS);
  share_stream (feeder, contender, n_pads);
  for (i = 0; i < n_pads; i++) {
    g_autoptr (GstElement) element = find_fed (feeder, i);
    const gchar *name = bench_element_is (element, "lmccsink") ? "sink_%u"
        : bench_element_is (element, "rtpbin") ? "send_rtp_sink_%u"
                                               : "sink";
    GstPad *pad = bench_source_new (element, name,
        feeder->pictures ? bench_picture_caps () : bench_stream_caps ());

    if (pad == NULL)
      return FALSE;
    g_ptr_array_add (feeder->pads, pad);
  }

  return TRUE;
}

static void
tell_failure (BenchFeeder *feeder, gchar failure[120])
{
  g_autoptr (GstBus) bus = gst_element_get_bus (feeder->pipeline);
  g_autoptr (GstMessage) message =
      gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;

  if (message)
    gst_message_parse_error (message, &error, NULL);
  g_strlcpy (failure, error ? error->message : "the pipeline does not start",
      120);
}

/**
 * bench_feeder_open:
 * @feeder: (out caller-allocates): the feeder
 * @contender: the pipeline to feed
 * @stream: the stream to feed
 * @failure: (out caller-allocates): reason of a failure
 *
 * Returns: %FALSE if the pipeline does not start
 */
gboolean
bench_feeder_open (BenchFeeder *feeder, const BenchContender *contender,
    const BenchStream *stream, gchar failure[120])
{
  g_autoptr (GError) error = NULL;

  memset (feeder, 0, sizeof (*feeder));
  feeder->pipeline = bench_parse_pipeline (contender->pipeline, &error);
  if (feeder->pipeline == NULL) {
    g_strlcpy (failure, error->message, 120);
    return FALSE;
  }
  feeder->pads =
      g_ptr_array_new_with_free_func ((GDestroyNotify) bench_source_free);
  feeder->clock = gst_system_clock_obtain ();
  feeder->stream = stream;
  feeder->spread = contender->spread;
  feeder->pictures = contender->pictures;
  feeder->base = gst_clock_get_time (feeder->clock);
  bench_use_time (feeder->pipeline, feeder->clock, feeder->base);
  if (gst_element_set_state (feeder->pipeline, GST_STATE_PLAYING)
          != GST_STATE_CHANGE_FAILURE
      && open_pads (feeder, contender))
    return TRUE;
  tell_failure (feeder, failure);
  return FALSE;
}

static GstFlowReturn
push_unit (BenchFeeder *feeder, guint i, guint unit, GstClockTime time)
{
  GstPad *pad = g_ptr_array_index (feeder->pads, i);
  const BenchStream *stream = &feeder->streams[i];

  feeder->pushed += stream->packets_per_unit;
  if (feeder->pictures)
    return bench_source_push_picture (pad, stream, unit, time);
  return bench_source_push_unit (pad, stream, unit, time, feeder->spread);
}

/* Returns: the running time of the next unit */
GstClockTime
bench_feeder_next (const BenchFeeder *feeder)
{
  return bench_stream_time (feeder->stream, feeder->next_unit);
}

/* Returns: %FALSE if the element accepts no data */
gboolean
bench_feeder_run_until (BenchFeeder *feeder, GstClockTime running_time)
{
  while (bench_feeder_next (feeder) < running_time) {
    GstClockTime time = bench_feeder_next (feeder);
    guint unit = feeder->next_unit++, i;

    bench_sleep_until (feeder->clock, feeder->base + time);
    for (i = 0; i < feeder->pads->len; i++) {
      if (push_unit (feeder, i, unit, time) != GST_FLOW_OK)
        return FALSE;
    }
  }
  return TRUE;
}

void
bench_feeder_close (BenchFeeder *feeder)
{
  gst_element_set_state (feeder->pipeline, GST_STATE_NULL);
  g_ptr_array_unref (feeder->pads);
  gst_object_unref (feeder->pipeline);
  gst_object_unref (feeder->clock);
}
