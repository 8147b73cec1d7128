/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Converts addresses and errors between the library and the kernel. */
#include "config.h"

#include "common/sockaddr.h"

#include <string.h>

gint
gst_lmcc_system_family (LmccFamily family)
{
  return family == LMCC_FAMILY_IPV6 ? AF_INET6 : AF_INET;
}

/* The kernel only uses the scope for link-local groups. */
socklen_t
gst_lmcc_sockaddr_set (const LmccAddress *address, guint16 port, guint scope,
    GstLmccSockaddr *out)
{
  memset (out, 0, sizeof (*out));
  if (address->family == LMCC_FAMILY_IPV6) {
    out->v6.sin6_family = AF_INET6;
    out->v6.sin6_port = g_htons (port);
    out->v6.sin6_scope_id = scope;
    memcpy (&out->v6.sin6_addr, address->bytes, 16);
    return sizeof (out->v6);
  }
  out->v4.sin_family = AF_INET;
  out->v4.sin_port = g_htons (port);
  memcpy (&out->v4.sin_addr, address->bytes, 4);
  return sizeof (out->v4);
}

void
gst_lmcc_sockaddr_get (const struct sockaddr *system, LmccAddress *address,
    guint16 *port)
{
  const struct sockaddr_in *v4 = (const struct sockaddr_in *) system;
  const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *) system;

  memset (address, 0, sizeof (*address));
  if (system->sa_family == AF_INET) {
    address->family = LMCC_FAMILY_IPV4;
    memcpy (address->bytes, &v4->sin_addr, 4);
    *port = g_ntohs (v4->sin_port);
  } else if (system->sa_family == AF_INET6) {
    address->family = LMCC_FAMILY_IPV6;
    memcpy (address->bytes, &v6->sin6_addr, 16);
    *port = g_ntohs (v6->sin6_port);
  } else {
    *port = 0;
  }
}

void
gst_lmcc_set_errno (GError **error, gint code, const gchar *format, ...)
{
  va_list args;
  g_autofree gchar *text = NULL;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, G_IO_ERROR, g_io_error_from_errno (code), text);
}

/* Errors that the network reports for single packets; the next packet may
 * pass. */
gboolean
gst_lmcc_errno_is_transient (gint code)
{
  switch (code) {
    case EAGAIN:
    case EINTR:
    case ENOBUFS:
    case ECONNREFUSED:
    case ECONNRESET:
    case EHOSTUNREACH:
    case EHOSTDOWN:
    case ENETUNREACH:
    case ENETDOWN:
    case ENOPROTOOPT:
    case EPROTO:
    case EACCES:
    case EPERM:
    case EMSGSIZE:
      return TRUE;
    default:
      return FALSE;
  }
}
