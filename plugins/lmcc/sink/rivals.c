/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Detects other senders on the groups of the session. The sender listens to the
 * RTCP of its groups, and at first to the media of its base group. It reads the
 * sockets from time to time, not when packets arrive, so a flood only fills a
 * small buffer. All of it belongs to the I/O thread while the core is attached,
 * otherwise to the state changes.
 */
#include "config.h"

#include "sink/core.h"

#include <plugins/common/messages.h>

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

#define LOOK_INTERVAL (250 * LMCC_MSECOND)

/* Interval of retries after a failed join, for example at the host's limit. */
#define RETRY_INTERVAL (10 * LMCC_SECOND)

/* While this host is a member of a group, the kernel also receives the host's
 * own packets to it: 1.1 us per packet on a veth interface, in addition to 2.6
 * us for sending. Therefore the sender listens to all groups only for the time
 * of some session records, and after that only to a base group with few
 * packets. An older session at a lower address only listens to its own base
 * group by then, and only sends RTCP there: it is detected by its media. */
#define LISTEN_TO_ALL (3 * LMCC_SECOND)
#define CHEAP_RATE 2000000

/* About twenty session records. */
#define BUFFER_SIZE (32 << 10)

/* In a source-specific session packets of other hosts reach neither its
 * receivers nor this host. */
static gint
open_socket (GstLmccSinkCore *core, const LmccAddress *group, gint port,
    GError **error)
{
  const LmccAddress *source =
      lmcc_address_is_source_specific (group) ? &core->place.source : NULL;

  return gst_lmcc_sink_paths_open_joined (core, group, port, source,
      BUFFER_SIZE, error);
}

static gboolean
open_media (GstLmccSinkCore *core, GError **error)
{
  GstLmccSinkRivals *rivals = &core->rivals;

  if (rivals->most == GST_LMCC_SINK_MAX_WATCHED && rivals->media_fd < 0)
    rivals->media_fd = open_socket (core, &core->settings.address,
        core->settings.properties.port, error);
  return rivals->most < GST_LMCC_SINK_MAX_WATCHED || rivals->media_fd >= 0;
}

static gboolean
open_groups (GstLmccSinkCore *core, guint n_groups)
{
  GstLmccSinkRivals *rivals = &core->rivals;
  g_autoptr (GError) error = NULL;

  while (rivals->n_groups < MIN (n_groups, rivals->most)) {
    LmccAddress group;
    gint fd = -1;

    if (lmcc_address_group (&core->settings.address, rivals->n_groups, &group))
      fd = open_socket (core, &group, core->settings.properties.port + 1,
          &error);
    if (fd < 0) {
      GST_INFO_OBJECT (core, "not listening for other senders: %s",
          error ? error->message : "no such group");
      return FALSE;
    }
    rivals->fds[rivals->n_groups++] = fd;
  }
  if (open_media (core, &error))
    return TRUE;
  GST_INFO_OBJECT (core, "not listening for media of other senders: %s",
      error->message);
  return FALSE;
}

static void
tell (GstLmccSinkCore *core, const LmccAddress *source, guint index)
{
  gint port = core->settings.properties.port;
  gchar from[LMCC_ADDRESS_STRLEN], to[LMCC_ADDRESS_STRLEN] = "";
  LmccAddress group;

  lmcc_address_format (source, from);
  if (lmcc_address_group (&core->settings.address, index, &group))
    lmcc_address_format (&group, to);
  GST_ELEMENT_WARNING (core, RESOURCE, BUSY,
      (_ ("Another sender, %s%s, also sends to group %s port %d: receivers of "
          "either session get the packets of both. Change address or port of "
          "one of the two sessions; a session uses as many consecutive "
          "addresses as it has layers."),
          from, gst_lmcc_host_has_address (source) ? _ (" on this host") : "",
          to, port),
      (NULL));
  gst_element_post_message (GST_ELEMENT (core),
      gst_message_new_element (GST_OBJECT (core),
          gst_structure_new ("lmcc-rival-sender", "from", G_TYPE_STRING, from,
              "address", G_TYPE_STRING, to, "port", G_TYPE_INT, port, NULL)));
}

static gboolean
take (GstLmccSinkCore *core, gint fd, const GstLmccDatagram *datagram,
    LmccTime now)
{
  gboolean told;

  if (datagram->truncated)
    return FALSE;
  g_mutex_lock (&core->sender_lock);
  if (fd == core->rivals.media_fd)
    told = lmcc_sender_take_group_media (core->sender, now, &datagram->source,
        datagram->packet->data, datagram->packet->size);
  else
    told = lmcc_sender_take_group_control (core->sender, now, &datagram->source,
        datagram->packet->data, datagram->packet->size);
  g_mutex_unlock (&core->sender_lock);
  return told;
}

/* Reads at most one batch; the next call reads the rest. */
static void
read_group (GstLmccSinkCore *core, guint group, gint fd, LmccTime now)
{
  GstLmccBatch *batch = gst_lmcc_batch_of_thread ();
  LmccAddress source = { LMCC_FAMILY_NONE };
  gint n, i;

  n = gst_lmcc_batch_receive (batch, fd, NULL);
  for (i = 0; i < n; i++) {
    const GstLmccDatagram *datagram = gst_lmcc_batch_get (batch, (guint) i);

    if (take (core, fd, datagram, now))
      source = datagram->source;
  }
  /* A message handler may stop the core, but the batch stays valid. */
  if (source.family != LMCC_FAMILY_NONE)
    tell (core, &source, group);
}

static void
close_from (GstLmccSinkRivals *rivals, guint n)
{
  while (rivals->n_groups > n)
    gst_lmcc_socket_close (&rivals->fds[--rivals->n_groups]);
}

/* Decided only once, because repeated joins and leaves burden the network. */
static void
choose_groups (GstLmccSinkRivals *rivals, guint64 base_rate, LmccTime now)
{
  if (rivals->began == 0) {
    rivals->began = now;
    rivals->most = GST_LMCC_SINK_MAX_WATCHED;
  } else if (rivals->most == GST_LMCC_SINK_MAX_WATCHED
      && now >= rivals->began + LISTEN_TO_ALL) {
    rivals->most = base_rate > 0 && base_rate <= CHEAP_RATE ? 1 : 0;
    close_from (rivals, rivals->most);
    gst_lmcc_socket_close (&rivals->media_fd);
  }
}

/**
 * gst_lmcc_sink_rivals_look:
 * @core: the core with a session; called without lock
 * @now: the time
 *
 * Joins new groups and reports other senders.
 *
 * Returns: time of the next call
 */
LmccTime
gst_lmcc_sink_rivals_look (GstLmccSinkCore *core, LmccTime now)
{
  GstLmccSinkRivals *rivals = &core->rivals;
  const LmccSession *session;
  guint64 base_rate;
  guint n_groups, i;

  if (core->elsewhere)
    return LMCC_TIME_NONE;
  if (now < rivals->next_look)
    return rivals->next_look;
  rivals->next_look = now + LOOK_INTERVAL;
  g_mutex_lock (&core->sender_lock);
  session = lmcc_sender_get_session (core->sender);
  n_groups = session->n_groups;
  base_rate = lmcc_session_level_rate (session, 0);
  g_mutex_unlock (&core->sender_lock);
  choose_groups (rivals, base_rate, now);
  if (now >= rivals->next_try && !open_groups (core, n_groups))
    rivals->next_try = now + RETRY_INTERVAL;
  for (i = 0; i < rivals->n_groups && g_atomic_int_get (&core->running); i++)
    read_group (core, i, rivals->fds[i], now);
  if (rivals->media_fd >= 0 && g_atomic_int_get (&core->running))
    read_group (core, 0, rivals->media_fd, now);
  return rivals->next_look;
}

/**
 * gst_lmcc_sink_rivals_close:
 * @core: the core
 *
 * Leaves the groups. The next call of gst_lmcc_sink_rivals_look() joins them on
 * the current interface.
 */
void
gst_lmcc_sink_rivals_close (GstLmccSinkCore *core)
{
  GstLmccSinkRivals *rivals = &core->rivals;

  close_from (rivals, 0);
  gst_lmcc_socket_close (&rivals->media_fd);
  rivals->began = rivals->next_look = rivals->next_try = 0;
}
