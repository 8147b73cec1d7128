/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The real sender and real receivers over a small network in virtual time:
 *
 *     sender --- shared link ---+--- own link 0 --- receiver 0
 *     flows  ---                +--- own link 1 --- receiver 1 ...
 *                               +--- flows' other ends
 *
 * A packet of a group crosses the shared link once if any receiver has
 * joined the group, and then the own link of each such receiver. Packets in
 * the other direction (reports, acknowledgements) have the same delay and
 * are never lost.
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
 * @n_layers: number of layers of the model source
 * @rates: r_i, bit/s
 * @shaped: the sender fills layers of fixed rates with one rung of half the
 *     total rate; otherwise, layer i is rung i of the source
 * @levels: layers of each level, unless @shaped
 * @algorithm: algorithm of the session
 * @base_algorithm: (nullable): algorithm that sets the base layer's rate
 * @nominal_rtt: round-trip time of the TCP flow that the sender's marks
 *     imitate; 0: the default
 * @slot: slot length; 0: the algorithm's default
 * @join_latency: time from a join to the first packet
 * @leave_latency: time from the last receiver's leave to the last packet
 * @left_is_unseen: packets of a group that still arrive after its leave do not
 *     reach the receiver, as when a router above the last one still forwards
 *     them or the host's kernel filters them; otherwise, the receiver gets them
 * @shared: the shared link
 * @repair: share of repair data, 1/1000
 * @repair_loss: loss rate that the repair is designed for
 * @repair_auto: receivers' reports decide on the share, up to @repair
 * @class_share: the media of layer i is class i, with this share of its rate;
 *     0: one class
 * @train_cycle: interval of packet trains for each level; 0: LMCC_TEST_TRAINS,
 *     in ms, or the algorithm's own; %LMCC_TIME_NONE: no trains
 * @max_receivers: highest number of receivers; 0: %TEST_NET_MAX_RECEIVERS
 * @seed: random seed; 0: LMCC_TEST_SEED, or %TEST_NET_SEED
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
  gboolean repair_auto;
  gdouble class_share;
  LmccTime train_cycle;
  guint max_receivers;
  guint32 seed;
} TestNetConfig;

/**
 * TestNetReceiverConfig:
 * @algorithm: (nullable): its algorithm; %NULL: the session's
 * @settings: (nullable): settings of the algorithm
 * @rtt_mode: source of the round-trip time
 * @fixed_rtt: round-trip time for %LMCC_RTT_MODE_FIXED
 * @max_level: level cap; -1: none
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

/* Whether routers forward a group towards a receiver, and whether the
 * receiver has joined it. The last switch may have forgotten the membership. */
typedef struct
{
  gboolean wanted;
  gboolean flows;
  gboolean forgotten;
  guint change; /* counts joins and leaves */
} TestMembership;

/**
 * TestJitter:
 * @TEST_JITTER_BATCHES: packets that arrive within one wait leave together, in
 *     order, as behind Wi-Fi or a cable modem; the waits are uniform from 0 to
 *     the longest wait
 * @TEST_JITTER_IN_ORDER: each packet waits for a uniform time from 0 to the
 *     longest wait, and for the packets before it
 * @TEST_JITTER_RANDOM: the same wait, but packets may overtake each other
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
 * @reordered: share of packets that are delayed so that others overtake them
 * @late: longest delay of these packets, uniform from 0
 *
 * Jitter and reordering of the session's packets behind all queues.
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
 * @receiver: (nullable): %NULL before it has started
 * @own: its own link
 * @groups: its group memberships
 * @suspended_until: the receiver does not run before this time; packets wait in
 *     its sockets
 * @sockets: (element-type TestNetHeld): these packets
 * @air_clear: no packet arrives before this time unless it overtakes another
 * @ended: (nullable): why the receiver has ended the reception itself
 * @changes: (element-type TestLevelChange): its level changes
 * @offered: packets sent to groups that it had joined
 * @missed: of these, packets that the links did not deliver
 * @bytes: received bytes of IP packets
 * @last_miss: time of the last missed packet, or 0
 * @first_miss: time of the first missed packet since a test set this field to
 *     %LMCC_TIME_NONE
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
 * @host: random delay before the network
 * @acks: path of the acknowledgements
 * @extra_delay: additional round-trip delay of this flow alone
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
 * @index: index of the receiver
 * @group: group of the packet
 * @packet: a packet about to be delivered to the receiver
 * @user_data: data of the network
 *
 * Called for each packet on its way to a receiver; it may replace the packet
 * and send others to the receiver.
 *
 * Returns: (transfer full): the packet to deliver instead
 */
typedef LmccPacket *(*TestNetTap) (TestNet *net, guint index, guint group,
    LmccPacket *packet, gpointer user_data);

#define TEST_NET_SENT -1

/**
 * TestNetWatch:
 * @net: the network
 * @index: index of the receiver that has delivered @packet; %TEST_NET_SENT: the
 *     sender has sent it
 * @group: group to which it was sent
 * @packet: an RTP packet
 * @user_data: data of the network
 */
typedef void (*TestNetWatch) (TestNet *net, gint index, guint group,
    const LmccPacket *packet, gpointer user_data);

/**
 * TestNet:
 * @now: virtual time
 * @tap: (nullable): called for all media packets before receivers get them
 * @tap_data: data for @tap
 * @watch: (nullable): called for packets that the sender sends and receivers
 *     deliver
 * @watch_data: data for @watch
 * @control_cut: reports do not reach the sender
 * @sender_paused_until: the sender does not run before this time
 * @air: jitter and reordering between all links and the receivers
 * @forger: (nullable): an attacker that sees reports in transit and answers
 *     them in the sender's name, earlier than the sender, with random delays
 *     from this generator
 * @forged: the attacker's answers
 * @feedback: (nullable) (element-type FeedbackPacket): collects reports, and
 *     packets with answers, when they are sent
 * @answers: number of packets with answers among these
 * @deliveries: packets delivered to receivers or to the other ends of flows
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
