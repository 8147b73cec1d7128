/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the queue of packets that wait for their turn in the order.
 */
#include <gst/lmcc/receiver/waiting-queue.h>
#include "support/test-slow.h"

#include <gst/check/gstcheck.h>

#include <time.h>

static LmccReceiverWaiting *
add (LmccWaitingQueue *queue, guint16 lsn, LmccTime deadline)
{
  LmccReceiverWaiting *waiting = lmcc_waiting_queue_new_waiting (queue);

  waiting->packet = lmcc_packet_new (0);
  waiting->header.lsn = lsn;
  waiting->deadline = deadline;
  lmcc_waiting_queue_add (queue, waiting);

  return waiting;
}

static void
give_back (LmccWaitingQueue *queue, LmccReceiverWaiting *waiting)
{
  lmcc_packet_unref (waiting->packet);
  lmcc_waiting_queue_take_back (queue, waiting);
}

static void
pop (LmccWaitingQueue *queue, guint16 lsn)
{
  LmccReceiverWaiting *head = lmcc_waiting_queue_pop_head (queue);

  fail_unless (head != NULL);
  fail_unless_equals_int (head->header.lsn, lsn);
  give_back (queue, head);
}

static LmccReceiverWaiting *
find (const LmccWaitingQueue *queue, guint16 lsn)
{
  LmccReceiverWaiting *before = lmcc_waiting_queue_find_before (queue, lsn);

  return before != NULL && before->header.lsn == lsn ? before : NULL;
}

GST_START_TEST (numbers_come_out_in_order_across_their_end)
{
  LmccWaitingQueue queue;

  lmcc_waiting_queue_init (&queue);
  fail_unless (lmcc_waiting_queue_pop_head (&queue) == NULL);
  add (&queue, 65534, LMCC_TIME_NONE);
  add (&queue, 3, LMCC_TIME_NONE);
  add (&queue, 0, LMCC_TIME_NONE);
  add (&queue, 65530, LMCC_TIME_NONE);
  fail_unless_equals_int (lmcc_waiting_queue_get_span (&queue), 9);
  fail_unless (find (&queue, 1) == NULL);
  fail_unless_equals_int (find (&queue, 0)->header.lsn, 0);
  fail_unless_equals_int (
      lmcc_waiting_queue_find_before (&queue, 2)->header.lsn, 0);
  fail_unless (lmcc_waiting_queue_find_before (&queue, 65529) == NULL);
  fail_unless (lmcc_waiting_queue_next_due (&queue) == LMCC_TIME_NONE);
  pop (&queue, 65530);
  pop (&queue, 65534);
  pop (&queue, 0);
  pop (&queue, 3);
  fail_unless_equals_int (lmcc_waiting_queue_get_length (&queue), 0);
  lmcc_waiting_queue_clear (&queue);
}

GST_END_TEST;

/* Whatever its numbers, and however many are missing in between: the order
 * follows the extended numbers. */
GST_START_TEST (numbers_that_go_around_between_two_packets_stay_in_order)
{
  LmccWaitingQueue queue;
  guint i;

  lmcc_waiting_queue_init (&queue);
  for (i = 0; i < 10; i++)
    add (&queue, (guint16) (i * 30000), LMCC_TIME_NONE);
  fail_unless_equals_int (lmcc_waiting_queue_get_span (&queue), 9 * 30000);
  for (i = 0; i < 10; i++)
    pop (&queue, (guint16) (i * 30000));
  lmcc_waiting_queue_clear (&queue);
}

GST_END_TEST;

GST_START_TEST (the_earliest_deadline_is_found_whatever_was_taken_out)
{
  GRand *dice = g_rand_new_with_seed (17);
  LmccWaitingQueue queue;
  LmccReceiverWaiting *waiting;
  guint i;

  lmcc_waiting_queue_init (&queue);
  for (i = 0; i < test_rounds (2000); i++) {
    LmccTime least = LMCC_TIME_NONE;
    guint16 lsn = (guint16) (65000 + g_rand_int_range (dice, 0, 1000));

    waiting = find (&queue, lsn);
    if (waiting != NULL) {
      lmcc_waiting_queue_remove (&queue, waiting);
      give_back (&queue, waiting);
    } else {
      add (&queue, lsn, (LmccTime) g_rand_int_range (dice, 0, 100000));
    }
    for (waiting = lmcc_waiting_queue_peek_head (&queue); waiting != NULL;
         waiting = lmcc_waiting_next (waiting)) {
      const LmccReceiverWaiting *before = lmcc_waiting_previous (waiting);

      least = MIN (least, waiting->deadline);
      fail_unless (before == NULL
          || lmcc_sequence_diff (before->header.lsn, waiting->header.lsn) < 0);
    }
    fail_unless_equals_uint64 (lmcc_waiting_queue_next_due (&queue), least);
  }
  lmcc_waiting_queue_reset (&queue, NULL);
  fail_unless_equals_int (lmcc_waiting_queue_get_length (&queue), 0);
  lmcc_waiting_queue_clear (&queue);
  g_rand_free (dice);
}

GST_END_TEST;

static gdouble
cpu_seconds (void)
{
  struct timespec ts;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &ts);

  return (gdouble) ts.tv_sec + (gdouble) ts.tv_nsec / 1e9;
}

/* CPU seconds for @n packets, each inserted in the middle of @waiting others
 * and found, with the first packet removed and inserted after the last one. */
static gdouble
measure (guint n_waiting, guint n)
{
  LmccWaitingQueue queue;
  gdouble before;
  guint i;

  lmcc_waiting_queue_init (&queue);
  for (i = 0; i < n_waiting; i++)
    add (&queue, (guint16) (2 * i), n_waiting - i);
  before = cpu_seconds ();
  for (i = 0; i < n; i++) {
    guint16 middle = (guint16) (2 * i + n_waiting + 1);
    LmccReceiverWaiting *waiting;

    add (&queue, middle, i);
    waiting = find (&queue, middle);
    fail_unless (waiting != NULL);
    lmcc_waiting_queue_remove (&queue, waiting);
    give_back (&queue, waiting);
    pop (&queue, (guint16) (2 * i));
    add (&queue, (guint16) (2 * (i + n_waiting)), n_waiting);
    fail_unless (LMCC_TIME_IS_VALID (lmcc_waiting_queue_next_due (&queue)));
  }
  before = cpu_seconds () - before;
  lmcc_waiting_queue_clear (&queue);

  return before;
}

/* The logarithms are 2.3 to 1, and caches account for the rest; a linear
 * search would give a hundred to 1. */
GST_START_TEST (a_hundred_times_as_many_that_wait_cost_a_few_times_as_much)
{
  guint n = test_rounds (20000);

  measure (40, n);
  fail_unless (measure (4000, n) < 12 * measure (40, n));
}

GST_END_TEST;

static Suite *
waiting_queue_suite (void)
{
  Suite *s = suite_create ("waiting-queue");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, numbers_come_out_in_order_across_their_end);
  tcase_add_test (tc, numbers_that_go_around_between_two_packets_stay_in_order);
  tcase_add_test (tc, the_earliest_deadline_is_found_whatever_was_taken_out);
  tcase_add_test (tc,
      a_hundred_times_as_many_that_wait_cost_a_few_times_as_much);

  return s;
}

GST_CHECK_MAIN (waiting_queue);
