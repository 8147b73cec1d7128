/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_H
#define LMCC_H

#include <gst/lmcc/lmcc-address.h>
#include <gst/lmcc/lmcc-algorithm.h>
#include <gst/lmcc/lmcc-classify.h>
#include <gst/lmcc/lmcc-clock.h>
#include <gst/lmcc/lmcc-gate.h>
#include <gst/lmcc/lmcc-header.h>
#include <gst/lmcc/lmcc-layer-account.h>
#include <gst/lmcc/lmcc-loss-intervals.h>
#include <gst/lmcc/lmcc-merge.h>
#include <gst/lmcc/lmcc-packet.h>
#include <gst/lmcc/lmcc-rates.h>
#include <gst/lmcc/lmcc-receiver.h>
#include <gst/lmcc/lmcc-rtcp.h>
#include <gst/lmcc/lmcc-rtp.h>
#include <gst/lmcc/lmcc-sdp.h>
#include <gst/lmcc/lmcc-sender.h>
#include <gst/lmcc/lmcc-session.h>
#include <gst/lmcc/lmcc-smoothing.h>
#include <gst/lmcc/lmcc-tcp-model.h>
#include <gst/lmcc/lmcc-types.h>
#include <gst/lmcc/lmcc-unit.h>

#endif
