/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A source pad, its queue, and the task that pushes. */
#include "config.h"

#include "src/output.h"

#include "src/private.h"

#define GST_CAT_DEFAULT gst_lmcc_src_debug

/* Most that waits, beyond the latency, for a pad that cannot push: far more
 * than a player that keeps up leaves, far less than what hurts. In bytes it is
 * a share of the budget, once there is one. */
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

/* Whoever pushes to a queue does not see what happens behind it: so a change is
 * told beforehand, but for players, which have lmccdepay. */
static void
warn_codec_change (GstLmccSrcOutput *output, const gchar *codec)
{
  if (GST_LMCC_SRC (output->element)->video_appears)
    return;
  GST_ELEMENT_WARNING (output->element, STREAM, FORMAT,
      ("The sender came back with another codec: the %s was %s and is %s now. "
       "If the elements behind lmccsrc cannot change to it, they stop: start "
       "this receiver again then, play it by its URI (gst-lmcc-1.0 play), or "
       "let the sender keep its codec.",
          output->optional ? "sound" : "video", output->codec, codec),
      (NULL));
}

/* The first caps name the codec that downstream was made for. */
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

/* One of the two may stay unlinked. */
static gboolean
may_be_unlinked (GstLmccSrcOutput *output)
{
  GstLmccSrc *self = GST_LMCC_SRC (output->element);

  return output->optional || gst_pad_is_linked (self->sound.pad);
}

/* Whether downstream stopped for want of what the stream is now. */
static gboolean
tell_codec_change (GstLmccSrcOutput *output, GstFlowReturn ret)
{
  if ((ret != GST_FLOW_NOT_NEGOTIATED && ret != GST_FLOW_NOT_LINKED)
      || g_str_equal (output->first_codec, output->codec))
    return FALSE;
  GST_ELEMENT_ERROR (output->element, STREAM, WRONG_TYPE,
      ("The sender came back with another codec: the %s was %s and is %s now, "
       "which the elements behind lmccsrc cannot change to. Start this "
       "receiver again, play it by its URI (gst-lmcc-1.0 play), or let the "
       "sender keep its codec.",
          output->optional ? "sound" : "video", output->first_codec,
          output->codec),
      (NULL));
  return TRUE;
}

static void
handle_flow (GstLmccSrcOutput *output, GstFlowReturn ret)
{
  if (ret == GST_FLOW_OK
      || (ret == GST_FLOW_NOT_LINKED && may_be_unlinked (output)))
    return;

  GST_INFO_OBJECT (output->pad, "downstream says %s", gst_flow_get_name (ret));
  gst_pad_pause_task (output->pad);
  if (ret == GST_FLOW_NOT_LINKED || ret < GST_FLOW_EOS) {
    if (!tell_codec_change (output, ret))
      GST_ELEMENT_FLOW_ERROR (output->element, ret);
    gst_pad_push_event (output->pad, gst_event_new_eos ());
  }
}

/* No more than are wanted. Returns: whether these are the last ones */
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

/* As many as were wanted. */
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

/* The task is started with the first thing that is to be pushed: a source that
 * waits for a sender needs no thread. Started @again, it is one that was paused
 * by a flush. */
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
 * @template: of its pad
 * @query: answers the pad's queries
 *
 * The pad is not the source's yet.
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
 * Forgets the stream.
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
 * @event: (transfer full): as gst_lmcc_src_queue_push_event() has it
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
 * Has the task push the buffers that its queue got.
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
 * @caps: (transfer full): what follows
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

/* A flush takes EOS away, but brings nothing more where the source has
 * ended. */
static void
end_again (GstLmccSrcOutput *output)
{
  GstLmccSrc *self = GST_LMCC_SRC (output->element);

  if (g_atomic_int_get (&self->ended)
      || (!output->optional && g_atomic_int_get (&self->enough)))
    gst_lmcc_src_output_push_event (output, gst_event_new_eos ());
}

/* What waits is old by now. The session goes on as it is, and the stream with a
 * new segment. */
gboolean
gst_lmcc_src_output_stop_flush (GstLmccSrcOutput *output, GstEvent *event)
{
  gboolean done;

  /* The pushing thread ends before downstream takes data again. */
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
