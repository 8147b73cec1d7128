/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "plan.h"

#include <gst/lmcc/control/slots/increase-probabilities.h>
#include <gst/lmcc/measure/tcp-model.h>

#include <gio/gio.h>
#include <math.h>

#define SCRIPT "plot-plan"
#define INSTALLED_SCRIPT GST_LMCC_LIBEXECDIR "/" SCRIPT

/* The range of the logarithmic grid for hill climbing. */
#define POINTS 121
#define LEAST_LOSS 5e-6
#define GREATEST_LOSS 0.1

static gdouble
point (guint index)
{
  return LEAST_LOSS
      * pow (GREATEST_LOSS / LEAST_LOSS, index / (gdouble) (POINTS - 1));
}

typedef gdouble (*Curve) (const Plan *plan, gdouble loss_rate);

static gdouble
tcp_curve (const Plan *plan, gdouble loss_rate)
{
  return lmcc_tcp_model_rate (loss_rate, plan->rtt, plan->packet_size);
}

static gdouble
dynamic_joins_curve (const Plan *plan, gdouble loss_rate)
{
  gdouble dynamic_joins, static_joins;

  plan_joins (plan, loss_rate, &dynamic_joins, &static_joins);
  return dynamic_joins;
}

static gdouble
static_joins_curve (const Plan *plan, gdouble loss_rate)
{
  gdouble dynamic_joins, static_joins;

  plan_joins (plan, loss_rate, &dynamic_joins, &static_joins);
  return static_joins;
}

static gdouble
loss_curve (const Plan *plan G_GNUC_UNUSED, gdouble loss_rate)
{
  return loss_rate;
}

static void
add_curve (JsonBuilder *builder, const Plan *plan, const gchar *name,
    Curve curve)
{
  guint i;

  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
  for (i = 0; i < POINTS; i++)
    json_builder_add_double_value (builder, curve (plan, point (i)));
  json_builder_end_array (builder);
}

/* The curves for the p_i of each method, and for TCP. */
static gchar *
plot_data (const Plan *plan)
{
  LmccTcpTarget tcp = { .rtt = plan->rtt, .packet_size = plan->packet_size };
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) root = NULL;
  const gchar *name;
  guint method;

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "slot");
  json_builder_add_double_value (builder, plan->slot / (gdouble) LMCC_SECOND);
  json_builder_set_member_name (builder, "nominal-rtt");
  json_builder_add_double_value (builder, plan->rtt / (gdouble) LMCC_SECOND);
  json_builder_set_member_name (builder, "layers");
  json_builder_add_int_value (builder, plan->n_layers);
  add_curve (builder, plan, "loss", loss_curve);
  add_curve (builder, plan, "dynamic-joins", dynamic_joins_curve);
  add_curve (builder, plan, "static-joins", static_joins_curve);
  add_curve (builder, plan, "tcp", tcp_curve);
  if (plan->given)
    add_curve (builder, plan, "given", plan_throughput);
  for (method = 0; (name = lmcc_increase_method_name (method)) != NULL;
       method++) {
    Plan other = *plan;

    lmcc_increase_probabilities_compute (method, &other.chain,
        lmcc_tcp_target_rate, &tcp, other.probabilities);
    add_curve (builder, &other, name, plan_throughput);
  }
  json_builder_end_object (builder);
  root = json_builder_get_root (builder);

  return json_to_string (root, FALSE);
}

/* Draws figures 3, 10 and 11 of FLID-DL for this session. */
gboolean
plan_plot (const Plan *plan, const gchar *file, GError **error)
{
  g_autofree gchar *script = tool_find_file (SCRIPT, INSTALLED_SCRIPT);
  g_autofree gchar *data = plot_data (plan);
  g_autoptr (GSubprocess) process =
      g_subprocess_new (G_SUBPROCESS_FLAGS_STDIN_PIPE, error, script, file,
          NULL);

  if (process == NULL
      || !g_subprocess_communicate_utf8 (process, data, NULL, NULL, NULL,
          error))
    return FALSE;
  if (g_subprocess_get_successful (process))
    return TRUE;

  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
      _ ("--plot=%s was not drawn; it needs python3 with "
         "matplotlib (Debian: python3-matplotlib), and a name that "
         "ends in .png, .svg or .pdf"),
      file);
  return FALSE;
}
