/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A sender, a network and receivers in virtual time, with a model of an encoder
 * and of a decoder at the ends: what a picture depends on is known exactly, so
 * that a test can say which pictures must come out.
 */
#ifndef TEST_LOOP_H
#define TEST_LOOP_H

#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/wire/rtcp.h>

/* The model encoder: closed groups of 24 pictures at 24 pictures/s, in display
 * order I bBb P bBb P ... as x264 makes them with bframes=3 b-pyramid=true. */
#define TEST_GOP 24
#define TEST_PICTURE_TIME (LMCC_SECOND / 24)
#define TEST_MAX_RECEIVERS 4

/* The model sound: packets as Opus has them. */
#define TEST_SOUND_TIME (20 * LMCC_MSECOND)
#define TEST_SOUND_PAYLOAD 160

/* The first picture's decoding time. */
#define TEST_START (2 * LMCC_SECOND)

/* The path's delay. */
#define TEST_DELAY (20 * LMCC_MSECOND)

/* One picture that a receiver gave out. */
typedef struct
{
  guint rung;
  guint number; /* in display order from the start, from 0 */
  guint klass;
  LmccTime time;   /* presentation time */
  LmccTime at;     /* when its last packet was delivered */
  gboolean hidden; /* before the segment: decoded, not shown */
  gboolean corrupted;
  gboolean broken; /* the decoder missed a reference */
} TestPicture;

/* One packet of the sound that a receiver gave out. */
typedef struct
{
  guint number; /* from 0, each TEST_SOUND_TIME long */
  guint16 sequence;
  gboolean discont;
  LmccTime time; /* presentation time */
  LmccTime at;   /* when it was delivered */
} TestSound;

/* One packet on its way. */
typedef struct
{
  LmccTime at;
  guint64 order;
  guint receiver;
  guint group;
  gboolean control;
  gboolean report; /* from the receiver to the sender */
  LmccPacket *packet;
} TestInFlight;

typedef struct
{
  LmccReceiver *receiver;
  gboolean joined[LMCC_MAX_GROUPS];
  GArray *pictures; /* of TestPicture */
  GArray *sounds;   /* of TestSound */
  GArray *levels;   /* of gint: where each level change went */
  LmccTime segment_start;
  LmccTime shown_time; /* latest of a picture that is not hidden */
  LmccTime shown_before_segment;
  guint n_sessions;
  guint n_waiting;
  guint n_timeouts;
  guint n_ends;
  LmccTime ended_at; /* the latest */
  const gchar *end_reason;
  guint n_unheard;
  const gchar *unheard; /* the latest one's reason */
  LmccAddress unheard_sender;
  LmccTime heard_for;
  guint n_reports;
  guint n_key_requests;
  LmccReferenceTime report; /* the latest */
  guint n_warnings;
  const gchar *warning; /* the latest */
  guint64 warned_held_back;
  guint n_source_changes;
  LmccReceiverAction source_change; /* the latest */
  guint n_asked;
  LmccReceiverAction asked; /* the latest */
  guint n_beside;
  LmccReceiverAction beside; /* the latest */
  guint sequence_gaps;
  gboolean have_sequence;
  guint16 sequence;
  guint unit_packets; /* of the unit that is coming */
  gboolean unit_corrupted;
  gint decoder_rung;
  gint decoder_gop;
  gboolean decoded[TEST_GOP];
} TestReceiver;

typedef struct _TestLoop TestLoop;

/* Says what the network does with a packet that one receiver would get: how many
 * copies (0: dropped), and how much later than TEST_DELAY. */
typedef guint (*TestNetwork) (TestLoop *loop, guint receiver,
    const LmccPacket *packet, guint group, gboolean control,
    LmccTime *extra_delay, gpointer user_data);

struct _TestLoop
{
  LmccTime now;
  guint n_rungs;
  gboolean b_pictures;
  gboolean sound; /* beside the pictures */
  guint repair;   /* of the session, in 1/1000 */
  guint next_sound;
  guint packet_size;
  guint n_layers; /* of fixed rates, 0 for native ones */
  guint64 rates[LMCC_MAX_LAYERS];
  LmccTime window;
  LmccTime latency; /* of receivers that are added */
  LmccSender *sender;
  LmccAddress sender_address;
  guint32 ssrc_base;
  guint64 nonce;                  /* of senders that are started */
  LmccSourcePolicy source_policy; /* of receivers that are added */
  const gchar *const *codecs;
  gboolean end_on_bye;
  LmccTime end_on_silence;
  gboolean paused;
  GRand *random;
  guint next_picture; /* decoding order */
  gboolean sending;
  guint key_requests;
  TestReceiver receivers[TEST_MAX_RECEIVERS];
  guint n_receivers;
  GQueue network; /* of TestInFlight */
  TestNetwork impair;
  gpointer impair_data;
  const gchar *algorithm;     /* of the session, NULL for none */
  LmccTime feedback_interval; /* the shortest, 0: no reports are taken */
  LmccRttMode rtt_mode;       /* of receivers that are added */
  LmccTime fixed_rtt;
  gboolean reports_are_cut; /* they do not reach the sender */
  guint64 packets_sent;
};

/* A TestNetwork that drops everything while the gboolean that it is given is
 * TRUE. */
guint
test_network_cut (TestLoop *loop, guint receiver, const LmccPacket *packet,
    guint group, gboolean control, LmccTime *extra_delay, gpointer user_data);

TestLoop *test_loop_new (guint n_rungs, gboolean b_pictures);
void test_loop_free (TestLoop *loop);
void test_loop_start_sender (TestLoop *loop, guint32 ssrc_base);
void test_loop_kill_sender (TestLoop *loop);
void test_loop_pause (TestLoop *loop);
void test_loop_resume (TestLoop *loop);
TestReceiver *
test_loop_add_receiver (TestLoop *loop, gint max_level, LmccOnLoss on_loss);
void test_loop_run (TestLoop *loop, LmccTime duration);
void test_loop_drain (TestLoop *loop);
void test_loop_send_record (TestLoop *loop, TestReceiver *test,
    const LmccSession *session, const LmccAddress *from);
TestPicture *test_picture_at (TestReceiver *test, guint index);
void test_check_nothing_broken (TestReceiver *test);
void test_check_in_time (TestReceiver *test);
LmccUnit *test_loop_make_unit (TestLoop *loop, guint rung, guint picture);
guint test_display_number (gboolean b_pictures, guint decode_number);
guint test_picture_class (gboolean b_pictures, guint display_number);
gboolean test_picture_depends_on (gboolean b_pictures, guint picture, guint on);
LmccTime test_presentation_time (guint display_number);

#endif
