/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Chooses the interfaces and the lead of packets, and manages the batch that
 * the I/O thread fills and sends.
 */
#include "config.h"

#include "common/enums.h"
#include "common/offload.h"
#include "common/qdisc.h"
#include "sink/core.h"

#include <plugins/common/messages.h>

#include <errno.h>

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

/* Every RTCP packet fits into it (LMCC_RTCP_FRAGMENT_SIZE): the minimum MTU of
 * IPv6 (RFC 8200 section 5). */
#define CONTROL_MTU 1280

/* Maximum lead of packets. They cannot be taken back, and a unit that arrives
 * meanwhile is delayed by this time. With a wake-up every half of it, 2000
 * packets/s are sent ten at a time. */
#define LONGEST_LEAD (10 * LMCC_MSECOND)

/* A lead below this is useless if the thread wakes up late. */
#define LEAST_LEAD LMCC_MSECOND

/* Divisor of the window: a picture that arrives after the library's time has
 * less of its window left. */
#define LEAD_PART 10

/* Share of fq's packets per flow; the rest is for packets that are due at the
 * same moment. */
#define ROOM(flow_limit) ((flow_limit) *3 / 4)

/* A smaller limit is not worthwhile; a larger one brings no gain. */
#define LEAST_FLOW_LIMIT 32
#define MOST_FLOW_LIMIT 4096

static void
packet_sent (guint destination, gint code, gpointer user_data)
{
  GstLmccSinkCore *core = user_data;

  if (code != 0)
    GST_LOG_OBJECT (core, "packet not sent: %s", g_strerror (code));
  gst_lmcc_sink_host_sent (core, destination, code);
}

/* True for all interfaces together, because one rule determines when packets
 * are due. */
static gboolean
keeps_super_packets (GstLmccSinkCore *core)
{
  gboolean keeps = gst_lmcc_interface_keeps_super_packets (&core->place.iface);
  guint i;

  for (i = 0; i < core->n_further && keeps; i++)
    keeps = gst_lmcc_interface_keeps_super_packets (&core->further[i].iface);
  return keeps;
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
      return keeps_super_packets (core);
  }
}

static void
set_segments (GstLmccSinkCore *core, gboolean segments)
{
  core->ahead.segments = segments;
  g_atomic_int_set (&core->segments, segments);
}

/* Transmit times */

/* The user states that packets are held. */
static gboolean
allows_txtime (GstLmccSinkCore *core, const GstLmccQdisc *qdisc)
{
  const gchar *name = core->place.iface.name;

  if (g_str_equal (qdisc->kind, "etf")) {
    GST_WARNING_OBJECT (core,
        "%s has the queueing discipline etf, which drops late packets: not "
        "using transmit times",
        name);
    return FALSE;
  }
  if (!qdisc->keeps_times)
    GST_WARNING_OBJECT (core,
        "%s does not hold packets until their transmit times: its queueing "
        "discipline is %s (tc qdisc replace dev %s root fq)",
        name, qdisc->kind[0] != '\0' ? qdisc->kind : "not known", name);
  return TRUE;
}

static gboolean
wants_txtime (GstLmccSinkCore *core, const GstLmccQdisc *qdisc)
{
  switch (core->settings.properties.txtime) {
    case GST_LMCC_TXTIME_ON:
      return allows_txtime (core, qdisc);
    case GST_LMCC_TXTIME_OFF:
      return FALSE;
    default:
      return qdisc->keeps_times && qdisc->flow_limit >= LEAST_FLOW_LIMIT;
  }
}

/* 0 if unknown. */
static guint
get_mtu (GstLmccSinkCore *core)
{
  guint least = gst_lmcc_interface_get_mtu (core->place.iface.name), i;

  for (i = 0; i < core->n_further; i++) {
    guint mtu = gst_lmcc_interface_get_mtu (core->further[i].iface.name);

    if (mtu > 0 && (least == 0 || mtu < least))
      least = mtu;
  }
  return least;
}

/* Determines the maximum size of unfragmented packets. */
static void
follow_mtu (GstLmccSinkCore *core)
{
  guint overhead = lmcc_address_get_udp_overhead (&core->settings.address);
  guint mtu = get_mtu (core);

  core->longest_whole = mtu > overhead ? mtu - overhead : 0;
  core->longest_sent = 0;
  core->longest_control = 0;
}

/* RTCP packets have their own size, which the property mtu does not change. */
static void
warn_control_fragments (GstLmccSinkCore *core)
{
  core->control_fragments_told = TRUE;
  GST_ELEMENT_WARNING (core, RESOURCE, SETTINGS,
      (_ ("RTCP packets of %.0f bytes, which describe the session, exceed the "
          "MTU of the interface %s and are sent in fragments. If the network "
          "drops fragments, nobody can receive the session. The property mtu "
          "does not change their size: set the MTU of %s to %d or more (ip "
          "link set dev %s mtu %d), or choose another interface with "
          "multicast-iface."),
          (gdouble) core->longest_control, core->place.iface.name,
          core->place.iface.name, CONTROL_MTU, core->place.iface.name,
          CONTROL_MTU),
      (NULL));
}

static void
warn_fragments (GstLmccSinkCore *core)
{
  core->fragments_told = TRUE;
  GST_ELEMENT_WARNING (core, RESOURCE, SETTINGS,
      (_ ("RTP packets of %.0f bytes exceed the MTU of the interface %s and "
          "are sent in fragments. The loss of one fragment loses the whole "
          "packet, and many switches and access points drop fragments. Set "
          "mtu, here or on the upstream payloader, to %.0f or less."),
          (gdouble) core->longest_sent, core->place.iface.name,
          (gdouble) core->longest_whole),
      (NULL));
}

/* What all interfaces support, because each packet has only one time. */
static void
find_qdiscs (GstLmccSinkCore *core, GstLmccQdisc *qdisc)
{
  guint i;

  gst_lmcc_qdisc_find (core->place.iface.index, qdisc);
  for (i = 0; i < core->n_further; i++) {
    GstLmccQdisc other = { "", FALSE, 0, 0 };

    gst_lmcc_qdisc_find (core->further[i].iface.index, &other);
    if (!other.keeps_times && qdisc->keeps_times)
      *qdisc = other;
    qdisc->flow_limit = MIN (qdisc->flow_limit, other.flow_limit);
    qdisc->horizon = MIN (qdisc->horizon, other.horizon);
  }
}

/* For all sockets or for none. */
static gboolean
set_txtime (GstLmccSinkCore *core, gboolean wanted)
{
  gboolean timed =
      gst_lmcc_send_batch_set_txtime (core->batch, core->fd, wanted);
  guint i;

  for (i = 0; i < core->n_further; i++)
    gst_lmcc_send_batch_set_txtime (core->further[i].batch, core->further[i].fd,
        timed);
  return timed;
}

/* Determines how long the interfaces hold packets. */
static void
follow_txtime (GstLmccSinkCore *core)
{
  GstLmccQdisc qdisc = { "", FALSE, 0, 0 };
  gboolean wanted;

  core->longest_lead = 0;
  if (core->settings.properties.txtime != GST_LMCC_TXTIME_OFF)
    find_qdiscs (core, &qdisc);
  wanted = wants_txtime (core, &qdisc);
  if (wanted && !qdisc.keeps_times) {
    qdisc.flow_limit = GST_LMCC_QDISC_FLOW_LIMIT;
    qdisc.horizon = 2 * LONGEST_LEAD;
  }
  if (set_txtime (core, wanted)) {
    core->longest_lead = MIN (qdisc.horizon / 2, LONGEST_LEAD);
    gst_lmcc_sink_ahead_set_room (&core->ahead,
        MAX (ROOM (MIN (qdisc.flow_limit, MOST_FLOW_LIMIT)), 1));
  } else if (wanted) {
    GST_WARNING_OBJECT (core,
        "the kernel refuses transmit times (SO_TXTIME): %s. Packets are handed "
        "over when they are due",
        g_strerror (errno));
  }
}

static void
set_lead (GstLmccSinkCore *core, LmccTime lead)
{
  core->ahead.lead = lead;
  g_atomic_int_set (&core->timed, lead > 0);
}

/**
 * gst_lmcc_sink_sending_begin:
 * @core: the core with a sender; called by the I/O thread without lock
 *
 * Chooses the lead of packets. There is none if reports set the rate, because
 * the packets to send are not known earlier.
 */
void
gst_lmcc_sink_sending_begin (GstLmccSinkCore *core)
{
  LmccTime lead = core->longest_lead;
  const LmccSession *session;

  g_mutex_lock (&core->sender_lock);
  session = lmcc_sender_get_session (core->sender);
  lead = MIN (lead, session->window / LEAD_PART);
  if (lead < LEAST_LEAD
      || !g_str_equal (lmcc_session_get_base_algorithm (session), "none"))
    lead = 0;
  g_mutex_unlock (&core->sender_lock);
  set_lead (core, lead);
  GST_INFO_OBJECT (core,
      "packets on %s are handed over %" GST_TIME_FORMAT
      " before they are due at most (SO_TXTIME)",
      core->place.iface.name, GST_TIME_ARGS (lead));
}

static void
set_destinations (GstLmccSinkCore *core, GstLmccSendBatch *batch, guint scope)
{
  const GstLmccSinkSettings *settings = &core->settings;
  guint port = (guint) settings->properties.port, i;
  LmccAddress group;

  for (i = 0; i < LMCC_MAX_GROUPS; i++) {
    if (lmcc_address_group (&settings->address, i, &group))
      gst_lmcc_send_batch_set_destination (batch, i, &group, (guint16) port,
          scope);
  }
  gst_lmcc_send_batch_set_destination (batch, GST_LMCC_SINK_CONTROL,
      &settings->address, (guint16) (port + 1), scope);
}

static void
follow_segmentation (GstLmccSinkCore *core)
{
  gboolean wanted = wants_segmentation (core);
  guint i;

  set_segments (core,
      gst_lmcc_send_batch_set_segmentation (core->batch, core->fd, wanted));
  for (i = 0; i < core->n_further; i++)
    gst_lmcc_send_batch_set_segmentation (core->further[i].batch,
        core->further[i].fd, core->segments);
  GST_INFO_OBJECT (core, "packets that leave together on %s are %s",
      core->place.iface.name,
      core->segments ? "one super-packet (UDP_SEGMENT)" : "sent one by one");
}

/**
 * gst_lmcc_sink_sending_follow:
 * @core: the open core; called by the I/O thread, or while none runs
 *
 * Sends from the core's place and on its additional interfaces from now on.
 */
void
gst_lmcc_sink_sending_follow (GstLmccSinkCore *core)
{
  guint i;

  gst_lmcc_sink_paths_open (core, packet_sent);
  set_destinations (core, core->batch, core->place.iface.index);
  for (i = 0; i < core->n_further; i++)
    set_destinations (core, core->further[i].batch,
        core->further[i].iface.index);
  follow_segmentation (core);
  set_lead (core, 0);
  follow_txtime (core);
  follow_mtu (core);
}

/**
 * gst_lmcc_sink_sending_open:
 * @core: the core with its socket and its place
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
 * @core: the stopped core
 */
void
gst_lmcc_sink_sending_close (GstLmccSinkCore *core)
{
  gst_lmcc_sink_paths_close (core);
  g_clear_pointer (&core->batch, gst_lmcc_send_batch_free);
  gst_lmcc_sink_ahead_clear (&core->ahead);
}

/**
 * gst_lmcc_sink_send:
 * @core: the core; called by the I/O thread without lock
 * @destination: a group, or %GST_LMCC_SINK_CONTROL
 * @packet: (transfer full): a packet, which is collected in the batch
 */
void
gst_lmcc_sink_send (GstLmccSinkCore *core, guint destination,
    LmccPacket *packet)
{
  guint64 time =
      gst_lmcc_sink_ahead_add (&core->ahead, destination, packet->size);
  gsize *longest = destination == GST_LMCC_SINK_CONTROL ? &core->longest_control
                                                        : &core->longest_sent;
  guint i;

  if (core->longest_whole > 0 && packet->size > core->longest_whole)
    *longest = MAX (*longest, packet->size);
  for (i = 0; i < core->n_further; i++)
    gst_lmcc_send_batch_add (core->further[i].batch, core->further[i].fd,
        destination, lmcc_packet_ref (packet), time);
  gst_lmcc_send_batch_add (core->batch, core->fd, destination, packet, time);
}

static void
flush (GstLmccSinkCore *core)
{
  guint i;

  gst_lmcc_send_batch_flush (core->batch, core->fd);
  for (i = 0; i < core->n_further; i++)
    gst_lmcc_send_batch_flush (core->further[i].batch, core->further[i].fd);
}

/* For the batch of each interface. */
static gboolean
all (const GstLmccSinkCore *core, gboolean (*does) (const GstLmccSendBatch *))
{
  gboolean do_all = does (core->batch);
  guint i;

  for (i = 0; i < core->n_further && do_all; i++)
    do_all = does (core->further[i].batch);
  return do_all;
}

/**
 * gst_lmcc_sink_send_waiting:
 * @core: the core; called by the I/O thread without lock
 *
 * Sends the collected packets.
 */
void
gst_lmcc_sink_send_waiting (GstLmccSinkCore *core)
{
  flush (core);
  if (core->segments && !all (core, gst_lmcc_send_batch_segments)) {
    set_segments (core, FALSE);
    GST_INFO_OBJECT (core,
        "the kernel or the interface %s refuses super-packets (UDP_SEGMENT): "
        "packets are sent one by one",
        core->place.iface.name);
  }
  if (core->timed && !all (core, gst_lmcc_send_batch_has_txtime)) {
    core->longest_lead = 0;
    set_lead (core, 0);
    GST_WARNING_OBJECT (core,
        "the kernel refuses transmit times (SCM_TXTIME): packets are handed "
        "over when they are due");
  }
  if (core->longest_sent > 0 && !core->fragments_told)
    warn_fragments (core);
  if (core->longest_control > 0 && !core->control_fragments_told)
    warn_control_fragments (core);
}
