/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The pads that appear with the session: the audio pad, if the session has
 * audio, and for players also the video pad. */
#include "config.h"

#include "src/depay.h"
#include "src/private.h"

#include <gst/sdp/sdp.h>

#define GST_CAT_DEFAULT gst_lmcc_src_debug

/* Caps as from the session's SDP. */
static GstCaps *
make_caps (const LmccSession *session)
{
  gint payload_type = session->payload_type + LMCC_STREAM_SOUND;
  g_autofree gchar *format = g_strdup_printf ("%d", payload_type);
  g_autofree gchar *map = g_strdup_printf ("%d %s/%u", payload_type,
      session->sound.encoding_name, session->sound.clock_rate);
  g_autofree gchar *parameters =
      g_strdup_printf ("%d %s", payload_type, session->sound_parameters);
  GstSDPMedia *media = NULL;
  GstCaps *caps;

  gst_sdp_media_new (&media);
  gst_sdp_media_set_media (media, "audio");
  gst_sdp_media_add_format (media, format);
  gst_sdp_media_add_attribute (media, "rtpmap", map);
  if (session->sound_parameters[0] != '\0')
    gst_sdp_media_add_attribute (media, "fmtp", parameters);
  caps = gst_sdp_media_get_caps_from_media (media, payload_type);
  gst_sdp_media_free (media);
  if (caps)
    gst_structure_set_name (gst_caps_get_structure (caps, 0),
        "application/x-rtp");
  return caps;
}

/**
 * gst_lmcc_src_mark_caps:
 * @self: the source
 * @caps: caps of a pad
 *
 * Marks the caps, so that players use lmccdepay, which can change codecs.
 */
void
gst_lmcc_src_mark_caps (GstLmccSrc *self, GstCaps *caps)
{
  if (self->video_appears)
    gst_caps_set_simple (caps, GST_LMCC_DEPAY_FIELD, G_TYPE_BOOLEAN, TRUE,
        NULL);
}

static void
add_pad (GstLmccSrc *self, GstLmccSrcOutput *output)
{
  gst_pad_set_active (output->pad, TRUE);
  gst_element_add_pad (GST_ELEMENT_CAST (self), output->pad);
}

static void
remove_pad (GstLmccSrc *self, GstLmccSrcOutput *output)
{
  gst_pad_set_active (output->pad, FALSE);
  gst_element_remove_pad (GST_ELEMENT_CAST (self), output->pad);
}

static void
take_sound (GstLmccSrc *self)
{
  g_autoptr (GstCaps) caps = NULL;

  g_mutex_lock (&self->lock);
  if (self->session.sound.clock_rate > 0)
    caps = make_caps (&self->session);
  g_mutex_unlock (&self->lock);
  if (caps)
    gst_lmcc_src_mark_caps (self, caps);
  if (caps == NULL
      || (self->sound.caps && gst_caps_is_equal (self->sound.caps, caps)))
    return;

  GST_INFO_OBJECT (self, "sound %" GST_PTR_FORMAT, caps);
  gst_lmcc_src_output_set_caps (&self->sound, gst_caps_ref (caps));
  if (g_atomic_int_compare_and_exchange (&self->sound_added, FALSE, TRUE))
    add_pad (self, &self->sound);
}

/**
 * gst_lmcc_src_hide_video:
 * @self: the source
 *
 * Makes the video pad appear with the session, unless the source is already in
 * a pipeline.
 */
void
gst_lmcc_src_hide_video (GstLmccSrc *self)
{
  g_autoptr (GstObject) parent = gst_object_get_parent (GST_OBJECT (self));

  if (self->video_appears || parent || gst_pad_is_linked (self->video.pad)
      || GST_STATE (self) > GST_STATE_READY)
    return;
  self->video_appears = TRUE;
  gst_element_remove_pad (GST_ELEMENT_CAST (self), self->video.pad);
}

/**
 * gst_lmcc_src_show_pads:
 * @self: the source; called by the receiving thread, without lock
 *
 * Adds the pads of the session, which is now known.
 */
void
gst_lmcc_src_show_pads (GstLmccSrc *self)
{
  if (!self->told_pads && self->video_appears)
    add_pad (self, &self->video);
  take_sound (self);
  if (self->told_pads)
    return;
  self->told_pads = TRUE;
  gst_element_no_more_pads (GST_ELEMENT_CAST (self));
}

/**
 * gst_lmcc_src_hide_pads:
 * @self: the source, not receiving
 *
 * Removes the pads that gst_lmcc_src_show_pads() has added.
 */
void
gst_lmcc_src_hide_pads (GstLmccSrc *self)
{
  if (self->told_pads && self->video_appears)
    remove_pad (self, &self->video);
  self->told_pads = FALSE;
  if (g_atomic_int_compare_and_exchange (&self->sound_added, TRUE, FALSE))
    remove_pad (self, &self->sound);
  gst_lmcc_src_output_reset (&self->video);
  gst_lmcc_src_output_reset (&self->sound);
}
