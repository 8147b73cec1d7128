/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Duels: one controller on a link that changes, with other receivers, TCP
 * connections and adverse paths.
 */
#include "support/test-duel.h"

#include <gst/check/gstcheck.h>
#include <stdlib.h>

/* Tests of the simulated network itself, with receivers at fixed levels. */

static const TestStep too_much_for_the_link[] = {
  { LINK, .mbps = 3, .rtt_ms = 40, .queue_packets = 50 },
  { RECEIVER, .max_level = 5 + 1, .why = "R_5 is 4.096 Mbit/s" },
  { RUN (10000) }, { MARK }, { RUN (60000) },
  { CHECK, HELD (5, 5), LOSS (.264, .271),
      .why = "the excess is lost: 1 - 3 / 4.096" },
  { CHECK, SHARE (.999, 1.001), .why = "the link is fully used" },
  { CHECK, DELAY_MS (133.3, 136.1),
      .why = "50 waiting packets, and the rest of the one being sent" },
  END
};

static const TestStep enough_for_all[] = { { LINK, .mbps = 5, .rtt_ms = 40,
                                               .queue_packets = 50 },
  { RECEIVER, .count = 8, .max_level = 5 + 1 }, { RUN (10000) }, { MARK },
  { RUN (60000) },
  { CHECK, LEVEL (5, 5), LOSS (0, 0), CHANGES (0), .equal = TRUE,
      .why = "no packet is lost" },
  { CHECK, SHARE (.98 * 4.096 / 5, 1.02 * 4.096 / 5),
      .why = "the shared link carries one copy; the rates are right" },
  END };

static const TestDuel net_duels[] = {
  { "too-much-for-the-link", "none", .steps = too_much_for_the_link },
  { "enough-for-all", "none", .steps = enough_for_all },
};

/* ELM. On 3 Mbit/s R_4 = 2.048 Mbit/s fits and R_5 = 4.096 does not. */

#define LINK_3_MBPS LINK, .mbps = 3, .rtt_ms = 60, .queue_bdp = 2

static const TestStep clean_start[] = { { LINK_3_MBPS },
  { RECEIVER, .why = "alone" }, { RUN (30000) }, { MARK }, { RUN (60000) },
  { CHECK, HELD (4, 4), LOSS (0, .05), CHANGES (8),
      .why = "reaches the highest fitting level within 30 s, and stays there" },
  END };

static const TestStep bottleneck_halves[] = { { LINK_3_MBPS }, { RECEIVER },
  { RUN (90000) }, { MARK },
  { LINK, .mbps = 1.5, .why = "the bottleneck halves: R_3 is 1.024" },
  { RUN (10000) },
  { CHECK, .down_within_ms = 3000, .why = "the level goes down at once" },
  { MARK }, { RUN (20000) },
  { CHECK, HELD (3, 3), .why = "to the fitting level" },
  { LINK, .mbps = 3, .why = "full rate again" }, { RUN (60000) }, { MARK },
  { RUN (20000) },
  { CHECK, HELD (4, 4), .why = "the level is back within a minute" }, END };

static const TestStep late_joiner[] = { { LINK_3_MBPS }, { RECEIVER },
  { RUN (60000) }, { RECEIVER, .why = "another one joins later" },
  { RUN (60000) }, { MARK }, { RUN (20000) },
  { CHECK, HELD (4, 4), .equal = TRUE,
      .why = "and reaches the level of the first one" },
  END };

static const TestStep two_receivers[] = { { LINK_3_MBPS },
  { RECEIVER, .count = 2 }, { RUN (60000) }, { MARK }, { RUN (60000) },
  { CHECK, HELD (4, 4), .equal = TRUE, .why = "one link, one level" }, END };

static const TestStep eight_receivers[] = { { LINK_3_MBPS },
  { RECEIVER, .count = 8 }, { RUN (60000) }, { MARK }, { RUN (60000) },
  { CHECK, HELD (4, 4), .equal = TRUE, .why = "one link, one level" }, END };

static const TestStep sixty_four_receivers[] = { { LINK_3_MBPS },
  { RECEIVER, .count = 64 }, { RUN (180000) }, { MARK }, { RUN (60000) },
  { CHECK, HELD (4, 4), .equal = TRUE, .why = "one link, one level" }, END };

static const TestStep beside_tcp[] = { { LINK_3_MBPS }, { RECEIVER },
  { RUN (30000) }, { FLOW, .why = "a TCP connection starts" }, { RUN (60000) },
  { MARK }, { RUN (180000) },
  { CHECK, SHARE (.25, .8), FLOW_SHARE (.25, .8), .why = "no flow starves" },
  END };

static const TestStep beside_four_tcp[] = { { LINK, .mbps = 12, .rtt_ms = 60,
                                                .queue_bdp = 2 },
  { RECEIVER }, { RUN (30000) },
  { FLOW, .count = 4, .extra_ms = 10,
      .why = "four TCP connections, as in the paper's 6.3" },
  { RUN (60000) }, { MARK }, { RUN (180000) },
  { CHECK, SHARE (.2 / 4, .2 * 4),
      .why = "a fair share is 1/5: at most four times more or less" },
  END };

static const TestStep radio_link[] = {
  { LINK, .mbps = 20, .rtt_ms = 60, .queue_bdp = 1, .loss = .01,
      .why = "the formula allows 1.5 Mbit/s: R_3 is 1.024, R_4 2.048" },
  { RECEIVER }, { RUN (60000) }, { MARK }, { RUN (120000) },
  { CHECK, HELD (3, 4), CHANGES (12), .why = "the rate of TCP" }, END
};

static const TestStep slow_leave[] = { { LINK_3_MBPS }, { RECEIVER },
  { RUN (60000) }, { MARK }, { RUN (60000) },
  { CHECK, HELD (4, 4), .why = "packets after a leave cause no further leave" },
  { MARK }, { LINK, .mbps = 1.5, .why = "the bottleneck halves" },
  { RUN (10000) },
  { CHECK, .down_within_ms = 3000, .why = "the level goes down at once" },
  { MARK }, { RUN (30000) },
  { CHECK, HELD (3, 3), .why = "to the fitting level, and not further" }, END };

static const TestStep feedback_cut[] = { { LINK_3_MBPS }, { RECEIVER },
  { RUN (60000) },
  { FEEDBACK, .stop = TRUE, .why = "reports no longer reach the sender" },
  { RUN (20000) }, { MARK }, { RUN (40000) },
  { CHECK, HELD (4, 4), .why = "the level stays" }, { MARK },
  { LINK, .mbps = 1.5, .why = "the bottleneck halves" }, { RUN (10000) },
  { CHECK, .down_within_ms = 3000, .why = "the level goes down at once" },
  { MARK }, { RUN (20000) }, { CHECK, HELD (3, 3) },
  { LINK, .mbps = 3, .why = "full rate again" }, { RUN (60000) }, { MARK },
  { RUN (20000) },
  { CHECK, HELD (4, 4), .why = "the level is back within a minute" }, END };

static const TestDuel elm_duels[] = {
  { "elm-clean-start", "elm", .steps = clean_start },
  { "elm-bottleneck-halves", "elm", .steps = bottleneck_halves },
  { "elm-late-joiner", "elm", .steps = late_joiner },
  { "elm-two-receivers", "elm", .steps = two_receivers },
  { "elm-eight-receivers", "elm", .steps = eight_receivers },
  { "elm-sixty-four-receivers", "elm", .steps = sixty_four_receivers },
  { "elm-beside-tcp", "elm", .steps = beside_tcp },
  { "elm-beside-four-tcp", "elm", .steps = beside_four_tcp },
  { "elm-radio-link", "elm", .steps = radio_link },
  { "elm-slow-leave", "elm", .leave_ms = 2000, .steps = slow_leave },
  { "elm-feedback-cut", "elm", .steps = feedback_cut },
};

/* Plumb: it needs seconds where ELM needs a minute, and no packet is lost
 * while it is alone on a link. The first packet arrives half a second after
 * the start. */

static const TestStep alone[] = { { LINK_3_MBPS }, { RECEIVER }, { RUN (5500) },
  { CHECK, LEVEL (4, 4), .why = "the fitting level within 5 s" }, { MARK },
  { RUN (300000) },
  { CHECK, LEVEL (4, 4), CHANGES (0), LOSS (0, 0),
      .why = "and no failed joins after that" },
  END };

/* At any phase of the sender's trains: a layer that is joined after the start
 * of the next level's train costs a cycle of 2 s. */
#define START_AT(ms)                                                        \
  {                                                                         \
    { LINK, .mbps = 50, .rtt_ms = 60, .queue_bdp = 1 }, { RUN (ms) },       \
        { RECEIVER }, { RUN (5000) },                                       \
        { CHECK, LEVEL (8, 8), .why = "the fitting level within 5 s" }, END \
  }

static const TestStep fast_path_1[] = START_AT (4000);
static const TestStep fast_path_2[] = START_AT (4500);
static const TestStep fast_path_3[] = START_AT (5000);
static const TestStep fast_path_4[] = START_AT (5500);

static const TestStep link_changes[] = { { LINK_3_MBPS }, { RECEIVER },
  { RUN (90000) }, { MARK }, { LINK, .mbps = 1.5, .why = "the link halves" },
  { RUN (10000) },
  { CHECK, .down_within_ms = 2000, .why = "the level goes down at once" },
  { MARK }, { RUN (20000) },
  { CHECK, LEVEL (3, 3), CHANGES (0), LOSS (0, 0),
      .why = "to the fitting level" },
  { LINK, .mbps = 3, .why = "full rate again" }, { RUN (5000) },
  { CHECK, LEVEL (4, 4), .why = "the level is back within 5 s" },
  { LINK, .mbps = 0.75, .why = "a quarter of the rate" }, { RUN (10000) },
  { MARK }, { RUN (20000) }, { CHECK, HELD (2, 2), .why = "two levels down" },
  { LINK, .mbps = 12, .why = "four times the rate" }, { RUN (20000) },
  { CHECK, LEVEL (6, 6), .why = "one level after the other" }, END };

static const TestStep tcp_leaves[] = { { LINK_3_MBPS }, { RECEIVER },
  { RUN (30000) }, { FLOW, .count = 2, .extra_ms = 10 }, { RUN (120000) },
  { FLOW, .of = 1, .stop = TRUE }, { FLOW, .of = 2, .stop = TRUE },
  { RUN (5000) },
  { CHECK, LEVEL (4, 4), .why = "the freed capacity is used within 5 s" },
  END };

static const TestStep tcp_comes[] = { { LINK_3_MBPS }, { RECEIVER },
  { RUN (60000) }, { FLOW, .why = "TCP starts" }, { RUN (10000) }, { MARK },
  { RUN (20000) },
  { CHECK, FLOW_SHARE (.25, .8), .why = "it soon has its share" }, END };

static const TestStep after_tcp[] = { { LINK, .mbps = 12, .rtt_ms = 60,
                                          .queue_bdp = 2 },
  { FLOW, .count = 4, .extra_ms = 10 }, { RUN (60000) },
  { RECEIVER, .why = "the share is 2.4 Mbit/s, R_4 2.048" }, { RUN (10500) },
  { CHECK, LEVEL (3, 5), .why = "within a level of it after 10 s" }, END };

static const TestStep long_leave[] = { { LINK_3_MBPS }, { RECEIVER },
  { RUN (60000) }, { MARK }, { LINK, .mbps = 1.5, .why = "the link halves" },
  { RUN (20000) }, { CHECK, LEVEL (3, 3), .why = "and not two levels" }, END };

#define HALVES_AND_OPENS                                                      \
  { LINK, .mbps = 1.5, .why = "the link halves" }, { RUN (30000) },           \
      { CHECK, LEVEL (3, 3) }, { LINK, .mbps = 3, .why = "full rate again" }, \
      { RUN (5000) }, { CHECK, LEVEL (4, 4), .why = "back within 5 s" },      \
  {                                                                           \
    RUN (25000)                                                               \
  }

static const TestStep again_and_again[] = { { LINK_3_MBPS }, { RECEIVER },
  { RUN (30000) }, HALVES_AND_OPENS, HALVES_AND_OPENS, HALVES_AND_OPENS,
  HALVES_AND_OPENS, END };

static const TestStep outage[] = { { LINK_3_MBPS }, { RECEIVER },
  { RUN (60000) }, { LINK, .loss = 1, .why = "all packets are lost" },
  { RUN (9000) },
  { CHECK, LEVEL (0, 4), .why = "and no further layer is joined" },
  { LINK, .loss = -1, .why = "no more losses" }, { RUN (20000) },
  { CHECK, LEVEL (4, 4), .why = "the level is back after 20 s" }, END };

static const TestStep capped[] = { { LINK_3_MBPS },
  { RECEIVER, .max_level = 2 + 1, .why = "the user sets a cap" },
  { RUN (30000) }, { MARK }, { RUN (60000) },
  { CHECK, LEVEL (2, 2), CHANGES (0), LOSS (0, 0) },
  { FLOW, .count = 8, .extra_ms = 10, .why = "a share is a third of R_2" },
  { RUN (60000) }, { MARK }, { RUN (60000) },
  { CHECK, HELD (0, 2), FLOW_SHARE (.02, .3),
      .why = "it yields as without a cap" },
  END };

/* Adverse paths: no level above the path's capacity for longer than 2 s, and
 * none below it for longer than 10 s. */

#define HELD_WHERE_CARRIED(level)       \
  {                                     \
    CHECK, CARRIED (level, 2000, 10000) \
  }

#define ROUGH(...)                                                         \
  { LINK_3_MBPS }, { AIR, .air = { __VA_ARGS__ } }, { RECEIVER },          \
      { RUN (10500) }, { MARK }, { RUN (120000) }, HELD_WHERE_CARRIED (4), \
      { MARK }, { LINK, .mbps = 1.5, .why = "the link halves" },           \
      { RUN (40000) }, HELD_WHERE_CARRIED (3)

static const TestStep jitter_batches[] = {
  ROUGH (.jitter = 100 * LMCC_MSECOND, .kind = TEST_JITTER_BATCHES), END
};
static const TestStep jitter_in_order[] = {
  ROUGH (.jitter = 100 * LMCC_MSECOND, .kind = TEST_JITTER_IN_ORDER), END
};

/* A packet overtaken by three packets of its layer counts as lost (RFC 5348
 * section 5.1), which applies to nearly all here. */
static const TestStep jitter_random[] = { { LINK_3_MBPS },
  { AIR, .air = { .jitter = 100 * LMCC_MSECOND, .kind = TEST_JITTER_RANDOM } },
  { RECEIVER }, { RUN (10500) }, { MARK }, { RUN (120000) },
  { CHECK, CARRIED (4, 2000, 10000) }, END };

static const TestStep reordered[] = {
  ROUGH (.reordered = .1, .late = 20 * LMCC_MSECOND), END
};

static const TestStep sender_paused[] = { { LINK_3_MBPS }, { RECEIVER },
  { RUN (30000) }, { MARK },
  { PAUSE (300), .why = "the sender's host is busy" }, { RUN (30000) },
  { PAUSE (300), .why = "once more" }, { RUN (30000) }, HELD_WHERE_CARRIED (4),
  END };

static const TestStep receiver_suspended[] = { { LINK_3_MBPS }, { RECEIVER },
  { RUN (30000) }, { MARK },
  { PAUSE (5000), .of = 1, .why = "no packets, then a burst" }, { RUN (40000) },
  HELD_WHERE_CARRIED (4),
  { PAUSE (5000), .of = 1, .why = "the link halves meanwhile" },
  { LINK, .mbps = 1.5 }, { RUN (5000) }, { MARK }, { RUN (30000) },
  HELD_WHERE_CARRIED (3), END };

/* After a silence of LMCC_REJOIN_TIMEOUT, a receiver joins its groups again. */
static const TestStep switch_forgets[] = { { LINK_3_MBPS }, { RECEIVER },
  { RUN (30000) }, { FORGET, .why = "no querier any more; all groups stop" },
  { RUN (10500) }, { MARK }, { RUN (30000) }, HELD_WHERE_CARRIED (4), END };

static const TestStep switch_forgets_layers[] = { { LINK_3_MBPS }, { RECEIVER },
  { RUN (30000) }, { FORGET, .of = 2, .why = "the upper layers stop" },
  { RUN (10500) }, { MARK }, { RUN (30000) }, HELD_WHERE_CARRIED (4), END };

/* 1.5 of 2.048 Mbit/s get through, of all layers alike. */
static const TestStep leaves_not_honoured[] = { { LINK_3_MBPS }, { RECEIVER },
  { RUN (60000) }, { MARK }, { LINK, .mbps = 1.5, .why = "the link halves" },
  { RUN (60000) },
  { CHECK, .ended_within_ms = 40000,
      .why = "it ends because the network ignores leaves" },
  END };

/* F is 2.4 Mbit/s: levels take turns between R_4 = 2.048 and R_5 = 4.096,
 * with four changes in these 300 s. */
static const TestStep seldom_changes[] = {
  { LINK, .mbps = 12, .rtt_ms = 60, .queue_bdp = 2 }, { RECEIVER },
  { RUN (10000) }, { FLOW, .count = 4, .extra_ms = 7, .why = "TCP starts" },
  { RUN (110000) }, { MARK }, { RUN (300000) },
  { CHECK, HELD (4, 4), CHANGES (2), SHARE (.13, .26),
      .why = "it stays at the nearest level" },
  END
};

static const TestDuel plumb_duels[] = {
  { "plumb-alone", "plumb", .steps = alone },
  { "plumb-fast-path-1", "plumb", .shaped = TRUE, .n_layers = 10,
      .steps = fast_path_1 },
  { "plumb-fast-path-2", "plumb", .shaped = TRUE, .n_layers = 10,
      .steps = fast_path_2 },
  { "plumb-fast-path-3", "plumb", .shaped = TRUE, .n_layers = 10,
      .steps = fast_path_3 },
  { "plumb-fast-path-4", "plumb", .shaped = TRUE, .n_layers = 10,
      .steps = fast_path_4 },
  { "plumb-link-changes", "plumb", .steps = link_changes },
  { "plumb-again-and-again", "plumb", .steps = again_and_again },
  { "plumb-outage", "plumb", .steps = outage },
  { "plumb-capped", "plumb", .steps = capped },
  { "plumb-tcp-leaves", "plumb", .steps = tcp_leaves },
  { "plumb-tcp-comes", "plumb", .steps = tcp_comes },
  { "plumb-after-tcp", "plumb", .steps = after_tcp },
  { "plumb-long-leave", "plumb", .leave_ms = 2600, .steps = long_leave },
  { "plumb-longer-leave", "plumb", .leave_ms = 4000, .steps = long_leave },
  { "plumb-unseen-long-leave", "plumb", .leave_ms = 2600,
      .left_is_unseen = TRUE, .steps = long_leave },
  { "plumb-unseen-longer-leave", "plumb", .leave_ms = 4000,
      .left_is_unseen = TRUE, .steps = long_leave },
  { "plumb-jitter-batches", "plumb", .steps = jitter_batches },
  { "plumb-jitter-in-order", "plumb", .steps = jitter_in_order },
  /* One in six fails, because jitter hides what trains show. */
  { "plumb-jitter-random", "plumb", .runs = 7, .may_fail = 2,
      .steps = jitter_random },
  { "plumb-reordered", "plumb", .steps = reordered },
  { "plumb-sender-paused", "plumb", .steps = sender_paused },
  { "plumb-receiver-suspended", "plumb", .steps = receiver_suspended },
  { "plumb-switch-forgets", "plumb", .steps = switch_forgets },
  { "plumb-switch-forgets-layers", "plumb", .steps = switch_forgets_layers },
  { "plumb-leaves-not-honoured", "plumb", .leave_ms = 180000,
      .steps = leaves_not_honoured },
  { "plumb-leaves-not-honoured-unseen", "plumb", .leave_ms = 180000,
      .left_is_unseen = TRUE, .steps = leaves_not_honoured },
  { "plumb-bottleneck-halves", "plumb", .steps = bottleneck_halves },
  { "plumb-late-joiner", "plumb", .steps = late_joiner },
  { "plumb-two-receivers", "plumb", .steps = two_receivers },
  { "plumb-eight-receivers", "plumb", .steps = eight_receivers },
  { "plumb-sixty-four-receivers", "plumb", .steps = sixty_four_receivers },
  { "plumb-beside-tcp", "plumb", .steps = beside_tcp },
  { "plumb-beside-four-tcp", "plumb", .steps = beside_four_tcp },
  { "plumb-steady", "plumb", "prefer=steady", .steps = seldom_changes },
  { "plumb-slow-leave", "plumb", .leave_ms = 2000, .steps = slow_leave },
  { "plumb-radio-link", "plumb", .steps = radio_link },
  { "plumb-feedback-cut", "plumb", .steps = feedback_cut },
};

/* Success with one seed may be luck: LMCC_DUEL_SEEDS sets the number of
 * seeds. */
static guint
count_seeds (void)
{
  const gchar *text = g_getenv ("LMCC_DUEL_SEEDS");

  return text != NULL ? (guint) MAX (atoi (text), 1) : 1;
}

GST_START_TEST (test_the_network_is_exact)
{
  g_autofree gchar *faults = test_duel_run (&net_duels[__i__], 1);

  fail_unless (faults == NULL, "%s", faults);
}

GST_END_TEST;

GST_START_TEST (test_elm)
{
  g_autofree gchar *faults = test_duel_run (&elm_duels[__i__], count_seeds ());

  fail_unless (faults == NULL, "%s", faults);
}

GST_END_TEST;

GST_START_TEST (test_plumb)
{
  g_autofree gchar *faults =
      test_duel_run (&plumb_duels[__i__], count_seeds ());

  fail_unless (faults == NULL, "%s", faults);
}

GST_END_TEST;

static Suite *
duels_suite (void)
{
  Suite *s = suite_create ("duels");
  TCase *net = tcase_create ("net");
  TCase *elm = tcase_create ("elm"), *plumb = tcase_create ("plumb");

  suite_add_tcase (s, net);
  tcase_set_timeout (net, 60);
  tcase_add_loop_test (net, test_the_network_is_exact, 0,
      test_net_is_slow () ? 1 : G_N_ELEMENTS (net_duels));

  if (lmcc_algorithm_find ("elm") == NULL)
    return s;
  suite_add_tcase (s, elm);
  tcase_set_timeout (elm, 60 * count_seeds ());
  tcase_add_loop_test (elm, test_elm, 0,
      test_net_is_slow () ? 2 : G_N_ELEMENTS (elm_duels));
  suite_add_tcase (s, plumb);
  tcase_set_timeout (plumb, 60 * count_seeds ());
  tcase_add_loop_test (plumb, test_plumb, 0,
      test_net_is_slow () ? 2 : G_N_ELEMENTS (plumb_duels));

  return s;
}

GST_CHECK_MAIN (duels);
