/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the ring buffer.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/base/ring.h>

#define N 1000

static void
push (LmccRing *ring, guint value)
{
  guint *element = lmcc_ring_push (ring);

  fail_unless_equals_int (*element, 0);
  *element = value;
}

static guint
pop (LmccRing *ring)
{
  guint value;

  fail_unless (lmcc_ring_pop (ring, &value));
  return value;
}

GST_START_TEST (test_elements_come_in_order_however_full_it_is)
{
  LmccRing ring;
  guint in = 0, out = 0, step;

  lmcc_ring_init (&ring, sizeof (guint));
  for (step = 1; step < 40; step++) {
    while (in < 3 * step * step)
      push (&ring, ++in);
    fail_unless_equals_int (*(guint *) lmcc_ring_peek_head (&ring), out + 1);
    fail_unless_equals_int (*(guint *) lmcc_ring_peek_tail (&ring), in);
    while (out < 2 * step * step)
      fail_unless_equals_int (pop (&ring), ++out);
    fail_unless_equals_int (ring.length, in - out);
  }
  lmcc_ring_clear (&ring);
}

GST_END_TEST;

GST_START_TEST (test_an_empty_ring_gives_nothing_and_keeps_little)
{
  LmccRing ring;
  guint value = 7, i;

  lmcc_ring_init (&ring, sizeof (guint));
  fail_if (lmcc_ring_pop (&ring, &value));
  fail_unless (lmcc_ring_peek_head (&ring) == NULL);
  fail_unless (lmcc_ring_peek_tail (&ring) == NULL);
  for (i = 1; i <= N; i++)
    push (&ring, i);
  for (i = 1; i <= N; i++)
    fail_unless_equals_int (pop (&ring), i);
  fail_unless (ring.size < N / 2);
  fail_if (lmcc_ring_pop (&ring, &value));
  push (&ring, 1);
  fail_unless_equals_int (pop (&ring), 1);
  lmcc_ring_clear (&ring);
}

GST_END_TEST;

/* With a waiting element at all times, it is never empty. */
GST_START_TEST (test_a_ring_gives_back_what_a_burst_took)
{
  LmccRing ring;
  guint i;

  lmcc_ring_init (&ring, sizeof (guint));
  for (i = 1; i <= 100 * N; i++)
    push (&ring, i);
  for (i = 1; i < 100 * N; i++) {
    fail_unless_equals_int (pop (&ring), i);
    fail_unless (ring.size <= MAX (4 * ring.length, 512), "%u of %u",
        ring.length, ring.size);
  }
  fail_unless (ring.size < N / 2);
  fail_unless_equals_int (*(guint *) lmcc_ring_peek_head (&ring), 100 * N);
  lmcc_ring_clear (&ring);
}

GST_END_TEST;

static Suite *
ring_suite (void)
{
  Suite *suite = suite_create ("ring");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_elements_come_in_order_however_full_it_is);
  tcase_add_test (tcase, test_an_empty_ring_gives_nothing_and_keeps_little);
  tcase_add_test (tcase, test_a_ring_gives_back_what_a_burst_took);

  return suite;
}

GST_CHECK_MAIN (ring);
