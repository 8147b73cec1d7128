/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests single-rate sessions with receivers that send false reports.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/single-rate/pgmcc-wire.h>
#include <gst/lmcc/wire/layer-header.h>
#include <string.h>

#include "support/test-single.h"

static void
lie (TestWorld *world, TestSingleSession *session, const gchar *from,
    guint16 port, const LmccPgmccReport *report)
{
  g_autoptr (LmccPacket) packet = lmcc_pgmcc_report_build (report);
  LmccAddress address;

  lmcc_address_parse (from, &address);
  lmcc_sender_handle_control (session->sender, world->now, &address, port,
      packet->data, packet->size);
}

GST_START_TEST (forged_acknowledgements_are_not_taken)
{
  TestWorld *world = test_single_new (&test_single_narrow);
  TestSingleSession *session = test_single_add_session (world, "pgmcc");
  gdouble before, during;
  guint32 acker;
  guint i;

  test_single_add_receiver (session, 0);
  test_single_run (world, 20);
  before = test_single_measure (session, 20);
  acker = test_single_get_stats (session)->leader;
  during = (gdouble) session->base.bytes;
  for (i = 0; i < 20 * 50; i++) {
    LmccPgmccReport report = { .ssrc = acker,
      .ssrc_base = session->ssrc_base,
      .is_ack = TRUE,
      .lead = session->lsn,
      .bitmap = G_MAXUINT32 };

    report.echoed_time = lmcc_time_to_ntp_short (
        world->now + G_GUINT64_CONSTANT (3900000000) * LMCC_SECOND);
    lie (world, session, "10.66.0.1", 40001, &report);
    lie (world, session, "10.1.0.1", 40002, &report);
    test_world_run (world, 20 * LMCC_MSECOND);
  }
  during = 8.0 * ((gdouble) session->base.bytes - during) / 20;
  fail_unless_equals_uint64 (test_single_get_stats (session)->reports_foreign,
      2000);
  fail_unless (test_single_get_stats (session)->leader == acker);
  fail_unless (during < 1.2 * before && during > 0.8 * before, "%f after %f",
      during, before);
  test_world_free (world);
}

GST_END_TEST;

/* It claims to lose everything, and is silent once it is the acker; then it
 * floods. The session must continue, but not faster than the link allows. */
GST_START_TEST (liars_do_not_end_a_session)
{
  TestWorld *world = test_single_new (&test_single_narrow);
  TestSingleSession *session = test_single_add_session (world, "pgmcc");
  const TestSingleReceiver *r;
  gdouble rate;
  guint64 delivered;
  guint i;

  r = test_single_add_receiver (session, 0);
  test_single_run (world, 20);
  for (i = 0; i < 200; i++) {
    LmccPgmccReport report = { .ssrc = 666,
      .ssrc_base = session->ssrc_base,
      .loss = i < 2 ? G_MAXUINT16 : 0,
      .lead = session->lsn };

    report.echoed_time = lmcc_time_to_ntp_short (world->now - LMCC_SECOND / 10
        + G_GUINT64_CONSTANT (3900000000) * LMCC_SECOND);
    lie (world, session, "10.66.0.1", 40001, &report);
    report.ssrc = 1000 + i;
    report.echoed_time += 65536 * (i % 2 ? 1 : -100);
    lie (world, session, "10.66.0.1", 40001, &report);
    if (i == 0)
      fail_unless_equals_int (test_single_get_stats (session)->leader, 666);
    test_world_run (world, (i < 2 ? 10 : 1) * LMCC_MSECOND);
  }
  fail_unless (test_single_get_stats (session)->reports_refused >= 200);
  fail_unless (test_single_get_stats (session)->switches <= 200);
  delivered = r->delivered;
  test_single_run (world, 20);
  rate = test_single_measure (session, 20);
  fail_unless (r->delivered > delivered);
  fail_unless (rate > 400000 && rate < 1000000, "%f", rate);
  test_world_free (world);
}

GST_END_TEST;

/* From another address, 10,000 per second, and the same from the acker's own
 * address with another port. */
GST_START_TEST (a_flood_is_not_looked_at_and_takes_nothing_from_the_leader)
{
  TestWorld *world = test_single_new (&test_single_narrow);
  TestSingleSession *session = test_single_add_session (world, "pgmcc");
  const TestSingleReceiver *r;
  const LmccSenderStats *stats;
  gdouble before, during;
  guint64 reports, sent, limited;
  guint32 acker;
  guint i;

  r = test_single_add_receiver (session, 0);
  test_single_run (world, 20);
  before = test_single_measure (session, 20);
  acker = test_single_get_stats (session)->leader;
  stats = lmcc_sender_get_stats (session->sender);
  limited = stats->reports_limited;
  reports = stats->single.reports_leader;
  sent = r->base.reports;
  during = (gdouble) session->base.bytes;
  fail_unless_equals_uint64 (limited, 0);
  for (i = 0; i < 20 * 1000 * 10; i++) {
    LmccPgmccReport report = { .ssrc = 1000 + i,
      .ssrc_base = session->ssrc_base,
      .is_ack = TRUE,
      .lead = session->lsn };

    report.echoed_time = lmcc_time_to_ntp_short (world->now - LMCC_SECOND / 10
        + G_GUINT64_CONSTANT (3900000000) * LMCC_SECOND);
    lie (world, session, "10.66.0.1", 40001, &report);
    lie (world, session, "10.1.0.1", 40002, &report);
    if (i % 10 == 0)
      test_world_run (world, 1 * LMCC_MSECOND);
  }
  during = 8.0 * ((gdouble) session->base.bytes - during) / 20;
  stats = lmcc_sender_get_stats (session->sender);
  fail_unless (stats->reports_limited > 390000, "%" G_GUINT64_FORMAT,
      stats->reports_limited);
  fail_unless (stats->single.leader == acker);
  /* All of its reports except those in transit. */
  fail_unless (stats->single.reports_leader - reports + 20
          > r->base.reports - sent,
      "%" G_GUINT64_FORMAT, stats->single.reports_leader - reports);
  fail_unless (during > 0.9 * before, "%f after %f", during, before);
  test_world_free (world);
}

GST_END_TEST;

static Suite *
single_rate_liars_suite (void)
{
  Suite *suite = suite_create ("single-rate-liars");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 120);
  tcase_add_test (tcase, forged_acknowledgements_are_not_taken);
  tcase_add_test (tcase, liars_do_not_end_a_session);
  tcase_add_test (tcase,
      a_flood_is_not_looked_at_and_takes_nothing_from_the_leader);

  return suite;
}

GST_CHECK_MAIN (single_rate_liars);
