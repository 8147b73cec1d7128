/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tool-receiver.h"

#include <math.h>
#include <stdio.h>

typedef struct
{
  gboolean json;
  gdouble packets;
  gdouble bytes;
  gdouble elapsed;
} Listener;

/* Fields of congestion control in lmccsrc's stats and in its message of a level
 * change. */
static const gchar *const control_fields[] = { "algorithm", "state",
  "loss-event-rate", "calculated-bitrate", "smoothed-bitrate", "trains",
  "timer", "timer-left-ms", "rtt-ms", "rtt-source", "reordering-window-ms",
  "reports", "answers", NULL };

/* Further fields, which only some algorithms have. */
static const gchar *const fair_fields[] = { "fair-bitrate", "mean-fair-bitrate",
  "loss-thinning", "loss-chance", "turn-level", "turn-share", "turn-left-ms",
  "joins-vetoed", "left-alone-ms", NULL };

static void
json_member (JsonBuilder *builder, const gchar *name,
    const GstStructure *structure, const gchar *field)
{
  const GValue *value =
      structure != NULL ? gst_structure_get_value (structure, field) : NULL;

  json_builder_set_member_name (builder, name);
  if (value != NULL)
    tool_json_add_value (builder, value);
  else
    json_builder_add_null_value (builder);
}

static void
json_members (JsonBuilder *builder, const GstStructure *structure,
    const gchar *const *fields)
{
  for (; *fields != NULL; fields++)
    json_member (builder, *fields, structure, *fields);
}

static gboolean
has_fair_rate (const GstStructure *structure)
{
  return structure != NULL
      && gst_structure_has_field (structure, "joins-vetoed");
}

static void
json_control_members (JsonBuilder *builder, const GstStructure *structure)
{
  json_members (builder, structure, control_fields);
  if (has_fair_rate (structure))
    json_members (builder, structure, fair_fields);
}

static JsonBuilder *
begin_event (const ToolReceiver *receiver, const gchar *event)
{
  JsonBuilder *builder = json_builder_new ();

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "event");
  json_builder_add_string_value (builder, event);
  json_builder_set_member_name (builder, "elapsed");
  json_builder_add_double_value (builder,
      round (tool_receiver_elapsed (receiver) * 1000) / 1000);

  return builder;
}

static void
end_event (JsonBuilder *builder)
{
  json_builder_end_object (builder);
  tool_json_print (builder, FALSE);
}

static void
level_changed_json (ToolReceiver *receiver, const GstStructure *message)
{
  static const gchar *const fields[] = { "running-time-ns", "from", "to",
    "reason", "bitrate", "loss-rate", NULL };
  g_autoptr (JsonBuilder) builder = begin_event (receiver, "level");

  json_members (builder, message, fields);
  json_control_members (builder, message);
  end_event (builder);
}

static gchar *
format_number (const GstStructure *structure, const gchar *field)
{
  gdouble value;

  if (structure == NULL || !tool_structure_number (structure, field, &value))
    return g_strdup ("?");

  return g_strdup_printf ("%.0f", value);
}

static gchar *
format_loss (const GstStructure *structure, const gchar *field)
{
  gdouble value;

  if (structure == NULL || !tool_structure_number (structure, field, &value))
    return g_strdup ("?");

  return g_strdup_printf ("%.2f %%", 100 * value);
}

static gchar *
format_rate (const GstStructure *structure, const gchar *field)
{
  gdouble value;

  if (structure == NULL || !tool_structure_number (structure, field, &value))
    return g_strdup ("?");
  if (!isfinite (value))
    return g_strdup ("unlimited");

  return tool_rate_format (value);
}

static gchar *
format_rtt (const GstStructure *structure)
{
  const gchar *source = gst_structure_get_string (structure, "rtt-source");
  gdouble value;

  if (source == NULL || !tool_structure_number (structure, "rtt-ms", &value))
    return g_strdup ("?");

  return g_strdup_printf ("%.1f ms (%s)", value, source);
}

static gchar *
format_timer (const GstStructure *structure)
{
  const gchar *timer = gst_structure_get_string (structure, "timer");
  gdouble left;

  if (timer == NULL)
    return g_strdup ("");
  if (!tool_structure_number (structure, "timer-left-ms", &left))
    return g_strdup_printf ("  timer %s", timer);

  return g_strdup_printf ("  timer %s %.1f s", timer, left / 1000);
}

static void
append_turn (GString *text, const GstStructure *structure)
{
  gdouble share, left, lower;

  if (!tool_structure_number (structure, "turn-level", &lower)
      || !tool_structure_number (structure, "turn-share", &share)
      || !tool_structure_number (structure, "turn-left-ms", &left))
    return;
  g_string_append_printf (text,
      "  level %.0f for %.0f %% of the time, changes in %.0f s", lower + 1,
      100 * share, left / 1000);
}

/* Replaces X. The values that are not known yet are omitted. */
static void
append_fair_rate (GString *text, const GstStructure *structure)
{
  gboolean vetoed = FALSE;
  gdouble left;

  if (gst_structure_has_field (structure, "fair-bitrate")) {
    g_autofree gchar *rate = format_rate (structure, "fair-bitrate");

    g_string_append_printf (text, "  fair rate %s", rate);
  }
  if (gst_structure_has_field (structure, "mean-fair-bitrate")) {
    g_autofree gchar *rate = format_rate (structure, "mean-fair-bitrate");

    g_string_append_printf (text, "  mean %s", rate);
  }
  append_turn (text, structure);
  gst_structure_get_boolean (structure, "joins-vetoed", &vetoed);
  if (vetoed)
    g_string_append (text, "  no joins: no room");
  if (tool_structure_number (structure, "left-alone-ms", &left))
    g_string_append_printf (text, "  next level left alone for %.0f s",
        left / 1000);
}

static void
append_rates (GString *text, const GstStructure *structure)
{
  const gchar *trains = gst_structure_get_string (structure, "trains");

  if (trains != NULL)
    g_string_append_printf (text, "  train: %s", trains);
  if (has_fair_rate (structure)) {
    append_fair_rate (text, structure);
  } else {
    g_autofree gchar *rate = format_rate (structure, "smoothed-bitrate");

    g_string_append_printf (text, "  X %s", rate);
  }
}

static void
append_reordering (GString *text, const GstStructure *structure)
{
  gdouble window;

  if (tool_structure_number (structure, "reordering-window-ms", &window)
      && window > 0)
    g_string_append_printf (text, "  late packets awaited for %.0f ms", window);
}

/* The state of congestion control; empty without congestion control. */
static gchar *
format_control (const GstStructure *structure)
{
  const gchar *algorithm, *state;
  g_autofree gchar *p = NULL, *rtt = NULL, *timer = NULL;
  g_autoptr (GString) rates = g_string_new (NULL);
  gdouble loss_event_rate;

  if (structure == NULL)
    return g_strdup ("");
  algorithm = gst_structure_get_string (structure, "algorithm");
  state = gst_structure_get_string (structure, "state");
  if (algorithm == NULL || state == NULL
      || !tool_structure_number (structure, "loss-event-rate",
          &loss_event_rate))
    return g_strdup ("");
  p = g_strdup_printf ("%.4f", loss_event_rate);
  rtt = format_rtt (structure);
  append_rates (rates, structure);
  append_reordering (rates, structure);
  timer = format_timer (structure);

  return g_strdup_printf ("  %s %s  p %s  rtt %s%s%s", algorithm, state, p, rtt,
      rates->str, timer);
}

static void
level_changed_text (ToolReceiver *receiver, const GstStructure *message)
{
  g_autofree gchar *from = format_number (message, "from");
  g_autofree gchar *to = format_number (message, "to");
  g_autofree gchar *rate = format_rate (message, "bitrate");
  g_autofree gchar *loss = format_loss (message, "loss-rate");
  g_autofree gchar *control = format_control (message);
  const gchar *reason = gst_structure_get_string (message, "reason");

  g_print ("%7.2f s  level %s -> %s: %s (rate %s, loss %s)%s\n",
      tool_receiver_elapsed (receiver), from, to,
      reason != NULL ? reason : _ ("no reason given"), rate, loss, control);
  fflush (stdout);
}

static void
source_changed_json (ToolReceiver *receiver, const GstStructure *message)
{
  static const gchar *const fields[] = { "from", "to", "reason", "held-back",
    NULL };
  g_autoptr (JsonBuilder) builder = begin_event (receiver, "source");

  json_members (builder, message, fields);
  end_event (builder);
}

static void
on_message (ToolReceiver *receiver, const GstStructure *message)
{
  const Listener *listener = receiver->user_data;

  /* In text mode the element's warning reports this. */
  if (message != NULL && listener->json
      && gst_structure_has_name (message, "lmcc-source-changed"))
    source_changed_json (receiver, message);
  if (message == NULL
      || !gst_structure_has_name (message, "lmcc-level-changed"))
    return;

  if (listener->json)
    level_changed_json (receiver, message);
  else
    level_changed_text (receiver, message);
}

/* The increase since the last second; the source's counters are totals. */
static gdouble
difference (const GstStructure *stats, const gchar *field, gdouble *last)
{
  gdouble now = 0, since;

  if (stats == NULL || !tool_structure_number (stats, field, &now))
    return -1;
  since = now - *last;
  *last = now;

  return since;
}

static gboolean
add_drop (GQuark field, const GValue *value, gpointer user_data)
{
  GString *text = user_data;
  g_auto (GValue) number = G_VALUE_INIT;

  if (!g_value_type_transformable (G_VALUE_TYPE (value), G_TYPE_DOUBLE))
    return TRUE;
  g_value_init (&number, G_TYPE_DOUBLE);
  if (g_value_transform (value, &number) && g_value_get_double (&number) > 0)
    g_string_append_printf (text, ", %s %.0f", g_quark_to_string (field),
        g_value_get_double (&number));

  return TRUE;
}

static void
append_drops (GString *text, const GstStructure *stats)
{
  const GValue *drops =
      stats != NULL ? gst_structure_get_value (stats, "drops") : NULL;

  if (drops != NULL && GST_VALUE_HOLDS_STRUCTURE (drops)
      && gst_value_get_structure (drops) != NULL)
    gst_structure_foreach (gst_value_get_structure (drops), add_drop, text);
}

static void
second_text (ToolReceiver *receiver, const GstStructure *stats, gdouble packets,
    gdouble rate)
{
  g_autofree gchar *level = format_number (stats, "level");
  g_autofree gchar *rung = format_number (stats, "rung");
  g_autofree gchar *loss = format_loss (stats, "loss-rate");
  g_autofree gchar *lost = format_number (stats, "packets-lost");
  g_autofree gchar *kernel = format_number (stats, "packets-dropped-kernel");
  g_autofree gchar *rate_text =
      rate < 0 ? g_strdup ("?") : tool_rate_format (rate);
  g_autofree gchar *control = format_control (stats);
  g_autoptr (GString) drops = g_string_new (NULL);
  const gchar *reason =
      stats != NULL ? gst_structure_get_string (stats, "reason") : NULL;

  append_drops (drops, stats);
  g_print ("%7.2f s  level %s  rung %s  %s  %.0f packets  loss %s  lost %s  "
           "dropped by this host %s%s%s%s%s\n",
      tool_receiver_elapsed (receiver), level, rung, rate_text,
      MAX (packets, 0), loss, lost, kernel, drops->str, control,
      reason != NULL ? "  reason " : "", reason != NULL ? reason : "");
  fflush (stdout);
}

static void
second_json (ToolReceiver *receiver, const GstStructure *stats, gdouble packets,
    gdouble rate)
{
  static const gchar *const fields[] = { "level", "rung", "bitrate",
    "loss-rate", "packets-received", "bytes-received", "packets-lost",
    "packets-dropped-kernel", "packets-delivered", "drops", "layers", "reason",
    "report-errors", NULL };
  g_autoptr (JsonBuilder) builder = begin_event (receiver, "second");

  json_builder_set_member_name (builder, "packets");
  json_builder_add_int_value (builder, MAX (packets, 0));
  json_builder_set_member_name (builder, "rate");
  json_builder_add_int_value (builder, MAX (rate, 0));
  json_members (builder, stats, fields);
  json_control_members (builder, stats);
  end_event (builder);
}

static void
on_second (ToolReceiver *receiver, const GstStructure *stats)
{
  Listener *listener = receiver->user_data;
  gdouble elapsed = tool_receiver_elapsed (receiver);
  gdouble packets = difference (stats, "packets-received", &listener->packets);
  gdouble bytes = difference (stats, "bytes-received", &listener->bytes);
  gdouble rate =
      bytes < 0 ? -1 : 8 * bytes / MAX (elapsed - listener->elapsed, 1e-3);

  listener->elapsed = elapsed;
  if (listener->json)
    second_json (receiver, stats, packets, rate);
  else
    second_text (receiver, stats, packets, rate);
}

static gboolean
add_sink (ToolReceiver *receiver)
{
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);

  if (sink == NULL) {
    tool_error (_ ("there is no element fakesink; install GStreamer's core "
                   "elements"));
    return FALSE;
  }
  g_object_set (sink, "sync", FALSE, "async", FALSE, NULL);
  gst_bin_add (GST_BIN (receiver->pipeline), sink);

  return gst_element_link (receiver->source, sink);
}

gint
tool_listen (gint argc, gchar **argv)
{
  static const ToolReceiverHandler handler = {
    .message = on_message,
    .second = on_second,
  };
  Listener listener = { 0 };
  g_auto (ToolReceiver) receiver = {
    .handler = &handler,
    .user_data = &listener,
  };
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &listener.json,
        N_ ("Print one JSON object on each line"), NULL },
    { NULL }
  };
  g_autoptr (ToolParser) parser = tool_parser_new ("URI",
      N_ ("Receives a session without showing it: prints a line for "
          "each level change\n"
          "and one each second."));

  tool_parser_add (parser, entries);
  tool_receiver_add_options (&receiver, parser);
  if (!tool_parser_parse (parser, &argc, &argv)
      || !tool_single_argument (argc, argv, "URI"))
    return TOOL_EXIT_USAGE;
  if (!tool_receiver_open (&receiver, argv[1]))
    return TOOL_EXIT_USAGE;
  if (!add_sink (&receiver))
    return TOOL_EXIT_FAILURE;

  return tool_receiver_run (&receiver);
}
