/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_H
#define LMCC_H

#include <gst/lmcc/lmcc-address.h>
#include <gst/lmcc/lmcc-algorithm.h>
#include <gst/lmcc/lmcc-circuit-breaker.h>
#include <gst/lmcc/lmcc-classify.h>
#include <gst/lmcc/lmcc-clock.h>
#include <gst/lmcc/lmcc-deaf-period.h>
#include <gst/lmcc/lmcc-dynamic-layering.h>
#include <gst/lmcc/lmcc-feedback-timer.h>
#include <gst/lmcc/lmcc-gate.h>
#include <gst/lmcc/lmcc-header.h>
#include <gst/lmcc/lmcc-increase-probabilities.h>
#include <gst/lmcc/lmcc-increase-signals.h>
#include <gst/lmcc/lmcc-join-backoff.h>
#include <gst/lmcc/lmcc-ladder.h>
#include <gst/lmcc/lmcc-layer-account.h>
#include <gst/lmcc/lmcc-layer-entry.h>
#include <gst/lmcc/lmcc-loss-intervals.h>
#include <gst/lmcc/lmcc-loss.h>
#include <gst/lmcc/lmcc-markov.h>
#include <gst/lmcc/lmcc-merge.h>
#include <gst/lmcc/lmcc-message-limit.h>
#include <gst/lmcc/lmcc-packet.h>
#include <gst/lmcc/lmcc-pgmcc-receiver.h>
#include <gst/lmcc/lmcc-pgmcc-sender.h>
#include <gst/lmcc/lmcc-pgmcc-wire.h>
#include <gst/lmcc/lmcc-quality-watch.h>
#include <gst/lmcc/lmcc-rates.h>
#include <gst/lmcc/lmcc-receive-rate.h>
#include <gst/lmcc/lmcc-receiver.h>
#include <gst/lmcc/lmcc-repair-code.h>
#include <gst/lmcc/lmcc-repair-decoder.h>
#include <gst/lmcc/lmcc-repair-encoder.h>
#include <gst/lmcc/lmcc-repair-payload.h>
#include <gst/lmcc/lmcc-repair-chances.h>
#include <gst/lmcc/lmcc-repair-plan.h>
#include <gst/lmcc/lmcc-rtcp.h>
#include <gst/lmcc/lmcc-rtp.h>
#include <gst/lmcc/lmcc-rtt.h>
#include <gst/lmcc/lmcc-sdp.h>
#include <gst/lmcc/lmcc-second-element.h>
#include <gst/lmcc/lmcc-sender.h>
#include <gst/lmcc/lmcc-session-algorithm.h>
#include <gst/lmcc/lmcc-session.h>
#include <gst/lmcc/lmcc-settings.h>
#include <gst/lmcc/lmcc-shared-learning.h>
#include <gst/lmcc/lmcc-slot-clock.h>
#include <gst/lmcc/lmcc-slow-start.h>
#include <gst/lmcc/lmcc-smoothing.h>
#include <gst/lmcc/lmcc-subscription.h>
#include <gst/lmcc/lmcc-sync-points.h>
#include <gst/lmcc/lmcc-tcp-model.h>
#include <gst/lmcc/lmcc-tfmcc-receiver.h>
#include <gst/lmcc/lmcc-tfmcc-sender.h>
#include <gst/lmcc/lmcc-tfmcc-wire.h>
#include <gst/lmcc/lmcc-types.h>
#include <gst/lmcc/lmcc-unit.h>
#include <gst/lmcc/lmcc-virtual-packets.h>

#endif
