/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Format parameters of a stream, as in the a=fmtp line of an SDP. */
#include "config.h"

#include "sink/core.h"

#include <gst/sdp/sdp.h>
#include <string.h>

#define GST_CAT_DEFAULT gst_lmcc_sink_debug

/**
 * gst_lmcc_sink_read_parameters:
 * @caps: caps of an RTP stream
 *
 * Returns: (transfer full) (nullable): the text after the payload type in
 * a=fmtp; %NULL without parameters
 */
gchar *
gst_lmcc_sink_read_parameters (GstCaps *caps)
{
  GstSDPMedia *media = NULL;
  const gchar *fmtp = NULL;
  gchar *parameters = NULL;

  gst_sdp_media_new (&media);
  if (gst_sdp_media_set_media_from_caps (caps, media) == GST_SDP_OK)
    fmtp = gst_sdp_media_get_attribute_val (media, "fmtp");
  if (fmtp != NULL && strchr (fmtp, ' ') != NULL)
    parameters = g_strdup (strchr (fmtp, ' ') + 1);
  gst_sdp_media_free (media);
  return parameters;
}

/**
 * gst_lmcc_sink_pad_take_parameters:
 * @core: the core; called without lock
 * @rung: a video pad
 * @caps: its new caps
 *
 * Parameter sets may become known or change during the session; the description
 * is then written again.
 */
void
gst_lmcc_sink_pad_take_parameters (GstLmccSinkCore *core, GstLmccSinkPad *rung,
    GstCaps *caps)
{
  gchar *parameters = gst_lmcc_sink_read_parameters (caps);

  g_mutex_lock (&core->lock);
  if (g_strcmp0 (parameters, rung->video_parameters) != 0) {
    gchar *before = rung->video_parameters;

    rung->video_parameters = g_steal_pointer (&parameters);
    parameters = before;
    core->parameters_changed = TRUE;
    gst_lmcc_sink_wake (core);
  }
  g_mutex_unlock (&core->lock);
  g_free (parameters);
}

/**
 * gst_lmcc_sink_dup_parameters:
 * @core: the core; called without lock
 *
 * Returns: (transfer full) (nullable): those of the lowest rung, which players
 * without support for layers play
 */
gchar *
gst_lmcc_sink_dup_parameters (GstLmccSinkCore *core)
{
  gchar *parameters = NULL;
  GList *l;

  g_mutex_lock (&core->lock);
  for (l = core->pads; l && parameters == NULL; l = l->next) {
    GstLmccSinkPad *rung = l->data;

    if (!rung->sound && rung->stream == 0)
      parameters = g_strdup (rung->video_parameters);
  }
  core->parameters_changed = FALSE;
  g_mutex_unlock (&core->lock);
  return parameters;
}
