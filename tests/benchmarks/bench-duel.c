/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bench-duel.h"

/* Each round's results; a round in which a contender failed has none of it. */
typedef struct
{
  const BenchDuel *duel;
  GArray *results[BENCH_MAX_DUELISTS];
  gchar failure[BENCH_MAX_DUELISTS][120];
  gboolean left_out[BENCH_MAX_DUELISTS];
} Rounds;

typedef gdouble (*Figure) (const BenchResult *result);

static gboolean
sink_has (const gchar *property)
{
  g_autoptr (GstElementFactory) factory = gst_element_factory_find ("lmccsink");
  g_autoptr (GstElementFactory) loaded = factory
      ? GST_ELEMENT_FACTORY (
          gst_plugin_feature_load (GST_PLUGIN_FEATURE (factory)))
      : NULL;
  gpointer klass;
  gboolean found;

  if (loaded == NULL)
    return FALSE;
  klass = g_type_class_ref (gst_element_factory_get_element_type (loaded));
  found = g_object_class_find_property (klass, property) != NULL;
  g_type_class_unref (klass);

  return found;
}

/* In a child process, like everything that uses GStreamer: its threads do
 * not survive a fork. */
static void
find_property (const BenchContender *contender,
    const BenchStream *stream G_GNUC_UNUSED, BenchResult *result)
{
  result->ok = sink_has (contender->name);
}

static gboolean
has_what_it_needs (const BenchDuelist *duelist)
{
  const BenchContender property = { .name = duelist->needs };

  return duelist->needs == NULL
      || bench_run_in_child (find_property, &property, NULL).ok;
}

/* The cost per unsent packet would be meaningless. */
static void
check_sent (const BenchDuel *duel, const BenchDuelist *duelist,
    BenchResult *result)
{
  if (!result->ok || duelist->side != BENCH_OURS
      || result->sent >= duel->least_sent)
    return;
  result->ok = FALSE;
  g_snprintf (result->failure, sizeof (result->failure),
      "it sent %.1f %% of the media", 100.0 * result->sent);
}

/* They run first and last in turn, so that other load on the machine favours
 * none of them. */
static void
run_round (Rounds *rounds, gint round)
{
  const BenchDuel *duel = rounds->duel;
  guint i;

  for (i = 0; i < duel->n_duelists; i++) {
    guint turn = round % 2 ? duel->n_duelists - 1 - i : i;
    BenchResult result = { 0 };

    if (!rounds->left_out[turn]) {
      result = bench_run_in_child (duel->run, &duel->duelists[turn].contender,
          &duel->stream);
      check_sent (duel, &duel->duelists[turn], &result);
      if (!result.ok)
        g_strlcpy (rounds->failure[turn], result.failure,
            sizeof (rounds->failure[turn]));
    }
    g_array_append_val (rounds->results[turn], result);
  }
}

static const BenchResult *
get_result (const Rounds *rounds, guint i, guint round)
{
  return &g_array_index (rounds->results[i], BenchResult, round);
}

static const gchar *
get_name (const Rounds *rounds, guint i)
{
  return rounds->duel->duelists[i].contender.name;
}

static gdouble
get_cost (const BenchResult *result)
{
  return result->us_per_packet;
}

static gdouble
get_switches (const BenchResult *result)
{
  return result->switches_per_packet;
}

static gdouble
get_sent (const BenchResult *result)
{
  return 100.0 * result->sent;
}

static gdouble
get_lost (const BenchResult *result)
{
  return 100.0 * result->lost;
}

static gdouble
get_rate (const BenchResult *result)
{
  return result->packets_per_second;
}

static gdouble
get_cores (const BenchResult *result)
{
  return result->us_per_packet * result->packets_per_second / 1e6;
}

static gdouble
get_join (const BenchResult *result)
{
  return result->join_ms;
}

static gdouble
get_threads (const BenchResult *result)
{
  return result->threads;
}

static gdouble
get_memory (const BenchResult *result)
{
  return result->resident_kb / 1024.0;
}

static gboolean
was_measured (const Rounds *rounds, guint i)
{
  guint round;

  for (round = 0; round < rounds->results[i]->len; round++) {
    if (get_result (rounds, i, round)->ok)
      return TRUE;
  }

  return FALSE;
}

static void
add_figure (const Rounds *rounds, BenchReport *report, guint i,
    const gchar *label, const gchar *unit, Figure figure, gdouble bound)
{
  g_autofree gchar *name =
      g_strdup_printf ("%s %s", label, get_name (rounds, i));
  g_autoptr (GArray) series = bench_series_new ();
  guint round;

  if (!was_measured (rounds, i))
    return;
  for (round = 0; round < rounds->results[i]->len; round++) {
    const BenchResult *result = get_result (rounds, i, round);

    if (result->ok)
      bench_series_add (series, figure (result));
  }
  bench_report_add (report, name, unit, series, bound);
}

static gdouble
find_aim (const BenchDuel *duel, const gchar *ours, const gchar *peer)
{
  const BenchAim *aim;

  for (aim = duel->aims; aim && aim->what; aim++) {
    if (g_str_equal (aim->what, duel->what) && g_str_equal (aim->ours, ours)
        && g_str_equal (aim->peer, peer))
      return aim->ratio;
  }

  return BENCH_NO_BOUND;
}

/* @feed: cost of feeding, subtracted from both sides; negative: none */
static void
add_ratio (const Rounds *rounds, BenchReport *report, guint ours, guint peer,
    gint feed)
{
  const gchar *names[] = { get_name (rounds, ours), get_name (rounds, peer) };
  g_autofree gchar *label = g_strdup_printf ("%s %s / %s%s", rounds->duel->what,
      names[0], names[1], feed < 0 ? "" : ", less feeding");
  g_autoptr (GArray) series = bench_series_new ();
  guint round;

  for (round = 0; round < rounds->results[ours]->len; round++) {
    const BenchResult *mine = get_result (rounds, ours, round);
    const BenchResult *other = get_result (rounds, peer, round);
    const BenchResult *off =
        feed < 0 ? NULL : get_result (rounds, (guint) feed, round);
    gdouble less = off ? off->us_per_packet : 0.0;

    if (mine->ok && other->ok && (off == NULL || off->ok)
        && other->us_per_packet > less)
      bench_series_add (series,
          (mine->us_per_packet - less) / (other->us_per_packet - less));
  }
  if (series->len > 0)
    bench_report_add (report, label, "ratio", series,
        feed < 0 ? find_aim (rounds->duel, names[0], names[1])
                 : BENCH_NO_BOUND);
}

/* Returns: index of the first contender of this side, or their number */
static guint
find_side (const Rounds *rounds, BenchSide side)
{
  guint i;

  for (i = 0; i < rounds->duel->n_duelists; i++) {
    if (rounds->duel->duelists[i].side == side)
      break;
  }

  return i;
}

static void
report_ratios (const Rounds *rounds, BenchReport *report)
{
  const BenchDuelist *duelists = rounds->duel->duelists;
  guint ours, peer, feed, n = rounds->duel->n_duelists;

  for (ours = 0; ours < n; ours++) {
    for (peer = 0; duelists[ours].side == BENCH_OURS && peer < n; peer++) {
      if (duelists[peer].side == BENCH_PEER)
        add_ratio (rounds, report, ours, peer, -1);
    }
  }
  feed = find_side (rounds, BENCH_FEED);
  if (feed < n)
    add_ratio (rounds, report, 0, find_side (rounds, BENCH_PEER), (gint) feed);
}

/* If a peer cannot sustain a rate, this is a result and not a failure of the
 * benchmark. */
static void
report_missing (const Rounds *rounds, BenchReport *report, guint i)
{
  g_autofree gchar *name =
      g_strdup_printf ("%s %s", rounds->duel->what, get_name (rounds, i));
  g_autofree gchar *reason =
      g_strdup_printf ("lmccsink has no property %s here",
          rounds->duel->duelists[i].needs);

  if (rounds->left_out[i])
    bench_report_skip (report, name, reason);
  else if (rounds->failure[i][0]
      && rounds->duel->duelists[i].side == BENCH_OURS)
    bench_report_fail (report, name, rounds->failure[i]);
  else if (!was_measured (rounds, i))
    bench_report_skip (report, name, rounds->failure[i]);
}

static void
report_packets (const Rounds *rounds, BenchReport *report, guint i)
{
  const BenchDuel *duel = rounds->duel;

  add_figure (rounds, report, i, "  switches,", "/packet", get_switches,
      BENCH_NO_BOUND);
  add_figure (rounds, report, i, "  packets,", "/s", get_rate, BENCH_NO_BOUND);
  if (duel->run == bench_run_receiver)
    add_figure (rounds, report, i, "  lost in the host,", "%", get_lost,
        BENCH_NO_BOUND);
  else
    add_figure (rounds, report, i, "  sent of the media,", "%", get_sent,
        BENCH_NO_BOUND);
  if (duel->cores)
    add_figure (rounds, report, i, "  processors,", "", get_cores,
        duel->duelists[i].side == BENCH_OURS ? 1.0 : BENCH_NO_BOUND);
}

static void
report_details (const Rounds *rounds, BenchReport *report, guint i)
{
  add_figure (rounds, report, i, "  threads of the process,", "", get_threads,
      BENCH_NO_BOUND);
  add_figure (rounds, report, i, "  memory of the process,", "MB", get_memory,
      BENCH_NO_BOUND);
  if (rounds->duel->run == bench_run_receiver)
    add_figure (rounds, report, i, "  start to first packet,", "ms", get_join,
        BENCH_NO_BOUND);
}

static void
report_rounds (const Rounds *rounds, BenchReport *report)
{
  const BenchDuel *duel = rounds->duel;
  guint i;

  for (i = 0; i < duel->n_duelists; i++) {
    report_missing (rounds, report, i);
    add_figure (rounds, report, i, duel->what, "us/packet", get_cost,
        BENCH_NO_BOUND);
  }
  for (i = 0; i < duel->n_duelists; i++) {
    if (duel->duelists[i].side != BENCH_FEED)
      report_packets (rounds, report, i);
  }
  for (i = 0; duel->details && i < duel->n_duelists; i++)
    report_details (rounds, report, i);
  report_ratios (rounds, report);
}

/**
 * bench_duel_measure:
 * @duel: the duel
 * @report: receives its rows
 * @rounds: number of runs of each contender
 */
void
bench_duel_measure (const BenchDuel *duel, BenchReport *report, gint rounds)
{
  Rounds measured = { .duel = duel };
  gint round;
  guint i;

  g_assert (duel->n_duelists <= BENCH_MAX_DUELISTS);
  for (i = 0; i < duel->n_duelists; i++) {
    measured.results[i] = g_array_new (FALSE, TRUE, sizeof (BenchResult));
    measured.left_out[i] = !has_what_it_needs (&duel->duelists[i]);
  }
  for (round = 0; round < rounds; round++)
    run_round (&measured, round);
  report_rounds (&measured, report);
  for (i = 0; i < duel->n_duelists; i++)
    g_array_unref (measured.results[i]);
}
