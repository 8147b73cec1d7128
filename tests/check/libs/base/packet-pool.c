/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the pool that reuses the memory of packets.
 */
#include <gst/check/gstcheck.h>

#include <gst/lmcc/lmcc-packet.h>

#include <string.h>

#define CAPACITY 1000

/* The heap may return freed memory, but not before it is freed: a test that
 * holds all packets at once sees which ones come from the pool. */
static guint
count_same (LmccPacket *const *one, LmccPacket *const *other, guint n)
{
  guint i, k, same = 0;

  for (i = 0; i < n; i++) {
    for (k = 0; k < n; k++)
      same += one[i] == other[k];
  }
  return same;
}

static void
take (LmccPacketPool *pool, LmccPacket **packets, guint n)
{
  guint i;

  for (i = 0; i < n; i++) {
    packets[i] = lmcc_packet_new_pooled (pool, CAPACITY);
    memset (packets[i]->data, (int) i, CAPACITY);
    packets[i]->size = CAPACITY;
  }
}

static void
give_back (LmccPacket *const *packets, guint n)
{
  guint i;

  for (i = 0; i < n; i++)
    lmcc_packet_unref (packets[i]);
}

GST_START_TEST (test_memory_is_used_again)
{
  LmccPacketPool *pool = lmcc_packet_pool_new (4);
  LmccPacket *early[4], *later[4];

  take (pool, early, 4);
  give_back (early, 4);
  take (pool, later, 4);
  fail_unless_equals_int (count_same (early, later, 4), 4);
  give_back (later, 4);
  lmcc_packet_pool_free (pool);
}

GST_END_TEST;

GST_START_TEST (test_a_packet_that_is_used_again_is_empty)
{
  LmccPacketPool *pool = lmcc_packet_pool_new (1);
  LmccPacket *packet;

  take (pool, &packet, 1);
  lmcc_packet_unref (packet);
  packet = lmcc_packet_new_pooled (pool, CAPACITY);
  fail_unless_equals_int (packet->size, 0);
  fail_unless_equals_int (packet->capacity, CAPACITY);
  fail_unless (packet->memory == NULL);
  lmcc_packet_unref (packet);
  lmcc_packet_pool_free (pool);
}

GST_END_TEST;

GST_START_TEST (test_a_packet_in_use_is_not_given_twice)
{
  LmccPacketPool *pool = lmcc_packet_pool_new (4);
  LmccPacket *early[2], *later[2];

  take (pool, early, 2);
  lmcc_packet_ref (early[0]);
  give_back (early, 2);
  take (pool, later, 2);
  fail_unless (early[0] != later[0] && early[0] != later[1]);
  fail_unless_equals_int (early[0]->data[CAPACITY - 1], 0);
  lmcc_packet_unref (early[0]);
  give_back (later, 2);
  lmcc_packet_pool_free (pool);
}

GST_END_TEST;

/* Under the sanitizers, writing here would be an invalid access. */
GST_START_TEST (test_memory_of_another_capacity_is_not_used)
{
  LmccPacketPool *pool = lmcc_packet_pool_new (4);
  LmccPacket *packet;

  take (pool, &packet, 1);
  lmcc_packet_unref (packet);
  packet = lmcc_packet_new_pooled (pool, 9 * CAPACITY);
  fail_unless_equals_int (packet->capacity, 9 * CAPACITY);
  memset (packet->data, 1, 9 * CAPACITY);
  lmcc_packet_unref (packet);
  lmcc_packet_pool_free (pool);
}

GST_END_TEST;

GST_START_TEST (test_packets_outlive_their_pool)
{
  LmccPacketPool *pool = lmcc_packet_pool_new (4);
  LmccPacket *packets[4];

  take (pool, packets, 4);
  lmcc_packet_unref (packets[3]);
  lmcc_packet_pool_free (pool);
  fail_unless_equals_int (packets[2]->data[0], 2);
  give_back (packets, 3);
}

GST_END_TEST;

typedef struct
{
  GAsyncQueue *queue;
  guint n;
} Returns;

static gpointer
return_packets (gpointer data)
{
  Returns *returns = data;

  while (returns->n-- > 0) {
    LmccPacket *packet = g_async_queue_pop (returns->queue);
    guint8 value = packet->data[0];

    fail_unless_equals_int (packet->data[CAPACITY - 1], value);
    lmcc_packet_unref (packet);
  }
  return NULL;
}

GST_START_TEST (test_other_threads_give_packets_back)
{
  LmccPacketPool *pool = lmcc_packet_pool_new (8);
  Returns returns[3];
  GThread *threads[3];
  guint i, n = 2000;

  for (i = 0; i < 3; i++) {
    returns[i].queue = g_async_queue_new ();
    returns[i].n = n;
    threads[i] = g_thread_new ("returns", return_packets, &returns[i]);
  }
  for (i = 0; i < 3 * n; i++) {
    LmccPacket *packet;

    take (pool, &packet, 1);
    memset (packet->data, (int) (i & 0xff), CAPACITY);
    g_async_queue_push (returns[i % 3].queue, packet);
  }
  lmcc_packet_pool_free (pool);
  for (i = 0; i < 3; i++) {
    g_thread_join (threads[i]);
    g_async_queue_unref (returns[i].queue);
  }
}

GST_END_TEST;

static Suite *
packet_pool_suite (void)
{
  Suite *s = suite_create ("packet-pool");
  TCase *tc = tcase_create ("packet-pool");

  tcase_add_test (tc, test_memory_is_used_again);
  tcase_add_test (tc, test_a_packet_that_is_used_again_is_empty);
  tcase_add_test (tc, test_a_packet_in_use_is_not_given_twice);
  tcase_add_test (tc, test_memory_of_another_capacity_is_not_used);
  tcase_add_test (tc, test_packets_outlive_their_pool);
  tcase_add_test (tc, test_other_threads_give_packets_back);
  suite_add_tcase (s, tc);
  return s;
}

GST_CHECK_MAIN (packet_pool);
