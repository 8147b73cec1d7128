/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Errors and warnings about streams that cannot be sent, or would not be shown,
 * with alternatives. */
#include "config.h"

#include "sink/refusal.h"

#include "sink/upstream.h"

#include <plugins/common/messages.h>

#include <string.h>

GST_DEBUG_CATEGORY_EXTERN (gst_lmcc_sink_debug);
#define GST_CAT_DEFAULT gst_lmcc_sink_debug

/**
 * Elsewhere:
 * @format: media type of an encoder
 * @payloader: payloader for it
 * @where: package of the payloader
 *
 * Payloaders that are not in GStreamer's usual packages.
 */
typedef struct
{
  const gchar *format;
  const gchar *payloader;
  const gchar *where;
} Elsewhere;

static const Elsewhere elsewhere[] = {
  { "video/x-av1", "rtpav1pay",
      N_ ("GStreamer's Rust plugins (gst-plugins-rs), which Debian 12 and 13 "
          "do not package") },
};

static const gchar *
get_format (const GstCaps *caps)
{
  return gst_structure_get_name (gst_caps_get_structure (caps, 0));
}

/**
 * gst_lmcc_sink_caps_are_sound:
 * @caps: caps of an encoder or a demuxer
 *
 * Returns: whether they only allow audio
 */
gboolean
gst_lmcc_sink_caps_are_sound (const GstCaps *caps)
{
  guint i;

  if (gst_caps_is_any (caps) || gst_caps_is_empty (caps))
    return FALSE;
  for (i = 0; i < gst_caps_get_size (caps); i++) {
    const GstStructure *s = gst_caps_get_structure (caps, i);
    const gchar *media = gst_structure_get_string (s, "media");

    if (!g_str_has_prefix (gst_structure_get_name (s), "audio/")
        && g_strcmp0 (media, "audio") != 0)
      return FALSE;
  }
  return TRUE;
}

/**
 * gst_lmcc_sink_refuse_sound:
 * @sink: lmccsink
 * @pad: its video pad
 * @caps: caps of the stream
 *
 * Posts an error.
 */
void
gst_lmcc_sink_refuse_sound (GstElement *sink, GstPad *pad, const GstCaps *caps)
{
  GST_ELEMENT_ERROR (sink, STREAM, WRONG_TYPE,
      (_ ("%s accepts video, but got audio (%s). Audio belongs to audio_sink, "
          "together with a video: 'lmccsink name=s  ... ! s.sink_0  ... ! "
          "s.audio_sink'. Audio alone needs no layers: send it with its "
          "payloader, such as rtpopuspay, and udpsink."),
          GST_PAD_NAME (pad), get_format (caps)),
      ("caps %" GST_PTR_FORMAT, caps));
}

/**
 * gst_lmcc_sink_leave_out_sound:
 * @sink: lmccsink
 * @caps: caps of the audio at a video pad
 *
 * Posts a warning.
 */
void
gst_lmcc_sink_leave_out_sound (GstElement *sink, const GstCaps *caps)
{
  GST_ELEMENT_WARNING (sink, STREAM, WRONG_TYPE,
      (_ ("The audio (%s) is dropped. Audio belongs to audio_sink, together "
          "with a video: 'lmccsink name=s  ... ! s.sink_0  ... ! "
          "s.audio_sink'."),
          get_format (caps)),
      (NULL));
}

/* (transfer full): the format, with the version of MPEG, because rtpmpvpay only
 * accepts one of two */
static gchar *
describe_format (const GstCaps *caps)
{
  gint version;

  if (gst_structure_get_int (gst_caps_get_structure (caps, 0), "mpegversion",
          &version))
    return g_strdup_printf (_ ("%s of version %d"), get_format (caps), version);
  return g_strdup (get_format (caps));
}

/**
 * gst_lmcc_sink_refuse_format:
 * @sink: lmccsink
 * @caps: caps of a stream without a payloader
 *
 * Posts an error.
 */
void
gst_lmcc_sink_refuse_format (GstElement *sink, const GstCaps *caps)
{
  const gchar *format = get_format (caps);
  g_autofree gchar *text = describe_format (caps);
  g_autofree gchar *remedy = NULL;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (elsewhere) && !remedy; i++) {
    if (g_str_equal (format, elsewhere[i].format))
      remedy = g_strdup_printf (_ ("Install %s, which is in %s"),
          elsewhere[i].payloader, _ (elsewhere[i].where));
  }
  if (remedy == NULL)
    remedy = g_strdup (_ ("Install the GStreamer plugins that contain one "
                          "(gstreamer1.0-plugins-good and -bad)"));
  GST_ELEMENT_ERROR (sink, STREAM, CODEC_NOT_FOUND,
      (_ ("No RTP payloader for %s is installed. %s. Or send H.264, H.265, VP8 "
          "or VP9 (x264enc, x265enc, vp8enc, vp9enc), or raw video, which "
          "lmccsink encodes itself."),
          text, remedy),
      ("caps %" GST_PTR_FORMAT, caps));
}

/**
 * gst_lmcc_sink_refuse_stream:
 * @sink: lmccsink
 * @payloader: a payloader that accepts the format, but not this stream
 * @caps: caps of the stream
 *
 * Posts an error.
 */
void
gst_lmcc_sink_refuse_stream (GstElement *sink, GstElement *payloader,
    const GstCaps *caps)
{
  GST_ELEMENT_ERROR (sink, STREAM, FORMAT,
      (_ ("%s does not accept this stream of %s, because its encoder uses "
          "options that the payloader does not support. Use an encoder for "
          "H.264, H.265, VP8 or VP9 (x264enc, x265enc, vp8enc, vp9enc), or "
          "send raw video, which lmccsink encodes itself."),
          GST_IS_BIN (payloader) ? _ ("The payloader")
                                 : gst_lmcc_sink_get_factory_name (payloader),
          get_format (caps)),
      ("caps %" GST_PTR_FORMAT, caps));
}

/**
 * gst_lmcc_sink_refuse_times:
 * @core: the element that posts the message
 * @pad: its sink pad with invalid times
 *
 * Posts an error. If libavcodec does not know the time, GStreamer's libav
 * encoders use its value for "no time" as a time: avenc_mpeg4 of GStreamer 1.22
 * with FFmpeg 5.1.
 */
void
gst_lmcc_sink_refuse_times (GstElement *core, GstPad *pad)
{
  g_autoptr (GstElement) encoder = gst_lmcc_sink_find_encoder (pad);

  GST_ELEMENT_ERROR (core, STREAM, FORMAT,
      (_ ("The pictures on %s have no usable timestamps: those of %s are 292 "
          "years ahead, so no picture would ever be sent. This is a bug of the "
          "encoder in this version of GStreamer: use another encoder, such as "
          "x264enc, or send raw video, which lmccsink encodes itself."),
          GST_PAD_NAME (pad),
          encoder ? gst_lmcc_sink_get_factory_name (encoder)
                  : _ ("their source")),
      (NULL));
}

static gboolean
has_config_interval (GstElement *element)
{
  return g_object_class_find_property (G_OBJECT_GET_CLASS (element),
             "config-interval")
      != NULL;
}

static gboolean
is_demuxer (GstElement *element)
{
  const gchar *klass =
      gst_element_get_metadata (element, GST_ELEMENT_METADATA_KLASS);

  return klass && strstr (klass, "Demux") != NULL;
}

/* Whether the configuration of the stream is in its caps only, as in a file;
 * encoders also put it before each key frame. The payloader's own pad only has
 * its caps when it has processed them. */
static gboolean
has_configuration_beside (GstElement *payloader, const gchar *encoding)
{
  g_autoptr (GstPad) sink = gst_element_get_static_pad (payloader, "sink");
  g_autoptr (GstPad) peer = sink ? gst_pad_get_peer (sink) : NULL;
  g_autoptr (GstCaps) caps = peer ? gst_pad_get_current_caps (peer) : NULL;
  g_autoptr (GstElement) demuxer = NULL;

  if (g_str_equal (encoding, "MP4V-ES") || g_str_equal (encoding, "THEORA"))
    return TRUE;
  if (caps == NULL
      || !gst_structure_has_field (gst_caps_get_structure (caps, 0),
          "codec_data"))
    return FALSE;
  demuxer = gst_lmcc_sink_find_upstream (sink, is_demuxer);
  return demuxer != NULL;
}

static gboolean
is_off (GstElement *payloader)
{
  g_auto (GValue) value = G_VALUE_INIT;
  g_auto (GValue) number = G_VALUE_INIT;

  g_object_get_property (G_OBJECT (payloader), "config-interval", &value);
  g_value_init (&number, G_TYPE_INT64);
  return g_value_transform (&value, &number)
      && g_value_get_int64 (&number) == 0;
}

/* A parser may repeat the configuration instead of the payloader. */
static gboolean
repeats_configuration (GstElement *element)
{
  return has_config_interval (element) && !is_off (element);
}

/**
 * gst_lmcc_sink_check_configuration:
 * @core: the element that posts the message
 * @pad: its sink pad
 * @caps: caps of the RTP stream at this pad
 *
 * Warns if the user's own payloader has the configuration for decoders in its
 * caps only, because the session record does not contain it.
 */
void
gst_lmcc_sink_check_configuration (GstElement *core, GstPad *pad,
    const GstCaps *caps)
{
  const gchar *encoding =
      gst_structure_get_string (gst_caps_get_structure (caps, 0),
          "encoding-name");
  g_autoptr (GstElement) payloader =
      gst_lmcc_sink_find_upstream (pad, has_config_interval);
  g_autoptr (GstElement) repeater =
      gst_lmcc_sink_find_upstream (pad, repeats_configuration);

  if (payloader == NULL || encoding == NULL || repeater != NULL
      || !has_configuration_beside (payloader, encoding))
    return;
  GST_ELEMENT_WARNING (core, STREAM, FORMAT,
      (_ ("Receivers will show no picture: %s leaves the configuration that "
          "decoders of %s need out of the stream. Set config-interval=1 on it, "
          "or connect the element upstream of it to lmccsink directly."),
          gst_lmcc_sink_get_factory_name (payloader), encoding),
      (NULL));
}
