/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TEST_NET_PRIVATE_H
#define TEST_NET_PRIVATE_H

#include "support/test-net.h"

/* What can happen, by its index in the schedule. */
enum
{
  SLOT_MAIL,
  SLOT_SOURCE,
  SLOT_SENDER,
  SLOT_SHARED,
  SLOT_OWN,
  SLOT_RECEIVER = SLOT_OWN + TEST_NET_MAX_RECEIVERS,
  SLOT_ACKS = SLOT_RECEIVER + TEST_NET_MAX_RECEIVERS,
  SLOT_FLOW = SLOT_ACKS + TEST_NET_MAX_FLOWS,
  SLOT_HOST = SLOT_FLOW + TEST_NET_MAX_FLOWS,
  N_SLOTS = SLOT_HOST + TEST_NET_MAX_FLOWS,
};

/* test-net-flows.c */
void test_net_send_segment (TestNet *net, guint index);
void test_net_take_segment (TestNet *net, const TestLinkPacket *content);
void test_net_take_ack (TestNet *net, guint index);
void test_net_run_flow (TestNet *net, guint index);

#endif
