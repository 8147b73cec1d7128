/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compares the library's parsers and builders with the test vectors of an
 * independent implementation.
 */
#include <gst/check/gstcheck.h>
#include <gst/lmcc/control/single-rate/pgmcc-wire.h>
#include <gst/lmcc/control/single-rate/tfmcc-wire.h>
#include <gst/lmcc/lmcc.h>
#include <gst/lmcc/repair/encoder.h>
#include <gst/lmcc/repair/payload.h>
#include <gst/lmcc/wire/algorithm-element.h>
#include <gst/lmcc/wire/join-notice.h>
#include <gst/lmcc/wire/address-claim.h>
#include <gst/lmcc/wire/key-request.h>
#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtcp.h>
#include <gst/lmcc/wire/rtp.h>

#include <string.h>
#include "support/test-block.h"

static GByteArray *
from_hex (const gchar *hex)
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

static void
describe_pgmcc (GString *text, const LmccRtp *rtp)
{
  guint8 again[LMCC_PGMCC_ELEMENT_SIZE];
  LmccPgmccElement p;

  if (!lmcc_pgmcc_element_parse (rtp->second, rtp->second_size, &p))
    return;
  g_string_append_printf (text, " elicit=%d", p.elicit);
  if (p.has_acker)
    g_string_append_printf (text, " acker=%08x", p.acker);
  if (p.confirms)
    g_string_append_printf (text, " confirmed=%u", p.confirmed_loss);
  g_string_append_printf (text, " nak_wait=%g",
      p.nak_wait / (gdouble) LMCC_MSECOND);
  if (p.has_rtt)
    g_string_append_printf (text, " pgmcc_rtt=%g",
        p.rtt / (gdouble) LMCC_MSECOND);
  lmcc_pgmcc_element_write (&p, again);
  fail_unless (memcmp (again, rtp->second, sizeof (again)) == 0);
}

static void
describe_tfmcc (GString *text, const LmccRtp *rtp)
{
  guint8 again[LMCC_TFMCC_ELEMENT_SIZE];
  LmccTfmccElement t;

  if (!lmcc_tfmcc_element_parse (rtp->second, rtp->second_size, &t))
    return;
  g_string_append_printf (text, " round=%u", t.round);
  if (t.has_receiver)
    g_string_append_printf (text, " limiting=%d receiver=%08x", t.is_limiting,
        t.receiver);
  g_string_append_printf (text, " x_supp=%.0f", t.suppression_rate);
  if (t.has_receiver)
    g_string_append_printf (text, " echo=%u", t.echoed_time);
  g_string_append_printf (text, " r_max=%g",
      t.rtt_max / (gdouble) LMCC_MSECOND);
  lmcc_tfmcc_element_write (&t, again);
  fail_unless (memcmp (again, rtp->second, sizeof (again)) == 0);
}

static void
describe_second (GString *text, const LmccRtp *rtp, guint top_layer)
{
  const gchar *separator = " up=";
  guint64 levels;
  guint i;

  if (rtp->second == NULL)
    return;
  g_string_append_printf (text, " kind=%u", rtp->second[0]);
  describe_pgmcc (text, rtp);
  describe_tfmcc (text, rtp);
  if (lmcc_place_parse (rtp->second, rtp->second_size) != 0)
    g_string_append_printf (text, " place=%d",
        lmcc_place_parse (rtp->second, rtp->second_size));
  if (!lmcc_synchronized_parse (rtp->second, rtp->second_size, top_layer,
          &levels))
    return;
  for (i = 0; i < LMCC_MAX_LAYERS; i++) {
    if (levels >> i & 1) {
      g_string_append_printf (text, "%s%u", separator, i);
      separator = ",";
    }
  }
}

static void
describe_repair (GString *text, const guint8 *data, gsize size)
{
  LmccRepairPayload p;

  if (lmcc_repair_payload_parse (data, size, &p))
    g_string_append_printf (text,
        " repairs=%u b=%u k=%u d=%u index=%u r=%u "
        "carriers=%02x end=%u symbol=%u",
        p.source, p.first, p.n_source, p.step, p.index, p.n_repair, p.carriers,
        p.end, p.symbol_size);
}

static gchar *
describe_rtp (const GByteArray *bytes)
{
  GString *text;
  LmccHeader h;
  LmccRtp rtp;

  if (!lmcc_rtp_parse (bytes->data, bytes->len, 1, &rtp))
    return g_strdup ("refused");
  if (rtp.element == NULL)
    return g_strdup ("no-element");
  if (!lmcc_header_parse (rtp.element, rtp.element_size, &h))
    return g_strdup ("unknown-element");

  text = g_string_new (NULL);
  g_string_printf (text,
      "marker=%d pt=%u seq=%u timestamp=%u ssrc=%08x "
      "payload=%u type=%u first=%d last=%d more=%d layer=%u switch=%d burst=%d "
      "top=%u table=%u stream=%u class=%u slot=%u signal=%d anchor=%u lsn=%u "
      "osn=%u time=%u",
      rtp.marker, rtp.payload_type, rtp.sequence, rtp.timestamp, rtp.ssrc,
      (guint) rtp.payload_size, h.type, h.first, h.last, h.more, h.layer,
      h.switch_point, h.burst, h.top_layer, h.table, h.stream, h.klass, h.slot,
      h.signal, h.anchor, h.lsn, h.osn, h.send_time);
  describe_second (text, &rtp, h.top_layer);
  if (h.type == LMCC_PACKET_REPAIR)
    describe_repair (text, bytes->data + rtp.header_size, rtp.payload_size);

  return g_string_free (text, FALSE);
}

static void
on_report (gpointer user_data, const LmccSenderReport *report)
{
  g_string_append_printf (user_data,
      " sr=%08x/%016" G_GINT64_MODIFIER "x/%u/%u/%u", report->ssrc,
      report->ntp_time, report->rtp_time, report->packets, report->octets);
}

static void
on_record (gpointer user_data, const LmccRecordFragment *fragment)
{
  g_string_append_printf (user_data, " record=%08x/%u/%u/%u/%u", fragment->ssrc,
      fragment->version, fragment->index, fragment->count,
      (guint) fragment->size);
}

static void
on_bye (gpointer user_data, guint32 ssrc)
{
  g_string_append_printf (user_data, " bye=%08x", ssrc);
}

static void
on_reference_time (gpointer user_data, const LmccReferenceTime *report)
{
  g_string_append_printf (user_data,
      " reference=%08x/%016" G_GINT64_MODIFIER "x", report->ssrc,
      report->ntp_time);
}

static void
on_dlrr (gpointer user_data, guint32 sender_ssrc, const LmccDlrr *answer)
{
  g_string_append_printf (user_data, " dlrr=%08x/%08x/%08x/%u", sender_ssrc,
      answer->ssrc, answer->last_rr, answer->delay);
}

static void
on_losses (gpointer user_data, guint32 ssrc, const LmccLossReport *report)
{
  g_string_append_printf (user_data, " losses=%08x/%.0f/%.0f", ssrc,
      report->loss_rate * 65536, report->burst * 256);
}

static gchar *
describe_rtcp (const GByteArray *bytes)
{
  static const LmccRtcpHandler handler = { on_report, on_record, on_bye,
    on_reference_time, on_dlrr, on_losses };
  GString *text = g_string_new (NULL);

  if (!lmcc_rtcp_parse (bytes->data, bytes->len, &handler, text))
    g_string_assign (text, " refused");
  g_string_erase (text, 0, 1);

  return g_string_free (text, FALSE);
}

/* Written fields equal the read ones. */
static gchar *
describe_notice (const GByteArray *bytes)
{
  LmccJoinNotice notice;
  LmccPacket *again;

  if (!lmcc_join_notice_parse (bytes->data, bytes->len, &notice))
    return g_strdup ("refused");
  again = lmcc_join_notice_build (&notice);
  fail_unless_equals_int ((gint) again->size, (gint) bytes->len);
  fail_unless (memcmp (again->data, bytes->data, bytes->len) == 0);
  lmcc_packet_unref (again);

  return g_strdup_printf ("notice=%08x/%08x/%u/%u", notice.ssrc,
      notice.ssrc_base, notice.version, notice.level);
}

static void
check_written (LmccPacket *again, const GByteArray *bytes)
{
  fail_unless_equals_int ((gint) again->size, (gint) bytes->len);
  fail_unless (memcmp (again->data, bytes->data, bytes->len) == 0);
  lmcc_packet_unref (again);
}

static gchar *
describe_report (const GByteArray *bytes)
{
  LmccTfmccReport t;
  LmccPgmccReport p;
  LmccKeyRequest request;
  guint32 ssrc;

  if (lmcc_key_request_parse (bytes->data, bytes->len, &request)) {
    check_written (lmcc_key_request_build (&request), bytes);

    return g_strdup_printf ("key-request=%08x/%08x/%u", request.ssrc,
        request.ssrc_base, request.lsn);
  }
  if (lmcc_key_notice_parse (bytes->data, bytes->len, &ssrc)) {
    check_written (lmcc_key_notice_build (ssrc), bytes);

    return g_strdup_printf ("key-notice=%08x", ssrc);
  }
  if (lmcc_address_claim_parse (bytes->data, bytes->len, &ssrc)) {
    check_written (lmcc_address_claim_build (ssrc), bytes);

    return g_strdup_printf ("address-claim=%08x", ssrc);
  }
  if (lmcc_tfmcc_report_parse (bytes->data, bytes->len, &t)) {
    check_written (lmcc_tfmcc_report_build (&t), bytes);

    return g_strdup_printf ("tfmcc=%08x/%08x/%u/%d/%d/%d/%.0f/%u/%u", t.ssrc,
        t.ssrc_base, t.round, t.has_rtt, t.has_loss, t.leaves, t.rate, t.time,
        t.echoed_time);
  }
  if (lmcc_pgmcc_report_parse (bytes->data, bytes->len, &p)) {
    check_written (lmcc_pgmcc_report_build (&p), bytes);

    return g_strdup_printf ("pgmcc=%08x/%08x/%d/%u/%u/%u/%u/%08x", p.ssrc,
        p.ssrc_base, p.is_ack, p.loss, p.lead, p.ack_sequence, p.echoed_time,
        p.bitmap);
  }

  return g_strdup ("refused");
}

static gchar *
describe_sdp (const GByteArray *bytes)
{
  gchar address[LMCC_ADDRESS_STRLEN], source[LMCC_ADDRESS_STRLEN];
  GString *text = g_string_new (NULL);
  LmccSession s;
  guint i;

  fail_unless (
      lmcc_sdp_parse ((const gchar *) bytes->data, bytes->len, &s, NULL));
  g_string_append_printf (text,
      "version=%u revision=%u ssrc=%08x address=%s "
      "port=%u source=%s groups=%u rungs=%u layers=",
      s.version, s.revision, s.ssrc_base,
      lmcc_address_format (&s.address, address), s.port,
      lmcc_address_format (&s.source, source), s.n_groups, s.n_rungs);
  for (i = 0; i < s.n_layers; i++)
    g_string_append_printf (text, "%s%" G_GUINT64_FORMAT ":%u.%u",
        i > 0 ? "," : "", s.layers[i].rate, s.layers[i].stream,
        s.layers[i].klass);
  g_string_append_printf (text, " latency=%" G_GUINT64_FORMAT " algorithm=%s",
      s.latency, s.algorithm);
  if (s.nonce != 0)
    g_string_append_printf (text, " nonce=%014" G_GINT64_MODIFIER "x", s.nonce);

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
    else if (g_str_equal (parts[0], "notice"))
      got = describe_notice (bytes);
    else if (g_str_equal (parts[0], "report"))
      got = describe_report (bytes);
    else if (g_str_equal (parts[0], "sdp"))
      got = describe_sdp (bytes);
    fail_unless (g_strcmp0 (got, parts[3]) == 0, "%s:\n%s\n%s", parts[1],
        parts[3], got);
    n_vectors++;
  }
  fail_unless (n_vectors >= 12);
}

GST_END_TEST;

static GByteArray *
find_vector (gchar **lines, const gchar *name)
{
  g_autofree gchar *begin = g_strdup_printf ("rtp %s ", name);
  guint i;

  for (i = 0; lines[i] != NULL; i++) {
    if (g_str_has_prefix (lines[i], begin)) {
      g_auto (GStrv) parts = g_strsplit (lines[i], " ", 4);

      return from_hex (parts[2]);
    }
  }
  fail ("no vector %s", name);

  return NULL;
}

/* The vectors come from an independent implementation. */
GST_START_TEST (the_repair_of_two_vectors_is_that_of_the_library)
{
  static const gchar *const source_names[] = { "key-frame",
    "unit-goes-on-above" };
  g_autofree gchar *path =
      g_build_filename (g_getenv ("LMCC_TEST_DATA"), "wire-vectors.txt", NULL);
  g_autofree gchar *text = NULL;
  g_autoptr (GPtrArray) payloads = NULL;
  g_auto (GStrv) lines = NULL;
  LmccPacket *source[2];
  guint i;

  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  for (i = 0; i < 2; i++) {
    g_autoptr (GByteArray) bytes = find_vector (lines, source_names[i]);

    source[i] = lmcc_packet_new_copy (bytes->data, bytes->len);
  }
  payloads = test_block_encode (source, 2, 1, 2);
  for (i = 0; i < 2; i++) {
    g_autofree gchar *name = g_strdup_printf ("repair-%u-of-two-packets", i);
    g_autoptr (GByteArray) bytes = find_vector (lines, name);
    LmccPacket *payload = g_ptr_array_index (payloads, i);

    fail_unless_equals_int (bytes->len, 36 + payload->size);
    fail_unless (memcmp (bytes->data + 36, payload->data, payload->size) == 0);
    lmcc_packet_unref (source[i]);
  }
}

GST_END_TEST;

static Suite *
wire_vectors_suite (void)
{
  Suite *suite = suite_create ("wire-vectors");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, the_library_agrees_with_every_vector);
  tcase_add_test (tcase, the_repair_of_two_vectors_is_that_of_the_library);

  return suite;
}

GST_CHECK_MAIN (wire_vectors);
