/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure/train-queue.h"

#include <math.h>
#include <stdlib.h>

/* A queue grew if the delay of an even train would have grown by more than
 * this and 1/20 of the train's duration, or the time of a quarter of a
 * packet. */
#define GROWN LMCC_MSECOND
#define GROWN_SHARE 20
#define GROWN_PACKETS 0.25

/* Growth is found by comparison with a link that would have to carry this
 * multiple of its rate. */
#define SLOWER 1.2

/* Two packets are compared if their waits at that link differ by more than
 * this fraction of the greatest difference. */
#define LEAST_STEPS 16

/* A train that finds no queue gives no verdict if it would wait at a link
 * halfway between both levels for less than this fraction of an even train's
 * wait: a sender without processor time sends in clumps, between which a
 * link drains. */
#define LEAST_SHAPE 0.4

static gint
compare_slopes (gconstpointer a, gconstpointer b)
{
  gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return (x > y) - (x < y);
}

/* Computes how long each packet waits at a link of @rate whose queue is
 * empty when the train begins. Returns: the queued bits when the last packet
 * has arrived */
static gdouble
pass_link (const LmccTrainQueue *queue, gdouble rate, gdouble *waits)
{
  gdouble backlog = 0;
  guint i;

  for (i = 0; i < queue->n; i++) {
    const LmccTrainPacket *packet = &queue->packets[i];

    if (i > 0)
      backlog -=
          rate * (gdouble) (packet->sent - packet[-1].sent) / LMCC_SECOND;
    backlog = MAX (backlog, 0);
    waits[i] = backlog / rate * LMCC_SECOND;
    backlog += 8.0 * packet->size;
  }

  return backlog;
}

static gdouble
get_range (const gdouble *values, guint n)
{
  gdouble least = values[0], most = values[0];
  guint i;

  for (i = 1; i < n; i++) {
    least = MIN (least, values[i]);
    most = MAX (most, values[i]);
  }

  return most - least;
}

/* How much longer each packet waits at a link of @rate than in @waits. */
static void
find_excess (const LmccTrainQueue *queue, gdouble rate, const gdouble *waits,
    gdouble *excess)
{
  guint i;

  pass_link (queue, rate, excess);
  for (i = 0; i < queue->n; i++)
    excess[i] -= waits[i];
}

/* How much the delay grows from packet @i to packet @k in addition to the wait
 * at a link of the train's rate. That wait falls in the gap behind a clump,
 * but not the delay on a fast path, where there was none. */
static gdouble
find_growth (const LmccTrainQueue *queue, const gdouble *waits, guint i,
    guint k)
{
  return (gdouble) (queue->packets[k].delay - queue->packets[i].delay)
      - MAX (waits[k] - waits[i], 0);
}

/* How much of @excess the packets' delays have in addition to @waits: the
 * median slope of all pairs (Theil and Sen), which a few late packets do not
 * affect. Its abscissa is the wait at a link without room instead of the
 * time, because a queue drains in the gaps of a train of large pictures. */
static gdouble
find_slope (const LmccTrainQueue *queue, const gdouble *waits,
    const gdouble *excess)
{
  gdouble slopes[LMCC_TRAIN_READ_MAX * (LMCC_TRAIN_READ_MAX - 1) / 2];
  gdouble least = get_range (excess, queue->n) / LEAST_STEPS;
  guint n = 0, i, k;

  for (i = 0; i < queue->n; i++) {
    for (k = i + 1; k < queue->n; k++) {
      gdouble step = excess[k] - excess[i];

      if (step > least)
        slopes[n++] = find_growth (queue, waits, i, k) / step;
      else if (step < -least)
        slopes[n++] = find_growth (queue, waits, k, i) / -step;
    }
  }
  if (n == 0)
    return 0;
  qsort (slopes, n, sizeof (*slopes), compare_slopes);

  return n % 2 != 0 ? slopes[n / 2] : (slopes[n / 2 - 1] + slopes[n / 2]) / 2;
}

static gdouble
get_span (const LmccTrainQueue *queue)
{
  return (gdouble) (queue->packets[queue->n - 1].sent - queue->packets[0].sent);
}

/* Whether a queue has grown whose packets wait for @slope times as long as at
 * a link that is slower than the train, beyond what a path with room shows. */
static gboolean
is_grown (const LmccTrainQueue *queue, const gdouble *excess, gdouble slope)
{
  gdouble span = get_span (queue);
  gdouble packet = 8.0 * queue->packet_size * LMCC_SECOND / queue->held;

  return slope * span * (SLOWER - 1)
      > MAX (GROWN + span / GROWN_SHARE, GROWN_PACKETS * packet)
      && slope * get_range (excess, queue->n) > GROWN;
}

/*
 * lmcc_train_queue_look:
 * @queue: the packets of a train
 *
 * Returns: whether a queue grew in it, at a link that carries less than the
 * train's rate
 */
LmccTrainGrowth
lmcc_train_queue_look (const LmccTrainQueue *queue)
{
  gdouble waits[LMCC_TRAIN_READ_MAX], excess[LMCC_TRAIN_READ_MAX];

  pass_link (queue, queue->rate, waits);
  find_excess (queue, queue->rate / SLOWER, waits, excess);
  if (is_grown (queue, excess, find_slope (queue, waits, excess)))
    return LMCC_TRAIN_GROWN;

  return is_grown (queue, excess, 1) ? LMCC_TRAIN_NOT_GROWN
                                     : LMCC_TRAIN_CANNOT_TELL;
}

/*
 * lmcc_train_queue_would_grow:
 * @queue: the packets of a train
 * @length: duration of such a train if its packets suffice
 *
 * Returns: whether a queue would have grown at a link that carries the
 * current level but not the next one
 */
gboolean
lmcc_train_queue_would_grow (const LmccTrainQueue *queue, LmccTime length)
{
  gdouble between = sqrt (queue->held * queue->rate);
  gdouble even = (gdouble) length * (queue->rate / between - 1);
  gdouble waits[LMCC_TRAIN_READ_MAX], excess[LMCC_TRAIN_READ_MAX];

  if (pass_link (queue, queue->held, waits)
      < LMCC_TRAIN_LEAST_EXCESS * 8.0 * queue->packet_size)
    return FALSE;
  pass_link (queue, queue->rate, waits);
  find_excess (queue, between, waits, excess);

  return get_range (excess, queue->n) >= LEAST_SHAPE * even;
}
