/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fuzzes URIs and settings. The first byte chooses: the rest is a URI as it
 * is, or selects good and bad parts of one, or settings. A parsed URI is
 * formatted and parsed again, with the same result.
 */
#include "fuzz.h"

#include <string.h>

#include <plugins/lmcc/sink/settings.h>
#include <plugins/lmcc/src/settings.h>

#define CHOOSE(bytes, values) \
  ((values)[take_byte (bytes) % G_N_ELEMENTS (values)])

static const gchar *const addresses[] = {
  "239.255.42.1",
  "232.1.2.3",
  "ff3e::8000:1",
  "ff12::1",
  "10.0.0.1",
  "::1",
  "fe80::1%eth0",
  "239.255.42",
  "",
  "host",
};

static const gchar *const values[] = {
  "",
  "-1",
  "0",
  "1",
  "63",
  "64",
  "65534",
  "4294967295",
  "4294967296",
  "18446744073709551615",
  "1000",
  "60000000000",
  "60000000001",
  "elm",
  "next",
  "eth0",
  "a b",
  "a&b",
  "a=b",
  "%41",
  "%00",
  "%zz",
  "%",
  "#",
  "\xc3\xa4",
  "+",
  "fixed",
  "join",
  "freeze",
  "auto",
  "ask",
  "60000",
};

static const gchar *const keys[] = {
  "max-level",
  "max-bitrate",
  "latency",
  "algorithm",
  "multicast-iface",
  "on-loss",
  "rtt-mode",
  "rtt",
  "source-policy",
  "max-memory",
  "eos-on-bye",
  "ttl-mc",
  "codecs",
  "x",
  "",
  "max%2dlevel",
};

static void
check_same_text (gconstpointer a, gconstpointer b, gsize offset)
{
  g_assert_cmpstr (G_STRUCT_MEMBER (gchar *, a, offset), ==,
      G_STRUCT_MEMBER (gchar *, b, offset));
}

static void
check_same (const GstLmccUriForm *form, gconstpointer a, gconstpointer b)
{
  const GstLmccPropertyTable *table = form->table;
  guint i;

  check_same_text (a, b, form->address);
  check_same_text (a, b, form->source);
  g_assert_cmpint (G_STRUCT_MEMBER (gint, a, form->port), ==,
      G_STRUCT_MEMBER (gint, b, form->port));
  for (i = 0; i < table->n_rows; i++) {
    const GstLmccProperty *row = &table->rows[i];
    g_autofree gchar *one = NULL, *other = NULL;

    if (!(row->flags & GST_LMCC_PROPERTY_IN_URI))
      continue;
    one = gst_lmcc_property_format (row, a);
    other = gst_lmcc_property_format (row, b);
    g_assert_cmpstr (one, ==, other);
  }
}

static void
check_form (const GstLmccUriForm *form, const gchar *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstLmccUri) uri = gst_lmcc_uri_parse (form, text, &error);
  g_autoptr (GstLmccUri) again = NULL;
  g_autofree gchar *formatted = NULL, *last = NULL;

  if (uri == NULL) {
    g_assert_nonnull (error);
    g_assert_true (g_utf8_validate (error->message, -1, NULL));
    return;
  }
  g_assert_no_error (error);
  formatted = gst_lmcc_uri_format (form, uri->settings);
  again = gst_lmcc_uri_parse (form, formatted, &error);
  g_assert_no_error (error);
  check_same (form, uri->settings, again->settings);
  last = gst_lmcc_uri_format (form, again->settings);
  g_assert_cmpstr (formatted, ==, last);
}

/* For a receiver and for a sender. */
static void
check_text (const gchar *text)
{
  check_form (&gst_lmcc_src_uri_form, text);
  check_form (&gst_lmcc_sink_uri_form, text);
}

static void
make_text (Bytes *bytes)
{
  GString *text = g_string_new ("lmcc://");
  guint8 how = take_byte (bytes);
  const gchar *group;
  guint n = how & 7;

  if (how & 8)
    g_string_append_printf (text, how & 16 ? "[%s]@" : "%s@",
        CHOOSE (bytes, addresses));
  group = CHOOSE (bytes, addresses);
  g_string_append_printf (text, strchr (group, ':') != NULL ? "[%s]" : "%s",
      group);
  if (how & 32)
    g_string_append_printf (text, ":%s", CHOOSE (bytes, values));
  if (how & 64)
    g_string_append_c (text, '/');
  while (n-- > 0)
    g_string_append_printf (text, "%c%s=%s",
        strchr (text->str, '?') ? '&' : '?', CHOOSE (bytes, keys),
        CHOOSE (bytes, values));
  check_text (text->str);
  g_string_free (text, TRUE);
}

/* Values that properties of an element may have. */
static void
make_settings (Bytes *bytes)
{
  const GstLmccPropertyTable *table = &gst_lmcc_src_properties;
  GstLmccSrcSettings settings;
  g_autofree gchar *name = g_utf8_make_valid ((const gchar *) bytes->data,
      (gssize) MIN (bytes->size, 64));
  g_autofree gchar *text = NULL;
  g_autoptr (GstLmccUri) parsed = NULL;
  g_autoptr (GError) error = NULL;
  guint n = take_byte (bytes) & 15;

  gst_lmcc_properties_init (table, &settings);
  g_free (settings.address);
  settings.address = g_strdup (addresses[take_byte (bytes) & 3]);
  settings.multicast_iface = g_steal_pointer (&name);
  while (n-- > 0) {
    gint row = gst_lmcc_properties_find_in_uri (table, CHOOSE (bytes, keys));
    g_autofree gchar *remedy = NULL;

    if (row >= 0)
      gst_lmcc_property_parse (&table->rows[row], CHOOSE (bytes, values),
          &settings, &remedy);
  }
  text = gst_lmcc_uri_format (&gst_lmcc_src_uri_form, &settings);
  parsed = gst_lmcc_uri_parse (&gst_lmcc_src_uri_form, text, &error);
  g_assert_no_error (error);
  check_same (&gst_lmcc_src_uri_form, parsed->settings, &settings);
  gst_lmcc_properties_clear (table, &settings);
}

/* Enumeration types need gst_init(). It must not search for plugins, because
 * no registry can be written there. */
static void
init_gstreamer (void)
{
  static gsize done = 0;

  if (g_once_init_enter (&done)) {
    g_setenv ("GST_PLUGIN_PATH_1_0", "", TRUE);
    g_setenv ("GST_PLUGIN_SYSTEM_PATH_1_0", "", TRUE);
    g_setenv ("GST_REGISTRY_1_0", "/proc/none", TRUE);
    gst_init (NULL, NULL);
    g_once_init_leave (&done, 1);
  }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  Bytes bytes = { data, size };

  init_gstreamer ();
  switch (take_byte (&bytes) & 3) {
    case 0:
      make_settings (&bytes);
      break;
    case 1: {
      g_autofree gchar *text =
          g_strndup ((const gchar *) bytes.data, bytes.size);

      check_text (text);
      break;
    }
    default:
      make_text (&bytes);
  }

  return 0;
}
