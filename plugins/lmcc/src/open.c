/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "common/enums.h"
#include "common/settings.h"
#include "src/private.h"

#include <plugins/common/messages.h>

#include <errno.h>

#define GST_CAT_DEFAULT gst_lmcc_src_debug

/* Reads the text of a session description: @value itself or the file with that
 * name. */
static gchar *
load_sdp (const gchar *value, GError **error)
{
  g_autoptr (GMappedFile) file = NULL;

  if (g_str_has_prefix (value, "v="))
    return g_strdup (value);
  file = g_mapped_file_new (value, FALSE, error);
  if (file == NULL)
    return NULL;
  if (g_mapped_file_get_length (file) > LMCC_SDP_MAX_SIZE) {
    g_set_error (error, LMCC_SESSION_ERROR, LMCC_SESSION_ERROR_SYNTAX,
        _ ("'%s' is larger than the maximum of %d bytes for a session "
           "description"),
        value, LMCC_SDP_MAX_SIZE);
    return NULL;
  }
  return g_strndup (g_mapped_file_get_contents (file),
      g_mapped_file_get_length (file));
}

static gboolean
open_sdp (GstLmccSrc *self, const gchar *value, const gchar *codecs)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *text = load_sdp (value, &error);
  const gchar *codec;
  LmccSession session;

  if (text == NULL || !lmcc_sdp_parse (text, -1, &session, &error)) {
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS,
        (_ ("Cannot use the session description: %s"), error->message),
        ("property sdp: text that begins with v=, or the name of a file "
         "that lmccsink wrote to its sdp-location"));
    return FALSE;
  }
  codec = gst_lmcc_src_find_codec (&session, codecs);
  if (codec) {
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS,
        (_ ("The session description has the codec %s, which is not allowed: "
            "set codecs=%s to allow it"),
            codec, codec),
        ("property sdp"));
    return FALSE;
  }
  self->session = session;
  self->have_session = TRUE;
  self->address = session.address;
  self->port = session.port;
  if (session.source_specific)
    self->source = session.source;
  return TRUE;
}

static gboolean
parse_source (GstLmccSrc *self, const gchar *text)
{
  g_autofree gchar *one = g_strdup (text[0] == '+' ? text + 1 : text);

  g_strstrip (one);
  if (lmcc_address_parse (one, &self->source)
      && !lmcc_address_is_multicast (&self->source)
      && self->source.family == self->address.family)
    return TRUE;

  GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS,
      (_ ("Cannot use multicast-source '%s': set it to the sender's own "
          "address, of the same family as the group"),
          text),
      (NULL));
  return FALSE;
}

static gboolean
check_uri (GstLmccSrc *self)
{
  g_autofree gchar *text = NULL;

  GST_OBJECT_LOCK (self);
  text = g_strdup (self->uri_error);
  GST_OBJECT_UNLOCK (self);
  if (text)
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS, ("%s", text),
        ("property uri"));
  return text == NULL;
}

static gboolean
resolve_target (GstLmccSrc *self, const GstLmccSrcSettings *settings)
{
  gboolean have_source =
      settings->multicast_source && settings->multicast_source[0] != '\0';
  const gchar *address = settings->address ? settings->address : "";

  if (settings->sdp && settings->sdp[0] != '\0')
    return open_sdp (self, settings->sdp, settings->codecs)
        && (!have_source || parse_source (self, settings->multicast_source));

  if (!lmcc_address_parse (address, &self->address)
      || !lmcc_address_is_multicast (&self->address)) {
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS,
        (_ ("'%s' is not a multicast address: set address or uri to the "
            "session's base group (IPv4: 224.0.0.0 to 239.255.255.255, IPv6: "
            "ff00::/8)"),
            address),
        (NULL));
    return FALSE;
  }
  self->port = (guint16) settings->port;
  if (have_source && !parse_source (self, settings->multicast_source))
    return FALSE;
  if (!have_source && lmcc_address_is_source_specific (&self->address)) {
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS,
        (_ ("%s is a source-specific group: set multicast-source to the "
            "sender's address, or write lmcc://SOURCE@GROUP"),
            settings->address),
        (NULL));
    return FALSE;
  }
  return TRUE;
}

/* gst-launch-1.0 shows only the debug text of an info message. */
static void
say_fallback (GstLmccSrc *self, const gchar *group)
{
  g_autofree gchar *text = g_strdup_printf (
      _ ("No route leads to %s: listening on the loopback interface. Set "
         "multicast-iface to listen on another interface"),
      group);

  GST_ELEMENT_INFO (self, RESOURCE, SETTINGS, ("%s", text), ("%s", text));
}

static void
warn_missing (GstLmccSrc *self)
{
  g_autofree gchar *text = gst_lmcc_paths_describe_missing (&self->paths);

  if (text)
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS, ("%s", text),
        ("property multicast-iface"));
}

static gboolean
choose_interfaces (GstLmccSrc *self, const GstLmccSrcSettings *settings)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *names = NULL;
  gchar text[LMCC_ADDRESS_STRLEN];

  if (!gst_lmcc_paths_choose (&self->paths, settings->multicast_iface,
          &self->address, &error)) {
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS, ("%s", error->message),
        ("property multicast-iface"));
    return FALSE;
  }
  self->iface =
      self->paths.list[gst_lmcc_paths_find_usable (&self->paths)].iface;
  gst_lmcc_src_host_open (self);
  lmcc_address_format (&self->address, text);
  if (self->iface.is_fallback)
    say_fallback (self, text);
  warn_missing (self);
  if (self->paths.n > 1)
    self->copies = gst_lmcc_src_copies_new ();
  names = gst_lmcc_paths_format (&self->paths, TRUE);
  GST_INFO_OBJECT (self, "group %s port %u on interface '%s'", text, self->port,
      names);
  return TRUE;
}

/* Settings that are invalid for every session are an error. The session's own
 * algorithm is not known yet. */
static gboolean
check_algorithm (const GstLmccSrcSettings *settings, GError **error)
{
  const gchar *name = gst_lmcc_algorithm_to_name (settings->algorithm);

  return settings->algorithm == GST_LMCC_ALGORITHM_AUTO
      || gst_lmcc_settings_check_name (settings->algorithm_settings, name,
          error);
}

static gboolean
read_algorithm_settings (GstLmccSrc *self, const GstLmccSrcSettings *settings)
{
  g_autoptr (GError) error = NULL;

  if (settings->algorithm_settings == NULL)
    return TRUE;
  self->algorithm_settings =
      gst_lmcc_settings_from_structure (settings->algorithm_settings, &error);
  if (self->algorithm_settings && check_algorithm (settings, &error))
    return TRUE;
  GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS,
      (_ ("Cannot use algorithm-settings: %s"), error->message),
      ("algorithm-settings %" GST_PTR_FORMAT, settings->algorithm_settings));
  return FALSE;
}

/**
 * gst_lmcc_src_close_fd:
 * @self: the source
 * @fd: (inout): a descriptor in use by gst_lmcc_io_add(), or -1; -1 afterwards
 */
void
gst_lmcc_src_close_fd (GstLmccSrc *self, gint *fd)
{
  gst_lmcc_io_remove (self->io, *fd);
  gst_lmcc_socket_close (fd);
}

static gint
open_joined (GstLmccSrc *self, const LmccAddress *group, guint16 port,
    guint tag, GError **error)
{
  gint fd = gst_lmcc_socket_open_receive (group, port, &self->iface,
      self->buffer_size, NULL, error);

  if (fd < 0)
    return -1;
  if (!gst_lmcc_src_host_join_socket (self, fd, group, &self->source, error)
      || !gst_lmcc_io_add (self->io, fd, tag, error)) {
    gst_lmcc_socket_close (&fd);
    return -1;
  }
  gst_lmcc_src_fit_buffer (self, fd);
  return fd;
}

/**
 * gst_lmcc_src_open_group:
 * @self: the source
 * @group: index of the group, 0 is the base
 * @error: set if it cannot be joined
 *
 * Joins a group, unless it is already joined. RTCP is opened together with the
 * base group. The host stays a member until the last socket has left.
 *
 * Returns: whether it is joined
 */
gboolean
gst_lmcc_src_open_group (GstLmccSrc *self, guint group, GError **error)
{
  LmccAddress address;

  if (group >= LMCC_MAX_GROUPS
      || !lmcc_address_group (&self->address, group, &address)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        _ ("Group %u is outside the multicast address range"), group);
    return FALSE;
  }
  if (self->group_fds[group] >= 0)
    return TRUE;
  self->group_fds[group] = open_joined (self, &address, self->port,
      GST_LMCC_SRC_TAG_GROUPS + group, error);
  self->overflows[group] = 0;
  if (group == 0 && self->group_fds[0] >= 0) {
    self->control_fd = open_joined (self, &address, (guint16) (self->port + 1),
        GST_LMCC_SRC_TAG_CONTROL, error);
    if (self->control_fd < 0)
      gst_lmcc_src_close_fd (self, &self->group_fds[0]);
  }
  return self->group_fds[group] >= 0;
}

/**
 * gst_lmcc_src_close_group:
 * @self: the source
 * @group: index of the group, 0 is the base
 *
 * Leaves a group. Unread packets in its socket are dropped.
 */
void
gst_lmcc_src_close_group (GstLmccSrc *self, guint group)
{
  if (group >= LMCC_MAX_GROUPS)
    return;
  gst_lmcc_src_close_fd (self, &self->group_fds[group]);
  if (group == 0)
    gst_lmcc_src_close_fd (self, &self->control_fd);
}

static gboolean
open_base (GstLmccSrc *self)
{
  g_autoptr (GError) error = NULL;

  if (gst_lmcc_src_open_group (self, 0, &error))
    return TRUE;
  GST_ELEMENT_ERROR (self, RESOURCE, OPEN_READ, ("%s", error->message), (NULL));
  return FALSE;
}

/**
 * gst_lmcc_src_open:
 * @self: the source
 *
 * Reads the settings, chooses the interfaces and joins the base group. After an
 * error, which is posted as a message, nothing stays open.
 */
gboolean
gst_lmcc_src_open (GstLmccSrc *self)
{
  GstLmccSrcSettings settings;
  gboolean ok;

  GST_OBJECT_LOCK (self);
  gst_lmcc_properties_copy (&gst_lmcc_src_properties, &self->settings,
      &settings);
  GST_OBJECT_UNLOCK (self);

  self->source.family = LMCC_FAMILY_NONE;
  self->buffer_size = (guint) settings.buffer_size;
  self->buffer_wanted = self->buffer_got = 0;
  self->buffer_overflown = self->buffer_warned = FALSE;
  memset (&self->past, 0, sizeof (self->past));
  self->past.join_to_packet = LMCC_TIME_NONE;
  self->past.join_to_picture = LMCC_TIME_NONE;
  self->past.level = -1;
  self->past.rung = -1;
  self->oversize = 0;
  self->copied = 0;
  self->report_errors = 0;
  self->notices_sent = 0;
  self->notice_errors = 0;
  self->reason = NULL;
  self->last_now = 0;
  self->epoch = 0;
  self->n_timestamps = 0;
  g_atomic_int_set (&self->ended, FALSE);
  g_atomic_int_set (&self->enough, FALSE);
  self->video.left = settings.num_buffers;
  self->stream_group_id = gst_util_group_id_next ();

  ok = read_algorithm_settings (self, &settings) && check_uri (self)
      && resolve_target (self, &settings) && choose_interfaces (self, &settings)
      && open_base (self);
  gst_lmcc_properties_clear (&gst_lmcc_src_properties, &settings);
  if (ok)
    gst_lmcc_src_check_buffers (self);
  else
    gst_lmcc_src_close (self);
  return ok;
}

/**
 * gst_lmcc_src_close:
 * @self: the source
 *
 * Leaves all groups and forgets the stream.
 */
void
gst_lmcc_src_close (GstLmccSrc *self)
{
  guint group;

  for (group = 0; group < LMCC_MAX_GROUPS; group++)
    gst_lmcc_src_close_group (self, group);
  gst_lmcc_src_close_report (self);
  gst_lmcc_src_close_learning (self);
  gst_lmcc_src_host_close (self);
  gst_lmcc_paths_clear (&self->paths);
  g_clear_pointer (&self->copies, g_free);
  g_clear_pointer (&self->algorithm_settings, lmcc_settings_free);
  gst_lmcc_src_hide_pads (self);
  self->segments_pass = FALSE;
  self->hiding = FALSE;

  g_mutex_lock (&self->lock);
  self->have_session = FALSE;
  g_mutex_unlock (&self->lock);
}
