/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* lmccsink's algorithm-settings: how packets are marked. */
#include "config.h"

#include "sink/marks.h"

#include "common/settings.h"

#include <gst/lmcc/lmcc-session-algorithm.h>

#include <string.h>

#define PROBABILITIES "probabilities"

/* The value as a user would write it: text, or numbers separated by commas. */
static gchar *
format_list (const GValue *value)
{
  GString *text;
  guint i;

  if (G_VALUE_HOLDS_STRING (value))
    return g_value_dup_string (value);
  if (!GST_VALUE_HOLDS_ARRAY (value))
    return gst_value_serialize (value);
  text = g_string_new (NULL);
  for (i = 0; i < gst_value_array_get_size (value); i++) {
    g_autofree gchar *number =
        gst_value_serialize (gst_value_array_get_value (value, i));

    g_string_append_printf (text, "%s%s", i > 0 ? "," : "",
        number ? number : "");
  }
  return g_string_free (text, FALSE);
}

/* `probabilities` is the name of a method or a list of numbers. */
static gboolean
take_list (GstLmccSinkMarks *marks, GstStructure *structure, guint n_layers,
    GError **error)
{
  const GValue *value = gst_structure_get_value (structure, PROBABILITIES);
  g_autofree gchar *text = NULL;
  LmccIncreaseMethod method;

  if (value == NULL)
    return TRUE;
  text = format_list (value);
  if (text == NULL || lmcc_increase_method_from_name (text, &method))
    return TRUE;
  /* Whether native layers suit the algorithm is checked later. */
  if (n_layers > 0
      && !lmcc_increase_probabilities_parse (text, n_layers,
          marks->probabilities, error)) {
    g_prefix_error (error, PROBABILITIES ": ");
    return FALSE;
  }
  marks->n_probabilities = n_layers;
  gst_structure_remove_field (structure, PROBABILITIES);
  return TRUE;
}

static LmccTime
get_time (const LmccSettings *settings, const GstStructure *structure,
    const gchar *name)
{
  return gst_structure_has_field (structure, name)
      ? lmcc_settings_get_time (settings, name)
      : 0;
}

static gboolean
has_setting (const LmccSetting *table, guint n, const gchar *name)
{
  guint i;

  for (i = 0; i < n; i++) {
    if (g_str_equal (table[i].name, name))
      return TRUE;
  }
  return FALSE;
}

/**
 * gst_lmcc_sink_marks_read:
 * @marks: (out caller-allocates): the settings
 * @structure: (nullable): the property; %NULL: all defaults
 * @algorithm: name of the session's algorithm
 * @n_layers: number of layers with fixed rates; 0: native layers
 * @error: names the valid values, in %LMCC_SETTINGS_ERROR or
 *     %LMCC_SESSION_ERROR
 *
 * Returns: whether these are valid settings of that algorithm
 */
gboolean
gst_lmcc_sink_marks_read (GstLmccSinkMarks *marks,
    const GstStructure *structure, const gchar *algorithm, guint n_layers,
    GError **error)
{
  g_autoptr (GstStructure) rest = NULL;
  g_autoptr (LmccSettings) settings = NULL;
  const LmccSetting *table;
  guint n;

  memset (marks, 0, sizeof (*marks));
  if (structure == NULL)
    return TRUE;
  if (!gst_lmcc_settings_check_name (structure, algorithm, error))
    return FALSE;
  table = lmcc_session_algorithm_get_settings (algorithm, &n);
  settings = lmcc_settings_new (table, n);
  rest = gst_structure_copy (structure);
  if (has_setting (table, n, PROBABILITIES)
      && !take_list (marks, rest, n_layers, error))
    return FALSE;
  if (!gst_lmcc_settings_read (settings, rest, error))
    return FALSE;
  marks->slot = get_time (settings, rest, "slot");
  marks->nominal_rtt = get_time (settings, rest, "nominal-rtt");
  marks->leave_latency = get_time (settings, rest, "leave-latency");
  if (gst_structure_has_field (rest, PROBABILITIES))
    marks->method = lmcc_settings_get_count (settings, PROBABILITIES);
  return TRUE;
}

/**
 * gst_lmcc_sink_marks_fit:
 * @marks: the settings; its probabilities may be filled in, and must stay valid
 *     until the sender was created
 * @config: (inout): configuration with the layers of the session; gets slots
 *     and groups
 * @error: why the session cannot use the algorithm, and the remedy
 *
 * Returns: whether it can
 */
gboolean
gst_lmcc_sink_marks_fit (GstLmccSinkMarks *marks, LmccSenderConfig *config,
    GError **error)
{
  LmccSession *session = &config->session;

  session->slot = marks->slot;
  config->nominal_rtt = marks->nominal_rtt;
  config->leave_latency = marks->leave_latency;
  if (!lmcc_session_fit_algorithm (session, marks->nominal_rtt,
          marks->leave_latency, error))
    return FALSE;
  if (marks->n_probabilities == 0
      && marks->method == LMCC_INCREASE_METHOD_HEURISTIC)
    return TRUE;
  if (marks->n_probabilities == 0)
    lmcc_session_compute_probabilities (session, marks->nominal_rtt,
        marks->method, marks->probabilities);
  config->probabilities = marks->probabilities;
  return TRUE;
}
