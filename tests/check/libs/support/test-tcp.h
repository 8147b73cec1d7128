/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A TCP connection that always has something to send: slow start (RFC 5681), a window
 * by the rules of Reno (RFC 5681) or CUBIC (RFC 9438), selective acknowledgements
 * (RFC 6675, for a network that neither reorders nor loses acknowledgements), timeouts
 * (RFC 6298). Every segment is acknowledged. Numbers count segments.
 */
#ifndef TEST_TCP_H
#define TEST_TCP_H

#include <gst/lmcc/lmcc-types.h>

#define TEST_TCP_SEGMENT 1000 /* bytes of IP packet */
#define TEST_TCP_ACK 40
#define TEST_TCP_HISTORY 16384 /* more than the window may be */

typedef enum
{
  TEST_TCP_RENO,
  TEST_TCP_CUBIC,
} TestTcpAlgorithm;

/* What the sender knows of a segment. */
typedef struct
{
  LmccTime sent_at;
  gboolean in_pipe; /* believed to be in the network */
  gboolean arrived;
  gboolean lost;  /* and to be sent again */
  gboolean again; /* sent again: no RTT sample (Karn) */
} TestTcpSegment;

/**
 * TestTcpCubic:
 * @fast_convergence: gives up more where the window no longer gets as far as before
 *     (RFC 9438, section 4.7); the RFC has it off for a flow without any company
 * @w_max: W_max; 0: unknown, as after a timeout
 * @cwnd_prior: the window before the last decrease; 0: there was none
 * @started: a stage of congestion avoidance; after a decrease the next one has not
 * @epoch: its start
 * @k: K, s
 * @w_est: what Reno's window would be by now
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
  guint64 next;   /* first that was never sent */
  guint64 scan;   /* nothing below it is to be sent again */
  guint64 newest; /* latest that is known to have arrived */
  guint pipe;     /* how many segments are @in_pipe */
  gdouble cwnd;
  gdouble ssthresh;
  TestTcpCubic cubic; /* of that algorithm only */
  gboolean recovering;
  guint64 recover; /* losses below it are of one event */
  gdouble srtt;    /* ns; 0: no sample yet */
  gdouble rttvar;
  LmccTime rto;
  gdouble rto_rtts; /* of the smoothed RTT; 0: as RFC 6298 */
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
