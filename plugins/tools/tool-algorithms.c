/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "tool.h"
#include "tool-parser.h"

#include <gst/lmcc/lmcc-algorithm.h>
#include <gst/lmcc/lmcc-session-algorithm.h>

/* The settings of an algorithm, in the receiver or in the sender. */
typedef struct
{
  const LmccSetting *settings;
  guint n;
} Table;

static Table
get_receiver_table (const LmccAlgorithm *algorithm)
{
  return (Table){ algorithm->settings, algorithm->n_settings };
}

static Table
get_sender_table (const LmccAlgorithm *algorithm)
{
  Table table;

  table.settings =
      lmcc_session_algorithm_get_settings (algorithm->name, &table.n);

  return table;
}

static gchar *
format_standard (const LmccSetting *setting)
{
  switch (setting->type) {
    case LMCC_SETTING_CHOICE:
      return g_strdup (setting->choices[(guint) setting->standard]);
    case LMCC_SETTING_SWITCH:
      return g_strdup (setting->standard != 0 ? "true" : "false");
    case LMCC_SETTING_TIME:
      return g_strdup_printf ("%g s", setting->standard);
    default:
      return g_strdup_printf ("%g", setting->standard);
  }
}

static void
print_settings (const gchar *element, Table table)
{
  guint i;

  if (table.n > 0)
    g_print ("\n%s:\n", element);
  for (i = 0; i < table.n; i++) {
    const LmccSetting *setting = &table.settings[i];
    g_autofree gchar *standard = format_standard (setting);
    g_autofree gchar *range = lmcc_setting_format_range (setting);

    g_print (_ ("\n  %s (%s; default %s)\n      %s\n"), setting->name, range,
        standard, _ (setting->description));
  }
}

static void
build_settings (JsonBuilder *builder, Table table)
{
  guint i;

  json_builder_begin_array (builder);
  for (i = 0; i < table.n; i++) {
    const LmccSetting *setting = &table.settings[i];
    g_autofree gchar *standard = format_standard (setting);
    g_autofree gchar *range = lmcc_setting_format_range (setting);

    json_builder_begin_object (builder);
    json_builder_set_member_name (builder, "name");
    json_builder_add_string_value (builder, setting->name);
    json_builder_set_member_name (builder, "range");
    json_builder_add_string_value (builder, range);
    json_builder_set_member_name (builder, "default");
    json_builder_add_string_value (builder, standard);
    json_builder_set_member_name (builder, "description");
    json_builder_add_string_value (builder, setting->description);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

static void
print_json (const LmccAlgorithm *only)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  guint n, i;
  const LmccAlgorithm *const *list = lmcc_algorithm_list (&n);

  json_builder_begin_array (builder);
  for (i = 0; i < n; i++) {
    if (only != NULL && list[i] != only)
      continue;
    json_builder_begin_object (builder);
    json_builder_set_member_name (builder, "name");
    json_builder_add_string_value (builder, list[i]->name);
    json_builder_set_member_name (builder, "description");
    json_builder_add_string_value (builder, list[i]->description);
    if (list[i]->paper != NULL) {
      json_builder_set_member_name (builder, "paper");
      json_builder_add_string_value (builder, list[i]->paper);
    }
    json_builder_set_member_name (builder, "settings");
    build_settings (builder, get_receiver_table (list[i]));
    json_builder_set_member_name (builder, "sender-settings");
    build_settings (builder, get_sender_table (list[i]));
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
  tool_json_print (builder, TRUE);
}

static void
print_text (const LmccAlgorithm *only)
{
  guint n, i;
  const LmccAlgorithm *const *list = lmcc_algorithm_list (&n);

  if (only != NULL) {
    g_print ("%s: %s\n", only->name, _ (only->description));
    if (only->paper != NULL)
      g_print ("%s\n", only->paper);
    print_settings ("lmccsrc", get_receiver_table (only));
    print_settings ("lmccsink", get_sender_table (only));
    return;
  }
  for (i = 0; i < n; i++)
    g_print ("%s: %s\n", list[i]->name, _ (list[i]->description));
}

static void
complain (const gchar *name)
{
  g_autofree gchar *names = lmcc_algorithm_format_names ();

  tool_error (_ ("there is no algorithm `%s'; the algorithms are: %s"), name,
      names);
}

gint
tool_algorithms (gint argc, gchar **argv)
{
  gboolean json = FALSE;
  const GOptionEntry entries[] = { { "json", 0, 0, G_OPTION_ARG_NONE, &json,
                                       N_ ("Print JSON"), NULL },
    { NULL } };
  g_autoptr (ToolParser) parser = tool_parser_new ("[NAME]",
      N_ ("Lists the algorithms, or the paper and settings of one: "
          "the values of the\n"
          "property algorithm-settings of lmccsrc and of lmccsink."));
  const LmccAlgorithm *only = NULL;
  guint n, i;
  const LmccAlgorithm *const *list = lmcc_algorithm_list (&n);

  tool_parser_add (parser, entries);
  for (i = 0; i < n; i++)
    tool_parser_add_value (parser, "NAME", list[i]->name);
  if (!tool_parser_parse (parser, &argc, &argv))
    return TOOL_EXIT_USAGE;
  if (argc > 2) {
    tool_error (_ ("too many arguments; see --help"));
    return TOOL_EXIT_USAGE;
  }
  if (argc == 2 && (only = lmcc_algorithm_find (argv[1])) == NULL) {
    complain (argv[1]);
    return TOOL_EXIT_USAGE;
  }

  if (json)
    print_json (only);
  else
    print_text (only);

  return TOOL_EXIT_OK;
}
