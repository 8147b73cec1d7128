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

/* What the I/O thread calls the source's descriptors. The record is read before
 * the groups: packets of a new table are understood with it. */
enum
{
  GST_LMCC_SRC_TAG_HOST,
  GST_LMCC_SRC_TAG_CONTROL,
  GST_LMCC_SRC_TAG_LEARNING,
  GST_LMCC_SRC_TAG_GROUPS,
  GST_LMCC_SRC_N_TAGS = GST_LMCC_SRC_TAG_GROUPS + LMCC_MAX_GROUPS,
};

/* Pictures whose timestamps are looked at to learn their distance. */
#define GST_LMCC_SRC_N_TIMESTAMPS 16

typedef struct _GstLmccSrcCopies GstLmccSrcCopies;

/**
 * GstLmccSrcHost:
 * @readable: the kernel has something to tell
 * @missing: groups that are to be joined and are not
 * @lost: bit set of the interfaces: groups are to be joined again there, as
 *     the host may have forgotten that it is a member, or could not be one
 *
 * Times of g_get_monotonic_time().
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
 * Threads: the application's (properties, state changes), an I/O thread that
 * receives (in PLAYING only, alone with the sockets and the receiver's changes;
 * other sources may have the same one), each pad's task (takes from its queue
 * and pushes).
 *
 * Locks: the object lock guards the settings; `lock` guards the receiver and what
 * the application may ask of it; the queues have their own. None is taken while
 * another is held, and none is held while pushing, posting or notifying.
 */
struct _GstLmccSrc
{
  GstElement parent;

  GstLmccSrcOutput video;
  /* Its pad is the element's while the session that is open has sound. */
  GstLmccSrcOutput sound;
  gint sound_added; /* atomic */
  /* Its pad is the element's only then, too. */
  gboolean video_appears;
  guint stream_group_id;

  /* object lock */
  GstLmccSrcSettings settings;
  gboolean latency_given; /* by its property */
  GstLmccUriTaken uri_taken;
  gchar *uri_error; /* what was wrong with it, or NULL */
  GArray *answers;

  /* READY to PAUSED sets them; then constant until PAUSED to READY */
  LmccAddress address;
  LmccAddress source;
  guint16 port;
  guint buffer_size;
  LmccSettings *algorithm_settings;

  /* the I/O thread while it has the source, else the thread that changes the
   * state */
  GstLmccPaths paths;     /* the interfaces that groups are joined on */
  GstLmccInterface iface; /* the first of them that can be used */
  GstLmccSrcHost host;
  GstLmccSrcCopies *copies; /* or NULL: there is one interface */
  gint group_fds[LMCC_MAX_GROUPS];
  guint32 overflows[LMCC_MAX_GROUPS];
  gint control_fd;
  gint report_fd;
  LmccAddress report_address;
  guint16 report_port;
  gint learning_fd;
  gint notice_fd;
  LmccAddress learning_address;
  guint buffer_wanted; /* 0: not known */
  guint buffer_got;    /* the smallest */
  gboolean buffer_overflown;
  gboolean buffer_warned;
  gboolean all_read; /* something came, and nothing of it is left */
  GArray *actions;
  guint next_action;
  gboolean told_pads;
  gboolean segments_pass;
  gboolean hiding;
  LmccTime segment_start; /* once what is hidden has been sent */
  guint32 timestamps[GST_LMCC_SRC_N_TIMESTAMPS];
  guint n_timestamps;
  GstClock *clock;
  LmccTime last_now;
  gboolean started;
  LmccTime last_run;
  LmccTime epoch; /* the library's time - the running time */
  LmccTime latency_told;
  gsize budget_told;
  LmccTime next_stats;

  GstLmccIo *io;
  gint running;          /* atomic */
  gint settings_changed; /* atomic */
  gint enough;           /* atomic: the video has ended */
  gint ended;            /* atomic: nothing more comes until PAUSED to READY */
  gint level;            /* atomic */

  /* lock */
  GMutex lock;
  LmccReceiver *receiver;
  gboolean have_session;
  LmccSession session;
  LmccTime last_latency; /* of what has ended */
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

/* src/actions.c: what the library asks for */
void gst_lmcc_src_collect_actions (GstLmccSrc *self);
void gst_lmcc_src_perform_actions (GstLmccSrc *self, LmccTime now);

/* src/source.c: whose session it is */
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
