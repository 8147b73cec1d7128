/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Follows changes of the host's addresses and links while sending, and detects
 * outages. The I/O thread checks the host, chooses again, moves the session and
 * reports to the user.
 */
#include "config.h"

#include "sink/core.h"

#include <plugins/common/messages.h>

#include <string.h>

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

/* Interval of checks for outages, and of looking at the host if the kernel does
 * not report changes. */
#define TICK (G_TIME_SPAN_SECOND / 4)
#define LOOK_INTERVAL G_TIME_SPAN_SECOND

/* A shorter outage is only a route change. */
#define OUTAGE (1 * G_TIME_SPAN_SECOND)
#define WARNING_INTERVAL (10 * G_TIME_SPAN_SECOND)

/* Duplicate address detection takes one probe of 1 s, after a delay of up to 1
 * s (RFC 4862 section 5.4.2). The address cannot be used before. */
#define ADDRESS_WAIT (3 * LMCC_SECOND)

/**
 * gst_lmcc_sink_get_send_options:
 * @core: a core
 * @options: (out): its settings; the caller must set the interface
 */
void
gst_lmcc_sink_get_send_options (GstLmccSinkCore *core,
    GstLmccSendOptions *options)
{
  const GstLmccSinkSettings *settings = &core->settings;

  memset (options, 0, sizeof (*options));
  options->family = settings->address.family;
  options->bind_address = settings->bind_address;
  options->bind_port = (guint16) settings->properties.bind_port;
  options->ttl = settings->properties.ttl_mc;
  options->loop = settings->properties.loop;
  options->dscp = settings->properties.qos_dscp;
  options->buffer_size = settings->properties.buffer_size;
}

/* Source address and interface */

static void
tell_place (GstLmccSinkCore *core, const GstLmccSinkPlace *before)
{
  const GstLmccSinkPlace *place = &core->place;
  gboolean known = before->source.family != LMCC_FAMILY_NONE;
  gchar from[LMCC_ADDRESS_STRLEN] = "", to[LMCC_ADDRESS_STRLEN];
  g_autofree gchar *text = NULL;

  lmcc_address_format (&place->source, to);
  if (known)
    lmcc_address_format (&before->source, from);
  gst_element_post_message (GST_ELEMENT (core),
      gst_message_new_element (GST_OBJECT (core),
          gst_structure_new ("lmcc-address-changed", "interface", G_TYPE_STRING,
              place->iface.name, "from", G_TYPE_STRING, from, "to",
              G_TYPE_STRING, to, NULL)));
  if (known && !lmcc_address_equal (&before->source, &place->source)) {
    GST_ELEMENT_WARNING (core, RESOURCE, SETTINGS,
        (_ ("This host's address has changed from %s to %s: packets now come "
            "from the new address, on %s. Receivers follow within 15 s. "
            "Receivers of a source-specific session need the new address."),
            from, to, place->iface.name),
        (NULL));
    return;
  }
  /* gst-launch-1.0 shows only the debug text of an info message. */
  text = g_strdup_printf (
      _ ("Sending from %s on %s; reports are received on port %u (0 = none)"),
      to, place->iface.name, place->feedback_port);
  GST_ELEMENT_INFO (core, RESOURCE, SETTINGS, ("%s", text), ("%s", text));
}

static void
open_feedback (GstLmccSinkCore *core, gint64 now)
{
  g_autoptr (GError) error = NULL;

  gst_lmcc_sink_feedback_close (core);
  core->place.feedback_port = 0;
  if (gst_lmcc_sink_feedback_open (core, &core->place, &error) < 0 && error
      && now >= core->host.next_feedback_warning) {
    core->host.next_feedback_warning = now + WARNING_INTERVAL;
    GST_ELEMENT_WARNING (core, RESOURCE, OPEN_READ,
        (_ ("Cannot receive reports now: %s. Trying again."), error->message),
        (NULL));
  }
}

static gboolean
is_same_place (const GstLmccSinkPlace *a, const GstLmccSinkPlace *b)
{
  return a->iface.index == b->iface.index
      && strcmp (a->iface.name, b->iface.name) == 0
      && lmcc_address_equal (&a->iface.address, &b->iface.address)
      && lmcc_address_equal (&a->source, &b->source)
      && a->feedback_port == b->feedback_port;
}

/* A host without an address for a moment keeps the old one. */
static void
look_at_host (GstLmccSinkCore *core, gint64 now)
{
  GstLmccSinkHost *host = &core->host;
  GstLmccSinkPlace before = core->place;
  LmccAddress source;
  gboolean moved;

  if (core->given)
    return;
  core->moved = gst_lmcc_sink_paths_follow (core) || core->moved;
  host->state = core->paths.list[core->main].state;
  if (host->state == GST_LMCC_INTERFACE_UNKNOWN)
    return;
  if (gst_lmcc_paths_find_usable (&core->paths) == core->paths.n) {
    if (host->unusable_since == 0)
      host->unusable_since = now;
    return;
  }
  host->unusable_since = 0;
  core->place.iface = core->paths.list[core->main].iface;
  if (gst_lmcc_sink_socket_find_source (core, &source))
    core->place.source = source;
  moved = !is_same_place (&before, &core->place);
  if (core->settings.properties.feedback && (moved || core->feedback_fd < 0))
    open_feedback (core, now);
  moved = !is_same_place (&before, &core->place);
  core->moved = core->moved || moved;
  if (moved
      && (!lmcc_address_equal (&before.source, &core->place.source)
          || before.feedback_port == 0))
    tell_place (core, &before);
}

/**
 * gst_lmcc_sink_host_move:
 * @core: the core; called by the I/O thread without lock
 * @now: the time
 *
 * Sends with the new interface and address from now on. The sender's actions
 * must then be performed.
 */
void
gst_lmcc_sink_host_move (GstLmccSinkCore *core, LmccTime now)
{
  core->moved = FALSE;
  gst_lmcc_sink_socket_move (core);
  gst_lmcc_sink_sending_follow (core);
  gst_lmcc_sink_rivals_close (core);
  g_mutex_lock (&core->sender_lock);
  if (core->sender)
    lmcc_sender_set_source (core->sender,
        gst_lmcc_sink_ahead_tell (&core->ahead, now), &core->place.source,
        core->place.feedback_port);
  g_mutex_unlock (&core->sender_lock);
  if (core->sender)
    gst_lmcc_sink_sending_begin (core);
}

/**
 * gst_lmcc_sink_host_wait:
 * @core: the core; called by the I/O thread
 * @now: the time
 *
 * A new IPv6 address cannot be used at once, and the session's first record
 * must contain the address for reports.
 *
 * Returns: latest time until which the start of the session waits for an
 * address; 0 for no wait
 */
LmccTime
gst_lmcc_sink_host_wait (GstLmccSinkCore *core, LmccTime now)
{
  if (core->elsewhere || core->place.source.family != LMCC_FAMILY_NONE
      || core->settings.address.family != LMCC_FAMILY_IPV6)
    return 0;
  if (core->address_wait == 0)
    core->address_wait = now + ADDRESS_WAIT;
  return now < core->address_wait ? core->address_wait : 0;
}

/* Outages */

/* Called with lock held. */
static void
publish_outage (GstLmccSinkCore *core, gint code)
{
  GstLmccSinkOutage outage = { .nothing = core->failing_all, .code = code };
  guint i;

  for (i = 0; i < GST_LMCC_SINK_N_DESTINATIONS; i++) {
    if (core->failing[i] == 0
        || (outage.some > 0 && core->failing[i] >= outage.some))
      continue;
    outage.some = core->failing[i];
    outage.destination = i;
  }
  core->outage = outage;
}

/**
 * gst_lmcc_sink_host_sent:
 * @core: the core; called by the I/O thread without lock
 * @destination: a group, or %GST_LMCC_SINK_CONTROL
 * @code: errno of a packet that could not be sent; 0 for a packet that was sent
 */
void
gst_lmcc_sink_host_sent (GstLmccSinkCore *core, guint destination, gint code)
{
  gint64 now;

  if (code == 0 && core->failing[destination] == 0 && core->failing_all == 0)
    return;
  now = g_get_monotonic_time ();
  g_mutex_lock (&core->lock);
  if (code == 0) {
    core->failing[destination] = 0;
    core->failing_all = 0;
    publish_outage (core, core->outage.code);
  } else {
    core->send_errors++;
    if (core->failing_all == 0)
      core->failing_all = now;
    if (core->failing[destination] == 0)
      core->failing[destination] = now;
    publish_outage (core, code);
  }
  g_mutex_unlock (&core->lock);
}

/**
 * gst_lmcc_sink_host_paused:
 * @core: the core; called by the I/O thread with lock held
 *
 * While nothing is to be sent, there is no outage.
 */
void
gst_lmcc_sink_host_paused (GstLmccSinkCore *core)
{
  memset (core->failing, 0, sizeof (core->failing));
  core->failing_all = 0;
  memset (&core->outage, 0, sizeof (core->outage));
}

static gint64
earlier (gint64 a, gint64 b)
{
  return a == 0 || (b > 0 && b < a) ? b : a;
}

/* Returns: (transfer full): a message with the destination, the cause and the
 * remedy */
static gchar *
describe_outage (GstLmccSinkCore *core, const GstLmccSinkOutage *outage,
    gint64 now)
{
  const GstLmccSinkHost *host = &core->host;
  const GstLmccSinkSettings *settings = &core->settings;
  g_autofree gchar *cause = NULL;
  gchar text[LMCC_ADDRESS_STRLEN] = "";
  LmccAddress group;

  if (host->unusable_since > 0 && now - host->unusable_since >= OUTAGE) {
    cause = gst_lmcc_interface_describe (&core->place.iface, host->state);
    return g_strdup_printf (_ ("Cannot send packets: %s"), cause);
  }
  if (outage->nothing == 0 || now - outage->nothing < OUTAGE) {
    gboolean control = outage->destination == GST_LMCC_SINK_CONTROL;

    if (lmcc_address_group (&settings->address,
            control ? 0 : outage->destination, &group))
      lmcc_address_format (&group, text);
    return g_strdup_printf (_ ("Cannot send packets to %s port %u: %s. %s"),
        text, settings->properties.port + (control ? 1 : 0),
        g_strerror (outage->code), gst_lmcc_send_remedy (outage->code));
  }
  return g_strdup_printf (_ ("Cannot send packets: %s. %s"),
      g_strerror (outage->code), gst_lmcc_send_remedy (outage->code));
}

static void
warn (GstLmccSinkCore *core, const gchar *text)
{
  guint64 timeout = core->settings.properties.send_timeout * LMCC_MSECOND;

  if (timeout == 0)
    GST_ELEMENT_WARNING (core, RESOURCE, WRITE, (_ ("%s. Trying again."), text),
        (NULL));
  else
    GST_ELEMENT_WARNING (core, RESOURCE, WRITE,
        (_ ("%s. Trying again for %g s (send-timeout)."), text,
            (gdouble) timeout / LMCC_SECOND),
        (NULL));
}

static void
tell_end (GstLmccSinkCore *core, gint64 now)
{
  g_autofree gchar *text =
      g_strdup_printf (_ ("Packets are sent again after %.1f s"),
          (gdouble) (now - core->host.out_since) / G_TIME_SPAN_SECOND);

  core->host.out_since = 0;
  GST_ELEMENT_INFO (core, RESOURCE, WRITE, ("%s", text), ("%s", text));
}

static void
look_at_outage (GstLmccSinkCore *core, gint64 now)
{
  GstLmccSinkHost *host = &core->host;
  gint64 timeout = (gint64) (core->settings.properties.send_timeout
      * LMCC_MSECOND / LMCC_USECOND);
  g_autofree gchar *text = NULL;
  GstLmccSinkOutage outage;
  gint64 nothing, since;
  gboolean playing;

  g_mutex_lock (&core->lock);
  outage = core->outage;
  playing = core->playing && core->started;
  g_mutex_unlock (&core->lock);
  nothing = playing ? earlier (host->unusable_since, outage.nothing) : 0;
  since = earlier (nothing, outage.some);
  if (since == 0 || now - since < OUTAGE) {
    if (host->out_since > 0 && since == 0)
      tell_end (core, now);
    return;
  }
  text = describe_outage (core, &outage, now);
  if (host->out_since == 0 && now >= host->next_warning) {
    host->out_since = since;
    host->next_warning = now + WARNING_INTERVAL;
    warn (core, text);
  }
  if (timeout == 0 || nothing == 0 || now - nothing < timeout || host->failed)
    return;
  host->failed = TRUE;
  GST_ELEMENT_ERROR (core, RESOURCE, WRITE,
      (_ ("%s. Gave up after %g s (send-timeout)."), text,
          (gdouble) timeout / G_TIME_SPAN_SECOND),
      (NULL));
}

/* Checks */

/* Reads the kernel's notifications. Groups that it may have forgotten are
 * joined again. */
static void
take_changes (GstLmccSinkCore *core)
{
  GstLmccSinkHost *host = &core->host;
  GstLmccHostChange change;
  guint lost = 0;

  if (!host->readable)
    return;
  host->readable = FALSE;
  change = gst_lmcc_netlink_take (host->netlink_fd, &core->paths,
      core->settings.address.family, &lost);
  if (change != GST_LMCC_HOST_UNCHANGED)
    host->next_look = host->next_tick = 0;
  if (change == GST_LMCC_HOST_LOST)
    gst_lmcc_sink_rivals_close (core);
}

/**
 * gst_lmcc_sink_host_look:
 * @core: the core; called by the I/O thread without lock
 *
 * Follows changes of the host. Cheap if there are none. May post messages,
 * whose handlers may stop the core.
 *
 * Returns: time of the next call, in ns of gst_lmcc_io_get_time()
 */
guint64
gst_lmcc_sink_host_look (GstLmccSinkCore *core)
{
  GstLmccSinkHost *host = &core->host;
  gint64 now = g_get_monotonic_time ();

  take_changes (core);
  if (now < host->next_tick)
    return (guint64) host->next_tick * LMCC_USECOND;

  host->next_tick = now + TICK;
  if (now >= host->next_look) {
    host->next_look = now + LOOK_INTERVAL;
    look_at_host (core, now);
  }
  gst_lmcc_sink_paths_tell (core, now);
  if (g_atomic_int_get (&core->running))
    look_at_outage (core, now);
  return (guint64) host->next_tick * LMCC_USECOND;
}

/**
 * gst_lmcc_sink_host_start:
 * @core: the core, open and not attached
 */
void
gst_lmcc_sink_host_start (GstLmccSinkCore *core)
{
  GstLmccSinkHost *host = &core->host;

  memset (host, 0, sizeof (*host));
  host->netlink_fd = gst_lmcc_netlink_open ();
  if (host->netlink_fd >= 0
      && !gst_lmcc_io_add (core->io, host->netlink_fd, GST_LMCC_SINK_TAG_HOST,
          NULL))
    gst_lmcc_socket_close (&host->netlink_fd);
}

/**
 * gst_lmcc_sink_host_stop:
 * @core: the core; called by its I/O thread, or while it is detached
 */
void
gst_lmcc_sink_host_stop (GstLmccSinkCore *core)
{
  if (core->host.netlink_fd >= 0)
    gst_lmcc_io_remove (core->io, core->host.netlink_fd);
  gst_lmcc_socket_close (&core->host.netlink_fd);
}
