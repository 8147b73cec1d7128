/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Uses GLib's assertions, because those of libcheck work in the test's own
 * thread only. */
#include "fake-sender.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define GOP 15

struct _FakeSender
{
  LmccSender *sender;
  gchar *address;
  guint16 port;
  guint n_rungs;
  guint n_classes;
  GPtrArray **rungs;
  gint fd;
  GThread *thread;
  GMutex lock;
  GCond cond;
  gboolean running;
  gint64 started;
  guint next_picture;
  guint one_in;
  guint n_packets;
};

static void
free_picture (gpointer data)
{
  FakePicture *picture = data;

  g_ptr_array_unref (picture->packets);
  g_free (picture);
}

GPtrArray *
fake_pictures_new (void)
{
  return g_ptr_array_new_with_free_func (free_picture);
}

void
fake_pictures_take (GPtrArray *pictures, GPtrArray *packets, guint number,
    gboolean key)
{
  FakePicture *picture = g_new0 (FakePicture, 1);

  picture->packets = packets;
  picture->number = number;
  picture->key = key;
  g_ptr_array_add (pictures, picture);
}

/* @from: an address of the loopback network */
static gint
open_socket (const gchar *from)
{
  struct in_addr lo = { htonl (INADDR_LOOPBACK) };
  struct sockaddr_in source = { .sin_family = AF_INET };
  gint fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

  g_assert_true (fd >= 0);
  g_assert_true (
      setsockopt (fd, IPPROTO_IP, IP_MULTICAST_IF, &lo, sizeof (lo)) == 0);
  g_assert_true (inet_pton (AF_INET, from, &source.sin_addr) == 1);
  g_assert_true (bind (fd, (struct sockaddr *) &source, sizeof (source)) == 0);
  return fd;
}

static void
send_to (gint fd, const gchar *address, guint group, guint16 port,
    const guint8 *data, gsize size)
{
  struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons (port) };

  g_assert_true (inet_pton (AF_INET, address, &to.sin_addr) == 1);
  to.sin_addr.s_addr = htonl (ntohl (to.sin_addr.s_addr) + group);
  g_assert_true (
      sendto (fd, data, size, 0, (struct sockaddr *) &to, sizeof (to))
      == (gssize) size);
}

void
fake_sender_send_raw (const gchar *address, guint16 port, const guint8 *data,
    gsize size)
{
  fake_sender_send_from ("127.0.0.1", address, port, data, size);
}

void
fake_sender_send_from (const gchar *from, const gchar *address, guint16 port,
    const guint8 *data, gsize size)
{
  gint fd = open_socket (from);

  send_to (fd, address, 0, port, data, size);
  close (fd);
}

static LmccTime
get_now (FakeSender *self)
{
  return LMCC_SECOND
      + (LmccTime) (g_get_monotonic_time () - self->started) * 1000;
}

static gboolean
is_lost (FakeSender *self, guint group)
{
  return group == 0 && self->one_in > 0
      && ++self->n_packets % self->one_in == 0;
}

static void
drain (FakeSender *self)
{
  LmccSenderAction action;

  while (lmcc_sender_poll_action (self->sender, &action)) {
    switch (action.type) {
      case LMCC_SENDER_ACTION_SEND:
        if (is_lost (self, action.group))
          break;
        send_to (self->fd, self->address, action.group, self->port,
            action.packet->data, action.packet->size);
        break;
      case LMCC_SENDER_ACTION_SEND_CONTROL:
        send_to (self->fd, self->address, 0, (guint16) (self->port + 1),
            action.packet->data, action.packet->size);
        break;
      default:
        continue;
    }
    lmcc_packet_unref (action.packet);
  }
}

static LmccPacket *
make_packet (guint rung)
{
  gsize size = 200 * (rung + 1);
  LmccPacket *packet = lmcc_packet_new (size);

  memset (packet->data, 0, size);
  packet->data[0] = 0x80;
  packet->data[1] = 96;
  packet->size = size;
  return packet;
}

static LmccUnit *
make_unit (FakeSender *self, guint rung)
{
  LmccUnit *unit = lmcc_unit_new ();
  guint number = self->next_picture;
  guint i;

  unit->stream = (guint8) rung;
  unit->decoding_time = LMCC_SECOND + self->next_picture * FAKE_PICTURE_TIME;
  if (self->rungs) {
    guint n = self->rungs[rung]->len;
    FakePicture *picture = g_ptr_array_index (self->rungs[rung], number % n);

    number = number / n * n + picture->number;
    unit->switch_point = picture->key;
    for (i = 0; i < picture->packets->len; i++) {
      LmccPacket *packet = g_ptr_array_index (picture->packets, i);

      g_ptr_array_add (unit->packets,
          lmcc_packet_new_copy (packet->data, packet->size));
    }
  } else {
    unit->klass = (guint8) (number % GOP % self->n_classes);
    unit->switch_point = unit->klass > 0 || number % GOP == 0;
    g_ptr_array_add (unit->packets, make_packet (rung));
  }
  /* Room for three reordered pictures. */
  unit->presentation_time = LMCC_SECOND + (number + 3) * FAKE_PICTURE_TIME;
  return unit;
}

static LmccTime
next_picture_time (FakeSender *self)
{
  return LMCC_SECOND + self->next_picture * FAKE_PICTURE_TIME;
}

static void
push_pictures (FakeSender *self)
{
  guint rung;

  while (next_picture_time (self) <= get_now (self)) {
    for (rung = 0; rung < self->n_rungs; rung++) {
      lmcc_sender_push_unit (self->sender, make_unit (self, rung),
          get_now (self));
      drain (self);
    }
    self->next_picture++;
  }
}

static gpointer
send_thread (gpointer data)
{
  FakeSender *self = data;

  g_mutex_lock (&self->lock);
  while (self->running) {
    LmccTime next;

    push_pictures (self);
    if (lmcc_sender_next_timeout (self->sender) <= get_now (self)) {
      lmcc_sender_handle_timeout (self->sender, get_now (self));
      drain (self);
    }
    next =
        MIN (lmcc_sender_next_timeout (self->sender), next_picture_time (self));
    g_cond_wait_until (&self->cond, &self->lock,
        self->started + 1 + (gint64) ((next - LMCC_SECOND) / 1000));
  }
  g_mutex_unlock (&self->lock);
  return NULL;
}

static FakeSender *
start (const gchar *address, guint16 port, guint n_rungs, guint n_classes,
    GPtrArray **rungs, LmccTime feedback_interval)
{
  FakeSender *self = g_new0 (FakeSender, 1);
  LmccSenderConfig config = { 0 };

  self->address = g_strdup (address);
  self->port = port;
  self->n_rungs = n_rungs;
  self->n_classes = n_classes;
  self->rungs = rungs;
  self->fd = open_socket ("127.0.0.1");
  self->started = g_get_monotonic_time ();
  self->running = TRUE;
  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);

  lmcc_session_init (&config.session);
  lmcc_address_parse (address, &config.session.address);
  lmcc_address_parse ("127.0.0.1", &config.session.source);
  config.session.source_specific =
      lmcc_address_is_source_specific (&config.session.address);
  config.session.ttl = 4;
  config.session.port = port;
  config.session.ssrc_base = g_random_int () & 0xfffff000u;
  config.session.n_rungs = n_rungs;
  config.session.window = LMCC_DEFAULT_WINDOW;
  config.session.feedback_interval = feedback_interval;
  config.session.video.clock_rate = 90000;
  g_strlcpy (config.session.video.encoding_name, "H264",
      LMCC_ENCODING_NAME_SIZE);
  config.cname = "fake@example.org";
  config.sequence_seed = g_random_int ();
  config.rtp_offset = g_random_int ();
  config.ntp_offset = G_GUINT64_CONSTANT (3900000000) * LMCC_SECOND;
  config.mtu = 1400;
  self->sender = lmcc_sender_new (&config, get_now (self), NULL);
  self->thread = g_thread_new ("fake-sender", send_thread, self);
  return self;
}

FakeSender *
fake_sender_start (const gchar *address, guint16 port, guint n_rungs,
    GPtrArray **rungs)
{
  return start (address, port, n_rungs, 1, rungs, 0);
}

/* Pictures of one packet without content: the classes of each rung in turn. */
FakeSender *
fake_sender_start_with_classes (const gchar *address, guint16 port,
    guint n_rungs, guint n_classes)
{
  return start (address, port, n_rungs, n_classes, NULL, 0);
}

FakeSender *
fake_sender_start_deaf (const gchar *address, guint16 port)
{
  return start (address, port, 1, 1, NULL, LMCC_SECOND);
}

void
fake_sender_set_loss (FakeSender *self, guint one_in)
{
  g_mutex_lock (&self->lock);
  self->one_in = one_in;
  g_mutex_unlock (&self->lock);
}

static void
end (FakeSender *self, gboolean says_bye)
{
  g_mutex_lock (&self->lock);
  self->running = FALSE;
  g_cond_signal (&self->cond);
  g_mutex_unlock (&self->lock);
  g_thread_join (self->thread);
  if (says_bye)
    lmcc_sender_stop (self->sender, get_now (self));
  drain (self);
  lmcc_sender_free (self->sender);
  close (self->fd);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->cond);
  g_free (self->address);
  g_free (self);
}

void
fake_sender_stop (FakeSender *self)
{
  end (self, TRUE);
}

void
fake_sender_kill (FakeSender *self)
{
  end (self, FALSE);
}

/* (transfer full): a session description for the receiver. */
gchar *
fake_sender_get_sdp (FakeSender *self)
{
  gchar *text;

  g_mutex_lock (&self->lock);
  text =
      lmcc_sdp_format (lmcc_sender_get_session (self->sender), LMCC_SDP_FILE);
  g_mutex_unlock (&self->lock);
  return text;
}
