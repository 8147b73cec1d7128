/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the settings of algorithms: defaults, parsing and errors.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <math.h>

static const gchar *const colours[] = { "red", "green", NULL };

static const LmccSetting table[] = {
  { "share", LMCC_SETTING_NUMBER, 0, 1, 0.5, NULL, "a number" },
  { "count", LMCC_SETTING_COUNT, 1, 9, 3, NULL, "a count" },
  { "wait", LMCC_SETTING_TIME, 0, 60, 2.5, NULL, "a time" },
  { "on", LMCC_SETTING_SWITCH, 0, 1, 1, NULL, "a switch" },
  { "colour", LMCC_SETTING_CHOICE, 0, 0, 1, colours, "a choice" },
};

GST_START_TEST (test_settings_start_at_their_standard_values)
{
  g_autoptr (LmccSettings) settings =
      lmcc_settings_new (table, G_N_ELEMENTS (table));

  fail_unless_equals_float (lmcc_settings_get (settings, "share"), 0.5);
  fail_unless_equals_int (lmcc_settings_get_count (settings, "count"), 3);
  fail_unless_equals_uint64 (lmcc_settings_get_time (settings, "wait"),
      2500 * LMCC_MSECOND);
  fail_unless_equals_int (lmcc_settings_get_count (settings, "on"), 1);
  fail_unless_equals_int (lmcc_settings_get_count (settings, "colour"), 1);
  fail_unless (lmcc_settings_is_of (settings, table));
  fail_if (lmcc_settings_is_of (settings, NULL));
}

GST_END_TEST;

GST_START_TEST (test_values_are_taken_as_words_and_numbers)
{
  g_autoptr (LmccSettings) settings =
      lmcc_settings_new (table, G_N_ELEMENTS (table));
  g_autoptr (LmccSettings) copy = NULL;

  fail_unless (lmcc_settings_set (settings, "share", "0.25", NULL));
  fail_unless (lmcc_settings_set (settings, "on", "false", NULL));
  fail_unless (lmcc_settings_set (settings, "colour", "red", NULL));
  fail_unless (lmcc_settings_set (settings, "wait", "0.001", NULL));
  copy = lmcc_settings_copy (settings);
  fail_unless (lmcc_settings_set (settings, "count", "9", NULL));
  fail_unless_equals_float (lmcc_settings_get (copy, "share"), 0.25);
  fail_unless_equals_int (lmcc_settings_get_count (copy, "on"), 0);
  fail_unless_equals_int (lmcc_settings_get_count (copy, "colour"), 0);
  fail_unless_equals_uint64 (lmcc_settings_get_time (copy, "wait"),
      LMCC_MSECOND);
  fail_unless_equals_int (lmcc_settings_get_count (copy, "count"), 3);
}

GST_END_TEST;

GST_START_TEST (test_a_wrong_value_or_name_is_refused_with_the_remedy)
{
  static const struct
  {
    const gchar *name, *value, *told;
  } wrong[] = {
    { "share", "1.5", "0 to 1" },
    { "share", "nan", "0 to 1" },
    { "share", "", "0 to 1" },
    { "share", "0.5x", "0 to 1" },
    { "count", "2.5", "a whole number" },
    { "count", "0", "1 to 9" },
    { "wait", "-1", "0 to 60 s" },
    { "wait", "inf", "0 to 60 s" },
    { "on", "maybe", "true|false" },
    { "colour", "blue", "red|green" },
    { "colour", "2", "red|green" },
    { "colour", "0.5", "red|green" },
    { "color", "red", "colour" },
  };
  g_autoptr (LmccSettings) settings =
      lmcc_settings_new (table, G_N_ELEMENTS (table));
  guint i;

  for (i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (GError) error = NULL;

    fail_if (lmcc_settings_set (settings, wrong[i].name, wrong[i].value,
                 &error),
        "%s=%s", wrong[i].name, wrong[i].value);
    fail_unless (error->domain == LMCC_SETTINGS_ERROR);
    fail_unless (strstr (error->message, wrong[i].told) != NULL, "%s",
        error->message);
  }
  fail_unless_equals_float (lmcc_settings_get (settings, "share"), 0.5);
}

GST_END_TEST;

static gchar *
format_standard (const LmccSetting *setting)
{
  gchar number[G_ASCII_DTOSTR_BUF_SIZE];

  switch (setting->type) {
    case LMCC_SETTING_CHOICE:
      fail_unless (setting->standard >= 0);
      fail_unless (
          setting->standard < g_strv_length ((gchar **) setting->choices));
      return g_strdup (setting->choices[(guint) setting->standard]);
    case LMCC_SETTING_SWITCH:
      fail_unless (setting->standard == 0 || setting->standard == 1);
      return g_strdup (setting->standard != 0 ? "true" : "false");
    default:
      g_ascii_dtostr (number, sizeof (number), setting->standard);
      return g_strdup (number);
  }
}

GST_START_TEST (test_every_algorithm_s_standard_values_are_in_range)
{
  guint n, i, j;
  const LmccAlgorithm *const *list = lmcc_algorithm_list (&n);

  for (i = 0; i < n; i++) {
    g_autoptr (LmccSettings) settings =
        lmcc_settings_new (list[i]->settings, list[i]->n_settings);

    for (j = 0; j < list[i]->n_settings; j++) {
      const LmccSetting *setting = &list[i]->settings[j];
      g_autofree gchar *standard = format_standard (setting);

      fail_unless (lmcc_settings_set (settings, setting->name, standard, NULL),
          "%s", setting->name);
      fail_unless_equals_float (lmcc_settings_get (settings, setting->name),
          setting->standard);
      fail_if (setting->description == NULL);
    }
  }
}

GST_END_TEST;

static Suite *
settings_suite (void)
{
  Suite *suite = suite_create ("settings");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_settings_start_at_their_standard_values);
  tcase_add_test (tcase, test_values_are_taken_as_words_and_numbers);
  tcase_add_test (tcase, test_a_wrong_value_or_name_is_refused_with_the_remedy);
  tcase_add_test (tcase, test_every_algorithm_s_standard_values_are_in_range);

  return suite;
}

GST_CHECK_MAIN (settings);
