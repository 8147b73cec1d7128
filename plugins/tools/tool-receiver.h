/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LMCC_TOOL_RECEIVER_H
#define LMCC_TOOL_RECEIVER_H

#include <gst/gst.h>

#include "tool.h"
#include "tool-parser.h"

G_BEGIN_DECLS

typedef struct _ToolReceiver ToolReceiver;

/**
 * ToolReceiverHandler:
 * @message: (nullable): an element message of lmccsrc's
 * @second: (nullable): once each second, with the stats, or %NULL if none
 * @finish: (nullable): has the pipeline end by itself when it is to stop; says
 *     whether it will
 *
 * Called from the main loop.
 */
typedef struct
{
  void (*message) (ToolReceiver *receiver, const GstStructure *message);
  void (*second) (ToolReceiver *receiver, const GstStructure *stats);
  gboolean (*finish) (ToolReceiver *receiver);
} ToolReceiverHandler;

/**
 * ToolReceiver:
 * @pipeline: (owned): with @source in it and whatever the command adds
 * @source: the lmccsrc
 * @start: monotonic time at which it started, in us
 * @received: a packet came
 * @finishing: the pipeline was told to end
 *
 * What the commands that receive have in common.
 */
struct _ToolReceiver
{
  GstElement *pipeline;
  GstElement *source;
  const ToolReceiverHandler *handler;
  gpointer user_data;
  GMainLoop *loop;
  gint64 start;
  gboolean received;
  gboolean warned;
  gboolean finishing;
  guint finish_timeout;
  gchar *uri;

  gint seconds;
  gchar *max_level;
  gchar *multicast_iface;
  gchar *latency;
  gchar *source_policy;
  gchar *codecs;
  GHashTable *warned_of; /* text to when it was printed last */
  gint status;
};

void tool_receiver_add_options (ToolReceiver *receiver, ToolParser *parser);
gboolean tool_receiver_open (ToolReceiver *receiver, const gchar *uri);
gint tool_receiver_run (ToolReceiver *receiver);
void tool_receiver_stop (ToolReceiver *receiver, gint status);
void tool_receiver_clear (ToolReceiver *receiver);
gdouble tool_receiver_elapsed (const ToolReceiver *receiver);

gboolean tool_structure_number (const GstStructure *structure,
    const gchar *field, gdouble *value);
void tool_json_add_value (JsonBuilder *builder, const GValue *value);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ToolReceiver, tool_receiver_clear)

G_END_DECLS

#endif
