/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fuzzes a running receiver. The input becomes packets, control packets and
 * time steps. Whatever arrives, the receiver must keep within its limits,
 * and time must go on.
 */
#include "fuzz.h"

#include <gst/lmcc/control/single-rate/pgmcc-wire.h>
#include <gst/lmcc/control/single-rate/tfmcc-wire.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/wire/algorithm-element.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>
#include <string.h>

#define MAX_LEVEL 3
#define SSRC 0x12345000u
#define N_LAYERS 6
#define SLOT (100 * LMCC_MSECOND)
#define MODULUS 60

/* Without marks, and with each kind of second element. */
static const gchar *const algorithms[] = { "none", "pgmcc", "tfmcc",
  "flid-sl" };

static gboolean
has_slots (const LmccSession *session)
{
  return session->slot > 0;
}

static void
make_session (LmccSession *session, const LmccAddress *source,
    const gchar *algorithm)
{
  guint i;

  lmcc_session_init (session);
  lmcc_address_parse ("239.255.42.1", &session->address);
  session->source = *source;
  session->port = 5004;
  session->ssrc_base = SSRC;
  session->n_rungs = 2;
  session->n_layers = session->n_groups = N_LAYERS;
  session->feedback_interval = LMCC_DEFAULT_FEEDBACK_INTERVAL;
  session->feedback_port = 5005;
  session->video.clock_rate = 90000;
  g_strlcpy (session->algorithm, algorithm, sizeof (session->algorithm));
  if (g_str_equal (algorithm, "flid-sl")) {
    session->slot = SLOT;
    session->slot_modulus = MODULUS;
  }
  g_strlcpy (session->video.encoding_name, "H264", LMCC_ENCODING_NAME_SIZE);
  for (i = 0; i < N_LAYERS; i++)
    session->layers[i] =
        (LmccLayer){ 100000, (guint8) (i / 3), (guint8) (i % 3) };
}

/* The second element of a packet, chosen by @which. It names this receiver
 * or another one. */
static gsize
make_second (const LmccSession *session, guint8 which, guint16 lsn,
    LmccTime now, guint8 data[LMCC_SECOND_ELEMENT_MAX_SIZE])
{
  guint32 ssrc = lmcc_session_make_receiver_ssrc (session, 0) + (which & 1);

  if (has_slots (session)) {
    lmcc_place_write ((gint8) which, data);
    return LMCC_PLACE_SIZE;
  }
  if (g_str_equal (session->algorithm, "pgmcc")) {
    LmccPgmccElement pgmcc = { .acker = ssrc,
      .has_acker = which >> 1 & 1,
      .elicit = which >> 2 & 1,
      .confirms = which >> 3 & 1,
      .confirmed_loss = which << 8,
      .nak_wait = which * LMCC_MSECOND,
      .has_rtt = which >> 4 & 1,
      .rtt = which * LMCC_MSECOND };

    lmcc_pgmcc_element_write (&pgmcc, data);
    return LMCC_PGMCC_ELEMENT_SIZE;
  }
  if (g_str_equal (session->algorithm, "tfmcc")) {
    LmccTfmccElement tfmcc = { .round = (guint8) (lsn / 16),
      .receiver = ssrc,
      .has_receiver = which >> 1 & 1,
      .is_limiting = which >> 2 & 1,
      .suppression_rate = which * 10000.0,
      .rtt_max = which * 4 * LMCC_MSECOND,
      .echoed_time = lmcc_time_to_ntp_short (now - which * LMCC_MSECOND) };

    lmcc_tfmcc_element_write (&tfmcc, data);
    return LMCC_TFMCC_ELEMENT_SIZE;
  }

  return 0;
}

/* A packet with header fields from the input, mostly close to the expected
 * values, so that they pass the first checks. */
static LmccPacket *
make_packet (Bytes *bytes, const LmccSession *session, guint16 *lsns,
    guint16 *osn, LmccTime now, guint *group)
{
  guint8 second[LMCC_SECOND_ELEMENT_MAX_SIZE];
  LmccHeader header = { 0 };
  LmccRtp rtp = { 0 };
  guint8 flags = take_byte (bytes);
  guint8 what = take_byte (bytes);
  LmccPacket *packet;

  *group = what % N_LAYERS;
  header.layer = (guint8) *group;
  header.top_layer = N_LAYERS - 1;
  header.stream = header.layer / 3;
  header.klass = header.layer % 3;
  header.type = (flags & 0x40) ? LMCC_PACKET_FILLER : LMCC_PACKET_MEDIA;
  header.first = flags & 1;
  header.last = (flags >> 1) & 1;
  header.switch_point = (flags >> 2) & 1;
  header.signal = LMCC_SIGNAL_NOBODY;
  header.table = (flags & 0x80) ? take_byte (bytes) & 3 : 0;
  header.anchor = (flags & 0x08) ? take_byte (bytes) : 1;
  header.lsn = lsns[*group] += 1 + ((flags & 0x10) ? take_byte (bytes) : 0);
  header.osn = *osn += 1 + ((flags & 0x20) ? take_byte (bytes) : 0);
  header.send_time = lmcc_time_to_ntp_short (now);
  rtp.timestamp = (guint32) what * 3750;
  rtp.payload_size = 20;
  rtp.ssrc = SSRC + 64u * header.stream + header.layer;
  rtp.payload_type = 96 + header.stream;
  if (header.type == LMCC_PACKET_FILLER) {
    rtp.ssrc = SSRC + 0x800u + header.layer;
    rtp.payload_type = 112;
  }
  if (has_slots (session)) {
    header.slot = (guint16) (now / SLOT % MODULUS);
    header.signal = MAX_LEVEL;
  }
  if (!g_str_equal (session->algorithm, "none")) {
    guint8 which = take_byte (bytes);

    rtp.second_size = make_second (session, which, header.lsn, now, second);
    rtp.second = which > 0 ? second : NULL;
  }
  packet = lmcc_rtp_build (&rtp, &header, LMCC_HEADER_DEFAULT_ID, NULL);
  if (what > 240 && bytes->size > 0)
    packet->data[take_byte (bytes) % packet->size] = take_byte (bytes);

  return packet;
}

static void
drain (LmccReceiver *receiver, const LmccAddress *source, gboolean *joined)
{
  LmccReceiverAction action;

  while (lmcc_receiver_poll_action (receiver, &action)) {
    switch (action.type) {
      case LMCC_RECEIVER_ACTION_JOIN:
        g_assert (action.group <= MAX_LEVEL && !joined[action.group]);
        joined[action.group] = TRUE;
        break;
      case LMCC_RECEIVER_ACTION_LEAVE:
        g_assert (joined[action.group]);
        joined[action.group] = FALSE;
        break;
      case LMCC_RECEIVER_ACTION_LEVEL:
        g_assert (action.to >= -1 && action.to <= MAX_LEVEL);
        break;
      case LMCC_RECEIVER_ACTION_REPORT:
        g_assert (lmcc_address_equal (&action.destination, source));
        break;
      default:
        break;
    }
    g_clear_pointer (&action.packet, lmcc_packet_unref);
  }
}

static void
push_control (LmccReceiver *receiver, Bytes *bytes, LmccTime now,
    const LmccAddress *source)
{
  gsize size = take_byte (bytes) * 4u;

  size = MIN (size, bytes->size);
  lmcc_receiver_handle_control (receiver, now, source, 1, bytes->data, size);
  bytes->data += size;
  bytes->size -= size;
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  Bytes bytes = { data, size };
  g_autoptr (LmccReceiver) receiver = NULL;
  LmccReceiverConfig config = { 0 };
  gboolean joined[LMCC_MAX_GROUPS] = { FALSE };
  guint16 lsns[N_LAYERS] = { 0 }, osn = 65000;
  LmccAddress source;
  LmccSession session;
  LmccTime now = 10 * LMCC_SECOND;
  guint8 setup = take_byte (&bytes);

  lmcc_address_parse ("10.0.0.1", &source);
  make_session (&session, &source, algorithms[setup >> 1 & 3]);
  config.address = session.address;
  config.session = &session;
  config.algorithm = session.algorithm;
  config.latency = LMCC_DEFAULT_LATENCY;
  config.max_level = MAX_LEVEL;
  config.on_loss = setup & 1;
  receiver = lmcc_receiver_new (&config);
  lmcc_receiver_start (receiver, now);
  drain (receiver, &source, joined);

  while (bytes.size > 0) {
    guint8 step = take_byte (&bytes);
    guint group, n;

    now += (step >> 2) * LMCC_MSECOND;
    for (n = 0; lmcc_receiver_next_timeout (receiver) <= now; n++) {
      g_assert (n < FUZZ_MOST_CALLS);
      lmcc_receiver_handle_timeout (receiver, now);
      drain (receiver, &source, joined);
    }
    if ((step & 3) == 3) {
      push_control (receiver, &bytes, now, &source);
    } else if ((step & 3) == 2 && bytes.size > 0) {
      lmcc_receiver_set_max_level (receiver,
          take_byte (&bytes) % (MAX_LEVEL + 1), now);
    } else {
      LmccPacket *packet =
          make_packet (&bytes, &session, lsns, &osn, now, &group);

      if (joined[group])
        lmcc_receiver_handle_packet (receiver, now, now, group, &source, 1,
            packet);
      else
        lmcc_packet_unref (packet);
    }
    drain (receiver, &source, joined);
  }
  lmcc_receiver_stop (receiver, now);
  drain (receiver, &source, joined);
  for (guint i = 0; i < LMCC_MAX_GROUPS; i++)
    g_assert (!joined[i]);

  return 0;
}
