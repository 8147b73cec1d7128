/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/test-tcp.h"

#include <math.h>
#include <string.h>

#define INITIAL_WINDOW 4.0 /* RFC 5681 section 3.1 for this segment size */
#define MAX_WINDOW (TEST_TCP_HISTORY / 2)

/* A segment counts as lost after this number of later ones has arrived. */
#define REORDERING 3

/* RFC 6298 requires at least one second; implementations in use have at
 * least 200 ms above the round-trip time. */
#define RTO_MARGIN (200 * LMCC_MSECOND)
#define RTO_MAX (60 * LMCC_SECOND)

/* RFC 9438: sections 5.1, 4.6 and 4.3. */
#define CUBIC_C 0.4
#define CUBIC_BETA 0.7
#define CUBIC_ALPHA (3 * (1 - CUBIC_BETA) / (1 + CUBIC_BETA))

#define MIN_SSTHRESH 2.0

/* How a congestion control algorithm changes the window after slow start.
 * @decrease: on a loss: sets ssthresh
 * @increase: when a segment has arrived in congestion avoidance: sets cwnd */
typedef struct
{
  void (*decrease) (TestTcp *tcp, gboolean timeout);
  void (*increase) (TestTcp *tcp, LmccTime now);
} WindowRule;

static void
decrease_reno (TestTcp *tcp, gboolean timeout G_GNUC_UNUSED)
{
  tcp->ssthresh = MAX ((gdouble) tcp->pipe / 2, MIN_SSTHRESH);
}

static void
increase_reno (TestTcp *tcp, LmccTime now G_GNUC_UNUSED)
{
  tcp->cwnd += 1 / tcp->cwnd;
}

/* Sections 4.6 to 4.8. */
static void
decrease_cubic (TestTcp *tcp, gboolean timeout)
{
  TestTcpCubic *cubic = &tcp->cubic;

  if (timeout)
    cubic->w_max = 0;
  else if (cubic->fast_convergence && tcp->cwnd < cubic->w_max)
    cubic->w_max = tcp->cwnd * (1 + CUBIC_BETA) / 2;
  else
    cubic->w_max = tcp->cwnd;
  cubic->cwnd_prior = tcp->cwnd;
  cubic->started = FALSE;
  tcp->ssthresh = MAX (tcp->pipe * CUBIC_BETA, MIN_SSTHRESH);
}

static void
start_cubic (TestTcp *tcp, LmccTime now)
{
  TestTcpCubic *cubic = &tcp->cubic;

  if (cubic->w_max == 0)
    cubic->w_max = tcp->cwnd;
  if (cubic->cwnd_prior == 0)
    cubic->cwnd_prior = tcp->cwnd;
  cubic->k = cbrt ((cubic->w_max - tcp->cwnd) / CUBIC_C);
  cubic->w_est = tcp->cwnd;
  cubic->epoch = now;
  cubic->started = TRUE;
}

/* W_cubic(t) of section 4.2. */
static gdouble
cubic_window (const TestTcpCubic *cubic, gdouble t)
{
  return CUBIC_C * pow (t - cubic->k, 3) + cubic->w_max;
}

/* Sections 4.2 to 4.5. */
static void
increase_cubic (TestTcp *tcp, LmccTime now)
{
  TestTcpCubic *cubic = &tcp->cubic;
  gdouble t, target;

  if (!cubic->started)
    start_cubic (tcp, now);
  t = (gdouble) (now - cubic->epoch) / LMCC_SECOND;
  cubic->w_est +=
      (cubic->w_est < cubic->cwnd_prior ? CUBIC_ALPHA : 1) / tcp->cwnd;
  if (cubic_window (cubic, t) < cubic->w_est) {
    tcp->cwnd = cubic->w_est;
    return;
  }
  target = cubic_window (cubic, t + tcp->srtt / LMCC_SECOND);
  target = CLAMP (target, tcp->cwnd, 1.5 * tcp->cwnd);
  tcp->cwnd += (target - tcp->cwnd) / tcp->cwnd;
}

static const WindowRule window_rules[] = {
  [TEST_TCP_RENO] = { decrease_reno, increase_reno },
  [TEST_TCP_CUBIC] = { decrease_cubic, increase_cubic },
};

static TestTcpSegment *
segment (TestTcp *tcp, guint64 sequence)
{
  return &tcp->segments[sequence % TEST_TCP_HISTORY];
}

void
test_tcp_init (TestTcp *tcp, TestTcpAlgorithm algorithm)
{
  memset (tcp, 0, sizeof (*tcp));
  tcp->algorithm = algorithm;
  tcp->cubic.fast_convergence = TRUE;
  tcp->cwnd = INITIAL_WINDOW;
  tcp->ssthresh = MAX_WINDOW;
  tcp->rto = LMCC_SECOND;
  tcp->timer = LMCC_TIME_NONE;
}

void
test_tcp_start (TestTcp *tcp)
{
  tcp->running = TRUE;
}

void
test_tcp_stop (TestTcp *tcp)
{
  tcp->running = FALSE;
  tcp->timer = LMCC_TIME_NONE;
}

static void
leave_pipe (TestTcp *tcp, TestTcpSegment *left)
{
  tcp->pipe -= left->in_pipe;
  left->in_pipe = FALSE;
}

/* The next segment to send: a lost one, or a new one. */
static gboolean
choose (TestTcp *tcp, guint64 *sequence)
{
  for (; tcp->scan < tcp->next; tcp->scan++) {
    if (segment (tcp, tcp->scan)->lost && !segment (tcp, tcp->scan)->arrived) {
      *sequence = tcp->scan;
      return TRUE;
    }
  }
  *sequence = tcp->next;

  return tcp->next - tcp->una < MAX_WINDOW;
}

/**
 * test_tcp_poll:
 * @tcp: a connection
 * @now: the time
 * @sequence: (out): the segment to send now
 *
 * Returns: %FALSE if no segment may be sent
 */
gboolean
test_tcp_poll (TestTcp *tcp, LmccTime now, guint64 *sequence)
{
  TestTcpSegment *chosen;

  if (!tcp->running || tcp->pipe + 1 > tcp->cwnd || !choose (tcp, sequence))
    return FALSE;

  chosen = segment (tcp, *sequence);
  if (*sequence == tcp->next) {
    *chosen = (TestTcpSegment){ 0 };
    tcp->next++;
  } else {
    chosen->lost = FALSE;
    chosen->again = TRUE;
  }
  chosen->sent_at = now;
  chosen->in_pipe = TRUE;
  tcp->pipe++;
  if (tcp->timer == LMCC_TIME_NONE)
    tcp->timer = now + tcp->rto;

  return TRUE;
}

static void
take_sample (TestTcp *tcp, gdouble rtt)
{
  if (tcp->srtt == 0) {
    tcp->srtt = rtt;
    tcp->rttvar = rtt / 2;
  } else {
    tcp->rttvar = 0.75 * tcp->rttvar + 0.25 * fabs (tcp->srtt - rtt);
    tcp->srtt = 0.875 * tcp->srtt + 0.125 * rtt;
  }
  tcp->rto =
      MIN ((LmccTime) (tcp->srtt + MAX (4 * tcp->rttvar, (gdouble) RTO_MARGIN)),
          RTO_MAX);
  if (tcp->rto_rtts > 0)
    tcp->rto = (LmccTime) (tcp->rto_rtts * tcp->srtt);
}

static void
decrease (TestTcp *tcp, gboolean timeout)
{
  window_rules[tcp->algorithm].decrease (tcp, timeout);
  tcp->recover = tcp->next;
}

static void
increase (TestTcp *tcp, LmccTime now)
{
  if (tcp->cwnd < tcp->ssthresh)
    tcp->cwnd++;
  else
    window_rules[tcp->algorithm].increase (tcp, now);
}

/* Every segment that was sent once and overtaken by three others is lost. */
static void
find_losses (TestTcp *tcp, guint64 from, guint64 to)
{
  guint64 i;

  for (i = MAX (from, tcp->una); i < to; i++) {
    TestTcpSegment *overtaken = segment (tcp, i);

    if (overtaken->arrived || overtaken->again || overtaken->lost)
      continue;
    if (i >= tcp->recover) {
      decrease (tcp, FALSE);
      tcp->cwnd = tcp->ssthresh;
      tcp->recovering = TRUE;
      tcp->n_recoveries++;
    }
    overtaken->lost = TRUE;
    leave_pipe (tcp, overtaken);
    tcp->scan = MIN (tcp->scan, i);
  }
}

static void
advance (TestTcp *tcp, LmccTime now)
{
  guint64 before = tcp->una;

  while (tcp->una < tcp->next && segment (tcp, tcp->una)->arrived)
    tcp->una++;
  if (tcp->una == before)
    return;
  tcp->scan = MAX (tcp->scan, tcp->una);
  tcp->timer = tcp->una < tcp->next ? now + tcp->rto : LMCC_TIME_NONE;
  if (tcp->recovering && tcp->una >= tcp->recover)
    tcp->recovering = FALSE;
}

/**
 * test_tcp_handle_ack:
 * @tcp: a connection
 * @now: the time
 * @sequence: the acknowledged segment
 */
void
test_tcp_handle_ack (TestTcp *tcp, LmccTime now, guint64 sequence)
{
  TestTcpSegment *acked = segment (tcp, sequence);

  if (!tcp->running)
    return;
  if (sequence < tcp->una || acked->arrived)
    return;

  leave_pipe (tcp, acked);
  acked->arrived = TRUE;
  if (!acked->again)
    take_sample (tcp, (gdouble) (now - acked->sent_at));
  if (sequence > tcp->newest) {
    guint64 newest = tcp->newest;

    tcp->newest = sequence;
    if (sequence >= REORDERING)
      find_losses (tcp, newest >= REORDERING ? newest - REORDERING : 0,
          sequence - REORDERING + 1);
  }
  advance (tcp, now);
  if (!tcp->recovering)
    increase (tcp, now);
}

void
test_tcp_handle_timeout (TestTcp *tcp, LmccTime now)
{
  guint64 i;

  if (!tcp->running || now < tcp->timer)
    return;
  decrease (tcp, TRUE);
  tcp->cwnd = 1;
  tcp->recovering = FALSE;
  for (i = tcp->una; i < tcp->next; i++) {
    segment (tcp, i)->lost = !segment (tcp, i)->arrived;
    leave_pipe (tcp, segment (tcp, i));
  }
  tcp->scan = tcp->una;
  tcp->rto = MIN (2 * tcp->rto, RTO_MAX);
  tcp->timer = now + tcp->rto;
  tcp->n_timeouts++;
}
