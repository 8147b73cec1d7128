/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/test-link.h"

#define FIRST_RING 64

void
test_link_init (TestLink *link, const TestLinkSettings *settings, guint32 seed)
{
  *link = (TestLink){ .settings = *settings,
    .random = g_rand_new_with_seed (seed) };
  link->ring = g_new (TestLinkEntry, FIRST_RING);
  link->mask = FIRST_RING - 1;
}

void
test_link_clear (TestLink *link)
{
  for (; link->head < link->tail; link->head++)
    g_clear_pointer (&link->ring[link->head & link->mask].content.packet,
        lmcc_packet_unref);
  g_free (link->ring);
  g_rand_free (link->random);
}

static void
grow (TestLink *link)
{
  guint size = 2 * (link->mask + 1);
  TestLinkEntry *ring = g_new (TestLinkEntry, size);
  guint64 i;

  for (i = link->head; i < link->tail; i++)
    ring[i & (size - 1)] = link->ring[i & link->mask];
  g_free (link->ring);
  link->ring = ring;
  link->mask = size - 1;
}

static TestLinkEntry *
append (TestLink *link)
{
  if (link->tail - link->head > link->mask)
    grow (link);

  return &link->ring[link->tail++ & link->mask];
}

/* Updates the number of waiting packets. */
static void
begin_transmissions (TestLink *link, LmccTime now)
{
  for (; link->waiting < link->tail; link->waiting++) {
    const TestLinkEntry *entry = &link->ring[link->waiting & link->mask];

    if (entry->begins > now)
      break;
    link->waiting_bytes -= entry->content.size;
  }
}

static gboolean
has_room (const TestLink *link, gsize size, LmccTime now)
{
  const TestLinkSettings *settings = &link->settings;

  if (link->free_at <= now)
    return TRUE;
  if (settings->queue_packets > 0
      && link->tail - link->waiting >= settings->queue_packets)
    return FALSE;

  return settings->queue_bytes == 0
      || link->waiting_bytes + size <= settings->queue_bytes;
}

static gboolean
wire_loses (TestLink *link)
{
  const TestLinkSettings *settings = &link->settings;
  gdouble loss = settings->loss;

  if (settings->to_bad > 0) {
    gdouble chance = link->bad ? settings->to_good : settings->to_bad;

    if (g_rand_double (link->random) < chance)
      link->bad = !link->bad;
    if (link->bad)
      loss = settings->bad_loss;
  }

  return loss > 0 && g_rand_double (link->random) < loss;
}

static void
count (TestLinkCounters *counters, gsize size, gboolean dropped, gboolean lost,
    LmccTime queue_delay)
{
  counters->packets++;
  counters->bytes += size;
  if (dropped)
    counters->dropped++;
  else
    counters->queue_delay_max = MAX (counters->queue_delay_max, queue_delay);
  if (lost)
    counters->lost++;
  if (!dropped && !lost)
    counters->arrived_bytes += size;
}

/**
 * test_link_submit:
 * @link: a link
 * @packet: the packet; its bytes are referenced again if it is accepted
 * @now: the time, never before the previous call
 * @arrival: (out) (nullable): when it will arrive
 *
 * Waiting packets leave at the rate that was set when they arrived. A wire that
 * gets shorter does not reorder packets.
 *
 * Returns: whether it will arrive
 */
gboolean
test_link_submit (TestLink *link, const TestLinkPacket *packet, LmccTime now,
    LmccTime *arrival)
{
  TestLinkEntry *entry;
  LmccTime begins = MAX (link->free_at, now);
  gboolean dropped, lost;

  begin_transmissions (link, now);
  dropped = !has_room (link, packet->size, now);
  lost = !dropped && wire_loses (link);
  count (&link->total, packet->size, dropped, lost, begins - now);
  count (&link->flows[packet->flow], packet->size, dropped, lost, begins - now);
  if (dropped)
    return FALSE;

  link->free_at = begins;
  if (link->settings.rate > 0)
    link->free_at += packet->size * 8 * LMCC_SECOND / link->settings.rate;
  link->last_arrival =
      MAX (link->last_arrival, link->free_at + link->settings.delay);

  entry = append (link);
  entry->content = *packet;
  entry->lost = lost;
  entry->begins = begins;
  entry->arrives = link->last_arrival;
  link->waiting_bytes += packet->size;
  if (lost)
    entry->content.packet = NULL;
  else if (packet->packet != NULL)
    lmcc_packet_ref (packet->packet);
  if (arrival != NULL)
    *arrival = entry->arrives;

  return !lost;
}

/**
 * test_link_next_arrival:
 * @link: a link
 *
 * Returns: time of the next packet for test_link_take(), or %LMCC_TIME_NONE
 */
LmccTime
test_link_next_arrival (const TestLink *link)
{
  return link->head == link->tail ? LMCC_TIME_NONE
                                  : link->ring[link->head & link->mask].arrives;
}

/**
 * test_link_take:
 * @link: a link with a packet to take
 * @packet: (out): the packet; the caller owns its bytes
 *
 * Returns: %FALSE if it was lost on the wire
 */
gboolean
test_link_take (TestLink *link, TestLinkPacket *packet)
{
  const TestLinkEntry *entry = &link->ring[link->head & link->mask];

  *packet = entry->content;
  if (link->waiting == link->head) {
    link->waiting_bytes -= entry->content.size;
    link->waiting++;
  }
  link->head++;

  return !entry->lost;
}

/**
 * test_link_queue_delay:
 * @link: a link
 * @now: the time
 *
 * Returns: queueing delay of a packet submitted now
 */
LmccTime
test_link_queue_delay (const TestLink *link, LmccTime now)
{
  return link->free_at > now ? link->free_at - now : 0;
}
