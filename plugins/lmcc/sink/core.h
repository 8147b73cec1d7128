/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_SINK_CORE_H
#define GST_LMCC_SINK_CORE_H

#include <gst/gst.h>
#include <gst/lmcc/lmcc.h>

#include "common/io.h"
#include "common/paths.h"
#include "common/send-batch.h"
#include "common/socket.h"
#include "sink/ahead.h"
#include "sink/settings.h"

G_BEGIN_DECLS

/**
 * GstLmccSinkCallbacks:
 * @changed: the property of lmccsink that has another value now
 * @drive: the encoder (nullable) is to make @bitrate; returns whether somebody has
 *     seen to it
 * @chosen: the session goes to another address than the one that was set
 *
 * Called without any lock.
 */
typedef struct
{
  void (*changed) (gpointer user_data, const gchar *property);
  gboolean (*drive) (gpointer user_data, GstElement *encoder, guint64 bitrate);
  void (*chosen) (gpointer user_data, const gchar *address);
  gpointer user_data;
} GstLmccSinkCallbacks;

typedef struct _GstLmccSinkPad GstLmccSinkPad;

/**
 * GstLmccSinkPad:
 * @pad: the core's sink pad for RTP
 * @index: the number in the name sink_%u
 * @sound: it is the sound's, not a rung's
 *
 * One rung, or the sound. The streaming thread's part is guarded by the pad's
 * stream lock, the
 * rest by the core's lock.
 */
struct _GstLmccSinkPad
{
  GstPad *pad;
  guint index;
  gboolean sound;

  /* stream lock */
  GstSegment segment;
  LmccClassifier *classifier;
  guint8 mark_id;
  gboolean marker_ends_unit;
  LmccTime last_time;

  /* lock */
  LmccMedia media;
  gchar parameters[LMCC_PARAMETERS_SIZE];
  gchar *video_parameters; /* for the description, or NULL */
  guint8 stream;
  GQueue units;
  gboolean flushing;
  gboolean eos;
  guint32 eos_seqnum;
  gboolean left_out;
  guint64 n_left_out;
  LmccTime newest;
};

typedef struct _GstLmccSinkSdp GstLmccSinkSdp;

/* Whose input the I/O thread waits for. */
enum
{
  GST_LMCC_SINK_TAG_HOST,
  GST_LMCC_SINK_TAG_FEEDBACK,
  GST_LMCC_SINK_N_TAGS
};

/* What packets are for: each group, and RTCP. */
#define GST_LMCC_SINK_CONTROL LMCC_MAX_GROUPS
#define GST_LMCC_SINK_N_DESTINATIONS (LMCC_MAX_GROUPS + 1)

/**
 * GstLmccSinkOutage:
 * @nothing: since when no packet has left
 * @some: since when none has left for one of the destinations; that which waits
 *     longest
 * @destination: that one
 * @code: the latest errno
 *
 * Times of g_get_monotonic_time(), 0 for no such thing.
 */
typedef struct
{
  gint64 nothing;
  gint64 some;
  guint destination;
  gint code;
} GstLmccSinkOutage;

/**
 * GstLmccSinkPlace:
 * @iface: where packets leave, the first where there are several
 * @source: the address that they come from; of no family where that is not known
 * @feedback_port: where reports are taken, 0 where they are not
 */
typedef struct
{
  GstLmccInterface iface;
  LmccAddress source;
  guint16 feedback_port;
} GstLmccSinkPlace;

/**
 * GstLmccSinkHost:
 * @netlink_fd: tells of changes, or -1
 * @readable: it has input
 * @state: how it is with the interface
 * @unusable_since: since when that has been of no use, or 0
 * @out_since: when the outage began that was told, or 0
 * @failed: it has taken too long, which was told too
 *
 * What becomes of this host. Times are of g_get_monotonic_time().
 */
typedef struct
{
  gint netlink_fd;
  gboolean readable;
  GstLmccInterfaceState state;
  gint64 unusable_since;
  gint64 next_tick;
  gint64 next_look;
  gint64 next_warning;
  gint64 next_feedback_warning;
  gint64 out_since;
  gboolean failed;
} GstLmccSinkHost;

/**
 * GstLmccSinkFurther:
 * @iface: it
 * @fd: its socket
 * @batch: what waits to be sent by it
 *
 * One of several interfaces that packets leave by, beside the place's.
 */
typedef struct
{
  GstLmccInterface iface;
  gint fd;
  GstLmccSendBatch *batch;
} GstLmccSinkFurther;

/* Of so many groups, the lowest, the sender hears who else sends there. */
#define GST_LMCC_SINK_MAX_WATCHED 16

/**
 * GstLmccSinkRivals:
 * @fds: for the RTCP of each group that is listened to
 * @n_groups: how many these are
 * @media_fd: for the media of the base
 * @most: how many are to be
 * @began: when it began to listen, 0 before
 * @next_look: when they are looked at
 * @next_try: when those that could not be joined are tried again
 *
 * Other senders on the same groups.
 */
typedef struct
{
  gint fds[GST_LMCC_SINK_MAX_WATCHED];
  guint n_groups;
  gint media_fd;
  guint most;
  LmccTime began;
  LmccTime next_look;
  LmccTime next_try;
} GstLmccSinkRivals;

/* So many ranges of addresses are tried. */
#define GST_LMCC_SINK_N_RANGES 4

/**
 * GstLmccSinkRange:
 * @fds: for the media of each range's first group, until one is chosen
 * @n: how many these are
 * @claims_fd: for the claims of the first range, or -1
 * @claims: these
 * @ssrc_base: S0 of the session that is to begin
 * @end: when one may be chosen, of g_get_monotonic_time()
 * @next_claim: when the next claim is sent
 *
 * The addresses that a session may take.
 */
typedef struct
{
  gint fds[GST_LMCC_SINK_N_RANGES];
  guint n;
  gint claims_fd;
  LmccAddressClaims claims;
  guint32 ssrc_base;
  gint64 end;
  gint64 next_claim;
} GstLmccSinkRange;

#define GST_TYPE_LMCC_SINK_CORE (gst_lmcc_sink_core_get_type ())
G_DECLARE_FINAL_TYPE (GstLmccSinkCore, gst_lmcc_sink_core, GST, LMCC_SINK_CORE,
    GstElement)

/*
 * Lock order: stream lock of a pad, then lock. sender_lock is taken alone. None
 * is held while pushing, posting, notifying, calling back or sending.
 */
struct _GstLmccSinkCore
{
  GstElement parent;

  GstLmccSinkCallbacks callbacks;

  GstLmccIo *io;

  /* The I/O thread's own while that has the core, else of the state changes. */
  gboolean attached;
  GThread *runner;    /* or NULL: it does not run */
  gboolean ended;     /* it was stopped while it ran, by itself */
  GstLmccPaths paths; /* by which packets leave; none where that is not ours */
  guint main;         /* which of them is the place's */
  GstLmccSinkFurther further[GST_LMCC_MAX_PATHS];
  guint n_further; /* that are open; their sockets have the place's source */
  GstLmccSinkPlace place;
  gboolean moved; /* to another place than the socket's */
  GstLmccSinkHost host;
  GstLmccSinkRivals rivals;
  GstLmccSinkRange range;
  gint fd;            /* of the socket, a copy */
  gboolean given;     /* the socket is somebody else's, with its interface */
  gboolean elsewhere; /* it is of another network namespace */
  GstLmccSendBatch *batch;
  GstLmccSinkAhead ahead;
  LmccTime longest_lead; /* that the interface allows, 0 for none */
  gsize longest_whole;   /* RTP packet that leaves in one piece, 0: not known */
  gsize longest_sent;    /* of those that do not, 0 for none */
  gsize longest_control; /* likewise of RTCP */
  gboolean fragments_told;
  gboolean control_fragments_told;
  gint segments;    /* atomic */
  gint timed;       /* atomic */
  gint feedback_fd; /* -1 where no reports are taken */
  gboolean feedback_readable;
  GstClockID timer; /* on a clock that does not go by itself, or NULL */
  gint timer_set;   /* atomic */
  LmccTime not_before;
  gint64 failing[GST_LMCC_SINK_N_DESTINATIONS];
  gint64 failing_all;
  LmccTime address_wait;
  GstLmccSinkSdp *sdp_file;
  gboolean advised;
  gboolean deafness_told;
  LmccTime expected;
  LmccTime next_stats;
  LmccTime next_estimate;
  LmccTime key_interval;
  LmccTime next_key_unit;
  LmccTime next_key_check;
  LmccTime requested_key_unit;
  LmccTime window_told;
  gboolean eos_posted;
  LmccSender *leaving;  /* has said BYE, or NULL */
  LmccTime leaving_at;  /* when it did, its time */
  gint64 leaving_since; /* likewise, of g_get_monotonic_time() */

  GMutex lock;
  GCond cond;
  /* Changed only while it is not attached. */
  GstLmccSinkSettings settings;
  GList *pads;
  gint running; /* read as an atomic without the lock */
  gboolean playing;
  /* There is enough to start with, or to go on with after a flush. */
  gboolean ready;
  gboolean flush_sender;
  gboolean parameters_changed; /* of a rung */
  LmccTime epoch;
  LmccTime now;
  gboolean live;
  LmccTime latency;
  LmccTime next_latency;
  /* The first unit may come late, where the source waits for its sink: then all
   * are sent so much later. */
  gboolean first;
  LmccTime shift;
  LmccTime collected;
  LmccTime missing_since;
  gboolean started;
  gboolean has_sound;
  /* Of lmccsink's own encoders' key frames, 0 where there are none. */
  LmccTime own_key_distance;
  gchar *sdp;
  GSocket *socket;  /* that packets are sent by, or NULL */
  gchar *described; /* the parameters in it; the I/O thread's */
  guint64 estimated_bitrate;
  gboolean estimate_told;
  /* A thread sets the encoder's rate, and whether to the latest yet. */
  gboolean driving;
  gboolean estimate_waits;
  /* What the encoder was set to by its user. */
  guint64 first_bitrate;
  gboolean warned_encoder;
  LmccTime pacing_step;
  guint64 send_errors;
  GstLmccSinkOutage outage;
  guint64 reports_dropped;

  GMutex sender_lock;
  LmccSender *sender;
  LmccTime session_start;
};

/* Units in the queues carry running times with this added: decoding times before
 * the segment's start are negative. */
#define GST_LMCC_TIME_BIAS (G_GUINT64_CONSTANT (1) << 62)

GstLmccSinkCore *gst_lmcc_sink_core_new (const GstLmccSinkCallbacks *callbacks);
gboolean
gst_lmcc_sink_core_open (GstLmccSinkCore *core, GstLmccSinkSettings *settings);
void gst_lmcc_sink_core_close (GstLmccSinkCore *core);
gboolean gst_lmcc_sink_core_start (GstLmccSinkCore *core);
void gst_lmcc_sink_core_stop (GstLmccSinkCore *core);
GstPad *gst_lmcc_sink_core_add_pad (GstLmccSinkCore *core, guint index);
GstPad *gst_lmcc_sink_core_add_sound_pad (GstLmccSinkCore *core);
void gst_lmcc_sink_core_let_go (GstLmccSinkCore *core, GstPad *pad);
void gst_lmcc_sink_core_remove_pad (GstLmccSinkCore *core, GstPad *pad);
GList *gst_lmcc_sink_list_pads (GstElement *element);
void gst_lmcc_sink_core_set_own_key_distance (GstLmccSinkCore *core,
    LmccTime distance);
gchar *gst_lmcc_sink_core_get_sdp (GstLmccSinkCore *core);
GstStructure *gst_lmcc_sink_core_get_stats (GstLmccSinkCore *core);
GSocket *gst_lmcc_sink_core_get_used_socket (GstLmccSinkCore *core);

/* sink/pad.c */
extern GstStaticPadTemplate gst_lmcc_sink_core_pad_template;
extern GstStaticPadTemplate gst_lmcc_sink_core_sound_template;
void gst_lmcc_sink_pad_reset (GstLmccSinkPad *rung);
void gst_lmcc_sink_pad_free (GstLmccSinkPad *rung);

/* sink/clock.c */
LmccTime gst_lmcc_sink_update_now (GstLmccSinkCore *core);
guint64 gst_lmcc_sink_timer_set (GstLmccSinkCore *core, LmccTime when);
void gst_lmcc_sink_timer_clear (GstLmccSinkCore *core);

/* sink/collect.c */
LmccUnit *
gst_lmcc_sink_collect (GstLmccSinkCore *core, LmccTime now, LmccTime *wake);
GstClockTime
gst_lmcc_sink_skip (GstLmccSinkCore *core, LmccTime now, LmccTime stall);
gboolean gst_lmcc_sink_is_eos (GstLmccSinkCore *core, guint32 *seqnum);
gboolean gst_lmcc_sink_pad_enqueue (GstLmccSinkCore *core, GstLmccSinkPad *rung,
    LmccUnit *unit);
void gst_lmcc_sink_check_ready (GstLmccSinkCore *core);
void gst_lmcc_sink_pad_clear (GstLmccSinkPad *rung);
void gst_lmcc_sink_wake (GstLmccSinkCore *core);

/* sink/farewell.c */
void gst_lmcc_sink_farewell_begin (GstLmccSinkCore *core, LmccTime now);
void gst_lmcc_sink_farewell_take (GstLmccSinkCore *core, LmccSender *sender);
void gst_lmcc_sink_farewell_end (GstLmccSinkCore *core);
void gst_lmcc_sink_farewell_drop (GstLmccSinkCore *core);

/* sink/feedback.c */
gint gst_lmcc_sink_feedback_open (GstLmccSinkCore *core,
    GstLmccSinkPlace *place, GError **error);
void gst_lmcc_sink_feedback_close (GstLmccSinkCore *core);
gboolean gst_lmcc_sink_feedback_read (GstLmccSinkCore *core, LmccTime now);

/* sink/host.c */
void gst_lmcc_sink_get_send_options (GstLmccSinkCore *core,
    GstLmccSendOptions *options);
void gst_lmcc_sink_host_start (GstLmccSinkCore *core);
void gst_lmcc_sink_host_stop (GstLmccSinkCore *core);
guint64 gst_lmcc_sink_host_look (GstLmccSinkCore *core);
void
gst_lmcc_sink_host_sent (GstLmccSinkCore *core, guint destination, gint code);
void gst_lmcc_sink_host_paused (GstLmccSinkCore *core);
void gst_lmcc_sink_host_move (GstLmccSinkCore *core, LmccTime now);
LmccTime gst_lmcc_sink_host_wait (GstLmccSinkCore *core, LmccTime now);

/* sink/paths.c */
void gst_lmcc_sink_paths_choose_main (GstLmccSinkCore *core);
gboolean gst_lmcc_sink_paths_check (GstLmccSinkCore *core, GError **error);
gboolean gst_lmcc_sink_paths_follow (GstLmccSinkCore *core);
void gst_lmcc_sink_paths_tell (GstLmccSinkCore *core, gint64 now);
void gst_lmcc_sink_paths_warn (GstLmccSinkCore *core);
void gst_lmcc_sink_paths_open (GstLmccSinkCore *core, GstLmccSentFunc sent);
void gst_lmcc_sink_paths_close (GstLmccSinkCore *core);
gint gst_lmcc_sink_paths_open_joined (GstLmccSinkCore *core,
    const LmccAddress *group, guint16 port, const LmccAddress *source,
    guint buffer_size, GError **error);

/* sink/range.c */
void gst_lmcc_sink_range_open (GstLmccSinkCore *core);
void gst_lmcc_sink_range_close (GstLmccSinkCore *core);
gboolean gst_lmcc_sink_range_choose (GstLmccSinkCore *core);
guint64 gst_lmcc_sink_range_look (GstLmccSinkCore *core);

/* sink/rivals.c */
LmccTime gst_lmcc_sink_rivals_look (GstLmccSinkCore *core, LmccTime now);
void gst_lmcc_sink_rivals_close (GstLmccSinkCore *core);

/* sink/socket.c */
gboolean
gst_lmcc_sink_socket_choose_interface (GstLmccSinkCore *core, GError **error);
gboolean gst_lmcc_sink_socket_open (GstLmccSinkCore *core, GError **error);
void gst_lmcc_sink_socket_close (GstLmccSinkCore *core);
gboolean
gst_lmcc_sink_socket_find_source (GstLmccSinkCore *core, LmccAddress *source);
void gst_lmcc_sink_socket_move (GstLmccSinkCore *core);

/* sink/sending.c */
void gst_lmcc_sink_sending_open (GstLmccSinkCore *core);
void gst_lmcc_sink_sending_follow (GstLmccSinkCore *core);
void gst_lmcc_sink_sending_begin (GstLmccSinkCore *core);
void gst_lmcc_sink_sending_close (GstLmccSinkCore *core);
void gst_lmcc_sink_send (GstLmccSinkCore *core, guint destination,
    LmccPacket *packet);
void gst_lmcc_sink_send_waiting (GstLmccSinkCore *core);

/* sink/parameters.c */
gchar *gst_lmcc_sink_read_parameters (GstCaps *caps);
void gst_lmcc_sink_pad_take_parameters (GstLmccSinkCore *core,
    GstLmccSinkPad *rung, GstCaps *caps);
gchar *gst_lmcc_sink_dup_parameters (GstLmccSinkCore *core);

/* sink/sdp.c */
void gst_lmcc_sink_sdp_start (GstLmccSinkCore *core);
void gst_lmcc_sink_sdp_write (GstLmccSinkCore *core, const gchar *text);
void gst_lmcc_sink_sdp_stop (GstLmccSinkCore *core);

/* sink/pacer.c */
guint64 gst_lmcc_sink_pacer_run (GstLmccIo *io, gpointer user_data);
void gst_lmcc_sink_pacer_stop (GstLmccSinkCore *core);

/* sink/drive.c */
LmccTime gst_lmcc_sink_follow_estimate (GstLmccSinkCore *core, LmccTime now);
guint64 gst_lmcc_sink_core_get_estimated_bitrate (GstLmccSinkCore *core);

/* sink/window.c */
void
gst_lmcc_sink_window_choose (GstLmccSinkCore *core, LmccSenderConfig *config);
void gst_lmcc_sink_window_tell (GstLmccSinkCore *core);

/* sink/advice.c */
LmccTime gst_lmcc_sink_advise (GstLmccSinkCore *core, LmccTime now);
void gst_lmcc_sink_advise_requests (GstLmccSinkCore *core);

/* sink/pay.c */
GstCaps *gst_lmcc_sink_accepted_caps (void);
GstElement *gst_lmcc_sink_make_payloader (GstCaps *caps, guint mtu);
GstElement *gst_lmcc_sink_make_sound_payloader (GstCaps *caps, guint mtu);

/* sink/sound.c */
gboolean gst_lmcc_sink_sound_read_parameters (GstCaps *caps,
    gchar parameters[LMCC_PARAMETERS_SIZE]);
gboolean gst_lmcc_sink_sound_marker_ends_unit (const LmccMedia *media);
GstElement *gst_lmcc_sink_sound_make_encoder (GError **error);

/* sink/key.c */
void
gst_lmcc_sink_request_key_unit (GstLmccSinkCore *core, LmccTime running_time);
gboolean gst_lmcc_sink_is_live (GstLmccSinkCore *core);
void gst_lmcc_sink_update_latency (GstLmccSinkCore *core);
LmccTime gst_lmcc_sink_encoder_position (GstLmccSinkCore *core);

GST_DEBUG_CATEGORY_EXTERN (gst_lmcc_sink_debug);

G_END_DECLS

#endif
