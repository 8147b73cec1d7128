/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the parsing of the kernel's messages about queueing disciplines.
 */
#include "reported-qdisc.h"

#include <gst/check/gstcheck.h>

#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>

#include <plugins/lmcc/common/qdisc.h>

#define INDEX 3
#define OTHER 4
#define MQ_HANDLE 0x80010000u

/* In memory that ends with the message. */
static gboolean
take (GstLmccQdiscReader *reader, const guint8 *bytes, gsize size)
{
  g_autofree guint8 *copy = g_memdup2 (bytes, size);

  return gst_lmcc_qdisc_reader_take (reader, copy, size);
}

static gboolean
read_all (const guint8 *bytes, gsize size, GstLmccQdisc *qdisc)
{
  GstLmccQdiscReader reader;

  gst_lmcc_qdisc_reader_init (&reader, INDEX);
  take (&reader, bytes, size);
  return gst_lmcc_qdisc_reader_end (&reader, qdisc);
}

#define CHILD(n) (MQ_HANDLE | (n))
#define FQ "fq", INDEX
#define ROOT TC_H_ROOT, MQ_HANDLE

typedef struct
{
  const gchar *name;
  ReportedQdisc told[4];
  const gchar *kind;
  gboolean keeps;
  guint flow_limit;
  guint64 horizon;
} Row;

static const Row rows[] = {
  { "nothing", { { NULL } }, "", FALSE, 0, 0 },
  { "noqueue", { { "noqueue", INDEX, TC_H_ROOT, 0 } }, "noqueue", FALSE, 0, 0 },
  { "fq", { { FQ, ROOT, 100, 10000000 } }, "fq", TRUE, 100,
      G_GUINT64_CONSTANT (10000000000) },
  { "fq without a flow limit", { { FQ, ROOT, 0, 2000 } }, "fq", TRUE, 100,
      2000000 },
  { "fq of an old kernel", { { FQ, ROOT, 100, 0 } }, "fq", FALSE, 0, 0 },
  { "fq_codel", { { "fq_codel", INDEX, ROOT } }, "fq_codel", FALSE, 0, 0 },
  { "etf", { { "etf", INDEX, ROOT } }, "etf", FALSE, 0, 0 },
  { "another interface's",
      { { "fq", OTHER, ROOT, 100, 10000 },
          { "pfifo_fast", INDEX, TC_H_ROOT, 0 },
          { "fq", OTHER + 1, ROOT, 100, 10000 } },
      "pfifo_fast", FALSE, 0, 0 },
  { "mq of fq",
      { { "mq", INDEX, ROOT }, { FQ, CHILD (1), 0x10000, 100, 10000 },
          { FQ, CHILD (2), 0x20000, 50, 20000 },
          { "clsact", INDEX, TC_H_CLSACT, 0xffff0000 } },
      "mq", TRUE, 50, 10000000 },
  { "mq by itself, of fq by net.core.default_qdisc",
      { { "mq", INDEX, TC_H_ROOT, 0 }, { FQ, 1, 0, 100, 10000 },
          { FQ, 2, 0, 100, 10000 } },
      "mq", TRUE, 100, 10000000 },
  { "mq of fq and another",
      { { "mq", INDEX, ROOT }, { FQ, CHILD (1), 0, 100, 10000 },
          { "pfifo_fast", INDEX, CHILD (2), 0 } },
      "mq", FALSE, 0, 0 },
  { "mq without any", { { "mq", INDEX, ROOT } }, "mq", FALSE, 0, 0 },
  { "fq below another",
      { { "htb", INDEX, ROOT }, { FQ, CHILD (1), 0, 100, 10000 } }, "htb",
      FALSE, 0, 0 },
  { "those of a dump that was interrupted",
      { { FQ, ROOT, 100, 10000, .torn = TRUE } }, "fq", FALSE, 0, 0 },
  { "a long name", { { "discipline-of-a-name-too-long", INDEX, ROOT } },
      "discipline-of-a", FALSE, 0, 0 },
};

static GByteArray *
build (const Row *row)
{
  GByteArray *bytes = g_byte_array_new ();
  guint i;

  for (i = 0; i < G_N_ELEMENTS (row->told) && row->told[i].kind; i++)
    reported_qdisc_add (bytes, &row->told[i]);
  reported_qdisc_end (bytes);
  return bytes;
}

GST_START_TEST (the_root_says_whether_packets_are_kept)
{
  const Row *row = &rows[__i__];
  g_autoptr (GByteArray) bytes = build (row);
  GstLmccQdisc qdisc;

  fail_unless_equals_int (read_all (bytes->data, bytes->len, &qdisc),
      row->kind[0] != '\0');
  fail_unless (g_str_equal (qdisc.kind, row->kind), "%s: is '%s'", row->name,
      qdisc.kind);
  fail_unless (qdisc.keeps_times == row->keeps, "%s", row->name);
  if (!row->keeps)
    return;
  fail_unless (qdisc.flow_limit == row->flow_limit, "%s: %u", row->name,
      qdisc.flow_limit);
  fail_unless (qdisc.horizon == row->horizon, "%s", row->name);
}

GST_END_TEST;

GST_START_TEST (an_answer_may_come_in_pieces)
{
  static const ReportedQdisc root = { "mq", INDEX, ROOT };
  static const ReportedQdisc child = { FQ, CHILD (1), 0, 100, 10000 };
  g_autoptr (GByteArray) first = g_byte_array_new ();
  g_autoptr (GByteArray) second = g_byte_array_new ();
  g_autoptr (GByteArray) third = g_byte_array_new ();
  GstLmccQdiscReader reader;
  GstLmccQdisc qdisc;

  reported_qdisc_add (first, &root);
  reported_qdisc_add (second, &child);
  reported_qdisc_end (third);
  gst_lmcc_qdisc_reader_init (&reader, INDEX);
  fail_unless (take (&reader, first->data, first->len));
  fail_unless (take (&reader, second->data, second->len));
  gst_lmcc_qdisc_reader_end (&reader, &qdisc);
  fail_if (qdisc.keeps_times);
  fail_if (take (&reader, third->data, third->len));
  gst_lmcc_qdisc_reader_end (&reader, &qdisc);
  fail_unless (qdisc.keeps_times);
}

GST_END_TEST;

/* Cut in two ways: the datagram ends, or the length in the first message is
 * shorter. */
GST_START_TEST (truncated_messages_report_no_qdisc)
{
  g_autoptr (GByteArray) bytes = build (&rows[__i__]);
  GstLmccQdisc qdisc;
  guint32 size;

  for (size = 0; size < bytes->len; size++) {
    g_autofree guint8 *copy = g_memdup2 (bytes->data, bytes->len);

    read_all (copy, size, &qdisc);
    fail_if (qdisc.keeps_times && size + NLMSG_SPACE (4) < bytes->len,
        "of %u bytes", size);
    memcpy (copy, &size, sizeof (size));
    read_all (copy, bytes->len, &qdisc);
    read_all (copy, MAX (size, sizeof (size)), &qdisc);
  }
}

GST_END_TEST;

/* With arbitrary lengths, types and contents, nothing is read beyond the
 * end. */
GST_START_TEST (random_bytes_do_no_harm)
{
  g_autoptr (GByteArray) bytes = build (&rows[__i__]);
  GRand *rand = g_rand_new_with_seed ((guint32) __i__);
  GstLmccQdisc qdisc;
  guint i, k;

  for (i = 0; i < 2000; i++) {
    g_autofree guint8 *copy = g_memdup2 (bytes->data, bytes->len);

    for (k = 0; k < 1 + i % 4; k++)
      copy[g_rand_int_range (rand, 0, (gint32) bytes->len)] =
          (guint8) g_rand_int_range (rand, 0, 256);
    read_all (copy, bytes->len, &qdisc);
    fail_unless (memchr (qdisc.kind, '\0', sizeof (qdisc.kind)) != NULL);
  }
  g_rand_free (rand);
}

GST_END_TEST;

GST_START_TEST (the_kernel_tells_of_loopback)
{
  GstLmccQdisc qdisc;

  fail_unless (gst_lmcc_qdisc_find (if_nametoindex ("lo"), &qdisc));
  fail_unless_equals_string (qdisc.kind, "noqueue");
  fail_if (qdisc.keeps_times);
  fail_if (gst_lmcc_qdisc_find (G_MAXINT, &qdisc));
  fail_if (qdisc.keeps_times);
}

GST_END_TEST;

static Suite *
qdisc_suite (void)
{
  Suite *s = suite_create ("qdisc");
  TCase *tc = tcase_create ("qdisc");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, the_root_says_whether_packets_are_kept, 0,
      G_N_ELEMENTS (rows));
  tcase_add_test (tc, an_answer_may_come_in_pieces);
  tcase_add_loop_test (tc, truncated_messages_report_no_qdisc, 0,
      G_N_ELEMENTS (rows));
  tcase_add_loop_test (tc, random_bytes_do_no_harm, 0, G_N_ELEMENTS (rows));
  tcase_add_test (tc, the_kernel_tells_of_loopback);
  return s;
}

GST_CHECK_MAIN (qdisc);
