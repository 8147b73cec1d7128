/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests session descriptions and session records (SDP).
 */
#include "support/test-slow.h"

#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <gst/sdp/gstsdpmessage.h>
#include <string.h>

#define RECORD_MAX 318

static void
small_session (LmccSession *session, const gchar *address)
{
  lmcc_session_init (session);
  fail_unless (lmcc_address_parse (address, &session->address));
  session->port = 5004;
  session->feedback_port = 5005;
  session->ssrc_base = 0x12345000;
  g_strlcpy (session->video.encoding_name, "H264",
      sizeof (session->video.encoding_name));
  session->video.clock_rate = 90000;
  session->layers[0].rate = 128001;
  session->layers[0].stream = 0;
  session->layers[0].klass = 0;
}

/* Eight layers: three rungs of three, three and two classes, with audio. */
static void
native_session (LmccSession *session, const gchar *address, const gchar *source)
{
  guint i;

  small_session (session, address);
  fail_unless (lmcc_address_parse (source, &session->source));
  session->version = 7;
  session->revision = 4123456789u;
  session->nonce = G_GUINT64_CONSTANT (0x00fedcba987654);
  session->ssrc_base = 0xfffff000;
  session->n_rungs = 3;
  session->n_layers = session->n_groups = 8;
  for (i = 0; i < 8; i++) {
    session->layers[i].rate = 512345 + 400000 * i;
    session->layers[i].stream = i / 3;
    session->layers[i].klass = i % 3;
  }
  g_strlcpy (session->sound.encoding_name, "OPUS",
      sizeof (session->sound.encoding_name));
  session->sound.clock_rate = 48000;
  session->window = 40 * LMCC_MSECOND;
  session->latency = 200 * LMCC_MSECOND;
  g_strlcpy (session->algorithm, "elm", sizeof (session->algorithm));
  session->rtt_max = 500 * LMCC_MSECOND;
  session->feedback_interval = 5 * LMCC_SECOND;
}

static void
every_field_session (LmccSession *session, const gchar *address,
    const gchar *source)
{
  native_session (session, address, source);
  session->native = FALSE;
  session->n_groups = 97;
  session->ttl = 255;
  session->source_specific = TRUE;
  session->layers[0].stream = LMCC_STREAM_NONE;
  session->layers[0].klass = LMCC_CLASS_MIXED;
  session->layers[1].rate = G_GUINT64_CONSTANT (1000000000000);
  session->layers[2].rate = 0;
  session->level_layers[0] = 1;
  session->level_layers[1] = 0x81;
  session->level_layers[2] = 0xff;
  session->payload_type = 97;
  session->repair_payload_type = 127;
  session->filler_payload_type = 126;
  session->header_id = 14;
  session->window = 1;
  session->latency = 1001 * LMCC_USECOND;
  session->packet_size = 1316;
  g_strlcpy (session->algorithm, "flid-dl", sizeof (session->algorithm));
  g_strlcpy (session->base_algorithm, "tfmcc",
      sizeof (session->base_algorithm));
  session->slot = 500 * LMCC_MSECOND;
  session->slot_modulus = 65530;
  session->turning_groups = 40;
  session->silent_groups = 31;
  session->rtt_max = 123456789;
  session->key_request_wait = 987654321;
  session->feedback_port = 54321;
  session->repair = 125;
  session->repair_delay = 60 * LMCC_MSECOND;
  session->train_cycle = 2500 * LMCC_MSECOND;
  g_strlcpy (session->sound_parameters,
      "mode=AAC-hbr;config=1188;sizelength=13",
      sizeof (session->sound_parameters));
}

static void
assert_same (const LmccSession *a, const LmccSession *b)
{
  guint i;

#define SAME(field) \
  fail_unless_equals_uint64 ((guint64) a->field, (guint64) b->field)
  SAME (version);
  SAME (revision);
  SAME (ssrc_base);
  SAME (nonce);
  fail_unless (lmcc_address_equal (&a->address, &b->address));
  SAME (port);
  SAME (ttl);
  fail_unless (lmcc_address_equal (&a->source, &b->source));
  SAME (source_specific);
  SAME (n_groups);
  SAME (n_layers);
  for (i = 0; i < a->n_layers; i++) {
    SAME (layers[i].rate);
    SAME (layers[i].stream);
    SAME (layers[i].klass);
  }
  fail_unless_equals_int (memcmp (a->level_layers, b->level_layers,
                              sizeof (a->level_layers)),
      0);
  SAME (native);
  fail_unless_equals_string (a->video.encoding_name, b->video.encoding_name);
  SAME (video.clock_rate);
  SAME (n_rungs);
  fail_unless_equals_string (a->sound.encoding_name, b->sound.encoding_name);
  SAME (sound.clock_rate);
  fail_unless_equals_string (a->sound_parameters, b->sound_parameters);
  SAME (payload_type);
  SAME (repair_payload_type);
  SAME (filler_payload_type);
  SAME (header_id);
  SAME (window);
  SAME (latency);
  SAME (packet_size);
  fail_unless_equals_string (a->algorithm, b->algorithm);
  fail_unless_equals_string (a->base_algorithm, b->base_algorithm);
  SAME (slot);
  SAME (slot_modulus);
  SAME (turning_groups);
  SAME (silent_groups);
  SAME (rtt_max);
  SAME (key_request_wait);
  SAME (feedback_interval);
  SAME (feedback_port);
  SAME (repair);
  SAME (repair_delay);
  SAME (train_cycle);
#undef SAME
}

static void
assert_round_trip (const LmccSession *session)
{
  LmccSdpForm form;

  for (form = LMCC_SDP_FILE; form <= LMCC_SDP_RECORD; form++) {
    g_autofree gchar *text = lmcc_sdp_format (session, form);
    g_autoptr (GError) error = NULL;
    LmccSession parsed;

    fail_unless (text != NULL);
    fail_unless (lmcc_sdp_parse (text, -1, &parsed, &error), "%s\n%s",
        error ? error->message : "", text);
    assert_same (session, &parsed);
  }
}

GST_START_TEST (every_field_survives_both_forms)
{
  LmccSession session;

  small_session (&session, "239.255.42.1");
  assert_round_trip (&session);
  small_session (&session, "ff15::4242:1");
  session.ttl = 0;
  assert_round_trip (&session);
  native_session (&session, "239.255.42.1", "192.0.2.17");
  assert_round_trip (&session);
  native_session (&session, "ff15::4242:1", "2001:db8::17");
  assert_round_trip (&session);
  every_field_session (&session, "232.1.2.3", "192.0.2.17");
  assert_round_trip (&session);
  every_field_session (&session, "ff3e::8000:1", "2001:db8::17");
  assert_round_trip (&session);
}

GST_END_TEST;

GST_START_TEST (every_layer_kind_survives)
{
  static const guint8 streams[] = { 0, 1, 12, 13, 15 };
  /* Every kind occurs in either layer, though not all combinations. */
  const guint step = test_is_slow () ? 17 : 1;
  LmccSession session;
  guint a, b, i, j;

  small_session (&session, "239.255.42.1");
  session.n_rungs = 14;
  session.payload_type = 96;
  session.n_layers = session.n_groups = 2;
  for (a = 0; a < G_N_ELEMENTS (streams) * 16; a++) {
    for (b = a % step; b < G_N_ELEMENTS (streams) * 16; b += step) {
      for (i = 0, j = a; i < 2; i++, j = b) {
        session.layers[i].stream = streams[j / 16];
        session.layers[i].klass = j % 16;
      }
      session.native = (a + b) % 2;
      assert_round_trip (&session);
    }
  }
}

GST_END_TEST;

GST_START_TEST (the_most_layers_survive)
{
  LmccSession session;
  guint i;

  small_session (&session, "239.255.42.1");
  session.native = FALSE;
  session.n_layers = session.n_groups = LMCC_MAX_LAYERS;
  session.layers[0].stream = LMCC_STREAM_NONE;
  session.layers[0].klass = LMCC_CLASS_MIXED;
  for (i = 0; i < LMCC_MAX_LAYERS; i++)
    session.layers[i].rate = G_GUINT64_CONSTANT (999999999999) - i;
  assert_round_trip (&session);
}

GST_END_TEST;

GST_START_TEST (a_record_of_eight_layers_fits_318_bytes)
{
  /* The longest addresses leave room only for the next port. */
  static const struct
  {
    const gchar *address;
    const gchar *source;
    guint16 feedback_port;
  } cases[] = {
    { "239.255.142.101", "192.168.200.217", 54321 },
    { "ff15::4242:1", "2001:db8:1234:5678:9abc:def0:1234:5678", 54321 },
    { "ff3e:40:2001:db8:1234:5678:8000:1",
        "2001:db8:1234:5678:9abc:def0:1234:5678", 5005 },
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *text = NULL;
    LmccSession session;

    native_session (&session, cases[i].address, cases[i].source);
    session.feedback_port = cases[i].feedback_port;
    text = lmcc_sdp_format (&session, LMCC_SDP_RECORD);
    fail_unless (strlen (text) <= RECORD_MAX, "%u bytes:\n%s",
        (guint) strlen (text), text);

    session.repair = 10000;
    session.repair_delay = 59999 * LMCC_MSECOND;
    g_free (text);
    text = lmcc_sdp_format (&session, LMCC_SDP_RECORD);
    fail_unless (strlen (text) <= RECORD_MAX + 21, "%u bytes:\n%s",
        (guint) strlen (text), text);
  }
}

GST_END_TEST;

static void
assert_feedback_port (guint16 port, guint16 feedback_port, const gchar *written,
    guint16 read)
{
  LmccSession session, parsed;
  LmccSdpForm form;

  small_session (&session, "239.255.42.1");
  session.port = port;
  session.feedback_port = feedback_port;
  for (form = LMCC_SDP_FILE; form <= LMCC_SDP_RECORD; form++) {
    g_autofree gchar *text = lmcc_sdp_format (&session, form);

    if (written != NULL)
      fail_unless (strstr (text, written) != NULL, "%s", text);
    else
      fail_unless (strstr (text, "fbp") == NULL, "%s", text);
    fail_unless (lmcc_sdp_parse (text, -1, &parsed, NULL));
    fail_unless_equals_int (parsed.feedback_port, read);
  }
}

GST_START_TEST (the_feedback_port_is_the_next_unless_it_is_said)
{
  assert_feedback_port (5004, 0, NULL, 5005);
  assert_feedback_port (5004, 5005, NULL, 5005);
  assert_feedback_port (65534, 0, NULL, 65535);
  assert_feedback_port (5004, 1, " fbp=1", 1);
  assert_feedback_port (5004, 5004, " fbp=5004", 5004);
  assert_feedback_port (5004, 65535, " fbp=65535", 65535);
}

GST_END_TEST;

static void
assert_gst_reads (const LmccSession *session, const gchar *text)
{
  gchar address[LMCC_ADDRESS_STRLEN];
  const GstSDPConnection *connection;
  const GstSDPMedia *media;
  GstSDPMessage *message;
  g_autofree gchar *rtpmap =
      g_strdup_printf ("%u H264/90000", session->payload_type);

  fail_unless_equals_int (gst_sdp_message_new (&message), GST_SDP_OK);
  fail_unless_equals_int (gst_sdp_message_parse_buffer ((const guint8 *) text,
                              strlen (text), message),
      GST_SDP_OK);
  connection = gst_sdp_message_get_connection (message);
  fail_unless_equals_string (connection->address,
      lmcc_address_format (&session->address, address));
  fail_unless (connection->addr_number <= 1);
  if (session->address.family == LMCC_FAMILY_IPV4)
    fail_unless_equals_int (connection->ttl, session->ttl);
  media = gst_sdp_message_get_media (message, 0);
  fail_unless_equals_string (gst_sdp_media_get_media (media), "video");
  fail_unless_equals_int (gst_sdp_media_get_port (media), session->port);
  fail_unless (gst_sdp_media_get_num_ports (media) <= 1);
  fail_unless_equals_int (gst_sdp_media_formats_len (media), 1);
  fail_unless_equals_string (gst_sdp_media_get_attribute_val (media, "rtpmap"),
      rtpmap);
  gst_sdp_message_free (message);
}

GST_START_TEST (gstreamer_reads_the_base_group_only)
{
  static const gchar *const addresses[][2] = {
    { "239.255.42.1", "192.0.2.17" },
    { "ff15::4242:1", "2001:db8::17" },
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (addresses); i++) {
    LmccSession session;
    LmccSdpForm form;

    every_field_session (&session, addresses[i][0], addresses[i][1]);
    for (form = LMCC_SDP_FILE; form <= LMCC_SDP_RECORD; form++) {
      g_autofree gchar *text = lmcc_sdp_format (&session, form);

      assert_gst_reads (&session, text);
    }
  }
}

GST_END_TEST;

/* RFC 4570 section 3: an attribute that other programs read, too. */
GST_START_TEST (a_source_specific_session_has_the_source_filter_of_rfc_4570)
{
  static const struct
  {
    const gchar *address;
    const gchar *source;
    const gchar *line;
  } cases[] = {
    { "232.3.4.5", "192.0.2.10",
        "\r\na=source-filter: incl IN IP4 232.3.4.5 192.0.2.10\r\n" },
    { "ff3e::11a", "2001:db8:1:2:240:96ff:fe25:8ec9",
        "\r\na=source-filter: incl IN IP6 ff3e::11a "
        "2001:db8:1:2:240:96ff:fe25:8ec9\r\n" },
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *text = NULL, *plain = NULL;
    LmccSession session;

    small_session (&session, cases[i].address);
    fail_unless (lmcc_address_parse (cases[i].source, &session.source));
    session.source_specific = TRUE;
    text = lmcc_sdp_format (&session, LMCC_SDP_FILE);
    fail_unless (strstr (text, cases[i].line) != NULL, "%s", text);

    session.source_specific = FALSE;
    plain = lmcc_sdp_format (&session, LMCC_SDP_FILE);
    fail_unless (strstr (plain, "source-filter") == NULL, "%s", plain);
  }
}

GST_END_TEST;

#define PLAIN                                                               \
  "v=0\r\no=alice 3838383838383838 1 IN IP4 host.example\r\n"               \
  "s=a\r\nc=IN IP4 239.1.1.1/1/3\r\nt=0 0\r\nm=video 5004/2 RTP/AVP 96\r\n" \
  "a=rtpmap:96 H264/90000\r\n"

GST_START_TEST (a_plain_stream_is_told_apart)
{
  g_autoptr (GError) error = NULL;
  LmccSession session;

  fail_if (lmcc_sdp_parse (PLAIN, -1, &session, &error));
  fail_unless (
      g_error_matches (error, LMCC_SESSION_ERROR, LMCC_SESSION_ERROR_NOT_LMCC));
  fail_unless (strstr (error->message, "sdp-location") != NULL);
}

GST_END_TEST;

#define HEAD "v=0\no=- 4096 1 IN IP4 192.0.2.1\ns=-\n"
#define TAIL "c=IN IP4 239.1.1.1/1\nt=0 0\n"
#define MEDIA "m=video 5004 RTP/AVP 96\na=rtpmap:96 H264/90000\n"
#define GOOD HEAD TAIL "a=x-lmcc:1 v=0 l=1000\n" MEDIA

GST_START_TEST (unknown_things_are_ignored)
{
  static const gchar *const texts[] = {
    GOOD,
    GOOD "a=fmtp:96 packetization-mode=1\na=recvonly\na=x-other:1 2 3\n",
    HEAD "i=x\nu=http://example.org\nb=AS:3\n" TAIL
         "a=x-lmcc:1 v=0 new=3,4 l=1000 flag\na=extmap:3 urn:other\n" MEDIA,
    GOOD "m=application 9 UDP/X 0\nc=IN IP4 host.example\na=rtcp:1\n",
    GOOD "a=extmap:4 urn:x-lmcc:layer\n"
         "a=extmap:5/recvonly urn:x-lmcc:algorithm\n",
    HEAD TAIL "a=x-lmcc:1 v=0 l=1000\nm=video 5004 RTP/AVP 96 97 98\n"
              "a=rtpmap:97 VP8/90000\na=rtpmap:96 h264/90000\n",
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GError) error = NULL;
    LmccSession session;

    fail_unless (lmcc_sdp_parse (texts[i], -1, &session, &error), "%u: %s", i,
        error ? error->message : "");
    fail_unless_equals_string (session.video.encoding_name, "H264");
    fail_unless_equals_uint64 (session.layers[0].rate, 1000);
  }
}

GST_END_TEST;

#define BAD(attribute) HEAD TAIL "a=x-lmcc:" attribute "\n" MEDIA

GST_START_TEST (bad_values_are_refused_with_a_reason)
{
  static const gchar *const texts[] = {
    "",
    "\n",
    "x",
    "v=1\n",
    "v=0\n\no=-\n",
    "<html>\n",
    "v=0\nq=1\n",
    BAD ("2 v=0 l=1000"),
    BAD ("1 v=0"),
    BAD ("1 v=0 l="),
    BAD ("1 v=0 l=,"),
    BAD ("1 v=256 l=1000"),
    BAD ("1 v=-1 l=1000"),
    BAD ("1 v=01 l=1000"),
    BAD ("1 v=0 v=0 l=1000"),
    BAD ("1 v=0 l=1 f=1"),
    BAD ("1 v= l=1"),
    BAD ("1 l=1000000000001"),
    BAD ("1 l=18446744073709551616"),
    BAD ("1 l=1+"),
    BAD ("1 l=1,2++"),
    BAD ("1 l=1:0"),
    BAD ("1 l=1:0.16"),
    BAD ("1 l=1:14.0"),
    BAD ("1 l=1:1.0 n=1"),
    BAD ("1 l=1:16.0"),
    BAD ("1 l=1x"),
    BAD ("1 l=1,2 g=1"),
    BAD ("1 l=1 g=98"),
    BAD ("1 l=1 g=0"),
    BAD ("1 l=1 n=0"),
    BAD ("1 l=1 n=15"),
    BAD ("1 l=1 rp=128"),
    BAD ("1 l=1 rp=96"),
    BAD ("1 l=1 rp=112"),
    BAD ("1 l=1 s=99"),
    BAD ("1 l=1 s=9001"),
    BAD ("1 l=1 w=1"),
    BAD ("1 l=1 w=61s"),
    BAD ("1 l=1 w=-1s"),
    BAD ("1 l=1 w=99999999999999999999s"),
    BAD ("1 l=1 d=60001ms"),
    BAD ("1 l=1 a="),
    BAD ("1 l=1 a=ELM"),
    BAD ("1 l=1 a=sixteen-letters."),
    BAD ("1 l=1 b=x/y"),
    BAD ("1 l=1 mod=0"),
    BAD ("1 l=1 mod=65537"),
    BAD ("1 l=1 turn=2"),
    BAD ("1 l=1 silent=1"),
    BAD ("1 l=1 rep=10001"),
    BAD ("1 l=1 fbp=0"),
    BAD ("1 l=1 fbp=65536"),
    BAD ("1 l=1 fbp="),
    BAD ("1 l=1 fbp=1 fbp=1"),
    BAD ("1 l=1 rtt=61s"),
    BAD ("1 l=1 fb=1000001s"),
    BAD ("1 l=1 kw=61s"),
    BAD ("1 l=1 kw=300"),
    BAD ("1 l=1 id=0"),
    BAD ("1 l=1 id=15"),
    BAD ("1 l=1 ssm=1"),
    BAD ("1 l=1 snd=OPUS"),
    BAD ("1 l=1 sndp=a=1"),
    BAD ("1 l=1 snd=OPUS/48000 sndp=<"),
    BAD ("1 l=1 snd=O S/1"),
    BAD ("1 l=1 snd=OPUS/0"),
    BAD ("1 l=1 snd=OPUS/999"),
    BAD ("1 l=1 snd=OPUS/1000001"),
    BAD ("1 l=1 sn=0123456789abc"),
    BAD ("1 l=1 sn=0123456789abcde"),
    BAD ("1 l=1 sn=0123456789ABCD"),
    BAD ("1 l=1 sn=00000000000000"),
    BAD ("1 l=1 sn=+123456789abcd"),
    BAD ("1 l=1 sn="),
    BAD ("1 l=1,1 lv="),
    BAD ("1 l=1,1 lv=0"),
    BAD ("1 l=1,1 lv=01,3"),
    BAD ("1 l=1,1 lv=2"),
    BAD ("1 l=1,1 lv=3"),
    BAD ("1 l=1,1,1 lv=3,7"),
    BAD ("1 l=1,1 lv=1,5"),
    BAD ("1 l=1,1 lv=1,1"),
    BAD ("1 l=1,1 lv=1,"),
    BAD ("1 l=1,1 lv=1,+3"),
    BAD ("1 l=1,1 lv=1,0x3"),
    BAD ("1 l=1,1 lv=1 lv=1"),
    BAD ("1 l=1,1,1,1 lv=1,B"),
    BAD ("1 l=1,1 lv=1,10000000000000003"),
    HEAD TAIL "a=x-lmcc:1 l=1\nm=video 5004 RTP/AVP 96\na=rtpmap:96 H264/0\n",
    HEAD TAIL "a=x-lmcc:1 l=1\nm=video 5004 RTP/AVP 96\na=rtpmap:96 H264/999\n",
    HEAD TAIL "a=x-lmcc:1 l=1\nm=video 5004 RTP/AVP 96\n"
              "a=rtpmap:96 H264/4294967295\n",
    BAD ("1 l=1\na=x-lmcc:1 l=1"),
    GOOD "m=video 5004 RTP/AVP 96\n",
    GOOD "a=rtcp:5006\n",
    GOOD "a=extmap:3 urn:x-lmcc:algorithm\n",
    GOOD "a=extmap:0 urn:x-lmcc:algorithm\n",
    GOOD "a=extmap:2 urn:x-lmcc:algorithm\na=extmap:3 urn:x-lmcc:algorithm\n",
    GOOD "a=extmap:15 urn:x-lmcc:layer\n",
    GOOD "c=IN IP4 239.1.1.2/1\n",
    GOOD "m=audio 5006 RTP/AVP 110\na=rtpmap:110 OPUS/48000/2\n",
    GOOD "m=audio 5004 RTP/AVP 97\na=rtpmap:97 OPUS/48000/2\n",
    GOOD "m=audio 5004 RTP/AVP 110\n",
    GOOD "m=audio 5004 RTP/AVP 110\na=rtpmap:110 OPUS/48000/2\n"
         "a=fmtp:110 a=1\na=fmtp:110 a=1\n",
    GOOD "m=audio 5004 RTP/AVP 110\na=rtpmap:110 OPUS/48000/2\n"
         "a=fmtp:110\n",
    HEAD "t=0 0\na=x-lmcc:1 l=1\n" MEDIA,
    HEAD TAIL "a=x-lmcc:1 l=1\nm=video 5004/2 RTP/AVP 96\n",
    HEAD TAIL "a=x-lmcc:1 l=1\nm=video 65535 RTP/AVP 96\n"
              "a=rtpmap:96 H264/90000\n",
    HEAD "c=IN IP4 239.1.1.1\nt=0 0\na=x-lmcc:1 l=1\n" MEDIA,
    HEAD "c=IN IP4 239.1.1.1/1/2\nt=0 0\na=x-lmcc:1 l=1\n" MEDIA,
    HEAD "c=IN IP4 239.1.1.1/256\nt=0 0\na=x-lmcc:1 l=1\n" MEDIA,
    HEAD "c=IN IP4 192.0.2.1/1\nt=0 0\na=x-lmcc:1 l=1\n" MEDIA,
    HEAD "c=IN IP6 ff15::1\nt=0 0\na=x-lmcc:1 l=1\n" MEDIA,
    HEAD "c=IN IP4 239.1.255.255/1\nt=0 0\na=x-lmcc:1 l=1,2\n" MEDIA,
    "v=0\no=- 4097 1 IN IP4 192.0.2.1\ns=-\n" TAIL "a=x-lmcc:1 l=1\n" MEDIA,
    "v=0\no=- 4096 1 IN IP4 239.0.0.1\ns=-\n" TAIL "a=x-lmcc:1 l=1\n" MEDIA,
    "v=0\no=- 4096 4294967296 IN IP4 192.0.2.1\ns=-\n" TAIL
    "a=x-lmcc:1 l=1\n" MEDIA,
    "v=0\no=- 4096 1 IN IP4 0.0.0.0\ns=-\n" TAIL "a=x-lmcc:1 l=1 ssm\n" MEDIA,
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GError) error = NULL;
    LmccSession session, clear;

    fail_if (lmcc_sdp_parse (texts[i], -1, &session, &error), "%u\n%s", i,
        texts[i]);
    fail_unless (error != NULL && error->domain == LMCC_SESSION_ERROR
            && error->code != LMCC_SESSION_ERROR_NOT_LMCC,
        "%u\n%s", i, texts[i]);
    fail_unless (strlen (error->message) > 10);
    /* Partly parsed data is not accessible. */
    lmcc_session_init (&clear);
    fail_unless (memcmp (&session, &clear, sizeof (session)) == 0, "%u", i);
  }
}

GST_END_TEST;

GST_START_TEST (size_is_bounded_and_zeros_are_refused)
{
  g_autofree gchar *large = g_malloc (LMCC_SDP_MAX_SIZE + 2);
  gsize size = strlen (GOOD);
  LmccSession session;

  memset (large, 'x', LMCC_SDP_MAX_SIZE + 1);
  memcpy (large, GOOD, size);
  memcpy (large + size, "i=", 2);
  large[LMCC_SDP_MAX_SIZE + 1] = '\0';
  fail_unless (lmcc_sdp_parse (large, LMCC_SDP_MAX_SIZE, &session, NULL));
  fail_if (lmcc_sdp_parse (large, LMCC_SDP_MAX_SIZE + 1, &session, NULL));
  fail_if (lmcc_sdp_parse (large, -1, &session, NULL));
  large[size + 10] = '\0';
  fail_if (lmcc_sdp_parse (large, LMCC_SDP_MAX_SIZE, &session, NULL));
}

GST_END_TEST;

/* An accepted description must be a session that can be written and read
 * again. */
static void
assert_refused_or_stable (const gchar *text, gsize size)
{
  g_autofree gchar *exact = g_memdup2 (text, size);
  LmccSession session;

  if (lmcc_sdp_parse (exact, size, &session, NULL))
    assert_round_trip (&session);
}

GST_START_TEST (truncation_and_mutation_do_no_harm)
{
  GRand *rand = g_rand_new_with_seed (1);
  LmccSession session;
  LmccSdpForm form;

  every_field_session (&session, "ff3e::8000:1", "2001:db8::17");
  for (form = LMCC_SDP_FILE; form <= LMCC_SDP_RECORD; form++) {
    g_autofree gchar *text = lmcc_sdp_format (&session, form);
    gsize size = strlen (text), i;

    for (i = 1; i < size; i++)
      assert_refused_or_stable (text, i);
    for (i = 0; i < test_rounds (20000); i++) {
      g_autofree gchar *mutant = g_strdup (text);
      guint n = g_rand_int_range (rand, 1, 4);

      while (n-- > 0)
        mutant[g_rand_int_range (rand, 0, size)] = g_rand_boolean (rand)
            ? g_rand_int_range (rand, 0, 256)
            : "0123456789=:,/+ \n"[g_rand_int_range (rand, 0, 17)];
      assert_refused_or_stable (mutant, size);
    }
  }
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (the_file_binds_a_second_element)
{
  g_autofree gchar *text = NULL;
  LmccSession session;

  small_session (&session, "239.255.42.1");
  g_strlcpy (session.algorithm, "synchronized", sizeof (session.algorithm));
  session.slot = 100 * LMCC_MSECOND;
  session.header_id = 14;
  assert_round_trip (&session);
  text = lmcc_sdp_format (&session, LMCC_SDP_FILE);
  fail_unless (strstr (text,
                   "a=extmap:14 urn:x-lmcc:layer\r\n"
                   "a=extmap:1 urn:x-lmcc:algorithm\r\n")
          != NULL,
      "%s", text);
}

GST_END_TEST;

GST_START_TEST (the_file_groups_the_base_with_its_repair)
{
  g_autofree gchar *text = NULL, *record = NULL;
  LmccSession session;

  small_session (&session, "239.255.42.1");
  text = lmcc_sdp_format (&session, LMCC_SDP_FILE);
  fail_unless (strstr (text, "ssrc-group") == NULL, "%s", text);
  g_clear_pointer (&text, g_free);

  session.repair = 60;
  session.repair_delay = 250 * LMCC_MSECOND;
  assert_round_trip (&session);
  text = lmcc_sdp_format (&session, LMCC_SDP_FILE);
  fail_unless (strstr (text, "a=ssrc-group:FEC-FR 305418240 305419264\r\n")
          != NULL,
      "%s", text);
  /* A player that does not support repair finds its media line unchanged. */
  fail_unless (strstr (text, "m=video 5004 RTP/AVP 96\r\n") != NULL, "%s",
      text);
  record = lmcc_sdp_format (&session, LMCC_SDP_RECORD);
  fail_unless (strstr (record, " rep=60 rd=250ms\n") != NULL, "%s", record);
  fail_unless (strstr (record, "ssrc-group") == NULL, "%s", record);
}

GST_END_TEST;

/* A player that does not support layers finds audio in the base, and the
 * lowest rung in the group above. */
GST_START_TEST (the_file_says_where_the_video_is)
{
  g_autofree gchar *text = NULL, *record = NULL;
  LmccSession session;
  const gchar *video, *audio;
  guint i;

  native_session (&session, "239.255.42.1", "192.0.2.17");
  session.n_layers = session.n_groups = 4;
  for (i = 0; i < 4; i++) {
    session.layers[i].stream = (guint8) (i == 0 ? LMCC_STREAM_SOUND : i - 1);
    session.layers[i].klass = LMCC_CLASS_MIXED;
  }
  session.repair = 60;
  lmcc_session_set_levels (&session, LMCC_LEVELS_REPLICATED);
  assert_round_trip (&session);
  text = lmcc_sdp_format (&session, LMCC_SDP_FILE);
  video = strstr (text,
      "m=video 5004 RTP/AVP 96\r\nc=IN IP4 239.255.42.2/1\r\n"
      "b=AS:913\r\n");
  audio = strstr (text, "m=audio 5004 RTP/AVP 110\r\na=rtpmap:110");
  fail_unless (video != NULL && audio != NULL, "%s", text);
  fail_unless (strstr (text, "c=IN IP4 239.255.42.1/1\r\nt=0 0\r\n") != NULL,
      "%s", text);
  fail_unless (strstr (text, "a=rtcp:5005 IN IP4 239.255.42.1\r\n") != NULL,
      "%s", text);
  fail_unless (strstr (audio, "a=rtcp:5005\r\n") != NULL, "%s", text);
  fail_unless (strstr (text, "a=ssrc-group:FEC-FR 4294963201 ") != NULL, "%s",
      text);
  record = lmcc_sdp_format (&session, LMCC_SDP_RECORD);
  fail_unless (strstr (record, " lv=3,5,9 ") != NULL, "%s", record);
  fail_unless (strstr (strstr (record, "c=") + 1, "c=") == NULL, "%s", record);
}

GST_END_TEST;

GST_START_TEST (an_invalid_session_is_not_written)
{
  LmccSession session;

  small_session (&session, "239.255.42.1");
  g_strlcpy (session.algorithm, "a b=c", sizeof (session.algorithm));
  fail_unless (lmcc_sdp_format (&session, LMCC_SDP_FILE) == NULL);
  small_session (&session, "239.255.42.1");
  g_strlcpy (session.video.encoding_name, "H264\na=x",
      sizeof (session.video.encoding_name));
  fail_unless (lmcc_sdp_format (&session, LMCC_SDP_FILE) == NULL);
  fail_unless (lmcc_sdp_format_file (&session, &(LmccSdpDetails){ 0 }) == NULL);
}

GST_END_TEST;

/* Text for people cannot contain anything for programs. */
GST_START_TEST (test_details_are_written_and_passed_over)
{
  static const struct
  {
    const gchar *name;
    const gchar *parameters;
    const gchar *name_line;
    const gchar *parameters_line; /* NULL: none */
  } rows[] = {
    { NULL, NULL, "s=lmcc layered multicast\r\n", NULL },
    { "", "", "s=lmcc layered multicast\r\n", NULL },
    { "Lecture \xc3\xa4", "packetization-mode=1;sprop-parameter-sets=Z0IA,aM4=",
        "s=Lecture \xc3\xa4\r\n",
        "a=fmtp:96 packetization-mode=1;sprop-parameter-sets=Z0IA,aM4=\r\n" },
    { "a\r\nm=video 1 RTP/AVP 1", "a\r\na=x-lmcc:1 v=2",
        "s=a  m=video 1 RTP/AVP 1\r\n", NULL },
    { "\xff\xfe", "\xff", "s=\xef\xbf\xbd\xef\xbf\xbd\r\n", NULL },
  };
  LmccSession session, again;
  guint i;

  native_session (&session, "239.255.42.1", "192.0.2.1");
  for (i = 0; i < G_N_ELEMENTS (rows); i++) {
    LmccSdpDetails details = { rows[i].name, rows[i].parameters, { 0 } };
    g_autofree gchar *text = lmcc_sdp_format_file (&session, &details);

    fail_unless (strstr (text, rows[i].name_line) != NULL, "%s", text);
    fail_unless (strstr (text, "\r\na=recvonly\r\n") != NULL, "%s", text);
    if (rows[i].parameters_line != NULL)
      fail_unless (strstr (text, rows[i].parameters_line) != NULL, "%s", text);
    else
      fail_unless (strstr (text, "a=fmtp:96 ") == NULL, "%s", text);
    fail_unless (lmcc_sdp_parse (text, -1, &again, NULL), "%s", text);
    assert_same (&session, &again);
  }
}

GST_END_TEST;

GST_START_TEST (test_long_details_are_cut_or_left_out)
{
  g_autofree gchar *name = g_strnfill (3 * LMCC_SDP_MAX_NAME, 'x');
  g_autofree gchar *parameters = g_strnfill (LMCC_SDP_MAX_PARAMETERS + 1, 'y');
  LmccSdpDetails details = { name, parameters, { 0 } };
  g_autofree gchar *cut = NULL, *text = NULL, *fits = NULL;
  LmccSession session;

  /* A character of two bytes lies across the limit. */
  memcpy (name + LMCC_SDP_MAX_NAME - 1, "\xc3\xa4", 2);
  native_session (&session, "239.255.42.1", "192.0.2.1");
  text = lmcc_sdp_format_file (&session, &details);
  name[LMCC_SDP_MAX_NAME - 1] = '\0';
  cut = g_strdup_printf ("\ns=%s\r\n", name);
  fail_unless (strstr (text, cut) != NULL, "%s", text);
  fail_unless (strstr (text, "yyy") == NULL);
  parameters[LMCC_SDP_MAX_PARAMETERS] = '\0';
  fits = lmcc_sdp_format_file (&session, &details);
  fail_unless (strstr (fits, parameters) != NULL);
  fail_unless (lmcc_sdp_parse (fits, -1, &session, NULL));
}

GST_END_TEST;

static Suite *
sdp_suite (void)
{
  Suite *suite = suite_create ("sdp");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, every_field_survives_both_forms);
  tcase_add_test (tcase, every_layer_kind_survives);
  tcase_add_test (tcase, the_most_layers_survive);
  tcase_add_test (tcase, a_record_of_eight_layers_fits_318_bytes);
  tcase_add_test (tcase, the_feedback_port_is_the_next_unless_it_is_said);
  tcase_add_test (tcase, gstreamer_reads_the_base_group_only);
  tcase_add_test (tcase,
      a_source_specific_session_has_the_source_filter_of_rfc_4570);
  tcase_add_test (tcase, a_plain_stream_is_told_apart);
  tcase_add_test (tcase, unknown_things_are_ignored);
  tcase_add_test (tcase, bad_values_are_refused_with_a_reason);
  tcase_add_test (tcase, size_is_bounded_and_zeros_are_refused);
  tcase_add_test (tcase, truncation_and_mutation_do_no_harm);
  tcase_add_test (tcase, the_file_binds_a_second_element);
  tcase_add_test (tcase, the_file_groups_the_base_with_its_repair);
  tcase_add_test (tcase, the_file_says_where_the_video_is);
  tcase_add_test (tcase, test_details_are_written_and_passed_over);
  tcase_add_test (tcase, test_long_details_are_cut_or_left_out);
  tcase_add_test (tcase, an_invalid_session_is_not_written);

  return suite;
}

GST_CHECK_MAIN (sdp);
