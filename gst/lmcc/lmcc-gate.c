/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "lmcc-gate.h"

#include "lmcc-gate-unit.h"

/* A rung of which nothing comes for so many units of the lowest one does not
 * come at all: at 24 pictures/s this is a quarter of a second. */
#define MAX_UNHEARD_UNITS 6

/* Where a class of a rung stands with the decoder. */
typedef enum
{
  CLASS_CLOSED = 0,             /* nothing delivered since it was joined */
  CLASS_DAMAGED,                /* something was lost since its switch point */
  CLASS_INTACT,
} ClassState;

typedef struct
{
  ClassState states[LMCC_MAX_CLASSES];
  guint classes_seen;           /* bit set */
  gboolean has_anchor;
  guint8 anchor;
  LmccGateHistory history;
} Rung;

struct _LmccGate
{
  LmccOnLoss on_loss;
  LmccSession session;
  gint level;
  Rung rungs[LMCC_MAX_RUNGS];
  gint active;
  guint unheard;                /* units of rung 0 since it was heard */

  LmccGateUnit *current;        /* the unit whose packets are coming */
  LmccGateUnit *key;            /* best key frame of this picture so far */
  LmccTime key_deadline;

  gboolean shown;
  guint32 shown_until;
  gboolean hiding;              /* a segment hides up to @hidden_until */
  guint32 hidden_until;
  guint lost;                   /* not yet left as a gap in what is delivered */
  gboolean discont;
  GQueue outputs;
  LmccGateStats stats;
};

static gboolean
timestamp_after (guint32 a, guint32 b)
{
  return (gint32) (a - b) > 0;
}

/**
 * lmcc_gate_new:
 * @on_loss: what to deliver after a loss
 *
 * Returns: (transfer full): a closed gate
 */
LmccGate *
lmcc_gate_new (LmccOnLoss on_loss)
{
  LmccGate *gate = g_new0 (LmccGate, 1);

  gate->on_loss = on_loss;
  gate->active = -1;
  gate->level = -1;
  gate->key_deadline = LMCC_TIME_NONE;

  return gate;
}

/**
 * lmcc_gate_reset:
 * @gate: a gate
 *
 * Closes it, for a new sender. What was let through and not popped stays.
 */
void
lmcc_gate_reset (LmccGate * gate)
{
  guint i;

  for (i = 0; i < LMCC_MAX_RUNGS; i++) {
    lmcc_gate_history_clear (&gate->rungs[i].history);
    gate->rungs[i] = (Rung) {
    0};
  }
  g_clear_pointer (&gate->current, lmcc_gate_unit_unref);
  g_clear_pointer (&gate->key, lmcc_gate_unit_unref);
  gate->key_deadline = LMCC_TIME_NONE;
  gate->active = -1;
  gate->level = -1;
  gate->shown = FALSE;
  gate->hiding = FALSE;
  gate->lost = 0;
  gate->discont = TRUE;
}

static void
output_free (LmccGateOutput * output)
{
  lmcc_packet_unref (output->packet);
  g_free (output);
}

/**
 * lmcc_gate_free:
 * @gate: (transfer full): a gate
 */
void
lmcc_gate_free (LmccGate * gate)
{
  lmcc_gate_reset (gate);
  g_queue_clear_full (&gate->outputs, (GDestroyNotify) output_free);
  g_free (gate);
}

/**
 * lmcc_gate_set_on_loss:
 * @gate: a gate
 * @on_loss: what to deliver after a loss, from now on
 */
void
lmcc_gate_set_on_loss (LmccGate * gate, LmccOnLoss on_loss)
{
  gate->on_loss = on_loss;
}

static void
deliver_packet (LmccGate * gate, LmccGateUnit * unit, guint index,
    gboolean catch_up, gboolean segment)
{
  const LmccGateUnitPacket *from =
      &g_array_index (unit->packets, LmccGateUnitPacket, index);
  LmccGateOutput *output = g_new0 (LmccGateOutput, 1);

  output->packet = lmcc_packet_ref (from->packet);
  output->rtp = from->rtp;
  output->header = from->header;
  output->header.first = index == 0;
  output->unit_end = index + 1 == unit->packets->len;
  output->corrupted = unit->corrupted;
  output->catch_up = catch_up;
  output->segment = segment;
  output->shown_until = gate->shown_until;
  output->discont = gate->discont || gate->lost > 0;
  output->lost = gate->lost;
  gate->discont = FALSE;
  gate->lost = 0;
  g_queue_push_tail (&gate->outputs, output);
}

static void
deliver_unit (LmccGate * gate, LmccGateUnit * unit, gboolean segment)
{
  gboolean catch_up = gate->hiding
      && !timestamp_after (unit->timestamp, gate->hidden_until);
  guint i;

  for (i = 0; i < unit->packets->len; i++)
    deliver_packet (gate, unit, i, catch_up, segment && i == 0);

  gate->stats.units_delivered++;
  if (unit->corrupted)
    gate->stats.units_corrupted++;
  if (!gate->shown || timestamp_after (unit->timestamp, gate->shown_until)) {
    gate->shown = TRUE;
    gate->shown_until = unit->timestamp;
  }
}

/* Whether all layers of @rung are held: it is delivered only whole, because one
 * more picture per second is worth more than a sharper one now and then. Where
 * layers are mixed the table does not tell, and what arrives decides. */
static gboolean
rung_is_held (const LmccGate * gate, gint rung)
{
  guint i;

  if (gate->level < 0)
    return FALSE;
  if (rung == 0 || !gate->session.native)
    return TRUE;
  for (i = (guint) gate->level + 1; i < gate->session.n_layers; i++) {
    if (gate->session.layers[i].stream == rung)
      return FALSE;
  }

  return TRUE;
}

static gint
highest_held_rung (const LmccGate * gate)
{
  gint rung;

  for (rung = (gint) gate->session.n_rungs - 1; rung > 0; rung--) {
    if (rung_is_held (gate, rung))
      return rung;
  }

  return 0;
}

static void
set_active (LmccGate * gate, gint rung)
{
  if (gate->active == rung)
    return;
  if (gate->active >= 0 && rung >= 0)
    gate->stats.rung_changes++;
  gate->active = rung;
  gate->unheard = 0;
  gate->discont = TRUE;
}

/* Goes down to @rung at once: the decoder is given its units since the key
 * frame again, those that were shown already under a new segment that hides
 * them. */
static void
switch_down (LmccGate * gate, gint rung)
{
  GList *at = gate->rungs[rung].history.units.head;
  const LmccGateUnit *key = at->data;
  gboolean segment = gate->shown
      && !timestamp_after (key->timestamp, gate->shown_until);

  set_active (gate, rung);
  if (segment) {
    gate->hiding = TRUE;
    gate->hidden_until = gate->shown_until;
  }
  for (; at != NULL; at = at->next) {
    deliver_unit (gate, at->data, segment);
    segment = FALSE;
  }
}

/* Called when the active rung can no longer be decoded: takes the highest whole
 * one below, if there is one. */
static void
fall_back (LmccGate * gate)
{
  gint rung;

  for (rung = gate->active - 1; rung >= 0; rung--) {
    if (rung_is_held (gate, rung)
        && gate->rungs[rung].states[0] == CLASS_INTACT
        && !g_queue_is_empty (&gate->rungs[rung].history.units)) {
      switch_down (gate, rung);
      return;
    }
  }

  if (!rung_is_held (gate, gate->active))
    set_active (gate, -1);
}

static void
damage_class (LmccGate * gate, gint rung, guint klass)
{
  ClassState *state = &gate->rungs[rung].states[klass];

  if (*state == CLASS_INTACT)
    *state = CLASS_DAMAGED;
  if (klass == 0 && rung == gate->active)
    fall_back (gate);
}

static void
commit_key (LmccGate * gate)
{
  LmccGateUnit *unit = g_steal_pointer (&gate->key);

  gate->key_deadline = LMCC_TIME_NONE;
  if (unit == NULL)
    return;
  set_active (gate, unit->stream);
  deliver_unit (gate, unit, FALSE);
  lmcc_gate_unit_unref (unit);
}

/* A key frame of the active rung or a higher one: the highest whole one of its
 * picture is taken, so it waits until no better one can come. */
static void
offer_key (LmccGate * gate, LmccGateUnit * unit, LmccTime deadline)
{
  g_clear_pointer (&gate->key, lmcc_gate_unit_unref);
  gate->key = lmcc_gate_unit_ref (unit);
  gate->key_deadline = deadline;
  if (unit->stream == highest_held_rung (gate))
    commit_key (gate);
}

static void
pass_unit (LmccGate * gate, LmccGateUnit * unit, LmccTime deadline)
{
  if (gate->session.n_rungs > 1)
    lmcc_gate_history_push (&gate->rungs[unit->stream].history, unit);

  if (unit->klass == 0 && unit->switch_point && unit->stream >= gate->active
      && rung_is_held (gate, unit->stream))
    offer_key (gate, unit, deadline);
  else if (unit->stream == gate->active)
    deliver_unit (gate, unit, FALSE);
}

/* Brings the rung's class-0 state up to date: the anchor tells whether a
 * class-0 unit is missing before this one. */
static void
follow_anchor (LmccGate * gate, const LmccGateUnit * unit)
{
  Rung *rung = &gate->rungs[unit->stream];
  guint8 expected = rung->anchor + (unit->klass == 0 ? 1 : 0);
  gboolean missing = rung->has_anchor && unit->anchor != expected;

  rung->has_anchor = TRUE;
  rung->anchor = unit->anchor;
  if (missing && !(unit->klass == 0 && unit->switch_point && !unit->broken))
    damage_class (gate, unit->stream, 0);
}

/* A class that the encoder does not use stands in nobody's way. */
static gboolean
class_in_use (const LmccGate * gate, guint stream, guint klass)
{
  guint i;

  if (klass == 0)
    return TRUE;
  if (!gate->session.native)
    return gate->rungs[stream].classes_seen & (1u << klass);
  for (i = 0; i < gate->session.n_layers; i++) {
    if (gate->session.layers[i].stream == stream
        && gate->session.layers[i].klass == klass)
      return TRUE;
  }

  return FALSE;
}

static ClassState
state_below (const LmccGate * gate, const LmccGateUnit * unit)
{
  ClassState state = CLASS_INTACT;
  guint i;

  for (i = 0; i < unit->klass; i++) {
    if (class_in_use (gate, unit->stream, i))
      state = MIN (state, gate->rungs[unit->stream].states[i]);
  }

  return state;
}

static void
decide (LmccGate * gate, LmccGateUnit * unit, LmccTime deadline)
{
  Rung *rung = &gate->rungs[unit->stream];
  ClassState below = state_below (gate, unit);
  ClassState state;

  rung->classes_seen |= 1u << unit->klass;
  if (unit->switch_point)
    rung->states[unit->klass] = below;
  state = MIN (below, rung->states[unit->klass]);

  if (state == CLASS_CLOSED
      || (state == CLASS_DAMAGED && gate->on_loss == LMCC_ON_LOSS_FREEZE)) {
    gate->stats.units_withheld++;
    return;
  }
  unit->corrupted = state == CLASS_DAMAGED;
  pass_unit (gate, unit, deadline);
}

/* The anchors of a rung that falls silent cannot tell that it did. */
static void
follow_silence (LmccGate * gate, guint stream)
{
  if ((gint) stream == gate->active)
    gate->unheard = 0;
  else if (stream == 0 && ++gate->unheard >= MAX_UNHEARD_UNITS
      && gate->active > 0)
    damage_class (gate, gate->active, 0);
}

static void
finish_unit (LmccGate * gate, LmccTime deadline)
{
  LmccGateUnit *unit = g_steal_pointer (&gate->current);

  if (unit == NULL)
    return;

  follow_anchor (gate, unit);
  if (unit->broken) {
    gate->stats.units_incomplete++;
    damage_class (gate, unit->stream, unit->klass);
  } else {
    decide (gate, unit, deadline);
  }
  follow_silence (gate, unit->stream);
  lmcc_gate_unit_unref (unit);
}

static void
push_packet (LmccGate * gate, LmccMergeItem * item, LmccTime deadline)
{
  if (gate->current != NULL && !lmcc_gate_unit_takes (gate->current, item)) {
    gate->current->broken = TRUE;
    finish_unit (gate, deadline);
  }
  if (gate->key != NULL && gate->key->timestamp != item->rtp.timestamp)
    commit_key (gate);

  if (gate->current == NULL)
    gate->current = lmcc_gate_unit_new (item);
  if (lmcc_gate_unit_add (gate->current, item))
    finish_unit (gate, deadline);
}

/* So many lost packets may be as many units as make the anchor the same
 * again. */
#define ANCHOR_RANGE 256

/* Packets of a layer are missing, somewhere before the next packet. What
 * class-0 units are hit the anchors tell, unless there are too many; for the
 * others the layer does. */
static void
push_hole (LmccGate * gate, const LmccMergeItem * item)
{
  const LmccLayer *layer = &gate->session.layers[item->layer];
  guint rung, klass;

  if (layer->stream < LMCC_MAX_RUNGS && layer->klass != LMCC_CLASS_MIXED) {
    if (layer->stream == gate->active)
      gate->lost += item->lost;
    if (layer->klass > 0 || item->lost >= ANCHOR_RANGE)
      damage_class (gate, layer->stream, layer->klass);
    return;
  }

  gate->lost += item->lost;
  for (rung = 0; rung < LMCC_MAX_RUNGS; rung++) {
    for (klass = item->lost >= ANCHOR_RANGE ? 0 : 1; klass < LMCC_MAX_CLASSES;
        klass++)
      damage_class (gate, rung, klass);
  }
}

/**
 * lmcc_gate_set_session:
 * @gate: a gate
 * @session: the session now
 *
 * Where the level that is held carries other layers from now on, it is as with
 * lmcc_gate_set_level().
 */
void
lmcc_gate_set_session (LmccGate * gate, const LmccSession * session)
{
  gate->session = *session;
  if (gate->level >= 0)
    lmcc_gate_set_level (gate, gate->level);
}

/**
 * lmcc_gate_set_level:
 * @gate: a gate
 * @level: highest layer held, -1 for none
 *
 * What is not held any more is closed until its next switch point. Where the
 * rung that is given out is no longer whole, a lower one takes over at once.
 */
void
lmcc_gate_set_level (LmccGate * gate, gint level)
{
  guint i;

  gate->level = level;
  if (gate->session.native) {
    for (i = (guint) (level + 1); i < gate->session.n_layers; i++) {
      const LmccLayer *layer = &gate->session.layers[i];

      if (layer->stream >= LMCC_MAX_RUNGS || layer->klass >= LMCC_MAX_CLASSES)
        continue;
      gate->rungs[layer->stream].states[layer->klass] = CLASS_CLOSED;
      if (layer->klass == 0) {
        lmcc_gate_history_clear (&gate->rungs[layer->stream].history);
        gate->rungs[layer->stream].has_anchor = FALSE;
      }
    }
  }

  if (gate->key != NULL && !rung_is_held (gate, gate->key->stream))
    g_clear_pointer (&gate->key, lmcc_gate_unit_unref);
  if (gate->active >= 0 && !rung_is_held (gate, gate->active))
    fall_back (gate);
}

/**
 * lmcc_gate_push:
 * @gate: a gate with a session and a level
 * @item: (transfer full): what came out of the merge
 * @deadline: when a key frame that waits for a better one is delivered
 *
 * Packets of streams that are no rungs of the session are dropped.
 */
void
lmcc_gate_push (LmccGate * gate, LmccMergeItem * item, LmccTime deadline)
{
  if (item->packet == NULL) {
    push_hole (gate, item);
  } else if (item->header.stream >= gate->session.n_rungs || gate->level < 0) {
    lmcc_packet_unref (item->packet);
  } else {
    push_packet (gate, item, deadline);
  }
}

/**
 * lmcc_gate_timeout:
 * @gate: a gate
 * @now: the time
 *
 * Lets a key frame go that waited for a better one long enough.
 */
void
lmcc_gate_timeout (LmccGate * gate, LmccTime now)
{
  if (gate->key != NULL && gate->key_deadline <= now)
    commit_key (gate);
}

/**
 * lmcc_gate_next_timeout:
 * @gate: a gate
 *
 * Returns: when lmcc_gate_timeout() has something to do, or %LMCC_TIME_NONE
 */
LmccTime
lmcc_gate_next_timeout (const LmccGate * gate)
{
  return gate->key != NULL ? gate->key_deadline : LMCC_TIME_NONE;
}

/**
 * lmcc_gate_pop:
 * @gate: a gate
 * @output: (out): the next packet to deliver
 *
 * Returns: %FALSE if there is none
 */
gboolean
lmcc_gate_pop (LmccGate * gate, LmccGateOutput * output)
{
  LmccGateOutput *next = g_queue_pop_head (&gate->outputs);

  if (next == NULL)
    return FALSE;
  *output = *next;
  g_free (next);

  return TRUE;
}

/**
 * lmcc_gate_get_rung:
 * @gate: a gate
 *
 * Returns: the rung that is given out, -1 for none
 */
gint
lmcc_gate_get_rung (const LmccGate * gate)
{
  return gate->active;
}

/**
 * lmcc_gate_get_stats:
 * @gate: a gate
 *
 * Returns: (transfer none): its counters
 */
const LmccGateStats *
lmcc_gate_get_stats (const LmccGate * gate)
{
  return &gate->stats;
}
