/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The encoder in front of lmccsink: how its rate is set. */
#include "config.h"

#include "sink/bitrate.h"

#include "sink/upstream.h"

/**
 * DrivenEncoder:
 * @factory: name of an element that encodes video
 * @property: its bit rate, which can change while it runs
 * @unit: that many bit/s are 1
 * @key_distance: (nullable): its property of pictures from one key frame to the
 *     next at most; 0 or less leaves that to the encoder
 */
typedef struct
{
  const gchar *factory;
  const gchar *property;
  guint unit;
  const gchar *key_distance;
} DrivenEncoder;

/* All of them follow without a key frame. Those that make layers scale all of
 * them. */
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
 * Returns: (transfer full) (nullable): the encoder upstream of it, through bins
 *     too, if its rate can be driven
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
 * @encoder: of gst_lmcc_sink_bitrate_find_encoder()
 *
 * Returns: how far apart its key frames are at most, ns; 0 where it does not
 *     say
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
 * @encoder: of gst_lmcc_sink_bitrate_find_encoder()
 *
 * Returns: what it is set to, bit/s
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
 * @encoder: of gst_lmcc_sink_bitrate_find_encoder()
 * @bitrate: bit/s; what the property's range cannot have becomes its end
 *
 * May wait for a picture that is being encoded.
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
