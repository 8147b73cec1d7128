/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "control/slots/increase-probabilities.h"

#include <glib/gi18n-lib.h>
#include <gst/lmcc/lmcc-session.h>
#include "measure/tcp-model.h"

#include <math.h>
#include <string.h>

/* Least difference between two neighbouring probabilities, so that a level
 * can get a signal without the next higher one: alpha in the paper's
 * appendix B. */
#define MIN_DIFFERENCE 0.001

/* Hill climbing ends when a round over all levels changes the p_i by less
 * than this, as the sum of the squares: beta in the paper's appendix B. */
#define CONVERGED 0.00002

/* Usually there are about ten rounds; the limit ends a search that does not
 * converge. */
#define MAX_ROUNDS 1000

/* The paper does not say how it finds the best p_i of one level. Here: the
 * best of this many points, then a golden-section search between its
 * neighbours. */
#define SCAN_POINTS 17
#define SECTION_STEPS 30

/* Lower loss rates are not distinguished: no session's rate is TCP's rate
 * there. */
#define MIN_LOSS_RATE 1e-30
/* Bisections of a range of 70 natural logarithms that a double can resolve. */
#define BISECTIONS 64

/* Keeps products of many ratios within the range of a double. */
#define LARGE 1e200

const gchar *const lmcc_increase_method_names[] = {
  [LMCC_INCREASE_METHOD_HEURISTIC] = "heuristic",
  [LMCC_INCREASE_METHOD_HILL_CLIMB] = "hill-climb",
  [LMCC_INCREASE_METHOD_HILL_CLIMB_LOG] = "hill-climb-log",
  NULL
};

#define N_METHODS (G_N_ELEMENTS (lmcc_increase_method_names) - 1)

/**
 * lmcc_increase_method_name:
 * @method: a method
 *
 * Returns: (nullable): its name, or %NULL if @method is none
 */
const gchar *
lmcc_increase_method_name (LmccIncreaseMethod method)
{
  if ((guint) method >= N_METHODS)
    return NULL;

  return lmcc_increase_method_names[method];
}

/**
 * lmcc_increase_method_from_name:
 * @name: (nullable): a name from lmcc_increase_method_name()
 * @method: (out): the method, unchanged on failure
 *
 * Looks up a method by its name.
 *
 * Returns: %FALSE if no method has this name
 */
gboolean
lmcc_increase_method_from_name (const gchar *name, LmccIncreaseMethod *method)
{
  guint i;

  for (i = 0; i < N_METHODS; i++) {
    if (g_strcmp0 (name, lmcc_increase_method_names[i]) == 0) {
      *method = i;
      return TRUE;
    }
  }

  return FALSE;
}

/**
 * lmcc_tcp_target_rate:
 * @loss_rate: q
 * @target: (type LmccTcpTarget): RTT and packet size
 *
 * TCP's rate as an #LmccTargetRate (equation 1 of FLID-DL, the same as
 * lmcc_tcp_model_rate()).
 *
 * Returns: bit/s
 */
gdouble
lmcc_tcp_target_rate (gdouble loss_rate, gpointer target)
{
  const LmccTcpTarget *tcp = target;

  return lmcc_tcp_model_rate (loss_rate, tcp->rtt, tcp->packet_size);
}

/* q_j, increasing with @index, which is below LMCC_LOSS_GRID_POINTS. */
static gdouble
get_grid_point (LmccLossGrid grid, guint index)
{
  gdouble part = index / (gdouble) (LMCC_LOSS_GRID_POINTS - 1);

  if (grid == LMCC_LOSS_GRID_LINEAR)
    return 0.001 + part * (0.1 - 0.001);

  return 5e-6 * pow (0.1 / 5e-6, part);
}

/* The inverse of the target: the loss rate at which it equals @rate. */
static gdouble
loss_rate_of (gdouble rate, LmccTargetRate target, gpointer user_data)
{
  gdouble low = log (MIN_LOSS_RATE);
  gdouble high = 0;
  guint i;

  if (target (1, user_data) >= rate)
    return 1;
  for (i = 0; i < BISECTIONS; i++) {
    gdouble middle = (low + high) / 2;

    if (target (exp (middle), user_data) >= rate)
      low = middle;
    else
      high = middle;
  }

  return exp (low);
}

/**
 * lmcc_increase_probabilities_heuristic:
 * @chain: the levels
 * @target: R(q); see #LmccTargetRate
 * @user_data: user data of @target
 * @probabilities: (out caller-allocates) (array): p_i for each level of @chain
 *
 * The heuristic of FLID-DL, appendix A: a receiver at rate R_i, if that is the
 * target, should go up as often as down, so p_i = min (T q_i R_i, 1) with
 * R(q_i) = R_i, R_i in packets/s. With TCP's retransmission timeout, p_i
 * decreases again towards the low levels; these values are raised to the
 * maximum, so that p_i >= p_{i+1}: the paper's example 5. The top level's p is
 * 0.
 */
void
lmcc_increase_probabilities_heuristic (const LmccMarkovChain *chain,
    LmccTargetRate target, gpointer user_data, gdouble *probabilities)
{
  guint i = chain->n_levels - 1;

  probabilities[i] = 0;
  while (i-- > 0) {
    gdouble q = loss_rate_of (chain->rates[i], target, user_data);
    gdouble p = MIN (q * lmcc_markov_chain_packets (chain, i), 1);

    probabilities[i] = MAX (p, probabilities[i + 1]);
  }
}

/* The chain at the points of a grid: the part that does not depend on the
 * p_i. */
typedef struct
{
  const LmccMarkovChain *chain;
  gdouble target[LMCC_LOSS_GRID_POINTS];
  gdouble climb[LMCC_LOSS_GRID_POINTS][LMCC_MAX_LAYERS];
} Fit;

static Fit *
fit_new (const LmccMarkovChain *chain, LmccLossGrid grid, LmccTargetRate target,
    gpointer user_data)
{
  Fit *fit = g_new0 (Fit, 1);
  guint j, i;

  fit->chain = chain;
  for (j = 0; j < LMCC_LOSS_GRID_POINTS; j++) {
    gdouble q = get_grid_point (grid, j);

    fit->target[j] = target (q, user_data);
    for (i = 0; i + 1 < chain->n_levels; i++)
      fit->climb[j][i] = lmcc_markov_chain_climb (chain, i, q);
  }

  return fit;
}

/* As a function of one p_i, everything else in the chain is constant: its
 * throughput divided by the target is (rate_below + p rate_above) /
 * (time_below + p time_above). */
typedef struct
{
  gdouble rate_below;
  gdouble rate_above;
  gdouble time_below;
  gdouble time_above;
} Split;

static Split
split_at (const Fit *fit, const gdouble *p, guint level, guint point)
{
  const LmccMarkovChain *chain = fit->chain;
  Split split = { 0 };
  gdouble f = 1;
  guint i;

  for (i = 0; i < chain->n_levels; i++) {
    gdouble rate = f * chain->rates[i] / fit->target[point];

    if (i <= level) {
      split.rate_below += rate;
      split.time_below += f;
    } else {
      split.rate_above += rate;
      split.time_above += f;
    }
    if (i + 1 < chain->n_levels)
      f *= fit->climb[point][i] * (i == level ? 1 : p[i]);
    if (f > LARGE) {
      f /= LARGE;
      split.rate_below /= LARGE;
      split.time_below /= LARGE;
      split.rate_above /= LARGE;
      split.time_above /= LARGE;
    }
  }

  return split;
}

static gdouble
split_error (const Split *splits, gdouble p)
{
  gdouble sum = 0;
  guint j;

  for (j = 0; j < LMCC_LOSS_GRID_POINTS; j++) {
    const Split *split = &splits[j];
    gdouble off = (split->rate_below + p * split->rate_above)
            / (split->time_below + p * split->time_above)
        - 1;

    sum += off * off;
  }

  return sum;
}

/* The best value of one p between @low and @high. */
static gdouble
best_between (const Split *splits, gdouble low, gdouble high)
{
  const gdouble golden = (sqrt (5) - 1) / 2;
  gdouble step = (high - low) / (SCAN_POINTS - 1);
  gdouble best = low, least = INFINITY;
  gdouble left, right;
  guint i;

  for (i = 0; i < SCAN_POINTS; i++) {
    gdouble error = split_error (splits, low + i * step);

    if (error < least) {
      least = error;
      best = low + i * step;
    }
  }

  left = MAX (best - step, low);
  right = MIN (best + step, high);
  for (i = 0; i < SECTION_STEPS; i++) {
    gdouble width = golden * (right - left);

    if (split_error (splits, right - width)
        < split_error (splits, left + width))
      right = left + width;
    else
      left = right - width;
  }

  /* The search only approaches a bound. */
  return split_error (splits, (left + right) / 2) < least ? (left + right) / 2
                                                          : best;
}

static void
keep_apart (gdouble *p, guint n_levels)
{
  gdouble highest = 1;
  guint i;

  p[n_levels - 1] = 0;
  for (i = 0; i + 1 < n_levels; i++) {
    highest -= MIN_DIFFERENCE;
    p[i] = highest = MIN (p[i], highest);
  }
  for (i = n_levels - 1; i-- > 0;)
    p[i] = MAX (p[i], p[i + 1] + MIN_DIFFERENCE);
}

/* Returns the change of the p_i, as the sum of the squares. */
static gdouble
climb_once (const Fit *fit, gdouble *p, Split *splits)
{
  gdouble change = 0;
  guint i, j;

  for (i = 0; i + 1 < fit->chain->n_levels; i++) {
    gdouble high = (i > 0 ? p[i - 1] : 1) - MIN_DIFFERENCE;
    gdouble low = p[i + 1] + MIN_DIFFERENCE;
    gdouble last = p[i];

    for (j = 0; j < LMCC_LOSS_GRID_POINTS; j++)
      splits[j] = split_at (fit, p, i, j);
    p[i] = best_between (splits, low, MAX (high, low));
    change += (p[i] - last) * (p[i] - last);
  }

  return change;
}

/**
 * lmcc_increase_probabilities_hill_climb:
 * @chain: the levels
 * @grid: the loss rates at which throughput and target are compared
 * @target: R(q); see #LmccTargetRate
 * @user_data: user data of @target
 * @probabilities: (out caller-allocates) (array): p_i for each level of @chain
 *
 * The hill climbing of FLID-DL, appendix B: sets one p_i after the other to the
 * value that minimizes the sum, over the points of the grid, of the squared
 * relative difference between throughput and target, until a round changes them
 * by less than 0.00002. Two neighbours differ by at least 0.001. The search
 * starts from the heuristic.
 *
 * The p_i of the paper's example 6 do not follow from its text: those computed
 * here fit the target better. Values that fit on the linear grid do not fit at
 * loss rates below it.
 */
void
lmcc_increase_probabilities_hill_climb (const LmccMarkovChain *chain,
    LmccLossGrid grid, LmccTargetRate target, gpointer user_data,
    gdouble *probabilities)
{
  g_autofree Fit *fit = fit_new (chain, grid, target, user_data);
  g_autofree Split *splits = g_new (Split, LMCC_LOSS_GRID_POINTS);
  guint i;

  lmcc_increase_probabilities_heuristic (chain, target, user_data,
      probabilities);
  keep_apart (probabilities, chain->n_levels);
  for (i = 0; i < MAX_ROUNDS; i++) {
    if (climb_once (fit, probabilities, splits) < CONVERGED)
      break;
  }
}

/**
 * lmcc_increase_probabilities_compute:
 * @method: the method
 * @chain: the levels
 * @target: R(q); see #LmccTargetRate
 * @user_data: user data of @target
 * @probabilities: (out caller-allocates) (array): p_i for each level of @chain
 *
 * Computes the probabilities with one of the methods. @target is only called
 * during this call.
 */
void
lmcc_increase_probabilities_compute (LmccIncreaseMethod method,
    const LmccMarkovChain *chain, LmccTargetRate target, gpointer user_data,
    gdouble *probabilities)
{
  switch (method) {
    case LMCC_INCREASE_METHOD_HILL_CLIMB:
      lmcc_increase_probabilities_hill_climb (chain, LMCC_LOSS_GRID_LINEAR,
          target, user_data, probabilities);
      break;
    case LMCC_INCREASE_METHOD_HILL_CLIMB_LOG:
      lmcc_increase_probabilities_hill_climb (chain, LMCC_LOSS_GRID_LOGARITHMIC,
          target, user_data, probabilities);
      break;
    default:
      lmcc_increase_probabilities_heuristic (chain, target, user_data,
          probabilities);
      break;
  }
}

/**
 * lmcc_increase_probabilities_check:
 * @probabilities: (array length=n_levels): p_i from any origin
 * @n_levels: number of levels, at least 1
 * @error: (nullable): what is wrong, in %LMCC_SESSION_ERROR
 *
 * Checks the rule of FLID-DL section IV-C, 1 = p_{-1} > p_0 > ... > p_{l-1} =
 * 0, except that neighbours may be equal, as in its example 5.
 *
 * Returns: whether each is between 0 and 1, none is above the previous one and
 * the last is 0
 */
gboolean
lmcc_increase_probabilities_check (const gdouble *probabilities, guint n_levels,
    GError **error)
{
  gdouble highest = 1;
  guint i;

  for (i = 0; i < n_levels; i++) {
    if (!(probabilities[i] >= 0 && probabilities[i] <= highest)) {
      g_set_error (error, LMCC_SESSION_ERROR, LMCC_SESSION_ERROR_VALUE,
          _ ("the probability of level %u is %g, but must be between 0 and "
             "that of the level below, %g"),
          i, probabilities[i], highest);
      return FALSE;
    }
    highest = probabilities[i];
  }
  if (highest > 0) {
    g_set_error (error, LMCC_SESSION_ERROR, LMCC_SESSION_ERROR_VALUE,
        _ ("the probability of the top level is %g, but must be 0, because "
           "there is no higher level"),
        highest);
    return FALSE;
  }

  return TRUE;
}

/**
 * lmcc_increase_probabilities_parse:
 * @text: numbers separated by commas
 * @n_levels: the required number, at least 1, at most %LMCC_MAX_LAYERS
 * @probabilities: (out) (array length=n_levels): p_i
 * @error: (nullable): what is wrong and what to write, in %LMCC_SESSION_ERROR
 *
 * Parses probabilities as users write them.
 *
 * Returns: whether lmcc_increase_probabilities_check() accepts them
 */
gboolean
lmcc_increase_probabilities_parse (const gchar *text, guint n_levels,
    gdouble *probabilities, GError **error)
{
  g_auto (GStrv) texts = g_strsplit (text, ",", -1);
  guint n = g_strv_length (texts);
  guint i;

  for (i = 0; i < n; i++) {
    gchar *end;
    gdouble number = g_ascii_strtod (texts[i], &end);

    if (i < n_levels)
      probabilities[i] = number;
    if (end == texts[i] || *g_strchug (end) != '\0') {
      g_set_error (error, LMCC_SESSION_ERROR, LMCC_SESSION_ERROR_VALUE,
          _ ("\"%s\" is neither heuristic, hill-climb nor hill-climb-log, nor "
             "a number for each level, such as 0.33,0.2,0.09,0"),
          text);
      return FALSE;
    }
  }
  if (n != n_levels) {
    g_set_error (error, LMCC_SESSION_ERROR, LMCC_SESSION_ERROR_VALUE,
        _ ("there are %u numbers for %u layers: write one for each layer, the "
           "last of them 0"),
        n, n_levels);
    return FALSE;
  }

  return lmcc_increase_probabilities_check (probabilities, n_levels, error);
}
