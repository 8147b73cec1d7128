/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "gstj2klayerenc.h"
#include "gstrtpj2klayerdepay.h"
#include "gstrtpj2klayerpay.h"

#include <plugins/common/messages.h>

static gboolean
plugin_init (GstPlugin *plugin)
{
  gboolean registered = FALSE;

  gst_lmcc_bind_messages ();
  registered |= GST_ELEMENT_REGISTER (j2klayerenc, plugin);
  registered |= GST_ELEMENT_REGISTER (rtpj2klayerdepay, plugin);
  registered |= GST_ELEMENT_REGISTER (rtpj2klayerpay, plugin);

  return registered;
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, lmccj2k,
    "JPEG 2000 quality layers", plugin_init, PACKAGE_VERSION, GST_LICENSE,
    GST_PACKAGE_NAME, GST_PACKAGE_ORIGIN)
