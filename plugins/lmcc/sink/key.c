/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Requests key frames at the same pictures of all rungs from the encoders. */
#include "config.h"

#include "sink/core.h"

#include <gst/video/video.h>

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

/* Raw video that encoders may have taken beyond their latency, in queues. */
#define ENCODER_LEAD (500 * LMCC_MSECOND)

/**
 * gst_lmcc_sink_encoder_position:
 * @core: the core; called without lock
 *
 * Returns: a running time that no encoder's input has reached yet, estimated
 * from their output and latency
 */
LmccTime
gst_lmcc_sink_encoder_position (GstLmccSinkCore *core)
{
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  GstClockTime min = 0, max;
  LmccTime newest = GST_LMCC_TIME_BIAS;
  gboolean live;
  GList *l;

  if (gst_element_query (GST_ELEMENT (core), query))
    gst_query_parse_latency (query, &live, &min, &max);
  g_mutex_lock (&core->lock);
  for (l = core->pads; l; l = l->next) {
    const GstLmccSinkPad *rung = l->data;

    if (!rung->sound)
      newest = MAX (newest, rung->newest);
  }
  g_mutex_unlock (&core->lock);
  return newest - GST_LMCC_TIME_BIAS + min + ENCODER_LEAD;
}

/**
 * gst_lmcc_sink_request_key_unit:
 * @core: the core; called without lock
 * @running_time: earliest time of the key frame
 */
void
gst_lmcc_sink_request_key_unit (GstLmccSinkCore *core, LmccTime running_time)
{
  GList *pads, *l;

  GST_DEBUG_OBJECT (core, "key unit at %" GST_TIME_FORMAT,
      GST_TIME_ARGS (running_time));
  core->requested_key_unit = running_time;
  pads = gst_lmcc_sink_list_pads (GST_ELEMENT (core));
  for (l = pads; l; l = l->next)
    gst_pad_push_event (l->data,
        gst_video_event_new_upstream_force_key_unit (running_time, TRUE, 0));
  g_list_free_full (pads, gst_object_unref);
}
