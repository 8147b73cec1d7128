/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure/tcp-model.h"

#include <math.h>

/* Retransmission timeout in round-trip times (RFC 5348 section 3.1). */
#define RTO_RTTS 4.0

/* Newton's method ends when the relative change of p is below this, well
 * below the promised 1e-9. */
#define TOLERANCE 1e-12

/* The start is at most three times the root, and each step leaves at most
 * 6/7 of the distance (the degree is 7): about ten steps suffice. */
#define MAX_STEPS 100

/* The denominator of the equation divided by the RTT, as a polynomial of x =
 * sqrt(p): A x + B x^3 (1 + 32 x^4). */
#define A sqrt (2.0 / 3.0)
#define B (RTO_RTTS * 3 * sqrt (3.0 / 8.0))

static gdouble
denominator (gdouble x)
{
  gdouble p = x * x;

  return x * (A + B * p * (1 + 32 * p * p));
}

static gdouble
slope (gdouble x)
{
  gdouble p = x * x;

  return A + B * p * (3 + 7 * 32 * p * p);
}

/* Packet size in bits per RTT: relates the rate to the denominator. */
static gdouble
bits_per_rtt (LmccTime rtt, guint packet_size)
{
  return 8.0 * packet_size * LMCC_SECOND / (gdouble) MAX (rtt, 1);
}

/**
 * lmcc_tcp_model_rate:
 * @loss_rate: loss event rate p, from 0 to 1; below 0 counts as 0, above 1 and
 *     NaN as 1
 * @rtt: round-trip time R, smoothed, in ns; 0 counts as 1 ns
 * @packet_size: s, in bytes including IP and UDP headers, like layer rates
 *
 * The long-term rate of a TCP connection with this loss and RTT, by RFC 5348
 * section 3.1 (equation 3 of Colussi, "Equation-based Layered Multicast
 * Congestion Control", 2004) with b = 1 packet acknowledged at a time and t_RTO
 * = 4 R:
 *
 *     X = s / (R sqrt (2 b p / 3) + t_RTO (3 sqrt (3 b p / 8)) p (1 + 32 p^2))
 *
 * RFC 5348 counts s without headers; here it includes them. min (1, ...) around
 * the second root, as in the model that both are derived from, would matter
 * only above p = 8/27, and RFC 5348 omits it.
 *
 * Returns: the rate in bit/s; infinite if @loss_rate is 0
 */
gdouble
lmcc_tcp_model_rate (gdouble loss_rate, LmccTime rtt, guint packet_size)
{
  if (loss_rate <= 0)
    return INFINITY;
  if (!(loss_rate < 1))
    loss_rate = 1;

  return bits_per_rtt (rtt, packet_size) / denominator (sqrt (loss_rate));
}

/**
 * lmcc_tcp_model_loss_rate:
 * @rate: X, in bit/s
 * @rtt: round-trip time R, in ns; 0 counts as 1 ns
 * @packet_size: s, in bytes including IP and UDP headers
 *
 * The inverse of lmcc_tcp_model_rate(): the loss event rate at which TCP gets
 * @rate. Decreases as @rate grows.
 *
 * Returns: p, with a relative error below 1e-9; 1 if TCP gets at least @rate
 * even there, or if @rate is NaN; 0 if @rate is infinite
 */
gdouble
lmcc_tcp_model_loss_rate (gdouble rate, LmccTime rtt, guint packet_size)
{
  gdouble wanted, x;
  guint i;

  if (!(rate > 0))
    return 1;
  wanted = bits_per_rtt (rtt, packet_size) / rate;
  if (wanted >= denominator (1))
    return 1;

  /* The polynomial is convex and increasing, and this start is not below the
   * root: Newton's method only steps down to it. */
  x = MIN (wanted / A, 1);
  for (i = 0; i < MAX_STEPS; i++) {
    gdouble step = (denominator (x) - wanted) / slope (x);

    x -= step;
    if (!(step > x * TOLERANCE / 2))
      break;
  }

  return x * x;
}
