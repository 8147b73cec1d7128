/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fuzzes the control packets of a running sender. The first byte chooses the
 * algorithm. The others become time steps and packets that arrive at its
 * feedback port and in its groups. Whatever arrives, answers must stay
 * within their share of the base rate, key frames are requested at most once
 * in two seconds, and time must go on.
 */
#include "fuzz.h"

#include <string.h>

#include <gst/lmcc/control/single-rate/pgmcc-sender.h>
#include <gst/lmcc/control/single-rate/pgmcc-wire.h>
#include <gst/lmcc/control/single-rate/tfmcc-wire.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/wire/key-request.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtcp.h>
#include <gst/lmcc/wire/rtp.h>

#define SSRC 0x12345000u
#define BASE_RATE 64000
#define UNIT_TIME (160 * LMCC_MSECOND)
#define UNIT_SIZE (BASE_RATE / 8 * 4 / 25 - 28 - 12 - LMCC_RTP_OVERHEAD)
#define WINDOW (10 * LMCC_SECOND)
#define IP_OVERHEAD 28

/* Three windows of the answers, and longer than the interval needs at this
 * rate to halve after a flood. The time of a run grows with the simulated
 * time, so longer runs would only be fewer. */
#define MAX_TIME (30 * LMCC_SECOND)

/* Limits of a step (3 to 384 ms) and of a crowd (up to 15 reports); several
 * steps add up. */
#define STEP_TIME(step) (((LmccTime) 3 * LMCC_MSECOND) << ((step) >> 2 & 7))
#define CROWD_SIZE(step) ((guint) (step) >> 4)

typedef struct
{
  LmccTime time;
  gsize bytes;
} Sent;

typedef struct
{
  LmccSender *sender;
  LmccTime now;
  LmccTime next_unit;
  guint n_units;
  GQueue answers; /* Sent, within the window */
  gsize answered; /* their bytes */
  guint crowd;    /* number of receivers that have reported */
  gboolean is_answer;
  gboolean single; /* reports set the rate */
  LmccTime key_requested;
} State;

static guint32
take_word (Bytes *bytes)
{
  guint32 word = 0;
  guint i;

  for (i = 0; i < 4; i++)
    word = word << 8 | take_byte (bytes);

  return word;
}

static void
note_answer (gpointer user_data, guint32 sender_ssrc, const LmccDlrr *answer)
{
  State *state = user_data;

  g_assert (sender_ssrc == SSRC);
  g_assert ((answer->ssrc & 0xfffff000u) != SSRC);
  g_assert (answer->delay <= 3 * 65536);
  state->is_answer = TRUE;
}

/* 1/20 of the base rate, in the last ten seconds. */
static void
check_answers (State *state, gsize size)
{
  Sent *sent = g_new (Sent, 1);
  Sent *first;

  sent->time = state->now;
  sent->bytes = size + IP_OVERHEAD;
  g_queue_push_tail (&state->answers, sent);
  state->answered += sent->bytes;
  while ((first = g_queue_peek_head (&state->answers)) != NULL
      && first->time + WINDOW <= state->now) {
    state->answered -= first->bytes;
    g_free (g_queue_pop_head (&state->answers));
  }
  g_assert (state->answered * 8 * 20 <= (gsize) BASE_RATE * 12 / 10 * 10);
}

static void
check_control (State *state, const LmccPacket *packet)
{
  static const LmccRtcpHandler handler = { .dlrr = note_answer };
  guint32 ssrc;

  state->is_answer = FALSE;
  if (lmcc_key_notice_parse (packet->data, packet->size, &ssrc)) {
    g_assert (ssrc == SSRC);
    state->is_answer = TRUE;
  } else {
    g_assert (lmcc_rtcp_parse (packet->data, packet->size, &handler, state));
  }
  if (state->is_answer)
    check_answers (state, packet->size);
}

/* Requests at the port must not exceed those that receivers may make. */
static void
note_key_request (State *state)
{
  if (state->single)
    return;
  g_assert (state->key_requested == 0
      || state->now >= state->key_requested + LMCC_KEY_REQUEST_DISTANCE);
  state->key_requested = state->now;
}

static void
drain (State *state)
{
  LmccSenderAction action;

  while (lmcc_sender_poll_action (state->sender, &action)) {
    if (action.type == LMCC_SENDER_ACTION_SEND_CONTROL)
      check_control (state, action.packet);
    if (action.type == LMCC_SENDER_ACTION_REQUEST_KEY_UNIT)
      note_key_request (state);
    g_clear_pointer (&action.packet, lmcc_packet_unref);
  }
}

static LmccUnit *
make_unit (LmccTime now, gboolean key)
{
  LmccUnit *unit = lmcc_unit_new ();
  LmccPacket *packet = lmcc_packet_new (LMCC_RTP_HEADER_SIZE + UNIT_SIZE);

  packet->size = LMCC_RTP_HEADER_SIZE + UNIT_SIZE;
  memset (packet->data, 0, packet->size);
  packet->data[0] = 0x80;
  packet->data[1] = 96;
  unit->switch_point = key;
  unit->decoding_time = unit->presentation_time = now;
  g_ptr_array_add (unit->packets, packet);

  return unit;
}

static void
run_until (State *state, LmccTime until)
{
  LmccTime called = LMCC_TIME_NONE;
  guint n_calls = 0;

  while (state->now < until) {
    LmccTime next = lmcc_sender_next_timeout (state->sender);

    next = MIN (MIN (next, state->next_unit), until);
    state->now = MAX (state->now, next);
    if (state->now >= state->next_unit) {
      lmcc_sender_push_unit (state->sender,
          make_unit (state->now, state->n_units++ == 0), state->now);
      state->next_unit += UNIT_TIME;
      drain (state);
    }
    lmcc_sender_handle_timeout (state->sender, state->now);
    drain (state);
    n_calls = state->now == called ? n_calls + 1 : 0;
    called = state->now;
    g_assert (n_calls < FUZZ_MOST_CALLS);
  }
}

static void
handle (State *state, const guint8 *data, gsize size)
{
  LmccAddress source;

  lmcc_address_parse ("192.0.2.9", &source);
  lmcc_sender_handle_control (state->sender, state->now, &source, 40000, data,
      size);
  drain (state);
  /* As if the packet had arrived in a group. */
  lmcc_sender_take_group_control (state->sender, state->now, &source, data,
      size);
  lmcc_sender_take_group_media (state->sender, state->now, &source, data, size);
}

static void
push_report (State *state, guint32 ssrc, guint64 ntp_time)
{
  LmccReferenceTime report = { ssrc, ntp_time };
  LmccLossReport losses = { (gdouble) (ntp_time & 0xffff) / 0xffff,
    (gdouble) (ntp_time >> 16 & 0xff) };
  g_autoptr (LmccPacket) packet =
      lmcc_rtcp_build_reference_time (&report, ssrc & 1 ? &losses : NULL);

  handle (state, packet->data, packet->size);
}

static void
push_bytes (State *state, Bytes *bytes)
{
  gsize size = take_byte (bytes);

  size = MIN (size, bytes->size);
  handle (state, bytes->data, size);
  bytes->data += size;
  bytes->size -= size;
}

/* Reports of receivers of single-rate algorithms, in any receiver's name. */
static void
push_pgmcc_report (State *state, Bytes *bytes)
{
  guint32 word = take_word (bytes);
  LmccPgmccReport report = {
    .ssrc = word & 3,
    .ssrc_base = SSRC,
    .is_ack = (word & 4) != 0,
    .loss = (guint16) (word >> 16),
    .lead = take_byte (bytes),
    .echoed_time = lmcc_time_to_ntp_short (state->now) - (word >> 12),
    .bitmap = take_word (bytes),
  };
  g_autoptr (LmccPacket) packet = lmcc_pgmcc_report_build (&report);

  handle (state, packet->data, packet->size);
}

static void
push_tfmcc_report (State *state, Bytes *bytes)
{
  guint32 word = take_word (bytes);
  LmccTfmccReport report = {
    .ssrc = word & 3,
    .ssrc_base = SSRC,
    .has_rtt = (word & 4) != 0,
    .has_loss = (word & 8) != 0,
    .leaves = (word & 0x10) != 0,
    .round = (word >> 5) & 7,
    .rate = lmcc_tfmcc_decode_rate (take_word (bytes) & 0xfff),
    .echoed_time = lmcc_time_to_ntp_short (state->now) - (word >> 12),
  };
  g_autoptr (LmccPacket) packet = lmcc_tfmcc_report_build (&report);

  handle (state, packet->data, packet->size);
}

static LmccSender *
new_sender (LmccTime now, const gchar *algorithm)
{
  LmccSenderConfig config = { 0 };

  lmcc_session_init (&config.session);
  lmcc_address_parse ("239.255.42.1", &config.session.address);
  lmcc_address_parse ("192.0.2.1", &config.session.source);
  config.session.port = 5004;
  config.session.ssrc_base = SSRC;
  config.session.video.clock_rate = 90000;
  g_strlcpy (config.session.video.encoding_name, "H264",
      LMCC_ENCODING_NAME_SIZE);
  config.session.feedback_interval = LMCC_DEFAULT_FEEDBACK_INTERVAL;
  g_strlcpy (config.session.algorithm, algorithm,
      sizeof (config.session.algorithm));
  if (g_str_equal (algorithm, "elm")) {
    config.session.repair = LMCC_REPAIR_AUTO_MOST;
    config.repair_auto = TRUE;
  }
  config.cname = "fuzz";
  config.mtu = 1400;

  return lmcc_sender_new (&config, now, NULL);
}

static void
push_crowd (State *state, guint n)
{
  guint i;

  for (i = 0; i < n; i++, state->crowd++)
    push_report (state, 0x80000000u + state->crowd,
        (guint64) state->crowd << 28);
}

static void
check_stats (LmccSender *sender)
{
  const LmccSenderStats *stats = lmcc_sender_get_stats (sender);

  g_assert (stats->answers + stats->answers_dropped <= stats->reports);
  g_assert (
      stats->single.rate >= 0 && stats->single.window <= LMCC_PGMCC_MAX_WINDOW);
  g_assert (stats->repair_loss >= 0 && stats->repair_loss <= 0.25);
  g_assert (stats->repair_burst >= 1 || stats->repair_loss == 0);
  g_assert (stats->repair_share <= LMCC_REPAIR_AUTO_MOST / 1000.0);
  g_assert (stats->repair_base_share
      <= LMCC_REPAIR_BASE_SHARE * LMCC_REPAIR_AUTO_MOST / 1000.0);
  g_assert (stats->receivers >= 0 && stats->receivers <= 100000);
  g_assert (lmcc_sender_get_session (sender)->feedback_interval
      >= LMCC_DEFAULT_FEEDBACK_INTERVAL);
}

/* Number of BYE packets; each is due at its own time. */
static void
send_copies (State *state)
{
  LmccTime next;

  while ((next = lmcc_sender_next_timeout (state->sender)) != LMCC_TIME_NONE) {
    g_assert (next > state->now);
    state->now = next;
    lmcc_sender_handle_timeout (state->sender, state->now);
    drain (state);
  }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static const gchar *const algorithms[] = { "elm", "pgmcc", "tfmcc" };
  Bytes bytes = { data, size };
  const gchar *algorithm =
      algorithms[take_byte (&bytes) % G_N_ELEMENTS (algorithms)];
  State state = { .now = 10 * LMCC_SECOND };
  LmccTime end = state.now + MAX_TIME;

  state.sender = new_sender (state.now, algorithm);
  state.single = !g_str_equal (algorithm, "elm");
  state.next_unit = state.now;
  g_queue_init (&state.answers);
  drain (&state);

  while (bytes.size > 0 && state.now < end) {
    guint8 step = take_byte (&bytes);

    switch (step & 3) {
      case 0:
        run_until (&state, state.now + STEP_TIME (step));
        break;
      case 1:
        push_bytes (&state, &bytes);
        break;
      case 2:
        push_report (&state, take_word (&bytes),
            (guint64) take_word (&bytes) << 24);
        break;
      default:
        if (g_str_equal (algorithm, "elm"))
          push_crowd (&state, CROWD_SIZE (step));
        else if (g_str_equal (algorithm, "pgmcc"))
          push_pgmcc_report (&state, &bytes);
        else
          push_tfmcc_report (&state, &bytes);
    }
    check_stats (state.sender);
  }
  lmcc_sender_stop (state.sender, state.now);
  drain (&state);
  push_report (&state, 1, 0);
  send_copies (&state);
  lmcc_sender_free (state.sender);
  g_queue_clear_full (&state.answers, g_free);

  return 0;
}
