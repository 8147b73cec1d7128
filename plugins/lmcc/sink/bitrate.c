/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The encoder in front of lmccsink: where it is, and how its rate is set. */
#include "config.h"

#include "sink/bitrate.h"

/* Parsers, queues, caps filters and bins between the encoder and the sink. */
#define MAX_STEPS 64

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
  GstElementFactory *factory = gst_element_get_factory (element);
  guint i;

  for (i = 0; factory && i < G_N_ELEMENTS (encoders); i++) {
    if (g_str_equal (GST_OBJECT_NAME (factory), encoders[i].factory))
      return &encoders[i];
  }
  return NULL;
}

/* (transfer full) (nullable): the sink pad that feeds a source pad */
static GstPad *
find_input (GstPad *src)
{
  GstIterator *links = gst_pad_iterate_internal_links (src);
  GValue value = G_VALUE_INIT;
  GstPad *found = NULL;

  if (links && gst_iterator_next (links, &value) == GST_ITERATOR_OK) {
    found = g_value_dup_object (&value);
    g_value_unset (&value);
  }
  if (links)
    gst_iterator_free (links);
  return found;
}

/* (transfer full) (nullable): a source pad one step up from @sink */
static GstPad *
go_up (GstPad *sink)
{
  GstPad *peer = gst_pad_get_peer (sink);
  GstPad *inner;

  while (peer && GST_IS_GHOST_PAD (peer)) {
    inner = gst_ghost_pad_get_target (GST_GHOST_PAD (peer));
    gst_object_unref (peer);
    peer = inner;
  }
  /* The inside of a bin's sink pad. */
  if (peer && GST_IS_PROXY_PAD (peer)) {
    GstProxyPad *ghost = gst_proxy_pad_get_internal (GST_PROXY_PAD (peer));

    gst_object_unref (peer);
    peer = ghost ? go_up (GST_PAD (ghost)) : NULL;
    gst_clear_object (&ghost);
  }
  return peer;
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
  GstPad *at = gst_object_ref (sink);
  GstElement *found = NULL;
  guint i;

  for (i = 0; at && !found && i < MAX_STEPS; i++) {
    g_autoptr (GstPad) src = go_up (at);

    gst_clear_object (&at);
    if (src == NULL)
      break;
    found = gst_pad_get_parent_element (src);
    if (found && !describe (found))
      gst_clear_object (&found);
    at = find_input (src);
  }
  gst_clear_object (&at);
  return found;
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
