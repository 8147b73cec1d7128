/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Decodability of each class: which units the decoder can use.
 */
#include "receiver/gate/classes.h"

#include "receiver/gate/private.h"
#include "receiver/gate/rungs.h"

/* A rung of which nothing has arrived during this many units of the lowest
 * rung is considered absent: a quarter of a second at 24 pictures/s. */
#define MAX_UNHEARD_UNITS 6

/* In mixed layers, a class that did not occur in this many groups of
 * pictures, each with units of a higher class, is not in use. For a class
 * that occurred before, only groups without losses count; for another one,
 * all of its units would have had to be lost in each group. */
#define MIN_CLASS_GROUPS 4

/* Range of the anchor: after this many lost packets, as many units may be
 * lost, and the anchor would be the same again. */
#define ANCHOR_RANGE 256

static void
lower_class (LmccGate *gate, gint rung, guint klass, LmccGateClass to)
{
  LmccGateClass *state = &gate->rungs[rung].states[klass];

  *state = MIN (*state, to);
  if (klass == 0 && rung == gate->active)
    lmcc_gate_fall_back (gate);
}

static void
damage_class (LmccGate *gate, gint rung, guint klass)
{
  lower_class (gate, rung, klass, LMCC_GATE_CLASS_DAMAGED);
}

/* A unit of a class is missing. If layers are mixed and nothing was lost, it
 * lies in a layer that is not joined, and units that depend on it cannot be
 * used. */
static void
miss_class (LmccGate *gate, gint rung, guint klass)
{
  gboolean lost = gate->session.native || gate->rungs[rung].lost;

  lower_class (gate, rung, klass,
      lost ? LMCC_GATE_CLASS_DAMAGED : LMCC_GATE_CLASS_CLOSED);
}

/* Updates the state of the rung's class 0: the anchor shows whether a
 * class-0 unit is missing before this unit. */
static void
follow_anchor (LmccGate *gate, const LmccGateUnit *unit)
{
  LmccGateRung *rung = &gate->rungs[unit->stream];
  guint8 expected = rung->anchor + (unit->klass == 0 ? 1 : 0);
  gboolean missing = rung->has_anchor && unit->anchor != expected;

  rung->has_anchor = TRUE;
  rung->anchor = unit->anchor;
  if (missing && (!lmcc_gate_unit_is_key (unit) || unit->broken))
    miss_class (gate, unit->stream, 0);
}

/* Whether the session's layer table is the one that packets are sent with. */
gboolean
lmcc_gate_table_is_known (const LmccGate *gate, guint8 table)
{
  return table == (gate->session.version & 3);
}

/* Whether a single layer carries all classes of the rung. */
static gboolean
is_one_layer (const LmccGate *gate, guint stream)
{
  LmccLayerSet layers =
      lmcc_session_rung_layers (&gate->session, (gint) stream);
  guint layer;

  return gate->session.native && lmcc_layer_set_take (&layers, &layer)
      && layers == 0 && gate->session.layers[layer].klass == LMCC_CLASS_MIXED;
}

/* Other classes do not depend on a class that the encoder does not use.
 * After a level change, a class that has not arrived may lie in the part of
 * a layer that was not joined then, whatever earlier groups of pictures
 * contained. */
static gboolean
class_in_use (const LmccGate *gate, guint stream, guint klass)
{
  gboolean mixed = !gate->session.native || is_one_layer (gate, stream);
  guint i;

  if (klass == 0 || !lmcc_gate_table_is_known (gate, gate->table))
    return TRUE;
  /* A grid of layers has no gaps: a class that has not arrived is not
   * joined. */
  if (mixed && gate->codec != NULL && gate->codec->n_temporal > 0)
    return TRUE;
  if (mixed)
    return !gate->rungs[stream].group_is_held
        || gate->rungs[stream].groups_without[klass] < MIN_CLASS_GROUPS;
  for (i = 0; i < gate->session.n_layers; i++) {
    if (gate->session.layers[i].stream == stream
        && gate->session.layers[i].klass == klass)
      return TRUE;
  }

  return FALSE;
}

static LmccGateClass
state_below (const LmccGate *gate, const LmccGateUnit *unit)
{
  LmccGateClass state = LMCC_GATE_CLASS_INTACT;
  guint i;

  for (i = 0; i < unit->klass; i++) {
    if (lmcc_codec_needs_class (gate->codec, unit->klass, i)
        && class_in_use (gate, unit->stream, i))
      state = MIN (state, gate->rungs[unit->stream].states[i]);
  }

  return state;
}

/* Units of rungs above or below the one that the level shows do not count as
 * missed. */
static void
count_unit (LmccGate *gate, const LmccGateUnit *unit, gboolean missed)
{
  if (unit->stream != lmcc_gate_highest_whole_rung (gate))
    return;
  gate->stats.units_due++;
  if (missed)
    gate->stats.units_missed++;
}

static void
decide (LmccGate *gate, LmccGateUnit *unit, LmccTime deadline)
{
  LmccGateRung *rung = &gate->rungs[unit->stream];
  LmccGateClass below = state_below (gate, unit);
  LmccGateClass state =
      unit->switch_point ? below : MIN (below, rung->states[unit->klass]);

  rung->states[unit->klass] = state;

  if (state == LMCC_GATE_CLASS_CLOSED
      || (state == LMCC_GATE_CLASS_DAMAGED
          && gate->on_loss == LMCC_ON_LOSS_FREEZE)) {
    gate->stats.units_withheld++;
    if (state == LMCC_GATE_CLASS_DAMAGED)
      gate->stats.units_frozen++;
    count_unit (gate, unit, state == LMCC_GATE_CLASS_DAMAGED);
    return;
  }
  count_unit (gate, unit, FALSE);
  unit->corrupted = state == LMCC_GATE_CLASS_DAMAGED;
  lmcc_gate_pass_unit (gate, unit, deadline);
}

/* Anchors do not show that a rung falls silent. */
static void
follow_silence (LmccGate *gate, guint stream)
{
  if ((gint) stream == gate->active)
    gate->unheard = 0;
  else if (stream == 0 && ++gate->unheard >= MAX_UNHEARD_UNITS
      && gate->active > 0)
    damage_class (gate, gate->active, 0);
}

/* Layers are filled in the order of classes: if one class arrived, all lower
 * ones were in joined layers. */
static void
end_group (LmccGateRung *rung)
{
  guint klass;

  for (klass = 1; klass < LMCC_MAX_CLASSES; klass++) {
    gboolean may_be_lost = rung->lost && rung->classes_known >> klass & 1;

    if (rung->group_is_held && !may_be_lost && rung->classes_seen >> klass > 1
        && rung->groups_without[klass] < MIN_CLASS_GROUPS)
      rung->groups_without[klass]++;
  }
  rung->classes_seen = 0;
  rung->group_is_held = TRUE;
  rung->lost = FALSE;
}

static void
set_higher_classes (LmccGateRung *rung, LmccGateClass state)
{
  guint klass;

  for (klass = 1; klass < LMCC_MAX_CLASSES; klass++)
    rung->states[klass] = state;
}

static void
close_higher_classes (LmccGateRung *rung)
{
  rung->lost = FALSE;
  rung->group_is_held = FALSE;
  set_higher_classes (rung, LMCC_GATE_CLASS_CLOSED);
}

static void
see_class (LmccGateRung *rung, guint klass)
{
  rung->classes_seen |= 1u << klass;
  rung->classes_known |= 1u << klass;
  rung->groups_without[klass] = 0;
}

/*
 * lmcc_gate_judge_unit:
 * @gate: a gate
 * @unit: a unit that has ended
 * @deadline: the deadline of lmcc_gate_push()
 *
 * Passes the unit on if a decoder can use it.
 */
void
lmcc_gate_judge_unit (LmccGate *gate, LmccGateUnit *unit, LmccTime deadline)
{
  if (lmcc_gate_unit_is_key (unit))
    lmcc_gate_groups_key (&gate->groups, unit->timestamp);
  follow_anchor (gate, unit);
  see_class (&gate->rungs[unit->stream], unit->klass);
  if (unit->broken) {
    gate->stats.units_incomplete++;
    count_unit (gate, unit,
        gate->session.native || lmcc_gate_groups_explain (&gate->groups));
    miss_class (gate, unit->stream, unit->klass);
  } else {
    if (lmcc_gate_unit_is_key (unit)) {
      end_group (&gate->rungs[unit->stream]);
      /* From here on, no unit of this single layer is missing until a loss. */
      if (is_one_layer (gate, unit->stream))
        set_higher_classes (&gate->rungs[unit->stream], LMCC_GATE_CLASS_INTACT);
    }
    gate->groups.units[unit->stream]++;
    decide (gate, unit, deadline);
  }
  follow_silence (gate, unit->stream);
}

/* Whether it is known to which rung the layer belonged when its packets were
 * lost. */
static gboolean
carried_one_rung (const LmccGate *gate, const LmccMergeItem *item)
{
  const LmccLayer *layer = &gate->session.layers[item->layer];

  return layer->stream < LMCC_MAX_RUNGS
      && (gate->session.native || layer->klass != LMCC_CLASS_MIXED)
      && !item->table_changed
      && lmcc_gate_table_is_known (gate, item->header.table);
}

/* Units that a layer no longer brought after it was left are missing.
 * Nothing was lost, but units that depend on them cannot be used. For class
 * 0 the anchors show it. */
static void
end_layer (LmccGate *gate, const LmccMergeItem *item)
{
  const LmccLayer *layer = &gate->session.layers[item->layer];

  if (!carried_one_rung (gate, item))
    lmcc_gate_close_mixed_classes (gate);
  else if (layer->klass == LMCC_CLASS_MIXED)
    close_higher_classes (&gate->rungs[layer->stream]);
  else if (layer->klass > 0)
    gate->rungs[layer->stream].states[layer->klass] = LMCC_GATE_CLASS_CLOSED;
}

/* The classes of the lost packets are unknown. */
static void
damage_rung (LmccGate *gate, gint rung, guint n_lost)
{
  guint klass;

  gate->rungs[rung].lost = TRUE;
  for (klass = n_lost >= ANCHOR_RANGE ? 0 : 1; klass < LMCC_MAX_CLASSES;
       klass++)
    damage_class (gate, rung, klass);
}

/* Packets of a layer are missing somewhere before the next packet. Anchors
 * show which class-0 units are affected, unless too many packets are
 * missing. For the other classes the layer shows it, if its contents are
 * known. */
void
lmcc_gate_judge_hole (LmccGate *gate, const LmccMergeItem *item)
{
  const LmccLayer *layer = &gate->session.layers[item->layer];
  guint rung;

  if (item->ended) {
    end_layer (gate, item);
    return;
  }
  if (carried_one_rung (gate, item)) {
    if (layer->stream == gate->active)
      gate->delivery.lost += item->lost;
    if (layer->klass == LMCC_CLASS_MIXED)
      damage_rung (gate, layer->stream, item->lost);
    else if (layer->klass > 0 || item->lost >= ANCHOR_RANGE)
      damage_class (gate, layer->stream, layer->klass);
    return;
  }

  gate->delivery.lost += item->lost;
  gate->groups.lost += item->lost;
  for (rung = 0; rung < LMCC_MAX_RUNGS; rung++)
    damage_rung (gate, (gint) rung, item->lost);
}

static void
close_layer (LmccGate *gate, const LmccLayer *layer)
{
  LmccGateRung *rung = &gate->rungs[layer->stream];
  gboolean whole = is_one_layer (gate, layer->stream);

  if (whole)
    close_higher_classes (rung);
  if (whole || layer->klass == 0) {
    rung->states[0] = LMCC_GATE_CLASS_CLOSED;
    lmcc_gate_history_clear (&rung->history, gate->discard);
    rung->has_anchor = FALSE;
  } else if (layer->klass < LMCC_MAX_CLASSES) {
    rung->states[layer->klass] = LMCC_GATE_CLASS_CLOSED;
  }
}

void
lmcc_gate_close_layers (LmccGate *gate)
{
  guint i;

  for (i = 0; i < gate->session.n_layers; i++) {
    const LmccLayer *layer = &gate->session.layers[i];

    if (!lmcc_layer_set_has (gate->held, i) && layer->stream < LMCC_MAX_RUNGS)
      close_layer (gate, layer);
  }
}

/* A new layer may bring units that depend on its earlier ones, which nobody
 * has waited for. For class 0 the anchors show that something is missing. */
void
lmcc_gate_close_mixed_classes (LmccGate *gate)
{
  guint rung;

  for (rung = 0; rung < LMCC_MAX_RUNGS; rung++)
    close_higher_classes (&gate->rungs[rung]);
}
