/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A TCP connection that always has data to send: slow start (RFC 5681),
 * congestion avoidance of Reno (RFC 5681) or CUBIC (RFC 9438), selective
 * acknowledgements (RFC 6675, for a network that neither reorders nor loses
 * acknowledgements) and timeouts (RFC 6298). Every segment is acknowledged.
 * Numbers count segments.
 */
#ifndef TEST_TCP_H
#define TEST_TCP_H

#include <gst/lmcc/lmcc-types.h>

#define TEST_TCP_SEGMENT 1000 /* size of the IP packet in bytes */
#define TEST_TCP_ACK 40
#define TEST_TCP_HISTORY 16384 /* larger than any window */

typedef enum
{
  TEST_TCP_RENO,
  TEST_TCP_CUBIC,
} TestTcpAlgorithm;

/* The sender's state of a segment. */
typedef struct
{
  LmccTime sent_at;
  gboolean in_pipe; /* believed to be in the network */
  gboolean arrived;
  gboolean lost;  /* to be retransmitted */
  gboolean again; /* sent again: no RTT sample (Karn) */
} TestTcpSegment;

/**
 * TestTcpCubic:
 * @fast_convergence: give up more bandwidth when the window no longer reaches
 *     its previous maximum (RFC 9438, section 4.7); the RFC switches it off for
 *     a flow without competition
 * @w_max: W_max; 0: unknown, for instance after a timeout
 * @cwnd_prior: window before the last decrease; 0: no decrease yet
 * @started: whether a congestion avoidance stage has begun; false after a
 *     decrease until the next one begins
 * @epoch: start of the stage
 * @k: K, s
 * @w_est: the window that Reno would have now
 */
typedef struct
{
  gboolean fast_convergence;
  gdouble w_max;
  gdouble cwnd_prior;
  gboolean started;
  LmccTime epoch;
  gdouble k;
  gdouble w_est;
} TestTcpCubic;

typedef struct
{
  TestTcpAlgorithm algorithm;
  gboolean running;
  guint64 una;
  guint64 next;   /* first segment never sent */
  guint64 scan;   /* no segment below is to be retransmitted */
  guint64 newest; /* highest segment known to have arrived */
  guint pipe;     /* number of segments @in_pipe */
  gdouble cwnd;
  gdouble ssthresh;
  TestTcpCubic cubic; /* for CUBIC only */
  gboolean recovering;
  guint64 recover; /* losses below it belong to one event */
  gdouble srtt;    /* ns; 0: no sample yet */
  gdouble rttvar;
  LmccTime rto;
  gdouble rto_rtts; /* factor of the smoothed RTT; 0: as RFC 6298 */
  LmccTime timer;
  guint64 n_timeouts;
  guint64 n_recoveries;
  TestTcpSegment segments[TEST_TCP_HISTORY];
} TestTcp;

void test_tcp_init (TestTcp *tcp, TestTcpAlgorithm algorithm);
void test_tcp_start (TestTcp *tcp);
void test_tcp_stop (TestTcp *tcp);
gboolean test_tcp_poll (TestTcp *tcp, LmccTime now, guint64 *sequence);
void test_tcp_handle_ack (TestTcp *tcp, LmccTime now, guint64 sequence);
void test_tcp_handle_timeout (TestTcp *tcp, LmccTime now);

#endif
