/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Where packets leave: the batch that the I/O thread fills and sends. */
#include "config.h"

#include "common/enums.h"
#include "common/offload.h"
#include "sink/core.h"

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

static void
packet_sent (guint destination, gint code, gpointer user_data)
{
  GstLmccSinkCore *core = user_data;

  if (code != 0)
    GST_LOG_OBJECT (core, "packet not sent: %s", g_strerror (code));
  gst_lmcc_sink_host_sent (core, destination, code);
}

static gboolean
wants_segmentation (GstLmccSinkCore *core)
{
  switch (core->settings.properties.udp_segmentation) {
    case GST_LMCC_SEGMENTATION_ON:
      return TRUE;
    case GST_LMCC_SEGMENTATION_OFF:
      return FALSE;
    default:
      return gst_lmcc_interface_keeps_super_packets (&core->place.iface);
  }
}

/**
 * gst_lmcc_sink_sending_follow:
 * @core: the core, open; called by the I/O thread, or while none runs
 *
 * Packets leave from the core's place from now on.
 */
void
gst_lmcc_sink_sending_follow (GstLmccSinkCore *core)
{
  const GstLmccSinkSettings *settings = &core->settings;
  guint port = (guint) settings->properties.port;
  guint scope = core->place.iface.index, i;
  LmccAddress group;

  for (i = 0; i < LMCC_MAX_GROUPS; i++) {
    if (lmcc_address_group (&settings->address, i, &group))
      gst_lmcc_send_batch_set_destination (core->batch, i, &group,
          (guint16) port, scope);
  }
  gst_lmcc_send_batch_set_destination (core->batch, GST_LMCC_SINK_CONTROL,
      &settings->address, (guint16) (port + 1), scope);
  g_atomic_int_set (&core->segments,
      gst_lmcc_send_batch_set_segmentation (core->batch, core->fd,
          wants_segmentation (core)));
  GST_INFO_OBJECT (core, "packets that leave together on %s are %s",
      core->place.iface.name,
      core->segments ? "one super-packet (UDP_SEGMENT)" : "sent singly");
}

/**
 * gst_lmcc_sink_sending_open:
 * @core: the core, with its socket and its place
 */
void
gst_lmcc_sink_sending_open (GstLmccSinkCore *core)
{
  core->batch =
      gst_lmcc_send_batch_new (GST_LMCC_SINK_N_DESTINATIONS, packet_sent, core);
  gst_lmcc_sink_sending_follow (core);
}

/**
 * gst_lmcc_sink_sending_close:
 * @core: the core, stopped
 */
void
gst_lmcc_sink_sending_close (GstLmccSinkCore *core)
{
  g_clear_pointer (&core->batch, gst_lmcc_send_batch_free);
}

/**
 * gst_lmcc_sink_send:
 * @core: the core; called by the I/O thread without lock
 * @destination: a group, or %GST_LMCC_SINK_CONTROL
 * @packet: (transfer full): a packet, which waits for others
 */
void
gst_lmcc_sink_send (GstLmccSinkCore *core, guint destination,
    LmccPacket *packet)
{
  gst_lmcc_send_batch_add (core->batch, core->fd, destination, packet, 0);
}

/**
 * gst_lmcc_sink_send_waiting:
 * @core: the core; called by the I/O thread without lock
 *
 * Sends the packets that wait.
 */
void
gst_lmcc_sink_send_waiting (GstLmccSinkCore *core)
{
  gst_lmcc_send_batch_flush (core->batch, core->fd);
  if (core->segments == gst_lmcc_send_batch_segments (core->batch))
    return;
  g_atomic_int_set (&core->segments, FALSE);
  GST_INFO_OBJECT (core,
      "the kernel or the interface %s refuses super-packets (UDP_SEGMENT): "
      "packets are sent singly",
      core->place.iface.name);
}
