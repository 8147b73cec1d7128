/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-rtpvp9svcpay
 * @title: rtpvp9svcpay
 * @short_description: Payloads the layers of VP9 as in RFC 9628
 *
 * Payloads the layer frames of vp9svcenc, one per buffer, with the complete
 * payload descriptor of RFC 9628: layer indices, the dependencies of each layer
 * frame, and the numbers of the picture and of its temporal layer 0. A receiver
 * or a relay can drop layers without parsing the pictures. Key frames carry the
 * scalability structure: the size of each layer and the picture group.
 *
 * Each packet belongs to one layer frame only. The last packet of the highest
 * layer has the marker bit. All layers of a picture have the same RTP
 * timestamp, so `rtpvp9depay ! vp9dec` shows the highest layer that has
 * arrived.
 *
 * ## Examples
 * |[
 * gst-launch-1.0 videotestsrc is-live=true \
 *     ! vp9svcenc ! rtpvp9svcpay ! udpsink host=127.0.0.1 port=5004
 * ]|
 * |[
 * gst-launch-1.0 udpsrc port=5004 \
 *     caps="application/x-rtp,media=video,clock-rate=90000,encoding-name=VP9" \
 *     ! rtpjitterbuffer ! rtpvp9depay ! vp9dec ! autovideosink
 * ]|
 *
 * Since: 0.1
 */
#include "config.h"

#include "gstrtpvp9svcpay.h"

#include <gst/rtp/gstrtpbuffer.h>
#include <string.h>

#include "gstvp9svcdescriptor.h"
#include "gstvp9svcmeta.h"

#include <plugins/common/messages.h>

GST_DEBUG_CATEGORY_STATIC (rtpvp9svcpay_debug);
#define GST_CAT_DEFAULT rtpvp9svcpay_debug

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
        GST_STATIC_CAPS (GST_VP9_SVC_MEDIA_TYPE
            ", " GST_VP9_SVC_FIELD_MODE " = (string) " GST_VP9_SVC_MODES));

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("application/x-rtp, media = (string) video, "
                     "payload = (int) [ 96, 127 ], clock-rate = (int) 90000, "
                     "encoding-name = (string) VP9"));

struct _GstRtpVp9SvcPay
{
  GstRTPBasePayload parent;

  GstVp9SvcStructure structure;
  guint width;
  guint height;
  guint16 picture_id;
  guint8 tl0picidx;
};

G_DEFINE_FINAL_TYPE (GstRtpVp9SvcPay, gst_rtp_vp9_svc_pay,
    GST_TYPE_RTP_BASE_PAYLOAD);
GST_ELEMENT_REGISTER_DEFINE (rtpvp9svcpay, "rtpvp9svcpay", GST_RANK_MARGINAL,
    GST_TYPE_RTP_VP9_SVC_PAY);

static gboolean
gst_rtp_vp9_svc_pay_set_caps (GstRTPBasePayload *payload, GstCaps *caps)
{
  GstRtpVp9SvcPay *self = GST_RTP_VP9_SVC_PAY (payload);

  if (!gst_vp9_svc_structure_from_caps (caps, &self->structure, &self->width,
          &self->height)) {
    GST_ELEMENT_ERROR (self, STREAM, FORMAT,
        (_ ("The caps have no layers or no video size. Use the caps of "
            "vp9svcenc.")),
        ("caps: %" GST_PTR_FORMAT, caps));
    return FALSE;
  }
  gst_rtp_base_payload_set_options (payload, "video", TRUE, "VP9", 90000);

  return gst_rtp_base_payload_set_outcaps (payload, NULL);
}

/* The lowest layer starts a new picture. */
static void
begin_picture (GstRtpVp9SvcPay *self, const GstVp9SvcLayerFrame *frame)
{
  if (frame->spatial_id > 0)
    return;
  self->picture_id = (self->picture_id + 1) & 0x7fff;
  if (frame->temporal_id == 0)
    self->tl0picidx++;
}

static GstBuffer *
make_packet (GstRtpVp9SvcPay *self, const GstVp9SvcDescriptor *descriptor,
    GstBuffer *layer_frame, gsize offset, gsize size)
{
  guint8 data[GST_VP9_SVC_DESCRIPTOR_MAX_SIZE];
  gsize header = gst_vp9_svc_descriptor_write (descriptor, data);
  GstBuffer *packet =
      gst_rtp_base_payload_allocate_output_buffer (GST_RTP_BASE_PAYLOAD (self),
          (guint) header, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (packet, GST_MAP_WRITE, &rtp);
  memcpy (gst_rtp_buffer_get_payload (&rtp), data, header);
  gst_rtp_buffer_set_marker (&rtp, descriptor->end && descriptor->highest);
  gst_rtp_buffer_unmap (&rtp);
  packet = gst_buffer_append (packet,
      gst_buffer_copy_region (layer_frame, GST_BUFFER_COPY_MEMORY, offset,
          size));
  GST_BUFFER_PTS (packet) = GST_BUFFER_PTS (layer_frame);
  GST_BUFFER_DTS (packet) = GST_BUFFER_DTS (layer_frame);
  if (descriptor->end && descriptor->highest)
    GST_BUFFER_FLAG_SET (packet, GST_BUFFER_FLAG_MARKER);

  return packet;
}

/* Splits a frame into as few packets as possible, of equal size. */
static GstBufferList *
make_packets (GstRtpVp9SvcPay *self, GstVp9SvcDescriptor *descriptor,
    GstBuffer *layer_frame)
{
  guint8 data[GST_VP9_SVC_DESCRIPTOR_MAX_SIZE];
  gsize size = gst_buffer_get_size (layer_frame), offset, part;
  guint room =
      gst_rtp_buffer_calc_payload_len (GST_RTP_BASE_PAYLOAD_MTU (self), 0, 0);
  gsize header = gst_vp9_svc_descriptor_write (descriptor, data);
  GstBufferList *list;
  guint n, i;

  if (room <= header)
    return NULL;
  n = (guint) ((size + room - header - 1) / (room - header));
  list = gst_buffer_list_new_sized (n);
  for (i = 0, offset = 0; i < n; i++, offset += part) {
    part = (size - offset + n - i - 1) / (n - i);
    descriptor->start = i == 0;
    descriptor->end = i + 1 == n;
    if (i > 0)
      descriptor->structure = NULL;
    gst_buffer_list_add (list,
        make_packet (self, descriptor, layer_frame, offset, part));
  }

  return list;
}

static GstFlowReturn
gst_rtp_vp9_svc_pay_handle_buffer (GstRTPBasePayload *payload,
    GstBuffer *buffer)
{
  GstRtpVp9SvcPay *self = GST_RTP_VP9_SVC_PAY (payload);
  g_autoptr (GstBuffer) layer_frame = buffer;
  GstVp9SvcDescriptor descriptor = { 0 };
  GstBufferList *packets;

  if (!gst_buffer_get_vp9_svc_meta (layer_frame, &descriptor.frame)
      || descriptor.frame.spatial_id >= self->structure.n_spatial) {
    GST_ELEMENT_ERROR (self, STREAM, FORMAT,
        (_ ("A buffer has no layer information. Connect vp9svcenc directly.")),
        ("its GstVp9SvcMeta is missing or invalid"));
    return GST_FLOW_ERROR;
  }
  begin_picture (self, &descriptor.frame);
  descriptor.picture_id = self->picture_id;
  descriptor.tl0picidx = self->tl0picidx;
  descriptor.highest =
      descriptor.frame.spatial_id + 1 == self->structure.n_spatial;
  descriptor.width = self->width;
  descriptor.height = self->height;
  if (descriptor.frame.spatial_id == 0 && !descriptor.frame.inter_picture)
    descriptor.structure = &self->structure;

  packets = make_packets (self, &descriptor, layer_frame);
  if (packets == NULL) {
    GST_ELEMENT_ERROR (self, LIBRARY, SETTINGS,
        (_ ("The mtu of %u is too small for the picture data. Increase mtu."),
            GST_RTP_BASE_PAYLOAD_MTU (self)),
        (NULL));
    return GST_FLOW_ERROR;
  }

  return gst_rtp_base_payload_push_list (payload, packets);
}

static GstStateChangeReturn
gst_rtp_vp9_svc_pay_change_state (GstElement *element,
    GstStateChange transition)
{
  GstRtpVp9SvcPay *self = GST_RTP_VP9_SVC_PAY (element);

  /* RFC 9628 section 4.2: both should begin with a random value. */
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    self->picture_id = (guint16) g_random_int_range (0, 0x8000);
    self->tl0picidx = (guint8) g_random_int_range (0, 0x100);
  }

  return GST_ELEMENT_CLASS (gst_rtp_vp9_svc_pay_parent_class)
      ->change_state (element, transition);
}

static void
gst_rtp_vp9_svc_pay_class_init (GstRtpVp9SvcPayClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstRTPBasePayloadClass *payload_class = GST_RTP_BASE_PAYLOAD_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (rtpvp9svcpay_debug, "rtpvp9svcpay", 0,
      "VP9 SVC payloader");

  element_class->change_state =
      GST_DEBUG_FUNCPTR (gst_rtp_vp9_svc_pay_change_state);
  payload_class->set_caps = GST_DEBUG_FUNCPTR (gst_rtp_vp9_svc_pay_set_caps);
  payload_class->handle_buffer =
      GST_DEBUG_FUNCPTR (gst_rtp_vp9_svc_pay_handle_buffer);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "RTP VP9 SVC payloader",
      "Codec/Payloader/Network/RTP",
      "Payloads VP9 layer frames with their layer indices (RFC 9628)",
      "The lmcc project");
}

static void
gst_rtp_vp9_svc_pay_init (GstRtpVp9SvcPay *self G_GNUC_UNUSED)
{
}
