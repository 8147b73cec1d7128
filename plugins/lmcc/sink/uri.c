/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The URI that combines several of lmccsink's properties. */
#include "config.h"

#include "sink/private.h"

#include <plugins/common/messages.h>

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

static gboolean
set_uri (GstLmccSink *self, const gchar *text, GError **error)
{
  g_autoptr (GstLmccUri) uri = NULL;
  guint i;

  /* The settings are read on the way to READY. */
  if (GST_STATE (self) > GST_STATE_NULL) {
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_STATE,
        _ ("Cannot change the URI now: set the element to NULL first"));
    return FALSE;
  }
  uri = gst_lmcc_uri_read (&gst_lmcc_sink_uri_form, text, error);
  if (uri == NULL)
    return FALSE;
  GST_OBJECT_LOCK (self);
  gst_lmcc_uri_take (uri, &self->uri_taken, &self->properties);
  self->address_is_given = TRUE;
  g_clear_pointer (&self->uri_error, g_free);
  GST_OBJECT_UNLOCK (self);
  for (i = 0; i < uri->unknown->len; i++)
    GST_WARNING_OBJECT (self,
        "ignoring the key '%s' of the URI, which a sender does not use",
        (const gchar *) g_ptr_array_index (uri->unknown, i));
  return TRUE;
}

/**
 * gst_lmcc_sink_set_uri_property:
 * @self: the sink
 * @text: (nullable): the URI
 *
 * Setting a property returns no error; gst_lmcc_sink_check_uri() reports it at
 * the start.
 */
void
gst_lmcc_sink_set_uri_property (GstLmccSink *self, const gchar *text)
{
  g_autoptr (GError) error = NULL;

  if (text == NULL || set_uri (self, text, &error))
    return;
  if (gst_lmcc_uri_keep_error (GST_ELEMENT (self), text, error,
          &self->uri_error))
    GST_WARNING_OBJECT (self, "%s", error->message);
}

/**
 * gst_lmcc_sink_dup_uri:
 * @self: the sink
 *
 * Returns: (transfer full) (nullable): a URI with all properties that are not
 * the default; %NULL if a URI cannot express them
 */
gchar *
gst_lmcc_sink_dup_uri (GstLmccSink *self)
{
  gchar *text;

  GST_OBJECT_LOCK (self);
  text = gst_lmcc_uri_format (&gst_lmcc_sink_uri_form, &self->properties);
  GST_OBJECT_UNLOCK (self);
  return text;
}

/**
 * gst_lmcc_sink_check_uri:
 * @self: the starting sink
 * @error: the error of the latest URI
 *
 * Returns: whether it was accepted
 */
gboolean
gst_lmcc_sink_check_uri (GstLmccSink *self, GError **error)
{
  gboolean good;

  GST_OBJECT_LOCK (self);
  good = self->uri_error == NULL;
  if (!good)
    g_set_error_literal (error, GST_URI_ERROR, GST_URI_ERROR_BAD_URI,
        self->uri_error);
  GST_OBJECT_UNLOCK (self);
  return good;
}

/* GstURIHandler */

static GstURIType
get_uri_type (GType type G_GNUC_UNUSED)
{
  return GST_URI_SINK;
}

static const gchar *const *
get_protocols (GType type G_GNUC_UNUSED)
{
  static const gchar *const protocols[] = { GST_LMCC_URI_SCHEME, NULL };

  return protocols;
}

static gchar *
get_handled_uri (GstURIHandler *handler)
{
  return gst_lmcc_sink_dup_uri (GST_LMCC_SINK (handler));
}

static gboolean
set_handled_uri (GstURIHandler *handler, const gchar *uri, GError **error)
{
  return set_uri (GST_LMCC_SINK (handler), uri, error);
}

void
gst_lmcc_sink_uri_handler_init (gpointer iface, gpointer data G_GNUC_UNUSED)
{
  GstURIHandlerInterface *handler = iface;

  handler->get_type = get_uri_type;
  handler->get_protocols = get_protocols;
  handler->get_uri = get_handled_uri;
  handler->set_uri = set_handled_uri;
}
