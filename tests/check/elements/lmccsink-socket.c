/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests the socket through which lmccsink sends: its own with a given port,
 * or one from the application.
 */
#include "element-tools.h"

#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gio/gio.h>
#include <gst/app/app.h>
#include <gst/check/gstcheck.h>

/* Longest wait for an expected packet; then the test fails. */
#define PATIENCE_MS 15000

/* Tests run at the same time. */
static pid_t own;

static guint16
get_port (void)
{
  return (guint16) (40000 + 2 * (own % 10000));
}

static guint32
get_group (void)
{
  return 0xeffa0000u + (guint32) (own % 200) * 256 + 1;
}

static gint
open_udp (guint32 address, guint16 port)
{
  struct sockaddr_in local = { .sin_family = AF_INET,
    .sin_port = htons (port),
    .sin_addr = { htonl (address) } };
  gint fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), yes = 1;

  fail_unless (fd >= 0);
  if (IN_MULTICAST (address))
    setsockopt (fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof (yes));
  fail_unless (bind (fd, (struct sockaddr *) &local, sizeof (local)) == 0, "%s",
      g_strerror (errno));
  return fd;
}

static guint16
get_local_port (gint fd)
{
  struct sockaddr_in local = { 0 };
  socklen_t size = sizeof (local);

  fail_unless (getsockname (fd, (struct sockaddr *) &local, &size) == 0);
  return ntohs (local.sin_port);
}

/* A member of the group on the loopback interface. */
static gint
open_member (void)
{
  struct ip_mreqn request = { .imr_multiaddr = { htonl (get_group ()) },
    .imr_address = { htonl (INADDR_LOOPBACK) } };
  gint fd = open_udp (get_group (), get_port ());

  fail_unless (
      setsockopt (fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof (request))
      == 0);
  return fd;
}

/* Returns: the source port of the next packet */
static guint16
receive (gint fd)
{
  struct pollfd waiting = { fd, POLLIN, 0 };
  struct sockaddr_in from = { 0 };
  socklen_t size = sizeof (from);
  guint8 bytes[2048];

  fail_unless (poll (&waiting, 1, PATIENCE_MS) == 1, "no packet came");
  fail_unless (
      recvfrom (fd, bytes, sizeof (bytes), 0, (struct sockaddr *) &from, &size)
      > 0);
  return ntohs (from.sin_port);
}

static GstElement *
launch (const gchar *options)
{
  gchar address[16];
  guint32 group = get_group ();

  g_snprintf (address, sizeof (address), "%u.%u.%u.%u", group >> 24,
      group >> 16 & 255, group >> 8 & 255, group & 255);
  return test_launch (
      "appsrc name=a format=time caps=application/x-rtp,media=video,"
      "encoding-name=H264,clock-rate=90000,payload=96 ! "
      "lmccsink name=s address=%s port=%u %s",
      address, get_port (), options);
}

static GstElement *
get_sink (GstElement *pipeline)
{
  return gst_bin_get_by_name (GST_BIN (pipeline), "s");
}

static void
send_pictures (GstElement *pipeline)
{
  g_autoptr (GstElement) source = gst_bin_get_by_name (GST_BIN (pipeline), "a");
  guint i;

  fail_if (gst_element_set_state (pipeline, GST_STATE_PLAYING)
      == GST_STATE_CHANGE_FAILURE);
  for (i = 0; i < 2; i++)
    gst_app_src_push_buffer (GST_APP_SRC (source), test_make_picture (i));
}

static void
assert_refused (GstElement *pipeline, const gchar *word, const gchar *other)
{
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;

  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_READY),
      GST_STATE_CHANGE_FAILURE);
  message = test_wait_message (pipeline, GST_MESSAGE_ERROR);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, word) && strstr (error->message, other),
      "%s", error->message);
}

/* A receiver on this host may use the same port for the group. */
GST_START_TEST (packets_come_from_the_port_that_is_asked_for)
{
  gint member = open_member (), late;
  g_autofree gchar *options =
      g_strdup_printf ("multicast-iface=lo bind-port=%u", get_port ());
  GstElement *pipeline = launch (options);

  send_pictures (pipeline);
  fail_unless_equals_int (receive (member), get_port ());
  late = open_member ();
  fail_unless_equals_int (receive (late), get_port ());
  close (late);
  close (member);
  test_end_pipeline (pipeline);
}

GST_END_TEST;

GST_START_TEST (a_port_that_is_taken_is_an_error_with_a_remedy)
{
  gint holder = open_udp (INADDR_LOOPBACK, 0);
  guint16 port = get_local_port (holder);
  g_autofree gchar *number = g_strdup_printf ("port %u", port);
  g_autofree gchar *options =
      g_strdup_printf ("multicast-iface=lo bind-port=%u", port);
  GstElement *pipeline = launch (options);

  assert_refused (pipeline, number, "set bind-port to a free port");
  close (holder);

  /* The port is released from READY to NULL and can be bound again. */
  gst_element_set_state (pipeline, GST_STATE_NULL);
  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_READY),
      GST_STATE_CHANGE_SUCCESS);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_READY),
      GST_STATE_CHANGE_SUCCESS);
  test_end_pipeline (pipeline);
}

GST_END_TEST;

/* Bound to the loopback address, so that there is a route without naming an
 * interface. */
static GSocket *
make_socket (void)
{
  GSocket *socket = g_socket_new_from_fd (open_udp (INADDR_LOOPBACK, 0), NULL);
  struct ip_mreqn request = { .imr_address = { htonl (INADDR_LOOPBACK) } };

  fail_unless (socket != NULL);
  fail_unless (setsockopt (g_socket_get_fd (socket), IPPROTO_IP,
                   IP_MULTICAST_IF, &request, sizeof (request))
      == 0);
  return socket;
}

static void
set_socket (GstElement *pipeline, GSocket *socket)
{
  g_autoptr (GstElement) sink = get_sink (pipeline);

  g_object_set (sink, "socket", socket, NULL);
}

static GSocket *
dup_used_socket (GstElement *pipeline)
{
  g_autoptr (GstElement) sink = get_sink (pipeline);
  GSocket *used;

  g_object_get (sink, "used-socket", &used, NULL);
  return used;
}

/* With an interface, and with that of the socket. */
static const gchar *const interfaces[] = { "", "multicast-iface=lo" };

GST_START_TEST (a_socket_that_is_handed_over_sends_and_stays_open)
{
  gint member = open_member ();
  g_autoptr (GSocket) socket = make_socket ();
  guint16 port = get_local_port (g_socket_get_fd (socket));
  g_autofree gchar *options =
      g_strdup_printf ("close-socket=false %s", interfaces[__i__]);
  GstElement *pipeline = launch (options);
  guint run;

  set_socket (pipeline, socket);
  for (run = 0; run < 2; run++) {
    g_autoptr (GSocket) used = NULL, none = NULL;

    send_pictures (pipeline);
    fail_unless_equals_int (receive (member), port);
    used = dup_used_socket (pipeline);
    fail_unless (used == socket);
    gst_element_set_state (pipeline, GST_STATE_NULL);
    fail_if (g_socket_is_closed (socket));
    none = dup_used_socket (pipeline);
    fail_unless (none == NULL);
  }
  fail_unless_equals_int (get_local_port (g_socket_get_fd (socket)), port);
  close (member);
  test_end_pipeline (pipeline);
}

GST_END_TEST;

GST_START_TEST (a_socket_that_is_handed_over_is_closed_unless_told_otherwise)
{
  g_autoptr (GSocket) socket = make_socket ();
  GstElement *pipeline = launch ("");

  set_socket (pipeline, socket);
  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_READY),
      GST_STATE_CHANGE_SUCCESS);
  fail_if (g_socket_is_closed (socket));
  gst_element_set_state (pipeline, GST_STATE_NULL);
  fail_unless (g_socket_is_closed (socket));
  assert_refused (pipeline, "closed socket", "close-socket=false");

  /* Without it, lmccsink opens a socket again. */
  gst_element_set_state (pipeline, GST_STATE_NULL);
  set_socket (pipeline, NULL);
  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_READY),
      GST_STATE_CHANGE_SUCCESS);
  test_end_pipeline (pipeline);
}

GST_END_TEST;

typedef struct
{
  GSocketFamily family;
  GSocketType type;
  const gchar *options;
  const gchar *word;
  const gchar *other;
} Refused;

static const Refused refused[] = {
  { G_SOCKET_FAMILY_IPV6, G_SOCKET_TYPE_DATAGRAM, "", "IPv4", "UDP" },
  { G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_STREAM, "", "IPv4", "UDP" },
  { G_SOCKET_FAMILY_UNIX, G_SOCKET_TYPE_DATAGRAM, "", "IPv4", "UDP" },
  { G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, "bind-port=9999", "bind-port",
      "Unset" },
  { G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, "bind-address=127.0.0.1",
      "bind-address", "Unset" },
};

GST_START_TEST (a_socket_that_cannot_be_used_is_refused)
{
  const Refused *row = &refused[__i__];
  g_autoptr (GSocket) socket =
      g_socket_new (row->family, row->type, G_SOCKET_PROTOCOL_DEFAULT, NULL);
  GstElement *pipeline = launch (row->options);

  if (socket != NULL) {
    set_socket (pipeline, socket);
    assert_refused (pipeline, row->word, row->other);
    fail_if (g_socket_is_closed (socket));
  }
  test_end_pipeline (pipeline);
}

GST_END_TEST;

/* The descriptor may belong to another file by then. */
GST_START_TEST (a_socket_that_is_closed_meanwhile_sends_on)
{
  g_autoptr (GSocket) socket = make_socket ();
  guint16 port = get_local_port (g_socket_get_fd (socket));
  GstElement *pipeline = launch ("");
  gint member;

  set_socket (pipeline, socket);
  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_READY),
      GST_STATE_CHANGE_SUCCESS);
  fail_unless (g_socket_close (socket, NULL));
  member = open_member ();
  send_pictures (pipeline);
  fail_unless_equals_int (receive (member), port);
  close (member);
  test_end_pipeline (pipeline);
}

GST_END_TEST;

GST_START_TEST (a_socket_of_its_own_is_shown_and_closed)
{
  GstElement *pipeline = launch ("multicast-iface=lo");
  g_autoptr (GSocket) none = dup_used_socket (pipeline), used = NULL;
  gint member = open_member ();

  fail_unless (none == NULL);
  send_pictures (pipeline);
  used = dup_used_socket (pipeline);
  fail_unless_equals_int (receive (member),
      get_local_port (g_socket_get_fd (used)));
  gst_element_set_state (pipeline, GST_STATE_NULL);
  fail_unless (g_socket_is_closed (used));
  close (member);
  test_end_pipeline (pipeline);
}

GST_END_TEST;

#define N_PASSED 2

static void
pass (gint to, const gint fds[N_PASSED])
{
  union
  {
    struct cmsghdr align;
    guint8 bytes[CMSG_SPACE (N_PASSED * sizeof (gint))];
  } control = { .align = { .cmsg_level = SOL_SOCKET,
                    .cmsg_type = SCM_RIGHTS,
                    .cmsg_len = CMSG_LEN (N_PASSED * sizeof (gint)) } };
  struct iovec vector = { (gpointer) "x", 1 };
  struct msghdr message = { .msg_iov = &vector,
    .msg_iovlen = 1,
    .msg_control = &control,
    .msg_controllen = sizeof (control) };

  memcpy (CMSG_DATA (&control.align), fds, N_PASSED * sizeof (gint));
  _exit (sendmsg (to, &message, 0) == 1 ? 0 : 1);
}

/* In its own process: a network namespace with nothing but loopback, which
 * passes a socket to send with and a member of the group. */
static void
open_elsewhere (gint to)
{
  struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP };
  struct ip_mreqn interface = { .imr_address = { htonl (INADDR_LOOPBACK) } };
  gint fds[N_PASSED];

  if (unshare (CLONE_NEWUSER | CLONE_NEWNET) != 0)
    _exit (1);
  fds[0] = open_udp (INADDR_LOOPBACK, 0);
  if (ioctl (fds[0], SIOCSIFFLAGS, &request) != 0
      || setsockopt (fds[0], IPPROTO_IP, IP_MULTICAST_IF, &interface,
             sizeof (interface))
          != 0)
    _exit (1);
  fds[1] = open_member ();
  pass (to, fds);
}

/* Returns: %FALSE if namespaces are not permitted */
static gboolean
take_from_elsewhere (gint fds[N_PASSED])
{
  union
  {
    struct cmsghdr align;
    guint8 bytes[CMSG_SPACE (N_PASSED * sizeof (gint))];
  } control;
  guint8 byte;
  struct iovec vector = { &byte, 1 };
  struct msghdr message = { .msg_iov = &vector,
    .msg_iovlen = 1,
    .msg_control = &control,
    .msg_controllen = sizeof (control) };
  gint pair[2], status = 1;
  pid_t child;

  fail_unless (socketpair (AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  child = fork ();
  if (child == 0)
    open_elsewhere (pair[1]);
  close (pair[1]);
  fail_unless (waitpid (child, &status, 0) == child);
  if (status == 0) {
    fail_unless (recvmsg (pair[0], &message, 0) == 1);
    memcpy (fds, CMSG_DATA (CMSG_FIRSTHDR (&message)),
        N_PASSED * sizeof (gint));
  }
  close (pair[0]);
  return status == 0;
}

/* Needs nothing from this process's own network: no reports, no memberships. */
GST_START_TEST (a_socket_of_another_network_namespace_sends_there)
{
  gint fds[N_PASSED];
  g_autoptr (GSocket) socket = NULL;
  g_autofree gchar *sdp = NULL;
  g_autoptr (GstElement) sink = NULL;
  GstElement *pipeline;

  if (!take_from_elsewhere (fds)) {
    g_printerr ("not tested: this host allows no user namespaces (sysctl "
                "user.max_user_namespaces)\n");
    return;
  }
  socket = g_socket_new_from_fd (fds[0], NULL);
  pipeline = launch ("");
  set_socket (pipeline, socket);
  send_pictures (pipeline);
  fail_unless_equals_int (receive (fds[1]), get_local_port (fds[0]));
  sink = get_sink (pipeline);
  g_object_get (sink, "sdp", &sdp, NULL);
  fail_if (sdp == NULL || strstr (sdp, "fb="), "%s", sdp);
  gst_element_set_state (pipeline, GST_STATE_NULL);

  socket = (g_object_unref (socket), NULL);
  test_end_pipeline (pipeline);
  close (fds[1]);
}

GST_END_TEST;

static Suite *
lmccsink_socket_suite (void)
{
  Suite *suite = suite_create ("lmccsink-socket");
  TCase *tcase = tcase_create ("general");

  own = getpid ();
  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, packets_come_from_the_port_that_is_asked_for);
  tcase_add_test (tcase, a_port_that_is_taken_is_an_error_with_a_remedy);
  tcase_add_loop_test (tcase, a_socket_that_is_handed_over_sends_and_stays_open,
      0, G_N_ELEMENTS (interfaces));
  tcase_add_test (tcase,
      a_socket_that_is_handed_over_is_closed_unless_told_otherwise);
  tcase_add_loop_test (tcase, a_socket_that_cannot_be_used_is_refused, 0,
      G_N_ELEMENTS (refused));
  tcase_add_test (tcase, a_socket_that_is_closed_meanwhile_sends_on);
  tcase_add_test (tcase, a_socket_of_its_own_is_shown_and_closed);
  tcase_add_test (tcase, a_socket_of_another_network_namespace_sends_there);

  return suite;
}

GST_CHECK_MAIN (lmccsink_socket);
