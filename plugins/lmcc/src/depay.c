/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-lmccdepay
 * @title: lmccdepay
 * @see_also: #lmccsrc
 *
 * Depayloads RTP with the depayloader of its codec. When the caps change to
 * another codec, lmccdepay removes its source pad and adds a new one with the
 * depayloader of that codec, as a demuxer does with a file that contains
 * several others in a row. decodebin, decodebin3 and players then plug the
 * decoders of the new codec; with a depayloader alone they would stop.
 *
 * They put lmccdepay behind #lmccsrc automatically if that is made from a URI.
 *
 * ## Examples
 *
 * decodebin plugs it:
 * |[
 * gst-launch-1.0 uridecodebin uri=lmcc://239.255.42.1:5004 \
 *     ! videoconvert ! autovideosink
 * ]|
 *
 * Since: 0.1
 */
#include "config.h"

#include "src/depay.h"

#include <plugins/common/messages.h>

#include <gst/lmcc/lmcc.h>
#include <gst/pbutils/pbutils.h>

GST_DEBUG_CATEGORY_STATIC (gst_lmcc_depay_debug);
#define GST_CAT_DEFAULT gst_lmcc_depay_debug

typedef struct
{
  GstElement *depayloader;
  GstPad *pad;
} Output;

/**
 * GstLmccDepay:
 * @sink: its sink pad
 * @output: depayloader of the current codec; empty before there is one
 * @encoding: encoding name of the current codec
 * @n_pads: number of source pads so far
 *
 * All fields except @sink belong to the streaming thread while it runs.
 */
struct _GstLmccDepay
{
  GstBin parent;

  GstPad *sink;
  Output output;
  gchar encoding[LMCC_ENCODING_NAME_SIZE];
  guint n_pads;
};

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
        GST_STATIC_CAPS (
            "application/x-rtp, " GST_LMCC_DEPAY_FIELD "=(boolean)true"));

/* Several pads make it a demuxer for decodebin. */
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src_%u",
    GST_PAD_SRC, GST_PAD_SOMETIMES, GST_STATIC_CAPS_ANY);

#define gst_lmcc_depay_parent_class parent_class
G_DEFINE_TYPE (GstLmccDepay, gst_lmcc_depay, GST_TYPE_BIN);
/* Above the rank of the depayloaders, which accept the same caps. */
GST_ELEMENT_REGISTER_DEFINE (lmccdepay, "lmccdepay", GST_RANK_PRIMARY + 1,
    GST_TYPE_LMCC_DEPAY);

static GstElement *
make_depayloader (GstCaps *caps)
{
  GList *all = gst_element_factory_list_get_elements (
      GST_ELEMENT_FACTORY_TYPE_DEPAYLOADER, GST_RANK_MARGINAL);
  GList *fit = gst_element_factory_list_filter (all, caps, GST_PAD_SINK, TRUE);
  GstElement *made = NULL;

  fit = g_list_sort (fit, gst_plugin_feature_rank_compare_func);
  if (fit)
    made = gst_element_factory_create (fit->data, NULL);
  gst_plugin_feature_list_free (fit);
  gst_plugin_feature_list_free (all);
  return made;
}

static void
remove_output (GstLmccDepay *self, Output *output)
{
  gst_pad_set_active (output->pad, FALSE);
  gst_element_remove_pad (GST_ELEMENT (self), output->pad);
  gst_element_set_state (output->depayloader, GST_STATE_NULL);
  gst_bin_remove (GST_BIN (self), output->depayloader);
  *output = (Output){ NULL, NULL };
}

/* Elements select streams by their ids, so the stream of a new codec gets a new
 * id. The group stays the same, because the other streams continue. */
static GstPadProbeReturn
name_stream (GstPad *pad G_GNUC_UNUSED, GstPadProbeInfo *info, gpointer data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  g_autofree gchar *id = NULL;
  const gchar *before;
  GstEvent *named;
  guint group;

  if (GST_EVENT_TYPE (event) != GST_EVENT_STREAM_START)
    return GST_PAD_PROBE_OK;
  gst_event_parse_stream_start (event, &before);
  id = g_strdup_printf ("%s/%u", before, GPOINTER_TO_UINT (data));
  named = gst_event_new_stream_start (id);
  if (gst_event_parse_group_id (event, &group))
    gst_event_set_group_id (named, group);
  gst_event_set_seqnum (named, gst_event_get_seqnum (event));
  GST_PAD_PROBE_INFO_DATA (info) = named;
  gst_event_unref (event);
  return GST_PAD_PROBE_OK;
}

static void
use (GstLmccDepay *self, GstElement *depayloader, const gchar *encoding)
{
  g_autoptr (GstPad) sink = gst_element_get_static_pad (depayloader, "sink");
  g_autoptr (GstPad) src = gst_element_get_static_pad (depayloader, "src");
  g_autoptr (GstPadTemplate) templ =
      gst_object_ref_sink (gst_static_pad_template_get (&src_template));
  g_autofree gchar *name = g_strdup_printf ("src_%u", self->n_pads);

  self->output.depayloader = depayloader;
  g_strlcpy (self->encoding, encoding, sizeof (self->encoding));
  gst_bin_add (GST_BIN (self), depayloader);
  if (self->n_pads > 0)
    gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, name_stream,
        GUINT_TO_POINTER (self->n_pads), NULL);
  self->n_pads++;
  gst_ghost_pad_set_target (GST_GHOST_PAD (self->sink), sink);
  gst_element_sync_state_with_parent (depayloader);
  self->output.pad = gst_ghost_pad_new_from_template (name, src, templ);
  gst_pad_set_active (self->output.pad, TRUE);
  gst_element_add_pad (GST_ELEMENT (self), self->output.pad);
}

static void
end_output (GstLmccDepay *self, Output *output)
{
  g_autoptr (GstPad) sink =
      gst_element_get_static_pad (output->depayloader, "sink");

  gst_pad_send_event (sink, gst_event_new_eos ());
  remove_output (self, output);
}

static void
refuse (GstLmccDepay *self, GstCaps *caps, const gchar *encoding)
{
  gst_element_post_message (GST_ELEMENT (self),
      gst_missing_decoder_message_new (GST_ELEMENT (self), caps));
  GST_ELEMENT_ERROR (self, CORE, MISSING_PLUGIN,
      (_ ("No RTP depayloader for %s is installed. Install the GStreamer "
          "plugins that contain one (gstreamer1.0-plugins-good and -bad)."),
          encoding),
      (NULL));
}

/* Adds the new pad before the old one ends, so that elements that wait for EOS
 * on all pads continue. */
static gboolean
take_caps (GstLmccDepay *self, GstCaps *caps)
{
  const gchar *encoding =
      gst_structure_get_string (gst_caps_get_structure (caps, 0),
          "encoding-name");
  Output before = self->output;
  GstElement *depayloader;

  if (encoding == NULL)
    return FALSE;
  if (before.depayloader && g_str_equal (encoding, self->encoding))
    return TRUE;
  depayloader = make_depayloader (caps);
  if (depayloader == NULL) {
    refuse (self, caps, encoding);
    return FALSE;
  }
  GST_INFO_OBJECT (self, "%s from now on", encoding);
  use (self, depayloader, encoding);
  gst_element_no_more_pads (GST_ELEMENT (self));
  if (before.depayloader)
    end_output (self, &before);
  return TRUE;
}

/* Sends the sticky events from before the caps, which the depayloader's pad has
 * not got yet, together with the caps. */
static gboolean
sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    if (!take_caps (GST_LMCC_DEPAY (parent), caps)) {
      gst_event_unref (event);
      return FALSE;
    }
  }
  return gst_pad_event_default (pad, parent, event);
}

static void
answer_caps (GstPad *pad, GstQuery *query)
{
  g_autoptr (GstCaps) all = gst_pad_get_pad_template_caps (pad);
  GstCaps *filter;

  gst_query_parse_caps (query, &filter);
  if (filter)
    gst_caps_take (&all,
        gst_caps_intersect_full (filter, all, GST_CAPS_INTERSECT_FIRST));
  gst_query_set_caps_result (query, all);
}

/* Accepts all caps, because any codec can follow. */
static gboolean
sink_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  g_autoptr (GstCaps) all = NULL;
  GstCaps *caps;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
      answer_caps (pad, query);
      return TRUE;
    case GST_QUERY_ACCEPT_CAPS:
      all = gst_pad_get_pad_template_caps (pad);
      gst_query_parse_accept_caps (query, &caps);
      gst_query_set_accept_caps_result (query, gst_caps_is_subset (caps, all));
      return TRUE;
    default:
      return gst_pad_query_default (pad, parent, query);
  }
}

static GstStateChangeReturn
gst_lmcc_depay_change_state (GstElement *element, GstStateChange transition)
{
  GstLmccDepay *self = GST_LMCC_DEPAY (element);
  GstStateChangeReturn ret =
      GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);

  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY
      && self->output.depayloader) {
    gst_ghost_pad_set_target (GST_GHOST_PAD (self->sink), NULL);
    remove_output (self, &self->output);
    self->n_pads = 0;
  }
  return ret;
}

static void
gst_lmcc_depay_init (GstLmccDepay *self)
{
  g_autoptr (GstPadTemplate) templ =
      gst_object_ref_sink (gst_static_pad_template_get (&sink_template));

  self->sink = gst_ghost_pad_new_no_target_from_template ("sink", templ);
  gst_pad_set_event_function (self->sink, GST_DEBUG_FUNCPTR (sink_event));
  gst_pad_set_query_function (self->sink, GST_DEBUG_FUNCPTR (sink_query));
  gst_element_add_pad (GST_ELEMENT (self), self->sink);
}

static void
gst_lmcc_depay_class_init (GstLmccDepayClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_lmcc_depay_debug, "lmccdepay", 0,
      "depayloader of several codecs");
  element_class->change_state = GST_DEBUG_FUNCPTR (gst_lmcc_depay_change_state);
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class,
      "RTP depayloader for changing codecs", "Codec/Demuxer/Network/RTP",
      "Depayloads RTP, with a new depayloader when the codec changes",
      "The lmcc project");
}
