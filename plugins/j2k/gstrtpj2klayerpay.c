/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-rtpj2klayerpay
 * @title: rtpj2klayerpay
 * @short_description: Payloads JPEG 2000 into RTP, one quality layer per packet
 *
 * Payloads JPEG 2000 as in RFC 5371, with the layer priorities of RFC 5372
 * section 3.2: the main header has priority 0, the quality layers have 1, 2 and
 * so on. No packet contains data of two layers. lmccsink reads the layers from
 * these priorities. A codestream that cannot be split (several tiles, another
 * progression order, no SOP markers) is sent as one layer with priority 255.
 *
 * |[
 * gst-launch-1.0 videotestsrc \
 *     ! video/x-raw,format=I420,width=320,height=180,framerate=24/1 \
 *     ! j2klayerenc ! rtpj2klayerpay ! udpsink port=5004
 * ]|
 */
#include "config.h"

#include "gstrtpj2klayerpay.h"

#include <gst/rtp/rtp.h>

#include "gstj2kassembly.h"

#include <plugins/common/messages.h>

GST_DEBUG_CATEGORY_STATIC (rtpj2klayerpay_debug);
#define GST_CAT_DEFAULT rtpj2klayerpay_debug

struct _GstRtpJ2kLayerPay
{
  GstRTPBasePayload parent;
};

/* A picture that is being split into packets. */
typedef struct
{
  GstRTPBasePayload *payload;
  const guint8 *data;
  gsize size;
  GstBuffer *input;
  GstBufferList *packets;
  gsize room; /* for the codestream's bytes in a packet */
} Cut;

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("image/x-jpc"));

static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
        GST_STATIC_CAPS (
            "application/x-rtp, media = (string) video, "
            "payload = (int) " GST_RTP_PAYLOAD_DYNAMIC_STRING ", "
            "clock-rate = (int) 90000, encoding-name = (string) JPEG2000"));

G_DEFINE_FINAL_TYPE (GstRtpJ2kLayerPay, gst_rtp_j2k_layer_pay,
    GST_TYPE_RTP_BASE_PAYLOAD);
/* Above the rank of rtpj2kpay, which does not support layers. */
GST_ELEMENT_REGISTER_DEFINE (rtpj2klayerpay, "rtpj2klayerpay", GST_RANK_PRIMARY,
    GST_TYPE_RTP_J2K_LAYER_PAY);

static gboolean
gst_rtp_j2k_layer_pay_set_caps (GstRTPBasePayload *payload, GstCaps *caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  const gchar *sampling = gst_structure_get_string (structure, "sampling");

  gst_rtp_base_payload_set_options (payload, "video", TRUE, "JPEG2000", 90000);
  if (sampling == NULL)
    return gst_rtp_base_payload_set_outcaps (payload, NULL);

  return gst_rtp_base_payload_set_outcaps (payload, "sampling", G_TYPE_STRING,
      sampling, NULL);
}

static void
add_packet (Cut *cut, gsize from, gsize to, GstJ2kMainHeader main_header,
    guint8 priority)
{
  const GstJ2kRtpHeader header = { main_header, priority, (guint32) from };
  GstBuffer *packet = gst_rtp_base_payload_allocate_output_buffer (cut->payload,
      GST_J2K_RTP_HEADER_SIZE, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (packet, GST_MAP_WRITE, &rtp);
  gst_j2k_rtp_header_write (&header, gst_rtp_buffer_get_payload (&rtp));
  gst_rtp_buffer_set_marker (&rtp, to == cut->size);
  gst_rtp_buffer_unmap (&rtp);
  GST_BUFFER_PTS (packet) = GST_BUFFER_PTS (cut->input);
  GST_BUFFER_DTS (packet) = GST_BUFFER_DTS (cut->input);
  packet = gst_buffer_append (packet,
      gst_buffer_copy_region (cut->input, GST_BUFFER_COPY_MEMORY, from,
          to - from));
  gst_buffer_list_add (cut->packets, packet);
}

static void
add_main_header (Cut *cut, gsize size, guint8 priority)
{
  gsize from, to;

  for (from = 0; from < size; from = to) {
    GstJ2kMainHeader part = GST_J2K_MAIN_HEADER_PART;

    to = MIN (size, from + cut->room);
    if (to == size)
      part = from == 0 ? GST_J2K_MAIN_HEADER_WHOLE : GST_J2K_MAIN_HEADER_LAST;
    add_packet (cut, from, to, part, priority);
  }
}

/* End of the RTP packet that begins at @from: it contains as many JPEG 2000
 * packets as fit, or a part of one (RFC 5371 section 5). */
static gsize
find_end (const Cut *cut, gsize from, gsize limit)
{
  gsize full = MIN (limit, from + cut->room);
  gsize at = from, next;

  while (at < full) {
    next = gst_j2k_codestream_next_packet (cut->data, limit, at + 1);
    if (next > full)
      return at > from ? at : full;
    at = next;
  }

  return full;
}

static void
add_layer (Cut *cut, gsize from, gsize limit, guint8 priority)
{
  gsize to;

  for (; from < limit; from = to) {
    to = find_end (cut, from, limit);
    add_packet (cut, from, to, GST_J2K_MAIN_HEADER_NONE, priority);
  }
}

static void
cut_picture (Cut *cut, const GstJ2kCodestream *codestream)
{
  gsize ends[GST_J2K_MAX_LAYERS];
  gsize from = codestream->header_size;
  guint i;

  if (!gst_j2k_codestream_find_layers (codestream, cut->data, cut->size,
          ends)) {
    GST_LOG_OBJECT (cut->payload,
        "a codestream that cannot be split into layers");
    add_main_header (cut, from, GST_J2K_PRIORITY_NONE);
    add_layer (cut, from, cut->size, GST_J2K_PRIORITY_NONE);
    return;
  }
  add_main_header (cut, from, GST_J2K_PRIORITY_MAIN_HEADER);
  for (i = 0; i < codestream->n_layers; i++) {
    add_layer (cut, from, ends[i], (guint8) (i + 1));
    from = ends[i];
  }
}

static gboolean
check_picture (GstRtpJ2kLayerPay *self, const GstMapInfo *map,
    GstJ2kCodestream *codestream)
{
  g_autoptr (GError) error = NULL;

  if (map->size > GST_J2K_MAX_CODESTREAM_SIZE)
    g_set_error (&error, GST_J2K_ERROR, 0,
        _ ("it has %.0f bytes, but RTP can carry at most %u"),
        (gdouble) map->size, GST_J2K_MAX_CODESTREAM_SIZE);
  else
    gst_j2k_codestream_parse (codestream, map->data, map->size, &error);
  if (error == NULL)
    return TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      (_ ("Dropped a JPEG 2000 picture: %s"), error->message), (NULL));

  return FALSE;
}

static GstFlowReturn
gst_rtp_j2k_layer_pay_handle_buffer (GstRTPBasePayload *payload,
    GstBuffer *buffer)
{
  GstRtpJ2kLayerPay *self = GST_RTP_J2K_LAYER_PAY (payload);
  GstJ2kCodestream codestream;
  GstMapInfo map;
  Cut cut = { payload };
  guint room =
      gst_rtp_buffer_calc_payload_len (GST_RTP_BASE_PAYLOAD_MTU (payload), 0,
          0);

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    gst_buffer_unref (buffer);
    return GST_FLOW_ERROR;
  }
  if (check_picture (self, &map, &codestream)) {
    cut.data = map.data;
    cut.size = map.size;
    cut.input = buffer;
    cut.packets = gst_buffer_list_new ();
    cut.room = room - GST_J2K_RTP_HEADER_SIZE;
    cut_picture (&cut, &codestream);
  }
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);

  return cut.packets != NULL
      ? gst_rtp_base_payload_push_list (payload, cut.packets)
      : GST_FLOW_OK;
}

static void
gst_rtp_j2k_layer_pay_class_init (GstRtpJ2kLayerPayClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstRTPBasePayloadClass *payload_class = GST_RTP_BASE_PAYLOAD_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (rtpj2klayerpay_debug, "rtpj2klayerpay", 0,
      "JPEG 2000 layers into RTP");

  payload_class->set_caps = GST_DEBUG_FUNCPTR (gst_rtp_j2k_layer_pay_set_caps);
  payload_class->handle_buffer =
      GST_DEBUG_FUNCPTR (gst_rtp_j2k_layer_pay_handle_buffer);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class,
      "RTP JPEG 2000 layer payloader", "Codec/Payloader/Network/RTP",
      "Payloads JPEG 2000 into RTP, one quality layer per packet (RFC 5371, "
      "RFC 5372)",
      "The lmcc project");
}

static void
gst_rtp_j2k_layer_pay_init (GstRtpJ2kLayerPay *self G_GNUC_UNUSED)
{
}
