/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_H
#define LMCC_H

#include <gst/lmcc/lmcc-address-claims.h>
#include <gst/lmcc/lmcc-address.h>
#include <gst/lmcc/lmcc-algorithm.h>
#include <gst/lmcc/lmcc-classify.h>
#include <gst/lmcc/lmcc-controller.h>
#include <gst/lmcc/lmcc-packet.h>
#include <gst/lmcc/lmcc-rates.h>
#include <gst/lmcc/lmcc-receiver.h>
#include <gst/lmcc/lmcc-sdp.h>
#include <gst/lmcc/lmcc-sender.h>
#include <gst/lmcc/lmcc-session-algorithm.h>
#include <gst/lmcc/lmcc-session.h>
#include <gst/lmcc/lmcc-settings.h>
#include <gst/lmcc/lmcc-types.h>
#include <gst/lmcc/lmcc-unit.h>

#endif
