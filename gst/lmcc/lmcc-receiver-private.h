/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_RECEIVER_PRIVATE_H
#define LMCC_RECEIVER_PRIVATE_H

#include "lmcc-algorithm.h"
#include "lmcc-clock.h"
#include "lmcc-merge.h"
#include "lmcc-receiver.h"
#include "lmcc-rtcp.h"

G_BEGIN_DECLS

/* SSRC = S0 + kind + 64 stream + layer; S0's low bits are zero. */
#define LMCC_SSRC_BASE_MASK 0xfffff000u
#define LMCC_SSRC_SOUND (64u * LMCC_STREAM_SOUND)
#define LMCC_SSRC_REPAIR 0x400u
#define LMCC_SSRC_FILLER 0x800u

/* A packet that waits for its place in the layer sequence. */
typedef struct
{
  LmccPacket *packet;
  LmccRtp rtp;
  LmccHeader header;
} LmccReceiverWaiting;

typedef struct
{
  gboolean joined;
  LmccTime joined_at;
  gboolean heard;
  LmccTime last_packet;
} LmccReceiverGroup;

typedef struct
{
  LmccLayerAccount *account;
  GQueue waiting;               /* of LmccReceiverWaiting, by LSN */
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
  LmccSession sdp_session;
  gboolean have_sdp;

  gboolean running;
  gboolean have_session;
  LmccSession session;
  gboolean session_is_old;      /* of a sender before this one: any record is
                                 * newer */
  LmccAddress source;
  gboolean source_gone;
  LmccTime last_heard;
  LmccTime last_any;
  LmccTime timeout_posted;
  LmccTime started_at;

  /* Another sender on the same groups: the next one, once this one is gone. */
  gboolean have_candidate;
  LmccSession candidate;
  LmccAddress candidate_source;
  LmccSenderReport candidate_report;
  LmccTime candidate_heard;
  LmccRecordAssembler *candidate_assembler;

  LmccController *controller;
  gint level;
  LmccReceiverGroup groups[LMCC_MAX_GROUPS];
  LmccReceiverLayer layers[LMCC_MAX_LAYERS];
  LmccMerge *merge;
  LmccGate *gate;
  LmccClock *clock;
  LmccRecordAssembler *assembler;

  guint16 sequence;
  gboolean delivered_any;
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
void lmcc_receiver_post_waiting (LmccReceiver * receiver, const gchar * reason);

/* lmcc-receiver-session.c: which sender, which session, which level */
void lmcc_receiver_adopt (LmccReceiver * receiver, const LmccAddress * source,
    const LmccSession * session, LmccTime now);
void lmcc_receiver_take_session (LmccReceiver * receiver,
    const LmccSession * session, LmccTime now);
gboolean lmcc_receiver_adopt_candidate (LmccReceiver * receiver,
    LmccTime now);
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
void lmcc_receiver_leave (LmccReceiver * receiver, guint group);
void lmcc_receiver_update_level (LmccReceiver * receiver, LmccTime now);

/* lmcc-receiver-media.c: from packets to the merged stream */
void lmcc_receiver_layer_reset (LmccReceiverLayer * layer);
void lmcc_receiver_settle (LmccReceiver * receiver, guint layer, LmccTime now);
void lmcc_receiver_pump (LmccReceiver * receiver, LmccTime now);

G_END_DECLS

#endif
