/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests forged session records: the receiver enters only valid sessions, and
 * forged records do not hide the sender.
 */
#include "support/test-scene.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>
#include <string.h>

/* Valid and invalid records of the sender's host: one has more layers than
 * arrays hold, one a clock rate of 0, one no port, one is truncated. */
static gchar *
make_record (guint kind, guint32 *ssrc)
{
  LmccSession session;
  gchar *text;

  lmcc_session_init (&session);
  session.address = test_address ("239.255.42.1");
  session.source = test_address ("10.0.0.1");
  session.port = 5004;
  session.ssrc_base = *ssrc = kind % 2 == 0 ? TEST_SSRC : TEST_OTHER_SSRC;
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
append_record (GByteArray *datagram, guint kind, guint index, guint count)
{
  guint32 ssrc;
  g_autofree gchar *text = make_record (kind, &ssrc);
  gsize part = strlen (text) / count;
  LmccRecordFragment fragment = { ssrc, (guint16) (77 + kind), (guint8) index,
    (guint8) count, (const guint8 *) text + index * part,
    index + 1 < count ? part : strlen (text) - index * part };
  LmccSenderReport report = { .ssrc = ssrc, .ntp_time = 1 };
  g_autoptr (LmccPacket) packet =
      lmcc_rtcp_build (&report, 1, "forged", &fragment);

  g_byte_array_append (datagram, packet->data, (guint) packet->size);
}

/* Every sequence of two records, each whole or both in interleaved
 * fragments. */
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
send_packet (TestScene *scene, const LmccAddress *from, guint32 ssrc)
{
  static const guint8 payload[100] = { 0 };
  LmccHeader header = { .top_layer = 2,
    .signal = -1,
    .first = TRUE,
    .last = TRUE };
  LmccRtp rtp = { .payload_type = 96,
    .ssrc = ssrc,
    .payload_size = sizeof (payload) };

  lmcc_receiver_handle_packet (scene->test->receiver, scene->loop->now,
      scene->loop->now, 0, from, 40000,
      lmcc_rtp_build (&rtp, &header, LMCC_HEADER_DEFAULT_ID, payload));
}

static void
attack (TestScene *scene, const LmccAddress *from, guint first, guint second,
    gboolean parts)
{
  TestLoop *loop = scene->loop;
  g_autoptr (GByteArray) datagram = make_datagram (first, second, parts);

  lmcc_receiver_handle_control (scene->test->receiver, loop->now, from, 40000,
      datagram->data, datagram->len);
  send_packet (scene, from, TEST_SSRC);
  send_packet (scene, from, TEST_OTHER_SSRC);
  if (test_scene_session (scene) != NULL)
    fail_unless (lmcc_session_validate (test_scene_session (scene), NULL));
}

GST_START_TEST (test_no_two_records_in_one_datagram_change_a_session)
{
  LmccAddress stranger = test_address ("10.6.6.6");
  guint first, second, parts;
  TestScene scene;

  test_scene_init (&scene, LMCC_SOURCE_POLICY_FIRST);
  test_scene_play (&scene);
  for (first = 0; first < N_KINDS; first++) {
    for (second = 0; second < N_KINDS; second++) {
      for (parts = 0; parts < 2; parts++) {
        LmccSession before = *test_scene_session (&scene);

        attack (&scene, &stranger, first, second, parts);
        fail_unless (
            memcmp (&before, test_scene_session (&scene), sizeof (before))
            == 0);
        fail_unless_equals_int (
            lmcc_receiver_get_session (scene.test->receiver)->ssrc_base,
            TEST_SSRC);
      }
    }
  }
  test_scene_run (&scene, LMCC_SECOND, TEST_SHARE_NOTHING);
  test_check_nothing_broken (scene.test);
  test_scene_clear (&scene);
}

GST_END_TEST;

/* Before a sender is heard, after its silence, after its BYE, and from the
 * sender's host: every session entered is valid. */
GST_START_TEST (test_nothing_that_was_half_parsed_is_entered)
{
  guint first, second, parts, when;

  for (when = 0; when < 4; when++) {
    for (first = 0; first < N_KINDS; first++) {
      for (second = 0; second < N_KINDS; second++) {
        for (parts = 0; parts < 2; parts++) {
          LmccAddress from = test_address (when < 2 ? "10.6.6.6" : "10.0.0.1");
          LmccReceiverStats stats;
          gboolean good = first < 2 || second < 2;
          TestScene scene;

          test_scene_init (&scene, LMCC_SOURCE_POLICY_ANY);
          if (when > 0) {
            test_loop_start_sender (scene.loop, TEST_SSRC);
            test_scene_run (&scene, LMCC_SECOND / 2, TEST_SHARE_NOTHING);
            if (when == 3)
              lmcc_sender_stop (scene.loop->sender, scene.loop->now);
            test_loop_drain (scene.loop);
            test_loop_kill_sender (scene.loop);
            test_scene_run (&scene, LMCC_SECOND, TEST_SHARE_NOTHING);
          }
          attack (&scene, &from, first, second, parts);
          lmcc_receiver_get_stats (scene.test->receiver, scene.loop->now,
              &stats);
          if (when == 0 && !parts)
            fail_unless_equals_uint64 (stats.sources, good);
          test_scene_clear (&scene);
        }
      }
    }
  }
}

GST_END_TEST;

/* A forger repeats a record with the sender's own address and a different
 * S0, through a pause that is long enough for a restarted sender. */
GST_START_TEST (test_a_record_forged_in_the_senders_name_gives_way)
{
  LmccSession forged;
  TestScene scene;
  guint i;

  test_scene_init (&scene, LMCC_SOURCE_POLICY_FIRST);
  test_scene_play (&scene);
  forged = *test_scene_session (&scene);
  forged.ssrc_base = TEST_OTHER_SSRC;
  forged.nonce = TEST_OTHER_NONCE;
  for (i = 0; i < 20; i++) {
    scene.loop->paused = i < 4;
    test_loop_send_record (scene.loop, scene.test, &forged,
        &scene.loop->sender_address);
    test_scene_run (&scene, 250 * LMCC_MSECOND, TEST_SHARE_NOTHING);
    if (i == 4)
      fail_unless (test_scene_is_with (&scene, TEST_OTHER_SSRC));
  }
  for (i = 0; i < 8; i++) {
    test_loop_send_record (scene.loop, scene.test, &forged,
        &scene.loop->sender_address);
    test_scene_run (&scene, 250 * LMCC_MSECOND, TEST_SHARE_NOTHING);
  }
  fail_unless (test_scene_is_with (&scene, TEST_SSRC));
  test_scene_clear (&scene);
}

GST_END_TEST;

/* Forged records of a thousand hosts, while the sender is silent. */
GST_START_TEST (test_a_thousand_hosts_take_over_at_most_each_ten_seconds)
{
  LmccSession forged;
  TestScene scene;
  guint i;

  test_scene_init (&scene, LMCC_SOURCE_POLICY_FIRST);
  test_scene_play (&scene);
  forged = *test_scene_session (&scene);
  test_loop_pause (scene.loop);
  for (i = 0; i < 4000; i++) {
    g_autofree gchar *text =
        g_strdup_printf ("10.7.%u.%u", i / 4 / 250 + 1, i / 4 % 250 + 1);
    LmccAddress from = test_address (text);

    forged.ssrc_base = (i + 1) << 12;
    /* The records request reports at another address: each would cause a
     * warning. */
    forged.feedback_interval = LMCC_SECOND;
    test_loop_send_record (scene.loop, scene.test, &forged, &from);
    test_scene_run (&scene, 10 * LMCC_MSECOND, TEST_SHARE_NOTHING);
  }
  fail_unless (scene.test->n_source_changes <= 4, "%u",
      scene.test->n_source_changes);
  fail_unless (scene.test->n_warnings <= 4, "%u", scene.test->n_warnings);
  test_loop_resume (scene.loop);
  test_scene_run (&scene, 3 * LMCC_SECOND, TEST_SHARE_NOTHING);
  fail_unless (test_scene_is_with (&scene, TEST_SSRC));
  test_scene_clear (&scene);
}

GST_END_TEST;

/* A forger that started first, and a thousand hosts beside the real sender. */
GST_START_TEST (test_a_crowd_of_records_does_not_hide_the_sender)
{
  LmccSession forged;
  TestScene scene;
  guint i;

  test_scene_init (&scene, LMCC_SOURCE_POLICY_FIRST);
  test_scene_start_other (&scene, TEST_OTHER_SSRC);
  test_scene_run (&scene, LMCC_SECOND, TEST_SHARE_RECORDS);
  forged = *test_scene_session (&scene);
  test_loop_start_sender (scene.loop, TEST_SSRC);
  for (i = 0; i < 900; i++) {
    g_autofree gchar *text =
        g_strdup_printf ("10.7.%u.%u", i / 250 + 1, i % 250 + 1);
    LmccAddress from = test_address (text);

    test_loop_send_record (scene.loop, scene.test, &forged, &from);
    test_scene_run (&scene, 10 * LMCC_MSECOND, TEST_SHARE_RECORDS);
  }
  fail_unless (test_scene_is_with (&scene, TEST_SSRC));
  test_scene_clear (&scene);
}

GST_END_TEST;

GST_START_TEST (test_a_codec_that_is_not_allowed_is_refused_with_a_remedy)
{
  static const gchar *const codecs[] = { "AV1", "THEORA", NULL };
  LmccAddress from = test_address ("10.0.0.2");
  LmccSession session;
  TestScene scene;

  test_scene_init (&scene, LMCC_SOURCE_POLICY_FIRST);
  test_scene_start_other (&scene, TEST_OTHER_SSRC);
  session = *lmcc_sender_get_session (scene.other->sender);
  g_strlcpy (session.video.encoding_name, "THEORA", LMCC_ENCODING_NAME_SIZE);
  test_loop_send_record (scene.loop, scene.test, &session, &from);
  fail_unless (test_scene_session (&scene) == NULL);
  fail_unless (strstr (scene.test->warning, "THEORA") != NULL);
  fail_unless (strstr (scene.test->warning, "codecs") != NULL);
  test_loop_send_record (scene.loop, scene.test, &session, &from);
  fail_unless_equals_int (scene.test->n_warnings, 1);
  /* The receiver heard it. */
  test_scene_run (&scene, 2 * LMCC_UNHEARD_TIMEOUT, 0);
  fail_unless_equals_int (scene.test->n_unheard, 0);
  test_scene_clear (&scene);

  test_scene_init_with (&scene, LMCC_SOURCE_POLICY_FIRST, codecs);
  test_loop_send_record (scene.loop, scene.test, &session, &from);
  fail_unless (test_scene_session (&scene) != NULL);
  test_scene_clear (&scene);
}

GST_END_TEST;

/* Forty per second, each between packets of the real sender. */
GST_START_TEST (test_forged_goodbyes_are_told_of_each_ten_seconds)
{
  LmccSenderReport report = { .ssrc = TEST_SSRC };
  g_autoptr (LmccPacket) bye = lmcc_rtcp_build_bye (&report, "forged");
  TestScene scene;
  guint i, before;

  test_scene_init (&scene, LMCC_SOURCE_POLICY_FIRST);
  test_scene_play (&scene);
  before = scene.test->n_waiting;
  for (i = 0; i < 800; i++) {
    lmcc_receiver_handle_control (scene.test->receiver, scene.loop->now,
        &scene.loop->sender_address, 40000, bye->data, bye->size);
    test_scene_run (&scene, 25 * LMCC_MSECOND, TEST_SHARE_NOTHING);
  }
  fail_unless (scene.test->n_waiting - before <= 3, "%u",
      scene.test->n_waiting - before);
  fail_unless (test_scene_is_with (&scene, TEST_SSRC));
  test_check_nothing_broken (scene.test);
  test_scene_clear (&scene);
}

GST_END_TEST;

static Suite *
receiver_records_suite (void)
{
  Suite *suite = suite_create ("receiver-records");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 120);
  tcase_add_test (tcase, test_no_two_records_in_one_datagram_change_a_session);
  tcase_add_test (tcase, test_nothing_that_was_half_parsed_is_entered);
  tcase_add_test (tcase, test_a_record_forged_in_the_senders_name_gives_way);
  tcase_add_test (tcase,
      test_a_thousand_hosts_take_over_at_most_each_ten_seconds);
  tcase_add_test (tcase, test_a_crowd_of_records_does_not_hide_the_sender);
  tcase_add_test (tcase,
      test_a_codec_that_is_not_allowed_is_refused_with_a_remedy);
  tcase_add_test (tcase, test_forged_goodbyes_are_told_of_each_ten_seconds);

  return suite;
}

GST_CHECK_MAIN (receiver_records);
