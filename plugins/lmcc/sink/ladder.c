/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The encoders inside lmccsink that make layers of raw video. */
#include "config.h"

#include "sink/ladder.h"

#include <plugins/common/messages.h>

#include <gst/lmcc/lmcc-packet.h>

#include <string.h>

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

struct _GstLmccSinkLadder
{
  GstBin *sink;
  GstLmccSinkCore *core;
  const GstLmccSinkEncoder *codec;
  GstElement *element;
  GstElement *converter; /* NULL if the element accepts all raw video */
  /* One for each rung. */
  GPtrArray *payloaders;
  /* For all rungs except the lowest, whose pad belongs to lmccsink. */
  GPtrArray *core_pads;
};

static void
post_error (GstLmccSinkLadder *ladder, const GError *error)
{
  gst_element_message_full (GST_ELEMENT (ladder->sink), GST_MESSAGE_ERROR,
      error->domain, error->code, g_strdup (error->message), NULL, __FILE__,
      GST_FUNCTION, __LINE__);
}

static GstElement *
add_element (GstLmccSinkLadder *ladder, const gchar *factory)
{
  GstElement *element = gst_element_factory_make (factory, NULL);

  if (element == NULL)
    return NULL;
  /* The bin may be changing its state, which must not affect incomplete
   * elements. */
  gst_element_set_locked_state (element, TRUE);
  gst_bin_add (ladder->sink, element);
  return element;
}

static gboolean
make_element (GstLmccSinkLadder *ladder)
{
  ladder->element = add_element (ladder, ladder->codec->factory);
  if (ladder->element)
    return TRUE;
  GST_ELEMENT_ERROR (ladder->sink, CORE, MISSING_PLUGIN,
      (_ ("The element %s, which encodes raw video, is missing. It is part of "
          "%s; set GST_PLUGIN_PATH_1_0 if it is installed elsewhere. Or put an "
          "encoder upstream of lmccsink."),
          ladder->codec->factory, _ (ladder->codec->origin)),
      (NULL));
  return FALSE;
}

static gboolean
make_converter (GstLmccSinkLadder *ladder)
{
  if (ladder->codec->converts)
    return TRUE;
  ladder->converter = add_element (ladder, "videoconvert");
  if (ladder->converter)
    return gst_element_link (ladder->converter, ladder->element);
  GST_ELEMENT_ERROR (ladder->sink, CORE, MISSING_PLUGIN,
      (_ ("The element videoconvert, which %s needs for raw video, is missing. "
          "Install gstreamer1.0-plugins-base."),
          ladder->codec->factory),
      (NULL));
  return FALSE;
}

/* Connections of the rungs to the core */

static GstPad *
get_core_pad (GstLmccSinkLadder *ladder, GstPad *first, guint index, guint rung)
{
  GstPad *pad;

  if (rung == 0)
    return first;
  pad = gst_lmcc_sink_core_add_pad (ladder->core, index + rung);
  if (pad)
    g_ptr_array_add (ladder->core_pads, pad);
  return pad;
}

static GstPad *
get_encoded_pad (GstLmccSinkLadder *ladder, guint rung)
{
  g_autofree gchar *name = NULL;

  if (strchr (ladder->codec->pad, '%') == NULL)
    return gst_element_get_static_pad (ladder->element, ladder->codec->pad);
  name = g_strdup_printf ("src_%u", rung);
  return gst_element_request_pad_simple (ladder->element, name);
}

static gboolean
link_rung (GstLmccSinkLadder *ladder, GstPad *core_pad, guint rung, guint mtu)
{
  g_autoptr (GstPad) encoded = get_encoded_pad (ladder, rung);
  g_autoptr (GstCaps) caps = gst_caps_from_string (ladder->codec->encoded);
  g_autoptr (GstPad) sink = NULL, src = NULL;
  GstElement *payloader;

  /* The element has posted the error. */
  if (encoded == NULL)
    return FALSE;
  payloader = gst_lmcc_sink_make_payloader (caps, mtu - LMCC_RTP_OVERHEAD);
  if (payloader == NULL || core_pad == NULL) {
    GST_ELEMENT_ERROR (ladder->sink, STREAM, CODEC_NOT_FOUND,
        (_ ("The RTP payloader for %s is missing. Install "
            "gstreamer1.0-plugins-good."),
            gst_structure_get_name (gst_caps_get_structure (caps, 0))),
        (NULL));
    return FALSE;
  }
  g_ptr_array_add (ladder->payloaders, payloader);
  gst_bin_add (ladder->sink, payloader);
  sink = gst_element_get_static_pad (payloader, "sink");
  src = gst_element_get_static_pad (payloader, "src");
  return gst_pad_link (encoded, sink) == GST_PAD_LINK_OK
      && gst_pad_link (src, core_pad) == GST_PAD_LINK_OK
      && gst_element_sync_state_with_parent (payloader);
}

static gboolean
start_element (GstElement *element)
{
  gst_element_set_locked_state (element, FALSE);
  return gst_element_sync_state_with_parent (element);
}

static gboolean
build (GstLmccSinkLadder *ladder, GstPad *core_pad, guint index, GstCaps *caps,
    const GstLmccSinkSettings *settings)
{
  g_autoptr (GError) error = NULL;
  LmccTime key_distance = 0;
  guint n, rung;

  n = gst_lmcc_sink_encoder_set_up (ladder->codec, ladder->element, caps,
      settings, &key_distance, &error);
  if (n == 0) {
    post_error (ladder, error);
    return FALSE;
  }
  gst_lmcc_sink_core_set_own_key_distance (ladder->core, key_distance);
  for (rung = 0; rung < n; rung++) {
    if (!link_rung (ladder, get_core_pad (ladder, core_pad, index, rung), rung,
            settings->properties.mtu))
      return FALSE;
  }
  return TRUE;
}

/* A single encoder has no encoder-setup signal of its own. */
static void
hand_out (GstLmccSinkLadder *ladder, GstLmccSinkEncoderSetup encoder_setup)
{
  if (!ladder->codec->sets_up)
    encoder_setup (ladder->element, ladder->element, 0, ladder->sink);
}

/**
 * gst_lmcc_sink_ladder_new:
 * @sink: lmccsink, which gets the elements and posts errors
 * @core: its core
 * @core_pad: the core's pad for the lowest rung
 * @index: index of that pad
 * @caps: caps of the raw video
 * @settings: settings of the encoding
 * @encoder_setup: (scope notified): called for each encoder before its first
 *     picture, with @sink as user data
 *
 * Returns: (transfer full) (nullable): running encoders, or %NULL after an
 * error
 */
GstLmccSinkLadder *
gst_lmcc_sink_ladder_new (GstBin *sink, GstLmccSinkCore *core, GstPad *core_pad,
    guint index, GstCaps *caps, const GstLmccSinkSettings *settings,
    GstLmccSinkEncoderSetup encoder_setup)
{
  GstLmccSinkLadder *ladder = g_new0 (GstLmccSinkLadder, 1);

  ladder->sink = sink;
  ladder->core = core;
  ladder->payloaders = g_ptr_array_new ();
  ladder->core_pads = g_ptr_array_new ();
  ladder->codec = gst_lmcc_sink_encoder_find (settings->properties.codec);
  if (make_element (ladder) && make_converter (ladder)) {
    if (ladder->codec->sets_up)
      g_signal_connect (ladder->element, "encoder-setup",
          G_CALLBACK (encoder_setup), sink);
    if (build (ladder, core_pad, index, caps, settings)) {
      hand_out (ladder, encoder_setup);
      if (start_element (ladder->element)
          && (ladder->converter == NULL || start_element (ladder->converter)))
        return ladder;
    }
  }
  gst_lmcc_sink_ladder_free (ladder);
  return NULL;
}

/**
 * gst_lmcc_sink_ladder_get_sink:
 * @ladder: the encoders
 *
 * Returns: (transfer full): the pad for raw video
 */
GstPad *
gst_lmcc_sink_ladder_get_sink (GstLmccSinkLadder *ladder)
{
  return gst_element_get_static_pad (ladder->converter ? ladder->converter
                                                       : ladder->element,
      "sink");
}

/**
 * gst_lmcc_sink_ladder_let_go:
 * @ladder: the encoders, which are about to be freed
 *
 * Unblocks streaming threads that wait in the core.
 */
void
gst_lmcc_sink_ladder_let_go (GstLmccSinkLadder *ladder)
{
  guint i;

  for (i = 0; i < ladder->core_pads->len; i++)
    gst_lmcc_sink_core_let_go (ladder->core,
        g_ptr_array_index (ladder->core_pads, i));
}

static void
remove_element (GstLmccSinkLadder *ladder, GstElement *element)
{
  gst_element_set_locked_state (element, TRUE);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_bin_remove (ladder->sink, element);
}

/**
 * gst_lmcc_sink_ladder_free:
 * @ladder: (transfer full): the encoders; no upstream thread is inside
 */
void
gst_lmcc_sink_ladder_free (GstLmccSinkLadder *ladder)
{
  guint i;

  gst_lmcc_sink_ladder_let_go (ladder);
  if (ladder->converter)
    remove_element (ladder, ladder->converter);
  if (ladder->element)
    remove_element (ladder, ladder->element);
  for (i = 0; i < ladder->payloaders->len; i++)
    remove_element (ladder, g_ptr_array_index (ladder->payloaders, i));
  for (i = 0; i < ladder->core_pads->len; i++)
    gst_lmcc_sink_core_remove_pad (ladder->core,
        g_ptr_array_index (ladder->core_pads, i));
  g_ptr_array_unref (ladder->payloaders);
  g_ptr_array_unref (ladder->core_pads);
  g_free (ladder);
}
