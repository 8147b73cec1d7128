/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The first byte chooses: the rest is a URI as it is, or makes one of good
 * parts and bad ones, or makes settings. What is parsed is formatted and parsed
 * again, and says the same.
 */
#include "fuzz.h"

#include <string.h>

#include <plugins/lmcc/src/uri.h>

#define CHOOSE(bytes, values) \
    ((values)[take_byte (bytes) % G_N_ELEMENTS (values)])

static const gchar *const addresses[] = {
  "239.255.42.1", "232.1.2.3", "ff3e::8000:1", "ff12::1", "10.0.0.1", "::1",
  "fe80::1%eth0", "239.255.42", "", "host",
};

static const gchar *const values[] = {
  "", "-1", "0", "1", "63", "64", "65534", "4294967295", "4294967296",
  "18446744073709551615", "1000", "60000000000", "60000000001", "elm", "next",
  "eth0", "a b", "a&b", "a=b", "%41", "%00", "%zz", "%", "#", "\xc3\xa4", "+",
  "fixed",
};

static const gchar *const keys[] = {
  "max-level", "max-bitrate", "latency", "algorithm", "multicast-iface",
  "on-loss", "rtt-mode", "rtt", "source-policy", "max-memory", "codecs", "x",
  "", "max%2dlevel",
};

static void
check_same (const GstLmccUri * a, const GstLmccUri * b)
{
  g_assert_cmpuint (a->flags, ==, b->flags);
  g_assert_cmpstr (a->address, ==, b->address);
  g_assert_cmpuint (a->port, ==, b->port);
  g_assert_cmpstr (a->source, ==, b->source);
  g_assert_cmpint (a->max_level, ==, b->max_level);
  g_assert_cmpuint (a->max_bitrate, ==, b->max_bitrate);
  g_assert_cmpuint (a->latency, ==, b->latency);
  g_assert_cmpstr (a->algorithm, ==, b->algorithm);
  g_assert_cmpstr (a->multicast_iface, ==, b->multicast_iface);
  g_assert_cmpstr (a->on_loss, ==, b->on_loss);
  g_assert_cmpstr (a->rtt_mode, ==, b->rtt_mode);
  g_assert_cmpuint (a->rtt, ==, b->rtt);
}

static void
check_text (const gchar * text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstLmccUri) uri = gst_lmcc_uri_parse (text, &error);
  g_autoptr (GstLmccUri) again = NULL;
  g_autofree gchar *formatted = NULL, *last = NULL;

  if (uri == NULL) {
    g_assert_nonnull (error);
    g_assert_true (g_utf8_validate (error->message, -1, NULL));
    return;
  }
  g_assert_no_error (error);
  formatted = gst_lmcc_uri_format (uri);
  again = gst_lmcc_uri_parse (formatted, &error);
  g_assert_no_error (error);
  check_same (uri, again);
  last = gst_lmcc_uri_format (again);
  g_assert_cmpstr (formatted, ==, last);
}

static void
make_text (Bytes * bytes)
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
    g_string_append_printf (text, "%c%s=%s", strchr (text->str,
            '?') ? '&' : '?', CHOOSE (bytes, keys), CHOOSE (bytes, values));
  check_text (text->str);
  g_string_free (text, TRUE);
}

/* What an element's properties may say. */
static void
make_settings (Bytes * bytes)
{
  g_autofree gchar *name = g_utf8_make_valid ((const gchar *) bytes->data,
      (gssize) MIN (bytes->size, 64));
  GstLmccUri uri = {.port = 5004,.max_level = -1,.rtt = GST_LMCC_DEFAULT_RTT };
  g_autofree gchar *text = NULL;
  g_autoptr (GstLmccUri) parsed = NULL;
  g_autoptr (GError) error = NULL;
  guint8 how = take_byte (bytes);

  uri.flags = take_byte (bytes) | (how & 1) << 8;
  uri.flags &= ~(guint) GST_LMCC_URI_SOURCE;
  uri.address = (gchar *) addresses[how >> 1 & 3];
  uri.algorithm = uri.multicast_iface = name;
  uri.on_loss = uri.rtt_mode = (gchar *) CHOOSE (bytes, values);
  if (!(uri.flags & GST_LMCC_URI_RTT))
    uri.rtt = 0;
  text = gst_lmcc_uri_format (&uri);
  parsed = gst_lmcc_uri_parse (text, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (parsed->flags, ==, uri.flags);
  g_assert_cmpstr (parsed->address, ==, uri.address);
  if (uri.flags & GST_LMCC_URI_ALGORITHM)
    g_assert_cmpstr (parsed->algorithm, ==, name);
}

int
LLVMFuzzerTestOneInput (const guint8 * data, gsize size)
{
  Bytes bytes = { data, size };

  switch (take_byte (&bytes) & 3) {
    case 0:
      make_settings (&bytes);
      break;
    case 1:{
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
