/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests lmccsrc with another host on the sender's group: 127.0.0.2 besides
 * 127.0.0.1.
 */
#include "fake-sender.h"
#include "src-tools.h"

#include <gst/app/app.h>
#include <gst/check/gstcheck.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtcp.h>
#include <gst/lmcc/wire/rtp.h>
#include <string.h>
#include <unistd.h>

/* Of this process, so that tests running at the same time are not heard. */
#define PORT ((guint16) (40000 + 2 * (getpid () % 5000)))
#define FORGER "127.0.0.2"
#define FORGED_SSRC 0x6789a000u

#define RECORD_INTERVAL (250 * GST_MSECOND)

static const gchar *
get_address (void)
{
  static gchar address[16];

  g_snprintf (address, sizeof (address), "239.255.%d.1",
      20 + (gint) (getpid () % 100));
  return address;
}

/* The sender has no algorithm: beside another host, the receiver needs a
 * level cap in @options. */
static void
receiver_init (TestSrc *self, const gchar *options)
{
  g_autofree gchar *uri =
      g_strdup_printf ("lmcc://%s:%d?multicast-iface=lo", get_address (), PORT);

  test_src_init (self, options, uri, "max-buffers=10 drop=true");
  test_src_play (self);
}

/* A record from the forger; an invalid one has a clock rate of 0 and more
 * layers than a session can have. */
static void
append_record (GByteArray *datagram, gboolean good)
{
  LmccSession session;
  LmccSenderReport report = { .ssrc = FORGED_SSRC };
  LmccRecordFragment fragment = { .ssrc = FORGED_SSRC,
    .version = 1,
    .count = 1 };
  g_autoptr (LmccPacket) packet = NULL;
  g_autofree gchar *text = NULL;

  lmcc_session_init (&session);
  fail_unless (lmcc_address_parse (get_address (), &session.address));
  fail_unless (lmcc_address_parse (FORGER, &session.source));
  session.port = PORT;
  session.ssrc_base = FORGED_SSRC;
  session.revision = 1;
  session.video.clock_rate = 90000;
  g_strlcpy (session.video.encoding_name, "H264", LMCC_ENCODING_NAME_SIZE);
  g_strlcpy (session.algorithm, "elm", sizeof (session.algorithm));
  text = lmcc_sdp_format (&session, LMCC_SDP_RECORD);
  if (!good) {
    gchar *at = strstr (text, "H264/90000");

    memcpy (at, "H264/0", sizeof ("H264/0"));
  }
  fragment.data = (const guint8 *) text;
  fragment.size = strlen (text);
  packet = lmcc_rtcp_build (&report, 1, "forged", &fragment);
  g_byte_array_append (datagram, packet->data, (guint) packet->size);
}

/* The records, followed by an RTP packet of the session that they describe. */
static void
send_forged (gboolean first, gboolean second)
{
  static const guint8 payload[100] = { 0 };
  LmccHeader header = { .signal = -1, .first = TRUE, .last = TRUE };
  LmccRtp rtp = { .payload_type = 96,
    .ssrc = FORGED_SSRC,
    .payload_size = sizeof (payload) };
  g_autoptr (GByteArray) datagram = g_byte_array_new ();
  g_autoptr (LmccPacket) packet =
      lmcc_rtp_build (&rtp, &header, LMCC_HEADER_DEFAULT_ID, payload);

  append_record (datagram, first);
  append_record (datagram, second);
  fake_sender_send_from (FORGER, get_address (), PORT + 1, datagram->data,
      datagram->len);
  fake_sender_send_from (FORGER, get_address (), PORT, packet->data,
      packet->size);
}

/* Repeats the forged record until a message of @types or an error arrives
 * (transfer full). */
static GstMessage *
pop_while_forging (TestSrc *self, GstMessageType types)
{
  gint64 end = g_get_monotonic_time () + (gint64) (TEST_SRC_PATIENCE / 1000);

  while (g_get_monotonic_time () < end) {
    GstMessage *message;

    send_forged (TRUE, FALSE);
    message = gst_bus_timed_pop_filtered (self->bus, RECORD_INTERVAL,
        types | GST_MESSAGE_ERROR);
    if (message == NULL)
      continue;
    fail_if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR);
    return message;
  }
  fail ("no message came");
  return NULL;
}

/* (transfer full): the message with this name, during forged records */
static GstMessage *
wait_for (TestSrc *self, const gchar *name)
{
  for (;;) {
    GstMessage *message = pop_while_forging (self, GST_MESSAGE_ELEMENT);

    if (gst_message_has_name (message, name))
      return message;
    gst_message_unref (message);
  }
}

/* Expects a warning with these words, during forged records. */
static void
check_warning (TestSrc *self, const gchar *words, const gchar *remedy)
{
  gboolean found = FALSE;

  while (!found) {
    g_autoptr (GstMessage) message =
        pop_while_forging (self, GST_MESSAGE_WARNING);
    g_autoptr (GError) error = NULL;

    gst_message_parse_warning (message, &error, NULL);
    found = strstr (error->message, words) != NULL;
    fail_unless (!found || strstr (error->message, remedy) != NULL,
        "'%s' is not in: %s", remedy, error->message);
  }
}

static void
check_addresses (GstMessage *message, const gchar *from, const gchar *to)
{
  const GstStructure *s = gst_message_get_structure (message);

  fail_unless_equals_string (gst_structure_get_string (s, "from"), from);
  fail_unless_equals_string (gst_structure_get_string (s, "to"), to);
}

GST_START_TEST (test_a_forged_record_that_was_first_gives_way)
{
  g_autoptr (GstMessage) message = NULL;
  FakeSender *sender;
  TestSrc receiver;

  receiver_init (&receiver, "max-level=0");
  gst_message_unref (wait_for (&receiver, "lmcc-level-changed"));
  sender = fake_sender_start (get_address (), PORT, 1, NULL);
  check_warning (&receiver,
      "The session came from " FORGER " and now comes from 127.0.0.1: ",
      ". Set multicast-source to receive from one sender only");
  message = wait_for (&receiver, "lmcc-source-changed");
  check_addresses (message, FORGER, "127.0.0.1");
  test_src_await (&receiver);
  fake_sender_stop (sender);
  test_src_clear (&receiver);
}

GST_END_TEST;

GST_START_TEST (test_the_application_is_asked_and_decides)
{
  g_autoptr (GstMessage) asked = NULL;
  g_autoptr (GstMessage) changed = NULL;
  FakeSender *sender;
  TestSrc receiver;
  gboolean taken = TRUE;

  sender = fake_sender_start (get_address (), PORT, 1, NULL);
  receiver_init (&receiver, "source-policy=ask max-level=0");
  test_src_await (&receiver);
  asked = wait_for (&receiver, "lmcc-source-asked");
  check_addresses (asked, "127.0.0.1", FORGER);
  g_signal_emit_by_name (receiver.src, "answer-source", "nobody", TRUE, &taken);
  fail_if (taken);
  g_signal_emit_by_name (receiver.src, "answer-source", FORGER, TRUE, &taken);
  fail_unless (taken);
  changed = wait_for (&receiver, "lmcc-source-changed");
  check_addresses (changed, "127.0.0.1", FORGER);
  fake_sender_stop (sender);
  test_src_clear (&receiver);
}

GST_END_TEST;

GST_START_TEST (test_another_host_beside_the_sender_is_named)
{
  g_autofree gchar *words = NULL;
  g_autoptr (GstMessage) message = NULL;
  FakeSender *sender;
  TestSrc receiver;

  sender = fake_sender_start (get_address (), PORT, 1, NULL);
  receiver_init (&receiver, "max-level=0");
  test_src_await (&receiver);
  words = g_strdup_printf ("Two senders use %s port %d: 127.0.0.1 is "
                           "received, and " FORGER
                           " is dropped but loads the network",
      get_address (), PORT);
  check_warning (&receiver, words,
      "Move one of them to another address or port; "
      "multicast-source=ADDRESS selects one of them");
  message = wait_for (&receiver, "lmcc-source-beside");
  check_addresses (message, "127.0.0.1", FORGER);
  fake_sender_stop (sender);
  test_src_clear (&receiver);
}

GST_END_TEST;

GST_START_TEST (test_no_two_records_in_one_datagram_end_a_receiver)
{
  FakeSender *sender;
  TestSrc receiver;
  guint i;

  receiver_init (&receiver, "source-policy=any max-level=0");
  for (i = 0; i < 20; i++)
    send_forged (i % 2, i / 2 % 2);
  sender = fake_sender_start (get_address (), PORT, 1, NULL);
  for (i = 0; i < 20; i++)
    send_forged (i % 2, i / 2 % 2);
  /* Whichever host it chooses, it continues. */
  fake_sender_stop (sender);
  sender = fake_sender_start (get_address (), PORT, 1, NULL);
  test_src_await (&receiver);
  fake_sender_stop (sender);
  test_src_clear (&receiver);
}

GST_END_TEST;

GST_START_TEST (test_a_description_of_a_codec_that_is_not_allowed_is_an_error)
{
  static const gchar sdp[] =
      "v=0\r\no=- 4096 1 IN IP4 0.0.0.0\r\ns=-\r\n"
      "c=IN IP4 239.255.1.1/1\r\nt=0 0\r\na=x-lmcc:1 l=1000\r\n"
      "m=video 5004 RTP/AVP 96\r\na=rtpmap:96 THEORA/90000\r\n";
  gboolean allowed;

  for (allowed = FALSE; allowed <= TRUE; allowed++) {
    GstElement *pipeline = gst_parse_launch ("lmccsrc name=src "
                                             "multicast-iface=lo ! fakesink",
        NULL);
    GstElement *src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
    g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
    g_autoptr (GstMessage) message = NULL;
    g_autoptr (GError) error = NULL;

    g_object_set (src, "sdp", sdp, "codecs", allowed ? "AV1, theora" : NULL,
        NULL);
    fail_unless ((gst_element_set_state (pipeline, GST_STATE_PAUSED)
                     == GST_STATE_CHANGE_FAILURE)
        == !allowed);
    message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
    fail_unless ((message == NULL) == allowed);
    if (message) {
      gst_message_parse_error (message, &error, NULL);
      fail_unless (strstr (error->message, "codecs=THEORA") != NULL, "%s",
          error->message);
    }
    gst_element_set_state (pipeline, GST_STATE_NULL);
    gst_object_unref (src);
    gst_object_unref (pipeline);
  }
}

GST_END_TEST;

static Suite *
lmccsrc_sources_suite (void)
{
  Suite *suite = suite_create ("lmccsrc-sources");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  tcase_add_test (tcase, test_a_forged_record_that_was_first_gives_way);
  tcase_add_test (tcase, test_the_application_is_asked_and_decides);
  tcase_add_test (tcase, test_another_host_beside_the_sender_is_named);
  tcase_add_test (tcase, test_no_two_records_in_one_datagram_end_a_receiver);
  tcase_add_test (tcase,
      test_a_description_of_a_codec_that_is_not_allowed_is_an_error);

  return suite;
}

GST_CHECK_MAIN (lmccsrc_sources);
