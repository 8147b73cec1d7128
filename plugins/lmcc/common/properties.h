/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_LMCC_PROPERTIES_H
#define GST_LMCC_PROPERTIES_H

#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * GstLmccPropertyKind:
 *
 * The type of a property and of the member that stores it: #gboolean, #gint, #guint,
 * #guint64, #gdouble, #gint, #gchararray, #GstStructure and #GObject.
 */
typedef enum
{
  GST_LMCC_PROPERTY_BOOLEAN,
  GST_LMCC_PROPERTY_INT,
  GST_LMCC_PROPERTY_UINT,
  GST_LMCC_PROPERTY_UINT64,
  GST_LMCC_PROPERTY_DOUBLE,
  GST_LMCC_PROPERTY_ENUM,
  GST_LMCC_PROPERTY_STRING,
  GST_LMCC_PROPERTY_STRUCTURE,
  GST_LMCC_PROPERTY_OBJECT,
} GstLmccPropertyKind;

/**
 * GstLmccProperty:
 * @name: name, as in gst-launch-1.0
 * @nick: name in words
 * @blurb: description in gst-inspect-1.0, with the unit
 * @flags: access rights, and the states in which it can be set
 * @kind: type
 * @offset: offset of the member that stores it, in the element's settings
 * @min: minimum of an integer
 * @max: maximum of an integer
 * @number: default of an integer or a boolean
 * @least: minimum of a #gdouble
 * @most: maximum of a #gdouble
 * @real: default of a #gdouble
 * @text: (nullable): default of a string, or the nick of an enum's default
 * @get_type: type of an enum or an object
 * @computed: whether no member stores it, so that the element gets and sets it
 *
 * The description of one property of an element. The ids are the row numbers of the
 * table, from 1.
 */
typedef struct
{
  const gchar *name;
  const gchar *nick;
  const gchar *blurb;
  GParamFlags flags;
  GstLmccPropertyKind kind;
  gsize offset;
  gint64 min;
  guint64 max;
  gint64 number;
  gdouble least;
  gdouble most;
  gdouble real;
  const gchar *text;
  GType (*get_type) (void);
  gboolean computed;
} GstLmccProperty;

/**
 * GstLmccPropertyTable:
 * @rows: (array length=n_rows): the properties
 * @n_rows: number of properties, at most 64
 * @size: size in bytes of the structure with the members
 *
 * All properties of an element.
 */
typedef struct
{
  const GstLmccProperty *rows;
  guint n_rows;
  gsize size;
} GstLmccPropertyTable;

/* Flags for properties that can be set before the element starts, or at any time. */
#define GST_LMCC_PROPERTY_READY \
  (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)
#define GST_LMCC_PROPERTY_PLAYING \
  (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)
/* A URI can set the property. */
#define GST_LMCC_PROPERTY_IN_URI (GST_PARAM_USER_SHIFT << 1)
#define GST_LMCC_PROPERTY_READABLE (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

/*
 * Initializers for the rows of a table. The file with the table defines SETTINGS as the
 * structure with the members. The compiler warns if a member has another type.
 */
#define GST_LMCC_PROPERTY_AT(member, Type) \
  (G_STRUCT_OFFSET (SETTINGS, member)      \
      + 0 * sizeof (TRUE ? &((SETTINGS *) NULL)->member : (Type *) NULL))

#define GST_LMCC_BOOLEAN(member, name_, nick_, blurb_, default_, flags_) \
  {                                                                      \
    .name = name_, .nick = nick_, .blurb = blurb_, .flags = flags_,      \
    .kind = GST_LMCC_PROPERTY_BOOLEAN, .number = default_,               \
    .offset = GST_LMCC_PROPERTY_AT (member, gboolean)                    \
  }

#define GST_LMCC_INT(member, name_, nick_, blurb_, min_, max_, default_, \
    flags_)                                                              \
  {                                                                      \
    .name = name_, .nick = nick_, .blurb = blurb_, .flags = flags_,      \
    .kind = GST_LMCC_PROPERTY_INT, .min = min_, .max = max_,             \
    .number = default_, .offset = GST_LMCC_PROPERTY_AT (member, gint)    \
  }

#define GST_LMCC_UINT(member, name_, nick_, blurb_, min_, max_, default_, \
    flags_)                                                               \
  {                                                                       \
    .name = name_, .nick = nick_, .blurb = blurb_, .flags = flags_,       \
    .kind = GST_LMCC_PROPERTY_UINT, .min = min_, .max = max_,             \
    .number = default_, .offset = GST_LMCC_PROPERTY_AT (member, guint)    \
  }

#define GST_LMCC_UINT64(member, name_, nick_, blurb_, min_, max_, default_, \
    flags_)                                                                 \
  {                                                                         \
    .name = name_, .nick = nick_, .blurb = blurb_, .flags = flags_,         \
    .kind = GST_LMCC_PROPERTY_UINT64, .min = min_, .max = max_,             \
    .number = default_, .offset = GST_LMCC_PROPERTY_AT (member, guint64)    \
  }

#define GST_LMCC_DOUBLE(member, name_, nick_, blurb_, min_, max_, default_, \
    flags_)                                                                 \
  {                                                                         \
    .name = name_, .nick = nick_, .blurb = blurb_, .flags = flags_,         \
    .kind = GST_LMCC_PROPERTY_DOUBLE, .least = min_, .most = max_,          \
    .real = default_, .offset = GST_LMCC_PROPERTY_AT (member, gdouble)      \
  }

#define GST_LMCC_ENUM(member, name_, nick_, blurb_, get_type_, default_,     \
    flags_)                                                                  \
  {                                                                          \
    .name = name_, .nick = nick_, .blurb = blurb_, .flags = flags_,          \
    .kind = GST_LMCC_PROPERTY_ENUM, .get_type = get_type_, .text = default_, \
    .offset = GST_LMCC_PROPERTY_AT (member, gint)                            \
  }

#define GST_LMCC_STRING(member, name_, nick_, blurb_, default_, flags_) \
  {                                                                     \
    .name = name_, .nick = nick_, .blurb = blurb_, .flags = flags_,     \
    .kind = GST_LMCC_PROPERTY_STRING, .text = default_,                 \
    .offset = GST_LMCC_PROPERTY_AT (member, gchar *)                    \
  }

#define GST_LMCC_STRUCTURE(member, name_, nick_, blurb_, flags_)    \
  {                                                                 \
    .name = name_, .nick = nick_, .blurb = blurb_, .flags = flags_, \
    .kind = GST_LMCC_PROPERTY_STRUCTURE,                            \
    .offset = GST_LMCC_PROPERTY_AT (member, GstStructure *)         \
  }

#define GST_LMCC_OBJECT(member, name_, nick_, blurb_, get_type_, flags_) \
  {                                                                      \
    .name = name_, .nick = nick_, .blurb = blurb_, .flags = flags_,      \
    .kind = GST_LMCC_PROPERTY_OBJECT, .get_type = get_type_,             \
    .offset = GST_LMCC_PROPERTY_AT (member, GObject *)                   \
  }

#define GST_LMCC_COMPUTED(kind_, name_, nick_, blurb_, min_, max_, default_, \
    flags_)                                                                  \
  {                                                                          \
    .name = name_, .nick = nick_, .blurb = blurb_, .flags = flags_,          \
    .kind = GST_LMCC_PROPERTY_##kind_, .computed = TRUE, .min = min_,        \
    .max = max_, .number = default_                                          \
  }

/* The member that keeps the property of @row. */
#define GST_LMCC_PROPERTY_MEMBER(Type, settings, row) \
  G_STRUCT_MEMBER (Type, settings, (row)->offset)

void gst_lmcc_properties_install (const GstLmccPropertyTable *table,
    GObjectClass *klass);
gboolean gst_lmcc_properties_set (const GstLmccPropertyTable *table,
    gpointer settings, guint id, const GValue *value);
gboolean gst_lmcc_properties_get (const GstLmccPropertyTable *table,
    gconstpointer settings, guint id, GValue *value);

void
gst_lmcc_properties_init (const GstLmccPropertyTable *table, gpointer settings);
void gst_lmcc_properties_copy (const GstLmccPropertyTable *table,
    gconstpointer from, gpointer to);
void gst_lmcc_properties_clear (const GstLmccPropertyTable *table,
    gpointer settings);
gboolean gst_lmcc_property_find_nick (const GstLmccProperty *row,
    const gchar *nick, gint *number);
void gst_lmcc_property_copy (const GstLmccProperty *row, gconstpointer from,
    gpointer to);

/* common/property-text.c */
gint gst_lmcc_properties_find_in_uri (const GstLmccPropertyTable *table,
    const gchar *name);
gboolean gst_lmcc_property_is_default (const GstLmccProperty *row,
    gconstpointer settings);
gboolean gst_lmcc_property_parse (const GstLmccProperty *row, const gchar *text,
    gpointer settings, gchar **remedy);
gchar *
gst_lmcc_property_format (const GstLmccProperty *row, gconstpointer settings);

G_END_DECLS

#endif
