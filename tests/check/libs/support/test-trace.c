/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/test-trace.h"

#include <math.h>

/**
 * test_trace_new:
 * @net: the network to trace
 * @name: name of the file, without extension
 *
 * Returns: (transfer full) (nullable): a trace if LMCC_DUEL_TRACE names a
 *     directory
 */
TestTrace *
test_trace_new (const TestNet *net, const gchar *name)
{
  const gchar *directory = g_getenv ("LMCC_DUEL_TRACE");
  g_autofree gchar *file = g_strconcat (name, ".csv", NULL);
  g_autofree gchar *path = NULL;
  TestTrace *trace;

  if (directory == NULL)
    return NULL;
  g_mkdir_with_parents (directory, 0755);
  path = g_build_filename (directory, file, NULL);
  trace = g_new0 (TestTrace, 1);
  trace->start = net->now;
  trace->sampled = net->now;
  trace->file = fopen (path, "w");
  if (trace->file == NULL)
    g_error ("cannot write %s", path);
  fputs ("time,who,capacity,queue_delay,level,level_rate,received,loss,"
         "loss_event_rate,calculated,smoothed,rtt,state,timer,timer_left,fair,"
         "mean_fair,train,turn_level,turn_share,note\n",
      trace->file);

  return trace;
}

static gdouble
seconds (LmccTime time)
{
  return (gdouble) time / LMCC_SECOND;
}

static void
put_number (FILE *file, gdouble value)
{
  if (isfinite (value))
    fprintf (file, ",%.9g", value);
  else
    fputs (",", file);
}

static void
begin_row (TestTrace *trace, const TestNet *net, const gchar *who, guint index)
{
  fprintf (trace->file, "%.3f,%s %u", seconds (net->now - trace->start), who,
      index + 1);
  put_number (trace->file,
      net->shared.settings.rate > 0 ? (gdouble) net->shared.settings.rate
                                    : INFINITY);
  put_number (trace->file,
      seconds (test_link_queue_delay (&net->shared, net->now)));
}

static gdouble
rate_since (TestTrace *trace, const TestNet *net, guint64 bytes, guint place)
{
  gdouble rate = (gdouble) (bytes - trace->bytes[place]) * 8
      / seconds (net->now - trace->sampled);

  trace->bytes[place] = bytes;

  return rate;
}

static gdouble
unless_unknown (gdouble value, gboolean known)
{
  return known ? value : INFINITY;
}

static void
put_fair (FILE *file, const LmccControllerStatus *status)
{
  const LmccFairStatus *fair = &status->fair;
  gboolean has_turn = fair->used && fair->turn_level >= 0;

  put_number (file, unless_unknown (fair->rate, fair->rate > 0));
  put_number (file, unless_unknown (fair->mean, fair->mean > 0));
  fprintf (file, ",%s", status->trains != NULL ? status->trains : "");
  put_number (file, unless_unknown (fair->turn_level, has_turn));
  put_number (file, unless_unknown (fair->turn_share, has_turn));
}

static void
sample_receiver (TestTrace *trace, TestNet *net, guint index)
{
  const TestNetReceiver *from = &net->receivers[index];
  guint64 offered = from->offered - trace->offered[index];
  guint64 missed = from->missed - trace->missed[index];
  LmccReceiverStats stats;

  trace->offered[index] = from->offered;
  trace->missed[index] = from->missed;
  lmcc_receiver_get_stats (from->receiver, net->now, &stats);
  begin_row (trace, net, "receiver", index);
  put_number (trace->file, from->level);
  put_number (trace->file, test_net_cumulative_rate (net, from->level));
  put_number (trace->file, rate_since (trace, net, from->bytes, index));
  put_number (trace->file,
      offered > 0 ? (gdouble) missed / (gdouble) offered : 0);
  put_number (trace->file, stats.status.loss_event_rate);
  put_number (trace->file, stats.status.calculated_rate);
  put_number (trace->file, stats.status.smoothed_rate);
  put_number (trace->file, seconds (stats.rtt));
  fprintf (trace->file, ",%s,%s",
      stats.status.state != NULL ? stats.status.state : "",
      stats.status.timer != NULL ? stats.status.timer : "");
  put_number (trace->file,
      stats.status.timer == NULL || stats.status.timer_at == LMCC_TIME_NONE
          ? INFINITY
          : ((gdouble) stats.status.timer_at - (gdouble) net->now)
              / LMCC_SECOND);
  put_fair (trace->file, &stats.status);
  fputs (",\n", trace->file);
}

static void
sample_flow (TestTrace *trace, const TestNet *net, guint index)
{
  begin_row (trace, net, "flow", index);
  fputs (",,", trace->file);
  put_number (trace->file,
      rate_since (trace, net, net->shared.flows[index + 1].arrived_bytes,
          TEST_NET_MAX_RECEIVERS + index));
  fputs (",,,,", trace->file);
  put_number (trace->file, net->flows[index].tcp.srtt / LMCC_SECOND);
  fputs (",,,,,,,,,\n", trace->file);
}

/**
 * test_trace_sample:
 * @trace: (nullable): a trace
 * @net: its network
 *
 * Writes the current state; rates and losses are those since the last sample.
 */
void
test_trace_sample (TestTrace *trace, TestNet *net)
{
  guint i;

  if (trace == NULL || net->now == trace->sampled)
    return;
  for (i = 0; i < net->n_receivers; i++)
    sample_receiver (trace, net, i);
  for (i = 0; i < net->n_flows; i++)
    sample_flow (trace, net, i);
  trace->sampled = net->now;
}

/**
 * test_trace_note:
 * @trace: (nullable): a trace
 * @net: its network
 * @why: description of what happens now
 */
void
test_trace_note (TestTrace *trace, const TestNet *net, const gchar *why)
{
  if (trace == NULL || why == NULL)
    return;
  fprintf (trace->file, "%.3f,note,,,,,,,,,,,,,,,,,,,\"%s\"\n",
      seconds (net->now - trace->start), why);
}

void
test_trace_free (TestTrace *trace)
{
  if (trace == NULL)
    return;
  fclose (trace->file);
  g_free (trace);
}
