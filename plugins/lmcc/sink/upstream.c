/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Finds the elements upstream of lmccsink. */
#include "config.h"

#include "sink/upstream.h"

#include <string.h>

/* Maximum number of parsers, queues, caps filters and bins between the encoder
 * and the sink. */
#define MAX_STEPS 64

/* (transfer full) (nullable): the sink pad that feeds a source pad */
static GstPad *
find_input (GstPad *src)
{
  GstIterator *links = gst_pad_iterate_internal_links (src);
  GValue value = G_VALUE_INIT;
  GstPad *found = NULL;

  if (links && gst_iterator_next (links, &value) == GST_ITERATOR_OK) {
    found = g_value_dup_object (&value);
    g_value_unset (&value);
  }
  if (links)
    gst_iterator_free (links);
  return found;
}

/* (transfer full) (nullable): a source pad one step up from @sink */
static GstPad *
go_up (GstPad *sink)
{
  GstPad *peer = gst_pad_get_peer (sink);
  GstPad *inner;

  while (peer && GST_IS_GHOST_PAD (peer)) {
    inner = gst_ghost_pad_get_target (GST_GHOST_PAD (peer));
    gst_object_unref (peer);
    peer = inner;
  }
  /* Continues inside a bin's sink pad. */
  if (peer && GST_IS_PROXY_PAD (peer)) {
    GstProxyPad *ghost = gst_proxy_pad_get_internal (GST_PROXY_PAD (peer));

    gst_object_unref (peer);
    peer = ghost ? go_up (GST_PAD (ghost)) : NULL;
    gst_clear_object (&ghost);
  }
  return peer;
}

/**
 * gst_lmcc_sink_find_upstream:
 * @sink: a sink pad
 * @matches: condition for the element
 *
 * Returns: (transfer full) (nullable): the nearest matching element upstream of
 * it, also inside bins
 */
GstElement *
gst_lmcc_sink_find_upstream (GstPad *sink, GstLmccSinkMatch matches)
{
  GstPad *at = gst_object_ref (sink);
  GstElement *found = NULL;
  guint i;

  for (i = 0; at && !found && i < MAX_STEPS; i++) {
    g_autoptr (GstPad) src = go_up (at);

    gst_clear_object (&at);
    if (src == NULL)
      break;
    found = gst_pad_get_parent_element (src);
    if (found && !matches (found))
      gst_clear_object (&found);
    at = find_input (src);
  }
  gst_clear_object (&at);
  return found;
}

static gboolean
is_encoder (GstElement *element)
{
  const gchar *klass =
      gst_element_get_metadata (element, GST_ELEMENT_METADATA_KLASS);

  return klass && strstr (klass, "Encoder") != NULL;
}

/**
 * gst_lmcc_sink_find_encoder:
 * @sink: a sink pad
 *
 * Returns: (transfer full) (nullable): the encoder upstream of it, of any kind
 */
GstElement *
gst_lmcc_sink_find_encoder (GstPad *sink)
{
  return gst_lmcc_sink_find_upstream (sink, is_encoder);
}

/**
 * gst_lmcc_sink_get_factory_name:
 * @element: an element
 *
 * Returns: (transfer none): for example "x264enc"; "" if no factory made it
 */
const gchar *
gst_lmcc_sink_get_factory_name (GstElement *element)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return factory ? GST_OBJECT_NAME (factory) : "";
}
