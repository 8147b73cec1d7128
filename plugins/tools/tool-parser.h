/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_TOOL_PARSER_H
#define LMCC_TOOL_PARSER_H

#include <glib.h>

G_BEGIN_DECLS

/* Hidden option: prints the contents of --help as JSON. */
#define TOOL_PARSER_HELP_JSON "--help-json"

typedef struct _ToolParser ToolParser;

ToolParser *tool_parser_new (const gchar *arguments, const gchar *summary);
void tool_parser_free (ToolParser *parser);
void tool_parser_add (ToolParser *parser, const GOptionEntry *entries);
void tool_parser_add_gstreamer (ToolParser *parser);
void tool_parser_add_value (ToolParser *parser, const gchar *argument,
    const gchar *value);
gboolean tool_parser_parse (ToolParser *parser, gint *argc, gchar ***argv);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ToolParser, tool_parser_free)

G_END_DECLS

#endif
