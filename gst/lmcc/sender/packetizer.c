/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sender/packetizer.h"

#include <gst/lmcc/lmcc-session-algorithm.h>
#include "control/slots/dynamic-layering.h"
#include "wire/algorithm-element.h"
#include "wire/constants.h"
#include "wire/rtp-payload.h"

/* Any start values will do, as long as those of a restarted sender differ:
 * the finalizer of splitmix spreads similar seeds. */
static guint16
first_number (guint32 seed, guint32 which)
{
  guint64 x =
      ((guint64) which << 32 | seed) + G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  x = (x ^ x >> 30) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * G_GUINT64_CONSTANT (0x94d049bb133111eb);

  return (guint16) (x >> 31);
}

/*
 * lmcc_packetizer_init:
 * @packetizer: (out): the packetizer
 * @session: the sender's session; must outlive @packetizer
 * @announcer: the sender's announcer; must outlive @packetizer
 * @seed: determines the first sequence numbers
 */
void
lmcc_packetizer_init (LmccPacketizer *packetizer, const LmccSession *session,
    const LmccAnnouncer *announcer, guint32 seed)
{
  guint32 which = 1;
  guint layer, stream;

  packetizer->session = session;
  packetizer->announcer = announcer;
  packetizer->says_place =
      session->slot > 0 && lmcc_session_has_second_element (session);
  packetizer->marks.signal = LMCC_SIGNAL_NOBODY;
  for (layer = 0; layer < LMCC_MAX_LAYERS; layer++) {
    LmccLayerNumbers *numbers = &packetizer->numbers[layer];

    numbers->lsn = first_number (seed, which++);
    numbers->filler_sequence = first_number (seed, which++);
    for (stream = 0; stream < LMCC_N_STREAMS; stream++)
      numbers->sequence[stream] = first_number (seed, which++);
    numbers->repair_sequence = (guint16) ~numbers->filler_sequence;
  }
}

/* The place of the next packet in its slot: @place of LmccHeader. */
static gint
take_place (LmccLayerNumbers *numbers, guint16 slot, guint modulus)
{
  gint passed = lmcc_slot_diff (slot, numbers->slot, modulus);
  gboolean first = !numbers->sent;

  if (numbers->sent && passed == 0) {
    numbers->n_in_slot = MIN (numbers->n_in_slot + 1, LMCC_PLACE_MAX + 1);
    return MIN (numbers->n_in_slot - 1, LMCC_PLACE_MAX);
  }
  numbers->sent = TRUE;
  numbers->slot = slot;
  numbers->n_in_slot = 1;
  if (first)
    return LMCC_PLACE_FIRST;

  return passed > 0 ? -MIN (passed, LMCC_PLACE_MAX) : -LMCC_PLACE_MAX;
}

/* The base layer carries the element of kind 1 instead of a place, because
 * nobody joins it in mid-session. */
static void
add_second_element (LmccPacketizer *packetizer, guint layer, LmccRtp *rtp,
    guint16 lsn, LmccTime now, guint8 second[LMCC_SECOND_ELEMENT_MAX_SIZE])
{
  const LmccSession *session = packetizer->session;
  const LmccMarks *marks = &packetizer->marks;

  if (layer > 0 && packetizer->says_place) {
    lmcc_place_write (take_place (&packetizer->numbers[layer], marks->slot,
                          session->slot_modulus),
        second);
    rtp->second_size = LMCC_PLACE_SIZE;
  } else if (layer == 0 && marks->has_up_levels) {
    rtp->second_size = lmcc_synchronized_write (marks->up_levels,
        session->n_layers - 1, second);
  } else if (layer == 0 && packetizer->single != NULL) {
    rtp->second_size =
        lmcc_single_rate_write_element (packetizer->single, now, lsn, second);
  } else {
    return;
  }
  rtp->second = second;
}

/* Fills in what all packets say about their layer, slot and time. */
static void
fill_header (LmccPacketizer *packetizer, guint layer, LmccRtp *rtp,
    LmccHeader *header, LmccTime now,
    guint8 second[LMCC_SECOND_ELEMENT_MAX_SIZE])
{
  const LmccSession *session = packetizer->session;

  header->layer = (guint8) layer;
  header->top_layer = (guint8) (session->n_layers - 1);
  header->table = session->version & 3;
  header->slot = packetizer->marks.slot;
  header->signal = packetizer->marks.signal;
  header->burst = packetizer->marks.burst;
  header->lsn = packetizer->numbers[layer].lsn++;
  header->send_time =
      lmcc_time_to_ntp_short (packetizer->announcer->ntp_offset + now);
  add_second_element (packetizer, layer, rtp, header->lsn, now, second);
}

/*
 * lmcc_packetizer_media:
 * @packetizer: a packetizer
 * @layer: the layer that sends the packet
 * @allotment: a packet, which is taken, and its unit's properties
 * @now: the time
 *
 * Returns: (transfer full): the packet's payload with the header as sent
 */
LmccPacket *
lmcc_packetizer_media (LmccPacketizer *packetizer, guint layer,
    LmccAllotment *allotment, LmccTime now)
{
  const LmccSession *session = packetizer->session;
  LmccHeader header = { 0 };
  LmccRtp sent = { 0 };
  guint8 second[LMCC_SECOND_ELEMENT_MAX_SIZE];

  header.type = LMCC_PACKET_MEDIA;
  header.first = allotment->first;
  header.last = allotment->last;
  header.more = allotment->more;
  header.switch_point = allotment->switch_point;
  header.stream = allotment->stream;
  header.klass = allotment->klass;
  header.anchor = allotment->anchor;
  header.osn = allotment->osn;

  /* For sound, the marker bit is that of the payload format. */
  sent.marker = allotment->stream == LMCC_STREAM_SOUND
      ? lmcc_rtp_has_marker (allotment->packet)
      : allotment->marker;
  sent.payload_type = session->payload_type + allotment->stream;
  sent.sequence = packetizer->numbers[layer].sequence[allotment->stream]++;
  sent.timestamp = lmcc_announcer_get_rtp_time (packetizer->announcer, session,
      allotment->stream, allotment->presentation_time);
  sent.ssrc = lmcc_session_ssrc (session, allotment->stream, layer);
  fill_header (packetizer, layer, &sent, &header, now, second);

  return lmcc_rtp_build_from (g_steal_pointer (&allotment->packet), &sent,
      &header, session->header_id);
}

/* A packet without media: it belongs to no stream, and @osn is its layer's
 * low-water mark. */
static LmccPacket *
build_other (LmccPacketizer *packetizer, guint layer, LmccPacketType type,
    guint16 osn, LmccRtp *sent, const guint8 *payload, LmccTime now)
{
  LmccHeader header = { 0 };
  guint8 second[LMCC_SECOND_ELEMENT_MAX_SIZE];

  header.type = type;
  header.stream = LMCC_STREAM_NONE;
  header.osn = osn;
  sent->timestamp = lmcc_announcer_get_rtp_time (packetizer->announcer,
      packetizer->session, 0, now);

  fill_header (packetizer, layer, sent, &header, now, second);

  return lmcc_rtp_build (sent, &header, packetizer->session->header_id,
      payload);
}

/*
 * lmcc_packetizer_filler:
 * @packetizer: a packetizer
 * @layer: the layer that sends the packet
 * @osn: the layer's low-water mark
 * @payload_size: size in bytes, at least %LMCC_FILLER_PAYLOAD_SIZE
 * @now: the time
 *
 * Returns: (transfer full): a packet that fills a layer's rate, or keeps an
 * idle layer alive
 */
LmccPacket *
lmcc_packetizer_filler (LmccPacketizer *packetizer, guint layer, guint16 osn,
    gsize payload_size, LmccTime now)
{
  const LmccSession *session = packetizer->session;
  LmccRtp sent = { 0 };

  sent.payload_type = session->filler_payload_type;
  sent.sequence = packetizer->numbers[layer].filler_sequence++;
  sent.ssrc = session->ssrc_base + LMCC_SSRC_FILLER + layer;
  sent.payload_size = payload_size;

  return build_other (packetizer, layer, LMCC_PACKET_FILLER, osn, &sent, NULL,
      now);
}

/*
 * lmcc_packetizer_repair:
 * @packetizer: a packetizer
 * @layer: the layer that sends the packet
 * @osn: the layer's low-water mark
 * @payload: a payload from lmcc_repair_encoder_make()
 * @now: the time
 *
 * Returns: (transfer full): a packet with this payload
 */
LmccPacket *
lmcc_packetizer_repair (LmccPacketizer *packetizer, guint layer, guint16 osn,
    const LmccPacket *payload, LmccTime now)
{
  const LmccSession *session = packetizer->session;
  LmccRtp sent = { 0 };

  sent.payload_type = session->repair_payload_type;
  sent.sequence = packetizer->numbers[layer].repair_sequence++;
  sent.ssrc = lmcc_session_repair_ssrc (session, layer);
  sent.payload_size = payload->size;

  return build_other (packetizer, layer, LMCC_PACKET_REPAIR, osn, &sent,
      payload->data, now);
}
