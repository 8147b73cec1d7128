/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Parses a command's options. It keeps the tables, which GOptionContext does
 * not give back, to make the manual page and the completions.
 */
#include "tool-parser.h"

#include <stdlib.h>

#include <gst/gst.h>

#include "tool.h"

/**
 * ToolParser:
 * @arguments: (nullable): what follows the options, as in the first line of
 *     help
 * @summary: what the command does
 * @entries: all of the options
 * @values: from an argument's name to an array of the values that it may have
 * @has_gstreamer: GStreamer's options are taken, too
 */
struct _ToolParser
{
  GOptionContext *context;
  const gchar *arguments;
  const gchar *summary;
  GArray *entries;
  GHashTable *values;
  gboolean has_gstreamer;
};

/**
 * tool_parser_new:
 * @arguments: (nullable): what follows the options; must outlive the parser
 * @summary: what the command does, marked for translation; must outlive the
 *     parser
 *
 * Returns: (transfer full): a parser that knows no option yet
 */
ToolParser *
tool_parser_new (const gchar *arguments, const gchar *summary)
{
  ToolParser *parser = g_new0 (ToolParser, 1);

  parser->context = g_option_context_new (arguments);
  g_option_context_set_translation_domain (parser->context, GETTEXT_PACKAGE);
  g_option_context_set_summary (parser->context, summary);
  parser->arguments = arguments;
  parser->summary = summary;
  parser->entries = g_array_new (FALSE, FALSE, sizeof (GOptionEntry));
  parser->values = g_hash_table_new_full (g_str_hash, g_str_equal, NULL,
      (GDestroyNotify) g_ptr_array_unref);

  return parser;
}

void
tool_parser_free (ToolParser *parser)
{
  g_option_context_free (parser->context);
  g_array_unref (parser->entries);
  g_hash_table_unref (parser->values);
  g_free (parser);
}

/* The entries' texts must outlive the parser; they are marked for translation,
 * and end as GOption has it. */
void
tool_parser_add (ToolParser *parser, const GOptionEntry *entries)
{
  g_option_context_add_main_entries (parser->context, entries, NULL);
  for (; entries->long_name != NULL; entries++)
    g_array_append_vals (parser->entries, entries, 1);
}

void
tool_parser_add_gstreamer (ToolParser *parser)
{
  g_option_context_add_group (parser->context, gst_init_get_option_group ());
  parser->has_gstreamer = TRUE;
}

/**
 * tool_parser_add_value:
 * @argument: name of an option's argument, or of one that follows the options;
 *     must outlive the parser
 * @value: that a shell may complete; must outlive the parser
 */
void
tool_parser_add_value (ToolParser *parser, const gchar *argument,
    const gchar *value)
{
  GPtrArray *values = g_hash_table_lookup (parser->values, argument);

  if (values == NULL) {
    values = g_ptr_array_new ();
    g_hash_table_insert (parser->values, (gpointer) argument, values);
  }
  g_ptr_array_add (values, (gpointer) value);
}

static void
build_options (JsonBuilder *builder, GArray *entries)
{
  guint i;

  json_builder_set_member_name (builder, "options");
  json_builder_begin_array (builder);
  for (i = 0; i < entries->len; i++) {
    const GOptionEntry *entry = &g_array_index (entries, GOptionEntry, i);

    if (entry->flags & G_OPTION_FLAG_HIDDEN)
      continue;
    json_builder_begin_object (builder);
    tool_json_add_string (builder, "name", entry->long_name);
    tool_json_add_string (builder, "argument", entry->arg_description);
    tool_json_add_string (builder, "description", entry->description);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

static void
build_values (JsonBuilder *builder, GHashTable *table)
{
  GHashTableIter iter;
  gpointer argument, values;

  json_builder_set_member_name (builder, "values");
  json_builder_begin_object (builder);
  g_hash_table_iter_init (&iter, table);
  while (g_hash_table_iter_next (&iter, &argument, &values)) {
    GPtrArray *array = values;
    guint i;

    json_builder_set_member_name (builder, argument);
    json_builder_begin_array (builder);
    for (i = 0; i < array->len; i++)
      json_builder_add_string_value (builder, g_ptr_array_index (array, i));
    json_builder_end_array (builder);
  }
  json_builder_end_object (builder);
}

static void
print_help_json (const ToolParser *parser)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  tool_json_add_string (builder, "arguments", parser->arguments);
  tool_json_add_string (builder, "summary", parser->summary);
  json_builder_set_member_name (builder, "gstreamer");
  json_builder_add_boolean_value (builder, parser->has_gstreamer);
  build_options (builder, parser->entries);
  build_values (builder, parser->values);
  json_builder_end_object (builder);
  tool_json_print (builder, TRUE);
}

/**
 * tool_parser_parse:
 *
 * Reads and removes the options. Ends the program after help, as GOption does.
 *
 * Returns: %FALSE if they are wrong, which was printed
 */
gboolean
tool_parser_parse (ToolParser *parser, gint *argc, gchar ***argv)
{
  g_autoptr (GError) error = NULL;

  if (*argc == 2 && g_str_equal ((*argv)[1], TOOL_PARSER_HELP_JSON)) {
    print_help_json (parser);
    exit (TOOL_EXIT_OK);
  }
  if (!g_option_context_parse (parser->context, argc, argv, &error)) {
    tool_error (_ ("%s; see --help"), error->message);
    return FALSE;
  }

  return TRUE;
}
