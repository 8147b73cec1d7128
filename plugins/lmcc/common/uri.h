/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_URI_H
#define GST_LMCC_URI_H

#include "common/properties.h"

G_BEGIN_DECLS

#define GST_LMCC_URI_SCHEME "lmcc"

/**
 * GstLmccUriForm:
 * @table: the element's properties; those with the URI flag are keys
 * @address: offset of a string in its settings: the base group
 * @port: offset of a #gint: the port
 * @source: offset of a string: the sender's own address
 *
 * Describes which settings of an element a URI contains.
 */
typedef struct
{
  const GstLmccPropertyTable *table;
  gsize address;
  gsize port;
  gsize source;
} GstLmccUriForm;

/**
 * GstLmccUri:
 * @form: form of the URI
 * @settings: (owned): the values in the URI, and defaults for the others: the group and
 *     the port always, the source if there is one, and the keys
 * @given: bit i: the URI has a key for row i of the table of properties
 * @has_source: whether it has a source
 * @unknown: (element-type utf8): unknown keys
 *
 * A URI of the form
 * `lmcc://[SOURCE@]GROUP[:PORT][?KEY=VALUE[&KEY=VALUE...]]`.
 */
typedef struct
{
  const GstLmccUriForm *form;
  gpointer settings;
  guint64 given;
  gboolean has_source;
  GPtrArray *unknown;
} GstLmccUri;

/**
 * GstLmccUriTaken:
 * @given: that of the URI that was taken last
 * @has_source: likewise
 */
typedef struct
{
  guint64 given;
  gboolean has_source;
} GstLmccUriTaken;

/**
 * GstLmccUriError:
 * @GST_LMCC_URI_ERROR_SYNTAX: not a URI, or not of this scheme
 * @GST_LMCC_URI_ERROR_VALUE: an invalid address, port or value
 */
typedef enum
{
  GST_LMCC_URI_ERROR_SYNTAX,
  GST_LMCC_URI_ERROR_VALUE,
} GstLmccUriError;

#define GST_LMCC_URI_ERROR gst_lmcc_uri_error_quark ()
GQuark gst_lmcc_uri_error_quark (void);

GstLmccUri *gst_lmcc_uri_parse (const GstLmccUriForm *form, const gchar *text,
    GError **error);
GstLmccUri *gst_lmcc_uri_read (const GstLmccUriForm *form, const gchar *text,
    GError **error);
gboolean gst_lmcc_uri_keep_error (GstElement *element, const gchar *text,
    const GError *error, gchar **kept);
gchar *gst_lmcc_uri_format (const GstLmccUriForm *form, gconstpointer settings);
void gst_lmcc_uri_take (const GstLmccUri *uri, GstLmccUriTaken *taken,
    gpointer settings);
void gst_lmcc_uri_free (GstLmccUri *uri);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstLmccUri, gst_lmcc_uri_free)

G_END_DECLS

#endif
