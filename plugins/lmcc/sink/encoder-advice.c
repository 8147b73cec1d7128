/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Advice on how to get more than one layer from the current encoder. */
#include "config.h"

#include "sink/encoder-advice.h"

#include "sink/upstream.h"

#include <plugins/common/messages.h>

#include <string.h>

/* Properties for the number of B-frames in encoders of H.264 and H.265, most of
 * them in hardware. */
static const gchar *const b_pictures[] = { "b-frames", "bframes",
  "max-bframes" };

/* Properties for the key-frame interval, in pictures. */
static const gchar *const key_distances[] = { "key-int-max",
  "keyframe-max-dist", "keyframe-force", "gop-size", "keyframe-period" };

static gboolean
has_property (GstElement *element, const gchar *name)
{
  return g_object_class_find_property (G_OBJECT_GET_CLASS (element), name)
      != NULL;
}

/* The first of @n properties that @encoder has, or %NULL. */
static const gchar *
find_property (GstElement *encoder, const gchar *const *names, guint n)
{
  guint i;

  for (i = 0; i < n; i++) {
    if (has_property (encoder, names[i]))
      return names[i];
  }
  return NULL;
}

static gboolean
has_b_classes (const LmccCodec *codec)
{
  return codec
      && (g_str_equal (codec->encoding_name, "H264")
          || g_str_equal (codec->encoding_name, "H265"));
}

/* (transfer full) (nullable): advice for an encoder with B-frames */
static gchar *
advise_b_pictures (GstElement *encoder)
{
  const gchar *property =
      find_property (encoder, b_pictures, G_N_ELEMENTS (b_pictures));
  const gchar *name = gst_lmcc_sink_get_factory_name (encoder);

  if (property == NULL)
    return NULL;
  if (has_property (encoder, "b-pyramid"))
    return g_strdup_printf (
        _ ("Set %s=3 b-pyramid=true on %s for three classes, if it supports "
           "B-frames. Or connect several encodings of the video (sink_0, "
           "sink_1 ...), or raw video, which lmccsink encodes in layers."),
        property, name);
  return g_strdup_printf (
      _ ("Set %s=2 on %s for two classes, if it supports B-frames. Or connect "
         "several encodings of the video (sink_0, sink_1 ...), or raw video, "
         "which lmccsink encodes in layers."),
      property, name);
}

/* Capitalizes the first letter, for the start of a sentence. */
static gchar *
capitalize (const gchar *text)
{
  gchar *copy = g_strdup (text);

  copy[0] = g_ascii_toupper (copy[0]);
  return copy;
}

/**
 * gst_lmcc_sink_advise_encoder:
 * @encoder: (nullable): encoder of a stream with one class
 * @own: whether lmccsink has created it, for raw video
 * @live: whether the source is live
 * @codec: (nullable): codec of the stream
 *
 * Returns: (transfer full): sentences about how to get more classes
 */
gchar *
gst_lmcc_sink_advise_encoder (GstElement *encoder, gboolean own, gboolean live,
    const LmccCodec *codec)
{
  const gchar *name = encoder ? gst_lmcc_sink_get_factory_name (encoder) : "";
  const gchar *usual = codec ? codec->single_class_advice : NULL;
  g_autofree gchar *capital = usual ? capitalize (_ (usual)) : NULL;
  gchar *advice = NULL;

  if (own)
    return g_strdup (_ ("Set several bitrates in encoder-settings, or "
                        "B-frames, which latency-profile=live disables."));
  /* Without tuning, x264 delays pictures for its lookahead. The tuning does not
   * reset other settings. docs/users/encoders.md has the latencies. */
  if (live && g_str_equal (name, "x264enc"))
    return g_strdup (
        _ ("Set tune=zerolatency bframes=2 b-pyramid=true b-adapt=false on "
           "x264enc for three classes with little delay. Or connect several "
           "encodings of the video (sink_0, sink_1 ...), or raw video, which "
           "lmccsink encodes in layers."));
  /* The library has advice for the usual encoder of each codec. */
  if (usual && name[0] != '\0' && strstr (usual, name) != NULL)
    return g_strdup_printf (
        _ ("%s. Or connect several encodings of the video (sink_0, sink_1 "
           "...), or raw video, which lmccsink encodes in layers."),
        capital);
  if (encoder && has_b_classes (codec))
    advice = advise_b_pictures (encoder);
  if (advice)
    return advice;
  if (encoder)
    return g_strdup_printf (
        _ ("No setting of %s gives more classes: connect several encodings of "
           "the video (sink_0, sink_1 ...), or raw video, which lmccsink "
           "encodes in layers."),
        name);
  return usual
      ? g_strdup_printf (
          _ ("%s, in the encoder of the stream. Or connect several encodings "
             "of the video (sink_0, sink_1 ...), or raw video, which lmccsink "
             "encodes in layers."),
          capital)
      : g_strdup (_ ("Connect several encodings of the video (sink_0, sink_1 "
                     "...), or raw video, which lmccsink encodes in layers."));
}

/**
 * gst_lmcc_sink_advise_key_distance:
 * @encoder: (nullable): encoder of the stream, if it is in this pipeline
 *
 * Returns: (transfer full): how to get more frequent key frames
 */
gchar *
gst_lmcc_sink_advise_key_distance (GstElement *encoder)
{
  const gchar *property, *name;

  if (encoder == NULL)
    return g_strdup (_ ("No encoder is in this pipeline: encode the video with "
                        "key frames every one or two seconds, or connect raw "
                        "video, which lmccsink encodes itself."));
  property =
      find_property (encoder, key_distances, G_N_ELEMENTS (key_distances));
  name = gst_lmcc_sink_get_factory_name (encoder);
  if (property == NULL)
    return g_strdup_printf (
        _ ("Configure %s for a key frame every one or two seconds."), name);

  return g_strdup_printf (
      _ ("Set %s on %s for a key frame every one or two seconds."), property,
      name);
}
