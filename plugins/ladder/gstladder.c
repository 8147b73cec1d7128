/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "gstx264ladderenc.h"

#include <plugins/common/messages.h>

static gboolean
plugin_init (GstPlugin *plugin)
{
  gst_lmcc_bind_messages ();

  return GST_ELEMENT_REGISTER (x264ladderenc, plugin);
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, lmccladder,
    "Several encodings of one video", plugin_init, PACKAGE_VERSION, GST_LICENSE,
    GST_PACKAGE_NAME, GST_PACKAGE_ORIGIN)
