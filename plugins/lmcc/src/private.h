/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_SRC_PRIVATE_H
#define GST_LMCC_SRC_PRIVATE_H

#include "common/io.h"
#include "common/paths.h"
#include "common/socket.h"
#include "src/lmccsrc.h"
#include "src/output.h"
#include "src/settings.h"

#include <gst/lmcc/lmcc.h>

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (gst_lmcc_src_debug);

/* Tags of the source's descriptors in the I/O thread. The session record is read before
 * the groups, because packets after a change need the new record. */
enum
{
  GST_LMCC_SRC_TAG_HOST,
  GST_LMCC_SRC_TAG_CONTROL,
  GST_LMCC_SRC_TAG_LEARNING,
  GST_LMCC_SRC_TAG_GROUPS,
  GST_LMCC_SRC_N_TAGS = GST_LMCC_SRC_TAG_GROUPS + LMCC_MAX_GROUPS,
};

/* Number of pictures whose timestamps are used to learn their distance. */
#define GST_LMCC_SRC_N_TIMESTAMPS 16

typedef struct _GstLmccSrcCopies GstLmccSrcCopies;

/**
 * GstLmccSrcHost:
 * @readable: whether the kernel has notifications
 * @missing: groups whose join has failed and is retried
 * @lost: bit set of interfaces on which groups must be joined again, because the host
 *     may have forgotten its membership or could not join
 *
 * Times are of g_get_monotonic_time().
 */
typedef struct
{
  gint netlink_fd;
  gboolean readable;
  gboolean missing[LMCC_MAX_GROUPS];
  guint lost;
  gint64 next_look;
  gint64 next_join_warning;
  gint64 next_report_warning;
} GstLmccSrcHost;

/*
 * Threads: the application's threads (properties, state changes); an I/O thread that
 * receives (in PLAYING only; it alone uses the sockets and changes the receiver; several
 * sources can share it); the task of each pad (takes from its queue and pushes).
 *
 * Locks: the object lock protects the settings; `lock` protects the receiver and
 * everything that the application can read of it; the queues have locks of their own. No
 * lock is taken while another is held, and none is held while pushing, posting or
 * notifying.
 */
struct _GstLmccSrc
{
  GstElement parent;

  GstLmccSrcOutput video;
  /* The element only has this pad while the open session has audio. */
  GstLmccSrcOutput sound;
  gint sound_added; /* atomic */
  /* Whether the element only has the video pad while a session is open. */
  gboolean video_appears;
  guint stream_group_id;

  /* object lock */
  GstLmccSrcSettings settings;
  gboolean latency_given; /* by the property itself */
  GstLmccUriTaken uri_taken;
  gchar *uri_error; /* error of the latest URI, or NULL */
  GArray *answers;

  /* Set from READY to PAUSED; then constant until PAUSED to READY */
  LmccAddress address;
  LmccAddress source;
  guint16 port;
  guint buffer_size;
  LmccSettings *algorithm_settings;

  /* Owned by the I/O thread while it has the source, otherwise by the thread that changes
   * the state */
  GstLmccPaths paths;     /* interfaces that groups are joined on */
  GstLmccInterface iface; /* the first usable one */
  GstLmccSrcHost host;
  GstLmccSrcCopies *copies; /* NULL with a single interface */
  gint group_fds[LMCC_MAX_GROUPS];
  guint32 overflows[LMCC_MAX_GROUPS];
  gint control_fd;
  gint report_fd;
  LmccAddress report_address;
  guint16 report_port;
  gint learning_fd;
  gint notice_fd;
  LmccAddress learning_address;
  guint buffer_wanted; /* 0 if unknown */
  guint buffer_got;    /* the minimum of all groups */
  gboolean buffer_overflown;
  gboolean buffer_warned;
  gboolean all_read; /* all received packets were read */
  GArray *actions;
  guint next_action;
  gboolean told_pads;
  gboolean segments_pass;
  gboolean hiding;
  LmccTime segment_start; /* of the segment after the hidden pictures */
  guint32 timestamps[GST_LMCC_SRC_N_TIMESTAMPS];
  guint n_timestamps;
  GstClock *clock;
  LmccTime last_now;
  gboolean started;
  LmccTime last_run;
  LmccTime epoch; /* library time - running time */
  LmccTime latency_told;
  gsize budget_told;
  LmccTime next_stats;

  GstLmccIo *io;
  gint running;          /* atomic */
  gint settings_changed; /* atomic */
  gint enough;           /* atomic: num-buffers of video were output */
  gint ended;            /* atomic: ended until PAUSED to READY */
  gint level;            /* atomic */

  /* lock */
  GMutex lock;
  LmccReceiver *receiver;
  gboolean have_session;
  LmccSession session;
  LmccTime last_latency; /* of the session that has ended */
  LmccReceiverStats past;
  guint64 oversize;
  guint64 copied;
  guint64 report_errors;
  guint64 notices_sent;
  guint64 notice_errors;
  const gchar *reason;
};

/* src/settings.c */
void gst_lmcc_src_set_property (GObject *object, guint id, const GValue *value,
    GParamSpec *pspec);
void gst_lmcc_src_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec);
gboolean
gst_lmcc_src_set_uri (GstLmccSrc *self, const gchar *text, GError **error);
gchar *gst_lmcc_src_get_uri (GstLmccSrc *self);

/* src/open.c: READY to PAUSED and back */
gboolean gst_lmcc_src_open (GstLmccSrc *self);
void gst_lmcc_src_close (GstLmccSrc *self);
gboolean
gst_lmcc_src_open_group (GstLmccSrc *self, guint group, GError **error);
void gst_lmcc_src_close_group (GstLmccSrc *self, guint group);
void gst_lmcc_src_close_fd (GstLmccSrc *self, gint *fd);

/* src/session.c: PAUSED to PLAYING and back */
void gst_lmcc_src_session_init (GstLmccSrc *self);
gboolean gst_lmcc_src_session_start (GstLmccSrc *self);
void gst_lmcc_src_note_end (GstLmccSrc *self);
void gst_lmcc_src_session_stop (GstLmccSrc *self);
LmccTime gst_lmcc_src_get_now (GstLmccSrc *self);
void gst_lmcc_src_end (GstLmccSrc *self);

/* src/receive.c */
void gst_lmcc_src_receive (GstLmccSrc *self);
void gst_lmcc_src_discard (GstLmccSrc *self);

/* src/buffers.c */
void gst_lmcc_src_fit_buffer (GstLmccSrc *self, gint fd);
void gst_lmcc_src_fit_buffers (GstLmccSrc *self);
gsize gst_lmcc_src_get_buffer_room (GstLmccSrc *self);
void gst_lmcc_src_check_buffers (GstLmccSrc *self);

/* src/actions.c: actions of the library */
void gst_lmcc_src_collect_actions (GstLmccSrc *self);
void gst_lmcc_src_perform_actions (GstLmccSrc *self, LmccTime now);

/* src/source.c: choice of the sender */
void
gst_lmcc_src_tell_warning (GstLmccSrc *self, const LmccReceiverAction *action);
void gst_lmcc_src_tell_source_changed (GstLmccSrc *self,
    const LmccReceiverAction *action);
void gst_lmcc_src_tell_source_asked (GstLmccSrc *self,
    const LmccReceiverAction *action);
void gst_lmcc_src_tell_source_beside (GstLmccSrc *self,
    const LmccReceiverAction *action);
gboolean gst_lmcc_src_answer_source (GstLmccSrc *self, const gchar *address,
    gboolean take);
GArray *gst_lmcc_src_new_answers (void);
void gst_lmcc_src_apply_answers (GstLmccSrc *self, LmccTime now);
gchar **gst_lmcc_src_read_codecs (const gchar *text);
const gchar *
gst_lmcc_src_find_codec (const LmccSession *session, const gchar *text);

/* src/copies.c */
GstLmccSrcCopies *gst_lmcc_src_copies_new (void);
gboolean gst_lmcc_src_copies_take (GstLmccSrcCopies *copies,
    const GstLmccDatagram *datagram);

/* src/host.c */
gboolean gst_lmcc_src_host_join_socket (GstLmccSrc *self, gint fd,
    const LmccAddress *group, const LmccAddress *source, GError **error);
gboolean gst_lmcc_src_may_warn (gint64 *next);
void gst_lmcc_src_host_join (GstLmccSrc *self, guint group);
void gst_lmcc_src_host_leave (GstLmccSrc *self, guint group);
void gst_lmcc_src_host_look (GstLmccSrc *self);
void gst_lmcc_src_host_open (GstLmccSrc *self);
void gst_lmcc_src_host_close (GstLmccSrc *self);

/* src/pads.c */
void gst_lmcc_src_mark_caps (GstLmccSrc *self, GstCaps *caps);
void gst_lmcc_src_hide_video (GstLmccSrc *self);
void gst_lmcc_src_show_pads (GstLmccSrc *self);
void gst_lmcc_src_hide_pads (GstLmccSrc *self);

/* src/report.c */
void
gst_lmcc_src_send_report (GstLmccSrc *self, const LmccReceiverAction *action);
void gst_lmcc_src_close_report (GstLmccSrc *self);

/* src/learning.c */
void gst_lmcc_src_open_learning (GstLmccSrc *self, guint group);
void gst_lmcc_src_close_learning (GstLmccSrc *self);
void gst_lmcc_src_send_notice (GstLmccSrc *self, const LmccPacket *packet);

/* src/stats.c */
LmccTime
gst_lmcc_src_get_receiver_stats (GstLmccSrc *self, LmccReceiverStats *stats);
void gst_lmcc_src_describe_control (const LmccReceiverStats *stats,
    LmccTime now, GstStructure *structure);
void gst_lmcc_src_keep_stats (GstLmccSrc *self, LmccTime now);
GstStructure *gst_lmcc_src_create_stats (GstLmccSrc *self);

G_END_DECLS

#endif
