/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "base/settings.h"

#include <glib/gi18n-lib.h>
#include <math.h>

struct _LmccSettings
{
  const LmccSetting *table;
  guint n;
  gdouble *values;
  gboolean *given; /* by lmcc_settings_set() */
};

/**
 * lmcc_settings_error_quark:
 *
 * The error domain of LmccSettingsError.
 *
 * Returns: %LMCC_SETTINGS_ERROR
 */
G_DEFINE_QUARK (lmcc-settings-error-quark, lmcc_settings_error);

/**
 * lmcc_settings_new:
 * @table: (array length=n): the table, which must be static
 * @n: number of settings
 *
 * Creates values for the settings of a table.
 *
 * Returns: (transfer full): all settings at their default values
 */
LmccSettings *
lmcc_settings_new (const LmccSetting *table, guint n)
{
  LmccSettings *settings = g_new0 (LmccSettings, 1);
  guint i;

  settings->table = table;
  settings->n = n;
  settings->values = g_new (gdouble, n);
  settings->given = g_new0 (gboolean, n);
  for (i = 0; i < n; i++)
    settings->values[i] = table[i].standard;

  return settings;
}

/**
 * lmcc_settings_copy:
 * @settings: settings to copy
 *
 * Copies settings with all their values.
 *
 * Returns: (transfer full): a copy
 */
LmccSettings *
lmcc_settings_copy (const LmccSettings *settings)
{
  LmccSettings *copy = g_memdup2 (settings, sizeof (*settings));

  copy->values = g_memdup2 (settings->values, settings->n * sizeof (gdouble));
  copy->given = g_memdup2 (settings->given, settings->n * sizeof (gboolean));

  return copy;
}

/**
 * lmcc_settings_free:
 * @settings: (transfer full): settings
 *
 * Frees settings.
 */
void
lmcc_settings_free (LmccSettings *settings)
{
  g_free (settings->values);
  g_free (settings->given);
  g_free (settings);
}

/**
 * lmcc_settings_is_of:
 * @settings: settings
 * @table: (nullable): a table
 *
 * Checks which table settings belong to.
 *
 * Returns: whether @settings were made from @table
 */
gboolean
lmcc_settings_is_of (const LmccSettings *settings, const LmccSetting *table)
{
  return settings->table == table;
}

static gboolean
find (const LmccSettings *settings, const gchar *name, guint *index)
{
  for (*index = 0; *index < settings->n; (*index)++) {
    if (g_str_equal (settings->table[*index].name, name))
      return TRUE;
  }

  return FALSE;
}

static void
set_unknown_error (const LmccSettings *settings, const gchar *name,
    GError **error)
{
  GString *names = g_string_new (NULL);
  guint i;

  for (i = 0; i < settings->n; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "",
        settings->table[i].name);
  g_set_error (error, LMCC_SETTINGS_ERROR, LMCC_SETTINGS_ERROR_UNKNOWN,
      _ ("unknown setting \"%s\"; available settings: %s"), name,
      settings->n > 0 ? names->str : _ ("none"));
  g_string_free (names, TRUE);
}

/**
 * lmcc_setting_format_range:
 * @setting: an entry of a table
 *
 * Describes the permitted values of a setting for users.
 *
 * Returns: (transfer full): the permitted values as text, such as `a|b`,
 * `true|false` or `0 to 60 s`
 */
gchar *
lmcc_setting_format_range (const LmccSetting *setting)
{
  switch (setting->type) {
    case LMCC_SETTING_CHOICE:
      return g_strjoinv ("|", (gchar **) setting->choices);
    case LMCC_SETTING_SWITCH:
      return g_strdup ("true|false");
    default:
      return g_strdup_printf ("%g to %g%s", setting->min, setting->max,
          setting->type == LMCC_SETTING_TIME ? " s" : "");
  }
}

/* Programs may read lmcc_setting_format_range(), so that is never
 * translated. */
static gchar *
translate_range (const LmccSetting *setting)
{
  switch (setting->type) {
    case LMCC_SETTING_CHOICE:
    case LMCC_SETTING_SWITCH:
      return lmcc_setting_format_range (setting);
    default:
      return g_strdup_printf (_ ("%g to %g%s"), setting->min, setting->max,
          setting->type == LMCC_SETTING_TIME ? " s" : "");
  }
}

static void
set_value_error (const LmccSetting *setting, const gchar *value, GError **error)
{
  g_autofree gchar *range = translate_range (setting);

  g_set_error (error, LMCC_SETTINGS_ERROR, LMCC_SETTINGS_ERROR_VALUE,
      setting->type == LMCC_SETTING_COUNT
          ? _ ("%s must be %s, a whole number, not \"%s\"")
          : _ ("%s must be %s, not \"%s\""),
      setting->name, range, value);
}

static gboolean
parse_number (const LmccSetting *setting, const gchar *text, gdouble *value)
{
  gchar *end;

  *value = g_ascii_strtod (text, &end);
  if (end == text || *end != '\0')
    return FALSE;
  if (setting->type == LMCC_SETTING_COUNT && floor (*value) != *value)
    return FALSE;

  return *value >= setting->min && *value <= setting->max;
}

static gboolean
parse (const LmccSetting *setting, const gchar *text, gdouble *value)
{
  guint i;

  switch (setting->type) {
    case LMCC_SETTING_CHOICE:
      for (i = 0; setting->choices[i] != NULL; i++) {
        if (g_str_equal (setting->choices[i], text)) {
          *value = i;
          return TRUE;
        }
      }
      return FALSE;
    case LMCC_SETTING_SWITCH:
      *value = g_ascii_strcasecmp (text, "true") == 0;
      return *value != 0 || g_ascii_strcasecmp (text, "false") == 0;
    default:
      return parse_number (setting, text, value);
  }
}

/**
 * lmcc_settings_set:
 * @settings: settings
 * @name: name of the setting
 * @value: a number, or a word of a choice or switch
 * @error: describes the permitted values
 *
 * Sets a setting from text, as users write it.
 *
 * Returns: %FALSE, with no change, if the setting or the value does not exist
 */
gboolean
lmcc_settings_set (LmccSettings *settings, const gchar *name,
    const gchar *value, GError **error)
{
  gdouble number;
  guint i;

  if (!find (settings, name, &i)) {
    set_unknown_error (settings, name, error);
    return FALSE;
  }
  if (!parse (&settings->table[i], value, &number)) {
    set_value_error (&settings->table[i], value, error);
    return FALSE;
  }
  settings->values[i] = number;
  settings->given[i] = TRUE;

  return TRUE;
}

/*
 * lmcc_settings_prefer:
 * @settings: settings
 * @name: a setting of the table
 * @value: a value as returned by lmcc_settings_get(), within the setting's
 *     range
 *
 * Replaces the default value. A value given with lmcc_settings_set() stays.
 */
void
lmcc_settings_prefer (LmccSettings *settings, const gchar *name, gdouble value)
{
  guint i;

  g_return_if_fail (find (settings, name, &i));

  if (!settings->given[i])
    settings->values[i] = value;
}

/**
 * lmcc_settings_get:
 * @settings: settings
 * @name: a setting of the table
 *
 * Reads a setting. A name that is not in the table is a programming error.
 *
 * Returns: its value: a time in seconds, a choice's index, or 0 or 1 for a
 * switch
 */
gdouble
lmcc_settings_get (const LmccSettings *settings, const gchar *name)
{
  guint i;

  g_return_val_if_fail (find (settings, name, &i), 0);

  return settings->values[i];
}

/**
 * lmcc_settings_get_count:
 * @settings: settings
 * @name: a count, choice or switch of the table
 *
 * Reads a setting whose value is a whole number.
 *
 * Returns: its value
 */
guint
lmcc_settings_get_count (const LmccSettings *settings, const gchar *name)
{
  return (guint) lmcc_settings_get (settings, name);
}

/**
 * lmcc_settings_get_time:
 * @settings: settings
 * @name: a time of the table
 *
 * Reads a setting of type %LMCC_SETTING_TIME.
 *
 * Returns: its value in ns
 */
LmccTime
lmcc_settings_get_time (const LmccSettings *settings, const gchar *name)
{
  return (LmccTime) (lmcc_settings_get (settings, name) * LMCC_SECOND);
}
