/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-x264ladderenc
 * @title: x264ladderenc
 * @see_also: #lmccsink
 *
 * Encodes one raw video several times, by one x264enc for each src pad:
 * "rungs", src_0 the lowest. Their key frames fall on the same pictures, each
 * begins a closed group, and each encoding has the same temporal classes, so
 * that a receiver can go from one rung to another at a key frame. lmccsink
 * makes itself such a ladder where it gets raw video.
 *
 * Rates come from #GstX264LadderEnc:bitrates, or from
 * #GstX264LadderEnc:bitrate for the top rung and a third for each one below.
 * A rung whose rate is low for the picture has a smaller one. How thorough the
 * encoders are (#GstX264LadderEnc:speed-preset) is chosen by the pixels per
 * second and the processors.
 *
 * #GstX264LadderEnc::encoder-setup is the place for any other setting of the
 * encoders. A request for a key frame (force-key-unit), on any pad, makes the
 * same picture one in all rungs.
 *
 * Where the processor does not hold real time, an element message
 * `lmcc-encoder-overload` says so once, and a warning; of live sources pictures
 * are then skipped, the same in all rungs, rather than ever later. Its fields:
 *
 * * #guint `rung`: the slowest
 * * #guint64 `behind`: how far, in ns
 * * #guint64 `pictures-skipped`: so far
 * * #gchararray `speed-preset`: what is set or was chosen
 * * #gchararray `remedy`: what to do
 *
 * ## Examples
 *
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! x264ladderenc name=ladder \
 *     bitrates=100k,300k ladder.src_0 ! queue ! lmcc.sink_0 \
 *     ladder.src_1 ! queue ! lmcc.sink_1 lmccsink name=lmcc
 * ]|
 *
 * Since: 0.1
 */
#include "config.h"

#include "gstx264ladderprivate.h"

#include <stdio.h>

#include <gst/video/video.h>

GST_DEBUG_CATEGORY (gst_x264_ladder_enc_debug);
#define GST_CAT_DEFAULT gst_x264_ladder_enc_debug

#define DEFAULT_BITRATES NULL
#define DEFAULT_BITRATE 0
#define DEFAULT_LOOKAHEAD (-1)
#define DEFAULT_KEY_UNIT_INTERVAL 1000
#define DEFAULT_BFRAMES 3
#define DEFAULT_VBV_BUF_CAPACITY 1000
#define DEFAULT_SPEED_PRESET GST_LADDER_SPEED_AUTO
#define DEFAULT_REAL_TIME TRUE

enum
{
  PROP_0,
  PROP_BITRATES,
  PROP_BITRATE,
  PROP_KEY_UNIT_INTERVAL,
  PROP_BFRAMES,
  PROP_LOOKAHEAD,
  PROP_VBV_BUF_CAPACITY,
  PROP_SPEED_PRESET,
  PROP_REAL_TIME,
  PROP_PICTURES_SKIPPED,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];
guint gst_x264_ladder_enc_setup_signal;

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-raw"));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src_%u", GST_PAD_SRC, GST_PAD_REQUEST,
        GST_STATIC_CAPS ("video/x-h264,profile=(string)high"));

#define gst_x264_ladder_enc_parent_class parent_class
G_DEFINE_TYPE (GstX264LadderEnc, gst_x264_ladder_enc, GST_TYPE_BIN);
GST_ELEMENT_REGISTER_DEFINE (x264ladderenc, "x264ladderenc", GST_RANK_NONE,
    GST_TYPE_X264_LADDER_ENC);

/* Pads */

static gboolean
src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstClockTime running_time;
  gboolean all_headers;
  guint count;

  if (gst_video_event_is_force_key_unit (event)
      && gst_video_event_parse_upstream_force_key_unit (event, &running_time,
          &all_headers, &count)) {
    gst_event_unref (event);
    gst_x264_ladder_request_key (GST_X264_LADDER_ENC (parent), running_time);
    return TRUE;
  }
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
check_installed (GstX264LadderEnc *self)
{
  const gchar *package, *missing = gst_x264_ladder_find_missing (&package);

  if (missing == NULL)
    return TRUE;
  GST_ELEMENT_ERROR (self, CORE, MISSING_PLUGIN,
      ("There is no element %s, which encodes raw video. Install the package "
       "that has it: %s on Debian.",
          missing, package),
      (NULL));
  return FALSE;
}

/* The elements that all rungs share are made with the first one. */
static void
ensure_common (GstX264LadderEnc *self)
{
  g_autoptr (GstCaps) caps =
      gst_caps_from_string ("video/x-raw,format=(string)I420");
  g_autoptr (GstPad) target = NULL;

  if (self->tee)
    return;
  self->convert = gst_element_factory_make ("videoconvert", "convert");
  self->filter = gst_element_factory_make ("capsfilter", "format");
  self->tee = gst_element_factory_make ("tee", "tee");
  g_object_set (self->filter, "caps", caps, NULL);
  gst_bin_add_many (GST_BIN (self), self->convert, self->filter, self->tee,
      NULL);
  gst_element_link_many (self->convert, self->filter, self->tee, NULL);
  target = gst_element_get_static_pad (self->convert, "sink");
  gst_ghost_pad_set_target (GST_GHOST_PAD (self->sink), target);
  gst_element_sync_state_with_parent (self->tee);
  gst_element_sync_state_with_parent (self->filter);
  gst_element_sync_state_with_parent (self->convert);
}

static gint
compare_rungs (gconstpointer a, gconstpointer b)
{
  const GstX264LadderRung *first = *(GstX264LadderRung *const *) a;
  const GstX264LadderRung *second = *(GstX264LadderRung *const *) b;

  return first->index < second->index ? -1 : first->index > second->index;
}

static GstX264LadderRung *
find_rung (GstX264LadderEnc *self, guint index)
{
  guint i;

  for (i = 0; i < self->rungs->len; i++) {
    GstX264LadderRung *rung = g_ptr_array_index (self->rungs, i);

    if (rung->index == index)
      return rung;
  }
  return NULL;
}

static guint
choose_index (GstX264LadderEnc *self, const gchar *name)
{
  guint index = 0;

  if (name && sscanf (name, "src_%u", &index) == 1)
    return index;
  while (find_rung (self, index))
    index++;
  return index;
}

static gboolean
can_add_rung (GstX264LadderEnc *self, guint index)
{
  gboolean configured;

  GST_OBJECT_LOCK (self);
  configured = self->configured;
  GST_OBJECT_UNLOCK (self);
  if (!configured && self->rungs->len < LMCC_MAX_RUNGS
      && find_rung (self, index) == NULL)
    return TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FAILED,
      ("No pad src_%u: there are %u rungs at most, and they must be there "
       "before the first picture.",
          index, LMCC_MAX_RUNGS),
      (NULL));
  return FALSE;
}

static GstPad *
gst_x264_ladder_enc_request_new_pad (GstElement *element, GstPadTemplate *templ,
    const gchar *name, const GstCaps *caps G_GNUC_UNUSED)
{
  GstX264LadderEnc *self = GST_X264_LADDER_ENC (element);
  guint index = choose_index (self, name);
  g_autofree gchar *pad_name = g_strdup_printf ("src_%u", index);
  g_autoptr (GstPad) target = NULL;
  GstX264LadderRung *rung;
  GstPad *pad;

  if (!check_installed (self) || !can_add_rung (self, index))
    return NULL;
  ensure_common (self);
  rung = gst_x264_ladder_rung_new (GST_BIN (self), self->tee, index);
  g_ptr_array_add (self->rungs, rung);
  g_ptr_array_sort (self->rungs, compare_rungs);
  target = gst_element_get_static_pad (rung->profile, "src");
  pad = gst_ghost_pad_new_from_template (pad_name, target, templ);
  gst_pad_set_event_function (pad, GST_DEBUG_FUNCPTR (src_event));
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER,
      gst_x264_ladder_picture_out, self, NULL);
  gst_pad_set_active (pad, TRUE);
  gst_element_add_pad (element, pad);
  return pad;
}

static void
gst_x264_ladder_enc_release_pad (GstElement *element, GstPad *pad)
{
  GstX264LadderEnc *self = GST_X264_LADDER_ENC (element);
  GstX264LadderRung *rung;
  guint index = 0;

  sscanf (GST_PAD_NAME (pad), "src_%u", &index);
  rung = find_rung (self, index);
  gst_pad_set_active (pad, FALSE);
  GST_PAD_STREAM_LOCK (self->sink);
  g_ptr_array_remove (self->rungs, rung);
  GST_PAD_STREAM_UNLOCK (self->sink);
  gst_ghost_pad_set_target (GST_GHOST_PAD (pad), NULL);
  gst_x264_ladder_rung_free (rung, GST_BIN (self), self->tee);
  gst_element_remove_pad (element, pad);
}

/* State */

static void
stop (GstX264LadderEnc *self)
{
  guint i;

  for (i = 0; i < self->rungs->len; i++)
    gst_x264_ladder_rung_lock (g_ptr_array_index (self->rungs, i));
  GST_OBJECT_LOCK (self);
  self->configured = FALSE;
  GST_OBJECT_UNLOCK (self);
}

static GstStateChangeReturn
gst_x264_ladder_enc_change_state (GstElement *element,
    GstStateChange transition)
{
  GstX264LadderEnc *self = GST_X264_LADDER_ENC (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_NULL_TO_READY && !check_installed (self))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    gst_x264_ladder_reset (self);
    GST_OBJECT_LOCK (self);
    self->n_skipped = 0;
    GST_OBJECT_UNLOCK (self);
  }
  ret = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    stop (self);
  return ret;
}

/* Properties */

static void
gst_x264_ladder_enc_set_property (GObject *object, guint id,
    const GValue *value, GParamSpec *pspec)
{
  GstX264LadderEnc *self = GST_X264_LADDER_ENC (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_BITRATES:
      g_free (self->props.bitrates);
      self->props.bitrates = g_value_dup_string (value);
      break;
    case PROP_BITRATE:
      self->props.bitrate = g_value_get_uint (value);
      break;
    case PROP_KEY_UNIT_INTERVAL:
      self->props.key_unit_interval = g_value_get_uint (value);
      break;
    case PROP_BFRAMES:
      self->props.bframes = g_value_get_uint (value);
      break;
    case PROP_VBV_BUF_CAPACITY:
      self->props.vbv_buf_capacity = g_value_get_uint (value);
      break;
    case PROP_LOOKAHEAD:
      self->props.lookahead = g_value_get_int (value);
      break;
    case PROP_SPEED_PRESET:
      self->props.speed = g_value_get_enum (value);
      break;
    case PROP_REAL_TIME:
      self->props.real_time = g_value_get_boolean (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_x264_ladder_enc_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstX264LadderEnc *self = GST_X264_LADDER_ENC (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_BITRATES:
      g_value_set_string (value, self->props.bitrates);
      break;
    case PROP_BITRATE:
      g_value_set_uint (value, self->props.bitrate);
      break;
    case PROP_KEY_UNIT_INTERVAL:
      g_value_set_uint (value, self->props.key_unit_interval);
      break;
    case PROP_BFRAMES:
      g_value_set_uint (value, self->props.bframes);
      break;
    case PROP_VBV_BUF_CAPACITY:
      g_value_set_uint (value, self->props.vbv_buf_capacity);
      break;
    case PROP_LOOKAHEAD:
      g_value_set_int (value, self->props.lookahead);
      break;
    case PROP_SPEED_PRESET:
      g_value_set_enum (value, self->props.speed);
      break;
    case PROP_REAL_TIME:
      g_value_set_boolean (value, self->props.real_time);
      break;
    case PROP_PICTURES_SKIPPED:
      g_value_set_uint64 (value, self->n_skipped);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_x264_ladder_enc_dispose (GObject *object)
{
  GstElement *element = GST_ELEMENT (object);

  while (element->srcpads)
    gst_element_release_request_pad (element, element->srcpads->data);
  G_OBJECT_CLASS (parent_class)->dispose (object);
}

static void
gst_x264_ladder_enc_finalize (GObject *object)
{
  GstX264LadderEnc *self = GST_X264_LADDER_ENC (object);

  g_ptr_array_unref (self->rungs);
  g_free (self->props.bitrates);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

#define READY \
  (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)

static void
install_rate_properties (void)
{
  /**
   * GstX264LadderEnc:bitrates:
   *
   * The rate of each rung in bit/s, lowest first, with commas between them:
   * `100k,300k,1.5M`. As many as there are src pads.
   *
   * Since: 0.1
   */
  properties[PROP_BITRATES] = g_param_spec_string ("bitrates", "Bitrates",
      "Rates of the rungs (bit/s), lowest first, such as 100k,300k,1.5M",
      DEFAULT_BITRATES, READY);
  /**
   * GstX264LadderEnc:bitrate:
   *
   * Without #GstX264LadderEnc:bitrates, the rate of the top rung in bit/s, of
   * which each one below has a third. 0 chooses by the picture.
   *
   * Since: 0.1
   */
  properties[PROP_BITRATE] = g_param_spec_uint ("bitrate", "Bitrate",
      "Rate of the top rung (bit/s, 0 = by the picture)", 0, 2048000000,
      DEFAULT_BITRATE, READY);
  /**
   * GstX264LadderEnc:vbv-buf-capacity:
   *
   * What each encoder's buffer holds, in milliseconds of its rate: a key frame
   * is at most that large, and no stretch of the stream is larger than its
   * share of the rate by more (ITU-T H.264 annex C).
   *
   * Since: 0.1
   */
  properties[PROP_VBV_BUF_CAPACITY] = g_param_spec_uint ("vbv-buf-capacity",
      "VBV buffer", "What each encoder's buffer holds (ms of its rate)", 100,
      10000, DEFAULT_VBV_BUF_CAPACITY, READY);
}

static void
install_picture_properties (void)
{
  /**
   * GstX264LadderEnc:key-unit-interval:
   *
   * Distance of the key frames, in milliseconds. Receivers begin, and go up a
   * rung, at key frames.
   *
   * Since: 0.1
   */
  properties[PROP_KEY_UNIT_INTERVAL] = g_param_spec_uint ("key-unit-interval",
      "Key unit interval", "Distance of the key frames, in all rungs (ms)", 100,
      600000, DEFAULT_KEY_UNIT_INTERVAL, READY);
  /**
   * GstX264LadderEnc:bframes:
   *
   * B pictures between two others, which make temporal classes: with 0 there is
   * one, with 1 two, with more three. Each one is a picture of delay.
   *
   * Since: 0.1
   */
  properties[PROP_BFRAMES] = g_param_spec_uint ("bframes", "B pictures",
      "B pictures between two others: 0 makes 1 temporal class, 1 makes 2, "
      "more make 3",
      0, 15, DEFAULT_BFRAMES, READY);
  /**
   * GstX264LadderEnc:lookahead:
   *
   * How many pictures the encoders look ahead at most, before they choose what
   * a picture gets. Each one is a picture of delay. -1 is what the speed preset
   * does, in real time 10 at most. With any other value the threads of an
   * encoder share each picture, so that they hold none back.
   *
   * Since: 0.1
   */
  properties[PROP_LOOKAHEAD] = g_param_spec_int ("lookahead", "Lookahead",
      "Pictures that the encoders look ahead at most (-1 = what the speed "
      "preset "
      "does)",
      -1, 250, DEFAULT_LOOKAHEAD, READY);
  /**
   * GstX264LadderEnc:speed-preset:
   *
   * How thorough the encoders are. `auto` chooses by the pixels per second of
   * all rungs and the machine's processors.
   *
   * Since: 0.1
   */
  properties[PROP_SPEED_PRESET] = g_param_spec_enum ("speed-preset",
      "Speed preset", "How thorough the encoders are", GST_TYPE_LADDER_SPEED,
      DEFAULT_SPEED_PRESET, READY);
  /**
   * GstX264LadderEnc:real-time:
   *
   * Whether pictures are shown as fast as they are encoded: the encoders are
   * then fast enough and hold few pictures back, and it is said where they fall
   * behind. %FALSE is for writing files.
   *
   * Since: 0.1
   */
  properties[PROP_REAL_TIME] = g_param_spec_boolean ("real-time", "Real time",
      "Whether the encoders have to hold real time", DEFAULT_REAL_TIME, READY);
  /**
   * GstX264LadderEnc:pictures-skipped:
   *
   * Pictures of a live source that the encoders had no time for.
   *
   * Since: 0.1
   */
  properties[PROP_PICTURES_SKIPPED] = g_param_spec_uint64 ("pictures-skipped",
      "Pictures skipped", "Pictures that the encoders had no time for", 0,
      G_MAXUINT64, 0, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
}

static void
gst_x264_ladder_enc_class_init (GstX264LadderEncClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_x264_ladder_enc_debug, "x264ladderenc", 0,
      "Several x264 encodings of one video");
  object_class->set_property = gst_x264_ladder_enc_set_property;
  object_class->get_property = gst_x264_ladder_enc_get_property;
  object_class->dispose = gst_x264_ladder_enc_dispose;
  object_class->finalize = gst_x264_ladder_enc_finalize;
  element_class->change_state =
      GST_DEBUG_FUNCPTR (gst_x264_ladder_enc_change_state);
  element_class->request_new_pad =
      GST_DEBUG_FUNCPTR (gst_x264_ladder_enc_request_new_pad);
  element_class->release_pad =
      GST_DEBUG_FUNCPTR (gst_x264_ladder_enc_release_pad);
  install_rate_properties ();
  install_picture_properties ();
  g_object_class_install_properties (object_class, N_PROPS, properties);
  /**
   * GstX264LadderEnc::encoder-setup:
   * @ladder: the ladder
   * @encoder: an x264enc with all its settings, in state NULL
   * @rung: which, 0 for the lowest
   *
   * Emitted for each encoder before it gets its first picture, from a streaming
   * thread: the place to change any of its properties. Key frames must stay at
   * the same pictures in all rungs (option-string), and what holds pictures
   * back, such as rc-lookahead, should be the same.
   *
   * Since: 0.1
   */
  gst_x264_ladder_enc_setup_signal = g_signal_new ("encoder-setup",
      G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
      G_TYPE_NONE, 2, GST_TYPE_ELEMENT, G_TYPE_UINT);
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "x264 ladder encoder",
      "Codec/Encoder/Video",
      "Encodes one video several times, with key frames "
      "at the same pictures",
      "The lmcc project");
  gst_type_mark_as_plugin_api (GST_TYPE_LADDER_SPEED, 0);
}

static void
gst_x264_ladder_enc_init (GstX264LadderEnc *self)
{
  g_autoptr (GstPadTemplate) templ =
      gst_static_pad_template_get (&sink_template);

  self->props.bitrate = DEFAULT_BITRATE;
  self->props.key_unit_interval = DEFAULT_KEY_UNIT_INTERVAL;
  self->props.bframes = DEFAULT_BFRAMES;
  self->props.lookahead = DEFAULT_LOOKAHEAD;
  self->props.vbv_buf_capacity = DEFAULT_VBV_BUF_CAPACITY;
  self->props.speed = DEFAULT_SPEED_PRESET;
  self->props.real_time = DEFAULT_REAL_TIME;
  self->rungs = g_ptr_array_new ();
  self->sink = gst_ghost_pad_new_no_target_from_template ("sink", templ);
  gst_pad_set_event_function (self->sink,
      GST_DEBUG_FUNCPTR (gst_x264_ladder_sink_event));
  gst_pad_add_probe (self->sink, GST_PAD_PROBE_TYPE_BUFFER,
      gst_x264_ladder_picture_in, self, NULL);
  gst_element_add_pad (GST_ELEMENT (self), self->sink);
  gst_x264_ladder_reset (self);
}
