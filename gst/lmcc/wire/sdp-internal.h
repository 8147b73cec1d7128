/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_WIRE_SDP_INTERNAL_H
#define LMCC_WIRE_SDP_INTERNAL_H

#include <gst/lmcc/lmcc-sdp.h>

/* A value that the description omits, according to docs/developers/wire-format.md. */
#define LMCC_SDP_NO_ALGORITHM "none"

/* The contents of a layer if the description does not name them: in a native session
 * the next class of the layer below, otherwise any. */
static inline void
lmcc_sdp_expect_layer (gboolean native, guint index, const LmccLayer *below,
    LmccLayer *layer)
{
  layer->stream = LMCC_STREAM_NONE;
  layer->klass = LMCC_CLASS_MIXED;
  if (!native)
    return;
  layer->stream = index == 0 ? 0 : below->stream;
  layer->klass = index == 0 ? 0 : MIN (below->klass + 1, LMCC_CLASS_MIXED);
}

/* Number of rungs that the layers mention, at least one. */
static inline guint
lmcc_sdp_expect_rungs (const LmccSession *session)
{
  guint n_rungs = 1, i;

  for (i = 0; i < session->n_layers; i++) {
    if (session->layers[i].stream < LMCC_MAX_RUNGS)
      n_rungs = MAX (n_rungs, session->layers[i].stream + 1u);
  }

  return n_rungs;
}

gchar *lmcc_sdp_write (const LmccSession *session, LmccSdpForm form,
    const LmccSdpDetails *details, gboolean second_element);

#endif
