/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_URI_H
#define GST_LMCC_URI_H

#include "src/settings.h"

G_BEGIN_DECLS

#define GST_LMCC_URI_SCHEME "lmcc"

/**
 * GstLmccUri:
 * @settings: what it says, and the defaults of what it does not: the group and
 *     the port always, @settings.multicast_source if there is a source, and its
 *     keys
 * @given: bit i: there is a key for row i of the table of properties
 * @unknown: (element-type utf8): keys that mean nothing here
 *
 * A URI of the form
 * `lmcc://[SOURCE@]GROUP[:PORT][?KEY=VALUE[&KEY=VALUE...]]`.
 */
typedef struct
{
  GstLmccSrcSettings settings;
  guint64 given;
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

GstLmccUri *gst_lmcc_uri_parse (const gchar *text, GError **error);
gchar *gst_lmcc_uri_format (const GstLmccSrcSettings *settings);
void gst_lmcc_uri_free (GstLmccUri *uri);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstLmccUri, gst_lmcc_uri_free)

G_END_DECLS

#endif
