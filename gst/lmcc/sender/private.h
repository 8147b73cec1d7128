/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_PRIVATE_H
#define LMCC_SENDER_PRIVATE_H

#include <gst/lmcc/lmcc-sender.h>

#include "control/session-algorithm.h"
#include "sender/above-base.h"
#include "sender/allocator.h"
#include "sender/driven-base.h"
#include "sender/emit.h"
#include "sender/intake.h"
#include "sender/key-requests.h"
#include "sender/paced.h"
#include "sender/rate-watch.h"
#include "sender/repair.h"
#include "sender/reports.h"
#include "sender/rivals.h"
#include "sender/shaped.h"
#include "sender/trains.h"

G_BEGIN_DECLS

/**
 * LmccSender:
 * @session: the session as in its record
 * @stats: the counters
 * @stopped: only copies of the BYE are sent from now on
 * @shaped: layers have fixed rates
 * @levels: how levels are built from rungs
 * @udp_overhead: size of the IP and UDP headers in bytes
 * @allocator: assigns units to layers; holds the layers' queues
 * @rates: measured rates of the layers
 * @trains: packets that are sent before they are due
 * @osn: the order sequence number of the next packet
 *
 * The sender's shared state, followed by its parts. Each part is used only by the file
 * that its header belongs to.
 */
struct _LmccSender
{
  LmccSession session;
  LmccSessionAlgorithms
      algorithms; /* algorithms of the session, set at its start */
  LmccSenderStats stats;
  gboolean stopped;
  gboolean shaped;
  LmccLevels levels;
  gsize udp_overhead;
  LmccAllocator allocator;
  LmccRateWatch rates;
  LmccTrains trains;
  guint16 osn;

  LmccSenderIntake intake;
  LmccSenderShaped windows;
  LmccSenderPacing pacing;
  LmccSenderReporting reporting;
  LmccSenderKeyRequests key_requests;
  LmccSenderRivals rivals;
  LmccSenderDriven driven;
  LmccSenderAbove above;
  LmccSenderRepair repair;
  LmccSenderOutput output;
};

G_END_DECLS

#endif
