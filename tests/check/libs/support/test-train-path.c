/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/test-train-path.h"

#include "wire/layer-header.h"

#include <string.h>

/* Durations of traffic before and after a train; the rest of a cycle is
 * silent. */
#define BEFORE (100 * MS)
#define BEHIND (60 * MS)

typedef struct
{
  LmccTime time;
  LmccHeader header;
} Arrival;

/* @path: (out): a path that carries @rate, without jitter @rate: rate of the
 * trains @factor: ratio of @rate to the rate of the current level @seed:
 * seed of the jitter */
void
train_path_init (TrainPath *path, gdouble rate, gdouble factor, guint32 seed)
{
  gdouble held = rate / factor;

  memset (path, 0, sizeof (*path));
  lmcc_session_init (&path->session);
  path->session.train_cycle = (2 * LMCC_SECOND);
  path->session.n_layers = 3;
  path->session.layers[0].rate = (guint64) (held / 2);
  path->session.layers[1].rate = (guint64) (held - held / 2);
  path->session.layers[2].rate = (guint64) (rate - held);
  path->packet_gap =
      (LmccTime) (8.0 * path->session.packet_size * LMCC_SECOND / rate);
  path->gap_below =
      (LmccTime) (8.0 * path->session.packet_size * LMCC_SECOND / held);
  path->capacity = 10 * rate;
  path->delay = 20 * MS;
  path->now = 1000 * LMCC_SECOND;
  path->ntp_offset = 7777 * LMCC_SECOND;
  path->signal = LEVEL + 1;
  path->layer = LEVEL;
  path->least_apart = LMCC_TIME_NONE;
  path->rand = g_rand_new_with_seed (seed);
  path->arrivals = g_array_new (FALSE, FALSE, sizeof (Arrival));
  lmcc_train_reader_init (&path->reader);
  lmcc_train_reader_set_level (&path->reader, LEVEL);
}

void
train_path_clear (TrainPath *path)
{
  g_rand_free (path->rand);
  g_array_unref (path->arrivals);
}

guint
train_path_length (const TrainPath *path)
{
  const LmccLayer *layers = path->session.layers;

  return (guint) (lmcc_train_get_length (&path->session,
                      layers[0].rate + layers[1].rate + layers[2].rate)
      / path->packet_gap);
}

static LmccTime
to_receiver (const TrainPath *path, LmccTime time)
{
  return (LmccTime) ((gdouble) time * (1 + path->drift));
}

/* Earliest arrival of a packet sent now. */
LmccTime
train_path_arrival (const TrainPath *path)
{
  return to_receiver (path, path->now + path->delay);
}

/* Departure of a packet that is due now. */
static LmccTime
leaves_at (const TrainPath *path)
{
  if (path->wakes == 0)
    return path->now;

  return path->now + path->wakes - path->now % path->wakes;
}

static LmccTime
cross (TrainPath *path)
{
  LmccTime time = leaves_at (path);

  path->idle_at = MAX (time - path->bucket, path->idle_at)
      + (LmccTime) (8.0 * path->session.packet_size * LMCC_SECOND
          / path->capacity);
  time = MAX (time, path->idle_at) + path->delay + path->extra;
  if (path->jitter > 0)
    time += (LmccTime) (g_rand_double (path->rand) * (gdouble) path->jitter);
  if (path->reorder > 0 && path->n_sent % path->reorder == 0)
    time += path->packet_gap * 3 / 2;
  if (path->batch > 0)
    time += path->batch - time % path->batch;
  if (path->keeps_order)
    time = MAX (time, path->latest);
  path->latest = MAX (path->latest, time);

  return to_receiver (path, time);
}

static void
send_packet (TrainPath *path, gboolean marked)
{
  gboolean mark = marked || path->marks_all;
  Arrival arrival = { 0 };

  arrival.header.layer = (guint8) path->layer;
  arrival.header.burst = mark;
  arrival.header.signal = mark ? path->signal : LMCC_SIGNAL_NOBODY;
  arrival.header.send_time =
      lmcc_time_to_ntp_short (leaves_at (path) + path->ntp_offset);
  arrival.time = cross (path);
  path->n_sent++;
  g_array_append_val (path->arrivals, arrival);
}

/* Packets of one batch stay in order. */
static gint
compare_arrivals (gconstpointer a, gconstpointer b)
{
  const Arrival *x = a, *y = b;

  if (x->time != y->time)
    return x->time > y->time ? 1 : -1;

  return (gint32) (x->header.send_time - y->header.send_time);
}

static gboolean
take_packet (TrainPath *path, const Arrival *arrival)
{
  if (path->trains != NULL)
    return lmcc_elm_trains_packet (path->trains, arrival->time,
        &arrival->header, path->session.packet_size);

  return lmcc_train_reader_packet (&path->reader, &path->session, arrival->time,
      &arrival->header, path->session.packet_size);
}

static void
count_verdict (TrainPath *path, LmccTime now)
{
  const LmccTrainReader *reader =
      path->trains != NULL ? &path->trains->reader : &path->reader;

  path->verdicts[lmcc_train_reader_get (reader, now, NULL)]++;
  if (path->verdict_at > 0)
    path->least_apart = MIN (path->least_apart, now - path->verdict_at);
  path->verdict_at = now;
}

/* No packet sent from now on can overtake one that arrives before this time. */
void
train_path_flush (TrainPath *path)
{
  guint i;

  g_array_sort (path->arrivals, compare_arrivals);
  for (i = 0; i < path->arrivals->len; i++) {
    const Arrival *arrival = &g_array_index (path->arrivals, Arrival, i);

    if (arrival->time > train_path_arrival (path))
      break;
    if (take_packet (path, arrival))
      count_verdict (path, arrival->time);
  }
  g_array_remove_range (path->arrivals, 0, i);
}

void
train_path_even (TrainPath *path, LmccTime duration)
{
  LmccTime end = path->now + duration;

  for (; path->now < end; path->now += path->gap_below)
    send_packet (path, FALSE);
}

/* And the silence after it. */
void
train_path_train (TrainPath *path, guint n)
{
  guint i;

  for (i = 0; i < n; i++) {
    send_packet (path, TRUE);
    path->now += path->packet_gap;
  }
  path->now += n * (path->gap_below - path->packet_gap);
}

void
train_path_cycle (TrainPath *path, guint n)
{
  LmccTime begin = path->now;

  train_path_even (path, BEFORE);
  train_path_train (path, n);
  train_path_even (path, MAX (BEHIND, 3 * path->gap_below));
  path->now = begin + lmcc_train_cycle (&path->session);
  train_path_flush (path);
}

/* The paths start at different phases. */
void
train_path_cycles (TrainPath *path, guint n_cycles)
{
  guint i;

  for (i = 0; i < n_cycles; i++) {
    train_path_cycle (path, train_path_length (path));
    path->now += (LmccTime) (g_rand_double (path->rand) * 20 * MS);
  }
}

guint
train_path_count (const TrainPath *path)
{
  return path->verdicts[LMCC_TRAIN_ROOM] + path->verdicts[LMCC_TRAIN_FULL]
      + path->verdicts[LMCC_TRAIN_UNKNOWN];
}
