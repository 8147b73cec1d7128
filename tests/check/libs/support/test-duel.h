/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Duels: tables of steps that say what a network does and what receivers must
 * make of it. The same table is a test and, with LMCC_DUEL_TRACE=DIRECTORY, a trace
 * that tests/plots/duels.py draws.
 */
#ifndef TEST_DUEL_H
#define TEST_DUEL_H

#include "support/test-net.h"

#define TEST_DUEL_SAMPLE (100 * LMCC_MSECOND)

/**
 * TestStepKind:
 * @TEST_END: the last step
 * @TEST_LINK: a link changes; what is not named stays
 * @TEST_RECEIVER: receivers start, or with .stop one stops
 * @TEST_FLOW: TCP flows start, or with .stop one stops
 * @TEST_FEEDBACK: reports get to the sender, or with .stop no longer
 * @TEST_AIR: jitter and reordering behind all links, from now on
 * @TEST_PAUSE: the sender's process does not run for .ms; with @of that of receiver
 *     k, from 1
 * @TEST_FORGET: the last switch forgets memberships of layer @of and those above
 * @TEST_RUN: time passes
 * @TEST_MARK: what is checked counts from here
 * @TEST_CHECK: what must be true now
 */
typedef enum
{
  TEST_END,
  TEST_LINK,
  TEST_RECEIVER,
  TEST_FLOW,
  TEST_FEEDBACK,
  TEST_AIR,
  TEST_PAUSE,
  TEST_FORGET,
  TEST_RUN,
  TEST_MARK,
  TEST_CHECK,
} TestStepKind;

/**
 * TestStep:
 * @kind: what
 * @of: for LINK the shared link (0) or receiver k's own, from 1; for RECEIVER and
 *     FLOW with @stop which, for CHECK of receivers and flows only this one
 * @why: in words
 * @mbps: rate; 0: as before
 * @rtt_ms: twice the delay; 0: as before
 * @queue_ms: queue limit in time at the rate; 0: as before
 * @queue_bdp: queue limit in rate times @rtt_ms, at least 10 packets
 * @queue_packets: queue limit in packets
 * @loss: share lost by the wire; 0: as before, -1: none
 * @burst: mean number of packets that are lost in a row, above 1: Gilbert's
 *     channel with a mean loss of @loss
 * @count: receivers or flows to start; 0: 1
 * @extra_ms: of flows: how much more round-trip time each has than the one before;
 *     flows of one RTT lose in step, and what is evenly spaced beside them loses more
 * @max_level: of receivers to start, plus 1; 0: no cap
 * @stop: the other way round
 * @air: see #TestNetAir
 * @ms: how long to run, or not to
 * @check_level: every receiver's level lies in @level now
 * @check_held: the level that every receiver held for the longest time since the
 *     mark lies in @held; a join experiment is no reason to fail
 * @check_share: what every receiver got since the mark lies in @share of the shared
 *     link's capacity
 * @check_flow_share: likewise for TCP flows
 * @check_loss: every receiver's share of missed packets since the mark lies in
 *     @loss_range
 * @check_delay: longest time in the shared queue lies in @delay_ms
 * @max_changes: most changes of any receiver's level since the mark, plus 1
 * @down_within_ms: every receiver has gone down since the mark, at most so long
 *     after the first packet that it missed since then
 * @check_carried: since the mark no receiver held a level above @carried for longer
 *     than @over_ms in a row, nor one below for longer than @under_ms
 * @ended_within_ms: every receiver has ended the reception and said why, at most
 *     so long after the mark
 * @equal: all receivers held one level for the longest time since the mark
 */
typedef struct
{
  TestStepKind kind;
  guint of;
  const gchar *why;

  gdouble mbps;
  gdouble rtt_ms;
  gdouble queue_ms;
  gdouble queue_bdp;
  guint queue_packets;
  gdouble loss;
  gdouble burst;

  guint count;
  guint extra_ms;
  gint max_level;
  gboolean stop;

  TestNetAir air;
  guint ms;

  gboolean check_level;
  gint level[2];
  gboolean check_held;
  gint held[2];
  gboolean check_share;
  gdouble share[2];
  gboolean check_flow_share;
  gdouble flow_share[2];
  gboolean check_loss;
  gdouble loss_range[2];
  gboolean check_delay;
  gdouble delay_ms[2];
  guint max_changes;
  guint down_within_ms;
  gboolean check_carried;
  gint carried;
  guint over_ms;
  guint under_ms;
  guint ended_within_ms;
  gboolean equal;
} TestStep;

/* For tables: what a step checks. */
#define LEVEL(least, most) .check_level = TRUE, .level = { least, most }
#define HELD(least, most) .check_held = TRUE, .held = { least, most }
#define SHARE(least, most) .check_share = TRUE, .share = { least, most }
#define FLOW_SHARE(least, most) \
  .check_flow_share = TRUE, .flow_share = { least, most }
#define LOSS(least, most) .check_loss = TRUE, .loss_range = { least, most }
#define DELAY_MS(least, most) .check_delay = TRUE, .delay_ms = { least, most }
#define CARRIED(level, most_over_ms, most_under_ms)                     \
  .check_carried = TRUE, .carried = (level), .over_ms = (most_over_ms), \
  .under_ms = (most_under_ms)
#define CHANGES(most) .max_changes = (most) + 1

/* Short names of the steps. */
#define END          \
  {                  \
    .kind = TEST_END \
  }
#define LINK .kind = TEST_LINK
#define RECEIVER .kind = TEST_RECEIVER
#define FLOW .kind = TEST_FLOW
#define FEEDBACK .kind = TEST_FEEDBACK
#define AIR .kind = TEST_AIR
#define PAUSE(milliseconds) .kind = TEST_PAUSE, .ms = milliseconds
#define FORGET .kind = TEST_FORGET
#define RUN(milliseconds) .kind = TEST_RUN, .ms = milliseconds
#define MARK .kind = TEST_MARK
#define CHECK .kind = TEST_CHECK

/**
 * TestDuel:
 * @name: of the trace's file
 * @algorithm: of the session and all receivers
 * @setting: of theirs, NAME=VALUE; %NULL: none
 * @shaped: layers of fixed rates, as those who need the sender's marks want them
 * @base_kbps: R_0; 0: 128
 * @factor: c, R_i = c^i R_0; 0: 2
 * @n_layers: 0: 8
 * @join_ms: latency of joins
 * @leave_ms: latency of leaves
 * @left_is_unseen: what comes until then ends before the receiver
 * @steps: what happens
 */
typedef struct
{
  const gchar *name;
  const gchar *algorithm;
  const gchar *setting;
  gboolean shaped;
  gdouble base_kbps;
  gdouble factor;
  guint n_layers;
  guint join_ms;
  guint leave_ms;
  gboolean left_is_unseen;
  const TestStep *steps;
} TestDuel;

gchar *test_duel_run (const TestDuel *duel, guint seeds);

#endif
