/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fuzz-grammar.h"

#include <gst/lmcc/wire/layer-header.h>
#include <gst/lmcc/wire/rtcp.h>
#include <gst/lmcc/wire/rtp.h>

#include <string.h>

/* One byte value in this many makes a field bad. */
#define BAD_ONE_IN 8

guint
fuzz_pick (Bytes *bytes, guint n)
{
  return take_byte (bytes) % n;
}

guint16
fuzz_take_short (Bytes *bytes)
{
  guint16 high = take_byte (bytes);

  return (guint16) (high << 8 | take_byte (bytes));
}

guint32
fuzz_take_word (Bytes *bytes)
{
  guint32 high = fuzz_take_short (bytes);

  return high << 16 | fuzz_take_short (bytes);
}

void
fuzz_host (guint host, LmccAddress *address)
{
  static const guint8 first[] = { 10, 0, 0, 1 };

  memset (address, 0, sizeof (*address));
  address->family = LMCC_FAMILY_IPV4;
  memcpy (address->bytes, first, sizeof (first));
  address->bytes[3] = (guint8) (1 + host);
}

/* Usually the first of @values, sometimes another one. */
static const gchar *
choose (Bytes *bytes, const gchar *const *values, guint n)
{
  guint8 byte = take_byte (bytes);

  return values[byte % BAD_ONE_IN == 1 ? byte / BAD_ONE_IN % n : 0];
}

#define CHOOSE(bytes, ...)                              \
  choose (bytes, (const gchar *const[]){ __VA_ARGS__ }, \
      G_N_ELEMENTS (((const gchar *const[]){ __VA_ARGS__ })))

/* Any value of a key, suitable or not. */
static const gchar *
any_value (Bytes *bytes)
{
  static const gchar *const values[] = {
    "0",
    "1",
    "2",
    "5",
    "14",
    "15",
    "63",
    "64",
    "65",
    "96",
    "97",
    "98",
    "100",
    "111",
    "127",
    "128",
    "1000",
    "1200",
    "5005",
    "9000",
    "9001",
    "65535",
    "65536",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "-1",
    "x",
    "",
    "0s",
    "1ns",
    "1us",
    "20ms",
    "100ms",
    "500ms",
    "2s",
    "60s",
    "61s",
    "1000000s",
    "9223372036s",
    "none",
    "elm",
    "rlm",
    "rlc",
    "flid-sl",
    "flid-dl",
    "synchronized",
    "pgmcc",
    "tfmcc",
    "OPUS/48000",
    "OPUS/0",
    "MPEG4-GENERIC/4294967295",
    "config=1190;mode=AAC-hbr",
  };

  return values[take_byte (bytes) % G_N_ELEMENTS (values)];
}

static const gchar *
any_algorithm (Bytes *bytes)
{
  static const gchar *const values[] = {
    "none",
    "elm",
    "rlm",
    "rlc",
    "flid-sl",
    "flid-dl",
    "synchronized",
    "pgmcc",
    "tfmcc",
    "later",
    "NONE",
    "",
  };

  return values[take_byte (bytes) % G_N_ELEMENTS (values)];
}

static guint
append_layers (GString *text, Bytes *bytes)
{
  static const guint counts[] = { 3, 1, 2, 6, 12, 64, 65, 97, 200 };
  static const gchar *const rates[] = {
    "100000",
    "64000",
    "1000",
    "0",
    "1",
    "50000000",
    "1000000000000",
    "1000000000001",
    "18446744073709551615",
    "x",
  };
  static const gchar *const places[] = { "", "+", ":0.0", ":0.1", ":1.0",
    ":13.15", ":14.0", ":15.15", ":16.0", ":x" };
  guint8 which = take_byte (bytes);
  guint n = counts[which % G_N_ELEMENTS (counts)];
  guint i;

  g_string_append (text, which & 0x80 ? " f=" : " l=");
  for (i = 0; i < n; i++) {
    guint8 byte = i < 8 ? take_byte (bytes) : 0;

    g_string_append_printf (text, "%s%s%s", i > 0 ? "," : "",
        rates[(byte & 15) < 10 ? byte & 15 : 0],
        places[(byte >> 4) < 10 ? byte >> 4 : 0]);
  }

  return n;
}

static void
append_keys (GString *text, Bytes *bytes)
{
  static const gchar *const keys[] = {
    "g",
    "n",
    "rp",
    "fp",
    "s",
    "w",
    "d",
    "b",
    "slot",
    "mod",
    "turn",
    "silent",
    "rtt",
    "fb",
    "fbp",
    "kw",
    "rep",
    "rd",
    "ttl",
    "id",
    "snd",
    "sndp",
    "k",
    "zz",
    "nonce",
    "tr",
  };
  guint n = take_byte (bytes) & 3;

  if (take_byte (bytes) & 1)
    g_string_append_printf (text, " a=%s", any_algorithm (bytes));
  while (n-- > 0)
    g_string_append_printf (text, " %s=%s",
        keys[take_byte (bytes) % G_N_ELEMENTS (keys)], any_value (bytes));
  if (take_byte (bytes) % BAD_ONE_IN == 1)
    g_string_append (text, " ssm");
}

/**
 * fuzz_make_record:
 * @bytes: input that chooses the content
 * @bases: (array length=n_bases): S0 of existing sessions
 * @n_bases: number of these, above 0
 * @record: (out): content of the record
 *
 * Returns: (transfer full): a session record, which may be invalid
 */
gchar *
fuzz_make_record (Bytes *bytes, const guint32 *bases, guint n_bases,
    FuzzRecord *record)
{
  GString *text = g_string_new (NULL);
  guint8 which = take_byte (bytes);
  const gchar *type;

  record->ssrc = which >= 250 ? fuzz_take_word (bytes) : bases[which % n_bases];
  g_string_append_printf (text, "%s\no=- %u %u IN IP4 %s\ns=-\n",
      CHOOSE (bytes, "v=0", "v=1", ""), record->ssrc,
      which & 0x20 ? fuzz_take_word (bytes) : (which >> 4) * 10u,
      CHOOSE (bytes, "10.0.0.2", "0.0.0.0", "10.0.0.1", "239.0.0.1", "::1"));
  g_string_append_printf (text, "c=IN IP4 %s/%s\nt=0 0\na=x-lmcc:%s v=%s",
      CHOOSE (bytes, FUZZ_GROUP, "239.255.42.2", "239.255.255.254", "10.0.0.1"),
      CHOOSE (bytes, "1", "0", "255", "256"), CHOOSE (bytes, "1", "0", "2"),
      CHOOSE (bytes, "1", "0", "3", "255"));
  record->n_layers = append_layers (text, bytes);
  append_keys (text, bytes);
  type = CHOOSE (bytes, "96", "0", "97", "112", "127", "128");
  record->payload_type = (guint8) (g_ascii_strtoull (type, NULL, 10) & 127);
  g_string_append_printf (text, "\nm=video %s RTP/%s %s\n",
      CHOOSE (bytes, "5004", "0", "1", "5006", "65534", "65535", "65536"),
      CHOOSE (bytes, "AVP", "AVPF", "SAVP"), type);
  g_string_append_printf (text, "a=rtpmap:%s %s/%s\n", type,
      CHOOSE (bytes, "H264", "VP8", "VP9", "H265", "THEORA", "X-Y", ""),
      CHOOSE (bytes, "90000", "0", "1", "48000", "4294967295", "x"));

  return g_string_free (text, FALSE);
}

static void
append_word (GByteArray *data, guint32 word)
{
  guint32 network = g_htonl (word);

  g_byte_array_append (data, (const guint8 *) &network, sizeof (network));
}

/* @words: the packet's length after its first word */
static void
append_head (GByteArray *data, guint count, guint type, guint words)
{
  append_word (data, 0x80000000u | count << 24 | type << 16 | words);
}

static void
append_report (GByteArray *data, Bytes *bytes, guint32 ssrc)
{
  guint i;

  append_head (data, 0, 200, 6);
  append_word (data, ssrc + (take_byte (bytes) == 1 ? 0x380 : 0));
  for (i = 0; i < 2; i++)
    append_word (data, fuzz_take_word (bytes));
  for (i = 0; i < 3; i++)
    append_word (data, take_byte (bytes));
}

static void
append_fragment (GByteArray *data, const gchar *text, gsize size, guint32 ssrc,
    guint16 version, guint index, guint count)
{
  gsize padded = (size + 3) & ~(gsize) 3;
  static const guint8 zeros[3] = { 0 };

  append_head (data, LMCC_RTCP_APP_RECORD, 204, (guint) (4 + padded / 4));
  append_word (data, ssrc);
  g_byte_array_append (data, (const guint8 *) "LMCC", 4);
  append_word (data, (guint32) version << 16 | index << 8 | count);
  append_word (data, (guint32) size << 16);
  g_byte_array_append (data, (const guint8 *) text, (guint) size);
  g_byte_array_append (data, zeros, (guint) (padded - size));
}

/* Whole, or in two fragments. */
static void
append_record (GByteArray *data, Bytes *bytes, const guint32 *bases,
    guint n_bases, FuzzRecord *record)
{
  g_autofree gchar *text = fuzz_make_record (bytes, bases, n_bases, record);
  gsize size = MIN (strlen (text), LMCC_RTCP_FRAGMENT_SIZE);
  guint8 how = take_byte (bytes);
  guint16 version = how;
  gsize half = size / 2;

  if (how % BAD_ONE_IN != 1) {
    append_fragment (data, text, size, record->ssrc, version, 0, 1);
    return;
  }
  append_fragment (data, text, half, record->ssrc, version, 0, 2);
  if (how & 0x40)
    append_fragment (data, text + half, size - half, record->ssrc, version, 1,
        2);
}

/* RFC 3611 section 4.5: an answer to a receiver that the input chooses. */
static void
append_answer (GByteArray *data, Bytes *bytes, guint32 ssrc, guint32 receiver)
{
  append_head (data, 0, 207, 5);
  append_word (data, ssrc);
  append_word (data, 5u << 24 | 3);
  append_word (data, take_byte (bytes) & 1 ? receiver : fuzz_take_word (bytes));
  append_word (data, fuzz_take_word (bytes));
  append_word (data, fuzz_take_word (bytes));
}

/**
 * fuzz_make_compound:
 * @bytes: input that chooses the content
 * @bases: (array length=n_bases): S0 of existing sessions
 * @n_bases: number of these, above 0
 * @receiver: SSRC of a receiver that waits for answers
 * @record: (inout): content of the last record in the packet, if any
 *
 * Returns: (transfer full): a compound RTCP packet of one to four parts after
 *     its first one
 */
GByteArray *
fuzz_make_compound (Bytes *bytes, const guint32 *bases, guint n_bases,
    guint32 receiver, FuzzRecord *record)
{
  GByteArray *data = g_byte_array_new ();
  guint8 what = take_byte (bytes);
  guint32 ssrc = bases[(what >> 2) % n_bases];
  guint n = 1 + (what & 3);

  append_report (data, bytes, ssrc);
  while (n-- > 0) {
    switch (fuzz_pick (bytes, 6)) {
      case 0:
        append_head (data, 1, 203, 1);
        append_word (data, ssrc);
        break;
      case 1:
        append_answer (data, bytes, ssrc, receiver);
        break;
      case 2:
        append_report (data, bytes, ssrc);
        break;
      default:
        append_record (data, bytes, bases, n_bases, record);
    }
  }

  return data;
}

/**
 * fuzz_take_leap:
 * @bytes: input that chooses the leap
 *
 * Returns: size of a counter's leap, modulo 2^16: usually small
 */
guint
fuzz_take_leap (Bytes *bytes)
{
  static const guint leaps[] = { 0, 1, 1, 2, 3, 8, 9, 16, 100, 999, 1000, 1001,
    4096, 30000, 32767, 32768, 40000, 64536, 65527, 65534, 65535 };
  guint8 which = take_byte (bytes);

  if (which >= 250)
    return fuzz_take_short (bytes);

  return leaps[which % G_N_ELEMENTS (leaps)];
}

/* Counters and times of the element are those of @header, with leaps. */
static void
change_header (Bytes *bytes, LmccHeader *header)
{
  guint8 what = take_byte (bytes);

  header->lsn += (guint16) fuzz_take_leap (bytes);
  if (what & 1)
    header->osn += (guint16) fuzz_take_leap (bytes);
  if (what & 2)
    header->send_time += (guint32) (gint16) fuzz_take_short (bytes) << 6;
  if (what & 4)
    header->anchor += (guint8) fuzz_take_leap (bytes);
  if (what & 8)
    header->slot += (guint16) fuzz_take_leap (bytes);
  if (what & 16)
    header->signal = (gint8) (take_byte (bytes) % 65) - 1;
  if (what & 32)
    header->top_layer = take_byte (bytes) & 63;
  if (what & 64)
    header->first = !header->first;
  if (what & 128)
    header->last = !header->last;
}

/**
 * fuzz_forge_packet:
 * @bytes: input that chooses the changes
 * @like: a packet that was heard
 * @element_id: identifier of our header extension element
 *
 * Returns: (transfer full): @like with changed numbers
 */
LmccPacket *
fuzz_forge_packet (Bytes *bytes, const LmccPacket *like, guint8 element_id)
{
  LmccPacket *packet = lmcc_packet_new_copy (like->data, like->size);
  LmccHeader header;
  LmccRtp rtp;

  if (!lmcc_rtp_parse (packet->data, packet->size, element_id, &rtp)
      || rtp.element == NULL
      || !lmcc_header_parse (rtp.element, rtp.element_size, &header))
    return packet;
  change_header (bytes, &header);
  lmcc_header_write (&header, packet->data + (rtp.element - packet->data));
  if (take_byte (bytes) & 1) {
    guint16 sequence = rtp.sequence + (guint16) fuzz_take_leap (bytes);

    packet->data[2] = (guint8) (sequence >> 8);
    packet->data[3] = (guint8) sequence;
  }
  if (take_byte (bytes) % BAD_ONE_IN == 1)
    packet->data[fuzz_take_short (bytes) % packet->size] = take_byte (bytes);

  return packet;
}

/**
 * fuzz_make_packet:
 * @bytes: input that chooses the content
 * @record: the record that the packet should match
 * @now: the time
 * @group: (out): group to which it would be sent
 *
 * Returns: (transfer full): a packet of a session known only from a record
 */
LmccPacket *
fuzz_make_packet (Bytes *bytes, const FuzzRecord *record, LmccTime now,
    guint *group)
{
  guint8 what = take_byte (bytes);
  guint layer = MIN (record->n_layers, LMCC_MAX_LAYERS) - 1;
  LmccHeader header = { .first = TRUE,
    .last = TRUE,
    .switch_point = TRUE,
    .anchor = 1,
    .signal = LMCC_SIGNAL_NOBODY };
  LmccRtp rtp = { .payload_type = record->payload_type, .payload_size = 20 };

  *group = what & 1 ? 0 : (what >> 1) % (layer + 1);
  header.layer = (guint8) *group;
  header.top_layer = (guint8) layer;
  header.lsn = header.osn = take_byte (bytes);
  header.send_time = lmcc_time_to_ntp_short (now);
  rtp.sequence = header.lsn;
  rtp.timestamp = (guint32) header.lsn * 3000;
  rtp.ssrc = record->ssrc + header.layer;
  if (what >= 0xf0)
    change_header (bytes, &header);

  return lmcc_rtp_build (&rtp, &header, LMCC_HEADER_DEFAULT_ID, NULL);
}
