/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Sets the bitrate of the encoder upstream of lmccsink. */
#include "config.h"

#include "sink/bitrate.h"

#include "sink/upstream.h"

/**
 * DrivenEncoder:
 * @factory: name of an element that encodes video
 * @property: its bitrate property, which can change while it runs
 * @unit: bit/s per unit of the property
 * @key_distance: (nullable): its property for the maximum number of pictures
 *     between key frames; 0 or less leaves it to the encoder
 */
typedef struct
{
  const gchar *factory;
  const gchar *property;
  guint unit;
  const gchar *key_distance;
} DrivenEncoder;

/* All of these encoders change their rate without a key frame. Encoders that
 * make layers scale all layers. */
static const DrivenEncoder encoders[] = {
  { "x264enc", "bitrate", 1000, "key-int-max" },
  { "x265enc", "bitrate", 1000, "key-int-max" },
  { "openh264enc", "bitrate", 1, "gop-size" },
  { "vp8enc", "target-bitrate", 1, "keyframe-max-dist" },
  { "vp9enc", "target-bitrate", 1, "keyframe-max-dist" },
  { "vp9svcenc", "target-bitrate", 1, "keyframe-max-dist" },
  { "j2klayerenc", "target-bitrate", 1, NULL },
};

static const DrivenEncoder *
describe (GstElement *element)
{
  const gchar *name = gst_lmcc_sink_get_factory_name (element);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (encoders); i++) {
    if (g_str_equal (name, encoders[i].factory))
      return &encoders[i];
  }
  return NULL;
}

static gboolean
is_known (GstElement *element)
{
  return describe (element) != NULL;
}

/**
 * gst_lmcc_sink_bitrate_find_encoder:
 * @sink: a sink pad
 *
 * Returns: (transfer full) (nullable): the encoder upstream of it, also inside
 * bins, if its bitrate can be set
 */
GstElement *
gst_lmcc_sink_bitrate_find_encoder (GstPad *sink)
{
  return gst_lmcc_sink_find_upstream (sink, is_known);
}

static gdouble
get_picture_rate (GstElement *encoder)
{
  g_autoptr (GstPad) sink = gst_element_get_static_pad (encoder, "sink");
  g_autoptr (GstCaps) caps = sink ? gst_pad_get_current_caps (sink) : NULL;
  gint n = 0, d = 1;

  if (caps)
    gst_structure_get_fraction (gst_caps_get_structure (caps, 0), "framerate",
        &n, &d);
  return d > 0 ? (gdouble) n / d : 0;
}

/**
 * gst_lmcc_sink_bitrate_get_key_distance:
 * @encoder: from gst_lmcc_sink_bitrate_find_encoder()
 *
 * Returns: its maximum key-frame interval, ns; 0 if unknown
 */
LmccTime
gst_lmcc_sink_bitrate_get_key_distance (GstElement *encoder)
{
  const DrivenEncoder *kind = describe (encoder);
  gdouble rate = get_picture_rate (encoder);
  g_auto (GValue) value = G_VALUE_INIT;
  g_auto (GValue) number = G_VALUE_INIT;
  gint64 pictures;

  if (kind->key_distance == NULL || rate <= 0)
    return 0;
  g_object_get_property (G_OBJECT (encoder), kind->key_distance, &value);
  g_value_init (&number, G_TYPE_INT64);
  g_value_transform (&value, &number);
  pictures = g_value_get_int64 (&number);
  if (pictures <= 0 || pictures > G_MAXINT)
    return 0;
  return (LmccTime) ((gdouble) pictures / rate * LMCC_SECOND);
}

/**
 * gst_lmcc_sink_bitrate_get:
 * @encoder: from gst_lmcc_sink_bitrate_find_encoder()
 *
 * Returns: its bitrate, bit/s
 */
guint64
gst_lmcc_sink_bitrate_get (GstElement *encoder)
{
  const DrivenEncoder *kind = describe (encoder);
  g_auto (GValue) value = G_VALUE_INIT;
  g_auto (GValue) number = G_VALUE_INIT;

  g_object_get_property (G_OBJECT (encoder), kind->property, &value);
  g_value_init (&number, G_TYPE_UINT64);
  g_value_transform (&value, &number);
  return g_value_get_uint64 (&number) * kind->unit;
}

/**
 * gst_lmcc_sink_bitrate_set:
 * @encoder: from gst_lmcc_sink_bitrate_find_encoder()
 * @bitrate: bit/s; clamped to the range of the property
 *
 * May wait until the current picture is encoded.
 */
void
gst_lmcc_sink_bitrate_set (GstElement *encoder, guint64 bitrate)
{
  const DrivenEncoder *kind = describe (encoder);
  GParamSpec *pspec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (encoder),
          kind->property);
  g_auto (GValue) value = G_VALUE_INIT;
  g_auto (GValue) number = G_VALUE_INIT;

  g_value_init (&number, G_TYPE_UINT64);
  g_value_set_uint64 (&number, MIN (bitrate / kind->unit, G_MAXINT));
  g_value_init (&value, pspec->value_type);
  g_value_transform (&number, &value);
  g_param_value_validate (pspec, &value);
  g_object_set_property (G_OBJECT (encoder), kind->property, &value);
}
