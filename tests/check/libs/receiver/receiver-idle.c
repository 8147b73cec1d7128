/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the heap memory of an idle receiver: a host may have a thousand of
 * them.
 */
#include "support/sender-harness.h"
#include "support/test-heap.h"

#include <gst/lmcc/lmcc-receiver.h>

/* lmccsrc must stay below 64 kB including all memory besides its receiver. */
#define MOST_ALONE (32 * 1024)
#define MOST_IN_SESSION (48 * 1024)

/* With this number of receivers, the heap's chunk size does not affect the
 * mean. */
#define N_RECEIVERS 64

#define SECONDS 10
#define LEFT_AFTER (70 * LMCC_SECOND)

typedef struct
{
  LmccReceiver *receivers[N_RECEIVERS];
  gsize before;
} Idle;

static void
drain (LmccReceiver *receiver)
{
  LmccReceiverAction action;

  while (lmcc_receiver_poll_action (receiver, &action))
    g_clear_pointer (&action.packet, lmcc_packet_unref);
}

static void
run_until (LmccReceiver *receiver, LmccTime until)
{
  LmccTime now;

  while ((now = lmcc_receiver_next_timeout (receiver)) <= until) {
    lmcc_receiver_handle_timeout (receiver, now);
    drain (receiver);
  }
}

static void
start (Idle *idle)
{
  LmccReceiverConfig config = { .max_level = -1,
    .latency = LMCC_DEFAULT_LATENCY };
  guint i;

  fail_unless (lmcc_address_parse ("239.255.42.1", &config.address));
  idle->before = test_heap_in_use ();
  for (i = 0; i < N_RECEIVERS; i++) {
    idle->receivers[i] = lmcc_receiver_new (&config);
    lmcc_receiver_start (idle->receivers[i], START);
    drain (idle->receivers[i]);
  }
}

static void
stop (Idle *idle)
{
  guint i;

  for (i = 0; i < N_RECEIVERS; i++)
    lmcc_receiver_free (idle->receivers[i]);
}

/* Per receiver; 0 if the heap size is unavailable. */
static gsize
get_bytes (const Idle *idle)
{
  gsize now = test_heap_in_use ();

  return now > idle->before ? (now - idle->before) / N_RECEIVERS : 0;
}

static void
check_below (const Idle *idle, gsize most)
{
  fail_unless (get_bytes (idle) < most, "%u bytes", (guint) get_bytes (idle));
}

static void
hand_over (LmccReceiver *receiver, const SentPacket *sent)
{
  LmccAddress source;

  fail_unless (lmcc_address_parse ("192.0.2.1", &source));
  run_until (receiver, sent->time);
  if (sent->control)
    lmcc_receiver_handle_control (receiver, sent->time, &source, 5004,
        sent->packet->data, sent->packet->size);
  else
    lmcc_receiver_handle_packet (receiver, sent->time, sent->time, sent->group,
        &source, 5004,
        lmcc_packet_new_copy (sent->packet->data, sent->packet->size));
  drain (receiver);
}

/* One small picture every 100 ms. */
static Harness
send_little (guint n_rungs)
{
  LmccSenderConfig config = sender_config (n_rungs);
  Harness h;
  guint i, rung;

  g_strlcpy (config.session.algorithm, "plumb", LMCC_ALGORITHM_NAME_SIZE);
  h = harness_new (&config);
  for (i = 0; i < SECONDS * 10; i++) {
    for (rung = 0; rung < n_rungs; rung++)
      harness_push_at (&h,
          make_unit (rung, 0, START + i * 100 * LMCC_MSECOND, 1, 100));
  }

  return h;
}

static void
receive (Idle *idle, const Harness *h)
{
  guint r, i;

  for (r = 0; r < N_RECEIVERS; r++) {
    for (i = 0; i < N_SENT (h); i++)
      hand_over (idle->receivers[r], SENT (h, i));
  }
}

GST_START_TEST (a_receiver_that_hears_nobody_takes_little)
{
  Idle idle;

  start (&idle);
  check_below (&idle, MOST_ALONE);
  stop (&idle);
}

GST_END_TEST;

GST_START_TEST (one_with_a_session_and_few_packets_does)
{
  Harness h = send_little (1);
  Idle idle;

  start (&idle);
  receive (&idle, &h);
  fail_unless (lmcc_receiver_get_session (idle.receivers[0]) != NULL);
  check_below (&idle, MOST_IN_SESSION);
  stop (&idle);
  harness_clear (&h);
}

GST_END_TEST;

/* A minute after its sender fell silent, no memory of the layers is left. */
GST_START_TEST (one_whose_sender_went_does_again)
{
  Harness h = send_little (8);
  Idle idle;
  guint r;

  start (&idle);
  receive (&idle, &h);
  for (r = 0; r < N_RECEIVERS; r++) {
    lmcc_receiver_set_max_level (idle.receivers[r], 0,
        START + SECONDS * LMCC_SECOND);
    drain (idle.receivers[r]);
    run_until (idle.receivers[r], START + SECONDS * LMCC_SECOND + LEFT_AFTER);
  }
  check_below (&idle, MOST_IN_SESSION);
  stop (&idle);
  harness_clear (&h);
}

GST_END_TEST;

/* The statistics remain as long as the receiver lives. */
GST_START_TEST (counters_of_layers_that_were_left_stay)
{
  Harness h = send_little (8);
  LmccReceiverStats before, after;
  LmccTime end = START + SECONDS * LMCC_SECOND;
  Idle idle;

  start (&idle);
  receive (&idle, &h);
  lmcc_receiver_get_stats (idle.receivers[0], end, &before);
  fail_unless (before.layers[1].received > 0);
  lmcc_receiver_set_max_level (idle.receivers[0], 0, end);
  drain (idle.receivers[0]);
  run_until (idle.receivers[0], end + LEFT_AFTER);
  lmcc_receiver_get_stats (idle.receivers[0], end + LEFT_AFTER, &after);
  fail_unless_equals_uint64 (after.layers[1].received,
      before.layers[1].received);
  fail_unless_equals_uint64 (after.layers[1].bytes, before.layers[1].bytes);
  stop (&idle);
  harness_clear (&h);
}

GST_END_TEST;

static Suite *
receiver_idle_suite (void)
{
  Suite *suite = suite_create ("lmccreceiveridle");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_test (chain, a_receiver_that_hears_nobody_takes_little);
  tcase_add_test (chain, one_with_a_session_and_few_packets_does);
  tcase_add_test (chain, one_whose_sender_went_does_again);
  tcase_add_test (chain, counters_of_layers_that_were_left_stay);

  return suite;
}

GST_CHECK_MAIN (receiver_idle);
