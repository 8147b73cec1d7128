/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Duels of algorithms that need the sender's marks, with the real sender and
 * receivers.
 */
#include "support/test-duel.h"

#include <gst/check/gstcheck.h>

#define LINK_100_MBPS LINK, .mbps = 100, .rtt_ms = 40, .queue_packets = 100

/* Five layers: R = 128, 256, 512, 1024, 2048 kbit/s. RLC: t_0 = 0.5 s; the
 * next layer is joined at the first point of the level after a whole
 * interval without loss: at most 2 (1 + 2 + 4 + 8) t_0. */
static const TestStep all_of_five[] = { { LINK_100_MBPS }, { RECEIVER },
  { RUN (20000) }, { CHECK, LEVEL (4, 4), .why = "without a bottleneck" },
  { MARK }, { RUN (60000) },
  { CHECK, LEVEL (4, 4), CHANGES (0), LOSS (0, 0),
      .why = "and the level is stable" },
  END };

/* FLID's 24 kbit/s and c = 1.3; 20 levels: R_19 = 3.5 Mbit/s. With the
 * increase probabilities, the climb takes 1 / p_i slots for each of 19
 * levels; p_i is above 0.1 up to there. */
static const TestStep all_of_twenty[] = { { LINK_100_MBPS }, { RECEIVER },
  { RUN (95000) }, { CHECK, LEVEL (19, 19), .why = "without a bottleneck" },
  { MARK }, { RUN (60000) },
  { CHECK, LEVEL (19, 19), CHANGES (0), LOSS (0, 0),
      .why = "and the level is stable" },
  END };

/* R_2 = 512 kbit/s fits, R_3 = 1024 does not. A burst of level 2 has 1024
 * kbit/s for T_b = 0.25 s, which queues 8.6 packets of 1000 bytes. A smaller
 * queue loses 1 to 6 of the 128 packets between two points of level 2. This
 * one has room for packets that layers send at the same moment. */
static const TestStep bursts_that_show[] = { { LINK, .mbps = 0.75, .rtt_ms = 40,
                                                 .queue_ms = 75 },
  { RECEIVER }, { RUN (20000) }, { MARK }, { RUN (200000) },
  { CHECK, LEVEL (2, 2), CHANGES (0), LOSS (.002, .05),
      .why = "the highest level that fits, and no other is tried" },
  END };

/* With a larger queue, one layer too many is joined, and dropped after the
 * queue has overflowed (Legout and Biersack, "Pathological Behaviors for RLM
 * and RLC", NOSSDAV 2000). Level 3 all the time would lose 1 - 750 / 1024. */
static const TestStep bursts_that_do_not_show[] = {
  { LINK, .mbps = 0.75, .rtt_ms = 40, .queue_ms = 150 }, { RECEIVER },
  { RUN (20000) }, { MARK }, { RUN (200000) },
  { CHECK, HELD (2, 2), LOSS (.01, .15), SHARE (.65, 1),
      .why = "the highest level that fits, with join experiments" },
  END
};

/* R_14 = 945 kbit/s fits, R_15 = 1228 does not: that level all the time
 * would lose 0.19. FLID-DL, figure 4: c = 1.3 uses 85 % of a link. */
static const TestStep a_link_for_flid[] = { { LINK, .mbps = 1, .rtt_ms = 40,
                                                .queue_packets = 20 },
  { RECEIVER }, { RUN (60000) }, { MARK }, { RUN (200000) },
  { CHECK, HELD (13, 14), SHARE (.75, 1), LOSS (0, .10),
      .why = "the link is used" },
  END };

/* Without a sign in advance that a layer does not fit, it is tried at each
 * of its points (Wei and Zhang, "On Receiver-Driven Layered Multicast
 * Transmission", UCLA 2000, section II). */
static const TestStep experiments[] = { { LINK, .mbps = 0.75, .rtt_ms = 40,
                                            .queue_ms = 75 },
  { RECEIVER }, { RUN (20000) }, { MARK }, { RUN (200000) },
  { CHECK, HELD (1, 2), LOSS (.005, .15), SHARE (.5, 1),
      .why = "the highest level that fits, with join experiments" },
  END };

#define FIVE .shaped = TRUE, .n_layers = 5
#define TWENTY .shaped = TRUE, .base_kbps = 24, .factor = 1.3, .n_layers = 20

static const TestDuel duels[] = {
  { "rlc-clean", "rlc", FIVE, .steps = all_of_five },
  { "rlc-bursts", "rlc", FIVE, .steps = bursts_that_show },
  { "rlc-queue", "rlc", FIVE, .leave_ms = 500,
      .steps = bursts_that_do_not_show },
  { "synchronized-clean", "synchronized", FIVE, .steps = all_of_five },
  { "synchronized-link", "synchronized", FIVE, .leave_ms = 500,
      .steps = experiments },
  { "flid-sl-clean", "flid-sl", TWENTY, .steps = all_of_twenty },
  { "flid-sl-link", "flid-sl", TWENTY, .steps = a_link_for_flid },
  { "flid-dl-clean", "flid-dl", TWENTY, .leave_ms = 4000,
      .steps = all_of_twenty },
  { "flid-dl-link", "flid-dl", TWENTY, .leave_ms = 4000,
      .steps = a_link_for_flid },
};

GST_START_TEST (test_the_senders_marks_lead_receivers_to_what_fits)
{
  g_autofree gchar *faults = test_duel_run (&duels[__i__], 1);

  fail_unless (faults == NULL, "%s", faults);
}

GST_END_TEST;

static Suite *
mark_duels_suite (void)
{
  Suite *s = suite_create ("mark-duels");
  TCase *tc = tcase_create ("marks");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_loop_test (tc, test_the_senders_marks_lead_receivers_to_what_fits,
      0, G_N_ELEMENTS (duels));

  return s;
}

GST_CHECK_MAIN (mark_duels);
