/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Properties of vp9svcenc. */
#include "config.h"

#include "gstvp9svcencprivate.h"
#include "gstvp9svcmeta.h"
#include "gstvp9svcrates.h"

/* Values of GstVp9SvcMode: 4 * spatial layers + temporal layers. */
#define MODE(spatial, temporal) ((spatial) << 2 | (temporal))

#define DEFAULT_MODE MODE (3, 3)
#define DEFAULT_SCALING FALSE
/* The default of vp9enc. */
#define DEFAULT_TARGET_BITRATE 256000
#define DEFAULT_KEYFRAME_MAX_DIST 128
#define DEFAULT_SWITCH_DISTANCE 32
#define DEFAULT_CPU_USED 6
#define DEFAULT_THREADS 0
#define DEFAULT_MIN_QUANTIZER 2
#define DEFAULT_MAX_QUANTIZER 56

#define MAX_QUANTIZER 63
#define MAX_CPU_USED 9

enum
{
  PROP_0,
  PROP_SCALABILITY_MODE,
  PROP_LAYER_SCALING,
  PROP_TARGET_BITRATE,
  PROP_LAYER_BITRATES,
  PROP_KEYFRAME_MAX_DIST,
  PROP_SWITCH_DISTANCE,
  PROP_CPU_USED,
  PROP_THREADS,
  PROP_MIN_QUANTIZER,
  PROP_MAX_QUANTIZER,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

/**
 * GstVp9SvcMode:
 *
 * Scalability modes with W3C's names: number of spatial or quality layers (L),
 * number of temporal layers (T).
 */
static GType
gst_vp9_svc_mode_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { MODE (1, 1), "One layer", "L1T1" },
    { MODE (1, 2), "Two temporal layers", "L1T2" },
    { MODE (1, 3), "Three temporal layers", "L1T3" },
    { MODE (2, 1), "Two spatial layers", "L2T1" },
    { MODE (2, 2), "Two spatial and two temporal layers", "L2T2" },
    { MODE (2, 3), "Two spatial and three temporal layers", "L2T3" },
    { MODE (3, 1), "Three spatial layers", "L3T1" },
    { MODE (3, 2), "Three spatial and two temporal layers", "L3T2" },
    { MODE (3, 3), "Three spatial and three temporal layers", "L3T3" },
    { 0, NULL, NULL } };

  if (g_once_init_enter (&type)) {
    GType new_type = g_enum_register_static ("GstVp9SvcMode", values);

    gst_type_mark_as_plugin_api (new_type, 0);
    g_once_init_leave (&type, new_type);
  }
  return type;
}

/**
 * GstVp9SvcScaling:
 * @none: all layers have the size of the video, and upper ones add quality
 * @half: each layer has half the width and height of the one above
 */
static GType
gst_vp9_svc_scaling_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { FALSE, "All layers have the same size; upper ones add quality",
        GST_VP9_SVC_SCALING_NONE },
    { TRUE, "Each layer has half the width and height of the one above",
        GST_VP9_SVC_SCALING_HALF },
    { 0, NULL, NULL }
  };

  if (g_once_init_enter (&type)) {
    GType new_type = g_enum_register_static ("GstVp9SvcScaling", values);

    gst_type_mark_as_plugin_api (new_type, 0);
    g_once_init_leave (&type, new_type);
  }
  return type;
}

static void
set_settings_property (GstVp9SvcEnc *self, guint id, const GValue *value)
{
  switch (id) {
    case PROP_TARGET_BITRATE:
      self->target_bitrate = g_value_get_int (value);
      self->scaled = gst_value_array_get_size (&self->layer_bitrates) > 0;
      break;
    case PROP_LAYER_BITRATES:
      g_value_copy (value, &self->layer_bitrates);
      self->scaled = FALSE;
      break;
    case PROP_CPU_USED:
      self->settings.cpu_used = g_value_get_int (value);
      break;
    case PROP_THREADS:
      self->settings.threads = (guint) g_value_get_int (value);
      break;
    case PROP_MIN_QUANTIZER:
      self->settings.min_quantizer = (guint) g_value_get_int (value);
      break;
    case PROP_MAX_QUANTIZER:
      self->settings.max_quantizer = (guint) g_value_get_int (value);
      break;
    default:
      g_assert_not_reached ();
  }
  self->settings_changed = TRUE;
}

static gint
get_target_bitrate (GstVp9SvcEnc *self)
{
  if (self->scaled || gst_value_array_get_size (&self->layer_bitrates) == 0)
    return self->target_bitrate;

  return (gint) MIN (gst_vp9_svc_rates_sum (&self->layer_bitrates), G_MAXINT);
}

static void
gst_vp9_svc_enc_set_property (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec)
{
  GstVp9SvcEnc *self = GST_VP9_SVC_ENC (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_SCALABILITY_MODE:
      self->mode = g_value_get_enum (value);
      break;
    case PROP_LAYER_SCALING:
      self->halved = g_value_get_enum (value);
      break;
    case PROP_KEYFRAME_MAX_DIST:
      self->keyframe_max_dist = (guint) g_value_get_int (value);
      break;
    case PROP_SWITCH_DISTANCE:
      self->switch_distance = (guint) g_value_get_int (value);
      break;
    case PROP_TARGET_BITRATE:
    case PROP_LAYER_BITRATES:
    case PROP_CPU_USED:
    case PROP_THREADS:
    case PROP_MIN_QUANTIZER:
    case PROP_MAX_QUANTIZER:
      set_settings_property (self, id, value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_vp9_svc_enc_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstVp9SvcEnc *self = GST_VP9_SVC_ENC (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_SCALABILITY_MODE:
      g_value_set_enum (value, self->mode);
      break;
    case PROP_LAYER_SCALING:
      g_value_set_enum (value, self->halved);
      break;
    case PROP_TARGET_BITRATE:
      g_value_set_int (value, get_target_bitrate (self));
      break;
    case PROP_LAYER_BITRATES:
      g_value_copy (&self->layer_bitrates, value);
      break;
    case PROP_KEYFRAME_MAX_DIST:
      g_value_set_int (value, (gint) self->keyframe_max_dist);
      break;
    case PROP_SWITCH_DISTANCE:
      g_value_set_int (value, (gint) self->switch_distance);
      break;
    case PROP_CPU_USED:
      g_value_set_int (value, self->settings.cpu_used);
      break;
    case PROP_THREADS:
      g_value_set_int (value, (gint) self->settings.threads);
      break;
    case PROP_MIN_QUANTIZER:
      g_value_set_int (value, (gint) self->settings.min_quantizer);
      break;
    case PROP_MAX_QUANTIZER:
      g_value_set_int (value, (gint) self->settings.max_quantizer);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  GST_OBJECT_UNLOCK (self);
}

static void
install_layer_properties (void)
{
  const GParamFlags ready =
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  /**
   * GstVp9SvcEnc:scalability-mode:
   *
   * The number of spatial and temporal layers, with W3C's names.
   *
   * Since: 0.1
   */
  properties[PROP_SCALABILITY_MODE] =
      g_param_spec_enum ("scalability-mode", "Scalability mode",
          "Number of spatial (L) and temporal (T) layers, with W3C's names",
          gst_vp9_svc_mode_get_type (), DEFAULT_MODE, ready);
  /**
   * GstVp9SvcEnc:layer-scaling:
   *
   * Whether the spatial layers differ in size, or only in quality.
   *
   * Since: 0.1
   */
  properties[PROP_LAYER_SCALING] = g_param_spec_enum ("layer-scaling",
      "Layer scaling", "Size of a spatial layer relative to the one above it",
      gst_vp9_svc_scaling_get_type (), DEFAULT_SCALING, ready);
  /**
   * GstVp9SvcEnc:threads:
   *
   * The number of encoding threads.
   *
   * Since: 0.1
   */
  properties[PROP_THREADS] = g_param_spec_int ("threads", "Threads",
      "Number of encoding threads (0 = one per processor, at most 4)", 0, 64,
      DEFAULT_THREADS, ready);
}

static void
install_rate_properties (void)
{
  const GParamFlags playing =
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

  /**
   * GstVp9SvcEnc:target-bitrate:
   *
   * The total rate of all layers in bit/s; each layer gets a fixed share. If it
   * is set after #GstVp9SvcEnc:layer-bitrates, it scales these rates: each
   * layer keeps its share, but has at least 1000 bit/s. Until then its value is
   * their sum.
   *
   * Since: 0.1
   */
  properties[PROP_TARGET_BITRATE] = g_param_spec_int ("target-bitrate",
      "Target bit rate", "Total rate of all layers (bit/s)", 10000, G_MAXINT,
      DEFAULT_TARGET_BITRATE, playing);
  /**
   * GstVp9SvcEnc:layer-bitrates:
   *
   * The rate of each single layer in bit/s, lowest spatial layer first, and
   * within it lowest temporal layer first: for L2T2 the rates of S0T0, S0T1,
   * S1T0 and S1T1. They apply unchanged until #GstVp9SvcEnc:target-bitrate is
   * set after them.
   *
   * Since: 0.1
   */
  properties[PROP_LAYER_BITRATES] =
      gst_param_spec_array ("layer-bitrates", "Layer bit rates",
          "Rate of each single layer, such as \"<40000,20000,30000>\" for L1T3 "
          "(bit/s, empty = shares of target-bitrate)",
          g_param_spec_int ("layer-bitrate", "Layer bit rate",
              "Rate of the layer (bit/s)", G_MININT, G_MAXINT, 0,
              G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS),
          playing);
  /**
   * GstVp9SvcEnc:min-quantizer:
   *
   * The minimum quantizer, which gives the best quality.
   *
   * Since: 0.1
   */
  properties[PROP_MIN_QUANTIZER] = g_param_spec_int ("min-quantizer",
      "Minimum quantizer", "Minimum quantizer (best quality)", 0, MAX_QUANTIZER,
      DEFAULT_MIN_QUANTIZER, playing);
  /**
   * GstVp9SvcEnc:max-quantizer:
   *
   * The maximum quantizer, which gives the worst quality. If it is not coarse
   * enough for the rate, the encoder exceeds the rate.
   *
   * Since: 0.1
   */
  properties[PROP_MAX_QUANTIZER] = g_param_spec_int ("max-quantizer",
      "Maximum quantizer", "Maximum quantizer (worst quality)", 0,
      MAX_QUANTIZER, DEFAULT_MAX_QUANTIZER, playing);
  /**
   * GstVp9SvcEnc:cpu-used:
   *
   * The encoding speed; higher values are faster, with lower quality. With
   * #GstVp9SvcEnc:layer-scaling `half` the smaller pictures are encoded with a
   * value that is lower by 2, but not below 4 because of that.
   *
   * Since: 0.1
   */
  properties[PROP_CPU_USED] = g_param_spec_int ("cpu-used", "CPU used",
      "Encoding speed: higher values are faster, with lower quality", 0,
      MAX_CPU_USED, DEFAULT_CPU_USED, playing);
}

static void
install_distance_properties (void)
{
  const GParamFlags playing =
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

  /**
   * GstVp9SvcEnc:keyframe-max-dist:
   *
   * The number of pictures from one key frame to the next. Receivers can join
   * the base layer at key frames.
   *
   * Since: 0.1
   */
  properties[PROP_KEYFRAME_MAX_DIST] =
      g_param_spec_int ("keyframe-max-dist", "Key frame distance",
          "Number of pictures between key frames (0 = only the first and "
          "requested ones)",
          0, G_MAXINT, DEFAULT_KEYFRAME_MAX_DIST, playing);
  /**
   * GstVp9SvcEnc:switch-distance:
   *
   * The number of pictures from one switch point of the upper spatial or
   * quality layers to the next, rounded up to a picture of the lowest temporal
   * layer. At a switch point the upper layers only refer to the layer below, so
   * that receivers can join them without a key frame of the base layer.
   * `docs/users/vp9-svc.md` has the cost.
   *
   * Since: 0.1
   */
  properties[PROP_SWITCH_DISTANCE] =
      g_param_spec_int ("switch-distance", "Switch distance",
          "Number of pictures between switch points of the upper layers (0 = "
          "only at key frames)",
          0, G_MAXINT, DEFAULT_SWITCH_DISTANCE, playing);
}

void
gst_vp9_svc_enc_install_properties (GObjectClass *object_class)
{
  object_class->set_property = gst_vp9_svc_enc_set_property;
  object_class->get_property = gst_vp9_svc_enc_get_property;
  install_layer_properties ();
  install_rate_properties ();
  install_distance_properties ();
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

void
gst_vp9_svc_enc_init_properties (GstVp9SvcEnc *self)
{
  self->mode = DEFAULT_MODE;
  self->halved = DEFAULT_SCALING;
  self->target_bitrate = DEFAULT_TARGET_BITRATE;
  g_value_init (&self->layer_bitrates, GST_TYPE_ARRAY);
  self->keyframe_max_dist = DEFAULT_KEYFRAME_MAX_DIST;
  self->switch_distance = DEFAULT_SWITCH_DISTANCE;
  self->settings.cpu_used = DEFAULT_CPU_USED;
  self->settings.threads = DEFAULT_THREADS;
  self->settings.min_quantizer = DEFAULT_MIN_QUANTIZER;
  self->settings.max_quantizer = DEFAULT_MAX_QUANTIZER;
}
