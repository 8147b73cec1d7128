/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The real sender and real receivers over a small network in virtual time:
 *
 *     sender --- shared link ---+--- own link 0 --- receiver 0
 *     flows  ---                +--- own link 1 --- receiver 1 ...
 *                               +--- flows' other ends
 *
 * A packet of a group crosses the shared link once if a receiver has joined the
 * group, then the own link of each that has. What goes back (reports,
 * acknowledgements) takes as long as the wires are, and is not lost.
 */
#ifndef TEST_NET_H
#define TEST_NET_H

#include "support/test-link.h"
#include "support/test-schedule.h"
#include "support/test-source.h"
#include "support/test-tcp.h"

#define TEST_NET_MAX_RECEIVERS 64
#define TEST_NET_MAX_FLOWS (TEST_LINK_FLOWS - 1)
#define TEST_NET_SEED 20040101

/**
 * TestNetConfig:
 * @n_layers: of the model source
 * @rates: r_i, bit/s
 * @shaped: the sender pours one rung, of half of all rates, into layers of fixed
 *     rates; else layer i is rung i of the source
 * @levels: which layers its levels have, where they are not shaped
 * @algorithm: of the session
 * @base_algorithm: (nullable): that sets the base's rate
 * @nominal_rtt: of the TCP that the sender's marks aim at; 0: the default
 * @slot: its length; 0: the algorithm's default
 * @join_latency: from a join to the first packet that the routers let through
 * @leave_latency: from the last leave to the last one
 * @left_is_unseen: what comes of a group that was left ends before the receiver,
 *     as where a router above the last one goes on with it, or the host's kernel
 *     keeps it from the socket; else the receiver gets it
 * @shared: the shared link
 * @repair: share of repair data, 1/1000
 * @repair_loss: that it reckons with
 * @class_share: layer i's media is class i, of this share of its rate; 0:
 *     one class
 * @train_cycle: how often a train for each level comes; 0: LMCC_TEST_TRAINS, in
 *     ms, or as the algorithm wants; %LMCC_TIME_NONE: never
 * @max_receivers: how many can be added; 0: %TEST_NET_MAX_RECEIVERS
 * @seed: 0: LMCC_TEST_SEED, or %TEST_NET_SEED
 */
typedef struct
{
  guint n_layers;
  gdouble rates[LMCC_MAX_LAYERS];
  gboolean shaped;
  LmccLevels levels;
  const gchar *algorithm;
  const gchar *base_algorithm;
  LmccTime nominal_rtt;
  LmccTime slot;
  LmccTime join_latency;
  LmccTime leave_latency;
  gboolean left_is_unseen;
  TestLinkSettings shared;
  guint repair;
  gdouble repair_loss;
  gdouble class_share;
  LmccTime train_cycle;
  guint max_receivers;
  guint32 seed;
} TestNetConfig;

/**
 * TestNetReceiverConfig:
 * @algorithm: (nullable): %NULL: the session's
 * @settings: (nullable): of the algorithm
 * @rtt_mode: where the round-trip time comes from
 * @fixed_rtt: for %LMCC_RTT_MODE_FIXED
 * @max_level: the cap; -1: none
 * @own: its own link
 */
typedef struct
{
  const gchar *algorithm;
  const LmccSettings *settings;
  LmccRttMode rtt_mode;
  LmccTime fixed_rtt;
  gint max_level;
  TestLinkSettings own;
} TestNetReceiverConfig;

/* Whether routers send a group towards a receiver, and what it asked for. The
 * last switch may have forgotten it. */
typedef struct
{
  gboolean wanted;
  gboolean flows;
  gboolean forgotten;
  guint change; /* counts what it asked for */
} TestMembership;

/**
 * TestJitter:
 * @TEST_JITTER_BATCHES: what comes within the time leaves together, in order, as
 *     behind Wi-Fi or a cable modem; the waits are uniform from 0 to the time
 * @TEST_JITTER_IN_ORDER: each packet waits, uniformly from 0 to the time, and for
 *     those before it
 * @TEST_JITTER_RANDOM: likewise, and overtakes others
 */
typedef enum
{
  TEST_JITTER_BATCHES,
  TEST_JITTER_IN_ORDER,
  TEST_JITTER_RANDOM,
} TestJitter;

/**
 * TestNetAir:
 * @jitter: the longest wait
 * @kind: how packets wait
 * @reordered: share of the packets that are late, and overtaken by others
 * @late: by how much at most, uniformly from 0
 *
 * What happens to packets of the session behind all queues.
 */
typedef struct
{
  LmccTime jitter;
  TestJitter kind;
  gdouble reordered;
  LmccTime late;
} TestNetAir;

typedef struct
{
  LmccTime time;
  gint from;
  gint to;
  const gchar *reason;
} TestLevelChange;

/**
 * TestNetReceiver:
 * @receiver: (nullable): before it has started: %NULL
 * @own: its own link
 * @groups: where it is a member
 * @suspended_until: it does not run before that; packets wait in its sockets
 * @sockets: (element-type TestNetHeld): these
 * @air_clear: no packet comes before that which does not overtake another
 * @ended: (nullable): why it has ended the reception itself
 * @changes: (element-type TestLevelChange): of its level
 * @offered: packets that were sent to groups that it wanted
 * @missed: of these, what neither link brought
 * @bytes: of IP packets that came
 * @last_miss: when the last of @missed was missed, or 0
 * @first_miss: when the first was since this was set to %LMCC_TIME_NONE
 */
typedef struct
{
  LmccReceiver *receiver;
  gboolean running;
  LmccAddress address;
  TestLink own;
  TestMembership groups[LMCC_MAX_GROUPS];
  LmccTime suspended_until;
  GArray *sockets;
  LmccTime air_clear;
  const gchar *ended;
  gint level;
  GArray *changes;
  guint64 offered;
  guint64 missed;
  guint64 bytes;
  guint64 reports;
  LmccTime last_miss;
  LmccTime first_miss;
} TestNetReceiver;

/**
 * TestNetFlow:
 * @tcp: its two ends
 * @host: before the network: a random delay
 * @acks: the way back
 * @extra_delay: of wires that only this flow has, both ways together
 */
typedef struct
{
  TestTcp tcp;
  TestLink host;
  TestLink acks;
  LmccTime extra_delay;
} TestNetFlow;

typedef struct _TestNet TestNet;

/**
 * TestNetTap:
 * @net: the network
 * @index: a receiver
 * @group: where the packet came from
 * @packet: what is about to come to it
 * @user_data: of the network
 *
 * Somebody who sees what comes to a receiver, and may send to it.
 *
 * Returns: (transfer full): what comes instead
 */
typedef LmccPacket *(*TestNetTap) (TestNet *net, guint index, guint group,
    LmccPacket *packet, gpointer user_data);

#define TEST_NET_SENT -1

/**
 * TestNetWatch:
 * @net: the network
 * @index: a receiver that has delivered @packet; %TEST_NET_SENT: the sender has
 *     sent it
 * @group: where it was sent
 * @packet: an RTP packet
 * @user_data: of the network
 */
typedef void (*TestNetWatch) (TestNet *net, gint index, guint group,
    const LmccPacket *packet, gpointer user_data);

/**
 * TestNet:
 * @now: the time
 * @tap: (nullable): sees all media packets before receivers do
 * @tap_data: for @tap
 * @watch: (nullable): sees what the sender sends and receivers deliver
 * @watch_data: for @watch
 * @control_cut: reports do not reach the sender
 * @sender_paused_until: it does not run before that
 * @air: between all links and the receivers
 * @forger: (nullable): somebody who sees reports on their way, and answers them in
 *     the sender's name before it does, with any delay that these dice say
 * @forged: its answers
 * @feedback: (nullable) (element-type FeedbackPacket): somebody's who wants to
 *     have reports, and packets with answers, as they are sent
 * @answers: how many of these are packets with answers
 * @deliveries: packets that came to a receiver or the other end of a flow
 */
struct _TestNet
{
  TestNetConfig config;
  TestNetTap tap;
  gpointer tap_data;
  TestNetWatch watch;
  gpointer watch_data;
  LmccTime now;
  GRand *random;
  TestSchedule schedule;
  LmccSender *sender;
  LmccAddress sender_address;
  TestSource source;
  TestLink shared;
  guint members[LMCC_MAX_GROUPS];
  TestNetReceiver *receivers;
  guint n_receivers;
  TestNetFlow flows[TEST_NET_MAX_FLOWS];
  guint n_flows;
  GQueue mail;
  gboolean control_cut;
  LmccTime sender_paused_until;
  TestNetAir air;
  GRand *forger;
  guint64 forged;
  GArray *feedback;
  guint64 answers;
  guint64 control_bytes;
  guint64 report_bytes;
  guint64 deliveries;
};

TestNet *test_net_new (const TestNetConfig *config);
void test_net_free (TestNet *net);
guint test_net_add_receiver (TestNet *net, const TestNetReceiverConfig *config);
void test_net_stop_receiver (TestNet *net, guint index);
void test_net_suspend_receiver (TestNet *net, guint index, LmccTime duration);
void test_net_pause_sender (TestNet *net, LmccTime duration);
void test_net_forget_groups (TestNet *net, guint from);
guint test_net_add_flow (TestNet *net, LmccTime extra_delay);
guint test_net_add_flow_of (TestNet *net, LmccTime extra_delay,
    TestTcpAlgorithm algorithm);
void test_net_stop_flow (TestNet *net, guint index);
void
test_net_inject (TestNet *net, guint index, guint group, LmccPacket *packet);
void test_net_run (TestNet *net, LmccTime duration);
gdouble test_net_cumulative_rate (const TestNet *net, gint level);
void
test_net_print_changes (const TestNet *net, const gchar *name, LmccTime epoch);
LmccTime test_net_rtt (const TestNet *net, guint index);
guint32 test_net_get_seed (void);
LmccTime test_net_train_cycle (gint ms);
gboolean test_net_is_slow (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TestNet, test_net_free)

#endif
