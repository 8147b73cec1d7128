/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests lmccsink when it hands over packets before they are due. The
 * loopback interface ignores their times; the test reads them on the way to
 * the kernel.
 */
#include "element-tools.h"
#include "reported-qdisc.h"
#include "txtime.h"

#include <errno.h>
#include <linux/pkt_sched.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <gst/app/gstappsrc.h>
#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtp.h>

#define RTP_CAPS                                      \
  "application/x-rtp,media=video,encoding-name=H264," \
  "clock-rate=90000,payload=96"

#define N_PICTURES 20
#define PICTURE (20 * GST_MSECOND)
#define N_PACKETS 40 /* packets per picture: 2000/s */

#define LEAD (10 * GST_MSECOND)

/* The library's send times are in units of 1 s / 65536. */
#define UNIT 15259

/* The packets given to the kernel. */
typedef struct
{
  guint call;
  guint64 called; /* CLOCK_MONOTONIC */
  guint64 leaves; /* CLOCK_MONOTONIC, 0 for at once */
  gboolean control;
  guint16 sequence;
  guint32 send_time;
} Packet;

static GMutex lock;
static GArray *packets;
static guint n_calls;
static gboolean refuse_option;
/* faked for the loopback interface, or NULL: unchanged */
static const gchar *root;
static guint n_options;
static guint n_warnings;

static guint64
get_monotonic (void)
{
  return (guint64) g_get_monotonic_time () * 1000;
}

/* Called with lock held. */
static void
note (struct msghdr *message, guint64 called)
{
  Packet packet = { n_calls, called, test_get_txtime (message) };
  gsize i;

  for (i = 0; i < message->msg_iovlen; i++) {
    const struct iovec *vector = &message->msg_iov[i];
    LmccHeader header;
    LmccRtp rtp;

    packet.control = !lmcc_rtp_parse (vector->iov_base, vector->iov_len,
                         LMCC_HEADER_DEFAULT_ID, &rtp)
        || rtp.element == NULL
        || !lmcc_header_parse (rtp.element, rtp.element_size, &header);
    packet.sequence = packet.control ? 0 : rtp.sequence;
    packet.send_time = packet.control ? 0 : header.send_time;
    g_array_append_val (packets, packet);
  }
}

/* These replace the functions of the C library. */
__attribute__ ((visibility ("default"))) int
sendmmsg (int fd, struct mmsghdr *messages, unsigned int n, int flags)
{
  long sent = syscall (SYS_sendmmsg, fd, messages, n, flags), i;
  guint64 called = get_monotonic ();

  g_mutex_lock (&lock);
  n_calls++;
  for (i = 0; i < sent; i++)
    note (&messages[i].msg_hdr, called);
  g_mutex_unlock (&lock);
  return (int) sent;
}

__attribute__ ((visibility ("default"))) int
setsockopt (int fd, int level, int name, const void *value, socklen_t size)
{
  if (level == SOL_SOCKET && name == SO_TXTIME) {
    n_options++;
    if (refuse_option) {
      errno = ENOPROTOOPT;
      return -1;
    }
  }
  return (int) syscall (SYS_setsockopt, fd, level, name, value, size);
}

__attribute__ ((visibility ("default"))) ssize_t
recv (int fd, void *bytes, size_t size, int flags)
{
  g_autoptr (GByteArray) told = NULL;
  gint domain = 0;
  socklen_t domain_size = sizeof (domain);

  getsockopt (fd, SOL_SOCKET, SO_DOMAIN, &domain, &domain_size);
  if (root != NULL && domain == AF_NETLINK) {
    ReportedQdisc discipline = { root, if_nametoindex ("lo"), TC_H_ROOT,
      0x10000, 100, 10000000 };

    told = g_byte_array_new ();
    reported_qdisc_add (told, &discipline);
    reported_qdisc_end (told);
    fail_unless (told->len <= size);
    memcpy (bytes, told->data, told->len);
    return told->len;
  }
  return syscall (SYS_recvfrom, fd, bytes, size, flags, NULL, NULL);
}

static void
count_warning (GstDebugCategory *category G_GNUC_UNUSED, GstDebugLevel level,
    const gchar *file G_GNUC_UNUSED, const gchar *function G_GNUC_UNUSED,
    gint line G_GNUC_UNUSED, GObject *object G_GNUC_UNUSED,
    GstDebugMessage *message, gpointer user_data G_GNUC_UNUSED)
{
  if (level <= GST_LEVEL_WARNING
      && strstr (gst_debug_message_get (message), "SO_TXTIME"))
    n_warnings++;
}

static void
setup (void)
{
  packets = g_array_new (FALSE, FALSE, sizeof (Packet));
  n_calls = n_options = n_warnings = 0;
  refuse_option = FALSE;
  root = NULL;
}

static void
teardown (void)
{
  g_clear_pointer (&packets, g_array_unref);
}

static void
push_packet (GstElement *source, guint number)
{
  guint picture = number / N_PACKETS;
  GstClockTime time = picture * PICTURE;
  guint8 *bytes = g_malloc0 (1000);
  GstBuffer *buffer;

  bytes[0] = 0x80;
  bytes[1] = number % N_PACKETS == N_PACKETS - 1 ? 0x80 | 96 : 96;
  GST_WRITE_UINT16_BE (bytes + 2, number);
  GST_WRITE_UINT32_BE (bytes + 4,
      (guint32) gst_util_uint64_scale (time, 90000, GST_SECOND));
  bytes[12] = picture == 0 ? 0x65 : 0x61;
  bytes[13] = number % N_PACKETS == 0 ? 0x88 : 0x08;
  buffer = gst_buffer_new_wrapped (bytes, 1000);
  GST_BUFFER_PTS (buffer) = GST_BUFFER_DTS (buffer) = time;
  fail_unless_equals_int (gst_app_src_push_buffer (GST_APP_SRC (source),
                              buffer),
      GST_FLOW_OK);
}

/* With an address of its own it needs no address claims, so all its packets
 * belong to the session. */
static GstElement *
start (const gchar *properties)
{
  g_autofree gchar *text =
      g_strdup_printf ("appsrc name=a format=time max-bytes=0 caps=" RTP_CAPS
                       " ! lmccsink name=s address=239.255.42.1 %s",
          properties);
  GstElement *pipeline = test_launch_sink (text, NULL);
  g_autoptr (GstElement) source = gst_bin_get_by_name (GST_BIN (pipeline), "a");
  guint i;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (i = 0; i < N_PICTURES * N_PACKETS; i++)
    push_packet (source, i);
  gst_app_src_end_of_stream (GST_APP_SRC (source));
  return pipeline;
}

static void
wait_eos (GstElement *pipeline)
{
  g_autoptr (GstMessage) message =
      test_wait_message (pipeline, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_EOS);
}

static gboolean
get_flag (GstElement *pipeline, const gchar *name)
{
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  g_autoptr (GstStructure) stats = NULL;
  gboolean flag = FALSE;

  g_object_get (sink, "stats", &stats, NULL);
  fail_unless (gst_structure_get_boolean (stats, name, &flag), "%s", name);
  return flag;
}

static const Packet *
get_packet (guint i)
{
  return &g_array_index (packets, Packet, i);
}

static guint
count_media (void)
{
  guint n = 0, i;

  for (i = 0; i < packets->len; i++)
    n += get_packet (i)->control ? 0 : 1;
  return n;
}

/* Times never go back, and none is further ahead than the lead. */
static void
check_times (void)
{
  guint64 latest = 0;
  guint i;

  for (i = 0; i < packets->len; i++) {
    const Packet *packet = get_packet (i);

    fail_unless (packet->leaves > 0, "packet %u has no time", i);
    fail_unless (packet->leaves >= latest, "packet %u overtakes others", i);
    fail_unless (packet->leaves <= packet->called + LEAD, "packet %u", i);
    latest = packet->leaves;
  }
}

static void
check_numbers (void)
{
  const Packet *before = NULL;
  guint i;

  for (i = 0; i < packets->len; i++) {
    const Packet *packet = get_packet (i);

    if (packet->control)
      continue;
    if (before) {
      fail_unless_equals_int (packet->sequence,
          (guint16) (before->sequence + 1));
      fail_unless (
          lmcc_ntp_short_diff (packet->send_time, before->send_time) >= 0);
    }
    before = packet;
  }
}

/* Two packets of one call leave as far apart as their headers say, except
 * that the first ones wait if the clocks were read late for the previous
 * call. Returns how many pairs have exactly this distance. */
static guint
check_distances (void)
{
  const Packet *before = NULL;
  guint n_exact = 0, i;

  for (i = 0; i < packets->len; i++) {
    const Packet *packet = get_packet (i);

    if (packet->control)
      continue;
    if (before && before->call == packet->call) {
      gint64 said = lmcc_ntp_short_diff (packet->send_time, before->send_time);
      gint64 is = (gint64) (packet->leaves - before->leaves);

      fail_unless (is <= said + 2 * UNIT, "packet %u", i);
      n_exact += is > 0 && ABS (is - said) <= 2 * UNIT ? 1 : 0;
    }
    before = packet;
  }
  return n_exact;
}

GST_START_TEST (each_packet_has_the_time_that_its_header_says)
{
  gboolean segmentation = __i__ != 0;
  GstElement *pipeline =
      start (segmentation ? "txtime=on udp-segmentation=on"
                          : "txtime=on udp-segmentation=off");

  wait_eos (pipeline);
  fail_unless (get_flag (pipeline, "txtime"));
  fail_unless (get_flag (pipeline, "udp-segmentation") == segmentation);
  test_end_pipeline (pipeline);
  fail_unless (count_media () >= N_PICTURES * N_PACKETS);
  check_times ();
  check_numbers ();
  /* Packets of a step of 1 ms have the same time. */
  fail_unless (check_distances () >= N_PICTURES * N_PACKETS / 8);
  /* 5 ms have ten packets, and pictures arrive in between. */
  fail_unless (n_calls <= N_PICTURES * N_PACKETS / 4, "%u calls", n_calls);
}

GST_END_TEST;

GST_START_TEST (a_bye_does_not_overtake_what_was_handed_over)
{
  GstElement *pipeline = start ("txtime=on");
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");
  const Packet *last;

  while (test_get_count (sink, "packets-sent") < N_PACKETS)
    g_thread_yield ();
  test_end_pipeline (pipeline);
  fail_unless (count_media () < N_PICTURES * N_PACKETS);
  check_times ();
  last = get_packet (packets->len - 1);
  fail_unless (last->control);
}

GST_END_TEST;

GST_START_TEST (packets_go_on_after_a_pause)
{
  GstElement *pipeline = start ("txtime=on");
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline), "s");

  while (test_get_count (sink, "packets-sent") < 2 * N_PACKETS)
    g_thread_yield ();
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_eos (pipeline);
  fail_unless (get_flag (pipeline, "txtime"));
  test_end_pipeline (pipeline);
  fail_unless (count_media () >= N_PICTURES * N_PACKETS);
  check_times ();
  check_numbers ();
}

GST_END_TEST;

GST_START_TEST (packets_have_times_where_they_are_kept)
{
  static const gchar *const roots[] = { "fq", "fq_codel", "etf" };
  gboolean keeps = __i__ == 0;
  GstElement *pipeline;

  root = roots[__i__];
  pipeline = start ("");
  wait_eos (pipeline);
  fail_unless (get_flag (pipeline, "txtime") == keeps);
  test_end_pipeline (pipeline);
  fail_unless_equals_int (n_options, keeps);
  if (keeps)
    check_times ();
  else
    fail_unless (get_packet (0)->leaves == 0);
}

GST_END_TEST;

/* If no queue holds packets, the user does not want it, the kernel does not
 * support it, or reports state when packets leave. */
GST_START_TEST (packets_have_no_times_otherwise)
{
  static const struct
  {
    const gchar *properties;
    const gchar *root;
    gboolean refuse;
    guint n_options;
    guint n_warnings;
  } rows[] = {
    { "", NULL, FALSE, 0, 0 },
    { "txtime=off", "fq", FALSE, 0, 0 },
    { "txtime=on", "etf", FALSE, 0, 0 },
    { "txtime=on", NULL, TRUE, 1, 1 },
    { "", "fq", TRUE, 1, 1 },
    { "base-algorithm=tfmcc", "fq", FALSE, 1, 0 },
    { "txtime=on algorithm=pgmcc", NULL, FALSE, 1, 0 },
  };
  GstElement *pipeline;
  guint i;

  gst_debug_set_default_threshold (GST_LEVEL_WARNING);
  gst_debug_add_log_function (count_warning, NULL, NULL);
  refuse_option = rows[__i__].refuse;
  root = rows[__i__].root;
  pipeline = start (rows[__i__].properties);
  wait_eos (pipeline);
  fail_if (get_flag (pipeline, "txtime"));
  test_end_pipeline (pipeline);
  gst_debug_remove_log_function (count_warning);
  fail_unless (count_media () > 0);
  for (i = 0; i < packets->len; i++)
    fail_unless (get_packet (i)->leaves == 0);
  fail_unless_equals_int (n_options, rows[__i__].n_options);
  fail_unless_equals_int (n_warnings, rows[__i__].n_warnings);
}

GST_END_TEST;

static Suite *
lmccsink_txtime_suite (void)
{
  Suite *s = suite_create ("lmccsink-txtime");
  TCase *tc = tcase_create ("lmccsink-txtime");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_loop_test (tc, each_packet_has_the_time_that_its_header_says, 0, 2);
  tcase_add_test (tc, a_bye_does_not_overtake_what_was_handed_over);
  tcase_add_test (tc, packets_go_on_after_a_pause);
  tcase_add_loop_test (tc, packets_have_times_where_they_are_kept, 0, 3);
  tcase_add_loop_test (tc, packets_have_no_times_otherwise, 0, 7);
  return s;
}

GST_CHECK_MAIN (lmccsink_txtime);
