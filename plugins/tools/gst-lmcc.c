/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include <libintl.h>
#include <locale.h>

#include "tool.h"
#include "tool-parser.h"

typedef struct
{
  const gchar *name;
  const gchar *summary;
  gint (*run) (gint argc, gchar **argv);
} Command;

static gint run_help (gint argc, gchar **argv);

static const Command commands[] = {
  { "send", N_ ("Send a film, a camera or a test picture"), tool_send },
  { "play", N_ ("Show a session and play its sound"), tool_play },
  { "plan", N_ ("Print the layers of a session before it is sent"), tool_plan },
  { "listen", N_ ("Receive a session without a picture"), tool_listen },
  { "doctor", N_ ("Say why no packet comes"), tool_doctor },
  { "algorithms", N_ ("List the algorithms and their settings"),
      tool_algorithms },
  { "relay", N_ ("Send a received session on as plain RTP"), tool_relay },
  { "screen", N_ ("Print the element that shows pictures on this screen"),
      tool_screen },
  { "help", N_ ("Show this, or `help COMMAND' the options of a command"),
      run_help },
};

typedef struct
{
  const gchar *name;
  const gchar *description;
} Option;

static const Option options[] = {
  { "help", N_ ("Show this") },
  { "version", N_ ("Show the version") },
};

static const gchar summary[] = N_ ("Layered multicast video at a terminal.");

static const Command *
find_command (const gchar *name)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (commands); i++) {
    if (g_str_equal (commands[i].name, name))
      return &commands[i];
  }

  tool_error (_ ("there is no command `%s'; see gst-lmcc-1.0 help"), name);
  return NULL;
}

static void
print_help (void)
{
  guint i;

  g_print (_ ("Usage:\n"
              "  gst-lmcc-1.0 COMMAND [OPTION...]\n\n"
              "%s\n\n"
              "Commands:\n"),
      _ (summary));
  for (i = 0; i < G_N_ELEMENTS (commands); i++)
    g_print ("  %-11s %s\n", commands[i].name, _ (commands[i].summary));
  g_print (_ ("\nOptions:\n"));
  for (i = 0; i < G_N_ELEMENTS (options); i++)
    g_print ("  --%-8s %s\n", options[i].name, _ (options[i].description));
}

static void
print_help_json (void)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  guint i;

  json_builder_begin_object (builder);
  tool_json_add_string (builder, "version", PACKAGE_VERSION);
  tool_json_add_string (builder, "summary", summary);
  json_builder_set_member_name (builder, "commands");
  json_builder_begin_array (builder);
  for (i = 0; i < G_N_ELEMENTS (commands); i++) {
    json_builder_begin_object (builder);
    tool_json_add_string (builder, "name", commands[i].name);
    tool_json_add_string (builder, "summary", commands[i].summary);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "options");
  json_builder_begin_array (builder);
  for (i = 0; i < G_N_ELEMENTS (options); i++) {
    json_builder_begin_object (builder);
    tool_json_add_string (builder, "name", options[i].name);
    tool_json_add_string (builder, "description", options[i].description);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  tool_json_print (builder, TRUE);
}

static gint
run_command (const Command *command, gint argc, gchar **argv)
{
  g_autofree gchar *name = g_strdup_printf ("gst-lmcc-1.0 %s", command->name);

  g_set_prgname (name);
  argv[0] = name;

  return command->run (argc, argv);
}

static gint
run_help (gint argc, gchar **argv)
{
  g_autoptr (ToolParser) parser = tool_parser_new ("[COMMAND]",
      N_ ("Shows the commands, or the options of one."));
  const Command *command;
  gchar help[] = "--help";
  gchar *help_argv[] = { argv[0], help, NULL };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (commands); i++)
    tool_parser_add_value (parser, "COMMAND", commands[i].name);
  if (!tool_parser_parse (parser, &argc, &argv)
      || (argc > 1 && !tool_single_argument (argc, argv, "command")))
    return TOOL_EXIT_USAGE;
  if (argc < 2) {
    print_help ();
    return TOOL_EXIT_OK;
  }

  command = find_command (argv[1]);

  return command != NULL ? run_command (command, 2, help_argv)
                         : TOOL_EXIT_USAGE;
}

gint
main (gint argc, gchar **argv)
{
  const Command *command;

  setlocale (LC_ALL, "");
  setlocale (LC_NUMERIC, "C");
  gst_lmcc_bind_messages ();
  textdomain (GETTEXT_PACKAGE);

  if (argc < 2) {
    print_help ();
    return TOOL_EXIT_USAGE;
  }

  if (g_str_equal (argv[1], "--version")) {
    g_print ("gst-lmcc-1.0 %s\n", PACKAGE_VERSION);
    return TOOL_EXIT_OK;
  }
  if (g_str_equal (argv[1], "--help") || g_str_equal (argv[1], "-h")) {
    print_help ();
    return TOOL_EXIT_OK;
  }
  if (g_str_equal (argv[1], TOOL_PARSER_HELP_JSON)) {
    print_help_json ();
    return TOOL_EXIT_OK;
  }

  command = find_command (argv[1]);

  return command != NULL ? run_command (command, argc - 1, argv + 1)
                         : TOOL_EXIT_USAGE;
}
