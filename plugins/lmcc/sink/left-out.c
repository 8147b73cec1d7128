/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Audio of a demuxer that a video pad has refused. Another pad may still accept
 * it, so the first buffer of the audio shows whether it is dropped. */
#include "config.h"

#include "sink/private.h"
#include "sink/refusal.h"

static void
free_sink (gpointer data)
{
  GWeakRef *sink = data;

  g_weak_ref_clear (sink);
  g_free (sink);
}

/* Posted once per run. */
static gboolean
is_to_be_told (GstLmccSink *self)
{
  gboolean told;

  GST_OBJECT_LOCK (self);
  told = self->told_left_out;
  self->told_left_out = TRUE;
  GST_OBJECT_UNLOCK (self);
  return !told;
}

static GstPadProbeReturn
on_buffer (GstPad *pad, GstPadProbeInfo *info G_GNUC_UNUSED, gpointer data)
{
  g_autoptr (GstLmccSink) self = g_weak_ref_get (data);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);

  if (self && caps && !gst_pad_is_linked (pad) && is_to_be_told (self))
    gst_lmcc_sink_leave_out_sound (GST_ELEMENT (self), caps);
  return GST_PAD_PROBE_REMOVE;
}

/**
 * gst_lmcc_sink_watch_left_out:
 * @self: the sink
 * @pad: the refused audio pad of a demuxer
 *
 * Warns if no other element accepts it.
 */
void
gst_lmcc_sink_watch_left_out (GstLmccSink *self, GstPad *pad)
{
  GWeakRef *sink = g_new0 (GWeakRef, 1);

  g_weak_ref_init (sink, self);
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_buffer,
      sink, free_sink);
}

/**
 * gst_lmcc_sink_forget_left_out:
 * @self: the stopped sink
 *
 * Resets the state, because the next run may have other pads.
 */
void
gst_lmcc_sink_forget_left_out (GstLmccSink *self)
{
  GST_OBJECT_LOCK (self);
  self->told_left_out = FALSE;
  GST_OBJECT_UNLOCK (self);
}
