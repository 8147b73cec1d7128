/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The queues of the rungs, from which units are taken in the order of their
 * decoding times. */
#include "config.h"

#include "sink/core.h"

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

/* A pad blocks when its queue has reached this length: an encoder must be able
 * to run ahead of another one with more lookahead. */
#define QUEUE_TIME (2 * LMCC_SECOND)
#define QUEUE_UNITS 256

/* Audio waits for the slowest video encoder, and needs little memory. */
#define SOUND_QUEUE_TIME (10 * LMCC_SECOND)
#define SOUND_QUEUE_UNITS 2048

/* Called with lock held. */
void
gst_lmcc_sink_wake (GstLmccSinkCore *core)
{
  gst_lmcc_io_wake (core->io);
  g_cond_broadcast (&core->cond);
}

void
gst_lmcc_sink_pad_clear (GstLmccSinkPad *rung)
{
  g_queue_clear_full (&rung->units, (GDestroyNotify) lmcc_unit_free);
}

static gboolean
is_full (GstLmccSinkPad *rung)
{
  const LmccUnit *head = g_queue_peek_head (&rung->units);
  const LmccUnit *tail = g_queue_peek_tail (&rung->units);

  if (head == NULL)
    return FALSE;
  if (rung->units.length >= (rung->sound ? SOUND_QUEUE_UNITS : QUEUE_UNITS))
    return TRUE;
  return (gint64) (tail->decoding_time - head->decoding_time)
      >= (gint64) (rung->sound ? SOUND_QUEUE_TIME : QUEUE_TIME);
}

/* Called with lock held. Detects when there is enough data to start: a unit of
 * every rung, or so much of one rung that waiting longer is useless. */
void
gst_lmcc_sink_check_ready (GstLmccSinkCore *core)
{
  GList *l;
  gboolean all = core->pads != NULL, full = FALSE;

  if (core->ready || !core->running)
    return;
  for (l = core->pads; l; l = l->next) {
    GstLmccSinkPad *rung = l->data;

    all = all && (rung->units.length > 0 || rung->eos);
    full = full || (!rung->sound && is_full (rung));
  }
  if (!all && !full)
    return;
  core->ready = TRUE;
  gst_lmcc_sink_wake (core);
}

static gboolean
is_key (const LmccUnit *unit)
{
  return unit->klass == 0 && unit->switch_point;
}

/* Whether the unit still fits into the order of decoding times of the pictures.
 * Audio has no place in this order: it may be late, and pictures may be later
 * than audio, because an encoder takes more time than its announced latency. A
 * rung that was skipped only returns with a key frame. */
static gboolean
is_in_time (GstLmccSinkCore *core, GstLmccSinkPad *rung, const LmccUnit *unit)
{
  LmccTime late =
      rung->sound ? core->settings.properties.rung_timeout * LMCC_MSECOND : 0;

  if (unit->decoding_time + late < core->collected
      || (rung->left_out && !is_key (unit))) {
    rung->left_out = TRUE;
    rung->n_left_out++;
    return FALSE;
  }
  rung->left_out = FALSE;
  return TRUE;
}

/**
 * gst_lmcc_sink_pad_enqueue:
 * @core: the core; called with lock held, which is released while waiting
 * @rung: pad of the unit
 * @unit: (transfer full): the unit
 *
 * Waits while the queue is full.
 *
 * Returns: %FALSE when flushing
 */
gboolean
gst_lmcc_sink_pad_enqueue (GstLmccSinkCore *core, GstLmccSinkPad *rung,
    LmccUnit *unit)
{
  while (core->running && !rung->flushing && is_full (rung))
    g_cond_wait (&core->cond, &core->lock);
  if (!core->running || rung->flushing) {
    lmcc_unit_free (unit);
    return FALSE;
  }
  rung->newest = MAX (rung->newest, unit->presentation_time);
  if (!is_in_time (core, rung, unit)) {
    lmcc_unit_free (unit);
    return TRUE;
  }
  g_queue_push_tail (&rung->units, unit);
  if (rung->units.length == 1)
    gst_lmcc_sink_wake (core);
  return TRUE;
}

/* Converts biased running time to the library's time. */
static LmccTime
to_library_time (GstLmccSinkCore *core, LmccTime biased)
{
  gint64 time = (gint64) (biased - GST_LMCC_TIME_BIAS)
      + (gint64) (core->latency + core->shift + core->epoch);

  return time > 0 ? (LmccTime) time : 0;
}

/* Drops units from the queue of a pad that are too late now. */
static void
filter_units (GstLmccSinkCore *core, GstLmccSinkPad *rung)
{
  guint n;

  for (n = rung->units.length; n > 0; n--) {
    LmccUnit *unit = g_queue_pop_head (&rung->units);

    if (is_in_time (core, rung, unit))
      g_queue_push_tail (&rung->units, unit);
    else
      lmcc_unit_free (unit);
  }
}

/**
 * gst_lmcc_sink_skip:
 * @core: the core; called with lock held
 * @now: the time
 * @stall: how long this process stood still
 *
 * Live pictures from that time are too old for all receivers: all rungs are
 * skipped until a key frame that is in time. Streams that are not live continue
 * where they were.
 *
 * Returns: the running time from which on pictures are in time;
 * %GST_CLOCK_TIME_NONE if none are skipped
 */
GstClockTime
gst_lmcc_sink_skip (GstLmccSinkCore *core, LmccTime now, LmccTime stall)
{
  LmccTime offset;
  GList *l;

  if (core->first || !core->settings.properties.sync)
    return GST_CLOCK_TIME_NONE;
  GST_WARNING_OBJECT (core, "stood still for %" GST_TIME_FORMAT,
      GST_TIME_ARGS (stall));
  if (!core->live) {
    core->shift += stall;
    return GST_CLOCK_TIME_NONE;
  }
  offset = core->latency + core->shift + core->epoch;
  if (now <= offset)
    return GST_CLOCK_TIME_NONE;
  core->collected = MAX (core->collected, now - offset + GST_LMCC_TIME_BIAS);
  for (l = core->pads; l; l = l->next)
    filter_units (core, l->data);
  g_cond_broadcast (&core->cond);
  return now - offset;
}

/* Time at which @unit is due. Presentation times follow those of the encoder,
 * so a new latency takes effect at a key frame, where all decoders restart. */
static LmccTime
due_time (GstLmccSinkCore *core, const LmccUnit *unit, LmccTime now)
{
  LmccTime due;

  if (core->first || (is_key (unit) && unit->stream == 0))
    core->latency = core->next_latency;
  if (core->first)
    core->shift = 0;
  due = to_library_time (core, unit->decoding_time);
  if (core->first && !core->live && due < now) {
    core->shift = now - due;
    due = now;
  }
  core->first = FALSE;
  return due;
}

static GstLmccSinkPad *
find_next (GstLmccSinkCore *core, gboolean *missing)
{
  GstLmccSinkPad *best = NULL;
  LmccTime best_time = LMCC_TIME_NONE;
  GList *l;

  *missing = FALSE;
  for (l = core->pads; l; l = l->next) {
    GstLmccSinkPad *rung = l->data;
    const LmccUnit *head = g_queue_peek_head (&rung->units);

    if (head == NULL) {
      *missing = *missing || (!rung->sound && !rung->eos && !rung->left_out);
    } else if (head->decoding_time < best_time) {
      best = rung;
      best_time = head->decoding_time;
    }
  }
  return best;
}

static void
leave_out_missing (GstLmccSinkCore *core)
{
  GList *l;

  for (l = core->pads; l; l = l->next) {
    GstLmccSinkPad *rung = l->data;

    if (rung->sound || rung->units.length > 0 || rung->eos || rung->left_out)
      continue;
    GST_INFO_OBJECT (rung->pad, "late, skipped until its next key frame");
    rung->left_out = TRUE;
  }
}

/**
 * gst_lmcc_sink_collect:
 * @core: the core; called with lock held
 * @now: the time
 * @wake: (out): time of the next call, or %LMCC_TIME_NONE
 *
 * Returns: (transfer full) (nullable): the next unit that is due, with the
 * library's time
 */
LmccUnit *
gst_lmcc_sink_collect (GstLmccSinkCore *core, LmccTime now, LmccTime *wake)
{
  gboolean missing;
  GstLmccSinkPad *rung = find_next (core, &missing);
  LmccUnit *unit;
  LmccTime due = now;

  *wake = LMCC_TIME_NONE;
  if (rung == NULL || !core->ready)
    return NULL;
  unit = g_queue_peek_head (&rung->units);
  unit->stream = rung->stream;
  if (core->settings.properties.sync)
    due = due_time (core, unit, now);
  if (due > now) {
    *wake = due;
    return NULL;
  }
  /* Pictures wait for each other; audio continues without them. */
  if (missing && !rung->sound) {
    if (!LMCC_TIME_IS_VALID (core->missing_since))
      core->missing_since = core->settings.properties.sync ? due : now;
    *wake = core->missing_since
        + core->settings.properties.rung_timeout * LMCC_MSECOND;
    if (now < *wake)
      return NULL;
    leave_out_missing (core);
  }
  g_queue_pop_head (&rung->units);
  g_cond_broadcast (&core->cond);
  if (!rung->sound) {
    core->missing_since = LMCC_TIME_NONE;
    core->collected = MAX (core->collected, unit->decoding_time);
  }
  unit->presentation_time = to_library_time (core, unit->presentation_time);
  unit->decoding_time = due;
  return unit;
}

/* Called with lock held. */
gboolean
gst_lmcc_sink_is_eos (GstLmccSinkCore *core, guint32 *seqnum)
{
  GList *l;

  for (l = core->pads; l; l = l->next) {
    GstLmccSinkPad *rung = l->data;

    if (!rung->eos || rung->units.length > 0)
      return FALSE;
    *seqnum = rung->eos_seqnum;
  }
  return core->pads != NULL;
}
