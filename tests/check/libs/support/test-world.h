/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Single-rate sessions in virtual time, in steps of 1 ms: links that they
 * share with a TCP connection, receivers behind the links, and a return path
 * from each receiver. A TestWorldClass says what is sent and received.
 */
#ifndef TEST_WORLD_H
#define TEST_WORLD_H

#include <gst/lmcc/lmcc.h>

#include "support/test-link.h"
#include "support/test-tcp.h"

#define TEST_WORLD_START (100 * LMCC_SECOND)
#define TEST_WORLD_STEP LMCC_MSECOND
#define TEST_WORLD_LINKS 2
#define TEST_WORLD_SESSIONS 2
#define TEST_WORLD_IP_OVERHEAD 28

typedef struct _TestWorld TestWorld;
typedef struct _TestWorldSession TestWorldSession;
typedef struct _TestWorldReceiver TestWorldReceiver;

/**
 * TestWorldClass:
 * @session_size: bytes of a #TestWorldSession with the class's own fields
 * @receiver_size: the same for a receiver
 * @segment: TCP segment size, as bytes of the IP packet
 * @tcp_rto_rtts: as in #TestTcp
 * @back_delay: delay of the return paths
 * @prepare: (nullable): what a sender does before its receivers run
 * @finish: (nullable): what a sender does after its receivers have run
 * @receive: handles a packet at a receiver
 * @run_receiver: does what is due at a receiver
 * @take_report: handles a report at the sender
 * @clear_session: frees the class's own fields
 * @clear_receiver: the same for a receiver
 */
typedef struct
{
  gsize session_size;
  gsize receiver_size;
  guint32 segment;
  gdouble tcp_rto_rtts;
  LmccTime back_delay;
  void (*prepare) (TestWorldSession *session);
  void (*finish) (TestWorldSession *session);
  void (*receive) (TestWorldReceiver *receiver, const TestLinkPacket *packet);
  void (*run_receiver) (TestWorldReceiver *receiver);
  void (*take_report) (TestWorldReceiver *receiver, const LmccPacket *report);
  void (*clear_session) (TestWorldSession *session);
  void (*clear_receiver) (TestWorldReceiver *receiver);
} TestWorldClass;

struct _TestWorldReceiver
{
  TestWorldSession *session;
  guint index;
  guint link;    /* link in front of it */
  TestLink *own; /* (nullable): its own link behind that one */
  TestLink back;
  gboolean mute; /* its reports are lost */
  guint64 bytes; /* media bytes received */
  guint64 reports;
};

struct _TestWorldSession
{
  TestWorld *world;
  guint index;
  GPtrArray *receivers;
  guint64 bytes; /* media bytes sent */
};

struct _TestWorld
{
  const TestWorldClass *klass;
  LmccTime now;
  TestLink links[TEST_WORLD_LINKS];
  guint n_links;
  TestWorldSession *sessions[TEST_WORLD_SESSIONS];
  guint n_sessions;
  TestTcp *tcp;
  guint tcp_link;
  TestLink tcp_back;
  guint64 tcp_bytes;
};

TestWorld *test_world_new (const TestWorldClass *klass);
void test_world_free (TestWorld *world);
guint test_world_add_link (TestWorld *world, const TestLinkSettings *settings);
gpointer test_world_add_session (TestWorld *world);
gpointer test_world_add_receiver (TestWorldSession *session, guint link,
    const TestLinkSettings *own, LmccTime extra);
void test_world_start_tcp (TestWorld *world, guint link);
void test_world_send (TestWorldSession *session, LmccPacket *packet,
    const TestLinkPacket *content);
void test_world_report (TestWorldReceiver *receiver, LmccPacket *report);
guint32 test_world_send_clock (const TestWorld *world);
void test_world_run (TestWorld *world, LmccTime duration);
gdouble test_world_measure (TestWorldSession *session, LmccTime duration);
gdouble test_world_fairness (gdouble a, gdouble b);

#endif
