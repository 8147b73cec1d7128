/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The estimated bitrate for the encoder, if all receivers get the base layer at
 * the same rate. */
#include "config.h"

#include "sink/core.h"

#include "sink/bitrate.h"

#include <plugins/common/messages.h>

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

/* Interval of checks, and minimum relative change (1/25): picture quality
 * suffers if the encoder's rate changes all the time. */
#define CHECK_INTERVAL (100 * LMCC_MSECOND)
#define NOTICEABLE 25

static gboolean
is_another (guint64 old, guint64 bitrate)
{
  return MAX (old, bitrate) - MIN (old, bitrate) > old / NOTICEABLE;
}

/* (transfer full) (nullable): encoder of the lowest rung, which contains the
 * base layer */
static GstElement *
find_encoder (GstLmccSinkCore *core)
{
  g_autoptr (GstPad) pad = NULL;
  GList *l;

  g_mutex_lock (&core->lock);
  for (l = core->pads; l && !pad; l = l->next) {
    const GstLmccSinkPad *rung = l->data;

    if (!rung->sound)
      pad = gst_object_ref (rung->pad);
  }
  g_mutex_unlock (&core->lock);
  return pad ? gst_lmcc_sink_bitrate_find_encoder (pad) : NULL;
}

static void
warn_layers (GstLmccSinkCore *core)
{
  GST_ELEMENT_WARNING (core, RESOURCE, SETTINGS,
      (_ ("drive-encoder has no effect with algorithm=%s: receivers choose "
          "layers, and the encoder keeps its own rate. Set algorithm to pgmcc "
          "or tfmcc for one rate that follows the network, or base-algorithm "
          "for a base layer with such a rate and layers above it."),
          core->settings.algorithm),
      (NULL));
}

static void
warn_no_encoder (GstLmccSinkCore *core)
{
  gboolean warned;

  g_mutex_lock (&core->lock);
  warned = core->warned_encoder;
  core->warned_encoder = TRUE;
  g_mutex_unlock (&core->lock);
  if (!warned)
    GST_ELEMENT_WARNING (core, RESOURCE, SETTINGS,
        (_ ("drive-encoder does not support the encoder upstream of lmccsink, "
            "so the rate does not change. Use x264enc, x265enc, openh264enc, "
            "vp8enc, vp9enc, vp9svcenc or j2klayerenc, or connect to the "
            "signal encoder-bitrate.")),
        (NULL));
}

/* Whether to continue: not after the end of the session. */
static gboolean
take_estimate (GstLmccSinkCore *core, guint64 *bitrate)
{
  gboolean taken;

  g_mutex_lock (&core->lock);
  taken = core->running && core->estimate_waits;
  core->estimate_waits = FALSE;
  core->driving = taken;
  *bitrate = core->estimated_bitrate;
  g_mutex_unlock (&core->lock);
  return taken;
}

static void
drive_once (GstLmccSinkCore *core, guint64 bitrate)
{
  g_autoptr (GstElement) encoder = find_encoder (core);
  guint64 most = core->settings.properties.max_bitrate;
  guint64 set = encoder ? gst_lmcc_sink_bitrate_get (encoder) : 0;

  g_mutex_lock (&core->lock);
  if (core->first_bitrate == 0)
    core->first_bitrate = set;
  if (most == 0 && core->first_bitrate > 0)
    most = core->first_bitrate;
  g_mutex_unlock (&core->lock);

  if (most > 0)
    bitrate = MIN (bitrate, most);
  bitrate = MAX (bitrate, core->settings.properties.min_bitrate);
  GST_DEBUG_OBJECT (core,
      "new bitrate of the encoder: %" G_GUINT64_FORMAT " bit/s", bitrate);
  if (core->callbacks.drive (core->callbacks.user_data, encoder, bitrate))
    return;
  if (encoder)
    gst_lmcc_sink_bitrate_set (encoder, bitrate);
  else
    warn_no_encoder (core);
}

/* Runs in a thread of its own, because encoders hold a lock while they encode,
 * which would delay packets. */
static void
drive_encoder (GstElement *element, gpointer user_data G_GNUC_UNUSED)
{
  GstLmccSinkCore *core = GST_LMCC_SINK_CORE (element);
  guint64 bitrate;

  while (take_estimate (core, &bitrate))
    drive_once (core, bitrate);
}

/* Only one thread at a time, so that an older estimate is never set last. It
 * keeps a reference to lmccsink for the callback. */
static void
drive_later (GstLmccSinkCore *core)
{
  GstObject *sink = gst_object_get_parent (GST_OBJECT (core));
  gboolean driving;

  if (sink == NULL)
    return;
  g_mutex_lock (&core->lock);
  driving = core->driving;
  core->driving = TRUE;
  core->estimate_waits = TRUE;
  g_mutex_unlock (&core->lock);
  if (driving)
    gst_object_unref (sink);
  else
    gst_element_call_async (GST_ELEMENT (core), drive_encoder, sink,
        gst_object_unref);
}

/**
 * gst_lmcc_sink_follow_estimate:
 * @core: the core with a sender; called by the I/O thread without lock
 * @now: the time
 *
 * Notifies a changed estimate and sets the encoder's bitrate.
 *
 * Returns: time of the next call, or %LMCC_TIME_NONE
 */
LmccTime
gst_lmcc_sink_follow_estimate (GstLmccSinkCore *core, LmccTime now)
{
  guint64 bitrate;
  gboolean driven, changed;

  if (now < core->next_estimate)
    return core->next_estimate;
  g_mutex_lock (&core->sender_lock);
  driven = !g_str_equal (lmcc_session_get_base_algorithm (
                             lmcc_sender_get_session (core->sender)),
      "none");
  bitrate = lmcc_sender_get_estimated_bitrate (core->sender);
  g_mutex_unlock (&core->sender_lock);
  if (!driven) {
    if (core->settings.properties.drive_encoder)
      warn_layers (core);
    core->next_estimate = LMCC_TIME_NONE;
    return LMCC_TIME_NONE;
  }

  core->next_estimate = now + CHECK_INTERVAL;
  g_mutex_lock (&core->lock);
  changed =
      !core->estimate_told || is_another (core->estimated_bitrate, bitrate);
  if (changed)
    core->estimated_bitrate = bitrate;
  core->estimate_told = TRUE;
  g_mutex_unlock (&core->lock);
  if (!changed)
    return core->next_estimate;

  core->callbacks.changed (core->callbacks.user_data, "estimated-bitrate");
  if (core->settings.properties.drive_encoder)
    drive_later (core);
  return core->next_estimate;
}

/**
 * gst_lmcc_sink_core_get_estimated_bitrate:
 * @core: the core; called without lock
 *
 * Returns: bit/s, 0 if it is unknown or does not apply
 */
guint64
gst_lmcc_sink_core_get_estimated_bitrate (GstLmccSinkCore *core)
{
  guint64 bitrate;

  g_mutex_lock (&core->lock);
  bitrate = core->estimated_bitrate;
  g_mutex_unlock (&core->lock);
  return bitrate;
}
