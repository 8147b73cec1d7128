/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tool-launch.h"

#include <string.h>

#include "tool.h"
#include "tool-parser.h"
#include "tool-record.h"
#include "tool-screen.h"

#define DEFAULT_URI \
  "lmcc://" TOOL_DEFAULT_ADDRESS ":" G_STRINGIFY (TOOL_DEFAULT_PORT)

/* Maximum of lmccsrc's eos-timeout, which is in ms, in seconds. */
#define MAX_SILENCE (G_MAXINT / 1000)

/* The characters that a session URI needs. All others are escaped, so that a
 * link from anywhere is one word to gst-launch-1.0. */
#define URI_CHARACTERS ":/?&=%@[],+"

static void
add_parameter (GString *uri, const gchar *name, const gchar *value)
{
  g_string_append_c (uri, strchr (uri->str, '?') != NULL ? '&' : '?');
  g_string_append_printf (uri, "%s=", name);
  g_string_append_uri_escaped (uri, value, NULL, FALSE);
}

static void
add_number (GString *uri, const gchar *name, gint value)
{
  g_autofree gchar *text = g_strdup_printf ("%d", value);

  if (value >= 0)
    add_parameter (uri, name, text);
}

/* Sound appears with the session, where it has any: playbin waits for that.
 * Returns: (nullable): the line; NULL where nothing can show on this screen,
 * which is said */
static GPtrArray *
make_line (const gchar *uri)
{
  g_autoptr (GPtrArray) line = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;

  tool_line_add (line, "gst-launch-1.0", "playbin", NULL);
  tool_line_set (line, "uri", uri);
  if (tool_screen_is_there ()) {
    g_autoptr (GstElementFactory) sink = tool_screen_find_sink (&error);

    if (sink == NULL) {
      tool_error ("%s", error->message);
      return NULL;
    }
    tool_line_set (line, "video-sink", GST_OBJECT_NAME (sink));
  } else {
    g_printerr (_ ("There is no screen (DISPLAY and WAYLAND_DISPLAY are not "
                   "set): the picture and the sound are decoded, but neither "
                   "shown nor heard.\n"));
    tool_line_add (line, "video-sink=fakesink sync=true",
        "audio-sink=fakesink sync=true", NULL);
  }

  return g_steal_pointer (&line);
}

gint
tool_play (gint argc, gchar **argv)
{
  g_autofree gchar *iface = NULL;
  g_autofree gchar *record = NULL;
  gint level = -1, latency = -1, silence = -1;
  const GOptionEntry entries[] = {
    { "level", 0, 0, G_OPTION_ARG_INT, &level,
        N_ ("Highest level to join, 0 for the base layer alone "
            "(default: all)"),
        "LEVEL" },
    { "multicast-iface", 0, 0, G_OPTION_ARG_STRING, &iface,
        N_ ("Interface to receive on, or several, such as eth0,eth1 "
            "(default: the kernel's route, or loopback without a "
            "route)"),
        "IFACE" },
    { "latency", 0, 0, G_OPTION_ARG_INT, &latency,
        N_ ("How long to wait for late packets (default: that of "
            "lmccsrc)"),
        "MS" },
    { "record", 0, 0, G_OPTION_ARG_FILENAME, &record,
        N_ ("Record the session in a file (.mkv, .webm or .mp4) "
            "instead, until its sender stops"),
        "FILE" },
    { "silence", 0, 0, G_OPTION_ARG_INT, &silence,
        N_ ("With --record: end the recording after this time of "
            "silence; 0: never (default: 60)"),
        "SECONDS" },
    { NULL }
  };
  g_autoptr (ToolParser) parser = tool_parser_new ("[URI]",
      N_ ("Shows a session and plays its sound, until stopped. Prints the\n"
          "gst-launch-1.0 line that it runs. URI is that of the base group\n"
          "(default: lmcc://239.255.42.1:5004). Without a screen, pictures "
          "and\n"
          "sound are decoded, but neither shown nor heard."));
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) uri = NULL;
  g_autoptr (GPtrArray) line = NULL;
  g_auto (ToolUri) parsed = { 0 };

  tool_parser_add (parser, entries);
  tool_parser_add_gstreamer (parser);
  if (!tool_parser_parse (parser, &argc, &argv)
      || (argc > 1 && !tool_single_argument (argc, argv, "URI")))
    return TOOL_EXIT_USAGE;
  if (!tool_uri_parse (argc > 1 ? argv[1] : DEFAULT_URI, &parsed, &error)) {
    tool_error ("%s", error->message);
    return TOOL_EXIT_USAGE;
  }

  if (silence > MAX_SILENCE) {
    tool_error (_ ("--silence=%d is out of range; write at most %d, or 0 for "
                   "no limit"),
        silence, MAX_SILENCE);
    return TOOL_EXIT_USAGE;
  }
  if (silence >= 0 && record == NULL) {
    tool_error (_ ("--silence needs --record"));
    return TOOL_EXIT_USAGE;
  }

  uri = g_string_new (NULL);
  g_string_append_uri_escaped (uri, parsed.text, URI_CHARACTERS, FALSE);
  add_number (uri, "max-level", level);
  if (iface != NULL)
    add_parameter (uri, "multicast-iface", iface);
  add_number (uri, "latency", latency);
  add_number (uri, "eos-timeout", silence >= 0 ? silence * 1000 : -1);
  if (!tool_has_lmcc ("lmccsrc"))
    return TOOL_EXIT_FAILURE;
  if (record != NULL)
    return tool_record (uri->str, record);
  line = make_line (uri->str);

  return line != NULL ? tool_line_run (line) : TOOL_EXIT_FAILURE;
}
