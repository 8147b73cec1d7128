/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "doctor.h"

#include <errno.h>
#include <netinet/igmp.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Returns: whether a membership query came from another host */
static gboolean
wait_for_query (gint fd, guint seconds, LmccAddress *from)
{
  gint64 end = g_get_monotonic_time () + seconds * G_USEC_PER_SEC;

  for (;;) {
    struct pollfd pfd = { .fd = fd, .events = POLLIN };
    gint64 left = end - g_get_monotonic_time ();
    guint8 data[2048];
    struct sockaddr_in sender;
    socklen_t size = sizeof (sender);
    gssize n;
    gsize header;

    if (left <= 0 || (poll (&pfd, 1, left / 1000 + 1) < 0 && errno != EINTR))
      return FALSE;
    n = recvfrom (fd, data, sizeof (data), MSG_DONTWAIT,
        (struct sockaddr *) &sender, &size);
    if (n < (gssize) sizeof (struct iphdr))
      continue;
    header = (data[0] & 0x0f) * 4u;
    if ((gsize) n > header && data[header] == IGMP_MEMBERSHIP_QUERY) {
      from->family = LMCC_FAMILY_IPV4;
      memcpy (from->bytes, &sender.sin_addr, sizeof (sender.sin_addr));
      return TRUE;
    }
  }
}

void
doctor_check_querier (DoctorCase *c, guint seconds)
{
  LmccAddress from = { 0 };
  gchar text[LMCC_ADDRESS_STRLEN];
  gint fd;

  if (c->group.family != LMCC_FAMILY_IPV4)
    return;
  if (!doctor_system_is_live (c->system) || seconds == 0) {
    doctor_add (c, "querier", DOCTOR_SKIP,
        g_strdup (_ ("IGMP queries, which are sent every 125 s, were not "
                     "waited for")),
        g_strdup (_ ("run this as root with --querier=130")));
    return;
  }

  fd = socket (AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_IGMP);
  if (fd < 0) {
    doctor_add (c, "querier", DOCTOR_SKIP,
        g_strdup_printf (_ ("cannot listen for IGMP: %s"), g_strerror (errno)),
        g_strdup (_ ("run this as root")));
    return;
  }
  if (c->iface != NULL)
    setsockopt (fd, SOL_SOCKET, SO_BINDTODEVICE, c->iface->name,
        strlen (c->iface->name) + 1);

  if (wait_for_query (fd, seconds, &from))
    doctor_add (c, "querier", DOCTOR_OK,
        g_strdup_printf (_ ("%s sends IGMP queries"),
            lmcc_address_format (&from, text)),
        NULL);
  else
    doctor_add (c, "querier", DOCTOR_WARN,
        g_strdup_printf (
            _ ("no IGMP query arrived within %u s: snooping switches may "
               "stop forwarding"),
            seconds),
        g_strdup (_ ("switch on the querier of one switch or router")));
  close (fd);
}
