/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests what lmccsrc's algorithms need besides the session's packets: other
 * receivers to learn from, and a suitable session. On the loopback
 * interface.
 */
#include "element-tools.h"
#include "fake-sender.h"

#include <arpa/inet.h>
#include <gst/check/gstcheck.h>
#include <gst/lmcc/wire/join-notice.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Longest wait for an expected event; then the test fails. */
#define PATIENCE (10 * G_TIME_SPAN_SECOND)

#define N_LAYERS 4

/* A join experiment starts soon, and its losses would show at once. */
#define RLM                                                  \
  "algorithm=rlm algorithm-settings=rlm,join-timer-min=0.1," \
  "join-timer-max=0.2,detection-time=0.01,detection-deviation=0.0 "

typedef struct
{
  GstElement *pipeline;
  GstElement *src;
  GstBus *bus;
} Receiver;

/* Of this process, so that tests running at the same time are not heard. */
static guint16
get_port (void)
{
  return (guint16) (20000 + 2 * (getpid () % 5000));
}

static const gchar *
get_address (gboolean source_specific)
{
  static gchar address[16];

  g_snprintf (address, sizeof (address), "%s.%d.1",
      source_specific ? "232.77" : "239.254", 1 + (gint) (getpid () % 250));
  return address;
}

static void
receiver_start (Receiver *self, gboolean source_specific, const gchar *options)
{
  g_autofree gchar *line = g_strdup_printf (
      "lmccsrc name=src address=%s "
      "port=%u multicast-iface=lo stats-update-interval=20 %s %s ! "
      "fakesink sync=false",
      get_address (source_specific), get_port (),
      source_specific ? "multicast-source=127.0.0.1" : "", options);
  g_autoptr (GError) error = NULL;

  self->pipeline = gst_parse_launch (line, &error);
  fail_unless (error == NULL, "%s", error ? error->message : "");
  self->src = gst_bin_get_by_name (GST_BIN (self->pipeline), "src");
  self->bus = gst_element_get_bus (self->pipeline);
  test_watch (self->src, "stats");
  fail_unless (gst_element_set_state (self->pipeline, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE);
}

static void
receiver_stop (Receiver *self)
{
  gst_element_set_state (self->pipeline, GST_STATE_NULL);
  gst_object_unref (self->bus);
  gst_object_unref (self->src);
  gst_object_unref (self->pipeline);
}

static GstStructure *
receiver_get_stats (Receiver *self)
{
  GstStructure *stats = NULL;

  g_object_get (self->src, "stats", &stats, NULL);
  return stats;
}

static gint
receiver_get_level (Receiver *self)
{
  g_autoptr (GstStructure) stats = receiver_get_stats (self);
  gint level = -2;

  fail_unless (gst_structure_get_int (stats, "level", &level));
  return level;
}

static void
receiver_wait_count (Receiver *self, const gchar *name, guint64 least)
{
  test_wait_count (self->src, name, least, PATIENCE);
}

/* Largest values that the next statistics may show. */
typedef struct
{
  Receiver *receiver;
  gint level;
  LmccDrop kind;
  guint64 n_drops;
} Awaited;

static gboolean
is_dropped (gpointer user_data)
{
  const Awaited *awaited = user_data;

  return test_get_drops (awaited->receiver->src, awaited->kind)
      >= awaited->n_drops;
}

static void
receiver_wait_drops (Receiver *self, LmccDrop kind, guint64 least)
{
  Awaited awaited = { .receiver = self, .kind = kind, .n_drops = least };

  fail_unless (test_wait_for (is_dropped, &awaited, PATIENCE), "%s",
      lmcc_drop_name (kind));
}

static gboolean
is_level (gpointer user_data)
{
  const Awaited *awaited = user_data;

  return receiver_get_level (awaited->receiver) >= awaited->level;
}

static void
receiver_wait_level (Receiver *self, gint least)
{
  Awaited awaited = { .receiver = self, .level = least };

  fail_unless (test_wait_for (is_level, &awaited, PATIENCE), "level %d",
      receiver_get_level (self));
}

static gchar *
receiver_wait_warning (Receiver *self)
{
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (self->bus,
      PATIENCE * GST_USECOND, GST_MESSAGE_WARNING);
  g_autoptr (GError) error = NULL;

  fail_unless (message != NULL, "no warning");
  gst_message_parse_warning (message, &error, NULL);
  return g_strdup (error->message);
}

static struct in_addr
get_group (gboolean source_specific, guint group)
{
  struct in_addr address;

  fail_unless (
      inet_pton (AF_INET, get_address (source_specific), &address) == 1);
  address.s_addr = htonl (ntohl (address.s_addr) + group);
  return address;
}

static gboolean
is_joined (gboolean source_specific, guint group)
{
  g_autofree gchar *text = NULL;
  g_autofree gchar *hex = NULL;

  fail_unless (g_file_get_contents ("/proc/self/net/igmp", &text, NULL, NULL));
  hex = g_strdup_printf ("%08X", get_group (source_specific, group).s_addr);
  return strstr (text, hex) != NULL;
}

static gboolean
is_learning (gpointer user_data G_GNUC_UNUSED)
{
  return is_joined (FALSE, N_LAYERS);
}

/* Waits until lmccsrc listens in the group for shared learning; after that
 * its statistics are posted again. */
static void
wait_learning (void)
{
  fail_unless (test_wait_for (is_learning, NULL, PATIENCE),
      "the group was not joined");
}

/* A socket in the group for shared learning that receives the TTL of
 * packets. */
static gint
open_neighbour (void)
{
  struct sockaddr_in local = { .sin_family = AF_INET };
  struct ip_mreqn request = { get_group (FALSE, N_LAYERS),
    { htonl (INADDR_LOOPBACK) }, 0 };
  struct timeval patience = { PATIENCE / G_TIME_SPAN_SECOND, 0 };
  gint fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  gint one = 1;

  local.sin_port = htons (get_port () + 1);
  local.sin_addr = get_group (FALSE, N_LAYERS);
  fail_unless (fd >= 0);
  fail_unless (
      setsockopt (fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof (one)) == 0);
  fail_unless (
      setsockopt (fd, IPPROTO_IP, IP_RECVTTL, &one, sizeof (one)) == 0);
  fail_unless (
      setsockopt (fd, IPPROTO_IP, IP_MULTICAST_IF, &request, sizeof (request))
      == 0);
  fail_unless (
      setsockopt (fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof (patience))
      == 0);
  fail_unless (bind (fd, (struct sockaddr *) &local, sizeof (local)) == 0);
  fail_unless (
      setsockopt (fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof (request))
      == 0);
  return fd;
}

static void
neighbour_send (gint fd, gconstpointer data, gsize size)
{
  struct sockaddr_in to = { .sin_family = AF_INET };

  to.sin_port = htons (get_port () + 1);
  to.sin_addr = get_group (FALSE, N_LAYERS);
  fail_unless (sendto (fd, data, size, 0, (struct sockaddr *) &to, sizeof (to))
      == (gssize) size);
}

static void
neighbour_tell (gint fd, guint32 ssrc, guint32 ssrc_base, guint version,
    guint level)
{
  LmccJoinNotice notice = { ssrc, ssrc_base, (guint8) version, (guint8) level };
  LmccPacket *packet = lmcc_join_notice_build (&notice);

  neighbour_send (fd, packet->data, packet->size);
  lmcc_packet_unref (packet);
}

/* Returns the TTL. */
static gint
neighbour_hear (gint fd, LmccJoinNotice *notice)
{
  guint8 bytes[100];
  guint8 control[CMSG_SPACE (sizeof (gint))];
  struct iovec vector = { bytes, sizeof (bytes) };
  struct msghdr message = { .msg_iov = &vector,
    .msg_iovlen = 1,
    .msg_control = control,
    .msg_controllen = sizeof (control) };
  gssize size = recvmsg (fd, &message, 0);
  struct cmsghdr *header = CMSG_FIRSTHDR (&message);
  gint ttl;

  fail_unless (size > 0, "no notice came");
  fail_unless (lmcc_join_notice_parse (bytes, (gsize) size, notice));
  fail_unless (header != NULL && header->cmsg_type == IP_TTL);
  memcpy (&ttl, CMSG_DATA (header), sizeof (ttl));
  return ttl;
}

static void
get_session (FakeSender *sender, LmccSession *session)
{
  g_autofree gchar *sdp = fake_sender_get_sdp (sender);
  g_autoptr (GError) error = NULL;

  fail_unless (lmcc_sdp_parse (sdp, -1, session, &error), "%s",
      error ? error->message : "");
}

GST_START_TEST (test_a_join_experiment_is_told_with_the_sessions_ttl)
{
  FakeSender *sender =
      fake_sender_start (get_address (FALSE), get_port (), N_LAYERS, NULL);
  gint neighbour = open_neighbour ();
  LmccJoinNotice notice;
  LmccSession session;
  Receiver receiver;
  gint ttl;

  receiver_start (&receiver, FALSE, RLM);
  ttl = neighbour_hear (neighbour, &notice);
  get_session (sender, &session);
  fail_unless_equals_int (ttl, session.ttl);
  fail_unless (ttl > 1);
  fail_unless (notice.ssrc_base == session.ssrc_base);
  fail_unless_equals_int (notice.version, session.version);
  fail_unless (notice.level >= 1 && notice.level < N_LAYERS);
  receiver_wait_count (&receiver, "notices-sent", 1);

  /* Its own packet came back to the host, and a later one was accepted: so
   * it was ignored. */
  neighbour_tell (neighbour, notice.ssrc + 1, notice.ssrc_base, notice.version,
      1);
  receiver_wait_count (&receiver, "notices", 1);
  fail_unless_equals_uint64 (test_get_count (receiver.src, "notices"), 1);
  fail_unless_equals_uint64 (test_get_count (receiver.src, "notice-errors"), 0);

  /* Our own socket is a member, too. */
  close (neighbour);
  fail_unless (is_joined (FALSE, N_LAYERS));
  receiver_stop (&receiver);
  fail_if (is_joined (FALSE, N_LAYERS));
  fake_sender_stop (sender);
}

GST_END_TEST;

GST_START_TEST (test_two_receivers_on_one_host_learn_from_each_other)
{
  FakeSender *sender =
      fake_sender_start (get_address (FALSE), get_port (), N_LAYERS, NULL);
  Receiver teller, learner;

  /* The learner has joined only the base layer, so it has nothing to tell. */
  receiver_start (&learner, FALSE, RLM "max-level=0");
  wait_learning ();
  receiver_start (&teller, FALSE, RLM);
  receiver_wait_count (&teller, "notices-sent", 1);
  receiver_wait_count (&learner, "notices", 1);
  fail_unless_equals_uint64 (test_get_count (learner.src, "notices-sent"), 0);
  fail_unless_equals_uint64 (test_get_count (teller.src, "notices"), 0);
  receiver_stop (&teller);
  receiver_stop (&learner);
  fake_sender_stop (sender);
}

GST_END_TEST;

GST_START_TEST (test_hostile_notices_are_dropped_and_counted)
{
  static const guint8 garbage[20] = { 0x82, 204, 0, 4, 1, 2, 3, 4 };
  static guint8 large[LMCC_MAX_PACKET_SIZE + 1];
  FakeSender *sender =
      fake_sender_start (get_address (FALSE), get_port (), N_LAYERS, NULL);
  LmccSession session;
  Receiver receiver;
  gint neighbour;
  guint i;

  receiver_start (&receiver, FALSE, RLM "max-level=0");
  wait_learning ();
  neighbour = open_neighbour ();
  get_session (sender, &session);

  neighbour_send (neighbour, garbage, sizeof (garbage));
  neighbour_send (neighbour, garbage, 0);
  neighbour_send (neighbour, garbage, 3);
  receiver_wait_drops (&receiver, LMCC_DROP_BAD_RTCP, 3);
  neighbour_send (neighbour, large, sizeof (large));
  receiver_wait_drops (&receiver, LMCC_DROP_OVERSIZE, 1);
  neighbour_tell (neighbour, 1, session.ssrc_base + 0x1000, session.version, 1);
  neighbour_tell (neighbour, 1, session.ssrc_base, session.version + 1u, 1);
  receiver_wait_drops (&receiver, LMCC_DROP_FOREIGN_SSRC, 2);
  neighbour_tell (neighbour, 1, session.ssrc_base, session.version, 0);
  neighbour_tell (neighbour, 1, session.ssrc_base, session.version, N_LAYERS);
  receiver_wait_drops (&receiver, LMCC_DROP_WRONG_LAYER, 2);
  fail_unless_equals_uint64 (test_get_count (receiver.src, "notices"), 0);

  for (i = 0; i < 200; i++)
    neighbour_tell (neighbour, i, session.ssrc_base, session.version, 1);
  receiver_wait_count (&receiver, "notices", 10);
  receiver_wait_drops (&receiver, LMCC_DROP_TOO_OFTEN, 100);
  fail_unless_equals_int (receiver_get_level (&receiver), 0);
  close (neighbour);
  receiver_stop (&receiver);
  fake_sender_stop (sender);
}

GST_END_TEST;

GST_START_TEST (test_a_source_specific_session_has_no_shared_learning)
{
  FakeSender *sender =
      fake_sender_start (get_address (TRUE), get_port (), N_LAYERS, NULL);
  g_autofree gchar *warning = NULL;
  Receiver receiver;

  receiver_start (&receiver, TRUE, RLM);
  warning = receiver_wait_warning (&receiver);
  fail_unless (strstr (warning, "source-specific") != NULL, "%s", warning);
  receiver_wait_level (&receiver, 1);
  fail_if (is_joined (TRUE, N_LAYERS));
  fail_unless_equals_uint64 (test_get_count (receiver.src, "notices-sent"), 0);
  receiver_stop (&receiver);
  fake_sender_stop (sender);
}

GST_END_TEST;

static const gchar *const with_marks[] = { "rlc", "flid-sl", "flid-dl",
  "synchronized" };

GST_START_TEST (test_without_its_marks_an_algorithm_holds_the_base_and_says_why)
{
  FakeSender *sender =
      fake_sender_start (get_address (FALSE), get_port (), N_LAYERS, NULL);
  const gchar *name = with_marks[__i__];
  g_autofree gchar *option = g_strdup_printf ("algorithm=%s", name);
  g_autofree gchar *remedy = g_strdup_printf ("start lmccsink with "
                                              "algorithm=%s",
      name);
  g_autofree gchar *warning = NULL;
  g_autoptr (GstStructure) stats = NULL;
  Receiver receiver;

  receiver_start (&receiver, FALSE, option);
  warning = receiver_wait_warning (&receiver);
  fail_unless (g_str_has_prefix (warning, name), "%s", warning);
  fail_unless (strstr (warning, remedy) != NULL, "%s", warning);
  receiver_wait_count (&receiver, "packets-delivered", 30);
  fail_unless_equals_int (receiver_get_level (&receiver), 0);
  fail_if (is_joined (FALSE, 1));
  stats = receiver_get_stats (&receiver);
  fail_unless_equals_string (gst_structure_get_string (stats, "algorithm"),
      name);
  receiver_stop (&receiver);
  fake_sender_stop (sender);
}

GST_END_TEST;

static Suite *
lmccsrc_control_suite (void)
{
  Suite *suite = suite_create ("lmccsrc-control");
  TCase *learning = tcase_create ("learning");
  TCase *marks = tcase_create ("marks");

  suite_add_tcase (suite, learning);
  tcase_add_test (learning,
      test_a_join_experiment_is_told_with_the_sessions_ttl);
  tcase_add_test (learning,
      test_two_receivers_on_one_host_learn_from_each_other);
  tcase_add_test (learning, test_hostile_notices_are_dropped_and_counted);
  tcase_add_test (learning,
      test_a_source_specific_session_has_no_shared_learning);
  suite_add_tcase (suite, marks);
  tcase_add_loop_test (marks,
      test_without_its_marks_an_algorithm_holds_the_base_and_says_why, 0,
      G_N_ELEMENTS (with_marks));

  return suite;
}

GST_CHECK_MAIN (lmccsrc_control);
