/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure/loss-timeline.h"

/* Greatest number of packets that may still change; if there are more, older
 * ones become final early. */
#define MAX_PENDING 65536

/* Number of entries between saved states. */
#define CHECKPOINT_ENTRIES 64

/* The state after the first @n_entries. */
typedef struct
{
  guint n_entries;
  LmccLossEvents events;
} Checkpoint;

/*
 * lmcc_loss_timeline_init:
 * @timeline: (out): a timeline without packets
 * @window: as in lmcc_loss_intervals_new()
 * @rtt: duration of a loss event, in ns
 */
void
lmcc_loss_timeline_init (LmccLossTimeline *timeline, guint window, LmccTime rtt)
{
  *timeline = (LmccLossTimeline){ .window = window,
    .rtt = rtt,
    .hold = LMCC_LOSS_HOLD,
    .live_valid = TRUE };
  timeline->entries = g_array_new (FALSE, FALSE, sizeof (LmccLossEntry));
  timeline->checkpoints = g_array_new (FALSE, FALSE, sizeof (Checkpoint));
}

void
lmcc_loss_timeline_clear (LmccLossTimeline *timeline)
{
  g_array_unref (timeline->entries);
  g_array_unref (timeline->checkpoints);
}

/* Forgets all packets and losses. */
void
lmcc_loss_timeline_reset (LmccLossTimeline *timeline)
{
  g_array_set_size (timeline->entries, 0);
  g_array_set_size (timeline->checkpoints, 0);
  timeline->n_final = 0;
  timeline->newest = 0;
  timeline->final_time = 0;
  timeline->settled = (LmccLossEvents){ 0 };
  timeline->live = timeline->settled;
  timeline->live_valid = TRUE;
}

/* Changes events within the hold time, too, but no earlier ones. */
void
lmcc_loss_timeline_set_rtt (LmccLossTimeline *timeline, LmccTime rtt)
{
  if (timeline->rtt == rtt)
    return;
  timeline->rtt = rtt;
  g_array_set_size (timeline->checkpoints, 0);
  timeline->live_valid = FALSE;
}

/* For a timeline without packets: an event has ended now. */
void
lmcc_loss_timeline_begin (LmccLossTimeline *timeline, LmccTime now)
{
  timeline->newest = now;
  timeline->final_time = now;
  lmcc_loss_events_begin (&timeline->settled, now - MIN (timeline->rtt, now),
      1);
  timeline->settled.packets = 1;
  timeline->settled.last_loss = 1;
  timeline->live = timeline->settled;
}

static LmccLossEntry *
get_entry (const LmccLossTimeline *timeline, guint index)
{
  return &g_array_index (timeline->entries, LmccLossEntry, index);
}

/* Applies the packets at @index, or all runs of losses from there to the
 * next packets that arrived. Returns the number of these entries. */
static guint
apply (const LmccLossTimeline *timeline, LmccLossEvents *events, guint index)
{
  guint n = 0;

  if (!get_entry (timeline, index)->lost) {
    events->packets += get_entry (timeline, index)->run.count;
    return 1;
  }
  while (index + n < timeline->entries->len
      && get_entry (timeline, index + n)->lost)
    n++;
  lmcc_loss_events_lose (events, timeline->window, timeline->rtt,
      get_entry (timeline, index), n);

  return n;
}

/* Nothing is inserted before arrived packets any more, except by changes
 * that invalidate the state. */
static void
keep_checkpoint (LmccLossTimeline *timeline, guint index)
{
  guint n = timeline->checkpoints->len;
  guint last = n == 0
      ? timeline->n_final
      : g_array_index (timeline->checkpoints, Checkpoint, n - 1).n_entries;
  Checkpoint checkpoint = { .n_entries = index, .events = timeline->live };

  if (index >= last + CHECKPOINT_ENTRIES && !get_entry (timeline, index)->lost)
    g_array_append_val (timeline->checkpoints, checkpoint);
}

/* Returns: (transfer none): the state after all packets and losses so far */
const LmccLossEvents *
lmcc_loss_timeline_get (LmccLossTimeline *timeline)
{
  guint i = timeline->n_final;

  if (timeline->live_valid)
    return &timeline->live;

  timeline->live = timeline->settled;
  if (timeline->checkpoints->len > 0) {
    const Checkpoint *last = &g_array_index (timeline->checkpoints, Checkpoint,
        timeline->checkpoints->len - 1);

    timeline->live = last->events;
    i = last->n_entries;
  }
  while (i < timeline->entries->len) {
    keep_checkpoint (timeline, i);
    i += apply (timeline, &timeline->live, i);
  }
  timeline->live_valid = TRUE;

  return &timeline->live;
}

/* States that depend on the entries from @index on are no longer valid. */
static void
invalidate (LmccLossTimeline *timeline, guint index)
{
  guint n = timeline->checkpoints->len;

  while (n > 0
      && g_array_index (timeline->checkpoints, Checkpoint, n - 1).n_entries
          > index)
    n--;
  g_array_set_size (timeline->checkpoints, n);
  timeline->live_valid = FALSE;
}

/* Index after the packets that arrived not later than @time. */
static guint
find_packets (const LmccLossTimeline *timeline, LmccTime time)
{
  guint i = timeline->entries->len;

  while (i > timeline->n_final
      && (get_entry (timeline, i - 1)->lost
          || get_entry (timeline, i - 1)->time > time))
    i--;

  return i;
}

static void
append_packets (LmccLossTimeline *timeline, const LmccLossEntry *entry)
{
  guint index = timeline->entries->len;

  lmcc_loss_timeline_get (timeline);
  g_array_append_val (timeline->entries, *entry);
  keep_checkpoint (timeline, index);
  timeline->live.packets += entry->run.count;
}

static guint
count_up_to (const LmccLoss *run, LmccTime time)
{
  return time == G_MAXUINT64 ? run->count
                             : lmcc_loss_count_before (run, time + 1);
}

/* Removes packets that would have arrived later than @time from the runs from
 * @index on.
 * Returns: (transfer full) (nullable): these; @index is then after the rest */
static GArray *
take_later_losses (LmccLossTimeline *timeline, guint *index, LmccTime time)
{
  GArray *later = NULL;

  while (
      *index < timeline->entries->len && get_entry (timeline, *index)->lost) {
    LmccLossEntry *entry = get_entry (timeline, *index);
    guint before = count_up_to (&entry->run, time);
    LmccLossEntry rest = *entry;

    if (before == entry->run.count) {
      *index += 1;
      continue;
    }
    if (later == NULL)
      later = g_array_new (FALSE, FALSE, sizeof (LmccLossEntry));
    lmcc_loss_drop_first (&rest.run, before);
    rest.time = lmcc_loss_get_time (&rest.run, 0);
    g_array_append_val (later, rest);
    entry->run.count = before;
    if (before == 0)
      g_array_remove_index (timeline->entries, *index);
    else
      *index += 1;
  }

  return later;
}

/* Losses that would have arrived until then precede the packets, others
 * follow them. */
static void
add_packets (LmccLossTimeline *timeline, LmccTime time, guint count)
{
  LmccLossEntry entry = { .time = time, .run.count = count };
  guint first = find_packets (timeline, time);
  guint index = first;
  g_autoptr (GArray) later = take_later_losses (timeline, &index, time);

  if (later == NULL && index == timeline->entries->len) {
    append_packets (timeline, &entry);
    return;
  }
  invalidate (timeline, first);
  g_array_insert_val (timeline->entries, index, entry);
  if (later != NULL)
    g_array_insert_vals (timeline->entries, index + 1, later->data, later->len);
}

static gboolean
join_run (LmccLossTimeline *timeline, guint index, const LmccLoss *run)
{
  LmccLossEntry *entry;

  if (index >= timeline->entries->len)
    return FALSE;
  entry = get_entry (timeline, index);
  if (!entry->lost || entry->run.span > 0 || run->span > 0
      || entry->run.before != run->before
      || entry->run.count > G_MAXUINT - run->count)
    return FALSE;
  entry->run.count += run->count;

  return TRUE;
}

/* Sorts the run into those from @index on, by its first loss. */
static void
add_run (LmccLossTimeline *timeline, guint index, const LmccLoss *run)
{
  LmccLossEntry entry = { .time = lmcc_loss_get_time (run, 0),
    .lost = TRUE,
    .run = *run };

  while (index < timeline->entries->len && get_entry (timeline, index)->lost
      && get_entry (timeline, index)->time < entry.time)
    index++;
  if (!join_run (timeline, index, run))
    g_array_insert_val (timeline->entries, index, entry);
}

/* A run is split where packets arrived. */
static void
add_losses (LmccLossTimeline *timeline, const LmccLoss *loss)
{
  LmccLoss rest = *loss;
  guint i = find_packets (timeline, lmcc_loss_get_time (loss, 0));

  invalidate (timeline, i);
  while (rest.count > 0) {
    guint next = i, n;
    LmccLoss part = rest;

    while (next < timeline->entries->len && get_entry (timeline, next)->lost)
      next++;
    n = next == timeline->entries->len
        ? rest.count
        : lmcc_loss_count_before (&rest, get_entry (timeline, next)->time);
    if (n > 0) {
      guint length = timeline->entries->len;

      part.count = n;
      add_run (timeline, i, &part);
      next += timeline->entries->len - length;
      lmcc_loss_drop_first (&rest, n);
    }
    i = next + 1;
  }
}

/* Number of entries, from the first that is not final, that become final
 * together: packets that arrived, or all losses up to the next packets. */
static guint
count_final (const LmccLossTimeline *timeline, LmccTime *time)
{
  guint first = timeline->n_final, n;

  *time = 0;
  for (n = 0; first + n < timeline->entries->len; n++) {
    const LmccLossEntry *entry = get_entry (timeline, first + n);

    if (n > 0 && !entry->lost)
      break;
    *time = MAX (*time,
        entry->lost ? lmcc_loss_get_last_time (&entry->run) : entry->time);
    if (!entry->lost)
      return 1;
  }

  return n;
}

static gboolean
is_final (const LmccLossTimeline *timeline, LmccTime time)
{
  return timeline->newest - MIN (time, timeline->newest) > timeline->hold
      || timeline->entries->len - timeline->n_final > MAX_PENDING;
}

static void
forget_final (LmccLossTimeline *timeline)
{
  guint i, kept = 0;

  g_array_remove_range (timeline->entries, 0, timeline->n_final);
  for (i = 0; i < timeline->checkpoints->len; i++) {
    Checkpoint *checkpoint =
        &g_array_index (timeline->checkpoints, Checkpoint, i);

    if (checkpoint->n_entries < timeline->n_final)
      continue;
    checkpoint->n_entries -= timeline->n_final;
    g_array_index (timeline->checkpoints, Checkpoint, kept++) = *checkpoint;
  }
  g_array_set_size (timeline->checkpoints, kept);
  timeline->n_final = 0;
}

static void
settle (LmccLossTimeline *timeline)
{
  LmccTime time;
  guint n;

  while ((n = count_final (timeline, &time)) > 0 && is_final (timeline, time)) {
    apply (timeline, &timeline->settled, timeline->n_final);
    timeline->final_time = time;
    timeline->n_final += n;
  }
  if (timeline->n_final > timeline->entries->len / 2)
    forget_final (timeline);
}

/*
 * lmcc_loss_timeline_packets:
 * @timeline: a timeline
 * @time: arrival time of packets
 * @count: number of packets, at least 1
 */
void
lmcc_loss_timeline_packets (LmccLossTimeline *timeline, LmccTime time,
    guint count)
{
  time = MAX (time, timeline->final_time);
  add_packets (timeline, time, count);
  timeline->newest = MAX (timeline->newest, time);
  settle (timeline);
}

/* Losses whose place is already final count at the oldest place left. */
static LmccLoss
take_final (LmccLossTimeline *timeline, LmccLoss *rest)
{
  guint n = lmcc_loss_count_before (rest, timeline->final_time);

  lmcc_loss_drop_first (rest, n);

  return lmcc_loss_at (timeline->final_time, n);
}

/* Not later than the newest packet. */
static LmccLoss
take_newest (LmccLossTimeline *timeline, LmccLoss *rest)
{
  guint n = lmcc_loss_count_before (rest, timeline->newest);
  guint late = rest->count - n;

  rest->count = n;

  return lmcc_loss_at (MAX (timeline->newest, timeline->final_time), late);
}

/*
 * lmcc_loss_timeline_lose:
 * @timeline: a timeline
 * @loss: a run of losses
 */
void
lmcc_loss_timeline_lose (LmccLossTimeline *timeline, const LmccLoss *loss)
{
  LmccLoss rest = *loss;
  LmccLoss latest = take_newest (timeline, &rest);
  LmccLoss oldest = take_final (timeline, &rest);

  if (oldest.count > 0)
    add_losses (timeline, &oldest);
  if (rest.count > 0)
    add_losses (timeline, &rest);
  if (latest.count > 0)
    add_losses (timeline, &latest);
  settle (timeline);
}

/* Removes the loss at @at from the run at @index. */
static void
cut_run (LmccLossTimeline *timeline, guint index, guint at)
{
  LmccLossEntry *entry = get_entry (timeline, index);
  LmccLossEntry behind = *entry;

  entry->run.count = at;
  if (at + 1 < behind.run.count) {
    lmcc_loss_drop_first (&behind.run, at + 1);
    behind.time = lmcc_loss_get_time (&behind.run, 0);
    g_array_insert_val (timeline->entries, index + 1, behind);
  }
  if (at == 0)
    g_array_remove_index (timeline->entries, index);
}

/*
 * lmcc_loss_timeline_find:
 * @timeline: a timeline
 * @time: time of a loss
 *
 * Withdraws a loss: the packet has arrived after all, and counts as arrived
 * at that time. If the loss is final, or nothing was lost then, there is no
 * effect.
 */
void
lmcc_loss_timeline_find (LmccLossTimeline *timeline, LmccTime time)
{
  guint i;

  for (i = timeline->entries->len; i-- > timeline->n_final;) {
    const LmccLossEntry *entry = get_entry (timeline, i);

    if (!entry->lost || entry->time > time
        || lmcc_loss_get_last_time (&entry->run) < time)
      continue;
    invalidate (timeline, i);
    cut_run (timeline, i, lmcc_loss_count_before (&entry->run, time));
    add_packets (timeline, time, 1);
    return;
  }
}
