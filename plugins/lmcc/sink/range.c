/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * If the user has not set an address and the default one is in use, the session
 * moves to the next free addresses. The sender listens to their media from
 * PAUSED on, usually until the encoder has its first picture. Meanwhile it
 * claims the default address, so that senders that start together choose
 * different addresses. All of it belongs to the I/O thread while the core is
 * attached, otherwise to the state changes.
 */
#include "config.h"

#include "common/random.h"
#include "sink/core.h"

#include <plugins/common/messages.h>

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

/* A base layer has at least one filler packet every 100 ms, or 250 ms without
 * video. */
#define LISTEN_TIME (300 * G_TIME_SPAN_MILLISECOND)

/* Older packets are ignored. */
#define STALE (1 * G_TIME_SPAN_SECOND)

/* More layers than an encoder makes; with fixed rates there may be more. */
#define RANGE 32

/* Allows several claims while another sender listens. */
#define CLAIM_INTERVAL (50 * G_TIME_SPAN_MILLISECOND)

/* A few packets are enough. */
#define BUFFER_SIZE (32 << 10)

/* RFC 3550 section 5.1. */
#define RTP_VERSION 2
#define RTP_HEADER_SIZE 12

static gint
open_socket (GstLmccSinkCore *core, const LmccAddress *group, gint port)
{
  return gst_lmcc_sink_paths_open_joined (core, group, (guint16) port, NULL,
      BUFFER_SIZE, NULL);
}

static void
begin_to_listen (GstLmccSinkRange *range, gint64 now)
{
  lmcc_address_claims_init (&range->claims, range->ssrc_base);
  range->end = now + LISTEN_TIME;
  range->next_claim = now;
}

/**
 * gst_lmcc_sink_range_open:
 * @core: the core, open and not attached
 *
 * Listens to the possible addresses of the session, if it may use another one
 * than the default.
 */
void
gst_lmcc_sink_range_open (GstLmccSinkCore *core)
{
  GstLmccSinkRange *range = &core->range;
  gint port = core->settings.properties.port;

  range->ssrc_base = gst_lmcc_random_int () & LMCC_SSRC_BASE_MASK;
  while (core->settings.may_move && !core->elsewhere
      && range->n < GST_LMCC_SINK_N_RANGES) {
    LmccAddress group;
    gint fd = -1;

    if (lmcc_address_group (&core->settings.address, range->n * RANGE, &group))
      fd = open_socket (core, &group, port);
    if (fd < 0)
      break;
    range->fds[range->n++] = fd;
  }
  if (range->n == 0)
    return;
  range->claims_fd = open_socket (core, &core->settings.address, port + 1);
  begin_to_listen (range, g_get_monotonic_time ());
}

/**
 * gst_lmcc_sink_range_close:
 * @core: the core
 */
void
gst_lmcc_sink_range_close (GstLmccSinkCore *core)
{
  GstLmccSinkRange *range = &core->range;

  while (range->n > 0)
    gst_lmcc_socket_close (&range->fds[--range->n]);
  gst_lmcc_socket_close (&range->claims_fd);
}

/* Returns: whether another sender sends there; @source gets its address */
static gboolean
is_taken (GstLmccSinkRange *range, gint fd, LmccAddress *source)
{
  GstLmccBatch *batch = gst_lmcc_batch_of_thread ();
  gint n = gst_lmcc_batch_receive (batch, fd, NULL), i;
  gboolean taken = FALSE;

  for (i = 0; i < n; i++) {
    const GstLmccDatagram *datagram = gst_lmcc_batch_get (batch, (guint) i);
    const LmccPacket *packet = datagram->packet;

    lmcc_address_claims_take_media (&range->claims, packet->data, packet->size);
    if (taken || packet->size < RTP_HEADER_SIZE
        || packet->data[0] >> 6 != RTP_VERSION)
      continue;
    *source = datagram->source;
    taken = TRUE;
  }
  return taken;
}

/* The latest claim of another sender came from @source. */
static void
read_claims (GstLmccSinkRange *range, LmccAddress *source)
{
  GstLmccBatch *batch = gst_lmcc_batch_of_thread ();
  gint n = gst_lmcc_batch_receive (batch, range->claims_fd, NULL), i;

  for (i = 0; i < n; i++) {
    const GstLmccDatagram *datagram = gst_lmcc_batch_get (batch, (guint) i);

    if (lmcc_address_claims_take (&range->claims, datagram->packet->data,
            datagram->packet->size))
      *source = datagram->source;
  }
}

static void
drain (gint fd)
{
  GstLmccBatch *batch = gst_lmcc_batch_of_thread ();

  while (gst_lmcc_batch_receive (batch, fd, NULL) > 0)
    ;
}

/* Packets from a long PAUSED do not show who sends now. */
static void
listen_again (GstLmccSinkRange *range, gint64 now)
{
  guint i;

  for (i = 0; i < range->n; i++)
    drain (range->fds[i]);
  drain (range->claims_fd);
  begin_to_listen (range, now);
}

static void
tell (GstLmccSinkCore *core, const LmccAddress *before,
    const LmccAddress *source)
{
  gint port = core->settings.properties.port;
  gchar from[LMCC_ADDRESS_STRLEN], old[LMCC_ADDRESS_STRLEN];
  gchar chosen[LMCC_ADDRESS_STRLEN];

  lmcc_address_format (source, from);
  lmcc_address_format (before, old);
  lmcc_address_format (&core->settings.address, chosen);
  core->callbacks.chosen (core->callbacks.user_data, chosen);
  GST_ELEMENT_WARNING (core, RESOURCE, BUSY,
      (_ ("Another sender, %s%s, sends to %s port %d, and address is not set: "
          "this session uses %s instead. Its receivers need the address "
          "lmcc://%s:%d. Set address to choose one."),
          from, gst_lmcc_host_has_address (source) ? _ (" on this host") : "",
          old, port, chosen, chosen, port),
      (NULL));
  gst_element_post_message (GST_ELEMENT (core),
      gst_message_new_element (GST_OBJECT (core),
          gst_structure_new ("lmcc-address-chosen", "from", G_TYPE_STRING, from,
              "address", G_TYPE_STRING, chosen, "port", G_TYPE_INT, port,
              NULL)));
}

/* Chooses the free range at this sender's rank. If there is none, the session
 * stays at the default address, and the warnings about two senders follow. */
static void
choose (GstLmccSinkCore *core)
{
  GstLmccSinkRange *range = &core->range;
  LmccAddress before = core->settings.address, source = before, other;
  gboolean taken[GST_LMCC_SINK_N_RANGES];
  guint i;

  read_claims (range, &source);
  taken[0] = is_taken (range, range->fds[0], &source);
  for (i = 1; i < range->n; i++)
    taken[i] = is_taken (range, range->fds[i], &other);
  i = lmcc_address_claims_choose (&range->claims, taken, range->n);
  if (i == 0 || i == range->n
      || !lmcc_address_group (&before, i * RANGE, &core->settings.address))
    return;
  gst_lmcc_sink_sending_follow (core);
  tell (core, &before, &source);
}

/**
 * gst_lmcc_sink_range_choose:
 * @core: the core at the start of a session; called by the I/O thread without
 *     lock
 *
 * Chooses the addresses of the session, if necessary.
 *
 * Returns: %FALSE while it still listens: see gst_lmcc_sink_range_look()
 */
gboolean
gst_lmcc_sink_range_choose (GstLmccSinkCore *core)
{
  gint64 now = g_get_monotonic_time ();

  if (core->range.n == 0)
    return TRUE;
  if (now > core->range.end + STALE)
    listen_again (&core->range, now);
  if (now < core->range.end)
    return FALSE;
  choose (core);
  gst_lmcc_sink_range_close (core);
  return TRUE;
}

/**
 * gst_lmcc_sink_range_look:
 * @core: the core; called by the I/O thread without lock
 *
 * Sends claims for the default address while the sender listens.
 *
 * Returns: time of the next call or of the choice, in ns of
 * gst_lmcc_io_get_time(), or %GST_LMCC_IO_NEVER
 */
guint64
gst_lmcc_sink_range_look (GstLmccSinkCore *core)
{
  GstLmccSinkRange *range = &core->range;
  gint64 now, next;

  if (range->n == 0)
    return GST_LMCC_IO_NEVER;
  now = g_get_monotonic_time ();
  if (now > range->end + STALE)
    return GST_LMCC_IO_NEVER;
  if (now >= range->next_claim) {
    range->next_claim = now + CLAIM_INTERVAL;
    gst_lmcc_sink_send (core, GST_LMCC_SINK_CONTROL,
        lmcc_address_claims_build (&range->claims));
    gst_lmcc_sink_send_waiting (core);
  }
  next = now < range->end ? MIN (range->end, range->next_claim)
                          : range->next_claim;
  return (guint64) next * LMCC_USECOND;
}
