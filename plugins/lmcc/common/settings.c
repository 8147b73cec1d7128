/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Converts an algorithm's settings from a structure: its name is the name of
 * the algorithm, its fields are rows of the algorithm's table. */
#include "config.h"

#include "common/settings.h"

#include <plugins/common/messages.h>

typedef struct
{
  LmccSettings *settings;
  GError **error;
} Reader;

/* The value as a user would write it, for any type of the field. */
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
 * @structure: fields to set
 * @error: lists the valid settings or values
 *
 * Returns: %FALSE if a setting or value is invalid
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
 * @algorithm: name of the algorithm in use
 * @error: names both algorithms
 *
 * Returns: whether both are the same
 */
gboolean
gst_lmcc_settings_check_name (const GstStructure *structure,
    const gchar *algorithm, GError **error)
{
  if (gst_structure_has_name (structure, algorithm))
    return TRUE;
  g_set_error (error, LMCC_SETTINGS_ERROR, LMCC_SETTINGS_ERROR_VALUE,
      _ ("they are for %s, but algorithm is %s: set both to the same "
         "algorithm"),
      gst_structure_get_name (structure), algorithm);
  return FALSE;
}

/**
 * gst_lmcc_settings_from_structure:
 * @structure: the name of an algorithm and some of its settings
 * @error: lists the valid names or values
 *
 * Returns: (transfer full) (nullable): the settings, with defaults for all
 * others; %NULL if the algorithm, a setting or a value does not exist
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
        _ ("there is no algorithm \"%s\"; the algorithms are: %s"), name,
        names);
    return NULL;
  }
  settings = lmcc_settings_new (algorithm->settings, algorithm->n_settings);
  if (!gst_lmcc_settings_read (settings, structure, error))
    return NULL;
  return g_steal_pointer (&settings);
}
