/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-lmccsink
 * @title: lmccsink
 * @see_also: #lmccsrc
 *
 * Sends a video in layers, each to a multicast group of its own, so that every
 * receiver takes as many layers as its network carries. The layers are what the
 * codec makes of the video: the temporal classes of one encoding, several
 * encodings ("rungs", one on each sink pad, lowest first), or both.
 *
 * With #GstLmccSink:layering layers have fixed rates instead, which the
 * pictures are poured into, the most important lowest. This holds them back for
 * #GstLmccSink:window, 4.4 s unless set, and needs key frames at most 2 s
 * apart.
 *
 * The base layer goes to #GstLmccSink:address and #GstLmccSink:port, layer i to
 * the i-th address after it. An elementary stream gets the stock RTP payloader
 * in front; RTP is taken as it is. All pads must carry the same codec.
 *
 * Raw video, on one pad, is encoded here, by #x264ladderenc: rungs of three
 * temporal classes, with rates that suit the picture, or the layers where these
 * have fixed rates. With #GstLmccSink:codec it is #vp9svcenc or #j2klayerenc
 * instead. #GstLmccSink:encoder-settings and #GstLmccSink::encoder-setup change
 * how.
 *
 * Sound goes in at `audio_sink`: Opus, AAC, their RTP, or raw sound, which is
 * encoded as Opus. It travels in the base layer as a stream of its own. There
 * has to be a video beside it.
 *
 * With several rungs the encoders are asked, by force-key-unit events, for key
 * frames at the same pictures. Put a queue in front of each encoder.
 *
 * ## Examples
 *
 * A raw video, in as many layers as suit it:
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! lmccsink address=239.255.42.1
 * ]|
 * Its receiver:
 * |[
 * gst-play-1.0 lmcc://239.255.42.1:5004
 * ]|
 * Three temporal classes of one encoding, to receivers on this host:
 * |[
 * gst-launch-1.0 videotestsrc is-live=true \
 *     ! x264enc b-pyramid=true bframes=3 key-int-max=50 \
 *     ! lmccsink multicast-iface=lo
 * ]|
 * Its receiver:
 * |[
 * gst-launch-1.0 lmccsrc address=239.255.42.1 multicast-iface=lo \
 *     ! decodebin ! autovideosink
 * ]|
 * Two rungs with key frames at the same pictures every 2 s:
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! tee name=t \
 *     t. ! queue ! x264enc bitrate=300 tune=zerolatency ! lmcc.sink_0 \
 *     t. ! queue ! x264enc bitrate=1200 tune=zerolatency ! lmcc.sink_1 \
 *     lmccsink name=lmcc key-unit-interval=2000 sdp-location=/tmp/session.sdp
 * ]|
 * The same in layers of 400, 400, 800 and 1600 kbit/s:
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! tee name=t \
 *     t. ! queue ! x264enc bitrate=300 tune=zerolatency ! lmcc.sink_0 \
 *     t. ! queue ! x264enc bitrate=1200 tune=zerolatency ! lmcc.sink_1 \
 *     lmccsink name=lmcc key-unit-interval=2000 layering=doubling layers=4 \
 *     base-rate=400000
 * ]|
 *
 * One rate for all receivers, that the network gives:
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! x264enc tune=zerolatency ! \
 *     lmccsink multicast-iface=lo algorithm=pgmcc drive-encoder=true
 * ]|
 * The lowest of several encodings at the slowest receiver's rate, the others
 * for those that can have more:
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! tee name=t \
 *     t. ! queue ! x264enc bitrate=300 tune=zerolatency ! lmcc.sink_0 \
 *     t. ! queue ! x264enc bitrate=1200 tune=zerolatency ! lmcc.sink_1 \
 *     lmccsink name=lmcc multicast-iface=lo key-unit-interval=2000 \
 *     base-algorithm=tfmcc drive-encoder=true
 * ]|
 *
 * With sound:
 * |[
 * gst-launch-1.0 lmccsink name=lmcc multicast-iface=lo \
 *     videotestsrc is-live=true ! queue ! x264enc key-int-max=50 ! lmcc.sink_0
 *     \ audiotestsrc is-live=true ! queue ! opusenc ! lmcc.audio_sink
 * ]|
 *
 * Since: 0.1
 */
#include "config.h"

#include "gstlmccsink.h"

#include <stdio.h>
#include <string.h>

#include "gstlmccenums.h"
#include "gstlmccsinkcore.h"
#include "gstlmccsinkladder.h"
#include "gstlmccsinkprops.h"

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink_%u",
    GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS_ANY);

static GstStaticPadTemplate sound_template =
    GST_STATIC_PAD_TEMPLATE ("audio_sink", GST_PAD_SINK, GST_PAD_REQUEST,
    GST_STATIC_CAPS ("application/x-rtp, media=(string)audio; audio/x-opus; "
        "audio/mpeg, mpegversion=(int)4, stream-format=(string)raw; "
        "audio/x-raw"));

enum
{
  SIGNAL_ENCODER_SETUP,
  SIGNAL_ENCODER_BITRATE,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

struct _GstLmccSink
{
  GstBin parent;

  GstLmccSinkCore *core;

  /* OBJECT_LOCK */
  GstLmccSinkProps props;
  guint next_pad;
};

#define gst_lmcc_sink_parent_class parent_class
G_DEFINE_TYPE (GstLmccSink, gst_lmcc_sink, GST_TYPE_BIN);
GST_ELEMENT_REGISTER_DEFINE (lmccsink, "lmccsink", GST_RANK_NONE,
    GST_TYPE_LMCC_SINK);

/* What the core tells */

static void
on_changed (gpointer user_data, const gchar * property)
{
  g_object_notify (user_data, property);
}

static gboolean
on_drive (gpointer user_data, GstElement * encoder, guint64 bitrate)
{
  gboolean handled = FALSE;

  g_signal_emit (user_data, signals[SIGNAL_ENCODER_BITRATE], 0, encoder,
      bitrate, &handled);
  return handled;
}

/* Pads */

static guint
get_payloader_mtu (GstLmccSink * self)
{
  guint mtu;

  GST_OBJECT_LOCK (self);
  mtu = self->props.mtu - LMCC_RTP_OVERHEAD;
  /* Repair packets are larger than what they repair. */
  if (gst_lmcc_sink_props_get_repair (&self->props) > 0)
    mtu -= LMCC_REPAIR_OVERHEAD;
  GST_OBJECT_UNLOCK (self);
  return mtu;
}

/* Takes over @payloader. */
static GstPad *
link_payloader (GstLmccSink * self, GstPad * core_pad, GstCaps * caps,
    GstElement * payloader)
{
  g_autoptr (GstPad) src = NULL;

  if (payloader == NULL) {
    GST_ELEMENT_ERROR (self, STREAM, CODEC_NOT_FOUND,
        ("There is no RTP payloader for %s. Install the GStreamer plugins that "
            "have one (gstreamer1.0-plugins-good and -bad).",
            gst_structure_get_name (gst_caps_get_structure (caps, 0))),
        ("caps %" GST_PTR_FORMAT, caps));
    return NULL;
  }
  gst_bin_add (GST_BIN (self), payloader);
  src = gst_element_get_static_pad (payloader, "src");
  if (gst_pad_link (src, core_pad) != GST_PAD_LINK_OK
      || !gst_element_sync_state_with_parent (payloader)) {
    GST_ELEMENT_ERROR (self, CORE, NEGOTIATION, (NULL),
        ("payloader %" GST_PTR_FORMAT " does not link", payloader));
    return NULL;
  }
  g_object_set_data (G_OBJECT (core_pad), "payloader", payloader);
  return gst_element_get_static_pad (payloader, "sink");
}

static gboolean
is_sound (GstPad * ghost)
{
  return g_str_equal (GST_PAD_NAME (ghost), "audio_sink");
}

static guint
count_video_pads (GstLmccSink * self)
{
  GList *pads = gst_lmcc_sink_list_pads (GST_ELEMENT (self)), *l;
  guint n = 0;

  for (l = pads; l; l = l->next)
    n += !is_sound (l->data);
  g_list_free_full (pads, gst_object_unref);
  return n;
}

static void
relay_encoder_setup (GstElement * ladder, GstElement * encoder, guint rung,
    gpointer self)
{
  g_signal_emit (self, signals[SIGNAL_ENCODER_SETUP], 0, encoder, rung);
}

static void
read_ladder_settings (GstLmccSink * self, GstLmccSinkLadderSettings * settings)
{
  const GstLmccSinkProps *props = &self->props;
  LmccAddress address;

  memset (settings, 0, sizeof (*settings));
  GST_OBJECT_LOCK (self);
  settings->codec = g_strdup (props->codec);
  if (props->encoder_settings)
    settings->encoder = gst_structure_copy (props->encoder_settings);
  /* They are possible: the sockets are open. */
  if (props->layering != GST_LMCC_LAYERING_NATIVE)
    settings->n_layers = gst_lmcc_sink_props_get_rates (props, settings->rates,
        NULL);
  settings->window = props->window;
  settings->key_unit_interval = props->key_unit_interval;
  settings->mtu = props->mtu;
  settings->ip_overhead = lmcc_address_parse (props->address, &address)
      && address.family == LMCC_FAMILY_IPV6 ? 48 : 28;
  GST_OBJECT_UNLOCK (self);
}

/* Raw sound is encoded as Opus. */
static GstPad *
link_encoder (GstLmccSink * self, GstPad * core_pad)
{
  g_autoptr (GstCaps) opus = gst_caps_new_empty_simple ("audio/x-opus");
  g_autoptr (GError) error = NULL;
  g_autoptr (GstPad) src = NULL, sink = NULL;
  GstElement *encoder = gst_lmcc_sink_sound_make_encoder (&error);

  if (encoder == NULL) {
    GST_ELEMENT_ERROR (self, CORE, MISSING_PLUGIN,
        ("Raw sound cannot be encoded: %s. Install "
            "gstreamer1.0-plugins-base, or put an encoder in front.",
            error->message), (NULL));
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

/* Raw video makes all rungs of the session itself. */
static GstPad *
link_ladder (GstLmccSink * self, GstPad * ghost, GstPad * core_pad,
    GstCaps * caps)
{
  GstLmccSinkLadderSettings settings;
  GstLmccSinkLadder *ladder;
  guint index = 0;

  if (count_video_pads (self) > 1) {
    GST_ELEMENT_ERROR (self, STREAM, WRONG_TYPE,
        ("Raw video is on %s, and there are other pads: lmccsink makes all "
            "encodings of a raw video itself. Connect it alone, or encoded "
            "videos to all pads.", GST_PAD_NAME (ghost)), (NULL));
    return NULL;
  }
  sscanf (GST_PAD_NAME (ghost), "sink_%u", &index);
  read_ladder_settings (self, &settings);
  ladder = gst_lmcc_sink_ladder_new (GST_BIN (self), self->core, core_pad,
      index, caps, &settings, relay_encoder_setup);
  gst_lmcc_sink_ladder_settings_clear (&settings);
  if (ladder == NULL)
    return NULL;
  g_object_set_data (G_OBJECT (core_pad), "ladder", ladder);
  return gst_lmcc_sink_ladder_get_sink (ladder);
}

static gboolean
set_target (GstLmccSink * self, GstPad * ghost, GstCaps * caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  GstPad *core_pad = g_object_get_data (G_OBJECT (ghost), "core-pad");
  g_autoptr (GstPad) target = NULL;

  if (gst_structure_has_name (s, "application/x-rtp"))
    target = gst_object_ref (core_pad);
  else if (gst_structure_has_name (s, "audio/x-raw") && is_sound (ghost))
    target = link_encoder (self, core_pad);
  else if (is_sound (ghost))
    target = link_payloader (self, core_pad, caps,
        gst_lmcc_sink_make_sound_payloader (caps, get_payloader_mtu (self)));
  else if (gst_structure_has_name (s, "video/x-raw"))
    target = link_ladder (self, ghost, core_pad, caps);
  else
    target = link_payloader (self, core_pad, caps,
        gst_lmcc_sink_make_payloader (caps, get_payloader_mtu (self)));
  return target && gst_ghost_pad_set_target (GST_GHOST_PAD (ghost), target);
}

static GstLmccSinkLadder *
get_ladder (GstPad * ghost)
{
  GstPad *core_pad = g_object_get_data (G_OBJECT (ghost), "core-pad");

  return g_object_get_data (G_OBJECT (core_pad), "ladder");
}

static gboolean
has_target (GstPad * ghost)
{
  g_autoptr (GstPad) target = gst_ghost_pad_get_target (GST_GHOST_PAD (ghost));

  return target != NULL;
}

static gboolean
ghost_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS && !has_target (pad)) {
    gst_event_parse_caps (event, &caps);
    if (!set_target (GST_LMCC_SINK (parent), pad, caps)) {
      gst_event_unref (event);
      return FALSE;
    }
  }
  return gst_pad_event_default (pad, parent, event);
}

/* Encoded video. Raw video too, where there is nothing else. */
static GstCaps *
offered_caps (GstCaps * filter)
{
  g_autoptr (GstCaps) encoded = gst_lmcc_sink_accepted_caps ();
  g_autoptr (GstCaps) raw = gst_caps_new_empty_simple ("video/x-raw");
  GstCaps *offered;

  if (filter == NULL)
    return gst_caps_merge (g_steal_pointer (&encoded), g_steal_pointer (&raw));
  offered = gst_caps_intersect_full (filter, encoded, GST_CAPS_INTERSECT_FIRST);
  if (!gst_caps_is_empty (offered))
    return offered;
  gst_caps_unref (offered);
  return gst_caps_intersect_full (filter, raw, GST_CAPS_INTERSECT_FIRST);
}

static GstCaps *
offered_sound_caps (GstPad * pad, GstCaps * filter)
{
  g_autoptr (GstCaps) all = gst_pad_get_pad_template_caps (pad);

  return filter ? gst_caps_intersect_full (filter, all,
      GST_CAPS_INTERSECT_FIRST) : gst_caps_ref (all);
}

static gboolean
ghost_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  if (has_target (pad))
    return gst_pad_query_default (pad, parent, query);
  if (GST_QUERY_TYPE (query) == GST_QUERY_CAPS) {
    g_autoptr (GstCaps) caps = NULL;
    GstCaps *filter;

    gst_query_parse_caps (query, &filter);
    caps = is_sound (pad) ? offered_sound_caps (pad, filter)
        : offered_caps (filter);
    gst_query_set_caps_result (query, caps);
    return TRUE;
  }
  if (GST_QUERY_TYPE (query) == GST_QUERY_ACCEPT_CAPS) {
    /* The caps event then gets the error that says what is wrong with them. */
    gst_query_set_accept_caps_result (query, TRUE);
    return TRUE;
  }
  return gst_pad_query_default (pad, parent, query);
}

static guint
choose_index (GstLmccSink * self, const gchar * name)
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
has_ladder (GstLmccSink * self)
{
  GList *pads = gst_lmcc_sink_list_pads (GST_ELEMENT (self)), *l;
  gboolean found = FALSE;

  for (l = pads; l; l = l->next)
    found = found || get_ladder (l->data);
  g_list_free_full (pads, gst_object_unref);
  return found;
}

static GstPad *
add_ghost (GstLmccSink * self, GstPadTemplate * templ, const gchar * name,
    GstPad * core_pad)
{
  GstPad *ghost = gst_ghost_pad_new_no_target_from_template (name, templ);

  g_object_set_data (G_OBJECT (ghost), "core-pad", core_pad);
  gst_pad_set_event_function (ghost, GST_DEBUG_FUNCPTR (ghost_event));
  gst_pad_set_query_function (ghost, GST_DEBUG_FUNCPTR (ghost_query));
  gst_pad_set_active (ghost, TRUE);
  gst_element_add_pad (GST_ELEMENT (self), ghost);
  return ghost;
}

static GstPad *
request_sound_pad (GstLmccSink * self, GstPadTemplate * templ)
{
  GstPad *core_pad = gst_lmcc_sink_core_add_sound_pad (self->core);

  if (core_pad)
    return add_ghost (self, templ, "audio_sink", core_pad);
  GST_ELEMENT_WARNING (self, STREAM, FAILED,
      ("No pad for sound: there is one at most, and it must be there before "
          "the session starts."), (NULL));
  return NULL;
}

static GstPad *
gst_lmcc_sink_request_new_pad (GstElement * element, GstPadTemplate * templ,
    const gchar * name, const GstCaps * caps)
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
        ("No further pad: there are %u at most, one for raw video, and they "
            "must be there before the session starts.", LMCC_MAX_RUNGS),
        (NULL));
    return NULL;
  }
  return add_ghost (self, templ, pad_name, core_pad);
}

static void
remove_element (GstLmccSink * self, GstPad * core_pad, const gchar * key)
{
  GstElement *element = g_object_get_data (G_OBJECT (core_pad), key);

  if (element == NULL)
    return;
  g_object_set_data (G_OBJECT (core_pad), key, NULL);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_bin_remove (GST_BIN (self), element);
}

/* The target goes with the codec: in another run the pad may carry another
 * one. */
static void
clear_target (GstLmccSink * self, GstPad * ghost)
{
  GstPad *core_pad = g_object_get_data (G_OBJECT (ghost), "core-pad");
  GstLmccSinkLadder *ladder = get_ladder (ghost);

  gst_ghost_pad_set_target (GST_GHOST_PAD (ghost), NULL);
  g_object_set_data (G_OBJECT (core_pad), "ladder", NULL);
  g_clear_pointer (&ladder, gst_lmcc_sink_ladder_free);
  remove_element (self, core_pad, "sound-encoder");
  remove_element (self, core_pad, "payloader");
}

static void
gst_lmcc_sink_release_pad (GstElement * element, GstPad * pad)
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

/* State */

static gboolean
parse_group (GstLmccSink * self, const gchar * text, LmccAddress * address)
{
  if (lmcc_address_parse (text ? text : "", address)
      && lmcc_address_is_multicast (address))
    return TRUE;
  GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS,
      ("The address '%s' is not a multicast group. Set address to one of "
          "239.0.0.0 to 239.255.255.255 or an IPv6 group, as %s.",
          text ? text : "", DEFAULT_ADDRESS), (NULL));
  return FALSE;
}

static gboolean
parse_bind_address (GstLmccSink * self, const gchar * text,
    LmccAddress * address)
{
  if (text == NULL || text[0] == '\0' || lmcc_address_parse (text, address))
    return TRUE;
  GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS,
      ("The bind-address '%s' is not an IP address.", text), (NULL));
  return FALSE;
}

static const gchar *
algorithm_name (gint value)
{
  return value == GST_LMCC_ALGORITHM_AUTO ? DEFAULT_ALGORITHM
      : gst_lmcc_algorithm_to_name (value);
}

static gboolean
open_core (GstLmccSink * self)
{
  const GstLmccSinkProps *props = &self->props;
  GstLmccSinkSettings settings = { {0}, };
  g_autofree gchar *address = NULL, *bind_address = NULL;
  g_autoptr (GError) error = NULL, settings_error = NULL;

  GST_OBJECT_LOCK (self);
  address = g_strdup (props->address);
  bind_address = g_strdup (props->bind_address);
  settings.port = (guint16) props->port;
  settings.multicast_iface = g_strdup (props->multicast_iface);
  settings.ttl = (guint) props->ttl_mc;
  settings.loop = props->loop;
  settings.dscp = props->qos_dscp;
  settings.buffer_size = (guint) props->buffer_size;
  settings.mtu = props->mtu;
  settings.window = props->window * LMCC_MSECOND;
  settings.latency = props->latency * LMCC_MSECOND;
  settings.algorithm = algorithm_name (props->algorithm);
  settings.base_algorithm = gst_lmcc_algorithm_to_name (props->base_algorithm);
  settings.rtt_max = props->rtt_max * LMCC_MSECOND;
  settings.drive_encoder = props->drive_encoder;
  settings.min_bitrate = props->min_bitrate;
  settings.max_bitrate = props->max_bitrate;
  settings.feedback = props->feedback;
  settings.feedback_port = (guint16) props->feedback_port;
  settings.payload_type = props->pt;
  settings.repair = gst_lmcc_sink_props_get_repair (props);
  settings.repair_base = gst_lmcc_sink_props_get_repair_base (props);
  settings.repair_loss = props->repair_loss;
  settings.repair_burst = props->repair_burst;
  settings.repair_block = props->repair_delay * LMCC_MSECOND;
  settings.sync = props->sync;
  settings.rung_timeout = props->rung_timeout * LMCC_MSECOND;
  settings.key_unit_interval = props->key_unit_interval * LMCC_MSECOND;
  settings.stats_interval = props->stats_update_interval * LMCC_MSECOND;
  settings.sdp_location = g_strdup (props->sdp_location);
  if (props->layering != GST_LMCC_LAYERING_NATIVE)
    settings.n_layers = gst_lmcc_sink_props_get_rates (props, settings.rates,
        &error);
  if (!error)
    gst_lmcc_sink_marks_read (&settings.marks, props->algorithm_settings,
        settings.algorithm, settings.n_layers, &settings_error);
  GST_OBJECT_UNLOCK (self);
  if (error)
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS,
        ("These layers are not possible: %s.", error->message), (NULL));
  else if (settings_error)
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS,
        ("The algorithm-settings cannot be used: %s", settings_error->message),
        (NULL));
  else if (parse_group (self, address, &settings.address)
      && parse_bind_address (self, bind_address, &settings.bind_address))
    return gst_lmcc_sink_core_open (self->core, &settings);
  g_free (settings.multicast_iface);
  g_free (settings.sdp_location);
  return FALSE;
}

static void
clear_targets (GstLmccSink * self)
{
  GList *pads, *l;

  pads = gst_lmcc_sink_list_pads (GST_ELEMENT (self));
  for (l = pads; l; l = l->next)
    clear_target (self, l->data);
  g_list_free_full (pads, gst_object_unref);
}

static GstStateChangeReturn
gst_lmcc_sink_change_state (GstElement * element, GstStateChange transition)
{
  GstLmccSink *self = GST_LMCC_SINK (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_NULL_TO_READY && !open_core (self))
    return GST_STATE_CHANGE_FAILURE;
  ret = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  switch (transition) {
    case GST_STATE_CHANGE_PAUSED_TO_READY:
      clear_targets (self);
      break;
    case GST_STATE_CHANGE_READY_TO_NULL:
      gst_lmcc_sink_core_close (self->core);
      break;
    default:
      break;
  }
  return ret;
}

/* Properties */

static void
gst_lmcc_sink_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstLmccSink *self = GST_LMCC_SINK (object);
  gboolean known;

  GST_OBJECT_LOCK (self);
  known = gst_lmcc_sink_props_set (&self->props, id, value);
  GST_OBJECT_UNLOCK (self);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
gst_lmcc_sink_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstLmccSink *self = GST_LMCC_SINK (object);
  gboolean known;

  /* These take the core's locks. */
  if (id == PROP_SDP) {
    g_value_take_string (value, gst_lmcc_sink_core_get_sdp (self->core));
    return;
  }
  if (id == PROP_ESTIMATED_BITRATE) {
    g_value_set_uint64 (value,
        gst_lmcc_sink_core_get_estimated_bitrate (self->core));
    return;
  }
  if (id == PROP_STATS) {
    g_value_take_boxed (value, gst_lmcc_sink_core_get_stats (self->core));
    return;
  }
  GST_OBJECT_LOCK (self);
  known = gst_lmcc_sink_props_get (&self->props, id, value);
  GST_OBJECT_UNLOCK (self);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

/* The pads go before the core does, which the bin's dispose lets go. */
static void
gst_lmcc_sink_dispose (GObject * object)
{
  GstElement *element = GST_ELEMENT (object);
  GList *pads = gst_lmcc_sink_list_pads (element), *l;

  for (l = pads; l; l = l->next)
    gst_element_release_request_pad (element, l->data);
  g_list_free_full (pads, gst_object_unref);
  G_OBJECT_CLASS (parent_class)->dispose (object);
}

static void
gst_lmcc_sink_finalize (GObject * object)
{
  GstLmccSink *self = GST_LMCC_SINK (object);

  gst_object_unref (self->core);
  gst_lmcc_sink_props_clear (&self->props);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_lmcc_sink_class_init (GstLmccSinkClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_lmcc_sink_debug, "lmccsink", 0,
      "Layered multicast sender");
  object_class->set_property = gst_lmcc_sink_set_property;
  object_class->get_property = gst_lmcc_sink_get_property;
  object_class->dispose = gst_lmcc_sink_dispose;
  object_class->finalize = gst_lmcc_sink_finalize;
  element_class->change_state = GST_DEBUG_FUNCPTR (gst_lmcc_sink_change_state);
  element_class->request_new_pad =
      GST_DEBUG_FUNCPTR (gst_lmcc_sink_request_new_pad);
  element_class->release_pad = GST_DEBUG_FUNCPTR (gst_lmcc_sink_release_pad);
  gst_lmcc_sink_install_properties (object_class);
  /**
   * GstLmccSink::encoder-setup:
   * @sink: lmccsink
   * @encoder: an encoder of raw video with all its settings, in state NULL
   * @rung: which, 0 for the lowest
   *
   * Emitted for each encoder that lmccsink makes, before it gets its first
   * picture, from a streaming thread: the place to change any of its
   * properties. See #GstX264LadderEnc::encoder-setup.
   *
   * Since: 0.1
   */
  signals[SIGNAL_ENCODER_SETUP] = g_signal_new ("encoder-setup",
      G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
      G_TYPE_NONE, 2, GST_TYPE_ELEMENT, G_TYPE_UINT);
  /**
   * GstLmccSink::encoder-bitrate:
   * @sink: lmccsink
   * @encoder: (nullable): the encoder in front, if it is one of those that
   *     #GstLmccSink:drive-encoder knows
   * @bitrate: what it is to make, bit/s, within the bounds
   *
   * Emitted with #GstLmccSink:drive-encoder, from a thread of its own, whenever
   * the encoder is to make another rate: for encoders that lmccsink does not
   * know.
   *
   * Returns: %TRUE if the rate was set; else lmccsink sets it where it can
   *
   * Since: 0.1
   */
  signals[SIGNAL_ENCODER_BITRATE] = g_signal_new ("encoder-bitrate",
      G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
      g_signal_accumulator_true_handled, NULL, NULL, G_TYPE_BOOLEAN, 2,
      GST_TYPE_ELEMENT, G_TYPE_UINT64);
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &sound_template);
  gst_element_class_set_static_metadata (element_class,
      "Layered multicast sink", "Sink/Network/RTP",
      "Sends video in layers, each to a multicast group of its own",
      "The lmcc project");
}

static void
gst_lmcc_sink_init (GstLmccSink * self)
{
  const GstLmccSinkCallbacks callbacks = { on_changed, on_drive, self };

  gst_lmcc_sink_props_init (&self->props);
  self->core = gst_lmcc_sink_core_new (&callbacks);
  gst_object_ref_sink (self->core);
  gst_bin_add (GST_BIN (self), GST_ELEMENT (self->core));
  GST_OBJECT_FLAG_SET (self, GST_ELEMENT_FLAG_SINK);
}
