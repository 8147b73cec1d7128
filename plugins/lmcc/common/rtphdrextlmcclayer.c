/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-rtphdrextlmcclayer
 * @title: rtphdrextlmcclayer
 * @short_description: Carries the layer meta through a payloader
 *
 * A payloader with this header extension copies the GstLmccLayerMeta of its
 * input buffers (class and switch point) into the RTP packets that it makes of
 * them. lmccsink reads it there. Buffers without the meta get no mark.
 *
 * |[
 * GstRTPHeaderExtension *ext = gst_rtp_header_extension_create_from_uri (
 *     "urn:x-lmcc:layer-mark");
 * gst_rtp_header_extension_set_id (ext, 2);
 * g_signal_emit_by_name (payloader, "add-extension", ext);
 * ]|
 */
#include "config.h"

#include "common/rtphdrextlmcclayer.h"

#include <plugins/common/layer-meta.h>

/* Byte 0: switch point in the top bit, class in the low four bits. Byte 1:
 * version of this format, so that zeros are invalid. */
#define MARK_SIZE 2
#define MARK_VERSION 1
#define MARK_SWITCH_POINT 0x80
#define MARK_CLASS 0x0f

GST_DEBUG_CATEGORY_STATIC (rtphdrextlmcclayer_debug);
#define GST_CAT_DEFAULT rtphdrextlmcclayer_debug

struct _GstRtpHdrextLmccLayer
{
  GstRTPHeaderExtension parent;
};

G_DEFINE_FINAL_TYPE (GstRtpHdrextLmccLayer, gst_rtp_hdrext_lmcc_layer,
    GST_TYPE_RTP_HEADER_EXTENSION);
GST_ELEMENT_REGISTER_DEFINE (rtphdrextlmcclayer, "rtphdrextlmcclayer",
    GST_RANK_MARGINAL, GST_TYPE_RTP_HDREXT_LMCC_LAYER);

static void
write_mark (const LmccLayerMark *mark, guint8 *data)
{
  data[0] =
      (mark->klass & MARK_CLASS) | (mark->switch_point ? MARK_SWITCH_POINT : 0);
  data[1] = MARK_VERSION;
}

static gboolean
parse_mark (const guint8 *data, gsize size, LmccLayerMark *mark)
{
  if (size < MARK_SIZE || data[1] != MARK_VERSION)
    return FALSE;
  mark->klass = data[0] & MARK_CLASS;
  mark->switch_point = (data[0] & MARK_SWITCH_POINT) != 0;

  return TRUE;
}

static GstRTPHeaderExtensionFlags
gst_rtp_hdrext_lmcc_layer_get_supported_flags (
    GstRTPHeaderExtension *ext G_GNUC_UNUSED)
{
  return GST_RTP_HEADER_EXTENSION_ONE_BYTE | GST_RTP_HEADER_EXTENSION_TWO_BYTE;
}

static gsize
gst_rtp_hdrext_lmcc_layer_get_max_size (GstRTPHeaderExtension *ext
                                            G_GNUC_UNUSED,
    const GstBuffer *input_meta G_GNUC_UNUSED)
{
  return MARK_SIZE;
}

static gssize
gst_rtp_hdrext_lmcc_layer_write (GstRTPHeaderExtension *ext,
    const GstBuffer *input_meta,
    GstRTPHeaderExtensionFlags write_flags G_GNUC_UNUSED,
    GstBuffer *output G_GNUC_UNUSED, guint8 *data, gsize size)
{
  LmccLayerMark mark;

  if (!gst_buffer_get_lmcc_layer_meta ((GstBuffer *) input_meta, &mark))
    return 0;
  if (size < MARK_SIZE) {
    GST_WARNING_OBJECT (ext,
        "the buffer of %" G_GSIZE_FORMAT " bytes is too small", size);
    return -1;
  }
  write_mark (&mark, data);

  return MARK_SIZE;
}

static gboolean
gst_rtp_hdrext_lmcc_layer_read (GstRTPHeaderExtension *ext,
    GstRTPHeaderExtensionFlags read_flags G_GNUC_UNUSED, const guint8 *data,
    gsize size, GstBuffer *buffer)
{
  LmccLayerMark mark;

  /* A depayloader stops on FALSE, so ignore marks that cannot be parsed. */
  if (parse_mark (data, size, &mark))
    gst_buffer_add_lmcc_layer_meta (buffer, &mark);
  else
    GST_DEBUG_OBJECT (ext, "not a layer mark");

  return TRUE;
}

static gboolean
gst_rtp_hdrext_lmcc_layer_set_caps_from_attributes (GstRTPHeaderExtension *ext,
    GstCaps *caps)
{
  return gst_rtp_header_extension_set_caps_from_attributes_helper (ext, caps,
      NULL);
}

static void
gst_rtp_hdrext_lmcc_layer_class_init (GstRtpHdrextLmccLayerClass *klass)
{
  GstRTPHeaderExtensionClass *ext_class =
      GST_RTP_HEADER_EXTENSION_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (rtphdrextlmcclayer_debug, "rtphdrextlmcclayer", 0,
      "lmcc layer mark");

  ext_class->get_supported_flags =
      GST_DEBUG_FUNCPTR (gst_rtp_hdrext_lmcc_layer_get_supported_flags);
  ext_class->get_max_size =
      GST_DEBUG_FUNCPTR (gst_rtp_hdrext_lmcc_layer_get_max_size);
  ext_class->write = GST_DEBUG_FUNCPTR (gst_rtp_hdrext_lmcc_layer_write);
  ext_class->read = GST_DEBUG_FUNCPTR (gst_rtp_hdrext_lmcc_layer_read);
  ext_class->set_caps_from_attributes =
      GST_DEBUG_FUNCPTR (gst_rtp_hdrext_lmcc_layer_set_caps_from_attributes);

  gst_rtp_header_extension_class_set_uri (ext_class,
      GST_RTP_HDREXT_LMCC_LAYER_URI);
  gst_element_class_set_static_metadata (element_class, "lmcc layer mark",
      GST_RTP_HDREXT_ELEMENT_CLASS,
      "Carries the class and the switch point of a unit through a payloader",
      "The lmcc project");
}

static void
gst_rtp_hdrext_lmcc_layer_init (GstRtpHdrextLmccLayer *self G_GNUC_UNUSED)
{
}

static gboolean
field_has_uri (const GValue *value)
{
  if (G_VALUE_HOLDS_STRING (value))
    return g_strcmp0 (g_value_get_string (value), GST_RTP_HDREXT_LMCC_LAYER_URI)
        == 0;
  /* With attributes the value is an array: direction, URI, attributes. */
  if (GST_VALUE_HOLDS_ARRAY (value) && gst_value_array_get_size (value) == 3) {
    const GValue *uri = gst_value_array_get_value (value, 1);

    return G_VALUE_HOLDS_STRING (uri)
        && g_strcmp0 (g_value_get_string (uri), GST_RTP_HDREXT_LMCC_LAYER_URI)
        == 0;
  }

  return FALSE;
}

/*
 * gst_lmcc_layer_mark_ext_id_from_caps:
 * @caps: (nullable): application/x-rtp caps
 *
 * Returns: the identifier, 1 to 14, under which the stream carries layer marks;
 *     0 if it carries none
 */
guint8
gst_lmcc_layer_mark_ext_id_from_caps (const GstCaps *caps)
{
  const GstStructure *structure;
  guint id;

  if (caps == NULL || gst_caps_get_size (caps) == 0)
    return 0;

  structure = gst_caps_get_structure (caps, 0);
  for (id = 1; id <= 14; id++) {
    g_autofree gchar *name = g_strdup_printf ("extmap-%u", id);
    const GValue *value = gst_structure_get_value (structure, name);

    if (value != NULL && field_has_uri (value))
      return (guint8) id;
  }

  return 0;
}

/*
 * gst_lmcc_layer_mark_from_rtp:
 * @buffer: an RTP packet
 * @ext_id: from gst_lmcc_layer_mark_ext_id_from_caps()
 * @mark: (out): the packet's mark
 *
 * Returns: %FALSE if the packet has no valid mark
 */
gboolean
gst_lmcc_layer_mark_from_rtp (GstBuffer *buffer, guint8 ext_id,
    LmccLayerMark *mark)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  gpointer data;
  guint size;
  guint8 appbits;
  gboolean found;

  if (ext_id == 0 || !gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp))
    return FALSE;

  found = (gst_rtp_buffer_get_extension_onebyte_header (&rtp, ext_id, 0, &data,
               &size)
              || gst_rtp_buffer_get_extension_twobytes_header (&rtp, &appbits,
                  ext_id, 0, &data, &size))
      && parse_mark (data, size, mark);
  gst_rtp_buffer_unmap (&rtp);

  return found;
}
