/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lmccsink's pads: what each leads to is chosen when its caps are known. RTP
 * goes to the core as it is; what is encoded through a payloader, what is raw
 * through encoders.
 */
#include "config.h"

#include "sink/private.h"

#include <gst/lmcc/lmcc-packet.h>

#include <stdio.h>
#include <string.h>

#include "sink/ladder.h"
#include "sink/refusal.h"
#include "sink/upstream.h"

#include <plugins/common/messages.h>

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

static guint
get_payloader_mtu (GstLmccSink *self)
{
  guint mtu;

  GST_OBJECT_LOCK (self);
  mtu = self->properties.mtu - LMCC_RTP_OVERHEAD;
  /* Repair packets are larger than the packets that they repair. */
  if (gst_lmcc_sink_properties_get_repair (&self->properties) > 0)
    mtu -= LMCC_REPAIR_OVERHEAD;
  GST_OBJECT_UNLOCK (self);
  return mtu;
}

/* Takes ownership of @payloader. */
static GstPad *
link_payloader (GstLmccSink *self, GstPad *core_pad, GstCaps *caps,
    GstElement *payloader)
{
  g_autoptr (GstPad) src = NULL;

  if (payloader == NULL) {
    gst_lmcc_sink_refuse_format (GST_ELEMENT (self), caps);
    return NULL;
  }
  gst_bin_add (GST_BIN (self), payloader);
  g_object_set_data (G_OBJECT (core_pad), "payloader", payloader);
  src = gst_element_get_static_pad (payloader, "src");
  if (gst_pad_link (src, core_pad) != GST_PAD_LINK_OK
      || !gst_element_sync_state_with_parent (payloader)) {
    GST_ELEMENT_ERROR (self, CORE, NEGOTIATION, (NULL),
        ("payloader %" GST_PTR_FORMAT " does not link", payloader));
    return NULL;
  }
  return gst_element_get_static_pad (payloader, "sink");
}

/* Takes ownership of @payloader, which may not accept all streams of its
 * format. */
static GstPad *
link_stream (GstLmccSink *self, GstPad *core_pad, GstCaps *caps,
    GstElement *payloader)
{
  g_autoptr (GstPad) sink = link_payloader (self, core_pad, caps, payloader);

  if (sink == NULL || gst_pad_query_accept_caps (sink, caps))
    return g_steal_pointer (&sink);
  gst_lmcc_sink_refuse_stream (GST_ELEMENT (self), payloader, caps);
  return NULL;
}

static gboolean
is_sound (GstPad *ghost)
{
  return g_str_equal (GST_PAD_NAME (ghost), "audio_sink");
}

static guint
count_video_pads (GstLmccSink *self)
{
  GList *pads = gst_lmcc_sink_list_pads (GST_ELEMENT (self)), *l;
  guint n = 0;

  for (l = pads; l; l = l->next)
    n += !is_sound (l->data);
  g_list_free_full (pads, gst_object_unref);
  return n;
}

static void
relay_encoder_setup (GstElement *ladder G_GNUC_UNUSED, GstElement *encoder,
    guint rung, gpointer self)
{
  gst_lmcc_sink_set_up_encoder (self, encoder, rung);
}

/* Encodes raw audio as Opus. */
static GstPad *
link_encoder (GstLmccSink *self, GstPad *core_pad)
{
  g_autoptr (GstCaps) opus = gst_caps_new_empty_simple ("audio/x-opus");
  g_autoptr (GError) error = NULL;
  g_autoptr (GstPad) src = NULL, sink = NULL;
  GstElement *encoder = gst_lmcc_sink_sound_make_encoder (&error);

  if (encoder == NULL) {
    GST_ELEMENT_ERROR (self, CORE, MISSING_PLUGIN,
        (_ ("Cannot encode raw audio: %s. Install gstreamer1.0-plugins-base, "
            "or put an encoder upstream of lmccsink."),
            error->message),
        (NULL));
    return NULL;
  }
  sink = link_payloader (self, core_pad, opus,
      gst_lmcc_sink_make_sound_payloader (opus, get_payloader_mtu (self)));
  gst_bin_add (GST_BIN (self), encoder);
  g_object_set_data (G_OBJECT (core_pad), "sound-encoder", encoder);
  src = gst_element_get_static_pad (encoder, "src");
  if (sink == NULL || gst_pad_link (src, sink) != GST_PAD_LINK_OK
      || !gst_element_sync_state_with_parent (encoder))
    return NULL;
  return gst_element_get_static_pad (encoder, "sink");
}

/* Uses the properties at the time of the caps, because encoder settings may
 * have changed since the sockets were opened. */
static gboolean
read_settings (GstLmccSink *self, GstLmccSinkSettings *settings)
{
  g_autoptr (GError) error = NULL;
  gboolean ok;

  GST_OBJECT_LOCK (self);
  ok = gst_lmcc_sink_settings_read (settings, &self->properties, &error);
  GST_OBJECT_UNLOCK (self);
  if (ok)
    return TRUE;
  GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS, ("%s", error->message), (NULL));
  gst_lmcc_sink_settings_clear (settings);
  return FALSE;
}

/* lmccsink makes all rungs of a raw video itself. */
static GstPad *
link_ladder (GstLmccSink *self, GstPad *ghost, GstPad *core_pad, GstCaps *caps)
{
  GstLmccSinkSettings settings;
  GstLmccSinkLadder *ladder;
  guint index = 0;

  if (count_video_pads (self) > 1) {
    GST_ELEMENT_ERROR (self, STREAM, WRONG_TYPE,
        (_ ("Raw video is on %s, but other video pads exist: lmccsink makes "
            "all encodings of a raw video itself. Connect the raw video alone, "
            "or encoded video to all pads."),
            GST_PAD_NAME (ghost)),
        (NULL));
    return NULL;
  }
  sscanf (GST_PAD_NAME (ghost), "sink_%u", &index);
  if (!read_settings (self, &settings))
    return NULL;
  ladder = gst_lmcc_sink_ladder_new (GST_BIN (self), self->core, core_pad,
      index, caps, &settings, relay_encoder_setup);
  gst_lmcc_sink_settings_clear (&settings);
  if (ladder == NULL)
    return NULL;
  g_object_set_data (G_OBJECT (core_pad), "ladder", ladder);
  return gst_lmcc_sink_ladder_get_sink (ladder);
}

static gboolean
set_target (GstLmccSink *self, GstPad *ghost, GstCaps *caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  GstPad *core_pad = g_object_get_data (G_OBJECT (ghost), "core-pad");
  g_autoptr (GstPad) target = NULL;

  if (!is_sound (ghost) && gst_lmcc_sink_caps_are_sound (caps))
    gst_lmcc_sink_refuse_sound (GST_ELEMENT (self), ghost, caps);
  else if (gst_structure_has_name (s, "application/x-rtp"))
    target = gst_object_ref (core_pad);
  else if (gst_structure_has_name (s, "audio/x-raw"))
    target = link_encoder (self, core_pad);
  else if (is_sound (ghost))
    target = link_stream (self, core_pad, caps,
        gst_lmcc_sink_make_sound_payloader (caps, get_payloader_mtu (self)));
  else if (gst_structure_has_name (s, "video/x-raw"))
    target = link_ladder (self, ghost, core_pad, caps);
  else
    target = link_stream (self, core_pad, caps,
        gst_lmcc_sink_make_payloader (caps, get_payloader_mtu (self)));
  return target && gst_ghost_pad_set_target (GST_GHOST_PAD (ghost), target);
}

static GstLmccSinkLadder *
get_ladder (GstPad *ghost)
{
  GstPad *core_pad = g_object_get_data (G_OBJECT (ghost), "core-pad");

  return g_object_get_data (G_OBJECT (core_pad), "ladder");
}

static gboolean
has_target (GstPad *ghost)
{
  g_autoptr (GstPad) target = gst_ghost_pad_get_target (GST_GHOST_PAD (ghost));

  return target != NULL;
}

static void
remove_element (GstLmccSink *self, GstPad *core_pad, const gchar *key)
{
  GstElement *element = g_object_get_data (G_OBJECT (core_pad), key);

  if (element == NULL)
    return;
  g_object_set_data (G_OBJECT (core_pad), key, NULL);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_bin_remove (GST_BIN (self), element);
}

/* The target depends on the codec, which may be another one in the next run. */
static void
clear_target (GstLmccSink *self, GstPad *ghost)
{
  GstPad *core_pad = g_object_get_data (G_OBJECT (ghost), "core-pad");
  GstLmccSinkLadder *ladder = get_ladder (ghost);

  gst_ghost_pad_set_target (GST_GHOST_PAD (ghost), NULL);
  g_object_set_data (G_OBJECT (ghost), "refused", NULL);
  g_object_set_data (G_OBJECT (core_pad), "ladder", NULL);
  g_clear_pointer (&ladder, gst_lmcc_sink_ladder_free);
  remove_element (self, core_pad, "sound-encoder");
  remove_element (self, core_pad, "payloader");
}

static void
free_caps (gpointer caps)
{
  gst_caps_unref (caps);
}

/* Does not report the same caps twice: refused ones come again with each
 * picture. */
static gboolean
choose_target (GstLmccSink *self, GstPad *ghost, GstCaps *caps)
{
  GstCaps *refused = g_object_get_data (G_OBJECT (ghost), "refused");

  if (refused && gst_caps_is_equal (refused, caps))
    return FALSE;
  if (set_target (self, ghost, caps))
    return TRUE;
  clear_target (self, ghost);
  g_object_set_data_full (G_OBJECT (ghost), "refused", gst_caps_ref (caps),
      free_caps);
  return FALSE;
}

static gboolean
ghost_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS && !has_target (pad)) {
    gst_event_parse_caps (event, &caps);
    if (!choose_target (GST_LMCC_SINK (parent), pad, caps)) {
      gst_event_unref (event);
      return FALSE;
    }
  }
  return gst_pad_event_default (pad, parent, event);
}

/* Caps of encoded video, and of raw video if there is no other pad. Any other
 * caps are accepted too, so that ghost_link() or the caps event can post an
 * error with the reason. */
static GstCaps *
offered_caps (GstPad *pad, GstCaps *filter)
{
  g_autoptr (GstCaps) encoded = gst_lmcc_sink_accepted_caps ();
  g_autoptr (GstCaps) raw = gst_caps_new_empty_simple ("video/x-raw");
  GstCaps *offered;

  if (filter == NULL && !gst_pad_is_linked (pad))
    return gst_caps_new_any ();
  if (filter == NULL)
    return gst_caps_merge (g_steal_pointer (&encoded), g_steal_pointer (&raw));
  offered = gst_caps_intersect_full (filter, encoded, GST_CAPS_INTERSECT_FIRST);
  if (!gst_caps_is_empty (offered))
    return offered;
  gst_caps_take (&offered,
      gst_caps_intersect_full (filter, raw, GST_CAPS_INTERSECT_FIRST));
  if (gst_caps_is_empty (offered))
    gst_caps_replace (&offered, filter);
  return offered;
}

static gboolean
is_one_of_several (GstPad *pad)
{
  g_autoptr (GstPadTemplate) templ = gst_pad_get_pad_template (pad);

  return templ && GST_PAD_TEMPLATE_PRESENCE (templ) == GST_PAD_SOMETIMES;
}

static gboolean
may_be_video (const GstCaps *caps)
{
  guint i;

  for (i = 0; i < gst_caps_get_size (caps); i++) {
    const gchar *name =
        gst_structure_get_name (gst_caps_get_structure (caps, i));

    if (g_str_has_prefix (name, "video/") || g_str_has_prefix (name, "image/")
        || g_str_equal (name, "application/x-rtp"))
      return TRUE;
  }
  return gst_caps_is_any (caps);
}

/* The stream type in decodebin3's pad if its caps are not known yet. */
static GstStreamType
get_stream_type (GstPad *pad)
{
  g_autoptr (GstStream) stream = gst_pad_get_stream (pad);

  return stream ? gst_stream_get_stream_type (stream) : GST_STREAM_TYPE_UNKNOWN;
}

#define NO_VIDEO (GST_STREAM_TYPE_AUDIO | GST_STREAM_TYPE_TEXT)

/* Refuses audio and subtitles of a demuxer, whose pads are tried one after the
 * other, so that the video can be linked. Audio of other elements is linked,
 * because errors while a pipeline is built are not shown, and refused with its
 * caps. */
static GstPadLinkReturn
ghost_link (GstPad *pad, GstObject *parent, GstPad *peer)
{
  g_autoptr (GstCaps) caps = gst_pad_query_caps (peer, NULL);
  GstStreamType type = get_stream_type (peer);

  if (type == GST_STREAM_TYPE_UNKNOWN && !is_one_of_several (peer))
    return GST_PAD_LINK_OK;
  if (is_sound (pad))
    return type & GST_STREAM_TYPE_VIDEO ? GST_PAD_LINK_NOFORMAT
                                        : GST_PAD_LINK_OK;
  if (may_be_video (caps) && !(type & NO_VIDEO))
    return GST_PAD_LINK_OK;
  if (type & GST_STREAM_TYPE_AUDIO || gst_lmcc_sink_caps_are_sound (caps))
    gst_lmcc_sink_watch_left_out (GST_LMCC_SINK (parent), peer);
  return GST_PAD_LINK_NOFORMAT;
}

static GstCaps *
offered_sound_caps (GstPad *pad, GstCaps *filter)
{
  g_autoptr (GstCaps) all = gst_pad_get_pad_template_caps (pad);

  return filter
      ? gst_caps_intersect_full (filter, all, GST_CAPS_INTERSECT_FIRST)
      : gst_caps_ref (all);
}

static gboolean
is_h264_payloader (GstElement *element)
{
  return g_str_equal (gst_lmcc_sink_get_factory_name (element), "rtph264pay");
}

/* If downstream asks for RTP without a profile, the user's own payloader makes
 * its encoder use constrained baseline, which has no B-frames. It does not if
 * downstream accepts anything, as udpsink does. */
static gboolean
is_h264_payloader_asking (GstPad *pad, const GstCaps *filter)
{
  g_autoptr (GstElement) payloader = NULL;

  if (filter != NULL)
    return FALSE;
  payloader = gst_lmcc_sink_find_upstream (pad, is_h264_payloader);
  return payloader != NULL;
}

/* Prefers the H.264 profile "high": it has B-frames, which give layers, and
 * every decoder supports it. Encoders that can choose make something else:
 * x264enc uses 4:4:4 if the source has it, and constrained baseline for our
 * payloader; others use constrained baseline. @caps: (transfer full) */
static GstCaps *
prefer_high_profile (GstCaps *caps)
{
  g_autoptr (GstCaps) high = gst_caps_new_simple ("video/x-h264", "profile",
      G_TYPE_STRING, "high", NULL);

  return gst_caps_merge (gst_caps_intersect_full (caps, high,
                             GST_CAPS_INTERSECT_FIRST),
      caps);
}

/* (transfer full) (nullable): caps of the pad's target, or of its possible
 * targets */
static GstCaps *
get_caps (GstPad *pad, GstObject *parent, GstQuery *query, GstCaps *filter)
{
  GstCaps *caps;

  if (is_sound (pad) && !has_target (pad))
    return offered_sound_caps (pad, filter);
  if (is_h264_payloader_asking (pad, filter))
    return gst_caps_new_any ();
  if (!has_target (pad))
    return offered_caps (pad, filter);
  if (!gst_pad_query_default (pad, parent, query))
    return NULL;
  gst_query_parse_caps_result (query, &caps);
  return gst_caps_ref (caps);
}

static gboolean
answer_caps (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstCaps *filter, *caps;

  gst_query_parse_caps (query, &filter);
  caps = get_caps (pad, parent, query, filter);
  if (caps == NULL)
    return FALSE;
  caps = prefer_high_profile (caps);
  gst_query_set_caps_result (query, caps);
  gst_caps_unref (caps);
  return TRUE;
}

static gboolean
ghost_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_CAPS)
    return answer_caps (pad, parent, query);
  if (GST_QUERY_TYPE (query) == GST_QUERY_ACCEPT_CAPS && !has_target (pad)) {
    /* The caps event then fails with an error that names the reason. */
    gst_query_set_accept_caps_result (query, TRUE);
    return TRUE;
  }
  return gst_pad_query_default (pad, parent, query);
}

static guint
choose_index (GstLmccSink *self, const gchar *name)
{
  guint index;

  GST_OBJECT_LOCK (self);
  if (!name || sscanf (name, "sink_%u", &index) != 1)
    index = self->next_pad;
  self->next_pad = MAX (self->next_pad, index + 1);
  GST_OBJECT_UNLOCK (self);
  return index;
}

static gboolean
has_ladder (GstLmccSink *self)
{
  GList *pads = gst_lmcc_sink_list_pads (GST_ELEMENT (self)), *l;
  gboolean found = FALSE;

  for (l = pads; l; l = l->next)
    found = found || get_ladder (l->data);
  g_list_free_full (pads, gst_object_unref);
  return found;
}

static GstPad *
add_ghost (GstLmccSink *self, GstPadTemplate *templ, const gchar *name,
    GstPad *core_pad)
{
  GstPad *ghost = gst_ghost_pad_new_no_target_from_template (name, templ);

  g_object_set_data (G_OBJECT (ghost), "core-pad", core_pad);
  gst_pad_set_event_function (ghost, GST_DEBUG_FUNCPTR (ghost_event));
  gst_pad_set_query_function (ghost, GST_DEBUG_FUNCPTR (ghost_query));
  gst_pad_set_link_function (ghost, GST_DEBUG_FUNCPTR (ghost_link));
  gst_pad_set_active (ghost, TRUE);
  gst_element_add_pad (GST_ELEMENT (self), ghost);
  return ghost;
}

static GstPad *
request_sound_pad (GstLmccSink *self, GstPadTemplate *templ)
{
  GstPad *core_pad = gst_lmcc_sink_core_add_sound_pad (self->core);

  if (core_pad)
    return add_ghost (self, templ, "audio_sink", core_pad);
  GST_ELEMENT_WARNING (self, STREAM, FAILED,
      (_ ("Cannot add an audio pad: at most one, before the session starts.")),
      (NULL));
  return NULL;
}

GstPad *
gst_lmcc_sink_request_new_pad (GstElement *element, GstPadTemplate *templ,
    const gchar *name, const GstCaps *caps G_GNUC_UNUSED)
{
  GstLmccSink *self = GST_LMCC_SINK (element);
  g_autofree gchar *pad_name = NULL;
  GstPad *core_pad = NULL;
  guint index;

  if (g_str_equal (GST_PAD_TEMPLATE_NAME_TEMPLATE (templ), "audio_sink"))
    return request_sound_pad (self, templ);
  index = choose_index (self, name);
  pad_name = g_strdup_printf ("sink_%u", index);
  if (!has_ladder (self))
    core_pad = gst_lmcc_sink_core_add_pad (self->core, index);
  if (core_pad == NULL) {
    GST_ELEMENT_WARNING (self, STREAM, FAILED,
        (_ ("Cannot add a video pad: at most %u (1 for raw video), all before "
            "the session starts."),
            LMCC_MAX_RUNGS),
        (NULL));
    return NULL;
  }
  return add_ghost (self, templ, pad_name, core_pad);
}

void
gst_lmcc_sink_release_pad (GstElement *element, GstPad *pad)
{
  GstLmccSink *self = GST_LMCC_SINK (element);
  GstPad *core_pad = g_object_get_data (G_OBJECT (pad), "core-pad");

  gst_lmcc_sink_core_let_go (self->core, core_pad);
  if (get_ladder (pad))
    gst_lmcc_sink_ladder_let_go (get_ladder (pad));
  gst_pad_set_active (pad, FALSE);
  clear_target (self, pad);
  gst_lmcc_sink_core_remove_pad (self->core, core_pad);
  gst_element_remove_pad (element, pad);
}

/* Resets the targets before the next run, whose pads may have other codecs. */
void
gst_lmcc_sink_clear_targets (GstLmccSink *self)
{
  GList *pads, *l;

  pads = gst_lmcc_sink_list_pads (GST_ELEMENT (self));
  for (l = pads; l; l = l->next)
    clear_target (self, l->data);
  g_list_free_full (pads, gst_object_unref);
}
