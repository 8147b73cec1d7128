/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_URI_H
#define GST_LMCC_URI_H

#include <gst/lmcc/lmcc.h>

G_BEGIN_DECLS

#define GST_LMCC_URI_SCHEME "lmcc"
#define GST_LMCC_DEFAULT_PORT 5004

/* Milliseconds. */
#define GST_LMCC_MAX_LATENCY 60000

/* From the least that a host measures to the most that a session record can
 * say; FLID-DL's nominal round-trip time (Byers et al. section IV-B). */
#define GST_LMCC_MIN_RTT LMCC_USECOND
#define GST_LMCC_MAX_RTT (60 * LMCC_SECOND)
#define GST_LMCC_DEFAULT_RTT (100 * LMCC_MSECOND)

/**
 * GstLmccUriFlags:
 * What of a #GstLmccUri the URI said.
 */
typedef enum
{
  GST_LMCC_URI_SOURCE = 1 << 0,
  GST_LMCC_URI_MAX_LEVEL = 1 << 1,
  GST_LMCC_URI_MAX_BITRATE = 1 << 2,
  GST_LMCC_URI_LATENCY = 1 << 3,
  GST_LMCC_URI_ALGORITHM = 1 << 4,
  GST_LMCC_URI_MULTICAST_IFACE = 1 << 5,
  GST_LMCC_URI_ON_LOSS = 1 << 6,
  GST_LMCC_URI_RTT_MODE = 1 << 7,
  GST_LMCC_URI_RTT = 1 << 8,
  GST_LMCC_URI_SOURCE_POLICY = 1 << 9,
  GST_LMCC_URI_MAX_MEMORY = 1 << 10,
} GstLmccUriFlags;

/**
 * GstLmccUri:
 * @flags: which of the members below were given; the address and the port are
 *     always valid
 * @address: the base group, a multicast address
 * @port: its UDP port
 * @source: the only sender to listen to
 * @max_level: -1 to 63
 * @max_bitrate: bit/s
 * @max_memory: bytes
 * @latency: milliseconds, at most %GST_LMCC_MAX_LATENCY
 * @algorithm: a name, not looked up
 * @multicast_iface: a name or an address, not looked up
 * @on_loss: a name, not looked up
 * @rtt_mode: a name, not looked up
 * @rtt: nanoseconds, 1 us to 60 s
 * @source_policy: a name, not looked up
 * @unknown: (element-type utf8): keys that mean nothing here
 *
 * A URI of the form
 * `lmcc://[SOURCE@]GROUP[:PORT][?KEY=VALUE[&KEY=VALUE...]]`.
 */
typedef struct
{
  guint flags;
  gchar *address;
  guint16 port;
  gchar *source;
  gint max_level;
  guint64 max_bitrate;
  guint64 max_memory;
  guint latency;
  gchar *algorithm;
  gchar *multicast_iface;
  gchar *on_loss;
  gchar *rtt_mode;
  guint64 rtt;
  gchar *source_policy;
  GPtrArray *unknown;
} GstLmccUri;

/**
 * GstLmccUriError:
 * @GST_LMCC_URI_ERROR_SYNTAX: not a URI, or not of this scheme
 * @GST_LMCC_URI_ERROR_VALUE: an address, port or value that cannot be
 */
typedef enum
{
  GST_LMCC_URI_ERROR_SYNTAX,
  GST_LMCC_URI_ERROR_VALUE,
} GstLmccUriError;

#define GST_LMCC_URI_ERROR gst_lmcc_uri_error_quark ()
GQuark gst_lmcc_uri_error_quark (void);

GstLmccUri *gst_lmcc_uri_parse (const gchar * text, GError ** error);
gchar *gst_lmcc_uri_format (const GstLmccUri * uri);
void gst_lmcc_uri_free (GstLmccUri * uri);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstLmccUri, gst_lmcc_uri_free)

G_END_DECLS

#endif
