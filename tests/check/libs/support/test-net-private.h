/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TEST_NET_PRIVATE_H
#define TEST_NET_PRIVATE_H

#include "support/test-net.h"

/* Events, by their index in the schedule. From SLOT_OWN on there is one slot
 * for each receiver's own link, followed by the slots that test_net_slot()
 * computes. */
enum
{
  SLOT_MAIL,
  SLOT_SOURCE,
  SLOT_SENDER,
  SLOT_SHARED,
  SLOT_OWN,
};

typedef enum
{
  SLOTS_RECEIVER, /* one per receiver */
  SLOTS_ACKS,     /* one per flow, like those below */
  SLOTS_FLOW,
  SLOTS_HOST,
  SLOTS_END, /* after these */
} TestNetSlots;

/* The first slot of a kind. */
static inline guint
test_net_slot (const TestNet *net, TestNetSlots kind)
{
  guint first = SLOT_OWN + net->config.max_receivers;

  return kind == SLOTS_RECEIVER ? first
                                : first + net->config.max_receivers
          + ((guint) kind - SLOTS_ACKS) * TEST_NET_MAX_FLOWS;
}

/* A packet that waits in a socket of a suspended receiver. */
typedef struct
{
  LmccPacket *packet;
  LmccTime arrival;
  guint8 group;
  guint8 control;
} TestNetHeld;

/* test-net.c */
void test_net_hand_over (TestNet *net, guint index, const TestNetHeld *held);
void test_net_note_missed (TestNet *net, guint index, guint group);

/* test-net-weather.c */
LmccTime test_net_air_delay (TestNet *net, guint index);
gboolean test_net_hold (TestNet *net, guint index, const TestNetHeld *held);
gboolean test_net_wake (TestNet *net, guint index);
void test_net_clear_sockets (TestNet *net, guint index);

/* test-net-flows.c */
void test_net_send_segment (TestNet *net, guint index);
void test_net_take_segment (TestNet *net, const TestLinkPacket *content);
void test_net_take_ack (TestNet *net, guint index);
void test_net_run_flow (TestNet *net, guint index);

#endif
