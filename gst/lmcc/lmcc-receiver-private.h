/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_PRIVATE_H
#define LMCC_RECEIVER_PRIVATE_H

#include "lmcc-algorithm.h"
#include "lmcc-circuit-breaker.h"
#include "lmcc-clock.h"
#include "lmcc-dynamic-layering.h"
#include "lmcc-feedback-timer.h"
#include "lmcc-layer-entry.h"
#include "lmcc-layer-holes.h"
#include "lmcc-merge.h"
#include "lmcc-receiver.h"
#include "lmcc-repair-decoder.h"
#include "lmcc-rtcp.h"
#include "lmcc-shared-learning.h"
#include "lmcc-slot-clock.h"

G_BEGIN_DECLS

/* SSRC = S0 + kind + 64 stream + layer. */
#define LMCC_SSRC_SOUND (64u * LMCC_STREAM_SOUND)
#define LMCC_SSRC_FILLER 0x800u

/* Of so many holes that were given up, repair that comes late is recognized. */
#define LMCC_GIVEN_UP 256

/* A packet that waits for its place in the layer sequence. */
typedef struct
{
  LmccPacket *packet;
  LmccRtp rtp;
  LmccHeader header;
  LmccTime deadline;            /* when it waits no longer for repair */
  gboolean recovered;
  gboolean noted;               /* in the layer's holes */
} LmccReceiverWaiting;

/* The sound is given out in the order of its own sequence numbers. */
typedef struct
{
  gboolean any;
  guint16 received;             /* sequence number of the latest packet */
  guint16 sequence;             /* as given out */
} LmccReceiverSound;

/* Of one compound packet, a report for each timeline. */
typedef struct
{
  gboolean have[LMCC_N_TIMELINES];
  LmccSenderReport report[LMCC_N_TIMELINES];
} LmccReceiverReports;

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

typedef struct
{
  LmccLayerAccount *account;
  GQueue waiting;               /* of LmccReceiverWaiting, by LSN */
  LmccTime due;                 /* the earliest deadline among these */
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
  guint64 smoothed_rate;        /* what max-bitrate is held against */
  LmccTime smoothed_at;
} LmccReceiverLayer;

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

  /* Another sender on the same groups: the next one, once this one is gone. */
  gboolean have_candidate;
  LmccSession candidate;
  LmccAddress candidate_source;
  LmccReceiverReports candidate_reports;
  LmccTime candidate_heard;
  LmccRecordAssembler *candidate_assembler;

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
  gboolean warned_unanswered;
  gboolean warned_elsewhere;
  gboolean warned_unwanted;

  guint16 sequence;
  gboolean delivered_any;
  LmccReceiverSound sound;
  LmccTime latest_time;         /* of the latest picture delivered */
  LmccTime hidden_since;        /* of the first picture that is hidden */
  LmccTime stats_time;
  guint64 received_before;
  guint64 lost_before;
  LmccReceiverStats stats;
  GQueue actions;
};

/* lmcc-receiver.c: what all parts use */
LmccReceiverAction *lmcc_receiver_queue_action (LmccReceiver * receiver,
    LmccReceiverActionType type);
void lmcc_receiver_drop (LmccReceiver * receiver, LmccDrop kind);
void lmcc_receiver_post_waiting (LmccReceiver * receiver, const gchar * reason,
    LmccTime now);

/* lmcc-receiver-session.c: which sender, which session, which level */
void lmcc_receiver_adopt (LmccReceiver * receiver, const LmccAddress * source,
    const LmccSession * session, LmccTime now);
void lmcc_receiver_take_session (LmccReceiver * receiver,
    const LmccSession * session, LmccTime now);
gboolean lmcc_receiver_adopt_candidate (LmccReceiver * receiver,
    LmccTime now);
void lmcc_receiver_take_reports (LmccReceiver * receiver,
    const LmccReceiverReports * reports, LmccTime now);
void lmcc_receiver_source_is_gone (LmccReceiver * receiver,
    const gchar * reason, LmccTime now);
void lmcc_receiver_forget_source (LmccReceiver * receiver,
    const gchar * reason, LmccTime now);
gboolean lmcc_receiver_source_allowed (const LmccReceiver * receiver,
    const LmccAddress * source);
gboolean lmcc_receiver_is_own_source (const LmccReceiver * receiver,
    const LmccAddress * source, guint32 ssrc);
void lmcc_receiver_heard_source (LmccReceiver * receiver, LmccTime now);
void lmcc_receiver_join (LmccReceiver * receiver, guint group, LmccTime now);
void lmcc_receiver_leave (LmccReceiver * receiver, guint group, LmccTime now);
void lmcc_receiver_update_level (LmccReceiver * receiver, LmccTime now);
void lmcc_receiver_follow_merge (LmccReceiver * receiver);

/* lmcc-receiver-membership.c: which groups for which level */
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

/* lmcc-receiver-controller.c: the algorithm's ears */
void lmcc_receiver_create_controller (LmccReceiver * receiver, LmccTime now);
void lmcc_receiver_clear_controller (LmccReceiver * receiver);
gboolean lmcc_receiver_needs_sender (const LmccReceiver * receiver);
void lmcc_receiver_tell_packet (LmccReceiver * receiver, LmccTime now,
    LmccTime arrival, const LmccRtp * rtp, const LmccHeader * header,
    gsize size);
void lmcc_receiver_tell_expected (LmccReceiver * receiver, LmccTime now,
    guint layer, guint16 lsn, LmccTime since, guint slot);
void lmcc_receiver_tell_refused_packet (LmccReceiver * receiver, LmccTime now,
    const LmccHeader * header);
void lmcc_receiver_tell_loss (LmccReceiver * receiver, LmccTime now,
    guint layer, LmccTime loss_time);
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
gboolean lmcc_receiver_check_breaker (LmccReceiver * receiver, LmccTime now);
LmccPacket *lmcc_receiver_poll_report (LmccReceiver * receiver, LmccTime now);
void lmcc_receiver_tell_leave (LmccReceiver * receiver, LmccTime now);
void lmcc_receiver_run_controller (LmccReceiver * receiver, LmccTime now);
LmccTime lmcc_receiver_next_controller_timeout (const LmccReceiver * receiver);
void lmcc_receiver_get_controller_stats (const LmccReceiver * receiver,
    LmccTime now, LmccReceiverStats * stats);

/* lmcc-receiver-rtt.c: the round-trip time, and reports to the sender */
void lmcc_receiver_init_rtt (LmccReceiver * receiver);
void lmcc_receiver_clear_rtt (LmccReceiver * receiver);
void lmcc_receiver_forget_rtt (LmccReceiver * receiver);
void lmcc_receiver_follow_session_rtt (LmccReceiver * receiver, LmccTime now);
void lmcc_receiver_packet_rtt (LmccReceiver * receiver, LmccTime now,
    LmccTime arrival, const LmccHeader * header);
void lmcc_receiver_join_rtt (LmccReceiver * receiver, LmccTime now,
    guint layer, LmccTime elapsed);
void lmcc_receiver_answer_rtt (LmccReceiver * receiver, LmccTime now,
    const LmccDlrr * answer);
void lmcc_receiver_send_reports (LmccReceiver * receiver, LmccTime now);
void lmcc_receiver_handle_rtt (LmccReceiver * receiver, LmccTime now);
LmccTime lmcc_receiver_next_rtt (const LmccReceiver * receiver);
void lmcc_receiver_get_rtt_stats (const LmccReceiver * receiver,
    LmccReceiverStats * stats);

/* lmcc-receiver-learning.c: what receivers tell each other */
void lmcc_receiver_update_learning (LmccReceiver * receiver);
void lmcc_receiver_share_join (LmccReceiver * receiver, LmccTime now);

/* lmcc-receiver-media.c: from packets to the merged stream */
void lmcc_receiver_layer_reset (LmccReceiverLayer * layer);
LmccTime lmcc_receiver_release_deadline (const LmccReceiver * receiver,
    const LmccRtp * rtp, const LmccHeader * header);
void lmcc_receiver_pump (LmccReceiver * receiver, LmccTime now);
LmccTime lmcc_receiver_presentation_time (LmccReceiver * receiver,
    LmccTimeline timeline, const LmccRtp * rtp, const LmccHeader * header);
guint lmcc_receiver_count_gap (guint lost);

/* lmcc-receiver-sound.c: the stream beside the pictures */
LmccTimeline lmcc_receiver_timeline (const LmccHeader * header);
guint32 lmcc_receiver_clock_rate (const LmccReceiver * receiver,
    LmccTimeline timeline);
void lmcc_receiver_take_sound (LmccReceiver * receiver, LmccPacket * packet,
    const LmccRtp * rtp, const LmccHeader * header);

/* lmcc-receiver-waiting.c: a layer's packets in order */
void lmcc_receiver_clear_waiting (LmccReceiverLayer * layer);
gboolean lmcc_receiver_find_waiting (LmccReceiverLayer * layer,
    const LmccHeader * header, gboolean * fits);
void lmcc_receiver_add_waiting (LmccReceiver * receiver,
    LmccReceiverLayer * layer, LmccReceiverWaiting * waiting);
void lmcc_receiver_flush_before (LmccReceiver * receiver, guint16 osn);
void lmcc_receiver_flush_waiting (LmccReceiver * receiver,
    LmccReceiverLayer * layer);
void lmcc_receiver_settle (LmccReceiver * receiver, guint layer, LmccTime now);

/* lmcc-receiver-repair.c: what was lost and comes back */
void lmcc_receiver_note_settled (LmccReceiver * receiver,
    LmccReceiverLayer * layer);
gboolean lmcc_receiver_awaits_repair (LmccReceiver * receiver,
    LmccReceiverLayer * layer, const LmccReceiverWaiting * waiting);
void lmcc_receiver_give_up_before (LmccReceiver * receiver,
    LmccReceiverLayer * layer, LmccReceiverWaiting * waiting);
void lmcc_receiver_count_recovered (LmccReceiver * receiver,
    const LmccHeader * header, gboolean in_time);
void lmcc_receiver_keep_for_repair (LmccReceiver * receiver,
    LmccPacket * packet, const LmccRtp * rtp, const LmccHeader * header,
    LmccTime now);
gboolean lmcc_receiver_take_late (LmccReceiver * receiver, LmccPacket * packet,
    const LmccRtp * rtp, const LmccHeader * header, LmccTime now);
void lmcc_receiver_get_repair_stats (const LmccReceiver * receiver,
    LmccReceiverStats * stats);

G_END_DECLS

#endif
