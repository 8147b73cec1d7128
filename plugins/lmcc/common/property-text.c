/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Converts property values to and from text, for URIs: booleans, integers,
 * strings and the nicks of enumerations. */
#include "config.h"

#include "common/properties.h"

#include <plugins/common/messages.h>

#define MEMBER GST_LMCC_PROPERTY_MEMBER

/**
 * gst_lmcc_properties_find_in_uri:
 * @table: the properties
 * @name: name of a property
 *
 * Returns: index of its row, or -1 if URIs cannot set such a property
 */
gint
gst_lmcc_properties_find_in_uri (const GstLmccPropertyTable *table,
    const gchar *name)
{
  guint i;

  for (i = 0; i < table->n_rows; i++) {
    if ((table->rows[i].flags & GST_LMCC_PROPERTY_IN_URI)
        && g_str_equal (table->rows[i].name, name))
      return (gint) i;
  }
  return -1;
}

static gchar *
describe_range (const GstLmccProperty *row)
{
  g_autofree gchar *max = g_strdup_printf ("%" G_GUINT64_FORMAT, row->max);

  return g_strdup_printf (_ ("use an integer from %d to %s"), (gint) row->min,
      max);
}

static gchar *
describe_nicks (const GstLmccProperty *row)
{
  GEnumClass *klass = g_type_class_ref (row->get_type ());
  g_autoptr (GString) text = g_string_new (NULL);
  guint i;

  for (i = 0; i < klass->n_values; i++)
    g_string_append_printf (text, "%s%s",
        i == 0                        ? ""
            : i + 1 < klass->n_values ? ", "
                                      : _ (" or "),
        klass->values[i].value_nick);
  g_type_class_unref (klass);
  return g_strdup_printf (_ ("use %s"), text->str);
}

static gboolean
parse_number (const GstLmccProperty *row, const gchar *text, gpointer settings)
{
  guint64 number;

  if (row->min < 0 && g_str_equal (text, "-1"))
    number = G_MAXUINT64;
  else if (!g_ascii_string_to_unsigned (text, 10, (guint64) MAX (row->min, 0),
               row->max, &number, NULL))
    return FALSE;

  if (row->kind == GST_LMCC_PROPERTY_UINT64)
    MEMBER (guint64, settings, row) = number;
  else if (row->kind == GST_LMCC_PROPERTY_UINT)
    MEMBER (guint, settings, row) = (guint) number;
  else
    MEMBER (gint, settings, row) = number == G_MAXUINT64 ? -1 : (gint) number;
  return TRUE;
}

static gboolean
parse_boolean (const GstLmccProperty *row, const gchar *text, gpointer settings)
{
  gboolean is_true = g_str_equal (text, "true");

  if (!is_true && !g_str_equal (text, "false"))
    return FALSE;
  MEMBER (gboolean, settings, row) = is_true;
  return TRUE;
}

/**
 * gst_lmcc_property_parse:
 * @row: a property that URIs can set
 * @text: the value in the URI
 * @settings: (inout): gets the value
 * @remedy: (out) (transfer full): the valid values, if @text is invalid
 *
 * Returns: whether @text is a valid value of the property
 */
gboolean
gst_lmcc_property_parse (const GstLmccProperty *row, const gchar *text,
    gpointer settings, gchar **remedy)
{
  switch (row->kind) {
    case GST_LMCC_PROPERTY_BOOLEAN:
      if (parse_boolean (row, text, settings))
        return TRUE;
      *remedy = g_strdup (_ ("use true or false"));
      return FALSE;
    case GST_LMCC_PROPERTY_INT:
    case GST_LMCC_PROPERTY_UINT:
    case GST_LMCC_PROPERTY_UINT64:
      if (parse_number (row, text, settings))
        return TRUE;
      *remedy = describe_range (row);
      return FALSE;
    case GST_LMCC_PROPERTY_ENUM:
      if (gst_lmcc_property_find_nick (row, text,
              &MEMBER (gint, settings, row)))
        return TRUE;
      *remedy = describe_nicks (row);
      return FALSE;
    case GST_LMCC_PROPERTY_STRING:
      g_free (MEMBER (gchar *, settings, row));
      MEMBER (gchar *, settings, row) = g_strdup (text);
      return TRUE;
    default:
      g_return_val_if_reached (FALSE);
  }
}

static gchar *
format_enum (const GstLmccProperty *row, gconstpointer settings)
{
  GEnumClass *klass = g_type_class_ref (row->get_type ());
  const GEnumValue *value =
      g_enum_get_value (klass, MEMBER (gint, settings, row));
  gchar *text = g_strdup (value ? value->value_nick : "");

  g_type_class_unref (klass);
  return text;
}

/**
 * gst_lmcc_property_format:
 * @row: a property that URIs can set
 * @settings: settings with its value
 *
 * Returns: (transfer full): the value as gst_lmcc_property_parse() reads it
 */
gchar *
gst_lmcc_property_format (const GstLmccProperty *row, gconstpointer settings)
{
  const gchar *text;

  switch (row->kind) {
    case GST_LMCC_PROPERTY_BOOLEAN:
      return g_strdup (MEMBER (gboolean, settings, row) ? "true" : "false");
    case GST_LMCC_PROPERTY_INT:
      return g_strdup_printf ("%d", MEMBER (gint, settings, row));
    case GST_LMCC_PROPERTY_UINT:
      return g_strdup_printf ("%u", MEMBER (guint, settings, row));
    case GST_LMCC_PROPERTY_UINT64:
      return g_strdup_printf ("%" G_GUINT64_FORMAT,
          MEMBER (guint64, settings, row));
    case GST_LMCC_PROPERTY_ENUM:
      return format_enum (row, settings);
    case GST_LMCC_PROPERTY_STRING:
      text = MEMBER (gchar *, settings, row);
      return g_strdup (text ? text : "");
    default:
      g_return_val_if_reached (NULL);
  }
}

/**
 * gst_lmcc_property_is_default:
 * @row: a property that URIs can set
 * @settings: settings with its value
 *
 * Returns: whether a URI can omit it; no string counts as an empty one
 */
gboolean
gst_lmcc_property_is_default (const GstLmccProperty *row,
    gconstpointer settings)
{
  const gchar *text;

  switch (row->kind) {
    case GST_LMCC_PROPERTY_BOOLEAN:
    case GST_LMCC_PROPERTY_INT:
      return MEMBER (gint, settings, row) == row->number;
    case GST_LMCC_PROPERTY_UINT:
      return MEMBER (guint, settings, row) == row->number;
    case GST_LMCC_PROPERTY_UINT64:
      return MEMBER (guint64, settings, row) == (guint64) row->number;
    case GST_LMCC_PROPERTY_ENUM: {
      g_autofree gchar *nick = format_enum (row, settings);

      return g_str_equal (nick, row->text);
    }
    case GST_LMCC_PROPERTY_STRING:
      text = MEMBER (gchar *, settings, row);
      return g_strcmp0 (text ? text : "", row->text ? row->text : "") == 0;
    default:
      g_return_val_if_reached (TRUE);
  }
}
