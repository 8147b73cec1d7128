/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures the library's own cost per packet in virtual time, without
 * sockets, threads or waiting.
 */
#include "bench-session.h"

#include <string.h>
#include <time.h>

#define BATCHES 40
#define WARM_UP_BATCHES 4

static gint64 spent[BENCH_N_PHASES];
static gint64 phase_since;
static BenchPhase present;

static gint64
cpu_time (void)
{
  struct timespec ts;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &ts);
  return ts.tv_sec * (gint64) LMCC_SECOND + ts.tv_nsec;
}

static void
enter (BenchPhase phase)
{
  gint64 now = cpu_time ();

  spent[present] += now - phase_since;
  phase_since = now;
  present = phase;
}

static void
add_row (BenchReport *report, const gchar *what, const BenchShape *shape,
    GArray *series)
{
  g_autofree gchar *name = g_strdup_printf ("%s, %s", what, shape->name);

  bench_report_add (report, name, "ns/packet", series, BENCH_NO_BOUND);
}

static void
measure (BenchReport *report, const BenchShape *shape, gint rounds)
{
  g_autoptr (GArray) classify = bench_series_new ();
  g_autoptr (GArray) send = bench_series_new ();
  g_autoptr (GArray) receive = bench_series_new ();
  gboolean complete = TRUE;
  gint round;

  for (round = 0; round < rounds; round++) {
    BenchSession session;
    guint i;

    bench_session_init (&session, shape, enter);
    for (i = 0; i < WARM_UP_BATCHES; i++)
      bench_session_run_batch (&session);
    bench_session_reset_counts (&session);
    memset (spent, 0, sizeof (spent));
    for (i = 0; i < BATCHES; i++)
      bench_session_run_batch (&session);
    complete = complete && bench_session_is_complete (&session);
    bench_series_add (classify,
        (gdouble) spent[BENCH_PHASE_CLASSIFY] / (gdouble) session.n_classified);
    bench_series_add (send,
        (gdouble) spent[BENCH_PHASE_SEND] / (gdouble) session.n_sent);
    bench_series_add (receive,
        (gdouble) spent[BENCH_PHASE_RECEIVE]
            / (gdouble) MAX (session.n_received, 1));
    bench_session_clear (&session);
  }
  add_row (report, "classify", shape, classify);
  add_row (report, "send", shape, send);
  if (complete)
    add_row (report, "receive", shape, receive);
  else
    bench_report_fail (report, shape->name,
        "the receiver did not give out what was sent");
}

int
main (int argc, char **argv)
{
  static const BenchShape shapes[] = {
    { .name = "1 layer", .n_rungs = 1, .n_classes = 1 },
    { .name = "3 classes", .n_rungs = 1, .n_classes = 3 },
    { .name = "3 rungs of 3 classes", .n_rungs = 3, .n_classes = 3 },
  };
  g_autofree gchar *json = NULL;
  BenchReport *report;
  gint rounds = 7;
  guint i;

  if (!bench_parse_options (&argc, &argv,
          "What the library costs for each packet, in virtual time.", &json,
          &rounds))
    return 2;
  report = bench_report_new ("The library alone, CPU time per packet");
  for (i = 0; i < G_N_ELEMENTS (shapes); i++)
    measure (report, &shapes[i], rounds);
  return bench_report_finish (report, json);
}
