/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Converts losses to loss events, run by run: the work depends on the number
 * of events, not of losses.
 */
#include "measure/loss-events.h"

/* Number of runs that are counted together; there is about one per layer. */
#define MAX_RUNS LMCC_MAX_LAYERS

/* Number of events that are counted individually at the end of long losses:
 * more than the history keeps. Earlier ones only increase the number of
 * events. */
#define EXACT_EVENTS (4 * LMCC_LOSS_INTERVALS)

/* Overlapping runs, without a packet that arrived in between. */
typedef struct
{
  const LmccLossEntry *runs;
  guint n;
  guint used[MAX_RUNS]; /* number of used losses of each run */
} Cluster;

/*
 * lmcc_loss_events_begin:
 * @events: events
 * @time: time of a loss that begins an event
 * @packet: its number
 */
void
lmcc_loss_events_begin (LmccLossEvents *events, LmccTime time, guint64 packet)
{
  LmccLossInterval closed;
  guint i;

  if (events->events == 0) {
    closed.packets = MAX (packet - 1, 1);
    closed.losses = 1;
  } else {
    closed.packets = packet - events->event_packet;
    closed.losses = events->event_losses;
  }
  for (i = LMCC_LOSS_INTERVALS - 1; i > 0; i--)
    events->closed[i] = events->closed[i - 1];
  events->closed[0] = closed;

  events->events++;
  events->event_time = time;
  events->event_packet = packet;
  events->event_losses = 1;
}

/* The run with the earliest loss that is not used yet, or %NULL. */
static const LmccLossEntry *
find_next (const Cluster *cluster, guint *index, LmccTime *time)
{
  const LmccLossEntry *best = NULL;
  guint i;

  for (i = 0; i < cluster->n; i++) {
    const LmccLossEntry *entry = &cluster->runs[i];
    LmccTime first;

    if (cluster->used[i] == entry->run.count)
      continue;
    first = lmcc_loss_get_time (&entry->run, cluster->used[i]);
    if (best == NULL || first < *time) {
      best = entry;
      *time = first;
      *index = i;
    }
  }

  return best;
}

/* Uses all losses before @time. Returns their number. */
static guint64
use_before (Cluster *cluster, LmccTime time)
{
  guint64 n = 0;
  guint i;

  for (i = 0; i < cluster->n; i++) {
    guint before = lmcc_loss_count_before (&cluster->runs[i].run, time);

    if (before <= cluster->used[i])
      continue;
    n += before - cluster->used[i];
    cluster->used[i] = before;
  }

  return n;
}

/* Further losses of an event: either all count, or those at a distance from
 * the previous one, which among several in a row only the first can have. */
static void
follow (LmccLossEvents *events, guint window, guint64 n)
{
  if (n == 0)
    return;
  if (window <= LMCC_LOSS_WINDOW_LAP)
    events->event_losses += n;
  else if (events->packets + 1 - events->last_loss >= window)
    events->event_losses++;
  events->packets += n;
  events->last_loss = events->packets;
}

static LmccTime
add_saturated (LmccTime time, LmccTime span)
{
  return time > G_MAXUINT64 - span ? G_MAXUINT64 : time + span;
}

static LmccTime
last_time (const Cluster *cluster)
{
  LmccTime last = 0;
  guint i;

  for (i = 0; i < cluster->n; i++)
    last = MAX (last, lmcc_loss_get_last_time (&cluster->runs[i].run));

  return last;
}

/* The shortest time between two losses of one run. */
static LmccTime
shortest_distance (const Cluster *cluster)
{
  LmccTime shortest = G_MAXUINT64;
  guint i;

  for (i = 0; i < cluster->n; i++) {
    const LmccLoss *run = &cluster->runs[i].run;

    shortest = MIN (shortest, run->span / run->gap);
  }

  return shortest;
}

/* Losses that are skipped, as the number of events that they may have been. */
static void
pass (LmccLossEvents *events, guint64 losses, guint64 n_events)
{
  events->events += n_events;
  events->packets += losses;
  events->last_loss = events->packets;
  events->event_packet = events->packets;
  events->event_losses = 1;
}

/* If events have no duration, each loss is one. */
static void
skip_losses (LmccLossEvents *events, Cluster *cluster)
{
  guint i;

  for (i = 0; i < cluster->n; i++) {
    guint left = cluster->runs[i].run.count - cluster->used[i];

    if (left <= 2 * EXACT_EVENTS)
      continue;
    cluster->used[i] += left - EXACT_EVENTS;
    pass (events, left - EXACT_EVENTS, left - EXACT_EVENTS);
  }
}

/* If more events follow than the history keeps, all but the last ones are
 * counted at once. */
static void
skip_events (LmccLossEvents *events, Cluster *cluster, LmccTime rtt)
{
  LmccTime last = last_time (cluster);
  LmccTime kept;
  guint64 n;

  if (rtt > LMCC_TIME_NONE / EXACT_EVENTS / 2)
    return;
  if (rtt == 0) {
    skip_losses (events, cluster);
    return;
  }
  kept = EXACT_EVENTS * MAX (rtt, shortest_distance (cluster) + 1);
  if (last <= events->event_time || last - events->event_time <= 2 * kept)
    return;
  n = use_before (cluster, last - kept);
  pass (events, n, MIN (n, (last - kept - events->event_time) / rtt));
  events->event_time = last - kept - rtt;
}

static void
lose_cluster (LmccLossEvents *events, guint window, LmccTime rtt,
    Cluster *cluster)
{
  LmccTime time = 0;
  guint index = 0;

  if (events->events > 0)
    follow (events, window,
        use_before (cluster, add_saturated (events->event_time, rtt)));
  while (find_next (cluster, &index, &time) != NULL) {
    lmcc_loss_events_begin (events, time, events->packets + 1);
    events->packets++;
    events->last_loss = events->packets;
    cluster->used[index]++;
    follow (events, window, use_before (cluster, add_saturated (time, rtt)));
    skip_events (events, cluster, rtt);
  }
}

/*
 * lmcc_loss_events_lose:
 * @events: events
 * @window: as in lmcc_loss_intervals_new()
 * @rtt: duration of an event, in ns
 * @entries: (array length=n): runs of losses, none of them before the contents
 *     of @events, without an arrived packet in between
 * @n: number of runs
 *
 * An event begins when "at least one round-trip time has elapsed" (Colussi,
 * section 4.2.3); in RFC 5348 section 5.2 a loss at exactly one RTT still
 * belongs to the previous event.
 */
void
lmcc_loss_events_lose (LmccLossEvents *events, guint window, LmccTime rtt,
    const LmccLossEntry *entries, guint n)
{
  while (n > 0) {
    Cluster cluster = { .runs = entries, .n = MIN (n, MAX_RUNS) };

    lose_cluster (events, window, rtt, &cluster);
    entries += cluster.n;
    n -= cluster.n;
  }
}
