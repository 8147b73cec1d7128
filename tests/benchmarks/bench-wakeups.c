/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bench-wakeups.h"

#include <errno.h>
#include <time.h>

/* Duration of each loop. */
#define WINDOW (500 * GST_MSECOND)

static gint64
read_clock (clockid_t clock)
{
  struct timespec ts;

  clock_gettime (clock, &ts);
  return ts.tv_sec * (gint64) GST_SECOND + ts.tv_nsec;
}

static void
sleep_until (gint64 time)
{
  struct timespec ts = { time / (gint64) GST_SECOND,
    time % (gint64) GST_SECOND };

  while (clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
    ;
}

/* The stream has one unit per wake-up. */
static void
run_loop (const BenchContender *contender, const BenchStream *stream,
    BenchResult *result)
{
  gint64 period = (gint64) GST_SECOND / stream->units_per_second;
  gint64 start = read_clock (CLOCK_MONOTONIC), spent, next;
  guint n = 0;

  spent = read_clock (CLOCK_PROCESS_CPUTIME_ID);
  for (next = start; next < start + (gint64) contender->window;
       next += period) {
    sleep_until (next);
    n++;
  }
  spent = read_clock (CLOCK_PROCESS_CPUTIME_ID) - spent;
  result->us_per_packet = (gdouble) spent / 1000.0 / n;
  result->ok = TRUE;
}

static void
measure (BenchReport *report, const BenchStream *stream, const gchar *what,
    gint rounds)
{
  const BenchContender loop = { .name = "bare loop", .window = WINDOW };
  g_autofree gchar *name = g_strdup_printf ("a bare wake-up, %u/s, %s",
      stream->units_per_second, what);
  g_autoptr (GArray) costs = bench_series_new ();
  gint round;

  for (round = 0; round < rounds; round++) {
    BenchResult result = bench_run_in_child (run_loop, &loop, stream);

    bench_series_add (costs, result.us_per_packet);
  }
  bench_report_add (report, name, "us", costs, BENCH_NO_BOUND);
}

/**
 * bench_wakeups_measure:
 * @report: receives a row for each rate of clock_nanosleep(), on the otherwise
 *     unloaded machine and with a process that computes all the time
 * @rounds: number of measurements of each
 */
void
bench_wakeups_measure (BenchReport *report, gint rounds)
{
  static const guint rates[] = { 200, 1000, 2000, 4000 };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (rates); i++) {
    const BenchStream stream = { 1, rates[i], 1 };
    pid_t busy;

    measure (report, &stream, "no other load", rounds);
    busy = bench_start_busy ();
    measure (report, &stream, "beside a busy process", rounds);
    bench_stop_busy (busy);
  }
}
