/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/sender-harness.h"

#include <gst/lmcc/control/slots/dynamic-layering.h>
#include <string.h>

/* In the group given by the session. */
static void
check_group (const Harness *h, const SentPacket *sent)
{
  LmccDynamicLayering layering;

  fail_unless (lmcc_dynamic_layering_from_session (&layering,
      lmcc_sender_get_session (h->sender), NULL));
  fail_unless_equals_int (sent->header.layer,
      lmcc_dynamic_layering_get_layer (&layering, sent->header.slot,
          sent->group));
}

static void
clear_sent (gpointer data)
{
  lmcc_packet_unref (((SentPacket *) data)->packet);
}

LmccSenderConfig
sender_config (guint n_rungs)
{
  LmccSenderConfig config = { 0 };

  lmcc_session_init (&config.session);
  fail_unless (lmcc_address_parse ("239.255.42.1", &config.session.address));
  fail_unless (lmcc_address_parse ("192.0.2.1", &config.session.source));
  config.session.port = 5004;
  config.session.ssrc_base = 0x12345000;
  config.session.n_rungs = n_rungs;
  config.session.window = WINDOW;
  g_strlcpy (config.session.video.encoding_name, "H264",
      LMCC_ENCODING_NAME_SIZE);
  config.session.video.clock_rate = 90000;
  config.cname = "test";
  config.sequence_seed = 0x0001fff0;
  config.rtp_offset = RTP_OFFSET;
  config.ntp_offset = NTP_OFFSET;
  config.mtu = 1400;

  return config;
}

void
sender_config_add_sound (LmccSenderConfig *config)
{
  g_strlcpy (config->session.sound.encoding_name, "OPUS",
      LMCC_ENCODING_NAME_SIZE);
  config->session.sound.clock_rate = 48000;
}

void
harness_drain (Harness *h)
{
  LmccSenderAction action;

  while (lmcc_sender_poll_action (h->sender, &action)) {
    SentPacket sent = { h->now, FALSE, action.group, action.packet };

    switch (action.type) {
      case LMCC_SENDER_ACTION_SESSION_CHANGED:
        h->n_changes++;
        continue;
      case LMCC_SENDER_ACTION_REQUEST_KEY_UNIT:
        h->n_key_requests++;
        continue;
      case LMCC_SENDER_ACTION_SEND_CONTROL:
        sent.control = TRUE;
        break;
      case LMCC_SENDER_ACTION_SEND:
        fail_unless (lmcc_rtp_parse (sent.packet->data, sent.packet->size,
            LMCC_HEADER_DEFAULT_ID, &sent.rtp));
        fail_unless (sent.rtp.element != NULL);
        fail_unless (lmcc_header_parse (sent.rtp.element, sent.rtp.element_size,
            &sent.header));
        check_group (h, &sent);
        break;
    }
    g_array_append_val (h->sent, sent);
  }
}

Harness
harness_new (const LmccSenderConfig *config)
{
  Harness h = { lmcc_sender_new (config, START, NULL), START };

  h.sent = g_array_new (FALSE, FALSE, sizeof (SentPacket));
  g_array_set_clear_func (h.sent, clear_sent);
  harness_drain (&h);

  return h;
}

void
harness_clear (Harness *h)
{
  g_array_unref (h->sent);
  lmcc_sender_free (h->sender);
}

/* Calls the sender exactly when it asks for it. */
void
harness_run_until (Harness *h, LmccTime until)
{
  LmccTime next;

  while ((next = lmcc_sender_next_timeout (h->sender)) <= until) {
    h->now = MAX (h->now, next);
    lmcc_sender_handle_timeout (h->sender, h->now);
    harness_drain (h);
  }
  h->now = MAX (h->now, until);
}

static LmccPacket *
make_packet (gsize payload_size, guint8 fill)
{
  LmccPacket *packet = lmcc_packet_new (LMCC_RTP_HEADER_SIZE + payload_size);

  memset (packet->data, 0, LMCC_RTP_HEADER_SIZE);
  packet->data[0] = 0x80;
  packet->data[1] = 96;
  memset (packet->data + LMCC_RTP_HEADER_SIZE, fill, payload_size);
  packet->size = LMCC_RTP_HEADER_SIZE + payload_size;

  return packet;
}

LmccUnit *
make_unit (guint stream, guint klass, LmccTime time, guint n_packets,
    gsize payload_size)
{
  LmccUnit *unit = lmcc_unit_new ();
  guint i;

  unit->stream = stream;
  unit->klass = klass;
  unit->decoding_time = time;
  unit->presentation_time = time;
  for (i = 0; i < n_packets; i++)
    g_ptr_array_add (unit->packets, make_packet (payload_size, i & 0xff));

  return unit;
}

void
harness_push (Harness *h, LmccUnit *unit)
{
  lmcc_sender_push_unit (h->sender, unit, h->now);
  harness_drain (h);
}

void
harness_push_at (Harness *h, LmccUnit *unit)
{
  harness_run_until (h, unit->decoding_time);
  harness_push (h, unit);
}

/* Units of all classes. */
guint64
harness_count_dropped (const Harness *h)
{
  const LmccSenderStats *stats = lmcc_sender_get_stats (h->sender);
  guint64 n = 0;
  guint i;

  for (i = 0; i < LMCC_MAX_CLASSES; i++)
    n += stats->units_dropped[i];

  return n;
}

gboolean
is_media (const SentPacket *sent)
{
  return !sent->control && sent->header.type == LMCC_PACKET_MEDIA;
}

gboolean
is_filler (const SentPacket *sent)
{
  return !sent->control && sent->header.type == LMCC_PACKET_FILLER;
}

gboolean
is_video (const SentPacket *sent)
{
  return is_media (sent) && sent->header.stream != LMCC_STREAM_SOUND;
}

/* Random units of several rungs and classes, with audio. */
void
harness_push_random_until (Harness *h, GRand *rand, LmccTime until,
    guint n_rungs, gboolean sound)
{
  LmccTime time = h->now;

  while (time < until) {
    guint stream;

    for (stream = 0; stream < n_rungs; stream++) {
      guint klass = g_rand_int_range (rand, 0, 4);

      harness_push_at (h,
          make_unit (stream, klass, time,
              (guint) g_rand_int_range (rand, 1, 12),
              (gsize) g_rand_int_range (rand, 1, 1300)));
    }
    if (sound && g_rand_boolean (rand))
      harness_push_at (h, make_unit (LMCC_STREAM_SOUND, 0, time, 1, 80));
    time += (LmccTime) g_rand_int_range (rand, 1, 250) * MS;
  }
  harness_run_until (h, time + 2 * WINDOW);
}

gsize
sent_ip_size (const SentPacket *s)
{
  return s->packet->size + IP_OVERHEAD;
}

/* RTCP belongs to the base layer. */
gboolean
sent_is_of_layer (const SentPacket *s, guint layer)
{
  return s->control ? layer == 0 : s->group == layer;
}

/* The base layer starts at once, the other layers within the time of their
 * first packet. */
static void
check_first (const SentPacket *sent, guint layer, guint64 rate)
{
  gdouble waited =
      (gdouble) rate * (gdouble) (sent->time - START) / LMCC_SECOND;

  if (layer == 0)
    fail_unless_equals_uint64 (sent->time, START);
  fail_unless (waited < 8.0 * (gdouble) sent_ip_size (sent));
}

/* In every interval, the bits of a layer differ from rate times duration by
 * at most one packet: with the packets at both ends there are not more, and
 * without them not fewer. */
void
harness_check_exact (Harness *h, guint layer, guint64 rate, LmccTime end)
{
  g_autoptr (GArray) picked = g_array_new (FALSE, FALSE, sizeof (guint));
  gdouble largest = 0;
  guint first, last, i;

  for (i = 0; i < N_SENT (h); i++) {
    if (!sent_is_of_layer (SENT (h, i), layer))
      continue;
    g_array_append_val (picked, i);
    largest = MAX (largest, 8.0 * sent_ip_size (SENT (h, i)));
  }
  fail_unless (picked->len > 2);
  fail_unless (largest <= 8 * LARGEST);
  /* One bit of tolerance, because times are whole nanoseconds. */
  largest += 1 + rate * 1e-9;

  check_first (SENT (h, g_array_index (picked, guint, 0)), layer, rate);
  for (first = 0; first < picked->len; first++) {
    const SentPacket *from = SENT (h, g_array_index (picked, guint, first));
    gdouble between = 0;

    for (last = first + 1; last <= picked->len; last++) {
      const SentPacket *to = last < picked->len
          ? SENT (h, g_array_index (picked, guint, last))
          : NULL;
      gdouble want =
          (gdouble) rate * ((to ? to->time : end) - from->time) / LMCC_SECOND;

      /* fail_unless() would make a system call each time. */
      if (want - between > largest)
        fail ("layer %u: %g bits too few", layer, want - between);
      if (to == NULL)
        break;
      if (8.0 * (sent_ip_size (from) + sent_ip_size (to)) + between - want
          > largest)
        fail ("layer %u: too many bits, %g", layer, between - want);
      between += 8.0 * sent_ip_size (to);
    }
  }
}

void
harness_check_all_exact (Harness *h, const LmccSenderConfig *config)
{
  guint i;

  for (i = 0; i < config->session.n_layers; i++)
    harness_check_exact (h, i, config->session.layers[i].rate, h->now);
}
