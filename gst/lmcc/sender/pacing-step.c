/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * How many packets may be sent together. Waking up a thread costs several
 * times as much as sending a packet, so packets that are due within a short
 * step are sent together. A queue on the path has to hold them.
 */
#include "sender/pacing-step.h"

#include <gst/lmcc/lmcc-sender.h>

/* Interval over which the rate is measured, because the rate of native
 * layers changes with each picture. */
#define INTERVAL (20 * LMCC_MSECOND)

/* TCP's pacing in Linux uses steps of 1 ms (tcp_tso_autosize()). A short
 * queue of 10 ms has a tenth of its capacity taken by such a step; so has
 * the queue of a slower path, to which fewer layers are sent. */
#define LONGEST LMCC_MSECOND

/* A short queue of 10 ms at the session's rate can hold what is due within
 * this time. */
#define LONGEST_ASKED_FOR (10 * LMCC_MSECOND)

/* Packet trains and bursts are evaluated by arrival times with a precision
 * of 1 ms; a finer resolution than this costs more than it reveals. */
#define EXACT (250 * LMCC_USECOND)

/* A step with fewer than two packets saves little. The limit is lower
 * because the rate varies with pictures and late wake-ups, and the step
 * should not be switched on and off with each picture. */
#define LEAST_PACKETS 1.5

/*
 * lmcc_packet_count_add:
 * @count: a count, initially all zeros
 * @now: the time, at which a packet is sent
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

/* Packets per interval at the present rate. The current interval counts as
 * soon as it has more packets than the previous one. */
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
 * @count: count of the sent packets
 * @now: the time
 * @max_burst: as in lmcc_sender_get_pacing_step()
 * @exact: packets must be paced as exactly as is useful
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
