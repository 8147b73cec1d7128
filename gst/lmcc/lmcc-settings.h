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
 * @LMCC_SETTING_CHOICE: one of some words
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
 * @name: as users write it
 * @type: what its values are
 * @min: least value; of a choice and a switch not used
 * @max: greatest value; of a choice and a switch not used
 * @standard: value unless set otherwise; of a choice the index in @choices, of
 *     a switch 0 or 1
 * @choices: (array zero-terminated=1) (nullable): a choice's words
 * @description: what it does and where its standard value comes from
 *
 * One line of an algorithm's table of settings. A time is in seconds.
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
 * @LMCC_SETTINGS_ERROR_UNKNOWN: there is no setting of that name
 * @LMCC_SETTINGS_ERROR_VALUE: the value is malformed or out of range
 */
typedef enum
{
  LMCC_SETTINGS_ERROR_UNKNOWN,
  LMCC_SETTINGS_ERROR_VALUE,
} LmccSettingsError;

/* The domain of errors with a code of LmccSettingsError. */
#define LMCC_SETTINGS_ERROR lmcc_settings_error_quark ()
LMCC_API GQuark lmcc_settings_error_quark (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmccSettings, lmcc_settings_free)

G_END_DECLS

#endif
