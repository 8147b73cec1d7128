/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "lmcc-packetize.h"

/* SSRCs of filler packets: S0 + this + layer (docs/wire-format.md). */
#define FILLER_SSRC_OFFSET 0x800
#define FILLER_PAYLOAD_SIZE 4

/* Any starting points will do, but for a restarted sender's to be others: the
 * finalizer of splitmix, which spreads neighbouring seeds. */
static guint16
first_number (guint32 seed, guint32 which)
{
  guint64 x = ((guint64) which << 32 | seed) + G_GUINT64_CONSTANT
      (0x9e3779b97f4a7c15);

  x = (x ^ x >> 30) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * G_GUINT64_CONSTANT (0x94d049bb133111eb);

  return (guint16) (x >> 31);
}

/*
 * lmcc_packetizer_init:
 * @packetizer: (out): the packetizer
 * @session: the sender's; kept
 * @announcer: the sender's; kept
 * @seed: where the numbers begin follows from it
 */
void
lmcc_packetizer_init (LmccPacketizer * packetizer, const LmccSession * session,
    const LmccAnnouncer * announcer, guint32 seed)
{
  guint32 which = 1;
  guint layer, stream;

  packetizer->session = session;
  packetizer->announcer = announcer;
  for (layer = 0; layer < LMCC_MAX_LAYERS; layer++) {
    LmccLayerNumbers *numbers = &packetizer->numbers[layer];

    numbers->lsn = first_number (seed, which++);
    numbers->filler_sequence = first_number (seed, which++);
    for (stream = 0; stream < LMCC_N_STREAMS; stream++)
      numbers->sequence[stream] = first_number (seed, which++);
  }
}

static LmccPacket *
build_packet (LmccPacketizer * packetizer, guint layer, const LmccRtp * rtp,
    LmccHeader * header, const guint8 * payload, LmccTime now)
{
  const LmccSession *session = packetizer->session;

  header->layer = (guint8) layer;
  header->top_layer = (guint8) (session->n_layers - 1);
  header->table = session->version & 3;
  header->signal = LMCC_SIGNAL_NOBODY;
  header->lsn = packetizer->numbers[layer].lsn++;
  header->send_time =
      lmcc_time_to_ntp_short (packetizer->announcer->ntp_offset + now);

  return lmcc_rtp_build (rtp, header, session->header_id, payload);
}

/*
 * lmcc_packetizer_media:
 * @packetizer: a packetizer
 * @layer: where the packet is sent
 * @allotment: a packet and what its unit is
 * @rtp: what the header of that packet says
 * @now: the time
 *
 * Returns: (transfer full): its payload with the header of the wire
 */
LmccPacket *
lmcc_packetizer_media (LmccPacketizer * packetizer, guint layer,
    const LmccAllotment * allotment, const LmccRtp * rtp, LmccTime now)
{
  const LmccSession *session = packetizer->session;
  LmccHeader header = { 0 };
  LmccRtp sent = { 0 };

  header.type = LMCC_PACKET_MEDIA;
  header.first = allotment->first;
  header.last = allotment->last;
  header.switch_point = allotment->switch_point;
  header.stream = allotment->stream;
  header.klass = allotment->klass;
  header.anchor = allotment->anchor;
  header.osn = allotment->osn;

  sent.marker = allotment->last;
  sent.payload_type = session->payload_type + allotment->stream;
  sent.sequence = packetizer->numbers[layer].sequence[allotment->stream]++;
  sent.timestamp = lmcc_announcer_get_rtp_time (packetizer->announcer, session,
      allotment->stream, allotment->presentation_time);
  sent.ssrc = lmcc_session_ssrc (session, allotment->stream, layer);
  sent.payload_size = rtp->payload_size;

  return build_packet (packetizer, layer, &sent, &header,
      allotment->packet->data + rtp->header_size, now);
}

/*
 * lmcc_packetizer_filler:
 * @packetizer: a packetizer
 * @layer: where the packet is sent
 * @osn: the layer's low-water mark
 * @now: the time
 *
 * Returns: (transfer full): a packet that keeps a silent layer going
 */
LmccPacket *
lmcc_packetizer_filler (LmccPacketizer * packetizer, guint layer, guint16 osn,
    LmccTime now)
{
  const LmccSession *session = packetizer->session;
  LmccHeader header = { 0 };
  LmccRtp sent = { 0 };

  header.type = LMCC_PACKET_FILLER;
  header.stream = LMCC_STREAM_NONE;
  header.osn = osn;

  sent.payload_type = session->filler_payload_type;
  sent.sequence = packetizer->numbers[layer].filler_sequence++;
  sent.timestamp = lmcc_announcer_get_rtp_time (packetizer->announcer, session,
      0, now);
  sent.ssrc = session->ssrc_base + FILLER_SSRC_OFFSET + layer;
  sent.payload_size = FILLER_PAYLOAD_SIZE;

  return build_packet (packetizer, layer, &sent, &header, NULL, now);
}
