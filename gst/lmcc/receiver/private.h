/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_PRIVATE_H
#define LMCC_RECEIVER_PRIVATE_H

#include <gst/lmcc/lmcc-algorithm.h>
#include <gst/lmcc/lmcc-receiver.h>
#include "base/memory.h"
#include "control/controller.h"
#include "control/slots/dynamic-layering.h"
#include "control/slots/slot-clock.h"
#include "measure/loss.h"
#include "measure/report-timer.h"
#include "measure/rtt.h"
#include "receiver/circuit-breaker.h"
#include "receiver/gate/gate.h"
#include "receiver/layer-account.h"
#include "receiver/layer-entry.h"
#include "receiver/layer-holes.h"
#include "receiver/merge.h"
#include "receiver/message-limit.h"
#include "receiver/presentation-clock.h"
#include "receiver/probation.h"
#include "receiver/sources.h"
#include "receiver/waiting-queue.h"
#include "repair/decoder.h"
#include "wire/join-notice.h"
#include "wire/rtcp.h"

G_BEGIN_DECLS

/* SSRC = S0 + kind + 64 stream + layer; repair names the last two. */
#define LMCC_SSRC_SOUND (64u * LMCC_STREAM_SOUND)
#define LMCC_SSRC_FILLER 0x800u
#define LMCC_SSRC_LAYER_MASK 0x3fu
#define LMCC_SSRC_STREAM_SHIFT 6

/* Of so many holes that were given up, repair that comes late is recognized. */
#define LMCC_GIVEN_UP 256

/* The sound is given out in the order of its own sequence numbers. */
typedef struct
{
  gboolean any;
  guint16 received;             /* sequence number of the latest packet */
  guint16 sequence;             /* as given out */
} LmccReceiverSound;

typedef struct
{
  gboolean joined;
  gboolean ahead;               /* for the next slot */
  guint slot;                   /* that it was joined for */
  LmccTime joined_at;
  gboolean heard;
  LmccTime last_packet;
  LmccTime left_at;             /* 0: never */
} LmccReceiverGroup;

/* What a layer carries, as sent: over the latest second, smoothed. */
typedef struct
{
  gboolean running;             /* the layer is held, and a packet came */
  gboolean whole;               /* the first second has passed */
  LmccTime since;               /* the running second, and the counters then */
  guint64 received;
  guint64 bytes;
  guint64 lost;
  guint64 rate;                 /* bit/s; 0: not known */
  LmccTime at;                  /* when it was measured */
} LmccLayerMeasure;

typedef struct
{
  LmccLayerAccount *account;
  LmccProbation probation;
  LmccWaitingQueue waiting;
  LmccLayerHoles holes;
  guint16 given_up[LMCC_GIVEN_UP];      /* holes, the latest */
  guint n_given_up;
  gboolean repair_begun;        /* of the block of the two below */
  guint16 repair_source;        /* as the latest repair packet had them */
  guint16 repair_first;
  gboolean merged_any;
  guint16 merged_lsn;           /* latest that went to the merge */
  guint lost_before;            /* a jump of the sequence hides so many */
  guint64 bytes_before;         /* at the start of the statistics interval */
  guint64 rate;                 /* over the last interval, bit/s */
  LmccLayerMeasure measure;
  guint64 smoothed_rate;        /* what max-bitrate is held against */
  LmccTime smoothed_at;
} LmccReceiverLayer;

/* Kinds of warnings: of each, one is posted in LMCC_MESSAGE_INTERVAL. */
typedef enum
{
  LMCC_WARNING_ALGORITHM,
  LMCC_WARNING_SETTINGS,
  LMCC_WARNING_OBSTACLE,
  LMCC_WARNING_LAYERING,
  LMCC_WARNING_LEAVES,
  LMCC_WARNING_LEARNING,
  LMCC_WARNING_ELSEWHERE,
  LMCC_WARNING_UNANSWERED,
  LMCC_WARNING_CODEC,
  LMCC_WARNING_UNBOUNDED,
  LMCC_N_WARNINGS,
} LmccWarning;

/* What is given up where the budget is full, in this order. */
typedef enum
{
  LMCC_MEMORY_STEP_HISTORY,
  LMCC_MEMORY_STEP_LAYER,
  LMCC_MEMORY_STEP_PACKETS,
  LMCC_N_MEMORY_STEPS,
} LmccMemoryStep;

/* What a receiver holds, in bytes. */
typedef struct
{
  LmccMemory *count;
  gsize outside;                /* of what was delivered */
  gsize budget;                 /* for both */
  gsize peak;
  guint64 taken;                /* of packets that came since the rate was
                                 * measured */
  guint64 rate;                 /* each second, over the last interval */
  gint cap;                     /* highest level that there is room for */
  LmccTime cap_until;
  LmccTime hold;                /* how long the present one lasts */
  LmccTime raised_at;
  gsize most;                   /* held at once, since the cap is as it is */
  LmccMessageLimit limits[LMCC_N_MEMORY_STEPS];
} LmccReceiverMemory;

/* Reasons to wait, of which each is a kind of message. */
#define LMCC_N_WAITING_REASONS 4

struct _LmccReceiver
{
  LmccReceiverConfig config;
  gchar *algorithm;
  LmccSettings *settings;
  LmccSession sdp_session;
  gboolean have_sdp;

  gboolean running;
  gboolean have_session;
  LmccSession session;
  LmccSession reckoned;         /* the same, with the rates that algorithms see */
  gboolean session_is_old;      /* of a sender before this one: any record is
                                 * newer */
  gboolean have_older;          /* the latest record was older than the session */
  guint32 older_revision;
  LmccAddress source;
  gboolean source_gone;
  LmccTime last_heard;
  LmccTime last_any;
  LmccTime timeout_posted;
  LmccTime waiting_since;       /* none: a sender is heard, or it is told */
  gboolean any_media;           /* since then, whosever */
  LmccTime started_at;

  LmccReceiverSources sources;
  gchar **codecs;               /* beside the usual ones, or NULL */
  LmccTime now;                 /* of the latest call */
  LmccMessageLimit warning_limits[LMCC_N_WARNINGS];
  LmccMessageLimit unheard_limit;
  const gchar *waiting_reasons[LMCC_N_WAITING_REASONS];
  LmccMessageLimit waiting_limits[LMCC_N_WAITING_REASONS];
  guint n_interned;

  LmccController *controller;
  LmccController *base_controller;      /* where the base has an algorithm of its own */
  LmccCircuitBreaker breaker;
  guint64 units_before;         /* at the start of the statistics interval */
  guint64 missing_before;
  guint control_group;          /* of shared learning, 0 for none */
  LmccNoticeLimit notice_limit;
  LmccTime next_notice;
  gint level;
  gint merge_level;             /* as the merge has it: higher while packets of
                                 * layers that were left come out */
  LmccDynamicLayering layering;
  gboolean no_layering;         /* the session's makes no sense */
  LmccSlotClock *slots;         /* of dynamic layering, else NULL */
  guint slot;                   /* whose groups are held */
  LmccTime join_lead;
  LmccLayerEntries entries;
  LmccReceiverGroup groups[LMCC_MAX_GROUPS];
  guint groups_end;             /* the highest that is joined, and one */
  LmccReceiverLayer layers[LMCC_MAX_LAYERS];
  LmccMerge *merge;
  LmccGate *gate;
  LmccRepairDecoder *repair;
  LmccClock *clock;
  LmccRecordAssembler *assembler;

  guint32 ssrc;                 /* of its reports */
  LmccRtt *rtt;
  LmccFeedbackTimer *feedback_timer;
  LmccTime told_rtt;            /* what the algorithm knows, 0 for nothing */
  LmccTime base_heard;          /* the base's latest packet, 0 for none yet */
  LmccTime base_silent;         /* when the base's latest silence ended */
  gboolean warned_unanswered;
  gboolean warned_elsewhere;
  gboolean warned_unwanted;

  guint16 sequence;
  gboolean delivered_any;
  LmccReceiverSound sound;
  LmccTime latest_time;         /* of the latest picture delivered */
  LmccTime hidden_since;        /* of the first picture that is hidden */
  LmccReceiverMemory memory;
  LmccTime stats_time;
  guint64 received_before;
  guint64 lost_before;
  LmccReceiverStats stats;
  GQueue actions;
};

/* receiver/actions.c: what it says, and what was dropped */
LmccReceiverAction *lmcc_receiver_queue_action (LmccReceiver * receiver,
    LmccReceiverActionType type);
void lmcc_receiver_clear_actions (LmccReceiver * receiver);
void lmcc_receiver_drop (LmccReceiver * receiver, LmccDrop kind);
guint lmcc_receiver_count_gap (guint lost);
const gchar *lmcc_receiver_intern (LmccReceiver * receiver,
    const gchar * text, const gchar * instead);
void lmcc_receiver_warn (LmccReceiver * receiver, LmccWarning kind,
    const gchar * reason);
void lmcc_receiver_post_waiting (LmccReceiver * receiver, const gchar * reason,
    LmccTime now);
void lmcc_receiver_post_unheard (LmccReceiver * receiver, LmccTime now);
LmccTime lmcc_receiver_next_unheard (const LmccReceiver * receiver);

/* receiver/times.c: when pictures are due, and packets go out */
LmccTimeline lmcc_receiver_timeline (const LmccHeader * header);
guint32 lmcc_receiver_clock_rate (const LmccReceiver * receiver,
    LmccTimeline timeline);
void lmcc_receiver_take_reports (LmccReceiver * receiver,
    const LmccReceiverReports * reports, LmccTime now);
LmccTime lmcc_receiver_release_deadline (const LmccReceiver * receiver,
    const LmccRtp * rtp, const LmccHeader * header);
LmccTime lmcc_receiver_presentation_time (LmccReceiver * receiver,
    LmccTimeline timeline, const LmccRtp * rtp, const LmccHeader * header);

/* receiver/source-and-level.c: which sender, which session, which level */
gboolean lmcc_receiver_take_session (LmccReceiver * receiver,
    const LmccSession * session, LmccTime now);
void lmcc_receiver_forget_source (LmccReceiver * receiver,
    const gchar * reason, LmccTime now);
gboolean lmcc_receiver_source_allowed (const LmccReceiver * receiver,
    const LmccAddress * source);
gboolean lmcc_receiver_is_own_source (const LmccReceiver * receiver,
    const LmccAddress * source, guint32 ssrc);
void lmcc_receiver_heard_source (LmccReceiver * receiver, LmccTime now);
void lmcc_receiver_update_level (LmccReceiver * receiver, LmccTime now);
void lmcc_receiver_follow_merge (LmccReceiver * receiver);
void lmcc_receiver_drop_left_layers (LmccReceiver * receiver);

/* receiver/memory.c: what is held stays within a budget */
void lmcc_receiver_init_memory (LmccReceiver * receiver);
void lmcc_receiver_clear_memory (LmccReceiver * receiver);
void lmcc_receiver_reset_memory (LmccReceiver * receiver);
void lmcc_receiver_update_budget (LmccReceiver * receiver);
gboolean lmcc_receiver_memory_fits (const LmccReceiver * receiver);
void lmcc_receiver_count_taken (LmccReceiver * receiver,
    const LmccPacket * packet);
LmccPacket *lmcc_receiver_count_packet (LmccReceiver * receiver,
    LmccPacket * packet);
void lmcc_receiver_lower_cap (LmccReceiver * receiver, LmccTime now);
void lmcc_receiver_update_memory (LmccReceiver * receiver, LmccTime span,
    LmccTime now);
gint lmcc_receiver_get_memory_level (const LmccReceiver * receiver);
void lmcc_receiver_get_memory_stats (const LmccReceiver * receiver,
    LmccReceiverStats * stats);

/* receiver/memory-full.c: what is given up for it */
gboolean lmcc_receiver_admit (LmccReceiver * receiver,
    const LmccPacket * packet, LmccTime now);

/* receiver/door.c: what is let in */
gboolean lmcc_receiver_admits (LmccReceiver * receiver,
    const LmccSession * session);
gboolean lmcc_receiver_read_record (LmccReceiver * receiver,
    LmccRecordAssembler * assembler, const LmccRecordFragment * fragment,
    LmccSession * session);
gboolean lmcc_receiver_packet_fits (const LmccSession * session,
    const LmccRtp * rtp, const LmccHeader * header);
gboolean lmcc_receiver_packet_belongs (LmccReceiver * receiver,
    const LmccAddress * source, const LmccRtp * rtp, const LmccHeader * header);

/* receiver/sources.c: who the sender is */
gboolean lmcc_receiver_adopt (LmccReceiver * receiver,
    const LmccAddress * source, const LmccSession * session,
    const gchar * reason, LmccTime now);

/* receiver/rates.c: what the layers carry */
void lmcc_receiver_reckon_rates (LmccReceiver * receiver, LmccTime now);
void lmcc_receiver_measure_packet (LmccReceiver * receiver, guint index,
    LmccTime now);
void lmcc_receiver_measure_silence (LmccReceiver * receiver, LmccTime now);
void lmcc_receiver_end_measure (LmccReceiverLayer * layer);
void lmcc_receiver_forget_measure (LmccReceiverLayer * layer);

/* receiver/membership.c: which groups for which level */
void lmcc_receiver_join (LmccReceiver * receiver, guint group, LmccTime now);
void lmcc_receiver_leave (LmccReceiver * receiver, guint group, LmccTime now);
void lmcc_receiver_rejoin_silent (LmccReceiver * receiver, LmccTime now);
LmccTime lmcc_receiver_next_rejoin (const LmccReceiver * receiver);
void lmcc_receiver_take_layering (LmccReceiver * receiver);
void lmcc_receiver_clear_layering (LmccReceiver * receiver);
gint lmcc_receiver_group_layer (const LmccReceiver * receiver, guint slot,
    guint group);
void lmcc_receiver_update_groups (LmccReceiver * receiver, LmccTime now);
void lmcc_receiver_change_groups (LmccReceiver * receiver, gint from,
    LmccTime now);
void lmcc_receiver_expect_packets (LmccReceiver * receiver, LmccTime now,
    LmccTime arrival, const LmccHeader * header);
void lmcc_receiver_packet_slot (LmccReceiver * receiver, LmccTime arrival,
    const LmccHeader * header);
void lmcc_receiver_handle_slot (LmccReceiver * receiver, LmccTime now);
LmccTime lmcc_receiver_next_slot (const LmccReceiver * receiver);
void lmcc_receiver_check_leave (LmccReceiver * receiver, guint group,
    LmccTime now);
void lmcc_receiver_measure_join (LmccReceiver * receiver, LmccTime now,
    const LmccReceiverGroup * group, const LmccHeader * header,
    gboolean after_gap);

/* receiver/algorithm.c: the algorithm's ears */
void lmcc_receiver_create_controller (LmccReceiver * receiver, LmccTime now);
void lmcc_receiver_clear_controller (LmccReceiver * receiver);
gboolean lmcc_receiver_needs_sender (const LmccReceiver * receiver);
void lmcc_receiver_tell_packet (LmccReceiver * receiver, LmccTime now,
    LmccTime arrival, const LmccRtp * rtp, const LmccHeader * header,
    gsize size);
void lmcc_receiver_tell_expected (LmccReceiver * receiver, LmccTime now,
    guint layer, guint16 lsn, LmccTime since, guint slot);
void lmcc_receiver_tell_waiting_packet (LmccReceiver * receiver, LmccTime now,
    guint layer);
void lmcc_receiver_tell_refused_packet (LmccReceiver * receiver, LmccTime now,
    const LmccHeader * header);
void lmcc_receiver_tell_loss (LmccReceiver * receiver, LmccTime now,
    guint layer, const LmccLoss * loss);
void lmcc_receiver_tell_left_packet (LmccReceiver * receiver, LmccTime now,
    LmccTime arrival, guint layer);
void lmcc_receiver_tell_join_lead (LmccReceiver * receiver, LmccTime now);
void lmcc_receiver_tell_neighbour_join (LmccReceiver * receiver, LmccTime now,
    guint level);
void lmcc_receiver_tell_level (LmccReceiver * receiver, LmccTime now);
void lmcc_receiver_tell_session (LmccReceiver * receiver, LmccTime now);
void lmcc_receiver_tell_rtt (LmccReceiver * receiver, LmccTime now,
    LmccTime rtt);
void lmcc_receiver_tell_quality (LmccReceiver * receiver, LmccTime now);
LmccPacket *lmcc_receiver_poll_report (LmccReceiver * receiver, LmccTime now);
const gchar *lmcc_receiver_poll_reason_to_leave (LmccReceiver * receiver,
    LmccTime now);
gboolean lmcc_receiver_tell_leave (LmccReceiver * receiver);
void lmcc_receiver_tell_timeout (LmccReceiver * receiver, LmccTime now);
LmccTime lmcc_receiver_next_controller_timeout (const LmccReceiver * receiver);
void lmcc_receiver_get_controller_stats (const LmccReceiver * receiver,
    LmccTime now, LmccReceiverStats * stats);

/* receiver/reports.c: the round-trip time, and reports to the sender */
void lmcc_receiver_init_rtt (LmccReceiver * receiver);
void lmcc_receiver_clear_rtt (LmccReceiver * receiver);
void lmcc_receiver_forget_rtt (LmccReceiver * receiver);
void lmcc_receiver_follow_session_rtt (LmccReceiver * receiver, LmccTime now);
void lmcc_receiver_packet_rtt (LmccReceiver * receiver, LmccTime now,
    LmccTime arrival, const LmccHeader * header);
void lmcc_receiver_join_rtt (LmccReceiver * receiver, LmccTime now,
    guint layer, LmccTime arrival, LmccTime joined_at);
void lmcc_receiver_answer_rtt (LmccReceiver * receiver, LmccTime now,
    const LmccDlrr * answer);
void lmcc_receiver_send_reports (LmccReceiver * receiver, LmccTime now);
void lmcc_receiver_handle_rtt (LmccReceiver * receiver, LmccTime now);
LmccTime lmcc_receiver_next_rtt (const LmccReceiver * receiver);
void lmcc_receiver_get_rtt_stats (const LmccReceiver * receiver,
    LmccReceiverStats * stats);

/* receiver/join-notices.c: what receivers tell each other */
void lmcc_receiver_update_learning (LmccReceiver * receiver);
void lmcc_receiver_share_join (LmccReceiver * receiver, LmccTime now);

/* receiver/packets.c: what comes */
void lmcc_receiver_take_believed (LmccReceiver * receiver, guint layer,
    LmccTime now);

/* receiver/pump.c: what goes out */
void lmcc_receiver_pump (LmccReceiver * receiver, LmccTime now);

/* receiver/sound.c: the stream beside the pictures */
void lmcc_receiver_take_sound (LmccReceiver * receiver, LmccPacket * packet,
    const LmccRtp * rtp, const LmccHeader * header);

/* receiver/layer-queue.c: a layer's packets in order */
void lmcc_receiver_layer_reset (LmccReceiverLayer * layer);
gboolean lmcc_receiver_find_waiting (LmccReceiverLayer * layer,
    const LmccHeader * header, gboolean * fits);
void lmcc_receiver_add_waiting (LmccReceiver * receiver,
    LmccReceiverLayer * layer, LmccReceiverWaiting * waiting);
void lmcc_receiver_queue_packet (LmccReceiver * receiver,
    LmccReceiverLayer * layer, LmccPacket * packet, const LmccRtp * rtp,
    const LmccHeader * header);
void lmcc_receiver_take_rest (LmccReceiver * receiver, guint layer);
void lmcc_receiver_flush_before (LmccReceiver * receiver, guint16 osn);
void lmcc_receiver_flush_waiting (LmccReceiver * receiver,
    LmccReceiverLayer * layer);
void lmcc_receiver_settle (LmccReceiver * receiver, guint layer, LmccTime now);

/* receiver/missing.c: what a layer lacks */
gboolean lmcc_receiver_has_repair (const LmccReceiver * receiver);
void lmcc_receiver_note_settled (LmccReceiver * receiver,
    LmccReceiverLayer * layer);
gboolean lmcc_receiver_awaits_repair (LmccReceiver * receiver,
    LmccReceiverLayer * layer, const LmccReceiverWaiting * waiting);
void lmcc_receiver_give_up_before (LmccReceiver * receiver,
    LmccReceiverLayer * layer, LmccReceiverWaiting * waiting);
void lmcc_receiver_count_recovered (LmccReceiver * receiver,
    const LmccHeader * header, gboolean in_time);
void lmcc_receiver_count_late (LmccReceiver * receiver,
    LmccReceiverLayer * layer, const LmccHeader * header);

/* receiver/repair.c: what was lost and comes back */
void lmcc_receiver_keep_for_repair (LmccReceiver * receiver,
    LmccPacket * packet, const LmccRtp * rtp, const LmccHeader * header,
    LmccTime now);
gboolean lmcc_receiver_take_late (LmccReceiver * receiver, LmccPacket * packet,
    const LmccRtp * rtp, const LmccHeader * header, LmccTime now);
void lmcc_receiver_get_repair_stats (const LmccReceiver * receiver,
    LmccReceiverStats * stats);

G_END_DECLS

#endif
