/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The statistics of lmccsink as a structure. */
#include "config.h"

#include "common/stats.h"
#include "sink/core.h"

/* Rate of the lowest level that contains the layer. */
static guint64
get_least_level_rate (const LmccSession *session, guint layer)
{
  guint top = lmcc_session_count_levels (session) - 1, level = 0;

  while (level < top
      && !lmcc_session_level_has_layer (session, (gint) level, layer))
    level++;

  return lmcc_session_level_rate (session, level);
}

static GstStructure *
describe_layer (const LmccSession *session, const LmccSenderStats *stats,
    guint i)
{
  const LmccLayer *layer = &session->layers[i];
  const LmccSenderLayerStats *counts = &stats->layers[i];
  gchar text[LMCC_ADDRESS_STRLEN] = "";
  LmccAddress group;

  if (lmcc_address_group (&session->address, i, &group))
    lmcc_address_format (&group, text);
  return gst_structure_new ("layer", "layer", G_TYPE_UINT, i, "bitrate",
      G_TYPE_UINT64, layer->rate, "cumulative-bitrate", G_TYPE_UINT64,
      get_least_level_rate (session, i), "packets-sent", G_TYPE_UINT64,
      counts->packets, "bytes-sent", G_TYPE_UINT64, counts->bytes,
      "fillers-sent", G_TYPE_UINT64, counts->fillers, "repairs-sent",
      G_TYPE_UINT64, counts->repairs, "repair-bytes-sent", G_TYPE_UINT64,
      counts->repair_bytes, "packets-queued", G_TYPE_UINT, counts->queued,
      "stream", G_TYPE_UINT, (guint) layer->stream, "class", G_TYPE_UINT,
      (guint) layer->klass, "address", G_TYPE_STRING, text, NULL);
}

static void
append_count (GValue *array, guint64 count)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_UINT64);
  g_value_set_uint64 (&value, count);
  gst_value_array_append_and_take_value (array, &value);
}

static GstStructure *
describe_level (const LmccSession *session, guint level)
{
  GstStructure *s = gst_structure_new ("level", "level", G_TYPE_UINT, level,
      "bitrate", G_TYPE_UINT64, lmcc_session_level_rate (session, level), NULL);
  GValue layers = G_VALUE_INIT;
  guint i;

  g_value_init (&layers, GST_TYPE_ARRAY);
  for (i = 0; i < session->n_layers; i++) {
    if (lmcc_session_level_has_layer (session, (gint) level, i))
      append_count (&layers, i);
  }
  gst_structure_take_value (s, "layers", &layers);

  return s;
}

static void
add_levels (GstStructure *s, const LmccSession *session)
{
  guint n = lmcc_session_count_levels (session), level;
  GValue levels = G_VALUE_INIT;

  g_value_init (&levels, GST_TYPE_ARRAY);
  for (level = 0; level < n; level++)
    gst_lmcc_append_structure (&levels, describe_level (session, level));
  gst_structure_take_value (s, "levels", &levels);
}

static void
add_sender (GstStructure *s, const LmccSession *session,
    const LmccSenderStats *stats)
{
  GValue layers = G_VALUE_INIT;
  GValue dropped = G_VALUE_INIT;
  guint64 units = 0;
  guint i;

  g_value_init (&layers, GST_TYPE_ARRAY);
  for (i = 0; i < session->n_layers; i++)
    gst_lmcc_append_structure (&layers, describe_layer (session, stats, i));
  for (i = 0; i < G_N_ELEMENTS (stats->units); i++)
    units += stats->units[i];
  gst_structure_set (s, "packets-sent", G_TYPE_UINT64, stats->packets,
      "bytes-sent", G_TYPE_UINT64, stats->bytes, "control-bytes-sent",
      G_TYPE_UINT64, stats->control_bytes, "units", G_TYPE_UINT64, units,
      "units-late", G_TYPE_UINT64, stats->units_late, "windows-cut",
      G_TYPE_UINT64, stats->windows_cut, "packets-oversize", G_TYPE_UINT64,
      stats->packets_oversize, "key-units-misaligned", G_TYPE_UINT64,
      stats->key_misaligned, NULL);
  gst_lmcc_set_time (s, "window-ms", session->window);
  gst_lmcc_set_time (s, "latency-ms", session->latency);
  gst_lmcc_set_time (s, "lateness-max-ms", stats->lateness_max);
  gst_structure_take_value (s, "layers", &layers);
  add_levels (s, session);
  g_value_init (&dropped, GST_TYPE_ARRAY);
  for (i = 0; i < LMCC_MAX_CLASSES; i++)
    append_count (&dropped, stats->units_dropped[i]);
  gst_structure_take_value (s, "units-dropped", &dropped);
}

/* What receivers report, and what the sender makes of it. */
static void
add_expected_loss (GstStructure *s, const LmccSenderStats *stats)
{
  gst_structure_set (s, "repair-reporters", G_TYPE_UINT,
      stats->repair_reporters, "repair-loss-rate", G_TYPE_DOUBLE,
      stats->repair_loss, "repair-burst", G_TYPE_DOUBLE, stats->repair_burst,
      "repair-target", G_TYPE_DOUBLE, stats->repair_share, "repair-base-target",
      G_TYPE_DOUBLE, stats->repair_base_share, NULL);
}

static void
add_repair (GstStructure *s, const LmccSession *session,
    const LmccSenderStats *stats)
{
  guint64 repair = 0;
  guint i;

  for (i = 0; i < session->n_layers; i++)
    repair += stats->layers[i].repair_bytes;
  gst_structure_set (s, "repair-blocks", G_TYPE_UINT64, stats->repair_blocks,
      "repairs-late", G_TYPE_UINT64, stats->repairs_late, "repair-share",
      G_TYPE_DOUBLE,
      stats->media_bytes > 0 ? (gdouble) repair / (gdouble) stats->media_bytes
                             : 0.0,
      NULL);
  gst_lmcc_set_time (s, "repair-delay-ms", session->repair_delay);
  if (session->loss_reports)
    add_expected_loss (s, stats);
}

/* The mean since the session began. */
static guint64
get_feedback_bitrate (const LmccSenderStats *stats, LmccTime elapsed)
{
  return elapsed > 0
      ? gst_util_uint64_scale (stats->feedback_bytes, 8 * LMCC_SECOND, elapsed)
      : 0;
}

static void
add_feedback (GstStructure *s, const LmccSession *session,
    const LmccSenderStats *stats, LmccTime elapsed)
{
  gst_structure_set (s, "reports", G_TYPE_UINT64, stats->reports,
      "reports-malformed", G_TYPE_UINT64, stats->reports_malformed, "answers",
      G_TYPE_UINT64, stats->answers, "answers-dropped", G_TYPE_UINT64,
      stats->answers_dropped, "receivers", G_TYPE_DOUBLE, stats->receivers,
      "key-requests", G_TYPE_UINT64, stats->key_requests, "key-units-requested",
      G_TYPE_UINT64, stats->key_units_requested, "feedback-bitrate",
      G_TYPE_UINT64, get_feedback_bitrate (stats, elapsed), NULL);
  gst_lmcc_set_time (s, "feedback-interval-ms", session->feedback_interval);
}

static void
add_single_rate (GstStructure *s, const LmccSession *session,
    const LmccSenderStats *stats)
{
  const LmccSingleRateStats *single = &stats->single;
  g_autoptr (GstStructure) structure = NULL;

  gst_structure_set (s, "base-algorithm", G_TYPE_STRING,
      lmcc_session_has_driven_base (session) ? session->base_algorithm : "none",
      NULL);
  if (!lmcc_session_has_single_rate (session)
      && !lmcc_session_has_driven_base (session))
    return;
  structure = gst_structure_new ("single-rate", "bitrate", G_TYPE_DOUBLE,
      single->rate, "estimated-bitrate", G_TYPE_UINT64,
      single->estimated_bitrate, "loss-rate", G_TYPE_DOUBLE, single->loss_rate,
      "window-packets", G_TYPE_DOUBLE, single->window, "stalls", G_TYPE_UINT64,
      single->stalls, "acker-switches", G_TYPE_UINT64, single->switches,
      "reports-refused", G_TYPE_UINT64, single->reports_refused,
      "reports-foreign", G_TYPE_UINT64, single->reports_foreign,
      "units-expired", G_TYPE_UINT64, single->units_expired, "audio-dropped",
      G_TYPE_UINT64, single->sound_dropped, NULL);
  gst_lmcc_set_time (structure, "age-max-ms", single->age_max);
  if (single->rtt > 0)
    gst_lmcc_set_time (structure, "rtt-ms", single->rtt);
  if (single->has_leader)
    gst_structure_set (structure, "leader", G_TYPE_UINT, single->leader, NULL);
  gst_structure_set (s, "single-rate", GST_TYPE_STRUCTURE, structure, NULL);
}

static void
add_rungs (GstLmccSinkCore *core, GstStructure *s)
{
  GValue rungs = G_VALUE_INIT;
  guint64 total = 0, errors, reports_dropped;
  LmccTime pacing_step;
  GList *l;

  g_value_init (&rungs, GST_TYPE_ARRAY);
  g_mutex_lock (&core->lock);
  for (l = core->pads; l; l = l->next) {
    const GstLmccSinkPad *rung = l->data;

    if (rung->sound) {
      gst_structure_set (s, "audio-left-out", G_TYPE_UINT64, rung->n_left_out,
          NULL);
      continue;
    }
    total += rung->n_left_out;
    gst_lmcc_append_structure (&rungs,
        gst_structure_new ("rung", "pad", G_TYPE_UINT, rung->index,
            "units-left-out", G_TYPE_UINT64, rung->n_left_out, "units-queued",
            G_TYPE_UINT, rung->units.length, NULL));
  }
  errors = core->send_errors;
  pacing_step = core->pacing_step;
  reports_dropped = core->reports_dropped;
  g_mutex_unlock (&core->lock);
  gst_structure_set (s, "units-left-out", G_TYPE_UINT64, total, "send-errors",
      G_TYPE_UINT64, errors, "reports-dropped", G_TYPE_UINT64, reports_dropped,
      NULL);
  gst_lmcc_set_time (s, "pacing-step-ms", pacing_step);
  gst_structure_set (s, "udp-segmentation", G_TYPE_BOOLEAN,
      g_atomic_int_get (&core->segments), "txtime", G_TYPE_BOOLEAN,
      g_atomic_int_get (&core->timed), NULL);
  gst_structure_take_value (s, "rungs", &rungs);
}

/**
 * gst_lmcc_sink_core_get_stats:
 * @core: the core; called without lock
 *
 * Returns: (transfer full): the counters of the session; without one the layers
 *     are an empty array and all counts are 0
 */
GstStructure *
gst_lmcc_sink_core_get_stats (GstLmccSinkCore *core)
{
  GstStructure *s = gst_structure_new_empty ("application/x-lmcc-sink-stats");
  LmccSession *session = g_new0 (LmccSession, 1);
  LmccSenderStats *stats = g_new0 (LmccSenderStats, 1);
  LmccTime now, start = 0;

  g_mutex_lock (&core->lock);
  now = core->now;
  g_mutex_unlock (&core->lock);
  g_mutex_lock (&core->sender_lock);
  if (core->sender) {
    start = core->session_start;
    *session = *lmcc_sender_get_session (core->sender);
    *stats = *lmcc_sender_get_stats (core->sender);
  }
  g_mutex_unlock (&core->sender_lock);
  add_sender (s, session, stats);
  add_repair (s, session, stats);
  add_feedback (s, session, stats, now > start ? now - start : 0);
  add_single_rate (s, session, stats);
  add_rungs (core, s);
  g_free (session);
  g_free (stats);
  return s;
}
