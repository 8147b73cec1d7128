/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the traffic from a receiver to a host in whose name packets are
 * forged: otherwise, a forger could direct the reports of all receivers to
 * that host.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/single-rate/pgmcc-wire.h>
#include <gst/lmcc/control/single-rate/tfmcc-wire.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/wire/algorithm-element.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>

#include <math.h>
#include <string.h>

#include "support/test-slow.h"

#define S LMCC_SECOND
#define START (100 * S)
#define SSRC_BASE 0x12345000u
#define PORT 5005

/* Forged packets: per second, and the number of seconds. */
#define RATE 1000
#define SECONDS 60
#define DURATION (SECONDS * S)

typedef struct
{
  const gchar *algorithm;
  guint16 port;
  gboolean allow_low_port;
  gboolean elicits;     /* pgmcc */
  guint step;           /* of the layer sequence number */
  gboolean is_answered; /* tfmcc */
  gboolean is_brief;    /* a tenth of the time gives the same result */
} Forged;

typedef struct
{
  guint reports;
  guint late_reports; /* in the second half */
  guint warnings;
} Result;

typedef struct
{
  const Forged *forged;
  LmccSession session;
  LmccReceiver *receiver;
  LmccTime now;
  guint16 number;
  guint n_packets;
  gboolean has_report;
  LmccTfmccReport report;
  LmccTime reported;
} World;

static void
drain (World *world, Result *result)
{
  LmccReceiverAction action;

  while (lmcc_receiver_poll_action (world->receiver, &action)) {
    if (action.type == LMCC_RECEIVER_ACTION_WARNING
        && strstr (action.reason, "1024") != NULL)
      result->warnings++;
    if (action.type == LMCC_RECEIVER_ACTION_REPORT) {
      fail_unless_equals_int (action.port, world->forged->port);
      result->reports++;
      result->late_reports += world->now >= START + DURATION / 2;
      world->has_report = lmcc_tfmcc_report_parse (action.packet->data,
          action.packet->size, &world->report);
      world->reported = world->now;
    }
    g_clear_pointer (&action.packet, lmcc_packet_unref);
  }
}

static gsize
write_element (World *world, guint8 data[LMCC_SECOND_ELEMENT_MAX_SIZE])
{
  const LmccPgmccElement pgmcc = { .elicit = world->forged->elicits,
    .nak_wait = LMCC_MSECOND };
  LmccTfmccElement tfmcc = { .round = world->n_packets++ / 10,
    .suppression_rate = INFINITY,
    .rtt_max = LMCC_MSECOND };

  if (g_str_equal (world->forged->algorithm, "pgmcc")) {
    lmcc_pgmcc_element_write (&pgmcc, data);
    return LMCC_PGMCC_ELEMENT_SIZE;
  }
  if (world->forged->is_answered && world->has_report
      && world->now > world->reported) {
    tfmcc.has_receiver = TRUE;
    tfmcc.receiver = world->report.ssrc;
    tfmcc.echoed_time = world->report.time;
    world->has_report = FALSE;
  }
  lmcc_tfmcc_element_write (&tfmcc, data);

  return LMCC_TFMCC_ELEMENT_SIZE;
}

static void
send_packet (World *world)
{
  guint8 data[LMCC_SECOND_ELEMENT_MAX_SIZE];
  LmccHeader header = { .first = TRUE,
    .last = TRUE,
    .switch_point = TRUE,
    .signal = LMCC_SIGNAL_NOBODY,
    .lsn = world->number,
    .osn = world->number,
    .send_time = lmcc_time_to_ntp_short (world->now) };
  LmccRtp rtp = { .payload_type = LMCC_DEFAULT_PAYLOAD_TYPE,
    .payload_size = 10,
    .ssrc = SSRC_BASE,
    .sequence = world->number,
    .second = data };

  rtp.second_size = write_element (world, data);
  world->number += (guint16) world->forged->step;
  lmcc_receiver_handle_packet (world->receiver, world->now, world->now, 0,
      &world->session.source, 40000,
      lmcc_rtp_build (&rtp, &header, LMCC_HEADER_DEFAULT_ID,
          (const guint8 *) "0123456789"));
}

static Result
receive (const Forged *forged)
{
  LmccReceiverConfig config = { .algorithm = "auto",
    .max_level = -1,
    .latency = LMCC_DEFAULT_LATENCY,
    .sequence_seed = 4711,
    .allow_low_port = forged->allow_low_port };
  World world = { .forged = forged, .now = START };
  guint seconds = forged->is_brief ? test_rounds (SECONDS) : SECONDS;
  LmccSession *session = &world.session;
  Result result = { 0 };

  lmcc_session_init (session);
  lmcc_address_parse ("239.255.66.1", &session->address);
  lmcc_address_parse ("10.0.0.1", &session->source);
  session->port = 5004;
  session->ssrc_base = SSRC_BASE;
  session->video.clock_rate = 90000;
  session->packet_size = 1000;
  session->feedback_port = forged->port;
  session->feedback_interval = S;
  g_strlcpy (session->video.encoding_name, "H264", LMCC_ENCODING_NAME_SIZE);
  g_strlcpy (session->algorithm, forged->algorithm,
      sizeof (session->algorithm));
  config.address = session->address;
  config.session = session;
  world.receiver = lmcc_receiver_new (&config);
  lmcc_receiver_start (world.receiver, START);
  for (; world.now < START + seconds * S; world.now += S / RATE) {
    if (lmcc_receiver_next_timeout (world.receiver) <= world.now)
      lmcc_receiver_handle_timeout (world.receiver, world.now);
    drain (&world, &result);
    send_packet (&world);
    drain (&world, &result);
  }
  lmcc_receiver_free (world.receiver);

  return result;
}

/* Once in the usual R_max of 500 ms. */
GST_START_TEST (packets_that_elicit_reports_draw_one_in_an_r_max)
{
  const Forged forged = { .algorithm = "pgmcc",
    .port = PORT,
    .elicits = TRUE,
    .step = 1 };
  Result result = receive (&forged);

  fail_unless (result.reports > 0);
  fail_unless (result.reports <= 2 * DURATION / S + 1, "%u", result.reports);
}

GST_END_TEST;

/* And forged packets that claim losses are dropped, too. */
GST_START_TEST (packets_that_leave_gaps_draw_few_reports)
{
  const Forged forged = { .algorithm = "pgmcc",
    .port = PORT,
    .elicits = __i__,
    .step = 2 };
  Result result = receive (&forged);

  fail_unless (result.reports > 0);
  fail_unless (result.reports <= 2 * DURATION / S + 8, "%u", result.reports);
}

GST_END_TEST;

/* Ten each start a round of the shortest R_max. */
GST_START_TEST (reports_of_tfmcc_that_get_no_answer_become_rare)
{
  Forged forged = { .algorithm = "tfmcc", .port = PORT, .step = 1 };
  Result result = receive (&forged);

  fail_unless (result.reports > 3);
  fail_unless (result.reports <= 12, "%u", result.reports);
  fail_unless (result.late_reports <= 1, "%u", result.late_reports);
  forged.is_answered = TRUE;
  result = receive (&forged);
  fail_unless (result.late_reports > 100, "%u", result.late_reports);
}

GST_END_TEST;

GST_START_TEST (no_report_goes_to_a_port_of_the_systems_services)
{
  static const gchar *const algorithms[] = { "pgmcc", "tfmcc", "elm", "plumb" };
  Forged forged = { .algorithm = algorithms[__i__],
    .port = 1023,
    .elicits = TRUE,
    .step = 1,
    .is_brief = TRUE };
  Result result = receive (&forged);

  fail_unless_equals_int (result.reports, 0);
  fail_unless_equals_int (result.warnings, 1);
  forged.port = 1024;
  result = receive (&forged);
  fail_unless (result.reports > 0);
  fail_unless_equals_int (result.warnings, 0);
  forged.port = 53;
  forged.allow_low_port = TRUE;
  result = receive (&forged);
  fail_unless (result.reports > 0);
  fail_unless_equals_int (result.warnings, 0);
}

GST_END_TEST;

static Suite *
reflection_suite (void)
{
  Suite *suite = suite_create ("reflection");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 120);
  tcase_add_test (tcase, packets_that_elicit_reports_draw_one_in_an_r_max);
  tcase_add_loop_test (tcase, packets_that_leave_gaps_draw_few_reports, 0, 2);
  tcase_add_test (tcase, reports_of_tfmcc_that_get_no_answer_become_rare);
  tcase_add_loop_test (tcase, no_report_goes_to_a_port_of_the_systems_services,
      0, 4);

  return suite;
}

GST_CHECK_MAIN (reflection);
