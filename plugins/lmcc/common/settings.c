/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* An algorithm's settings as a structure: its name is the algorithm's, its
 * fields are lines of the algorithm's table. */
#include "config.h"

#include "common/settings.h"

typedef struct
{
  LmccSettings *settings;
  GError **error;
} Reader;

/* As a user would write it, whatever type the field has. */
static gchar *
format_value (const GValue *value)
{
  gchar *text = G_VALUE_HOLDS_STRING (value) ? g_value_dup_string (value)
                                             : gst_value_serialize (value);

  return text ? text : g_strdup ("");
}

static gboolean
take_field (GQuark field, const GValue *value, gpointer user_data)
{
  Reader *reader = user_data;
  g_autofree gchar *text = format_value (value);

  return lmcc_settings_set (reader->settings, g_quark_to_string (field), text,
      reader->error);
}

/**
 * gst_lmcc_settings_read:
 * @settings: settings
 * @structure: some of them
 * @error: lists what there is
 *
 * Returns: %FALSE where there is no such setting or value
 */
gboolean
gst_lmcc_settings_read (LmccSettings *settings, const GstStructure *structure,
    GError **error)
{
  Reader reader = { settings, error };

  return gst_structure_foreach (structure, take_field, &reader);
}

/**
 * gst_lmcc_settings_check_name:
 * @structure: settings of an algorithm
 * @algorithm: the name of that which is used
 * @error: names both
 *
 * Returns: whether it is the same one
 */
gboolean
gst_lmcc_settings_check_name (const GstStructure *structure,
    const gchar *algorithm, GError **error)
{
  if (gst_structure_has_name (structure, algorithm))
    return TRUE;
  g_set_error (error, LMCC_SETTINGS_ERROR, LMCC_SETTINGS_ERROR_VALUE,
      "they are for %s, and algorithm is %s: set both alike",
      gst_structure_get_name (structure), algorithm);
  return FALSE;
}

/**
 * gst_lmcc_settings_from_structure:
 * @structure: the name of an algorithm and some of its settings
 * @error: lists what there is
 *
 * Returns: (transfer full) (nullable): the settings, those that are not named
 *     at their standard values; %NULL where there is no such algorithm, setting
 *     or value
 */
LmccSettings *
gst_lmcc_settings_from_structure (const GstStructure *structure, GError **error)
{
  const gchar *name = gst_structure_get_name (structure);
  const LmccAlgorithm *algorithm = lmcc_algorithm_find (name);
  g_autoptr (LmccSettings) settings = NULL;

  if (algorithm == NULL) {
    g_autofree gchar *names = lmcc_algorithm_format_names ();

    g_set_error (error, LMCC_SETTINGS_ERROR, LMCC_SETTINGS_ERROR_UNKNOWN,
        "there is no algorithm \"%s\"; there is: %s", name, names);
    return NULL;
  }
  settings = lmcc_settings_new (algorithm->settings, algorithm->n_settings);
  if (!gst_lmcc_settings_read (settings, structure, error))
    return NULL;
  return g_steal_pointer (&settings);
}
