/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Plumb, the library's own algorithm. It estimates the rate that one more
 * TCP connection would get, sampled at the rate of its packets; holds levels
 * for a part of the time, synchronized by the sender's clock; and joins no
 * layer without room, which the sender's packet trains show.
 * docs/researchers/plumb.md describes it.
 */
#include "control/plumb/plumb.h"

#include "control/plumb/state.h"
#include "measure/loss.h"
#include "wire/levels.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#define TICK (100 * LMCC_MSECOND)

/* After a shorter silence the path is assumed to be the same. A group that a
 * switch forgot returns after the receiver has rejoined it, after
 * LMCC_REJOIN_TIMEOUT of 10 s, and the join has taken effect. */
#define OUTAGE (12 * LMCC_SECOND)

static void
evaluate (LmccPlumb *plumb, LmccTime now)
{
  if (plumb->level < 0 || plumb->leaving)
    return;
  if (plumb->deaf) {
    if (now < lmcc_plumb_deaf_period_end (plumb))
      return;
    lmcc_plumb_end_deaf_period (plumb, now);
  }
  if (lmcc_plumb_leave_overload (plumb, now))
    return;
  if (now < plumb->next_tick)
    return;
  plumb->next_tick = now + TICK;
  lmcc_plumb_update_rate (plumb, now);
  if (lmcc_plumb_leave_far_below (plumb, now))
    return;
  if (plumb->slow_start) {
    lmcc_plumb_start (plumb, now);
    return;
  }
  lmcc_duty_add (&plumb->duty, now, plumb->rate);
  if (!lmcc_plumb_follow_step (plumb, now) && !lmcc_plumb_promote (plumb, now)
      && !lmcc_plumb_explore (plumb, now))
    lmcc_plumb_follow_duty (plumb, now);
}

/* All packets of a layer that were missing during its silence count as one
 * loss event, because nobody knows how many of them the path would have
 * carried. A switch may have forgotten the group, or this host's socket was
 * full. */
static void
note_packet (LmccPlumb *plumb, LmccTime arrival, guint layer)
{
  LmccTime *heard = &plumb->heard[layer];
  LmccTime silence = arrival > *heard ? arrival - *heard : 0;

  if (*heard != 0 && silence >= lmcc_plumb_find_silence (plumb, layer)
      && silence < OUTAGE)
    plumb->outage_until[layer] = arrival;
  *heard = MAX (*heard, arrival);
  plumb->last_packet = MAX (plumb->last_packet, arrival);
}

static void
plumb_packet (LmccController *controller, LmccTime now, LmccTime arrival,
    const LmccHeader *header, gsize size)
{
  LmccPlumb *plumb = (LmccPlumb *) controller;

  lmcc_controller_forget_wish (controller, plumb->level);
  lmcc_duty_packet (&plumb->duty, header->send_time);
  lmcc_overload_packet (&plumb->overload, now, size);
  lmcc_fair_rate_packet (&plumb->fair, arrival, size);
  note_packet (plumb, arrival, header->layer);
  if (lmcc_train_reader_packet (&plumb->trains, plumb->session, arrival, header,
          size)) {
    if (lmcc_plumb_count_verdicts (plumb, LMCC_TRAIN_UNKNOWN, now) > 0)
      plumb->last_queue = now;
    plumb->next_tick = MIN (plumb->next_tick, now);
  }
  evaluate (plumb, now);
}

/* At the first loss: the loss interval at which the fair rate is the current
 * rate (RFC 4654 section 5.6). */
static void
take_first_loss (LmccPlumb *plumb, LmccTime now)
{
  lmcc_fair_rate_restart (&plumb->fair, now,
      lmcc_plumb_level_rate (plumb, plumb->level));
  lmcc_plumb_begin_anew (plumb, now);
}

static void
take_losses (LmccPlumb *plumb, LmccTime now, const LmccLoss *loss, guint first)
{
  LmccFairRateWitness witness = lmcc_plumb_find_witness (plumb, now);
  gboolean any = !isinf (lmcc_fair_rate_get_seen (&plumb->fair));
  guint i;

  for (i = first; i < loss->count; i++)
    lmcc_fair_rate_lose (&plumb->fair, lmcc_loss_get_time (loss, i), witness);
  if (!any)
    take_first_loss (plumb, now);
}

/* Layers that fell silent together return one after the other. */
static gboolean
is_new_outage (LmccPlumb *plumb, LmccTime now)
{
  gboolean is_new = plumb->outage_taken == 0
      || now >= plumb->outage_taken + LMCC_PLUMB_SILENCE;

  if (is_new)
    plumb->outage_taken = now;

  return is_new;
}

/* All losses found within this time may still turn out to have arrived. */
static void
note_loss (LmccPlumb *plumb, LmccTime now, guint count)
{
  if (plumb->recent_losses == 0
      || now >= plumb->last_loss + LMCC_LOSS_TIMEOUT) {
    plumb->loss_before = plumb->last_loss;
    plumb->recent_losses = 0;
  }
  plumb->recent_losses += count;
  plumb->last_loss = now;
}

static void
plumb_loss (LmccController *controller, LmccTime now, guint layer,
    const LmccLoss *loss)
{
  LmccPlumb *plumb = (LmccPlumb *) controller;
  guint ignored = lmcc_loss_count_before (loss, plumb->deaf_until);
  guint outage = lmcc_loss_count_before (loss, plumb->outage_until[layer]);
  guint first;

  lmcc_controller_forget_wish (controller, plumb->level);
  note_loss (plumb, now, loss->count);
  if (plumb->deaf || plumb->leaving || ignored == loss->count)
    return;
  lmcc_overload_lose (&plumb->overload, now,
      loss->count - MAX (ignored, outage));
  first = MAX (ignored, outage);
  if (outage > ignored && is_new_outage (plumb, now))
    first = outage - 1;
  if (first < loss->count
      && !lmcc_train_reader_owns_loss (&plumb->trains, plumb->session, layer,
          loss))
    take_losses (plumb, now, loss, first);
  evaluate (plumb, now);
}

/* Withdraws a loss from everything that plumb_loss() added it to. */
static void
plumb_found (LmccController *controller, LmccTime now, guint layer,
    const LmccLoss *loss)
{
  LmccPlumb *plumb = (LmccPlumb *) controller;
  LmccTime time = lmcc_loss_get_time (loss, 0);

  lmcc_controller_forget_wish (controller, plumb->level);
  if (plumb->recent_losses > 0 && --plumb->recent_losses == 0)
    plumb->last_loss = plumb->loss_before;
  if (plumb->deaf || plumb->leaving || time < plumb->deaf_until
      || time < plumb->outage_until[layer])
    return;
  lmcc_overload_find (&plumb->overload, now, 1);
  if (!lmcc_train_reader_owns_loss (&plumb->trains, plumb->session, layer,
          loss))
    lmcc_fair_rate_find (&plumb->fair, time);
  evaluate (plumb, now);
}

static void
plumb_left_packet (LmccController *controller, LmccTime now G_GNUC_UNUSED,
    LmccTime arrival, guint layer)
{
  LmccPlumb *plumb = (LmccPlumb *) controller;

  if (plumb->deaf
      && !lmcc_session_level_has_layer (plumb->session, plumb->level, layer))
    plumb->left_packet = MAX (plumb->left_packet, arrival);
}

static void
plumb_level (LmccController *controller, LmccTime now, gint level)
{
  LmccPlumb *plumb = (LmccPlumb *) controller;
  gint from = plumb->level;
  LmccLayerSet joined = lmcc_session_level_layers (plumb->session, level)
      & ~lmcc_session_level_layers (plumb->session, from);
  guint layer;

  plumb->level = level;
  plumb->level_since = now;
  plumb->low_since = 0;
  lmcc_overload_reset (&plumb->overload, now);
  lmcc_steps_reset (&plumb->steps, now);
  lmcc_quality_watch_reset (&plumb->quality);
  lmcc_train_reader_set_level (&plumb->trains, level);
  while (lmcc_layer_set_take (&joined, &layer))
    plumb->heard[layer] = now;
  if (level > from && from >= 0) {
    lmcc_plumb_joined (plumb, now);
  } else {
    plumb->joined_at = 0;
  }
  if (plumb->leaving && level < from) {
    plumb->deaf = TRUE;
    plumb->deaf_since = plumb->left_packet = now;
    plumb->last_loss = MAX (plumb->last_loss, now);
    plumb->recent_losses = 0;
  }
  plumb->leaving = FALSE;
  plumb->wants_experiment = FALSE;
  plumb->wanted_limit = LMCC_OVERLOAD_USUAL;
}

static void
plumb_rtt (LmccController *controller, LmccTime now, LmccTime rtt)
{
  LmccPlumb *plumb = (LmccPlumb *) controller;

  lmcc_controller_forget_wish (controller, plumb->level);
  lmcc_fair_rate_set_rtt (&plumb->fair, now, rtt);
  plumb->rtt = rtt;
  if (plumb->rtt_known)
    return;
  plumb->rtt_known = TRUE;
  if (plumb->last_loss != 0)
    lmcc_plumb_begin_anew (plumb, now);
}

/* Pictures lost by random losses of the path are no sign of congestion: a
 * lower level would lose as many. */
static void
plumb_quality (LmccController *controller, LmccTime now, guint units,
    guint missing)
{
  LmccPlumb *plumb = (LmccPlumb *) controller;

  lmcc_controller_forget_wish (controller, plumb->level);
  if (plumb->deaf || !lmcc_quality_watch_add (&plumb->quality, units, missing)
      || plumb->level <= 0 || plumb->leaving
      || lmcc_fair_rate_get_random (&plumb->fair) > LMCC_PLUMB_RANDOM)
    return;
  lmcc_plumb_leave_in_vain (plumb, plumb->level - 1, now,
      "too many pictures are missing");
}

static void
plumb_session (LmccController *controller, LmccTime now G_GNUC_UNUSED)
{
  LmccPlumb *plumb = (LmccPlumb *) controller;

  plumb->parent.wanted_level = MIN (plumb->parent.wanted_level,
      (gint) lmcc_session_count_levels (plumb->session) - 1);
}

static void
plumb_timeout (LmccController *controller, LmccTime now)
{
  LmccPlumb *plumb = (LmccPlumb *) controller;

  lmcc_controller_forget_wish (controller, plumb->level);
  evaluate (plumb, now);
}

static LmccTime
plumb_next_timeout (const LmccController *controller)
{
  const LmccPlumb *plumb = (const LmccPlumb *) controller;

  if (plumb->level < 0 || plumb->leaving)
    return LMCC_TIME_NONE;

  return plumb->deaf ? lmcc_plumb_deaf_period_end (plumb) : plumb->next_tick;
}

static void
plumb_status (LmccController *controller, LmccTime now,
    LmccControllerStatus *status)
{
  LmccPlumb *plumb = (LmccPlumb *) controller;

  status->state = plumb->deaf ? "deaf"
      : plumb->slow_start     ? "slow start"
                              : "steady";
  status->loss_event_rate = lmcc_fair_rate_get_loss_rate (&plumb->fair, now);
  status->trains = lmcc_train_reader_describe (&plumb->trains, now);
  lmcc_plumb_show_fair_rate (plumb, now, &status->fair);
}

static const LmccControllerClass plumb_class = {
  .on_packet = plumb_packet,
  .on_loss = plumb_loss,
  .on_found = plumb_found,
  .on_left_packet = plumb_left_packet,
  .on_level = plumb_level,
  .on_rtt = plumb_rtt,
  .on_quality = plumb_quality,
  .on_session = plumb_session,
  .on_timeout = plumb_timeout,
  .next_timeout = plumb_next_timeout,
  .get_status = plumb_status,
  .free = (void (*) (LmccController *)) g_free,
};

static LmccController *
plumb_create (const LmccSession *session, const LmccSettings *settings,
    guint32 seed G_GNUC_UNUSED)
{
  LmccPlumb *plumb = g_new0 (LmccPlumb, 1);

  lmcc_controller_init (&plumb->parent, &lmcc_algorithm_plumb, &plumb_class);
  plumb->parent.reason = "start";
  plumb->session = session;
  plumb->level = -1;
  plumb->slow_start = TRUE;
  plumb->radio = lmcc_settings_get_count (settings, "radio");
  plumb->leave_latency = lmcc_settings_get_time (settings, "leave-latency");
  lmcc_fair_rate_init (&plumb->fair, session->packet_size,
      lmcc_settings_get_count (settings, "cubic"), session->rtt_max);
  lmcc_train_reader_init (&plumb->trains);
  lmcc_duty_init (&plumb->duty, session,
      lmcc_settings_get_time (settings, "period"),
      lmcc_settings_get (settings, "dead-band"),
      lmcc_settings_get_count (settings, "prefer"));
  lmcc_quality_watch_init (&plumb->quality,
      lmcc_settings_get_count (settings, "quality-time"),
      lmcc_settings_get (settings, "quality-share"));

  return &plumb->parent;
}

const LmccAlgorithm lmcc_algorithm_plumb = {
  .name = "plumb",
  .number = 101,
  .description =
      N_ ("Aims at the rate that one more TCP connection would get, alternates "
          "between levels, and joins no layer without room for it"),
  .settings = lmcc_plumb_settings,
  .n_settings = LMCC_PLUMB_N_SETTINGS,
  .needs_rtt = TRUE,
  .create = plumb_create,
  .train_cycle = 2 * LMCC_SECOND,
};
