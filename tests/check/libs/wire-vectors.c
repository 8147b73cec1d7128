/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/lmcc.h>

static GByteArray *
from_hex (const gchar * hex)
{
  GByteArray *bytes = g_byte_array_new ();

  for (; *hex != '\0'; hex += 2) {
    guint8 byte;

    fail_unless (g_ascii_isxdigit (hex[0]) && g_ascii_isxdigit (hex[1]));
    byte = g_ascii_xdigit_value (hex[0]) << 4 | g_ascii_xdigit_value (hex[1]);
    g_byte_array_append (bytes, &byte, 1);
  }

  return bytes;
}

static gchar *
describe_rtp (const GByteArray * bytes)
{
  LmccHeader h;
  LmccRtp rtp;

  if (!lmcc_rtp_parse (bytes->data, bytes->len, 1, &rtp))
    return g_strdup ("refused");
  if (rtp.element == NULL)
    return g_strdup ("no-element");
  if (!lmcc_header_parse (rtp.element, rtp.element_size, &h))
    return g_strdup ("unknown-element");

  return g_strdup_printf ("marker=%d pt=%u seq=%u timestamp=%u ssrc=%08x "
      "payload=%u type=%u first=%d last=%d more=%d layer=%u switch=%d burst=%d "
      "top=%u table=%u stream=%u class=%u slot=%u signal=%d anchor=%u lsn=%u "
      "osn=%u time=%u", rtp.marker, rtp.payload_type, rtp.sequence,
      rtp.timestamp, rtp.ssrc, (guint) rtp.payload_size, h.type, h.first,
      h.last, h.more, h.layer, h.switch_point, h.burst, h.top_layer, h.table,
      h.stream, h.klass, h.slot, h.signal, h.anchor, h.lsn, h.osn, h.send_time);
}

static void
on_report (gpointer user_data, const LmccSenderReport * report)
{
  g_string_append_printf (user_data, " sr=%08x/%016" G_GINT64_MODIFIER
      "x/%u/%u/%u", report->ssrc, report->ntp_time, report->rtp_time,
      report->packets, report->octets);
}

static void
on_record (gpointer user_data, const LmccRecordFragment * fragment)
{
  g_string_append_printf (user_data, " record=%08x/%u/%u/%u/%u",
      fragment->ssrc, fragment->version, fragment->index, fragment->count,
      (guint) fragment->size);
}

static void
on_bye (gpointer user_data, guint32 ssrc)
{
  g_string_append_printf (user_data, " bye=%08x", ssrc);
}

static gchar *
describe_rtcp (const GByteArray * bytes)
{
  static const LmccRtcpHandler handler = { on_report, on_record, on_bye };
  GString *text = g_string_new (NULL);

  if (!lmcc_rtcp_parse (bytes->data, bytes->len, &handler, text))
    g_string_assign (text, " refused");
  g_string_erase (text, 0, 1);

  return g_string_free (text, FALSE);
}

static gchar *
describe_sdp (const GByteArray * bytes)
{
  gchar address[LMCC_ADDRESS_STRLEN], source[LMCC_ADDRESS_STRLEN];
  GString *text = g_string_new (NULL);
  LmccSession s;
  guint i;

  fail_unless (lmcc_sdp_parse ((const gchar *) bytes->data, bytes->len, &s,
          NULL));
  g_string_append_printf (text, "version=%u revision=%u ssrc=%08x address=%s "
      "port=%u source=%s groups=%u rungs=%u layers=", s.version, s.revision,
      s.ssrc_base, lmcc_address_format (&s.address, address), s.port,
      lmcc_address_format (&s.source, source), s.n_groups, s.n_rungs);
  for (i = 0; i < s.n_layers; i++)
    g_string_append_printf (text, "%s%" G_GUINT64_FORMAT ":%u.%u",
        i > 0 ? "," : "", s.layers[i].rate, s.layers[i].stream,
        s.layers[i].klass);
  g_string_append_printf (text, " latency=%" G_GUINT64_FORMAT " algorithm=%s",
      s.latency, s.algorithm);

  return g_string_free (text, FALSE);
}

GST_START_TEST (the_library_agrees_with_every_vector)
{
  const gchar *directory = g_getenv ("LMCC_TEST_DATA");
  g_autofree gchar *path = NULL, *text = NULL;
  g_auto (GStrv) lines = NULL;
  guint i, n_vectors = 0;

  fail_unless (directory != NULL, "LMCC_TEST_DATA names no directory");
  path = g_build_filename (directory, "wire-vectors.txt", NULL);
  fail_unless (g_file_get_contents (path, &text, NULL, NULL), "%s", path);
  lines = g_strsplit (text, "\n", -1);

  for (i = 0; lines[i] != NULL; i++) {
    g_auto (GStrv) parts = g_strsplit (lines[i], " ", 4);
    g_autoptr (GByteArray) bytes = NULL;
    g_autofree gchar *got = NULL;

    if (lines[i][0] == '#' || lines[i][0] == '\0')
      continue;
    fail_unless_equals_int (g_strv_length (parts), 4);
    bytes = from_hex (parts[2]);
    if (g_str_equal (parts[0], "rtp"))
      got = describe_rtp (bytes);
    else if (g_str_equal (parts[0], "rtcp"))
      got = describe_rtcp (bytes);
    else if (g_str_equal (parts[0], "sdp"))
      got = describe_sdp (bytes);
    fail_unless (g_strcmp0 (got, parts[3]) == 0, "%s:\n%s\n%s", parts[1],
        parts[3], got);
    n_vectors++;
  }
  fail_unless (n_vectors >= 12);
}

GST_END_TEST;

static Suite *
wire_vectors_suite (void)
{
  Suite *suite = suite_create ("wire-vectors");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, the_library_agrees_with_every_vector);

  return suite;
}

GST_CHECK_MAIN (wire_vectors);
