/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Warns once if encoder settings prevent useful layers. */
#include "config.h"

#include "sink/core.h"
#include "sink/encoder-advice.h"
#include "sink/upstream.h"

#include <plugins/common/messages.h>

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

/* After this time a stream with several classes has shown them. */
#define ADVICE_TIME (5 * LMCC_SECOND)

/* (transfer full) (nullable): pad of the only rung */
static GstPad *
get_rung_pad (GstLmccSinkCore *core)
{
  GstPad *pad = NULL;
  GList *l;

  g_mutex_lock (&core->lock);
  for (l = core->pads; l && !pad; l = l->next) {
    const GstLmccSinkPad *rung = l->data;

    if (!rung->sound)
      pad = gst_object_ref (rung->pad);
  }
  g_mutex_unlock (&core->lock);
  return pad;
}

static void
advise_native (GstLmccSinkCore *core, const LmccSession *session)
{
  const LmccCodec *codec = lmcc_codec_find (session->video.encoding_name);
  g_autoptr (GstPad) pad = NULL;
  g_autoptr (GstElement) encoder = NULL;
  g_autofree gchar *advice = NULL;
  gboolean own;

  if (session->n_layers > 1)
    return;
  pad = get_rung_pad (core);
  encoder = pad ? gst_lmcc_sink_find_encoder (pad) : NULL;
  g_mutex_lock (&core->lock);
  own = core->own_key_distance > 0;
  g_mutex_unlock (&core->lock);
  advice = gst_lmcc_sink_advise_encoder (encoder, own,
      gst_lmcc_sink_is_live (core), codec);
  GST_ELEMENT_WARNING (core, STREAM, ENCODE,
      (_ ("The stream has one class only, so the session has one layer and "
          "receivers cannot adapt. %s"),
          advice),
      (NULL));
}

static void
advise_key_frames (GstLmccSinkCore *core, const LmccSession *session,
    const LmccSenderStats *stats)
{
  guint rung;

  for (rung = 0; rung < session->n_rungs; rung++) {
    guint level = stats->key_levels[rung];

    if (level == lmcc_session_count_levels (session))
      GST_ELEMENT_WARNING (core, STREAM, ENCODE,
          (_ ("The key frames of rung %u do not fit into all layers together. "
              "Increase base-rate or layers, or set a lower bitrate or a "
              "longer key-frame interval on its encoder."),
              rung),
          (NULL));
    else if (rung == 0 && level > 0)
      GST_ELEMENT_WARNING (core, STREAM, ENCODE,
          (_ ("The key frames of the lowest rung do not fit into the levels "
              "below %u: receivers at these levels get no pictures. Increase "
              "base-rate, or set a lower bitrate or a longer key-frame "
              "interval on the encoder."),
              level),
          (NULL));
  }
}

static void
advise_shaped (GstLmccSinkCore *core, const LmccSession *session,
    const LmccSenderStats *stats)
{
  if (stats->windows_cut > 0)
    GST_ELEMENT_WARNING (core, STREAM, ENCODE,
        (_ ("Key frames are too far apart for a window of %u ms: with fixed "
            "rates, pictures of a level then depend on pictures outside that "
            "level. Set window to twice the key-frame interval plus 400 ms, or "
            "set a shorter key-frame interval on the encoder (x264enc: "
            "key-int-max)."),
            (guint) (session->window / LMCC_MSECOND)),
        (NULL));
  advise_key_frames (core, session, stats);
}

/**
 * gst_lmcc_sink_advise_requests:
 * @core: the core; called without lock
 *
 * Called when key frames are requested from the encoders. Warns once if they do
 * not respond.
 */
void
gst_lmcc_sink_advise_requests (GstLmccSinkCore *core)
{
  g_autoptr (GstPad) pad = NULL;
  g_autoptr (GstElement) encoder = NULL;
  g_autofree gchar *advice = NULL;
  gboolean is_deaf;

  if (core->deafness_told)
    return;
  g_mutex_lock (&core->sender_lock);
  is_deaf = lmcc_sender_get_stats (core->sender)->key_units_unanswered > 0;
  g_mutex_unlock (&core->sender_lock);
  if (!is_deaf)
    return;
  core->deafness_told = TRUE;
  pad = get_rung_pad (core);
  encoder = pad ? gst_lmcc_sink_find_encoder (pad) : NULL;
  advice = gst_lmcc_sink_advise_key_distance (encoder);
  GST_ELEMENT_WARNING (core, STREAM, ENCODE,
      (_ ("The encoder sent no key frame within 4 s of a request. Receivers "
          "that join show no picture until the next key frame. %s"),
          advice),
      (NULL));
}

/**
 * gst_lmcc_sink_advise:
 * @core: the core; called without lock
 * @now: the time
 *
 * Returns: time of the next call, or %LMCC_TIME_NONE
 */
LmccTime
gst_lmcc_sink_advise (GstLmccSinkCore *core, LmccTime now)
{
  g_autofree LmccSession *session = NULL;
  g_autofree LmccSenderStats *stats = NULL;
  LmccTime when = core->session_start + ADVICE_TIME;

  if (core->advised)
    return LMCC_TIME_NONE;
  if (core->settings.n_layers > 0)
    when += core->settings.window * LMCC_MSECOND > 0
        ? core->settings.window * LMCC_MSECOND
        : LMCC_DEFAULT_SHAPED_WINDOW;
  if (now < when)
    return when;

  core->advised = TRUE;
  g_mutex_lock (&core->sender_lock);
  session =
      g_memdup2 (lmcc_sender_get_session (core->sender), sizeof (*session));
  stats = g_memdup2 (lmcc_sender_get_stats (core->sender), sizeof (*stats));
  g_mutex_unlock (&core->sender_lock);
  if (lmcc_session_has_single_rate (session))
    return LMCC_TIME_NONE;
  if (session->native)
    advise_native (core, session);
  else
    advise_shaped (core, session, stats);
  return LMCC_TIME_NONE;
}
