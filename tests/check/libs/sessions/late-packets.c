/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests paths on which a tenth of the packets arrive late. No receiver may
 * be below the level that the path carries for longer than 10 s, or above it
 * for longer than 2 s.
 */
#include "support/test-duel.h"

#include <gst/check/gstcheck.h>
#include <stdlib.h>

#define SHARE_OF_LATE 0.1

/* Share of the link that the level needs: R_4 at 128 kbit/s on 3 Mbit/s. */
#define SHARE_OF_LEVEL 0.68

static const struct
{
  gdouble mbps;
  gint level;
} links[] = { { 1, 3 }, { 3, 4 }, { 12, 6 }, { 50, 8 } };

static const guint late_ms[] = { 5, 20, 50, 100 };

#define N_PATHS (G_N_ELEMENTS (links) * G_N_ELEMENTS (late_ms))

static guint
count_seeds (void)
{
  const gchar *text = g_getenv ("LMCC_DUEL_SEEDS");

  return text != NULL ? (guint) MAX (atoi (text), 1) : 1;
}

static const gchar *
get_algorithm (void)
{
  const gchar *text = g_getenv ("LMCC_DUEL_ALGORITHM");

  return text != NULL ? text : "plumb";
}

static void
run (guint path, const TestStep *steps, const gchar *what)
{
  const gdouble mbps = links[path / G_N_ELEMENTS (late_ms)].mbps;
  const gint level = links[path / G_N_ELEMENTS (late_ms)].level;
  const guint late = late_ms[path % G_N_ELEMENTS (late_ms)];
  g_autofree gchar *name =
      g_strdup_printf ("reordering-%s-%g-%u", what, mbps, late);
  const TestDuel duel = { name, get_algorithm (),
    .shaped = !g_str_equal (get_algorithm (), "plumb")
        && !g_str_equal (get_algorithm (), "elm"),
    .base_kbps = SHARE_OF_LEVEL * 1000 * mbps / (1 << level), .n_layers = 10,
    .steps = steps };
  g_autofree gchar *faults = test_duel_run (&duel, count_seeds ());

  fail_unless (faults == NULL, "%s", faults);
}

GST_START_TEST (test_what_is_carried_is_held)
{
  const gdouble mbps = links[__i__ / G_N_ELEMENTS (late_ms)].mbps;
  const gint level = links[__i__ / G_N_ELEMENTS (late_ms)].level;
  const LmccTime late = late_ms[__i__ % G_N_ELEMENTS (late_ms)] * LMCC_MSECOND;
  const TestStep steps[] = { { LINK, .mbps = mbps, .rtt_ms = 60,
                                 .queue_bdp = 2 },
    { AIR, .air = { .reordered = SHARE_OF_LATE, .late = late } }, { RECEIVER },
    { RUN (10500) }, { MARK }, { RUN (60000) },
    { CHECK, CARRIED (level, 2000, 10000), .why = "alone" }, { MARK },
    { LINK, .mbps = mbps / 2, .why = "the link halves" }, { RUN (40000) },
    { CHECK, CARRIED (level - 1, 2000, 10000) }, { MARK },
    { LINK, .mbps = mbps, .why = "full rate again" }, { RUN (60000) },
    { CHECK, CARRIED (level, 2000, 10000) }, END };

  run ((guint) __i__, steps, "alone");
}

GST_END_TEST;

GST_START_TEST (test_beside_tcp)
{
  const gdouble mbps = links[__i__ / G_N_ELEMENTS (late_ms)].mbps;
  const LmccTime late = late_ms[__i__ % G_N_ELEMENTS (late_ms)] * LMCC_MSECOND;
  const TestStep steps[] = { { LINK, .mbps = mbps, .rtt_ms = 60,
                                 .queue_bdp = 2 },
    { AIR, .air = { .reordered = SHARE_OF_LATE, .late = late } }, { RECEIVER },
    { RUN (30000) }, { FLOW, .why = "a TCP connection starts" },
    { RUN (60000) }, { MARK }, { RUN (180000) },
    { CHECK, SHARE (.25, .8), FLOW_SHARE (.25, .8), .why = "no flow starves" },
    END };

  run ((guint) __i__, steps, "tcp");
}

GST_END_TEST;

static Suite *
late_packets_suite (void)
{
  Suite *s = suite_create ("late-packets");
  TCase *alone = tcase_create ("alone"), *tcp = tcase_create ("tcp");
  const gint n = test_net_is_slow () ? 1 : N_PATHS;

  suite_add_tcase (s, alone);
  tcase_set_timeout (alone, 120 * count_seeds ());
  tcase_add_loop_test (alone, test_what_is_carried_is_held, 0, n);
  suite_add_tcase (s, tcp);
  tcase_set_timeout (tcp, 120 * count_seeds ());
  tcase_add_loop_test (tcp, test_beside_tcp, 0, n);

  return s;
}

GST_CHECK_MAIN (late_packets);
