/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "support/test-duel.h"
#include "support/test-settings.h"
#include "support/test-trace.h"

#define DEFAULT_BASE 128e3
#define DEFAULT_LAYERS 8
#define LEAST_QUEUE 10 /* packets */

/* Counters of a receiver or flow at the mark. */
typedef struct
{
  guint64 bytes;
  guint64 offered;
  guint64 missed;
  guint changes;
  guint samples[LMCC_MAX_LAYERS]; /* time at each level since then */
} Mark;

typedef struct
{
  const TestDuel *duel;
  const TestStep *step;
  TestNet *net;
  TestTrace *trace;
  TestLinkSettings own[TEST_NET_MAX_RECEIVERS];
  LmccTime marked;
  Mark receivers[TEST_NET_MAX_RECEIVERS];
  guint64 flow_bytes[TEST_NET_MAX_FLOWS];
  GString *faults;
} Runner;

static void
fault (Runner *runner, const gchar *format, ...) G_GNUC_PRINTF (2, 3);

static void
fault (Runner *runner, const gchar *format, ...)
{
  g_autofree gchar *text = NULL;
  va_list arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_string_append_printf (runner->faults,
      "%s, step %u at %.1f s (%s): %s; seed %u\n", runner->duel->name,
      (guint) (runner->step - runner->duel->steps),
      (gdouble) (runner->net->now - runner->net->source.started) / LMCC_SECOND,
      runner->step->why != NULL ? runner->step->why : "", text,
      runner->net->config.seed);
}

static void
set_loss (TestLinkSettings *link, const TestStep *step)
{
  if (step->loss == 0)
    return;
  link->loss = MAX (step->loss, 0);
  link->to_bad = 0;
  if (step->burst <= 1 || step->loss < 0)
    return;

  /* All packets are lost in the bad state. Its mean length is the burst, and
   * its share of the time gives the mean loss. */
  link->loss = 0;
  link->bad_loss = 1;
  link->to_good = 1 / step->burst;
  link->to_bad = link->to_good * step->loss / (1 - step->loss);
}

static void
set_queue (TestLinkSettings *link, const TestStep *step)
{
  gdouble bytes_per_ms = (gdouble) link->rate / 8000;
  gdouble rtt_ms = 2.0 * (gdouble) link->delay / LMCC_MSECOND;

  if (step->queue_packets == 0 && step->queue_ms <= 0 && step->queue_bdp <= 0)
    return;
  link->queue_packets = step->queue_packets;
  link->queue_bytes = 0;
  if (step->queue_ms > 0)
    link->queue_bytes = (guint64) (bytes_per_ms * step->queue_ms);
  if (step->queue_bdp > 0)
    link->queue_bytes = MAX (LEAST_QUEUE * TEST_SOURCE_PACKET_SIZE,
        (guint64) (bytes_per_ms * rtt_ms * step->queue_bdp));
}

static void
change_link (Runner *runner)
{
  const TestStep *step = runner->step;
  TestLinkSettings *link = &runner->net->shared.settings;

  if (step->of > 0) {
    link = &runner->own[step->of - 1];
    if (step->of <= runner->net->n_receivers)
      *link = runner->net->receivers[step->of - 1].own.settings;
  }
  if (step->mbps > 0)
    link->rate = (guint64) (step->mbps * 1e6);
  if (step->rtt_ms > 0)
    link->delay = (LmccTime) (step->rtt_ms * LMCC_MSECOND / 2);
  set_loss (link, step);
  set_queue (link, step);
  if (step->of > 0 && step->of <= runner->net->n_receivers)
    runner->net->receivers[step->of - 1].own.settings = *link;
}

static void
mark_receiver (Runner *runner, guint index)
{
  TestNetReceiver *from = &runner->net->receivers[index];

  from->first_miss = LMCC_TIME_NONE;
  runner->receivers[index] = (Mark){ .bytes = from->bytes,
    .offered = from->offered,
    .missed = from->missed,
    .changes = from->changes->len };
}

static void
mark_all (Runner *runner)
{
  guint i;

  runner->marked = runner->net->now;
  for (i = 0; i < runner->net->n_receivers; i++)
    mark_receiver (runner, i);
  for (i = 0; i < runner->net->n_flows; i++)
    runner->flow_bytes[i] = runner->net->shared.flows[i + 1].arrived_bytes;
}

static void
change_receivers (Runner *runner)
{
  const TestStep *step = runner->step;
  gchar *texts[] = { (gchar *) runner->duel->setting, NULL };
  g_autoptr (LmccSettings) settings = texts[0] == NULL
      ? NULL
      : test_settings_new (runner->duel->algorithm, texts);
  guint i;

  if (step->stop) {
    test_net_stop_receiver (runner->net, step->of - 1);
    return;
  }
  for (i = 0; i < MAX (step->count, 1); i++) {
    TestNetReceiverConfig config = {
      .rtt_mode = LMCC_RTT_MODE_FEEDBACK,
      .max_level = step->max_level - 1,
      .own = runner->own[runner->net->n_receivers],
      .settings = settings,
    };

    mark_receiver (runner, test_net_add_receiver (runner->net, &config));
  }
}

static void
change_flows (Runner *runner)
{
  const TestStep *step = runner->step;
  guint i;

  if (step->stop) {
    test_net_stop_flow (runner->net, step->of - 1);
    return;
  }
  for (i = 0; i < MAX (step->count, 1); i++)
    test_net_add_flow (runner->net, i * step->extra_ms * LMCC_MSECOND);
}

static void
count_levels (Runner *runner)
{
  guint i;

  for (i = 0; i < runner->net->n_receivers; i++) {
    gint level = runner->net->receivers[i].level;

    if (level >= 0)
      runner->receivers[i].samples[level]++;
  }
}

static gint
find_held (const Runner *runner, guint index)
{
  const guint *samples = runner->receivers[index].samples;
  gint held = 0, i;

  for (i = 1; i < LMCC_MAX_LAYERS; i++) {
    if (samples[i] > samples[held])
      held = i;
  }

  return held;
}

static void
check_receiver (Runner *runner, guint index)
{
  const TestStep *step = runner->step;
  const TestNet *net = runner->net;
  const TestNetReceiver *from = &net->receivers[index];
  const Mark *mark = &runner->receivers[index];
  guint64 offered = from->offered - mark->offered;
  gdouble loss =
      (gdouble) (from->missed - mark->missed) / (gdouble) MAX (offered, 1);
  gdouble share = (gdouble) (from->bytes - mark->bytes) * 8 * LMCC_SECOND
      / (gdouble) MAX (net->now - runner->marked, 1)
      / (gdouble) MAX (net->shared.settings.rate, 1);
  guint changes = from->changes->len - mark->changes;

  if (step->check_level
      && (from->level < step->level[0] || from->level > step->level[1]))
    fault (runner, "receiver %u is at level %d, not %d to %d", index + 1,
        from->level, step->level[0], step->level[1]);
  if (step->check_held
      && (find_held (runner, index) < step->held[0]
          || find_held (runner, index) > step->held[1]))
    fault (runner, "receiver %u was mostly at level %d, not %d to %d",
        index + 1, find_held (runner, index), step->held[0], step->held[1]);
  if (step->check_loss
      && !(loss >= step->loss_range[0] && loss <= step->loss_range[1]))
    fault (runner, "receiver %u lost %.4f, not %g to %g", index + 1, loss,
        step->loss_range[0], step->loss_range[1]);
  if (step->check_share
      && !(share >= step->share[0] && share <= step->share[1]))
    fault (runner, "receiver %u got %.3f of the link, not %g to %g", index + 1,
        share, step->share[0], step->share[1]);
  if (step->max_changes > 0 && changes >= step->max_changes)
    fault (runner, "receiver %u changed its level %u times, more than %u",
        index + 1, changes, step->max_changes - 1);
}

/* How long after its first missed packet receiver @index went down a level. */
static void
check_down (Runner *runner, guint index)
{
  const TestNetReceiver *from = &runner->net->receivers[index];
  LmccTime after = LMCC_TIME_NONE;
  guint i;

  for (i = runner->receivers[index].changes; i < from->changes->len; i++) {
    const TestLevelChange *change =
        &g_array_index (from->changes, TestLevelChange, i);

    if (change->to < change->from && change->time >= from->first_miss) {
      after = change->time - from->first_miss;
      break;
    }
  }
  if (after == LMCC_TIME_NONE)
    fault (runner, "receiver %u did not go down after a loss", index + 1);
  else if (after > runner->step->down_within_ms * LMCC_MSECOND)
    fault (runner,
        "receiver %u went down %.2f s after the first loss, not "
        "within %.2f s",
        index + 1, (gdouble) after / LMCC_SECOND,
        runner->step->down_within_ms / 1000.0);
}

/* The longest time in a row since the mark that the receiver was above
 * @level, or below it with @below. */
static LmccTime
longest_run (const Runner *runner, guint index, gint level, gboolean below)
{
  const GArray *changes = runner->net->receivers[index].changes;
  guint first = runner->receivers[index].changes, i;
  gint held =
      first > 0 ? g_array_index (changes, TestLevelChange, first - 1).to : -1;
  LmccTime since = runner->marked, longest = 0;

  for (i = first; i <= changes->len; i++) {
    gboolean off = below ? held < level : held > level;
    LmccTime until = runner->net->now;
    gint to = held;

    if (i < changes->len) {
      until = g_array_index (changes, TestLevelChange, i).time;
      to = g_array_index (changes, TestLevelChange, i).to;
    }
    if (off)
      longest = MAX (longest, until - since);
    if (!off || !(below ? to < level : to > level))
      since = until;
    held = to;
  }

  return longest;
}

static void
check_carried (Runner *runner, guint index)
{
  const TestStep *step = runner->step;
  LmccTime over = longest_run (runner, index, step->carried, FALSE);
  LmccTime under = longest_run (runner, index, step->carried, TRUE);

  if (over > step->over_ms * LMCC_MSECOND)
    fault (runner, "receiver %u was above level %d for %.2f s, limit %.2f s",
        index + 1, step->carried, (gdouble) over / LMCC_SECOND,
        step->over_ms / 1000.0);
  if (under > step->under_ms * LMCC_MSECOND)
    fault (runner, "receiver %u was below level %d for %.2f s, limit %.2f s",
        index + 1, step->carried, (gdouble) under / LMCC_SECOND,
        step->under_ms / 1000.0);
}

/* The last change is a leave of all levels. */
static void
check_ended (Runner *runner, guint index)
{
  const TestNetReceiver *from = &runner->net->receivers[index];
  LmccTime after = from->changes->len == 0
      ? 0
      : g_array_index (from->changes, TestLevelChange, from->changes->len - 1)
              .time
          - runner->marked;

  if (from->ended == NULL)
    fault (runner, "receiver %u has not ended, and is at level %d", index + 1,
        from->level);
  else if (after > runner->step->ended_within_ms * LMCC_MSECOND)
    fault (runner, "receiver %u ended after %.2f s, not within %.2f s",
        index + 1, (gdouble) after / LMCC_SECOND,
        runner->step->ended_within_ms / 1000.0);
}

static void
check_flow (Runner *runner, guint index)
{
  const TestStep *step = runner->step;
  const TestNet *net = runner->net;
  gdouble share = (gdouble) (net->shared.flows[index + 1].arrived_bytes
                      - runner->flow_bytes[index])
      * 8 * LMCC_SECOND / (gdouble) MAX (net->now - runner->marked, 1)
      / (gdouble) MAX (net->shared.settings.rate, 1);

  if (!(share >= step->flow_share[0] && share <= step->flow_share[1]))
    fault (runner, "flow %u got %.3f of the link, not %g to %g", index + 1,
        share, step->flow_share[0], step->flow_share[1]);
}

static void
check_equal (Runner *runner)
{
  const TestNet *net = runner->net;
  gint first = find_held (runner, 0);
  guint i;

  for (i = 1; i < net->n_receivers; i++) {
    if (net->receivers[i].running && find_held (runner, i) != first)
      fault (runner,
          "receiver %u was mostly at level %d, receiver 1 at level %d", i + 1,
          find_held (runner, i), first);
  }
}

static void
check (Runner *runner)
{
  const TestStep *step = runner->step;
  const TestNet *net = runner->net;
  gdouble delay_ms = (gdouble) net->shared.total.queue_delay_max / LMCC_MSECOND;
  guint i;

  for (i = 0; i < net->n_receivers; i++) {
    if (!net->receivers[i].running || (step->of > 0 && step->of != i + 1))
      continue;
    check_receiver (runner, i);
    if (step->down_within_ms > 0)
      check_down (runner, i);
    if (step->check_carried)
      check_carried (runner, i);
    if (step->ended_within_ms > 0)
      check_ended (runner, i);
  }
  for (i = 0; step->check_flow_share && i < net->n_flows; i++) {
    if (step->of == 0 || step->of == i + 1)
      check_flow (runner, i);
  }
  if (step->equal)
    check_equal (runner);
  if (step->check_delay
      && !(delay_ms >= step->delay_ms[0] && delay_ms <= step->delay_ms[1]))
    fault (runner, "a packet waited %.3f ms in the shared queue, not %g to %g",
        delay_ms, step->delay_ms[0], step->delay_ms[1]);
}

static void
run_time (Runner *runner)
{
  LmccTime end = runner->net->now + runner->step->ms * LMCC_MSECOND;

  while (runner->net->now < end) {
    test_net_run (runner->net, MIN (TEST_DUEL_SAMPLE, end - runner->net->now));
    count_levels (runner);
    test_trace_sample (runner->trace, runner->net);
  }
}

static void
pause_process (Runner *runner)
{
  const TestStep *step = runner->step;
  LmccTime duration = step->ms * LMCC_MSECOND;

  if (step->of > 0)
    test_net_suspend_receiver (runner->net, step->of - 1, duration);
  else
    test_net_pause_sender (runner->net, duration);
}

static void
do_step (Runner *runner)
{
  test_trace_note (runner->trace, runner->net, runner->step->why);
  switch (runner->step->kind) {
    case TEST_LINK:
      change_link (runner);
      break;
    case TEST_RECEIVER:
      change_receivers (runner);
      break;
    case TEST_FLOW:
      change_flows (runner);
      break;
    case TEST_FEEDBACK:
      runner->net->control_cut = runner->step->stop;
      break;
    case TEST_AIR:
      runner->net->air = runner->step->air;
      break;
    case TEST_PAUSE:
      pause_process (runner);
      break;
    case TEST_FORGET:
      test_net_forget_groups (runner->net, runner->step->of);
      break;
    case TEST_RUN:
      run_time (runner);
      break;
    case TEST_MARK:
      mark_all (runner);
      break;
    case TEST_CHECK:
      check (runner);
      break;
    case TEST_END:
      break;
  }
}

static void
run_once (const TestDuel *duel, guint32 seed, GString *faults)
{
  TestNetConfig config = {
    .n_layers = duel->n_layers > 0 ? duel->n_layers : DEFAULT_LAYERS,
    .algorithm = duel->algorithm,
    .shaped = duel->shaped,
    .join_latency = duel->join_ms * LMCC_MSECOND,
    .leave_latency = duel->leave_ms * LMCC_MSECOND,
    .left_is_unseen = duel->left_is_unseen,
    .seed = seed,
  };
  Runner runner = { .duel = duel, .faults = faults };
  g_autofree gchar *name = seed == test_net_get_seed ()
      ? g_strdup (duel->name)
      : g_strdup_printf ("%s-%u", duel->name, seed);

  lmcc_rates_compute (duel->factor > 0 ? LMCC_RATE_SCHEME_MULTIPLICATIVE
                                       : LMCC_RATE_SCHEME_DOUBLING,
      duel->base_kbps > 0 ? duel->base_kbps * 1000 : DEFAULT_BASE, duel->factor,
      config.n_layers, config.rates, NULL);
  runner.net = test_net_new (&config);
  runner.trace = test_trace_new (runner.net, name);
  for (runner.step = duel->steps; runner.step->kind != TEST_END; runner.step++)
    do_step (&runner);
  test_trace_free (runner.trace);
  test_net_free (runner.net);
}

/**
 * test_duel_run:
 * @duel: a duel
 * @seeds: number of runs, each with the next seed; at least that of the duel
 *
 * Returns: (transfer full) (nullable): a description of failed checks, or %NULL
 * if no more runs failed than the duel permits
 */
gchar *
test_duel_run (const TestDuel *duel, guint seeds)
{
  guint runs = MAX (seeds, duel->runs), permitted, failed = 0, i;
  GString *faults = g_string_new (NULL);

  permitted = duel->runs > 0 ? duel->may_fail * runs / duel->runs : 0;
  for (i = 0; i < runs; i++) {
    gsize before = faults->len;

    run_once (duel, test_net_get_seed () + i, faults);
    failed += faults->len > before;
  }

  return g_string_free (faults, failed <= permitted);
}
