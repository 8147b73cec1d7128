/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_TOOL_H
#define LMCC_TOOL_H

#include <glib.h>
#include <json-glib/json-glib.h>
#include <gst/lmcc/lmcc-address.h>
#include <plugins/common/messages.h>

G_BEGIN_DECLS

/* Exit status of a command. */
#define TOOL_EXIT_OK 0
#define TOOL_EXIT_FAILURE 1
#define TOOL_EXIT_USAGE 2

#define TOOL_DEFAULT_ADDRESS "239.255.42.1"
#define TOOL_DEFAULT_PORT 5004

/**
 * ToolUri:
 * @text: the URI as lmccsrc takes it
 * @address: the base group
 * @port: of the media; RTCP is on the next
 * @iface: (nullable): interface named in the query
 * @source: the sender to join from, family %LMCC_FAMILY_NONE for any
 */
typedef struct
{
  gchar *text;
  LmccAddress address;
  guint16 port;
  gchar *iface;
  LmccAddress source;
} ToolUri;

gint tool_plan (gint argc, gchar **argv);
gint tool_listen (gint argc, gchar **argv);
gint tool_doctor (gint argc, gchar **argv);
gint tool_algorithms (gint argc, gchar **argv);
gint tool_relay (gint argc, gchar **argv);
gint tool_screen (gint argc, gchar **argv);
gint tool_send (gint argc, gchar **argv);
gint tool_play (gint argc, gchar **argv);

void tool_error (const gchar *format, ...) G_GNUC_PRINTF (1, 2);
gboolean tool_single_argument (gint argc, gchar **argv, const gchar *what);

gchar *tool_find_file (const gchar *name, const gchar *installed);

gboolean tool_rate_parse (const gchar *text, gdouble *rate, GError **error);
gchar *tool_rate_format (gdouble rate);
void tool_json_add_string (JsonBuilder *builder, const gchar *name,
    const gchar *value);
void tool_json_print (JsonBuilder *builder, gboolean pretty);

gboolean tool_uri_parse (const gchar *text, ToolUri *uri, GError **error);
void tool_uri_clear (ToolUri *uri);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ToolUri, tool_uri_clear)

G_END_DECLS

#endif
