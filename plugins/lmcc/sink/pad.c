/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The core's sink pads: RTP packets in, units into the queues. */
#include "config.h"

#include "sink/core.h"

#include <string.h>

#include "common/rtphdrextlmcclayer.h"
#include "sink/refusal.h"

#include <plugins/common/messages.h>

/* Later times are invalid, such as libav's AV_NOPTS_VALUE. */
#define LATEST_TIME ((GstClockTime) G_MAXINT64)

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

GstStaticPadTemplate gst_lmcc_sink_core_pad_template = {
  .name_template = "sink_%u",
  .direction = GST_PAD_SINK,
  .presence = GST_PAD_REQUEST,
  .static_caps = GST_STATIC_CAPS ("application/x-rtp"),
};

GstStaticPadTemplate gst_lmcc_sink_core_sound_template = {
  .name_template = "audio_sink",
  .direction = GST_PAD_SINK,
  .presence = GST_PAD_REQUEST,
  .static_caps = GST_STATIC_CAPS ("application/x-rtp, media=(string)audio"),
};

static GstLmccSinkPad *
rung_of (GstPad *pad)
{
  return gst_pad_get_element_private (pad);
}

/* Caps */

static gboolean
read_media (GstCaps *caps, LmccMedia *media)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  const gchar *name = gst_structure_get_string (s, "encoding-name");
  gint clock_rate = 0;

  memset (media, 0, sizeof (*media));
  gst_structure_get_int (s, "clock-rate", &clock_rate);
  if (!name || clock_rate <= 0 || strlen (name) >= LMCC_ENCODING_NAME_SIZE)
    return FALSE;
  g_strlcpy (media->encoding_name, name, sizeof (media->encoding_name));
  media->clock_rate = (guint32) clock_rate;
  return TRUE;
}

static gboolean
same_media (const LmccMedia *a, const LmccMedia *b)
{
  return g_ascii_strcasecmp (a->encoding_name, b->encoding_name) == 0
      && a->clock_rate == b->clock_rate;
}

/* All rungs must have the same codec, because receivers change between them
 * within one stream. The codec of the audio must not change. */
static gboolean
set_media (GstLmccSinkCore *core, GstLmccSinkPad *rung, const LmccMedia *media,
    LmccMedia *other)
{
  gboolean same = TRUE;
  GList *l;

  g_mutex_lock (&core->lock);
  for (l = core->pads; l && same; l = l->next) {
    GstLmccSinkPad *with = l->data;

    if (with->sound != rung->sound || (with == rung && !core->started)
        || with->media.clock_rate == 0)
      continue;
    *other = with->media;
    same = same_media (media, other);
  }
  if (same)
    rung->media = *media;
  g_mutex_unlock (&core->lock);
  return same;
}

static gboolean
take_sound_caps (GstLmccSinkCore *core, GstLmccSinkPad *sound, GstCaps *caps)
{
  gchar parameters[LMCC_PARAMETERS_SIZE];
  gboolean fit = gst_lmcc_sink_sound_read_parameters (caps, parameters);
  gboolean late, same;

  g_mutex_lock (&core->lock);
  late = core->started && !core->has_sound;
  same = !core->started || g_str_equal (parameters, sound->parameters);
  if (fit && same)
    memcpy (sound->parameters, parameters, sizeof (parameters));
  sound->marker_ends_unit =
      gst_lmcc_sink_sound_marker_ends_unit (&sound->media);
  g_mutex_unlock (&core->lock);
  if (late)
    GST_ELEMENT_WARNING (core, STREAM, FAILED,
        (_ ("The audio is dropped because it began after the session had "
            "started. Start it together with the video.")),
        (NULL));
  else if (!fit || !same)
    GST_ELEMENT_ERROR (core, STREAM, FORMAT,
        ("%s",
            fit ? _ ("The format parameters of the audio have changed; stop "
                     "lmccsink before they change.")
                : _ ("The format parameters of the audio are too long.")),
        ("caps %" GST_PTR_FORMAT, caps));
  return late || (fit && same);
}

static void
refuse_incomplete_caps (GstLmccSinkCore *core, const GstLmccSinkPad *rung)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (rung->pad);

  GST_ELEMENT_ERROR (core, STREAM, FORMAT,
      (_ ("The RTP stream on %s has no encoding-name or clock-rate. Set them "
          "in its caps, or connect the encoder to lmccsink directly."),
          GST_PAD_NAME (rung->pad)),
      ("caps %" GST_PTR_FORMAT, caps));
}

static gboolean
handle_caps (GstLmccSinkCore *core, GstLmccSinkPad *rung, GstCaps *caps)
{
  LmccMedia media, other;

  /* A payloader that does not know its stream yet may have such caps for a
   * while, for example rtpmp4vpay when tags arrive. Packets need complete
   * caps. */
  if (!read_media (caps, &media)) {
    if (rung->classifier != NULL)
      refuse_incomplete_caps (core, rung);
    return rung->classifier == NULL;
  }
  if (!set_media (core, rung, &media, &other)) {
    GST_ELEMENT_ERROR (core, STREAM, WRONG_TYPE,
        (_ ("%s is %s with clock rate %u, but the session is %s with clock "
            "rate %u. Use the same codec on all pads."),
            GST_PAD_NAME (rung->pad), media.encoding_name, media.clock_rate,
            other.encoding_name, other.clock_rate),
        (NULL));
    return FALSE;
  }
  if (rung->classifier == NULL && !rung->sound)
    gst_lmcc_sink_check_configuration (GST_ELEMENT (core), rung->pad, caps);
  rung->mark_id = gst_lmcc_layer_mark_ext_id_from_caps (caps);
  if (rung->classifier == NULL)
    rung->classifier =
        lmcc_classifier_new (lmcc_codec_find (media.encoding_name), 0);
  if (rung->sound)
    return take_sound_caps (core, rung, caps);
  gst_lmcc_sink_pad_take_parameters (core, rung, caps);
  return TRUE;
}

/* Data */

static void
after_enqueue (GstLmccSinkCore *core)
{
  g_mutex_lock (&core->lock);
  gst_lmcc_sink_check_ready (core);
  gst_lmcc_sink_wake (core);
  g_mutex_unlock (&core->lock);
}

static gboolean
enqueue (GstLmccSinkCore *core, GstLmccSinkPad *rung, LmccUnit *unit)
{
  gboolean done;

  g_mutex_lock (&core->lock);
  done = gst_lmcc_sink_pad_enqueue (core, rung, unit);
  gst_lmcc_sink_check_ready (core);
  g_mutex_unlock (&core->lock);
  return done;
}

static LmccTime
biased_running_time (const GstSegment *segment, GstClockTime time,
    LmccTime without)
{
  guint64 running_time = 0;
  gint sign;

  if (!GST_CLOCK_TIME_IS_VALID (time))
    return without;
  sign = gst_segment_to_running_time_full (segment, GST_FORMAT_TIME, time,
      &running_time);
  if (sign == 0)
    return without;
  return sign > 0 ? GST_LMCC_TIME_BIAS + running_time
                  : GST_LMCC_TIME_BIAS - running_time;
}

static LmccPacket *
copy_packet (GstBuffer *buffer)
{
  gsize size = gst_buffer_get_size (buffer);
  LmccPacket *packet = lmcc_packet_new_for_sender (size);

  packet->size = gst_buffer_extract (buffer, 0, packet->data, size);
  return packet;
}

static GstFlowReturn
sink_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstLmccSinkCore *core = GST_LMCC_SINK_CORE (parent);
  GstLmccSinkPad *rung = rung_of (pad);
  LmccTime decoding_time, presentation_time;
  LmccLayerMark mark;
  LmccUnit *units[2];
  gboolean marked, going = TRUE;
  guint n, i;

  if (rung->classifier == NULL) {
    refuse_incomplete_caps (core, rung);
    gst_buffer_unref (buffer);
    return GST_FLOW_NOT_NEGOTIATED;
  }
  if (GST_BUFFER_PTS_IS_VALID (buffer)
      && GST_BUFFER_PTS (buffer) > LATEST_TIME) {
    gst_lmcc_sink_refuse_times (GST_ELEMENT (core), rung->pad);
    gst_buffer_unref (buffer);
    return GST_FLOW_ERROR;
  }
  presentation_time = biased_running_time (&rung->segment,
      GST_BUFFER_PTS (buffer), rung->last_time);
  decoding_time = biased_running_time (&rung->segment, GST_BUFFER_DTS (buffer),
      presentation_time);
  rung->last_time = decoding_time;
  marked = gst_lmcc_layer_mark_from_rtp (buffer, rung->mark_id, &mark);
  n = lmcc_classifier_push (rung->classifier, copy_packet (buffer),
      marked ? &mark : NULL, decoding_time, presentation_time, units);
  if (rung->sound && !rung->marker_ends_unit && n < G_N_ELEMENTS (units)
      && (units[n] = lmcc_classifier_flush (rung->classifier)) != NULL)
    n++;
  gst_buffer_unref (buffer);
  for (i = 0; i < n; i++)
    going = enqueue (core, rung, units[i]) && going;
  return going ? GST_FLOW_OK : GST_FLOW_FLUSHING;
}

static void
handle_eos (GstLmccSinkCore *core, GstLmccSinkPad *rung, guint32 seqnum)
{
  LmccUnit *last =
      rung->classifier ? lmcc_classifier_flush (rung->classifier) : NULL;

  if (last)
    enqueue (core, rung, last);
  g_mutex_lock (&core->lock);
  rung->eos = TRUE;
  rung->eos_seqnum = seqnum;
  g_mutex_unlock (&core->lock);
  after_enqueue (core);
}

static void
handle_flush_start (GstLmccSinkCore *core, GstLmccSinkPad *rung)
{
  g_mutex_lock (&core->lock);
  rung->flushing = TRUE;
  gst_lmcc_sink_pad_clear (rung);
  core->ready = FALSE;
  core->first = TRUE;
  core->flush_sender = TRUE;
  gst_lmcc_sink_wake (core);
  g_mutex_unlock (&core->lock);
}

static void
handle_flush_stop (GstLmccSinkCore *core, GstLmccSinkPad *rung)
{
  LmccUnit *rest =
      rung->classifier ? lmcc_classifier_flush (rung->classifier) : NULL;

  if (rest)
    lmcc_unit_free (rest);
  gst_segment_init (&rung->segment, GST_FORMAT_UNDEFINED);
  rung->last_time = GST_LMCC_TIME_BIAS;
  g_mutex_lock (&core->lock);
  gst_lmcc_sink_pad_clear (rung);
  rung->flushing = FALSE;
  rung->eos = FALSE;
  rung->left_out = FALSE;
  rung->newest = GST_LMCC_TIME_BIAS;
  core->collected = 0;
  core->missing_since = LMCC_TIME_NONE;
  g_mutex_unlock (&core->lock);
}

static gboolean
sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstLmccSinkCore *core = GST_LMCC_SINK_CORE (parent);
  GstLmccSinkPad *rung = rung_of (pad);
  gboolean done = TRUE;
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      done = handle_caps (core, rung, caps);
      break;
    case GST_EVENT_SEGMENT:
      gst_event_copy_segment (event, &rung->segment);
      if (rung->segment.format != GST_FORMAT_TIME) {
        GST_ELEMENT_ERROR (core, STREAM, FORMAT,
            (_ ("The stream on %s has no timestamps. Put a parser or demuxer "
                "that adds them upstream."),
                GST_PAD_NAME (rung->pad)),
            (NULL));
        done = FALSE;
      }
      break;
    case GST_EVENT_EOS:
      handle_eos (core, rung, gst_event_get_seqnum (event));
      break;
    case GST_EVENT_FLUSH_START:
      handle_flush_start (core, rung);
      break;
    case GST_EVENT_FLUSH_STOP:
      handle_flush_stop (core, rung);
      break;
    default:
      break;
  }
  gst_event_unref (event);
  return done;
}

/* Pads */

static gint
compare_rungs (gconstpointer a, gconstpointer b)
{
  const GstLmccSinkPad *first = a, *second = b;

  if (first->sound != second->sound)
    return first->sound ? 1 : -1;
  return first->index < second->index ? -1 : first->index > second->index;
}

/* Called with lock held. */
static gboolean
has_room (GstLmccSinkCore *core, gboolean sound)
{
  guint n = 0;
  GList *l;

  for (l = core->pads; l; l = l->next)
    n += ((GstLmccSinkPad *) l->data)->sound == sound;
  return !core->started && n < (sound ? 1 : LMCC_MAX_RUNGS);
}

static GstPad *
add_pad (GstLmccSinkCore *core, GstStaticPadTemplate *template,
    const gchar *name, guint index, gboolean sound)
{
  GstLmccSinkPad *rung;
  gboolean fits;

  g_mutex_lock (&core->lock);
  fits = has_room (core, sound);
  g_mutex_unlock (&core->lock);
  if (!fits)
    return NULL;

  rung = g_new0 (GstLmccSinkPad, 1);
  rung->index = index;
  rung->sound = sound;
  rung->pad = gst_pad_new_from_static_template (template, name);
  rung->last_time = GST_LMCC_TIME_BIAS;
  rung->newest = GST_LMCC_TIME_BIAS;
  gst_segment_init (&rung->segment, GST_FORMAT_UNDEFINED);
  g_queue_init (&rung->units);
  gst_pad_set_element_private (rung->pad, rung);
  gst_pad_set_chain_function (rung->pad, GST_DEBUG_FUNCPTR (sink_chain));
  gst_pad_set_event_function (rung->pad, GST_DEBUG_FUNCPTR (sink_event));
  g_mutex_lock (&core->lock);
  core->pads = g_list_insert_sorted (core->pads, rung, compare_rungs);
  g_mutex_unlock (&core->lock);
  if (GST_STATE (core) > GST_STATE_READY)
    gst_pad_set_active (rung->pad, TRUE);
  gst_element_add_pad (GST_ELEMENT (core), rung->pad);
  return rung->pad;
}

/**
 * gst_lmcc_sink_core_add_pad:
 * @core: the core
 * @index: index of the rung: a lower one is a smaller encoding
 *
 * Returns: (transfer none): a new sink pad, or %NULL if the session is already
 * running
 */
GstPad *
gst_lmcc_sink_core_add_pad (GstLmccSinkCore *core, guint index)
{
  g_autofree gchar *name = g_strdup_printf ("sink_%u", index);

  return add_pad (core, &gst_lmcc_sink_core_pad_template, name, index, FALSE);
}

/**
 * gst_lmcc_sink_core_add_sound_pad:
 * @core: the core
 *
 * Returns: (transfer none): the sink pad for audio, or %NULL if there is
 * already one or the session is already running
 */
GstPad *
gst_lmcc_sink_core_add_sound_pad (GstLmccSinkCore *core)
{
  return add_pad (core, &gst_lmcc_sink_core_sound_template, "audio_sink", 0,
      TRUE);
}

void
gst_lmcc_sink_pad_free (GstLmccSinkPad *rung)
{
  gst_lmcc_sink_pad_clear (rung);
  g_clear_pointer (&rung->classifier, lmcc_classifier_free);
  g_free (rung->video_parameters);
  g_free (rung);
}

/**
 * gst_lmcc_sink_core_let_go:
 * @core: the core
 * @pad: from gst_lmcc_sink_core_add_pad(), about to be removed
 *
 * Unblocks a streaming thread that waits in the pad, where it also holds the
 * stream locks of all upstream pads.
 */
void
gst_lmcc_sink_core_let_go (GstLmccSinkCore *core, GstPad *pad)
{
  g_mutex_lock (&core->lock);
  rung_of (pad)->flushing = TRUE;
  gst_lmcc_sink_wake (core);
  g_mutex_unlock (&core->lock);
}

/**
 * gst_lmcc_sink_core_remove_pad:
 * @core: the core
 * @pad: from gst_lmcc_sink_core_add_pad()
 */
void
gst_lmcc_sink_core_remove_pad (GstLmccSinkCore *core, GstPad *pad)
{
  GstLmccSinkPad *rung = rung_of (pad);

  g_mutex_lock (&core->lock);
  rung->flushing = TRUE;
  core->pads = g_list_remove (core->pads, rung);
  gst_lmcc_sink_wake (core);
  g_mutex_unlock (&core->lock);
  /* Waits until the streaming thread has left the pad. */
  gst_pad_set_active (pad, FALSE);
  gst_element_remove_pad (GST_ELEMENT (core), pad);
  gst_lmcc_sink_pad_free (rung);
  after_enqueue (core);
}

/* Called with lock held. */
void
gst_lmcc_sink_pad_reset (GstLmccSinkPad *rung)
{
  gst_lmcc_sink_pad_clear (rung);
  g_clear_pointer (&rung->classifier, lmcc_classifier_free);
  gst_segment_init (&rung->segment, GST_FORMAT_UNDEFINED);
  memset (&rung->media, 0, sizeof (rung->media));
  memset (rung->parameters, 0, sizeof (rung->parameters));
  rung->last_time = GST_LMCC_TIME_BIAS;
  rung->newest = GST_LMCC_TIME_BIAS;
  rung->flushing = FALSE;
  rung->eos = FALSE;
  rung->left_out = FALSE;
  rung->n_left_out = 0;
}
