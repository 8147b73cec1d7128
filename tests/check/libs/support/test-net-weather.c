/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Adverse conditions: jitter, late packets, suspended processes, and
 * switches that forget memberships.
 */
#include "support/test-net-private.h"

/* Packets of 1000 bytes that a socket holds by Linux' default: 212992 bytes
 * (net.core.rmem_default), of which each packet takes 2304 (its buffer of
 * 2048 and its sk_buff). */
#define SOCKET_PACKETS 92

/* Control packets have their own socket. */
#define CONTROL_SOCKET LMCC_MAX_GROUPS
#define N_SOCKETS (LMCC_MAX_GROUPS + 1)

static LmccTime
draw (TestNet *net, LmccTime longest)
{
  return (LmccTime) (g_rand_double (net->random) * (gdouble) longest);
}

static LmccTime
find_wait (TestNet *net)
{
  LmccTime longest = net->air.jitter;

  if (longest == 0)
    return 0;
  if (net->air.kind == TEST_JITTER_BATCHES)
    return longest - net->now % longest;

  return draw (net, longest);
}

/* The delay of a packet by jitter and reordering before receiver @index. */
LmccTime
test_net_air_delay (TestNet *net, guint index)
{
  TestNetReceiver *to = &net->receivers[index];
  LmccTime at = net->now + find_wait (net);

  if (net->air.reordered > 0
      && g_rand_double (net->random) < net->air.reordered)
    return at - net->now + draw (net, net->air.late);
  if (net->air.jitter == 0)
    return 0;
  if (net->air.kind != TEST_JITTER_RANDOM) {
    at = MAX (at, to->air_clear + 1);
    to->air_clear = at;
  }

  return at - net->now;
}

/**
 * test_net_pause_sender:
 * @net: a network
 * @duration: how long its process does not run, from now on
 *
 * The pictures that the source makes meanwhile reach the sender all at once.
 */
void
test_net_pause_sender (TestNet *net, LmccTime duration)
{
  net->sender_paused_until = net->now + duration;
}

/**
 * test_net_suspend_receiver:
 * @net: a network
 * @index: a receiver
 * @duration: how long its process does not run, from now on
 *
 * Packets wait in its sockets until these are full.
 */
void
test_net_suspend_receiver (TestNet *net, guint index, LmccTime duration)
{
  TestNetReceiver *to = &net->receivers[index];

  to->suspended_until = net->now + duration;
  test_schedule_set (&net->schedule,
      test_net_slot (net, SLOTS_RECEIVER) + index, to->suspended_until);
}

static guint
socket_of (const TestNetHeld *held)
{
  return held->control ? CONTROL_SOCKET : held->group;
}

static guint
count_held (const TestNetReceiver *to, guint of)
{
  guint n = 0, i;

  for (i = 0; i < to->sockets->len; i++)
    n += socket_of (&g_array_index (to->sockets, TestNetHeld, i)) == of;

  return n;
}

/* Returns: whether the packet waits in a socket or was dropped because the
 * socket was full; otherwise, the receiver can have it now. */
gboolean
test_net_hold (TestNet *net, guint index, const TestNetHeld *held)
{
  TestNetReceiver *to = &net->receivers[index];

  if (net->now >= to->suspended_until)
    return FALSE;
  if (count_held (to, socket_of (held)) >= SOCKET_PACKETS) {
    if (!held->control)
      test_net_note_missed (net, index, held->group);
    return TRUE;
  }
  lmcc_packet_ref (held->packet);
  g_array_append_val (to->sockets, *held);

  return TRUE;
}

/* Reads each socket until it is empty. Returns: whether the receiver's
 * process runs. */
gboolean
test_net_wake (TestNet *net, guint index)
{
  TestNetReceiver *to = &net->receivers[index];
  guint of, i;

  if (net->now < to->suspended_until)
    return FALSE;
  for (of = 0; of < N_SOCKETS && to->sockets->len > 0; of++) {
    for (i = 0; i < to->sockets->len; i++) {
      const TestNetHeld *held = &g_array_index (to->sockets, TestNetHeld, i);

      if (socket_of (held) == of)
        test_net_hand_over (net, index, held);
    }
  }
  test_net_clear_sockets (net, index);

  return TRUE;
}

void
test_net_clear_sockets (TestNet *net, guint index)
{
  GArray *sockets = net->receivers[index].sockets;
  guint i;

  for (i = 0; i < sockets->len; i++)
    lmcc_packet_unref (g_array_index (sockets, TestNetHeld, i).packet);
  g_array_set_size (sockets, 0);
}

/**
 * test_net_forget_groups:
 * @net: a network
 * @from: a group
 *
 * The switch in front of the receivers forgets the members of this group and
 * the groups above it, as a switch without a querier does. It learns only of
 * later joins.
 */
void
test_net_forget_groups (TestNet *net, guint from)
{
  guint i, group;

  for (i = 0; i < net->n_receivers; i++) {
    for (group = from; group < LMCC_MAX_GROUPS; group++)
      net->receivers[i].groups[group].forgotten =
          net->receivers[i].groups[group].wanted;
  }
}
