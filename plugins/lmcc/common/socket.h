/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_SOCKET_H
#define GST_LMCC_SOCKET_H

#include <gio/gio.h>
#include <gst/lmcc/lmcc-address.h>
#include <gst/lmcc/lmcc-packet.h>

G_BEGIN_DECLS

#define GST_LMCC_INTERFACE_NAME_SIZE 16

/**
 * GstLmccInterface:
 * @name: name, such as "eth0"; empty if the kernel chooses for each packet
 * @index: its index, or 0 if the kernel chooses
 * @address: an address of the interface, of the group's family
 * @is_fallback: whether it is the loopback interface because none was named and no
 *     route leads to the group: tell the user
 */
typedef struct
{
  gchar name[GST_LMCC_INTERFACE_NAME_SIZE];
  guint index;
  LmccAddress address;
  gboolean is_fallback;
} GstLmccInterface;

gboolean gst_lmcc_interface_choose (const gchar *wanted,
    const LmccAddress *group, GstLmccInterface *iface, GError **error);
gboolean gst_lmcc_route_lookup (const LmccAddress *group, LmccAddress *local);
gchar *gst_lmcc_interface_list (void);

/**
 * GstLmccInterfaceState:
 * @GST_LMCC_INTERFACE_USABLE: no known problem
 * @GST_LMCC_INTERFACE_UNKNOWN: the state cannot be read (no free descriptors)
 * @GST_LMCC_INTERFACE_GONE: no interface has that name
 * @GST_LMCC_INTERFACE_DOWN: it is down
 * @GST_LMCC_INTERFACE_NO_CARRIER: it has no link
 * @GST_LMCC_INTERFACE_NO_ADDRESS: it has no address of the family
 */
typedef enum
{
  GST_LMCC_INTERFACE_USABLE,
  GST_LMCC_INTERFACE_UNKNOWN,
  GST_LMCC_INTERFACE_GONE,
  GST_LMCC_INTERFACE_DOWN,
  GST_LMCC_INTERFACE_NO_CARRIER,
  GST_LMCC_INTERFACE_NO_ADDRESS,
} GstLmccInterfaceState;

GstLmccInterfaceState gst_lmcc_interface_follow (const gchar *wanted,
    const LmccAddress *group, GstLmccInterface *iface);
gchar *gst_lmcc_interface_describe (const GstLmccInterface *iface,
    GstLmccInterfaceState state);
gboolean gst_lmcc_host_has_address (const LmccAddress *address);
guint gst_lmcc_interface_get_mtu (const gchar *name);
gboolean gst_lmcc_host_is_beside (const LmccAddress *address);

/**
 * GstLmccHostChange:
 * @GST_LMCC_HOST_UNCHANGED: no change of links and addresses
 * @GST_LMCC_HOST_CHANGED: a change
 * @GST_LMCC_HOST_LOST: an interface in use was without its link or address, even for a
 *     moment, and may have lost its groups
 */
typedef enum
{
  GST_LMCC_HOST_UNCHANGED,
  GST_LMCC_HOST_CHANGED,
  GST_LMCC_HOST_LOST,
} GstLmccHostChange;

gint gst_lmcc_netlink_open (void);

/**
 * GstLmccSendOptions:
 * @family: address family of the groups
 * @iface: interface to send on
 * @bind_address: local address to send from, or family %LMCC_FAMILY_NONE
 * @bind_port: local port to send from, or 0 for any free port
 * @shares_port: whether other sockets with this option can use the same port
 * @ttl: multicast TTL or hop limit, 0 to 255
 * @loop: whether receivers on this host get a copy
 * @dscp: differentiated services code point 0 to 63, or -1 for the default
 * @buffer_size: kernel send buffer in bytes, or 0 for the default
 */
typedef struct
{
  LmccFamily family;
  GstLmccInterface iface;
  LmccAddress bind_address;
  guint16 bind_port;
  gboolean shares_port;
  guint ttl;
  gboolean loop;
  gint dscp;
  guint buffer_size;
} GstLmccSendOptions;

gint
gst_lmcc_socket_open_send (const GstLmccSendOptions *options, GError **error);
gboolean gst_lmcc_socket_set_up_send (gint fd,
    const GstLmccSendOptions *options, GError **error);
gboolean gst_lmcc_socket_is_elsewhere (gint fd);
void gst_lmcc_socket_share_port (gint fd, gboolean shares);
gboolean gst_lmcc_socket_set_interface (gint fd, LmccFamily family,
    const GstLmccInterface *iface);
const gchar *gst_lmcc_open_remedy (gint code);
const gchar *gst_lmcc_send_remedy (gint code);
gboolean gst_lmcc_socket_get_local (gint fd, LmccAddress *local);
gboolean gst_lmcc_socket_get_source (const GstLmccSendOptions *options,
    const LmccAddress *group, LmccAddress *source);
gint gst_lmcc_socket_open_feedback (const LmccAddress *local, guint16 port,
    const GstLmccInterface *iface, GError **error);
guint16 gst_lmcc_socket_get_port (gint fd);
guint gst_lmcc_socket_set_receive_buffer (gint fd, guint wanted);
gsize gst_lmcc_socket_get_packet_cost (gsize size);
gboolean gst_lmcc_socket_may_send_again (gint fd, gint code, gboolean wait);
gssize gst_lmcc_socket_send (gint fd, const GstLmccInterface *iface,
    const LmccAddress *group, guint16 port, const LmccPacket *packet);

gint gst_lmcc_socket_open_unicast (const LmccAddress *address, guint16 port,
    const GstLmccInterface *iface, GError **error);
gint gst_lmcc_socket_take_error (gint fd);

gint gst_lmcc_socket_open_receive (const LmccAddress *group, guint16 port,
    const GstLmccInterface *iface, guint buffer_size, guint *actual_buffer_size,
    GError **error);
gint gst_lmcc_socket_open_joined (const LmccAddress *group, guint16 port,
    const LmccAddress *source, const GstLmccInterface *iface, guint buffer_size,
    GError **error);
gboolean gst_lmcc_socket_join (gint fd, const LmccAddress *group,
    const LmccAddress *source, const GstLmccInterface *iface, GError **error);
gboolean gst_lmcc_socket_leave (gint fd, const LmccAddress *group,
    const LmccAddress *source, const GstLmccInterface *iface, GError **error);
void gst_lmcc_socket_close (gint *fd);

/**
 * GstLmccDatagram:
 * @packet: its data; ownership passes to a caller that sets it to %NULL
 * @source: source address
 * @source_port: source port
 * @timestamp: when the kernel received it: ns of CLOCK_REALTIME, 0 if unknown
 * @overflows: number of packets that this socket has dropped so far because its buffer
 *     was full, modulo 2^32; merged packets count as one
 * @truncated: whether it was larger than %LMCC_MAX_PACKET_SIZE; the rest is lost
 * @tag: tag of the call that received it
 */
typedef struct
{
  LmccPacket *packet;
  LmccAddress source;
  guint16 source_port;
  guint64 timestamp;
  guint32 overflows;
  gboolean truncated;
  guint tag;
} GstLmccDatagram;

typedef struct _GstLmccBatch GstLmccBatch;

GstLmccBatch *gst_lmcc_batch_new (guint size);
GstLmccBatch *gst_lmcc_batch_of_thread (void);
void gst_lmcc_batch_free (GstLmccBatch *batch);
GstLmccDatagram *gst_lmcc_batch_get (GstLmccBatch *batch, guint i);
gboolean gst_lmcc_batch_is_full (const GstLmccBatch *batch);
void gst_lmcc_batch_clear (GstLmccBatch *batch);
gint
gst_lmcc_batch_add (GstLmccBatch *batch, gint fd, guint tag, GError **error);
void gst_lmcc_batch_sort (GstLmccBatch *batch);
gint gst_lmcc_batch_receive (GstLmccBatch *batch, gint fd, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstLmccBatch, gst_lmcc_batch_free)

G_END_DECLS

#endif
