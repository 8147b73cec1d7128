/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sender/rate-watch.h"

/* Interval between checks of the rates; a difference of more than a tenth is
 * announced. */
#define CHECK_INTERVAL (250 * LMCC_MSECOND)
#define CHANGE_INTERVAL LMCC_SECOND
#define CHANGE_FRACTION 10

/*
 * lmcc_rate_watch_init:
 * @watch: (out): the watch
 * @now: the time
 */
void
lmcc_rate_watch_init (LmccRateWatch *watch, LmccTime now)
{
  guint i;

  for (i = 0; i < LMCC_MAX_LAYERS; i++)
    lmcc_meter_init (&watch->meters[i], now);
  watch->newest = LMCC_TIME_NONE;
  watch->unit_interval = 0;
  watch->check = now + CHECK_INTERVAL;
  watch->changed = LMCC_TIME_NONE;
}

/*
 * lmcc_rate_watch_note_picture:
 * @watch: a watch
 * @decoding_time: decoding time of a picture of any rung
 */
void
lmcc_rate_watch_note_picture (LmccRateWatch *watch, LmccTime decoding_time)
{
  LmccTime step;

  if (watch->newest == LMCC_TIME_NONE) {
    watch->newest = decoding_time;
    return;
  }
  if (decoding_time <= watch->newest)
    return;

  step = MIN (decoding_time - watch->newest, LMCC_SECOND);
  watch->unit_interval =
      watch->unit_interval == 0 ? step : (7 * watch->unit_interval + step) / 8;
  watch->newest = decoding_time;
}

/*
 * lmcc_rate_watch_note_unit:
 * @watch: a watch
 * @layer: a layer
 * @unit: a unit that the layer will send
 * @window: greatest time for which it is held after its decoding time
 * @size: size of its IP packets and of those sent for it, in bytes
 */
void
lmcc_rate_watch_note_unit (LmccRateWatch *watch, guint layer,
    const LmccUnit *unit, LmccTime window, gsize size)
{
  lmcc_meter_add_unit (&watch->meters[layer], unit->decoding_time, window,
      size);
}

/*
 * lmcc_rate_watch_note_sent:
 * @watch: a watch
 * @layer: a layer
 * @now: the time
 * @size: size of an IP packet that the layer sends, in bytes
 */
void
lmcc_rate_watch_note_sent (LmccRateWatch *watch, guint layer, LmccTime now,
    gsize size)
{
  lmcc_meter_add_sent (&watch->meters[layer], now, size);
}

/*
 * lmcc_rate_watch_move:
 * @watch: a watch
 * @moved: the new index of each layer
 * @n_layers: the old number of layers
 * @now: the time, at which the new layers start
 */
void
lmcc_rate_watch_move (LmccRateWatch *watch, const guint8 moved[LMCC_MAX_LAYERS],
    guint n_layers, LmccTime now)
{
  g_autofree LmccMeter *old = g_memdup2 (watch->meters, sizeof (watch->meters));
  guint i;

  for (i = 0; i < LMCC_MAX_LAYERS; i++)
    lmcc_meter_init (&watch->meters[i], now);
  for (i = 0; i < n_layers; i++)
    watch->meters[moved[i]] = old[i];
}

static gboolean
rate_differs (guint64 announced, guint64 rate)
{
  guint64 difference = announced > rate ? announced - rate : rate - announced;

  return difference > announced / CHANGE_FRACTION;
}

/*
 * lmcc_rate_watch_update:
 * @watch: a watch
 * @session: (inout): the session whose layer rates are updated
 * @now: the time
 *
 * Returns: whether @session changed
 */
gboolean
lmcc_rate_watch_update (LmccRateWatch *watch, LmccSession *session,
    LmccTime now)
{
  gboolean changed = FALSE;
  guint i;

  if (now < watch->check)
    return FALSE;
  watch->check = now + CHECK_INTERVAL;
  if (watch->changed != LMCC_TIME_NONE
      && now < watch->changed + CHANGE_INTERVAL)
    return FALSE;

  for (i = 0; i < session->n_layers; i++) {
    LmccLayer *layer = &session->layers[i];
    guint64 rate = lmcc_meter_get_rate (&watch->meters[i], now, watch->newest,
        watch->unit_interval);

    if (rate > 0 && rate_differs (layer->rate, rate)) {
      layer->rate = rate;
      changed = TRUE;
    }
  }
  if (changed)
    watch->changed = now;

  return changed;
}
