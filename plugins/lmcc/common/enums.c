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
 * @auto: what the session announces
 *
 * A congestion-control algorithm. Besides `auto` the values are the numbers of
 * the library's registry: the nicknames are their names in the session record.
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
    values[0].value_name = "What the session announces (lmccsink: plumb)";
    values[0].value_nick = "auto";
    for (i = 0; i < n; i++) {
      values[i + 1].value = (gint) lmcc_algorithm_get_number (list[i]);
      values[i + 1].value_name = list[i]->description;
      values[i + 1].value_nick = list[i]->name;
    }
    /* The type keeps the values for ever. */
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
 * Returns: (transfer none): its name in the registry, "auto" for what is none
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
 * Returns: the value of #GstLmccAlgorithm, or -1 where there is none
 */
gint
gst_lmcc_algorithm_from_name (const gchar *name)
{
  return value_from_nick (GST_TYPE_LMCC_ALGORITHM, name);
}

/**
 * GstLmccBaseAlgorithm:
 *
 * What sets the rate of the base where receivers choose the layers above it:
 * `none`, and of the library's registry what has receivers report to the
 * sender.
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
          none ? "The encoder's own" : list[i]->description;
      values[n_values++].value_nick = list[i]->name;
    }
    /* The type keeps the values for ever. */
    new_type = g_enum_register_static ("GstLmccBaseAlgorithm", values);
    gst_type_mark_as_plugin_api (new_type, 0);
    g_once_init_leave (&type, new_type);
  }
  return type;
}

/**
 * GstLmccLayering:
 * @native: a layer for each class of each rung, with the rate that it has
 * @equal: layers of one rate
 * @increase-by-one: layer i has i + 1 times the base's rate
 * @doubling: each layer doubles the rate of all below it: 1, 1, 2, 4
 * @multiplicative: the rate of all layers together grows by a factor each
 * @heavy-tail: k receivers of one bottleneck get 1/k of it each
 * @explicit: the rates are given
 *
 * What a layer is. In all but `native` layers have fixed rates (Byers et al.,
 * "FLID-DL: Congestion Control for Layered Multicast", section IV-A).
 */
GType
gst_lmcc_layering_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_LMCC_LAYERING_NATIVE, "What the codec makes, measured", "native" },
    { LMCC_RATE_SCHEME_EQUAL + 1, "Fixed rates, all equal", "equal" },
    { LMCC_RATE_SCHEME_INCREASE_BY_ONE + 1,
        "Fixed rates, layer i has i + 1 times the base's", "increase-by-one" },
    { LMCC_RATE_SCHEME_DOUBLING + 1,
        "Fixed rates, each layer doubles the sum: 1, 1, 2, 4", "doubling" },
    { LMCC_RATE_SCHEME_MULTIPLICATIVE + 1,
        "Fixed rates, the sum grows by rate-factor each", "multiplicative" },
    { LMCC_RATE_SCHEME_HEAVY_TAIL + 1, "Fixed rates, k receivers get 1/k each",
        "heavy-tail" },
    { LMCC_RATE_SCHEME_EXPLICIT + 1, "Fixed rates, those of layer-rates",
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
 * What #lmccsink encodes raw video with.
 */
GType
gst_lmcc_codec_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_LMCC_CODEC_H264, "H.264, an encoding for each rung (x264ladderenc)",
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
 * @cumulative: each level is a layer and all below it
 * @fallback: the lowest encoding, and above it that encoding and one more
 * @replicated: one encoding, beside a base without video
 * @auto: fallback where there are several encodings and each has layers of its
 *     own, but with RLM; else cumulative
 *
 * Which layers the levels of #lmccsink have.
 */
GType
gst_lmcc_levels_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { LMCC_LEVELS_CUMULATIVE, "Each level is a layer and all below it",
        "cumulative" },
    { LMCC_LEVELS_FALLBACK,
        "The lowest encoding, and for each other one that and the lowest",
        "fallback" },
    { LMCC_LEVELS_REPLICATED, "One encoding, beside a base without video",
        "replicated" },
    { LMCC_LEVELS_AUTO,
        "fallback where there are several encodings, else cumulative", "auto" },
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
 * @auto: where the interface loses no super-packet whole
 * @on: always, where the kernel can
 * @off: never
 *
 * When #lmccsink has the kernel cut super-packets (UDP_SEGMENT).
 */
GType
gst_lmcc_segmentation_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_LMCC_SEGMENTATION_AUTO,
        "Where the interface loses no super-packet whole", "auto" },
    { GST_LMCC_SEGMENTATION_ON, "Always, where the kernel can", "on" },
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
 * @auto: where the interface keeps packets until their times
 * @on: always, where the kernel takes them
 * @off: never
 *
 * When #lmccsink tells the kernel at what times packets are to leave
 * (SO_TXTIME).
 */
GType
gst_lmcc_txtime_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_LMCC_TXTIME_AUTO,
        "Where the interface keeps packets until their times", "auto" },
    { GST_LMCC_TXTIME_ON, "Always, where the kernel takes them", "on" },
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
 * @live: the least latency
 * @balanced: 1.5 s in layers of fixed rates from raw video, and less in native
 *     ones
 * @quality: the most of each bit
 *
 * How much latency there may be for the sake of quality: see
 * docs/users/elements.md.
 */
GType
gst_lmcc_latency_profile_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_LMCC_PROFILE_LIVE, "The least latency", "live" },
    { GST_LMCC_PROFILE_BALANCED, "Some latency, for better pictures",
        "balanced" },
    { GST_LMCC_PROFILE_QUALITY, "Some seconds, for the best pictures",
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
 * @conceal: deliver whole pictures that depend on a lost one, marked
 * @freeze: deliver nothing that depends on a lost picture
 *
 * What #lmccsrc gives out after a packet that was lost.
 */
GType
gst_lmcc_on_loss_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { LMCC_ON_LOSS_CONCEAL,
        "Deliver whole pictures that depend on a loss, marked", "conceal" },
    { LMCC_ON_LOSS_FREEZE, "Deliver nothing that depends on a loss", "freeze" },
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
      "Reports to the sender and its answers; without answers, as join",
      "feedback" },
  { LMCC_RTT_MODE_JOIN,
      "The time from a join to the first packet; nothing is sent", "join" },
  { LMCC_RTT_MODE_FIXED, "As the property rtt says; nothing is sent", "fixed" },
  { 0, NULL, NULL },
};

/**
 * GstLmccRttMode:
 * @feedback: reports to the sender and its answers
 * @join: the time from a join to the first packet
 * @fixed: what the user says
 *
 * Where #lmccsrc has the round-trip time from.
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
 * @source: where a round-trip time comes from
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
      "The first sender; another one after 10 s of its silence", "first" },
  { LMCC_SOURCE_POLICY_ANY, "Whoever is heard when the one before is silent",
      "any" },
  { LMCC_SOURCE_POLICY_ASK,
      "As first, and the application is asked about others", "ask" },
  { 0, NULL, NULL },
};

/**
 * GstLmccSourcePolicy:
 * @first: the sender that was heard first, and again whenever it is heard
 *     again; another one after 10 s of its silence
 * @any: whoever is heard when the one before has been silent for 0.6 s
 * @ask: as `first`, and the application is asked about others
 *
 * Whose session #lmccsrc receives where several hosts send one.
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
