/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "plan.h"

#include <gst/lmcc/measure/tcp-model.h>
#include <gst/lmcc/wire/constants.h>

/* Loss rates for which the throughput is printed; the table has every second
 * one. */
static const gdouble loss_rates[] = { 0.00001, 0.00002, 0.00003, 0.00005,
  0.0001, 0.0002, 0.0003, 0.0005, 0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.03,
  0.05, 0.1 };

/* The session announces the rate of each layer in whole bit/s. */
static guint64
plan_rate (const Plan *plan, guint layer)
{
  return (guint64) (plan->rates[layer] + 0.5);
}

/* With dynamic layering, groups carry other layers in each slot; these are the
 * addresses in slot 0. */
const gchar *
plan_group_address (const Plan *plan, guint layer,
    gchar text[LMCC_ADDRESS_STRLEN])
{
  LmccAddress group;

  text[0] = '\0';
  if (lmcc_address_group (&plan->address,
          lmcc_dynamic_layering_get_group (&plan->layering, 0, layer), &group))
    lmcc_address_format (&group, text);

  return text;
}

static gdouble
seconds (LmccTime time)
{
  return time / (gdouble) LMCC_SECOND;
}

static gdouble
tcp_rate (const Plan *plan, gdouble loss_rate)
{
  return lmcc_tcp_model_rate (loss_rate, plan->rtt, plan->packet_size);
}

static void
print_layers (const Plan *plan)
{
  gchar address[LMCC_ADDRESS_STRLEN];
  guint64 cumulative = 0;
  guint i;

  g_print ("%5s  %16s  %16s  %10s", "layer", "rate", "cumulative", "packets/s");
  if (plan_has_model (plan))
    g_print ("  %8s  %10s", "increase", "sync");
  g_print ("  %s\n", "address");
  for (i = 0; i < plan->n_layers; i++) {
    guint64 rate = plan_rate (plan, i);
    g_autofree gchar *rate_text = tool_rate_format (rate);
    g_autofree gchar *cumulative_text = NULL;

    cumulative += rate;
    cumulative_text = tool_rate_format (cumulative);
    g_print ("%5u  %16s  %16s  %10.1f", i, rate_text, cumulative_text,
        rate / (8.0 * plan->packet_size));
    if (plan_has_model (plan)) {
      LmccTime interval = plan_sync_interval (plan, i);

      g_print ("  %8.3f", plan_increase_probability (plan, i));
      if (interval == LMCC_TIME_NONE)
        g_print ("  %10s", "never");
      else
        g_print ("  %8.3f s", seconds (interval));
    }
    g_print ("  %s\n", plan_group_address (plan, i, address));
  }
}

static void
print_algorithm (const Plan *plan)
{
  g_print ("algorithm %s", plan->algorithm->name);
  if (plan->n_signals > 0)
    g_print (", slots of %.3f s, nominal RTT %.3f s", seconds (plan->slot),
        seconds (plan->rtt));
  if (plan_is_dynamic (plan))
    g_print (", %u groups, %u of them silent", plan->layering.n_groups,
        plan->layering.silent_groups);
  if (plan->rlc.burst > 0)
    g_print (", bursts of %.3f s", seconds (plan->rlc.burst));
  g_print ("\n");
}

/* The levels that may go up: all up to the signal, or those whose bit is
 * set. */
static void
print_signal (const Plan *plan, const LmccMarks *marks)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint i;

  if (!marks->has_up_levels) {
    g_print ("%6d", marks->signal);
    return;
  }
  for (i = 0; i + 1 < plan->n_layers; i++) {
    if (marks->up_levels >> i & 1)
      g_string_append_printf (text, "%s%u", text->len > 0 ? "," : "", i);
  }
  g_print ("%6s", text->len > 0 ? text->str : "-");
}

/* A row for each slot: its signal, and the layer on each group. */
static void
print_slots (const Plan *plan)
{
  g_autofree LmccMarks *marks = g_new0 (LmccMarks, MAX (plan->n_signals, 1));
  guint k, group;

  if (plan->n_signals == 0)
    return;

  plan_get_marks (plan, marks);
  g_print ("\n slot  signal%s\n", plan_is_dynamic (plan) ? "  groups" : "");
  for (k = 0; k < plan->n_signals; k++) {
    g_print ("%5u  ", k);
    print_signal (plan, &marks[k]);
    for (group = 0; plan_is_dynamic (plan) && group < plan->layering.n_groups;
         group++) {
      gint layer = lmcc_dynamic_layering_get_layer (&plan->layering,
          k % plan->layering.turning_groups, group);

      if (layer == LMCC_GROUP_SILENT)
        g_print (" %2s", ".");
      else
        g_print (" %2d", layer);
    }
    g_print ("\n");
  }
}

static void
print_throughput (const Plan *plan)
{
  guint i;

  if (!plan_has_model (plan))
    return;

  g_print ("\n%8s  %16s  %16s", "loss", "throughput", "TCP");
  if (plan_is_flid (plan))
    g_print ("  %7s", "joins/s");
  g_print ("\n");
  for (i = 0; i < G_N_ELEMENTS (loss_rates); i += 2) {
    gdouble q = loss_rates[i];
    g_autofree gchar *rate = tool_rate_format (plan_throughput (plan, q));
    g_autofree gchar *tcp = tool_rate_format (tcp_rate (plan, q));
    gdouble dynamic_joins, static_joins;

    g_print ("%8.5f  %16s  %16s", q, rate, tcp);
    if (plan_is_flid (plan)) {
      plan_joins (plan, q, &dynamic_joins, &static_joins);
      g_print ("  %7.3f",
          plan_is_dynamic (plan) ? dynamic_joins : static_joins);
    }
    g_print ("\n");
  }
}

void
plan_print_table (const Plan *plan)
{
  g_print ("scheme %s, %u layers, packets of %u bytes\n",
      lmcc_rate_scheme_name (plan->scheme), plan->n_layers, plan->packet_size);
  if (plan->algorithm != NULL)
    print_algorithm (plan);
  g_print ("\n");
  print_layers (plan);
  print_slots (plan);
  print_throughput (plan);
  if (plan->n_keys > 0)
    plan_print_stream (plan);
  plan_print_repair (plan);
}

static void
add_number (JsonBuilder *builder, const gchar *name, gdouble value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_double_value (builder, value);
}

static void
add_whole_number (JsonBuilder *builder, const gchar *name, gint64 value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, value);
}

static void
add_text (JsonBuilder *builder, const gchar *name, const gchar *value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, value);
}

static void
begin_list (JsonBuilder *builder, const gchar *name)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
}

/* Both are null for an algorithm without a model; an infinite interval is null,
 * too. */
static void
add_layer_marks (JsonBuilder *builder, const Plan *plan, guint layer)
{
  gboolean has_model = plan_has_model (plan);
  LmccTime interval =
      has_model ? plan_sync_interval (plan, layer) : LMCC_TIME_NONE;

  json_builder_set_member_name (builder, "increase-probability");
  if (has_model)
    json_builder_add_double_value (builder,
        plan_increase_probability (plan, layer));
  else
    json_builder_add_null_value (builder);
  json_builder_set_member_name (builder, "sync-interval");
  if (interval != LMCC_TIME_NONE)
    json_builder_add_double_value (builder, seconds (interval));
  else
    json_builder_add_null_value (builder);
}

static void
add_layers (JsonBuilder *builder, const Plan *plan)
{
  gchar address[LMCC_ADDRESS_STRLEN];
  guint64 cumulative = 0;
  guint i;

  begin_list (builder, "layers");
  for (i = 0; i < plan->n_layers; i++) {
    guint64 rate = plan_rate (plan, i);

    cumulative += rate;
    json_builder_begin_object (builder);
    add_whole_number (builder, "layer", i);
    add_whole_number (builder, "rate", rate);
    add_whole_number (builder, "cumulative-rate", cumulative);
    add_number (builder, "packets-per-second",
        rate / (8.0 * plan->packet_size));
    add_text (builder, "address", plan_group_address (plan, i, address));
    if (plan->algorithm != NULL)
      add_layer_marks (builder, plan, i);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

static void
add_signals (JsonBuilder *builder, const Plan *plan)
{
  g_autofree LmccMarks *marks = g_new0 (LmccMarks, MAX (plan->n_signals, 1));
  guint i;

  if (plan->n_signals > 0)
    plan_get_marks (plan, marks);
  begin_list (builder, "signals");
  for (i = 0; i < plan->n_signals; i++)
    json_builder_add_int_value (builder,
        marks[i].has_up_levels ? (gint64) marks[i].up_levels : marks[i].signal);
  json_builder_end_array (builder);
}

/* One full turn of the groups; a single slot with static layering. */
static void
add_groups (JsonBuilder *builder, const Plan *plan)
{
  guint slots = MAX (plan->layering.turning_groups, 1);
  guint k, group;

  begin_list (builder, "groups");
  for (k = 0; k < slots; k++) {
    json_builder_begin_array (builder);
    for (group = 0; group < plan->layering.n_groups; group++) {
      gint layer = lmcc_dynamic_layering_get_layer (&plan->layering, k, group);

      if (layer == LMCC_GROUP_SILENT)
        json_builder_add_null_value (builder);
      else
        json_builder_add_int_value (builder, layer);
    }
    json_builder_end_array (builder);
  }
  json_builder_end_array (builder);
}

static void
add_throughput (JsonBuilder *builder, const Plan *plan)
{
  guint i;

  begin_list (builder, "throughput");
  for (i = 0; plan_has_model (plan) && i < G_N_ELEMENTS (loss_rates); i++) {
    json_builder_begin_object (builder);
    add_number (builder, "loss", loss_rates[i]);
    add_number (builder, "rate", plan_throughput (plan, loss_rates[i]));
    add_number (builder, "tcp-rate", tcp_rate (plan, loss_rates[i]));
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);

  begin_list (builder, "joins-per-second");
  for (i = 0; plan_is_flid (plan) && i < G_N_ELEMENTS (loss_rates); i++) {
    gdouble dynamic_joins, static_joins;

    plan_joins (plan, loss_rates[i], &dynamic_joins, &static_joins);
    json_builder_begin_object (builder);
    add_number (builder, "loss", loss_rates[i]);
    add_number (builder, "dynamic", dynamic_joins);
    add_number (builder, "static", static_joins);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

static void
add_algorithm (JsonBuilder *builder, const Plan *plan)
{
  add_text (builder, "algorithm", plan->algorithm->name);
  if (plan->n_signals > 0) {
    add_number (builder, "slot", seconds (plan->slot));
    add_whole_number (builder, "slot-modulus", plan->session.slot_modulus);
    add_number (builder, "nominal-rtt", seconds (plan->rtt));
  }
  if (plan->rlc.slot > 0)
    add_number (builder, "burst", seconds (plan->rlc.burst));
}

void
plan_print_json (const Plan *plan)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  add_text (builder, "scheme", lmcc_rate_scheme_name (plan->scheme));
  add_whole_number (builder, "packet-size", plan->packet_size);
  if (plan->algorithm != NULL)
    add_algorithm (builder, plan);
  add_layers (builder, plan);
  if (plan->algorithm != NULL) {
    add_signals (builder, plan);
    add_groups (builder, plan);
    add_throughput (builder, plan);
  }
  if (plan->n_keys > 0)
    plan_add_stream (plan, builder);
  plan_add_repair (plan, builder);
  json_builder_end_object (builder);

  tool_json_print (builder, TRUE);
}
