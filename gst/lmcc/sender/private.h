/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_SENDER_PRIVATE_H
#define LMCC_SENDER_PRIVATE_H

#include <gst/lmcc/lmcc-sender.h>

#include "control/session-algorithm.h"
#include "control/single-rate/sender.h"
#include "measure/report-limit.h"
#include "media/decoder-delay.h"
#include "media/key-alignment.h"
#include "sender/announcer.h"
#include "sender/answers.h"
#include "sender/live-queue.h"
#include "sender/pacer.h"
#include "sender/packetizer.h"
#include "sender/rate-watch.h"
#include "sender/repair-blocks.h"
#include "sender/shaper.h"

G_BEGIN_DECLS

struct _LmccSender
{
  LmccSession session;
  LmccSessionAlgorithms algorithms;     /* the session's, from its start on */
  LmccSenderStats stats;
  guint mtu;
  gsize udp_overhead;
  gboolean stopped;

  LmccAllocator allocator;
  gboolean shaped;
  LmccSchedule schedule;
  gdouble probabilities[LMCC_MAX_LAYERS];       /* of FLID */
  LmccShaper shaper;
  LmccTime sending_until;       /* the last window that was closed */
  GQueue control;               /* of LmccPacket: RTCP that waits for the base */

  LmccPacer pacers[LMCC_MAX_LAYERS];
  LmccTime last_sent[LMCC_MAX_LAYERS];
  guint16 osn;
  LmccReorder reorder[LMCC_MAX_RUNGS];
  guint8 anchors[LMCC_N_STREAMS];

  LmccRepairer repairer;        /* without a plan: there is no repair */
  gsize repair_budget[LMCC_MAX_LAYERS];
  guint n_windows;
  /* Of native allocation: a block is collected for so long, since then. */
  LmccTime repair_block;
  LmccTime repair_since;
  guint repair_base;            /* the base's share, in 1/1000 */

  LmccRateWatch rates;
  LmccAnnouncer announcer;
  LmccPacketizer packetizer;
  LmccKeyAlignment key_alignment;
  LmccTime key_requested;
  LmccFeedback feedback;
  LmccReportLimit report_limit;
  guint64 reports_limited;

  LmccSingleRate single;        /* of the base, where the network sets its rate */
  LmccLiveQueue live_queue;
  struct
  {
    GQueue entries;             /* what the base has not passed */
    guint n_packets;            /* that wait */
    guint16 broken;             /* as in LmccLiveQueue, where the base has passed */
  } above;

  GArray *actions;
  guint actions_taken;
};

/* sender/emit.c: what leaves */
gsize lmcc_sender_send_control (LmccSender * sender, LmccPacket * packet,
    LmccTime now);
gsize lmcc_sender_send_media (LmccSender * sender, guint layer,
    LmccAllotment * allotment, LmccTime due, LmccTime now);
gsize lmcc_sender_send_filler (LmccSender * sender, guint layer,
    gsize payload_size, LmccTime now);
gsize lmcc_sender_send_repair (LmccSender * sender, guint layer,
    LmccPacket * payload, LmccTime now);

void lmcc_sender_session_changed (LmccSender * sender);
void lmcc_sender_announce (LmccSender * sender, LmccTime now);
void lmcc_sender_request_key_unit (LmccSender * sender, LmccTime now);

/* sender/native.c */
void lmcc_sender_init_native (LmccSender * sender);
void lmcc_sender_queue (LmccSender * sender, LmccUnit * unit, gsize bytes,
    LmccTime now);
void lmcc_sender_handle_media (LmccSender * sender, LmccTime now);
void lmcc_sender_handle_native (LmccSender * sender, LmccTime now);
LmccTime lmcc_sender_next_native (const LmccSender * sender);

/* sender/shaped.c */
void lmcc_sender_init_shaped (LmccSender * sender, LmccTime now);
void lmcc_sender_clear_shaped (LmccSender * sender);
void lmcc_sender_flush_shaped (LmccSender * sender);
void lmcc_sender_collect (LmccSender * sender, LmccUnit * unit, gsize bytes,
    LmccTime now);
void lmcc_sender_lose (LmccSender * sender, LmccUnit * unit, LmccTime now);
void lmcc_sender_handle_shaped (LmccSender * sender, LmccTime now);
LmccTime lmcc_sender_next_shaped (const LmccSender * sender);

/* sender/repair.c */
void lmcc_sender_init_repair (LmccSender * sender,
    const LmccSenderConfig * config);
void lmcc_sender_flush_repair (LmccSender * sender);
gboolean lmcc_sender_owes_repair (const LmccSender * sender);
void lmcc_sender_repair_sent (LmccSender * sender, guint layer,
    const LmccAllotment * allotment, LmccPacket * packet, LmccTime now);
gsize lmcc_sender_repair_share (const LmccSender * sender, guint layer,
    gsize bytes);
void lmcc_sender_get_repair_budget (const LmccSender * sender,
    const LmccPour * pour, const gsize * reserve, const gsize * more,
    LmccRepairBudget * budget);
void lmcc_sender_plan_repair (LmccSender * sender);
LmccPacket *lmcc_sender_take_repair (LmccSender * sender,
    const LmccOpportunity * opportunity);
void lmcc_sender_end_repair_block (LmccSender * sender, LmccTime now);
LmccPacket *lmcc_sender_take_due_repair (LmccSender * sender, guint layer,
    LmccTime now);
LmccTime lmcc_sender_next_repair (const LmccSender * sender);

/* sender/repair-reserve.c */
void lmcc_sender_reserve_repair (LmccSender * sender, LmccTime end);

/* sender/driven-base.c */
void lmcc_sender_init_single (LmccSender * sender, gdouble hysteresis,
    LmccTime now);
void lmcc_sender_clear_single (LmccSender * sender);
gboolean lmcc_sender_admit_single (LmccSender * sender, const LmccUnit * unit,
    LmccTime now);
LmccTime lmcc_sender_next_single (const LmccSender * sender, guint layer,
    LmccTime due);
gboolean lmcc_sender_fills_single (const LmccSender * sender, guint layer);
LmccTime lmcc_sender_get_filler_interval (const LmccSender * sender,
    guint layer);
LmccTime lmcc_sender_next_single_timeout (const LmccSender * sender);
void lmcc_sender_handle_single (LmccSender * sender, LmccTime now);
gboolean lmcc_sender_take_single_report (LmccSender * sender, LmccTime now,
    const LmccAddress * source, guint16 port, const guint8 * data, gsize size);
void lmcc_sender_get_single_stats (const LmccSender * sender,
    LmccSenderStats * stats);

/* sender/above-base.c */
gboolean lmcc_sender_has_single_rate (const LmccSender * sender);
gboolean lmcc_sender_has_layers_above (const LmccSender * sender);
void lmcc_sender_flush_above (LmccSender * sender);
void lmcc_sender_note_base (LmccSender * sender, const LmccUnit * unit);
void lmcc_sender_base_leaves (LmccSender * sender,
    const LmccQueuedUnit * queued);
void lmcc_sender_push_above (LmccSender * sender, LmccQueuedUnit * queued);
void lmcc_sender_release_above (LmccSender * sender, LmccTime now);
guint16 lmcc_sender_next_number (const LmccSender * sender, guint layer);

/* sender/reports.c */
void lmcc_sender_init_feedback (LmccSender * sender, LmccTime now,
    guint32 secret);
void lmcc_sender_clear_feedback (LmccSender * sender);
LmccPacket *lmcc_sender_take_answer (LmccSender * sender, LmccTime now);
void lmcc_sender_handle_feedback (LmccSender * sender, LmccTime now);
LmccTime lmcc_sender_next_feedback (const LmccSender * sender);
void lmcc_sender_get_feedback_stats (const LmccSender * sender,
    LmccSenderStats * stats);

G_END_DECLS

#endif
