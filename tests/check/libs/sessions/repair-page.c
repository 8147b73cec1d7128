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

/* Key frame intervals of lmccsink's latency profiles for raw video. */
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
      "# What repair data recovers\n\n"
      "The share of pictures that arrive complete with and without "
      "repair data; [Forward error "
      "correction](../developers/forward-error-correction.md) explains "
      "how it works.\n"
      "The sender and a receiver of the library run in virtual time over "
      "a path that loses packets: %d s for each row, or %d groups if a "
      "group is longer than 1 s; seed %u.\n"
      "`build/tests/check/repair-table --full --seconds %d --markdown "
      "docs/measured/repair.md` writes this page.\n\n"
      "Packets have %u bytes. A *group* is a key frame and the pictures "
      "that refer to it, %u a second, as in a base layer.\n\n"
      "- *in a row*: mean number of consecutive packets that are lost; "
      "1: each packet is lost independently.\n"
      "- *k*, *r*: source and repair packets of a block, on average. "
      "*padding*: bytes that extend source packets to the longest one of "
      "the block.\n"
      "- *sent*: repair data over media, with all headers. It is sent in "
      "whole packets, and also fills the unused rate of layers of fixed "
      "rates.\n"
      "- *whole*: pictures of which all packets arrived or were "
      "recovered. *decodable*: whole pictures whose reference pictures "
      "are decodable.\n\n",
      seconds, seconds, REPAIR_ROW_SEED, seconds, TEST_REPAIR_PACKET_SIZE,
      REPAIR_ROW_OTHERS_PER_SECOND);
}

static void
add_required (GString *text, const gchar *required)
{
  g_string_append_printf (text, "## Requirements\n\n%s", required);
}

static void
add_losses (GString *text)
{
  g_string_append (text,
      "\n## With and without repair data\n\n"
      "![Share of whole pictures over "
      "loss](../images/repair-pictures.png)\n\n"
      "*No repair data, 10, 20 and 30 %. `tests/plots/repair-pictures.py "
      "build/tests/check/repair-table docs/images/repair-pictures.png` "
      "draws the picture.*\n\n");
  repair_rows_add_table (text, loss_rows, G_N_ELEMENTS (loss_rows));
}

static void
add_peers (GString *text)
{
  g_string_append (text,
      "\n## Compared with GStreamer's elements\n\n"
      "The same pictures in one RTP stream, with as many repair packets, "
      "over a path with the same seed. rtpulpfecenc (RFC 5109) protects "
      "each picture separately, and rtpulpfecdec learns one group later "
      "which packets are lost.\n"
      "rtpst2022-1-fecenc (SMPTE 2022-1) has a matrix of about as many "
      "packets as our blocks, and uses rows only if columns alone give "
      "too few repair packets.\n\n");
  repair_peers_add_table (text);
}

/* Another program makes this table. */
static void
add_tcp (GString *text)
{
  g_string_append (text,
      "\n## Beside TCP\n\n"
      "A receiver and a TCP connection share a link of 4 Mbit/s that "
      "loses packets. The layers have 300, 300, 600 and 1200 kbit/s, "
      "with or without repair data in this rate.\n"
      "*its share*, *TCP's share*: of half the link. *whole*: of the "
      "pictures of which all packets were sent to groups that the "
      "receiver had joined.\n"
      "*spoiled*: repair data is sent but useless, so that the level "
      "takes the same course as with repair data.\n"
      "`build/tests/check/repair-beside-tcp --markdown "
      "docs/measured/repair.md` writes this table.\n\n"
      "<!-- repair-beside-tcp begins -->\n"
      "<!-- repair-beside-tcp ends -->\n");
}

static void
add_small_blocks (GString *text)
{
  g_string_append (text,
      "\n## What small blocks cost\n\n"
      "The smallest share of repair data that makes 99.5 % of the "
      "pictures whole at 2 % loss, and 99 % at 10 %. The fewer packets a "
      "block has, the larger this share.\n\n");
  repair_least_add_table (text);
}

static void
add_pyramid (GString *text)
{
  g_string_append (text,
      "\n## Layers that double\n\n"
      "One second of x264 with seven B-frames and a pyramid, 0.9 Mbit/s, "
      "in layers of 150, 150, 300, 600 and 1200 kbit/s, at 2 % loss. The "
      "receiver joins all layers.\n"
      "The key frame does not fit into the base layer and is split over "
      "layers 1 and 2. Per layer: recovered packets, in % of its lost "
      "ones. *no room*: pictures that do not fit into the layers.\n\n");
  repair_pyramid_add_table (text);
}

static void
add_bursts (GString *text)
{
  g_string_append (text,
      "\n## Bursts of lost packets\n\n"
      "A longer block helps, because a burst takes a smaller part of it.\n\n");
  repair_rows_add_table (text, burst_rows, G_N_ELEMENTS (burst_rows));
}

static void
add_profiles (GString *text)
{
  g_string_append (text,
      "\n## Latency profiles\n\n"
      "Groups as lmccsink makes them of raw video with `latency-profile` "
      "`live`, `balanced` and `quality`.\n"
      "In a shorter group fewer packets share the repair packets, and "
      "fewer pictures depend on a lost one.\n\n");
  repair_rows_add_table (text, profile_rows, G_N_ELEMENTS (profile_rows));
}

static void
add_native (GString *text)
{
  g_string_append (text,
      "\n## Native layers\n\n"
      "A base layer of 300 kbit/s with groups of 1 s. Repair data adds "
      "twice `repair-delay` to the latency of every receiver:\n"
      "the sender collects a block for three quarters of this time, and "
      "sends its repair data in the last quarter.\n\n");
  add_native_table (text);
}

static void
add_clip (GString *text)
{
  g_string_append (text,
      "\n## A real clip\n\n"
      "`" REPAIR_CLIP_PATH
      "` as it was encoded, 0.8 Mbit/s with groups of 2 s and two "
      "classes, in layers of 800, 400 and 600 kbit/s. Level 0 is the "
      "base layer alone, level 2 all layers.\n"
      "*no room*: pictures, per 20 s of the clip, that do not fit into "
      "the layers. In the rows of 0 % the layers carry no repair data at "
      "all.\n\n");
  repair_clip_add_table (text);
  repair_clip_add_least (text);
}

static void
add_doubling_clip (GString *text)
{
  g_string_append (text,
      "\n## The clip in layers that double\n\n"
      "Layers of 400, 400, 800 and 1600 kbit/s. A receiver of more "
      "layers has more repair data of the base layer, too. The sender "
      "expects 2 % of loss, as lmccsink does, in bursts as long as those "
      "of the path.\n"
      "*damaged*: pictures that would be shown without loss, and are "
      "not. Means of five seeds.\n\n");
  repair_clip_add_doubling (text);
}

static void
add_native_clip (GString *text)
{
  g_string_append (text,
      "\n## The clip in native layers\n\n"
      "`repair=0.15`, the default `repair-delay`, and a sender that "
      "expects losses as above. The layers are the two classes of the "
      "clip; or three qualities of three temporal classes, as from "
      "vp9svcenc; or three encodings of two classes.\n\n"
      "- *damaged*: pictures of which no encoding or quality can be "
      "decoded, of those that could be without loss. *best missing*: "
      "pictures without the highest encoding or quality of the level.\n"
      "- *required*: the most that may be damaged of the base layer, "
      "with a tolerance of 30 %.\n"
      "- *recoverable*: lost packets that the best code with these "
      "repair packets recovers. *recovered*: the receiver's count, which "
      "begins and ends a little later. Sums of five seeds.\n\n");
  repair_native_add_table (text);
  g_string_append (text,
      "\nAt level 0, bursts of three exceed what a share of 15 % repairs "
      "within 1 s. This is the gain of a longer `repair-delay`:\n\n");
  repair_native_add_delays (text);
}

/**
 * repair_page_make:
 * @required: the table of requirements
 *
 * Makes all other tables. Needs repair_clip_read() first.
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
