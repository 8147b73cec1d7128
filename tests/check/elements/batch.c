/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Tests how a batch receives datagrams on a socket of this host, single ones
 * and several in one (UDP_SEGMENT). Datagrams are in the socket when send()
 * returns. */
#include <gst/check/gstcheck.h>

#include <plugins/lmcc/common/socket.h>

#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SIZE 4

typedef struct
{
  gint in;
  gint out;
  GstLmccBatch *batch;
  guint sent;     /* packets */
  guint received; /* packets */
} Line;

static void
line_open (Line *line)
{
  struct sockaddr_in to = { .sin_family = AF_INET };
  socklen_t size = sizeof (to);
  gint one = 1, room = 1 << 20;

  memset (line, 0, sizeof (*line));
  to.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  line->in = socket (AF_INET, SOCK_DGRAM, 0);
  line->out = socket (AF_INET, SOCK_DGRAM, 0);
  fail_unless (bind (line->in, (struct sockaddr *) &to, size) == 0);
  fail_unless (getsockname (line->in, (struct sockaddr *) &to, &size) == 0);
  fail_unless (connect (line->out, (struct sockaddr *) &to, size) == 0);
  setsockopt (line->in, SOL_SOCKET, SO_RCVBUF, &room, sizeof (room));
  setsockopt (line->in, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof (one));
  setsockopt (line->in, SOL_UDP, UDP_GRO, &one, sizeof (one));
  line->batch = gst_lmcc_batch_new (SIZE);
}

static void
line_close (Line *line)
{
  gst_lmcc_batch_free (line->batch);
  close (line->in);
  close (line->out);
}

static guint8
get_byte (guint packet, gsize i)
{
  return (guint8) (packet * 7 + i);
}

/* @n packets of @size bytes, the last one of @last bytes. */
static void
send_together (Line *line, guint n, gsize size, gsize last)
{
  gsize total = (n - 1) * size + last, i;
  g_autofree guint8 *bytes = g_malloc (total + 1);
  gint segment = n > 1 ? (gint) size : 0;

  for (i = 0; i < total; i++)
    bytes[i] = get_byte (line->sent + (guint) (i / size), i % size);
  fail_unless (
      setsockopt (line->out, SOL_UDP, UDP_SEGMENT, &segment, sizeof (segment))
      == 0);
  fail_unless_equals_int64 (send (line->out, bytes, total, 0), (gint64) total);
  line->sent += n;
}

static GstLmccDatagram *
receive (Line *line, guint *i, gint *n)
{
  if (*i == (guint) *n) {
    *n = gst_lmcc_batch_receive (line->batch, line->in, NULL);
    *i = 0;
  }
  fail_unless (*n > 0, "packet %u of %u does not come", line->received,
      line->sent);
  return gst_lmcc_batch_get (line->batch, (*i)++);
}

static void
check_packet (Line *line, const GstLmccDatagram *datagram, gsize size)
{
  gsize i;

  fail_unless_equals_uint64 (datagram->packet->size, size);
  fail_unless (datagram->packet->capacity >= size);
  fail_unless (!datagram->truncated);
  fail_unless (datagram->timestamp > 0);
  for (i = 0;
       i < size && datagram->packet->data[i] == get_byte (line->received, i);
       i++)
    ;
  fail_unless (i == size, "packet %u, byte %" G_GSIZE_FORMAT, line->received,
      i);
  line->received++;
}

/* Sizes change, so that memory that fits at first does not fit later, or the
 * other way round; each row is sent and received twice. */
static const struct
{
  guint n;
  gsize size;
  gsize last;
} rows[] = {
  { 1, 1200, 1200 },
  { 1, 1, 1 },
  { 1, LMCC_MAX_PACKET_SIZE, LMCC_MAX_PACKET_SIZE },
  { 2, 1200, 1200 },
  { 10, 1200, 1200 },
  { 10, 1200, 7 },
  { 10, 300, 299 },
  { 40, 1400, 1 },
  { 64, 100, 100 },
  { 1, 1200, 1200 },
  { 5, 1000, 1000 },
  { 1, 1300, 1300 },
};

GST_START_TEST (test_packets_come_as_they_were_sent)
{
  guint turn, row, k, i = 0;
  gint n = 0;
  Line line;

  line_open (&line);
  for (turn = 0; turn < 3; turn++) {
    for (row = 0; row < G_N_ELEMENTS (rows); row++) {
      send_together (&line, rows[row].n, rows[row].size, rows[row].last);
      send_together (&line, rows[row].n, rows[row].size, rows[row].last);
      for (k = 1; k <= 2 * rows[row].n; k++)
        check_packet (&line, receive (&line, &i, &n),
            k % rows[row].n == 0 ? rows[row].last : rows[row].size);
    }
  }
  fail_unless_equals_int (gst_lmcc_batch_receive (line.batch, line.in, NULL),
      0);
  fail_if (gst_lmcc_batch_is_full (line.batch));
  line_close (&line);
}

GST_END_TEST;

GST_START_TEST (test_packets_of_all_sizes_in_one_batch)
{
  guint row, k, i = 0;
  gint n = 0;
  Line line;

  line_open (&line);
  for (row = 0; row < G_N_ELEMENTS (rows); row++)
    send_together (&line, rows[row].n, rows[row].size, rows[row].last);
  for (row = 0; row < G_N_ELEMENTS (rows); row++) {
    for (k = 1; k <= rows[row].n; k++)
      check_packet (&line, receive (&line, &i, &n),
          k == rows[row].n ? rows[row].last : rows[row].size);
  }
  line_close (&line);
}

GST_END_TEST;

GST_START_TEST (test_packets_that_came_as_one_have_one_time)
{
  Line line;
  gint i;

  line_open (&line);
  send_together (&line, 10, 1200, 1200);
  fail_unless_equals_int (gst_lmcc_batch_receive (line.batch, line.in, NULL),
      10);
  for (i = 1; i < 10; i++)
    fail_unless_equals_uint64 (
        gst_lmcc_batch_get (line.batch, (guint) i)->timestamp,
        gst_lmcc_batch_get (line.batch, 0)->timestamp);
  line_close (&line);
}

GST_END_TEST;

GST_START_TEST (test_more_waits_behind_a_full_batch)
{
  Line line;
  gint i;

  line_open (&line);
  for (i = 0; i < SIZE + 1; i++)
    send_together (&line, 1, 100, 100);
  fail_unless_equals_int (gst_lmcc_batch_receive (line.batch, line.in, NULL),
      SIZE);
  fail_unless (gst_lmcc_batch_is_full (line.batch));
  fail_unless_equals_int (gst_lmcc_batch_receive (line.batch, line.in, NULL),
      1);
  fail_if (gst_lmcc_batch_is_full (line.batch));
  line_close (&line);
}

GST_END_TEST;

GST_START_TEST (test_what_is_too_large_is_truncated)
{
  static const gsize sizes[] = { LMCC_MAX_PACKET_SIZE + 1, 65507 };
  guint8 *bytes = g_malloc0 (65507);
  Line line;
  guint i;

  line_open (&line);
  for (i = 0; i < G_N_ELEMENTS (sizes); i++) {
    GstLmccDatagram *datagram;

    fail_unless_equals_int64 (send (line.out, bytes, sizes[i], 0),
        (gint64) sizes[i]);
    fail_unless_equals_int (gst_lmcc_batch_receive (line.batch, line.in, NULL),
        1);
    datagram = gst_lmcc_batch_get (line.batch, 0);
    fail_unless (datagram->truncated);
    fail_unless_equals_uint64 (datagram->packet->size, LMCC_MAX_PACKET_SIZE);
  }
  g_free (bytes);
  line_close (&line);
}

GST_END_TEST;

GST_START_TEST (test_an_empty_datagram_is_an_empty_packet)
{
  Line line;

  line_open (&line);
  fail_unless_equals_int64 (send (line.out, "", 0, 0), 0);
  fail_unless_equals_int (gst_lmcc_batch_receive (line.batch, line.in, NULL),
      1);
  fail_unless_equals_uint64 (gst_lmcc_batch_get (line.batch, 0)->packet->size,
      0);
  line_close (&line);
}

GST_END_TEST;

/* A small packet waits in memory of its size, regardless of earlier packets. */
GST_START_TEST (test_a_small_packet_does_not_hold_a_large_memory)
{
  Line line;

  line_open (&line);
  send_together (&line, 1, 9000, 9000);
  gst_lmcc_batch_receive (line.batch, line.in, NULL);
  send_together (&line, 1, 1200, 1200);
  gst_lmcc_batch_receive (line.batch, line.in, NULL);
  fail_unless_equals_uint64 (
      gst_lmcc_batch_get (line.batch, 0)->packet->capacity, 1200);
  line_close (&line);
}

GST_END_TEST;

/* Memory returned to the batch's pool is used again. */
GST_START_TEST (test_the_kernel_writes_into_what_is_passed_on)
{
  LmccPacket *packets[2] = { NULL };
  Line line;
  guint i;

  line_open (&line);
  for (i = 0; i < 8; i++) {
    send_together (&line, 10, 1200, 1200);
    fail_unless_equals_int (gst_lmcc_batch_receive (line.batch, line.in, NULL),
        10);
  }
  for (i = 0; i < 2; i++)
    packets[i] =
        g_steal_pointer (&gst_lmcc_batch_get (line.batch, 4 + i)->packet);
  fail_unless (packets[0]->pool != NULL);
  fail_unless (packets[1]->pool == packets[0]->pool);
  gst_lmcc_batch_free (line.batch);
  line.batch = gst_lmcc_batch_new (SIZE);
  fail_unless_equals_int (packets[1]->data[0], get_byte (75, 0));
  lmcc_packet_unref (packets[0]);
  lmcc_packet_unref (packets[1]);
  line_close (&line);
}

GST_END_TEST;

GST_START_TEST (test_packets_of_several_sockets_are_put_in_order)
{
  Line lines[2];
  gint i;

  line_open (&lines[0]);
  line_open (&lines[1]);
  for (i = 0; i < 6; i++)
    send_together (&lines[i % 2], 1 + (guint) (i % 3), 1000, 1000);
  gst_lmcc_batch_add (lines[0].batch, lines[0].in, 0, NULL);
  fail_unless_equals_int (gst_lmcc_batch_add (lines[0].batch, lines[1].in, 1,
                              NULL),
      12);
  gst_lmcc_batch_sort (lines[0].batch);
  for (i = 0; i < 12; i++) {
    static const guint tags[] = { 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 1, 1 };
    GstLmccDatagram *datagram = gst_lmcc_batch_get (lines[0].batch, (guint) i);

    fail_unless_equals_int (datagram->tag, tags[i]);
    check_packet (&lines[tags[i]], datagram, 1000);
  }
  line_close (&lines[0]);
  line_close (&lines[1]);
}

GST_END_TEST;

GST_START_TEST (test_an_element_finds_nothing_of_the_one_before_it)
{
  GstLmccBatch *batch = gst_lmcc_batch_of_thread ();
  Line line;

  line_open (&line);
  send_together (&line, 1, 1200, 1200);
  fail_unless_equals_int (gst_lmcc_batch_add (batch, line.in, 7, NULL), 1);
  fail_unless (gst_lmcc_batch_of_thread () == batch);
  fail_unless_equals_int (gst_lmcc_batch_add (batch, line.in, 7, NULL), 0);
  line_close (&line);
}

GST_END_TEST;

static Suite *
batch_suite (void)
{
  Suite *s = suite_create ("batch");
  TCase *tc = tcase_create ("batch");

  tcase_add_test (tc, test_packets_come_as_they_were_sent);
  tcase_add_test (tc, test_packets_of_all_sizes_in_one_batch);
  tcase_add_test (tc, test_packets_that_came_as_one_have_one_time);
  tcase_add_test (tc, test_more_waits_behind_a_full_batch);
  tcase_add_test (tc, test_what_is_too_large_is_truncated);
  tcase_add_test (tc, test_an_empty_datagram_is_an_empty_packet);
  tcase_add_test (tc, test_a_small_packet_does_not_hold_a_large_memory);
  tcase_add_test (tc, test_the_kernel_writes_into_what_is_passed_on);
  tcase_add_test (tc, test_packets_of_several_sockets_are_put_in_order);
  tcase_add_test (tc, test_an_element_finds_nothing_of_the_one_before_it);
  suite_add_tcase (s, tc);
  return s;
}

GST_CHECK_MAIN (batch);
