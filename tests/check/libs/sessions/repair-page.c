/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sessions/repair-page.h"

#include "sessions/repair-clip.h"
#include "sessions/repair-least.h"
#include "sessions/repair-native.h"
#include "sessions/repair-peers.h"
#include "sessions/repair-pyramid.h"
#include "sessions/repair-rows.h"

static const RepairRow loss_rows[] = {
  { 300000, LMCC_SECOND, 0.005, 1, 0 },
  { 300000, LMCC_SECOND, 0.005, 1, 100 },
  { 300000, LMCC_SECOND, 0.01, 1, 0 },
  { 300000, LMCC_SECOND, 0.01, 1, 100 },
  { 300000, LMCC_SECOND, 0.02, 1, 0 },
  { 300000, LMCC_SECOND, 0.03, 1, 0 },
  { 300000, LMCC_SECOND, 0.03, 1, 100 },
  { 300000, LMCC_SECOND, 0.03, 1, 200 },
  { 300000, LMCC_SECOND, 0.10, 1, 0 },
  { 300000, LMCC_SECOND, 0.10, 1, 100 },
};

static const RepairRow burst_rows[] = {
  { 300000, LMCC_SECOND, 0.02, 1, 100 },
  { 300000, LMCC_SECOND, 0.02, 2, 100 },
  { 300000, LMCC_SECOND, 0.02, 4, 100 },
  { 300000, LMCC_SECOND, 0.02, 4, 300 },
  { 300000, 2 * LMCC_SECOND, 0.02, 4, 100 },
  { 300000, 4 * LMCC_SECOND, 0.02, 4, 100 },
};

/* The distances of key frames of lmccsink's latency profiles for raw video. */
static const RepairRow profile_rows[] = {
  { 128000, 250 * LMCC_MSECOND, 0.02, 1, 100 },
  { 128000, 460 * LMCC_MSECOND, 0.02, 1, 100 },
  { 128000, 2 * LMCC_SECOND, 0.02, 1, 100 },
  { 300000, 250 * LMCC_MSECOND, 0.02, 1, 100 },
  { 300000, 460 * LMCC_MSECOND, 0.02, 1, 100 },
  { 300000, 2 * LMCC_SECOND, 0.02, 1, 100 },
  { 1000000, 250 * LMCC_MSECOND, 0.02, 1, 100 },
  { 1000000, 460 * LMCC_MSECOND, 0.02, 1, 100 },
  { 1000000, 2 * LMCC_SECOND, 0.02, 1, 100 },
};

static void
add_native_table (GString *text)
{
  static const gdouble losses[] = { 0.01, 0.02 };
  static const LmccTime blocks[] = { 0, 250 * LMCC_MSECOND, 400 * LMCC_MSECOND,
    500 * LMCC_MSECOND, LMCC_SECOND };
  guint i, k;

  g_string_append (text,
      "| loss, % | repair, % | repair-delay, ms |"
      " more latency, ms |" REPAIR_RESULT_HEAD
      "\n|---:|---:|---:|---:|" REPAIR_RESULT_RULE "\n");
  for (i = 0; i < G_N_ELEMENTS (losses); i++) {
    for (k = 0; k < G_N_ELEMENTS (blocks); k++) {
      RepairRow row = { 300000, LMCC_SECOND, losses[i], 1,
        blocks[k] > 0 ? 100 : 0, 0, TRUE, blocks[k] };
      TestRepairResult result;
      guint delay = (guint) (blocks[k] / LMCC_MSECOND);

      repair_row_run (&row, &result);
      g_string_append_printf (text, "| %.0f | %.0f | %u | %u |",
          100 * losses[i], row.repair / 10.0, delay, 2 * delay);
      repair_result_put (text, &result);
      g_string_append (text, "\n");
    }
  }
}

static void
add_head (GString *text)
{
  gint seconds = repair_rows_get_seconds ();

  g_string_append_printf (text,
      "# What repair data is worth\n\n"
      "The real sender and a real receiver in virtual time, over a path that "
      "loses packets: %d s for each row, or as many\n"
      "groups, if they are longer; seed %u. `build/tests/check/repair-table "
      "--full --seconds %d --markdown docs/measured/repair.md` writes\nthis "
      "page.\n\n"
      "Packets have %u bytes. A group is a key frame and the pictures that "
      "refer to it, %u a second: what a base layer has.\n"
      "*k* and *r* are source and repair packets of a block, on average; "
      "*padding* is what makes source packets as long as the\n"
      "block's longest; *sent* is repair data over media, with all headers, as "
      "measured: it comes in whole packets, and the rest\n"
      "of a fixed rate goes into it too. *Whole* are pictures of which all "
      "packets came or were repaired, *decodable* those\n"
      "with all that they refer to.\n\n",
      seconds, REPAIR_ROW_SEED, seconds, TEST_REPAIR_PACKET_SIZE,
      REPAIR_ROW_OTHERS_PER_SECOND);
}

static void
add_required (GString *text, const gchar *required)
{
  g_string_append_printf (text, "## What has to be\n\n%s", required);
}

static void
add_losses (GString *text)
{
  g_string_append (text,
      "\n## With and without\n\n"
      "![Share of whole pictures over loss](../images/"
      "repair-pictures.png)\n\n"
      "*The shares of no repair, 10, 20 and 30 %. Made by "
      "`tests/plots/repair-pictures.py build/tests/check/repair-table\n"
      "docs/images/repair-pictures.png`.*\n\n");
  repair_rows_add_table (text, loss_rows, G_N_ELEMENTS (loss_rows));
}

static void
add_peers (GString *text)
{
  g_string_append (text,
      "\n## Beside GStreamer's\n\n"
      "The same pictures in one RTP stream, with as many repair packets as "
      "ours, over a path of the same seed. rtpulpfecenc\n"
      "(RFC 5109) protects each picture by itself, and rtpulpfecdec gets what "
      "is lost to know a group later. rtpst2022-1-fecenc\n"
      "(SMPTE 2022-1) has a matrix of about as many packets as our blocks, "
      "with rows only where columns alone cannot be so many.\n\n");
  repair_peers_add_table (text);
}

/* Its table is another program's. */
static void
add_tcp (GString *text)
{
  g_string_append (text,
      "\n## Beside TCP\n\n"
      "A receiver and a TCP connection on a link of 4 Mbit/s that loses "
      "packets, layers of 300, 300, 600 and 1200 kbit/s with\n"
      "and without repair in them: the total rate is the same. *Its share* and "
      "*TCP's share* are of half the link. *Whole* is of\n"
      "the pictures of which all packets were sent to groups that it was in. "
      "*Spoiled* repair is sent, but of no use: its level\n"
      "has the same course as with repair.\n"
      "`build/tests/check/repair-beside-tcp --markdown "
      "docs/measured/repair.md` writes "
      "this table.\n\n"
      "<!-- repair-beside-tcp begins -->\n<!-- repair-beside-tcp ends -->\n");
}

static void
add_small_blocks (GString *text)
{
  g_string_append (text,
      "\n## What small blocks cost\n\n"
      "The least share that makes 99.5 % of the pictures whole at 2 % loss, "
      "and 99 % at 10 %. The fewer packets share repair\n"
      "packets, the more of them it takes.\n\n");
  repair_least_add_table (text);
}

static void
add_pyramid (GString *text)
{
  g_string_append (text,
      "\n## Layers that double\n\n"
      "A second of x264 with seven B pictures and a pyramid, 0.9 Mbit/s, in "
      "layers of 150, 150, 300, 600 and 1200 kbit/s, at 2 %\n"
      "loss; a receiver of all. The key frame is larger than what the base "
      "has, so that it is cut over layers 1 and 2. Of what each\n"
      "layer loses so much comes back, in %:\n\n");
  repair_pyramid_add_table (text);
}

static void
add_bursts (GString *text)
{
  g_string_append (text,
      "\n## Losses in a row\n\n"
      "A longer block helps: a burst takes a smaller part of it.\n\n");
  repair_rows_add_table (text, burst_rows, G_N_ELEMENTS (burst_rows));
}

static void
add_profiles (GString *text)
{
  g_string_append (text,
      "\n## Latency profiles\n\n"
      "Groups as lmccsink makes them of raw video with `latency-profile` "
      "`live`, `balanced` and `quality`. The shorter the group, the\n"
      "fewer packets share repair packets, and the fewer pictures a lost one "
      "takes along.\n\n");
  repair_rows_add_table (text, profile_rows, G_N_ELEMENTS (profile_rows));
}

static void
add_native (GString *text)
{
  g_string_append (text,
      "\n## Native layers\n\n"
      "A base of 300 kbit/s with groups of 1 s. Twice `repair-delay` is "
      "added to everybody's latency: three quarters of that a\n"
      "block is collected, and its repair data follows within the fourth."
      "\n\n");
  add_native_table (text);
}

static void
add_clip (GString *text)
{
  g_string_append (text,
      "\n## A real clip\n\n"
      "`" REPAIR_CLIP_PATH
      "` as it was encoded, 0.8 Mbit/s with groups of 2 s and two "
      "classes, in layers of 800, 400\n"
      "and 600 kbit/s. Level 0 is the base alone, level 2 all of it. *No "
      "place*: pictures for which 20 s of the clip have no\n"
      "room. Without a share the layers have no repair packets at all.\n\n");
  repair_clip_add_table (text);
  repair_clip_add_least (text);
}

static void
add_doubling_clip (GString *text)
{
  g_string_append (text,
      "\n## The clip in layers that double\n\n"
      "Layers of 400, 400, 800 and 1600 kbit/s. Whoever holds more has more "
      "repair of the base, too. The sender reckons with\n"
      "2 % of losses, as lmccsink does, and with as many in a row as there "
      "are. *Damaged* are the pictures that would be shown\n"
      "without losses, and are not. Means of five seeds.\n\n");
  repair_clip_add_doubling (text);
}

static void
add_native_clip (GString *text)
{
  g_string_append (text,
      "\n## The clip in native layers\n\n"
      "With `repair=0.15`, the default `repair-delay` and the sender's "
      "assumptions as above: its own two classes; each picture in\n"
      "three qualities of three temporal classes, as vp9svcenc's, which is "
      "nine "
      "layers; and in three encodings of two classes.\n"
      "*Damaged* are the pictures of which no encoding and no quality comes "
      "that can be decoded, of those that would be without\n"
      "losses; *not the best* lack the highest one of the level. *Required* "
      "of the base is what repair has to reach, with a\n"
      "tolerance of three tenths. *Could come back* is what the best code with "
      "these repair packets gives back; the receiver's count,\n"
      "*came back*, begins and ends a little later. Sums of five "
      "seeds.\n\n");
  repair_native_add_table (text);
  g_string_append (text,
      "\nA row is more than a share of 15 % repairs in 1 s of a base: what a "
      "longer `repair-delay` is worth at level 0.\n\n");
  repair_native_add_delays (text);
}

/**
 * repair_page_make:
 * @required: the table of what has to be
 *
 * Runs all other tables. repair_clip_read() has read the clip.
 *
 * Returns: (transfer full): the page, in Markdown
 */
gchar *
repair_page_make (const gchar *required)
{
  GString *text = g_string_new (NULL);

  add_head (text);
  add_required (text, required);
  add_losses (text);
  add_peers (text);
  add_tcp (text);
  add_small_blocks (text);
  add_pyramid (text);
  add_bursts (text);
  add_profiles (text);
  add_native (text);
  add_clip (text);
  add_doubling_clip (text);
  add_native_clip (text);

  return g_string_free (text, FALSE);
}
