/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "plan.h"

#include <gst/lmcc/control/controller.h>
#include <gst/lmcc/control/slots/increase-probabilities.h>

#include <string.h>

/* Two rows of FLID-DL's table I. */
#define DEFAULT_SIGNALS 16
#define MAX_SIGNALS 65536

/* The limit of lmcc_session_validate(). */
#define MAX_SECONDS 60.0

gboolean
plan_bad_value (GError **error, const gchar *format, ...)
{
  va_list args;
  g_autofree gchar *text = NULL;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, text);

  return FALSE;
}

gboolean
plan_is_dynamic (const Plan *plan)
{
  return plan->layering.turning_groups > 0;
}

static gboolean
has_slots (const Plan *plan)
{
  return lmcc_algorithm_has_slots (plan->algorithm);
}

/* Whether the sender of a session with @algorithm has this setting; %NULL: any
 * setting, which means that it has slots. */
static gboolean
has_setting (const LmccAlgorithm *algorithm, const gchar *setting)
{
  const LmccSetting *settings;
  guint n, i;

  if (!lmcc_algorithm_has_slots (algorithm))
    return FALSE;
  settings = lmcc_session_algorithm_get_settings (algorithm->name, &n);
  for (i = 0; setting != NULL && i < n; i++) {
    if (g_str_equal (settings[i].name, setting))
      return TRUE;
  }

  return setting == NULL;
}

/* Whether receivers choose layers by this algorithm. */
gboolean
plan_takes_algorithm (const LmccAlgorithm *algorithm)
{
  return algorithm != &lmcc_algorithm_none
      && !lmcc_algorithm_sets_rate (algorithm);
}

static gchar *
join_names (GPtrArray *names)
{
  GString *text = g_string_new (NULL);
  guint i;

  for (i = 0; i < names->len; i++)
    g_string_append_printf (text, "%s%s",
        i == 0                   ? ""
            : i + 1 < names->len ? ", "
                                 : " or ",
        (const gchar *) g_ptr_array_index (names, i));

  return g_string_free (text, FALSE);
}

static gchar *
list_algorithms (gboolean all, const gchar *setting)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  guint n, i;
  const LmccAlgorithm *const *list = lmcc_algorithm_list (&n);

  for (i = 0; i < n; i++) {
    if (all ? plan_takes_algorithm (list[i]) : has_setting (list[i], setting))
      g_ptr_array_add (names, (gpointer) list[i]->name);
  }

  return join_names (names);
}

/* The names that --algorithm accepts, or only of the algorithms whose sender
 * has @setting. */
gchar *
plan_list_algorithms (const gchar *setting)
{
  return list_algorithms (setting == NULL, setting);
}

static gboolean
read_algorithm (const PlanMarksOptions *options, Plan *plan, GError **error)
{
  const LmccAlgorithm *found = lmcc_algorithm_find (options->algorithm_name);
  g_autofree gchar *names = NULL;

  if (options->algorithm_name == NULL || found == &lmcc_algorithm_none)
    return TRUE;
  if (found != NULL && plan_takes_algorithm (found)) {
    plan->algorithm = found;
    return TRUE;
  }
  names = plan_list_algorithms (NULL);

  return plan_bad_value (error,
      _ ("there is no algorithm `%s'; write --algorithm=%s"),
      options->algorithm_name, names);
}

/* An option that has no meaning for this algorithm is an error. */
static gboolean
check_belongs (const Plan *plan, const gchar *option, gboolean is_given,
    const gchar *setting, GError **error)
{
  g_autofree gchar *to = NULL;

  if (!is_given || has_setting (plan->algorithm, setting))
    return TRUE;
  to = list_algorithms (FALSE, setting);
  if (plan->algorithm == NULL)
    return plan_bad_value (error,
        _ ("%s needs an algorithm; write --algorithm=%s"), option, to);

  return plan_bad_value (error,
      _ ("%s belongs to --algorithm=%s, not to %s; omit it"), option, to,
      plan->algorithm->name);
}

static gboolean
check_options (const PlanMarksOptions *options, const Plan *plan,
    GError **error)
{
  return check_belongs (plan, "--slot", options->slot_text != NULL, "slot",
             error)
      && check_belongs (plan, "--nominal-rtt", options->rtt_text != NULL,
          "nominal-rtt", error)
      && check_belongs (plan, "--signals", options->n_signals != PLAN_NOT_GIVEN,
          NULL, error)
      && check_belongs (plan, "--probabilities",
          options->probabilities_text != NULL, "probabilities", error)
      && check_belongs (plan, "--leave-latency",
          options->leave_latency_text != NULL, "leave-latency", error);
}

static gboolean
read_seconds (const gchar *option, const gchar *text, gboolean zero,
    LmccTime *time, GError **error)
{
  gchar *end;
  gdouble seconds;

  if (text == NULL)
    return TRUE;
  seconds = g_ascii_strtod (text, &end);
  if (end == text || *end != '\0' || !(seconds <= MAX_SECONDS)
      || !(zero ? seconds >= 0 : seconds * LMCC_SECOND >= 1))
    return plan_bad_value (error,
        _ ("%s=%s is not a time in seconds; write a number %s 0, at "
           "most %g, such as 0.5"),
        option, text, zero ? "from" : "above", MAX_SECONDS);
  *time = (LmccTime) (seconds * LMCC_SECOND + 0.5);

  return TRUE;
}

static gboolean
read_given_probabilities (const gchar *text, Plan *plan, GError **error)
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
read_probabilities (const PlanMarksOptions *options, Plan *plan, GError **error)
{
  LmccTcpTarget tcp = { .rtt = plan->rtt, .packet_size = plan->packet_size };
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

/* Lets the sender's code fit the session. */
static gboolean
fit_session (const PlanMarksOptions *options, Plan *plan, GError **error)
{
  LmccSession *session = &plan->session;
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
  if (plan->algorithm != NULL)
    g_strlcpy (session->algorithm, plan->algorithm->name,
        sizeof (session->algorithm));
  for (i = 0; i < plan->n_layers; i++)
    session->layers[i].rate = (guint64) (plan->rates[i] + 0.5);

  return lmcc_session_fit_algorithm (session, plan->rtt, MAX (leave_latency, 1),
      error);
}

static gboolean
make_marks (const PlanMarksOptions *options, Plan *plan, GError **error)
{
  if (!has_slots (plan))
    return TRUE;
  plan->slot = plan->session.slot;
  plan->rtt = plan_nominal_rtt (plan);
  if (plan_is_flid (plan))
    return read_probabilities (options, plan, error);
  if (plan->algorithm == &lmcc_algorithm_rlc)
    lmcc_rlc_schedule_init (&plan->rlc, plan->n_layers - 1, plan->base_rate,
        plan->packet_size, plan->slot, LMCC_RLC_BURST_PACKETS);

  return TRUE;
}

/* Reads the options of the algorithm and computes the rest. The rates are those
 * of the plan. */
gboolean
plan_read_marks (const PlanMarksOptions *options, Plan *plan, GError **error)
{
  if (!read_algorithm (options, plan, error)
      || !check_options (options, plan, error)
      || !read_seconds ("--slot", options->slot_text, FALSE, &plan->slot, error)
      || !read_seconds ("--nominal-rtt", options->rtt_text, FALSE, &plan->rtt,
          error))
    return FALSE;

  if (options->n_signals != PLAN_NOT_GIVEN
      && (options->n_signals < 1 || options->n_signals > MAX_SIGNALS))
    return plan_bad_value (error,
        _ ("--signals=%d is out of range; write 1 to %d"), options->n_signals,
        MAX_SIGNALS);
  if (has_slots (plan))
    plan->n_signals = options->n_signals != PLAN_NOT_GIVEN
        ? (guint) options->n_signals
        : DEFAULT_SIGNALS;

  return fit_session (options, plan, error)
      && lmcc_dynamic_layering_from_session (&plan->layering, &plan->session,
          error)
      && make_marks (options, plan, error);
}

/* The marks of packets in the first slots. */
void
plan_get_marks (const Plan *plan, LmccMarks *marks)
{
  LmccMarker marker;
  guint n;

  lmcc_marker_init (&marker, &plan->session, plan->probabilities, 0);
  for (n = 0; n < plan->n_signals; n++)
    lmcc_marker_get_marks (&marker, 0, n * plan->slot, &marks[n]);
  lmcc_marker_clear (&marker);
}
