/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_SRC_PSPECS_H
#define GST_LMCC_SRC_PSPECS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* The properties of lmccsrc. */
enum
{
  PROP_0,
  PROP_URI,
  PROP_ADDRESS,
  PROP_PORT,
  PROP_MULTICAST_IFACE,
  PROP_MULTICAST_SOURCE,
  PROP_SDP,
  PROP_LATENCY,
  PROP_TIMEOUT,
  PROP_MAX_LEVEL,
  PROP_MAX_BITRATE,
  PROP_MAX_MEMORY,
  PROP_ALGORITHM,
  PROP_ALGORITHM_SETTINGS,
  PROP_RTT_MODE,
  PROP_RTT,
  PROP_ALLOW_LOW_FEEDBACK_PORT,
  PROP_ON_LOSS,
  PROP_SOURCE_POLICY,
  PROP_CODECS,
  PROP_BUFFER_SIZE,
  PROP_LEVEL,
  PROP_BITRATE,
  PROP_STATS,
  PROP_STATS_UPDATE_INTERVAL,
  N_PROPS
};

extern GParamSpec *gst_lmcc_src_properties[N_PROPS];

void gst_lmcc_src_install_pspecs (GObjectClass * object_class);

G_END_DECLS

#endif
