/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_SOCKADDR_H
#define GST_LMCC_SOCKADDR_H

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <gio/gio.h>
#include <gst/lmcc/lmcc-address.h>

G_BEGIN_DECLS

/* A socket address of any family. */
typedef union
{
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
  struct sockaddr_storage storage;
} GstLmccSockaddr;

gint gst_lmcc_system_family (LmccFamily family);
socklen_t gst_lmcc_sockaddr_set (const LmccAddress *address, guint16 port,
    guint scope, GstLmccSockaddr *out);
void gst_lmcc_sockaddr_get (const struct sockaddr *system, LmccAddress *address,
    guint16 *port);
void gst_lmcc_set_errno (GError **error, gint code, const gchar *format, ...)
    G_GNUC_PRINTF (3, 4);
gboolean gst_lmcc_errno_is_transient (gint code);

G_END_DECLS

#endif
