/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:gstlmccenums
 *
 * The enumerations that the elements share.
 */
#include "config.h"

#include "common/enums.h"

#include "common/profiles.h"

/**
 * GstLmccAlgorithm:
 * @auto: the algorithm that the session announces
 *
 * A congestion control algorithm. Except for `auto` the values are the numbers
 * of the library's registry, and the nicks are the names in the session record.
 */
GType
gst_lmcc_algorithm_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    guint n, i;
    const LmccAlgorithm *const *list = lmcc_algorithm_list (&n);
    GEnumValue *values = g_new0 (GEnumValue, n + 2);
    GType new_type;

    values[0].value = GST_LMCC_ALGORITHM_AUTO;
    values[0].value_name =
        "The algorithm that the session announces (lmccsink: plumb)";
    values[0].value_nick = "auto";
    for (i = 0; i < n; i++) {
      values[i + 1].value = (gint) lmcc_algorithm_get_number (list[i]);
      values[i + 1].value_name = list[i]->description;
      values[i + 1].value_nick = list[i]->name;
    }
    /* The type never frees the values. */
    new_type = g_enum_register_static ("GstLmccAlgorithm", values);
    gst_type_mark_as_plugin_api (new_type, 0);
    g_once_init_leave (&type, new_type);
  }
  return type;
}

/**
 * gst_lmcc_algorithm_to_name:
 * @value: a value of #GstLmccAlgorithm
 *
 * Returns: (transfer none): its name in the registry, "auto" if it is no valid
 * value
 */
const gchar *
gst_lmcc_algorithm_to_name (gint value)
{
  GEnumClass *klass = g_type_class_ref (GST_TYPE_LMCC_ALGORITHM);
  const GEnumValue *entry = g_enum_get_value (klass, value);
  const gchar *name = entry ? entry->value_nick : "auto";

  g_type_class_unref (klass);
  return name;
}

static gint
value_from_nick (GType type, const gchar *nick)
{
  GEnumClass *klass = g_type_class_ref (type);
  const GEnumValue *entry = g_enum_get_value_by_nick (klass, nick);
  gint value = entry ? entry->value : -1;

  g_type_class_unref (klass);
  return value;
}

/**
 * gst_lmcc_algorithm_from_name:
 * @name: a name of the registry, or "auto"
 *
 * Returns: the value of #GstLmccAlgorithm, or -1 if there is none
 */
gint
gst_lmcc_algorithm_from_name (const gchar *name)
{
  return value_from_nick (GST_TYPE_LMCC_ALGORITHM, name);
}

/**
 * GstLmccBaseAlgorithm:
 *
 * The algorithm that sets the rate of the base layer if receivers choose the
 * layers above it: `none`, or one of the algorithms of the library's registry
 * with receiver reports to the sender.
 */
GType
gst_lmcc_base_algorithm_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    guint n, i, n_values = 0;
    const LmccAlgorithm *const *list = lmcc_algorithm_list (&n);
    GEnumValue *values = g_new0 (GEnumValue, n + 1);
    GType new_type;

    for (i = 0; i < n; i++) {
      gboolean none = g_str_equal (list[i]->name, "none");

      if (!none && !lmcc_algorithm_sets_rate (list[i]))
        continue;
      values[n_values].value = (gint) lmcc_algorithm_get_number (list[i]);
      values[n_values].value_name =
          none ? "None: the encoder sets the rate" : list[i]->description;
      values[n_values++].value_nick = list[i]->name;
    }
    /* The type never frees the values. */
    new_type = g_enum_register_static ("GstLmccBaseAlgorithm", values);
    gst_type_mark_as_plugin_api (new_type, 0);
    g_once_init_leave (&type, new_type);
  }
  return type;
}

/**
 * GstLmccLayering:
 * @native: a layer for each class of each rung, with the rate that the encoder
 *     produces
 * @equal: all layers have the same rate
 * @increase-by-one: layer i has i + 1 times the rate of the base layer
 * @doubling: each layer doubles the cumulative rate: 1, 1, 2, 4
 * @multiplicative: each layer multiplies the cumulative rate by a factor
 * @heavy-tail: k receivers behind one bottleneck get 1/k of it each
 * @explicit: the rates are given
 *
 * How layers are made. With all values but `native` layers have fixed rates
 * (Byers et al., "FLID-DL: Congestion Control for Layered Multicast", section
 * IV-A).
 */
GType
gst_lmcc_layering_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_LMCC_LAYERING_NATIVE,
        "Layers as the codec makes them, rates as measured", "native" },
    { LMCC_RATE_SCHEME_EQUAL + 1, "Fixed rates, all layers equal", "equal" },
    { LMCC_RATE_SCHEME_INCREASE_BY_ONE + 1,
        "Fixed rates, layer i has i + 1 times the base rate",
        "increase-by-one" },
    { LMCC_RATE_SCHEME_DOUBLING + 1,
        "Fixed rates, each layer doubles the cumulative rate: 1, 1, 2, 4",
        "doubling" },
    { LMCC_RATE_SCHEME_MULTIPLICATIVE + 1,
        "Fixed rates, each layer multiplies the cumulative rate by rate-factor",
        "multiplicative" },
    { LMCC_RATE_SCHEME_HEAVY_TAIL + 1,
        "Fixed rates, k receivers behind one bottleneck get 1/k each",
        "heavy-tail" },
    { LMCC_RATE_SCHEME_EXPLICIT + 1, "Fixed rates, given by layer-rates",
        "explicit" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type)) {
    GType new_type = g_enum_register_static ("GstLmccLayering", values);

    gst_type_mark_as_plugin_api (new_type, 0);
    g_once_init_leave (&type, new_type);
  }
  return type;
}

/**
 * GstLmccCodec:
 * @h264: x264ladderenc
 * @vp9: vp9svcenc
 * @j2k: j2klayerenc
 *
 * The encoder that #lmccsink uses for raw video.
 */
GType
gst_lmcc_codec_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_LMCC_CODEC_H264, "H.264, one encoding per rung (x264ladderenc)",
        "h264" },
    { GST_LMCC_CODEC_VP9, "VP9 with spatial and temporal layers (vp9svcenc)",
        "vp9" },
    { GST_LMCC_CODEC_J2K, "JPEG 2000 with quality layers (j2klayerenc)",
        "j2k" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type)) {
    GType new_type = g_enum_register_static ("GstLmccCodec", values);

    gst_type_mark_as_plugin_api (new_type, 0);
    g_once_init_leave (&type, new_type);
  }
  return type;
}

/**
 * GstLmccLevels:
 * @cumulative: each level is a layer and all layers below it
 * @fallback: the lowest encoding, and at each higher level one more encoding
 * @replicated: one encoding, beside a base layer without video
 * @auto: `fallback` if there are several encodings, each with layers of its
 *     own, and the algorithm is not RLM; otherwise `cumulative`
 *
 * The layers of each level of #lmccsink.
 */
GType
gst_lmcc_levels_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { LMCC_LEVELS_CUMULATIVE, "Each level is a layer and all layers below it",
        "cumulative" },
    { LMCC_LEVELS_FALLBACK,
        "The lowest encoding, and at each higher level one more encoding",
        "fallback" },
    { LMCC_LEVELS_REPLICATED, "One encoding, beside a base layer without video",
        "replicated" },
    { LMCC_LEVELS_AUTO, "fallback with several encodings, otherwise cumulative",
        "auto" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type)) {
    GType new_type = g_enum_register_static ("GstLmccLevels", values);

    gst_type_mark_as_plugin_api (new_type, 0);
    g_once_init_leave (&type, new_type);
  }
  return type;
}

/**
 * GstLmccSegmentation:
 * @auto: on interfaces that do not drop super-packets
 * @on: whenever the kernel supports it
 * @off: never
 *
 * When #lmccsink hands super-packets to the kernel, which splits them
 * (UDP_SEGMENT).
 */
GType
gst_lmcc_segmentation_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_LMCC_SEGMENTATION_AUTO,
        "On interfaces that do not drop super-packets", "auto" },
    { GST_LMCC_SEGMENTATION_ON, "Whenever the kernel supports it", "on" },
    { GST_LMCC_SEGMENTATION_OFF, "Never", "off" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type)) {
    GType new_type = g_enum_register_static ("GstLmccSegmentation", values);

    gst_type_mark_as_plugin_api (new_type, 0);
    g_once_init_leave (&type, new_type);
  }
  return type;
}

/**
 * GstLmccTxtime:
 * @auto: if the interface holds packets until their transmit times
 * @on: whenever the kernel supports it
 * @off: never
 *
 * When #lmccsink hands packets to the kernel early, with their transmit times
 * (SO_TXTIME).
 */
GType
gst_lmcc_txtime_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_LMCC_TXTIME_AUTO,
        "If the interface holds packets until their transmit times", "auto" },
    { GST_LMCC_TXTIME_ON, "Whenever the kernel supports it", "on" },
    { GST_LMCC_TXTIME_OFF, "Never", "off" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type)) {
    GType new_type = g_enum_register_static ("GstLmccTxtime", values);

    gst_type_mark_as_plugin_api (new_type, 0);
    g_once_init_leave (&type, new_type);
  }
  return type;
}

/**
 * GstLmccLatencyProfile:
 * @live: lowest latency
 * @balanced: 1.5 s with fixed rates and raw video, less with native layers
 * @quality: best quality for the bitrate
 *
 * Trade-off between latency and picture quality; see docs/users/elements.md.
 */
GType
gst_lmcc_latency_profile_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_LMCC_PROFILE_LIVE, "Lowest latency", "live" },
    { GST_LMCC_PROFILE_BALANCED, "Some latency for better pictures",
        "balanced" },
    { GST_LMCC_PROFILE_QUALITY, "A few seconds for the best pictures",
        "quality" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type)) {
    GType new_type = g_enum_register_static ("GstLmccLatencyProfile", values);

    gst_type_mark_as_plugin_api (new_type, 0);
    g_once_init_leave (&type, new_type);
  }
  return type;
}

/**
 * GstLmccOnLoss:
 * @conceal: output complete pictures that depend on a lost one, flagged as
 *     corrupted
 * @freeze: output nothing that depends on a lost picture
 *
 * What #lmccsrc outputs after packet loss.
 */
GType
gst_lmcc_on_loss_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { LMCC_ON_LOSS_CONCEAL,
        "Output complete pictures that depend on a loss, flagged as corrupted",
        "conceal" },
    { LMCC_ON_LOSS_FREEZE, "Output nothing that depends on a loss", "freeze" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type)) {
    GType new_type = g_enum_register_static ("GstLmccOnLoss", values);

    gst_type_mark_as_plugin_api (new_type, 0);
    g_once_init_leave (&type, new_type);
  }
  return type;
}

static const GEnumValue rtt_modes[] = {
  { LMCC_RTT_MODE_FEEDBACK,
      "Reports to the sender and its answers; without answers like join",
      "feedback" },
  { LMCC_RTT_MODE_JOIN, "Time from a join to the first packet; sends nothing",
      "join" },
  { LMCC_RTT_MODE_FIXED, "The property rtt; sends nothing", "fixed" },
  { 0, NULL, NULL },
};

/**
 * GstLmccRttMode:
 * @feedback: reports to the sender and its answers
 * @join: the time from a join to the first packet
 * @fixed: the value that the user sets
 *
 * Where #lmccsrc gets the round-trip time from.
 */
GType
gst_lmcc_rtt_mode_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    GType new_type = g_enum_register_static ("GstLmccRttMode", rtt_modes);

    gst_type_mark_as_plugin_api (new_type, 0);
    g_once_init_leave (&type, new_type);
  }
  return type;
}

/**
 * gst_lmcc_rtt_source_to_name:
 * @source: the origin of a round-trip time
 *
 * Returns: (transfer none): its name in statistics and messages
 */
const gchar *
gst_lmcc_rtt_source_to_name (LmccRttSource source)
{
  static const gchar *const names[] = {
    [LMCC_RTT_SOURCE_MAX] = "max",
    [LMCC_RTT_SOURCE_FEEDBACK] = "feedback",
    [LMCC_RTT_SOURCE_JOIN] = "join",
    [LMCC_RTT_SOURCE_FIXED] = "fixed",
  };

  return names[source];
}

static const GEnumValue source_policies[] = {
  { LMCC_SOURCE_POLICY_FIRST,
      "The first sender; another one after 10 s of silence", "first" },
  { LMCC_SOURCE_POLICY_ANY,
      "Any sender that is heard when the current one is silent", "any" },
  { LMCC_SOURCE_POLICY_ASK,
      "Like first, and the application is asked about others", "ask" },
  { 0, NULL, NULL },
};

/**
 * GstLmccSourcePolicy:
 * @first: the sender that was heard first, whenever it is heard; another one
 *     after 10 s of silence
 * @any: any sender that is heard when the current one has been silent for 0.6 s
 * @ask: like `first`, and the application is asked about others
 *
 * Which sender #lmccsrc receives from if several hosts send a session.
 */
GType
gst_lmcc_source_policy_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    GType new_type =
        g_enum_register_static ("GstLmccSourcePolicy", source_policies);

    gst_type_mark_as_plugin_api (new_type, 0);
    g_once_init_leave (&type, new_type);
  }
  return type;
}
