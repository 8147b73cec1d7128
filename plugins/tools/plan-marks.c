/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "plan.h"

#include <gst/lmcc/control/slots/increase-probabilities.h>
#include <gst/lmcc/control/slots/increase-signals.h>

#include <string.h>

/* Two rows of FLID-DL's table I. */
#define DEFAULT_SIGNALS 16
#define MAX_SIGNALS 65536

/* As lmcc_session_validate() has it. */
#define MAX_SECONDS 60.0

static const gchar *const algorithm_names[] = {
  [PLAN_ALGORITHM_NONE] = "none",
  [PLAN_ALGORITHM_ELM] = "elm",
  [PLAN_ALGORITHM_RLC] = "rlc",
  [PLAN_ALGORITHM_FLID_SL] = "flid-sl",
  [PLAN_ALGORITHM_FLID_DL] = "flid-dl",
  [PLAN_ALGORITHM_SYNCHRONIZED] = "synchronized",
  [PLAN_ALGORITHM_RLM] = "rlm",
};

gboolean
plan_bad_value (GError ** error, const gchar * format, ...)
{
  va_list args;
  g_autofree gchar *text = NULL;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, text);

  return FALSE;
}

const gchar *
plan_algorithm_name (const Plan * plan)
{
  return algorithm_names[plan->algorithm];
}

gboolean
plan_is_flid (const Plan * plan)
{
  return plan->algorithm == PLAN_ALGORITHM_FLID_SL
      || plan->algorithm == PLAN_ALGORITHM_FLID_DL;
}

gboolean
plan_is_dynamic (const Plan * plan)
{
  return plan->layering.turning_groups > 0;
}

static gboolean
has_slots (const Plan * plan)
{
  return plan_is_flid (plan) || plan->algorithm == PLAN_ALGORITHM_RLC
      || plan->algorithm == PLAN_ALGORITHM_SYNCHRONIZED;
}

static gboolean
read_algorithm (const PlanMarksOptions * options, Plan * plan, GError ** error)
{
  guint i;

  if (options->algorithm_name == NULL)
    return TRUE;
  for (i = 0; i < G_N_ELEMENTS (algorithm_names); i++) {
    if (g_str_equal (options->algorithm_name, algorithm_names[i])) {
      plan->algorithm = i;
      return TRUE;
    }
  }

  return plan_bad_value (error, "there is no algorithm `%s'; write "
      "--algorithm=elm, rlc, flid-sl, flid-dl, synchronized or rlm",
      options->algorithm_name);
}

/* Options that say nothing of this algorithm are a misunderstanding. */
static gboolean
check_belongs (const Plan * plan, const gchar * option, gboolean is_given,
    gboolean belongs, const gchar * to, GError ** error)
{
  if (!is_given || belongs)
    return TRUE;
  if (plan->algorithm == PLAN_ALGORITHM_NONE)
    return plan_bad_value (error, "%s needs an algorithm; write --algorithm=%s",
        option, to);

  return plan_bad_value (error, "%s belongs to --algorithm=%s, not to %s; "
      "leave it out", option, to, plan_algorithm_name (plan));
}

static gboolean
check_options (const PlanMarksOptions * options, const Plan * plan,
    GError ** error)
{
  const gchar *slots = "rlc, flid-sl, flid-dl or synchronized";
  gboolean flid = plan_is_flid (plan);

  return check_belongs (plan, "--slot", options->slot_text != NULL,
      has_slots (plan), slots, error)
      && check_belongs (plan, "--nominal-rtt", options->rtt_text != NULL,
      has_slots (plan), slots, error)
      && check_belongs (plan, "--signals",
      options->n_signals != PLAN_NOT_GIVEN, has_slots (plan), slots, error)
      && check_belongs (plan, "--probabilities",
      options->probabilities_text != NULL, flid, "flid-sl or flid-dl", error)
      && check_belongs (plan, "--leave-latency",
      options->leave_latency_text != NULL,
      plan->algorithm == PLAN_ALGORITHM_FLID_DL, "flid-dl", error);
}

static gboolean
read_seconds (const gchar * option, const gchar * text, gboolean zero,
    LmccTime * time, GError ** error)
{
  gchar *end;
  gdouble seconds;

  if (text == NULL)
    return TRUE;
  seconds = g_ascii_strtod (text, &end);
  if (end == text || *end != '\0' || !(seconds <= MAX_SECONDS)
      || !(zero ? seconds >= 0 : seconds * LMCC_SECOND >= 1))
    return plan_bad_value (error, "%s=%s is not a time in seconds; write a "
        "number %s 0, at most %g, such as 0.5", option, text,
        zero ? "from" : "above", MAX_SECONDS);
  *time = (LmccTime) (seconds * LMCC_SECOND + 0.5);

  return TRUE;
}

static gboolean
read_given_probabilities (const gchar * text, Plan * plan, GError ** error)
{
  if (!lmcc_increase_probabilities_parse (text, plan->n_layers,
          plan->probabilities, error)) {
    g_prefix_error (error, "--probabilities: ");
    return FALSE;
  }
  plan->given = TRUE;

  return TRUE;
}

static gboolean
read_probabilities (const PlanMarksOptions * options, Plan * plan,
    GError ** error)
{
  LmccTcpTarget tcp = {.rtt = plan->rtt,.packet_size = plan->packet_size };
  LmccIncreaseMethod method = LMCC_INCREASE_METHOD_HEURISTIC;

  lmcc_markov_chain_init (&plan->chain, plan->rates, plan->n_layers,
      plan->packet_size, plan->slot);
  if (options->probabilities_text != NULL
      && !lmcc_increase_method_from_name (options->probabilities_text, &method))
    return read_given_probabilities (options->probabilities_text, plan, error);

  lmcc_increase_probabilities_compute (method, &plan->chain,
      lmcc_tcp_target_rate, &tcp, plan->probabilities);

  return TRUE;
}

/* What the session's sender would make of it. */
static gboolean
fit_session (const PlanMarksOptions * options, const Plan * plan,
    LmccSession * session, GError ** error)
{
  LmccTime leave_latency = LMCC_DEFAULT_LEAVE_LATENCY;
  guint i;

  if (!read_seconds ("--leave-latency", options->leave_latency_text, TRUE,
          &leave_latency, error))
    return FALSE;
  lmcc_session_init (session);
  session->native = FALSE;
  session->n_layers = session->n_groups = plan->n_layers;
  session->packet_size = plan->packet_size;
  session->slot = plan->slot;
  g_strlcpy (session->algorithm, plan_algorithm_name (plan),
      sizeof (session->algorithm));
  for (i = 0; i < plan->n_layers; i++)
    session->layers[i].rate = (guint64) (plan->rates[i] + 0.5);

  return lmcc_session_fit_algorithm (session, plan->rtt,
      MAX (leave_latency, 1), error);
}

/* The round-trip time of the TCP that receivers equal with this slot. */
static LmccTime
get_nominal_rtt (const Plan * plan)
{
  if (plan->algorithm == PLAN_ALGORITHM_RLC)
    return lmcc_rlc_rtt_from_slot (plan->base_rate, plan->packet_size,
        plan->slot, LMCC_SYNC_POINTS_UPPER_SHARE);
  if (plan->algorithm == PLAN_ALGORITHM_SYNCHRONIZED)
    return lmcc_sync_points_rtt_from_slot (plan->cumulative_rates,
        plan->n_layers, plan->packet_size, plan->slot,
        LMCC_SYNC_POINTS_UPPER_SHARE);

  return plan->rtt != 0 ? plan->rtt : LMCC_DEFAULT_NOMINAL_RTT;
}

static gboolean
make_marks (const PlanMarksOptions * options, Plan * plan,
    const LmccSession * session, GError ** error)
{
  if (!has_slots (plan))
    return TRUE;
  plan->slot = session->slot;
  plan->rtt = get_nominal_rtt (plan);
  if (plan_is_flid (plan))
    return read_probabilities (options, plan, error);
  if (plan->algorithm == PLAN_ALGORITHM_RLC)
    lmcc_rlc_schedule_init (&plan->rlc, plan->n_layers - 1, plan->base_rate,
        plan->packet_size, plan->slot, LMCC_RLC_BURST_PACKETS);

  return TRUE;
}

/* Reads what the options say of the algorithm, and works out the rest. The
 * rates are those of the plan. */
gboolean
plan_read_marks (const PlanMarksOptions * options, Plan * plan, GError ** error)
{
  LmccSession session;

  if (!read_algorithm (options, plan, error)
      || !check_options (options, plan, error)
      || !read_seconds ("--slot", options->slot_text, FALSE, &plan->slot, error)
      || !read_seconds ("--nominal-rtt", options->rtt_text, FALSE, &plan->rtt,
          error))
    return FALSE;

  if (options->n_signals != PLAN_NOT_GIVEN
      && (options->n_signals < 1 || options->n_signals > MAX_SIGNALS))
    return plan_bad_value (error, "--signals=%d is out of range; write 1 to %d",
        options->n_signals, MAX_SIGNALS);
  if (has_slots (plan))
    plan->n_signals = options->n_signals != PLAN_NOT_GIVEN
        ? (guint) options->n_signals : DEFAULT_SIGNALS;

  return fit_session (options, plan, &session, error)
      && lmcc_dynamic_layering_from_session (&plan->layering, &session, error)
      && make_marks (options, plan, &session, error);
}

/* In what part of the slots a receiver of this level may go up. */
gdouble
plan_increase_probability (const Plan * plan, guint layer)
{
  if (plan_is_flid (plan))
    return plan->probabilities[layer];
  if (!has_slots (plan) || layer + 1 >= plan->n_layers)
    return 0;
  if (plan->algorithm == PLAN_ALGORITHM_SYNCHRONIZED)
    layer++;

  return (gdouble) plan->slot / plan_sync_interval (plan, layer);
}

/* RLC: between the sync points of level @layer; Wei and Zhang: between those of
 * @layer, at which the level below may go up; FLID: the mean time between the
 * signals that let level @layer go up. */
LmccTime
plan_sync_interval (const Plan * plan, guint layer)
{
  gdouble interval;

  switch (plan->algorithm) {
    case PLAN_ALGORITHM_RLC:
      return lmcc_rlc_schedule_get_interval (&plan->rlc, layer);
    case PLAN_ALGORITHM_SYNCHRONIZED:
      return lmcc_sync_points_get_interval (plan->cumulative_rates, layer,
          plan->slot);
    case PLAN_ALGORITHM_FLID_SL:
    case PLAN_ALGORITHM_FLID_DL:
      interval = plan->slot / plan->probabilities[layer];
      return interval < (gdouble) G_MAXINT64 ? (LmccTime) interval
          : LMCC_TIME_NONE;
    default:
      return LMCC_TIME_NONE;
  }
}

/* The first signals; Wei and Zhang's have a bit for each level. */
void
plan_signals (const Plan * plan, gint64 * signals)
{
  LmccIncreaseSignals flid;
  LmccSyncPoints points;
  guint n;

  lmcc_increase_signals_init (&flid, plan->probabilities, plan->n_layers);
  lmcc_sync_points_init (&points, plan->n_layers);
  for (n = 0; n < plan->n_signals; n++) {
    if (plan_is_flid (plan))
      signals[n] = lmcc_increase_signals_next (&flid);
    else if (plan->algorithm == PLAN_ALGORITHM_RLC)
      signals[n] = lmcc_rlc_schedule_get_signal (&plan->rlc, n);
    else
      signals[n] = lmcc_sync_points_next (&points, plan->cumulative_rates);
  }
}

/* Between which two levels a receiver moves follows from the rate itself. */
static gdouble
synchronized_throughput (const Plan * plan, gdouble loss_rate)
{
  gdouble rate;
  guint level = 0;

  do {
    rate = lmcc_sync_points_rate (plan->cumulative_rates, plan->n_layers,
        level, plan->packet_size, plan->slot, LMCC_SYNC_POINTS_UPPER_SHARE,
        loss_rate);
    level++;
  } while (level < plan->n_layers && rate > plan->cumulative_rates[level]);

  return rate;
}

/* What a receiver has in the long run, bit/s. */
gdouble
plan_throughput (const Plan * plan, gdouble loss_rate)
{
  gdouble rate;

  if (plan_is_flid (plan)) {
    LmccMarkovState state;

    lmcc_markov_chain_solve (&plan->chain, plan->probabilities, loss_rate,
        &state);
    return state.rate;
  }
  if (plan->algorithm == PLAN_ALGORITHM_RLC)
    rate = lmcc_rlc_rate (plan->base_rate, plan->packet_size, plan->slot,
        LMCC_SYNC_POINTS_UPPER_SHARE, loss_rate);
  else
    rate = synchronized_throughput (plan, loss_rate);

  return CLAMP (rate, plan->cumulative_rates[0],
      plan->cumulative_rates[plan->n_layers - 1]);
}

/* How many groups a receiver joins each second, over turning groups and over
 * ones that stay. In the long run it leaves as many. */
void
plan_joins (const Plan * plan, gdouble loss_rate, gdouble * dynamic_joins,
    gdouble * static_joins)
{
  gdouble seconds = plan->slot / (gdouble) LMCC_SECOND;
  LmccMarkovState state;

  lmcc_markov_chain_solve (&plan->chain, plan->probabilities, loss_rate,
      &state);
  *dynamic_joins = state.joins / seconds;
  *static_joins = state.ups / seconds;
}
