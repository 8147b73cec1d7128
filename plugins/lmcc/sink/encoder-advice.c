/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* What gives more layers than one, with the encoder that is there. */
#include "config.h"

#include "sink/encoder-advice.h"

#include "sink/upstream.h"

#include <string.h>

#define SEVERAL                                                              \
  "connect several encodings of the video (sink_0, sink_1 ...), or the raw " \
  "video itself, which lmccsink encodes in layers"

/* By which encoders of H.264 and H.265, most of them in hardware, name how many
 * B pictures follow each other. */
static const gchar *const b_pictures[] = { "b-frames", "bframes",
  "max-bframes" };

/* By which encoders name how many pictures apart their key frames are. */
static const gchar *const key_distances[] = { "key-int-max",
  "keyframe-max-dist", "keyframe-force", "gop-size", "keyframe-period" };

static gboolean
has_property (GstElement *element, const gchar *name)
{
  return g_object_class_find_property (G_OBJECT_GET_CLASS (element), name)
      != NULL;
}

/* The first of @n that @encoder has, or %NULL. */
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

/* (transfer full) (nullable): for an encoder that has B pictures */
static gchar *
advise_b_pictures (GstElement *encoder)
{
  const gchar *property =
      find_property (encoder, b_pictures, G_N_ELEMENTS (b_pictures));
  const gchar *name = gst_lmcc_sink_get_factory_name (encoder);

  if (property == NULL)
    return NULL;
  if (has_property (encoder, "b-pyramid"))
    return g_strdup_printf ("Set %s=3 b-pyramid=true on %s for three classes, "
                            "where it can make B pictures. Or " SEVERAL ".",
        property, name);
  return g_strdup_printf ("Set %s=2 on %s for two classes, where it can make B "
                          "pictures. Or " SEVERAL ".",
      property, name);
}

/* As the beginning of a sentence. */
static gchar *
capitalize (const gchar *text)
{
  gchar *copy = g_strdup (text);

  copy[0] = g_ascii_toupper (copy[0]);
  return copy;
}

/* x264's pictures wait for those that it looks ahead at unless it is tuned;
 * what is set beside that stays set. docs/users/encoders.md has the
 * latencies. */
#define LIVE_X264                                                           \
  "Set tune=zerolatency bframes=2 b-pyramid=true b-adapt=false on x264enc " \
  "for three classes with little delay"

/**
 * gst_lmcc_sink_advise_encoder:
 * @encoder: (nullable): what made a stream of one class
 * @own: lmccsink made it, of raw video
 * @live: pictures come as they are taken
 * @codec: (nullable): what the stream is
 *
 * Returns: (transfer full): sentences that say what gives more classes
 */
gchar *
gst_lmcc_sink_advise_encoder (GstElement *encoder, gboolean own, gboolean live,
    const LmccCodec *codec)
{
  const gchar *name = encoder ? gst_lmcc_sink_get_factory_name (encoder) : "";
  const gchar *usual = codec ? codec->single_class_advice : NULL;
  g_autofree gchar *capital = usual ? capitalize (usual) : NULL;
  gchar *advice = NULL;

  if (own)
    return g_strdup ("Give encoder-settings several bitrates, or B pictures, "
                     "which latency-profile=live has not.");
  if (live && g_str_equal (name, "x264enc"))
    return g_strdup (LIVE_X264 ". Or " SEVERAL ".");
  /* The library knows the usual encoder of each codec. */
  if (usual && name[0] != '\0' && strstr (usual, name) != NULL)
    return g_strdup_printf ("%s. Or " SEVERAL ".", capital);
  if (encoder && has_b_classes (codec))
    advice = advise_b_pictures (encoder);
  if (advice)
    return advice;
  if (encoder)
    return g_strdup_printf ("No setting of %s changes that: " SEVERAL ".",
        name);
  return usual
      ? g_strdup_printf ("%s, where the stream is made. Or " SEVERAL ".",
          capital)
      : capitalize (SEVERAL ".");
}

/**
 * gst_lmcc_sink_advise_key_distance:
 * @encoder: (nullable): what made the stream, if it is in this pipeline
 *
 * Returns: (transfer full): how to have key frames more often
 */
gchar *
gst_lmcc_sink_advise_key_distance (GstElement *encoder)
{
  const gchar *property, *name;

  if (encoder == NULL)
    return g_strdup ("What was encoded before cannot be asked: encode it with "
                     "key frames a second or two apart, or connect raw video, "
                     "which lmccsink encodes itself.");
  property =
      find_property (encoder, key_distances, G_N_ELEMENTS (key_distances));
  name = gst_lmcc_sink_get_factory_name (encoder);
  if (property == NULL)
    return g_strdup_printf ("Have %s make them a second or two apart.", name);

  return g_strdup_printf ("Set %s on %s so that they are a second or two "
                          "apart.",
      property, name);
}
