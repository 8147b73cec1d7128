/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* An element's properties as a table. Each row defines the param spec, the
 * default, the setter, the getter, the copy and the representation in a URI. */
#include "config.h"

#include "common/properties.h"

#include <string.h>

#define MEMBER GST_LMCC_PROPERTY_MEMBER

/**
 * gst_lmcc_property_find_nick:
 * @row: row of an enum
 * @nick: nick of a value
 * @number: (inout): the value
 *
 * Returns: %FALSE if there is no such value; @number then stays unchanged
 */
gboolean
gst_lmcc_property_find_nick (const GstLmccProperty *row, const gchar *nick,
    gint *number)
{
  GEnumClass *klass = g_type_class_ref (row->get_type ());
  const GEnumValue *value = g_enum_get_value_by_nick (klass, nick);

  if (value)
    *number = value->value;
  g_type_class_unref (klass);
  return value != NULL;
}

static gint
get_default_enum (const GstLmccProperty *row)
{
  gint number = 0;

  if (!gst_lmcc_property_find_nick (row, row->text, &number))
    g_return_val_if_reached (0);
  return number;
}

static GParamSpec *
create_spec (const GstLmccProperty *row)
{
  GParamFlags flags = row->flags & ~GST_LMCC_PROPERTY_IN_URI;

  switch (row->kind) {
    case GST_LMCC_PROPERTY_BOOLEAN:
      return g_param_spec_boolean (row->name, row->nick, row->blurb,
          (gboolean) row->number, flags);
    case GST_LMCC_PROPERTY_INT:
      return g_param_spec_int (row->name, row->nick, row->blurb,
          (gint) row->min, (gint) row->max, (gint) row->number, flags);
    case GST_LMCC_PROPERTY_UINT:
      return g_param_spec_uint (row->name, row->nick, row->blurb,
          (guint) row->min, (guint) row->max, (guint) row->number, flags);
    case GST_LMCC_PROPERTY_UINT64:
      return g_param_spec_uint64 (row->name, row->nick, row->blurb,
          (guint64) row->min, row->max, (guint64) row->number, flags);
    case GST_LMCC_PROPERTY_DOUBLE:
      return g_param_spec_double (row->name, row->nick, row->blurb, row->least,
          row->most, row->real, flags);
    case GST_LMCC_PROPERTY_ENUM:
      return g_param_spec_enum (row->name, row->nick, row->blurb,
          row->get_type (), get_default_enum (row), flags);
    case GST_LMCC_PROPERTY_STRING:
      return g_param_spec_string (row->name, row->nick, row->blurb, row->text,
          flags);
    case GST_LMCC_PROPERTY_STRUCTURE:
      return g_param_spec_boxed (row->name, row->nick, row->blurb,
          GST_TYPE_STRUCTURE, flags);
    case GST_LMCC_PROPERTY_OBJECT:
      return g_param_spec_object (row->name, row->nick, row->blurb,
          row->get_type (), flags);
  }
  g_return_val_if_reached (NULL);
}

/**
 * gst_lmcc_properties_install:
 * @table: the properties
 * @klass: class of the element
 *
 * Installs all properties. The id of the first row is 1.
 */
void
gst_lmcc_properties_install (const GstLmccPropertyTable *table,
    GObjectClass *klass)
{
  guint i;

  for (i = 0; i < table->n_rows; i++)
    g_object_class_install_property (klass, i + 1,
        create_spec (&table->rows[i]));
}

static void
take_value (const GstLmccProperty *row, gpointer settings, const GValue *value)
{
  switch (row->kind) {
    case GST_LMCC_PROPERTY_BOOLEAN:
      MEMBER (gboolean, settings, row) = g_value_get_boolean (value);
      break;
    case GST_LMCC_PROPERTY_INT:
      MEMBER (gint, settings, row) = g_value_get_int (value);
      break;
    case GST_LMCC_PROPERTY_UINT:
      MEMBER (guint, settings, row) = g_value_get_uint (value);
      break;
    case GST_LMCC_PROPERTY_UINT64:
      MEMBER (guint64, settings, row) = g_value_get_uint64 (value);
      break;
    case GST_LMCC_PROPERTY_DOUBLE:
      MEMBER (gdouble, settings, row) = g_value_get_double (value);
      break;
    case GST_LMCC_PROPERTY_ENUM:
      MEMBER (gint, settings, row) = g_value_get_enum (value);
      break;
    case GST_LMCC_PROPERTY_STRING:
      g_free (MEMBER (gchar *, settings, row));
      MEMBER (gchar *, settings, row) = g_value_dup_string (value);
      break;
    case GST_LMCC_PROPERTY_STRUCTURE:
      gst_clear_structure (&MEMBER (GstStructure *, settings, row));
      MEMBER (GstStructure *, settings, row) = g_value_dup_boxed (value);
      break;
    case GST_LMCC_PROPERTY_OBJECT:
      g_set_object (&MEMBER (GObject *, settings, row),
          g_value_get_object (value));
      break;
  }
}

static void
give_value (const GstLmccProperty *row, gconstpointer settings, GValue *value)
{
  switch (row->kind) {
    case GST_LMCC_PROPERTY_BOOLEAN:
      g_value_set_boolean (value, MEMBER (gboolean, settings, row));
      break;
    case GST_LMCC_PROPERTY_INT:
      g_value_set_int (value, MEMBER (gint, settings, row));
      break;
    case GST_LMCC_PROPERTY_UINT:
      g_value_set_uint (value, MEMBER (guint, settings, row));
      break;
    case GST_LMCC_PROPERTY_UINT64:
      g_value_set_uint64 (value, MEMBER (guint64, settings, row));
      break;
    case GST_LMCC_PROPERTY_DOUBLE:
      g_value_set_double (value, MEMBER (gdouble, settings, row));
      break;
    case GST_LMCC_PROPERTY_ENUM:
      g_value_set_enum (value, MEMBER (gint, settings, row));
      break;
    case GST_LMCC_PROPERTY_STRING:
      g_value_set_string (value, MEMBER (gchar *, settings, row));
      break;
    case GST_LMCC_PROPERTY_STRUCTURE:
      g_value_set_boxed (value, MEMBER (GstStructure *, settings, row));
      break;
    case GST_LMCC_PROPERTY_OBJECT:
      g_value_set_object (value, MEMBER (GObject *, settings, row));
      break;
  }
}

/* %NULL if the property is computed, or not in the table. */
static const GstLmccProperty *
find_kept (const GstLmccPropertyTable *table, guint id)
{
  g_return_val_if_fail (id > 0 && id <= table->n_rows, NULL);

  return table->rows[id - 1].computed ? NULL : &table->rows[id - 1];
}

/**
 * gst_lmcc_properties_set:
 * @table: the properties
 * @settings: the element's settings
 * @id: id of the property
 * @value: its new value
 *
 * Returns: %FALSE if it is computed
 */
gboolean
gst_lmcc_properties_set (const GstLmccPropertyTable *table, gpointer settings,
    guint id, const GValue *value)
{
  const GstLmccProperty *row = find_kept (table, id);

  if (row)
    take_value (row, settings, value);
  return row != NULL;
}

/**
 * gst_lmcc_properties_get:
 * @table: the properties
 * @settings: the element's settings
 * @id: id of the property
 * @value: (inout): gets its value
 *
 * Returns: %FALSE if it is computed
 */
gboolean
gst_lmcc_properties_get (const GstLmccPropertyTable *table,
    gconstpointer settings, guint id, GValue *value)
{
  const GstLmccProperty *row = find_kept (table, id);

  if (row)
    give_value (row, settings, value);
  return row != NULL;
}

static void
init_member (const GstLmccProperty *row, gpointer settings)
{
  switch (row->kind) {
    case GST_LMCC_PROPERTY_BOOLEAN:
    case GST_LMCC_PROPERTY_INT:
      MEMBER (gint, settings, row) = (gint) row->number;
      break;
    case GST_LMCC_PROPERTY_UINT:
      MEMBER (guint, settings, row) = (guint) row->number;
      break;
    case GST_LMCC_PROPERTY_UINT64:
      MEMBER (guint64, settings, row) = (guint64) row->number;
      break;
    case GST_LMCC_PROPERTY_DOUBLE:
      MEMBER (gdouble, settings, row) = row->real;
      break;
    case GST_LMCC_PROPERTY_ENUM:
      MEMBER (gint, settings, row) = get_default_enum (row);
      break;
    case GST_LMCC_PROPERTY_STRING:
      MEMBER (gchar *, settings, row) = g_strdup (row->text);
      break;
    case GST_LMCC_PROPERTY_STRUCTURE:
    case GST_LMCC_PROPERTY_OBJECT:
      break;
  }
}

/**
 * gst_lmcc_properties_init:
 * @table: the properties
 * @settings: (out caller-allocates): gets the defaults; all other members are
 *     zeroed
 */
void
gst_lmcc_properties_init (const GstLmccPropertyTable *table, gpointer settings)
{
  guint i;

  memset (settings, 0, table->size);
  for (i = 0; i < table->n_rows; i++) {
    if (!table->rows[i].computed)
      init_member (&table->rows[i], settings);
  }
}

/**
 * gst_lmcc_property_copy:
 * @row: a property that is not computed
 * @from: settings
 * @to: (inout): settings with another value of it
 */
void
gst_lmcc_property_copy (const GstLmccProperty *row, gconstpointer from,
    gpointer to)
{
  GstStructure *structure;

  switch (row->kind) {
    case GST_LMCC_PROPERTY_BOOLEAN:
    case GST_LMCC_PROPERTY_INT:
    case GST_LMCC_PROPERTY_ENUM:
      MEMBER (gint, to, row) = MEMBER (gint, from, row);
      break;
    case GST_LMCC_PROPERTY_UINT:
      MEMBER (guint, to, row) = MEMBER (guint, from, row);
      break;
    case GST_LMCC_PROPERTY_UINT64:
      MEMBER (guint64, to, row) = MEMBER (guint64, from, row);
      break;
    case GST_LMCC_PROPERTY_DOUBLE:
      MEMBER (gdouble, to, row) = MEMBER (gdouble, from, row);
      break;
    case GST_LMCC_PROPERTY_STRING:
      g_free (MEMBER (gchar *, to, row));
      MEMBER (gchar *, to, row) = g_strdup (MEMBER (gchar *, from, row));
      break;
    case GST_LMCC_PROPERTY_STRUCTURE:
      structure = MEMBER (GstStructure *, from, row);
      gst_clear_structure (&MEMBER (GstStructure *, to, row));
      if (structure)
        MEMBER (GstStructure *, to, row) = gst_structure_copy (structure);
      break;
    case GST_LMCC_PROPERTY_OBJECT:
      g_set_object (&MEMBER (GObject *, to, row),
          MEMBER (GObject *, from, row));
      break;
  }
}

/**
 * gst_lmcc_properties_copy:
 * @table: the properties
 * @from: settings
 * @to: (out caller-allocates): a copy with its own strings and structures, and
 *     references to objects
 */
void
gst_lmcc_properties_copy (const GstLmccPropertyTable *table, gconstpointer from,
    gpointer to)
{
  guint i;

  memset (to, 0, table->size);
  for (i = 0; i < table->n_rows; i++) {
    if (!table->rows[i].computed)
      gst_lmcc_property_copy (&table->rows[i], from, to);
  }
}

/**
 * gst_lmcc_properties_clear:
 * @table: the properties
 * @settings: settings; strings and structures are freed, objects unreferenced
 */
void
gst_lmcc_properties_clear (const GstLmccPropertyTable *table, gpointer settings)
{
  guint i;

  for (i = 0; i < table->n_rows; i++) {
    const GstLmccProperty *row = &table->rows[i];

    if (row->computed)
      continue;
    if (row->kind == GST_LMCC_PROPERTY_STRING)
      g_clear_pointer (&MEMBER (gchar *, settings, row), g_free);
    else if (row->kind == GST_LMCC_PROPERTY_STRUCTURE)
      gst_clear_structure (&MEMBER (GstStructure *, settings, row));
    else if (row->kind == GST_LMCC_PROPERTY_OBJECT)
      g_clear_object (&MEMBER (GObject *, settings, row));
  }
}
