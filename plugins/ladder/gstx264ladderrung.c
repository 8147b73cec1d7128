/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* One encoding of the ladder: its elements and their settings. */
#include "config.h"

#include "gstx264ladderrung.h"

#include <gst/video/video.h>

#define GST_CAT_DEFAULT gst_x264_ladder_enc_debug
GST_DEBUG_CATEGORY_EXTERN (gst_x264_ladder_enc_debug);

/* Without these caps rtph264pay would make x264enc choose the constrained
 * baseline profile, which has no B-frames and therefore only one class. */
#define ENCODED_CAPS "video/x-h264,profile=(string)high"

/* Maximum time of raw pictures that wait for the encoder. For live sources
 * GST_X264_LADDER_BACKLOG is lower, so this limit is for other sources. */
#define QUEUE_TIME (500 * GST_MSECOND)

/* The value of x264's own veryfast preset: the rate control sees key frames
 * coming, and the delay stays short. */
#define REAL_TIME_LOOKAHEAD 10

/**
 * gst_x264_ladder_find_missing:
 * @package: (out): the Debian package that contains it
 *
 * Returns: (nullable): the name of an element that rungs need and that is not
 * installed
 */
const gchar *
gst_x264_ladder_find_missing (const gchar **package)
{
  static const gchar *const needed[][2] = {
    { "x264enc", "gstreamer1.0-plugins-ugly" },
    { "videoscale", "gstreamer1.0-plugins-base" },
    { "videoconvert", "gstreamer1.0-plugins-base" },
    { "tee", "libgstreamer1.0-0" },
    { "queue", "libgstreamer1.0-0" },
    { "capsfilter", "libgstreamer1.0-0" },
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (needed); i++) {
    g_autoptr (GstElementFactory) factory =
        gst_element_factory_find (needed[i][0]);

    if (factory == NULL) {
      *package = needed[i][1];
      return needed[i][0];
    }
  }
  return NULL;
}

/**
 * gst_x264_ladder_read_picture:
 * @caps: caps of raw video
 * @picture: (out): its size and rate
 *
 * Returns: whether @caps contain both
 */
gboolean
gst_x264_ladder_read_picture (GstCaps *caps, LmccPicture *picture)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  gint width = 0, height = 0, numerator = 0, denominator = 1;

  gst_structure_get_int (s, "width", &width);
  gst_structure_get_int (s, "height", &height);
  gst_structure_get_fraction (s, "framerate", &numerator, &denominator);
  if (width <= 0 || height <= 0 || numerator <= 0 || denominator <= 0)
    return FALSE;
  picture->width = (guint) width;
  picture->height = (guint) height;
  picture->rate = (gdouble) numerator / denominator;
  return TRUE;
}

/* Runs in the rung's own thread, in order with the pictures, so that all rungs
 * change their size at the same picture. */
static void
set_size (GstX264LadderRung *rung, GstCaps *caps)
{
  LmccPicture picture;
  guint width, height;
  g_autoptr (GstCaps) size = NULL;
  const GValue *ratio;

  if (!gst_x264_ladder_read_picture (caps, &picture))
    return;
  lmcc_ladder_size (&picture, rung->bitrate, &width, &height);
  size = gst_caps_new_simple ("video/x-raw", "width", G_TYPE_INT, (gint) width,
      "height", G_TYPE_INT, (gint) height, NULL);
  ratio = gst_structure_get_value (gst_caps_get_structure (caps, 0),
      "pixel-aspect-ratio");
  if (ratio)
    gst_caps_set_value (size, "pixel-aspect-ratio", ratio);
  GST_INFO_OBJECT (rung->encoder, "%ux%u, %" G_GUINT64_FORMAT " bit/s", width,
      height, rung->bitrate);
  g_object_set (rung->filter, "caps", size, NULL);
}

static GstPadProbeReturn
before_scale (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info,
    gpointer user_data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    set_size (user_data, caps);
  }
  return GST_PAD_PROBE_OK;
}

/* A new size is negotiated between the scaler and the encoder alone. If the
 * elements upstream negotiated again, too, they could ask another encoder for
 * its caps while it restarts, and would find none. */
static GstPadProbeReturn
keep_reconfiguration (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info,
    gpointer user_data G_GNUC_UNUSED)
{
  return GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))
          == GST_EVENT_RECONFIGURE
      ? GST_PAD_PROBE_DROP
      : GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
before_encoder (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info G_GNUC_UNUSED,
    gpointer user_data)
{
  GstX264LadderRung *rung = user_data;

  g_atomic_int_inc (&rung->taken);
  return GST_PAD_PROBE_OK;
}

static void
add_probe (GstElement *element, const gchar *name, GstPadProbeType type,
    GstPadProbeCallback callback, gpointer user_data)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, name);

  gst_pad_add_probe (pad, type, callback, user_data, NULL);
}

static GstElement *
add_element (GstBin *bin, const gchar *factory, guint index,
    const gchar *prefix)
{
  g_autofree gchar *name = g_strdup_printf ("%s-%u", prefix, index);
  GstElement *element = gst_element_factory_make (factory, name);

  gst_bin_add (bin, element);
  return element;
}

/**
 * gst_x264_ladder_rung_new:
 * @bin: the bin to add the elements to; gst_x264_ladder_find_missing() found
 *     none missing
 * @tee: the source of the pictures
 * @index: the number of the rung
 *
 * The encoder stays in state NULL until gst_x264_ladder_rung_unlock().
 *
 * Returns: (transfer full): a rung
 */
GstX264LadderRung *
gst_x264_ladder_rung_new (GstBin *bin, GstElement *tee, guint index)
{
  GstX264LadderRung *rung = g_new0 (GstX264LadderRung, 1);
  g_autoptr (GstCaps) encoded = gst_caps_from_string (ENCODED_CAPS);
  g_autoptr (GstPad) sink = NULL;

  rung->index = index;
  rung->queue = add_element (bin, "queue", index, "queue");
  rung->scale = add_element (bin, "videoscale", index, "scale");
  rung->filter = add_element (bin, "capsfilter", index, "size");
  rung->encoder = add_element (bin, "x264enc", index, "x264enc");
  rung->profile = add_element (bin, "capsfilter", index, "profile");
  g_object_set (rung->profile, "caps", encoded, NULL);
  g_object_set (rung->queue, "max-size-buffers", 0, "max-size-bytes", 0,
      "max-size-time", (guint64) QUEUE_TIME, NULL);
  /* Sizes are rounded to even numbers; this prevents a border for the rest. */
  g_object_set (rung->scale, "add-borders", FALSE, NULL);
  gst_x264_ladder_rung_lock (rung);
  gst_element_link_many (rung->queue, rung->scale, rung->filter, rung->encoder,
      rung->profile, NULL);
  add_probe (rung->queue, "src", GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      before_scale, rung);
  add_probe (rung->queue, "src", GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
      keep_reconfiguration, NULL);
  add_probe (rung->encoder, "sink", GST_PAD_PROBE_TYPE_BUFFER, before_encoder,
      rung);
  rung->tee_pad = gst_element_request_pad_simple (tee, "src_%u");
  sink = gst_element_get_static_pad (rung->queue, "sink");
  gst_pad_link (rung->tee_pad, sink);
  gst_element_sync_state_with_parent (rung->profile);
  gst_element_sync_state_with_parent (rung->filter);
  gst_element_sync_state_with_parent (rung->scale);
  gst_element_sync_state_with_parent (rung->queue);
  return rung;
}

static void
remove_element (GstBin *bin, GstElement *element)
{
  gst_element_set_locked_state (element, TRUE);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_bin_remove (bin, element);
}

/**
 * gst_x264_ladder_rung_free:
 * @rung: (transfer full): the rung
 * @bin: the bin that contains its elements
 * @tee: the source of its pictures
 */
void
gst_x264_ladder_rung_free (GstX264LadderRung *rung, GstBin *bin,
    GstElement *tee)
{
  gst_element_release_request_pad (tee, rung->tee_pad);
  gst_object_unref (rung->tee_pad);
  remove_element (bin, rung->profile);
  remove_element (bin, rung->encoder);
  remove_element (bin, rung->filter);
  remove_element (bin, rung->scale);
  remove_element (bin, rung->queue);
  g_free (rung);
}

/**
 * gst_x264_ladder_rung_lock:
 * @rung: a rung without data flow
 *
 * Keeps its encoder in state NULL, in which all of its properties can be set.
 */
void
gst_x264_ladder_rung_lock (GstX264LadderRung *rung)
{
  gst_element_set_locked_state (rung->encoder, TRUE);
  gst_element_set_state (rung->encoder, GST_STATE_NULL);
}

/**
 * gst_x264_ladder_rung_unlock:
 * @rung: a configured rung
 *
 * Returns: whether the encoder has reached the state of its bin
 */
gboolean
gst_x264_ladder_rung_unlock (GstX264LadderRung *rung)
{
  gst_element_set_locked_state (rung->encoder, FALSE);
  return gst_element_sync_state_with_parent (rung->encoder);
}

/* The faster presets have no lookahead. Without lookahead x264 disables its
 * macroblock tree. */
static void
limit_delay (GstX264LadderRung *rung, const GstX264LadderSettings *settings)
{
  gint lookahead = settings->lookahead;

  if (settings->speed < GST_LADDER_SPEED_VERYFAST)
    lookahead = 0;
  else if (settings->real_time)
    lookahead = MIN (lookahead, REAL_TIME_LOOKAHEAD);
  g_object_set (rung->encoder, "rc-lookahead", lookahead, "sync-lookahead", 0,
      "sliced-threads", settings->threads > 1, NULL);
}

/**
 * gst_x264_ladder_rung_configure:
 * @rung: a locked rung with its bitrate
 * @settings: settings of all rungs
 *
 * Sets up closed groups of pictures that begin only where requested. No access
 * unit delimiters, because each would need a packet of its own.
 */
void
gst_x264_ladder_rung_configure (GstX264LadderRung *rung,
    const GstX264LadderSettings *settings)
{
  g_object_set (rung->encoder, "bitrate",
      (guint) ((rung->bitrate + 500) / 1000), "vbv-buf-capacity",
      settings->vbv_capacity, "key-int-max", settings->key_distance, "bframes",
      settings->bframes, "b-pyramid", settings->bframes > 1, "b-adapt", FALSE,
      "threads", settings->threads, "aud", FALSE, "option-string",
      "scenecut=0:open-gop=0", NULL);
  gst_util_set_object_arg (G_OBJECT (rung->encoder), "speed-preset",
      gst_ladder_speed_get_name (settings->speed));
  if (settings->lookahead >= 0)
    limit_delay (rung, settings);
  else if (settings->real_time && settings->speed > GST_LADDER_SPEED_VERYFAST)
    g_object_set (rung->encoder, "rc-lookahead", REAL_TIME_LOOKAHEAD, NULL);
}
