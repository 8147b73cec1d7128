/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the sender with layers of fixed rates.
 */
#include "support/sender-harness.h"

#include <gst/lmcc/lmcc-rates.h>
#include <gst/lmcc/wire/rtcp.h>
#include <math.h>

#define HOLD (2200 * MS)
#define MAX_GOP (1000 * MS)
#define PICTURE (40 * MS)

static LmccSenderConfig
shaped_config (guint n_rungs, LmccRateScheme scheme, gdouble base,
    gdouble factor, guint n_layers)
{
  LmccSenderConfig config = sender_config (n_rungs);
  gdouble rates[LMCC_MAX_LAYERS] = { 96e3, 30e3, 300e3, 61e3 };
  guint i;

  fail_unless (
      lmcc_rates_compute (scheme, base, factor, n_layers, rates, NULL));
  config.session.native = FALSE;
  config.session.window = HOLD;
  config.session.n_layers = n_layers;
  for (i = 0; i < n_layers; i++)
    config.session.layers[i].rate = (guint64) (rates[i] + 0.5);

  return config;
}

/* One group of pictures: a key frame, P pictures and two classes of B
 * pictures. */
static LmccTime
push_gop (Harness *h, guint n_rungs, LmccTime time, guint n_pictures,
    guint key_packets, gsize payload_size)
{
  guint i, rung;

  for (i = 0; i < n_pictures; i++) {
    guint klass = i % 4 == 0 ? 0 : i % 4 == 2 ? 1 : 2;

    for (rung = 0; rung < n_rungs; rung++) {
      LmccUnit *unit = make_unit (rung, klass, time,
          (rung + 1) * (i == 0 ? key_packets : 3 - klass), payload_size);

      unit->switch_point = i == 0 || klass > 0;
      harness_push_at (h, unit);
    }
    time += PICTURE;
  }

  return time;
}

static LmccTime
push_sound (Harness *h, LmccTime time)
{
  harness_push_at (h, make_unit (LMCC_STREAM_SOUND, 0, time, 1, 80));

  return time;
}

/* A receiver's report, which the base layer answers. */
static void
push_report (Harness *h, guint32 ssrc)
{
  LmccReferenceTime report = { ssrc, 1 };
  g_autoptr (LmccPacket) packet =
      lmcc_rtcp_build_reference_time (&report, NULL);
  LmccAddress source;

  fail_unless (lmcc_address_parse ("192.0.2.9", &source));
  lmcc_sender_handle_control (h->sender, h->now, &source, 40000, packet->data,
      packet->size);
  harness_drain (h);
}

typedef struct
{
  LmccRateScheme scheme;
  gdouble base;
  gdouble factor;
  guint n_layers;
} Scheme;

static const Scheme schemes[] = {
  { LMCC_RATE_SCHEME_EQUAL, 100e3, 0, 5 },
  { LMCC_RATE_SCHEME_INCREASE_BY_ONE, 50e3, 0, 5 },
  { LMCC_RATE_SCHEME_DOUBLING, 64e3, 0, 5 },
  { LMCC_RATE_SCHEME_MULTIPLICATIVE, 96e3, 1.3, 8 },
  { LMCC_RATE_SCHEME_HEAVY_TAIL, 500e3, 0, 5 },
  { LMCC_RATE_SCHEME_EXPLICIT, 0, 0, 4 },
};

GST_START_TEST (test_every_interval_of_every_layer_has_its_rate)
{
  const Scheme *scheme = &schemes[__i__];
  LmccSenderConfig config = shaped_config (2, scheme->scheme, scheme->base,
      scheme->factor, scheme->n_layers);
  GRand *rand = g_rand_new_with_seed (11);
  LmccTime time = START + 100 * MS;
  Harness h;
  guint i;

  sender_config_add_sound (&config);
  config.session.feedback_interval = 500 * MS;
  h = harness_new (&config);
  /* Groups of all lengths, some longer than a window, key frames larger than
   * a layer's share, and silence. */
  for (i = 0; i < 12; i++) {
    time = push_gop (&h, 2, time, (guint) g_rand_int_range (rand, 1, 40),
        (guint) g_rand_int_range (rand, 1, 40),
        (gsize) g_rand_int_range (rand, 1, 1300));
    time = push_sound (&h, time);
    push_report (&h, 1000 + i);
    if (i % 4 == 3)
      time += (LmccTime) g_rand_int_range (rand, 100, 4000) * MS;
  }
  harness_run_until (&h, time + 2 * HOLD);
  fail_unless (lmcc_sender_is_idle (h.sender));
  fail_unless (lmcc_sender_get_stats (h.sender)->answers > 5);
  harness_check_all_exact (&h, &config);
  g_rand_free (rand);
  harness_clear (&h);
}

GST_END_TEST;

/* As without a pyramid: P pictures, and B pictures that no other picture
 * refers to. */
GST_START_TEST (test_a_class_that_does_not_occur_is_not_needed)
{
  LmccSenderConfig config =
      shaped_config (1, LMCC_RATE_SCHEME_EQUAL, 1e6, 0, 3);
  Harness h = harness_new (&config);
  LmccTime time = START + 100 * MS;
  guint i;

  for (i = 0; i < 60; i++) {
    LmccUnit *unit = make_unit (0, i % 3 == 0 ? 0 : 2, time, 2, 500);

    unit->switch_point = i % 15 == 0 || unit->klass > 0;
    harness_push_at (&h, unit);
    time += PICTURE;
  }
  harness_run_until (&h, time + 2 * HOLD);
  fail_unless_equals_uint64 (harness_count_dropped (&h), 0);
  harness_clear (&h);
}

GST_END_TEST;

/* How one unit was sent. */
typedef struct
{
  guint n_packets;
  guint lowest;
  guint highest;
  LmccTime first;
  LmccTime last;
} Sent;

static guint32
rtp_time (LmccTime time)
{
  return (guint32) (RTP_OFFSET + time / LMCC_SECOND * 90000
      + (time % LMCC_SECOND * 90000 + LMCC_SECOND / 2) / LMCC_SECOND);
}

static Sent
find_sent (Harness *h, guint stream, LmccTime time)
{
  guint32 timestamp = rtp_time (time);
  Sent sent = { 0, LMCC_MAX_LAYERS, 0, LMCC_TIME_NONE, 0 };
  guint i;

  for (i = 0; i < N_SENT (h); i++) {
    const SentPacket *s = SENT (h, i);

    if (!is_video (s) || s->header.stream != stream
        || s->rtp.timestamp != timestamp)
      continue;
    sent.n_packets++;
    sent.lowest = MIN (sent.lowest, s->group);
    sent.highest = MAX (sent.highest, s->group);
    sent.first = MIN (sent.first, s->time);
    sent.last = MAX (sent.last, s->time);
  }

  return sent;
}

static LmccSenderConfig
explicit_config (guint n_rungs, guint n_layers, const guint64 *rates)
{
  LmccSenderConfig config = sender_config (n_rungs);
  guint i;

  config.session.native = FALSE;
  config.session.window = HOLD;
  config.session.n_layers = n_layers;
  for (i = 0; i < n_layers; i++)
    config.session.layers[i].rate = rates[i];

  return config;
}

#define AT(i) (START + 100 * MS + (i) *PICTURE)

/* A group of 20 pictures of 1 packet of 1000 bytes of payload: 1064 bytes as
 * IP packets, 26.6 kbit/s each. Five P pictures, five B and ten b fill three
 * layers one after the other; the base layer also has room for the record. */
GST_START_TEST (test_importance_decides_the_layer)
{
  static const guint64 rates[] = { 60000, 54000, 54000 };
  LmccSenderConfig config = explicit_config (1, 3, rates);
  Harness h = harness_new (&config);
  /* 0, 8, 4, 2, 6 of ten, in odd positions. */
  guint b[] = { 1, 17, 9, 5, 13 };
  guint i, gop, n_sent = 0;

  for (gop = 0; gop < 4; gop++) {
    for (i = 0; i < 20; i++) {
      guint klass = i % 4 == 0 ? 0 : i % 4 == 2 ? 1 : 2;
      LmccUnit *unit = make_unit (0, klass, AT (gop * 20 + i), 1, 1000);

      unit->switch_point = klass > 0 || i == 0;
      harness_push_at (&h, unit);
    }
  }
  harness_run_until (&h, AT (80) + 2 * HOLD);

  for (gop = 1; gop < 3; gop++) {
    guint n_top = 0;

    for (i = 0; i < 20; i += 4)
      fail_unless_equals_int (find_sent (&h, 0, AT (gop * 20 + i)).highest, 0);
    for (i = 2; i < 20; i += 4)
      fail_unless_equals_int (find_sent (&h, 0, AT (gop * 20 + i)).highest, 1);
    for (i = 1; i < 20; i += 2)
      n_top += find_sent (&h, 0, AT (gop * 20 + i)).n_packets;
    /* The top has room for half of the b pictures, spread over the group. */
    fail_unless_equals_int (n_top, 5);
    for (i = 0; i < 5; i++)
      fail_unless_equals_int (find_sent (&h, 0, AT (gop * 20 + b[i])).n_packets,
          1);
  }
  fail_unless_equals_uint64 (lmcc_sender_get_stats (h.sender)->units_dropped[0],
      0);
  fail_unless_equals_uint64 (lmcc_sender_get_stats (h.sender)->units_dropped[1],
      0);
  for (i = 1; i < 80; i += 2)
    n_sent += find_sent (&h, 0, AT (i)).n_packets;
  fail_unless_equals_uint64 (lmcc_sender_get_stats (h.sender)->units_dropped[2],
      40 - n_sent);
  harness_clear (&h);
}

GST_END_TEST;

/* When a layer sends the first packet of class 3 of pictures @from to @to. */
static LmccTime
first_sent (Harness *h, guint layer, guint from, guint to)
{
  guint i;

  for (i = 0; i < N_SENT (h); i++) {
    const SentPacket *s = SENT (h, i);
    guint picture;

    if (!is_video (s) || s->group != layer || s->header.klass != 3)
      continue;
    for (picture = from; picture < to; picture++) {
      if (s->rtp.timestamp == rtp_time (AT (picture)))
        return s->time;
    }
  }

  return LMCC_TIME_NONE;
}

/* Two quality layers of VP9, of which the upper one also restarts in the
 * middle of a group. They fill two layers of the session: each of them sends
 * one half of its pictures, and then the other. */
GST_START_TEST (test_a_switch_point_in_a_window_goes_out_at_its_time)
{
  static const guint64 rates[] = { 90000, 340000, 340000 };
  LmccSenderConfig config = explicit_config (1, 3, rates);
  guint i, gop, layer;
  Harness h;

  g_strlcpy (config.session.video.encoding_name, "VP9",
      LMCC_ENCODING_NAME_SIZE);
  h = harness_new (&config);
  for (gop = 0; gop < 4; gop++) {
    for (i = 0; i < 20; i++) {
      LmccUnit *base = make_unit (0, 0, AT (gop * 20 + i), 1, 200);
      LmccUnit *upper = make_unit (0, 3, AT (gop * 20 + i), 3, 1000);

      base->switch_point = i == 0;
      upper->switch_point = i % 10 == 0;
      harness_push_at (&h, base);
      harness_push_at (&h, upper);
    }
  }
  harness_run_until (&h, AT (80) + 2 * HOLD);

  for (gop = 1; gop < 3; gop++) {
    for (layer = 1; layer < 3; layer++) {
      LmccTime first = first_sent (&h, layer, gop * 20, gop * 20 + 10);
      LmccTime second = first_sent (&h, layer, gop * 20 + 10, gop * 20 + 20);

      fail_unless (first != LMCC_TIME_NONE && second != LMCC_TIME_NONE);
      fail_unless (second >= first + 5 * PICTURE
              && second <= first + 14 * PICTURE,
          "layer %u: the second half %u ms after the first", layer,
          (guint) ((second - first) / MS));
    }
  }
  harness_clear (&h);
}

GST_END_TEST;

/* The key frame of 16 packets is larger than the shares of the base layer
 * and layer 1. */
GST_START_TEST (test_a_unit_is_cut_only_above_the_base)
{
  static const guint64 rates[] = { 60000, 54000, 54000, 108000 };
  LmccSenderConfig config = explicit_config (1, 4, rates);
  Harness h = harness_new (&config);
  guint i, n_first = 0, n_last = 0, n_more = 0;
  Sent key;

  for (i = 0; i < 20; i++) {
    LmccUnit *unit = make_unit (0, 0, AT (i), i == 0 ? 16 : 1, 1000);

    unit->switch_point = i == 0;
    harness_push_at (&h, unit);
  }
  harness_run_until (&h, AT (20) + 2 * HOLD);

  key = find_sent (&h, 0, AT (0));
  fail_unless_equals_int (key.n_packets, 16);
  fail_unless_equals_int (key.lowest, 1);
  fail_unless_equals_int (key.highest, 3);
  for (i = 0; i < N_SENT (&h); i++) {
    const SentPacket *s = SENT (&h, i);

    if (!is_video (s))
      continue;
    if (s->header.anchor == 1) {
      n_first += s->header.first;
      n_last += s->header.last;
      n_more += s->header.more;
      fail_unless_equals_int (s->header.more, s->group < 3);
      fail_unless_equals_int (s->header.first,
          s->group == 1 && s->header.osn == (guint16) config.sequence_seed);
      fail_unless_equals_int (s->header.last,
          s->header.osn == (guint16) (config.sequence_seed + 15));
    } else {
      /* Nothing that needs it is in a lower layer. */
      fail_unless_equals_int (s->group, 3);
      fail_unless (s->header.first && s->header.last && !s->header.more);
    }
  }
  fail_unless_equals_int (n_first, 1);
  fail_unless_equals_int (n_last, 1);
  fail_unless (n_more > 6);
  fail_unless_equals_int (lmcc_sender_get_stats (h.sender)->key_levels[0], 3);
  harness_clear (&h);
}

GST_END_TEST;

/* Layers are in decoding order, units are whole and within the window; the
 * statements of filler packets are true; unsent units are counted. */
GST_START_TEST (test_what_is_sent_is_whole_in_order_and_in_time)
{
  LmccSenderConfig config =
      shaped_config (2, LMCC_RATE_SCHEME_DOUBLING, 128e3, 0, 5);
  GRand *rand = g_rand_new_with_seed (3);
  LmccTime time = START + 100 * MS, start;
  gboolean have_mark[LMCC_MAX_LAYERS] = { FALSE };
  guint16 mark[LMCC_MAX_LAYERS];
  guint n_units = 0, n_sent = 0, n_cut = 0, i, rung;
  Harness h = harness_new (&config);

  for (i = 0; i < 12; i++) {
    guint n = (guint) g_rand_int_range (rand, 6, 26);

    n_units += 2 * n;
    time = push_gop (&h, 2, time, n, (guint) g_rand_int_range (rand, 4, 20),
        (gsize) g_rand_int_range (rand, 500, 1300));
  }
  harness_run_until (&h, time + 2 * HOLD);
  for (start = START + 100 * MS; start < time; start += PICTURE) {
    for (rung = 0; rung < 2; rung++) {
      Sent sent = find_sent (&h, rung, start);

      if (sent.n_packets == 0)
        continue;
      n_sent++;
      n_cut += sent.lowest < sent.highest;
      fail_unless (sent.first > start);
      fail_unless (sent.last <= start + HOLD);
    }
  }
  fail_unless (n_sent > n_units / 2 && n_sent < n_units);
  fail_unless (n_cut > 0);
  fail_unless_equals_uint64 (n_sent + harness_count_dropped (&h), n_units);
  fail_unless_equals_uint64 (lmcc_sender_get_stats (h.sender)->units_late, 0);

  for (i = 0; i < N_SENT (&h); i++) {
    const SentPacket *s = SENT (&h, i);

    if (s->control)
      continue;
    if (have_mark[s->group])
      fail_unless (lmcc_sequence_diff (s->header.osn, mark[s->group]) >= 0);
    have_mark[s->group] = TRUE;
    mark[s->group] = s->header.osn + (is_video (s) ? 1 : 0);
  }
  g_rand_free (rand);
  harness_clear (&h);
}

GST_END_TEST;

/* At each level: all references of a unit are there, too. */
GST_START_TEST (test_no_layer_has_what_needs_a_higher_one)
{
  LmccSenderConfig config =
      shaped_config (1, LMCC_RATE_SCHEME_EQUAL, 100e3, 0, 6);
  GRand *rand = g_rand_new_with_seed (17);
  Harness h = harness_new (&config);
  LmccTime time = AT (0);
  guint i, n = 0;

  /* Long groups: windows without a key frame, in which the P pictures
   * continue. */
  for (i = 0; i < 4; i++) {
    time = push_gop (&h, 1, time, 45 + 7 * i, 8,
        (gsize) g_rand_int_range (rand, 600, 1300));
  }
  harness_run_until (&h, time + 2 * HOLD);

  for (time = AT (0), i = 0; i < 4; i++) {
    guint highest = 0, picture;

    for (picture = 0; picture < 45 + 7 * i; picture++, time += PICTURE) {
      Sent sent = find_sent (&h, 0, time);
      Sent below = find_sent (&h, 0,
          time - PICTURE * (picture % 2 == 1 && picture % 4 == 3 ? 1 : 0));

      if (picture % 4 == 0) {
        /* A chain that broke stays broken. */
        if (highest == LMCC_MAX_LAYERS)
          fail_unless_equals_int (sent.n_packets, 0);
        if (sent.n_packets == 0)
          highest = LMCC_MAX_LAYERS;
        else
          fail_unless (sent.lowest >= highest || sent.highest >= highest);
        highest = MAX (highest, sent.highest);
      } else if (sent.n_packets > 0) {
        n++;
        fail_unless (sent.highest >= highest);
        if (picture % 4 == 3)
          fail_unless (below.n_packets > 0 && sent.highest >= below.highest);
      }
    }
  }
  fail_unless (n > 20);
  g_rand_free (rand);
  harness_clear (&h);
}

GST_END_TEST;

/* The key frame of a scene cut soon after another one: one window for both
 * would be too long. */
GST_START_TEST (test_groups_share_a_window_only_where_they_fit)
{
  LmccSenderConfig config =
      shaped_config (1, LMCC_RATE_SCHEME_EQUAL, 400e3, 0, 4);
  Harness h = harness_new (&config);
  LmccTime time = AT (0);
  guint i;

  for (i = 0; i < 5; i++) {
    time = push_gop (&h, 1, time, 5, 4, 500);
    time = push_gop (&h, 1, time, 24, 4, 500);
  }
  harness_run_until (&h, time + 2 * HOLD);
  fail_unless_equals_uint64 (lmcc_sender_get_stats (h.sender)->windows_cut, 0);
  /* The first two pictures of the first group, which precede any picture
   * that they could refer to. */
  fail_unless_equals_uint64 (harness_count_dropped (&h), 2);
  push_gop (&h, 1, h.now, 60, 4, 500);
  fail_unless_equals_uint64 (lmcc_sender_get_stats (h.sender)->windows_cut, 2);
  harness_clear (&h);
}

GST_END_TEST;

static Harness
new_follower (LmccTime key_distance)
{
  LmccSenderConfig config =
      shaped_config (1, LMCC_RATE_SCHEME_DOUBLING, 300e3, 0, 3);

  config.session.window = 0;
  config.key_distance = key_distance;

  return harness_new (&config);
}

static LmccTime
window_of (const Harness *h)
{
  return lmcc_sender_get_session (h->sender)->window;
}

GST_START_TEST (test_the_window_follows_the_distance_of_key_frames)
{
  Harness h = new_follower (LMCC_TIME_NONE);
  LmccTime time = START + 100 * MS;
  guint i, version;

  fail_unless_equals_uint64 (window_of (&h), LMCC_DEFAULT_SHAPED_WINDOW);
  time = push_gop (&h, 1, time, 25, 5, 1000);
  /* It is unknown before the second key frame, and nothing has been sent. */
  fail_unless_equals_uint64 (window_of (&h), LMCC_DEFAULT_SHAPED_WINDOW);
  for (i = 0; i < N_SENT (&h); i++)
    fail_if (is_media (SENT (&h, i)));
  version = lmcc_sender_get_session (h.sender)->revision;
  for (i = 0; i < 4; i++)
    time = push_gop (&h, 1, time, 25, 5, 1000);
  fail_unless_equals_uint64 (window_of (&h), 2400 * MS);
  fail_unless_equals_int (lmcc_sender_get_session (h.sender)->revision,
      version + 1);
  fail_unless_equals_uint64 (lmcc_sender_get_stats (h.sender)->windows_cut, 0);
  fail_unless_equals_uint64 (lmcc_sender_get_stats (h.sender)->units_late, 0);

  /* Shorter groups fit unchanged. */
  for (i = 0; i < 4; i++)
    time = push_gop (&h, 1, time, 10, 5, 1000);
  fail_unless_equals_uint64 (window_of (&h), 2400 * MS);
  /* A source that paused. */
  time = push_gop (&h, 1, time + 3 * LMCC_SECOND, 10, 5, 1000);
  time = push_gop (&h, 1, time, 10, 5, 1000);
  fail_unless_equals_uint64 (window_of (&h), 2400 * MS);
  /* One of 1.6 s is cut, and the next ones fit. */
  for (i = 0; i < 4; i++)
    time = push_gop (&h, 1, time, 40, 5, 1000);
  fail_unless_equals_uint64 (window_of (&h), 3720 * MS);
  fail_unless_equals_uint64 (lmcc_sender_get_stats (h.sender)->windows_cut, 1);
  /* A group longer than any window is cut, as always. */
  for (i = 0; i < 4; i++)
    time = push_gop (&h, 1, time, 100, 5, 1000);
  fail_unless_equals_uint64 (window_of (&h), LMCC_DEFAULT_SHAPED_WINDOW);
  harness_clear (&h);

  /* A first group of 2.2 s has been cut and sent: no shorter window follows
   * it. */
  h = new_follower (LMCC_TIME_NONE);
  time = push_gop (&h, 1, START + 100 * MS, 55, 5, 1000);
  for (i = 0; i < 3; i++)
    time = push_gop (&h, 1, time, 25, 5, 1000);
  fail_unless_equals_uint64 (window_of (&h), LMCC_DEFAULT_SHAPED_WINDOW);
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_the_window_is_that_of_the_distance_that_is_set)
{
  Harness h = new_follower (500 * MS);
  LmccTime time = START + 100 * MS;
  guint i;

  fail_unless_equals_uint64 (window_of (&h), 1300 * MS);
  for (i = 0; i < 3; i++)
    time = push_gop (&h, 1, time, 12, 5, 1000);
  fail_unless_equals_uint64 (window_of (&h), 1300 * MS);
  fail_unless_equals_int (h.n_changes, 1);
  harness_clear (&h);

  /* Pictures without successors stay. */
  h = new_follower (0);
  for (i = 0; i < 3; i++)
    time = push_gop (&h, 1, time, 12, 5, 1000);
  fail_unless_equals_uint64 (window_of (&h), LMCC_DEFAULT_SHAPED_WINDOW);
  harness_clear (&h);
  fail_unless_equals_uint64 (lmcc_sender_get_window_for (2 * LMCC_SECOND),
      LMCC_DEFAULT_SHAPED_WINDOW);
  fail_unless_equals_uint64 (lmcc_sender_get_window_for (G_MAXUINT64 / 2),
      LMCC_DEFAULT_SHAPED_WINDOW);
}

GST_END_TEST;

GST_START_TEST (test_a_record_leaves_ahead_of_each_window)
{
  Harness h = new_follower (480 * MS);
  LmccTime time = START + 100 * MS, record = 0;
  guint n = 0, i;

  for (i = 0; i < 20; i++)
    time = push_gop (&h, 1, time, 12, 5, 1000);
  for (i = 0; i < N_SENT (&h); i++) {
    const SentPacket *s = SENT (&h, i);

    if (s->control) {
      record = s->time;
    } else if (s->group == 0 && is_media (s) && s->header.switch_point
        && s->header.klass == 0 && s->header.first) {
      /* The base layer sends a packet at least every 38 ms, and the record
       * after one. */
      fail_unless (n == 0 || s->time - record >= 60 * MS, "%u", n);
      fail_unless (s->time - record <= 140 * MS, "%u", n);
      n++;
    }
  }
  fail_unless (n >= 15);
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_packets_say_their_slot)
{
  LmccSenderConfig config =
      shaped_config (1, LMCC_RATE_SCHEME_DOUBLING, 64e3, 0, 4);
  Harness h;
  guint i, n_wraps = 0;
  guint16 last = 0;

  config.session.slot = 250 * MS;
  config.session.slot_modulus = 7;
  h = harness_new (&config);
  push_gop (&h, 1, AT (0), 20, 4, 1000);
  harness_run_until (&h, START + 5 * LMCC_SECOND);
  for (i = 0; i < N_SENT (&h); i++) {
    const SentPacket *s = SENT (&h, i);

    if (s->control)
      continue;
    fail_unless_equals_int (s->header.slot, (s->time - START) / (250 * MS) % 7);
    fail_unless_equals_int (s->header.signal, LMCC_SIGNAL_NOBODY);
    n_wraps += s->header.slot < last;
    last = s->header.slot;
  }
  fail_unless_equals_int (n_wraps, 2);
  harness_clear (&h);
}

GST_END_TEST;

/* A base layer that is too slow for its record sends nothing else, but at
 * its rate and without a growing queue. */
GST_START_TEST (test_a_base_slower_than_its_record_keeps_its_rate)
{
  static const guint64 rates[] = { 1000, 64000 };
  LmccSenderConfig config = explicit_config (1, 2, rates);
  Harness h = harness_new (&config);
  guint i, n = 0;

  harness_run_until (&h, START + 200 * LMCC_SECOND);
  harness_check_all_exact (&h, &config);
  for (i = 0; i < N_SENT (&h); i++)
    n += SENT (&h, i)->control;
  fail_unless (n > 80);
  harness_clear (&h);
}

GST_END_TEST;

/* A thread that did not run for a second. */
GST_START_TEST (test_a_late_caller_makes_no_burst)
{
  LmccSenderConfig config =
      shaped_config (1, LMCC_RATE_SCHEME_EQUAL, 1e6, 0, 2);
  Harness h = harness_new (&config);
  gdouble bits = 0;
  guint before, i;

  harness_run_until (&h, START + LMCC_SECOND);
  before = N_SENT (&h);
  h.now += LMCC_SECOND;
  lmcc_sender_handle_timeout (h.sender, h.now);
  harness_drain (&h);
  for (i = before; i < N_SENT (&h); i++)
    bits += 8.0 * sent_ip_size (SENT (&h, i));
  /* 100 ms of 2 Mbit/s, and a packet of each layer. */
  fail_unless (bits >= 2e5);
  fail_unless (bits <= 2e5 + 2 * 8 * LARGEST);
  harness_clear (&h);
}

GST_END_TEST;

GST_START_TEST (test_flush_drops_what_was_collected)
{
  LmccSenderConfig config =
      shaped_config (1, LMCC_RATE_SCHEME_EQUAL, 1e6, 0, 2);
  Harness h = harness_new (&config);
  LmccTime time = push_gop (&h, 1, AT (0), 20, 4, 1000);
  guint i;

  fail_if (lmcc_sender_is_idle (h.sender));
  lmcc_sender_flush (h.sender, h.now);
  fail_unless (lmcc_sender_is_idle (h.sender));
  /* These refer to dropped pictures. */
  for (i = 0; i < 10; i++)
    harness_push_at (&h, make_unit (0, 0, time + i * PICTURE, 1, 1000));
  harness_run_until (&h, h.now + 2 * HOLD);
  for (i = 0; i < N_SENT (&h); i++)
    fail_if (is_media (SENT (&h, i)));
  push_gop (&h, 1, h.now, 20, 4, 1000);
  harness_run_until (&h, h.now + 2 * HOLD);
  for (i = 0; i < N_SENT (&h) && !is_media (SENT (&h, i)); i++)
    ;
  fail_unless (i < N_SENT (&h));
  harness_clear (&h);
}

GST_END_TEST;

static Suite *
sender_shaped_suite (void)
{
  Suite *s = suite_create ("sender-shaped");
  TCase *tc = tcase_create ("rates");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_every_interval_of_every_layer_has_its_rate, 0,
      G_N_ELEMENTS (schemes));
  tcase_add_test (tc, test_a_class_that_does_not_occur_is_not_needed);
  tcase_add_test (tc, test_a_base_slower_than_its_record_keeps_its_rate);
  tcase_add_test (tc, test_a_late_caller_makes_no_burst);

  tc = tcase_create ("pouring");
  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_importance_decides_the_layer);
  tcase_add_test (tc, test_a_switch_point_in_a_window_goes_out_at_its_time);
  tcase_add_test (tc, test_a_unit_is_cut_only_above_the_base);
  tcase_add_test (tc, test_what_is_sent_is_whole_in_order_and_in_time);
  tcase_add_test (tc, test_no_layer_has_what_needs_a_higher_one);
  tcase_add_test (tc, test_the_window_follows_the_distance_of_key_frames);
  tcase_add_test (tc, test_the_window_is_that_of_the_distance_that_is_set);
  tcase_add_test (tc, test_a_record_leaves_ahead_of_each_window);
  tcase_add_test (tc, test_groups_share_a_window_only_where_they_fit);
  tcase_add_test (tc, test_packets_say_their_slot);
  tcase_add_test (tc, test_flush_drops_what_was_collected);

  return s;
}

GST_CHECK_MAIN (sender_shaped);
