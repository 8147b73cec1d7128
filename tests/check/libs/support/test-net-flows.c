/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The TCP connections of the simulated network.
 */
#include "support/test-net-private.h"

/* Hosts delay each packet by a random time of up to the transmission time of
 * a packet on the shared link. Otherwise, segments clocked by
 * acknowledgements would always find room in a full queue, and others never
 * would (Floyd and Jacobson, "On Traffic Phase Effects in Packet-Switched
 * Gateways", 1991). */
static LmccTime
processing_time (TestNet *net)
{
  guint64 rate = net->shared.settings.rate;

  if (rate == 0)
    return 0;

  return (LmccTime) (g_rand_double (net->random) * 8 * TEST_TCP_SEGMENT
      * LMCC_SECOND / (gdouble) rate);
}

static void
send_segments (TestNet *net, guint index)
{
  TestNetFlow *flow = &net->flows[index];
  guint64 sequence;

  while (test_tcp_poll (&flow->tcp, net->now, &sequence)) {
    TestLinkPacket content = { .sequence = sequence,
      .size = TEST_TCP_SEGMENT,
      .flow = (guint8) (index + 1) };

    flow->host.settings.delay = processing_time (net);
    test_link_submit (&flow->host, &content, net->now, NULL);
  }
  test_schedule_set (&net->schedule, test_net_slot (net, SLOTS_HOST) + index,
      test_link_next_arrival (&flow->host));
  test_schedule_set (&net->schedule, test_net_slot (net, SLOTS_FLOW) + index,
      flow->tcp.timer);
}

/* The host releases a segment. */
void
test_net_send_segment (TestNet *net, guint index)
{
  TestNetFlow *flow = &net->flows[index];
  TestLinkPacket content;

  test_link_take (&flow->host, &content);
  test_link_submit (&net->shared, &content, net->now, NULL);
  test_schedule_set (&net->schedule, test_net_slot (net, SLOTS_HOST) + index,
      test_link_next_arrival (&flow->host));
  test_schedule_set (&net->schedule, SLOT_SHARED,
      test_link_next_arrival (&net->shared));
}

void
test_net_take_segment (TestNet *net, const TestLinkPacket *content)
{
  guint index = content->flow - 1;
  TestNetFlow *flow = &net->flows[index];
  TestLinkPacket ack = { .sequence = content->sequence,
    .size = TEST_TCP_ACK,
    .flow = content->flow };

  net->deliveries++;
  flow->acks.settings.delay = net->shared.settings.delay + flow->extra_delay;
  test_link_submit (&flow->acks, &ack, net->now, NULL);
  test_schedule_set (&net->schedule, test_net_slot (net, SLOTS_ACKS) + index,
      test_link_next_arrival (&flow->acks));
}

void
test_net_take_ack (TestNet *net, guint index)
{
  TestNetFlow *flow = &net->flows[index];
  TestLinkPacket ack;

  if (test_link_take (&flow->acks, &ack))
    test_tcp_handle_ack (&flow->tcp, net->now, ack.sequence);
  test_schedule_set (&net->schedule, test_net_slot (net, SLOTS_ACKS) + index,
      test_link_next_arrival (&flow->acks));
  send_segments (net, index);
}

void
test_net_run_flow (TestNet *net, guint index)
{
  test_tcp_handle_timeout (&net->flows[index].tcp, net->now);
  send_segments (net, index);
}

/**
 * test_net_add_flow_of:
 * @net: a network
 * @extra_delay: additional round-trip delay of this flow alone
 * @algorithm: its congestion control
 *
 * Starts a TCP connection through the shared link.
 *
 * Returns: its index
 */
guint
test_net_add_flow_of (TestNet *net, LmccTime extra_delay,
    TestTcpAlgorithm algorithm)
{
  static const TestLinkSettings wire = { 0 };
  guint index = net->n_flows++;
  TestNetFlow *flow = &net->flows[index];

  g_assert (index < TEST_NET_MAX_FLOWS);
  test_link_init (&flow->host, &wire, net->config.seed);
  test_link_init (&flow->acks, &wire, net->config.seed);
  flow->extra_delay = extra_delay;
  test_tcp_init (&flow->tcp, algorithm);
  test_tcp_start (&flow->tcp);
  send_segments (net, index);

  return index;
}

/* Starts a Reno flow. */
guint
test_net_add_flow (TestNet *net, LmccTime extra_delay)
{
  return test_net_add_flow_of (net, extra_delay, TEST_TCP_RENO);
}

void
test_net_stop_flow (TestNet *net, guint index)
{
  test_tcp_stop (&net->flows[index].tcp);
  test_schedule_set (&net->schedule, test_net_slot (net, SLOTS_FLOW) + index,
      LMCC_TIME_NONE);
}
