/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Bytes become what comes to the feedback port of a running sender, and time
 * steps. Whatever comes, answers stay within their share of the base rate, and
 * time goes on.
 */
#include "fuzz.h"

#include <gst/lmcc/lmcc.h>

#define SSRC 0x12345000u
#define BASE_RATE 64000
#define UNIT_TIME (100 * LMCC_MSECOND)
#define UNIT_SIZE (BASE_RATE / 8 / 10 - 28 - 12 - LMCC_RTP_OVERHEAD)
#define WINDOW (10 * LMCC_SECOND)
#define IP_OVERHEAD 28
#define MAX_TIME (3600 * LMCC_SECOND)

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
  GArray *answers;              /* of Sent */
  gboolean is_answer;
} State;

static guint32
take_word (Bytes * bytes)
{
  guint32 word = 0;
  guint i;

  for (i = 0; i < 4; i++)
    word = word << 8 | take_byte (bytes);

  return word;
}

static void
note_answer (gpointer user_data, guint32 sender_ssrc, const LmccDlrr * answer)
{
  State *state = user_data;

  g_assert (sender_ssrc == SSRC);
  g_assert ((answer->ssrc & 0xfffff000u) != SSRC);
  g_assert (answer->delay <= 3 * 65536);
  state->is_answer = TRUE;
}

/* 1/20 of the base rate, in the ten seconds that end now. */
static void
check_answers (State * state, gsize size)
{
  Sent sent = { state->now, size + IP_OVERHEAD };
  gsize sum = 0;
  guint i;

  g_array_append_val (state->answers, sent);
  for (i = 0; i < state->answers->len; i++) {
    const Sent *other = &g_array_index (state->answers, Sent, i);

    if (other->time + WINDOW > state->now)
      sum += other->bytes;
  }
  g_assert (sum * 8 * 20 <= (gsize) BASE_RATE * 12 / 10 * 10);
}

static void
drain (State * state)
{
  static const LmccRtcpHandler handler = {.dlrr = note_answer };
  LmccSenderAction action;

  while (lmcc_sender_poll_action (state->sender, &action)) {
    if (action.type == LMCC_SENDER_ACTION_SEND_CONTROL) {
      state->is_answer = FALSE;
      g_assert (lmcc_rtcp_parse (action.packet->data, action.packet->size,
              &handler, state));
      if (state->is_answer)
        check_answers (state, action.packet->size);
    }
    g_clear_pointer (&action.packet, lmcc_packet_unref);
  }
}

static LmccUnit *
make_unit (LmccTime now)
{
  LmccUnit *unit = lmcc_unit_new ();
  LmccPacket *packet = lmcc_packet_new (LMCC_RTP_HEADER_SIZE + UNIT_SIZE);
  guint i;

  packet->size = LMCC_RTP_HEADER_SIZE + UNIT_SIZE;
  for (i = 0; i < packet->size; i++)
    packet->data[i] = i == 0 ? 0x80 : i == 1 ? 96 : 0;
  unit->decoding_time = unit->presentation_time = now;
  g_ptr_array_add (unit->packets, packet);

  return unit;
}

static void
run_until (State * state, LmccTime until)
{
  while (state->now < until) {
    LmccTime next = lmcc_sender_next_timeout (state->sender);

    next = MIN (MIN (next, state->next_unit), until);
    state->now = MAX (state->now, next);
    if (state->now >= state->next_unit) {
      lmcc_sender_push_unit (state->sender, make_unit (state->now), state->now);
      state->next_unit += UNIT_TIME;
      drain (state);
    }
    lmcc_sender_handle_timeout (state->sender, state->now);
    drain (state);
    g_assert (lmcc_sender_next_timeout (state->sender) > state->now);
  }
}

static void
handle (State * state, const guint8 * data, gsize size)
{
  LmccAddress source;

  lmcc_address_parse ("192.0.2.9", &source);
  lmcc_sender_handle_control (state->sender, state->now, &source, 40000, data,
      size);
  drain (state);
}

static void
push_report (State * state, guint32 ssrc, guint64 ntp_time)
{
  LmccReferenceTime report = { ssrc, ntp_time };
  g_autoptr (LmccPacket) packet = lmcc_rtcp_build_reference_time (&report);

  handle (state, packet->data, packet->size);
}

static void
push_bytes (State * state, Bytes * bytes)
{
  gsize size = take_byte (bytes);

  size = MIN (size, bytes->size);
  handle (state, bytes->data, size);
  bytes->data += size;
  bytes->size -= size;
}

/* What receivers of one rate for all say, in whose name ever. */
static void
push_rate_report (State * state, Bytes * bytes, gboolean is_pgmcc)
{
  guint32 word = take_word (bytes);
  guint32 clock = lmcc_time_to_ntp_short (state->now);
  LmccPgmccReport pgmcc = {.ssrc = word & 3,.ssrc_base = SSRC,.is_ack =
        (word & 4) != 0,.loss = (guint16) (word >> 16),.lead =
        (guint16) (take_word (bytes) & 0xff),.echoed_time =
        clock - (word >> 12),.bitmap = take_word (bytes)
  };
  LmccTfmccReport tfmcc = {.ssrc = word & 3,.ssrc_base = SSRC,.has_rtt =
        (word & 4) != 0,.has_loss = (word & 8) != 0,.leaves =
        (word & 0x10) != 0,.round = (word >> 5) & 7,.rate =
        lmcc_tfmcc_decode_rate (take_word (bytes) & 0xfff),.echoed_time =
        clock - (word >> 12)
  };
  g_autoptr (LmccPacket) packet = is_pgmcc ? lmcc_pgmcc_report_build (&pgmcc)
      : lmcc_tfmcc_report_build (&tfmcc);

  handle (state, packet->data, packet->size);
}

static LmccSender *
new_sender (LmccTime now, const gchar * algorithm)
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
  config.cname = "fuzz";
  config.mtu = 1400;

  return lmcc_sender_new (&config, now);
}

static void
run (const guint8 * data, gsize size, const gchar * algorithm)
{
  Bytes bytes = { data, size };
  State state = {.now = 10 * LMCC_SECOND };
  const LmccSenderStats *stats;
  guint64 end = state.now + MAX_TIME;

  state.sender = new_sender (state.now, algorithm);
  state.next_unit = state.now;
  state.answers = g_array_new (FALSE, FALSE, sizeof (Sent));
  drain (&state);

  while (bytes.size > 0 && state.now < end) {
    guint8 step = take_byte (&bytes);
    guint i;

    switch (step & 3) {
      case 0:
        run_until (&state, state.now + (step >> 2) * 20 * LMCC_MSECOND);
        break;
      case 1:
        push_bytes (&state, &bytes);
        break;
      case 2:
        push_report (&state, take_word (&bytes),
            (guint64) take_word (&bytes) << 24);
        break;
      default:
        if (!g_str_equal (algorithm, "elm")) {
          push_rate_report (&state, &bytes, g_str_equal (algorithm, "pgmcc"));
          break;
        }
        /* A crowd of it. */
        for (i = 0; i < (guint) (step >> 2) * 8; i++)
          push_report (&state, 0x80000000u + i, (guint64) i << 28);
        break;
    }
    stats = lmcc_sender_get_stats (state.sender);
    g_assert (stats->answers + stats->answers_dropped <= stats->reports);
    g_assert (stats->single.rate >= 0 && stats->single.window <=
        LMCC_PGMCC_MAX_WINDOW);
    g_assert (stats->receivers >= 0 && stats->receivers <= 100000);
    g_assert (lmcc_sender_get_session (state.sender)->feedback_interval >=
        LMCC_DEFAULT_FEEDBACK_INTERVAL);
  }
  lmcc_sender_stop (state.sender, state.now);
  drain (&state);
  push_report (&state, 1, 0);
  g_assert (lmcc_sender_next_timeout (state.sender) == LMCC_TIME_NONE);
  lmcc_sender_free (state.sender);
  g_array_unref (state.answers);
}

int
LLVMFuzzerTestOneInput (const guint8 * data, gsize size)
{
  run (data, size, "elm");
  run (data, size, "pgmcc");
  run (data, size, "tfmcc");

  return 0;
}
