/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "common/enums.h"
#include "common/stats.h"
#include "src/private.h"

static void
add_layer (LmccLayerStats *sum, const LmccLayerStats *more)
{
  sum->received += more->received;
  sum->bytes += more->bytes;
  sum->lost += more->lost;
  sum->reordered += more->reordered;
  sum->duplicates += more->duplicates;
  sum->late += more->late;
  sum->restarts += more->restarts;
}

static void
add_repair (LmccRepairClassStats *sum, const LmccRepairClassStats *more)
{
  sum->lost += more->lost;
  sum->repaired += more->repaired;
  sum->late += more->late;
  sum->beyond_repair += more->beyond_repair;
}

/* Adds counters up over pauses; fields with a state keep the current value. */
static void
add_stats (const LmccReceiverStats *past, LmccReceiverStats *stats)
{
  guint i;

  stats->packets += past->packets;
  stats->bytes += past->bytes;
  stats->lost += past->lost;
  stats->socket_drops += past->socket_drops;
  stats->delivered += past->delivered;
  stats->sound_delivered += past->sound_delivered;
  stats->sound_lost += past->sound_lost;
  stats->rejoins += past->rejoins;
  stats->unwanted += past->unwanted;
  stats->sources += past->sources;
  stats->memory_peak = MAX (stats->memory_peak, past->memory_peak);
  stats->reports += past->reports;
  stats->answers += past->answers;
  stats->notices += past->notices;
  stats->gate.units_delivered += past->gate.units_delivered;
  stats->gate.units_incomplete += past->gate.units_incomplete;
  stats->gate.units_withheld += past->gate.units_withheld;
  stats->gate.units_corrupted += past->gate.units_corrupted;
  stats->gate.rung_changes += past->gate.rung_changes;
  stats->repair.received += past->repair.received;
  stats->repair.invalid += past->repair.invalid;
  for (i = 0; i < LMCC_MAX_CLASSES; i++)
    add_repair (&stats->repair.classes[i], &past->repair.classes[i]);
  for (i = 0; i < LMCC_N_DROPS; i++)
    stats->drops[i] += past->drops[i];
  for (i = 0; i < LMCC_MAX_LAYERS; i++)
    add_layer (&stats->layers[i], &past->layers[i]);
  if (!LMCC_TIME_IS_VALID (stats->join_to_packet))
    stats->join_to_packet = past->join_to_packet;
  if (!LMCC_TIME_IS_VALID (stats->join_to_picture))
    stats->join_to_picture = past->join_to_picture;
}

/**
 * gst_lmcc_src_keep_stats:
 * @self: the source
 * @now: the running time
 *
 * Stores the counters of a receiver before it is freed. Must be called with the
 * lock.
 */
void
gst_lmcc_src_keep_stats (GstLmccSrc *self, LmccTime now)
{
  LmccReceiverStats stats;

  lmcc_receiver_get_stats (self->receiver, now, &stats);
  add_stats (&self->past, &stats);
  stats.level = -1;
  stats.rung = -1;
  stats.bitrate = 0;
  stats.loss_rate = 0.0;
  stats.memory = 0;
  stats.algorithm = NULL;
  memset (&stats.status, 0, sizeof (stats.status));
  stats.status.timer_at = LMCC_TIME_NONE;
  stats.base_algorithm = NULL;
  memset (&stats.base_status, 0, sizeof (stats.base_status));
  stats.base_status.timer_at = LMCC_TIME_NONE;
  stats.rtt = 0;
  stats.rtt_source = LMCC_RTT_SOURCE_MAX;
  stats.reordering_window = 0;
  memset (stats.layer_bitrate, 0, sizeof (stats.layer_bitrate));
  self->past = stats;
}

/**
 * gst_lmcc_src_get_receiver_stats:
 * @self: the source
 * @stats: (out): counters since the source went to PAUSED
 *
 * Returns: the library's time of @stats
 */
LmccTime
gst_lmcc_src_get_receiver_stats (GstLmccSrc *self, LmccReceiverStats *stats)
{
  g_autoptr (GstClock) clock = gst_element_get_clock (GST_ELEMENT_CAST (self));
  GstClockTime base = gst_element_get_base_time (GST_ELEMENT_CAST (self));
  GstClockTime time = clock ? gst_clock_get_time (clock) : 0;
  LmccTime now = time > base ? time - base : 0;

  g_mutex_lock (&self->lock);
  now += self->epoch;
  if (self->receiver) {
    lmcc_receiver_get_stats (self->receiver, now, stats);
    add_stats (&self->past, stats);
  } else {
    *stats = self->past;
  }
  stats->drops[LMCC_DROP_OVERSIZE] += self->oversize;
  g_mutex_unlock (&self->lock);

  return now;
}

static LmccTime
get_time_left (LmccTime until, LmccTime now)
{
  if (!LMCC_TIME_IS_VALID (until))
    return LMCC_TIME_NONE;

  return until > now ? until - now : 0;
}

/* 0 if the algorithm has no such rate. */
static void
set_bitrate (GstStructure *structure, const gchar *name, gdouble bitrate)
{
  if (bitrate > 0)
    gst_structure_set (structure, name, G_TYPE_DOUBLE, bitrate, NULL);
}

static void
set_share (GstStructure *structure, const gchar *name, gdouble share)
{
  if (share >= 0)
    gst_structure_set (structure, name, G_TYPE_DOUBLE, share, NULL);
}

/* Only for an algorithm that uses the fair rate; omits unknown values. */
static void
describe_fair (const LmccFairStatus *fair, LmccTime now,
    GstStructure *structure)
{
  if (!fair->used)
    return;
  set_bitrate (structure, "fair-bitrate", fair->rate);
  set_bitrate (structure, "mean-fair-bitrate", fair->mean);
  set_share (structure, "loss-thinning", fair->thinning);
  set_share (structure, "loss-chance", fair->chance);
  if (fair->turn_level >= 0) {
    gst_structure_set (structure, "turn-level", G_TYPE_INT, fair->turn_level,
        "turn-share", G_TYPE_DOUBLE, fair->turn_share, NULL);
    gst_lmcc_set_time (structure, "turn-left-ms",
        get_time_left (fair->turn_until, now));
  }
  gst_structure_set (structure, "joins-vetoed", G_TYPE_BOOLEAN, fair->vetoed,
      NULL);
  gst_lmcc_set_time (structure, "left-alone-ms",
      get_time_left (fair->left_alone_until, now));
}

static void
describe_status (const LmccControllerStatus *status, LmccTime now,
    GstStructure *structure)
{
  gst_lmcc_set_text (structure, "state", status->state);
  set_bitrate (structure, "calculated-bitrate", status->calculated_rate);
  set_bitrate (structure, "smoothed-bitrate", status->smoothed_rate);
  gst_lmcc_set_text (structure, "trains", status->trains);
  gst_lmcc_set_text (structure, "timer", status->timer);
  if (status->timer)
    gst_lmcc_set_time (structure, "timer-left-ms",
        get_time_left (status->timer_at, now));
  describe_fair (&status->fair, now, structure);
  if (status->has_leader)
    gst_structure_set (structure, "leader", G_TYPE_UINT, status->leader, NULL);
  gst_structure_set (structure, "loss-event-rate", G_TYPE_DOUBLE,
      status->loss_event_rate, "reports-suppressed", G_TYPE_UINT64,
      status->suppressed, "leads", G_TYPE_BOOLEAN, status->leads, NULL);
}

/* The algorithm of the base layer, if another one chooses the layers above
 * it. */
static void
describe_base (const LmccReceiverStats *stats, LmccTime now,
    GstStructure *structure)
{
  g_autoptr (GstStructure) status = NULL;

  gst_structure_set (structure, "base-algorithm", G_TYPE_STRING,
      stats->base_algorithm ? stats->base_algorithm : "none", NULL);
  if (stats->base_algorithm == NULL)
    return;
  status = gst_structure_new_empty ("base-status");
  describe_status (&stats->base_status, now, status);
  gst_structure_set (structure, "base-status", GST_TYPE_STRUCTURE, status,
      NULL);
}

/**
 * gst_lmcc_src_describe_control:
 * @stats: statistics of the receiver
 * @now: time of @stats
 * @structure: (inout): gets the fields of congestion control, for the `stats`
 *     property and the message `lmcc-level-changed`
 */
void
gst_lmcc_src_describe_control (const LmccReceiverStats *stats, LmccTime now,
    GstStructure *structure)
{
  describe_status (&stats->status, now, structure);
  describe_base (stats, now, structure);
  gst_lmcc_set_text (structure, "algorithm", stats->algorithm);
  if (stats->rtt > 0)
    gst_lmcc_set_time (structure, "rtt-ms", stats->rtt);
  gst_lmcc_set_time (structure, "reordering-window-ms",
      stats->reordering_window);
  gst_structure_set (structure, "rtt-source", G_TYPE_STRING,
      gst_lmcc_rtt_source_to_name (stats->rtt_source), "reports", G_TYPE_UINT64,
      stats->reports, "answers", G_TYPE_UINT64, stats->answers, "key-requests",
      G_TYPE_UINT64, stats->key_requests, NULL);
}

static void
set_layers (GstStructure *structure, const LmccReceiverStats *stats,
    const LmccSession *session)
{
  GValue array = G_VALUE_INIT;
  guint i;

  gst_value_array_init (&array, session->n_layers);
  for (i = 0; i < session->n_layers; i++) {
    const LmccLayerStats *layer = &stats->layers[i];

    gst_lmcc_append_structure (&array,
        gst_structure_new ("layer", "layer", G_TYPE_UINT, i, "packets-received",
            G_TYPE_UINT64, layer->received, "bytes-received", G_TYPE_UINT64,
            layer->bytes, "packets-lost", G_TYPE_UINT64, layer->lost,
            "packets-reordered", G_TYPE_UINT64, layer->reordered,
            "packets-late", G_TYPE_UINT64, layer->late, "duplicates",
            G_TYPE_UINT64, layer->duplicates, "restarts", G_TYPE_UINT64,
            layer->restarts, "bitrate", G_TYPE_UINT64, stats->layer_bitrate[i],
            "announced-bitrate", G_TYPE_UINT64, session->layers[i].rate, "held",
            G_TYPE_BOOLEAN,
            lmcc_session_level_has_layer (session, stats->level, i), NULL));
  }
  gst_structure_take_value (structure, "layers", &array);
}

static void
set_repair (GstStructure *structure, const LmccReceiverStats *stats)
{
  LmccRepairClassStats sum = { 0 };
  GValue array = G_VALUE_INIT;
  guint i;

  gst_value_array_init (&array, LMCC_MAX_CLASSES);
  for (i = 0; i < LMCC_MAX_CLASSES; i++) {
    const LmccRepairClassStats *klass = &stats->repair.classes[i];

    add_repair (&sum, klass);
    if (klass->lost == 0)
      continue;
    gst_lmcc_append_structure (&array,
        gst_structure_new ("class", "class", G_TYPE_UINT, i, "packets-lost",
            G_TYPE_UINT64, klass->lost, "packets-repaired", G_TYPE_UINT64,
            klass->repaired, "packets-repaired-late", G_TYPE_UINT64,
            klass->late, "packets-beyond-repair", G_TYPE_UINT64,
            klass->beyond_repair, NULL));
  }
  gst_structure_take_value (structure, "classes", &array);
  gst_structure_set (structure, "media-packets-lost", G_TYPE_UINT64, sum.lost,
      "packets-repaired", G_TYPE_UINT64, sum.repaired, "packets-repaired-late",
      G_TYPE_UINT64, sum.late, "packets-beyond-repair", G_TYPE_UINT64,
      sum.beyond_repair, "repair-packets-received", G_TYPE_UINT64,
      stats->repair.received, "repair-packets-invalid", G_TYPE_UINT64,
      stats->repair.invalid, "repair-loss-rate", G_TYPE_DOUBLE,
      stats->link_loss_rate, "repair-burst", G_TYPE_DOUBLE, stats->link_burst,
      NULL);
}

static void
set_drops (GstStructure *structure, const LmccReceiverStats *stats)
{
  GstStructure *drops = gst_structure_new_empty ("drops");
  GValue value = G_VALUE_INIT;
  guint i;

  for (i = 0; i < LMCC_N_DROPS; i++)
    gst_structure_set (drops, lmcc_drop_name ((LmccDrop) i), G_TYPE_UINT64,
        stats->drops[i], NULL);
  g_value_init (&value, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&value, drops);
  gst_structure_take_value (structure, "drops", &value);
}

/**
 * gst_lmcc_src_create_stats:
 * @self: the source
 *
 * Returns: (transfer full): the `stats` property
 */
GstStructure *
gst_lmcc_src_create_stats (GstLmccSrc *self)
{
  LmccReceiverStats stats;
  LmccTime now = gst_lmcc_src_get_receiver_stats (self, &stats);
  LmccSession session;
  GstStructure *structure;
  guint64 report_errors, notices_sent, notice_errors, copied;
  const gchar *reason;

  lmcc_session_init (&session);
  g_mutex_lock (&self->lock);
  if (self->have_session)
    session = self->session;
  else
    session.n_layers = 0;
  report_errors = self->report_errors;
  notices_sent = self->notices_sent;
  notice_errors = self->notice_errors;
  copied = self->copied;
  reason = self->reason;
  g_mutex_unlock (&self->lock);

  structure = gst_structure_new ("application/x-lmcc-src-stats",
      "packets-received", G_TYPE_UINT64, stats.packets, "bytes-received",
      G_TYPE_UINT64, stats.bytes, "packets-lost", G_TYPE_UINT64, stats.lost,
      "packets-dropped-kernel", G_TYPE_UINT64, stats.socket_drops,
      "packets-delivered", G_TYPE_UINT64, stats.delivered,
      "audio-packets-delivered", G_TYPE_UINT64, stats.sound_delivered,
      "audio-packets-lost", G_TYPE_UINT64, stats.sound_lost, "level",
      G_TYPE_INT, stats.level, "rung", G_TYPE_INT, stats.rung, "bitrate",
      G_TYPE_UINT64, stats.bitrate, "loss-rate", G_TYPE_DOUBLE, stats.loss_rate,
      "rejoins", G_TYPE_UINT64, stats.rejoins, "packets-unwanted",
      G_TYPE_UINT64, stats.unwanted, "sources", G_TYPE_UINT64, stats.sources,
      "memory-bytes", G_TYPE_UINT64, stats.memory, "memory-peak-bytes",
      G_TYPE_UINT64, stats.memory_peak, "memory-budget-bytes", G_TYPE_UINT64,
      stats.memory_budget, "units-delivered", G_TYPE_UINT64,
      stats.gate.units_delivered, "units-incomplete", G_TYPE_UINT64,
      stats.gate.units_incomplete, "units-withheld", G_TYPE_UINT64,
      stats.gate.units_withheld, "units-corrupted", G_TYPE_UINT64,
      stats.gate.units_corrupted, "units-dropped-late", G_TYPE_UINT64,
      gst_lmcc_src_queue_get_dropped (self->video.queue), "rung-changes",
      G_TYPE_UINT64, stats.gate.rung_changes, "report-errors", G_TYPE_UINT64,
      report_errors, "notices", G_TYPE_UINT64, stats.notices, "notices-sent",
      G_TYPE_UINT64, notices_sent, "notice-errors", G_TYPE_UINT64,
      notice_errors, "packets-copied", G_TYPE_UINT64, copied, NULL);
  gst_lmcc_set_text (structure, "reason", reason);
  gst_lmcc_set_time (structure, "join-to-packet-ms", stats.join_to_packet);
  gst_lmcc_set_time (structure, "join-to-picture-ms", stats.join_to_picture);
  gst_lmcc_set_time (structure, "join-lead-ms", stats.join_lead);
  gst_lmcc_src_describe_control (&stats, now, structure);
  set_drops (structure, &stats);
  set_repair (structure, &stats);
  set_layers (structure, &stats, &session);
  return structure;
}
