/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_SINK_PRIVATE_H
#define GST_LMCC_SINK_PRIVATE_H

#include "sink/core.h"
#include "sink/lmccsink.h"

G_BEGIN_DECLS

struct _GstLmccSink
{
  GstBin parent;

  GstLmccSinkCore *core;

  /* OBJECT_LOCK */
  GstLmccSinkProperties properties;
  gboolean address_is_given;
  GstLmccUriTaken uri_taken;
  gchar *uri_error; /* error of the latest URI, or NULL */
  guint next_pad;
  gboolean told_left_out; /* dropped audio was reported in this run */
};

/* sink/lmccsink.c */
void gst_lmcc_sink_set_up_encoder (GstLmccSink *self, GstElement *encoder,
    guint rung);

/* sink/uri.c */
void gst_lmcc_sink_uri_handler_init (gpointer iface, gpointer data);
void gst_lmcc_sink_set_uri_property (GstLmccSink *self, const gchar *text);
gchar *gst_lmcc_sink_dup_uri (GstLmccSink *self);
gboolean gst_lmcc_sink_check_uri (GstLmccSink *self, GError **error);

/* sink/left-out.c */
void gst_lmcc_sink_watch_left_out (GstLmccSink *self, GstPad *pad);
void gst_lmcc_sink_forget_left_out (GstLmccSink *self);

/* sink/targets.c */
GstPad *gst_lmcc_sink_request_new_pad (GstElement *element,
    GstPadTemplate *templ, const gchar *name, const GstCaps *caps);
void gst_lmcc_sink_release_pad (GstElement *element, GstPad *pad);
void gst_lmcc_sink_clear_targets (GstLmccSink *self);

G_END_DECLS

#endif
