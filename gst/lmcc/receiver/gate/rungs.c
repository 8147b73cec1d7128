/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Chooses which rung is delivered, and from which key frame on.
 */
#include "receiver/gate/rungs.h"

#include "receiver/gate/private.h"

/* Two distances between key frames count as equal within this fraction of
 * them. */
#define KEY_TOLERANCE 8

/* A gap of up to this many known distances counts as key frames that were
 * not received. */
#define MOST_KEYS 3

static void
deliver_unit (LmccGate *gate, LmccGateUnit *unit, gboolean segment,
    LmccTime deadline)
{
  lmcc_gate_delivery_push (&gate->delivery, unit, segment, deadline);
  gate->stats.units_delivered++;
  if (unit->corrupted)
    gate->stats.units_corrupted++;
}

/* Whether all layers of @rung are joined. A rung is delivered only complete,
 * because a constant picture rate is worth more than an occasional sharper
 * picture. In mixed layers the layer table does not show it, and the
 * received units decide. */
gboolean
lmcc_gate_rung_is_held (const LmccGate *gate, gint rung)
{
  LmccLayerSet layers;

  if (gate->held == 0)
    return FALSE;
  if (!gate->session.native)
    return TRUE;
  layers = lmcc_session_rung_layers (&gate->session, rung);
  if (rung == 0 && layers != 0)
    return (layers & gate->held) != 0;

  return (layers & ~gate->held) == 0;
}

/* Whether to change to @rung, or to stay with it, at a key frame. */
static gboolean
rung_is_whole (const LmccGate *gate, gint rung)
{
  return lmcc_gate_rung_is_held (gate, rung)
      && (gate->session.native
          || lmcc_gate_groups_is_whole (&gate->groups, (guint) rung));
}

gint
lmcc_gate_highest_whole_rung (const LmccGate *gate)
{
  gint rung;

  for (rung = (gint) gate->session.n_rungs - 1; rung > 0; rung--) {
    if (rung_is_whole (gate, rung))
      return rung;
  }

  return 0;
}

static void
set_active (LmccGate *gate, gint rung)
{
  if (gate->active == rung)
    return;
  if (gate->active >= 0 && rung >= 0)
    gate->stats.rung_changes++;
  gate->active = rung;
  gate->unheard = 0;
  gate->delivery.discont = TRUE;
}

/* Changes down to @rung at once: the decoder gets the units of the lower
 * rung since the key frame. Pictures that were already shown come in a new
 * segment that hides them. */
static void
switch_down (LmccGate *gate, gint rung)
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

/* Call it when the current rung can no longer be decoded: changes to the
 * highest complete rung below, if there is one. */
void
lmcc_gate_fall_back (LmccGate *gate)
{
  gint rung;

  for (rung = gate->active - 1; rung >= 0; rung--) {
    if (rung_is_whole (gate, rung)
        && gate->rungs[rung].states[0] == LMCC_GATE_CLASS_INTACT
        && !g_queue_is_empty (&gate->rungs[rung].history.units)) {
      switch_down (gate, rung);
      return;
    }
  }

  if (!lmcc_gate_rung_is_held (gate, gate->active))
    set_active (gate, -1);
}

void
lmcc_gate_commit_key (LmccGate *gate)
{
  LmccGateUnit *unit = g_steal_pointer (&gate->key);
  LmccTime deadline = gate->key_deadline;

  gate->key_deadline = LMCC_TIME_NONE;
  if (unit == NULL)
    return;
  set_active (gate, unit->stream);
  deliver_unit (gate, unit,
      lmcc_gate_delivery_hide_again (&gate->delivery, unit->timestamp),
      deadline);
  lmcc_gate_unit_unref (unit);
}

/* A key frame of the current rung or a higher one. The highest complete rung
 * of the picture is taken, so the key frame waits until no better one can
 * arrive. */
static void
offer_key (LmccGate *gate, LmccGateUnit *unit, LmccTime deadline)
{
  g_clear_pointer (&gate->key, lmcc_gate_unit_unref);
  gate->key = lmcc_gate_unit_ref (unit);
  gate->key_deadline = deadline;
  if (unit->stream == lmcc_gate_highest_whole_rung (gate))
    lmcc_gate_commit_key (gate);
}

static gboolean
is_wanted (const LmccGate *gate, const LmccGateUnit *key)
{
  return rung_is_whole (gate, key->stream)
      && (key->stream >= gate->active || !rung_is_whole (gate, gate->active));
}

/* The waiting key frame is no longer joined, and the best one below replaces
 * it. If there is none, the current rung would continue without its own key
 * frame. */
void
lmcc_gate_replace_key (LmccGate *gate)
{
  g_autoptr (LmccGateUnit) key = g_steal_pointer (&gate->key);
  gint rung;

  for (rung = key->stream - 1; rung >= 0; rung--) {
    LmccGateUnit *lower = g_queue_peek_head (&gate->rungs[rung].history.units);

    if (lower != NULL && lower->timestamp == key->timestamp
        && gate->rungs[rung].states[0] == LMCC_GATE_CLASS_INTACT
        && is_wanted (gate, lower)) {
      offer_key (gate, lower, gate->key_deadline);
      return;
    }
  }
}

static gboolean
is_near (guint32 distance, guint32 other, guint32 tolerance)
{
  return MAX (distance, other) - MIN (distance, other) <= tolerance;
}

/* Whether the distance is a multiple of the known one, with the key frames
 * in between missing. */
static gboolean
is_multiple (guint32 distance, guint32 known)
{
  guint32 n = known > 0 ? (distance + known / 2) / known : 0;

  return n >= 1 && n <= MOST_KEYS
      && is_near (distance, n * known, known / KEY_TOLERANCE);
}

/* Encoders insert some key frames at scene changes, so the next key frame
 * can be predicted only if two distances are equal within a picture or two. */
static void
note_key (LmccGateKeys *keys, guint32 timestamp)
{
  guint32 distance = timestamp - keys->timestamp;

  if (keys->count > 0 && distance == 0)
    return;
  if (keys->count == 0 || (gint32) distance < 0)
    distance = 0;
  if (is_near (distance, keys->latest_distance, distance / KEY_TOLERANCE))
    keys->distance = distance;
  else if (!is_multiple (distance, keys->distance))
    keys->distance = 0;
  keys->latest_distance = distance;
  keys->timestamp = timestamp;
  keys->count++;
}

void
lmcc_gate_pass_unit (LmccGate *gate, LmccGateUnit *unit, LmccTime deadline)
{
  if (gate->session.n_rungs > 1)
    lmcc_gate_history_push (&gate->rungs[unit->stream].history, unit,
        gate->discard);

  if (lmcc_gate_unit_is_key (unit)
      && (unit->stream == 0 || !lmcc_gate_rung_is_held (gate, 0)))
    note_key (&gate->keys, unit->timestamp);
  /* It belongs to the same picture and depends on the key frame before it. */
  if (gate->key != NULL && gate->key->stream == unit->stream)
    lmcc_gate_commit_key (gate);
  if (lmcc_gate_unit_is_key (unit) && is_wanted (gate, unit))
    offer_key (gate, unit, deadline);
  else if (unit->stream == gate->active)
    deliver_unit (gate, unit, FALSE, deadline);
}
