/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-x264ladderenc
 * @title: x264ladderenc
 * @see_also: #lmccsink
 *
 * Encodes one raw video several times, with one x264enc for each src pad. The
 * encodings are called rungs; src_0 is the lowest. All rungs have key frames at
 * the same pictures, each key frame begins a closed group of pictures, and all
 * rungs have the same temporal classes. A receiver can therefore change from
 * one rung to another at a key frame. lmccsink creates x264ladderenc itself
 * when it gets raw video.
 *
 * The rates come from #GstX264LadderEnc:bitrates. Without it, the top rung has
 * #GstX264LadderEnc:bitrate, and each rung below a third of the rate of the one
 * above. A rung whose rate is too low for the picture size is scaled down.
 * #GstX264LadderEnc:speed-preset is chosen from the number of pixels per second
 * and the number of processors.
 *
 * Use #GstX264LadderEnc::encoder-setup for all other settings of the encoders.
 * A key-frame request (force-key-unit) on any pad makes the same picture a key
 * frame in all rungs.
 *
 * If the encoders are slower than real time, x264ladderenc posts an element
 * message `lmcc-encoder-overload` once, and a warning. With a live source it
 * then skips pictures, the same ones in all rungs, so that the delay does not
 * grow. The fields of the message:
 *
 * * #guint `rung`: the slowest rung
 * * #guint64 `behind`: its delay, in ns
 * * #guint64 `pictures-skipped`: number of skipped pictures so far
 * * #gchararray `speed-preset`: preset that was set or chosen
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

#include <plugins/common/messages.h>

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
      (_ ("The element %s, which encodes raw video, is missing. Install the "
          "package that contains it: %s on Debian."),
          missing, package),
      (NULL));
  return FALSE;
}

/* Creates the elements that all rungs share, with the first rung. */
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
      (_ ("Cannot add pad src_%u: at most %u rungs, all before the first "
          "picture."),
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
   * The rate of each rung in bit/s, lowest first, separated by commas:
   * `100k,300k,1.5M`. It needs as many rates as there are src pads.
   *
   * Since: 0.1
   */
  properties[PROP_BITRATES] = g_param_spec_string ("bitrates", "Bitrates",
      "Rates of the rungs, lowest first, such as 100k,300k,1.5M (bit/s)",
      DEFAULT_BITRATES, READY);
  /**
   * GstX264LadderEnc:bitrate:
   *
   * The rate of the top rung in bit/s, if #GstX264LadderEnc:bitrates is not
   * set. Each rung below has a third of the rate of the one above. 0 chooses
   * the rate from the size and rate of the video.
   *
   * Since: 0.1
   */
  properties[PROP_BITRATE] = g_param_spec_uint ("bitrate", "Bitrate",
      "Rate of the top rung; each rung below has a third (bit/s, 0 = from the "
      "picture)",
      0, 2048000000, DEFAULT_BITRATE, READY);
  /**
   * GstX264LadderEnc:vbv-buf-capacity:
   *
   * The size of each encoder's VBV buffer, in ms at its rate. It limits the
   * size of a key frame, and how far any part of the stream exceeds its share
   * of the rate (ITU-T H.264 annex C).
   *
   * Since: 0.1
   */
  properties[PROP_VBV_BUF_CAPACITY] = g_param_spec_uint ("vbv-buf-capacity",
      "VBV buffer", "Size of each encoder's VBV buffer (ms at its rate)", 100,
      10000, DEFAULT_VBV_BUF_CAPACITY, READY);
}

static void
install_picture_properties (void)
{
  /**
   * GstX264LadderEnc:key-unit-interval:
   *
   * The key-frame interval in ms. Receivers start, and change to a higher rung,
   * at key frames.
   *
   * Since: 0.1
   */
  properties[PROP_KEY_UNIT_INTERVAL] = g_param_spec_uint ("key-unit-interval",
      "Key unit interval", "Key-frame interval of all rungs (ms)", 100, 600000,
      DEFAULT_KEY_UNIT_INTERVAL, READY);
  /**
   * GstX264LadderEnc:bframes:
   *
   * The number of B-frames in a row, which form temporal classes: 0 makes one
   * class, 1 makes two, and more make three. Each B-frame adds one picture of
   * delay.
   *
   * Since: 0.1
   */
  properties[PROP_BFRAMES] = g_param_spec_uint ("bframes", "B pictures",
      "Number of B-frames in a row: 0 makes 1 temporal class, 1 makes 2, more "
      "make 3",
      0, 15, DEFAULT_BFRAMES, READY);
  /**
   * GstX264LadderEnc:lookahead:
   *
   * The maximum number of pictures that the encoders look ahead before they
   * decide on the bits of a picture. Each one adds one picture of delay. -1
   * uses the value of the speed preset, limited to 10 in real time. With any
   * other value the threads of an encoder work on the same picture, so that
   * they add no delay.
   *
   * Since: 0.1
   */
  properties[PROP_LOOKAHEAD] = g_param_spec_int ("lookahead", "Lookahead",
      "Maximum number of pictures that the encoders look ahead (-1 = as "
      "speed-preset sets it)",
      -1, 250, DEFAULT_LOOKAHEAD, READY);
  /**
   * GstX264LadderEnc:speed-preset:
   *
   * The speed preset of the encoders. `auto` chooses it from the pixels per
   * second of all rungs and the number of processors.
   *
   * Since: 0.1
   */
  properties[PROP_SPEED_PRESET] =
      g_param_spec_enum ("speed-preset", "Speed preset",
          "Speed preset of the encoders: slower presets give better quality",
          GST_TYPE_LADDER_SPEED, DEFAULT_SPEED_PRESET, READY);
  /**
   * GstX264LadderEnc:real-time:
   *
   * Whether the encoders must keep up with real time. They are then set to be
   * fast enough and to add little delay, and a message is posted when they fall
   * behind. Use %FALSE to write files.
   *
   * Since: 0.1
   */
  properties[PROP_REAL_TIME] = g_param_spec_boolean ("real-time", "Real time",
      "Whether the encoders must keep up with real time", DEFAULT_REAL_TIME,
      READY);
  /**
   * GstX264LadderEnc:pictures-skipped:
   *
   * The number of pictures of a live source that were skipped because the
   * encoders were too slow.
   *
   * Since: 0.1
   */
  properties[PROP_PICTURES_SKIPPED] =
      g_param_spec_uint64 ("pictures-skipped", "Pictures skipped",
          "Number of pictures of a live source skipped because the encoders "
          "were too slow",
          0, G_MAXUINT64, 0, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
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
   * @ladder: the x264ladderenc
   * @encoder: an x264enc with all its settings, in state NULL
   * @rung: the rung that it makes, 0 for the lowest
   *
   * Emitted from a streaming thread for each encoder before it gets its first
   * picture. Handlers can change any property of the encoder. Key frames must
   * stay at the same pictures in all rungs (option-string). Settings that delay
   * pictures, such as rc-lookahead, should be equal in all rungs.
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
      "Encodes one video several times, with key frames at the same pictures",
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
