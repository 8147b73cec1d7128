/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include <plugins/common/layer-meta.h>
#include <plugins/common/messages.h>

#include "gstrtpvp9svcpay.h"
#include "gstvp9svcenc.h"
#include "gstvp9svcmeta.h"

static gboolean
plugin_init (GstPlugin *plugin)
{
  gboolean registered = FALSE;

  gst_lmcc_bind_messages ();
  gst_lmcc_layer_meta_register ();
  gst_vp9_svc_meta_register ();
  registered |= GST_ELEMENT_REGISTER (vp9svcenc, plugin);
  registered |= GST_ELEMENT_REGISTER (rtpvp9svcpay, plugin);

  return registered;
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, lmccsvc,
    "Scalable video encoders and payloaders", plugin_init, PACKAGE_VERSION,
    GST_LICENSE, GST_PACKAGE_NAME, GST_PACKAGE_ORIGIN)
