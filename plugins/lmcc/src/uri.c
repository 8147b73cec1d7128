/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/*
 * URIs come from playlists and web pages: only the keys that are listed here
 * are read, and none of them names a file, a socket, a local address to bind or
 * a codec.
 */
#include "config.h"

#include "src/uri.h"

/* Longest URI that is read: enough for every key, and no work for a hostile
 * one. */
#define MAX_SIZE 2048

G_DEFINE_QUARK (gst-lmcc-uri-error-quark, gst_lmcc_uri_error)

static gboolean
fail (GError ** error, GstLmccUriError code, const gchar * what,
    const gchar * value, const gchar * remedy)
{
  g_set_error (error, GST_LMCC_URI_ERROR, code, "%s '%s': %s", what, value,
      remedy);
  return FALSE;
}

static gboolean
parse_number (const gchar * key, const gchar * value, gint64 min, guint64 max,
    guint64 * number, GError ** error)
{
  g_autofree gchar *remedy = NULL;

  if (min < 0 && g_strcmp0 (value, "-1") == 0) {
    *number = G_MAXUINT64;
    return TRUE;
  }
  if (g_ascii_string_to_unsigned (value, 10, (guint64) MAX (min, 0), max,
          number, NULL))
    return TRUE;

  remedy = g_strdup_printf ("give a whole number from %" G_GINT64_FORMAT
      " to %" G_GUINT64_FORMAT, min, max);
  return fail (error, GST_LMCC_URI_ERROR_VALUE, key, value, remedy);
}

static gboolean
parse_key (GstLmccUri * self, const gchar * key, const gchar * value,
    GError ** error)
{
  guint64 number;

  if (g_str_equal (key, "max-level")) {
    if (!parse_number (key, value, -1, LMCC_MAX_LAYERS - 1, &number, error))
      return FALSE;
    self->max_level = number == G_MAXUINT64 ? -1 : (gint) number;
    self->flags |= GST_LMCC_URI_MAX_LEVEL;
  } else if (g_str_equal (key, "max-bitrate")) {
    if (!parse_number (key, value, 0, G_MAXUINT64, &number, error))
      return FALSE;
    self->max_bitrate = number;
    self->flags |= GST_LMCC_URI_MAX_BITRATE;
  } else if (g_str_equal (key, "max-memory")) {
    if (!parse_number (key, value, 0, G_MAXUINT64, &self->max_memory, error))
      return FALSE;
    self->flags |= GST_LMCC_URI_MAX_MEMORY;
  } else if (g_str_equal (key, "latency")) {
    if (!parse_number (key, value, 0, GST_LMCC_MAX_LATENCY, &number, error))
      return FALSE;
    self->latency = (guint) number;
    self->flags |= GST_LMCC_URI_LATENCY;
  } else if (g_str_equal (key, "algorithm")) {
    g_free (self->algorithm);
    self->algorithm = g_strdup (value);
    self->flags |= GST_LMCC_URI_ALGORITHM;
  } else if (g_str_equal (key, "multicast-iface")) {
    g_free (self->multicast_iface);
    self->multicast_iface = g_strdup (value);
    self->flags |= GST_LMCC_URI_MULTICAST_IFACE;
  } else if (g_str_equal (key, "on-loss")) {
    g_free (self->on_loss);
    self->on_loss = g_strdup (value);
    self->flags |= GST_LMCC_URI_ON_LOSS;
  } else if (g_str_equal (key, "rtt-mode")) {
    g_free (self->rtt_mode);
    self->rtt_mode = g_strdup (value);
    self->flags |= GST_LMCC_URI_RTT_MODE;
  } else if (g_str_equal (key, "rtt")) {
    if (!parse_number (key, value, GST_LMCC_MIN_RTT, GST_LMCC_MAX_RTT,
            &self->rtt, error))
      return FALSE;
    self->flags |= GST_LMCC_URI_RTT;
  } else if (g_str_equal (key, "source-policy")) {
    g_free (self->source_policy);
    self->source_policy = g_strdup (value);
    self->flags |= GST_LMCC_URI_SOURCE_POLICY;
  } else {
    g_ptr_array_add (self->unknown, g_strdup (key));
  }
  return TRUE;
}

static gboolean
parse_query (GstLmccUri * self, const gchar * query, GError ** error)
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
    fail (error, GST_LMCC_URI_ERROR_SYNTAX, "query", query,
        params_error->message);
    g_clear_error (&params_error);
    return FALSE;
  }
  return TRUE;
}

static gboolean
parse_source (GstLmccUri * self, const gchar * text,
    const LmccAddress * group, GError ** error)
{
  gsize size = strlen (text);
  gboolean bracketed = size > 2 && text[0] == '[' && text[size - 1] == ']';
  LmccAddress source;

  self->source = bracketed ? g_strndup (text + 1, size - 2) : g_strdup (text);
  if (!lmcc_address_parse (self->source, &source)
      || lmcc_address_is_multicast (&source) || source.family != group->family)
    return fail (error, GST_LMCC_URI_ERROR_VALUE, "source", text,
        "give the sender's own address, of the same family as the group");

  self->flags |= GST_LMCC_URI_SOURCE;
  return TRUE;
}

static gboolean
parse_parts (GstLmccUri * self, const gchar * text, GUri * uri, GError ** error)
{
  const gchar *host = g_uri_get_host (uri);
  const gchar *path = g_uri_get_path (uri);
  LmccAddress group;
  gint port = g_uri_get_port (uri);

  if (g_ascii_strcasecmp (g_uri_get_scheme (uri), GST_LMCC_URI_SCHEME) != 0)
    return fail (error, GST_LMCC_URI_ERROR_SYNTAX, "scheme",
        g_uri_get_scheme (uri), "only lmcc: is read here");
  if (host == NULL || host[0] == '\0')
    return fail (error, GST_LMCC_URI_ERROR_SYNTAX, "URI", text,
        "it has no group address; write lmcc://239.255.42.1:5004");
  if (path[0] != '\0' && !g_str_equal (path, "/"))
    return fail (error, GST_LMCC_URI_ERROR_SYNTAX, "path", path,
        "a session has none; options follow a question mark");
  if (!lmcc_address_parse (host, &group) || !lmcc_address_is_multicast (&group))
    return fail (error, GST_LMCC_URI_ERROR_VALUE, "address", host,
        "give a multicast address: 224.0.0.0 to 239.255.255.255 or [ff00::]/8");
  /* RTCP is on the next port. */
  if (port == 0 || port == 65535)
    return fail (error, GST_LMCC_URI_ERROR_VALUE, "port of", text,
        "give one from 1 to 65534");

  self->address = g_strdup (host);
  if (port > 0)
    self->port = (guint16) port;
  if (g_uri_get_userinfo (uri)
      && !parse_source (self, g_uri_get_userinfo (uri), &group, error))
    return FALSE;
  return g_uri_get_query (uri) == NULL
      || parse_query (self, g_uri_get_query (uri), error);
}

/**
 * gst_lmcc_uri_parse:
 * @text: the URI
 * @error: %GST_LMCC_URI_ERROR
 *
 * Reads a URI. A key that is not known is no error: it is listed in
 * #GstLmccUri.unknown.
 *
 * Returns: (transfer full) (nullable): what it says, %NULL on error
 */
GstLmccUri *
gst_lmcc_uri_parse (const gchar * text, GError ** error)
{
  g_autoptr (GstLmccUri) self = g_new0 (GstLmccUri, 1);
  g_autoptr (GUri) uri = NULL;
  g_autoptr (GError) uri_error = NULL;

  self->port = GST_LMCC_DEFAULT_PORT;
  self->max_level = -1;
  self->unknown = g_ptr_array_new_with_free_func (g_free);

  if (strlen (text) > MAX_SIZE || !g_utf8_validate (text, -1, NULL)) {
    g_set_error (error, GST_LMCC_URI_ERROR, GST_LMCC_URI_ERROR_SYNTAX,
        "The URI is not text of at most %d bytes", MAX_SIZE);
    return NULL;
  }
  uri = g_uri_parse (text, G_URI_FLAGS_ENCODED_QUERY, &uri_error);
  if (uri == NULL) {
    fail (error, GST_LMCC_URI_ERROR_SYNTAX, "URI", text, uri_error->message);
    return NULL;
  }
  if (!parse_parts (self, text, uri, error))
    return NULL;
  return g_steal_pointer (&self);
}

static void
append_string (GString * query, const gchar * key, const gchar * value)
{
  g_string_append_printf (query, "%s%s=", query->len > 0 ? "&" : "", key);
  g_string_append_uri_escaped (query, value, NULL, FALSE);
}

static void
append_number (GString * query, const gchar * key, guint64 value)
{
  g_string_append_printf (query, "%s%s=%" G_GUINT64_FORMAT,
      query->len > 0 ? "&" : "", key, value);
}

static gboolean
says_the_same (const GstLmccUri * a, const GstLmccUri * b)
{
  return a->flags == b->flags && a->port == b->port
      && g_ascii_strcasecmp (a->address, b->address) == 0
      && (!(a->flags & GST_LMCC_URI_SOURCE)
      || g_ascii_strcasecmp (a->source, b->source) == 0)
      && (!(a->flags & GST_LMCC_URI_MULTICAST_IFACE)
      || g_str_equal (a->multicast_iface, b->multicast_iface));
}

/**
 * gst_lmcc_uri_format:
 * @uri: what to say
 *
 * What a URI cannot say (an address that is none, a name that is not UTF-8) is
 * not said in part either.
 *
 * Returns: (transfer full) (nullable): the URI that gst_lmcc_uri_parse() reads
 *     as
 *     @uri, or %NULL where there is none
 */
gchar *
gst_lmcc_uri_format (const GstLmccUri * uri)
{
  g_autoptr (GString) query = g_string_new (NULL);
  g_autoptr (GstLmccUri) again = NULL;
  g_autofree gchar *text = NULL;
  gboolean brackets = strchr (uri->address, ':') != NULL;

  if (uri->flags & GST_LMCC_URI_MAX_LEVEL) {
    if (uri->max_level < 0)
      append_string (query, "max-level", "-1");
    else
      append_number (query, "max-level", (guint64) uri->max_level);
  }
  if (uri->flags & GST_LMCC_URI_MAX_BITRATE)
    append_number (query, "max-bitrate", uri->max_bitrate);
  if (uri->flags & GST_LMCC_URI_MAX_MEMORY)
    append_number (query, "max-memory", uri->max_memory);
  if (uri->flags & GST_LMCC_URI_LATENCY)
    append_number (query, "latency", uri->latency);
  if (uri->flags & GST_LMCC_URI_ALGORITHM)
    append_string (query, "algorithm", uri->algorithm);
  if (uri->flags & GST_LMCC_URI_MULTICAST_IFACE)
    append_string (query, "multicast-iface", uri->multicast_iface);
  if (uri->flags & GST_LMCC_URI_RTT_MODE)
    append_string (query, "rtt-mode", uri->rtt_mode);
  if (uri->flags & GST_LMCC_URI_RTT)
    append_number (query, "rtt", uri->rtt);
  if (uri->flags & GST_LMCC_URI_ON_LOSS)
    append_string (query, "on-loss", uri->on_loss);
  if (uri->flags & GST_LMCC_URI_SOURCE_POLICY)
    append_string (query, "source-policy", uri->source_policy);

  text = g_strdup_printf (GST_LMCC_URI_SCHEME "://%s%s%s%s%s:%u%s%s",
      uri->flags & GST_LMCC_URI_SOURCE ? uri->source : "",
      uri->flags & GST_LMCC_URI_SOURCE ? "@" : "",
      brackets ? "[" : "", uri->address, brackets ? "]" : "", uri->port,
      query->len > 0 ? "?" : "", query->str);
  again = gst_lmcc_uri_parse (text, NULL);

  return again != NULL && says_the_same (uri, again) ? g_steal_pointer (&text)
      : NULL;
}

/**
 * gst_lmcc_uri_free:
 * @uri: (transfer full)
 */
void
gst_lmcc_uri_free (GstLmccUri * uri)
{
  g_free (uri->address);
  g_free (uri->source);
  g_free (uri->algorithm);
  g_free (uri->multicast_iface);
  g_free (uri->on_loss);
  g_free (uri->rtt_mode);
  g_free (uri->source_policy);
  g_ptr_array_unref (uri->unknown);
  g_free (uri);
}
