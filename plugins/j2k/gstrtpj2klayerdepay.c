/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-rtpj2klayerdepay
 * @title: rtpj2klayerdepay
 * @short_description: Extracts JPEG 2000 from RTP, with all quality layers that
 *     have arrived
 *
 * Builds a complete codestream from the quality layers of each picture that
 * have arrived without a gap, so that the decoder never gets a codestream with
 * a hole. A picture without its first layer is dropped. The element accepts any
 * RFC 5371 stream; a stream without priorities (RFC 5372) has one layer.
 *
 * If layers are missing, only the next picture shows that the previous one has
 * ended. The element reports this latency.
 *
 * |[
 * gst-launch-1.0 udpsrc port=5004 \
 *     caps="application/x-rtp,media=video,encoding-name=JPEG2000" \
 *     ! rtpj2klayerdepay ! openjpegdec ! videoconvert ! autovideosink
 * ]|
 */
#include "config.h"

#include "gstrtpj2klayerdepay.h"

#include <gst/rtp/rtp.h>

#include "gstj2kassembly.h"

GST_DEBUG_CATEGORY_STATIC (rtpj2klayerdepay_debug);
#define GST_CAT_DEFAULT rtpj2klayerdepay_debug

#define CLOCK_RATE 90000

/* A longer gap is a pause, not the distance of two pictures. */
#define LONGEST_DISTANCE GST_SECOND

enum
{
  PROP_0,
  PROP_STATS,
};

/* A picture format that GStreamer's caps can express. */
typedef struct
{
  const gchar *sampling;
  const gchar *colorspace;
  guint n_components;
  guint8 dx;
  guint8 dy;
} Sampling;

struct _GstRtpJ2kLayerDepay
{
  GstRTPBaseDepayload parent;

  GstJ2kAssembly *assembly;
  gchar *sampling; /* from the caps of RTP */
  guint32 timestamp;
  gboolean has_timestamp;
  gboolean pushed; /* the picture of @timestamp */
  GstClockTime pts;
  GstClockTime dts;
  GstJ2kCodestream format; /* of the src caps; no components: none yet */

  /* Protected by the object lock. */
  GstClockTime distance;
  guint64 n_pictures;
  guint64 n_dropped;
  guint n_layers;
};

static const Sampling samplings[] = {
  { "GRAYSCALE", "GRAY", 1, 1, 1 },
  { "YCbCr-4:2:0", "sYUV", 3, 2, 2 },
  { "YCbCr-4:2:2", "sYUV", 3, 2, 1 },
  { "YCbCr-4:4:4", "sYUV", 3, 1, 1 },
  { "YCbCr-4:1:1", "sYUV", 3, 4, 1 },
  { "RGB", "sRGB", 3, 1, 1 },
  { "BGR", "sRGB", 3, 1, 1 },
  { "RGBA", "sRGB", 4, 1, 1 },
  { "BGRA", "sRGB", 4, 1, 1 },
};

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
        GST_STATIC_CAPS ("application/x-rtp, media = (string) video, "
                         "encoding-name = (string) JPEG2000"));

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (
        "image/x-jpc, colorspace = (string) { sRGB, sYUV, GRAY }, "
        "sampling = (string) { RGB, BGR, RGBA, BGRA, YCbCr-4:4:4, YCbCr-4:2:2, "
        "YCbCr-4:2:0, YCbCr-4:1:1, GRAYSCALE }"));

G_DEFINE_FINAL_TYPE (GstRtpJ2kLayerDepay, gst_rtp_j2k_layer_depay,
    GST_TYPE_RTP_BASE_DEPAYLOAD);
/* Above the rank of rtpj2kdepay, which does not handle missing packets. */
GST_ELEMENT_REGISTER_DEFINE (rtpj2klayerdepay, "rtpj2klayerdepay",
    GST_RANK_PRIMARY, GST_TYPE_RTP_J2K_LAYER_DEPAY);

/* Caps */

static gboolean
sampling_fits (const Sampling *sampling, const GstJ2kCodestream *codestream)
{
  return sampling->n_components == codestream->n_components
      && codestream->dx[0] == 1 && codestream->dy[0] == 1
      && (sampling->n_components == 1
          || (codestream->dx[1] == sampling->dx
              && codestream->dy[1] == sampling->dy
              && codestream->dx[2] == sampling->dx
              && codestream->dy[2] == sampling->dy));
}

/* The caps of RTP take precedence if they fit. A component transform converts
 * RGB to YCbCr, so a codestream with a transform is RGB. */
static const Sampling *
find_sampling (GstRtpJ2kLayerDepay *self, const GstJ2kCodestream *codestream)
{
  const gchar *wanted = self->sampling;
  guint i;

  if (wanted == NULL && codestream->colour_transform)
    wanted = codestream->n_components == 4 ? "RGBA" : "RGB";
  for (i = 0; i < G_N_ELEMENTS (samplings); i++) {
    if (sampling_fits (&samplings[i], codestream)
        && g_strcmp0 (samplings[i].sampling, wanted) == 0)
      return &samplings[i];
  }
  for (i = 0; i < G_N_ELEMENTS (samplings); i++) {
    if (sampling_fits (&samplings[i], codestream))
      return &samplings[i];
  }

  return NULL;
}

static gboolean
is_same_format (const GstJ2kCodestream *a, const GstJ2kCodestream *b)
{
  guint i;

  if (a->width != b->width || a->height != b->height
      || a->n_components != b->n_components
      || a->colour_transform != b->colour_transform)
    return FALSE;
  for (i = 0; i < a->n_components; i++) {
    if (a->dx[i] != b->dx[i] || a->dy[i] != b->dy[i])
      return FALSE;
  }

  return TRUE;
}

static gboolean
push_caps (GstRtpJ2kLayerDepay *self, const GstJ2kCodestream *codestream)
{
  const Sampling *sampling = find_sampling (self, codestream);
  g_autoptr (GstCaps) caps = NULL;

  if (is_same_format (&self->format, codestream))
    return TRUE;
  if (sampling == NULL)
    return FALSE;
  caps = gst_caps_new_simple ("image/x-jpc", "width", G_TYPE_INT,
      (gint) codestream->width, "height", G_TYPE_INT, (gint) codestream->height,
      "colorspace", G_TYPE_STRING, sampling->colorspace, "sampling",
      G_TYPE_STRING, sampling->sampling, "framerate", GST_TYPE_FRACTION, 0, 1,
      NULL);
  if (!gst_pad_set_caps (GST_RTP_BASE_DEPAYLOAD_SRCPAD (self), caps))
    return FALSE;
  self->format = *codestream;

  return TRUE;
}

static gboolean
gst_rtp_j2k_layer_depay_set_caps (GstRTPBaseDepayload *depayload, GstCaps *caps)
{
  GstRtpJ2kLayerDepay *self = GST_RTP_J2K_LAYER_DEPAY (depayload);
  const GstStructure *structure = gst_caps_get_structure (caps, 0);

  depayload->clock_rate = CLOCK_RATE;
  g_free (self->sampling);
  self->sampling = g_strdup (gst_structure_get_string (structure, "sampling"));

  return TRUE;
}

/* Pictures */

static void
count (GstRtpJ2kLayerDepay *self, guint n_layers)
{
  GST_OBJECT_LOCK (self);
  if (n_layers > 0)
    self->n_pictures++;
  else
    self->n_dropped++;
  self->n_layers = n_layers;
  GST_OBJECT_UNLOCK (self);
}

static void
push_picture (GstRtpJ2kLayerDepay *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;
  GstJ2kCodestream codestream;
  GstBuffer *buffer;

  if (gst_j2k_assembly_is_empty (self->assembly))
    return;
  bytes = gst_j2k_assembly_finish (self->assembly, &codestream, &error);
  if (bytes == NULL || !push_caps (self, &codestream)) {
    GST_DEBUG_OBJECT (self, "dropped a picture: %s",
        error != NULL ? error->message
                      : "downstream does not accept its format");
    count (self, 0);
    return;
  }
  count (self, codestream.n_layers);
  buffer = gst_buffer_new_wrapped_bytes (bytes);
  GST_BUFFER_PTS (buffer) = self->pts;
  GST_BUFFER_DTS (buffer) = self->dts;
  gst_rtp_base_depayload_push (GST_RTP_BASE_DEPAYLOAD (self), buffer);
}

static void
follow_distance (GstRtpJ2kLayerDepay *self, guint32 timestamp)
{
  gint32 ticks = (gint32) (timestamp - self->timestamp);
  GstClockTime distance;
  gboolean changed;

  if (ticks <= 0)
    return;
  distance =
      gst_util_uint64_scale_int ((guint64) ticks, GST_SECOND, CLOCK_RATE);
  if (distance > LONGEST_DISTANCE)
    return;
  GST_OBJECT_LOCK (self);
  changed = distance > self->distance;
  self->distance = MAX (self->distance, distance);
  GST_OBJECT_UNLOCK (self);
  if (changed)
    gst_element_post_message (GST_ELEMENT (self),
        gst_message_new_latency (GST_OBJECT (self)));
}

static void
begin_picture (GstRtpJ2kLayerDepay *self, GstRTPBuffer *rtp)
{
  guint32 timestamp = gst_rtp_buffer_get_timestamp (rtp);

  if (self->has_timestamp && timestamp == self->timestamp)
    return;
  push_picture (self);
  if (self->has_timestamp)
    follow_distance (self, timestamp);
  self->has_timestamp = TRUE;
  self->pushed = FALSE;
  self->timestamp = timestamp;
  self->pts = GST_BUFFER_PTS (rtp->buffer);
  self->dts = GST_BUFFER_DTS (rtp->buffer);
}

static GstBuffer *
gst_rtp_j2k_layer_depay_process (GstRTPBaseDepayload *depayload,
    GstRTPBuffer *rtp)
{
  GstRtpJ2kLayerDepay *self = GST_RTP_J2K_LAYER_DEPAY (depayload);

  begin_picture (self, rtp);
  if (self->pushed)
    return NULL;
  if (!gst_j2k_assembly_add (self->assembly, gst_rtp_buffer_get_payload (rtp),
          gst_rtp_buffer_get_payload_len (rtp),
          gst_rtp_buffer_get_marker (rtp)))
    GST_LOG_OBJECT (self, "packet %u cannot be used",
        gst_rtp_buffer_get_seq (rtp));
  if (gst_j2k_assembly_is_complete (self->assembly)) {
    push_picture (self);
    self->pushed = TRUE;
  }

  return NULL;
}

static void
reset (GstRtpJ2kLayerDepay *self)
{
  gst_j2k_assembly_reset (self->assembly);
  self->has_timestamp = FALSE;
  self->pushed = FALSE;
}

static gboolean
gst_rtp_j2k_layer_depay_handle_event (GstRTPBaseDepayload *depayload,
    GstEvent *event)
{
  GstRtpJ2kLayerDepay *self = GST_RTP_J2K_LAYER_DEPAY (depayload);

  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    push_picture (self);
  else if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    reset (self);

  return GST_RTP_BASE_DEPAYLOAD_CLASS (gst_rtp_j2k_layer_depay_parent_class)
      ->handle_event (depayload, event);
}

static gboolean
add_latency (GstRtpJ2kLayerDepay *self, GstQuery *query)
{
  GstClockTime shortest, longest, distance;
  gboolean live;

  if (!gst_pad_peer_query (GST_RTP_BASE_DEPAYLOAD_SINKPAD (self), query))
    return FALSE;
  gst_query_parse_latency (query, &live, &shortest, &longest);
  GST_OBJECT_LOCK (self);
  distance = self->distance;
  GST_OBJECT_UNLOCK (self);
  if (GST_CLOCK_TIME_IS_VALID (longest))
    longest += distance;
  gst_query_set_latency (query, live, shortest + distance, longest);

  return TRUE;
}

static gboolean
gst_rtp_j2k_layer_depay_src_query (GstPad *pad, GstObject *parent,
    GstQuery *query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_LATENCY)
    return add_latency (GST_RTP_J2K_LAYER_DEPAY (parent), query);

  return gst_pad_query_default (pad, parent, query);
}

static GstStateChangeReturn
gst_rtp_j2k_layer_depay_change_state (GstElement *element,
    GstStateChange transition)
{
  GstRtpJ2kLayerDepay *self = GST_RTP_J2K_LAYER_DEPAY (element);
  GstStateChangeReturn result;

  result = GST_ELEMENT_CLASS (gst_rtp_j2k_layer_depay_parent_class)
               ->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    reset (self);
    self->format = (GstJ2kCodestream){ 0 };
    GST_OBJECT_LOCK (self);
    self->distance = 0;
    GST_OBJECT_UNLOCK (self);
  }

  return result;
}

static void
gst_rtp_j2k_layer_depay_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstRtpJ2kLayerDepay *self = GST_RTP_J2K_LAYER_DEPAY (object);

  if (id != PROP_STATS) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    return;
  }
  GST_OBJECT_LOCK (self);
  g_value_take_boxed (value,
      gst_structure_new ("rtpj2klayerdepay-stats", "pictures", G_TYPE_UINT64,
          self->n_pictures, "pictures-dropped", G_TYPE_UINT64, self->n_dropped,
          "layers", G_TYPE_UINT, self->n_layers, NULL));
  GST_OBJECT_UNLOCK (self);
}

static void
gst_rtp_j2k_layer_depay_finalize (GObject *object)
{
  GstRtpJ2kLayerDepay *self = GST_RTP_J2K_LAYER_DEPAY (object);

  gst_j2k_assembly_free (self->assembly);
  g_free (self->sampling);
  G_OBJECT_CLASS (gst_rtp_j2k_layer_depay_parent_class)->finalize (object);
}

static void
gst_rtp_j2k_layer_depay_class_init (GstRtpJ2kLayerDepayClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstRTPBaseDepayloadClass *depayload_class =
      GST_RTP_BASE_DEPAYLOAD_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (rtpj2klayerdepay_debug, "rtpj2klayerdepay", 0,
      "JPEG 2000 layers from RTP");

  object_class->get_property = gst_rtp_j2k_layer_depay_get_property;
  object_class->finalize = gst_rtp_j2k_layer_depay_finalize;
  /**
   * GstRtpJ2kLayerDepay:layer-stats:
   *
   * A structure with `pictures` (output pictures), `pictures-dropped` (pictures
   * without their first layer) and `layers` (number of layers of the latest
   * picture).
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_STATS,
      g_param_spec_boxed ("layer-stats", "Layer statistics",
          "Number of pictures output and dropped, and layers of the latest "
          "picture",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));

  element_class->change_state =
      GST_DEBUG_FUNCPTR (gst_rtp_j2k_layer_depay_change_state);
  depayload_class->set_caps =
      GST_DEBUG_FUNCPTR (gst_rtp_j2k_layer_depay_set_caps);
  depayload_class->process_rtp_packet =
      GST_DEBUG_FUNCPTR (gst_rtp_j2k_layer_depay_process);
  depayload_class->handle_event =
      GST_DEBUG_FUNCPTR (gst_rtp_j2k_layer_depay_handle_event);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class,
      "RTP JPEG 2000 layer depayloader", "Codec/Depayloader/Network/RTP",
      "Extracts JPEG 2000 pictures from RTP, with the quality layers that have "
      "arrived (RFC 5371, RFC 5372)",
      "The lmcc project");
}

static void
gst_rtp_j2k_layer_depay_init (GstRtpJ2kLayerDepay *self)
{
  self->assembly = gst_j2k_assembly_new ();
  gst_pad_set_query_function (GST_RTP_BASE_DEPAYLOAD_SRCPAD (self),
      gst_rtp_j2k_layer_depay_src_query);
}
