/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Duels: scenarios written as tables of steps. The steps say what the
 * network does and how the receivers must react. The same table serves as a
 * test and, with LMCC_DUEL_TRACE=DIRECTORY, writes a trace that
 * tests/plots/duels.py draws.
 */
#ifndef TEST_DUEL_H
#define TEST_DUEL_H

#include "support/test-net.h"

#define TEST_DUEL_SAMPLE (100 * LMCC_MSECOND)

/**
 * TestStepKind:
 * @TEST_END: the last step
 * @TEST_LINK: change a link; fields that are 0 keep their values
 * @TEST_RECEIVER: start receivers, or stop one with .stop
 * @TEST_FLOW: start TCP flows, or stop one with .stop
 * @TEST_FEEDBACK: let reports reach the sender, or block them with .stop
 * @TEST_AIR: set jitter and reordering behind all links
 * @TEST_PAUSE: suspend the sender's process for .ms; with @of that of receiver
 *     k, counted from 1
 * @TEST_FORGET: the last switch forgets its memberships of layer @of and above
 * @TEST_RUN: let time pass
 * @TEST_MARK: start a new measurement interval for the checks
 * @TEST_CHECK: check conditions
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
 * @kind: kind of the step
 * @of: for LINK the shared link (0) or receiver k's own link, from 1; for
 *     RECEIVER and FLOW with @stop which one to stop; for CHECK the only
 *     receiver or flow that is checked
 * @why: description
 * @mbps: link rate; 0: unchanged
 * @rtt_ms: twice the one-way delay; 0: unchanged
 * @queue_ms: queue limit as time at the link rate; 0: unchanged
 * @queue_bdp: queue limit as a multiple of rate times @rtt_ms, at least 10
 *     packets
 * @queue_packets: queue limit in packets
 * @loss: share of packets lost on the wire; 0: unchanged, -1: none
 * @burst: mean length of loss bursts in packets; above 1: Gilbert channel with
 *     a mean loss of @loss
 * @count: number of receivers or flows to start; 0: 1
 * @extra_ms: for flows: additional round-trip time of each flow compared with
 *     the previous one; flows with equal RTTs lose packets in step, which
 *     increases the loss of evenly spaced traffic beside them
 * @max_level: level cap of the receivers to start, plus 1; 0: no cap
 * @stop: stop instead of start
 * @air: see #TestNetAir
 * @ms: duration of the run or pause
 * @check_level: the current level of every receiver lies in @level
 * @check_held: the level that every receiver has held for the longest time
 *     since the mark lies in @held, so that a join experiment does not fail the
 *     check
 * @check_share: the throughput of every receiver since the mark, as a share of
 *     the shared link's capacity, lies in @share
 * @check_flow_share: the same for TCP flows
 * @check_loss: the loss rate of every receiver since the mark lies in
 *     @loss_range
 * @check_delay: the longest queueing delay on the shared link lies in @delay_ms
 * @max_changes: highest number of level changes of any receiver since the mark,
 *     plus 1
 * @down_within_ms: since the mark every receiver has gone down a level, at most
 *     this long after its first lost packet
 * @check_carried: since the mark no receiver has held a level above @carried
 *     for longer than @over_ms in a row, nor one below for longer than
 *     @under_ms
 * @ended_within_ms: every receiver has ended the reception with a reason, at
 *     most this long after the mark
 * @equal: the level held for the longest time since the mark is the same for
 *     all receivers
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

/* Describes for tables what a step checks. */
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
 * @name: name of the trace file
 * @algorithm: algorithm of the session and all receivers
 * @setting: setting of the algorithm at the receivers, NAME=VALUE; %NULL: none
 * @shaped: use layers of fixed rates, which algorithms that read the sender's
 *     marks need
 * @base_kbps: R_0; 0: 128
 * @factor: c, R_i = c^i R_0; 0: 2
 * @n_layers: number of layers; 0: 8
 * @join_ms: join latency
 * @leave_ms: leave latency
 * @left_is_unseen: packets that still arrive during the leave latency do not
 *     reach the receiver
 * @runs: number of runs if one depends on chance, each with the next seed; 0: 1
 * @may_fail: how many of them may fail
 * @steps: the scenario
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
  guint runs;
  guint may_fail;
  const TestStep *steps;
} TestDuel;

gchar *test_duel_run (const TestDuel *duel, guint seeds);

#endif
