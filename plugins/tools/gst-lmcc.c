/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include <locale.h>

#include "tool.h"

typedef struct
{
  const gchar *name;
  const gchar *summary;
  gint (*run) (gint argc, gchar **argv);
} Command;

static const Command commands[] = {
  { "send", "Send a film, a camera or a test picture", tool_send },
  { "play", "Show a session and play its sound", tool_play },
  { "plan", "Print the layers of a session before it is sent", tool_plan },
  { "listen", "Receive a session without a picture", tool_listen },
  { "doctor", "Say why no packet comes", tool_doctor },
  { "algorithms", "List the algorithms and their settings", tool_algorithms },
  { "relay", "Send a received session on as plain RTP", tool_relay },
  { "screen", "Print the element that shows pictures on this screen",
      tool_screen },
};

static const Command *
find_command (const gchar *name)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (commands); i++) {
    if (g_str_equal (commands[i].name, name))
      return &commands[i];
  }

  return NULL;
}

static void
print_help (void)
{
  guint i;

  g_print ("Usage:\n"
           "  gst-lmcc-1.0 COMMAND [OPTION...]\n\n"
           "Layered multicast video at a terminal.\n\n"
           "Commands:\n");
  for (i = 0; i < G_N_ELEMENTS (commands); i++)
    g_print ("  %-11s %s\n", commands[i].name, commands[i].summary);
  g_print ("  %-11s %s\n\n", "help",
      "Show this, or `help COMMAND' the options of a command");
  g_print ("Options:\n  --help     Show this\n  --version  Show the version\n");
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
  const Command *command;
  gchar help[] = "--help";
  gchar *help_argv[] = { argv[0], help, NULL };

  if (argc < 2) {
    print_help ();
    return TOOL_EXIT_OK;
  }

  command = find_command (argv[1]);
  if (command == NULL) {
    tool_error ("there is no command `%s'; see gst-lmcc-1.0 help", argv[1]);
    return TOOL_EXIT_USAGE;
  }

  return run_command (command, 2, help_argv);
}

gint
main (gint argc, gchar **argv)
{
  const Command *command;

  setlocale (LC_ALL, "");
  setlocale (LC_NUMERIC, "C");

  if (argc < 2) {
    print_help ();
    return TOOL_EXIT_USAGE;
  }

  if (g_str_equal (argv[1], "--version")) {
    g_print ("gst-lmcc-1.0 %s\n", PACKAGE_VERSION);
    return TOOL_EXIT_OK;
  }
  if (g_str_equal (argv[1], "help") || g_str_equal (argv[1], "--help")
      || g_str_equal (argv[1], "-h"))
    return run_help (argc - 1, argv + 1);

  command = find_command (argv[1]);
  if (command == NULL) {
    tool_error ("there is no command `%s'; see gst-lmcc-1.0 help", argv[1]);
    return TOOL_EXIT_USAGE;
  }

  return run_command (command, argc - 1, argv + 1);
}
