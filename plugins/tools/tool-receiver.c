/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tool-receiver.h"

#include <glib-unix.h>
#include <math.h>
#include <signal.h>
#include <string.h>

/* Longer than the longest interval between session records, 2 s. */
#define PATIENCE_SECONDS 4

/* Time for a pipeline to end on its own. */
#define FINISH_SECONDS 5

/* Least time between two warnings of the same text, in us
 * (LMCC_MESSAGE_INTERVAL). */
#define WARNING_INTERVAL (10 * G_USEC_PER_SEC)
#define MAX_WARNED_OF 64

/* Of lmccsrc's property source-policy. */
static const gchar *const source_policies[] = { "first", "any", "ask" };

void
tool_receiver_add_options (ToolReceiver *receiver, ToolParser *parser)
{
  const GOptionEntry entries[] = {
    { "seconds", 0, 0, G_OPTION_ARG_INT, &receiver->seconds,
        N_ ("Stop after this time (default: at Ctrl-C)"), "SECONDS" },
    { "max-level", 0, 0, G_OPTION_ARG_STRING, &receiver->max_level,
        N_ ("Highest level to join, 0 for the base layer alone "
            "(default: all)"),
        "LEVEL" },
    { "multicast-iface", 0, 0, G_OPTION_ARG_STRING, &receiver->multicast_iface,
        N_ ("Interface to join on, or several, such as eth0,eth1 "
            "(default: the route's)"),
        "IFACE" },
    { "latency", 0, 0, G_OPTION_ARG_STRING, &receiver->latency,
        N_ ("How long to wait for late packets (default: that of "
            "lmccsrc)"),
        "MS" },
    { "source-policy", 0, 0, G_OPTION_ARG_STRING, &receiver->source_policy,
        N_ ("Whose session to receive: first (default), any, or ask, "
            "which means first here"),
        "POLICY" },
    { "codecs", 0, 0, G_OPTION_ARG_STRING, &receiver->codecs,
        N_ ("Encoding names to accept besides the usual ones"), "NAME,..." },
    { NULL }
  };
  guint i;

  tool_parser_add (parser, entries);
  for (i = 0; i < G_N_ELEMENTS (source_policies); i++)
    tool_parser_add_value (parser, "POLICY", source_policies[i]);
  tool_parser_add_gstreamer (parser);
}

static gboolean
set_property (ToolReceiver *receiver, const gchar *name, const gchar *text)
{
  GParamSpec *pspec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (receiver->source),
          name);
  g_auto (GValue) value = G_VALUE_INIT;

  if (text == NULL)
    return TRUE;
  if (pspec == NULL) {
    tool_error (_ ("lmccsrc has no property %s here; omit --%s"), name, name);
    return FALSE;
  }

  g_value_init (&value, pspec->value_type);
  if (!gst_value_deserialize (&value, text)
      || g_param_value_validate (pspec, &value)) {
    tool_error (_ ("--%s=%s is not a value of the property %s of lmccsrc; "
                   "see gst-inspect-1.0 lmccsrc"),
        name, text, name);
    return FALSE;
  }
  g_object_set_property (G_OBJECT (receiver->source), name, &value);

  return TRUE;
}

/* Creates the pipeline with lmccsrc; reports errors. */
gboolean
tool_receiver_open (ToolReceiver *receiver, const gchar *uri)
{
  g_autoptr (GError) error = NULL;
  g_auto (ToolUri) parsed = { 0 };

  if (receiver->seconds < 0) {
    tool_error (_ ("--seconds=%d is below 0; omit it to go on until Ctrl-C"),
        receiver->seconds);
    return FALSE;
  }
  if (!tool_uri_parse (uri, &parsed, &error)) {
    tool_error ("%s", error->message);
    return FALSE;
  }
  receiver->uri = g_strdup (parsed.text);

  receiver->source = gst_element_factory_make ("lmccsrc", NULL);
  if (receiver->source == NULL) {
    tool_error (_ ("there is no element lmccsrc; install the lmcc plugin, or "
                   "set GST_PLUGIN_PATH_1_0 to the directory where it was "
                   "built"));
    return FALSE;
  }
  receiver->pipeline = gst_pipeline_new (NULL);
  gst_bin_add (GST_BIN (receiver->pipeline), receiver->source);

  if (!gst_uri_handler_set_uri (GST_URI_HANDLER (receiver->source),
          receiver->uri, &error)) {
    tool_error ("%s", error->message);
    return FALSE;
  }

  return set_property (receiver, "max-level", receiver->max_level)
      && set_property (receiver, "multicast-iface", receiver->multicast_iface)
      && set_property (receiver, "latency", receiver->latency)
      && set_property (receiver, "source-policy", receiver->source_policy)
      && set_property (receiver, "codecs", receiver->codecs);
}

void
tool_receiver_clear (ToolReceiver *receiver)
{
  if (receiver->pipeline != NULL)
    gst_element_set_state (receiver->pipeline, GST_STATE_NULL);
  gst_clear_object (&receiver->pipeline);
  g_clear_pointer (&receiver->loop, g_main_loop_unref);
  g_clear_pointer (&receiver->uri, g_free);
  g_clear_pointer (&receiver->max_level, g_free);
  g_clear_pointer (&receiver->multicast_iface, g_free);
  g_clear_pointer (&receiver->latency, g_free);
  g_clear_pointer (&receiver->source_policy, g_free);
  g_clear_pointer (&receiver->codecs, g_free);
  g_clear_pointer (&receiver->warned_of, g_hash_table_unref);
}

gdouble
tool_receiver_elapsed (const ToolReceiver *receiver)
{
  return (g_get_monotonic_time () - receiver->start) / 1e6;
}

void
tool_receiver_stop (ToolReceiver *receiver, gint status)
{
  if (status != TOOL_EXIT_OK)
    receiver->status = status;
  g_main_loop_quit (receiver->loop);
}

static gboolean
on_finish_timeout (gpointer user_data)
{
  ToolReceiver *receiver = user_data;

  receiver->finish_timeout = 0;
  tool_error (_ ("the pipeline did not end within %d s and was stopped"),
      FINISH_SECONDS);
  tool_receiver_stop (receiver, TOOL_EXIT_FAILURE);

  return G_SOURCE_REMOVE;
}

/* A second signal stops at once. */
static void
finish (ToolReceiver *receiver, gint status)
{
  if (status != TOOL_EXIT_OK)
    receiver->status = status;
  if (receiver->finishing || receiver->handler->finish == NULL
      || !receiver->handler->finish (receiver)) {
    tool_receiver_stop (receiver, status);
    return;
  }
  receiver->finishing = TRUE;
  receiver->finish_timeout =
      g_timeout_add_seconds (FINISH_SECONDS, on_finish_timeout, receiver);
}

/* Omits the source position that GStreamer puts into the debug text. */
static void
print_error (const GError *error, const gchar *debug)
{
  const gchar *detail = debug != NULL ? strchr (debug, '\n') : NULL;

  tool_error ("%s%s%s%s", error->message, detail != NULL ? " (" : "",
      detail != NULL ? detail + 1 : "", detail != NULL ? ")" : "");
}

/* lmccsrc limits its warnings to one of a kind in 10 s; this limits those of
 * other elements. Warnings that do not fit into the table are printed. */
static void
print_warning (ToolReceiver *receiver, const gchar *text)
{
  gint64 now = g_get_monotonic_time ();
  gint64 *latest;

  if (receiver->warned_of == NULL)
    receiver->warned_of =
        g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  latest = g_hash_table_lookup (receiver->warned_of, text);
  if (latest != NULL && now < *latest + WARNING_INTERVAL)
    return;
  if (latest != NULL) {
    *latest = now;
  } else if (g_hash_table_size (receiver->warned_of) < MAX_WARNED_OF) {
    latest = g_new (gint64, 1);
    *latest = now;
    g_hash_table_insert (receiver->warned_of, g_strdup (text), latest);
  }
  tool_error (_ ("warning: %s"), text);
}

static gboolean
on_bus_message (GstBus *bus G_GNUC_UNUSED, GstMessage *message,
    gpointer user_data)
{
  ToolReceiver *receiver = user_data;
  g_autoptr (GError) error = NULL;
  g_autofree gchar *debug = NULL;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ERROR:
      gst_message_parse_error (message, &error, &debug);
      print_error (error, debug);
      finish (receiver, TOOL_EXIT_FAILURE);
      break;
    case GST_MESSAGE_WARNING:
      gst_message_parse_warning (message, &error, &debug);
      print_warning (receiver, error->message);
      break;
    case GST_MESSAGE_EOS:
      tool_receiver_stop (receiver, TOOL_EXIT_OK);
      break;
    case GST_MESSAGE_ELEMENT:
      if (receiver->handler->message != NULL)
        receiver->handler->message (receiver,
            gst_message_get_structure (message));
      break;
    default:
      break;
  }

  return G_SOURCE_CONTINUE;
}

static GstStructure *
read_stats (ToolReceiver *receiver)
{
  GParamSpec *pspec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (receiver->source),
          "stats");
  GstStructure *stats = NULL;

  if (pspec != NULL && g_type_is_a (pspec->value_type, GST_TYPE_STRUCTURE))
    g_object_get (receiver->source, "stats", &stats, NULL);

  return stats;
}

static void
note_received (ToolReceiver *receiver, const GstStructure *stats)
{
  gdouble packets = 0;

  if (stats != NULL
      && tool_structure_number (stats, "packets-received", &packets))
    receiver->received |= packets > 0;
}

static gboolean
on_second (gpointer user_data)
{
  ToolReceiver *receiver = user_data;
  g_autoptr (GstStructure) stats = read_stats (receiver);
  gdouble elapsed = tool_receiver_elapsed (receiver);

  note_received (receiver, stats);
  if (!receiver->received && !receiver->warned && elapsed > PATIENCE_SECONDS) {
    receiver->warned = TRUE;
    tool_error (_ ("no packet has arrived yet; gst-lmcc-1.0 doctor '%s' "
                   "finds out why"),
        receiver->uri);
  }
  if (receiver->handler->second != NULL)
    receiver->handler->second (receiver, stats);

  return G_SOURCE_CONTINUE;
}

static gboolean
on_end (gpointer user_data)
{
  finish (user_data, TOOL_EXIT_OK);

  return G_SOURCE_CONTINUE;
}

/* Returns: the exit status; a failure if no packet came */
gint
tool_receiver_run (ToolReceiver *receiver)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (receiver->pipeline);
  g_autoptr (GstStructure) stats = NULL;
  guint sources[] = {
    gst_bus_add_watch (bus, on_bus_message, receiver),
    g_timeout_add (1000, on_second, receiver),
    g_unix_signal_add (SIGINT, on_end, receiver),
    g_unix_signal_add (SIGTERM, on_end, receiver),
    receiver->seconds > 0
        ? g_timeout_add (receiver->seconds * 1000 + 100, on_end, receiver)
        : 0,
  };
  guint i;

  receiver->loop = g_main_loop_new (NULL, FALSE);
  receiver->start = g_get_monotonic_time ();
  /* A failure posts its cause on the bus, which the loop prints. */
  gst_element_set_state (receiver->pipeline, GST_STATE_PLAYING);
  g_main_loop_run (receiver->loop);
  for (i = 0; i < G_N_ELEMENTS (sources); i++) {
    if (sources[i] != 0)
      g_source_remove (sources[i]);
  }
  if (receiver->finish_timeout != 0)
    g_source_remove (receiver->finish_timeout);
  /* The last second may have been the first. */
  stats = read_stats (receiver);
  note_received (receiver, stats);
  gst_element_set_state (receiver->pipeline, GST_STATE_NULL);

  if (receiver->status == TOOL_EXIT_OK && !receiver->received) {
    tool_error (_ ("no packet arrived; gst-lmcc-1.0 doctor '%s' finds out "
                   "why"),
        receiver->uri);
    return TOOL_EXIT_FAILURE;
  }

  return receiver->status;
}

/* Accepts any numeric type. */
gboolean
tool_structure_number (const GstStructure *structure, const gchar *field,
    gdouble *value)
{
  const GValue *given = gst_structure_get_value (structure, field);
  g_auto (GValue) number = G_VALUE_INIT;

  if (given == NULL
      || !g_value_type_transformable (G_VALUE_TYPE (given), G_TYPE_DOUBLE))
    return FALSE;
  g_value_init (&number, G_TYPE_DOUBLE);
  if (!g_value_transform (given, &number))
    return FALSE;
  *value = g_value_get_double (&number);

  return TRUE;
}

static gboolean
add_field (GQuark field, const GValue *value, gpointer user_data)
{
  JsonBuilder *builder = user_data;

  json_builder_set_member_name (builder, g_quark_to_string (field));
  tool_json_add_value (builder, value);

  return TRUE;
}

static void
add_array (JsonBuilder *builder, const GValue *value)
{
  gboolean list = GST_VALUE_HOLDS_LIST (value);
  guint n =
      list ? gst_value_list_get_size (value) : gst_value_array_get_size (value);
  guint i;

  json_builder_begin_array (builder);
  for (i = 0; i < n; i++)
    tool_json_add_value (builder,
        list ? gst_value_list_get_value (value, i)
             : gst_value_array_get_value (value, i));
  json_builder_end_array (builder);
}

static void
add_number (JsonBuilder *builder, const GValue *value)
{
  g_auto (GValue) number = G_VALUE_INIT;
  GType type = G_VALUE_TYPE (value);

  if (type == G_TYPE_DOUBLE || type == G_TYPE_FLOAT) {
    g_value_init (&number, G_TYPE_DOUBLE);
    g_value_transform (value, &number);
    /* JSON has no infinity. */
    if (isfinite (g_value_get_double (&number)))
      json_builder_add_double_value (builder, g_value_get_double (&number));
    else
      json_builder_add_null_value (builder);
  } else if (type == G_TYPE_UINT64 && g_value_get_uint64 (value) > G_MAXINT64) {
    /* GST_CLOCK_TIME_NONE: not known. */
    json_builder_add_null_value (builder);
  } else {
    g_value_init (&number, G_TYPE_INT64);
    g_value_transform (value, &number);
    json_builder_add_int_value (builder, g_value_get_int64 (&number));
  }
}

/* Converts a value of a GstStructure to the nearest JSON type. */
void
tool_json_add_value (JsonBuilder *builder, const GValue *value)
{
  if (GST_VALUE_HOLDS_STRUCTURE (value)) {
    const GstStructure *structure = gst_value_get_structure (value);

    json_builder_begin_object (builder);
    if (structure != NULL)
      gst_structure_foreach (structure, add_field, builder);
    json_builder_end_object (builder);
  } else if (GST_VALUE_HOLDS_ARRAY (value) || GST_VALUE_HOLDS_LIST (value)) {
    add_array (builder, value);
  } else if (G_VALUE_HOLDS_BOOLEAN (value)) {
    json_builder_add_boolean_value (builder, g_value_get_boolean (value));
  } else if (G_VALUE_HOLDS_STRING (value)) {
    if (g_value_get_string (value) != NULL)
      json_builder_add_string_value (builder, g_value_get_string (value));
    else
      json_builder_add_null_value (builder);
  } else if (!G_VALUE_HOLDS_ENUM (value) && !G_VALUE_HOLDS_FLAGS (value)
      && g_value_type_transformable (G_VALUE_TYPE (value), G_TYPE_INT64)) {
    add_number (builder, value);
  } else {
    g_autofree gchar *text = gst_value_serialize (value);

    json_builder_add_string_value (builder, text != NULL ? text : "");
  }
}
