/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whose session a receiver takes, and whose it does not.
 */
#include "support/test-loop.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/receiver/message-limit.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>
#include <string.h>

#define SSRC 0x12345000u
#define OTHER_SSRC 0x6789a000u
#define NONCE G_GUINT64_CONSTANT (0x0123456789abcd)
#define OTHER_NONCE G_GUINT64_CONSTANT (0x00fedcba987654)

/* What of the other host's session gets to the receiver. */
typedef enum
{
  NOTHING,
  RECORDS,
  TRICKLE,                      /* records, and a packet in twenty */
  EVERYTHING,
} Share;

typedef struct
{
  TestLoop *loop;
  TestLoop *other;
  TestReceiver *test;
  guint n_other;
} Scene;

static LmccAddress
address (const gchar * text)
{
  LmccAddress parsed;

  fail_unless (lmcc_address_parse (text, &parsed));

  return parsed;
}

static TestLoop *
make_loop (const gchar * from, guint64 nonce)
{
  TestLoop *loop = test_loop_new (1, TRUE);

  loop->sender_address = address (from);
  loop->algorithm = "elm";
  loop->nonce = nonce;

  return loop;
}

static void
scene_init (Scene * scene, LmccSourcePolicy policy)
{
  memset (scene, 0, sizeof (*scene));
  scene->loop = make_loop ("10.0.0.1", NONCE);
  scene->other = make_loop ("10.0.0.2", OTHER_NONCE);
  scene->loop->source_policy = policy;
  scene->test = test_loop_add_receiver (scene->loop, -1, LMCC_ON_LOSS_FREEZE);
}

static void
scene_clear (Scene * scene)
{
  test_loop_free (scene->other);
  test_loop_free (scene->loop);
}

static void
start_other (Scene * scene)
{
  scene->other->now = scene->loop->now;
  test_loop_start_sender (scene->other, OTHER_SSRC);
}

static void
hand_over (Scene * scene, const LmccSenderAction * action, Share share)
{
  TestLoop *loop = scene->loop;
  TestReceiver *test = scene->test;
  const LmccAddress *from = &scene->other->sender_address;

  if (action->type == LMCC_SENDER_ACTION_SEND) {
    if (test->joined[action->group] && (share == EVERYTHING
            || (share == TRICKLE && scene->n_other++ % 20 == 0)))
      lmcc_receiver_handle_packet (test->receiver, loop->now, loop->now,
          action->group, from, 50000, lmcc_packet_ref (action->packet));
  } else if (action->type == LMCC_SENDER_ACTION_SEND_CONTROL) {
    if (share != NOTHING)
      lmcc_receiver_handle_control (test->receiver, loop->now, from, 50000,
          action->packet->data, action->packet->size);
  } else {
    return;
  }
  lmcc_packet_unref (action->packet);
  test_loop_drain (loop);
}

/* Both hosts, the other with what of it is heard. */
static void
run (Scene * scene, LmccTime duration, Share share)
{
  TestLoop *other = scene->other;
  LmccTime end = scene->loop->now + duration;

  while (scene->loop->now < end) {
    LmccSenderAction action;

    test_loop_run (scene->loop, LMCC_MSECOND);
    other->now = scene->loop->now;
    if (other->sender == NULL)
      continue;
    while (lmcc_sender_next_timeout (other->sender) <= other->now)
      lmcc_sender_handle_timeout (other->sender, other->now);
    while (other->next_picture * TEST_PICTURE_TIME + TEST_START <= other->now)
      lmcc_sender_push_unit (other->sender, test_loop_make_unit (other, 0,
              other->next_picture++), other->now);
    while (lmcc_sender_poll_action (other->sender, &action))
      hand_over (scene, &action, share);
  }
}

static const LmccSession *
session_of (const Scene * scene)
{
  return lmcc_receiver_get_session (scene->test->receiver);
}

static gboolean
is_with (const Scene * scene, guint32 ssrc)
{
  return session_of (scene) != NULL && session_of (scene)->ssrc_base == ssrc;
}

static void
check_change (const Scene * scene, guint n, const gchar * from,
    const gchar * to)
{
  LmccAddress previous = address (from), now = address (to);

  fail_unless_equals_int (scene->test->n_source_changes, n);
  fail_unless (lmcc_address_equal (&scene->test->source_change.previous,
          &previous));
  fail_unless (lmcc_address_equal (&scene->test->source_change.destination,
          &now));
}

/* The true sender plays, and is established. */
static void
play (Scene * scene)
{
  test_loop_start_sender (scene->loop, SSRC);
  run (scene, 12 * LMCC_SECOND, NOTHING);
  fail_unless (is_with (scene, SSRC));
}

/* Records good and bad, of the sender's host: one has more layers than arrays
 * hold, one a clock rate of 0, one no port, one is cut. */
static gchar *
make_record (guint kind, guint32 * ssrc)
{
  LmccSession session;
  gchar *text;

  lmcc_session_init (&session);
  session.address = address ("239.255.42.1");
  session.source = address ("10.0.0.1");
  session.port = 5004;
  session.ssrc_base = *ssrc = kind % 2 == 0 ? SSRC : OTHER_SSRC;
  session.revision = 77;
  session.video.clock_rate = 90000;
  g_strlcpy (session.video.encoding_name, "H264", LMCC_ENCODING_NAME_SIZE);
  g_strlcpy (session.algorithm, "elm", sizeof (session.algorithm));
  session.native = FALSE;
  session.n_layers = session.n_groups = 3;
  text = lmcc_sdp_format (&session, LMCC_SDP_RECORD);
  if (kind / 2 == 1) {
    g_autofree gchar *good = text;
    g_auto (GStrv) around = g_strsplit (good, "f=0,0,0", 2);
    GString *layers = g_string_new ("f=0");
    guint i;

    for (i = 0; i < LMCC_MAX_LAYERS; i++)
      g_string_append (layers, ",0");
    text = g_strjoinv (layers->str, around);
    g_string_free (layers, TRUE);
  } else if (kind / 2 == 2) {
    strcpy (strstr (text, "H264/90000"), "H264/0\n");
  } else if (kind / 2 == 3) {
    memcpy (strstr (text, "video 5004"), "video 0000", 10);
  } else if (kind / 2 == 4) {
    *strstr (text, "m=video") = '\0';
  }

  return text;
}

#define N_KINDS 10

static void
append_record (GByteArray * datagram, guint kind, guint index, guint count)
{
  guint32 ssrc;
  g_autofree gchar *text = make_record (kind, &ssrc);
  gsize part = strlen (text) / count;
  LmccRecordFragment fragment = { ssrc, (guint16) (77 + kind), (guint8) index,
    (guint8) count, (const guint8 *) text + index * part,
    index + 1 < count ? part : strlen (text) - index * part
  };
  LmccSenderReport report = {.ssrc = ssrc,.ntp_time = 1 };
  g_autoptr (LmccPacket) packet =
      lmcc_rtcp_build (&report, 1, "forged", &fragment);

  g_byte_array_append (datagram, packet->data, (guint) packet->size);
}

/* Every sequence of two records, each whole or both in interleaved parts. */
static GByteArray *
make_datagram (guint first, guint second, gboolean parts)
{
  GByteArray *datagram = g_byte_array_new ();
  guint i;

  for (i = 0; i < (parts ? 2 : 1); i++) {
    append_record (datagram, first, i, parts ? 2 : 1);
    append_record (datagram, second, i, parts ? 2 : 1);
  }

  return datagram;
}

static void
send_packet (Scene * scene, const LmccAddress * from, guint32 ssrc)
{
  static const guint8 payload[100] = { 0 };
  LmccHeader header = {.top_layer = 2,.signal = -1,.first = TRUE,.last = TRUE };
  LmccRtp rtp = {.payload_type = 96,.ssrc = ssrc,.payload_size =
        sizeof (payload)
  };

  lmcc_receiver_handle_packet (scene->test->receiver, scene->loop->now,
      scene->loop->now, 0, from, 40000, lmcc_rtp_build (&rtp, &header,
          LMCC_HEADER_DEFAULT_ID, payload));
}

static void
attack (Scene * scene, const LmccAddress * from, guint first, guint second,
    gboolean parts)
{
  TestLoop *loop = scene->loop;
  g_autoptr (GByteArray) datagram = make_datagram (first, second, parts);

  lmcc_receiver_handle_control (scene->test->receiver, loop->now, from, 40000,
      datagram->data, datagram->len);
  send_packet (scene, from, SSRC);
  send_packet (scene, from, OTHER_SSRC);
  if (session_of (scene) != NULL)
    fail_unless (lmcc_session_validate (session_of (scene), NULL));
}

GST_START_TEST (test_no_two_records_in_one_datagram_change_a_session)
{
  LmccAddress stranger = address ("10.6.6.6");
  guint first, second, parts;
  Scene scene;

  scene_init (&scene, LMCC_SOURCE_POLICY_FIRST);
  play (&scene);
  for (first = 0; first < N_KINDS; first++) {
    for (second = 0; second < N_KINDS; second++) {
      for (parts = 0; parts < 2; parts++) {
        LmccSession before = *session_of (&scene);

        attack (&scene, &stranger, first, second, parts);
        fail_unless (memcmp (&before, session_of (&scene),
                sizeof (before)) == 0);
        fail_unless_equals_int (lmcc_receiver_get_session (scene.
                test->receiver)->ssrc_base, SSRC);
      }
    }
  }
  run (&scene, LMCC_SECOND, NOTHING);
  test_check_nothing_broken (scene.test);
  scene_clear (&scene);
}

GST_END_TEST;

/* Before a sender is heard, after its silence, after its goodbye, and as the
 * sender's host: what is entered is whole. */
GST_START_TEST (test_nothing_that_was_half_parsed_is_entered)
{
  guint first, second, parts, when;

  for (when = 0; when < 4; when++) {
    for (first = 0; first < N_KINDS; first++) {
      for (second = 0; second < N_KINDS; second++) {
        for (parts = 0; parts < 2; parts++) {
          LmccAddress from = address (when < 2 ? "10.6.6.6" : "10.0.0.1");
          LmccReceiverStats stats;
          gboolean good = first < 2 || second < 2;
          Scene scene;

          scene_init (&scene, LMCC_SOURCE_POLICY_ANY);
          if (when > 0) {
            test_loop_start_sender (scene.loop, SSRC);
            run (&scene, LMCC_SECOND / 2, NOTHING);
            if (when == 3)
              lmcc_sender_stop (scene.loop->sender, scene.loop->now);
            test_loop_drain (scene.loop);
            test_loop_kill_sender (scene.loop);
            run (&scene, LMCC_SECOND, NOTHING);
          }
          attack (&scene, &from, first, second, parts);
          lmcc_receiver_get_stats (scene.test->receiver, scene.loop->now,
              &stats);
          if (when == 0 && !parts)
            fail_unless_equals_uint64 (stats.sources, good);
          scene_clear (&scene);
        }
      }
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_a_pause_is_not_used_by_who_repeats_a_record)
{
  static const Share shares[] = { RECORDS, EVERYTHING };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (shares); i++) {
    Scene scene;

    scene_init (&scene, LMCC_SOURCE_POLICY_FIRST);
    play (&scene);
    start_other (&scene);
    test_loop_pause (scene.loop);
    run (&scene, 5 * LMCC_SECOND, shares[i]);
    fail_unless (is_with (&scene, SSRC));
    test_loop_resume (scene.loop);
    run (&scene, 5 * LMCC_SECOND, shares[i]);
    fail_unless (is_with (&scene, SSRC));
    fail_unless_equals_int (scene.test->n_source_changes, 0);
    scene_clear (&scene);
  }
}

GST_END_TEST;

GST_START_TEST (test_the_sender_is_returned_to_after_a_minute)
{
  Scene scene;

  scene_init (&scene, LMCC_SOURCE_POLICY_FIRST);
  play (&scene);
  start_other (&scene);
  test_loop_pause (scene.loop);
  run (&scene, 9900 * LMCC_MSECOND, EVERYTHING);
  fail_unless (is_with (&scene, SSRC));
  run (&scene, 50 * LMCC_SECOND, EVERYTHING);
  fail_unless (is_with (&scene, OTHER_SSRC));
  check_change (&scene, 1, "10.0.0.1", "10.0.0.2");
  test_loop_resume (scene.loop);
  run (&scene, 2 * LMCC_SECOND, EVERYTHING);
  fail_unless (is_with (&scene, SSRC));
  check_change (&scene, 2, "10.0.0.2", "10.0.0.1");
  scene_clear (&scene);
}

GST_END_TEST;

/* As where the sender's own address changes: with its S0 and nonce, which an
 * onlooker can copy. */
GST_START_TEST (test_another_address_is_taken_after_ten_seconds)
{
  gboolean same;

  for (same = FALSE; same <= TRUE; same++) {
    guint32 ssrc = same ? SSRC : OTHER_SSRC;
    Scene scene;

    scene_init (&scene, LMCC_SOURCE_POLICY_FIRST);
    play (&scene);
    if (same)
      scene.other->nonce = NONCE;
    scene.other->now = scene.loop->now;
    test_loop_start_sender (scene.other, ssrc);
    test_loop_kill_sender (scene.loop);
    run (&scene, 9900 * LMCC_MSECOND, EVERYTHING);
    fail_unless_equals_int (scene.test->n_source_changes, 0);
    run (&scene, 600 * LMCC_MSECOND, EVERYTHING);
    fail_unless (is_with (&scene, ssrc));
    check_change (&scene, 1, "10.0.0.1", "10.0.0.2");
    g_array_set_size (scene.test->pictures, 0);
    run (&scene, 3 * LMCC_SECOND, EVERYTHING);
    fail_unless (scene.test->pictures->len > 10);
    scene_clear (&scene);
  }
}

GST_END_TEST;

/* With another S0, with the same one, and with an address that repeats the old
 * record meanwhile. */
GST_START_TEST (test_a_sender_that_begins_anew_is_back_within_two_seconds)
{
  guint kind;

  for (kind = 0; kind < 4; kind++) {
    Scene scene;

    scene_init (&scene, LMCC_SOURCE_POLICY_FIRST);
    play (&scene);
    start_other (&scene);
    run (&scene, 5 * LMCC_SECOND, EVERYTHING);
    if (kind % 2 == 1) {
      lmcc_sender_stop (scene.loop->sender, scene.loop->now);
      test_loop_drain (scene.loop);
    }
    test_loop_kill_sender (scene.loop);
    run (&scene, 100 * LMCC_MSECOND, EVERYTHING);
    scene.loop->nonce = NONCE + 1;
    test_loop_start_sender (scene.loop, kind < 2 ? SSRC + 0x1000 : SSRC);
    /* With the same S0, of which there are a million, its media are as those
     * before: that the old record does not come tells. */
    run (&scene, (kind == 2 ? 3 : 2) * LMCC_SECOND, EVERYTHING);
    fail_unless (session_of (&scene)->nonce == NONCE + 1, "%u", kind);
    run (&scene, 5 * LMCC_SECOND, EVERYTHING);
    fail_unless (session_of (&scene)->nonce == NONCE + 1);
    fail_unless_equals_int (scene.test->n_source_changes, 0);
    scene_clear (&scene);
  }
}

GST_END_TEST;

GST_START_TEST (test_a_forged_record_that_was_first_gives_way)
{
  static const Share shares[] = { RECORDS, TRICKLE };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (shares); i++) {
    Scene scene;

    scene_init (&scene, LMCC_SOURCE_POLICY_FIRST);
    start_other (&scene);
    run (&scene, 30 * LMCC_SECOND, shares[i]);
    fail_unless (is_with (&scene, OTHER_SSRC));
    test_loop_start_sender (scene.loop, SSRC);
    run (&scene, 9 * LMCC_SECOND, shares[i]);
    fail_unless (is_with (&scene, SSRC), "%u", i);
    check_change (&scene, 1, "10.0.0.2", "10.0.0.1");
    run (&scene, 30 * LMCC_SECOND, EVERYTHING);
    fail_unless (is_with (&scene, SSRC));
    fail_unless_equals_int (scene.test->n_source_changes, 1);
    scene_clear (&scene);
  }
}

GST_END_TEST;

/* Somebody repeats a record of the sender's own address, of another S0, through
 * a pause that is long enough for a sender that begins anew. */
GST_START_TEST (test_a_record_forged_in_the_senders_name_gives_way)
{
  LmccSession forged;
  Scene scene;
  guint i;

  scene_init (&scene, LMCC_SOURCE_POLICY_FIRST);
  play (&scene);
  forged = *session_of (&scene);
  forged.ssrc_base = OTHER_SSRC;
  forged.nonce = OTHER_NONCE;
  for (i = 0; i < 20; i++) {
    scene.loop->paused = i < 4;
    test_loop_send_record (scene.loop, scene.test, &forged,
        &scene.loop->sender_address);
    run (&scene, 250 * LMCC_MSECOND, NOTHING);
    if (i == 4)
      fail_unless (is_with (&scene, OTHER_SSRC));
  }
  for (i = 0; i < 8; i++) {
    test_loop_send_record (scene.loop, scene.test, &forged,
        &scene.loop->sender_address);
    run (&scene, 250 * LMCC_MSECOND, NOTHING);
  }
  fail_unless (is_with (&scene, SSRC));
  scene_clear (&scene);
}

GST_END_TEST;

GST_START_TEST (test_of_two_whole_sessions_the_first_one_stays)
{
  Scene scene;

  scene_init (&scene, LMCC_SOURCE_POLICY_FIRST);
  test_loop_start_sender (scene.loop, SSRC);
  run (&scene, 300 * LMCC_MSECOND, NOTHING);
  start_other (&scene);
  run (&scene, 60 * LMCC_SECOND, EVERYTHING);
  fail_unless (is_with (&scene, SSRC));
  fail_unless_equals_int (scene.test->n_source_changes, 0);
  scene_clear (&scene);
}

GST_END_TEST;

/* Forged records of a thousand hosts, while the sender is silent. */
GST_START_TEST (test_a_thousand_hosts_take_over_at_most_each_ten_seconds)
{
  LmccSession forged;
  Scene scene;
  guint i;

  scene_init (&scene, LMCC_SOURCE_POLICY_FIRST);
  play (&scene);
  forged = *session_of (&scene);
  test_loop_pause (scene.loop);
  for (i = 0; i < 4000; i++) {
    g_autofree gchar *text = g_strdup_printf ("10.7.%u.%u", i / 4 / 250 + 1,
        i / 4 % 250 + 1);
    LmccAddress from = address (text);

    forged.ssrc_base = (i + 1) << 12;
    /* Reports are wanted elsewhere: each would be a reason to warn. */
    forged.feedback_interval = LMCC_SECOND;
    test_loop_send_record (scene.loop, scene.test, &forged, &from);
    run (&scene, 10 * LMCC_MSECOND, NOTHING);
  }
  fail_unless (scene.test->n_source_changes <= 4, "%u",
      scene.test->n_source_changes);
  fail_unless (scene.test->n_warnings <= 4, "%u", scene.test->n_warnings);
  test_loop_resume (scene.loop);
  run (&scene, 3 * LMCC_SECOND, NOTHING);
  fail_unless (is_with (&scene, SSRC));
  scene_clear (&scene);
}

GST_END_TEST;

/* A forger that was first, and a thousand hosts beside the true sender. */
GST_START_TEST (test_a_crowd_of_records_does_not_hide_the_sender)
{
  LmccSession forged;
  Scene scene;
  guint i;

  scene_init (&scene, LMCC_SOURCE_POLICY_FIRST);
  start_other (&scene);
  run (&scene, LMCC_SECOND, RECORDS);
  forged = *session_of (&scene);
  test_loop_start_sender (scene.loop, SSRC);
  for (i = 0; i < 900; i++) {
    g_autofree gchar *text = g_strdup_printf ("10.7.%u.%u", i / 250 + 1,
        i % 250 + 1);
    LmccAddress from = address (text);

    test_loop_send_record (scene.loop, scene.test, &forged, &from);
    run (&scene, 10 * LMCC_MSECOND, RECORDS);
  }
  fail_unless (is_with (&scene, SSRC));
  scene_clear (&scene);
}

GST_END_TEST;

/* The other host's session has no algorithm, or one that nobody knows. */
GST_START_TEST (test_no_other_host_says_that_there_is_no_algorithm)
{
  static const gchar *const names[] = { "none", "unheard-of" };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (names); i++) {
    Scene scene;

    scene_init (&scene, LMCC_SOURCE_POLICY_FIRST);
    play (&scene);
    scene.other->algorithm = names[i];
    start_other (&scene);
    test_loop_kill_sender (scene.loop);
    run (&scene, 20 * LMCC_SECOND, EVERYTHING);
    fail_unless (is_with (&scene, SSRC));
    fail_unless_equals_int (scene.test->n_source_changes, 0);
    fail_unless (strstr (scene.test->warning, "has no algorithm") != NULL);
    lmcc_receiver_set_max_level (scene.test->receiver, 1, scene.loop->now);
    run (&scene, 3 * LMCC_SECOND, EVERYTHING);
    fail_unless (is_with (&scene, OTHER_SSRC));
    scene_clear (&scene);
  }
}

GST_END_TEST;

GST_START_TEST (test_any_sender_is_taken_where_the_user_says_so)
{
  Scene scene;

  scene_init (&scene, LMCC_SOURCE_POLICY_ANY);
  play (&scene);
  start_other (&scene);
  run (&scene, 3 * LMCC_SECOND, EVERYTHING);
  fail_unless (is_with (&scene, SSRC));
  test_loop_pause (scene.loop);
  run (&scene, LMCC_SECOND, EVERYTHING);
  fail_unless (is_with (&scene, OTHER_SSRC));
  test_loop_resume (scene.loop);
  run (&scene, 5 * LMCC_SECOND, EVERYTHING);
  fail_unless (is_with (&scene, OTHER_SSRC));
  scene_clear (&scene);
}

GST_END_TEST;

GST_START_TEST (test_the_user_is_asked_and_decides)
{
  LmccAddress first = address ("10.0.0.1"), other = address ("10.0.0.2");
  Scene scene;

  scene_init (&scene, LMCC_SOURCE_POLICY_ASK);
  play (&scene);
  start_other (&scene);
  run (&scene, 30 * LMCC_SECOND, EVERYTHING);
  fail_unless (is_with (&scene, SSRC));
  fail_unless_equals_int (scene.test->n_asked, 1);
  fail_unless (lmcc_address_equal (&scene.test->asked.previous, &first));
  fail_unless (lmcc_address_equal (&scene.test->asked.destination, &other));

  fail_unless (lmcc_receiver_answer_source (scene.test->receiver, &other, TRUE,
          scene.loop->now));
  test_loop_drain (scene.loop);
  run (&scene, 3 * LMCC_SECOND, EVERYTHING);
  fail_unless (is_with (&scene, OTHER_SSRC));
  check_change (&scene, 1, "10.0.0.1", "10.0.0.2");

  /* Nor is it taken when the other one is silent. */
  fail_if (lmcc_receiver_answer_source (scene.test->receiver, &first, FALSE,
          scene.loop->now));
  test_loop_kill_sender (scene.other);
  run (&scene, 30 * LMCC_SECOND, NOTHING);
  fail_unless (is_with (&scene, OTHER_SSRC));
  scene_clear (&scene);
}

GST_END_TEST;

/* Without an answer it is as with the first policy. */
GST_START_TEST (test_a_question_without_an_answer_changes_nothing)
{
  Scene scene;

  scene_init (&scene, LMCC_SOURCE_POLICY_ASK);
  play (&scene);
  start_other (&scene);
  test_loop_pause (scene.loop);
  run (&scene, 9900 * LMCC_MSECOND, EVERYTHING);
  fail_unless (is_with (&scene, SSRC));
  run (&scene, 3 * LMCC_SECOND, EVERYTHING);
  fail_unless (is_with (&scene, OTHER_SSRC));
  test_loop_resume (scene.loop);
  run (&scene, 2 * LMCC_SECOND, EVERYTHING);
  fail_unless (is_with (&scene, SSRC));
  scene_clear (&scene);
}

GST_END_TEST;

GST_START_TEST (test_a_codec_that_is_not_allowed_is_refused_with_a_remedy)
{
  static const gchar *const codecs[] = { "AV1", "THEORA", NULL };
  LmccAddress from = address ("10.0.0.2");
  LmccSession session;
  Scene scene;

  scene_init (&scene, LMCC_SOURCE_POLICY_FIRST);
  start_other (&scene);
  session = *lmcc_sender_get_session (scene.other->sender);
  g_strlcpy (session.video.encoding_name, "THEORA", LMCC_ENCODING_NAME_SIZE);
  test_loop_send_record (scene.loop, scene.test, &session, &from);
  fail_unless (session_of (&scene) == NULL);
  fail_unless (strstr (scene.test->warning, "THEORA") != NULL);
  fail_unless (strstr (scene.test->warning, "codecs") != NULL);
  test_loop_send_record (scene.loop, scene.test, &session, &from);
  fail_unless_equals_int (scene.test->n_warnings, 1);
  scene_clear (&scene);

  memset (&scene, 0, sizeof (scene));
  scene.loop = make_loop ("10.0.0.1", NONCE);
  scene.other = make_loop ("10.0.0.2", OTHER_NONCE);
  scene.loop->codecs = codecs;
  scene.test = test_loop_add_receiver (scene.loop, -1, LMCC_ON_LOSS_FREEZE);
  test_loop_send_record (scene.loop, scene.test, &session, &from);
  fail_unless (session_of (&scene) != NULL);
  scene_clear (&scene);
}

GST_END_TEST;

/* Forty in a second, each between packets of the true sender. */
GST_START_TEST (test_forged_goodbyes_are_told_of_each_ten_seconds)
{
  LmccSenderReport report = {.ssrc = SSRC };
  g_autoptr (LmccPacket) bye = lmcc_rtcp_build_bye (&report, "forged");
  Scene scene;
  guint i, before;

  scene_init (&scene, LMCC_SOURCE_POLICY_FIRST);
  play (&scene);
  before = scene.test->n_waiting;
  for (i = 0; i < 800; i++) {
    lmcc_receiver_handle_control (scene.test->receiver, scene.loop->now,
        &scene.loop->sender_address, 40000, bye->data, bye->size);
    run (&scene, 25 * LMCC_MSECOND, NOTHING);
  }
  fail_unless (scene.test->n_waiting - before <= 3, "%u",
      scene.test->n_waiting - before);
  fail_unless (is_with (&scene, SSRC));
  test_check_nothing_broken (scene.test);
  scene_clear (&scene);
}

GST_END_TEST;

GST_START_TEST (test_messages_of_one_kind_are_ten_seconds_apart_and_counted)
{
  LmccMessageLimit limit = { 0 };
  guint64 held_back = 9;
  guint i;

  fail_unless (lmcc_message_limit_take (&limit, 0, &held_back));
  fail_unless_equals_uint64 (held_back, 0);
  for (i = 1; i < 10; i++)
    fail_if (lmcc_message_limit_take (&limit, i * LMCC_SECOND, NULL));
  fail_unless (lmcc_message_limit_take (&limit, 10 * LMCC_SECOND, &held_back));
  fail_unless_equals_uint64 (held_back, 9);
  fail_unless (lmcc_message_limit_take (&limit, 20 * LMCC_SECOND, &held_back));
  fail_unless_equals_uint64 (held_back, 0);
}

GST_END_TEST;

static Suite *
receiver_sources_suite (void)
{
  Suite *suite = suite_create ("receiver-sources");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 120);
  tcase_add_test (tcase, test_no_two_records_in_one_datagram_change_a_session);
  tcase_add_test (tcase, test_nothing_that_was_half_parsed_is_entered);
  tcase_add_test (tcase, test_a_pause_is_not_used_by_who_repeats_a_record);
  tcase_add_test (tcase, test_the_sender_is_returned_to_after_a_minute);
  tcase_add_test (tcase, test_another_address_is_taken_after_ten_seconds);
  tcase_add_test (tcase,
      test_a_sender_that_begins_anew_is_back_within_two_seconds);
  tcase_add_test (tcase, test_a_forged_record_that_was_first_gives_way);
  tcase_add_test (tcase, test_a_record_forged_in_the_senders_name_gives_way);
  tcase_add_test (tcase, test_of_two_whole_sessions_the_first_one_stays);
  tcase_add_test (tcase,
      test_a_thousand_hosts_take_over_at_most_each_ten_seconds);
  tcase_add_test (tcase, test_a_crowd_of_records_does_not_hide_the_sender);
  tcase_add_test (tcase, test_no_other_host_says_that_there_is_no_algorithm);
  tcase_add_test (tcase, test_any_sender_is_taken_where_the_user_says_so);
  tcase_add_test (tcase, test_the_user_is_asked_and_decides);
  tcase_add_test (tcase, test_a_question_without_an_answer_changes_nothing);
  tcase_add_test (tcase,
      test_a_codec_that_is_not_allowed_is_refused_with_a_remedy);
  tcase_add_test (tcase, test_forged_goodbyes_are_told_of_each_ten_seconds);
  tcase_add_test (tcase,
      test_messages_of_one_kind_are_ten_seconds_apart_and_counted);

  return suite;
}

GST_CHECK_MAIN (receiver_sources);
