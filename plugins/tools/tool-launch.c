/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prints a gst-launch-1.0 command line, so that users can change it, and runs
 * it.
 */
#include "tool-launch.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib-unix.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tool.h"

typedef struct
{
  gchar **argv;
  const gchar *again;
  GMainLoop *loop;
  GSubprocess *process;
  gboolean stopped;
  gint status;
} Repeater;

/* Adds complete words. */
void
tool_line_add (GPtrArray *line, ...)
{
  va_list args;
  const gchar *word;

  va_start (args, line);
  while ((word = va_arg (args, const gchar *)) != NULL)
    g_ptr_array_add (line, g_strdup (word));
  va_end (args);
}

/* Adds name=value. gst-launch-1.0 parses its command line as one text, so
 * characters that could end the value are quoted. */
void
tool_line_set (GPtrArray *line, const gchar *name, const gchar *value)
{
  GString *word = g_string_new (name);

  g_string_append_c (word, '=');
  if (strpbrk (value, "\"'\\") == NULL) {
    g_string_append (word, value);
  } else {
    g_string_append_c (word, '"');
    for (; *value != '\0'; value++) {
      if (*value == '"' || *value == '\\')
        g_string_append_c (word, '\\');
      g_string_append_c (word, *value);
    }
    g_string_append_c (word, '"');
  }
  g_ptr_array_add (line, g_string_free (word, FALSE));
}

/* Reports what to install if the element is missing. */
gboolean
tool_has_lmcc (const gchar *element)
{
  g_autoptr (GstElementFactory) factory = gst_element_factory_find (element);

  if (factory != NULL)
    return TRUE;

  tool_error (_ ("there is no element %s; install the lmcc plugin, or set "
                 "GST_PLUGIN_PATH_1_0 to the directory where it was built"),
      element);
  return FALSE;
}

/* Prints the line so that it can be pasted into a shell. */
static void
print_line (gchar **argv)
{
  const gchar *path = g_getenv ("GST_PLUGIN_PATH_1_0");
  g_autoptr (GString) text = g_string_new (NULL);

  if (path != NULL)
    g_string_append_printf (text, "GST_PLUGIN_PATH_1_0=%s ", path);
  for (; *argv != NULL; argv++) {
    gboolean bare = **argv != '\0'
        && strspn (*argv, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_./:=,!@%+-")
            == strlen (*argv);
    g_autofree gchar *word = bare ? g_strdup (*argv) : g_shell_quote (*argv);

    g_string_append (text, word);
    if (argv[1] != NULL)
      g_string_append_c (text, ' ');
  }
  g_printerr ("%s\n", text->str);
}

static void
tell_no_launch (const gchar *cause)
{
  tool_error (_ ("cannot run gst-launch-1.0: %s; install GStreamer's tools "
                 "(gstreamer1.0-tools)"),
      cause);
}

/* Prints the line and replaces this process by it. Returns: the exit status, if
 * that fails */
gint
tool_line_run (GPtrArray *line)
{
  gchar **argv;

  g_ptr_array_add (line, NULL);
  argv = (gchar **) line->pdata;
  print_line (argv);
  execvp (argv[0], argv);
  tell_no_launch (g_strerror (errno));

  return TOOL_EXIT_FAILURE;
}

/* Runs in the child before exec. The parent alone passes Ctrl-C on, once, and
 * the child ends with it. */
static void
leave_terminal (gpointer user_data G_GNUC_UNUSED)
{
  setpgid (0, 0);
  prctl (PR_SET_PDEATHSIG, SIGINT);
}

static gboolean start_line (Repeater *repeater);

static void
on_end (GObject *process G_GNUC_UNUSED, GAsyncResult *result,
    gpointer user_data)
{
  Repeater *repeater = user_data;
  gboolean well =
      g_subprocess_wait_check_finish (repeater->process, result, NULL);

  g_clear_object (&repeater->process);
  if (!repeater->stopped && well) {
    g_printerr ("%s\n", repeater->again);
    if (start_line (repeater))
      return;
  }
  repeater->status = repeater->stopped ? TOOL_EXIT_OK : TOOL_EXIT_FAILURE;
  g_main_loop_quit (repeater->loop);
}

static gboolean
start_line (Repeater *repeater)
{
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_NONE);
  g_autoptr (GError) error = NULL;

  g_subprocess_launcher_set_child_setup (launcher, leave_terminal, NULL, NULL);
  repeater->process = g_subprocess_launcher_spawnv (launcher,
      (const gchar *const *) repeater->argv, &error);
  if (repeater->process == NULL) {
    tell_no_launch (error->message);
    return FALSE;
  }
  g_subprocess_wait_check_async (repeater->process, NULL, on_end, repeater);

  return TRUE;
}

static gboolean
on_signal (gpointer user_data)
{
  Repeater *repeater = user_data;

  repeater->stopped = TRUE;
  g_subprocess_send_signal (repeater->process, SIGINT);

  return G_SOURCE_CONTINUE;
}

/* Prints the line and runs it. When it ends without an error, prints @again and
 * runs it again, until the user interrupts it. Returns: the exit status */
gint
tool_line_repeat (GPtrArray *line, const gchar *again)
{
  Repeater repeater = { .again = again, .status = TOOL_EXIT_FAILURE };
  guint sources[] = {
    g_unix_signal_add (SIGINT, on_signal, &repeater),
    g_unix_signal_add (SIGTERM, on_signal, &repeater),
  };
  guint i;

  g_ptr_array_add (line, NULL);
  repeater.argv = (gchar **) line->pdata;
  print_line (repeater.argv);
  repeater.loop = g_main_loop_new (NULL, FALSE);
  if (start_line (&repeater))
    g_main_loop_run (repeater.loop);
  g_main_loop_unref (repeater.loop);
  for (i = 0; i < G_N_ELEMENTS (sources); i++)
    g_source_remove (sources[i]);

  return repeater.status;
}
