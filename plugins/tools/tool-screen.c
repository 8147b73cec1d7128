/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "tool-screen.h"

#include "tool.h"
#include "tool-parser.h"

#include <gio/gio.h>

#define X11 "DISPLAY"
#define WAYLAND "WAYLAND_DISPLAY"

/* The elements that show pictures in a window, with the variables that say that
 * there is a screen for them. autovideosink also tries others, some of which
 * crash where a screen cannot be opened. */
static const struct
{
  const gchar *name;
  const gchar *package;
  const gchar *screens[3];
} known[] = {
  { "xvimagesink", "gstreamer1.0-x", { X11 } },
  { "ximagesink", "gstreamer1.0-x", { X11 } },
  { "waylandsink", "gstreamer1.0-plugins-bad", { WAYLAND } },
  { "glimagesink", "gstreamer1.0-gl", { X11, WAYLAND } },
};

static gboolean
is_set (const gchar *variable)
{
  const gchar *value = g_getenv (variable);

  return value != NULL && value[0] != '\0';
}

static gboolean
fits_screen (guint i)
{
  const gchar *const *variable;

  for (variable = known[i].screens; *variable != NULL; variable++) {
    if (is_set (*variable))
      return TRUE;
  }

  return FALSE;
}

/**
 * tool_screen_is_there:
 *
 * Returns: whether the environment names a screen
 */
gboolean
tool_screen_is_there (void)
{
  return is_set (X11) || is_set (WAYLAND);
}

/* Whether the element opens the screen; its reasons are added to @reasons. */
static gboolean
opens_screen (GstElementFactory *factory, GString *reasons)
{
  GstElement *sink = gst_element_factory_create (factory, NULL);
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;
  gboolean opened;

  if (sink == NULL)
    return FALSE;
  gst_object_ref_sink (sink);
  gst_element_set_bus (sink, bus);
  opened =
      gst_element_set_state (sink, GST_STATE_READY) != GST_STATE_CHANGE_FAILURE;
  gst_element_set_state (sink, GST_STATE_NULL);
  gst_element_set_bus (sink, NULL);

  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  if (message != NULL)
    gst_message_parse_error (message, &error, NULL);
  if (!opened)
    g_string_append_printf (reasons, "%s%s: %s", reasons->len > 0 ? "; " : "",
        GST_OBJECT_NAME (factory),
        error != NULL ? error->message : _ ("it does not start"));
  gst_object_unref (sink);

  return opened;
}

static gint
compare_ranks (gconstpointer a, gconstpointer b)
{
  return gst_plugin_feature_rank_compare_func (*(gpointer *) a,
      *(gpointer *) b);
}

/* The elements of `known' that are installed and fit the screen, best rank
 * first. */
static GPtrArray *
list_sinks (void)
{
  GPtrArray *sinks = g_ptr_array_new_with_free_func (gst_object_unref);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (known); i++) {
    GstElementFactory *factory =
        fits_screen (i) ? gst_element_factory_find (known[i].name) : NULL;

    if (factory != NULL)
      g_ptr_array_add (sinks, factory);
  }
  g_ptr_array_sort (sinks, compare_ranks);

  return sinks;
}

static gchar *
format_packages (void)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  guint i;

  for (i = 0; i < G_N_ELEMENTS (known); i++) {
    if (fits_screen (i)
        && !g_ptr_array_find_with_equal_func (names, known[i].package,
            g_str_equal, NULL))
      g_ptr_array_add (names, (gpointer) known[i].package);
  }
  g_ptr_array_add (names, NULL);

  return g_strjoinv (_ (" or "), (gchar **) names->pdata);
}

/**
 * tool_screen_find_sink:
 * @error: no screen, no element for it, or none that can open it, and what to
 *     do about it
 *
 * Tries the elements that show pictures in a window, best rank first, so that
 * GST_PLUGIN_FEATURE_RANK chooses between them.
 *
 * Returns: (transfer full) (nullable): one that opens the screen
 */
GstElementFactory *
tool_screen_find_sink (GError **error)
{
  g_autoptr (GPtrArray) sinks = NULL;
  g_autoptr (GString) reasons = g_string_new (NULL);
  g_autofree gchar *packages = NULL;
  guint i;

  if (!tool_screen_is_there ()) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
        _ ("there is no screen: neither %s nor %s is set"), X11, WAYLAND);
    return NULL;
  }
  sinks = list_sinks ();
  for (i = 0; i < sinks->len; i++) {
    if (opens_screen (sinks->pdata[i], reasons))
      return gst_object_ref (sinks->pdata[i]);
  }

  packages = format_packages ();
  if (sinks->len == 0)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
        _ ("there is a screen, but no element that shows pictures on "
           "it; install %s (the Debian package)"),
        packages);
  else
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
        _ ("cannot open the screen (%s=%s, %s=%s): %s. Set the variables to a "
           "screen that this user may use, or unset them"),
        X11, is_set (X11) ? g_getenv (X11) : "", WAYLAND,
        is_set (WAYLAND) ? g_getenv (WAYLAND) : "", reasons->str);

  return NULL;
}

gint
tool_screen (gint argc, gchar **argv)
{
  g_autoptr (ToolParser) parser = tool_parser_new (NULL,
      N_ ("Prints the element that shows pictures on this screen, "
          "for playbin's\n"
          "video-sink, or says what is missing."));
  g_autoptr (GstElementFactory) sink = NULL;
  g_autoptr (GError) error = NULL;

  if (!tool_parser_parse (parser, &argc, &argv))
    return TOOL_EXIT_USAGE;
  if (argc > 1) {
    tool_error (_ ("too many arguments; see --help"));
    return TOOL_EXIT_USAGE;
  }

  gst_init (NULL, NULL);
  sink = tool_screen_find_sink (&error);
  if (sink == NULL) {
    tool_error ("%s", error->message);
    return TOOL_EXIT_FAILURE;
  }
  g_print ("%s\n", GST_OBJECT_NAME (sink));

  return TOOL_EXIT_OK;
}
