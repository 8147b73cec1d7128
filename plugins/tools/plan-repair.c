/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* What repair data achieves: the probability that a picture is complete at each
 * level. */
#include "plan.h"

#include <gst/lmcc/repair/chances.h>
#include <gst/lmcc/repair/optimizer.h>
#include <gst/lmcc/repair/payload.h>

#include <math.h>

/* The defaults of lmccsink. */
#define DEFAULT_SHARE 0.1
#define DEFAULT_LOSS LMCC_DEFAULT_REPAIR_LOSS
#define DEFAULT_GROUP (2 * LMCC_SECOND)

/* A window with more source packets has several blocks. */
#define MAX_SOURCE 120

#define PICTURES_PER_SECOND 25
#define N_LOSSES 5

/* The packets of one layer in a window. */
typedef struct
{
  guint n_source;
  guint n_repair;
  guint n_blocks;
  guint picture; /* packets of one picture */
} Layer;

static gboolean
read_number (const gchar *text, const gchar *option, gdouble least,
    gdouble most, const gchar *example, gdouble *number, GError **error)
{
  gchar *end;

  if (text == NULL)
    return TRUE;
  *number = g_ascii_strtod (text, &end);
  if (end != text && *end == '\0' && *number >= least && *number <= most)
    return TRUE;

  return plan_bad_value (error,
      _ ("--%s=%s is not a number from %g to %g; write a number "
         "such as %s"),
      option, text, least, most, example);
}

gboolean
plan_read_repair (const PlanRepairOptions *options, Plan *plan, GError **error)
{
  plan->repair = DEFAULT_SHARE;
  plan->repair_loss = DEFAULT_LOSS;
  plan->repair_burst = 1;

  return read_number (options->share_text, "repair", 0, 1, "0.1", &plan->repair,
             error)
      && read_number (options->loss_text, "repair-loss", 0, 0.9, "0.02",
          &plan->repair_loss, error)
      && read_number (options->burst_text, "repair-burst", 1, 1000, "3",
          &plan->repair_burst, error);
}

/* A window is a group of pictures. */
static gdouble
window_seconds (const Plan *plan)
{
  LmccTime group = plan->n_keys > 0 && plan->longest_group > 0
      ? plan->longest_group
      : DEFAULT_GROUP;

  return (gdouble) group / LMCC_SECOND;
}

/* The share is kept in whole packets, as the sender does. */
static Layer
get_layer (const Plan *plan, guint i)
{
  gdouble window = window_seconds (plan);
  gdouble packets = floor (plan->rates[i] * window / (8.0 * plan->packet_size));
  gdouble share = plan->repair * (i == 0 ? LMCC_REPAIR_BASE_SHARE : 1);
  gdouble repair = floor (packets * share / (1 + plan->repair) + 0.5);
  gdouble source = MAX (packets - repair, 1);
  gdouble blocks = ceil (source / MAX_SOURCE);
  Layer layer;

  layer.n_source = (guint) MIN (source, G_MAXUINT);
  layer.n_repair = (guint) MIN (repair, G_MAXUINT);
  layer.n_blocks = (guint) MIN (blocks, G_MAXUINT);
  layer.picture =
      (guint) ceil (MIN (source, G_MAXUINT) / (window * PICTURES_PER_SECOND));

  return layer;
}

/* The packets of a picture in the layer, spread over as many blocks as
 * possible. */
static gdouble
layer_chance (const Plan *plan, const Layer *layer, gdouble loss)
{
  guint n_source = (layer->n_source + layer->n_blocks - 1) / layer->n_blocks;
  guint n_repair =
      MIN (layer->n_repair / layer->n_blocks, LMCC_REPAIR_MAX_REPAIR);
  guint used = MIN (layer->n_blocks, layer->picture);
  guint n = (layer->picture + used - 1) / used;
  guint depth = MIN (layer->n_blocks, LMCC_REPAIR_MAX_STEP);
  g_autoptr (LmccRepairChances) chances = lmcc_repair_chances_new (loss,
      plan->repair_burst, depth, n_source, n_repair);

  return pow (lmcc_repair_chances_whole (chances, n_source, n_repair, 0,
                  MIN (n, n_source)),
      used);
}

/* A picture at a level has packets in all layers up to it. */
static void
get_chances (const Plan *plan, gdouble loss, gdouble *levels)
{
  gdouble whole = 1;
  guint i;

  for (i = 0; i < plan->n_layers; i++) {
    Layer layer = get_layer (plan, i);

    whole *= layer_chance (plan, &layer, loss);
    levels[i] = whole;
  }
}

/* The loss rates that are always shown, and the expected one. */
static guint
get_losses (const Plan *plan, gdouble losses[N_LOSSES])
{
  static const gdouble always[] = { 0.005, 0.01, 0.03, 0.1 };
  gboolean placed = FALSE;
  guint n = 0, i;

  for (i = 0; i < G_N_ELEMENTS (always); i++) {
    if (!placed && plan->repair_loss <= always[i]) {
      if (plan->repair_loss < always[i])
        losses[n++] = plan->repair_loss;
      placed = TRUE;
    }
    losses[n++] = always[i];
  }
  if (!placed)
    losses[n++] = plan->repair_loss;

  return n;
}

void
plan_print_repair (const Plan *plan)
{
  gdouble losses[N_LOSSES], levels[N_LOSSES][LMCC_MAX_LAYERS];
  guint n = get_losses (plan, losses), i, k;

  g_print (_ ("\nshare of complete pictures with %g %% of repair data in "
              "windows of %.2f s, with %g consecutive lost packets on "
              "average\n"),
      100 * plan->repair, window_seconds (plan), plan->repair_burst);
  g_print ("%5s  %8s  %8s", "level", "source", "repair");
  for (k = 0; k < n; k++) {
    get_chances (plan, losses[k], levels[k]);
    g_print ("  %5.1f %% lost", 100 * losses[k]);
  }
  g_print ("\n");
  for (i = 0; i < plan->n_layers; i++) {
    Layer layer = get_layer (plan, i);

    g_print ("%5u  %8u  %8u", i, layer.n_source, layer.n_repair);
    for (k = 0; k < n; k++)
      g_print ("  %10.3f %%", 100 * levels[k][i]);
    g_print ("\n");
  }
}

static void
add_number (JsonBuilder *builder, const gchar *name, gdouble value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_double_value (builder, value);
}

static void
add_packets (const Plan *plan, JsonBuilder *builder)
{
  guint i;

  json_builder_set_member_name (builder, "layers");
  json_builder_begin_array (builder);
  for (i = 0; i < plan->n_layers; i++) {
    Layer layer = get_layer (plan, i);

    json_builder_begin_object (builder);
    json_builder_set_member_name (builder, "source-packets");
    json_builder_add_int_value (builder, layer.n_source);
    json_builder_set_member_name (builder, "repair-packets");
    json_builder_add_int_value (builder, layer.n_repair);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

void
plan_add_repair (const Plan *plan, JsonBuilder *builder)
{
  gdouble losses[N_LOSSES], levels[LMCC_MAX_LAYERS];
  guint n = get_losses (plan, losses), i, k;

  json_builder_set_member_name (builder, "repair");
  json_builder_begin_object (builder);
  add_number (builder, "share", plan->repair);
  add_number (builder, "burst", plan->repair_burst);
  add_number (builder, "group", window_seconds (plan));
  add_packets (plan, builder);
  json_builder_end_object (builder);

  json_builder_set_member_name (builder, "whole-picture");
  json_builder_begin_array (builder);
  for (k = 0; k < n; k++) {
    get_chances (plan, losses[k], levels);
    json_builder_begin_object (builder);
    add_number (builder, "loss", losses[k]);
    json_builder_set_member_name (builder, "levels");
    json_builder_begin_array (builder);
    for (i = 0; i < plan->n_layers; i++)
      json_builder_add_double_value (builder, levels[i]);
    json_builder_end_array (builder);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}
