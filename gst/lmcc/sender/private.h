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
 * @session: as its record says
 * @stats: the counters
 * @stopped: nothing but copies of the BYE is sent any more
 * @shaped: layers have fixed rates
 * @levels: which layers levels have, where the rungs say it
 * @udp_overhead: bytes of IP and UDP headers
 * @allocator: which layer a unit is for; what waits in the layers
 * @rates: what the layers send
 * @trains: what leaves before it is due
 * @osn: the order sequence number of the next packet
 *
 * What all files share, and the parts: each is touched by the file of its
 * header's name only.
 */
struct _LmccSender
{
  LmccSession session;
  LmccSessionAlgorithms algorithms; /* the session's, from its start on */
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
