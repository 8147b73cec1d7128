/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ELM_BENCH_H
#define ELM_BENCH_H

#include <gst/lmcc/lmcc.h>

G_BEGIN_DECLS

#define N_LAYERS 5
#define BASE_RATE 128000
#define PACKET_SIZE 1000
#define RTT (50 * LMCC_MSECOND)

/* An ELM controller with the cumulative rates R_i = 128 kbit/s * 2^i. Its
 * joins and leaves take effect at once, and packets arrive evenly spaced. */
typedef struct
{
  LmccSession session;
  LmccSettings *settings;
  LmccController *controller;
  gint level;
  gint cap;
  guint n_joins;
  guint n_leaves;
  LmccTime now;
  gdouble debt; /* bits due but not yet sent */
  guint until_loss;
} Bench;

void bench_init_without_rtt (Bench *bench, const gchar *const *settings);
void bench_init (Bench *bench, const gchar *const *settings);
void bench_clear (Bench *bench);
void bench_obey (Bench *bench);
void bench_packet (Bench *bench);
void bench_lose (Bench *bench, LmccTime time);
void bench_run (Bench *bench, gdouble seconds, guint interval);
LmccControllerStatus bench_status (Bench *bench);

G_END_DECLS

#endif
