/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SETTINGS_H
#define LMCC_SETTINGS_H

#include <gst/lmcc/lmcc-types.h>

G_BEGIN_DECLS

/**
 * LmccSettingType:
 * @LMCC_SETTING_NUMBER: a real number
 * @LMCC_SETTING_COUNT: a whole number, not below 0
 * @LMCC_SETTING_TIME: seconds, a real number
 * @LMCC_SETTING_SWITCH: true or false
 * @LMCC_SETTING_CHOICE: one of a list of words
 *
 * Types of settings.
 */
typedef enum
{
  LMCC_SETTING_NUMBER,
  LMCC_SETTING_COUNT,
  LMCC_SETTING_TIME,
  LMCC_SETTING_SWITCH,
  LMCC_SETTING_CHOICE,
} LmccSettingType;

/**
 * LmccSetting:
 * @name: name as users write it
 * @type: type of the value
 * @min: least value; not used for choices and switches
 * @max: greatest value; not used for choices and switches
 * @standard: default value; for a choice its index in @choices, for a switch 0 or 1
 * @choices: (array zero-terminated=1) (nullable): the words of a choice
 * @description: what the setting does and where its default comes from
 *
 * An entry in an algorithm's table of settings. Times are in seconds.
 */
typedef struct
{
  const gchar *name;
  LmccSettingType type;
  gdouble min;
  gdouble max;
  gdouble standard;
  const gchar *const *choices;
  const gchar *description;
} LmccSetting;

/**
 * LmccSettings:
 * Values for the settings of one table.
 */
typedef struct _LmccSettings LmccSettings;

LMCC_API gchar *lmcc_setting_format_range (const LmccSetting *setting);
LMCC_API LmccSettings *lmcc_settings_new (const LmccSetting *table, guint n);
LMCC_API LmccSettings *lmcc_settings_copy (const LmccSettings *settings);
LMCC_API void lmcc_settings_free (LmccSettings *settings);
LMCC_API gboolean lmcc_settings_is_of (const LmccSettings *settings,
    const LmccSetting *table);
LMCC_API gboolean lmcc_settings_set (LmccSettings *settings, const gchar *name,
    const gchar *value, GError **error);
LMCC_API gdouble lmcc_settings_get (const LmccSettings *settings,
    const gchar *name);
LMCC_API guint lmcc_settings_get_count (const LmccSettings *settings,
    const gchar *name);
LMCC_API LmccTime lmcc_settings_get_time (const LmccSettings *settings,
    const gchar *name);

/**
 * LmccSettingsError:
 * @LMCC_SETTINGS_ERROR_UNKNOWN: no setting has this name
 * @LMCC_SETTINGS_ERROR_VALUE: the value is malformed or out of range
 *
 * Codes of %LMCC_SETTINGS_ERROR.
 */
typedef enum
{
  LMCC_SETTINGS_ERROR_UNKNOWN,
  LMCC_SETTINGS_ERROR_VALUE,
} LmccSettingsError;

/* Error domain for codes of LmccSettingsError. */
#define LMCC_SETTINGS_ERROR lmcc_settings_error_quark ()
LMCC_API GQuark lmcc_settings_error_quark (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccSettings, lmcc_settings_free)

G_END_DECLS

#endif
