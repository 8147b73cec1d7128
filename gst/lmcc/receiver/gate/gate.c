/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "receiver/gate/gate.h"

#include <gst/lmcc/lmcc-classify.h>
#include "receiver/gate/delivery.h"
#include "receiver/gate/groups.h"
#include "receiver/gate/unit.h"

/* A rung of which nothing comes for so many units of the lowest one does not
 * come at all: at 24 pictures/s this is a quarter of a second. */
#define MAX_UNHEARD_UNITS 6

/* Where layers are mixed, a class that none of so many groups of pictures had,
 * each with units of a higher class, is not in use. Of one that was there once
 * only groups without losses tell; of another all of it would have had to be
 * lost in each of them. */
#define MIN_CLASS_GROUPS 4

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
  guint classes_seen;           /* bit set: since the key frame */
  guint classes_known;          /* bit set: at any time */
  /* Per class: groups of pictures since it came without it, and with a higher
   * one. */
  guint8 groups_without[LMCC_MAX_CLASSES];
  gboolean group_is_held;       /* the same layers since the key frame */
  gboolean has_anchor;
  guint8 anchor;
  gboolean lost;                /* something may be lost since its key frame */
  LmccGateHistory history;
} Rung;

struct _LmccGate
{
  LmccOnLoss on_loss;
  LmccSession session;
  const LmccCodec *codec;       /* of the session's video, or NULL */
  guint8 table;                 /* of the latest packet */
  gint level;
  guint64 fresh;                /* bit set of layers that begin later */
  guint16 first_osn[LMCC_MAX_LAYERS];   /* where they do */
  Rung rungs[LMCC_MAX_RUNGS];
  LmccGateGroups groups;
  gint active;
  guint unheard;                /* units of rung 0 since it was heard */

  LmccGateUnit *current;        /* the unit whose packets are coming */
  LmccGateUnit *key;            /* best key frame of this picture so far */
  LmccTime key_deadline;

  LmccGateDelivery delivery;
  LmccGateStats stats;
};

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
  gate->groups = (LmccGateGroups) {
  0};
  gate->active = -1;
  gate->level = -1;
  gate->fresh = 0;
  lmcc_gate_delivery_reset (&gate->delivery);
}

/**
 * lmcc_gate_free:
 * @gate: (transfer full): a gate
 */
void
lmcc_gate_free (LmccGate * gate)
{
  lmcc_gate_reset (gate);
  lmcc_gate_delivery_clear (&gate->delivery);
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
deliver_unit (LmccGate * gate, LmccGateUnit * unit, gboolean segment,
    LmccTime deadline)
{
  lmcc_gate_delivery_push (&gate->delivery, unit, segment, deadline);
  gate->stats.units_delivered++;
  if (unit->corrupted)
    gate->stats.units_corrupted++;
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

/* Whether to go to @rung, or on with it, at a key frame. */
static gboolean
rung_is_whole (const LmccGate * gate, gint rung)
{
  return rung_is_held (gate, rung) && (gate->session.native
      || lmcc_gate_groups_is_whole (&gate->groups, (guint) rung));
}

static gint
highest_whole_rung (const LmccGate * gate)
{
  gint rung;

  for (rung = (gint) gate->session.n_rungs - 1; rung > 0; rung--) {
    if (rung_is_whole (gate, rung))
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
  gate->delivery.discont = TRUE;
}

/* Goes down to @rung at once: the decoder is given its units since the key
 * frame again, those that were shown already under a new segment that hides
 * them. */
static void
switch_down (LmccGate * gate, gint rung)
{
  GList *at = gate->rungs[rung].history.units.head;
  const LmccGateUnit *key = at->data;
  gboolean segment = lmcc_gate_delivery_hide (&gate->delivery, key->timestamp);

  set_active (gate, rung);
  for (; at != NULL; at = at->next) {
    deliver_unit (gate, at->data, segment, 0);
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
    if (rung_is_whole (gate, rung)
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
lower_class (LmccGate * gate, gint rung, guint klass, ClassState to)
{
  ClassState *state = &gate->rungs[rung].states[klass];

  *state = MIN (*state, to);
  if (klass == 0 && rung == gate->active)
    fall_back (gate);
}

static void
damage_class (LmccGate * gate, gint rung, guint klass)
{
  lower_class (gate, rung, klass, CLASS_DAMAGED);
}

/* Something of a class is missing. Where layers are mixed and nothing was lost,
 * it lies in a layer that is not held, and what needs it is of no use. */
static void
miss_class (LmccGate * gate, gint rung, guint klass)
{
  lower_class (gate, rung, klass, gate->session.native
      || gate->rungs[rung].lost ? CLASS_DAMAGED : CLASS_CLOSED);
}

static void
commit_key (LmccGate * gate)
{
  LmccGateUnit *unit = g_steal_pointer (&gate->key);
  LmccTime deadline = gate->key_deadline;

  gate->key_deadline = LMCC_TIME_NONE;
  if (unit == NULL)
    return;
  set_active (gate, unit->stream);
  deliver_unit (gate, unit, lmcc_gate_delivery_hide_again (&gate->delivery,
          unit->timestamp), deadline);
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
  if (unit->stream == highest_whole_rung (gate))
    commit_key (gate);
}

static gboolean
is_key (const LmccGateUnit * unit)
{
  return unit->klass == 0 && unit->switch_point;
}

static gboolean
is_wanted (const LmccGate * gate, const LmccGateUnit * key)
{
  return rung_is_whole (gate, key->stream)
      && (key->stream >= gate->active || !rung_is_whole (gate, gate->active));
}

/* The key frame that waits is not held any more: the best one below it takes
 * its place. Without any, the active rung would go on without its own. */
static void
replace_key (LmccGate * gate)
{
  g_autoptr (LmccGateUnit) key = g_steal_pointer (&gate->key);
  gint rung;

  for (rung = key->stream - 1; rung >= 0; rung--) {
    LmccGateUnit *lower = g_queue_peek_head (&gate->rungs[rung].history.units);

    if (lower != NULL && lower->timestamp == key->timestamp
        && gate->rungs[rung].states[0] == CLASS_INTACT
        && is_wanted (gate, lower)) {
      offer_key (gate, lower, gate->key_deadline);
      return;
    }
  }
}

static void
pass_unit (LmccGate * gate, LmccGateUnit * unit, LmccTime deadline)
{
  if (gate->session.n_rungs > 1)
    lmcc_gate_history_push (&gate->rungs[unit->stream].history, unit);

  /* Of the same picture, and it needs the key frame before it. */
  if (gate->key != NULL && gate->key->stream == unit->stream)
    commit_key (gate);
  if (is_key (unit) && is_wanted (gate, unit))
    offer_key (gate, unit, deadline);
  else if (unit->stream == gate->active)
    deliver_unit (gate, unit, FALSE, deadline);
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
  if (missing && (!is_key (unit) || unit->broken))
    miss_class (gate, unit->stream, 0);
}

/* Whether the session's table is the one that packets are sent by. */
static gboolean
table_is_known (const LmccGate * gate, guint8 table)
{
  return table == (gate->session.version & 3);
}

/* A class that the encoder does not use stands in nobody's way. What did not
 * come after the level changed may be in the part of a layer that was not held
 * then, whatever earlier groups of pictures had. */
static gboolean
class_in_use (const LmccGate * gate, guint stream, guint klass)
{
  guint i;

  if (klass == 0 || !table_is_known (gate, gate->table))
    return TRUE;
  /* A grid of layers has no gaps: what has not come is not held. */
  if (!gate->session.native && gate->codec != NULL
      && gate->codec->n_temporal > 0)
    return TRUE;
  if (!gate->session.native)
    return !gate->rungs[stream].group_is_held
        || gate->rungs[stream].groups_without[klass] < MIN_CLASS_GROUPS;
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
    if (lmcc_codec_needs_class (gate->codec, unit->klass, i)
        && class_in_use (gate, unit->stream, i))
      state = MIN (state, gate->rungs[unit->stream].states[i]);
  }

  return state;
}

/* What is of a higher or a lower rung than the level shows is missed by
 * nobody. */
static void
count_unit (LmccGate * gate, const LmccGateUnit * unit, gboolean missed)
{
  if (unit->stream != highest_whole_rung (gate))
    return;
  gate->stats.units_due++;
  if (missed)
    gate->stats.units_missed++;
}

static void
decide (LmccGate * gate, LmccGateUnit * unit, LmccTime deadline)
{
  Rung *rung = &gate->rungs[unit->stream];
  ClassState below = state_below (gate, unit);
  ClassState state = unit->switch_point ? below
      : MIN (below, rung->states[unit->klass]);

  rung->states[unit->klass] = state;

  if (state == CLASS_CLOSED
      || (state == CLASS_DAMAGED && gate->on_loss == LMCC_ON_LOSS_FREEZE)) {
    gate->stats.units_withheld++;
    if (state == CLASS_DAMAGED)
      gate->stats.units_frozen++;
    count_unit (gate, unit, state == CLASS_DAMAGED);
    return;
  }
  count_unit (gate, unit, FALSE);
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

/* Layers are filled in the order of classes: where one came, all of the lower
 * ones were in layers that are held. */
static void
end_group (Rung * rung)
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
see_class (Rung * rung, guint klass)
{
  rung->classes_seen |= 1u << klass;
  rung->classes_known |= 1u << klass;
  rung->groups_without[klass] = 0;
}

static void
finish_unit (LmccGate * gate, LmccTime deadline)
{
  LmccGateUnit *unit = g_steal_pointer (&gate->current);

  if (unit == NULL)
    return;

  if (is_key (unit))
    lmcc_gate_groups_key (&gate->groups, unit->timestamp);
  follow_anchor (gate, unit);
  see_class (&gate->rungs[unit->stream], unit->klass);
  if (unit->broken) {
    gate->stats.units_incomplete++;
    count_unit (gate, unit, gate->session.native
        || lmcc_gate_groups_explain (&gate->groups));
    miss_class (gate, unit->stream, unit->klass);
  } else {
    if (is_key (unit))
      end_group (&gate->rungs[unit->stream]);
    gate->groups.units[unit->stream]++;
    decide (gate, unit, deadline);
  }
  follow_silence (gate, unit->stream);
  lmcc_gate_unit_unref (unit);
}

static void
push_packet (LmccGate * gate, LmccMergeItem * item, LmccTime deadline)
{
  if (gate->current != NULL && !lmcc_gate_unit_takes (gate->current, item)) {
    lmcc_gate_unit_break (gate->current);
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
 * others the layer does, where it is known what it carried. */
static void
push_hole (LmccGate * gate, const LmccMergeItem * item)
{
  const LmccLayer *layer = &gate->session.layers[item->layer];
  guint rung, klass;

  if (layer->stream < LMCC_MAX_RUNGS && layer->klass != LMCC_CLASS_MIXED
      && !item->table_changed && table_is_known (gate, item->header.table)) {
    if (layer->stream == gate->active)
      gate->delivery.lost += item->lost;
    if (layer->klass > 0 || item->lost >= ANCHOR_RANGE)
      damage_class (gate, layer->stream, layer->klass);
    return;
  }

  gate->delivery.lost += item->lost;
  gate->groups.lost += item->lost;
  for (rung = 0; rung < LMCC_MAX_RUNGS; rung++) {
    gate->rungs[rung].lost = TRUE;
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
  gate->codec = lmcc_codec_find (session->video.encoding_name);
  gate->delivery.layered = gate->codec != NULL && gate->codec->n_temporal > 0;
  if (gate->level >= 0)
    lmcc_gate_set_level (gate, gate->level);
}

static void
close_layers (LmccGate * gate)
{
  guint i;

  for (i = (guint) (gate->level + 1); i < gate->session.n_layers; i++) {
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

/* A layer that is new may bring units that need earlier ones of it, and nobody
 * has waited for it. Of class 0 the anchors tell that something is missing. */
static void
close_mixed_classes (LmccGate * gate)
{
  guint rung, klass;

  for (rung = 0; rung < LMCC_MAX_RUNGS; rung++) {
    gate->rungs[rung].lost = FALSE;
    gate->rungs[rung].group_is_held = FALSE;
    for (klass = 1; klass < LMCC_MAX_CLASSES; klass++)
      gate->rungs[rung].states[klass] = CLASS_CLOSED;
  }
}

static guint64
layers_up_to (gint level)
{
  return level < 0 ? 0 : G_MAXUINT64 >> (63 - MIN (level, 63));
}

/* Units that come before a new layer's first in the order may open classes of
 * which that layer had units that nobody waited for: from there on they are
 * closed again. */
static void
follow_new_layers (LmccGate * gate, guint16 osn)
{
  guint64 before = gate->fresh;
  guint i;

  for (i = 0; before != 0 && i < LMCC_MAX_LAYERS; i++) {
    if (before >> i & 1 && lmcc_sequence_diff (osn, gate->first_osn[i]) >= 0)
      gate->fresh &= ~(G_GUINT64_CONSTANT (1) << i);
  }
  if (gate->fresh != before && !gate->session.native)
    close_mixed_classes (gate);
}

/**
 * lmcc_gate_layer_begins:
 * @gate: a gate
 * @layer: a layer of which the first packet has come since it is held
 * @osn: that packet's order sequence number: what the layer sent below it is
 *     missing, and nothing else
 */
void
lmcc_gate_layer_begins (LmccGate * gate, guint layer, guint16 osn)
{
  gate->fresh |= G_GUINT64_CONSTANT (1) << layer;
  gate->first_osn[layer] = osn;
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
  gate->fresh &= layers_up_to (level);
  gate->level = level;
  if (!gate->session.native || !table_is_known (gate, gate->table))
    close_mixed_classes (gate);
  if (gate->session.native)
    close_layers (gate);

  if (gate->active >= 0 && !rung_is_held (gate, gate->active)) {
    g_clear_pointer (&gate->key, lmcc_gate_unit_unref);
    fall_back (gate);
  } else if (gate->key != NULL && !rung_is_held (gate, gate->key->stream)) {
    replace_key (gate);
  }
}

static void
follow_table (LmccGate * gate, guint8 table)
{
  if (table == gate->table)
    return;
  gate->table = table;
  close_mixed_classes (gate);
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
    follow_table (gate, item->header.table);
    follow_new_layers (gate, item->header.osn);
    push_packet (gate, item, deadline);
  }
}

/**
 * lmcc_gate_forget_history:
 * @gate: a gate
 *
 * Makes room: of the highest rung that has units kept for the decoder, in case
 * it has to take over that rung, they are forgotten up to its next key frame.
 * What lower rungs have kept is less, and serves from any rung above.
 *
 * Returns: %FALSE if there were none
 */
gboolean
lmcc_gate_forget_history (LmccGate * gate)
{
  gint rung;

  for (rung = LMCC_MAX_RUNGS - 1; rung >= 0; rung--) {
    LmccGateHistory *history = &gate->rungs[rung].history;

    if (!g_queue_is_empty (&history->units)) {
      lmcc_gate_history_clear (history);
      return TRUE;
    }
  }

  return FALSE;
}

/**
 * lmcc_gate_flush:
 * @gate: a gate
 *
 * Makes room: lets go what waits for something better or for its end, and gives
 * up the unit that is not whole yet.
 */
void
lmcc_gate_flush (LmccGate * gate)
{
  commit_key (gate);
  lmcc_gate_delivery_timeout (&gate->delivery, LMCC_TIME_NONE);
  if (gate->current != NULL)
    lmcc_gate_unit_break (gate->current);
}

/**
 * lmcc_gate_timeout:
 * @gate: a gate
 * @now: the time
 *
 * Lets a key frame go that waited for a better one long enough, and the end of
 * a picture that waited for another layer of it.
 */
void
lmcc_gate_timeout (LmccGate * gate, LmccTime now)
{
  if (gate->key != NULL && gate->key_deadline <= now)
    commit_key (gate);
  lmcc_gate_delivery_timeout (&gate->delivery, now);
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
  LmccTime next = lmcc_gate_delivery_next_timeout (&gate->delivery);

  return gate->key != NULL ? MIN (gate->key_deadline, next) : next;
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
  return lmcc_gate_delivery_pop (&gate->delivery, output);
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
