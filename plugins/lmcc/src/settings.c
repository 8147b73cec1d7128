/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Sets and reads the properties, and the URI that combines several of them. */
#include "config.h"

#include "common/profiles.h"
#include "src/private.h"

#include <plugins/common/messages.h>

#define GST_CAT_DEFAULT gst_lmcc_src_debug

static gboolean
is_row (guint row, const gchar *name)
{
  return g_str_equal (gst_lmcc_src_properties.rows[row].name, name);
}

static gboolean
uri_says (const GstLmccSrc *self, const gchar *name)
{
  guint i;

  for (i = 0; i < gst_lmcc_src_properties.n_rows; i++) {
    if (is_row (i, name))
      return (self->uri_taken.given >> i & 1) != 0;
  }
  return FALSE;
}

/* Uses the latency of the profile, unless the user has set one. */
static void
apply_profile (GstLmccSrc *self)
{
  if (!self->latency_given && !uri_says (self, "latency"))
    self->settings.latency =
        gst_lmcc_profile_get (self->settings.latency_profile)->latency;
}

static void
take_uri (GstLmccSrc *self, const GstLmccUri *uri)
{
  gboolean had_latency = uri_says (self, "latency");

  gst_lmcc_uri_take (uri, &self->uri_taken, &self->settings);
  self->latency_given =
      self->latency_given && !had_latency && !uri_says (self, "latency");
  apply_profile (self);
  g_clear_pointer (&self->uri_error, g_free);
}

/**
 * gst_lmcc_src_set_uri:
 * @self: the source
 * @text: the URI
 * @error: %GST_URI_ERROR
 *
 * Returns: whether the settings were taken from the URI
 */
gboolean
gst_lmcc_src_set_uri (GstLmccSrc *self, const gchar *text, GError **error)
{
  g_autoptr (GstLmccUri) uri = NULL;
  guint i;

  if (GST_STATE (self) >= GST_STATE_PAUSED) {
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_STATE,
        _ ("Cannot change the URI in PAUSED or PLAYING: set the element to "
           "READY or NULL first"));
    return FALSE;
  }

  uri = gst_lmcc_uri_read (&gst_lmcc_src_uri_form, text, error);
  if (uri == NULL)
    return FALSE;
  GST_OBJECT_LOCK (self);
  take_uri (self, uri);
  GST_OBJECT_UNLOCK (self);
  for (i = 0; i < uri->unknown->len; i++)
    GST_WARNING_OBJECT (self,
        "ignoring the key '%s' of the URI, which a receiver does not use",
        (const gchar *) g_ptr_array_index (uri->unknown, i));
  return TRUE;
}

/**
 * gst_lmcc_src_get_uri:
 * @self: the source
 *
 * Returns: (transfer full) (nullable): a URI with all settings that are not the
 * default; %NULL if a URI cannot express them
 */
gchar *
gst_lmcc_src_get_uri (GstLmccSrc *self)
{
  gchar *text;

  GST_OBJECT_LOCK (self);
  text = gst_lmcc_uri_format (&gst_lmcc_src_uri_form, &self->settings);
  GST_OBJECT_UNLOCK (self);
  return text;
}

static void
set_uri_property (GstLmccSrc *self, const gchar *text)
{
  g_autoptr (GError) error = NULL;

  if (text == NULL || gst_lmcc_src_set_uri (self, text, &error))
    return;
  if (gst_lmcc_uri_keep_error (GST_ELEMENT (self), text, error,
          &self->uri_error))
    GST_WARNING_OBJECT (self, "%s", error->message);
}

/**
 * gst_lmcc_src_set_property:
 *
 * Implements #GObjectClass.set_property().
 */
void
gst_lmcc_src_set_property (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec G_GNUC_UNUSED)
{
  GstLmccSrc *self = GST_LMCC_SRC (object);
  gboolean kept;

  GST_OBJECT_LOCK (self);
  kept = gst_lmcc_properties_set (&gst_lmcc_src_properties, &self->settings, id,
      value);
  self->latency_given = self->latency_given || is_row (id - 1, "latency");
  apply_profile (self);
  GST_OBJECT_UNLOCK (self);
  if (!kept) {
    set_uri_property (self, g_value_get_string (value));
    return;
  }

  g_atomic_int_set (&self->settings_changed, TRUE);
  gst_lmcc_io_wake (self->io);
}

static void
compute_property (GstLmccSrc *self, const gchar *name, GValue *value)
{
  LmccReceiverStats stats;

  if (g_str_equal (name, "uri")) {
    g_value_take_string (value, gst_lmcc_src_get_uri (self));
  } else if (g_str_equal (name, "level")) {
    g_value_set_int (value, g_atomic_int_get (&self->level));
  } else if (g_str_equal (name, "bitrate")) {
    gst_lmcc_src_get_receiver_stats (self, &stats);
    g_value_set_uint64 (value, stats.bitrate);
  } else {
    g_value_take_boxed (value, gst_lmcc_src_create_stats (self));
  }
}

/**
 * gst_lmcc_src_get_property:
 *
 * Implements #GObjectClass.get_property().
 */
void
gst_lmcc_src_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstLmccSrc *self = GST_LMCC_SRC (object);
  gboolean kept;

  GST_OBJECT_LOCK (self);
  kept = gst_lmcc_properties_get (&gst_lmcc_src_properties, &self->settings, id,
      value);
  GST_OBJECT_UNLOCK (self);
  if (!kept)
    compute_property (self, pspec->name, value);
}
