/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * Listens to the RTCP of the groups that it sends to, and at first to the media
 * of its base, and says who else sends there. The sockets are looked at now and
 * then, and not when something comes: whoever floods the groups fills a small
 * buffer, and nothing else. All of it belongs to the I/O thread while that has
 * the core, else to the state changes.
 */
#include "config.h"

#include "sink/core.h"

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

#define LOOK_INTERVAL (250 * LMCC_MSECOND)

/* After a group could not be joined, as where the host's limit is reached. */
#define RETRY_INTERVAL (10 * LMCC_SECOND)

/* While this host is in a group the kernel takes in what it sends there, too:
 * 1.1 us a packet on a veth interface, beside the 2.6 that sending takes. So
 * all groups are listened to for some records' time, and after it only a base
 * of few packets. A session that was there before, at a lower address, listens
 * to its own base only by then, and has its RTCP there: it is heard by its
 * media. */
#define LISTEN_TO_ALL (3 * LMCC_SECOND)
#define CHEAP_RATE 2000000

/* Some twenty records. */
#define BUFFER_SIZE (32 << 10)

/* In a source-specific session packets of other hosts do not come to its
 * receivers, nor here. */
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
      GST_INFO_OBJECT (core, "other senders are not listened for: %s",
          error ? error->message : "no such group");
      return FALSE;
    }
    rivals->fds[rivals->n_groups++] = fd;
  }
  if (open_media (core, &error))
    return TRUE;
  GST_INFO_OBJECT (core, "other senders' media are not listened for: %s",
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
      ("Another sender, %s%s, sends to group %s port %d, too: receivers of "
       "either session get the packets of both. Set address, or port, of one "
       "of the two to another one; a session needs as many addresses as it "
       "has layers, from its own on.",
          from, gst_lmcc_host_has_address (source) ? " on this host" : "", to,
          port),
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

/* At most one batch: the next look has the rest. */
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
  /* Of the handler of a message, who may stop the core, the batch is not. */
  if (source.family != LMCC_FAMILY_NONE)
    tell (core, &source, group);
}

static void
close_from (GstLmccSinkRivals *rivals, guint n)
{
  while (rivals->n_groups > n)
    gst_lmcc_socket_close (&rivals->fds[--rivals->n_groups]);
}

/* Decided once: groups that are joined and left again and again are the
 * network's work. */
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
 * @core: the core, whose session has begun; called without lock
 * @now: the time
 *
 * Listens to groups that are new, and says who else sends.
 *
 * Returns: when to look again
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
 * Leaves the groups. The next look joins them, on the interface that is used
 * then.
 */
void
gst_lmcc_sink_rivals_close (GstLmccSinkCore *core)
{
  GstLmccSinkRivals *rivals = &core->rivals;

  close_from (rivals, 0);
  gst_lmcc_socket_close (&rivals->media_fd);
  rivals->began = rivals->next_look = rivals->next_try = 0;
}
