/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure/link-loss.h"

#include "measure/loss.h"
#include "wire/layer-header.h"

#include <string.h>

/* A slot is judged this number of slots after it began: 1.6 s. Losses are
 * known at most 1 s after a packet was due. */
#define JUDGED_AFTER 32

/* A report covers this number of seconds, but no more than from the first
 * loss on, so that it does not take them to notice that losses began; and at
 * least LEAST_SECONDS. */
#define REPORT_SECONDS LMCC_LINK_LOSS_SECONDS
#define LEAST_SECONDS 5

/* In a drop-tail queue, packets are lost when it is full, and the delay is
 * the longest. A slot with a mean delay in the upper third between the
 * shortest and the longest one is taken for congestion (a simplified form of
 * the Spike scheme: Cen, Cosman and Voelker, "End-to-End Differentiation of
 * Congestion and Wireless Losses", IEEE/ACM Transactions on Networking 11(5),
 * 2003). If all means are within LEAST_QUEUE, there is no queue. */
#define QUEUE_SHARE (2.0 / 3)
#define LEAST_QUEUE ((gint64) (4 * LMCC_MSECOND))

/* Clocks are off by at most 100 parts per million each: a delay that was
 * measured earlier may have moved by twice that. */
#define DRIFT_DIVISOR 5000

/* Packets of a train queue for a moment, and so do those just behind. */
#define TRAIN_SLOTS 1

/* For this long after a change of the level, losses may be due to it. */
#define CHANGE_SLOTS 20

/* A run that is both longer and has more packets is an outage: no amount of
 * repair data bridges it. */
#define OUTAGE_TIME (250 * LMCC_MSECOND)
#define OUTAGE_PACKETS 16

/* A delay that differs by more from the latest one shows that a clock was
 * set. */
#define PLAUSIBLE_RANGE ((gint64) (10 * LMCC_SECOND))

/* A report needs this many packets. */
#define LEAST_PACKETS 20

static const LmccLinkLossSecond empty_second = {
  .shortest = G_MAXINT64,
  .longest = G_MININT64,
};

/*
 * lmcc_link_loss_init:
 * @link: (out): nothing is known yet
 */
void
lmcc_link_loss_init (LmccLinkLoss *link)
{
  memset (link, 0, sizeof (*link));
}

static LmccLinkLossSecond *
get_second (LmccLinkLoss *link, guint64 number)
{
  return &link->seconds[number % LMCC_LINK_LOSS_SECONDS];
}

static LmccLinkLossSlot *
get_slot (LmccLinkLoss *link, guint64 number)
{
  return &link->slots[number % LMCC_LINK_LOSS_SLOTS];
}

static guint64
slot_of (LmccTime time)
{
  return time / LMCC_LINK_LOSS_SLOT;
}

static void
enter_second (LmccLinkLoss *link, guint64 number)
{
  if (number >= link->second + LMCC_LINK_LOSS_SECONDS)
    link->second = number - LMCC_LINK_LOSS_SECONDS;
  while (link->second < number)
    *get_second (link, ++link->second) = empty_second;
}

/* The shortest and the longest mean delay of a slot in the remembered
 * seconds. Drift between the clocks does not widen the range. */
static gboolean
get_range (LmccLinkLoss *link, gint64 *shortest, gint64 *longest)
{
  guint64 n = MIN (link->second + 1, LMCC_LINK_LOSS_SECONDS), i;

  *shortest = G_MAXINT64;
  *longest = G_MININT64;
  for (i = 0; i < n; i++) {
    const LmccLinkLossSecond *second = get_second (link, link->second - i);
    gint64 drift = (gint64) (i * LMCC_SECOND / DRIFT_DIVISOR);

    if (second->shortest > second->longest)
      continue;
    *shortest = MIN (*shortest, second->shortest + drift);
    *longest = MAX (*longest, second->longest - drift);
  }

  return *shortest < *longest;
}

/* A slot without packets has the delay of the slot before it. */
static gboolean
is_queueing (LmccLinkLoss *link, gint64 delay)
{
  gint64 shortest, longest;

  return get_range (link, &shortest, &longest)
      && longest - shortest > LEAST_QUEUE
      && (gdouble) (delay - shortest)
      > QUEUE_SHARE * (gdouble) (longest - shortest);
}

static void
judge (LmccLinkLoss *link, guint64 number)
{
  LmccLinkLossSlot *slot = get_slot (link, number);
  LmccLinkLossSecond *second = get_second (link, link->second);

  if (slot->packets > 0) {
    link->recent = slot->delays / (gint64) slot->packets;
    second->shortest = MIN (second->shortest, link->recent);
    second->longest = MAX (second->longest, link->recent);
  }
  if (!slot->excluded && !is_queueing (link, link->recent)) {
    second->packets += slot->packets;
    second->lost += slot->lost;
    second->runs += slot->runs;
  }
  memset (slot, 0, sizeof (*slot));
}

/* Judges the slots that are old enough. */
static void
advance (LmccLinkLoss *link, LmccTime now)
{
  guint64 end = slot_of (now);

  enter_second (link, now / LMCC_SECOND);

  end -= MIN (end, JUDGED_AFTER);
  if (end > link->first + LMCC_LINK_LOSS_SLOTS) {
    memset (link->slots, 0, sizeof (link->slots));
    link->first = end;
  }
  for (; link->first < end; link->first++)
    judge (link, link->first);
}

/* %NULL if it is judged already, or too far in the future. */
static LmccLinkLossSlot *
find_slot (LmccLinkLoss *link, guint64 number)
{
  return number >= link->first && number < link->first + LMCC_LINK_LOSS_SLOTS
      ? get_slot (link, number)
      : NULL;
}

static void
exclude (LmccLinkLoss *link, guint64 from, guint64 to)
{
  guint64 i;

  for (i = from; i <= to; i++) {
    LmccLinkLossSlot *slot = find_slot (link, i);

    if (slot != NULL)
      slot->excluded = TRUE;
  }
}

static void
begin (LmccLinkLoss *link, LmccTime arrival, guint32 send_time)
{
  guint i;

  lmcc_link_loss_init (link);
  for (i = 0; i < LMCC_LINK_LOSS_SECONDS; i++)
    link->seconds[i] = empty_second;
  link->begun = TRUE;
  link->offset = lmcc_time_to_ntp_short (arrival) - send_time;
  link->first = slot_of (arrival);
  link->second = arrival / LMCC_SECOND;
}

/* Only differences of delays are meaningful. */
static gint64
get_delay (const LmccLinkLoss *link, LmccTime arrival, guint32 send_time)
{
  return lmcc_ntp_short_diff (lmcc_time_to_ntp_short (arrival) - link->offset,
      send_time);
}

/*
 * lmcc_link_loss_packet:
 * @link: a receiver's losses
 * @arrival: arrival time of a packet of a joined layer
 * @send_time: its send time, NTP short format on the sender's clock
 * @train: it belongs to a packet train
 */
void
lmcc_link_loss_packet (LmccLinkLoss *link, LmccTime arrival, guint32 send_time,
    gboolean train)
{
  guint64 number = slot_of (arrival);
  LmccLinkLossSlot *slot;
  gint64 delay;

  if (!link->begun
      || ABS (get_delay (link, arrival, send_time) - link->latest)
          > PLAUSIBLE_RANGE)
    begin (link, arrival, send_time);
  advance (link, arrival);
  link->latest = delay = get_delay (link, arrival, send_time);
  if (train)
    exclude (link, number - MIN (number, TRAIN_SLOTS), number + TRAIN_SLOTS);
  slot = find_slot (link, number);
  if (slot == NULL)
    return;
  slot->packets++;
  slot->delays += delay;
}

/* The slot of the middle of a run, or %NULL if the run does not count. */
static LmccLinkLossSlot *
find_run (LmccLinkLoss *link, const LmccLoss *loss)
{
  if (!link->begun || (loss->span > OUTAGE_TIME && loss->gap > OUTAGE_PACKETS))
    return NULL;

  return find_slot (link, slot_of (loss->before + loss->span / 2));
}

/*
 * lmcc_link_loss_lose:
 * @link: a receiver's losses
 * @loss: a run of packets of a joined layer that were lost
 */
void
lmcc_link_loss_lose (LmccLinkLoss *link, const LmccLoss *loss)
{
  LmccLinkLossSlot *slot = find_run (link, loss);

  if (slot == NULL)
    return;
  slot->lost += loss->count;
  slot->runs++;
}

/*
 * lmcc_link_loss_find:
 * @link: a receiver's losses
 * @loss: a packet that was reported lost and has arrived
 * @n_runs: how many runs there are more without it: -1, 0 or 1
 */
void
lmcc_link_loss_find (LmccLinkLoss *link, const LmccLoss *loss, gint n_runs)
{
  LmccLinkLossSlot *slot = find_run (link, loss);

  if (slot == NULL)
    return;
  slot->lost -= MIN (slot->lost, loss->count);
  if (n_runs > 0 || slot->runs > 0)
    slot->runs += n_runs;
  slot->runs = MIN (slot->runs, slot->lost);
}

/*
 * lmcc_link_loss_disturb:
 * @link: a receiver's losses
 * @now: the time
 *
 * The level changes: for a while, losses may be due to that.
 */
void
lmcc_link_loss_disturb (LmccLinkLoss *link, LmccTime now)
{
  if (!link->begun)
    return;
  advance (link, now);
  exclude (link, slot_of (now), slot_of (now) + CHANGE_SLOTS);
}

/*
 * lmcc_link_loss_get:
 * @link: a receiver's losses
 * @now: the time
 * @report: (out): the losses of the latest seconds
 *
 * Returns: whether enough is known
 */
gboolean
lmcc_link_loss_get (LmccLinkLoss *link, LmccTime now, LmccLossReport *report)
{
  LmccLinkLossSecond sum = { 0 }, covered = { 0 };
  guint64 n, i;

  if (!link->begun)
    return FALSE;
  advance (link, now);
  n = MIN (link->second + 1, REPORT_SECONDS);
  for (i = 0; i < n; i++) {
    const LmccLinkLossSecond *second = get_second (link, link->second - i);

    sum.packets += second->packets;
    sum.lost += second->lost;
    sum.runs += second->runs;
    if (second->lost > 0 || i < LEAST_SECONDS)
      covered = sum;
  }
  if (covered.packets < LEAST_PACKETS)
    return FALSE;
  report->loss_rate =
      (gdouble) covered.lost / (gdouble) (covered.packets + covered.lost);
  report->burst = covered.runs > 0 ? (gdouble) covered.lost / covered.runs : 1;

  return TRUE;
}
