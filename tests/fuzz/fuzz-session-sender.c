/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fuzzes a sender with its audience: honest reports, forged ones and whole
 * forged crowds, from one address or from many; encoders that pause, burst
 * and end. The first byte chooses the session.
 *
 * After each step: the session is valid; answers go to the hosts that asked;
 * no address keeps others from measuring; time goes on; and waiting packets
 * and the cost of a call have bounds.
 */
#include "fuzz-feed.h"
#include "fuzz-work.h"

#include <gst/lmcc/control/single-rate/pgmcc-sender.h>
#include <gst/lmcc/control/single-rate/pgmcc-wire.h>
#include <gst/lmcc/control/single-rate/tfmcc-wire.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtcp.h>
#include <gst/lmcc/wire/rtp.h>

#include <string.h>

#define S0 0x12345000u
#define MAX_TIME (20 * LMCC_SECOND)

/* 125 us to 1 s. */
#define STEP_TIME(what) ((LMCC_SECOND / 8192) << MIN (what >> 4, 13))

#define MAX_WORK 3000000
#define MAX_QUEUED 20000

/* However many reports one address sends, receivers measure at least this
 * often at this base rate. */
#define LEAST_BASE_RATE 64000
#define MAX_INTERVAL_OF_ONE (4 * LMCC_SECOND)

typedef struct
{
  Bytes bytes;
  LmccTime now;
  FuzzFeed feed;
  guint8 setup;
  GHashTable *asked; /* number of reporting SSRCs so far */
  guint32 crowd;     /* number that have reported in crowds */
  guint32 leader;    /* as named in the sender's own packets */
  guint32 sent_time; /* of the latest packet, in 1/65536 s */
  guint16 lsn;
  guint host;       /* address of reports; 0: none so far */
  gboolean crowded; /* more than one address has reported */
  guint64 work;
} World;

static void
check_answer (gpointer user_data, guint32 sender_ssrc, const LmccDlrr *answer)
{
  World *world = user_data;

  g_assert (sender_ssrc == world->feed.ssrc_base);
  g_assert (
      g_hash_table_contains (world->asked, GUINT_TO_POINTER (answer->ssrc)));
}

/* The measurement that receivers would get from it. */
static void
hear_packet (World *world, const LmccPacket *packet)
{
  LmccTfmccElement tfmcc;
  LmccPgmccElement pgmcc;
  LmccHeader header;
  LmccRtp rtp;

  g_assert (lmcc_rtp_parse (packet->data, packet->size, LMCC_HEADER_DEFAULT_ID,
      &rtp));
  g_assert (rtp.element != NULL
      && lmcc_header_parse (rtp.element, rtp.element_size, &header));
  world->sent_time = header.send_time;
  world->lsn = header.lsn;
  if (lmcc_pgmcc_element_parse (rtp.second, rtp.second_size, &pgmcc)
      && pgmcc.has_acker)
    world->leader = pgmcc.acker;
  if (lmcc_tfmcc_element_parse (rtp.second, rtp.second_size, &tfmcc)
      && tfmcc.has_receiver)
    world->leader = tfmcc.receiver;
}

static void
take_action (gpointer user_data, const LmccSenderAction *action)
{
  static const LmccRtcpHandler handler = { .dlrr = check_answer };

  if (action->type == LMCC_SENDER_ACTION_SEND)
    hear_packet (user_data, action->packet);
  if (action->type == LMCC_SENDER_ACTION_SEND_CONTROL)
    g_assert (lmcc_rtcp_parse (action->packet->data, action->packet->size,
        &handler, user_data));
}

static void
begin (World *world)
{
  world->work = fuzz_work ();
}

static void
finish (World *world)
{
  const LmccSenderStats *stats;
  const LmccSession *session;
  guint i, queued = 0;

  g_assert (fuzz_work () - world->work <= MAX_WORK);
  fuzz_feed_drain (&world->feed);
  stats = lmcc_sender_get_stats (world->feed.sender);
  session = lmcc_sender_get_session (world->feed.sender);
  g_assert (lmcc_session_validate (session, NULL));
  g_assert (session->feedback_interval == 0
      || session->feedback_interval >= LMCC_SECOND);
  g_assert (world->crowded || session->layers[0].rate < LEAST_BASE_RATE
      || session->feedback_interval <= MAX_INTERVAL_OF_ONE);
  g_assert (stats->answers + stats->answers_dropped <= stats->reports);
  g_assert (
      stats->single.rate >= 0 && stats->single.window <= LMCC_PGMCC_MAX_WINDOW);
  for (i = 0; i < LMCC_MAX_LAYERS; i++)
    queued += stats->layers[i].queued;
  g_assert (queued <= MAX_QUEUED);
}

static void
run_until (World *world, LmccTime until)
{
  while (world->now < until) {
    LmccTime next = fuzz_feed_next (&world->feed);

    world->now = MIN (MAX (next, world->now), until);
    begin (world);
    fuzz_feed_run (&world->feed, world->now);
    finish (world);
  }
}

/* @host: 0 to 65535 */
static void
push_data (World *world, guint host, const guint8 *data, gsize size)
{
  LmccAddress source;

  fuzz_host (host & 255, &source);
  source.bytes[2] = (guint8) (host >> 8);
  world->crowded = world->crowded || (world->host != 0 && world->host != host);
  world->host = host;
  begin (world);
  lmcc_sender_handle_control (world->feed.sender, world->now, &source,
      (guint16) (40000 + (host & 255)), data, size);
  finish (world);
}

/* Takes ownership of @packet, from receiver @ssrc. */
static void
push_report (World *world, guint host, guint32 ssrc, LmccPacket *packet)
{
  g_hash_table_add (world->asked, GUINT_TO_POINTER (ssrc));
  push_data (world, host, packet->data, packet->size);
  lmcc_packet_unref (packet);
}

static void
push_reference_time (World *world, guint host, guint32 ssrc, guint64 time)
{
  LmccReferenceTime report = { ssrc, time };

  push_report (world, host, ssrc,
      lmcc_rtcp_build_reference_time (&report, NULL));
}

/* The lowest bits: all from one address, or each from its own. */
static void
push_crowd (World *world, guint8 how)
{
  guint n = 1u << (how >> 5);

  while (n-- > 0) {
    world->crowd++;
    push_reference_time (world, how & 1 ? 2 : 2 + world->crowd % 60000,
        0x80000000u + world->crowd, (guint64) world->crowd << 28);
  }
}

static guint32
choose_ssrc (World *world)
{
  guint8 which = take_byte (&world->bytes);

  if (which & 1)
    return world->leader;

  return which >= 0xf0 ? fuzz_take_word (&world->bytes) : which >> 1;
}

/* The send time that a report echoes: usually just now, sometimes up to 10 s
 * ago, or never. */
static guint32
choose_echo (World *world)
{
  guint8 which = take_byte (&world->bytes);

  if (which >= 0xf0)
    return fuzz_take_word (&world->bytes);

  return world->sent_time - (which & 3 ? which * 64u : which * 4096u);
}

static void
push_pgmcc (World *world, guint host)
{
  Bytes *bytes = &world->bytes;
  guint8 how = take_byte (bytes);
  LmccPgmccReport report = { .ssrc = choose_ssrc (world),
    .ssrc_base = how & 0xc0 ? world->feed.ssrc_base : S0 + 0x5000,
    .is_ack = how & 1,
    .loss = how & 2 ? fuzz_take_short (bytes) : 0,
    .lead = world->lsn - (guint16) (how & 4 ? fuzz_take_leap (bytes) : 0),
    .echoed_time = choose_echo (world),
    .bitmap = how & 8 ? fuzz_take_word (bytes) : G_MAXUINT32 };

  push_report (world, host, report.ssrc, lmcc_pgmcc_report_build (&report));
}

static void
push_tfmcc (World *world, guint host)
{
  Bytes *bytes = &world->bytes;
  guint8 how = take_byte (bytes);
  LmccTfmccReport report = { .ssrc = choose_ssrc (world),
    .ssrc_base = how & 0xc0 ? world->feed.ssrc_base : S0 + 0x5000,
    .has_rtt = how & 1,
    .has_loss = how >> 1 & 1,
    .leaves = how >> 2 & 1,
    .round = take_byte (bytes) & 7,
    .rate = lmcc_tfmcc_decode_rate (fuzz_take_short (bytes) & 0xfff),
    .echoed_time = choose_echo (world) };

  push_report (world, host, report.ssrc, lmcc_tfmcc_report_build (&report));
}

static void
push_bytes (World *world, guint host)
{
  Bytes *bytes = &world->bytes;
  gsize size = take_byte (bytes);

  size = MIN (size, bytes->size);
  push_data (world, host, bytes->data, size);
  bytes->data += size;
  bytes->size -= size;
}

/* Units that no payloader would make: any stream, class, time and size. */
static void
push_odd_unit (World *world)
{
  Bytes *bytes = &world->bytes;
  LmccUnit *unit = lmcc_unit_new ();
  guint8 how = take_byte (bytes);
  guint n = how & 7;

  unit->stream = take_byte (bytes) & 15;
  unit->klass = take_byte (bytes) & 15;
  unit->switch_point = how >> 3 & 1;
  unit->decoding_time = how & 0x10
      ? LMCC_TIME_NONE
      : world->now + (how >> 5) * 100 * LMCC_MSECOND;
  unit->presentation_time = how & 0x20 ? LMCC_TIME_NONE : unit->decoding_time;
  while (n-- > 0) {
    LmccPacket *packet = lmcc_packet_new (1500);

    packet->size = fuzz_take_short (bytes) % 1501;
    memset (packet->data, 0, packet->size);
    if (packet->size > 1) {
      packet->data[0] = 0x80;
      packet->data[1] = 96 + unit->stream;
    }
    g_ptr_array_add (unit->packets, packet);
  }
  begin (world);
  lmcc_sender_push_unit (world->feed.sender, unit, world->now);
  finish (world);
}

static void
restart (World *world, guint8 how)
{
  fuzz_feed_end (&world->feed, how & 1);
  world->host = 0;
  world->crowded = FALSE;
  fuzz_feed_start (&world->feed, how & 2 ? how >> 4 : world->setup,
      how & 4 ? S0 + 0x1000 : S0, world->now);
}

static void
push_single_report (World *world, guint host)
{
  if (take_byte (&world->bytes) & 1)
    push_pgmcc (world, host);
  else
    push_tfmcc (world, host);
}

static void
step (World *world)
{
  guint8 what = take_byte (&world->bytes);
  guint host = 1 + (what >> 4);

  switch (what & 15) {
    case 0:
    case 1:
    case 2:
    case 3:
      run_until (world, world->now + STEP_TIME (what));
      break;
    case 4:
      push_reference_time (world, host, fuzz_take_word (&world->bytes),
          (guint64) fuzz_take_word (&world->bytes) << 24);
      break;
    case 5:
      push_crowd (world, take_byte (&world->bytes));
      break;
    case 6:
    case 7:
    case 8:
    case 9:
    case 10:
      push_single_report (world, host);
      break;
    case 11:
      push_bytes (world, host);
      break;
    case 12:
      push_odd_unit (world);
      break;
    case 13:
      /* The encoders pause or burst. */
      world->feed.next_unit = what & 0x10
          ? world->now
          : world->now + ((LMCC_SECOND / 8) << (what >> 5));
      break;
    case 14:
      begin (world);
      lmcc_sender_flush (world->feed.sender, world->now);
      finish (world);
      break;
    default:
      if (what & 0x10)
        restart (world, take_byte (&world->bytes));
      else
        world->now += LMCC_SECOND << (what >> 5);
  }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  World world = { .bytes = { data, size }, .now = 10 * LMCC_SECOND };
  LmccTime end = world.now + MAX_TIME;

  world.asked = g_hash_table_new (NULL, NULL);
  world.setup = take_byte (&world.bytes);
  world.feed.handle = take_action;
  world.feed.user_data = &world;
  fuzz_feed_start (&world.feed, world.setup, S0, world.now);
  while (world.bytes.size > 0 && world.now < end)
    step (&world);
  fuzz_feed_end (&world.feed, TRUE);
  g_hash_table_unref (world.asked);

  return 0;
}
