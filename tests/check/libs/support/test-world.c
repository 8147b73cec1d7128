/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/test-world.h"

#include <gst/lmcc/wire/layer-header.h>

#define TCP_FLOW (TEST_LINK_FLOWS - 1)

TestWorld *
test_world_new (const TestWorldClass *klass)
{
  TestWorld *world = g_new0 (TestWorld, 1);

  world->klass = klass;
  world->now = TEST_WORLD_START;

  return world;
}

static void
free_receiver (TestWorldReceiver *r)
{
  r->session->world->klass->clear_receiver (r);
  if (r->own != NULL)
    test_link_clear (r->own);
  g_free (r->own);
  test_link_clear (&r->back);
  g_free (r);
}

static void
free_session (TestWorldSession *session)
{
  g_ptr_array_unref (session->receivers);
  session->world->klass->clear_session (session);
  g_free (session);
}

void
test_world_free (TestWorld *world)
{
  guint i;

  for (i = 0; i < world->n_sessions; i++)
    free_session (world->sessions[i]);
  for (i = 0; i < world->n_links; i++)
    test_link_clear (&world->links[i]);
  if (world->tcp != NULL)
    test_link_clear (&world->tcp_back);
  g_free (world->tcp);
  g_free (world);
}

guint
test_world_add_link (TestWorld *world, const TestLinkSettings *settings)
{
  g_assert (world->n_links < TEST_WORLD_LINKS);
  test_link_init (&world->links[world->n_links], settings, 1);

  return world->n_links++;
}

/**
 * test_world_add_session:
 * @world: a world
 *
 * Returns: (transfer none): a session of the class's size
 */
gpointer
test_world_add_session (TestWorld *world)
{
  TestWorldSession *session = g_malloc0 (world->klass->session_size);

  g_assert (world->n_sessions < TEST_WORLD_SESSIONS);
  session->world = world;
  session->index = world->n_sessions;
  session->receivers =
      g_ptr_array_new_with_free_func ((GDestroyNotify) free_receiver);
  world->sessions[world->n_sessions++] = session;

  return session;
}

/**
 * test_world_add_receiver:
 * @session: a session
 * @link: index of the link in front of the receiver
 * @own: (nullable): its own link behind that one
 * @extra: additional delay of its return path
 *
 * Returns: (transfer none): a receiver of the class's size
 */
gpointer
test_world_add_receiver (TestWorldSession *session, guint link,
    const TestLinkSettings *own, LmccTime extra)
{
  const TestWorldClass *klass = session->world->klass;
  const TestLinkSettings back = { .delay = klass->back_delay + extra };
  TestWorldReceiver *r = g_malloc0 (klass->receiver_size);

  r->session = session;
  r->index = session->receivers->len;
  r->link = link;
  if (own != NULL) {
    r->own = g_new0 (TestLink, 1);
    test_link_init (r->own, own, r->index + 2);
  }
  test_link_init (&r->back, &back, 1);
  g_ptr_array_add (session->receivers, r);

  return r;
}

void
test_world_start_tcp (TestWorld *world, guint link)
{
  const TestLinkSettings back = { .delay = world->klass->back_delay };

  world->tcp = g_new0 (TestTcp, 1);
  world->tcp_link = link;
  test_tcp_init (world->tcp, TEST_TCP_RENO);
  test_tcp_start (world->tcp);
  world->tcp->rto_rtts = world->klass->tcp_rto_rtts;
  test_link_init (&world->tcp_back, &back, 1);
}

/**
 * test_world_send:
 * @session: a session
 * @packet: (transfer full): the bytes
 * @content: other data of the packet
 *
 * Each link with receivers behind it carries the packet once.
 */
void
test_world_send (TestWorldSession *session, LmccPacket *packet,
    const TestLinkPacket *content)
{
  TestWorld *world = session->world;
  TestLinkPacket sent = *content;
  guint i, k;

  sent.packet = packet;
  sent.flow = (guint8) session->index;
  if (!sent.control)
    session->bytes += sent.size;
  for (i = 0; i < world->n_links; i++) {
    for (k = 0; k < session->receivers->len; k++) {
      const TestWorldReceiver *r = g_ptr_array_index (session->receivers, k);

      if (r->link == i)
        break;
    }
    if (k < session->receivers->len)
      test_link_submit (&world->links[i], &sent, world->now, NULL);
  }
  lmcc_packet_unref (packet);
}

/**
 * test_world_report:
 * @receiver: a receiver
 * @report: (transfer full): its report to the sender
 */
void
test_world_report (TestWorldReceiver *receiver, LmccPacket *report)
{
  TestLinkPacket packet = { .packet = report,
    .size = report->size + TEST_WORLD_IP_OVERHEAD };

  receiver->reports++;
  if (!receiver->mute)
    test_link_submit (&receiver->back, &packet, receiver->session->world->now,
        NULL);
  lmcc_packet_unref (report);
}

/* The clocks of senders and receivers differ. */
guint32
test_world_send_clock (const TestWorld *world)
{
  return lmcc_time_to_ntp_short (world->now + 12345 * LMCC_SECOND);
}

static void
run_tcp (TestWorld *world)
{
  TestLinkPacket packet;

  if (world->tcp == NULL)
    return;
  while (test_link_next_arrival (&world->tcp_back) <= world->now) {
    test_link_take (&world->tcp_back, &packet);
    test_tcp_handle_ack (world->tcp, world->now, packet.sequence);
  }
  test_tcp_handle_timeout (world->tcp, world->now);
  packet = (TestLinkPacket){ .size = world->klass->segment, .flow = TCP_FLOW };
  while (test_tcp_poll (world->tcp, world->now, &packet.sequence))
    test_link_submit (&world->links[world->tcp_link], &packet, world->now,
        NULL);
}

static void
pass_on (TestWorld *world, guint link, const TestLinkPacket *packet)
{
  const TestWorldSession *session = world->sessions[packet->flow];
  guint k;

  for (k = 0; k < session->receivers->len; k++) {
    TestWorldReceiver *r = g_ptr_array_index (session->receivers, k);

    if (r->link != link)
      continue;
    if (r->own != NULL)
      test_link_submit (r->own, packet, world->now, NULL);
    else
      world->klass->receive (r, packet);
  }
}

static void
run_link (TestWorld *world, guint index)
{
  TestLink *link = &world->links[index];
  TestLinkPacket packet;

  while (test_link_next_arrival (link) <= world->now) {
    if (!test_link_take (link, &packet))
      continue;
    if (packet.flow == TCP_FLOW) {
      world->tcp_bytes += packet.size;
      packet.size = TEST_TCP_ACK;
      test_link_submit (&world->tcp_back, &packet, world->now, NULL);
      continue;
    }
    pass_on (world, index, &packet);
    lmcc_packet_unref (packet.packet);
  }
}

static void
run_receiver (TestWorld *world, TestWorldReceiver *r)
{
  TestLinkPacket packet;

  while (r->own != NULL && test_link_next_arrival (r->own) <= world->now) {
    if (!test_link_take (r->own, &packet))
      continue;
    world->klass->receive (r, &packet);
    lmcc_packet_unref (packet.packet);
  }
  world->klass->run_receiver (r);
  while (test_link_next_arrival (&r->back) <= world->now) {
    test_link_take (&r->back, &packet);
    world->klass->take_report (r, packet.packet);
    lmcc_packet_unref (packet.packet);
  }
}

static void
run_session (TestWorldSession *session)
{
  const TestWorldClass *klass = session->world->klass;
  guint k;

  if (klass->prepare != NULL)
    klass->prepare (session);
  for (k = 0; k < session->receivers->len; k++)
    run_receiver (session->world, g_ptr_array_index (session->receivers, k));
  if (klass->finish != NULL)
    klass->finish (session);
}

void
test_world_run (TestWorld *world, LmccTime duration)
{
  LmccTime end = world->now + duration;
  guint i;

  for (; world->now < end; world->now += TEST_WORLD_STEP) {
    run_tcp (world);
    for (i = 0; i < world->n_links; i++)
      run_link (world, i);
    for (i = 0; i < world->n_sessions; i++)
      run_session (world->sessions[i]);
  }
}

/* Rate of a session in @duration, in bit/s. */
gdouble
test_world_measure (TestWorldSession *session, LmccTime duration)
{
  guint64 before = session->bytes;

  test_world_run (session->world, duration);

  return 8.0 * (gdouble) (session->bytes - before) * LMCC_SECOND
      / (gdouble) duration;
}

/* Jain's index for two flows: 1 if their rates are equal, 0.5 if one has
 * everything. */
gdouble
test_world_fairness (gdouble a, gdouble b)
{
  return (a + b) * (a + b) / (2 * (a * a + b * b));
}
