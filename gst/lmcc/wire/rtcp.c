/* lmcc: layered multicast congestion control
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "wire/rtcp-internal.h"

#include <string.h>

#define SDES_CNAME 1
#define SDES_MAX_CHUNKS 31
#define SDES_MAX_TEXT 255

#define SR_SIZE 28
#define RR_SIZE 8
#define REPORT_BLOCK_SIZE 24

/* Size of the header of a fragment in the APP packet's data. */
#define FRAGMENT_HEADER_SIZE 8

static gsize
round_up (gsize size)
{
  return (size + 3) & ~(gsize) 3;
}

static guint8 *
write_sender_report (guint8 *data, const LmccSenderReport *report)
{
  data = lmcc_rtcp_write_header (data, 0, LMCC_RTCP_TYPE_SR, SR_SIZE);
  data = lmcc_write_uint32 (data, report->ssrc);
  data = lmcc_write_uint32 (data, report->ntp_time >> 32);
  data = lmcc_write_uint32 (data, report->ntp_time & 0xffffffff);
  data = lmcc_write_uint32 (data, report->rtp_time);
  data = lmcc_write_uint32 (data, report->packets);

  return lmcc_write_uint32 (data, report->octets);
}

/* One chunk: SSRC, the CNAME item, and at least one zero that ends the list. */
static gsize
chunk_size (gsize cname_size)
{
  return 4 + round_up (2 + cname_size + 1);
}

static guint8 *
write_chunk (guint8 *data, guint32 ssrc, const gchar *cname, gsize size)
{
  guint8 *end = data + chunk_size (size);

  data = lmcc_write_uint32 (data, ssrc);
  *data++ = SDES_CNAME;
  *data++ = size;
  memcpy (data, cname, size);
  memset (data + size, 0, end - data - size);

  return end;
}

static guint8 *
write_fragment (guint8 *data, const LmccRecordFragment *fragment)
{
  gsize padded = round_up (fragment->size);

  data = lmcc_rtcp_write_app (data, LMCC_RTCP_APP_RECORD, fragment->ssrc,
      LMCC_RTCP_APP_SIZE + FRAGMENT_HEADER_SIZE + padded);
  data = lmcc_write_uint16 (data, fragment->version);
  *data++ = fragment->index;
  *data++ = fragment->count;
  data = lmcc_write_uint16 (data, fragment->size);
  data = lmcc_write_uint16 (data, 0);
  memcpy (data, fragment->data, fragment->size);
  memset (data + fragment->size, 0, padded - fragment->size);

  return data + padded;
}

static gboolean
fragment_is_valid (const LmccRecordFragment *fragment)
{
  return fragment->count > 0 && fragment->count <= LMCC_RTCP_MAX_FRAGMENTS
      && fragment->index < fragment->count && fragment->size > 0
      && fragment->size <= LMCC_RTCP_FRAGMENT_SIZE;
}

static LmccPacket *
new_compound (const LmccSenderReport *reports, guint n_reports,
    const gchar *cname, gsize extra, guint8 **end)
{
  gsize cname_size = MIN (strlen (cname), SDES_MAX_TEXT);
  gsize sdes_size = LMCC_RTCP_HEADER_SIZE + n_reports * chunk_size (cname_size);
  gsize size = n_reports * SR_SIZE + sdes_size + extra;
  LmccPacket *packet = lmcc_packet_new (size);
  guint8 *data = packet->data;
  guint i;

  for (i = 0; i < n_reports; i++)
    data = write_sender_report (data, &reports[i]);
  data =
      lmcc_rtcp_write_header (data, n_reports, LMCC_RTCP_TYPE_SDES, sdes_size);
  for (i = 0; i < n_reports; i++)
    data = write_chunk (data, reports[i].ssrc, cname, cname_size);
  packet->size = size;
  *end = data;

  return packet;
}

/**
 * lmcc_rtcp_build:
 * @reports: (array length=n_reports): one for each SSRC, that of the base layer
 *     first
 * @n_reports: 1 to 31
 * @cname: canonical name of all SSRCs of the sender; truncated to 255 bytes
 * @fragment: (nullable): a fragment of the session record to include, 1 to
 *     %LMCC_RTCP_FRAGMENT_SIZE bytes
 *
 * Builds a compound packet (RFC 3550 section 6.1): a sender report for each
 * SSRC, their CNAMEs, and the fragment. Each report takes 28 bytes, and its
 * CNAME 8 to 10 bytes plus the name's length: with a fragment of full size, one
 * or two reports stay below the IPv6 minimum MTU.
 *
 * Returns: (transfer full) (nullable): the packet, or %NULL if an argument is
 * out of range
 */
LmccPacket *
lmcc_rtcp_build (const LmccSenderReport *reports, guint n_reports,
    const gchar *cname, const LmccRecordFragment *fragment)
{
  LmccPacket *packet;
  guint8 *end;
  gsize extra = 0;

  if (n_reports == 0 || n_reports > SDES_MAX_CHUNKS)
    return NULL;
  if (fragment != NULL) {
    if (!fragment_is_valid (fragment))
      return NULL;
    extra =
        LMCC_RTCP_APP_SIZE + FRAGMENT_HEADER_SIZE + round_up (fragment->size);
  }

  packet = new_compound (reports, n_reports, cname, extra, &end);
  if (fragment != NULL)
    write_fragment (end, fragment);

  return packet;
}

/**
 * lmcc_rtcp_build_bye:
 * @report: the last report of the base layer's SSRC
 * @cname: canonical name of all SSRCs of the sender
 *
 * Builds the compound packet that ends a session: sender report, CNAME, BYE
 * (RFC 3550 section 6.6).
 *
 * Returns: (transfer full): the packet
 */
LmccPacket *
lmcc_rtcp_build_bye (const LmccSenderReport *report, const gchar *cname)
{
  guint8 *end;
  LmccPacket *packet =
      new_compound (report, 1, cname, LMCC_RTCP_HEADER_SIZE + 4, &end);

  lmcc_write_uint32 (lmcc_rtcp_write_header (end, 1, LMCC_RTCP_TYPE_BYE,
                         LMCC_RTCP_HEADER_SIZE + 4),
      report->ssrc);

  return packet;
}

/* RFC 3550 section 6.5: chunks begin on 32-bit borders; a list of items ends
 * with a zero. */
static gboolean
check_sdes (const guint8 *data, gsize size, guint n_chunks)
{
  gsize at = LMCC_RTCP_HEADER_SIZE;

  for (; n_chunks > 0; n_chunks--) {
    if (at + 4 > size)
      return FALSE;
    at += 4;
    while (at < size && data[at] != 0) {
      if (at + 2 > size)
        return FALSE;
      at += 2 + (gsize) data[at + 1];
    }
    if (at >= size)
      return FALSE;
    at = round_up (at + 1);
  }

  return at <= size;
}

static gboolean
is_record (const guint8 *data)
{
  return data[1] == LMCC_RTCP_TYPE_APP
      && (data[0] & 0x1f) == LMCC_RTCP_APP_RECORD
      && memcmp (data + 8, LMCC_RTCP_APP_NAME, 4) == 0;
}

static gboolean
read_fragment (const guint8 *data, gsize size, LmccRecordFragment *fragment)
{
  if (size < LMCC_RTCP_APP_SIZE + FRAGMENT_HEADER_SIZE)
    return FALSE;
  fragment->ssrc = lmcc_read_uint32 (data + 4);
  fragment->version = lmcc_read_uint16 (data + 12);
  fragment->index = data[14];
  fragment->count = data[15];
  fragment->size = lmcc_read_uint16 (data + 16);
  fragment->data = data + LMCC_RTCP_APP_SIZE + FRAGMENT_HEADER_SIZE;

  return fragment_is_valid (fragment)
      && size
      == LMCC_RTCP_APP_SIZE + FRAGMENT_HEADER_SIZE + round_up (fragment->size);
}

/* @size: size without padding */
static gboolean
check_app (const guint8 *data, gsize size)
{
  LmccRecordFragment fragment;
  LmccLossReport losses;

  if (size < LMCC_RTCP_APP_SIZE)
    return FALSE;
  if (is_record (data))
    return read_fragment (data, size, &fragment);

  return !lmcc_rtcp_is_losses (data)
      || lmcc_rtcp_read_losses (data, size, &losses);
}

static gboolean
check_content (const guint8 *data, gsize size)
{
  guint count = data[0] & 0x1f;

  switch (data[1]) {
    case LMCC_RTCP_TYPE_SR:
      return size >= SR_SIZE + count * REPORT_BLOCK_SIZE;
    case LMCC_RTCP_TYPE_RR:
      return size >= RR_SIZE + count * REPORT_BLOCK_SIZE;
    case LMCC_RTCP_TYPE_SDES:
      return check_sdes (data, size, count);
    case LMCC_RTCP_TYPE_BYE:
      return size >= LMCC_RTCP_HEADER_SIZE + 4 * (gsize) count;
    case LMCC_RTCP_TYPE_APP:
      return check_app (data, size);
    case LMCC_RTCP_TYPE_XR:
      return lmcc_rtcp_xr_is_valid (data, size);
    default:
      return TRUE;
  }
}

/* Total size of one packet in the compound, or 0 if it is malformed. */
static gsize
packet_size (const guint8 *data, gsize left, gboolean is_first,
    gsize *content_size)
{
  gsize size;

  if (left < LMCC_RTCP_HEADER_SIZE || data[0] >> 6 != 2)
    return 0;
  size = 4 * ((gsize) lmcc_read_uint16 (data + 2) + 1);
  if (size > left)
    return 0;

  *content_size = size;
  if (data[0] & 0x20) {
    guint padding = data[size - 1];

    /* RFC 3550 section 6.4.1: only the last packet of a compound is padded. */
    if (is_first || size != left || padding == 0 || padding % 4 != 0
        || padding > size - LMCC_RTCP_HEADER_SIZE)
      return 0;
    *content_size = size - padding;
  }

  return size;
}

/* RFC 3550 section 6.1: a report comes first. RFC 5506 permits any type, of
 * which the library accepts the extended reports. */
static gboolean
may_be_first (guint8 type)
{
  return type == LMCC_RTCP_TYPE_SR || type == LMCC_RTCP_TYPE_RR
      || type == LMCC_RTCP_TYPE_XR;
}

static gboolean
check_compound (const guint8 *data, gsize size)
{
  gsize at = 0;

  if (size < LMCC_RTCP_HEADER_SIZE || !may_be_first (data[1]))
    return FALSE;

  while (at < size) {
    gsize content_size = 0;
    gsize length = packet_size (data + at, size - at, at == 0, &content_size);

    if (length == 0 || !check_content (data + at, content_size))
      return FALSE;
    at += length;
  }

  return TRUE;
}

static void
hand_out (const guint8 *data, gsize size, const LmccRtcpHandler *handler,
    gpointer user_data)
{
  if (data[1] == LMCC_RTCP_TYPE_SR && handler->sender_report != NULL) {
    LmccSenderReport report = {
      .ssrc = lmcc_read_uint32 (data + 4),
      .ntp_time = (guint64) lmcc_read_uint32 (data + 8) << 32
          | lmcc_read_uint32 (data + 12),
      .rtp_time = lmcc_read_uint32 (data + 16),
      .packets = lmcc_read_uint32 (data + 20),
      .octets = lmcc_read_uint32 (data + 24),
    };

    handler->sender_report (user_data, &report);
  } else if (data[1] == LMCC_RTCP_TYPE_BYE && handler->bye != NULL) {
    guint i, count = data[0] & 0x1f;

    for (i = 0; i < count; i++)
      handler->bye (user_data,
          lmcc_read_uint32 (data + LMCC_RTCP_HEADER_SIZE + 4 * i));
  } else if (data[1] == LMCC_RTCP_TYPE_XR) {
    lmcc_rtcp_xr_hand_out (data, size, handler, user_data);
  } else if (is_record (data) && handler->record != NULL) {
    LmccRecordFragment fragment;

    if (read_fragment (data, size, &fragment))
      handler->record (user_data, &fragment);
  } else if (lmcc_rtcp_is_losses (data) && handler->loss_report != NULL) {
    LmccLossReport losses;

    if (lmcc_rtcp_read_losses (data, size, &losses))
      handler->loss_report (user_data, lmcc_read_uint32 (data + 4), &losses);
  }
}

/**
 * lmcc_rtcp_parse:
 * @data: one UDP payload
 * @size: its length in bytes
 * @handler: functions to call
 * @user_data: user data for @handler
 *
 * Checks the whole compound packet (RFC 3550 appendix A.2, and the contents of
 * SR, RR, SDES, BYE, XR and the library's APP packets), then calls @handler for
 * its parts in order. It may be a reduced-size packet (RFC 5506): XR may come
 * first, like SR and RR. Other packet types, other APP packets and other XR
 * blocks are skipped.
 *
 * Returns: %FALSE, without any call, if it is not a well-formed compound packet
 */
gboolean
lmcc_rtcp_parse (const guint8 *data, gsize size, const LmccRtcpHandler *handler,
    gpointer user_data)
{
  gsize at = 0;

  if (!check_compound (data, size))
    return FALSE;

  while (at < size) {
    gsize content_size = 0;
    gsize length = packet_size (data + at, size - at, at == 0, &content_size);

    hand_out (data + at, content_size, handler, user_data);
    at += length;
  }

  return TRUE;
}

struct _LmccRecordAssembler
{
  guint32 ssrc;
  guint16 version;
  guint count;
  guint n_taken;
  gchar *parts[LMCC_RTCP_MAX_FRAGMENTS]; /* parts of the text; NULL: missing */
};

/**
 * lmcc_record_assembler_new:
 *
 * Returns: (transfer full): an empty assembler
 */
LmccRecordAssembler *
lmcc_record_assembler_new (void)
{
  return g_new0 (LmccRecordAssembler, 1);
}

/**
 * lmcc_record_assembler_free:
 * @assembler: (transfer full) (nullable): an assembler
 */
void
lmcc_record_assembler_free (LmccRecordAssembler *assembler)
{
  if (assembler == NULL)
    return;
  lmcc_record_assembler_reset (assembler);
  g_free (assembler);
}

/**
 * lmcc_record_assembler_reset:
 * @assembler: an assembler
 *
 * Forgets the fragments received so far.
 */
void
lmcc_record_assembler_reset (LmccRecordAssembler *assembler)
{
  guint i;

  assembler->count = 0;
  assembler->n_taken = 0;
  for (i = 0; i < LMCC_RTCP_MAX_FRAGMENTS; i++)
    g_clear_pointer (&assembler->parts[i], g_free);
}

static gchar *
join_fragments (const LmccRecordAssembler *assembler)
{
  GString *text = g_string_sized_new (LMCC_RTCP_FRAGMENT_SIZE);
  guint i;

  for (i = 0; i < assembler->count; i++)
    g_string_append (text, assembler->parts[i]);

  return g_string_free (text, FALSE);
}

/**
 * lmcc_record_assembler_push:
 * @assembler: an assembler
 * @fragment: a fragment from lmcc_rtcp_parse()
 *
 * Ignores duplicate fragments, fragments out of range, and fragments with a
 * zero byte (a record is text). After a complete record the next one begins.
 *
 * Returns: (transfer full) (nullable): the record's text if @fragment completed
 * it
 */
gchar *
lmcc_record_assembler_push (LmccRecordAssembler *assembler,
    const LmccRecordFragment *fragment)
{
  gchar *text;

  if (!fragment_is_valid (fragment)
      || memchr (fragment->data, '\0', fragment->size) != NULL)
    return NULL;
  if (fragment->count == 1)
    return g_strndup ((const gchar *) fragment->data, fragment->size);

  if (assembler->count != fragment->count || assembler->ssrc != fragment->ssrc
      || assembler->version != fragment->version)
    lmcc_record_assembler_reset (assembler);
  if (assembler->parts[fragment->index] != NULL)
    return NULL;

  assembler->ssrc = fragment->ssrc;
  assembler->version = fragment->version;
  assembler->count = fragment->count;
  assembler->parts[fragment->index] =
      g_strndup ((const gchar *) fragment->data, fragment->size);
  if (++assembler->n_taken < assembler->count)
    return NULL;

  text = join_fragments (assembler);
  lmcc_record_assembler_reset (assembler);

  return text;
}

/*
 * lmcc_rtcp_build_app:
 * @subtype: subtype of the APP packet
 * @ssrc: SSRC of its sender
 *
 * Builds an APP packet of the library without further data.
 *
 * Returns: (transfer full): one reduced-size RTCP packet (RFC 5506)
 */
LmccPacket *
lmcc_rtcp_build_app (guint8 subtype, guint32 ssrc)
{
  LmccPacket *packet = lmcc_packet_new (LMCC_RTCP_APP_SIZE);

  lmcc_rtcp_write_app (packet->data, subtype, ssrc, LMCC_RTCP_APP_SIZE);
  packet->size = LMCC_RTCP_APP_SIZE;

  return packet;
}

/*
 * lmcc_rtcp_parse_app:
 * @data: a UDP payload
 * @size: its length in bytes
 * @subtype: subtype of the APP packet
 * @ssrc: (out): SSRC of its sender
 *
 * Returns: %FALSE if it is not a packet as lmcc_rtcp_build_app() builds it
 */
gboolean
lmcc_rtcp_parse_app (const guint8 *data, gsize size, guint8 subtype,
    guint32 *ssrc)
{
  if (size != LMCC_RTCP_APP_SIZE || !lmcc_rtcp_is_app (data, size, subtype))
    return FALSE;
  *ssrc = lmcc_read_uint32 (data + 4);

  return TRUE;
}
