/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The type of a property that is a share or "auto". It is a #gdouble for
 * programs, and a number or that word in gst-launch-1.0. */
#include "config.h"

#include "common/share.h"

#define AUTO "auto"

static gint
compare (const GValue *a, const GValue *b)
{
  gdouble left = g_value_get_double (a), right = g_value_get_double (b);

  if (left == right)
    return GST_VALUE_EQUAL;
  return left < right ? GST_VALUE_LESS_THAN : GST_VALUE_GREATER_THAN;
}

static gchar *
serialize (const GValue *value)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];
  gdouble share = g_value_get_double (value);

  return g_strdup (share == GST_LMCC_SHARE_AUTO
          ? AUTO
          : g_ascii_dtostr (text, sizeof (text), share));
}

static gboolean
deserialize (GValue *value, const gchar *text)
{
  gchar *end;
  gdouble share = g_ascii_strtod (text, &end);

  if (g_str_equal (text, AUTO))
    share = GST_LMCC_SHARE_AUTO;
  else if (end == text || *end != '\0')
    return FALSE;
  g_value_set_double (value, share);
  return TRUE;
}

/**
 * gst_lmcc_share_get_type:
 *
 * Returns: a type derived from #gdouble
 */
GType
gst_lmcc_share_get_type (void)
{
  static gsize type;

  if (g_once_init_enter (&type)) {
    static const GTypeInfo info = { 0 };
    static GstValueTable table = { .compare = compare,
      .serialize = serialize,
      .deserialize = deserialize };

    table.type =
        g_type_register_static (G_TYPE_DOUBLE, "GstLmccShare", &info, 0);
    gst_value_register (&table);
    g_once_init_leave (&type, table.type);
  }
  return type;
}
