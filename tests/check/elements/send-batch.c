/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests batches of packets over sockets of the loopback interface.
 */
#include "txtime.h"

#include <gst/check/gstcheck.h>

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <plugins/lmcc/common/offload.h>
#include <plugins/lmcc/common/send-batch.h>
#include <plugins/lmcc/common/socket.h>

#define N_DESTINATIONS 4
/* A host without an address. */
#define NOWHERE (N_DESTINATIONS - 1)
#define BUFFER_SIZE (4 << 20)
#define MAX_PACKETS 1000

/* Simulated results of the kernel for the batch's calls. */
typedef struct
{
  gint refuse_super;  /* errno for super-packets, 0 for none */
  gint refuse_times;  /* errno for packets with a time, 0 for none */
  gint refuse_all;    /* errno for all packets */
  guint refuse_calls; /* number of calls that fail with it */
  guint at_once;      /* messages sent per call, 0 for all */
  guint n_calls;
  guint n_messages;
  guint64 times[MAX_PACKETS]; /* number of these, 0 for none */
} Kernel;

static Kernel kernel;

static gboolean
is_super (const struct msghdr *message)
{
  return message->msg_iovlen > 1;
}

static gint
get_refusal (struct msghdr *message)
{
  if (kernel.refuse_super != 0 && is_super (message))
    return kernel.refuse_super;
  return test_get_txtime (message) > 0 ? kernel.refuse_times : 0;
}

/* Replaces the function of the C library. */
__attribute__ ((visibility ("default"))) int
sendmmsg (int fd, struct mmsghdr *messages, unsigned int n, int flags)
{
  guint most = kernel.at_once > 0 ? MIN (kernel.at_once, n) : n, i;
  long sent;

  kernel.n_calls++;
  if (kernel.refuse_calls > 0) {
    kernel.refuse_calls--;
    errno = kernel.refuse_all;
    return -1;
  }
  for (i = 0; i < most && get_refusal (&messages[i].msg_hdr) == 0; i++)
    ;
  if (i == 0) {
    errno = get_refusal (&messages[0].msg_hdr);
    return -1;
  }
  sent = syscall (SYS_sendmmsg, fd, messages, i, flags);
  for (i = 0; (glong) i < sent; i++)
    kernel.times[kernel.n_messages++ % MAX_PACKETS] =
        test_get_txtime (&messages[i].msg_hdr);
  return (int) sent;
}

typedef struct
{
  guint size;
  guint32 number;
} Packet;

typedef struct
{
  gint fd;
  GstLmccSendBatch *batch;
  gint receivers[N_DESTINATIONS];
  GArray *packets[N_DESTINATIONS]; /* added to the batch */
  guint n_added;
  guint n_sent[N_DESTINATIONS];
  guint n_failed[N_DESTINATIONS];
  gint code;
} Bench;

static void
packet_sent (guint destination, gint code, gpointer user_data)
{
  Bench *bench = user_data;

  if (code == 0)
    bench->n_sent[destination]++;
  else
    bench->n_failed[destination]++;
  bench->code = code != 0 ? code : bench->code;
}

static gint
open_receiver (LmccAddress *address, guint16 *port)
{
  struct sockaddr_in name = { .sin_family = AF_INET };
  socklen_t size = sizeof (name);
  gint fd = socket (AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);

  fail_unless (fd >= 0);
  fail_unless (lmcc_address_parse ("127.0.0.1", address));
  name.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  fail_unless (bind (fd, (struct sockaddr *) &name, sizeof (name)) == 0);
  fail_unless (getsockname (fd, (struct sockaddr *) &name, &size) == 0);
  gst_lmcc_socket_set_receive_buffer (fd, BUFFER_SIZE);
  *port = ntohs (name.sin_port);
  return fd;
}

static void
bench_open (Bench *bench, gboolean segmentation)
{
  LmccAddress address;
  guint16 port;
  guint i;

  memset (&kernel, 0, sizeof (kernel));
  memset (bench, 0, sizeof (*bench));
  bench->fd = socket (AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  fail_unless (bench->fd >= 0);
  bench->batch = gst_lmcc_send_batch_new (N_DESTINATIONS, packet_sent, bench);
  for (i = 0; i < N_DESTINATIONS; i++) {
    bench->packets[i] = g_array_new (FALSE, FALSE, sizeof (Packet));
    bench->receivers[i] = open_receiver (&address, &port);
    if (i != NOWHERE)
      gst_lmcc_send_batch_set_destination (bench->batch, i, &address, port, 0);
  }
  fail_unless (gst_lmcc_send_batch_set_segmentation (bench->batch, bench->fd,
                   segmentation)
      == segmentation);
}

static void
bench_close (Bench *bench)
{
  guint i;

  gst_lmcc_send_batch_free (bench->batch);
  close (bench->fd);
  for (i = 0; i < N_DESTINATIONS; i++) {
    close (bench->receivers[i]);
    g_array_unref (bench->packets[i]);
  }
}

/* Each packet has different content. */
static void
fill (guint8 *data, const Packet *packet)
{
  memset (data, (gint) packet->number, packet->size);
  memcpy (data, &packet->number, MIN (packet->size, sizeof (packet->number)));
}

static void
add_at (Bench *bench, guint destination, gsize size, guint64 time)
{
  LmccPacket *packet = lmcc_packet_new (size);
  Packet added = { (guint) size, bench->n_added++ };

  fill (packet->data, &added);
  packet->size = size;
  g_array_append_val (bench->packets[destination], added);
  gst_lmcc_send_batch_add (bench->batch, bench->fd, destination, packet, time);
}

static void
add (Bench *bench, guint destination, gsize size)
{
  add_at (bench, destination, size, 0);
}

static void
add_many (Bench *bench, guint destination, gsize size, guint n)
{
  while (n-- > 0)
    add (bench, destination, size);
}

static void
set_txtime (Bench *bench)
{
  fail_unless (gst_lmcc_send_batch_set_txtime (bench->batch, bench->fd, TRUE));
}

static void
flush (Bench *bench)
{
  gst_lmcc_send_batch_flush (bench->batch, bench->fd);
}

/* Checks that the added packets arrived, each once, unchanged and in order. */
static void
check_arrived (Bench *bench)
{
  guint8 data[LMCC_MAX_PACKET_SIZE], sent[LMCC_MAX_PACKET_SIZE];
  guint i, k;

  for (i = 0; i < NOWHERE; i++) {
    for (k = 0; k < bench->packets[i]->len; k++) {
      const Packet *packet = &g_array_index (bench->packets[i], Packet, k);

      fail_unless_equals_int ((gint) recv (bench->receivers[i], data,
                                  sizeof (data), 0),
          (gint) packet->size);
      fill (sent, packet);
      fail_unless (memcmp (data, sent, packet->size) == 0);
    }
    fail_unless (recv (bench->receivers[i], data, sizeof (data), 0) < 0);
    fail_unless_equals_int (bench->n_sent[i], bench->packets[i]->len);
    fail_unless_equals_int (bench->n_failed[i], 0);
  }
  fail_unless_equals_int (bench->n_sent[NOWHERE], 0);
  fail_unless_equals_int (bench->n_failed[NOWHERE],
      bench->packets[NOWHERE]->len);
}

GST_START_TEST (packets_of_one_size_and_destination_are_one_message)
{
  gboolean segmentation = __i__ != 0;
  Bench bench;

  bench_open (&bench, segmentation);
  add_many (&bench, 0, 1200, 8);
  add (&bench, 0, 700); /* ends the super-packet */
  add_many (&bench, 0, 1200, 4);
  add_many (&bench, 1, 1200, 4);
  add (&bench, 0, 100);
  add (&bench, 0, 1200); /* is larger */
  flush (&bench);
  fail_unless_equals_int (kernel.n_calls, 1);
  fail_unless_equals_int (kernel.n_messages, segmentation ? 5 : 19);
  check_arrived (&bench);
  flush (&bench);
  fail_unless_equals_int (kernel.n_calls, 1);
  bench_close (&bench);
}

GST_END_TEST;

GST_START_TEST (no_message_is_too_large)
{
  Bench bench;

  bench_open (&bench, TRUE);
  add_many (&bench, 0, 1200, 64);
  flush (&bench);
  fail_unless_equals_int (kernel.n_messages, 2);
  add_many (&bench, 0, 10, 64);
  flush (&bench);
  fail_unless_equals_int (kernel.n_messages, 3);
  add_many (&bench, 1, LMCC_MAX_PACKET_SIZE, 64);
  flush (&bench);
  fail_unless_equals_int (kernel.n_messages, 3 + 10);
  /* And a full batch is sent. */
  add_many (&bench, 2, 500, 200);
  flush (&bench);
  check_arrived (&bench);
  fail_unless (gst_lmcc_send_batch_segments (bench.batch));
  bench_close (&bench);
}

GST_END_TEST;

GST_START_TEST (empty_packets_are_sent)
{
  Bench bench;

  bench_open (&bench, TRUE);
  add_many (&bench, 0, 0, 3);
  add (&bench, 0, 1);
  add (&bench, 0, 0);
  flush (&bench);
  check_arrived (&bench);
  bench_close (&bench);
}

GST_END_TEST;

GST_START_TEST (a_refused_super_packet_is_the_last)
{
  static const gint codes[] = { EINVAL, EIO, EMSGSIZE, EOPNOTSUPP };
  Bench bench;

  bench_open (&bench, TRUE);
  kernel.refuse_super = codes[__i__];
  add (&bench, 1, 100);
  add_many (&bench, 0, 1200, 10);
  add_many (&bench, 1, 1200, 10);
  flush (&bench);
  fail_if (gst_lmcc_send_batch_segments (bench.batch));
  kernel.refuse_super = 0;
  kernel.n_messages = 0;
  add_many (&bench, 0, 1200, 10);
  flush (&bench);
  fail_unless_equals_int (kernel.n_messages, 10);
  check_arrived (&bench);
  bench_close (&bench);
}

GST_END_TEST;

/* Super-packets are not blamed for errors that affect all packets. */
GST_START_TEST (an_address_that_is_gone_refuses_no_super_packet)
{
  Bench bench;

  bench_open (&bench, TRUE);
  kernel.refuse_all = EINVAL;
  kernel.refuse_calls = G_MAXUINT;
  add_many (&bench, 0, 1200, 10);
  add_many (&bench, 1, 1200, 10);
  flush (&bench);
  fail_unless (gst_lmcc_send_batch_segments (bench.batch));
  fail_unless_equals_int (bench.n_failed[0], 10);
  fail_unless_equals_int (bench.n_failed[1], 10);
  fail_unless_equals_int (bench.n_sent[0] + bench.n_sent[1], 0);
  fail_unless_equals_int (bench.code, EINVAL);
  bench_close (&bench);
}

GST_END_TEST;

GST_START_TEST (an_error_is_that_of_its_destination)
{
  Bench bench;

  bench_open (&bench, TRUE);
  add_many (&bench, NOWHERE, 1200, 3);
  add_many (&bench, 0, 1200, 3);
  add_many (&bench, NOWHERE, 1200, 3);
  add_many (&bench, 1, 1200, 3);
  add (&bench, NOWHERE, 1200);
  flush (&bench);
  check_arrived (&bench);
  fail_unless_equals_int (bench.code, EADDRNOTAVAIL);
  bench_close (&bench);
}

GST_END_TEST;

/* The error of an earlier packet, and a full send buffer. */
GST_START_TEST (an_error_that_passes_loses_nothing)
{
  static const gint codes[] = { ECONNREFUSED, EAGAIN, EPERM, ENOBUFS };
  Bench bench;

  bench_open (&bench, TRUE);
  kernel.refuse_all = codes[__i__];
  kernel.refuse_calls = 1;
  add_many (&bench, 0, 1200, 10);
  add_many (&bench, 1, 1200, 10);
  flush (&bench);
  check_arrived (&bench);
  fail_unless (gst_lmcc_send_batch_segments (bench.batch));
  bench_close (&bench);
}

GST_END_TEST;

GST_START_TEST (a_full_buffer_fails_each_packet)
{
  Bench bench;

  bench_open (&bench, FALSE);
  kernel.refuse_all = EAGAIN;
  kernel.refuse_calls = G_MAXUINT;
  add_many (&bench, 0, 1200, 20);
  add_many (&bench, 1, 1200, 20);
  flush (&bench);
  fail_unless_equals_int (bench.n_failed[0], 20);
  fail_unless_equals_int (bench.n_failed[1], 20);
  fail_unless_equals_int (bench.code, EAGAIN);
  /* At most twice for each packet. */
  fail_unless (kernel.n_calls <= 80);
  bench_close (&bench);
}

GST_END_TEST;

/* Any content of a batch with any result of the kernel. */
GST_START_TEST (random_packets_arrive)
{
  GRand *rand = g_rand_new_with_seed ((guint32) __i__);
  guint i, destination = 0, size = 1200;
  Bench bench;

  bench_open (&bench, __i__ % 4 != 0);
  if (__i__ % 3 != 0)
    set_txtime (&bench);
  for (i = 0; i < MAX_PACKETS; i++) {
    if (g_rand_int_range (rand, 0, 5) == 0)
      destination = (guint) g_rand_int_range (rand, 0, N_DESTINATIONS);
    if (g_rand_int_range (rand, 0, 4) == 0)
      size = (guint) g_rand_int_range (rand, 0, 1400);
    add_at (&bench, destination, size, (guint64) g_rand_int_range (rand, 0, 3));
    if (g_rand_int_range (rand, 0, 20) > 0)
      continue;
    kernel.at_once = (guint) g_rand_int_range (rand, 0, 4);
    kernel.refuse_all = EAGAIN;
    kernel.refuse_calls = g_rand_int_range (rand, 0, 4) == 0 ? 1 : 0;
    if (i > MAX_PACKETS / 2 && __i__ % 4 == 1)
      kernel.refuse_super = EIO;
    if (i > MAX_PACKETS * 2 / 3 && __i__ % 5 == 1)
      kernel.refuse_times = EINVAL;
    flush (&bench);
  }
  flush (&bench);
  check_arrived (&bench);
  bench_close (&bench);
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (a_message_has_the_time_of_its_packets)
{
  gboolean segmentation = __i__ != 0;
  static const guint64 singly[] = { 5, 5, 5, 7, 7, 0, 9, 9 };
  static const guint64 together[] = { 5, 7, 0, 9, 9 };
  Bench bench;

  bench_open (&bench, segmentation);
  set_txtime (&bench);
  add_at (&bench, 0, 1200, 5);
  add_at (&bench, 0, 1200, 5);
  add_at (&bench, 0, 1200, 5);
  add_at (&bench, 0, 1200, 7);
  add_at (&bench, 0, 1100, 7);
  add_at (&bench, 0, 1100, 0);
  add_at (&bench, 1, 1200, 9);
  add_at (&bench, 0, 1200, 9);
  flush (&bench);
  fail_unless_equals_int (kernel.n_calls, 1);
  if (segmentation)
    fail_unless (kernel.n_messages == G_N_ELEMENTS (together)
        && memcmp (kernel.times, together, sizeof (together)) == 0);
  else
    fail_unless (kernel.n_messages == G_N_ELEMENTS (singly)
        && memcmp (kernel.times, singly, sizeof (singly)) == 0);
  check_arrived (&bench);
  bench_close (&bench);
}

GST_END_TEST;

GST_START_TEST (no_packet_has_a_time_unless_it_is_wanted)
{
  Bench bench;

  bench_open (&bench, TRUE);
  fail_if (gst_lmcc_send_batch_set_txtime (bench.batch, bench.fd, FALSE));
  add_at (&bench, 0, 1200, 5);
  flush (&bench);
  fail_unless (kernel.n_messages == 1 && kernel.times[0] == 0);
  check_arrived (&bench);
  bench_close (&bench);
}

GST_END_TEST;

GST_START_TEST (a_kernel_without_times_says_so)
{
  Bench bench;

  bench_open (&bench, FALSE);
  fail_if (gst_lmcc_send_batch_set_txtime (bench.batch, -1, TRUE));
  fail_unless_equals_int (errno, EBADF);
  bench_close (&bench);
}

GST_END_TEST;

/* If the kernel rejects either property, or both, of a message that has
 * both. */
GST_START_TEST (a_refused_time_is_the_last)
{
  gboolean refuse_super = (__i__ & 1) != 0, refuse_times = (__i__ & 2) != 0;
  Bench bench;
  guint i;

  bench_open (&bench, TRUE);
  set_txtime (&bench);
  kernel.refuse_super = refuse_super ? EIO : 0;
  kernel.refuse_times = refuse_times ? EINVAL : 0;
  add_at (&bench, 1, 100, 3);
  for (i = 0; i < 30; i++)
    add_at (&bench, i / 10 % 2, 1200, 5 + i / 5);
  flush (&bench);
  fail_unless (gst_lmcc_send_batch_segments (bench.batch) != refuse_super);
  fail_unless (gst_lmcc_send_batch_has_txtime (bench.batch) != refuse_times);
  fail_unless (kernel.n_messages == (refuse_super ? 31 : 7));
  fail_unless ((kernel.times[kernel.n_messages - 1] == 10) != refuse_times);
  check_arrived (&bench);
  bench_close (&bench);
}

GST_END_TEST;

GST_START_TEST (an_address_that_is_gone_refuses_no_time)
{
  Bench bench;

  bench_open (&bench, TRUE);
  set_txtime (&bench);
  kernel.refuse_all = EINVAL;
  kernel.refuse_calls = G_MAXUINT;
  add_at (&bench, 0, 1200, 5);
  add_at (&bench, 0, 1200, 5);
  add_at (&bench, 1, 1200, 6);
  flush (&bench);
  fail_unless (gst_lmcc_send_batch_segments (bench.batch));
  fail_unless (gst_lmcc_send_batch_has_txtime (bench.batch));
  fail_unless_equals_int (bench.n_failed[0], 2);
  fail_unless_equals_int (bench.n_failed[1], 1);
  bench_close (&bench);
}

GST_END_TEST;

GST_START_TEST (the_loopback_interface_keeps_super_packets)
{
  GstLmccInterface iface;
  LmccAddress group;

  fail_unless (lmcc_address_parse ("239.255.43.1", &group));
  fail_unless (gst_lmcc_interface_choose ("127.0.0.1", &group, &iface, NULL));
  fail_unless (gst_lmcc_interface_keeps_super_packets (&iface));
  iface.index = 0;
  fail_if (gst_lmcc_interface_keeps_super_packets (&iface));
  iface.index = G_MAXINT;
  fail_if (gst_lmcc_interface_keeps_super_packets (&iface));
}

GST_END_TEST;

static Suite *
send_batch_suite (void)
{
  Suite *s = suite_create ("send-batch");
  TCase *tc = tcase_create ("send-batch");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, packets_of_one_size_and_destination_are_one_message,
      0, 2);
  tcase_add_test (tc, no_message_is_too_large);
  tcase_add_test (tc, empty_packets_are_sent);
  tcase_add_loop_test (tc, a_refused_super_packet_is_the_last, 0, 4);
  tcase_add_test (tc, an_address_that_is_gone_refuses_no_super_packet);
  tcase_add_test (tc, an_error_is_that_of_its_destination);
  tcase_add_loop_test (tc, an_error_that_passes_loses_nothing, 0, 4);
  tcase_add_test (tc, a_full_buffer_fails_each_packet);
  tcase_add_loop_test (tc, random_packets_arrive, 0, 16);
  tcase_add_loop_test (tc, a_message_has_the_time_of_its_packets, 0, 2);
  tcase_add_test (tc, no_packet_has_a_time_unless_it_is_wanted);
  tcase_add_test (tc, a_kernel_without_times_says_so);
  tcase_add_loop_test (tc, a_refused_time_is_the_last, 0, 4);
  tcase_add_test (tc, an_address_that_is_gone_refuses_no_time);
  tcase_add_test (tc, the_loopback_interface_keeps_super_packets);
  return s;
}

GST_CHECK_MAIN (send_batch);
