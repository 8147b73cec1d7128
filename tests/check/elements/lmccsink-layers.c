/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests lmccsink with layers of fixed rates.
 */
#include "config.h"

#include "element-tools.h"

#include <string.h>
#include <unistd.h>

#include <gio/gio.h>
#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/slots/increase-probabilities.h>
#include <gst/lmcc/control/slots/increase-signals.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/measure/markov.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>

/* Groups of 12 pictures at 24 pictures/s: half a second. */
#define ENCODER                                                              \
  "videotestsrc is-live=true pattern=ball "                                  \
  "! video/x-raw,width=160,height=120,framerate=24/1 "                       \
  "! x264enc bitrate=200 key-int-max=12 bframes=3 b-pyramid=true threads=1 " \
  "speed-preset=ultrafast option-string=scenecut=0 "

static GstElement *launch (const gchar *format, ...) G_GNUC_PRINTF (1, 2);

static GstElement *
launch (const gchar *format, ...)
{
  g_autofree gchar *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);

  return test_launch_sink (text, NULL);
}

#define FOUR_LAYERS "layering=doubling layers=4 base-rate=100000 "

/* Settings that are rejected or cause a warning, with cause and remedy. */
typedef struct
{
  const gchar *name;
  const gchar *settings;
  const gchar *cause;
  const gchar *remedy;
  gboolean is_warning;
} Row;

static const Row rows[] = {
  { "test_layers_that_cannot_be_are_refused_with_a_remedy", "layering=explicit",
      "Cannot use these layers", "layer-rates" },
  { "test_layers_that_cannot_be_are_refused_with_a_remedy",
      "layering=explicit layer-rates=128k,fast", "Cannot use these layers",
      "128k" },
  { "test_layers_that_cannot_be_are_refused_with_a_remedy",
      "layering=doubling layers=64 base-rate=1000000",
      "Cannot use these layers", "fewer layers" },
  { "test_an_old_send_timeout_in_seconds_is_refused", "send-timeout=600",
      "milliseconds", "at least 1000" },
  { "test_layers_that_do_not_fit_the_algorithm_are_refused",
      "algorithm=flid-sl", "Cannot start this session", "fixed rates" },
  { "test_an_algorithm_of_fixed_rates_says_how_to_get_them", "algorithm=rlc",
      "native layers", "layering=doubling" },
  { "test_an_address_that_is_never_routed_is_refused", "address=224.0.0.77",
      "RFC 5771", "239.255.42.1" },
  { "test_layers_that_do_not_fit_the_algorithm_are_refused",
      "algorithm=rlc layering=equal layers=4 base-rate=100000",
      "Cannot start this session", "doubling" },
  { "test_layers_that_do_not_fit_the_algorithm_are_refused",
      "algorithm=flid-dl layering=equal layers=64 base-rate=100000 "
      "address=239.255.255.190",
      "Cannot start this session", "leave the base address's scope" },
  { "test_levels_that_the_layers_do_not_have_are_refused", "levels=fallback",
      "Cannot start this session", "link more" },
  { "test_levels_that_the_layers_do_not_have_are_refused",
      FOUR_LAYERS "levels=fallback", "Cannot start this session",
      "layering to native" },
  { "test_algorithm_settings_that_cannot_be_are_refused",
      FOUR_LAYERS "algorithm=flid-sl algorithm-settings="
                  "rlc,slot=0.5",
      "rlc", "same algorithm" },
  { "test_algorithm_settings_that_cannot_be_are_refused",
      FOUR_LAYERS "algorithm=elm algorithm-settings=elm,slot=0.5", "slot",
      "none" },
  { "test_algorithm_settings_that_cannot_be_are_refused",
      FOUR_LAYERS "algorithm=flid-sl algorithm-settings="
                  "flid-sl,leave-latency=1.0",
      "leave-latency", "slot, nominal-rtt, probabilities" },
  { "test_algorithm_settings_that_cannot_be_are_refused",
      FOUR_LAYERS "algorithm=flid-sl algorithm-settings="
                  "flid-sl,slot=61.0",
      "slot", "0.001 to 60 s" },
  { "test_algorithm_settings_that_cannot_be_are_refused",
      FOUR_LAYERS "algorithm=flid-sl algorithm-settings="
                  "flid-sl,probabilities=guess",
      "guess", "hill-climb" },
  { "test_algorithm_settings_that_cannot_be_are_refused",
      FOUR_LAYERS "algorithm=flid-sl algorithm-settings="
                  "\"flid-sl,probabilities=\\\"0.5,0.2,0\\\"\"",
      "3 numbers for 4", "one for each" },
  { "test_algorithm_settings_that_cannot_be_are_refused",
      FOUR_LAYERS "algorithm=flid-sl algorithm-settings="
                  "\"flid-sl,probabilities=\\\"0.5,0.6,0.1,0\\\"\"",
      "level 1", "between 0" },
  { "test_a_slot_and_a_nominal_rtt_contradict_each_other",
      FOUR_LAYERS "algorithm=rlc algorithm-settings=rlc,slot=1.0,"
                  "nominal-rtt=0.1",
      "Cannot start this session", "set only one of them" },
  { "test_key_frames_that_do_not_fit_are_told",
      "layering=doubling layers=6 base-rate=6000 window=1400", "key frames",
      "base-rate", .is_warning = TRUE },
};

GST_START_TEST (test_settings_are_answered_with_cause_and_remedy)
{
  const Row *row = &rows[__i__];
  GstElement *pipeline = launch (ENCODER "! lmccsink name=s %s", row->settings);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = test_wait_message (pipeline,
      row->is_warning ? GST_MESSAGE_WARNING : GST_MESSAGE_ERROR);
  if (row->is_warning)
    gst_message_parse_warning (message, &error, NULL);
  else
    gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, row->cause) != NULL
          && strstr (error->message, row->remedy) != NULL,
      "%s, %s: '%s' or '%s' is not in: %s", row->name, row->settings,
      row->cause, row->remedy, error->message);
  test_end_pipeline (pipeline);
}

GST_END_TEST;

/* Without B pictures, which would be late in such a short window. */
GST_START_TEST (test_distant_key_frames_are_reported)
{
  GstElement *pipeline = launch (
      "videotestsrc is-live=true ! video/x-raw,format=I420,width=160,"
      "height=120,framerate=24/1 ! x264enc tune=zerolatency bitrate=200 "
      "key-int-max=24 speed-preset=ultrafast ! lmccsink name=s "
      "layering=doubling layers=6 base-rate=100000 window=600");
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = test_wait_message (pipeline, GST_MESSAGE_WARNING);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, "600 ms") != NULL
          && strstr (error->message, "key-int-max") != NULL,
      "%s", error->message);
  test_end_pipeline (pipeline);
}

GST_END_TEST;

GST_START_TEST (test_an_odd_port_is_warned_of)
{
  GstElement *pipeline = launch (ENCODER "! lmccsink name=s");
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  g_object_set (sink, "port", 20001 + 2 * (gint) (getpid () % 20000), NULL);
  gst_element_set_state (pipeline, GST_STATE_READY);
  message = test_wait_message (pipeline, GST_MESSAGE_WARNING);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, "is odd") != NULL
          && strstr (error->message, "RFC 3550") != NULL
          && strstr (error->message, "Set port to an even number") != NULL,
      "%s", error->message);
  test_end_pipeline (pipeline);
}

GST_END_TEST;

/* The session description of lmccsink after it had @session. */
static void
get_session (GstElement *pipeline, LmccSession *session)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  GError *error = NULL;
  gchar *sdp = NULL;

  gst_message_unref (test_wait_message (pipeline, GST_MESSAGE_STREAM_START));
  g_object_get (sink, "sdp", &sdp, NULL);
  fail_unless (sdp != NULL);
  fail_unless (lmcc_sdp_parse (sdp, strlen (sdp), session, &error));
  g_free (sdp);
  gst_object_unref (sink);
}

GST_START_TEST (test_the_session_announces_rates_and_window)
{
  GstElement *pipeline = launch (ENCODER
      "! lmccsink name=s layering=heavy-tail layers=4 base-rate=100000");
  LmccSession session;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  get_session (pipeline, &session);
  fail_if (session.native);
  assert_equals_int (session.n_layers, 4);
  /* C = 400 kbit/s: C/4, then C/12, C/6, C/2. */
  assert_equals_uint64 (session.layers[0].rate, 100000);
  assert_equals_uint64 (session.layers[1].rate, 33333);
  assert_equals_uint64 (session.layers[2].rate, 66667);
  assert_equals_uint64 (session.layers[3].rate, 200000);
  /* 2.2 times the encoder's rate, 15 pictures, and 200 ms. */
  assert_equals_uint64 (session.window, 1300 * LMCC_MSECOND);
  test_end_pipeline (pipeline);

  pipeline = launch (ENCODER "! lmccsink name=s layering=explicit "
                             "layer-rates=128k,64k,1.5M window=1400");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  get_session (pipeline, &session);
  assert_equals_int (session.n_layers, 3);
  assert_equals_uint64 (session.layers[1].rate, 64000);
  assert_equals_uint64 (session.layers[2].rate, 1500000);
  assert_equals_uint64 (session.window, 1400 * LMCC_MSECOND);
  test_end_pipeline (pipeline);
}

GST_END_TEST;

typedef struct
{
  const gchar *settings;
  guint window; /* ms */
  guint repair; /* 1/1000 */
} ProfileCase;

static const ProfileCase profile_cases[] = {
  { "", 100, 0 },
  { "latency-profile=live", 20, 0 },
  { "latency-profile=live window=70", 70, 0 },
  { "latency-profile=quality", 500, 100 },
  { "latency-profile=quality repair=0", 500, 0 },
  { "layering=doubling key-unit-interval=1000", 2400, 100 },
  { "layering=doubling latency-profile=live", 1300, 100 },
  { "layering=doubling latency-profile=live key-unit-interval=1000", 2400,
      100 },
  { "layering=doubling latency-profile=quality", 4400, 100 },
  { "layering=doubling latency-profile=quality window=900", 900, 100 },
};

GST_START_TEST (test_a_profile_sets_what_the_user_does_not)
{
  const ProfileCase *expected = &profile_cases[__i__];
  GstElement *pipeline =
      launch (ENCODER "! lmccsink name=s %s", expected->settings);
  LmccSession session;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  get_session (pipeline, &session);
  assert_equals_uint64 (session.window, expected->window * LMCC_MSECOND);
  assert_equals_int (session.repair, expected->repair);
  test_end_pipeline (pipeline);
}

GST_END_TEST;

typedef struct
{
  const gchar *settings;
  guint repair; /* 1/1000 */
  LmccTime delay;
} RepairCase;

static const RepairCase repair_cases[] = {
  { "layering=doubling", 100, 0 },
  { "layering=doubling repair=0", 0, 0 },
  { "layering=doubling repair=0.255", 255, 0 },
  { "layering=native", 0, 0 },
  { "layering=native repair=0.2", 200, LMCC_SECOND },
  { "layering=native repair=0.2 repair-delay=250", 200, 500 * LMCC_MSECOND },
};

GST_START_TEST (test_the_session_announces_the_repair)
{
  const RepairCase *expected = &repair_cases[__i__];
  GstElement *pipeline =
      launch (ENCODER "! lmccsink name=s %s", expected->settings);
  LmccSession session;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  get_session (pipeline, &session);
  assert_equals_int (session.repair, expected->repair);
  assert_equals_uint64 (session.repair_delay, expected->delay);
  test_end_pipeline (pipeline);
}

GST_END_TEST;

/* 8 packets of the MTU of 1400 bytes at 100 kbit/s. */
GST_START_TEST (test_the_session_announces_the_algorithms_slots)
{
  GstElement *pipeline =
      launch (ENCODER "! lmccsink name=s algorithm=rlc "
                      "layering=doubling layers=4 base-rate=100000 mtu=1400");
  LmccSession session;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  get_session (pipeline, &session);
  assert_equals_string (session.algorithm, "rlc");
  assert_equals_uint64 (session.slot, 8 * 1428 * 8 * LMCC_SECOND / 100000);
  assert_equals_int (session.slot_modulus, 65536);
  assert_equals_int (session.turning_groups, 0);
  test_end_pipeline (pipeline);

  pipeline = launch (ENCODER "! lmccsink name=s algorithm=flid-dl "
                             "layering=equal layers=4 base-rate=100000");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  get_session (pipeline, &session);
  assert_equals_uint64 (session.slot, LMCC_SECOND / 2);
  assert_equals_int (session.silent_groups, 10);
  assert_equals_int (session.turning_groups, 13);
  assert_equals_int (session.n_groups, 14);
  assert_equals_int (session.slot_modulus, 65533);
  test_end_pipeline (pipeline);
}

GST_END_TEST;

static void
announce (const gchar *settings, LmccSession *session)
{
  GstElement *pipeline =
      launch (ENCODER "! lmccsink name=s " FOUR_LAYERS "%s", settings);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  get_session (pipeline, session);
  test_end_pipeline (pipeline);
}

GST_START_TEST (test_the_session_announces_what_the_algorithm_settings_say)
{
  LmccSession session;

  announce ("algorithm=rlc algorithm-settings=rlc,nominal-rtt=0.2", &session);
  /* (1 + a) B_0 RTT^2 / (s c^2), a = 1/2 and c^2 = 3/2: B_0 RTT^2 / s. */
  assert_equals_uint64 (session.slot, 4000 * LMCC_SECOND / (1428 * 8));
  announce ("algorithm=flid-sl algorithm-settings=flid-sl,slot=0.25", &session);
  assert_equals_uint64 (session.slot, LMCC_SECOND / 4);
  announce ("algorithm=synchronized algorithm-settings=synchronized,slot=2",
      &session);
  assert_equals_uint64 (session.slot, 2 * LMCC_SECOND);
  announce ("algorithm=flid-dl "
            "algorithm-settings=flid-dl,slot=0.5,leave-latency=1.0",
      &session);
  /* L < (s - 1) T. */
  assert_equals_int (session.silent_groups, 4);
}

GST_END_TEST;

static GSocket *
listen_to (const gchar *group, guint16 port)
{
  GSocket *socket = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM,
      G_SOCKET_PROTOCOL_UDP, NULL);
  GInetAddress *address = g_inet_address_new_from_string (group);
  GSocketAddress *local = g_inet_socket_address_new (address, port);

  g_socket_set_timeout (socket, 15);
  fail_unless (g_socket_bind (socket, local, TRUE, NULL));
  fail_unless (
      g_socket_join_multicast_group (socket, address, FALSE, "lo", NULL));
  g_object_unref (local);
  g_object_unref (address);
  return socket;
}

static void
receive_header (GSocket *socket, LmccHeader *header)
{
  guint8 data[2048];
  gssize size =
      g_socket_receive (socket, (gchar *) data, sizeof (data), NULL, NULL);
  LmccRtp rtp;

  fail_unless (size > 0, "no packet came");
  fail_unless (lmcc_rtp_parse (data, (gsize) size, LMCC_HEADER_DEFAULT_ID, &rtp)
      && lmcc_header_parse (rtp.element, rtp.element_size, header));
}

/* The packets of @n slots carry the signals with these probabilities. */
static void
check_signals (const gchar *settings, const gdouble *probabilities, guint n)
{
  GstElement *pipeline =
      launch (ENCODER "! lmccsink name=s " FOUR_LAYERS
                      "algorithm=flid-sl algorithm-settings=\"%s\"",
          settings);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  LmccIncreaseSignals signals;
  LmccHeader header;
  GSocket *socket;
  gint port;

  g_object_get (sink, "port", &port, NULL);
  gst_object_unref (sink);
  socket = listen_to ("239.255.42.1", (guint16) port);
  lmcc_increase_signals_init (&signals, probabilities, 4);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  do {
    receive_header (socket, &header);
    assert_equals_int (header.signal,
        lmcc_increase_signals_get (&signals, header.slot + 1u));
  } while (header.slot < n);
  test_end_pipeline (pipeline);
  g_object_unref (socket);
}

/* In 8 slots: the paper's Table I, which differs from the heuristic in the
 * first slot. */
GST_START_TEST (test_packets_bear_the_signals_of_given_probabilities)
{
  const gdouble given[] = { 0.33, 0.2, 0.09, 0 };

  check_signals ("flid-sl,slot=0.25,probabilities=\\\"0.33,0.2,0.09,0\\\"",
      given, 8);
  check_signals ("flid-sl,slot=0.25,probabilities=<0.33,0.2,0.09,0.0>", given,
      8);
}

GST_END_TEST;

GST_START_TEST (test_packets_bear_the_signals_of_the_method)
{
  LmccTcpTarget tcp = { .rtt = 30 * LMCC_MSECOND, .packet_size = 1428 };
  const gdouble rates[] = { 100000, 100000, 200000, 400000 };
  gdouble climbed[4], heuristic[4];
  LmccMarkovChain chain;

  lmcc_markov_chain_init (&chain, rates, 4, 1428, LMCC_SECOND / 4);
  lmcc_increase_probabilities_compute (LMCC_INCREASE_METHOD_HILL_CLIMB_LOG,
      &chain, lmcc_tcp_target_rate, &tcp, climbed);
  lmcc_increase_probabilities_compute (LMCC_INCREASE_METHOD_HEURISTIC, &chain,
      lmcc_tcp_target_rate, &tcp, heuristic);
  fail_unless (memcmp (climbed, heuristic, sizeof (climbed)) != 0);
  check_signals ("flid-sl,slot=0.25,nominal-rtt=0.03,"
                 "probabilities=hill-climb-log",
      climbed, 8);
}

GST_END_TEST;

typedef struct
{
  GMutex lock;
  GCond changed;
  guint n;
} Pictures;

static void
count_picture (GstElement *element G_GNUC_UNUSED,
    GstBuffer *buffer G_GNUC_UNUSED, GstPad *pad G_GNUC_UNUSED,
    gpointer user_data)
{
  Pictures *pictures = user_data;

  g_mutex_lock (&pictures->lock);
  pictures->n++;
  g_cond_signal (&pictures->changed);
  g_mutex_unlock (&pictures->lock);
}

static void
wait_for_pictures (Pictures *pictures, guint least)
{
  gint64 end = g_get_monotonic_time () + 15 * G_TIME_SPAN_SECOND;

  g_mutex_lock (&pictures->lock);
  while (pictures->n < least
      && g_cond_wait_until (&pictures->changed, &pictures->lock, end))
    ;
  fail_unless (pictures->n >= least, "%u pictures", pictures->n);
  g_mutex_unlock (&pictures->lock);
}

/* A group of pictures needs far less than the layers' rate. */
static void
check_repair (const GstStructure *stats)
{
  guint64 blocks, late, oversize;
  gdouble share, delay;

  fail_unless (gst_structure_get (stats, "repair-blocks", G_TYPE_UINT64,
      &blocks, "repairs-late", G_TYPE_UINT64, &late, "repair-share",
      G_TYPE_DOUBLE, &share, "repair-delay-ms", G_TYPE_DOUBLE, &delay,
      "packets-oversize", G_TYPE_UINT64, &oversize, NULL));
  fail_unless (blocks > 0);
  fail_unless (share >= 0.1, "%g", share);
  assert_equals_float (delay, 0);
  assert_equals_uint64 (oversize, 0);
}

/* Bindings with strict types set it as a gdouble. */
GST_START_TEST (test_the_amount_of_repair_is_a_plain_number)
{
  GstElement *sink = gst_element_factory_make ("lmccsink", NULL);
  GParamSpec *spec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (sink), "repair");
  gdouble repair = 0;

  fail_unless_equals_uint64 (spec->value_type, G_TYPE_DOUBLE);
  assert_equals_float (G_PARAM_SPEC_DOUBLE (spec)->default_value, -1);
  gst_util_set_object_arg (G_OBJECT (sink), "repair", "-2");
  g_object_get (sink, "repair", &repair, NULL);
  assert_equals_float (repair, -2);
  gst_util_set_object_arg (G_OBJECT (sink), "repair", "0.25");
  g_object_get (sink, "repair", &repair, NULL);
  assert_equals_float (repair, 0.25);
  gst_object_unref (sink);
}

GST_END_TEST;

/* 2 s of pictures, which take 1.4 s plus the receiver's latency to arrive. */
GST_START_TEST (test_pictures_come_through_layers_of_fixed_rates)
{
  GstElement *pipeline =
      launch (ENCODER "! lmccsink name=s layering=doubling "
                      "layers=4 base-rate=128000 window=1400");
  gchar *text =
      g_strdup_printf ("lmccsrc name=r multicast-iface=lo port=%d "
                       "! rtph264depay ! h264parse ! avdec_h264 "
                       "! fakesink name=f signal-handoffs=true sync=true",
          20000 + (gint) (getpid () % 20000) * 2);
  GstElement *receiver = gst_parse_launch (text, NULL);
  GstElement *fake = gst_bin_get_by_name (GST_BIN (receiver), "f");
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  const GValue *dropped;
  GstStructure *stats;
  Pictures pictures = { 0 };
  gint i;

  g_signal_connect (fake, "handoff", G_CALLBACK (count_picture), &pictures);
  gst_element_set_state (receiver, GST_STATE_PLAYING);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_for_pictures (&pictures, 48);

  g_object_get (sink, "stats", &stats, NULL);
  dropped = gst_structure_get_value (stats, "units-dropped");
  for (i = 0; i < (gint) gst_value_array_get_size (dropped); i++)
    assert_equals_uint64 (g_value_get_uint64 (
                              gst_value_array_get_value (dropped, i)),
        0);
  check_repair (stats);
  gst_structure_free (stats);
  gst_object_unref (sink);
  gst_object_unref (fake);
  test_end_pipeline (receiver);
  test_end_pipeline (pipeline);
  g_free (text);
}

GST_END_TEST;

static Suite *
lmccsink_layers_suite (void)
{
  Suite *s = suite_create ("lmccsink-layers");
  TCase *tc = tcase_create ("layers");

  tcase_set_timeout (tc, 60);
  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_settings_are_answered_with_cause_and_remedy, 0,
      G_N_ELEMENTS (rows));
  tcase_add_test (tc, test_distant_key_frames_are_reported);
  tcase_add_test (tc, test_an_odd_port_is_warned_of);
  tcase_add_test (tc, test_the_session_announces_the_algorithms_slots);
  tcase_add_test (tc,
      test_the_session_announces_what_the_algorithm_settings_say);
  tcase_add_test (tc, test_packets_bear_the_signals_of_given_probabilities);
  tcase_add_test (tc, test_packets_bear_the_signals_of_the_method);
  tcase_add_test (tc, test_the_session_announces_rates_and_window);
  tcase_add_loop_test (tc, test_a_profile_sets_what_the_user_does_not, 0,
      G_N_ELEMENTS (profile_cases));
  tcase_add_loop_test (tc, test_the_session_announces_the_repair, 0,
      G_N_ELEMENTS (repair_cases));
  tcase_add_test (tc, test_the_amount_of_repair_is_a_plain_number);
  tcase_add_test (tc, test_pictures_come_through_layers_of_fixed_rates);

  return s;
}

GST_CHECK_MAIN (lmccsink_layers);
