/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tool.h"

#include <stdio.h>
#include <string.h>

#include <gst/lmcc/lmcc-rates.h>

void
tool_error (const gchar *format, ...)
{
  va_list args;
  g_autofree gchar *text = NULL;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);

  g_printerr ("%s: %s\n", g_get_prgname () ? g_get_prgname () : "gst-lmcc-1.0",
      text);
}

gboolean
tool_single_argument (gint argc, gchar **argv, const gchar *what)
{
  if (argc < 2) {
    tool_error (_ ("no %s; see --help"), what);
    return FALSE;
  }
  if (argc > 2) {
    tool_error (_ ("`%s' is one argument too many; see --help"), argv[2]);
    return FALSE;
  }

  return TRUE;
}

/* Returns: the file of this name beside the program, as before it is installed,
 * or else @installed */
gchar *
tool_find_file (const gchar *name, const gchar *installed)
{
  g_autofree gchar *program = g_file_read_link ("/proc/self/exe", NULL);

  if (program != NULL) {
    g_autofree gchar *directory = g_path_get_dirname (program);
    g_autofree gchar *file = g_build_filename (directory, name, NULL);

    if (g_file_test (file, G_FILE_TEST_EXISTS))
      return g_steal_pointer (&file);
  }

  return g_strdup (installed);
}

gboolean
tool_rate_parse (const gchar *text, gdouble *rate, GError **error)
{
  if (lmcc_rate_parse (text, rate))
    return TRUE;

  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      _ ("`%s' is not a rate; write a number of bit/s above 0, "
         "such as 128000, 128k or 1.5M"),
      text);
  return FALSE;
}

gchar *
tool_rate_format (gdouble rate)
{
  if (rate >= 1e9)
    return g_strdup_printf ("%.3f Gbit/s", rate / 1e9);
  if (rate >= 1e6)
    return g_strdup_printf ("%.3f Mbit/s", rate / 1e6);

  return g_strdup_printf ("%.1f kbit/s", rate / 1e3);
}

/* A @value of NULL is null. */
void
tool_json_add_string (JsonBuilder *builder, const gchar *name,
    const gchar *value)
{
  json_builder_set_member_name (builder, name);
  if (value != NULL)
    json_builder_add_string_value (builder, value);
  else
    json_builder_add_null_value (builder);
}

void
tool_json_print (JsonBuilder *builder, gboolean pretty)
{
  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  g_autofree gchar *text = json_to_string (root, pretty);

  g_print ("%s\n", text);
  fflush (stdout);
}

void
tool_uri_clear (ToolUri *uri)
{
  g_clear_pointer (&uri->text, g_free);
  g_clear_pointer (&uri->iface, g_free);
}

static gboolean
uri_read_source (const gchar *text, ToolUri *uri, GError **error)
{
  g_autofree gchar *bare = NULL;

  if (text == NULL)
    return TRUE;

  bare = g_strdup (*text == '[' ? text + 1 : text);
  g_strdelimit (bare, "]", '\0');
  if (lmcc_address_parse (bare, &uri->source)
      && uri->source.family == uri->address.family
      && !lmcc_address_is_multicast (&uri->source))
    return TRUE;

  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      _ ("`%s' is not a host address of the group's family; write "
         "the sender's address before the group, such as "
         "lmcc://192.0.2.1@232.1.1.1"),
      text);
  return FALSE;
}

static gboolean
uri_read_query (const gchar *query, ToolUri *uri, GError **error)
{
  g_autoptr (GHashTable) params = NULL;

  if (query == NULL)
    return TRUE;

  params = g_uri_parse_params (query, -1, "&", G_URI_PARAMS_NONE, error);
  if (params == NULL)
    return FALSE;
  uri->iface = g_strdup (g_hash_table_lookup (params, "multicast-iface"));

  return TRUE;
}

/* Accepts what lmccsrc accepts, and also an address alone, and addresses that
 * are not multicast, which the doctor explains. */
gboolean
tool_uri_parse (const gchar *text, ToolUri *uri, GError **error)
{
  g_autoptr (GUri) parsed = NULL;
  g_autoptr (GError) cause = NULL;

  memset (uri, 0, sizeof (*uri));
  uri->text = strstr (text, "://") != NULL
      ? g_strdup (text)
      : g_strconcat ("lmcc://", text, NULL);

  parsed = g_uri_parse (uri->text, G_URI_FLAGS_ENCODED_QUERY, &cause);
  if (parsed == NULL || !g_str_equal (g_uri_get_scheme (parsed), "lmcc")
      || g_uri_get_host (parsed) == NULL
      || !lmcc_address_parse (g_uri_get_host (parsed), &uri->address)) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        _ ("`%s' is not the address of a session%s%s; write "
           "lmcc://GROUP:PORT, such as lmcc://%s:%d"),
        text, cause ? ": " : "", cause ? cause->message : "",
        TOOL_DEFAULT_ADDRESS, TOOL_DEFAULT_PORT);
    return FALSE;
  }

  uri->port = TOOL_DEFAULT_PORT;
  if (g_uri_get_port (parsed) != -1) {
    gint port = g_uri_get_port (parsed);

    /* RTCP needs the next port too. */
    if (port < 1 || port > 65534) {
      g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
          _ ("port %d in `%s' is out of range; write 1 to 65534"), port, text);
      return FALSE;
    }
    uri->port = port;
  }

  return uri_read_source (g_uri_get_userinfo (parsed), uri, error)
      && uri_read_query (g_uri_get_query (parsed), uri, error);
}
