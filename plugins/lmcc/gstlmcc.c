/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "common/rtphdrextlmcclayer.h"
#include "sink/lmccsink.h"
#include "src/depay.h"
#include "src/lmccsrc.h"

#include <plugins/common/layer-meta.h>
#include <plugins/common/messages.h>

static gboolean
plugin_init (GstPlugin *plugin)
{
  gboolean registered = FALSE;

  gst_lmcc_bind_messages ();
  gst_lmcc_layer_meta_register ();
  registered |= GST_ELEMENT_REGISTER (lmccsink, plugin);
  registered |= GST_ELEMENT_REGISTER (lmccsrc, plugin);
  registered |= GST_ELEMENT_REGISTER (lmccdepay, plugin);
  registered |= GST_ELEMENT_REGISTER (rtphdrextlmcclayer, plugin);

  return registered;
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, lmcc,
    "Layered multicast video", plugin_init, PACKAGE_VERSION, GST_LICENSE,
    GST_PACKAGE_NAME, GST_PACKAGE_ORIGIN)
