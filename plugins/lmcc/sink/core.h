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
 * @changed: called with the name of a property of lmccsink that has changed
 * @drive: called when the encoder (nullable) needs another @bitrate; returns whether it
 *     was set
 * @chosen: called when the session uses another address than the property's
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
 * @sound: whether it is the audio pad
 *
 * One rung, or the audio. The pad's stream lock protects the fields of the streaming
 * thread, the core's lock all others.
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
  gchar *video_parameters; /* for the session description, or NULL */
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

/* Tags of descriptors in the I/O thread. */
enum
{
  GST_LMCC_SINK_TAG_HOST,
  GST_LMCC_SINK_TAG_FEEDBACK,
  GST_LMCC_SINK_N_TAGS
};

/* Destinations of packets: each group, and RTCP. */
#define GST_LMCC_SINK_CONTROL LMCC_MAX_GROUPS
#define GST_LMCC_SINK_N_DESTINATIONS (LMCC_MAX_GROUPS + 1)

/**
 * GstLmccSinkOutage:
 * @nothing: since when no packet could be sent
 * @some: since when none could be sent to one destination; that with the longest outage
 * @destination: this destination
 * @code: the latest errno
 *
 * Times are of g_get_monotonic_time(), 0 for no outage.
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
 * @iface: interface to send on, the first of several
 * @source: source address of packets; no family if unknown
 * @feedback_port: port for reports, 0 if none
 */
typedef struct
{
  GstLmccInterface iface;
  LmccAddress source;
  guint16 feedback_port;
} GstLmccSinkPlace;

/**
 * GstLmccSinkHost:
 * @netlink_fd: descriptor with the kernel's notifications, or -1
 * @readable: whether it has input
 * @state: state of the interface
 * @unusable_since: since when the interface cannot be used, or 0
 * @out_since: start of the outage that was reported, or 0
 * @failed: whether send-timeout was reached and reported
 *
 * State of this host. Times are of g_get_monotonic_time().
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
 * @iface: the interface
 * @fd: its socket
 * @batch: packets that wait to be sent on it
 *
 * An additional interface of several in multicast-iface.
 */
typedef struct
{
  GstLmccInterface iface;
  gint fd;
  GstLmccSendBatch *batch;
} GstLmccSinkFurther;

/* Number of groups, the lowest ones, in which the sender listens for other senders. */
#define GST_LMCC_SINK_MAX_WATCHED 16

/**
 * GstLmccSinkRivals:
 * @fds: sockets for RTCP of each group
 * @n_groups: number of groups
 * @media_fd: socket for media of the base group
 * @most: maximum number of groups
 * @began: start of listening, 0 before
 * @next_look: time of the next read
 * @next_try: time of the next attempt to join missing groups
 *
 * Detection of other senders on the same groups.
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

/* Number of address ranges to try. */
#define GST_LMCC_SINK_N_RANGES 4

/**
 * GstLmccSinkRange:
 * @fds: sockets for media of each range's first group, until one is chosen
 * @n: number of ranges
 * @claims_fd: socket for claims in the first range, or -1
 * @claims: received claims
 * @ssrc_base: S0 of the next session
 * @end: earliest time of the choice, of g_get_monotonic_time()
 * @next_claim: time of the next claim
 *
 * The choice of the address range of a session.
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

  /* Owned by the I/O thread while the core is attached, otherwise by state changes. */
  gboolean attached;
  GThread *runner;    /* NULL if not running */
  gboolean ended;     /* stopped during its run, by its own handler */
  GstLmccPaths paths; /* interfaces to send on; none if the socket was given */
  guint main;         /* which of them is the place's */
  GstLmccSinkFurther further[GST_LMCC_MAX_PATHS];
  guint n_further; /* that are open; their sockets have the place's source */
  GstLmccSinkPlace place;
  gboolean moved; /* to another place than the socket's */
  GstLmccSinkHost host;
  GstLmccSinkRivals rivals;
  GstLmccSinkRange range;
  gint fd;            /* duplicate of the socket's descriptor */
  gboolean given;     /* the application's socket, with its own interface */
  gboolean elsewhere; /* in another network namespace */
  GstLmccSendBatch *batch;
  GstLmccSinkAhead ahead;
  LmccTime longest_lead; /* maximum lead of the interfaces, 0 for none */
  gsize longest_whole;   /* largest unfragmented RTP packet, 0: unknown */
  gsize longest_sent;    /* largest fragmented RTP packet, 0: none */
  gsize longest_control; /* largest fragmented RTCP packet */
  gboolean fragments_told;
  gboolean control_fragments_told;
  gint segments;    /* atomic */
  gint timed;       /* atomic */
  gint feedback_fd; /* -1 without reports */
  gboolean feedback_readable;
  GstClockID timer; /* on a clock that does not run by itself, or NULL */
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
  LmccSender *leaving;  /* sender after its BYE, or NULL */
  LmccTime leaving_at;  /* time of the BYE, library's time */
  gint64 leaving_since; /* time of the BYE, g_get_monotonic_time() */

  GMutex lock;
  GCond cond;
  /* Changed only while the core is not attached. */
  GstLmccSinkSettings settings;
  GList *pads;
  gint running; /* atomic if read without the lock */
  gboolean playing;
  /* There is enough data to start, or to continue after a flush. */
  gboolean ready;
  gboolean flush_sender;
  gboolean parameters_changed; /* of a rung */
  LmccTime epoch;
  LmccTime now;
  gboolean live;
  LmccTime latency;
  LmccTime next_latency;
  /* The first unit may be late if the source waits for its sink; all units are then
   * delayed by the same time. */
  gboolean first;
  LmccTime shift;
  LmccTime collected;
  LmccTime missing_since;
  gboolean started;
  gboolean has_sound;
  /* Key-frame interval of lmccsink's own encoders, 0 without such encoders. */
  LmccTime own_key_distance;
  gchar *sdp;
  GSocket *socket;  /* socket to send with, or NULL */
  gchar *described; /* parameters in the description; I/O thread */
  guint64 estimated_bitrate;
  gboolean estimate_told;
  /* A thread is setting the encoder's rate, and whether the latest rate was set. */
  gboolean driving;
  gboolean estimate_waits;
  /* Bitrate that the user has set on the encoder. */
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

/* Offset of the running times of queued units: decoding times before the segment's start
 * are negative. */
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
