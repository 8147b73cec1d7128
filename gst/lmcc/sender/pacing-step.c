/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * How many packets may leave together. To wake a thread up costs several times
 * what it costs to send a packet, so that packets which are due within a short
 * step go together; a queue on their way has to hold them.
 */
#include "sender/pacing-step.h"

#include <gst/lmcc/lmcc-sender.h>

/* What the rate is measured over. The rate of native layers changes with each
 * picture. */
#define INTERVAL (20 * LMCC_MSECOND)

/* TCP's own pacing in Linux goes in steps of 1 ms (tcp_tso_autosize()). A queue
 * of 10 ms, which is a short one, has a tenth of its room taken by a step; so
 * has the queue of a slower path, where fewer layers are held. */
#define LONGEST LMCC_MSECOND

/* A queue of 10 ms at the session's rate is a short one, and takes what is due
 * in as long. */
#define LONGEST_ASKED_FOR (10 * LMCC_MSECOND)

/* Trains and bursts are read from arrival times, to within 1 ms; and packets
 * that are closer together than this cost more than they tell. */
#define EXACT (250 * LMCC_USECOND)

/* A step that has fewer than two packets saves little. The rate is that of
 * pictures and of late wake-ups, so that it is rounded: a step that comes and
 * goes with each picture would be neither. */
#define LEAST_PACKETS 1.5

/*
 * lmcc_packet_count_add:
 * @count: a count, all zero at first
 * @now: the time; a packet leaves
 */
void
lmcc_packet_count_add (LmccPacketCount *count, LmccTime now)
{
  guint64 interval = now / INTERVAL;

  if (interval != count->interval) {
    count->n_before = interval == count->interval + 1 ? count->n : 0;
    count->n = 0;
    count->interval = interval;
  }
  count->n++;
}

/* The packets of an interval at the present rate. One that has begun counts as
 * soon as it has more than the one before it. */
static guint
count_packets (const LmccPacketCount *count, LmccTime now)
{
  guint64 interval = now / INTERVAL;

  if (interval == count->interval)
    return MAX (count->n, count->n_before);

  return interval == count->interval + 1 ? count->n : 0;
}

/*
 * lmcc_pacing_step:
 * @count: of the packets that left
 * @now: the time
 * @max_burst: as for lmcc_sender_get_pacing_step()
 * @exact: packets are paced as exactly as is of use
 *
 * Returns: the step at the present rate, in ns
 */
LmccTime
lmcc_pacing_step (const LmccPacketCount *count, LmccTime now, guint max_burst,
    gboolean exact)
{
  guint n = count_packets (count, now);
  LmccTime step = max_burst > 0 ? LONGEST_ASKED_FOR : LONGEST;

  if (max_burst > 0 && n > 0)
    step = MIN (step, max_burst * INTERVAL / n);
  if (exact || (gdouble) step * n < LEAST_PACKETS * (gdouble) INTERVAL)
    step = MIN (step, EXACT);

  return step;
}
