/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fuzzes the repair of a running receiver. The input becomes media packets,
 * losses, and repair packets that are right, changed or made up. Whatever
 * arrives, time must go on, and no packet may be output twice.
 */
#include "fuzz.h"

#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/repair/encoder.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>
#include <string.h>

#define SSRC 0x12345000u
#define N_LAYERS 2
#define MAX_BLOCK 32

typedef struct
{
  LmccReceiver *receiver;
  LmccSession session;
  LmccAddress source;
  LmccTime now;
  guint16 osn;
  guint16 lsn[N_LAYERS];
  guint16 sequence[N_LAYERS];
  guint16 repair_sequence;
  LmccPacket *block[N_LAYERS][MAX_BLOCK];
  guint n_block[N_LAYERS];
  guint8 given_out[65536]; /* media packets, by order number */
  gboolean changed;        /* some repair packets differ from those sent */
} Fuzz;

static void
make_session (Fuzz *fuzz)
{
  LmccSession *session = &fuzz->session;
  guint i;

  lmcc_session_init (session);
  lmcc_address_parse ("239.255.42.1", &session->address);
  lmcc_address_parse ("10.0.0.1", &fuzz->source);
  session->source = fuzz->source;
  session->port = 5004;
  session->ssrc_base = SSRC;
  session->n_layers = session->n_groups = N_LAYERS;
  session->video.clock_rate = 90000;
  g_strlcpy (session->video.encoding_name, "H264", LMCC_ENCODING_NAME_SIZE);
  for (i = 0; i < N_LAYERS; i++)
    session->layers[i] = (LmccLayer){ 100000, 0, (guint8) i };
  session->repair = 200;
  session->repair_delay = 200 * LMCC_MSECOND;
}

static void
drain (Fuzz *fuzz)
{
  LmccReceiverAction action;

  while (lmcc_receiver_poll_action (fuzz->receiver, &action)) {
    if (action.type == LMCC_RECEIVER_ACTION_DELIVER && !fuzz->changed) {
      guint16 osn;

      g_assert (action.packet->size >= LMCC_RTP_HEADER_SIZE + sizeof (osn));
      memcpy (&osn, action.packet->data + LMCC_RTP_HEADER_SIZE, sizeof (osn));
      g_assert (!fuzz->given_out[osn]);
      fuzz->given_out[osn] = TRUE;
    }
    g_clear_pointer (&action.packet, lmcc_packet_unref);
  }
}

static void
arrive (Fuzz *fuzz, guint group, LmccPacket *packet)
{
  lmcc_receiver_handle_packet (fuzz->receiver, fuzz->now, fuzz->now, group,
      &fuzz->source, 1, lmcc_packet_ref (packet));
  drain (fuzz);
}

static LmccPacket *
build (Fuzz *fuzz, LmccRtp *rtp, LmccHeader *header, const guint8 *payload)
{
  header->top_layer = N_LAYERS - 1;
  header->signal = LMCC_SIGNAL_NOBODY;
  header->lsn = fuzz->lsn[header->layer]++;
  header->send_time = lmcc_time_to_ntp_short (fuzz->now);

  return lmcc_rtp_build (rtp, header, LMCC_HEADER_DEFAULT_ID, payload);
}

/* Flags: 1 layer, 2 lost, 4 key frame, 8 longer, 16 not of its block. */
static void
send_media (Fuzz *fuzz, guint8 flags)
{
  guint layer = flags & 1;
  guint8 payload[64] = { 0 };
  LmccHeader header = {
    .type = LMCC_PACKET_MEDIA,
    .layer = layer,
    .first = TRUE,
    .last = TRUE,
    .klass = layer,
    .anchor = 1,
    .osn = fuzz->osn,
    .switch_point = layer > 0 || (flags & 4),
  };
  LmccRtp rtp = {
    .payload_type = fuzz->session.payload_type,
    .sequence = fuzz->sequence[layer]++,
    .ssrc = SSRC + layer,
    .timestamp = 450u * fuzz->osn,
    .payload_size = (flags & 8) ? 64 : 4,
  };
  LmccPacket *packet;

  memcpy (payload, &fuzz->osn, sizeof (fuzz->osn));
  fuzz->osn++;
  packet = build (fuzz, &rtp, &header, payload);
  if (!(flags & 2))
    arrive (fuzz, layer, packet);
  if (!(flags & 16) && fuzz->n_block[layer] < MAX_BLOCK)
    fuzz->block[layer][fuzz->n_block[layer]++] = packet;
  else
    lmcc_packet_unref (packet);
}

static void
send_repair (Fuzz *fuzz, guint layer, const guint8 *data, gsize size)
{
  LmccHeader header = {
    .type = LMCC_PACKET_REPAIR,
    .layer = layer,
    .stream = LMCC_STREAM_NONE,
    .osn = fuzz->osn,
  };
  LmccRtp rtp = {
    .payload_type = fuzz->session.repair_payload_type,
    .sequence = fuzz->repair_sequence++,
    .payload_size = size,
    .ssrc = lmcc_session_repair_ssrc (&fuzz->session, layer),
  };
  LmccPacket *packet = build (fuzz, &rtp, &header, data);

  arrive (fuzz, layer, packet);
  lmcc_packet_unref (packet);
}

/* Number of the first repair packets in the block's own layer: with flag 64,
 * half of those of the base layer's block, the others being in the layer
 * above. */
static guint
divide (LmccRepairEncoder *encoder, guint8 flags, guint n_repair)
{
  guint8 parts[LMCC_REPAIR_MAX_CARRIERS] = { 0 };

  if (!(flags & 64) || (flags & 1))
    return n_repair;
  parts[0] = (guint8) (n_repair / 2);
  parts[1] = (guint8) (n_repair - parts[0]);
  lmcc_repair_encoder_set_parts (encoder, parts);

  return parts[0];
}

/* Flags: 1 layer, 2 some are lost, 4 some are changed, then r, 64 in both
 * layers, 128 in the wrong one. */
static void
end_block (Fuzz *fuzz, guint8 flags, Bytes *bytes)
{
  guint layer = flags & 1, n_own = 0, i;
  guint n_repair = 1 + (flags >> 3) % 8;
  g_autoptr (LmccRepairEncoder) encoder = NULL;

  if (fuzz->n_block[layer] > 0)
    encoder = lmcc_repair_encoder_new (fuzz->block[layer], fuzz->n_block[layer],
        1, n_repair);
  if (encoder != NULL)
    n_own = divide (encoder, flags, n_repair);
  for (i = 0; encoder != NULL && i < n_repair; i++) {
    g_autoptr (LmccPacket) payload = lmcc_repair_encoder_make (encoder, i);

    if ((flags & 2) && (take_byte (bytes) & 1))
      continue;
    if (flags & 4) {
      fuzz->changed = TRUE;
      payload->data[take_byte (bytes) % payload->size] = take_byte (bytes);
    }
    send_repair (fuzz, (i < n_own ? layer : 1) ^ flags >> 7, payload->data,
        payload->size);
  }
  while (fuzz->n_block[layer] > 0)
    lmcc_packet_unref (fuzz->block[layer][--fuzz->n_block[layer]]);
}

static void
send_bytes (Fuzz *fuzz, guint8 flags, Bytes *bytes)
{
  gsize size = take_byte (bytes);

  size = MIN (size, bytes->size);
  fuzz->changed = TRUE;
  send_repair (fuzz, flags & 1, bytes->data, size);
  bytes->data += size;
  bytes->size -= size;
}

static void
go_on (Fuzz *fuzz, guint8 step)
{
  guint n;

  fuzz->now += step * LMCC_MSECOND;
  for (n = 0; lmcc_receiver_next_timeout (fuzz->receiver) <= fuzz->now; n++) {
    g_assert (n < FUZZ_MOST_CALLS);
    lmcc_receiver_handle_timeout (fuzz->receiver, fuzz->now);
    drain (fuzz);
  }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  Bytes bytes = { data, size };
  Fuzz *fuzz = g_new0 (Fuzz, 1);
  LmccReceiverConfig config = { 0 };
  guint layer;

  make_session (fuzz);
  fuzz->now = 10 * LMCC_SECOND;
  config.address = fuzz->session.address;
  config.session = &fuzz->session;
  config.algorithm = "none";
  config.latency = LMCC_DEFAULT_LATENCY;
  config.max_level = N_LAYERS - 1;
  config.on_loss = LMCC_ON_LOSS_CONCEAL;
  fuzz->receiver = lmcc_receiver_new (&config);
  lmcc_receiver_start (fuzz->receiver, fuzz->now);
  drain (fuzz);

  while (bytes.size > 0 && fuzz->osn < G_MAXINT16) {
    guint8 what = take_byte (&bytes);
    guint8 flags = take_byte (&bytes);

    go_on (fuzz, what >> 3);
    switch (what & 7) {
      case 0:
        end_block (fuzz, flags, &bytes);
        break;
      case 1:
        send_bytes (fuzz, flags, &bytes);
        break;
      case 2:
        lmcc_receiver_set_max_level (fuzz->receiver, flags & 1, fuzz->now);
        drain (fuzz);
        break;
      default:
        send_media (fuzz, flags);
        break;
    }
  }
  lmcc_receiver_stop (fuzz->receiver, fuzz->now);
  drain (fuzz);
  lmcc_receiver_free (fuzz->receiver);
  for (layer = 0; layer < N_LAYERS; layer++) {
    while (fuzz->n_block[layer] > 0)
      lmcc_packet_unref (fuzz->block[layer][--fuzz->n_block[layer]]);
  }
  g_free (fuzz);

  return 0;
}
