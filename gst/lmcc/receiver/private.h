/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_PRIVATE_H
#define LMCC_RECEIVER_PRIVATE_H

#include <gst/lmcc/lmcc-receiver.h>
#include "control/controller.h"
#include "measure/link-loss.h"
#include "measure/reordering.h"
#include "receiver/allowance.h"
#include "receiver/actions.h"
#include "receiver/circuit-breaker.h"
#include "receiver/ending.h"
#include "receiver/gate/gate.h"
#include "receiver/join-notices.h"
#include "receiver/key-requests.h"
#include "receiver/layer.h"
#include "receiver/membership.h"
#include "receiver/memory.h"
#include "receiver/merge.h"
#include "receiver/nap.h"
#include "receiver/order.h"
#include "receiver/presentation-clock.h"
#include "receiver/pump.h"
#include "receiver/reports.h"
#include "receiver/rung-switch.h"
#include "receiver/sound.h"
#include "receiver/sources.h"
#include "repair/decoder.h"
#include "wire/levels.h"
#include "wire/rtcp.h"

G_BEGIN_DECLS

struct _LmccReceiver
{
  LmccReceiverConfig config;
  gboolean any_algorithm;      /* use the session's algorithm */
  const LmccAlgorithm *chosen; /* or this one; NULL: not known here */
  LmccSettings *settings;
  LmccSession *sdp_session; /* or NULL */

  gboolean running;
  gboolean have_session;
  LmccSession session;
  LmccSession reckoned;    /* the session, with the rates that algorithms see */
  gboolean session_is_old; /* from a previous sender: any record is newer */
  gboolean have_older;     /* the latest record was older than the session */
  guint32 older_revision;
  LmccAddress source;
  gboolean source_gone;
  LmccTime
      heard_since; /* when the present sender, or the latest one, was first heard */
  LmccReceiverGoodbye goodbye;
  LmccTime last_heard;
  LmccTime last_any;
  LmccTime timeout_posted;
  LmccTime waiting_since; /* LMCC_TIME_NONE: a sender is heard, or the wait was
                           * reported */
  const gchar *waiting_reason;
  gboolean any_media;   /* since then, from any host */
  gboolean any_refused; /* since then, because of its codec */
  LmccTime started_at;

  LmccReceiverSources sources;
  gchar **codecs; /* accepted beside the usual ones, or NULL */
  LmccTime now;   /* time of the latest call */
  LmccReceiverAllowance allowance;

  LmccController *controller;
  LmccController *base_controller; /* if the base layer has its own algorithm */
  LmccCircuitBreaker breaker;
  guint64 units_before; /* at the start of the statistics interval */
  guint64 missing_before;
  LmccReceiverLearning learning;
  gint level;
  LmccLayerSet held; /* the layers of the level */
  LmccLayerSet
      leaving; /* layers that were left and whose waiting packets are still to
                         * be passed on */
  LmccLayerSet
      merge_layers; /* the merge's layers: more than @held while packets of
                              * left layers are still output */
  LmccRungSwitch rung_switch;
  LmccReceiverMembership membership;
  LmccReordering reordering;
  LmccOrderMark latest_order; /* of any layer */
  LmccReceiverLayer
      *layers[LMCC_MAX_LAYERS]; /* NULL: neither joined nor measured
                                               * recently */
  LmccMerge *merge;
  LmccGate *gate;
  LmccRepairDecoder *repair;
  LmccClock *clock;
  LmccRecordAssembler *assembler;

  LmccReceiverReporting reporting;
  LmccLinkLoss *link_loss; /* if the sender asks for losses */
  LmccReceiverKeyRequests key_requests;
  LmccReceiverNaps naps;
  LmccReceiverDelivery delivery;
  LmccReceiverSound sound;
  LmccReceiverMemory memory;
  LmccDiscard discard;
  LmccTime stats_time;
  guint64 received_before;
  guint64 lost_before;
  LmccReceiverStats stats;
  LmccReceiverActions actions;
};

G_END_DECLS

#endif
