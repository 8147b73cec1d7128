/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/test-source.h"

#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>

#include <string.h>

#define IP_OVERHEAD 28

void
test_source_init (TestSource *source, LmccSender *sender, const gdouble *rates,
    guint n_layers, LmccTime now)
{
  memset (source, 0, sizeof (*source));
  source->sender = sender;
  source->packet_size = TEST_SOURCE_PACKET_SIZE;
  source->n_layers = n_layers;
  memcpy (source->rates, rates, n_layers * sizeof (*rates));
  source->started = now;
  source->next = now;
}

static LmccPacket *
make_packet (const TestSource *source, const TestSourceTag *tag)
{
  gsize size = source->packet_size - IP_OVERHEAD - LMCC_RTP_OVERHEAD;
  LmccPacket *packet = lmcc_packet_new (size);

  memset (packet->data, 0, size);
  packet->data[0] = 0x80;
  packet->data[1] = LMCC_DEFAULT_PAYLOAD_TYPE;
  memcpy (packet->data + LMCC_RTP_HEADER_SIZE, tag, sizeof (*tag));
  packet->size = size;

  return packet;
}

static gboolean
is_key (const TestSource *source, guint rung)
{
  if (source->distance > 0)
    return (source->pictures - 1) % source->distance == 0;

  return source->group == 0 || rung > 0
      || (source->pictures - 1) % source->group == 0;
}

/* The decoder is not under test: every picture is a key frame unless groups
 * or a distance are requested. */
static void
push_unit (TestSource *source, guint rung, guint n_packets, LmccTime due,
    LmccTime now)
{
  TestSourceTag tag = { source->n_units++, n_packets };
  LmccUnit *unit = lmcc_unit_new ();

  if (source->classes)
    unit->klass = (guint8) rung;
  else
    unit->stream = (guint8) rung;
  unit->switch_point = is_key (source, rung);
  unit->decoding_time = due;
  unit->presentation_time = due;
  source->pushed[rung] += n_packets * source->packet_size;
  for (; n_packets > 0; n_packets--)
    g_ptr_array_add (unit->packets, make_packet (source, &tag));
  lmcc_sender_push_unit (source->sender, unit, now);
}

/* Bytes that layer @rung should have sent by the next picture, minus those
 * that it has sent. */
static guint
packets_due (const TestSource *source, guint rung, LmccTime until)
{
  gdouble bytes = source->rates[rung] / 8 * (gdouble) (until - source->started)
      / LMCC_SECOND;

  bytes -= (gdouble) ((gint64) source->pushed[rung] + source->extra[rung]);

  return bytes < source->packet_size ? 0
                                     : (guint) (bytes / source->packet_size);
}

/**
 * test_source_set_rate:
 * @source: a source
 * @rung: a layer
 * @rate: new encoder rate, in bit/s of IP packets
 * @now: the time
 */
void
test_source_set_rate (TestSource *source, guint rung, gdouble rate,
    LmccTime now)
{
  source->extra[rung] += (gint64) ((rate - source->rates[rung]) / 8
      * (gdouble) (now - source->started) / LMCC_SECOND);
  source->rates[rung] = rate;
}

/**
 * test_source_push:
 * @source: a source
 * @now: the time: that of @source->next, or later if the host was delayed
 *
 * Gives the sender one picture of each layer that is due.
 */
void
test_source_push (TestSource *source, LmccTime now)
{
  LmccTime due = source->next;
  guint rung;

  source->pictures++;
  source->next = source->started + source->pictures * TEST_SOURCE_INTERVAL;
  for (rung = 0; rung < source->n_layers; rung++) {
    guint n_packets = packets_due (source, rung, source->next);

    if (source->group > 0 && rung == 0)
      n_packets = is_key (source, rung) ? source->key_packets : 1;

    for (; source->single_packets && n_packets > 1; n_packets--)
      push_unit (source, rung, 1, due, now);
    if (n_packets > 0)
      push_unit (source, rung, n_packets, due, now);
  }
}

/**
 * test_source_note_sent:
 * @source: a source
 * @packet: a packet from its sender
 * @control: whether it is RTCP
 *
 * Bytes that the sender adds reduce the layer's media rate.
 */
void
test_source_note_sent (TestSource *source, const LmccPacket *packet,
    gboolean control)
{
  gint64 size = (gint64) packet->size + IP_OVERHEAD;
  LmccRtp rtp;
  LmccHeader header = { 0 };

  if (!control) {
    if (!lmcc_rtp_parse (packet->data, packet->size, LMCC_HEADER_DEFAULT_ID,
            &rtp)
        || rtp.element == NULL
        || !lmcc_header_parse (rtp.element, rtp.element_size, &header))
      g_error ("the sender sent what is none of its packets");
    if (header.type == LMCC_PACKET_MEDIA)
      size -= source->packet_size;
  }
  source->extra[header.layer] += size;
}
