/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* What cannot be sent, or would never be shown, and what can instead. */
#include "config.h"

#include "sink/refusal.h"

#include "sink/upstream.h"

#include <string.h>

GST_DEBUG_CATEGORY_EXTERN (gst_lmcc_sink_debug);
#define GST_CAT_DEFAULT gst_lmcc_sink_debug

/**
 * Elsewhere:
 * @format: what an encoder makes
 * @payloader: the element that makes RTP of it
 * @where: what has that element
 *
 * Payloaders that GStreamer's usual packages do not have.
 */
typedef struct
{
  const gchar *format;
  const gchar *payloader;
  const gchar *where;
} Elsewhere;

static const Elsewhere elsewhere[] = {
  { "video/x-av1", "rtpav1pay",
      "GStreamer's Rust plugins (gst-plugins-rs), of which Debian 12 and 13 "
      "have no package" },
};

static const gchar *
get_format (const GstCaps *caps)
{
  return gst_structure_get_name (gst_caps_get_structure (caps, 0));
}

/**
 * gst_lmcc_sink_caps_are_sound:
 * @caps: of an encoder or a demuxer
 *
 * Returns: whether all that they allow is sound
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

#define SOUND_REMEDY                                                   \
  "Sound goes to audio_sink, beside a video: 'lmccsink name=s  ... ! " \
  "s.sink_0  ... ! s.audio_sink'."

/**
 * gst_lmcc_sink_refuse_sound:
 * @sink: lmccsink
 * @pad: its pad for video
 * @caps: what came there
 *
 * Posts an error.
 */
void
gst_lmcc_sink_refuse_sound (GstElement *sink, GstPad *pad, const GstCaps *caps)
{
  GST_ELEMENT_ERROR (sink, STREAM, WRONG_TYPE,
      ("%s takes video, and sound came (%s). " SOUND_REMEDY
       " Sound alone needs no layers: send it by its payloader, such as "
       "rtpopuspay, and udpsink.",
          GST_PAD_NAME (pad), get_format (caps)),
      ("caps %" GST_PTR_FORMAT, caps));
}

/**
 * gst_lmcc_sink_leave_out_sound:
 * @sink: lmccsink
 * @caps: what would have come to a pad for video
 *
 * Posts a warning.
 */
void
gst_lmcc_sink_leave_out_sound (GstElement *sink, const GstCaps *caps)
{
  GST_ELEMENT_WARNING (sink, STREAM, WRONG_TYPE,
      ("The sound (%s) is left out. " SOUND_REMEDY, get_format (caps)), (NULL));
}

/* (transfer full): rtpmpvpay takes one version of MPEG, and encoders make
 * two */
static gchar *
describe_format (const GstCaps *caps)
{
  gint version;

  if (gst_structure_get_int (gst_caps_get_structure (caps, 0), "mpegversion",
          &version))
    return g_strdup_printf ("%s of version %d", get_format (caps), version);
  return g_strdup (get_format (caps));
}

/**
 * gst_lmcc_sink_refuse_format:
 * @sink: lmccsink
 * @caps: of a stream that no element here makes RTP of
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
      remedy = g_strdup_printf ("Install %s, which is in %s",
          elsewhere[i].payloader, elsewhere[i].where);
  }
  if (remedy == NULL)
    remedy = g_strdup ("Install the GStreamer plugins that have one "
                       "(gstreamer1.0-plugins-good and -bad)");
  GST_ELEMENT_ERROR (sink, STREAM, CODEC_NOT_FOUND,
      ("There is no RTP payloader for %s. %s. Or send H.264, H.265, VP8 or VP9 "
       "(x264enc, x265enc, vp8enc, vp9enc), or raw video, which lmccsink "
       "encodes itself.",
          text, remedy),
      ("caps %" GST_PTR_FORMAT, caps));
}

/**
 * gst_lmcc_sink_refuse_stream:
 * @sink: lmccsink
 * @payloader: which takes the format, but not this stream of it
 * @caps: of the stream
 *
 * Posts an error.
 */
void
gst_lmcc_sink_refuse_stream (GstElement *sink, GstElement *payloader,
    const GstCaps *caps)
{
  GST_ELEMENT_ERROR (sink, STREAM, FORMAT,
      ("%s does not take this stream of %s, as its encoder uses options that "
       "the payloader does not know. Take another encoder, for H.264, H.265, "
       "VP8 or VP9 (x264enc, x265enc, vp8enc, vp9enc), or send raw video, "
       "which lmccsink encodes itself.",
          GST_IS_BIN (payloader) ? "The payloader"
                                 : gst_lmcc_sink_get_factory_name (payloader),
          get_format (caps)),
      ("caps %" GST_PTR_FORMAT, caps));
}

/**
 * gst_lmcc_sink_refuse_times:
 * @core: whose message it is
 * @pad: its sink pad, where pictures came whose times nobody can keep
 *
 * Posts an error. GStreamer's libav encoders take "no time" for one where
 * libavcodec does not know it: avenc_mpeg4 of GStreamer 1.22 with FFmpeg 5.1.
 */
void
gst_lmcc_sink_refuse_times (GstElement *core, GstPad *pad)
{
  g_autoptr (GstElement) encoder = gst_lmcc_sink_find_encoder (pad);

  GST_ELEMENT_ERROR (core, STREAM, FORMAT,
      ("The pictures on %s have no usable times: %s says that they are 292 "
       "years ahead, so none would ever be sent. That is a fault of the "
       "encoder in this version of GStreamer: take another one, such as "
       "x264enc, or raw video, which lmccsink encodes itself.",
          GST_PAD_NAME (pad),
          encoder ? gst_lmcc_sink_get_factory_name (encoder) : "their source"),
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

/* Whether the stream that @payloader gets has its configuration beside it only:
 * out of a file. Encoders put it in front of each key frame too. The
 * payloader's own pad has its caps only when it has dealt with them. */
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

/* A parser may do it in place of the payloader. */
static gboolean
repeats_configuration (GstElement *element)
{
  return has_config_interval (element) && !is_off (element);
}

/**
 * gst_lmcc_sink_check_configuration:
 * @core: whose message it is
 * @pad: its sink pad
 * @caps: of the RTP that is about to come there
 *
 * Warns where a payloader of the user's own says what decoders need in its caps
 * alone: the session's record does not carry it.
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
      ("Receivers will show no picture: %s keeps what decoders of %s need out "
       "of the stream. Set config-interval=1 on it, or connect what is in "
       "front of it to lmccsink itself.",
          gst_lmcc_sink_get_factory_name (payloader), encoding),
      (NULL));
}
