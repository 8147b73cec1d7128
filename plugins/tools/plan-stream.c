/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "plan.h"

#include <gst/lmcc/lmcc-packet.h>

#include <math.h>

#include "tool-stream.h"

/* Headers of a packet, as IP packet. */
static gsize
plan_overhead (const Plan *plan)
{
  return lmcc_address_get_udp_overhead (&plan->address) + LMCC_RTP_HEADER_SIZE
      + LMCC_RTP_OVERHEAD;
}

/* The lowest level at which a key frame fits beside the repair data. It comes
 * first in its window. In the base layer it must fit whole; in layers above it
 * may be cut. */
static guint
plan_key_level (const Plan *plan, const ToolGroup *group)
{
  gsize overhead = plan_overhead (plan);
  gsize headers = overhead + (plan->repair > 0 ? LMCC_REPAIR_OVERHEAD : 0);
  gsize payload = MAX (plan->packet_size, headers + 1) - headers;
  gdouble packets = ceil ((gdouble) group->key_bytes / payload);
  gdouble seconds = (gdouble) group->duration / GST_SECOND;
  gdouble left = group->key_bytes + packets * overhead;
  guint i;

  for (i = 0; i < plan->n_layers; i++) {
    gdouble share = plan->rates[i] * seconds / 8 / (1 + plan->repair);

    if (left <= share)
      return i;
    if (i > 0)
      left -= floor (share / plan->packet_size) * plan->packet_size;
  }

  return i;
}

gboolean
plan_read_stream (Plan *plan, const gchar *path, GError **error)
{
  g_autoptr (GArray) groups = tool_stream_read (path, error);
  guint i;

  if (groups == NULL) {
    g_prefix_error (error, "--stream=%s: ", path);
    return FALSE;
  }
  plan->n_keys = groups->len;
  for (i = 0; i < groups->len; i++) {
    const ToolGroup *group = &g_array_index (groups, ToolGroup, i);
    guint level = plan_key_level (plan, group);

    plan->largest_key = MAX (plan->largest_key, group->key_bytes);
    plan->longest_group = MAX (plan->longest_group, group->duration);
    /* The last group may have been cut by the end of the file. */
    if (i + 1 < groups->len || i == 0)
      plan->key_level = MAX (plan->key_level, level);
  }

  return TRUE;
}

/* The window that lmccsink announces unless a longer one is set: two groups of
 * pictures and 400 ms. */
static guint
plan_window (const Plan *plan)
{
  return (guint) (2 * plan->longest_group / GST_MSECOND) + 400;
}

void
plan_print_stream (const Plan *plan)
{
  g_print (_ ("\nkey frames: %u, the largest has %.0f bytes, at most %.2f s "
              "apart: window=%u or more\n"),
      plan->n_keys, (gdouble) plan->largest_key,
      (gdouble) plan->longest_group / GST_SECOND, plan_window (plan));
  if (plan->key_level == plan->n_layers)
    g_print (_ ("not all of them fit, even into all layers\n"));
  else if (plan->key_level == 0)
    g_print (_ ("all of them fit at every level\n"));
  else
    g_print (_ ("all of them fit from level %u on; below it receivers "
                "miss the pictures of some groups\n"),
        plan->key_level);
}

void
plan_add_stream (const Plan *plan, JsonBuilder *builder)
{
  json_builder_set_member_name (builder, "stream");
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "key-frames");
  json_builder_add_int_value (builder, plan->n_keys);
  json_builder_set_member_name (builder, "largest-key-frame");
  json_builder_add_int_value (builder, (gint64) plan->largest_key);
  json_builder_set_member_name (builder, "longest-group");
  json_builder_add_int_value (builder, (gint64) plan->longest_group);
  json_builder_set_member_name (builder, "window");
  json_builder_add_int_value (builder, plan_window (plan));
  json_builder_set_member_name (builder, "key-frames-from-level");
  if (plan->key_level < plan->n_layers)
    json_builder_add_int_value (builder, plan->key_level);
  else
    json_builder_add_null_value (builder);
  json_builder_end_object (builder);
}
