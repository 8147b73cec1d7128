/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * URIs can come from playlists and web pages. Therefore only the listed keys
 * are read, and none of them names a file, a socket, a local address to bind or
 * a codec.
 */
#include "config.h"

#include "common/uri.h"

#include <plugins/common/messages.h>

#include <gst/lmcc/lmcc-address.h>
#include <string.h>

/* Maximum length of a URI: enough for every key, and little work if it is
 * hostile. */
#define MAX_SIZE 2048

#define ADDRESS(form, settings) \
  G_STRUCT_MEMBER (gchar *, settings, (form)->address)
#define PORT(form, settings) G_STRUCT_MEMBER (gint, settings, (form)->port)
#define SOURCE(form, settings) \
  G_STRUCT_MEMBER (gchar *, settings, (form)->source)

G_DEFINE_QUARK (gst-lmcc-uri-error-quark, gst_lmcc_uri_error);

static gboolean
fail (GError **error, GstLmccUriError code, const gchar *what,
    const gchar *value, const gchar *remedy)
{
  g_set_error (error, GST_LMCC_URI_ERROR, code, "%s '%s': %s", what, value,
      remedy);
  return FALSE;
}

static gboolean
parse_key (GstLmccUri *self, const gchar *key, const gchar *value,
    GError **error)
{
  const GstLmccPropertyTable *table = self->form->table;
  gint row = gst_lmcc_properties_find_in_uri (table, key);
  g_autofree gchar *remedy = NULL;

  if (row < 0) {
    g_ptr_array_add (self->unknown, g_strdup (key));
    return TRUE;
  }
  if (!gst_lmcc_property_parse (&table->rows[row], value, self->settings,
          &remedy))
    return fail (error, GST_LMCC_URI_ERROR_VALUE, key, value, remedy);
  self->given |= G_GUINT64_CONSTANT (1) << row;
  return TRUE;
}

static gboolean
parse_query (GstLmccUri *self, const gchar *query, GError **error)
{
  GUriParamsIter iter;
  gchar *key, *value;
  GError *params_error = NULL;

  g_uri_params_iter_init (&iter, query, -1, "&", G_URI_PARAMS_NONE);
  while (g_uri_params_iter_next (&iter, &key, &value, &params_error)) {
    gboolean ok = parse_key (self, key, value, error);

    g_free (key);
    g_free (value);
    if (!ok)
      return FALSE;
  }
  if (params_error) {
    fail (error, GST_LMCC_URI_ERROR_SYNTAX, _ ("query"), query,
        params_error->message);
    g_clear_error (&params_error);
    return FALSE;
  }
  return TRUE;
}

static gboolean
parse_source (GstLmccUri *self, const gchar *text, const LmccAddress *group,
    GError **error)
{
  gsize size = strlen (text);
  gboolean bracketed = size > 2 && text[0] == '[' && text[size - 1] == ']';
  gchar *name = bracketed ? g_strndup (text + 1, size - 2) : g_strdup (text);
  LmccAddress source;

  g_free (SOURCE (self->form, self->settings));
  SOURCE (self->form, self->settings) = name;
  self->has_source = TRUE;
  if (!lmcc_address_parse (name, &source) || lmcc_address_is_multicast (&source)
      || source.family != group->family)
    return fail (error, GST_LMCC_URI_ERROR_VALUE, _ ("source"), text,
        _ ("use the sender's own address, of the same family as the group"));

  return TRUE;
}

static gboolean
parse_parts (GstLmccUri *self, const gchar *text, GUri *uri, GError **error)
{
  const gchar *host = g_uri_get_host (uri);
  const gchar *path = g_uri_get_path (uri);
  LmccAddress group;
  gint port = g_uri_get_port (uri);

  if (g_ascii_strcasecmp (g_uri_get_scheme (uri), GST_LMCC_URI_SCHEME) != 0)
    return fail (error, GST_LMCC_URI_ERROR_SYNTAX, _ ("scheme"),
        g_uri_get_scheme (uri), _ ("the scheme must be lmcc:"));
  if (host == NULL || host[0] == '\0')
    return fail (error, GST_LMCC_URI_ERROR_SYNTAX, _ ("URI"), text,
        _ ("it has no group address; write for example "
           "lmcc://239.255.42.1:5004"));
  if (path[0] != '\0' && !g_str_equal (path, "/"))
    return fail (error, GST_LMCC_URI_ERROR_SYNTAX, _ ("path"), path,
        _ ("a session has no path; options follow a question mark"));
  if (!lmcc_address_parse (host, &group) || !lmcc_address_is_multicast (&group))
    return fail (error, GST_LMCC_URI_ERROR_VALUE, _ ("address"), host,
        _ ("use a multicast address: 224.0.0.0 to 239.255.255.255 or "
           "[ff00::]/8"));
  /* RTCP uses the next port. */
  if (port == 0 || port == 65535)
    return fail (error, GST_LMCC_URI_ERROR_VALUE, _ ("port of"), text,
        _ ("use a port from 1 to 65534"));

  g_free (ADDRESS (self->form, self->settings));
  ADDRESS (self->form, self->settings) = g_strdup (host);
  if (port > 0)
    PORT (self->form, self->settings) = port;
  if (g_uri_get_userinfo (uri)
      && !parse_source (self, g_uri_get_userinfo (uri), &group, error))
    return FALSE;
  return g_uri_get_query (uri) == NULL
      || parse_query (self, g_uri_get_query (uri), error);
}

/**
 * gst_lmcc_uri_parse:
 * @form: form of the URI
 * @text: the URI
 * @error: %GST_LMCC_URI_ERROR
 *
 * Parses a URI. An unknown key is no error: it is listed in
 * #GstLmccUri.unknown.
 *
 * Returns: (transfer full) (nullable): its content, %NULL on error
 */
GstLmccUri *
gst_lmcc_uri_parse (const GstLmccUriForm *form, const gchar *text,
    GError **error)
{
  g_autoptr (GstLmccUri) self = g_new0 (GstLmccUri, 1);
  g_autoptr (GUri) uri = NULL;
  g_autoptr (GError) uri_error = NULL;

  self->form = form;
  self->settings = g_malloc0 (form->table->size);
  gst_lmcc_properties_init (form->table, self->settings);
  self->unknown = g_ptr_array_new_with_free_func (g_free);

  if (strlen (text) > MAX_SIZE || !g_utf8_validate (text, -1, NULL)) {
    g_set_error (error, GST_LMCC_URI_ERROR, GST_LMCC_URI_ERROR_SYNTAX,
        _ ("The URI is not text, or is longer than %d bytes"), MAX_SIZE);
    return NULL;
  }
  uri = g_uri_parse (text, G_URI_FLAGS_ENCODED_QUERY, &uri_error);
  if (uri == NULL) {
    fail (error, GST_LMCC_URI_ERROR_SYNTAX, _ ("URI"), text,
        uri_error->message);
    return NULL;
  }
  if (!parse_parts (self, text, uri, error))
    return NULL;
  return g_steal_pointer (&self);
}

/**
 * gst_lmcc_uri_read:
 * @form: form of the URI
 * @text: the URI
 * @error: %GST_URI_ERROR, as #GstURIHandler requires
 *
 * Returns: (transfer full) (nullable): the result of gst_lmcc_uri_parse()
 */
GstLmccUri *
gst_lmcc_uri_read (const GstLmccUriForm *form, const gchar *text,
    GError **error)
{
  g_autoptr (GError) parse_error = NULL;
  GstLmccUri *uri = gst_lmcc_uri_parse (form, text, &parse_error);

  if (uri == NULL)
    g_set_error_literal (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
        parse_error->message);
  return uri;
}

/**
 * gst_lmcc_uri_keep_error:
 * @element: the element whose property was set to @text
 * @text: the URI
 * @error: why it was refused
 * @kept: (inout): the element's stored error, under its object lock
 *
 * Setting a property returns no error. A URI that comes too late is reported at
 * once; an invalid one when the element starts.
 *
 * Returns: whether the error was stored for the start
 */
gboolean
gst_lmcc_uri_keep_error (GstElement *element, const gchar *text,
    const GError *error, gchar **kept)
{
  if (g_error_matches (error, GST_URI_ERROR, GST_URI_ERROR_BAD_STATE)) {
    GST_ELEMENT_WARNING (element, RESOURCE, SETTINGS, ("%s", error->message),
        ("property uri: '%s'", text));
    return FALSE;
  }
  GST_OBJECT_LOCK (element);
  g_free (*kept);
  *kept = g_strdup (error->message);
  GST_OBJECT_UNLOCK (element);
  return TRUE;
}

static void
append_keys (GString *text, const GstLmccPropertyTable *table,
    gconstpointer settings)
{
  gchar separator = '?';
  guint i;

  for (i = 0; i < table->n_rows; i++) {
    const GstLmccProperty *row = &table->rows[i];
    g_autofree gchar *value = NULL;

    if (!(row->flags & GST_LMCC_PROPERTY_IN_URI)
        || gst_lmcc_property_is_default (row, settings))
      continue;
    value = gst_lmcc_property_format (row, settings);
    g_string_append_printf (text, "%c%s=", separator, row->name);
    g_string_append_uri_escaped (text, value, NULL, FALSE);
    separator = '&';
  }
}

static gboolean
is_same_text (const gchar *a, const gchar *b)
{
  return g_ascii_strcasecmp (a ? a : "", b ? b : "") == 0;
}

static gboolean
says_the_same (const GstLmccUri *uri, gconstpointer settings,
    const gchar *source)
{
  const GstLmccUriForm *form = uri->form;
  const GstLmccPropertyTable *table = form->table;
  guint i;

  for (i = 0; i < table->n_rows; i++) {
    const GstLmccProperty *row = &table->rows[i];
    g_autofree gchar *a = NULL, *b = NULL;

    if (!(row->flags & GST_LMCC_PROPERTY_IN_URI))
      continue;
    a = gst_lmcc_property_format (row, uri->settings);
    b = gst_lmcc_property_format (row, settings);
    if (!g_str_equal (a, b))
      return FALSE;
  }
  return PORT (form, uri->settings) == PORT (form, settings)
      && is_same_text (ADDRESS (form, uri->settings), ADDRESS (form, settings))
      && is_same_text (SOURCE (form, uri->settings), source);
}

/**
 * gst_lmcc_uri_format:
 * @form: form of the URI
 * @settings: the settings to write
 *
 * If a URI cannot contain one of the settings (an invalid address, a name that
 * is not UTF-8), no URI is made at all.
 *
 * Returns: (transfer full) (nullable): a URI with all values that are not the
 * default, as gst_lmcc_uri_parse() reads it, or %NULL if there is none
 */
gchar *
gst_lmcc_uri_format (const GstLmccUriForm *form, gconstpointer settings)
{
  g_autoptr (GString) text = g_string_new (GST_LMCC_URI_SCHEME "://");
  g_autofree gchar *source = g_strdup (SOURCE (form, settings));
  g_autoptr (GstLmccUri) again = NULL;
  const gchar *group = ADDRESS (form, settings);
  const gchar *address = group ? group : "";
  gboolean brackets = strchr (address, ':') != NULL;
  const gchar *name = source ? source : "";

  if (name[0] != '\0') {
    /* It may have a sign in front, as in an SDP source filter. */
    name = g_strstrip (source + (source[0] == '+'));
    g_string_append_printf (text, "%s@", name);
  }
  g_string_append_printf (text, brackets ? "[%s]:%d" : "%s:%d", address,
      PORT (form, settings));
  append_keys (text, form->table, settings);
  again = gst_lmcc_uri_parse (form, text->str, NULL);

  return again != NULL && says_the_same (again, settings, name)
      ? g_strdup (text->str)
      : NULL;
}

/**
 * gst_lmcc_uri_take:
 * @uri: a URI
 * @taken: (inout): the previous URI, all zero for none
 * @settings: (inout): settings of an element
 *
 * Resets values that the previous URI has set, and @uri does not, to their
 * defaults.
 */
void
gst_lmcc_uri_take (const GstLmccUri *uri, GstLmccUriTaken *taken,
    gpointer settings)
{
  const GstLmccUriForm *form = uri->form;
  guint64 changed = taken->given | uri->given;
  guint i;

  g_free (ADDRESS (form, settings));
  ADDRESS (form, settings) = g_strdup (ADDRESS (form, uri->settings));
  PORT (form, settings) = PORT (form, uri->settings);
  if (uri->has_source || taken->has_source) {
    g_free (SOURCE (form, settings));
    SOURCE (form, settings) = g_strdup (SOURCE (form, uri->settings));
  }
  for (i = 0; i < form->table->n_rows; i++) {
    if (changed & G_GUINT64_CONSTANT (1) << i)
      gst_lmcc_property_copy (&form->table->rows[i], uri->settings, settings);
  }
  taken->given = uri->given;
  taken->has_source = uri->has_source;
}

/**
 * gst_lmcc_uri_free:
 * @uri: (transfer full)
 */
void
gst_lmcc_uri_free (GstLmccUri *uri)
{
  gst_lmcc_properties_clear (uri->form->table, uri->settings);
  g_free (uri->settings);
  g_ptr_array_unref (uri->unknown);
  g_free (uri);
}
