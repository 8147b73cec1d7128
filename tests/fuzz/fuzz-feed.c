/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fuzz-feed.h"

#include <gst/lmcc/wire/rtp.h>

#include <string.h>

#define N_RUNGS 2
#define N_FIXED_LAYERS 4
#define UNIT_TIME (80 * LMCC_MSECOND)
#define GROUP_OF_PICTURES 8
#define CLOCK_RATE 90000

/* Short, so that layers of fixed rates send within the time of an input. */
#define FIXED_WINDOW (600 * LMCC_MSECOND)

/* The lowest bits of @setup. */
const gchar *
fuzz_feed_algorithm (guint8 setup)
{
  static const gchar *const names[] = { "none", "elm", "plumb", "rlm", "pgmcc",
    "tfmcc", "flid-sl", "rlc" };

  return names[setup & 7];
}

static gboolean
has_fixed_rates (guint8 setup)
{
  return (setup & 7) >= 6 || (setup & 7) == 2;
}

/* Levels other than cumulative ones need repair that follows them. */
static LmccLevels
find_levels (guint8 setup)
{
  switch (setup & 15) {
    case 8:
      return LMCC_LEVELS_REPLICATED;
    case 9:
      return LMCC_LEVELS_FALLBACK;
    default:
      return LMCC_LEVELS_CUMULATIVE;
  }
}

static void
make_session (LmccSession *session, guint8 setup, guint32 ssrc_base)
{
  guint i;

  lmcc_session_init (session);
  lmcc_address_parse (FUZZ_GROUP, &session->address);
  fuzz_host (0, &session->source);
  session->port = FUZZ_PORT;
  session->ssrc_base = ssrc_base;
  session->n_rungs = N_RUNGS;
  session->video.clock_rate = CLOCK_RATE;
  session->feedback_port = FUZZ_PORT + 1;
  session->feedback_interval = LMCC_DEFAULT_FEEDBACK_INTERVAL;
  session->repair = setup & 8 ? 300 : 0;
  session->train_cycle = LMCC_TIME_NONE;
  g_strlcpy (session->video.encoding_name, "H264", LMCC_ENCODING_NAME_SIZE);
  g_strlcpy (session->algorithm, fuzz_feed_algorithm (setup),
      sizeof (session->algorithm));
  if (!has_fixed_rates (setup))
    return;
  session->native = FALSE;
  session->window = FIXED_WINDOW;
  session->n_layers = session->n_groups = N_FIXED_LAYERS;
  for (i = 0; i < N_FIXED_LAYERS; i++)
    session->layers[i].rate = 64000u << i;
  lmcc_session_fit_algorithm (session, 0, 0, NULL);
}

void
fuzz_feed_start (FuzzFeed *feed, guint8 setup, guint32 ssrc_base, LmccTime now)
{
  LmccSenderConfig config = { .cname = "fuzz",
    .mtu = 1400,
    .levels = find_levels (setup),
    .sequence_seed = 65000,
    .ntp_offset = 1000 * LMCC_SECOND };

  make_session (&config.session, setup, ssrc_base);
  feed->sender = lmcc_sender_new (&config, now, NULL);
  feed->ssrc_base = ssrc_base;
  feed->next_unit = feed->now = now;
  fuzz_feed_drain (feed);
}

/**
 * fuzz_feed_drain:
 * @feed: a feed
 *
 * Checks that every session announced by the sender is valid.
 */
void
fuzz_feed_drain (FuzzFeed *feed)
{
  LmccSenderAction action;

  while (lmcc_sender_poll_action (feed->sender, &action)) {
    if (action.type == LMCC_SENDER_ACTION_SESSION_CHANGED)
      g_assert (
          lmcc_session_validate (lmcc_sender_get_session (feed->sender), NULL));
    if (action.type == LMCC_SENDER_ACTION_SEND)
      g_assert (
          action.group < lmcc_sender_get_session (feed->sender)->n_groups);
    feed->handle (feed->user_data, &action);
    g_clear_pointer (&action.packet, lmcc_packet_unref);
  }
}

/* Number of BYE packets; each is due at its own time. */
static void
send_copies (FuzzFeed *feed)
{
  LmccTime next;

  while ((next = lmcc_sender_next_timeout (feed->sender)) != LMCC_TIME_NONE) {
    g_assert (next > feed->now);
    feed->now = next;
    lmcc_sender_handle_timeout (feed->sender, feed->now);
    fuzz_feed_drain (feed);
  }
}

void
fuzz_feed_end (FuzzFeed *feed, gboolean says_goodbye)
{
  if (feed->sender == NULL)
    return;
  if (says_goodbye) {
    lmcc_sender_stop (feed->sender, feed->now);
    fuzz_feed_drain (feed);
    send_copies (feed);
  }
  g_clear_pointer (&feed->sender, lmcc_sender_free);
}

static LmccPacket *
make_payload (guint stream, gsize size)
{
  LmccPacket *packet = lmcc_packet_new (LMCC_RTP_HEADER_SIZE + size);

  packet->size = LMCC_RTP_HEADER_SIZE + size;
  memset (packet->data, 0, packet->size);
  packet->data[0] = 0x80;
  packet->data[1] = (guint8) (LMCC_DEFAULT_PAYLOAD_TYPE + stream);

  return packet;
}

/* No picture refers to every second picture. */
static void
push_unit (FuzzFeed *feed, guint stream)
{
  LmccUnit *unit = lmcc_unit_new ();
  guint at = feed->n_units % GROUP_OF_PICTURES;
  guint n = at == 0 ? 2 : 1;

  unit->stream = (guint8) stream;
  unit->klass = at & 1;
  unit->switch_point = at < 2;
  unit->decoding_time = unit->presentation_time = feed->now;
  while (n-- > 0)
    g_ptr_array_add (unit->packets, make_payload (stream, 100u + 200 * stream));
  lmcc_sender_push_unit (feed->sender, unit, feed->now);
}

LmccTime
fuzz_feed_next (const FuzzFeed *feed)
{
  if (feed->sender == NULL || feed->stopped)
    return LMCC_TIME_NONE;

  return MIN (feed->next_unit, lmcc_sender_next_timeout (feed->sender));
}

/* Does what is due at @now. After a pause, its pictures continue from there. */
void
fuzz_feed_run (FuzzFeed *feed, LmccTime now)
{
  guint i;

  feed->now = now;
  if (feed->sender == NULL || feed->stopped)
    return;
  if (now >= feed->next_unit) {
    for (i = 0; i < N_RUNGS; i++) {
      push_unit (feed, i);
      fuzz_feed_drain (feed);
    }
    feed->n_units++;
    feed->next_unit = now + UNIT_TIME;
  }
  for (i = 0; i == 0 || lmcc_sender_next_timeout (feed->sender) <= now; i++) {
    g_assert (i < FUZZ_MOST_CALLS);
    lmcc_sender_handle_timeout (feed->sender, now);
    fuzz_feed_drain (feed);
  }
}
