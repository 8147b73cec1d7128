/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A sender, a network and receivers in virtual time, with models of an
 * encoder and a decoder. The dependencies of each picture are known exactly,
 * so a test can say which pictures must be output.
 */
#ifndef TEST_LOOP_H
#define TEST_LOOP_H

#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/wire/rtcp.h>

/* The model encoder: closed groups of 24 pictures at 24 pictures/s, in
 * display order I bBb P bBb P ..., as x264 makes them with bframes=3
 * b-pyramid=true. */
#define TEST_GOP 24
#define TEST_PICTURE_TIME (LMCC_SECOND / 24)
#define TEST_MAX_RECEIVERS 4

/* The model audio: packets like those of Opus. */
#define TEST_SOUND_TIME (20 * LMCC_MSECOND)
#define TEST_SOUND_PAYLOAD 160

/* Decoding time of the first picture. */
#define TEST_START (2 * LMCC_SECOND)

/* One-way delay of the path. */
#define TEST_DELAY (20 * LMCC_MSECOND)

/* A picture that a receiver delivered. */
typedef struct
{
  guint rung;
  guint number; /* display order, counted from 0 */
  guint klass;
  LmccTime time;   /* presentation time */
  LmccTime at;     /* when its last packet was delivered */
  gboolean hidden; /* before the segment: decoded, but not shown */
  gboolean corrupted;
  gboolean broken; /* the decoder lacked a reference picture */
} TestPicture;

/* An audio packet that a receiver delivered. */
typedef struct
{
  guint number; /* from 0, each TEST_SOUND_TIME long */
  guint16 sequence;
  gboolean discont;
  LmccTime time; /* presentation time */
  LmccTime at;   /* when it was delivered */
} TestSound;

/* A packet in transit. */
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
  GArray *pictures; /* TestPicture */
  GArray *sounds;   /* TestSound */
  GArray *levels;   /* gint: the new level of each change */
  LmccTime segment_start;
  LmccTime shown_time; /* latest time of a shown picture */
  LmccTime shown_before_segment;
  guint n_sessions;
  guint n_waiting;
  guint n_timeouts;
  guint n_ends;
  LmccTime ended_at; /* latest */
  const gchar *end_reason;
  guint n_unheard;
  const gchar *unheard; /* reason of the latest */
  LmccAddress unheard_sender;
  LmccTime heard_for;
  guint n_reports;
  guint n_key_requests;
  LmccReferenceTime report; /* latest */
  guint n_warnings;
  const gchar *warning; /* latest */
  guint64 warned_held_back;
  guint n_source_changes;
  LmccReceiverAction source_change; /* latest */
  guint n_asked;
  LmccReceiverAction asked; /* latest */
  guint n_beside;
  LmccReceiverAction beside; /* latest */
  guint sequence_gaps;
  gboolean have_sequence;
  guint16 sequence;
  guint unit_packets; /* of the unit being received */
  gboolean unit_corrupted;
  gint decoder_rung;
  gint decoder_gop;
  gboolean decoded[TEST_GOP];
} TestReceiver;

typedef struct _TestLoop TestLoop;

/* Decides what happens to a packet on its way to one receiver: the number of
 * copies (0: dropped) and the delay in addition to TEST_DELAY. */
typedef guint (*TestNetwork) (TestLoop *loop, guint receiver,
    const LmccPacket *packet, guint group, gboolean control,
    LmccTime *extra_delay, gpointer user_data);

struct _TestLoop
{
  LmccTime now;
  guint n_rungs;
  gboolean b_pictures;
  gboolean sound; /* audio beside the pictures */
  guint repair;   /* repair share of the session, in 1/1000 */
  guint next_sound;
  guint packet_size;
  guint n_layers; /* number of layers of fixed rates; 0: native layers */
  guint64 rates[LMCC_MAX_LAYERS];
  LmccTime window;
  LmccTime latency; /* for receivers added later */
  LmccSender *sender;
  LmccAddress sender_address;
  guint32 ssrc_base;
  guint64 nonce;                  /* for senders started later */
  LmccSourcePolicy source_policy; /* for receivers added later */
  const gchar *const *codecs;
  gboolean end_on_bye;
  LmccTime end_on_silence;
  gboolean paused;
  GRand *random;
  guint next_picture; /* in decoding order */
  gboolean sending;
  guint key_requests;
  TestReceiver receivers[TEST_MAX_RECEIVERS];
  guint n_receivers;
  GQueue network; /* TestInFlight */
  TestNetwork impair;
  gpointer impair_data;
  const gchar *algorithm;     /* of the session; NULL: none */
  LmccTime feedback_interval; /* shortest interval; 0: no reports */
  gboolean repair_auto;       /* reports tell losses */
  LmccRttMode rtt_mode;       /* for receivers added later */
  LmccTime fixed_rtt;
  gboolean reports_are_cut; /* drop all reports */
  guint64 packets_sent;
};

/* A TestNetwork that drops everything while its gboolean user data is TRUE. */
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
