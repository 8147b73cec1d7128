/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The key-frame interval, and the window of layers with fixed rates. */
#include "config.h"

#include "sink/core.h"

#include "sink/bitrate.h"

#include <plugins/common/messages.h>

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

/* The window for encoders that lmccsink has created, whose key frames are where
 * they should be: 1/16 of it is for late pictures, and groups of pictures are 1
 * % shorter than half of the rest, because times are rounded. */
static LmccTime
get_own_window (LmccTime key_distance)
{
  return 2 * (key_distance + key_distance / 100) * 16 / 15;
}

/* (transfer full) (element-type GstPad): pads of the rungs */
static GList *
list_rungs (GstLmccSinkCore *core)
{
  GList *pads = NULL, *l;

  g_mutex_lock (&core->lock);
  for (l = core->pads; l; l = l->next) {
    const GstLmccSinkPad *rung = l->data;

    if (!rung->sound)
      pads = g_list_prepend (pads, gst_object_ref (rung->pad));
  }
  g_mutex_unlock (&core->lock);
  return pads;
}

/* The maximum of all upstream encoders; %LMCC_TIME_NONE if one is unknown. */
static LmccTime
ask_encoders (GstLmccSinkCore *core)
{
  GList *pads = list_rungs (core), *l;
  LmccTime largest = 0;

  for (l = pads; l; l = l->next) {
    g_autoptr (GstElement) encoder =
        gst_lmcc_sink_bitrate_find_encoder (l->data);
    LmccTime distance =
        encoder ? gst_lmcc_sink_bitrate_get_key_distance (encoder) : 0;

    largest = MAX (largest, distance > 0 ? distance : LMCC_TIME_NONE);
  }
  g_list_free_full (pads, gst_object_unref);
  return largest > 0 ? largest : LMCC_TIME_NONE;
}

/**
 * gst_lmcc_sink_window_choose:
 * @core: the core at the start of a session; called without lock
 * @config: (inout): gets the window and the key-frame interval of the session
 */
void
gst_lmcc_sink_window_choose (GstLmccSinkCore *core, LmccSenderConfig *config)
{
  const GstLmccSinkSettings *settings = &core->settings;
  LmccTime own;

  g_mutex_lock (&core->lock);
  own = core->own_key_distance;
  g_mutex_unlock (&core->lock);
  core->key_interval =
      (LmccTime) MAX (settings->properties.key_unit_interval, 0) * LMCC_MSECOND;
  if (settings->properties.key_unit_interval < 0 && own == 0)
    core->key_interval = settings->profile->key_interval * LMCC_MSECOND;
  core->next_key_unit = core->key_interval;

  config->session.window = settings->window * LMCC_MSECOND;
  if (settings->n_layers == 0 || settings->window > 0)
    return;
  if (own > 0)
    config->key_distance = own;
  else if (core->key_interval > 0)
    config->key_distance = core->key_interval;
  else
    config->key_distance = ask_encoders (core);
  if (own > 0)
    config->session.window =
        MIN (get_own_window (own), LMCC_DEFAULT_SHAPED_WINDOW);
}

/**
 * gst_lmcc_sink_window_tell:
 * @core: the core with a changed session; called by the I/O thread without lock
 */
void
gst_lmcc_sink_window_tell (GstLmccSinkCore *core)
{
  LmccTime before = core->window_told, window;

  g_mutex_lock (&core->sender_lock);
  window = lmcc_sender_get_session (core->sender)->window;
  g_mutex_unlock (&core->sender_lock);
  core->window_told = window;
  if (before == 0 || window == before)
    return;

  GST_INFO_OBJECT (core, "window of %u ms", (guint) (window / LMCC_MSECOND));
  if (window > before)
    GST_ELEMENT_WARNING (core, STREAM, ENCODE,
        (_ ("Key frames are further apart than before: layers of fixed rates "
            "now hold pictures for %u ms instead of %u ms. Receivers freeze "
            "for the difference. Set key-unit-interval, or set window to twice "
            "the key-frame interval plus 400 ms."),
            (guint) (window / LMCC_MSECOND), (guint) (before / LMCC_MSECOND)),
        (NULL));
}
