/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A source pad with its queue and the task that pushes. */
#include "config.h"

#include "src/output.h"

#include "src/private.h"

#include <plugins/common/messages.h>

#define GST_CAT_DEFAULT gst_lmcc_src_debug

/* Maximum data, beyond the latency, that waits for a blocked pad: far more than
 * a player needs that keeps up, and not enough to do harm. The limit in bytes
 * becomes a share of the memory budget when that is known. */
#define QUEUE_MAX_BYTES (16 * 1024 * 1024)
#define QUEUE_MAX_TIME (3 * GST_SECOND)

static void
start_stream (GstLmccSrcOutput *output)
{
  g_autofree gchar *id = gst_pad_create_stream_id (output->pad, output->element,
      output->optional ? "audio" : "video");
  GstEvent *event = gst_event_new_stream_start (id);

  gst_event_set_group_id (event,
      GST_LMCC_SRC (output->element)->stream_group_id);
  gst_pad_push_event (output->pad, event);
  output->stream_started = TRUE;
}

static void
start_first_segment (GstLmccSrcOutput *output)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (output->pad, gst_event_new_segment (&segment));
  output->segment_sent = TRUE;
}

/* An element before a queue does not see errors behind it. Therefore announce a
 * change of the codec in advance, except to players, which use lmccdepay. */
static void
warn_codec_change (GstLmccSrcOutput *output, const gchar *codec)
{
  if (GST_LMCC_SRC (output->element)->video_appears)
    return;
  GST_ELEMENT_WARNING (output->element, STREAM, FORMAT,
      (output->optional
              ? _ ("The sender came back with another codec: the audio was %s "
                   "and is now %s. Elements downstream of lmccsrc that cannot "
                   "change to it stop. In this case restart this receiver, "
                   "play the URI (gst-lmcc-1.0 play), or keep the codec at the "
                   "sender.")
              : _ ("The sender came back with another codec: the video was %s "
                   "and is now %s. Elements downstream of lmccsrc that cannot "
                   "change to it stop. In this case restart this receiver, "
                   "play the URI (gst-lmcc-1.0 play), or keep the codec at the "
                   "sender."),
          output->codec, codec),
      (NULL));
}

/* The first caps contain the codec that downstream was set up for. */
static void
note_codec (GstLmccSrcOutput *output, GstEvent *event)
{
  GstCaps *caps;
  const gchar *codec;

  gst_event_parse_caps (event, &caps);
  codec = gst_structure_get_string (gst_caps_get_structure (caps, 0),
      "encoding-name");
  if (output->first_codec[0] == '\0')
    g_strlcpy (output->first_codec, codec, sizeof (output->first_codec));
  else if (!g_str_equal (output->codec, codec))
    warn_codec_change (output, codec);
  g_strlcpy (output->codec, codec, sizeof (output->codec));
}

static void
push_event (GstLmccSrcOutput *output, GstEvent *event)
{
  gboolean is_eos = GST_EVENT_TYPE (event) == GST_EVENT_EOS;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS)
    note_codec (output, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT)
    output->segment_sent = TRUE;
  if (is_eos && output->codec[0] != '\0' && !output->segment_sent)
    start_first_segment (output);
  gst_pad_push_event (output->pad, event);
  if (is_eos)
    gst_pad_pause_task (output->pad);
}

/* One of the two pads may stay unlinked. */
static gboolean
may_be_unlinked (GstLmccSrcOutput *output)
{
  GstLmccSrc *self = GST_LMCC_SRC (output->element);

  return output->optional || gst_pad_is_linked (self->sound.pad);
}

/* Whether downstream has failed because of the new codec. */
static gboolean
tell_codec_change (GstLmccSrcOutput *output, GstFlowReturn ret)
{
  if ((ret != GST_FLOW_NOT_NEGOTIATED && ret != GST_FLOW_NOT_LINKED)
      || g_str_equal (output->first_codec, output->codec))
    return FALSE;
  GST_ELEMENT_ERROR (output->element, STREAM, WRONG_TYPE,
      (output->optional
              ? _ ("The sender came back with another codec: the audio was %s "
                   "and is now %s, and the elements downstream of lmccsrc "
                   "cannot change to it. Restart this receiver, play the URI "
                   "(gst-lmcc-1.0 play), or keep the codec at the sender.")
              : _ ("The sender came back with another codec: the video was %s "
                   "and is now %s, and the elements downstream of lmccsrc "
                   "cannot change to it. Restart this receiver, play the URI "
                   "(gst-lmcc-1.0 play), or keep the codec at the sender."),
          output->first_codec, output->codec),
      (NULL));
  return TRUE;
}

static void
handle_flow (GstLmccSrcOutput *output, GstFlowReturn ret)
{
  if (ret == GST_FLOW_OK
      || (ret == GST_FLOW_NOT_LINKED && may_be_unlinked (output)))
    return;

  GST_INFO_OBJECT (output->pad, "downstream returned %s",
      gst_flow_get_name (ret));
  gst_pad_pause_task (output->pad);
  if (ret == GST_FLOW_NOT_LINKED || ret < GST_FLOW_EOS) {
    if (!tell_codec_change (output, ret))
      GST_ELEMENT_FLOW_ERROR (output->element, ret);
    gst_pad_push_event (output->pad, gst_event_new_eos ());
  }
}

/* Truncates the list to num-buffers. Returns: whether these buffers are the
 * last ones */
static gboolean
count_buffers (GstLmccSrcOutput *output, GstBufferList *list)
{
  guint n = gst_buffer_list_length (list);

  if (output->left < 0)
    return FALSE;
  if (n < (guint) output->left) {
    output->left -= (gint) n;
    return FALSE;
  }
  if (n > (guint) output->left)
    gst_buffer_list_remove (list, (guint) output->left, n - output->left);
  output->left = 0;
  return TRUE;
}

/* Sends EOS after num-buffers. */
static void
end_stream (GstLmccSrcOutput *output)
{
  gst_pad_pause_task (output->pad);
  gst_pad_push_event (output->pad, gst_event_new_eos ());
  gst_lmcc_src_end (GST_LMCC_SRC (output->element));
}

static void
push_loop (gpointer data)
{
  GstLmccSrcOutput *output = data;
  GstMiniObject *object = gst_lmcc_src_queue_pop (output->queue);
  gboolean last;

  if (object == NULL) {
    gst_pad_pause_task (output->pad);
    return;
  }
  if (!output->stream_started)
    start_stream (output);
  if (GST_IS_EVENT (object)) {
    push_event (output, GST_EVENT_CAST (object));
    return;
  }
  if (!output->segment_sent)
    start_first_segment (output);
  last = count_buffers (output, GST_BUFFER_LIST_CAST (object));
  if (gst_buffer_list_length (GST_BUFFER_LIST_CAST (object)) > 0)
    handle_flow (output,
        gst_pad_push_list (output->pad, GST_BUFFER_LIST_CAST (object)));
  else
    gst_mini_object_unref (object);
  if (last)
    end_stream (output);
}

/* Starts the task with the first item to push, because a source that waits for
 * a sender needs no thread. With @again the task was paused by a flush. */
static void
start_task (GstLmccSrcOutput *output, gboolean again)
{
  g_mutex_lock (&output->lock);
  if (output->active && output->task_started == again)
    output->task_started =
        gst_pad_start_task (output->pad, push_loop, output, NULL);
  g_mutex_unlock (&output->lock);
}

static void
set_active (GstLmccSrcOutput *output, gboolean active)
{
  g_mutex_lock (&output->lock);
  output->active = active;
  output->task_started = FALSE;
  g_mutex_unlock (&output->lock);
}

static gboolean
activate_mode (GstPad *pad, GstObject *parent G_GNUC_UNUSED, GstPadMode mode,
    gboolean active)
{
  GstLmccSrcOutput *output = gst_pad_get_element_private (pad);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  gst_lmcc_src_queue_set_flushing (output->queue, !active);
  set_active (output, active);
  if (!active)
    return gst_pad_stop_task (pad);
  gst_lmcc_src_output_wake (output);
  return TRUE;
}

/**
 * gst_lmcc_src_output_init:
 * @output: (out): the output
 * @element: the source
 * @template: template of its pad
 * @query: query function of the pad
 *
 * Does not add the pad to the source.
 */
void
gst_lmcc_src_output_init (GstLmccSrcOutput *output, GstElement *element,
    GstStaticPadTemplate *template, GstPadQueryFunction query)
{
  output->element = element;
  g_mutex_init (&output->lock);
  output->queue = gst_lmcc_src_queue_new (QUEUE_MAX_BYTES, QUEUE_MAX_TIME);
  output->left = -1;
  output->pad =
      gst_pad_new_from_static_template (template, template->name_template);
  gst_object_ref_sink (output->pad);
  gst_pad_set_element_private (output->pad, output);
  gst_pad_set_activatemode_function (output->pad,
      GST_DEBUG_FUNCPTR (activate_mode));
  gst_pad_set_query_function (output->pad, query);
  gst_pad_use_fixed_caps (output->pad);
}

void
gst_lmcc_src_output_finalize (GstLmccSrcOutput *output)
{
  gst_clear_object (&output->pad);
  gst_clear_caps (&output->caps);
  g_clear_pointer (&output->queue, gst_lmcc_src_queue_free);
  g_mutex_clear (&output->lock);
}

/**
 * gst_lmcc_src_output_reset:
 * @output: an output whose task does not run
 *
 * Resets the state of the stream.
 */
void
gst_lmcc_src_output_reset (GstLmccSrcOutput *output)
{
  gst_clear_caps (&output->caps);
  output->first_codec[0] = output->codec[0] = '\0';
  output->stream_started = FALSE;
  output->segment_sent = FALSE;
  gst_lmcc_src_queue_clear (output->queue, TRUE);
}

/**
 * gst_lmcc_src_output_push_event:
 * @output: an output
 * @event: (transfer full): as in gst_lmcc_src_queue_push_event()
 */
void
gst_lmcc_src_output_push_event (GstLmccSrcOutput *output, GstEvent *event)
{
  gst_lmcc_src_queue_push_event (output->queue, event);
  start_task (output, FALSE);
}

/**
 * gst_lmcc_src_output_wake:
 * @output: an output
 *
 * Makes the task push the buffers in its queue.
 */
void
gst_lmcc_src_output_wake (GstLmccSrcOutput *output)
{
  if (gst_lmcc_src_queue_wake (output->queue))
    start_task (output, FALSE);
}

/**
 * gst_lmcc_src_output_set_caps:
 * @output: an output
 * @caps: (transfer full): caps of the following buffers
 */
void
gst_lmcc_src_output_set_caps (GstLmccSrcOutput *output, GstCaps *caps)
{
  gst_caps_take (&output->caps, caps);
  gst_lmcc_src_output_push_event (output, gst_event_new_caps (caps));
}

gboolean
gst_lmcc_src_output_start_flush (GstLmccSrcOutput *output, GstEvent *event)
{
  gst_lmcc_src_queue_set_flushing (output->queue, TRUE);
  return gst_pad_push_event (output->pad, event);
}

/* A flush removes a queued EOS. If the source has ended, it must be sent
 * again. */
static void
end_again (GstLmccSrcOutput *output)
{
  GstLmccSrc *self = GST_LMCC_SRC (output->element);

  if (g_atomic_int_get (&self->ended)
      || (!output->optional && g_atomic_int_get (&self->enough)))
    gst_lmcc_src_output_push_event (output, gst_event_new_eos ());
}

/* Drops queued data, which is too old by now. The session continues, and the
 * stream starts with a new segment. */
gboolean
gst_lmcc_src_output_stop_flush (GstLmccSrcOutput *output, GstEvent *event)
{
  gboolean done;

  /* Wait until the pushing thread has stopped before downstream accepts data
   * again. */
  GST_PAD_STREAM_LOCK (output->pad);
  gst_lmcc_src_queue_clear (output->queue, FALSE);
  output->segment_sent = FALSE;
  done = gst_pad_push_event (output->pad, event);
  gst_lmcc_src_queue_set_flushing (output->queue, FALSE);
  start_task (output, TRUE);
  GST_PAD_STREAM_UNLOCK (output->pad);
  end_again (output);
  return done;
}
